//! One input through the `layoutc` binary: what only files and the command line can do.

use anyhow::Result;

use super::TIME_LIMIT;
use super::programs::Input;
use super::trial::Failure;
use crate::layoutc::Layoutc;
use crate::sandbox::Sandbox;

/// Runs `layoutc transform` on the files of an input.
///
/// # Errors
/// When the binary cannot be run. A failure is a result: an exit code other than 0 and 1, a run
/// over the time limit, files written by a run with exit code 1, or success on a binary file.
pub fn run(input: &Input) -> Result<Result<(), Failure>> {
    let sandbox = Sandbox::new()?;
    input.save_files(sandbox.path())?;
    let mut arguments = vec!["transform".to_owned(), "--out-dir=out".to_owned()];
    // One word each: a request may begin with a hyphen. A NUL cannot be handed over at all.
    let given = |name: &str, value: &String| format!("--{name}={}", value.replace('\0', ""));
    arguments.extend(input.layouts.iter().map(|layout| given("layout", layout)));
    arguments.extend(input.require.iter().map(|name| given("require", name)));
    arguments.extend(input.files.iter().filter(|file| file.is_root).map(|file| file.name.clone()));
    let before = sandbox.contents()?;
    let outcome = Layoutc::built()?.run(sandbox.path(), TIME_LIMIT, &arguments)?;
    let is_text = |bytes: &[u8]| !bytes.contains(&0);
    let all_text = input.files.iter().filter(|file| file.is_root).all(|file| is_text(&file.bytes));
    let cause = match outcome.code() {
        Some(0) if !all_text => "binary: a file with NUL bytes is accepted",
        Some(0) => return Ok(Ok(())),
        Some(1) if sandbox.contents()? == before => return Ok(Ok(())),
        Some(1) => "binary: errors, but files are written",
        Some(_) => "binary: internal error",
        None if outcome.status.is_none() => "binary: time",
        None => "binary: signal",
    };
    let message =
        format!("layoutc {}: {}\n{}", arguments.join(" "), outcome.ending(), outcome.stderr);
    Ok(Err(Failure { cause: cause.to_owned(), message }))
}

//! OpenCL programs, built with the host's compilers and run on the device that is installed.

use super::{cache_dir, sources, unchanged};
use crate::arguments::VerifyArguments;
use crate::compile::Success;
use crate::progress::phase;
use layoutc_runtime::opencl::{Compilers, OpenCl, OpenClRequest, OpenClVerifyRequest, verify};
use layoutc_runtime::process::RunRequest;
use layoutc_runtime::program::SourceText;
use layoutc_runtime::verify::VerifyOutcome;
use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Builds both programs and runs them in the mirror of the current folder.
pub fn compare(
    arguments: &VerifyArguments,
    success: &Success,
    original: Vec<SourceText>,
) -> Result<VerifyOutcome, String> {
    let opencl = OpenCl::find(&compilers()).map_err(|error| error.to_string())?;
    let rewritten = rewritten(success)?;
    let folder =
        tempfile::tempdir().map_err(|error| format!("cannot make a temporary folder: {error}"))?;
    let before = request(success, &folder.path().join("before"), original)?;
    let after = request(success, &folder.path().join("after"), rewritten)?;
    let run = RunRequest {
        timeout: Duration::from_secs(arguments.timeout),
        ..RunRequest::new(arguments.args.clone())
    };
    let _phase = phase("verify: building and running both programs");
    verify(&opencl, &OpenClVerifyRequest { before: &before, after: &after, run: &run })
        .map_err(|error| error.to_string())
}

/// The rewritten program.
pub fn rewritten(success: &Success) -> Result<Vec<SourceText>, String> {
    sources(success, |id, file| match success.compiled.edits.get(&id) {
        None => Ok(unchanged(file)),
        Some(edits) => Ok((edits.apply(file.text()), edits.generated_ranges())),
    })
}

/// A program that launches no kernel says nothing about the rewrite; most often it does not find their text.
pub fn nothing_ran(outcome: &VerifyOutcome) -> String {
    format!(
        "nothing can be said: the original program launched no kernel and ended with {}\n\
         kernel files are read from the folder that `layoutc verify` is started in\n{}",
        outcome.before.status,
        String::from_utf8_lossy(&outcome.before.stderr)
    )
}

/// `$CC` and `$CXX`, otherwise GCC.
pub fn compilers() -> Compilers {
    let given = |name: &str| env::var(name).ok().filter(|command| !command.is_empty());
    let Compilers { c, cpp } = Compilers::default();
    Compilers { c: given("CC").unwrap_or(c), cpp: given("CXX").unwrap_or(cpp) }
}

/// How a program of these texts is built in a folder, to be run in the mirror of the current one.
pub fn request(
    success: &Success,
    out_dir: &Path,
    sources: Vec<SourceText>,
) -> Result<OpenClRequest, String> {
    let folder =
        env::current_dir().map_err(|error| format!("the current folder is not known: {error}"))?;
    let mut include_dirs: Vec<PathBuf> = Vec::new();
    let mut defines = BTreeSet::new();
    for (_, options) in &success.units {
        let all = [&options.quote_dirs, &options.include_dirs, &options.system_dirs];
        for dir in all.into_iter().flatten() {
            if !include_dirs.contains(dir) {
                include_dirs.push(dir.clone());
            }
        }
        defines.extend(options.defines.iter().map(|(name, value)| format!("{name}={value}")));
    }
    Ok(OpenClRequest {
        sources,
        folder,
        include_dirs,
        defines: defines.into_iter().collect(),
        out_dir: out_dir.to_path_buf(),
        cache_dir: cache_dir().map(|folder| folder.join("opencl-kernels")),
        is_recorded: false,
        is_traced: false,
    })
}

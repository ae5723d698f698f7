//! Runs a case and says how it fails.
//!
//! A case holds if
//!
//! - `transform` ends with exit code 0, and without a panic;
//! - the rewritten program compiles, builds its kernels, prints the same and ends the same way;
//! - the layout that the source has already changes no byte;
//! - transforming the result again changes nothing, or is refused with exit code 1.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use layoutc_runtime::process::{RunResult, RunStatus};
use serde_json::Value;

use super::program::OpenClProgram;
use super::toolchain::Toolchain;
use crate::layoutc::{Layoutc, TRANSFORM_LIMIT};
use crate::random::layouts::Layouts;
use crate::random::run::{ClassResult, Failure, FailureKind, classes, failure};

/// The status of a program whose kernels do not build.
const NO_KERNELS: RunStatus = RunStatus::Exited(5);

/// The tools that cases are run with.
#[derive(Debug)]
pub struct Runner {
    toolchain: Toolchain,
    layoutc: Layoutc,
}

/// The original program: where it lies, and what it prints if it was run.
#[derive(Debug)]
pub struct Original {
    folder: PathBuf,
    result: Option<RunResult>,
}

impl Runner {
    /// Prepares the tools.
    ///
    /// # Errors
    /// When one is missing.
    pub fn new(layoutc: Layoutc) -> Result<Runner> {
        Ok(Runner { toolchain: Toolchain::prepare()?, layoutc })
    }

    /// Writes the original program below a folder and, unless only its text is of interest, builds and runs it.
    ///
    /// # Errors
    /// When a tool cannot be run.
    pub fn original(
        &self,
        program: &OpenClProgram,
        folder: &Path,
        is_run: bool,
    ) -> Result<Result<Original, Failure>> {
        let before = folder.join("before");
        if before.exists() {
            fs::remove_dir_all(&before)?;
        }
        fs::create_dir_all(&before)?;
        for (name, text) in program.files() {
            fs::write(before.join(name), text)?;
        }
        if !is_run {
            return Ok(Ok(Original { folder: folder.to_path_buf(), result: None }));
        }
        let executable = match self.toolchain.build(program, &before)? {
            Ok(executable) => executable,
            Err(messages) => return Ok(Err(failure(FailureKind::Original, &messages))),
        };
        let result = self.toolchain.run(&executable, &before, &program.tree.runs)?;
        if result.status != RunStatus::Exited(0) {
            let (printed, said) = (text(&result.stdout), text(&result.stderr));
            let last = printed.lines().last().unwrap_or_default();
            let message = format!("{:?} behind `{last}`\n{said}", result.status);
            return Ok(Err(failure(FailureKind::Original, &message)));
        }
        Ok(Ok(Original { folder: folder.to_path_buf(), result: Some(result) }))
    }

    /// Transforms, builds, runs and compares.
    ///
    /// # Errors
    /// When a tool cannot be run.
    pub fn case(
        &self,
        program: &OpenClProgram,
        original: &Original,
        layouts: &Layouts,
    ) -> Result<Result<Vec<ClassResult>, Failure>> {
        let found = match self.transform(program, layouts, &original.folder, "before", "after")? {
            Ok(found) => found,
            Err(failure) => return Ok(Err(failure)),
        };
        let after = original.folder.join("after");
        let names: Vec<&str> = program.files().into_iter().map(|(name, _)| name).collect();
        if layouts.kind == "identity" {
            for name in names {
                let same = fs::read(original.folder.join("before").join(name))?
                    == fs::read(after.join(name))?;
                if !same {
                    return Ok(Err(failure(FailureKind::Identity, "the text changed")));
                }
            }
            return Ok(Ok(found));
        }
        if !found.iter().any(|class| class.changed) {
            return Ok(Ok(found));
        }
        let executable = match self.toolchain.build(program, &after)? {
            Ok(executable) => executable,
            Err(messages) => return Ok(Err(failure(FailureKind::Compile, &messages))),
        };
        if let Some(expected) = &original.result {
            let result = self.toolchain.run(&executable, &after, &program.tree.runs)?;
            if let Some(failure) = different(expected, &result) {
                return Ok(Err(failure));
            }
        }
        let again = self.again(program, layouts, original)?;
        Ok(again.map_or(Ok(found), Err))
    }

    /// A second run on the result.
    fn again(
        &self,
        program: &OpenClProgram,
        layouts: &Layouts,
        original: &Original,
    ) -> Result<Option<Failure>> {
        let outcome = self.layoutc.run(
            &original.folder.join("after"),
            TRANSFORM_LIMIT,
            options(program, layouts, "twice"),
        )?;
        match outcome.code() {
            Some(1) => Ok(None),
            Some(0) => {
                for (name, _) in program.files() {
                    let after = original.folder.join("after").join(name);
                    let twice = original.folder.join("twice").join(name);
                    if fs::read(after)? != fs::read(twice)? {
                        let message = format!("the second run changed {name}\n{}", outcome.stderr);
                        return Ok(Some(failure(FailureKind::Twice, &message)));
                    }
                }
                Ok(None)
            }
            _ => {
                let message = format!("second run: {}\n{}", outcome.ending(), outcome.stderr);
                Ok(Some(failure(FailureKind::Tool, &message)))
            }
        }
    }

    fn transform(
        &self,
        program: &OpenClProgram,
        layouts: &Layouts,
        folder: &Path,
        from: &str,
        to: &str,
    ) -> Result<Result<Vec<ClassResult>, Failure>> {
        let outcome =
            self.layoutc.run(&folder.join(from), TRANSFORM_LIMIT, options(program, layouts, to))?;
        if !outcome.succeeded() {
            // Warnings in front of the error say nothing of the cause.
            let error = outcome.stderr.find("error[").unwrap_or(0);
            let message = format!("{}\n{}", outcome.ending(), &outcome.stderr[error..]);
            return Ok(Err(failure(FailureKind::Tool, &message)));
        }
        let report = folder.join("report.json");
        let report: Value =
            serde_json::from_slice(&fs::read(report).context("no report was written")?)?;
        Ok(Ok(classes(&program.tree, &report)))
    }
}

/// The command line of a transformation in the folder of the files.
fn options(program: &OpenClProgram, layouts: &Layouts, to: &str) -> Vec<String> {
    let mut options = vec!["transform".to_owned()];
    options.extend(program.files().into_iter().map(|(name, _)| name.to_owned()));
    options.extend(["--out-dir".to_owned(), format!("../{to}")]);
    options.extend(["--report", "../report.json"].map(str::to_owned));
    for spec in layouts.specs(&program.tree) {
        options.extend(["--layout".to_owned(), spec]);
    }
    options
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// How a run differs from the original's; what it printed first that is not the same tells causes apart.
fn different(expected: &RunResult, found: &RunResult) -> Option<Failure> {
    if found.status == expected.status && found.stdout == expected.stdout {
        return None;
    }
    let said = text(&found.stderr);
    if found.status == NO_KERNELS {
        let message: String = said.lines().map(without_path).collect();
        return Some(failure(FailureKind::Compile, &format!("kernels do not build\n{message}")));
    }
    let (before, after) = (text(&expected.stdout), text(&found.stdout));
    let mut lines = before.lines().zip(after.lines());
    let (one, other) = match lines.find(|(one, other)| one != other) {
        Some((one, other)) => (one, other),
        None => ("the rest", after.lines().last().unwrap_or_default()),
    };
    let message = format!(
        "{:?}, rewritten {:?}\n{said}printed `{one}`, rewritten `{other}`\n",
        expected.status, found.status
    );
    let mut failure = failure(FailureKind::Different, &message);
    failure.cause = match found.status {
        RunStatus::Exited(0) => cause(one),
        status => match failing_call(&said) {
            Some(call) => format!("{status:?} in {call}"),
            None => format!("{status:?} behind {}", cause(other)),
        },
    };
    Some(failure)
}

/// A message of the kernels' compiler without the name of its file, which is another one each time.
fn without_path(line: &str) -> String {
    let words = line.split(' ').filter(|word| !word.starts_with('/') && !word.starts_with('<'));
    format!("{}\n", words.collect::<Vec<_>>().join(" "))
}

/// The function that did not succeed, as a checking macro says it: `host.c:12: f(…): -59`.
fn failing_call(said: &str) -> Option<String> {
    let call = said.lines().find_map(|line| line.split_once("host.c")?.1.split_once(": "))?.1;
    let code = call.rsplit(' ').next()?;
    let name = call.split('(').next()?.replace(|sign: char| sign.is_ascii_digit(), "");
    Some(format!("{name}: {code}"))
}

/// What a printed line is about, without numbers and members.
fn cause(line: &str) -> String {
    let line = line.split(':').next().unwrap_or_default();
    let words = line.trim_start_matches(|sign: char| sign.is_ascii_digit() || sign == '.');
    let is_sum = words.split_whitespace().count() > 1 && words.contains("last");
    let words: Vec<&str> = words.split_whitespace().collect();
    if is_sum { "last".to_owned() } else { words.join(" ") }
}

//! Whether nvcc takes the rewritten program: what runs on the CPU may call host functions in kernels.

use super::sources;
use crate::compile::Success;
use crate::nvcc;
use crate::profile::below;
use layoutc_diagnostics::{FileId, SourceFile};
use std::process::Command;

/// The architecture that programs are compiled for.
const ARCHITECTURE: &str = "sm_80";

/// What nvcc says of the rewritten program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It compiles, with that version.
    Compiles(String),
    /// There is no nvcc, it was not to be asked, or it refuses the original, too.
    NotAsked(&'static str),
    /// It refuses what it takes before the rewriting: its messages.
    Refused(String),
}

impl Answer {
    /// The end of the verdict.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Answer::Compiles(version) => {
                format!("compiles with nvcc {version} for {ARCHITECTURE}")
            }
            Answer::NotAsked(why) => format!("not compiled with nvcc: {why}"),
            Answer::Refused(_) => "nvcc refuses it".to_owned(),
        }
    }
}

/// Compiles the rewritten program with the nvcc of `$NVCC` or the `PATH`, and the original where that
/// fails.
///
/// # Errors
/// A sentence: the files cannot be written.
pub fn ask(success: &Success) -> Result<Answer, String> {
    let compiler = nvcc::compiler();
    let Some(version) = version(&compiler) else {
        return Ok(Answer::NotAsked("there is none on the path or in $NVCC"));
    };
    let after = compile(success, &compiler, |id, file| match success.compiled.edits.get(&id) {
        Some(edits) => edits.apply(file.text()),
        None => file.text().to_owned(),
    })?;
    let Err(messages) = after else {
        return Ok(Answer::Compiles(version));
    };
    let before =
        compile(success, &compiler, |id, file| match success.compiled.lowering.get(&id) {
            Some(edits) => edits.apply(file.text()),
            None => file.text().to_owned(),
        })?;
    Ok(match before {
        Ok(()) => Answer::Refused(messages),
        Err(_) => Answer::NotAsked("it refuses the original"),
    })
}

/// `13.0` of `release 13.0, V13.0.88`.
fn version(compiler: &str) -> Option<String> {
    let output = Command::new(compiler).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let release = text.split("release ").nth(1)?;
    Some(release.split([',', '\n']).next()?.trim().to_owned())
}

/// Compiles each unit of a program to nothing; the messages if one is refused.
fn compile(
    success: &Success,
    compiler: &str,
    text: impl Fn(FileId, &SourceFile) -> String,
) -> Result<Result<(), String>, String> {
    let folder =
        tempfile::tempdir().map_err(|error| format!("cannot make a temporary folder: {error}"))?;
    let folder = folder.path();
    nvcc::write_below(folder, &sources(success, |id, file| Ok((text(id, file), Vec::new())))?)?;
    for (path, options) in &success.units {
        let is_cuda = path.extension().is_some_and(|extension| extension == "cu");
        if !is_cuda {
            continue;
        }
        let mut command = Command::new(compiler);
        command.args(["-c", "-rdc=true", "-w", "-arch", ARCHITECTURE, "-o"]);
        command.arg(folder.join("unit.o"));
        command.args(nvcc::standard(options));
        nvcc::add_options(&mut command, folder, path, options);
        command.arg(below(folder, path));
        let output =
            command.output().map_err(|error| format!("cannot run `{compiler}`: {error}"))?;
        if !output.status.success() {
            let shown = folder.display().to_string();
            return Ok(Err(String::from_utf8_lossy(&output.stderr).replace(&shown, "")));
        }
    }
    Ok(Ok(()))
}

//! nvcc, as the commands that compile for a GPU call it.

use crate::profile::below;
use layoutc_runtime::program::SourceText;
use layoutc_syntax::preprocess::PreprocessOptions;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Name of a program that is built here.
const PROGRAM: &str = "program";

/// The compiler: `$NVCC`, or the nvcc of the `PATH`.
pub fn compiler() -> String {
    let given = env::var("NVCC").ok().filter(|name| !name.is_empty());
    given.unwrap_or_else(|| "nvcc".to_owned())
}

/// Writes the files of a program below a folder.
///
/// # Errors
/// A sentence: a file cannot be written.
pub fn write_below(folder: &Path, sources: &[SourceText]) -> Result<(), String> {
    for source in sources {
        let path = below(folder, &source.path);
        let made = path.parent().map_or(Ok(()), fs::create_dir_all);
        made.and_then(|()| fs::write(&path, &source.text))
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    Ok(())
}

/// The standard of C++ that a file is compiled with, where that is said.
pub fn standard(options: &PreprocessOptions) -> Option<String> {
    let name = options.standard.as_ref().filter(|name| name.contains("++"))?;
    Some(format!("-std={name}"))
}

/// What the compiler is told of a file that lies below a folder: where headers are, and macros.
pub fn add_options(command: &mut Command, folder: &Path, path: &Path, options: &PreprocessOptions) {
    for dir in options.include_dirs.iter().chain(&options.quote_dirs).chain(&options.system_dirs) {
        command.arg("-I").arg(below(folder, dir)).arg("-I").arg(dir);
    }
    command.args(options.defines.iter().map(|(name, value)| format!("-D{name}={value}")));
    command.args(options.undefines.iter().map(|name| format!("-U{name}")));
    // What is not part of the program is where it was.
    if let Some(parent) = path.parent().filter(|parent| *parent != Path::new("")) {
        command.arg("-I").arg(parent);
    }
}

/// Why there is no program.
#[derive(Debug)]
pub enum NotBuilt {
    /// There is no compiler: what the system says.
    NoCompiler(String),
    /// The compiler refuses it: its messages.
    Refused(String),
}

/// Builds a program whose files lie below a folder, at full optimization.
///
/// # Errors
/// There is no compiler, or it refuses the program.
pub fn build(
    units: &[(PathBuf, PreprocessOptions)],
    folder: &Path,
    more: &[OsString],
) -> Result<PathBuf, NotBuilt> {
    let compiler = compiler();
    let executable = folder.join(PROGRAM);
    let mut command = Command::new(&compiler);
    command.args(["-O3", "-o"]).arg(&executable);
    command.args(units.iter().find_map(|(_, options)| standard(options)));
    let mut roots: Vec<PathBuf> = Vec::new();
    for (path, options) in units {
        roots.push(below(folder, path));
        add_options(&mut command, folder, path, options);
    }
    roots.sort();
    roots.dedup();
    command.args(more).args(&roots);
    let output = command
        .output()
        .map_err(|error| NotBuilt::NoCompiler(format!("cannot run `{compiler}`: {error}")))?;
    if !output.status.success() {
        let messages = String::from_utf8_lossy(&output.stderr);
        return Err(NotBuilt::Refused(messages.trim_end().to_owned()));
    }
    Ok(executable)
}

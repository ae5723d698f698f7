//! The instrumented program for nvcc.

use super::{GENERATED, below, counts, generated_header, instrumented_sources, write};
use crate::arguments::ProfileArguments;
use crate::compile::Success;
use layoutc_analysis::profile::Run;
use layoutc_codegen::instrument::Instrumented;
use layoutc_runtime::process::{RunRequest, RunResult, RunStatus, run};
use layoutc_runtime::profile::HEADER_TEXT;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Name of the part of the header that is the same for all programs.
const COUNTERS: &str = "layoutc_profile_counters.hpp";

/// Writes the program and its headers below a folder.
///
/// # Errors
/// A sentence.
pub fn write_program(
    success: &Success,
    instrumented: &Instrumented,
    folder: &Path,
) -> Result<(), String> {
    for source in instrumented_sources(success, instrumented)? {
        let path = below(folder, &source.path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)
                .map_err(|error| format!("cannot make {}: {error}", parent.display()))?;
        }
        write(&path, &source.text)?;
    }
    write(&folder.join(GENERATED), &generated_header(instrumented, COUNTERS))?;
    write(&folder.join(COUNTERS), HEADER_TEXT)
}

/// Builds the program with nvcc, runs it, and reads what it counted.
///
/// # Errors
/// A sentence: it does not build, does not run, or wrote no counts.
pub fn record(
    arguments: &ProfileArguments,
    success: &Success,
    instrumented: &Instrumented,
) -> Result<(Run, RunResult), String> {
    let folder =
        tempfile::tempdir().map_err(|error| format!("cannot make a temporary folder: {error}"))?;
    write_program(success, instrumented, folder.path())?;
    let compiler = env::var("NVCC").ok().filter(|name| !name.is_empty());
    let compiler = compiler.unwrap_or_else(|| "nvcc".to_owned());
    let executable = folder.path().join("program");
    let mut command = Command::new(&compiler);
    command.args(["-O3", "-o"]).arg(&executable).arg("-include").arg(folder.path().join(GENERATED));
    command.args(&arguments.nvcc_options);
    let mut roots: Vec<PathBuf> = Vec::new();
    for (path, options) in &success.units {
        roots.push(below(folder.path(), path));
        for dir in
            options.include_dirs.iter().chain(&options.quote_dirs).chain(&options.system_dirs)
        {
            command.arg("-I").arg(below(folder.path(), dir)).arg("-I").arg(dir);
        }
        command.args(options.defines.iter().map(|(name, value)| format!("-D{name}={value}")));
        // What is not part of the program is where it was.
        if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            command.arg("-I").arg(parent);
        }
    }
    roots.sort();
    roots.dedup();
    command.args(&roots);
    let output = command.output().map_err(|error| {
        format!("cannot run `{compiler}`: {error}; --instrument writes the program, to be built elsewhere")
    })?;
    if !output.status.success() {
        let messages = String::from_utf8_lossy(&output.stderr);
        return Err(format!(
            "nvcc does not build the instrumented program\n{}",
            messages.trim_end()
        ));
    }
    let path = folder.path().join("counts");
    let request = RunRequest {
        timeout: Duration::from_secs(arguments.timeout),
        env: vec![("LAYOUTC_PROFILE".to_owned(), path.clone().into_os_string())],
        ..RunRequest::new(arguments.args.clone())
    };
    let result =
        run(&executable, &request).map_err(|error| format!("cannot run the program: {error}"))?;
    if !path.is_file() {
        let how = match result.status {
            RunStatus::TimedOut => "it ran longer than --timeout allows".to_owned(),
            status => format!("it ended with {status}"),
        };
        let messages = String::from_utf8_lossy(&result.stderr);
        return Err(format!("the program wrote no counts: {how}\n{}", messages.trim_end()));
    }
    let mut run = counts::read(&path, &instrumented.profile)?;
    run.arguments = arguments.args.iter().map(|own| own.to_string_lossy().into_owned()).collect();
    if run.partial.is_none() {
        run.partial = super::ended_early(&result, super::arguments_timeout(&result));
    }
    Ok((run, result))
}

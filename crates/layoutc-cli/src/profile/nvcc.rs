//! The instrumented program for nvcc.

use super::{GENERATED, counts, generated_header, instrumented_sources, write};
use crate::arguments::ProfileArguments;
use crate::compile::Success;
use crate::nvcc::{self, NotBuilt};
use layoutc_analysis::profile::Run;
use layoutc_codegen::instrument::Instrumented;
use layoutc_runtime::process::{RunRequest, RunResult, RunStatus, run};
use layoutc_runtime::profile::HEADER_TEXT;
use std::ffi::OsString;
use std::path::Path;
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
    nvcc::write_below(folder, &instrumented_sources(success, instrumented)?)?;
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
    let mut options: Vec<OsString> =
        vec!["-include".into(), folder.path().join(GENERATED).into_os_string()];
    options.extend(arguments.nvcc_options.iter().map(OsString::from));
    let executable =
        nvcc::build(&success.units, folder.path(), &options).map_err(|error| match error {
            NotBuilt::NoCompiler(message) => {
                format!("{message}; --instrument writes the program, to be built elsewhere")
            }
            NotBuilt::Refused(messages) => {
                format!("nvcc does not build the instrumented program\n{messages}")
            }
        })?;
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

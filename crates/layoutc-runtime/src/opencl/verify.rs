//! Runs an OpenCL program before and after a rewrite and compares what it prints and how it ends.
//!
//! Buffers are not compared: what a program never reads back and prints goes unseen. Accesses outside of buffers do not,
//! on a CPU; memory that was never written holds the same bytes in both.

use super::{OpenCl, OpenClBuilt, OpenClError, OpenClRequest, io_error};
use crate::layout_table::Version;
use crate::process::{REPORTED_STATUS, RunRequest, RunResult, RunStatus};
use crate::verify::{Difference, Verdict, VerifyOutcome, stdout_difference};
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::time::Duration;

/// What to compare.
#[derive(Clone, Debug)]
pub struct OpenClVerifyRequest<'a> {
    /// The original program.
    pub before: &'a OpenClRequest,
    /// The rewritten program; its `out_dir` is another than that of `before`.
    pub after: &'a OpenClRequest,
    /// How both programs are run, but for the folder.
    pub run: &'a RunRequest,
}

/// Why nothing could be compared.
#[derive(Debug)]
pub struct OpenClVerifyError {
    /// The program that does not build or start.
    pub version: Version,
    /// Why.
    pub source: OpenClError,
}

impl fmt::Display for OpenClVerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.version {
            Version::Before => write!(f, "the original program: {}", self.source),
            Version::After => write!(f, "the rewritten program: {}", self.source),
        }
    }
}

impl std::error::Error for OpenClVerifyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

/// Builds and runs both programs and compares them.
///
/// An original that runs into its time limit, crashes or leaves its buffers says nothing about the rewrite:
/// [`Verdict::Inconclusive`].
///
/// # Errors
/// When a program does not build or start.
pub fn verify(
    opencl: &OpenCl,
    request: &OpenClVerifyRequest,
) -> Result<VerifyOutcome, OpenClVerifyError> {
    let of = |version| move |source| OpenClVerifyError { version, source };
    let before = opencl.build(request.before).map_err(of(Version::Before))?;
    let after = opencl.build(request.after).map_err(of(Version::After))?;
    let (before, launches) =
        run(&before, request, request.run.timeout).map_err(of(Version::Before))?;
    // Index arithmetic takes longer on a CPU: a program that is a little slower is no other one.
    let patience = request.run.timeout.saturating_mul(4);
    let (after, _) = run(&after, request, patience).map_err(of(Version::After))?;

    let mut differences = Vec::new();
    if before.status != after.status {
        differences.push(Difference::Status { before: before.status, after: after.status });
    }
    differences.extend(stdout_difference(&before.stdout, &after.stdout));
    let unusable = matches!(
        before.status,
        RunStatus::TimedOut | RunStatus::Signalled(_) | RunStatus::Exited(REPORTED_STATUS)
    );
    let verdict = match (unusable, differences.is_empty()) {
        (true, _) => Verdict::Inconclusive,
        (false, true) => Verdict::Same,
        (false, false) => Verdict::Different,
    };
    Ok(VerifyOutcome { verdict, differences, launches, before, after })
}

/// The run, and how many kernels it launched.
fn run(
    built: &OpenClBuilt,
    request: &OpenClVerifyRequest,
    timeout: Duration,
) -> Result<(RunResult, usize), OpenClError> {
    let log = built.executable.with_extension("launches");
    if log.exists() {
        fs::remove_file(&log).map_err(io_error(&log))?;
    }
    let mut run = RunRequest { timeout, ..request.run.clone() };
    run.env.push(("LAYOUTC_CL_LOG".to_owned(), OsString::from(&log)));
    let result = built.run(&run).map_err(io_error(&built.executable))?;
    // A program that launches nothing leaves no log.
    let launches = fs::read_to_string(&log).map_or(0, |text| text.lines().count());
    Ok((result, launches))
}

//! Runs a program before and after a rewrite and compares what it prints, how it ends and what each kernel leaves
//! in device memory.
//!
//! Memory is compared in canonical form: record by record and leaf by leaf under the layouts of the two programs,
//! so padding and unused lanes do not count. Allocations without a layout are compared byte by byte. Standard
//! error is not compared, nor are files, host memory and `__device__` variables. Launches are matched by their order, allocations by call site and occurrence.

mod outcome;

pub use outcome::{Difference, ElementDifference, Verdict, VerifyOutcome};

use crate::kernel_log::{self, AllocationKey, LaunchId, LoggedLaunch, NO_FIT};
use crate::layout_table::{SiteLayout, Version, to_text};
use crate::lowering::SiteId;
use crate::process::{REPORTED_STATUS, RunRequest, RunResult, RunStatus, run};
use crate::toolchain::{BuildError, BuildRequest, Built, build};
use outcome::locate;
pub(crate) use outcome::stdout_difference;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What to compare.
#[derive(Clone)]
pub struct VerifyRequest<'a> {
    /// The original program.
    pub before: &'a BuildRequest,
    /// The rewritten program; its `out_dir` is another than that of `before`.
    pub after: &'a BuildRequest,
    /// Layouts of the allocations that hold records. Those that no entry names are compared byte by byte.
    pub layouts: &'a [SiteLayout],
    /// Call sites whose allocations are not compared: text of a template that allocates arrays of
    /// several types.
    pub ignored_sites: &'a [SiteId],
    /// Names of generated kernels, without template arguments: no launches of the program.
    pub ignored_kernels: &'a [String],
    /// How both programs are run.
    pub run: &'a RunRequest,
    /// Told what is done next.
    pub on_step: &'a dyn Fn(&str),
}

/// Why nothing could be compared.
#[derive(Debug)]
pub enum VerifyError {
    /// One of the programs does not build.
    Build {
        /// Which.
        version: Version,
        /// Why.
        source: BuildError,
    },
    /// A program could not be started or its log not be read.
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Build { version: Version::Before, source } => {
                write!(f, "the original program: {source}")
            }
            Self::Build { version: Version::After, source } => {
                write!(f, "the rewritten program: {source}")
            }
            Self::Io { path, source } => write!(f, "{}: {source}", path.display()),
        }
    }
}

impl std::error::Error for VerifyError {}

/// Builds and runs both programs and compares them.
///
/// # Errors
/// [`VerifyError`] when a program does not build or start. That the original runs into its time limit or into a
/// memory error of its own is no error here but [`Verdict::Inconclusive`].
pub fn verify(request: &VerifyRequest) -> Result<VerifyOutcome, VerifyError> {
    let step = request.on_step;
    step("building the original, 1 of 4");
    let before = Program::build(request, Version::Before)?;
    step("building the rewritten program, 2 of 4");
    let after = Program::build(request, Version::After)?;
    step("running the original, 3 of 4");
    let (before_result, mut before_log) = before.run(&[], request.run.timeout)?;
    let allocations = [("LAYOUTC_RT_ALLOCS", before.log_path().into_os_string())];
    // Index arithmetic takes longer on a CPU: a program that is a little slower is no other one.
    step("running the rewritten program, 4 of 4");
    let patience = request.run.timeout.saturating_mul(4);
    let (after_result, mut after_log) = after.run(&allocations, patience)?;
    for launch in before_log.iter_mut().chain(&mut after_log) {
        launch.memory.retain(|key, _| !request.ignored_sites.contains(&key.site));
    }

    let mut differences = Vec::new();
    if let Some(found) = memory_difference(&before_log, &after_log) {
        differences.push(detail(found, &before, &after, request.layouts)?);
    }
    if before_result.status != after_result.status {
        differences
            .push(Difference::Status { before: before_result.status, after: after_result.status });
    }
    differences.extend(stdout_difference(&before_result.stdout, &after_result.stdout));
    let unusable =
        matches!(before_result.status, RunStatus::TimedOut | RunStatus::Exited(REPORTED_STATUS));
    let verdict = match (unusable, differences.is_empty()) {
        (true, _) => Verdict::Inconclusive,
        (false, true) => Verdict::Same,
        (false, false) => Verdict::Different,
    };
    Ok(VerifyOutcome {
        verdict,
        differences,
        launches: before_log.len(),
        before: before_result,
        after: after_result,
    })
}

/// One of the two programs, built.
struct Program<'a> {
    request: &'a VerifyRequest<'a>,
    built: Built,
    folder: PathBuf,
    layouts: PathBuf,
}

impl<'a> Program<'a> {
    fn build(request: &'a VerifyRequest, version: Version) -> Result<Self, VerifyError> {
        let source = match version {
            Version::Before => request.before,
            Version::After => request.after,
        };
        let built = build(source).map_err(|source| VerifyError::Build { version, source })?;
        let folder = source.out_dir.clone();
        let layouts = folder.join("layouts.txt");
        fs::write(&layouts, to_text(request.layouts, version)).map_err(io_error(&layouts))?;
        Ok(Self { request, built, folder, layouts })
    }

    fn log_path(&self) -> PathBuf {
        crate::program::absolute(&self.folder.join("kernels.log"))
    }

    fn run(
        &self,
        extra: &[(&str, OsString)],
        timeout: Duration,
    ) -> Result<(RunResult, Vec<LoggedLaunch>), VerifyError> {
        let mut run_request = self.request.run.clone();
        run_request.timeout = timeout;
        let layouts = crate::program::absolute(&self.layouts);
        let own = [
            ("LAYOUTC_RT_LOG", self.log_path().into_os_string()),
            ("LAYOUTC_RT_LAYOUTS", layouts.into_os_string()),
            ("LAYOUTC_RT_IGNORE", OsString::from(self.request.ignored_kernels.join(","))),
        ];
        run_request.env.extend(own.iter().chain(extra).map(|(k, v)| ((*k).to_owned(), v.clone())));
        let log_path = self.log_path();
        // A log of an earlier run must not be taken for this one's.
        if log_path.exists() {
            fs::remove_file(&log_path).map_err(io_error(&log_path))?;
        }
        let result =
            run(&self.built.executable, &run_request).map_err(io_error(&self.built.executable))?;
        // A program that calls no CUDA function leaves no log.
        let log = fs::read_to_string(&log_path).unwrap_or_default();
        Ok((result, kernel_log::parse(&log)))
    }

    /// Runs again and gives the canonical content of one allocation after one launch.
    fn dump(
        &self,
        launch: LaunchId,
        key: AllocationKey,
        extra: &[(&str, OsString)],
    ) -> Result<Vec<u8>, VerifyError> {
        let path = crate::program::absolute(&self.folder.join("dump.bin"));
        let mut what = OsString::from(format!("{}:{}:{}:", launch.0, key.site.0, key.occurrence));
        what.push(path.as_os_str());
        let mut variables = extra.to_vec();
        variables.push(("LAYOUTC_RT_DUMP", what));
        self.run(&variables, self.request.run.timeout.saturating_mul(4))?;
        Ok(fs::read(&path).unwrap_or_default())
    }
}

/// The first difference between two logs.
fn memory_difference(before: &[LoggedLaunch], after: &[LoggedLaunch]) -> Option<Difference> {
    for (number, (b, a)) in (0..).zip(before.iter().zip(after)) {
        let launch = LaunchId(number);
        if b.host_pointers.is_empty() && !a.host_pointers.is_empty() {
            return Some(Difference::HostPointer {
                launch,
                kernel: a.kernel.clone(),
                argument: a.host_pointers[0],
            });
        }
        for (&key, &hash) in &b.memory {
            let kernel = b.kernel.clone();
            match a.memory.get(&key) {
                None => {
                    return Some(Difference::MissingAllocation {
                        launch,
                        kernel,
                        key,
                        version: Version::After,
                    });
                }
                Some(&NO_FIT) => {
                    return Some(Difference::LayoutDoesNotFit { launch, kernel, key });
                }
                Some(&other) if other != hash => {
                    return Some(Difference::Memory { launch, kernel, key, place: None });
                }
                Some(_) => {}
            }
        }
        if let Some(&key) = a.memory.keys().find(|key| !b.memory.contains_key(key)) {
            let version = Version::Before;
            return Some(Difference::MissingAllocation {
                launch,
                kernel: b.kernel.clone(),
                key,
                version,
            });
        }
    }
    (before.len() != after.len())
        .then_some(Difference::LaunchCount { before: before.len(), after: after.len() })
}

/// Finds the element and leaf behind a difference in memory by running both programs once more.
fn detail(
    found: Difference,
    before: &Program,
    after: &Program,
    layouts: &[SiteLayout],
) -> Result<Difference, VerifyError> {
    let Difference::Memory { launch, kernel, key, .. } = found else {
        return Ok(found);
    };
    let before_bytes = before.dump(launch, key, &[])?;
    // The log just written again has the same allocations.
    let allocations = [("LAYOUTC_RT_ALLOCS", before.log_path().into_os_string())];
    let after_bytes = after.dump(launch, key, &allocations)?;
    let layout = layouts.iter().find(|l| l.site == key.site);
    let place = locate(&before_bytes, &after_bytes, layout);
    Ok(Difference::Memory { launch, kernel, key, place })
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> VerifyError {
    let path = path.to_path_buf();
    move |source| VerifyError::Io { path, source }
}

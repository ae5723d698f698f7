//! Building generated OpenCL programs and running them on the device that is installed.
//!
//! What is linked with every program is compiled once: the guard that `layoutc verify` links too, which sees accesses
//! outside of buffers, and `delays.c`, which holds commands back that nobody has waited for yet.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, ensure};
use layoutc_runtime::process::{RunRequest, RunResult, run};
use tempfile::TempDir;

use super::program::OpenClProgram;
use crate::opencl::installed;
use crate::process::run_limited;
use crate::repository_root;

/// How long a program may compile or run before that counts as a failure; many may be at work on one machine.
const LIMIT: Duration = Duration::from_secs(120);

/// As `layoutc verify` compiles, but without optimisation, and with variables full of something.
const FLAGS: [&str; 6] = [
    "-O0",
    "-w",
    "-fno-strict-aliasing",
    "-fwrapv",
    "-ffp-contract=off",
    "-ftrivial-auto-var-init=pattern",
];

/// The host's compilers with everything that programs share.
#[derive(Debug)]
pub struct Toolchain {
    shared: TempDir,
}

impl Toolchain {
    /// Compiles what programs share.
    ///
    /// # Errors
    /// When there is no OpenCL or no compiler.
    pub fn prepare() -> Result<Toolchain> {
        installed()?;
        let this = Toolchain { shared: tempfile::tempdir()? };
        let guard = repository_root().join("crates/layoutc-runtime/opencl/guard.c");
        let delays = this.shared.path().join("delays.c");
        fs::write(&delays, include_str!("delays.c"))?;
        for (source, object) in [(guard, "guard.o"), (delays, "delays.o")] {
            let mut command = this.command("CC", "gcc");
            command.args(["-std=gnu11", "-O1", "-w", "-c", "-o", object]).arg(source);
            let outcome = run_limited(&mut command, LIMIT)?;
            ensure!(outcome.succeeded(), "{}\n{}", outcome.ending(), outcome.stderr);
        }
        Ok(this)
    }

    fn command(&self, variable: &str, otherwise: &str) -> Command {
        let compiler = std::env::var_os(variable).filter(|name| !name.is_empty());
        let mut command = Command::new(compiler.unwrap_or_else(|| otherwise.into()));
        command.current_dir(self.shared.path());
        command
    }

    /// Builds the host in a folder; the compiler's messages if it does not build.
    ///
    /// # Errors
    /// When the compiler cannot be run.
    pub fn build(&self, program: &OpenClProgram, folder: &Path) -> Result<Result<PathBuf, String>> {
        let executable = folder.join("program");
        let mut command = if program.is_cpp {
            let mut command = self.command("CXX", "g++");
            command.args(["-std=gnu++17", "-x", "c++"]).arg(folder.join("host.cpp"));
            command
        } else {
            let mut command = self.command("CC", "gcc");
            command.args(["-std=gnu11", "-x", "c"]).arg(folder.join("host.c"));
            command
        };
        command.args(FLAGS).args(["-x", "none", "guard.o", "delays.o", "-o"]).arg(&executable);
        command.arg("-Wl,--wrap=clEnqueueNDRangeKernel");
        command.args(["-lOpenCL", "-lm", "-lpthread", "-ldl"]);
        let outcome = run_limited(&mut command, LIMIT)?;
        let said = || format!("{}\n{}", outcome.ending(), outcome.stderr);
        Ok(if outcome.succeeded() { Ok(executable) } else { Err(said()) })
    }

    /// Runs a built program in its folder, for all element counts.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn run(&self, executable: &Path, folder: &Path, counts: &[usize]) -> Result<RunResult> {
        let mut request = RunRequest::new(counts.iter().map(|n| n.to_string().into()).collect());
        request.timeout = LIMIT;
        request.dir = Some(folder.to_path_buf());
        let cache = self.shared.path().join("kernels");
        let variables: [(&str, OsString); 2] =
            [("POCL_CACHE_DIR", cache.into()), ("POCL_MAX_PTHREAD_COUNT", "1".into())];
        request.env = variables.map(|(name, value)| (name.to_owned(), value)).to_vec();
        Ok(run(executable, &request)?)
    }
}

//! Building generated programs for the CPU runtime as fast as a C++ compiler allows.
//!
//! Compiling is what a campaign spends its time on. So the runtime is compiled once, its headers
//! and those of the standard library are precompiled once, and programs are compiled without
//! optimisation: they are well defined, so that must not matter.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use layoutc_runtime::lowering::{SiteId, lower};
use layoutc_runtime::process::{RunRequest, RunResult, run};
use tempfile::TempDir;

use super::sources::Sources;
use crate::process::run_limited;
use crate::repository_root;

/// How long a program may compile or run before that counts as a failure.
///
/// Generous, because many may be at work on one machine: programs run for milliseconds.
const LIMIT: Duration = Duration::from_secs(300);

/// What every program includes, in front of it.
const PRELUDE: &str = "#include \"layoutc_runtime.hpp\"\n#include <cstdio>\n#include <cstdlib>\n\
                       #include <cstring>\n#include <vector>\n";

/// As `layoutc verify` compiles, but for the optimisation, and with variables that are not
/// initialised full of something. A sample is optimised all the same, for what a rewrite
/// may promise to the compiler.
const FLAGS: [&str; 8] = [
    "-std=c++17",
    "-O0",
    "-w",
    "-fpermissive",
    "-fno-strict-aliasing",
    "-fwrapv",
    "-ffp-contract=off",
    "-ftrivial-auto-var-init=pattern",
];

/// A host compiler with everything that programs share.
#[derive(Debug)]
pub struct Toolchain {
    compiler: OsString,
    include: PathBuf,
    shared: TempDir,
}

impl Toolchain {
    /// Compiles what programs share.
    ///
    /// # Errors
    /// When the compiler is missing or does not accept the runtime.
    pub fn prepare() -> Result<Toolchain> {
        let compiler = env::var_os("CXX").filter(|name| !name.is_empty()).unwrap_or("g++".into());
        let runtime = repository_root().join("crates/layoutc-runtime");
        let this =
            Toolchain { compiler, include: runtime.join("include"), shared: tempfile::tempdir()? };
        fs::write(this.shared.path().join("prelude.hpp"), PRELUDE)?;
        let mut header = this.command();
        header.args(["-x", "c++-header", "prelude.hpp", "-o", "prelude.hpp.gch"]);
        this.succeed(header)?;
        let mut object = this.command();
        object.args(["-O2", "-c", "-o", "runtime.o"]).arg(runtime.join("runtime/runtime.cpp"));
        this.succeed(object)?;
        Ok(this)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.compiler);
        command.current_dir(self.shared.path()).args(FLAGS).arg("-I").arg(&self.include);
        command
    }

    fn succeed(&self, mut command: Command) -> Result<()> {
        let outcome = run_limited(&mut command, LIMIT)?;
        ensure!(outcome.succeeded(), "{}\n{}", outcome.ending(), outcome.stderr);
        Ok(())
    }

    /// Builds a CUDA program in a folder, as the executable `name`; the compiler's messages if it does not build.
    ///
    /// # Errors
    /// When the compiler cannot be run.
    pub fn build(
        &self,
        sources: &Sources,
        optimised: bool,
        folder: &Path,
        name: &str,
    ) -> Result<Result<PathBuf, String>> {
        let lowered = folder.join(format!("{name}.lowered"));
        fs::create_dir_all(&lowered)?;
        let mut first = 0;
        for file in &sources.0 {
            let path = lowered.join(file.name);
            let found = lower(&file.text, &[], SiteId(first));
            first += u32::try_from(found.sites.len())?;
            fs::write(&path, found.text).with_context(|| path.display().to_string())?;
        }
        let executable = folder.join(format!("{name}.out"));
        let mut command = self.command();
        // The precompiled header serves only what is compiled as it was.
        command.args(if optimised { ["-O2"] } else { ["-O0"] });
        command.args(["-include", "prelude.hpp", "-x", "c++"]);
        command.args(sources.roots().map(|name| lowered.join(name)));
        command
            .args(["-x", "none", "runtime.o", "-lm", "-lpthread", "-ldl", "-o"])
            .arg(&executable);
        let outcome = run_limited(&mut command, LIMIT)?;
        let said = || format!("{}\n{}", outcome.ending(), outcome.stderr);
        Ok(if outcome.succeeded() { Ok(executable) } else { Err(said()) })
    }

    /// Runs a built program with one argument.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn run(&self, executable: &Path, argument: usize) -> Result<RunResult> {
        let request =
            RunRequest { timeout: LIMIT, ..RunRequest::new(vec![argument.to_string().into()]) };
        Ok(run(executable, &request)?)
    }
}

//! The `layoutc` binary as a user runs it.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};

use crate::process::{Outcome, run_limited};
use crate::repository_root;

/// How long one `layoutc transform` may take before it counts as a hang.
pub const TRANSFORM_LIMIT: Duration = Duration::from_secs(60);

/// How long one `layoutc verify` may take: it compiles and runs a program twice.
pub const VERIFY_LIMIT: Duration = Duration::from_secs(300);

/// A built `layoutc`.
#[derive(Clone, Debug)]
pub struct Layoutc {
    program: PathBuf,
}

impl Layoutc {
    /// The binary of this workspace, built in the profile of the running executable.
    ///
    /// A test of one package cannot ask cargo for the binary of another, so it is built here, once
    /// per process; when it is up to date that takes a fraction of a second. `$LAYOUTC_BIN`
    /// names another binary to test.
    ///
    /// # Errors
    /// When it does not build; the message holds cargo's own.
    pub fn built() -> Result<Layoutc> {
        static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
        match BUILT.get_or_init(|| build().map_err(|error| format!("{error:#}"))) {
            Ok(program) => Ok(Layoutc { program: program.clone() }),
            Err(message) => Err(anyhow!("{message}")),
        }
    }

    /// Another program that takes the same arguments.
    #[must_use]
    pub fn at(program: PathBuf) -> Layoutc {
        Layoutc { program }
    }

    /// Where the binary is.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Runs `layoutc ARGUMENTS…` in a folder, without colour and with a limit of `limit`.
    ///
    /// # Errors
    /// When it cannot be started; a failing command is an [`Outcome`].
    pub fn run<A: AsRef<OsStr>>(
        &self,
        folder: &Path,
        limit: Duration,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<Outcome> {
        let mut command = Command::new(&self.program);
        command
            .current_dir(folder)
            .args(arguments)
            .env("NO_COLOR", "1")
            .env_remove("RUST_BACKTRACE");
        run_limited(&mut command, limit)
    }
}

fn build() -> Result<PathBuf> {
    if let Some(given) = env::var_os("LAYOUTC_BIN") {
        return Ok(given.into());
    }
    let profile_dir = profile_dir()?;
    let target_dir = profile_dir.parent().context("a profile folder lies in a target folder")?;
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .current_dir(repository_root())
        .args(["build", "--quiet", "--bin", "layoutc", "--package", "layoutc-cli"])
        // Its features of shared dependencies are those of the whole workspace: nothing is built twice.
        .args(["--package", "xtask", "--target-dir"])
        .arg(target_dir);
    if profile_dir.ends_with("release") {
        cargo.arg("--release");
    }
    let outcome = run_limited(&mut cargo, Duration::from_secs(1200))?;
    if !outcome.succeeded() {
        bail!("layoutc does not build: {}\n{}", outcome.ending(), outcome.stderr);
    }
    Ok(profile_dir.join(format!("layoutc{}", env::consts::EXE_SUFFIX)))
}

/// `target/debug` or `target/release`, from the path of the running executable: tests and benches
/// lie in its `deps`, xtask in the folder itself.
fn profile_dir() -> Result<PathBuf> {
    let executable = env::current_exe()?;
    let folder = executable.parent().context("an executable lies in a folder")?;
    Ok(if folder.ends_with("deps") { folder.parent().unwrap_or(folder) } else { folder }
        .to_path_buf())
}

//! Debian's packages, installed by an administrator who is asked nothing.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use layoutc_tests::nvcc::on_path;

/// A way to run apt-get as an administrator, without a question.
pub struct AptGet {
    command: &'static [&'static str],
}

/// No package may ask anything.
const ROOT: &[&str] = &["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"];

/// Behind `sudo`, which clears the environment.
const SUDO: &[&str] = &["sudo", "-n", "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"];

impl AptGet {
    /// Nothing where there is no apt-get, or where it cannot be run without a password.
    pub fn find() -> Option<AptGet> {
        on_path("apt-get")?;
        let user = Command::new("id").arg("-u").output().ok()?;
        if user.stdout.trim_ascii() == b"0" {
            return Some(AptGet { command: ROOT });
        }
        on_path("sudo")?;
        let status = Command::new("sudo")
            .args(["-n", "true"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        status.is_ok_and(|s| s.success()).then_some(AptGet { command: SUDO })
    }

    /// Whether all of these are installed now; what apt-get says is shown.
    ///
    /// # Errors
    /// When it cannot be run.
    pub fn install(&self, packages: &[&str]) -> Result<bool> {
        let mut arguments = vec!["install", "--yes", "--no-install-recommends"];
        arguments.extend(packages);
        // Lists are fetched only where the packages are not known, or no longer there in that version.
        Ok(self.run(&arguments)? || (self.run(&["update"])? && self.run(&arguments)?))
    }

    /// Whether it succeeded; what it says is shown.
    fn run(&self, arguments: &[&str]) -> Result<bool> {
        let [program, before @ ..] = self.command else {
            bail!("no command");
        };
        let status = Command::new(program)
            .args(before)
            .args(["-o", "Dpkg::Use-Pty=0", "-o", "DPkg::Lock::Timeout=120", "--quiet"])
            .args(arguments)
            .stdin(Stdio::null())
            .status()
            .context("cannot run apt-get")?;
        Ok(status.success())
    }
}

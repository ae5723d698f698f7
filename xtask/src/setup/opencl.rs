//! OpenCL for the tests: PoCL, the loader and the headers, from Debian's packages.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use layoutc_tests::nvcc::on_path;
use layoutc_tests::opencl::{DEBIAN_PACKAGES, find};

/// Installs OpenCL where a part is missing, and gives the devices.
///
/// # Errors
/// When it is missing and cannot be installed, with what to install by hand.
pub fn install() -> Result<Vec<String>> {
    let missing = match find() {
        Ok(found) => return Ok(found.devices),
        Err(error) => error,
    };
    let Some(apt) = apt_get() else {
        return Err(missing);
    };
    println!("installing OpenCL: {}", DEBIAN_PACKAGES.join(" "));
    // Lists are fetched only where the packages are not known, or no longer there in that version.
    if !apt.install()? {
        let updated = apt.run(&["update"])?;
        if !updated || !apt.install()? {
            bail!("apt-get could not install it, see above\n{missing:#}");
        }
    }
    Ok(find()?.devices)
}

/// A way to run apt-get as an administrator, without a question.
struct AptGet {
    command: &'static [&'static str],
}

/// No package may ask anything.
const ROOT: &[&str] = &["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"];

/// Behind `sudo`, which clears the environment.
const SUDO: &[&str] = &["sudo", "-n", "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"];

fn apt_get() -> Option<AptGet> {
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

impl AptGet {
    fn install(&self) -> Result<bool> {
        let mut arguments = vec!["install", "--yes", "--no-install-recommends"];
        arguments.extend(DEBIAN_PACKAGES);
        self.run(&arguments)
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

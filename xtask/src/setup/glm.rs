//! glm, which programs of the tests include, from Debian's package.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::apt::AptGet;

const DEBIAN_PACKAGE: &str = "libglm-dev";

/// Installs glm where the compiler does not find it.
///
/// # Errors
/// When it is missing and cannot be installed, with what to install by hand.
pub fn install(compiler: &Path) -> Result<()> {
    if is_found(compiler)? {
        return Ok(());
    }
    let by_hand = format!(
        "the headers of glm (glm/glm.hpp) are not installed\n  \
         Debian, Ubuntu: apt-get install {DEBIAN_PACKAGE}\n  Fedora: dnf install glm-devel\n  Arch: pacman -S glm"
    );
    let Some(apt) = AptGet::find() else { bail!(by_hand) };
    println!("installing glm: {DEBIAN_PACKAGE}");
    if !apt.install(&[DEBIAN_PACKAGE])? || !is_found(compiler)? {
        bail!("apt-get could not install it, see above\n{by_hand}");
    }
    Ok(())
}

fn is_found(compiler: &Path) -> Result<bool> {
    let status = Command::new(compiler)
        .args(["-x", "c++", "-E", "-include", "glm/glm.hpp", "-o", "/dev/null", "/dev/null"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .with_context(|| format!("cannot run {}", compiler.display()))?;
    Ok(status.success())
}

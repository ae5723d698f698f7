//! OpenCL for the tests: PoCL, the loader and the headers, from Debian's packages.

use anyhow::{Result, bail};
use layoutc_tests::opencl::{DEBIAN_PACKAGES, find};

use super::apt::AptGet;

/// Installs OpenCL where a part is missing, and gives the devices.
///
/// # Errors
/// When it is missing and cannot be installed, with what to install by hand.
pub fn install() -> Result<Vec<String>> {
    let missing = match find() {
        Ok(found) => return Ok(found.devices),
        Err(error) => error,
    };
    let Some(apt) = AptGet::find() else {
        return Err(missing);
    };
    println!("installing OpenCL: {}", DEBIAN_PACKAGES.join(" "));
    if !apt.install(&DEBIAN_PACKAGES)? {
        bail!("apt-get could not install it, see above\n{missing:#}");
    }
    Ok(find()?.devices)
}

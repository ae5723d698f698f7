//! Draws the picture of README.md.

use std::fs;

use anyhow::Result;
use layoutc_tests::{picture, repository_root};

/// Writes docs/strips.svg.
///
/// # Errors
/// The program that is drawn cannot be recorded, and files that cannot be written.
pub fn run() -> Result<()> {
    fs::write(repository_root().join("docs/strips.svg"), picture::memory_strips()?)?;
    Ok(())
}

//! Writes what is supported into its page.

use std::fs;

use anyhow::{Result, ensure};
use layoutc_tests::repository_root;
use layoutc_tests::supported::Supported;

/// Checks the list and writes it into docs/supported.md.
///
/// # Errors
/// A claim without a case, and files that cannot be read or written.
pub fn run() -> Result<()> {
    let root = repository_root();
    let supported = Supported::read(&root)?;
    let mistakes = supported.mistakes(&root)?;
    ensure!(mistakes.is_empty(), "testdata/supported.toml:\n{}", mistakes.join("\n"));
    fs::write(root.join("docs/supported.md"), supported.page(&root)?)?;
    Ok(())
}

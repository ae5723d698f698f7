//! Writes what is supported into the documents.

use std::fs;

use anyhow::{Context, Result, ensure};
use layoutc_tests::repository_root;
use layoutc_tests::supported::Supported;

/// Checks the list and writes it into README.md and docs/supported.md.
///
/// # Errors
/// A claim without a case, and files that cannot be read or written.
pub fn run() -> Result<()> {
    let root = repository_root();
    let supported = Supported::read(&root)?;
    let mistakes = supported.mistakes(&root)?;
    ensure!(mistakes.is_empty(), "testdata/supported.toml:\n{}", mistakes.join("\n"));
    let path = root.join("README.md");
    let readme = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    fs::write(&path, supported.in_readme(&readme)?)?;
    fs::write(root.join("docs/supported.md"), supported.page(&root)?)?;
    Ok(())
}

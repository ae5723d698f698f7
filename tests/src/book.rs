//! The book below `docs/`: its pages, their links, the commands on them, and the page of the diagnostic codes.
//!
//! `docs/SUMMARY.md` lists the pages, as mdBook reads it. What the pages show of the tool is made: [`commands`] runs
//! what stands in their blocks of `console`, and [`codes`] writes the page of the codes. The suite `documents` checks
//! that all of it is up to date; `cargo xtask book --record` brings it up to date.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

pub mod codes;
pub mod commands;
pub mod markdown;

/// The list of the pages.
pub const SUMMARY: &str = "SUMMARY.md";

/// The folder of the book's pages.
#[must_use]
pub fn folder(root: &Path) -> PathBuf {
    root.join("docs")
}

/// The pages that the summary lists, in its order, relative to the book's folder.
///
/// # Errors
/// The summary cannot be read.
pub fn pages(root: &Path) -> Result<Vec<String>> {
    let path = folder(root).join(SUMMARY);
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    Ok(markdown::links(&text).into_iter().map(|link| link.target).collect())
}

/// The text of a page.
///
/// # Errors
/// It cannot be read.
pub fn read(root: &Path, page: &str) -> Result<String> {
    let path = folder(root).join(page);
    fs::read_to_string(&path).with_context(|| path.display().to_string())
}

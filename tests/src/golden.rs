//! The golden gate: everything that `layoutc` writes and says about the project's own programs, as hashes, and for
//! some cases in full.
//!
//! A [`Case`] is one run of the tool: a fixture or a shipped program under one request. What it leaves behind has
//! three parts, hashed apart so that a change shows where it is: the files written, the messages, and the report.
//! `testdata/golden/hashes.txt` has a line for each case, `testdata/golden/full` the text of those in [`FULL`].
//!
//! A run happens in a folder of its own under relative paths, so that nothing in its outcome depends on the machine.

mod cases;
mod outcome;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rayon::prelude::*;

use crate::layoutc::Layoutc;
use crate::repository_root;

pub use cases::{Case, FULL, all};
pub use outcome::Outcome;

/// What all cases come to, by the names of the cases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Golden {
    /// The lines of `hashes.txt`.
    pub hashes: BTreeMap<String, String>,
    /// The files of `full`, by their names.
    pub full: BTreeMap<String, String>,
}

/// The folder of the recorded outcomes.
#[must_use]
pub fn folder() -> PathBuf {
    repository_root().join("testdata/golden")
}

/// Runs every case.
///
/// # Errors
/// When the cases cannot be read or the tool cannot be started, and when it panics or does not end.
pub fn run(layoutc: &Layoutc) -> Result<Golden> {
    let outcomes: Vec<(String, Outcome)> = all()?
        .into_par_iter()
        .map(|case| Ok((case.name.clone(), case.run(layoutc).context(case.name)?)))
        .collect::<Result<_>>()?;
    let mut golden = Golden::default();
    for (name, outcome) in outcomes {
        if FULL.contains(&name.as_str()) {
            golden.full.insert(file_name(&name), outcome.in_full());
        }
        golden.hashes.insert(name, outcome.hashes());
    }
    Ok(golden)
}

/// The file of a case that is kept in full: letters and digits of its name, and dashes.
fn file_name(case: &str) -> String {
    let mut name = String::new();
    for letter in case.chars() {
        if letter.is_ascii_alphanumeric() || letter == '_' {
            name.push(letter);
        } else if !name.ends_with('-') {
            name.push('-');
        }
    }
    format!("{}.txt", name.trim_end_matches('-'))
}

impl Golden {
    /// Reads what is recorded.
    ///
    /// # Errors
    /// When a file cannot be read or a line has no hashes.
    pub fn read(folder: &Path) -> Result<Golden> {
        let mut golden = Golden::default();
        for line in read(&folder.join("hashes.txt"))?.lines() {
            let (hashes, name) = line.split_once("  ").with_context(|| format!("`{line}`"))?;
            golden.hashes.insert(name.to_owned(), hashes.to_owned());
        }
        for entry in fs::read_dir(folder.join("full"))? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            golden.full.insert(name, read(&path)?);
        }
        Ok(golden)
    }

    /// Records it.
    ///
    /// # Errors
    /// When a file cannot be written or removed.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let full = folder.join("full");
        if full.is_dir() {
            fs::remove_dir_all(&full)?;
        }
        fs::create_dir_all(&full)?;
        let mut lines = String::new();
        for (name, hashes) in &self.hashes {
            let _ = writeln!(lines, "{hashes}  {name}");
        }
        fs::write(folder.join("hashes.txt"), lines)?;
        for (name, text) in &self.full {
            fs::write(full.join(name), text)?;
        }
        Ok(())
    }

    /// The cases that came to something else than `before`, a line each; empty if there is none.
    #[must_use]
    pub fn changes(&self, before: &Golden) -> Vec<String> {
        let mut changes = Vec::new();
        for (name, hashes) in &self.hashes {
            match before.hashes.get(name) {
                Some(old) if old == hashes => {}
                Some(old) => {
                    changes.push(format!("{name}: {}", outcome::parts_that_differ(old, hashes)))
                }
                None => changes.push(format!("{name}: new")),
            }
        }
        let gone = before.hashes.keys().filter(|name| !self.hashes.contains_key(*name));
        changes.extend(gone.map(|name| format!("{name}: gone")));
        let full = self.full.keys().chain(before.full.keys());
        let mut full: Vec<&String> =
            full.filter(|name| self.full.get(*name) != before.full.get(*name)).collect();
        full.sort();
        full.dedup();
        changes.extend(full.into_iter().map(|name| format!("full/{name}: other text")));
        changes
    }
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| path.display().to_string())
}

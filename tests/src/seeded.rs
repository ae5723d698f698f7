//! Seeded bugs: small mistakes put into the tool on purpose, each with the tests that must notice.
//!
//! `testdata/seeded_bugs/<name>.toml`:
//!
//! ```toml
//! breaks = "the mask of a tile slot is the tile size"   # what a user would see go wrong
//! file = "crates/layoutc-codegen/src/storage.rs"
//! find = "tile - 1)"                                    # must occur exactly once in the file
//! replace = "tile)"
//! package = "layoutc-tests"                             # where the catching tests are
//! target = "programs"                                   # a test target, or `lib` or `bins`
//! tests = ["nbody::tiled"]                              # all of them must fail
//! ```

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::repository_root;

/// One seeded bug.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeededBug {
    /// The name of its file.
    #[serde(skip)]
    pub name: String,
    /// What is wrong with it in.
    pub breaks: String,
    /// The source file, relative to the repository.
    pub file: String,
    /// The text that is replaced.
    pub find: String,
    /// What stands there then.
    pub replace: String,
    /// The package of the tests.
    pub package: String,
    /// The test target, or `lib` or `bins`.
    pub target: String,
    /// The full names of the tests.
    pub tests: Vec<String>,
}

impl SeededBug {
    /// All of them, by name.
    ///
    /// # Errors
    /// When a file cannot be read or has another form.
    pub fn read_all() -> Result<Vec<SeededBug>> {
        let folder = repository_root().join("testdata/seeded_bugs");
        let mut found = Vec::new();
        for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            let text = fs::read_to_string(&path)?;
            let mut bug: SeededBug =
                toml::from_str(&text).with_context(|| path.display().to_string())?;
            bug.name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            ensure!(!bug.tests.is_empty(), "{}: no test is named", bug.name);
            found.push(bug);
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }

    /// The text of the file below `root` with the bug in it.
    ///
    /// # Errors
    /// When the text to replace does not occur exactly once, or nothing would change.
    pub fn applied(&self, root: &Path) -> Result<String> {
        let text = fs::read_to_string(root.join(&self.file)).with_context(|| self.file.clone())?;
        let count = text.matches(&self.find).count();
        ensure!(count == 1, "{}: `{}` occurs {count} times in {}", self.name, self.find, self.file);
        ensure!(self.find != self.replace, "{}: nothing is replaced", self.name);
        Ok(text.replacen(&self.find, &self.replace, 1))
    }

    /// What follows `cargo test` to build the tests, and with `run` to run them alone.
    #[must_use]
    pub fn test_arguments(&self, run: bool) -> Vec<String> {
        let mut arguments = vec!["--package".to_owned(), self.package.clone()];
        match self.target.as_str() {
            "lib" | "bins" => arguments.push(format!("--{}", self.target)),
            target => arguments.extend(["--test".to_owned(), target.to_owned()]),
        }
        if run {
            arguments.extend(["--no-fail-fast", "--", "--exact"].map(str::to_owned));
            arguments.extend(self.tests.iter().cloned());
        } else {
            arguments.push("--no-run".to_owned());
        }
        arguments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seeded_bug_has_its_place() -> Result<()> {
        let bugs = SeededBug::read_all()?;
        ensure!(bugs.len() >= 20, "only {}", bugs.len());
        let wrong: Vec<String> = bugs
            .iter()
            .filter_map(|bug| bug.applied(&repository_root()).err())
            .map(|error| format!("{error:#}"))
            .collect();
        ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
        Ok(())
    }
}

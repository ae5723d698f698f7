//! The programs on the pages that `layoutc explain` prints.
//!
//! A page has at least one [`Change`]: `Before:` and `After:` on lines of their own, each followed by fenced blocks.
//! A block of code holds files. The line `// drift.cuh` begins the file of that name; without such a line the block
//! is `main.cu`. A block of `console` holds command lines behind `$ `, and parts of what they print.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};

/// What a page says to change.
#[derive(Clone, Debug)]
pub struct Change {
    /// What has the code.
    pub before: Version,
    /// What no longer has it.
    pub after: Version,
}

/// A program and how it is transformed.
#[derive(Clone, Debug, Default)]
pub struct Version {
    /// The files, by name.
    pub files: BTreeMap<String, String>,
    /// The command lines.
    pub commands: Vec<String>,
    /// Lines that the commands print.
    pub printed: Vec<String>,
}

/// The changes of a page, in order. Files that `After:` does not show are those of `Before:`: all of them if it shows
/// none, otherwise the headers.
///
/// # Errors
/// A fence that is never closed, code of an unknown language, and one of `Before:` and `After:` without the other.
pub fn changes(page: &str) -> Result<Vec<Change>> {
    let mut found: Vec<(Version, Option<Version>)> = Vec::new();
    let mut lines = page.lines();
    let mut in_change = false;
    while let Some(line) = lines.next() {
        let Some(language) = line.strip_prefix("```") else {
            if line == "Before:" {
                found.push((Version::default(), None));
            } else if line == "After:" {
                let (_, after) = found.last_mut().context("`After:` without `Before:`")?;
                *after = Some(Version::default());
            }
            in_change = matches!(line, "Before:" | "After:") || in_change && line.is_empty();
            continue;
        };
        let mut block = Vec::new();
        loop {
            let line = lines.next().context("a fence is not closed")?;
            if line == "```" {
                break;
            }
            block.push(line);
        }
        if let Some((before, after)) = found.last_mut().filter(|_| in_change) {
            after.as_mut().unwrap_or(before).add(language, &block)?;
        }
    }
    found.into_iter().map(|(before, after)| change(before, after)).collect()
}

fn change(before: Version, after: Option<Version>) -> Result<Change> {
    let mut after = after.context("`Before:` without `After:`")?;
    let shows_none = after.files.is_empty();
    for (name, text) in before.files.iter().filter(|(name, _)| shows_none || !is_compiled(name)) {
        after.files.entry(name.clone()).or_insert_with(|| text.clone());
    }
    Ok(Change { before, after })
}

/// Whether a file is named on the command line, rather than included or loaded.
#[must_use]
pub fn is_compiled(name: &str) -> bool {
    [".cu", ".c", ".cpp"].iter().any(|extension| name.ends_with(extension))
}

impl Version {
    fn add(&mut self, language: &str, block: &[&str]) -> Result<()> {
        if language == "console" {
            for line in block {
                match line.strip_prefix("$ ") {
                    Some(command) => self.commands.push(command.to_owned()),
                    None => self.printed.push((*line).to_owned()),
                }
            }
            return Ok(());
        }
        ensure!(matches!(language, "cuda" | "c"), "code of the language `{language}`");
        let mut name = "main.cu";
        for line in block {
            if let Some(begun) = line.strip_prefix("// ").filter(|rest| is_file_name(rest)) {
                name = begun;
                continue;
            }
            let text = self.files.entry(name.to_owned()).or_default();
            text.push_str(line);
            text.push('\n');
        }
        Ok(())
    }
}

fn is_file_name(text: &str) -> bool {
    let is_source = |extension| matches!(extension, "cu" | "cuh" | "h" | "c" | "cpp" | "cl");
    !text.contains(' ') && text.rsplit_once('.').is_some_and(|(_, extension)| is_source(extension))
}

//! What a run leaves behind.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sha2::{Digest, Sha256};

/// The parts of an outcome, in the order of their hashes.
const PARTS: [&str; 3] = ["files", "messages", "report"];

/// What one run of the tool wrote and said.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The command, without the program.
    pub command: String,
    /// The exit code.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The report, if one was asked for and written.
    pub report: Option<Vec<u8>>,
    /// The files written, by name.
    pub files: BTreeMap<String, Vec<u8>>,
    /// The files as they were, by name.
    pub sources: BTreeMap<String, Vec<u8>>,
}

impl Outcome {
    /// A hash for each part.
    #[must_use]
    pub fn hashes(&self) -> String {
        let mut files = Sha256::new();
        for (name, bytes) in &self.files {
            files.update(format!("{name}\n{}\n", bytes.len()));
            files.update(bytes);
        }
        let messages = format!("{}\n{}\n{}", self.code, self.stdout, self.stderr);
        let report = self.report.as_deref().unwrap_or_default();
        let hashes = [files, Sha256::new_with_prefix(messages), Sha256::new_with_prefix(report)];
        hashes.map(|hash| short(&hash.finalize())).join(" ")
    }

    /// The messages and the files that changed.
    #[must_use]
    pub fn in_full(&self) -> String {
        let mut text = format!("$ layoutc {}\nexit code {}\n", self.command, self.code);
        let is_changed =
            |(name, bytes): &(&String, &Vec<u8>)| self.sources.get(*name) != Some(*bytes);
        let printed = [("stdout", &self.stdout), ("stderr", &self.stderr)];
        for (name, words) in printed.into_iter().filter(|(_, words)| !words.is_empty()) {
            section(&mut text, name, words);
        }
        for (name, bytes) in self.files.iter().filter(is_changed) {
            section(&mut text, name, &String::from_utf8_lossy(bytes));
        }
        text
    }

    /// The same with the report.
    #[must_use]
    pub fn with_report(&self) -> String {
        let mut text = self.in_full();
        if let Some(report) = &self.report {
            section(&mut text, "report", &String::from_utf8_lossy(report));
        }
        text
    }
}

fn section(text: &mut String, name: &str, content: &str) {
    let _ = writeln!(text, "\n======== {name}");
    text.push_str(content);
    if !content.ends_with('\n') {
        text.push('\n');
    }
}

/// The first eight bytes of a hash.
fn short(hash: &[u8]) -> String {
    hash.iter().take(8).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The names of the parts whose hashes differ.
pub(super) fn parts_that_differ(before: &str, after: &str) -> String {
    let pairs = PARTS.into_iter().zip(before.split(' ').zip(after.split(' ')));
    let differ = pairs.filter(|(_, (before, after))| before != after).map(|(part, _)| part);
    differ.collect::<Vec<_>>().join(", ")
}

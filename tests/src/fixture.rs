//! Fixtures: one program in one file, with options and expectations written into its comments.
//!
//! ```cuda
//! //@ layout = "P = soa"                  options: TOML, in the first lines
//! struct P { float x; };
//! void f(P *p) { write(p); } //~ LC0010 not part of the program
//! //- other.cu                            the text from here on is another file of the program
//! ```
//!
//! `//~ CODE words` expects a message with that code and those words on its line; a second `//~`
//! on the line expects a second message.

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The options of a fixture.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// The layout asked for.
    pub layout: Option<String>,
    /// Several: of a rewrite, one run for each; of a refusal, all of them in one run.
    #[serde(default)]
    pub layouts: Vec<String>,
    /// Record types or arrays that must change.
    #[serde(default)]
    pub require: Vec<String>,
    /// What follows `--host`: `native`.
    #[serde(default)]
    pub host: HostLayout,
    /// Codes of errors that have no place in the source.
    #[serde(default)]
    pub errors: Vec<String>,
    /// What is wrong with the result today; the case must fail until it is mended.
    pub known_bug: Option<String>,
}

/// What a fixture asks for its host arrays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HostLayout {
    /// Copies convert.
    #[default]
    Convert,
    /// They get the layout of the device's arrays.
    Native,
}

/// A message that a fixture expects.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// The file's name.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// `LC0012`.
    pub code: String,
    /// What the message must contain; may be empty.
    pub words: String,
}

/// What begins a marker: `//~ LC0012 words` is about its line, `//~^ …` about the one above, `//~^^ …` about the
/// one above that.
const MARKER: &str = "//~";

/// The files in the folders of a folder, in order.
///
/// # Errors
/// An unreadable folder, and a file that lies in no topic.
pub fn files_by_topic(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = |folder: &Path| -> Result<Vec<PathBuf>> {
        let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
        entries.map(|entry| Ok(entry?.path())).collect()
    };
    let mut files = Vec::new();
    for topic in entries(folder)? {
        ensure!(topic.is_dir(), "{} lies in no topic", topic.display());
        files.extend(entries(&topic)?);
    }
    files.sort();
    Ok(files)
}

/// Whether a file is a case, rather than what belongs to one.
#[must_use]
pub fn is_case(path: &Path) -> bool {
    path.extension().is_some_and(|own| own == "cu" || own == "c" || own == "cpp")
}

/// The files of all cases below `testdata`, by their names without topics: `refusals/offset_of`.
///
/// # Errors
/// An unreadable folder.
pub fn cases(testdata: &Path) -> Result<BTreeMap<String, PathBuf>> {
    let mut found = BTreeMap::new();
    for folder in ["rewrites", "refusals"] {
        for path in files_by_topic(&testdata.join(folder))?.into_iter().filter(|path| is_case(path))
        {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            found.insert(format!("{folder}/{name}"), path);
        }
    }
    Ok(found)
}

/// A fixture.
#[derive(Clone, Debug)]
pub struct Fixture {
    /// The file's name without `.cu`, `.c` or `.cpp`.
    pub name: String,
    /// Where it lies.
    pub path: PathBuf,
    /// The options.
    pub options: Options,
    /// The program's files, by name; the first is the fixture's own.
    pub files: Vec<(String, String)>,
    /// The expected messages, in order.
    pub expectations: Vec<Expectation>,
}

impl Fixture {
    /// Reads one fixture.
    ///
    /// # Errors
    /// Unreadable files, options that are not valid TOML, and expectations without a code.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let options: String = text
            .lines()
            .filter_map(|line| line.strip_prefix("//@ "))
            .flat_map(|line| [line, "\n"])
            .collect();
        let options = toml::from_str(&options).with_context(|| path.display().to_string())?;
        let own = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut files = vec![(own, String::new())];
        for line in text.split_inclusive('\n') {
            if let Some(other) = line.strip_prefix("//- ") {
                files.push((other.trim().to_owned(), String::new()));
            } else if let Some((_, text)) = files.last_mut() {
                text.push_str(line);
            }
        }
        let mut expectations = Vec::new();
        for (file, text) in &files {
            for (at, line) in text.lines().enumerate() {
                for marker in line.split(MARKER).skip(1) {
                    let above = marker.len() - marker.trim_start_matches('^').len();
                    let marker = marker[above..].trim();
                    let (code, words) = marker.split_once(' ').unwrap_or((marker, ""));
                    let is_marker = code.starts_with("LC") && above <= at;
                    ensure!(is_marker, "{}: `{marker}`", path.display());
                    expectations.push(Expectation {
                        file: file.clone(),
                        line: at + 1 - above,
                        code: code.to_owned(),
                        words: words.trim().to_owned(),
                    });
                }
            }
        }
        Ok(Fixture { name, path: path.to_owned(), options, files, expectations })
    }

    /// All fixtures of a folder, by name. They lie in folders by topic; a name stands for one case, whatever its topic.
    ///
    /// # Errors
    /// As [`Fixture::read`], an unreadable or empty folder, and two cases of one name.
    pub fn read_all(folder: &Path) -> Result<Vec<Self>> {
        let mut found: BTreeMap<String, PathBuf> = BTreeMap::new();
        for path in files_by_topic(folder)?.into_iter().filter(|path| is_case(path)) {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if let Some(other) = found.insert(name, path) {
                bail!("{}: another topic has a case of this name", other.display());
            }
        }
        ensure!(!found.is_empty(), "{} holds no fixtures", folder.display());
        found.values().map(|path| Fixture::read(path)).collect()
    }

    /// The fixture's text with these messages, each of a file, a line from 1, a code and words, as its markers.
    ///
    /// # Errors
    /// An unreadable file.
    pub fn with_markers(
        &self,
        messages: &BTreeSet<(String, usize, String, String)>,
    ) -> Result<String> {
        let source = std::fs::read_to_string(&self.path)?;
        let mut file = self.files[0].0.clone();
        let mut text = String::new();
        let mut number = 0;
        // Markers of lines that cannot have a comment: they go on behind their end, or are a generated one.
        let mut waiting: Vec<(usize, &str, &str)> = Vec::new();
        for line in source.lines() {
            if let Some(other) = line.strip_prefix("//- ") {
                file = other.trim().to_owned();
                number = 0;
                let _ = writeln!(text, "{line}");
                continue;
            }
            number += 1;
            let plain = line.split(MARKER).next().unwrap_or_default().trim_end();
            // A line that only had markers of lines above.
            if plain.is_empty() && line.contains(MARKER) {
                number -= 1;
                continue;
            }
            text.push_str(plain);
            let own = messages.iter().filter(|(of, at, ..)| *of == file && *at == number);
            waiting.extend(own.map(|(_, at, code, words)| (*at, code.as_str(), words.as_str())));
            if !plain.ends_with('\\') && !plain.starts_with("// layoutc:") {
                for (at, code, words) in waiting.drain(..) {
                    let _ = write!(text, " {MARKER}{} {code} {words}", "^".repeat(number - at));
                }
            }
            text.push('\n');
        }
        Ok(text)
    }

    /// The layouts, as [`Options`] says.
    #[must_use]
    pub fn layouts(&self) -> Vec<String> {
        self.options.layout.iter().chain(&self.options.layouts).cloned().collect()
    }
}

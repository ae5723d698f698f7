//! Results as lines of JSON: what was measured is not measured again.

use serde::{Deserialize, Serialize};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What was measured of a candidate.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// A hash of the texts, and of how they are built and run.
    pub id: String,
    /// The candidate's name.
    pub candidate: String,
    /// Its layouts, as `--layout` takes them.
    pub layouts: Vec<String>,
    /// What the values are: `seconds`, `simulated`, or the text in front of a figure.
    pub measure: String,
    /// One for each run.
    pub values: Vec<f64>,
    /// Why there is no value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

impl Measured {
    /// The median.
    pub fn median(&self) -> Option<f64> {
        let mut sorted = self.values.clone();
        sorted.sort_by(f64::total_cmp);
        let (low, high) =
            (sorted.get((sorted.len().max(1) - 1) / 2)?, sorted.get(sorted.len() / 2)?);
        Some(f64::midpoint(*low, *high))
    }

    /// The largest value less the smallest, against the median.
    pub fn spread(&self) -> Option<f64> {
        let [least, most] = [f64::min, f64::max].map(|of| self.values.iter().copied().reduce(of));
        Some((most? - least?) / self.median().filter(|median| *median > 0.0)?)
    }
}

/// The file.
pub struct Results {
    path: PathBuf,
    known: Vec<Measured>,
    /// Where the last line begins, if a command that was stopped left only a part of it.
    torn: Option<u64>,
}

impl Results {
    /// Reads the file, if there is one.
    ///
    /// # Errors
    /// A line of it is no result.
    pub fn read(path: &Path) -> Result<Results, String> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(format!("cannot read {}: {error}", path.display())),
        };
        let mut known = Vec::new();
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let torn = (whole < text.len()).then_some(whole as u64);
        for (number, line) in (1..).zip(text[..whole].lines()) {
            if line.trim().is_empty() {
                continue;
            }
            match serde_json::from_str(line) {
                Ok(own) => known.push(own),
                Err(error) => {
                    return Err(format!(
                        "{}:{number}: this is no result of `layoutc tune`: {error}; --results names another file",
                        path.display()
                    ));
                }
            }
        }
        Ok(Results { path: path.to_path_buf(), known, torn })
    }

    /// What is known; what failed may succeed the next time.
    pub fn known(&self, id: &str) -> Option<&Measured> {
        self.known.iter().rev().find(|own| own.id == id && own.failed.is_none())
    }

    /// Appends a result.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&mut self, own: &Measured) -> Result<(), String> {
        let failed = |error: io::Error| format!("cannot write {}: {error}", self.path.display());
        let line = serde_json::to_string(own).map_err(|error| failed(error.into()))?;
        let mut file =
            OpenOptions::new().create(true).append(true).open(&self.path).map_err(failed)?;
        if let Some(torn) = self.torn.take() {
            file.set_len(torn).map_err(failed)?;
        }
        // One write: two commands may share the file.
        file.write_all(format!("{line}\n").as_bytes()).map_err(failed)?;
        self.known.push(own.clone());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(id: &str, values: &[f64]) -> Measured {
        Measured {
            id: id.to_owned(),
            candidate: "soa".to_owned(),
            layouts: vec!["P = soa".to_owned()],
            measure: "seconds".to_owned(),
            values: values.to_vec(),
            failed: values.is_empty().then(|| "it does not build".to_owned()),
        }
    }

    #[test]
    fn medians_and_spreads() {
        let of = |values: &[f64]| measured("", values);
        assert_eq!(of(&[3.0, 1.0, 2.0]).median(), Some(2.0));
        assert_eq!(of(&[4.0, 1.0]).median(), Some(2.5));
        assert_eq!((of(&[]).median(), of(&[]).spread()), (None, None));
        assert_eq!(of(&[3.0, 1.0, 2.0]).spread(), Some(1.0));
    }

    #[test]
    fn a_file_goes_on_behind_a_line_that_was_torn() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("results");
        let mut results = Results::read(&path).expect("no file");
        results.add(&measured("a", &[1.0])).expect("written");
        results.add(&measured("b", &[])).expect("written");
        let text = fs::read_to_string(&path).expect("written");
        fs::write(&path, format!("{text}{{\"id\": \"c")).expect("written");
        let mut results = Results::read(&path).expect("the last line does not count");
        assert_eq!(results.known("a"), Some(&measured("a", &[1.0])));
        assert_eq!(results.known("b"), None);
        results.add(&measured("c", &[2.0])).expect("written");
        let again = Results::read(&path).expect("nothing is torn");
        assert_eq!(again.known("c"), Some(&measured("c", &[2.0])));
        fs::write(&path, format!("{text}[]\n")).expect("written");
        let error = Results::read(&path).map(|_| ()).expect_err("a line is no result");
        assert!(error.contains(":3: this is no result"), "{error}");
    }
}

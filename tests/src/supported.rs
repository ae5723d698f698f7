//! `testdata/supported.toml`: what is rewritten and what is kept, with the cases that show it.
//!
//! docs/supported.md is written from it, so that it claims nothing that no case shows.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::fixture::{self, Fixture};
use crate::opencl;
use crate::program::{self, Program};

/// The whole file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Supported {
    /// The areas, in the order of the lists.
    pub area: Vec<Area>,
}

/// One area of what programs do.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Area {
    /// Its name.
    pub name: String,
    /// What is rewritten.
    #[serde(default)]
    pub rewritten: Vec<Rewritten>,
    /// What keeps the layout.
    #[serde(default)]
    pub kept: Vec<Kept>,
}

/// Something that is rewritten.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rewritten {
    /// In words, as Markdown.
    pub what: String,
    /// `programs/NAME` or `rewrites/NAME`.
    pub cases: Vec<String>,
}

/// Something that keeps the layout.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// In words, as Markdown.
    pub what: String,
    /// The code that the user is told.
    pub code: String,
    /// `refusals/NAME`, or `programs/NAME` of a program that is kept for it.
    pub cases: Vec<String>,
}

impl Supported {
    /// Reads the file.
    ///
    /// # Errors
    /// It cannot be read, or does not have this form.
    pub fn read(root: &Path) -> Result<Self> {
        let path = root.join("testdata/supported.toml");
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        toml::from_str(&text).with_context(|| path.display().to_string())
    }

    /// What of it no case shows: empty if all is well.
    ///
    /// # Errors
    /// The cases cannot be read.
    pub fn mistakes(&self, root: &Path) -> Result<Vec<String>> {
        let mut mistakes = Vec::new();
        let testdata = root.join("testdata");
        let names = program::names()?.into_iter().chain(opencl::names()?);
        let programs: Vec<Program> =
            names.map(|name| Program::load(&name)).collect::<Result<_>>()?;
        let refusals = Fixture::read_all(&testdata.join("refusals"))?;
        let files = fixture::cases(&testdata)?;
        let mut named: BTreeSet<&str> = BTreeSet::new();
        for entry in self.area.iter().flat_map(|area| &area.rewritten) {
            for case in &entry.cases {
                named.insert(case);
                let is_there = match case.split_once('/') {
                    Some(("programs", name)) => programs
                        .iter()
                        .any(|program| program.name == name && program.kept.is_none()),
                    Some(("rewrites", _)) => {
                        files.get(case).is_some_and(|file| file.with_extension("diff").is_file())
                    }
                    _ => false,
                };
                if !is_there {
                    mistakes.push(format!("`{case}` is no case of something rewritten"));
                }
            }
            if entry.cases.is_empty() {
                mistakes.push(format!("no case shows: {}", entry.what));
            }
        }
        let mut codes: BTreeSet<&str> = BTreeSet::new();
        for entry in self.area.iter().flat_map(|area| &area.kept) {
            codes.insert(&entry.code);
            for case in &entry.cases {
                named.insert(case);
                let answers = match case.split_once('/') {
                    Some(("refusals", name)) => refusals.iter().any(|fixture| {
                        fixture.name == name
                            && fixture.expectations.iter().any(|found| found.code == entry.code)
                    }),
                    Some(("programs", name)) => programs.iter().any(|program| {
                        program.name == name && program.kept.as_ref() == Some(&entry.code)
                    }),
                    _ => false,
                };
                if !answers {
                    mistakes.push(format!("`{case}` is no case that answers {}", entry.code));
                }
            }
            if entry.cases.is_empty() {
                mistakes.push(format!("no case shows: {}", entry.what));
            }
        }
        for program in &programs {
            let case = format!("programs/{}", program.name);
            if program.name.contains("idiom_") && !named.contains(case.as_str()) {
                mistakes.push(format!("`{case}` is not in the list"));
            }
        }
        // What a program does, not what a user asks for: that begins at LC0040. From LC0070 on it is OpenCL.
        let is_of_program = |code: &str| !("LC0040".."LC0070").contains(&code);
        let reasons = refusals.iter().flat_map(|fixture| &fixture.expectations);
        for reason in reasons.filter(|reason| is_of_program(&reason.code)) {
            if codes.insert(&reason.code) {
                mistakes.push(format!("nothing in the list answers {}", reason.code));
            }
        }
        Ok(mistakes)
    }

    /// docs/supported.md.
    ///
    /// The repository's root tells where a case lies.
    ///
    /// # Errors
    /// The cases cannot be found.
    pub fn page(&self, root: &Path) -> Result<String> {
        let files = fixture::cases(&root.join("testdata"))?;
        let mut out = "# What is rewritten and what is kept\n\n\
            Written by `cargo xtask supported` from `testdata/supported.toml`; the suite `supported` checks it. \
            Cases are below `testdata/`: programs run before and after in four layouts, rewrites have a recorded \
            diff, refusals a marked reason.\n"
            .to_owned();
        let links = |cases: &[String]| {
            let link = |case: &String| {
                let name = case.split('/').next_back().unwrap_or(case);
                match files.get(case).and_then(|file| file.strip_prefix(root).ok()) {
                    Some(file) => format!("[{name}](../{})", file.display()),
                    None => format!("[{name}](../testdata/{case})"),
                }
            };
            cases.iter().map(link).collect::<Vec<_>>().join(", ")
        };
        for area in &self.area {
            let _ =
                writeln!(out, "\n## {}\n\n| what | answer | shown by |\n|---|---|---|", area.name);
            for entry in &area.rewritten {
                let _ = writeln!(out, "| {} | rewritten | {} |", entry.what, links(&entry.cases));
            }
            for entry in &area.kept {
                let cases = links(&entry.cases);
                let _ = writeln!(out, "| {} | kept, {} | {cases} |", entry.what, entry.code);
            }
        }
        Ok(out)
    }
}

//! Runs a case and says how it fails.
//!
//! A case holds if
//!
//! - `transform` ends with exit code 0, and without a panic;
//! - the rewritten program compiles and, for every element count, prints the same and ends the same way;
//! - the layout that the source has already changes no byte;
//! - transforming the result again changes nothing, or is refused with exit code 1 (for layouts by type);
//! - a comment between declarations and other names for everything change nothing but themselves;
//! - nvcc compiles the original and the rewritten program without a warning.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use layoutc_runtime::process::RunStatus;
use serde_json::Value;

use super::layouts::Layouts;
use super::program::{RandomProgram, UnitFacts};
use super::sources::Sources;
use super::text::Symbol;
use super::toolchain::Toolchain;
use crate::layoutc::{Layoutc, TRANSFORM_LIMIT};
use crate::nvcc::Nvcc;

/// The ways in which a case fails.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FailureKind {
    /// The original does not build or run: the generator is wrong, or the CPU runtime.
    Original,
    /// `transform` panics, hangs or does not end with 0.
    Tool,
    /// The rewritten program does not compile.
    Compile,
    /// It does something else.
    Different,
    /// nvcc does not compile it.
    Nvcc,
    /// The source's own layout changes the text.
    Identity,
    /// A second run changes the text again.
    Twice,
    /// Comments or other names change what becomes of the program.
    Renamed,
}

impl fmt::Display for FailureKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            FailureKind::Original => "original program does not run",
            FailureKind::Tool => "transform fails",
            FailureKind::Compile => "output does not compile",
            FailureKind::Different => "output behaves differently",
            FailureKind::Nvcc => "nvcc refuses output",
            FailureKind::Identity => "identity layout changes text",
            FailureKind::Twice => "second transform changes text",
            FailureKind::Renamed => "comments or names matter",
        })
    }
}

/// A failed case.
#[derive(Clone, Debug)]
pub struct Failure {
    /// How it fails.
    pub kind: FailureKind,
    /// A line that is equal for failures of one cause, as far as that can be said.
    pub cause: String,
    /// All that was said.
    pub message: String,
}

impl Failure {
    /// Whether nvcc only warned.
    #[must_use]
    pub fn is_warning(&self) -> bool {
        self.cause.starts_with("error #")
    }
}

/// What became of the arrays of one struct.
#[derive(Clone, Debug)]
pub struct ClassResult {
    /// The struct.
    pub record: Option<Symbol>,
    /// Whether it changed.
    pub changed: bool,
    /// The codes of the reasons if it did not.
    pub codes: Vec<String>,
    /// The first reason's message.
    pub reason: String,
}

/// What happens to each case.
#[derive(Clone, Copy, Debug, Default)]
pub struct Checks {
    /// Compile with nvcc too.
    pub nvcc: bool,
    /// A warning of nvcc is no failure: what is left of a program while it is reduced has some.
    pub lenient: bool,
    /// Compile the rewritten program with optimisation.
    pub optimised: bool,
}

/// The tools that cases are run with.
#[derive(Debug)]
pub struct Runner {
    toolchain: Toolchain,
    layoutc: Layoutc,
    nvcc: Option<Nvcc>,
}

/// The original program, built and run.
#[derive(Debug)]
pub struct Original {
    folder: PathBuf,
    sources: Sources,
    outputs: BTreeMap<usize, (RunStatus, Vec<u8>)>,
}

/// A rewritten program.
struct Rewritten {
    sources: Sources,
    classes: Vec<ClassResult>,
}

impl Runner {
    /// Prepares the tools; nvcc only if it is asked for.
    ///
    /// # Errors
    /// When one is missing.
    pub fn new(layoutc: Layoutc, with_nvcc: bool) -> Result<Runner> {
        Ok(Runner {
            toolchain: Toolchain::prepare()?,
            layoutc,
            nvcc: with_nvcc.then(Nvcc::find).transpose()?,
        })
    }

    /// Builds and runs the original program in a folder.
    ///
    /// # Errors
    /// When a tool cannot be run.
    pub fn original(
        &self,
        program: &RandomProgram,
        folder: &Path,
    ) -> Result<Result<Original, Failure>> {
        let sources = program.sources();
        sources.write(&folder.join("before"))?;
        let executable = match self.toolchain.build(&sources, false, folder, "before")? {
            Ok(executable) => executable,
            Err(messages) => return Ok(Err(failure(FailureKind::Original, &messages))),
        };
        let mut outputs = BTreeMap::new();
        for n in &program.runs {
            let result = self.toolchain.run(&executable, *n)?;
            if result.status != RunStatus::Exited(0) {
                let said = String::from_utf8_lossy(&result.stderr);
                let message = format!("{:?} for n = {n}\n{said}", result.status);
                return Ok(Err(failure(FailureKind::Original, &message)));
            }
            outputs.insert(*n, (result.status, result.stdout));
        }
        Ok(Ok(Original { folder: folder.to_path_buf(), sources, outputs }))
    }

    /// The original program, neither built nor run: enough for what the text shows.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn unchecked(&self, program: &RandomProgram, folder: &Path) -> Result<Original> {
        let sources = program.sources();
        sources.write(&folder.join("before"))?;
        Ok(Original { folder: folder.to_path_buf(), sources, outputs: BTreeMap::new() })
    }

    /// Transforms, builds, runs and compares.
    ///
    /// # Errors
    /// When a tool cannot be run.
    pub fn case(
        &self,
        program: &RandomProgram,
        original: &Original,
        layouts: &Layouts,
        checks: Checks,
    ) -> Result<Result<Vec<ClassResult>, Failure>> {
        let (folder, sources) = (&original.folder, &original.sources);
        let (from, to) = (folder.join("before"), folder.join("after"));
        let rewritten = match self.transform(program, layouts, sources, &from, &to)? {
            Ok(rewritten) => rewritten,
            Err(failure) => return Ok(Err(failure)),
        };
        if !rewritten.classes.iter().any(|class| class.changed) {
            return Ok(Ok(rewritten.classes));
        }
        let executable =
            match self.toolchain.build(&rewritten.sources, checks.optimised, folder, "after")? {
                Ok(executable) => executable,
                Err(messages) => return Ok(Err(failure(FailureKind::Compile, &messages))),
            };
        for (n, (status, expected)) in &original.outputs {
            let result = self.toolchain.run(&executable, *n)?;
            if result.status != *status || result.stdout != *expected {
                let message = difference(
                    *n,
                    *status,
                    expected,
                    &result.status,
                    &result.stdout,
                    &result.stderr,
                );
                return Ok(Err(failure(FailureKind::Different, &message)));
            }
        }
        // The name of an array stays, so that to ask for it again is to ask for more.
        if layouts.kind != "arrays"
            && let Some(failure) = self.again(layouts, program, folder, &rewritten)?
        {
            return Ok(Err(failure));
        }
        if checks.nvcc
            && let Some(failure) = self.nvcc(original, !checks.lenient)?
        {
            return Ok(Err(failure));
        }
        Ok(Ok(rewritten.classes))
    }

    /// Transforms the files of one folder into another.
    fn transform(
        &self,
        program: &RandomProgram,
        layouts: &Layouts,
        sources: &Sources,
        from: &Path,
        to: &Path,
    ) -> Result<Result<Rewritten, Failure>> {
        let options = options(program, layouts, sources, to);
        let outcome = self.layoutc.run(from, TRANSFORM_LIMIT, options)?;
        // Two layouts for arrays that are one class are the user's mistake, and said to be one.
        let disagree = layouts.kind == "arrays" && outcome.stderr.contains("error[LC0021]");
        if outcome.code() == Some(1) && disagree {
            return Ok(Ok(Rewritten { sources: sources.clone(), classes: Vec::new() }));
        }
        if !outcome.succeeded() {
            let message = format!("{}\n{}", outcome.ending(), outcome.stderr);
            return Ok(Err(failure(FailureKind::Tool, &message)));
        }
        let sources = sources.read_again(to).context("transform wrote too little")?;
        let report: Value = serde_json::from_slice(&fs::read(report_of(to))?)?;
        Ok(Ok(Rewritten { sources, classes: classes(program, &report) }))
    }

    /// A second run on the result.
    fn again(
        &self,
        layouts: &Layouts,
        program: &RandomProgram,
        folder: &Path,
        rewritten: &Rewritten,
    ) -> Result<Option<Failure>> {
        let (from, to) = (folder.join("after"), folder.join("twice"));
        let options = options(program, layouts, &rewritten.sources, &to);
        let outcome = self.layoutc.run(&from, TRANSFORM_LIMIT, options)?;
        match outcome.code() {
            Some(1) => Ok(None),
            Some(0) => {
                let same = rewritten.sources.read_again(&to)? == rewritten.sources;
                let message = || format!("the second run changed the text\n{}", outcome.stderr);
                Ok((!same).then(|| failure(FailureKind::Twice, &message())))
            }
            _ => {
                let message = format!("second run: {}\n{}", outcome.ending(), outcome.stderr);
                Ok(Some(failure(FailureKind::Tool, &message)))
            }
        }
    }

    /// The checks that need no compiler: the identity, comments and names.
    ///
    /// # Errors
    /// When a tool cannot be run.
    pub fn metamorphic(
        &self,
        program: &RandomProgram,
        original: &Original,
        layouts: &Layouts,
    ) -> Result<Option<Failure>> {
        let folder = &original.folder;
        let identity = Layouts::identity(program);
        let (from, sources) = (folder.join("before"), &original.sources);
        match self.transform(program, &identity, sources, &from, &folder.join("same"))? {
            Err(failure) => return Ok(Some(failure)),
            Ok(same) if same.sources != *sources => {
                return Ok(Some(failure(FailureKind::Identity, "the text changed")));
            }
            Ok(_) => {}
        }
        let plain = match self.transform(program, layouts, sources, &from, &folder.join("plain"))? {
            Ok(plain) => plain,
            Err(failure) => return Ok(Some(failure)),
        };
        let commented = sources.map(with_comments);
        let (from, to) = (folder.join("commented"), folder.join("commented-after"));
        commented.write(&from)?;
        match self.transform(program, layouts, &commented, &from, &to)? {
            Err(failure) => return Ok(Some(failure)),
            Ok(found) if found.sources.map(without_comments) != plain.sources => {
                return Ok(Some(failure(FailureKind::Renamed, "comments change the result")));
            }
            Ok(_) => {}
        }
        let renamed = renamed(program);
        let (from, to) = (folder.join("renamed"), folder.join("renamed-after"));
        let sources = renamed.sources();
        sources.write(&from)?;
        match self.transform(&renamed, layouts, &sources, &from, &to)? {
            Err(failure) => Ok(Some(failure)),
            Ok(found) => {
                // Text outside of the model is judged by its words: with these names it may mean an
                // array that it does not mean with others.
                let by_words =
                    |class: &ClassResult| BY_WORDS.iter().any(|words| class.reason.contains(words));
                let pairs = || plain.classes.iter().zip(&found.classes);
                let differ = plain.classes.len() != found.classes.len()
                    || pairs().any(|(one, other)| {
                        one.record != other.record
                            || (one.changed != other.changed && !by_words(one))
                    });
                let message = || {
                    let changes = pairs().filter(|(one, other)| one.changed != other.changed);
                    let reasons =
                        changes.map(|(one, other)| format!("{} / {}", one.reason, other.reason));
                    let reasons: Vec<String> = reasons.collect();
                    format!("other names, other classes: {}", reasons.join("; "))
                };
                Ok(differ.then(|| failure(FailureKind::Renamed, &message())))
            }
        }
    }

    /// What nvcc has against an original program, if it is asked; otherwise whether all that it warns of are
    /// functions that nothing uses.
    ///
    /// # Errors
    /// When it cannot be run.
    pub fn nvcc_original(&self, original: &Original) -> Result<Result<bool, Failure>> {
        let Some(nvcc) = &self.nvcc else {
            return Ok(Ok(false));
        };
        let check = |warnings| {
            check_all(nvcc, &original.sources, &original.folder.join("before"), warnings)
        };
        let Err(said) = check(true) else {
            return Ok(Ok(false));
        };
        let said = format!("{said:#}");
        let mut errors = said.lines().filter(|line| line.contains(": error"));
        if errors.all(|line| line.contains(UNUSED_FUNCTION)) && check(false).is_ok() {
            return Ok(Ok(true));
        }
        Ok(Err(failure(FailureKind::Original, &said)))
    }

    fn nvcc(&self, original: &Original, warnings: bool) -> Result<Option<Failure>> {
        let Some(nvcc) = &self.nvcc else {
            return Ok(None);
        };
        let check =
            |name| check_all(nvcc, &original.sources, &original.folder.join(name), warnings);
        let Err(after) = check("after") else {
            return Ok(None);
        };
        let kind = if check("before").is_ok() { FailureKind::Nvcc } else { FailureKind::Original };
        Ok(Some(failure(kind, &format!("{after:#}"))))
    }
}

/// nvcc's number for a function that nothing uses.
const UNUSED_FUNCTION: &str = "#177-D";

/// What reasons say where text is judged by the words in it.
const BY_WORDS: [&str; 2] = ["mentions `", "it may be used before there is a place for that"];

/// Compiles the files of a folder one by one, as nvcc does without relocatable device code.
fn check_all(nvcc: &Nvcc, sources: &Sources, folder: &Path, warnings: bool) -> Result<()> {
    sources.roots().try_for_each(|name| nvcc.check(&folder.join(name), warnings))
}

/// Where the report of a transformation goes: beside the folder of the results.
fn report_of(to: &Path) -> PathBuf {
    to.with_extension("json")
}

/// The command line of a transformation.
fn options(
    program: &RandomProgram,
    layouts: &Layouts,
    sources: &Sources,
    to: &Path,
) -> Vec<OsString> {
    let mut options: Vec<OsString> = vec!["transform".into(), "--out-dir".into(), to.into()];
    options.extend(["--report".into(), report_of(to).into()]);
    let style = if program.seed.is_multiple_of(2) { "view" } else { "inline" };
    options.extend(["--helpers", "inline", "--style", style].map(OsString::from));
    let has_foreign = |unit: &UnitFacts| unit.features.contains("foreign-member");
    if program.units.iter().any(has_foreign) && !program.seed.is_multiple_of(3) {
        options.extend(["--types-from", "g++"].map(OsString::from));
    }
    for spec in layouts.specs(program) {
        options.extend(["--layout".into(), spec.into()]);
    }
    options.extend(sources.roots().map(OsString::from));
    options
}

/// What a report says of the arrays of a program.
#[must_use]
pub fn classes(program: &RandomProgram, report: &Value) -> Vec<ClassResult> {
    let of = |class: &Value| {
        let name = class["type"].as_str().unwrap_or_default();
        let name = name.split('<').next().unwrap_or(name);
        let name = name.rsplit("::").next().unwrap_or(name);
        let target = program
            .targets
            .iter()
            .find(|target| program.name(target.template.unwrap_or(target.record)) == name);
        let reasons = class["reasons"].as_array().map(Vec::as_slice).unwrap_or_default();
        let code = |reason: &Value| reason["code"].as_str().unwrap_or_default().to_owned();
        let first = reasons.first().and_then(|reason| reason["message"].as_str());
        ClassResult {
            record: target.map(|target| target.record),
            changed: class["status"] == "changed",
            codes: reasons.iter().map(code).collect(),
            reason: first.unwrap_or_default().to_owned(),
        }
    };
    report["classes"].as_array().into_iter().flatten().map(of).collect()
}

/// How two runs differ, in words.
#[must_use]
pub fn difference(
    n: usize,
    before: RunStatus,
    expected: &[u8],
    after: &RunStatus,
    found: &[u8],
    stderr: &[u8],
) -> String {
    let (expected, found) = (String::from_utf8_lossy(expected), String::from_utf8_lossy(found));
    let mut text = format!("n = {n}: {before:?}, rewritten {after:?}\n");
    text.push_str(&String::from_utf8_lossy(stderr));
    let different = expected.lines().zip(found.lines()).find(|(one, other)| one != other);
    if let Some((one, other)) = different {
        text.push_str(&format!("printed `{one}`, rewritten `{other}`\n"));
    }
    text
}

/// A failure whose cause is the first telling line of the message, without names and numbers.
#[must_use]
pub fn failure(kind: FailureKind, message: &str) -> Failure {
    let telling =
        ["error:", "error #", "panicked", "internal error", "LC0", "layoutc runtime", "became"];
    let line = message
        .lines()
        .find(|line| telling.iter().any(|word| line.contains(word)))
        .or_else(|| message.lines().next())
        .unwrap_or_default();
    let line = line.split_once("error:").map_or(line, |(_, rest)| rest);
    // A warning keeps its number, as it is one that was made an error.
    let line = line.find("error #").map_or(line, |at| &line[at..]);
    let line = line.split_once("; did you mean").map_or(line, |(line, _)| line);
    // A difference has no message: all of them are one until someone looks.
    let cause = if kind == FailureKind::Different { String::new() } else { anonymous(line) };
    Failure { kind, cause, message: message.to_owned() }
}

/// A message without what differs between programs: quoted text and numbers.
fn anonymous(line: &str) -> String {
    let mut out = String::new();
    let mut quoted = false;
    for sign in line.chars() {
        match sign {
            '‘' => quoted = true,
            '’' => quoted = false,
            '`' | '\'' => quoted = !quoted,
            _ if quoted => {}
            '0'..='9' => {
                if !out.ends_with('#') {
                    out.push('#');
                }
            }
            _ => out.push(sign),
        }
    }
    out.trim().to_owned()
}

const COMMENT: &str = "// struct Particle { int x; }; p[i].x = 0;";

/// A comment in front of every line that begins a declaration.
fn with_comments(text: &str) -> String {
    let mut out = String::new();
    let mut follows_directive = true;
    for line in text.lines() {
        let starts = ["struct ", "__global__", "__device__", "static void", "template"];
        if !follows_directive
            && starts.iter().any(|start| line.starts_with(start))
            && !out.ends_with(">\n")
        {
            out.push_str(COMMENT);
            out.push('\n');
        }
        follows_directive = line.ends_with('\\') || line.starts_with("template");
        out.push_str(line);
        out.push('\n');
    }
    out
}

fn without_comments(text: &str) -> String {
    text.lines().filter(|line| *line != COMMENT).flat_map(|line| [line, "\n"]).collect()
}

/// The program with other names for everything.
fn renamed(program: &RandomProgram) -> RandomProgram {
    let mut renamed = program.clone();
    for (number, name) in renamed.names.iter_mut().enumerate() {
        *name = format!("n{number}_{}", &name[..1]);
    }
    renamed
}

//! One program of the corpus: what the tool makes of it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use layoutc_tests::layoutc::Layoutc;
use layoutc_tests::nvcc::{ARCH, Flags, Nvcc};
use layoutc_tests::process::Outcome;
use serde_json::{Value, json};

use super::discover::Candidate;
use super::runs::Runs;

/// How long one program may take to transform.
const TRANSFORM_LIMIT: Duration = Duration::from_secs(60);

/// How long one program may take to be built and run twice.
const VERIFY_LIMIT: Duration = Duration::from_secs(180);

/// Calls that nvcc 13 no longer has, by their later names: most public programs are older.
const RENAMED: [&str; 2] =
    ["cudaThreadSynchronize=cudaDeviceSynchronize", "cudaThreadExit=cudaDeviceReset"];

/// The tools of a survey, and what they are asked to do.
pub struct Tools {
    /// The binary under test.
    pub layoutc: Layoutc,
    /// nvcc, if programs are to be compiled.
    pub nvcc: Option<Nvcc>,
    /// Folders for nvcc's `-I` beside the program's own.
    pub nvcc_include: Vec<PathBuf>,
    /// Whether programs are to be run before and after.
    pub verify: bool,
    /// Arguments and input by program.
    pub runs: Runs,
    /// `--layout` texts for every program.
    pub layouts: Vec<String>,
    /// Where to keep what is written.
    pub keep: Option<PathBuf>,
}

/// How a check went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    /// Not asked for, or there is nothing to check.
    Skipped,
    /// It holds.
    Passed,
    /// It does not hold, with the first line that says so.
    Failed(String),
    /// It cannot be checked here, with the first line that says why.
    Impossible(String),
}

/// One array class of a program.
#[derive(Clone, Debug)]
pub struct Class {
    /// The record type.
    pub record: String,
    /// The layout it got; `None` when it was kept.
    pub layout: Option<String>,
    /// Why it was kept: code, place, message.
    pub reasons: Vec<Reason>,
}

/// Why a class was kept.
#[derive(Clone, Debug)]
pub struct Reason {
    /// `LC` and four digits.
    pub code: String,
    /// `file:line`, or nothing.
    pub place: String,
    /// The sentence.
    pub message: String,
}

/// What was found for one program.
#[derive(Clone, Debug)]
pub struct Row {
    /// The program's name.
    pub name: String,
    /// Files given on the command line.
    pub files: usize,
    /// Bytes of the files that the tool read.
    pub bytes: u64,
    /// Files with a region that does not parse.
    pub unclean: Vec<String>,
    /// The array classes; empty when the tool refused the program.
    pub classes: Vec<Class>,
    /// How `transform` ended if not well: its first error.
    pub refused: Option<String>,
    /// Whether that was a crash or a hang.
    pub crashed: bool,
    /// Wall-clock time of `transform`.
    pub elapsed: Duration,
    /// Does nvcc accept the program as it is?
    pub compiles_before: Check,
    /// Does nvcc accept what was written?
    pub compiles_after: Check,
    /// Does it do the same before and after?
    pub same: Check,
}

impl Row {
    /// The classes that got another layout.
    pub fn changed(&self) -> usize {
        self.classes.iter().filter(|class| class.layout.is_some()).count()
    }

    /// What must never happen to any program, in words.
    pub fn defect(&self) -> Option<String> {
        let because = if self.crashed {
            self.refused.clone()
        } else if let (Check::Passed, Check::Failed(why)) =
            (&self.compiles_before, &self.compiles_after)
        {
            Some(format!("no longer compiles: {why}"))
        } else if let Check::Failed(why) = &self.same {
            Some(format!("does something else: {why}"))
        } else {
            None
        };
        because.map(|because| format!("{}: {because}", self.name))
    }

    /// One line for the console.
    pub fn summary(&self) -> String {
        let problem = self.defect().or_else(|| self.refused.clone()).unwrap_or_default();
        format!("{}: {} of {} changed {problem}", self.name, self.changed(), self.classes.len())
    }

    /// The row for the JSON file.
    pub fn json(&self) -> Value {
        let check = |check: &Check| match check {
            Check::Skipped => Value::Null,
            Check::Passed => json!({"result": "passed"}),
            Check::Failed(why) => json!({"result": "failed", "message": why}),
            Check::Impossible(why) => json!({"result": "impossible", "message": why}),
        };
        let reason = |reason: &Reason| json!({"code": reason.code, "place": reason.place, "message": reason.message});
        let class = |class: &Class| {
            let reasons: Vec<Value> = class.reasons.iter().map(reason).collect();
            json!({"type": class.record, "layout": class.layout, "reasons": reasons})
        };
        json!({
            "program": self.name,
            "files": self.files,
            "bytes": self.bytes,
            "files_with_unparsed_regions": self.unclean,
            "refused": self.refused,
            "crashed": self.crashed,
            "classes": self.classes.iter().map(class).collect::<Vec<_>>(),
            "compiles_before": check(&self.compiles_before),
            "compiles_after": check(&self.compiles_after),
            "same": check(&self.same),
        })
    }
}

/// Runs the tool over one program.
///
/// # Errors
/// When the tool cannot be started or temporary files cannot be written; what the tool does is in
/// the row.
pub fn survey(root: &Path, program: &Candidate, tools: &Tools) -> Result<Row> {
    let folder = tempfile::tempdir()?;
    let out = match &tools.keep {
        Some(keep) => std::path::absolute(keep)?.join(program.name.replace('/', "_")),
        None => folder.path().join("out"),
    };
    let report = folder.path().join("report.json");
    let mut arguments = command("transform", program, tools);
    arguments.extend(["--out-dir".to_owned(), text(&out), "--report".to_owned(), text(&report)]);
    let outcome = tools.layoutc.run(root, TRANSFORM_LIMIT, &arguments)?;
    let crashed = !matches!(outcome.code(), Some(0 | 1)) || outcome.stderr.contains("panicked");
    let refused = (!outcome.succeeded()).then(|| first_error(&outcome));
    let written: Value = match fs::read(&report) {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .with_context(|| format!("the report on {} is not JSON", program.name))?,
        Err(_) => Value::Null,
    };
    let mut row = Row {
        name: program.name.clone(),
        files: program.files.len(),
        bytes: program
            .files
            .iter()
            .filter_map(|f| fs::metadata(root.join(f)).ok())
            .map(|m| m.len())
            .sum(),
        unclean: unclean_files(&written),
        classes: written["classes"].as_array().into_iter().flatten().map(class).collect(),
        refused,
        crashed,
        elapsed: outcome.elapsed,
        compiles_before: Check::Skipped,
        compiles_after: Check::Skipped,
        same: Check::Skipped,
    };
    let rewritten = row.changed() > 0 && row.refused.is_none();
    if let (Some(nvcc), true) = (&tools.nvcc, rewritten) {
        row.compiles_before = compiles(nvcc, root, program, &tools.nvcc_include);
        // Headers that only the compiler's own macros ask for are not part of the output; they are
        // found behind it, where they were.
        let behind: Vec<PathBuf> = program
            .include_dirs
            .iter()
            .map(|dir| root.join(dir))
            .chain(tools.nvcc_include.iter().cloned())
            .collect();
        row.compiles_after = compiles(nvcc, &out, program, &behind);
    }
    if tools.verify && program.has_main && rewritten {
        let mut arguments = command("verify", program, tools);
        // Headers of other SDKs, as for nvcc: they are not part of what is rewritten.
        for folder in &tools.nvcc_include {
            arguments.extend(["-I".to_owned(), text(folder)]);
        }
        arguments.push("--".to_owned());
        arguments.extend(tools.runs.prepare(&program.name, folder.path())?);
        row.same = verdict(&tools.layoutc.run(root, VERIFY_LIMIT, &arguments)?);
    }
    Ok(row)
}

/// `COMMAND FILE… -I DIR… --layout SPEC…`.
fn command(command: &str, program: &Candidate, tools: &Tools) -> Vec<String> {
    let mut arguments = vec![command.to_owned()];
    arguments.extend(program.files.iter().map(|file| text(file)));
    for folder in &program.include_dirs {
        // The corpus folder itself has no name relative to itself.
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        arguments.extend(["-I".to_owned(), text(folder)]);
    }
    for layout in &tools.layouts {
        arguments.extend(["--layout".to_owned(), layout.clone()]);
    }
    arguments
}

/// Compiles the CUDA files of a program as it lies below `root`.
fn compiles(nvcc: &Nvcc, root: &Path, program: &Candidate, more: &[PathBuf]) -> Check {
    let Ok(folder) = tempfile::tempdir() else {
        return Check::Impossible("no temporary folder".to_owned());
    };
    let cut = folders_left_out(root, &program.files);
    let here = |path: &Path| root.join(path.components().skip(cut).collect::<PathBuf>());
    let flags = Flags {
        include_dirs: program
            .include_dirs
            .iter()
            .map(|dir| here(dir))
            .chain(more.iter().cloned())
            .collect(),
        defines: RENAMED.map(str::to_owned).to_vec(),
        // Some samples launch kernels from kernels.
        relocatable: true,
    };
    for file in program.files.iter().filter(|file| file.extension().is_some_and(|e| e == "cu")) {
        let object = folder.path().join("object.o");
        if let Err(error) = nvcc.compile_object(&here(file), &flags, ARCH, &object) {
            return Check::Failed(first_diagnostic(&error.to_string(), root));
        }
    }
    Check::Passed
}

/// How many leading folders `--out-dir` left out because all files of the program share them.
fn folders_left_out(out: &Path, files: &[PathBuf]) -> usize {
    let Some(first) = files.first() else { return 0 };
    let exists =
        |cut: &usize| out.join(first.components().skip(*cut).collect::<PathBuf>()).is_file();
    (0..first.components().count()).find(exists).unwrap_or(0)
}

fn verdict(outcome: &Outcome) -> Check {
    let said = format!("{}\n{}", outcome.stdout, outcome.stderr);
    match outcome.code() {
        Some(0) if said.contains(" 0 kernel launches") => {
            Check::Impossible("no kernel is launched without arguments or input".to_owned())
        }
        Some(0) => Check::Passed,
        Some(1) if said.contains("differ") => Check::Failed(first_error(outcome)),
        None => Check::Impossible(outcome.ending()),
        Some(_) => Check::Impossible(first_error(outcome)),
    }
}

fn class(class: &Value) -> Class {
    let string = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let reason = |reason: &Value| {
        let place = match (reason["file"].as_str(), reason["line"].as_u64()) {
            (Some(file), Some(line)) => format!("{file}:{line}"),
            (Some(file), None) => file.to_owned(),
            _ => String::new(),
        };
        Reason { code: string(&reason["code"]), place, message: string(&reason["message"]) }
    };
    Class {
        record: string(&class["type"]),
        layout: (class["status"] == "changed").then(|| string(&class["layout"])),
        reasons: class["reasons"].as_array().into_iter().flatten().map(reason).collect(),
    }
}

/// The files with a region that does not parse (LC0002).
fn unclean_files(report: &Value) -> Vec<String> {
    let found = report["diagnostics"].as_array().into_iter().flatten();
    let unparsed = found.filter(|message| message["code"] == "LC0002");
    let files: BTreeSet<&str> = unparsed.filter_map(|message| message["file"].as_str()).collect();
    files.into_iter().map(str::to_owned).collect()
}

/// The first line of a command's messages that says what went wrong, and where.
fn first_error(outcome: &Outcome) -> String {
    let mut lines = outcome.stderr.lines().chain(outcome.stdout.lines());
    let error =
        lines.find(|line| ["error", "panicked", "differ"].iter().any(|word| line.contains(word)));
    let place = lines.next().and_then(|line| line.split_once("┌─ ")).map(|(_, place)| place);
    match (error, place) {
        (Some(error), Some(place)) => format!("{error} ({place})"),
        (Some(error), None) => error.to_owned(),
        (None, _) => outcome.ending(),
    }
}

/// The first error of nvcc or its host compiler, with paths relative to the corpus.
fn first_diagnostic(messages: &str, root: &Path) -> String {
    let line = messages
        .lines()
        .skip(1)
        .find(|line| line.contains("error"))
        .or_else(|| messages.lines().next())
        .unwrap_or_default();
    line.replace(&format!("{}/", root.display()), "")
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

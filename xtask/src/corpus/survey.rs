//! One program of the corpus: what the tool makes of it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use layoutc_tests::layoutc::Layoutc;
use layoutc_tests::nvcc::{ARCH, Flags, Nvcc};
use layoutc_tests::opencl::Host;
use layoutc_tests::process::Outcome;
use serde::{Deserialize, Serialize};
use serde_json::Value;

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
    /// Whether OpenCL programs are to be compiled.
    pub opencl: bool,
    /// nvcc, if CUDA programs are to be compiled.
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "result", rename_all = "lowercase")]
pub enum Check {
    /// It holds.
    Passed,
    /// It does not hold, with the first line that says so.
    Failed {
        /// That line.
        message: String,
    },
    /// It cannot be checked here, with the first line that says why.
    Impossible {
        /// That line.
        message: String,
    },
}

/// One array class of a program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Class {
    /// The record type.
    #[serde(rename = "type")]
    pub record: String,
    /// The layout it got; `None` when it was kept.
    pub layout: Option<String>,
    /// Why it was kept: code, place, message.
    pub reasons: Vec<Reason>,
}

/// Why a class was kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reason {
    /// `LC` and four digits.
    pub code: String,
    /// `file:line`, or nothing.
    pub place: String,
    /// The sentence.
    pub message: String,
}

/// What was found for one program; the row of the JSON file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The program's name.
    #[serde(rename = "program")]
    pub name: String,
    /// Files given on the command line.
    pub files: usize,
    /// Bytes of the files that the tool read.
    pub bytes: u64,
    /// Files with a region that does not parse.
    #[serde(rename = "files_with_unparsed_regions")]
    pub unclean: Vec<String>,
    /// The array classes; empty when the tool refused the program.
    pub classes: Vec<Class>,
    /// How `transform` ended if not well: its first error.
    pub refused: Option<String>,
    /// Whether that was a crash or a hang.
    pub crashed: bool,
    /// Wall-clock time of `transform`; not known of a row that was read.
    #[serde(skip)]
    pub elapsed: Duration,
    /// Does the compiler accept the program as it is? Like the next two `None` where it was not asked for, or nothing
    /// changed.
    pub compiles_before: Option<Check>,
    /// Does the compiler accept what was written?
    pub compiles_after: Option<Check>,
    /// Does it do the same before and after?
    pub same: Option<Check>,
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
        } else if let (Some(Check::Passed), Some(Check::Failed { message })) =
            (&self.compiles_before, &self.compiles_after)
        {
            Some(format!("no longer compiles: {message}"))
        } else if let Some(Check::Failed { message }) = &self.same {
            Some(format!("does something else: {message}"))
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
        compiles_before: None,
        compiles_after: None,
        same: None,
    };
    let rewritten = row.changed() > 0 && row.refused.is_none();
    if rewritten {
        // Headers that only the compiler's own macros ask for are not part of the output; they are
        // found behind it, where they were.
        let own: Vec<PathBuf> = program.include_dirs.iter().map(|dir| root.join(dir)).collect();
        if program.is_opencl() {
            row.compiles_before = tools.opencl.then(|| builds(root, program, &[]));
            row.compiles_after = tools.opencl.then(|| builds(&out, program, &own));
        } else if let Some(nvcc) = &tools.nvcc {
            row.compiles_before = Some(compiles(nvcc, root, program, &tools.nvcc_include));
            let behind: Vec<PathBuf> = own.into_iter().chain(tools.nvcc_include.clone()).collect();
            row.compiles_after = Some(compiles(nvcc, &out, program, &behind));
        }
    }
    if let (true, true, Some(home)) = (tools.verify, rewritten, &program.folder) {
        row.same = Some(verify(root, home, program, tools, folder.path())?);
    }
    Ok(row)
}

/// Builds and runs the program before and after; `input` is where its input is written.
fn verify(
    root: &Path,
    home: &Path,
    program: &Candidate,
    tools: &Tools,
    input: &Path,
) -> Result<Check> {
    // OpenCL programs read their kernels from the folder that they are run in.
    let (place, program) = if program.is_opencl() {
        let at_root = |paths: &[PathBuf]| paths.iter().map(|path| root.join(path)).collect();
        let (files, include_dirs) = (at_root(&program.files), at_root(&program.include_dirs));
        let absolute = Candidate { files, include_dirs, ..program.clone() };
        (root.join(home), absolute)
    } else {
        (root.to_path_buf(), program.clone())
    };
    let mut arguments = command("verify", &program, tools);
    if !program.is_opencl() {
        // Headers of other SDKs, as for nvcc: they are not part of what is rewritten.
        for folder in &tools.nvcc_include {
            arguments.extend(["-I".to_owned(), text(folder)]);
        }
    }
    arguments.push("--".to_owned());
    arguments.extend(tools.runs.prepare(&root.join(&program.name), input)?);
    Ok(verdict(&tools.layoutc.run(&place, VERIFY_LIMIT, &arguments)?))
}

/// `COMMAND FILE… -I DIR… --layout SPEC…`.
fn command(command: &str, program: &Candidate, tools: &Tools) -> Vec<String> {
    let mut arguments = vec![command.to_owned()];
    match &program.database {
        Some(database) => arguments.extend(["--project".to_owned(), text(database)]),
        None => arguments.extend(program.files.iter().map(|file| text(file))),
    }
    arguments.extend(program.flags.iter().cloned());
    let named = program.include_dirs.iter().filter(|_| program.database.is_none());
    for folder in named {
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
        return Check::Impossible { message: "no temporary folder".to_owned() };
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
            return Check::Failed { message: first_diagnostic(&error.to_string(), root) };
        }
    }
    Check::Passed
}

/// Compiles and links the host files of an OpenCL program as it lies below `root`; its kernels are compiled when it runs.
fn builds(root: &Path, program: &Candidate, more: &[PathBuf]) -> Check {
    let cut = folders_left_out(root, &program.files);
    let here = |path: &PathBuf| root.join(path.components().skip(cut).collect::<PathBuf>());
    let files: Vec<PathBuf> = program.files.iter().map(here).collect();
    let own = program.include_dirs.iter().map(here).chain([root.to_path_buf()]);
    match Host::build_files(&files, root, own.chain(more.iter().cloned()).collect()) {
        Ok(_) => Check::Passed,
        Err(error) => Check::Failed { message: first_diagnostic(&format!("{error:#}"), root) },
    }
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
    let impossible = |message| Check::Impossible { message };
    match outcome.code() {
        Some(0) if said.contains(" 0 kernel launches") => {
            impossible("no kernel is launched without arguments or input".to_owned())
        }
        Some(0) => Check::Passed,
        Some(1) if said.contains("differ") => Check::Failed { message: first_error(outcome) },
        None => impossible(outcome.ending()),
        Some(_) => impossible(first_error(outcome)),
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

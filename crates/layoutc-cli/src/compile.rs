//! A run of the compiler on a program from the disk.
//!
//! The compiler is iterative, but the depth of a C++ program is its author's choice, so it runs on
//! a thread with a large stack. The thread is also where a panic of the compiler ends: a user gets
//! a message, an exit code and no half-written file.

use crate::arguments::{MissingHeaders, ProgramArguments};
use crate::build::locked::locked;
use crate::encoding::encode;
use crate::folder_copy::FolderCopy;
use crate::helpers::Header;
use crate::jobs;
use crate::load::{DiskLoader, Overlay, load_root};
use crate::measure;
use crate::profile::given;
use crate::progress::phase;
use crate::refusals::{has_errors, refuse};
use crate::scope::Scope;
use crate::write::parent;
use layoutc_analysis::grid_choice::GridOptions;
use layoutc_analysis::grid_plan::InBounds;
use layoutc_analysis::keep::Keep;
use layoutc_analysis::profile::Profile;
use layoutc_build::database::{self, Entry};
use layoutc_dataflow::layout::notation::{Authority, LayoutSpec};
use layoutc_diagnostics::{Code, Diagnostic, FileId, SourceSet};
use layoutc_driver::{ClassOutcome, Compiled, Request, Status};
use layoutc_syntax::preprocess::{Compilation, PreprocessOptions, preprocess_compilations};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::{fmt, fs, panic};

/// Stack of a compiling thread, in bytes. It is reserved, not used.
const STACK: usize = 512 << 20;
/// Threads that one compilation uses unless it is told: what can run in parallel is a few passes and the parsing of
/// files.
const MOST_THREADS: usize = 4;

/// A compiled program without errors.
pub struct Success {
    /// What the compiler made of it.
    pub compiled: Compiled,
    /// The files that were named, and not only included.
    pub roots: Vec<FileId>,
    /// The text of every file of the program, after the edits; `None` where nothing changes.
    pub rewritten: Vec<Option<String>>,
    /// What the placeholders of a file stand for, by its path; see [`crate::encoding`].
    pub replaced: BTreeMap<PathBuf, Vec<u8>>,
    /// How each root is compiled; a root that is compiled several times is there several times.
    pub units: Vec<(PathBuf, PreprocessOptions)>,
    /// The recorded runs that were given.
    pub profile: Option<Arc<Profile>>,
    /// Where headers were looked for in vain.
    pub absent: BTreeSet<PathBuf>,
    /// Headers that the result has besides.
    pub headers: Vec<Header>,
}

impl Success {
    /// The original texts.
    pub fn sources(&self) -> &SourceSet {
        &self.compiled.program.sources
    }

    /// Whether a file is the program's: all others are read and never written.
    pub fn is_ours(&self, id: FileId) -> bool {
        !self.compiled.program.is_foreign(id)
    }

    /// The bytes that a text of this file stands for, the original one or one after edits.
    pub fn bytes<'t>(&self, id: FileId, text: &'t str) -> Cow<'t, [u8]> {
        let replaced = self.replaced.get(self.sources().file(id).path());
        // `compile_program` has checked the texts after the edits.
        replaced
            .and_then(|replaced| encode(text, replaced))
            .unwrap_or(Cow::Borrowed(text.as_bytes()))
    }

    /// The files whose text changes.
    pub fn changed(&self) -> impl Iterator<Item = (FileId, &str)> {
        self.rewritten.iter().zip(0..).filter_map(|(text, id)| Some((FileId(id), text.as_deref()?)))
    }
}

/// Why there is no compiled program.
pub enum Failure {
    /// The user has something to correct. Among the diagnostics is an error.
    Reported(SourceSet, Vec<Diagnostic>),
    /// layoutc has a bug, or the system gave it no thread.
    Internal(InternalError),
}

/// A bug of layoutc, or a system without resources.
#[derive(Debug)]
pub enum InternalError {
    /// The compiler panicked; the text says where.
    Panic(String),
    /// A byte that is not UTF-8 would be lost from this file.
    LostByte(PathBuf),
    /// There is no thread.
    NoThread(rayon::ThreadPoolBuildError),
}

impl fmt::Display for InternalError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Panic(message) => write!(
                out,
                "internal error, nothing was written; please report this with the input\n  {}",
                message.replace('\n', "\n  ")
            ),
            Self::LostByte(path) => write!(
                out,
                "internal error, nothing was written; please report this with the input\n  \
                 a byte of {} that is not UTF-8 would be lost",
                path.display()
            ),
            Self::NoThread(error) => write!(out, "cannot start a thread: {error}"),
        }
    }
}

/// The message of the last panic.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Panics are kept for [`compile_program`] instead of being printed where they happen.
pub fn keep_panics_quiet() {
    panic::set_hook(Box::new(|found| {
        *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = Some(found.to_string());
    }));
}

/// Reads and compiles the program.
///
/// # Errors
/// See [`Failure`].
pub fn compile_program(arguments: &ProgramArguments) -> Result<Success, Failure> {
    compile_for(arguments, Purpose::Transform)
}

/// What a program is compiled for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// To be written.
    Transform,
    /// To be reviewed: as it would be written, with what kernels access.
    Review,
    /// To be run and compared: the result checks what was assumed of coordinates.
    Verify,
    /// To be looked at: every array of numbers is, and layouts that are asked for change nothing.
    Analyze,
    /// The same, with what kernels access.
    Graph,
    /// To be priced: layouts that are asked for change nothing.
    Price,
    /// To be instrumented.
    Profile,
}

impl Purpose {
    /// Whether layouts that are asked for change nothing.
    fn looks_only(self) -> bool {
        match self {
            Purpose::Transform | Purpose::Review | Purpose::Verify => false,
            Purpose::Analyze | Purpose::Graph | Purpose::Price | Purpose::Profile => true,
        }
    }
}

/// The units of a build.
pub struct Units {
    /// What is compiled, and how.
    pub entries: Vec<Entry>,
    /// The folder of the build.
    pub folder: PathBuf,
    /// Sources that their compiler gets as they are.
    pub fixed: BTreeSet<PathBuf>,
}

/// Reads and compiles the program.
///
/// # Errors
/// See [`Failure`].
pub fn compile_for(arguments: &ProgramArguments, purpose: Purpose) -> Result<Success, Failure> {
    compile_with(arguments, purpose, Origin::Named)
}

/// Reads and compiles the program as it is in a copy of its folder.
///
/// # Errors
/// See [`Failure`].
pub fn compile_in(
    arguments: &ProgramArguments,
    purpose: Purpose,
    copy: &FolderCopy,
) -> Result<Success, Failure> {
    compile_with(arguments, purpose, Origin::Copy(copy))
}

/// Reads and compiles a program of a build; `arguments` says what is wanted of it.
///
/// # Errors
/// See [`Failure`].
pub fn compile_units(arguments: &ProgramArguments, units: &Units) -> Result<Success, Failure> {
    compile_with(arguments, Purpose::Transform, Origin::Build(units))
}

/// Compiles the program with texts that go before those of the disk.
///
/// # Errors
/// See [`Failure`].
pub fn compile_over(arguments: &ProgramArguments, overlay: Overlay) -> Result<Success, Failure> {
    compile_with(arguments, Purpose::Transform, Origin::Over(overlay))
}

/// Where a program comes from.
#[derive(Clone)]
enum Origin<'a> {
    /// The command line names it.
    Named,
    /// The same, with texts that go before those of the disk.
    Over(Overlay),
    /// A build has it.
    Build(&'a Units),
    /// It lies in a copy of a folder, with the compilation database of the original.
    Copy(&'a FolderCopy),
}

fn compile_with(
    arguments: &ProgramArguments,
    purpose: Purpose,
    origin: Origin<'_>,
) -> Result<Success, Failure> {
    if !purpose.looks_only()
        && let Some((arguments, chosen)) = with_chosen(arguments, &origin)?
    {
        let mut success = compile_with(&arguments, purpose, origin)?;
        for class in &mut success.compiled.classes {
            explain(class, &chosen);
        }
        return Ok(success);
    }
    let all_grids = matches!(purpose, Purpose::Analyze | Purpose::Graph);
    let texts = match purpose.looks_only() {
        false => arguments.layouts.as_slice(),
        true => &[],
    };
    let (mut layouts, mut errors) = parse_layouts(texts);
    if arguments.layouts_were_chosen {
        layouts.iter_mut().for_each(|layout| layout.authority = Authority::Chosen);
    }
    let overlay = match &origin {
        Origin::Over(overlay) => overlay.clone(),
        Origin::Named | Origin::Build(_) | Origin::Copy(_) => Overlay::default(),
    };
    let mut loader = DiskLoader { overlay, ..DiskLoader::default() };
    let phase = phase("reading the program");
    let profile = given::read(arguments).unwrap_or_else(|error| {
        errors.push(error);
        None
    });
    let compilations = compilations(arguments, &origin, &mut loader).unwrap_or_else(|found| {
        errors.extend(found);
        Vec::new()
    });
    if has_errors(&errors) {
        return Err(Failure::Reported(SourceSet::new(), errors));
    }
    let assume = InBounds {
        all: arguments.assume.iter().any(|assumption| assumption.all),
        names: arguments.assume.iter().flat_map(|assumption| assumption.names.clone()).collect(),
    };
    let request = Request {
        layouts,
        chooses_others: false,
        ignores_pragmas: arguments.ignores_pragmas || purpose.looks_only(),
        require: arguments.require.clone(),
        keep: arguments.keep.iter().cloned().map(|name| Keep { name, pragma: None }).collect(),
        host: arguments.host.clone(),
        style: arguments.access_style.into(),
        assume,
        checks_bounds: purpose == Purpose::Verify,
        grids: GridOptions {
            device: arguments.device.clone(),
            block: arguments.block,
            active_blocks: arguments.active_blocks,
        },
        selector: arguments.selector(),
        profile: None,
        pricing: arguments.model,
        blocks: arguments.blocks,
        follows_numbers: matches!(purpose, Purpose::Price | Purpose::Graph | Purpose::Profile),
        keeps_cost_model: match purpose {
            Purpose::Review => true,
            // A build tells nobody what kernels gain.
            Purpose::Transform => !matches!(origin, Origin::Build(_)),
            Purpose::Verify
            | Purpose::Analyze
            | Purpose::Graph
            | Purpose::Price
            | Purpose::Profile => false,
        },
        all_grids,
        fixed_files: match origin {
            Origin::Build(units) => units.fixed.clone(),
            Origin::Named | Origin::Over(_) | Origin::Copy(_) => BTreeSet::new(),
        },
    };
    let units: Vec<(PathBuf, PreprocessOptions)> = compilations
        .iter()
        .map(|compilation| (compilation.path.clone(), compilation.options.clone()))
        .collect();
    let types_from = arguments.types_from.clone();
    on_deep_stack(|| {
        let mut preprocessed = preprocess_compilations(compilations, &mut loader);
        refuse(&mut preprocessed);
        let placed =
            profile.map(|profile| given::placed(profile, &preprocessed.sources, &loader.replaced));
        let recorded = placed.transpose().unwrap_or_else(|error| {
            preprocessed.diagnostics.push(error);
            None
        });
        let request = Request { profile: recorded.clone(), ..request };
        if let Some(compiler) = types_from {
            phase.say("asking the compiler for sizes");
            match measure::measured(&compiler, &preprocessed, &units) {
                Ok(found) => preprocessed.measured = found,
                Err(warning) => preprocessed.diagnostics.push(warning),
            }
        }
        if has_errors(&preprocessed.diagnostics) {
            return Err(Failure::Reported(preprocessed.sources, preprocessed.diagnostics));
        }
        phase.say(format!("choosing layouts: {} files", preprocessed.files.len()));
        // Kernel text in a host program is no file to write.
        let is_part = |id: &FileId| preprocessed.sources.file(*id).view().is_some();
        let files = preprocessed.files.iter().zip((0..).map(FileId));
        let roots =
            files.filter(|(file, id)| file.is_root && !is_part(id)).map(|(_, id)| id).collect();
        let compiled = layoutc_driver::compile(preprocessed, &request);
        if has_errors(&compiled.diagnostics) {
            return Err(Failure::Reported(compiled.program.sources, compiled.diagnostics));
        }
        phase.say("writing the program");
        let rewritten = rewrite(&compiled);
        let DiskLoader { replaced, absent, .. } = loader;
        let profile = recorded;
        let headers = Vec::new();
        let success =
            Success { compiled, roots, rewritten, replaced, units, profile, absent, headers };
        let lost = success
            .changed()
            .map(|(id, text)| (success.sources().file(id).path(), text))
            .find(|(path, text)| {
                success.replaced.get(*path).is_some_and(|replaced| encode(text, replaced).is_none())
            });
        match lost {
            Some((path, _)) => Err(Failure::Internal(InternalError::LostByte(path.to_path_buf()))),
            None => Ok(success),
        }
    })
    .unwrap_or_else(|error| Err(Failure::Internal(error)))
}

/// Why an array has its layout, as the run said that chose it.
fn explain(class: &mut ClassOutcome, chosen: &[ClassOutcome]) {
    let same = |own: &&ClassOutcome| {
        (&own.type_name, &own.names, own.status, &own.layout)
            == (&class.type_name, &class.names, class.status, &class.layout)
    };
    let Some(own) = chosen.iter().find(same) else { return };
    let is_free = class.reasons.iter().all(|reason| reason.code == Code::NO_GAIN);
    if class.status == Status::Changed {
        class.because.clone_from(&own.because);
    } else if is_free {
        class.reasons.clone_from(&own.reasons);
    }
}

/// With `* = auto`: the same arguments, with the layouts that are chosen for the arrays that nothing else names, and what
/// became of all arrays where they were chosen.
fn with_chosen(
    arguments: &ProgramArguments,
    origin: &Origin<'_>,
) -> Result<Option<(ProgramArguments, Vec<ClassOutcome>)>, Failure> {
    let is_auto = |text: &String| {
        text.split_once('=')
            .is_some_and(|(target, body)| (target.trim(), body.trim()) == ("*", "auto"))
    };
    if !arguments.layouts.iter().any(is_auto) {
        return Ok(None);
    }
    let named: Vec<String> =
        arguments.layouts.iter().filter(|text| !is_auto(text)).cloned().collect();
    // What is wrong with them is said before anything is chosen.
    let (specs, errors) = parse_layouts(&named);
    if has_errors(&errors) {
        return Err(Failure::Reported(SourceSet::new(), errors));
    }
    let automatic =
        ProgramArguments { layouts: Vec::new(), require: Vec::new(), ..arguments.clone() };
    let success = compile_with(&automatic, Purpose::Transform, origin.clone())?;
    let mut layouts = named;
    for array in locked("", &success).changed() {
        let is_named = specs.iter().any(|spec| {
            spec.target == array.element
                || spec.target == array.target
                || array.names.contains(&spec.target)
        });
        if !is_named {
            layouts.push(format!("{} = {}", array.target, array.layout));
        }
    }
    if layouts.is_empty() {
        layouts.push("* = aos".to_owned());
    }
    let arguments = ProgramArguments { layouts, ..arguments.clone() };
    Ok(Some((arguments, success.compiled.classes)))
}

/// What is compiled, and how: the files that were named, or entries of a project.
fn compilations(
    arguments: &ProgramArguments,
    origin: &Origin<'_>,
    loader: &mut DiskLoader,
) -> Result<Vec<Compilation>, Vec<Diagnostic>> {
    let mut all_files: Option<Vec<PathBuf>> = None;
    let entries = match (origin, &arguments.project) {
        (Origin::Build(units), _) => {
            all_files = Some(units.entries.iter().map(|entry| entry.file.clone()).collect());
            units.entries.clone()
        }
        (Origin::Named | Origin::Over(_) | Origin::Copy(_), None) => arguments
            .files
            .iter()
            .map(|file| Entry { file: file.clone(), options: PreprocessOptions::default() })
            .collect(),
        (Origin::Named | Origin::Over(_) | Origin::Copy(_), Some(path)) => {
            let mut entries = database::read(path).map_err(|error| vec![error])?;
            if let Origin::Copy(copy) = origin {
                entries = copy.entries(entries);
                if entries.is_empty() {
                    let message = "no file of the compilation database is there";
                    return Err(vec![Diagnostic::error(Code::UNREADABLE_INPUT, message)]);
                }
            }
            all_files = Some(entries.iter().map(|entry| entry.file.clone()).collect());
            database::select(entries, &arguments.files)?
        }
    };
    let project = arguments.project.as_ref();
    let folder = project.map(|path| if path.is_dir() { path.as_path() } else { parent(path) });
    let database = match (origin, folder) {
        (Origin::Build(units), _) => Some(units.folder.clone()),
        (Origin::Copy(copy), Some(folder)) => Some(copy.path(folder)),
        (Origin::Named | Origin::Over(_), Some(folder)) => Some(folder.to_path_buf()),
        (Origin::Named | Origin::Over(_) | Origin::Copy(_), None) => None,
    };
    let files = all_files.as_deref().unwrap_or(&arguments.files);
    loader.scope = Scope::new(&arguments.roots, database.as_deref(), files);
    if let Some(root) = arguments.roots.iter().find(|root| !root.is_dir()) {
        let message = format!("`--root {}`: there is no such folder", root.display());
        return Err(vec![Diagnostic::error(Code::UNREADABLE_INPUT, message)]);
    }
    let mut read: Vec<(PathBuf, PathBuf, String)> = Vec::new();
    let mut errors = Vec::new();
    for Entry { file, .. } in &entries {
        if read.iter().any(|(known, ..)| known == file) {
            continue;
        }
        match load_root(file, loader) {
            Ok((path, text)) => read.push((file.clone(), path, text)),
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    // One file under two names is one file.
    let mut names: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
    let mut compilations: Vec<Compilation> = Vec::new();
    for Entry { file, mut options } in entries {
        let Some((_, path, text)) = read.iter().find(|(known, ..)| *known == file) else {
            continue;
        };
        let real = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        let path = names.entry(real).or_insert_with(|| path.clone()).clone();
        options.missing_is_unseen = arguments.missing_headers == MissingHeaders::Opaque;
        options.include_dirs.extend(arguments.include_dirs.iter().cloned());
        options.system_dirs.extend(arguments.system_dirs.iter().cloned());
        for name in &arguments.undefines {
            options.defines.retain(|(other, _)| other != name);
            options.undefines.push(name.clone());
        }
        for (name, value) in &arguments.defines {
            options.undefines.retain(|other| other != name);
            options.defines.retain(|(other, _)| other != name);
            options.defines.push((name.clone(), value.clone()));
        }
        let known = compilations.iter().any(|known| known.path == path && known.options == options);
        if !known {
            compilations.push(Compilation { path, text: text.clone(), options });
        }
    }
    Ok(compilations)
}

/// The layouts asked for, and an error for each text that is none.
pub fn parse_layouts(texts: &[String]) -> (Vec<LayoutSpec>, Vec<Diagnostic>) {
    let (mut layouts, mut errors) = (Vec::new(), Vec::new());
    for text in texts {
        match LayoutSpec::parse(text) {
            Ok(layout) => layouts.push(layout),
            Err(error) => errors.push(error.diagnostic(text)),
        }
    }
    (layouts, errors)
}

fn rewrite(compiled: &Compiled) -> Vec<Option<String>> {
    let after = |id: FileId, text: &str| {
        let after = compiled.edits.get(&id)?.apply(text);
        (after != text).then_some(after)
    };
    compiled.program.sources.iter().map(|(id, file)| after(id, file.text())).collect()
}

/// Runs `work` on threads with stacks of [`STACK`] bytes.
pub fn on_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, InternalError> {
    let threads = jobs::asked().unwrap_or_else(|| jobs::threads().min(MOST_THREADS));
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .stack_size(STACK)
        .thread_name(|_| "compiler".to_owned())
        .build()
        .map_err(InternalError::NoThread)?;
    catch(|| pool.install(work))
}

/// Runs `work`; a panic is an error.
pub fn catch<T>(work: impl FnOnce() -> T) -> Result<T, InternalError> {
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        let message = PANIC.lock().unwrap_or_else(PoisonError::into_inner).take();
        InternalError::Panic(message.unwrap_or_else(|| "panicked without a message".to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_and_the_stack_is_deep() {
        fn depth(left: usize) -> usize {
            let frame = std::hint::black_box([left; 64]);
            if left == 0 { 0 } else { 1 + depth(frame[63] - 1) }
        }
        assert_eq!(on_deep_stack(|| depth(200_000)).expect("fits"), 200_000);
        let error = on_deep_stack(|| assert_eq!(1 + 1, 3)).expect_err("panics");
        assert!(error.to_string().starts_with("internal error, nothing was written"));
    }

    #[test]
    fn all_bad_layouts_are_reported() {
        let texts = ["P = soa", "P = zigzag", "P = tiled(0)"].map(str::to_owned);
        let (layouts, errors) = parse_layouts(&texts);
        assert_eq!((layouts.len(), errors.len()), (1, 2));
    }
}

//! Making the state of a program: its layouts, and the mirror of its files.

use crate::arguments::ProgramArguments;
use crate::build::locked::{asked, is_refused, is_told, locked, reconsidered, refreshed};
use crate::build::{Found, Settings};
use crate::compile::{Failure, Success, Units, compile_units};
use crate::outputs::absolute;
use layoutc_build::command::folders_of_environment;
use layoutc_build::database::Entry;
use layoutc_build::lock::{Lock, LockedArray, LockedProgram, SOURCE};
use layoutc_build::mirror::{Mirror, Replacement, marked};
use layoutc_build::state::{self, Manifest, State, UnitText, hash};
use layoutc_build::{Command, Program};
use layoutc_diagnostics::{FileId, Span};
use layoutc_driver::Status;
use layoutc_syntax::Function;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Why there is no state.
pub enum Stop {
    /// One line says it.
    Said(String),
    /// The program has errors.
    Reported(Box<Failure>),
}

impl From<String> for Stop {
    fn from(message: String) -> Self {
        Stop::Said(message)
    }
}

/// A program with its layouts.
pub struct Planned {
    /// What the lock file says of it.
    pub locked: LockedProgram,
    /// The program in these layouts.
    pub success: Success,
}

/// Compiles a program in the layouts that the lock file says; without one they are chosen.
///
/// # Errors
/// A program that has errors, or an array that can no longer have its layout.
pub fn plan(
    found: &Found,
    settings: &Settings,
    known: Option<LockedProgram>,
) -> Result<Planned, Stop> {
    let Some(locked) = known else {
        return choose(found, settings, settings.arguments.clone());
    };
    let units = units(&found.program, &found.build)?;
    let arguments = asked(&settings.arguments, &locked);
    let arguments = ProgramArguments { layouts_were_chosen: true, ..arguments };
    let success = compile(&arguments, &units)?;
    // Pragmas go before what was chosen.
    let has_pragmas = !success.compiled.program.layout_pragmas.is_empty();
    let locked = if has_pragmas { refreshed(&locked, &success) } else { locked };
    Ok(Planned { locked, success })
}

fn compile(arguments: &ProgramArguments, units: &Units) -> Result<Success, Stop> {
    compile_units(arguments, units).map_err(|failure| Stop::Reported(Box::new(failure)))
}

/// Compiles a program in the layouts that were chosen before, and chooses for the arrays that had none then: what kept
/// them may be gone.
///
/// # Errors
/// As [`plan`].
pub fn reconsider(
    found: &Found,
    settings: &Settings,
    known: &LockedProgram,
) -> Result<Planned, Stop> {
    let arguments = ProgramArguments {
        layouts: reconsidered(known),
        layouts_were_chosen: true,
        ..settings.arguments.clone()
    };
    let planned = choose(found, settings, arguments)?;
    let mut arrays = planned.locked.arrays;
    for array in &mut arrays {
        let same = |other: &&LockedArray| {
            other.target == array.target && other.layout == array.layout && !is_refused(other)
        };
        if let Some(before) = known.arrays.iter().find(same) {
            array.because.clone_from(&before.because);
        }
    }
    Ok(Planned { locked: LockedProgram::new(&found.program.name, arrays), ..planned })
}

/// Compiles a program with these arguments, and writes down what became of its arrays.
fn choose(
    found: &Found,
    settings: &Settings,
    arguments: ProgramArguments,
) -> Result<Planned, Stop> {
    let units = units(&found.program, &found.build)?;
    let first = compile(&arguments, &units)?;
    let mut chosen = locked(&found.program.name, &first);
    if chosen.changed().next().is_none() {
        return Ok(Planned { locked: chosen, success: first });
    }
    // What is compiled is what the lock file says, not what led to it.
    let lenient = ProgramArguments {
        require: settings.arguments.require.clone(),
        ..asked(&settings.arguments, &chosen)
    };
    let success = compile(&lenient, &units)?;
    let again = locked(&found.program.name, &success);
    let is_carried_out = |target: &str, layout: &str| {
        again.arrays.iter().any(|array| array.target == target && array.layout == layout)
    };
    let mut arrays = chosen.arrays;
    for array in &mut arrays {
        if array.layout != SOURCE && !is_carried_out(&array.target, &array.layout) {
            array.layout = SOURCE.to_owned();
        }
    }
    chosen = LockedProgram::new(&found.program.name, arrays);
    Ok(Planned { locked: chosen, success })
}

/// The units of a program as the compiler takes them.
fn units(program: &Program, build: &Path) -> Result<Units, String> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut fixed = BTreeSet::new();
    for unit in &program.units {
        let mut words = unit.words.clone();
        words.extend(folders_of_environment(|name| std::env::var(name).ok()));
        let options = Command::parse(&words, &unit.folder)?.options;
        let entry = Entry { file: unit.source.clone(), options };
        if !entries.contains(&entry) {
            entries.push(entry);
        }
        if !unit.is_launched {
            fixed.insert(unit.source.clone());
        }
    }
    Ok(Units { entries, folder: build.to_path_buf(), fixed })
}

/// Writes what the lock file says of a program, where the project has one or in the build folder.
///
/// # Errors
/// A file that cannot be read or written.
pub fn write_lock(path: &Path, locked: &LockedProgram) -> Result<bool, String> {
    // One that cannot be read is made anew only by who asks for it.
    let mut lock = Lock::read(path)?.unwrap_or_default();
    lock.put(locked.clone());
    state::write_changed(path, lock.text().as_bytes())
}

/// Makes the mirror of a program, and gives what it rests on. The state is held alone.
///
/// # Errors
/// A file that cannot be written.
pub fn mirror(
    state: &State,
    found: &Found,
    planned: &Planned,
    key: String,
) -> Result<Manifest, String> {
    let success = &planned.success;
    let sources = success.sources();
    let path_of = |id: FileId| absolute(sources.file(id).path());
    let files = || sources.iter().filter(|(_, file)| file.is_whole_file()).map(|(id, _)| id);
    let is_changed = success.changed().next().is_some();
    let ours: Vec<FileId> = files().filter(|id| is_changed && success.is_ours(*id)).collect();
    let others: Vec<PathBuf> = files()
        .filter(|id| !success.is_ours(*id))
        .map(path_of)
        .filter(|path| !["/usr", "/opt"].iter().any(|system| path.starts_with(system)))
        .collect();
    let paths: Vec<PathBuf> = ours.iter().map(|id| path_of(*id)).collect();
    let mirror = Mirror::new(&state.mirror(), &paths, &others);
    let seals = Seals::new(found, planned);
    let graph = Graph::new(success);
    let sees_changes =
        |root: FileId| graph.reached(root).iter().any(|id| success.rewritten[id.index()].is_some());
    let mut texts: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
    for (id, path) in ours.iter().zip(&paths) {
        let seal = seals.of(path, sees_changes(*id));
        texts.insert(path.clone(), text(success, *id, &mirror, seal));
    }
    let old = state.manifest();
    state.invalidate()?;
    write_mirror(&mirror, &texts, old.as_ref())?;
    let mut manifest = Manifest { key, ..Manifest::default() };
    for id in files() {
        let path = path_of(id);
        if let Some(hash) = state::hash_of(&path) {
            manifest.inputs.push((path, hash));
        }
    }
    manifest.absent =
        success.absent.iter().map(|path| absolute(path)).filter(|path| !path.exists()).collect();
    manifest.files = texts.keys().map(|path| (path.clone(), mirror.place(path))).collect();
    if is_changed {
        manifest.folders =
            mirror.folders.iter().map(|folder| (folder.clone(), mirror.place(folder))).collect();
    }
    for unit in &found.program.units {
        let Some(root) = success.roots.iter().find(|id| path_of(**id) == unit.source) else {
            continue;
        };
        let reads: Vec<FileId> = graph.reached(*root);
        let mut seen = Vec::new();
        for id in &reads {
            let path = path_of(*id);
            seen.extend(path.as_os_str().as_encoded_bytes());
            match texts.get(&path) {
                Some(text) => seen.extend(text),
                None => seen.extend(sources.file(*id).text().as_bytes()),
            }
        }
        let is_rewritten =
            unit.is_launched && (sees_changes(*root) || seals.is_needed(&unit.source));
        let reads = reads.into_iter().map(path_of).collect();
        manifest
            .units
            .insert(unit.source.clone(), UnitText { reads, text: hash(&seen), is_rewritten });
    }
    state.complete(&manifest)?;
    Ok(manifest)
}

/// The text of a file in the mirror, with a seal at its end.
fn text(success: &Success, id: FileId, mirror: &Mirror, seal: Option<String>) -> Vec<u8> {
    let file = success.sources().file(id);
    let path = absolute(file.path());
    let edits = success.compiled.edits.get(&id);
    let replacement = |edit: &layoutc_codegen::Edit| Replacement {
        start: edit.span.start as usize,
        end: edit.span.end as usize,
        text: edit.text.clone(),
        is_generated: edit.is_generated || edit.version_of.is_some(),
    };
    let mut replacements: Vec<Replacement> =
        edits.into_iter().flat_map(|edits| edits.edits()).map(replacement).collect();
    replacements.extend(absolute_includes(success, id, mirror));
    let pragmas = pragmas(success, id).filter(|pragma| {
        let is_apart = |other: &Replacement| other.end <= pragma.start || pragma.end <= other.start;
        replacements.iter().all(is_apart)
    });
    let pragmas: Vec<Replacement> = pragmas.collect();
    replacements.extend(pragmas);
    replacements.sort_by_key(|replacement| (replacement.start, replacement.end));
    if let Some(seal) = seal {
        let end = file.text().len();
        replacements.push(Replacement { start: end, end, text: seal, is_generated: true });
    }
    let text = marked(&path, &mirror.place(&path), file.text(), &replacements);
    success.bytes(id, &text).into_owned()
}

/// The pragmas of layoutc in a file. No compiler knows them, and some warn of what they do not know.
fn pragmas(success: &Success, id: FileId) -> impl Iterator<Item = Replacement> {
    let program = &success.compiled.program;
    let directives: BTreeSet<Span> = (program.pragmas.iter().map(|pragma| pragma.directive))
        .chain(program.layout_pragmas.iter().map(|pragma| pragma.directive))
        .collect();
    directives.into_iter().filter(move |span| span.file == id).map(|span| Replacement {
        start: span.start as usize,
        end: span.end as usize,
        // A directive of several lines is as many empty ones.
        text: "\n".repeat(program.text(span).matches('\n').count()),
        is_generated: false,
    })
}

/// Headers of the program that a file includes by their whole paths: those of the mirror are meant. Build systems
/// write such lines, for several sources in one and for precompiled headers.
fn absolute_includes(success: &Success, id: FileId, mirror: &Mirror) -> Vec<Replacement> {
    let program = &success.compiled.program;
    let text = success.sources().file(id).text();
    let own = &program.files[id.index()];
    let mut found = Vec::new();
    for (target, offset) in own.includes.iter().zip(&own.include_offsets) {
        let Some(line) = text.get(*offset..).and_then(|rest| rest.lines().next()) else { continue };
        let Some(open) = line.find(['"', '<']) else { continue };
        let close = if line[open..].starts_with('"') { '"' } else { '>' };
        let Some(length) = line[open + 1..].find(close) else { continue };
        let start = offset + open + 1;
        let spelled = Path::new(&text[start..start + length]);
        if spelled.is_absolute() && success.is_ours(*target) {
            let path = absolute(success.sources().file(*target).path());
            let text = mirror.place(&path).display().to_string();
            found.push(Replacement { start, end: start + length, text, is_generated: false });
        }
    }
    found
}

/// Puts the files and links of a mirror in place, and takes away what an earlier one had.
fn write_mirror(
    mirror: &Mirror,
    texts: &BTreeMap<PathBuf, Vec<u8>>,
    old: Option<&Manifest>,
) -> Result<(), String> {
    match old {
        Some(old) => {
            let is_gone = |(path, place): &(&PathBuf, &PathBuf)| {
                !texts.contains_key(*path) && place.starts_with(&mirror.root)
            };
            for (_, place) in old.files.iter().filter(is_gone) {
                let _ = fs::remove_file(place);
            }
        }
        // Nobody knows what a run that was killed left.
        None => drop(fs::remove_dir_all(&mirror.root)),
    }
    for folder in &mirror.folders {
        state::make_folder(&mirror.place(folder))?;
    }
    for (path, text) in texts {
        state::write_changed(&mirror.place(path), text)?;
    }
    let files: BTreeSet<PathBuf> = texts.keys().cloned().collect();
    for (place, to) in mirror.links(&files) {
        state::link_changed(&place, &to)?;
    }
    Ok(())
}

/// Which files include which.
struct Graph<'s> {
    success: &'s Success,
}

impl<'s> Graph<'s> {
    fn new(success: &'s Success) -> Self {
        Graph { success }
    }

    /// A file and all that it includes, sorted.
    fn reached(&self, root: FileId) -> Vec<FileId> {
        let mut seen = BTreeSet::from([root]);
        let mut open = vec![root];
        while let Some(file) = open.pop() {
            let next = &self.success.compiled.program.files[file.index()].includes;
            open.extend(next.iter().filter(|file| seen.insert(**file)));
        }
        seen.into_iter().collect()
    }
}

/// What the symbol of a plan begins with.
pub const PLAN: &str = "layoutc_plan_";

/// The symbol that rewritten objects of a program name, if they do.
pub fn symbol(found: &Found, planned: &Planned) -> Option<String> {
    let seals = Seals::new(found, planned);
    (!seals.owners.is_empty()).then(|| seals.symbol())
}

/// Symbols that keep objects of different plans apart: every rewritten unit names the symbol of its plan, and one
/// unit of each executable and shared library has it.
struct Seals {
    id: String,
    /// Units that have the symbol; none if there is no place for it.
    owners: BTreeSet<PathBuf>,
    /// All units that are rewritten with others.
    units: BTreeSet<PathBuf>,
}

impl Seals {
    fn new(found: &Found, planned: &Planned) -> Self {
        let program = &found.program;
        let is_changed = planned.success.changed().next().is_some();
        let launched = |source: &&PathBuf| {
            program.units.iter().all(|unit| unit.source != **source || unit.is_launched)
        };
        let sources: BTreeSet<PathBuf> =
            program.units.iter().map(|unit| unit.source.clone()).collect();
        let units: BTreeSet<PathBuf> = sources.iter().filter(launched).cloned().collect();
        let of_links: Vec<PathBuf> = (program.owners.iter())
            .filter_map(|object| program.units.iter().find(|unit| unit.object == *object))
            .map(|unit| unit.source.clone())
            .collect();
        let owners: BTreeSet<PathBuf> = match of_links.is_empty() {
            false => of_links.into_iter().collect(),
            true => with_main(&planned.success).into_iter().collect(),
        };
        let is_possible = is_changed && !owners.is_empty() && owners.is_subset(&units);
        let owners = if is_possible { owners } else { BTreeSet::new() };
        Seals { id: planned.locked.id.clone(), owners, units }
    }

    fn symbol(&self) -> String {
        format!("{PLAN}{}", self.id)
    }

    /// Whether a file is rewritten for its seal alone.
    fn is_needed(&self, path: &Path) -> bool {
        self.owners.contains(path)
    }

    /// What stands at the end of a file.
    fn of(&self, path: &Path, is_rewritten: bool) -> Option<String> {
        let is_owner = self.owners.contains(path);
        let names = !self.owners.is_empty() && self.units.contains(path) && is_rewritten;
        if !is_owner && !names {
            return None;
        }
        let symbol = self.symbol();
        let (open, close) =
            ("#ifdef __cplusplus\nextern \"C\" {\n#endif\n", "#ifdef __cplusplus\n}\n#endif\n");
        // One source may include another one: what each of them says stands there once.
        let (guard, what) = match is_owner {
            true => (
                format!("LAYOUTC_PLAN_{}_IS_HERE", self.id),
                format!("extern char {symbol};\n__attribute__((weak)) char {symbol} = 1;\n"),
            ),
            false => (
                format!("LAYOUTC_PLAN_{}_IS_NAMED", self.id),
                format!(
                    "extern char {symbol};\n__attribute__((used)) static char *const {symbol}_named = &{symbol};\n"
                ),
            ),
        };
        Some(format!(
            "\n// layoutc: objects with this data layout are linked together, and no others\n#if !defined __CUDA_ARCH__ && !defined {guard}\n#define {guard}\n{open}{what}{close}#endif\n"
        ))
    }
}

/// The files that define `main`.
fn with_main(success: &Success) -> Vec<PathBuf> {
    let program = &success.compiled.program;
    let is_main = |function: &&Function| {
        function.name == "main" && function.body.is_some() && function.record.is_none()
    };
    let sites = program.functions.iter().filter(is_main).flat_map(|function| &function.sites);
    let mut found: Vec<PathBuf> =
        sites.map(|site| absolute(success.sources().file(site.name.file).path())).collect();
    found.sort();
    found.dedup();
    found
}

/// How many arrays change, for a line on standard error.
pub fn counts(success: &Success) -> (usize, usize) {
    let (mut changed, mut all) = (0, 0);
    for class in success.compiled.classes.iter().filter(|class| is_told(class)) {
        all += 1;
        changed += usize::from(class.status == Status::Changed);
    }
    (changed, all)
}

//! Which program a source belongs to.
//!
//! It is looked for in the build folder's description (Ninja, CMake's Makefiles), then in `layoutc.toml`, then in a
//! compilation database. A command that compiles and links is a program by itself.

use crate::build::Settings;
use crate::outputs::absolute;
use layoutc_build::database;
use layoutc_build::state::{self, FOLDER, Hashed};
use layoutc_build::{Command, Description, Program, Unit};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// How many folders above that of the compiler are looked at.
const ABOVE: usize = 8;
const INDEX: &str = "index.json";

/// A program, and the folder whose build makes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The program.
    pub program: Program,
    /// The folder.
    pub build: PathBuf,
}

/// What a build folder's description says, as long as its files are the same.
#[derive(Serialize, Deserialize)]
struct Index {
    files: Vec<Hashed>,
    programs: Vec<Program>,
}

/// The program that the sources of a command belong to.
///
/// # Errors
/// A description that cannot be read.
pub fn find(command: &Command, settings: &Settings) -> Result<Option<Found>, String> {
    let Some(source) = command.sources.first() else { return Ok(None) };
    let (path, object) = (command.path_of(source), command.object_of(source));
    for folder in command.folder.ancestors().take(ABOVE) {
        let programs = programs_in(folder)?;
        let is_own = |program: &Program| program.units.iter().any(|unit| unit.object == object);
        if let Some(program) = programs.into_iter().find(is_own) {
            return Ok(Some(Found { program, build: folder.to_path_buf() }));
        }
    }
    if let Some(found) = of_config(settings)?.filter(|found| has(&found.program, &path)) {
        return Ok(Some(found));
    }
    for folder in command.folder.ancestors().take(ABOVE) {
        let database = folder.join("compile_commands.json");
        if database.is_file() {
            let program = of_database(&database)?;
            if has(&program, &path) {
                return Ok(Some(Found { program, build: folder.to_path_buf() }));
            }
        }
    }
    Ok(of_command(command))
}

fn has(program: &Program, source: &Path) -> bool {
    program.units.iter().any(|unit| unit.source == source)
}

/// The programs of the build in a folder; none if there is no description.
///
/// # Errors
/// A description that cannot be read.
pub fn programs_in(folder: &Path) -> Result<Vec<Program>, String> {
    let path = folder.join(FOLDER).join(INDEX);
    let known = fs::read(&path).ok().and_then(|text| serde_json::from_slice::<Index>(&text).ok());
    if let Some(index) = known
        && index.files.iter().all(|(file, hash)| state::hash_of(file).as_ref() == Some(hash))
    {
        return Ok(index.programs);
    }
    let Some(description) = Description::in_folder(folder)? else { return Ok(Vec::new()) };
    let hashed = |file: &PathBuf| Some((file.clone(), state::hash_of(file)?));
    let index = Index {
        files: description.files.iter().filter_map(hashed).collect(),
        programs: description.programs(folder),
    };
    if index.files.len() == description.files.len() && folder.join(FOLDER).is_dir() {
        let text = serde_json::to_vec(&index).map_err(|error| error.to_string())?;
        // Without it, the description is read again.
        let _ = state::write_changed(&path, &text);
    }
    Ok(index.programs)
}

/// The program that `layoutc.toml` names.
fn of_config(settings: &Settings) -> Result<Option<Found>, String> {
    let Some(config) = &settings.config else { return Ok(None) };
    let build = config.parent().unwrap_or(Path::new("/")).to_path_buf();
    let arguments = &settings.arguments;
    if let Some(project) = &arguments.project {
        let program = of_database(&absolute(project))?;
        return Ok(Some(Found { program, build }));
    }
    if arguments.files.is_empty() {
        return Ok(None);
    }
    let unit = |file: &PathBuf| {
        let source = absolute(file);
        let object = source.with_extension("o");
        let is_launched = is_cuda(&source);
        Unit {
            source,
            object,
            folder: build.clone(),
            words: vec!["nvcc".to_owned()],
            is_launched,
            options: Vec::new(),
        }
    };
    let units = arguments.files.iter().map(unit).collect();
    let program =
        Program { name: "program".to_owned(), units, owners: Vec::new(), archives: Vec::new() };
    Ok(Some(Found { program, build }))
}

/// All of a database is one program: it says nothing of links.
fn of_database(path: &Path) -> Result<Program, String> {
    let commands = database::commands(path).map_err(|error| error.message)?;
    let mut units: Vec<Unit> = Vec::new();
    for (folder, words) in commands {
        // A database does not name the launcher: that of the language that needs it is there.
        let of_command = Unit::all_of(&words, &folder)?;
        units.extend(
            of_command.into_iter().map(|unit| Unit {
                is_launched: unit.is_launched || is_cuda(&unit.source),
                ..unit
            }),
        );
    }
    units.sort();
    units.dedup();
    Ok(Program { name: "program".to_owned(), units, owners: Vec::new(), archives: Vec::new() })
}

fn is_cuda(source: &Path) -> bool {
    source.extension().is_some_and(|ending| ending == "cu")
}

/// The sources of one command that compiles and links.
fn of_command(command: &Command) -> Option<Found> {
    let links = !command.words.iter().any(|word| {
        matches!(
            word.as_str(),
            "-c" | "-dc"
                | "-dw"
                | "--compile"
                | "--device-c"
                | "--device-w"
                | "-E"
                | "--preprocess"
                | "-S"
        )
    });
    if !links {
        return None;
    }
    let name = command.output.as_deref().and_then(|output| output.file_name()?.to_str());
    let unit = |source: &String| Unit {
        source: command.path_of(source),
        object: command.object_of(source),
        folder: command.folder.clone(),
        words: command.words.clone(),
        is_launched: true,
        options: Vec::new(),
    };
    let units: Vec<Unit> = command.sources.iter().map(unit).collect();
    let program = Program {
        name: name.unwrap_or("a.out").to_owned(),
        units,
        owners: Vec::new(),
        archives: Vec::new(),
    };
    Some(Found { program, build: command.folder.clone() })
}

//! Which program a source belongs to.
//!
//! It is looked for in the build folder's description (Ninja, CMake's Makefiles), then in `layoutc.toml`, then in a
//! compilation database. A command that compiles and links is a program by itself.

use crate::build::Settings;
use crate::build::secret::{open_state, secret};
use crate::config;
use crate::folder::with_sources;
use crate::outputs::absolute;
use layoutc_build::database;
use layoutc_build::state::{self, FOLDER, Hashed};
use layoutc_build::{Command, Description, Program, Step, Unit};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// How many folders above that of the compiler are looked at.
const ABOVE: usize = 8;
const INDEX: &str = "index.json";
/// What has the name of a program and is none.
const COMMANDS: &str = "commands";

/// A program, and the folder whose build makes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The program.
    pub program: Program,
    /// The folder.
    pub build: PathBuf,
    /// The command that says and changes its layouts.
    pub plan: String,
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
pub fn find(command: &Command) -> Result<Option<Found>, String> {
    let Some(source) = command.sources.first() else { return Ok(None) };
    let (path, object) = (command.path_of(source), command.object_of(source));
    for folder in command.folder.ancestors().take(ABOVE) {
        let programs = programs_in(folder)?;
        let is_own = |program: &Program| program.units.iter().any(|unit| unit.object == object);
        if let Some(program) = programs.into_iter().find(is_own) {
            let plan = format!("layoutc plan --build {}", folder.display());
            return Ok(Some(Found { program, build: folder.to_path_buf(), plan }));
        }
    }
    for folder in path.ancestors().skip(1).filter(|folder| folder.join(config::NAME).is_file()) {
        let found = of_config(&Settings::in_folder(folder)?, command)?;
        if let Some(found) = found.filter(|found| has(&found.program, &path)) {
            return Ok(Some(found));
        }
    }
    for folder in command.folder.ancestors().take(ABOVE) {
        let database = folder.join("compile_commands.json");
        if database.is_file() {
            let program = of_database(&database)?;
            if has(&program, &path) {
                let plan = format!("layoutc plan --project {}", folder.display());
                return Ok(Some(Found { program, build: folder.to_path_buf(), plan }));
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
    let is_own = state::is_own(folder, &secret());
    let known = fs::read(&path)
        .ok()
        .filter(|_| is_own)
        .and_then(|text| serde_json::from_slice::<Index>(&text).ok());
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
    if index.files.len() == description.files.len() && is_own {
        let text = serde_json::to_vec(&index).map_err(|error| error.to_string())?;
        // Without it, the description is read again.
        let _ = state::write_changed(&path, &text);
    }
    Ok(index.programs)
}

/// The program that `layoutc.toml` names. Each source is compiled as it was the last time; one that was not yet, as
/// the file says.
fn of_config(settings: &Settings, command: &Command) -> Result<Option<Found>, String> {
    let Some(config) = &settings.config else { return Ok(None) };
    let build = config.parent().unwrap_or(Path::new("/")).to_path_buf();
    let plan = format!("layoutc plan --config {}", config.display());
    let arguments = &settings.arguments;
    if let Some(project) = &arguments.project {
        let program = of_database(&database_of(project))?;
        return Ok(Some(Found { program, build, plan }));
    }
    let files: Vec<PathBuf> = arguments.files.iter().map(|file| absolute(file)).collect();
    let sources = with_sources(&files)?;
    if !command.sources.iter().any(|source| sources.contains(&command.path_of(source))) {
        return Ok(None);
    }
    let known = commands(&build, command)?;
    let unit = |source: PathBuf| match known.get(&source) {
        Some(unit) => unit.clone(),
        None => Unit {
            object: source.with_extension("o"),
            folder: command.folder.clone(),
            // As this one, most likely; if not, the state is made again when it is compiled.
            words: command.given.clone(),
            is_launched: is_cuda(&source),
            options: Vec::new(),
            source,
        },
    };
    let units = sources.into_iter().map(unit).collect();
    let program =
        Program { name: "program".to_owned(), units, owners: Vec::new(), links: Vec::new() };
    Ok(Some(Found { program, build, plan }))
}

/// How the sources of a program without a description are compiled, as far as that is known: what this command says
/// is noted.
fn commands(build: &Path, command: &Command) -> Result<BTreeMap<PathBuf, Unit>, String> {
    let state = open_state(build, COMMANDS)?;
    let path = state.own_lock().with_file_name("commands.json");
    state.hold()?;
    let text = fs::read(&path).unwrap_or_default();
    let mut known: BTreeMap<PathBuf, Unit> = serde_json::from_slice(&text).unwrap_or_default();
    if command.step == Step::Compile {
        for source in &command.sources {
            let unit = Unit {
                source: command.path_of(source),
                object: command.object_of(source),
                folder: command.folder.clone(),
                words: command.given.clone(),
                is_launched: true,
                options: Vec::new(),
            };
            known.insert(unit.source.clone(), unit);
        }
        let text = serde_json::to_vec(&known).map_err(|error| error.to_string())?;
        state::write_changed(&path, &text)?;
    }
    Ok(known)
}

/// The database that is named by itself or by its folder.
fn database_of(project: &Path) -> PathBuf {
    let project = absolute(project);
    if project.is_dir() { project.join("compile_commands.json") } else { project }
}

/// All of a database is one program: it says nothing of links.
fn of_database(path: &Path) -> Result<Program, String> {
    let commands = database::commands(path).map_err(|error| error.message)?;
    let mut units: Vec<Unit> = Vec::new();
    for (folder, words) in commands {
        // A database does not name the launcher: that of the language that needs it is there.
        let of_command = Unit::all_of(&words, &folder).unwrap_or_default();
        units.extend(
            of_command.into_iter().map(|unit| Unit {
                is_launched: unit.is_launched || is_cuda(&unit.source),
                ..unit
            }),
        );
    }
    units.sort();
    units.dedup();
    Ok(Program { name: "program".to_owned(), units, owners: Vec::new(), links: Vec::new() })
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
    // Two commands may write to one place.
    let name = command.output.as_deref().map_or_else(
        || command.sources.join("+"),
        |output| output.strip_prefix(&command.folder).unwrap_or(output).display().to_string(),
    );
    let unit = |source: &String| Unit {
        source: command.path_of(source),
        object: command.object_of(source),
        folder: command.folder.clone(),
        words: command.words.clone(),
        is_launched: true,
        options: Vec::new(),
    };
    let units: Vec<Unit> = command.sources.iter().map(unit).collect();
    let program = Program { name, units, owners: Vec::new(), links: Vec::new() };
    let plan = format!("layoutc plan {}", command.sources.join(" "));
    Some(Found { program, build: command.folder.clone(), plan })
}

//! `layoutc plan`: the layouts of programs, in a file.

pub mod arguments;

use crate::arguments::ProgramArguments;
use crate::build::find::programs_in;
use crate::build::locked::{freed, refreshed};
use crate::build::make::{self, Planned, Stop};
use crate::build::{Found, Settings};
use crate::compile::Failure;
use crate::exit::{Exit, fail, say};
use crate::launch::arguments::WantedArguments;
use crate::outputs::absolute;
use crate::progress::phase;
use crate::summary;
use arguments::PlanArguments;
use layoutc_build::lock::{self, Lock, LockedProgram, SOURCE};
use layoutc_build::{Program, Unit, database, state};
use std::path::{Path, PathBuf};

/// Writes the lock file.
pub fn run(arguments: &PlanArguments) -> Exit {
    let format = arguments.program.format;
    if format.is_output() {
        return fail(format_args!(
            "`layoutc plan` has the formats text and short; `layoutc transform --check --format {}` writes that",
            format.name()
        ));
    }
    match plan(arguments) {
        Ok(exit) => exit,
        Err(Stop::Said(message)) => fail(message),
        Err(Stop::Reported(failure)) => {
            if matches!(*failure, Failure::Reported(..)) && !arguments.update {
                let exit = format.show_failure(&failure);
                say(
                    "layoutc: `layoutc plan --update` chooses other layouts where those of the lock file do not fit",
                );
                return exit;
            }
            format.show_failure(&failure)
        }
    }
}

fn plan(arguments: &PlanArguments) -> Result<Exit, Stop> {
    let programs = programs(arguments)?;
    let Some(first) = programs.first() else {
        return Err(Stop::Said("there is no program with a source in CUDA".to_owned()));
    };
    let path = lock_path(arguments.lock.as_ref(), &Settings::of_program(&first.program)?);
    let before = match Lock::read(&path) {
        Err(_) if arguments.update => None,
        other => other?,
    };
    let mut lock = before.clone().unwrap_or_default();
    for (number, found) in (1..).zip(&programs) {
        let name = &found.program.name;
        let _phase = phase(format!("plan: {name}, program {number} of {}", programs.len()));
        let mut settings = Settings::of_program(&found.program)?;
        if arguments.build.is_none() {
            // The command line has been read with what the file says.
            settings.arguments = arguments.program.clone();
        }
        settings.lock = Some(path.clone());
        settings.add(&WantedArguments::of_units(&found.program.units)?);
        let known = lock.program(&found.program.name);
        // A layout that is asked for wins over one that was chosen.
        let is_asked = settings.asks_for_layouts();
        let asked = known.clone().filter(|_| !arguments.update && !is_asked);
        let Planned { mut locked, success } = make::plan(found, &settings, asked.clone())?;
        if let Some(asked) = &asked {
            locked = refreshed(asked, &success);
        }
        let format = arguments.program.format;
        format.show_diagnostics(success.sources(), &success.compiled.diagnostics);
        say(format_args!("{}: {}", found.program.name, summary::counts(&success, false)));
        for array in &locked.arrays {
            say(format_args!("  {}: {}: {}", array.target, array.layout, array.because));
        }
        for line in differences(known.as_ref(), &locked) {
            say(line);
        }
        for target in asked.iter().flat_map(|asked| freed(asked, &success)) {
            say(format_args!(
                "{target} could not change when its layout was chosen, and can now: `layoutc plan --update` chooses anew"
            ));
        }
        lock.put(locked);
    }
    if arguments.build.is_some() && arguments.update {
        // What the build no longer makes; without --update it may be what another one does.
        lock.programs.retain(|known| programs.iter().any(|found| found.program.name == known.name));
    }
    let text = lock.text();
    let known = std::fs::read_to_string(&path);
    // Whoever edits a layout need not write its id.
    let is_edited =
        known.is_ok() && before.as_ref().is_some_and(|own| own.with_ids().text() == text);
    let is_same = known.is_ok_and(|before| before == text) || (arguments.check && is_edited);
    if arguments.check {
        if !is_same {
            say(format_args!("{} is not up to date; `layoutc plan` writes it", path.display()));
        }
        return Ok(if is_same { Exit::Done } else { Exit::Reported });
    }
    state::write_changed(&path, text.as_bytes())?;
    say(format_args!("{}: {}", if is_same { "up to date" } else { "written" }, path.display()));
    Ok(Exit::Done)
}

/// The programs to plan: those of a build that have a source in CUDA, or the one of the command line.
fn programs(arguments: &PlanArguments) -> Result<Vec<Found>, Stop> {
    let Some(folder) = &arguments.build else {
        let build = absolute(Path::new("."));
        return Ok(vec![Found { program: named(&arguments.program)?, build, plan: String::new() }]);
    };
    let build = absolute(folder);
    let programs = programs_in(&build)?;
    if programs.is_empty() {
        return Err(Stop::Said(format!(
            "{} has no build.ninja and no Makefile of CMake; name the program's files, or its compilation database with --project",
            folder.display()
        )));
    }
    let is_cuda = |unit: &Unit| unit.source.extension().is_some_and(|ending| ending == "cu");
    let with_cuda = programs.into_iter().filter(|program| program.units.iter().any(is_cuda));
    Ok(with_cuda
        .map(|program| Found { program, build: build.clone(), plan: String::new() })
        .collect())
}

/// The program of the command line.
///
/// # Errors
/// Its compilation database cannot be read.
pub fn named(own: &ProgramArguments) -> Result<Program, Stop> {
    let mut units: Vec<Unit> = Vec::new();
    let here = absolute(Path::new("."));
    match &own.project {
        Some(project) => {
            let path = if project.is_dir() {
                project.join("compile_commands.json")
            } else {
                project.clone()
            };
            for (folder, words) in
                database::commands(&absolute(&path)).map_err(|error| error.message)?
            {
                units.extend(Unit::all_of(&words, &folder)?);
            }
        }
        None => units.extend(own.files.iter().map(|file| {
            let source = absolute(file);
            let (object, words) = (source.with_extension("o"), vec!["nvcc".to_owned()]);
            Unit {
                source,
                object,
                folder: here.clone(),
                words,
                is_launched: true,
                options: Vec::new(),
            }
        })),
    }
    for unit in &mut units {
        unit.is_launched |= unit.source.extension().is_some_and(|ending| ending == "cu");
    }
    units.sort();
    units.dedup();
    Ok(Program { name: "program".to_owned(), units, owners: Vec::new(), links: Vec::new() })
}

/// The lock file: the one that is given, or that of the project.
pub fn lock_path(given: Option<&PathBuf>, settings: &Settings) -> PathBuf {
    let beside_config = settings.config.as_ref().map(|config| config.with_file_name(lock::NAME));
    let given = given.map(|path| absolute(path));
    given
        .or_else(|| settings.lock.clone())
        .or(beside_config)
        .unwrap_or_else(|| absolute(Path::new(lock::NAME)))
}

/// What is new in the layouts of a program, a line each.
fn differences(before: Option<&LockedProgram>, after: &LockedProgram) -> Vec<String> {
    let Some(before) = before else { return Vec::new() };
    let mut lines = Vec::new();
    for array in &after.arrays {
        let known = before
            .arrays
            .iter()
            .find(|known| known.target == array.target && known.element == array.element);
        match known {
            None => lines.push(format!(
                "new: {} ({}) as {}",
                array.target,
                array.names.join(", "),
                array.layout
            )),
            Some(known) if known.layout != array.layout => {
                lines.push(format!(
                    "changed: {} from {} to {}",
                    array.target, known.layout, array.layout
                ));
            }
            Some(known) if known.members != array.members && array.layout != SOURCE => {
                lines.push(format!(
                    "{} has other members than when its layout was chosen",
                    array.element
                ));
            }
            Some(_) => {}
        }
    }
    let is_gone = |known: &&layoutc_build::lock::LockedArray| {
        !after
            .arrays
            .iter()
            .any(|array| array.target == known.target && array.element == known.element)
    };
    lines.extend(
        before.arrays.iter().filter(is_gone).map(|known| format!("gone: {}", known.target)),
    );
    lines
}

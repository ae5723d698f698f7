//! `layoutc launch -- nvcc …`: the compiler runs on the rewritten program.

pub mod arguments;

use crate::build::find::find;
use crate::build::make::{self, Stop};
use crate::build::{Found, Settings};
use crate::compile::Failure;
use crate::exit::{Exit, fail, say};
use crate::render::render;
use arguments::{LaunchArguments, WantedArguments};
use layoutc_build::depfile::{self, Rule};
use layoutc_build::lock::{Lock, LockedProgram};
use layoutc_build::paths::absolute_in;
use layoutc_build::state::{self, Compiled, Manifest, State};
use layoutc_build::{Command, Step, Unit};
use layoutc_diagnostics::Severity;
use rayon::prelude::*;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process;

/// Set for launches that another one starts, to compile what its build does not know of.
const AGAIN: &str = "LAYOUTC_LAUNCH_AGAIN";

/// How often a state is made again because a file changed in the meantime.
const ATTEMPTS: usize = 20;

/// Runs the compiler. Does not come back from it: the exit code is the compiler's.
pub fn run(arguments: &LaunchArguments) -> Exit {
    let words: Option<Vec<String>> =
        arguments.command.iter().map(|word| word.to_str().map(str::to_owned)).collect();
    // What is no Unicode names no file that can be mirrored.
    let Some(words) = words else { return pass_on(&arguments.command) };
    let folder = match std::env::current_dir() {
        Ok(folder) => folder,
        Err(error) => return fail(format_args!("there is no current folder: {error}")),
    };
    let command = match Command::parse(&words, &folder) {
        Ok(command) => command,
        // The compiler says it better.
        Err(_) => return pass_on(&arguments.command),
    };
    match command.step {
        Step::Dependencies | Step::Other => return pass_on(&arguments.command),
        Step::Compile | Step::Text => {}
    }
    let Some(source) = command.sources.first().map(|source| command.path_of(source)) else {
        return pass_on(&arguments.command);
    };
    let (found, settings, updates) = match program(arguments, &command, &source) {
        Ok(Some(found)) => found,
        Ok(None) => {
            say(format_args!(
                "layoutc: no program has {}, so it is compiled as it is: there is no build.ninja or Makefile of CMake with it, no compile_commands.json, and no `files` in a layoutc.toml",
                source.display()
            ));
            return pass_on(&arguments.command);
        }
        Err(message) => return fail(message),
    };
    let launch = Launch { command, found, settings, updates };
    match launch.run() {
        Ok(code) => process::exit(code),
        Err(Stop::Said(message)) => fail(message),
        Err(Stop::Reported(failure)) => match launch.compiler_refuses() {
            Some(code) => process::exit(code),
            None => launch.report(&failure),
        },
    }
}

/// The program of a source, what is wanted of it, and whether layouts may be chosen anew.
fn program(
    arguments: &LaunchArguments,
    command: &Command,
    source: &Path,
) -> Result<Option<(Found, Settings, bool)>, String> {
    let Some(found) = find(command, &Settings::of(source)?)? else { return Ok(None) };
    let mut settings = Settings::of_program(&found.program)?;
    // All launches of a program want the same; where the build does not say what the others want, this one's counts.
    let mut wanted = WantedArguments::of_units(&found.program.units)?;
    wanted.add(&arguments.wanted);
    settings.add(&wanted);
    Ok(Some((found, settings, wanted.update)))
}

/// Runs a command as it is, in the place of this process.
fn pass_on(words: &[OsString]) -> Exit {
    let Some((program, arguments)) = words.split_first() else {
        return fail("there is no command");
    };
    let mut command = process::Command::new(program);
    command.args(arguments);
    #[cfg(unix)]
    {
        let error = std::os::unix::process::CommandExt::exec(&mut command);
        fail(format_args!("cannot run {}: {error}", program.display()))
    }
    #[cfg(not(unix))]
    match command.status() {
        Ok(status) => process::exit(code_of(status)),
        Err(error) => fail(format_args!("cannot run {}: {error}", program.display())),
    }
}

/// The exit code of a process, as a shell has it: 128 and the number of the signal that ended it.
fn code_of(status: process::ExitStatus) -> i32 {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal: Option<i32> = None;
    status.code().unwrap_or_else(|| 128 + signal.unwrap_or(0))
}

/// One run of a compiler.
struct Launch {
    command: Command,
    found: Found,
    settings: Settings,
    updates: bool,
}

impl Launch {
    fn run(&self) -> Result<i32, Stop> {
        let state = State::open(&self.found.build, &self.found.program.name)?;
        let mut manifest = self.fresh(&state)?;
        if std::env::var_os(AGAIN).is_none() {
            let stale = self.stale(&state, &manifest);
            if !stale.is_empty() {
                state.release()?;
                self.compile_again(&stale)?;
                self.check_archives(&stale)?;
                manifest = self.fresh(&state)?;
            }
        }
        self.note(&state, &manifest, None)?;
        let units = || self.sources().filter_map(|source| manifest.units.get(&source));
        let words = match units().any(|unit| unit.is_rewritten) {
            false => self.command.given.clone(),
            true => self.command.redirected(&|path| manifest.files.get(path).cloned(), &|path| {
                manifest.folders.get(path).cloned()
            }),
        };
        let (program, arguments) =
            words.split_first().ok_or_else(|| "there is no command".to_owned())?;
        let status = process::Command::new(program).args(arguments).status();
        let status = status.map_err(|error| format!("cannot run {program}: {error}"))?;
        if status.success() {
            let reads = self.mend_depfile(&state, &manifest)?;
            self.note(&state, &manifest, reads)?;
        }
        Ok(code_of(status))
    }

    fn sources(&self) -> impl Iterator<Item = PathBuf> {
        self.command.sources.iter().map(|source| self.command.path_of(source))
    }

    /// The state, made anew if it has to be; it is shared when this comes back.
    fn fresh(&self, state: &State) -> Result<Manifest, Stop> {
        for _ in 0..ATTEMPTS {
            state.share()?;
            if let Some(manifest) = self.usable(state)? {
                return Ok(manifest);
            }
            state.hold()?;
            // Another launch may have made it while this one waited.
            if self.usable(state)?.is_none() {
                self.make(state)?;
            }
        }
        Err(Stop::Said(format!(
            "the sources of {} keep changing while they are compiled",
            self.found.program.name
        )))
    }

    /// The manifest, if it is of what is there now.
    fn usable(&self, state: &State) -> Result<Option<Manifest>, String> {
        let Some(manifest) = state.manifest() else { return Ok(None) };
        let key = self.key(self.locked(state)?.as_ref());
        Ok(manifest.is_fresh(&key).then_some(manifest))
    }

    fn locked(&self, state: &State) -> Result<Option<LockedProgram>, String> {
        match self.settings.locked(&state.own_lock(), &self.found.program.name) {
            Err(_) if self.updates || self.settings.lock.is_none() => Ok(None),
            other => other,
        }
    }

    fn lock_path(&self, state: &State) -> PathBuf {
        self.settings.lock.clone().unwrap_or_else(|| state.own_lock())
    }

    /// A hash of all that the state rests on and that is no source.
    fn key(&self, locked: Option<&LockedProgram>) -> String {
        state::hash(format!("{} {:?}", self.settings.key(locked), self.found.program).as_bytes())
    }

    /// Makes the state: layouts as `layoutc.toml` or the lock file says, or chosen.
    fn make(&self, state: &State) -> Result<(), Stop> {
        let known = self.locked(state)?;
        // A layout that is asked for wins over one that was chosen.
        let is_asked = self.settings.asks_for_layouts();
        let kept = known.clone().filter(|_| !is_asked);
        let planned = match make::plan(&self.found, &self.settings, kept.clone()) {
            Err(_) if self.updates && kept.is_some() => {
                make::plan(&self.found, &self.settings, None)?
            }
            other => other?,
        };
        let lock = self.lock_path(state);
        if known.as_ref().map(|known| &known.id) != Some(&planned.locked.id) {
            self.write_lock(&lock, &planned.locked)?;
            let (changed, all) = make::counts(&planned.success);
            say(format_args!(
                "layoutc: {}: {changed} of {all} arrays of structs change (`layoutc plan --build {}` shows why)",
                self.found.program.name,
                self.found.build.display()
            ));
        }
        let key = self.key(self.locked(state)?.as_ref());
        make::mirror(state, &self.found, &planned, key)?;
        Ok(())
    }

    /// Writes the lock file. That of a project stays as it is: a launch changes no source tree unless it is asked to.
    fn write_lock(&self, path: &Path, locked: &LockedProgram) -> Result<(), Stop> {
        let is_own = self.settings.lock.is_none();
        if !is_own && !self.updates {
            return Err(Stop::Said(format!(
                "{} is not up to date for `{}`; run `layoutc plan --build {}`, or launch with --update",
                path.display(),
                self.found.program.name,
                self.found.build.display()
            )));
        }
        if Lock::read(path).is_err() {
            // It cannot be read, and may be made anew.
            state::write_changed(path, Lock::default().text().as_bytes())?;
        }
        make::write_lock(path, locked)?;
        Ok(())
    }

    /// The units of this program, compiled before, that have another text now although nothing that they read has
    /// changed: their build does not know that they are to be compiled again.
    fn stale(&self, state: &State, manifest: &Manifest) -> Vec<&Unit> {
        let own: Vec<PathBuf> = self.sources().collect();
        let is_stale = |unit: &&Unit| {
            let Some(text) = manifest.units.get(&unit.source) else { return false };
            let compiled = state.compiled(&unit.object).filter(|_| unit.object.exists());
            compiled.is_some_and(|compiled| {
                !own.contains(&unit.source)
                    && unit.is_launched
                    && compiled.text != text.text
                    && compiled
                        .reads
                        .iter()
                        .all(|(path, hash)| state::hash_of(path).as_ref() == Some(hash))
            })
        };
        self.found.program.units.iter().filter(is_stale).collect()
    }

    /// Compiles units as their build would, each behind a launch of its own.
    fn compile_again(&self, units: &[&Unit]) -> Result<(), Stop> {
        let own = std::env::current_exe()
            .map_err(|error| format!("cannot run layoutc again: {error}"))?;
        let compile = |unit: &Unit| -> Result<(), String> {
            say(format_args!(
                "layoutc: compiling {} again, whose layouts changed",
                unit.source.display()
            ));
            let status = process::Command::new(&own)
                .args(["launch", "--"])
                .args(&unit.words)
                .current_dir(&unit.folder)
                .env(AGAIN, "1")
                .status()
                .map_err(|error| format!("cannot run {}: {error}", own.display()))?;
            match status.success() {
                true => Ok(()),
                false => Err(format!("{} cannot be compiled", unit.source.display())),
            }
        };
        units.par_iter().map(|unit| compile(unit)).collect::<Result<Vec<()>, String>>()?;
        Ok(())
    }

    /// Refuses to go on if what was compiled again lies in a static library that this build does not make again.
    fn check_archives(&self, units: &[&Unit]) -> Result<(), Stop> {
        let own: Vec<PathBuf> =
            self.command.sources.iter().map(|source| self.command.object_of(source)).collect();
        let is_left = |unit: &&&Unit| {
            let mut archives = self.found.program.archives.iter();
            archives.any(|objects| {
                objects.contains(&unit.object) && !objects.iter().any(|object| own.contains(object))
            })
        };
        match units.iter().find(is_left) {
            None => Ok(()),
            Some(unit) => Err(Stop::Said(format!(
                "the layouts of `{}` changed; {} was compiled again, and its library has to be made again: build again",
                self.found.program.name,
                unit.source.display()
            ))),
        }
    }

    /// Notes what the objects are compiled from: what the model knows, or what the compiler said.
    fn note(
        &self,
        state: &State,
        manifest: &Manifest,
        reads: Option<Vec<PathBuf>>,
    ) -> Result<(), Stop> {
        if self.command.step != Step::Compile {
            return Ok(());
        }
        for source in &self.command.sources {
            let Some(unit) = manifest.units.get(&self.command.path_of(source)) else { continue };
            let files = reads.as_ref().unwrap_or(&unit.reads);
            let files = || files.iter().chain(self.settings.files());
            let hashed = |path: &PathBuf| Some((path.clone(), state::hash_of(path)?));
            let compiled =
                Compiled { text: unit.text.clone(), reads: files().filter_map(hashed).collect() };
            state.note(&self.command.object_of(source), &compiled)?;
        }
        Ok(())
    }

    /// Lets the dependency file name the original files, `layoutc.toml` and the project's lock file. Gives the files
    /// that it names; system headers are none.
    fn mend_depfile(
        &self,
        state: &State,
        manifest: &Manifest,
    ) -> Result<Option<Vec<PathBuf>>, Stop> {
        let Some(path) = &self.command.depfile else { return Ok(None) };
        let Ok(text) = std::fs::read_to_string(path) else { return Ok(None) };
        let mut rules = depfile::parse(&text);
        let mirror = state.mirror();
        let root =
            manifest.folders.iter().find(|(_, place)| **place == mirror).map(|(folder, _)| folder);
        let mut reads = Vec::new();
        for rule in &mut rules {
            for file in &mut rule.files {
                let full = absolute_in(&self.command.folder, file);
                let original =
                    full.strip_prefix(&mirror).ok().and_then(|below| Some(root?.join(below)));
                if let Some(original) = original {
                    *file = original;
                }
                reads.push(absolute_in(&self.command.folder, file));
            }
        }
        if let Some(Rule { files, .. }) = rules.first_mut() {
            files.extend(self.settings.files().cloned());
        }
        state::write_changed(path, depfile::write(&rules).as_bytes())?;
        reads.extend(self.settings.files().cloned());
        reads.retain(|path| !["/usr", "/opt"].iter().any(|system| path.starts_with(system)));
        Ok(Some(reads))
    }

    /// Where the rewritten program cannot be had: the exit code of the compiler on the source as it is, if that is
    /// wrong. Its messages say what is wrong with C++; what it makes of a source without mistakes is taken away.
    fn compiler_refuses(&self) -> Option<i32> {
        let (program, arguments) = self.command.given.split_first()?;
        let status = process::Command::new(program).args(arguments).status().ok()?;
        if !status.success() {
            return Some(code_of(status));
        }
        let objects = self.command.sources.iter().map(|source| self.command.object_of(source));
        for made in objects.chain(self.command.output.clone()).chain(self.command.depfile.clone()) {
            let _ = std::fs::remove_file(made);
        }
        None
    }

    /// Says what is wrong with the program: errors only, because the rest is no news in a build.
    fn report(&self, failure: &Failure) -> Exit {
        match failure {
            Failure::Reported(sources, diagnostics) => {
                let errors: Vec<_> = diagnostics
                    .iter()
                    .filter(|found| found.severity == Severity::Error)
                    .cloned()
                    .collect();
                render(sources, &errors);
                let lock = self.settings.lock.as_deref().map_or_else(
                    || "the lock file of this build".to_owned(),
                    |lock| lock.display().to_string(),
                );
                say(format_args!(
                    "layoutc: `{}` cannot be compiled as {lock} says; `layoutc plan --update --build {}` chooses anew, `layoutc launch --update` does so whenever it has to",
                    self.found.program.name,
                    self.found.build.display()
                ));
                Exit::Reported
            }
            Failure::Internal(error) => fail(error),
        }
    }
}

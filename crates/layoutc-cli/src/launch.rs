//! `layoutc launch -- nvcc …`: the compiler runs on the rewritten program.

pub mod arguments;

use crate::build::find::find;
use crate::build::locked::is_refused;
use crate::build::make::{self, Stop};
use crate::build::secret::open_state;
use crate::build::{Found, Settings};
use crate::compile::Failure;
use crate::exit::{Exit, fail, say};
use crate::render::render;
use arguments::{LaunchArguments, WantedArguments};
use layoutc_build::command::folders_of_environment;
use layoutc_build::depfile::{self, Rule};
use layoutc_build::lock::{Lock, LockedProgram};
use layoutc_build::paths::{absolute_in, seen_from};
use layoutc_build::state::{self, Compiled, Manifest, State};
use layoutc_build::{Command, Step, Unit};
use layoutc_diagnostics::{Code, Diagnostic, Severity};
use rayon::prelude::*;
use std::collections::BTreeMap;
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
    let Some(mut words) = words else { return pass_on(&arguments.command) };
    words.extend(folders_of_environment(|name| std::env::var(name).ok()));
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
    let (found, settings, wanted) = match program(arguments, &command) {
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
    let launch = Launch { command, found, settings, wanted };
    match launch.run() {
        Ok(code) => process::exit(code),
        Err(Stop::Said(message)) => fail(message),
        Err(Stop::Reported(failure)) => match launch.compiler_refuses() {
            Some(code) => process::exit(code),
            None => launch.report(&failure),
        },
    }
}

/// The program of a source, what the project wants of it, and what its launches want.
fn program(
    arguments: &LaunchArguments,
    command: &Command,
) -> Result<Option<(Found, Settings, WantedArguments)>, String> {
    let Some(found) = find(command)? else { return Ok(None) };
    let mut settings = Settings::of_program(&found.program)?;
    // All launches of a program want the same; where the build does not say what the others want, this one's counts.
    let mut wanted = WantedArguments::of_units(&found.program.units)?;
    wanted.add(&arguments.wanted);
    settings.add(&wanted);
    Ok(Some((found, settings, wanted)))
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

/// Where a file or folder is in the mirror, by whatever way it is named.
fn place_of(places: &BTreeMap<PathBuf, PathBuf>, path: &Path) -> Option<PathBuf> {
    let real = || places.get(&std::fs::canonicalize(path).ok()?);
    places.get(path).or_else(real).cloned()
}

/// One run of a compiler.
struct Launch {
    command: Command,
    found: Found,
    settings: Settings,
    wanted: WantedArguments,
}

impl Launch {
    fn run(&self) -> Result<i32, Stop> {
        let state = open_state(&self.found.build, &self.found.program.name)?;
        let mut manifest = self.fresh(&state)?;
        let is_again = std::env::var_os(AGAIN).is_some();
        let mut gates = Vec::new();
        if is_again {
            // Several launches may ask for one object; the first one compiles it.
            for source in &self.command.sources {
                let gate = state.object_gate(&self.command.object_of(source))?;
                gate.lock().map_err(|error| format!("cannot lock: {error}"))?;
                gates.push(gate);
            }
            if self.is_done(&state, &manifest) {
                return Ok(0);
            }
        } else {
            let stale = self.stale(&state, &manifest);
            if !stale.is_empty() {
                state.release()?;
                self.compile_again(&stale)?;
                self.check_links(&stale)?;
                manifest = self.fresh(&state)?;
            }
            // Its build knows whether it succeeds; of what is compiled again, only the note says it.
            self.note(&state, &manifest, None)?;
        }
        let units = || self.sources().filter_map(|source| manifest.units.get(&source));
        let words = match units().any(|unit| unit.is_rewritten) {
            false => self.command.given.clone(),
            true => self.command.redirected(&|path| place_of(&manifest.files, path), &|path| {
                place_of(&manifest.folders, path)
            }),
        };
        let (program, arguments) =
            words.split_first().ok_or_else(|| "there is no command".to_owned())?;
        let status = process::Command::new(program).args(arguments).status();
        let status = status.map_err(|error| format!("cannot run {program}: {error}"))?;
        // Compilers write it, whether they succeed or not.
        let reads = self.mend_depfile(&state, &manifest)?;
        if status.success() {
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
            Err(_) if self.wanted.update || self.settings.lock.is_none() => Ok(None),
            other => other,
        }
    }

    fn lock_path(&self, state: &State) -> PathBuf {
        self.settings.lock.clone().unwrap_or_else(|| state.own_lock())
    }

    /// A hash of all that the state rests on and that is no source.
    fn key(&self, locked: Option<&LockedProgram>) -> String {
        let program = &self.found.program;
        let units = program.units.iter().map(|unit| {
            let options = Command::parse(&unit.words, &unit.folder).map(|command| command.options);
            (&unit.source, options, unit.is_launched)
        });
        let units: Vec<_> = units.collect();
        let settings = self.settings.key(locked);
        state::hash(
            format!("{settings} {} {units:?} {:?}", program.name, program.owners).as_bytes(),
        )
    }

    /// Makes the state: layouts as `layoutc.toml` or the lock file says, or chosen.
    fn make(&self, state: &State) -> Result<(), Stop> {
        let known = self.locked(state)?;
        // A layout that is asked for wins over one that was chosen.
        let is_asked = self.settings.asks_for_layouts();
        let kept = known.clone().filter(|_| !is_asked);
        // A lock file that people keep says what it says; what launches note is theirs.
        let is_own = self.settings.lock.is_none();
        let planned = match kept.as_ref().filter(|own| is_own && own.arrays.iter().any(is_refused))
        {
            Some(own) => make::reconsider(&self.found, &self.settings, own),
            None => make::plan(&self.found, &self.settings, kept.clone()),
        };
        let planned = match planned {
            Err(stop) if kept.is_some() && (self.wanted.update || self.is_outdated(&stop)) => {
                make::plan(&self.found, &self.settings, None)?
            }
            other => other?,
        };
        let lock = self.lock_path(state);
        let is_chosen = known.as_ref().map(|known| &known.id) != Some(&planned.locked.id);
        if is_chosen {
            self.write_lock(&lock, &planned.locked)?;
        }
        let key = self.key(self.locked(state)?.as_ref());
        let old = state.manifest();
        // Somebody may have edited the lock file.
        if is_chosen || old.as_ref().is_some_and(|old| old.key != key) {
            let (changed, all) = make::counts(&planned.success);
            let [plural, verb] = if all == 1 { ["", "changes"] } else { ["s", "change"] };
            say(format_args!(
                "layoutc: {}: {changed} of {all} array{plural} {verb} (`{} --check` shows why)",
                self.found.program.name, self.found.plan
            ));
        }
        let is_new = old.is_none();
        let manifest = make::mirror(state, &self.found, &planned, key)?;
        if is_new {
            self.remove_unknown(state, &manifest, make::symbol(&self.found, &planned).as_deref());
        }
        Ok(())
    }

    /// Takes away objects of this program that an earlier state knew, and that were compiled in other layouts: their
    /// build would link them as they are.
    fn remove_unknown(&self, state: &State, manifest: &Manifest, symbol: Option<&str>) {
        let own: Vec<PathBuf> =
            self.command.sources.iter().map(|source| self.command.object_of(source)).collect();
        let is_unknown = |unit: &&Unit| {
            unit.is_launched
                && unit.object.starts_with(&self.found.build)
                && !own.contains(&unit.object)
                && state.compiled(&unit.object).is_none()
        };
        for unit in self.found.program.units.iter().filter(is_unknown) {
            let is_rewritten =
                manifest.units.get(&unit.source).is_some_and(|text| text.is_rewritten);
            let Ok(object) = std::fs::read(&unit.object) else { continue };
            let names = |text: &str| object.windows(text.len()).any(|own| own == text.as_bytes());
            let is_of_plan = match (is_rewritten, symbol) {
                (true, Some(symbol)) => names(symbol),
                (true, None) | (false, _) => !names(make::PLAN),
            };
            if !is_of_plan && std::fs::remove_file(&unit.object).is_ok() {
                say(format_args!(
                    "layoutc: removed {}, which was compiled in other layouts; build again if it is missing",
                    unit.object.display()
                ));
            }
        }
    }

    /// Whether the build folder's own lock file names what is no longer there, or what a pragma keeps now: nobody
    /// wrote it, and it is made anew.
    fn is_outdated(&self, stop: &Stop) -> bool {
        let Stop::Reported(failure) = stop else { return false };
        let Failure::Reported(sources, diagnostics) = &**failure else { return false };
        let mut errors = diagnostics.iter().filter(|found| found.severity == Severity::Error);
        let is_kept_by_pragma = |error: &Diagnostic| {
            let place = error.primary.as_ref().map(|label| sources.text(label.span));
            error.code == Code::REQUIRED_CLASS_KEPT
                && place.is_some_and(|text| text.starts_with('#'))
        };
        self.settings.lock.is_none()
            && errors.any(|error| error.code == Code::UNKNOWN_CLASS || is_kept_by_pragma(error))
    }

    /// Writes the lock file. That of a project stays as it is: a launch changes no source tree unless it is asked to.
    fn write_lock(&self, path: &Path, locked: &LockedProgram) -> Result<(), Stop> {
        let is_own = self.settings.lock.is_none();
        if !is_own && !self.wanted.update {
            return Err(Stop::Said(format!(
                "{} is not up to date for `{}`; run `{}`, or launch with --update",
                path.display(),
                self.found.program.name,
                self.found.plan
            )));
        }
        if Lock::read(path).is_err() {
            // It cannot be read, and may be made anew.
            state::write_changed(path, Lock::default().text().as_bytes())?;
        }
        make::write_lock(path, locked)?;
        Ok(())
    }

    /// Whether all objects of the command are compiled from what is there now.
    fn is_done(&self, state: &State, manifest: &Manifest) -> bool {
        self.command.sources.iter().all(|source| {
            let text = manifest.units.get(&self.command.path_of(source));
            let compiled = state.compiled(&self.command.object_of(source));
            text.zip(compiled).is_some_and(|(text, compiled)| text.text == compiled.text)
        })
    }

    /// The units of this program, compiled before, that have another text now although nothing that they read has
    /// changed: their build does not know that they are to be compiled again. With what their compiler was run with.
    fn stale(&self, state: &State, manifest: &Manifest) -> Vec<(&Unit, Compiled)> {
        let own: Vec<PathBuf> =
            self.command.sources.iter().map(|source| self.command.object_of(source)).collect();
        let stale = |unit: &'_ Unit| {
            let text = manifest.units.get(&unit.source)?;
            let compiled = state.compiled(&unit.object).filter(|_| unit.object.exists())?;
            let is_unchanged =
                |(path, hash): &(PathBuf, String)| state::hash_of(path).as_ref() == Some(hash);
            let is_stale = unit.is_launched
                && !own.contains(&unit.object)
                && compiled.text != text.text
                && compiled.reads.iter().all(is_unchanged);
            is_stale.then_some(compiled)
        };
        let units = self.found.program.units.iter();
        units.filter_map(|unit| Some((unit, stale(unit)?))).collect()
    }

    /// Compiles units as their build did, each behind a launch of its own.
    fn compile_again(&self, units: &[(&Unit, Compiled)]) -> Result<(), Stop> {
        let own = std::env::current_exe()
            .map_err(|error| format!("cannot run layoutc again: {error}"))?;
        let compile = |(unit, compiled): &(&Unit, Compiled)| -> Result<(), String> {
            say(format_args!(
                "layoutc: compiling {} again, whose layouts changed",
                unit.source.display()
            ));
            let status = process::Command::new(&own)
                .arg("launch")
                .args(self.wanted.words())
                .arg("--")
                .args(&compiled.words)
                .current_dir(&compiled.folder)
                .env(AGAIN, "1")
                .status()
                .map_err(|error| format!("cannot run {}: {error}", own.display()))?;
            match status.success() {
                true => Ok(()),
                false => Err(format!(
                    "{} cannot be compiled again with `{}`",
                    unit.source.display(),
                    compiled.words.join(" ")
                )),
            }
        };
        units.par_iter().map(compile).collect::<Result<Vec<()>, String>>()?;
        Ok(())
    }

    /// Refuses to go on if what was compiled again is part of something that this build does not link again.
    fn check_links(&self, units: &[(&Unit, Compiled)]) -> Result<(), Stop> {
        let own: Vec<PathBuf> =
            self.command.sources.iter().map(|source| self.command.object_of(source)).collect();
        let is_left = |(unit, _): &&(&Unit, Compiled)| {
            let mut links = self.found.program.links.iter();
            links.any(|objects| {
                objects.contains(&unit.object) && !objects.iter().any(|object| own.contains(object))
            })
        };
        match units.iter().find(is_left) {
            None => Ok(()),
            Some((unit, _)) => Err(Stop::Said(format!(
                "the layouts of `{}` changed; {} was compiled again, and what it is linked into has to be made again: build again",
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
            // A build that keeps no dependency files does not look at those of the project.
            let project = self.settings.files().filter(|_| self.command.depfile.is_some());
            let files = files.iter().chain(project);
            let hashed = |path: &PathBuf| Some((path.clone(), state::hash_of(path)?));
            let compiled = Compiled {
                text: unit.text.clone(),
                reads: files.filter_map(hashed).collect(),
                folder: self.command.folder.clone(),
                words: self.command.given.clone(),
            };
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
        let original = |path: &Path| {
            let full = absolute_in(&self.command.folder, path);
            Some(root?.join(full.strip_prefix(&mirror).ok()?))
        };
        // A build system compares names: a header is named as its folder was given, and what a source includes from
        // its own folder as the source was.
        let folders = self.command.folders();
        let is_relative = self.command.sources.iter().all(|source| Path::new(source).is_relative());
        let spelled = |path: PathBuf| {
            let around = folders.iter().filter(|(_, folder)| path.starts_with(folder));
            let nearest = around.max_by_key(|(_, folder)| folder.components().count());
            match (nearest, is_relative) {
                (Some((name, folder)), _) => {
                    Path::new(name).join(path.strip_prefix(folder).unwrap_or(&path))
                }
                (None, true) => seen_from(&self.command.folder, &path),
                (None, false) => path,
            }
        };
        let mut reads = Vec::new();
        for rule in &mut rules {
            if let Some(path) = original(Path::new(&rule.target)) {
                rule.target = depfile::escaped(&spelled(path));
            }
            for file in &mut rule.files {
                if let Some(path) = original(file) {
                    *file = spelled(path);
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
                if self.settings.asks_for_layouts() {
                    say(format_args!(
                        "layoutc: `{}` is not compiled: `layoutc_target` or layoutc.toml asks for layouts that it cannot have",
                        self.found.program.name
                    ));
                    return Exit::Reported;
                }
                say(format_args!(
                    "layoutc: `{}` cannot be compiled as {lock} says; `{} --update` chooses anew, `layoutc launch --update` does so whenever it has to",
                    self.found.program.name, self.found.plan
                ));
                Exit::Reported
            }
            Failure::Internal(error) => fail(error),
        }
    }
}

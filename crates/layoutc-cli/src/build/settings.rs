//! What is wanted of a program that a build compiles.

use crate::arguments::{MissingHeaders, ProgramArguments};
use crate::config;
use crate::launch::arguments::WantedArguments;
use layoutc_build::Program;
use layoutc_build::lock::{self, Lock, LockedProgram};
use layoutc_build::paths::common_folder;
use layoutc_build::state;
use std::path::{Path, PathBuf};

/// Options of `layoutc.toml`, and the lock file.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The options.
    pub arguments: ProgramArguments,
    /// The file that says them.
    pub config: Option<PathBuf>,
    /// The lock file of the project, if it has one.
    pub lock: Option<PathBuf>,
}

impl Settings {
    /// What the nearest `layoutc.toml` and `layoutc.lock` say, in the folder of a source or above it.
    ///
    /// # Errors
    /// What is wrong with `layoutc.toml`, with its place.
    pub fn of(source: &Path) -> Result<Settings, String> {
        let (arguments, config) = config::around(source)?;
        let arguments = ProgramArguments { missing_headers: MissingHeaders::Opaque, ..arguments };
        let lock = source
            .ancestors()
            .skip(1)
            .map(|folder| folder.join(lock::NAME))
            .find(|path| path.is_file());
        Ok(Settings { arguments, config, lock })
    }

    /// What one `layoutc.toml` says.
    ///
    /// # Errors
    /// What is wrong with it, with its place.
    pub fn in_folder(folder: &Path) -> Result<Settings, String> {
        // A name in the folder; there need be no such file.
        Settings::of(&folder.join("program"))
    }

    /// The same for a program: in the folder that holds all of its sources, or above it. All of its units get the
    /// same answer.
    ///
    /// # Errors
    /// What is wrong with `layoutc.toml`, with its place.
    pub fn of_program(program: &Program) -> Result<Settings, String> {
        let sources: Vec<PathBuf> = program.units.iter().map(|unit| unit.source.clone()).collect();
        Settings::in_folder(&common_folder(&sources))
    }

    /// Adds what launches say; a layout that they ask for wins over those of `layoutc.toml`.
    pub fn add(&mut self, wanted: &WantedArguments) {
        if !wanted.layouts.is_empty() {
            self.arguments.layouts.clone_from(&wanted.layouts);
        }
        self.arguments.keep.extend(wanted.keep.iter().cloned());
        self.arguments.require.extend(wanted.require.iter().cloned());
    }

    /// Whether layouts are asked for: they win over those that were chosen.
    pub fn asks_for_layouts(&self) -> bool {
        !self.arguments.layouts.is_empty()
    }

    /// The files of the project that say them.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.config.iter().chain(&self.lock)
    }

    /// What the lock file says of a program.
    ///
    /// # Errors
    /// What is wrong with it, with its place.
    pub fn locked(&self, own: &Path, name: &str) -> Result<Option<LockedProgram>, String> {
        let lock = Lock::read(self.lock.as_deref().unwrap_or(own))?;
        Ok(lock.and_then(|lock| lock.program(name)))
    }

    /// A hash of the options, and of who carries them out.
    pub fn key(&self, locked: Option<&LockedProgram>) -> String {
        let own = std::env::current_exe().ok();
        let tool = own
            .and_then(|path| path.metadata().ok())
            .map(|data| (data.len(), data.modified().ok()));
        let config = self.config.as_deref().and_then(state::hash_of);
        let ProgramArguments { layouts, keep, require, .. } = &self.arguments;
        let text = format!(
            "{} {tool:?} {config:?} {locked:?} {layouts:?} {keep:?} {require:?}",
            env!("CARGO_PKG_VERSION")
        );
        state::hash(text.as_bytes())
    }
}

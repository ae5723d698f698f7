//! Where a program comes from: a `layoutc.toml`, a compilation database, or one file.

use crate::arguments::{Arguments, Command, ProgramArguments};
use crate::config;
use crate::load::real_path;
use crate::lsp::naming::Root;
use crate::outputs::absolute;
use clap::Parser;
use layoutc_build::database;
use layoutc_build::paths::relative_to;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Folders of a workspace in which a compilation database is looked for.
const DATABASE_FOLDERS: [&str; 2] = [".", "build"];
/// Endings of files that are a program of their own.
const SOURCES: [&str; 9] = ["cu", "cl", "c", "cc", "cpp", "cxx", "C", "c++", "hip"];
/// Endings of files that others include.
const HEADERS: [&str; 10] = ["h", "hh", "hpp", "hxx", "h++", "cuh", "clh", "inl", "inc", "ipp"];

/// What says which files are a program, and how they are compiled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// A `layoutc.toml`.
    Config(PathBuf),
    /// A compilation database.
    Database(PathBuf),
    /// A file that no other origin names.
    Alone(PathBuf),
}

/// What a file is to the compiler.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FileKind {
    /// It is compiled.
    Source,
    /// Others include it.
    Header,
}

impl FileKind {
    /// By the name; `None` for what the compiler does not read.
    pub fn of(path: &Path) -> Option<FileKind> {
        let ending = path.extension()?.to_str()?;
        match (SOURCES.contains(&ending), HEADERS.contains(&ending)) {
            (true, _) => Some(FileKind::Source),
            (false, true) => Some(FileKind::Header),
            (false, false) => None,
        }
    }
}

impl Origin {
    /// The configuration of the folder of a file, or of the nearest one above it.
    pub fn config_of(file: &Path) -> Option<PathBuf> {
        config::nearest(file.parent()?).map(|path| real_path(&path))
    }

    /// The database of a workspace.
    pub fn database_of(root: &Root) -> Option<PathBuf> {
        let file = |folder: &str| root.real.join(folder).join("compile_commands.json");
        DATABASE_FOLDERS.iter().map(|folder| file(folder)).find(|path| path.is_file())
    }

    /// The arguments with which a command line would compile the program.
    ///
    /// # Errors
    /// What is wrong with the configuration or the database.
    pub fn arguments(&self) -> Result<ProgramArguments, String> {
        let here = |path: &Path| relative_to(&absolute(Path::new(".")), path).into_os_string();
        match self {
            Origin::Config(path) => {
                let (arguments, _) = config::around(path)?;
                match arguments.files.is_empty() && arguments.project.is_none() {
                    true => Err(format!(
                        "{}: neither `files` nor `project` names a program",
                        Path::new(&here(path)).display()
                    )),
                    false => Ok(arguments),
                }
            }
            Origin::Database(path) => read_words(&["--project".into(), here(path)]),
            // What a header holds that is not found is not known; that is no mistake in a file that
            // nobody told the include folders of.
            Origin::Alone(path) => {
                read_words(&["--missing-headers=opaque".into(), "--".into(), here(path)])
            }
        }
    }
}

/// The program of a command line.
fn read_words(words: &[OsString]) -> Result<ProgramArguments, String> {
    let command = ["layoutc", "transform", "--check"].map(OsString::from);
    let words = command.iter().chain(words);
    let parsed = Arguments::try_parse_from(words).map_err(|error| error.to_string())?;
    match parsed.command {
        Command::Transform(own) => Ok(own.program),
        other => Err(format!("{other:?} is no command that transforms")),
    }
}

/// The real paths of the files that a program names.
pub fn named_files(arguments: &ProgramArguments) -> Vec<PathBuf> {
    let of_database = |path: &PathBuf| database::read(path).unwrap_or_default();
    let files = match (&arguments.project, arguments.files.as_slice()) {
        (Some(path), []) => of_database(path).into_iter().map(|entry| entry.file).collect(),
        (_, files) => files.to_vec(),
    };
    files.iter().map(|file| real_path(file)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_files() {
        let kind = |name: &str| FileKind::of(Path::new(name));
        assert_eq!(kind("a/b.cu"), Some(FileKind::Source));
        assert_eq!(kind("b.cuh"), Some(FileKind::Header));
        assert_eq!(kind("layoutc.toml"), None);
        assert_eq!(kind("Makefile"), None);
    }

    #[test]
    fn a_file_with_a_name_like_an_option_is_a_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("--diff.cu");
        let arguments = Origin::Alone(file.clone()).arguments().expect("arguments");
        assert_eq!(arguments.files, [file]);
    }
}

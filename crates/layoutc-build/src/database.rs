//! Compilation databases: `compile_commands.json`, as CMake, Bear and others write them.
//!
//! Each entry is one compilation: a file, the folder in which its compiler runs, and the command.
//! Of the command only what decides the meaning of the text is taken: macros, include folders,
//! forced headers and the language. An entry for something else than CUDA, C or C++ is skipped.

use layoutc_diagnostics::{Code, Diagnostic};
use layoutc_syntax::preprocess::PreprocessOptions;
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};

use crate::command::{expand, is_source, options_of};
use crate::paths::{absolute_in, relative_to};

/// One compilation of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The file, relative to the current folder if it lies below.
    pub file: PathBuf,
    /// What the command says.
    pub options: PreprocessOptions,
}

/// As the file has it.
#[derive(Deserialize)]
struct RawEntry {
    directory: PathBuf,
    file: PathBuf,
    arguments: Option<Vec<String>>,
    command: Option<String>,
}

impl RawEntry {
    /// The words of its command; it is the `number`th entry.
    fn words(&self, number: usize) -> Result<Vec<String>, String> {
        let file = self.file.display();
        match (&self.arguments, &self.command) {
            (Some(words), _) => Ok(words.clone()),
            (None, Some(command)) => shlex::split(command).ok_or_else(|| {
                format!("the command of entry {number} (`{file}`) has an open quote")
            }),
            (None, None) => {
                Err(format!("entry {number} (`{file}`) has neither `arguments` nor `command`"))
            }
        }
    }
}

/// Why a database cannot be used.
fn error(path: &Path, cause: &str) -> Diagnostic {
    let message = format!("cannot read {}: {cause}", path.display());
    Diagnostic::error(Code::UNREADABLE_INPUT, message)
}

/// The commands of a database, each with its folder.
///
/// # Errors
/// LC0001 for a file that cannot be read or is no database.
pub fn commands(path: &Path) -> Result<Vec<(PathBuf, Vec<String>)>, Diagnostic> {
    let text = fs::read_to_string(path).map_err(|found| error(path, &found.to_string()))?;
    let base = path.parent().unwrap_or(Path::new("/"));
    let raw: Vec<RawEntry> = serde_json::from_str(&text)
        .map_err(|found| error(path, &format!("it is no compilation database: {found}")))?;
    let mut out = Vec::new();
    for (number, raw) in (1..).zip(&raw) {
        let words = raw.words(number).map_err(|cause| error(path, &cause))?;
        out.push((absolute_in(base, &raw.directory), words));
    }
    Ok(out)
}

/// Reads a database; `path` may be the folder that holds `compile_commands.json`.
///
/// # Errors
/// LC0001 for a file that cannot be read, is no database, or has no entry for a source file.
pub fn read(path: &Path) -> Result<Vec<Entry>, Diagnostic> {
    let path = match path.is_dir() {
        true => path.join("compile_commands.json"),
        false => path.to_path_buf(),
    };
    let text = fs::read_to_string(&path).map_err(|found| error(&path, &found.to_string()))?;
    let here = std::env::current_dir().map_err(|found| error(&path, &found.to_string()))?;
    let base = absolute_in(&here, path.parent().unwrap_or(Path::new("")));
    parse(&text, &base, &here).map_err(|cause| error(&path, &cause))
}

/// The entries of a database in the folder `base`, with paths as seen from `here`.
fn parse(text: &str, base: &Path, here: &Path) -> Result<Vec<Entry>, String> {
    let raw: Vec<RawEntry> = serde_json::from_str(text)
        .map_err(|found| format!("it is no compilation database: {found}"))?;
    let mut entries: Vec<Entry> = Vec::new();
    for (at, raw) in raw.iter().enumerate() {
        let number = at + 1;
        let file = raw.file.display();
        let words = raw.words(number)?;
        // The standard asks for an absolute folder; a relative one is meant from the database.
        let folder = absolute_in(base, &raw.directory);
        let place = |path: &Path| relative_to(here, &absolute_in(&folder, path));
        let options = expand(words, &|path| absolute_in(&folder, path), 0)
            .and_then(|words| options_of(&words, &place))
            .map_err(|cause| format!("entry {number} (`{file}`): {cause}"))?;
        let entry = Entry { file: place(&raw.file), options };
        let is_source = entry.options.language.is_some() || is_source(&entry.file);
        if is_source && !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    if entries.is_empty() {
        return Err("it names no CUDA, C or C++ file".to_owned());
    }
    Ok(entries)
}

/// The entries for the files that were named, or lie in folders that were named, in the order of the database.
///
/// # Errors
/// LC0001 for each file that has no entry.
pub fn select(entries: Vec<Entry>, files: &[PathBuf]) -> Result<Vec<Entry>, Vec<Diagnostic>> {
    if files.is_empty() {
        return Ok(entries);
    }
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let wanted: Vec<PathBuf> = files.iter().map(|file| real(file)).collect();
    let known: Vec<PathBuf> = entries.iter().map(|entry| real(&entry.file)).collect();
    let missing = files
        .iter()
        .zip(&wanted)
        .filter(|(_, wanted)| !known.iter().any(|known| known.starts_with(wanted)));
    let errors: Vec<Diagnostic> = missing
        .map(|(file, _)| {
            let message = format!("`{}` is not in the compilation database", file.display());
            Diagnostic::error(Code::UNREADABLE_INPUT, message)
                .help("with `--project`, the files say which of its entries are the program")
        })
        .collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    let is_chosen = |file: &Path| wanted.iter().any(|wanted| file.starts_with(wanted));
    let chosen = entries.into_iter().zip(known).filter(|(_, file)| is_chosen(file));
    Ok(chosen.map(|(entry, _)| entry).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutc_syntax::preprocess::Language;

    fn one(entry: &str) -> Entry {
        let text = format!("[{entry}]");
        let mut entries = parse(&text, Path::new("/p/build"), Path::new("/p")).expect("readable");
        assert_eq!(entries.len(), 1);
        entries.remove(0)
    }

    fn strings(paths: &[PathBuf]) -> Vec<&str> {
        paths.iter().filter_map(|path| path.to_str()).collect()
    }

    #[test]
    fn commands_with_quotes_and_relative_paths() {
        let entry = one(r#"{"directory": "/p/build", "file": "../src/a.cu", "command":
            "nvcc -I../inc -I \"/q/with space\" -DN=4 -D'S=\"x y\"' -DFLAG -UN2 -isystem=/sys -include ../pre.h -std=c++17 -o a.o -c ../src/a.cu"}"#);
        assert_eq!(entry.file, Path::new("src/a.cu"));
        assert_eq!(strings(&entry.options.include_dirs), ["inc", "/q/with space"]);
        assert_eq!(strings(&entry.options.system_dirs), ["/sys"]);
        assert_eq!(strings(&entry.options.forced_includes), ["pre.h"]);
        let pair = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        assert_eq!(
            entry.options.defines,
            [pair("N", "4"), pair("S", "\"x y\""), pair("FLAG", "1")]
        );
        assert_eq!(entry.options.undefines, ["N2"]);
        assert_eq!(entry.options.language, None);
        assert_eq!(entry.options.standard.as_deref(), Some("c++17"));
    }

    #[test]
    fn arguments_of_nvcc_and_clang() {
        let entry = one(
            r#"{"directory": ".", "file": "a.cpp", "arguments": ["ccache", "nvcc", "-x", "cu", "-forward-unknown-to-host-compiler",
            "--define-macro=A=1", "--include-path", "inc", "-Xcompiler=-DB,-fPIC", "-gencode", "arch=compute_80,code=sm_80", "-DA=2", "-DC", "-UC"]}"#,
        );
        assert_eq!(entry.file, Path::new("build/a.cpp"));
        assert_eq!(entry.options.language, Some(Language::Cuda));
        let names: Vec<_> = entry.options.defines.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["B", "A"]);
        assert_eq!(entry.options.undefines, ["C"]);
        assert_eq!(strings(&entry.options.include_dirs), ["build/inc"]);
        let entry = one(
            r#"{"directory": "/p", "file": "/p/a.cu", "arguments": ["clang++", "-xcuda", "--cuda-gpu-arch=sm_80", "-iquote", "q", "-Dx", "--", "a.cu"]}"#,
        );
        assert_eq!(entry.options.language, Some(Language::Cuda));
        assert_eq!(strings(&entry.options.quote_dirs), ["q"]);
    }

    #[test]
    fn what_is_no_database_is_said() {
        let cause = |text: &str| parse(text, Path::new("/"), Path::new("/")).expect_err(text);
        assert!(cause("{}").contains("no compilation database"));
        assert!(cause("[]").contains("names no"));
        assert!(cause(r#"[{"directory": "/", "file": "a.cu"}]"#).contains("entry 1 (`a.cu`)"));
        let open = r#"[{"directory": "/", "file": "a.cu", "command": "nvcc 'a.cu"}]"#;
        assert!(cause(open).contains("open quote"));
        let last = r#"[{"directory": "/", "file": "a.cu", "command": "nvcc a.cu -I"}]"#;
        assert!(cause(last).contains("`-I` has no value"));
    }

    #[test]
    fn equal_entries_are_one_and_other_languages_none() {
        let text = r#"[{"directory": "/", "file": "a.cu", "command": "nvcc a.cu"},
            {"directory": "/", "file": "/a.cu", "command": "nvcc -O2 a.cu"},
            {"directory": "/", "file": "a.cu", "command": "nvcc -DX a.cu"},
            {"directory": "/", "file": "a.f90", "command": "gfortran a.f90"}]"#;
        assert_eq!(parse(text, Path::new("/"), Path::new("/")).expect("readable").len(), 2);
    }
}

//! Compilation databases: `compile_commands.json`, as CMake, Bear and others write them.
//!
//! Each entry is one compilation: a file, the folder in which its compiler runs, and the command.
//! Of the command only what decides the meaning of the text is taken: macros, include folders,
//! forced headers and the language. An entry for something else than CUDA, C or C++ is skipped.

use layoutc_diagnostics::{Code, Diagnostic};
use layoutc_syntax::preprocess::{Language, PreprocessOptions};
use serde::Deserialize;
use std::fs;
use std::path::{Component, Path, PathBuf};

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

/// Why a database cannot be used.
fn error(path: &Path, cause: &str) -> Diagnostic {
    let message = format!("cannot read {}: {cause}", path.display());
    Diagnostic::error(Code::UNREADABLE_INPUT, message)
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
        let words = match (&raw.arguments, &raw.command) {
            (Some(words), _) => words.clone(),
            (None, Some(command)) => shlex::split(command).ok_or_else(|| {
                format!("the command of entry {number} (`{file}`) has an open quote")
            })?,
            (None, None) => {
                return Err(format!(
                    "entry {number} (`{file}`) has neither `arguments` nor `command`"
                ));
            }
        };
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

fn is_source(file: &Path) -> bool {
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or("");
    matches!(extension, "cu" | "c" | "cc" | "cpp" | "cxx" | "C" | "c++")
}

/// The entries for the files that were named, in the order of the database.
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
    let missing = files.iter().zip(&wanted).filter(|(_, wanted)| !known.contains(wanted));
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
    let chosen = entries.into_iter().zip(known).filter(|(_, file)| wanted.contains(file));
    Ok(chosen.map(|(entry, _)| entry).collect())
}

/// Words that name a file of further words.
const OPTION_FILES: [&str; 2] = ["--options-file", "-optf"];
/// How deep such files may name each other.
const OPTION_FILE_DEPTH: usize = 8;

/// The words with those of the option files that they name, which CMake writes for nvcc.
fn expand(
    words: Vec<String>,
    place: &dyn Fn(&Path) -> PathBuf,
    depth: usize,
) -> Result<Vec<String>, String> {
    let mut out = Vec::new();
    let mut rest = words.into_iter();
    while let Some(word) = rest.next() {
        let joined =
            OPTION_FILES.iter().find_map(|name| word.strip_prefix(name)?.strip_prefix('='));
        let files = match joined.or_else(|| word.strip_prefix('@')) {
            Some(file) => file.to_owned(),
            None if OPTION_FILES.contains(&word.as_str()) => {
                rest.next().ok_or_else(|| format!("`{word}` has no value"))?
            }
            None => {
                out.push(word);
                continue;
            }
        };
        for file in files.split(',') {
            if depth >= OPTION_FILE_DEPTH {
                return Err(format!("the option file `{file}` is nested too deep"));
            }
            let text = fs::read_to_string(place(Path::new(file)))
                .map_err(|found| format!("cannot read the option file `{file}`: {found}"))?;
            let words = shlex::split(&text)
                .ok_or_else(|| format!("the option file `{file}` has an open quote"))?;
            out.extend(expand(words, place, depth + 1)?);
        }
    }
    Ok(out)
}

/// What a flag does with its value.
#[derive(Clone, Copy)]
enum Flag {
    Define,
    Undefine,
    Include,
    Quote,
    System,
    Forced,
    Language,
    Standard,
    /// Meaningless here, but it has a value, which must not be taken for something else.
    Skip,
}

/// Flags with a value, which follows as the next word, or in the same one: directly behind those
/// of the first list, behind a `=` for those of the second.
const JOINED: [(&str, Flag); 12] = [
    ("-D", Flag::Define),
    ("-U", Flag::Undefine),
    ("-I", Flag::Include),
    ("-isystem", Flag::System),
    ("-iquote", Flag::Quote),
    ("-idirafter", Flag::System),
    ("-include", Flag::Forced),
    ("-x", Flag::Language),
    ("-o", Flag::Skip),
    ("-MF", Flag::Skip),
    ("-MT", Flag::Skip),
    ("-MQ", Flag::Skip),
];
const LONG: [(&str, Flag); 26] = [
    ("--define-macro", Flag::Define),
    ("--undefine-macro", Flag::Undefine),
    ("--include-path", Flag::Include),
    ("--system-include", Flag::System),
    ("-isystem", Flag::System),
    ("--pre-include", Flag::Forced),
    ("--include", Flag::Forced),
    ("-include", Flag::Forced),
    ("--x", Flag::Language),
    ("-x", Flag::Language),
    ("--output-file", Flag::Skip),
    ("-Xptxas", Flag::Skip),
    ("--ptxas-options", Flag::Skip),
    ("-Xlinker", Flag::Skip),
    ("-Xcudafe", Flag::Skip),
    ("-Xclang", Flag::Skip),
    ("-Xpreprocessor", Flag::Skip),
    ("-gencode", Flag::Skip),
    ("--generate-code", Flag::Skip),
    ("-arch", Flag::Skip),
    ("--gpu-architecture", Flag::Skip),
    ("-code", Flag::Skip),
    ("-ccbin", Flag::Skip),
    ("--compiler-bindir", Flag::Skip),
    ("-std", Flag::Standard),
    ("--std", Flag::Standard),
];

/// Flags of the host compiler, behind a comma or a `=`.
const HOST: [&str; 2] = ["-Xcompiler", "--compiler-options"];

/// What a command says, with paths as `place` makes them.
fn options_of(
    words: &[String],
    place: &dyn Fn(&Path) -> PathBuf,
) -> Result<PreprocessOptions, String> {
    let mut options = PreprocessOptions::default();
    // The first word is the compiler, perhaps behind a launcher such as ccache.
    let mut rest = words.iter().skip(1).map(String::as_str);
    while let Some(word) = rest.next() {
        if word == "--" {
            break;
        }
        if let Some((name, value)) = HOST.iter().find_map(|name| {
            let tail = word.strip_prefix(name)?;
            Some((name, tail.strip_prefix('=').or(tail.is_empty().then_some(""))?))
        }) {
            let value = match value {
                "" => rest.next().ok_or_else(|| format!("`{name}` has no value"))?,
                value => value,
            };
            // `-Xcompiler -DN=4,-fPIC`: the host's flags; macros are seen by the text.
            let words: Vec<String> =
                std::iter::once("").chain(value.split(',')).map(str::to_owned).collect();
            let host = options_of(&words, place)?;
            merge(&mut options, host);
            continue;
        }
        let Some((flag, value)) = flag_of(word) else { continue };
        let value = match value {
            Some(value) => value,
            None => rest.next().ok_or_else(|| format!("`{word}` has no value"))?,
        };
        apply(&mut options, flag, value, place);
    }
    Ok(options)
}

/// The flag that a word is, and its value if the word holds it.
fn flag_of(word: &str) -> Option<(Flag, Option<&str>)> {
    let exact = LONG.iter().chain(&JOINED).find(|(name, _)| *name == word);
    if let Some((_, flag)) = exact {
        return Some((*flag, None));
    }
    let long = LONG
        .iter()
        .find_map(|(name, flag)| Some((*flag, Some(word.strip_prefix(name)?.strip_prefix('=')?))));
    // `-output` is not `-o utput`: only what takes a joined value in the compilers does so here.
    let joined = || {
        JOINED.iter().find_map(|(name, flag)| {
            let value = word.strip_prefix(name)?;
            (!matches!(flag, Flag::Skip)).then_some((*flag, Some(value)))
        })
    };
    long.or_else(joined)
}

fn apply(
    options: &mut PreprocessOptions,
    flag: Flag,
    value: &str,
    place: &dyn Fn(&Path) -> PathBuf,
) {
    let path = || place(Path::new(value));
    match flag {
        Flag::Define => {
            let (name, text) = value.split_once('=').unwrap_or((value, "1"));
            options.undefines.retain(|other| other != name);
            options.defines.retain(|(other, _)| other != name);
            options.defines.push((name.to_owned(), text.to_owned()));
        }
        Flag::Undefine => {
            options.defines.retain(|(other, _)| other != value);
            options.undefines.push(value.to_owned());
        }
        Flag::Include => options.include_dirs.push(path()),
        Flag::Quote => options.quote_dirs.push(path()),
        Flag::System => options.system_dirs.push(path()),
        Flag::Forced => options.forced_includes.push(path()),
        Flag::Language => {
            options.language = match value {
                "cu" | "cuda" => Some(Language::Cuda),
                "c" => Some(Language::C),
                "c++" => Some(Language::Cpp),
                // `none` goes back to what the name says.
                _ => None,
            };
        }
        Flag::Standard => options.standard = Some(value.to_owned()),
        Flag::Skip => {}
    }
}

fn merge(options: &mut PreprocessOptions, other: PreprocessOptions) {
    for (name, text) in other.defines {
        options.defines.retain(|(known, _)| *known != name);
        options.defines.push((name, text));
    }
    options.undefines.extend(other.undefines);
    options.standard = other.standard.or(options.standard.take());
    options.include_dirs.extend(other.include_dirs);
    options.quote_dirs.extend(other.quote_dirs);
    options.system_dirs.extend(other.system_dirs);
    options.forced_includes.extend(other.forced_includes);
}

/// `path` from `folder`, with `.` and `..` resolved by name.
fn absolute_in(folder: &Path, path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in folder.join(path).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// The path as a user in `here` would name it.
pub fn relative_to(here: &Path, path: &Path) -> PathBuf {
    match path.strip_prefix(here) {
        Ok(below) if below.as_os_str().is_empty() => PathBuf::from("."),
        Ok(below) => below.to_path_buf(),
        Err(_) => path.to_path_buf(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

//! Commands of compilers: nvcc, and host compilers that take the options of gcc.
//!
//! Of a command it matters which sources it compiles, what decides the meaning of their text (macros, include
//! folders, forced headers, language), and where object and dependency file go. All else is passed on as it is.

use layoutc_syntax::preprocess::{Language, PreprocessOptions};
use std::fs;
use std::path::{Path, PathBuf};

use crate::paths::absolute_in;

/// What a command does with its sources.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Compiles them.
    Compile,
    /// Makes text of them: preprocessed (`-E`), or assembly (`-S`).
    Text,
    /// Only says which files they include (`-M`, `-MM`).
    Dependencies,
    /// There is no source: a link, `--version`.
    Other,
}

/// A command, as run in a folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Command {
    /// The folder.
    pub folder: PathBuf,
    /// The words as given.
    pub given: Vec<String>,
    /// The words with those of the option files that they name.
    pub words: Vec<String>,
    /// The sources as spelled.
    pub sources: Vec<String>,
    /// What it does with them.
    pub step: Step,
    /// What decides the meaning of their text, with absolute paths.
    pub options: PreprocessOptions,
    /// Where the object goes (`-o`).
    pub output: Option<PathBuf>,
    /// Where the names of included files go, if anywhere (`-MD`, `-MF`).
    pub depfile: Option<PathBuf>,
}

/// Folders of headers that the environment names (`CPATH`, `C_INCLUDE_PATH`, `CPLUS_INCLUDE_PATH`), as options of
/// a command: a compiler looks there after all folders of `-I`.
pub fn folders_of_environment(value: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let names = ["CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"];
    let lists: Vec<String> = names.into_iter().filter_map(value).collect();
    let folders = lists.iter().flat_map(|list| list.split(':')).filter(|folder| !folder.is_empty());
    folders.map(|folder| format!("-I{folder}")).collect()
}

impl Command {
    /// Reads the words of a command that runs in `folder`.
    ///
    /// # Errors
    /// An option file that cannot be read, an option without its value.
    pub fn parse(given: &[String], folder: &Path) -> Result<Command, String> {
        let place = |path: &Path| absolute_in(folder, path);
        let words = expand(given.to_vec(), &place, 0)?;
        let Read { options, sources, output, depfile, flags } = read_words(&words, &place)?;
        let step = match () {
            () if sources.is_empty() || flags.links_devices => Step::Other,
            () if flags.only_dependencies => Step::Dependencies,
            () if flags.makes_text => Step::Text,
            () => Step::Compile,
        };
        let depfile = flags.makes_depfile.then_some(()).and_then(|()| {
            depfile.or_else(|| default_depfile(folder, output.as_deref(), &sources))
        });
        let folder = folder.to_path_buf();
        let given = given.to_vec();
        Ok(Command { folder, given, words, sources, step, options, output, depfile })
    }

    /// A source of the command, from the root of the file system.
    #[must_use]
    pub fn path_of(&self, source: &str) -> PathBuf {
        absolute_in(&self.folder, Path::new(source))
    }

    /// The object of a source: what `-o` says, or the source's name with the ending `.o` in the folder.
    #[must_use]
    pub fn object_of(&self, source: &str) -> PathBuf {
        match (&self.output, self.sources.len()) {
            (Some(output), 1) => output.clone(),
            _ => {
                let name = Path::new(source).with_extension("o");
                absolute_in(&self.folder, Path::new(name.file_name().unwrap_or_default()))
            }
        }
    }

    /// The folders of headers as the command spells them, and from the root of the file system.
    #[must_use]
    pub fn folders(&self) -> Vec<(String, PathBuf)> {
        let mut found = Vec::new();
        let mut note = |kind: Place, value: &str| {
            if kind == Place::Folder {
                found.push((value.to_owned(), absolute_in(&self.folder, Path::new(value))));
            }
            None
        };
        self.with_places(&mut note);
        found
    }

    /// The words of the same command for other files: sources and forced headers are replaced by what `file`
    /// says of them, and folders of headers by what `folder` says of them, each in its place.
    #[must_use]
    pub fn redirected(
        &self,
        file: &dyn Fn(&Path) -> Option<PathBuf>,
        folder: &dyn Fn(&Path) -> Option<PathBuf>,
    ) -> Vec<String> {
        self.with_places(&mut |kind, word| {
            let path = absolute_in(&self.folder, Path::new(word));
            let other = match kind {
                Place::File => file(&path),
                Place::Folder => folder(&path),
            };
            other.map(|path| path.display().to_string())
        })
    }

    /// The words, with what `other` says in the place of sources, forced headers and folders of headers, those of
    /// the host compiler too.
    fn with_places(&self, other: &mut dyn FnMut(Place, &str) -> Option<String>) -> Vec<String> {
        let mut out = Vec::new();
        let (mut own, mut host) = (Words::default(), Words::default());
        let mut is_host = false;
        for word in &self.words {
            if std::mem::take(&mut is_host) {
                out.push(host.list(word, other));
                continue;
            }
            match host_value(word) {
                Some((name, None)) => {
                    is_host = true;
                    out.push(name.to_owned());
                }
                Some((name, Some(list))) => {
                    out.push(format!("{name}={}", host.list(list, other)));
                }
                None if self.sources.contains(word) && own.value_of.is_none() => {
                    out.push(other(Place::File, word).unwrap_or_else(|| word.clone()));
                }
                None => out.push(own.word(word, other)),
            }
        }
        out
    }
}

/// What an option names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    File,
    Folder,
}

/// Reads words of one compiler, one after the other.
#[derive(Default)]
struct Words {
    /// The flag in front of the next word, which is its value.
    value_of: Option<Flag>,
}

impl Words {
    /// The word, with another path if it names one.
    fn word(&mut self, word: &str, other: &mut dyn FnMut(Place, &str) -> Option<String>) -> String {
        let (kind, value) = match self.value_of.take() {
            Some(flag) => (flag.place(), word),
            None => match flag_of(word) {
                Some((flag, None)) => {
                    self.value_of = Some(flag);
                    return word.to_owned();
                }
                Some((flag, Some(value))) => (flag.place(), value),
                None => (None, word),
            },
        };
        let replaced = kind.and_then(|kind| other(kind, value));
        let prefix = &word[..word.len() - value.len()];
        replaced.map_or_else(|| word.to_owned(), |path| format!("{prefix}{path}"))
    }

    /// The words of a list with commas.
    fn list(&mut self, list: &str, other: &mut dyn FnMut(Place, &str) -> Option<String>) -> String {
        let words: Vec<String> = list.split(',').map(|word| self.word(word, other)).collect();
        words.join(",")
    }
}

/// The dependency file of a command that does not name it: it has the name of the object, or of the source.
fn default_depfile(folder: &Path, output: Option<&Path>, sources: &[String]) -> Option<PathBuf> {
    if let Some(output) = output {
        return Some(output.with_extension("d"));
    }
    let name = Path::new(sources.first()?).with_extension("d");
    Some(absolute_in(folder, Path::new(name.file_name()?)))
}

/// What the words say beside the options of the text.
#[derive(Clone, Copy, Default)]
struct Flags {
    makes_depfile: bool,
    only_dependencies: bool,
    links_devices: bool,
    makes_text: bool,
}

/// What the words of a command say.
#[derive(Default)]
struct Read {
    options: PreprocessOptions,
    sources: Vec<String>,
    output: Option<PathBuf>,
    depfile: Option<PathBuf>,
    flags: Flags,
}

/// Endings of sources.
const SOURCES: [&str; 7] = ["cu", "c", "cc", "cpp", "cxx", "C", "c++"];
/// Endings of files that are linked, whatever `-x` says.
const LINKED: [&str; 9] = ["o", "obj", "a", "so", "lib", "ptx", "cubin", "fatbin", "dylib"];

/// Whether the name of a file is that of a source.
#[must_use]
pub fn is_source(file: &Path) -> bool {
    SOURCES.contains(&ending(file))
}

fn ending(file: &Path) -> &str {
    file.extension().and_then(|extension| extension.to_str()).unwrap_or("")
}

/// Words that name a file of further words.
const OPTION_FILES: [&str; 2] = ["--options-file", "-optf"];
/// How deep such files may name each other.
const OPTION_FILE_DEPTH: usize = 8;

/// The words with those of the option files that they name, which CMake writes for nvcc.
pub(crate) fn expand(
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
    Output,
    DependencyFile,
    /// Meaningless here, but it has a value, which must not be taken for something else.
    Skip,
}

impl Flag {
    /// What its value names, if a mirror has that in another place.
    fn place(self) -> Option<Place> {
        match self {
            Flag::Include | Flag::Quote => Some(Place::Folder),
            Flag::Forced => Some(Place::File),
            Flag::Define
            | Flag::Undefine
            | Flag::System
            | Flag::Language
            | Flag::Standard
            | Flag::Output
            | Flag::DependencyFile
            | Flag::Skip => None,
        }
    }
}

/// How a flag has its value, if that is not the next word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// It always is.
    Apart,
    /// Directly behind it.
    Joined,
    /// Behind a `=`.
    Equals,
    /// Either.
    Both,
}

/// Flags with a value.
const FLAGS: [(&str, Flag, Form); 37] = [
    ("-D", Flag::Define, Form::Joined),
    ("--define-macro", Flag::Define, Form::Equals),
    ("-U", Flag::Undefine, Form::Joined),
    ("--undefine-macro", Flag::Undefine, Form::Equals),
    ("-I", Flag::Include, Form::Both),
    ("--include-path", Flag::Include, Form::Equals),
    ("-isystem", Flag::System, Form::Both),
    ("--system-include", Flag::System, Form::Equals),
    ("-idirafter", Flag::System, Form::Joined),
    ("-iquote", Flag::Quote, Form::Both),
    ("-include", Flag::Forced, Form::Both),
    ("--include", Flag::Forced, Form::Equals),
    ("--pre-include", Flag::Forced, Form::Equals),
    ("-x", Flag::Language, Form::Both),
    ("--x", Flag::Language, Form::Equals),
    ("-std", Flag::Standard, Form::Equals),
    ("--std", Flag::Standard, Form::Equals),
    // `-output` is not `-o utput`.
    ("-o", Flag::Output, Form::Apart),
    ("--output-file", Flag::Output, Form::Equals),
    ("-MF", Flag::DependencyFile, Form::Joined),
    ("--dependency-output", Flag::DependencyFile, Form::Equals),
    ("-MT", Flag::Skip, Form::Apart),
    ("-MQ", Flag::Skip, Form::Apart),
    ("--dependency-target-name", Flag::Skip, Form::Equals),
    ("-Xptxas", Flag::Skip, Form::Equals),
    ("--ptxas-options", Flag::Skip, Form::Equals),
    ("-Xlinker", Flag::Skip, Form::Equals),
    ("-Xcudafe", Flag::Skip, Form::Equals),
    ("-Xclang", Flag::Skip, Form::Equals),
    ("-Xpreprocessor", Flag::Skip, Form::Equals),
    ("-gencode", Flag::Skip, Form::Equals),
    ("--generate-code", Flag::Skip, Form::Equals),
    ("-arch", Flag::Skip, Form::Equals),
    ("--gpu-architecture", Flag::Skip, Form::Equals),
    ("-code", Flag::Skip, Form::Equals),
    ("-ccbin", Flag::Skip, Form::Equals),
    ("--compiler-bindir", Flag::Skip, Form::Equals),
];

/// Flags of the host compiler, with commas between them, in the next word or behind a `=`.
const HOST: [&str; 2] = ["-Xcompiler", "--compiler-options"];

/// The name of the option for flags of the host compiler, and its value if the word has it.
fn host_value(word: &str) -> Option<(&'static str, Option<&str>)> {
    HOST.iter().find_map(|name| {
        let rest = word.strip_prefix(name)?;
        match rest.strip_prefix('=') {
            Some(value) => Some((*name, Some(value))),
            None => rest.is_empty().then_some((*name, None)),
        }
    })
}

/// What decides the meaning of text in a command, with paths as `place` makes them.
///
/// # Errors
/// An option without its value.
pub fn options_of(
    words: &[String],
    place: &dyn Fn(&Path) -> PathBuf,
) -> Result<PreprocessOptions, String> {
    Ok(read_words(words, place)?.options)
}

fn read_words(words: &[String], place: &dyn Fn(&Path) -> PathBuf) -> Result<Read, String> {
    let mut read = Read::default();
    // The first word is the compiler, perhaps behind a launcher such as ccache.
    let mut rest = words.iter().skip(1).map(String::as_str);
    // The last flag of the host compiler, if its value is still to come.
    let mut open_host: Option<String> = None;
    while let Some(word) = rest.next() {
        if word == "--" {
            continue;
        }
        if let Some((name, value)) = host_value(word) {
            let value = match value {
                Some(value) => value,
                None => rest.next().ok_or_else(|| format!("`{name}` has no value"))?,
            };
            // `-Xcompiler -DN=4,-fPIC`: the host's flags; macros are seen by the text. A value may be in the next list.
            let mut words = vec![String::new()];
            words.extend(open_host.take());
            words.extend(value.split(',').map(str::to_owned));
            open_host = words.pop_if(|last| matches!(flag_of(last), Some((_, None))));
            let host = options_of(&words, place)?;
            merge(&mut read.options, host);
            continue;
        }
        // `-Wp,-MD,FILE` is what preprocessors were told before `-MD -MF FILE`.
        if let Some(file) = word.strip_prefix("-Wp,-MD,").or(word.strip_prefix("-Wp,-MMD,")) {
            read.flags.makes_depfile = true;
            read.depfile = Some(place(Path::new(file)));
            continue;
        }
        match word {
            "-MD"
            | "-MMD"
            | "--generate-dependencies-with-compile"
            | "--generate-nonsystem-dependencies-with-compile" => read.flags.makes_depfile = true,
            "-M" | "-MM" | "--generate-dependencies" | "--generate-nonsystem-dependencies" => {
                read.flags.only_dependencies = true;
            }
            "-dlink" | "--device-link" => read.flags.links_devices = true,
            "-E" | "--preprocess" | "-S" => read.flags.makes_text = true,
            _ => {}
        }
        let Some((flag, value)) = flag_of(word) else {
            let is_named =
                read.options.language.is_some() && !LINKED.contains(&ending(Path::new(word)));
            let is_input =
                is_source(Path::new(word)) || (is_named && place(Path::new(word)).is_file());
            if !word.starts_with('-') && is_input {
                read.sources.push(word.to_owned());
            }
            continue;
        };
        let value = match value {
            Some(value) => value,
            None => rest.next().ok_or_else(|| format!("`{word}` has no value"))?,
        };
        match flag {
            Flag::Output => read.output = Some(place(Path::new(value))),
            Flag::DependencyFile => read.depfile = Some(place(Path::new(value))),
            flag => apply(&mut read.options, flag, value, place),
        }
    }
    if let Some(flag) = open_host {
        return Err(format!("`{flag}` has no value"));
    }
    Ok(read)
}

/// The flag that a word is, and its value if the word holds it.
fn flag_of(word: &str) -> Option<(Flag, Option<&str>)> {
    let of = |forms: [Form; 2]| FLAGS.iter().filter(move |(_, _, form)| forms.contains(form));
    let exact = || Some((FLAGS.iter().find(|(name, ..)| *name == word)?.1, None));
    let behind = || {
        of([Form::Equals, Form::Both]).find_map(|(name, flag, _)| {
            Some((*flag, Some(word.strip_prefix(name)?.strip_prefix('=')?)))
        })
    };
    let joined = || {
        of([Form::Joined, Form::Both])
            .find_map(|(name, flag, _)| Some((*flag, Some(word.strip_prefix(name)?))))
    };
    exact().or_else(behind).or_else(joined)
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
        Flag::Output | Flag::DependencyFile | Flag::Skip => {}
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

#[cfg(test)]
mod tests {
    use super::*;

    fn command(line: &str) -> Command {
        let words = shlex::split(line).expect("words");
        Command::parse(&words, Path::new("/b")).expect("readable")
    }

    #[test]
    fn what_a_command_does() {
        let found = command(
            "ccache nvcc -Iinc -x cu -c ../a.cu -o sub/a.o -MD -MF a.d -gencode arch=compute_80,code=sm_80",
        );
        assert_eq!((found.step, &*found.sources), (Step::Compile, &["../a.cu".to_owned()][..]));
        assert_eq!(found.path_of("../a.cu"), Path::new("/a.cu"));
        assert_eq!(found.object_of("../a.cu"), Path::new("/b/sub/a.o"));
        assert_eq!(found.depfile.as_deref(), Some(Path::new("/b/a.d")));
        assert_eq!(
            command("nvcc -c a.cu -o a.o -MD").depfile.as_deref(),
            Some(Path::new("/b/a.d"))
        );
        assert_eq!(command("nvcc -c a.cu -o a.o -MF a.d").depfile, None);
        for line in ["nvcc -c ../a.cu -MD", "nvcc -c a.cu -MMD -MFa.d", "g++ -Wp,-MD,a.d -c a.cpp"]
        {
            assert_eq!(command(line).depfile.as_deref(), Some(Path::new("/b/a.d")), "{line}");
        }
        let steps = [
            ("nvcc -M a.cu", Step::Dependencies),
            ("g++ -E a.cpp", Step::Text),
            ("nvcc -dlink a.o b.o -o d.o", Step::Other),
            ("nvcc a.o b.o -o sim", Step::Other),
            ("nvcc --version", Step::Other),
            ("nvcc a.cu b.cu -o sim", Step::Compile),
        ];
        for (line, step) in steps {
            assert_eq!(command(line).step, step, "{line}");
        }
        assert_eq!(command("nvcc a.cu b.cu -o sim").object_of("b.cu"), Path::new("/b/b.o"));
    }

    #[test]
    fn folders_that_the_environment_names() {
        let value = |name: &str| (name == "CPATH").then(|| "/a::b".to_owned());
        assert_eq!(folders_of_environment(value), ["-I/a", "-Ib"]);
        assert!(folders_of_environment(|_| None).is_empty());
    }

    #[test]
    fn other_files_in_the_same_command() {
        let file = |path: &Path| path.ends_with("a.cu").then(|| PathBuf::from("/m/a.cu"));
        let folder = |path: &Path| path.ends_with("inc").then(|| PathBuf::from("/m/inc"));
        let redirected = |line: &str| command(line).redirected(&file, &folder).join(" ");
        assert_eq!(
            redirected("ccache nvcc -I/x -Iinc -c a.cu -o a.o"),
            "ccache nvcc -I/x -I/m/inc -c /m/a.cu -o a.o"
        );
        let folders = command("nvcc -I/x -I inc --include-path=../y -c a.cu").folders();
        let spelled: Vec<&str> = folders.iter().map(|(spelled, _)| spelled.as_str()).collect();
        assert_eq!(spelled, ["/x", "inc", "../y"]);
        assert_eq!(folders[2].1, Path::new("/y"));
        let line = "nice -n 1 nvcc -I inc --include-path=inc --include=a.cu -include a.cu b.cu";
        assert_eq!(
            redirected(line),
            "nice -n 1 nvcc -I /m/inc --include-path=/m/inc --include=/m/a.cu -include /m/a.cu b.cu"
        );
        assert_eq!(redirected("nvcc a.cu b.cu"), "nvcc /m/a.cu b.cu");
        // What the host compiler is told, in one list or in two.
        assert_eq!(
            redirected("nvcc -Xcompiler -Wall,-include,a.cu,-Iinc -Xcompiler=-fPIC b.cu"),
            "nvcc -Xcompiler -Wall,-include,/m/a.cu,-I/m/inc -Xcompiler=-fPIC b.cu"
        );
        let line = "nvcc -Xcompiler -include -Xcompiler a.cu --compiler-options=-I,inc b.cu";
        assert_eq!(
            redirected(line),
            "nvcc -Xcompiler -include -Xcompiler /m/a.cu --compiler-options=-I,/m/inc b.cu"
        );
        assert_eq!(command(line).options.forced_includes, [Path::new("/b/a.cu")]);
        assert_eq!(command(line).sources, ["b.cu"]);
        assert_eq!(command(line).folders()[0].0, "inc");
        // The value of a flag is no source.
        assert_eq!(redirected("nvcc a.cu -MT a.cu -o a.cu"), "nvcc /m/a.cu -MT a.cu -o a.cu");
        assert_eq!(redirected("nvcc -c b.cu -Dx=a.cu"), "nvcc -c b.cu -Dx=a.cu");
    }

    #[test]
    fn sources_in_option_files() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("all.rsp"), "-DN=1 a.cu").expect("written");
        let words = ["nvcc", "-c", "@all.rsp"].map(str::to_owned);
        let found = Command::parse(&words, folder.path()).expect("readable");
        assert_eq!(found.sources, ["a.cu"]);
        let file = |_: &Path| Some(PathBuf::from("/m/a.cu"));
        assert_eq!(found.redirected(&file, &|_| None), ["nvcc", "-c", "-DN=1", "/m/a.cu"]);
        let words = ["nvcc", "-c", "@gone.rsp"].map(str::to_owned);
        let error = Command::parse(&words, folder.path()).expect_err("no such file");
        assert!(error.contains("gone.rsp"), "{error}");
    }
}

//! What a build compiles, and what it links together.

use crate::command::{Command, Step, is_source};
use crate::paths::absolute_in;
use crate::{makefiles, ninja};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// One compilation of a source. All paths start at the root of the file system.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Unit {
    /// The source.
    pub source: PathBuf,
    /// What the compilation makes.
    pub object: PathBuf,
    /// Where the compiler runs.
    pub folder: PathBuf,
    /// The command, without what stands in front of the compiler's own launchers.
    pub words: Vec<String>,
    /// Whether the compiler runs behind `layoutc launch`.
    pub is_launched: bool,
    /// The options of that.
    pub options: Vec<String>,
}

impl Unit {
    /// Reads a command, which may be none of a compiler.
    ///
    /// # Errors
    /// What [`Command::parse`] says of a command that compiles something.
    pub fn all_of(words: &[String], folder: &Path) -> Result<Vec<Unit>, String> {
        if !words.iter().any(|word| is_source(Path::new(word)) || word.starts_with("-x")) {
            return Ok(Vec::new());
        }
        let (words, options) = without_launcher(words);
        let command = Command::parse(words, folder)?;
        if command.step != Step::Compile {
            return Ok(Vec::new());
        }
        let unit = |source: &String| Unit {
            source: command.path_of(source),
            object: command.object_of(source),
            folder: folder.to_path_buf(),
            words: words.to_vec(),
            is_launched: options.is_some(),
            options: options.unwrap_or_default().to_vec(),
        };
        Ok(command.sources.iter().map(unit).collect())
    }
}

/// The words behind `layoutc launch OPTIONS --`, and the options, if they stand behind it.
fn without_launcher(words: &[String]) -> (&[String], Option<&[String]>) {
    // No compiler has such a first argument, whatever name layoutc has here.
    let is_launch = words.get(1).is_some_and(|word| word == "launch");
    match words.iter().position(|word| word == "--") {
        Some(end) if is_launch => (&words[end + 1..], Some(&words[2..end])),
        _ => (words, None),
    }
}

/// One step that makes a program or library of objects and libraries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Link {
    /// What it makes.
    pub output: PathBuf,
    /// What it takes.
    pub inputs: Vec<PathBuf>,
}

/// A build.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Description {
    /// The files that say it.
    pub files: Vec<PathBuf>,
    /// Its compilations.
    pub units: Vec<Unit>,
    /// Its links.
    pub links: Vec<Link>,
}

/// Units that are linked together, in one executable or in several that share some of them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Program {
    /// The executables and shared libraries, seen from the folder of the build, joined by `+`.
    pub name: String,
    /// The compilations, sorted.
    pub units: Vec<Unit>,
    /// Objects of which each executable and shared library has exactly one; one of a unit that is launched.
    pub owners: Vec<PathBuf>,
    /// The objects that each executable and library is made of, those of other libraries aside.
    pub links: Vec<Vec<PathBuf>>,
}

impl Description {
    /// The description in a build folder: of Ninja, or of CMake's Makefiles.
    ///
    /// # Errors
    /// A description that cannot be read, with its place.
    pub fn in_folder(folder: &Path) -> Result<Option<Description>, String> {
        if let Some(found) = ninja::in_folder(folder)? {
            return Ok(Some(found));
        }
        makefiles::in_folder(folder)
    }

    /// Its programs, sorted by name. Objects that nothing links are a program together.
    #[must_use]
    pub fn programs(&self, folder: &Path) -> Vec<Program> {
        let made: BTreeMap<&Path, &Link> =
            self.links.iter().map(|link| (link.output.as_path(), link)).collect();
        let objects: BTreeMap<&Path, usize> =
            self.units.iter().enumerate().map(|(at, unit)| (unit.object.as_path(), at)).collect();
        let mut sets = Sets::new(self.units.len());
        let taken: BTreeSet<&Path> =
            self.links.iter().flat_map(|link| &link.inputs).map(PathBuf::as_path).collect();
        let mut ends: Vec<(&Link, Vec<usize>)> = Vec::new();
        for link in self
            .links
            .iter()
            .filter(|link| !taken.contains(link.output.as_path()) || is_shared(&link.output))
        {
            let units = closure(link, &made, &objects);
            for pair in units.windows(2) {
                sets.join(pair[0], pair[1]);
            }
            if !units.is_empty() {
                ends.push((link, units));
            }
        }
        let loose: Vec<usize> = {
            let linked: BTreeSet<usize> =
                ends.iter().flat_map(|(_, units)| units.iter().copied()).collect();
            (0..self.units.len()).filter(|unit| !linked.contains(unit)).collect()
        };
        for pair in loose.windows(2) {
            sets.join(pair[0], pair[1]);
        }
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for unit in 0..self.units.len() {
            groups.entry(sets.root(unit)).or_default().push(unit);
        }
        let program = |group: Vec<usize>| {
            let own =
                ends.iter().filter(|(_, units)| units.iter().any(|unit| group.contains(unit)));
            let (mut names, mut owners) = (Vec::new(), Vec::new());
            for (link, _) in own {
                names.push(
                    link.output.strip_prefix(folder).unwrap_or(&link.output).display().to_string(),
                );
                let is_launched = |object: &&PathBuf| {
                    objects.get(object.as_path()).is_some_and(|at| self.units[*at].is_launched)
                };
                owners.extend(link.inputs.iter().find(is_launched).cloned());
            }
            names.sort();
            owners.sort();
            let mut units: Vec<Unit> = group.iter().map(|unit| self.units[*unit].clone()).collect();
            units.sort();
            let name = match names.is_empty() {
                true => "objects".to_owned(),
                false => names.join("+"),
            };
            let is_own = |object: &PathBuf| units.iter().any(|unit| unit.object == *object);
            let links: Vec<Vec<PathBuf>> = (self.links.iter())
                .map(|link| link.inputs.iter().filter(|input| is_own(input)).cloned().collect())
                .filter(|objects: &Vec<PathBuf>| !objects.is_empty())
                .collect();
            Program { name, units, owners, links }
        };
        let mut programs: Vec<Program> = groups.into_values().map(program).collect();
        programs.sort_by(|one, other| one.name.cmp(&other.name));
        programs
    }
}

/// The units whose objects a link takes, by way of libraries, too.
fn closure<'d>(
    link: &'d Link,
    made: &BTreeMap<&'d Path, &'d Link>,
    objects: &BTreeMap<&'d Path, usize>,
) -> Vec<usize> {
    let mut seen: BTreeSet<&Path> = BTreeSet::from([link.output.as_path()]);
    let mut open: Vec<&Link> = vec![link];
    let mut units = BTreeSet::new();
    while let Some(link) = open.pop() {
        for input in link.inputs.iter().map(PathBuf::as_path) {
            units.extend(objects.get(input));
            if let Some(inner) = made.get(input).filter(|_| seen.insert(input)) {
                open.push(inner);
            }
        }
    }
    units.into_iter().collect()
}

/// Whether the name of a file is that of something that is linked: an object or a library.
pub(crate) fn is_linkable(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    matches!(ending, "o" | "obj" | "a" | "lib") || is_shared(path)
}

fn is_shared(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
    name.split('.').skip(1).any(|part| matches!(part, "so" | "dylib" | "dll"))
}

/// Disjoint sets of numbers.
struct Sets {
    above: Vec<usize>,
}

impl Sets {
    fn new(count: usize) -> Self {
        Sets { above: (0..count).collect() }
    }

    fn root(&mut self, mut at: usize) -> usize {
        while self.above[at] != at {
            self.above[at] = self.above[self.above[at]];
            at = self.above[at];
        }
        at
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.above[one.max(other)] = one.min(other);
    }
}

/// The commands of a line that `sh` runs one after the other, each with its folder.
///
/// `cd FOLDER && COMMAND` changes the folder of what follows. A line that `sh` would read in another way
/// (pipes, substitutions) gives its words as they are.
pub(crate) fn commands_of(line: &str, folder: &Path) -> Vec<(PathBuf, Vec<String>)> {
    let Some(words) = shlex::split(line) else { return Vec::new() };
    let mut folder = folder.to_path_buf();
    let mut out = Vec::new();
    for command in words.split(|word| matches!(word.as_str(), "&&" | ";" | "||")) {
        match command {
            [] => {}
            [name, to] if name == "cd" => folder = absolute_in(&folder, Path::new(to)),
            command => out.push((folder.clone(), command.to_vec())),
        }
    }
    out
}

/// The text of a file of the description.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(name: &str) -> Unit {
        Unit {
            source: format!("/p/{name}.cu").into(),
            object: format!("/b/{name}.o").into(),
            folder: "/b".into(),
            words: Vec::new(),
            is_launched: true,
            options: Vec::new(),
        }
    }

    fn link(output: &str, inputs: &[&str]) -> Link {
        let path = |name: &&str| PathBuf::from(format!("/b/{name}"));
        Link { output: path(&output), inputs: inputs.iter().map(path).collect() }
    }

    fn names(description: &Description) -> Vec<(String, Vec<String>, usize)> {
        let stem =
            |unit: &Unit| unit.source.file_stem().expect("a name").to_string_lossy().into_owned();
        description
            .programs(Path::new("/b"))
            .iter()
            .map(|program| {
                (
                    program.name.clone(),
                    program.units.iter().map(stem).collect(),
                    program.owners.len(),
                )
            })
            .collect()
    }

    #[test]
    fn what_is_linked_together_is_a_program() {
        let mut description = Description {
            files: Vec::new(),
            units: ["main", "lib", "tool", "loose", "test"].map(unit).into(),
            links: vec![
                link("libl.a", &["lib.o"]),
                link("sim", &["main.o", "libl.a"]),
                link("tool", &["tool.o"]),
            ],
        };
        let expected = |parts: &[(&str, &[&str], usize)]| -> Vec<(String, Vec<String>, usize)> {
            parts
                .iter()
                .map(|(name, units, owners)| {
                    (
                        (*name).to_owned(),
                        units.iter().map(|unit| (*unit).to_owned()).collect(),
                        *owners,
                    )
                })
                .collect()
        };
        assert_eq!(
            names(&description),
            expected(&[
                ("objects", &["loose", "test"], 0),
                ("sim", &["lib", "main"], 1),
                ("tool", &["tool"], 1)
            ])
        );
        // A second executable with the library makes one program of both; each has an owner.
        description.links.push(link("tests", &["test.o", "libl.a"]));
        let both = names(&description);
        assert_eq!(both[1], expected(&[("sim+tests", &["lib", "main", "test"], 2)])[0]);
    }

    #[test]
    fn lines_of_a_shell() {
        let found = commands_of("cd sub && nvcc -c 'a b.cu' -o a.o && :", Path::new("/b"));
        assert_eq!(found[0].0, Path::new("/b/sub"));
        assert_eq!(found[0].1, ["nvcc", "-c", "a b.cu", "-o", "a.o"]);
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn launchers_are_seen() {
        let words = |line: &str| shlex::split(line).expect("words");
        let units = |line: &str| Unit::all_of(&words(line), Path::new("/b")).expect("read");
        let own = units("/x/layoutc launch --update -- ccache nvcc -c ../a.cu -o a.o");
        assert_eq!((own[0].is_launched, &*own[0].words[0]), (true, "ccache"));
        assert_eq!(own[0].options, ["--update"]);
        assert_eq!(own[0].source, Path::new("/a.cu"));
        assert!(!units("nvcc -c ../a.cu -o a.o")[0].is_launched);
        assert_eq!(units("nvcc a.o b.o -o sim"), []);
        assert_eq!(units("cmake -E touch a.cu"), units("cmake -E touch a.cu"));
    }
}

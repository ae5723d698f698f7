//! The lock file: which layout each array of a program has, so that a change elsewhere does not change it.
//!
//! It is TOML, sorted, and has no line numbers: it changes only when a layout or a reason does.

use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;

/// Its name.
pub const NAME: &str = "layoutc.lock";
/// The version of its form.
pub const VERSION: u32 = 1;
/// The layout of an array that stays as it is.
pub const SOURCE: &str = "source";

/// The layouts of the programs of a project.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    /// [`VERSION`].
    version: u32,
    /// The programs, sorted by name.
    #[serde(default, rename = "program")]
    pub programs: Vec<LockedProgram>,
}

/// The layouts of a program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedProgram {
    /// What the build makes of it.
    pub name: String,
    /// Tells this choice of layouts from others.
    pub id: String,
    /// The arrays, sorted.
    #[serde(default, rename = "array")]
    pub arrays: Vec<LockedArray>,
}

/// The layout of an array.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedArray {
    /// The type of its elements.
    #[serde(rename = "type")]
    pub element: String,
    /// A type or an array, as `--layout` takes it: what the layout is for.
    pub target: String,
    /// In the notation of `--layout`, or [`SOURCE`].
    pub layout: String,
    /// The variables, members and results that hold it.
    pub names: Vec<String>,
    /// Why, in one line.
    pub because: String,
    /// A hash of the members of its elements.
    pub members: String,
}

impl Default for Lock {
    fn default() -> Self {
        Lock { version: VERSION, programs: Vec::new() }
    }
}

impl Lock {
    /// Reads a lock file; none if there is no such file.
    ///
    /// # Errors
    /// What is wrong, with its place.
    pub fn read(path: &Path) -> Result<Option<Lock>, String> {
        match fs::read_to_string(path) {
            Ok(text) => Lock::parse(&text).map(Some).map_err(|(line, cause)| match line {
                0 => format!("{}: {cause}", path.display()),
                line => format!("{}:{line}: {cause}", path.display()),
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(format!("cannot read {}: {error}", path.display())),
        }
    }

    /// Reads the text of a lock file; an error has its line, or 0.
    fn parse(text: &str) -> Result<Lock, (usize, String)> {
        let marks = ["<<<<<<< ", "=======", ">>>>>>> "];
        let open = text.lines().position(|line| marks.iter().any(|mark| line.starts_with(mark)));
        if let Some(at) = open {
            return Err((
                at + 1,
                "a merge was not finished here; `layoutc plan --update` makes the file anew"
                    .to_owned(),
            ));
        }
        let lock: Lock = toml::from_str(text).map_err(|error| {
            let at = error
                .span()
                .map_or(0, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            (
                at,
                format!(
                    "{}; `layoutc plan --update` makes the file anew",
                    error.message().trim_end()
                ),
            )
        })?;
        if lock.version != VERSION {
            return Err((
                0,
                format!(
                    "it has the version {}, and this layoutc reads version {VERSION}; `layoutc plan --update` makes it anew",
                    lock.version
                ),
            ));
        }
        let mut names: Vec<&str> = lock.programs.iter().map(|program| &*program.name).collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            let cause = format!(
                "`{}` is there twice; `layoutc plan --update` makes the file anew",
                pair[0]
            );
            return Err((0, cause));
        }
        Ok(lock)
    }

    /// What it says of a program. The id is that of the layouts as they are written, whatever stands beside them.
    #[must_use]
    pub fn program(&self, name: &str) -> Option<LockedProgram> {
        let found = self.programs.iter().find(|program| program.name == name)?;
        Some(LockedProgram::new(&found.name, found.arrays.clone()))
    }

    /// The same with the ids of the layouts as they are written.
    #[must_use]
    pub fn with_ids(&self) -> Lock {
        let with_id = |own: &LockedProgram| LockedProgram::new(&own.name, own.arrays.clone());
        Lock { programs: self.programs.iter().map(with_id).collect(), ..self.clone() }
    }

    /// Puts what is said of a program in the place of what was.
    pub fn put(&mut self, program: LockedProgram) {
        self.programs.retain(|known| known.name != program.name);
        self.programs.push(program);
        self.programs.sort_by(|one, other| one.name.cmp(&other.name));
    }

    /// Its text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::from(
            "# The data layout of each array, as layoutc chose it. `layoutc plan --update` chooses anew;\n\
             # a layout may also be changed here.\n",
        );
        let _ = writeln!(out, "version = {VERSION}");
        for program in &self.programs {
            let _ = writeln!(
                out,
                "\n[[program]]\nname = {}\nid = {}",
                quoted(&program.name),
                quoted(&program.id)
            );
            for array in &program.arrays {
                let names: Vec<String> = array.names.iter().map(|name| quoted(name)).collect();
                let _ = writeln!(
                    out,
                    "\n[[program.array]]\ntype = {}\ntarget = {}\nlayout = {}\nnames = [{}]\nbecause = {}\nmembers = {}",
                    quoted(&array.element),
                    quoted(&array.target),
                    quoted(&array.layout),
                    names.join(", "),
                    quoted(&array.because),
                    quoted(&array.members),
                );
            }
        }
        out
    }
}

impl LockedProgram {
    /// A program with its arrays sorted, and an id made of the layouts.
    #[must_use]
    pub fn new(name: &str, mut arrays: Vec<LockedArray>) -> Self {
        arrays.sort();
        arrays.dedup();
        let mut hash = blake3::Hasher::new();
        for part in arrays.iter().flat_map(|array| [&array.target, &array.layout, &array.members]) {
            hash.update(part.as_bytes());
            hash.update(b"\0");
        }
        hash.update(name.as_bytes());
        LockedProgram { name: name.to_owned(), id: short(&hash.finalize()), arrays }
    }

    /// The arrays that have another layout than in the source.
    pub fn changed(&self) -> impl Iterator<Item = &LockedArray> {
        self.arrays.iter().filter(|array| array.layout != SOURCE)
    }
}

/// The first digits of a hash.
#[must_use]
pub fn short(hash: &blake3::Hash) -> String {
    hash.to_hex().chars().take(12).collect()
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock() -> Lock {
        let array = |target: &str, layout: &str| LockedArray {
            element: "P".to_owned(),
            target: target.to_owned(),
            layout: layout.to_owned(),
            names: vec!["d".to_owned(), "f()".to_owned()],
            because: "a \"quoted\" reason\n".to_owned(),
            members: "0".to_owned(),
        };
        let mut lock = Lock::default();
        lock.put(LockedProgram::new("sim", vec![array("b", SOURCE), array("a", "tiled(32)")]));
        lock.put(LockedProgram::new("other", Vec::new()));
        lock
    }

    #[test]
    fn what_is_written_is_read() {
        let lock = lock();
        assert_eq!(Lock::parse(&lock.text()), Ok(lock.clone()));
        assert_eq!(lock.programs[0].name, "other");
        assert_eq!(lock.programs[1].arrays[0].target, "a");
        assert_eq!(lock.programs[1].changed().count(), 1);
    }

    #[test]
    fn another_layout_is_another_id() {
        let mut lock = lock();
        let id = lock.programs[1].id.clone();
        let mut arrays = lock.programs[1].arrays.clone();
        arrays.reverse();
        assert_eq!(LockedProgram::new("sim", arrays.clone()).id, id);
        arrays[0].layout = "soa".to_owned();
        lock.put(LockedProgram::new("sim", arrays));
        assert_ne!(lock.programs[1].id, id);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let text = lock().text();
        let (line, cause) =
            Lock::parse(&text.replace("name = \"sim\"", "<<<<<<< HEAD\nname = \"sim\""))
                .expect_err("a merge");
        assert!(line > 4 && cause.contains("merge"), "{line}: {cause}");
        let (line, _) =
            Lock::parse(&text.replace("layout =", "layuot =")).expect_err("no such key");
        assert!(line > 4);
        let (_, cause) =
            Lock::parse(&text.replace("version = 1", "version = 7")).expect_err("too new");
        assert!(cause.contains("version 7"), "{cause}");
        let twice = text.replace("\"other\"", "\"sim\"");
        assert!(Lock::parse(&twice).expect_err("two of a name").1.contains("twice"));
        assert!(Lock::parse("").is_err());
        // An id that somebody wrote means nothing.
        let odd = Lock::parse(&text.replace(&lock().programs[1].id, "x; }")).expect("read");
        assert_eq!(odd.program("sim"), lock().program("sim"));
    }
}

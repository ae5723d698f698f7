//! What is known of a program in its build folder: a mirror, and on what it rests.
//!
//! Any number of launches use a state at once. Each holds it shared while its compiler runs, and alone while it
//! makes the state anew, so that nobody compiles what somebody writes. Contents are compared, not times. The
//! manifest is written last and removed first: after a run that was killed there is none, and the state is made
//! again.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::Builder;

/// The folder for states in the folder of a build.
pub const FOLDER: &str = ".layoutc";
const MANIFEST: &str = "manifest.json";
const OBJECTS: &str = "objects";
const MARK: &str = "made-by";

/// A file and the hash of its content.
pub type Hashed = (PathBuf, String);

/// What a mirror was made of, and what it holds.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Manifest {
    /// A hash of everything that it rests on and that is no file: commands, options, the version of the tool.
    pub key: String,
    /// The files that it rests on.
    pub inputs: Vec<Hashed>,
    /// Where headers were looked for in vain.
    pub absent: Vec<PathBuf>,
    /// Rewritten files: the original, and its place in the mirror.
    pub files: BTreeMap<PathBuf, PathBuf>,
    /// Folders of the mirror by those of the source tree.
    pub folders: BTreeMap<PathBuf, PathBuf>,
    /// Each source that is compiled.
    pub units: BTreeMap<PathBuf, UnitText>,
}

/// What a unit's compiler sees.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct UnitText {
    /// The files of the source tree that it reads.
    pub reads: Vec<PathBuf>,
    /// A hash of the texts that stand in their places.
    pub text: String,
    /// Whether one of them is rewritten.
    pub is_rewritten: bool,
}

/// What an object was compiled from.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Compiled {
    /// [`UnitText::text`].
    pub text: String,
    /// The files of the source tree.
    pub reads: Vec<Hashed>,
    /// Where its compiler ran.
    pub folder: PathBuf,
    /// The command of its compiler.
    pub words: Vec<String>,
}

impl Manifest {
    /// Whether all that it rests on is as it was.
    #[must_use]
    pub fn is_fresh(&self, key: &str) -> bool {
        self.key == key
            && self.absent.iter().all(|path| !path.exists())
            && self.inputs.iter().all(|(path, hash)| hash_of(path).as_deref() == Some(hash))
    }
}

/// A hash of a file's content; `None` if it cannot be read.
#[must_use]
pub fn hash_of(path: &Path) -> Option<String> {
    fs::read(path).ok().map(|bytes| hash(&bytes))
}

/// A hash of bytes.
#[must_use]
pub fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// The state of a program.
#[derive(Debug)]
pub struct State {
    folder: PathBuf,
    /// What objects were compiled from, of all programs of the build: a program that gets another name has the same.
    objects: PathBuf,
    /// The file whose lock it is.
    gate: File,
}

impl State {
    /// Opens the state of a program, `name`, of the build in a folder; nobody holds it yet. A folder that was not
    /// made with this secret is made anew: it came with the source, and what it notes is not to be run.
    ///
    /// # Errors
    /// The folder cannot be made or written, or is a link.
    pub fn open(build: &Path, name: &str, secret: &str) -> Result<State, String> {
        let all = build.join(FOLDER);
        let folder = all.join(file_name(name));
        let failed =
            |path: &Path, error: io::Error| format!("cannot write {}: {error}", path.display());
        let objects = all.join(OBJECTS);
        // A link would lead out of the build folder.
        if let Some(link) = [&all, &folder, &objects].into_iter().find(|path| path.is_symlink()) {
            return Err(format!("{} is a link, and it has to be a folder", link.display()));
        }
        let mark = all.join(MARK);
        if !is_own(build, secret) {
            // A file of that name is no folder of anybody, and making the folder says so.
            if all.is_dir() {
                fs::remove_dir_all(&all).map_err(|error| failed(&all, error))?;
            }
            fs::create_dir_all(&all).map_err(|error| failed(&all, error))?;
            write_changed(&mark, marked(build, secret).as_bytes())?;
        }
        for new in [&folder, &objects] {
            fs::create_dir_all(new).map_err(|error| failed(new, error))?;
        }
        let ignored = all.join(".gitignore");
        if !ignored.exists() {
            write_changed(&ignored, b"*\n")?;
        }
        let path = folder.join("gate");
        let gate = File::options().create(true).truncate(false).write(true).open(&path);
        Ok(State { folder, objects, gate: gate.map_err(|error| failed(&path, error))? })
    }

    /// The folder of the mirror.
    #[must_use]
    pub fn mirror(&self) -> PathBuf {
        self.folder.join("src")
    }

    /// The lock file of a build whose project has none.
    #[must_use]
    pub fn own_lock(&self) -> PathBuf {
        self.folder.join(crate::lock::NAME)
    }

    /// Holds the state together with others, until it is dropped or held alone.
    ///
    /// # Errors
    /// The file system has no locks.
    pub fn share(&self) -> Result<(), String> {
        self.gate.lock_shared().map_err(|error| self.no_lock(&error))
    }

    /// Holds the state alone; those who share it are waited for.
    ///
    /// # Errors
    /// The file system has no locks.
    pub fn hold(&self) -> Result<(), String> {
        self.gate.lock().map_err(|error| self.no_lock(&error))
    }

    /// Holds it no longer.
    ///
    /// # Errors
    /// The file system has no locks.
    pub fn release(&self) -> Result<(), String> {
        self.gate.unlock().map_err(|error| self.no_lock(&error))
    }

    fn no_lock(&self, error: &io::Error) -> String {
        format!("cannot lock {}: {error}", self.folder.join("gate").display())
    }

    /// What the mirror was made of; `None` if it was not, or is only half made.
    #[must_use]
    pub fn manifest(&self) -> Option<Manifest> {
        serde_json::from_slice(&fs::read(self.folder.join(MANIFEST)).ok()?).ok()
    }

    /// Says that the mirror is about to change.
    ///
    /// # Errors
    /// The manifest cannot be removed.
    pub fn invalidate(&self) -> Result<(), String> {
        let path = self.folder.join(MANIFEST);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(format!("cannot remove {}: {error}", path.display()))
            }
            _ => Ok(()),
        }
    }

    /// Says that the mirror is complete.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn complete(&self, manifest: &Manifest) -> Result<(), String> {
        let text = serde_json::to_vec(manifest).map_err(|error| error.to_string())?;
        write_changed(&self.folder.join(MANIFEST), &text).map(|_| ())
    }

    /// What an object was compiled from, if it was behind `layoutc launch`.
    #[must_use]
    pub fn compiled(&self, object: &Path) -> Option<Compiled> {
        serde_json::from_slice(&fs::read(self.record(object)).ok()?).ok()
    }

    /// Notes what an object is compiled from.
    ///
    /// # Errors
    /// The note cannot be written.
    pub fn note(&self, object: &Path, compiled: &Compiled) -> Result<(), String> {
        let text = serde_json::to_vec(compiled).map_err(|error| error.to_string())?;
        write_changed(&self.record(object), &text).map(|_| ())
    }

    /// A file whose lock a launch holds while it compiles an object for another.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn object_gate(&self, object: &Path) -> Result<File, String> {
        let path = self.objects.join(format!("{}.gate", short(object)));
        let gate = File::options().create(true).truncate(false).write(true).open(&path);
        gate.map_err(|error| format!("cannot write {}: {error}", path.display()))
    }

    fn record(&self, object: &Path) -> PathBuf {
        self.objects.join(format!("{}.json", short(object)))
    }
}

/// Whether the folder for states in a build folder was made with this secret.
#[must_use]
pub fn is_own(build: &Path, secret: &str) -> bool {
    let mark = fs::read_to_string(build.join(FOLDER).join(MARK));
    mark.is_ok_and(|mark| mark == marked(build, secret))
}

/// What says that.
fn marked(build: &Path, secret: &str) -> String {
    hash(format!("{secret} {}", build.display()).as_bytes())
}

/// The first digits of a path's hash.
fn short(path: &Path) -> String {
    crate::lock::short(&blake3::hash(path.as_os_str().as_encoded_bytes()))
}

/// A program's name as that of a folder.
fn file_name(name: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '_' | '-' | '+');
    let text: String =
        name.chars().map(|letter| if plain(letter) { letter } else { '_' }).collect();
    let is_plain = text == name
        && text.len() <= 100
        && !text.starts_with('.')
        && text != OBJECTS
        && text != MARK;
    // Two names do not become one folder.
    if is_plain {
        text
    } else {
        format!("{}-{}", &short(Path::new(name)), text.chars().take(60).collect::<String>())
    }
}

/// Writes a file that does not have these bytes yet, in one step; tells whether it did.
///
/// # Errors
/// The file cannot be written; it is as it was.
pub fn write_changed(path: &Path, bytes: &[u8]) -> Result<bool, String> {
    let is_file = fs::symlink_metadata(path).is_ok_and(|data| data.is_file());
    if is_file && fs::read(path).is_ok_and(|before| before == bytes) {
        return Ok(false);
    }
    let failed = |error: io::Error| format!("cannot write {}: {error}", path.display());
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut builder = Builder::new();
    builder.prefix(".layoutc-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder).map_err(|error| failed(error.kind().into()))?;
    file.write_all(bytes).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(true)
}

/// Makes a link that leads to `to`; one that does already stays.
///
/// # Errors
/// It cannot be made.
#[cfg(unix)]
pub fn link_changed(path: &Path, to: &Path) -> Result<(), String> {
    if fs::read_link(path).is_ok_and(|before| before == to) {
        return Ok(());
    }
    let failed = |error: io::Error| format!("cannot write {}: {error}", path.display());
    match fs::symlink_metadata(path) {
        Ok(data) if data.is_dir() => fs::remove_dir_all(path).map_err(failed)?,
        Ok(_) => fs::remove_file(path).map_err(failed)?,
        Err(_) => {}
    }
    std::os::unix::fs::symlink(to, path).map_err(failed)
}

/// Makes a link that leads to `to`.
///
/// # Errors
/// There are links only on Unix.
#[cfg(not(unix))]
pub fn link_changed(path: &Path, _: &Path) -> Result<(), String> {
    Err(format!("cannot make the link {}: there are links only on Unix", path.display()))
}

/// Makes a folder; what else has its name goes.
///
/// # Errors
/// It cannot be made.
pub fn make_folder(path: &Path) -> Result<(), String> {
    if fs::symlink_metadata(path).is_ok_and(|data| !data.is_dir()) {
        let _ = fs::remove_file(path);
    }
    fs::create_dir_all(path).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_is_as_fresh_as_its_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a"), "1").expect("written");
        let manifest = Manifest {
            key: "k".to_owned(),
            inputs: vec![(path("a"), hash(b"1"))],
            absent: vec![path("b")],
            ..Manifest::default()
        };
        assert!(manifest.is_fresh("k") && !manifest.is_fresh("other"));
        fs::write(path("b"), "").expect("written");
        assert!(!manifest.is_fresh("k"));
        fs::remove_file(path("b")).expect("removed");
        fs::write(path("a"), "2").expect("written");
        assert!(!manifest.is_fresh("k"));
        fs::remove_file(path("a")).expect("removed");
        assert!(!manifest.is_fresh("k"));
    }

    #[test]
    fn what_is_half_made_is_not_used() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = State::open(folder.path(), "sub/sim", "s").expect("opened");
        state.hold().expect("held");
        assert_eq!(state.manifest(), None);
        let manifest = Manifest { key: "k".to_owned(), ..Manifest::default() };
        state.complete(&manifest).expect("written");
        assert_eq!(state.manifest(), Some(manifest));
        // Somebody else's folder is made anew, and a link is none.
        assert!(is_own(folder.path(), "s") && !is_own(folder.path(), "other"));
        let other = State::open(folder.path(), "sub/sim", "other").expect("opened");
        assert_eq!(other.manifest(), None);
        let elsewhere = tempfile::tempdir().expect("a folder");
        fs::remove_dir_all(folder.path().join(FOLDER)).expect("removed");
        link_changed(&folder.path().join(FOLDER), elsewhere.path()).expect("linked");
        assert!(
            State::open(folder.path(), "sub/sim", "s").expect_err("a link").contains("is a link")
        );
        fs::remove_file(folder.path().join(FOLDER)).expect("removed");
        let state = State::open(folder.path(), "sub/sim", "s").expect("opened");
        state.invalidate().expect("nothing to remove");
        state.invalidate().expect("nothing to remove");
        assert_eq!(state.manifest(), None);
    }

    #[test]
    fn names_of_programs_are_folders_of_their_own() {
        assert_eq!(file_name("sim+tests"), "sim+tests");
        let odd =
            ["a/b", "a_b", "..", "../x", "", ".layoutc", OBJECTS, &"x".repeat(300)].map(file_name);
        let distinct: std::collections::BTreeSet<&String> = odd.iter().collect();
        assert_eq!(distinct.len(), odd.len());
        assert!(
            odd.iter()
                .all(|name| !name.starts_with('.') && name.len() < 120 && !name.contains('/')),
            "{odd:?}"
        );
    }

    #[test]
    fn equal_bytes_are_not_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x");
        assert_eq!(write_changed(&path, b"1"), Ok(true));
        assert_eq!(write_changed(&path, b"1"), Ok(false));
        assert_eq!(write_changed(&path, b"2"), Ok(true));
        assert!(write_changed(&folder.path().join("gone/x"), b"1").is_err());
    }
}

//! The program as of a revision of git, in a temporary folder.
//!
//! Nothing of the repository changes: blobs are read with `git cat-file`, and no work tree is made. Copied are the
//! files that can be a part of a program: sources and headers by their extensions, and those that the program has now.

use crate::folder_copy::FolderCopy;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// What sources and headers end with.
const EXTENSIONS: [&str; 19] = [
    "c", "c++", "cc", "cl", "cpp", "cu", "cuh", "cxx", "def", "h", "h++", "hh", "hpp", "hxx",
    "inc", "inl", "ipp", "tpp", "txx",
];

/// A revision's files.
#[derive(Debug)]
pub struct Base {
    /// The commit.
    pub commit: String,
    /// Where they are.
    pub copy: FolderCopy,
    /// Keeps the folder.
    _folder: TempDir,
}

impl Base {
    /// Copies the files of a revision. `files` are those of the program now.
    ///
    /// # Errors
    /// A sentence: there is no repository or no such revision, or git fails.
    pub fn read(revision: &str, files: &[PathBuf], near: &Path) -> Result<Base, String> {
        let top = git(near, &["rev-parse", "--show-toplevel"]).map_err(|cause| {
            format!("`--base` needs a git repository, and `{}` is in none: {cause}", near.display())
        })?;
        let top = PathBuf::from(text_of(&top));
        let top = fs::canonicalize(&top).unwrap_or(top);
        let name = format!("{revision}^{{commit}}");
        let commit = git(&top, &["rev-parse", "--verify", "--quiet", &name, "--"]).map_err(|_| {
            format!(
                "`--base {revision}`: there is no such revision in `{}`; in a shallow clone, fetch it first",
                top.display()
            )
        })?;
        let commit = String::from_utf8_lossy(&commit);
        let commit = commit.lines().next().unwrap_or_default().to_owned();
        let folder = tempfile::tempdir()
            .map_err(|error| format!("cannot make a temporary folder: {error}"))?;
        let at = fs::canonicalize(folder.path()).unwrap_or_else(|_| folder.path().to_path_buf());
        let copy = FolderCopy { of: top, at };
        let own: BTreeSet<PathBuf> = files.iter().filter_map(|file| copy.below(file)).collect();
        let wanted = |path: &Path| {
            let extension = path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
            let is_source = extension.is_some_and(|own| EXTENSIONS.contains(&own.as_str()));
            is_source || own.contains(path)
        };
        let blobs = blobs(&copy.of, &commit, wanted)?;
        write(&copy, &blobs)?;
        Ok(Base { commit, copy, _folder: folder })
    }

    /// The first eight digits of the commit.
    pub fn short(&self) -> &str {
        self.commit.get(..8).unwrap_or(&self.commit)
    }

    /// Why the program of a command line is not that of the revision.
    ///
    /// # Errors
    /// A sentence that names the first file that the revision does not have.
    pub fn check(&self, revision: &str, files: &[PathBuf]) -> Result<(), String> {
        for file in files {
            let shown = file.display();
            match self.copy.below(file) {
                None => {
                    let of = self.copy.of.display();
                    return Err(format!("`{shown}` is not in the repository `{of}`"));
                }
                Some(below) if !self.copy.at.join(&below).is_file() => {
                    return Err(format!("`{shown}` is not in `{revision}` ({})", self.short()));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }
}

/// A file of a revision.
struct Blob {
    path: PathBuf,
    id: String,
}

/// The files of a commit. Links and submodules are none.
fn blobs(top: &Path, commit: &str, wanted: impl Fn(&Path) -> bool) -> Result<Vec<Blob>, String> {
    let listed = git(top, &["ls-tree", "-r", "-z", "--full-tree", commit, "--"])?;
    let entry = |line: &[u8]| {
        // `100644 blob ID<tab>PATH`
        let tab = line.iter().position(|byte| *byte == b'\t')?;
        let facts = std::str::from_utf8(&line[..tab]).ok()?;
        let mut facts = facts.split(' ');
        let (mode, _, id) = (facts.next()?, facts.next()?, facts.next()?);
        let path = PathBuf::from(os_text(&line[tab + 1..])?);
        let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
        let is_file = mode.starts_with("100") && is_plain && wanted(&path);
        is_file.then(|| Blob { path, id: id.to_owned() })
    };
    Ok(listed.split(|byte| *byte == 0).filter_map(entry).collect())
}

#[cfg(unix)]
fn os_text(bytes: &[u8]) -> Option<&OsStr> {
    Some(std::os::unix::ffi::OsStrExt::from_bytes(bytes))
}

#[cfg(not(unix))]
fn os_text(bytes: &[u8]) -> Option<&OsStr> {
    std::str::from_utf8(bytes).ok().map(OsStr::new)
}

/// Writes blobs into the copy; one process reads them all.
fn write(copy: &FolderCopy, blobs: &[Blob]) -> Result<(), String> {
    let mut child = command(&copy.of)
        .args(["cat-file", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("cannot run `git`: {error}"))?;
    let (input, output) = (child.stdin.take(), child.stdout.take());
    let (Some(mut input), Some(output)) = (input, output) else {
        return Err("cannot talk to `git`".to_owned());
    };
    let written = std::thread::scope(|scope| {
        // git answers while it is asked; neither may wait for the other.
        scope.spawn(move || {
            for blob in blobs {
                // A git that ended early is seen where its answers are read.
                if writeln!(input, "{}", blob.id).is_err() {
                    return;
                }
            }
        });
        let mut output = BufReader::new(output);
        blobs.iter().try_for_each(|blob| {
            let bytes = answer(&mut output).map_err(|cause| {
                format!("cannot read `{}` of git: {cause}", blob.path.display())
            })?;
            let path = copy.at.join(&blob.path);
            let folder = path.parent().unwrap_or(&copy.at);
            fs::create_dir_all(folder)
                .and_then(|()| fs::write(&path, bytes))
                .map_err(|error| format!("cannot write {}: {error}", path.display()))
        })
    });
    if written.is_err() {
        // It may wait for somebody to read.
        let _ = child.kill();
    }
    let _ = child.wait();
    written
}

/// The next blob: `ID blob SIZE`, a line break, the bytes and a line break.
fn answer(output: &mut impl BufRead) -> Result<Vec<u8>, String> {
    let mut line = String::new();
    output.read_line(&mut line).map_err(|error| error.to_string())?;
    let size = line.trim_end().rsplit(' ').next().and_then(|size| size.parse().ok());
    let Some(size) = size.filter(|_| line.contains(" blob ")) else {
        return Err(format!("`{}`", line.trim_end()));
    };
    let mut bytes = vec![0; size];
    output.read_exact(&mut bytes).map_err(|error| error.to_string())?;
    let mut end = [0];
    output.read_exact(&mut end).map_err(|error| error.to_string())?;
    Ok(bytes)
}

fn command(folder: &Path) -> Command {
    let mut command = Command::new("git");
    // Messages in English, and nothing is written for speed.
    command.arg("-C").arg(folder).env("LC_ALL", "C").env("GIT_OPTIONAL_LOCKS", "0");
    // A hook of git has these for the folder that it runs in.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
        command.env_remove(name);
    }
    command
}

/// What git prints; otherwise the first line of what it says.
fn git(folder: &Path, arguments: &[&str]) -> Result<Vec<u8>, String> {
    let output = command(folder)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot run `git`: {error}"))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let first = said.lines().next().unwrap_or("it says nothing");
    Err(first.strip_prefix("fatal: ").unwrap_or(first).to_owned())
}

fn text_of(bytes: &[u8]) -> &OsStr {
    let end = bytes.iter().rposition(|byte| !b"\r\n".contains(byte)).map_or(0, |at| at + 1);
    os_text(&bytes[..end]).unwrap_or_default()
}

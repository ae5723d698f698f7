//! Writing several files, all or none.
//!
//! Every text goes to a temporary file beside its target first; only when all of them are written
//! are they renamed. What was replaced or created is put back if a rename fails after all.

use layoutc_diagnostics::{Code, Diagnostic};
use std::borrow::Cow;
use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// A file to be written.
#[derive(Clone, Debug)]
pub struct Target<'a> {
    /// Where.
    pub path: PathBuf,
    /// What.
    pub bytes: Cow<'a, [u8]>,
    /// Whether missing folders above it are created.
    pub creates_folders: bool,
    /// Whether a file that already has these bytes is left alone, its time of change included.
    pub keeps_unchanged: bool,
}

/// Why nothing was written.
#[derive(Debug)]
pub struct WriteError {
    /// The file or folder.
    path: PathBuf,
    /// A lowercase phrase.
    cause: String,
}

impl WriteError {
    fn new(path: &Path, cause: impl ToString) -> Self {
        WriteError { path: path.to_path_buf(), cause: cause.to_string() }
    }

    /// The error to show.
    pub fn diagnostic(&self) -> Diagnostic {
        let message = format!("cannot write {}: {}", self.path.display(), self.cause);
        Diagnostic::error(Code::OUTPUT_CONFLICT, message).help("nothing was written")
    }
}

/// Writes all targets, or none. An existing file keeps its permissions, and a link what it links to.
/// One that must not be written, such as a read-only file, is an error even if it would not change.
///
/// # Errors
/// The first target that cannot be written.
pub fn write_all(targets: &[Target<'_>]) -> Result<(), WriteError> {
    let mut folders = CreatedFolders::default();
    let mut staged = Vec::with_capacity(targets.len());
    for target in targets {
        let existing = existing_file(&target.path)?;
        if target.creates_folders && existing.is_none() {
            folders.create(parent(&target.path))?;
        }
        if target.keeps_unchanged && has_bytes(existing.as_deref(), &target.bytes) {
            continue;
        }
        staged.push(stage(target, existing)?);
    }
    commit(staged)?;
    folders.keep();
    Ok(())
}

/// A text beside its target.
struct Staged {
    /// Where it goes, links followed.
    path: PathBuf,
    file: NamedTempFile,
    /// What was there before.
    before: Option<Before>,
}

struct Before {
    bytes: Vec<u8>,
    permissions: Permissions,
}

/// The regular, writable file behind a path; `None` if there is nothing.
fn existing_file(path: &Path) -> Result<Option<PathBuf>, WriteError> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(WriteError::new(path, error)),
        Ok(_) => {}
    }
    let metadata = fs::metadata(path).map_err(|error| WriteError::new(path, error))?;
    if metadata.is_dir() {
        return Err(WriteError::new(path, "it is a directory"));
    }
    if !metadata.is_file() {
        return Err(WriteError::new(path, "it is not a regular file"));
    }
    if metadata.permissions().readonly() {
        return Err(WriteError::new(path, "it is read-only"));
    }
    fs::canonicalize(path).map(Some).map_err(|error| WriteError::new(path, error))
}

/// Whether the file is there and holds exactly these bytes. One that cannot be read is written, which
/// gives the error.
fn has_bytes(existing: Option<&Path>, bytes: &[u8]) -> bool {
    existing.and_then(|path| fs::read(path).ok()).is_some_and(|before| before == bytes)
}

/// The folder of a file; `.` for a bare name.
pub fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

fn stage(target: &Target<'_>, existing: Option<PathBuf>) -> Result<Staged, WriteError> {
    let failed = |error: io::Error| WriteError::new(&target.path, error);
    let path = existing.clone().unwrap_or_else(|| target.path.clone());
    let mut builder = Builder::new();
    builder.prefix(".layoutc-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let folder = parent(&path);
    if !folder.is_dir() {
        return Err(WriteError::new(&target.path, format!("`{}` is no folder", folder.display())));
    }
    // The error of `tempfile_in` holds the temporary name, which says nothing to anybody.
    let mut file = builder.tempfile_in(folder).map_err(|error| failed(error.kind().into()))?;
    file.write_all(&target.bytes).map_err(failed)?;
    let before = match existing {
        Some(existing) => {
            let permissions = fs::metadata(&existing).map_err(failed)?.permissions();
            file.as_file().set_permissions(permissions.clone()).map_err(failed)?;
            Some(Before { bytes: fs::read(&existing).map_err(failed)?, permissions })
        }
        None => None,
    };
    Ok(Staged { path, file, before })
}

fn commit(staged: Vec<Staged>) -> Result<(), WriteError> {
    let mut done: Vec<(PathBuf, Option<Before>)> = Vec::new();
    for Staged { path, file, before } in staged {
        match file.persist(&path) {
            Ok(_) => done.push((path, before)),
            Err(error) => {
                for (path, before) in done.into_iter().rev() {
                    // The first failure is the one to report; what cannot be put back stays.
                    let _ = put_back(&path, before);
                }
                return Err(WriteError::new(&path, error.error));
            }
        }
    }
    Ok(())
}

fn put_back(path: &Path, before: Option<Before>) -> io::Result<()> {
    match before {
        None => fs::remove_file(path),
        Some(before) => {
            fs::write(path, before.bytes)?;
            fs::set_permissions(path, before.permissions)
        }
    }
}

/// Folders that were not there; removed again unless kept.
#[derive(Default)]
struct CreatedFolders {
    created: Vec<PathBuf>,
}

impl CreatedFolders {
    fn create(&mut self, folder: &Path) -> Result<(), WriteError> {
        let missing: Vec<&Path> = folder
            .ancestors()
            .take_while(|above| !above.as_os_str().is_empty() && !above.exists())
            .collect();
        for above in missing.into_iter().rev() {
            fs::create_dir(above).map_err(|error| WriteError::new(above, error))?;
            self.created.push(above.to_path_buf());
        }
        Ok(())
    }

    fn keep(mut self) {
        self.created.clear();
    }
}

impl Drop for CreatedFolders {
    fn drop(&mut self) {
        for folder in self.created.iter().rev() {
            // Not empty means somebody else has put something there.
            let _ = fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn contents(folder: &Path) -> BTreeMap<PathBuf, Option<String>> {
        let mut found = BTreeMap::new();
        let mut stack = vec![folder.to_path_buf()];
        while let Some(at) = stack.pop() {
            for entry in fs::read_dir(&at).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    stack.push(path.clone());
                }
                found.insert(path.clone(), fs::read_to_string(&path).ok());
            }
        }
        found
    }

    fn target(path: PathBuf) -> Target<'static> {
        Target { path, bytes: b"new".into(), creates_folders: true, keeps_unchanged: false }
    }

    #[test]
    fn all_or_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        fs::write(root.join("old"), "old").expect("written");
        let before = contents(root);
        for bad in ["old/below", "."] {
            let targets =
                [target(root.join("old")), target(root.join("a/b/c")), target(root.join(bad))];
            write_all(&targets).expect_err(bad);
            assert_eq!(contents(root), before, "{bad}");
        }
        write_all(&[target(root.join("old")), target(root.join("a/b/c"))]).expect("written");
        let after = contents(root);
        assert_eq!(after.len(), 4, "{after:?}");
        assert_eq!(after[&root.join("a/b/c")].as_deref(), Some("new"));
    }

    #[test]
    fn equal_bytes_keep_the_time_of_change_where_that_is_asked_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        let long_ago = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000);
        let is_written = |before: &str, keeps_unchanged| {
            fs::write(&path, before).expect("written");
            let file = fs::File::options().write(true).open(&path).expect("opened");
            file.set_modified(long_ago).expect("set");
            drop(file);
            write_all(&[Target { keeps_unchanged, ..target(path.clone()) }]).expect("written");
            assert_eq!(fs::read_to_string(&path).expect("there"), "new");
            fs::metadata(&path).and_then(|data| data.modified()).expect("a time") != long_ago
        };
        assert!(!is_written("new", true));
        assert!(is_written("new", false));
        // As long, a prefix, and longer.
        for other in ["old", "ne", "newer", ""] {
            assert!(is_written(other, true), "{other}");
        }
    }

    #[test]
    fn a_late_failure_puts_back_what_was_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        fs::write(root.join("old"), "old").expect("written");
        let stage_in = |name: &str| {
            let path = root.join(name);
            let existing = path.exists().then(|| path.clone());
            stage(&target(path), existing).expect("staged")
        };
        let staged = vec![stage_in("old"), stage_in("fresh"), stage_in("late")];
        // A folder takes the name of the last file in the meantime.
        fs::create_dir(root.join("late")).expect("created");
        fs::write(root.join("late/x"), "x").expect("written");
        commit(staged).expect_err("a folder is in the way");
        assert_eq!(fs::read_to_string(root.join("old")).expect("there"), "old");
        assert!(!root.join("fresh").exists());
        assert_eq!(contents(root).len(), 3);
    }

    #[cfg(unix)]
    #[test]
    fn devices_links_and_read_only_files() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        fs::write(&file, "old").expect("written");
        fs::set_permissions(&file, Permissions::from_mode(0o640)).expect("set");
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("file", &link).expect("linked");
        write_all(&[target(link.clone())]).expect("written");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(fs::read_to_string(&file).expect("there"), "new");
        assert_eq!(fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o640);

        fs::set_permissions(&file, Permissions::from_mode(0o440)).expect("set");
        let error = write_all(&[target(file)]).expect_err("read-only");
        assert_eq!(error.cause, "it is read-only");
        let error = write_all(&[target("/dev/null".into())]).expect_err("a device");
        assert_eq!(error.cause, "it is not a regular file");
    }
}

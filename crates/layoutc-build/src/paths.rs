//! Paths by name: nothing here looks at the disk.

use std::path::{Component, Path, PathBuf};

/// `path` from `folder`, with `.` and `..` resolved by name.
#[must_use]
pub fn absolute_in(folder: &Path, path: &Path) -> PathBuf {
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
#[must_use]
pub fn relative_to(here: &Path, path: &Path) -> PathBuf {
    match path.strip_prefix(here) {
        Ok(below) if below.as_os_str().is_empty() => PathBuf::from("."),
        Ok(below) => below.to_path_buf(),
        Err(_) => path.to_path_buf(),
    }
}

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

/// An absolute path as it is seen from a folder, with `..` where it lies elsewhere.
#[must_use]
pub fn seen_from(folder: &Path, path: &Path) -> PathBuf {
    let equal = folder.components().zip(path.components()).take_while(|(one, other)| one == other);
    let common = equal.count();
    let up = folder.components().skip(common).map(|_| Component::ParentDir);
    up.chain(path.components().skip(common)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_from_a_folder() {
        let seen =
            |path: &str| seen_from(Path::new("/p/build"), Path::new(path)).display().to_string();
        assert_eq!(seen("/p/build/gen/a.h"), "gen/a.h");
        assert_eq!(seen("/p/include/a.h"), "../include/a.h");
        assert_eq!(seen("/q/a.h"), "../../q/a.h");
    }
}

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

/// The deepest folder above all of these files; that of the file system if there are none.
#[must_use]
pub fn common_folder<'f>(files: impl IntoIterator<Item = &'f PathBuf>) -> PathBuf {
    let mut folders = files.into_iter().filter_map(|file| file.parent());
    let first = folders.next().unwrap_or(Path::new("/")).to_path_buf();
    folders.fold(first, |common, folder| {
        let equal =
            common.components().zip(folder.components()).take_while(|(one, other)| one == other);
        equal.map(|(component, _)| component).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_folder_holds_all_files() {
        let common =
            |files: &[&str]| common_folder(&files.iter().map(PathBuf::from).collect::<Vec<_>>());
        assert_eq!(common(&["/a/b/c.cu"]), Path::new("/a/b"));
        assert_eq!(common(&["/a/b/c.cu", "/a/bc/d.h"]), Path::new("/a"));
        assert_eq!(common(&["/a/b/c.cu", "/a/b/b/d.h", "/a/b/e.h"]), Path::new("/a/b"));
        assert_eq!(common(&["/a/b.cu", "/c/d.h"]), Path::new("/"));
        assert_eq!(common(&[]), Path::new("/"));
    }

    #[test]
    fn paths_from_a_folder() {
        let seen =
            |path: &str| seen_from(Path::new("/p/build"), Path::new(path)).display().to_string();
        assert_eq!(seen("/p/build/gen/a.h"), "gen/a.h");
        assert_eq!(seen("/p/include/a.h"), "../include/a.h");
        assert_eq!(seen("/q/a.h"), "../../q/a.h");
    }
}

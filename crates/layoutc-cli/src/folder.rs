//! Folders as inputs: the sources below one are a program.
//!
//! Hidden folders are left out, and those of builds, which have a `CMakeCache.txt`. Symbolic links are not followed:
//! what one leads to within the folder is found there, and what lies outside belongs to somebody else.

use std::fs;
use std::path::{Path, PathBuf};

/// The endings of the files that compilers are given.
const ENDINGS: [&str; 6] = ["cu", "cl", "c", "cc", "cpp", "cxx"];
/// What a build folder of CMake has.
const CACHE: &str = "CMakeCache.txt";

/// The files, with the sources below a folder in its place.
///
/// # Errors
/// A folder that cannot be read, or has no source.
pub fn with_sources(files: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut all = Vec::new();
    for file in files {
        if !file.is_dir() {
            all.push(file.clone());
            continue;
        }
        let found = sources_below(file)?;
        if found.is_empty() {
            return Err(format!(
                "the folder {} has no source: no file below it ends with .{}; hidden folders and those of builds are left out",
                file.display(),
                ENDINGS.join(", .")
            ));
        }
        all.extend(found);
    }
    Ok(all)
}

/// The sources below a folder, sorted.
fn sources_below(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        let failed = |error| format!("cannot read the folder {}: {error}", folder.display());
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let path = entry.path();
            let kind = entry.file_type().map_err(failed)?;
            let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            if kind.is_dir() && !is_hidden && !path.join(CACHE).exists() {
                open.push(path);
            } else if kind.is_file() && is_source(&path) && !is_hidden {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn is_source(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| ENDINGS.contains(&ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_sorted_and_builds_left_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, "").expect("written");
        };
        let names = ["b.cu", "a/z.cpp", "a/k.cl", "a/h.cuh", ".git/x.cu", "out/CMakeCache.txt"];
        names.iter().copied().chain(["out/y.cu", "a/build/w.cu"]).for_each(write);
        let here = folder.path().to_path_buf();
        let found = with_sources(std::slice::from_ref(&here)).expect("sources");
        let expected = ["a/build/w.cu", "a/k.cl", "a/z.cpp", "b.cu"].map(|name| here.join(name));
        assert_eq!(found, expected);
        let error = with_sources(&[here.join("out")]).expect("has one");
        assert_eq!(error, [here.join("out/y.cu")]);
        let error = with_sources(&[here.join(".git"), here.join("a/none")]);
        assert_eq!(error.expect("a file"), [here.join(".git/x.cu"), here.join("a/none")]);
        fs::create_dir(here.join("empty")).expect("made");
        let error = with_sources(&[here.join("empty")]).expect_err("no source");
        assert!(error.contains("has no source: no file below it ends with .cu, .cl"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let (folder, other) =
            (tempfile::tempdir().expect("one"), tempfile::tempdir().expect("one"));
        fs::write(folder.path().join("a.cu"), "").expect("written");
        fs::write(other.path().join("b.cu"), "").expect("written");
        let link = |to: &Path, name: &str| {
            std::os::unix::fs::symlink(to, folder.path().join(name)).expect("linked");
        };
        link(other.path(), "away");
        link(folder.path(), "round");
        link(&other.path().join("b.cu"), "b.cu");
        let found = with_sources(&[folder.path().to_path_buf()]).expect("sources");
        assert_eq!(found, [folder.path().join("a.cu")]);
    }
}

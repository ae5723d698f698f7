//! A copy of a folder elsewhere, with the program that lies in it.

use crate::arguments::ProgramArguments;
use crate::outputs::absolute;
use crate::write::parent;
use layoutc_build::database::Entry;
use layoutc_build::paths::relative_to;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder and its copy, which may lack files.
#[derive(Clone, Debug)]
pub struct FolderCopy {
    /// The folder, with links followed.
    pub of: PathBuf,
    /// Where the copy is.
    pub at: PathBuf,
}

impl FolderCopy {
    /// The path below the folder; none for one elsewhere.
    pub fn below(&self, path: &Path) -> Option<PathBuf> {
        // The last part may be gone by now, and may be a link that is a part of the program.
        let whole = absolute(path);
        let real = match whole.file_name().filter(|_| !whole.is_dir()) {
            Some(name) => {
                let folder = parent(&whole);
                fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf()).join(name)
            }
            None => fs::canonicalize(&whole).unwrap_or(whole),
        };
        real.strip_prefix(&self.of).ok().map(Path::to_path_buf)
    }

    /// The path in the copy. What lies elsewhere stays where it is.
    pub fn path(&self, path: &Path) -> PathBuf {
        self.below(path).map_or_else(|| path.to_path_buf(), |below| self.at.join(below))
    }

    /// Folders to search: those of the copy, then those that it cannot have, such as generated ones.
    fn folders(&self, folders: &[PathBuf]) -> Vec<PathBuf> {
        let both = |folder: &PathBuf| {
            let own = self.path(folder);
            let is_copied = own != *folder && own.is_dir();
            is_copied.then_some(own).into_iter().chain([folder.clone()]).collect::<Vec<_>>()
        };
        folders.iter().flat_map(both).collect()
    }

    /// The program of the copy.
    pub fn program(&self, program: &ProgramArguments) -> ProgramArguments {
        ProgramArguments {
            files: program.files.iter().map(|file| self.path(file)).collect(),
            include_dirs: self.folders(&program.include_dirs),
            system_dirs: self.folders(&program.system_dirs),
            roots: (program.roots.iter().map(|root| self.path(root)))
                .filter(|root| root.is_dir())
                .collect(),
            ..program.clone()
        }
    }

    /// The entries of a compilation database whose files the copy has.
    pub fn entries(&self, entries: Vec<Entry>) -> Vec<Entry> {
        let copied = |mut entry: Entry| {
            entry.file = self.path(&entry.file);
            let options = &mut entry.options;
            for folders in
                [&mut options.include_dirs, &mut options.quote_dirs, &mut options.system_dirs]
            {
                *folders = self.folders(folders);
            }
            for file in &mut options.forced_includes {
                let own = self.path(file);
                if own.is_file() {
                    *file = own;
                }
            }
            entry.file.is_file().then_some(entry)
        };
        entries.into_iter().filter_map(copied).collect()
    }

    /// The path as a user in the current folder would name the original.
    pub fn original(&self, path: &Path) -> PathBuf {
        match path.strip_prefix(&self.at) {
            Ok(below) => relative_to(&absolute(Path::new(".")), &self.of.join(below)),
            Err(_) => path.to_path_buf(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_there_and_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let of = fs::canonicalize(folder.path()).expect("there");
        fs::create_dir(of.join("src")).expect("created");
        let copy = FolderCopy { of: of.clone(), at: PathBuf::from("/copy") };
        assert_eq!(copy.below(&of.join("src/../a.cu")), Some(PathBuf::from("a.cu")));
        assert_eq!(copy.below(&of), Some(PathBuf::new()));
        assert_eq!(copy.path(&of.join("src/a.cu")), Path::new("/copy/src/a.cu"));
        assert_eq!(copy.path(Path::new("/elsewhere/a.h")), Path::new("/elsewhere/a.h"));
        assert_eq!(copy.original(Path::new("/copy/src/a.cu")), of.join("src/a.cu"));
        // A folder that the copy does not have is searched where it is.
        assert_eq!(copy.folders(&[of.join("src")]), [of.join("src")]);
    }
}

//! A copy of a program's folders in which its texts can differ from the files.
//!
//! Below the root of the mirror lie the program's texts, each at its path from the root of the file system, so that
//! relative names with `..` work too. What else the program may open, data above all, lies beside them as links to the
//! original: everything in its folders, in the one it is run in, and in the two above that.

use super::{OpenClError, OpenClRequest, io_error};
use crate::program::absolute;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// How many folders above the one that the program is run in have their entries linked.
const FOLDERS_ABOVE: usize = 2;

/// A written mirror.
#[derive(Debug)]
pub(super) struct Mirror {
    root: PathBuf,
}

impl Mirror {
    /// Writes the texts and the links; what an earlier build left at `root` is removed.
    pub(super) fn write(root: &Path, program: &OpenClRequest) -> Result<Self, OpenClError> {
        let mirror = Self { root: root.to_path_buf() };
        if root.exists() {
            // Links are removed, never followed.
            fs::remove_dir_all(root).map_err(io_error(root))?;
        }
        let run_in = absolute(&program.folder);
        let mut folders: BTreeSet<PathBuf> =
            run_in.ancestors().take(1 + FOLDERS_ABOVE).map(Path::to_path_buf).collect();
        for source in &program.texts() {
            let path = absolute(&source.path);
            let place = mirror.place(&path);
            if let Some(folder) = place.parent() {
                fs::create_dir_all(folder).map_err(io_error(folder))?;
            }
            fs::write(&place, &source.text).map_err(io_error(&place))?;
            folders.extend(path.parent().map(Path::to_path_buf));
        }
        // All folders before the links: a folder of the program must not become one.
        for folder in &folders {
            let place = mirror.place(folder);
            fs::create_dir_all(&place).map_err(io_error(&place))?;
        }
        for folder in &folders {
            mirror.link_entries(folder)?;
        }
        Ok(mirror)
    }

    /// The root of the mirror.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Where a file or folder of the source tree is in the mirror.
    pub(super) fn place(&self, path: &Path) -> PathBuf {
        let full = absolute(path);
        self.root.join(full.strip_prefix("/").unwrap_or(&full))
    }

    /// A folder that cannot be listed has nothing that the program could be given.
    fn link_entries(&self, folder: &Path) -> Result<(), OpenClError> {
        let Ok(entries) = fs::read_dir(folder) else {
            return Ok(());
        };
        for entry in entries.flatten() {
            let place = self.place(&entry.path());
            if place.symlink_metadata().is_err() {
                link(&entry.path(), &place).map_err(io_error(&place))?;
            }
        }
        Ok(())
    }
}

#[cfg(unix)]
fn link(original: &Path, place: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(original, place)
}

#[cfg(not(unix))]
fn link(original: &Path, place: &Path) -> std::io::Result<()> {
    if original.is_file() { fs::copy(original, place).map(|_| ()) } else { Ok(()) }
}

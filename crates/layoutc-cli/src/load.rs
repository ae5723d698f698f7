//! Reading source files, which must be text; one that is not UTF-8 is read as [`crate::encoding`] says.

use crate::encoding::{Decoded, decode};
use crate::scope::Scope;
use layoutc_diagnostics::{Code, Diagnostic};
use layoutc_syntax::preprocess::{Asked, LoadResult, Owner, SourceLoader};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Why a file cannot be read as source text.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Unreadable {
    /// The file, perhaps with the line.
    place: String,
    /// A lowercase phrase.
    cause: String,
}

/// A file that is compiled: its path without `.` components, so that a header that is also a root
/// has one name, and its text.
///
/// # Errors
/// LC0001 if it cannot be read.
pub fn load_root(file: &Path, loader: &mut DiskLoader) -> Result<(PathBuf, String), Diagnostic> {
    match read(file) {
        Ok(Some(decoded)) => {
            let path = without_dots(file);
            let text = loader.keep(&path, decoded);
            Ok((path, text))
        }
        Ok(None) => Err(unreadable(&file.display().to_string(), "there is no such file")),
        Err(error) => Err(unreadable(&error.place, &error.cause)),
    }
}

fn unreadable(place: &str, cause: &str) -> Diagnostic {
    Diagnostic::error(Code::UNREADABLE_INPUT, format!("cannot read {place}: {cause}"))
}

fn without_dots(path: &Path) -> PathBuf {
    path.components().filter(|component| *component != Component::CurDir).collect()
}

/// The text of a file; `None` if there is none.
fn read(path: &Path) -> Result<Option<Decoded>, Unreadable> {
    let whole =
        |cause: &str| Unreadable { place: path.display().to_string(), cause: cause.to_owned() };
    if path.is_dir() {
        return Err(whole("it is a directory"));
    }
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(whole(&error.to_string())),
    };
    let at = |offset: usize, cause: &str| {
        let line = 1 + bytes[..offset].iter().filter(|byte| **byte == b'\n').count();
        Unreadable { place: format!("{}:{line}", path.display()), cause: cause.to_owned() }
    };
    if u32::try_from(bytes.len()).is_err() {
        return Err(whole("it is larger than 4 GiB"));
    }
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(whole("it is UTF-16; save it as UTF-8"));
    }
    if let Some(offset) = bytes.iter().position(|byte| *byte == 0) {
        return Err(at(offset, "it is a binary file (a NUL byte)"));
    }
    Ok(Some(decode(bytes)))
}

/// Reads files from the disk, and keeps what those that are not UTF-8 need to be written again.
#[derive(Clone, Debug, Default)]
pub struct DiskLoader {
    /// What the placeholders of a file stand for, by its path; only of files that have any.
    pub replaced: BTreeMap<PathBuf, Vec<u8>>,
    /// Whose each header is.
    pub scope: Scope,
    /// Where headers were looked for in vain.
    pub absent: BTreeSet<PathBuf>,
}

impl DiskLoader {
    /// The text of a file that was read.
    fn keep(&mut self, path: &Path, decoded: Decoded) -> String {
        if !decoded.replaced.is_empty() {
            self.replaced.insert(path.to_path_buf(), decoded.replaced);
        }
        decoded.text
    }
}

impl SourceLoader for DiskLoader {
    fn load(&mut self, path: &Path) -> LoadResult {
        // A folder of that name is not a header; the search goes on.
        if path.is_dir() {
            return LoadResult::Missing;
        }
        match read(path) {
            Ok(Some(decoded)) => LoadResult::Text(self.keep(path, decoded)),
            Ok(None) => {
                self.absent.insert(path.to_path_buf());
                LoadResult::Missing
            }
            Err(error) => LoadResult::NotReadable(format!("{}: {}", error.place, error.cause)),
        }
    }

    fn owner(&mut self, asked: &Asked<'_>) -> Owner {
        self.scope.owner(asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(bytes: &[u8]) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.cu");
        fs::write(&file, bytes).expect("written");
        load_root(&file, &mut DiskLoader::default()).expect_err("unreadable").message
    }

    #[test]
    fn causes_name_the_line() {
        assert!(message(b"\xff\xfea\0").ends_with("a.cu: it is UTF-16; save it as UTF-8"));
        assert!(message(b"a\n\n\0").ends_with("a.cu:3: it is a binary file (a NUL byte)"));
    }

    #[test]
    fn a_root_has_no_dots_in_its_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.cu");
        fs::write(&file, "\u{feff}int a;\r\n").expect("written");
        let mut loader = DiskLoader::default();
        let root = load_root(&folder.path().join("./a.cu"), &mut loader).expect("readable");
        assert_eq!(root, (file, "\u{feff}int a;\r\n".to_owned()));
        assert!(loader.replaced.is_empty());
    }
}

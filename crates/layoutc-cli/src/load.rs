//! Reading source files, which must be text; one that is not UTF-8 is read as [`crate::encoding`] says.

use crate::encoding::{Decoded, decode};
use crate::outputs::absolute;
use crate::scope::Scope;
use layoutc_diagnostics::{Code, Diagnostic};
use layoutc_syntax::preprocess::{Asked, LoadResult, Owner, SourceLoader};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Texts that go before those of the disk, such as those of an editor, by the [real path](real_path).
pub type Overlay = BTreeMap<PathBuf, Arc<str>>;

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
    match loader.read(file) {
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

/// The absolute path with links followed; of a file that is not there, those of its folder.
pub fn real_path(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| {
        let full = absolute(path);
        let folder = full.parent().and_then(|folder| fs::canonicalize(folder).ok());
        match (folder, full.file_name()) {
            (Some(folder), Some(name)) => folder.join(name),
            (_, _) => full,
        }
    })
}

/// The bytes of a file on the disk; `None` if there is none.
fn read(path: &Path) -> Result<Option<Vec<u8>>, Unreadable> {
    let whole = |cause: String| Unreadable { place: path.display().to_string(), cause };
    if path.is_dir() {
        return Err(whole("it is a directory".to_owned()));
    }
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(whole(error.to_string())),
    }
}

/// The bytes as text.
fn text_of(path: &Path, bytes: Vec<u8>) -> Result<Decoded, Unreadable> {
    let whole =
        |cause: &str| Unreadable { place: path.display().to_string(), cause: cause.to_owned() };
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
    Ok(decode(bytes))
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
    /// What goes before the disk.
    pub overlay: Overlay,
}

impl DiskLoader {
    /// The text of a file; `None` if there is none.
    fn read(&self, path: &Path) -> Result<Option<Decoded>, Unreadable> {
        let is_over = |overlay: &&Overlay| !overlay.is_empty();
        let over = Some(&self.overlay).filter(is_over).and_then(|own| own.get(&real_path(path)));
        let bytes = match over {
            Some(text) => Some(text.as_bytes().to_vec()),
            None => read(path)?,
        };
        bytes.map(|bytes| text_of(path, bytes)).transpose()
    }

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
        match self.read(path) {
            Ok(Some(decoded)) => LoadResult::Text(self.keep(path, decoded)),
            Ok(None) => {
                self.absent.insert(path.to_path_buf());
                LoadResult::Missing
            }
            Err(error) => LoadResult::NotReadable(format!("{}: {}", error.place, error.cause)),
        }
    }

    fn in_other_case(&mut self, path: &Path) -> Option<PathBuf> {
        let folder = path
            .ancestors()
            .skip(1)
            .find(|folder| folder.as_os_str().is_empty() || folder.is_dir())?;
        let mut found = folder.to_path_buf();
        for wanted in path.strip_prefix(folder).ok()?.components() {
            let wanted = wanted.as_os_str().to_str()?;
            let here = if found.as_os_str().is_empty() { Path::new(".") } else { &found };
            let entries = fs::read_dir(here).ok()?;
            let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
            let mut same = names.filter(|name| name.eq_ignore_ascii_case(wanted));
            let name = same.next().filter(|_| same.next().is_none())?;
            found.push(name);
        }
        found.is_file().then_some(found)
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
    fn an_overlay_goes_before_the_disk() {
        let folder = tempfile::tempdir().expect("a folder");
        let (old, new) = (folder.path().join("old.h"), folder.path().join("new.h"));
        fs::write(&old, "old").expect("written");
        let texts = [(real_path(&old), "over".into()), (real_path(&new), "unsaved".into())];
        let mut loader = DiskLoader { overlay: texts.into(), ..DiskLoader::default() };
        let over = |text: &str| LoadResult::Text(text.to_owned());
        assert_eq!(loader.load(&folder.path().join("./old.h")), over("over"));
        assert_eq!(loader.load(&new), over("unsaved"));
        assert_eq!(loader.load(&folder.path().join("none.h")), LoadResult::Missing);
        assert_eq!(load_root(&new, &mut loader).expect("there").1, "unsaved");
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

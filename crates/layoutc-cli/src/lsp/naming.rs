//! Names of files: URIs of the client, real paths, and paths as a command in the workspace spells them.

use crate::load::real_path;
use crate::lsp::documents::Documents;
use crate::outputs::absolute;
use lsp_types::Uri;
use std::path::{Path, PathBuf};

/// The real path of a file; `None` for what is no file, such as a buffer that was never saved.
pub fn path_of(uri: &Uri) -> Option<PathBuf> {
    if uri.scheme() != "file" {
        return None;
    }
    uri.to_file_path().ok().map(|path| real_path(&path))
}

/// The folder that the client has open.
#[derive(Clone, Debug)]
pub struct Root {
    /// As the client spells it.
    named: PathBuf,
    /// With links followed.
    pub real: PathBuf,
}

impl Root {
    /// The folder of a URI.
    pub fn new(uri: &Uri) -> Option<Root> {
        let named = uri.to_file_path().ok().filter(|path| path.is_dir())?;
        let real = real_path(&named);
        Some(Root { named, real })
    }
}

/// Finds the client's names of files.
#[derive(Clone, Copy, Debug)]
pub struct Naming<'a> {
    /// The open texts, which have names of the client's own.
    pub documents: &'a Documents,
    /// The client's folder.
    pub root: Option<&'a Root>,
}

impl Naming<'_> {
    /// The URI of a file: the client's own if it has the file open, otherwise one below its folder.
    pub fn uri(&self, path: &Path) -> Option<Uri> {
        let real = real_path(path);
        if let Some(document) = self.documents.get(&real) {
            return Some(document.uri.clone());
        }
        let below = self.root.and_then(|root| Some((root, real.strip_prefix(&root.real).ok()?)));
        let full = match below {
            Some((root, below)) => root.named.join(below),
            None => absolute(path),
        };
        Uri::from_file_path(full).ok()
    }

    /// The client's count of changes, if it has the file open.
    pub fn version(&self, path: &Path) -> Option<i32> {
        self.documents.get(&real_path(path)).map(|document| document.version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lsp::documents::Document;

    fn uri(path: &Path) -> Uri {
        Uri::from_file_path(path).expect("absolute")
    }

    #[cfg(unix)]
    #[test]
    fn files_below_a_linked_folder_are_named_as_the_client_does() {
        let folder = tempfile::tempdir().expect("a folder");
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        std::fs::create_dir(&real).expect("created");
        std::os::unix::fs::symlink(&real, &link).expect("linked");
        let root = Root::new(&uri(&link)).expect("a folder");
        let mut documents = Documents::default();
        let open: Uri = format!("{}/%61.cu", uri(&link)).parse().expect("a name");
        documents.open(Document { uri: open.clone(), version: 3, text: "".into() });
        let naming = Naming { documents: &documents, root: Some(&root) };
        let real = real_path(&real);
        assert_eq!(naming.uri(&real.join("b c.h")), Some(uri(&link.join("b c.h"))));
        assert_eq!(naming.uri(Path::new("/else/b.h")), Some(uri(Path::new("/else/b.h"))));
        // It is the same file before and after it is saved.
        assert_eq!(path_of(&open), Some(real.join("a.cu")));
        std::fs::write(real.join("a.cu"), "").expect("written");
        assert_eq!(path_of(&open), Some(real.join("a.cu")));
        assert_eq!(naming.uri(&real.join("a.cu")), Some(open));
        assert_eq!(naming.version(&real.join("a.cu")), Some(3));
    }
}

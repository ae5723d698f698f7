//! The texts that the client has open.

use crate::load::Overlay;
use crate::lsp::naming::path_of;
use crate::lsp::positions::{Encoding, Lines};
use lsp_types::{TextDocumentContentChangeEvent, Uri};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An open text.
#[derive(Clone, Debug)]
pub struct Document {
    /// Its name, as the client spells it.
    pub uri: Uri,
    /// The client's count of its changes.
    pub version: i32,
    /// The text.
    pub text: Arc<str>,
}

/// All of them, by the real paths of their files.
#[derive(Clone, Debug, Default)]
pub struct Documents {
    open: BTreeMap<PathBuf, Document>,
}

impl Documents {
    /// Opens a document, or replaces it. What is no file is not kept.
    pub fn open(&mut self, document: Document) {
        if let Some(path) = path_of(&document.uri) {
            self.open.insert(path, document);
        }
    }

    /// Carries out changes, each on the text that the one before left. Whether the document is open.
    pub fn change(
        &mut self,
        uri: &Uri,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) -> bool {
        let Some(document) = path_of(uri).and_then(|path| self.open.get_mut(&path)) else {
            return false;
        };
        for change in changes {
            document.text = changed(&document.text, change, encoding).into();
        }
        document.version = version;
        true
    }

    /// Closes a document. Whether it was open.
    pub fn close(&mut self, uri: &Uri) -> bool {
        path_of(uri).and_then(|path| self.open.remove(&path)).is_some()
    }

    /// The document of a file, by its real path.
    pub fn get(&self, path: &Path) -> Option<&Document> {
        self.open.get(path)
    }

    /// The real paths of all open files.
    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.open.keys()
    }

    /// The texts for the compiler.
    pub fn overlay(&self) -> Overlay {
        self.open.iter().map(|(path, own)| (path.clone(), Arc::clone(&own.text))).collect()
    }
}

/// A text after a change.
fn changed(text: &str, change: TextDocumentContentChangeEvent, encoding: Encoding) -> String {
    match change {
        TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(whole) => whole.text,
        TextDocumentContentChangeEvent::TextDocumentContentChangePartial(part) => {
            let bytes = Lines::new(text, encoding).bytes(part.range);
            [&text[..bytes.start], &part.text, &text[bytes.end..]].concat()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn change(text: &str, changes: &Value, encoding: Encoding) -> String {
        let uri: Uri = "file:///a/b%20c.cu".parse().expect("a name");
        let mut documents = Documents::default();
        documents.open(Document { uri: uri.clone(), version: 1, text: text.into() });
        let changes = serde_json::from_value(changes.clone()).expect("changes");
        assert!(documents.change(&uri, 7, changes, encoding));
        let document = documents.get(Path::new("/a/b c.cu")).expect("open");
        assert_eq!(document.version, 7);
        document.text.to_string()
    }

    #[test]
    fn each_change_is_one_of_the_text_before_it() {
        let at = |line: u32, from: u32, to: u32, text: &str| {
            let place = |character| json!({"line": line, "character": character});
            json!({"range": {"start": place(from), "end": place(to)}, "text": text})
        };
        let both = json!([at(0, 2, 3, "xy"), at(0, 4, 4, "z")]);
        assert_eq!(change("\u{1f600}b", &both, Encoding::Utf16), "\u{1f600}xyz");
        assert_eq!(change("ébc", &both, Encoding::Utf8), "éxyzc");
        let whole = json!([at(5, 0, 0, "ignored"), {"text": "new\n"}, at(9, 9, 9, "end")]);
        assert_eq!(change("old", &whole, Encoding::Utf16), "new\nend");
    }

    #[test]
    fn what_is_not_open_does_not_change() {
        let mut documents = Documents::default();
        let uri: Uri = "untitled:Untitled-1".parse().expect("a name");
        documents.open(Document { uri: uri.clone(), version: 1, text: "".into() });
        assert!(!documents.change(&uri, 2, Vec::new(), Encoding::Utf8));
        assert!(!documents.close(&uri));
    }
}

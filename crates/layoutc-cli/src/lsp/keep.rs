//! "Keep Particle": an entry in the project's `layoutc.toml`, or a new one.

use crate::config::NAME;
use crate::load::real_path;
use crate::lsp::client::Client;
use crate::lsp::naming::Naming;
use crate::lsp::origin::Origin;
use crate::lsp::positions::Lines;
use crate::lsp::snapshot::Snapshot;
use layoutc_build::paths::{common_folder, relative_to};
use lsp_types::{
    CreateFile, DocumentChange, OptionalVersionedTextDocumentIdentifier, TextDocumentEdit,
    TextDocumentIdentifier, TextEdit, WorkspaceEdit,
};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use toml_edit::{Array, DocumentMut, Item, Value};

/// The edit that keeps arrays; `None` if the client cannot carry it out, or the file cannot be read.
pub fn keep(
    snapshot: &Snapshot,
    name: &str,
    client: &Client,
    naming: Naming<'_>,
) -> Option<WorkspaceEdit> {
    if let Origin::Config(path) = &snapshot.origin {
        let open = naming.documents.get(path).map(|document| document.text.to_string());
        let before = open.or_else(|| fs::read_to_string(path).ok())?;
        return edit(path, &before, &with_entry(&before, name)?, client, naming);
    }
    if !client.creates_files {
        return None;
    }
    let path = new_config(snapshot, client)?;
    let text = with_entry(&program_of(snapshot, path.parent()?), name)?;
    let uri = naming.uri(&path)?;
    let create = CreateFile { uri, options: None, annotation_id: None };
    let insert = edit(&path, "", &text, client, naming)?;
    let changes = std::iter::once(DocumentChange::CreateFile(create));
    let changes = changes.chain(insert.document_changes.into_iter().flatten()).collect();
    Some(WorkspaceEdit { document_changes: Some(changes), ..WorkspaceEdit::default() })
}

/// Where the program may have a configuration that it does not have yet: in the workspace's folder, or
/// beside its files.
fn new_config(snapshot: &Snapshot, client: &Client) -> Option<PathBuf> {
    let below = |folder: &Path| snapshot.roots.iter().all(|root| root.starts_with(folder));
    let root = client.root.as_ref().map(|root| root.real.clone()).filter(|root| below(root));
    let folders = root.into_iter().chain([common_folder(&snapshot.roots)]);
    folders.map(|folder| folder.join(NAME)).find(|path| !path.exists())
}

/// The lines of a configuration that name the program.
fn program_of(snapshot: &Snapshot, folder: &Path) -> String {
    let seen = |path: &Path| {
        let path = relative_to(folder, &real_path(path));
        path.display().to_string()
    };
    let mut document = DocumentMut::new();
    match &snapshot.origin {
        Origin::Database(path) => document["project"] = toml_edit::value(seen(path)),
        Origin::Config(_) | Origin::Alone(_) => {
            let files: Array = snapshot.roots.iter().map(|root| seen(root)).collect();
            document["files"] = toml_edit::value(files);
        }
    }
    let unseen = snapshot.analysed().map(|own| &own.success.compiled.program.unseen);
    if unseen.is_some_and(|unseen| unseen.iter().any(|header| header.foreign.is_none())) {
        document["missing-headers"] = toml_edit::value("opaque");
    }
    document.to_string()
}

/// A configuration with one more entry under `keep`; `None` if it is no TOML.
fn with_entry(before: &str, name: &str) -> Option<String> {
    let mut document: DocumentMut = before.parse().ok()?;
    let keep = document.entry("keep").or_insert(Item::Value(Value::Array(Array::new())));
    keep.as_array_mut()?.push(name);
    Some(document.to_string())
}

/// The edit that makes one text of another, as small as it goes.
fn edit(
    path: &Path,
    before: &str,
    after: &str,
    client: &Client,
    naming: Naming<'_>,
) -> Option<WorkspaceEdit> {
    let (bytes, text) = difference(before, after);
    let range = Lines::new(before, client.encoding).range(bytes);
    let edit = TextEdit { range, new_text: text.to_owned() };
    workspace_edit([(path.to_path_buf(), vec![edit])], client, naming)
}

/// What to replace by what, so that the second text comes out.
fn difference<'t>(before: &str, after: &'t str) -> (std::ops::Range<usize>, &'t str) {
    let equal = |a: &str, b: &str| -> usize {
        let pairs = a.chars().zip(b.chars()).take_while(|(a, b)| a == b);
        pairs.map(|(letter, _)| letter.len_utf8()).sum()
    };
    let start = equal(before, after);
    let reversed = |text: &str| text[start..].chars().rev().collect::<String>();
    let end = equal(&reversed(before), &reversed(after));
    (start..before.len() - end, &after[start..after.len() - end])
}

/// Edits of files, in the form that the client takes.
pub fn workspace_edit(
    files: impl IntoIterator<Item = (PathBuf, Vec<TextEdit>)>,
    client: &Client,
    naming: Naming<'_>,
) -> Option<WorkspaceEdit> {
    let mut documents = Vec::new();
    let mut changes = HashMap::new();
    for (path, edits) in files {
        let uri = naming.uri(&path)?;
        if client.has_document_changes {
            let text_document = OptionalVersionedTextDocumentIdentifier {
                version: naming.version(&path),
                text_document_identifier: TextDocumentIdentifier { uri },
            };
            let edits = edits.into_iter().map(lsp_types::Edit::TextEdit).collect();
            let edit = TextDocumentEdit { text_document, edits };
            documents.push(DocumentChange::TextDocumentEdit(edit));
        } else {
            changes.insert(uri, edits);
        }
    }
    Some(match client.has_document_changes {
        true => WorkspaceEdit { document_changes: Some(documents), ..WorkspaceEdit::default() },
        false => WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_added_and_the_rest_stays() {
        let before = "# ours\nfiles = [\"a.cu\"] # all\nkeep = [\"A\"]\ndevice = 'h100'\n";
        let after = with_entry(before, "Cell<float>").expect("TOML");
        assert_eq!(after, before.replace("[\"A\"]", "[\"A\", \"Cell<float>\"]"));
        let (bytes, text) = difference(before, &after);
        assert_eq!((&before[bytes], text), ("", ", \"Cell<float>\""));
        let after = with_entry("files = [\"a.cu\"]\n", "P").expect("TOML");
        assert_eq!(after, "files = [\"a.cu\"]\nkeep = [\"P\"]\n");
        assert_eq!(with_entry("files = [", "P"), None);
        assert_eq!(with_entry("keep = 3", "P"), None);
    }

    #[test]
    fn differences_are_whole_characters() {
        for (before, after) in [("aéb", "aèb"), ("aa", "aaa"), ("", "x"), ("é", ""), ("x", "x")]
        {
            let (bytes, text) = difference(before, after);
            let mut edited = before.to_owned();
            edited.replace_range(bytes, text);
            assert_eq!(edited, after);
        }
    }
}

//! What the client can do, and what the server answers it.

use crate::lsp::actions::KINDS;
use crate::lsp::explain::EXPLAIN;
use crate::lsp::naming::Root;
use crate::lsp::positions::Encoding;
use lsp_types::{
    ClientCapabilities, CodeActionOptions, CodeActionProvider, ExecuteCommandOptions,
    HoverProvider, InitializeParams, InitializeResult, PositionEncodingKind, ResourceOperationKind,
    Save, ServerCapabilities, ServerInfo, TextDocumentSync, TextDocumentSyncKind,
    TextDocumentSyncOptions, WorkspaceFolders,
};

/// What the client can do.
#[derive(Clone, Debug)]
pub struct Client {
    /// What its columns count.
    pub encoding: Encoding,
    /// Its folder: the first one, if it has several.
    pub root: Option<Root>,
    /// It takes edits of documents with versions.
    pub has_document_changes: bool,
    /// An edit may create a file.
    pub creates_files: bool,
    /// It shows documents that it is asked to show.
    pub shows_documents: bool,
    /// It tells of files that change on the disk, if it is asked to.
    pub watches_files: bool,
}

impl Client {
    /// The client that sent this.
    pub fn new(parameters: &InitializeParams) -> Client {
        let abilities: &ClientCapabilities = &parameters.capabilities;
        let workspace = abilities.workspace.as_ref();
        let edit = workspace.and_then(|own| own.workspace_edit.as_ref());
        let operations = edit.and_then(|own| own.resource_operations.as_ref());
        let files = workspace.and_then(|own| own.did_change_watched_files.as_ref());
        let window = abilities.window.as_ref();
        let has_document_changes = edit.and_then(|own| own.document_changes) == Some(true);
        let creates =
            operations.is_some_and(|known| known.contains(&ResourceOperationKind::Create));
        Client {
            encoding: encoding(abilities),
            root: root(parameters),
            has_document_changes,
            creates_files: has_document_changes && creates,
            shows_documents: window
                .and_then(|own| own.show_document.as_ref())
                .is_some_and(|own| own.support),
            watches_files: files.and_then(|own| own.dynamic_registration) == Some(true),
        }
    }

    /// What the server can do for it.
    pub fn answer(&self) -> InitializeResult {
        let encoding = match self.encoding {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
        };
        let sync = TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::Incremental),
            save: Some(Save::Bool(true)),
            ..TextDocumentSyncOptions::default()
        };
        let actions = CodeActionOptions {
            code_action_kinds: Some(KINDS.to_vec()),
            ..CodeActionOptions::default()
        };
        let commands = ExecuteCommandOptions {
            commands: vec![EXPLAIN.to_owned()],
            ..ExecuteCommandOptions::default()
        };
        InitializeResult {
            capabilities: ServerCapabilities {
                position_encoding: Some(encoding),
                text_document_sync: Some(TextDocumentSync::Options(sync)),
                hover_provider: Some(HoverProvider::Bool(true)),
                code_action_provider: Some(CodeActionProvider::CodeActionOptions(actions)),
                execute_command_provider: Some(commands),
                ..ServerCapabilities::default()
            },
            server_info: Some(ServerInfo {
                name: env!("CARGO_BIN_NAME").to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
        }
    }
}

/// Bytes need no conversion, so they are taken if they are offered.
fn encoding(abilities: &ClientCapabilities) -> Encoding {
    let offered = abilities.general.as_ref().and_then(|own| own.position_encodings.as_ref());
    match offered.is_some_and(|offered| offered.contains(&PositionEncodingKind::UTF8)) {
        true => Encoding::Utf8,
        false => Encoding::Utf16,
    }
}

/// The folder, in the newest form that the client gives it in.
#[allow(deprecated)]
fn root(parameters: &InitializeParams) -> Option<Root> {
    let folders = parameters.workspace_folders_initialize_params.workspace_folders.as_ref();
    let first = match folders {
        Some(WorkspaceFolders::WorkspaceFolderList(folders)) => folders.first(),
        Some(WorkspaceFolders::Null) | None => None,
    };
    let uri = first.map(|folder| &folder.uri).or(parameters.root_uri.as_ref());
    uri.and_then(Root::new)
}

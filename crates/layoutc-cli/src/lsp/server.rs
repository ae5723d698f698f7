//! The loop: one message or result at a time, and nothing that takes long.

use crate::compile::catch;
use crate::exit::Exit;
use crate::lsp::actions::Asked;
use crate::lsp::client::Client;
use crate::lsp::diagnostics::{OfFile, by_file};
use crate::lsp::documents::{Document, Documents};
use crate::lsp::explain::{EXPLAIN, Pages, code_of};
use crate::lsp::hover::hover;
use crate::lsp::naming::{Naming, path_of};
use crate::lsp::positions::Encoding;
use crate::lsp::snapshot::Snapshot;
use crate::lsp::spans::Spans;
use crate::lsp::transport::{Event, Output};
use crate::lsp::worker::{Job, Outcome, Worker};
use layoutc_diagnostics::FileId;
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::{
    CodeActionParams, CodeActionResponse, DidChangeTextDocumentParams,
    DidChangeWatchedFilesRegistrationOptions, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, ExecuteCommandParams, FileSystemWatcher, GlobPattern, Hover,
    HoverParams, InitializeParams, MessageType, PublishDiagnosticsParams, Registration,
    RegistrationParams, ShowDocumentParams, ShowMessageParams, Uri,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Files whose changes on the disk matter.
const WATCHED: [&str; 3] = [
    "**/layoutc.toml",
    "**/compile_commands.json",
    "**/*.{cu,cuh,cl,clh,c,cc,cpp,cxx,h,hh,hpp,hxx,inl,inc}",
];

/// The questions about programs.
const HOVER: &str = "textDocument/hover";
const ACTIONS: &str = "textDocument/codeAction";

/// How far the conversation is.
enum Phase {
    /// Nothing was said yet.
    New,
    /// Questions are answered.
    Running(Box<Client>),
    /// The client asked for the end.
    ShutDown,
}

/// All state.
pub struct Server {
    phase: Phase,
    output: Output,
    worker: Worker,
    debounce: Duration,
    documents: Documents,
    /// The number of the state.
    generation: u64,
    /// The number of the state that `programs` are of.
    compiled: u64,
    /// Grows when files on the disk may have changed.
    epoch: u64,
    /// When the state is handed to the worker; `None` if it was.
    due: Option<Instant>,
    programs: Vec<Arc<Snapshot>>,
    /// Questions that wait for the newest state.
    waiting: Vec<Request>,
    /// What the client was told, by the real path of the file.
    published: BTreeMap<PathBuf, OfFile>,
    /// Open files about which the client was told something, perhaps that there is nothing.
    told: BTreeSet<PathBuf>,
    /// Messages that were shown and still hold.
    shown: BTreeSet<String>,
    pages: Pages,
    /// Requests of the server.
    asked: i32,
}

/// An error that answers a request.
type Failed = (ErrorCode, String);

impl Server {
    /// A server that knows nothing yet.
    pub fn new(debounce: Duration, output: Output, worker: Worker) -> Server {
        Server {
            phase: Phase::New,
            output,
            worker,
            debounce,
            documents: Documents::default(),
            generation: 0,
            compiled: 0,
            epoch: 0,
            due: None,
            programs: Vec::new(),
            waiting: Vec::new(),
            published: BTreeMap::new(),
            told: BTreeSet::new(),
            shown: BTreeSet::new(),
            pages: Pages::default(),
            asked: 0,
        }
    }

    /// Answers until the end.
    pub fn serve(mut self, events: &Receiver<Event>) -> Exit {
        let exit = loop {
            let event = match self.due {
                None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(due) => events.recv_timeout(due.saturating_duration_since(Instant::now())),
            };
            match event {
                Ok(Event::Message(Message::Request(request))) => self.request(request),
                Ok(Event::Message(Message::Notification(told))) if told.method == "exit" => {
                    break match self.phase {
                        Phase::ShutDown => Exit::Done,
                        Phase::New | Phase::Running(_) => Exit::Reported,
                    };
                }
                Ok(Event::Message(Message::Notification(told))) => self.notification(told),
                // Nothing depends on the answers to what the server asks.
                Ok(Event::Message(Message::Response(_))) => {}
                Ok(Event::Malformed(code, text)) => self.output.send_malformed(code, &text),
                Ok(Event::Compiled(outcome)) => self.take(outcome),
                Ok(Event::Closed) | Err(RecvTimeoutError::Disconnected) => break Exit::Reported,
                Err(RecvTimeoutError::Timeout) => self.compile(),
            }
        };
        self.output.finish();
        exit
    }

    /// Answers a request, now or when the newest state is compiled.
    fn request(&mut self, request: Request) {
        let is_about_program = matches!(request.method.as_str(), HOVER | ACTIONS);
        if is_about_program && matches!(self.phase, Phase::Running(_)) && !self.is_fresh() {
            self.waiting.push(request);
            // Somebody waits: no more typing is to be expected.
            if self.due.is_some() {
                self.compile();
            }
            return;
        }
        let id = request.id.clone();
        let response = match catch(|| self.answer(request)) {
            Ok(Ok(value)) => Response::new_ok(id, value),
            Ok(Err((code, message))) => Response::new_err(id, code as i32, message),
            Err(bug) => Response::new_err(id, ErrorCode::InternalError as i32, bug.to_string()),
        };
        self.output.send(response);
    }

    fn answer(&mut self, request: Request) -> Result<Value, Failed> {
        let invalid = |text: &str| Err((ErrorCode::InvalidRequest, text.to_owned()));
        let Request { method, params, .. } = request;
        match (&self.phase, method.as_str()) {
            (Phase::New, "initialize") => self.initialize(params),
            (Phase::New, _) => {
                Err((ErrorCode::ServerNotInitialized, "`initialize` comes first".to_owned()))
            }
            (Phase::ShutDown, _) => invalid("the server was shut down"),
            (Phase::Running(_), "initialize") => invalid("the server is initialized already"),
            (Phase::Running(_), "shutdown") => {
                self.shut_down();
                Ok(Value::Null)
            }
            (Phase::Running(client), HOVER) => Ok(json!(self.hover(client, &parsed(params)?))),
            (Phase::Running(client), ACTIONS) => {
                let parameters: CodeActionParams = parsed(params)?;
                Ok(json!(self.actions(client, &parameters).unwrap_or_default()))
            }
            (Phase::Running(client), "workspace/executeCommand") => {
                let shows_documents = client.shows_documents;
                self.command(&parsed(params)?, shows_documents)
            }
            (Phase::Running(_), _) => {
                Err((ErrorCode::MethodNotFound, format!("there is no method `{method}`")))
            }
        }
    }

    fn initialize(&mut self, parameters: Value) -> Result<Value, Failed> {
        let parameters: InitializeParams = parsed(parameters)?;
        let client = Client::new(&parameters);
        if let Some(root) = &client.root {
            // Paths in messages, and in what is compiled, are those of a command line there.
            let _ = std::env::set_current_dir(&root.real);
        }
        let answer = client.answer();
        self.phase = Phase::Running(Box::new(client));
        Ok(json!(answer))
    }

    fn shut_down(&mut self) {
        self.phase = Phase::ShutDown;
        self.due = None;
        for request in std::mem::take(&mut self.waiting) {
            self.cancel(request.id);
        }
    }

    fn hover(&self, client: &Client, parameters: &HoverParams) -> Option<Hover> {
        let at = &parameters.text_document_position_params;
        let (snapshot, file) = self.file_of(&at.text_document.uri)?;
        let mut spans = Spans::new(snapshot, self.naming(client), client.encoding);
        let offset = spans.lines(file).offset(at.position);
        hover(snapshot.analysed()?, &mut spans, file, offset)
    }

    fn actions(
        &self,
        client: &Client,
        parameters: &CodeActionParams,
    ) -> Option<Vec<CodeActionResponse>> {
        let uri = &parameters.text_document.uri;
        let (snapshot, file) = self.file_of(uri)?;
        let published = path_of(uri).and_then(|path| self.published.get(&path));
        let naming = self.naming(client);
        Some(Asked { snapshot, file, published, naming, client }.actions(parameters))
    }

    /// Takes note of what the client tells. What cannot be read, and what is not known, is ignored, as the
    /// protocol has it.
    fn notification(&mut self, told: Notification) {
        let Phase::Running(client) = &self.phase else { return };
        let (encoding, watches_files) = (client.encoding, client.watches_files);
        let Notification { method, params } = told;
        let delay = match method.as_str() {
            "initialized" if watches_files => {
                self.watch_files();
                None
            }
            "textDocument/didOpen" => self.opened(params),
            "textDocument/didChange" => self.edited(params, encoding),
            "textDocument/didClose" => self.closed(params),
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => {
                self.epoch += 1;
                Some(self.debounce)
            }
            "$/cancelRequest" => {
                self.take_back(&params);
                None
            }
            _ => None,
        };
        if let Some(delay) = delay {
            self.generation += 1;
            self.due = Some(Instant::now() + delay);
        }
    }

    /// Opens a document; how long its compilation can wait.
    fn opened(&mut self, parameters: Value) -> Option<Duration> {
        let own = parsed::<DidOpenTextDocumentParams>(parameters).ok()?.text_document;
        let text = own.text.into();
        self.documents.open(Document { uri: own.uri, version: own.version, text });
        Some(Duration::ZERO)
    }

    fn edited(&mut self, parameters: Value, encoding: Encoding) -> Option<Duration> {
        let own: DidChangeTextDocumentParams = parsed(parameters).ok()?;
        let document = own.text_document;
        let uri = &document.text_document_identifier.uri;
        let changes = own.content_changes;
        let is_open = self.documents.change(uri, document.version, changes, encoding);
        is_open.then_some(self.debounce)
    }

    fn closed(&mut self, parameters: Value) -> Option<Duration> {
        let uri = parsed::<DidCloseTextDocumentParams>(parameters).ok()?.text_document.uri;
        let was_open = self.documents.close(&uri);
        if let Some(path) = path_of(&uri) {
            self.told.remove(&path);
        }
        // The disk has the text again.
        self.epoch += 1;
        was_open.then_some(Duration::ZERO)
    }

    /// Ends a question that waits.
    fn take_back(&mut self, parameters: &Value) {
        let id = parameters.get("id").cloned().unwrap_or_default();
        let Ok(id) = parsed::<RequestId>(id) else { return };
        let before = self.waiting.len();
        self.waiting.retain(|request| request.id != id);
        if self.waiting.len() < before {
            self.cancel(id);
        }
    }

    /// Whether the newest state is compiled.
    fn is_fresh(&self) -> bool {
        self.compiled == self.generation
    }

    /// Hands the state to the worker.
    fn compile(&mut self) {
        self.due = None;
        let Phase::Running(client) = &self.phase else { return };
        self.worker.compile(Job {
            generation: self.generation,
            epoch: self.epoch,
            root: client.root.clone(),
            overlay: self.documents.overlay(),
        });
    }

    /// Takes what the worker made of the newest state.
    fn take(&mut self, outcome: Outcome) {
        if outcome.generation != self.generation || !matches!(self.phase, Phase::Running(_)) {
            return;
        }
        self.compiled = outcome.generation;
        self.programs = outcome.programs;
        let messages: BTreeSet<String> = outcome.messages.into_iter().collect();
        for message in messages.difference(&self.shown) {
            let (kind, message) = (MessageType::Error, message.clone());
            self.notify("window/showMessage", ShowMessageParams { kind, message });
        }
        self.shown = messages;
        self.publish();
        for request in std::mem::take(&mut self.waiting) {
            self.request(request);
        }
    }

    /// Tells the client what has changed since it was told.
    fn publish(&mut self) {
        let Phase::Running(client) = &self.phase else { return };
        let naming = self.naming(client);
        let files = by_file(&self.programs, naming, client.encoding);
        let send = |uri: &Uri, diagnostics| {
            let version = path_of(uri).and_then(|path| naming.version(&path));
            let parameters = PublishDiagnosticsParams { uri: uri.clone(), version, diagnostics };
            self.notify("textDocument/publishDiagnostics", parameters);
        };
        for (path, own) in &self.published {
            if !files.contains_key(path) && !own.diagnostics.is_empty() {
                send(&own.uri, Vec::new());
            }
        }
        for (path, own) in &files {
            if self.published.get(path) != Some(own) || self.is_untold(path) {
                send(&own.uri, own.diagnostics.clone());
            }
        }
        let clean = self.documents.paths().filter(|path| !files.contains_key(*path));
        for path in clean.filter(|path| self.is_untold(path) && !self.published.contains_key(*path))
        {
            if let Some(document) = self.documents.get(path) {
                send(&document.uri, Vec::new());
            }
        }
        self.told = self.documents.paths().cloned().collect();
        self.published = files;
    }

    /// Whether the client has opened a file and heard nothing of it since.
    fn is_untold(&self, path: &PathBuf) -> bool {
        self.documents.get(path).is_some() && !self.told.contains(path)
    }

    /// The program that holds a file.
    fn file_of(&self, uri: &Uri) -> Option<(&Snapshot, FileId)> {
        let path = path_of(uri)?;
        self.documents.get(&path)?;
        let own = |snapshot: &Arc<Snapshot>| snapshot.file(&path).is_some();
        let snapshot = self.programs.iter().find(|snapshot| own(snapshot))?;
        Some((snapshot, snapshot.file(&path)?))
    }

    fn naming<'a>(&'a self, client: &'a Client) -> Naming<'a> {
        Naming { documents: &self.documents, root: client.root.as_ref() }
    }

    /// Carries out a command.
    fn command(
        &mut self,
        parameters: &ExecuteCommandParams,
        shows_documents: bool,
    ) -> Result<Value, Failed> {
        if parameters.command != EXPLAIN {
            let message = format!("there is no command `{}`", parameters.command);
            return Err((ErrorCode::InvalidParams, message));
        }
        let invalid = |message| (ErrorCode::InvalidParams, message);
        let code = code_of(parameters.arguments.as_deref()).map_err(invalid)?;
        let page = code.info().explanation;
        let file = if shows_documents { self.pages.file(code).ok() } else { None };
        match file {
            Some(uri) => {
                let (take_focus, selection, external) = (Some(true), None, None);
                let document = ShowDocumentParams { uri, external, take_focus, selection };
                self.ask("window/showDocument", document);
            }
            None => {
                let (kind, message) = (MessageType::Info, page.to_owned());
                self.notify("window/showMessage", ShowMessageParams { kind, message });
            }
        }
        Ok(json!(page))
    }

    /// Asks to be told of files that change on the disk.
    fn watch_files(&mut self) {
        let watcher = |pattern: &str| FileSystemWatcher {
            glob_pattern: GlobPattern::Pattern(pattern.to_owned()),
            kind: None,
        };
        let watchers = WATCHED.iter().map(|pattern| watcher(pattern)).collect();
        let registration = Registration {
            id: "watched-files".to_owned(),
            method: "workspace/didChangeWatchedFiles".to_owned(),
            register_options: Some(json!(DidChangeWatchedFilesRegistrationOptions { watchers })),
        };
        let registrations = vec![registration];
        self.ask("client/registerCapability", RegistrationParams { registrations });
    }

    fn cancel(&self, id: RequestId) {
        let message = "the request was cancelled".to_owned();
        self.output.send(Response::new_err(id, ErrorCode::RequestCanceled as i32, message));
    }

    fn notify(&self, method: &str, parameters: impl Serialize) {
        self.output.send(Notification::new(method.to_owned(), parameters));
    }

    fn ask(&mut self, method: &str, parameters: impl Serialize) {
        self.asked += 1;
        self.output.send(Request::new(self.asked.into(), method.to_owned(), parameters));
    }
}

/// Parameters of a message.
fn parsed<T: DeserializeOwned>(parameters: Value) -> Result<T, Failed> {
    let invalid = |error: serde_json::Error| (ErrorCode::InvalidParams, error.to_string());
    serde_json::from_value(parameters).map_err(invalid)
}

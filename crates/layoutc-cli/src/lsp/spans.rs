//! Spans of a compiled program as places in the client's files.

use crate::lsp::mentions::in_file;
use crate::lsp::naming::Naming;
use crate::lsp::positions::{Encoding, Lines};
use crate::lsp::snapshot::Snapshot;
use layoutc_diagnostics::{FileId, Span};
use lsp_types::{Location, Range, Uri};
use std::collections::BTreeMap;

/// Converts spans of one snapshot; the lines of each file are looked for once.
#[derive(Debug)]
pub struct Spans<'a> {
    snapshot: &'a Snapshot,
    naming: Naming<'a>,
    encoding: Encoding,
    lines: BTreeMap<FileId, Lines<'a>>,
}

impl<'a> Spans<'a> {
    /// For the spans of a snapshot.
    pub fn new(snapshot: &'a Snapshot, naming: Naming<'a>, encoding: Encoding) -> Self {
        Spans { snapshot, naming, encoding, lines: BTreeMap::new() }
    }

    /// The lines of a file.
    pub fn lines(&mut self, file: FileId) -> &Lines<'a> {
        let (snapshot, encoding) = (self.snapshot, self.encoding);
        let lines = || Lines::new(snapshot.sources().file(file).text(), encoding);
        self.lines.entry(file).or_insert_with(lines)
    }

    /// The range of a span in its file.
    pub fn range(&mut self, span: Span) -> Range {
        let span = in_file(self.snapshot.sources(), span);
        self.lines(span.file).range(span.range())
    }

    /// The file of a span.
    pub fn uri(&self, span: Span) -> Option<Uri> {
        self.naming.uri(self.snapshot.sources().file(span.file).path())
    }

    /// File and range.
    pub fn location(&mut self, span: Span) -> Option<Location> {
        Some(Location { uri: self.uri(span)?, range: self.range(span) })
    }

    /// `[main.cu:14](file:///p/main.cu#L14)`.
    pub fn link(&mut self, span: Span) -> String {
        let sources = self.snapshot.sources();
        let file = sources.file(span.file);
        let line = file.line_column(span.start as usize).line;
        let text = format!("{}:{line}", file.path().display());
        match self.uri(span) {
            Some(uri) => format!("[{text}]({uri}#L{line})"),
            None => text,
        }
    }
}

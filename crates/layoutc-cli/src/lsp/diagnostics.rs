//! Diagnostics of programs, by file, as the protocol has them.

use crate::load::real_path;
use crate::lsp::mentions::ClassAt;
use crate::lsp::naming::Naming;
use crate::lsp::positions::Encoding;
use crate::lsp::snapshot::{Analysed, Snapshot};
use crate::lsp::spans::Spans;
use layoutc_diagnostics::{Diagnostic as Found, Severity, Span};
use layoutc_driver::{ClassOutcome, Status};
use lsp_types::{
    Code, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Message, Range, Uri,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The most diagnostics of one program: one of which nothing is understood has thousands.
const COUNT_LIMIT: usize = 1000;
/// Who says it.
const SOURCE: &str = "layoutc";

/// The diagnostics of one file.
#[derive(Clone, PartialEq, Debug)]
pub struct OfFile {
    /// Its name.
    pub uri: Uri,
    /// In the order of the compiler, each once.
    pub diagnostics: Vec<Diagnostic>,
}

/// The diagnostics of all programs, by the real paths of the files.
pub fn by_file(
    snapshots: &[std::sync::Arc<Snapshot>],
    naming: Naming<'_>,
    encoding: Encoding,
) -> BTreeMap<PathBuf, OfFile> {
    let mut files: BTreeMap<PathBuf, OfFile> = BTreeMap::new();
    let mut add = |path: &Path, diagnostic: Diagnostic| {
        let path = real_path(path);
        let Some(uri) = naming.uri(&path) else { return };
        let own = files.entry(path).or_insert(OfFile { uri, diagnostics: Vec::new() });
        // A header may be a file of several programs.
        if !own.diagnostics.contains(&diagnostic) {
            own.diagnostics.push(diagnostic);
        }
    };
    for snapshot in snapshots {
        let mut spans = Spans::new(snapshot, naming, encoding);
        for found in snapshot.diagnostics().iter().take(COUNT_LIMIT) {
            let path = match (&found.primary, snapshot.roots.first()) {
                (Some(label), _) => snapshot.sources().file(label.span.file).path(),
                (None, Some(root)) => root,
                (None, None) => continue,
            };
            add(path, converted(found, &mut spans));
        }
        for (span, message) in snapshot.analysed().into_iter().flat_map(changes) {
            let path = snapshot.sources().file(span.file).path();
            let severity = DiagnosticSeverity::Information;
            add(path, diagnostic(spans.range(span), severity, message));
        }
    }
    files
}

/// A diagnostic of the compiler.
fn converted(found: &Found, spans: &mut Spans<'_>) -> Diagnostic {
    let severity = match found.severity {
        Severity::Error => DiagnosticSeverity::Error,
        Severity::Warning => DiagnosticSeverity::Warning,
        Severity::Note => DiagnosticSeverity::Information,
    };
    let mut message = found.message.clone();
    let range = match &found.primary {
        Some(label) => {
            message = format!("{message}: {}", label.message);
            spans.range(label.span)
        }
        // About the program, and no place in it.
        None => Range::default(),
    };
    if let Some(help) = &found.help {
        message = format!("{message}\nhelp: {help}");
    }
    let related = found.secondary.iter().filter_map(|label| {
        let location = spans.location(label.span)?;
        Some(DiagnosticRelatedInformation { location, message: label.message.clone() })
    });
    let related: Vec<DiagnosticRelatedInformation> = related.collect();
    Diagnostic {
        code: Some(Code::String(found.code.to_string())),
        related_information: (!related.is_empty()).then_some(related),
        ..diagnostic(range, severity, message)
    }
}

fn diagnostic(range: Range, severity: DiagnosticSeverity, message: String) -> Diagnostic {
    Diagnostic {
        range,
        severity: Some(severity),
        source: Some(SOURCE.to_owned()),
        message: Message::String(message),
        ..Diagnostic::default()
    }
}

/// Where arrays that change are announced, and with which words.
fn changes(own: &Analysed) -> Vec<(Span, String)> {
    let classes = own.success.compiled.classes.iter().enumerate();
    let changed = classes.filter(|(_, class)| class.status == Status::Changed);
    changed
        .filter_map(|(at, class)| Some((announced_at(own, at, class)?, changes_to(class))))
        .collect()
}

/// The name of the struct, or the first mention of an array of numbers.
pub fn announced_at(own: &Analysed, at: ClassAt, class: &ClassOutcome) -> Option<Span> {
    let program = &own.success.compiled.program;
    let of_record = class.elements.first().map(|record| program.record(*record).name_span);
    of_record.or_else(|| own.mentions.first_of(at))
}

/// `d_bodies and p change to tiled(32): REASON`.
fn changes_to(class: &ClassOutcome) -> String {
    let names = match class.names.as_slice() {
        [] => "an array".to_owned(),
        names => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
    };
    let verb = if class.names.len() > 1 { "change" } else { "changes" };
    let because = match class.because.as_str() {
        "" => String::new(),
        because => format!(": {because}"),
    };
    format!("{names} of `{}` {verb} to {}{because}", class.type_name, class.layout)
}

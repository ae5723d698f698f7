//! The report: what became of every array, and why, as JSON.
//!
//! The schema is documented in `docs/report.md`; [`VERSION`] changes when a reader would break.

use crate::format::Findings;
use layoutc_dataflow::classes::Pin;
use layoutc_diagnostics::{Code, Diagnostic, Severity, SourceSet, Span};
use layoutc_driver::{ClassOutcome, Status};
use serde::Serialize;
use serde_json::{Map, Value};

/// The schema's version.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Report<'a> {
    version: u32,
    program: Vec<String>,
    classes: Vec<Class<'a>>,
    host_arrays: Vec<HostArray<'a>>,
    diagnostics: Vec<Message<'a>>,
    files: Vec<File>,
    /// What the command itself found.
    #[serde(flatten)]
    own: Option<&'a Map<String, Value>>,
}

#[derive(Serialize)]
struct Class<'a> {
    #[serde(rename = "type")]
    type_name: &'a str,
    names: &'a [String],
    status: &'static str,
    layout: &'a str,
    because: &'a str,
    reasons: Vec<Reason<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    assumed: Vec<Note<'a>>,
}

#[derive(Serialize)]
struct HostArray<'a> {
    #[serde(rename = "type")]
    type_name: &'a str,
    names: &'a [String],
    status: &'static str,
    reason: Option<Reason<'a>>,
}

#[derive(Serialize)]
struct Reason<'a> {
    code: String,
    name: &'static str,
    message: &'a str,
    #[serde(flatten)]
    place: Place,
    related: Vec<Note<'a>>,
}

#[derive(Serialize)]
struct Message<'a> {
    severity: &'static str,
    code: String,
    name: &'static str,
    message: &'a str,
    /// Where; absent for what has no place in a file.
    #[serde(flatten)]
    place: Option<Place>,
    /// What is to be seen there.
    label: Option<&'a str>,
    related: Vec<Note<'a>>,
    help: Option<&'a str>,
}

#[derive(Serialize)]
struct Note<'a> {
    message: &'a str,
    #[serde(flatten)]
    place: Place,
}

#[derive(Serialize)]
struct Place {
    file: String,
    line: u32,
    column: u32,
}

#[derive(Serialize)]
struct File {
    path: String,
    changed: bool,
    /// Whether the file is the program's; others are read and never written.
    ours: bool,
}

/// The report of a run, with a final line break. Without a compiled program it has the files that were read and the
/// diagnostics.
pub fn report(findings: &Findings<'_>) -> String {
    let sources = findings.sources;
    let success = findings.success;
    let compiled = success.map(|success| &success.compiled);
    let files = || sources.iter().filter(|(_, file)| file.is_whole_file());
    let is_ours = |id| success.is_none_or(|success| success.is_ours(id));
    let ours = || files().filter(|(id, _)| is_ours(*id));
    let names = || ours().map(|(_, file)| file.path().display().to_string());
    let report = Report {
        version: VERSION,
        program: names().collect(),
        classes: (compiled.iter().flat_map(|compiled| &compiled.classes))
            .filter(|class| !class.is_generated)
            .map(|class| class_of(sources, class))
            .collect(),
        host_arrays: (compiled.iter().flat_map(|compiled| &compiled.host_arrays))
            .map(|array| HostArray {
                type_name: &array.type_name,
                names: &array.names,
                status: if array.is_native { "native" } else { "converted" },
                reason: array.reason.as_ref().map(|pin| reason(sources, pin)),
            })
            .collect(),
        diagnostics: findings.diagnostics.iter().map(|found| message(sources, found)).collect(),
        files: files()
            .map(|(id, file)| File {
                path: file.path().display().to_string(),
                changed: success.is_some_and(|success| success.rewritten[id.index()].is_some()),
                ours: is_ours(id),
            })
            .collect(),
        own: findings.own,
    };
    // Strings, numbers and lists cannot fail to be written.
    let mut text = serde_json::to_string_pretty(&report).unwrap_or_default();
    text.push('\n');
    text
}

fn class_of<'a>(sources: &SourceSet, class: &'a ClassOutcome) -> Class<'a> {
    let reasons = class.reasons.iter().map(|pin| reason(sources, pin));
    Class {
        type_name: &class.type_name,
        names: &class.names,
        status: match class.status {
            Status::Changed => "changed",
            Status::Kept => "kept",
        },
        layout: &class.layout,
        because: &class.because,
        reasons: reasons.collect(),
        assumed: class.assumed.iter().map(|(span, text)| note(sources, *span, text)).collect(),
    }
}

fn reason<'a>(sources: &SourceSet, pin: &'a Pin) -> Reason<'a> {
    Reason {
        code: pin.code.to_string(),
        name: pin.code.name(),
        message: &pin.message,
        place: place(sources, pin.span),
        related: pin.related.iter().map(|(span, text)| note(sources, *span, text)).collect(),
    }
}

fn message<'a>(sources: &SourceSet, found: &'a Diagnostic) -> Message<'a> {
    let code: Code = found.code;
    Message {
        severity: match found.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        },
        code: code.to_string(),
        name: code.name(),
        message: &found.message,
        place: found.primary.as_ref().map(|label| place(sources, label.span)),
        label: found.primary.as_ref().map(|label| label.message.as_str()),
        related: found
            .secondary
            .iter()
            .map(|label| note(sources, label.span, &label.message))
            .collect(),
        help: found.help.as_deref(),
    }
}

fn note<'a>(sources: &SourceSet, span: Span, message: &'a str) -> Note<'a> {
    Note { message, place: place(sources, span) }
}

fn place(sources: &SourceSet, span: Span) -> Place {
    let file = sources.file(span.file);
    let at = file.line_column(span.start as usize);
    Place { file: file.path().display().to_string(), line: at.line, column: at.column }
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutc_diagnostics::{FileId, SourceFile};
    use serde_json::{Value, json};

    #[test]
    fn the_form_is_the_documented_one() {
        let mut sources = SourceSet::new();
        sources.add(SourceFile::new("in.cu", "ab\ncd\n"));
        let class = ClassOutcome {
            type_name: "P".to_owned(),
            names: vec!["d".to_owned()],
            targets: Vec::new(),
            status: Status::Kept,
            layout: "aos".to_owned(),
            because: String::new(),
            reasons: vec![Pin {
                span: Span::new(FileId(0), 4, 5),
                code: Code::OFFSETOF,
                message: "why".to_owned(),
                related: Vec::new(),
            }],
            allocations: Vec::new(),
            geometry: None,
            assumed: Vec::new(),
            elements: Vec::new(),
            holders: Vec::new(),
            is_automatic: false,
            is_generated: false,
        };
        let value: Value = serde_json::to_value(class_of(&sources, &class)).expect("JSON");
        let reason = json!({"code": "LC0014", "name": "offsetof", "message": "why",
            "file": "in.cu", "line": 2, "column": 2, "related": []});
        assert_eq!(
            value,
            json!({"type": "P", "names": ["d"], "status": "kept", "layout": "aos", "because": "", "reasons": [reason]})
        );
        let found = Diagnostic::warning(Code::MISSING_INCLUDE, "gone").help("look");
        let value: Value = serde_json::to_value(message(&sources, &found)).expect("JSON");
        assert_eq!(
            value,
            json!({"severity": "warning", "code": "LC0004", "name": "missing-include", "message": "gone",
                "label": null, "related": [], "help": "look"})
        );
    }
}

//! Workflow commands of GitHub: `::warning file=a.cu,line=3,col=5,title=LC0011::message`.
//!
//! The runner reads them from what a step prints and shows them as annotations of the changed lines.

use super::short::message;
use super::{Findings, Place, layout_before};
use layoutc_diagnostics::{Diagnostic, Severity, Span};
use std::fmt::Write;

/// A command for each diagnostic, and a notice for each array that changes.
pub(super) fn text(findings: &Findings<'_>) -> String {
    let mut out = String::new();
    for found in findings.diagnostics {
        diagnostic(&mut out, findings, found);
    }
    for class in findings.changed() {
        let place = class.allocations.first().map(|span| findings.place(*span));
        let before = layout_before(class);
        let mut text = format!("{}: {before} to {}", class.names.join(", "), class.layout);
        if !class.because.is_empty() {
            let _ = write!(text, ": {}", class.because);
        }
        command(&mut out, "notice", place, &format!("layout of {}", class.type_name), &text);
    }
    out
}

fn diagnostic(out: &mut String, findings: &Findings<'_>, found: &Diagnostic) {
    let level = match found.severity {
        Severity::Note => "notice",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let place = found.primary.as_ref().map(|label| findings.place(label.span));
    let mut text = message(found);
    let at = |span: Span| {
        let place = findings.place(span);
        format!("{}:{}", place.path.display(), place.start.line)
    };
    for label in &found.secondary {
        let _ = write!(text, "\n{}: {}", at(label.span), label.message);
    }
    if let Some(help) = &found.help {
        let _ = write!(text, "\nhelp: {help}");
    }
    command(out, level, place, &found.code.to_string(), &text);
}

fn command(out: &mut String, level: &str, place: Option<Place<'_>>, title: &str, text: &str) {
    let _ = write!(out, "::{level} ");
    if let Some(Place { path, start, end }) = place {
        let path = path.display().to_string();
        let _ = write!(out, "file={},line={},col={},", property(&path), start.line, start.column);
        // An annotation of several lines has no columns.
        if end.line == start.line && end.column > start.column {
            let _ = write!(out, "endColumn={},", end.column);
        }
    }
    let _ = writeln!(out, "title={}::{}", property(title), data(text));
}

/// The text of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutc_diagnostics::{Code, FileId, SourceFile, SourceSet};

    #[test]
    fn what_ends_a_command_or_a_property_is_escaped() {
        let mut sources = SourceSet::new();
        sources.add(SourceFile::new("a,b:100%.cu", "one\ntwo three\n"));
        let span = |start, end| Span::new(FileId(0), start, end);
        let found = [
            Diagnostic::warning(Code::OFFSETOF, "50% of\r\n::it")
                .at(span(8, 13), "a, b: c")
                .help("x"),
            Diagnostic::error(Code::OFFSETOF, "all").at(span(0, 9), "").with(span(4, 5), "two"),
            Diagnostic::new(Severity::Note, Code::UNKNOWN_CLASS, "no place"),
        ];
        let findings = Findings::errors(&sources, &found);
        assert_eq!(
            text(&findings),
            "::warning file=a%2Cb%3A100%25.cu,line=2,col=5,endColumn=10,title=LC0014::50%25 of%0D%0A::it: a, b: c%0Ahelp: x\n\
             ::error file=a%2Cb%3A100%25.cu,line=1,col=1,title=LC0014::all%0Aa,b:100%25.cu:2: two\n\
             ::notice title=LC0042::no place\n"
        );
    }
}

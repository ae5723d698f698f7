//! A line for each diagnostic, as compilers print them: `a.cu:3:5: warning[LC0011]: message`.

use super::place;
use layoutc_diagnostics::{Diagnostic, Severity, SourceSet};

/// The line of a diagnostic, with what is to be seen at its place.
pub(super) fn line(sources: &SourceSet, found: &Diagnostic) -> String {
    let mut line = String::new();
    if let Some(label) = &found.primary {
        let place = place(sources, label.span);
        line = format!("{}:{}:{}: ", place.path.display(), place.start.line, place.start.column);
    }
    let level = match found.severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    line.push_str(&format!("{level}[{}]: {}", found.code, message(found)));
    line.replace(['\n', '\r'], " ")
}

/// The message, and what is to be seen at its place.
pub(super) fn message(found: &Diagnostic) -> String {
    match found.primary.as_ref().filter(|label| !label.message.is_empty()) {
        Some(label) => format!("{}: {}", found.message, label.message),
        None => found.message.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutc_diagnostics::{Code, FileId, SourceFile, Span};

    #[test]
    fn places_and_lines() {
        let mut sources = SourceSet::new();
        sources.add(SourceFile::new("d/a.cu", "a\né b\n"));
        let warning = Diagnostic::warning(Code::OFFSETOF, "it stays");
        assert_eq!(line(&sources, &warning), "warning[LC0014]: it stays");
        let placed = warning.at(Span::new(FileId(0), 5, 6), "for\nthis");
        assert_eq!(line(&sources, &placed), "d/a.cu:2:3: warning[LC0014]: it stays: for this");
    }
}

//! Markdown, for a comment on a pull request: a table of arrays and a list of diagnostics.

use super::short::message;
use super::{Findings, layout_before};
use layoutc_diagnostics::{Diagnostic, Severity, SourceSet, Span};
use layoutc_driver::{ClassOutcome, Status};
use std::fmt::Write;

/// The most names of one array that are shown.
const NAMES: usize = 6;

/// The table and the list, behind them what the command prints for people.
pub(super) fn text(findings: &Findings<'_>) -> String {
    let mut out = heading(findings);
    let arrays: Vec<&ClassOutcome> = findings.arrays().collect();
    if !arrays.is_empty() {
        out.push_str("\n| array | before | after | why |\n|---|---|---|---|\n");
        for class in arrays {
            let after = match class.status {
                Status::Changed => code(&class.layout),
                Status::Kept => "stays".to_owned(),
            };
            let _ = writeln!(
                out,
                "| {} | {} | {after} | {} |",
                names(class),
                code(layout_before(class)),
                why(findings.sources, class)
            );
        }
    }
    if !findings.diagnostics.is_empty() {
        out.push_str("\n#### Diagnostics\n\n");
        for found in findings.diagnostics {
            diagnostic(&mut out, findings.sources, found);
        }
    }
    if !findings.text.is_empty() {
        let _ = write!(out, "\n{}", fenced("text", findings.text));
    }
    out
}

fn heading(findings: &Findings<'_>) -> String {
    let (all, changed) = (findings.arrays().count(), findings.changed().count());
    match (findings.success, all) {
        (None, _) => "### layoutc: the program cannot be compiled\n".to_owned(),
        (Some(_), 0) => "### layoutc: no array of structs in device memory was found\n".to_owned(),
        (Some(_), 1) => format!("### layoutc: {changed} of 1 array changes\n"),
        (Some(_), _) => format!("### layoutc: {changed} of {all} arrays change\n"),
    }
}

/// The arrays of a class and their type.
pub fn names(class: &ClassOutcome) -> String {
    let more = class.names.len().saturating_sub(NAMES);
    let names: Vec<String> = class.names.iter().take(NAMES).map(|name| code(name)).collect();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    match names.is_empty() {
        true => code(&class.type_name),
        false => format!("{}{more} of {}", names.join(", "), code(&class.type_name)),
    }
}

/// Why a class has its layout, as a cell of a table: what is gained, or the first reason with its place.
pub fn why(sources: &SourceSet, class: &ClassOutcome) -> String {
    match (class.status, class.reasons.first()) {
        (Status::Kept, Some(reason)) => {
            format!(
                "{} at {}: {}",
                reason.code,
                code(&line_of(sources, reason.span)),
                cell(&reason.message)
            )
        }
        (Status::Kept | Status::Changed, _) => cell(&class.because),
    }
}

/// An item of the list of diagnostics.
fn diagnostic(out: &mut String, sources: &SourceSet, found: &Diagnostic) {
    let level = match found.severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let _ = write!(out, "- **{level} {}**", found.code);
    if let Some(label) = &found.primary {
        let _ = write!(out, " {}", code(&line_of(sources, label.span)));
    }
    let _ = writeln!(out, ": {}", prose(&message(found)));
    for label in &found.secondary {
        let at = code(&line_of(sources, label.span));
        let _ = writeln!(out, "  - {at}: {}", prose(&label.message));
    }
    if let Some(help) = &found.help {
        let _ = writeln!(out, "  - help: {}", prose(help));
    }
}

/// `main.cu:52`.
pub fn line_of(sources: &SourceSet, span: Span) -> String {
    let place = super::place(sources, span);
    format!("{}:{}", place.path.display(), place.start.line)
}

/// Text as code.
pub fn code(text: &str) -> String {
    let text = one_line(text).replace('|', "\\|");
    match (text.is_empty(), text.contains('`')) {
        (true, _) => String::new(),
        (false, true) => format!("`` {text} ``"),
        (false, false) => format!("`{text}`"),
    }
}

/// Letters that mean something in Markdown.
const MARKUP: &str = "`\\*_<>[]#~";

/// A message as text: what stands between backticks is code, and nothing else means anything.
pub fn prose(text: &str) -> String {
    let text = one_line(text);
    // An odd backtick begins no code.
    let is_paired = text.matches('`').count().is_multiple_of(2);
    let mut out = String::with_capacity(text.len());
    let mut in_code = false;
    for letter in text.chars() {
        if letter == '`' && is_paired {
            in_code = !in_code;
        } else if !in_code && MARKUP.contains(letter) {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}

/// The same in a cell of a table, where a bar ends the cell even in code.
pub fn cell(text: &str) -> String {
    prose(text).replace('|', "\\|")
}

/// A block of code; the fence is longer than any in the text.
pub fn fenced(language: &str, text: &str) -> String {
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}\n")
}

fn one_line(text: &str) -> String {
    text.replace("\r\n", " ").replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_message_is_markup() {
        assert_eq!(prose("`a_b` of a_b <x>\nand *"), "`a_b` of a\\_b \\<x\\> and \\*");
        assert_eq!(prose("one ` only"), "one \\` only");
        assert_eq!(cell("`a | b` or c | d"), "`a \\| b` or c \\| d");
        assert_eq!(code("a`b"), "`` a`b ``");
    }

    #[test]
    fn fences_are_longer_than_those_inside() {
        assert_eq!(fenced("diff", "+```\n"), "````diff\n+```\n````\n");
        assert_eq!(fenced("", "a"), "```\na\n```\n");
    }
}

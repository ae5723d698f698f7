//! Diagnostics as text on standard error.
//!
//! Colour only on a terminal, and not where `NO_COLOR` is set, unless `--color` says something else. A line that no screen can show is
//! not shown: its label becomes a note with the place in numbers.

use crate::exit::say;
use crate::progress::aside;
use crate::style::{color, is_verbose};
use codespan_reporting::diagnostic::{
    Diagnostic as Rendered, Label as RenderedLabel, Severity as Level,
};
use codespan_reporting::files::SimpleFiles;
use codespan_reporting::term::termcolor::{StandardStream, WriteColor};
use codespan_reporting::term::{Config, Styles, StylesWriter, emit_to_write_style};
use layoutc_codegen::PLACEHOLDER;
use layoutc_diagnostics::{Diagnostic, Label, Severity, SourceSet, Span};

/// The longest source line that is shown, in bytes.
const LINE_LIMIT: usize = 300;

/// The most diagnostics that are shown; a program of which nothing is understood has thousands.
const COUNT_LIMIT: usize = 100;

/// Writes diagnostics to standard error, in their order.
pub fn render(sources: &SourceSet, diagnostics: &[Diagnostic]) {
    if diagnostics.is_empty() {
        return;
    }
    aside(|| render_to(StandardStream::stderr(color()), sources, diagnostics));
    let more = diagnostics.len() - shown(diagnostics).count();
    if more > 0 {
        say(format_args!(
            "{more} further diagnostics are not shown; `-v` shows them, `--report FILE.json` lists them"
        ));
    }
}

fn render_to(out: impl WriteColor, sources: &SourceSet, diagnostics: &[Diagnostic]) {
    let mut files = SimpleFiles::new();
    for (_, file) in sources.iter() {
        let shown = file.view().map_or(file, |view| sources.file(view.of));
        // One byte for one byte, so that all offsets stay.
        files.add(file.path().display().to_string(), shown.text().replace(PLACEHOLDER, "?"));
    }
    let styles = Styles::default();
    let mut out = StylesWriter::new(out, &styles);
    for diagnostic in shown(diagnostics) {
        // Nothing can be said about a standard error that does not take text.
        let _ = emit_to_write_style(
            &mut out,
            &Config::default(),
            &files,
            &rendered(sources, diagnostic),
        );
    }
}

/// The first ones, and every error.
fn shown(diagnostics: &[Diagnostic]) -> impl Iterator<Item = &Diagnostic> {
    let limit = if is_verbose() { diagnostics.len() } else { COUNT_LIMIT };
    let errors = diagnostics.iter().skip(limit).filter(|found| found.severity == Severity::Error);
    diagnostics.iter().take(limit).chain(errors.take(COUNT_LIMIT))
}

fn rendered(sources: &SourceSet, diagnostic: &Diagnostic) -> Rendered<usize> {
    let level = match diagnostic.severity {
        Severity::Note => Level::Note,
        Severity::Warning => Level::Warning,
        Severity::Error => Level::Error,
    };
    let mut labels = Vec::new();
    let mut notes = Vec::new();
    let mut place = |label: &Label, is_primary: bool| {
        if !is_showable(sources, label.span) {
            notes.push(format!("{}: {}", sources.locate(label.span), label.message));
            return;
        }
        let range = first_line(sources, label.span);
        let file = label.span.file.index();
        let shown = match is_primary {
            true => RenderedLabel::primary(file, range),
            false => RenderedLabel::secondary(file, range),
        };
        labels.push(shown.with_message(&label.message));
    };
    if let Some(label) = &diagnostic.primary {
        place(label, true);
    }
    for label in &diagnostic.secondary {
        place(label, false);
    }
    notes.extend(diagnostic.help.iter().map(|help| format!("help: {help}")));
    Rendered::new(level)
        .with_code(diagnostic.code.to_string())
        .with_message(&diagnostic.message)
        .with_labels(labels)
        .with_notes(notes)
}

/// Whether the line fits a screen.
fn is_showable(sources: &SourceSet, span: Span) -> bool {
    sources.file(span.file).line_range(span.start as usize).len() <= LINE_LIMIT
}

/// The span's bytes on its first line: a label marks a place, it does not repeat the program.
fn first_line(sources: &SourceSet, span: Span) -> std::ops::Range<usize> {
    let file = sources.file(span.file);
    let line = file.line_range(span.start as usize);
    let text = file.text();
    let start = text.floor_char_boundary(span.start as usize);
    let end = text.floor_char_boundary((span.end as usize).min(line.end));
    start..end.max(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use codespan_reporting::term::termcolor::NoColor;
    use layoutc_diagnostics::{Code, FileId, SourceFile};

    fn text(source: &str, diagnostic: Diagnostic) -> String {
        let mut sources = SourceSet::new();
        sources.add(SourceFile::new("dir/in.cu", source));
        let mut out = Vec::new();
        render_to(NoColor::new(&mut out), &sources, &[diagnostic]);
        String::from_utf8(out).expect("UTF-8")
    }

    fn span(start: usize, end: usize) -> Span {
        Span::new(FileId(0), start, end)
    }

    #[test]
    fn labels_show_their_lines_and_the_help() {
        let diagnostic = Diagnostic::warning(Code::FIELD_ADDRESS, "`p` keeps its layout")
            .at(span(8, 12), "here")
            .with(span(0, 1), "from here")
            .help("do not");
        let text = text("a();\r\nb(&p.x);\r\n", diagnostic);
        for part in [
            "warning[LC0017]: `p` keeps its layout",
            "dir/in.cu:2:3",
            "^^^^ here",
            "- from here",
            "= help: do not",
        ] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
    }

    #[test]
    fn long_lines_are_not_repeated() {
        let long = format!("/* {} */ x\ny\n", "é".repeat(100_000));
        let at = long.find(" x").expect("there") + 1;
        let shown = text(
            &long,
            Diagnostic::error(Code::UNPARSED_REGION, "bad").at(span(at, at + 1), "this"),
        );
        assert!(shown.contains("dir/in.cu:1:100008: this") && shown.len() < 500, "{shown}");
    }

    #[test]
    fn labels_over_many_lines_show_the_first() {
        let shown = text(
            "f(\n1,\n2,\n3);\n",
            Diagnostic::error(Code::UNPARSED_REGION, "bad").at(span(0, 12), "this"),
        );
        assert!(shown.contains("f(") && !shown.contains("2,"), "{shown}");
    }
}

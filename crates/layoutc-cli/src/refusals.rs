//! Programs that are not compiled at all.
//!
//! The front end is made to go on: a header that is missing or a brace that is never closed is a
//! warning to it, and pins what it may touch. For a user who asks for a rewrite these are mistakes
//! in the command line or in the file, and a half-understood program is no answer.

use layoutc_diagnostics::{Code, Diagnostic, FileId, Severity, Span};
use layoutc_syntax::preprocess::{MacroTable, Preprocessed, TokenKind, each_token};

/// Raises the front end's warnings that a user must act on to errors, and finds braces that do not
/// match.
pub fn refuse(preprocessed: &mut Preprocessed) {
    for diagnostic in &mut preprocessed.diagnostics {
        let fatal = matches!(
            diagnostic.code,
            Code::UNREADABLE_INPUT | Code::MISSING_INCLUDE | Code::NESTING_TOO_DEEP
        );
        if fatal {
            diagnostic.severity = Severity::Error;
        }
    }
    let found = unmatched_braces(preprocessed);
    preprocessed.diagnostics.extend(found);
}

/// Whether any of these is an error.
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// Braces of one text that have no partner in it.
#[derive(Default)]
struct Unmatched {
    open: Vec<Span>,
    close: Vec<Span>,
}

/// The braces without a partner, if the program as a whole does not balance.
///
/// A header may open what another one closes, and a macro may hold a brace; where that may be so,
/// the parser is left to say what it does not understand.
fn unmatched_braces(preprocessed: &Preprocessed) -> Vec<Diagnostic> {
    let files: Vec<Unmatched> = preprocessed
        .files
        .iter()
        .zip(0..)
        .map(|(file, id)| unmatched(FileId(id), &file.masked))
        .collect();
    let open: usize = files.iter().map(|file| file.open.len()).sum();
    let close: usize = files.iter().map(|file| file.close.len()).sum();
    if open == close || uses_brace_macros(preprocessed) {
        return Vec::new();
    }
    let (what, why) = match open > close {
        true => ("unclosed brace", "there is no `}` for this"),
        false => ("unexpected closing brace", "there is no `{` for this"),
    };
    let innermost = |file: &Unmatched| {
        if open > close { file.open.last().copied() } else { file.close.first().copied() }
    };
    files
        .iter()
        .filter_map(innermost)
        .map(|span| Diagnostic::error(Code::UNPARSED_REGION, what).at(span, why))
        .collect()
}

fn unmatched(file: FileId, masked: &str) -> Unmatched {
    let mut found = Unmatched::default();
    for token in each_token(masked) {
        if token.kind != TokenKind::Punct {
            continue;
        }
        let span = || Span::new(file, token.start as usize, token.end as usize);
        match token.text(masked) {
            "{" => found.open.push(span()),
            "}" if found.open.pop().is_none() => found.close.push(span()),
            _ => {}
        }
    }
    found
}

/// Whether the program uses a macro whose text has braces that do not match.
fn uses_brace_macros(preprocessed: &Preprocessed) -> bool {
    let macros: &MacroTable = &preprocessed.macros;
    preprocessed.files.iter().flat_map(|file| &file.macro_uses).any(|usage| {
        let found = unmatched(FileId(0), &macros.get(usage.def).text);
        !found.open.is_empty() || !found.close.is_empty()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutc_syntax::preprocess::{
        LoadResult, PreprocessOptions, SourceLoader, preprocess_program,
    };
    use std::path::Path;

    struct Headers(&'static [(&'static str, &'static str)]);

    impl SourceLoader for Headers {
        fn load(&mut self, path: &Path) -> LoadResult {
            let found = self.0.iter().find(|(name, _)| Path::new(name) == path);
            found.map_or(LoadResult::Missing, |(_, text)| LoadResult::Text((*text).to_owned()))
        }
    }

    /// Messages with their lines, for `a.cu` and headers.
    fn errors(text: &str, headers: &'static [(&'static str, &'static str)]) -> Vec<String> {
        let roots = vec![("a.cu".into(), text.to_owned())];
        let mut done =
            preprocess_program(roots, &mut Headers(headers), &PreprocessOptions::default());
        refuse(&mut done);
        let mut found = Vec::new();
        for diagnostic in done.diagnostics.iter().filter(|found| found.severity == Severity::Error)
        {
            let place = diagnostic.primary.as_ref().map(|label| done.sources.locate(label.span));
            found.push(format!("{} {}", place.unwrap_or_default(), diagnostic.message));
        }
        found
    }

    #[test]
    fn unmatched_braces_are_errors() {
        assert_eq!(errors("void f() {\n  if (1) {\n}\n", &[]), ["a.cu:1:10 unclosed brace"]);
        assert_eq!(errors("void f() {}\n}\n", &[]), ["a.cu:2:1 unexpected closing brace"]);
        assert_eq!(errors("const char *s = \"{\"; // {\nvoid f() {}\n", &[]), [""; 0]);
    }

    #[test]
    fn braces_may_match_across_headers_and_macros() {
        let headers = &[("open.h", "namespace n {\n"), ("close.h", "}\n")];
        assert_eq!(errors("#include \"open.h\"\nint a;\n#include \"close.h\"\n", headers), [""; 0]);
        assert_eq!(errors("#define BEGIN namespace n {\nBEGIN\nint a;\n}\n", &[]), [""; 0]);
    }

    #[test]
    fn missing_headers_are_errors() {
        assert_eq!(errors("\n#include \"b.h\"\n", &[]), ["a.cu:2:1 cannot find header `b.h`"]);
    }
}

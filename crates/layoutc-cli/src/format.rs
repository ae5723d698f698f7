//! The forms in which a command says what it found about a program.
//!
//! A form is a file below this one: a function from [`Findings`] to text. [`Format::Text`] and [`Format::Short`] go to
//! standard error, beside what the command itself prints. The others are for programs: they go to standard output,
//! which then holds nothing else.

mod github;
mod json;
pub mod markdown;
mod sarif;
mod short;

use crate::compile::{Failure, Success};
use crate::exit::{Exit, fail, print, print_line};
use crate::refusals::has_errors;
use crate::render::render;
use crate::style::is_quiet;
use clap::ValueEnum;
use layoutc_diagnostics::{Code, Diagnostic, LineColumn, Severity, SourceSet, Span};
use layoutc_driver::{ClassOutcome, Status};
use serde_json::{Map, Value};
use std::path::Path;

/// The names of forms.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Format {
    /// Diagnostics with the lines that they are about, on standard error.
    #[default]
    Text,
    /// A line for each diagnostic, on standard error.
    Short,
    /// The report as JSON.
    Json,
    /// SARIF 2.1.0, which code scanning services take.
    Sarif,
    /// Workflow commands of GitHub, which become annotations.
    Github,
    /// Markdown, for a comment.
    Markdown,
}

/// What a command found out about a program.
#[derive(Clone, Copy)]
pub struct Findings<'a> {
    /// The files.
    pub sources: &'a SourceSet,
    /// What the user is told, in order.
    pub diagnostics: &'a [Diagnostic],
    /// The compiled program; none if the user has something to correct first.
    pub success: Option<&'a Success>,
    /// What the command prints for people beside that; most often nothing.
    pub text: &'a str,
    /// What it adds to the report.
    pub own: Option<&'a Map<String, Value>>,
}

impl<'a> Findings<'a> {
    /// Of a compiled program.
    pub fn of(success: &'a Success) -> Findings<'a> {
        let diagnostics = &success.compiled.diagnostics;
        Findings {
            sources: success.sources(),
            diagnostics,
            success: Some(success),
            text: "",
            own: None,
        }
    }

    /// Errors for which there is no compiled program.
    pub fn errors(sources: &'a SourceSet, diagnostics: &'a [Diagnostic]) -> Findings<'a> {
        Findings { sources, diagnostics, success: None, text: "", own: None }
    }

    /// The arrays that people ask about: neither those of text that an earlier run generated, nor arrays of numbers
    /// that nobody asked to change and that gain nothing.
    pub fn arrays(&self) -> impl Iterator<Item = &'a ClassOutcome> + use<'a> {
        let all = self.success.map_or(&[][..], |success| &success.compiled.classes);
        all.iter().filter(|class| !class.is_generated && !is_silent(class))
    }

    /// The arrays that change.
    pub fn changed(&self) -> impl Iterator<Item = &'a ClassOutcome> + use<'a> {
        self.arrays().filter(|class| class.status == Status::Changed)
    }

    /// Where a span begins and ends.
    fn place(&self, span: Span) -> Place<'a> {
        place(self.sources, span)
    }
}

/// A part of a file, for people.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The file, as the user names it.
    pub path: &'a Path,
    /// The first character.
    pub start: LineColumn,
    /// Behind the last character.
    pub end: LineColumn,
}

/// Where a span begins and ends.
pub fn place(sources: &SourceSet, span: Span) -> Place<'_> {
    let file = sources.file(span.file);
    // Text of a kernel in a string lies where the string does.
    let file = file.view().map_or(file, |view| sources.file(view.of));
    let [start, end] = [span.start, span.end].map(|at| file.line_column(at as usize));
    Place { path: file.path(), start, end }
}

/// The layout of an array in the source.
pub fn layout_before(class: &ClassOutcome) -> &'static str {
    match (class.elements.is_empty(), class.layout.contains(" = ")) {
        (false, _) => "aos",
        (true, true) => "separate arrays",
        (true, false) => "source order",
    }
}

/// A grid that nobody asked to change, and that gains nothing.
pub fn is_silent(class: &ClassOutcome) -> bool {
    let first = class.reasons.first();
    class.is_automatic && first.is_some_and(|reason| reason.code == Code::NO_GAIN)
}

impl Format {
    /// Its name on command lines.
    pub fn name(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Short => "short",
            Format::Json => "json",
            Format::Sarif => "sarif",
            Format::Github => "github",
            Format::Markdown => "markdown",
        }
    }

    /// Whether the form takes standard output.
    pub fn is_output(self) -> bool {
        match self {
            Format::Text | Format::Short => false,
            Format::Json | Format::Sarif | Format::Github | Format::Markdown => true,
        }
    }

    /// Shows findings: all there is on standard output, or diagnostics on standard error.
    ///
    /// # Errors
    /// A sentence: standard output cannot be written.
    pub fn show(self, findings: &Findings<'_>) -> Result<(), String> {
        let text = match self {
            Format::Text | Format::Short => {
                self.show_diagnostics(findings.sources, findings.diagnostics);
                return Ok(());
            }
            Format::Json => json::text(findings),
            Format::Sarif => sarif::text(findings),
            Format::Github => github::text(findings),
            Format::Markdown => markdown::text(findings),
        };
        print(text).map_err(|error| format!("cannot write to standard output: {error}"))
    }

    /// Shows what a command found that prints a text of its own, or JSON.
    ///
    /// # Errors
    /// A sentence: standard output cannot be written.
    pub fn finish(
        self,
        findings: &Findings<'_>,
        json: impl FnOnce() -> String,
    ) -> Result<(), String> {
        let text = match self {
            Format::Text | Format::Short => findings.text.to_owned(),
            Format::Json => json(),
            Format::Sarif | Format::Github | Format::Markdown => return self.show(findings),
        };
        print(text).map_err(|error| format!("cannot write to standard output: {error}"))
    }

    /// Shows diagnostics on standard error, where a person looks for them.
    pub fn show_diagnostics(self, sources: &SourceSet, diagnostics: &[Diagnostic]) {
        let errors: Vec<Diagnostic>;
        let diagnostics = match is_quiet() {
            false => diagnostics,
            true => {
                let is_error = |found: &&Diagnostic| found.severity == Severity::Error;
                errors = diagnostics.iter().filter(is_error).cloned().collect();
                &errors
            }
        };
        match self {
            Format::Short => {
                diagnostics.iter().for_each(|found| print_line(short::line(sources, found)));
            }
            Format::Text | Format::Json | Format::Sarif | Format::Github | Format::Markdown => {
                render(sources, diagnostics);
            }
        }
    }

    /// Shows errors that end a command. They are on standard error in every form: a pipeline that keeps standard
    /// output in a file has its log.
    pub fn show_errors(self, sources: &SourceSet, errors: &[Diagnostic]) -> Exit {
        if self.is_output()
            && let Err(message) = self.show(&Findings::errors(sources, errors))
        {
            return fail(message);
        }
        self.show_diagnostics(sources, errors);
        Exit::Reported
    }

    /// Says why there is no compiled program.
    pub fn show_failure(self, failure: &Failure) -> Exit {
        match failure {
            Failure::Reported(sources, diagnostics) => {
                debug_assert!(has_errors(diagnostics));
                self.show_errors(sources, diagnostics)
            }
            Failure::Internal(error) => fail(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_command_line() {
        for format in Format::value_variants() {
            let value = format.to_possible_value().expect("no form is hidden");
            assert_eq!(value.get_name(), format.name());
        }
    }
}

//! `#pragma layoutc layout(soa)` and `#pragma layoutc keep`: what the source wants of the arrays of the declaration
//! below, which is a record, or declares pointers or arrays.

use super::{Below, Elements, bodies, elements};
use crate::lower::Lowering;
use crate::preprocess::{Token, tokens};
use crate::program::{FunctionId, LayoutPragma, PragmaArray, PragmaSubject, RecordId};
use layoutc_diagnostics::{Code, Diagnostic, Span};

/// How the pragmas are written.
const FORMS: &str = "write it as `#pragma layoutc keep` or `#pragma layoutc layout(soa)`";
/// Where they stand.
const PLACES: &str = "put it on the line above the definition of a struct, or above the declaration of the variable, parameter or member that is the array";

/// What a pragma of layouts writes.
pub(super) struct Written {
    /// From `#` to its last token.
    directive: Span,
    /// Between the brackets of `layout(…)`.
    layout: Option<Span>,
}

/// Reads a pragma, if it is one of layouts: `tokens` are those of the directive, which begins at `from`.
pub(super) fn read(
    text: &str,
    tokens: &[Token],
    directive: Span,
) -> Option<Result<Written, Diagnostic>> {
    let place = |token: &Token| Span {
        start: directive.start + token.start,
        end: directive.start + token.end,
        ..directive
    };
    let wrong = |span: Span, label: String| {
        let error = Diagnostic::error(Code::GRID_SYNTAX, "this pragma cannot be read");
        Err(error.at(span, label).help(FORMS))
    };
    let word = tokens.get(3)?;
    let rest = &tokens[4..];
    let word_text = word.text(text);
    match word_text {
        "keep" => Some(match rest.first() {
            None => Ok(Written { directive, layout: None }),
            Some(more) => {
                wrong(place(more), format!("nothing follows `keep`, found `{}`", more.text(text)))
            }
        }),
        "layout" => Some(match (rest.first(), rest.last()) {
            (Some(open), Some(close)) if open.text(text) == "(" && close.text(text) == ")" => {
                let inside = Span { start: place(open).end, end: place(close).start, ..directive };
                match rest.len() {
                    2 => wrong(place(close), "expected a layout, found `)`".to_owned()),
                    _ => Ok(Written { directive, layout: Some(inside) }),
                }
            }
            (Some(open), Some(_)) if open.text(text) != "(" => {
                wrong(place(open), format!("expected `(`, found `{}`", open.text(text)))
            }
            (Some(_), Some(last)) => {
                wrong(place(last), "expected `)` at the end of the pragma".to_owned())
            }
            _ => wrong(place(word), "expected `(` behind `layout`".to_owned()),
        }),
        _ => None,
    }
}

impl Lowering<'_> {
    /// Adds what a pragma wants of the declaration below it.
    pub(super) fn wanted(&mut self, written: &Written) -> Result<(), Diagnostic> {
        let directive = written.directive;
        let subject = match self.record_below(directive) {
            Some(record) => PragmaSubject::Record(record),
            None => PragmaSubject::Arrays(self.arrays_below(directive)?),
        };
        let layout = written.layout;
        self.program.layout_pragmas.push(LayoutPragma { directive, layout, subject });
        Ok(())
    }

    /// The record whose definition is the declaration below.
    fn record_below(&self, pragma: Span) -> Option<RecordId> {
        let file = &self.preprocessed.files[pragma.file.index()];
        let rest = file.masked.get(pragma.end as usize..)?;
        let ahead = tokens(rest);
        let is_end = |token: &&Token| matches!(token.text(rest), "{" | "}" | ";");
        let brace = ahead.iter().find(is_end).filter(|token| token.text(rest) == "{")?;
        let brace = pragma.end + brace.start;
        let program = &self.program;
        let is_below = |id: &RecordId| {
            program.record(*id).body.is_some_and(|body| {
                body.file == pragma.file
                    && (pragma.end..brace).contains(&body.start)
                    && brace < body.end
            })
        };
        // Instances of a template have its text.
        let found = program.record_ids().filter(is_below);
        found.min_by_key(|id| program.record(*id).instance.is_some())
    }

    /// The pointers and arrays that the declaration below declares.
    fn arrays_below(&self, pragma: Span) -> Result<Vec<PragmaArray>, Diagnostic> {
        let error = |message: &str| Diagnostic::error(Code::PRAGMA_PLACE, message.to_owned());
        let program = &self.program;
        if let Some((function, position)) = self.parameter_below(pragma) {
            let parameters = bodies(program, function)
                .into_iter()
                .filter_map(|id| program.function(id).parameters.get(position).copied())
                .map(PragmaArray::Variable);
            return self.pointers(parameters.collect(), pragma);
        }
        match self.below(pragma) {
            Some(Below::Variables { variables, .. }) => {
                self.pointers(variables.into_iter().map(PragmaArray::Variable).collect(), pragma)
            }
            Some(Below::Fields { fields, .. }) => {
                self.pointers(fields.into_iter().map(PragmaArray::Field).collect(), pragma)
            }
            Some(Below::Function { function, site }) => {
                let own = program.function(function);
                let name = &own.name;
                Err(error(
                    "this pragma stands above a function, and does not say which array it means",
                )
                .at(pragma, "a layout is one of a struct, or of an array")
                .with(own.sites[site].name, format!("`{name}` is a function"))
                .help(PLACES))
            }
            None => Err(error("this pragma stands above no struct and no array")
                .at(pragma, "nothing below it has a layout")
                .help(PLACES)),
        }
    }

    /// Those of what is declared that are pointers or arrays.
    fn pointers(
        &self,
        declared: Vec<PragmaArray>,
        pragma: Span,
    ) -> Result<Vec<PragmaArray>, Diagnostic> {
        let program = &self.program;
        let of = |array: &PragmaArray| match *array {
            PragmaArray::Variable(id) => (program.variable(id).ty.id, &program.variable(id).site),
            PragmaArray::Field(id) => (program.field(id).ty.id, &program.field(id).site),
        };
        let (arrays, others): (Vec<PragmaArray>, Vec<PragmaArray>) = declared
            .into_iter()
            .partition(|array| !matches!(elements(program, of(array).0), Elements::None));
        if !arrays.is_empty() {
            return Ok(arrays);
        }
        let mut error = Diagnostic::error(
            Code::PRAGMA_PLACE,
            "this pragma stands above what is neither a pointer nor an array",
        )
        .at(pragma, "a layout is one of a struct, or of an array");
        if let Some(other) = others.first() {
            error = error.with(of(other).1.name, "declared here");
        }
        Err(error.help(PLACES))
    }

    /// The parameter that is declared right below a directive within a list of parameters, by its position.
    fn parameter_below(&self, pragma: Span) -> Option<(FunctionId, usize)> {
        let file = &self.preprocessed.files[pragma.file.index()];
        let rest = file.masked.get(pragma.end as usize..)?;
        // The next `,` or bracket ends the parameter, unless it is one of a template's arguments.
        let mut depth = 0i32;
        let end = tokens(rest).into_iter().find(|token| match token.text(rest) {
            "<" => {
                depth += 1;
                false
            }
            ">" => {
                depth -= 1;
                false
            }
            ">>" => {
                depth -= 2;
                false
            }
            "," => depth <= 0,
            "(" | ")" | ";" | "{" | "}" | "=" => true,
            _ => false,
        })?;
        let end = pragma.end + end.start;
        let program = &self.program;
        let functions = program.function_ids().filter(|id| program.function(*id).copy_of.is_none());
        for function in functions {
            for site in &program.function(function).sites {
                let position = site.parameters.iter().position(|id| {
                    let name = program.variable(*id).site.name;
                    name.file == pragma.file && (pragma.end..end).contains(&name.start)
                });
                if let Some(position) = position {
                    return Some((function, position));
                }
            }
        }
        None
    }
}

//! What is assumed of grids: which classes, what is said about it, and checks of it.

use super::Rewriter;
use crate::compile::ClassOutcome;
use layoutc_dataflow::grid::Grid;
use layoutc_diagnostics::{Code, Diagnostic, Severity, Span};
use layoutc_syntax::{ExprId, Program};

/// The name of the function that checks a coordinate, in programs that are run to be compared.
pub const CHECK: &str = "layoutc_inside";

/// How many places a message shows.
const SHOWN: usize = 8;

/// Where something is assumed, and of which dimensions.
pub(crate) fn places(program: &Program, grid: &Grid) -> Vec<(Span, String)> {
    let mut places: Vec<(Span, String)> = grid
        .assumed
        .iter()
        .map(|(expr, dimensions)| {
            let names: Vec<String> =
                dimensions.iter().map(|at| format!("`{}`", grid.dimensions[*at].name)).collect();
            (program.expr_site(*expr), format!("nothing proves it for {}", names.join(", ")))
        })
        .collect();
    places.sort();
    places.dedup();
    places
}

/// Says what was assumed of a grid that changes.
pub(crate) fn note(outcome: &ClassOutcome) -> Option<Diagnostic> {
    let ((first, text), rest) = outcome.assumed.split_first()?;
    let count = rest.len() + 1;
    let arrays: Vec<String> = outcome.names.iter().map(|name| format!("`{name}`")).collect();
    let message = format!(
        "{count} {} of {} {} taken to stay inside the extents",
        if count == 1 { "index" } else { "indices" },
        arrays.join(", "),
        if count == 1 { "is" } else { "are" },
    );
    let mut note = Diagnostic::new(Severity::Note, Code::GRID_ASSUMED, message).at(*first, text);
    for (span, text) in rest.iter().take(SHOWN) {
        note = note.with(*span, text);
    }
    let help = "`layoutc verify` checks it at run time";
    let hidden = count.saturating_sub(1 + SHOWN);
    Some(note.help(match hidden {
        0 => help.to_owned(),
        _ => format!("{help}; {hidden} more are in the report"),
    }))
}

impl Rewriter<'_> {
    /// A coordinate in the body of a macro, which serves all of its uses: with a check, if it is
    /// assumed in one of them.
    pub(super) fn checked_in_body(
        &self,
        grid: &Grid,
        accesses: &[ExprId],
        dimension: usize,
        text: String,
        extents: &[String],
    ) -> String {
        let assumed = accesses.iter().find(|access| {
            grid.assumed.get(access).is_some_and(|dimensions| dimensions.contains(&dimension))
        });
        match assumed {
            Some(access) => self.checked(grid, *access, dimension, text, extents),
            None => text,
        }
    }

    /// A coordinate as an argument of the flattening function: with a check, if nothing proves it
    /// and the program is made to be run and compared.
    pub(super) fn checked(
        &self,
        grid: &Grid,
        expr: ExprId,
        dimension: usize,
        text: String,
        extents: &[String],
    ) -> String {
        match self.checks_bounds {
            true => checked(self.program, grid, expr, dimension, text, extents),
            false => text,
        }
    }
}

/// A coordinate with a check, if nothing proves it.
pub(crate) fn checked(
    program: &Program,
    grid: &Grid,
    expr: ExprId,
    dimension: usize,
    text: String,
    extents: &[String],
) -> String {
    let is_assumed =
        grid.assumed.get(&expr).is_some_and(|dimensions| dimensions.contains(&dimension));
    if !is_assumed {
        return text;
    }
    let mut named = extents.iter();
    let mut extent = String::new();
    for own in &grid.dimensions[1..=dimension] {
        extent = match own.extent {
            Some(extent) => extent.to_string(),
            None => named.next().cloned().unwrap_or_default(),
        };
    }
    let place = program.sources.locate(program.expr_site(expr)).to_string();
    let place: String = place
        .chars()
        .flat_map(|c| if matches!(c, '"' | '\\') { vec!['\\', c] } else { vec![c] })
        .collect();
    let name = &grid.dimensions[dimension].name;
    if program.files[program.expr_site(expr).file.index()].is_opencl {
        // The compilers of CPU devices take statements in expressions. A kernel cannot end the program,
        // but what it prints is a difference.
        let place = place.replace('%', "%%");
        return format!(
            "({{ long layoutc_at = {text}; if (layoutc_at < 0 || layoutc_at >= {extent}) {{ \
             printf(\"{place}: the coordinate `{name}` is %ld, and its extent is %ld\\n\", layoutc_at, (long)({extent})); \
             layoutc_at = 0; }} layoutc_at; }})"
        );
    }
    format!("::{CHECK}({text}, {extent}, \"{place}\", \"{name}\")")
}

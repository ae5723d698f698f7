//! What is said of coordinates that are assumed to stay inside their extents.

use crate::outcome::ClassOutcome;
use layoutc_dataflow::grid::Grid;
use layoutc_diagnostics::{Code, Diagnostic, Severity, Span};
use layoutc_syntax::Program;

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

//! Run-time checks of coordinates that are assumed to stay inside their extents.

use super::Rewriter;
use layoutc_dataflow::grid::Grid;
use layoutc_syntax::{ExprId, Program};

/// The name of the function that checks a coordinate, in programs that are run to be compared.
pub const CHECK: &str = "layoutc_inside";

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

//! What lambdas capture.

use layoutc_diagnostics::Span;
use layoutc_syntax::{CaptureRest, ExprId, ExprKind, NameRef, Program, StmtKind, VarId};
use std::collections::BTreeSet;

/// Whether a lambda captures a name of its capture list by reference.
#[must_use]
pub fn captures_reference(program: &Program, lambda: ExprId, name: ExprId) -> bool {
    matches!(&program.expr(lambda).kind,
        ExprKind::Lambda { captures, by_reference, .. }
            if captures.iter().take(64).position(|own| *own == name)
                .is_some_and(|at| by_reference >> at & 1 == 1))
}

/// References to elements that some lambda captures by value: it holds a copy of the element.
pub(super) fn copied_references(
    program: &Program,
    is_reference: impl Fn(VarId) -> bool,
) -> BTreeSet<(VarId, Span)> {
    let copying: Vec<_> = program
        .exprs
        .iter()
        .filter_map(|expr| match &expr.kind {
            ExprKind::Lambda { captures, body, parameters, rest: CaptureRest::Copied, .. } => {
                let body = program.stmt(*body);
                matches!(body.kind, StmtKind::Block(_))
                    .then_some((expr.span, body.span, captures, parameters))
            }
            _ => None,
        })
        .collect();
    if copying.is_empty() {
        return BTreeSet::new();
    }
    let uses: Vec<(VarId, Span)> = program
        .expr_ids()
        .filter_map(|id| match program.expr(id).kind {
            ExprKind::Name(NameRef::Variable(variable)) if is_reference(variable) => {
                Some((variable, program.expr(id).span))
            }
            _ => None,
        })
        .collect();
    let mut found = BTreeSet::new();
    for (whole, body, captures, parameters) in copying {
        let listed: BTreeSet<VarId> = captures
            .iter()
            .filter_map(|capture| match program.expr(*capture).kind {
                ExprKind::Name(NameRef::Variable(id)) => Some(id),
                _ => None,
            })
            .collect();
        for (id, span) in &uses {
            if body.contains(*span)
                && !whole.contains(program.variable(*id).site.name)
                && !listed.contains(id)
                && !parameters.contains(id)
            {
                found.insert((*id, *span));
            }
        }
    }
    found
}

//! What lambdas capture.

use layoutc_diagnostics::Span;
use layoutc_syntax::{ExprId, ExprKind, NameRef, Program, StmtKind, VarId};
use std::collections::BTreeSet;

/// Whether a name in a capture list is captured by reference.
#[must_use]
pub fn captures_reference(program: &Program, name: ExprId) -> bool {
    let span = program.expr(name).span;
    let file = program.sources.file(span.file);
    // The list starts with `[`, and so does whatever stands around it on the way to the file's start.
    let before = &file.text()[..span.start as usize];
    let list = before.rfind('[').map_or(0, |at| at + 1);
    layoutc_syntax::preprocess::tokens(&before[list..])
        .last()
        .is_some_and(|token| token.text(&before[list..]) == "&")
}

/// References to elements that some lambda captures by value: it holds a copy of the element.
pub(super) fn copied_references(
    program: &Program,
    is_reference: impl Fn(VarId) -> bool,
) -> BTreeSet<(VarId, Span)> {
    let mut found = BTreeSet::new();
    for expr in &program.exprs {
        let ExprKind::Lambda { captures, body, parameters } = &expr.kind else { continue };
        let body = program.stmt(*body);
        let StmtKind::Block(_) = body.kind else { continue };
        let list = Span { end: body.span.start, ..expr.span };
        let text = program.text(list);
        let tokens = layoutc_syntax::preprocess::tokens(text);
        // `[=`: what is not listed is copied.
        let copies = matches!(tokens.as_slice(), [open, default, ..]
            if open.text(text) == "[" && default.text(text) == "=");
        if !copies {
            continue;
        }
        let listed: BTreeSet<VarId> = captures
            .iter()
            .filter_map(|capture| match program.expr(*capture).kind {
                ExprKind::Name(NameRef::Variable(id)) => Some(id),
                _ => None,
            })
            .collect();
        for used in program.expr_ids() {
            let ExprKind::Name(NameRef::Variable(id)) = program.expr(used).kind else { continue };
            let span = program.expr(used).span;
            let declared = program.variable(id).site.name;
            if body.span.contains(span)
                && !expr.span.contains(declared)
                && !listed.contains(&id)
                && !parameters.contains(&id)
                && is_reference(id)
            {
                found.insert((id, span));
            }
        }
    }
    found
}

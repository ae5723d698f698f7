//! Operands behind parentheses and casts.

use layoutc_syntax::{ExprId, ExprKind, Program};

/// The operand behind parentheses and casts to `void*`, `void**` or the like.
#[must_use]
pub fn strip_casts(program: &Program, mut expr: ExprId) -> ExprId {
    loop {
        match &program.expr(expr).kind {
            ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. } => expr = *inner,
            _ => return expr,
        }
    }
}

/// Whether an expression is a null pointer or zero.
#[must_use]
pub fn is_null(program: &Program, expr: ExprId) -> bool {
    let stripped = strip_casts(program, expr);
    matches!(program.expr(stripped).kind, ExprKind::Null | ExprKind::Integer(Some(0)))
}

/// The argument whose value a function of the library gives back: that of `std::move(p)`, and of `std::exchange(p, q)`, which
/// stores `q` in it.
#[must_use]
pub fn given_back(name: &str, arguments: &[ExprId]) -> Option<ExprId> {
    match (name, arguments) {
        ("move", [value]) | ("exchange", [value, _]) => Some(*value),
        _ => None,
    }
}

/// As [`given_back`], and the pointer to the start of a range of which an algorithm gives back a place.
#[must_use]
pub fn led_back(
    program: &Program,
    callee: ExprId,
    name: &str,
    arguments: &[ExprId],
) -> Option<ExprId> {
    let place = || program.algorithm(callee, arguments)?.gives();
    given_back(name, arguments).or_else(|| arguments.get(place()?).copied())
}

/// What `std::exchange(p, q)` changes, and what it stores there.
#[must_use]
pub fn exchanged(name: &str, arguments: &[ExprId]) -> Option<(ExprId, ExprId)> {
    match (name, arguments) {
        ("exchange", [target, value]) => Some((*target, *value)),
        _ => None,
    }
}

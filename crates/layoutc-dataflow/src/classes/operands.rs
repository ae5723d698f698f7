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
pub(super) fn is_null(program: &Program, expr: ExprId) -> bool {
    let stripped = strip_casts(program, expr);
    matches!(program.expr(stripped).kind, ExprKind::Null | ExprKind::Integer(Some(0)))
}

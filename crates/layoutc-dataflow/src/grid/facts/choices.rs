//! Indices that a condition chooses between: `w = (x == 0) ? c : c - 1`.
//!
//! *Claim:* a condition that is a comparison has the value 1 or 0, so the chosen value is
//! `b + condition·(a − b)`, a polynomial of which the condition is an atom.

use super::{Changes, Fact, Facts};
use crate::grid::digits::recovered;
use crate::grid::index::{Atom, Index, Indices};
use crate::grid::is_linear;
use layoutc_syntax::{BinaryOp, ExprId, ExprKind, Program, Scalar, VarId};

impl Facts {
    /// All that is known of a variable's value; all of it holds.
    pub(in super::super) fn definitions(&self, id: VarId) -> impl Iterator<Item = &Index> {
        self.iter().filter_map(move |fact| match fact {
            Fact::Defined(variable, value) if *variable == id => Some(value),
            _ => None,
        })
    }
}

/// A choice between two linear indices, with what changes later replaced by its value.
pub(in super::super) fn unfolded(
    program: &Program,
    changes: &Changes,
    indices: &mut Indices,
    facts: &Facts,
    choice: ExprId,
) -> Option<Index> {
    let ExprKind::Conditional(condition, then, otherwise) =
        program.expr(program.strip_parens(choice)).kind
    else {
        return None;
    };
    let is_signed = |expr: ExprId| {
        program
            .types
            .as_scalar(program.expr(expr).ty.id)
            .is_some_and(|scalar: Scalar| scalar.is_integer() && !scalar.is_unsigned())
    };
    if !is_truth(program, condition) || !is_signed(then) || !is_signed(otherwise) {
        return None;
    }
    let mut branch = |expr: ExprId| -> Option<Index> {
        if let Some(value) = unfolded(program, changes, indices, facts, expr) {
            return Some(value);
        }
        let mut value = indices.index(program, expr)?;
        let is_known = is_linear(program, changes, &value, facts, 8)
            || recovered(program, indices, facts, &value) != value;
        if !is_known {
            return None;
        }
        for _ in 0..4 {
            let next = value.atoms().into_iter().find_map(|atom| {
                let Atom::Variable(id) = atom else { return None };
                let known = facts.definition(id).filter(|_| !changes.is_constant(id))?;
                value.replace(&atom, known)
            });
            match next {
                Some(next) => value = next,
                None => break,
            }
        }
        Some(value)
    };
    let (then, otherwise) = (branch(then)?, branch(otherwise)?);
    let truth = indices.index(program, condition)?;
    truth.times(&then.minus(&otherwise)?)?.plus(&otherwise)
}

/// Whether an expression is 1 or 0 by what it is.
pub(in super::super) fn is_truth(program: &Program, expr: ExprId) -> bool {
    let expr = program.strip_parens(expr);
    !program.operators.contains_key(&expr)
        && matches!(
            program.expr(expr).kind,
            ExprKind::Binary(
                BinaryOp::Lt
                    | BinaryOp::Le
                    | BinaryOp::Gt
                    | BinaryOp::Ge
                    | BinaryOp::Eq
                    | BinaryOp::Ne
                    | BinaryOp::LogicalAnd
                    | BinaryOp::LogicalOr,
                ..
            )
        )
}

//! Which expression each expression is an operand of.

use super::{ExprId, Program};

/// The parent of each expression, and which of its operands it is.
#[derive(Clone, Debug)]
pub struct Parents(Vec<Option<(ExprId, u32)>>);

impl Parents {
    /// Of all expressions of a program.
    #[must_use]
    pub fn new(program: &Program) -> Self {
        let mut parents = vec![None; program.exprs.len()];
        for id in program.expr_ids() {
            for (at, child) in (0..).zip(program.expr(id).children()) {
                parents[child.index()] = Some((id, at));
            }
        }
        Parents(parents)
    }

    /// The parent, and the position of the expression among its operands; none for the root of a statement or
    /// initializer.
    #[must_use]
    pub fn of(&self, expr: ExprId) -> Option<(ExprId, usize)> {
        self.0[expr.index()].map(|(parent, at)| (parent, at as usize))
    }
}

//! Pointers into arrays of scalars, for which coordinates would count from elsewhere.

use super::{Classifier, Moves};
use crate::classes::unify::Flow;
use layoutc_diagnostics::Code;
use layoutc_syntax::{ExprId, ExprKind};

impl Classifier<'_> {
    /// Pins the classes of scalars of which a pointer is moved, where it is moved.
    pub(super) fn grid_offsets(&mut self, flows: &[Flow]) {
        if self.moves == Moves::Stay {
            return;
        }
        let mut origins: Vec<ExprId> = flows
            .iter()
            .filter(|flow| self.classes.is_interior(flow.to))
            .flat_map(|flow| self.moved(flow.from))
            .collect();
        // `p += nx`
        origins.extend(self.program.expr_ids().filter(|id| match &self.program.expr(*id).kind {
            ExprKind::Unary(op, _) => op.is_update(),
            ExprKind::Assign(Some(_), ..) => true,
            _ => false,
        }));
        for expr in origins {
            let target = match &self.program.expr(expr).kind {
                ExprKind::Unary(_, operand) => *operand,
                ExprKind::Assign(_, left, _) => *left,
                _ => expr,
            };
            let Some((class, _)) = self.classes.value(target) else { continue };
            if !self.element_type(class).is_leaf() {
                continue;
            }
            let span = self.span(expr);
            let text = self.program.text(span).split_whitespace().collect::<Vec<_>>().join(" ");
            let message =
                format!("`{text}` points into the grid, and coordinates count from its start");
            self.pin(class, Code::SUB_RANGE, span, message);
        }
    }

    /// The sums, of a pointer and a number, that a pointer may be.
    fn moved(&self, from: ExprId) -> Vec<ExprId> {
        let mut found = Vec::new();
        let mut stack = vec![from];
        while let Some(at) = stack.pop() {
            match &self.program.expr(at).kind {
                ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. } => {
                    stack.push(*inner)
                }
                ExprKind::Conditional(_, then, otherwise) => stack.extend([*then, *otherwise]),
                ExprKind::Assign(None, _, right) => stack.push(*right),
                ExprKind::Binary(..) => found.push(at),
                // Whatever else it is, the slot that it reaches is pinned.
                _ => {}
            }
        }
        found
    }
}

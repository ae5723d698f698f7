//! Accesses to merged arrays: `x[i]` becomes `x[i].x`.

use super::Rewriter;
use layoutc_analysis::joint_plan::JointPlan;
use layoutc_dataflow::classes::{Callee, resolve_callee};
use layoutc_dataflow::merge::Twin;
use layoutc_diagnostics::Span;
use layoutc_syntax::{ExprId, ExprKind, Program};

impl Rewriter<'_> {
    /// Says which member each access means.
    pub(super) fn accesses(&mut self) {
        let measured = self.measured_elements();
        // Text that is replaced as a whole.
        let replaced: Vec<Span> = self
            .merges
            .iter()
            .flat_map(|JointPlan { merge, .. }| {
                let joint = merge.allocations.iter().flat_map(|joint| &joint.followers);
                joint.map(|own| own.call).chain(merge.dropped_frees.iter().copied())
            })
            .map(|call| self.program.expr(call).span)
            .collect();
        for expr in self.program.expr_ids() {
            let span = self.program.expr(expr).span;
            if measured.contains(&expr) || replaced.iter().any(|call| call.contains(span)) {
                continue;
            }
            self.twin(expr);
            self.address(expr);
            let Some((class, _)) = self.classes.place(expr) else { continue };
            let Some((merge, member)) = self.member(class) else { continue };
            let own = self.program.expr(expr);
            let name = self.records[merge].members[member].0.clone();
            match own.kind {
                ExprKind::Index { .. } => {
                    self.edit(own.span.at_end(), format!(".{name}"));
                }
                ExprKind::Deref(operand) => {
                    let inner = self.program.expr(operand).span;
                    let star = Span { end: inner.start, ..own.span };
                    // What follows `*` may stand in a macro's argument.
                    if !own.span.contains(inner) || inner.end != own.span.end {
                        self.refuse(
                            merge,
                            own.span,
                            "this access is written in a form that is not followed",
                        );
                        continue;
                    }
                    if is_postfix(self.program, operand) {
                        self.edit(star, String::new());
                        self.edit(own.span.at_end(), format!("->{name}"));
                    } else {
                        self.edit(star, "(");
                        self.edit(own.span.at_end(), format!(")->{name}"));
                    }
                }
                // The access is inside.
                _ => {}
            }
        }
    }

    /// `atomicAdd(x + i, 1)`: the address of one value.
    fn address(&mut self, expr: ExprId) {
        let ExprKind::Call { callee, arguments, .. } = &self.program.expr(expr).kind else {
            return;
        };
        let Callee::Library(name) = resolve_callee(self.program, *callee, arguments) else {
            return;
        };
        let is_runtime = self.classes.api_calls.iter().any(|call| call.call == expr);
        let Some(first) = arguments.first().copied().filter(|_| !is_runtime) else { return };
        let Some((class, 1)) = self.classes.value(first) else { return };
        let Some((merge, member)) = self.member(class) else { return };
        let span = self.program.expr(expr).span;
        if self.program.home(first).is_some() || self.program.home(expr).is_some() {
            self.refuse(merge, span, "the array is accessed in the body of a macro");
        } else if !matches!(name.as_str(), "swap" | "assert") {
            self.reach(first, merge, member);
        }
    }

    /// Names the parameter or member through which an element is reached as well.
    fn twin(&mut self, expr: ExprId) {
        let twin = self.merges.iter().find_map(|plan| plan.merge.twins.get(&expr));
        match (twin, &self.program.expr(expr).kind) {
            (Some(Twin::Variable(id)), _) => {
                let name = self.program.variable(*id).name.clone();
                self.edit(self.program.expr(expr).span, name);
            }
            (Some(Twin::Field(id)), ExprKind::Member { name: span, .. }) => {
                let (span, name) = (*span, self.program.field(*id).name.clone());
                self.edit(span, name);
            }
            (Some(Twin::Field(_)) | None, _) => {}
        }
    }
}

/// Whether `->` behind the expression is about all of it.
fn is_postfix(program: &Program, expr: ExprId) -> bool {
    matches!(
        program.expr(expr).kind,
        ExprKind::Name(_)
            | ExprKind::Paren(_)
            | ExprKind::Index { .. }
            | ExprKind::Member { .. }
            | ExprKind::Call { .. }
    ) && program.macro_role(expr).is_none()
}

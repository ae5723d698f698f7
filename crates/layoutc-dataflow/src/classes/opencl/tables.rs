//! Kernels in containers, by their places there.

use super::handles::{Follow, Handle, handle_of, member_call, string_literal, strip_text};
use super::instances::variable;
use crate::classes::Slot;
use crate::classes::calls::Callee;
use crate::classes::operands::is_null;
use crate::classes::operands::strip_casts;
use crate::classes::unify::slot_of;
use layoutc_syntax::{
    ExprId, ExprKind, FunctionId, Program, StmtId, StmtKind, TypeKind, UnaryOp, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

impl Follow<'_> {
    /// The kernel at a known place of a table.
    pub(super) fn kernel_of_table(
        &self,
        at: Option<usize>,
        kernel: ExprId,
    ) -> Option<Option<FunctionId>> {
        let (at, id) = self.resolved(at, kernel);
        let ExprKind::Index { base, index, .. } = self.program.expr(id).kind else { return None };
        let table = self.tables.get(&slot_of(self.program, base)?)?;
        let place = self.frames[at?].integers.one(index)?;
        table.get(usize::try_from(place).ok()?).copied()
    }

    /// Containers of kernels of which item `i` has the `i`-th name of a list.
    ///
    /// *Claim:* only one expression sets items: `kernels[k] = clCreateKernel(program, names[k], …)`,
    /// or `kernels.push_back(clCreateKernel(program, names[k], …))` where a loop counts `k` from 0.
    pub(super) fn kernel_tables(&self) -> BTreeMap<Slot, Vec<Option<FunctionId>>> {
        let program = self.program;
        let mut found: BTreeMap<Slot, Vec<Option<FunctionId>>> = BTreeMap::new();
        let mut others: BTreeSet<Slot> = BTreeSet::new();
        for id in program.expr_ids() {
            let (container, made, counter) = match &program.expr(id).kind {
                // No kernel.
                ExprKind::Assign(None, left, right)
                    if is_null(program, *right)
                        && matches!(
                            program.expr(program.strip_parens(*left)).kind,
                            ExprKind::Index { .. }
                        ) =>
                {
                    continue;
                }
                ExprKind::Assign(None, left, right) => {
                    let ExprKind::Index { base, index, .. } =
                        program.expr(program.strip_parens(*left)).kind
                    else {
                        // The container itself, or through a pointer.
                        others.extend(slot_of(program, *left));
                        continue;
                    };
                    (base, *right, Some(index))
                }
                ExprKind::Call { arguments, .. } => {
                    match (member_call(program, id), &arguments[..]) {
                        (Some((object, "push_back" | "emplace_back")), [made]) => {
                            (object, *made, None)
                        }
                        (Some((_, "size" | "empty" | "reserve" | "clear")), _) => continue,
                        (Some((object, _)), _) => {
                            others.extend(slot_of(program, object));
                            continue;
                        }
                        (None, _) => {
                            // Whoever is given the container may set items.
                            let whole = arguments
                                .iter()
                                .filter_map(|id| slot_of(program, strip_casts(program, *id)));
                            others.extend(whole.filter(|slot| is_container(program, *slot)));
                            continue;
                        }
                    }
                }
                ExprKind::AddressOf(inner) => {
                    others.extend(
                        slot_of(program, *inner).filter(|slot| is_container(program, *slot)),
                    );
                    continue;
                }
                _ => continue,
            };
            let Some(slot) = slot_of(program, container) else { continue };
            match self.named_by_counter(id, made, counter) {
                Some(kernels) if !found.contains_key(&slot) => {
                    found.insert(slot, kernels);
                }
                _ => {
                    others.insert(slot);
                }
            }
        }
        found.retain(|slot, _| !others.contains(slot));
        found
    }

    /// The kernels of a list of names, where one counter picks the name and the item.
    fn named_by_counter(
        &self,
        store: ExprId,
        made: ExprId,
        counter: Option<ExprId>,
    ) -> Option<Vec<Option<FunctionId>>> {
        let program = self.program;
        // A variable that holds it for a moment.
        let held = variable(program, made)
            .filter(|id| !self.functions.assigned.contains(id))
            .and_then(|id| program.variable(id).init);
        let made = held.unwrap_or(made);
        let ExprKind::Call { callee, arguments, .. } =
            &program.expr(program.strip_parens(made)).kind
        else {
            return None;
        };
        let is_maker = matches!(self.calls.callee(program, *callee, arguments),
            Callee::Library(name) if name == "clCreateKernel");
        let name = strip_text(program, *arguments.get(1).filter(|_| is_maker)?);
        let ExprKind::Index { base, index, .. } = program.expr(name).kind else { return None };
        let by = variable(program, index)?;
        match counter {
            Some(counter) => (variable(program, counter)? == by).then_some(())?,
            None => counts_from_zero(program, by, store).then_some(())?,
        }
        let names = variable(program, base).filter(|id| self.functions.is_fixed(*id))?;
        let init = program.variable(names).init?;
        let ExprKind::InitList(items) = &program.expr(init).kind else { return None };
        let kernel = |item: &ExprId| {
            let text = program.text(program.expr(program.strip_parens(*item)).span);
            match self.kernels.by_name.get(&string_literal(text)?).map(Vec::as_slice) {
                Some([only]) => Some(*only),
                _ => None,
            }
        };
        Some(items.iter().map(kernel).collect())
    }
}

fn is_container(program: &Program, slot: Slot) -> bool {
    let ty = match slot {
        Slot::Variable(id) => program.variable(id).ty,
        Slot::Field(id) => program.field(id).ty,
        Slot::Result(_) => return false,
    };
    handle_of(program, ty) == Some(Handle::Kernel)
        && !matches!(program.types.kind(ty.id), TypeKind::Named(name, _) if name == "cl_kernel")
}

/// Whether an expression is evaluated once for each value of a counter, from 0 on: a statement in
/// the body of `for (int k = 0; …; k++)` that nothing else changes.
fn counts_from_zero(program: &Program, counter: VarId, id: ExprId) -> bool {
    let is_counter = |expr: ExprId| variable(program, expr) == Some(counter);
    program.stmts.iter().any(|stmt| {
        let StmtKind::For { init: Some(_), step: Some(step), body, .. } = &stmt.kind else {
            return false;
        };
        let counts = matches!(program.expr(program.strip_parens(*step)).kind,
            ExprKind::Unary(UnaryOp::PreIncrement | UnaryOp::PostIncrement, operand) if is_counter(operand));
        let begins = program
            .variable(counter)
            .init
            .is_some_and(|init| layoutc_syntax::evaluate::constant(program, init) == Some(0))
            && stmt.span.contains(program.variable(counter).site.full);
        let changes = program.exprs.iter().filter(|expr| match expr.kind {
            ExprKind::Assign(_, target, _) | ExprKind::AddressOf(target) => is_counter(target),
            ExprKind::Unary(op, target) => op.is_update() && is_counter(target),
            _ => false,
        });
        let statements: Vec<StmtId> = match &program.stmt(*body).kind {
            StmtKind::Block(all) => all.clone(),
            _ => vec![*body],
        };
        let is_direct = statements.iter().any(|stmt| {
            matches!(program.stmt(*stmt).kind, StmtKind::Expr(Some(own)) if program.strip_parens(own) == id)
        });
        // Whatever ends the loop early ends the list, too; but no round may be left out.
        let leaves = program.stmts.iter().any(|inner| {
            stmt.span.contains(inner.span)
                && matches!(
                    inner.kind,
                    StmtKind::Continue | StmtKind::Goto(_) | StmtKind::Labelled { .. }
                )
        });
        counts && begins && changes.count() == 1 && is_direct && !leaves
    })
}

//! What nothing uses any more, where compilers would warn of it.
//!
//! A function of one translation unit whose calls all go to its versions stays in the text, for the
//! next call that somebody writes; `[[maybe_unused]]` says so. So does a local pointer of which only
//! the companion index is still used.

use super::Rewriter;
use crate::edit::Edit;
use crate::unused_locals::MAYBE_UNUSED;
use layoutc_syntax::{BinaryOp, ExprId, ExprKind, FunctionId, NameRef, Space, UnaryOp, VarId};
use std::collections::{BTreeMap, BTreeSet};

impl Rewriter<'_> {
    /// Marks the functions that only their versions were called for.
    pub(super) fn mark_unused_originals(&mut self) {
        let program = self.program;
        let originals: BTreeSet<FunctionId> = self
            .versions
            .changed
            .keys()
            .filter_map(|id| Some(program.function(*id).copy_of.as_ref()?.original))
            .filter(|id| {
                let own = program.function(*id);
                own.is_static && own.template_parameters.is_empty() && own.record.is_none()
            })
            .collect();
        if originals.is_empty() {
            return;
        }
        let mut used: BTreeSet<FunctionId> = BTreeSet::new();
        for id in program.expr_ids() {
            let ExprKind::Name(NameRef::Functions(functions)) = &program.expr(id).kind else {
                continue;
            };
            // Copies without a text of their own say what their originals say.
            if self
                .versions
                .of_expr(id)
                .is_some_and(|own| !self.versions.changed.contains_key(&own))
            {
                continue;
            }
            for function in functions {
                let own = program.function(*function);
                let is_version = self.versions.changed.contains_key(function);
                let named = match &own.copy_of {
                    Some(_) if is_version => continue,
                    Some(copy) => copy.original,
                    None => *function,
                };
                let is_inside = program
                    .function(named)
                    .sites
                    .iter()
                    .any(|site| site.span.contains(program.expr_site(id)));
                if !is_inside {
                    used.insert(named);
                }
            }
        }
        for id in originals.difference(&used) {
            let own = program.function(*id);
            let body = own.body.map(|body| program.stmt(body).span);
            let site =
                own.sites.iter().find(|site| body.is_some_and(|body| site.span.contains(body)));
            if let Some(site) = site {
                let start = layoutc_diagnostics::Span { end: site.span.start, ..site.span };
                self.edits.push(Edit::replace(start, MAYBE_UNUSED));
            }
        }
    }

    /// Local pointers with companions whose every use is one of the companion alone: pointers that
    /// step or are set, and are compared and subtracted within one array.
    pub(super) fn index_only(&self) -> BTreeSet<VarId> {
        let program = self.program;
        let mut uses: BTreeMap<VarId, bool> = self
            .indices
            .keys()
            .filter(|id| {
                let variable = program.variable(**id);
                variable.storage == layoutc_syntax::Storage::Local
                    && variable.pointer_space == Space::Default
                    && !program.files[variable.site.name.file.index()].is_opencl
            })
            .map(|id| (*id, true))
            .collect();
        for id in program.expr_ids() {
            let ExprKind::Name(NameRef::Variable(variable)) = program.expr(id).kind else {
                continue;
            };
            if let Some(only) = uses.get_mut(&variable) {
                *only &= self.is_use_of_index(id);
            }
        }
        uses.into_iter().filter_map(|(id, only)| only.then_some(id)).collect()
    }

    fn is_use_of_index(&self, name: ExprId) -> bool {
        let program = self.program;
        let outer = self.outermost(name);
        let Some((parent, position)) = self.parents.of(outer) else { return false };
        match &program.expr(parent).kind {
            ExprKind::Binary(
                BinaryOp::Lt
                | BinaryOp::Le
                | BinaryOp::Gt
                | BinaryOp::Ge
                | BinaryOp::Eq
                | BinaryOp::Ne
                | BinaryOp::Sub,
                left,
                right,
            ) => self.classes.value(*left).is_some() && self.classes.value(*right).is_some(),
            // Given another base, it is still one that nothing reads.
            ExprKind::Assign(None | Some(BinaryOp::Add | BinaryOp::Sub), ..) => {
                position == 0 && self.is_dropped(parent)
            }
            ExprKind::Unary(
                UnaryOp::PreIncrement
                | UnaryOp::PreDecrement
                | UnaryOp::PostIncrement
                | UnaryOp::PostDecrement,
                _,
            ) => self.is_dropped(parent),
            _ => false,
        }
    }
}

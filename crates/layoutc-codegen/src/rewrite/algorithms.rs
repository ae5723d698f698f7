//! Algorithms of thrust: they get iterators instead of pointers, and what they find is an index.

use super::Rewriter;
use super::expressions::Parts;
use crate::helpers::iterators;
use crate::storage::IndexText;
use layoutc_dataflow::classes::ClassId;
use layoutc_diagnostics::Code;
use layoutc_syntax::{ExprId, ExprKind};

impl Rewriter<'_> {
    /// Whether a call gives back a place in the array that its first pointer leads to.
    pub(super) fn gives_iterator(&self, callee: ExprId, arguments: &[ExprId]) -> bool {
        let algorithm = self.program.algorithm(callee, arguments);
        algorithm.is_some_and(|algorithm| algorithm.gives_iterator)
    }

    /// Whether an expression is a pointer that an algorithm is given.
    pub(super) fn is_iterator(&self, expr: ExprId) -> bool {
        let Some((parent, position)) = self.parents.of(self.outermost(expr)) else { return false };
        let ExprKind::Call { callee, arguments, .. } = &self.program.expr(parent).kind else {
            return false;
        };
        let algorithm = self.program.algorithm(*callee, arguments);
        algorithm.is_some_and(|own| position > 0 && own.iterators.contains(&(position - 1)))
    }

    /// The iterator for a pointer.
    pub(super) fn iterator(&mut self, expr: ExprId, class: ClassId) -> Option<String> {
        let storage = self.storage(class)?;
        if storage.is_record || storage.is_opencl || storage.cells.is_some() {
            let span = self.program.expr(expr).span;
            let message = "an algorithm would be given elements of another type";
            self.refuse(class, Code::ESCAPING_POINTER, span, message);
            return None;
        }
        let name = format!("{}{}", storage.qualifier, iterators::name(storage));
        let parts = self.pointer_parts(expr, class)?;
        let needs = self.needs(class);
        (needs.iterate, needs.load, needs.store, needs.on_host) = (true, true, true, true);
        let is_wide = self
            .indices
            .values()
            .any(|(name, width)| *width == "ptrdiff_t" && *name == parts.index.text);
        // Braces take no `size_t` for it.
        let at = match parts.is_int || is_wide {
            true => parts.index.text,
            false => format!("(ptrdiff_t){}", parts.index.operand()),
        };
        let base = parts.base;
        Some(format!("{name}<std::random_access_iterator_tag>{{{base}, {at}}}"))
    }

    /// Base and index of what an algorithm finds in an array.
    pub(super) fn found_place(&mut self, call: ExprId, class: ClassId) -> Option<Parts> {
        let ExprKind::Call { arguments, .. } = &self.program.expr(call).kind else { return None };
        let first = *arguments.get(1)?;
        let parts = self.pointer_parts(first, class)?;
        if !parts.is_repeatable {
            let span = self.program.expr(first).span;
            let message = "this is evaluated once, and would have to be twice";
            self.refuse(class, Code::EVALUATION_ORDER, span, message);
            return None;
        }
        let text = format!("{}.at", self.splice(call));
        Some(Parts {
            index: IndexText { text, is_compound: false },
            is_repeatable: false,
            is_int: false,
            ..parts
        })
    }
}

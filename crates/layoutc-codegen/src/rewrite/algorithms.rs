//! Algorithms of thrust: they get iterators instead of pointers, and what they find is an index.

use super::Rewriter;
use super::expressions::Parts;
use crate::edit::Edit;
use crate::helpers::iterators;
use crate::storage::IndexText;
use layoutc_dataflow::classes::{ClassId, classes_of_functor};
use layoutc_diagnostics::Code;
use layoutc_syntax::{ExprId, ExprKind};

impl Rewriter<'_> {
    /// Whether a call gives back a place in the array that its first pointer leads to.
    pub(super) fn gives_iterator(&self, callee: ExprId, arguments: &[ExprId]) -> bool {
        let algorithm = self.program.algorithm(callee, arguments);
        algorithm.is_some_and(|algorithm| algorithm.gives().is_some())
    }

    /// Whether an expression is a pointer that an algorithm is given.
    pub(super) fn is_iterator(&self, expr: ExprId) -> bool {
        let Some((parent, position)) = self.parents.of(self.outermost(expr)) else { return false };
        let ExprKind::Call { callee, arguments, .. } = &self.program.expr(parent).kind else {
            return false;
        };
        let algorithm = self.program.algorithm(*callee, arguments);
        algorithm.is_some_and(|own| position > 0 && own.is_iterator(position - 1))
    }

    /// Puts `const` in front of the parameters of what an algorithm calls with elements: an iterator gives it values.
    pub(super) fn make_constant(&mut self, callee: ExprId, arguments: &[ExprId]) {
        let program = self.program;
        let Some(algorithm) = program.algorithm(callee, arguments) else { return };
        let functors = algorithm.functors().filter_map(|(at, _)| arguments.get(at).copied());
        let records = functors.flat_map(|functor| classes_of_functor(program, functor));
        let methods = records.flat_map(|record| program.record(record).methods.iter());
        let parameters = methods.flat_map(|id| program.function(*id).parameters.iter().copied());
        let open: Vec<_> = parameters
            .filter(|own| self.classes.could_be_constant.contains(own))
            .filter_map(|own| program.declaration_of(&program.variable(own).site))
            .map(|declared| Edit::replace(declared.specifier.at_start(), "const "))
            .filter(|edit| !self.edits.contains(edit))
            .collect();
        self.edits.extend(open);
    }

    /// The iterator for a pointer.
    pub(super) fn iterator(&mut self, expr: ExprId, class: ClassId) -> Option<String> {
        let storage = self.storage(class)?;
        let span = self.program.expr(expr).span;
        if storage.is_record || storage.is_opencl || storage.cells.is_some() {
            let message = "an algorithm would be given elements of another type";
            self.refuse(class, Code::ESCAPING_POINTER, span, message);
            return None;
        }
        if self.program.macros.iter().any(|def| def.name == iterators::PLACE) {
            let message = format!(
                "an iterator has a member `{}`, and a macro is called so",
                iterators::PLACE
            );
            self.refuse(class, Code::NAME_CONFLICT, span, &message);
            return None;
        }
        let name = format!("{}{}", storage.qualifier, iterators::name(storage));
        // Algorithms only read through what the source declares as constant.
        let ty = self.program.expr(expr).ty;
        let is_const = self.program.types.pointee(ty.id).is_some_and(|to| to.is_const);
        let cast = match is_const && !storage.is_handle {
            true => format!("({} *)", storage.outer_type()),
            false => String::new(),
        };
        let parts = self.pointer_parts(expr, class)?;
        let needs = self.needs(class);
        (needs.iterate, needs.load, needs.store, needs.on_host) = (true, true, true, true);
        // Braces take no `size_t` for it.
        let at = match parts.is_int || self.is_wide(&parts.index.text) {
            true => parts.index.text,
            false => format!("(ptrdiff_t){}", parts.index.operand()),
        };
        let base = parts.base;
        Some(format!("{name}<::std::random_access_iterator_tag>{{{cast}{base}, {at}}}"))
    }

    /// Base and index of what an algorithm finds in an array.
    pub(super) fn found_place(&mut self, call: ExprId, class: ClassId) -> Option<Parts> {
        let ExprKind::Call { callee, arguments, .. } = &self.program.expr(call).kind else {
            return None;
        };
        let first = *arguments.get(self.program.algorithm(*callee, arguments)?.gives()?)?;
        let parts = self.pointer_parts(first, class)?;
        // The iterator has the base as well.
        if !parts.is_repeatable || !self.is_repeatable(first) {
            let span = self.program.expr(first).span;
            let message = "this is evaluated once, and would have to be twice";
            self.refuse(class, Code::EVALUATION_ORDER, span, message);
            return None;
        }
        let text = format!("{}.{}", self.splice(call), iterators::PLACE);
        Some(Parts {
            index: IndexText { text, is_compound: false },
            is_repeatable: false,
            is_int: false,
            ..parts
        })
    }
}

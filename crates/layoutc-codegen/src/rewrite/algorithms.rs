//! Algorithms of thrust: they get iterators instead of pointers, and what they find is an index.

use super::Rewriter;
use super::expressions::Parts;
use super::headers_in_front::{Include, includes};
use crate::edit::Edit;
use crate::helpers::iterators;
use crate::storage::IndexText;
use layoutc_dataflow::classes::{ClassId, classes_of_functor};
use layoutc_diagnostics::{Code, Span};
use layoutc_syntax::{ExprId, ExprKind, RecordId};

/// The category of the iterators.
const TAG: &str = "::std::random_access_iterator_tag";

/// The header of the policies.
const HEADER: &str = "thrust/execution_policy.h";

/// Whether the policies' header is included in any case.
fn has_policies(all: &[Include<'_>]) -> bool {
    all.iter().any(|included| !included.is_conditional && included.name == HEADER)
}

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
        // A vector gives iterators.
        if self.program.is_vector_place(expr) {
            let needs = self.needs(class);
            (needs.iterate, needs.load, needs.store, needs.on_host) = (true, true, true, true);
            return None;
        }
        let parts = self.pointer_parts(expr, class)?;
        let needs = self.needs(class);
        (needs.iterate, needs.load, needs.store, needs.on_host) = (true, true, true, true);
        // Braces take no `size_t` for it.
        let at = match parts.is_int || self.is_wide(&parts.index.text) {
            true => parts.index.text,
            false => format!("(ptrdiff_t){}", parts.index.operand()),
        };
        let base = parts.base;
        Some(format!("{name}<{TAG}>{{{cast}{base}, {at}}}"))
    }

    /// What goes in front of the first argument of an algorithm of which iterators of vectors say that it runs on the device.
    pub(super) fn policy_in_front(&mut self, argument: ExprId) -> Option<&'static str> {
        let (call, position) = self.parents.of(argument)?;
        let ExprKind::Call { callee, arguments, .. } = &self.program.expr(call).kind else {
            return None;
        };
        if position != 1 {
            return None;
        }
        let algorithm = self.program.algorithm(*callee, arguments)?;
        let mut places = arguments.iter().enumerate().filter(|(at, _)| algorithm.is_iterator(*at));
        let changes = |(_, place): (usize, &ExprId)| self.changed_pointer(*place).is_some();
        if algorithm.has_policy() || !places.any(changes) {
            return None;
        }
        self.include_policies();
        self.include_policies_in(self.program.expr(call).span.file);
        Some("thrust::device, ")
    }

    /// Includes the policies in a file with such a call, where no vectors are.
    fn include_policies_in(&mut self, file: layoutc_diagnostics::FileId) {
        let program = self.program;
        let own = &program.files[file.index()];
        let is_vector = |included: &layoutc_diagnostics::FileId| program.is_model_text(*included);
        let all = includes(program, file);
        if has_policies(&all) || own.includes.iter().any(is_vector) {
            return;
        }
        // Not in a branch, which may be left out.
        let last = all.iter().rfind(|included| !included.is_conditional);
        let at = last.map_or(own.after_includes, |last| last.end);
        let at = Span::new(file, at, at);
        let edit = Edit::replace(at, self.with_newlines(at, format!("\n#include <{HEADER}>")));
        if !self.edits.contains(&edit) {
            self.edits.push(edit);
        }
    }

    /// Includes the policies behind the vectors, where they are not.
    fn include_policies(&mut self) {
        let program = self.program;
        for file in &program.files {
            let mut own = file.includes.iter().zip(&file.include_offsets);
            let vector = own.find(|(included, _)| {
                program.sources.file(**included).path().ends_with("device_vector.h>")
                    && program.is_model_text(**included)
            });
            let Some((_, offset)) = vector else { continue };
            if has_policies(&includes(program, file.id)) {
                continue;
            }
            let text = program.sources.file(file.id).text();
            let line = text[*offset..].lines().next().unwrap_or_default();
            let at = Span::new(file.id, offset + line.len(), offset + line.len());
            let edit = Edit::replace(at, self.with_newlines(at, format!("\n#include <{HEADER}>")));
            if !self.edits.contains(&edit) {
                self.edits.push(edit);
            }
        }
    }

    /// The places that a vector in device memory gives: iterators, where algorithms are given some.
    pub(super) fn places_of_vector(&mut self, vector: RecordId, class: ClassId) {
        let program = self.program;
        let is_own = |start: ExprId| {
            program.vector_start(start).is_some_and(|(base, arrow)| {
                let ty = program.types.strip_reference(program.expr(base).ty);
                let ty = if arrow { program.types.pointee(ty.id) } else { Some(ty) };
                ty.is_some_and(|ty| program.types.as_record(ty.id) == Some(vector))
            })
        };
        if !program.expr_ids().any(is_own) {
            return;
        }
        let Some(storage) = self.storage(class) else { return };
        let name = format!("{}{}<{TAG}>", storage.qualifier, iterators::name(storage));
        for id in &program.record(vector).methods {
            let own = program.function(*id);
            let at = match own.name.as_str() {
                "begin" | "cbegin" => "0",
                "end" | "cend" => "(ptrdiff_t)size_",
                _ => continue,
            };
            let text = format!("{name} {}() const {{ return {{held_, {at}}}; }}", own.name);
            self.text_owner = Some(vector);
            self.push(Edit::replace(own.sites[0].span, text));
            self.text_owner = None;
        }
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

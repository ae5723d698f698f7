//! Pointers that algorithms of thrust are given.
//!
//! An iterator of generated text loads and stores whole elements, as the algorithm does through a pointer. Claim: it
//! compiles in the pointer's place if whatever is called with elements takes them as values or constant references.

use super::*;

impl Classifier<'_> {
    /// Whether a pointer is an argument of an algorithm; why it has no iterator, if it has none.
    pub(super) fn given_to_algorithm(
        &self,
        expr: ExprId,
        class: ClassId,
    ) -> Option<Result<(), String>> {
        let program = self.program;
        let Context::Operand(call, position) = self.calls.context(expr) else { return None };
        let ExprKind::Call { callee, arguments, .. } = &program.expr(call).kind else {
            return None;
        };
        let algorithm = program.algorithm(*callee, arguments)?;
        let at = position.checked_sub(1)?;
        if !algorithm.iterators.contains(&at) {
            return None;
        }
        let by_host = self.calls.function(call).is_some_and(|function| {
            program.function(function).space == layoutc_syntax::ExecutionSpace::Host
        });
        if !by_host {
            return Some(Err("an algorithm that device code calls".to_owned()));
        }
        let start = algorithm.iterators.start;
        let of_range = [start, start + 1];
        let is_own = |at: usize| self.classes.value(arguments[at]) == Some((class, 1));
        if of_range.contains(&at) {
            if !of_range.into_iter().all(is_own) {
                return Some(Err("this range does not begin and end in one array".to_owned()));
            }
            let record = self.classes.class(class).element.record();
            let takes = match (algorithm.functor, record) {
                (Some(functor), Some(record)) => self.takes_values(arguments[functor], record),
                (None, _) | (_, None) => false,
            };
            if !takes {
                let message = "the algorithm compares or tests elements with something that is not seen to take \
                               them as values or constant references";
                return Some(Err(message.to_owned()));
            }
        }
        Some(Ok(()))
    }

    /// Whether a function object takes elements as values or constant references, however it is called.
    fn takes_values(&self, functor: ExprId, element: RecordId) -> bool {
        let program = self.program;
        let functor = program.strip_parens(functor);
        let is_value = |parameter: &VarId| {
            let ty = program.variable(*parameter).ty;
            let own = program.types.strip_reference(ty);
            let is_copy = own.id == ty.id;
            program.types.as_record(own.id) == Some(element) && (is_copy || own.is_const)
        };
        if let ExprKind::Lambda { parameters, .. } = &program.expr(functor).kind {
            return !parameters.is_empty() && parameters.iter().all(is_value);
        }
        let ty = program.types.strip_reference(program.expr(functor).ty);
        let records = match program.types.as_record(ty.id) {
            Some(record) => vec![record],
            None => self.classes_made_by(functor),
        };
        !records.is_empty() && records.iter().all(|record| calls_with(program, *record, &is_value))
    }

    /// The classes of which `space::Before()` may make an object: all of that name.
    fn classes_made_by(&self, call: ExprId) -> Vec<RecordId> {
        let program = self.program;
        let ExprKind::Call { callee, .. } = &program.expr(call).kind else { return Vec::new() };
        let ExprKind::Name(NameRef::Unknown(name)) =
            &program.expr(program.strip_parens(*callee)).kind
        else {
            return Vec::new();
        };
        if program.aliases.iter().any(|(alias, ..)| alias == name) {
            return Vec::new();
        }
        program.record_ids().filter(|id| program.record(*id).name == *name).collect()
    }
}

/// Whether all call operators of a class have parameters of a kind.
fn calls_with(program: &Program, record: RecordId, is_value: &dyn Fn(&VarId) -> bool) -> bool {
    let record = program.record(record);
    let mut calls = record
        .methods
        .iter()
        .map(|method| program.function(*method))
        .filter(|method| method.name == "operator()")
        .peekable();
    // Operators of bases are hidden by its own.
    !record.unmodelled_members.contains("operator()")
        && calls.peek().is_some()
        && calls.all(|call| {
            call.template_parameters.is_empty()
                && !call.parameters.is_empty()
                && call.parameters.iter().all(is_value)
        })
}

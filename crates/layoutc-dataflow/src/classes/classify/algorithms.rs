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
        if !algorithm.is_iterator(at) {
            return None;
        }
        let by_host = self.calls.function(call).is_some_and(|function| {
            program.function(function).space == layoutc_syntax::ExecutionSpace::Host
        });
        if !by_host {
            return Some(Err("an algorithm that device code calls".to_owned()));
        }
        let is_own = |at: usize| self.classes.value(arguments[at]) == Some((class, 1));
        let range = algorithm.range(at);
        if range.is_some_and(|ends| !ends.into_iter().all(is_own)) {
            return Some(Err("this range does not begin and end in one array".to_owned()));
        }
        let start = range.map_or(at, |[start, _]| start);
        let mut functors = algorithm.functors();
        let takes = !algorithm.computes(at)
            && functors.all(|(functor, of)| {
                !of.contains(&start) || self.takes_values(arguments[functor], &of, arguments)
            });
        if !takes {
            let message = "the algorithm compares or tests elements with something that is not seen to take \
                           them as values or constant references";
            return Some(Err(message.to_owned()));
        }
        Some(Ok(()))
    }

    /// Whether a function object takes elements of ranges as values or constant references, however it is called.
    fn takes_values(&self, functor: ExprId, starts: &[usize], arguments: &[ExprId]) -> bool {
        let program = self.program;
        let functor = program.strip_parens(functor);
        // What a range's elements are, if they are of an array that may change.
        let elements: Vec<Option<RecordId>> = starts
            .iter()
            .map(|at| {
                let (class, depth) = self.classes.value(arguments[*at])?;
                self.classes.class(class).element.record().filter(|_| depth == 1)
            })
            .collect();
        let is_value = |parameters: &[VarId]| {
            // A predicate of two elements of one range.
            let of = |at: usize| match elements.as_slice() {
                [only] => *only,
                all => all[at],
            };
            let counts = elements.len() == 1 || parameters.len() == elements.len();
            counts
                && !parameters.is_empty()
                && parameters.iter().enumerate().all(|(at, parameter)| {
                    let ty = program.variable(*parameter).ty;
                    let own = program.types.strip_reference(ty);
                    let is_copy = own.id == ty.id;
                    of(at).is_none_or(|element| {
                        program.types.as_record(own.id) == Some(element)
                            && (is_copy
                                || self.classes.reader_parameters.contains(parameter)
                                || self.classes.could_be_constant.contains(parameter))
                    })
                })
        };
        if let ExprKind::Lambda { parameters, .. } = &program.expr(functor).kind {
            return is_value(parameters);
        }
        let records = classes_of_functor(program, functor);
        !records.is_empty() && records.iter().all(|record| calls_with(program, *record, &is_value))
    }
}

/// The classes of which a function object may be: of what `space::Before()` makes, all of that name.
#[must_use]
pub fn classes_of_functor(program: &Program, functor: ExprId) -> Vec<RecordId> {
    let functor = program.strip_parens(functor);
    let ty = program.types.strip_reference(program.expr(functor).ty);
    if let Some(record) = program.types.as_record(ty.id) {
        return vec![record];
    }
    let ExprKind::Call { callee, .. } = &program.expr(functor).kind else { return Vec::new() };
    let ExprKind::Name(NameRef::Unknown(name)) = &program.expr(program.strip_parens(*callee)).kind
    else {
        return Vec::new();
    };
    if program.aliases.iter().any(|(alias, ..)| alias == name) {
        return Vec::new();
    }
    program.record_ids().filter(|id| program.record(*id).name == *name).collect()
}

/// Whether all call operators of a class have parameters of a kind.
fn calls_with(program: &Program, record: RecordId, is_value: &dyn Fn(&[VarId]) -> bool) -> bool {
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
        && calls.all(|call| call.template_parameters.is_empty() && is_value(&call.parameters))
}

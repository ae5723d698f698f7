//! Which pointers and references may lead to a member of an element.

use super::*;
use std::collections::BTreeSet;

/// Variables and results through which a member of some element may be reached.
#[derive(Default)]
pub(super) struct MemberAddresses {
    variables: BTreeSet<VarId>,
    results: BTreeSet<FunctionId>,
}

impl MemberAddresses {
    /// The least fixpoint over initializers, assignments, arguments and returned values.
    pub(super) fn find(program: &Program, calls: &CallGraph, classes: &Classes) -> Self {
        let mut flows: Vec<(VarId, ExprId)> = Vec::new();
        let mut returned: Vec<(FunctionId, ExprId)> = Vec::new();
        let takes_address = |id: VarId| {
            let ty = program.variable(id).ty;
            matches!(
                program.types.kind(ty.id),
                TypeKind::Pointer(_)
                    | TypeKind::Reference(..)
                    | TypeKind::Unknown
                    | TypeKind::TemplateParameter(_)
            )
        };
        for id in program.variable_ids() {
            if let Some(init) = program.variable(id).init {
                flows.push((id, init));
            }
        }
        for id in program.expr_ids() {
            match &program.expr(id).kind {
                ExprKind::Assign(None, left, right) => {
                    if let Some(Slot::Variable(variable)) = slot_of(program, *left) {
                        flows.push((variable, *right));
                    }
                }
                ExprKind::Call { callee, arguments, .. } => {
                    let functions = match calls.callee(program, *callee, arguments) {
                        Callee::Function(function) => vec![function],
                        Callee::Ambiguous(functions) => functions,
                        Callee::Library(_) | Callee::Unknown => Vec::new(),
                    };
                    for function in functions {
                        let parameters = &program.function(function).parameters;
                        flows.extend(parameters.iter().copied().zip(arguments.iter().copied()));
                    }
                }
                _ => {}
            }
            if let (Context::Returned { .. }, Some(function)) =
                (calls.context(id), calls.function(id))
            {
                returned.push((function, id));
            }
        }
        flows.retain(|(to, _)| takes_address(*to));
        let mut this = MemberAddresses::default();
        loop {
            let mut changed = false;
            for (to, from) in &flows {
                if !this.variables.contains(to) && this.leads(program, calls, classes, *from) {
                    changed |= this.variables.insert(*to);
                }
            }
            for (function, from) in &returned {
                if !this.results.contains(function) && this.leads(program, calls, classes, *from) {
                    changed |= this.results.insert(*function);
                }
            }
            if !changed {
                return this;
            }
        }
    }

    /// Whether an expression may be, or point to, a member of an element.
    pub(super) fn leads(
        &self,
        program: &Program,
        calls: &CallGraph,
        classes: &Classes,
        expr: ExprId,
    ) -> bool {
        let mut stack = vec![expr];
        while let Some(at) = stack.pop() {
            if matches!(classes.place(at), Some((_, PlaceKind::Part(_))))
                || program.row_start(at).is_some()
            {
                return true;
            }
            match &program.expr(at).kind {
                ExprKind::Name(NameRef::Variable(variable)) => {
                    if self.variables.contains(variable) {
                        return true;
                    }
                }
                ExprKind::Call { callee, arguments, .. } => {
                    match calls.callee(program, *callee, arguments) {
                        Callee::Function(function) => {
                            if self.results.contains(&function) {
                                return true;
                            }
                        }
                        // Whatever it returns was given to it.
                        Callee::Library(_) | Callee::Ambiguous(_) | Callee::Unknown => {
                            stack.extend(arguments);
                        }
                    }
                }
                ExprKind::Index { base, .. } => stack.push(*base),
                ExprKind::Conditional(_, then, otherwise) => stack.extend([*then, *otherwise]),
                ExprKind::Lambda { .. } => {}
                _ => stack.extend(program.expr(at).children()),
            }
        }
        false
    }
}

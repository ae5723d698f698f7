//! Values that all threads of a kernel share, and that never change: what extents are made of.
//!
//! A parameter of a kernel or of host code is such a value if nothing changes it; one of a device
//! function only if every call gives it one. Which of them are strides is found from that, so it
//! must not depend on the order of the functions.

use super::facts::Changes;
use crate::classes::{Callee, resolve_callee};
use layoutc_syntax::{ExecutionSpace, ExprId, ExprKind, NameRef, Program, Storage, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// How far locals are followed.
const DEPTH: usize = 8;

/// Parameters of device functions that some call gives a value of its own in each thread.
pub(super) fn uneven(program: &Program, changes: &Changes) -> BTreeSet<VarId> {
    // By parameter: all arguments.
    let mut given: BTreeMap<VarId, Vec<ExprId>> = BTreeMap::new();
    for id in program.expr_ids() {
        let ExprKind::Call { callee, arguments, .. } = &program.expr(id).kind else { continue };
        let functions = match resolve_callee(program, *callee, arguments) {
            Callee::Function(function) => vec![function],
            Callee::Ambiguous(several) => several,
            Callee::Library(_) | Callee::Unknown => continue,
        };
        for function in functions {
            let own = program.function(function);
            // Kernels of OpenCL may be called, too.
            if own.space.on_device() {
                for (parameter, argument) in own.parameters.iter().zip(arguments) {
                    given.entry(*parameter).or_default().push(*argument);
                }
            }
        }
    }
    let mut found = called_unseen(program);
    // Until nothing more is told apart.
    loop {
        let more: Vec<VarId> = given
            .iter()
            .filter(|(parameter, arguments)| {
                !found.contains(*parameter)
                    && arguments
                        .iter()
                        .any(|argument| !is_made_of(program, changes, &found, *argument, DEPTH))
            })
            .map(|(parameter, _)| *parameter)
            .collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}

/// Parameters of device functions that may be called from where nobody looks: through their address, or by text that is
/// not modelled.
fn called_unseen(program: &Program) -> BTreeSet<VarId> {
    let mut called: BTreeSet<ExprId> = BTreeSet::new();
    for id in program.expr_ids() {
        match &program.expr(id).kind {
            ExprKind::Call { callee, .. } => called.insert(program.strip_parens(*callee)),
            ExprKind::Launch { kernel, .. } => called.insert(program.strip_parens(*kernel)),
            _ => continue,
        };
    }
    let unmodelled = Changes::unmodelled(program);
    let named = program.expr_ids().filter(|id| !called.contains(id)).flat_map(|id| match &program
        .expr(id)
        .kind
    {
        ExprKind::Name(NameRef::Functions(functions)) => functions.clone(),
        _ => Vec::new(),
    });
    let mentioned = program
        .function_ids()
        .filter(|id| unmodelled.contains(program.function(*id).name.as_str()));
    named
        .chain(mentioned)
        .map(|id| program.function(id))
        .filter(|own| own.space.on_device() && own.space != ExecutionSpace::Kernel)
        .flat_map(|own| own.parameters.iter().copied())
        .collect()
}

/// Whether a variable has one value for all threads of a kernel, and all the time: a parameter that
/// nothing changes, a constant, or a local made of such.
pub(super) fn is_uniform(program: &Program, changes: &Changes, id: VarId) -> bool {
    is_uniform_within(program, changes, changes.uneven(), id, DEPTH)
}

fn is_uniform_within(
    program: &Program,
    changes: &Changes,
    uneven: &BTreeSet<VarId>,
    id: VarId,
    depth: usize,
) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let variable = program.variable(id);
    if !changes.is_constant(id) {
        return false;
    }
    if matches!(variable.storage, Storage::Parameter { .. }) || variable.function.is_none() {
        return !uneven.contains(&id);
    }
    variable.init.is_some_and(|value| is_made_of(program, changes, uneven, value, depth))
}

fn is_made_of(
    program: &Program,
    changes: &Changes,
    uneven: &BTreeSet<VarId>,
    value: ExprId,
    depth: usize,
) -> bool {
    let mut stack = vec![value];
    while let Some(at) = stack.pop() {
        match &program.expr(at).kind {
            ExprKind::Name(NameRef::Variable(other)) => {
                if !is_uniform_within(program, changes, uneven, *other, depth) {
                    return false;
                }
            }
            // A member of what all threads share.
            ExprKind::Member { base, arrow: false, .. } => stack.push(*base),
            ExprKind::Paren(_)
            | ExprKind::Integer(_)
            | ExprKind::Binary(..)
            | ExprKind::Unary(..)
            | ExprKind::Cast { .. }
            | ExprKind::Name(NameRef::Constant(_) | NameRef::Macro(_)) => {
                stack.extend(program.expr(at).children());
            }
            _ => return false,
        }
    }
    true
}

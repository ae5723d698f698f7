//! Parameters of type `const T&` that only read.
//!
//! `f(p[i])` with `f(const T &a)` can be given a copy of the element instead of a reference to
//! memory in another layout, so `f` need not change, if `f` reads members of `a` and nothing
//! else, stores to no `T` while it runs, and does not wait for other threads.

use super::calls::{CallGraph, Callee, Context};
use super::places::element_of;
use layoutc_syntax::{
    ExprId, ExprKind, FunctionId, NameRef, Program, RecordId, Storage, TypeKind, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// Library functions after which other threads' stores may become visible.
fn synchronizes(name: &str) -> bool {
    name.starts_with("__sync")
        || name.starts_with("__threadfence")
        || name.starts_with("atomic")
        || name == "sync"
}

/// All parameters that can be given a copy.
pub(super) fn reader_parameters(program: &Program, calls: &CallGraph) -> BTreeSet<VarId> {
    let mut names: BTreeMap<VarId, Vec<ExprId>> = BTreeMap::new();
    let mut stores: BTreeMap<FunctionId, BTreeSet<RecordId>> = BTreeMap::new();
    let mut edges: BTreeMap<FunctionId, BTreeSet<FunctionId>> = BTreeMap::new();
    let mut opaque: BTreeSet<FunctionId> = BTreeSet::new();
    for id in program.expr_ids() {
        let function = calls.function(id);
        match &program.expr(id).kind {
            ExprKind::Name(NameRef::Variable(variable)) => {
                names.entry(*variable).or_default().push(id)
            }
            ExprKind::Assign(_, left, _) => note_store(program, *left, function, &mut stores),
            ExprKind::Unary(op, operand) if op.is_update() => {
                note_store(program, *operand, function, &mut stores)
            }
            // Whoever has the address may store there.
            ExprKind::AddressOf(operand) => note_store(program, *operand, function, &mut stores),
            ExprKind::Call { callee, arguments, .. } => {
                let Some(function) = function else { continue };
                let target = calls.callee(program, *callee, arguments);
                note_bound_arguments(program, &target, arguments, function, &mut stores);
                match target {
                    Callee::Function(target) => {
                        edges.entry(function).or_default().insert(target);
                    }
                    Callee::Library(name) if !synchronizes(&name) => {}
                    Callee::Library(_) | Callee::Ambiguous(_) | Callee::Unknown => {
                        opaque.insert(function);
                    }
                }
            }
            ExprKind::MacroCall { .. }
            | ExprKind::Opaque(_)
            | ExprKind::Lambda { .. }
            | ExprKind::Launch { .. } => {
                opaque.extend(function);
            }
            _ => {}
        }
    }
    for id in program.variable_ids() {
        let variable = program.variable(id);
        if let (Some(init), true) = (variable.init, is_mutable_reference(program, id)) {
            note_store(program, init, variable.function, &mut stores);
        }
    }
    // What a callee stores, its caller stores.
    loop {
        let mut changed = false;
        for (caller, callees) in &edges {
            for callee in callees {
                let callee_stores = stores.get(callee).cloned().unwrap_or_default();
                let own = stores.entry(*caller).or_default();
                let before = own.len();
                own.extend(callee_stores);
                changed |= own.len() != before;
                let unseen = program.function(*callee).body.is_none();
                changed |= (unseen || opaque.contains(callee)) && opaque.insert(*caller);
            }
        }
        if !changed {
            break;
        }
    }
    let mut readers: BTreeSet<VarId> = program
        .function_ids()
        .filter(|id| program.function(*id).body.is_some() && !opaque.contains(id))
        .flat_map(|id| {
            program.function(id).parameters.iter().map(move |parameter| (id, *parameter))
        })
        .filter_map(|(function, parameter)| {
            let record = const_reference(program, parameter)?;
            let quiet = stores.get(&function).is_none_or(|stored| !stored.contains(&record));
            quiet.then_some(parameter)
        })
        .collect();
    // A parameter handed on to another reader is a reader: the greatest such set.
    loop {
        let keep: BTreeSet<VarId> = readers
            .iter()
            .copied()
            .filter(|parameter| {
                names.get(parameter).is_none_or(|uses| {
                    uses.iter().all(|name| only_reads(program, calls, *name, &readers))
                })
            })
            .collect();
        if keep.len() == readers.len() {
            return keep;
        }
        readers = keep;
    }
}

/// The record of a `const T&` parameter.
fn const_reference(program: &Program, parameter: VarId) -> Option<RecordId> {
    match *program.types.kind(program.variable(parameter).ty.id) {
        TypeKind::Reference(to, false) if to.is_const && !to.is_volatile => {
            program.types.as_record(to.id)
        }
        _ => None,
    }
}

fn is_mutable_reference(program: &Program, variable: VarId) -> bool {
    matches!(*program.types.kind(program.variable(variable).ty.id), TypeKind::Reference(to, _) if !to.is_const)
}

/// What is bound to a reference that is not constant may be stored to by the callee.
fn note_bound_arguments(
    program: &Program,
    callee: &Callee,
    arguments: &[ExprId],
    function: FunctionId,
    stores: &mut BTreeMap<FunctionId, BTreeSet<RecordId>>,
) {
    match callee {
        Callee::Function(target) => {
            for (parameter, argument) in program.function(*target).parameters.iter().zip(arguments)
            {
                if is_mutable_reference(program, *parameter) {
                    note_store(program, *argument, Some(function), stores);
                }
            }
        }
        // `swap(p[i].x, p[j].x)`
        Callee::Library(_) | Callee::Ambiguous(_) | Callee::Unknown => {
            for argument in arguments {
                if !is_const_lvalue(program, *argument) {
                    note_store(program, *argument, Some(function), stores);
                }
            }
        }
    }
}

/// Whether a library's function cannot change an argument: it is no lvalue, or a constant one.
fn is_const_lvalue(program: &Program, argument: ExprId) -> bool {
    let expr = program.expr(program.strip_parens(argument));
    let is_lvalue = matches!(
        expr.kind,
        ExprKind::Name(_) | ExprKind::Member { .. } | ExprKind::Index { .. } | ExprKind::Deref(_)
    );
    !is_lvalue || expr.ty.is_const
}

/// Notes the record types of the objects that a store to `left` changes, a local variable's aside.
fn note_store(
    program: &Program,
    left: ExprId,
    function: Option<FunctionId>,
    stores: &mut BTreeMap<FunctionId, BTreeSet<RecordId>>,
) {
    let Some(function) = function else { return };
    let mut changed = BTreeSet::new();
    let mut at = left;
    loop {
        let pointee = element_of(program, program.expr(at).ty);
        changed.extend(pointee.filter(|(_, depth)| *depth == 0).map(|(record, _)| record));
        at = match &program.expr(at).kind {
            ExprKind::Paren(inner) | ExprKind::Member { base: inner, arrow: false, .. } => *inner,
            ExprKind::Member { base, arrow: true, .. } => {
                changed
                    .extend(element_of(program, program.expr(*base).ty).map(|(record, _)| record));
                break;
            }
            ExprKind::Index { base, .. } | ExprKind::Deref(base) => *base,
            ExprKind::Name(NameRef::Variable(variable)) => {
                // Storing into an own object is invisible to everybody else.
                let variable = program.variable(*variable);
                let is_object = program.types.as_record(variable.ty.id).is_some()
                    || matches!(program.types.kind(variable.ty.id), TypeKind::Array(..));
                if is_object && !matches!(variable.storage, Storage::Static) {
                    return;
                }
                break;
            }
            _ => break,
        };
    }
    stores.entry(function).or_default().extend(changed);
}

/// Whether one mention of a parameter reads a member of it, or hands it to a reader.
fn only_reads(
    program: &Program,
    calls: &CallGraph,
    name: ExprId,
    readers: &BTreeSet<VarId>,
) -> bool {
    let mut at = name;
    loop {
        match calls.context(at) {
            Context::Operand(parent, position) => match &program.expr(parent).kind {
                ExprKind::Paren(_) => at = parent,
                ExprKind::Member { arrow: false, field: Some(_), .. } => at = parent,
                ExprKind::Member { field: None, methods, .. } if methods.is_empty() => at = parent,
                ExprKind::Index { .. } if position == 0 => at = parent,
                ExprKind::Call { callee, arguments, .. } if position > 0 => {
                    let is_scalar = program.types.as_scalar(program.expr(at).ty.id).is_some();
                    let Callee::Function(function) = calls.callee(program, *callee, arguments)
                    else {
                        return is_scalar;
                    };
                    return match program.function(function).parameters.get(position - 1) {
                        Some(parameter) if readers.contains(parameter) => true,
                        Some(parameter) => by_value(program, *parameter),
                        None => false,
                    };
                }
                ExprKind::Assign(_, left, right) => {
                    return *right == at && *left != at && is_value_type(program, at);
                }
                ExprKind::AddressOf(_)
                | ExprKind::Opaque(_)
                | ExprKind::Lambda { .. }
                | ExprKind::InitList(_) => {
                    return false;
                }
                ExprKind::Unary(op, _) => return !op.is_update(),
                ExprKind::Binary(..) | ExprKind::Cast { .. } | ExprKind::Conditional(..) => {
                    return is_number(program, at);
                }
                _ => return false,
            },
            Context::Init(variable) => {
                return by_value(program, variable) && is_value_type(program, at);
            }
            Context::Returned { .. } => return is_number(program, at),
            Context::Condition => return is_number(program, at),
            Context::Dropped | Context::Range | Context::Assembly | Context::Opaque => {
                return false;
            }
        }
    }
}

fn is_number(program: &Program, expr: ExprId) -> bool {
    matches!(
        program.types.kind(program.expr(expr).ty.id),
        TypeKind::Scalar(_) | TypeKind::Enum(..) | TypeKind::Vector(_)
    )
}

fn is_value_type(program: &Program, expr: ExprId) -> bool {
    is_number(program, expr) || program.types.as_record(program.expr(expr).ty.id).is_some()
}

/// Whether a variable holds its initializer by value.
fn by_value(program: &Program, variable: VarId) -> bool {
    matches!(
        program.types.kind(program.variable(variable).ty.id),
        TypeKind::Scalar(_) | TypeKind::Enum(..) | TypeKind::Vector(_) | TypeKind::Record(_)
    )
}

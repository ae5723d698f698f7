//! Variables that may change through something else than their name.

use super::super::calls::{CallGraph, Callee, Context};
use super::functors::is_functor;
use super::handles::{Handle, handle_of, member_call};
use crate::catalogue;
use layoutc_syntax::{ExprId, ExprKind, NameRef, Program, QualType, RecordTrait, TypeKind, VarId};
use std::collections::BTreeSet;

/// All variables of which an occurrence stands where something may keep hold of them.
///
/// *Invariant:* any other variable changes only where it is itself the target of an assignment or update. An occurrence
/// that is not known to be harmless counts.
pub(super) fn aliased_variables(program: &Program, calls: &CallGraph) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    for id in program.expr_ids() {
        if let ExprKind::Name(NameRef::Variable(variable)) = program.expr(id).kind
            && !found.contains(&variable)
            && !is_kept(program, calls, id, true)
        {
            found.insert(variable);
        }
    }
    found
}

/// Whether nothing around an expression can keep hold of the memory that it is, or change it; a `whole` variable may be
/// assigned to.
fn is_kept(program: &Program, calls: &CallGraph, id: ExprId, whole: bool) -> bool {
    let ty = program.expr(id).ty;
    // Where its value is taken, an array becomes a pointer to it.
    let is_array = matches!(program.types.kind(ty.id), TypeKind::Array(..));
    match calls.context(id) {
        Context::Dropped | Context::Condition => true,
        Context::Init(variable) => takes_value(program, program.variable(variable).ty) && !is_array,
        Context::Returned { in_lambda } => {
            let result = calls.function(id).map(|id| program.function(id).result);
            !in_lambda && !is_array && result.is_some_and(|ty| !is_reference(program, ty))
        }
        Context::Range | Context::Opaque | Context::Assembly => false,
        Context::Operand(parent, position) => {
            let outer = |whole| is_kept(program, calls, parent, whole);
            // An operator of the program takes references mostly.
            if program.operators.contains_key(&parent) {
                return false;
            }
            match &program.expr(parent).kind {
                ExprKind::Paren(_) => outer(whole),
                ExprKind::Unary(op, _) if op.is_update() => whole && outer(false),
                ExprKind::Unary(..) | ExprKind::Binary(..) => !is_array,
                ExprKind::Assign(..) if position == 0 => whole && outer(false),
                ExprKind::Assign(_, target, _) => {
                    !is_array && takes_value(program, program.expr(*target).ty)
                }
                ExprKind::Conditional(..) | ExprKind::Comma(..) if position == 0 => true,
                ExprKind::Conditional(..) => outer(false),
                ExprKind::Comma(..) => outer(false),
                ExprKind::Index { .. } if position == 0 && is_array => outer(false),
                ExprKind::Deref(_) if is_array => outer(false),
                ExprKind::Index { .. } | ExprKind::Deref(_) => true,
                ExprKind::Member { arrow: true, .. } => true,
                ExprKind::Member { methods, .. } => methods.is_empty() && outer(false),
                ExprKind::Cast { target, .. } => !is_array && takes_value(program, *target),
                ExprKind::SizeOfExpr(_) => true,
                ExprKind::Delete(_) => true,
                ExprKind::New { of, lengths, .. } => {
                    !is_array && (position < *lengths || takes_value(program, *of))
                }
                ExprKind::Construct { of, .. } => {
                    // Constructors of the C++ interface take pointers and numbers by value.
                    let is_of_opencl = matches!(program.types.kind(of.id),
                        TypeKind::Named(name, _) if name.starts_with("cl::") || is_functor(name));
                    !is_array && (is_of_opencl || takes_value(program, *of))
                }
                ExprKind::InitList(_) => !is_array && is_list_of_values(program, calls, parent),
                ExprKind::Call { callee, arguments, .. } => match position.checked_sub(1) {
                    None => true,
                    Some(at) => match calls.callee(program, *callee, arguments) {
                        Callee::Function(function) => {
                            let parameters = &program.function(function).parameters;
                            let takes = |ty| takes_value(program, ty) && !is_array;
                            parameters.get(at).is_none_or(|id| takes(program.variable(*id).ty))
                        }
                        // Functions of C take values, and some write through pointers.
                        Callee::Library(name) if is_array => only_reads(&name),
                        Callee::Library(name) => catalogue::takes_values(&name),
                        // `kernel.setArg(index, value)` copies what it is given.
                        Callee::Ambiguous(_) | Callee::Unknown => {
                            !is_array
                                && member_call(program, parent).is_some_and(|(object, name)| {
                                    let ty = program.expr(object).ty;
                                    name == "setArg"
                                        && handle_of(program, ty) == Some(Handle::Kernel)
                                })
                        }
                    },
                },
                ExprKind::Launch { .. } => !is_array,
                ExprKind::AddressOf(_)
                | ExprKind::MacroCall { .. }
                | ExprKind::Lambda { .. }
                | ExprKind::Opaque(_) => false,
                ExprKind::Integer(_)
                | ExprKind::Literal
                | ExprKind::Null
                | ExprKind::This
                | ExprKind::Name(_)
                | ExprKind::SizeOfType { .. }
                | ExprKind::OffsetOf(_) => true,
            }
        }
    }
}

fn is_reference(program: &Program, ty: QualType) -> bool {
    matches!(program.types.kind(ty.id), TypeKind::Reference(..))
}

/// Whether an object of this type is made of the value of another, which it does not keep hold of.
fn takes_value(program: &Program, ty: QualType) -> bool {
    match program.types.kind(ty.id) {
        TypeKind::Void
        | TypeKind::Scalar(_)
        | TypeKind::Vector(_)
        | TypeKind::Enum(..)
        | TypeKind::Opaque(_)
        | TypeKind::Pointer(_) => true,
        TypeKind::Array(of, _) => takes_value(program, *of),
        TypeKind::Named(name, of) => of.is_empty() && name.starts_with("cl_"),
        // A list of values; a constructor may keep what it is given.
        TypeKind::Record(id) => {
            let record = program.record(*id);
            let may_keep = |which: &RecordTrait| {
                matches!(
                    which,
                    RecordTrait::Constructor | RecordTrait::Template | RecordTrait::Unmodelled
                )
            };
            let fields = || record.fields.iter().map(|field| program.field(*field).ty);
            record.body.is_some()
                && record.bodiless == 0
                && !record.traits.iter().any(|(which, _)| may_keep(which))
                && fields().all(|ty| !is_reference(program, ty) && takes_value(program, ty))
        }
        TypeKind::Unknown
        | TypeKind::Function
        | TypeKind::Reference(..)
        | TypeKind::TemplateParameter(_) => false,
    }
}

/// Whether a library's function writes to no array that it is given.
fn only_reads(name: &str) -> bool {
    let prefixes = ["clBuild", "clCreate", "clEnqueueNDRange", "clEnqueueWrite", "clSet", "clWait"];
    matches!(name, "printf" | "fprintf") || prefixes.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether a list makes an object of values.
fn is_list_of_values(program: &Program, calls: &CallGraph, list: ExprId) -> bool {
    match calls.context(list) {
        Context::Init(variable) => takes_value(program, program.variable(variable).ty),
        Context::Operand(parent, _) => match &program.expr(parent).kind {
            ExprKind::InitList(_) => is_list_of_values(program, calls, parent),
            ExprKind::Construct { of, .. } => takes_value(program, *of),
            ExprKind::Cast { target, .. } => takes_value(program, *target),
            ExprKind::Assign(_, target, _) => takes_value(program, program.expr(*target).ty),
            _ => false,
        },
        Context::Dropped
        | Context::Condition
        | Context::Returned { .. }
        | Context::Range
        | Context::Opaque
        | Context::Assembly => false,
    }
}

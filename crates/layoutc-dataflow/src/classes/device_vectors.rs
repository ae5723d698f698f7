//! What programs make and fill vectors in device memory with.
//!
//! `thrust::device_vector` has a text in the model. *Claim:* each object of it is made of nothing, a length, a length and an element,
//! another one, a list of the host with the same elements, or two places in one, which is what the constructors of that text take; and
//! nothing but such a list is assigned to it, or filled with it. Of any other, the array stays.

use super::calls::{CallGraph, Context};
use super::lists;
use layoutc_diagnostics::Span;
use layoutc_syntax::{
    BinaryOp, ExprId, ExprKind, FunctionId, NameRef, Program, QualType, RecordId, RecordTrait,
    TemplateArgument, TypeKind,
};

/// The vector in device memory that an object is, or refers to.
pub(super) fn vector_of(program: &Program, ty: QualType) -> Option<RecordId> {
    let record = program.types.as_record(program.types.strip_reference(ty).id)?;
    program.is_device_vector(record).then_some(record)
}

/// Whether a type is a list in host memory with the elements of a vector in device memory.
pub(super) fn is_list_of(program: &Program, vector: RecordId, ty: QualType) -> bool {
    let TypeKind::Named(_, mentioned) = program.types.kind(program.types.strip_reference(ty).id)
    else {
        return false;
    };
    let own = element(program, vector);
    is_host_list(program, ty) && own.is_some_and(|own| mentioned.first() == Some(&own.id))
}

/// Whether such a vector fills a list of the host, or is filled by one.
pub(super) fn is_exchanged(program: &Program, one: QualType, other: QualType) -> bool {
    match (vector_of(program, one), vector_of(program, other)) {
        (Some(vector), None) => is_list_of(program, vector, other),
        (None, Some(vector)) => is_list_of(program, vector, one),
        (Some(_), Some(_)) | (None, None) => false,
    }
}

fn element(program: &Program, vector: RecordId) -> Option<QualType> {
    match program.record(vector).instance.as_ref()?.arguments.first()? {
        TemplateArgument::Type(ty) => Some(*ty),
        TemplateArgument::Value(..) => None,
    }
}

/// The name of a vector's element that cannot be made of nothing: all members of a specialisation are compiled.
pub(super) fn element_without_default(program: &Program, vector: RecordId) -> Option<Span> {
    if !program.is_device_vector(vector) {
        return None;
    }
    let element = program.types.as_record(element(program, vector)?.id)?;
    let own = program.record(element);
    let has_constructors = own.traits.iter().any(|(which, _)| *which == RecordTrait::Constructor);
    let mut constructors =
        own.methods.iter().map(|id| program.function(*id)).filter(|method| method.name == own.name);
    let is_made = constructors.any(|method| method.required_parameters == 0);
    (has_constructors && !is_made).then_some(own.name_span)
}

fn is_host_list(program: &Program, ty: QualType) -> bool {
    let ty = program.types.strip_reference(ty);
    let TypeKind::Named(name, _) = program.types.kind(ty.id) else { return false };
    let name = name.trim_start_matches("::");
    matches!(
        name.strip_prefix("std::").or(name.strip_prefix("thrust::")).unwrap_or(name),
        "vector" | "host_vector"
    )
}

/// Why a vector cannot be made of what an expression makes it of, if it is one that makes a vector.
pub(super) fn made_otherwise(
    program: &Program,
    calls: &CallGraph,
    id: ExprId,
) -> Option<(RecordId, &'static str)> {
    const LIST: &str = "the elements of this vector are listed in braces";
    let (of, items, is_list) = match &program.expr(id).kind {
        ExprKind::Construct { of, arguments } => (*of, arguments, false),
        ExprKind::New { of, arguments, lengths: 0, is_placed: false, .. } => {
            (*of, arguments, false)
        }
        ExprKind::InitList(items) => (lists::object_type(program, calls, id)?, items, true),
        _ => return None,
    };
    let vector = vector_of(program, of)?;
    // A number in braces may be an element.
    let is_number =
        |id: &ExprId| matches!(program.types.kind(program.expr(*id).ty.id), TypeKind::Scalar(_));
    if is_list && items.iter().any(is_number) {
        return Some((vector, LIST));
    }
    makes_otherwise(program, vector, items).map(|why| (vector, why))
}

/// Why the arguments of a vector's constructor are not those of the text in the model.
pub(super) fn makes_otherwise(
    program: &Program,
    vector: RecordId,
    arguments: &[ExprId],
) -> Option<&'static str> {
    const OTHER: &str = "this vector is made in a way that is not modelled";
    let ty = |id: ExprId| program.types.strip_reference(program.expr(id).ty);
    let is_length = |id: ExprId| is_length(program, id);
    let is_element = |id: ExprId| element(program, vector).is_some_and(|own| own.id == ty(id).id);
    let is_made = match *arguments {
        [] => true,
        [only] => {
            is_length(only)
                || vector_of(program, ty(only)) == Some(vector)
                || is_list_of(program, vector, ty(only))
        }
        [first, second] => {
            (is_length(first) && is_element(second))
                || (is_place(program, first) && is_place(program, second))
        }
        _ => false,
    };
    (!is_made).then_some(OTHER)
}

/// Whether an expression is a number, also where the types in it are not known: `v.size()`, `grid.x * grid.y`.
fn is_length(program: &Program, id: ExprId) -> bool {
    let id = program.strip_parens(id);
    let ty = program.types.strip_reference(program.expr(id).ty);
    match program.types.kind(ty.id) {
        TypeKind::Scalar(own) => return own.is_integer(),
        TypeKind::Enum(..) => return true,
        TypeKind::Unknown => {}
        _ => return false,
    }
    match &program.expr(id).kind {
        ExprKind::Binary(op, left, right) => {
            let is_number = |id: ExprId| {
                let ty = program.types.strip_reference(program.expr(id).ty);
                is_length(program, id) || matches!(program.types.kind(ty.id), TypeKind::Unknown)
            };
            matches!(
                op,
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem
            ) && is_number(*left)
                && is_number(*right)
        }
        ExprKind::Call { callee, arguments, .. } => {
            match &program.expr(program.strip_parens(*callee)).kind {
                ExprKind::Member { base, arrow: false, name, .. } => {
                    arguments.is_empty()
                        && program.text(*name) == "size"
                        && matches!(
                            program.types.kind(program.types.strip_reference(program.expr(*base).ty).id),
                            TypeKind::Named(name, _) if program.is_library_class(name)
                        )
                }
                ExprKind::Name(NameRef::Unknown(name)) => {
                    matches!(name.trim_start_matches("std::"), "min" | "max")
                        && arguments.iter().any(|argument| is_length(program, *argument))
                }
                _ => false,
            }
        }
        _ => false,
    }
}

/// Whether an expression is a place in a list of the host: `v.begin()`, `v.end() - 1`, `a + n` of an array.
fn is_place(program: &Program, id: ExprId) -> bool {
    let id = program.strip_parens(id);
    match &program.expr(id).kind {
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, left, _) => is_place(program, *left),
        ExprKind::Call { callee, arguments, .. } if arguments.is_empty() => {
            let ExprKind::Member { base, arrow: false, name, .. } =
                program.expr(program.strip_parens(*callee)).kind
            else {
                return false;
            };
            matches!(program.text(name), "begin" | "end" | "cbegin" | "cend" | "data")
                && is_host_list(program, program.expr(base).ty)
        }
        ExprKind::Name(NameRef::Variable(variable)) => {
            let ty = program.types.strip_reference(program.variable(*variable).ty);
            matches!(program.types.kind(ty.id), TypeKind::Array(..) | TypeKind::Pointer(_))
        }
        _ => false,
    }
}

/// How a vector is used as the text of the model does not allow, if it is.
pub(super) fn used_otherwise(
    program: &Program,
    calls: &CallGraph,
    id: ExprId,
) -> Option<&'static str> {
    const OPERATOR: &str = "this operator of vectors is not modelled";
    const BRACES: &str = "the elements of this vector are listed in braces";
    vector_of(program, program.expr(id).ty)?;
    let Context::Operand(parent, position) = calls.context(id) else { return None };
    match &program.expr(parent).kind {
        ExprKind::Binary(..) | ExprKind::Unary(..) => Some(OPERATOR),
        ExprKind::Assign(None, _, right) if position == 0 => {
            let right = program.strip_parens(*right);
            // Of an empty list, too: it keeps the memory.
            matches!(program.expr(right).kind, ExprKind::InitList(_)).then_some(BRACES)
        }
        // A member that the text does not have.
        ExprKind::Member { field: None, methods, .. } if methods.is_empty() => {
            Some("this member of the vector is not modelled")
        }
        ExprKind::Member { methods, .. }
            if methods.first().is_some_and(|id| is_place_member(program, *id))
                && !is_copied(program, calls, parent) =>
        {
            Some("this place in the vector is used in a way that is not modelled")
        }
        _ => None,
    }
}

/// Whether a copy into a vector takes what is not seen to be in host memory, such as what an iterator computes.
pub(super) fn copied_otherwise(
    program: &Program,
    calls: &CallGraph,
    id: ExprId,
) -> Option<(RecordId, &'static str)> {
    const TEMPLATE: &str =
        "a template copies between the vector and the host or calls an algorithm";
    let ExprKind::Call { callee, arguments, .. } = &program.expr(id).kind else { return None };
    // Whether an instance is written out is decided by its pointers.
    let function = calls.function(id).map(|id| program.function(id));
    let is_of_template = function.is_some_and(|own| {
        own.copy_of.is_some()
            || own.record.is_some_and(|record| program.record(record).instance.is_some())
    });
    let start = arguments.iter().find_map(|argument| place_of(program, *argument));
    if let Some(vector) = start.filter(|_| is_of_template) {
        return Some((vector, TEMPLATE));
    }
    let ExprKind::Member { methods, .. } = &program.expr(*callee).kind else { return None };
    let own = program.function(*methods.first()?);
    let vector = own.record.filter(|record| program.is_device_vector(*record))?;
    if is_of_template && matches!(own.name.as_str(), "copy_to_" | "copy_from_") {
        return Some((vector, TEMPLATE));
    }
    let [first, last, _] = arguments[..] else { return None };
    let is_of_host = is_place(program, first) && is_place(program, last);
    let message = "what is copied into the vector is not seen to be in host memory";
    (own.name == "copy_from_" && !is_of_host).then_some((vector, message))
}

/// The vector that a place which an algorithm is given is in.
fn place_of(program: &Program, place: ExprId) -> Option<RecordId> {
    let mut at = program.strip_parens(place);
    while let ExprKind::Binary(_, left, _) = program.expr(at).kind {
        at = program.strip_parens(left);
    }
    let (base, arrow) = program.vector_start(at)?;
    let ty = program.types.strip_reference(program.expr(base).ty);
    let ty = if arrow { program.types.pointee(ty.id)? } else { ty };
    vector_of(program, ty)
}

fn is_place_member(program: &Program, id: FunctionId) -> bool {
    matches!(program.function(id).name.as_str(), "begin" | "end" | "cbegin" | "cend")
}

/// Whether the place that a member function gives is one that a copy between the vector and the host is given.
fn is_copied(program: &Program, calls: &CallGraph, member: ExprId) -> bool {
    let mut at = member;
    loop {
        let Context::Operand(parent, position) = calls.context(at) else { return false };
        match &program.expr(parent).kind {
            ExprKind::Call { callee, .. } if *callee == at && at == member => {}
            ExprKind::Paren(_) => {}
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, left, _) if *left == at => {}
            ExprKind::Call { callee, .. } if position > 0 => {
                let ExprKind::Member { methods, .. } = &program.expr(*callee).kind else {
                    return false;
                };
                let is_dropped = matches!(calls.context(parent), Context::Dropped);
                return is_dropped
                    && methods.first().is_some_and(|id| {
                        matches!(program.function(*id).name.as_str(), "copy_to_" | "copy_from_")
                    });
            }
            _ => return false,
        }
        at = parent;
    }
}

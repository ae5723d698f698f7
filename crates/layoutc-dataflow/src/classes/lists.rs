//! Lists in braces, and what their items fill.
//!
//! `View{p, n}`, `return {p, n}` and `f({p, n})` make an object as `View v = {p, n}` does: each item
//! fills a member of an aggregate, or is a parameter of the constructor that the list calls.

use super::calls::{CallGraph, Callee, Context, constructor_of};
use super::carriers::fills_fields;
use super::slots::Slot;
use layoutc_syntax::{
    ExprId, ExprKind, FunctionId, Program, QualType, RecordId, RecordTrait, TypeKind,
};
use std::collections::BTreeMap;

/// What the items of a list fill.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Filled {
    /// The members of a record, in order.
    Members(RecordId),
    /// The parameters of a constructor.
    Parameters(FunctionId),
}

/// The items of a list.
pub(super) fn items_of(program: &Program, list: ExprId) -> &[ExprId] {
    match &program.expr(list).kind {
        ExprKind::InitList(items) | ExprKind::Construct { arguments: items, .. } => items,
        _ => &[],
    }
}

/// The type of the object that a list makes, if that can be seen.
pub(super) fn object_type(program: &Program, calls: &CallGraph, list: ExprId) -> Option<QualType> {
    if let ExprKind::Construct { of, .. } = program.expr(list).kind {
        return Some(of);
    }
    let ty = match calls.context(list) {
        Context::Init(variable) => program.variable(variable).ty,
        Context::Returned { in_lambda: false } => program.function(calls.function(list)?).result,
        Context::Operand(parent, position) => match &program.expr(parent).kind {
            ExprKind::Assign(None, left, _) if position == 1 => program.expr(*left).ty,
            ExprKind::Call { callee, arguments, .. } => {
                let at = position.checked_sub(1)?;
                appended_type(program, *callee)
                    .filter(|_| arguments.len() == 1)
                    .or_else(|| parameter_type(program, calls, *callee, arguments, at))?
            }
            ExprKind::New { of, lengths: 0, is_placed: false, .. } => *of,
            ExprKind::Launch { kernel, config, arguments, .. } => {
                let at = position.checked_sub(1 + config.len())?;
                parameter_type(program, calls, *kernel, arguments, at)?
            }
            ExprKind::InitList(_) | ExprKind::Construct { .. } => {
                item_type(program, calls, parent, position)?
            }
            _ => return None,
        },
        Context::Dropped
        | Context::Condition
        | Context::Returned { .. }
        | Context::Range
        | Context::Opaque
        | Context::Assembly => return None,
    };
    Some(program.types.strip_reference(ty))
}

/// The type of the object that `v.push_back(…)` takes: an item of a list of objects of the program.
fn appended_type(program: &Program, callee: ExprId) -> Option<QualType> {
    let ExprKind::Member { base, field: None, name, .. } =
        program.expr(program.strip_parens(callee)).kind
    else {
        return None;
    };
    let item = contained_type(program, base)?;
    (program.text(name) == "push_back" && program.types.as_record(item.id).is_some())
        .then_some(item)
}

/// The type of the items of a container of the library: what `v[i]` is.
pub(super) fn contained_type(program: &Program, container: ExprId) -> Option<QualType> {
    let ty = program.types.strip_reference(program.expr(container).ty);
    let TypeKind::Named(name, mentioned) = program.types.kind(ty.id) else { return None };
    let item = QualType::plain(*mentioned.first()?);
    matches!(name.as_str(), "vector" | "deque" | "list").then_some(item)
}

fn parameter_type(
    program: &Program,
    calls: &CallGraph,
    callee: ExprId,
    arguments: &[ExprId],
    at: usize,
) -> Option<QualType> {
    let Callee::Function(function) = calls.callee(program, callee, arguments) else { return None };
    let parameter = program.function(function).parameters.get(at)?;
    Some(program.variable(*parameter).ty)
}

/// The type of what an item of a list fills.
pub(super) fn item_type(
    program: &Program,
    calls: &CallGraph,
    list: ExprId,
    position: usize,
) -> Option<QualType> {
    match filled(program, calls, list) {
        Some(Filled::Members(record)) => {
            let field = program.record(record).fields.get(position)?;
            Some(program.field(*field).ty)
        }
        Some(Filled::Parameters(constructor)) => {
            let parameter = program.function(constructor).parameters.get(position)?;
            Some(program.variable(*parameter).ty)
        }
        None => match *program.types.kind(object_type(program, calls, list)?.id) {
            TypeKind::Array(of, _) => Some(of),
            _ => None,
        },
    }
}

/// Whether a list makes an object of another one of its type.
pub(super) fn is_copy(program: &Program, record: RecordId, items: &[ExprId]) -> bool {
    let [item] = items[..] else { return false };
    let ty = program.types.strip_reference(program.expr(item).ty);
    let own = program.types.as_record(ty.id);
    own.is_some_and(|own| own == record || program.derives_from(own, record))
}

/// What the items of a list fill; nothing if that cannot be seen, or if it copies an object.
pub(super) fn filled(program: &Program, calls: &CallGraph, list: ExprId) -> Option<Filled> {
    let ty = object_type(program, calls, list)?;
    let record = program.types.as_record(ty.id)?;
    let items = items_of(program, list);
    let own = program.record(record);
    if own.body.is_none() || is_copy(program, record, items) {
        return None;
    }
    if own.traits.iter().any(|(which, _)| *which == RecordTrait::Constructor) {
        let constructor = constructor_of(program, ty, items)?;
        return (!takes_lists(program, record)).then_some(Filled::Parameters(constructor));
    }
    let is_aggregate = own.traits.iter().all(|(which, _)| {
        matches!(
            which,
            RecordTrait::Methods
                | RecordTrait::NestedType
                | RecordTrait::UnknownMember
                | RecordTrait::ConstMember
                | RecordTrait::BitField
                | RecordTrait::Initializer
                | RecordTrait::Destructor
                | RecordTrait::CopyControl
        )
    });
    (is_aggregate && fills_fields(program, record, items)).then_some(Filled::Members(record))
}

/// Whether a constructor of the class takes lists as such.
fn takes_lists(program: &Program, record: RecordId) -> bool {
    let own = program.record(record);
    let constructors =
        own.methods.iter().map(|id| program.function(*id)).filter(|method| method.name == own.name);
    constructors.flat_map(|method| &method.parameters).any(|parameter| {
        let ty = program.types.strip_reference(program.variable(*parameter).ty);
        !matches!(
            program.types.kind(ty.id),
            TypeKind::Scalar(_)
                | TypeKind::Enum(..)
                | TypeKind::Vector(_)
                | TypeKind::Pointer(_)
                | TypeKind::Record(_)
        ) && !matches!(program.types.kind(ty.id), TypeKind::Named(name, _) if name != "initializer_list")
    })
}

/// The slot that each item of a list fills.
pub(super) fn slots(program: &Program, calls: &CallGraph) -> BTreeMap<ExprId, Slot> {
    let mut found = BTreeMap::new();
    for list in program.expr_ids() {
        let items = items_of(program, list);
        if items.is_empty() {
            continue;
        }
        match filled(program, calls, list) {
            Some(Filled::Members(record)) => {
                let fields = &program.record(record).fields;
                found.extend(
                    items.iter().zip(fields).map(|(item, field)| (*item, Slot::Field(*field))),
                );
            }
            Some(Filled::Parameters(constructor)) => {
                let parameters = &program.function(constructor).parameters;
                found.extend(
                    items.iter().zip(parameters).map(|(item, own)| (*item, Slot::Variable(*own))),
                );
            }
            None => {}
        }
    }
    found
}

/// Whether no list without braces of its own fills objects of a library's type: it has constructors, or is a pointer.
pub(super) fn takes_one_item(name: &str) -> bool {
    let name = name.trim_start_matches("::").trim_start_matches("std::");
    let is_handle = name.starts_with("cuda") && name.ends_with("_t") && !name.contains("Ipc");
    is_handle
        || is_opencl_handle(name)
        || matches!(
            name,
            "dim3"
                | "vector"
                | "string"
                | "deque"
                | "list"
                | "map"
                | "set"
                | "unordered_map"
                | "unordered_set"
                | "function"
                | "unique_ptr"
                | "shared_ptr"
                | "optional"
                | "device_vector"
                | "host_vector"
        )
}

/// Whether a type is a handle of OpenCL: a pointer, or an object that has constructors.
pub(super) fn is_opencl_handle(name: &str) -> bool {
    matches!(
        name,
        "cl_mem"
            | "cl_kernel"
            | "cl_context"
            | "cl_command_queue"
            | "cl_program"
            | "cl_device_id"
            | "cl_platform_id"
            | "cl_event"
            | "cl_sampler"
            | "cl::Buffer"
            | "cl::Kernel"
    )
}

//! Host arrays in the layout of the device's arrays that they are copied to and from.
//!
//! By default a copy between host and device converts, and host code keeps the records of the
//! source. On request both sides of such a copy are unified instead: then the host's memory is
//! memory of the class like any other, host code that touches it is judged and rewritten by the
//! same rules as device code, and the copy moves the bytes of the layout. What the host does with
//! its arrays that the rules do not know pins the class; the caller then leaves that copy out.
//!
//! *Invariant:* in a native class every pointer leads to memory in the layout of the class, the
//! host's or the device's, so it does not matter which of them an access reaches.

use super::calls::{CallGraph, Callee, Context};
use super::element::element_of;
use super::operands::strip_casts;
use super::places::{Places, Value};
use super::slots::{Slot, SlotGraph};
use super::unify::{Flow, slot_of};
use super::{ClassId, Classes};
use crate::catalogue::Api;
use crate::catalogue::{self, Row};
use layoutc_diagnostics::Span;
use layoutc_syntax::{
    CastStyle, ExecutionSpace, ExprId, ExprKind, NameRef, Program, RecordId, RecordTrait, Space,
    Storage, TypeKind, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// Memory for an array that the host's library gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HostAllocation {
    /// What gives it.
    pub source: HostSource,
    /// The call or `new` without casts around it.
    pub call: ExprId,
    /// The cast around a call.
    pub cast: Option<CastStyle>,
    /// Node of the array.
    node: usize,
}

/// A function of the library, or an operator, that gives memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HostSource {
    /// `malloc(bytes)`.
    Malloc {
        /// The byte count.
        bytes: ExprId,
    },
    /// `calloc(count, size)`.
    Calloc {
        /// The number of elements.
        count: ExprId,
        /// The size of one.
        size: ExprId,
    },
    /// `new T[count]`.
    New {
        /// The number of elements.
        count: ExprId,
        /// `new T[count]()`.
        is_initialized: bool,
        /// Constructors or member initializers run.
        constructs: bool,
    },
}

/// A host array that is copied to or from arrays of a class, or several that share code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HostArray {
    /// The element type.
    pub record: RecordId,
    /// The class at the other side of its first copy.
    pub class: ClassId,
    /// The slots that hold it.
    pub slots: Vec<Slot>,
    /// The copies: the spans of the calls.
    pub copies: BTreeSet<Span>,
}

/// The node of both sides of a copy, if they are pointers to elements of one node.
pub(super) fn one_node(
    program: &Program,
    places: &Places,
    row: &Row,
    arguments: &[ExprId],
) -> Option<usize> {
    let (to, from) = sides(program, places, row, arguments)?;
    (to == from).then_some(to.node)
}

/// Both sides of a copy, if they are pointers to elements.
fn sides(
    program: &Program,
    places: &Places,
    row: &Row,
    arguments: &[ExprId],
) -> Option<(Value, Value)> {
    let at = row.copy_arguments()?;
    let side = |position: usize| {
        let argument = strip_casts(program, *arguments.get(position)?);
        places.value(argument).filter(|value| value.depth == 1)
    };
    Some((side(at.to)?, side(at.from)?))
}

/// Unifies both sides of the named copies, and the host arrays that are copied to each other.
///
/// Returns a node of each array that the host shares.
pub(super) fn unite(
    program: &Program,
    calls: &CallGraph,
    places: &Places,
    copies: &BTreeSet<Span>,
    graph: &mut SlotGraph,
) -> BTreeSet<usize> {
    let mut nodes = BTreeSet::new();
    if copies.is_empty() {
        return nodes;
    }
    for call in program.expr_ids() {
        let ExprKind::Call { callee, arguments, .. } = &program.expr(call).kind else { continue };
        let Callee::Library(name) = calls.callee(program, *callee, arguments) else { continue };
        let of_host = || {
            catalogue::on_host(&name)
                .filter(|(_, api)| *api == Api::LibraryMemcpy && is_on_host(program, calls, call))
        };
        let of_device =
            catalogue::on_device(&name).filter(|_| copies.contains(&program.expr(call).span));
        let Some((row, api)) = of_device.or_else(of_host) else { continue };
        let Some((to, from)) = sides(program, places, row, arguments) else { continue };
        // A copy from or to one object is an access to one element.
        if api == Api::LibraryMemcpy
            && arguments.iter().any(|argument| is_address_of_object(program, *argument))
        {
            continue;
        }
        graph.unite(to.node, from.node);
        if api != Api::LibraryMemcpy {
            nodes.insert(to.node);
        }
    }
    nodes
}

/// The function on memory of the host that a call in host code reaches, with an array of the nodes.
pub(super) fn api_of_call(
    program: &Program,
    calls: &CallGraph,
    places: &Places,
    native: &BTreeSet<usize>,
    call: ExprId,
    name: &str,
    arguments: &[ExprId],
) -> Option<(&'static Row, Api)> {
    let (row, api) = catalogue::on_host(name)?;
    if native.is_empty() || !row.accepts(arguments) || !is_on_host(program, calls, call) {
        return None;
    }
    let value = places.value(strip_casts(program, arguments[0]))?;
    let depth = if row.allocates() { 2 } else { 1 };
    let is_dropped = matches!(calls.context(call), Context::Dropped);
    let fits = match api {
        Api::LibraryMemset => is_dropped,
        Api::LibraryMemcpy => is_dropped && one_node(program, places, row, arguments).is_some(),
        _ => true,
    };
    (fits && value.depth == depth && native.contains(&value.node)).then_some((row, api))
}

/// The expressions that give memory to pointers of the nodes, without parentheses.
pub(super) fn allocations(
    program: &Program,
    calls: &CallGraph,
    graph: &SlotGraph,
    places: &Places,
    flows: &[Flow],
    native: &BTreeSet<usize>,
) -> BTreeMap<ExprId, HostAllocation> {
    // What is stored in a slot, and what is stored through a pointer to a pointer.
    let into_slots = flows.iter().filter_map(|flow| {
        let (_, depth) = element_of(program, flow.to.declared_type(program))?;
        Some((graph.node(flow.to)?, depth, flow.from))
    });
    let through_pointers = program.expr_ids().filter_map(|id| match program.expr(id).kind {
        ExprKind::Assign(None, left, right) if slot_of(program, left).is_none() => {
            let value = places.value(left)?;
            Some((value.node, value.depth, right))
        }
        _ => None,
    });
    let mut found = BTreeMap::new();
    for (node, depth, from) in into_slots.chain(through_pointers) {
        let node = graph.find(node);
        let Some(record) = graph.element(node).record().filter(|_| native.contains(&node)) else {
            continue;
        };
        let is_stored = match calls.context(from) {
            Context::Init(_) | Context::Returned { in_lambda: false } => true,
            Context::Operand(parent, 1) => {
                matches!(program.expr(parent).kind, ExprKind::Assign(None, ..))
            }
            _ => false,
        };
        let from = program.strip_parens(from);
        // The text of a macro serves other types as well.
        if depth == 1
            && is_stored
            && program.home(from).is_none()
            && calls.function(from).is_none_or(|_| is_on_host(program, calls, from))
            && let Some(allocation) = allocation(program, calls, from, record, node)
        {
            found.insert(from, allocation);
        }
    }
    found
}

/// The slots through which host arrays get memory that is stored through a pointer to a pointer.
pub(super) fn allocated_slots(
    program: &Program,
    allocations: &BTreeMap<ExprId, HostAllocation>,
) -> Vec<Slot> {
    let stored = program.expr_ids().filter_map(|id| match program.expr(id).kind {
        ExprKind::Assign(None, left, right)
            if allocations.contains_key(&program.strip_parens(right)) =>
        {
            Some(left)
        }
        _ => None,
    });
    stored
        .filter_map(|mut at| {
            while let ExprKind::Paren(inner)
            | ExprKind::Index { base: inner, .. }
            | ExprKind::Deref(inner) = program.expr(at).kind
            {
                at = inner;
            }
            slot_of(program, at)
        })
        .collect()
}

/// Whether a variable is an array of records in host memory whose declaration may change: of known
/// length, without an initializer, and without constructors that would run for each element.
pub(super) fn is_object(program: &Program, id: VarId) -> bool {
    let variable = program.variable(id);
    let TypeKind::Array(of, Some(length)) = *program.types.kind(variable.ty.id) else {
        return false;
    };
    let on_host = variable
        .function
        .is_none_or(|function| program.function(function).space == ExecutionSpace::Host);
    program.types.as_record(of.id).is_some_and(|record| !constructs(program, record, 0))
        && length > 0
        && matches!(variable.storage, Storage::Local | Storage::Static)
        && variable.space == Space::Default
        && variable.init.is_none()
        && !variable.is_extern
        && on_host
}

/// The arrays of the nodes that are objects in host memory.
pub(super) fn objects(
    program: &Program,
    graph: &SlotGraph,
    native: &BTreeSet<usize>,
) -> BTreeSet<VarId> {
    let is_native = |id: VarId| {
        graph.node(Slot::Variable(id)).is_some_and(|node| native.contains(&graph.find(node)))
    };
    program.variable_ids().filter(|id| is_native(*id) && is_object(program, *id)).collect()
}

fn allocation(
    program: &Program,
    calls: &CallGraph,
    from: ExprId,
    record: RecordId,
    node: usize,
) -> Option<HostAllocation> {
    match program.expr(from).kind {
        ExprKind::New { of, ref arguments, lengths: 1, is_placed: false, is_initialized } => {
            let &[count] = arguments.as_slice() else { return None };
            let own = program.record(record);
            let has_own_new = own.methods.iter().any(|method| {
                let name = &program.function(*method).name;
                name.starts_with("operator new") || name.starts_with("operator delete")
            });
            let is_closed = [RecordTrait::Private, RecordTrait::Constructor]
                .iter()
                .all(|which| own.traits.iter().any(|(found, _)| found == which));
            if program.types.as_record(of.id) != Some(record) || has_own_new || is_closed {
                return None;
            }
            let constructs = constructs(program, record, 0);
            let source = HostSource::New { count, is_initialized, constructs };
            Some(HostAllocation { source, call: from, cast: None, node })
        }
        ExprKind::Cast { target, operand, style, .. } => {
            let to = program.types.pointee(target.id)?;
            let is_typed = program.types.as_record(to.id) == Some(record);
            let call = strip_casts(program, operand);
            let source = library_source(program, calls, call)
                .filter(|_| is_typed && style != CastStyle::Functional)?;
            Some(HostAllocation { source, call, cast: Some(style), node })
        }
        // Into a `void *` that only holds such arrays.
        ExprKind::Call { .. } => {
            let source = library_source(program, calls, from)?;
            Some(HostAllocation { source, call: from, cast: None, node })
        }
        _ => None,
    }
}

/// What a call of the library gives.
fn library_source(program: &Program, calls: &CallGraph, call: ExprId) -> Option<HostSource> {
    let ExprKind::Call { callee, arguments, .. } = &program.expr(call).kind else { return None };
    let Callee::Library(name) = calls.callee(program, *callee, arguments) else { return None };
    let source = match (name.as_str(), arguments.as_slice()) {
        ("malloc", &[bytes]) => HostSource::Malloc { bytes },
        ("calloc", &[count, size]) => HostSource::Calloc { count, size },
        _ => return None,
    };
    program.home(call).is_none().then_some(source)
}

/// Whether making an object of the record runs code: constructors or initializers of members.
fn constructs(program: &Program, record: RecordId, depth: usize) -> bool {
    const NESTING: usize = 32;
    let own = program.record(record);
    let runs = own.traits.iter().any(|(which, _)| {
        matches!(which, RecordTrait::Constructor | RecordTrait::Initializer | RecordTrait::Bases)
    });
    runs || depth > NESTING
        || own.fields.iter().any(|field| {
            let mut ty = program.field(*field).ty;
            while let TypeKind::Array(of, _) = *program.types.kind(ty.id) {
                ty = of;
            }
            program
                .types
                .as_record(ty.id)
                .is_some_and(|inner| inner != record && constructs(program, inner, depth + 1))
        })
}

/// Whether an expression stands in code that runs on the host alone.
fn is_on_host(program: &Program, calls: &CallGraph, expr: ExprId) -> bool {
    calls.function(expr).is_some_and(|function| !program.function(function).space.on_device())
}

/// Whether an argument is the address of a variable that is a record.
fn is_address_of_object(program: &Program, argument: ExprId) -> bool {
    let ExprKind::AddressOf(operand) = program.expr(strip_casts(program, argument)).kind else {
        return false;
    };
    match program.expr(program.strip_parens(operand)).kind {
        ExprKind::Name(NameRef::Variable(id)) => {
            program.types.as_record(program.variable(id).ty.id).is_some()
        }
        _ => false,
    }
}

impl Slot {
    fn declared_type(self, program: &Program) -> layoutc_syntax::QualType {
        match self {
            Slot::Variable(id) => program.variable(id).ty,
            Slot::Field(id) => program.field(id).ty,
            Slot::Result(id) => program.function(id).result,
        }
    }
}

impl Classes {
    /// What gives memory to a host array, and the class of that memory.
    #[must_use]
    pub fn host_allocation(&self, expr: ExprId) -> Option<(ClassId, HostAllocation)> {
        let allocation = *self.host_allocations.get(&expr)?;
        Some((self.class_of_node[allocation.node]?, allocation))
    }

    /// The host arrays that are copied to and from arrays of the classes, in order of the copies.
    #[must_use]
    pub fn host_arrays(&self, program: &Program) -> Vec<HostArray> {
        let mut found: Vec<(BTreeSet<usize>, HostArray)> = Vec::new();
        for call in &self.api_calls {
            if !call.is_host_transfer() || call.row.copies_rows() {
                continue;
            }
            let Some((to, from)) = sides(program, &self.places, call.row, &call.arguments) else {
                continue;
            };
            let is_device = |at: Option<usize>| at.is_some_and(|at| call.is_device_argument(at));
            let (device, host) = match is_device(call.row.copy_arguments().map(|at| at.to)) {
                true => (to, from),
                false => (from, to),
            };
            let Some(class) = self.class_of_node[device.node] else { continue };
            let copies = BTreeSet::from([program.expr(call.call).span]);
            let Some(record) = self.class(class).element.record() else { continue };
            let mut nodes = BTreeSet::from([host.node]);
            let mut array = HostArray { record, class, slots: Vec::new(), copies };
            // One text may copy several arrays: they are one then.
            let (same, others): (Vec<_>, Vec<_>) =
                found.into_iter().partition(|(theirs, other): &(BTreeSet<usize>, HostArray)| {
                    theirs.contains(&host.node) || !other.copies.is_disjoint(&array.copies)
                });
            found = others;
            for (theirs, other) in same {
                nodes.extend(theirs);
                array.copies.extend(other.copies);
                array.class = array.class.min(other.class);
            }
            found.push((nodes, array));
        }
        let mut arrays: Vec<HostArray> = found
            .into_iter()
            .map(|(nodes, mut array)| {
                array.slots = self
                    .slot_nodes
                    .iter()
                    .filter(|(_, node)| nodes.contains(node))
                    .map(|(slot, _)| *slot)
                    .collect();
                array
            })
            .collect();
        arrays.sort_by(|a, b| a.copies.first().cmp(&b.copies.first()));
        arrays
    }
}

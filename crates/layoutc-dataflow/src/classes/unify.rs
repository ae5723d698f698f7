//! Unification of the slots between which pointers flow.

use super::Moves;
use super::calls::{CallGraph, Callee, Context, constructor_of, operator_operands};
use super::direction::{Direction, copy_direction};
use super::element::{Element, element_of};
use super::host_memory::HostMemory;
use super::lists::{Filled, filled};
use super::operands::{exchanged, strip_casts};
use super::places::{PlaceKind, Places};
use super::slots::is_reference;
use super::slots::{Slot, SlotGraph};
use super::symbols::on_symbol;
use crate::catalogue::{self, Role, Row};
use layoutc_diagnostics::Span;
use layoutc_syntax::{
    ExprId, ExprKind, FieldId, FunctionId, NameRef, Program, StmtKind, TypeKind, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// One flow of a pointer, or of a reference to an element, into a slot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flow {
    /// The slot that receives it.
    pub(super) to: Slot,
    /// The pointer, or the element that a reference is bound to.
    pub(super) from: ExprId,
    /// Where that happens.
    pub(super) span: Span,
}

/// Whether a variable receives a pointer or a reference, not a record by value.
pub(super) fn receives_address(program: &Program, variable: VarId) -> bool {
    let ty = program.variable(variable).ty;
    let mut item = ty;
    while let TypeKind::Array(of, _) = *program.types.kind(item.id) {
        item = of;
    }
    // An array of elements holds them by value.
    if item != ty && Element::of_item(program, item).is_some() {
        return false;
    }
    let depth = element_of(program, ty).map(|(_, depth)| depth);
    depth.is_some_and(|depth| depth > 0) || is_reference(program, variable)
}

/// The node that a pointer or element expression belongs to.
pub(super) fn node_of(places: &Places, expr: ExprId) -> Option<usize> {
    places.value(expr).map(|value| value.node).or_else(|| {
        places.place(expr).filter(|place| place.kind == PlaceKind::Element).map(|place| place.node)
    })
}

/// What is known of parameters and lists.
#[derive(Clone, Copy)]
pub(super) struct Given<'a> {
    /// Parameters that are given a copy of the element.
    pub(super) readers: &'a BTreeSet<VarId>,
    /// The slot that each item of a list fills.
    pub(super) list_slots: &'a BTreeMap<ExprId, Slot>,
}

/// Unifies, and returns the flows in arena order.
pub(super) fn unify(
    program: &Program,
    calls: &CallGraph,
    host: &HostMemory,
    places: &Places,
    Given { readers, list_slots }: Given<'_>,
    moves: Moves,
    graph: &mut SlotGraph,
) -> Vec<Flow> {
    let mut flows = Vec::new();
    let may_lie_apart = |element: Element| moves == Moves::Stay && element.is_leaf();
    for id in program.function_ids() {
        let function = program.function(id);
        for site in &function.sites {
            for (own, theirs) in function.parameters.iter().zip(&site.parameters) {
                if let (Some(own), Some(theirs)) =
                    (graph.node(Slot::Variable(*own)), graph.node(Slot::Variable(*theirs)))
                {
                    graph.unite(own, theirs);
                }
            }
        }
    }
    for at in 0..program.fields.len() as u32 {
        let own = FieldId(at);
        if let Some(inherited) = program.field(own).inherited
            && let (Some(own), Some(inherited)) =
                (graph.node(Slot::Field(own)), graph.node(Slot::Field(inherited)))
        {
            graph.unite(own, inherited);
        }
    }
    for id in program.variable_ids() {
        if let Some(init) = program.variable(id).init {
            variable_init(program, id, init, &mut flows);
        }
    }
    for id in program.expr_ids() {
        let span = program.expr(id).span;
        match &program.expr(id).kind {
            ExprKind::Assign(None, left, right) => {
                let depth =
                    element_of(program, program.expr(*left).ty).map_or(0, |(_, depth)| depth);
                if depth > 0
                    && let Some(slot) = slot_of(program, *left)
                {
                    flows.push(Flow { to: slot, from: *right, span });
                }
                if let (Some(left), Some(right)) = (places.value(*left), node_of(places, *right)) {
                    graph.unite(left.node, right);
                }
            }
            ExprKind::Conditional(_, then, otherwise) => {
                if let (Some(then), Some(otherwise)) =
                    (places.value(*then), places.value(*otherwise))
                {
                    graph.unite(then.node, otherwise.node);
                }
                if places.place(id).is_some()
                    && let (Some(then), Some(otherwise)) =
                        (places.place(*then), places.place(*otherwise))
                {
                    graph.unite(then.node, otherwise.node);
                }
            }
            ExprKind::Call { callee, arguments, .. } => {
                match calls.callee(program, *callee, arguments) {
                    Callee::Function(function) => {
                        bind(program, function, arguments, readers, &mut flows);
                        let object = object_of_call(program, *callee, function);
                        bind_object(program, function, object, &mut flows);
                    }
                    Callee::Library(name) if name == "swap" => {
                        if let [left, right] = arguments[..]
                            && let (Some(a), Some(b)) = (places.value(left), places.value(right))
                        {
                            graph.unite(a.node, b.node);
                            let slots = (slot_of(program, left), slot_of(program, right));
                            if let (Some(to_left), Some(to_right)) = slots {
                                flows.push(Flow { to: to_left, from: right, span });
                                flows.push(Flow { to: to_right, from: left, span });
                            }
                        }
                    }
                    Callee::Library(name) if exchanged(&name, arguments).is_some() => {
                        if let Some((target, from)) = exchanged(&name, arguments)
                            && element_of(program, program.expr(target).ty)
                                .is_some_and(|(_, depth)| depth > 0)
                            && let Some(to) = slot_of(program, target)
                        {
                            flows.push(Flow { to, from, span });
                        }
                    }
                    // Both sides of a copy within device memory keep one layout, so that it stays a
                    // copy; so do those of a copy that may be one.
                    Callee::Library(name)
                        if catalogue::on_device(&name).is_some_and(|(row, _)| {
                            row.accepts(arguments)
                                && row.copies_memory()
                                && matches!(
                                    copy_direction(program, calls, host, row, arguments),
                                    Direction::DeviceToDevice | Direction::Unknown
                                )
                        }) =>
                    {
                        let at =
                            catalogue::on_device(&name).and_then(|(row, _)| row.copy_arguments());
                        let pointer = |at: usize| {
                            places
                                .value(strip_casts(program, arguments[at]))
                                .filter(|value| value.depth == 1)
                        };
                        // A copy of numbers that may lie apart says so itself.
                        let is_explicit = at.and_then(|at| at.kind).is_some_and(|kind| {
                            super::direction::literal_direction(program, arguments[kind])
                                == Some(Direction::DeviceToDevice)
                        });
                        if let Some(at) = at
                            && let (Some(to), Some(from)) = (pointer(at.to), pointer(at.from))
                            && !(is_explicit && may_lie_apart(graph.element(to.node)))
                        {
                            graph.unite(to.node, from.node);
                        }
                    }
                    Callee::Library(name) => {
                        if let Some((row, api)) = catalogue::on_device(&name)
                            .filter(|(row, _)| row.accepts(arguments))
                            .filter(|(row, _)| row.position(Role::Symbol).is_some())
                        {
                            let (row, api) = on_symbol(program, row, api, arguments);
                            symbol_flow(program, (row, api), arguments, span, &mut flows);
                        }
                    }
                    Callee::Ambiguous(_) | Callee::Unknown => {}
                }
            }
            ExprKind::Launch { kernel, arguments, .. } => {
                if let Callee::Function(function) = calls.callee(program, *kernel, arguments) {
                    bind(program, function, arguments, readers, &mut flows);
                }
            }
            ExprKind::Construct { of, arguments } => {
                if let Some(constructor) = constructor_of(program, *of, arguments) {
                    bind(program, constructor, arguments, readers, &mut flows);
                }
            }
            ExprKind::InitList(items) => {
                if let Some(Filled::Parameters(constructor)) = filled(program, calls, id) {
                    bind(program, constructor, items, readers, &mut flows);
                }
            }
            ExprKind::Binary(..)
            | ExprKind::Assign(Some(_), ..)
            | ExprKind::Unary(..)
            | ExprKind::Index { .. } => {
                if let Some((function, object, operands)) = operator_operands(program, id) {
                    bind(program, function, &operands, readers, &mut flows);
                    bind_object(program, function, object, &mut flows);
                }
            }
            _ => {}
        }
        if let Context::Returned { in_lambda: false } = calls.context(id)
            && let Some(function) = calls.function(id)
        {
            let result = program.function(function).result;
            let by_address = element_of(program, result).is_some_and(|(_, depth)| depth > 0)
                || matches!(program.types.kind(result.id), TypeKind::Reference(..));
            if by_address {
                flows.push(Flow { to: Slot::Result(function), from: id, span });
            }
        }
    }
    // `World{p, n}` fills the fields in order.
    for (item, slot) in list_slots {
        if let Slot::Field(field) = slot
            && element_of(program, program.field(*field).ty).is_some_and(|(_, depth)| depth > 0)
        {
            flows.push(Flow { to: *slot, from: *item, span: program.expr(*item).span });
        }
    }
    for stmt in &program.stmts {
        if let StmtKind::ForRange { variable, range, .. } = &stmt.kind {
            for variable in variable {
                if receives_address(program, *variable) {
                    flows.push(Flow {
                        to: Slot::Variable(*variable),
                        from: *range,
                        span: stmt.span,
                    });
                }
            }
        }
    }
    for flow in &flows {
        if let (Some(to), Some(from)) = (graph.node(flow.to), node_of(places, flow.from)) {
            graph.unite(to, from);
        }
    }
    flows
}

fn variable_init(program: &Program, id: VarId, init: ExprId, flows: &mut Vec<Flow>) {
    let span = program.variable(id).site.full;
    if receives_address(program, id) {
        match &program.expr(init).kind {
            // An array of pointers.
            ExprKind::InitList(items) if !is_reference(program, id) => {
                flows.extend(items.iter().map(|item| Flow {
                    to: Slot::Variable(id),
                    from: *item,
                    span,
                }));
            }
            _ => flows.push(Flow { to: Slot::Variable(id), from: init, span }),
        }
    }
}

/// A pointer that goes to a symbol or comes from one: `cudaMemcpyToSymbol(symbol, &p, …)`.
fn symbol_flow(
    program: &Program,
    (row, api): (&Row, super::Api),
    arguments: &[ExprId],
    span: Span,
    flows: &mut Vec<Flow>,
) {
    let (Some(symbol), Some(address)) =
        (row.position(Role::Symbol), row.position(Role::PointerAddress))
    else {
        return;
    };
    let symbol = arguments[symbol];
    let ExprKind::AddressOf(pointer) = program.expr(strip_casts(program, arguments[address])).kind
    else {
        return;
    };
    let (to, from) =
        if api == super::Api::PointerToSymbol { (symbol, pointer) } else { (pointer, symbol) };
    if let Some(to) = slot_of(program, to) {
        flows.push(Flow { to, from, span });
    }
}

fn bind(
    program: &Program,
    function: FunctionId,
    arguments: &[ExprId],
    readers: &BTreeSet<VarId>,
    flows: &mut Vec<Flow>,
) {
    for (parameter, argument) in program.function(function).parameters.iter().zip(arguments) {
        if receives_address(program, *parameter) && !readers.contains(parameter) {
            let span = program.expr(*argument).span;
            flows.push(Flow { to: Slot::Variable(*parameter), from: *argument, span });
        }
    }
}

/// The object that a call of a member function is made on: a record, or a pointer to one.
pub(super) fn object_of_call(
    program: &Program,
    callee: ExprId,
    function: FunctionId,
) -> Option<ExprId> {
    let own = program.function(function);
    match program.expr(program.strip_parens(callee)).kind {
        ExprKind::Member { base, .. } if own.record.is_some() && !own.is_static_member => {
            Some(base)
        }
        _ => None,
    }
}

fn bind_object(
    program: &Program,
    function: FunctionId,
    object: Option<ExprId>,
    flows: &mut Vec<Flow>,
) {
    if let (Some(this), Some(object)) = (program.function(function).this_parameter, object) {
        flows.push(Flow {
            to: Slot::Variable(this),
            from: object,
            span: program.expr(object).span,
        });
    }
}

/// The slot that an lvalue names directly.
pub(super) fn slot_of(program: &Program, expr: ExprId) -> Option<Slot> {
    match &program.expr(program.strip_parens(expr)).kind {
        ExprKind::Name(NameRef::Variable(variable)) => Some(Slot::Variable(*variable)),
        ExprKind::Member { field: Some(field), .. } => Some(Slot::Field(*field)),
        _ => None,
    }
}

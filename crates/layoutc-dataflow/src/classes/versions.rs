//! Functions that need another meaning for calls with an array.
//!
//! A function whose parameter receives pointers into an array of the allocator in one call and an
//! object of its own in another cannot change, and would pin the array. So the calls with the
//! array are given a *version* of the function: a copy in the model, whose text codegen adds
//! beside the original. A member function that is called on an element of an array always needs
//! one, unless it only reads: then it can be called on a copy of the element.
//!
//! What a pointer may point to is found along the flows, one direction only and without regard to
//! order: an array, something else, or both. A call is given a version if each of its arguments is
//! one or the other.

use super::HostAllocation;
use super::calls::Context;
use super::calls::{CallGraph, Callee, given_object, operator_operands};
use super::element::{Element, element_of, record_of};
use super::readers::Readers;
use super::slots::Slot;
use super::unify::{Flow, object_of_call, receives_address, slot_of};
use layoutc_syntax::{ExprId, ExprKind, FunctionId, NameRef, Program, RecordId, TypeKind, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// A call that is to reach a version of the function that it names.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Version {
    /// The call, launch or operator.
    pub call: ExprId,
    /// The function as it is.
    pub function: FunctionId,
    /// Positions of the arguments that are arrays; `None` for the object.
    pub arrays: BTreeSet<Option<usize>>,
    /// What the object is, if the function is a member of a base class of it.
    pub object: Option<RecordId>,
    /// The version returns nothing: the result is the object, and nobody uses it.
    pub drops_result: bool,
}

/// What a pointer may point to.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Targets {
    array: bool,
    other: bool,
}

impl Targets {
    const ARRAY: Targets = Targets { array: true, other: false };
    const OTHER: Targets = Targets { array: false, other: true };

    fn join(self, other: Self) -> Self {
        Targets { array: self.array || other.array, other: self.other || other.other }
    }
}

/// An argument of a call that reaches a function of the program.
struct Argument {
    /// `None` for the object.
    position: Option<usize>,
    /// The parameter; none for the object of a function that is not a copy.
    parameter: Option<VarId>,
    value: ExprId,
}

/// All calls that need a version, in arena order.
pub(super) fn wanted_versions(
    program: &Program,
    calls: &CallGraph,
    flows: &[Flow],
    readers: &Readers,
    allocated: &BTreeSet<Slot>,
    host_allocations: &BTreeMap<ExprId, HostAllocation>,
) -> Vec<Version> {
    let points_to = PointsTo::new(program, flows, allocated, host_allocations);
    let named = named_otherwise(program, calls);
    let mut found = Vec::new();
    for call in program.expr_ids() {
        let Some((function, arguments, is_operator)) = arguments_of(program, calls, call) else {
            continue;
        };
        let own = program.function(function);
        let has_one_text = named.contains(&function) || program.shared_friends.contains(&function);
        if own.body.is_none() || calls.function(call).is_none() || has_one_text {
            continue;
        }
        let mut wants = false;
        let mut is_mixed = false;
        let mut arrays = BTreeSet::new();
        for argument in &arguments {
            let concerns = match argument.parameter {
                Some(parameter) => {
                    receives_address(program, parameter)
                        && record_of(program, program.variable(parameter).ty).is_some()
                        && !readers.parameters.contains(&parameter)
                }
                None => true,
            };
            if !concerns {
                continue;
            }
            let targets = points_to.of(program, argument.value);
            is_mixed |= targets.array && targets.other;
            if targets != Targets::ARRAY {
                continue;
            }
            arrays.insert(argument.position);
            wants |= match argument.parameter {
                Some(parameter) => {
                    (is_operator && !own.has_own_text())
                        || points_to.slot(Slot::Variable(parameter)).other
                }
                // Private functions can only be called by other members.
                None => !readers.methods.contains(&function) || own.is_private,
            };
        }
        if !wants || is_mixed {
            continue;
        }
        let returns_reference =
            matches!(program.types.kind(own.result.id), TypeKind::Reference(..));
        let drops_result = returns_reference
            && match calls.is_dropped(program, call) {
                true => program.returns_its_object(function),
                // The object is an array's: its index is what is given back.
                false => given_object(program, call).is_some_and(|given| {
                    arguments.iter().any(|argument| {
                        argument.value == given && arrays.contains(&argument.position)
                    })
                }),
            };
        let object = arguments
            .iter()
            .find(|argument| argument.position.is_none())
            .and_then(|argument| record_of(program, program.expr(argument.value).ty))
            .map(|(record, _)| record)
            .filter(|record| own.copy_of.is_none() && own.record != Some(*record));
        found.push(Version { call, function, arrays, object, drops_result });
    }
    found
}

/// Functions that are named other than to call them: an overload would make the name ambiguous.
pub(super) fn named_otherwise(program: &Program, calls: &CallGraph) -> BTreeSet<FunctionId> {
    let mut found = BTreeSet::new();
    for id in program.expr_ids() {
        let ExprKind::Name(NameRef::Functions(functions)) = &program.expr(id).kind else {
            continue;
        };
        let mut at = id;
        let is_called = loop {
            match calls.context(at) {
                Context::Operand(parent, 0) => match program.expr(parent).kind {
                    ExprKind::Paren(_) => at = parent,
                    ExprKind::Call { .. } => break true,
                    ExprKind::Launch { .. } => {
                        break !program.launches_by_address.contains(&parent);
                    }
                    _ => break false,
                },
                _ => break false,
            }
        };
        if !is_called {
            found.extend(functions);
        }
    }
    found
}

fn arguments_of(
    program: &Program,
    calls: &CallGraph,
    call: ExprId,
) -> Option<(FunctionId, Vec<Argument>, bool)> {
    let numbered = |parameters: &[VarId], values: &[ExprId]| -> Vec<Argument> {
        parameters
            .iter()
            .zip(values)
            .enumerate()
            .map(|(at, (parameter, value))| Argument {
                position: Some(at),
                parameter: Some(*parameter),
                value: *value,
            })
            .collect()
    };
    match &program.expr(call).kind {
        ExprKind::Call { callee, arguments, .. }
        | ExprKind::Launch { kernel: callee, arguments, .. } => {
            let Callee::Function(function) = calls.callee(program, *callee, arguments) else {
                return None;
            };
            let mut found = numbered(&program.function(function).parameters, arguments);
            if let Some(object) = object_of_call(program, *callee, function) {
                let parameter = program.function(function).this_parameter;
                found.push(Argument { position: None, parameter, value: object });
            }
            Some((function, found, false))
        }
        _ => {
            let (function, object, operands) = operator_operands(program, call)?;
            let mut found = numbered(&program.function(function).parameters, &operands);
            if let Some(object) = object {
                let parameter = program.function(function).this_parameter;
                found.push(Argument { position: None, parameter, value: object });
            }
            Some((function, found, true))
        }
    }
}

/// What each slot may point to.
struct PointsTo<'a> {
    slots: BTreeMap<Slot, Targets>,
    /// What gives memory to host arrays in the layout of the class.
    host_allocations: &'a BTreeMap<ExprId, HostAllocation>,
}

impl<'a> PointsTo<'a> {
    fn new(
        program: &Program,
        flows: &[Flow],
        allocated: &BTreeSet<Slot>,
        host_allocations: &'a BTreeMap<ExprId, HostAllocation>,
    ) -> Self {
        let slots = allocated.iter().map(|slot| (*slot, Targets::ARRAY)).collect();
        let mut this = PointsTo { slots, host_allocations };
        let depth = |slot: Slot| {
            let ty = match slot {
                Slot::Variable(id) => program.variable(id).ty,
                Slot::Field(id) => program.field(id).ty,
                Slot::Result(id) => program.function(id).result,
            };
            let by_reference = matches!(program.types.kind(ty.id), TypeKind::Reference(to, _)
                if program.types.pointee(to.id).is_some());
            element_of(program, ty).map_or(0, |(_, depth)| depth) + u32::from(by_reference)
        };
        loop {
            let mut changed = false;
            let mut join = |this: &mut Self, slot: Slot, more: Targets| {
                let own = this.slots.entry(slot).or_default();
                let joined = own.join(more);
                changed |= *own != joined;
                *own = joined;
            };
            for flow in flows {
                let from = this.of(program, flow.from);
                join(&mut this, flow.to, from);
                // What is stored through a pointer to a pointer is stored in what it points to.
                if depth(flow.to) > 1 {
                    let mut at = program.strip_parens(flow.from);
                    if let ExprKind::AddressOf(inner) = program.expr(at).kind {
                        at = program.strip_parens(inner);
                    }
                    if let Some(slot) = slot_of(program, at) {
                        let back = this.slot(flow.to);
                        join(&mut this, slot, back);
                    }
                }
            }
            if !changed {
                return this;
            }
        }
    }

    fn slot(&self, slot: Slot) -> Targets {
        self.slots.get(&slot).copied().unwrap_or_default()
    }

    /// What a pointer, or the address of an element, may point to.
    fn of(&self, program: &Program, expr: ExprId) -> Targets {
        let mut stack = vec![expr];
        let mut found = Targets::default();
        while let Some(at) = stack.pop() {
            if self.host_allocations.contains_key(&at) {
                found = found.join(Targets::ARRAY);
                continue;
            }
            if let Some(object) = given_object(program, at) {
                stack.push(object);
                continue;
            }
            if let Some(element) = program.row_start(at) {
                stack.push(element);
                continue;
            }
            match &program.expr(at).kind {
                ExprKind::Paren(inner)
                | ExprKind::Cast { operand: inner, .. }
                | ExprKind::AddressOf(inner)
                | ExprKind::Deref(inner)
                | ExprKind::Index { base: inner, .. }
                | ExprKind::Unary(_, inner)
                | ExprKind::Comma(_, inner) => stack.push(*inner),
                ExprKind::Binary(_, left, right) => {
                    for side in [*left, *right] {
                        if element_of(program, program.expr(side).ty).is_some() {
                            stack.push(side);
                        }
                    }
                }
                ExprKind::Conditional(_, then, otherwise) => stack.extend([*then, *otherwise]),
                ExprKind::Assign(_, left, right) => stack.extend([*left, *right]),
                ExprKind::Null | ExprKind::Integer(Some(0)) => {}
                ExprKind::InitList(items) => stack.extend(items),
                ExprKind::Name(NameRef::Variable(variable)) => {
                    let ty = program.variable(*variable).ty;
                    let is_object = match *program.types.kind(ty.id) {
                        TypeKind::Record(_) => true,
                        TypeKind::Array(of, _) => Element::of_item(program, of).is_some(),
                        _ => false,
                    };
                    // Arrays at file scope in device memory are known from the start.
                    let known = self.slot(Slot::Variable(*variable));
                    found =
                        found.join(if is_object && !known.array { Targets::OTHER } else { known });
                }
                ExprKind::Member { field: Some(field), .. } => {
                    let depth = element_of(program, program.field(*field).ty);
                    found = found.join(match depth {
                        Some((_, depth)) if depth > 0 => self.slot(Slot::Field(*field)),
                        _ => Targets::OTHER,
                    });
                }
                ExprKind::Call { callee, arguments, .. } => {
                    let callee = super::calls::resolve_callee(program, *callee, arguments);
                    found = found.join(match callee {
                        Callee::Function(function) => self.slot(Slot::Result(function)),
                        Callee::Library(_) | Callee::Ambiguous(_) | Callee::Unknown => {
                            Targets::OTHER
                        }
                    });
                }
                ExprKind::Integer(_)
                | ExprKind::Literal
                | ExprKind::This
                | ExprKind::Name(_)
                | ExprKind::Member { field: None, .. }
                | ExprKind::Launch { .. }
                | ExprKind::MacroCall { .. }
                | ExprKind::SizeOfType { .. }
                | ExprKind::SizeOfExpr(_)
                | ExprKind::OffsetOf(_)
                | ExprKind::New { .. }
                | ExprKind::Delete(_)
                | ExprKind::Construct { .. }
                | ExprKind::Lambda { .. }
                | ExprKind::Opaque(_) => found = found.join(Targets::OTHER),
            }
        }
        found
    }
}

//! Classification: every use of a class is one that codegen rewrites, or pins the class.

mod algorithms;
mod capture;
mod element_copies;
mod elements;
mod grid_offsets;
mod inheritance;
mod member_addresses;
mod methods;
mod pointers;
mod same_array;
mod siblings;
mod slots;
mod symbols;
mod values;
mod ways;

pub use algorithms::classes_of_functor;
pub use element_copies::{ElementCopy, WideAccess};

use super::api::ApiCall;
use super::calls::{CallGraph, Callee, Context};
use super::direction::Direction;
use super::element::{Element, element_of};
use super::places::PlaceKind;
use super::single_object::SingleObjects;
use super::slots::is_reference;
use super::slots::{Slot, SlotGraph};
use super::unfollowed::{UnfollowedCalls, allocation_text};
use super::unify::{Flow, slot_of};
use super::{ClassId, Classes, FieldPath, Moves, Pin, Sizes};
use crate::catalogue::Api;
use crate::catalogue::{self, Effect};
use layoutc_diagnostics::{Code, Span};
use layoutc_syntax::{
    BinaryOp, CastStyle, DeclaratorSite, ExprId, ExprKind, FieldId, Function, FunctionId,
    FunctionSite, NameRef, Program, QualType, RecordId, RecordTrait, Storage, TypeKind, TypeTable,
    UnaryOp, VarId,
};
use member_addresses::MemberAddresses;
use same_array::Starts;
use std::borrow::Cow;
use std::collections::BTreeMap;
use ways::Ways;

/// Checks all uses and fills in pins, units and interior slots.
pub(super) fn classify(
    program: &Program,
    calls: &CallGraph,
    graph: &SlotGraph,
    flows: &[Flow],
    moves: Moves,
    classes: &mut Classes,
) {
    let api_of_call: BTreeMap<ExprId, usize> =
        classes.api_calls.iter().enumerate().map(|(at, api)| (api.call, at)).collect();
    let member_addresses = MemberAddresses::find(program, calls, classes);
    let mut this = Classifier {
        program,
        calls,
        classes,
        singles: SingleObjects::find(program, calls),
        member_addresses,
        starts: Starts::new(program, calls),
        api_of_call,
        pins: Vec::new(),
        units: Vec::new(),
        sizes: Sizes::collect(program),
        moves,
        captures: capture::Captures::new(program, calls),
        unfollowed: UnfollowedCalls::find(program),
    };
    this.interior_slots(flows);
    this.grid_offsets(flows);
    this.records();
    this.slots();
    this.shared_friends();
    this.flows(flows);
    for (left, right) in &graph.conflicts {
        for node in [*left, *right] {
            if let Some(class) = this.classes.class_of_node[node]
                && let Some(slot) = this.classes.class(class).slots.first().copied()
            {
                let span = slot_span(program, slot);
                this.pin(
                    class,
                    Code::INCOMPATIBLE_CAST,
                    span,
                    "a value of another type also reaches this pointer",
                );
            }
        }
    }
    for expr in program.expr_ids() {
        this.expression(expr);
    }
    for at in 0..this.classes.api_calls.len() {
        this.api_call(at);
    }
    let copied = super::lambdas::copied_references(program, |id| is_reference(program, id));
    for (id, span) in copied {
        if let Some(class) = this.classes.class_of_slot(Slot::Variable(id)) {
            let message = "the lambda holds a copy of the element that this refers to";
            this.pin(class, Code::LAMBDA, span, message);
        }
    }
    let Classifier { pins, units, .. } = this;
    let ways = Ways::new(program, flows, classes);
    for (class, mut pin) in pins {
        if pin.related.is_empty() {
            pin.related = ways.to(program, classes, class, pin.span);
        }
        classes.classes[class.index()].pins.push(pin);
    }
    for (class, path, span) in units {
        classes.classes[class.index()].units.entry(path).or_insert(span);
    }
}

/// Where a slot is declared.
pub(super) fn slot_span(program: &Program, slot: Slot) -> Span {
    match slot {
        Slot::Variable(id) => program.variable(id).site.name,
        Slot::Field(id) => program.field(id).site.name,
        Slot::Result(id) => program.function(id).sites[0].name,
    }
}

struct Classifier<'a> {
    program: &'a Program,
    calls: &'a CallGraph,
    classes: &'a mut Classes,
    singles: SingleObjects<'a>,
    member_addresses: MemberAddresses,
    starts: Starts,
    api_of_call: BTreeMap<ExprId, usize>,
    pins: Vec<(ClassId, Pin)>,
    units: Vec<(ClassId, FieldPath, Span)>,
    sizes: Sizes,
    moves: Moves,
    captures: capture::Captures,
    unfollowed: UnfollowedCalls,
}

impl Classifier<'_> {
    pub(super) fn pin(
        &mut self,
        class: ClassId,
        code: Code,
        span: Span,
        message: impl Into<String>,
    ) {
        self.pins.push((class, Pin { span, code, message: message.into(), related: Vec::new() }));
    }

    pub(super) fn span(&self, expr: ExprId) -> Span {
        self.program.expr(expr).span
    }

    pub(super) fn element_type(&self, class: ClassId) -> Element {
        self.classes.class(class).element
    }

    /// Whether pointers into the arrays may be moved, compared and subtracted, and point to one value.
    pub(super) fn may_move(&self, class: ClassId) -> bool {
        self.moves == Moves::Stay && self.element_type(class).is_leaf()
    }

    pub(super) fn element_name(&self, class: ClassId) -> Cow<'_, str> {
        self.element_type(class).name(self.program)
    }

    /// Whether a type is the record of the class's elements, by value.
    pub(super) fn is_element_type(&self, class: ClassId, ty: QualType) -> bool {
        let record = self.program.types.as_record(ty.id);
        record.is_some() && record == self.element_type(class).record()
    }

    /// Checks one expression's own use.
    pub(super) fn expression(&mut self, expr: ExprId) {
        if let Some((class, depth)) = self.classes.value(expr) {
            if depth == 1 {
                self.pointer(expr, class);
            } else {
                self.indirect(expr, class);
            }
        }
        match self.classes.place(expr).map(|(class, kind)| (class, kind.clone())) {
            Some((class, PlaceKind::Element)) => self.element(expr, class),
            Some((class, PlaceKind::Part(path))) => self.part(expr, class, &path),
            None => {}
        }
        match &self.program.expr(expr).kind {
            ExprKind::OffsetOf(of) => {
                self.pin_type(*of, Code::OFFSETOF, expr, "the offset of a member is used")
            }
            ExprKind::Launch { kernel, arguments, .. } => {
                let callee = self.calls.callee(self.program, *kernel, arguments);
                self.unresolved_call(&callee, arguments);
            }
            ExprKind::Call { callee, arguments, .. } => {
                let callee = self.calls.callee(self.program, *callee, arguments);
                self.unresolved_call(&callee, arguments);
            }
            ExprKind::AddressOf(operand) => self.hidden_address(expr, *operand),
            ExprKind::Name(NameRef::Functions(functions)) => {
                self.function_address(expr, functions.clone())
            }
            _ => {}
        }
    }

    pub(super) fn pin_type(&mut self, of: QualType, code: Code, expr: ExprId, message: &str) {
        let Some((element, _)) = element_of(self.program, of) else { return };
        for class in self.classes.ids() {
            if self.element_type(class) == element {
                self.pin(class, code, self.span(expr), message);
            }
        }
    }

    /// A call that may reach several functions, all of whose parameters then have unknown callers.
    pub(super) fn unresolved_call(&mut self, callee: &Callee, arguments: &[ExprId]) {
        if let Callee::Ambiguous(candidates) = callee {
            for candidate in candidates {
                if let Some(class) = self.classes.class_of_slot(Slot::Result(*candidate)) {
                    let span = slot_span(self.program, Slot::Result(*candidate));
                    self.pin(
                        class,
                        Code::AMBIGUOUS_NAME,
                        span,
                        "it is not clear which calls return this pointer",
                    );
                }
                let parameters = self.program.function(*candidate).parameters.clone();
                for (at, parameter) in parameters.into_iter().enumerate() {
                    if let (Some(class), Some(argument)) =
                        (self.classes.class_of_slot(Slot::Variable(parameter)), arguments.get(at))
                    {
                        self.pin(
                            class,
                            Code::AMBIGUOUS_NAME,
                            self.span(*argument),
                            "it is not clear which function this argument reaches",
                        );
                    }
                }
            }
        }
    }

    /// `&(c ? p[i].x : p[i].y)`, `&(p[i].x = 1)`, `&++p[i].x`: a member behind an lvalue expression.
    pub(super) fn hidden_address(&mut self, address: ExprId, operand: ExprId) {
        if self.singles.address(address) {
            return;
        }
        let mut stack = vec![operand];
        let mut is_direct = true;
        while let Some(at) = stack.pop() {
            if !is_direct && let Some((class, PlaceKind::Part(_))) = self.classes.place(at) {
                self.pin(
                    class,
                    Code::FIELD_ADDRESS,
                    self.span(address),
                    "the address of a member is taken",
                );
                return;
            }
            match self.program.expr(at).kind {
                ExprKind::Paren(inner) => stack.push(inner),
                ExprKind::Conditional(_, then, otherwise) => {
                    is_direct = false;
                    stack.extend([then, otherwise]);
                }
                ExprKind::Assign(_, inner, _)
                | ExprKind::Unary(_, inner)
                | ExprKind::Comma(_, inner) => {
                    is_direct = false;
                    stack.push(inner);
                }
                _ => {}
            }
        }
    }

    /// A function whose name is used other than to call it may be called with anything.
    pub(super) fn function_address(&mut self, expr: ExprId, functions: Vec<FunctionId>) {
        let mut at = expr;
        let called = loop {
            match self.calls.context(at) {
                Context::Operand(parent, position) => match &self.program.expr(parent).kind {
                    ExprKind::Paren(_) | ExprKind::AddressOf(_) | ExprKind::Cast { .. } => {
                        at = parent
                    }
                    ExprKind::Call { callee, arguments, .. } => {
                        if position == 0 {
                            break true;
                        }
                        let callee = self.calls.callee(self.program, *callee, arguments);
                        break matches!(callee, Callee::Library(name) if asks_about_kernel(&name));
                    }
                    ExprKind::Launch { .. } => break position == 0,
                    _ => break false,
                },
                Context::Dropped => break true,
                Context::Condition
                | Context::Init(_)
                | Context::Returned { .. }
                | Context::Range
                | Context::Assembly
                | Context::Opaque => {
                    break false;
                }
            }
        };
        if called {
            return;
        }
        for function in &functions {
            if let Some(class) = self.classes.class_of_slot(Slot::Result(*function)) {
                self.pin(
                    class,
                    Code::ESCAPING_POINTER,
                    self.span(expr),
                    "the function can be called through its address",
                );
            }
        }
        for function in functions {
            for parameter in self.program.function(function).parameters.clone() {
                if let Some(class) = self.classes.class_of_slot(Slot::Variable(parameter)) {
                    self.pin(
                        class,
                        Code::ESCAPING_POINTER,
                        self.span(expr),
                        "the function can be called through its address",
                    );
                }
            }
        }
    }
}

impl Classes {
    /// Whether an lvalue (or the address of one) names an interior slot.
    fn is_interior_expr(&self, program: &Program, expr: ExprId) -> bool {
        let mut at = expr;
        while let ExprKind::Paren(inner) | ExprKind::AddressOf(inner) | ExprKind::Deref(inner) =
            program.expr(at).kind
        {
            at = inner;
        }
        slot_of(program, at).is_some_and(|slot| self.is_interior(slot))
    }
}

/// Whether a pointer may point behind the first element of its array, or is an element (for a
/// reference that is bound to it).
pub(super) fn is_offset(
    program: &Program,
    classes: &Classes,
    expr: ExprId,
    interior: &std::collections::BTreeSet<Slot>,
) -> bool {
    let mut stack = vec![expr];
    while let Some(at) = stack.pop() {
        // A pointer to a member of the first element has an index as well.
        if program.row_start(at).is_some() {
            return true;
        }
        if let Some(object) = super::given_object(program, at) {
            if classes.place(object).is_some() {
                return true;
            }
            stack.push(object);
            continue;
        }
        match &program.expr(at).kind {
            ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. } => stack.push(*inner),
            ExprKind::Name(_) | ExprKind::Member { .. }
                if slot_of(program, at).is_some_and(|slot| interior.contains(&slot)) =>
            {
                return true;
            }
            ExprKind::Conditional(_, then, otherwise) => stack.extend([*then, *otherwise]),
            ExprKind::Assign(None, left, right) => stack.extend([*left, *right]),
            ExprKind::Assign(Some(_), ..) | ExprKind::Unary(..) => return true,
            ExprKind::Binary(..) if classes.value(at).is_some() => {
                return true;
            }
            ExprKind::AddressOf(operand) => {
                if classes.place(*operand).is_some() {
                    return true;
                }
                stack.push(*operand);
            }
            ExprKind::Deref(operand) | ExprKind::Index { base: operand, .. } => {
                if classes.place(at).is_some() {
                    return true;
                }
                stack.push(*operand);
            }
            ExprKind::Call { callee, arguments, .. } => {
                if let Callee::Function(function) =
                    super::resolve_callee(program, *callee, arguments)
                    && interior.contains(&Slot::Result(function))
                {
                    return true;
                }
                if program.algorithm(*callee, arguments).is_some_and(|own| own.gives().is_some()) {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// Whether a variable is a record, or an array of elements, and no pointer to any.
fn is_object(program: &Program, id: VarId) -> bool {
    let ty = program.variable(id).ty;
    match *program.types.kind(ty.id) {
        TypeKind::Record(_) => true,
        TypeKind::Array(of, _) => Element::of_item(program, of).is_some(),
        _ => false,
    }
}

/// The variable whose memory an address or element expression is.
fn root_variable(program: &Program, expr: ExprId) -> Option<VarId> {
    let mut at = expr;
    loop {
        at = match program.expr(at).kind {
            ExprKind::Paren(inner)
            | ExprKind::AddressOf(inner)
            | ExprKind::Deref(inner)
            | ExprKind::Cast { operand: inner, .. }
            | ExprKind::Binary(_, inner, _)
            | ExprKind::Index { base: inner, .. } => inner,
            ExprKind::Name(NameRef::Variable(id)) => return Some(id),
            _ => return None,
        };
    }
}

/// Runtime functions that take a kernel's name to ask or set something about it.
fn asks_about_kernel(name: &str) -> bool {
    catalogue::effect(name) == Some(Effect::AsksAboutKernel)
}

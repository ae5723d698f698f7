//! What each expression is with respect to arrays.
//!
//! A [`Place`] says that the expression *is* memory of an element: the element itself, or a part
//! of it. A [`Value`] says that it *holds* a pointer to elements. `boxes[i].first` can be both: a
//! part of a box, and a pointer into another array.

use super::FieldPath;
use super::calls::{CallGraph, Callee, Context, given_object};
use super::element::element_of;
use super::positions::{Position, Positions};
use super::slots::is_reference;
use super::slots::{Slot, SlotGraph};
use layoutc_syntax::{
    BinaryOp, ExprId, ExprKind, NameRef, Program, QualType, Space, Storage, TypeKind,
};

/// What part of an element a place is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlaceKind {
    /// The whole element.
    Element,
    /// The member at the end of the path, or an item of it if it is an array; a scalar or vector is
    /// its own part, and the path is empty.
    Part(FieldPath),
}

/// Memory of an element.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Node of the slot through which it is reached; the representative after unification.
    pub(super) node: usize,
    /// Which part.
    pub kind: PlaceKind,
}

/// A pointer to elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Value {
    /// Node of the slot it comes from; the representative after unification.
    pub(super) node: usize,
    /// Dereferences to an element: 1 for `T*`, 2 for `T**`.
    pub depth: u32,
}

/// Whether an expression stands where memory is asked for: an object whose member is named or that
/// is assigned to, or what a reference is bound to.
fn is_used_as_element(program: &Program, calls: &CallGraph, expr: ExprId) -> bool {
    match calls.context(expr) {
        Context::Init(variable) => is_reference(program, variable),
        Context::Operand(parent, position) => match &program.expr(parent).kind {
            ExprKind::Paren(_) => is_used_as_element(program, calls, parent),
            ExprKind::Conditional(..) => position > 0 && is_used_as_element(program, calls, parent),
            ExprKind::Member { arrow: false, .. } | ExprKind::AddressOf(_) => true,
            ExprKind::Assign(None, ..) => position == 0,
            ExprKind::Assign(Some(_), ..)
            | ExprKind::Binary(..)
            | ExprKind::Unary(..)
            | ExprKind::Index { .. } => program.operators.contains_key(&parent),
            ExprKind::Call { .. } if position == 0 => program.operators.contains_key(&parent),
            ExprKind::Call { callee, arguments, .. } => {
                match calls.callee(program, *callee, arguments) {
                    Callee::Function(function) => position
                        .checked_sub(1)
                        .and_then(|at| program.function(function).parameters.get(at))
                        .is_some_and(|parameter| is_reference(program, *parameter)),
                    Callee::Library(_) | Callee::Ambiguous(_) | Callee::Unknown => false,
                }
            }
            _ => false,
        },
        Context::Dropped
        | Context::Condition
        | Context::Returned { .. }
        | Context::Range
        | Context::Assembly
        | Context::Opaque => false,
    }
}

/// Whether an expression is a part of an object that stays whole: `v.x`, `v[0]`, `m[1].y` of an
/// [opaque](layoutc_syntax::opaque) `v` or `m`.
pub(super) fn is_inside_opaque(program: &Program, expr: ExprId) -> bool {
    let mut at = expr;
    loop {
        at = match program.expr(at).kind {
            ExprKind::Paren(inner) => inner,
            ExprKind::Member { base, arrow: false, field: None, .. }
            | ExprKind::Index { base, .. } => base,
            _ => return false,
        };
        if matches!(program.types.kind(program.expr(at).ty.id), TypeKind::Opaque(_)) {
            return true;
        }
    }
}

/// Places and values of all expressions.
#[derive(Clone, Debug)]
pub struct Places {
    places: Vec<Option<Place>>,
    values: Vec<Option<Value>>,
    positions: Positions,
}

impl Places {
    /// The place of an expression.
    #[must_use]
    pub fn place(&self, expr: ExprId) -> Option<&Place> {
        self.places[expr.index()].as_ref()
    }

    /// The value of an expression.
    #[must_use]
    pub fn value(&self, expr: ExprId) -> Option<Value> {
        self.values[expr.index()]
    }

    /// What `&u[e]` is made of, if it is a place in an array of numbers.
    #[must_use]
    pub fn position(&self, address: ExprId) -> Option<Position> {
        self.positions.of(address)
    }

    /// Whether an expression is the element in such an address: no access.
    #[must_use]
    pub fn is_in_position(&self, element: ExprId) -> bool {
        self.positions.holds(element)
    }

    /// One pass in arena order: operands come before the expressions that hold them.
    pub(super) fn compute(
        program: &Program,
        graph: &SlotGraph,
        calls: &CallGraph,
        positions: Positions,
    ) -> Places {
        let count = program.exprs.len();
        let mut this = Places { places: vec![None; count], values: vec![None; count], positions };
        for id in program.expr_ids() {
            let (place, value) = this.of(program, graph, calls, id);
            this.places[id.index()] = place;
            this.values[id.index()] = value;
        }
        this
    }

    /// Replaces nodes by their representatives.
    pub(super) fn resolve(&mut self, graph: &mut SlotGraph) {
        for place in self.places.iter_mut().flatten() {
            place.node = graph.find(place.node);
        }
        for value in self.values.iter_mut().flatten() {
            value.node = graph.find(value.node);
        }
    }

    fn of_slot(
        program: &Program,
        graph: &SlotGraph,
        slot: Slot,
        ty: QualType,
    ) -> (Option<Place>, Option<Value>) {
        let (Some(node), Some((_, depth))) = (graph.node(slot), element_of(program, ty)) else {
            return (None, None);
        };
        if depth == 0 {
            (Some(Place { node, kind: PlaceKind::Element }), None)
        } else {
            (None, Some(Value { node, depth }))
        }
    }

    /// Dereferences a pointer, or an array that is part of an element.
    fn dereferenced(&self, graph: &SlotGraph, operand: ExprId) -> (Option<Place>, Option<Value>) {
        if let Some(value) = self.value(operand) {
            return if value.depth == 1 {
                let kind = match graph.element(value.node).is_leaf() {
                    true => PlaceKind::Part(Vec::new()),
                    false => PlaceKind::Element,
                };
                (Some(Place { node: value.node, kind }), None)
            } else {
                (None, Some(Value { depth: value.depth - 1, ..value }))
            };
        }
        match self.place(operand) {
            Some(place) if matches!(place.kind, PlaceKind::Part(_)) => (Some(place.clone()), None),
            _ => (None, None),
        }
    }

    /// A pointer to an element, which is given as that or as a pointer to it.
    fn pointer_to(&self, element: ExprId) -> Option<Value> {
        let of_place = self
            .place(element)
            .filter(|place| place.kind == PlaceKind::Element)
            .map(|place| Value { node: place.node, depth: 1 });
        of_place.or_else(|| self.value(element).filter(|value| value.depth == 1))
    }

    /// `(c ? p[i] : q[j])` where it is used as the element that it is, not for its value.
    fn chosen(&self, program: &Program, calls: &CallGraph, id: ExprId) -> Option<Place> {
        let ExprKind::Conditional(_, then, otherwise) = program.expr(id).kind else { return None };
        let both = [then, otherwise].iter().all(|branch| self.is_reached(program, *branch));
        let place = self.place(then).filter(|_| both && is_used_as_element(program, calls, id));
        place.cloned()
    }

    /// `p[i].scale(2)` that gives `p[i]` back, where that is used.
    fn given(&self, program: &Program, calls: &CallGraph, id: ExprId) -> Option<Place> {
        let object = given_object(program, id)?;
        if calls.is_dropped(program, id) {
            return None;
        }
        if self.is_reached(program, object) {
            return self.place(object).cloned();
        }
        let value = self.value(object).filter(|value| value.depth == 1)?;
        // `q->scale(2)`; an array is an object of its own.
        let is_pointer = program.types.pointee(program.expr(object).ty.id).is_some()
            && !matches!(program.types.kind(program.expr(object).ty.id), TypeKind::Array(..));
        is_pointer.then_some(Place { node: value.node, kind: PlaceKind::Element })
    }

    /// Whether an expression is an element that is reached through a pointer or reference, no
    /// object of its own.
    fn is_reached(&self, program: &Program, expr: ExprId) -> bool {
        if !matches!(self.place(expr), Some(Place { kind: PlaceKind::Element, .. })) {
            return false;
        }
        match program.expr(program.strip_parens(expr)).kind {
            ExprKind::Index { base: pointer, .. } | ExprKind::Deref(pointer) => {
                match program.expr(program.strip_parens(pointer)).kind {
                    ExprKind::Name(NameRef::Variable(id)) => {
                        let variable = program.variable(id);
                        let is_array =
                            matches!(program.types.kind(variable.ty.id), TypeKind::Array(..));
                        let is_symbol = variable.function.is_none()
                            && matches!(variable.space, Space::Device | Space::Managed);
                        !is_array
                            || is_symbol
                            || matches!(variable.storage, Storage::Parameter { .. })
                    }
                    ExprKind::Member { field: Some(id), .. } => {
                        !matches!(program.types.kind(program.field(id).ty.id), TypeKind::Array(..))
                    }
                    _ => true,
                }
            }
            ExprKind::Name(NameRef::Variable(id)) => is_reference(program, id),
            ExprKind::Conditional(..) => true,
            ExprKind::Call { .. }
            | ExprKind::Assign(..)
            | ExprKind::Binary(..)
            | ExprKind::Unary(..) => given_object(program, program.strip_parens(expr)).is_some(),
            _ => false,
        }
    }

    fn of(
        &self,
        program: &Program,
        graph: &SlotGraph,
        calls: &CallGraph,
        id: ExprId,
    ) -> (Option<Place>, Option<Value>) {
        let none = (None, None);
        if self.positions.holds(id) || program.rows.inside.contains(&id) {
            return none;
        }
        let expr = program.expr(id);
        if let Some(element) = program.row_start(id) {
            return (None, self.pointer_to(element));
        }
        if let Some(place) = self.given(program, calls, id) {
            return (Some(place), None);
        }
        match &expr.kind {
            ExprKind::Name(NameRef::Variable(variable)) => Self::of_slot(
                program,
                graph,
                Slot::Variable(*variable),
                program.variable(*variable).ty,
            ),
            ExprKind::Paren(inner) => (self.place(*inner).cloned(), self.value(*inner)),
            // `r[k]` of an object calls a function.
            ExprKind::Index { .. } if program.operators.contains_key(&id) => none,
            ExprKind::Deref(operand) | ExprKind::Index { base: operand, .. } => {
                match program.row_of(*operand) {
                    Some(row) => (
                        self.value(*operand).map(|value| Place {
                            node: value.node,
                            kind: PlaceKind::Part(row.path.clone()),
                        }),
                        None,
                    ),
                    None => self.dereferenced(graph, *operand),
                }
            }
            ExprKind::AddressOf(_) if let Some(position) = self.positions.of(id) => {
                (None, self.value(position.base))
            }
            ExprKind::AddressOf(operand) => match (self.place(*operand), self.value(*operand)) {
                (Some(Place { node, kind: PlaceKind::Element }), _) => {
                    (None, Some(Value { node: *node, depth: 1 }))
                }
                // The address of a pointer, which may itself be part of an element of another array.
                (_, Some(value)) => (None, Some(Value { depth: value.depth + 1, ..value })),
                _ => none,
            },
            ExprKind::Member { base, arrow, field, .. } => {
                let container = if *arrow {
                    self.dereferenced(graph, *base).0
                } else {
                    self.place(*base).cloned()
                };
                let value = field.and_then(|field| {
                    Self::of_slot(program, graph, Slot::Field(field), program.field(field).ty).1
                });
                match (container, field) {
                    (Some(place), Some(field)) => {
                        let mut path = match place.kind {
                            PlaceKind::Element => Vec::new(),
                            PlaceKind::Part(path) => path,
                        };
                        path.push(*field);
                        (Some(Place { node: place.node, kind: PlaceKind::Part(path) }), value)
                    }
                    // A lane of a vector is inside the member.
                    (Some(place), None) => {
                        let lane = matches!(place.kind, PlaceKind::Part(_))
                            && matches!(
                                program.types.kind(program.expr(*base).ty.id),
                                TypeKind::Vector(_)
                                    | TypeKind::Pointer(_)
                                    | TypeKind::Named(..)
                                    | TypeKind::Opaque(_)
                            );
                        (lane.then_some(place), None)
                    }
                    (None, Some(field)) => {
                        Self::of_slot(program, graph, Slot::Field(*field), program.field(*field).ty)
                    }
                    (None, None) => none,
                }
            }
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, left, right) => {
                match (self.value(*left), self.value(*right)) {
                    (Some(value), None) | (None, Some(value)) => (None, Some(value)),
                    _ => none,
                }
            }
            ExprKind::Unary(op, operand) if op.is_update() => (None, self.value(*operand)),
            ExprKind::Assign(_, left, _) => (None, self.value(*left)),
            ExprKind::Comma(_, right) => (None, self.value(*right)),
            ExprKind::Conditional(_, then, otherwise) => {
                (self.chosen(program, calls, id), self.value(*then).or(self.value(*otherwise)))
            }
            ExprKind::Cast { target, operand, .. } => {
                // A pointer to another record has no meaning here, and its operand is judged.
                let target = element_of(program, *target).map(|(element, _)| element);
                let same = |value: &Value| target == Some(graph.element(value.node));
                (None, self.value(*operand).filter(same))
            }
            ExprKind::Call { callee, arguments, .. } => {
                match calls.callee(program, *callee, arguments) {
                    Callee::Function(function) => Self::of_slot(
                        program,
                        graph,
                        Slot::Result(function),
                        program.function(function).result,
                    ),
                    Callee::Library(name) => {
                        let given = super::operands::led_back(program, *callee, &name, arguments)
                            .filter(|_| element_of(program, expr.ty).is_some());
                        (None, given.and_then(|given| self.value(given)))
                    }
                    Callee::Ambiguous(_) | Callee::Unknown => none,
                }
            }
            ExprKind::Integer(_)
            | ExprKind::Literal
            | ExprKind::Null
            | ExprKind::This
            | ExprKind::Name(
                NameRef::Functions(_)
                | NameRef::Constant(_)
                | NameRef::Macro(_)
                | NameRef::Unknown(_),
            )
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Launch { .. }
            | ExprKind::MacroCall { .. }
            | ExprKind::SizeOfType { .. }
            | ExprKind::SizeOfExpr(_)
            | ExprKind::OffsetOf(_)
            | ExprKind::New { .. }
            | ExprKind::Delete(_)
            | ExprKind::InitList(_)
            | ExprKind::Construct { .. }
            | ExprKind::Lambda { .. }
            | ExprKind::Opaque(_) => none,
        }
    }
}

//! Whole elements that are copied by bytes, or as one vector.
//!
//! `memcpy(&a, &p[i], sizeof(T))` in device code is a load of the element, and
//! `*(float4 *)&p[i]` is one of an element that consists of four `float`s. Both have a form in
//! every layout, as long as what is moved is exactly one element.

use super::*;
use crate::catalogue::intrinsics::{self, AccessKind};
use layoutc_syntax::{VectorType, abi};

/// A `memcpy` of one element: what a side of it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ElementCopy {
    /// Where to.
    pub to: ExprId,
    /// Where from.
    pub from: ExprId,
}

/// An access to an element as one vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WideAccess {
    /// The pointer to elements behind the cast.
    pub pointer: ExprId,
    /// What is added to the pointer behind the cast.
    pub offset: Option<ExprId>,
    /// The vector.
    pub vector: VectorType,
    /// The value stored, for a store.
    pub stored: Option<ExprId>,
}

impl Classifier<'_> {
    /// Whether a pointer argument, behind casts, is a side of a copy of one element.
    pub(super) fn element_copy(&mut self, context: Context, class: ClassId) -> bool {
        let Context::Operand(call, position) = context else { return false };
        let program = self.program;
        let ExprKind::Call { callee, arguments, .. } = &program.expr(call).kind else {
            return false;
        };
        let &[to, from, size] = arguments.as_slice() else { return false };
        let is_memcpy = matches!(self.calls.callee(program, *callee, arguments),
            Callee::Library(name) if name == "memcpy" || name == "__builtin_memcpy");
        let Some(record) = self.element_type(class).record() else { return false };
        if !is_memcpy || !(1..=2).contains(&position) || !self.is_size_of(size, record) {
            return false;
        }
        let sides = [to, from].map(|side| super::super::operands::strip_casts(program, side));
        let points_to_record = |side: ExprId| {
            let ty = program.expr(side).ty;
            program.types.pointee(ty.id).and_then(|to| program.types.as_record(to.id))
                == Some(record)
        };
        let is_constant =
            program.types.pointee(program.expr(sides[0]).ty.id).is_some_and(|to| to.is_const);
        // The other side is an element of the class too, or an object that is no class's.
        let fits = |side: ExprId| {
            points_to_record(side)
                && self.classes.value(side).is_none_or(|found| found == (class, 1))
        };
        let is_native = self.classes.class(class).is_native;
        let may_access = self
            .calls
            .function(call)
            .is_some_and(|function| is_native || program.function(function).space.on_device());
        let fine = sides.into_iter().all(fits)
            && !is_constant
            && may_access
            && self.is_dropped(call)
            && program.record(record).traits.is_empty();
        if fine {
            let [to, from] = sides;
            self.classes.element_copies.insert(call, ElementCopy { to, from });
        }
        fine
    }

    /// Whether an expression is `sizeof` of the record or of something of that type.
    fn is_size_of(&self, size: ExprId, record: RecordId) -> bool {
        let of =
            match self.program.expr(super::super::operands::strip_casts(self.program, size)).kind {
                ExprKind::SizeOfType { of, is_align: false, .. } => of,
                ExprKind::SizeOfExpr(operand) => self.program.expr(operand).ty,
                _ => return false,
            };
        self.program.types.as_record(self.program.types.strip_reference(of).id) == Some(record)
    }

    /// Whether a pointer that is cast to a vector's is used to move one element as that vector.
    pub(super) fn wide_access(&mut self, pointer: ExprId, class: ClassId, cast: ExprId) -> bool {
        let program = self.program;
        let ty = program.expr(cast).ty;
        let Some(to) = program.types.pointee(ty.id) else { return false };
        let TypeKind::Vector(vector) = *program.types.kind(to.id) else { return false };
        if to.is_volatile || !self.is_vector_of(class, vector) {
            return false;
        }
        // Up to the lvalue, through one offset.
        let mut at = cast;
        let mut offset = None;
        let access = loop {
            let Context::Operand(parent, position) = self.calls.context(at) else { return false };
            match &program.expr(parent).kind {
                ExprKind::Paren(_) => at = parent,
                ExprKind::Binary(BinaryOp::Add, left, right) if offset.is_none() => {
                    offset = Some(if position == 0 { *right } else { *left });
                    at = parent;
                }
                ExprKind::Index { index, .. } if position == 0 && offset.is_none() => {
                    offset = Some(*index);
                    break parent;
                }
                ExprKind::Deref(_) => break parent,
                ExprKind::Call { callee, arguments, .. } if position == 1 => {
                    let callee = self.calls.callee(program, *callee, arguments);
                    let is_load = arguments.len() == 1
                        && matches!(callee, Callee::Library(name) if intrinsics::access(&name) == Some(AccessKind::Read));
                    if !is_load {
                        return false;
                    }
                    break parent;
                }
                _ => return false,
            }
        };
        let mut outer = access;
        while let Context::Operand(parent, _) = self.calls.context(outer)
            && matches!(program.expr(parent).kind, ExprKind::Paren(_))
        {
            outer = parent;
        }
        let is_load = matches!(program.expr(access).kind, ExprKind::Call { .. });
        let (access, stored) = match self.calls.context(outer) {
            Context::Operand(parent, 0)
                if !is_load && matches!(program.expr(parent).kind, ExprKind::Assign(None, ..)) =>
            {
                let ExprKind::Assign(_, _, right) = program.expr(parent).kind else { return false };
                if !self.is_dropped(parent) {
                    return false;
                }
                (parent, Some(right))
            }
            context if is_load || self.is_read(context, outer) => (access, None),
            _ => return false,
        };
        self.host_access(access, class);
        self.classes.wide_accesses.insert(access, WideAccess { pointer, offset, vector, stored });
        true
    }

    /// Whether an element is exactly the lanes of a vector, in order.
    fn is_vector_of(&self, class: ClassId, vector: VectorType) -> bool {
        let Some(id) = self.element_type(class).record() else { return false };
        let record = self.program.record(id);
        let types = &self.program.types;
        record.traits.is_empty()
            && record.fields.len() == usize::from(vector.lanes)
            && record.fields.iter().all(|field| {
                types.as_scalar(self.program.field(*field).ty.id) == Some(vector.scalar)
            })
            && abi::record_layout(self.program, id)
                .is_some_and(|layout| layout.size == vector.size())
    }

    /// Whether a vector lvalue is only read here.
    fn is_read(&self, context: Context, expr: ExprId) -> bool {
        let program = self.program;
        match context {
            Context::Init(variable) => !is_reference(program, variable),
            Context::Returned { in_lambda } => {
                !in_lambda
                    && self.calls.function(expr).is_some_and(|function| {
                        let result = program.function(function).result;
                        matches!(program.types.kind(result.id), TypeKind::Vector(_))
                    })
            }
            Context::Operand(parent, position) => match &program.expr(parent).kind {
                ExprKind::Paren(_) => self.is_read(self.calls.context(parent), parent),
                ExprKind::Assign(_, left, _) => position == 1 && *left != expr,
                // A lane, which must be read in turn.
                ExprKind::Member { arrow: false, methods, .. } => {
                    methods.is_empty() && self.is_read(self.calls.context(parent), parent)
                }
                ExprKind::Binary(..) => true,
                ExprKind::Unary(op, _) => !op.is_update(),
                ExprKind::Call { callee, arguments, .. } if position > 0 => {
                    match self.calls.callee(program, *callee, arguments) {
                        Callee::Function(function) => {
                            let parameters = &program.function(function).parameters;
                            parameters
                                .get(position - 1)
                                .is_some_and(|parameter| !is_reference(program, *parameter))
                        }
                        Callee::Library(_) | Callee::Ambiguous(_) | Callee::Unknown => false,
                    }
                }
                _ => false,
            },
            Context::Condition => true,
            Context::Dropped | Context::Range | Context::Assembly | Context::Opaque => false,
        }
    }
}

//! Objects of records in a thread's own memory: stacks, views and iterators that hold pointers and indices.
//!
//! Each member of a number or pointer that something was stored in is a variable of its own, a *slot*. What is
//! not stored within the kernel is a symbol, as any other member is.

use super::value::{Atom, Value};
use super::walk::Walk;
use layoutc_dataflow::classes::constructor_of;
use layoutc_syntax::{ExprId, ExprKind, FieldId, NameRef, Space, TypeKind, VarId};
use std::collections::BTreeMap;

/// The slots of all objects. They have numbers behind those of the program's variables.
#[derive(Debug, Default)]
pub(super) struct Slots {
    of: BTreeMap<(VarId, FieldId), VarId>,
}

impl Slots {
    /// The slot of a member; members of members have slots of slots.
    fn slot(&mut self, object: VarId, field: FieldId) -> VarId {
        let next = VarId(u32::MAX - self.of.len() as u32);
        *self.of.entry((object, field)).or_insert(next)
    }

    /// All that is known of an object: the members, and their slots.
    fn members(&self, object: VarId) -> Vec<(FieldId, VarId)> {
        let last = FieldId(u32::MAX);
        let own = self.of.range((object, FieldId(0))..=(object, last));
        own.map(|((_, field), slot)| (*field, *slot)).collect()
    }

    /// All slots.
    pub(super) fn all(&self) -> impl Iterator<Item = VarId> {
        self.of.values().copied()
    }
}

impl Walk<'_> {
    /// The object that an expression is, if it lies in the thread's own memory.
    pub(super) fn object(&mut self, expr: ExprId) -> Option<VarId> {
        let program = self.program;
        let expr = program.strip_parens(expr);
        if self.classes.place(expr).is_some() {
            return None;
        }
        match &program.expr(expr).kind {
            ExprKind::Name(NameRef::Variable(id)) => {
                let variable = program.variable(*id);
                if let Some(Atom::Object(object)) = self.known(*id) {
                    return Some(object);
                }
                let is_record = matches!(program.types.kind(variable.ty.id), TypeKind::Record(_));
                (is_record && variable.space == Space::Default).then_some(*id)
            }
            ExprKind::Member { base, arrow, field: Some(field), .. } => {
                let is_record =
                    matches!(program.types.kind(program.field(*field).ty.id), TypeKind::Record(_));
                let object = self.base_object(*base, *arrow).filter(|_| is_record)?;
                Some(self.slots.slot(object, *field))
            }
            ExprKind::Deref(pointer) => self.pointed_object(*pointer),
            ExprKind::Cast { operand, .. } => self.object(*operand),
            _ => None,
        }
    }

    /// The object whose member `base.m` or `base->m` is.
    pub(super) fn base_object(&mut self, base: ExprId, arrow: bool) -> Option<VarId> {
        if arrow { self.pointed_object(base) } else { self.object(base) }
    }

    /// The object that a pointer points to.
    fn pointed_object(&mut self, pointer: ExprId) -> Option<VarId> {
        let program = self.program;
        match &program.expr(program.strip_parens(pointer)).kind {
            ExprKind::This => self.this,
            ExprKind::Name(NameRef::Variable(id)) => match self.known(*id) {
                Some(Atom::Object(object)) => Some(object),
                _ => None,
            },
            ExprKind::AddressOf(inner) => self.object(*inner),
            ExprKind::Cast { operand, .. } => self.pointed_object(*operand),
            _ => None,
        }
    }

    fn known(&self, id: VarId) -> Option<Atom> {
        self.values.get(&id).and_then(Value::as_atom).copied()
    }

    /// What was stored in a member.
    pub(super) fn stored(&mut self, object: VarId, field: FieldId) -> Option<Value> {
        let slot = self.slots.slot(object, field);
        self.values.get(&slot).cloned()
    }

    /// Stores a value in a member.
    pub(super) fn store_member(&mut self, object: VarId, field: FieldId, value: Value) {
        let slot = self.slots.slot(object, field);
        self.values.insert(slot, value);
    }

    /// Nothing is known of an object any more.
    pub(super) fn forget(&mut self, object: VarId) {
        for (_, slot) in self.slots.members(object) {
            self.values.remove(&slot);
            self.forget(slot);
        }
    }

    /// An object becomes what another one is.
    pub(super) fn copy_object(&mut self, from: VarId, to: VarId) {
        if from == to {
            return;
        }
        self.forget(to);
        for (field, slot) in self.slots.members(from) {
            let own = self.slots.slot(to, field);
            if let Some(value) = self.values.get(&slot).cloned() {
                self.values.insert(own, value);
            }
            self.copy_object(slot, own);
        }
    }

    /// A new object begins with what an expression says; false: that has no members to store one by one.
    pub(super) fn initialize(&mut self, id: VarId, init: ExprId) -> bool {
        let program = self.program;
        let init = program.strip_parens(init);
        match &program.expr(init).kind {
            ExprKind::InitList(items) => {
                let Some(record) = program.as_record(program.variable(id).ty.id) else {
                    return false;
                };
                for (at, item) in items.iter().enumerate() {
                    let value = self.value(*item);
                    if let Some(field) = program.record(record).fields.get(at) {
                        self.store_member(id, *field, value);
                    }
                }
                self.values.remove(&id);
                true
            }
            ExprKind::Construct { of, arguments } => {
                let Some(constructor) = constructor_of(program, *of, arguments) else {
                    return false;
                };
                self.values.remove(&id);
                let given = self.given(constructor, arguments);
                self.run(constructor, given, Some(id));
                true
            }
            _ => {
                if let Some(from) = self.object(init) {
                    self.copy_object(from, id);
                }
                false
            }
        }
    }
}

//! Records with handles that lists of values fill.

use super::handles::{Follow, Key, handle_of};
use crate::classes::calls::{Callee, Context};
use crate::classes::carriers::fills_fields;
use crate::classes::classify::is_null;
use layoutc_diagnostics::Code;
use layoutc_syntax::{ExprId, ExprKind, FieldId, Program, QualType, RecordId, TypeKind};

/// How deep records are looked into.
const DEPTH: usize = 16;

/// The record that a type is made of, behind arrays.
fn record_within(program: &Program, ty: QualType) -> Option<RecordId> {
    let mut ty = ty;
    while let TypeKind::Array(of, _) | TypeKind::Reference(of, _) = *program.types.kind(ty.id) {
        ty = of;
    }
    program.as_record(ty.id)
}

/// The handles in objects of a record.
fn handle_fields(program: &Program, record: RecordId, depth: usize) -> Vec<FieldId> {
    let Some(depth) = depth.checked_sub(1) else { return Vec::new() };
    let mut found = Vec::new();
    for field in &program.record(record).fields {
        let ty = program.field(*field).ty;
        match record_within(program, ty) {
            Some(inner) => found.extend(handle_fields(program, inner, depth)),
            None if handle_of(program, ty).is_some() => found.push(*field),
            None => {}
        }
    }
    found
}

/// Whether objects of a record hold handles.
pub(super) fn holds_handles(program: &Program, record: RecordId) -> bool {
    !handle_fields(program, record, DEPTH).is_empty()
}

impl Follow<'_> {
    /// A list, or a construction, that makes an object of a record of the program.
    pub(super) fn listed(&mut self, at: Option<usize>, id: ExprId) {
        let program = self.program;
        let (items, ty) = match &program.expr(id).kind {
            ExprKind::InitList(items) => (items, self.type_of_list(at, id)),
            ExprKind::Construct { of, arguments } => (arguments, Some(*of)),
            _ => return,
        };
        let Some(record) = ty.and_then(|ty| record_within(program, ty)) else { return };
        let is_array =
            ty.is_some_and(|ty| matches!(program.types.kind(ty.id), TypeKind::Array(..)));
        match is_array {
            true => items.iter().for_each(|item| self.object(at, record, *item)),
            false => self.object_of(at, record, id, items),
        }
    }

    /// The type that a list is of, from what is around it.
    fn type_of_list(&self, at: Option<usize>, id: ExprId) -> Option<QualType> {
        let program = self.program;
        match self.calls.context(id) {
            Context::Init(variable) => Some(program.variable(variable).ty),
            Context::Returned { .. } => Some(program.function(self.frames[at?].function).result),
            Context::Operand(parent, position) => match &program.expr(parent).kind {
                ExprKind::Cast { target, .. } => Some(*target),
                ExprKind::Assign(None, left, _) => Some(program.expr(*left).ty),
                ExprKind::Call { callee, arguments, .. } => {
                    match self.calls.callee(program, *callee, arguments) {
                        Callee::Function(function) => {
                            let parameters = &program.function(function).parameters;
                            let id = parameters.get(position.checked_sub(1)?)?;
                            Some(program.variable(*id).ty)
                        }
                        Callee::Library(_) | Callee::Ambiguous(_) | Callee::Unknown => None,
                    }
                }
                // A part of a list is looked at with the whole.
                _ => None,
            },
            Context::Dropped
            | Context::Condition
            | Context::Range
            | Context::Opaque
            | Context::Assembly => None,
        }
    }

    /// One item that fills an object of the record.
    fn object(&mut self, at: Option<usize>, record: RecordId, item: ExprId) {
        match &self.program.expr(item).kind {
            ExprKind::InitList(inner) => self.object_of(at, record, item, inner),
            // Another object of the record, whose members are the same.
            _ if record_within(self.program, self.program.expr(item).ty) == Some(record) => {}
            _ if is_null(self.program, item) => {}
            _ => self.fail_members(record, item),
        }
    }

    fn object_of(&mut self, at: Option<usize>, record: RecordId, list: ExprId, items: &[ExprId]) {
        let program = self.program;
        let is_copy =
            |item: &ExprId| record_within(program, program.expr(*item).ty) == Some(record);
        if items.iter().all(|item| is_null(program, *item))
            || matches!(items, [one] if is_copy(one))
        {
            return;
        }
        if !fills_fields(program, record, items) {
            self.fail_members(record, list);
            return;
        }
        for (field, item) in program.record(record).fields.iter().zip(items) {
            let ty = program.field(*field).ty;
            match (record_within(program, ty), handle_of(program, ty)) {
                (Some(inner), _) => match (program.types.kind(ty.id), &program.expr(*item).kind) {
                    (TypeKind::Array(..), ExprKind::InitList(parts)) => {
                        parts.iter().for_each(|part| self.object(at, inner, *part));
                    }
                    _ => self.object(at, inner, *item),
                },
                // The item itself is judged where it stands.
                (None, Some(handle)) => {
                    let to = self.node_of_key(Key::Field(*field), handle);
                    self.flow(at, to, *item);
                }
                (None, None) => {}
            }
        }
    }

    fn fail_members(&mut self, record: RecordId, list: ExprId) {
        for field in handle_fields(self.program, record, DEPTH) {
            if let Some(handle) = handle_of(self.program, self.program.field(field).ty) {
                let node = self.node_of_key(Key::Field(field), handle);
                let message = "it cannot be seen which handle the members get here";
                self.fail(node, list, Code::UNKNOWN_MEMORY, message);
            }
        }
    }
}

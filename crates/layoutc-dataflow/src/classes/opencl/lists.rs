//! Records with handles that lists of values fill.

use super::handles::{Follow, Handle, Key, handle_of};
use crate::classes::calls::{Callee, Context};
use crate::classes::carriers::fills_fields;
use crate::classes::operands::is_null;
use layoutc_diagnostics::Code;
use layoutc_syntax::{
    ExprId, ExprKind, FieldId, Program, QualType, RecordId, RecordTrait, TypeKind,
};

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

/// Whether a list of values fills the members of a record one by one: no constructor has a say.
pub(super) fn is_aggregate(program: &Program, record: RecordId) -> bool {
    let own = program.record(record);
    own.instance.is_none()
        && !own.has_defaulted
        && own.bodiless == 0
        && own.traits.iter().all(|(which, _)| match which {
            RecordTrait::Union
            | RecordTrait::Bases
            | RecordTrait::Virtual
            | RecordTrait::Constructor
            | RecordTrait::Initializer
            | RecordTrait::CopyControl
            | RecordTrait::Private
            | RecordTrait::Template
            | RecordTrait::Unmodelled => false,
            RecordTrait::BitField
            | RecordTrait::Destructor
            | RecordTrait::Methods
            | RecordTrait::NestedType
            | RecordTrait::Packed
            | RecordTrait::ConstMember
            // Looked at one by one.
            | RecordTrait::UnknownMember => true,
        })
}

/// Whether an item of a list fills a member of this type and nothing behind it: an aggregate of a library may take several,
/// if its braces are left out.
fn takes_one_item(program: &Program, ty: QualType) -> bool {
    match program.types.kind(ty.id) {
        TypeKind::Scalar(_)
        | TypeKind::Enum(..)
        | TypeKind::Pointer(_)
        | TypeKind::Reference(..)
        // These need braces of their own.
        | TypeKind::Array(..)
        | TypeKind::Record(_) => true,
        TypeKind::Named(name, _) => crate::classes::lists::is_opencl_handle(name),
        TypeKind::Unknown
        | TypeKind::Void
        | TypeKind::Vector(_)
        | TypeKind::Function
        | TypeKind::Opaque(_)
        | TypeKind::TemplateParameter(_) => false,
    }
}

/// The type of what an item of a list fills, in a list for an object of this type.
fn item_type(
    program: &Program,
    ty: QualType,
    items: &[ExprId],
    position: usize,
) -> Option<QualType> {
    match *program.types.kind(ty.id) {
        TypeKind::Reference(of, _) => item_type(program, of, items, position),
        // In arrays of arrays braces may be left out.
        TypeKind::Array(of, _) => {
            let is_nested = matches!(program.types.kind(of.id), TypeKind::Array(..));
            (!is_nested).then_some(of)
        }
        _ => {
            let record = program.as_record(ty.id)?;
            let mut fields = program.record(record).fields.iter().take(items.len());
            let is_filled = is_aggregate(program, record)
                && fills_fields(program, record, items)
                && fields.all(|field| takes_one_item(program, program.field(*field).ty));
            let field = program.record(record).fields.get(position).filter(|_| is_filled)?;
            Some(program.field(*field).ty)
        }
    }
}

impl Follow<'_> {
    /// Whether the item at a position of a list becomes a handle of this kind; the flow is looked at with the list.
    pub(super) fn is_item_of_handles(
        &self,
        at: Option<usize>,
        list: ExprId,
        position: usize,
        handle: Handle,
    ) -> bool {
        let (items, ty) = match &self.program.expr(list).kind {
            ExprKind::InitList(items) => (items, self.type_of_part(at, list, 0)),
            ExprKind::Construct { of, arguments } => (arguments, Some(*of)),
            _ => return false,
        };
        ty.and_then(|ty| item_type(self.program, ty, items, position))
            .is_some_and(|ty| handle_of(self.program, ty) == Some(handle))
    }

    /// The type of the object that a list, or a part of one, fills.
    fn type_of_part(&self, at: Option<usize>, list: ExprId, depth: usize) -> Option<QualType> {
        let program = self.program;
        let found = match self.calls.context(list) {
            Context::Operand(parent, position) => match &program.expr(parent).kind {
                ExprKind::InitList(items) if depth < DEPTH => {
                    let ty = self.type_of_part(at, parent, depth + 1)?;
                    item_type(program, ty, items, position)
                }
                ExprKind::Construct { of, arguments } => {
                    item_type(program, *of, arguments, position)
                }
                _ => self.type_of_list(at, list),
            },
            // What a lambda returns is not what the function around it does.
            Context::Returned { in_lambda: true } => None,
            _ => self.type_of_list(at, list),
        }?;
        // `T{…}` says itself what it is.
        let own = program.as_record(program.expr(list).ty.id);
        let is_it = own.is_none() || own == record_within(program, found);
        is_it.then_some(found)
    }

    /// Whether making an object of a record runs a constructor of the program, and all of them are followed: handles that
    /// they are given are arguments of functions that anybody may call.
    fn has_constructors(&self, record: RecordId) -> bool {
        let own = self.program.record(record);
        let mut written = own
            .methods
            .iter()
            .filter(|id| {
                let function = self.program.function(**id);
                let is_ours = function.is_defaulted || function.is_deleted;
                function.name == own.name && (function.body.is_some() || !is_ours)
            })
            .peekable();
        written.peek().is_some()
            && own.bodiless == 0
            && own.bases.is_empty()
            && !own.unmodelled_members.contains(&own.name)
            && written.all(|id| self.functions.exprs.contains_key(id))
    }

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
        if !is_array && self.has_constructors(record) {
            return;
        }
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
                    let mut parts = vec![*item];
                    while let Some(part) = parts.pop() {
                        match &program.expr(part).kind {
                            ExprKind::InitList(inner) => parts.extend(inner),
                            _ => self.flow(at, to, part),
                        }
                    }
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

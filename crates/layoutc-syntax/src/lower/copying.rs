//! Copy constructors and assignments that do what the compiler's own would do.

use super::Lowering;
use crate::program::{
    BinaryOp, ExecutionSpace, ExprId, ExprKind, FieldId, FunctionId, NameRef, RecordId,
    RecordTrait, StmtId, StmtKind, VarId,
};
use crate::types::TypeKind;
use layoutc_diagnostics::Span;
use std::collections::BTreeSet;

/// A copy constructor or assignment of the record that is being lowered.
pub(super) struct Copying {
    record: RecordId,
    function: FunctionId,
    /// Where it is declared.
    span: Span,
    /// What it is otherwise.
    other: RecordTrait,
}

impl Lowering<'_> {
    /// Notes a copy constructor or assignment whose body is lowered later; `other` is what it is for
    /// the record if it is nothing special.
    pub(super) fn note_copying(
        &mut self,
        record: RecordId,
        function: FunctionId,
        span: Span,
        other: RecordTrait,
    ) {
        self.copying.push(Copying { record, function, span, other });
    }

    /// Says of a record whose member functions are lowered whether it is copied in its own way.
    pub(super) fn copy_control(&mut self, id: RecordId) {
        let (own, others) =
            std::mem::take(&mut self.copying).into_iter().partition(|own| own.record == id);
        self.copying = others;
        let own: Vec<Copying> = own;
        for Copying { function, span, other, .. } in own {
            let is_plain = self.copies_each_member(id, function);
            self.record_trait(id, if is_plain { other } else { RecordTrait::CopyControl }, span);
        }
    }

    /// Whether a function assigns each member from the same one of its parameter, and does nothing
    /// else. It is called by what is generated, on both sides.
    fn copies_each_member(&self, id: RecordId, function: FunctionId) -> bool {
        let (record, own) = (self.program.record(id), self.program.function(function));
        let ([parameter], Some(body)) = (&own.parameters[..], own.body) else { return false };
        let ty = self.program.variable(*parameter).ty;
        let is_reference = matches!(*self.program.types.kind(ty.id), TypeKind::Reference(to, _)
            if self.program.types.as_record(to.id) == Some(id));
        let is_known = own.space == ExecutionSpace::HostDevice
            && own.sites.len() == 1
            && is_reference
            && record.bases.is_empty();
        let mut copied = BTreeSet::new();
        is_known
            && self.only_copies(body, *parameter, &mut copied)
            && record.fields.iter().all(|field| copied.contains(field))
    }

    fn only_copies(&self, statement: StmtId, other: VarId, copied: &mut BTreeSet<FieldId>) -> bool {
        match &self.program.stmt(statement).kind {
            StmtKind::Block(inner) => inner.iter().enumerate().all(|(at, inner_statement)| {
                let is_last = at + 1 == inner.len();
                let is_return =
                    matches!(self.program.stmt(*inner_statement).kind, StmtKind::Return(_));
                (is_last || !is_return) && self.only_copies(*inner_statement, other, copied)
            }),
            StmtKind::Expr(None) => true,
            StmtKind::Expr(Some(expr)) => {
                self.copied_member(*expr, other).is_some_and(|field| copied.insert(field))
            }
            StmtKind::Return(Some(value)) => {
                let value = self.program.strip_parens(*value);
                matches!(self.program.expr(value).kind, ExprKind::Deref(of) if self.is_this(of))
            }
            // `if (this != &other)`: an object that is assigned to itself keeps its members.
            StmtKind::If { init: None, condition: Some(condition), then, otherwise: None } => {
                let condition = self.program.strip_parens(*condition);
                let ExprKind::Binary(BinaryOp::Ne, left, right) = self.program.expr(condition).kind
                else {
                    return false;
                };
                let is_test = (self.is_this(left) && self.is_address_of(right, other))
                    || (self.is_this(right) && self.is_address_of(left, other));
                let returns = matches!(self.program.stmt(*then).kind, StmtKind::Return(_));
                is_test && !returns && self.only_copies(*then, other, copied)
            }
            _ => false,
        }
    }

    /// The member that `member = other.member` copies, if it is no object or array.
    fn copied_member(&self, expr: ExprId, other: VarId) -> Option<FieldId> {
        let program = &self.program;
        let ExprKind::Assign(None, left, right) = program.expr(program.strip_parens(expr)).kind
        else {
            return None;
        };
        let member = |of: ExprId| match program.expr(program.strip_parens(of)).kind {
            ExprKind::Member { base, arrow, field: Some(field), .. } => Some((base, arrow, field)),
            _ => None,
        };
        let (object, is_pointer, to) = member(left)?;
        let (source, from_pointer, from) = member(right)?;
        let source = program.strip_parens(source);
        let is_other = matches!(&program.expr(source).kind,
            ExprKind::Name(NameRef::Variable(id)) if *id == other);
        let is_value = matches!(
            program.types.kind(program.field(to).ty.id),
            TypeKind::Scalar(_)
                | TypeKind::Vector(_)
                | TypeKind::Opaque(_)
                | TypeKind::Enum(..)
                | TypeKind::Pointer(_)
        );
        (is_pointer && self.is_this(object) && !from_pointer && is_other && is_value && from == to)
            .then_some(to)
    }

    fn is_this(&self, expr: ExprId) -> bool {
        matches!(self.program.expr(self.program.strip_parens(expr)).kind, ExprKind::This)
    }

    fn is_address_of(&self, expr: ExprId, variable: VarId) -> bool {
        let ExprKind::AddressOf(of) = self.program.expr(self.program.strip_parens(expr)).kind
        else {
            return false;
        };
        matches!(&self.program.expr(self.program.strip_parens(of)).kind,
            ExprKind::Name(NameRef::Variable(id)) if *id == variable)
    }
}

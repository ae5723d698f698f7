//! Whether an expression has one value before and behind a part of the text.

use super::Merging;
use crate::catalogue;
use crate::classes::{Callee, record_of, resolve_callee};
use crate::grid::facts::{Changes, only_reads_numbers};
use layoutc_diagnostics::Span;
use layoutc_syntax::{
    BinaryOp, ExprId, ExprKind, FieldId, FunctionId, NameRef, QualType, RecordId, RecordTrait,
    Space, TypeKind, VarId,
};
use std::collections::BTreeSet;

impl Merging<'_> {
    /// Whether an integer expression keeps its value while `between` is executed.
    pub(super) fn is_stable(&self, expr: ExprId, between: Span) -> bool {
        let is_each =
            |children: &[ExprId]| children.iter().all(|child| self.is_stable(*child, between));
        match &self.program.expr(expr).kind {
            ExprKind::Integer(_)
            | ExprKind::Literal
            | ExprKind::Null
            | ExprKind::SizeOfType { .. }
            // Not evaluated.
            | ExprKind::SizeOfExpr(_)
            | ExprKind::OffsetOf(_)
            | ExprKind::Name(NameRef::Constant(_)) => true,
            ExprKind::Name(NameRef::Variable(id)) => self.is_stable_variable(*id, between),
            ExprKind::Name(NameRef::Macro(name)) => self.program.macro_constant(name).is_some(),
            ExprKind::Paren(inner) => is_each(&[*inner]),
            ExprKind::Cast { operand, .. } => is_each(&[*operand]),
            ExprKind::Unary(op, inner) => !op.is_update() && is_each(&[*inner]),
            ExprKind::Binary(_, left, right) => {
                !self.program.operators.contains_key(&expr) && is_each(&[*left, *right])
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                is_each(&[*condition, *then, *otherwise])
            }
            ExprKind::Member { field: Some(_), .. } => self.is_stable_place(expr, between),
            ExprKind::Name(NameRef::Functions(_) | NameRef::Unknown(_))
            | ExprKind::This
            | ExprKind::Member { field: None, .. }
            | ExprKind::Deref(_)
            | ExprKind::AddressOf(_)
            | ExprKind::Assign(..)
            | ExprKind::Comma(..)
            | ExprKind::Index { .. }
            | ExprKind::Call { .. }
            | ExprKind::Launch { .. }
            | ExprKind::MacroCall { .. }
            | ExprKind::New { .. }
            | ExprKind::Delete(_)
            | ExprKind::InitList(_)
            | ExprKind::Construct { .. }
            | ExprKind::Lambda { .. }
            | ExprKind::Opaque(_) => false,
        }
    }

    /// Whether a variable, or a member of an object, is the same object with the same value behind `between`; the value
    /// of a pointer into a merged array is looked at elsewhere.
    pub(super) fn is_stable_place(&self, expr: ExprId, between: Span) -> bool {
        match self.program.expr(expr).kind {
            ExprKind::Paren(inner) => self.is_stable_place(inner, between),
            ExprKind::Name(NameRef::Variable(id)) => {
                self.value(expr).is_some() || self.is_stable_variable(id, between)
            }
            ExprKind::This => true,
            ExprKind::Member { base, arrow, field: Some(field), .. } => {
                let is_object = match self.program.expr(self.program.strip_parens(base)).kind {
                    // The object stays where it is, whatever becomes of its members.
                    ExprKind::Name(NameRef::Variable(id)) if !arrow => !self.is_reference(id),
                    ExprKind::Name(NameRef::Variable(_)) | ExprKind::Member { .. } => {
                        self.is_stable_place(base, between)
                    }
                    ExprKind::This => true,
                    _ => false,
                };
                is_object && self.is_stable_field(field, between)
            }
            _ => false,
        }
    }

    pub(super) fn is_reference(&self, id: VarId) -> bool {
        let ty = self.program.variable(id).ty;
        matches!(self.program.types.kind(ty.id), TypeKind::Reference(..))
    }

    fn is_stable_variable(&self, id: VarId, between: Span) -> bool {
        if self.changes.is_constant_in(id, &[between]) {
            return true;
        }
        let variable = self.program.variable(id);
        let is_global = variable.function.is_none()
            && variable.space == Space::Default
            && !variable.ty.is_volatile
            && !self.is_reference(id)
            && !self.is_exposed(id);
        let assigns = |expr: ExprId| match self.program.expr(expr).kind {
            ExprKind::Assign(_, left, _) => self.names(left, id),
            ExprKind::Unary(op, operand) => op.is_update() && self.names(operand, id),
            _ => false,
        };
        is_global && self.executed(between).is_some_and(|exprs| !exprs.into_iter().any(assigns))
    }

    /// Everything that is executed between two statements: the text between them, and the functions that it
    /// calls; `None` if that is not known.
    fn executed(&self, between: Span) -> Option<Vec<ExprId>> {
        let mut found: Vec<ExprId> = self
            .program
            .expr_ids()
            .filter(|expr| between.contains(self.program.expr_site(*expr)))
            .collect();
        let mut seen: BTreeSet<FunctionId> = BTreeSet::new();
        let mut next = 0;
        while let Some(expr) = found.get(next).copied() {
            next += 1;
            let is_hidden = matches!(
                self.program.expr(expr).kind,
                ExprKind::MacroCall { .. } | ExprKind::Opaque(_) | ExprKind::Lambda { .. }
            );
            if is_hidden || self.calls_unknown(expr) {
                return None;
            }
            for function in self.called(expr) {
                self.program.function(function).body?;
                if seen.insert(function) {
                    found.extend(self.program.function_parts(function).exprs);
                }
            }
        }
        Some(found)
    }

    fn calls_unknown(&self, expr: ExprId) -> bool {
        match &self.program.expr(expr).kind {
            ExprKind::Call { callee, arguments, .. } => matches!(
                resolve_callee(self.program, *callee, arguments),
                Callee::Unknown | Callee::Ambiguous(_)
            ),
            _ => false,
        }
    }

    /// Whether an lvalue may be this variable.
    fn names(&self, expr: ExprId, id: VarId) -> bool {
        match self.program.expr(expr).kind {
            ExprKind::Name(NameRef::Variable(own)) => own == id,
            ExprKind::Paren(inner)
            | ExprKind::Comma(_, inner)
            | ExprKind::Assign(_, inner, _)
            | ExprKind::Unary(_, inner)
            | ExprKind::Cast { operand: inner, .. } => self.names(inner, id),
            ExprKind::Conditional(_, then, otherwise) => {
                self.names(then, id) || self.names(otherwise, id)
            }
            _ => false,
        }
    }

    /// Whether something else than its name may change a variable.
    fn is_exposed(&self, id: VarId) -> bool {
        Changes::unmodelled(self.program).contains(self.program.variable(id).name.as_str())
            || self.has_other_names(&|expr| self.names(expr, id))
    }

    /// Whether something can be changed by another name than its own: a pointer, a reference, or what a
    /// library makes of it.
    fn has_other_names(&self, is_it: &dyn Fn(ExprId) -> bool) -> bool {
        let any = |exprs: &[ExprId]| exprs.iter().any(|expr| is_it(*expr));
        let is_referred = self.program.variable_ids().any(|other| {
            self.is_reference(other) && self.program.variable(other).init.is_some_and(is_it)
        });
        is_referred
            || self.program.expr_ids().any(|expr| match &self.program.expr(expr).kind {
                _ if self.changes.copied().contains(&expr) => false,
                ExprKind::AddressOf(operand) => is_it(*operand),
                ExprKind::Call { callee, arguments, .. } => {
                    match resolve_callee(self.program, *callee, arguments) {
                        Callee::Function(function) => {
                            let parameters = &self.program.function(function).parameters;
                            parameters.iter().zip(arguments).any(|(parameter, argument)| {
                                self.is_reference(*parameter) && is_it(*argument)
                            })
                        }
                        Callee::Library(name) => !catalogue::takes_values(&name) && any(arguments),
                        Callee::Ambiguous(_) | Callee::Unknown => any(arguments),
                    }
                }
                // `std::cin >> n`
                ExprKind::Binary(BinaryOp::Shr, left, right) => {
                    self.program.types.as_scalar(self.program.expr(*left).ty.id).is_none()
                        && is_it(*right)
                }
                kind if only_reads_numbers(self.program, kind) => false,
                ExprKind::MacroCall { arguments, .. }
                | ExprKind::Opaque(arguments)
                | ExprKind::InitList(arguments)
                | ExprKind::Construct { arguments, .. }
                | ExprKind::New { arguments, .. } => any(arguments),
                ExprKind::Lambda { captures, .. } => any(captures),
                _ => false,
            })
    }

    /// Whether a member keeps its value, in whatever object; pointers into merged arrays are looked
    /// at elsewhere.
    fn is_stable_field(&self, field: FieldId, between: Span) -> bool {
        if self.slot_member(crate::classes::Slot::Field(field)).is_some() {
            return true;
        }
        let is_field = |expr: ExprId| {
            matches!(self.program.expr(self.program.strip_parens(expr)).kind,
                ExprKind::Member { field: Some(own), .. } if own == field)
        };
        let holders = self.holders(self.program.field(field).record);
        let is_exposed = self.has_other_names(&is_field);
        let Some(executed) = self.executed(between).filter(|_| !is_exposed) else { return false };
        // Objects are only there to have members.
        let reached: BTreeSet<ExprId> = executed
            .iter()
            .filter_map(|expr| match self.program.expr(*expr).kind {
                ExprKind::Member { base, .. } => Some(base),
                _ => None,
            })
            .map(|base| self.program.strip_parens(base))
            .collect();
        let is_object = |expr: ExprId| {
            let of = record_of(self.program, self.program.expr(expr).ty);
            of.is_some_and(|(record, _)| holders.contains(&record))
                && !matches!(self.program.expr(expr).kind, ExprKind::Paren(_))
                && !reached.contains(&expr)
        };
        let is_safe = |target: ExprId| !is_field(target) && self.is_apart(target, field);
        executed.iter().all(|expr| match self.program.expr(*expr).kind {
            _ if is_object(*expr) => false,
            ExprKind::Assign(_, left, _) => is_safe(left),
            ExprKind::Unary(op, operand) => !op.is_update() || is_safe(operand),
            _ => true,
        })
    }

    /// Whether what is written is certainly not the member: a variable that is no reference, a member of another name, or a
    /// value of another type.
    fn is_apart(&self, target: ExprId, field: FieldId) -> bool {
        let program = self.program;
        let is_divided = |record: RecordId| {
            let record = program.record(record);
            !record.is_union && !record.traits.iter().any(|(which, _)| *which == RecordTrait::Union)
        };
        if !is_divided(program.field(field).record) {
            return false;
        }
        let target = program.strip_parens(target);
        let scalar = |ty: QualType| program.types.as_scalar(ty.id);
        match program.expr(target).kind {
            ExprKind::Name(NameRef::Variable(id)) => {
                let ty = program.variable(id).ty;
                !self.is_reference(id)
                    && (scalar(ty).is_some() || program.types.pointee(ty.id).is_some())
            }
            ExprKind::Member { field: Some(own), .. } => {
                own != field && is_divided(program.field(own).record)
            }
            _ => match (scalar(program.expr(target).ty), scalar(program.field(field).ty)) {
                (Some(one), Some(other)) => one != other && one.size() > 1,
                _ => false,
            },
        }
    }

    /// A record, and those that hold objects of it.
    fn holders(&self, record: RecordId) -> BTreeSet<RecordId> {
        let mut found = BTreeSet::from([record]);
        loop {
            let before = found.len();
            for field in &self.program.fields {
                let of = record_of(self.program, field.ty);
                if of.is_some_and(|(record, _)| found.contains(&record)) {
                    found.insert(field.record);
                }
            }
            if found.len() == before {
                return found;
            }
        }
    }
}

//! Where a record, or a member of one, is used by its value alone: a copy serves as well.

use super::*;

impl Classifier<'_> {
    /// Whether the value of `expr` is used as a record by value, or not at all but for a member.
    pub(super) fn is_load_context(&self, expr: ExprId, record: RecordId) -> bool {
        let program = self.program;
        match self.calls.context(expr) {
            Context::Init(variable) => {
                program.types.as_record(program.variable(variable).ty.id) == Some(record)
            }
            Context::Returned { in_lambda: false } => {
                let result = self.calls.function(expr).map(|id| program.function(id).result);
                result.is_some_and(|ty| program.types.as_record(ty.id) == Some(record))
            }
            Context::Operand(parent, position) => match &program.expr(parent).kind {
                ExprKind::Assign(None, left, _) => {
                    position == 1
                        && program.types.as_record(program.expr(*left).ty.id) == Some(record)
                }
                ExprKind::Conditional(..) => position > 0 && self.is_load_context(parent, record),
                ExprKind::Paren(_) => self.is_load_context(parent, record),
                ExprKind::Comma(..) => position == 1 && self.is_load_context(parent, record),
                ExprKind::Member { arrow: false, field: Some(_), .. } => self.is_only_read(parent),
                ExprKind::Call { callee, arguments, .. } => {
                    self.parameter_of(*callee, arguments, position).is_some_and(|parameter| {
                        let ty = program.variable(parameter).ty;
                        program.types.as_record(ty.id) == Some(record)
                    })
                }
                _ => false,
            },
            Context::Dropped
            | Context::Condition
            | Context::Returned { in_lambda: true }
            | Context::Range
            | Context::Assembly
            | Context::Opaque => false,
        }
    }

    /// Whether a member of a record that is no object of its own is only read.
    fn is_only_read(&self, member: ExprId) -> bool {
        let program = self.program;
        let context = self.calls.context(member);
        if let Context::Operand(parent, _) = context
            && let ExprKind::Paren(_) = program.expr(parent).kind
        {
            return self.is_only_read(parent);
        }
        let ty = program.expr(member).ty;
        match *program.types.kind(ty.id) {
            TypeKind::Record(record) => self.is_load_context(member, record),
            TypeKind::Array(..) => matches!(context, Context::Operand(parent, 0)
                if matches!(program.expr(parent).kind, ExprKind::Index { .. })
                    && self.is_only_read(parent)),
            TypeKind::Scalar(_) | TypeKind::Enum(..) | TypeKind::Vector(_) => match context {
                Context::Condition => true,
                Context::Init(variable) => self.is_number(program.variable(variable).ty),
                Context::Returned { in_lambda: false } => {
                    let result = self.calls.function(member).map(|id| program.function(id).result);
                    result.is_some_and(|ty| self.is_number(ty))
                }
                Context::Operand(parent, position) => self.reads_operand(parent, position),
                Context::Dropped
                | Context::Returned { in_lambda: true }
                | Context::Range
                | Context::Assembly
                | Context::Opaque => false,
            },
            TypeKind::Void
            | TypeKind::Pointer(_)
            | TypeKind::Reference(..)
            | TypeKind::Function
            | TypeKind::Named(..)
            | TypeKind::Opaque(_)
            | TypeKind::TemplateParameter(_)
            | TypeKind::Unknown => false,
        }
    }

    /// Whether an expression uses a number that is operand `position` of it by its value.
    fn reads_operand(&self, parent: ExprId, position: usize) -> bool {
        let program = self.program;
        match &program.expr(parent).kind {
            ExprKind::Binary(..) => !program.operators.contains_key(&parent),
            ExprKind::Unary(op, _) => !op.is_update() && !program.operators.contains_key(&parent),
            ExprKind::Assign(_, left, _) => position == 1 && self.is_number(program.expr(*left).ty),
            ExprKind::Conditional(..) => position == 0 || self.is_only_read(parent),
            ExprKind::Comma(..) => position == 1 && self.is_only_read(parent),
            ExprKind::Index { base, .. } => {
                position == 1 && program.types.as_record(program.expr(*base).ty.id).is_none()
            }
            ExprKind::Cast { target, style: CastStyle::C | CastStyle::Static, .. } => {
                self.is_number(*target)
            }
            // A lane of a vector.
            ExprKind::Member { arrow: false, field: None, methods, .. } => {
                methods.is_empty() && self.is_only_read(parent)
            }
            ExprKind::Call { callee, arguments, .. } => self
                .parameter_of(*callee, arguments, position)
                .is_some_and(|parameter| self.is_number(program.variable(parameter).ty)),
            _ => false,
        }
    }

    fn is_number(&self, ty: QualType) -> bool {
        matches!(
            self.program.types.kind(ty.id),
            TypeKind::Scalar(_) | TypeKind::Enum(..) | TypeKind::Vector(_)
        )
    }

    /// The parameter that receives operand `position` of a call, if its function is known.
    fn parameter_of(&self, callee: ExprId, arguments: &[ExprId], position: usize) -> Option<VarId> {
        let Callee::Function(function) = self.calls.callee(self.program, callee, arguments) else {
            return None;
        };
        let at = position.checked_sub(1)?;
        self.program.function(function).parameters.get(at).copied()
    }
}

//! Indices whose type has operators of its own.
//!
//! A pointer adds an index to itself, whatever operators the index's type has. Generated text computes with the
//! index first: `i >> 5`, `i & 31`, `i + first`. *Claim:* where that calls a function of the program, or may call one of
//! a library, the array stays.

use super::Rewriter;
use layoutc_diagnostics::Code;
use layoutc_syntax::{BinaryOp, ExprId, ExprKind, FunctionId, TypeId, TypeKind};

/// The operators that generated text applies to indices.
const APPLIED: [&str; 8] = [
    "operator>>",
    "operator&",
    "operator/",
    "operator%",
    "operator+",
    "operator-",
    "operator+=",
    "operator-=",
];

impl Rewriter<'_> {
    /// Keeps arrays that are indexed by what has operators of its own.
    pub(super) fn check_index_operators(&mut self) {
        let mut found = Vec::new();
        for expr in self.program.expr_ids() {
            let sides = match self.program.expr(expr).kind {
                ExprKind::Index { base, index, .. } => [(base, index); 2],
                ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, left, right)
                | ExprKind::Assign(Some(BinaryOp::Add | BinaryOp::Sub), left, right) => {
                    [(left, right), (right, left)]
                }
                _ => continue,
            };
            for (pointer, index) in sides {
                let class = self.changed_pointer(pointer);
                let class = class
                    .filter(|class| self.storage(*class).is_some_and(|storage| !storage.is_record));
                if let Some(class) = class
                    && self.changed_pointer(index).is_none()
                    && self.has_own_operators(index)
                {
                    found.push((class, self.program.expr_site(index)));
                    break;
                }
            }
        }
        for (class, span) in found {
            let message =
                "the new layout computes with this index, and its type has operators of its own";
            self.refuse(class, Code::POINTER_EXPRESSION, span, message);
        }
    }

    /// Whether computing with an index may call a function.
    fn has_own_operators(&self, index: ExprId) -> bool {
        let program = self.program;
        let ty = program.types.strip_reference(program.expr(index).ty).id;
        match program.types.kind(ty) {
            TypeKind::Void
            | TypeKind::Scalar(_)
            | TypeKind::Vector(_)
            | TypeKind::Pointer(_)
            | TypeKind::Reference(..)
            | TypeKind::Array(..)
            | TypeKind::Function => false,
            // A library's operators are not known.
            TypeKind::Named(..) | TypeKind::Opaque(_) => true,
            TypeKind::Unknown
            | TypeKind::Record(_)
            | TypeKind::Enum(..)
            | TypeKind::TemplateParameter(_) => {
                program.function_ids().any(|id| self.is_operator_on(id, ty))
            }
        }
    }

    /// Whether a function is an operator that takes an index of a type. What is no built-in type may be any class.
    fn is_operator_on(&self, id: FunctionId, ty: TypeId) -> bool {
        let program = self.program;
        let function = program.function(id);
        if !APPLIED.contains(&function.name.as_str()) {
            return false;
        }
        let record = program.types.as_record(ty);
        let is_member = record.is_some_and(|record| {
            function.record.is_some_and(|own| program.with_bases(record).contains(&own))
        });
        // A base class, or a class that the index converts to, may be the parameter's.
        let takes = |parameter: &layoutc_syntax::VarId| {
            let own = program.types.strip_reference(program.variable(*parameter).ty).id;
            match program.types.kind(own) {
                TypeKind::Enum(..) => own == ty || record.is_some(),
                TypeKind::Record(_) => own == ty || record.is_some(),
                TypeKind::Unknown | TypeKind::TemplateParameter(_) => true,
                TypeKind::Void
                | TypeKind::Scalar(_)
                | TypeKind::Vector(_)
                | TypeKind::Pointer(_)
                | TypeKind::Reference(..)
                | TypeKind::Array(..)
                | TypeKind::Function
                | TypeKind::Named(..)
                | TypeKind::Opaque(_) => false,
            }
        };
        is_member || function.parameters.iter().any(takes)
    }
}

//! Pointers that move, and pointers that are compared: what happens to the index alone.

use super::Rewriter;
use super::expressions::Parts;
use crate::storage::IndexText;
use layoutc_dataflow::classes::ClassId;
use layoutc_diagnostics::Code;
use layoutc_syntax::{BinaryOp, ExprId, ExprKind, NameRef, UnaryOp};

impl Rewriter<'_> {
    /// Whether nothing uses the value of an expression.
    pub(super) fn is_dropped(&self, expr: ExprId) -> bool {
        let outer = self.outermost(expr);
        match self.parents.of(outer) {
            Some((parent, position)) => {
                matches!(self.program.expr(parent).kind, ExprKind::Comma(..))
                    && (position == 0 || self.is_dropped(parent))
            }
            None => {
                !self.inits.contains_key(&outer)
                    && !self.conditions.contains(&outer)
                    && !self.returned.contains_key(&outer)
            }
        }
    }

    /// Base and index of `q++`, `--q`, `q += n`: the index moves where the pointer did.
    pub(super) fn moved_parts(&mut self, expr: ExprId, class: ClassId) -> Option<Parts> {
        let (operand, offset) = match self.program.expr(expr).kind {
            ExprKind::Unary(op, operand) if op.is_update() => (operand, Err(op)),
            ExprKind::Assign(Some(op @ (BinaryOp::Add | BinaryOp::Sub)), left, right) => {
                (left, Ok((op, right)))
            }
            _ => return self.no_form(expr, class),
        };
        let operand = self.program.strip_parens(operand);
        let ExprKind::Name(NameRef::Variable(variable)) = self.program.expr(operand).kind else {
            return self.no_form(expr, class);
        };
        let Some((companion, width)) = self.indices.get(&variable).cloned() else {
            return self.no_form(expr, class);
        };
        let text = match offset {
            Ok((op, right)) => {
                let value = self.render(right);
                format!("{companion} {}= {value}", if op == BinaryOp::Add { '+' } else { '-' })
            }
            Err(UnaryOp::PreIncrement) => format!("++{companion}"),
            Err(UnaryOp::PreDecrement) => format!("--{companion}"),
            Err(UnaryOp::PostIncrement) => format!("{companion}++"),
            Err(_) => format!("{companion}--"),
        };
        Some(Parts {
            base: self.text(operand).to_owned(),
            slot: Some(variable),
            index: IndexText { text, is_compound: true },
            is_repeatable: false,
            is_int: width == "int",
        })
    }

    /// A captured pointer or reference takes its index along.
    pub(super) fn captured(&mut self, expr: ExprId) -> Option<String> {
        let ExprKind::Name(NameRef::Variable(variable)) = self.program.expr(expr).kind else {
            return None;
        };
        let (parent, _) = self.parents.of(expr)?;
        let ExprKind::Lambda { .. } = self.program.expr(parent).kind else { return None };
        let (companion, _) = self.indices.get(&variable)?;
        let by_reference =
            layoutc_dataflow::classes::captures_reference(self.program, parent, expr);
        let sign = if by_reference { "&" } else { "" };
        Some(format!("{}, {sign}{companion}", self.text(expr)))
    }

    fn no_form(&mut self, expr: ExprId, class: ClassId) -> Option<Parts> {
        let span = self.program.expr(expr).span;
        self.refuse(
            class,
            Code::POINTER_EXPRESSION,
            span,
            "this pointer has no form in the new layout",
        );
        None
    }

    /// Comparisons and differences of pointers into one class.
    pub(super) fn comparison(&mut self, expr: ExprId) -> Option<String> {
        let ExprKind::Binary(op, left, right) = self.program.expr(expr).kind else { return None };
        let sign = match op {
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::Sub => "-",
            _ => return None,
        };
        let class = self.changed_pointer(left)?;
        if self.changed_pointer(right) != Some(class) {
            return None;
        }
        let storage = self.storage(class).filter(|storage| !storage.is_record)?;
        let (first, second) = (self.pointer_parts(left, class)?, self.pointer_parts(right, class)?);
        if self.classes.same_array.contains(&expr) {
            let (a, b) = (first.index.operand(), second.index.operand());
            if op == BinaryOp::Sub {
                // In 64 bits, as pointers subtract.
                return Some(match b.as_str() {
                    "0" => format!("(ptrdiff_t){a}"),
                    _ => format!("((ptrdiff_t){a} - {b})"),
                });
            }
            let wide = if first.is_int && second.is_int { "" } else { "(ptrdiff_t)" };
            return Some(format!("{wide}{a} {sign} {wide}{b}"));
        }
        let start = |parts: &Parts| {
            if storage.is_handle { storage.first_pointer(&parts.base) } else { parts.base.clone() }
        };
        let bases = format!("{} {sign} {}", start(&first), start(&second));
        if first.index.text == "0" && second.index.text == "0" {
            return Some(bases);
        }
        if !(first.is_repeatable && second.is_repeatable) {
            let span = self.program.expr(expr).span;
            self.refuse(
                class,
                Code::EVALUATION_ORDER,
                span,
                "what is compared here cannot be evaluated in parts",
            );
            return None;
        }
        let wide = if first.is_int && second.is_int { "" } else { "(ptrdiff_t)" };
        let (a, b) = (first.index.operand(), second.index.operand());
        let join = if op == BinaryOp::Eq { "&&" } else { "||" };
        Some(format!("({bases} {join} {wide}{a} {sign} {wide}{b})"))
    }
}

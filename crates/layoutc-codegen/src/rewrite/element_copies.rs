//! Elements that are copied by bytes, or moved as one vector.

use super::Rewriter;
use layoutc_dataflow::classes::{ElementCopy, WideAccess};
use layoutc_diagnostics::Code;
use layoutc_syntax::{BinaryOp, ExprId, ExprKind};

impl Rewriter<'_> {
    /// `memcpy(&a, &p[i], sizeof(T))` in device code: a load, a store, or both.
    pub(super) fn element_copy(&mut self, expr: ExprId) -> Option<String> {
        let ElementCopy { to, from } = *self.classes.element_copies.get(&expr)?;
        let class = self.changed_pointer(to).or_else(|| self.changed_pointer(from))?;
        self.note_whole(class, expr);
        let storage = self.storage(class).filter(|storage| !storage.is_record)?;
        let value = if self.changed_pointer(from).is_some() {
            let parts = self.pointer_parts(from, class)?;
            self.needs(class).load = true;
            format!("{}({}, {})", storage.function("Load"), parts.base, parts.index.text)
        } else {
            self.object(from)
        };
        if self.changed_pointer(to).is_none() {
            let object = self.object(to);
            return Some(format!("{object} = {value}"));
        }
        let parts = self.pointer_parts(to, class)?;
        self.needs(class).store = true;
        Some(format!(
            "{}({}, {}, {value})",
            storage.function("Store"),
            parts.base,
            parts.index.text
        ))
    }

    /// What an address is of.
    fn object(&mut self, address: ExprId) -> String {
        match self.program.expr(address).kind {
            ExprKind::AddressOf(operand) => self.render(operand),
            _ => {
                let text = self.render(address);
                format!("*({text})")
            }
        }
    }

    /// `*(float4 *)&p[i]`: a vector made of the element's members, or stored to them.
    pub(super) fn wide_access(&mut self, expr: ExprId) -> Option<String> {
        let WideAccess { pointer, offset, vector, stored } =
            *self.classes.wide_accesses.get(&expr)?;
        let class = self.changed_pointer(pointer)?;
        let storage = self.storage(class).filter(|storage| !storage.is_record)?;
        if let Some(stored) = stored
            && self.order_matters(expr_left(&self.program.expr(expr).kind)?, stored)
        {
            let span = self.program.expr(expr).span;
            let why = "the value and the index depend on each other's order of evaluation";
            self.refuse(class, Code::EVALUATION_ORDER, span, why);
            return None;
        }
        let mut parts = self.pointer_parts(pointer, class)?;
        if let Some(offset) = offset {
            parts = self.offset(parts, offset, BinaryOp::Add);
        }
        self.needs(class).wide = Some(vector);
        let place = format!("{}, {}", parts.base, parts.index.text);
        Some(match stored {
            Some(value) => {
                let value = self.render(value);
                format!("{}({place}, {value})", storage.function("StoreVector"))
            }
            None => format!("{}({place})", storage.function("LoadVector")),
        })
    }
}

fn expr_left(kind: &ExprKind) -> Option<ExprId> {
    match kind {
        ExprKind::Assign(_, left, _) => Some(*left),
        _ => None,
    }
}

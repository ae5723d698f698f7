//! Arrays at file scope in device memory, and calls that name symbols.

use super::Rewriter;
use super::calls::DeviceArgument;
use super::expressions::Parts;
use crate::edit::Edit;
use crate::storage::GroupKind;
use layoutc_dataflow::catalogue::Api;
use layoutc_dataflow::catalogue::Role;
use layoutc_dataflow::classes::{ApiCall, Callee, ClassId, Slot, resolve_callee};
use layoutc_diagnostics::{Code, Span};
use layoutc_syntax::{Declaration, ExprId, ExprKind, NameRef, Storage, VarId};

impl Rewriter<'_> {
    /// The array at file scope that an expression names, if its class changes.
    pub(super) fn named_symbol(&self, expr: ExprId) -> Option<(ClassId, VarId)> {
        let ExprKind::Name(NameRef::Variable(id)) =
            self.program.expr(self.program.strip_parens(expr)).kind
        else {
            return None;
        };
        let class = self.changed_slot(Slot::Variable(id))?;
        self.classes.class(class).symbols.contains(&id).then_some((class, id))
    }

    /// Refuses what an array of several arrays cannot be: it is no pointer, though it converts to
    /// the handle where one is wanted.
    pub(super) fn symbol_uses(&mut self) {
        let lambdas: Vec<Span> = self
            .program
            .exprs
            .iter()
            .filter(|expr| matches!(expr.kind, ExprKind::Lambda { .. }))
            .map(|expr| expr.span)
            .collect();
        for expr in self.program.expr_ids() {
            if matches!(self.program.expr(expr).kind, ExprKind::Paren(_)) {
                continue;
            }
            let Some((class, id)) = self.named_symbol(expr) else { continue };
            let Some(storage) = self.storage(class).filter(|storage| storage.is_handle) else {
                continue;
            };
            let _ = storage;
            let outer = self.outermost(expr);
            let is_fine = match self.parents.of(outer) {
                Some((parent, position)) => match &self.program.expr(parent).kind {
                    ExprKind::Index { .. }
                    | ExprKind::Deref(_)
                    | ExprKind::Member { .. }
                    | ExprKind::SizeOfExpr(_) => true,
                    ExprKind::Binary(..) => self.classes.value(parent).is_some(),
                    ExprKind::Assign(..) => position == 1,
                    ExprKind::Launch { config, .. } => position > config.len(),
                    ExprKind::Call { callee, arguments, .. } => {
                        self.api_of_call.contains_key(&parent)
                            || matches!(
                                resolve_callee(self.program, *callee, arguments),
                                Callee::Function(_)
                            )
                    }
                    _ => false,
                },
                None => match self.inits.get(&outer) {
                    Some(variable) => !self.program.variable(*variable).is_auto,
                    None => self.returned.contains_key(&outer),
                },
            };
            let span = self.program.expr(expr).span;
            // A copy of it in a lambda would be constant.
            let is_captured = self.program.variable(id).storage == Storage::Local
                && lambdas.iter().any(|lambda| lambda.contains(span));
            if !is_fine || is_captured {
                self.refuse(
                    class,
                    Code::DECLARATION_FORM,
                    span,
                    "an array that is split is no pointer here",
                );
            }
        }
    }

    /// A launch copies its arguments as they are, so the handle is written out.
    pub(super) fn launched_symbol(&self, parts: Parts, class: ClassId, callee: ExprId) -> Parts {
        let is_launch = self.parents.of(callee).is_some_and(|(parent, _)| {
            matches!(self.program.expr(parent).kind, ExprKind::Launch { .. })
        });
        let is_symbol =
            parts.slot.is_some_and(|slot| self.classes.class(class).symbols.contains(&slot));
        match self.storage(class) {
            Some(storage) if storage.is_handle && is_launch && is_symbol => {
                Parts { base: format!("{}({})", storage.outer_type(), parts.base), ..parts }
            }
            _ => parts,
        }
    }

    /// The declaration of an array at file scope.
    pub(super) fn symbol_declaration(
        &mut self,
        declaration: &Declaration,
        class: ClassId,
        id: VarId,
        specifier: String,
    ) {
        let Some(storage) = self.storage(class) else { return };
        let site = &self.program.variable(id).site;
        let brackets = Span { start: site.name.end, ..site.span };
        let text = self.program.text(brackets).trim();
        let Some(extent) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) else {
            self.refuse(
                class,
                Code::DECLARATION_FORM,
                site.span,
                "this array is declared in a way that is not rewritten",
            );
            return;
        };
        // A `>` would end the template's arguments, and a sum would be divided in part.
        let is_one_word = extent.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let extent = if is_one_word { extent.to_owned() } else { format!("({extent})") };
        if storage.is_handle {
            let name = format!("{}{}<{extent}>", storage.qualifier, storage.symbol_name);
            self.push(Edit::replace(declaration.specifier, name));
            self.push(Edit::replace(brackets, String::new()));
            self.needs(class).symbol = true;
            return;
        }
        if self.program.text(declaration.specifier) != specifier {
            self.push(Edit::replace(declaration.specifier, specifier));
        }
        if let GroupKind::Tile { tile, .. } = storage.groups[0].kind
            && tile > 1
        {
            let rounded = format!("[({extent} + {}) / {tile}]", tile - 1);
            self.push(Edit::replace(brackets, rounded));
        }
    }

    /// `sizeof(array)` asks for the bytes of the source's array.
    pub(super) fn symbol_size(&self, operand: ExprId) -> Option<String> {
        let (class, id) = self.named_symbol(operand)?;
        let site = &self.program.variable(id).site;
        let brackets = self.program.text(Span { start: site.name.end, ..site.span });
        Some(format!("sizeof({}{})", self.storage(class)?.outer_record, brackets.trim()))
    }

    /// The new text of a call that names a symbol.
    pub(super) fn symbol_call(
        &mut self,
        call: &ApiCall,
        class: ClassId,
        device: &[DeviceArgument],
    ) -> Option<String> {
        let storage = self.storage(class)?;
        let function = storage.function("");
        match call.api {
            Api::PointerToSymbol | Api::PointerFromSymbol => {
                if !storage.is_handle {
                    return None;
                }
                // A handle is larger than the pointer.
                let symbol = call.argument(Role::Symbol)?;
                let size = format!("sizeof({})", self.text(symbol));
                Some(self.call_with(call, "", &[], &[(call.size()?, size)]))
            }
            Api::SymbolAddress => {
                if !storage.is_handle {
                    return None;
                }
                self.needs(class).symbol_address = true;
                Some(self.call_with(call, &format!("{function}SymbolAddress"), device, &[]))
            }
            Api::ToSymbol | Api::FromSymbol => {
                let size = call.size()?;
                let element = self.classes.class(class).element;
                let is_whole = self.sizes.is_multiple_of_element(self.program, size, element);
                let needs = self.needs(class);
                needs.partial |= !is_whole;
                needs.offset |= call.arguments.len() > 3;
                let is_async = call.row.is_async();
                let suffix = match (call.api == Api::ToSymbol, is_async) {
                    (true, false) => {
                        needs.to_symbol = true;
                        "MemcpyToSymbol"
                    }
                    (true, true) => {
                        needs.to_symbol_async = true;
                        "MemcpyToSymbolAsync"
                    }
                    (false, false) => {
                        needs.from_symbol = true;
                        "MemcpyFromSymbol"
                    }
                    (false, true) => {
                        needs.from_symbol_async = true;
                        "MemcpyFromSymbolAsync"
                    }
                };
                Some(self.call_with(call, &format!("{function}{suffix}"), device, &[]))
            }
            _ => None,
        }
    }
}

//! Calls of the CUDA runtime.

use super::Rewriter;
use layoutc_dataflow::catalogue::Api;
use layoutc_dataflow::classes::{ApiCall, ClassId};
use layoutc_syntax::{CastStyle, ExprId, ExprKind, QualType};

/// An argument in device memory: its position, its class, and the pointer without casts.
pub(super) type DeviceArgument = (usize, ClassId, ExprId);

impl Rewriter<'_> {
    /// The new text of a runtime call that moves a changed class.
    pub(super) fn api_call(&mut self, expr: ExprId) -> Option<String> {
        let call = self.classes.api_calls[*self.api_of_call.get(&expr)?].clone();
        let device: Vec<DeviceArgument> = call
            .arguments
            .iter()
            .enumerate()
            .filter(|(position, _)| call.is_device_argument(*position))
            .filter_map(|(position, argument)| {
                let pointer = self.strip_casts(*argument);
                let (class, _) = self.classes.value(pointer)?;
                self.storage_of.contains_key(&class).then_some((position, class, pointer))
            })
            .collect();
        let class = device.first()?.1;
        let storage = self.storage(class)?;
        if storage.keeps_bytes && storage.is_record {
            return None;
        }
        let prefix = storage.function("");
        let needs = self.needs(class);
        match call.api {
            Api::Malloc
            | Api::MallocFromPool
            | Api::MallocManaged
            | Api::MallocHost
            | Api::HostAlloc => {
                if storage.is_handle {
                    let suffix = match call.api {
                        Api::MallocHost if call.arguments.len() == 2 => {
                            needs.malloc_host = true;
                            "MallocHost"
                        }
                        Api::MallocHost | Api::HostAlloc => {
                            needs.host_alloc = true;
                            "HostAlloc"
                        }
                        Api::MallocFromPool => {
                            needs.malloc_from_pool = true;
                            "MallocFromPoolAsync"
                        }
                        Api::Malloc if call.row.is_async() => {
                            needs.malloc_async = true;
                            "MallocAsync"
                        }
                        Api::MallocManaged => {
                            needs.malloc_managed = true;
                            "MallocManaged"
                        }
                        _ => {
                            needs.malloc = true;
                            "Malloc"
                        }
                    };
                    let text = self.call_with(&call, &format!("{prefix}{suffix}"), &device, &[]);
                    // The default of the runtime's function.
                    return Some(match text.strip_suffix(')') {
                        Some(open) if suffix == "MallocManaged" && call.arguments.len() < 3 => {
                            format!("{open}, cudaMemAttachGlobal)")
                        }
                        _ => text,
                    });
                }
                needs.bytes = true;
                // The call stays as it is but for the byte count.
                let size = call.size()?;
                let more = self.cell_extents(&call);
                let bytes = format!("{prefix}Bytes({}{more})", self.render(size));
                Some(self.call_with(&call, "", &[], &[(size, bytes)]))
            }
            Api::Prefetch | Api::Advise => {
                if storage.is_handle {
                    let suffix = if call.api == Api::Prefetch {
                        needs.prefetch = true;
                        "Prefetch"
                    } else {
                        needs.advise = true;
                        "Advise"
                    };
                    return Some(self.call_with(&call, &format!("{prefix}{suffix}"), &device, &[]));
                }
                needs.bytes = true;
                let size = call.size()?;
                let bytes = format!("{prefix}Bytes({})", self.render(size));
                Some(self.call_with(&call, "", &[], &[(size, bytes)]))
            }
            Api::Free | Api::FreeHost | Api::LibraryFree | Api::Attach => {
                let (position, class, pointer) = device[0];
                if !storage.is_handle {
                    // Other casts give the type of the source, which frees as well.
                    let argument = call.arguments[position];
                    let is_element = |to: QualType| {
                        let to = self.program.types.pointee(to.id);
                        to.is_some_and(|to| self.program.types.as_record(to.id).is_some())
                    };
                    let is_checked = matches!(
                        self.program.expr(self.program.strip_parens(argument)).kind,
                        ExprKind::Cast { style: CastStyle::Static | CastStyle::Const, target, .. }
                            if is_element(target)
                    );
                    if !is_checked {
                        return None;
                    }
                    // One cast for all of them: what is freed is not constant.
                    let mut inner = self.program.strip_parens(argument);
                    while let ExprKind::Cast {
                        operand,
                        style: CastStyle::Static | CastStyle::Const,
                        target,
                        ..
                    } = self.program.expr(inner).kind
                        && is_element(target)
                    {
                        inner = self.program.strip_parens(operand);
                    }
                    if self.changed_pointer(inner) != Some(class) {
                        return self
                            .without_cast(self.program.strip_parens(argument), class)
                            .map(|text| self.call_with(&call, "", &[], &[(argument, text)]));
                    }
                    let to = self.program.types.pointee(self.program.expr(inner).ty.id);
                    let text = self.render(inner);
                    let text = match to.is_some_and(|to| to.is_const) {
                        true => format!("const_cast<{} *>({text})", storage.outer_type()),
                        false => text,
                    };
                    return Some(self.call_with(&call, "", &[], &[(argument, text)]));
                }
                let base = self.pointer_parts(pointer, class)?.base;
                let first = storage.first_pointer(&base);
                Some(self.call_with(&call, "", &[], &[(call.arguments[position], first)]))
            }
            Api::Memcpy | Api::Memcpy2D | Api::LibraryMemcpy | Api::MemcpyPeer => {
                self.copy(&call, class, &device)
            }
            Api::LibraryMemset => self.host_fill(&call, class, &device),
            Api::Memset => self.fill(&call, class, &device),
            Api::ToSymbol
            | Api::FromSymbol
            | Api::PointerToSymbol
            | Api::PointerFromSymbol
            | Api::SymbolAddress => self.symbol_call(&call, class, &device),
        }
    }

    /// The operand behind parentheses and casts.
    pub(super) fn strip_casts(&self, mut expr: ExprId) -> ExprId {
        while let ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. } =
            self.program.expr(expr).kind
            && !self.is_other_text(expr)
        {
            expr = inner;
        }
        self.look_behind_casts_of_macros(expr);
        expr
    }

    /// A cast in a macro hides what type its argument has: then the use is replaced.
    fn look_behind_casts_of_macros(&self, start: ExprId) {
        let mut expr = start;
        while let ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. } =
            self.program.expr(expr).kind
        {
            expr = inner;
        }
        // `&p` of an allocation is an address of a pointer.
        let is_changed =
            self.classes.value(expr).is_some_and(|(class, _)| self.storage_of.contains_key(&class));
        if self.classes.value(start).is_none() && is_changed {
            self.want_uses(start, expr);
        }
    }

    /// The call with another name, its device arguments without casts, and some arguments replaced.
    pub(super) fn call_with(
        &mut self,
        call: &ApiCall,
        name: &str,
        device: &[DeviceArgument],
        replaced: &[(ExprId, String)],
    ) -> String {
        let ExprKind::Call { callee, .. } = self.program.expr(call.call).kind else {
            return String::new();
        };
        let span = self.program.expr(call.call).span;
        let home = self.program.home(call.call);
        let own = self.program.expr(callee).span;
        let mut out = match name {
            "" => self.raw(home, own.range(), own.file),
            _ => name.to_owned(),
        };
        let mut at = own.end as usize;
        let mut before = None;
        for (position, argument) in call.arguments.iter().enumerate() {
            let inner = self.program.expr(*argument).span;
            if before.replace(inner) == Some(inner) && self.is_in_rest(*argument) {
                out.push_str(", ");
            } else {
                out.push_str(&self.raw(home, at..inner.start as usize, span.file));
            }
            let replacement = replaced.iter().find(|(expr, _)| expr == argument);
            let text = match (replacement, device.iter().find(|(other, ..)| *other == position)) {
                (Some((_, text)), _) => text.clone(),
                (None, Some((_, class, pointer))) => {
                    self.typed_argument(*pointer, *class).unwrap_or_else(|| self.render(*pointer))
                }
                (None, None) if call.size() == Some(*argument) => {
                    let size = self.render(*argument);
                    format!("{size}{}", self.cell_extents(call))
                }
                (None, None) => self.render(*argument),
            };
            out.push_str(&text);
            at = inner.end as usize;
        }
        out.push_str(&self.raw(home, at..span.end as usize, span.file));
        out
    }
}

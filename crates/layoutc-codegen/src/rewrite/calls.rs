//! Calls of the CUDA runtime.

use super::Rewriter;
use layoutc_dataflow::classes::{Api, ApiCall, ClassId, Direction};
use layoutc_syntax::{ExprId, ExprKind};

impl Rewriter<'_> {
    /// The new text of a runtime call that moves a changed class.
    pub(super) fn api_call(&mut self, expr: ExprId) -> Option<String> {
        let call = self.classes.api_calls[*self.api_of_call.get(&expr)?].clone();
        let device: Vec<(usize, ClassId, ExprId)> = call
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
            Api::Malloc | Api::MallocAsync => {
                let is_async = call.api == Api::MallocAsync;
                if storage.is_handle {
                    if is_async {
                        needs.malloc_async = true;
                    } else {
                        needs.malloc = true;
                    }
                    let name = format!("{prefix}Malloc{}", if is_async { "Async" } else { "" });
                    return Some(self.call_with(&call, &name, &device, None));
                }
                needs.bytes = true;
                // The call stays as it is but for the byte count.
                let size = call.size()?;
                let bytes = format!("{prefix}Bytes({})", self.render(size));
                Some(self.call_with(&call, "", &[], Some((size, bytes))))
            }
            Api::Free | Api::FreeAsync => {
                if !storage.is_handle {
                    return None;
                }
                let (_, class, pointer) = device[0];
                let base = self.pointer_parts(pointer, class)?.base;
                let first = storage.first_pointer(&base);
                Some(self.call_with(&call, "", &[], Some((call.arguments[0], first))))
            }
            Api::Memcpy | Api::MemcpyAsync => {
                let is_async = call.api == Api::MemcpyAsync;
                match (call.direction, is_async) {
                    (Direction::HostToDevice, false) => needs.copy_in = true,
                    (Direction::HostToDevice, true) => needs.copy_in_async = true,
                    (Direction::DeviceToHost, false) => needs.copy_out = true,
                    (Direction::DeviceToHost, true) => needs.copy_out_async = true,
                    (Direction::DeviceToDevice, false) => needs.copy_within = true,
                    (Direction::DeviceToDevice, true) => needs.copy_within_async = true,
                    (Direction::HostToHost | Direction::Unknown, _) => return None,
                }
                if !call.is_host_transfer() {
                    let name = format!("{prefix}Memcpy{}", if is_async { "Async" } else { "" });
                    return Some(self.call_with(&call, &name, &device, None));
                }
                let size = call.size()?;
                let record = self.classes.class(class).record;
                if !self.sizes.is_multiple_of_record(self.program, size, record) {
                    self.needs(class).partial = true;
                }
                let name = format!("{prefix}Memcpy{}", if is_async { "Async" } else { "" });
                let (position, _, pointer) = device[0];
                let parts = self.pointer_parts(pointer, class)?;
                if parts.index.text == "0" && parts.slot.is_some() {
                    return Some(self.call_with(&call, &name, &device, None));
                }
                // The array and the place in it are two arguments, the second at the end.
                let text =
                    self.call_with(&call, &name, &[], Some((call.arguments[position], parts.base)));
                if parts.index.text == "0" {
                    return Some(text);
                }
                self.needs(class).offset = true;
                let stream = if is_async && call.arguments.len() < 5 { ", 0" } else { "" };
                let open = text.strip_suffix(')')?;
                Some(format!("{open}{stream}, {})", parts.index.text))
            }
            Api::Memset | Api::MemsetAsync => {
                let is_async = call.api == Api::MemsetAsync;
                if is_async {
                    needs.memset_async = true;
                } else {
                    needs.memset = true;
                }
                let name = format!("{prefix}Memset{}", if is_async { "Async" } else { "" });
                Some(self.call_with(&call, &name, &device, None))
            }
            Api::MallocManaged => None,
        }
    }

    /// The operand behind parentheses and casts.
    fn strip_casts(&self, mut expr: ExprId) -> ExprId {
        while let ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. } =
            self.program.expr(expr).kind
        {
            expr = inner;
        }
        expr
    }

    /// The call with another name, its device arguments without casts, and one argument replaced.
    fn call_with(
        &mut self,
        call: &ApiCall,
        name: &str,
        device: &[(usize, ClassId, ExprId)],
        replaced: Option<(ExprId, String)>,
    ) -> String {
        let ExprKind::Call { callee, .. } = self.program.expr(call.call).kind else {
            return String::new();
        };
        let span = self.program.expr(call.call).span;
        let source = self.program.sources.file(span.file).text();
        let mut out = if name.is_empty() { self.text(callee).to_owned() } else { name.to_owned() };
        let mut at = self.program.expr(callee).span.end as usize;
        for (position, argument) in call.arguments.iter().enumerate() {
            let inner = self.program.expr(*argument).span;
            out.push_str(&source[at..inner.start as usize]);
            let text = match (&replaced, device.iter().find(|(other, ..)| *other == position)) {
                (Some((expr, text)), _) if expr == argument => text.clone(),
                (_, Some((_, _, pointer))) => self.render(*pointer),
                _ => self.render(*argument),
            };
            out.push_str(&text);
            at = inner.end as usize;
        }
        out.push_str(&source[at..span.end as usize]);
        out
    }
}

//! Host arrays in the layout: what gives memory to them and takes it back, and their copies.

use super::Rewriter;
use super::calls::DeviceArgument;
use crate::storage::Storage;
use layoutc_dataflow::catalogue::Api;
use layoutc_dataflow::classes::{ApiCall, ClassId, HostSource};
use layoutc_diagnostics::Code;
use layoutc_syntax::{CastStyle, ExprId, ExprKind};

/// The alignment of memory from `malloc` and `new`.
const LIBRARY_ALIGNMENT: u64 = 16;

/// How many subscripts of a member generated copies go through.
const MOST_EXTENTS: usize = 6;

impl Rewriter<'_> {
    /// `new T[n]`, `(T *)malloc(bytes)` for a host array of a changed class.
    pub(super) fn host_allocation(&mut self, expr: ExprId) -> Option<String> {
        let (class, allocation) = self.classes.host_allocation(expr)?;
        let storage = self.storage(class)?;
        if alignment(storage) > LIBRARY_ALIGNMENT {
            let span = self.program.expr(expr).span;
            let message = format!(
                "the host's memory is aligned to {LIBRARY_ALIGNMENT} bytes here, which the layout exceeds"
            );
            self.refuse(class, Code::DECLARATION_FORM, span, &message);
            return None;
        }
        let target = format!("{} *", storage.outer_type());
        let cast = |text: &str| match allocation.cast {
            Some(CastStyle::Static) => format!("static_cast<{target}>({text})"),
            Some(CastStyle::Reinterpret) => format!("reinterpret_cast<{target}>({text})"),
            _ => format!("({target}){text}"),
        };
        let (is_handle, keeps_bytes) = (storage.is_handle, storage.keeps_bytes);
        Some(match allocation.source {
            HostSource::Malloc { bytes } if is_handle => {
                self.needs(class).alloc = true;
                format!("{}({})", storage.function("Alloc"), self.render(bytes))
            }
            HostSource::Malloc { bytes } => {
                let callee = self.callee_text(allocation.call)?;
                let bytes = self.render(bytes);
                if keeps_bytes && storage.is_record {
                    cast(&format!("{callee}({bytes})"))
                } else {
                    self.needs(class).bytes = true;
                    cast(&format!("{callee}({}({bytes}))", storage.function("Bytes")))
                }
            }
            HostSource::Calloc { count, size } if is_handle => {
                self.needs(class).calloc = true;
                let (count, size) = (self.render(count), self.render(size));
                format!("{}({count}, {size})", storage.function("Calloc"))
            }
            HostSource::Calloc { count, size } => {
                let callee = self.callee_text(allocation.call)?;
                let (count, size) = (self.render(count), self.render(size));
                if keeps_bytes && storage.is_record {
                    cast(&format!("{callee}({count}, {size})"))
                } else {
                    self.needs(class).bytes = true;
                    let bytes = storage.function("Bytes");
                    cast(&format!("{callee}(1, {bytes}((size_t)({count}) * ({size})))"))
                }
            }
            HostSource::New { count, is_initialized, .. } if storage.is_record => {
                let count = self.render(count);
                let initializer = if is_initialized { "()" } else { "" };
                format!("new {}[{count}]{initializer}", storage.outer_type())
            }
            HostSource::New { count, is_initialized, constructs } => {
                let is_zeroed = is_initialized && !constructs;
                let needs = self.needs(class);
                needs.constructs |= constructs;
                if is_zeroed {
                    needs.new_zeroed = true;
                } else {
                    needs.new = true;
                }
                let name = storage.function(if is_zeroed { "NewZeroed" } else { "New" });
                format!("{name}({})", self.render(count))
            }
        })
    }

    /// `delete[] p` for a host array of a changed class.
    pub(super) fn deletion(&mut self, expr: ExprId) -> Option<String> {
        let ExprKind::Delete(pointer) = self.program.expr(expr).kind else { return None };
        let class = self.changed_pointer(pointer)?;
        let storage = self.storage(class).filter(|storage| !storage.is_record)?;
        let base = self.pointer_parts(pointer, class)?.base;
        self.needs(class).delete = true;
        Some(format!("{}({base})", storage.function("Delete")))
    }

    /// The callee of a call as it stands: `std::malloc`.
    fn callee_text(&self, call: ExprId) -> Option<String> {
        match self.program.expr(call).kind {
            ExprKind::Call { callee, .. } => Some(self.text(callee).to_owned()),
            _ => None,
        }
    }

    /// A copy between arrays of the layout, of which some are the host's.
    pub(super) fn native_copy(
        &mut self,
        call: &ApiCall,
        class: ClassId,
        device: &[DeviceArgument],
    ) -> Option<String> {
        let storage = self.storage(class)?;
        let is_deep =
            storage.shape.shape.leaves.iter().any(|leaf| leaf.extents.len() > MOST_EXTENTS);
        let needs = self.needs(class);
        let suffix = match call.api {
            Api::Memcpy if !is_deep && call.row.is_async() => {
                needs.copy_async = true;
                "CopyAsync"
            }
            Api::Memcpy if !is_deep => {
                needs.copy = true;
                "Copy"
            }
            Api::LibraryMemcpy if !is_deep => {
                needs.copy_host = true;
                "CopyHost"
            }
            _ => {
                let span = self.program.expr(call.call).span;
                self.refuse(
                    class,
                    Code::COPY_FORM,
                    span,
                    "this copy has no form in the new layout",
                );
                return None;
            }
        };
        let (text, places) = self.with_starts(call, &storage.function(suffix), device)?;
        let Some(places) = places else { return Some(text) };
        Some(super::copies::append(&text, call.has_stream(), &places))
    }

    /// `memset` of a host array.
    pub(super) fn host_fill(
        &mut self,
        call: &ApiCall,
        class: ClassId,
        device: &[DeviceArgument],
    ) -> Option<String> {
        let name = self.storage(class)?.function("SetHost");
        self.needs(class).set_host = true;
        let (text, places) = self.with_starts(call, &name, device)?;
        Some(match places {
            Some(places) => super::copies::append(&text, true, &places),
            None => text,
        })
    }
}

/// The alignment that the memory of an array needs.
fn alignment(storage: &Storage) -> u64 {
    let groups = storage.groups.iter().filter_map(|group| group.align);
    let leaves = storage.shape.shape.leaves.iter().map(|leaf| leaf.align.0);
    groups.chain(leaves).chain([storage.shape.shape.align.0]).max().unwrap_or(1)
}

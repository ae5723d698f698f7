//! Copies and fills of changed classes.

use super::Rewriter;
use super::calls::DeviceArgument;
use layoutc_dataflow::catalogue::Api;
use layoutc_dataflow::classes::{ApiCall, ClassId, Direction, Slot};
use layoutc_diagnostics::Code;
use layoutc_syntax::{ExprId, ExprKind};

impl Rewriter<'_> {
    /// `v.data()` and `v.size()` of a vector in device memory, for the places that an algorithm is given.
    pub(super) fn part_of_vector(&mut self, expr: ExprId) -> Option<String> {
        let size = self.program.vector_sizes.get(&expr).map(|own| (*own, "size"));
        let start = || self.program.vector_start(expr).map(|own| (own, "data"));
        let ((base, arrow), member) = size.or_else(start)?;
        let ty = self.program.types.strip_reference(self.program.expr(base).ty);
        let ty = if arrow { self.program.types.pointee(ty.id)? } else { ty };
        let held = *self.program.record(self.program.types.as_record(ty.id)?).fields.first()?;
        self.changed_slot(Slot::Field(held))?;
        let operator = if arrow { "->" } else { "." };
        Some(format!("{}{operator}{member}()", self.render(base)))
    }

    /// The member function of a vector in device memory that stands for `thrust::copy` with one side in host memory.
    pub(super) fn copy_of_vector(&mut self, callee: ExprId) -> Option<String> {
        let ExprKind::Member { base, arrow, ref methods, name, .. } =
            self.program.expr(callee).kind
        else {
            return None;
        };
        let member = self.program.function(*methods.first()?);
        let record = member.record.filter(|record| self.program.is_device_vector(*record))?;
        if name.start != name.end || !matches!(member.name.as_str(), "copy_to_" | "copy_from_") {
            return None;
        }
        let held = *self.program.record(record).fields.first()?;
        self.changed_slot(Slot::Field(held))?;
        let operator = if arrow { "->" } else { "." };
        Some(format!("{}{operator}{}", self.render(base), member.name))
    }

    /// The new text of a copy.
    pub(super) fn copy(
        &mut self,
        call: &ApiCall,
        class: ClassId,
        device: &[DeviceArgument],
    ) -> Option<String> {
        if call.is_native {
            return self.native_copy(call, class, device);
        }
        let needs = self.needs(class);
        let is_async = call.row.is_async();
        let name = match (call.api, call.direction) {
            (_, Direction::HostToHost | Direction::Unknown) => return None,
            (Api::Memcpy, Direction::HostToDevice) => {
                *(if is_async { &mut needs.copy_in_async } else { &mut needs.copy_in }) = true;
                "Memcpy"
            }
            (Api::Memcpy, Direction::DeviceToHost) => {
                *(if is_async { &mut needs.copy_out_async } else { &mut needs.copy_out }) = true;
                "Memcpy"
            }
            (Api::Memcpy, Direction::DeviceToDevice) => {
                *(if is_async { &mut needs.copy_within_async } else { &mut needs.copy_within }) =
                    true;
                "Memcpy"
            }
            (Api::Memcpy2D, Direction::HostToDevice) => {
                *(if is_async { &mut needs.rows_in_async } else { &mut needs.rows_in }) = true;
                "Memcpy2D"
            }
            (Api::Memcpy2D, Direction::DeviceToHost) => {
                *(if is_async { &mut needs.rows_out_async } else { &mut needs.rows_out }) = true;
                "Memcpy2D"
            }
            (Api::MemcpyPeer, Direction::DeviceToDevice) => {
                needs.copy_peer = true;
                needs.copy_peer_async |= is_async;
                "MemcpyPeer"
            }
            (
                Api::Memcpy2D
                | Api::MemcpyPeer
                | Api::MallocHost
                | Api::HostAlloc
                | Api::FreeHost
                | Api::LibraryFree
                | Api::LibraryMemset
                | Api::LibraryMemcpy
                | Api::Malloc
                | Api::MallocFromPool
                | Api::MallocManaged
                | Api::Prefetch
                | Api::Advise
                | Api::Attach
                | Api::ToSymbol
                | Api::FromSymbol
                | Api::PointerToSymbol
                | Api::PointerFromSymbol
                | Api::SymbolAddress
                | Api::Free
                | Api::Memset,
                _,
            ) => {
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
        let suffix = if is_async { "Async" } else { "" };
        let name = format!("{}{suffix}", self.storage(class)?.function(name));
        if call.is_host_transfer() && !call.row.copies_rows() {
            let size = call.size()?;
            let element = self.classes.class(class).element;
            if !self.sizes.is_multiple_of_element(self.program, size, element) {
                self.needs(class).partial = true;
            }
        }
        let (text, places) = self.with_starts(call, &name, device)?;
        let Some(places) = places else { return Some(text) };
        let needs = self.needs(class);
        match call.direction {
            Direction::DeviceToDevice => needs.offset_within = true,
            _ => needs.offset = true,
        }
        // Without a stream, the places come behind the default one.
        Some(append(&text, call.has_stream(), &places))
    }

    /// The new text of a fill.
    pub(super) fn fill(
        &mut self,
        call: &ApiCall,
        class: ClassId,
        device: &[DeviceArgument],
    ) -> Option<String> {
        let is_async = call.row.is_async();
        let function = self.storage(class)?.function("");
        let suffix = if is_async { "Async" } else { "" };
        let (text, places) =
            self.with_starts(call, &format!("{function}Memset{suffix}"), device)?;
        // Cells are filled one by one, wherever they lie.
        let is_ordered = self.storage(class)?.cells.is_some();
        let places = places.or_else(|| is_ordered.then(|| vec!["0".to_owned()]));
        let needs = self.needs(class);
        let Some(places) = places else {
            if is_async {
                needs.memset_async = true;
            } else {
                needs.memset = true;
            }
            return Some(text);
        };
        if is_async {
            needs.fill_async = true;
        } else {
            needs.fill = true;
        }
        let (text, _) = self.with_starts(call, &format!("{function}Fill{suffix}"), device)?;
        Some(append(&text, call.has_stream(), &places))
    }

    /// A call whose device arguments are starts of arrays, and the places in them as further
    /// arguments; none if all are the starts.
    pub(super) fn with_starts(
        &mut self,
        call: &ApiCall,
        name: &str,
        device: &[DeviceArgument],
    ) -> Option<(String, Option<Vec<String>>)> {
        let mut starts: Vec<(ExprId, String)> = Vec::new();
        let mut places = Vec::new();
        let mut is_plain = true;
        for (position, class, pointer) in device {
            let parts = self.pointer_parts(*pointer, *class)?;
            // The name of the array, as it stands.
            let is_name = matches!(
                self.program.expr(self.program.strip_parens(*pointer)).kind,
                ExprKind::Name(_)
            );
            is_plain &= parts.index.text == "0" && parts.slot.is_some() && is_name;
            let base = self.typed_argument(*pointer, *class).unwrap_or(parts.base);
            starts.push((call.arguments[*position], base));
            places.push(parts.index.text);
        }
        if is_plain {
            return Some((self.call_with(call, name, device, &[]), None));
        }
        let text = self.call_with(call, name, &[], &starts);
        let at_start = places.iter().all(|place| place == "0");
        Some((text, (!at_start).then_some(places)))
    }
}

/// Further arguments of a call.
pub(super) fn append(call: &str, has_stream: bool, arguments: &[String]) -> String {
    let open = call.strip_suffix(')').unwrap_or(call);
    let stream = if has_stream { "" } else { ", 0" };
    format!("{open}{stream}, {})", arguments.join(", "))
}

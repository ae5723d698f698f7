//! The room for the parameters of kernels.
//!
//! A handle has a pointer for each item of a member array, and a kernel gets it by value.

use super::Rewriter;
use crate::helpers::plane_count;
use layoutc_dataflow::classes::{ClassId, Slot};
use layoutc_diagnostics::Code;

/// How many bytes the parameters of a kernel may have on every device (CUDA C++ Programming Guide, "function parameters").
const PARAMETER_SPACE: u64 = 4096;

impl Rewriter<'_> {
    /// Refuses handles that would not fit into the parameters of a kernel: one pointer for each item of a long member array.
    pub(super) fn parameter_space(&mut self) {
        for function in self.program.function_ids() {
            let own = self.program.function(function);
            if own.space != layoutc_syntax::ExecutionSpace::Kernel {
                continue;
            }
            let handles: Vec<(ClassId, u64)> = own
                .parameters
                .iter()
                .filter_map(|id| self.changed_slot(Slot::Variable(*id)))
                .filter_map(|class| {
                    let storage = self.storage(class).filter(|storage| storage.is_handle)?;
                    let pointers = storage.groups.iter().map(|own| plane_count(storage, own));
                    Some((class, 8 * pointers.sum::<u64>()))
                })
                .collect();
            let bytes: u64 = handles.iter().map(|(_, bytes)| bytes).sum();
            if bytes <= PARAMETER_SPACE {
                continue;
            }
            let message = format!(
                "the pointers that this kernel would be given have {bytes} bytes, and its parameters have room for {PARAMETER_SPACE}"
            );
            let span = own.sites[0].name;
            for (class, _) in handles {
                self.refuse(class, Code::DECLARATION_FORM, span, &message);
            }
        }
    }
}

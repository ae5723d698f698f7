//! Classes of the standard library that have a text in the model ([`crate::preprocess`], `models`).
//!
//! An owner is an instance of that text where it may own elements. One of an object of the program (with pointers, virtual
//! functions, or members that are not known) stays a smart pointer as in [`super::smart_pointers`].

use super::Lowering;
use crate::preprocess::Foreign;
use crate::program::{RecordId, TemplateArgument};
use crate::types::TypeKind;
use layoutc_diagnostics::FileId;

impl Lowering<'_> {
    /// Whether a file is no file, but a text of layoutc.
    pub(super) fn is_model_text(&self, file: FileId) -> bool {
        self.preprocessed.files[file.index()].foreign == Some(Foreign::Model)
    }

    /// Whether a class template has its text from layoutc.
    pub(super) fn is_model(&self, template: RecordId) -> bool {
        self.is_model_text(self.program.record(template).name_span.file)
    }

    /// Whether an instance of such a template owns what may be elements.
    pub(super) fn may_own_elements(&self, arguments: &[TemplateArgument]) -> bool {
        let Some(TemplateArgument::Type(of)) = arguments.first() else { return false };
        let of = match *self.program.types.kind(of.id) {
            TypeKind::Array(of, None) => of,
            _ => *of,
        };
        match *self.program.types.kind(of.id) {
            TypeKind::Record(record) => !self.holds_pointer(record) && !self.is_of_host(record),
            TypeKind::Scalar(_) | TypeKind::Enum(..) | TypeKind::Vector(_) | TypeKind::Opaque(_) => {
                true
            }
            TypeKind::Void
            | TypeKind::Pointer(_)
            | TypeKind::Reference(..)
            | TypeKind::Array(..)
            | TypeKind::Function
            | TypeKind::Named(..)
            | TypeKind::TemplateParameter(_)
            | TypeKind::Unknown => false,
        }
    }
}

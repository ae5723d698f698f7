//! Classes of the standard library that have a text in the model ([`crate::preprocess`], `models`).
//!
//! An owner is an instance of that text where it may own elements. One of an object of the program (with pointers, virtual
//! functions, or members that are not known) stays a smart pointer as in [`super::smart_pointers`].

use super::Lowering;
use crate::preprocess::Foreign;
use crate::program::{FunctionId, RecordId, TemplateArgument};
use crate::types::{QualType, TypeKind};
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
            TypeKind::Record(record) => {
                self.program.record(record).body.is_some()
                    && !self.holds_pointer(record)
                    && !self.is_of_host(record)
            }
            TypeKind::Scalar(_)
            | TypeKind::Enum(..)
            | TypeKind::Vector(_)
            | TypeKind::Opaque(_) => true,
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

    /// The function that gives back what such an owner holds, and its type.
    pub(super) fn held_by_owner(&mut self, owner: QualType) -> Option<(FunctionId, QualType)> {
        let ty = self.program.types.strip_reference(owner);
        let record = self.program.types.as_record(ty.id)?;
        if !self.program.is_modelled_owner(record) {
            return None;
        }
        let methods = &self.program.record(record).methods;
        let get = *methods.iter().find(|id| self.program.function(**id).name == "get")?;
        Some((get, self.program.function(get).result))
    }
}

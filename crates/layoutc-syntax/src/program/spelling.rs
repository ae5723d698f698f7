//! Types as C++ writes them.

use super::{Program, RecordId, TemplateArgument};
use crate::types::{QualType, Scalar, TypeKind};

impl Program {
    /// A type as C++ writes it in front of a declared name, from any place of the program; `None`
    /// if it has no such name.
    #[must_use]
    pub fn spelling(&self, ty: QualType) -> Option<String> {
        let constant = if ty.is_const { "const " } else { "" };
        let text = match self.types.kind(ty.id) {
            TypeKind::Scalar(scalar) => scalar.spelling().to_owned(),
            TypeKind::Vector(vector) => vector.name(),
            TypeKind::Record(record) => self.qualified_name(*record)?,
            TypeKind::Pointer(to) => {
                let inner = self.spelling(*to)?;
                return Some(if ty.is_const {
                    format!("{inner} *const")
                } else {
                    format!("{inner} *")
                });
            }
            TypeKind::Enum(name, _) if !name.is_empty() && !name.starts_with('(') => name.clone(),
            TypeKind::Named(name, arguments) if arguments.is_empty() => name.clone(),
            TypeKind::Opaque(own) => own.name.clone(),
            TypeKind::Unknown
            | TypeKind::Void
            | TypeKind::Enum(..)
            | TypeKind::Reference(..)
            | TypeKind::Array(..)
            | TypeKind::Function
            | TypeKind::Named(..)
            | TypeKind::TemplateParameter(_) => return None,
        };
        Some(format!("{constant}{text}"))
    }

    /// The record's name with its namespaces; `None` for one that has no name outside a function
    /// or class.
    #[must_use]
    pub fn qualified_name(&self, id: RecordId) -> Option<String> {
        let own = self.record(id);
        if own.is_local || self.spelled_name(id).is_empty() {
            return None;
        }
        let mut text: String = own
            .namespaces
            .iter()
            .filter(|name| !name.starts_with('('))
            .map(|name| format!("{name}::"))
            .collect();
        text.push_str(self.spelled_name(id));
        Some(text)
    }

    /// A template argument as C++ writes it.
    #[must_use]
    pub fn argument_spelling(&self, argument: TemplateArgument) -> Option<String> {
        match argument {
            TemplateArgument::Type(ty) => match self.types.kind(ty.id) {
                TypeKind::Array(of, None) => Some(format!("{}[]", self.spelling(*of)?)),
                _ => self.spelling(ty),
            },
            TemplateArgument::Value(value, Scalar::Bool) => Some((value != 0).to_string()),
            TemplateArgument::Value(value, _) => Some(value.to_string()),
        }
    }
}

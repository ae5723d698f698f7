//! Classes of the libraries of C++ and CUDA.

use super::{FunctionId, Program, RecordId, TemplateArgument};
use crate::preprocess::Foreign;
use crate::types::TypeKind;
use layoutc_diagnostics::FileId;

/// Their names without namespaces: the members of each are its own, and none of the program's.
const CLASSES: [&str; 25] = [
    "vector",
    "array",
    "unique_ptr",
    "string",
    "basic_string",
    "string_view",
    "deque",
    "list",
    "map",
    "set",
    "unordered_map",
    "unordered_set",
    "shared_ptr",
    "function",
    "initializer_list",
    "device_vector",
    "host_vector",
    "universal_vector",
    "mutex",
    "thread",
    "ifstream",
    "ofstream",
    "stringstream",
    "ostringstream",
    "istringstream",
];

impl Program {
    /// Whether a file is no file, but the text that layoutc has for classes of a library.
    #[must_use]
    pub fn is_model_text(&self, file: FileId) -> bool {
        self.files[file.index()].foreign == Some(Foreign::Model)
    }

    /// Whether a record is an instance of an owner of a library that has its text from layoutc.
    #[must_use]
    pub fn is_modelled_owner(&self, record: RecordId) -> bool {
        let own = self.record(record);
        own.instance.is_some() && self.is_model_text(own.name_span.file)
    }

    /// Whether a record is an instance of `thrust::device_vector` that has its text from layoutc.
    #[must_use]
    pub fn is_device_vector(&self, record: RecordId) -> bool {
        self.record(record).name == "device_vector" && self.is_modelled_owner(record)
    }

    /// What a template's parameter means in the text of an instance, by the instance's argument: in an owner of `T[]` that is `T`.
    #[must_use]
    pub fn bound_argument(&self, record: RecordId, argument: TemplateArgument) -> TemplateArgument {
        match argument {
            TemplateArgument::Type(ty) if self.is_modelled_owner(record) => {
                match *self.types.kind(ty.id) {
                    TypeKind::Array(of, _) => TemplateArgument::Type(of),
                    _ => argument,
                }
            }
            TemplateArgument::Type(_) | TemplateArgument::Value(..) => argument,
        }
    }

    /// Whether a function of such an owner is given a pointer for the address of the array's first byte.
    #[must_use]
    pub fn takes_base(&self, id: FunctionId) -> bool {
        let own = self.function(id);
        own.name == "base_" && own.record.is_some_and(|record| self.is_modelled_owner(record))
    }

    /// Whether a class is one of the libraries of C++ and CUDA whose members are its own, and the program has no class of
    /// that name.
    #[must_use]
    pub fn is_library_class(&self, name: &str) -> bool {
        let name = name.trim_start_matches("::").trim_start_matches("std::");
        CLASSES.contains(&name)
            && self
                .records
                .iter()
                .all(|own| own.name != name || self.is_model_text(own.name_span.file))
    }
}

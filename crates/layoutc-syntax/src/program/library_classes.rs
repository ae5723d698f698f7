//! Classes of the libraries of C++ and CUDA.

use super::Program;

/// Their names without namespaces: the members of each are its own, and none of the program's.
const CLASSES: [&str; 24] = [
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
    "mutex",
    "thread",
    "ifstream",
    "ofstream",
    "stringstream",
    "ostringstream",
    "istringstream",
];

impl Program {
    /// Whether a class is one of the libraries of C++ and CUDA whose members are its own, and the program has no class of
    /// that name.
    #[must_use]
    pub fn is_library_class(&self, name: &str) -> bool {
        let name = name.trim_start_matches("::").trim_start_matches("std::");
        CLASSES.contains(&name) && self.records.iter().all(|record| record.name != name)
    }
}

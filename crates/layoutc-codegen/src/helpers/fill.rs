//! Byte fills that start inside an array: element by element.

use super::{Needs, extent_arguments, extents, numbered, parameter, select_device};
use crate::hygiene::mention;
use crate::storage::{IndexText, Storage};
use std::fmt::Write as _;

/// The kernel and functions that a program needs.
pub(super) fn functions(storage: &Storage, needs: Needs, out: &mut String) {
    if !needs.fill && !needs.fill_async {
        return;
    }
    let (record, prefix) = (mention(&storage.record), &storage.prefix);
    let p = parameter(storage, false, "p");
    let (more, arguments) = (extents(storage), extent_arguments(storage));
    let _ = write!(
        out,
        "\nstatic __global__ void {prefix}FillKernel({p}, int value, size_t first, size_t n{more})\n{{\n    \
         size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;\n    if (i >= n)\n        return;\n    {}\n{}}}\n",
        match storage.cells {
            Some(_) => format!("i = {};", numbered(storage, "i + first")),
            None => "i += first;".to_owned(),
        },
        statements(storage),
    );
    for is_async in [false, true] {
        if !(if is_async { needs.fill_async } else { needs.fill }) {
            continue;
        }
        let (suffix, stream, launch) =
            if is_async { ("Async", ", cudaStream_t stream", ", 0, stream") } else { ("", "", "") };
        let (select, restore) = select_device(storage, needs, "p");
        let wait = if needs.is_managed && !is_async {
            "const cudaError_t error = cudaDeviceSynchronize();\n    "
        } else {
            "const cudaError_t error = cudaSuccess;\n    "
        };
        let _ = write!(
            out,
            "\n// Fills every member of some elements with a byte, from element `at` of the array.\n\
             static inline cudaError_t {prefix}Fill{suffix}({p}, int value, size_t bytes{more}{stream}, size_t at)\n{{\n    \
             {select}const size_t n = bytes / sizeof({record});\n    if (n > 0)\n        \
             {prefix}FillKernel<<<(unsigned)((n + 255) / 256), 256{launch}>>>(p, value, at, n{arguments});\n    \
             {wait}{restore}return error;\n}}\n",
        );
    }
}

/// Fills each leaf of element `i`.
pub(super) fn statements(storage: &Storage) -> String {
    if storage.is_record {
        return "    memset((void *)(p + i), value, sizeof(*p));\n".to_owned();
    }
    let mut out = String::new();
    let index = IndexText::simple("i");
    let names = ["a", "b", "c", "d", "e", "f"];
    for leaf in 0..storage.shape.members.len() {
        let extents = &storage.shape.shape.leaves[leaf].extents;
        let mut indent = String::from("    ");
        let mut subscripts = Vec::new();
        for (at, extent) in extents.iter().enumerate() {
            let name = names[at % names.len()];
            let _ = writeln!(out, "{indent}for (int {name} = 0; {name} < {extent}; ++{name})");
            indent.push_str("    ");
            subscripts.push(name.to_owned());
        }
        let stored = storage.leaf_expression("p", None, leaf, &index, &subscripts);
        let _ = writeln!(out, "{indent}memset((void *)&{stored}, value, sizeof({stored}));");
    }
    out
}

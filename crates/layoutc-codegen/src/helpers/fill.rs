//! Byte fills that start inside an array: element by element.

use super::{Conversions, Needs, extent_arguments, extents, numbered, parameter};
use crate::hygiene::mention;
use crate::storage::{IndexText, Storage};
use std::fmt::Write as _;

/// The kernel and functions that a program needs.
pub(super) fn functions(storage: &Storage, needs: Needs, library: &Conversions, out: &mut String) {
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
        let (enter, leave) = match needs.several_devices {
            true => {
                let first =
                    if storage.is_handle { storage.first_pointer("p") } else { "p".to_owned() };
                let enter = library.name("enterDevice");
                (
                    format!("const int device = {enter}({first});\n    "),
                    "cudaSetDevice(device);\n    ",
                )
            }
            false => (String::new(), ""),
        };
        let wait = if needs.is_managed && !is_async {
            "if (error == cudaSuccess)\n        error = cudaDeviceSynchronize();\n    "
        } else {
            ""
        };
        let _ = write!(
            out,
            "\n// Fills every member of some elements with a byte, from element `at` of the array.\n\
             static inline cudaError_t {prefix}Fill{suffix}({p}, int value, size_t bytes{more}{stream}, size_t at)\n{{\n    \
             const size_t n = bytes / sizeof({record});\n    if (n == 0)\n        return cudaSuccess;\n    \
             {enter}const cudaError_t before = cudaPeekAtLastError();\n    \
             {prefix}FillKernel<<<(unsigned)((n + 255) / 256), 256{launch}>>>(p, value, at, n{arguments});\n    \
             cudaError_t error = {}(before);\n    \
             {wait}{leave}return error;\n}}\n",
            library.name("launchError"),
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

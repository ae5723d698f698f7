//! Prefetching and advice for the arrays of a handle: the same calls for each of them.

use super::{Needs, pointer_ranges};
use crate::hygiene::mention;
use crate::storage::Storage;
use std::fmt::Write as _;

/// The functions that a program needs.
pub(super) fn functions(storage: &Storage, needs: Needs, out: &mut String) {
    if needs.prefetch {
        function(
            storage,
            ("Prefetch", "Prefetches", "cudaMemPrefetchAsync"),
            [
                (
                    "cudaMemLocation where, unsigned flags, cudaStream_t stream = 0",
                    "where, flags, stream",
                ),
                ("int where, cudaStream_t stream = 0", "where, stream"),
            ],
            out,
        );
    }
    if needs.advise {
        function(
            storage,
            ("Advise", "Says the use of", "cudaMemAdvise"),
            [
                ("cudaMemoryAdvise advice, cudaMemLocation where", "advice, where"),
                ("cudaMemoryAdvise advice, int where", "advice, where"),
            ],
            out,
        );
    }
}

/// A function with the parameters of CUDA 13, and of earlier versions.
fn function(
    storage: &Storage,
    (suffix, what, call): (&str, &str, &str),
    versions: [(&str, &str); 2],
    out: &mut String,
) {
    let (record, prefix, handle) = (mention(&storage.record), &storage.prefix, &storage.type_name);
    let _ =
        writeln!(out, "\n// {what} the elements that take the first `bytes` bytes as `{record}`.");
    for (directive, (parameters, arguments)) in
        ["#if CUDART_VERSION >= 13000", "#else"].into_iter().zip(versions)
    {
        let _ = write!(
            out,
            "{directive}\nstatic inline cudaError_t {prefix}{suffix}({handle} p, size_t bytes, {parameters})\n{{\n    \
             const size_t n = (bytes + sizeof({record}) - 1) / sizeof({record});\n    cudaError_t error = cudaSuccess;\n"
        );
        for (pointer, bytes) in pointer_ranges(storage) {
            let _ = writeln!(
                out,
                "    if (error == cudaSuccess)\n        error = {call}({pointer}, {bytes}, {arguments});"
            );
        }
        let _ = writeln!(out, "    return error;\n}}");
    }
    let _ = writeln!(out, "#endif");
}

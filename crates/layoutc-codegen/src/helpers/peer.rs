//! Copies between the devices of two arrays, as records: each device converts its own side.

use super::{Needs, parameter};
use crate::hygiene::mention;
use crate::storage::Storage;
use std::fmt::Write as _;

/// The function, if a program needs it.
pub(super) fn function(storage: &Storage, needs: Needs, out: &mut String) {
    if !needs.copy_peer {
        return;
    }
    let (record, prefix) = (mention(&storage.record), &storage.prefix);
    let (to, from) = (parameter(storage, false, "to"), parameter(storage, true, "from"));
    let (what, places, to_at, from_at) = if needs.offset_within {
        (
            ", from element `from_at` to element `to_at`",
            ", size_t to_at = 0, size_t from_at = 0",
            "to_at + first",
            "from_at + first",
        )
    } else {
        ("", "", "first", "first")
    };
    let grid = "(unsigned)((count + 255) / 256), 256";
    let _ = write!(
        out,
        "\n// Copies between devices{what}, as records and a chunk at a time.\n\
         static inline cudaError_t {prefix}MemcpyPeer({to}, int to_device, {from}, int from_device, size_t bytes{places})\n{{\n    \
         const size_t n = bytes / sizeof({record}), chunk = n < (1 << 20) ? n : (1 << 20);\n    \
         if (n == 0)\n        return cudaSuccess;\n    \
         int device = 0;\n    \
         cudaGetDevice(&device);\n    \
         char *stage = NULL, *end = NULL;\n    \
         cudaError_t error = cudaSetDevice(from_device);\n    \
         if (error == cudaSuccess)\n        error = cudaMalloc(&stage, chunk * sizeof({record}));\n    \
         if (error == cudaSuccess)\n        error = cudaSetDevice(to_device);\n    \
         if (error == cudaSuccess)\n        error = cudaMalloc(&end, chunk * sizeof({record}));\n    \
         for (size_t first = 0; first < n && error == cudaSuccess; first += chunk) {{\n        \
         const size_t count = n - first < chunk ? n - first : chunk;\n        \
         cudaSetDevice(from_device);\n        \
         {prefix}Pack<<<{grid}>>>(({record} *)stage, from, {from_at}, count);\n        \
         error = cudaMemcpyPeer(end, to_device, stage, from_device, count * sizeof({record}));\n        \
         cudaSetDevice(to_device);\n        \
         if (error == cudaSuccess)\n            \
         {prefix}Unpack<<<{grid}>>>(to, (const {record} *)end, {to_at}, count);\n    }}\n    \
         const cudaError_t freed = end ? cudaFree(end) : cudaSuccess;\n    \
         if (stage) {{\n        cudaSetDevice(from_device);\n        cudaFree(stage);\n    }}\n    \
         cudaSetDevice(device);\n    \
         return error != cudaSuccess ? error : freed;\n}}\n",
    );
    if needs.copy_peer_async {
        let pass = if needs.offset_within { ", to_at, from_at" } else { "" };
        let _ = write!(
            out,
            "\n// The same behind the work on a stream, which it waits for.\n\
             static inline cudaError_t {prefix}MemcpyPeerAsync({to}, int to_device, {from}, int from_device, size_t bytes, cudaStream_t stream = 0{places})\n{{\n    \
             const cudaError_t error = cudaStreamSynchronize(stream);\n    \
             return error != cudaSuccess ? error : {prefix}MemcpyPeer(to, to_device, from, from_device, bytes{pass});\n}}\n",
        );
    }
}

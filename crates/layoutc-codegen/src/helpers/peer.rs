//! Copies between the devices of two arrays.

use super::{Conversions, Needs, parameter};
use crate::storage::Storage;
use std::fmt::Write as _;

/// The function, if a program needs it.
pub(super) fn function(storage: &Storage, needs: Needs, library: &Conversions, out: &mut String) {
    if !needs.copy_peer {
        return;
    }
    let prefix = &storage.prefix;
    let (to, from) = (parameter(storage, false, "to"), parameter(storage, true, "from"));
    let (what, places, pass) = match needs.offset_within {
        true => (
            ", from element `from_at` to element `to_at`",
            ", size_t to_at = 0, size_t from_at = 0",
            ", to_at, from_at",
        ),
        false => ("", "", ""),
    };
    let _ = write!(
        out,
        "\n// Copies between devices{what}, as records.\n\
         static inline cudaError_t {prefix}MemcpyPeer({to}, int to_device, {from}, int from_device, size_t bytes{places})\n{{\n    \
         return {}({}, to_device, {}, from_device, bytes{pass});\n}}\n",
        library.name("copyPeer"),
        library.made(storage, "to", false),
        library.made(storage, "from", true),
    );
    if needs.copy_peer_async {
        let _ = write!(
            out,
            "\n// The same behind the work on a stream, which it waits for.\n\
             static inline cudaError_t {prefix}MemcpyPeerAsync({to}, int to_device, {from}, int from_device, size_t bytes, cudaStream_t stream = 0{places})\n{{\n    \
             const cudaError_t error = cudaStreamSynchronize(stream);\n    \
             return error != cudaSuccess ? error : {prefix}MemcpyPeer(to, to_device, from, from_device, bytes{pass});\n}}\n",
        );
    }
}

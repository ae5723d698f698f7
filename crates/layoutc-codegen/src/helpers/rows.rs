//! Copies of rows between host and device.

use super::{Conversions, Copy, Needs, parameter};
use crate::storage::Storage;

/// The functions that a program needs.
pub(super) fn functions(storage: &Storage, needs: Needs, library: &Conversions, out: &mut String) {
    let (element, at, at_pass) = match needs.offset {
        true => (", from element `at` of the array", ", size_t at = 0", ", at"),
        false => ("", "", ""),
    };
    for (is_needed, is_async, is_in, function) in [
        (needs.rows_in, false, true, "copyRowsIn"),
        (needs.rows_out, false, false, "copyRowsOut"),
        (needs.rows_in_async, true, true, "copyRowsInAsync"),
        (needs.rows_out_async, true, false, "copyRowsOutAsync"),
    ] {
        if !is_needed {
            continue;
        }
        let (suffix, stream, pass) = match is_async {
            true => ("Memcpy2DAsync", ", cudaStream_t stream = 0", ", stream"),
            false => ("Memcpy2D", "", ""),
        };
        let (what, pointer, sides, arguments) = match is_in {
            true => (
                "Copies rows of records of the host to the device",
                "to",
                format!(
                    "{}, size_t to_pitch, const void *from, size_t from_pitch",
                    parameter(storage, false, "to")
                ),
                format!("{}, to_pitch, from, from_pitch", library.made(storage, "to", false)),
            ),
            false => (
                "Copies to rows of records of the host",
                "from",
                format!(
                    "void *to, size_t to_pitch, {}, size_t from_pitch",
                    parameter(storage, true, "from")
                ),
                format!("to, to_pitch, {}, from_pitch", library.made(storage, "from", true)),
            ),
        };
        let copy = Copy {
            what: format!("{what}{element}"),
            suffix,
            parameters: format!("{sides}, size_t width, size_t height, cudaMemcpyKind{stream}{at}"),
            pointer,
            call: format!("{}({arguments}, width, height{pass}{at_pass})", library.name(function)),
        };
        copy.text(storage, needs, library, out);
    }
}

//! Copies of rows between host and device, through a buffer of whole rows.

use super::{Needs, kernel, parameter, select_device};
use crate::hygiene::mention;
use crate::storage::Storage;
use std::fmt::Write as _;

/// The kernels and functions that a program needs.
pub(super) fn functions(storage: &Storage, needs: Needs, out: &mut String) {
    let (record, prefix) = (mention(&storage.record), &storage.prefix);
    let place = "first + i / row * step + i % row";
    if needs.rows_in || needs.rows_in_async {
        let body = if storage.is_record {
            format!("to[{place}] = from[i];")
        } else {
            format!("{prefix}Store(to, {place}, from[i]);")
        };
        let to = parameter(storage, false, "to");
        let parameters = format!("{to}, const {record} *from, size_t row, size_t step");
        kernel(storage, out, &format!("{prefix}UnpackRows"), &parameters, &body);
    }
    if needs.rows_out || needs.rows_out_async {
        let body = if storage.is_record {
            format!("to[i] = from[{place}];")
        } else {
            format!("to[i] = {prefix}Load(from, {place});")
        };
        let from = parameter(storage, true, "from");
        let parameters = format!("{record} *to, {from}, size_t row, size_t step");
        kernel(storage, out, &format!("{prefix}PackRows"), &parameters, &body);
    }
    for (is_needed, is_async, is_in) in [
        (needs.rows_in, false, true),
        (needs.rows_out, false, false),
        (needs.rows_in_async, true, true),
        (needs.rows_out_async, true, false),
    ] {
        if is_needed {
            function(storage, needs, is_async, is_in, out);
        }
    }
}

fn function(storage: &Storage, needs: Needs, is_async: bool, is_in: bool, out: &mut String) {
    let (record, prefix) = (mention(&storage.record), &storage.prefix);
    let (suffix, stream, launch, pass) = if is_async {
        ("Async", ", cudaStream_t stream = 0", ", 0, stream", ", stream")
    } else {
        ("", "", "", "")
    };
    let (offset, at) = if needs.offset { (", size_t at = 0", "at + ") } else { ("", "") };
    let grid = "(unsigned)((count * row + 255) / 256), 256";
    let (what, parameters, device_pitch, pointer, body) = if is_in {
        (
            "Copies rows of records of the host to the device",
            format!(
                "{}, size_t to_pitch, const void *from, size_t from_pitch",
                parameter(storage, false, "to")
            ),
            "to_pitch",
            "to",
            format!(
                "        error = cudaMemcpy2D{suffix}(stage, width, (const char *)from + first * from_pitch, from_pitch, width, count, cudaMemcpyHostToDevice{pass});\n        \
                 if (error == cudaSuccess)\n            \
                 {prefix}UnpackRows<<<{grid}{launch}>>>(to, (const {record} *)stage, row, step, {at}first * step, count * row);\n"
            ),
        )
    } else {
        (
            "Copies to rows of records of the host",
            format!(
                "void *to, size_t to_pitch, {}, size_t from_pitch",
                parameter(storage, true, "from")
            ),
            "from_pitch",
            "from",
            format!(
                "        {prefix}PackRows<<<{grid}{launch}>>>(({record} *)stage, from, row, step, {at}first * step, count * row);\n        \
                 error = cudaMemcpy2D{suffix}((char *)to + first * to_pitch, to_pitch, stage, width, width, count, cudaMemcpyDeviceToHost{pass});\n"
            ),
        )
    };
    let (select, restore) = select_device(storage, needs, pointer);
    let wait = if is_in && needs.is_managed && !is_async {
        "    if (error == cudaSuccess)\n        error = cudaDeviceSynchronize();\n"
    } else {
        ""
    };
    let what = if needs.offset {
        format!("{what}, from element `at` of the array")
    } else {
        what.to_owned()
    };
    let _ = write!(
        out,
        "\n// {what}, converting some rows at a time.\n\
         static inline cudaError_t {prefix}Memcpy2D{suffix}({parameters}, size_t width, size_t height, cudaMemcpyKind{stream}{offset})\n{{\n    \
         const size_t row = width / sizeof({record}), step = {device_pitch} / sizeof({record});\n    \
         if (row == 0 || height == 0)\n        return cudaSuccess;\n    \
         if (height > 1 && step < row)\n        return cudaErrorInvalidPitchValue;\n    \
         size_t chunk = row < (1 << 20) ? (1 << 20) / row : 1;\n    \
         if (chunk > height)\n        chunk = height;\n    \
         {select}char *stage = NULL;\n    \
         cudaError_t error = cudaMalloc{suffix}(&stage, chunk * width{pass});\n    \
         for (size_t first = 0; first < height && error == cudaSuccess; first += chunk) {{\n        \
         const size_t count = height - first < chunk ? height - first : chunk;\n{body}    }}\n{wait}    \
         const cudaError_t freed = stage ? cudaFree{suffix}(stage{pass}) : cudaSuccess;\n    \
         {restore}return error != cudaSuccess ? error : freed;\n}}\n",
    );
}

//! Arrays at file scope: the struct that holds the arrays of a handle, and copies by name.

use super::{Needs, member_declaration, planes_of};
use crate::hygiene::{member as member_name, mention};
use crate::storage::{GroupKind, Storage};
use std::fmt::Write as _;

/// A struct with all arrays of a handle, for a fixed number of elements.
pub(super) fn arrays(storage: &Storage, out: &mut String) {
    let (record, name, handle) =
        (mention(&storage.record), &storage.symbol_name, &storage.type_name);
    let _ = write!(
        out,
        "\n// The memory of an array of `Elements` elements of `{record}`, split by members.\n\
         template <size_t Elements>\nstruct {name} {{\n"
    );
    let mut assignments = String::new();
    for group in &storage.groups {
        let member = &group.handle_member;
        let declaration = match &group.kind {
            GroupKind::Struct { struct_name } => {
                format!("{struct_name} {}[Elements];", member_name(member))
            }
            GroupKind::Tile { struct_name, tile } => {
                format!(
                    "{struct_name} {}[(Elements + {}) / {tile}];",
                    member_name(member),
                    tile - 1
                )
            }
            GroupKind::Array => {
                let leaf = group.leaves[0];
                let extents: String = storage.shape.shape.leaves[leaf]
                    .extents
                    .iter()
                    .map(|extent| format!("[{extent}]"))
                    .collect();
                member_declaration(storage, leaf, member, "", &format!("{extents}[Elements]"))
            }
        };
        let _ = writeln!(out, "    __align__(128) {declaration}");
        for plane in planes_of(storage, group) {
            let subscripts = plane.map_or_else(String::new, |(_, subscripts, _)| subscripts);
            // A member of the handle's name, which may get a number, is hidden by it.
            let number = member.strip_prefix('p');
            let is_hidden = number.is_some_and(|rest| rest.bytes().all(|own| own.is_ascii_digit()));
            let this = if is_hidden { "this->" } else { "" };
            let _ = writeln!(
                assignments,
                "        p.{member}{subscripts} = {this}{}{subscripts};",
                member_name(member),
            );
        }
    }
    let _ = write!(
        out,
        "    __host__ __device__ operator {handle}()\n    {{\n        {handle} p;\n{assignments}        return p;\n    }}\n}};\n"
    );
}

/// The functions that a program needs.
pub(super) fn functions(storage: &Storage, needs: Needs, out: &mut String) {
    let (record, prefix, name) = (mention(&storage.record), &storage.prefix, &storage.type_name);
    let copies = needs.to_symbol || needs.from_symbol;
    let copies = copies || needs.to_symbol_async || needs.from_symbol_async;
    if storage.is_handle && (needs.symbol_address || copies) {
        let _ = write!(
            out,
            "\n// The arrays of a symbol.\ntemplate <typename Symbol>\n\
             static inline cudaError_t {prefix}SymbolAddress({name} *p, Symbol &symbol)\n{{\n    \
             Symbol *at = NULL;\n    \
             const cudaError_t error = cudaGetSymbolAddress((void **)&at, symbol);\n    \
             if (error == cudaSuccess)\n        *p = *at;\n    return error;\n}}\n"
        );
    }
    let (declare, address) = if storage.is_handle {
        (format!("{name} p;"), format!("{prefix}SymbolAddress(&p, symbol)"))
    } else {
        (format!("{name} *p = NULL;"), "cudaGetSymbolAddress((void **)&p, symbol)".to_owned())
    };
    let to = (
        "Copies records of the host to a symbol",
        "MemcpyToSymbol",
        "Symbol &symbol, const void *from",
        "p, from",
        "cudaMemcpyHostToDevice",
    );
    let from = (
        "Copies the elements of a symbol to records of the host",
        "MemcpyFromSymbol",
        "void *to, Symbol &symbol",
        "to, p",
        "cudaMemcpyDeviceToHost",
    );
    for (is_needed, is_async, (what, suffix, parameters, call, kind)) in [
        (needs.to_symbol, false, to),
        (needs.to_symbol_async, true, to),
        (needs.from_symbol, false, from),
        (needs.from_symbol_async, true, from),
    ] {
        if !is_needed {
            continue;
        }
        let (check, place) = if needs.offset {
            (String::new(), format!(", offset / sizeof({record})"))
        } else {
            ("(void)offset;\n    ".to_owned(), String::new())
        };
        let (on, own, stream, pass) = match is_async {
            true => (", on a stream", "Async", ", cudaStream_t stream = 0", ", stream"),
            false => ("", "", "", ""),
        };
        let _ = write!(
            out,
            "\n// {what}{on}.\ntemplate <typename Symbol>\n\
             static inline cudaError_t {prefix}{suffix}{own}({parameters}, size_t bytes, size_t offset = 0, cudaMemcpyKind = {kind}{stream})\n{{\n    \
             {check}{declare}\n    const cudaError_t error = {address};\n    \
             return error != cudaSuccess ? error : {prefix}Memcpy{own}({call}, bytes, {kind}{pass}{place});\n}}\n"
        );
    }
}

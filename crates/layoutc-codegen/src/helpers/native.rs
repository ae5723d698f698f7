//! Host arrays in the layout: memory for them, and copies that move its bytes as they are.

use super::{Needs, block, parameter, planes_of, unit_count, unit_size};
use crate::hygiene::mention;
use crate::storage::{GroupKind, GroupStorage, Storage};
use std::fmt::Write as _;

/// The functions that a program needs.
pub(super) fn functions(storage: &Storage, needs: Needs, out: &mut String) {
    if needs.alloc {
        allocation(storage, Source::Malloc, out);
    }
    if needs.calloc {
        allocation(storage, Source::Calloc, out);
    }
    if needs.new {
        new_function(storage, needs.constructs, false, out);
    }
    if needs.new_zeroed {
        new_function(storage, needs.constructs, true, out);
    }
    if needs.delete {
        let p = parameter(storage, false, "p");
        let first = if storage.is_handle { storage.first_pointer("p") } else { "p".to_owned() };
        let _ = write!(
            out,
            "\n// Gives an array of `{0}New` back.\nstatic inline void {0}Delete({p})\n{{\n    \
             ::operator delete((void *){first});\n}}\n",
            storage.prefix
        );
    }
    if needs.malloc_host {
        pinned(storage, ("MallocHost", "cudaMallocHost", "", ""), out);
    }
    if needs.host_alloc {
        pinned(storage, ("HostAlloc", "cudaHostAlloc", ", unsigned flags", ", flags"), out);
    }
    if needs.copy {
        copy(storage, Mover::Runtime, out);
    }
    if needs.copy_async {
        copy(storage, Mover::Stream, out);
    }
    if needs.copy_host {
        copy(storage, Mover::Library, out);
    }
    if needs.set_host {
        set(storage, out);
    }
}

/// Where memory of the library comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Malloc,
    Calloc,
}

/// `n` elements of what the source would have put into `bytes` bytes.
fn count(storage: &Storage) -> String {
    let record = mention(&storage.record);
    format!("    size_t n = (bytes + sizeof({record}) - 1) / sizeof({record});\n")
}

/// A handle with memory of `malloc` or `calloc`.
fn allocation(storage: &Storage, source: Source, out: &mut String) {
    let (prefix, handle) = (&storage.prefix, &storage.type_name);
    let (name, parameters, sizes, call) = match source {
        Source::Malloc => ("Alloc", "size_t bytes", String::new(), "malloc(end)"),
        Source::Calloc => (
            "Calloc",
            "size_t count, size_t width",
            "    if (width != 0 && count > (size_t)-1 / width)\n        return a;\n    \
             const size_t bytes = count * width;\n"
                .to_owned(),
            "calloc(1, end)",
        ),
    };
    let (offsets, assignments) = block(storage);
    let _ = write!(
        out,
        "\n// An array in host memory; its first pointer is the one to free, and null if there is none.\n\
         static inline {handle} {prefix}{name}({parameters})\n{{\n    {handle} a = {{}}, *p = &a;\n{sizes}{}    \
         size_t end = 0;\n{offsets}    char *base = (char *){call};\n    if (base == NULL)\n        return a;\n\
         {assignments}    return a;\n}}\n",
        count(storage),
    );
}

/// An array as `new` makes it.
fn new_function(storage: &Storage, constructs: bool, is_zeroed: bool, out: &mut String) {
    let (record, prefix) = (mention(&storage.record), &storage.prefix);
    let name = if is_zeroed { "NewZeroed" } else { "New" };
    let result = if storage.is_handle {
        storage.type_name.clone()
    } else {
        format!("{} *", storage.type_name)
    };
    let space = if storage.is_handle { " " } else { "" };
    let what = if is_zeroed { " of zeros" } else { "" };
    let _ = write!(
        out,
        "\n// An array of `n` elements{what} in host memory.\nstatic inline {result}{space}{prefix}{name}(size_t n)\n{{\n"
    );
    let zero = |size: &str| {
        if is_zeroed { format!("    memset((void *)base, 0, {size});\n") } else { String::new() }
    };
    // What `new` refuses is refused here: the byte count must not run over.
    let limit =
        format!("    if (n > (size_t)-1 / sizeof({record}) / 2)\n        end = (size_t)-1;\n");
    if storage.is_handle {
        let (offsets, assignments) = block(storage);
        let _ = write!(
            out,
            "    size_t end = 0;\n{offsets}{limit}    char *base = (char *)::operator new(end);\n{}    \
             {result} a = {{}}, *p = &a;\n{assignments}",
            zero("end")
        );
    } else {
        let group = &storage.groups[0];
        let size = format!("{} * {}", unit_count(group), unit_size(storage, group));
        let _ = write!(
            out,
            "    size_t end = {size};\n{limit}    char *base = (char *)::operator new(end);\n{}    \
             {result}a = ({result})base;\n",
            zero("end")
        );
    }
    if constructs {
        let _ = write!(
            out,
            "    for (size_t i = 0; i < n; ++i)\n        {prefix}Store(a, i, {record}());\n"
        );
    }
    out.push_str("    return a;\n}\n");
}

/// Pinned memory for a handle.
fn pinned(
    storage: &Storage,
    (name, call, parameters, arguments): (&str, &str, &str, &str),
    out: &mut String,
) {
    let (prefix, handle) = (&storage.prefix, &storage.type_name);
    let (offsets, assignments) = block(storage);
    let _ = write!(
        out,
        "\n// Allocates an array in pinned memory of the host; its first pointer is the one to free.\n\
         static inline cudaError_t {prefix}{name}({handle} *p, size_t bytes{parameters})\n{{\n{}    \
         size_t end = 0;\n{offsets}    char *base = NULL;\n    cudaError_t error = {call}((void **)&base, end{arguments});\n    \
         if (error != cudaSuccess)\n        return error;\n{assignments}    return error;\n}}\n",
        count(storage),
    );
}

/// What moves bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mover {
    /// `cudaMemcpy`.
    Runtime,
    /// `cudaMemcpyAsync`.
    Stream,
    /// `memcpy`.
    Library,
}

impl Mover {
    /// One statement that moves `size` bytes.
    fn moves(self, indent: &str, to: &str, from: &str, size: &str) -> String {
        match self {
            Mover::Runtime => format!(
                "{indent}if (error == cudaSuccess)\n{indent}    error = cudaMemcpy({to}, {from}, {size}, kind);\n"
            ),
            Mover::Stream => format!(
                "{indent}if (error == cudaSuccess)\n{indent}    error = cudaMemcpyAsync({to}, {from}, {size}, kind, stream);\n"
            ),
            Mover::Library => {
                format!("{indent}memcpy((void *)({to}), (const void *)({from}), {size});\n")
            }
        }
    }
}

/// A copy between arrays of the layout.
fn copy(storage: &Storage, mover: Mover, out: &mut String) {
    let (record, prefix) = (mention(&storage.record), &storage.prefix);
    let (to, from) = (parameter(storage, false, "to"), parameter(storage, true, "from"));
    let (result, suffix, parameters, declare, done) = match mover {
        Mover::Runtime => (
            "cudaError_t",
            "Copy",
            ", cudaMemcpyKind kind",
            "    cudaError_t error = cudaSuccess;\n",
            "    return error;\n",
        ),
        Mover::Stream => (
            "cudaError_t",
            "CopyAsync",
            ", cudaMemcpyKind kind, cudaStream_t stream = 0",
            "    cudaError_t error = cudaSuccess;\n",
            "    return error;\n",
        ),
        Mover::Library => ("void", "CopyHost", "", "", ""),
    };
    let what = if mover == Mover::Library {
        "Copies elements within host memory"
    } else {
        "Copies elements between host and device, in one layout"
    };
    let _ = write!(
        out,
        "\n// {what}, from element `from_at` to element `to_at`.\n\
         static inline {result} {prefix}{suffix}({to}, {from}, size_t bytes{parameters}, size_t to_at = 0, size_t from_at = 0)\n{{\n    \
         const size_t n = bytes / sizeof({record});\n{declare}    if (n == 0)\n        return{};\n",
        if mover == Mover::Library { "" } else { " error" },
    );
    for group in &storage.groups {
        let side = |name: &str| {
            if storage.is_handle {
                format!("{name}.{}", group.handle_member)
            } else {
                name.to_owned()
            }
        };
        let (to, from) = (side("to"), side("from"));
        match &group.kind {
            _ if storage.is_record => {
                let size = format!("n * sizeof({})", storage.type_name);
                out.push_str(&mover.moves("    ", "to + to_at", "from + from_at", &size));
            }
            GroupKind::Struct { .. } => {
                let size = format!("n * {}", unit_size(storage, group));
                let (to, from) = (format!("{to} + to_at"), format!("{from} + from_at"));
                out.push_str(&mover.moves("    ", &to, &from, &size));
            }
            GroupKind::Array => {
                for plane in planes_of(storage, group) {
                    let subscripts =
                        plane.map_or_else(String::new, |(_, subscripts, _)| subscripts);
                    let size = format!("n * {}", unit_size(storage, group));
                    let to = format!("{to}{subscripts} + to_at");
                    let from = format!("{from}{subscripts} + from_at");
                    out.push_str(&mover.moves("    ", &to, &from, &size));
                }
            }
            GroupKind::Tile { struct_name, tile } => {
                tiles(storage, mover, group, (struct_name, *tile), (&to, &from), out);
            }
        }
    }
    let _ = writeln!(out, "{done}}}");
}

/// Copies one group of tiles: whole tiles at once where both sides begin with one, and the rest
/// member by member up to the end of a tile on either side.
fn tiles(
    storage: &Storage,
    mover: Mover,
    group: &GroupStorage,
    (struct_name, tile): (&str, u64),
    (to, from): (&str, &str),
    out: &mut String,
) {
    let go_on = if mover == Mover::Library { "" } else { " && error == cudaSuccess" };
    let _ = write!(
        out,
        "    for (size_t i = 0, count; i < n{go_on}; i += count) {{\n        \
         const size_t a = to_at + i, b = from_at + i, c = a % {tile}, d = b % {tile};\n        \
         if (c == 0 && d == 0 && n - i >= {tile}) {{\n            \
         count = (n - i) / {tile} * {tile};\n{}            continue;\n        }}\n        \
         count = {tile} - (c > d ? c : d);\n        if (count > n - i)\n            count = n - i;\n",
        mover.moves(
            "            ",
            &format!("{to} + a / {tile}"),
            &format!("{from} + b / {tile}"),
            &format!("count / {tile} * sizeof({struct_name})")
        ),
    );
    for leaf in &group.leaves {
        let name = &storage.leaf_names[*leaf];
        let mut indent = String::from("        ");
        let mut subscripts = String::new();
        let variables = ["e", "f", "row", "step", "rest", "at"];
        for (extent, variable) in storage.shape.shape.leaves[*leaf].extents.iter().zip(variables) {
            let _ = writeln!(
                out,
                "{indent}for (int {variable} = 0; {variable} < {extent}; ++{variable})"
            );
            indent.push_str("    ");
            let _ = write!(subscripts, "[{variable}]");
        }
        let place = |array: &str, index: &str, slot: &str| {
            format!("&{array}[{index} / {tile}].{name}{subscripts}[{slot}]")
        };
        let size = format!("count * sizeof({to}[0].{name}{subscripts}[0])");
        out.push_str(&mover.moves(&indent, &place(to, "a", "c"), &place(from, "b", "d"), &size));
    }
    out.push_str("    }\n");
}

/// A byte fill of elements in host memory.
fn set(storage: &Storage, out: &mut String) {
    let (record, prefix) = (mention(&storage.record), &storage.prefix);
    let p = parameter(storage, false, "p");
    let _ = write!(
        out,
        "\n// Fills every member of some elements in host memory with a byte, from element `at` of the array.\n\
         static inline void {prefix}SetHost({p}, int value, size_t bytes, size_t at = 0)\n{{\n    \
         const size_t n = bytes / sizeof({record});\n    for (size_t i = at; i < at + n; ++i) {{\n{}    }}\n}}\n",
        super::fill::statements(storage)
            .lines()
            .map(|line| format!("    {line}\n"))
            .collect::<String>(),
    );
}

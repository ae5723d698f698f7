//! The generated declarations of a class: its structs, and the functions that size, fill, copy
//! and convert its arrays.

pub(crate) mod conversions;
mod fill;
pub(crate) mod iterators;
mod linkage;
mod managed;
mod native;
pub(crate) mod opencl;
mod peer;
mod rows;
mod symbols;
mod views;

pub(crate) use conversions::Conversions;
pub(crate) use linkage::{Declarations, Functions, Part, with_linkage};

use crate::cells::CellFunctions;
use crate::hygiene::{local, member, mention};
use crate::storage::{GroupKind, GroupStorage, IndexText, Storage};
use std::fmt::Write as _;

/// The functions that a program uses, and so the ones that are generated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Needs {
    /// Byte count of an allocation.
    pub bytes: bool,
    /// Allocation of a handle.
    pub malloc: bool,
    /// The same on a stream.
    pub malloc_async: bool,
    /// The same from a pool.
    pub malloc_from_pool: bool,
    /// Allocation of a handle in managed memory.
    pub malloc_managed: bool,
    /// Prefetching of a handle's memory.
    pub prefetch: bool,
    /// Advice on a handle's memory.
    pub advise: bool,
    /// Host code loads and stores elements.
    pub on_host: bool,
    /// The host may access the memory right behind a copy or fill.
    pub is_managed: bool,
    /// Memory for a host array as `malloc` gives it.
    pub alloc: bool,
    /// The same, filled with zeros.
    pub calloc: bool,
    /// Memory for a host array as `new` gives it.
    pub new: bool,
    /// The same, filled with zeros.
    pub new_zeroed: bool,
    /// Constructors or initializers of members run for the elements that `new` makes.
    pub constructs: bool,
    /// `delete[]` of a host array.
    pub delete: bool,
    /// Pinned memory for a handle.
    pub malloc_host: bool,
    /// The same with flags.
    pub host_alloc: bool,
    /// A copy between host and device without conversion.
    pub copy: bool,
    /// The same on a stream.
    pub copy_async: bool,
    /// A copy between host arrays.
    pub copy_host: bool,
    /// A byte fill of a host array.
    pub set_host: bool,
    /// The kernel that packs elements into records.
    pub pack: bool,
    /// Element to record.
    pub load: bool,
    /// Record to element.
    pub store: bool,
    /// Algorithms of thrust get places instead of pointers.
    pub iterate: bool,
    /// The same, as an assignment whose value is used.
    pub assign: bool,
    /// Host to device.
    pub copy_in: bool,
    /// Device to host.
    pub copy_out: bool,
    /// Device to device.
    pub copy_within: bool,
    /// The copies of the program that take a stream.
    pub copy_in_async: bool,
    /// Device to host on a stream.
    pub copy_out_async: bool,
    /// Device to device on a stream.
    pub copy_within_async: bool,
    /// Some copy between host and device starts inside the array.
    pub offset: bool,
    /// Some copy between host and device may end inside a record.
    pub partial: bool,
    /// Memory may be on another device than the current one.
    pub several_devices: bool,
    /// The vector as which whole elements are moved.
    pub wide: Option<layoutc_syntax::VectorType>,
    /// Byte fill.
    pub memset: bool,
    /// Byte fill on a stream.
    pub memset_async: bool,
    /// Byte fill that starts inside the array.
    pub fill: bool,
    /// The same on a stream.
    pub fill_async: bool,
    /// Some copy within device memory starts inside an array.
    pub offset_within: bool,
    /// Between the devices of two arrays.
    pub copy_peer: bool,
    /// The same on a stream.
    pub copy_peer_async: bool,
    /// Arrays of a handle at file scope.
    pub symbol: bool,
    /// The start of an array at file scope.
    pub symbol_address: bool,
    /// From the host to an array at file scope.
    pub to_symbol: bool,
    /// From an array at file scope to the host.
    pub from_symbol: bool,
    /// From the host to an array at file scope, on a stream.
    pub to_symbol_async: bool,
    /// From an array at file scope to the host, on a stream.
    pub from_symbol_async: bool,
    /// Rows from host to device.
    pub rows_in: bool,
    /// Rows from host to device on a stream.
    pub rows_in_async: bool,
    /// Rows from device to host.
    pub rows_out: bool,
    /// Rows from device to host on a stream.
    pub rows_out_async: bool,
    /// Views of the array.
    pub views: crate::rewrite::ViewNeeds,
}

impl Needs {
    /// What any of two structs needs of the functions that they share.
    fn join(&mut self, other: &Needs) {
        self.pack |= other.pack;
        self.copy_in |= other.copy_in;
        self.copy_out |= other.copy_out;
        self.copy_within |= other.copy_within;
        self.copy_in_async |= other.copy_in_async;
        self.copy_out_async |= other.copy_out_async;
        self.copy_within_async |= other.copy_within_async;
        self.copy_peer |= other.copy_peer;
        self.rows_in |= other.rows_in;
        self.rows_in_async |= other.rows_in_async;
        self.rows_out |= other.rows_out;
        self.rows_out_async |= other.rows_out_async;
        self.fill |= other.fill;
        self.fill_async |= other.fill_async;
        self.partial |= other.partial;
        self.several_devices |= other.several_devices;
    }

    /// A partial copy to the device reads the record that it changes.
    fn with_pack(mut self) -> Self {
        self.copy_in |= self.to_symbol;
        self.copy_out |= self.from_symbol;
        self.copy_in_async |= self.to_symbol_async;
        self.copy_out_async |= self.from_symbol_async;
        self.pack |= self.copy_out || self.copy_out_async || self.copy_peer;
        self.pack |= self.rows_out || self.rows_out_async;
        self.pack |= self.partial && (self.copy_in || self.copy_in_async);
        self
    }

    /// Whether the kernel that takes records apart is needed.
    fn unpack(self) -> bool {
        self.copy_in || self.copy_in_async || self.copy_peer || self.rows_in || self.rows_in_async
    }

    /// Whether the kernel that copies elements within an array, or from one to another, is needed.
    fn moves(self) -> bool {
        self.copy_within || self.copy_within_async
    }

    fn closed(mut self) -> Self {
        self.load |= self.pack || self.moves();
        self.store |= self.unpack() || self.moves();
        self.store |= self.constructs || self.assign;
        self
    }
}

/// Names of the kernels that the generated text launches.
#[must_use]
pub(crate) fn kernel_names(storage: &Storage, needs: Needs, library: &Conversions) -> Vec<String> {
    let mut names = library.kernels(needs.with_pack());
    if needs.fill || needs.fill_async {
        names.push(format!("{}FillKernel", storage.prefix));
    }
    names
}

/// The generated text of a class, starting and ending with a line break.
///
/// `shared` is the text of the functions that structs share, if it stands here.
#[must_use]
pub(crate) fn declarations(
    storage: &Storage,
    needs: Needs,
    leaves: &std::collections::BTreeSet<usize>,
    (library, shared): (&Conversions, &str),
) -> Declarations {
    let needs = needs.with_pack();
    let needs = if storage.is_record { needs } else { needs.closed() };
    let mut all = Declarations::default();
    let mut types = String::new();
    structs(storage, &mut types);
    all.part(Part::Types)
        .push_str(&format!("\n{}", storage.in_space(types.trim_start_matches('\n'))));
    let out = all.part(Part::Device);
    // A member that is added later would be lost in copies.
    let is_checked = !storage.is_record || needs.unpack() || needs.pack;
    if is_checked && !storage.is_opencl {
        let _ = writeln!(
            out,
            "static_assert(sizeof({}) == {}, \"`{}` has changed: transform the program again\");",
            mention(&storage.record),
            storage.shape.shape.size.0,
            storage.record
        );
    }
    if let Some(cells) = &storage.cells {
        cells.text(out);
    }
    if needs.symbol && storage.is_handle {
        symbols::arrays(storage, out);
    }
    views::structs(storage, needs, out);
    let out = all.part(Part::Host);
    if needs.bytes {
        bytes_function(storage, out);
    }
    if needs.malloc {
        malloc_function(storage, Allocator::Plain, out);
    }
    if needs.malloc_async {
        malloc_function(storage, Allocator::Stream, out);
    }
    if needs.malloc_from_pool {
        malloc_function(storage, Allocator::Pool, out);
    }
    if needs.malloc_managed {
        malloc_function(storage, Allocator::Managed, out);
    }
    managed::functions(storage, needs, out);
    let out = all.part(Part::Device);
    if needs.load || needs.store {
        plain_members(storage, out);
    }
    if needs.load {
        load_function(storage, needs, out);
    }
    if needs.store {
        store_function(storage, needs, out);
    }
    if needs.assign {
        assign_function(storage, needs, out);
    }
    if let Some(vector) = needs.wide {
        vector_functions(storage, vector, needs, out);
    }
    iterators::structs(storage, needs, out);
    let out = all.part(Part::Device);
    out.push_str(shared);
    conversions::records(storage, needs, library, out);
    let out = all.part(Part::Host);
    copy_functions(storage, needs, library, out);
    if needs.memset {
        memset_function(storage, false, out);
    }
    if needs.memset_async {
        memset_function(storage, true, out);
    }
    symbols::functions(storage, needs, out);
    rows::functions(storage, needs, library, out);
    peer::function(storage, needs, library, out);
    fill::functions(storage, needs, library, out);
    native::functions(storage, needs, out);
    accessors(storage, needs, leaves, all.part(Part::Device));
    all
}

/// `float f[9][32];`, `float *x;`
fn member_declaration(
    storage: &Storage,
    leaf: usize,
    name: &str,
    before: &str,
    after: &str,
) -> String {
    let shape = &storage.shape.shape.leaves[leaf];
    let unit: String = storage.shape.members[leaf]
        .unit_dimensions
        .iter()
        .map(|extent| format!("[{extent}]"))
        .collect();
    let space = if shape.type_name.ends_with('*') { "" } else { " " };
    format!("{}{space}{before}{}{after}{unit};", mention(&shape.type_name), member(name))
}

/// Writes the members of a generated struct, each with the comment of the source; a member is a text and the leaf that it
/// holds, if it holds one.
fn commented_members(
    storage: &Storage,
    members: impl Iterator<Item = (String, Option<usize>)>,
    out: &mut String,
) {
    let mut last = None;
    for (text, leaf) in members {
        let comment = leaf.and_then(|leaf| storage.comments[leaf].as_ref());
        let is_new = comment.map(|comment| comment.declaration) != last;
        last = comment.map(|comment| comment.declaration);
        match comment.filter(|_| is_new) {
            Some(comment) if comment.is_above => {
                let _ = writeln!(out, "    // {}\n    {text}", comment.text);
            }
            Some(comment) => {
                let _ = writeln!(out, "    {text} // {}", comment.text);
            }
            None => {
                let _ = writeln!(out, "    {text}");
            }
        }
    }
}

fn structs(storage: &Storage, out: &mut String) {
    let record = mention(&storage.record);
    // Where a base class is named, nothing else is looked for.
    let base = storage.record.trim_start_matches("struct ").trim_start_matches("class ");
    let base = mention(base);
    if storage.is_record {
        let align = storage.groups[0]
            .align
            .map_or_else(String::new, |align| format!(" __align__({align})"));
        let what = match &storage.cells {
            Some(cells) => format!("whose cells have the order {}", cells.order()),
            None => "aligned for wide loads".to_owned(),
        };
        let _ = write!(
            out,
            "\n// `{record}` in device memory, {what}.\nstruct{align} {} : {base} {{\n    using {base}::operator=;\n}};\n",
            storage.type_name
        );
        return;
    }
    for group in &storage.groups {
        let (struct_name, tile) = match &group.kind {
            GroupKind::Struct { struct_name } => (struct_name, None),
            GroupKind::Tile { struct_name, tile } => (struct_name, Some(*tile)),
            GroupKind::Array => continue,
        };
        let whole = group.leaves.len() == storage.leaf_names.len();
        let what = match (tile, whole) {
            (Some(tile), true) => {
                format!("{tile} elements of `{record}` in device memory, member by member")
            }
            (Some(tile), false) => {
                format!("{tile} elements of some members of `{record}` in device memory")
            }
            (None, true) => format!("`{record}` in device memory, aligned for wide loads"),
            (None, false) => format!("members of `{record}` that lie together in device memory"),
        };
        let _ = writeln!(out, "\n// {}{}.", what[..1].to_uppercase(), &what[1..]);
        let align = group.align.map_or_else(String::new, |align| format!(" __align__({align})"));
        let _ = writeln!(out, "struct{align} {struct_name} {{");
        let members = group.leaves.iter().map(|leaf| {
            let extents: String = storage.shape.shape.leaves[*leaf]
                .extents
                .iter()
                .map(|extent| format!("[{extent}]"))
                .collect();
            let tile = tile.map_or_else(String::new, |tile| format!("[{tile}]"));
            let name = &storage.leaf_names[*leaf];
            let text = member_declaration(storage, *leaf, name, "", &format!("{extents}{tile}"));
            (text, Some(*leaf))
        });
        commented_members(storage, members, out);
        let _ = writeln!(out, "}};");
    }
    if storage.is_handle {
        let _ = writeln!(out, "\n// An array of `{record}` in device memory, split by members.");
        let _ = writeln!(out, "struct {} {{", storage.type_name);
        let members = storage.groups.iter().map(|group| {
            let leaf = (group.kind == GroupKind::Array).then(|| group.leaves[0]);
            (handle_member(storage, group), leaf)
        });
        commented_members(storage, members, out);
        handle_assignment(storage, out);
        let _ = writeln!(out, "}};");
    }
}

/// How many pointers nvcc 13.0 can copy at once: it crashes ("Segmentation fault" of cicc) where a
/// local struct of more than 128 bytes is assigned a parameter of a kernel.
const MOST_POINTERS: usize = 16;

/// The extents of a group's pointers in the handle.
fn pointer_extents(storage: &Storage, group: &GroupStorage) -> Vec<u64> {
    match &group.kind {
        GroupKind::Struct { .. } | GroupKind::Tile { .. } => Vec::new(),
        GroupKind::Array => {
            let leaf = group.leaves[0];
            if storage.shape.members[leaf].unit_dimensions.is_empty() {
                storage.shape.shape.leaves[leaf].extents.clone()
            } else {
                Vec::new()
            }
        }
    }
}

/// Whether the handle is too large for nvcc to assign.
fn has_own_assignment(storage: &Storage) -> bool {
    let groups = storage.groups.iter();
    let pointers: u64 =
        groups.map(|group| pointer_extents(storage, group).iter().product::<u64>()).sum();
    storage.is_handle && pointers > MOST_POINTERS as u64
}

/// The types of a storage for compilers that are not nvcc, too: they assign a handle of any size by themselves. It lies and is
/// passed alike in both, because neither its copy constructor nor a destructor is anybody's own.
pub(crate) fn types_for_host(storage: &Storage, types: &str) -> String {
    let mut own = String::new();
    handle_assignment(storage, &mut own);
    if own.is_empty() {
        return types.to_owned();
    }
    types.replace(&own, &format!("#ifdef __CUDACC__\n{own}#endif\n"))
}

/// The assignment of a handle that is too large for nvcc, member by member.
fn handle_assignment(storage: &Storage, out: &mut String) {
    if !has_own_assignment(storage) {
        return;
    }
    let name = &storage.type_name;
    // Attributes do not silence nvcc here.
    let (quiet, loud) = if storage.is_internal {
        (
            "#pragma nv_diagnostic push\n#pragma nv_diag_suppress 177 // It may be unused.\n",
            "#pragma nv_diagnostic pop\n",
        )
    } else {
        ("", "")
    };
    let _ = writeln!(
        out,
        "    {name}() = default;\n    {name}(const {name} &) = default;\n\
         {quiet}    \
         // Member by member: nvcc 13.0 crashes on some assignments of structs this large.\n    \
         __host__ __device__ {name} &operator=(const {name} &from)\n    {{"
    );
    for group in &storage.groups {
        let own = member(&group.handle_member);
        let mut subscripts = String::new();
        let mut indent = "        ".to_owned();
        for (at, extent) in pointer_extents(storage, group).iter().enumerate() {
            let _ = writeln!(out, "{indent}for (int i{at} = 0; i{at} < {extent}; i{at}++)");
            let _ = write!(subscripts, "[i{at}]");
            indent.push_str("    ");
        }
        let _ = writeln!(out, "{indent}this->{own}{subscripts} = from.{own}{subscripts};");
    }
    let _ = write!(out, "        return *this;\n    }}\n{loud}");
}

fn handle_member(storage: &Storage, group: &GroupStorage) -> String {
    match &group.kind {
        GroupKind::Struct { struct_name } | GroupKind::Tile { struct_name, .. } => {
            format!("{struct_name} *{};", member(&group.handle_member))
        }
        GroupKind::Array => {
            let leaf = group.leaves[0];
            let extents: String = storage.shape.shape.leaves[leaf]
                .extents
                .iter()
                .map(|extent| format!("[{extent}]"))
                .collect();
            let has_units = !storage.shape.members[leaf].unit_dimensions.is_empty();
            if has_units {
                member_declaration(
                    storage,
                    leaf,
                    &group.handle_member,
                    "(*",
                    &format!("{extents})"),
                )
            } else {
                member_declaration(storage, leaf, &group.handle_member, "*", &extents)
            }
        }
    }
}

/// The plain arrays of the handle `p`, each with its byte count for `n` elements.
fn pointer_ranges(storage: &Storage) -> Vec<(String, String)> {
    let mut ranges = Vec::new();
    for group in &storage.groups {
        for plane in planes_of(storage, group) {
            let subscripts = plane.map_or_else(String::new, |(_, subscripts, _)| subscripts);
            let pointer = format!("p.{}{subscripts}", group.handle_member);
            ranges
                .push((pointer, format!("{} * {}", unit_count(group), unit_size(storage, group))));
        }
    }
    ranges
}

/// The type of one struct or scalar of a group, for `sizeof`.
fn unit_size(storage: &Storage, group: &GroupStorage) -> String {
    match &group.kind {
        GroupKind::Struct { struct_name } | GroupKind::Tile { struct_name, .. } => {
            format!("sizeof({struct_name})")
        }
        GroupKind::Array => {
            let leaf = group.leaves[0];
            let unit: u64 = storage.shape.members[leaf].unit_dimensions.iter().product();
            let size = format!("sizeof({})", mention(&storage.shape.shape.leaves[leaf].type_name));
            if unit == 1 { size } else { format!("{unit} * {size}") }
        }
    }
}

/// The number of structs or scalars of a group for `n` elements.
fn unit_count(group: &GroupStorage) -> String {
    match &group.kind {
        GroupKind::Tile { tile, .. } if *tile > 1 => format!("(n + {}) / {tile}", tile - 1),
        _ => "n".to_owned(),
    }
}

/// The parameter type of generated functions: `ParticleTile *` or the handle by value.
fn parameter(storage: &Storage, is_const: bool, name: &str) -> String {
    match (storage.is_handle, is_const) {
        (true, _) => format!("{} {name}", storage.type_name),
        (false, true) => format!("const {} *{name}", storage.type_name),
        (false, false) => format!("{} *{name}", storage.type_name),
    }
}

/// `, long long nx`: the extents of a grid whose cells are in another order, as parameters.
fn extents(storage: &Storage) -> String {
    storage.cells.as_ref().map_or_else(String::new, CellFunctions::parameters)
}

/// `, nx`: the same as arguments.
fn extent_arguments(storage: &Storage) -> String {
    storage.cells.as_ref().map_or_else(String::new, CellFunctions::arguments)
}

/// The number of the element that the source calls `number`.
fn numbered(storage: &Storage, number: &str) -> String {
    match &storage.cells {
        Some(cells) => cells.number_of(number),
        None => number.to_owned(),
    }
}

/// How many elements `bytes` bytes of records are allocated for.
fn allocated(storage: &Storage) -> String {
    let record = mention(&storage.record);
    let count = format!("(bytes + sizeof({record}) - 1) / sizeof({record})");
    match &storage.cells {
        Some(cells) => cells.count_of(&count),
        None => count,
    }
}

fn bytes_function(storage: &Storage, out: &mut String) {
    let (record, prefix) = (mention(&storage.record), &storage.prefix);
    let group = &storage.groups[0];
    let (more, count) = (extents(storage), allocated(storage));
    let _ = write!(
        out,
        "\n// Memory for an array that takes `bytes` bytes as `{record}`.\n\
         static inline size_t {prefix}Bytes(size_t bytes{more})\n{{\n    \
         size_t n = {count};\n    \
         return {} * {};\n}}\n",
        unit_count(group),
        unit_size(storage, group),
    );
}

/// The runtime's allocators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Allocator {
    Plain,
    Stream,
    Pool,
    Managed,
}

fn malloc_function(storage: &Storage, allocator: Allocator, out: &mut String) {
    let (record, prefix, handle) = (mention(&storage.record), &storage.prefix, &storage.type_name);
    let (more, count) = (extents(storage), allocated(storage));
    let (suffix, stream, pass) = match allocator {
        Allocator::Plain => ("", "", ""),
        Allocator::Stream => ("Async", ", cudaStream_t stream", ", stream"),
        Allocator::Pool => {
            ("FromPoolAsync", ", cudaMemPool_t pool, cudaStream_t stream", ", pool, stream")
        }
        Allocator::Managed => ("Managed", ", unsigned flags", ", flags"),
    };
    let _ = write!(
        out,
        "\n// Allocates an array that takes `bytes` bytes as `{record}`; its first pointer is the one to free.\n\
         static inline cudaError_t {prefix}Malloc{suffix}({handle} *p, size_t bytes{more}{stream})\n{{\n    \
         size_t n = {count};\n    \
         size_t end = 0;\n",
    );
    let (offsets, assignments) = block(storage);
    let _ = write!(
        out,
        "{offsets}    char *base = NULL;\n    cudaError_t error = cudaMalloc{suffix}((void **)&base, end{pass});\n    \
         if (error != cudaSuccess)\n        return error;\n{assignments}    return error;\n}}\n"
    );
}

/// Statements that lay the groups of a handle `p` out in one block: their offsets for `n` elements,
/// up to `end`, and the pointers into the block at `base`.
fn block(storage: &Storage) -> (String, String) {
    let (mut out, mut assignments) = (String::new(), String::new());
    for group in &storage.groups {
        let planes = planes_of(storage, group);
        for plane in planes {
            let (name, step) = (
                local(&format!("{}_at", group.handle_member)),
                local(&format!("{}_at_step", group.handle_member)),
            );
            let (declare, offset, target) = match plane {
                None => (true, name.clone(), format!("p->{}", group.handle_member)),
                Some((first, subscripts, number)) => (
                    first,
                    // A lone plane has no step.
                    if plane_count(storage, group) == 1 {
                        name.clone()
                    } else {
                        format!("{name} + {number} * {step}")
                    },
                    format!("p->{}{subscripts}", group.handle_member),
                ),
            };
            if declare {
                let count = plane_count(storage, group);
                let one = format!(
                    "({} * {} + 255) / 256 * 256",
                    unit_count(group),
                    unit_size(storage, group)
                );
                if count > 1 {
                    let _ = writeln!(
                        out,
                        "    size_t {name} = end, {step} = {one};\n    end += {count} * {step};"
                    );
                } else {
                    let _ = writeln!(out, "    size_t {name} = end;\n    end += {one};");
                }
            }
            let _ = writeln!(
                assignments,
                "    {target} = ({})(base + {offset});",
                pointer_type(storage, group)
            );
        }
    }
    (out, assignments)
}

/// How many plain arrays a group has.
pub(crate) fn plane_count(storage: &Storage, group: &GroupStorage) -> u64 {
    match group.kind {
        GroupKind::Array => storage.shape.shape.leaves[group.leaves[0]].extents.iter().product(),
        GroupKind::Struct { .. } | GroupKind::Tile { .. } => 1,
    }
}

/// The plain arrays of a group: (is first, subscripts, number), or one `None` without extents.
fn planes_of(storage: &Storage, group: &GroupStorage) -> Vec<Option<(bool, String, u64)>> {
    let extents = match group.kind {
        GroupKind::Array => storage.shape.shape.leaves[group.leaves[0]].extents.clone(),
        GroupKind::Struct { .. } | GroupKind::Tile { .. } => Vec::new(),
    };
    if extents.is_empty() {
        return vec![None];
    }
    let count: u64 = extents.iter().product();
    (0..count)
        .map(|number| {
            let mut rest = number;
            let mut subscripts = Vec::new();
            for extent in extents.iter().rev() {
                subscripts.push(format!("[{}]", rest % extent));
                rest /= extent;
            }
            subscripts.reverse();
            Some((number == 0, subscripts.concat(), number))
        })
        .collect()
}

fn pointer_type(storage: &Storage, group: &GroupStorage) -> String {
    match &group.kind {
        GroupKind::Struct { struct_name } | GroupKind::Tile { struct_name, .. } => {
            format!("{struct_name} *")
        }
        GroupKind::Array => {
            let leaf = group.leaves[0];
            let unit: String = storage.shape.members[leaf]
                .unit_dimensions
                .iter()
                .map(|extent| format!("[{extent}]"))
                .collect();
            let name = mention(&storage.shape.shape.leaves[leaf].type_name);
            if unit.is_empty() { format!("{name} *") } else { format!("{name} (*){unit}") }
        }
    }
}

/// Statements that copy each leaf, by `assign(leaf in the record, leaf in the class)`.
fn leaf_statements(
    storage: &Storage,
    record: &str,
    assign: impl Fn(&str, &str) -> String,
) -> String {
    let mut out = String::new();
    let index = IndexText::simple("i");
    for (leaf, own) in storage.shape.members.iter().enumerate() {
        let shape = &storage.shape.shape.leaves[leaf];
        let dimensions: Vec<u64> =
            shape.extents.iter().chain(&own.unit_dimensions).copied().collect();
        let names: Vec<String> =
            ["a", "b", "c", "d", "e", "f"].iter().map(|name| (*name).to_owned()).collect();
        let mut indent = String::from("    ");
        for (at, extent) in dimensions.iter().enumerate() {
            let name = &names[at % names.len()];
            let _ = writeln!(out, "{indent}for (int {name} = 0; {name} < {extent}; ++{name})");
            indent.push_str("    ");
        }
        let subscripts = |range: std::ops::Range<usize>| -> Vec<String> {
            range.map(|at| names[at % names.len()].clone()).collect()
        };
        let extents = subscripts(0..shape.extents.len());
        let unit: String = subscripts(shape.extents.len()..dimensions.len())
            .iter()
            .map(|name| format!("[{name}]"))
            .collect();
        let stored =
            format!("{}{unit}", storage.leaf_expression("p", None, leaf, &index, &extents));
        let all: String =
            subscripts(0..dimensions.len()).iter().map(|name| format!("[{name}]")).collect();
        let own = format!("{record}.{}{all}", member(&shape.path));
        let _ = writeln!(out, "{indent}{}", assign(&own, &stored));
    }
    out
}

/// The execution space of functions that access elements.
fn space(needs: Needs) -> &'static str {
    if needs.on_host { "__host__ __device__" } else { "__device__" }
}

/// The members of a record as plain data: no constructor runs, and no access rule applies.
fn plain_members(storage: &Storage, out: &mut String) {
    let (Some(members), record) = (&storage.members, mention(&storage.record)) else { return };
    let name = &members.type_name;
    let align = members.align.map_or_else(String::new, |align| format!(" __align__({align})"));
    let (push, pop) = match members.pack {
        Some(limit) => (format!("#pragma pack(push, {limit})\n"), "#pragma pack(pop)\n"),
        None => (String::new(), ""),
    };
    let _ = write!(
        out,
        "\n// The members of a `{record}`, without its constructors and access rules.\n\
         union {name} {{\n{push}    struct{align} {} {{\n",
        local("Plain")
    );
    for declaration in &members.declarations {
        let _ = writeln!(out, "        {declaration};");
    }
    let _ = write!(
        out,
        "    }} {};\n{pop}    {record} {};\n    __host__ __device__ {name}() {{}}\n}};\n\
         static_assert(sizeof({name}::{}) == sizeof({record}), \"`{}` has other members\");\n",
        local("plain"),
        local("record"),
        local("Plain"),
        storage.record,
    );
}

fn load_function(storage: &Storage, needs: Needs, out: &mut String) {
    let (record, prefix, space) = (mention(&storage.record), &storage.prefix, space(needs));
    if let Some(members) = &storage.members {
        let plain = format!("e.{}", local("plain"));
        let _ = write!(
            out,
            "\n// Element i as a `{record}`.\ntemplate <typename Index>\n\
             static {space} __forceinline__ {record} {prefix}Load({}, Index i)\n{{\n    {} e;\n{}    return e.{};\n}}\n",
            parameter(storage, true, "p"),
            members.type_name,
            leaf_statements(storage, &plain, |own, stored| format!("{own} = {stored};")),
            local("record"),
        );
        return;
    }
    let _ = write!(
        out,
        "\n// Element i as a `{record}`.\ntemplate <typename Index>\n\
         static {space} __forceinline__ {record} {prefix}Load({}, Index i)\n{{\n    {record} e;\n{}    return e;\n}}\n",
        parameter(storage, true, "p"),
        leaf_statements(storage, "e", |own, stored| format!("{own} = {stored};")),
    );
}

fn store_function(storage: &Storage, needs: Needs, out: &mut String) {
    let (record, prefix, space) = (mention(&storage.record), &storage.prefix, space(needs));
    if let Some(members) = &storage.members {
        let plain = format!("e.{}", local("plain"));
        let _ = write!(
            out,
            "\n// Sets element i.\ntemplate <typename Index>\n\
             static {space} __forceinline__ void {prefix}Store({}, Index i, const {record} &value)\n{{\n    {} e;\n    e.{} = value;\n{}}}\n",
            parameter(storage, false, "p"),
            members.type_name,
            local("record"),
            leaf_statements(storage, &plain, |own, stored| format!("{stored} = {own};")),
        );
        return;
    }
    let _ = write!(
        out,
        "\n// Sets element i.\ntemplate <typename Index>\n\
         static {space} __forceinline__ void {prefix}Store({}, Index i, const {record} &e)\n{{\n{}}}\n",
        parameter(storage, false, "p"),
        leaf_statements(storage, "e", |own, stored| format!("{stored} = {own};")),
    );
}

/// An assignment whose value is used: it is what was assigned, which is what the element holds.
fn assign_function(storage: &Storage, needs: Needs, out: &mut String) {
    let (record, prefix, space) = (mention(&storage.record), &storage.prefix, space(needs));
    let _ = write!(
        out,
        "\n// Sets element i; the value of the assignment.\ntemplate <typename Index>\n\
         static {space} __forceinline__ {record} {prefix}Assign({}, Index i, const {record} &e)\n{{\n    {prefix}Store(p, i, e);\n    return e;\n}}\n",
        parameter(storage, false, "p"),
    );
}

/// Element i as one vector; its lanes are the members in their order.
fn vector_functions(
    storage: &Storage,
    vector: layoutc_syntax::VectorType,
    needs: Needs,
    out: &mut String,
) {
    let space = space(needs);
    let (prefix, name, make) =
        (&storage.prefix, mention(&vector.name()), format!("make_{}", vector.name()));
    let index = IndexText::simple("i");
    let mut leaves: Vec<usize> = (0..storage.shape.members.len()).collect();
    leaves.sort_by_key(|leaf| storage.shape.shape.leaves[*leaf].offset);
    let members: Vec<String> =
        leaves.iter().map(|leaf| storage.leaf_expression("p", None, *leaf, &index, &[])).collect();
    let stores: String = members
        .iter()
        .zip(["x", "y", "z", "w"])
        .map(|(member, lane)| format!("    {member} = e.{lane};\n"))
        .collect();
    let _ = write!(
        out,
        "\n// Element i as a `{name}`.\ntemplate <typename Index>\n\
         static {space} __forceinline__ {name} {prefix}LoadVector({}, Index i)\n{{\n    return {make}({});\n}}\n\
         \n// Sets element i.\ntemplate <typename Index>\n\
         static {space} __forceinline__ void {prefix}StoreVector({}, Index i, const {name} &e)\n{{\n{stores}}}\n",
        parameter(storage, true, "p"),
        members.join(", "),
        parameter(storage, false, "p"),
    );
}

/// A pointer or handle that nothing else may change, as a member.
fn handle_or_pointer(storage: &Storage, name: &str) -> String {
    parameter(storage, false, name)
}

/// A function for the calls of the program, which says no more than what is converted.
struct Copy<'a> {
    /// The comment.
    what: String,
    /// The end of its name.
    suffix: &'a str,
    parameters: String,
    /// The pointer whose device has to be the current one.
    pointer: &'a str,
    /// The call of a shared function.
    call: String,
}

impl Copy<'_> {
    fn text(&self, storage: &Storage, needs: Needs, library: &Conversions, out: &mut String) {
        let Copy { what, suffix, parameters, pointer, call } = self;
        let _ = write!(
            out,
            "\n// {what}; the types say which way, so the kind has no name.\n\
             static inline cudaError_t {}{suffix}({parameters})\n{{\n",
            storage.prefix
        );
        on_device(storage, needs, library, (pointer, call), out);
    }
}

/// The end of a function that gives the result of a call, made on the device of an array.
fn on_device(
    storage: &Storage,
    needs: Needs,
    library: &Conversions,
    (pointer, call): (&str, &str),
    out: &mut String,
) {
    if !needs.several_devices {
        let _ = write!(out, "    return {call};\n}}\n");
        return;
    }
    let first = if storage.is_handle { storage.first_pointer(pointer) } else { pointer.to_owned() };
    let _ = write!(
        out,
        "    const int device = {}({first});\n    const cudaError_t error = {call};\n    \
         cudaSetDevice(device);\n    return error;\n}}\n",
        library.name("enterDevice"),
    );
}

/// The copies between host and device, and within a device.
fn copy_functions(storage: &Storage, needs: Needs, library: &Conversions, out: &mut String) {
    let more = extents(storage);
    let (to, from) = (parameter(storage, false, "to"), parameter(storage, true, "from"));
    let array = |name: &str| library.made(storage, name, name == "from");
    let (from_element, at, at_pass) = match needs.offset {
        true => (", from element `at` of the array", ", size_t at = 0", ", at"),
        false => ("", "", ""),
    };
    let (places, place_parameters, place_pass) = match needs.offset_within {
        true => (
            ", from element `from_at` to element `to_at`",
            ", size_t to_at = 0, size_t from_at = 0",
            ", to_at, from_at",
        ),
        false => ("", "", ""),
    };
    for is_async in [false, true] {
        let pick = |plain: bool, on_stream: bool| if is_async { on_stream } else { plain };
        let (suffix, stream, pass) = match is_async {
            true => ("MemcpyAsync", ", cudaStream_t stream = 0", ", stream"),
            false => ("Memcpy", "", ""),
        };
        let function = |plain: &'static str, on_stream: &'static str| {
            library.name(pick_name(is_async, plain, on_stream))
        };
        if pick(needs.copy_in, needs.copy_in_async) {
            let copy = Copy {
                what: format!("Copies records of the host to the device{from_element}"),
                suffix,
                parameters: format!(
                    "{to}, const void *from, size_t bytes{more}, cudaMemcpyKind{stream}{at}"
                ),
                pointer: "to",
                call: format!(
                    "{}({}, from, bytes{pass}{at_pass})",
                    function("copyIn", "copyInAsync"),
                    array("to")
                ),
            };
            copy.text(storage, needs, library, out);
        }
        if pick(needs.copy_out, needs.copy_out_async) {
            let copy = Copy {
                what: format!("Copies to records of the host{from_element}"),
                suffix,
                parameters: format!(
                    "void *to, {from}, size_t bytes{more}, cudaMemcpyKind{stream}{at}"
                ),
                pointer: "from",
                call: format!(
                    "{}(to, {}, bytes{pass}{at_pass})",
                    function("copyOut", "copyOutAsync"),
                    array("from")
                ),
            };
            copy.text(storage, needs, library, out);
        }
        if pick(needs.copy_within, needs.copy_within_async) {
            let copy = Copy {
                what: format!("Copies within device memory{places}"),
                suffix,
                parameters: format!(
                    "{to}, {from}, size_t bytes{more}, cudaMemcpyKind{stream}{place_parameters}"
                ),
                pointer: "to",
                call: format!(
                    "{}({}, {}, bytes{pass}{place_pass})",
                    function("copyWithin", "copyWithinAsync"),
                    array("to"),
                    array("from")
                ),
            };
            copy.text(storage, needs, library, out);
        }
    }
}

/// The name of a function that waits, or of the one on a stream.
fn pick_name(is_async: bool, plain: &'static str, on_stream: &'static str) -> &'static str {
    if is_async { on_stream } else { plain }
}

/// Fills the first `bytes` bytes as `record` would have them, and nothing behind.
fn memset_function(storage: &Storage, is_async: bool, out: &mut String) {
    let (record, prefix) = (mention(&storage.record), &storage.prefix);
    let (suffix, stream, pass) =
        if is_async { ("Async", ", cudaStream_t stream = 0", ", stream") } else { ("", "", "") };
    let _ = write!(
        out,
        "\n// Fills every member of the first elements with a byte.\n\
         static inline cudaError_t {prefix}Memset{suffix}({}, int value, size_t bytes{stream})\n{{\n    \
         const size_t n = bytes / sizeof({record});\n    cudaError_t error = cudaSuccess;\n",
        parameter(storage, false, "p"),
    );
    for group in &storage.groups {
        let pointer =
            if storage.is_handle { format!("p.{}", group.handle_member) } else { "p".to_owned() };
        match &group.kind {
            GroupKind::Struct { struct_name } => {
                let _ = writeln!(
                    out,
                    "    if (error == cudaSuccess)\n        error = cudaMemset{suffix}({pointer}, value, n * sizeof({struct_name}){pass});"
                );
            }
            GroupKind::Tile { struct_name, tile } => {
                let _ = writeln!(
                    out,
                    "    if (error == cudaSuccess)\n        error = cudaMemset{suffix}({pointer}, value, n / {tile} * sizeof({struct_name}){pass});"
                );
                for leaf in &group.leaves {
                    let shape = &storage.shape.shape.leaves[*leaf];
                    let name = member(&storage.leaf_names[*leaf]);
                    let count: u64 = shape.extents.iter().product();
                    let unit: u64 = storage.shape.members[*leaf].unit_dimensions.iter().product();
                    let size = if unit == 1 {
                        format!("sizeof({})", mention(&shape.type_name))
                    } else {
                        format!("{unit} * sizeof({})", mention(&shape.type_name))
                    };
                    let (lead, plane) = if count > 1 {
                        (
                            format!("    for (int a = 0; a < {count}; ++a)\n    "),
                            format!(" + a * {tile} * {size}"),
                        )
                    } else {
                        (String::new(), String::new())
                    };
                    let _ = writeln!(
                        out,
                        "{lead}    if (error == cudaSuccess && n % {tile} != 0)\n    {lead_space}    error = cudaMemset{suffix}((char *)({pointer} + n / {tile}) + offsetof({struct_name}, {name}){plane}, value, n % {tile} * {size}{pass});",
                        lead_space = if count > 1 { "    " } else { "" },
                    );
                }
            }
            GroupKind::Array => {
                for plane in planes_of(storage, group) {
                    let subscripts =
                        plane.map_or_else(String::new, |(_, subscripts, _)| subscripts);
                    let _ = writeln!(
                        out,
                        "    if (error == cudaSuccess)\n        error = cudaMemset{suffix}({pointer}{subscripts}, value, n * {}{pass});",
                        unit_size(storage, group)
                    );
                }
            }
        }
    }
    let _ = writeln!(out, "    return error;\n}}");
}

/// The name of the function that gives a reference to a leaf.
#[must_use]
pub fn accessor_name(storage: &Storage, leaf: usize) -> String {
    format!("{}{}", storage.prefix, crate::storage::accessor_end(&storage.leaf_names[leaf]))
}

/// References to leaves, for indices that must be evaluated once.
fn accessors(
    storage: &Storage,
    needs: Needs,
    leaves: &std::collections::BTreeSet<usize>,
    out: &mut String,
) {
    let space = space(needs);
    for leaf in leaves {
        let extents = storage.shape.shape.leaves[*leaf].extents.len();
        let names: Vec<String> = ["a", "b", "c", "d", "e", "f"]
            .iter()
            .take(extents)
            .map(|name| (*name).to_owned())
            .collect();
        let parameters: String = names.iter().map(|name| format!(", int {name}")).collect();
        let expression = storage.leaf_expression("p", None, *leaf, &IndexText::simple("i"), &names);
        let (template, pointer) = if storage.is_handle {
            ("typename Index", format!("{} p", storage.type_name))
        } else {
            ("typename Pointer, typename Index", "Pointer p".to_owned())
        };
        let _ = write!(
            out,
            "\n// `{}` of element i.\ntemplate <{template}>\nstatic {space} __forceinline__ auto &{}({pointer}, Index i{parameters})\n{{\n    return {expression};\n}}\n",
            storage.shape.shape.leaves[*leaf].path,
            accessor_name(storage, *leaf),
        );
    }
}

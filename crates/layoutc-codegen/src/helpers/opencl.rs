//! The generated declarations of a class in OpenCL C: plain structs, and functions without
//! templates and references.

use super::{accessor_name, member_declaration};
use crate::hygiene::{local, mention};
use crate::sections::Sections;
use crate::storage::{GroupKind, IndexText, Storage};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// What of it a program uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct DeviceNeeds {
    pub(crate) load: bool,
    pub(crate) store: bool,
    pub(crate) assign: bool,
}

/// Names in the functions that [`declarations`] writes: parameters, local variables, and the member of the header.
pub(crate) const LOCALS: [&str; 16] =
    ["p", "i", "e", "a", "b", "c", "d", "f", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7"];

/// The member of the header.
pub(crate) const UNITS: &str = "units";

/// The generated text, starting and ending with a line break.
pub(crate) fn declarations(
    storage: &Storage,
    sections: &Sections,
    needs: DeviceNeeds,
    accessors: &BTreeSet<usize>,
) -> String {
    let mut out = String::from("\n");
    structs(storage, &mut out);
    if storage.is_sectioned() {
        section_functions(storage, sections, &mut out);
    }
    let (record, prefix, ty) = (mention(&storage.record), &storage.prefix, &storage.type_name);
    if needs.load {
        let _ = write!(
            out,
            "\n// Element i as a `{record}`.\n{record} {prefix}Load(__global const {ty} *p, size_t i)\n{{\n    {record} e;\n{}    return e;\n}}\n",
            super::leaf_statements(storage, "e", |own, stored| format!("{own} = {stored};")),
        );
    }
    if needs.store || needs.assign {
        let _ = write!(
            out,
            "\n// Sets element i.\nvoid {prefix}Store(__global {ty} *p, size_t i, {record} e)\n{{\n{}}}\n",
            super::leaf_statements(storage, "e", |own, stored| format!("{stored} = {own};")),
        );
    }
    if needs.assign {
        let _ = write!(
            out,
            "\n// Sets element i; the value of the assignment.\n{record} {prefix}Assign(__global {ty} *p, size_t i, {record} e)\n{{\n    {prefix}Store(p, i, e);\n    return e;\n}}\n",
        );
    }
    for leaf in accessors {
        accessor(storage, *leaf, &mut out);
    }
    out
}

fn structs(storage: &Storage, out: &mut String) {
    let record = mention(&storage.record);
    for group in &storage.groups {
        let (struct_name, tile) = match &group.kind {
            GroupKind::Struct { struct_name } => (struct_name, None),
            GroupKind::Tile { struct_name, tile } => (struct_name, Some(*tile)),
            GroupKind::Array => continue,
        };
        let whole = group.leaves.len() == storage.leaf_names.len();
        let what = match (tile, whole) {
            (Some(tile), true) => format!("{tile} elements of `{record}`, member by member"),
            (Some(tile), false) => format!("{tile} elements of some members of `{record}`"),
            (None, true) => format!("`{record}`, aligned for wide loads"),
            (None, false) => format!("Members of `{record}` that lie together"),
        };
        let align = group
            .align
            .map_or_else(String::new, |align| format!(" __attribute__((aligned({align})))"));
        let _ = writeln!(out, "\n// {what}.\ntypedef struct{align} {{");
        for leaf in &group.leaves {
            let extents: String = storage.shape.shape.leaves[*leaf]
                .extents
                .iter()
                .map(|extent| format!("[{extent}]"))
                .collect();
            let tile = tile.map_or_else(String::new, |tile| format!("[{tile}]"));
            let name = &storage.leaf_names[*leaf];
            let member = member_declaration(storage, *leaf, name, "", &format!("{extents}{tile}"));
            let _ = writeln!(out, "    {member}");
        }
        let _ = writeln!(out, "}} {struct_name};");
    }
}

/// The type of one struct or value of a group.
pub(crate) fn item_type(storage: &Storage, group: usize) -> String {
    match &storage.groups[group].kind {
        GroupKind::Struct { struct_name } | GroupKind::Tile { struct_name, .. } => {
            struct_name.clone()
        }
        GroupKind::Array => {
            mention(&storage.shape.shape.leaves[storage.groups[group].leaves[0]].type_name)
        }
    }
}

/// `bodyPos(p)`: where each group of an array begins.
fn section_functions(storage: &Storage, sections: &Sections, out: &mut String) {
    let (record, ty) = (mention(&storage.record), &storage.type_name);
    let units = local(UNITS);
    let _ = write!(
        out,
        "\n// An array of `{record}`, split by members: the arrays lie behind this, for `{units}` times {} elements.\ntypedef struct {{\n    ulong {units};\n}} {ty};\n",
        sections.unit
    );
    for (at, group) in storage.groups.iter().enumerate() {
        let first = sections.first_of(storage, at);
        let section = &sections.sections[first];
        let item = item_type(storage, at);
        let mut parameters = String::new();
        let mut behind = match section.before {
            0 => String::new(),
            before => format!(" + p->{units} * {before}"),
        };
        if let GroupKind::Array = group.kind {
            let extents = &storage.shape.shape.leaves[group.leaves[0]].extents;
            let mut number = String::new();
            for (at, extent) in extents.iter().enumerate() {
                let _ = write!(parameters, ", size_t a{at}");
                number = match number.as_str() {
                    "" => format!("a{at}"),
                    outer => format!("({outer}) * {extent} + a{at}"),
                };
            }
            if !extents.is_empty() {
                let each = sections.unit * section.bytes;
                behind = format!(" + p->{units} * ({} + ({number}) * {each})", section.before);
            }
        }
        let _ = write!(
            out,
            "\n__global {item} *{}(__global const {ty} *p{parameters})\n{{\n    return (__global {item} *)((__global char *)p + {}{behind});\n}}\n",
            group.section_function, sections.header,
        );
    }
}

/// The address of a leaf, for an index that must be evaluated once.
fn accessor(storage: &Storage, leaf: usize, out: &mut String) {
    let extents = storage.shape.shape.leaves[leaf].extents.len();
    let names: Vec<String> = (0..extents).map(|at| format!("a{at}")).collect();
    let parameters: String = names.iter().map(|name| format!(", size_t {name}")).collect();
    let expression = storage.leaf_expression("p", None, leaf, &IndexText::simple("i"), &names);
    let item = mention(&storage.shape.shape.leaves[leaf].type_name);
    let _ = write!(
        out,
        "\n// `{}` of element i.\n__global {item} *{}(__global const {} *p, size_t i{parameters})\n{{\n    return (__global {item} *)&{expression};\n}}\n",
        storage.shape.shape.leaves[leaf].path,
        accessor_name(storage, leaf),
        storage.type_name,
    );
}

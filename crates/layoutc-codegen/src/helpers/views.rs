//! Views: pointers to tiles whose elements read and write like records.

use super::Needs;
use crate::hygiene::{member, mention};
use crate::rewrite::{ViewKind, ViewNames, ViewNeeds};
use crate::storage::{GroupKind, IndexText, Storage, tile_index, tile_slot};
use std::fmt::Write as _;

/// The structs that a program's views need.
pub(super) fn structs(storage: &Storage, needs: Needs, out: &mut String) {
    let Some(names) = &storage.views else { return };
    for is_const in [false, true] {
        if needs.views.kinds().any(|kind| kind.is_const == is_const) {
            reference(storage, names, is_const, needs.views, out);
        }
    }
    for kind in needs.views.kinds() {
        view(storage, names, kind, out);
    }
}

/// The members of one element, by reference.
fn reference(
    storage: &Storage,
    names: &ViewNames,
    is_const: bool,
    needs: ViewNeeds,
    out: &mut String,
) {
    let GroupKind::Tile { tile, .. } = storage.groups[0].kind else { return };
    let (record, name) = (mention(&storage.record), names.reference(is_const));
    let constant = if is_const { "const " } else { "" };
    let _ = writeln!(out, "\n// The members of one element in a tile, by reference.");
    let _ = writeln!(out, "struct {name} {{");
    let mut starts = Vec::new();
    for leaf in &storage.groups[0].leaves {
        let shape = &storage.shape.shape.leaves[*leaf];
        let (ty, own) = (mention(&shape.type_name), member(&storage.leaf_names[*leaf]));
        // What a pointer leads to does not become constant with it.
        let ty = match (is_const, shape.type_name.ends_with('*')) {
            (true, true) => format!("{ty}const "),
            (true, false) => format!("const {ty} "),
            (false, true) => ty,
            (false, false) => format!("{ty} "),
        };
        if shape.extents.is_empty() {
            let _ = writeln!(out, "    {ty}&{own};");
            starts.push(format!("{own}(p.{own}[lane])"));
        } else {
            let _ = writeln!(out, "    struct {{");
            let _ = writeln!(out, "        {ty}(*first)[{tile}];");
            let _ = writeln!(out, "        int lane;");
            let _ = writeln!(out, "        template <typename Index>");
            let _ = writeln!(
                out,
                "        __device__ __forceinline__ {ty}&operator[](Index a) const noexcept {{ return first[a][lane]; }}"
            );
            let _ = writeln!(out, "    }} {own};");
            starts.push(format!("{own}{{p.{own}, lane}}"));
        }
    }
    let _ = writeln!(
        out,
        "\n    __device__ __forceinline__ {name}({constant}{} &p, int lane) noexcept\n        : {}\n    {{\n    }}",
        storage.type_name,
        starts.join(", ")
    );
    let statements = |assign: &dyn Fn(&str) -> String| {
        let mut text = String::new();
        for leaf in &storage.groups[0].leaves {
            let own = member(&storage.leaf_names[*leaf]);
            match storage.shape.shape.leaves[*leaf].extents.as_slice() {
                [extent] => {
                    let _ = writeln!(text, "        for (int a = 0; a < {extent}; ++a)");
                    let _ = writeln!(text, "            {}", assign(&format!("{own}[a]")));
                }
                _ => {
                    let _ = writeln!(text, "        {}", assign(&own));
                }
            }
        }
        text
    };
    if needs.loads || (needs.stores && !is_const) {
        let _ = write!(
            out,
            "\n    __device__ __forceinline__ operator {record}() const noexcept\n    {{\n        {record} e;\n{}        return e;\n    }}\n",
            statements(&|own| format!("e.{own} = this->{own};"))
        );
    }
    if needs.stores && !is_const {
        let _ = write!(
            out,
            "\n    {name}(const {name} &) = default;\n\
             \n    __device__ __forceinline__ void operator=(const {record} &e) const noexcept\n    {{\n{}    }}\n\
             \n    __device__ __forceinline__ void operator=(const {name} &e) const noexcept {{ *this = ({record})e; }}\n",
            statements(&|own| format!("this->{own} = e.{own};"))
        );
    }
    out.push_str("};\n");
}

/// A pointer to tiles.
fn view(storage: &Storage, names: &ViewNames, kind: ViewKind, out: &mut String) {
    let GroupKind::Tile { tile, .. } = storage.groups[0].kind else { return };
    let (record, name, tiles) = (mention(&storage.record), names.view(kind), &names.tiles);
    let (constant, restrict) = (
        if kind.is_const { "const " } else { "" },
        if kind.is_restrict { "__restrict__ " } else { "" },
    );
    let (ty, index) = (&storage.type_name, IndexText::simple("i"));
    let _ = write!(
        out,
        "\n// `{constant}{record} *` into tiles: `p[i]` reads and writes as before.\n\
         struct {name} {{\n    {constant}{ty} *{restrict}{tiles};\n\n\
         \x20   __host__ __device__ {name}({constant}{ty} *p) noexcept : {tiles}(p) {{}}\n\n\
         \x20   template <typename Index>\n\
         \x20   __device__ __forceinline__ {} operator[](Index i) const noexcept\n    {{\n\
         \x20       return {}({tiles}[{}], {});\n    }}\n}};\n",
        names.reference(kind.is_const),
        names.reference(kind.is_const),
        tile_index(&index, tile),
        tile_slot(&index, tile),
    );
}

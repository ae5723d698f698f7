//! How a class is stored in the rewritten program: generated types, and the expression of a leaf.
//!
//! A layout of one group is an array of one generated struct, and a pointer to it takes the place
//! of the pointer to the record. A layout of several groups has a *handle*: a struct with one
//! pointer per group, passed by value where the pointer to the record was.

use crate::cells::CellFunctions;
use crate::names::Names;
use layoutc_dataflow::classes::ClassShape;
use layoutc_dataflow::layout::{GroupForm, Layout};
use layoutc_syntax::DeclarationId;
use layoutc_syntax::preprocess::tokens;
use std::collections::BTreeSet;

/// How the elements of one group lie.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GroupKind {
    /// An array of `struct_name`, one per element.
    Struct {
        /// Generated struct.
        struct_name: String,
    },
    /// An array of `struct_name`, one per `tile` elements.
    Tile {
        /// Generated struct.
        struct_name: String,
        /// Elements per struct.
        tile: u64,
    },
    /// A plain array of the leaf, or one per extent index.
    Array,
}

/// One group of a class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GroupStorage {
    /// Its form.
    pub kind: GroupKind,
    /// Leaves in order of the struct's members: positions in the shape.
    pub leaves: Vec<usize>,
    /// Alignment of the struct in bytes, if it is above the natural one.
    pub align: Option<u64>,
    /// Name of its pointer in the handle.
    pub handle_member: String,
    /// The function that says where it begins in an OpenCL buffer: `bodyPos`.
    pub section_function: String,
}

/// The generated representation of one class (or of several with the same record and layout).
#[derive(Clone, Debug)]
pub struct Storage {
    /// The record's name where the generated declarations stand.
    pub record: String,
    /// The record's name for all other places.
    pub outer_record: String,
    /// The record's leaves.
    pub shape: ClassShape,
    /// The layout.
    pub layout: Layout,
    /// Groups in order.
    pub groups: Vec<GroupStorage>,
    /// Name of each leaf in generated structs, by position in the shape.
    pub leaf_names: Vec<String>,
    /// The source's comment of each leaf's member, by position in the shape.
    pub comments: Vec<Option<MemberComment>>,
    /// What a pointer to the record becomes: the generated struct (for `struct *`) or the handle.
    pub type_name: String,
    /// Whether `type_name` is a handle, passed by value.
    pub is_handle: bool,
    /// The arrays are OpenCL buffers: the generated text is OpenCL C, and there are no handles.
    pub is_opencl: bool,
    /// The generated template that holds a handle's arrays at file scope.
    pub symbol_name: String,
    /// The inline namespace of the generated types, where their names do not say all of the layout.
    pub space: Option<String>,
    /// Prefix of generated functions: `particle`.
    pub prefix: String,
    /// The namespaces of the record, for uses outside: `sim::`, or nothing.
    pub qualifier: String,
    /// The record lies in a namespace without a name: nvcc warns of functions there that nothing uses.
    pub is_internal: bool,
    /// The one group is the record itself, with a larger alignment: pointers, references and
    /// accesses keep their form, and only the type's name changes.
    pub is_record: bool,
    /// Arrays have the same bytes as before, so sizes and copies stay.
    pub keeps_bytes: bool,
    /// How cells of a grid are numbered, if their order changes.
    pub(crate) cells: Option<CellFunctions>,
    /// How generated functions reach the members of a record with constructors or private members.
    pub members: Option<PlainMembers>,
    /// Names of its views, if parameters of functions may become such.
    pub(crate) views: Option<crate::rewrite::ViewNames>,
    /// What stands around the generated text.
    pub(crate) marker: crate::marker::Marker,
}

/// What the source says of a member in a comment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemberComment {
    /// Members of one declaration share it.
    pub declaration: DeclarationId,
    /// One line, without the signs of a comment.
    pub text: String,
    /// It stands on a line of its own.
    pub is_above: bool,
}

/// The members of a record as plain data, in a union with the record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlainMembers {
    /// Name of the union.
    pub type_name: String,
    /// Declarations of the members as in the record, in order.
    pub declarations: Vec<String>,
    /// Alignment that the record asks for, in bytes.
    pub align: Option<u64>,
    /// The limit of `#pragma pack` for the record's members, in bytes.
    pub pack: Option<u64>,
}

/// The index of an element: text, and whether repeating it changes nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IndexText {
    /// A C expression.
    pub text: String,
    /// It needs parentheses as operand of `>>` and `&`.
    pub is_compound: bool,
}

impl IndexText {
    /// An index that needs no parentheses.
    #[must_use]
    pub fn simple(text: impl Into<String>) -> Self {
        IndexText { text: text.into(), is_compound: false }
    }

    /// The text as an operand.
    #[must_use]
    pub fn operand(&self) -> String {
        if self.is_compound { format!("({})", self.text) } else { self.text.clone() }
    }
}

/// Index of the struct that holds element `index` in tiles of `tile`.
#[must_use]
pub fn tile_index(index: &IndexText, tile: u64) -> String {
    match index.text.as_str() {
        "0" => "0".to_owned(),
        _ if tile == 1 => index.text.clone(),
        _ if tile.is_power_of_two() => format!("{} >> {}", index.operand(), tile.trailing_zeros()),
        _ => format!("{} / {tile}", index.operand()),
    }
}

/// Slot of element `index` within its tile.
#[must_use]
pub fn tile_slot(index: &IndexText, tile: u64) -> String {
    match index.text.as_str() {
        "0" => "0".to_owned(),
        _ if tile == 1 => "0".to_owned(),
        _ if tile.is_power_of_two() => format!("{} & {}", index.operand(), tile - 1),
        _ => format!("{} % {tile}", index.operand()),
    }
}

impl Storage {
    /// Chooses names and forms; `order`: the places of the elements, if they change; `is_opencl`: see
    /// the member. `word` is the record's name as a part of others.
    ///
    /// Returns `None` for a layout that has no form here (grids).
    #[must_use]
    pub fn new(
        record: String,
        word: &str,
        qualifier: String,
        shape: &ClassShape,
        layout: &Layout,
        (order, is_opencl): (Option<&str>, bool),
        names: &mut Names,
    ) -> Option<Self> {
        let mut leaf_names: Vec<String> = Vec::new();
        // Beside a member of a type's name, the type could not be named.
        let type_words: BTreeSet<&str> = shape
            .shape
            .leaves
            .iter()
            .flat_map(|leaf| {
                tokens(&leaf.type_name).into_iter().map(|token| token.text(&leaf.type_name))
            })
            .collect();
        for leaf in &shape.shape.leaves {
            let mut name = leaf.path.replace('.', "_");
            // A name that the program does not have may be a macro of an option.
            let is_new = is_opencl && leaf.path.contains('.');
            while leaf_names.contains(&name)
                || type_words.contains(name.as_str())
                || (is_new && names.is_taken(&name))
            {
                name.push('_');
            }
            leaf_names.push(name);
        }
        let orders_cells = order.is_some();
        let order = order.unwrap_or_default();
        let prefix_base = lower_first(word);
        let is_divided = layout.groups().len() > 1 || layout.groups()[0].is_single_leaf_array();
        let is_handle = is_divided && !is_opencl;
        let all_arrays = layout.groups().iter().all(|group| group.is_single_leaf_array());
        let first_tile = layout.groups().iter().find_map(|group| group.tile());
        // Types of different layouts have different names for a linker, so that it never takes one for the
        // other: where the form says not all of the layout, a digest of it does, in an inline namespace.
        let notation = layout.display(&shape.shape).to_string();
        let is_in_order = layout.groups().iter().all(|group| group.leaves().is_sorted());
        let (suffix, says_all) =
            match (is_divided, all_arrays, first_tile, layout.groups()[0].align()) {
                _ if orders_cells => ("Grid".to_owned(), false),
                (true, true, ..) => ("Arrays".to_owned(), true),
                (true, false, ..) => ("Groups".to_owned(), false),
                (false, _, Some(tile), align) => {
                    (format!("Tile{tile}"), is_in_order && align.is_none())
                }
                (false, _, None, Some(align)) => (format!("Aligned{}", align.0), is_in_order),
                (false, _, None, None) => ("Members".to_owned(), false),
            };
        let space = (!says_all && !is_opencl).then(|| {
            let own = format!("layout_{}", digest(&format!("{order} {notation}")));
            names.beside(&own)
        });
        let type_name = names.fresh(&format!("{}{suffix}", upper_first(word)));
        let accessors: Vec<String> = leaf_names.iter().map(|leaf| accessor_end(leaf)).collect();
        let prefix = names.fresh_prefix(&prefix_base, &accessors);
        let symbol_name = names.fresh(&format!("{}Storage", upper_first(word)));
        let mut groups = Vec::new();
        for (at, group) in layout.groups().iter().enumerate() {
            let leaves: Vec<usize> = group.leaves().iter().map(|leaf| leaf.index()).collect();
            let handle_member = match leaves.as_slice() {
                [only] => leaf_names[*only].clone(),
                [first, ..] if leaves.len() <= 4 => {
                    let joined =
                        leaves.iter().map(|leaf| leaf_names[*leaf].as_str()).collect::<Vec<_>>();
                    let short = joined.iter().all(|name| name.len() <= 3);
                    if short { joined.join("_") } else { format!("{}_group", leaf_names[*first]) }
                }
                _ => format!("{}_group", leaf_names[leaves[0]]),
            };
            let struct_name = |names: &mut Names| {
                if is_divided {
                    names.fresh(&format!("{}Part{}", upper_first(word), at + 1))
                } else {
                    type_name.clone()
                }
            };
            let kind = match group.form() {
                GroupForm::Array => GroupKind::Array,
                GroupForm::Struct => GroupKind::Struct { struct_name: struct_name(names) },
                GroupForm::Tile(tile) => GroupKind::Tile { struct_name: struct_name(names), tile },
                GroupForm::Grid => return None,
            };
            groups.push(GroupStorage {
                kind,
                leaves,
                align: group.align().map(|align| align.0),
                section_function: if is_divided && is_opencl {
                    names.fresh(&format!("{prefix}{}", upper_first(&handle_member)))
                } else {
                    String::new()
                },
                handle_member,
            });
        }
        Some(Storage {
            outer_record: format!("{qualifier}{record}"),
            record,
            shape: shape.clone(),
            layout: layout.clone(),
            groups,
            comments: vec![None; leaf_names.len()],
            leaf_names,
            type_name,
            is_handle,
            is_opencl,
            symbol_name,
            space,
            prefix,
            qualifier,
            is_internal: false,
            is_record: layout.groups().len() == 1
                && layout.groups()[0].is_whole_record()
                && !is_opencl,
            keeps_bytes: layout.keeps_bytes(&shape.shape),
            cells: None,
            members: None,
            views: None,
            marker: crate::marker::Marker::default(),
        })
    }

    /// The name under which code outside the record's namespace calls a generated function.
    #[must_use]
    pub fn function(&self, suffix: &str) -> String {
        format!("{}{}{suffix}", self.qualifier, self.prefix)
    }

    /// The type name as code outside the record's namespace writes it.
    #[must_use]
    pub fn outer_type(&self) -> String {
        format!("{}{}", self.qualifier, self.type_name)
    }

    /// The group that holds a leaf.
    #[must_use]
    pub fn group_of(&self, leaf: usize) -> usize {
        self.groups.iter().position(|group| group.leaves.contains(&leaf)).unwrap_or(0)
    }

    /// Whether the groups lie one behind the other in one OpenCL buffer.
    #[must_use]
    pub fn is_sectioned(&self) -> bool {
        self.is_opencl
            && (self.groups.len() > 1
                || self.groups.iter().any(|group| group.kind == GroupKind::Array))
    }

    /// The pointer that a null test looks at.
    #[must_use]
    pub fn first_pointer(&self, base: &str) -> String {
        let group = &self.groups[0];
        let zero = "[0]".repeat(match group.kind {
            GroupKind::Array => self.shape.shape.leaves[group.leaves[0]].extents.len(),
            GroupKind::Struct { .. } | GroupKind::Tile { .. } => 0,
        });
        format!("{base}.{}{zero}", group.handle_member)
    }

    /// Declarations of generated types, in their namespace.
    #[must_use]
    pub fn in_space(&self, declarations: &str) -> String {
        self.space.as_ref().map_or_else(
            || declarations.to_owned(),
            |space| format!("inline namespace {space} {{\n{declarations}}}\n"),
        )
    }

    /// The expression of a leaf of an element: an lvalue of the leaf's type.
    ///
    /// `base` is the pointer or handle as a postfix expression; `extents` are the subscripts of a
    /// member array. `local` gives the name of a local copy of a group's pointer, if there is one.
    #[must_use]
    pub fn leaf_expression(
        &self,
        base: &str,
        local: Option<&str>,
        leaf: usize,
        index: &IndexText,
        extents: &[String],
    ) -> String {
        let group = &self.groups[self.group_of(leaf)];
        let pointer = match (self.is_handle, local) {
            (_, Some(local)) => local.to_owned(),
            (true, None) => format!("{base}.{}", group.handle_member),
            (false, None) if self.is_sectioned() => {
                let plane: String = match group.kind {
                    GroupKind::Array => {
                        extents.iter().map(|extent| format!(", {extent}")).collect()
                    }
                    GroupKind::Struct { .. } | GroupKind::Tile { .. } => String::new(),
                };
                let function = &group.section_function;
                let pointer = format!("{function}({base}{plane})");
                if group.kind == GroupKind::Array {
                    return format!("{pointer}[{}]", index.text);
                }
                pointer
            }
            (false, None) => base.to_owned(),
        };
        let subscripts: String = extents.iter().map(|extent| format!("[{extent}]")).collect();
        let name = &self.leaf_names[leaf];
        match &group.kind {
            GroupKind::Struct { .. } => format!("{pointer}[{}].{name}{subscripts}", index.text),
            GroupKind::Tile { tile, .. } => format!(
                "{pointer}[{}].{name}{subscripts}[{}]",
                tile_index(index, *tile),
                tile_slot(index, *tile)
            ),
            GroupKind::Array => format!("{pointer}{subscripts}[{}]", index.text),
        }
    }
}

/// The end of the name of the function that gives a reference to a leaf.
pub(crate) fn accessor_end(leaf: &str) -> String {
    format!("At_{}", crate::names::in_ascii(leaf))
}

/// Four hexadecimal digits that differ between layouts (FNV-1a, folded): part of a type's name for linkers, so
/// they may not depend on the build of this program.
fn digest(layout: &str) -> String {
    let hash = layout
        .bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("{:04x}", (hash >> 16) ^ (hash & 0xffff))
}

fn lower_first(name: &str) -> String {
    let mut characters = name.chars();
    characters
        .next()
        .map_or_else(String::new, |first| first.to_lowercase().chain(characters).collect())
}

pub(crate) fn upper_first(name: &str) -> String {
    let mut characters = name.chars();
    characters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

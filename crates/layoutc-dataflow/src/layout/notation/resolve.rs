//! From a specification and a record to a layout.

use std::ops::Range;

use layoutc_diagnostics::Code;

use super::{FieldPattern, FormSpec, GridDigit, GroupSpec, LayoutSpec, Located, Order};
use super::{SpecBody, SpecError, nearest};
use crate::layout::group::with_extents;
use crate::layout::{Digit, DimensionId, Group, Layout, LayoutError, LeafId, RecordShape};

/// Name of the element index where the digits of an array of structs are written out.
pub(super) const ELEMENT_NAME: &str = "i";
/// Name of the field digit there.
pub(super) const FIELD_NAME: &str = "field";

impl LayoutSpec {
    /// The layout of an array of `shape`; digits may name the dimension `i` and `field`.
    ///
    /// # Errors
    /// LC0041 for an unknown field, LC0043 for a field in two groups, LC0044 for an invalid tile,
    /// LC0040 for everything else that does not fit the record, such as a field in no group.
    pub fn resolve(&self, shape: &RecordShape) -> Result<Layout, SpecError> {
        self.body.resolve(shape)
    }

    /// The layout of a grid of `shape` with these dimension names, slowest first; `field` is the
    /// name of the field digit.
    ///
    /// # Errors
    /// As [`LayoutSpec::resolve`]; a layout without digits is LC0040 unless there is one dimension.
    pub fn resolve_grid(
        &self,
        shape: &RecordShape,
        dimensions: &[&str],
        field: &str,
    ) -> Result<Layout, SpecError> {
        self.body.resolve_grid(shape, dimensions, field)
    }
}

impl SpecBody {
    /// As [`LayoutSpec::resolve`].
    ///
    /// # Errors
    /// As [`LayoutSpec::resolve`].
    pub fn resolve(&self, shape: &RecordShape) -> Result<Layout, SpecError> {
        self.resolve_grid(shape, &[ELEMENT_NAME], FIELD_NAME)
    }

    /// As [`LayoutSpec::resolve_grid`].
    ///
    /// # Errors
    /// As [`LayoutSpec::resolve_grid`].
    pub fn resolve_grid(
        &self,
        shape: &RecordShape,
        dimensions: &[&str],
        field: &str,
    ) -> Result<Layout, SpecError> {
        if shape.leaves.is_empty() {
            let message = format!("record `{}` has no fields to lay out", shape.name);
            return Err(SpecError::new(Code::UNKNOWN_LAYOUT, self.at(), message));
        }
        let names = Names { dimensions, field };
        let form = |form: &FormSpec, leaves| resolve_form(shape, &names, form, leaves);
        let groups = match self {
            SpecBody::Soa(_) => {
                Ok(shape.leaf_ids().map(|leaf| Group::array(shape, leaf)).collect())
            }
            SpecBody::Uniform(all) => {
                form(all, shape.leaf_ids().collect()).map(|group| vec![group])
            }
            SpecBody::Groups(groups) => assign_leaves(shape, groups)?
                .into_iter()
                .zip(groups)
                .filter(|(leaves, _)| !leaves.is_empty())
                .map(|(leaves, group)| form(&group.form, leaves))
                .collect(),
        }?;
        Layout::new(shape, dimensions.len() as u32, groups).map_err(|error| {
            let message = match error {
                LayoutError::Coverage(DimensionId(dimension)) => {
                    let missing = dimensions.get(dimension as usize).copied();
                    format!("dimension `{}` is in no digit", missing.unwrap_or_default())
                }
                other => other.to_string(),
            };
            SpecError::new(Code::UNKNOWN_LAYOUT, self.at(), message)
        })
    }
}

/// The names that digits may use.
struct Names<'a> {
    dimensions: &'a [&'a str],
    field: &'a str,
}

/// The leaves of each group, in the order in which the group names them.
fn assign_leaves(shape: &RecordShape, groups: &[GroupSpec]) -> Result<Vec<Vec<LeafId>>, SpecError> {
    let mut placed: Vec<Option<Range<usize>>> = vec![None; shape.leaves.len()];
    let mut rest: Option<&Range<usize>> = None;
    for Located { value, at } in groups.iter().flat_map(|group| &group.fields) {
        match value {
            FieldPattern::Rest => {
                if let Some(first) = rest.replace(at) {
                    return Err(overlap("`*` stands twice".to_owned(), at, first));
                }
            }
            FieldPattern::Path(path) => {
                for leaf in leaves_at(shape, path, at)? {
                    if let Some(first) = placed[leaf.index()].replace(at.clone()) {
                        let message = format!("member `{}` is named twice", shape.leaf(leaf).path);
                        return Err(overlap(message, at, &first));
                    }
                }
            }
        }
    }
    let left: Vec<LeafId> =
        shape.leaf_ids().filter(|leaf| placed[leaf.index()].is_none()).collect();
    if rest.is_none() && !left.is_empty() {
        return Err(unplaced(shape, groups, &left));
    }
    let leaves = |field: &Located<FieldPattern>| match &field.value {
        FieldPattern::Rest => Ok(left.clone()),
        FieldPattern::Path(path) => leaves_at(shape, path, &field.at),
    };
    let group = |group: &GroupSpec| {
        let parts: Result<Vec<_>, _> = group.fields.iter().map(leaves).collect();
        parts.map(|parts| parts.concat())
    };
    groups.iter().map(group).collect()
}

fn overlap(message: String, at: &Range<usize>, first: &Range<usize>) -> SpecError {
    SpecError::new(Code::OVERLAPPING_GROUPS, at.clone(), message)
        .help(format!("it is already placed at byte {}; remove one of the two", first.start))
}

fn unplaced(shape: &RecordShape, groups: &[GroupSpec], left: &[LeafId]) -> SpecError {
    let names: Vec<String> =
        left.iter().map(|leaf| format!("`{}`", shape.leaf(*leaf).path)).collect();
    let message = match &names[..] {
        [name] => format!("field {name} is in no group"),
        _ => format!("members {} are in no group", names.join(", ")),
    };
    let end = groups.iter().flat_map(|group| &group.fields).map(|field| field.at.end).max();
    let end = end.unwrap_or_default();
    SpecError::new(Code::UNKNOWN_LAYOUT, end..end, message)
        .help("name every field, or add `{*}` for all the others")
}

/// The leaf with this path, or all leaves below it.
fn leaves_at(shape: &RecordShape, path: &str, at: &Range<usize>) -> Result<Vec<LeafId>, SpecError> {
    if let Some(leaf) = shape.leaf_at(path) {
        return Ok(vec![leaf]);
    }
    let below: Vec<LeafId> =
        shape.leaf_ids().filter(|leaf| is_below(&shape.leaf(*leaf).path, path)).collect();
    if below.is_empty() { Err(unknown_field(shape, path, at)) } else { Ok(below) }
}

/// Whether `path` is inside the struct at `prefix`.
pub(super) fn is_below(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('.'))
}

/// The paths of the structs around a leaf, outermost first.
pub(super) fn prefixes(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('.').map(|(at, _)| &path[..at])
}

fn unknown_field(shape: &RecordShape, path: &str, at: &Range<usize>) -> SpecError {
    let message = format!("struct `{}` has no member `{path}`", shape.name);
    let error = SpecError::new(Code::UNKNOWN_FIELD, at.clone(), message);
    let leaves = || shape.leaves.iter().map(|leaf| leaf.path.as_str());
    match nearest(path, leaves().chain(leaves().flat_map(prefixes))) {
        Some(known) => error.help(format!("did you mean `{known}`?")),
        None => {
            let known: Vec<String> = leaves().take(12).map(|leaf| format!("`{leaf}`")).collect();
            let more = if shape.leaves.len() > known.len() { ", …" } else { "" };
            error.help(format!("its fields are {}{more}", known.join(", ")))
        }
    }
}

fn resolve_form(
    shape: &RecordShape,
    names: &Names<'_>,
    form: &FormSpec,
    leaves: Vec<LeafId>,
) -> Result<Group, SpecError> {
    let align = form.align.as_ref().map(|align| align.value);
    let group = match (&form.order.value, &leaves[..]) {
        (Order::Digits(digits), _) => {
            let digits: Result<Vec<_>, _> =
                digits.iter().map(|digit| resolve_digit(names, digit)).collect();
            let digits = with_extents(shape, &leaves, &digits?);
            Group::new(shape, leaves, align, digits)
        }
        (Order::Tiled(tile), _) => Group::tiled(shape, leaves, *tile, align),
        (Order::Default, [leaf]) if align.is_none() => Ok(Group::array(shape, *leaf)),
        (Order::Default | Order::Aos, _) => Group::aos(shape, leaves, align),
    };
    group.map_err(|error| {
        let at_align = || form.align.as_ref().map(|align| align.at.clone());
        let (code, at) = match error {
            LayoutError::Tile(_) => (Code::INVALID_TILE, None),
            LayoutError::Alignment { .. } | LayoutError::AlignedArray => {
                (Code::UNKNOWN_LAYOUT, at_align())
            }
            _ => (Code::UNKNOWN_LAYOUT, None),
        };
        let at = at.unwrap_or_else(|| form.order.at.clone());
        let message = match error {
            LayoutError::UnboundedMember(DimensionId(dimension)) => format!(
                "`{}` is unbounded behind `{}`; give it a `%`, or write a group per field",
                names.dimensions[dimension as usize], names.field
            ),
            LayoutError::FieldDigits(0) => {
                format!("the digits of several fields need `{}`", names.field)
            }
            LayoutError::Coverage(DimensionId(dimension)) => {
                format!("dimension `{}` is in no digit", names.dimensions[dimension as usize])
            }
            other => other.to_string(),
        };
        SpecError::new(code, at, message)
    })
}

fn resolve_digit(names: &Names<'_>, digit: &GridDigit) -> Result<Digit, SpecError> {
    let Located { value: name, at } = &digit.name;
    if name == names.field {
        if digit.divisor != 1 || digit.modulus.is_some() {
            let message = format!("`{name}` is the field, which is not sliced");
            return Err(SpecError::new(Code::UNKNOWN_LAYOUT, at.clone(), message));
        }
        return Ok(Digit::Field);
    }
    let Some(dimension) = names.dimensions.iter().position(|known| known == name) else {
        let known = names.dimensions.iter().copied().chain([names.field]);
        // Grids of numbers have no field digit.
        let named = known.clone().filter(|known| !known.is_empty());
        let list: Vec<String> = named.map(|known| format!("`{known}`")).collect();
        let error = SpecError::new(
            Code::UNKNOWN_LAYOUT,
            at.clone(),
            format!("the array has no dimension `{name}`"),
        );
        return Err(match nearest(name, known) {
            Some(known) => error.help(format!("did you mean `{known}`?")),
            None => error.help(format!("its digits are {}", list.join(", "))),
        });
    };
    Ok(Digit::Slice {
        dimension: DimensionId(dimension as u32),
        divisor: digit.divisor,
        modulus: digit.modulus,
    })
}

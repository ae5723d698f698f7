//! Printing specifications and layouts.

use std::fmt;

use super::resolve::{ELEMENT_NAME, FIELD_NAME, is_below, prefixes};
use super::{FieldPattern, FormSpec, GridDigit, GroupSpec, LayoutSpec, Order, SpecBody};
use crate::layout::{Digit, Group, GroupForm, Layout, LeafId, RecordShape};

impl fmt::Display for LayoutSpec {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.target)?;
        for name in &self.with {
            write!(out, " + {name}")?;
        }
        write!(out, " = {}", self.body)
    }
}

impl fmt::Display for SpecBody {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpecBody::Soa(_) => out.write_str("soa"),
            SpecBody::Uniform(form) => form.fmt(out),
            SpecBody::Groups(groups) => separated(out, ", ", groups),
        }
    }
}

impl fmt::Display for GroupSpec {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("{")?;
        separated(out, " ", self.fields.iter().map(|field| &field.value))?;
        out.write_str("}")?;
        if self.form.order.value != Order::Default || self.form.align.is_some() {
            write!(out, " {}", self.form)?;
        }
        Ok(())
    }
}

impl fmt::Display for FormSpec {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let align = self.align.as_ref().map(|align| format!("align({})", align.value.0));
        separated(out, " ", self.order.value.text().into_iter().chain(align))
    }
}

impl Order {
    /// The words, if there are any.
    fn text(&self) -> Option<String> {
        match self {
            Order::Default => None,
            Order::Aos => Some("aos".to_owned()),
            Order::Tiled(tile) => Some(format!("tiled({tile})")),
            Order::Digits(digits) => {
                let digits: Vec<String> = digits.iter().map(GridDigit::to_string).collect();
                Some(format!("[{}]", digits.join(", ")))
            }
        }
    }
}

impl fmt::Display for GridDigit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        slice(out, &self.name.value, self.divisor, self.modulus)
    }
}

impl fmt::Display for FieldPattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FieldPattern::Path(path) => out.write_str(path),
            FieldPattern::Rest => out.write_str("*"),
        }
    }
}

fn slice(
    out: &mut fmt::Formatter<'_>,
    name: &str,
    divisor: u64,
    modulus: Option<u64>,
) -> fmt::Result {
    out.write_str(name)?;
    if divisor != 1 {
        write!(out, "/{divisor}")?;
    }
    match modulus {
        Some(modulus) => write!(out, "%{modulus}"),
        None => Ok(()),
    }
}

fn separated<T: fmt::Display>(
    out: &mut fmt::Formatter<'_>,
    separator: &str,
    items: impl IntoIterator<Item = T>,
) -> fmt::Result {
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            out.write_str(separator)?;
        }
        item.fmt(out)?;
    }
    Ok(())
}

/// A layout to be printed with the names of its record; made by [`Layout::display`].
#[derive(Clone, Debug)]
pub struct LayoutDisplay<'a> {
    layout: &'a Layout,
    shape: &'a RecordShape,
    dimensions: Vec<&'a str>,
    field: &'a str,
}

impl Layout {
    /// The layout in the shortest notation that names every field (or speaks of all of them), which
    /// parses and resolves to an equal layout.
    ///
    /// # Panics
    /// Printing panics if the layout has several dimensions: [`Layout::display_grid`] has names for
    /// them.
    #[must_use]
    pub fn display<'a>(&'a self, shape: &'a RecordShape) -> LayoutDisplay<'a> {
        self.display_grid(shape, &[ELEMENT_NAME], FIELD_NAME)
    }

    /// The layout of a grid with these dimension names, slowest first, and this name of the field
    /// digit.
    ///
    /// # Panics
    /// Printing panics if there are fewer names than dimensions.
    #[must_use]
    pub fn display_grid<'a>(
        &'a self,
        shape: &'a RecordShape,
        dimensions: &[&'a str],
        field: &'a str,
    ) -> LayoutDisplay<'a> {
        LayoutDisplay { layout: self, shape, dimensions: dimensions.to_vec(), field }
    }
}

impl fmt::Display for LayoutDisplay<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.layout.dimensions() == 1 {
            if self.layout.is_identity(self.shape) {
                return out.write_str("aos");
            }
            if *self.layout == Layout::soa(self.shape) {
                return out.write_str("soa");
            }
        }
        match self.layout.groups() {
            [group] if group.leaves().iter().copied().eq(self.shape.leaf_ids()) => {
                let struct_word = matches!(group.form(), GroupForm::Struct).then_some("aos");
                self.fmt_form(out, group, struct_word)
            }
            groups => {
                for (at, group) in groups.iter().enumerate() {
                    if at > 0 {
                        out.write_str(", ")?;
                    }
                    self.fmt_group(out, group)?;
                }
                Ok(())
            }
        }
    }
}

impl LayoutDisplay<'_> {
    fn fmt_group(&self, out: &mut fmt::Formatter<'_>, group: &Group) -> fmt::Result {
        out.write_str("{")?;
        separated(out, " ", self.field_names(group.leaves()))?;
        out.write_str("}")?;
        let lone = group.form() == GroupForm::Struct
            && group.leaves().len() == 1
            && group.align().is_none();
        let default = matches!(group.form(), GroupForm::Struct | GroupForm::Array);
        if default && group.align().is_none() && !lone {
            return Ok(());
        }
        out.write_str(" ")?;
        self.fmt_form(out, group, lone.then_some("aos"))
    }

    /// The words of a group's form; `struct_word` is the one for an array of structs, if it needs one.
    fn fmt_form(
        &self,
        out: &mut fmt::Formatter<'_>,
        group: &Group,
        struct_word: Option<&str>,
    ) -> fmt::Result {
        let order = match group.form() {
            GroupForm::Struct => struct_word.map(str::to_owned),
            GroupForm::Tile(tile) => Some(format!("tiled({tile})")),
            GroupForm::Array | GroupForm::Grid => {
                let digits = group.digits().iter().filter_map(|digit| self.digit(*digit));
                Some(format!("[{}]", digits.collect::<Vec<_>>().join(", ")))
            }
        };
        let align = group.align().map(|align| format!("align({})", align.0));
        separated(out, " ", order.into_iter().chain(align))
    }

    /// A digit as it is written; extents are not.
    fn digit(&self, digit: Digit) -> Option<String> {
        match digit {
            Digit::Slice { dimension, divisor, modulus } => {
                let name = Slice(self.dimensions[dimension.0 as usize], divisor, modulus);
                Some(name.to_string())
            }
            Digit::Field => Some(self.field.to_owned()),
            Digit::Extent(_) => None,
        }
    }

    /// The leaves as fields, with the path of a nested struct for all its leaves in source order.
    fn field_names(&self, mut leaves: &[LeafId]) -> Vec<&str> {
        let mut names = Vec::new();
        while let [first, ..] = leaves {
            let path = self.shape.leaf(*first).path.as_str();
            let whole = prefixes(path).find_map(|prefix| {
                let below: Vec<LeafId> = self
                    .shape
                    .leaf_ids()
                    .filter(|leaf| is_below(&self.shape.leaf(*leaf).path, prefix))
                    .collect();
                (below.len() > 1 && leaves.starts_with(&below)).then_some((prefix, below.len()))
            });
            let (name, count) = whole.unwrap_or((path, 1));
            names.push(name);
            leaves = &leaves[count..];
        }
        names
    }
}

struct Slice<'a>(&'a str, u64, Option<u64>);

impl fmt::Display for Slice<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        slice(out, self.0, self.1, self.2)
    }
}

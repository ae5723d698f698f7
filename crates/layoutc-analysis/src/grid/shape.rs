//! What a grid is: its dimensions and its elements.

use serde::{Serialize, Serializer};
use std::fmt;

/// The extent of a dimension.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Extent {
    /// A number of the source.
    Constant(u64),
    /// Anything else, by its text, such as `nx`.
    Symbolic(String),
}

impl Extent {
    /// The number, if it is one.
    #[must_use]
    pub fn constant(&self) -> Option<u64> {
        match self {
            Extent::Constant(extent) => Some(*extent),
            Extent::Symbolic(_) => None,
        }
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Extent::Constant(extent) => write!(out, "{extent}"),
            Extent::Symbolic(text) => out.write_str(text),
        }
    }
}

impl Serialize for Extent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A dimension of a grid.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct GridDimension {
    /// What people call its index: `x`, `j`.
    pub name: String,
    /// How many indices there are.
    pub extent: Extent,
}

impl GridDimension {
    /// A dimension.
    #[must_use]
    pub fn new(name: &str, extent: Extent) -> Self {
        GridDimension { name: name.to_owned(), extent }
    }
}

/// A grid: what its layout is chosen for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct GridShape {
    /// Slowest first.
    pub dimensions: Vec<GridDimension>,
    /// Bytes of one value: of a scalar element, or of a member of the record; where members differ,
    /// of those that are accessed most.
    pub value_bytes: u64,
    /// Whether an element is a record. Then the digits have a field digit, which must be followed by
    /// the digits of its extents, if the record has member arrays; they are not chosen here.
    pub is_record: bool,
}

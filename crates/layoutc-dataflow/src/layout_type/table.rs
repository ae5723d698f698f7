//! The set `L` of layouts, so that comparing two of them is comparing two numbers.

use indexmap::IndexSet;

use super::types::LayoutTypeId;
use crate::layout::Layout;

/// A layout as a type: Sung et al.'s tuple of dimension, dimension vector and flattening function.
///
/// The dimension is the length of the dimension vector.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ArrayType {
    /// The record whose leaves the layout numbers, qualified as in the source.
    pub record: String,
    /// The sizes of the dimensions, slowest first, as normalised expressions of the source. Arrays
    /// whose layout does not depend on their length leave it empty.
    pub dimension_vector: Vec<String>,
    /// The flattening function.
    pub layout: Layout,
}

/// All layouts of a program, numbered in the order in which they were first seen.
#[derive(Clone, Debug, Default)]
pub struct LayoutTypeTable {
    types: IndexSet<ArrayType>,
}

impl LayoutTypeTable {
    /// An empty table.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The id of this layout: equal for compatible layouts, different for all others.
    pub fn intern(&mut self, array: ArrayType) -> LayoutTypeId {
        LayoutTypeId(self.types.insert_full(array).0 as u32)
    }

    /// The layout with this id.
    ///
    /// # Panics
    /// If the id is of another table.
    #[must_use]
    pub fn get(&self, id: LayoutTypeId) -> &ArrayType {
        &self.types[id.0 as usize]
    }
}

//! Layouts: where the bytes of a class of arrays lie.
//!
//! # Terms
//!
//! A *class* of arrays has an index space: one or more dimensions (an array of structs has one, the
//! element index `i`) and the *leaves* of its record. A leaf is what remains when nested structs and
//! vector types are taken apart: a scalar, or a member array of scalars such as `float f[9]`.
//!
//! A [`Layout`] partitions the leaves into ordered [`Group`]s. Each group stores its leaves by a list
//! of [`Digit`]s, slowest first: slices of the dimensions (strip-mining a dimension by `T` gives
//! `i / T` and `i % T`), the field, and the extents of member arrays. The position of a value is the
//! number that these digits spell; that is the *flattening function*.
//!
//! | name | groups | digits of each group |
//! |---|---|---|
//! | AoS | all leaves | `i, field` |
//! | AoS-align | clusters | `i, field`, the struct aligned to 8, 16 or 32 |
//! | SoA | one leaf each | `i` |
//! | SoAoS | clusters | `i, field` |
//! | tiled AoS (ASTA, AoSoA) | all leaves, or clusters | `i/T, field, i%T` |
//! | a grid of Sung et al. | all leaves | for example `y/32, x/128, field, y%32, x%128` |
//!
//! # What a group is in C
//!
//! The geometry of a group is that of the declarations generated for it, as a C++ compiler lays them
//! out. Slices before the field digit select a struct, slices behind it select a slot within the
//! struct's member arrays:
//!
//! | digits | declaration |
//! |---|---|
//! | `i, field` | `struct A { float x; float f[9]; } a[n];` |
//! | `i/T, field, i%T` | `struct A { float x[T]; float f[9][T]; } a[(n + T - 1) / T];` |
//! | `i` (one leaf) | `float x[n];` and, for a member array, one array per extent index: `float *f[9]` |
//!
//! In the last form the extents are the slowest digits: consecutive elements of one `f[q]` are
//! adjacent, which is what SoA is for. An untiled group of *all* leaves in source order is the
//! record's own struct, holes and nesting included, at most with a larger alignment; every other
//! struct is made of the leaves in the order in which the group lists them.
//!
//! # Claims
//!
//! - Every layout has a *canonical form*: digits that select nothing (`i % 1`), adjacent slices that
//!   make one (`i/32, i%32`), the field digit of a plain array, and alignments that the group has
//!   anyway are removed by the constructors, wherever that moves no byte. Layouts are *compatible*
//!   (Sung et al., §5.3) if they are equal, that is, if leaves, digits and alignments are equal.
//! - No two values share a byte, every value is aligned, and all lie inside the allocation. The
//!   digits are checked once, in [`Group::new`], which all constructors go through.
//!
//! Source: Sung, Stratton, Hwu, PACT 2010, §4 (flattening functions, strip-mining, permutation).
//! Deviations: a tile size `T` satisfies `0 < T` (the paper prints `0 <= T < D`; `T = 1` is the
//! identity, and `T >= D` pads the only tile); the paper's flattening functions count elements of one
//! type, ours count bytes, because the leaves of a record differ in size.

mod digit;
mod geometry;
mod group;
pub mod notation;
mod record;

use std::fmt;

pub use digit::{Digit, DimensionId, MAX_TILE};
pub use geometry::{ALLOCATION_ALIGNMENT, Geometry, StructLayout};
pub use group::{Group, GroupForm, MAX_ALIGNMENT};
pub use notation::{LayoutSpec, SpecBody, SpecError};
pub use record::{Leaf, RecordShape};

/// A size, an offset or an address in bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Bytes(pub u64);

impl Bytes {
    /// The smallest multiple of `alignment` that is not below this number.
    ///
    /// # Panics
    /// If `alignment` is 0, or the result exceeds 64 bits.
    #[must_use]
    pub fn round_up(self, alignment: Bytes) -> Bytes {
        Bytes(self.0.div_ceil(alignment.0).checked_mul(alignment.0).expect("sizes fit 64 bits"))
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} B", self.0)
    }
}

/// A leaf of a [`RecordShape`]: its position in [`RecordShape::leaves`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LeafId(pub u32);

impl LeafId {
    /// The position in [`RecordShape::leaves`].
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A group of a [`Layout`]: its position in [`Layout::groups`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GroupId(pub u32);

impl GroupId {
    /// The position in [`Layout::groups`].
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One group of a layout to be made by [`Layout::clusters`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cluster {
    /// The leaves, in the order of the generated struct's members.
    pub leaves: Vec<LeafId>,
    /// The tile size in elements; `None`: not tiled.
    pub tile: Option<u64>,
    /// The alignment of the generated struct; `None`: what its members need.
    pub align: Option<Bytes>,
}

impl Cluster {
    /// An untiled cluster with natural alignment.
    #[must_use]
    pub fn new(leaves: impl IntoIterator<Item = LeafId>) -> Self {
        Cluster { leaves: leaves.into_iter().collect(), tile: None, align: None }
    }

    /// The same leaves in tiles of `tile` elements.
    #[must_use]
    pub fn tiled(self, tile: u64) -> Self {
        Cluster { tile: Some(tile), ..self }
    }

    /// The same leaves in a struct aligned to `align`.
    #[must_use]
    pub fn aligned(self, align: Bytes) -> Self {
        Cluster { align: Some(align), ..self }
    }
}

/// Where the leaves of all elements of one class of arrays lie: a partition of the leaves into
/// groups, and the digits of each group.
///
/// Equality is Sung et al.'s compatibility of flattening functions, for two arrays of one record.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Layout {
    groups: Vec<Group>,
    dimensions: u32,
}

/// Why groups or digits are not a layout.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LayoutError {
    /// A group without leaves.
    EmptyGroup,
    /// The record has no leaf with this number.
    NoSuchLeaf(LeafId),
    /// A leaf stands in two groups, or twice in one.
    LeafTwice(LeafId),
    /// A leaf stands in no group.
    LeafMissing(LeafId),
    /// The slices of a dimension do not cover it exactly once.
    Coverage(DimensionId),
    /// A slice of a dimension that the array does not have.
    NoSuchDimension(DimensionId),
    /// The group needs exactly one field digit and has another number of them.
    FieldDigits(usize),
    /// The extents of member arrays do not stand directly behind the field digit, or, without a
    /// field digit, in front of everything; or they are not all there.
    ExtentDigits,
    /// An unbounded slice behind the field digit: it would need member arrays of unknown length.
    UnboundedMember(DimensionId),
    /// A tile size of 0 or above [`MAX_TILE`].
    Tile(u64),
    /// An alignment that is no power of two, below what the leaves need, or above
    /// [`MAX_ALIGNMENT`].
    Alignment {
        /// The alignment asked for.
        asked: Bytes,
        /// What the leaves need.
        natural: Bytes,
    },
    /// An alignment for a plain array, which has no struct to align.
    AlignedArray,
}

impl fmt::Display for LayoutError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptyGroup => write!(out, "a group has no fields"),
            Self::NoSuchLeaf(leaf) => write!(out, "the record has no field number {}", leaf.0),
            Self::LeafTwice(leaf) => write!(out, "field number {} is placed twice", leaf.0),
            Self::LeafMissing(leaf) => write!(out, "field number {} is placed nowhere", leaf.0),
            Self::Coverage(dimension) => {
                write!(out, "the slices of dimension {} do not cover it exactly once", dimension.0)
            }
            Self::NoSuchDimension(dimension) => {
                write!(out, "the array has no dimension {}", dimension.0)
            }
            Self::FieldDigits(0) => write!(out, "a group of several fields needs a field digit"),
            Self::FieldDigits(_) => write!(out, "a group has more than one field digit"),
            Self::ExtentDigits => write!(out, "a member array is not kept behind its field"),
            Self::UnboundedMember(dimension) => write!(
                out,
                "dimension {} is unbounded behind the field; give it a `%` or use a group per field",
                dimension.0
            ),
            Self::Tile(0) => write!(out, "a tile needs at least one element"),
            Self::Tile(tile) => write!(out, "a tile of {tile} is above the limit of {MAX_TILE}"),
            Self::Alignment { asked, natural } => {
                let Bytes(asked) = asked;
                if !asked.is_power_of_two() {
                    write!(out, "alignment {asked} is not a power of two")
                } else if *asked > MAX_ALIGNMENT.0 {
                    write!(out, "alignment {asked} is above the limit of {}", MAX_ALIGNMENT.0)
                } else {
                    write!(out, "alignment {asked} is below the natural alignment {}", natural.0)
                }
            }
            Self::AlignedArray => write!(out, "a plain array has no struct to align"),
        }
    }
}

impl std::error::Error for LayoutError {}

impl Layout {
    /// The layout made of `groups`, for arrays of `shape` with `dimensions` dimensions.
    ///
    /// # Errors
    /// [`LayoutError::LeafTwice`] and [`LayoutError::LeafMissing`] if the groups are no partition of
    /// the leaves, [`LayoutError::NoSuchDimension`] and [`LayoutError::Coverage`] if their digits do
    /// not fit `dimensions`.
    pub fn new(
        shape: &RecordShape,
        dimensions: u32,
        groups: Vec<Group>,
    ) -> Result<Layout, LayoutError> {
        let mut placed = vec![false; shape.leaves.len()];
        for group in &groups {
            digit::check_dimensions(group.digits(), dimensions)?;
            for leaf in group.leaves() {
                let seen = placed.get_mut(leaf.index()).ok_or(LayoutError::NoSuchLeaf(*leaf))?;
                if std::mem::replace(seen, true) {
                    return Err(LayoutError::LeafTwice(*leaf));
                }
            }
        }
        match shape.leaf_ids().find(|leaf| !placed[leaf.index()]) {
            Some(leaf) => Err(LayoutError::LeafMissing(leaf)),
            None => Ok(Layout { groups, dimensions }),
        }
    }

    /// The source's layout: an array of the record itself.
    ///
    /// A record without leaves has the layout without groups.
    #[must_use]
    pub fn aos(shape: &RecordShape) -> Layout {
        Self::uniform(shape, None, None).expect("the source's own layout is valid")
    }

    /// An array of the record with its alignment raised to `align`.
    ///
    /// # Errors
    /// [`LayoutError::Alignment`].
    pub fn aos_aligned(shape: &RecordShape, align: Bytes) -> Result<Layout, LayoutError> {
        Self::uniform(shape, None, Some(align))
    }

    /// One array per leaf; for a member array, one per extent index.
    #[must_use]
    pub fn soa(shape: &RecordShape) -> Layout {
        let groups = shape.leaf_ids().map(|leaf| Group::array(shape, leaf)).collect();
        Layout::new(shape, 1, groups).expect("one group per leaf is a partition")
    }

    /// Tiles of `tile` elements, each a struct of small arrays; also known as ASTA and AoSoA.
    ///
    /// # Errors
    /// [`LayoutError::Tile`] and [`LayoutError::Alignment`].
    pub fn tiled(
        shape: &RecordShape,
        tile: u64,
        align: Option<Bytes>,
    ) -> Result<Layout, LayoutError> {
        Self::uniform(shape, Some(tile), align)
    }

    /// One group per cluster: tiled, or an array of structs, or for a single untiled leaf without
    /// alignment a plain array.
    ///
    /// # Errors
    /// As [`Layout::new`] and [`Group::new`].
    pub fn clusters(
        shape: &RecordShape,
        clusters: impl IntoIterator<Item = Cluster>,
    ) -> Result<Layout, LayoutError> {
        let group = |cluster: Cluster| match (cluster.tile, cluster.align, &cluster.leaves[..]) {
            (Some(tile), align, _) => Group::tiled(shape, cluster.leaves, tile, align),
            (None, None, [leaf]) if leaf.index() < shape.leaves.len() => {
                Ok(Group::array(shape, *leaf))
            }
            (None, align, _) => Group::aos(shape, cluster.leaves, align),
        };
        let groups = clusters.into_iter().map(group).collect::<Result<_, _>>()?;
        Layout::new(shape, 1, groups)
    }

    /// All leaves in one group.
    fn uniform(
        shape: &RecordShape,
        tile: Option<u64>,
        align: Option<Bytes>,
    ) -> Result<Layout, LayoutError> {
        if shape.leaves.is_empty() {
            return Layout::new(shape, 1, Vec::new());
        }
        let leaves = shape.leaf_ids().collect();
        let group = match tile {
            Some(tile) => Group::tiled(shape, leaves, tile, align)?,
            None => Group::aos(shape, leaves, align)?,
        };
        Layout::new(shape, 1, vec![group])
    }

    /// The groups, in the order in which they lie in a common allocation.
    #[must_use]
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The group with this id.
    #[must_use]
    pub fn group(&self, id: GroupId) -> &Group {
        &self.groups[id.index()]
    }

    /// All groups with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (GroupId, &Group)> {
        self.groups.iter().enumerate().map(|(at, group)| (GroupId(at as u32), group))
    }

    /// Number of index dimensions; 1 for an array of structs.
    #[must_use]
    pub fn dimensions(&self) -> u32 {
        self.dimensions
    }

    /// The group that holds `leaf`, and the position of the leaf within it.
    ///
    /// # Panics
    /// If the record has no such leaf.
    #[must_use]
    pub fn place(&self, leaf: LeafId) -> (GroupId, usize) {
        self.iter()
            .find_map(|(id, group)| Some((id, group.position(leaf)?)))
            .expect("a layout places every leaf of its record")
    }

    /// Whether nothing has to change in the source: an array of the record as it is declared.
    #[must_use]
    pub fn is_identity(&self, shape: &RecordShape) -> bool {
        *self == Self::aos(shape)
    }

    /// Whether every value keeps its place, so that copies to and from the host need no conversion.
    ///
    /// Exact for arrays and structs. A tiled group is taken to move something, which only tiles of
    /// one field with a useless alignment do not.
    ///
    /// An aligned record whose size is a multiple of the new alignment keeps its bytes although its
    /// declaration changes.
    #[must_use]
    pub fn keeps_bytes(&self, shape: &RecordShape) -> bool {
        match &self.groups[..] {
            [] => true,
            [group] if self.dimensions == 1 && group.form() == GroupForm::Struct => {
                let layout = group.struct_layout(shape);
                layout.size == shape.size
                    && group
                        .leaves()
                        .iter()
                        .zip(&layout.offsets)
                        .all(|(leaf, offset)| shape.leaf(*leaf).offset == *offset)
            }
            [group] if self.dimensions == 1 && group.form() == GroupForm::Array => {
                let leaf = shape.leaf(group.leaves()[0]);
                leaf.scalars() == 1 && leaf.scalar_size == shape.size
            }
            _ => false,
        }
    }

    /// Whether the two layouts are compatible: equal leaves, digits and alignments in every group.
    ///
    /// Source: Sung, Stratton, Hwu, PACT 2010, §5.3, where flattening functions are compatible if
    /// they agree for all index and dimension vectors.
    #[must_use]
    pub fn is_compatible(&self, other: &Layout) -> bool {
        self == other
    }
}

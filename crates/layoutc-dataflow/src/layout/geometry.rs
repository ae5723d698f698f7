//! Sizes, offsets and addresses: the geometry of a layout.
//!
//! All groups of a layout can lie in one allocation, in their order, each beginning at a multiple
//! of [`ALLOCATION_ALIGNMENT`]; so does each array of a member array that is split by extent.

use super::{Bytes, Digit, DimensionId, Group, GroupId, Layout, LeafId, RecordShape};

/// What device allocations are aligned to, and therefore groups within one allocation.
pub const ALLOCATION_ALIGNMENT: Bytes = Bytes(256);

/// The struct of a group as a C++ compiler lays it out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StructLayout {
    /// `sizeof`.
    pub size: Bytes,
    /// `alignof`.
    pub align: Bytes,
    /// `offsetof` of each member, in the order of [`Group::leaves`].
    pub offsets: Vec<Bytes>,
}

impl Group {
    /// Size, alignment and member offsets of the group's struct, or of one scalar if the group is a
    /// plain array.
    ///
    /// The record's own struct keeps the offsets of the source; every other struct follows the
    /// rules of C for its members in order, each repeated for its extents and the slots of a tile.
    ///
    /// # Panics
    /// If `shape` is not the record that the group was made for.
    #[must_use]
    pub fn struct_layout(&self, shape: &RecordShape) -> StructLayout {
        let leaves = || self.leaves().iter().map(|leaf| shape.leaf(*leaf));
        let least = self.align().unwrap_or(Bytes(1));
        if self.is_whole_record() {
            let align = shape.align.max(least);
            let offsets = leaves().map(|leaf| leaf.offset).collect();
            return StructLayout { size: shape.size.round_up(align), align, offsets };
        }
        let align = self.natural_alignment(shape).max(least);
        if !self.has_struct() {
            let size = shape.leaf(self.leaves()[0]).scalar_size;
            return StructLayout { size, align, offsets: vec![Bytes(0)] };
        }
        let mut end = Bytes(0);
        let mut offsets = Vec::with_capacity(self.leaves().len());
        for leaf in leaves() {
            let offset = end.round_up(leaf.align);
            end = Bytes(offset.0 + product([leaf.size().0, self.slots()]));
            offsets.push(offset);
        }
        StructLayout { size: end.round_up(align), align, offsets }
    }

    /// The bytes of one tile: the struct's size.
    ///
    /// # Panics
    /// As [`Group::struct_layout`].
    #[must_use]
    pub fn tile_bytes(&self, shape: &RecordShape) -> Bytes {
        self.struct_layout(shape).size
    }

    /// How many structs the group has, or how many scalars each of its arrays, for an array with
    /// this dimension vector. The last tile is padded.
    ///
    /// # Panics
    /// If the number exceeds 64 bits, or `dimension_vector` lacks a dimension.
    #[must_use]
    pub fn structs(&self, dimension_vector: &[u64]) -> u64 {
        product(self.outer().iter().map(|digit| places(*digit, dimension_vector)))
    }

    /// The bytes of the whole group, whole tiles included, for an array with this dimension vector.
    ///
    /// # Panics
    /// As [`Group::structs`] and [`Group::struct_layout`].
    #[must_use]
    pub fn group_bytes(&self, shape: &RecordShape, dimension_vector: &[u64]) -> Bytes {
        let array = product([self.structs(dimension_vector), self.tile_bytes(shape).0]);
        if self.has_struct() {
            return Bytes(array);
        }
        let planes = shape.leaf(self.leaves()[0]).scalars();
        let last = planes.saturating_sub(1);
        Bytes(product([last, plane_stride(Bytes(array)).0]) + array)
    }
}

/// The distance between the arrays of a member array that is split by extent.
fn plane_stride(array: Bytes) -> Bytes {
    array.round_up(ALLOCATION_ALIGNMENT)
}

/// The number of values that a slice takes.
fn places(digit: Digit, dimension_vector: &[u64]) -> u64 {
    match digit {
        Digit::Slice { modulus: Some(modulus), .. } => modulus,
        Digit::Slice { dimension: DimensionId(dimension), divisor, modulus: None } => {
            dimension_vector[dimension as usize].div_ceil(divisor)
        }
        Digit::Field | Digit::Extent(_) => 1,
    }
}

/// The value of a slice at an index.
fn value(digit: Digit, index: &[u64]) -> u64 {
    match digit {
        Digit::Slice { dimension: DimensionId(dimension), divisor, modulus } => {
            let high = index[dimension as usize] / divisor;
            modulus.map_or(high, |modulus| high % modulus)
        }
        Digit::Field | Digit::Extent(_) => 0,
    }
}

/// The number that the slices spell at an index.
fn spell(slices: &[Digit], index: &[u64], dimension_vector: &[u64]) -> u64 {
    slices
        .iter()
        .fold(0, |number, digit| number * places(*digit, dimension_vector) + value(*digit, index))
}

fn product(factors: impl IntoIterator<Item = u64>) -> u64 {
    factors
        .into_iter()
        .try_fold(1_u64, u64::checked_mul)
        .expect("the size of an array fits 64 bits")
}

/// A layout of one array: record and dimension vector fixed, all groups in one allocation.
#[derive(Clone, Debug)]
pub struct Geometry<'a> {
    layout: &'a Layout,
    shape: &'a RecordShape,
    dimension_vector: Vec<u64>,
    structs: Vec<StructLayout>,
    bases: Vec<Bytes>,
    end: Bytes,
}

impl<'a> Geometry<'a> {
    /// The geometry of `layout` for an array of `shape` with this dimension vector, slowest
    /// dimension first.
    ///
    /// # Panics
    /// If the dimension vector has not [`Layout::dimensions`] entries, or the size exceeds 64 bits.
    #[must_use]
    pub fn new(layout: &'a Layout, shape: &'a RecordShape, dimension_vector: &[u64]) -> Self {
        assert_eq!(layout.dimensions() as usize, dimension_vector.len(), "one entry a dimension");
        let (mut bases, mut end) = (Vec::new(), Bytes(0));
        for group in layout.groups() {
            let base = end.round_up(ALLOCATION_ALIGNMENT);
            let bytes = group.group_bytes(shape, dimension_vector);
            end = Bytes(base.0.checked_add(bytes.0).expect("the size of an array fits 64 bits"));
            bases.push(base);
        }
        let structs = layout.groups().iter().map(|group| group.struct_layout(shape)).collect();
        let dimension_vector = dimension_vector.to_vec();
        Geometry { layout, shape, dimension_vector, structs, bases, end }
    }

    /// The bytes of one allocation that holds all groups.
    #[must_use]
    pub fn allocation_bytes(&self) -> Bytes {
        self.end
    }

    /// Where a group begins in the allocation: a multiple of [`ALLOCATION_ALIGNMENT`].
    #[must_use]
    pub fn group_base(&self, group: GroupId) -> Bytes {
        self.bases[group.index()]
    }

    /// The address of one scalar, from the beginning of the allocation.
    ///
    /// `index` has one entry per dimension, each below its entry of the dimension vector; `extent`
    /// is the row-major number of the scalar within its member array (0 for a scalar leaf).
    ///
    /// # Panics
    /// If an index lies outside.
    ///
    /// Source: Sung, Stratton, Hwu, PACT 2010, §4.1, Definition 2; counted in bytes.
    #[must_use]
    pub fn flattening_function(&self, leaf: LeafId, index: &[u64], extent: u64) -> Bytes {
        assert!(
            index.len() == self.dimension_vector.len()
                && index.iter().zip(&self.dimension_vector).all(|(at, size)| at < size),
            "index {index:?} lies outside {:?}",
            self.dimension_vector
        );
        let member = self.shape.leaf(leaf);
        assert!(extent < member.scalars(), "extent {extent} lies outside `{}`", member.path);
        let (id, position) = self.layout.place(leaf);
        let (group, layout) = (self.layout.group(id), &self.structs[id.index()]);
        let outer = spell(group.outer(), index, &self.dimension_vector);
        let within = if group.has_struct() {
            let slot = spell(group.inner(), index, &self.dimension_vector);
            let scalar = extent * group.slots() + slot;
            outer * layout.size.0 + layout.offsets[position].0 + scalar * member.scalar_size.0
        } else {
            let array = group.structs(&self.dimension_vector) * layout.size.0;
            extent * plane_stride(Bytes(array)).0 + outer * layout.size.0
        };
        Bytes(self.bases[id.index()].0 + within)
    }
}

impl Layout {
    /// The geometry for an array of `elements` records: [`Geometry::new`] in one dimension.
    ///
    /// # Panics
    /// If the layout has not one dimension, or the size exceeds 64 bits.
    #[must_use]
    pub fn geometry<'a>(&'a self, shape: &'a RecordShape, elements: u64) -> Geometry<'a> {
        Geometry::new(self, shape, &[elements])
    }

    /// The bytes of one allocation that holds all groups of an array of `elements` records.
    ///
    /// # Panics
    /// As [`Layout::geometry`].
    #[must_use]
    pub fn allocation_bytes(&self, shape: &RecordShape, elements: u64) -> Bytes {
        self.geometry(shape, elements).allocation_bytes()
    }

    /// Where a group begins in the allocation of an array of `elements` records.
    ///
    /// # Panics
    /// As [`Layout::geometry`].
    #[must_use]
    pub fn group_base(&self, shape: &RecordShape, group: GroupId, elements: u64) -> Bytes {
        self.geometry(shape, elements).group_base(group)
    }

    /// The address of one scalar in an array of `elements` records; see
    /// [`Geometry::flattening_function`], which costs less for many scalars.
    ///
    /// # Panics
    /// As [`Layout::geometry`] and [`Geometry::flattening_function`].
    #[must_use]
    pub fn flattening_function(
        &self,
        shape: &RecordShape,
        leaf: LeafId,
        element: u64,
        extent: u64,
        elements: u64,
    ) -> Bytes {
        self.geometry(shape, elements).flattening_function(leaf, &[element], extent)
    }
}

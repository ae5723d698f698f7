//! Where layouts put the values of a program's arrays.

use super::kernel::ArrayId;
use layoutc_dataflow::layout::{Bytes, GroupForm, Layout, Leaf, LeafId, RecordShape};
use std::collections::BTreeMap;

/// Memory that holds structs of one type, or scalars, one after another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StorageId(pub u32);

/// Where a leaf of an array lies.
///
/// The address of scalar `s` of element `i` in the storage is
/// `(i / tile) * stride + offset + (s * tile + i % tile) * size`, where an untiled struct has a tile of
/// one element. With `has_planes` each scalar has an array of its own, as far away as another storage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The memory.
    pub storage: StorageId,
    /// Bytes from a struct to the next, padding included.
    pub stride: u64,
    /// Bytes from the start of the struct to the leaf's first value.
    pub offset: u64,
    /// Elements of a struct: 1, or those of a tile.
    pub tile: u64,
    /// Bytes of a scalar of the leaf.
    pub size: u64,
    /// Bytes of it that one instruction moves: less than all, where it is a `float3` or a class that is kept whole.
    pub unit: u64,
    /// Scalars of the leaf.
    pub scalars: u64,
    /// Whether each scalar has an array of its own.
    pub has_planes: bool,
    /// What the struct's address is a multiple of, in bytes.
    pub align: u64,
}

/// Where all arrays of a program lie.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Arrangement {
    places: BTreeMap<(ArrayId, LeafId), Place>,
    storages: u32,
}

impl Arrangement {
    /// Where a leaf lies, if its array was inserted.
    #[must_use]
    pub fn place(&self, array: ArrayId, leaf: LeafId) -> Option<&Place> {
        self.places.get(&(array, leaf))
    }

    /// All leaves and their places, by array.
    pub fn places(&self) -> impl Iterator<Item = (ArrayId, LeafId, &Place)> {
        self.places.iter().map(|((array, leaf), place)| (*array, *leaf, place))
    }

    /// Memory that nothing lies in yet.
    pub(super) fn next_storage(&mut self) -> StorageId {
        self.storages += 1;
        StorageId(self.storages - 1)
    }

    /// Puts a leaf where it is said to lie.
    pub(super) fn put(&mut self, array: ArrayId, leaf: LeafId, place: Place) {
        self.places.insert((array, leaf), place);
    }

    /// Puts an array of one dimension into a layout.
    pub fn insert(&mut self, array: ArrayId, shape: &RecordShape, layout: &Layout) {
        let owners: Vec<(ArrayId, LeafId)> = shape.leaf_ids().map(|leaf| (array, leaf)).collect();
        self.insert_merged(&owners, shape, layout);
    }

    /// Puts arrays of equal length into one layout: leaf `l` of `shape` is `owners[l]`. Groups whose slices
    /// stand in another order than those of arrays, structs and tiles get no place, and what accesses
    /// them no price.
    ///
    /// # Panics
    /// If `owners` and the leaves of `shape` are not equally many.
    pub fn insert_merged(
        &mut self,
        owners: &[(ArrayId, LeafId)],
        shape: &RecordShape,
        layout: &Layout,
    ) {
        assert_eq!(owners.len(), shape.leaves.len(), "each leaf has an owner");
        for (_, group) in layout.iter() {
            let storage = self.next_storage();
            let tile = match group.form() {
                GroupForm::Array | GroupForm::Struct => 1,
                GroupForm::Tile(tile) => tile,
                GroupForm::Grid => continue,
            };
            let layout = group.struct_layout(shape);
            let has_planes = group.is_single_leaf_array();
            for (leaf, Bytes(offset)) in group.leaves().iter().zip(layout.offsets) {
                let own = shape.leaf(*leaf);
                let place = Place {
                    storage,
                    stride: layout.size.0,
                    offset,
                    tile,
                    size: own.scalar_size.0,
                    unit: unit(own),
                    scalars: own.scalars(),
                    has_planes: has_planes && own.scalars() > 1,
                    align: layout.align.0,
                };
                self.places.insert(owners[leaf.index()], place);
            }
        }
    }
}

/// The widest access of a lane that every device has.
const WIDEST: u64 = 16;

/// Bytes of a leaf's scalars that one instruction moves: as many as their alignment allows.
pub(super) fn unit(leaf: &Leaf) -> u64 {
    let (size, align) = (leaf.scalar_size.0, leaf.align.0.clamp(1, WIDEST));
    if size > align && size.is_multiple_of(align) { align } else { size }
}

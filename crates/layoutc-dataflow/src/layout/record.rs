//! The record whose arrays are laid out, as the source declares it.

use super::{Bytes, LeafId};

/// A scalar member, or a member array of scalars, at any depth of a record.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Leaf {
    /// The member's path from the record, such as `pos.x` or `f`.
    pub path: String,
    /// The first byte, from the start of the record.
    pub offset: Bytes,
    /// The size of one scalar.
    pub scalar_size: Bytes,
    /// The alignment of the member, a power of two.
    pub align: Bytes,
    /// The extents of a member array, slowest first: `[9]` for `float f[9]`, `[]` for a scalar. No
    /// extent is 0.
    pub extents: Vec<u64>,
    /// The scalar's type as the source spells it.
    pub type_name: String,
}

impl Leaf {
    /// The number of scalars: the product of the extents.
    #[must_use]
    pub fn scalars(&self) -> u64 {
        self.extents.iter().product()
    }

    /// The size of the whole member.
    #[must_use]
    pub fn size(&self) -> Bytes {
        Bytes(self.scalar_size.0 * self.scalars())
    }
}

/// A record: its size, alignment and leaves as the compiler of the source has them.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RecordShape {
    /// The name, qualified as in the source.
    pub name: String,
    /// `sizeof`.
    pub size: Bytes,
    /// `alignof`.
    pub align: Bytes,
    /// All leaves, by ascending offset.
    pub leaves: Vec<Leaf>,
}

impl RecordShape {
    /// A record without nesting, with offsets, size and alignment by the rules of C.
    ///
    /// Each member is given as (path, type name, scalar size, alignment, extents).
    #[must_use]
    pub fn flat<'a>(
        name: &str,
        members: impl IntoIterator<Item = (&'a str, &'a str, u64, u64, &'a [u64])>,
    ) -> RecordShape {
        let (mut end, mut align) = (Bytes(0), Bytes(1));
        let mut leaves = Vec::new();
        for (path, type_name, scalar_size, member_align, extents) in members {
            let leaf = Leaf {
                path: path.to_owned(),
                offset: end.round_up(Bytes(member_align)),
                scalar_size: Bytes(scalar_size),
                align: Bytes(member_align),
                extents: extents.to_vec(),
                type_name: type_name.to_owned(),
            };
            align = align.max(leaf.align);
            end = Bytes(leaf.offset.0 + leaf.size().0);
            leaves.push(leaf);
        }
        RecordShape { name: name.to_owned(), size: end.round_up(align), align, leaves }
    }

    /// The ids of all leaves, in source order.
    pub fn leaf_ids(&self) -> impl Iterator<Item = LeafId> + use<> {
        (0..self.leaves.len() as u32).map(LeafId)
    }

    /// The leaf with this id.
    ///
    /// # Panics
    /// If the record has no such leaf.
    #[must_use]
    pub fn leaf(&self, id: LeafId) -> &Leaf {
        &self.leaves[id.index()]
    }

    /// The leaf with this path.
    #[must_use]
    pub fn leaf_at(&self, path: &str) -> Option<LeafId> {
        self.leaf_ids().find(|id| self.leaf(*id).path == path)
    }
}

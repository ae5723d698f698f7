//! Where the leaves of an allocation's records lie, before and after a rewrite.
//!
//! The address rule covers arrays of structures, aligned clusters, structures of arrays, tiles and mixtures:
//!
//! ```text
//! address(i, leaf, index…) = group_base(n) + i / tile * tile_stride + offset
//!                          + index… · extent_strides + i % tile * lane_stride
//! ```
//!
//! All groups share one allocation: each begins at the next multiple of 256 bytes after the one before it, and
//! takes `ceil(n / tile) * tile_stride` bytes for `n` records.

use crate::lowering::SiteId;
use std::fmt::Write;

/// A number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Bytes(pub u64);

/// The place of a leaf in [`SiteLayout::leaves`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeafId(pub u32);

/// A scalar of the record, or an array of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// As the source writes it below the record: `pos.x`, `f`.
    pub name: String,
    /// Size of one scalar.
    pub size: Bytes,
    /// Counts of the array dimensions, slowest first; empty for a plain scalar.
    pub extents: Vec<u64>,
}

/// Where one leaf lies in its group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeafPlacement {
    /// Which leaf.
    pub leaf: LeafId,
    /// Offset of lane 0 from the start of the tile.
    pub offset: Bytes,
    /// From one record of the tile to the next; unused where the tile holds one.
    pub lane_stride: Bytes,
    /// One a dimension of the leaf.
    pub extent_strides: Vec<Bytes>,
}

/// Leaves that share tiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupLayout {
    /// Records a tile; 1 for arrays of structures.
    pub tile: u64,
    /// From one tile to the next.
    pub tile_stride: Bytes,
    /// The group's leaves.
    pub leaves: Vec<LeafPlacement>,
}

/// The records of the allocations of one call site, in both programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteLayout {
    /// The allocation call.
    pub site: SiteId,
    /// Size of one record before the rewrite; the bytes asked for divided by it are the number of records.
    pub record_size: Bytes,
    /// The leaves, in an order that both programs share. Padding is in none.
    pub leaves: Vec<Leaf>,
    /// The groups of the original program, most often one with a tile of 1.
    pub before: Vec<GroupLayout>,
    /// The groups of the rewritten program, in the order in which they lie in the allocation.
    pub after: Vec<GroupLayout>,
}

/// One of the two programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// The original.
    Before,
    /// The rewritten one.
    After,
}

impl SiteLayout {
    /// Bytes of one record in canonical form, leaf after leaf without padding.
    pub(crate) fn canonical_size(&self) -> u64 {
        self.leaves.iter().map(Leaf::bytes).sum()
    }
}

impl Leaf {
    /// Bytes of all its scalars.
    pub(crate) fn bytes(&self) -> u64 {
        self.size.0 * self.extents.iter().product::<u64>()
    }
}

/// The text that the runtime reads (`LAYOUTC_RT_LAYOUTS`; the format is described in `runtime/log.cpp`).
pub(crate) fn to_text(layouts: &[SiteLayout], version: Version) -> String {
    let mut text = String::new();
    for layout in layouts {
        // Writing to a string does not fail.
        let _ = writeln!(text, "site {} {}", layout.site.0, layout.record_size.0);
        let groups = match version {
            Version::Before => &layout.before,
            Version::After => &layout.after,
        };
        for group in groups {
            let _ = writeln!(text, "group {} {}", group.tile, group.tile_stride.0);
            for placement in &group.leaves {
                let Some(leaf) = layout.leaves.get(placement.leaf.0 as usize) else {
                    continue;
                };
                let (ordinal, size) = (placement.leaf.0, leaf.size.0);
                let (offset, lane) = (placement.offset.0, placement.lane_stride.0);
                let _ =
                    write!(text, "leaf {ordinal} {size} {offset} {lane} {}", leaf.extents.len());
                for (count, stride) in leaf.extents.iter().zip(&placement.extent_strides) {
                    let _ = write!(text, " {count} {}", stride.0);
                }
                text.push('\n');
            }
        }
    }
    text
}

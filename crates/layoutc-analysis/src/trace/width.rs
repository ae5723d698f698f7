//! What a struct costs: loads that alignment saves against bytes that it pads, and sectors against those of
//! arrays.
//!
//! An access of a warp costs its load instructions and the lines that they move. A struct aligned to 16 or 8
//! bytes is loaded by as many instructions as it has windows of these bytes in use (§2.5); padding makes it
//! longer, so that elements lie on more sectors.

use super::cluster::aligned;
use super::tree::Node;
use crate::profile::LEVELS;
use layoutc_dataflow::layout::{Bytes, LayoutError, LeafId, RecordShape};
use std::collections::BTreeSet;

/// Bytes of a sector, and sectors that cost what an instruction costs: those of a line.
const SECTOR: u64 = 32;
const SECTORS: f64 = 4.0;
/// Alignments, the least first.
const ALIGNMENTS: [Option<Bytes>; 3] = [None, Some(Bytes(8)), Some(Bytes(16))];

/// The alignment under which what the nodes access of a struct costs least; of equal ones the least.
///
/// # Errors
/// As [`layoutc_dataflow::layout::Group::aos`].
pub(super) fn alignment(
    shape: &RecordShape,
    leaves: &[LeafId],
    nodes: &[Node],
) -> Result<Option<Bytes>, LayoutError> {
    let mut best: Option<(f64, Option<Bytes>)> = None;
    for align in ALIGNMENTS {
        let group = aligned(shape, leaves.to_vec(), align)?;
        let own = group.struct_layout(shape);
        let mut cost = 0.0;
        for (node, fields) in patterns(nodes) {
            let mut bytes: Vec<(u64, u64)> = Vec::new();
            for (leaf, offset) in group.leaves().iter().zip(&own.offsets) {
                if fields.contains(&leaf.index()) {
                    let leaf = shape.leaf(*leaf);
                    let size = leaf.scalar_size.0;
                    bytes.extend((0..leaf.scalars()).map(|at| (offset.0 + at * size, size)));
                }
            }
            bytes.sort_unstable();
            let loads = loads(&bytes, own.align.0) as f64;
            let sectors = sectors(&bytes, own.size.0) * node.blocks[0];
            cost += node.count as f64 * (loads + sectors / SECTORS);
        }
        if best.is_none_or(|(least, _)| cost < least) {
            best = Some((cost, group.align()));
        }
    }
    Ok(best.and_then(|(_, align)| align))
}

/// What is accessed of an element at once: the fields of each site of each node.
pub(super) fn patterns(nodes: &[Node]) -> impl Iterator<Item = (&Node, &BTreeSet<usize>)> {
    nodes.iter().flat_map(|node| node.sites.values().map(move |fields| (node, fields)))
}

/// Sectors that the nodes access in structs of some bytes, as a part of those in arrays or tiles of the fields;
/// nodes that do not access all of them are left out.
pub(super) fn against_arrays(shape: &RecordShape, fields: &[usize], nodes: &[Node]) -> f64 {
    let leaves = || fields.iter().map(|at| &shape.leaves[*at]);
    let bytes: u64 = leaves().map(|leaf| leaf.size().0).sum();
    let (mut structs, mut arrays) = (0.0, 0.0);
    for (node, _) in patterns(nodes).filter(|(_, own)| fields.iter().all(|at| own.contains(at))) {
        let of = |bytes: u64| in_array(&node.blocks, bytes) * node.count as f64;
        let all: f64 = leaves().map(|leaf| of(leaf.scalar_size.0) * leaf.scalars() as f64).sum();
        structs += if are_neighbours(&node.blocks) { all } else { of(bytes) };
        arrays += all;
    }
    if arrays > 0.0 { structs / arrays } else { 1.0 }
}

/// Whether lanes are neighbours: in blocks of 8 elements there is one more than they fill at most. That one the
/// next warp finds in a cache.
fn are_neighbours(blocks: &[f64; LEVELS]) -> bool {
    const LEVEL: usize = 3;
    blocks[LEVEL] <= blocks[0] / f64::from(1 << LEVEL) + 1.1
}

/// Sectors that a warp touches in an array of elements of some bytes, all of which it accesses.
fn in_array(blocks: &[f64; LEVELS], bytes: u64) -> f64 {
    if bytes >= SECTOR {
        return blocks[0] * bytes as f64 / SECTOR as f64;
    }
    let level = (SECTOR as f64 / bytes.max(1) as f64).log2();
    let (below, part) = (level as usize, level.fract());
    blocks[below] * (1.0 - part) + blocks[below + 1] * part
}

/// Load instructions for scalars of a struct that is aligned to `width` bytes.
fn loads(scalars: &[(u64, u64)], width: u64) -> usize {
    let width = width.clamp(1, 16);
    scalars.chunk_by(|(first, _), (next, _)| first / width == next / width).count()
}

/// Sectors of one element on which bytes lie, over all places of an element in memory.
fn sectors(scalars: &[(u64, u64)], stride: u64) -> f64 {
    let mut sum = 0;
    for element in 0..SECTOR {
        let mut last = None;
        for (offset, size) in scalars {
            let first = element * stride + offset;
            for sector in first / SECTOR..=(first + size - 1) / SECTOR {
                sum += u64::from(last.is_none_or(|last| sector > last));
                last = last.max(Some(sector));
            }
        }
    }
    sum as f64 / SECTOR as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn node(fields: std::ops::Range<usize>, elements: f64) -> Node {
        let fields: BTreeSet<usize> = fields.collect();
        let sites = BTreeMap::from([("p[i]".to_owned(), fields.clone())]);
        let (kernels, loops) = (BTreeSet::new(), BTreeSet::new());
        Node { kernels, loops, count: 10, fields, sites, blocks: [elements; LEVELS] }
    }

    /// Neighbours are as good in arrays; lanes that are anywhere are not, and pairs are between them.
    #[test]
    fn structs_against_arrays() {
        let shape = floats(2);
        let part = |run: usize| {
            let blocks =
                std::array::from_fn(|level| (32.0 / f64::from(1 << level)).max(32.0 / run as f64));
            against_arrays(&shape, &[0, 1], &[Node { blocks, ..node(0..2, 0.0) }])
        };
        assert_eq!([part(32), part(8), part(4), part(1)], [1.0, 1.0, 0.5, 0.5]);
        // Every second one of many.
        let blocks = std::array::from_fn(|level| (64.0 / f64::from(1 << level)).clamp(1.0, 32.0));
        let shape = floats(8);
        let fields: Vec<usize> = (0..8).collect();
        assert_eq!(against_arrays(&shape, &fields, &[Node { blocks, ..node(0..8, 0.0) }]), 0.5);
    }

    fn floats(count: usize) -> RecordShape {
        let names: Vec<String> = (0..count).map(|at| format!("f{at}")).collect();
        RecordShape::flat("S", names.iter().map(|name| (name.as_str(), "float", 4, 4, &[][..])))
    }

    fn chosen(count: usize, node: Node) -> Option<Bytes> {
        let shape = floats(count);
        let leaves: Vec<LeafId> = shape.leaf_ids().collect();
        alignment(&shape, &leaves, &[node]).expect("a struct")
    }

    /// §2.5: four words are one access, seven are 16, 8 and 4 bytes, and two fill 8.
    #[test]
    fn alignment_follows_what_is_used() {
        assert_eq!(chosen(4, node(0..4, 32.0)), Some(Bytes(16)));
        assert_eq!(chosen(2, node(0..2, 32.0)), Some(Bytes(8)));
        // One field of four: nothing to be saved, but an element on one sector.
        assert_eq!(chosen(4, node(0..1, 32.0)), None);
    }

    /// Three words in one element for all threads: a load for three. Nine words would become twelve.
    #[test]
    fn padding_is_weighed() {
        assert_eq!(chosen(3, node(0..3, 1.0)), Some(Bytes(16)));
        assert_eq!(chosen(9, node(8..9, 32.0)), None);
    }

    #[test]
    fn sectors_of_all_places() {
        // 12 bytes at multiples of 12: of 8 places, 2 lie on two sectors.
        assert!((sectors(&[(0, 4), (4, 4), (8, 4)], 12) - 1.25).abs() < 1e-12);
        assert!((sectors(&[(0, 16)], 16) - 1.0).abs() < 1e-12);
    }
}

//! Clusters of fields from the tree.
//!
//! Source: Nakai, Ohno, §6.2, steps 3 and 4: fields below one node are one struct, whose size is to be a
//! multiple of 16 bytes.

use super::tree::{Node, Tree};
use layoutc_dataflow::layout::{Bytes, Group, LayoutError, LeafId, RecordShape};
use serde::Serialize;

/// What structs are aligned to: the widest access.
pub const ALIGNMENT: Bytes = Bytes(16);

/// Fields that lie together.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Cluster {
    /// The greatest count of a loop that accesses them; 0: none does.
    pub count: u64,
    /// The fields, ascending, as positions in [`Tree::fields`].
    pub fields: Vec<usize>,
}

impl Cluster {
    /// The fields as leaves.
    #[must_use]
    pub fn leaves(&self) -> Vec<LeafId> {
        leaves(&self.fields)
    }
}

pub(super) fn leaves(fields: &[usize]) -> Vec<LeafId> {
    fields.iter().map(|at| LeafId(*at as u32)).collect()
}

/// The clusters of a tree whose loops are merged, each field in one, those of the greatest counts first.
///
/// A field is in the cluster of the node with the greatest count that has it; of equal ones, of that with most
/// fields. What no node has is the last cluster. Then the coldest fields fill what alignment to 16 bytes pads in
/// hotter clusters: a cluster as a whole, or one of the fields that are not accessed at all.
#[must_use]
pub fn clusters(tree: &Tree, shape: &RecordShape) -> Vec<Cluster> {
    let mut nodes: Vec<&Node> = tree.nodes.iter().collect();
    nodes.sort_by_key(|node| std::cmp::Reverse((node.count, node.fields.len())));
    let mut is_taken = vec![false; tree.fields.len()];
    let mut clusters: Vec<Cluster> = Vec::new();
    for node in nodes {
        let fields: Vec<usize> = node.fields.iter().copied().filter(|at| !is_taken[*at]).collect();
        fields.iter().for_each(|at| is_taken[*at] = true);
        if !fields.is_empty() {
            clusters.push(Cluster { count: node.count, fields });
        }
    }
    let mut rest: Vec<usize> = (0..tree.fields.len()).filter(|at| !is_taken[*at]).collect();
    let mut hot = 0;
    while hot < clusters.len() {
        let free = |fields: &[usize], more: &[usize]| {
            let mut all = [fields, more].concat();
            all.sort_unstable();
            (padded(shape, fields) == padded(shape, &all) && fields.len() > 1).then_some(all)
        };
        rest.retain(|at| match free(&clusters[hot].fields, &[*at]) {
            Some(all) => {
                clusters[hot].fields = all;
                false
            }
            None => true,
        });
        for cold in (hot + 1..clusters.len()).rev() {
            if let Some(all) = free(&clusters[hot].fields, &clusters[cold].fields) {
                clusters[hot].fields = all;
                clusters.remove(cold);
            }
        }
        hot += 1;
    }
    if !rest.is_empty() {
        clusters.push(Cluster { count: 0, fields: rest });
    }
    clusters
}

/// Bytes of an element of a cluster: those of a struct that is aligned to 16, or of one field.
fn padded(shape: &RecordShape, fields: &[usize]) -> Option<u64> {
    let group = aligned(shape, leaves(fields), Some(ALIGNMENT)).ok()?;
    Some(group.struct_layout(shape).size.0)
}

/// A struct of leaves with an alignment, which is left out where it is that of the members, or less, and
/// where the group is one array.
///
/// # Errors
/// As [`Group::aos`].
pub(super) fn aligned(
    shape: &RecordShape,
    leaves: Vec<LeafId>,
    align: Option<Bytes>,
) -> Result<Group, LayoutError> {
    if leaves.len() == 1 && shape.leaf(leaves[0]).scalars() == 1 {
        return Ok(Group::array(shape, leaves[0]));
    }
    let natural = leaves.iter().map(|leaf| shape.leaf(*leaf).align).max();
    let align = align.filter(|align| natural.is_none_or(|natural| *align > natural));
    Group::aos(shape, leaves, align)
}

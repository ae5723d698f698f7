//! From the compiler's layouts to the address tables of the CPU runtime.
//!
//! The runtime wants, for each group, constant strides. They do not depend on the number of
//! elements, except for a member array that is split into one plain array per subscript; there
//! every scalar is a leaf and a group of its own, which comes to the same addresses.

use layoutc_dataflow::layout::{Bytes, Group, GroupForm, Layout, LeafId, RecordShape};
use layoutc_runtime::layout_table::{
    Bytes as RunBytes, GroupLayout, Leaf, LeafId as RunLeafId, LeafPlacement, SiteLayout,
};
use layoutc_runtime::lowering::SiteId;

/// Where the elements of an allocation lie, before and after; `None` for a grid.
pub fn site_layout(site: SiteId, shape: &RecordShape, layout: &Layout) -> Option<SiteLayout> {
    let leaves = RunLeaves::new(shape, layout);
    let original = Layout::aos(shape);
    let groups = |layout: &Layout| -> Option<Vec<GroupLayout>> {
        let groups = layout.groups().iter().map(|group| leaves.group(shape, group));
        Some(groups.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect())
    };
    Some(SiteLayout {
        site,
        record_size: RunBytes(shape.size.0),
        before: groups(&original)?,
        after: groups(layout)?,
        leaves: leaves.all,
    })
}

/// The leaves as the runtime knows them.
struct RunLeaves {
    all: Vec<Leaf>,
    /// By leaf of the record: the first of its leaves here, and whether each scalar is one.
    of: Vec<(u32, bool)>,
}

impl RunLeaves {
    fn new(shape: &RecordShape, layout: &Layout) -> Self {
        let mut this = RunLeaves { all: Vec::new(), of: Vec::new() };
        for id in shape.leaf_ids() {
            let leaf = shape.leaf(id);
            let (group, _) = layout.place(id);
            let is_split =
                !leaf.extents.is_empty() && layout.group(group).form() == GroupForm::Array;
            this.of.push((this.all.len() as u32, is_split));
            // A pointer to host memory differs from run to run: none of its bytes is compared.
            let is_pointer = leaf.type_name.ends_with('*');
            let size = RunBytes(if is_pointer { 0 } else { leaf.scalar_size.0 });
            if is_split {
                let scalar = |at| Leaf {
                    name: subscripted(&leaf.path, &leaf.extents, at),
                    size,
                    extents: Vec::new(),
                };
                this.all.extend((0..leaf.scalars()).map(scalar));
            } else {
                this.all.push(Leaf {
                    name: leaf.path.clone(),
                    size,
                    extents: leaf.extents.clone(),
                });
            }
        }
        this
    }

    /// The groups that one group of a layout becomes.
    fn group(&self, shape: &RecordShape, group: &Group) -> Option<Vec<GroupLayout>> {
        let tile = match group.form() {
            GroupForm::Array => return Some(self.arrays(shape, group.leaves()[0])),
            GroupForm::Struct => 1,
            GroupForm::Tile(tile) => tile,
            GroupForm::Grid => return None,
        };
        let layout = group.struct_layout(shape);
        let members = group.leaves().iter().zip(&layout.offsets);
        let leaves = members
            .flat_map(|(leaf, offset)| self.placements(shape, *leaf, *offset, tile))
            .collect();
        Some(vec![GroupLayout { tile, tile_stride: RunBytes(layout.size.0), leaves }])
    }

    /// A plain array per scalar.
    fn arrays(&self, shape: &RecordShape, id: LeafId) -> Vec<GroupLayout> {
        let leaf = shape.leaf(id);
        let (first, _) = self.of[id.index()];
        let stride = RunBytes(leaf.scalar_size.0);
        let placement = |leaf| LeafPlacement {
            leaf,
            offset: RunBytes(0),
            lane_stride: stride,
            extent_strides: Vec::new(),
        };
        let array =
            |leaf| GroupLayout { tile: 1, tile_stride: stride, leaves: vec![placement(leaf)] };
        (0..leaf.scalars() as u32).map(|at| array(RunLeafId(first + at))).collect()
    }

    /// A member at `offset` of a struct whose members have `tile` slots.
    fn placements(
        &self,
        shape: &RecordShape,
        id: LeafId,
        offset: Bytes,
        tile: u64,
    ) -> Vec<LeafPlacement> {
        let leaf = shape.leaf(id);
        let (first, is_split) = self.of[id.index()];
        let lane_stride = RunBytes(leaf.scalar_size.0);
        let scalar = leaf.scalar_size.0 * tile;
        if is_split {
            let place = |at: u64| LeafPlacement {
                leaf: RunLeafId(first + at as u32),
                offset: RunBytes(offset.0 + at * scalar),
                lane_stride,
                extent_strides: Vec::new(),
            };
            return (0..leaf.scalars()).map(place).collect();
        }
        let behind = |at: usize| leaf.extents[at + 1..].iter().product::<u64>();
        let extent_strides =
            (0..leaf.extents.len()).map(|at| RunBytes(scalar * behind(at))).collect();
        vec![LeafPlacement {
            leaf: RunLeafId(first),
            offset: RunBytes(offset.0),
            lane_stride,
            extent_strides,
        }]
    }
}

/// `f[1][2]` for the scalar at row-major position `at`.
fn subscripted(path: &str, extents: &[u64], at: u64) -> String {
    let mut rest = at;
    let mut subscripts = Vec::new();
    for extent in extents.iter().rev() {
        subscripts.push(format!("[{}]", rest % extent));
        rest /= extent;
    }
    subscripts.reverse();
    format!("{path}{}", subscripts.concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutc_dataflow::layout::{Cluster, Geometry};

    fn shape() -> RecordShape {
        RecordShape::flat(
            "Cell",
            [
                ("a", "char", 1, 1, &[][..]),
                ("f", "float", 4, 4, &[3, 2]),
                ("d", "double", 8, 8, &[]),
            ],
        )
    }

    /// Addresses of all scalars of element `i` by name, by the runtime's rule.
    fn addresses(table: &SiteLayout, groups: &[GroupLayout], n: u64, i: u64) -> Vec<(String, u64)> {
        let (mut base, mut found) = (0u64, Vec::new());
        for group in groups {
            base = base.next_multiple_of(256);
            for placement in &group.leaves {
                let leaf = &table.leaves[placement.leaf.0 as usize];
                let start = base
                    + i / group.tile * group.tile_stride.0
                    + placement.offset.0
                    + i % group.tile * placement.lane_stride.0;
                for at in 0..leaf.extents.iter().product() {
                    let mut rest = at;
                    let mut address = start;
                    for (extent, stride) in leaf.extents.iter().zip(&placement.extent_strides).rev()
                    {
                        address += rest % extent * stride.0;
                        rest /= extent;
                    }
                    found.push((subscripted(&leaf.name, &leaf.extents, at), address));
                }
            }
            base += n.div_ceil(group.tile) * group.tile_stride.0;
        }
        found.sort();
        found
    }

    #[test]
    fn the_tables_give_the_addresses_of_the_geometry() {
        let shape = shape();
        let [a, f, d] = [LeafId(0), LeafId(1), LeafId(2)];
        let clusters = [Cluster::new([d, a]).aligned(Bytes(16)), Cluster::new([f]).tiled(4)];
        let layouts = [
            Layout::aos(&shape),
            Layout::aos_aligned(&shape, Bytes(32)).expect("valid"),
            Layout::soa(&shape),
            Layout::tiled(&shape, 32, None).expect("valid"),
            Layout::tiled(&shape, 3, None).expect("valid"),
            Layout::clusters(&shape, clusters).expect("valid"),
        ];
        let n = 77;
        for layout in &layouts {
            let table = site_layout(SiteId(5), &shape, layout).expect("no grid");
            let original = Layout::aos(&shape);
            for (layout, groups) in [(&original, &table.before), (layout, &table.after)] {
                let geometry = Geometry::new(layout, &shape, &[n]);
                for i in [0, 1, 31, 32, 76] {
                    let mut expected = Vec::new();
                    for id in shape.leaf_ids() {
                        let leaf = shape.leaf(id);
                        for at in 0..leaf.scalars() {
                            let Bytes(address) = geometry.flattening_function(id, &[i], at);
                            expected.push((subscripted(&leaf.path, &leaf.extents, at), address));
                        }
                    }
                    expected.sort();
                    assert_eq!(addresses(&table, groups, n, i), expected);
                }
            }
        }
    }
}

//! How the fields of a record lie: one answer for all of them, or one for each group.
//!
//! Source: Nakai, Ohno, §5.3, for one answer; the groups are a step beyond ([`super::TraceOptions`]).

use super::TraceOptions;
use super::class::Weighed;
use super::cluster::{ALIGNMENT, Cluster, aligned, leaves};
use super::tree::Node;
use super::width::{against_arrays, alignment, patterns};
use crate::cost_choice::tile_of;
use crate::device::Device;
use layoutc_dataflow::layout::{Bytes, Group, Layout, LayoutError, LeafId, RecordShape};
use serde::Serialize;
use std::collections::BTreeSet;

/// Fields are used together where so much of what accesses one of them accesses all.
pub const TOGETHER: f64 = 0.9;

/// Fields that are used together lie in structs and not in tiles if that takes at most such a part of the sectors:
/// where lanes access elements that are near each other, but no neighbours.
pub const FEWER: f64 = 0.8;

/// How fields lie.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// Structs, aligned to so many bytes if any.
    Structs {
        /// Bytes.
        align: Option<u64>,
    },
    /// An array for each field.
    Arrays,
    /// Tiles of so many elements.
    Tiles {
        /// Elements.
        tile: u64,
    },
    /// Nothing accesses them: structs of their own.
    Unused,
}

/// Fields that get one answer.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GroupChoice {
    /// The fields, ascending, as positions in [`Tree::fields`].
    pub fields: Vec<usize>,
    /// What the accesses to them say together.
    pub sum: f64,
    /// How they lie.
    pub answer: Answer,
}

/// What answers for groups of fields rest on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grouping<'a> {
    /// The record.
    pub shape: &'a RecordShape,
    /// The field access tree.
    pub nodes: &'a [Node],
    /// The device, for the size of tiles.
    pub device: &'a Device,
    /// Which steps are taken.
    pub options: TraceOptions,
}

impl Grouping<'_> {
    /// One answer for all fields (§5.3).
    pub(super) fn whole(
        &self,
        sum: f64,
        clusters: &[Cluster],
    ) -> Result<Vec<GroupChoice>, LayoutError> {
        let all: Vec<usize> = (0..self.shape.leaves.len()).collect();
        if sum == 0.0 {
            let answer = Answer::Structs { align: None };
            return Ok(vec![GroupChoice { fields: all, sum, answer }]);
        }
        if sum < 0.0 {
            let answer = self.apart(&all)?;
            return Ok(vec![GroupChoice { fields: all, sum, answer }]);
        }
        let used = clusters.iter().filter(|cluster| cluster.count > 0);
        used.map(|cluster| self.structs(&cluster.fields, sum)).collect()
    }

    /// Answers for the fields of each cluster: those that are better in structs, and those that are not. Fields
    /// that nothing accesses are left out, unless they fill padding.
    pub(super) fn parts(
        &self,
        clusters: &[Cluster],
        accesses: &[Weighed],
    ) -> Result<Vec<GroupChoice>, LayoutError> {
        let of = |fields: &[usize]| -> f64 {
            let touches = |access: &&Weighed| access.fields.iter().any(|at| fields.contains(at));
            accesses.iter().filter(touches).map(|access| access.sum).sum()
        };
        let mut found = Vec::new();
        for cluster in clusters.iter().filter(|cluster| cluster.count > 0) {
            let (in_structs, apart): (Vec<usize>, Vec<usize>) =
                cluster.fields.iter().partition(|at| of(&[**at]) >= 0.0);
            if in_structs.iter().any(|at| is_used(*at, self.nodes)) {
                found.push(self.structs(&in_structs, of(&in_structs))?);
            }
            for apart in self.used_together(apart) {
                let (sum, answer) = (of(&apart), self.apart(&apart)?);
                found.push(GroupChoice { fields: apart, sum, answer });
            }
        }
        Ok(found)
    }

    /// Divides fields into those that are accessed with the same elements: of a stencil, what is read of the
    /// neighbours, too, and what is read of the own cell alone.
    fn used_together(&self, fields: Vec<usize>) -> Vec<Vec<usize>> {
        if !self.options.tiles {
            return Some(fields).filter(|fields| !fields.is_empty()).into_iter().collect();
        }
        let times = |is_meant: &dyn Fn(&BTreeSet<usize>) -> bool| -> f64 {
            let meant = patterns(self.nodes).filter(|(_, accessed)| is_meant(accessed));
            meant.map(|(node, _)| node.count as f64).sum()
        };
        let are_together = |a: usize, b: usize| {
            let both = times(&|own| own.contains(&a) && own.contains(&b));
            both >= TOGETHER * times(&|own| own.contains(&a) || own.contains(&b))
        };
        let mut found: Vec<Vec<usize>> = Vec::new();
        for field in fields {
            match found.iter_mut().find(|group| are_together(group[0], field)) {
                Some(group) => group.push(field),
                None => found.push(vec![field]),
            }
        }
        found
    }

    /// Structs of fields; those of them that nothing accesses are left out where they make the struct longer.
    fn structs(&self, fields: &[usize], sum: f64) -> Result<GroupChoice, LayoutError> {
        let used: Vec<usize> =
            fields.iter().copied().filter(|at| is_used(*at, self.nodes)).collect();
        let align = self.width(&leaves(&used))?;
        let size = |fields: &[usize]| -> Result<Bytes, LayoutError> {
            Ok(aligned(self.shape, leaves(fields), align)?.struct_layout(self.shape).size)
        };
        let fields = if size(fields)? == size(&used)? { fields.to_vec() } else { used };
        let answer = Answer::Structs { align: align.map(|align| align.0) };
        Ok(GroupChoice { fields, sum, answer })
    }

    /// Arrays; for fields that are used together tiles, or structs where they take fewer sectors.
    fn apart(&self, fields: &[usize]) -> Result<Answer, LayoutError> {
        let scalars: u64 = fields.iter().map(|at| self.shape.leaves[*at].scalars()).sum();
        if !self.options.tiles || scalars < 2 {
            return Ok(Answer::Arrays);
        }
        let (mut some, mut all) = (0.0, 0.0);
        for (node, accessed) in patterns(self.nodes) {
            let own = fields.iter().filter(|at| accessed.contains(at)).count();
            some += if own > 0 { node.count as f64 } else { 0.0 };
            all += if own == fields.len() { node.count as f64 } else { 0.0 };
        }
        if all < TOGETHER * some {
            return Ok(Answer::Arrays);
        }
        // Of a member array an access takes one value, mostly.
        let are_scalars = fields.iter().all(|at| self.shape.leaves[*at].scalars() == 1);
        if are_scalars && against_arrays(self.shape, fields, self.nodes) <= FEWER {
            let align = self.width(&leaves(fields))?.map(|align| align.0);
            return Ok(Answer::Structs { align });
        }
        let own = fields.iter().map(|at| &self.shape.leaves[*at]);
        Ok(Answer::Tiles { tile: tile_of(self.device, own) })
    }

    /// The alignment of a struct.
    fn width(&self, leaves: &[LeafId]) -> Result<Option<Bytes>, LayoutError> {
        match self.options.vector_width {
            true => alignment(self.shape, leaves, self.nodes),
            false => Ok(aligned(self.shape, leaves.to_vec(), Some(ALIGNMENT))?.align()),
        }
    }
}

/// Whether anything accesses a field.
fn is_used(field: usize, nodes: &[Node]) -> bool {
    nodes.iter().any(|node| node.fields.contains(&field))
}

/// The layout that answers make.
pub(super) fn layout_of(
    shape: &RecordShape,
    groups: &[GroupChoice],
) -> Result<Layout, LayoutError> {
    let mut made = Vec::new();
    for group in groups {
        let leaves = leaves(&group.fields);
        match group.answer {
            Answer::Structs { align } => made.push(aligned(shape, leaves, align.map(Bytes))?),
            Answer::Unused => made.push(aligned(shape, leaves, None)?),
            Answer::Tiles { tile } => made.push(Group::tiled(shape, leaves, tile, None)?),
            Answer::Arrays => made.extend(leaves.into_iter().map(|leaf| Group::array(shape, leaf))),
        }
    }
    made.sort_by_key(|group| group.leaves().first().copied());
    Layout::new(shape, 1, made)
}

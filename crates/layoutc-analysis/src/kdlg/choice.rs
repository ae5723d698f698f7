//! The whole algorithm: a graph, its clusters, and a layout for each of them.
//!
//! Source: Kofler et al., §3.3. A device without a tree, and leaves of the paper's trees that are lost, have
//! tiles of the size that [`crate::cost_choice`] takes: at least a warp, and so many elements that
//! each member fills what the device fetches at once.

use super::graph::{Kdlg, trips_around};
use super::partition;
use crate::cost::kernel::{ArrayId, KernelCode};
use crate::cost_choice::{Verdict, tile_of};
use crate::cost_model::{ArraySource, CostModel};
use crate::device::tree::{ClusterFacts, ClusterLayout};
use crate::device::{Device, TileModel};
use layoutc_dataflow::classes::ClassId;
use layoutc_dataflow::layout::{Group, Layout, LayoutError, LeafId, RecordShape};
use std::fmt;

/// How layouts are chosen.
#[derive(Clone, Copy, Debug)]
pub struct Selection<'a> {
    /// What kernels access.
    pub model: &'a CostModel,
    /// The device.
    pub device: &'a Device,
    /// What the user says.
    pub options: KdlgOptions,
}

/// What the user says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct KdlgOptions {
    /// ε in bytes; otherwise a line of the device's first-level cache.
    pub epsilon: Option<u64>,
    /// Which tree of the device chooses tiles.
    pub tiles: TileModel,
}

/// Where the layout of a cluster comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Chooser {
    /// The device's tree.
    Tree,
    /// A value alone lies one way only.
    OneValue,
    /// The device has no tree, or its leaf is lost.
    Fallback,
}

impl fmt::Display for Chooser {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Chooser::Tree => "tree",
            Chooser::OneValue => "one value",
            Chooser::Fallback => "no tree",
        })
    }
}

/// A cluster.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chosen {
    /// Its fields, ascending.
    pub fields: Vec<usize>,
    /// What trees see of it.
    pub facts: ClusterFacts,
    /// Its layout.
    pub layout: ClusterLayout,
    /// Where that comes from.
    pub chooser: Chooser,
}

/// What was decided for a class, and from what.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The graph.
    pub graph: Kdlg,
    /// ε in bytes.
    pub epsilon: u64,
    /// The clusters, in the order of their first fields.
    pub clusters: Vec<Chosen>,
    /// The layout that they make.
    pub layout: Layout,
    /// The same in the common notation.
    pub notation: String,
}

impl Selection<'_> {
    /// What a class of arrays of records gets.
    ///
    /// # Errors
    /// Why nothing can be decided, in a clause.
    pub fn decide(&self, class: ClassId) -> Result<Decision, String> {
        let arrays = &self.model.arrays;
        let at = (arrays.iter())
            .position(|info| info.source == ArraySource::Class(class))
            .ok_or("it is not known how its members can be laid out apart")?;
        let array = ArrayId(at as u32);
        let shape = &arrays[at].shape;
        let kernels: Vec<&KernelCode> = (self.model.kernels.iter().map(|kernel| &kernel.code))
            .filter(|code| code.accesses.iter().any(|access| access.array == array))
            .collect();
        if kernels.is_empty() {
            return Err(crate::cost_choice::no_access(self.model, class).to_owned());
        }
        let epsilon = self.epsilon()?;
        let graph = Kdlg::build(array, arrays, kernels.iter().copied());
        let clusters: Vec<Chosen> = (partition(&graph, epsilon).into_iter())
            .map(|fields| self.cluster(shape, &graph, array, &kernels, fields))
            .collect();
        let layout = layout_of(shape, &clusters).map_err(|error| error.to_string())?;
        let notation = layout.display(shape).to_string();
        Ok(Decision { graph, epsilon, clusters, layout, notation })
    }

    /// ε.
    fn epsilon(&self) -> Result<u64, String> {
        let line = self.device.memory.l1_line.known().copied().map(u64::from);
        let found = self.options.epsilon.or(line);
        found.ok_or_else(|| {
            let name = &self.device.name;
            format!(
                "{name} has no line of a first-level cache to cluster by; `--epsilon` says how near"
            )
        })
    }

    fn cluster(
        &self,
        shape: &RecordShape,
        graph: &Kdlg,
        array: ArrayId,
        kernels: &[&KernelCode],
        fields: Vec<usize>,
    ) -> Chosen {
        let leaves = || fields.iter().map(|field| &shape.leaves[*field]);
        let facts = ClusterFacts {
            size: fields.iter().map(|field| graph.fields[*field].size).sum(),
            fields: fields.len() as u64,
            trips: kernels.iter().map(|code| trips_around(code, array, &fields)).max().unwrap_or(1),
        };
        let tree = self.device.tile_tree(self.options.tiles);
        let (layout, chooser) = if leaves().map(|leaf| leaf.scalars()).sum::<u64>() < 2 {
            (ClusterLayout::Soa, Chooser::OneValue)
        } else if let Some(layout) = tree.and_then(|tree| tree.layout(&facts)) {
            (layout, Chooser::Tree)
        } else {
            (ClusterLayout::Tiled(tile_of(self.device, leaves())), Chooser::Fallback)
        };
        Chosen { fields, facts, layout, chooser }
    }

    /// The same as a verdict.
    #[must_use]
    pub fn verdict(&self, class: ClassId) -> Verdict {
        let decision = match self.decide(class) {
            Ok(decision) => decision,
            Err(because) => return Verdict::Stay { because },
        };
        let name = &self.device.name;
        let Decision { epsilon, clusters, layout, .. } = &decision;
        let shape = (self.model.arrays.iter())
            .find(|info| info.source == ArraySource::Class(class))
            .map(|info| &info.shape);
        if shape.is_some_and(|shape| layout.is_identity(shape)) {
            let because = format!("all fields are one cluster of structs (kdlg, {name})");
            return Verdict::Stay { because };
        }
        let count = match clusters.len() {
            1 => "one cluster".to_owned(),
            several => format!("{several} clusters"),
        };
        let has_fallback = clusters.iter().any(|cluster| cluster.chooser == Chooser::Fallback);
        let fallback =
            if has_fallback { "; tiles of a line for each member, for lack of a tree" } else { "" };
        Verdict::Change {
            layout: layout.clone(),
            because: format!(
                "{count} of fields nearer than {epsilon} bytes (kdlg, {name}){fallback}"
            ),
        }
    }
}

/// The layout that clusters make.
fn layout_of(shape: &RecordShape, clusters: &[Chosen]) -> Result<Layout, LayoutError> {
    let mut groups = Vec::new();
    for cluster in clusters {
        let leaves: Vec<LeafId> = cluster.fields.iter().map(|at| LeafId(*at as u32)).collect();
        match cluster.layout {
            ClusterLayout::Aos => groups.push(Group::aos(shape, leaves, None)?),
            ClusterLayout::Tiled(tile) => groups.push(Group::tiled(shape, leaves, tile, None)?),
            ClusterLayout::Soa => {
                groups.extend(leaves.into_iter().map(|leaf| Group::array(shape, leaf)));
            }
        }
    }
    groups.sort_by_key(|group| group.leaves().first().copied());
    Layout::new(shape, 1, groups)
}

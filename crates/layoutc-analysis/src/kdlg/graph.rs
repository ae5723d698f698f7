//! The graph: fields, their sizes, and their distances.

use super::distance::{Nearness, Node, nearness};
use crate::cost::flow::{Leave, LoopRange, Step};
use crate::cost::kernel::{ArrayId, KernelCode, LeafElement, LoopId, Trips};
use crate::cost_model::ArrayInfo;
use layoutc_dataflow::layout::{LeafId, RecordShape};
use std::fmt;

/// Trips of a loop over the threads of a block whose number is not known (Kofler et al., §3.1).
pub const BLOCK_TRIPS: u64 = 256;
/// Trips of a loop over the threads of a launch.
pub const LAUNCH_TRIPS: u64 = 1_000_000;
/// Trips of a loop of which nothing is known.
pub const UNKNOWN_TRIPS: u64 = 512_000;

/// The memory distance δ of two fields.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Distance {
    /// So many bytes are accessed between them.
    Bytes(u64),
    /// They are never accessed on one way, or one of them is never accessed.
    Infinite,
}

impl fmt::Display for Distance {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Distance::Bytes(bytes) => write!(out, "{bytes}"),
            Distance::Infinite => out.write_str("∞"),
        }
    }
}

/// A field of a record: a vertex.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name, with those of the members around it.
    pub name: String,
    /// σ: its bytes.
    pub size: u64,
}

/// A Kernel Data Layout Graph: undirected and complete.
///
/// *Invariant:* `δ(f, g) = δ(g, f)`, and there is one for each pair of different fields.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kdlg {
    /// The record's name.
    pub name: String,
    /// The fields, in the order of the record.
    pub fields: Vec<Field>,
    /// δ of `f < g`, by `g` and then `f`.
    distances: Vec<Distance>,
}

impl Kdlg {
    /// A graph with the distances that a function gives for `f < g`.
    pub fn new(
        name: &str,
        fields: Vec<Field>,
        mut distance: impl FnMut(usize, usize) -> Distance,
    ) -> Kdlg {
        let pairs = (0..fields.len()).flat_map(|g| (0..g).map(move |f| (f, g)));
        let distances = pairs.map(|(f, g)| distance(f, g)).collect();
        Kdlg { name: name.to_owned(), fields, distances }
    }

    /// The graph of the arrays with this number, over all kernels.
    ///
    /// Each kernel is a way of its own: a field that one kernel accesses without the other field is
    /// infinitely far from it, and a kernel that accesses neither says nothing.
    #[must_use]
    pub fn build<'k>(
        array: ArrayId,
        arrays: &[ArrayInfo],
        kernels: impl IntoIterator<Item = &'k KernelCode>,
    ) -> Kdlg {
        let shape = &arrays[array.0 as usize].shape;
        let count = shape.leaves.len();
        let found: Vec<Nearness> = (kernels.into_iter())
            .filter(|code| code.accesses.iter().any(|access| access.array == array))
            .map(|code| {
                let lowering = Lowering { code, array, arrays };
                nearness(&lowering.steps(&code.flow, Place::default()), count)
            })
            .collect();
        Kdlg::of_nearness(&arrays[array.0 as usize].name, shape, &found)
    }

    fn of_nearness(name: &str, shape: &RecordShape, kernels: &[Nearness]) -> Kdlg {
        let fields = (shape.leaves.iter())
            .map(|leaf| Field { name: leaf.path.clone(), size: leaf.size().0 })
            .collect();
        Kdlg::new(name, fields, |f, g| {
            let both = kernels.iter().flat_map(|kernel| [kernel.of(f, g), kernel.of(g, f)]);
            let all = both.flatten().map(|bytes| bytes.map_or(Distance::Infinite, Distance::Bytes));
            all.max().unwrap_or(Distance::Infinite)
        })
    }

    /// δ of two different fields.
    ///
    /// # Panics
    /// If they are the same, or one is none of the graph's.
    #[must_use]
    pub fn distance(&self, f: usize, g: usize) -> Distance {
        let (f, g) = (f.min(g), f.max(g));
        assert!(f < g && g < self.fields.len(), "two fields of the graph");
        self.distances[g * (g - 1) / 2 + f]
    }

    /// All edges, `f < g`.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize, Distance)> {
        let pairs = (0..self.fields.len()).flat_map(|g| (0..g).map(move |f| (f, g)));
        pairs.zip(&self.distances).map(|((f, g), distance)| (f, g, *distance))
    }
}

/// How often a loop is taken to run.
fn trips(trips: Trips, range: LoopRange) -> u64 {
    match (trips, range) {
        (Trips::Known(trips), _) => trips,
        (Trips::Dynamic | Trips::Steps(_), LoopRange::Block) => BLOCK_TRIPS,
        (Trips::Dynamic | Trips::Steps(_), LoopRange::Launch) => LAUNCH_TRIPS,
        (Trips::Dynamic | Trips::Steps(_), LoopRange::Unknown) => UNKNOWN_TRIPS,
    }
}

/// The most trips of a loop that stands directly around accesses to these fields; 1 without any.
pub(super) fn trips_around(code: &KernelCode, array: ArrayId, fields: &[usize]) -> u64 {
    fn most(code: &KernelCode, steps: &[Step], around: u64, is_own: &dyn Fn(u32) -> bool) -> u64 {
        let inside = |step: &Step| match step {
            Step::Access(at) => {
                if is_own(*at) {
                    around
                } else {
                    1
                }
            }
            Step::Loop { id, range, body } => {
                let trips = trips(code.loops[id.0 as usize].trips, *range);
                most(code, body, trips, is_own)
            }
            Step::Once(body) | Step::Call(body) => most(code, body, around, is_own),
            Step::Branch(ways) => {
                let ways = ways.iter().map(|way| most(code, way, around, is_own));
                ways.max().unwrap_or(1)
            }
            Step::Guard { usual, rare } => {
                most(code, usual, around, is_own).max(most(code, rare, around, is_own))
            }
            Step::Leave(_) => 1,
        };
        steps.iter().map(inside).max().unwrap_or(1)
    }
    let is_own = |at: u32| {
        let access = &code.accesses[at as usize];
        let is_field = |leaf: &LeafId| fields.contains(&leaf.index());
        access.array == array && access.leaves.iter().any(is_field)
    };
    most(code, &code.flow, 1, &is_own)
}

/// From the steps of a kernel to those that distances see.
struct Lowering<'a> {
    code: &'a KernelCode,
    array: ArrayId,
    arrays: &'a [ArrayInfo],
}

/// Where steps stand.
#[derive(Clone, Copy, Default)]
struct Place {
    /// The loop around them.
    inside: Option<LoopId>,
    /// A function that is called.
    is_called: bool,
    /// In a loop of it.
    is_repeated: bool,
}

impl Lowering<'_> {
    fn steps(&self, steps: &[Step], place: Place) -> Vec<Node> {
        let mut nodes = Vec::new();
        for step in steps {
            match step {
                Step::Access(at) => self.access(*at, place.inside, &mut nodes),
                Step::Loop { id, range, body } => {
                    let trips = trips(self.code.loops[id.0 as usize].trips, *range);
                    let inside = Place { inside: Some(*id), is_repeated: true, ..place };
                    nodes.push(Node::Loop { trips, body: self.steps(body, inside) });
                }
                Step::Once(body) => {
                    nodes.push(Node::Loop { trips: 1, body: self.steps(body, place) });
                }
                Step::Branch(ways) => {
                    let ways = ways.iter().map(|way| self.steps(way, place));
                    nodes.push(Node::Branch(ways.collect()));
                }
                Step::Guard { usual, rare } => {
                    let [usual, rare] = [usual, rare].map(|way| self.steps(way, place));
                    nodes.push(Node::Guard { usual, rare });
                }
                Step::Call(body) => {
                    let inside = Place { is_called: true, is_repeated: false, ..place };
                    nodes.push(Node::Call(self.steps(body, inside)));
                }
                // A search that is over is a trip that is over: see [`Leave::Trip`].
                Step::Leave(Leave::Function) if place.is_called && place.is_repeated => {
                    nodes.push(Node::Leave(Leave::Trip));
                }
                Step::Leave(leave) => nodes.push(Node::Leave(*leave)),
            }
        }
        nodes
    }

    /// One instruction for each leaf, in the order of the record.
    fn access(&self, at: u32, inside: Option<LoopId>, nodes: &mut Vec<Node>) {
        let access = &self.code.accesses[at as usize];
        let shape = &self.arrays[access.array.0 as usize].shape;
        for leaf in &access.leaves {
            let own = shape.leaf(*leaf);
            let is_item = access.scope != inside;
            let bytes = match access.element {
                LeafElement::All if !is_item => own.size().0,
                LeafElement::All | LeafElement::Known(_) | LeafElement::Unknown => {
                    own.scalar_size.0
                }
            };
            let field = (access.array == self.array).then_some(leaf.index());
            nodes.push(Node::Access { field, bytes });
        }
    }
}

//! Why a pointer is `⊥`: the flows that met, found by walking back from it.
//!
//! The propagation keeps layout types only. Where one of them is `⊥` and somebody asks why, the
//! [`Region`] of everything that flows into that pointer is collected, by a walk against the edges
//! of the supergraph. Then every layout is followed forward from where it comes into being, each on
//! its own and never met with another ([`Arrivals`]). The conflict is the place nearest to the
//! pointer where two layouts arrive, or where an operation makes `⊥` of one.
//!
//! Following layouts apart is what finds the reason in a loop: in `while (…) q = q + 1;` the pointer
//! is `⊥` in front of the addition too, and only the layout that came into the loop says why.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};

use layoutc_diagnostics::Span;

use super::ids::{PointerId, ProcedureId, SiteId};
use super::program::PointerOp;
use super::supergraph::{Node, Supergraph};
use super::transfer::offset;
use super::types::{LayoutType, PointerTypes};
use crate::framework::{NodeId, Solution};

/// What a layout comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Origin {
    /// An allocation.
    Site(SiteId),
    /// The declaration of this pointer.
    Declaration(PointerId),
    /// This parameter of a procedure that unseen code may call.
    Outside(ProcedureId, PointerId),
}

/// A definition that a layout passed on its way.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Step {
    /// The pointer that got the layout.
    pub pointer: PointerId,
    /// The operation that gave it.
    pub span: Span,
}

/// The way of one layout to a pointer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flow {
    /// The layout at the end of the way, never `⊥`.
    pub layout: LayoutType,
    /// What it comes from.
    pub origin: Origin,
    /// The definitions on the way, in the order of execution, beginning with the origin's own; a
    /// parameter that unseen code passes has none.
    pub steps: Vec<Step>,
}

/// Why a pointer is `⊥`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Conflict {
    /// Two different layouts reach the pointer.
    Meet(Flow, Flow),
    /// A layout reaches an operation that it does not allow: `p1 = p2 + t` on a new layout, or a
    /// transformation that is not defined for it.
    Refused {
        /// The way of the layout up to the operation.
        flow: Flow,
        /// The operation.
        operation: Span,
        /// The definitions from there to the pointer.
        steps: Vec<Step>,
    },
}

/// The value of a pointer in front of a node.
type Place = (NodeId, PointerId);

/// What becomes of a layout on an edge.
#[derive(Clone, Copy)]
enum Effect {
    /// It stays.
    Keep,
    /// `p1 = p2 + t`.
    Offset,
    /// The transformation of a site.
    Transform(SiteId),
    /// It comes into being, with the layout that its memory has by itself, and after the seeds.
    Begin { origin: Origin, own: LayoutType, seeded: LayoutType },
}

/// What flows into a place.
struct Edge {
    /// Where it comes from; `None` where it comes into being.
    from: Option<Place>,
    effect: Effect,
    /// The definition on the edge.
    step: Option<Step>,
}

/// Why `pointer` is `⊥` in front of `node`; `None` if it is not.
pub(super) fn conflict(
    supergraph: &Supergraph<'_>,
    solution: &Solution<PointerTypes>,
    node: NodeId,
    pointer: PointerId,
) -> Option<Conflict> {
    if solution.before(node)?.get(pointer)? != LayoutType::Incompatible {
        return None;
    }
    let region = Region::new(supergraph, (node, pointer));
    let arrivals = Arrivals::new(&region);
    region.order.iter().find_map(|place| {
        arrivals.meet(&region, *place).or_else(|| arrivals.refusal(&region, *place))
    })
}

/// Everything that `pointer` may point to in front of `node`, nearest first, each once.
pub(super) fn origins(
    supergraph: &Supergraph<'_>,
    node: NodeId,
    pointer: PointerId,
) -> Vec<Origin> {
    let region = Region::new(supergraph, (node, pointer));
    let mut found = Vec::new();
    for edge in region.order.iter().flat_map(|place| &region.into[place]) {
        if let Effect::Begin { origin, .. } = edge.effect
            && !found.contains(&origin)
        {
            found.push(origin);
        }
    }
    found
}

/// Everything that flows into one place.
struct Region<'a> {
    supergraph: &'a Supergraph<'a>,
    /// All places, the nearest to the start first.
    order: Vec<Place>,
    /// What flows into each of them.
    into: BTreeMap<Place, Vec<Edge>>,
    /// The next place on the shortest way to the start, and the definition before it.
    onward: BTreeMap<Place, Option<(Place, Option<Step>)>>,
}

impl<'a> Region<'a> {
    fn new(supergraph: &'a Supergraph<'a>, start: Place) -> Self {
        let mut region = Region {
            supergraph,
            order: vec![start],
            into: BTreeMap::new(),
            onward: BTreeMap::from([(start, None)]),
        };
        let mut next = 0;
        while let Some(place) = region.order.get(next).copied() {
            next += 1;
            let edges = region.edges_into(place);
            for edge in &edges {
                if let Some(from) = edge.from
                    && let Entry::Vacant(onward) = region.onward.entry(from)
                {
                    onward.insert(Some((place, edge.step)));
                    region.order.push(from);
                }
            }
            region.into.insert(place, edges);
        }
        region
    }

    /// The definitions from a place to the start, in the order of execution.
    fn steps_onward(&self, place: Place) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut at = place;
        while let Some((next, step)) = self.onward[&at] {
            steps.extend(step);
            at = next;
        }
        steps
    }

    fn effect(&self, effect: Effect, layout: LayoutType) -> LayoutType {
        match effect {
            Effect::Keep => layout,
            Effect::Offset => offset(layout),
            Effect::Transform(site) => self.supergraph.seeds.apply(site, layout),
            Effect::Begin { seeded, .. } => seeded,
        }
    }

    /// What flows into the value of a pointer in front of a node, over all edges of the supergraph.
    fn edges_into(&self, (node, pointer): Place) -> Vec<Edge> {
        let graph = self.supergraph;
        let keep = |from, step| Edge { from: Some(from), effect: Effect::Keep, step };
        let mut edges = Vec::new();
        for from in graph.graph.predecessors(node) {
            match (graph.node(from), graph.node(node)) {
                (Node::Root, Node::Entry(procedure)) => {
                    let formals = &graph.program.procedure(procedure).formals;
                    if graph.is_open(procedure) && formals.contains(&pointer) {
                        let own = LayoutType::Untransformed;
                        let origin = Origin::Outside(procedure, pointer);
                        let effect = Effect::Begin { origin, own, seeded: own };
                        edges.push(Edge { from: None, effect, step: None });
                    }
                }
                (Node::Op(..), Node::Entry(_)) => {
                    let Some(PointerOp::Call { bindings, .. }) = graph.op_of(from) else {
                        continue;
                    };
                    let bound = bindings.iter().filter(|(formal, _)| *formal == pointer);
                    let step = self.step(from, pointer);
                    edges.extend(bound.map(|(_, actual)| keep((from, *actual), step)));
                }
                (Node::Exit, Node::Return(..)) => {
                    let taken = graph.results_of(node).iter().filter(|(to, _)| *to == pointer);
                    let step = self.step(node, pointer);
                    edges.extend(taken.map(|(_, result)| keep((from, *result), step)));
                }
                (Node::Op(..), Node::Return(..)) => {
                    if graph.results_of(node).iter().all(|(to, _)| *to != pointer) {
                        edges.push(keep((from, pointer), None));
                    }
                }
                (Node::Slot(slot), _) if slot != pointer => {}
                (Node::Slot(_), _) | (_, Node::Slot(_)) => {
                    edges.extend(self.edge_through(from, pointer));
                }
                _ if graph.program.is_shared(pointer) => {}
                _ => edges.extend(self.edge_through(from, pointer)),
            }
        }
        edges
    }

    /// What flows into the value of a pointer behind a node; nothing where it gets a null pointer.
    fn edge_through(&self, node: NodeId, pointer: PointerId) -> Option<Edge> {
        let begin = |origin, own, seeded| (None, Effect::Begin { origin, own, seeded });
        let (from, effect) = match self.supergraph.op_of(node) {
            Some(op) if op.defined() == Some(pointer) => match *op {
                PointerOp::Copy { source, .. } | PointerOp::ElementOf { source, .. } => {
                    (Some(source), Effect::Keep)
                }
                PointerOp::Offset { source, .. } => (Some(source), Effect::Offset),
                PointerOp::Apply { site, .. } => (Some(pointer), Effect::Transform(site)),
                PointerOp::Declare { .. } => {
                    let own = LayoutType::Untransformed;
                    begin(Origin::Declaration(pointer), own, own)
                }
                PointerOp::DeclareGrid { layout, .. } => {
                    let own = LayoutType::Layout(layout);
                    begin(Origin::Declaration(pointer), own, own)
                }
                PointerOp::Allocate { site, .. } => {
                    let own = LayoutType::Untransformed;
                    begin(Origin::Site(site), own, self.supergraph.seeds.apply(site, own))
                }
                PointerOp::Null { .. } | PointerOp::Use { .. } | PointerOp::Call { .. } => {
                    return None;
                }
            },
            _ => {
                return Some(Edge {
                    from: Some((node, pointer)),
                    effect: Effect::Keep,
                    step: None,
                });
            }
        };
        let step = self.step(node, pointer);
        Some(Edge { from: from.map(|source| (node, source)), effect, step })
    }

    /// The definition at a node.
    fn step(&self, node: NodeId, pointer: PointerId) -> Option<Step> {
        match self.supergraph.node(node) {
            Node::Op(procedure, at) | Node::Return(procedure, at) => {
                Some(Step { pointer, span: self.supergraph.program.op(procedure, at).span })
            }
            _ => None,
        }
    }
}

/// How one layout came to a place.
struct Arrival {
    layout: LayoutType,
    origin: Origin,
    step: Option<Step>,
    /// The arrival before this one; `None` where the layout comes into being.
    before: Option<usize>,
}

/// All layouts that come to the places of a region, each followed on its own.
struct Arrivals {
    /// In the order in which they were found: fewer edges from the origin first.
    all: Vec<Arrival>,
    /// Numbers of the arrivals at each place, ascending, each layout once.
    at: BTreeMap<Place, Vec<usize>>,
}

impl Arrivals {
    fn new(region: &Region<'_>) -> Self {
        let mut arrivals = Arrivals { all: Vec::new(), at: BTreeMap::new() };
        let mut out: BTreeMap<Place, Vec<(Place, &Edge)>> = BTreeMap::new();
        let mut queue = VecDeque::new();
        for place in &region.order {
            for edge in &region.into[place] {
                match (edge.from, edge.effect) {
                    (Some(from), _) => out.entry(from).or_default().push((*place, edge)),
                    (None, Effect::Begin { origin, seeded: layout, .. }) => {
                        let arrival = Arrival { layout, origin, step: edge.step, before: None };
                        arrivals.add(*place, arrival, &mut queue);
                    }
                    (None, _) => {}
                }
            }
        }
        while let Some((place, number)) = queue.pop_front() {
            for (to, edge) in out.get(&place).into_iter().flatten() {
                let known = &arrivals.all[number];
                let arrival = Arrival {
                    layout: region.effect(edge.effect, known.layout),
                    origin: known.origin,
                    step: edge.step,
                    before: Some(number),
                };
                arrivals.add(*to, arrival, &mut queue);
            }
        }
        arrivals
    }

    fn add(&mut self, place: Place, arrival: Arrival, queue: &mut VecDeque<(Place, usize)>) {
        let here = self.at.entry(place).or_default();
        let known = here.iter().any(|number| self.all[*number].layout == arrival.layout);
        if !known && arrival.layout != LayoutType::Incompatible {
            here.push(self.all.len());
            queue.push_back((place, self.all.len()));
            self.all.push(arrival);
        }
    }

    fn here(&self, place: Place) -> &[usize] {
        self.at.get(&place).map_or(&[], Vec::as_slice)
    }

    /// Two layouts that arrive at a place, with their ways to it and from there to the start.
    fn meet(&self, region: &Region<'_>, place: Place) -> Option<Conflict> {
        let [first, second, ..] = *self.here(place) else { return None };
        let onward = region.steps_onward(place);
        let [first, second] = [first, second].map(|number| {
            let mut flow = self.flow(number);
            flow.steps.extend(&onward);
            flow
        });
        let key = |flow: &Flow| (flow.steps.first().map(|step| step.span), flow.layout);
        Some(if key(&second) < key(&first) {
            Conflict::Meet(second, first)
        } else {
            Conflict::Meet(first, second)
        })
    }

    /// An operation that makes `⊥` of a layout and gives it to a place.
    fn refusal(&self, region: &Region<'_>, place: Place) -> Option<Conflict> {
        region.into[&place].iter().find_map(|edge| {
            let step = edge.step?;
            let refused = |layout| region.effect(edge.effect, layout) == LayoutType::Incompatible;
            let flow = match (edge.from, edge.effect) {
                (Some(from), _) => {
                    let mut arrivals = self.here(from).iter().copied();
                    self.flow(arrivals.find(|number| refused(self.all[*number].layout))?)
                }
                (None, Effect::Begin { origin, own, seeded: LayoutType::Incompatible }) => {
                    Flow { layout: own, origin, steps: Vec::new() }
                }
                (None, _) => return None,
            };
            let steps = [step].into_iter().chain(region.steps_onward(place)).collect();
            Some(Conflict::Refused { flow, operation: step.span, steps })
        })
    }

    /// The way of one arrival from its origin.
    fn flow(&self, number: usize) -> Flow {
        let Arrival { layout, origin, .. } = self.all[number];
        let mut steps = Vec::new();
        let mut at = Some(number);
        while let Some(number) = at {
            let arrival = &self.all[number];
            steps.extend(arrival.step);
            at = arrival.before;
        }
        steps.reverse();
        Flow { layout, origin, steps }
    }
}

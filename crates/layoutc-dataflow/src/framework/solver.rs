//! The worklist solver.

use std::collections::BTreeSet;

use super::{Analysis, ControlFlowGraph, Direction, MeetSemilattice, NodeId};

/// The facts on both sides of every node; `None` where control (or, for a backward analysis, an
/// exit) cannot be reached.
#[derive(Clone, PartialEq, Debug)]
pub struct Solution<F> {
    direction: Direction,
    entering: Vec<Option<F>>,
    leaving: Vec<Option<F>>,
}

impl<F> Solution<F> {
    /// What holds in front of a node, in the order of execution.
    #[must_use]
    pub fn before(&self, node: NodeId) -> Option<&F> {
        let facts = match self.direction {
            Direction::Forward => &self.entering,
            Direction::Backward => &self.leaving,
        };
        facts[node.index()].as_ref()
    }

    /// What holds behind a node, in the order of execution.
    #[must_use]
    pub fn after(&self, node: NodeId) -> Option<&F> {
        let facts = match self.direction {
            Direction::Forward => &self.leaving,
            Direction::Backward => &self.entering,
        };
        facts[node.index()].as_ref()
    }
}

/// The greatest solution of the equations of [`super`].
#[must_use]
pub fn solve<A: Analysis>(graph: &ControlFlowGraph, analysis: &A) -> Solution<A::Fact> {
    let direction = analysis.direction();
    let order = graph.reverse_post_order(direction);
    let mut rank = vec![usize::MAX; graph.node_count()];
    for (at, node) in order.iter().enumerate() {
        rank[node.index()] = at;
    }
    let mut entering: Vec<Option<A::Fact>> = vec![None; graph.node_count()];
    let mut leaving: Vec<Option<A::Fact>> = vec![None; graph.node_count()];
    let mut worklist = BTreeSet::new();
    for root in graph.roots(direction) {
        entering[root.index()] = Some(analysis.boundary());
        worklist.insert(rank[root.index()]);
    }
    let bound = order.len().saturating_mul(analysis.height().saturating_add(1));
    let mut steps = 0_usize;
    while let Some(at) = worklist.pop_first() {
        steps += 1;
        debug_assert!(steps <= bound, "facts must only go down, at most `height` times");
        let node = order[at];
        let Some(before) = &entering[node.index()] else { continue };
        let after = analysis.transfer(node, before);
        if leaving[node.index()].as_ref() == Some(&after) {
            continue;
        }
        for next in graph.next(node, direction) {
            let fact = analysis.transfer_edge(node, next, &after);
            if lower(&mut entering[next.index()], fact) {
                worklist.insert(rank[next.index()]);
            }
        }
        leaving[node.index()] = Some(after);
    }
    Solution { direction, entering, leaving }
}

/// Meets a fact into what is known; whether that changed it.
fn lower<F: MeetSemilattice>(known: &mut Option<F>, fact: F) -> bool {
    let met = match known.as_ref() {
        Some(known) => known.meet(&fact),
        None => fact,
    };
    let changed = known.as_ref() != Some(&met);
    *known = Some(met);
    changed
}

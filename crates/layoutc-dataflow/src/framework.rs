//! A monotone framework: facts of a meet-semilattice, pushed through a control-flow graph until
//! nothing changes.
//!
//! # Terms
//!
//! A [`MeetSemilattice`] orders facts by how much they promise: `a ∧ b` is the most that holds if
//! either `a` or `b` may hold, and `a ≤ b` means `a ∧ b = a`. An [`Analysis`] says what a node and
//! an edge do to a fact. [`solve`] finds the greatest solution of
//!
//! ```text
//! before(entry) = boundary ∧ …
//! before(node)  = ⋀ { edge(m → node, after(m)) | m a predecessor }
//! after(node)   = transfer(node, before(node))
//! ```
//!
//! and the same along reversed edges for a backward analysis, whose boundary holds behind every node
//! without successors.
//!
//! # Claims
//!
//! - The solver is optimistic. The top element that it needs, "nothing has come here yet", is the
//!   `None` of an `Option`, so that no lattice has to carry one: a node that cannot be reached has
//!   no fact.
//! - It ends. A fact that enters a node only ever goes down, so a node is computed at most once more
//!   than there are strict descents from its first fact ([`Analysis::height`]); debug builds assert
//!   this bound, for all nodes together.
//! - With monotone functions the solution is the greatest one, whatever the order of the worklist.
//!   Reverse post-order only makes it come soon.
//!
//! Source: Kildall, POPL 1973; Kam and Ullman, Acta Informatica 7, 1977; used by Sung, Stratton, Hwu,
//! PACT 2010, §5.3.

mod graph;
mod solver;

pub use graph::{ControlFlowGraph, NodeId};
pub use solver::{Solution, solve};

/// Facts with a meet. The meet must be commutative, associative and idempotent.
pub trait MeetSemilattice: Clone + PartialEq {
    /// The greatest fact that is below both.
    #[must_use]
    fn meet(&self, other: &Self) -> Self;

    /// Whether this fact promises at most what `other` promises: `self ∧ other = self`.
    fn is_below(&self, other: &Self) -> bool {
        self.meet(other) == *self
    }
}

/// Which way facts flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From the entry along the edges.
    Forward,
    /// From the exits against the edges.
    Backward,
}

/// What the nodes and edges of a graph do to facts. All functions must be monotone.
pub trait Analysis {
    /// What is known at a point of the program.
    type Fact: MeetSemilattice;

    /// Which way facts flow.
    fn direction(&self) -> Direction {
        Direction::Forward
    }

    /// What holds at the entry, or for a backward analysis behind every exit.
    fn boundary(&self) -> Self::Fact;

    /// What holds behind `node` (for a backward analysis: in front of it) given what holds on its
    /// other side.
    fn transfer(&self, node: NodeId, fact: &Self::Fact) -> Self::Fact;

    /// What the edge between two nodes lets through; `from` is the node whose fact it is.
    fn transfer_edge(&self, _from: NodeId, _to: NodeId, fact: &Self::Fact) -> Self::Fact {
        fact.clone()
    }

    /// An upper bound for the number of strict descents from any fact that enters a node.
    fn height(&self) -> usize;
}

//! Control-flow graphs.

use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{DfsPostOrder, Reversed, Walker};

use super::Direction;

/// A node of a [`ControlFlowGraph`]: its position in the order of creation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The position in the order of creation.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    fn inner(self) -> NodeIndex {
        NodeIndex::new(self.index())
    }
}

/// A directed graph with one entry.
#[derive(Clone, Debug)]
pub struct ControlFlowGraph {
    graph: DiGraph<(), ()>,
}

impl Default for ControlFlowGraph {
    fn default() -> Self {
        Self::new()
    }
}

impl ControlFlowGraph {
    /// A graph of nothing but the entry.
    #[must_use]
    pub fn new() -> Self {
        let mut graph = DiGraph::new();
        graph.add_node(());
        ControlFlowGraph { graph }
    }

    /// The node at which control enters: the first one.
    #[must_use]
    pub fn entry(&self) -> NodeId {
        NodeId(0)
    }

    /// Adds a node without edges.
    pub fn add_node(&mut self) -> NodeId {
        NodeId(self.graph.add_node(()).index() as u32)
    }

    /// Adds an edge. Parallel edges and loops are welcome.
    ///
    /// # Panics
    /// If a node is not of this graph.
    pub fn add_edge(&mut self, from: NodeId, to: NodeId) {
        self.graph.add_edge(from.inner(), to.inner(), ());
    }

    /// The number of nodes.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.graph.node_count()
    }

    /// All nodes, in the order of creation.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.node_count() as u32).map(NodeId)
    }

    /// The nodes to which control may go next, last added first.
    pub fn successors(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.neighbours(node, petgraph::Outgoing)
    }

    /// The nodes from which control may have come, last added first.
    pub fn predecessors(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.neighbours(node, petgraph::Incoming)
    }

    /// The nodes to which facts flow next.
    pub(super) fn next(
        &self,
        node: NodeId,
        direction: Direction,
    ) -> impl Iterator<Item = NodeId> + '_ {
        self.neighbours(
            node,
            match direction {
                Direction::Forward => petgraph::Outgoing,
                Direction::Backward => petgraph::Incoming,
            },
        )
    }

    /// Where facts begin: the entry, or all nodes without successors.
    pub(super) fn roots(&self, direction: Direction) -> Vec<NodeId> {
        match direction {
            Direction::Forward => vec![self.entry()],
            Direction::Backward => {
                self.nodes().filter(|node| self.successors(*node).next().is_none()).collect()
            }
        }
    }

    /// The nodes that facts can reach, each before its successors but for back edges.
    #[must_use]
    pub fn reverse_post_order(&self, direction: Direction) -> Vec<NodeId> {
        let mut order = Vec::with_capacity(self.node_count());
        let mut walk = DfsPostOrder::empty(&self.graph);
        for root in self.roots(direction) {
            walk.move_to(root.inner());
            match direction {
                Direction::Forward => order.extend((&mut walk).iter(&self.graph)),
                Direction::Backward => order.extend((&mut walk).iter(Reversed(&self.graph))),
            }
        }
        order.reverse();
        order.into_iter().map(|node| NodeId(node.index() as u32)).collect()
    }

    fn neighbours(
        &self,
        node: NodeId,
        direction: petgraph::Direction,
    ) -> impl Iterator<Item = NodeId> + '_ {
        self.graph
            .neighbors_directed(node.inner(), direction)
            .map(|next| NodeId(next.index() as u32))
    }
}

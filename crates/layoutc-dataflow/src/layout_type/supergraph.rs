//! All procedures of a program as one graph.
//!
//! ```text
//! root ─▶ entry ─▶ block ─▶ op ─▶ … ─▶ call ────────────▶ return ─▶ … ─▶ exit
//!                                       └▶ callee's entry … exit ─┘
//!         op ─▶ slot ─▶ op              a store and a load of a shared pointer
//! ```
//!
//! The edges do the work that is not in the operations: a call binds formals, a return takes the
//! results, the edge around the callee carries the caller's other locals, and shared pointers leave
//! an operation only towards their slot. Blocks that control cannot reach are not in the graph.

use std::collections::BTreeMap;

use super::ids::{BlockId, PointerId, ProcedureId};
use super::program::{OpIndex, PointerOp, PointerProgram};
use super::transfer::Seeds;
use super::types::{LayoutType, PointerTypes};
use crate::framework::{Analysis, ControlFlowGraph, NodeId};

/// What a node of the supergraph stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Node {
    /// The beginning of everything.
    Root,
    Entry(ProcedureId),
    /// The beginning of a block.
    Block,
    Op(ProcedureId, OpIndex),
    /// The point behind a call.
    Return(ProcedureId, OpIndex),
    Exit,
    /// A shared pointer.
    Slot(PointerId),
}

/// The graph, and where everything is in it.
#[derive(Debug)]
pub(super) struct Supergraph<'a> {
    pub program: &'a PointerProgram,
    pub seeds: &'a Seeds,
    pub graph: ControlFlowGraph,
    nodes: Vec<Node>,
    ops: BTreeMap<(ProcedureId, OpIndex), NodeId>,
    returns: BTreeMap<(ProcedureId, OpIndex), NodeId>,
    slots: BTreeMap<PointerId, NodeId>,
    exits: Vec<NodeId>,
    /// The blocks of each procedure that control can reach, in ascending order.
    reachable: Vec<Vec<BlockId>>,
    /// Whether a procedure may get pointers that unseen code passes.
    open: Vec<bool>,
}

impl<'a> Supergraph<'a> {
    pub fn new(program: &'a PointerProgram, seeds: &'a Seeds) -> Self {
        let mut result = Supergraph {
            program,
            seeds,
            graph: ControlFlowGraph::new(),
            nodes: vec![Node::Root],
            ops: BTreeMap::new(),
            returns: BTreeMap::new(),
            slots: BTreeMap::new(),
            exits: Vec::new(),
            reachable: Vec::new(),
            open: Vec::new(),
        };
        for at in 0..program.pointers.len() as u32 {
            if program.is_shared(PointerId(at)) {
                let node = result.add(Node::Slot(PointerId(at)));
                result.slots.insert(PointerId(at), node);
            }
        }
        let procedures = || (0..program.procedures.len() as u32).map(ProcedureId);
        let entries: Vec<NodeId> = procedures()
            .map(|procedure| {
                let entry = result.add(Node::Entry(procedure));
                result.graph.add_edge(result.graph.entry(), entry);
                let exit = result.add(Node::Exit);
                result.exits.push(exit);
                result.reachable.push(reachable_blocks(program, procedure));
                result.open.push(program.procedure(procedure).called_from_outside);
                entry
            })
            .collect();
        let mut called = vec![false; entries.len()];
        for procedure in procedures() {
            result.add_body(procedure, &entries, &mut called);
        }
        for (open, called) in result.open.iter_mut().zip(called) {
            *open |= !called;
        }
        result
    }

    pub fn node(&self, id: NodeId) -> Node {
        self.nodes[id.index()]
    }

    /// The node of an operation; `None` if control cannot reach it.
    pub fn op(&self, procedure: ProcedureId, at: OpIndex) -> Option<NodeId> {
        self.ops.get(&(procedure, at)).copied()
    }

    /// The node behind an operation.
    pub fn behind(&self, procedure: ProcedureId, at: OpIndex) -> Option<NodeId> {
        self.returns.get(&(procedure, at)).copied().or_else(|| self.op(procedure, at))
    }

    pub fn exit(&self, procedure: ProcedureId) -> NodeId {
        self.exits[procedure.index()]
    }

    pub fn slot(&self, pointer: PointerId) -> Option<NodeId> {
        self.slots.get(&pointer).copied()
    }

    /// The operation of a node.
    pub fn op_of(&self, node: NodeId) -> Option<&'a PointerOp> {
        match self.node(node) {
            Node::Op(procedure, at) => Some(&self.program.op(procedure, at).op),
            _ => None,
        }
    }

    /// The pairs of a call's targets and its callee's pointers, for the node behind it.
    pub fn results_of(&self, node: NodeId) -> &'a [(PointerId, PointerId)] {
        match self.node(node) {
            Node::Return(procedure, at) => match &self.program.op(procedure, at).op {
                PointerOp::Call { results, .. } => results,
                _ => &[],
            },
            _ => &[],
        }
    }

    /// Whether unseen code may pass pointers to this procedure.
    pub fn is_open(&self, procedure: ProcedureId) -> bool {
        self.open[procedure.index()]
    }

    fn add(&mut self, node: Node) -> NodeId {
        let id = match node {
            Node::Root => self.graph.entry(),
            _ => self.graph.add_node(),
        };
        self.nodes.push(node);
        id
    }

    fn add_body(&mut self, procedure: ProcedureId, entries: &[NodeId], called: &mut [bool]) {
        let program = self.program;
        let body = program.procedure(procedure);
        let entry = entries[procedure.index()];
        let exit = self.exit(procedure);
        if body.blocks.is_empty() {
            self.graph.add_edge(entry, exit);
            return;
        }
        let reachable = self.reachable[procedure.index()].clone();
        let heads: BTreeMap<BlockId, NodeId> =
            reachable.into_iter().map(|block| (block, self.add(Node::Block))).collect();
        self.graph.add_edge(entry, heads[&BlockId(0)]);
        for (block, head) in &heads {
            let mut last = *head;
            let ops = &body.blocks[block.index()];
            for (index, op) in ops.ops.iter().enumerate() {
                let at = OpIndex { block: *block, index: index as u32 };
                let node = self.add(Node::Op(procedure, at));
                self.ops.insert((procedure, at), node);
                self.graph.add_edge(last, node);
                last = node;
                for pointer in op.op.used() {
                    self.load(pointer, node);
                }
                if let Some(pointer) = op.op.defined() {
                    self.store(node, pointer);
                }
                if let PointerOp::Call { callee, results, .. } = &op.op {
                    called[callee.index()] = true;
                    last = self.add(Node::Return(procedure, at));
                    self.returns.insert((procedure, at), last);
                    self.graph.add_edge(node, last);
                    self.graph.add_edge(node, entries[callee.index()]);
                    let callee_exit = self.exit(*callee);
                    self.graph.add_edge(callee_exit, last);
                    let returns = self.returns(*callee);
                    for (target, result) in results {
                        if returns {
                            self.load(*result, callee_exit);
                        }
                        self.store(last, *target);
                    }
                }
            }
            for next in &ops.successors {
                self.graph.add_edge(last, heads[next]);
            }
            if ops.successors.is_empty() {
                self.graph.add_edge(last, exit);
            }
        }
    }

    /// Whether control can reach the end of a procedure.
    fn returns(&self, procedure: ProcedureId) -> bool {
        let blocks = &self.program.procedure(procedure).blocks;
        let ends = |block: &BlockId| blocks[block.index()].successors.is_empty();
        blocks.is_empty() || self.reachable[procedure.index()].iter().any(ends)
    }

    fn load(&mut self, pointer: PointerId, node: NodeId) {
        if let Some(slot) = self.slot(pointer) {
            self.graph.add_edge(slot, node);
        }
    }

    fn store(&mut self, node: NodeId, pointer: PointerId) {
        if let Some(slot) = self.slot(pointer) {
            self.graph.add_edge(node, slot);
        }
    }
}

/// The blocks that control can reach, in ascending order.
fn reachable_blocks(program: &PointerProgram, procedure: ProcedureId) -> Vec<BlockId> {
    let blocks = &program.procedure(procedure).blocks;
    let mut seen = vec![false; blocks.len()];
    let mut stack = if blocks.is_empty() { Vec::new() } else { vec![BlockId(0)] };
    while let Some(block) = stack.pop() {
        if !std::mem::replace(&mut seen[block.index()], true) {
            stack.extend(&blocks[block.index()].successors);
        }
    }
    (0..blocks.len() as u32).map(BlockId).filter(|block| seen[block.index()]).collect()
}

impl Analysis for Supergraph<'_> {
    type Fact = PointerTypes;

    fn boundary(&self) -> PointerTypes {
        PointerTypes::new()
    }

    fn transfer(&self, node: NodeId, before: &PointerTypes) -> PointerTypes {
        match self.op_of(node) {
            Some(op) => op.transfer(self.seeds, before),
            None => before.clone(),
        }
    }

    fn transfer_edge(&self, from: NodeId, to: NodeId, fact: &PointerTypes) -> PointerTypes {
        // What a shared pointer once was is of no use further on: its slot is below it anyway.
        let locals = |fact: &PointerTypes| {
            let mut locals = fact.clone();
            locals.retain(|pointer| !self.program.is_shared(pointer));
            locals
        };
        match (self.node(from), self.node(to)) {
            (Node::Root, Node::Entry(procedure)) => {
                let formals = &self.program.procedure(procedure).formals;
                let open = formals.iter().filter(|_| self.is_open(procedure));
                open.map(|formal| (*formal, LayoutType::Untransformed)).collect()
            }
            (Node::Op(..), Node::Entry(_)) => {
                let mut formals = PointerTypes::new();
                if let Some(PointerOp::Call { bindings, .. }) = self.op_of(from) {
                    for (formal, actual) in bindings {
                        formals.lower(*formal, fact.get(*actual));
                    }
                }
                formals
            }
            (Node::Exit, Node::Return(..)) => {
                let mut taken = PointerTypes::new();
                for (target, result) in self.results_of(to) {
                    taken.lower(*target, fact.get(*result));
                }
                taken
            }
            (Node::Op(..), Node::Return(..)) => {
                let mut around = locals(fact);
                for (target, _) in self.results_of(to) {
                    around.set(*target, None);
                }
                around
            }
            (_, Node::Slot(slot)) => {
                fact.get(slot).map(|layout| (slot, layout)).into_iter().collect()
            }
            (Node::Slot(_), _) => fact.clone(),
            _ => locals(fact),
        }
    }

    /// Every pointer goes from absent to a layout type and from there to `⊥`.
    fn height(&self) -> usize {
        2 * self.program.pointers.len()
    }
}

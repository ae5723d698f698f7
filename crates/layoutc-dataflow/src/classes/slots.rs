//! Slots and their union.

use super::places::element_of;
use layoutc_syntax::{FieldId, FunctionId, Program, RecordId, VarId};
use petgraph::unionfind::UnionFind;
use std::collections::BTreeMap;

/// Something that can hold a pointer into an array of records, or is such memory itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Slot {
    /// A variable, parameter or global.
    Variable(VarId),
    /// A field, in whatever record object: fields are not told apart by object.
    Field(FieldId),
    /// What a function returns.
    Result(FunctionId),
}

/// All slots of a program with the union of those between which pointers flow.
#[derive(Debug)]
pub(super) struct SlotGraph {
    nodes: BTreeMap<Slot, usize>,
    records: Vec<RecordId>,
    union: UnionFind<usize>,
    /// Pairs of slots of different record types that were to be unified.
    pub(super) conflicts: Vec<(usize, usize)>,
}

impl SlotGraph {
    pub(super) fn new(program: &Program) -> Self {
        let mut nodes = BTreeMap::new();
        let mut records = Vec::new();
        let mut add = |slot: Slot, ty| {
            if let Some((record, _)) = element_of(program, ty) {
                nodes.insert(slot, records.len());
                records.push(record);
            }
        };
        for id in program.variable_ids() {
            add(Slot::Variable(id), program.variable(id).ty);
        }
        for at in 0..program.fields.len() as u32 {
            add(Slot::Field(FieldId(at)), program.field(FieldId(at)).ty);
        }
        for id in program.function_ids() {
            add(Slot::Result(id), program.function(id).result);
        }
        let union = UnionFind::new(records.len());
        SlotGraph { nodes, records, union, conflicts: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    pub(super) fn node(&self, slot: Slot) -> Option<usize> {
        self.nodes.get(&slot).copied()
    }

    pub(super) fn find(&self, node: usize) -> usize {
        self.union.find(node)
    }

    pub(super) fn slots(&self) -> impl Iterator<Item = (Slot, usize)> + '_ {
        self.nodes.iter().map(|(slot, node)| (*slot, *node))
    }

    /// The record type of a node.
    pub(super) fn record(&self, node: usize) -> Option<RecordId> {
        self.records.get(node).copied()
    }

    pub(super) fn unite(&mut self, left: usize, right: usize) {
        if self.records[left] == self.records[right] {
            self.union.union(left, right);
        } else {
            self.conflicts.push((left, right));
        }
    }
}

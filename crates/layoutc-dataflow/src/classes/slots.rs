//! Slots and their union.

use super::element::{Element, element_of};
use layoutc_syntax::{FieldId, FunctionId, PragmaArray, Program, TypeKind, VarId};
use petgraph::unionfind::UnionFind;
use std::collections::BTreeMap;

/// Something that can hold a pointer into an array, or is such memory itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Slot {
    /// A variable, parameter or global.
    Variable(VarId),
    /// A field, in whatever record object: fields are not told apart by object.
    Field(FieldId),
    /// What a function returns.
    Result(FunctionId),
}

impl From<PragmaArray> for Slot {
    fn from(array: PragmaArray) -> Slot {
        match array {
            PragmaArray::Variable(id) => Slot::Variable(id),
            PragmaArray::Field(id) => Slot::Field(id),
        }
    }
}

/// All slots of a program with the union of those between which pointers flow.
#[derive(Debug)]
pub(super) struct SlotGraph {
    nodes: BTreeMap<Slot, usize>,
    elements: Vec<Element>,
    union: UnionFind<usize>,
    /// Pairs of slots of different element types that were to be unified.
    pub(super) conflicts: Vec<(usize, usize)>,
}

impl SlotGraph {
    pub(super) fn new(program: &Program) -> Self {
        let mut nodes = BTreeMap::new();
        let mut elements = Vec::new();
        let mut add = |slot: Slot, ty| {
            if let Some((element, _)) = element_of(program, ty) {
                nodes.insert(slot, elements.len());
                elements.push(element);
            }
        };
        for id in program.variable_ids() {
            add(Slot::Variable(id), program.variable(id).ty);
        }
        for at in 0..program.fields.len() as u32 {
            let ty = program.field(FieldId(at)).ty;
            // Numbers and vectors in a record are a part of it.
            let is_part = matches!(program.types.kind(ty.id), TypeKind::Array(..))
                && element_of(program, ty).is_some_and(|(element, _)| element.is_leaf());
            if !is_part {
                add(Slot::Field(FieldId(at)), ty);
            }
        }
        for id in program.function_ids() {
            add(Slot::Result(id), program.function(id).result);
        }
        let union = UnionFind::new(elements.len());
        SlotGraph { nodes, elements, union, conflicts: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.elements.len()
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

    /// The element type of a node.
    pub(super) fn element(&self, node: usize) -> Element {
        self.elements[node]
    }

    pub(super) fn unite(&mut self, left: usize, right: usize) {
        if self.elements[left] == self.elements[right] {
            self.union.union(left, right);
        } else {
            self.conflicts.push((left, right));
        }
    }
}

/// Whether a variable is a reference.
pub(super) fn is_reference(program: &Program, variable: VarId) -> bool {
    matches!(program.types.kind(program.variable(variable).ty.id), TypeKind::Reference(..))
}

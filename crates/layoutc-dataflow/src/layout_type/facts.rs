//! The propagation and what it finds.

use super::ids::{PointerId, ProcedureId};
use super::program::{OpIndex, PointerOp, PointerProgram};
use super::supergraph::Supergraph;
use super::transfer::Seeds;
use super::types::{LayoutType, PointerTypes};
use super::witness::{self, Conflict, Origin};
use crate::framework::{NodeId, Solution, solve};

/// The layout type of every pointer at every operation of a program.
#[derive(Debug)]
pub struct LayoutFacts<'a> {
    supergraph: Supergraph<'a>,
    solution: Solution<PointerTypes>,
}

/// Propagates the layouts that the seeds give to allocations through all pointers of a program.
///
/// # Panics
/// In debug builds, if the program breaks the rules of [`PointerProgram::verify`].
///
/// Source: Sung, Stratton, Hwu, PACT 2010, §5.3; [`super`] lists the deviations.
#[must_use]
pub fn propagate_layout_types<'a>(
    program: &'a PointerProgram,
    seeds: &'a Seeds,
) -> LayoutFacts<'a> {
    if cfg!(debug_assertions) {
        program.verify();
    }
    let supergraph = Supergraph::new(program, seeds);
    let solution = solve(&supergraph.graph, &supergraph);
    LayoutFacts { supergraph, solution }
}

impl LayoutFacts<'_> {
    /// The layout type of `pointer` in front of an operation; `None` if control cannot reach the
    /// operation, or no definition the pointer.
    #[must_use]
    pub fn fact_at(
        &self,
        procedure: ProcedureId,
        at: OpIndex,
        pointer: PointerId,
    ) -> Option<LayoutType> {
        self.before(self.place(self.supergraph.op(procedure, at)?, pointer)?, pointer)
    }

    /// The layout type of `pointer` behind an operation, for a call behind its return; `None` as
    /// for [`LayoutFacts::fact_at`].
    #[must_use]
    pub fn fact_behind(
        &self,
        procedure: ProcedureId,
        at: OpIndex,
        pointer: PointerId,
    ) -> Option<LayoutType> {
        if self.supergraph.program.is_shared(pointer) {
            return self.fact_at(procedure, at, pointer);
        }
        self.solution.after(self.supergraph.behind(procedure, at)?)?.get(pointer)
    }

    /// The layout type of `pointer` where the procedure returns; `None` if it never does.
    #[must_use]
    pub fn fact_at_exit(&self, procedure: ProcedureId, pointer: PointerId) -> Option<LayoutType> {
        self.before(self.place(self.supergraph.exit(procedure), pointer)?, pointer)
    }

    /// The layout type of a shared pointer, which is the same everywhere; `None` if nothing is ever
    /// stored there, or the pointer is local.
    #[must_use]
    pub fn fact_of_slot(&self, pointer: PointerId) -> Option<LayoutType> {
        self.before(self.supergraph.slot(pointer)?, pointer)
    }

    /// Why `pointer` is `⊥` in front of an operation; `None` if it is not.
    #[must_use]
    pub fn conflict_at(
        &self,
        procedure: ProcedureId,
        at: OpIndex,
        pointer: PointerId,
    ) -> Option<Conflict> {
        let node = self.place(self.supergraph.op(procedure, at)?, pointer)?;
        witness::conflict(&self.supergraph, &self.solution, node, pointer)
    }

    /// Why a shared pointer is `⊥`; `None` if it is not.
    #[must_use]
    pub fn conflict_of_slot(&self, pointer: PointerId) -> Option<Conflict> {
        let node = self.supergraph.slot(pointer)?;
        witness::conflict(&self.supergraph, &self.solution, node, pointer)
    }

    /// Everything that `pointer` may point to in front of an operation, nearest first.
    #[must_use]
    pub fn origins_at(
        &self,
        procedure: ProcedureId,
        at: OpIndex,
        pointer: PointerId,
    ) -> Vec<Origin> {
        let node = self.supergraph.op(procedure, at).and_then(|node| self.place(node, pointer));
        node.map(|node| witness::origins(&self.supergraph, node, pointer)).unwrap_or_default()
    }

    /// All accesses through a pointer that is `⊥`, in the order of the program.
    #[must_use]
    pub fn incompatible_uses(&self) -> Vec<(ProcedureId, OpIndex, PointerId)> {
        let uses = self.supergraph.program.ops().filter_map(|(procedure, at, op)| match op.op {
            PointerOp::Use { pointer } => Some((procedure, at, pointer)),
            _ => None,
        });
        uses.filter(|(procedure, at, pointer)| {
            self.fact_at(*procedure, *at, *pointer) == Some(LayoutType::Incompatible)
        })
        .collect()
    }

    /// Where the value of a pointer is found that is wanted at `node`: its slot if it is shared.
    fn place(&self, node: NodeId, pointer: PointerId) -> Option<NodeId> {
        if self.supergraph.program.is_shared(pointer) {
            self.supergraph.slot(pointer)
        } else {
            Some(node)
        }
    }

    fn before(&self, node: NodeId, pointer: PointerId) -> Option<LayoutType> {
        self.solution.before(node)?.get(pointer)
    }
}

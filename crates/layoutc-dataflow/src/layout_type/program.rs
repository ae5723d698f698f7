//! What a front end leaves of a program when it throws everything but pointers away.

use layoutc_diagnostics::Span;

use super::ids::{BlockId, PointerId, ProcedureId, SiteId};
use super::types::LayoutTypeId;

/// An operation of a procedure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct OpIndex {
    /// Its block.
    pub block: BlockId,
    /// Its position in [`Block::ops`].
    pub index: u32,
}

/// Where a pointer lives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PointerKind {
    /// A variable of one procedure whose address is not taken: followed along the control flow.
    Local(ProcedureId),
    /// A cell that any procedure may load and store at any time: a global, a member of a struct, an
    /// element of an array of pointers, a variable whose address is taken.
    Shared,
}

/// A pointer of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pointer {
    /// The name, for messages.
    pub name: String,
    /// Where it lives.
    pub kind: PointerKind,
}

/// An operation on pointers. Any pointer may be local or shared; a copy to or from a shared one is a
/// store or a load.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PointerOp {
    /// Data is accessed, defining no pointer; marks a place at which the type of `pointer` is wanted.
    Use {
        /// The pointer that is accessed.
        pointer: PointerId,
    },
    /// `p1 = p2`.
    Copy {
        /// `p1`.
        target: PointerId,
        /// `p2`.
        source: PointerId,
    },
    /// `p1 = p2 + t`, where `p1` is an address like any other.
    Offset {
        /// `p1`.
        target: PointerId,
        /// `p2`.
        source: PointerId,
    },
    /// `p1 = &p2[t]`, where the rewriter keeps the base `p2` and the index `t` apart.
    ElementOf {
        /// `p1`.
        target: PointerId,
        /// `p2`.
        source: PointerId,
    },
    /// The declaration of a pointer.
    Declare {
        /// The pointer.
        pointer: PointerId,
    },
    /// The declaration of a pointer to a grid with a known dimension vector.
    DeclareGrid {
        /// The pointer.
        pointer: PointerId,
        /// The row-major layout of the grid, with its dimension vector.
        layout: LayoutTypeId,
    },
    /// `p = nullptr`: the pointer refers to nothing.
    Null {
        /// The pointer.
        pointer: PointerId,
    },
    /// `p = ` new memory, whose layout the seeds say; untransformed if they do not.
    Allocate {
        /// The pointer.
        pointer: PointerId,
        /// The allocation.
        site: SiteId,
    },
    /// The layout of the data behind `pointer` is transformed as the seeds say.
    Apply {
        /// The pointer.
        pointer: PointerId,
        /// The transformation.
        site: SiteId,
    },
    /// A call or kernel launch.
    Call {
        /// The procedure that runs.
        callee: ProcedureId,
        /// Pairs of a formal of the callee and the caller's pointer that it gets.
        bindings: Vec<(PointerId, PointerId)>,
        /// Pairs of a pointer of the caller and the callee's pointer whose final value it gets: the
        /// returned pointer, and formals that are references.
        results: Vec<(PointerId, PointerId)>,
    },
}

impl PointerOp {
    /// `slot = source`, where `slot` is shared.
    #[must_use]
    pub fn store(slot: PointerId, source: PointerId) -> Self {
        PointerOp::Copy { target: slot, source }
    }

    /// `target = slot`, where `slot` is shared.
    #[must_use]
    pub fn load(target: PointerId, slot: PointerId) -> Self {
        PointerOp::Copy { target, source: slot }
    }

    /// The pointer that the operation itself defines; calls define theirs on return.
    #[must_use]
    pub fn defined(&self) -> Option<PointerId> {
        match *self {
            PointerOp::Copy { target, .. }
            | PointerOp::Offset { target, .. }
            | PointerOp::ElementOf { target, .. } => Some(target),
            PointerOp::Declare { pointer }
            | PointerOp::DeclareGrid { pointer, .. }
            | PointerOp::Null { pointer }
            | PointerOp::Allocate { pointer, .. }
            | PointerOp::Apply { pointer, .. } => Some(pointer),
            PointerOp::Use { .. } | PointerOp::Call { .. } => None,
        }
    }

    /// The pointers whose types the operation depends on.
    #[must_use]
    pub fn used(&self) -> Vec<PointerId> {
        match self {
            PointerOp::Copy { source, .. }
            | PointerOp::Offset { source, .. }
            | PointerOp::ElementOf { source, .. } => vec![*source],
            PointerOp::Use { pointer } | PointerOp::Apply { pointer, .. } => vec![*pointer],
            PointerOp::Declare { .. }
            | PointerOp::DeclareGrid { .. }
            | PointerOp::Null { .. }
            | PointerOp::Allocate { .. } => Vec::new(),
            PointerOp::Call { bindings, .. } => {
                bindings.iter().map(|(_, actual)| *actual).collect()
            }
        }
    }
}

/// An operation and the text that it comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpannedOp {
    /// The operation.
    pub op: PointerOp,
    /// The text.
    pub span: Span,
}

/// Operations that run one after the other.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Block {
    /// The operations.
    pub ops: Vec<SpannedOp>,
    /// The blocks that may come next; none: the procedure returns.
    pub successors: Vec<BlockId>,
}

/// A function or a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Procedure {
    /// The name, for messages.
    pub name: String,
    /// The pointer parameters, all of them local to the procedure.
    pub formals: Vec<PointerId>,
    /// Whether code that is not part of the program may call it. Procedures without any call are
    /// taken to be called from outside in any case.
    pub called_from_outside: bool,
    /// The blocks; control enters the first.
    pub blocks: Vec<Block>,
}

/// The pointers and procedures of a whole program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PointerProgram {
    /// All pointers of all procedures.
    pub pointers: Vec<Pointer>,
    /// All procedures.
    pub procedures: Vec<Procedure>,
}

impl PointerProgram {
    /// A program without procedures.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a pointer.
    pub fn add_pointer(&mut self, name: impl Into<String>, kind: PointerKind) -> PointerId {
        self.pointers.push(Pointer { name: name.into(), kind });
        PointerId(self.pointers.len() as u32 - 1)
    }

    /// Adds a procedure without formals, with an empty first block.
    pub fn add_procedure(&mut self, name: impl Into<String>) -> ProcedureId {
        self.procedures.push(Procedure {
            name: name.into(),
            formals: Vec::new(),
            called_from_outside: false,
            blocks: vec![Block::default()],
        });
        ProcedureId(self.procedures.len() as u32 - 1)
    }

    /// Adds a pointer parameter to a procedure, behind those it has.
    pub fn add_formal(&mut self, procedure: ProcedureId, name: impl Into<String>) -> PointerId {
        let formal = self.add_pointer(name, PointerKind::Local(procedure));
        self.procedures[procedure.index()].formals.push(formal);
        formal
    }

    /// Adds an empty block that nothing leads to.
    pub fn add_block(&mut self, procedure: ProcedureId) -> BlockId {
        let blocks = &mut self.procedures[procedure.index()].blocks;
        blocks.push(Block::default());
        BlockId(blocks.len() as u32 - 1)
    }

    /// Lets control go from one block to another.
    pub fn add_edge(&mut self, procedure: ProcedureId, from: BlockId, to: BlockId) {
        self.procedures[procedure.index()].blocks[from.index()].successors.push(to);
    }

    /// Appends an operation to a block.
    pub fn push(
        &mut self,
        procedure: ProcedureId,
        block: BlockId,
        op: PointerOp,
        span: Span,
    ) -> OpIndex {
        let ops = &mut self.procedures[procedure.index()].blocks[block.index()].ops;
        ops.push(SpannedOp { op, span });
        OpIndex { block, index: ops.len() as u32 - 1 }
    }

    /// The procedure with this id.
    #[must_use]
    pub fn procedure(&self, id: ProcedureId) -> &Procedure {
        &self.procedures[id.index()]
    }

    /// The pointer with this id.
    #[must_use]
    pub fn pointer(&self, id: PointerId) -> &Pointer {
        &self.pointers[id.index()]
    }

    /// The operation at this place.
    #[must_use]
    pub fn op(&self, procedure: ProcedureId, at: OpIndex) -> &SpannedOp {
        &self.procedure(procedure).blocks[at.block.index()].ops[at.index as usize]
    }

    /// Whether the pointer is a cell of all procedures.
    #[must_use]
    pub fn is_shared(&self, pointer: PointerId) -> bool {
        self.pointer(pointer).kind == PointerKind::Shared
    }

    /// All operations, by procedure, block and position.
    pub fn ops(&self) -> impl Iterator<Item = (ProcedureId, OpIndex, &SpannedOp)> {
        self.procedures.iter().enumerate().flat_map(|(procedure, body)| {
            body.blocks.iter().enumerate().flat_map(move |(block, ops)| {
                ops.ops.iter().enumerate().map(move |(index, op)| {
                    let at = OpIndex { block: BlockId(block as u32), index: index as u32 };
                    (ProcedureId(procedure as u32), at, op)
                })
            })
        })
    }

    /// Asserts that every id exists and that procedures name no local pointer of another one.
    ///
    /// # Panics
    /// If the front end has built a program that breaks this.
    pub fn verify(&self) {
        let may_name = |procedure: ProcedureId, pointer: PointerId| {
            matches!(self.pointer(pointer).kind, PointerKind::Shared)
                || self.pointer(pointer).kind == PointerKind::Local(procedure)
        };
        for (at, procedure) in self.procedures.iter().enumerate() {
            let id = ProcedureId(at as u32);
            for formal in &procedure.formals {
                let kind = self.pointer(*formal).kind;
                assert_eq!(kind, PointerKind::Local(id), "a formal is local to its procedure");
            }
            let known = |block: &BlockId| block.index() < procedure.blocks.len();
            let successors = procedure.blocks.iter().flat_map(|block| &block.successors);
            assert!(successors.into_iter().all(known), "a block leads to no block");
        }
        for (id, _, SpannedOp { op, .. }) in self.ops() {
            let mut named = op.used();
            named.extend(op.defined());
            if let PointerOp::Call { callee, bindings, results } = op {
                let formals = &self.procedure(*callee).formals;
                assert!(
                    bindings.iter().all(|(formal, _)| formals.contains(formal)),
                    "a call binds what is no formal of its callee"
                );
                assert!(
                    results.iter().all(|(_, result)| may_name(*callee, *result)),
                    "a call takes a pointer that its callee does not have"
                );
                named.extend(results.iter().map(|(target, _)| *target));
            }
            for pointer in named {
                let name = &self.pointer(pointer).name;
                assert!(may_name(id, pointer), "`{name}` is local to another procedure");
            }
        }
    }
}

//! A kernel as cost models see it.

use super::flow::Step;
pub use super::ids::{ArrayId, BaseId, LoopId};
use crate::profile::{Counts, LEVELS};
pub use layoutc_dataflow::catalogue::intrinsics::AccessKind;
use layoutc_dataflow::layout::LeafId;
use layoutc_diagnostics::Span;
use std::collections::BTreeMap;

/// What a kernel does to global memory, called functions included.
#[derive(Clone, PartialEq, Debug)]
pub struct KernelCode {
    /// Its name.
    pub name: String,
    /// Threads of a block along x, y and z.
    pub block: [u64; 3],
    /// Blocks of a launch.
    pub blocks: u64,
    /// The loops of the host around its launches, outermost first: a kernel that is launched in each
    /// step of a solver counts more than one that fills the arrays.
    pub repeats: Vec<Trips>,
    /// 32-bit registers of a thread, if they are known.
    pub registers: Option<u32>,
    /// Bytes of shared memory of a block.
    pub shared_bytes: u64,
    /// Its loops; outer ones before inner ones.
    pub loops: Vec<Loop>,
    /// Its accesses, in the order of the text.
    pub accesses: Vec<Access>,
    /// Which of them run after which, and in which loops.
    pub flow: Vec<Step>,
    /// Elements of the arrays, where they are known.
    pub extents: BTreeMap<ArrayId, u64>,
    /// Arithmetic operations of a thread in each scope: loop, or none, and how many in one iteration.
    pub operations: Vec<(Option<LoopId>, u64)>,
}

/// A loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Loop {
    /// The loop around it.
    pub parent: Option<LoopId>,
    /// How often its body runs.
    pub trips: Trips,
    /// Where the statement stands.
    pub span: Span,
}

/// How often the body of a loop runs each time that the loop is entered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trips {
    /// As often as this.
    Known(u64),
    /// The text does not say it.
    Dynamic,
    /// The text does not say it, but each trip goes on by so many.
    Steps(u64),
}

/// One access in the text. `p[i].x += v` is a read and then a write.
#[derive(Clone, PartialEq, Debug)]
pub struct Access {
    /// The array.
    pub array: ArrayId,
    /// What it touches, in the order of the record: one leaf, or several if it moves more as a whole.
    pub leaves: Vec<LeafId>,
    /// Which of a leaf's scalars it touches, where the leaf is an array.
    pub element: LeafElement,
    /// What it does.
    pub kind: AccessKind,
    /// Which element.
    pub index: ElementIndex,
    /// The innermost loop around it.
    pub scope: Option<LoopId>,
    /// Which part of the threads gets there, from 0 to 1.
    pub share: f64,
    /// Which part of the warps gets there: more, where lanes of a warp part.
    pub warps: f64,
    /// Where lanes part, the first of them that gets there: those of the two branches are others.
    pub phase: u64,
    /// Where it stands; of an access in the body of a macro that is the use.
    pub span: Span,
    /// Its own text, which may be in the body of a macro.
    pub text: Span,
}

/// Which scalars of a leaf that is an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeafElement {
    /// All of them, or the only one.
    All,
    /// One that is known.
    Known(u64),
    /// One that the innermost loop counts, or that is not known.
    Unknown,
}

/// The index of an element: `Σ factor · index + base + offset`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ElementIndex {
    /// How it depends on the thread.
    pub lanes: Lanes,
    /// What one more iteration of a loop adds; loops on which it does not depend are not listed.
    pub loops: Vec<(LoopId, Factor)>,
    /// All but the offset.
    pub base: BaseId,
    /// The constant.
    pub offset: i64,
    /// The factor of `blockIdx.x`; 0: it is the same in all blocks, a symbol as well for anything else that
    /// differs between them.
    pub blocks: Factor,
}

impl ElementIndex {
    /// Whether threads of all blocks have elements of their own.
    #[must_use]
    pub fn is_own(&self) -> bool {
        const NONE: Factor = Factor::Number(0);
        let by_lane = match self.lanes {
            Lanes::Affine(factors) => factors.iter().any(|factor| *factor != NONE),
            Lanes::Listed | Lanes::Unknown | Lanes::Single | Lanes::Measured(_) => false,
        };
        by_lane && self.blocks != NONE
    }
}

/// How an index depends on the thread's place in its block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lanes {
    /// Factors of `threadIdx.x`, `.y` and `.z`.
    Affine([Factor; 3]),
    /// By an index from an array of indices: a list of neighbours, an order, a permutation. Lanes that are
    /// neighbours often choose neighbouring elements.
    Listed,
    /// Not at all as a formula: a hash, or a product of indices.
    Unknown,
    /// One lane of all in the block gets there.
    Single,
    /// As a recorded run found them.
    Measured(Gather),
}

/// A factor of an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Factor {
    /// A number.
    Number(i64),
    /// A value that is known when the program runs, and large: an extent, a stride.
    Symbol,
}

/// How the elements of a warp's lanes lie to each other, as a recorded run found them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gather {
    /// `blocks[k]`: distinct values of `index >> k` of a request, in [`Gather::UNIT`]ths of one; never more than
    /// `blocks[k - 1]`, and never less than half of that.
    blocks: [u32; LEVELS],
    /// Whether the index comes from an array of indices ([`Lanes::Listed`]).
    pub is_listed: bool,
}

impl Gather {
    /// In what [`Gather::blocks`] counts: a power of two.
    pub const UNIT: u32 = 1 << 10;

    /// The means of what requests touched; `None` if there were none.
    #[must_use]
    pub fn new(counts: &Counts, is_listed: bool) -> Option<Gather> {
        if counts.requests == 0 {
            return None;
        }
        let mut blocks = [0; LEVELS];
        let mut limit = u32::MAX;
        for (own, sum) in blocks.iter_mut().zip(counts.blocks) {
            let mean = sum as f64 / counts.requests as f64 * f64::from(Gather::UNIT);
            // Means that are rounded keep to what the sums do.
            *own = (mean.round() as u32).clamp(Gather::UNIT, limit.max(Gather::UNIT));
            limit = *own;
        }
        for at in (1..LEVELS).rev() {
            blocks[at - 1] = blocks[at - 1].min(blocks[at].saturating_mul(2));
        }
        Some(Gather { blocks, is_listed })
    }

    /// Distinct values of `index >> level` of a request, on average.
    #[must_use]
    pub fn blocks(&self, level: usize) -> f64 {
        f64::from(self.blocks[level.min(LEVELS - 1)]) / f64::from(Gather::UNIT)
    }
}

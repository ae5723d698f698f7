//! A kernel as cost models see it.

use super::flow::Step;
use layoutc_dataflow::layout::LeafId;
use layoutc_diagnostics::Span;
use std::collections::BTreeMap;

/// An array of records in global memory, or of scalars, which are records of one leaf.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ArrayId(pub u32);

/// A loop of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LoopId(pub u32);

/// All of an index but a constant: indices with the same one differ by the difference of their offsets
/// in every thread and every iteration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BaseId(pub u32);

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
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    /// The loop around it.
    pub parent: Option<LoopId>,
    /// How often its body runs.
    pub trips: Trips,
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
    /// Where it stands.
    pub span: Span,
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

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AccessKind {
    /// A load.
    Read,
    /// A store.
    Write,
    /// A read and a write that no other thread comes between; it is served in the second-level cache.
    Atomic,
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
}

/// A factor of an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Factor {
    /// A number.
    Number(i64),
    /// A value that is known when the program runs, and large: an extent, a stride.
    Symbol,
}

//! Kernels for tests, written down shortly.

use layoutc_analysis::cost::arrangement::Arrangement;
use layoutc_analysis::cost::kernel::{
    Access, AccessKind, ArrayId, BaseId, ElementIndex, Factor, KernelCode, Lanes, LeafElement,
    Loop, LoopId, Trips,
};
use layoutc_dataflow::layout::{Layout, LeafId, RecordShape, SpecBody};
use layoutc_diagnostics::{FileId, Span};

/// What stands in no text.
const NOWHERE: Span = Span { file: FileId(0), start: 0, end: 0 };

/// A kernel of one block shape, to be filled.
pub fn kernel(blocks: u64, threads: u64) -> KernelCode {
    KernelCode {
        name: "k".into(),
        block: [threads, 1, 1],
        blocks,
        repeats: Vec::new(),
        registers: None,
        shared_bytes: 0,
        loops: Vec::new(),
        accesses: Vec::new(),
        flow: Vec::new(),
        extents: std::collections::BTreeMap::new(),
        operations: Vec::new(),
    }
}

/// `i`: one element for each thread.
pub fn own(base: u32) -> ElementIndex {
    affine(base, 1)
}

/// `factor * i`.
pub fn affine(base: u32, factor: i64) -> ElementIndex {
    let lanes = Lanes::Affine([Factor::Number(factor), Factor::Number(0), Factor::Number(0)]);
    ElementIndex { lanes, loops: Vec::new(), base: BaseId(base), offset: 0, blocks: Factor::Symbol }
}

/// The same element for all threads.
pub fn uniform(base: u32) -> ElementIndex {
    affine(base, 0)
}

/// An index from memory.
pub fn indirect(base: u32) -> ElementIndex {
    ElementIndex { lanes: Lanes::Unknown, ..own(base) }
}

/// Additions to indices and kernels.
pub trait Along {
    /// What an iteration of a loop adds.
    fn along(self, loop_id: LoopId, factor: Factor) -> Self;
    /// A constant more.
    fn plus(self, offset: i64) -> Self;
}

impl Along for ElementIndex {
    fn along(mut self, loop_id: LoopId, factor: Factor) -> Self {
        self.loops.push((loop_id, factor));
        self
    }

    fn plus(mut self, offset: i64) -> Self {
        self.offset += offset;
        self
    }
}

pub trait Build {
    /// One more loop.
    fn enter(&mut self, parent: Option<LoopId>, trips: Trips) -> LoopId;
    /// One more access to one leaf.
    fn access(
        &mut self,
        kind: AccessKind,
        array: u32,
        leaf: u32,
        index: ElementIndex,
        scope: Option<LoopId>,
    );
    fn read(&mut self, array: u32, leaf: u32, index: ElementIndex, scope: Option<LoopId>) {
        self.access(AccessKind::Read, array, leaf, index, scope);
    }
    fn write(&mut self, array: u32, leaf: u32, index: ElementIndex, scope: Option<LoopId>) {
        self.access(AccessKind::Write, array, leaf, index, scope);
    }
}

impl Build for KernelCode {
    fn enter(&mut self, parent: Option<LoopId>, trips: Trips) -> LoopId {
        self.loops.push(Loop { parent, trips, span: NOWHERE });
        LoopId(self.loops.len() as u32 - 1)
    }

    fn access(
        &mut self,
        kind: AccessKind,
        array: u32,
        leaf: u32,
        index: ElementIndex,
        scope: Option<LoopId>,
    ) {
        self.accesses.push(Access {
            array: ArrayId(array),
            leaves: vec![LeafId(leaf)],
            element: LeafElement::All,
            kind,
            index,
            scope,
            share: 1.0,
            warps: 1.0,
            phase: 0,
            span: NOWHERE,
            text: NOWHERE,
        });
    }
}

/// A record of members of 4 bytes.
pub fn floats(name: &str, members: &[&str]) -> RecordShape {
    RecordShape::flat(name, members.iter().map(|member| (*member, "float", 4, 4, &[][..])))
}

/// A layout from its notation.
pub fn layout(shape: &RecordShape, text: &str) -> Layout {
    let body = SpecBody::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    body.resolve(shape).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// One array in one layout.
pub fn arrangement(shape: &RecordShape, layout: &Layout) -> Arrangement {
    let mut arrangement = Arrangement::default();
    arrangement.insert(ArrayId(0), shape, layout);
    arrangement
}

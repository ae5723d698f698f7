//! Layout types of pointers, and their propagation through a program.
//!
//! # Terms
//!
//! The *layout type* of a pointer is what is known of the layout of the data that it may point to:
//! a new layout `l`, the source's own layout (`UT`, untransformed), or nothing that holds for all of
//! it (`⊥`, incompatible).
//!
//! ```text
//!   l1   l2   …   UT      l: (dimensions, dimension vector, flattening function)
//!     \   |   |   /       UT: the source's row-major layout
//!           ⊥             may point to data in two different layouts
//! ```
//!
//! `UT` is not a top element: `UT ∧ l = ⊥`, because code that accesses the source's layout does not
//! access `l`. The paper's lattice has no top at all; a solver that starts optimistically needs one,
//! and here it is *absence*: a pointer that no definition has reached yet is not in [`PointerTypes`],
//! which is the paper's `Ψ : P → L ∪ {UT, ⊥}` with that top added pointwise.
//!
//! A [`PointerProgram`] holds, per procedure, a graph of [`PointerOp`]s: what a front end leaves of a
//! program when it throws everything but pointers away. [`propagate_layout_types`] takes it and the
//! [`Seeds`], which say what layout each allocation gets, and gives [`LayoutFacts`].
//!
//! # How it is solved
//!
//! One forward problem of the [framework](crate::framework) on a supergraph of all procedures:
//!
//! - Local pointers are followed along the control flow of their procedure. At a call the formals
//!   get the actuals of *all* calls (context-insensitively), while the caller's own locals go around
//!   the callee, so that no caller's locals reach another.
//! - Shared pointers (globals, members of structs, locals whose address is taken) are cells without
//!   a place in time: what any store puts there, every load may get. A cell only goes down.
//! - Every procedure is analysed. The formals of one that nobody calls, or that unseen code may
//!   call, are `UT`: unseen code knows of no new layout.
//!
//! # Claims
//!
//! All transfer functions are monotone, and the solution equals that of a naive iteration. For every
//! `⊥` there is a [`Conflict`] that names two flows of different layouts which meet, or the operation
//! that a new layout does not allow.
//!
//! Source: Sung, Stratton, Hwu, PACT 2010, §5.3, Tables 1 and 2. How its text was read:
//!
//! - Table 1, `p1 = p2 + t`, prints the test `μ(p1) ≠ UT`. The old value of `p1` cannot matter; the
//!   test is `μ(p2) ≠ UT`.
//! - "Declaring a pointer" makes it `UT` there. Shared pointers are declared once and assigned
//!   later, which would make every one of them `⊥`; a front end emits no declaration for them. It may
//!   emit [`PointerOp::Null`] for an initialisation with a null pointer, which points to no data at
//!   all and thus agrees with every layout.
//! - Table 2 is used as printed; the "unvisited" element is ours.
//! - [`PointerOp::Allocate`] is "declare" and "apply" in one, for `cudaMalloc`.
//!   [`PointerOp::ElementOf`] keeps the layout where `p1 = p2 + t` would lose it: a rewriter that
//!   keeps a base pointer and an index apart needs no flattening function for an inner address.
//! - Compatibility is by bytes in the paper (a `float` array with a `long` array of equal size, which
//!   assumes a `long` of four bytes); here the record is part of the type ([`ArrayType`]).

mod facts;
mod ids;
mod program;
mod supergraph;
mod table;
mod transfer;
mod types;
mod witness;

pub use facts::{LayoutFacts, propagate_layout_types};
pub use ids::{BlockId, PointerId, ProcedureId, SiteId};
pub use program::{
    Block, OpIndex, Pointer, PointerKind, PointerOp, PointerProgram, Procedure, SpannedOp,
};
pub use table::{ArrayType, LayoutTypeTable};
pub use transfer::{LayoutTransformation, Seeds};
pub use types::{LayoutType, LayoutTypeId, PointerTypes};
pub use witness::{Conflict, Flow, Origin, Step};

//! Random programs: they are generated, rewritten to random layouts, and must do the same as before.
//!
//! # Terms
//!
//! - A [`RandomProgram`] is a function of its seed. It consists of *units*: a few structs, the
//!   arrays of them, device functions, kernels, and a host function that fills the arrays, launches
//!   the kernels and prints a checksum over every field of every array.
//! - A third of the programs are several files: a header and two or three `.cu` files, with the
//!   units spread over them.
//! - Many units have one or two *traits that may be refused* (methods on elements, accesses in macros,
//!   …), so that a refusal keeps the arrays of one unit and not those of the whole program.
//! - A *case* is a program with one layout for each of its records.
//!
//! # What the programs promise
//!
//! They are well defined: no data races (a thread writes elements that it alone owns, or uses
//! atomics whose order does not matter), no signed overflow, no access outside an array, no read
//! of memory that was not written, no dependence on padding, and floating point that stays in the
//! range where every operation gives the same bits in every build.
//!
//! # What must hold
//!
//! [`run`] lists the ways in which a case can fail. [`reduce`] makes a failing case small.

pub mod campaign;
pub mod generate;
pub mod layouts;
pub mod names;
pub mod program;
pub mod reduce;
pub mod rng;
pub mod run;
pub mod sources;
pub mod text;
pub mod toolchain;

pub use program::RandomProgram;

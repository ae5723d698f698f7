//! Random OpenCL programs: hosts in C or C++ with kernels in a file or a literal, which must do the same in other layouts.
//!
//! The sibling of [`crate::random`], whose tree, layouts, reducer and failures it uses.
//!
//! # Terms
//!
//! - An [`OpenClProgram`] is a function of its seed: structs, kernels and helper functions of OpenCL C, and a host whose
//!   *units* are functions that make buffers and queues, work with them step by step and print sums over every member.
//! - A *step* is one command on buffers with all that it needs: sources, wait lists, events.
//! - A step that *must fail* is out of range, overlaps, or is not allowed by the buffer's flags. Its code is printed, and what
//!   is in the buffers afterwards shows that it did nothing.
//!
//! # What the programs promise
//!
//! They are well defined: buffers are written before they are read; two commands of which one writes are ordered by
//! an event, by an in-order queue, or by the host; padding is never looked at; signed numbers do not overflow, and
//! floating point is exact. So a command may be delayed as long as nobody waits for it, which [`toolchain`] does.
//!
//! # What must hold
//!
//! [`run`] says in which ways a case can fail.

pub mod campaign;
pub mod generate;
pub mod program;
pub mod run;
pub mod toolchain;

pub use program::OpenClProgram;

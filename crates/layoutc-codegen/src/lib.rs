//! Turns a layout plan into edits over the files of a program.
//!
//! [`compile`] is the whole compiler: it lowers a preprocessed program, finds its array classes,
//! chooses a layout for each that can move and rewrites all of their uses, or none. The result is
//! plain data; files, rendering and exit codes are the command line's.

mod cells;
mod compile;
mod coordinates;
pub mod edit;
mod grids;
mod helpers;
mod host_arrays;
mod hygiene;
pub mod instrument;
mod macro_uses;
mod marker;
mod merge;
mod names;
mod opencl;
mod rewrite;
mod sections;
mod storage;

pub use compile::{ClassOutcome, Compiled, PLACEHOLDER, Request, Status, compile};
pub use edit::{Edit, EditSet, OverlappingEdits};
pub use grids::{CHECK, GridReport};
pub use host_arrays::{HostLayout, HostOutcome};

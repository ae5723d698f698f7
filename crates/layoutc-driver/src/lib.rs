//! The compiler as a whole: plan, rewrite, refuse.
//!
//! [`compile`] lowers a preprocessed program, lets the analyses plan a layout for each array that can
//! move, and lets code generation rewrite all uses of an array, or none. What has no form refuses its
//! plan, and the rest is planned again. The result is plain data; files, rendering and exit codes are the
//! command line's.

mod assumptions;
mod compile;
mod grids;
mod host_arrays;
mod joints;
mod outcome;
mod pragmas;
mod records;
mod refusals;
mod request;
mod settle;
mod versions;

pub use compile::{Compiled, compile};
pub use grids::GridReport;
pub use layoutc_codegen::Style;
pub use outcome::{ClassOutcome, HostOutcome, Status};
pub use request::{HostLayout, Request};

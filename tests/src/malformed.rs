//! Malformed input: what the compiler must survive.
//!
//! A *case* is a number. With a seed it gives a shipped program, changed in some places that nobody
//! would change on purpose (tokens and bytes removed, doubled, swapped, replaced, taken from other
//! programs; brackets without partner; tokens of a hundred kilobytes; ends cut off), and a layout
//! request that may be as bad. The same seed and number give the same input on every machine.
//!
//! A case *fails* if the compiler panics, or needs more than [`TIME_LIMIT`] or [`MEMORY_LIMIT`]: on
//! the input, or on what it makes of an input that it accepts.

pub mod cases;
pub mod command_line;
pub mod mutate;
pub mod programs;
pub mod requests;
pub mod shrink;
pub mod trial;

use std::time::Duration;

/// The longest that one case may take, in seconds of computing: the machine may be busy otherwise.
pub const TIME_LIMIT: Duration = Duration::from_secs(10);

/// The resident memory, in bytes, that a process may reach in one case, itself and the shipped
/// programs included.
pub const MEMORY_LIMIT: u64 = 512 << 20;

/// Stack of a thread that compiles, in bytes: that of the `layoutc` binary.
pub const STACK: usize = 512 << 20;

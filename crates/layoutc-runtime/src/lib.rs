//! Runs CUDA programs on the CPU: runtime headers and launch lowering.

#![warn(missing_docs)]

pub mod lowering;
pub mod process;
pub mod program;
pub mod toolchain;

mod embedded;
mod lexer;

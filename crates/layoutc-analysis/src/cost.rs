//! What a layout costs: prices of a kernel's accesses to global memory.
//!
//! The input is plain data: [`kernel::KernelCode`] says what a kernel accesses, in the order of its
//! text, and [`arrangement::Arrangement`] where a layout puts each value. The models know nothing of
//! programs, and the front end nothing of prices.

pub mod arrangement;
pub mod kernel;

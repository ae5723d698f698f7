//! Behaviour of built programs: each case is a small CUDA program with what it has to print.

#[path = "runtime/support.rs"]
mod support;

#[path = "runtime/api.rs"]
mod api;
#[path = "runtime/execution.rs"]
mod execution;
#[path = "runtime/launches.rs"]
mod launches;
#[path = "runtime/memory_errors.rs"]
mod memory_errors;
#[path = "runtime/toolchain.rs"]
mod toolchain;
#[path = "runtime/trace.rs"]
mod trace;
#[path = "runtime/verify.rs"]
mod verify;

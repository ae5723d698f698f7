//! Runs CUDA programs on the CPU: runtime headers and launch lowering.
//!
//! A program's files are *lowered* ([`lowering`]) to C++ that the host compiler takes together with the headers in
//! `include/`, linked with the compiled part in `runtime/` ([`toolchain`]), and run ([`process`]). On that rests
//! [`verify`]: run a program before and after a rewrite and compare output, exit status and device memory.
//!
//! OpenCL programs need no runtime of ours: they are built and run as they are ([`opencl`]).
//!
//! # What is modelled
//!
//! - **Launches.** Blocks run one after another on one OS thread; the threads of a block are fibers that run until
//!   they wait or end. The order is fixed: a program gives the same result in every run, racy or not.
//! - **Synchronisation.** Block barriers with their reductions, warp barriers, shuffles, votes, matches and
//!   reductions with lane masks, the mask-less forms of old code, cooperative groups, grid barriers of cooperative
//!   launches, and launches from kernels (run at once). A deadlock is reported.
//! - **Memory.** Static and dynamic shared memory, poisoned for each block. Device memory starts as bytes `0xA5`,
//!   ends at a guard page, has red zones in what alignment leaves (at most 255 bytes behind it), and is
//!   inaccessible to host code outside API calls. `__device__`, `__constant__` and `__managed__` variables are
//!   globals of the process.
//! - **Errors.** Out-of-bounds accesses, use after free, copies beyond an allocation or to the wrong side, host
//!   access to device memory, frees of unknown pointers: one line on stderr and exit status 97.
//! - **Time.** Clocks count their own readings, `cudaEventElapsedTime` is always 1 ms, addresses are the same in
//!   each run: what a program prints depends on the program alone.
//!
//! # What is not
//!
//! - Lockstep within a warp: code that relies on it without `__syncwarp` computes something else (the same thing in
//!   each run). Blocks that wait for later blocks hang.
//! - Reads within a red zone and any overrun between two static shared arrays go unseen; so does host access to
//!   `__device__` variables, and device access to host memory.
//! - Rounding modes and flush-to-zero; fast intrinsics are as exact as the C library.
//! - Textures, surfaces, arrays, graphs, memory pools, virtual memory management, inline PTX, cub and the other CUDA
//!   libraries, thrust but for the usual algorithms on ranges of device pointers, the driver API beyond its types. There is one device, of compute capability 8.0.
//! - `__CUDA_ARCH__` is 800 in device code only; functions for both sides are compiled once, as host code.
//! - `__device__` data and functions of one name in two files are one, where nvcc without `-rdc` keeps them apart.
//!
//! # Environment of a built program
//!
//! `LAYOUTC_RT_STACK` bytes of stack for each thread · `LAYOUTC_RT_PROTECT=0` leaves device memory open to host
//! code · `LAYOUTC_RT_CLOCK=real` true clocks · `LAYOUTC_RT_ASLR` set: random addresses · `LAYOUTC_RT_LOG` and the
//! variables beside it, described in `runtime/log.cpp`: the kernel log · `LAYOUTC_RT_TRACE` and the variable beside it,
//! described in `runtime/trace.cpp`: the trace of accesses ([`trace`]).

#![warn(missing_docs)]

pub mod kernel_log;
pub mod layout_table;
pub mod lowering;
pub mod opencl;
pub mod process;
pub mod profile;
pub mod program;
pub mod toolchain;
pub mod trace;
pub mod verify;

mod embedded;
mod lexer;
mod object_cache;

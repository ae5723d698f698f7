//! What a layout costs: prices of a kernel's accesses to global memory.
//!
//! The input is plain data: [`kernel::KernelCode`] says what a kernel accesses, in the order of its
//! text, and [`arrangement::Arrangement`] where a layout puts each value. The models know nothing of
//! programs, and the front end nothing of prices. [`price`] asks one of them: [`peng`] is the paper's,
//! [`sectors`] that of today's caches.

pub mod arrangement;
pub mod conversion;
pub mod flow;
mod ids;
pub mod kernel;
mod models;
mod nest;
pub mod occupancy;
pub mod peng;
pub mod price;
pub mod search;
pub mod sectors;
mod span;
pub mod vector;
pub mod verdict;
pub(crate) mod warp;

pub use models::price;
pub use nest::DYNAMIC_TRIPS;
pub(crate) use nest::trips;
pub use price::{CostError, KernelPrice, Model};
pub use vector::CostVector;

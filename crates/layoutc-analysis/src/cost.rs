//! What a layout costs: prices of a kernel's accesses to global memory.
//!
//! The input is plain data: [`kernel::KernelCode`] says what a kernel accesses, in the order of its
//! text, and [`arrangement::Arrangement`] where a layout puts each value. The models know nothing of
//! programs, and the front end nothing of prices. [`price`] asks one of them: [`peng`] is the paper's,
//! [`sectors`] that of today's caches.

pub mod arrangement;
pub mod kernel;
mod nest;
pub mod occupancy;
pub mod peng;
pub mod price;
pub mod sectors;
mod span;
pub mod vector;
mod warp;

pub use nest::DYNAMIC_TRIPS;
pub use price::{CostError, KernelPrice, Model};
pub use vector::CostVector;

use crate::device::Device;
use arrangement::Arrangement;
use kernel::KernelCode;

/// What the kernel's accesses to global memory cost on a device, for all of its launches.
///
/// # Errors
/// [`CostError`]: the block is empty, the device's file lacks a fact, or a leaf has no place.
pub fn price(
    code: &KernelCode,
    arrangement: &Arrangement,
    device: &Device,
    model: Model,
) -> Result<KernelPrice, CostError> {
    match model {
        Model::Peng => peng::price(code, arrangement, device),
        Model::Sectors => sectors::price(code, arrangement, device),
    }
}

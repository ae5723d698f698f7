//! Asks one of the models.

use super::arrangement::Arrangement;
use super::kernel::KernelCode;
use super::price::{CostError, KernelPrice, Model};
use super::vector::CostVector;
use super::{peng, sectors};
use crate::device::Device;

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

/// The total of [`price`] alone.
pub(super) fn total(
    code: &KernelCode,
    arrangement: &Arrangement,
    device: &Device,
    model: Model,
) -> Result<CostVector, CostError> {
    let price = match model {
        Model::Peng => peng::price(code, arrangement, device),
        Model::Sectors => sectors::price_without_strides(code, arrangement, device),
    };
    price.map(|price| price.total)
}

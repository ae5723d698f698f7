//! What a layout can gain at most, and why it may gain nothing.
//!
//! Time is estimated from above and below by what a device can do in a second: sectors through each level,
//! whose rates relate as the weights of [`super::sectors`] and end in the memory's bandwidth, and arithmetic.
//! The *memory-bound share* is memory's part if the two do not overlap. If they do, a layout gains less
//! where arithmetic takes longer, so the ceiling of [`Verdict`] is one: with share `m` and ratio `r` of the
//! memory's times, `1 / (1 - m + m / r)`.

use super::kernel::KernelCode;
use super::nest::Nest;
use super::price::{CostError, KernelPrice, Traffic};
use super::sectors::SectorDevice;
use crate::device::Device;
use serde::Serialize;
use std::fmt;

/// Below this ceiling nothing is gained that could be told from noise.
const WORTH: f64 = 1.05;
/// Where nothing comes from memory, latencies decide, and a ceiling up to this is none.
const WORTH_IN_CACHE: f64 = 1.5;
/// How often a copied byte goes through device memory once more: a kernel reads it from a buffer and writes it
/// to its place, or the other way round. On the bus nothing changes.
const CONVERSION: f64 = 2.0;

/// Seconds of all launches of a kernel.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Seconds {
    /// In the level that takes longest.
    pub memory: f64,
    /// For arithmetic; `None` if the device's file does not say how fast it is.
    pub arithmetic: Option<f64>,
}

/// Why a layout gains nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoGain {
    /// The source's layout fetches hardly anything that is not used.
    UsedTogether,
    /// Arithmetic takes longer than memory.
    ComputeBound,
    /// Atomic operations take the time, and their number stays.
    Atomics,
    /// All arrays fit into the second-level cache.
    InCache,
}

impl fmt::Display for NoGain {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            NoGain::UsedTogether => "what is fetched is used together",
            NoGain::ComputeBound => "arithmetic takes longer than memory",
            NoGain::Atomics => "atomic operations take the time",
            NoGain::InCache => "all arrays fit into the second-level cache",
        })
    }
}

/// What a layout can gain in a kernel.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Verdict {
    /// The kernel in the source's layout.
    pub before: Seconds,
    /// The kernel in the layout.
    pub after: Seconds,
    /// The part of the time that memory takes, from 0 to 1.
    pub memory_share: f64,
    /// How many times faster the kernel becomes at most.
    pub ceiling: f64,
    /// Why it gains nothing, if so.
    pub no_gain: Option<NoGain>,
}

/// Seconds that traffic takes at the peak rates of the first-level cache, the second-level cache and memory. The levels work
/// at the same time: the longest counts.
///
/// # Errors
/// As [`seconds`].
pub fn level_seconds(traffic: &Traffic, device: &Device) -> Result<[f64; 3], CostError> {
    let known = SectorDevice::new(device)?;
    let bandwidth = bandwidth(device)?;
    let [w1, w2, w3] = known.weights;
    let levels = [traffic.requested * w1, traffic.l2 * w2, traffic.dram * w3];
    Ok(levels.map(|level| level / w3 * known.sector as f64 / bandwidth))
}

/// Seconds of all launches, by a price of [`super::Model::Sectors`].
///
/// # Errors
/// [`CostError::UnknownFact`] if the device's file lacks the memory's bandwidth.
pub fn seconds(
    code: &KernelCode,
    price: &KernelPrice,
    device: &Device,
) -> Result<Seconds, CostError> {
    let known = SectorDevice::new(device)?;
    let memory = level_seconds(&price.traffic, device)?.into_iter().fold(0.0, f64::max);
    let execution = &device.execution;
    let rates = (execution.operations_per_cycle.known(), execution.clock_megahertz.known());
    let arithmetic = match rates {
        (Some(operations), Some(clock)) => {
            let nest = Nest::new(code);
            let of_thread: f64 = code
                .operations
                .iter()
                .map(|(scope, count)| nest.executions(*scope) * *count as f64)
                .sum();
            let all = of_thread * (price.warps * known.warp_size) as f64 * nest.launches();
            let rate = known.multiprocessors as f64 * f64::from(*operations) * f64::from(*clock);
            Some(all / (rate * 1e6))
        }
        _ => None,
    };
    Ok(Seconds { memory, arithmetic })
}

/// Seconds that all launches of a kernel are expected to take: what the levels of memory and arithmetic need, as they would
/// overlap. Those that take equally long delay each other, and what is much shorter than the longest is hidden: the square root of
/// the sum of squares lies between the longest, which perfect overlap would give, and the sum.
///
/// # Errors
/// As [`seconds`].
pub fn expected_seconds(
    code: &KernelCode,
    price: &KernelPrice,
    device: &Device,
) -> Result<f64, CostError> {
    let levels = level_seconds(&price.traffic, device)?;
    let arithmetic = seconds(code, price, device)?.arithmetic.unwrap_or(0.0);
    Ok(levels.into_iter().chain([arithmetic]).map(|own| own * own).sum::<f64>().sqrt())
}

/// What a layout can gain in a kernel, by prices of [`super::Model::Sectors`].
///
/// # Errors
/// As [`seconds`].
pub fn verdict(
    code: &KernelCode,
    before: &KernelPrice,
    after: &KernelPrice,
    device: &Device,
) -> Result<Verdict, CostError> {
    let weights = SectorDevice::new(device)?.weights;
    let atomics = before.traffic.atomics * weights[1];
    let memory: f64 = before.traffic.dram * weights[2] + before.traffic.l2 * weights[1];
    let in_cache = before.is_cached && after.is_cached;
    let (before, after) = (seconds(code, before, device)?, seconds(code, after, device)?);
    let arithmetic = before.arithmetic.unwrap_or(0.0);
    let all = before.memory + arithmetic;
    let memory_share = if all > 0.0 { before.memory / all } else { 0.0 };
    let left = if before.memory > 0.0 { after.memory / before.memory } else { 1.0 };
    let ceiling = 1.0 / (1.0 - memory_share + memory_share * left);
    let no_gain = if atomics > memory / 2.0 && ceiling < WORTH {
        Some(NoGain::Atomics)
    } else if in_cache && ceiling <= WORTH_IN_CACHE {
        Some(NoGain::InCache)
    } else if ceiling >= WORTH {
        None
    } else if left < 1.0 / WORTH && memory_share < 0.5 {
        Some(NoGain::ComputeBound)
    } else {
        Some(NoGain::UsedTogether)
    };
    Ok(Verdict { before, after, memory_share, ceiling, no_gain })
}

/// After how many launches a layout has paid for rearranging `bytes` in copies between host and device;
/// `None`: never.
///
/// # Errors
/// As [`seconds`].
pub fn launches_that_pay(
    bytes: u64,
    verdict: &Verdict,
    launches: f64,
    device: &Device,
) -> Result<Option<f64>, CostError> {
    let total = |seconds: Seconds| seconds.memory + seconds.arithmetic.unwrap_or(0.0);
    let saved = (total(verdict.before) - total(verdict.after)) / launches.max(1.0);
    let converted = CONVERSION * bytes as f64 / bandwidth(device)?;
    Ok((saved > 0.0).then(|| (converted / saved).ceil()))
}

/// Bytes of memory in a second.
pub(super) fn bandwidth(device: &Device) -> Result<f64, CostError> {
    let fact = "memory.dram_gigabytes_per_second";
    let missing = || CostError::UnknownFact { device: device.name.clone(), fact };
    let known = device.memory.dram_gigabytes_per_second.known();
    Ok(f64::from(*known.ok_or_else(missing)?) * 1e9)
}

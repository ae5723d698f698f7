//! What a layout gains in a kernel, and why it may gain nothing.
//!
//! Time is estimated by what a device can do in a second: sectors through each level, whose rates relate as the weights of
//! [`super::sectors`] and end in the memory's bandwidth, and arithmetic; [`expected_seconds`] puts them together.

use super::kernel::KernelCode;
use super::nest::Nest;
use super::price::{CostError, KernelPrice, Traffic};
use super::sectors::SectorDevice;
use crate::device::Device;
use serde::Serialize;
use std::fmt;

/// Below this speed-up nothing is gained that could be told from noise.
const WORTH: f64 = 1.05;
/// Where nothing comes from memory, latencies decide, and a speed-up up to this is none.
const WORTH_IN_CACHE: f64 = 1.5;
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
    /// Hardly less goes through the level that takes longest.
    SameTraffic(Level),
    /// More goes through the level that takes longest.
    MoreTraffic(Level),
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
            NoGain::SameTraffic(level) => {
                return write!(out, "hardly fewer sectors go through {level}");
            }
            NoGain::MoreTraffic(level) => return write!(out, "more sectors go through {level}"),
            NoGain::ComputeBound => "arithmetic takes longer than memory",
            NoGain::Atomics => "atomic operations take the time",
            NoGain::InCache => "all arrays fit into the second-level cache",
        })
    }
}

/// A level of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The first-level cache.
    L1,
    /// The second-level cache.
    L2,
    /// Device memory.
    Dram,
}

impl Level {
    /// From the nearest on, as [`level_seconds`] has them.
    const ALL: [Level; 3] = [Level::L1, Level::L2, Level::Dram];
}

impl fmt::Display for Level {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Level::L1 => "L1",
            Level::L2 => "L2",
            Level::Dram => "DRAM",
        })
    }
}

/// What a layout gains in a kernel.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Verdict {
    /// Seconds of all launches in the source's layout, as [`expected_seconds`] has them.
    pub before: f64,
    /// In the layout.
    pub after: f64,
    /// How many times as fast the kernel becomes.
    pub speedup: f64,
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

/// The level that takes longest.
fn limit(traffic: &Traffic, device: &Device) -> Result<Level, CostError> {
    let levels = Level::ALL.into_iter().zip(level_seconds(traffic, device)?);
    let longest = levels.max_by(|left, right| left.1.total_cmp(&right.1));
    Ok(longest.map_or(Level::Dram, |(level, _)| level))
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
    let limits = [limit(&before.traffic, device)?, limit(&after.traffic, device)?];
    let times = [seconds(code, before, device)?, seconds(code, after, device)?];
    let left = match times[0].memory > 0.0 {
        true => times[1].memory / times[0].memory,
        false => 1.0,
    };
    let is_compute_bound = times[0].arithmetic.is_some_and(|own| own > times[0].memory);
    let before = expected_seconds(code, before, device)?;
    let after = expected_seconds(code, after, device)?;
    let speedup = if after > 0.0 { before / after } else { 1.0 };
    let no_gain = if atomics > memory / 2.0 && speedup < WORTH {
        Some(NoGain::Atomics)
    } else if in_cache && speedup <= WORTH_IN_CACHE {
        Some(NoGain::InCache)
    } else if speedup >= WORTH {
        None
    } else if left < 1.0 / WORTH && is_compute_bound {
        Some(NoGain::ComputeBound)
    } else if left > WORTH {
        Some(NoGain::MoreTraffic(limits[1]))
    } else {
        Some(NoGain::SameTraffic(limits[0]))
    };
    Ok(Verdict { before, after, speedup, no_gain })
}

/// Bytes of memory in a second.
pub(super) fn bandwidth(device: &Device) -> Result<f64, CostError> {
    let fact = "memory.dram_gigabytes_per_second";
    let missing = || CostError::UnknownFact { device: device.name.clone(), fact };
    let known = device.memory.dram_gigabytes_per_second.known();
    Ok(f64::from(*known.ok_or_else(missing)?) * 1e9)
}

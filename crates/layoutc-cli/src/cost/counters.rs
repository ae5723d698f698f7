//! One launch of a kernel in the quantities of Nsight Compute.

use layoutc_analysis::cost::DYNAMIC_TRIPS;
use layoutc_analysis::cost::kernel::{KernelCode, Trips};
use layoutc_analysis::cost::price::{KernelPrice, Model, Traffic};
use layoutc_analysis::cost::sectors::SectorDevice;
use layoutc_analysis::cost::verdict::{level_seconds, seconds};
use layoutc_analysis::device::Device;
use serde::Serialize;

/// What memory does in one launch, on average.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub(super) struct Counters {
    /// Memory instructions of warps.
    pub(super) requests: f64,
    /// Sectors that they touch.
    pub(super) sectors: f64,
    /// As many as their bytes would fill.
    pub(super) ideal_sectors: f64,
    /// Bytes between the first-level and the second-level cache.
    pub(super) l2_bytes: f64,
    /// Bytes that memory reads and writes.
    pub(super) dram_bytes: f64,
    /// Time at peak rate in the memory level that takes longest in the kernel; none where the device's file does not say
    /// how fast its memory is.
    pub(super) microseconds: Option<f64>,
}

/// One launch of a kernel, on average.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct LaunchCounters {
    /// All accesses together.
    #[serde(flatten)]
    pub(super) all: Counters,
    /// Time at peak rate for arithmetic, if the device's file says how fast that is.
    pub(super) arithmetic_microseconds: Option<f64>,
    /// Each access, in the order of the kernel.
    pub(super) accesses: Vec<Counters>,
}

impl Counters {
    /// Sectors of a request; none where there are no requests.
    pub(super) fn sectors_per_request(&self) -> Option<f64> {
        (self.requests > 0.0).then(|| self.sectors / self.requests)
    }

    /// As many as the bytes of a request would fill.
    pub(super) fn ideal_per_request(&self) -> Option<f64> {
        (self.requests > 0.0).then(|| self.ideal_sectors / self.requests)
    }

    /// Sectors beyond the ideal ones.
    pub(super) fn excess_sectors(&self) -> f64 {
        (self.sectors - self.ideal_sectors).max(0.0)
    }
}

impl LaunchCounters {
    /// By a price of today's caches; `None` for other models.
    pub(super) fn new(
        code: &KernelCode,
        price: &KernelPrice,
        device: &Device,
    ) -> Option<LaunchCounters> {
        if price.model != Model::Sectors {
            return None;
        }
        let sector = SectorDevice::new(device).ok()?.sector as f64;
        let launches = launches(code).max(1.0);
        let levels = |traffic: &Traffic| level_seconds(traffic, device).ok();
        // The level that the kernel waits for: the times of its accesses add up to its own.
        let longest = levels(&price.traffic).map_or(0, |all| {
            (0..all.len()).max_by(|a, b| all[*a].total_cmp(&all[*b])).unwrap_or(0)
        });
        let counters = |traffic: &Traffic| Counters {
            requests: traffic.instructions / launches,
            sectors: traffic.requested / launches,
            ideal_sectors: traffic.ideal / launches,
            l2_bytes: traffic.l2 * sector / launches,
            dram_bytes: traffic.dram * sector / launches,
            microseconds: levels(traffic).map(|all| all[longest] * 1e6 / launches),
        };
        let arithmetic = seconds(code, price, device).ok().and_then(|found| found.arithmetic);
        Some(LaunchCounters {
            all: counters(&price.traffic),
            arithmetic_microseconds: arithmetic.map(|all| all * 1e6 / launches),
            accesses: price.accesses.iter().map(|access| counters(&access.traffic)).collect(),
        })
    }
}

/// How often a kernel is launched, loops of unknown length taken at [`DYNAMIC_TRIPS`].
pub(super) fn launches(code: &KernelCode) -> f64 {
    let trips = |trips: &Trips| match trips {
        Trips::Known(trips) => (*trips).max(1),
        Trips::Dynamic => DYNAMIC_TRIPS,
        Trips::Steps(by) => DYNAMIC_TRIPS.div_ceil((*by).max(1)),
    };
    code.repeats.iter().map(|own| trips(own) as f64).product()
}

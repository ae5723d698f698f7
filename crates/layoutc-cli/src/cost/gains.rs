//! What a layout can gain in a kernel, and after how many launches it has paid for its copies.

use super::counters::launches;
use super::table::ArrayShown;
use layoutc_analysis::cost::price::{KernelPrice, Model};
use layoutc_analysis::cost::verdict::{NoGain, launches_that_pay, verdict};
use layoutc_analysis::cost_model::Kernel;
use layoutc_analysis::device::Device;
use serde::Serialize;

/// A kernel in a layout, against the source's.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Gain {
    /// How many times faster the kernel becomes at most.
    pub(super) ceiling: f64,
    /// The part of its time that memory takes, from 0 to 1.
    pub(super) memory_share: f64,
    /// Why it gains nothing, if so.
    pub(super) no_gain: Option<NoGain>,
    /// After how many launches it has paid for one conversion of the arrays at a copy; none: never.
    pub(super) launches_that_pay: Option<f64>,
}

impl Gain {
    /// By prices of the caches of today; `None` for other models, and where the device's file does not say how fast
    /// its memory is.
    pub(super) fn new(
        kernel: &Kernel,
        arrays: &[ArrayShown],
        [before, after]: [&KernelPrice; 2],
        device: &Device,
        model: Model,
    ) -> Option<Gain> {
        if model != Model::Sectors {
            return None;
        }
        let code = &kernel.code;
        let found = verdict(code, before, after, device).ok()?;
        // An array of unknown length has an element for each thread.
        let threads = code.blocks * code.block.iter().product::<u64>();
        let bytes = arrays.iter().map(|own| own.bytes * own.elements.unwrap_or(threads)).sum();
        let launches = launches(code);
        Some(Gain {
            ceiling: found.ceiling,
            memory_share: found.memory_share,
            no_gain: found.no_gain,
            launches_that_pay: launches_that_pay(bytes, &found, launches, device).ok()?,
        })
    }

    /// In a line.
    pub(super) fn text(&self) -> String {
        let share = format!("memory takes {:.0} % of its time", self.memory_share * 100.0);
        match (self.no_gain, self.launches_that_pay) {
            (Some(why), _) => format!("no gain: {why}"),
            (None, Some(1.0)) => {
                format!(
                    "up to {:.1} times as fast ({share}); one launch pays for a converted copy",
                    self.ceiling
                )
            }
            (None, Some(launches)) => format!(
                "up to {:.1} times as fast ({share}); {launches:.0} launches pay for a converted copy",
                self.ceiling
            ),
            (None, None) => format!("up to {:.1} times as fast ({share})", self.ceiling),
        }
    }
}

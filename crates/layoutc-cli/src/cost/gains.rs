//! What a layout can gain in a kernel, and after how many launches it has paid for its copies.

use super::counters::launches;
use super::table::ArrayShown;
use super::text::units;
use layoutc_analysis::cost::conversion::launches_that_pay;
use layoutc_analysis::cost::price::{KernelPrice, Model};
use layoutc_analysis::cost::verdict::{NoGain, verdict};
use layoutc_analysis::cost_model::Kernel;
use layoutc_analysis::device::Device;
use serde::Serialize;

/// A kernel in a layout, against the source's.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Gain {
    /// How many times as fast the kernel becomes.
    pub(super) speedup: f64,
    /// Estimated microseconds of a launch in the source's layout, memory and arithmetic together.
    pub(super) before_microseconds: f64,
    /// In the layout.
    pub(super) after_microseconds: f64,
    /// Why it gains nothing, if so.
    pub(super) no_gain: Option<NoGain>,
    /// After how many launches it has paid for one conversion of the arrays at a copy; none: never.
    pub(super) launches_that_pay: Option<f64>,
    /// All that in a line.
    pub(super) text: String,
    #[serde(skip)]
    launches: f64,
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
        let mut gain = Gain {
            speedup: found.speedup,
            before_microseconds: found.before * 1e6 / launches.max(1.0),
            after_microseconds: found.after * 1e6 / launches.max(1.0),
            no_gain: found.no_gain,
            launches_that_pay: launches_that_pay((bytes, arrays.len()), &found, launches, device)
                .ok()?,
            text: String::new(),
            launches: launches.max(1.0),
        };
        gain.text = gain.line();
        Some(gain)
    }

    /// Estimated microseconds of all launches, before and after.
    pub(super) fn all_launches(&self) -> [f64; 2] {
        [self.before_microseconds, self.after_microseconds].map(|one| one * self.launches)
    }

    fn line(&self) -> String {
        let [before, after] = [self.before_microseconds, self.after_microseconds].map(units::time);
        let times = match before == after {
            true => format!("a launch takes est. {before}"),
            false => format!("a launch takes est. {after} instead of {before}"),
        };
        match (self.no_gain, self.launches_that_pay) {
            (Some(why), _) => format!("no gain: {why}; {times}"),
            (None, Some(1.0)) => format!(
                "{:.1} times as fast: {times}; one launch saves what a converted copy costs extra",
                self.speedup
            ),
            (None, Some(launches)) => format!(
                "{:.1} times as fast: {times}; {launches:.0} launches save what one converted copy costs extra",
                self.speedup
            ),
            (None, None) => format!("{:.1} times as fast: {times}", self.speedup),
        }
    }
}

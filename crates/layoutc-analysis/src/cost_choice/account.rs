//! What a layout saves in kernels, against what it costs at copies between host and device.

use super::{Prices, WORTH};
use crate::cost::arrangement::Arrangement;
use crate::cost::conversion::{
    Conversion, Rearranged, Rearranging, assumed_runs, elements_of, runs,
};
use crate::cost::kernel::{ArrayId, KernelCode, Trips};
use crate::cost::verdict::expected_seconds;
use crate::cost::{CostError, Model, price};
use crate::cost_model::CostModel;
use crate::device::Device;
use layoutc_dataflow::layout::{Layout, RecordShape};

/// Loops of unknown length are not expected to run more often.
const MOST_RUNS: f64 = 1e6;

/// Saved and paid over a whole run of the program.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Balance {
    /// What kernels cost in the source's layout, in the units of the model.
    pub before: f64,
    /// What they cost in the new one.
    pub after: f64,
    /// Seconds that kernels save.
    pub saved: f64,
    /// What rearranging records at copies costs.
    pub rearranging: Rearranging,
}

impl Balance {
    /// Kernels and copies together, as a part of what the source's layout costs.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        (self.after + self.rearranging.cost) / self.before.max(f64::MIN_POSITIVE)
    }

    /// Whether the layout is worth a change.
    #[must_use]
    pub fn pays(&self) -> bool {
        self.ratio() <= WORTH && self.saved >= self.rearranging.seconds
    }
}

/// A kernel before and after.
struct KernelAccount<'a> {
    repeats: &'a [Trips],
    /// Of one launch: costs before and after, and seconds saved.
    before: f64,
    after: f64,
    saved: f64,
}

/// The account of a change of layouts.
pub(crate) struct Account<'a> {
    model: &'a CostModel,
    device: &'a Device,
    kernels: Vec<KernelAccount<'a>>,
    conversions: Vec<(&'a Conversion, Rearranged)>,
}

impl<'a> Account<'a> {
    /// That of an array whose kernels are given.
    ///
    /// # Errors
    /// [`CostError`].
    pub(super) fn of_array(
        prices: &Prices<'a>,
        array: ArrayId,
        shape: &RecordShape,
        kernels: &'a [KernelCode],
        layout: &Layout,
    ) -> Result<Account<'a>, CostError> {
        let mut before = prices.others(array);
        let mut after = before.clone();
        before.insert(array, shape, &Layout::aos(shape));
        after.insert(array, shape, layout);
        let known = prices.model.arrays[array.0 as usize].elements;
        let rearranged = Rearranged::new(shape, layout, elements_of(array, known, kernels));
        let rearranged: Vec<_> = rearranged.map(|own| (array, own)).into_iter().collect();
        Account::new(prices, kernels, [&before, &after], &rearranged)
    }

    /// That of kernels, and of the arrays that copies rearrange.
    ///
    /// # Errors
    /// [`CostError`].
    pub(crate) fn new(
        prices: &Prices<'a>,
        kernels: &'a [KernelCode],
        [before, after]: [&Arrangement; 2],
        arrays: &[(ArrayId, Rearranged)],
    ) -> Result<Account<'a>, CostError> {
        let Prices { model, device, pricing } = *prices;
        let account = |code: &'a KernelCode| {
            let old = price(code, before, device, pricing)?;
            let new = price(code, after, device, pricing)?;
            let time = |price| expected_seconds(code, price, device);
            // Only this model knows what goes through which level.
            let saved = match pricing {
                Model::Sectors => time(&old)? - time(&new)?,
                Model::Peng => 0.0,
            };
            let launches = runs(&code.repeats, assumed_runs());
            Ok(KernelAccount {
                repeats: &code.repeats,
                before: old.total.sum() / launches,
                after: new.total.sum() / launches,
                saved: saved / launches,
            })
        };
        let accounts: Result<Vec<_>, CostError> = kernels.iter().map(account).collect();
        let conversions = model.conversions.iter().filter_map(|own| {
            let (_, rearranged) = arrays.iter().find(|(array, _)| *array == own.array)?;
            Some((own, *rearranged))
        });
        Ok(Account { model, device, kernels: accounts?, conversions: conversions.collect() })
    }

    /// Whether nothing is rearranged anywhere.
    pub(crate) fn has_no_copies(&self) -> bool {
        self.conversions.is_empty()
    }

    /// The balance if loops of the host of unknown length run so often.
    ///
    /// # Errors
    /// [`CostError`].
    pub(crate) fn balance(&self, unknown: f64) -> Result<Balance, CostError> {
        let mut rearranging = Rearranging::default();
        for (conversion, array) in &self.conversions {
            rearranging += array.cost(conversion, unknown, self.device)?;
        }
        let mut all = Balance { before: 0.0, after: 0.0, saved: 0.0, rearranging };
        for kernel in &self.kernels {
            let launches = runs(kernel.repeats, unknown);
            all.before += launches * kernel.before;
            all.after += launches * kernel.after;
            all.saved += launches * kernel.saved;
        }
        Ok(all)
    }

    /// How often loops of the host of unknown length run: as a recorded run had it, or as is assumed.
    pub(crate) fn expected_runs(&self) -> f64 {
        self.model.recorded_runs.unwrap_or_else(assumed_runs)
    }

    /// How often loops of unknown length must run at least for the layout to pay; `None`: it never does, or there is none.
    ///
    /// # Errors
    /// [`CostError`].
    pub(super) fn least_runs(&self) -> Result<Option<u64>, CostError> {
        let is_unknown = |trips: &Trips| !matches!(trips, Trips::Known(_));
        if !self.kernels.iter().any(|kernel| kernel.repeats.iter().any(is_unknown)) {
            return Ok(None);
        }
        let mut most = 1.0;
        while !self.balance(most)?.pays() {
            if most >= MOST_RUNS {
                return Ok(None);
            }
            most *= 2.0;
        }
        let mut least = most / 2.0;
        while most - least > 1.0 {
            let middle = ((least + most) / 2.0).floor();
            if self.balance(middle)?.pays() {
                most = middle;
            } else {
                least = middle;
            }
        }
        Ok(Some(most as u64))
    }

    /// How many times as many launches would pay for the copies; `None`: no number does.
    ///
    /// # Errors
    /// [`CostError`].
    pub(super) fn launches_that_pay(&self) -> Result<Option<f64>, CostError> {
        let now = self.balance(self.expected_runs())?;
        let left = WORTH * now.before - now.after;
        if now.saved <= 0.0 || left <= 0.0 {
            return Ok(None);
        }
        let times = (now.rearranging.seconds / now.saved).max(now.rearranging.cost / left);
        Ok(Some(times.ceil().max(2.0)))
    }
}

/// `3.1 µs`, `12 ms`: two digits.
pub(super) fn duration(seconds: f64) -> String {
    let units = [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")];
    let (unit, name) = units.into_iter().find(|(unit, _)| seconds >= *unit).unwrap_or((1e-9, "ns"));
    let amount = seconds / unit;
    if amount < 9.95 { format!("{amount:.1} {name}") } else { format!("{amount:.0} {name}") }
}

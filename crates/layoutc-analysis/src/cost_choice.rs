//! The layout that costs least, and whether it is worth a change.

mod account;

pub use account::Balance;

use crate::cost::arrangement::Arrangement;
use crate::cost::kernel::{ArrayId, KernelCode, Lanes, LoopId};
use crate::cost::search::{Best, Effort, Problem, best_layout, price_layout};
use crate::cost::sectors::SectorDevice;
use crate::cost::{CostError, CostVector, Model, price};
use crate::cost_model::{ArraySource, CostModel};
use crate::device::Device;
pub(crate) use account::Account;
use account::duration;
use layoutc_dataflow::classes::ClassId;
use layoutc_dataflow::layout::{Bytes, Layout, Leaf, LeafId, RecordShape};
use std::collections::BTreeMap;

/// Elements of a tile at least: one for each lane of a warp.
pub(crate) const TILE: u64 = 32;
/// Layouts that cost more than this part of the source's are not worth a change.
pub(crate) const WORTH: f64 = 0.95;

/// Layouts of a class that are priced in full: so many that most searches come to their end, and builds do
/// not wait for the rest.
pub(crate) const PRICED: usize = 200;
/// A layout of one group, which people read at a glance, is chosen if it costs at most this much more
/// than the best.
const SIMPLE: f64 = 1.05;

/// How layouts are chosen.
#[derive(Clone, Copy, Debug)]
pub struct Prices<'a> {
    /// What kernels access.
    pub model: &'a CostModel,
    /// The device.
    pub device: &'a Device,
    /// How accesses are priced.
    pub pricing: Model,
}

/// What becomes of a class.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// It gets this layout.
    Change {
        /// The layout.
        layout: Layout,
        /// What it gains, in a clause.
        because: String,
    },
    /// It stays.
    Stay {
        /// Why, in a clause.
        because: String,
    },
}

/// What copies between host and device mean for a layout.
enum Copies {
    /// They are paid for; what that depends on, as the end of a clause.
    Pay(String),
    /// They cost more than is saved; how much, as a clause.
    Cost(String),
}

impl Prices<'_> {
    /// What a class of arrays of records gets while all other arrays are as in the source.
    #[must_use]
    pub fn verdict(&self, class: ClassId) -> Verdict {
        let stay = |because: &str| Verdict::Stay { because: because.to_owned() };
        let found =
            self.model.arrays.iter().position(|info| info.source == ArraySource::Class(class));
        let Some(at) = found else {
            return stay("it is not known how its members can be laid out apart");
        };
        let array = ArrayId(at as u32);
        let shape = &self.model.arrays[at].shape;
        let scalars: u64 = shape.leaves.iter().map(Leaf::scalars).sum();
        if scalars < 2 {
            // A vector, or an array of structs in the element, is as wide as several scalars.
            let is_scalar = shape
                .leaves
                .iter()
                .all(|leaf| leaf.scalar_size == leaf.align && leaf.scalar_size.0 <= 8);
            return stay(match is_scalar {
                true => "a record of one scalar has one layout only",
                false => "its one member is stored as a whole, which leaves one layout only",
            });
        }
        let kernels = self.kernels_of(array);
        if kernels.is_empty() {
            return stay(no_access(self.model, class));
        }
        let mut own = kernels.iter().flat_map(|code| &code.accesses);
        let is_uniform = own.all(|access| {
            let is_one =
                matches!(access.index.lanes, Lanes::Single | Lanes::Affine([ZERO, ZERO, ZERO]));
            access.array != array || is_one
        });
        if is_uniform {
            return stay(match self.model.guessed.contains(&array) {
                false => "all threads of a block access the same element",
                true => "it is not known which elements neighbouring threads access",
            });
        }
        match self.search(array, shape, &kernels) {
            Ok(best) => self.judge(array, shape, &kernels, &best),
            Err(error) => stay(&format!("it has no price: {error}")),
        }
    }

    /// All arrays but one, as in the source.
    fn others(&self, array: ArrayId) -> Arrangement {
        let mut arrangement = Arrangement::default();
        for (info, at) in self.model.arrays.iter().zip(0..) {
            if ArrayId(at) != array {
                arrangement.insert(ArrayId(at), &info.shape, &Layout::aos(&info.shape));
            }
        }
        arrangement
    }

    fn search(
        &self,
        array: ArrayId,
        shape: &RecordShape,
        kernels: &[KernelCode],
    ) -> Result<Best, CostError> {
        let owners: Vec<(ArrayId, LeafId)> = shape.leaf_ids().map(|leaf| (array, leaf)).collect();
        let tile = tile_of(self.device, shape.leaves.iter());
        let problem = Problem {
            shape,
            owners: &owners,
            kernels,
            others: &self.others(array),
            device: self.device,
            model: self.pricing,
            tile,
        };
        let mut best = best_layout(&problem, Effort { priced: PRICED })?;
        if best.layout.groups().len() > 1 {
            let aligned = [16, 8].map(|align| Layout::aos_aligned(shape, Bytes(align)));
            for layout in [Layout::tiled(shape, tile, None)].into_iter().chain(aligned).flatten() {
                let cost = price_layout(&problem, &layout)?;
                if ratio(&cost, &best.cost) <= SIMPLE {
                    best = Best { layout, cost, ..best };
                    break;
                }
            }
        }
        Ok(best)
    }

    fn judge(
        &self,
        array: ArrayId,
        shape: &RecordShape,
        kernels: &[KernelCode],
        best: &Best,
    ) -> Verdict {
        let how = format!("model `{}`, {}", self.pricing, self.device.name);
        let ratio = ratio(&best.cost, &best.source);
        if best.layout.is_identity(shape) {
            return Verdict::Stay { because: format!("no layout costs less ({how})") };
        }
        if ratio > WORTH {
            let layout = best.layout.display(shape);
            let because = format!(
                "the best other layout, `{layout}`, costs {} of what the source's layout costs ({how})",
                percent(ratio)
            );
            return Verdict::Stay { because };
        }
        let copies = match self.copies(array, shape, kernels, &best.layout) {
            Ok(Copies::Pay(note)) => note,
            Ok(Copies::Cost(why)) => {
                let layout = best.layout.display(shape);
                return Verdict::Stay { because: format!("the best, `{layout}`, {why} ({how})") };
            }
            Err(error) => return Verdict::Stay { because: format!("it has no price: {error}") },
        };
        let gain = self.greatest(array, shape, kernels, &best.layout).ok().flatten();
        let example = gain.map(|Example { kernel, scope, before, after }| {
            let place = if scope.is_some() { "in one trip of a loop of" } else { "in" };
            let unit = match self.pricing {
                Model::Sectors => "sectors",
                Model::Peng => "transactions",
            };
            format!("; {place} `{}` a warp touches {after} {unit} instead of {before}", kernel.name)
        });
        Verdict::Change {
            layout: best.layout.clone(),
            because: format!(
                "memory accesses cost {} of what they did ({how}){}{copies}",
                percent(ratio),
                example.unwrap_or_default()
            ),
        }
    }

    /// What a layout of an array saves in kernels and costs at copies between host and device; `None`: no copy rearranges
    /// its records.
    ///
    /// # Errors
    /// [`CostError`].
    pub fn balance(&self, array: ArrayId, layout: &Layout) -> Result<Option<Balance>, CostError> {
        let shape = &self.model.arrays[array.0 as usize].shape;
        let kernels = self.kernels_of(array);
        let account = Account::of_array(self, array, shape, &kernels, layout)?;
        if account.has_no_copies() || layout.is_identity(shape) {
            return Ok(None);
        }
        account.balance(account.expected_runs()).map(Some)
    }

    /// The kernels that access an array.
    fn kernels_of(&self, array: ArrayId) -> Vec<KernelCode> {
        let kernels = self.model.kernels.iter().map(|kernel| &kernel.code);
        let own = |code: &&KernelCode| code.accesses.iter().any(|access| access.array == array);
        kernels.filter(own).cloned().collect()
    }

    /// Whether what kernels save pays for what is rearranged at copies between host and device.
    fn copies(
        &self,
        array: ArrayId,
        shape: &RecordShape,
        kernels: &[KernelCode],
        layout: &Layout,
    ) -> Result<Copies, CostError> {
        // The paper's model has neither copies nor seconds.
        if self.pricing == Model::Peng {
            return Ok(Copies::Pay(String::new()));
        }
        let account = Account::of_array(self, array, shape, kernels, layout)?;
        if account.has_no_copies() {
            return Ok(Copies::Pay(String::new()));
        }
        let balance = account.balance(account.expected_runs())?;
        let least = account.least_runs()?;
        if balance.pays() {
            return Ok(Copies::Pay(match least.filter(|least| *least > 1) {
                Some(least) => {
                    format!(
                        "; the conversions at copies pay off if the host loops around the kernels run at least {least} times"
                    )
                }
                None => String::new(),
            }));
        }
        if balance.saved <= 0.0 {
            return Ok(Copies::Cost(
                "saves no time in kernels and costs some at copies".to_owned(),
            ));
        }
        let saved = duration(balance.saved);
        let paid = duration(balance.rearranging.seconds);
        let pays = match (least, account.launches_that_pay()?) {
            (Some(least), _) => format!(
                "; it would pay if the host's loops around its kernels, counted as {:.0} runs, ran at least {least} times",
                account.expected_runs()
            ),
            (None, Some(times)) => {
                format!("; it would pay with {times:.0} times as many launches per copy")
            }
            (None, None) => String::new(),
        };
        Ok(Copies::Cost(format!(
            "saves {saved} in kernels but converting the structs at copies costs {paid}{pays}"
        )))
    }

    /// The loop of a kernel, or the kernel outside of its loops, in which the array's accesses gain most, and what they ask
    /// a warp for together, before and after: one load may bring what several accesses read.
    fn greatest<'k>(
        &self,
        array: ArrayId,
        shape: &RecordShape,
        kernels: &'k [KernelCode],
        layout: &Layout,
    ) -> Result<Option<Example<'k>>, CostError> {
        let mut before = self.others(array);
        let mut after = before.clone();
        before.insert(array, shape, &Layout::aos(shape));
        after.insert(array, shape, layout);
        let mut greatest: Option<(f64, Example<'k>)> = None;
        for code in kernels {
            let old = price(code, &before, self.device, self.pricing)?;
            let new = price(code, &after, self.device, self.pricing)?;
            // Saved, asked for before, and after.
            let mut scopes: BTreeMap<Option<LoopId>, (f64, f64, f64)> = BTreeMap::new();
            let prices = old.accesses.iter().zip(&new.accesses).zip(&code.accesses);
            for ((old, new), access) in prices.filter(|(_, access)| access.array == array) {
                let sum = scopes.entry(access.scope).or_default();
                sum.0 += old.total.sum() - new.total.sum();
                sum.1 += old.transactions;
                sum.2 += new.transactions;
            }
            for (scope, (saved, before, after)) in scopes {
                let (before, after) = (before.round() as u64, after.round() as u64);
                if after < before && greatest.as_ref().is_none_or(|(most, _)| saved > *most) {
                    greatest = Some((saved, Example { kernel: code, scope, before, after }));
                }
            }
        }
        Ok(greatest.map(|(_, example)| example))
    }
}

/// What the accesses in a loop of a kernel, or outside of its loops, ask a warp for together.
struct Example<'k> {
    kernel: &'k KernelCode,
    scope: Option<LoopId>,
    before: u64,
    after: u64,
}

/// Elements of a tile: so many that each member fills what the device fetches at once.
pub(crate) fn tile_of<'l>(device: &Device, leaves: impl Iterator<Item = &'l Leaf>) -> u64 {
    let fetched = SectorDevice::new(device).map_or(0, |device| device.sector);
    let least = leaves.map(|leaf| leaf.scalar_size.0).min().unwrap_or(1).max(1);
    TILE.max((fetched / least).next_power_of_two())
}

/// Why there is nothing to price.
pub(crate) fn no_access(model: &CostModel, class: ClassId) -> &'static str {
    match model.on_device.contains(&class) {
        false => "no kernel accesses its elements",
        true => "it is not known how kernels access its elements",
    }
}

const ZERO: crate::cost::kernel::Factor = crate::cost::kernel::Factor::Number(0);

/// One cost as a part of another: what runs in the deepest loops of unknown length counts; where that is
/// about the same, all does.
pub(crate) fn ratio(cost: &CostVector, other: &CostVector) -> f64 {
    let innermost = cost.ratio(other);
    let is_close = (WORTH..=SIMPLE).contains(&innermost);
    if is_close { cost.sum() / other.sum() } else { innermost }
}

pub(crate) fn percent(ratio: f64) -> String {
    format!("{:.0} %", ratio * 100.0)
}

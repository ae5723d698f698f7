//! What kernels cost before and after a run of the compiler.

use super::counters::launches;
use super::gains::Gain;
use super::table::ArrayShown;
use crate::arguments::ProgramArguments;
use crate::compile::Success;
use layoutc_analysis::cost::arrangement::Arrangement;
use layoutc_analysis::cost::kernel::ArrayId;
use layoutc_analysis::cost::price;
use layoutc_analysis::cost::price::{KernelPrice, Model};
use layoutc_analysis::cost_model::{ArraySource, Kernel};
use layoutc_dataflow::layout::Layout;
use layoutc_driver::{ClassOutcome, Status};
use serde::Serialize;
use std::collections::BTreeSet;

/// A kernel that accesses an array that changes.
#[derive(Serialize)]
pub struct KernelChange {
    /// The kernel.
    pub name: String,
    /// The types of the arrays.
    pub arrays: Vec<String>,
    /// What all accesses ask for in one launch: sectors of 32 bytes, or transactions by Peng et al.
    #[serde(rename = "sectors")]
    pub requests: [f64; 2],
    /// Sectors of a warp's request, where the model has them.
    pub sectors_per_request: Option<[f64; 2]>,
    /// What the kernel costs against the source.
    pub ratio: f64,
    /// What it gains at most, and after how many launches a conversion has paid for itself.
    pub gain: Option<String>,
}

impl KernelChange {
    /// What a request takes, in words: `4 sectors a request instead of 28`.
    pub fn request(&self) -> Option<String> {
        let number = |value: f64| match (value * 10.0).round() / 10.0 {
            value if value.fract() == 0.0 => format!("{value:.0}"),
            value => format!("{value:.1}"),
        };
        let [before, after] = self.sectors_per_request?.map(number);
        let unit = if after == "1" { "sector" } else { "sectors" };
        Some(match before == after {
            true => format!("{after} {unit} a request, as before"),
            false => format!("{after} {unit} a request instead of {before}"),
        })
    }
}

/// The kernels of a program whose costs are known before and after, and the names of those where they are not.
pub fn kernel_changes(
    success: &Success,
    program: &ProgramArguments,
) -> (Vec<KernelChange>, Vec<String>) {
    let model = &success.compiled.cost_model;
    let [mut before, mut after] = [Arrangement::default(), Arrangement::default()];
    let mut changed: BTreeSet<ArrayId> = BTreeSet::new();
    for (info, at) in model.arrays.iter().zip(0..) {
        let array = ArrayId(at);
        let source = Layout::aos(&info.shape);
        before.insert(array, &info.shape, &source);
        let outcome = outcome_of(success, info.source, &info.names);
        match outcome.filter(|class| class.status == Status::Changed) {
            None => after.insert(array, &info.shape, &source),
            Some(class) => {
                changed.insert(array);
                // Cells of grids and arrays that lie together have no place that is known here.
                if let Some((_, layout)) =
                    class.geometry.as_ref().filter(|(shape, _)| *shape == info.shape)
                {
                    after.insert(array, &info.shape, layout);
                }
            }
        }
    }
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    for kernel in &model.kernels {
        let own: BTreeSet<ArrayId> = (kernel.code.accesses.iter().map(|access| access.array))
            .filter(|array| changed.contains(array))
            .collect();
        if own.is_empty() {
            continue;
        }
        let cost = |places| price(&kernel.code, places, &program.device, program.model).ok();
        match cost(&before).zip(cost(&after)) {
            Some((before, after)) => {
                known.push(change(success, program, kernel, &own, [&before, &after]));
            }
            None => unknown.push(kernel.code.name.clone()),
        }
    }
    (known, unknown)
}

/// What became of an array of the model.
pub(super) fn outcome_of<'a>(
    success: &'a Success,
    source: ArraySource,
    names: &[String],
) -> Option<&'a ClassOutcome> {
    let compiled = &success.compiled;
    match source {
        ArraySource::Class(class) => compiled.classes.get(class.index()),
        // Arrays of numbers come behind those of structs.
        ArraySource::Plain => {
            let mut own = (compiled.classes.iter())
                .skip(compiled.record_classes.classes.len())
                .filter(|class| class.names.iter().any(|name| names.contains(name)));
            // An array that stays as a grid may be put together with others.
            let first = own.next()?;
            let is_changed = |class: &&ClassOutcome| class.status == Status::Changed;
            Some([first].into_iter().chain(own).find(is_changed).unwrap_or(first))
        }
    }
}

fn change(
    success: &Success,
    program: &ProgramArguments,
    kernel: &Kernel,
    own: &BTreeSet<ArrayId>,
    prices: [&KernelPrice; 2],
) -> KernelChange {
    let infos = own.iter().map(|array| &success.compiled.cost_model.arrays[array.0 as usize]);
    let shown: Vec<ArrayShown> = infos
        .map(|info| ArrayShown {
            name: info.name.clone(),
            names: info.names.clone(),
            bytes: info.shape.size.0,
            elements: info.elements,
        })
        .collect();
    let launches = launches(&kernel.code).max(1.0);
    let requests = |price: &KernelPrice| match program.model {
        Model::Sectors => price.traffic.requested / launches,
        Model::Peng => {
            let of_warp = price.accesses.iter().map(|own| own.transactions * own.executions);
            of_warp.sum::<f64>() * price.warps as f64
        }
    };
    let of_request = |price: &KernelPrice| price.traffic.requested / price.traffic.instructions;
    let sectors = prices.map(of_request);
    let gain = Gain::new(kernel, &shown, prices, &program.device, program.model);
    let mut arrays: Vec<String> = shown.into_iter().map(|array| array.name).collect();
    arrays.dedup();
    KernelChange {
        name: kernel.code.name.clone(),
        arrays,
        requests: prices.map(requests),
        sectors_per_request: sectors.iter().all(|own| own.is_finite()).then_some(sectors),
        ratio: prices[1].total.ratio(&prices[0].total),
        gain: gain.map(|gain| gain.text),
    }
}

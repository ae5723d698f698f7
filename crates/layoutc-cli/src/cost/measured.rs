//! What Nsight Compute measured, beside what is predicted.

use super::Pricing;
use super::counters::{Counters, LaunchCounters};
use super::ncu::Launch;
use super::simulate::base_name;
use cpp_demangle::{DemangleOptions, Symbol};
use layoutc_analysis::cost::kernel::{AccessKind, ArrayId};
use layoutc_analysis::cost::price::{CostError, Model};
use layoutc_analysis::cost_model::Kernel;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A report of Nsight Compute against the program.
#[derive(Serialize)]
pub(super) struct Measured {
    /// The kernels of both, in the order of the program.
    pub(super) kernels: Vec<MeasuredKernel>,
    /// Kernels of the report that the program does not have, and their launches.
    pub(super) only_measured: Vec<(String, usize)>,
    /// Kernels of the program that the report does not have.
    pub(super) only_predicted: Vec<String>,
}

/// A kernel that was measured.
#[derive(Serialize)]
pub(super) struct MeasuredKernel {
    pub(super) name: String,
    /// How many launches the measured values are means of.
    pub(super) launches: usize,
    /// Means of the report: blocks, and threads of a block.
    pub(super) blocks: Option<f64>,
    pub(super) threads: Option<f64>,
    /// What the prediction is for.
    pub(super) predicted_blocks: u64,
    pub(super) predicted_threads: u64,
    /// Whether the program gives them by constants.
    pub(super) is_shape_known: bool,
    /// How many kernels of the program have this name.
    pub(super) namesakes: usize,
    pub(super) quantities: Vec<Quantity>,
}

/// A quantity of a launch.
#[derive(Serialize)]
pub(super) struct Quantity {
    pub(super) name: &'static str,
    pub(super) unit: Unit,
    /// With the source's layouts.
    pub(super) source: Option<f64>,
    /// With the layouts that `transform` chooses, if all of them have a price.
    pub(super) chosen: Option<f64>,
    /// The mean of the launches.
    pub(super) measured: f64,
}

/// In what a quantity is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Unit {
    /// Requests or sectors.
    Count,
    /// Sectors of a request.
    Ratio,
    /// Percent.
    Percent,
    /// Bytes.
    Bytes,
    /// Microseconds.
    Microseconds,
}

/// Why nothing is compared.
pub(super) enum MeasuredError {
    /// Transactions by Peng et al. are not what is measured.
    Model,
    /// A kernel has no price.
    Price(CostError),
    /// No kernel of the report is one of the program.
    NoKernel(Vec<String>, Vec<String>),
}

impl fmt::Display for MeasuredError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MeasuredError::Model => write!(out, "--ncu needs `--model sectors`"),
            MeasuredError::Price(error) => error.fmt(out),
            MeasuredError::NoKernel(report, program) => write!(
                out,
                "--ncu: no kernel of the report is one of the program\n  the report has {}\n  the program has {}",
                report.join(", "),
                program.join(", ")
            ),
        }
    }
}

/// Loads or stores of a launch.
#[derive(Clone, Copy, Default)]
struct Predicted {
    loads: Counters,
    stores: Counters,
    all: Counters,
    arithmetic: Option<f64>,
}

impl Pricing<'_> {
    /// Compares a report with the predictions for the program's kernels.
    pub(super) fn measured(&self, report: &[Launch]) -> Result<Measured, MeasuredError> {
        if self.arguments.program.model != Model::Sectors {
            return Err(MeasuredError::Model);
        }
        let mut by_name: BTreeMap<String, Vec<&Launch>> = BTreeMap::new();
        for launch in report {
            by_name.entry(kernel_name(&launch.kernel)).or_default().push(launch);
        }
        let own: BTreeSet<ArrayId> = self.arrays().map(|(array, _)| array).collect();
        let source = self.column(&[], &mut own.clone(), &mut Vec::new());
        let chosen = self.chosen_column(&self.chosen(&own), &mut own.clone());
        let predict = |kernel: &Kernel, arrangement| -> Result<Option<Predicted>, MeasuredError> {
            let price = self.price(&kernel.code, arrangement).map_err(MeasuredError::Price)?;
            let device = &self.arguments.program.device;
            let launch = LaunchCounters::new(&kernel.code, &price, device);
            Ok(launch.map(|launch| Predicted::new(kernel, &launch)))
        };
        let (mut kernels, mut only_predicted, mut met) = (Vec::new(), Vec::new(), BTreeSet::new());
        for kernel in &self.kernels {
            let name = base_name(&kernel.code.name);
            let Some(launches) = by_name.get(name) else {
                only_predicted.push(kernel.code.name.clone());
                continue;
            };
            met.insert(name);
            let before = predict(kernel, &source.arrangement)?;
            let after = match &chosen {
                Some(column) => predict(kernel, &column.arrangement)?,
                None => None,
            };
            let namesakes = self.kernels.iter();
            let namesakes = namesakes.filter(|own| base_name(&own.code.name) == name).count();
            kernels.push(MeasuredKernel {
                name: kernel.code.name.clone(),
                launches: launches.len(),
                blocks: mean(launches.iter().map(|launch| launch.blocks.map(|n| n as f64))),
                threads: mean(launches.iter().map(|launch| launch.threads.map(|n| n as f64))),
                predicted_blocks: kernel.code.blocks,
                predicted_threads: kernel.code.block.iter().product(),
                is_shape_known: kernel.has_block && kernel.has_blocks,
                namesakes,
                quantities: quantities(launches, before, after),
            });
        }
        let others = by_name.iter().filter(|(name, _)| !met.contains(name.as_str()));
        let only_measured: Vec<(String, usize)> =
            others.map(|(name, launches)| (name.clone(), launches.len())).collect();
        if kernels.is_empty() {
            let report = only_measured.into_iter().map(|(name, _)| name).collect();
            return Err(MeasuredError::NoKernel(report, only_predicted));
        }
        Ok(Measured { kernels, only_measured, only_predicted })
    }
}

impl Predicted {
    fn new(kernel: &Kernel, launch: &LaunchCounters) -> Predicted {
        let mut found = Predicted {
            all: launch.all,
            arithmetic: launch.arithmetic_microseconds,
            ..Predicted::default()
        };
        for (access, counters) in kernel.code.accesses.iter().zip(&launch.accesses) {
            let sum = match access.kind {
                AccessKind::Read => &mut found.loads,
                AccessKind::Write => &mut found.stores,
                AccessKind::Atomic => continue,
            };
            sum.requests += counters.requests;
            sum.sectors += counters.sectors;
            sum.ideal_sectors += counters.ideal_sectors;
        }
        found
    }

    /// The longer one of memory and arithmetic: no launch is faster.
    fn microseconds(&self) -> Option<f64> {
        let memory = self.all.microseconds?;
        Some(self.arithmetic.map_or(memory, |arithmetic| arithmetic.max(memory)))
    }
}

/// How a quantity is measured and predicted.
type Rule = (&'static str, Unit, fn(&Values<'_>) -> Option<f64>, fn(&Predicted) -> Option<f64>);

/// All of them.
const RULES: [Rule; 9] = [
    (
        "load requests",
        Unit::Count,
        |values| values.of("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"),
        |own| Some(own.loads.requests),
    ),
    (
        "load sectors/request",
        Unit::Ratio,
        |values| values.sectors_per_request("ld"),
        |own| own.loads.sectors_per_request(),
    ),
    (
        "load bytes used",
        Unit::Percent,
        |values| values.of("smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"),
        |own| used(&own.loads),
    ),
    (
        "store requests",
        Unit::Count,
        |values| values.of("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"),
        |own| Some(own.stores.requests),
    ),
    (
        "store sectors/request",
        Unit::Ratio,
        |values| values.sectors_per_request("st"),
        |own| own.stores.sectors_per_request(),
    ),
    (
        "store bytes used",
        Unit::Percent,
        |values| values.of("smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct"),
        |own| used(&own.stores),
    ),
    (
        "L2",
        Unit::Bytes,
        |values| {
            let sectors = values.of("lts__t_sectors_srcunit_tex.sum").map(|own| own * 32.0);
            sectors.or_else(|| values.of("lts__t_bytes.sum"))
        },
        |own| Some(own.all.l2_bytes),
    ),
    (
        "DRAM",
        Unit::Bytes,
        |values| {
            let parts = values.of("dram__bytes_read.sum").zip(values.of("dram__bytes_write.sum"));
            parts.map(|(read, written)| read + written).or_else(|| values.of("dram__bytes.sum"))
        },
        |own| Some(own.all.dram_bytes),
    ),
    (
        "time",
        Unit::Microseconds,
        |values| values.of("gpu__time_duration.sum").map(|seconds| seconds * 1e6),
        Predicted::microseconds,
    ),
];

/// The part of the touched sectors that requests need, in percent.
fn used(counters: &Counters) -> Option<f64> {
    (counters.sectors > 0.0).then(|| 100.0 * counters.ideal_sectors / counters.sectors)
}

/// The values of one kernel's launches.
struct Values<'a>(&'a [&'a Launch]);

impl Values<'_> {
    /// The mean of those launches that have it.
    fn of(&self, metric: &str) -> Option<f64> {
        mean(self.0.iter().map(|launch| launch.metrics.get(metric).copied()))
    }

    fn sectors_per_request(&self, operation: &str) -> Option<f64> {
        let of = |what: &str| {
            self.of(&format!("l1tex__t_{what}_pipe_lsu_mem_global_op_{operation}.sum"))
        };
        let requests = of("requests").filter(|requests| *requests > 0.0)?;
        Some(of("sectors")? / requests)
    }
}

fn quantities(
    launches: &[&Launch],
    source: Option<Predicted>,
    chosen: Option<Predicted>,
) -> Vec<Quantity> {
    let values = Values(launches);
    let quantity = |(name, unit, measure, predict): Rule| {
        Some(Quantity {
            name,
            unit,
            measured: measure(&values)?,
            source: source.as_ref().and_then(predict),
            chosen: chosen.as_ref().and_then(predict),
        })
    };
    RULES.into_iter().filter_map(quantity).collect()
}

/// The mean of what is known.
fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let (sum, count) =
        values.flatten().fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    (count > 0.0).then(|| sum / count)
}

/// The name of a kernel without its result, namespaces, template arguments and parameters, as the program's model has it.
fn kernel_name(text: &str) -> String {
    let demangled = match text.starts_with("_Z") {
        true => {
            let options = DemangleOptions::new().no_params().no_return_type();
            Symbol::new(text).ok().and_then(|symbol| symbol.demangle_with_options(&options).ok())
        }
        false => None,
    };
    let mut text = demangled.unwrap_or_else(|| text.to_owned());
    for unnamed in ["(anonymous namespace)::", "<unnamed>::", "{anonymous}::"] {
        text = text.replace(unnamed, "");
    }
    // Parameters begin with the first parenthesis outside of template arguments; what is inside of these goes.
    let (mut depth, mut name) = (0_usize, String::new());
    for letter in text.trim().chars() {
        match letter {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            '(' if depth == 0 => break,
            _ if depth == 0 => name.push(letter),
            _ => {}
        }
    }
    let last = name.split_whitespace().next_back().unwrap_or_default();
    last.rsplit("::").next().unwrap_or(last).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_kernels() {
        for (text, name) in [
            ("integrate", "integrate"),
            ("integrate(Body *, float, int)", "integrate"),
            ("void integrate<float>(Particle *, int)", "integrate"),
            ("void sim::integrate<float, (int)4>(sim::P<float> *, int)", "integrate"),
            ("std::enable_if<true, void>::type ns::step<Q>(void (*)(int), int)", "step"),
            ("(anonymous namespace)::step(int)", "step"),
            ("void <unnamed>::step<int>(int)", "step"),
            ("_Z9integrateP4Bodyfi", "integrate"),
            ("_ZN3sim4stepIfEEvPT_i", "step"),
        ] {
            assert_eq!(kernel_name(text), name, "{text}");
        }
    }
}

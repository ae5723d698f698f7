//! What requests cost in each of several layouts.

use crate::arguments::AnalyzeArguments;
use layoutc_analysis::device::{BitRange, Device};
use layoutc_analysis::grid::requests::{Setting, WarpId};
use layoutc_analysis::grid::{Launch, digit_text};
use layoutc_analysis::grid_choice::{GridChoice, piece, row_major};
use layoutc_dataflow::layout::notation::{LayoutSpec, Order, SpecBody};
use layoutc_dataflow::layout::{Digit, RecordShape};
use layoutc_driver::GridReport;
use serde::Serialize;

/// Costs of the layouts of one grid.
#[derive(Serialize)]
pub(super) struct Costs {
    /// What they are computed at, slowest first.
    pub extents: Vec<u64>,
    /// The least that the device moves.
    pub piece_bytes: u64,
    /// One row per layout.
    pub layouts: Vec<Row>,
    /// Layouts that were asked for and do not fit the grid.
    pub errors: Vec<String>,
}

/// A layout.
#[derive(Serialize)]
pub(super) struct Row {
    /// `baseline`, `soa`, `automatic` or `given`.
    pub name: &'static str,
    /// The digits, slowest first.
    pub digits: String,
    /// Pieces of memory per request of a warp, on average over all accesses.
    pub transactions: f64,
    /// Values that a piece serves, on average.
    pub values_per_transaction: f64,
    /// How the pieces that are asked for together spread, where that is modelled.
    pub steering: Option<Spread>,
    /// Values that the grid takes, in values that it holds.
    pub padding: f64,
}

/// The distribution of concurrent requests over channels and banks, on average over all accesses.
#[derive(Serialize)]
pub(super) struct Spread {
    /// The address bits that tell channels and banks apart.
    pub bits: BitRange,
    /// How many different values of these bits are asked for together.
    pub used: f64,
    /// Of how many.
    pub of: u64,
    /// Requests to the busiest of them, in those that it would get if all got the same.
    pub peak: f64,
}

pub(super) fn costs(
    arguments: &AnalyzeArguments,
    layouts: &[LayoutSpec],
    report: &GridReport,
    choice: &GridChoice,
) -> Costs {
    let device = &arguments.program.device;
    let extents = extents(arguments, choice);
    let warp = device.warp_size();
    let launch = &choice.launch;
    let setting = Setting { shape: &choice.shape, extents: extents.clone(), launch, warp };
    let grid = setting.covering(&choice.model.matrices);
    let launch = &Launch { grid, ..launch.clone() };
    let setting = Setting { launch, ..setting };
    let rank = choice.shape.dimensions.len();
    let row = |name, digits: &[Digit]| row(&setting, choice, device, name, digits);
    let mut rows = vec![row("baseline", &row_major(rank))];
    if choice.shape.dimensions[rank - 1].extent.constant().is_some() && rank > 1 {
        let mut digits = row_major(rank);
        digits.rotate_right(1);
        rows.push(row("soa", &digits));
    }
    if let Some(layout) = &choice.layout {
        rows.push(row("automatic", &layout.digits));
    }
    let mut errors = Vec::new();
    for spec in layouts.iter().filter(|spec| report.names.contains(&spec.target)) {
        match given(choice, spec) {
            Ok(digits) => rows.push(row("given", &digits)),
            Err(message) => errors.push(format!("`{spec}`: {message}")),
        }
    }
    Costs { extents, piece_bytes: piece(device), layouts: rows, errors }
}

/// The extents that the user gives, or those that stand for large ones.
fn extents(arguments: &AnalyzeArguments, choice: &GridChoice) -> Vec<u64> {
    choice
        .shape
        .dimensions
        .iter()
        .zip(choice.nominal_extents())
        .map(|(dimension, nominal)| {
            let extent = dimension.extent.to_string();
            let given = arguments.extents.iter().rev().find(|(name, _)| {
                dimension.extent.constant().is_none()
                    && (*name == extent || *name == dimension.name)
            });
            given.map_or(nominal, |(_, value)| *value)
        })
        .collect()
}

/// The digits of a layout in the common notation.
fn given(choice: &GridChoice, spec: &LayoutSpec) -> Result<Vec<Digit>, String> {
    let SpecBody::Uniform(form) = &spec.body else {
        return Err("it is no layout of a grid".to_owned());
    };
    if !matches!(form.order.value, Order::Digits(_)) {
        return Err("list the digits, slowest first".to_owned());
    }
    let names: Vec<&str> =
        choice.shape.dimensions.iter().map(|dimension| dimension.name.as_str()).collect();
    let shape = RecordShape::flat("grid", [("value", "float", 4, 4, &[][..])]);
    let layout = spec.resolve_grid(&shape, &names, "").map_err(|error| error.message)?;
    Ok(layout.groups()[0].digits().to_vec())
}

fn row(
    setting: &Setting<'_>,
    choice: &GridChoice,
    device: &Device,
    name: &'static str,
    digits: &[Digit],
) -> Row {
    let bytes = piece(device);
    let matrices = &choice.model.matrices;
    // A block inside, so that no access sticks out.
    let inside = setting.launch.grid.map(|blocks| u64::from(blocks.is_some_and(|n| n > 2)));
    let warp = WarpId { block: inside, warp: 0 };
    let count = matrices.len().max(1) as f64;
    let transactions: usize =
        matrices.iter().map(|matrix| setting.transactions(matrix, digits, warp, bytes)).sum();
    let lanes: usize =
        matrices.iter().map(|matrix| setting.addresses(matrix, digits, warp).len()).sum();
    let steering = device.steering_model().ok().map(|model| {
        let bits = model.most_important.unwrap_or(model.steering);
        let (peak, used) = setting.spread(matrices, digits, bits, bytes);
        Spread {
            bits,
            used: rounded(used),
            of: 1 << (bits.high + 1 - bits.low),
            peak: rounded(peak),
        }
    });
    let held: f64 = setting.extents.iter().map(|extent| *extent as f64).product();
    Row {
        name,
        digits: {
            let texts: Vec<String> =
                digits.iter().map(|digit| digit_text(setting.shape, *digit)).collect();
            format!("[{}]", texts.join(", "))
        },
        transactions: rounded(transactions as f64 / count),
        values_per_transaction: rounded(lanes as f64 / transactions.max(1) as f64),
        steering,
        padding: rounded(setting.size(digits) as f64 / held.max(1.0)),
    }
}

/// To two places.
fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

//! The analysis as text for people.

use super::{Analysis, Busy, Grid};
use layoutc_analysis::grid::{Auxiliary, Model};
use layoutc_analysis::grid_model::BlockSource;
use std::fmt::Write;

/// The analysis; `has_recorded`: with what was recorded.
pub(super) fn text(analysis: &Analysis, has_recorded: bool) -> String {
    let mut parts: Vec<String> = analysis.grids.iter().map(|found| grid(analysis, found)).collect();
    parts.extend(analysis.graphs.iter().flatten().map(|graph| graph.text(&analysis.device)));
    let recorded = analysis.recorded.iter().filter(|_| has_recorded);
    parts.extend(recorded.map(|recorded| recorded.text()));
    parts.join("\n")
}

/// A term that is not affine: `x wraps around`.
pub(super) fn auxiliary(dimension: &str, term: &Auxiliary) -> String {
    match term {
        Auxiliary::Wrap => format!("{dimension} wraps around"),
        Auxiliary::Clamp => format!("{dimension} differs at a border"),
        Auxiliary::Parity { modulus, of } => {
            let of: Vec<String> = of.iter().map(ToString::to_string).collect();
            let of = if of.is_empty() { "counters".to_owned() } else { of.join(", ") };
            format!("{dimension} + ({of}) % {modulus}")
        }
        Auxiliary::Opaque(text) => format!("{dimension} has no form: {text}"),
    }
}

/// One line: a name in a column of its own, and what there is to say.
fn line(out: &mut String, name: &str, text: &str) {
    let _ = writeln!(out, "  {name:<11} {text}");
}

fn grid(analysis: &Analysis, grid: &Grid) -> String {
    let mut out = String::new();
    let extents: String =
        grid.dimensions.iter().map(|dimension| format!("[{}]", dimension.extent)).collect();
    let _ = writeln!(out, "{}: {}{extents}", grid.names.join(", "), grid.type_name);
    if let (Some(launch), Some(source)) = (&grid.launch, grid.block_source) {
        let [x, y, z] = launch.block;
        let source = match source {
            BlockSource::Program => "from the launch",
            BlockSource::Option => "from --block",
            BlockSource::Default => "assumed; see --block",
        };
        let kernel = grid.kernel.as_deref().unwrap_or("no kernel");
        let text = format!(
            "{kernel} in blocks of {x} x {y} x {z} threads ({source}), {} at once on {}",
            launch.active_blocks, analysis.device
        );
        line(&mut out, "launch", &text);
    }
    for (at, access) in grid.accesses.iter().enumerate() {
        let first = &access.places[0];
        let more = match access.places.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let terms: String = access.auxiliary.iter().map(|term| format!("; {term}")).collect();
        let text = format!(
            "{}{terms}  {}:{} {}{more}",
            access.matrix, first.line, first.column, first.text
        );
        line(&mut out, if at == 0 { "accesses" } else { "" }, &text);
    }
    if let Some(pattern) = &grid.common_pattern {
        line(&mut out, "pattern", pattern);
    }
    if let Some(difference) = &grid.difference {
        line(&mut out, "differ", difference);
    }
    if !grid.busy_bits.is_empty() {
        let text: Vec<String> = grid.busy_bits.iter().map(busy).collect();
        line(&mut out, "busy bits", &text.join("; "));
    }
    match &grid.model {
        Some(Model::Steering(model)) => {
            let most = model
                .most_important
                .map_or_else(String::new, |bits| format!(", most important {bits}"));
            let text = format!("{}{most}; burst offset {}", model.steering, model.coalescing);
            line(&mut out, "steering", &text);
        }
        Some(Model::Coalescing { because }) => {
            line(&mut out, "steering", &format!("not modelled: {because}"));
        }
        None => {}
    }
    if let (Some(layout), Some(vector), Some(function)) =
        (&grid.layout, &grid.dimension_vector, &grid.flattening_function)
    {
        line(&mut out, "digits", layout);
        line(&mut out, "D", vector);
        line(&mut out, "FF", function);
        for digit in &grid.digits {
            let Some(bits) = digit.address_bits else { continue };
            line(&mut out, "", &format!("{} feeds address bits {bits}", digit.text));
        }
    }
    if let Some(costs) = &grid.costs {
        let extents: Vec<String> = costs.extents.iter().map(ToString::to_string).collect();
        let text = format!(
            "at {}, in pieces of {} bytes: per request of a warp, values per piece, size",
            extents.join(" x "),
            costs.piece_bytes
        );
        line(&mut out, "costs", &text);
        for row in &costs.layouts {
            let steering = row.steering.as_ref().map_or_else(String::new, |spread| {
                format!(
                    ", {:.1} of {} values of bits {}, the busiest with {:.2} times its share",
                    spread.used, spread.of, spread.bits, spread.peak
                )
            });
            let text = format!(
                "{:<10} {:>6.2} {:>6.2} {:>6.2}  {}{steering}",
                row.name, row.transactions, row.values_per_transaction, row.padding, row.digits
            );
            line(&mut out, "", &text);
        }
        for error in &costs.errors {
            line(&mut out, "", error);
        }
    }
    for note in &grid.notes {
        line(&mut out, "note", note);
    }
    line(&mut out, grid.status, &grid.because);
    for reason in &grid.reasons {
        let text = format!(
            "{}: {}:{}:{} {}",
            reason.code, reason.file, reason.line, reason.column, reason.message
        );
        line(&mut out, "", &text);
    }
    if let Some(drawing) = &grid.drawing {
        line(&mut out, "drawing", drawing);
    }
    out
}

/// `x 0-4 (threadIdx.x) 5-11 (blockIdx.x), neighbouring lanes`.
fn busy(busy: &Busy) -> String {
    let mut runs: Vec<(u32, u32, String)> = Vec::new();
    for bit in &busy.bits.bits {
        let drivers: Vec<String> = bit.drivers.iter().map(ToString::to_string).collect();
        let drivers = drivers.join(", ");
        match runs.last_mut() {
            Some((_, high, own)) if *high + 1 == bit.bit && *own == drivers => *high = bit.bit,
            _ => runs.push((bit.bit, bit.bit, drivers)),
        }
    }
    let runs: Vec<String> = runs
        .into_iter()
        .map(|(low, high, drivers)| match low == high {
            true => format!("{low} ({drivers})"),
            false => format!("{low}-{high} ({drivers})"),
        })
        .collect();
    let bits = if runs.is_empty() { "none".to_owned() } else { runs.join(" ") };
    let fastest = if busy.is_fastest { ", neighbouring lanes" } else { "" };
    format!("{} {bits}{fastest}", busy.dimension)
}

//! Measured values beside predicted ones.

use super::super::measured::{Measured, MeasuredKernel, Quantity, Unit};
use super::units::{ByteUnit, grouped, one_place, three_digits};
use super::{push, right, table};
use std::fmt::Write;

/// A table for each kernel.
pub(super) fn measured(found: &Measured) -> String {
    let mut out = String::from("Measured by Nsight Compute, beside predictions\n");
    for own in &found.kernels {
        kernel(&mut out, own);
    }
    for (name, launches) in &found.only_measured {
        let plural = if *launches == 1 { "launch" } else { "launches" };
        let _ = writeln!(out, "\n  only in the report: `{name}` ({launches} {plural})");
    }
    if !found.only_predicted.is_empty() {
        let names: Vec<String> =
            found.only_predicted.iter().map(|name| format!("`{name}`")).collect();
        let _ = writeln!(out, "\n  not in the report: {}", names.join(", "));
    }
    out
}

fn kernel(out: &mut String, own: &MeasuredKernel) {
    let mean = match own.launches {
        1 => "1 launch".to_owned(),
        several => format!("mean of {several} launches"),
    };
    let _ = writeln!(out, "\n  {}: {mean}{}", own.name, shape(own));
    if own.namesakes > 1 {
        let _ = writeln!(
            out,
            "    {} kernels have this name; the measured values are those of all of them",
            own.namesakes
        );
    }
    let mut table = table();
    table.set_header(["", "", "source", "chosen", "measured", "measured/source"]);
    for quantity in &own.quantities {
        table.add_row(row(quantity));
    }
    right(&mut table, &[2, 3, 4, 5]);
    push(out, &table);
}

/// Where the launches differ from what was predicted: sums are not comparable then.
fn shape(own: &MeasuredKernel) -> String {
    let (Some(blocks), Some(threads)) = (own.blocks, own.threads) else { return String::new() };
    let is_same = |measured: f64, predicted: u64| (measured - predicted as f64).abs() < 0.5;
    let measured = format!(" of {} blocks of {} threads", one_place(blocks), one_place(threads));
    if is_same(blocks, own.predicted_blocks) && is_same(threads, own.predicted_threads) {
        return measured;
    }
    let help = match own.is_shape_known {
        true => String::new(),
        false => format!("; give --blocks {blocks:.0} --block {threads:.0}"),
    };
    format!(
        "{measured}\n    predicted for {} blocks of {} threads: compare ratios, not sums{help}",
        own.predicted_blocks, own.predicted_threads
    )
}

fn row(own: &Quantity) -> [String; 6] {
    let all = [own.source, own.chosen, Some(own.measured)];
    let greatest = all.into_iter().flatten().fold(0.0, f64::max);
    let bytes = ByteUnit::of(greatest);
    let (unit, text): (&str, Box<dyn Fn(f64) -> String>) = match own.unit {
        Unit::Count => ("", Box::new(grouped)),
        Unit::Ratio => ("", Box::new(one_place)),
        Unit::Percent => ("[%]", Box::new(one_place)),
        Unit::Bytes => (bytes.name, Box::new(move |value| bytes.text(value))),
        Unit::Microseconds => ("[µs]", Box::new(three_digits)),
    };
    let unit = if own.unit == Unit::Bytes { format!("[{unit}]") } else { unit.to_owned() };
    let shown = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), &text);
    let ratio = own.source.filter(|source| *source > 0.0).map(|source| own.measured / source);
    [
        own.name.to_owned(),
        unit,
        shown(own.source),
        shown(own.chosen),
        text(own.measured),
        ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}")),
    ]
}

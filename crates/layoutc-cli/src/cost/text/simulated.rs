//! Simulated costs as text for people.

use super::super::simulate::{SimulatedKernel, base_name};
use super::super::table::{SimulatedCosts, TableShown};
use super::{label, push, ratio, right, table};
use layoutc_analysis::simulate::Counts;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// What was simulated: a line for each layout, and for each kernel one for each line of the source.
pub(super) fn simulated(out: &mut String, shown: &TableShown) {
    let costs: Vec<&SimulatedCosts> =
        shown.layouts.iter().filter_map(|layout| layout.simulated.as_ref()).collect();
    if costs.is_empty() {
        return;
    }
    let own: BTreeSet<&str> = shown.kernels.iter().map(|kernel| base_name(&kernel.name)).collect();
    let _ = writeln!(out, "\n  simulated");
    let mut all = table();
    let header =
        ["", "against the source", "cost", "sectors", "ideal", "from L1", "from L2", "DRAM", ""];
    all.set_header(header);
    for (at, cost) in costs.iter().enumerate() {
        match cost {
            SimulatedCosts::Error(message) => {
                let mut row = vec![label(shown, at)];
                row.extend((1..header.len() - 1).map(|_| String::new()));
                row.push(message.lines().next().unwrap_or_default().to_owned());
                all.add_row(row);
            }
            SimulatedCosts::Cost { cost, ratio: against, counted, .. } => {
                let counts =
                    sum(counted.kernels.iter().filter(|k| own.contains(base_name(&k.name))));
                let mut converts = counted.kernels.iter().filter(|kernel| kernel.is_conversion);
                let note = if converts.next().is_some() { "and conversions" } else { "" };
                all.add_row([
                    label(shown, at),
                    against.map_or_else(String::new, ratio),
                    format!("{cost:.0}"),
                    counts.sectors.to_string(),
                    counts.ideal_sectors.to_string(),
                    percent(counts.l1_hits, counts.load_sectors),
                    percent(counts.l2_hits, counts.l2_sectors),
                    counts.dram_sectors().to_string(),
                    note.to_owned(),
                ]);
            }
        }
    }
    right(&mut all, &[1, 2, 3, 4, 5, 6, 7]);
    push(out, &all);
    let left_out: BTreeSet<&str> = costs
        .iter()
        .filter_map(|cost| match cost {
            SimulatedCosts::Cost { counted, .. } => Some(&counted.left_out),
            SimulatedCosts::Error(_) => None,
        })
        .flatten()
        .map(String::as_str)
        .collect();
    for what in left_out {
        let _ = writeln!(out, "    not counted: {what}");
    }
    for kernel in &own {
        lines(out, kernel, shown, &costs);
    }
}

fn sum<'a>(kernels: impl Iterator<Item = &'a SimulatedKernel>) -> Counts {
    kernels.fold(Counts::default(), |mut sum, kernel| {
        sum += kernel.counts;
        sum
    })
}

fn percent(part: u64, whole: u64) -> String {
    match whole {
        0 => "-".to_owned(),
        _ => format!("{:.0} %", part as f64 / whole as f64 * 100.0),
    }
}

/// Sectors for each request, as Nsight Compute has them: touched, and as many as the bytes would fill.
fn lines(out: &mut String, kernel: &str, shown: &TableShown, costs: &[&SimulatedCosts]) {
    let mut rows: BTreeMap<(u32, &str), Vec<Counts>> = BTreeMap::new();
    for (at, cost) in costs.iter().enumerate() {
        let SimulatedCosts::Cost { counted, .. } = cost else { continue };
        for own in counted.kernels.iter().filter(|own| base_name(&own.name) == kernel) {
            for place in &own.places {
                let key = (place.source_line.unwrap_or(0), place.kind);
                let row = rows.entry(key).or_insert_with(|| vec![Counts::default(); costs.len()]);
                row[at] += place.counts;
            }
        }
    }
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n  {kernel}: sectors of a request, touched and ideal");
    let mut all = table();
    let mut header = vec!["line".to_owned(), String::new()];
    header.extend((0..costs.len()).map(|at| label(shown, at)));
    all.set_header(header);
    for ((line, kind), counts) in rows {
        let line = if line == 0 { "generated".to_owned() } else { line.to_string() };
        let mut row = vec![line, kind.to_owned()];
        row.extend(counts.iter().map(|own| match own.requests {
            0 => String::new(),
            requests => {
                let each = |sectors: u64| sectors as f64 / requests as f64;
                format!("{:.1} / {:.1}", each(own.sectors), each(own.ideal_sectors))
            }
        }));
        all.add_row(row);
    }
    push(out, &all);
}

//! Prices as text for people, in the words of Nsight Compute.

mod accesses;
mod legend;
mod measured;
mod simulated;
pub mod units;

use super::chosen::Chosen;
use super::table::{Costs, KernelShown, TableShown};
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use layoutc_analysis::cost::price::Model;
use std::fmt::Write;

/// The prices; `has_legend`: with what the columns mean.
pub(super) fn text(costs: &Costs, has_legend: bool) -> String {
    let mut parts: Vec<String> = costs.tables.iter().map(|found| layouts(costs, found)).collect();
    parts.extend(costs.measured.iter().map(measured::measured));
    if has_legend && !parts.is_empty() {
        parts.push(legend::legend(costs));
    }
    parts.join("\n")
}

fn layouts(costs: &Costs, array: &TableShown) -> String {
    let mut out = String::new();
    for own in &array.arrays {
        let elements = match own.elements {
            Some(elements) => format!(", {elements} elements"),
            None => String::new(),
        };
        let names = match own.names.as_slice() {
            [] => String::new(),
            [only] if *only == own.name => String::new(),
            names => format!(": {}", names.join(", ")),
        };
        let _ = writeln!(out, "{} ({} bytes{elements}){names}", own.name, own.bytes);
    }
    transform(&mut out, array);
    let _ = writeln!(
        out,
        "\n  all launches of {}, model `{}` on {}",
        kernels(array),
        costs.model,
        costs.device
    );
    let mut table = self::table();
    let has_copies = array.layouts.iter().any(|layout| layout.copies.is_some());
    let mut header = vec!["", "layout", "cost", "against the source"];
    header.extend(has_copies.then_some("with copies"));
    table.set_header(header);
    for (at, layout) in array.layouts.iter().enumerate() {
        let cost = vector(&layout.cost);
        let mut row = vec![label(array, at), layout.layout.clone(), cost, ratio(layout.ratio)];
        if has_copies {
            row.push(ratio(layout.copies.map_or(layout.ratio, |copies| copies.ratio)));
        }
        table.add_row(row);
    }
    right(&mut table, &[2, 3, 4]);
    push(&mut out, &table);
    for (at, layout) in array.layouts.iter().enumerate() {
        let times: Option<Vec<[f64; 2]>> =
            layout.gains.iter().map(|gain| Some(gain.as_ref()?.all_launches())).collect();
        let Some(times) = times.filter(|times| !times.is_empty()) else { continue };
        let [before, after] = [0, 1].map(|side| times.iter().map(|own| own[side]).sum::<f64>());
        let (difference, how) = (units::time((after - before).abs()), before >= after);
        let (before, how) = (units::time(before), if how { "less" } else { "longer" });
        let copies = layout.copies.map_or_else(String::new, |copies| {
            let time = units::time(copies.copies_microseconds);
            format!(", copies between host and device est. {time} longer")
        });
        let _ = writeln!(
            out,
            "    {}: of est. {before}, kernels take {difference} {how}{copies}",
            label(array, at)
        );
    }
    for (at, kernel) in array.kernels.iter().enumerate() {
        let _ = writeln!(out, "\n  {}", heading(kernel, arithmetic(array, at)));
        match costs.model {
            Model::Sectors => accesses::sectors(&mut out, array, at),
            Model::Peng => accesses::transactions(&mut out, array, at),
        }
        let others = kernel.accesses.iter().filter(|access| !access.is_own).count();
        if others > 0 {
            let plural = if others == 1 { "access" } else { "accesses" };
            let _ = writeln!(out, "    {others} {plural} to other arrays not shown");
        }
        for (column, layout) in array.layouts.iter().enumerate() {
            if let Some(gain) = &layout.gains[at] {
                let _ = writeln!(out, "    {}: {}", label(array, column), gain.text);
            }
        }
    }
    simulated::simulated(&mut out, array);
    out
}

/// What `transform` does with the arrays, a line for each.
fn transform(out: &mut String, array: &TableShown) {
    let mut said: Vec<(&Chosen, Vec<&str>)> = Vec::new();
    for one in &array.transform {
        let same = |own: &Chosen| (&own.layout, &own.because) == (&one.layout, &one.because);
        match said.iter_mut().find(|(own, _)| same(own)) {
            Some((_, names)) => names.push(&one.array),
            None => said.push((one, vec![&one.array])),
        }
    }
    let is_one = said.len() == 1;
    for (one, names) in said {
        let which = if is_one { String::new() } else { format!(" ({})", names.join(", ")) };
        let code = one.code.as_ref().map_or_else(String::new, |code| format!(" ({code})"));
        let because = &one.because;
        let _ = match &one.layout {
            None => {
                writeln!(out, "  `transform` keeps the source's layout{which}: {because}{code}")
            }
            Some(layout) if one.is_priced => {
                writeln!(out, "  `transform` chooses `{layout}`: {because}")
            }
            Some(layout) => writeln!(
                out,
                "  `transform` chooses `{layout}`: {because}; its cells change places, which has no price here"
            ),
        };
    }
}

/// What a row is called: `source`, `chosen` or its number.
fn label(array: &TableShown, at: usize) -> String {
    match (at, array.chosen == Some(at)) {
        (0, true) => "source = chosen".to_owned(),
        (0, false) => "source".to_owned(),
        (_, true) => "chosen".to_owned(),
        (_, false) => format!("[{at}]"),
    }
}

fn kernels(array: &TableShown) -> String {
    match array.kernels.len() {
        1 => "1 kernel".to_owned(),
        several => format!("{several} kernels"),
    }
}

/// Microseconds of arithmetic in a launch: the same in all layouts.
fn arithmetic(array: &TableShown, kernel: usize) -> Option<f64> {
    array.layouts.first()?.launches[kernel].as_ref()?.arithmetic_microseconds
}

fn heading(kernel: &KernelShown, arithmetic: Option<f64>) -> String {
    let [x, y, z] = kernel.block;
    let block = match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("{x} x {y}"),
        _ => format!("{x} x {y} x {z}"),
    };
    let assumed = |is_known: bool| if is_known { "" } else { " (assumed)" };
    let loops = match kernel.host_loop_texts.as_slice() {
        [] => String::new(),
        loops => format!(", launched {} times", loops.join(" x ")),
    };
    let arithmetic = arithmetic.map_or_else(String::new, |time| {
        format!("; arithmetic est. {} µs", units::three_digits(time))
    });
    format!(
        "{}: {} blocks{} of {block} threads{}{loops}{arithmetic}",
        kernel.name,
        kernel.blocks,
        assumed(kernel.is_grid_known),
        assumed(kernel.is_block_known)
    )
}

fn ratio(ratio: f64) -> String {
    format!("{ratio:.3}")
}

/// The entries, the most significant one first: `3.2e6·n² + 1024·n`.
fn vector(entries: &[f64]) -> String {
    let mut terms: Vec<String> = Vec::new();
    for (degree, entry) in entries.iter().enumerate().rev() {
        if *entry == 0.0 {
            continue;
        }
        let value = if *entry < 1e6 { format!("{entry:.0}") } else { format!("{entry:.2e}") };
        terms.push(match degree {
            0 => value,
            1 => format!("{value} n"),
            _ => format!("{value} n^{degree}"),
        });
    }
    if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") }
}

fn table() -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table
}

fn right(table: &mut Table, columns: &[usize]) {
    for column in columns {
        if let Some(column) = table.column_mut(*column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

/// The table's lines, indented and without blanks at their ends.
fn push(out: &mut String, table: &Table) {
    for line in table.to_string().lines() {
        let _ = writeln!(out, "   {}", line.trim_end());
    }
}

//! Prices as text for people.

mod simulated;

use super::{AccessShown, Costs, KernelShown, TableShown};
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use layoutc_analysis::cost::price::{AccessPrice, Model, Stride};
use std::fmt::Write;

/// The prices.
pub(super) fn text(costs: &Costs) -> String {
    let tables: Vec<String> = costs.tables.iter().map(|found| layouts(costs, found)).collect();
    tables.join("\n")
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
    let unit = match costs.model {
        Model::Peng => "transactions, Peng et al.",
        Model::Sectors => "sectors of 32 bytes",
    };
    let _ = writeln!(
        out,
        "  {} on {}, model `{}` ({unit})\n",
        kernels(array),
        costs.device,
        costs.model
    );
    let mut table = self::table();
    table.set_header(["", "layout", "against the source", "cost"]);
    for (at, layout) in array.layouts.iter().enumerate() {
        let number = if at == 0 { "source".to_owned() } else { format!("[{at}]") };
        table.add_row([number, layout.layout.clone(), ratio(layout.ratio), vector(&layout.cost)]);
    }
    right(&mut table, &[2, 3]);
    push(&mut out, &table);
    for (at, kernel) in array.kernels.iter().enumerate() {
        let _ = writeln!(out, "\n  {}", heading(kernel));
        let mut table = self::table();
        let mut header = vec!["access".to_owned(), String::new()];
        for column in 0..array.layouts.len() {
            header.push(if column == 0 { "source".to_owned() } else { format!("[{column}]") });
        }
        table.set_header(header);
        for (position, access) in kernel.accesses.iter().enumerate() {
            if !access.is_own {
                continue;
            }
            let mut row = vec![place(access), what(access)];
            for layout in &array.layouts {
                row.push(price(costs.model, &layout.kernels[at].accesses[position]));
            }
            table.add_row(row);
        }
        let others = kernel.accesses.iter().filter(|access| !access.is_own).count();
        push(&mut out, &table);
        if others > 0 {
            let plural = if others == 1 { "access" } else { "accesses" };
            let _ = writeln!(out, "    and {others} {plural} to other arrays");
        }
        for (column, layout) in array.layouts.iter().enumerate() {
            if let Some(gain) = layout.gains[at] {
                let _ = writeln!(out, "    [{column}] {}", gain.text());
            }
        }
    }
    simulated::simulated(&mut out, array);
    out
}

fn kernels(array: &TableShown) -> String {
    match array.kernels.len() {
        1 => "1 kernel".to_owned(),
        several => format!("{several} kernels"),
    }
}

fn heading(kernel: &KernelShown) -> String {
    let [x, y, z] = kernel.block;
    let block = match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("{x} x {y}"),
        _ => format!("{x} x {y} x {z}"),
    };
    let assumed = |is_known: bool| if is_known { "" } else { " (assumed)" };
    let loops = match kernel.host_loops.len() {
        0 => String::new(),
        _ => {
            let loops: Vec<String> = kernel
                .host_loops
                .iter()
                .map(|trips| trips.map_or("n".to_owned(), |trips| trips.to_string()))
                .collect();
            format!(", launched {} times", loops.join(" x "))
        }
    };
    format!(
        "{}: {} blocks{} of {block} threads{}{loops}",
        kernel.name,
        kernel.blocks,
        assumed(kernel.is_grid_known),
        assumed(kernel.is_block_known)
    )
}

fn place(access: &AccessShown) -> String {
    format!("{}:{}", access.line, access.column)
}

fn what(access: &AccessShown) -> String {
    const WIDTH: usize = 28;
    let mut text: String = access.text.chars().take(WIDTH).collect();
    if access.text.chars().count() > WIDTH {
        text.push('…');
    }
    format!("{} {text}", access.kind)
}

/// `4 B, 4 sectors, L2`: distance between lanes, what a warp asks for, who serves it.
fn price(model: Model, price: &AccessPrice) -> String {
    if price.with.is_some() {
        return "with another".to_owned();
    }
    let stride = match price.stride {
        Stride::Bytes(0) => "same".to_owned(),
        Stride::Bytes(bytes) => format!("{bytes} B"),
        Stride::Mixed => "mixed".to_owned(),
        Stride::Large => "far".to_owned(),
        Stride::Unknown => "any".to_owned(),
    };
    let unit = match model {
        Model::Peng => "t",
        Model::Sectors => "s",
    };
    format!("{stride}: {} {unit}, {}", number(price.transactions), price.shares.level())
}

fn number(value: f64) -> String {
    if (value - value.round()).abs() < 0.05 { format!("{value:.0}") } else { format!("{value:.1}") }
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

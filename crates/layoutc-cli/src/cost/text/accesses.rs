//! The accesses of a kernel: a row for each of them and each layout.

use super::super::counters::Counters;
use super::super::table::{AccessShown, KernelShown, TableShown};
use super::units::{ByteUnit, grouped, one_place, three_digits};
use super::{label, push, right, table};
use crate::style::is_verbose;
use layoutc_analysis::cost::price::{AccessPrice, Stride};
use std::collections::BTreeSet;
use std::path::Path;

/// Characters of an access's text.
const WIDTH: usize = 28;

/// One launch in today's caches: all accesses, then each of those to the arrays. Layouts that nobody chose or asked for
/// have the first rows only.
pub(super) fn sectors(out: &mut String, array: &TableShown, at: usize) {
    let kernel = &array.kernels[at];
    let mut rows: Vec<(Vec<String>, Counters)> = Vec::new();
    for (column, layout) in array.layouts.iter().enumerate() {
        let Some(launch) = &layout.launches[at] else { continue };
        let what = if column == 0 { "all accesses" } else { "" };
        let head = [what, "", &label(array, column), ""].map(str::to_owned).into();
        rows.push((head, launch.all));
    }
    let names = Names::new(kernel);
    for (position, access) in kernel.accesses.iter().enumerate().filter(|(_, own)| own.is_own) {
        for (column, layout) in array.layouts.iter().enumerate() {
            let Some(launch) = &layout.launches[at] else { continue };
            if !is_detailed(array, column) {
                continue;
            }
            let price = &layout.kernels[at].accesses[position];
            let stride = match price.with {
                Some(with) => format!("with {}", names.line(kernel, with)),
                None => stride(price.stride),
            };
            let head = vec![names.place(access), what(access), label(array, column), stride];
            rows.push((head, launch.accesses[position]));
        }
    }
    let greatest =
        |of: fn(&Counters) -> f64| rows.iter().map(|(_, row)| of(row)).fold(0.0, f64::max);
    let l2 = ByteUnit::of(greatest(|row| row.l2_bytes));
    let dram = ByteUnit::of(greatest(|row| row.dram_bytes));
    let mut table = table();
    table.set_header([
        "access".to_owned(),
        String::new(),
        "layout".to_owned(),
        "stride\n[B]".to_owned(),
        "requests".to_owned(),
        "sectors\n/request".to_owned(),
        "ideal\n".to_owned(),
        "excess\nsectors".to_owned(),
        format!("L2\n[{}]", l2.name),
        format!("DRAM\n[{}]", dram.name),
        "est.\n[µs]".to_owned(),
    ]);
    let optional = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), one_place);
    for (mut row, counters) in rows {
        match counters.requests > 0.0 {
            // The value comes with another access, or is in its register.
            false => row.extend((0..7).map(|_| "-".to_owned())),
            true => row.extend([
                grouped(counters.requests),
                optional(counters.sectors_per_request()),
                optional(counters.ideal_per_request()),
                grouped(counters.excess_sectors()),
                l2.text(counters.l2_bytes),
                dram.text(counters.dram_bytes),
                counters.microseconds.map_or_else(|| "-".to_owned(), three_digits),
            ]),
        }
        table.add_row(row);
    }
    right(&mut table, &[3, 4, 5, 6, 7, 8, 9, 10]);
    push(out, &table);
}

/// By Peng et al.: transactions of a warp, and who serves them.
pub(super) fn transactions(out: &mut String, array: &TableShown, at: usize) {
    let kernel = &array.kernels[at];
    let names = Names::new(kernel);
    let mut table = table();
    let mut header = vec!["access".to_owned(), String::new()];
    header.extend((0..array.layouts.len()).map(|column| label(array, column)));
    table.set_header(header);
    for (position, access) in kernel.accesses.iter().enumerate().filter(|(_, own)| own.is_own) {
        let mut row = vec![names.place(access), what(access)];
        let prices = array.layouts.iter().map(|layout| &layout.kernels[at].accesses[position]);
        row.extend(prices.map(|price| transaction(kernel, &names, price)));
        table.add_row(row);
    }
    push(out, &table);
}

/// `stride 4 B, 4 t, L2`: distance between lanes, transactions of a warp, who serves it.
fn transaction(kernel: &KernelShown, names: &Names, price: &AccessPrice) -> String {
    if let Some(with) = price.with {
        return format!("with {}", names.line(kernel, with));
    }
    let stride = match price.stride {
        Stride::Bytes(bytes) if bytes > 0 => format!("{bytes} B"),
        other => stride(other),
    };
    format!("{stride}: {} t, {}", one_place(price.transactions), price.shares.level())
}

/// Whether a layout has rows for single accesses: the source's, what `transform` chooses and what was asked for.
fn is_detailed(array: &TableShown, column: usize) -> bool {
    column == 0 || array.is_asked || array.chosen == Some(column) || is_verbose()
}

fn stride(stride: Stride) -> String {
    match stride {
        Stride::Bytes(0) => "same".to_owned(),
        Stride::Bytes(bytes) => bytes.to_string(),
        Stride::Mixed => "mixed".to_owned(),
        Stride::Large => "far".to_owned(),
        Stride::Unknown => "any".to_owned(),
    }
}

/// `read p[i].x`.
fn what(access: &AccessShown) -> String {
    let mut text: String = access.text.chars().take(WIDTH).collect();
    if access.text.chars().count() > WIDTH {
        text.push('…');
    }
    format!("{} {text}", access.kind)
}

/// How files are called in the rows of a kernel: by their last names, if these differ.
struct Names {
    is_short: bool,
}

impl Names {
    fn new(kernel: &KernelShown) -> Names {
        let all: BTreeSet<&str> = kernel.accesses.iter().map(|own| &*own.file).collect();
        let short: BTreeSet<&str> = all.iter().map(|file| last(file)).collect();
        Names { is_short: short.len() == all.len() }
    }

    /// `nbody.cu:81`.
    fn place(&self, access: &AccessShown) -> String {
        let file = if self.is_short { last(&access.file) } else { &access.file };
        format!("{file}:{}", access.line)
    }

    /// The line of another access of the kernel.
    fn line(&self, kernel: &KernelShown, at: usize) -> String {
        kernel.accesses.get(at).map_or_else(String::new, |access| format!(":{}", access.line))
    }
}

fn last(file: &str) -> &str {
    Path::new(file).file_name().and_then(|name| name.to_str()).unwrap_or(file)
}

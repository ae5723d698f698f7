//! The candidates side by side.

use super::bench::Bench;
use super::candidates::Candidate;
use super::results::Measured;
use super::{quantity, shown};
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use std::fmt::Write;

/// A row for each candidate, the best with a mark, and what the best is; `before` is the source's median.
pub fn text(
    bench: &Bench<'_>,
    rows: &[(&Candidate, Option<&Measured>)],
    before: f64,
    best: &Candidate,
) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING);
    let has_spread = rows.iter().any(|(_, own)| own.is_some_and(|own| own.values.len() > 1));
    let mut header = vec!["", "candidate", "layouts", "median", "of the source"];
    header.extend(has_spread.then_some("spread"));
    table.set_header(header);
    for (candidate, found) in rows {
        let mark = if std::ptr::eq(*candidate, best) { "*" } else { "" };
        let mut row = vec![mark.to_owned(), candidate.name.clone(), candidate.text()];
        let median = found.and_then(Measured::median);
        let ratio = median.map(|median| median / before).filter(|ratio| ratio.is_finite());
        row.push(median.map_or_else(|| "failed".to_owned(), |own| shown(bench, Some(own))));
        row.push(ratio.map_or_else(String::new, |ratio| format!("{ratio:.3}")));
        if has_spread {
            let spread = found.and_then(Measured::spread);
            row.push(spread.map_or_else(String::new, |own| format!("{:.1} %", own * 100.0)));
        }
        table.add_row(row);
    }
    for column in 3..6 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut out = String::new();
    for line in table.lines() {
        let _ = writeln!(out, "{}", line.trim_end());
    }
    let _ = writeln!(
        out,
        "\n* the least {}, or the first within 1 % of it: {}",
        quantity(bench),
        best.text()
    );
    out
}

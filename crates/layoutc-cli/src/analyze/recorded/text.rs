//! The recorded runs as text for people.

use super::{Array, Recorded, TREES};
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use layoutc_analysis::heat_map::{Heat, HeatMap};
use std::fmt::Write;

impl Recorded {
    /// For people.
    pub(in crate::analyze) fn text(&self) -> String {
        let mut out = String::new();
        for (at, run) in self.runs.iter().enumerate() {
            let partial = run.partial.as_ref().map_or_else(String::new, |why| format!(" ({why})"));
            let _ = writeln!(out, "{}{partial}", run.title(at));
        }
        for own in &self.omitted {
            let _ = writeln!(out, "not recorded: {}:{}: {}", own.file, own.line, own.because);
        }
        for array in &self.arrays {
            out.push('\n');
            array.text(&mut out, &self.selector);
        }
        out
    }
}

impl Array {
    fn text(&self, out: &mut String, selector: &str) {
        let size = self.size.map_or_else(String::new, |size| format!(" of {size} bytes"));
        let _ = writeln!(out, "{}: {}{size}", self.names.join(", "), self.type_name);
        if let Some(heat) = &self.heat {
            indented(out, &heat_table(heat).to_string());
            out.push('\n');
            indented(out, &self.access_table().to_string());
        }
        if self.never_ran > 0 {
            let _ = writeln!(out, "  accesses that no run executed: {}", self.never_ran);
        }
        for (name, tree) in TREES.iter().zip(&self.trace.trees) {
            let _ = writeln!(out, "\n  field access tree, {name}");
            indented(out, &tree.to_string());
        }
        if !self.trace.clusters.is_empty() {
            out.push('\n');
        }
        for cluster in &self.trace.clusters {
            let fields = cluster.fields.join(" ");
            let _ = writeln!(out, "  cluster     {{{fields}}} × {}", cluster.count);
        }
        let layout = self.trace.layout.as_deref().unwrap_or("stays");
        let _ = writeln!(out, "  trace       {layout}: {}", self.trace.because);
        let now = match self.status {
            "changes" => format!("becomes {}", self.layout),
            stays => stays.to_owned(),
        };
        let _ = writeln!(out, "  {selector:<11} {now}: {}", self.because);
    }

    fn access_table(&self) -> Table {
        let mut table = Table::new();
        table.load_style(NOTHING);
        let head = ["access", "", "kernel", "loop", "executions", "lanes", "n", "class", "weight"];
        table.set_header(head);
        for access in &self.accesses {
            for (at, ran) in access.at.iter().enumerate() {
                let first = |text: String| if at == 0 { text } else { String::new() };
                table.add_row([
                    first(format!("{}:{}", access.file, access.line)),
                    first(access.text.split_whitespace().collect::<Vec<_>>().join(" ")),
                    ran.kernel.clone(),
                    ran.scope.clone(),
                    ran.executions.to_string(),
                    ran.lanes.to_string(),
                    first(format!("{:.2}", access.threads)),
                    first(access.class.to_string()),
                    first(format!("{:.2}", access.weight)),
                ]);
            }
        }
        right(&mut table, &[4, 5, 6, 8]);
        table
    }
}

/// One row for each field and kernel, and totals.
fn heat_table(heat: &HeatMap) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING);
    let head =
        ["field", "kernel", "accesses", "requests", "asked", "fetched", "wasted", "of fetched"];
    table.set_header(head);
    let mut add = |field: &str, kernel: &str, own: &Heat| {
        let mut row = vec![field.to_owned(), kernel.to_owned()];
        let numbers = [own.lanes, own.requests, own.asked, own.fetched, own.wasted];
        row.extend(numbers.map(|number| number.to_string()));
        row.push(format!("{:.0} %", 100.0 * own.waste()));
        table.add_row(row);
    };
    for (field, cells) in heat.fields.iter().zip(&heat.cells) {
        if cells.iter().all(Option::is_none) {
            add(field, "none", &Heat::default());
        }
        for (kernel, own) in heat.kernels.iter().zip(cells) {
            own.iter().for_each(|own| add(field, kernel, own));
        }
    }
    for (kernel, own) in heat.kernels.iter().zip(&heat.of_kernels) {
        add("all", kernel, own);
    }
    if heat.kernels.len() > 1 {
        add("all", "all", &heat.total);
    }
    right(&mut table, &[2, 3, 4, 5, 6, 7]);
    table
}

fn right(table: &mut Table, columns: &[usize]) {
    for (at, column) in table.column_iter_mut().enumerate() {
        if columns.contains(&at) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

fn indented(out: &mut String, text: &str) {
    for line in text.lines() {
        let _ = writeln!(out, "  {}", line.trim_end());
    }
}

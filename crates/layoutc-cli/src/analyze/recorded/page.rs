//! The recorded runs as one page of HTML that needs nothing else: no script, no other file.
//!
//! It is well-formed XML, too, so that any tool can read it. Each number stands as `<data value="…">`, in full
//! beside the short form that people read.

mod drawing;

use super::{Access, Array, Line, Recorded, TREES, Trace};
use layoutc_analysis::heat_map::{Heat, HeatMap};
use layoutc_analysis::trace::Tree;
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("page.css");
/// The steps of the colour of waste.
const STEPS: u64 = 5;

impl Recorded {
    /// The page.
    pub(in crate::analyze) fn page(&self) -> String {
        let title = format!("Recorded runs of {}", self.files.join(", "));
        let page = html! {
            (DOCTYPE)
            html lang="en" xmlns="http://www.w3.org/1999/xhtml" {
                head {
                    // With its slash this is HTML and XML.
                    (PreEscaped("<meta charset=\"utf-8\"/>"))
                    (PreEscaped("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>"))
                    title { (title) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    header {
                        h1 { (title) }
                        (self.head())
                    }
                    main {
                        @for (at, array) in self.arrays.iter().enumerate() { (array.section(at, self)) }
                    }
                    footer { (explanation()) }
                }
            }
        };
        page.into_string()
    }

    fn head(&self) -> Markup {
        html! {
            p { "Layouts for " (self.device) ", chosen by the selector " code { (self.selector) } "." }
            @if self.arrays.is_empty() { p { "This tool follows no array of structs in device memory of the program." } }
            @else {
                nav aria-label="Arrays" { ul {
                    @for (at, array) in self.arrays.iter().enumerate() {
                        li { a href={ "#array-" (at) } { code { (array.type_name) } }
                            " (" (array.names.join(", ")) "): " (array.status) }
                    }
                } }
            }
            div.wide { table {
                caption { "Runs" }
                thead { tr { th scope="col" { "run" } th scope="col" { "arguments" }
                    th scope="col" { "ran on" } th scope="col" { "end" } } }
                tbody { @for (at, run) in self.runs.iter().enumerate() { tr {
                    th scope="row" { (at + 1) }
                    td.code { @if run.arguments.is_empty() { "none" } @else { (run.arguments.join(" ")) } }
                    td { (run.device) }
                    td { @match &run.partial {
                        Some(why) => { "partial: " (why) }
                        None => { "complete" }
                    } }
                } } }
            } }
            details {
                summary { "Launches" }
                div.wide { table {
                    thead { tr { th scope="col" { "run" } th scope="col" { "kernel" } th scope="col" { "blocks" }
                        th scope="col" { "threads of a block" } th scope="col" { "launches" } } }
                    tbody { @for (at, run) in self.runs.iter().enumerate() { @for own in &run.launches { tr {
                        td { (at + 1) } td.code { (own.kernel) }
                        td { (extents(own.grid)) } td { (extents(own.block)) }
                        td.number { (exact(own.launches)) }
                    } } } }
                } }
            }
            @if !self.omitted.is_empty() {
                details open="open" {
                    summary { "Not recorded: " (self.omitted.len()) " accesses" }
                    ul { @for own in &self.omitted {
                        li { code { (own.file) ":" (own.line) } " " (own.because) }
                    } }
                }
            }
        }
    }
}

fn extents(of: [u32; 3]) -> String {
    of.map(|extent| extent.to_string()).join(" × ")
}

impl Array {
    fn section(&self, at: usize, all: &Recorded) -> Markup {
        html! {
            section id={ "array-" (at) } aria-labelledby={ "title-" (at) } {
                h2 id={ "title-" (at) } { code { (self.type_name) } ": " (self.names.join(", ")) }
                dl {
                    @if let Some(size) = self.size { dt { "element" } dd { (size) " bytes" } }
                    dt { "selector " (all.selector) }
                    dd {
                        @if self.status == "changes" { "changes it to " code { (self.layout) } ": " }
                        @else { "leaves it as it is: " }
                        (self.because)
                    }
                    dt { "by the trace" }
                    dd {
                        @match &self.trace.layout {
                            Some(layout) => { code { (layout) } ": " }
                            None => { "nothing: " }
                        }
                        (self.trace.because)
                    }
                    @if self.never_ran > 0 { dt { "never executed" } dd { (self.never_ran) " accesses" } }
                }
                @if !self.before.is_empty() {
                    h3 { "Memory before" }
                    p.faint { "The first elements in the source's layout; numbers below boxes are bytes from the start." }
                    (drawing::svg(&format!("{} as in the source", self.type_name), &self.before))
                    h3 { "Memory after" }
                    @if self.after.is_empty() { p { "As before: " (self.because) "." } }
                    @else {
                        p { code { (self.layout) } }
                        (drawing::svg(&format!("{} as {}", self.type_name, self.layout), &self.after))
                    }
                }
                @if !self.lines.is_empty() { (source(&self.lines)) }
                @if let Some(heat) = &self.heat { (self.heat(heat)) }
                @if !self.accesses.is_empty() { (accesses(&self.accesses)) }
                @if !self.trace.trees.is_empty() { (self.trace.section(all)) }
            }
        }
    }

    fn heat(&self, heat: &HeatMap) -> Markup {
        let hottest = heat.hottest();
        html! {
            h3 { "Heat map" }
            div.wide { table.heat {
                caption { "Bytes wasted by field and kernel: the stronger the colour, the more; the strongest is "
                    (bytes(hottest)) "." }
                thead { tr {
                    th scope="col" { "field" }
                    @for kernel in &heat.kernels { th.code scope="col" { (kernel) } }
                    th.sum scope="col" { "all kernels" }
                } }
                tbody { @for ((field, cells), sum) in self.fields.iter().zip(&heat.cells).zip(&heat.of_fields) {
                    tr {
                        th scope="row" { code { (field.name) } " " span.faint { (field.bytes) " B" } }
                        @for own in cells { @match own {
                            Some(own) => { td class=[step(own.wasted, hottest)] { (cell(own)) } }
                            None => { td.faint { "–" } }
                        } }
                        @if sum.requests == 0 { td.sum.faint { "not accessed" } }
                        @else { td.sum { (cell(sum)) } }
                    }
                } }
                tfoot { tr {
                    th scope="row" { "all fields" }
                    @for own in &heat.of_kernels { td { (cell(own)) } }
                    td.sum { (cell(&heat.total)) }
                } }
            } }
        }
    }
}

/// The colour of waste; none for none.
fn step(wasted: u64, hottest: u64) -> Option<String> {
    let step = (u128::from(wasted) * u128::from(STEPS)).div_ceil(u128::from(hottest.max(1)));
    (step > 0).then(|| format!("w{step}"))
}

fn cell(own: &Heat) -> Markup {
    html! {
        b { (bytes(own.wasted)) " wasted" }
        span { (format!("{:.0}", 100.0 * own.waste())) " % of " (bytes(own.fetched)) " fetched" }
        span { (bytes(own.asked)) " asked for" }
        span { (exact(own.lanes)) " accesses" }
        span { (exact(own.requests)) " requests" }
    }
}

/// The lines that access an array.
fn source(lines: &[Line]) -> Markup {
    html! {
        h3 { "Source lines that access it" }
        div.wide { table.source {
            thead { tr { @for name in ["place", "line", "accesses", "requests"] { th scope="col" { (name) } } } }
            tbody { @for own in lines { tr {
                th.code scope="row" { (own.file) ":" (own.line) }
                td.code { (own.text) }
                td { (own.accesses.join(", ")) }
                td.number { (exact(own.executions)) }
            } } }
        } }
    }
}

fn accesses(accesses: &[Access]) -> Markup {
    html! {
        details {
            summary { "Accesses and their classes" }
            div.wide { table {
                caption { "Weights above 0 speak for structs, below 0 for arrays; n: lanes on one line." }
                thead { tr { @for name in ["access", "text", "does", "fields", "class", "n", "weight", "kernel",
                    "loop", "executions", "lanes"] { th scope="col" { (name) } } } }
                tbody { @for access in accesses { @for (at, ran) in access.at.iter().enumerate() { tr {
                    @if at == 0 { (access_head(access)) }
                    td.code { (ran.kernel) }
                    td { (ran.scope) }
                    td.number { (exact(ran.executions)) }
                    td.number { (exact(ran.lanes)) }
                } } } }
            } }
        }
    }
}

/// What all rows of an access have in common.
fn access_head(access: &Access) -> Markup {
    let rows = access.at.len();
    html! {
        th.code scope="rowgroup" rowspan=(rows) { (access.file) ":" (access.line) }
        td.code rowspan=(rows) { (access.text) }
        td rowspan=(rows) { (format!("{:?}", access.kind).to_lowercase()) }
        td.code rowspan=(rows) { (access.fields.join(" ")) }
        td rowspan=(rows) { (access.class) }
        td.number rowspan=(rows) { (format!("{:.2}", access.threads)) }
        td.number rowspan=(rows) { (format!("{:.2}", access.weight)) }
    }
}

impl Trace {
    fn section(&self, all: &Recorded) -> Markup {
        html! {
            h3 { "Field access tree" }
            div.trees { @for (name, tree) in TREES.iter().zip(&self.trees) {
                div { p.faint { (name) } (nested(tree)) }
            } }
            h3 { "Clusters" }
            ul { @for cluster in &self.clusters {
                li { code { "{" (cluster.fields.join(" ")) "}" } ", "
                    @if cluster.count == 0 { "accessed nowhere" }
                    @else { "executed " (exact(cluster.count)) " times" } }
            } }
            @if !self.disagreements.is_empty() {
                h3 { "Runs that disagree" }
                ul { @for own in &self.disagreements {
                    li { (all.runs[own.run].title(own.run)) " alone would give " code { (own.layout) } }
                } }
            }
        }
    }
}

fn nested(tree: &Tree) -> Markup {
    let list = |names: &std::collections::BTreeSet<String>| {
        names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
    };
    html! {
        ul { li {
            code { (tree.record) }
            ul { @for kernel in tree.nodes.chunk_by(|a, b| a.kernels == b.kernels) { li {
                code { (list(&kernel[0].kernels)) }
                ul { @for node in kernel { li {
                    (list(&node.loops)) " × " (exact(node.count)) ": "
                    code { (node.fields.iter().map(|at| tree.fields[*at].as_str()).collect::<Vec<_>>().join(" ")) }
                } } }
            } } }
        } }
    }
}

fn explanation() -> Markup {
    html! {
        h2 { "What the numbers are" }
        dl {
            dt { "accesses" } dd { "reads, writes and updates by single lanes" }
            dt { "requests" } dd { "executions of an access by the lanes of a warp that execute it together" }
            dt { "asked for" } dd { "bytes that lanes ask for, each on its own" }
            dt { "fetched" } dd { "32 bytes for each sector that a request touches; caches are not taken into account" }
            dt { "wasted" } dd { "bytes of these sectors that no lane of the request asks for, or less. Of accesses that "
                "move several fields, each field has its part by its size; totals count each access once" }
            dt { "UnCoalesc" } dd { "each lane has a line of 128 bytes for itself: speaks for structs" }
            dt { "Coalesc" } dd { "lanes are on one line: speaks for arrays" }
            dt { "ShareCoalesc" } dd { "lanes are at one address: speaks for structs" }
        }
    }
}

/// A number, in groups of three digits.
fn exact(number: u64) -> Markup {
    let digits = number.to_string();
    let groups: Vec<&str> = (digits.as_bytes().rchunks(3).rev())
        .filter_map(|group| std::str::from_utf8(group).ok())
        .collect();
    html! { data value=(number) { (groups.join("\u{202f}")) } }
}

/// Bytes, in the largest unit of which there is more than one.
fn bytes(number: u64) -> Markup {
    const UNITS: [&str; 5] = ["KB", "MB", "GB", "TB", "PB"];
    let mut value = number as f64;
    let mut unit = "B";
    for next in UNITS {
        if value < 999.5 {
            break;
        }
        (value, unit) = (value / 1000.0, next);
    }
    let text = match (unit, value < 10.0) {
        ("B", _) => number.to_string(),
        (_, true) => format!("{value:.2}"),
        (_, false) => format!("{value:.0}"),
    };
    html! { data value=(number) { (text) "\u{a0}" (unit) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        let text = |markup: Markup| markup.into_string();
        assert_eq!(text(bytes(999)), "<data value=\"999\">999\u{a0}B</data>");
        assert_eq!(text(bytes(1_234_567)), "<data value=\"1234567\">1.23\u{a0}MB</data>");
        assert_eq!(
            text(exact(1_234_567)),
            "<data value=\"1234567\">1\u{202f}234\u{202f}567</data>"
        );
        assert_eq!(text(exact(0)), "<data value=\"0\">0</data>");
    }

    #[test]
    fn colours_of_waste() {
        assert_eq!(step(0, 0), None);
        assert_eq!(step(1, 1000).as_deref(), Some("w1"));
        assert_eq!(step(1000, 1000).as_deref(), Some("w5"));
        assert_eq!(step(u64::MAX, u64::MAX).as_deref(), Some("w5"));
    }
}

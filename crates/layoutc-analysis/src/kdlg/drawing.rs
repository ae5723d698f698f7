//! Graphs as DOT and SVG texts. Darker edges join fields that are closer in memory.

use super::graph::{Distance, Kdlg};
use std::fmt::Write;
use svg::Document;
use svg::node::element::{Circle, Group, Line, Rectangle, Text, Title};

/// A graph to draw.
#[derive(Clone, Debug)]
pub struct Drawn<'a> {
    /// The graph.
    pub graph: &'a Kdlg,
    /// What stands above it.
    pub title: String,
    /// Its clusters, each with its layout.
    pub clusters: Vec<(Vec<usize>, String)>,
}

/// Colours of clusters; black text on them can be read.
const COLOURS: [&str; 8] =
    ["#b7d4f0", "#f9d9a6", "#c5e6c5", "#f2c9da", "#dccff0", "#f1eab0", "#c4e8e6", "#e4d0bd"];
/// The grey of the furthest edge that is not infinite.
const LIGHTEST: f64 = 200.0;
/// That of infinite ones.
const INFINITE: u8 = 230;
/// Radius of a vertex, and what is left free around a drawing.
const VERTEX: f64 = 26.0;
const MARGIN: f64 = 24.0;
/// Graphs of more fields have no numbers at their edges.
const LABELLED: usize = 8;
/// Height of a line of text.
const LINE: f64 = 18.0;

impl Drawn<'_> {
    /// The grey of an edge: darker is closer, by the logarithm.
    fn grey(&self, distance: Distance) -> u8 {
        let Distance::Bytes(bytes) = distance else { return INFINITE };
        let finite = self.graph.edges().filter_map(|(.., other)| match other {
            Distance::Bytes(bytes) => Some(bytes),
            Distance::Infinite => None,
        });
        let scale = |bytes: u64| (bytes as f64 + 1.0).log2();
        let most = scale(finite.max().unwrap_or(bytes)).max(f64::MIN_POSITIVE);
        (LIGHTEST * scale(bytes) / most) as u8
    }

    fn colour(&self, field: usize) -> &'static str {
        let cluster = self.clusters.iter().position(|(fields, _)| fields.contains(&field));
        COLOURS[cluster.unwrap_or(0) % COLOURS.len()]
    }

    /// The edges, furthest first, so that dark ones are drawn last.
    fn edges(&self) -> Vec<(usize, usize, Distance)> {
        let mut edges: Vec<_> = self.graph.edges().collect();
        edges.sort_by_key(|(f, g, distance)| (std::cmp::Reverse(*distance), *f, *g));
        edges
    }
}

/// Graphs in the language of Graphviz, for `dot`, `neato` or `circo`.
#[must_use]
pub fn dot(graphs: &[Drawn<'_>]) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let mut out =
        String::from("graph kdlg {\n  layout = circo;\n  node [shape = circle, style = filled];\n");
    for (number, drawn) in graphs.iter().enumerate() {
        let _ = writeln!(out, "  subgraph cluster_{number} {{");
        let _ = writeln!(out, "    label = {};", quoted(&drawn.title));
        for (at, field) in drawn.graph.fields.iter().enumerate() {
            let label = quoted(&format!("{}\nσ = {}", field.name, field.size)).replace('\n', "\\n");
            let colour = drawn.colour(at);
            let _ =
                writeln!(out, "    n{number}_{at} [label = {label}, fillcolor = \"{colour}\"];");
        }
        for (f, g, distance) in drawn.edges() {
            let grey = drawn.grey(distance);
            let style = if distance == Distance::Infinite { ", style = dashed" } else { "" };
            let _ = writeln!(
                out,
                "    n{number}_{f} -- n{number}_{g} [label = \"{distance}\", color = \"#{grey:02x}{grey:02x}{grey:02x}\"{style}];"
            );
        }
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}

/// Graphs as one SVG text, one below the other. The same graphs give the same text.
#[must_use]
pub fn svg(graphs: &[Drawn<'_>]) -> String {
    let mut panels = Vec::new();
    let (mut top, mut width) = (MARGIN, 0.0_f64);
    for drawn in graphs {
        let (panel, size) = panel(drawn, top);
        panels.push(panel);
        width = width.max(size.0);
        top += size.1 + MARGIN;
    }
    let mut document = Document::new()
        .set("viewBox", (0, 0, width.ceil(), top.ceil()))
        .set("width", width.ceil())
        .set("height", top.ceil())
        .set("font-family", "monospace")
        .set("font-size", 12)
        .add(Title::new("Kernel Data Layout Graphs"))
        .add(
            Rectangle::new()
                .set("width", width.ceil())
                .set("height", top.ceil())
                .set("fill", "white"),
        );
    for panel in panels {
        document = document.add(panel);
    }
    format!("{document}\n")
}

fn panel(drawn: &Drawn<'_>, top: f64) -> (Group, (f64, f64)) {
    let count = drawn.graph.fields.len();
    let radius = (count as f64 * VERTEX * 2.6 / std::f64::consts::TAU).max(VERTEX * 3.0);
    let lines: Vec<String> = (drawn.clusters.iter())
        .map(|(fields, layout)| {
            let names: Vec<&str> =
                fields.iter().map(|at| drawn.graph.fields[*at].name.as_str()).collect();
            format!("{{{}}} {layout}", names.join(" "))
        })
        .collect();
    let letters = lines.iter().chain([&drawn.title]).map(|line| line.chars().count()).max();
    let text_width = letters.unwrap_or(0) as f64 * 7.5 + 2.0 * MARGIN;
    let width = text_width.max(2.0 * (radius + VERTEX + MARGIN));
    let middle = (width / 2.0, top + LINE + VERTEX + radius);
    let place = |at: usize| {
        let angle =
            std::f64::consts::TAU * at as f64 / count.max(1) as f64 - std::f64::consts::FRAC_PI_2;
        (middle.0 + radius * angle.cos(), middle.1 + radius * angle.sin())
    };
    let mut panel = Group::new().add(text((MARGIN, top), "start", &drawn.title));
    for (f, g, distance) in drawn.edges() {
        let (from, to) = (place(f), place(g));
        let grey = drawn.grey(distance);
        let names = [f, g].map(|at| drawn.graph.fields[at].name.as_str());
        let mut line = Line::new()
            .set("x1", rounded(from.0))
            .set("y1", rounded(from.1))
            .set("x2", rounded(to.0))
            .set("y2", rounded(to.1))
            .set("stroke", format!("#{grey:02x}{grey:02x}{grey:02x}"))
            .set("stroke-width", if distance == Distance::Infinite { 1 } else { 3 });
        if distance == Distance::Infinite {
            line = line.set("stroke-dasharray", "4 3");
        }
        panel =
            panel.add(line.add(Title::new(format!("δ({}, {}) = {distance}", names[0], names[1]))));
        if count <= LABELLED {
            // Nearer to one end, so that numbers of crossing edges stand apart.
            let at = (from.0 * 0.6 + to.0 * 0.4, from.1 * 0.6 + to.1 * 0.4 - 3.0);
            panel = panel.add(text(at, "middle", &distance.to_string()));
        }
    }
    for (at, field) in drawn.graph.fields.iter().enumerate() {
        let (x, y) = place(at);
        let circle = Circle::new()
            .set("cx", rounded(x))
            .set("cy", rounded(y))
            .set("r", VERTEX)
            .set("fill", drawn.colour(at))
            .set("stroke", "black");
        panel = panel.add(circle).add(text((x, y - 2.0), "middle", &field.name)).add(text(
            (x, y + 12.0),
            "middle",
            &format!("σ = {}", field.size),
        ));
    }
    let mut y = middle.1 + radius + VERTEX + LINE;
    for ((fields, _), line) in drawn.clusters.iter().zip(&lines) {
        let colour = fields.first().map_or(COLOURS[0], |field| drawn.colour(*field));
        let mark = Rectangle::new()
            .set("x", MARGIN)
            .set("y", rounded(y - 11.0))
            .set("width", 14)
            .set("height", 14)
            .set("fill", colour)
            .set("stroke", "black");
        panel = panel.add(mark).add(text((MARGIN + 22.0, y), "start", line));
        y += LINE;
    }
    (panel, (width, y - top))
}

fn text((x, y): (f64, f64), anchor: &str, content: &str) -> Text {
    Text::new(content).set("x", rounded(x)).set("y", rounded(y)).set("text-anchor", anchor)
}

fn rounded(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

//! A drawing of address bits: what feeds each, and which of them coalesce and steer.

use super::{AddressBit, Column, Explanation, Feed, Model};
use svg::Document;
use svg::node::element::{Group, Line, Rectangle, Text, Title};

/// Width and height of a box.
const BOX: (usize, usize) = (46, 40);
const MARGIN: usize = 16;
/// Where the numbers of the bits, the boxes and the brackets stand.
const NUMBERS: usize = 58;
const BOXES: usize = 66;
const BRACKETS: usize = 120;
const BRACKET_ROW: usize = 26;
/// The box for everything above, in boxes.
const ABOVE: usize = 4;
/// Letters of a line of notes.
const LINE: usize = 100;
/// Distinct in grey as well; text on them is black.
const COLOURS: [&str; 6] = ["#7fb2e5", "#f4b860", "#9bd39b", "#e59ab8", "#c3aee0", "#e6dc6e"];
const BYTES: &str = "#d8d8d8";
const REST: &str = "#f4f4f4";

/// The drawing of an explanation as SVG text. The same explanation gives the same text.
///
/// One box per address bit, the highest at the left: the subscript and its bit, coloured by
/// subscript; below, which index drives it (`t` thread, `b` block, `·` nothing that is in flight).
/// Brackets mark the burst offset and the steering bits.
#[must_use]
pub fn svg(explanation: &Explanation) -> String {
    let bits = &explanation.address_bits;
    let boxes = bits.len() + if explanation.above.is_empty() { 0 } else { ABOVE };
    let legend = legend(explanation);
    let brackets = brackets(explanation);
    let title = format!("D = {}", explanation.dimension_vector);
    let subtitle = format!("FF = {}", explanation.flattening_function);
    let notes: Vec<String> = explanation.notes.iter().flat_map(|note| wrapped(note)).collect();
    let labels = legend.iter().map(|(_, label)| label);
    let longest = [&title, &subtitle].into_iter().chain(labels).chain(&notes);
    let letters = longest.map(|text| text.chars().count()).max().unwrap_or(0);
    let width = 2 * MARGIN + (boxes * BOX.0).max(22 + letters * 15 / 2);
    let legend_top = BRACKETS + brackets.len() * BRACKET_ROW + 20;
    let height = legend_top + 20 * (legend.len() + notes.len()) + MARGIN;
    let mut document = Document::new()
        .set("viewBox", (0, 0, width, height))
        .set("width", width)
        .set("height", height)
        .set("font-family", "monospace")
        .set("font-size", 12)
        .add(Title::new(format!("Address bits on {}", explanation.device)))
        .add(Rectangle::new().set("width", width).set("height", height).set("fill", "white"))
        .add(text(MARGIN, 20, "start", &title))
        .add(text(MARGIN, 38, "start", &subtitle));
    for bit in bits {
        document = document.add(bit_box(explanation, bit, left_of(boxes, bit.bit)));
    }
    if !explanation.above.is_empty() {
        let width = ABOVE * BOX.0;
        document = document.add(
            Group::new()
                .add(rectangle(MARGIN, width, REST).set("stroke-dasharray", "4 2"))
                .add(text(MARGIN + width / 2, BOXES + 17, "middle", &explanation.above.join(", ")))
                .add(text(MARGIN + width / 2, BOXES + 33, "middle", "above")),
        );
    }
    for (row, (label, high, low)) in brackets.iter().enumerate() {
        let (left, right) = (left_of(boxes, *high) + 2, left_of(boxes, *low) + BOX.0 - 2);
        let y = BRACKETS + row * BRACKET_ROW;
        let line = |from: (usize, usize), to: (usize, usize)| {
            Line::new()
                .set("x1", from.0)
                .set("y1", from.1)
                .set("x2", to.0)
                .set("y2", to.1)
                .set("stroke", "black")
        };
        document = document.add(
            Group::new()
                .add(line((left, y), (right, y)))
                .add(line((left, y - 5), (left, y)))
                .add(line((right, y - 5), (right, y)))
                .add(text((left + right) / 2, y + 14, "middle", label)),
        );
    }
    for (row, (colour, label)) in legend.iter().enumerate() {
        let y = legend_top + 20 * row;
        document = document.add(
            Group::new()
                .add(
                    Rectangle::new()
                        .set("x", MARGIN)
                        .set("y", y - 11)
                        .set("width", 14)
                        .set("height", 14)
                        .set("fill", *colour)
                        .set("stroke", "black"),
                )
                .add(text(MARGIN + 22, y, "start", label)),
        );
    }
    for (row, note) in notes.iter().enumerate() {
        let y = legend_top + 20 * (legend.len() + row);
        document = document.add(text(MARGIN, y, "start", note));
    }
    format!("{document}\n")
}

/// A text in lines.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < LINE => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn text(x: usize, y: usize, anchor: &str, content: &str) -> Text {
    Text::new(content).set("x", x).set("y", y).set("text-anchor", anchor)
}

fn rectangle(x: usize, width: usize, fill: &str) -> Rectangle {
    Rectangle::new()
        .set("x", x)
        .set("y", BOXES)
        .set("width", width)
        .set("height", BOX.1)
        .set("fill", fill)
        .set("stroke", "black")
}

/// The left edge of a bit's box.
fn left_of(boxes: usize, bit: u32) -> usize {
    MARGIN + (boxes - 1 - bit as usize) * BOX.0
}

fn bit_box(explanation: &Explanation, bit: &AddressBit, x: usize) -> Group {
    let (fill, label, driver) = match &bit.feed {
        Feed::Byte => (BYTES, "byte".to_owned(), String::new()),
        Feed::Index { dimension, bit, drivers } => {
            let name = &explanation.dimensions[*dimension as usize].name;
            (colour(*dimension as usize), format!("{name}.{bit}"), driver(drivers))
        }
    };
    let middle = x + BOX.0 / 2;
    let stroke = if bit.is_most_important { 3 } else { 1 };
    Group::new()
        .add(text(middle, NUMBERS, "middle", &bit.bit.to_string()))
        .add(rectangle(x, BOX.0, fill).set("stroke-width", stroke))
        .add(text(middle, BOXES + 17, "middle", &label))
        .add(text(middle, BOXES + 33, "middle", &driver))
}

fn colour(dimension: usize) -> &'static str {
    COLOURS[dimension % COLOURS.len()]
}

fn driver(drivers: &[Column]) -> String {
    let any = |test: fn(&Column) -> bool| drivers.iter().any(test);
    let threads = any(|column| matches!(column, Column::Thread(_)));
    let blocks = any(|column| matches!(column, Column::Block(_)));
    match (threads, blocks) {
        (true, true) => "t+b",
        (true, false) => "t",
        (false, true) => "b",
        (false, false) => "·",
    }
    .to_owned()
}

/// The labels of the colours that occur, and of the letters.
fn legend(explanation: &Explanation) -> Vec<(&'static str, String)> {
    let mut legend: Vec<(&str, String)> = Vec::new();
    for (at, dimension) in explanation.dimensions.iter().enumerate() {
        let fastest = if dimension.is_fastest { ", neighbouring lanes" } else { "" };
        let text = format!("index {} of {}{fastest}", dimension.name, dimension.extent);
        legend.push((colour(at), text));
    }
    let letters = "t: threads of a block differ, b: blocks that run together differ, ·: neither";
    legend.push((BYTES, format!("byte of a value; {letters}")));
    legend
}

/// The labelled ranges, cut to the bits that are drawn.
fn brackets(explanation: &Explanation) -> Vec<(String, u32, u32)> {
    let Model::Steering(model) = &explanation.model else { return Vec::new() };
    let most = model.most_important.map(|range| ("most important", range));
    let all = [Some(("burst offset", model.coalescing)), Some(("steering", model.steering)), most];
    let drawn = explanation.address_bits.len() as u32;
    all.into_iter()
        .flatten()
        .filter(|(_, range)| range.low < drawn)
        .map(|(label, range)| (format!("{label} {range}"), range.high.min(drawn - 1), range.low))
        .collect()
}

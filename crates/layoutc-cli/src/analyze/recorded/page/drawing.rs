//! Layouts as SVG: one row of boxes for each group.

use crate::strips::{Piece, Strip, What};
use maud::{Markup, html};

/// Of a byte, where the name of a member does not need more, and the widest box.
const BYTE: usize = 9;
const WIDEST: usize = 110;
/// Of a letter of a name, and what is left free beside names.
const LETTER: usize = 8;
const GAP: usize = 10;
/// Heights: of a box, and of a row with its title and offsets.
const BOX: usize = 26;
const ROW: usize = 72;
const TITLE: usize = 16;
/// Colours of fields; dark text on them can be read, whatever the page's own colours.
const COLOURS: [&str; 8] =
    ["#b7d4f0", "#f9d9a6", "#c5e6c5", "#f2c9da", "#dccff0", "#f1eab0", "#c4e8e6", "#e4d0bd"];
const DARK: &str = "#16161a";
const EDGE: &str = "#77777f";

/// The drawing; `label` says what it is where it cannot be seen.
pub(super) fn svg(label: &str, strips: &[Strip]) -> Markup {
    let widths = strips.iter().map(|strip| {
        let pieces: usize = strip.pieces.iter().map(width).sum();
        pieces.max(strip.title.chars().count() * LETTER) + 3 * GAP
    });
    let (width, height) = (widths.max().unwrap_or(0), strips.len() * ROW);
    html! {
        div.wide {
            svg role="img" aria-label=(label) xmlns="http://www.w3.org/2000/svg" width=(width) height=(height)
                viewBox={ "0 0 " (width) " " (height) } font-family="ui-monospace, monospace" font-size="12" {
                @for (at, strip) in strips.iter().enumerate() {
                    g transform={ "translate(0 " (at * ROW) ")" } {
                        text x="1" y=(TITLE - 3) fill="currentColor" { (strip.title) }
                        (boxes(&strip.pieces))
                    }
                }
            }
        }
    }
}

fn boxes(pieces: &[Piece]) -> Markup {
    let mut left = 1;
    let placed = pieces.iter().map(|piece| {
        let own = left;
        left += width(piece);
        (own, piece)
    });
    let placed: Vec<(usize, &Piece)> = placed.collect();
    html! {
        @for (left, piece) in placed {
            @let own = width(piece);
            @let fill = colour(piece);
            g {
                title { (name(piece)) ": byte " (piece.offset) ", " (piece.bytes) " bytes" }
                rect x=(left) y=(TITLE + 2) width=(own) height=(BOX) stroke=(EDGE) fill=(fill.unwrap_or("none"))
                    stroke-dasharray=[fill.is_none().then_some("3 2")] {}
                text x=(left + own / 2) y=(TITLE + 19) text-anchor="middle"
                    fill=(fill.map_or("currentColor", |_| DARK)) { (name(piece)) }
                text x=(left + 1) y=(TITLE + BOX + 13) font-size="10" fill="currentColor" { (piece.offset) }
            }
        }
        @if !pieces.is_empty() { text x=(left + 5) y=(TITLE + 19) fill="currentColor" { "…" } }
    }
}

fn width(piece: &Piece) -> usize {
    let bytes = usize::try_from(piece.bytes).unwrap_or(usize::MAX).saturating_mul(BYTE);
    bytes.min(WIDEST).max(name(piece).chars().count() * LETTER + GAP)
}

/// The colour of a member; none for free bytes.
fn colour(piece: &Piece) -> Option<&'static str> {
    match piece.what {
        What::Field { leaf, .. } | What::More { leaf, .. } => Some(COLOURS[leaf % COLOURS.len()]),
        What::Padding => None,
    }
}

/// The member, and the number of the element below it.
fn name(piece: &Piece) -> String {
    match &piece.what {
        What::Field { name, element, .. } => {
            let digits = element.to_string();
            let low = digits.bytes().map(|digit| u32::from(digit - b'0') + u32::from('₀'));
            name.chars().chain(low.filter_map(char::from_u32)).collect()
        }
        What::More { name, .. } => format!("{name}…"),
        What::Padding => "free".to_owned(),
    }
}

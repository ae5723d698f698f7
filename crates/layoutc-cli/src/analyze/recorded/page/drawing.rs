//! Layouts as SVG: one row of boxes for each group.

use super::super::strips::{Piece, Strip, What};
use maud::{Markup, html};

/// Of a byte, where the name of a member does not need more, and the widest box.
const BYTE: usize = 9;
const WIDEST: usize = 150;
/// Of a letter of a name, and what is left free beside names.
const LETTER: usize = 8;
const GAP: usize = 10;
/// Heights: of a box, and of a row with its title and offsets.
const BOX: usize = 26;
const ROW: usize = 72;
const TITLE: usize = 16;
/// Colours of the style sheet.
const COLOURS: usize = 8;

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
                viewBox={ "0 0 " (width) " " (height) } {
                @for (at, strip) in strips.iter().enumerate() {
                    g transform={ "translate(0 " (at * ROW) ")" } {
                        text x="1" y=(TITLE - 3) { (strip.title) }
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
            g {
                title { (name(piece)) ": byte " (piece.offset) ", " (piece.bytes) " bytes" }
                rect class=(class(piece)) x=(left) y=(TITLE + 2) width=(width(piece)) height=(BOX) {}
                text.name x=(left + width(piece) / 2) y=(TITLE + 19) { (name(piece)) }
                text.offset x=(left + 1) y=(TITLE + BOX + 14) { (piece.offset) }
            }
        }
        @if !pieces.is_empty() { text x=(left + 5) y=(TITLE + 19) { "…" } }
    }
}

fn width(piece: &Piece) -> usize {
    let bytes = usize::try_from(piece.bytes).unwrap_or(usize::MAX).saturating_mul(BYTE);
    bytes.min(WIDEST).max(name(piece).chars().count() * LETTER + GAP)
}

fn class(piece: &Piece) -> String {
    match piece.what {
        What::Field { leaf, .. } | What::More { leaf, .. } => format!("f{}", leaf % COLOURS),
        What::Padding => "padding".to_owned(),
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

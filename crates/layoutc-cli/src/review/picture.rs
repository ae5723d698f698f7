//! The first elements in memory as text, which every viewer of Markdown shows.
//!
//! ```text
//! structs of the record, 12 bytes
//! | x0 | y0 | id0 | x1 | y1 | id1 | …
//! 0    4    8     12   16   20
//! ```

use crate::strips::{Piece, Strip, What};

/// Columns of a picture; what does not fit is left out.
const WIDTH: usize = 100;

/// The picture of a layout.
pub fn picture(strips: &[Strip]) -> String {
    strips.iter().map(drawn).collect()
}

fn drawn(strip: &Strip) -> String {
    let (mut boxes, mut offsets) = (String::new(), String::new());
    for piece in &strip.pieces {
        let name = name(piece);
        if boxes.chars().count() + name.chars().count() > WIDTH {
            break;
        }
        let offset = piece.offset.to_string();
        // Each box is as wide as its offset.
        let width = name.chars().count().max(offset.len().saturating_sub(2));
        boxes.push_str(&format!("| {name:width$} "));
        offsets.push_str(&format!("{offset:<0$}", width + 3));
    }
    if boxes.is_empty() {
        return format!("{}\n", strip.title);
    }
    format!("{}\n{boxes}| …\n{}\n", strip.title, offsets.trim_end())
}

/// The member and the number of its element.
fn name(piece: &Piece) -> String {
    match &piece.what {
        What::Field { name, element, .. } if name.ends_with(|last: char| last.is_ascii_digit()) => {
            format!("{name}:{element}")
        }
        What::Field { name, element, .. } => format!("{name}{element}"),
        What::More { name, .. } => format!("{name}…"),
        What::Padding => "free".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strips::strips;
    use layoutc_dataflow::layout::{Layout, RecordShape};

    #[test]
    fn boxes_stand_above_their_offsets() {
        let members: [(&str, &str, u64, u64, &[u64]); 2] =
            [("x", "float", 4, 4, &[]), ("k2", "short", 2, 2, &[])];
        let shape = RecordShape::flat("S", members);
        assert_eq!(
            picture(&strips(&shape, &Layout::aos(&shape))),
            "structs of the record, 8 bytes\n\
             | x0 | k2:0 | free | x1 | k2:1 | free | x2 | k2:2 | free | x3 | k2:3 | free | …\n\
             0    4      6      8    12     14     16   20     22     24   28     30\n"
        );
        let soa = picture(&strips(&shape, &Layout::soa(&shape)));
        assert!(soa.contains("\n| x0 | x1 | x2 | x3 | x4 | x5 | …\n0    4 "), "{soa}");
    }
}

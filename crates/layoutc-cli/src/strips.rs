//! The first elements of a layout, byte by byte.

use layoutc_dataflow::layout::{Group, GroupForm, Layout, Leaf, RecordShape};
use serde::Serialize;

/// Bytes of structs that are shown at most, where that is more than [`FEWEST`] of them.
const MOST_BYTES: u64 = 96;
/// Structs that are shown in any case, and in no case more.
const FEWEST: u64 = 2;
const MOST: u64 = 4;
/// Elements of an array, and slots of a tile, that are shown.
const ARRAY: u64 = 6;
const SLOTS: u64 = 2;

/// The beginning of a group: an array of structs, of tiles or of scalars.
#[derive(Serialize)]
pub struct Strip {
    /// What it is.
    pub title: String,
    /// From its first byte; none, if the order of elements is not that of their indices.
    pub pieces: Vec<Piece>,
}

/// Bytes beside each other.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Piece {
    /// From the first byte of the group.
    pub offset: u64,
    /// How many.
    pub bytes: u64,
    /// What they hold.
    pub what: What,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum What {
    /// A member of an element.
    Field {
        /// A position among the record's leaves.
        leaf: usize,
        name: String,
        element: u64,
    },
    /// The same of more elements.
    More { leaf: usize, name: String },
    /// Bytes that nothing uses.
    Padding,
}

/// The groups of a layout.
pub fn strips(shape: &RecordShape, layout: &Layout) -> Vec<Strip> {
    layout.groups().iter().map(|group| strip(shape, group)).collect()
}

fn strip(shape: &RecordShape, group: &Group) -> Strip {
    let own = group.struct_layout(shape);
    let leaves = || group.leaves().iter().map(|leaf| (leaf.index(), shape.leaf(*leaf)));
    let names = leaves().map(|(_, leaf)| leaf.path.as_str()).collect::<Vec<_>>().join(" ");
    let bytes = own.size.0;
    let aligned = match group.align() {
        Some(align) => format!(", aligned to {}", align.0),
        None => String::new(),
    };
    let mut pieces = Pieces::default();
    let title = match group.form() {
        GroupForm::Struct => {
            let shown = (MOST_BYTES / bytes.max(1)).clamp(FEWEST, MOST);
            for element in 0..shown {
                for ((at, leaf), offset) in leaves().zip(&own.offsets) {
                    let what = What::Field { leaf: at, name: named(leaf), element };
                    pieces.put(element * bytes + offset.0, leaf.size().0, what);
                }
                pieces.pad((element + 1) * bytes);
            }
            match group.is_whole_record() {
                true => format!("structs of the record, {bytes} bytes{aligned}"),
                false => format!("structs {{{names}}} of {bytes} bytes{aligned}"),
            }
        }
        GroupForm::Tile(tile) => {
            for ((at, leaf), offset) in leaves().zip(&own.offsets) {
                // Of a member array, the slots of its first scalar; the others lie behind.
                let name = first(leaf);
                let size = leaf.scalar_size.0;
                let shown = SLOTS.min(tile);
                for element in 0..shown {
                    let what = What::Field { leaf: at, name: name.clone(), element };
                    pieces.put(offset.0 + element * size, size, what);
                }
                let rest = leaf.size().0 * tile - shown * size;
                if rest > 0 {
                    pieces.put(
                        offset.0 + shown * size,
                        rest,
                        What::More { leaf: at, name: named(leaf) },
                    );
                }
            }
            pieces.pad(bytes);
            format!("tiles of {tile} elements: {{{names}}}, {bytes} bytes{aligned}")
        }
        GroupForm::Array => {
            for (at, leaf) in leaves() {
                let name = first(leaf);
                for element in 0..ARRAY {
                    let what = What::Field { leaf: at, name: name.clone(), element };
                    pieces.put(element * bytes, bytes, what);
                }
            }
            match leaves().map(|(_, leaf)| leaf.scalars()).sum::<u64>() {
                1 => format!("array {names} of {bytes} bytes each"),
                count => format!("{count} arrays {names} of {bytes} bytes each; the first one"),
            }
        }
        GroupForm::Grid => {
            format!("{{{names}}} of {bytes} bytes, cells in the order of the layout")
        }
    };
    Strip { title, pieces: pieces.done }
}

/// A leaf as it is declared.
fn named(leaf: &Leaf) -> String {
    leaf.path.clone() + &leaf.extents.iter().map(|n| format!("[{n}]")).collect::<String>()
}

/// The first scalar of a leaf.
fn first(leaf: &Leaf) -> String {
    leaf.path.clone() + &"[0]".repeat(leaf.extents.len())
}

/// Pieces from the first byte on.
#[derive(Default)]
struct Pieces {
    done: Vec<Piece>,
    end: u64,
}

impl Pieces {
    fn put(&mut self, offset: u64, bytes: u64, what: What) {
        self.pad(offset);
        self.done.push(Piece { offset, bytes, what });
        self.end = offset + bytes;
    }

    /// Fills up to an offset.
    fn pad(&mut self, offset: u64) {
        if offset > self.end {
            let bytes = offset - self.end;
            self.done.push(Piece { offset: self.end, bytes, what: What::Padding });
            self.end = offset;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutc_dataflow::layout::{Bytes, LeafId};

    fn shape() -> RecordShape {
        let members: [(&str, &str, u64, u64, &[u64]); 3] =
            [("x", "float", 4, 4, &[]), ("d", "double", 8, 8, &[]), ("f", "float", 4, 4, &[3])];
        RecordShape::flat("S", members)
    }

    /// Pieces lie beside each other, from the first byte of a group to the end of its last struct.
    #[test]
    fn pieces_cover_their_group() -> Result<(), layoutc_dataflow::layout::LayoutError> {
        let shape = shape();
        let group = Group::aos(&shape, vec![LeafId(0), LeafId(2)], Some(Bytes(16)))?;
        let rest = Group::array(&shape, LeafId(1));
        let mixed = Layout::new(&shape, 1, vec![group, rest])?;
        let tiles = Layout::tiled(&shape, 32, None)?;
        for layout in [Layout::aos(&shape), Layout::soa(&shape), mixed, tiles] {
            for (strip, group) in strips(&shape, &layout).iter().zip(layout.groups()) {
                let mut end = 0;
                for piece in &strip.pieces {
                    assert_eq!(piece.offset, end, "{}", strip.title);
                    end += piece.bytes;
                }
                assert_eq!(end % group.struct_layout(&shape).size.0, 0, "{}", strip.title);
            }
        }
        Ok(())
    }

    #[test]
    fn padding_is_shown() {
        let shape = shape();
        let found = strips(&shape, &Layout::aos(&shape));
        let padding: Vec<(u64, u64)> = (found[0].pieces.iter())
            .filter(|piece| piece.what == What::Padding)
            .map(|piece| (piece.offset, piece.bytes))
            .collect();
        assert_eq!(padding[..2], [(4, 4), (28, 4)]);
    }
}

//! How the parts of an array in a chosen layout are aligned.

use super::feed::Segment;
use layoutc_dataflow::layout::{GroupForm, Layout, RecordShape};

/// How the parts of an allocation are aligned: where each group of a layout begins, and its struct's
/// alignment.
pub fn segments(shape: &RecordShape, layout: &Layout, bytes: u64) -> Vec<Segment> {
    let groups = groups(shape, layout);
    let starts = |elements: u64| {
        let mut at: u64 = 0;
        let mut found = Vec::new();
        for (tile, stride, align, planes) in &groups {
            // A plain array of a member that is an array is one array for each of its scalars.
            let (stride, count) =
                if *planes > 1 { (stride / planes, *planes) } else { (*stride, 1) };
            for _ in 0..count {
                at = at.next_multiple_of(256);
                found.push(Segment { start: at, align: *align });
                at = at.saturating_add(elements.div_ceil(*tile).saturating_mul(stride));
            }
        }
        (found, at)
    };
    // As many elements as fit; groups follow each other in the order of the layout.
    let (mut least, mut most) = (0, bytes + 1);
    while most - least > 1 {
        let middle = least + (most - least) / 2;
        if starts(middle).1 <= bytes {
            least = middle;
        } else {
            most = middle;
        }
    }
    starts(least).0
}

/// Bytes in front of the sections of an OpenCL buffer, and what each section begins at a multiple of.
const HEADER: u64 = 256;

/// The same for an OpenCL buffer of so many bytes that begins with a number of units, as it is divided; none if
/// the layout does not divide it so.
pub fn sections(
    shape: &RecordShape,
    layout: &Layout,
    bytes: u64,
    units: u64,
) -> Option<Vec<Segment>> {
    let groups = groups(shape, layout);
    // Elements of each struct, its bytes, its alignment.
    let each: Vec<(u64, u64, u32)> = groups
        .into_iter()
        .flat_map(|(tile, stride, align, planes)| {
            (0..planes).map(move |_| (tile, stride / planes, align))
        })
        .collect();
    if each.len() < 2 || units == 0 {
        return None;
    }
    let unit = each.iter().try_fold(1, |unit, (tile, stride, _)| {
        let own = tile.checked_mul(HEADER / gcd(*stride, HEADER))?;
        (unit / gcd(unit, own)).checked_mul(own)
    })?;
    let mut at = HEADER;
    let mut found = Vec::new();
    for (tile, stride, align) in each {
        found.push(Segment { start: at, align });
        at = at.checked_add(units.checked_mul(unit / tile)?.checked_mul(stride)?)?;
    }
    (at == bytes).then_some(found)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Of each group: elements of a struct, its bytes, its alignment, and how many arrays it is.
fn groups(shape: &RecordShape, layout: &Layout) -> Vec<(u64, u64, u32, u64)> {
    layout
        .groups()
        .iter()
        .map(|group| {
            let own = group.struct_layout(shape);
            let tile = match group.form() {
                GroupForm::Tile(tile) => tile,
                GroupForm::Array | GroupForm::Struct | GroupForm::Grid => 1,
            };
            let planes = match group.form() {
                GroupForm::Array => shape.leaf(group.leaves()[0]).scalars(),
                _ => 1,
            };
            (tile, own.size.0, u32::try_from(own.align.0).unwrap_or(16), planes)
        })
        .collect()
}

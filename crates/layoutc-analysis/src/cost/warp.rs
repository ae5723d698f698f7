//! What the lanes of a warp access at once.

use super::arrangement::Place;
use super::kernel::{Factor, Gather, Lanes};
use super::nest::LARGE;
use super::price::Stride;
use crate::profile::LEVELS;

/// What is known of the elements that the lanes of the first warp of a block access, relative to its
/// first lane's.
#[derive(Clone, Debug)]
pub(crate) struct WarpIndex {
    lanes: usize,
    /// The row and the element of each lane, if they are known. Elements of different rows are a
    /// symbolic distance apart: they never share a line.
    elements: Option<Vec<(u32, i64)>>,
}

impl WarpIndex {
    /// The elements of the first warp of a block. Threads are numbered along x first.
    pub fn new(lanes: &Lanes, block: [u64; 3], warp_size: u64) -> WarpIndex {
        WarpIndex::of_warp(lanes, block, warp_size, 0)
    }

    /// The elements of any warp of a block.
    pub fn of_warp(lanes: &Lanes, block: [u64; 3], warp_size: u64, warp: u64) -> WarpIndex {
        let start = warp * warp_size;
        let threads = block.iter().product::<u64>();
        let count = threads.saturating_sub(start).min(warp_size);
        let factors = match lanes {
            Lanes::Affine(factors) => factors,
            Lanes::Listed | Lanes::Unknown => {
                return WarpIndex { lanes: count as usize, elements: None };
            }
            Lanes::Single => return WarpIndex { lanes: 1, elements: Some(vec![(0, 0)]) },
            Lanes::Measured(gather) => {
                let elements = Some(gathered(gather, 0.5));
                return WarpIndex { lanes: count as usize, elements };
            }
        };
        let element = |lane: u64| {
            let lane = start + lane;
            let position =
                [lane % block[0], lane / block[0] % block[1], lane / (block[0] * block[1])];
            let (mut row, mut index) = (0, 0i64);
            for (at, factor) in position.into_iter().zip(factors) {
                match factor {
                    Factor::Number(number) => {
                        index += number.clamp(&-LARGE, &LARGE) * at as i64;
                    }
                    // A block has fewer than 1025 threads along each dimension.
                    Factor::Symbol => row = u32::wrapping_mul(row, 1024).wrapping_add(at as u32),
                }
            }
            (row, index)
        };
        WarpIndex { lanes: count as usize, elements: Some((0..count).map(element).collect()) }
    }

    /// How many lanes take part.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// The lanes' rows and elements.
    pub fn elements(&self) -> Option<&[(u32, i64)]> {
        self.elements.as_deref()
    }

    /// The lanes' rows and elements; nothing if they are not known.
    pub fn into_elements(self) -> Vec<(u32, i64)> {
        self.elements.unwrap_or_default()
    }

    /// Bytes between the addresses of neighbouring lanes.
    pub fn stride(&self, place: &Place) -> Stride {
        let Some(elements) = self.elements() else { return Stride::Unknown };
        let mut steps = elements.windows(2).map(|pair| {
            let ((row, from), (next_row, to)) = (pair[0], pair[1]);
            (row == next_row).then(|| address(place, to).abs_diff(address(place, from)))
        });
        let Some(first) = steps.next() else { return Stride::Bytes(0) };
        if steps.all(|step| step == first) {
            first.map_or(Stride::Large, Stride::Bytes)
        } else {
            Stride::Mixed
        }
    }
}

/// Elements of which as many lie in one block of each size as a run has found.
///
/// The largest blocks are rows of their own. Each block of `2^k` elements has one half in use or both, so many of
/// them both that the next level has its number of blocks, as evenly spread over the blocks as it goes. A number that
/// is not whole is rounded down after `part`, from 0 to 1, is added: over evenly spread parts the mean is right.
pub(super) fn gathered(gather: &Gather, part: f64) -> Vec<(u32, i64)> {
    let whole = |level: usize| (gather.blocks(level) + part) as usize;
    let mut blocks: Vec<(u32, i64)> =
        (0..whole(LEVELS - 1).max(1) as u32).map(|row| (row, 0)).collect();
    for level in (0..LEVELS - 1).rev() {
        let count = blocks.len();
        let both = whole(level).clamp(count, 2 * count) - count;
        let mut halves = Vec::with_capacity(count + both);
        for (at, (row, block)) in blocks.into_iter().enumerate() {
            // Which half is in use alone says nothing: each is, in turn.
            let first = ((at + level) % 2) as i64;
            if (at + 1) * both / count > at * both / count {
                halves.extend([(row, 2 * block), (row, 2 * block + 1)]);
            } else {
                halves.push((row, 2 * block + first));
            }
        }
        blocks = halves;
    }
    blocks
}

/// The address of a leaf's first scalar in an element, from the start of the storage.
pub(super) fn address(place: &Place, element: i64) -> i64 {
    let (stride, tile, size) = (place.stride as i64, place.tile as i64, place.size as i64);
    if place.has_planes {
        return element.wrapping_mul(size);
    }
    let outer = element.div_euclid(tile).wrapping_mul(stride);
    outer.wrapping_add(place.offset as i64 + element.rem_euclid(tile) * size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::arrangement::StorageId;

    fn place(stride: u64, tile: u64) -> Place {
        let (storage, offset, size, unit, scalars) = (StorageId(0), 0, 4, 4, 1);
        Place { storage, stride, offset, tile, size, unit, scalars, has_planes: false, align: 4 }
    }

    fn warp(factors: [Factor; 3], block: [u64; 3]) -> WarpIndex {
        WarpIndex::new(&Lanes::Affine(factors), block, 32)
    }

    /// §IV-B4: structs of two integers are 8 bytes apart, integers 4.
    #[test]
    fn the_papers_strides() {
        let unit = warp([Factor::Number(1), Factor::Number(0), Factor::Number(0)], [256, 1, 1]);
        assert_eq!(unit.stride(&place(8, 1)), Stride::Bytes(8));
        assert_eq!(unit.stride(&place(4, 1)), Stride::Bytes(4));
        let down = warp([Factor::Number(-1), Factor::Number(0), Factor::Number(0)], [256, 1, 1]);
        assert_eq!(down.stride(&place(8, 1)), Stride::Bytes(8));
    }

    #[test]
    fn narrow_blocks_wrap() {
        let (one, none) = (Factor::Number(1), Factor::Number(0));
        let wrapping = warp([one, Factor::Number(100), none], [16, 16, 1]);
        assert_eq!(wrapping.stride(&place(4, 1)), Stride::Mixed);
        assert_eq!(wrapping.elements().expect("known")[16], (0, 100));
        let rows = warp([one, Factor::Symbol, none], [16, 16, 1]);
        assert_eq!(rows.elements().expect("known")[31], (1, 15));
        assert_eq!(
            warp([Factor::Symbol, none, none], [64, 1, 1]).stride(&place(4, 1)),
            Stride::Large
        );
        assert_eq!(warp([none; 3], [64, 1, 1]).stride(&place(4, 1)), Stride::Bytes(0));
    }

    #[test]
    fn tiles_of_a_warp_are_as_arrays() {
        let unit = warp([Factor::Number(1), Factor::Number(0), Factor::Number(0)], [256, 1, 1]);
        assert_eq!(unit.stride(&place(1024, 32)), Stride::Bytes(4));
        assert_eq!(unit.stride(&place(512, 16)), Stride::Mixed);
        assert_eq!(address(&place(512, 16), 17), 516);
        assert_eq!(address(&place(512, 16), -1), -512 + 60);
    }
}

//! Fields by kernels: what recorded runs accessed of an array of structs, and which of the bytes that moved
//! nobody asked for.
//!
//! Of an access (an [`Instruction`](crate::profile::Instruction) in one kernel, all loops together) with the sums *c* of its [`Counts`], which
//! moves `b` bytes in each lane ([`Instruction::bytes`](crate::profile::Instruction::bytes)) and can reach `w` bytes of an
//! element (`w > b` where a lane moves one item of a member array or of a vector, otherwise `w = b`):
//!
//! - *asked* = `c.lanes · b`: what all lanes ask for, each on its own;
//! - *used* = min(`(c.lanes − c.address_lanes + c.requests) · b`, `c.blocks[0] · w`): bytes that at least one lane of
//!   the request asks for, or more. Lanes at the address of the first one ask for the same bytes, and of one element
//!   there are no more than `w`;
//! - *fetched* = `c.sectors · 32`: what the sectors hold that the request's lanes touch. What lies in a cache
//!   from an earlier request counts again: it is the traffic between the multiprocessor and its caches;
//! - *wasted* = *fetched* − *used*, or less where *used* is more than what is: exact for scalars and structs, as
//!   `blocks[0]` is the number of distinct elements.
//!
//! Where an access moves several leaves, its bytes are shared out by the sizes of the leaves, so that the cells of
//! a kernel add up to what its accesses moved. Lanes and requests are not shared out: each leaf has them all, and
//! a total has each access once.

use crate::cost_model::Recording;
use crate::profile::{Counts, Totals};
use layoutc_dataflow::layout::RecordShape;
use serde::Serialize;
use std::collections::BTreeMap;

/// Bytes of a sector.
pub const SECTOR: u64 = 32;

/// What accesses did together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Heat {
    /// Accesses by single lanes.
    pub lanes: u64,
    /// Accesses by warps.
    pub requests: u64,
    /// Bytes that lanes ask for.
    pub asked: u64,
    /// Bytes of the sectors that they touch.
    pub fetched: u64,
    /// Bytes of these that no lane of the request asks for.
    pub wasted: u64,
}

impl Heat {
    /// Of one access that moves `bytes` in each lane and can reach `width` bytes of an element.
    #[must_use]
    pub fn new(counts: &Counts, bytes: u64, width: u64) -> Self {
        let others = counts.address_lanes.saturating_sub(counts.requests);
        let apart = counts.lanes.saturating_sub(others).saturating_mul(bytes);
        let used = apart.min(counts.blocks[0].saturating_mul(width));
        let fetched = counts.sectors.saturating_mul(SECTOR);
        Heat {
            lanes: counts.lanes,
            requests: counts.requests,
            asked: counts.lanes.saturating_mul(bytes),
            fetched,
            wasted: fetched.saturating_sub(used),
        }
    }

    /// Adds that of another access.
    pub fn add(&mut self, other: &Heat) {
        let sum = |own: &mut u64, other: u64| *own = own.saturating_add(other);
        sum(&mut self.lanes, other.lanes);
        sum(&mut self.requests, other.requests);
        sum(&mut self.asked, other.asked);
        sum(&mut self.fetched, other.fetched);
        sum(&mut self.wasted, other.wasted);
    }

    /// The part of what is fetched that is wasted, from 0 to 1.
    #[must_use]
    pub fn waste(&self) -> f64 {
        self.wasted as f64 / self.fetched.max(1) as f64
    }

    /// The part of one leaf: its bytes lie at `first .. last` of `all` that the access moves.
    fn part(&self, first: u64, last: u64, all: u64) -> Heat {
        // Parts of neighbours meet, so that all of them add up to the whole.
        let below = |sum: u64, at: u64| (u128::from(sum) * u128::from(at) / u128::from(all)) as u64;
        let part = |sum: u64| below(sum, last) - below(sum, first);
        Heat {
            asked: part(self.asked),
            fetched: part(self.fetched),
            wasted: part(self.wasted),
            ..*self
        }
    }
}

/// The map of an array of structs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct HeatMap {
    /// The leaves of the record, in its order.
    pub fields: Vec<String>,
    /// The kernels that access it, in the order of the text.
    pub kernels: Vec<String>,
    /// By field and kernel; nothing where the kernel does not access the field.
    pub cells: Vec<Vec<Option<Heat>>>,
    /// Of each field, in all kernels.
    pub of_fields: Vec<Heat>,
    /// Of each kernel, each access once.
    pub of_kernels: Vec<Heat>,
    /// Of all.
    pub total: Heat,
}

impl HeatMap {
    /// The map of what some instructions (positions, ascending) did to a record.
    #[must_use]
    pub fn new(
        recording: &Recording,
        instructions: &[u32],
        totals: &Totals,
        shape: &RecordShape,
    ) -> HeatMap {
        let mut sums: BTreeMap<(u32, u32), Counts> = BTreeMap::new();
        for ((kernel, instruction, _), counts) in &totals.accesses {
            if counts.requests > 0 && instructions.binary_search(instruction).is_ok() {
                sums.entry((*kernel, *instruction)).or_default().add(counts);
            }
        }
        let mut numbers: Vec<u32> = sums.keys().map(|(kernel, _)| *kernel).collect();
        numbers.dedup();
        let profile = recording.profile();
        let name = |at: &u32| profile.kernels[*at as usize].name.clone();
        let mut map = HeatMap {
            fields: shape.leaves.iter().map(|leaf| leaf.path.clone()).collect(),
            kernels: numbers.iter().map(name).collect(),
            cells: vec![vec![None; numbers.len()]; shape.leaves.len()],
            of_fields: vec![Heat::default(); shape.leaves.len()],
            of_kernels: vec![Heat::default(); numbers.len()],
            total: Heat::default(),
        };
        for ((kernel, instruction), counts) in sums {
            let Ok(column) = numbers.binary_search(&kernel) else { continue };
            let leaves = recording.leaves(instruction, shape);
            let width: u64 = leaves.iter().map(|leaf| shape.leaf(*leaf).size().0).sum();
            let bytes = profile.instructions[instruction as usize].bytes();
            let heat = Heat::new(&counts, bytes, width);
            let mut first = 0;
            for leaf in leaves {
                let last = first + shape.leaf(leaf).size().0;
                let part = heat.part(first, last, width);
                map.cells[leaf.index()][column].get_or_insert_default().add(&part);
                map.of_fields[leaf.index()].add(&part);
                first = last;
            }
            map.of_kernels[column].add(&heat);
            map.total.add(&heat);
        }
        map
    }

    /// The most bytes that a cell wastes.
    #[must_use]
    pub fn hottest(&self) -> u64 {
        self.cells.iter().flatten().flatten().map(|heat| heat.wasted).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(lanes: u64, elements: u64, at_first: u64, sectors: u64) -> Counts {
        let mut counts = Counts { requests: 1, lanes, sectors, ..Counts::default() };
        (counts.blocks[0], counts.address_lanes) = (elements, at_first);
        counts
    }

    /// A warp on `float`s of neighbours, of structs of 32 bytes, of one element, and of pairs.
    #[test]
    fn waste_is_what_nobody_asks_for() {
        let wasted = |counts: Counts| Heat::new(&counts, 4, 4).wasted;
        assert_eq!(wasted(counts(32, 32, 1, 4)), 0);
        assert_eq!(wasted(counts(32, 32, 1, 32)), 32 * 28);
        assert_eq!(wasted(counts(32, 1, 32, 1)), 28);
        assert_eq!(wasted(counts(32, 16, 2, 16)), 16 * 28);
    }

    /// Member arrays of 9 `float`s: each lane has its element, all lanes one scalar of one element, or nine.
    #[test]
    fn scalars_of_member_arrays() {
        let wasted = |counts: Counts| Heat::new(&counts, 4, 36).wasted;
        assert_eq!(wasted(counts(32, 32, 1, 32)), 32 * 28);
        assert_eq!(wasted(counts(32, 1, 32, 1)), 28);
        assert_eq!(wasted(counts(9, 1, 1, 2)), 64 - 36);
    }

    /// Structs of 48 bytes, 32 of them: as a whole they are 48 sectors; 12 bytes at the start of each are on 32.
    #[test]
    fn structs_reach_into_sectors_behind() {
        let heat = Heat::new(&counts(32, 32, 1, 48), 48, 48);
        assert_eq!((heat.fetched, heat.wasted), (48 * 32, 0));
        let heat = Heat::new(&counts(32, 32, 1, 32), 12, 12);
        assert_eq!((heat.fetched, heat.wasted), (32 * 32, 32 * 20));
    }

    #[test]
    fn parts_add_up() {
        let heat = Heat { lanes: 7, requests: 1, asked: 84, fetched: 100, wasted: 17 };
        let parts = [heat.part(0, 4, 12), heat.part(4, 8, 12), heat.part(8, 12, 12)];
        assert_eq!(parts.iter().map(|part| part.fetched).sum::<u64>(), 100);
        assert_eq!(parts.iter().map(|part| part.wasted).sum::<u64>(), 17);
        assert!(parts.iter().all(|part| part.lanes == 7));
    }
}

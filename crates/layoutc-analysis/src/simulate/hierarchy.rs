//! The caches of a device and the way of a request through them.

use super::cache::{Cache, CacheShape};
use super::coalescer::{Grain, Line, Request};
use super::counts::Counts;
use super::machine::Machine;
use crate::cost::kernel::AccessKind;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A first-level cache for each multiprocessor and the second-level cache behind them.
///
/// The first level reads whole sectors and writes through: a store updates what is there and makes no
/// room. The second level takes stores and atomic operations and writes back. A sector of which stores
/// wrote only a part is read from memory when it leaves, or when it is read.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    grain: Grain,
    l1: Vec<Cache>,
    /// Sectors of a request that one of the first level is.
    l1_ratio: u32,
    l2: Option<Cache>,
    l2_line: u32,
    l2_ratio: u32,
    /// Bytes that stores wrote of sectors that are not in the second level otherwise.
    partial: HashMap<u64, u64, BuildHasherDefault<SectorHasher>>,
}

/// A sector's number is well mixed by one multiplication.
#[derive(Clone, Copy, Debug, Default)]
struct SectorHasher(u64);

impl Hasher for SectorHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }
    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26);
    }
}

impl Hierarchy {
    /// Empty caches.
    #[must_use]
    pub fn new(machine: &Machine) -> Hierarchy {
        Hierarchy {
            grain: machine.grain,
            l1: Vec::new(),
            l1_ratio: machine.l1_ratio,
            l2: machine.l2.map(Cache::new),
            l2_line: machine.l2_line,
            l2_ratio: machine.l2_ratio,
            partial: HashMap::default(),
        }
    }

    /// A launch begins: first-level caches of this form, or none, and empty.
    pub fn begin_launch(&mut self, multiprocessors: usize, l1: Option<CacheShape>) {
        match l1 {
            None => self.l1.clear(),
            Some(shape)
                if self.l1.len() == multiprocessors
                    && self.l1.iter().all(|cache| cache.shape() == shape) =>
            {
                self.l1.iter_mut().for_each(Cache::clear);
            }
            Some(shape) => self.l1 = vec![Cache::new(shape); multiprocessors],
        }
    }

    /// Serves a request of a warp on one multiprocessor. `written` are the bytes of each line that a store
    /// writes.
    pub fn serve(
        &mut self,
        multiprocessor: usize,
        request: &Request,
        lines: &[Line],
        written: &[u128],
        counts: &mut Counts,
    ) {
        let mut sectors = 0;
        for (at, line) in lines.iter().enumerate() {
            let asked = line.sectors().count_ones();
            sectors += u64::from(asked);
            let before = (counts.l2_sectors, counts.l2_hits);
            match request.kind {
                AccessKind::Read => {
                    counts.load_sectors += u64::from(asked);
                    let missing = match self.l1.get_mut(multiprocessor) {
                        None => line.sectors(),
                        Some(l1) => {
                            let whole = widened(line.sectors(), self.l1_ratio);
                            let there = l1.read(line.number(), whole).hits;
                            counts.l1_hits += u64::from((there & line.sectors()).count_ones());
                            whole & !there
                        }
                    };
                    if missing != 0 {
                        self.read_l2(line.number(), missing, counts);
                    }
                }
                AccessKind::Write => {
                    let bytes = written.get(at).copied().unwrap_or(u128::MAX);
                    self.write_l2(line.number(), line.sectors(), bytes, counts);
                }
                AccessKind::Atomic => {
                    self.read_l2(line.number(), line.sectors(), counts);
                    self.write_l2(line.number(), line.sectors(), u128::MAX, counts);
                }
            }
            let (came, hits) = (counts.l2_sectors - before.0, counts.l2_hits - before.1);
            if self.l1.is_empty() {
                // Without a first level each sector is a transaction; an atomic operation has come twice.
                let own = u64::from(asked);
                let missed = (came - hits).min(own);
                counts.transactions += own;
                counts.dram_transactions += missed;
                counts.l2_transactions += own - missed;
                continue;
            }
            counts.transactions += 1;
            match (came, came - hits) {
                (0, _) => counts.l1_transactions += 1,
                (_, 0) => counts.l2_transactions += 1,
                _ => counts.dram_transactions += 1,
            }
        }
        counts.requests += 1;
        counts.lanes += u64::from(request.lanes);
        counts.sectors += sectors;
        counts.ideal_sectors += u64::from(request.bytes).div_ceil(1 << self.grain.sector);
    }

    /// The sectors of a first-level line as lines of the second level.
    fn l2_lines(&self, line: u64, sectors: u8) -> impl Iterator<Item = (u64, u8)> + use<> {
        let (l1_line, l2_line, sector) = (self.grain.line, self.l2_line, self.grain.sector);
        let per_l2 = 1_u32 << (l2_line - sector);
        let first = line << (l1_line - sector);
        let parts = if l1_line > l2_line { 1_u32 << (l1_line - l2_line) } else { 1 };
        (0..parts).filter_map(move |part| {
            let start = first + u64::from(part * per_l2);
            let shift = (start & u64::from(per_l2 - 1)) as u32;
            let own = u32::from(sectors) >> (part * per_l2) & ((1 << per_l2) - 1);
            let own = (own << shift) as u8;
            (own != 0).then_some((start >> (l2_line - sector), own))
        })
    }

    fn read_l2(&mut self, line: u64, sectors: u8, counts: &mut Counts) {
        counts.l2_sectors += u64::from(sectors.count_ones());
        if self.l2.is_none() {
            counts.dram_reads += u64::from(sectors.count_ones());
            return;
        }
        for (number, asked) in self.l2_lines(line, sectors) {
            let whole = widened(asked, self.l2_ratio);
            let Some(l2) = &mut self.l2 else { return };
            let outcome = l2.read(number, whole);
            let mut missing = whole & !outcome.hits;
            if !self.partial.is_empty() {
                let first = number << (self.l2_line - self.grain.sector);
                for at in bits(outcome.hits) {
                    if self.partial.remove(&(first + u64::from(at))).is_some() {
                        missing |= 1 << at;
                    }
                }
            }
            counts.l2_hits += u64::from((asked & !missing).count_ones());
            counts.dram_reads += u64::from(missing.count_ones());
            self.evict(outcome.evicted, counts);
        }
    }

    fn write_l2(&mut self, line: u64, sectors: u8, bytes: u128, counts: &mut Counts) {
        counts.l2_sectors += u64::from(sectors.count_ones());
        if self.l2.is_none() {
            counts.dram_writes += u64::from(sectors.count_ones());
            return;
        }
        let sector = 1_u32 << self.grain.sector;
        let all = u64::MAX >> (64 - sector);
        for (number, asked) in self.l2_lines(line, sectors) {
            let Some(l2) = &mut self.l2 else { return };
            let outcome = l2.write(number, asked);
            counts.l2_hits += u64::from((asked & outcome.hits).count_ones());
            let first = number << (self.l2_line - self.grain.sector);
            let start = line << (self.grain.line - self.grain.sector);
            for at in bits(asked) {
                let own = first + u64::from(at);
                let slot = (own - start) as u32;
                let written = (bytes >> (slot * sector)) as u64 & all;
                if outcome.hits >> at & 1 == 0 {
                    if written != all {
                        self.partial.insert(own, written);
                    }
                } else if !self.partial.is_empty()
                    && let Some(known) = self.partial.get_mut(&own)
                {
                    *known |= written;
                    if *known == all {
                        self.partial.remove(&own);
                    }
                }
            }
            self.evict(outcome.evicted, counts);
        }
    }

    /// What a line that makes room costs.
    fn evict(&mut self, evicted: Option<(u64, u8)>, counts: &mut Counts) {
        let Some((line, dirty)) = evicted.filter(|(_, dirty)| *dirty != 0) else { return };
        counts.dram_writes += u64::from(dirty.count_ones());
        if !self.partial.is_empty() {
            let first = line << (self.l2_line - self.grain.sector);
            for at in bits(dirty) {
                if self.partial.remove(&(first + u64::from(at))).is_some() {
                    counts.dram_reads += 1;
                }
            }
        }
    }

    /// Empties the second-level cache.
    pub fn clear(&mut self) {
        self.l2.iter_mut().for_each(Cache::clear);
        self.partial.clear();
    }

    /// Writes back what is newer in the second-level cache than in memory.
    pub fn clean(&mut self, counts: &mut Counts) {
        let dirty: Vec<(u64, u8)> =
            self.l2.iter_mut().flat_map(|l2| l2.clean().collect::<Vec<_>>()).collect();
        for line in dirty {
            self.evict(Some(line), counts);
        }
    }
}

/// The positions of bits, lowest first.
fn bits(mask: u8) -> impl Iterator<Item = u32> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let at = rest.trailing_zeros();
        rest &= rest.wrapping_sub(1);
        (at < 8).then_some(at)
    })
}

/// `sectors` with all of the larger sectors, of `ratio` each, that they are part of.
#[inline]
fn widened(sectors: u8, ratio: u32) -> u8 {
    match ratio {
        1 => sectors,
        2 => {
            let pairs = (sectors | sectors >> 1) & 0x55;
            pairs | pairs << 1
        }
        4 => {
            let low = if sectors & 0x0f != 0 { 0x0f } else { 0 };
            low | if sectors & 0xf0 != 0 { 0xf0 } else { 0 }
        }
        _ => {
            if sectors != 0 {
                0xff
            } else {
                0
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::coalescer::{Coalescer, WarpTrace};
    use super::*;
    use crate::device::Device;

    /// A device of two lines of first-level cache and four of second-level cache.
    fn small(l1_sector: u32) -> Hierarchy {
        let shape = |ways| CacheShape::new(ways, 1, false);
        let mut hierarchy = Hierarchy {
            grain: Grain { line: 7, sector: 5 },
            l1: Vec::new(),
            l1_ratio: l1_sector / 32,
            l2: Some(Cache::new(shape(4))),
            l2_line: 7,
            l2_ratio: 1,
            partial: HashMap::default(),
        };
        hierarchy.begin_launch(2, Some(shape(2)));
        hierarchy
    }

    fn serve(
        hierarchy: &mut Hierarchy,
        multiprocessor: usize,
        kind: AccessKind,
        lanes: &[(u64, u32)],
    ) -> Counts {
        let mut warp = WarpTrace::default();
        Coalescer::new(hierarchy.grain).push(&mut warp, 0, kind, lanes);
        let mut counts = Counts::default();
        hierarchy.serve(multiprocessor, &warp.requests[0], &warp.lines, &warp.written, &mut counts);
        counts
    }

    fn row(address: u64) -> Vec<(u64, u32)> {
        (0..32).map(|lane| (address + 4 * lane, 4)).collect()
    }

    #[test]
    fn loads_by_hand() {
        let mut caches = small(32);
        let read = AccessKind::Read;
        let cold = serve(&mut caches, 0, read, &row(0));
        assert_eq!((cold.sectors, cold.ideal_sectors, cold.l1_hits), (4, 4, 0));
        assert_eq!((cold.l2_sectors, cold.l2_hits, cold.dram_reads), (4, 0, 4));
        assert_eq!((cold.transactions, cold.dram_transactions), (1, 1));
        let again = serve(&mut caches, 0, read, &row(0));
        assert_eq!((again.l1_hits, again.l2_sectors, again.l1_transactions), (4, 0, 1));
        let other = serve(&mut caches, 1, read, &row(0));
        assert_eq!((other.l1_hits, other.l2_hits, other.l2_transactions), (0, 4, 1));
        // One lane: one sector; the rest of the line is still to be fetched.
        let one = serve(&mut caches, 0, read, &[(128, 4)]);
        assert_eq!((one.sectors, one.ideal_sectors, one.dram_reads), (1, 1, 1));
        let rest = serve(&mut caches, 0, read, &row(128));
        assert_eq!((rest.l1_hits, rest.dram_reads), (1, 3));
        // A third line takes the place of the first in the first level, not in the second.
        serve(&mut caches, 0, read, &row(256));
        let back = serve(&mut caches, 0, read, &row(0));
        assert_eq!((back.l1_hits, back.l2_hits, back.dram_reads), (0, 4, 0));
    }

    #[test]
    fn whole_lines_are_fetched_where_sectors_are_lines() {
        let mut caches = small(128);
        let one = serve(&mut caches, 0, AccessKind::Read, &[(64, 4)]);
        assert_eq!((one.sectors, one.l2_sectors, one.dram_reads), (1, 4, 4));
        assert_eq!(serve(&mut caches, 0, AccessKind::Read, &row(0)).l1_hits, 4);
    }

    #[test]
    fn stores_by_hand() {
        let mut caches = small(32);
        let (read, write) = (AccessKind::Read, AccessKind::Write);
        let counts = serve(&mut caches, 0, write, &row(0));
        assert_eq!((counts.l2_sectors, counts.dram_reads, counts.dram_writes), (4, 0, 0));
        // The first level makes no room for it, the second has it.
        let counts = serve(&mut caches, 0, read, &row(0));
        assert_eq!((counts.l1_hits, counts.l2_hits, counts.dram_reads), (0, 4, 0));
        // Four other lines push it out of the second level.
        let lines: Vec<Counts> =
            (1..5).map(|line| serve(&mut caches, 0, read, &row(128 * line))).collect();
        assert_eq!(lines.iter().map(|counts| counts.dram_writes).collect::<Vec<_>>(), [0, 0, 0, 4]);
    }

    #[test]
    fn sectors_written_in_part_are_read_when_they_leave() {
        let fields = |at: u64, count: u64| -> Vec<(u64, u32)> {
            (0..32).flat_map(|lane| (0..count).map(move |f| (at + 8 * lane + 4 * f, 4))).collect()
        };
        let (read, write) = (AccessKind::Read, AccessKind::Write);
        // Every second word of two lines, and then the words between.
        let mut caches = small(32);
        serve(&mut caches, 0, write, &fields(0, 1));
        serve(&mut caches, 0, write, &fields(4, 1));
        let mut end = Counts::default();
        caches.clean(&mut end);
        assert_eq!((end.dram_reads, end.dram_writes), (0, 8));
        // Only the one half.
        let mut caches = small(32);
        serve(&mut caches, 0, write, &fields(0, 1));
        let mut end = Counts::default();
        caches.clean(&mut end);
        assert_eq!((end.dram_reads, end.dram_writes), (8, 8));
        // Reading what was written in part fetches the rest, once.
        let mut caches = small(32);
        serve(&mut caches, 0, write, &fields(0, 1));
        let counts = serve(&mut caches, 0, read, &row(0));
        assert_eq!((counts.l2_hits, counts.dram_reads), (0, 4));
        let counts = serve(&mut caches, 1, read, &row(0));
        assert_eq!((counts.l2_hits, counts.dram_reads), (4, 0));
    }

    #[test]
    fn atomic_operations_go_to_the_second_level() {
        let mut caches = small(32);
        serve(&mut caches, 0, AccessKind::Read, &row(0));
        let counts = serve(&mut caches, 0, AccessKind::Atomic, &row(0));
        assert_eq!((counts.l1_hits, counts.l2_sectors, counts.l2_hits), (0, 8, 8));
        let counts = serve(&mut caches, 0, AccessKind::Atomic, &[(512, 4); 32]);
        assert_eq!((counts.sectors, counts.l2_sectors, counts.dram_reads), (1, 2, 1));
        let mut end = Counts::default();
        caches.clean(&mut end);
        assert_eq!((end.dram_reads, end.dram_writes), (0, 5));
    }

    #[test]
    fn lines_of_different_sizes() {
        let mut caches = small(32);
        caches.grain.line = 6;
        let counts = serve(&mut caches, 0, AccessKind::Read, &row(128));
        assert_eq!((counts.transactions, counts.dram_reads), (2, 4));
        // Both are one line of the second level.
        let counts = serve(&mut caches, 1, AccessKind::Read, &[(160, 4), (192, 4)]);
        assert_eq!((counts.transactions, counts.l2_hits), (2, 2));
        let counts = serve(&mut caches, 1, AccessKind::Write, &[(196, 4)]);
        assert_eq!((counts.l2_sectors, counts.l2_hits), (1, 1));
        caches.grain.line = 7;
        caches.l2_line = 6;
        let counts = serve(&mut caches, 0, AccessKind::Read, &row(1024));
        assert_eq!((counts.transactions, counts.dram_reads), (1, 4));
        let counts = serve(&mut caches, 1, AccessKind::Write, &row(1024));
        assert_eq!((counts.l2_sectors, counts.l2_hits), (4, 4));
    }

    #[test]
    fn all_devices_can_be_simulated() {
        for name in crate::device::device_names() {
            let device = Device::built_in(name).expect("built in");
            let machine = Machine::new(&device).unwrap_or_else(|error| panic!("{error}"));
            let mut caches = Hierarchy::new(&machine);
            caches.begin_launch(1, machine.l1(0));
            let counts = serve(&mut caches, 0, AccessKind::Read, &row(1 << 20));
            assert_eq!(counts.dram_reads << machine.grain.sector, 128, "{name}");
            assert!(machine.resident_blocks(256, 0) >= 3, "{name}");
        }
    }
}

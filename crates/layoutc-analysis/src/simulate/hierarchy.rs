//! The caches of a device and the way of a request through them.

use super::cache::{Cache, Evicted, Spot};
use super::coalescer::{Grain, Line, Request};
use super::counts::Counts;
use super::machine::Machine;
use super::sets::Sectors;
use super::shape::CacheShape;
use crate::cost::kernel::AccessKind;
use std::ops::Add;

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
    /// Of the lines of the request that is being served, the sectors that the second level is asked for.
    missing: Vec<u8>,
    /// And where its lines belong in the level that is being asked.
    spots: Vec<Spot>,
}

impl Hierarchy {
    /// Empty caches.
    #[must_use]
    pub fn new(machine: &Machine) -> Hierarchy {
        Hierarchy {
            grain: machine.grain,
            l1: Vec::new(),
            l1_ratio: machine.l1_ratio,
            l2: machine.l2.map(|shape| Cache::new(shape, machine.l2_line, machine.grain.sector)),
            l2_line: machine.l2_line,
            l2_ratio: machine.l2_ratio,
            missing: Vec::new(),
            spots: Vec::new(),
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
            Some(shape) => {
                let cache = Cache::new(shape, self.grain.line, self.grain.sector);
                self.l1 = vec![cache; multiprocessors];
            }
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
        let kind = request.kind;
        if kind == AccessKind::Read {
            self.first_level(multiprocessor, lines, counts);
        } else {
            self.missing.clear();
            self.missing.extend(lines.iter().map(|line| line.sectors()));
        }
        let has_l1 = !self.l1.is_empty();
        let total = match &mut self.l2 {
            Some(l2) if self.grain.line == self.l2_line => {
                self.spots.clear();
                self.spots.extend(lines.iter().map(|line| l2.spot(line.number())));
                l2.expect(&self.spots);
                let (ratio, spots) = (self.l2_ratio, &self.spots);
                let missing = &self.missing;
                let asked = lines.iter().zip(missing).zip(spots);
                // Of each kind its own loop.
                match kind {
                    AccessKind::Read => sum(asked, has_l1, |_, asked, spot| {
                        if asked == 0 { Tally::default() } else { read(l2, spot, asked, ratio) }
                    }),
                    AccessKind::Write => sum(asked, has_l1, |at, asked, spot| {
                        write(l2, spot, asked, written.get(at).copied().unwrap_or(u128::MAX))
                    }),
                    AccessKind::Atomic => sum(asked, has_l1, |_, asked, spot| {
                        read(l2, spot, asked, ratio) + write(l2, spot, asked, u128::MAX)
                    }),
                }
            }
            _ => {
                let missing = std::mem::take(&mut self.missing);
                let asked = lines.iter().zip(&missing).zip(lines);
                let total = sum(asked, has_l1, |at, asked, line| {
                    let mut own = Tally::default();
                    if kind != AccessKind::Write {
                        own = own + self.read_parts(line, asked);
                    }
                    if kind != AccessKind::Read {
                        let bytes = written.get(at).copied().unwrap_or(u128::MAX);
                        own = own + self.write_parts(line, asked, bytes);
                    }
                    own
                });
                self.missing = missing;
                total
            }
        };
        let Total { sectors, all, transactions: [every, first, memory] } = total;
        counts.transactions += every;
        counts.l1_transactions += first;
        counts.l2_transactions += every - first - memory;
        counts.dram_transactions += memory;
        counts.l2_sectors += all.came;
        counts.l2_hits += all.hits;
        counts.dram_reads += all.reads;
        counts.dram_writes += all.writes;
        counts.requests += 1;
        counts.lanes += u64::from(request.lanes);
        counts.sectors += sectors;
        counts.ideal_sectors += u64::from(request.bytes).div_ceil(1 << self.grain.sector);
    }

    /// Reads lines through the first level of a multiprocessor; `self.missing` are then their sectors that
    /// the second level is asked for.
    fn first_level(&mut self, multiprocessor: usize, lines: &[Line], counts: &mut Counts) {
        let (ratio, missing) = (self.l1_ratio, &mut self.missing);
        missing.clear();
        counts.load_sectors += lines.iter().map(|line| ones(line.sectors())).sum::<u64>();
        let Some(l1) = self.l1.get_mut(multiprocessor) else {
            missing.extend(lines.iter().map(|line| line.sectors()));
            return;
        };
        self.spots.clear();
        self.spots.extend(lines.iter().map(|line| l1.spot(line.number())));
        l1.expect(&self.spots);
        let mut hits = 0;
        missing.extend(lines.iter().zip(&self.spots).map(|(line, spot)| {
            let own = line.sectors();
            let outcome = l1.read(*spot, widened(own, ratio));
            hits += ones(outcome.hits & own);
            outcome.missing
        }));
        counts.l1_hits += hits;
    }

    /// The sectors of a first-level line as lines of the second level, and by how many bytes of a line these
    /// lie further up there.
    #[inline]
    fn l2_lines(&self, line: u64, sectors: u8) -> impl Iterator<Item = (u64, u8, i32)> + use<> {
        let (l1_line, l2_line, sector) = (self.grain.line, self.l2_line, self.grain.sector);
        let per_l2 = 1_u32 << (l2_line - sector);
        let first = line << (l1_line - sector);
        let parts = if l1_line > l2_line { 1_u32 << (l1_line - l2_line) } else { 1 };
        (0..parts).filter_map(move |part| {
            let start = first + u64::from(part * per_l2);
            let shift = (start & u64::from(per_l2 - 1)) as u32;
            let own = u32::from(sectors) >> (part * per_l2) & ((1 << per_l2) - 1);
            let own = (own << shift) as u8;
            let moved = (shift as i32 - (part * per_l2) as i32) << sector;
            (own != 0).then_some((start >> (l2_line - sector), own, moved))
        })
    }

    /// Reads sectors of a line from a second level with lines of another size, or from memory.
    fn read_parts(&mut self, line: Line, sectors: u8) -> Tally {
        let lines = self.l2_lines(line.number(), sectors);
        let Some(l2) = &mut self.l2 else {
            return Tally { came: ones(sectors), reads: ones(sectors), ..Tally::default() };
        };
        let read = |(number, asked, _)| read(l2, l2.spot(number), asked, self.l2_ratio);
        lines.map(read).fold(Tally::default(), Tally::add)
    }

    /// Writes bytes, which are in these sectors, of a line to a second level with lines of another size, or
    /// to memory.
    fn write_parts(&mut self, line: Line, sectors: u8, bytes: u128) -> Tally {
        let lines = self.l2_lines(line.number(), sectors);
        let Some(l2) = &mut self.l2 else {
            return Tally { came: ones(sectors), writes: ones(sectors), ..Tally::default() };
        };
        let write = |(number, asked, moved): (u64, u8, i32)| {
            let bytes = if moved < 0 { bytes >> -moved } else { bytes << moved };
            write(l2, l2.spot(number), asked, bytes)
        };
        lines.map(write).fold(Tally::default(), Tally::add)
    }

    /// Empties the second-level cache.
    pub fn clear(&mut self) {
        self.l2.iter_mut().for_each(Cache::clear);
    }

    /// Writes back what is newer in the second-level cache than in memory.
    pub fn clean(&mut self, counts: &mut Counts) {
        for line in self.l2.iter_mut().flat_map(Cache::clean) {
            let own = left(line);
            counts.dram_reads += own.reads;
            counts.dram_writes += own.writes;
        }
    }
}

/// Sectors that came to the second level, that were there, and that memory reads and writes.
#[derive(Clone, Copy, Default)]
struct Tally {
    came: u64,
    hits: u64,
    reads: u64,
    writes: u64,
}

impl Add for Tally {
    type Output = Tally;
    #[inline(always)]
    fn add(self, other: Tally) -> Tally {
        Tally {
            came: self.came + other.came,
            hits: self.hits + other.hits,
            reads: self.reads + other.reads,
            writes: self.writes + other.writes,
        }
    }
}

/// What a request comes to.
#[derive(Clone, Copy, Default)]
struct Total {
    /// Sectors that it asks for.
    sectors: u64,
    all: Tally,
    /// All transactions, those that the first level serves, and those that memory does.
    transactions: [u64; 3],
}

/// What the lines of a request come to, whose `missing` sectors the second level is asked for by `serve`.
#[inline(always)]
fn sum<'a, T: Copy + 'a>(
    lines: impl Iterator<Item = ((&'a Line, &'a u8), &'a T)>,
    has_l1: bool,
    mut serve: impl FnMut(usize, u8, T) -> Tally,
) -> Total {
    let (mut sectors, mut all) = (0, Tally::default());
    let (mut every, mut first, mut memory) = (0, 0, 0);
    for (at, ((line, missing), place)) in lines.enumerate() {
        let asked = ones(line.sectors());
        let own = serve(at, *missing, *place);
        sectors += asked;
        all = all + own;
        let missed = own.came - own.hits;
        if has_l1 {
            every += 1;
            first += u64::from(*missing == 0);
            memory += u64::from(missed != 0);
        } else {
            // Without a first level each sector is a transaction; an atomic operation has come twice.
            every += asked;
            memory += missed.min(asked);
        }
    }
    Total { sectors, all, transactions: [every, first, memory] }
}

/// Reads sectors of a line of the second level.
#[inline(always)]
fn read(l2: &mut Cache, line: Spot, asked: u8, ratio: u32) -> Tally {
    let outcome = l2.read(line, widened(asked, ratio));
    let (hits, reads) = (ones(asked & !outcome.missing), ones(outcome.missing));
    left(outcome.evicted) + Tally { came: ones(asked), hits, reads, writes: 0 }
}

/// Writes bytes of a line of the second level, which are in these sectors.
#[inline(always)]
fn write(l2: &mut Cache, line: Spot, asked: u8, bytes: u128) -> Tally {
    let outcome = l2.write(line, asked, bytes);
    left(outcome.evicted)
        + Tally { came: ones(asked), hits: ones(outcome.hits), ..Tally::default() }
}

/// What a line that makes room costs: its dirty sectors are written to memory, and the rest of those that were
/// written in part is read before.
#[inline(always)]
fn left(line: Evicted) -> Tally {
    let Sectors { dirty, .. } = line.sectors;
    Tally { reads: ones(line.sectors.partial()), writes: ones(dirty), ..Tally::default() }
}

/// How many sectors these are. Without an instruction for it, a table is the fastest.
#[inline(always)]
fn ones(sectors: u8) -> u64 {
    u64::from(ONES[usize::from(sectors)])
}

static ONES: [u8; 256] = {
    let mut ones = [0; 256];
    let mut at = 0;
    while at < 256 {
        ones[at] = (at as u8).count_ones() as u8;
        at += 1;
    }
    ones
};

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
            l2: Some(Cache::new(shape(4), 7, 5)),
            l2_line: 7,
            l2_ratio: 1,
            missing: Vec::new(),
            spots: Vec::new(),
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

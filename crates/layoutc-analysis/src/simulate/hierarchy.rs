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
            let asked = line.sectors.count_ones();
            sectors += u64::from(asked);
            let before = (counts.l2_sectors, counts.l2_hits);
            match request.kind {
                AccessKind::Read => {
                    counts.load_sectors += u64::from(asked);
                    let missing = match self.l1.get_mut(multiprocessor) {
                        None => line.sectors,
                        Some(l1) => {
                            let whole = widened(line.sectors, self.l1_ratio);
                            let there = l1.read(line.number, whole).hits;
                            counts.l1_hits += u64::from((there & line.sectors).count_ones());
                            whole & !there
                        }
                    };
                    if missing != 0 {
                        self.read_l2(line.number, missing, counts);
                    }
                }
                AccessKind::Write => {
                    let bytes = written.get(at).copied().unwrap_or(u128::MAX);
                    self.write_l2(line.number, line.sectors, bytes, counts);
                }
                AccessKind::Atomic => {
                    self.read_l2(line.number, line.sectors, counts);
                    self.write_l2(line.number, line.sectors, u128::MAX, counts);
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
    (0..8).filter(move |at| mask >> at & 1 != 0)
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

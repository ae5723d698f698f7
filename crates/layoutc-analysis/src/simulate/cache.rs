//! A sectored, set-associative cache with least-recently-used replacement.

use super::sets::{Sectors, Sets, Touched};
use super::shape::CacheShape;

/// Where a line belongs: its set and its round through all sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spot {
    set: u32,
    round: u64,
}

/// What a cache did with a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The sectors asked for that were there, be it in part.
    pub hits: u8,
    /// Of the sectors asked for, those that were not there as a whole.
    pub missing: u8,
    /// The line that made room; without sectors if there was none.
    pub evicted: Evicted,
}

impl Outcome {
    #[inline(always)]
    fn new(line: Spot, sectors: u8, touched: Touched) -> Outcome {
        Outcome {
            hits: touched.known.present() & sectors,
            missing: sectors & !touched.known.whole,
            evicted: Evicted { set: line.set, tag: touched.evicted_tag, sectors: touched.evicted },
        }
    }
}

/// A line that leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Evicted {
    set: u32,
    tag: u64,
    /// Its sectors.
    pub sectors: Sectors,
}

/// A cache. Lines are numbers, sectors of a line are bits.
#[derive(Clone, Debug)]
pub struct Cache {
    shape: CacheShape,
    /// Bytes of a sector, as a shift.
    sector: u32,
    sets: Sets,
    /// Of each way that had sectors which were written in part, the bytes that were. What it says of other
    /// sectors means nothing.
    written: Vec<u128>,
}

impl Cache {
    /// An empty cache; lines and sectors of so many bytes, as shifts.
    #[must_use]
    pub fn new(shape: CacheShape, line: u32, sector: u32) -> Cache {
        let sets = Sets::new(shape, 1 << (line - sector));
        Cache { shape, sector, sets, written: Vec::new() }
    }

    /// Its form.
    #[must_use]
    pub fn shape(&self) -> CacheShape {
        self.shape
    }

    /// The number of a line that left just now.
    #[must_use]
    pub fn line_of(&self, evicted: Evicted) -> u64 {
        self.shape.line(u64::from(evicted.set), self.sets.round_of(evicted.tag))
    }

    /// Forgets everything, dirty or not.
    pub fn clear(&mut self) {
        self.sets.clear();
    }

    /// Where a line belongs.
    #[inline]
    #[must_use]
    pub fn spot(&self, line: u64) -> Spot {
        let (set, round) = self.shape.place(line);
        Spot { set: set as u32, round }
    }

    /// Has the host load what requests at these places will need, all at once.
    #[inline]
    pub fn expect(&self, spots: &[Spot]) {
        let all = spots.iter().fold(0, |all, spot| all ^ self.sets.peek(spot.set as usize));
        std::hint::black_box(all);
    }

    /// Reads sectors of a line; those that are missing are fetched.
    #[inline(always)]
    pub fn read(&mut self, line: Spot, sectors: u8) -> Outcome {
        let fetched = |known: Sectors, _| Sectors { whole: known.whole | sectors, ..known };
        let touched = self.sets.touch(line.set as usize, line.round, fetched);
        Outcome::new(line, sectors, touched)
    }

    /// Writes `bytes` of a line, all of them in `sectors`. They stay here until they make room; nothing is fetched.
    #[inline(always)]
    pub fn write(&mut self, line: Spot, sectors: u8, bytes: u128) -> Outcome {
        let (set, ways, sector) = (line.set as usize, self.shape.ways(), self.sector);
        let full = whole_of(bytes, sector);
        if sectors & !full != 0 && self.written.is_empty() {
            self.written = vec![0; self.shape.sets() * ways];
        }
        let written = &mut self.written;
        let changed = |known: Sectors, way| {
            let mut whole = known.whole | full & sectors;
            if sectors & !whole != 0 {
                let written = &mut written[set * ways + way as usize];
                let before = known.partial();
                let mut all = bytes;
                if before != 0 {
                    all |= *written & bytes_of(before, sector);
                    whole |= whole_of(all, sector) & sectors;
                }
                *written = all;
            }
            Sectors { whole, dirty: known.dirty | sectors }
        };
        let touched = self.sets.touch(set, line.round, changed);
        Outcome::new(line, sectors, touched)
    }

    /// The sectors that are newer here than below, which become clean; those that were written in part are
    /// fetched.
    pub fn clean(&mut self) -> Vec<Evicted> {
        let mut dirty = Vec::new();
        self.sets.update(|set, tag, sectors| {
            if sectors.dirty != 0 {
                dirty.push(Evicted { set: set as u32, tag, sectors });
            }
            Sectors { whole: sectors.present(), dirty: 0 }
        });
        dirty
    }
}

/// The sectors all of whose bytes are in `bytes`.
#[inline]
fn whole_of(bytes: u128, sector: u32) -> u8 {
    if sector == 5 {
        // Almost all devices.
        let word = |at: u32| u8::from((bytes >> (32 * at)) as u32 == u32::MAX) << at;
        return word(0) | word(1) | word(2) | word(3);
    }
    let size = 1_u32 << sector;
    let one = u128::MAX >> (128 - size);
    (0..128 / size).fold(0, |all, at| all | u8::from(bytes >> (at * size) & one == one) << at)
}

/// The bytes of sectors.
#[inline]
fn bytes_of(sectors: u8, sector: u32) -> u128 {
    let size = 1_u32 << sector;
    let one = u128::MAX >> (128 - size);
    let of = |at: u32| if sectors >> at & 1 != 0 { one << (at * size) } else { 0 };
    (0..128 / size).fold(0, |all, at| all | of(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet, VecDeque};

    /// All bytes of a line.
    const ALL: u128 = u128::MAX;

    #[test]
    fn two_ways_by_hand() {
        let mut cache = Cache::new(CacheShape::new(2, 2, false), 7, 5);
        let read = |cache: &mut Cache, line, sectors| cache.read(cache.spot(line), sectors);
        let hits = |cache: &mut Cache, line, sectors| read(cache, line, sectors).hits;
        assert_eq!(hits(&mut cache, 0, 0b0001), 0);
        assert_eq!(hits(&mut cache, 0, 0b0011), 0b0001, "the other sector was not fetched");
        assert_eq!(hits(&mut cache, 2, 0b1111), 0);
        assert_eq!(hits(&mut cache, 0, 0b0011), 0b0011);
        assert_eq!(hits(&mut cache, 4, 0b0001), 0, "takes the place of line 2");
        assert_eq!(hits(&mut cache, 0, 0b0001), 0b0001);
        assert_eq!(hits(&mut cache, 2, 0b0001), 0);
        assert_eq!(hits(&mut cache, 1, 0b0001), 0, "the other set");
        // Writes: two dirty sectors of line 5 leave when lines 7 and 9 come to its set.
        let outcome = cache.write(cache.spot(5), 0b0110, ALL);
        assert_eq!((outcome.hits, outcome.evicted.sectors), (0, Sectors::default()));
        assert_eq!(hits(&mut cache, 5, 0b0110), 0b0110);
        read(&mut cache, 7, 1);
        let evicted = read(&mut cache, 9, 1).evicted;
        assert_eq!((cache.line_of(evicted), evicted.sectors.dirty), (5, 0b0110));
        cache.write(cache.spot(11), 0b1000, ALL);
        let dirty: Vec<(u64, u8)> =
            cache.clean().into_iter().map(|own| (cache.line_of(own), own.sectors.dirty)).collect();
        assert_eq!(dirty, [(11, 0b1000)]);
        assert_eq!(cache.clean(), []);
    }

    #[test]
    fn a_set_is_used_once_in_each_round() {
        for is_hashed in [false, true] {
            for sets in [1, 3, 64, 116] {
                let shape = CacheShape::new(4, sets, is_hashed);
                for round in 0..5 {
                    let first = round * u64::from(sets);
                    let mut used: Vec<u64> =
                        (first..first + u64::from(sets)).map(|line| shape.place(line).0).collect();
                    used.sort_unstable();
                    assert!(used.into_iter().eq(0..u64::from(sets)));
                }
            }
        }
        // Addresses a power of two apart do not all meet in one set.
        let shape = CacheShape::new(4, 64, true);
        let used: std::collections::BTreeSet<u64> =
            (0..64).map(|plane| shape.place(plane << 14).0).collect();
        assert!(used.len() > 24, "{}", used.len());
    }

    #[test]
    fn shapes_fit_their_capacity() {
        let shape = CacheShape::of(49152, 128, 4, false);
        assert_eq!((shape.sets(), shape.ways()), (96, 4));
        assert_eq!(CacheShape::of(100, 128, 16, false).sets(), 1);
        assert_eq!(CacheShape::of(256, 128, 16, false).ways(), 2);
    }

    /// The same, said plainly: a queue for each set, the last used in front.
    struct Naive {
        shape: CacheShape,
        /// Bytes of a sector.
        sector: u32,
        sets: Vec<VecDeque<NaiveLine>>,
    }

    /// A line, and of each sector that is there whether it is dirty and which of its bytes are known.
    #[derive(Clone, Debug)]
    struct NaiveLine {
        line: u64,
        sectors: BTreeMap<u32, (bool, BTreeSet<u32>)>,
    }

    /// What is compared: hits, what is missing, and the line that left with its whole and its dirty sectors.
    type Shown = (u8, u8, Option<(u64, u8, u8)>);

    fn shown(cache: &Cache, outcome: Outcome) -> Shown {
        let own = outcome.evicted;
        // Where nothing was, there is no line to speak of.
        let has_left = own.sectors.present() != 0;
        let line = has_left.then(|| (cache.line_of(own), own.sectors.whole, own.sectors.dirty));
        (outcome.hits, outcome.missing, line)
    }

    impl NaiveLine {
        fn shown(&self, sector_bytes: usize) -> (u64, u8, u8) {
            let (mut whole, mut dirty) = (0, 0);
            for (sector, (is_dirty, bytes)) in &self.sectors {
                whole |= u8::from(bytes.len() == sector_bytes) << sector;
                dirty |= u8::from(*is_dirty) << sector;
            }
            (self.line, whole, dirty)
        }
    }

    impl Naive {
        /// A read, or a write of these bytes.
        fn touch(&mut self, line: u64, sectors: u8, written: Option<u128>) -> Shown {
            let size = self.sector;
            let set = &mut self.sets[self.shape.place(line).0 as usize];
            let mut own = NaiveLine { line, sectors: BTreeMap::new() };
            let mut evicted = None;
            if let Some(at) = set.iter().position(|other| other.line == line) {
                own = set.remove(at).expect("found");
            } else if set.len() == self.shape.ways() {
                evicted = set.pop_back().map(|line| line.shown(size as usize));
            }
            let (mut hits, mut missing) = (0, 0);
            for sector in (0..8).filter(|sector| sectors >> sector & 1 != 0) {
                let bit = 1 << sector;
                hits |= if own.sectors.contains_key(&sector) { bit } else { 0 };
                let (is_dirty, bytes) = own.sectors.entry(sector).or_default();
                missing |= if bytes.len() < size as usize { bit } else { 0 };
                match written {
                    None => bytes.extend(0..size),
                    Some(written) => {
                        *is_dirty = true;
                        let is_written = |at: &u32| written >> (size * sector + at) & 1 != 0;
                        bytes.extend((0..size).filter(is_written));
                    }
                }
            }
            set.push_front(own);
            (hits, missing, evicted)
        }
    }

    /// A line, its sectors, and what is written of them, all or one half or the other; or they are read.
    fn request() -> impl Strategy<Value = (u64, u8, Option<u128>)> {
        let low = 0x00ff_00ff_00ff_00ff_00ff_00ff_00ff_00ff;
        let written = prop::sample::select(vec![None, Some(ALL), Some(low), Some(low << 8)]);
        (0_u64..40, 1_u8..=255, written)
    }

    proptest! {
        #[test]
        fn sets_by_multiplication(
            line in 0_u64..1 << 34,
            far in 0_u64..1 << 56,
            sets in 1_u32..1 << 22,
            is_hashed: bool,
        ) {
            for line in [line, far] {
                let (set, round) = CacheShape::new(1, sets, false).place(line);
                prop_assert_eq!((set, round), (line % u64::from(sets), line / u64::from(sets)));
                let shape = CacheShape::new(1, sets, is_hashed);
                let (set, round) = shape.place(line);
                prop_assert_eq!(shape.line(set, round), line);
            }
        }

        #[test]
        fn as_a_naive_cache(
            ways in 1_u32..20,
            sets in 1_u32..7,
            is_hashed: bool,
            // Lines next to each other, and so far apart that their rounds are in several regions.
            distance in prop::sample::select(vec![1, 1 << 14, 1 << 24]),
            sector in 4_u32..7,
            requests in prop::collection::vec(request(), 1..400),
        ) {
            let shape = CacheShape::new(ways, sets, is_hashed);
            let naive_sets = vec![VecDeque::new(); sets as usize];
            let mut naive = Naive { shape, sector: 1 << sector, sets: naive_sets };
            let mut cache = Cache::new(shape, 7, sector);
            for (line, sectors, written) in requests {
                let line = line * distance;
                let sectors = (sectors & ((1_u16 << (1 << (7 - sector))) - 1) as u8).max(1);
                let written = written.map(|bytes| bytes & bytes_of(sectors, sector));
                let found = match written {
                    None => cache.read(cache.spot(line), sectors),
                    Some(bytes) => cache.write(cache.spot(line), sectors, bytes),
                };
                prop_assert_eq!(shown(&cache, found), naive.touch(line, sectors, written));
            }
            let mut dirty: Vec<(u64, u8, u8)> = cache
                .clean()
                .into_iter()
                .map(|own| (cache.line_of(own), own.sectors.whole, own.sectors.dirty))
                .collect();
            let lines = naive.sets.iter().flatten().map(|own| own.shown(1 << sector));
            let mut expected: Vec<(u64, u8, u8)> = lines.filter(|(.., dirty)| *dirty != 0).collect();
            dirty.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(dirty, expected);
        }
    }
}

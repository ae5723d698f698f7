//! A sectored, set-associative cache with least-recently-used replacement.

/// The form of a cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CacheShape {
    /// Lines of a set.
    ways: u32,
    /// Sets.
    sets: u32,
    /// 2^64 over the sets, rounded up.
    reciprocal: u64,
    is_hashed: bool,
}

impl CacheShape {
    /// The cache with about this capacity: at least one set, and whole sets of `ways` lines.
    #[must_use]
    pub fn of(bytes: u64, line: u64, ways: u32, is_hashed: bool) -> CacheShape {
        let lines = (bytes / line).max(1);
        let ways = ways.clamp(1, u32::try_from(lines).unwrap_or(u32::MAX));
        let sets = u32::try_from(lines / u64::from(ways)).unwrap_or(u32::MAX);
        CacheShape::new(ways, sets, is_hashed)
    }

    /// The cache with this many lines in a set and sets, at least one of each.
    ///
    /// `is_hashed`: the lines of later rounds through all sets begin at other sets, as hashed caches do
    /// it; otherwise the set is the line's number modulo their count.
    #[must_use]
    pub fn new(ways: u32, sets: u32, is_hashed: bool) -> CacheShape {
        let sets = sets.max(1);
        let reciprocal = (u64::MAX / u64::from(sets)).wrapping_add(1);
        CacheShape { ways: ways.max(1), sets, reciprocal, is_hashed }
    }

    /// The set of a line.
    #[must_use]
    pub fn set(&self, line: u64) -> u64 {
        let sets = u64::from(self.sets);
        let (round, set) = match (u32::try_from(line), self.sets) {
            (_, 1) => (line, 0),
            // Exact for 32 bits, and a fraction of a division.
            (Ok(small), _) => {
                let round = (u128::from(self.reciprocal) * u128::from(small)) >> 64;
                (round as u64, line - round as u64 * sets)
            }
            (Err(_), _) => (line / sets, line % sets),
        };
        if !self.is_hashed {
            return set;
        }
        // The rounds are spread by the golden ratio; within a round every set is used once.
        let spread = ((round.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) * sets) >> 32;
        let moved = set + spread;
        if moved >= sets { moved - sets } else { moved }
    }
}

/// What a cache did with a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// The sectors asked for that were there.
    pub hits: u8,
    /// The line that made room, and its sectors that are newer here than below.
    pub evicted: Option<(u64, u8)>,
}

/// A cache. Lines are numbers, sectors of a line are bits.
///
/// A set is a row of words, most recently used first; a word is the line's number over the dirty
/// sectors over the valid ones, and 0 is an empty way.
#[derive(Clone, Debug)]
pub struct Cache {
    shape: CacheShape,
    words: Vec<u64>,
}

const SECTORS: u32 = 8;

impl Cache {
    /// An empty cache.
    #[must_use]
    pub fn new(shape: CacheShape) -> Cache {
        Cache { shape, words: vec![0; shape.sets as usize * shape.ways as usize] }
    }

    /// Its form.
    #[must_use]
    pub fn shape(&self) -> CacheShape {
        self.shape
    }

    /// Forgets everything, dirty or not.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Reads sectors of a line; those that are missing are fetched.
    #[inline]
    pub fn read(&mut self, line: u64, sectors: u8) -> Outcome {
        self.touch(line, sectors, 0)
    }

    /// Writes sectors of a line, which stay here until they make room; nothing is fetched.
    #[inline]
    pub fn write(&mut self, line: u64, sectors: u8) -> Outcome {
        self.touch(line, sectors, sectors)
    }

    /// The sectors that are newer here than below, which become clean.
    pub fn clean(&mut self) -> impl Iterator<Item = (u64, u8)> {
        self.words.iter_mut().filter_map(|word| {
            let dirty = (*word >> SECTORS & 0xff) as u8;
            *word &= !(0xff << SECTORS);
            (dirty != 0).then_some((*word >> (2 * SECTORS), dirty))
        })
    }

    #[inline]
    fn touch(&mut self, line: u64, sectors: u8, dirty: u8) -> Outcome {
        let ways = self.shape.ways as usize;
        let start = self.shape.set(line) as usize * ways;
        let set = &mut self.words[start..start + ways];
        let wanted = u64::from(sectors) | u64::from(dirty) << SECTORS;
        let is_line = |word: u64| word >> (2 * SECTORS) == line && word & 0xff != 0;
        if is_line(set[0]) {
            let hits = set[0] as u8 & sectors;
            set[0] |= wanted;
            return Outcome { hits, evicted: None };
        }
        // Ways fill up from the front, so the first empty one ends the search.
        let at = set.iter().position(|word| *word == 0 || is_line(*word)).unwrap_or(ways - 1);
        let found = is_line(set[at]);
        let (last, hits, word) = match found {
            true => (at, set[at] as u8 & sectors, set[at] | wanted),
            false => (at, 0, line << (2 * SECTORS) | wanted),
        };
        let oldest = set[last];
        let is_lost = !found && oldest != 0;
        let evicted =
            is_lost.then_some((oldest >> (2 * SECTORS), (oldest >> SECTORS & 0xff) as u8));
        set.copy_within(..last, 1);
        set[0] = word;
        Outcome { hits, evicted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    #[test]
    fn two_ways_by_hand() {
        let mut cache = Cache::new(CacheShape::new(2, 2, false));
        let hits = |outcome: Outcome| outcome.hits;
        assert_eq!(hits(cache.read(0, 0b0001)), 0);
        assert_eq!(hits(cache.read(0, 0b0011)), 0b0001, "the other sector was not fetched");
        assert_eq!(hits(cache.read(2, 0b1111)), 0);
        assert_eq!(hits(cache.read(0, 0b0011)), 0b0011);
        assert_eq!(hits(cache.read(4, 0b0001)), 0, "takes the place of line 2");
        assert_eq!(hits(cache.read(0, 0b0001)), 0b0001);
        assert_eq!(hits(cache.read(2, 0b0001)), 0);
        assert_eq!(hits(cache.read(1, 0b0001)), 0, "the other set");
        // Writes: two dirty sectors of line 5 leave when lines 7 and 9 come to its set.
        assert_eq!(cache.write(5, 0b0110), Outcome { hits: 0, evicted: None });
        assert_eq!(cache.read(5, 0b0110).hits, 0b0110);
        cache.read(7, 1);
        assert_eq!(cache.read(9, 1).evicted, Some((5, 0b0110)));
        cache.write(11, 0b1000);
        assert_eq!(cache.clean().collect::<Vec<_>>(), [(11, 0b1000)]);
        assert_eq!(cache.clean().count(), 0);
    }

    #[test]
    fn a_set_is_used_once_in_each_round() {
        for is_hashed in [false, true] {
            for sets in [1, 3, 64, 116] {
                let shape = CacheShape::new(4, sets, is_hashed);
                for round in 0..5 {
                    let first = round * u64::from(sets);
                    let mut used: Vec<u64> =
                        (first..first + u64::from(sets)).map(|line| shape.set(line)).collect();
                    used.sort_unstable();
                    assert!(used.into_iter().eq(0..u64::from(sets)));
                }
            }
        }
        // Addresses a power of two apart do not all meet in one set.
        let shape = CacheShape::new(4, 64, true);
        let used: std::collections::BTreeSet<u64> =
            (0..64).map(|plane| shape.set(plane << 14)).collect();
        assert!(used.len() > 24, "{}", used.len());
    }

    #[test]
    fn shapes_fit_their_capacity() {
        let shape = CacheShape::of(49152, 128, 4, false);
        assert_eq!((shape.sets, shape.ways), (96, 4));
        assert_eq!(CacheShape::of(100, 128, 16, false).sets, 1);
        assert_eq!(CacheShape::of(256, 128, 16, false).ways, 2);
    }

    /// The same, said plainly: a queue for each set, the last used in front.
    struct Naive {
        shape: CacheShape,
        sets: Vec<VecDeque<(u64, u8, u8)>>,
    }

    impl Naive {
        fn touch(&mut self, line: u64, sectors: u8, dirty: u8) -> Outcome {
            let set = &mut self.sets[self.shape.set(line) as usize];
            let mut outcome = Outcome::default();
            let mut own = (line, 0, 0);
            if let Some(at) = set.iter().position(|(other, ..)| *other == line) {
                own = set.remove(at).expect("found");
                outcome.hits = own.1 & sectors;
            } else if set.len() == self.shape.ways as usize {
                outcome.evicted = set.pop_back().map(|(line, _, dirty)| (line, dirty));
            }
            set.push_front((line, own.1 | sectors, own.2 | dirty));
            outcome
        }
    }

    proptest! {
        #[test]
        fn sets_by_multiplication(line in 0_u64..1 << 34, sets in 1_u32..1 << 22) {
            let shape = CacheShape::new(1, sets, false);
            prop_assert_eq!(shape.set(line), line % u64::from(sets));
        }

        #[test]
        fn as_a_naive_cache(
            ways in 1_u32..6,
            sets in 1_u32..7,
            is_hashed: bool,
            requests in prop::collection::vec((0_u64..40, 1_u8..16, 0..2), 1..400),
        ) {
            let shape = CacheShape::new(ways, sets, is_hashed);
            let mut naive = Naive { shape, sets: vec![VecDeque::new(); sets as usize] };
            let mut cache = Cache::new(shape);
            for (line, sectors, kind) in requests {
                let (found, expected) = match kind {
                    0 => (cache.read(line, sectors), naive.touch(line, sectors, 0)),
                    _ => (cache.write(line, sectors), naive.touch(line, sectors, sectors)),
                };
                prop_assert_eq!(found, expected);
            }
        }
    }
}

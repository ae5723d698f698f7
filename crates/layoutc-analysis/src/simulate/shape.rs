//! The form of a cache.

/// The form of a cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CacheShape {
    /// Lines of a set.
    ways: u32,
    /// Sets.
    sets: u32,
    /// 2^64 over the sets, rounded up.
    reciprocal: u64,
    /// The last line for which that is exact.
    exact: u64,
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
        let exact = u64::MAX / u64::from(sets);
        CacheShape { ways: ways.max(1), sets, reciprocal, exact, is_hashed }
    }

    /// Lines of a set.
    #[must_use]
    pub fn ways(&self) -> usize {
        self.ways as usize
    }

    /// Sets.
    #[must_use]
    pub fn sets(&self) -> usize {
        self.sets as usize
    }

    /// The set of a line, and the round through all sets that it is in.
    #[inline]
    #[must_use]
    pub fn place(&self, line: u64) -> (u64, u64) {
        let sets = u64::from(self.sets);
        let round = if self.sets == 1 {
            line
        } else if line <= self.exact {
            // A fraction of a division.
            ((u128::from(self.reciprocal) * u128::from(line)) >> 64) as u64
        } else {
            line / sets
        };
        let set = line - round * sets;
        if !self.is_hashed {
            return (set, round);
        }
        let moved = set + self.spread(round);
        (if moved >= sets { moved - sets } else { moved }, round)
    }

    /// The line of a set in a round.
    #[must_use]
    pub fn line(&self, set: u64, round: u64) -> u64 {
        let sets = u64::from(self.sets);
        let spread = if self.is_hashed { self.spread(round) } else { 0 };
        let set = if set < spread { set + sets - spread } else { set - spread };
        round * sets + set
    }

    /// Where a round begins. The rounds are spread by the golden ratio; within a round every set is used once.
    #[inline]
    fn spread(&self, round: u64) -> u64 {
        ((round.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) * u64::from(self.sets)) >> 32
    }
}

//! The sets of a cache: which lines they hold and in which order these were used.
//!
//! A set is a row of words, the most recently used line first. A word is small where that is possible, as most of
//! the time of a simulation goes into waiting for these rows: 16 words of 32 bits are one line of the
//! host's caches.

use super::shape::CacheShape;

/// What is known of the sectors of a line, a bit for each. A sector that is neither is not there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sectors {
    /// All of their bytes are known.
    pub whole: u8,
    /// They are newer here than below; those that are not whole were written in part.
    pub dirty: u8,
}

impl Sectors {
    /// Those that are there.
    #[must_use]
    pub fn present(self) -> u8 {
        self.whole | self.dirty
    }

    /// Those of which only a part is known.
    #[must_use]
    pub fn partial(self) -> u8 {
        self.dirty & !self.whole
    }
}

/// What a line found that was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Touched {
    /// What was known of it; nothing if it was not there.
    pub known: Sectors,
    /// What was known of the line that made room; nothing if there was none.
    pub evicted: Sectors,
    /// What [`Sets::round_of`] takes for the line that made room.
    pub evicted_tag: u64,
}

/// The sets of a cache.
#[derive(Clone, Debug)]
pub struct Sets {
    ways: usize,
    words: Words,
}

#[derive(Clone, Debug)]
enum Words {
    Narrow { sets: Vec<NarrowSet>, regions: Box<Regions> },
    Wide(Vec<WideWord>),
}

/// Words of a narrow set.
const NARROW_WAYS: usize = 16;
/// Sectors of a line in a narrow set.
const NARROW_SECTORS: u32 = 4;
/// Bits below a narrow word's tag: the way, the dirty sectors, the whole ones.
const NARROW_TAG: u32 = 12;
/// Rounds of a region, as a shift. A narrow word keeps a round's place in its region and the region's place in
/// `regions`, and no two regions may have the same one.
const ROUNDS: u32 = 12;
/// The regions by their places.
type Regions = [u64; REGIONS];
const REGIONS: usize = 1 << (32 - NARROW_TAG - ROUNDS);
/// A region's place that no region has.
const NO_REGION: u64 = u64::MAX;

/// At most 16 lines of at most 4 sectors.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct NarrowSet([u32; NARROW_WAYS]);

/// A word for any line.
#[derive(Clone, Copy, Debug)]
struct WideWord {
    round: u64,
    way: u32,
    sectors: Sectors,
}

/// The sectors of a narrow word.
#[inline]
fn narrow_sectors(word: u32) -> Sectors {
    Sectors { whole: (word & 0xf) as u8, dirty: (word >> 4 & 0xf) as u8 }
}

/// Where a region is noted.
#[inline]
fn place_of(region: u64) -> usize {
    region as usize % REGIONS
}

impl NarrowSet {
    fn empty() -> NarrowSet {
        NarrowSet(std::array::from_fn(|way| (way as u32) << 8))
    }

    /// Brings the line of this tag to the front, in place of the last one if it is not there, with the
    /// sectors that `change` makes of those that were known. The word that it had is returned, and the word
    /// of the line that makes room, or 0.
    ///
    /// An empty word of the same tag is as good as an absent line.
    #[inline(always)]
    fn touch(
        &mut self,
        tag: u32,
        last: usize,
        change: impl FnOnce(Sectors, u32) -> Sectors,
    ) -> (u32, u32) {
        let set = &mut self.0;
        // No branches: the host then works at several lines at once, and waits for them at once. The bits are
        // not the lowest ones, for which the compiler leaves its vectors.
        let mut found = 0_u32;
        for (at, word) in set.iter().enumerate() {
            found |= if word >> NARROW_TAG == tag { FOUND << at } else { 0 };
        }
        found &= (FOUND << 1 << last) - 1;
        let at = if found != 0 { (found / FOUND).trailing_zeros() as usize } else { last };
        let word = set[at % NARROW_WAYS];
        let absent = tag << NARROW_TAG | word & 0xf00;
        let (own, evicted) = if found != 0 { (word, 0) } else { (absent, word) };
        let front = narrow_changed(own, change);
        let moves = &MOVES[at % NARROW_WAYS];
        let before = *set;
        let mut moved = [0; NARROW_WAYS];
        moved[0] = front;
        moved[1..].copy_from_slice(&before[..NARROW_WAYS - 1]);
        for at in 0..NARROW_WAYS {
            set[at] = moved[at] & moves[at] | before[at] & !moves[at];
        }
        (own, evicted)
    }
}

/// A narrow word with other sectors.
#[inline(always)]
fn narrow_changed(word: u32, change: impl FnOnce(Sectors, u32) -> Sectors) -> u32 {
    let new = change(narrow_sectors(word), word >> 8 & 0xf);
    word & !0xff | u32::from(new.dirty) << 4 | u32::from(new.whole)
}

/// A bit for the first way.
const FOUND: u32 = 0x100;

/// For a way whose word comes to the front: the ways that get another word.
static MOVES: [[u32; NARROW_WAYS]; NARROW_WAYS] = {
    let mut moves = [[0; NARROW_WAYS]; NARROW_WAYS];
    let mut front = 0;
    while front < NARROW_WAYS {
        let mut at = 0;
        while at <= front {
            moves[front][at] = u32::MAX;
            at += 1;
        }
        front += 1;
    }
    moves
};

impl Sets {
    /// Empty sets of a cache whose lines have so many sectors.
    #[must_use]
    pub fn new(shape: CacheShape, sectors: u32) -> Sets {
        let (ways, sets) = (shape.ways(), shape.sets());
        let is_narrow = ways <= NARROW_WAYS && sectors <= NARROW_SECTORS;
        let words = if is_narrow {
            let sets = vec![NarrowSet::empty(); sets];
            Words::Narrow { sets, regions: Box::new([NO_REGION; REGIONS]) }
        } else {
            let word =
                |at| WideWord { round: 0, way: (at % ways) as u32, sectors: Sectors::default() };
            Words::Wide((0..sets * ways).map(word).collect())
        };
        Sets { ways, words }
    }

    /// Forgets all lines.
    pub fn clear(&mut self) {
        match &mut self.words {
            Words::Narrow { sets, regions } => {
                sets.fill(NarrowSet::empty());
                regions.fill(NO_REGION);
            }
            Words::Wide(words) => {
                words.iter_mut().for_each(|word| word.sectors = Sectors::default());
            }
        }
    }

    /// Something of a set, for those that will need it soon: the host loads it meanwhile.
    #[inline]
    #[must_use]
    pub fn peek(&self, set: usize) -> u64 {
        match &self.words {
            Words::Narrow { sets, .. } => u64::from(sets[set].0[0]),
            Words::Wide(words) => words[set * self.ways].round,
        }
    }

    /// Brings a line to the front of its set, in place of the last one if it is not there, with the sectors
    /// that `change` makes of those that were known and of the way that the line has, for as long as it stays.
    #[inline(always)]
    pub fn touch(
        &mut self,
        set: usize,
        round: u64,
        change: impl FnOnce(Sectors, u32) -> Sectors,
    ) -> Touched {
        if let Words::Narrow { sets, regions } = &mut self.words {
            let region = round >> ROUNDS;
            let noted = &mut regions[place_of(region)];
            if *noted == NO_REGION {
                *noted = region;
            }
            if *noted == region {
                let tag = round as u32 & (u32::MAX >> NARROW_TAG);
                let (own, evicted) = sets[set].touch(tag, self.ways - 1, change);
                return Touched {
                    known: narrow_sectors(own),
                    evicted: narrow_sectors(evicted),
                    evicted_tag: u64::from(evicted >> NARROW_TAG),
                };
            }
            self.widen();
        }
        let (touched, way) = self.bring_wide(set, round);
        if let Words::Wide(words) = &mut self.words {
            words[set * self.ways].sectors = change(touched.known, way);
        }
        touched
    }

    #[cold]
    fn bring_wide(&mut self, set: usize, round: u64) -> (Touched, u32) {
        let Words::Wide(words) = &mut self.words else { return Default::default() };
        let set = &mut words[set * self.ways..][..self.ways];
        let found = set.iter().position(|word| word.round == round && word.sectors.present() != 0);
        let at = found.unwrap_or(self.ways - 1);
        set[..=at].rotate_right(1);
        let front = &mut set[0];
        let mut touched = Touched::default();
        if found.is_some() {
            touched.known = front.sectors;
        } else {
            (touched.evicted, touched.evicted_tag) = (front.sectors, front.round);
            front.round = round;
        }
        (touched, front.way)
    }

    /// The round of a line that made room, just now.
    #[must_use]
    pub fn round_of(&self, evicted_tag: u64) -> u64 {
        match &self.words {
            Words::Narrow { regions, .. } => narrow_round(evicted_tag, regions),
            Words::Wide(_) => evicted_tag,
        }
    }

    /// All lines by set and tag with their sectors, which become what is returned.
    pub fn update(&mut self, mut change: impl FnMut(usize, u64, Sectors) -> Sectors) {
        match &mut self.words {
            Words::Narrow { sets, .. } => {
                for (at, set) in sets.iter_mut().enumerate() {
                    for word in set.0.iter_mut().filter(|word| **word & 0xff != 0) {
                        let tag = u64::from(*word >> NARROW_TAG);
                        *word = narrow_changed(*word, |sectors, _| change(at, tag, sectors));
                    }
                }
            }
            Words::Wide(words) => {
                for (at, word) in words.iter_mut().enumerate() {
                    if word.sectors.present() != 0 {
                        word.sectors = change(at / self.ways, word.round, word.sectors);
                    }
                }
            }
        }
    }

    /// Takes words for any line: two regions have the same place.
    #[cold]
    fn widen(&mut self) {
        let Words::Narrow { sets, regions } = &self.words else { return };
        let wide = |word: &u32| WideWord {
            round: narrow_round(u64::from(word >> NARROW_TAG), regions),
            way: word >> 8 & 0xf,
            sectors: narrow_sectors(*word),
        };
        let words = sets.iter().flat_map(|set| set.0[..self.ways].iter().map(wide)).collect();
        self.words = Words::Wide(words);
    }
}

/// The round of a narrow word's line.
fn narrow_round(tag: u64, regions: &Regions) -> u64 {
    let region = regions[place_of(tag >> ROUNDS)];
    region << ROUNDS | tag & ((1 << ROUNDS) - 1)
}

//! What a warp's instruction asks of memory: the lines and sectors that its lanes touch.

use crate::cost::kernel::AccessKind;

/// Bytes of lines and sectors, as shifts. A line has at most 128 bytes and 8 sectors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grain {
    /// Bits of an address within a line.
    pub line: u32,
    /// Bits of an address within a sector.
    pub sector: u32,
}

/// A line and which of its sectors are touched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line(u64);

impl Line {
    /// A line by its number, and a bit for each sector, the first one lowest.
    #[must_use]
    pub fn new(number: u64, sectors: u8) -> Line {
        Line(number << 8 | u64::from(sectors))
    }

    /// Its number.
    #[must_use]
    pub fn number(self) -> u64 {
        self.0 >> 8
    }

    /// A bit for each sector, the first one lowest.
    #[must_use]
    pub fn sectors(self) -> u8 {
        self.0 as u8
    }
}

/// An instruction of a warp.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request {
    /// Where the program makes it.
    pub place: u32,
    /// What it does.
    pub kind: AccessKind,
    /// Bytes that its lanes ask for; those that several ask for count once.
    pub bytes: u32,
    /// Lanes that take part.
    pub lanes: u8,
    /// How many lines it touches.
    pub lines: u16,
}

/// The instructions of a warp and the lines of each.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WarpTrace {
    /// In the order of their execution.
    pub requests: Vec<Request>,
    /// The lines of all of them, one after another.
    pub lines: Vec<Line>,
    /// Of stores, which bytes of each of their lines they write.
    pub written: Vec<u128>,
}

impl WarpTrace {
    /// Takes all of it away.
    pub fn clear(&mut self) {
        self.requests.clear();
        self.lines.clear();
        self.written.clear();
    }
}

/// Makes requests of the accesses of lanes.
#[derive(Clone, Debug)]
pub struct Coalescer {
    grain: Grain,
    /// The lines of the request in the making.
    touched: Vec<u64>,
    /// The bytes of each that are touched.
    masks: Vec<u128>,
    /// Bits by which most lines are seen not to be among them.
    filter: [u64; FILTER / 64],
    /// Bytes that were touched, each once.
    bytes: u32,
}

/// Bits of the filter.
const FILTER: usize = 512;

impl Coalescer {
    /// A coalescer for lines and sectors of this size.
    #[must_use]
    pub fn new(grain: Grain) -> Coalescer {
        let filter = [0; FILTER / 64];
        Coalescer { grain, touched: Vec::new(), masks: Vec::new(), filter, bytes: 0 }
    }

    /// Adds an instruction to a warp; `lanes` are first byte and bytes of each lane's access.
    pub fn push(
        &mut self,
        warp: &mut WarpTrace,
        place: u32,
        kind: AccessKind,
        lanes: &[(u64, u32)],
    ) {
        self.touched.clear();
        self.masks.clear();
        self.filter = [0; FILTER / 64];
        self.bytes = 0;
        for (address, bytes) in lanes {
            self.touch(*address, *bytes);
        }
        let sectors = |(number, mask): (&u64, &u128)| Line::new(*number, self.sectors(*mask));
        warp.lines.extend(self.touched.iter().zip(&self.masks).map(sectors));
        if kind == AccessKind::Write {
            warp.written.extend_from_slice(&self.masks);
        }
        let (lines, bytes) = (self.touched.len() as u16, self.bytes);
        warp.requests.push(Request { place, kind, bytes, lanes: lanes.len() as u8, lines });
    }

    #[inline]
    fn touch(&mut self, address: u64, bytes: u32) {
        let size = 1_u64 << self.grain.line;
        let (mut from, end) = (address, address + u64::from(bytes));
        while from < end {
            let number = from >> self.grain.line;
            let to = end.min((number + 1) << self.grain.line);
            let count = (to - from) as u32;
            let low = match count {
                0..64 => u128::from((1_u64 << count) - 1),
                _ => u128::MAX >> (128 - count),
            };
            let mask = low << (from & (size - 1));
            match self.find(number) {
                Some(at) => {
                    let known = &mut self.masks[at];
                    self.bytes +=
                        if *known & mask == 0 { count } else { (mask & !*known).count_ones() };
                    *known |= mask;
                }
                None => {
                    self.bytes += count;
                    self.touched.push(number);
                    self.masks.push(mask);
                }
            }
            from = to;
        }
    }

    /// Where a line is among those that were touched; if it is not, it will be.
    #[inline]
    fn find(&mut self, number: u64) -> Option<usize> {
        // Lanes are mostly in order.
        let last = self.touched.len().wrapping_sub(1);
        if self.touched.last() == Some(&number) {
            return Some(last);
        }
        let bit = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - FILTER.ilog2());
        let (word, bit) = (bit as usize / 64 % (FILTER / 64), 1 << (bit % 64));
        let may_be = self.filter[word] & bit != 0;
        self.filter[word] |= bit;
        if !may_be {
            return None;
        }
        self.touched.iter().rposition(|line| *line == number)
    }

    #[inline]
    fn sectors(&self, mask: u128) -> u8 {
        if self.grain.sector == 5 {
            // Almost all devices.
            let word = |at: u32| u8::from((mask >> (32 * at)) as u32 != 0) << at;
            return word(0) | word(1) | word(2) | word(3);
        }
        let bytes = 1_u32 << self.grain.sector;
        let one = u128::MAX >> (128 - bytes);
        let count = 1_u32 << (self.grain.line - self.grain.sector);
        (0..count).fold(0, |sectors, at| sectors | u8::from(mask >> (at * bytes) & one != 0) << at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRAIN: Grain = Grain { line: 7, sector: 5 };

    /// Lines, sectors and bytes of one load by 32 lanes.
    fn load(address: impl Fn(u64) -> u64, bytes: u32) -> (usize, u32, u32) {
        let mut warp = WarpTrace::default();
        let lanes: Vec<(u64, u32)> = (0..32).map(|lane| (address(lane), bytes)).collect();
        Coalescer::new(GRAIN).push(&mut warp, 0, AccessKind::Read, &lanes);
        let sectors = warp.lines.iter().map(|line| line.sectors().count_ones()).sum();
        (warp.lines.len(), sectors, warp.requests[0].bytes)
    }

    #[test]
    fn by_hand() {
        assert_eq!(load(|lane| 4 * lane, 4), (1, 4, 128));
        assert_eq!(load(|lane| 124 + 4 * lane, 4), (2, 5, 128), "not aligned to a line");
        assert_eq!(load(|_| 256, 4), (1, 1, 4), "one value for all lanes");
        assert_eq!(load(|lane| 28 * lane, 4), (7, 28, 128));
        assert_eq!(load(|lane| 32 * lane, 4), (8, 32, 128));
        assert_eq!(load(|lane| 128 * lane, 4), (32, 32, 128));
        assert_eq!(load(|lane| 16 * lane, 16), (4, 16, 512));
        assert_eq!(load(|lane| 4 * (31 - lane), 4), (1, 4, 128), "backwards");
        assert_eq!(load(|lane| 2 * lane, 4), (1, 3, 66), "overlapping");
        assert_eq!(load(|lane| 4 * (lane % 16) + 4096 * (lane / 16), 4), (2, 4, 128));
    }

    #[test]
    fn stores_say_what_they_write() {
        let mut warp = WarpTrace::default();
        let lanes = [(120, 4), (128, 4), (136, 4), (144, 4)];
        Coalescer::new(GRAIN).push(&mut warp, 3, AccessKind::Write, &lanes);
        assert_eq!(warp.written, [0xf << 120, 0xf0f0f]);
        assert_eq!(warp.lines[0], Line::new(0, 0b1000));
        assert_eq!(warp.lines[1], Line::new(1, 0b0001));
        assert_eq!(warp.requests[0].bytes, 16);
    }
}

//! From what each thread of a warp does to the instructions of the warp.
//!
//! Threads are traced one by one, so two things are put together again:
//!
//! - **Vector loads and stores.** Accesses of a thread to neighbouring bytes become one of 8 or 16 bytes where
//!   the memory's type is aligned for it, as nvcc 13 does it: for loads if values with gaps of at most 8
//!   bytes span more than half of it, for stores if all bytes are written. Nothing moves across an access that a compiler could not see to be
//!   apart, which it does for members of one struct.
//! - **Lanes.** Lanes whose next accesses come from one place go together. Where they differ, lanes wait at places that all
//!   lanes reach equally often, as the head of a loop with a branch in it and what stands behind a loop: there they are
//!   together again. Of the others those go first that come to another lane's place soonest. Between equals, lanes that have
//!   not begun their next round of a loop go first, then the earlier place.

use super::coalescer::{Coalescer, WarpTrace};
use crate::cost::kernel::AccessKind;
use std::collections::BTreeMap;

/// One access of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThreadAccess {
    /// Its first byte.
    pub address: u64,
    /// Its bytes; more than `align` are several accesses, as for the copy of a struct.
    pub bytes: u32,
    /// Where the program makes it; places that it reaches earlier have lower numbers.
    pub place: u32,
    /// What it does.
    pub kind: AccessKind,
    /// What the memory's type is known to be aligned to here, at least the size of a scalar.
    pub align: u32,
}

impl ThreadAccess {
    /// Whether it fills what its type is aligned to, so that it is no part of anything.
    fn is_one_value(&self) -> bool {
        self.bytes == self.align && self.bytes.is_power_of_two() && u64::from(self.bytes) <= WIDEST
    }
}

/// The widest access of a thread in bytes.
const WIDEST: u64 = 16;
/// Bytes between values that a load takes along.
const GAP: u32 = 8;
/// Vectors in the making, of a thread.
const OPEN: usize = 8;
/// Accesses nearer than this to each other are taken for members of one struct.
const STRUCT: u64 = 256;
/// Accesses that are looked at to find out where lanes meet again.
const AHEAD: usize = 64;

/// Accesses of one thread to one aligned piece of memory, which may become a vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Chunk {
    address: u64,
    /// Bytes that are accessed, from `address` on.
    mask: u32,
    place: u32,
    kind: AccessKind,
}

/// An instruction of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct LaneAccess {
    address: u64,
    bytes: u32,
    place: u32,
    kind: AccessKind,
}

/// Puts the threads of warps together.
#[derive(Clone, Debug)]
pub struct WarpMerger {
    coalescer: Coalescer,
    chunks: Vec<Chunk>,
    lanes: Vec<Vec<LaneAccess>>,
    next: Vec<usize>,
    taking: Vec<(u64, u32)>,
    warp: WarpTrace,
    /// Places that all lanes that get there reach equally often, and how often; found where lanes of a warp first part.
    common: Option<BTreeMap<u32, usize>>,
}

impl WarpMerger {
    /// With a coalescer for the requests.
    #[must_use]
    pub fn new(coalescer: Coalescer) -> WarpMerger {
        WarpMerger {
            coalescer,
            chunks: Vec::new(),
            lanes: Vec::new(),
            next: Vec::new(),
            taking: Vec::new(),
            warp: WarpTrace::default(),
            common: None,
        }
    }

    /// The instructions of the warp of these threads.
    pub fn merge<'a, L>(&mut self, threads: impl IntoIterator<Item = L>) -> WarpTrace
    where
        L: AsRef<[ThreadAccess]> + 'a,
    {
        let mut count = 0;
        for thread in threads {
            self.instructions(thread.as_ref(), count);
            count += 1;
        }
        self.next.clear();
        self.next.resize(count, 0);
        self.common = None;
        let mut warp = std::mem::take(&mut self.warp);
        warp.clear();
        while let Some(place) = self.leading_place(count) {
            let (lanes, next) = (&self.lanes[..count], &mut self.next);
            let mut kind = AccessKind::Read;
            let taking = lanes.iter().zip(next.iter_mut()).filter_map(|(lane, next)| {
                let own = lane.get(*next).filter(|access| access.place == place)?;
                *next += 1;
                kind = own.kind;
                Some((own.address, own.bytes))
            });
            self.taking.clear();
            self.taking.extend(taking);
            self.coalescer.push(&mut warp, place, kind, &self.taking);
        }
        // A copy has no room to spare; many of them wait.
        let made = warp.clone();
        self.warp = warp;
        made
    }

    /// The place whose lanes go next.
    fn leading_place(&mut self, count: usize) -> Option<u32> {
        let mut waiting = (0..count).filter_map(|lane| {
            self.lanes[lane].get(self.next[lane]).map(|access| (lane, access.place))
        });
        let (first, place) = waiting.next()?;
        if waiting.clone().all(|(_, other)| other == place) {
            return Some(place);
        }
        // One lane for each place.
        let mut groups: Vec<(usize, u32)> = vec![(first, place)];
        for (lane, place) in waiting {
            if groups.iter().all(|(_, known)| *known != place) {
                groups.push((lane, place));
            }
        }
        let lanes = &self.lanes[..count];
        let common = self.common.get_or_insert_with(|| common_places(lanes));
        let rank = |(lane, place): &(usize, u32)| {
            let next = self.next[*lane];
            let ahead = self.lanes[*lane][next + 1..].iter().take(AHEAD);
            let others =
                |other: u32| other != *place && groups.iter().any(|(_, waiting)| *waiting == other);
            let meets = ahead.map(|access| access.place).position(others).unwrap_or(AHEAD);
            let last = next.checked_sub(1).map(|last| self.lanes[*lane][last].place);
            let has_wrapped = last.is_some_and(|last| *place <= last);
            // The head of a loop is reached more often than what stands behind a branch in it.
            let waits = common.get(place).copied().unwrap_or(0);
            (waits, meets, has_wrapped, *place)
        };
        groups.iter().min_by_key(|group| rank(group)).map(|(_, place)| *place)
    }

    /// A thread's instructions, into `self.lanes[lane]`.
    fn instructions(&mut self, thread: &[ThreadAccess], lane: usize) {
        if self.lanes.len() <= lane {
            self.lanes.resize(lane + 1, Vec::new());
        }
        // Mostly there is nothing that could become a vector.
        if thread.iter().any(|access| !access.is_one_value()) {
            self.vectors(thread, lane);
            return;
        }
        let own = |access: &ThreadAccess| {
            let ThreadAccess { address, bytes, place, kind, .. } = *access;
            LaneAccess { address, bytes, place, kind }
        };
        self.lanes[lane].clear();
        self.lanes[lane].extend(thread.iter().map(own));
    }

    /// The instructions of a thread some of whose accesses are parts of vectors.
    fn vectors(&mut self, thread: &[ThreadAccess], lane: usize) {
        self.chunks.clear();
        // Positions in `chunks` that may still grow, the newest last.
        let mut open: [usize; OPEN] = [0; OPEN];
        let mut opened = 0;
        for access in thread {
            let align = u64::from(access.align).clamp(1, WIDEST);
            if access.kind == AccessKind::Atomic {
                opened = 0;
                self.chunks.push(Chunk::whole(access, access.address, access.bytes));
                continue;
            }
            let (start, end) = (access.address, access.address + u64::from(access.bytes));
            if opened > 0 {
                let chunks = &self.chunks;
                let mut kept = 0;
                for at in 0..opened {
                    if chunks[open[at]].survives(access, end) {
                        open[kept] = open[at];
                        kept += 1;
                    }
                }
                opened = kept;
            }
            if align == u64::from(access.bytes) {
                self.chunks.push(Chunk::whole(access, start, access.bytes));
                continue;
            }
            // In pieces that stay within aligned chunks.
            let mut from = start;
            while from < end {
                let chunk = from & !(align - 1);
                let to = end.min(chunk + align);
                if to - from == align {
                    self.chunks.push(Chunk::whole(access, from, align as u32));
                    from = to;
                    continue;
                }
                let mask = ((1_u32 << (to - from)) - 1) << (from - chunk);
                let known = open[..opened].iter().copied().find(|at| {
                    let own = &self.chunks[*at];
                    own.address == chunk && own.kind == access.kind && own.mask & mask == 0
                });
                match known {
                    Some(at) => self.chunks[at].mask |= mask,
                    None => {
                        if opened == OPEN {
                            open.copy_within(1.., 0);
                            opened -= 1;
                        }
                        open[opened] = self.chunks.len();
                        opened += 1;
                        let (place, kind) = (access.place, access.kind);
                        self.chunks.push(Chunk { address: chunk, mask, place, kind });
                    }
                }
                from = to;
            }
        }
        let out = &mut self.lanes[lane];
        out.clear();
        for chunk in &self.chunks {
            chunk.instructions(out);
        }
    }
}

/// The places that all lanes that get there reach equally often, and how often.
fn common_places(lanes: &[Vec<LaneAccess>]) -> BTreeMap<u32, usize> {
    let mut counts: BTreeMap<u32, Option<usize>> = BTreeMap::new();
    for lane in lanes {
        let mut own: BTreeMap<u32, usize> = BTreeMap::new();
        for access in lane {
            *own.entry(access.place).or_default() += 1;
        }
        for (place, count) in own {
            let known = counts.entry(place).or_insert(Some(count));
            *known = known.filter(|known| *known == count);
        }
    }
    counts.into_iter().filter_map(|(place, count)| Some((place, count?))).collect()
}

impl Chunk {
    /// An access that stays as it is, of at most 16 bytes.
    fn whole(access: &ThreadAccess, address: u64, bytes: u32) -> Chunk {
        let mask = (1_u32 << bytes.min(WIDEST as u32)) - 1;
        Chunk { address, mask, place: access.place, kind: access.kind }
    }

    /// Whether it can still grow after an access of the same thread.
    fn survives(&self, access: &ThreadAccess, end: u64) -> bool {
        if self.kind == AccessKind::Read && access.kind == AccessKind::Read {
            return true;
        }
        let is_same = self.kind == access.kind;
        let own_end = self.address + WIDEST;
        let is_near = access.address < own_end + STRUCT && end + STRUCT > self.address;
        let from = access.address.max(self.address);
        let to = end.min(own_end);
        let overlap = if from < to {
            ((1_u32 << (to - from)) - 1) << (from - self.address) & self.mask
        } else {
            0
        };
        is_near && (is_same || overlap == 0)
    }

    /// The loads or stores that it becomes, from the lowest byte on.
    fn instructions(&self, out: &mut Vec<LaneAccess>) {
        if self.mask == 0xf || self.mask == 0xff {
            // By far the most: one value.
            self.push(0, self.mask.count_ones(), out);
            return;
        }
        let mut rest = self.mask;
        while rest != 0 {
            let from = rest.trailing_zeros();
            // The widest for which the first byte is aligned.
            let mut bytes = WIDEST as u32 >> (4 - from.trailing_zeros().min(4));
            while bytes > 1 && !self.is_one(rest >> from, bytes) {
                bytes /= 2;
            }
            self.push(from, bytes, out);
            rest &= !(((1 << bytes) - 1) << from);
        }
    }

    /// Whether the lowest bytes become one load or store.
    fn is_one(&self, used: u32, bytes: u32) -> bool {
        let window = used & ((1 << bytes) - 1);
        if self.kind != AccessKind::Read {
            return window.count_ones() == bytes;
        }
        let mut end = 0;
        loop {
            let ahead = window >> end;
            if ahead == 0 || ahead.trailing_zeros() > GAP {
                return end * 2 > bytes;
            }
            end += ahead.trailing_zeros() + 1;
        }
    }

    fn push(&self, from: u32, bytes: u32, out: &mut Vec<LaneAccess>) {
        let address = self.address + u64::from(from);
        out.push(LaneAccess { address, bytes, place: self.place, kind: self.kind });
    }
}

#[cfg(test)]
mod tests {
    use super::super::coalescer::Grain;
    use super::*;

    fn merged(threads: &[Vec<ThreadAccess>]) -> Vec<(u32, u8, u32, u16)> {
        let mut merger = WarpMerger::new(Coalescer::new(Grain { line: 7, sector: 5 }));
        let warp = merger.merge(threads.iter().map(|thread| thread.iter()));
        let shown = |request: &super::super::coalescer::Request| {
            (request.place, request.lanes, request.bytes, request.lines)
        };
        warp.requests.iter().map(shown).collect()
    }

    fn read(place: u32, address: u64, bytes: u32, align: u32) -> ThreadAccess {
        ThreadAccess { address, bytes, place, kind: AccessKind::Read, align }
    }

    fn write(place: u32, address: u64, bytes: u32, align: u32) -> ThreadAccess {
        ThreadAccess { kind: AccessKind::Write, ..read(place, address, bytes, align) }
    }

    /// The instructions of one thread: place, offset, bytes.
    fn of_thread(accesses: &[ThreadAccess]) -> Vec<(u32, u64, u32)> {
        let mut merger = WarpMerger::new(Coalescer::new(Grain { line: 7, sector: 5 }));
        merger.instructions(accesses, 0);
        merger.lanes[0].iter().map(|own| (own.place, own.address, own.bytes)).collect()
    }

    #[test]
    fn loads_become_vectors_where_the_type_is_aligned() {
        let fields = |align| -> Vec<ThreadAccess> {
            (0..7).map(|field| read(field, 64 + 4 * u64::from(field), 4, align)).collect()
        };
        assert_eq!(of_thread(&fields(4)).len(), 7);
        // Seven of eight values: the second load is of 16 bytes too.
        assert_eq!(of_thread(&fields(16)), [(0, 64, 16), (4, 80, 16)]);
        let eight = of_thread(&fields(8));
        assert_eq!(eight, [(0, 64, 8), (2, 72, 8), (4, 80, 8), (6, 88, 4)]);
        // What nvcc 13 makes of the members `xyw`, `xz`, `xw`, `yz`, `yzw` of four.
        let of = |members: &[u32]| -> Vec<(u64, u32)> {
            let reads: Vec<ThreadAccess> =
                members.iter().map(|at| read(*at, 4 * u64::from(*at), 4, 16)).collect();
            of_thread(&reads).into_iter().map(|(_, address, bytes)| (address, bytes)).collect()
        };
        assert_eq!(of(&[0, 1, 3]), [(0, 16)]);
        assert_eq!(of(&[0, 2]), [(0, 16)]);
        assert_eq!(of(&[0, 3]), [(0, 16)]);
        assert_eq!(of(&[1, 2]), [(4, 4), (8, 4)]);
        assert_eq!(of(&[1, 2, 3]), [(4, 4), (8, 8)]);
        assert_eq!(of(&[2, 3]), [(8, 8)]);
    }

    #[test]
    fn stores_become_vectors_where_all_is_written() {
        let fields: Vec<ThreadAccess> =
            (0..7).map(|field| write(field, 4 * u64::from(field), 4, 16)).collect();
        assert_eq!(of_thread(&fields), [(0, 0, 16), (4, 16, 8), (4, 24, 4)]);
    }

    #[test]
    fn nothing_moves_across_what_may_be_the_same() {
        let far = 1 << 20;
        let (x, y) = (read(0, 0, 4, 16), read(1, 4, 4, 16));
        assert_eq!(of_thread(&[x, write(2, 16, 4, 16), y]).len(), 2, "a member of the struct");
        assert_eq!(of_thread(&[x, write(2, far, 4, 16), y]).len(), 3, "another pointer");
        assert_eq!(of_thread(&[x, write(2, 0, 4, 16), y]).len(), 3, "the value itself");
        let atomic = ThreadAccess { kind: AccessKind::Atomic, ..read(2, far, 4, 4) };
        assert_eq!(of_thread(&[x, atomic, y]).len(), 3);
        // The next round of a loop is a load of its own.
        assert_eq!(of_thread(&[x, x]).len(), 2);
    }

    #[test]
    fn copies_of_structs_are_as_wide_as_their_type_allows() {
        assert_eq!(of_thread(&[read(0, 64, 28, 4)]).len(), 7);
        assert_eq!(of_thread(&[read(0, 64, 28, 16)]), [(0, 64, 16), (0, 80, 16)]);
        assert_eq!(of_thread(&[write(0, 64, 32, 16)]), [(0, 64, 16), (0, 80, 16)]);
        assert_eq!(of_thread(&[read(0, 64, 24, 8)]).len(), 3);
        assert_eq!(of_thread(&[read(0, 64, 16, 16)]), [(0, 64, 16)]);
        assert_eq!(of_thread(&[read(0, 64, 8, 4)]).len(), 2);
    }

    #[test]
    fn lanes_at_one_place_go_together() {
        let threads: Vec<Vec<ThreadAccess>> =
            (0..32).map(|lane| vec![read(0, 4 * lane, 4, 4), read(1, 512, 4, 4)]).collect();
        assert_eq!(merged(&threads), [(0, 32, 128, 1), (1, 32, 4, 1)]);
    }

    #[test]
    fn lanes_join_again_behind_a_branch() {
        // Even lanes do 1, odd lanes do 2, and all do 3.
        let threads: Vec<Vec<ThreadAccess>> = (0..4)
            .map(|lane| {
                let place = 1 + lane as u32 % 2;
                vec![read(0, 0, 4, 4), read(place, 4 * lane, 4, 4), read(3, 0, 4, 4)]
            })
            .collect();
        let places: Vec<(u32, u8)> =
            merged(&threads).iter().map(|(place, lanes, ..)| (*place, *lanes)).collect();
        assert_eq!(places, [(0, 4), (1, 2), (2, 2), (3, 4)]);
    }

    #[test]
    fn lanes_join_again_behind_loops_and_within() {
        // Lane l does 1 for l + 1 times, then 2.
        let threads: Vec<Vec<ThreadAccess>> = (0..3)
            .map(|lane| {
                let mut own = vec![read(1, 0, 4, 4); lane + 1];
                own.push(read(2, 0, 4, 4));
                own
            })
            .collect();
        let places = |threads: &[Vec<ThreadAccess>]| -> Vec<(u32, u8)> {
            merged(threads).iter().map(|(place, lanes, ..)| (*place, *lanes)).collect()
        };
        assert_eq!(places(&threads), [(1, 3), (1, 2), (1, 1), (2, 3)]);
        // In each round all do 1 and lane 1 does 2 as well.
        let threads: Vec<Vec<ThreadAccess>> = (0..2)
            .map(|lane| {
                let round = [read(1, 0, 4, 4), read(2, 0, 4, 4)];
                (0..3).flat_map(|_| round[..=lane].to_vec()).collect()
            })
            .collect();
        let expected = [(1, 2), (2, 1), (1, 2), (2, 1), (1, 2), (2, 1)];
        assert_eq!(places(&threads), expected);
    }

    #[test]
    fn lanes_stay_in_one_round_of_a_loop_with_a_branch_in_it() {
        // All do 1 four times; lane l does 2 and 3 in the rounds that it shares a remainder with.
        let threads: Vec<Vec<ThreadAccess>> = (0..2)
            .map(|lane| {
                let round = |at: usize| {
                    let mut own = vec![read(1, 0, 4, 4)];
                    if at % 2 == lane {
                        own.extend([read(2, 0, 4, 4), read(3, 0, 4, 4)]);
                    }
                    own
                };
                (0..4).flat_map(round).collect()
            })
            .collect();
        let places: Vec<(u32, u8)> =
            merged(&threads).iter().map(|(place, lanes, ..)| (*place, *lanes)).collect();
        assert_eq!(places, [(1, 2), (2, 1), (3, 1)].repeat(4));
    }
}

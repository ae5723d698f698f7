//! The sectors that a warp touches at once.

use super::super::kernel::{Factor, Lanes};
use super::super::warp::{WarpIndex, gathered};
use super::request::Request;

/// The most alignments at which an access is looked at.
const MAX_PHASES: u64 = 32;

/// How many neighbouring lanes choose neighbouring elements by an array of indices: more than one, because
/// lists of neighbours and orders are mostly made so, and less than a warp.
const LISTED_RUN: i64 = 8;

/// The most warps of a block that are looked at; more do not fit into one.
const MAX_SAMPLES: u64 = 32;

/// How many warps stand for all of those whose lanes were measured: means of blocks are right to half of a part
/// of one.
const MEASURED_SAMPLES: u32 = 4;

/// A place in memory at the granularity of sectors or lines: a row, and a number in it.
pub(super) type Cell = (u32, i64);

/// How the lanes of a block's warps lie to each other.
#[derive(Clone, Debug)]
pub(super) struct Lattice {
    /// Warps that differ: their part of all warps, times what each of their elements stands for, and
    /// the elements.
    pub samples: Vec<(f64, Vec<(u32, i64)>)>,
    /// How many warps of the block access the same.
    pub sharing: f64,
    /// Whether the elements are scattered.
    pub is_scattered: bool,
}

impl Lattice {
    /// The lanes of a block, of which each `period`th from `phase` on gets there; scattered ones choose among `extent`
    /// elements, if that is known.
    pub fn new(
        lanes: &Lanes,
        block: [u64; 3],
        warp_size: u64,
        extent: Option<u64>,
        [period, phase]: [u64; 2],
    ) -> Lattice {
        let threads = block.iter().product::<u64>();
        let warps = threads.div_ceil(warp_size);
        let scattered = |run: i64| {
            // Each run stands alone; several that choose the same elements touch them once.
            let mean = threads as f64 / warps as f64 / period as f64 / run as f64;
            let distinct = extent.map_or(mean, |extent| {
                let runs = extent.max(1) as f64 / run as f64;
                runs * (1.0 - (1.0 - 1.0 / runs.max(1.0)).powf(mean))
            });
            let samples = vec![(distinct, (0..run).map(|at| (0, at)).collect())];
            Lattice { samples, sharing: 1.0, is_scattered: true }
        };
        let factors = match lanes {
            Lanes::Affine(factors) => factors,
            Lanes::Measured(gather) => {
                let part = |at: u32| (f64::from(at) + 0.5) / f64::from(MEASURED_SAMPLES);
                let weight = 1.0 / f64::from(MEASURED_SAMPLES);
                let sample = |at: u32| (weight, gathered(gather, part(at)));
                let samples = (0..MEASURED_SAMPLES).map(sample).collect();
                return Lattice { samples, sharing: 1.0, is_scattered: false };
            }
            Lanes::Unknown => return scattered(1),
            Lanes::Listed => return scattered(LISTED_RUN),
            Lanes::Single => {
                let samples = vec![(1.0, vec![(0, 0)])];
                return Lattice { samples, sharing: 1.0, is_scattered: false };
            }
        };
        let regular = threads == block[0]
            || block[0].is_multiple_of(warp_size)
            || (warp_size.is_multiple_of(block[0]) && threads == block[0] * block[1]);
        let whole = threads / warp_size;
        let chosen: Vec<(u64, u64)> = if regular && whole > 0 {
            let last = (whole < warps).then_some((whole, 1));
            [(0, whole)].into_iter().chain(last).collect()
        } else {
            (0..warps.min(MAX_SAMPLES)).map(|warp| (warp, 1)).collect()
        };
        let all: u64 = chosen.iter().map(|(_, weight)| weight).sum();
        let all = all as f64;
        let samples: Vec<(f64, Vec<(u32, i64)>)> = chosen
            .into_iter()
            .map(|(warp, weight)| {
                let index = WarpIndex::of_warp(lanes, block, warp_size, warp);
                let mut elements = index.into_elements();
                if period > 1 {
                    let (first, step) = ((phase % period) as usize, period as usize);
                    elements = elements.into_iter().skip(first).step_by(step).collect();
                }
                if !elements.is_sorted_by(|a, b| a < b) {
                    elements.sort_unstable();
                    elements.dedup();
                }
                (weight as f64 / all, elements)
            })
            .collect();
        let same: u64 = factors
            .iter()
            .zip(block)
            .filter(|(factor, _)| **factor == Factor::Number(0))
            .map(|(_, extent)| extent)
            .product();
        let lanes = threads.min(warp_size).div_ceil(period) as f64;
        let within = lanes / samples[0].1.len() as f64;
        let sharing = (same as f64 / within).clamp(1.0, warps as f64);
        Lattice { samples, sharing, is_scattered: false }
    }
}

/// At which elements and bytes from its first place an access is looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Phases(pub Vec<(i64, i64)>);

impl Phases {
    /// All alignments to sectors that loops or scattered elements bring about, evenly thinned out.
    pub fn new(request: &Request, is_scattered: bool, sector: u64) -> Phases {
        let place = &request.place;
        if let Some((bytes, scalars)) = request.moves {
            let moved = |phase: u64| (0, (phase * bytes) as i64);
            return Phases((0..scalars.min(MAX_PHASES)).map(moved).collect());
        }
        if matches!(request.lanes, Lanes::Measured(_)) {
            // They were measured at all places.
            return Phases(vec![(0, 0)]);
        }
        let steps = request.loops.iter().filter_map(|(_, factor)| match factor {
            Factor::Number(number) => Some(number.unsigned_abs()),
            Factor::Symbol => None,
        });
        let step = steps.fold(u64::from(is_scattered), greatest_common_divisor);
        if step == 0 {
            return Phases(vec![(0, 0)]);
        }
        // The slots of a tile follow each other as in an array.
        let is_array = place.has_planes || place.tile > 1;
        let bytes = step * if is_array { place.size } else { place.stride };
        let count = sector / greatest_common_divisor(bytes, sector);
        let thinning = count.div_ceil(MAX_PHASES);
        let phase = |at: u64| ((at * thinning * step) as i64, 0);
        Phases((0..count.div_ceil(thinning)).map(phase).collect())
    }
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// The cells of `granule` bytes that a request whose values begin there touches in one sample, sorted,
/// each once.
pub(super) fn cells(
    bytes: u64,
    start: &FirstByte,
    elements: &[(u32, i64)],
    (shift, moved): (i64, i64),
    granule: u64,
    out: &mut Vec<Cell>,
) {
    out.clear();
    let granule = Divisor::new(granule);
    let last = bytes as i64 - 1;
    let mut is_sorted = true;
    let mut newest: Option<Cell> = None;
    for (row, element) in elements {
        let first = start.of(element + shift) + moved;
        let cell = (*row, granule.quotient(first));
        if newest != Some(cell) {
            is_sorted &= newest.is_none_or(|newest| newest < cell);
            out.push(cell);
        }
        let end = granule.quotient(first + last);
        for next in cell.1 + 1..=end {
            out.push((*row, next));
        }
        newest = Some((*row, end.max(cell.1)));
    }
    if !is_sorted {
        out.sort_unstable();
        out.dedup();
    }
}

/// A number that is divided by often, mostly a power of two.
#[derive(Clone, Copy)]
struct Divisor {
    by: i64,
    shift: Option<u32>,
}

impl Divisor {
    fn new(by: u64) -> Divisor {
        let shift = by.is_power_of_two().then(|| by.trailing_zeros());
        Divisor { by: by as i64, shift }
    }

    /// The quotient, rounded down.
    fn quotient(self, whole: i64) -> i64 {
        match self.shift {
            Some(shift) => whole >> shift,
            None => whole.div_euclid(self.by),
        }
    }
}

/// Where a request's values begin.
pub(super) struct FirstByte {
    /// Bytes from an element to the next, and from a tile to the next.
    steps: [i64; 2],
    tile: Divisor,
    offset: i64,
    byte: i64,
}

impl FirstByte {
    /// Those of a request.
    pub fn new(request: &Request) -> FirstByte {
        let place = &request.place;
        let (size, stride) = (place.size as i64, place.stride as i64);
        let (steps, tile) = match (place.has_planes, place.tile) {
            (true, _) => ([size, size], 1),
            (false, 1) => ([stride, stride], 1),
            (false, tile) => ([size, stride], tile),
        };
        let (tile, byte) = (Divisor::new(tile), request.byte as i64);
        FirstByte { steps, tile, offset: request.offset, byte }
    }

    /// As if each value began at this byte of the struct.
    pub fn at(self, byte: u64) -> FirstByte {
        FirstByte { byte: byte as i64, ..self }
    }

    /// The first byte that it touches for an element, from the start of the memory.
    pub fn of(&self, element: i64) -> i64 {
        let element = element + self.offset;
        let [step, tile] = self.steps;
        let start = if self.tile.by == 1 {
            element.wrapping_mul(step)
        } else {
            let high = self.tile.quotient(element);
            high.wrapping_mul(tile) + (element - high * self.tile.by) * step
        };
        start.wrapping_add(self.byte)
    }
}

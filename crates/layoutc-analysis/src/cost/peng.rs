//! The model of Peng, Grossman, Sarkar, PMBS 2016, as the paper has it.
//!
//! A warp's access makes as many transactions as its stride says (§IV-D). Each is a hit in a cache if an
//! earlier access of the thread touched the same structure near enough: in memory, by index accordance,
//! and in time, by the instruction distance (§IV-F). Hits and misses are weighted (§III), multiplied by
//! the trips of the loops around, and summed over all warps (§IV-G) into a cost vector (§IV-H).
//!
//! The paper unrolls all loops. The same results come out without: an access at some iteration of its
//! loops can only be near to what it or another access with the same index base did in the same iteration
//! or a fixed number of iterations ago, and all but the first iterations are alike. Deviation: where
//! loops nest, an earlier iteration of an outer loop is compared at the same iterations of inner ones.
//!
//! # Decided where the text is unclear, misprinted or contradicts itself
//!
//! - Costs are summed over warps. The example of §IV-H multiplies a cost per warp by threads; its
//!   order is the same either way.
//! - 8 blocks of 256 threads, as in the example of §IV-B5, exceed the limit of 1536 threads of the
//!   device that the paper measures; [`super::occupancy::paper_blocks`] gives 6.
//! - The first-level cache of the M2050 has 48 KB: Table II prints 64 KB, the text 16 or 48.
//! - An index that does not depend on the thread has stride 0 and takes one transaction, whether or not
//!   its value is known. §IV-D says both that and, for indices that are not analysable, the contrary.
//! - Lines of the second-level cache have 32 bytes, so that structures of 24 bytes never gain there:
//!   `(0 + 2) * 24 > 32`, even for the value itself. This is kept.
//! - For Kepler the paper prints no weights; the device's file says what was assumed.
//! - Distances count the locations of a thread, times the threads, even where all threads access the
//!   same one. This is kept.
//! - Stores are not cached in the first level (§II-A), so an earlier store makes no hit there. It does in
//!   the second level. Atomic operations, which the paper does not treat, count as stores.
//! - A fetch brings in the members of the structure "if they fall in the same cache line": those between
//!   the same two multiples of the line's size from the start of the structure.
//! - Where strides within a warp are known but differ, the 128-byte segments of all lanes are counted,
//!   the first lane's address taken as a multiple of 128. Strides that are no multiple of 4 round up.
//! - Tiled structures, which the paper leaves open, hold one structure per member and scalar: nothing of
//!   the same element is near.

use super::arrangement::{Arrangement, Place, StorageId};
use super::kernel::{Access, AccessKind, BaseId, Factor, KernelCode, LeafElement, LoopId};
use super::nest::{LARGE, Nest, small_factors};
use super::occupancy::{BlockNeeds, paper_blocks};
use super::price::{AccessPrice, CostError, KernelPrice, Model, Reuse, Shares, Stride, Traffic};
use super::span::{Iterations, Order, Span, first_lag};
use super::vector::CostVector;
use super::warp::{WarpIndex, address};
use crate::device::Device;

/// Bytes of a transaction (§IV-D).
const TRANSACTION: u64 = 128;
/// Bytes of a line of the second-level cache where the device's file says nothing for this model (§IV-G).
const L2_LINE: u64 = 32;

/// What the model knows of a device.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PengDevice {
    /// Lanes of a warp.
    pub warp_size: u64,
    /// The first-level cache.
    pub l1: Cache,
    /// The second-level cache.
    pub l2: Cache,
    /// What a transaction costs in the first level, the second level and memory.
    pub weights: [f64; 3],
    /// Whether a fetch uses up room for its whole line. The paper counts the members that it brings in.
    pub counts_lines: bool,
}

/// A cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cache {
    /// Bytes; 0: there is none.
    pub bytes: u64,
    /// Bytes of a line.
    pub line: u64,
}

impl PengDevice {
    /// What the device's file says, first in its table for this model and then elsewhere.
    ///
    /// Weights that are not given are the means of the latencies, relative to the first-level cache's.
    ///
    /// # Errors
    /// [`CostError::UnknownFact`].
    pub fn new(device: &Device) -> Result<PengDevice, CostError> {
        let missing = |fact| CostError::UnknownFact { device: device.name.clone(), fact };
        let (peng, memory) = (&device.peng, &device.memory);
        let bytes = peng.l1_bytes.known().or(memory.l1_bytes.known());
        let line = peng.l1_line.known().or(memory.l1_line.known());
        let l1 = Cache {
            bytes: *bytes.ok_or_else(|| missing("memory.l1_bytes"))?,
            line: line.map_or(TRANSACTION, |line| u64::from(*line)),
        };
        let bytes = peng.l2_bytes.known().or(memory.l2_bytes.known());
        let line = peng.l2_line.known().map_or(L2_LINE, |line| u64::from(*line));
        let l2 = Cache { bytes: *bytes.ok_or_else(|| missing("memory.l2_bytes"))?, line };
        let weights = match peng.weights.known() {
            Some(weights) => weights.map(f64::from),
            None => {
                let latency = &device.latency;
                let cycles = [&latency.l1_cycles, &latency.l2_cycles, &latency.dram_cycles]
                    .map(|fact| fact.known().map(|[a, b]| (f64::from(*a) + f64::from(*b)) / 2.0));
                let [Some(l1), Some(l2), Some(dram)] = cycles else {
                    return Err(missing("peng.weights"));
                };
                [1.0, l2 / l1, dram / l1]
            }
        };
        Ok(PengDevice {
            warp_size: u64::from(device.warp_size()).max(1),
            l1,
            l2,
            weights,
            counts_lines: false,
        })
    }
}

/// Transactions of a warp with `lanes` lanes, from the stride alone (§IV-D).
#[must_use]
pub fn transactions(stride: Stride, lanes: u64) -> Option<u64> {
    match stride {
        Stride::Bytes(0) => Some(1),
        Stride::Bytes(bytes) if bytes < TRANSACTION => Some((lanes * bytes).div_ceil(TRANSACTION)),
        Stride::Bytes(_) | Stride::Large | Stride::Unknown => Some(lanes),
        Stride::Mixed => None,
    }
}

/// Whether elements whose indices differ by `difference` lie in one line: `(|i - j| + 2) * sizeof <=
/// line` (§IV-F).
#[must_use]
pub fn is_accordant(difference: u64, size: u64, line: u64) -> bool {
    difference.saturating_add(2).saturating_mul(size) <= line
}

/// The cost of a kernel under an arrangement.
///
/// # Errors
/// [`CostError`].
pub fn price(
    code: &KernelCode,
    arrangement: &Arrangement,
    device: &Device,
) -> Result<KernelPrice, CostError> {
    let threads = code.block.iter().product::<u64>();
    let needs = BlockNeeds { threads, registers: code.registers, shared_bytes: code.shared_bytes };
    price_on(code, arrangement, &PengDevice::new(device)?, paper_blocks(device, needs))
}

/// As [`price`], on a device of which only this is known and whose multiprocessors run `resident` blocks.
///
/// # Errors
/// [`CostError`].
pub fn price_on(
    code: &KernelCode,
    arrangement: &Arrangement,
    known: &PengDevice,
    resident: u64,
) -> Result<KernelPrice, CostError> {
    let threads = code.block.iter().product::<u64>();
    if threads == 0 {
        return Err(CostError::EmptyBlock);
    }
    let nest = Nest::of_paper(code);
    let uses = collect_uses(code, arrangement, known, &nest)?;
    let pass = Pass {
        nest: &nest,
        order: Order::new(&nest, uses.iter().map(|one| one.scope).collect()),
        uses: &uses,
        l1: known.l1,
        l2: known.l2,
        l1_threads: resident.saturating_mul(threads),
        l2_threads: code.blocks.saturating_mul(threads),
    };
    let warps = code.blocks.saturating_mul(threads.div_ceil(known.warp_size));
    let mut accesses: Vec<AccessPrice> = code
        .accesses
        .iter()
        .map(|access| AccessPrice {
            stride: Stride::Bytes(0),
            transactions: 0.0,
            lines: 0.0,
            instructions: 0.0,
            with: None,
            executions: nest.executions(access.scope) * access.warps,
            degree: nest.degree(access.scope),
            reuse: None,
            shares: Shares::default(),
            cost: 0.0,
            total: CostVector::ZERO,
            traffic: Traffic::default(),
        })
        .collect();
    for (at, one) in uses.iter().enumerate() {
        let (shares, reuse) = pass.hits(at);
        let weights = known.weights;
        let unit = shares.l1 * weights[0] + shares.l2 * weights[1] + shares.dram * weights[2];
        let amount = one.transactions * one.times;
        let price = &mut accesses[one.access];
        if price.instructions == 0.0 {
            price.stride = one.stride;
            price.reuse = reuse;
        }
        price.transactions += amount;
        price.lines += amount;
        price.instructions += one.times;
        price.shares.l1 += shares.l1 * amount;
        price.shares.l2 += shares.l2 * amount;
        price.shares.dram += shares.dram * amount;
        price.cost += amount * unit;
    }
    for price in &mut accesses {
        let amount = price.transactions.max(f64::MIN_POSITIVE);
        price.shares.l1 /= amount;
        price.shares.l2 /= amount;
        price.shares.dram /= amount;
        let times = price.executions * warps as f64 * nest.launches();
        price.total = CostVector::at(price.degree, price.cost * times);
    }
    Ok(KernelPrice {
        kernel: code.name.clone(),
        model: Model::Peng,
        blocks_per_multiprocessor: resident,
        warps,
        total: accesses.iter().map(|access| access.total).sum(),
        accesses,
        traffic: Traffic::default(),
        is_cached: false,
    })
}

/// An access to one scalar of each of some structures.
#[derive(Debug)]
struct Use {
    /// The access in the kernel's list.
    access: usize,
    /// The array of structures: storage and, where scalars or members lie apart, which of them.
    array: (StorageId, u64),
    base: BaseId,
    offset: i64,
    /// Bytes of a structure.
    size: u64,
    /// First byte and number of bytes that a fetch brings in, by lines of the first and second level.
    windows: [(u64, u64); 2],
    /// The lines of both levels, if they are counted as wholes.
    lines: Option<[u64; 2]>,
    /// Loops on which the place depends, with the factor.
    loops: Vec<(LoopId, Factor)>,
    scope: Option<LoopId>,
    is_read: bool,
    stride: Stride,
    transactions: f64,
    /// How many scalars are accessed so, one after another.
    times: f64,
}

fn collect_uses(
    code: &KernelCode,
    arrangement: &Arrangement,
    device: &PengDevice,
    nest: &Nest,
) -> Result<Vec<Use>, CostError> {
    let mut uses = Vec::with_capacity(code.accesses.len());
    for (at, access) in code.accesses.iter().enumerate() {
        let warp = WarpIndex::new(&access.index.lanes, code.block, device.warp_size);
        for leaf in &access.leaves {
            let place =
                arrangement.place(access.array, *leaf).ok_or(CostError::Unplaced { access: at })?;
            uses.extend(uses_of(at, access, place, &warp, device, nest));
        }
    }
    Ok(uses)
}

/// The uses of one leaf: one, or where its scalars lie apart one for each.
fn uses_of(
    at: usize,
    access: &Access,
    place: &Place,
    warp: &WarpIndex,
    device: &PengDevice,
    nest: &Nest,
) -> impl Iterator<Item = Use> {
    let apart = place.has_planes || place.tile > 1;
    let stride = warp.stride(place);
    let lanes = warp.lanes() as u64;
    let transactions =
        transactions(stride, lanes).unwrap_or_else(|| segments(warp, place, TRANSACTION));
    // Which scalars, how many accesses each stands for, and whether the innermost loop chooses.
    let (scalars, times, chosen) = match access.element {
        LeafElement::All if apart => (0..place.scalars, 1, false),
        LeafElement::All => (0..1, place.scalars, false),
        LeafElement::Known(scalar) => (scalar..scalar + 1, 1, false),
        LeafElement::Unknown => (0..1, 1, apart),
    };
    let mut loops: Vec<(LoopId, Factor)> = small_factors(&access.index.loops);
    loops.retain(|(_, factor)| *factor != Factor::Number(0));
    if let Some(innermost) = nest.path(access.scope).last().filter(|_| chosen) {
        loops.retain(|(own, _)| own != innermost);
        loops.push((*innermost, Factor::Symbol));
    }
    let place = *place;
    let (l1_line, l2_line, counts_lines) = (device.l1.line, device.l2.line, device.counts_lines);
    let (scope, base, offset) =
        (access.scope, access.index.base, access.index.offset.clamp(-LARGE, LARGE));
    let is_read = access.kind == AccessKind::Read;
    scalars.map(move |scalar| {
        let start = place.offset + if place.has_planes { 0 } else { scalar * place.size };
        // Members of a tile are told apart by where they begin.
        let part = if place.has_planes { scalar } else { start * place.tile };
        Use {
            access: at,
            array: (place.storage, if apart { part } else { 0 }),
            base,
            offset,
            size: if apart { place.size } else { place.stride },
            windows: [l1_line, l2_line].map(|line| {
                let (first, bytes) =
                    if apart { (0, place.size) } else { window(start, place.stride, line) };
                (first, if counts_lines { bytes.max(line) } else { bytes })
            }),
            lines: counts_lines.then_some([l1_line, l2_line]),
            loops: loops.clone(),
            scope,
            is_read,
            stride,
            transactions: transactions as f64,
            times: times as f64,
        }
    })
}

/// The part of a structure of `size` bytes that comes with the line that holds byte `start`.
fn window(start: u64, size: u64, line: u64) -> (u64, u64) {
    if size <= line {
        return (0, size);
    }
    let first = start / line * line;
    (first, line.min(size - first))
}

/// Segments of `bytes` bytes that the lanes touch, by the addresses of their first bytes.
fn segments(warp: &WarpIndex, place: &Place, bytes: u64) -> u64 {
    let Some(elements) = warp.elements() else { return warp.lanes() as u64 };
    let mut touched: Vec<(u32, i64)> = elements
        .iter()
        .map(|(row, element)| {
            let byte = address(place, *element) - place.offset as i64;
            (*row, byte.div_euclid(bytes as i64))
        })
        .collect();
    touched.sort_unstable();
    touched.dedup();
    touched.len() as u64
}

/// What all uses of a kernel are looked at with.
struct Pass<'a> {
    nest: &'a Nest,
    order: Order<'a>,
    uses: &'a [Use],
    l1: Cache,
    l2: Cache,
    l1_threads: u64,
    l2_threads: u64,
}

/// Which part of the executions of an access is served by a level, and which is still open.
#[derive(Clone, Copy)]
struct Open {
    part: f64,
    hits: f64,
}

impl Pass<'_> {
    /// Which parts of a use hit, and the nearest use that is in the same line of a cache.
    fn hits(&self, at: usize) -> (Shares, Option<Reuse>) {
        let own = &self.uses[at];
        let path = self.order.path(at);
        let mut open = [Open { part: 1.0, hits: 0.0 }; 2];
        let mut nearest: Option<Span> = None;
        for depth in (0..=path.len()).rev() {
            for (level, open) in open.iter_mut().enumerate().skip(usize::from(!own.is_read)) {
                if open.part == 0.0 {
                    continue;
                }
                let same = self.same_iteration(at, depth, level);
                let earlier = self.earlier_iteration(at, depth, level);
                for (span, part) in same.into_iter().chain(earlier) {
                    let (cache, threads) = self.level(level);
                    let distance = self.unique_bytes(span, level).saturating_mul(threads);
                    if distance <= cache.bytes {
                        open.hits += open.part * part;
                    }
                    open.part *= 1.0 - part;
                    nearest = nearest.or(Some(span));
                }
            }
        }
        let l1 = open[0].hits;
        // What is open in one level is open in the same first iterations of the other.
        let l2 = (open[1].hits - l1).max(0.0);
        let shares = Shares { register: 0.0, l1, l2, dram: 1.0 - l1 - l2 };
        let reuse = nearest.map(|span| Reuse {
            previous: self.uses[span.from].access,
            l1_distance: self.unique_bytes(span, 0).saturating_mul(self.l1_threads),
            l2_distance: self.unique_bytes(span, 1).saturating_mul(self.l2_threads),
        });
        (shares, reuse)
    }

    fn level(&self, level: usize) -> (Cache, u64) {
        if level == 0 { (self.l1, self.l1_threads) } else { (self.l2, self.l2_threads) }
    }

    /// Whether a use leaves its line in a level, and whether the array and the base are the same.
    fn is_candidate(&self, from: usize, to: usize, level: usize) -> bool {
        let (from, to) = (&self.uses[from], &self.uses[to]);
        from.array == to.array && from.base == to.base && (level == 1 || from.is_read)
    }

    /// The nearest accordant use before this one in the text, in the same iteration of exactly `depth`
    /// common loops.
    fn same_iteration(&self, to: usize, depth: usize, level: usize) -> Option<(Span, f64)> {
        let line = self.level(level).0.line;
        let own = &self.uses[to];
        let from = (0..to).rev().find(|from| {
            self.is_candidate(*from, to, level)
                && is_accordant(own.offset.abs_diff(self.uses[*from].offset), own.size, line)
                && self.order.common(*from, to) == depth
        })?;
        Some((Span { from, to, depth, lag: 0 }, 1.0))
    }

    /// The nearest accordant use in an earlier iteration of the innermost of `depth` loops, and the part
    /// of the iterations that have such an earlier one.
    fn earlier_iteration(&self, to: usize, depth: usize, level: usize) -> Option<(Span, f64)> {
        let own = &self.uses[to];
        let around = *self.nest.path(own.scope).get(depth.checked_sub(1)?)?;
        let trips = self.nest.trips(around);
        let factor = own.loops.iter().find(|(one, _)| *one == around).map(|(_, factor)| *factor);
        let step = match factor {
            None => 0,
            Some(Factor::Number(number)) => number,
            Some(Factor::Symbol) => return None,
        };
        let line = self.level(level).0.line;
        let reach = (line / own.size.max(1)).checked_sub(2)?;
        let candidates = (0..self.uses.len()).filter(|from| {
            self.is_candidate(*from, to, level) && self.order.common(*from, to) >= depth
        });
        let lags = candidates.filter_map(|from| {
            let difference = own.offset - self.uses[from].offset;
            Some((first_lag(difference, step, reach)?, from))
        });
        // The least lag, and of those the last in the text.
        let (lag, from) = lags.min_by_key(|(lag, from)| (*lag, std::cmp::Reverse(*from)))?;
        if lag >= trips {
            return None;
        }
        Some((Span { from, to, depth, lag }, (trips - lag) as f64 / trips as f64))
    }

    /// Bytes that one thread touches from one use to another, both included (§IV-B5).
    fn unique_bytes(&self, span: Span, level: usize) -> u64 {
        let mut touched: Vec<Touched> = Vec::with_capacity(self.uses.len());
        self.order.between(span, |at, iterations| {
            touched.push(Touched::new(&self.uses[at], level, iterations));
        });
        Touched::union(&mut touched)
    }
}

/// Structures, or parts of them, that a use touches: a range of a sequence with a constant step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Touched {
    array: (StorageId, u64),
    window: (u64, u64),
    base: BaseId,
    /// The step; 0: no sequence, `count` structures for each residue.
    step: u64,
    residue: i64,
    first: i64,
    count: u64,
    /// Bytes from one of the structures to the next.
    size: u64,
    /// The line, if lines are counted.
    line: Option<u64>,
}

impl Touched {
    fn new(one: &Use, level: usize, iterations: &[Iterations]) -> Touched {
        let (array, window, base) = (one.array, one.windows[level], one.base);
        let line = one.lines.map(|lines| lines[level]);
        let (residue, size) = (one.offset, one.size);
        let plain =
            Touched { array, window, base, step: 0, residue, first: 0, count: 1, size, line };
        let mut only = None;
        let (mut loops, mut product) = (0, 1u64);
        for Iterations { of, first, count } in iterations {
            let Some((_, factor)) = one.loops.iter().find(|(own, _)| own == of) else { continue };
            loops += 1;
            product = product.saturating_mul(*count);
            only = Some((*factor, *first, *count));
        }
        match only {
            Some((Factor::Number(number), first, count)) if loops == 1 && number != 0 => {
                let step = number.abs();
                // A falling sequence touches the same structures from its other end.
                let last =
                    if number > 0 { first as i64 } else { -(first as i64 + count as i64 - 1) };
                Touched {
                    step: step as u64,
                    residue: one.offset.rem_euclid(step),
                    first: one.offset.div_euclid(step) + last,
                    count,
                    size: size.saturating_mul(step as u64),
                    ..plain
                }
            }
            _ => Touched { count: product, ..plain },
        }
    }

    /// Bytes of all together, what several touch counted once.
    fn union(touched: &mut [Touched]) -> u64 {
        touched.sort_unstable();
        let mut bytes = 0u64;
        let mut run: Option<(Touched, i64)> = None;
        for one in touched.iter() {
            let end = one.first.saturating_add_unsigned(one.count);
            run = match run {
                Some((first, last)) if first.goes_on(one, last) => Some((first, last.max(end))),
                _ => {
                    bytes = bytes.saturating_add(run.map_or(0, Touched::bytes));
                    Some((*one, end))
                }
            };
        }
        bytes.saturating_add(run.map_or(0, Touched::bytes))
    }

    /// Whether `next` begins where a run that ends at `end` has not yet left off.
    fn goes_on(&self, next: &Touched, end: i64) -> bool {
        (self.array, self.window, self.base, self.step, self.residue)
            == (next.array, next.window, next.base, next.step, next.residue)
            && next.first <= end
    }

    /// Bytes of a run that begins with this and ends at `end`: parts of structures; or lines, of which
    /// consecutive structures share some.
    fn bytes((first, end): (Touched, i64)) -> u64 {
        let count = end.abs_diff(first.first);
        let parts = count.saturating_mul(first.window.1);
        match first.line {
            Some(line) => {
                let dense = count.saturating_mul(first.size.min(line));
                dense.div_ceil(line).saturating_mul(line).min(parts)
            }
            None => parts,
        }
    }
}

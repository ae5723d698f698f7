//! Which sectors of a request were touched before, and whether they are still there.

use super::super::kernel::{AccessKind, Factor, Lanes};
use super::super::nest::Nest;
use super::super::span::{Order, Span, first_lag};
use super::footprint::{Cell, FirstByte};
use super::request::Request;
use super::shape::Shape;

/// The caches, and who shares them.
pub(super) struct Sharing {
    pub l1_bytes: f64,
    pub l2_bytes: f64,
    /// Warps that share a first-level cache.
    pub l1_warps: f64,
    /// Warps that share the second-level cache.
    pub l2_warps: f64,
    /// Blocks that share the one, and the other.
    pub blocks: [f64; 2],
    /// Bytes of a sector.
    pub sector: f64,
}

/// Which part of a request's sectors is where.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Covered {
    /// In the first-level cache.
    pub l1: f64,
    /// In the second-level cache, or nearer.
    pub l2: f64,
    /// Written, and not yet in memory.
    pub written: f64,
    /// To be read from memory because stores leave bytes of them as they were.
    pub filled: f64,
    /// The nearest request that touched one of them, and the distances in bytes.
    pub nearest: Option<(usize, f64, f64)>,
}

/// Sectors that an earlier request touched and no nearer one.
struct Found {
    span: Span,
    /// Which part of the request's sectors, over all its executions.
    part: f64,
    /// Which part of them in iterations that have such an earlier request.
    steady: f64,
}

/// Which earlier requests count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kinds {
    Reads,
    Writes,
    All,
}

impl Kinds {
    fn has(self, kind: AccessKind) -> bool {
        match self {
            Kinds::Reads => kind == AccessKind::Read,
            Kinds::Writes => kind != AccessKind::Read,
            Kinds::All => true,
        }
    }
}

/// Which of the sectors that a request touches are new.
struct Fresh {
    /// All of them, for each warp that does not share them.
    sectors: f64,
    /// Earlier requests of the same iteration, and the part that each touched.
    before: Vec<(usize, f64)>,
    /// For each loop, the part of what no such request touched that is new in the next iteration.
    changes: Vec<f64>,
}

/// What is known about all requests while one is looked at.
struct Pass<'a> {
    requests: &'a [Request],
    shapes: &'a [Shape<'a>],
    order: &'a Order<'a>,
    nest: &'a Nest,
    sharing: &'a Sharing,
    /// For each request, those that may touch sectors of it, in their order.
    near: Vec<Vec<usize>>,
    /// For each request, what is new of what it touches.
    fresh: Vec<Fresh>,
}

/// Where the sectors of all requests are found.
pub(super) fn find(
    requests: &[Request],
    shapes: &[Shape],
    order: &Order,
    nest: &Nest,
    sharing: &Sharing,
) -> Vec<Covered> {
    let near = near(requests, sharing.sector as u64);
    let mut pass = Pass { requests, shapes, order, nest, sharing, near, fresh: Vec::new() };
    let all: Vec<Vec<Found>> = (0..requests.len()).map(|at| pass.earlier(at, Kinds::All)).collect();
    pass.fresh = (0..requests.len()).map(|at| pass.freshness(at, &all[at])).collect();
    let mut covered: Vec<Covered> = Vec::with_capacity(requests.len());
    for (at, request) in requests.iter().enumerate() {
        let mut own = Covered::default();
        let mut known: Vec<(Span, [f64; 2])> = Vec::new();
        let mut served = |found: &[Found], level: usize| -> f64 {
            let parts = found.iter().map(|one| {
                let distances = known.iter().find(|(span, _)| *span == one.span).map(|of| of.1);
                let distances = distances.unwrap_or_else(|| {
                    let distances = pass.distances(one.span);
                    known.push((one.span, distances));
                    distances
                });
                own.nearest = own.nearest.or(Some((one.span.from, distances[0], distances[1])));
                one.part * room([sharing.l1_bytes, sharing.l2_bytes][level], distances[level])
            });
            parts.sum()
        };
        match request.kind {
            AccessKind::Read => {
                let by_stores =
                    all[at].iter().any(|one| requests[one.span.from].kind != AccessKind::Read);
                let l1 = if by_stores {
                    served(&pass.earlier(at, Kinds::Reads), 0)
                } else {
                    served(&all[at], 0)
                };
                let l2 = served(&all[at], 1);
                (own.l1, own.l2) = (l1, l2.max(l1));
            }
            AccessKind::Write => {
                let before = served(&all[at], 1);
                own.written = served(&pass.earlier(at, Kinds::Writes), 1);
                if before < 1.0 {
                    own.filled = pass.partial(at) * (1.0 - before);
                }
            }
            AccessKind::Atomic => own.l2 = served(&all[at], 1),
        }
        covered.push(own);
    }
    covered
}

/// For each request, those with the same base in the same memory, but for members of structs that never
/// share a sector.
fn near(requests: &[Request], sector: u64) -> Vec<Vec<usize>> {
    // The sectors of a struct that hold the member, if structs begin at sectors.
    let within: Vec<Option<(u64, u64)>> = requests
        .iter()
        .map(|request| {
            let place = &request.place;
            let end = request.byte + (place.tile.max(1) - 1) * place.size + request.bytes;
            let is_known = request.moves.is_none()
                && !place.has_planes
                && place.stride.is_multiple_of(sector)
                && end <= place.stride;
            is_known.then(|| (request.byte / sector, (end - 1) / sector))
        })
        .collect();
    let are_near = |one: usize, other: usize| {
        let (from, to) = (&requests[one], &requests[other]);
        let are_apart = || match (within[one], within[other]) {
            (Some(one), Some(other)) => one.1 < other.0 || other.1 < one.0,
            (None, _) | (_, None) => false,
        };
        from.memory == to.memory
            && from.base == to.base
            && (from.lanes != Lanes::Single || to.lanes == Lanes::Single)
            && !are_apart()
    };
    let all = 0..requests.len();
    all.clone().map(|to| all.clone().filter(|from| are_near(*from, to)).collect()).collect()
}

/// Which part of what was touched `distance` bytes ago a cache still holds.
fn room(capacity: f64, distance: f64) -> f64 {
    if distance <= capacity { 1.0 } else { capacity / distance }
}

impl Pass<'_> {
    /// The requests that may touch sectors of one.
    fn candidates(&self, to: usize, kinds: Kinds) -> impl DoubleEndedIterator<Item = usize> + '_ {
        let has_kind = move |from: &usize| kinds.has(self.requests[*from].kind);
        self.near[to].iter().copied().filter(has_kind)
    }

    /// The earlier requests that touched sectors of one, the nearest first.
    fn earlier(&self, to: usize, kinds: Kinds) -> Vec<Found> {
        let (own, shape) = (&self.requests[to], &self.shapes[to]);
        let mut found = Vec::new();
        let has_any =
            self.candidates(to, kinds).any(|from| from < to || !self.order.path(to).is_empty());
        if !has_any || shape.sectors() == 0.0 {
            return found;
        }
        // What no request so far has touched, of each cell.
        let mut open = Open::new(shape);
        // Which part of the executions is not yet accounted for.
        let path = self.order.path(to);
        let mut rest = 1.0;
        for depth in (0..=path.len()).rev() {
            for from in self.candidates(to, kinds).rev().skip_while(|from| *from >= to) {
                if self.order.common(from, to) == depth {
                    let part = self.cover(to, from, 0, &mut open);
                    let span = Span { from, to, depth, lag: 0 };
                    if part > 0.0 {
                        found.push(Found { span, part: part * rest, steady: part });
                    }
                }
            }
            let Some(around) = depth.checked_sub(1).map(|at| path[at]) else { continue };
            if open.is_closed() {
                break;
            }
            let factor = own.loops.iter().find(|(one, _)| *one == around).map(|(_, by)| *by);
            let step = match factor {
                None => 0,
                Some(Factor::Number(number)) => number,
                Some(Factor::Symbol) => continue,
            };
            let trips = self.nest.trips(around);
            let mut lags: Vec<(u64, usize)> = Vec::new();
            for from in self.candidates(to, kinds) {
                if self.order.common(from, to) < depth {
                    continue;
                }
                let difference = own.offset - self.requests[from].offset;
                // The last iteration, and the one that had the same element, or one next to it.
                let exact =
                    (step != 0).then(|| first_lag(difference, step, step.unsigned_abs() / 2));
                lags.extend(
                    [Some(1), exact.flatten()].into_iter().flatten().map(|lag| (lag, from)),
                );
            }
            lags.sort_by_key(|(lag, from)| (*lag, std::cmp::Reverse(*from)));
            lags.dedup();
            let mut least = None;
            for (lag, from) in lags {
                if lag >= trips {
                    break;
                }
                let part = self.cover(to, from, step * lag as i64, &mut open);
                if part > 0.0 {
                    let iterations = (trips - lag) as f64 / trips as f64;
                    let span = Span { from, to, depth, lag };
                    found.push(Found { span, part: part * rest * iterations, steady: part });
                    least = least.or(Some(iterations));
                }
            }
            // Only first iterations are left for what lies further out; what was found there stays out of
            // the count, which is small against the iterations that it was found in.
            rest *= 1.0 - least.unwrap_or(0.0);
            if least.is_some() {
                open = Open::new(shape);
            }
            if rest <= 0.0 || open.is_closed() {
                break;
            }
        }
        found
    }

    /// Takes what `from` touched, `shift` elements back, out of what is open, and says which part it is.
    fn cover(&self, to: usize, from: usize, shift: i64, open: &mut Open) -> f64 {
        let (shape, other) = (&self.shapes[to], &self.shapes[from]);
        if open.is_closed() {
            return 0.0;
        }
        if shift == 0 && shape.is_same(other) {
            return open.close(shape);
        }
        let mut taken = 0.0;
        let mut scratch: Vec<Cell> = Vec::new();
        let mut start = 0;
        for (at, (weight, own)) in shape.cells().enumerate() {
            let open_here = &mut open.cells[start..start + own.len()];
            start += own.len();
            let mut next = 0;
            other.visit_at(&self.requests[from], shape, at, shift, &mut scratch, |cell| {
                while next < own.len() && own[next] < cell {
                    next += 1;
                }
                if own.get(next) == Some(&cell) && open_here[next] {
                    open_here[next] = false;
                    open.count -= 1;
                    taken += weight;
                }
            });
        }
        taken / shape.sectors()
    }

    /// Sectors that a request is the first to touch, and which part of them changes in each loop.
    fn freshness(&self, at: usize, found: &[Found]) -> Fresh {
        let same = found.iter().filter(|one| one.span.lag == 0);
        let before: Vec<(usize, f64)> = same.map(|one| (one.span.from, one.steady)).collect();
        let first = (1.0 - before.iter().map(|(_, part)| part).sum::<f64>()).max(0.0);
        let changes = (1..=self.order.path(at).len()).map(|depth| {
            let again = found.iter().filter(|one| one.span.depth == depth && one.span.lag > 0);
            let again: f64 = again.map(|one| one.steady).sum();
            if first > 0.0 { ((first - again) / first).clamp(0.0, 1.0) } else { 0.0 }
        });
        let sectors = self.shapes[at].sectors() / self.shapes[at].lattice.sharing;
        Fresh { sectors, before, changes: changes.collect() }
    }

    /// Bytes that the warps of a multiprocessor, and all that run, touch in a span.
    fn distances(&self, span: Span) -> [f64; 2] {
        let (mut own, mut common) = (0.0, 0.0);
        let mut seen = vec![false; self.requests.len()];
        self.order.between(span, |at, iterations| {
            let Fresh { sectors: all, before, changes } = &self.fresh[at];
            seen[at] = true;
            // What an earlier request of the span touched is counted there.
            let is_counted =
                |from: usize| seen[from] && (span.lag == 0 || at < span.from || from >= span.from);
            let counted = before.iter().filter(|(from, _)| is_counted(*from));
            let new = (1.0 - counted.map(|(_, part)| part).sum::<f64>()).max(0.0);
            let path = self.order.path(at);
            let factor = iterations.iter().map(|own| {
                let depth = path.iter().position(|of| *of == own.of);
                let change = depth.map_or(0.0, |depth| changes[depth]);
                1.0 + (own.count.saturating_sub(1)) as f64 * change
            });
            let times = self.requests[at].times as f64;
            let sectors = all * new * factor.product::<f64>() * times;
            let is_common = self.requests[at].blocks == Factor::Number(0);
            *(if is_common { &mut common } else { &mut own }) += sectors;
        });
        let Sharing { l1_warps, l2_warps, blocks: [l1_blocks, l2_blocks], sector, .. } =
            *self.sharing;
        let l1 = (own + common / l1_blocks) * l1_warps;
        [l1 * sector, (own + common / l2_blocks) * l2_warps * sector]
    }

    /// Which part of the sectors that a store touches keeps bytes that no store near it writes.
    fn partial(&self, at: usize) -> f64 {
        let (own, shape) = (&self.requests[at], &self.shapes[at]);
        if own.moves.is_some() || own.times > 1 {
            return 0.0;
        }
        let (mut kept, mut all) = (0.0, 0.0);
        let sector = shape.sector() as i64;
        for ((weight, cells), (_, elements)) in shape.cells().zip(&shape.lattice.samples) {
            let mut ranges: Vec<(u32, i64, i64)> = Vec::new();
            for other in self.candidates(at, Kinds::Writes) {
                let request = &self.requests[other];
                let bytes = FirstByte::new(request);
                ranges.extend(elements.iter().map(|(row, element)| {
                    let first = bytes.of(*element);
                    (*row, first, first + request.bytes as i64)
                }));
            }
            ranges.sort_unstable();
            let mut written = vec![0i64; cells.len()];
            let (mut row, mut end) = (u32::MAX, i64::MIN);
            for (next_row, first, last) in ranges {
                let mut from = if next_row == row { first.max(end) } else { first };
                (row, end) = (next_row, if next_row == row { end.max(last) } else { last });
                while from < last {
                    let cell = from.div_euclid(sector);
                    let upto = last.min((cell + 1) * sector);
                    if let Ok(at) = cells.binary_search(&(row, cell - shape.ahead())) {
                        written[at] += upto - from;
                    }
                    from = upto;
                }
            }
            kept += weight * written.iter().filter(|bytes| **bytes < sector).count() as f64;
            all += weight * cells.len() as f64;
        }
        if all > 0.0 { kept / all } else { 0.0 }
    }
}

/// The cells of a request that no earlier one has been found to touch.
struct Open {
    cells: Vec<bool>,
    count: usize,
}

impl Open {
    fn new(shape: &Shape) -> Open {
        let count = shape.cells().map(|(_, cells)| cells.len()).sum();
        Open { cells: vec![true; count], count }
    }

    fn is_closed(&self) -> bool {
        self.count == 0
    }

    /// Closes all, and says which part was open.
    fn close(&mut self, shape: &Shape) -> f64 {
        let mut taken = 0.0;
        let mut start = 0;
        for (weight, cells) in shape.cells() {
            let own = &mut self.cells[start..start + cells.len()];
            taken += weight * own.iter().filter(|open| **open).count() as f64;
            own.fill(false);
            start += cells.len();
        }
        self.count = 0;
        taken / shape.sectors()
    }
}

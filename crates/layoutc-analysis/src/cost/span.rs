//! What lies between two accesses in the order in which a thread runs them.

use super::kernel::LoopId;
use super::nest::Nest;

/// From one use to another: in the same iteration of the loops around both, or some iterations later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Span {
    /// Where it begins.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// How many loops around both are meant.
    pub depth: usize,
    /// How many iterations of the innermost of them lie between.
    pub lag: u64,
}

/// Iterations of a loop that lie in a span: the first, counted from that of the span's start, and how many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Iterations {
    pub of: LoopId,
    pub first: u64,
    pub count: u64,
}

/// The order of a kernel's uses of memory: that of the text, in loops.
#[derive(Debug)]
pub(super) struct Order<'a> {
    nest: &'a Nest,
    scopes: Vec<Option<LoopId>>,
}

impl<'a> Order<'a> {
    pub fn new(nest: &'a Nest, scopes: Vec<Option<LoopId>>) -> Order<'a> {
        Order { nest, scopes }
    }

    /// The loops around a use, outermost first.
    pub fn path(&self, at: usize) -> &'a [LoopId] {
        self.nest.path(self.scopes[at])
    }

    /// How many of the outermost loops are around both.
    pub fn common(&self, one: usize, other: usize) -> usize {
        self.path(one).iter().zip(self.path(other)).take_while(|(a, b)| a == b).count()
    }

    /// Visits the uses in a span, both ends included, each with the iterations of its loops in which it
    /// lies there. Loops in whose one iteration all lies are left out.
    pub fn between(&self, span: Span, mut visit: impl FnMut(usize, &[Iterations])) {
        let Span { from, to, depth, lag } = span;
        let (from_path, to_path) = (self.path(from), self.path(to));
        let mut iterations: Vec<Iterations> = Vec::new();
        for at in 0..self.scopes.len() {
            let path = self.path(at);
            if path.len() < depth || path[..depth] != to_path[..depth] {
                continue;
            }
            let (behind, before) = (at >= from, at <= to);
            let (first, count) = match lag {
                0 => (0, u64::from(behind && before)),
                _ => (u64::from(!behind), lag - 1 + u64::from(behind) + u64::from(before)),
            };
            if count == 0 {
                continue;
            }
            iterations.clear();
            if let Some(of) = depth.checked_sub(1).map(|at| path[at]).filter(|_| lag > 0) {
                iterations.push(Iterations { of, first, count });
            }
            for (level, of) in path.iter().enumerate().skip(depth) {
                // A loop around one end alone is left from its last iteration, or entered at its first.
                let once = match (from_path.get(level) == Some(of), to_path.get(level) == Some(of))
                {
                    (true, true) | (false, false) => false,
                    (true, false) => lag == 0 || (lag == 1 && !before),
                    (false, true) => lag == 0 || (lag == 1 && !behind),
                };
                let count = if once { 1 } else { self.nest.trips(*of) };
                iterations.push(Iterations { of: *of, first: 0, count });
            }
            visit(at, &iterations);
        }
    }
}

/// The least lag of at least 1 for which `|difference + step * lag| <= reach`.
pub(super) fn first_lag(difference: i64, step: i64, reach: u64) -> Option<u64> {
    let reach = i64::try_from(reach).ok()?;
    if step == 0 {
        return (difference.abs() <= reach).then_some(1);
    }
    // The other way round both: now the step is taken away from what lies ahead.
    let (ahead, step) = if step > 0 { (-difference, step) } else { (difference, -step) };
    let least = (ahead - reach).max(step);
    let lag = least.div_euclid(step) + i64::from(least.rem_euclid(step) != 0);
    ((ahead - step * lag).abs() <= reach).then_some(lag as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lags() {
        for difference in -40..40 {
            for step in -9_i64..=9 {
                for reach in 0..6 {
                    let slow = (1..100)
                        .find(|lag: &i64| (difference + step * lag).unsigned_abs() <= reach);
                    let fast = first_lag(difference, step, reach);
                    assert_eq!(fast, slow.map(|lag| lag as u64), "{difference} {step} {reach}");
                }
            }
        }
    }
}

//! The greatest minimum of sums over the trips of nested loops.

/// The trips of a loop that are looked at together: `0, …, count - 1`, each so many bytes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Counter {
    /// Bytes of a trip, more than 0.
    pub(super) step: i128,
    /// How many, more than 1.
    pub(super) count: u64,
}

impl Counter {
    /// How far the last one is.
    fn reach(&self) -> i128 {
        self.step.saturating_mul(i128::from(self.count) - 1)
    }
}

/// The minimum of sums: at depth `d` a constant and the steps of all loops from number `d` on (those are
/// inside of where the constant was met).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Sums {
    constants: Vec<Option<i128>>,
}

impl Sums {
    /// The constant at a depth, if there is one.
    fn at(&self, depth: usize) -> Option<i128> {
        self.constants.get(depth).copied().flatten()
    }

    /// One more sum.
    pub(super) fn add(&mut self, depth: usize, constant: Option<i128>) {
        let Some(constant) = constant else { return };
        if self.constants.len() <= depth {
            self.constants.resize(depth + 1, None);
        }
        let known = &mut self.constants[depth];
        *known = Some(known.map_or(constant, |known| known.min(constant)));
    }

    /// All of them and so many bytes; none of them if there is no way.
    pub(super) fn plus(&self, bytes: Option<i128>) -> Sums {
        let Some(bytes) = bytes else { return Sums::default() };
        let plus = |known: &Option<i128>| known.map(|known| known.saturating_add(bytes));
        Sums { constants: self.constants.iter().map(plus).collect() }
    }

    /// Those of both.
    pub(super) fn least(mut self, other: &Sums) -> Sums {
        for (depth, constant) in other.constants.iter().enumerate() {
            self.add(depth, *constant);
        }
        self
    }
}

/// How many trips are tried before the best that was found counts.
///
/// The search ends by its bounds after a few trials where each loop lies on every way through the one around
/// it: a trip of the outer loop is then longer than all of the inner one. Otherwise which trips meet best is
/// a question of remainders. What is found is the distance of an instance in any case, so it is never too
/// great.
const TRIALS: u32 = 4096;

/// The maximum over all trips of the loops (outermost first) of the minimum of `before`, in which steps
/// that were made are added, and `after`, in which steps that remain are; `None`: both are empty.
pub(super) fn greatest(before: &Sums, after: &Sums, counters: &[Counter]) -> Option<u64> {
    let depths = counters.len() + 1;
    let mut reach = 0_i128;
    let mut reaches = vec![0_i128; depths];
    let mut grids = vec![0_i128; depths];
    for (depth, counter) in counters.iter().enumerate().rev() {
        reach = reach.saturating_add(counter.reach());
        reaches[depth] = reach;
        grids[depth] = common_divisor(counter.step, grids[depth + 1]);
    }
    let bounds: Vec<Bound> = (0..depths)
        .map(|depth| Bound {
            rising: before.at(depth),
            falling: after.at(depth).map(|constant| constant.saturating_add(reaches[depth])),
        })
        .collect();
    if bounds.iter().all(|bound| bound.rising.is_none() && bound.falling.is_none()) {
        return None;
    }
    let mut search = Search { counters, reaches, grids, best: i128::MIN, trials: TRIALS };
    search.from(0, bounds);
    Some(u64::try_from(search.best.max(0)).unwrap_or(u64::MAX))
}

fn common_divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

/// With `s` the steps of the loops from a depth on: `rising + s` and `falling - s`.
#[derive(Clone, Copy, Debug)]
struct Bound {
    rising: Option<i128>,
    falling: Option<i128>,
}

impl Bound {
    /// The greatest minimum over the multiples of `grid` from 0 to `reach`; `None`: it bounds nothing.
    fn most(self, reach: i128, grid: i128) -> Option<i128> {
        match (self.rising, self.falling) {
            (None, None) => None,
            (Some(rising), None) => Some(rising.saturating_add(reach)),
            (None, Some(falling)) => Some(falling),
            (Some(rising), Some(falling)) => {
                let value = |s: i128| rising.saturating_add(s).min(falling.saturating_sub(s));
                if grid == 0 {
                    return Some(value(0));
                }
                let middle = falling.saturating_sub(rising).div_euclid(2).clamp(0, reach);
                let below = middle - middle.rem_euclid(grid);
                Some(value(below).max(value(below.saturating_add(grid).min(reach))))
            }
        }
    }

    fn least(self, other: Bound) -> Bound {
        let least = |a: Option<i128>, b: Option<i128>| match (a, b) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (one, None) | (None, one) => one,
        };
        Bound {
            rising: least(self.rising, other.rising),
            falling: least(self.falling, other.falling),
        }
    }
}

struct Search<'a> {
    counters: &'a [Counter],
    /// The sum of all steps of the loops from each depth on.
    reaches: Vec<i128>,
    /// What all such sums are multiples of.
    grids: Vec<i128>,
    best: i128,
    trials: u32,
}

impl Search<'_> {
    /// The bounds from `depth` on, and those with the trip of loop `depth` chosen.
    fn chosen(&self, depth: usize, bounds: &[Bound], trip: i128) -> Vec<Bound> {
        let made = self.counters[depth].step.saturating_mul(trip);
        let own = Bound {
            rising: bounds[0].rising.map(|rising| rising.saturating_add(made)),
            falling: bounds[0].falling.map(|falling| falling.saturating_sub(made)),
        };
        let mut inner = bounds[1..].to_vec();
        inner[0] = inner[0].least(own);
        inner
    }

    /// No choice of the trips from `depth` on gives more.
    fn bound(&self, depth: usize, bounds: &[Bound]) -> i128 {
        let all = bounds
            .iter()
            .enumerate()
            .filter_map(|(at, bound)| bound.most(self.reaches[depth + at], self.grids[depth + at]));
        all.min().unwrap_or(i128::MAX)
    }

    /// Twice a bound that does not ask for whole trips: concave in the trips of the loops around, so
    /// it falls to both sides of where it is greatest.
    fn twice_relaxed(&self, depth: usize, bounds: &[Bound]) -> i128 {
        let twice = |(at, bound): (usize, &Bound)| match (bound.rising, bound.falling) {
            (Some(rising), Some(falling)) => {
                let reach = self.reaches[depth + at];
                let balanced = rising.saturating_add(falling);
                let all = rising.saturating_add(reach).saturating_mul(2);
                Some(balanced.min(all).min(falling.saturating_mul(2)))
            }
            _ => bound.most(self.reaches[depth + at], 0).map(|most| most.saturating_mul(2)),
        };
        bounds.iter().enumerate().filter_map(twice).min().unwrap_or(i128::MAX)
    }

    fn from(&mut self, depth: usize, bounds: Vec<Bound>) {
        let bound = self.bound(depth, &bounds);
        if bound <= self.best {
            return;
        }
        let Some(counter) = self.counters.get(depth).copied() else {
            self.best = bound;
            return;
        };
        let last = i128::from(counter.count) - 1;
        let from = match (bounds[0].rising, bounds[0].falling) {
            (Some(_), None) => last,
            (None, _) => 0,
            (Some(_), Some(_)) => {
                self.both_sides(depth, &bounds, last);
                return;
            }
        };
        // Of one side alone, the trip that is furthest from it.
        let inner = self.chosen(depth, &bounds, from);
        self.from(depth + 1, inner);
    }

    /// Tries the trips of a loop with targets before and behind it, from where the bound is greatest.
    fn both_sides(&mut self, depth: usize, bounds: &[Bound], last: i128) {
        let (mut low, mut high) = (0, last);
        while low < high {
            let middle = i128::midpoint(low, high);
            let here = self.twice_relaxed(depth + 1, &self.chosen(depth, bounds, middle));
            match self.twice_relaxed(depth + 1, &self.chosen(depth, bounds, middle + 1)) > here {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        // No trip gives more than the inner loops would without this one.
        let around = std::mem::replace(&mut self.best, i128::MIN);
        self.from(depth + 1, bounds[1..].to_vec());
        let most = std::mem::replace(&mut self.best, around);
        let (mut down, mut up) = (Some(low), (low < last).then_some(low + 1));
        while down.is_some() || up.is_some() {
            for side in [&mut down, &mut up] {
                let Some(trip) = *side else { continue };
                let inner = self.chosen(depth, bounds, trip);
                let is_over = self.trials == 0
                    || self.twice_relaxed(depth + 1, &inner) <= self.best.saturating_mul(2);
                if is_over {
                    *side = None;
                    continue;
                }
                self.trials -= 1;
                self.from(depth + 1, inner);
                if self.bound(depth, bounds).min(most) <= self.best {
                    return;
                }
            }
            down = down.and_then(|trip| (trip > 0).then(|| trip - 1));
            up = up.and_then(|trip| (trip < last).then_some(trip + 1));
        }
    }
}

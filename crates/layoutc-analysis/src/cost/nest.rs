//! The loops around accesses.

use super::kernel::{Factor, KernelCode, LoopId, Trips};

/// How often a loop of unknown length is taken to run.
///
/// Source: Peng, Grossman, Sarkar, PMBS 2016, §IV-G.
pub const DYNAMIC_TRIPS: u64 = 100;

/// Factors and offsets beyond this are taken for it, so that addresses stay within 64 bits.
pub(super) const LARGE: i64 = 1 << 31;

/// The loops of a kernel, by what they enclose.
#[derive(Clone, Debug)]
pub(super) struct Nest {
    /// For each loop, all loops from the outermost to itself.
    paths: Vec<Vec<LoopId>>,
    trips: Vec<u64>,
    dynamic: Vec<bool>,
    /// What the host's loops multiply, and how many of them have unknown lengths.
    launches: (f64, usize),
}

impl Nest {
    /// As the paper has it: all loops of unknown length are alike.
    pub fn of_paper(code: &KernelCode) -> Nest {
        let mut nest = Nest::new(code);
        for (trips, one) in nest.trips.iter_mut().zip(&code.loops) {
            if let Trips::Steps(_) = one.trips {
                *trips = DYNAMIC_TRIPS;
            }
        }
        nest
    }

    pub fn new(code: &KernelCode) -> Nest {
        let mut paths: Vec<Vec<LoopId>> = Vec::with_capacity(code.loops.len());
        for (at, inner) in code.loops.iter().enumerate() {
            let mut path = match inner.parent {
                Some(LoopId(parent)) => paths[parent as usize].clone(),
                None => Vec::new(),
            };
            path.push(LoopId(at as u32));
            paths.push(path);
        }
        let trips = code.loops.iter().map(|one| trips(one.trips)).collect();
        let dynamic = code.loops.iter().map(|one| !matches!(one.trips, Trips::Known(_))).collect();
        let times = code.repeats.iter().map(|repeat| trips_of(*repeat)).product();
        let is_unknown = |repeat: &&Trips| !matches!(repeat, Trips::Known(_));
        let unknown = code.repeats.iter().filter(is_unknown).count();
        Nest { paths, trips, dynamic, launches: (times, unknown) }
    }

    /// All loops around a scope and itself, outermost first.
    pub fn path(&self, scope: Option<LoopId>) -> &[LoopId] {
        scope.map_or(&[], |LoopId(at)| &self.paths[at as usize])
    }

    /// How often the body of a loop runs each time.
    pub fn trips(&self, LoopId(at): LoopId) -> u64 {
        self.trips[at as usize]
    }

    /// How often a thread gets to a scope in one launch.
    pub fn executions(&self, scope: Option<LoopId>) -> f64 {
        self.path(scope).iter().map(|one| self.trips(*one) as f64).product()
    }

    /// How often the kernel is launched.
    pub fn launches(&self) -> f64 {
        self.launches.0
    }

    /// Loops of unknown length around a scope, those of the host included.
    pub fn degree(&self, scope: Option<LoopId>) -> usize {
        let own = self.path(scope).iter().filter(|LoopId(at)| self.dynamic[*at as usize]).count();
        self.launches.1 + own
    }
}

/// How often a loop's body is taken to run each time.
pub(crate) fn trips(trips: Trips) -> u64 {
    match trips {
        // A price for what never runs is of no use.
        Trips::Known(known) => known.max(1),
        Trips::Dynamic => DYNAMIC_TRIPS,
        // The others count one by one what these take at once.
        Trips::Steps(by) => DYNAMIC_TRIPS.div_ceil(by.max(1)),
    }
}

fn trips_of(repeat: Trips) -> f64 {
    trips(repeat) as f64
}

/// What loops add to an index, kept within [`LARGE`].
pub(super) fn small_factors(loops: &[(LoopId, Factor)]) -> Vec<(LoopId, Factor)> {
    let small = |factor: Factor| match factor {
        Factor::Number(number) => Factor::Number(number.clamp(-LARGE, LARGE)),
        Factor::Symbol => Factor::Symbol,
    };
    loops.iter().map(|(own, factor)| (*own, small(*factor))).collect()
}

//! What a recorded run says in place of the model's guesses.
//!
//! A kernel's text does not say how often loops run, which part of the threads passes a guard, how large a launch
//! is, and where indices from memory lead. A [`Recording`] does, for what it has instrumented; all else stays as the text says
//! it. What ran in no run costs nothing and is left out.
//!
//! *Invariant:* executions are those of the run: `share` and `warps` are chosen such that they are, whatever mean the
//! trips of the loops around were rounded to. `warps` may therefore be above 1, where the lanes of a warp leave a loop
//! one after the other.

use super::{CostModel, DEFAULT_BLOCK, Kernel};
use crate::cost;
use crate::cost::conversion::runs;
use crate::cost::flow::Step;
use crate::cost::kernel::{
    Access, ArrayId, ElementIndex, Factor, Gather, KernelCode, Lanes, Loop, LoopId, Trips,
};
use crate::cost::warp::WarpIndex;
use crate::cost_model::Recording;
use crate::profile::{Counts, LEVELS, Totals};
use layoutc_dataflow::layout::RecordShape;
use std::collections::{BTreeMap, BTreeSet};

/// Lanes of a warp of the devices that are recorded.
const WARP: u64 = 32;
/// Requests with one stride are all, if they are such a part of those with several lanes.
const STRIDED: f64 = 0.9;
/// What the text says of neighbouring lanes is believed where blocks that were touched differ by no more than
/// such a part, and by a block at a border.
const BELIEVED: f64 = 0.15;

/// Threads that a block of a GPU has at most.
const MOST_THREADS: u64 = 1024;

/// The launches of a kernel in all runs.
struct Launches {
    block: [u64; 3],
    blocks: u64,
    count: u64,
    /// Threads of all launches, and warps.
    threads: f64,
    warps: f64,
}

impl CostModel {
    /// Puts what was measured in the place of what is guessed. Kernels that ran in no run, and accesses that
    /// no thread got to, are left out.
    pub fn measure(&mut self, recording: &Recording) {
        let totals = recording.profile().all_runs();
        if totals.launches.is_empty() {
            return;
        }
        let arrays = std::mem::take(&mut self.arrays);
        let shapes: Vec<&RecordShape> = arrays.iter().map(|info| &info.shape).collect();
        let all_runs = recording.profile().runs.len().max(1) as u64;
        let mut most: Option<f64> = None;
        self.kernels.retain_mut(|kernel| {
            let Some(at) = recorded(kernel, recording, &shapes) else { return false };
            let Some(launches) = Launches::of(&totals, at) else { return false };
            if let Some(runs) = unknown_runs(&kernel.code.repeats, launches.count / all_runs) {
                most = Some(most.map_or(runs, |most| most.max(runs)));
            }
            measure_kernel(&mut kernel.code, recording, &totals, at, &launches, &shapes);
            (kernel.has_block, kernel.has_blocks) = (true, true);
            true
        });
        // What is known of loops around launches is known of those around copies.
        self.recorded_runs = most.or(Some(1.0));
        for conversion in &mut self.conversions {
            conversion.repeats.insert(0, Trips::Known(all_runs));
        }
        self.arrays = arrays;
    }
}

/// How often each of the host's loops of unknown length ran, if all did equally often and there are any; `repeats` are all
/// loops around a kernel that was launched `count` times.
fn unknown_runs(repeats: &[Trips], count: u64) -> Option<f64> {
    let unknown = repeats.iter().filter(|own| !matches!(own, Trips::Known(_))).count();
    let known = runs(repeats, 1.0);
    (unknown > 0).then(|| (count as f64 / known).max(1.0).powf(1.0 / unknown as f64))
}

/// The recorded kernel that a kernel of the model is: that of its name; of several, that in which most of its
/// accesses ran.
fn recorded(kernel: &Kernel, recording: &Recording, shapes: &[&RecordShape]) -> Option<u32> {
    let profile = recording.profile();
    let named = profile.kernels.iter().zip(0..).filter(|(own, _)| own.name == kernel.code.name);
    let own: BTreeSet<u32> = (kernel.code.accesses.iter())
        .flat_map(|access| recording.instructions_of(access, shapes[access.array.0 as usize]))
        .collect();
    let common = |kernel: u32| {
        let accesses = profile.runs.iter().flat_map(|run| &run.accesses);
        accesses.filter(|one| one.kernel == kernel && own.contains(&one.instruction)).count()
    };
    named.map(|(_, at)| at).max_by_key(|at| (common(*at), std::cmp::Reverse(*at)))
}

impl Launches {
    /// Those of a kernel: its most common shape of blocks, by threads, and as many blocks of it as ran in a
    /// launch on average.
    fn of(totals: &Totals, kernel: u32) -> Option<Launches> {
        let (mut threads, mut warps, mut count) = (0.0, 0.0, 0_u64);
        let mut of_block: BTreeMap<[u32; 3], f64> = BTreeMap::new();
        for ((_, grid, block), launches) in
            totals.launches.iter().filter(|(key, _)| key.0 == kernel)
        {
            let product = |extents: &[u32; 3]| extents.iter().map(|own| f64::from(*own)).product();
            let (blocks, own): (f64, f64) = (product(grid), product(block));
            let all = blocks * *launches as f64;
            threads += all * own;
            warps += all * (own / WARP as f64).ceil();
            count = count.saturating_add(*launches);
            *of_block.entry(*block).or_default() += all * own;
        }
        let most = of_block.iter().fold(None, |most: Option<([u32; 3], f64)>, (block, threads)| {
            most.filter(|(_, own)| own >= threads).or(Some((*block, *threads)))
        });
        // A CPU's choice where an OpenCL program leaves it open, which no GPU could make.
        let block = Some(most?.0.map(u64::from));
        let block = block.filter(|own| own.iter().product::<u64>() <= MOST_THREADS);
        let block = block.unwrap_or(DEFAULT_BLOCK);
        let of_one = block.iter().product::<u64>().max(1) as f64;
        let blocks = (threads / of_one / count.max(1) as f64).round().max(1.0) as u64;
        Some(Launches { block, blocks, count, threads, warps })
    }
}

fn measure_kernel(
    code: &mut KernelCode,
    recording: &Recording,
    totals: &Totals,
    kernel: u32,
    launches: &Launches,
    shapes: &[&RecordShape],
) {
    (code.block, code.blocks) = (launches.block, launches.blocks);
    code.repeats = vec![Trips::Known(launches.count)];
    // How often a thread gets into each loop's body, as the model will have it.
    let mut executions: Vec<f64> = Vec::with_capacity(code.loops.len());
    let mut loops: Vec<(Option<u32>, Loop)> = Vec::with_capacity(code.loops.len());
    for one in &mut code.loops {
        let at = recording.loop_at(one.span);
        let found = at.and_then(|at| totals.trips.get(&(kernel, at)));
        if let Some((entries, iterations)) = found {
            let mean = *iterations as f64 / (*entries).max(1) as f64;
            one.trips = Trips::Known(mean.round().max(1.0) as u64);
        }
        let outer = one.parent.map_or(1.0, |LoopId(at)| executions[at as usize]);
        executions.push(outer * cost::trips(one.trips) as f64);
        loops.push((at, *one));
    }
    let mut moves: Vec<Option<u32>> = Vec::with_capacity(code.accesses.len());
    let mut kept: Vec<Access> = Vec::with_capacity(code.accesses.len());
    let siblings = siblings(code, recording, shapes);
    for (at, mut access) in std::mem::take(&mut code.accesses).into_iter().enumerate() {
        let instructions = recording.instructions_of(&access, shapes[access.array.0 as usize]);
        if let Some(counts) = counts(&instructions, totals, kernel) {
            if counts.requests == 0 {
                moves.push(None);
                continue;
            }
            let times = access.scope.map_or(1.0, |LoopId(at)| executions[at as usize]);
            let parts = parts(&access, &instructions, recording, &loops);
            let times = times * siblings[at] as f64 * parts;
            access.share = counts.lanes as f64 / (launches.threads * times);
            access.warps = counts.requests as f64 / (launches.warps * times);
            access.phase = 0;
            measure_index(&mut access.index, &counts, code.block);
        }
        moves.push(Some(kept.len() as u32));
        kept.push(access);
    }
    code.accesses = kept;
    renumber(&mut code.flow, &moves);
    let accessed: BTreeSet<ArrayId> = code.accesses.iter().map(|access| access.array).collect();
    code.extents.retain(|array, _| accessed.contains(array));
}

/// How many accesses of the model each is one of that share an instruction: a function that is called
/// twice stands in the kernel twice.
fn siblings(code: &KernelCode, recording: &Recording, shapes: &[&RecordShape]) -> Vec<usize> {
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    let key = |access: &Access| {
        let instructions = recording.instructions_of(access, shapes[access.array.0 as usize]);
        (instructions, access.kind, access.leaves.clone())
    };
    let keys: Vec<_> = code.accesses.iter().map(key).collect();
    keys.iter().for_each(|key| *counts.entry(key).or_default() += 1);
    keys.iter().map(|key| counts[key]).collect()
}

/// How often instructions run for one access of the model, which takes a loop over the scalars of a leaf for
/// one access to all of them: the trips of loops around the instruction that are not around the access.
fn parts(
    access: &Access,
    instructions: &[u32],
    recording: &Recording,
    loops: &[(Option<u32>, Loop)],
) -> f64 {
    let profile = recording.profile();
    let scopes = instructions.iter().map(|at| profile.instructions[*at as usize].scope);
    let within = |scope: Option<u32>| -> Option<u64> {
        let around = |mut at: usize| {
            let mut trips = 1_u64;
            loop {
                let (_, own) = &loops[at];
                trips = trips.saturating_mul(cost::trips(own.trips));
                match own.parent {
                    parent if parent == access.scope => return Some(trips),
                    Some(LoopId(parent)) => at = parent as usize,
                    None => return None,
                }
            }
        };
        let is_own = |at: &usize| loops[*at].0 == scope && Some(LoopId(*at as u32)) != access.scope;
        scope?;
        (0..loops.len()).filter(is_own).find_map(around)
    };
    scopes.filter_map(within).max().unwrap_or(1) as f64
}

/// What instructions did in a kernel; nothing, if there are none.
fn counts(instructions: &[u32], totals: &Totals, kernel: u32) -> Option<Counts> {
    let mut sum = None;
    for at in instructions {
        let own: &mut Counts = sum.get_or_insert_with(Counts::default);
        let found = totals.accesses.range((kernel, *at, None)..=(kernel, *at, Some(u32::MAX)));
        found.for_each(|(_, counts)| own.add(counts));
    }
    sum
}

/// How lanes lie to each other, where the text does not say it or is wrong.
fn measure_index(index: &mut ElementIndex, counts: &Counts, block: [u64; 3]) {
    let is_listed = index.lanes == Lanes::Listed;
    let Some(gather) = Gather::new(counts, is_listed) else { return };
    // A row of lanes along x is a warp.
    let is_flat = block[0].is_multiple_of(WARP) || block[1] * block[2] == 1;
    let is_strided =
        is_flat && counts.strided > 0 && counts.strided as f64 >= STRIDED * counts.requests as f64;
    let strided = |by: i64| Lanes::Affine([Factor::Number(by), ZERO, ZERO]);
    index.lanes = match index.lanes {
        Lanes::Single => Lanes::Single,
        // One element for all lanes of a warp need not be one for all warps of a block.
        Lanes::Listed | Lanes::Unknown if is_strided && counts.stride != 0 => {
            strided(counts.stride)
        }
        Lanes::Listed | Lanes::Unknown | Lanes::Measured(_) => Lanes::Measured(gather),
        Lanes::Affine(factors) => {
            if is_believed(&index.lanes, &gather, counts, block) {
                return;
            }
            match factors {
                [_, ZERO, ZERO] if is_strided => strided(counts.stride),
                _ => Lanes::Measured(gather),
            }
        }
    };
}

const ZERO: Factor = Factor::Number(0);

/// Whether factors of thread indices make warps touch as many blocks of elements as were touched.
fn is_believed(lanes: &Lanes, gather: &Gather, counts: &Counts, block: [u64; 3]) -> bool {
    let Lanes::Affine(factors) = lanes else { return false };
    if factors.contains(&Factor::Symbol) {
        return false;
    }
    let index = WarpIndex::new(lanes, block, WARP);
    let all = index.lanes();
    let elements = index.into_elements();
    // Fewer lanes of a warp may get there than there are.
    let part = (counts.lanes as f64 / counts.requests as f64 / all.max(1) as f64).min(1.0);
    (0..LEVELS).all(|level| {
        let blocks: BTreeSet<i64> = elements.iter().map(|(_, element)| element >> level).collect();
        let (most, found) = (blocks.len() as f64, gather.blocks(level));
        let least = (most * part).max(1.0);
        found <= most * (1.0 + BELIEVED) + 1.0 && found >= least * (1.0 - BELIEVED) - 1.0
    })
}

/// Gives the accesses of steps their new numbers and takes those out that are no more.
fn renumber(steps: &mut Vec<Step>, moves: &[Option<u32>]) {
    steps.retain_mut(|step| match step {
        Step::Access(at) => match moves[*at as usize] {
            Some(moved) => {
                *at = moved;
                true
            }
            None => false,
        },
        Step::Loop { body, .. } | Step::Once(body) | Step::Call(body) => {
            renumber(body, moves);
            true
        }
        Step::Branch(ways) => {
            ways.iter_mut().for_each(|way| renumber(way, moves));
            true
        }
        Step::Guard { usual, rare } => {
            renumber(usual, moves);
            renumber(rare, moves);
            true
        }
        Step::Leave(_) => true,
    });
}

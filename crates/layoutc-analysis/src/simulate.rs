//! What a kernel's accesses cost, from the addresses that it really touches: a check of [`crate::cost`]
//! that needs no GPU.
//!
//! Threads' accesses ([`ThreadAccess`]) go in, block by block in the order of the launch; [`Counts`] come
//! out, for each kernel and place. [`warp`] makes warps' instructions of them, [`coalescer`] lines and
//! sectors, [`hierarchy`] takes those through the caches. Blocks go to multiprocessors round robin, as many
//! as fit at once; when one ends, the next of the launch takes its place. Multiprocessors take turns, and
//! so do the warps of each: one instruction at a time.
//!
//! # What is not modelled
//!
//! Time: barriers, latencies, what keeps a warp from its next instruction. Replacement other than by least
//! recent use, channels, prefetching, registers as a limit of residence, accesses of a kernel's stack, and
//! copies by the host, which leave the caches alone. First-level caches are empty when a launch begins; the
//! second level keeps what earlier launches left there.

pub mod cache;
pub mod coalescer;
mod counts;
pub mod hierarchy;
mod machine;
pub mod sets;
mod shape;
pub mod warp;

pub use counts::Counts;
pub use machine::{Machine, MachineError};
pub use warp::ThreadAccess;

use coalescer::{Coalescer, WarpTrace};
use hierarchy::Hierarchy;
use std::collections::VecDeque;
use warp::WarpMerger;

/// Lines of blocks that wait to be run at most; beyond it fewer blocks are resident than could be.
const WAITING_LINES: usize = 1 << 26;

/// What is known of a launch when its first block comes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaunchShape {
    /// Threads of a block.
    pub threads: u64,
    /// Bytes of shared memory of a block.
    pub shared_bytes: u64,
}

/// The counts of the launches of one kernel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KernelCounts {
    /// Its name.
    pub kernel: String,
    /// How often it was launched.
    pub launches: u64,
    /// By place; as many as the highest one that it reached.
    pub places: Vec<Counts>,
}

impl KernelCounts {
    /// All places together.
    #[must_use]
    pub fn total(&self) -> Counts {
        self.places.iter().fold(Counts::default(), |mut sum, counts| {
            sum += *counts;
            sum
        })
    }
}

/// A simulated device and what was counted on it.
#[derive(Clone, Debug)]
pub struct Simulator {
    machine: Machine,
    merger: WarpMerger,
    hierarchy: Hierarchy,
    /// The caches of what runs apart.
    apart: Hierarchy,
    kernels: Vec<KernelCounts>,
    launch: Launch,
}

/// The launch that is running.
#[derive(Clone, Debug, Default)]
struct Launch {
    kernel: usize,
    has_begun: bool,
    multiprocessors: Vec<Multiprocessor>,
    /// Where the next block goes.
    free: VecDeque<usize>,
    /// Lines of the resident blocks.
    lines: usize,
}

#[derive(Clone, Debug, Default)]
struct Multiprocessor {
    warps: Vec<RunningWarp>,
    turn: usize,
    blocks: Vec<RunningBlock>,
}

#[derive(Clone, Copy, Debug)]
struct RunningBlock {
    warps_left: usize,
    lines: usize,
}

#[derive(Clone, Debug)]
struct RunningWarp {
    trace: WarpTrace,
    request: usize,
    line: usize,
    written: usize,
    block: usize,
}

impl Simulator {
    /// A device with empty caches.
    #[must_use]
    pub fn new(machine: Machine) -> Simulator {
        Simulator {
            merger: WarpMerger::new(Coalescer::new(machine.grain)),
            hierarchy: Hierarchy::new(&machine),
            apart: Hierarchy::new(&machine),
            kernels: Vec::new(),
            launch: Launch::default(),
            machine,
        }
    }

    /// The device.
    #[must_use]
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// A launch of a kernel begins.
    pub fn begin_launch(&mut self, kernel: &str) {
        let known = self.kernels.iter().position(|own| own.kernel == kernel);
        let kernel = known.unwrap_or_else(|| {
            self.kernels.push(KernelCounts { kernel: kernel.to_owned(), ..Default::default() });
            self.kernels.len() - 1
        });
        self.kernels[kernel].launches += 1;
        self.launch = Launch { kernel, ..Launch::default() };
    }

    /// A block of the launch, by threads in the order of their ranks. It runs when there is room.
    pub fn push_block<'a, T>(&mut self, shape: LaunchShape, threads: &[T])
    where
        T: AsRef<[ThreadAccess]> + 'a,
    {
        let warps = self.merge(threads);
        self.push_warps(shape, warps);
    }

    /// The warps of a block.
    pub fn merge<T: AsRef<[ThreadAccess]>>(&mut self, threads: &[T]) -> Vec<WarpTrace> {
        let of_warp = |warp: &[T]| self.merger.merge(warp.iter().map(|thread| thread.as_ref()));
        threads.chunks(self.machine.warp_size).map(of_warp).collect()
    }

    /// A block of the launch, by warps.
    pub fn push_warps(&mut self, shape: LaunchShape, warps: Vec<WarpTrace>) {
        if !self.launch.has_begun {
            self.begin(shape);
        }
        while self.launch.free.is_empty() || self.launch.lines > WAITING_LINES {
            if !self.round() {
                break;
            }
        }
        let Some(at) = self.launch.free.pop_front() else { return };
        let warps: Vec<WarpTrace> =
            warps.into_iter().filter(|warp| !warp.requests.is_empty()).collect();
        let lines = warps.iter().map(|warp| warp.lines.len()).sum();
        if warps.is_empty() {
            self.launch.free.push_back(at);
            return;
        }
        self.launch.lines += lines;
        let multiprocessor = &mut self.launch.multiprocessors[at];
        let block = multiprocessor.blocks.iter().position(|block| block.warps_left == 0);
        let running = RunningBlock { warps_left: warps.len(), lines };
        let block = match block {
            Some(block) => {
                multiprocessor.blocks[block] = running;
                block
            }
            None => {
                multiprocessor.blocks.push(running);
                multiprocessor.blocks.len() - 1
            }
        };
        let running = |trace| RunningWarp { trace, request: 0, line: 0, written: 0, block };
        multiprocessor.warps.extend(warps.into_iter().map(running));
    }

    fn begin(&mut self, shape: LaunchShape) {
        let resident = self.machine.resident_blocks(shape.threads, shape.shared_bytes);
        let count = self.machine.multiprocessors;
        let l1 = self.machine.l1(shape.shared_bytes * resident as u64);
        self.hierarchy.begin_launch(count, l1);
        self.launch.has_begun = true;
        self.launch.multiprocessors = vec![Multiprocessor::default(); count];
        self.launch.free = (0..resident).flat_map(|_| 0..count).collect();
    }

    /// One instruction on each multiprocessor; whether there was one.
    fn round(&mut self) -> bool {
        let Launch { kernel, multiprocessors, free, lines, .. } = &mut self.launch;
        let places = &mut self.kernels[*kernel].places;
        let mut has_run = false;
        for (at, own) in multiprocessors.iter_mut().enumerate() {
            if own.warps.is_empty() {
                continue;
            }
            has_run = true;
            own.turn %= own.warps.len();
            let warp = &mut own.warps[own.turn];
            let request = warp.trace.requests[warp.request];
            let end = warp.line + usize::from(request.lines);
            let is_store = request.kind == crate::cost::kernel::AccessKind::Write;
            let written = warp.written + if is_store { usize::from(request.lines) } else { 0 };
            let place = request.place as usize;
            if places.len() <= place {
                places.resize(place + 1, Counts::default());
            }
            self.hierarchy.serve(
                at,
                &request,
                &warp.trace.lines[warp.line..end],
                &warp.trace.written[warp.written..written],
                &mut places[place],
            );
            (warp.request, warp.line, warp.written) = (warp.request + 1, end, written);
            if warp.request < warp.trace.requests.len() {
                own.turn += 1;
                continue;
            }
            let block = &mut own.blocks[warp.block];
            block.warps_left -= 1;
            if block.warps_left == 0 {
                *lines -= block.lines;
                free.push_back(at);
            }
            own.warps.remove(own.turn);
        }
        has_run
    }

    /// The launch has ended: what is left of it runs.
    pub fn end_launch(&mut self) {
        while self.round() {}
        self.launch.multiprocessors.clear();
    }

    /// What was counted, by kernel in the order of their first launches.
    #[must_use]
    pub fn kernels(&self) -> &[KernelCounts] {
        &self.kernels
    }

    /// Changes between the caches of the program and others, for what stands for copies by the host, which
    /// leave the caches alone.
    pub fn change_caches(&mut self) {
        std::mem::swap(&mut self.hierarchy, &mut self.apart);
    }

    /// Writes back what only the second-level cache knows, for the kernel of the last launch, and empties it.
    pub fn forget(&mut self) {
        let mut counts = Counts::default();
        self.hierarchy.clean(&mut counts);
        self.hierarchy.clear();
        if let Some(first) = self.kernels[self.launch.kernel].places.first_mut() {
            *first += counts;
        }
    }

    /// Writes back what only the second-level cache knows, and says how many sectors of memory that takes.
    pub fn write_back(&mut self) -> Counts {
        let mut counts = Counts::default();
        self.hierarchy.clean(&mut counts);
        counts
    }
}

//! What the simulator takes from a device.

use super::coalescer::Grain;
use super::shape::CacheShape;
use crate::cost::occupancy::{BlockNeeds, blocks};
use crate::device::{ChannelHash, Device};
use std::fmt;

/// Lines of a set where the device's file does not say.
const WAYS: u32 = 16;
/// Weights of a sector where the device's file says nothing; those of [`crate::cost::sectors`].
const WEIGHTS: [u32; 3] = [1, 4, 10];

/// Why a device cannot be simulated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MachineError {
    /// Its file does not give this.
    UnknownFact {
        /// The device's name.
        device: String,
        /// The fact's place in the file.
        fact: &'static str,
    },
    /// Lines or sectors have sizes that the simulator does not have.
    Sizes {
        /// The device's name.
        device: String,
        /// Bytes of a line.
        line: u32,
        /// Bytes of a sector.
        sector: u32,
    },
}

impl fmt::Display for MachineError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MachineError::UnknownFact { device, fact } => {
                write!(out, "the file of device `{device}` does not give `{fact}`")
            }
            MachineError::Sizes { device, line, sector } => write!(
                out,
                "device `{device}` has lines of {line} bytes with sectors of {sector}; lines of at most 128 bytes \
                 with sectors of at least 16 can be simulated, both powers of two"
            ),
        }
    }
}

impl std::error::Error for MachineError {}

/// A device, in the terms of the simulator.
#[derive(Clone, Debug)]
pub struct Machine {
    device: Device,
    /// Lanes of a warp.
    pub warp_size: usize,
    /// Multiprocessors.
    pub multiprocessors: usize,
    /// Lines of the first level and sectors, the smaller ones of both levels.
    pub grain: Grain,
    /// Sectors of `grain` that one of the first level has.
    pub l1_ratio: u32,
    l1_bytes: u64,
    l1_ways: u32,
    unified_bytes: Option<u64>,
    /// The second-level cache: what all multiprocessors can use of it.
    pub l2: Option<CacheShape>,
    /// Bits of an address within a line of it.
    pub l2_line: u32,
    /// Sectors of `grain` that one of the second level has.
    pub l2_ratio: u32,
    is_hashed: bool,
    /// What sectors cost; see [`super::Counts::sector_cost`].
    pub weights: [f64; 3],
    /// What transactions cost in the paper, if it says so; see [`super::Counts::transaction_cost`].
    pub paper_weights: Option<[f64; 3]>,
}

impl Machine {
    /// What the device's file says.
    ///
    /// # Errors
    /// [`MachineError`].
    pub fn new(device: &Device) -> Result<Machine, MachineError> {
        let missing = |fact| MachineError::UnknownFact { device: device.name.clone(), fact };
        let memory = &device.memory;
        let l1_bytes = *memory.l1_bytes.known().ok_or_else(|| missing("memory.l1_bytes"))?;
        let l2_bytes = *memory.l2_bytes.known().ok_or_else(|| missing("memory.l2_bytes"))?;
        let multiprocessors = *device
            .execution
            .multiprocessors
            .known()
            .ok_or_else(|| missing("execution.multiprocessors"))?;
        let l1_sector = memory.l1_sector.known().copied().filter(|_| l1_bytes > 0);
        let l2_sector = memory.l2_sector.known().copied().filter(|_| l2_bytes > 0);
        let sector = l1_sector.into_iter().chain(l2_sector).min().unwrap_or(32);
        let l2_line = memory.l2_line.known().copied().unwrap_or(128);
        let l1_line = match memory.l1_line.known() {
            Some(line) if l1_bytes > 0 => *line,
            _ => l2_line,
        };
        for line in [l1_line, l2_line] {
            let fits = line.is_power_of_two() && sector.is_power_of_two() && line <= 128;
            if !fits || sector < 16 || sector > line {
                return Err(MachineError::Sizes { device: device.name.clone(), line, sector });
            }
        }
        let parts = u64::from(memory.l2_partitions.known().copied().unwrap_or(1)).max(1);
        let is_hashed = device.steering.channel_hash.known() != Some(&ChannelHash::None);
        let l2_ways = memory.l2_ways.known().copied().unwrap_or(WAYS);
        let l2 = CacheShape::of(l2_bytes / parts, u64::from(l2_line), l2_ways, is_hashed);
        Ok(Machine {
            device: device.clone(),
            warp_size: device.warp_size().clamp(1, 64) as usize,
            multiprocessors: multiprocessors.max(1) as usize,
            grain: Grain { line: l1_line.ilog2(), sector: sector.ilog2() },
            l1_ratio: l1_sector.unwrap_or(sector) / sector,
            l1_bytes,
            l1_ways: memory.l1_ways.known().copied().unwrap_or(WAYS),
            unified_bytes: memory.l1_and_shared_bytes.known().copied().filter(|all| *all > 0),
            l2: (l2_bytes > 0).then_some(l2),
            l2_line: l2_line.ilog2(),
            l2_ratio: l2_sector.unwrap_or(sector) / sector,
            is_hashed,
            weights: device.weights.sectors.known().unwrap_or(&WEIGHTS).map(f64::from),
            paper_weights: device.peng.weights.known().map(|weights| weights.map(f64::from)),
        })
    }

    /// How many blocks a multiprocessor runs at once, at least one.
    #[must_use]
    pub fn resident_blocks(&self, threads: u64, shared_bytes: u64) -> usize {
        // Registers are a matter of nvcc, which the simulator does not ask.
        let needs = BlockNeeds { threads, registers: None, shared_bytes };
        blocks(&self.device, needs).max(1) as usize
    }

    /// A first-level cache when blocks use this much shared memory of a multiprocessor; none if the
    /// device has none for global loads.
    #[must_use]
    pub fn l1(&self, shared_bytes: u64) -> Option<CacheShape> {
        let left = self.unified_bytes.map_or(u64::MAX, |all| all.saturating_sub(shared_bytes));
        let bytes = self.l1_bytes.min(left);
        let line = 1 << self.grain.line;
        (bytes > 0).then(|| CacheShape::of(bytes, line, self.l1_ways, self.is_hashed))
    }
}

//! The model for today's caches: sectors of 32 bytes in lines of 128.
//!
//! A warp's load asks for the sectors that its lanes touch; it costs an instruction and, for each sector,
//! what the level that serves it can deliver in a second: by default 1 for the first-level cache, 4 more
//! for the second and 10 more for memory. Counts are exact for indices that are affine in the thread, at
//! all alignments that loops bring about; scattered lanes touch the sectors of as many elements as they
//! are expected to choose.
//!
//! # What is modelled
//!
//! - [`request`]: which accesses become instructions at all.
//! - Sectors that an earlier access of the warp touched, in the same iteration or some iterations ago, are
//!   found where they were left, as far as what the resident threads touch in between leaves room: all of
//!   it up to the capacity, and the part that fits beyond it.
//! - Warps of a block that touch the same sectors fetch them once, and so do blocks that run together and
//!   read what does not depend on the block.
//! - The first-level cache is what shared memory leaves of it, and writes through: stores pay the second
//!   level for each sector. Memory is written once for all stores to a sector that come near each other,
//!   and read as well where they leave bytes of it untouched that were not read before.
//! - Atomic operations are done in the second-level cache: a read and a write there, for each lane.
//! - Where the extents of all arrays are known and they fit into the second-level cache together (into one
//!   part of it, where it has several), they come from memory once, and stay there for all launches. Otherwise this is so for
//!   those of known extents, from the smallest on, that fill at most half of it.
//!
//! # What is not
//!
//! Channels, banks and sets; the order of warps; prefetching; values that a compiler spills; what a kernel
//! leaves in the caches for the next, but for the last point above.

mod footprint;
mod request;
mod reuse;
mod shape;

use super::arrangement::Arrangement;
use super::kernel::{AccessKind, Factor, KernelCode, Lanes};
use super::nest::Nest;
use super::occupancy::{BlockNeeds, blocks};
use super::price::{AccessPrice, CostError, KernelPrice, Model, Reuse, Shares, Stride, Traffic};
use super::span::Order;
use super::vector::CostVector;
use super::warp::WarpIndex;
use crate::device::Device;
use footprint::Lattice;
use request::{Memory, Request, Requests};
use reuse::{Covered, Sharing};
use shape::Shape;
use std::collections::BTreeMap;

/// What one instruction costs besides its sectors.
const INSTRUCTION: f64 = 1.0;
/// Weights of a sector where the device's file says nothing.
const WEIGHTS: [u32; 3] = [1, 4, 10];

/// What the model knows of a device.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SectorDevice {
    /// Lanes of a warp.
    pub warp_size: u64,
    /// Bytes of a sector.
    pub sector: u64,
    /// Bytes of a line.
    pub line: u64,
    /// Bytes of first-level cache at most; 0: none.
    pub l1_bytes: u64,
    /// Bytes that it and shared memory divide, if they do.
    pub unified_bytes: Option<u64>,
    /// Bytes of second-level cache that what all multiprocessors read can use.
    pub l2_bytes: u64,
    /// Multiprocessors.
    pub multiprocessors: u64,
    /// The widest access of a lane in bytes.
    pub widest: u64,
    /// What a sector costs from the first level, the second level and memory.
    pub weights: [f64; 3],
}

impl SectorDevice {
    /// What the device's file says.
    ///
    /// # Errors
    /// [`CostError::UnknownFact`].
    pub fn new(device: &Device) -> Result<SectorDevice, CostError> {
        let missing = |fact| CostError::UnknownFact { device: device.name.clone(), fact };
        let memory = &device.memory;
        let l1_bytes = *memory.l1_bytes.known().ok_or_else(|| missing("memory.l1_bytes"))?;
        let l2_bytes = *memory.l2_bytes.known().ok_or_else(|| missing("memory.l2_bytes"))?;
        let l1_sector = memory.l1_sector.known().filter(|_| l1_bytes > 0);
        let line = memory.l1_line.known().or(memory.l2_line.known()).copied();
        // Where it is not known, lines are fetched as wholes.
        let sector = *l1_sector.or(memory.l2_sector.known()).or(line.as_ref()).unwrap_or(&32);
        let line = line.unwrap_or(128).max(sector);
        let multiprocessors = device.execution.multiprocessors.known();
        let parts = u64::from(memory.l2_partitions.known().copied().unwrap_or(1)).max(1);
        let unified = memory.l1_and_shared_bytes.known().copied().filter(|bytes| *bytes > 0);
        let generation = device.compute_capability.split('.').next().and_then(|n| n.parse().ok());
        Ok(SectorDevice {
            warp_size: u64::from(device.warp_size()).max(1),
            sector: u64::from(sector),
            line: u64::from(line),
            l1_bytes,
            unified_bytes: unified,
            l2_bytes: l2_bytes / parts,
            multiprocessors: u64::from(
                *multiprocessors.ok_or_else(|| missing("execution.multiprocessors"))?,
            ),
            widest: if generation.is_some_and(|major: u32| major >= 10) { 32 } else { 16 },
            weights: device.weights.sectors.known().unwrap_or(&WEIGHTS).map(f64::from),
        })
    }
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
    let mut price = price_without_strides(code, arrangement, device)?;
    let warp_size = u64::from(device.warp_size()).max(1);
    for (access, own) in code.accesses.iter().zip(&mut price.accesses) {
        let index = WarpIndex::new(&access.index.lanes, code.block, warp_size);
        let place = access.leaves.first().and_then(|leaf| arrangement.place(access.array, *leaf));
        own.stride = place.map_or(Stride::Unknown, |place| index.stride(place));
    }
    Ok(price)
}

/// As [`price`]; no stride is known.
pub(super) fn price_without_strides(
    code: &KernelCode,
    arrangement: &Arrangement,
    device: &Device,
) -> Result<KernelPrice, CostError> {
    let threads = code.block.iter().product::<u64>();
    if threads == 0 {
        return Err(CostError::EmptyBlock);
    }
    let known = SectorDevice::new(device)?;
    let needs = BlockNeeds { threads, registers: code.registers, shared_bytes: code.shared_bytes };
    let resident = blocks(device, needs).max(1);
    let per_multiprocessor = resident.min(code.blocks.div_ceil(known.multiprocessors).max(1));
    let warps_of_block = threads.div_ceil(known.warp_size);
    let warps = code.blocks.saturating_mul(warps_of_block);
    let nest = Nest::new(code);
    let requests = Requests::new(code, arrangement, &nest, known.widest)?;
    let lattices = Lattices::new(code, &requests.list, &known);
    let shapes = shape::shapes(&requests.list, &lattices, &known);
    let order = Order::new(&nest, requests.list.iter().map(|one| one.scope).collect());
    let used = code.shared_bytes.saturating_mul(per_multiprocessor);
    let left = known.unified_bytes.map_or(u64::MAX, |all| all.saturating_sub(used));
    let sharing = Sharing {
        l1_bytes: known.l1_bytes.min(left) as f64,
        l2_bytes: known.l2_bytes as f64,
        l1_warps: per_multiprocessor.saturating_mul(warps_of_block) as f64,
        l2_warps: per_multiprocessor
            .saturating_mul(warps_of_block)
            .saturating_mul(known.multiprocessors)
            .min(warps) as f64,
        blocks: [
            per_multiprocessor as f64,
            (per_multiprocessor * known.multiprocessors).min(code.blocks).max(1) as f64,
        ],
        sector: known.sector as f64,
    };
    let covered = reuse::find(&requests.list, &shapes, &order, &nest, &sharing);
    let cached = cached(code, arrangement, &requests.list, &known);
    let part = |request: &Request| part_of(request, known.sector, 0).0;
    let mut accesses = unpriced(code, &requests, &nest);
    let mut traffic = Traffic::default();
    for (at, request) in requests.list.iter().enumerate() {
        let (shape, covered) = (&shapes[at], &covered[at]);
        let mut levels = Levels::new(request, shape, covered);
        if request.blocks == Factor::Number(0) && request.kind == AccessKind::Read {
            // Blocks that run at the same time get there at the same time.
            levels.l2 /= sharing.blocks[0];
            levels.dram /= sharing.blocks[1];
        }
        // One element of each block: those of neighbours lie in one sector.
        levels.dram /= request.blocks_of_sector(known.sector).min(sharing.blocks[1]);
        let times = request.times as f64;
        let executions = nest.executions(request.scope) * request.warps;
        let all = times * executions * warps as f64 * nest.launches();
        if let Some(bytes) = cached.get(&part(request)) {
            // It comes from memory once.
            let once = bytes.div_ceil(known.sector) as f64;
            levels.dram = levels.dram.min(once / all.max(f64::MIN_POSITIVE));
        }
        let [w1, w2, w3] = known.weights;
        let unit = INSTRUCTION + w1 * levels.l1 + w2 * levels.l2 + w3 * levels.dram;
        let price = &mut accesses[request.access];
        let own = price.executions.max(f64::MIN_POSITIVE);
        // A load that stands before a loop is paid less often than its access is executed.
        let relative = times * executions / own;
        price.transactions += shape.sectors() * times;
        price.lines += shape.lines() * times;
        price.instructions += times;
        price.cost += unit * relative;
        let served = shape.sectors().max(f64::MIN_POSITIVE);
        let (l2, dram) = ((levels.l2 / served).min(1.0), (levels.dram / served).min(1.0));
        let amount = shape.sectors() * times;
        price.shares.register += amount * (1.0 - executions / own).max(0.0);
        let part = (executions / own).min(1.0) * amount;
        price.shares.l1 += part * (1.0 - l2.max(dram));
        price.shares.l2 += part * (l2 - dram).max(0.0);
        price.shares.dram += part * dram;
        if price.reuse.is_none() {
            price.reuse = covered.nearest.map(|(previous, l1, l2)| Reuse {
                previous: requests.list[previous].access,
                l1_distance: l1 as u64,
                l2_distance: l2 as u64,
            });
        }
        let is_atomic = request.kind == AccessKind::Atomic;
        let own = Traffic {
            requested: shape.sectors() * all,
            ideal: shape.ideal_sectors(request.bytes) * all,
            l2: levels.l2 * all,
            dram: levels.dram * all,
            atomics: if is_atomic { levels.l2 * all } else { 0.0 },
            instructions: all,
        };
        price.traffic += own;
        traffic += own;
    }
    for price in &mut accesses {
        let amount = price.transactions;
        if amount > 0.0 {
            let shares = &mut price.shares;
            for share in [&mut shares.register, &mut shares.l1, &mut shares.l2, &mut shares.dram] {
                *share /= amount;
            }
        } else {
            price.shares.register = 1.0;
        }
        let times = price.executions * warps as f64 * nest.launches();
        price.total = CostVector::at(0, price.cost * times);
    }
    Ok(KernelPrice {
        kernel: code.name.clone(),
        model: Model::Sectors,
        blocks_per_multiprocessor: resident,
        warps,
        total: accesses.iter().map(|access| access.total).sum(),
        accesses,
        traffic,
        is_cached: !requests.list.is_empty()
            && requests.list.iter().all(|request| cached.contains_key(&part(request))),
    })
}

/// The accesses before anything is paid.
fn unpriced(code: &KernelCode, requests: &Requests, nest: &Nest) -> Vec<AccessPrice> {
    let price = |(at, access): (usize, &super::kernel::Access)| AccessPrice {
        stride: Stride::Unknown,
        transactions: 0.0,
        lines: 0.0,
        instructions: 0.0,
        with: requests.with[at],
        executions: nest.executions(access.scope) * access.warps,
        degree: nest.degree(access.scope),
        reuse: None,
        shares: Shares::default(),
        cost: 0.0,
        total: CostVector::ZERO,
        traffic: Traffic::default(),
    };
    code.accesses.iter().enumerate().map(price).collect()
}

/// The lattices of a kernel, each once.
pub(super) struct Lattices {
    list: Vec<Lattice>,
    of_request: Vec<usize>,
}

impl Lattices {
    fn new(code: &KernelCode, requests: &[Request], device: &SectorDevice) -> Lattices {
        let mut keys: Vec<(Lanes, Option<u64>, [u64; 2])> = Vec::new();
        let mut lattices = Lattices { list: Vec::new(), of_request: Vec::new() };
        for request in requests {
            let array = code.accesses[request.access].array;
            let is_scattered = matches!(request.lanes, Lanes::Listed | Lanes::Unknown);
            let extent = code.extents.get(&array).copied().filter(|_| is_scattered);
            let key = (request.lanes, extent, [request.period(), request.phase]);
            let at = keys.iter().position(|own| *own == key).unwrap_or_else(|| {
                keys.push(key);
                let lattice = Lattice::new(&key.0, code.block, device.warp_size, extent, key.2);
                lattices.list.push(lattice);
                keys.len() - 1
            });
            lattices.of_request.push(at);
        }
        lattices
    }
}

/// Sectors of a request that come to each level.
struct Levels {
    l1: f64,
    l2: f64,
    dram: f64,
}

impl Levels {
    fn new(request: &Request, shape: &Shape, covered: &Covered) -> Levels {
        let (sectors, sharing) = (shape.sectors(), shape.lattice.sharing);
        match request.kind {
            AccessKind::Read => {
                let l2 = sectors * (1.0 - covered.l1) / sharing;
                Levels { l1: sectors, l2, dram: l2.min(sectors * (1.0 - covered.l2) / sharing) }
            }
            AccessKind::Write => {
                let written = sectors * (1.0 - covered.written) / sharing;
                let is_filled = request.blocks_of_sector(shape.sector()) <= 1.0;
                let filled = if is_filled { sectors * covered.filled / sharing } else { 0.0 };
                Levels { l1: 0.0, l2: sectors, dram: written + filled }
            }
            AccessKind::Atomic => {
                // Each lane is an operation of its own; the sector is read, and written in the end.
                // What threads update wherever a formula leads them is a table that many share, and small.
                let is_table = match request.lanes {
                    Lanes::Unknown => true,
                    Lanes::Measured(gather) => !gather.is_listed,
                    Lanes::Affine(_) | Lanes::Listed | Lanes::Single => false,
                };
                let fresh = if is_table { 0.0 } else { sectors * (1.0 - covered.l2) / sharing };
                Levels { l1: 0.0, l2: 2.0 * sectors, dram: 2.0 * fresh }
            }
        }
    }
}

/// Memory that lies together: of tiles, the slots of one value, which fill sectors of their own.
type Part = (Memory, u64);

/// The part that a request touches, and its bytes if an array has so many elements.
fn part_of(request: &Request, sector: u64, extent: u64) -> (Part, u64) {
    let place = &request.place;
    if !place.has_planes && place.tile > 1 && place.tile * place.size >= sector {
        // A scalar that is not known may be any of them.
        let (first, scalars) = match request.moves {
            Some((_, scalars)) => (place.offset, scalars),
            None => (request.byte, 1),
        };
        let bytes = extent.saturating_mul(place.size).saturating_mul(scalars);
        return ((request.memory, first), bytes);
    }
    let own = if place.has_planes { place.size } else { place.stride };
    ((request.memory, 0), extent.div_ceil(place.tile.max(1)).saturating_mul(own))
}

/// The memory that stays in a cache of so many bytes once it is there, and how large it is: everything, if all of it is
/// known to fit, and otherwise what is known to be small, as far as half of the cache has room for it beside what streams
/// through the rest.
fn cached(
    code: &KernelCode,
    arrangement: &Arrangement,
    requests: &[Request],
    known: &SectorDevice,
) -> BTreeMap<Part, u64> {
    let mut parts: BTreeMap<Part, u64> = BTreeMap::new();
    let mut are_all_known = true;
    for request in requests {
        let access = &code.accesses[request.access];
        let place = access.leaves.first().and_then(|leaf| arrangement.place(access.array, *leaf));
        match (code.extents.get(&access.array), place) {
            (Some(extent), Some(_)) => {
                let (part, bytes) = part_of(request, known.sector, *extent);
                parts.insert(part, bytes);
            }
            _ => are_all_known = false,
        }
    }
    let sum = parts.values().fold(0_u64, |sum, own| sum.saturating_add(*own));
    if are_all_known && sum <= known.l2_bytes {
        return parts;
    }
    // The smallest first.
    let mut by_size: Vec<(u64, Part)> = parts.into_iter().map(|(part, own)| (own, part)).collect();
    by_size.sort_unstable();
    let mut left = known.l2_bytes / 2;
    let fits = by_size.into_iter().map_while(|(own, part)| {
        left = left.checked_sub(own)?;
        Some((part, own))
    });
    fits.collect()
}

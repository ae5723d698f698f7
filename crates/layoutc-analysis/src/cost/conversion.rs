//! What it costs to rearrange records where they are copied between host and device.
//!
//! The transfer over the bus stays as it is, so it is not counted: with and without a new layout the same bytes go through it.
//! What comes on top is
//!
//! - on a device that rearranges by itself (CUDA): a kernel that reads the records on one side and writes them on the
//!   other, once for each byte, and its launches;
//! - on the host (OpenCL): the processor's pass over the records.
//!
//! Both are counted in the units of [`super::sectors`], which kernels are compared in, and in seconds.

use super::kernel::{Access, ArrayId, Factor, KernelCode, Trips};
use super::nest::{DYNAMIC_TRIPS, trips};
use super::price::CostError;
use super::sectors::SectorDevice;
use super::verdict::{Verdict, bandwidth};
use crate::device::Device;
use layoutc_dataflow::layout::{GroupForm, Layout, Leaf, RecordShape};
use std::ops::AddAssign;

/// Records for which a launch counts. Generated copies launch once for each buffer of 8 MB; all but some of these launches are
/// hidden behind transfers.
const CHUNK: f64 = (1 << 20) as f64;
/// Seconds of a launch where the device's file does not say it.
const LAUNCH: f64 = 3e-6;
/// Bytes that a processor rearranges in a second: a load and a store of each member, in one thread.
const HOST_RATE: f64 = 4e9;

/// Who rearranges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Converter {
    /// A generated kernel.
    Device,
    /// A loop of the host.
    Host,
}

/// A call that copies records between host and device.
#[derive(Clone, PartialEq, Debug)]
pub struct Conversion {
    /// The array.
    pub array: ArrayId,
    /// Who rearranges them.
    pub by: Converter,
    /// Records that it copies, if the program says it with constants; otherwise the whole array.
    pub records: Option<u64>,
    /// The host's loops around the call, outermost first.
    pub repeats: Vec<Trips>,
    /// In which part of their runs it takes place, from 0 to 1.
    pub share: f64,
}

/// How often loops of the host run, the unknown ones `unknown` times each.
#[must_use]
pub fn runs(repeats: &[Trips], unknown: f64) -> f64 {
    let one = |trips: &Trips| match trips {
        // What never runs would have no price.
        Trips::Known(known) => (*known).max(1) as f64,
        Trips::Dynamic => unknown,
        Trips::Steps(by) => (unknown / (*by).max(1) as f64).max(1.0),
    };
    repeats.iter().map(one).product()
}

/// How often loops of unknown length are taken to run.
#[must_use]
pub fn assumed_runs() -> f64 {
    DYNAMIC_TRIPS as f64
}

/// What rearranging costs.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Rearranging {
    /// In the units of [`super::sectors`].
    pub cost: f64,
    /// In seconds.
    pub seconds: f64,
}

impl AddAssign for Rearranging {
    fn add_assign(&mut self, other: Rearranging) {
        self.cost += other.cost;
        self.seconds += other.seconds;
    }
}

/// An array whose records are rearranged.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rearranged {
    /// How many records it has.
    pub elements: u64,
    /// Bytes of a record on the host.
    pub host_bytes: f64,
    /// Bytes of memory of the device that its values lie in, with what lies between them.
    pub device_bytes: f64,
    /// Values of a record.
    pub scalars: u64,
}

impl Rearranged {
    /// An array of records that gets a layout of its own; `None` if all bytes stay where they are, as in structs that are
    /// aligned to more and have their size already.
    #[must_use]
    pub fn new(shape: &RecordShape, layout: &Layout, elements: u64) -> Option<Rearranged> {
        if let [only] = layout.groups()
            && only.form() == GroupForm::Struct
        {
            let placed = only.struct_layout(shape);
            let mut members = only.leaves().iter().zip(&placed.offsets);
            let is_same = members.all(|(leaf, offset)| shape.leaf(*leaf).offset == *offset);
            if is_same && placed.size == shape.size {
                return None;
            }
        }
        // Whole tiles: of the last one little is left empty.
        let placed = layout.allocation_bytes(shape, SAMPLE).0 as f64 / SAMPLE as f64;
        Some(Rearranged {
            elements,
            host_bytes: shape.size.0 as f64,
            device_bytes: placed,
            scalars: shape.leaves.iter().map(Leaf::scalars).sum(),
        })
    }

    /// What a conversion of the array costs in a whole run, where the host's loops of unknown length run `unknown` times
    /// each.
    ///
    /// # Errors
    /// [`CostError::UnknownFact`]: the device's file lacks what the model needs.
    pub fn cost(
        &self,
        conversion: &Conversion,
        unknown: f64,
        device: &Device,
    ) -> Result<Rearranging, CostError> {
        let known = SectorDevice::new(device)?;
        let bandwidth = bandwidth(device)?;
        let [w1, w2, w3] = known.weights;
        let records = conversion.records.unwrap_or(self.elements) as f64;
        let times = runs(&conversion.repeats, unknown) * conversion.share;
        let bytes = records * (self.host_bytes + self.device_bytes);
        Ok(match conversion.by {
            Converter::Device => {
                // One side is read through all levels, and the other written through two. Which is which makes a
                // difference of a few percent alone.
                let sectors = bytes / known.sector as f64;
                let launches = (records / CHUNK).ceil();
                let instructions = records / known.warp_size as f64 * 2.0 * self.scalars as f64;
                Rearranging {
                    cost: times * (sectors * (w1 / 2.0 + w2 + w3) + instructions),
                    seconds: times * (bytes / bandwidth + launches * launch_seconds(device)),
                }
            }
            Converter::Host => {
                let seconds = times * records * self.host_bytes / HOST_RATE;
                Rearranging { cost: 0.0, seconds }
            }
        })
    }
}

/// How often a copied byte goes through device memory once more: a kernel reads it from a buffer and writes it
/// to its place, or the other way round. On the bus nothing changes.
const CONVERSION: f64 = 2.0;

/// Elements by which bytes of one are measured: a multiple of all tiles.
const SAMPLE: u64 = 1 << 16;

/// Seconds from the end of a kernel to the start of the next.
#[must_use]
pub fn launch_seconds(device: &Device) -> f64 {
    let known = device.execution.launch_nanoseconds.known();
    known.map_or(LAUNCH, |nanoseconds| f64::from(*nanoseconds) * 1e-9)
}

/// After how many launches a layout has paid for rearranging `bytes` of so many `arrays` in one copy of each between host
/// and device; `None`: never. A converted copy launches a kernel of its own.
///
/// # Errors
/// [`CostError::UnknownFact`]: the device's file lacks the memory's bandwidth.
pub fn launches_that_pay(
    (bytes, arrays): (u64, usize),
    verdict: &Verdict,
    launches: f64,
    device: &Device,
) -> Result<Option<f64>, CostError> {
    let saved = (verdict.before - verdict.after) / launches.max(1.0);
    let started = arrays as f64 * launch_seconds(device);
    let converted = started + CONVERSION * bytes as f64 / bandwidth(device)?;
    Ok((saved > 0.0).then(|| (converted / saved).ceil()))
}

/// How many records an array has: what the program says, or else what a launch reaches at most: a record for each thread,
/// where each has an index of its own, and for each trip of a loop that goes on by more than a block.
#[must_use]
pub fn elements_of(array: ArrayId, known: Option<u64>, kernels: &[KernelCode]) -> u64 {
    let threads = |code: &KernelCode| {
        let block = code.block.iter().product::<u64>();
        (block, block.saturating_mul(code.blocks))
    };
    let reached = |code: &KernelCode, access: &Access| {
        let (block, threads) = threads(code);
        let far = |factor: &Factor| match factor {
            Factor::Number(number) => number.unsigned_abs() >= block,
            Factor::Symbol => true,
        };
        let loops = access.index.loops.iter().filter(|(_, factor)| far(factor));
        let trips = loops.map(|(own, _)| trips(code.loops[own.0 as usize].trips));
        trips.fold(threads, u64::saturating_mul)
    };
    let by_accesses = || {
        let accesses = kernels.iter().flat_map(|code| {
            let own = code.accesses.iter().filter(|access| access.array == array);
            own.filter(|access| access.index.is_own()).map(move |access| reached(code, access))
        });
        accesses.max()
    };
    let by_threads = || kernels.iter().map(|code| threads(code).1).max();
    known.or_else(by_accesses).or_else(by_threads).unwrap_or(0)
}

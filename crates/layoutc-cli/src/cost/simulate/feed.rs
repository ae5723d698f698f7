//! From the trace of a run to the simulator.

use super::base_name;
use layoutc_analysis::cost::kernel::AccessKind;
use layoutc_analysis::simulate::{LaunchShape, Simulator, ThreadAccess};
use layoutc_runtime::trace::{self, Allocation, Block, Launch, Place, PlaceId, TraceSink};

/// A part of an allocation whose structs have one alignment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Its first byte in the allocation.
    pub start: u64,
    /// The alignment.
    pub align: u32,
}

/// An allocation.
#[derive(Clone, Debug)]
pub struct Region {
    start: u64,
    end: u64,
    is_host: bool,
    /// As the layout has it, if it is one that layoutc chose.
    segments: Vec<Segment>,
    /// As the kernel's pointers into it have it; 1: there are none.
    pointers: u32,
}

/// How the parts of an allocation are aligned.
pub type Segments<'a> = &'a dyn Fn(&Allocation) -> Vec<Segment>;

/// Takes a trace and simulates it.
pub struct Feed<'a> {
    simulator: Simulator,
    segments: Segments<'a>,
    places: Vec<Place>,
    /// Sorted by `start`.
    regions: Vec<Region>,
    dynamic_shared: u64,
    /// Names of kernels that convert arrays.
    conversions: &'a [String],
    is_conversion: bool,
    threads: Vec<Vec<ThreadAccess>>,
}

impl<'a> Feed<'a> {
    pub fn new(simulator: Simulator, segments: Segments<'a>, conversions: &'a [String]) -> Self {
        Feed {
            simulator,
            segments,
            conversions,
            is_conversion: false,
            places: Vec::new(),
            regions: Vec::new(),
            dynamic_shared: 0,
            threads: Vec::new(),
        }
    }

    /// The simulator, and the places by number.
    pub fn finish(self) -> (Simulator, Vec<Place>) {
        (self.simulator, self.places)
    }
}

/// The region that holds an address; `last` is the one that was found before.
fn region_at(regions: &[Region], address: u64, last: &mut usize) -> Option<usize> {
    let holds =
        |at: usize| regions.get(at).is_some_and(|own| (own.start..own.end).contains(&address));
    if !holds(*last) {
        let at = regions.partition_point(|own| own.start <= address).checked_sub(1)?;
        if !holds(at) {
            return None;
        }
        *last = at;
    }
    Some(*last)
}

impl Region {
    /// What the type of the memory at an address is aligned to, as far as that is known.
    fn align(&self, address: u64) -> u32 {
        let offset = address - self.start;
        let at = self.segments.partition_point(|segment| segment.start <= offset);
        match at.checked_sub(1) {
            Some(at) => self.segments[at].align,
            None => self.pointers,
        }
    }
}

/// The alignment of a scalar of this size, and of the scalars of a struct.
fn natural(bytes: u32) -> u32 {
    if bytes.is_power_of_two() && bytes <= 8 { bytes } else { 4 }
}

impl TraceSink for Feed<'_> {
    fn place(&mut self, _: PlaceId, place: Place) {
        self.places.push(place);
    }

    fn allocation(&mut self, allocation: Allocation) {
        let segments = (self.segments)(&allocation);
        let Allocation { base, bytes, is_host, .. } = allocation;
        let region = Region { start: base, end: base + bytes, is_host, segments, pointers: 1 };
        let at = self.regions.partition_point(|own| own.start < base);
        self.regions.insert(at, region);
    }

    fn launch(&mut self, launch: Launch) {
        self.simulator.begin_launch(&launch.kernel);
        self.dynamic_shared = launch.dynamic_shared;
        let name = base_name(&launch.kernel);
        self.is_conversion = self.conversions.iter().any(|own| own == name);
        if self.is_conversion {
            self.simulator.change_caches();
        }
        for (address, align) in launch.pointers {
            if let Some(at) = region_at(&self.regions, address, &mut 0) {
                let own = &mut self.regions[at].pointers;
                *own = (*own).max(align);
            }
        }
    }

    fn block(&mut self, block: Block<'_>) {
        let count = block.ends.len();
        if self.threads.len() < count {
            self.threads.resize(count, Vec::new());
        }
        let mut last = 0;
        for (own, accesses) in self.threads.iter_mut().zip(block.threads()) {
            own.clear();
            for access in accesses {
                let place = self.places[access.place.0 as usize];
                let mut align = natural(place.bytes).max(place.align);
                if let Some(region) = region_at(&self.regions, access.address, &mut last) {
                    let region = &self.regions[region];
                    if region.is_host {
                        continue;
                    }
                    let known = region.align(access.address);
                    // A pointer to bytes says nothing about the values behind it.
                    if known > 2 {
                        align = known.max(place.align);
                    }
                }
                own.push(ThreadAccess {
                    address: access.address,
                    bytes: place.bytes,
                    place: access.place.0,
                    kind: match place.kind {
                        trace::AccessKind::Read => AccessKind::Read,
                        trace::AccessKind::Write => AccessKind::Write,
                        trace::AccessKind::Atomic => AccessKind::Atomic,
                    },
                    align,
                });
            }
        }
        let shape = LaunchShape {
            threads: count as u64,
            shared_bytes: block.static_shared + self.dynamic_shared,
        };
        self.simulator.push_block(shape, &self.threads[..count]);
    }

    fn launch_end(&mut self) {
        self.simulator.end_launch();
        // The host's copies that conversions stand for leave the caches alone.
        if self.is_conversion {
            self.simulator.forget();
            self.simulator.change_caches();
        }
    }
}

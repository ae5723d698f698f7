//! Which bits of which subscript go to which address bits.
//!
//! An assignment is an order of *slices*, innermost first: runs of bits of one subscript. What no
//! slice takes stands above them, in the order of the source.

use super::busy::nearest_log2;
use super::{Axis, BusyBits, Column, CommonPattern, Extent, GridShape, Launch};
use crate::device::SteeringModel;
use layoutc_dataflow::layout::MAX_TILE;

/// Bits of subscripts from here on are not looked at: no array has so many elements.
const MAX_SUBSCRIPT_BIT: u32 = 40;
/// What the slices of one subscript may have where its extent is not known, and another subscript's
/// neither: larger tiles pad short rows too much.
const MAX_ROW_BITS: u32 = 7;
/// What the slices of one element may have in all: more is no tile.
/// An extent that is not known has room for as many: it is padded to whole tiles, and might be short.
const MAX_TILE_BITS: u32 = MAX_TILE.ilog2();

/// Consecutive bits of one subscript in the inner part of the address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Slice {
    /// The subscript.
    pub dimension: usize,
    /// Its lowest bit.
    pub low: u32,
    /// How many.
    pub count: u32,
    /// What it serves.
    pub serves: Serves,
}

/// What a slice is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Serves {
    /// Lanes of a warp share bursts.
    Coalescing,
    /// Requests in flight spread over channels and banks.
    Steering,
}

/// The dimension whose neighbouring indices belong to neighbouring lanes, and the lowest bit of its
/// subscript that lanes differ in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Fastest {
    /// The dimension.
    pub dimension: usize,
    /// Its lowest bit that lanes differ in.
    pub low: u32,
}

/// The fastest-changing dimension: the one with the smallest factor of the fastest thread index
/// that has several values and occurs at all; the innermost of several.
pub(super) fn fastest(pattern: &CommonPattern, launch: &Launch) -> Option<Fastest> {
    Axis::ALL.into_iter().filter(|axis| launch.block[axis.index()] > 1).find_map(|axis| {
        let factor = |dimension: usize| {
            let coefficient = pattern.rows[dimension].coefficients.get(&Column::Thread(axis))?;
            let factor = launch.value_of(coefficient)?.unsigned_abs();
            (factor > 0).then_some(factor)
        };
        let of = |dimension| Some((factor(dimension)?, dimension));
        let (factor, dimension) =
            (0..pattern.rows.len()).rev().filter_map(of).min_by_key(|of| of.0)?;
        Some(Fastest { dimension, low: factor.trailing_zeros() })
    })
}

/// The bits of a subscript that its extent has room for.
fn bits_of(extent: &Extent) -> u32 {
    let bits = |extent: u64| u64::BITS - extent.saturating_sub(1).leading_zeros();
    extent.constant().map_or(MAX_TILE_BITS, bits).min(MAX_SUBSCRIPT_BIT)
}

/// The slices for a device with steering bits, innermost first.
///
/// Source: Sung, Stratton, Hwu, PACT 2010, §5.2.2, steps 3c and 3d.
pub(super) fn for_steering(
    grid: &GridShape,
    busy: &[BusyBits],
    fastest: Option<Fastest>,
    model: &SteeringModel,
) -> Vec<Slice> {
    let first = nearest_log2(u128::from(grid.value_bytes));
    let mut slices: Vec<Slice> = Vec::new();
    if let Some(fastest) = fastest {
        let wanted = (model.coalescing.high + 1).saturating_sub(first).min(MAX_TILE_BITS);
        let bits = bits_of(&grid.dimensions[fastest.dimension].extent);
        let room = bits.saturating_sub(fastest.low);
        push(&mut slices, fastest.dimension, fastest.low, wanted.min(room), Serves::Coalescing);
    }
    let rows = grid.dimensions.iter().filter(|own| own.extent.constant().is_none()).count();
    let used: u32 = slices.iter().map(|slice| slice.count).sum();
    let capacity = (model.steering.high + 1).saturating_sub(first).min(MAX_TILE_BITS);
    let mut free = capacity.saturating_sub(used);
    let inner_to_outer = || {
        let own = fastest.map(|fastest| fastest.dimension);
        let others = (0..grid.dimensions.len()).rev().filter(move |other| Some(*other) != own);
        own.into_iter().chain(others)
    };
    // Bits of the thread index differ for certain, those of the block index as far as blocks run in
    // step.
    for by_threads in [true, false] {
        for dimension in inner_to_outer() {
            let extent = &grid.dimensions[dimension].extent;
            let room = bits_of(extent);
            let is_taken = |slices: &[Slice], bit: u32| {
                slices.iter().any(|slice| {
                    slice.dimension == dimension
                        && (slice.low..slice.low + slice.count).contains(&bit)
                })
            };
            let wanted: Vec<u32> = busy[dimension]
                .bits
                .iter()
                .filter(|busy| busy.is_thread_driven() == by_threads && busy.bit < room)
                .map(|busy| busy.bit)
                .filter(|bit| !is_taken(&slices, *bit))
                .collect();
            for run in wanted.chunk_by(|left, right| left + 1 == *right) {
                let own = slices.iter().filter(|slice| slice.dimension == dimension);
                let own: u32 = own.map(|slice| slice.count).sum();
                let row = match extent {
                    Extent::Symbolic(_) if rows > 1 => MAX_ROW_BITS.saturating_sub(own),
                    Extent::Symbolic(_) | Extent::Constant(_) => free,
                };
                let most = free.min(run.len() as u32).min(row);
                let count =
                    (0..=most).rev().find(|count| pads_little(extent, run[0] + count)).unwrap_or(0);
                push(&mut slices, dimension, run[0], count, Serves::Steering);
                free -= count;
            }
        }
    }
    slices
}

/// The slice for coalescing alone, if the source's order does not serve it already.
///
/// Its size is a warp's lanes, or a line of 128 bytes where that is more.
pub(super) fn for_coalescing(grid: &GridShape, fastest: Option<Fastest>, warp: u32) -> Vec<Slice> {
    const LINE: u64 = 128;
    let Some(fastest) = fastest else { return Vec::new() };
    let is_innermost = fastest.dimension + 1 == grid.dimensions.len();
    if is_innermost && fastest.low == 0 && !grid.is_record {
        return Vec::new();
    }
    let lanes = u64::from(warp).max(LINE / grid.value_bytes.clamp(1, LINE));
    let wanted = lanes.next_power_of_two().ilog2();
    let extent = &grid.dimensions[fastest.dimension].extent;
    let room = bits_of(extent).saturating_sub(fastest.low);
    let top = fastest.low + wanted.min(room);
    // Rather the whole dimension than a padded tile of it: its lanes are consecutive as well.
    let count = match extent {
        Extent::Constant(_)
            if fastest.low == 0 && room <= MAX_TILE_BITS && !pads_little(extent, top) =>
        {
            room
        }
        _ => wanted.min(room),
    };
    let mut slices = Vec::new();
    push(&mut slices, fastest.dimension, fastest.low, count, Serves::Coalescing);
    slices
}

/// Whether tiles of `2^bits` indices pad an extent by at most an eighth. A tile that holds the whole
/// extent does not pad it: there is no second one.
fn pads_little(extent: &Extent, bits: u32) -> bool {
    let Extent::Constant(extent) = extent else { return true };
    let (extent, tile) = (u128::from(*extent).max(1), 1_u128 << bits.min(100));
    tile >= extent || extent.div_ceil(tile) * tile * 8 <= extent * 9
}

/// Puts a slice outside the others, unless it is empty.
fn push(slices: &mut Vec<Slice>, dimension: usize, low: u32, count: u32, serves: Serves) {
    if count > 0 {
        slices.push(Slice { dimension, low, count, serves });
    }
}

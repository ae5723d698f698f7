//! Why a grid gets its layout: what reports and drawings are made of.

use super::assignment::{Serves, Slice};
use super::busy::nearest_log2;
use super::flattening::{digit_text, dimension_vector, flattening_function, places};
use super::{BusyBits, Column, GridShape};
use crate::device::{BitRange, SteeringModel};
use layoutc_dataflow::layout::{Digit, DimensionId};
use serde::Serialize;

/// The chosen layout of a grid and the reasons, in plain data.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Explanation {
    /// The device's name.
    pub device: String,
    /// The model that was used.
    pub model: Model,
    /// The common access pattern as a matrix.
    pub pattern: String,
    /// The subscripts and their busy bits, slowest first.
    pub dimensions: Vec<DimensionExplanation>,
    /// The digits, slowest first.
    pub digits: Vec<DigitExplanation>,
    /// The dimension vector in the paper's notation.
    pub dimension_vector: String,
    /// The flattening function in the paper's notation.
    pub flattening_function: String,
    /// Address bits from 0 up, as far as it is known what feeds each.
    pub address_bits: Vec<AddressBit>,
    /// What is left for the bits above: texts of the digits, slowest first.
    pub above: Vec<String>,
    /// What the choice leaves aside, in sentences.
    pub notes: Vec<String>,
}

/// What the choice is about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Model {
    /// Bursts, channels and banks, chosen by address bits.
    Steering(SteeringModel),
    /// Coalescing and locality alone.
    Coalescing {
        /// Why nothing is known of the channels.
        because: String,
    },
}

/// A subscript.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct DimensionExplanation {
    /// Its name.
    pub name: String,
    /// Its extent.
    pub extent: String,
    /// Whether neighbouring lanes have neighbouring indices in it.
    pub is_fastest: bool,
    /// Its busy bits.
    pub busy: BusyBits,
}

/// A digit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct DigitExplanation {
    /// Such as `y%32`.
    pub text: String,
    /// How many values it has.
    pub places: String,
    /// The address bits that it feeds, if it feeds whole ones.
    pub address_bits: Option<BitRange>,
    /// What it is for.
    pub role: Role,
}

/// What a digit is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Lanes of a warp share bursts.
    Coalescing,
    /// Requests in flight spread over channels and banks.
    Steering,
    /// Both: its low bits are offsets in a burst, its high ones steer.
    CoalescingAndSteering,
    /// The member of a record.
    Field,
    /// What is left.
    Remaining,
}

/// One bit of an address.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct AddressBit {
    /// Its number, 0 the lowest.
    pub bit: u32,
    /// Where it comes from.
    pub feed: Feed,
    /// Whether it is an offset in a burst.
    pub is_burst_offset: bool,
    /// Whether it steers.
    pub is_steering: bool,
    /// Whether it is one of the most important steering bits.
    pub is_most_important: bool,
}

/// Where an address bit comes from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Feed {
    /// It selects a byte of a value.
    Byte,
    /// It is a bit of a subscript.
    Index {
        /// The subscript, 0 the slowest.
        dimension: u32,
        /// The bit of it.
        bit: u32,
        /// The indices that make it busy; none: it does not differ among requests in flight.
        drivers: Vec<Column>,
    },
}

/// What an explanation is made of.
pub(super) struct Parts<'a> {
    pub device: &'a str,
    pub model: Model,
    pub pattern: String,
    pub grid: &'a GridShape,
    pub busy: Vec<BusyBits>,
    pub fastest: Option<usize>,
    pub slices: &'a [Slice],
    pub digits: &'a [Digit],
    pub notes: Vec<String>,
}

/// The explanation of digits.
pub(super) fn explain(parts: Parts<'_>) -> Explanation {
    let Parts { device, model, pattern, grid, busy, fastest, slices, digits, notes } = parts;
    let (fed, above) = feeds(grid, &busy, digits);
    let steering = match &model {
        Model::Steering(model) => Some(*model),
        Model::Coalescing { .. } => None,
    };
    let is_within = |range: Option<BitRange>, bit| range.is_some_and(|range| range.contains(bit));
    let address_bits = fed.iter().enumerate().map(|(bit, (feed, _))| {
        let bit = bit as u32;
        AddressBit {
            bit,
            feed: feed.clone(),
            is_burst_offset: is_within(steering.map(|model| model.coalescing), bit),
            is_steering: is_within(steering.map(|model| model.steering), bit),
            is_most_important: is_within(steering.and_then(|model| model.most_important), bit),
        }
    });
    let digit_explanations = digits.iter().enumerate().map(|(at, digit)| {
        let own = |(bit, (_, digit)): (usize, &(Feed, Option<usize>))| {
            (*digit == Some(at)).then_some(bit as u32)
        };
        let bits = || fed.iter().enumerate().filter_map(own);
        let range = bits().min().zip(bits().max());
        DigitExplanation {
            text: digit_text(grid, *digit),
            places: places(grid, *digit),
            address_bits: range.map(|(low, high)| BitRange { high, low }),
            role: role(*digit, slices),
        }
    });
    let dimensions = grid.dimensions.iter().zip(busy).enumerate().map(|(at, (shape, busy))| {
        DimensionExplanation {
            name: shape.name.clone(),
            extent: shape.extent.to_string(),
            is_fastest: fastest == Some(at),
            busy,
        }
    });
    Explanation {
        device: device.to_owned(),
        pattern,
        digits: digit_explanations.collect(),
        dimension_vector: dimension_vector(grid, digits),
        flattening_function: flattening_function(grid, digits),
        address_bits: address_bits.collect(),
        above: above.iter().map(|digit| digit_text(grid, *digit)).collect(),
        notes,
        dimensions: dimensions.collect(),
        model,
    }
}

/// What feeds each address bit, with the digit, from bit 0 up to the first digit that feeds no whole
/// bits; and the digits from there on, slowest first.
fn feeds<'a>(
    grid: &GridShape,
    busy: &[BusyBits],
    digits: &'a [Digit],
) -> (Vec<(Feed, Option<usize>)>, &'a [Digit]) {
    let mut fed = vec![(Feed::Byte, None); nearest_log2(u128::from(grid.value_bytes)) as usize];
    for (at, digit) in digits.iter().enumerate().rev() {
        let Digit::Slice { dimension: DimensionId(dimension), divisor, modulus } = *digit else {
            return (fed, &digits[..=at]);
        };
        let extent = || grid.dimensions[dimension as usize].extent.constant();
        let count = modulus.or_else(|| Some(extent()?.div_ceil(divisor)));
        let whole = |number: &u64| number.is_power_of_two() && divisor.is_power_of_two();
        let Some(count) = count.filter(whole) else { return (fed, &digits[..=at]) };
        let low = divisor.ilog2();
        for bit in low..low + count.ilog2() {
            let drivers = busy[dimension as usize].bit(bit).map(|busy| &busy.drivers);
            let drivers = drivers.into_iter().flatten().cloned().collect();
            fed.push((Feed::Index { dimension, bit, drivers }, Some(at)));
        }
    }
    (fed, &[])
}

/// What a digit is for: the slices that went into it say.
fn role(digit: Digit, slices: &[Slice]) -> Role {
    let Digit::Slice { dimension: DimensionId(dimension), divisor, modulus } = digit else {
        return Role::Field;
    };
    let serves = |what: Serves| {
        slices.iter().any(|slice| {
            let within = 1 << slice.low >= divisor
                && modulus.is_none_or(|modulus| 1 << slice.low < divisor * modulus);
            slice.dimension == dimension as usize && slice.serves == what && within
        })
    };
    match (serves(Serves::Coalescing), serves(Serves::Steering)) {
        (true, true) => Role::CoalescingAndSteering,
        (true, false) => Role::Coalescing,
        (false, true) => Role::Steering,
        (false, false) => Role::Remaining,
    }
}

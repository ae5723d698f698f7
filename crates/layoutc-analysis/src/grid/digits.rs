//! The digits that an assignment means.

use super::GridShape;
use super::assignment::Slice;
use layoutc_dataflow::layout::{Digit, DimensionId};

/// The digits of a grid, slowest first: what no slice takes in the order of the source, the field,
/// and then the slices.
///
/// Source: Sung, Stratton, Hwu, PACT 2010, §5.2.2, steps 3e and 3f.
pub(super) fn digits(grid: &GridShape, slices: &[Slice]) -> Vec<Digit> {
    let mut result = Vec::new();
    let mut inner: Vec<Option<Digit>> = vec![None; slices.len()];
    for dimension in 0..grid.dimensions.len() {
        let (above, own) = divide(grid, dimension, slices);
        result.extend(above.into_iter().rev());
        for (at, digit) in own {
            inner[at] = Some(digit);
        }
    }
    if grid.is_record {
        result.push(Digit::Field);
    }
    result.extend(inner.into_iter().rev().flatten());
    joined(&result)
}

/// Divides one subscript: what is left over, lowest bits first, and the digit of each of its slices.
fn divide(
    grid: &GridShape,
    dimension: usize,
    slices: &[Slice],
) -> (Vec<Digit>, Vec<(usize, Digit)>) {
    let id = DimensionId(dimension as u32);
    let digit = |divisor, modulus| Digit::Slice { dimension: id, divisor, modulus };
    let mut own: Vec<(usize, &Slice)> =
        slices.iter().enumerate().filter(|(_, slice)| slice.dimension == dimension).collect();
    own.sort_by_key(|(_, slice)| slice.low);
    let (mut left, mut taken) = (Vec::new(), Vec::new());
    let mut next: u64 = 1;
    for (rank, (at, slice)) in own.iter().enumerate() {
        let divisor = 1 << slice.low;
        if divisor > next {
            left.push(digit(next, Some(divisor / next)));
        }
        next = 1 << (slice.low + slice.count);
        let extent = grid.dimensions[dimension].extent.constant();
        match extent.filter(|extent| rank + 1 == own.len() && *extent <= next) {
            // The slice holds all that is left of the extent, so that there is nothing to pad.
            Some(extent) if grid.is_record => {
                // Members of a struct are arrays of a known length.
                let places = extent.div_ceil(divisor).max(1);
                taken.push((*at, digit(divisor, Some(places))));
                next = divisor * places;
            }
            Some(_) => {
                taken.push((*at, digit(divisor, None)));
                return (left, taken);
            }
            None => taken.push((*at, digit(divisor, Some(1 << slice.count)))),
        }
    }
    left.push(digit(next, None));
    (left, taken)
}

/// Joins neighbouring digits that spell one number, where that moves no value or where rows of whole
/// tiles are still multiples of the innermost digit: less padding, less arithmetic, same alignment.
fn joined(digits: &[Digit]) -> Vec<Digit> {
    let mut result: Vec<Digit> = Vec::with_capacity(digits.len());
    for (at, digit) in digits.iter().enumerate() {
        let is_free = result.len() == 1 || at + 1 < digits.len();
        match (result.last_mut(), *digit) {
            (_, Digit::Slice { modulus: Some(1), .. }) => {}
            (
                Some(Digit::Slice { dimension: of, divisor: high, modulus: count }),
                Digit::Slice { dimension, divisor, modulus: Some(modulus) },
            ) if *of == dimension && *high == divisor * modulus && (count.is_some() || is_free) => {
                *high = divisor;
                *count = count.map(|count| count * modulus);
            }
            _ => result.push(*digit),
        }
    }
    result
}

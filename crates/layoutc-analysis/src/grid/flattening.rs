//! Dimension vectors and flattening functions as people write them.

use super::{Extent, GridShape};
use layoutc_dataflow::layout::{Digit, DimensionId};

/// The dimension vector of digits, in the paper's notation:
/// `(⌈ny/2^5⌉, ⌈nx/2^7⌉, 4, 2^5, 2^7)`. A field digit is `fields`.
#[must_use]
pub fn dimension_vector(grid: &GridShape, digits: &[Digit]) -> String {
    let places: Vec<String> = digits.iter().map(|digit| places(grid, *digit)).collect();
    format!("({})", places.join(", "))
}

/// The flattening function of digits, in the paper's notation:
/// `(I2>>5)D3D2D1D0 + (I1>>7)D2D1D0 + I0 D1D0 + (I2&31)D0 + (I1&127)`. Indices and digits are
/// numbered from the right, beginning with 0; the index of a field digit is `F`.
#[must_use]
pub fn flattening_function(grid: &GridShape, digits: &[Digit]) -> String {
    let terms: Vec<String> = digits
        .iter()
        .enumerate()
        .map(|(at, digit)| {
            let index = match digit {
                Digit::Slice { dimension: DimensionId(dimension), divisor, modulus } => {
                    let number = grid.dimensions.len() - 1 - *dimension as usize;
                    slice(&format!("I{number}"), *divisor, *modulus, true)
                }
                Digit::Field | Digit::Extent(_) => "F".to_owned(),
            };
            let factors: String =
                (0..digits.len() - 1 - at).rev().map(|below| format!("D{below}")).collect();
            let blank = if index.ends_with(')') || factors.is_empty() { "" } else { " " };
            format!("{index}{blank}{factors}")
        })
        .collect();
    terms.join(" + ")
}

/// A digit in the notation of layouts: `y/32`, `y%32`, `y/4%8`, `field`.
#[must_use]
pub fn digit_text(grid: &GridShape, digit: Digit) -> String {
    match digit {
        Digit::Slice { dimension: DimensionId(dimension), divisor, modulus } => {
            slice(&grid.dimensions[dimension as usize].name, divisor, modulus, false)
        }
        Digit::Field | Digit::Extent(_) => "field".to_owned(),
    }
}

/// How many values a digit has.
pub(super) fn places(grid: &GridShape, digit: Digit) -> String {
    match digit {
        Digit::Slice { modulus: Some(modulus), .. } => power(modulus),
        Digit::Slice { dimension: DimensionId(dimension), divisor, modulus: None } => {
            let extent = &grid.dimensions[dimension as usize].extent;
            match (extent, divisor) {
                (_, 1) => extent.to_string(),
                (Extent::Constant(extent), _) => extent.div_ceil(divisor).to_string(),
                (Extent::Symbolic(text), _) => {
                    let is_word = |c: char| c.is_alphanumeric() || c == '_';
                    let whole = text.chars().all(is_word);
                    let text = if whole { text.clone() } else { format!("({text})") };
                    format!("⌈{text}/{}⌉", power(divisor))
                }
            }
        }
        Digit::Field | Digit::Extent(_) => "fields".to_owned(),
    }
}

fn power(number: u64) -> String {
    match number.is_power_of_two() && number > 1 {
        true => format!("2^{}", number.ilog2()),
        false => number.to_string(),
    }
}

/// A slice of an index, with shifts and masks or with divisions and remainders.
fn slice(index: &str, divisor: u64, modulus: Option<u64>, by_bits: bool) -> String {
    let is_power = |number: u64| by_bits && number.is_power_of_two();
    let shifted = match divisor {
        1 => index.to_owned(),
        _ if is_power(divisor) => format!("{index}>>{}", divisor.ilog2()),
        _ => format!("{index}/{divisor}"),
    };
    let text = match (modulus, divisor) {
        (None, 1) => return shifted,
        (None, _) => shifted,
        (Some(modulus), 1) if is_power(modulus) => format!("{shifted}&{}", modulus - 1),
        (Some(modulus), _) if is_power(modulus) => format!("({shifted})&{}", modulus - 1),
        (Some(modulus), _) => format!("{shifted}%{modulus}"),
    };
    if by_bits { format!("({text})") } else { text }
}

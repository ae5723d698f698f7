//! Flattening functions: from an index vector to the place of a value, as C.
//!
//! The place is the number that the digits spell, slowest first: `((d0·s1 + d1)·s2 + d2)…`, where
//! `sₖ` is the number of values of digit `k` (Sung et al., §4). A last slice that is not full is
//! padded: its dimension counts as `⌈D / divisor⌉`.

use layoutc_dataflow::grid::Grid;
use layoutc_dataflow::layout::{Digit, DimensionId};

/// `(value / divisor) % modulus` as C, for values that are not negative.
fn slice(value: &str, divisor: u64, modulus: Option<u64>) -> String {
    let shifted = match divisor {
        1 => value.to_owned(),
        by if by.is_power_of_two() => format!("({value} >> {})", by.trailing_zeros()),
        by => format!("{value} / {by}"),
    };
    match modulus {
        None => shifted,
        Some(by) if by.is_power_of_two() => format!("({shifted} & {})", by - 1),
        Some(by) => format!("{shifted} % {by}"),
    }
}

/// The number of values of a digit, as C; `None` for the slowest, which has no limit.
fn size(grid: &Grid, extents: &[String], digit: Digit) -> Option<String> {
    let Digit::Slice { dimension: DimensionId(dimension), divisor, modulus } = digit else {
        return None;
    };
    if let Some(modulus) = modulus {
        return Some(modulus.to_string());
    }
    let at = (dimension as usize).checked_sub(1)?;
    Some(match (grid.dimensions[dimension as usize].extent, divisor) {
        (Some(extent), divisor) => (extent.cast_unsigned().div_ceil(divisor)).to_string(),
        (None, 1) => extents[at].clone(),
        (None, by) if by.is_power_of_two() => {
            format!("(({} + {}) >> {})", extents[at], by - 1, by.trailing_zeros())
        }
        (None, by) => format!("(({} + {}) / {by})", extents[at], by - 1),
    })
}

/// The place of a value. `coordinates` and `extents` (behind the slowest dimension; constants
/// are not looked at) are operands that need no parentheses.
pub(crate) fn place(
    grid: &Grid,
    digits: &[Digit],
    coordinates: &[String],
    extents: &[String],
) -> String {
    let mut text = String::new();
    for (at, digit) in digits.iter().enumerate() {
        let Digit::Slice { dimension: DimensionId(dimension), divisor, modulus } = *digit else {
            continue;
        };
        let value = slice(&coordinates[dimension as usize], divisor, modulus);
        if at == 0 {
            text = value;
            continue;
        }
        let size = size(grid, extents, *digit).unwrap_or_default();
        let sum = text.contains(' ') && at > 1;
        let high = if sum { format!("({text})") } else { text };
        text = format!("{high} * {size} + {value}");
    }
    text
}

/// The number of values that `slowest` steps of the slowest dimension take, padding included.
pub(crate) fn count(grid: &Grid, digits: &[Digit], slowest: &str, extents: &[String]) -> String {
    let mut factors = Vec::new();
    for (at, digit) in digits.iter().enumerate() {
        let Digit::Slice { divisor, .. } = *digit else { continue };
        factors.push(match at {
            0 if divisor == 1 => slowest.to_owned(),
            0 => format!("(({slowest} + {}) / {divisor})", divisor - 1),
            _ => size(grid, extents, *digit).unwrap_or_default(),
        });
    }
    factors.join(" * ")
}

/// The same as a number, where all extents behind the slowest dimension are constants.
pub(crate) fn values(grid: &Grid, digits: &[Digit], slowest: i64) -> Option<i64> {
    let mut product: i64 = 1;
    for (at, digit) in digits.iter().enumerate() {
        let Digit::Slice { dimension: DimensionId(dimension), divisor, modulus } = *digit else {
            continue;
        };
        let divisor = i64::try_from(divisor).ok()?;
        let size = match (at, modulus) {
            (0, _) => slowest,
            (_, Some(modulus)) => {
                product = product.checked_mul(i64::try_from(modulus).ok()?)?;
                continue;
            }
            (_, None) => grid.dimensions[dimension as usize].extent?,
        };
        product = product.checked_mul(size.checked_add(divisor - 1)? / divisor)?;
    }
    Some(product)
}

/// The coordinates of a value in the order of the source.
pub(crate) fn unflatten(grid: &Grid, linear: &str, extents: &[String]) -> Vec<String> {
    let extent = |at: usize| match grid.dimensions[at].extent {
        Some(extent) => extent.to_string(),
        None => extents[at - 1].clone(),
    };
    let rank = grid.dimensions.len();
    let mut found = Vec::new();
    for at in 0..rank {
        let behind: Vec<String> = (at + 1..rank).map(extent).collect();
        let shifted = match behind.as_slice() {
            [] => linear.to_owned(),
            [one] => format!("{linear} / {one}"),
            several => format!("{linear} / ((size_t){})", several.join(" * ")),
        };
        let value = if at == 0 {
            shifted
        } else if behind.is_empty() {
            format!("{linear} % {}", extent(at))
        } else {
            format!("{shifted} % {}", extent(at))
        };
        found.push(format!("({value})"));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutc_dataflow::classes::ClassId;
    use layoutc_dataflow::grid::Dimension;
    use std::collections::BTreeMap;

    fn grid(dimensions: &[(&str, Option<i64>)]) -> Grid {
        Grid {
            class: ClassId(0),
            dimensions: dimensions
                .iter()
                .map(|(name, extent)| Dimension { name: (*name).to_owned(), extent: *extent })
                .collect(),
            extents: BTreeMap::new(),
            accesses: BTreeMap::new(),
            functions: BTreeMap::new(),
            assumed: BTreeMap::new(),
            is_declared: false,
        }
    }

    fn slice(dimension: u32, divisor: u64, modulus: Option<u64>) -> Digit {
        Digit::Slice { dimension: DimensionId(dimension), divisor, modulus }
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    /// The running example of Sung et al., §4: D = (⌈ny/32⌉, ⌈nx/128⌉, 4, 32, 128).
    #[test]
    fn the_papers_flattening_function() {
        let grid = grid(&[("y", None), ("x", None), ("e", Some(4))]);
        let digits = [
            slice(0, 32, None),
            slice(1, 128, None),
            slice(2, 1, None),
            slice(0, 1, Some(32)),
            slice(1, 1, Some(128)),
        ];
        let text = place(&grid, &digits, &names(&["y", "x", "e"]), &names(&["nx", "4"]));
        assert_eq!(
            text,
            "((((y >> 5) * ((nx + 127) >> 7) + (x >> 7)) * 4 + e) * 32 + (y & 31)) * 128 + (x & 127)"
        );
        assert_eq!(
            count(&grid, &digits, "n", &names(&["nx", "4"])),
            "((n + 31) / 32) * ((nx + 127) >> 7) * 4 * 32 * 128"
        );
    }

    #[test]
    fn tiles_of_records() {
        let grid = grid(&[("i", None), ("field", Some(9))]);
        let digits = [slice(0, 32, None), slice(1, 1, None), slice(0, 1, Some(32))];
        let text = place(&grid, &digits, &names(&["i", "field"]), &names(&["9"]));
        assert_eq!(text, "((i >> 5) * 9 + field) * 32 + (i & 31)");
        assert_eq!(unflatten(&grid, "at", &names(&["9"])), ["(at / 9)", "(at % 9)"]);
    }
}

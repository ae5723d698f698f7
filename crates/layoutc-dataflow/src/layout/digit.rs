//! Digits: the mixed-radix places that spell the position of a value.

use super::LayoutError;

/// The largest tile size, in elements.
///
/// A tile is a compile-time constant of the generated code; beyond this size it is a plain array.
pub const MAX_TILE: u64 = 65536;

/// An index dimension of a class: 0 is the slowest dimension of the source's subscripts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DimensionId(pub u32);

/// One place of the number that spells a value's position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Digit {
    /// A slice of an index: `(index / divisor) % modulus`, without `%` where `modulus` is `None`.
    Slice {
        /// The sliced dimension.
        dimension: DimensionId,
        /// At least 1.
        divisor: u64,
        /// At least 1; `None` for the slice that holds the highest part of the index.
        modulus: Option<u64>,
    },
    /// The member of the group's struct.
    Field,
    /// The `k`-th subscript of a member array, 0 the slowest.
    Extent(u32),
}

impl Digit {
    /// `i`: the whole index of dimension 0.
    pub(super) const ELEMENT: Digit =
        Digit::Slice { dimension: DimensionId(0), divisor: 1, modulus: None };

    /// `i / tile` of dimension 0.
    pub(super) fn tile_index(tile: u64) -> Digit {
        Digit::Slice { dimension: DimensionId(0), divisor: tile, modulus: None }
    }

    /// `i % tile` of dimension 0.
    pub(super) fn tile_slot(tile: u64) -> Digit {
        Digit::Slice { dimension: DimensionId(0), divisor: 1, modulus: Some(tile) }
    }
}

/// Checks that every dimension below `dimensions` is covered exactly once and no other occurs.
///
/// # Errors
/// [`LayoutError::NoSuchDimension`], [`LayoutError::Coverage`].
pub(super) fn check_dimensions(digits: &[Digit], dimensions: u32) -> Result<(), LayoutError> {
    for digit in digits {
        if let Digit::Slice { dimension, .. } = digit
            && dimension.0 >= dimensions
        {
            return Err(LayoutError::NoSuchDimension(*dimension));
        }
    }
    (0..dimensions).map(DimensionId).try_for_each(|dimension| check_coverage(digits, dimension))
}

/// Checks that the slices of one dimension spell every index exactly once: sorted by divisor they
/// form a chain that starts at 1, in which each divisor is the product of the divisor and modulus
/// before it, and whose last slice alone is unbounded.
fn check_coverage(digits: &[Digit], dimension: DimensionId) -> Result<(), LayoutError> {
    let mut slices: Vec<(u64, bool, u64)> = digits
        .iter()
        .filter_map(|digit| match *digit {
            Digit::Slice { dimension: of, divisor, modulus } if of == dimension => {
                Some((divisor, modulus.is_none(), modulus.unwrap_or(0)))
            }
            _ => None,
        })
        .collect();
    slices.sort_unstable();
    let mut next = Some(1);
    for (divisor, unbounded, modulus) in slices {
        if next != Some(divisor) || (!unbounded && modulus == 0) {
            return Err(LayoutError::Coverage(dimension));
        }
        next = if unbounded { None } else { divisor.checked_mul(modulus) };
        if !unbounded && next.is_none() {
            return Err(LayoutError::Coverage(dimension));
        }
    }
    if next.is_some() { Err(LayoutError::Coverage(dimension)) } else { Ok(()) }
}

/// Drops slices that are always 0 and joins adjacent slices that spell one number.
///
/// An unbounded slice is joined only where it is the slowest digit (but for the extents, which
/// separate arrays): elsewhere the join would take the padding of the last tile away and thereby
/// move what lies behind it.
pub(super) fn canonical(digits: &[Digit]) -> Vec<Digit> {
    let mut result: Vec<Digit> = Vec::with_capacity(digits.len());
    for digit in digits {
        if matches!(digit, Digit::Slice { modulus: Some(1), .. }) {
            continue;
        }
        let slowest = result.iter().rev().skip(1).all(|before| matches!(before, Digit::Extent(_)));
        match (result.last_mut(), *digit) {
            (
                Some(Digit::Slice { dimension: of, divisor: high, modulus: count }),
                Digit::Slice { dimension, divisor, modulus: Some(modulus) },
            ) if *of == dimension && *high == divisor * modulus && (count.is_some() || slowest) => {
                *high = divisor;
                *count = count.map(|count| count * modulus);
            }
            _ => result.push(*digit),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(dimension: u32, divisor: u64, modulus: Option<u64>) -> Digit {
        Digit::Slice { dimension: DimensionId(dimension), divisor, modulus }
    }

    #[test]
    fn chains_cover_and_gaps_or_repetitions_do_not() {
        let check = |digits: &[Digit]| check_dimensions(digits, 1);
        let gap = Err(LayoutError::Coverage(DimensionId(0)));
        assert_eq!(check(&[slice(0, 1, None)]), Ok(()));
        assert_eq!(check(&[slice(0, 6, None), Digit::Field, slice(0, 1, Some(6))]), Ok(()));
        assert_eq!(
            check(&[slice(0, 1, Some(4)), slice(0, 12, None), slice(0, 4, Some(3))]),
            Ok(())
        );
        assert_eq!(check(&[]), gap);
        assert_eq!(check(&[slice(0, 1, Some(4))]), gap);
        assert_eq!(check(&[slice(0, 8, None), slice(0, 1, Some(4))]), gap);
        assert_eq!(check(&[slice(0, 1, None), slice(0, 1, None)]), gap);
        assert_eq!(check(&[slice(0, 4, None), slice(0, 1, Some(4)), slice(0, 1, Some(4))]), gap);
        assert_eq!(check(&[slice(0, 0, None), slice(0, 1, Some(0))]), gap);
        assert_eq!(
            check(&[slice(0, 1, None), slice(1, 1, None)]),
            Err(LayoutError::NoSuchDimension(DimensionId(1)))
        );
    }

    #[test]
    fn joins_move_no_value() {
        let element = slice(0, 1, None);
        assert_eq!(canonical(&[slice(0, 32, None), slice(0, 1, Some(32))]), [element]);
        assert_eq!(canonical(&[element, slice(0, 1, Some(1))]), [element]);
        let padded = [slice(1, 1, None), slice(0, 32, None), slice(0, 1, Some(32))];
        assert_eq!(canonical(&padded), padded);
        assert_eq!(
            canonical(&[
                slice(0, 12, None),
                Digit::Field,
                slice(0, 4, Some(3)),
                slice(0, 1, Some(4))
            ]),
            [slice(0, 12, None), Digit::Field, slice(0, 1, Some(12))]
        );
    }
}

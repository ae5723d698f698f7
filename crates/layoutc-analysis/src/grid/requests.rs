//! What a layout costs: the pieces of memory that the requests of a warp touch.
//!
//! Addresses are computed from the matrices and the digits at extents that are given; nothing is run.

use super::{AccessMatrix, AccessRow, Auxiliary, Axis, Column, GridShape, Launch, Offset};
use layoutc_dataflow::layout::{Digit, DimensionId};
use std::collections::{BTreeMap, BTreeSet};

/// Warps whose requests are counted together.
const MOST_WARPS: u64 = 4096;

/// What addresses are computed for.
#[derive(Clone, Debug)]
pub struct Setting<'a> {
    /// The grid.
    pub shape: &'a GridShape,
    /// Extents, slowest first, as many as the grid has dimensions; each at least 1.
    pub extents: Vec<u64>,
    /// The launch.
    pub launch: &'a Launch,
    /// Lanes of a warp.
    pub warp: u32,
}

/// A block and the number of a warp in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct WarpId {
    /// `blockIdx`.
    pub block: [u64; 3],
    /// 0 is the warp of thread 0.
    pub warp: u64,
}

impl Setting<'_> {
    /// The coordinates that one thread accesses.
    fn coordinates(&self, matrix: &AccessMatrix, block: [u64; 3], thread: [u64; 3]) -> Vec<u64> {
        let value = |column: &Column| match column {
            Column::Thread(axis) => thread[axis.index()],
            Column::Block(axis) => block[axis.index()],
            Column::Loop(_) => 0,
        };
        matrix
            .rows
            .iter()
            .zip(&self.extents)
            .map(|(row, extent)| {
                let sum = self.row_value(row, &value);
                // Around the borders: what is asked is how lanes differ.
                let extent = i128::from((*extent).max(1));
                u64::try_from(sum.rem_euclid(extent)).unwrap_or(0)
            })
            .collect()
    }

    fn row_value(&self, row: &AccessRow, value: &dyn Fn(&Column) -> u64) -> i128 {
        let affine: i128 = row
            .coefficients
            .iter()
            .map(|(column, factor)| {
                // A factor that nobody knows is that of a long row; a fraction is that of its first
                // threads.
                let factor = self.launch.value_of(factor).map_or_else(
                    || if factor.to_string().contains("1/") { 0 } else { 1000 },
                    i128::from,
                );
                factor * i128::from(value(column))
            })
            .sum();
        let parity: i128 = row
            .auxiliary
            .iter()
            .map(|auxiliary| match auxiliary {
                Auxiliary::Parity { modulus, of } => {
                    let sum: u64 = of.iter().map(value).sum();
                    i128::from(sum % (*modulus).max(1))
                }
                Auxiliary::Wrap | Auxiliary::Clamp | Auxiliary::Opaque(_) => 0,
            })
            .sum();
        let offset = match row.offset {
            Offset::Known(offset) => i128::from(offset),
            Offset::Opaque(_) => 0,
        };
        affine + parity + offset
    }

    /// The place of a value, in values.
    fn place(&self, digits: &[Digit], coordinates: &[u64]) -> u128 {
        digits.iter().fold(0, |place, digit| {
            let Digit::Slice { dimension: DimensionId(dimension), divisor, modulus } = *digit
            else {
                return place;
            };
            let (dimension, divisor) = (dimension as usize, divisor.max(1));
            let high = coordinates[dimension] / divisor;
            let (value, count) = match modulus {
                Some(modulus) => (high % modulus.max(1), modulus.max(1)),
                None => (high, self.extents[dimension].div_ceil(divisor).max(1)),
            };
            place * u128::from(count) + u128::from(value)
        })
    }

    /// How many values the digits have room for, padding included.
    #[must_use]
    pub fn size(&self, digits: &[Digit]) -> u128 {
        digits
            .iter()
            .map(|digit| match *digit {
                Digit::Slice { modulus: Some(modulus), .. } => u128::from(modulus.max(1)),
                Digit::Slice { dimension: DimensionId(dimension), divisor, modulus: None } => {
                    u128::from(self.extents[dimension as usize].div_ceil(divisor.max(1)).max(1))
                }
                Digit::Field | Digit::Extent(_) => 1,
            })
            .product()
    }

    /// The first bytes of the values that the lanes of a warp access.
    #[must_use]
    pub fn addresses(&self, matrix: &AccessMatrix, digits: &[Digit], warp: WarpId) -> Vec<u128> {
        let [x, y, z] = self.launch.block.map(|size| size.max(1));
        let first = warp.warp * u64::from(self.warp);
        (first..first + u64::from(self.warp))
            .filter(|number| *number < x.saturating_mul(y).saturating_mul(z))
            .map(|number| {
                let thread = [number % x, number / x % y, number / x / y];
                let coordinates = self.coordinates(matrix, warp.block, thread);
                self.place(digits, &coordinates) * u128::from(self.shape.value_bytes)
            })
            .collect()
    }

    /// How many pieces of `bytes` bytes a warp's request touches.
    #[must_use]
    pub fn transactions(
        &self,
        matrix: &AccessMatrix,
        digits: &[Digit],
        warp: WarpId,
        bytes: u64,
    ) -> usize {
        let bytes = u128::from(bytes.max(1));
        let last = u128::from(self.shape.value_bytes.max(1)) - 1;
        let pieces: BTreeSet<u128> = self
            .addresses(matrix, digits, warp)
            .into_iter()
            .flat_map(|address| address / bytes..=(address + last) / bytes)
            .collect();
        pieces.len()
    }

    /// All warps of the blocks that run at once, up to a number that is enough for statistics.
    #[must_use]
    pub fn warps_in_flight(&self) -> Vec<WarpId> {
        let [x, y, _] = Axis::ALL.map(|axis| self.blocks_along(axis));
        let warps = self.launch.threads().div_ceil(u64::from(self.warp.max(1))).max(1);
        (0..self.launch.active_blocks.saturating_mul(warps).min(MOST_WARPS))
            .map(|number| {
                let (block, warp) = (number / warps, number % warps);
                WarpId { block: [block % x, block / x % y, block / x / y], warp }
            })
            .collect()
    }

    /// Blocks along an axis: as the launch says, or as many as are thought to be at least there.
    fn blocks_along(&self, axis: Axis) -> u64 {
        self.launch.grid[axis.index()].unwrap_or(u64::MAX / 4).max(1)
    }

    /// Blocks of the launch: those that it names, or as many as cover the extents.
    #[must_use]
    pub fn covering(&self, matrices: &[AccessMatrix]) -> [Option<u64>; 3] {
        Axis::ALL.map(|axis| {
            let steps = |matrix: &AccessMatrix| {
                matrix.rows.iter().zip(&self.extents).find_map(|(row, extent)| {
                    let factor = row.coefficients.get(&Column::Block(axis))?;
                    let step = self.launch.value_of(factor)?.unsigned_abs().max(1);
                    Some(extent.div_ceil(step))
                })
            };
            self.launch.grid[axis.index()].or_else(|| matrices.iter().find_map(steps)).or(Some(1))
        })
    }

    /// How unevenly the requests that are in flight together load the values of some address bits: the
    /// busiest value's requests, in those that it would get if all got the same; and how many values
    /// are used. Averages over the accesses.
    #[must_use]
    pub fn spread(
        &self,
        matrices: &[AccessMatrix],
        digits: &[Digit],
        bits: crate::device::BitRange,
        burst: u64,
    ) -> (f64, f64) {
        let of = (1_u64 << (bits.high + 1 - bits.low)) as f64;
        let (mut peak, mut used) = (0.0, 0.0);
        for matrix in matrices {
            let found = self.steering_histogram(matrix, digits, bits, burst);
            let all: usize = found.values().sum();
            let most = found.values().max().copied().unwrap_or(0);
            peak += most as f64 * of / all.max(1) as f64;
            used += found.len() as f64;
        }
        let count = matrices.len().max(1) as f64;
        (peak / count, used / count)
    }

    /// How many requests of concurrent warps each combination of the steering bits serves.
    #[must_use]
    pub fn steering_histogram(
        &self,
        matrix: &AccessMatrix,
        digits: &[Digit],
        bits: crate::device::BitRange,
        burst: u64,
    ) -> BTreeMap<u128, usize> {
        let mask = (1_u128 << (bits.high + 1 - bits.low)) - 1;
        let mut found = BTreeMap::new();
        for warp in self.warps_in_flight() {
            let bursts: BTreeSet<u128> = self
                .addresses(matrix, digits, warp)
                .into_iter()
                .map(|address| address / u128::from(burst.max(1)))
                .collect();
            for piece in bursts {
                let key = (piece * u128::from(burst.max(1))) >> bits.low & mask;
                *found.entry(key).or_default() += 1;
            }
        }
        found
    }
}

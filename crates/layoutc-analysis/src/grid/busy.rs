//! Busy bits: which bits of each subscript differ among requests that are in flight together.

use super::{Axis, Coefficient, Column, CommonPattern, PatternRow};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// How a kernel is launched.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Launch {
    /// Threads of a block along x, y and z; each at least 1.
    pub block: [u64; 3],
    /// Blocks of the launch along x, y and z, where they are known.
    pub grid: [Option<u64>; 3],
    /// Blocks that the device runs at once; at least 1.
    pub active_blocks: u64,
    /// Values of other symbols in coefficients, where they are known.
    pub symbols: BTreeMap<String, i64>,
}

impl Launch {
    /// A launch of which only the block and the number of active blocks are known.
    #[must_use]
    pub fn new(block: [u64; 3], active_blocks: u64) -> Launch {
        Launch { block, grid: [None; 3], active_blocks, symbols: BTreeMap::new() }
    }

    /// Threads of a block.
    #[must_use]
    pub fn threads(&self) -> u64 {
        self.block.iter().fold(1, |product, size| product.saturating_mul(*size))
    }

    /// The value of a coefficient.
    pub(super) fn value_of(&self, coefficient: &Coefficient) -> Option<i64> {
        coefficient.evaluate(&|symbol| {
            let along = |prefix: &str| {
                let axis = symbol.strip_prefix(prefix)?;
                Axis::ALL.into_iter().find(|known| known.to_string() == axis)
            };
            let size = match (along("blockDim."), along("gridDim.")) {
                (Some(axis), _) => Some(self.block[axis.index()]),
                (None, Some(axis)) => self.grid[axis.index()],
                (None, None) => return self.symbols.get(symbol).copied(),
            };
            size.and_then(|size| i64::try_from(size).ok())
        })
    }

    /// How many values each index has among the requests in flight, as far as that is known.
    ///
    /// Blocks are issued with x fastest, so a window of active blocks fills the launch along x
    /// before it reaches a second row. An axis whose extent is not known is taken to be longer than
    /// the window if a subscript depends on it, and to be 1 if none does.
    fn concurrent_values(&self, pattern: &CommonPattern) -> BTreeMap<Column, u64> {
        let is_used = |column: &Column| {
            pattern.rows.iter().any(|row| {
                row.coefficients.contains_key(column)
                    || row.parities.iter().any(|parity| parity.of.contains(column))
            })
        };
        let mut values = BTreeMap::new();
        let mut left = self.active_blocks;
        for axis in Axis::ALL {
            values.insert(Column::Thread(axis), self.block[axis.index()]);
            let block = Column::Block(axis);
            let extent = match self.grid[axis.index()] {
                Some(extent) => extent.max(1),
                None if is_used(&block) => u64::MAX,
                None => 1,
            };
            values.insert(block, left.min(extent));
            left = left.div_ceil(extent);
        }
        values
    }
}

/// One busy bit of a subscript.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BusyBit {
    /// The bit of the subscript, 0 the lowest.
    pub bit: u32,
    /// The thread and block indices that make it vary.
    pub drivers: BTreeSet<Column>,
}

impl BusyBit {
    /// Whether threads of one block differ in it; otherwise only blocks do.
    #[must_use]
    pub fn is_thread_driven(&self) -> bool {
        self.drivers.iter().any(|driver| matches!(driver, Column::Thread(_)))
    }
}

/// The collective busy bits of one subscript.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct BusyBits {
    /// Lowest first.
    pub bits: Vec<BusyBit>,
    /// Columns that make some bits vary, nobody knows which: the value of their factor is unknown.
    pub unknown: Vec<Column>,
}

impl BusyBits {
    /// The entry of a bit, if it is busy.
    #[must_use]
    pub fn bit(&self, bit: u32) -> Option<&BusyBit> {
        self.bits.iter().find(|busy| busy.bit == bit)
    }
}

/// The busy bits of every subscript, slowest dimension first.
///
/// A column with `n` concurrent values and the factor `c` makes the bits from the lowest set bit of
/// `c` up to the binary logarithm of `|c| n` vary. For powers of two these are `log2 n` bits shifted
/// by `log2 c`, as in the paper.
///
/// Source: Sung, Stratton, Hwu, PACT 2010, §5.2.1 and §5.2.2, steps 3a and 3b.
#[must_use]
pub fn busy_bits(pattern: &CommonPattern, launch: &Launch) -> Vec<BusyBits> {
    let values = launch.concurrent_values(pattern);
    pattern.rows.iter().map(|row| busy_bits_of(row, launch, &values)).collect()
}

fn busy_bits_of(row: &PatternRow, launch: &Launch, values: &BTreeMap<Column, u64>) -> BusyBits {
    let mut drivers: BTreeMap<u32, BTreeSet<Column>> = BTreeMap::new();
    let mut unknown = Vec::new();
    for (column, coefficient) in &row.coefficients {
        let Some(count) = values.get(column).copied().filter(|count| *count > 1) else { continue };
        let Some(factor) = launch.value_of(coefficient) else {
            unknown.push(column.clone());
            continue;
        };
        let factor = factor.unsigned_abs();
        if factor == 0 {
            continue;
        }
        let top = nearest_log2(u128::from(factor) * u128::from(count));
        for bit in factor.trailing_zeros()..top {
            drivers.entry(bit).or_default().insert(column.clone());
        }
    }
    for parity in &row.parities {
        let parallel =
            parity.of.iter().filter(|column| values.get(*column).is_some_and(|count| *count > 1));
        for column in parallel {
            for bit in 0..nearest_log2(u128::from(parity.modulus)) {
                drivers.entry(bit).or_default().insert(column.clone());
            }
        }
    }
    let bits = drivers.into_iter().map(|(bit, drivers)| BusyBit { bit, drivers }).collect();
    BusyBits { bits, unknown }
}

/// The binary logarithm, rounded to the nearest integer; 0 for 0. Below 2⁶³ squares are compared, so
/// that no floating-point number decides.
pub(super) fn nearest_log2(number: u128) -> u32 {
    let Some(floor) = number.checked_ilog2() else { return 0 };
    match number.checked_mul(number) {
        Some(square) if floor < 63 => floor + u32::from(square >= 1 << (2 * floor + 1)),
        _ => floor,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(terms: &[(Column, i64)]) -> PatternRow {
        let terms = terms.iter().map(|(column, factor)| (column.clone(), (*factor).into()));
        PatternRow { coefficients: terms.collect(), parities: Vec::new() }
    }

    fn bits(row: PatternRow, launch: &Launch) -> Vec<u32> {
        let busy = busy_bits(&CommonPattern { rows: vec![row] }, launch);
        busy[0].bits.iter().map(|busy| busy.bit).collect()
    }

    #[test]
    fn logarithms_round_to_the_nearest() {
        let cases = [(0, 0), (1, 0), (2, 1), (3, 2), (4, 2), (5, 2), (6, 3), (24, 5), (17, 4)];
        for (number, log) in cases {
            assert_eq!(nearest_log2(number), log, "{number}");
        }
        assert_eq!(nearest_log2(u128::MAX), 127);
        assert_eq!(nearest_log2((1 << 64) - 1), 63);
    }

    #[test]
    fn threads_blocks_and_their_sum() {
        let launch = Launch::new([128, 1, 1], 32);
        let (thread, block) = (Column::Thread(Axis::X), Column::Block(Axis::X));
        assert_eq!(bits(row(&[(thread.clone(), 1)]), &launch), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(bits(row(&[(block.clone(), 1)]), &launch), [0, 1, 2, 3, 4]);
        let whole: Vec<u32> = (0..12).collect();
        assert_eq!(bits(row(&[(thread.clone(), 1), (block.clone(), 128)]), &launch), whole);
        assert_eq!(bits(row(&[(block.clone(), 128)]), &launch), [7, 8, 9, 10, 11]);
        assert_eq!(bits(row(&[(thread.clone(), -2)]), &launch), [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(bits(row(&[(Column::Loop("k".to_owned()), 1)]), &launch), [0; 0]);
        // 3 t for t below 128 reaches every bit up to that of 381.
        assert_eq!(bits(row(&[(thread, 3)]), &launch), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn symbols_come_from_the_launch() {
        let mut launch = Launch::new([64, 1, 1], 16);
        let block = Column::Block(Axis::X);
        let of = |symbol: &str| PatternRow {
            coefficients: [(block.clone(), Coefficient::symbol(symbol))].into(),
            parities: Vec::new(),
        };
        assert_eq!(bits(of("blockDim.x"), &launch), [6, 7, 8, 9]);
        assert_eq!(bits(of("width"), &launch), [0; 0]);
        let busy = busy_bits(&CommonPattern { rows: vec![of("width")] }, &launch);
        assert_eq!(busy[0].unknown, std::slice::from_ref(&block));
        launch.symbols.insert("width".to_owned(), 8);
        assert_eq!(bits(of("width"), &launch), [3, 4, 5, 6]);
    }

    #[test]
    fn active_blocks_fill_the_launch_along_x_first() {
        let rows = vec![row(&[(Column::Block(Axis::Y), 1)]), row(&[(Column::Block(Axis::X), 1)])];
        let pattern = CommonPattern { rows };
        let mut launch = Launch::new([32, 1, 1], 64);
        let counts = |launch: &Launch| -> Vec<usize> {
            busy_bits(&pattern, launch).iter().map(|busy| busy.bits.len()).collect()
        };
        assert_eq!(counts(&launch), [0, 6]);
        launch.grid = [Some(8), None, None];
        assert_eq!(counts(&launch), [3, 3]);
        // Nothing depends on the x of the block: one row of blocks is one block.
        let alone = CommonPattern { rows: pattern.rows[..1].to_vec() };
        assert_eq!(busy_bits(&alone, &Launch::new([32, 1, 1], 64))[0].bits.len(), 6);
    }

    #[test]
    fn red_black_orders_make_the_lowest_bit_busy() {
        let parity = |of| super::super::Parity { modulus: 2, of: vec![of] };
        let mut red = row(&[(Column::Thread(Axis::X), 2)]);
        let launch = Launch::new([32, 1, 1], 8);
        assert_eq!(bits(red.clone(), &launch), [1, 2, 3, 4, 5]);
        red.parities.push(parity(Column::Loop("z".to_owned())));
        assert_eq!(bits(red.clone(), &launch), [1, 2, 3, 4, 5]);
        red.parities.push(parity(Column::Block(Axis::X)));
        assert_eq!(bits(red, &launch), [0, 1, 2, 3, 4, 5]);
    }
}

//! Layouts of structured grids: the paper's example, devices without steering bits, and laws.

mod eligibility;
mod laws;
mod layouts;

use layoutc_analysis::device::Device;
use layoutc_analysis::grid::{
    AccessId, AccessMatrix, AccessRow, Axis, Coefficient, Column, CommonPattern, Extent,
    GridDimension, GridShape, Offset, PatternRow,
};

/// `threadIdx.x`.
pub const TX: Column = Column::Thread(Axis::X);
/// `threadIdx.y`.
pub const TY: Column = Column::Thread(Axis::Y);
/// `blockIdx.x`.
pub const BX: Column = Column::Block(Axis::X);
/// `blockIdx.y`.
pub const BY: Column = Column::Block(Axis::Y);

/// A built-in device.
pub fn device(name: &str) -> Device {
    Device::built_in(name).expect("a built-in device")
}

/// A subscript.
pub fn row(terms: &[(Column, i64)], offset: &str) -> AccessRow {
    let terms = terms.iter().map(|(column, factor)| (column.clone(), Coefficient::from(*factor)));
    AccessRow::affine(terms, Offset::Opaque(offset.to_owned())).expect("small factors")
}

/// An access.
pub fn access(id: u32, rows: Vec<AccessRow>) -> AccessMatrix {
    AccessMatrix { id: AccessId(id), rows }
}

/// A pattern of constant factors.
pub fn pattern(rows: &[&[(Column, i64)]]) -> CommonPattern {
    let rows = rows.iter().map(|terms| PatternRow {
        coefficients: row(terms, "0").coefficients,
        parities: Vec::new(),
    });
    CommonPattern { rows: rows.collect() }
}

/// A grid of 4-byte values; extents that are numbers are constants.
pub fn grid(dimensions: &[(&str, &str)]) -> GridShape {
    let dimension = |(name, extent): &(&str, &str)| {
        let extent = match extent.parse() {
            Ok(extent) => Extent::Constant(extent),
            Err(_) => Extent::Symbolic((*extent).to_owned()),
        };
        GridDimension::new(name, extent)
    };
    let dimensions = dimensions.iter().map(dimension).collect();
    GridShape { dimensions, value_bytes: 4, is_record: false }
}

/// Sung et al.'s running example: `A0[ny][nx][4]`, one block per row, one thread per column.
pub fn running_example() -> (GridShape, Vec<AccessMatrix>) {
    let grid = grid(&[("j", "ny"), ("i", "nx"), ("f", "4")]);
    let at = |id, rows: &str, columns: &str, field| {
        access(id, vec![row(&[(BX, 1)], rows), row(&[(TX, 1)], columns), row(&[], field)])
    };
    let accesses = vec![
        at(0, "1", "1", "E"),
        at(1, "1", "1", "W"),
        at(2, "1", "1", "N"),
        at(3, "1", "1", "S"),
        at(4, "1", "0", "E"),
        at(5, "1", "2", "W"),
        at(6, "0", "1", "N"),
        at(7, "2", "1", "S"),
    ];
    (grid, accesses)
}

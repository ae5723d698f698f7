//! Accesses to a grid as matrices.

use super::{Axis, Coefficient};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;

/// An access, as the caller numbers them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
pub struct AccessId(pub u32);

/// An index that subscripts are made of: a column of the matrix.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Column {
    /// `blockIdx`.
    Block(Axis),
    /// `threadIdx`.
    Thread(Axis),
    /// The index of a sequential loop. The name tells loops apart; indices of two loops with one
    /// name are the same column.
    Loop(String),
}

impl fmt::Display for Column {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Column::Block(axis) => write!(out, "blockIdx.{axis}"),
            Column::Thread(axis) => write!(out, "threadIdx.{axis}"),
            Column::Loop(name) => out.write_str(name),
        }
    }
}

impl Serialize for Column {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What is added to a subscript and varies with no column: the constant column of the matrix.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Offset {
    /// An integer, such as the 1 of `[x + 1]` or the number of an enumerator.
    Known(i64),
    /// Anything else that is the same in all threads, by its text.
    Opaque(String),
}

impl fmt::Display for Offset {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Offset::Known(value) => write!(out, "{value}"),
            Offset::Opaque(text) => out.write_str(text),
        }
    }
}

/// A part of a subscript that is not affine.
///
/// Whether the rewriting of such an access is right is not asked here; a layout serves it well or
/// badly. What is asked is which bits of the subscript vary.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Auxiliary {
    /// `(affine) % extent`: the affine form but for the threads at the border.
    Wrap,
    /// `min(affine, extent - 1)`, `max(affine, 0)` and conditionals that mean them: the affine form
    /// but for the threads at the border.
    Clamp,
    /// `+ (other & (modulus - 1))`, as of red-black orders: an index of its own with values below
    /// `modulus`.
    Parity {
        /// At least 2.
        modulus: u64,
        /// The columns that `other` is made of.
        of: Vec<Column>,
    },
    /// No form is known; the text names it to the user. A grid with such an access is not eligible.
    Opaque(String),
}

/// One subscript: a row of the matrix.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct AccessRow {
    /// Factors of the columns; a column that is missing has 0.
    pub coefficients: BTreeMap<Column, Coefficient>,
    /// The constant column.
    pub offset: Offset,
    /// What is not affine; it is not part of `coefficients`, but for `Wrap` and `Clamp`, whose
    /// affine operand is.
    pub auxiliary: Vec<Auxiliary>,
}

impl AccessRow {
    /// An affine subscript. Columns with factor 0 are dropped, and factors of a column added; `None`
    /// if a sum exceeds 64 bits.
    #[must_use]
    pub fn affine(
        terms: impl IntoIterator<Item = (Column, Coefficient)>,
        offset: Offset,
    ) -> Option<AccessRow> {
        let mut coefficients: BTreeMap<Column, Coefficient> = BTreeMap::new();
        for (column, factor) in terms {
            let entry = coefficients.entry(column).or_default();
            *entry = entry.checked_add(&factor)?;
        }
        coefficients.retain(|_, factor| !factor.is_zero());
        Some(AccessRow { coefficients, offset, auxiliary: Vec::new() })
    }

    /// The same subscript with a part that is not affine.
    #[must_use]
    pub fn with(mut self, auxiliary: Auxiliary) -> AccessRow {
        self.auxiliary.push(auxiliary);
        self
    }
}

/// An access to a grid: one row per dimension, slowest first.
///
/// Source: Sung, Stratton, Hwu, PACT 2010, §5.2.2, step 1.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct AccessMatrix {
    /// Which access.
    pub id: AccessId,
    /// The subscripts, slowest dimension first.
    pub rows: Vec<AccessRow>,
}

impl fmt::Display for AccessMatrix {
    /// `[1 0 1; 0 1 1; 0 0 E] (blockIdx.x, threadIdx.x, 1)`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows: Vec<_> = self.rows.iter().map(|row| &row.coefficients).collect();
        let offsets = self.rows.iter().map(|row| row.offset.to_string()).collect();
        write_matrix(out, &rows, Some(offsets))
    }
}

/// Writes a matrix and its columns; columns that no row uses are left out.
pub(super) fn write_matrix(
    out: &mut fmt::Formatter<'_>,
    rows: &[&BTreeMap<Column, Coefficient>],
    offsets: Option<Vec<String>>,
) -> fmt::Result {
    let mut columns: Vec<&Column> = rows.iter().flat_map(|row| row.keys()).collect();
    columns.sort_unstable();
    columns.dedup();
    let zero = Coefficient::default();
    let text = |(at, row): (usize, &&BTreeMap<Column, Coefficient>)| {
        let factors = columns.iter().map(|column| row.get(column).unwrap_or(&zero).to_string());
        let offset = offsets.as_ref().map(|offsets| offsets[at].clone());
        factors.chain(offset).collect::<Vec<String>>().join(" ")
    };
    let rows: Vec<String> = rows.iter().enumerate().map(text).collect();
    let one = offsets.as_ref().map(|_| "1".to_owned());
    let columns: Vec<String> = columns.iter().map(ToString::to_string).chain(one).collect();
    write!(out, "[{}] ({})", rows.join("; "), columns.join(", "))
}

//! The common access pattern of all accesses to a grid.

use super::access::write_matrix;
use super::{AccessId, AccessMatrix, AccessRow, Auxiliary, Axis, Coefficient, Column};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// An index with few values that is added to a subscript: see [`Auxiliary::Parity`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
pub struct Parity {
    /// Its values are below this.
    pub modulus: u64,
    /// The columns that it is made of.
    pub of: Vec<Column>,
}

/// One subscript of a common access pattern.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct PatternRow {
    /// Factors of the columns; a column that is missing has 0.
    pub coefficients: BTreeMap<Column, Coefficient>,
    /// Auxiliary indices of any of the accesses.
    pub parities: Vec<Parity>,
}

/// What all accesses to a grid have in common: the matrix without its constant column.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct CommonPattern {
    /// One row per dimension, slowest first.
    pub rows: Vec<PatternRow>,
}

impl fmt::Display for CommonPattern {
    /// `[1 0; 0 1; 0 0] (blockIdx.x, threadIdx.x)`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows: Vec<_> = self.rows.iter().map(|row| &row.coefficients).collect();
        write_matrix(out, &rows, None)
    }
}

/// Which columns must agree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Agreement {
    /// All but the constant one, as in the paper.
    All,
    /// Those of threads and blocks. Loop indices have no busy bits, so a grid whose accesses differ
    /// in them alone has one best layout.
    Parallel,
    /// As before, and a subscript that is the same in all threads agrees with any: a row or a point of
    /// the grid has no busy bits that could contradict.
    Covered,
    /// Those of `threadIdx.x` alone, where no steering is modelled: what the lanes of a warp differ in.
    /// A subscript that is the same in all lanes agrees with any.
    Lanes,
}

impl Agreement {
    fn ignores_uniform_rows(self) -> bool {
        matches!(self, Agreement::Covered | Agreement::Lanes)
    }
}

/// Accesses with one pattern.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PatternUse {
    /// The pattern.
    pub pattern: CommonPattern,
    /// Its accesses, in the order given.
    pub accesses: Vec<AccessId>,
}

/// Why a grid has no common access pattern.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ineligible {
    /// There is no access.
    NoAccess,
    /// Two accesses have different numbers of subscripts.
    Rank {
        /// The first access.
        first: AccessId,
        /// The first one that differs.
        second: AccessId,
    },
    /// A subscript has no form.
    NotAffine {
        /// The access.
        access: AccessId,
        /// The subscript, 0 the slowest.
        dimension: u32,
        /// The expression.
        text: String,
    },
    /// Two accesses have different columns. None is chosen.
    Several {
        /// The first access.
        first: AccessId,
        /// The first one that differs from it.
        second: AccessId,
        /// The subscript in which they differ, 0 the slowest.
        dimension: u32,
        /// The column in which they differ.
        column: Column,
        /// All patterns, in the order of their first accesses.
        patterns: Vec<PatternUse>,
    },
}

impl fmt::Display for Ineligible {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAccess => write!(out, "no kernel accesses the grid"),
            Self::Rank { first, second } => write!(
                out,
                "accesses {} and {} have different numbers of subscripts",
                first.0, second.0
            ),
            Self::NotAffine { access, dimension, text } => write!(
                out,
                "subscript {dimension} of access {}, `{text}`, is no affine form of thread, block and loop indices",
                access.0
            ),
            Self::Several { first, second, dimension, column, patterns } => write!(
                out,
                "accesses {} and {} have different factors of {column} in subscript {dimension}; there are {} patterns",
                first.0,
                second.0,
                patterns.len()
            ),
        }
    }
}

impl std::error::Error for Ineligible {}

/// The access pattern that all accesses have in common.
///
/// # Errors
/// The reason why there is none, with the accesses that it is about.
///
/// Source: Sung, Stratton, Hwu, PACT 2010, §5.2.2, step 2.
pub fn common_pattern(
    accesses: &[AccessMatrix],
    agreement: Agreement,
) -> Result<CommonPattern, Ineligible> {
    let Some(first) = accesses.first() else { return Err(Ineligible::NoAccess) };
    if let Some(second) = accesses.iter().find(|other| other.rows.len() != first.rows.len()) {
        return Err(Ineligible::Rank { first: first.id, second: second.id });
    }
    for access in accesses {
        for (dimension, row) in access.rows.iter().enumerate() {
            let opaque = row.auxiliary.iter().find_map(|auxiliary| match auxiliary {
                Auxiliary::Opaque(text) => Some(text.clone()),
                Auxiliary::Wrap | Auxiliary::Clamp | Auxiliary::Parity { .. } => None,
            });
            if let Some(text) = opaque {
                let dimension = dimension as u32;
                return Err(Ineligible::NotAffine { access: access.id, dimension, text });
            }
        }
    }
    // What agrees with an empty row need not agree with another that does.
    let compared_to = if agreement.ignores_uniform_rows() { accesses } else { &accesses[..1] };
    let difference = compared_to.iter().find_map(|first| {
        accesses.iter().find_map(|other| {
            let (dimension, column) = first_difference(first, other, agreement)?;
            Some((first.id, other.id, dimension, column))
        })
    });
    match difference {
        None => Ok(pattern_of(accesses, agreement)),
        Some((first, second, dimension, column)) => {
            let patterns = patterns(accesses, agreement);
            Err(Ineligible::Several { first, second, dimension, column, patterns })
        }
    }
}

/// The accesses by pattern, in the order of their first accesses. They must have one rank.
fn patterns(accesses: &[AccessMatrix], agreement: Agreement) -> Vec<PatternUse> {
    let mut classes: Vec<Vec<AccessMatrix>> = Vec::new();
    for access in accesses {
        let known = classes.iter_mut().find(|class| {
            class.iter().all(|own| first_difference(own, access, agreement).is_none())
        });
        match known {
            Some(class) => class.push(access.clone()),
            None => classes.push(vec![access.clone()]),
        }
    }
    let pattern_use = |class: &Vec<AccessMatrix>| PatternUse {
        pattern: pattern_of(class, agreement),
        accesses: class.iter().map(|access| access.id).collect(),
    };
    classes.iter().map(pattern_use).collect()
}

fn is_compared(column: &Column, agreement: Agreement) -> bool {
    match (agreement, column) {
        (Agreement::All, _) | (_, Column::Thread(Axis::X)) => true,
        (Agreement::Lanes, _) | (_, Column::Loop(_)) => false,
        (Agreement::Parallel | Agreement::Covered, Column::Block(_) | Column::Thread(_)) => true,
    }
}

fn compared(row: &AccessRow, agreement: Agreement) -> BTreeMap<Column, Coefficient> {
    let columns = row.coefficients.iter();
    columns
        .filter(|(column, factor)| is_compared(column, agreement) && !factor.is_zero())
        .map(|(column, factor)| (column.clone(), factor.clone()))
        .collect()
}

fn first_difference(
    left: &AccessMatrix,
    right: &AccessMatrix,
    agreement: Agreement,
) -> Option<(u32, Column)> {
    left.rows.iter().zip(&right.rows).enumerate().find_map(|(dimension, (left, right))| {
        let (left, right) = (compared(left, agreement), compared(right, agreement));
        if agreement.ignores_uniform_rows() && (left.is_empty() || right.is_empty()) {
            return None;
        }
        let differs = |column: &&Column| left.get(*column) != right.get(*column);
        let column = left.keys().chain(right.keys()).filter(differs).min()?;
        Some((dimension as u32, column.clone()))
    })
}

/// The pattern of accesses that agree.
fn pattern_of(accesses: &[AccessMatrix], agreement: Agreement) -> CommonPattern {
    let rows = accesses[0].rows.iter().enumerate().map(|(at, row)| {
        let parities = accesses.iter().flat_map(|access| &access.rows[at].auxiliary);
        let mut parities: Vec<Parity> = parities
            .filter_map(|auxiliary| match auxiliary {
                Auxiliary::Parity { modulus, of } => {
                    Some(Parity { modulus: *modulus, of: of.clone() })
                }
                Auxiliary::Wrap | Auxiliary::Clamp | Auxiliary::Opaque(_) => None,
            })
            .collect();
        parities.sort_unstable();
        parities.dedup();
        let own = accesses.iter().map(|access| compared(&access.rows[at], agreement));
        let coefficients = if agreement.ignores_uniform_rows() {
            own.into_iter().find(|own| !own.is_empty()).unwrap_or_default()
        } else {
            compared(row, agreement)
        };
        PatternRow { coefficients, parities }
    });
    CommonPattern { rows: rows.collect() }
}

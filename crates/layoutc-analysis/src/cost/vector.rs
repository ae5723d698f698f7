//! Costs by how many loops of unknown length enclose what is paid for.
//!
//! Source: Peng, Grossman, Sarkar, PMBS 2016, §IV-H. The *complexity degree* of an access is the number of
//! enclosing loops whose length the text does not say. Its cost goes into the entry of its degree, and
//! costs compare from the highest degree down.
//!
//! Decided where the text misleads:
//!
//! - The comparison reaches entry 0: the paper prints `0 < m <= n`, by which two vectors that differ in
//!   entry 0 alone would be unordered.
//! - The complexity vector `(0, 0, 1, 0)` of the paper's example has an entry for each of three loops,
//!   although one has a known length. Entries above the highest degree are zero and change no order, so
//!   vectors here have a fixed length.

use serde::ser::{Serialize, SerializeSeq, Serializer};
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, AddAssign, Mul};

/// The highest degree that has an entry of its own; what is deeper is counted there.
pub const MAX_DEGREE: usize = 5;

/// What is paid at each complexity degree.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct CostVector([f64; MAX_DEGREE + 1]);

impl CostVector {
    /// Nothing.
    pub const ZERO: CostVector = CostVector([0.0; MAX_DEGREE + 1]);

    /// A cost at one degree.
    #[must_use]
    pub fn at(degree: usize, cost: f64) -> CostVector {
        let mut vector = CostVector::ZERO;
        vector.0[degree.min(MAX_DEGREE)] = cost;
        vector
    }

    /// The entries, that of degree 0 first, up to the last that is not zero; at least one.
    #[must_use]
    pub fn entries(&self) -> &[f64] {
        let last = self.0.iter().rposition(|entry| *entry != 0.0).unwrap_or(0);
        &self.0[..=last]
    }

    /// The highest degree at which something is paid.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.entries().len() - 1
    }

    /// All entries together, loops of unknown length taken at the length that was assumed for them.
    #[must_use]
    pub fn sum(&self) -> f64 {
        self.0.iter().sum()
    }

    /// The entry of the highest degree that one of the two has, as a ratio to that of `other`; 1 where
    /// both are nothing.
    #[must_use]
    pub fn ratio(&self, other: &CostVector) -> f64 {
        let at = self.degree().max(other.degree());
        let (own, others) = (self.0[at], other.0[at]);
        if own == others { 1.0 } else { own / others }
    }

    /// From the highest degree down to 0.
    #[must_use]
    pub fn compare(&self, other: &CostVector) -> Ordering {
        let mut pairs = self.0.iter().zip(&other.0).rev();
        pairs
            .find_map(|(own, others)| Some(own.total_cmp(others)).filter(|o| o.is_ne()))
            .unwrap_or(Ordering::Equal)
    }

    /// Whether the two differ by rounding alone: by at most this part of the larger, in every entry.
    #[must_use]
    pub fn ties(&self, other: &CostVector, tolerance: f64) -> bool {
        let mut pairs = self.0.iter().zip(&other.0);
        pairs.all(|(own, others)| (own - others).abs() <= tolerance * own.abs().max(others.abs()))
    }

    /// A key that orders vectors as [`CostVector::compare`] does, where most that differ by rounding alone
    /// are equal.
    pub(super) fn rounded(&self) -> [u64; MAX_DEGREE + 1] {
        let mut key = self.0.map(|entry| ((entry as f32).max(0.0)).to_bits().into());
        key.reverse();
        key
    }

    /// As [`CostVector::compare`], with entries that differ by rounding alone taken as equal.
    #[must_use]
    pub fn compare_rounded(&self, other: &CostVector) -> Ordering {
        const ROUNDING: f64 = 1e-9;
        let same = |a: f64, b: f64| (a - b).abs() <= ROUNDING * a.abs().max(b.abs());
        let mut pairs = self.0.iter().zip(&other.0).rev();
        match pairs.find(|(own, others)| !same(**own, **others)) {
            Some((own, others)) => own.total_cmp(others),
            None => Ordering::Equal,
        }
    }

    /// The lesser of two, `other` where they differ by rounding alone.
    #[must_use]
    pub fn min_rounded(self, other: CostVector) -> CostVector {
        if self.compare_rounded(&other).is_lt() { self } else { other }
    }
}

impl Add for CostVector {
    type Output = CostVector;

    fn add(mut self, other: CostVector) -> CostVector {
        self += other;
        self
    }
}

impl AddAssign for CostVector {
    fn add_assign(&mut self, other: CostVector) {
        for (own, others) in self.0.iter_mut().zip(other.0) {
            *own += others;
        }
    }
}

impl Mul<f64> for CostVector {
    type Output = CostVector;

    fn mul(self, factor: f64) -> CostVector {
        CostVector(self.0.map(|entry| entry * factor))
    }
}

impl std::iter::Sum for CostVector {
    fn sum<I: Iterator<Item = CostVector>>(vectors: I) -> CostVector {
        vectors.fold(CostVector::ZERO, Add::add)
    }
}

impl PartialOrd for CostVector {
    fn partial_cmp(&self, other: &CostVector) -> Option<Ordering> {
        Some(self.compare(other))
    }
}

impl fmt::Display for CostVector {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries: Vec<String> =
            self.entries().iter().map(|entry| format!("{entry:.0}")).collect();
        write!(out, "({})", entries.join(", "))
    }
}

impl Serialize for CostVector {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut entries = serializer.serialize_seq(Some(self.entries().len()))?;
        for entry in self.entries() {
            entries.serialize_element(entry)?;
        }
        entries.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(entries: &[f64]) -> CostVector {
        entries.iter().enumerate().map(|(degree, cost)| CostVector::at(degree, *cost)).sum()
    }

    /// §IV-H: the second layout wins. With the misprinted 76800000 the first would.
    #[test]
    fn the_papers_two_vectors() {
        let first = vector(&[0.0, 327_680_000.0, 768_000_000.0]);
        let second = vector(&[0.0, 983_040_000.0, 256_000_000.0]);
        assert!(first > second);
        assert!(vector(&[0.0, 327_680_000.0, 76_800_000.0]) < second, "the misprint");
        assert_eq!(first.ratio(&second), 3.0);
        assert_eq!(first.to_string(), "(0, 327680000, 768000000)");
    }

    #[test]
    fn entry_0_decides_where_all_others_are_equal() {
        assert!(vector(&[1.0, 5.0]) < vector(&[2.0, 5.0]));
        assert_eq!(vector(&[1.0, 5.0]).compare(&vector(&[1.0, 5.0])), Ordering::Equal);
        assert!(vector(&[9.0]) < vector(&[0.0, 1.0]));
    }

    #[test]
    fn rounding_is_no_difference() {
        let third = vector(&[1.0, 1.0 / 3.0 * 3.0]);
        let sum = vector(&[2.0, 0.1 + 0.2 + 0.7 + 1e-16]);
        assert_eq!(third.compare_rounded(&sum), Ordering::Less);
        assert!(vector(&[0.1 + 0.2]).ties(&vector(&[0.3]), 1e-12));
        assert_eq!(vector(&[0.1 + 0.2]).compare_rounded(&vector(&[0.3])), Ordering::Equal);
    }

    #[test]
    fn deep_loops_share_the_last_entry() {
        assert_eq!(CostVector::at(40, 2.0), CostVector::at(MAX_DEGREE, 2.0));
        assert_eq!(CostVector::ZERO.entries(), [0.0]);
    }
}

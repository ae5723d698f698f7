//! Coefficients of access matrices: integer polynomials over launch parameters.

use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;

/// Terms of a polynomial, and symbols of a term: more is no subscript that anybody wrote.
const MAX_TERMS: usize = 32;

/// An integer, or a sum of products of integers and symbols such as `blockDim.x`.
///
/// Symbols are compared by name; what they stand for is known only to [`Coefficient::evaluate`].
/// Invariant: no term has the factor 0, and the symbols of a term are sorted, so that equal
/// polynomials are equal values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Coefficient {
    terms: BTreeMap<Vec<String>, i64>,
}

impl Coefficient {
    /// The integer `value`.
    #[must_use]
    pub fn constant(value: i64) -> Self {
        Self::term(Vec::new(), value)
    }

    /// The symbol `name`, such as `blockDim.x`.
    #[must_use]
    pub fn symbol(name: &str) -> Self {
        Self::term(vec![name.to_owned()], 1)
    }

    fn term(symbols: Vec<String>, factor: i64) -> Self {
        let terms = [(symbols, factor)].into_iter().filter(|(_, factor)| *factor != 0);
        Coefficient { terms: terms.collect() }
    }

    /// The sum; `None` if a factor exceeds 64 bits, or there are too many terms.
    #[must_use]
    pub fn checked_add(&self, other: &Self) -> Option<Self> {
        let mut sum = self.clone();
        for (symbols, factor) in &other.terms {
            let entry = sum.terms.entry(symbols.clone()).or_default();
            *entry = entry.checked_add(*factor)?;
        }
        sum.terms.retain(|_, factor| *factor != 0);
        (sum.terms.len() <= MAX_TERMS).then_some(sum)
    }

    /// The product; `None` if a factor exceeds 64 bits, or there are too many terms or symbols.
    #[must_use]
    pub fn checked_mul(&self, other: &Self) -> Option<Self> {
        let mut product = Self::default();
        for (left, a) in &self.terms {
            for (right, b) in &other.terms {
                let mut symbols = [&left[..], &right[..]].concat();
                if symbols.len() > MAX_TERMS {
                    return None;
                }
                symbols.sort_unstable();
                product = product.checked_add(&Self::term(symbols, a.checked_mul(*b)?))?;
            }
        }
        Some(product)
    }

    /// Whether it is 0.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// The integer that it is where every symbol has the value that `value_of` gives; `None` if a
    /// symbol has none, or the result exceeds 64 bits.
    #[must_use]
    pub fn evaluate(&self, value_of: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
        let value = |(symbols, factor): (&Vec<String>, &i64)| {
            symbols
                .iter()
                .try_fold(*factor, |product, symbol| product.checked_mul(value_of(symbol)?))
        };
        self.terms.iter().map(value).try_fold(0_i64, |sum, term| sum.checked_add(term?))
    }
}

impl From<i64> for Coefficient {
    fn from(value: i64) -> Self {
        Self::constant(value)
    }
}

impl fmt::Display for Coefficient {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_zero() {
            return out.write_str("0");
        }
        for (at, (symbols, factor)) in self.terms.iter().enumerate() {
            match (at, *factor < 0) {
                (0, true) => out.write_str("-")?,
                (0, false) => {}
                (_, true) => out.write_str(" - ")?,
                (_, false) => out.write_str(" + ")?,
            }
            let magnitude = factor.unsigned_abs();
            match (&symbols[..], magnitude) {
                ([], _) => write!(out, "{magnitude}")?,
                (_, 1) => out.write_str(&symbols.join("*"))?,
                _ => write!(out, "{magnitude}*{}", symbols.join("*"))?,
            }
        }
        Ok(())
    }
}

impl Serialize for Coefficient {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_have_one_form() {
        let block = Coefficient::symbol("blockDim.x");
        let grid = Coefficient::symbol("gridDim.x");
        let two = Coefficient::constant(2);
        let product = block.checked_mul(&grid).and_then(|p| p.checked_mul(&two));
        assert_eq!(product, grid.checked_mul(&two).and_then(|p| p.checked_mul(&block)));
        let product = product.expect("small");
        assert_eq!(product.to_string(), "2*blockDim.x*gridDim.x");
        let minus = Coefficient::constant(-1);
        let none = block.checked_mul(&minus).and_then(|negated| negated.checked_add(&block));
        assert!(none.expect("small").is_zero());
        let inner = block.checked_add(&Coefficient::constant(-2)).expect("small");
        assert_eq!(inner.to_string(), "-2 + blockDim.x");
        let value = |name: &str| (name == "blockDim.x").then_some(16);
        assert_eq!(inner.evaluate(&value), Some(14));
        assert_eq!(product.evaluate(&value), None);
        assert_eq!(Coefficient::constant(i64::MAX).checked_add(&two), None);
        let power = (0..40).try_fold(block.clone(), |power, _| power.checked_mul(&block));
        assert_eq!(power, None);
    }
}

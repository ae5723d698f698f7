//! Coefficients of access matrices: integer polynomials over launch parameters.

use layoutc_dataflow::grid::polynomial::Polynomial;
use serde::{Serialize, Serializer};
use std::fmt;

/// An integer, or a sum of products of integers and symbols such as `blockDim.x`.
///
/// Symbols are compared by name; what they stand for is known only to [`Coefficient::evaluate`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Coefficient(Polynomial<String>);

impl Coefficient {
    /// The integer `value`.
    #[must_use]
    pub fn constant(value: i64) -> Self {
        Coefficient(Polynomial::constant(value))
    }

    /// The symbol `name`, such as `blockDim.x`.
    #[must_use]
    pub fn symbol(name: &str) -> Self {
        Coefficient(Polynomial::atom(name.to_owned()))
    }

    /// The sum; `None` if a factor exceeds 64 bits, or there are too many terms.
    #[must_use]
    pub fn checked_add(&self, other: &Self) -> Option<Self> {
        self.0.plus(&other.0).map(Coefficient)
    }

    /// The product; `None` if a factor exceeds 64 bits, or there are too many terms or symbols.
    #[must_use]
    pub fn checked_mul(&self, other: &Self) -> Option<Self> {
        self.0.times(&other.0).map(Coefficient)
    }

    /// Whether it is 0.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    /// The integer that it is where every symbol has the value that `value_of` gives; `None` if a
    /// symbol has none, or the result exceeds 64 bits.
    #[must_use]
    pub fn evaluate(&self, value_of: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
        self.0.evaluate(&|symbol| value_of(symbol))
    }
}

impl Default for Coefficient {
    fn default() -> Self {
        Self::constant(0)
    }
}

impl From<i64> for Coefficient {
    fn from(value: i64) -> Self {
        Self::constant(value)
    }
}

impl fmt::Display for Coefficient {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
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
        assert_eq!(inner.to_string(), "blockDim.x - 2");
        let value = |name: &str| (name == "blockDim.x").then_some(16);
        assert_eq!(inner.evaluate(&value), Some(14));
        assert_eq!(product.evaluate(&value), None);
        assert_eq!(Coefficient::constant(i64::MAX).checked_add(&two), None);
        let power = (0..80).try_fold(block.clone(), |power, _| power.checked_mul(&block));
        assert_eq!(power, None);
    }
}

//! Polynomials with integer coefficients: index expressions, multiplied out.

use std::collections::BTreeMap;
use std::fmt;

/// More terms than any index that people write; products beyond this have no form.
const MOST_TERMS: usize = 64;
/// Atoms of a term at most.
const MOST_ATOMS: usize = 64;

/// A product of atoms, sorted, with repetitions; empty for the constant term.
pub type Monomial<A> = Vec<A>;

/// A polynomial over atoms of type `A`; terms with coefficient 0 are absent.
///
/// Arithmetic is that of the integers: `None` where a coefficient leaves 64 bits or there would be
/// too many terms, or atoms in one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Polynomial<A> {
    terms: BTreeMap<Monomial<A>, i64>,
}

impl<A: Ord + Clone> Polynomial<A> {
    /// The constant.
    #[must_use]
    pub fn constant(value: i64) -> Self {
        let terms = (value != 0).then(|| (Vec::new(), value)).into_iter().collect();
        Polynomial { terms }
    }

    /// One atom.
    #[must_use]
    pub fn atom(atom: A) -> Self {
        Polynomial { terms: BTreeMap::from([(vec![atom], 1)]) }
    }

    /// The terms in order of their monomials.
    pub fn terms(&self) -> impl Iterator<Item = (&Monomial<A>, i64)> {
        self.terms.iter().map(|(monomial, coefficient)| (monomial, *coefficient))
    }

    /// The value, if there is nothing but a constant term.
    #[must_use]
    pub fn as_constant(&self) -> Option<i64> {
        match self.terms.len() {
            0 => Some(0),
            1 => self.terms.get(&Vec::new()).copied(),
            _ => None,
        }
    }

    /// The atom, if the polynomial is one.
    #[must_use]
    pub fn as_atom(&self) -> Option<&A> {
        match self.terms.iter().next() {
            Some((monomial, 1)) if self.terms.len() == 1 => match monomial.as_slice() {
                [atom] => Some(atom),
                _ => None,
            },
            _ => None,
        }
    }

    /// All atoms, in order.
    #[must_use]
    pub fn atoms(&self) -> Vec<A> {
        let mut found: Vec<A> = self.terms.keys().flatten().cloned().collect();
        found.sort();
        found.dedup();
        found
    }

    /// Whether nothing is left.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// The sum.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Option<Self> {
        let mut terms = self.terms.clone();
        for (monomial, coefficient) in &other.terms {
            let sum = terms.get(monomial).copied().unwrap_or(0).checked_add(*coefficient)?;
            if sum == 0 {
                terms.remove(monomial);
            } else {
                terms.insert(monomial.clone(), sum);
            }
        }
        (terms.len() <= MOST_TERMS).then_some(Polynomial { terms })
    }

    /// The difference.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Option<Self> {
        self.plus(&other.times(&Self::constant(-1))?)
    }

    /// The product.
    #[must_use]
    pub fn times(&self, other: &Self) -> Option<Self> {
        let mut product = Self::constant(0);
        for (left, a) in &self.terms {
            for (right, b) in &other.terms {
                let mut monomial: Monomial<A> = left.iter().chain(right).cloned().collect();
                if monomial.len() > MOST_ATOMS {
                    return None;
                }
                monomial.sort();
                let terms = BTreeMap::from([(monomial, a.checked_mul(*b)?)]);
                product = product.plus(&Polynomial { terms })?;
            }
        }
        Some(product)
    }

    /// The number that it is where every atom has the value that `value_of` gives; `None` if an atom has
    /// none, or the result leaves 64 bits.
    #[must_use]
    pub fn evaluate(&self, value_of: &dyn Fn(&A) -> Option<i64>) -> Option<i64> {
        self.terms.iter().try_fold(0_i64, |sum, (monomial, coefficient)| {
            let mut factors = monomial.iter();
            let term = factors
                .try_fold(*coefficient, |product, atom| product.checked_mul(value_of(atom)?))?;
            sum.checked_add(term)
        })
    }

    /// The polynomial with another one in the place of an atom.
    #[must_use]
    pub fn replace(&self, atom: &A, by: &Self) -> Option<Self> {
        let mut result = Self::constant(0);
        for (monomial, coefficient) in &self.terms {
            let rest = monomial.iter().filter(|other| *other != atom).cloned().collect();
            let power = monomial.iter().filter(|other| *other == atom).count();
            let mut term = Polynomial { terms: BTreeMap::from([(rest, *coefficient)]) };
            for _ in 0..power {
                term = term.times(by)?;
            }
            result = result.plus(&term)?;
        }
        Some(result)
    }

    /// Quotient and remainder: `self = quotient · divisor + remainder`, where no term of the
    /// remainder is a multiple of the divisor's leading term (the one with the most atoms).
    ///
    /// `None` for a divisor of 0, or where the numbers become too large.
    #[must_use]
    pub fn divide(&self, divisor: &Self) -> Option<(Self, Self)> {
        let (lead, leading) = divisor
            .terms
            .iter()
            .max_by(|(a, _), (b, _)| a.len().cmp(&b.len()).then_with(|| a.cmp(b)))?;
        let mut quotient = Self::constant(0);
        let mut rest = self.clone();
        // Each round removes a term; those that it adds have fewer atoms.
        for _ in 0..MOST_TERMS * MOST_TERMS {
            let found = rest.terms.iter().find_map(|(monomial, coefficient)| {
                let other = without(monomial, lead)?;
                (coefficient % leading == 0).then(|| (other, coefficient / leading))
            });
            let Some((monomial, coefficient)) = found else {
                return Some((quotient, rest));
            };
            let term = Polynomial { terms: BTreeMap::from([(monomial, coefficient)]) };
            rest = rest.minus(&term.times(divisor)?)?;
            quotient = quotient.plus(&term)?;
        }
        None
    }
}

impl<A: Ord + Clone> Polynomial<A> {
    /// The polynomial with a text for each atom, as people write it.
    pub fn spelled(&self, name: impl Fn(&A) -> String) -> String {
        let mut terms = BTreeMap::new();
        for (monomial, coefficient) in &self.terms {
            let mut names: Monomial<String> = monomial.iter().map(&name).collect();
            names.sort();
            *terms.entry(names).or_insert(0) += coefficient;
        }
        Polynomial { terms }.to_string()
    }
}

/// `monomial / divisor`, if that is one.
fn without<A: Ord + Clone>(monomial: &[A], divisor: &[A]) -> Option<Monomial<A>> {
    let mut rest = monomial.to_vec();
    for atom in divisor {
        let at = rest.iter().position(|other| other == atom)?;
        rest.remove(at);
    }
    Some(rest)
}

impl<A: fmt::Display> fmt::Display for Polynomial<A> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.terms.is_empty() {
            return out.write_str("0");
        }
        // The terms with the most atoms first, as people write them.
        let mut terms: Vec<_> = self.terms.iter().collect();
        terms.sort_by_key(|(monomial, _)| std::cmp::Reverse(monomial.len()));
        for (at, (monomial, coefficient)) in terms.into_iter().enumerate() {
            match (at, *coefficient < 0) {
                (0, true) => out.write_str("-")?,
                (0, false) => {}
                (_, true) => out.write_str(" - ")?,
                (_, false) => out.write_str(" + ")?,
            }
            let size = coefficient.unsigned_abs();
            if monomial.is_empty() || size != 1 {
                write!(out, "{size}")?;
            }
            for (at, atom) in monomial.iter().enumerate() {
                let times = if at > 0 || size != 1 { "*" } else { "" };
                write!(out, "{times}{atom}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type P = Polynomial<&'static str>;

    fn atom(name: &'static str) -> P {
        P::atom(name)
    }

    fn linear(z: &P, ny: &P, y: &P, nx: &P, x: &P) -> P {
        z.times(ny)
            .expect("small numbers")
            .plus(y)
            .expect("small numbers")
            .times(nx)
            .expect("small numbers")
            .plus(x)
            .expect("small numbers")
    }

    #[test]
    fn division_finds_the_coordinates() {
        let names = ["z", "ny", "y", "nx", "x"].map(atom);
        let [z, ny, y, nx, x] = &names;
        let above = y.plus(&P::constant(-1)).expect("small numbers");
        let index = linear(z, ny, &above, nx, x);
        let (found, rest) =
            index.divide(&ny.times(nx).expect("small numbers")).expect("small numbers");
        assert_eq!(found, *z);
        let (found, rest) = rest.divide(nx).expect("small numbers");
        assert_eq!((found, rest), (above, x.clone()));
        // A padded row.
        let pitch = nx.plus(&P::constant(2)).expect("small numbers");
        let index = y.times(&pitch).expect("small numbers").plus(x).expect("small numbers");
        assert_eq!(index.divide(&pitch).expect("small numbers"), (y.clone(), x.clone()));
        let nine = P::constant(9);
        let index =
            x.times(&nine).expect("small numbers").plus(&P::constant(3)).expect("small numbers");
        assert_eq!(index.divide(&nine).expect("small numbers"), (x.clone(), P::constant(3)));
    }

    #[test]
    fn terms_that_cancel_are_gone() {
        let x = atom("x");
        assert!(x.minus(&x).expect("small numbers").is_zero());
        assert_eq!(
            x.plus(&P::constant(i64::MAX)).expect("small numbers").plus(&P::constant(1)),
            None
        );
        assert_eq!(
            atom("i").replace(&"i", &P::constant(4)).expect("small numbers").as_constant(),
            Some(4)
        );
    }

    #[test]
    fn it_is_written_as_people_write_it() {
        let (x, nx) = (atom("x"), atom("nx"));
        let text = x
            .times(&nx)
            .expect("small numbers")
            .minus(&x)
            .expect("small numbers")
            .plus(&P::constant(-3))
            .expect("small numbers");
        assert_eq!(text.to_string(), "nx*x - x - 3");
        assert_eq!(P::constant(0).to_string(), "0");
    }
}

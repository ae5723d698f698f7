//! Coordinates that a function gets from one number: `x = i % nx`, `y = i / nx`.
//!
//! *Claim:* [`recovered`] gives the same number. It is C's `i = (i / n)·n + i % n`, with the variables
//! that hold quotient and remainder in their places. That holds for operands of one signedness,
//! and for others where the number is shown not to be negative and the extent is assumed to be
//! positive, as all extents are.

use super::facts::{Fact, Facts};
use super::index::{Atom, Index, Indices, may_wrap};
use super::proof::Prover;
use layoutc_syntax::{BinaryOp, ExprId, ExprKind, Program, Scalar, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// How many numbers are taken apart, and how far quotients of quotients are followed.
const DEPTH: usize = 6;

/// An index with the coordinates in the place of the numbers that they are made from.
///
/// Only extents that are variables count: a remainder of a constant may be anything.
pub(super) fn recovered(
    program: &Program,
    indices: &mut Indices,
    facts: &Facts,
    index: &Index,
) -> Index {
    if !has_division(program, indices, facts) {
        return index.clone();
    }
    let mut definitions: BTreeMap<VarId, Index> = BTreeMap::new();
    for fact in facts.iter() {
        if let Fact::Defined(id, value) = fact {
            definitions.entry(*id).or_insert_with(|| value.clone());
        }
    }
    let mut digits = Digits { program, indices, facts, definitions };
    let mut index = index.clone();
    for _ in 0..DEPTH {
        let next = index.atoms().into_iter().find_map(|atom| {
            let Atom::Variable(id) = atom else { return None };
            let value = digits.split(id)?;
            index.replace(&atom, &value)
        });
        match next {
            Some(next) => index = next,
            None => break,
        }
    }
    index
}

/// Whether some definition divides.
fn has_division(program: &Program, indices: &Indices, facts: &Facts) -> bool {
    facts.iter().any(|fact| match fact {
        Fact::Defined(_, value) => match value.as_atom() {
            Some(Atom::Expression(number)) => matches!(
                program.expr(program.strip_parens(indices.expression(*number))).kind,
                ExprKind::Binary(BinaryOp::Div, ..)
            ),
            _ => false,
        },
        _ => false,
    })
}

/// A whole and what it is divided by.
type Division = (Index, Index);

struct Digits<'a> {
    program: &'a Program,
    indices: &'a mut Indices,
    facts: &'a Facts,
    definitions: BTreeMap<VarId, Index>,
}

impl Digits<'_> {
    /// A number as `low + by·high`, if variables hold both.
    fn split(&mut self, id: VarId) -> Option<Index> {
        let own = Index::atom(Atom::Variable(id));
        let definitions: Vec<(VarId, Index)> = self
            .definitions
            .iter()
            .filter(|(other, _)| **other != id)
            .map(|(other, value)| (*other, value.clone()))
            .collect();
        for (low, value) in &definitions {
            let low = Index::atom(Atom::Variable(*low));
            // low = own % by
            if let Some((BinaryOp::Rem, whole, by)) = self.operator(value)
                && whole == own
                && by.as_constant().is_none()
                && let Some(high) = self.high(&own, &by, DEPTH)
            {
                return self.plain(&by.times(&high)?).plus(&low);
            }
            // low = own - by*high
            let has_own = value.terms().any(|(monomial, coefficient)| {
                coefficient == 1 && *monomial == [Atom::Variable(id)]
            });
            if !has_own {
                continue;
            }
            let part = own.minus(value)?;
            for (high, quotient) in &definitions {
                let Some((BinaryOp::Div, whole, by)) = self.operator(quotient) else { continue };
                let high = Index::atom(Atom::Variable(*high));
                if whole == own
                    && by.as_constant().is_none()
                    && self.plain(&by.times(&high)?) == self.plain(&part)
                {
                    return self.plain(&part).plus(&low);
                }
            }
        }
        None
    }

    /// `whole / by` by the variables that hold it, or its parts.
    fn high(&mut self, whole: &Index, by: &Index, depth: usize) -> Option<Index> {
        let depth = depth.checked_sub(1)?;
        let wanted = self.division(whole, by, DEPTH)?;
        let definitions: Vec<(VarId, Index)> =
            self.definitions.iter().map(|(id, value)| (*id, value.clone())).collect();
        for (id, value) in &definitions {
            if self.quotient(value, DEPTH).is_some_and(|found| found == wanted) {
                return Some(Index::atom(Atom::Variable(*id)));
            }
        }
        for (id, value) in &definitions {
            let Some((BinaryOp::Rem, part, extent)) = self.operator(value) else { continue };
            if extent.as_constant().is_none()
                && self.quotient(&part, DEPTH).is_some_and(|found| found == wanted)
            {
                let higher = self.high(whole, &by.times(&extent)?, depth)?;
                return extent.times(&higher)?.plus(&Index::atom(Atom::Variable(*id)));
            }
        }
        None
    }

    /// What a value is the quotient of: `(i / a) / b` is `i / (a·b)`.
    fn quotient(&mut self, value: &Index, depth: usize) -> Option<Division> {
        let depth = depth.checked_sub(1)?;
        if let Some(Atom::Variable(id)) = value.as_atom() {
            let value = self.definitions.get(id)?.clone();
            return self.quotient(&value, depth);
        }
        match self.operator(value)? {
            (BinaryOp::Div, whole, by) => self.division(&whole, &by, depth),
            _ => None,
        }
    }

    /// A division with all that the whole was divided by before.
    fn division(&mut self, whole: &Index, by: &Index, depth: usize) -> Option<Division> {
        match self.quotient(whole, depth) {
            Some((first, before)) => {
                let by = before.times(by)?;
                Some((first, self.plain(&by)))
            }
            None => Some((whole.clone(), self.plain(by))),
        }
    }

    /// Products in the place of variables that hold them.
    fn plain(&self, value: &Index) -> Index {
        let mut value = value.clone();
        for _ in 0..DEPTH {
            let next = value.atoms().into_iter().find_map(|atom| {
                let Atom::Variable(id) = atom else { return None };
                let product = self.definitions.get(&id)?;
                let is_product = product.terms().any(|(monomial, _)| monomial.len() > 1)
                    && product.terms().count() == 1;
                if is_product { value.replace(&atom, product) } else { None }
            });
            match next {
                Some(next) => value = next,
                None => break,
            }
        }
        value
    }

    /// A value that is one quotient or remainder.
    fn operator(&mut self, value: &Index) -> Option<(BinaryOp, Index, Index)> {
        let Some(Atom::Expression(number)) = value.as_atom() else { return None };
        if !self.indices.is_pure(*number) {
            return None;
        }
        let expr = self.program.strip_parens(self.indices.expression(*number));
        let ExprKind::Binary(op @ (BinaryOp::Div | BinaryOp::Rem), left, right) =
            self.program.expr(expr).kind
        else {
            return None;
        };
        let whole = self.indices.index(self.program, left)?;
        let by = self.indices.index(self.program, right)?;
        if !self.is_alike(left, right)
            && !Prover::new(self.program, self.indices, &BTreeSet::new())
                .is_at_least_zero(&whole, self.facts)
        {
            return None;
        }
        Some((op, whole, by))
    }

    /// Whether the operands are both signed or both unsigned, and the whole is what the sum in it says.
    fn is_alike(&self, left: ExprId, right: ExprId) -> bool {
        let sign = |expr: ExprId| {
            self.program
                .types
                .as_scalar(self.program.expr(expr).ty.id)
                .filter(|scalar| scalar.is_integer())
                .map(Scalar::is_unsigned)
        };
        sign(left).is_some()
            && sign(left) == sign(right)
            && (sign(left) == Some(false) || !may_wrap(self.program, left))
    }
}

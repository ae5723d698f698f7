//! Proofs that an index stays inside its extent.
//!
//! A goal `g ≥ 0` is shown by writing `g` as a sum of facts and of products of values that are not
//! negative, after replacing variables by their definitions and conditional values by their cases.
//! What is not found within the budget is not proven; nothing is assumed.

use super::facts::{Fact, Facts, is_truth, said};
use super::index::{Atom, Index, Indices};
use crate::catalogue::builtins::builtin_of;
use crate::classes::{Callee, resolve_callee};
use layoutc_syntax::{BinaryOp, ExprId, ExprKind, Program, Scalar, VarId, evaluate};
use std::collections::{BTreeMap, BTreeSet};

/// How many steps a proof may take.
const BUDGET: usize = 3000;
/// How deep facts, definitions and cases are combined.
const DEPTH: usize = 8;

/// A prover for the facts at one place.
pub struct Prover<'a> {
    program: &'a Program,
    indices: &'a mut Indices,
    /// Values that are at least 1: extents of arrays that are accessed.
    positive: &'a BTreeSet<VarId>,
    budget: usize,
    /// Goals that the facts at hand do not prove, with the depth to which that was tried.
    failed: BTreeMap<Index, usize>,
    /// Extents of the launch.
    extents: Vec<(Atom, Index)>,
}

impl<'a> Prover<'a> {
    /// A prover.
    pub fn new(
        program: &'a Program,
        indices: &'a mut Indices,
        positive: &'a BTreeSet<VarId>,
    ) -> Self {
        Prover {
            program,
            indices,
            positive,
            budget: BUDGET,
            failed: BTreeMap::new(),
            extents: Vec::new(),
        }
    }

    /// The expressions that indices are made of.
    pub fn indices(&mut self) -> &mut Indices {
        self.indices
    }

    /// Whether an atom is a condition, which is 1 or 0.
    pub(super) fn is_truth(&mut self, atom: Atom) -> bool {
        match atom {
            Atom::Variable(_) => false,
            Atom::Expression(number) => is_truth(self.program, self.indices.expression(number)),
        }
    }

    /// Whether the value is at least 0 wherever the facts hold.
    pub fn is_at_least_zero(&mut self, goal: &Index, facts: &Facts) -> bool {
        self.budget = BUDGET;
        self.failed.clear();
        self.extents = facts
            .iter()
            .filter_map(|fact| match fact {
                Fact::Extent(atom, value) => Some((*atom, value.clone())),
                _ => None,
            })
            .collect();
        if self.extents.is_empty() {
            return self.holds(goal, facts, DEPTH);
        }
        let mut all: Vec<Fact> = facts
            .iter()
            .filter_map(|fact| {
                Some(match fact {
                    Fact::AtLeastZero(value) => Fact::AtLeastZero(self.with_extents(value)?),
                    Fact::NotZero(value) => Fact::NotZero(self.with_extents(value)?),
                    Fact::Defined(id, value) => Fact::Defined(*id, self.with_extents(value)?),
                    Fact::Extent(..) => return None,
                })
            })
            .collect();
        all.reverse();
        let facts = all.into_iter().fold(Facts::default(), |facts, fact| facts.with(fact));
        self.holds(goal, &facts, DEPTH)
    }

    /// A value with the extents of the launch in the place of their names.
    fn with_extents(&self, value: &Index) -> Option<Index> {
        let mut value = value.clone();
        for (atom, extent) in &self.extents {
            if value.atoms().contains(atom) {
                value = value.replace(atom, extent)?;
            }
        }
        Some(value)
    }

    fn holds(&mut self, goal: &Index, facts: &Facts, depth: usize) -> bool {
        let replaced;
        let goal = match self.extents.is_empty() {
            true => goal,
            false => match self.with_extents(goal) {
                Some(goal) => {
                    replaced = goal;
                    &replaced
                }
                None => return false,
            },
        };
        if let Some(value) = goal.as_constant() {
            return value >= 0;
        }
        // Facts lead to one goal in every order in which they are subtracted.
        if self.failed.get(goal).is_some_and(|known| depth <= *known) {
            return false;
        }
        let found = self.holds_anew(goal, facts, depth);
        if !found && self.budget > 0 {
            self.failed.insert(goal.clone(), depth);
        }
        found
    }

    fn holds_anew(&mut self, goal: &Index, facts: &Facts, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        let Some(budget) = self.budget.checked_sub(1) else { return false };
        self.budget = budget;
        if self.is_sum_of_naturals(goal, facts, depth) {
            return true;
        }
        // A fact that takes a term away.
        for fact in facts.iter() {
            let known = match fact {
                Fact::AtLeastZero(known) if !takes_away(goal, known) => continue,
                Fact::AtLeastZero(known) => known.clone(),
                Fact::NotZero(value) => {
                    // `x ≠ 0` and `x ≥ 0` say `x ≥ 1`.
                    if !shares_term(goal, value) || depth < 3 {
                        continue;
                    }
                    if self.holds(value, facts, depth.min(5) - 1)
                        && let Some(known) = value.plus(&Index::constant(-1))
                    {
                        known
                    } else if let Some(down) = value.times(&Index::constant(-1))
                        && self.holds(&down, facts, depth.min(5) - 1)
                        && let Some(known) = down.plus(&Index::constant(-1))
                    {
                        known
                    } else {
                        continue;
                    }
                }
                Fact::Defined(..) | Fact::Extent(..) => continue,
            };
            if takes_away(goal, &known)
                && let Some(rest) = goal.minus(&known)
                && self.holds(&rest, facts, depth)
            {
                return true;
            }
        }
        for atom in goal.atoms() {
            for known in self.bounds(atom, facts, depth) {
                if takes_away(goal, &known)
                    && let Some(rest) = goal.minus(&known)
                    && self.holds(&rest, facts, depth)
                {
                    return true;
                }
            }
        }
        if let Some(whole) = self.below_quotient(goal, facts, depth)
            && self.holds(&whole, facts, depth)
        {
            return true;
        }
        for atom in goal.atoms() {
            match atom {
                Atom::Variable(id) => {
                    if let Some(value) = facts.definition(id).cloned()
                        && let Some(replaced) = goal.replace(&atom, &value)
                        && replaced != *goal
                        && self.holds(&replaced, facts, depth)
                    {
                        return true;
                    }
                }
                Atom::Expression(number) => {
                    if let Some(cases) = self.cases(number) {
                        return cases.into_iter().all(|(facts_of_case, value)| {
                            let inner = facts_of_case
                                .into_iter()
                                .fold(facts.clone(), |facts, fact| facts.with(fact));
                            // What failed may hold with what the case says.
                            let failed = std::mem::take(&mut self.failed);
                            let found = goal
                                .replace(&atom, &value)
                                .is_some_and(|goal| self.holds(&goal, &inner, depth));
                            self.failed = failed;
                            found
                        });
                    }
                }
            }
        }
        false
    }

    /// Whether every term is a product of values that are not negative, with a positive factor, or
    /// a constant that one of them makes up for.
    fn is_sum_of_naturals(&mut self, goal: &Index, facts: &Facts, depth: usize) -> bool {
        let terms: Vec<(Vec<Atom>, i64)> =
            goal.terms().map(|(monomial, coefficient)| (monomial.clone(), coefficient)).collect();
        let constant =
            terms.iter().find(|(monomial, _)| monomial.is_empty()).map_or(0, |term| term.1);
        // Products of values of which each is at least 1.
        let least: i64 = terms
            .iter()
            .filter(|(monomial, coefficient)| {
                *coefficient > 0
                    && !monomial.is_empty()
                    && monomial.iter().all(|atom| self.is_positive(*atom))
            })
            .map(|(_, coefficient)| *coefficient)
            .fold(0, i64::saturating_add);
        if constant.saturating_add(least) < 0 {
            return false;
        }
        terms.iter().filter(|(monomial, _)| !monomial.is_empty()).all(|(monomial, coefficient)| {
            *coefficient > 0
                && monomial.iter().all(|atom| self.is_natural(*atom, facts, monomial.len(), depth))
        })
    }

    /// Whether an extent, which is at least 1.
    fn is_positive(&self, atom: Atom) -> bool {
        match atom {
            Atom::Variable(id) => self.positive.contains(&id),
            Atom::Expression(number) => builtin_of(self.program, self.indices.expression(number))
                .is_some_and(|(builtin, _)| builtin.is_size()),
        }
    }

    /// Whether a value is at least 0 by its type or meaning.
    fn is_natural(&mut self, atom: Atom, facts: &Facts, of: usize, depth: usize) -> bool {
        if self.is_positive(atom) {
            return true;
        }
        match atom {
            Atom::Variable(id) => {
                let is_unsigned = self
                    .program
                    .types
                    .as_scalar(self.program.variable(id).ty.id)
                    .is_some_and(Scalar::is_unsigned);
                // A factor of a product is shown on its own.
                is_unsigned || (of > 1 && self.holds(&Index::atom(atom), facts, depth))
            }
            Atom::Expression(number) => {
                let expr = self.indices.expression(number);
                let is_unsigned = self
                    .program
                    .types
                    .as_scalar(self.program.expr(expr).ty.id)
                    .is_some_and(Scalar::is_unsigned);
                is_unsigned
                    || builtin_of(self.program, expr).is_some()
                    || (of > 1 && self.holds(&Index::atom(atom), facts, depth))
            }
        }
    }

    /// What the operator of an atom says about its value: values that are at least 0.
    fn bounds(&mut self, atom: Atom, facts: &Facts, depth: usize) -> Vec<Index> {
        let Atom::Expression(number) = atom else { return Vec::new() };
        let program = self.program;
        let expr = program.strip_parens(self.indices.expression(number));
        let value = Index::atom(atom);
        let below =
            |limit: &Index| limit.minus(&value).and_then(|rest| rest.plus(&Index::constant(-1)));
        match &program.expr(expr).kind {
            ExprKind::Binary(BinaryOp::Rem, left, right) => {
                let (left, right) = (*left, *right);
                let Some(limit) = self.indices.index(program, right) else { return Vec::new() };
                if !self.is_natural_expression(left, facts, depth) {
                    return Vec::new();
                }
                // For a divisor below 0 there is nothing to say.
                let is_divisor = self.holds_one(&limit, facts, depth);
                let mut found = vec![value.clone()];
                if is_divisor {
                    found.extend(below(&limit));
                }
                found
            }
            ExprKind::Binary(BinaryOp::Div, left, right) => {
                let (left, right) = (*left, *right);
                let (Some(whole), Some(by)) =
                    (self.indices.index(program, left), self.indices.index(program, right))
                else {
                    return Vec::new();
                };
                // An unsigned value that wrapped around is not what `whole` says.
                if !self.holds(&whole, facts, depth) || !self.holds_one(&by, facts, depth) {
                    return Vec::new();
                }
                let part = value.times(&by);
                let rest = part.as_ref().and_then(|part| whole.minus(part));
                let above =
                    part.and_then(|part| part.plus(&by)?.minus(&whole)?.plus(&Index::constant(-1)));
                [Some(value), rest, above].into_iter().flatten().collect()
            }
            ExprKind::Binary(BinaryOp::And, left, right) => {
                let mask = [*left, *right]
                    .into_iter()
                    .filter_map(|side| evaluate::constant(program, side))
                    .filter(|mask| *mask >= 0)
                    .min();
                let Some(mask) = mask else { return Vec::new() };
                [Some(value.clone()), Index::constant(mask).minus(&value)]
                    .into_iter()
                    .flatten()
                    .collect()
            }
            ExprKind::Binary(BinaryOp::Shr, left, _) => {
                if self.is_natural_expression(*left, facts, depth) {
                    vec![value]
                } else {
                    Vec::new()
                }
            }
            ExprKind::Binary(..) if is_truth(program, expr) => {
                [Some(value.clone()), Index::constant(1).minus(&value)]
                    .into_iter()
                    .flatten()
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// `g - whole/by ≥ 0` is `by·(g + 1) - 1 - whole ≥ 0`.
    fn below_quotient(&mut self, goal: &Index, facts: &Facts, depth: usize) -> Option<Index> {
        let program = self.program;
        let atom = goal.atoms().into_iter().find(|atom| {
            let is_quotient = matches!(atom, Atom::Expression(number) if matches!(
                program.expr(program.strip_parens(self.indices.expression(*number))).kind,
                ExprKind::Binary(BinaryOp::Div, ..)
            ));
            let mut own = goal.terms().filter(|(monomial, _)| monomial.contains(atom));
            is_quotient
                && own.next().is_some_and(|(monomial, by)| monomial.len() == 1 && by == -1)
                && own.next().is_none()
        })?;
        let Atom::Expression(number) = atom else { return None };
        let expr = program.strip_parens(self.indices.expression(number));
        let ExprKind::Binary(_, left, right) = program.expr(expr).kind else { return None };
        let whole = self.indices.index(program, left)?;
        let by = self.indices.index(program, right)?;
        if !self.holds(&whole, facts, depth) || !self.holds_one(&by, facts, depth) {
            return None;
        }
        let limit = goal.plus(&Index::atom(atom))?.plus(&Index::constant(1))?;
        by.times(&limit)?.minus(&whole)?.plus(&Index::constant(-1))
    }

    fn holds_one(&mut self, value: &Index, facts: &Facts, depth: usize) -> bool {
        value.plus(&Index::constant(-1)).is_some_and(|less| self.holds(&less, facts, depth))
    }

    fn is_natural_expression(&mut self, expr: ExprId, facts: &Facts, depth: usize) -> bool {
        let is_unsigned = self
            .program
            .types
            .as_scalar(self.program.expr(expr).ty.id)
            .is_some_and(Scalar::is_unsigned);
        is_unsigned
            || self
                .indices
                .index(self.program, expr)
                .is_some_and(|index| self.holds(&index, facts, depth))
    }

    /// The cases of a conditional value, `min` or `max`: what each says, and the value.
    fn cases(&mut self, number: u32) -> Option<Vec<(Vec<Fact>, Index)>> {
        let program = self.program;
        let expr = program.strip_parens(self.indices.expression(number));
        match &program.expr(expr).kind {
            ExprKind::Conditional(condition, then, otherwise) => {
                let (condition, then, otherwise) = (*condition, *then, *otherwise);
                let mut cases = Vec::new();
                for (truth, value) in [(true, then), (false, otherwise)] {
                    let mut facts = Vec::new();
                    said(program, self.indices, condition, truth, &mut facts);
                    cases.push((facts, self.indices.index(program, value)?));
                }
                Some(cases)
            }
            // 1 or 0, by what it says.
            ExprKind::Binary(..) if is_truth(program, expr) => {
                let mut cases = Vec::new();
                for (truth, value) in [(true, 1), (false, 0)] {
                    let mut facts = Vec::new();
                    said(program, self.indices, expr, truth, &mut facts);
                    cases.push((facts, Index::constant(value)));
                }
                Some(cases)
            }
            ExprKind::Call { callee, arguments, .. } => {
                let Callee::Library(name) = resolve_callee(program, *callee, arguments) else {
                    return None;
                };
                let [left, right] = arguments[..] else { return None };
                let is_signed = |expr: ExprId| {
                    program
                        .types
                        .as_scalar(program.expr(expr).ty.id)
                        .is_some_and(|scalar| scalar.is_integer() && !scalar.is_unsigned())
                };
                if !is_signed(left) || !is_signed(right) {
                    return None;
                }
                let left = self.indices.index(program, left)?;
                let right = self.indices.index(program, right)?;
                let up = Fact::AtLeastZero(right.minus(&left)?);
                let down = Fact::AtLeastZero(left.minus(&right)?);
                match name.as_str() {
                    "min" => Some(vec![(vec![up], left), (vec![down], right)]),
                    "max" => Some(vec![(vec![down], left), (vec![up], right)]),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// Whether the two have a term in common, whatever its sign.
fn shares_term(goal: &Index, value: &Index) -> bool {
    goal.terms().any(|(monomial, _)| {
        !monomial.is_empty() && value.terms().any(|(other, _)| other == monomial)
    })
}

/// Whether subtracting the fact takes a term out of the goal.
fn takes_away(goal: &Index, fact: &Index) -> bool {
    goal.terms().any(|(monomial, coefficient)| {
        !monomial.is_empty()
            && fact.terms().any(|(other, theirs)| {
                other == monomial
                    && coefficient.signum() == theirs.signum()
                    && theirs.unsigned_abs() <= coefficient.unsigned_abs()
            })
    })
}

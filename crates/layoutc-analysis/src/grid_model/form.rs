//! Values as affine forms of thread, block and loop indices.

use crate::grid::{AccessRow, Auxiliary, Coefficient, Column, Offset};
use std::collections::BTreeMap;

/// `Σ factor · index + offset`, with what is not affine beside it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Form {
    /// Factors of the indices.
    pub(super) terms: BTreeMap<Column, Coefficient>,
    /// The rest that is the same in all threads.
    pub(super) offset: Coefficient,
    /// What is not affine.
    pub(super) auxiliary: Vec<Auxiliary>,
}

impl Form {
    /// A number.
    pub(super) fn constant(value: i64) -> Self {
        Form { offset: value.into(), ..Form::default() }
    }

    /// A value that is the same in all threads.
    pub(super) fn symbol(text: &str) -> Self {
        Form { offset: Coefficient::symbol(text), ..Form::default() }
    }

    /// An index.
    pub(super) fn column(column: Column) -> Self {
        Form { terms: BTreeMap::from([(column, 1.into())]), ..Form::default() }
    }

    /// A value without a form.
    pub(super) fn opaque(text: &str) -> Self {
        Form { auxiliary: vec![Auxiliary::Opaque(text.to_owned())], ..Form::default() }
    }

    /// Whether all threads have the same value, in the same iteration of their loops.
    pub(super) fn is_uniform(&self) -> bool {
        let is_loop = |column: &Column| matches!(column, Column::Loop(_));
        self.terms.keys().all(is_loop) && self.auxiliary.is_empty()
    }

    /// Whether there is no form.
    pub(super) fn is_opaque(&self) -> bool {
        self.auxiliary.iter().any(|auxiliary| matches!(auxiliary, Auxiliary::Opaque(_)))
    }

    /// The factor, where the value is one and depends on no index.
    fn as_factor(&self) -> Option<&Coefficient> {
        (self.terms.is_empty() && self.auxiliary.is_empty()).then_some(&self.offset)
    }

    /// The factors of what differs between threads.
    pub(super) fn parallel(&self) -> BTreeMap<&Column, &Coefficient> {
        self.terms.iter().filter(|(column, _)| !matches!(column, Column::Loop(_))).collect()
    }

    /// The sum; `text` is what it is called where there is none.
    pub(super) fn plus(mut self, other: &Form, text: &str) -> Form {
        for (column, factor) in &other.terms {
            let entry = self.terms.entry(column.clone()).or_default();
            let Some(sum) = entry.checked_add(factor) else { return Form::opaque(text) };
            *entry = sum;
        }
        self.terms.retain(|_, factor| !factor.is_zero());
        let Some(offset) = self.offset.checked_add(&other.offset) else {
            return Form::opaque(text);
        };
        self.offset = offset;
        for auxiliary in &other.auxiliary {
            if !self.auxiliary.contains(auxiliary) {
                self.auxiliary.push(auxiliary.clone());
            }
        }
        self
    }

    /// The product; `text` is what it is called where there is no form of it.
    pub(super) fn times(self, other: &Form, text: &str) -> Form {
        let (form, factor) = match (self.as_factor(), other.as_factor()) {
            (_, Some(factor)) => (&self, factor.clone()),
            (Some(factor), None) => (other, factor.clone()),
            (None, None) if self.is_uniform() && other.is_uniform() => return Form::symbol(text),
            (None, None) => return Form::opaque(text),
        };
        let is_one = factor == Coefficient::from(1);
        let has_parity = |auxiliary: &Auxiliary| matches!(auxiliary, Auxiliary::Parity { .. });
        if !is_one && form.auxiliary.iter().any(has_parity) {
            return Form::opaque(text);
        }
        let scaled = |own: &Coefficient| own.checked_mul(&factor);
        let terms: Option<BTreeMap<Column, Coefficient>> =
            form.terms.iter().map(|(column, own)| Some((column.clone(), scaled(own)?))).collect();
        let (Some(mut terms), Some(offset)) = (terms, scaled(&form.offset)) else {
            return Form::opaque(text);
        };
        terms.retain(|_, factor| !factor.is_zero());
        Form { terms, offset, auxiliary: form.auxiliary.clone() }
    }

    /// A value that is one or the other: the same but for the threads at a border, if it is affine.
    pub(super) fn join(self, other: Form, text: &str) -> Form {
        if self == other {
            return self;
        }
        if self.is_opaque() || other.is_opaque() {
            return Form::opaque(text);
        }
        if self.is_uniform() && other.is_uniform() {
            return Form::symbol(text);
        }
        if !self.is_uniform() && !other.is_uniform() && self.parallel() != other.parallel() {
            return Form::opaque(text);
        }
        let mut form = if self.is_uniform() { other } else { self };
        if !form.auxiliary.contains(&Auxiliary::Clamp) {
            form.auxiliary.push(Auxiliary::Clamp);
        }
        form
    }

    /// The subscript of a matrix.
    pub(super) fn row(&self) -> AccessRow {
        AccessRow {
            coefficients: self.terms.clone(),
            offset: match self.offset.evaluate(&|_| None) {
                Some(value) => Offset::Known(value),
                None => Offset::Opaque(self.offset.to_string()),
            },
            auxiliary: self.auxiliary.clone(),
        }
    }
}

//! Classes that would be one, did the functions that they share not have copies.

use layoutc_dataflow::classes::{ClassId, Classes, Slot};
use layoutc_diagnostics::Span;
use layoutc_syntax::{FunctionId, Program, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// Why functions are as they are in the model, where several groups of arrays share them.
#[derive(Clone, Debug, Default)]
pub struct Apart {
    /// By copy: the function that it is a copy of.
    pub originals: BTreeMap<FunctionId, FunctionId>,
    /// Functions whose copies must have one text, with a place and the reason.
    pub unwritten: BTreeMap<FunctionId, (Span, String)>,
}

/// What classes have to do with each other by way of functions that have copies.
#[derive(Clone, Debug, Default)]
pub struct Families {
    /// By class: the first of its family.
    first: BTreeMap<ClassId, ClassId>,
    /// By function that is a copy or has some: the classes of its parameters.
    together: BTreeMap<FunctionId, BTreeSet<ClassId>>,
}

impl Apart {
    /// The classes of which a copy of a function has one where the function has another.
    pub fn families(&self, program: &Program, classes: &Classes) -> Families {
        let mut found = Families::default();
        let class_of = |parameter: VarId| classes.class_of_slot(Slot::Variable(parameter));
        for (copy, original) in &self.originals {
            let own = &program.function(*copy).parameters;
            let theirs = &program.function(*original).parameters;
            for (own, theirs) in own.iter().zip(theirs) {
                if let (Some(own), Some(theirs)) = (class_of(*own), class_of(*theirs)) {
                    found.unite(own, theirs);
                }
            }
            for function in [copy, original] {
                let parameters = &program.function(*function).parameters;
                let all = parameters.iter().filter_map(|parameter| class_of(*parameter));
                found.together.insert(*function, all.collect());
            }
        }
        found
    }
}

impl Families {
    /// The first class of the family of a class.
    #[must_use]
    pub fn first(&self, class: ClassId) -> ClassId {
        self.first.get(&class).copied().unwrap_or(class)
    }

    fn unite(&mut self, one: ClassId, other: ClassId) {
        let (one, other) = (self.first(one), self.first(other));
        let (first, rest) = (one.min(other), one.max(other));
        for known in self.first.values_mut().filter(|known| **known == rest) {
            *known = first;
        }
        self.first.insert(rest, first);
        self.first.insert(first, first);
    }

    /// The other classes of a family, those first that functions are given together with it.
    pub(super) fn siblings(&self, class: ClassId) -> Vec<ClassId> {
        let own = self.first(class);
        let mut found: Vec<ClassId> = self
            .first
            .iter()
            .filter(|(other, first)| **first == own && **other != class)
            .map(|(other, _)| *other)
            .collect();
        let count = |other: ClassId| {
            self.together
                .values()
                .filter(|classes| classes.contains(&class) && classes.contains(&other))
                .count()
        };
        found.sort_by_key(|other| std::cmp::Reverse(count(*other)));
        found
    }
}

//! Arrays of numbers that stay arrays with one index: their pointers may be moved.

use super::scalars::type_flat_arrays;
use super::{Classes, Grouped, Moves, group};
use layoutc_syntax::{ExprId, Program, Scalar};
use std::collections::BTreeSet;

/// A program in which the elements of all arrays of numbers are records, and its arrays.
#[derive(Debug)]
pub struct FlatProgram {
    /// The program.
    pub program: Program,
    /// `&x[i]` that are `x + i`.
    pub sums: BTreeSet<ExprId>,
    grouped: Grouped,
}

impl FlatProgram {
    /// Groups the pointers of a program; their uses are looked at by [`FlatProgram::classify`].
    #[must_use]
    pub fn new(program: &Program) -> FlatProgram {
        let mut program = program.clone();
        let sums = type_flat_arrays(&mut program, &BTreeSet::from(Scalar::ALL));
        let grouped = group(&program, &BTreeSet::new(), Moves::Stay);
        FlatProgram { program, sums, grouped }
    }

    /// The classes before their uses were looked at: none has pins.
    #[must_use]
    pub fn groups(&self) -> &Classes {
        &self.grouped.classes
    }

    /// The program, its sums, and the classes with what pins them.
    #[must_use]
    pub fn classify(self) -> (Program, BTreeSet<ExprId>, Classes) {
        let FlatProgram { program, sums, grouped } = self;
        let classes = grouped.classify(&program, Moves::Stay);
        (program, sums, classes)
    }
}

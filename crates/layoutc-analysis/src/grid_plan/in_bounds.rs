//! Whose coordinates are taken to stay inside their extents.

use layoutc_dataflow::classes::{ClassId, Classes, slot_names};
use layoutc_syntax::Program;
use std::collections::BTreeSet;

/// Whose coordinates are taken to stay inside their extents where nothing proves it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct InBounds {
    /// Those of all grids.
    pub all: bool,
    /// Those of these arrays.
    pub names: Vec<String>,
}

impl InBounds {
    /// The classes that are meant.
    pub fn classes(&self, program: &Program, classes: &Classes) -> BTreeSet<ClassId> {
        classes
            .ids()
            .filter(|id| {
                self.all
                    || classes.class(*id).slots.iter().any(|slot| {
                        let own = slot_names(program, *slot);
                        self.names.iter().any(|name| own.contains(name))
                    })
            })
            .collect()
    }
}

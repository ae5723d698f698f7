//! Separate arrays that could lie together: of one length, and accessed at the same indices.

use super::{ArraySource, CostModel};
use crate::cost::kernel::{ArrayId, BaseId};
use std::collections::{BTreeMap, BTreeSet};

/// Where an array is accessed: by kernel, index but for the constant, and whether lanes differ.
type Uses = BTreeSet<(usize, BaseId)>;

impl CostModel {
    /// Groups of two or more arrays of numbers that have the same length, where it is known, and that are
    /// accessed at the same indices, but for constants, in the same kernels.
    ///
    /// Array regrouping (Ding and Kennedy 1999) merges arrays that are always used together; whether it
    /// pays is for the price to say.
    #[must_use]
    pub fn parallel_arrays(&self) -> Vec<Vec<ArrayId>> {
        let mut uses: BTreeMap<ArrayId, Uses> = BTreeMap::new();
        for (at, kernel) in self.kernels.iter().enumerate() {
            for access in &kernel.code.accesses {
                uses.entry(access.array).or_default().insert((at, access.index.base));
            }
        }
        let mut groups: BTreeMap<(Option<u64>, Uses), Vec<ArrayId>> = BTreeMap::new();
        for (array, uses) in uses {
            let info = &self.arrays[array.0 as usize];
            if info.source == ArraySource::Plain {
                groups.entry((info.elements, uses)).or_default().push(array);
            }
        }
        let mut found: Vec<Vec<ArrayId>> =
            groups.into_values().filter(|group| group.len() > 1).collect();
        found.sort();
        found
    }
}

//! Which arrays share their generated functions.

use layoutc_analysis::grid_plan::{Families, GridPlan};
use layoutc_dataflow::classes::{ClassId, Classes};
use std::collections::BTreeMap;

/// By class: the first class of its family with the same plan, whose functions it can use. Buffers have
/// none, and all of them that lie alike use the same.
pub(super) fn leaders(
    classes: &Classes,
    families: &Families,
    plans: &BTreeMap<ClassId, &GridPlan>,
) -> BTreeMap<ClassId, ClassId> {
    let mut found: BTreeMap<ClassId, ClassId> = BTreeMap::new();
    for (class, plan) in plans {
        let extents = |plan: &GridPlan| -> Vec<Option<i64>> {
            plan.grid.dimensions.iter().map(|dimension| dimension.extent).collect()
        };
        let are_buffers = |other: ClassId| {
            let is_alike = plans[&other].grid.dimensions == plan.grid.dimensions;
            is_alike && classes.class(other).is_of_buffers && classes.class(*class).is_of_buffers
        };
        let leader = plans.iter().find(|(other, theirs)| {
            (families.first(**other) == families.first(*class) || are_buffers(**other))
                && theirs.digits == plan.digits
                && theirs.scalar == plan.scalar
                && extents(theirs) == extents(plan)
        });
        found.insert(*class, leader.map_or(*class, |(leader, _)| *leader));
    }
    found
}

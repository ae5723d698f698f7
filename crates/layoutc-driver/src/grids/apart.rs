//! Arrays that are one class, unless the functions that they share have copies.
//!
//! Functions get copies only where the class as a whole stays or is wanted in several layouts, and
//! only if more changes with them than without. Arrays that nobody asks for then follow the one
//! that is asked for, so that what they share need not be written twice.

use super::{PlannedGrids, plan};
use crate::request::Request;
use layoutc_analysis::grid_plan::{Apart, flattened};
use layoutc_analysis::{ArrayPlan, Decision, Origin};
use layoutc_dataflow::classes::{Slot, separate};
use layoutc_diagnostics::{Code, Span};
use layoutc_syntax::{ExprId, FunctionId, Program, Scalar, Storage, VarId};
use std::collections::BTreeSet;

/// The grids with functions apart, if that changes more of what is wanted.
pub(super) fn with_versions(
    program: &Program,
    request: &Request,
    scalars: &BTreeSet<Scalar>,
    mut joint: PlannedGrids,
) -> PlannedGrids {
    let wanted = joint.parameters_in_the_way();
    if wanted.is_empty() {
        return joint;
    }
    let mut copied = program.clone();
    let separation = separate(&mut copied, &wanted, |program| flattened(program).0);
    if !separation.originals.is_empty() {
        let unwritten = separation.unwritten.clone();
        let apart = Apart { originals: separation.originals, unwritten };
        let apart = plan(&copied, request, scalars, &apart);
        if apart.changes_more_than(&joint) {
            return apart;
        }
    }
    for (function, (span, why)) in separation.refused.into_iter().chain(separation.unwritten) {
        joint.explain(program, function, span, &why);
    }
    joint
}

impl PlannedGrids {
    /// Parameters of classes that stay against the user's will, or are wanted in several layouts.
    fn parameters_in_the_way(&self) -> BTreeSet<VarId> {
        (self.plan.arrays.iter())
            .filter(|array| {
                let is_contradicted =
                    array.classes.iter().any(|class| self.contradicted.contains_key(class));
                has_reasons(array) || is_contradicted
            })
            .flat_map(|array| &array.classes)
            .flat_map(|class| &self.classes.class(*class).slots)
            .filter_map(|slot| match slot {
                Slot::Variable(id)
                    if matches!(self.program.variable(*id).storage, Storage::Parameter { .. }) =>
                {
                    Some(*id)
                }
                _ => None,
            })
            .collect()
    }

    /// The requests that were carried out, and the allocations of what changed.
    fn changed(&self) -> (BTreeSet<usize>, BTreeSet<ExprId>) {
        let mut requests = BTreeSet::new();
        let mut allocations = BTreeSet::new();
        for array in self.plan.arrays.iter().filter(|array| array.change().is_some()) {
            if let Origin::Request(at) = array.origin {
                requests.insert(at);
            }
            for class in &array.classes {
                let own = &self.classes.class(*class).allocations;
                allocations.extend(own.iter().map(|allocation| allocation.call));
            }
        }
        (requests, allocations)
    }

    fn changes_more_than(&self, other: &Self) -> bool {
        let (requests, allocations) = self.changed();
        let (their_requests, their_allocations) = other.changed();
        // A request that has no such dimensions fails where the array could change.
        if self.plan.errors.len() > other.plan.errors.len() {
            return their_requests.is_empty() && their_allocations.is_empty();
        }
        // Where nothing more changes, the better reasons count.
        let is_equal = requests == their_requests && allocations == their_allocations;
        if is_equal {
            return self.refused() < other.refused();
        }
        requests.is_superset(&their_requests)
            && (requests.len() > their_requests.len()
                || (allocations.is_superset(&their_allocations)
                    && allocations.len() > their_allocations.len()))
    }

    /// How many classes would gain and cannot change, where nobody asks for a layout.
    fn refused(&self) -> usize {
        let arrays = self.plan.arrays.iter();
        arrays.filter(|array| array.origin == Origin::Selector && has_reasons(array)).count()
    }

    /// Says why a function that is in the way has no versions.
    fn explain(&mut self, program: &Program, function: FunctionId, span: Span, why: &str) {
        let own = program.function(function);
        let text = format!("`{}` serves other arrays too, and has no versions: {why}", own.name);
        for array in &mut self.plan.arrays {
            let is_given = own.parameters.iter().any(|parameter| {
                let slot = Slot::Variable(*parameter);
                array.classes.iter().any(|class| self.classes.class(*class).slots.contains(&slot))
            });
            if let (true, Decision::Keep(reasons)) = (is_given, &mut array.decision) {
                for pin in reasons.iter_mut().filter(|pin| pin.code != Code::NO_GAIN) {
                    pin.related.push((span, text.clone()));
                }
            }
        }
    }
}

/// Whether something other than a lack of gain keeps an array.
fn has_reasons(array: &ArrayPlan) -> bool {
    array.reasons().iter().any(|pin| pin.code != Code::NO_GAIN)
}

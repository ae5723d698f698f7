//! Where a variable changes, for messages; and which parameters differ between threads.

use super::Changes;
use layoutc_diagnostics::Span;
use layoutc_syntax::VarId;
use std::collections::BTreeSet;

impl Changes {
    /// Parameters of device functions of which threads have values of their own.
    pub(in super::super) fn uneven(&self) -> &BTreeSet<VarId> {
        &self.uneven
    }

    /// Says which parameters of device functions those are.
    pub(in super::super) fn set_uneven(&mut self, uneven: BTreeSet<VarId>) {
        self.uneven = uneven;
    }

    /// The first place in a region that changes the variable, if that is seen.
    #[must_use]
    pub fn first_in(&self, id: VarId, region: Span) -> Option<Span> {
        let places = self.places.get(&id)?;
        places.iter().copied().filter(|place| region.contains(*place)).min()
    }
}

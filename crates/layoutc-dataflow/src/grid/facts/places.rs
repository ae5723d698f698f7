//! Where a variable changes, for messages.

use super::Changes;
use layoutc_diagnostics::Span;
use layoutc_syntax::VarId;

impl Changes {
    /// The first place in a region that changes the variable, if that is seen.
    #[must_use]
    pub fn first_in(&self, id: VarId, region: Span) -> Option<Span> {
        let places = self.places.get(&id)?;
        places.iter().copied().filter(|place| region.contains(*place)).min()
    }
}

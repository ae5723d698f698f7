//! Which macro body each expression, statement or declaration is written in.

use super::ExpansionId;
use std::num::NonZeroU32;

/// The homes of an arena's items, by their positions: four bytes for each.
#[derive(Clone, Debug, Default)]
pub struct Homes(Vec<Option<NonZeroU32>>);

impl Homes {
    /// The home of the next item.
    pub fn push(&mut self, home: Option<ExpansionId>) {
        self.0.push(home.and_then(|ExpansionId(id)| NonZeroU32::new(id + 1)));
    }

    /// The home of an item; `None` for one in the program's own text, and for one without any text.
    #[must_use]
    pub fn of(&self, at: usize) -> Option<ExpansionId> {
        self.0.get(at).copied().flatten().map(|id| ExpansionId(id.get() - 1))
    }

    /// Room for this many.
    pub fn reserve(&mut self, more: usize) {
        self.0.reserve(more);
    }
}

//! Branches that are not compiled and mention arrays that change.

use super::Rewriter;
use crate::edit::Edit;
use layoutc_diagnostics::Span;
use std::collections::BTreeSet;

impl Rewriter<'_> {
    /// Puts an `#error` at the start of each closed branch that mentions an array which changes, or defines a macro in another
    /// way that is used for one: its text says what was right for the old layout, and somebody may edit the switch.
    pub(super) fn close_branches(&mut self) {
        let classes = self.storage_of.keys();
        let mut branches: BTreeSet<Span> = classes
            .flat_map(|class| self.classes.class(*class).closed_branches.iter().copied())
            .collect();
        let edited: BTreeSet<Span> = self.edits.iter().map(|edit| edit.span.at_start()).collect();
        let is_edited = |text: Span| {
            edited.range(text.at_start()..).next().is_some_and(|at| text.contains(*at))
        };
        for own in &self.program.expansions {
            if own.has_unused || is_edited(own.span) || is_edited(own.definition) {
                // The macros whose bodies it stands in lead to it, too.
                let mut at = Some(own);
                while let Some(own) = at {
                    branches.extend(&own.closed);
                    at = own.home.map(|home| self.program.expansion(home));
                }
            }
        }
        for branch in branches.into_iter().filter(|_| !self.storage_of.is_empty()) {
            let start = Span { end: branch.start, ..branch };
            let file = self.program.sources.file(branch.file);
            let newline = if file.text().contains("\r\n") { "\r\n" } else { "\n" };
            let text = format!(
                "{newline}#error \"layoutc: this branch was not compiled when layouts changed; \
                 transform the source again\""
            );
            // Compilers of the host skip the branch, too.
            self.edits.push(Edit { suits_host: true, ..Edit::replace(start, text) });
        }
    }
}

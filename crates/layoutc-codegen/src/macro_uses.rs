//! What uses of macros the model has.

use layoutc_diagnostics::Span;
use layoutc_syntax::Program;
use std::collections::BTreeSet;

/// Whether every mention of a macro, given by the body of its `#define`, is a use that the model has, in bodies of macros of
/// which that holds, too.
pub(crate) fn is_accounted(program: &Program, body: Span) -> bool {
    let mut checked: BTreeSet<Span> = BTreeSet::new();
    let mut stack: Vec<Span> = vec![body];
    while let Some(body) = stack.pop() {
        if !checked.insert(body) {
            continue;
        }
        let all = program.expansions.iter().filter(|expansion| expansion.body == body);
        let names: BTreeSet<Span> = all.clone().map(|expansion| expansion.name_span).collect();
        let Some(name) = all.clone().next().map(|expansion| &expansion.name) else {
            return false;
        };
        let mentions = program.macro_mentions.get(name).map_or(&[][..], Vec::as_slice);
        if !mentions.iter().all(|mention| names.contains(mention)) {
            return false;
        }
        stack.extend(
            all.filter_map(|expansion| expansion.home).map(|home| program.expansion(home).body),
        );
    }
    true
}

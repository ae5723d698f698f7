//! Text in front of and behind other text, in the right order where several meet.

use crate::edit::Edit;
use layoutc_diagnostics::{FileId, Span};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What is put around a span.
#[derive(Clone, Debug)]
pub(super) struct Wrap {
    span: Span,
    before: String,
    behind: String,
}

impl Wrap {
    pub(super) fn new(span: Span, before: String, behind: &str) -> Self {
        Wrap { span, before, behind: behind.to_owned() }
    }
}

/// The insertions of all wraps, which are nested; of two around one span, the one that comes first is the outer one.
pub(super) fn insertions(wraps: Vec<Wrap>) -> BTreeMap<FileId, Vec<Edit>> {
    /// At one place first what ends there, inner ones first, then what begins there, outer ones first.
    type Order = (FileId, u32, u8, Reverse<u32>, i64);
    let mut all: Vec<(Order, Edit)> = Vec::new();
    for (wrap, number) in wraps.into_iter().zip(0_i64..) {
        let Wrap { span, before, behind } = wrap;
        if !behind.is_empty() {
            let order = (span.file, span.end, 0, Reverse(span.start), -number);
            all.push((order, Edit::replace(span.at_end(), behind)));
        }
        if !before.is_empty() {
            let order = (span.file, span.start, 1, Reverse(span.end), number);
            all.push((order, Edit::replace(span.at_start(), before)));
        }
    }
    all.sort_by_key(|(order, _)| *order);
    let mut found: BTreeMap<FileId, Vec<Edit>> = BTreeMap::new();
    for ((file, start, ..), edit) in all {
        let own = found.entry(file).or_default();
        // Insertions at one place are one edit, so that equal texts are not taken for one.
        match own.last_mut().filter(|last| last.span.start == start) {
            Some(last) => last.text.push_str(&edit.text),
            None => own.push(edit),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::EditSet;

    #[test]
    fn what_meets_at_one_place_is_nested() {
        let span = |start, end| Span::new(FileId(0), start, end);
        let wrap = |start, end, name: &str| {
            Wrap::new(span(start, end), format!("<{name}>"), &format!("</{name}>"))
        };
        let wraps = vec![wrap(0, 4, "a"), wrap(0, 2, "b"), wrap(0, 2, "c"), wrap(2, 4, "d")];
        let edits = EditSet::new(insertions(wraps).remove(&FileId(0)).unwrap_or_default());
        let text = edits.expect("no overlap").apply("xxyy");
        assert_eq!(text, "<a><b><c>xx</c></b><d>yy</d></a>");
    }
}

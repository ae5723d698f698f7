//! Edits to one file.

use layoutc_diagnostics::{FileId, SourceFile, SourceSet, Span, ViewKind};
use layoutc_syntax::Program;
use std::collections::BTreeMap;
use std::ops::Range;

/// Stands in a text for a byte that is not UTF-8 (U+001A, "substitute"). It is part of no edit, so
/// that the byte can be put back.
pub const PLACEHOLDER: char = '\u{1a}';

/// A byte range of the original text and what replaces it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// What is replaced; empty for an insertion.
    pub span: Span,
    /// The replacement.
    pub text: String,
    /// The replacement is a block of generated declarations, not a use that was rewritten.
    pub is_generated: bool,
    /// The function whose text this says again, for other arrays.
    pub version_of: Option<Span>,
    /// The functions of which a block of generated declarations has versions, and the text of each.
    pub versions_within: Vec<(Span, String)>,
    /// The text was an allocation, and another call allocates the memory now.
    pub drops_allocation: bool,
    /// A compiler of C++ that knows no kernels takes the text.
    pub suits_host: bool,
}

impl Edit {
    /// Replaces `span` by `text`.
    #[must_use]
    pub fn replace(span: Span, text: impl Into<String>) -> Self {
        Edit {
            span,
            text: text.into(),
            is_generated: false,
            version_of: None,
            versions_within: Vec::new(),
            drops_allocation: false,
            suits_host: false,
        }
    }

    /// Sends a call of the host elsewhere, or adds what it goes to.
    #[must_use]
    pub fn host_call(span: Span, text: impl Into<String>) -> Self {
        Edit { suits_host: true, ..Edit::replace(span, text) }
    }

    /// Replaces an allocation by an expression that takes over memory of another.
    #[must_use]
    pub fn drop_allocation(span: Span, text: impl Into<String>) -> Self {
        Edit { drops_allocation: true, ..Edit::replace(span, text) }
    }

    /// Puts another meaning of the function at `original` behind it.
    #[must_use]
    pub fn version(original: Span, text: impl Into<String>) -> Self {
        Edit { version_of: Some(original), ..Edit::replace(original.at_end(), text) }
    }
}

/// Two edits want the same byte: a bug of the rewriting passes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OverlappingEdits {
    /// The two edits.
    pub edits: Box<(Edit, Edit)>,
}

/// The edits of one file: sorted and disjoint.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EditSet {
    edits: Vec<Edit>,
}

impl EditSet {
    /// Sorts the edits; insertions at one place keep their order.
    ///
    /// # Errors
    /// [`OverlappingEdits`] if two edits share a byte.
    pub fn new(mut edits: Vec<Edit>) -> Result<Self, OverlappingEdits> {
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        edits.dedup();
        for pair in edits.windows(2) {
            if pair[1].span.start < pair[0].span.end {
                return Err(OverlappingEdits {
                    edits: Box::new((pair[0].clone(), pair[1].clone())),
                });
            }
        }
        Ok(EditSet { edits })
    }

    /// The edits in order.
    #[must_use]
    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }

    /// Whether nothing changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// The text after all edits.
    #[must_use]
    pub fn apply(&self, text: &str) -> String {
        let grown: usize = self.edits.iter().map(|edit| edit.text.len()).sum();
        let mut out = String::with_capacity(text.len() + grown);
        let mut at = 0;
        for edit in &self.edits {
            out.push_str(&text[at..edit.span.start as usize]);
            out.push_str(&edit.text);
            at = edit.span.end as usize;
        }
        out.push_str(&text[at..]);
        out
    }

    /// The byte ranges of generated declarations in the text after all edits.
    #[must_use]
    pub fn generated_ranges(&self) -> Vec<Range<usize>> {
        let mut ranges = Vec::new();
        let mut shift = 0isize;
        for edit in &self.edits {
            let start = (edit.span.start as isize + shift) as usize;
            if edit.is_generated || edit.version_of.is_some() {
                ranges.push(start..start + edit.text.len());
            }
            shift += edit.text.len() as isize - (edit.span.end - edit.span.start) as isize;
        }
        ranges
    }
}

/// Edits by the file that they are in.
///
/// # Errors
/// [`OverlappingEdits`] if two edits share a byte.
pub fn by_file(
    edits: impl IntoIterator<Item = Edit>,
) -> Result<BTreeMap<FileId, EditSet>, OverlappingEdits> {
    let mut found: BTreeMap<FileId, Vec<Edit>> = BTreeMap::new();
    for edit in edits {
        found.entry(edit.span.file).or_default().push(edit);
    }
    found.into_iter().map(|(file, edits)| Ok((file, EditSet::new(edits)?))).collect()
}

/// Edits together with others.
///
/// # Errors
/// [`OverlappingEdits`] if two edits share a byte.
pub fn joined(
    edits: &BTreeMap<FileId, EditSet>,
    more: Vec<Edit>,
) -> Result<BTreeMap<FileId, EditSet>, OverlappingEdits> {
    by_file(edits.values().flat_map(EditSet::edits).cloned().chain(more))
}

/// Edits of files that are parts of others, such as kernel text in string literals, become edits of
/// those.
#[must_use]
pub fn in_files(
    sources: &SourceSet,
    edits: BTreeMap<FileId, EditSet>,
) -> BTreeMap<FileId, EditSet> {
    let mut found: BTreeMap<FileId, Vec<Edit>> = BTreeMap::new();
    for (file, own) in edits {
        match sources.file(file).view() {
            None => found.entry(file).or_default().extend(own.edits),
            Some(view) => {
                let around = sources.file(view.of);
                let outer = found.entry(view.of).or_default();
                outer.extend(own.edits.into_iter().map(|edit| Edit {
                    span: Span { file: view.of, ..edit.span },
                    text: match view.kind {
                        ViewKind::Literal => in_literal(around, edit.span, &edit.text),
                        ViewKind::Raw | ViewKind::Argument => edit.text,
                    },
                    ..edit
                }));
            }
        }
    }
    // Parts of a file and what is around them share no byte; were it otherwise, no edit would be
    // better than some.
    let sets = found.into_iter().map(|(file, edits)| Some((file, EditSet::new(edits).ok()?)));
    let all: Option<BTreeMap<FileId, EditSet>> = sets.collect();
    debug_assert!(all.is_some(), "edits of a part overlap those around it");
    all.unwrap_or_default()
}

/// A text as it stands in a string literal, each line in one of its own.
fn in_literal(around: &SourceFile, span: Span, text: &str) -> String {
    let line = around.line_range(span.start as usize);
    let before = &around.text()[line];
    let indent: String = before.chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
    let newline = if around.text().contains("\r\n") { "\r\n" } else { "\n" };
    let mut out = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match letter {
            '\n' => {
                out.push_str("\\n\"");
                out.push_str(newline);
                out.push_str(&indent);
                out.push('"');
            }
            '\r' => {}
            '"' | '\\' => out.extend(['\\', letter]),
            '\t' => out.push_str("\\t"),
            _ => out.push(letter),
        }
    }
    out
}

/// The text of a span after edits that lie in it.
pub(crate) fn apply(program: &Program, span: Span, edits: Vec<Edit>) -> Option<String> {
    let moved = edits
        .into_iter()
        .map(|edit| Edit {
            span: Span::new(
                edit.span.file,
                (edit.span.start - span.start) as usize,
                (edit.span.end - span.start) as usize,
            ),
            ..edit
        })
        .collect();
    Some(EditSet::new(moved).ok()?.apply(program.text(span)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutc_diagnostics::FileId;

    fn edit(start: usize, end: usize, text: &str) -> Edit {
        Edit::replace(Span::new(FileId(0), start, end), text)
    }

    #[test]
    fn edits_apply_in_order_and_overlaps_are_refused() {
        let set = EditSet::new(vec![edit(4, 5, "X"), edit(0, 1, ""), edit(2, 2, "++")])
            .expect("disjoint");
        assert_eq!(set.apply("abcdef"), "b++cdXf");
        assert!(EditSet::new(vec![edit(0, 3, "x"), edit(2, 4, "y")]).is_err());
    }

    #[test]
    fn generated_ranges_are_in_the_new_text() {
        let mut block = edit(3, 3, "GEN");
        block.is_generated = true;
        let set = EditSet::new(vec![edit(0, 1, "long"), block]).expect("disjoint");
        let new = set.apply("abcdef");
        assert_eq!(
            set.generated_ranges().into_iter().map(|range| &new[range]).collect::<Vec<_>>(),
            ["GEN"]
        );
    }
}

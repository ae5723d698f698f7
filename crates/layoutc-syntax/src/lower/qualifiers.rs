//! Specifiers, qualifiers and attributes that were overwritten for the parser's sake.
//!
//! A node begins behind what was overwritten in front of it. What belongs to a declaration is
//! found between its node and the one before.

use super::Lowering;
use super::fields::{FieldName, Fields};
use crate::preprocess::MaskReason;
use crate::program::HeadMacro;
use layoutc_diagnostics::Span;
use std::ops::Range;
use tree_sitter::Node;

impl<'t> Lowering<'t> {
    /// Keywords and expanded specifier macros before the declared names of a declaration.
    pub(crate) fn modifier_words(&self, node: Node<'t>, specifier: Node<'t>) -> Vec<&'t str> {
        let end = node
            .field(FieldName::Declarator)
            .map_or(node.end_byte(), |declarator| declarator.start_byte());
        let mut words = Vec::new();
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            if child.start_byte() >= end && !child.kind().starts_with("__") {
                break;
            }
            if child != specifier && child.kind() != "comment" {
                words.push(self.text_of(child));
            }
        }
        for (_, reason) in self.masked(self.behind_previous(node)..end) {
            if let MaskReason::Specifier { expansion } = reason {
                words.extend(super::pasted::identifiers(expansion));
            }
        }
        words
    }

    /// Texts with attributes that were masked inside a byte range of the current file.
    pub(crate) fn masked_attributes(
        &self,
        range: Range<usize>,
    ) -> impl Iterator<Item = (Span, &'t str)> {
        self.masked(range).iter().filter_map(|(span, reason)| match reason {
            MaskReason::Attribute { text } => Some((*span, text.as_str())),
            MaskReason::Specifier { expansion } => Some((*span, expansion.as_str())),
            _ => None,
        })
    }

    /// The declaration with the specifiers and attributes that were overwritten in front of it.
    pub(crate) fn span_with_specifiers(&self, node: Node<'t>) -> Span {
        let own = self.span(node);
        let start = own.start as usize;
        let source = self.preprocessed.sources.file(self.current).text();
        // An empty macro on a line of its own says nothing about this declaration.
        let belongs = |(span, reason): &&(Span, MaskReason)| match reason {
            MaskReason::Specifier { expansion } => {
                !expansion.is_empty() || !source[span.end as usize..start].contains('\n')
            }
            MaskReason::Attribute { .. } => true,
            _ => false,
        };
        let first = self.masked(self.behind_previous(node)..start).iter().find(belongs);
        first.map_or(own, |(span, _)| Span { start: span.start, ..own })
    }

    /// What was overwritten in the head of a function: in front of its name, and behind its
    /// parameters.
    pub(crate) fn head_macros(
        &self,
        whole: Span,
        name: Span,
        parentheses: Option<Span>,
        body: Option<Node<'t>>,
    ) -> Vec<HeadMacro> {
        let behind = parentheses.map_or(name.end, |list| list.end) as usize;
        let end = body.map_or(whole.end as usize, |body| body.start_byte());
        [(whole.start as usize..name.start as usize), (behind..end)]
            .into_iter()
            .flat_map(|range| self.masked(range))
            .filter_map(|(span, reason)| {
                let (text, is_attribute) = match reason {
                    MaskReason::Specifier { expansion } => (expansion.clone(), false),
                    MaskReason::Attribute { text } => (text.clone(), true),
                    _ => return None,
                };
                let source = self.preprocessed.sources.file(self.current).text();
                let name = super::pasted::identifiers(&source[span.range()]).next();
                let name = name.unwrap_or_default().to_owned();
                // A word that the grammar lacks is no macro.
                let is_attribute = is_attribute || name == text;
                Some(HeadMacro { span: *span, name, text, is_attribute })
            })
            .collect()
    }

    /// Whether a type stands in the source as the parser saw it, not as a part of a macro that is
    /// also specifiers.
    pub(crate) fn is_spelled(&self, specifier: Node<'t>) -> bool {
        if self.frame.is_some() {
            return true;
        }
        let source = self.preprocessed.sources.file(self.current).text();
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let (start, end) = (specifier.start_byte(), specifier.end_byte());
        let (Some(own), Some(before), Some(behind)) =
            (source.get(start..end), source.get(..start), source.get(end..))
        else {
            return false;
        };
        let within = self.masked(self.behind_previous(specifier)..end);
        let is_masked = within.iter().any(|(span, reason)| {
            matches!(reason, MaskReason::Specifier { .. })
                && (span.start as usize) < end
                && start < span.end as usize
        });
        !is_masked
            || (own == self.text_of(specifier)
                && !before.ends_with(is_word)
                && !behind.starts_with(is_word))
    }

    /// What was overwritten from one place of the current file to another.
    fn masked(&self, range: Range<usize>) -> &'t [(Span, MaskReason)] {
        if self.frame.is_some() {
            return &[];
        }
        let spans = &self.preprocessed.files[self.current.index()].masked_spans;
        let from = spans.partition_point(|(span, _)| (span.start as usize) < range.start);
        let to = spans.partition_point(|(span, _)| (span.start as usize) < range.end);
        spans.get(from..to).unwrap_or_default()
    }

    /// Where what was overwritten in front of a declaration begins: behind what stands before it, as
    /// its first word may be blank now.
    ///
    /// tree-sitter searches for that from the root of the tree. It is only asked where no word
    /// parts the declaration from something that was overwritten.
    pub(crate) fn behind_previous(&self, node: Node<'t>) -> usize {
        let start = node.start_byte();
        let file = &self.preprocessed.files[self.current.index()];
        let before = file.masked_spans.partition_point(|(span, _)| (span.start as usize) < start);
        if self.frame.is_some() || before == 0 {
            return start;
        }
        let nearest = file.masked_spans[before - 1].0.end as usize;
        let between = file.masked.get(nearest..start).unwrap_or_default();
        // What stands in front of `friend` is of the declaration behind it.
        if between.trim_ascii() == "friend"
            && let Some(friend) = node.parent().filter(|own| own.kind() == "friend_declaration")
        {
            return self.behind_previous(friend);
        }
        if ends_with_word(between) { start } else { end_of_previous(node) }
    }
}

/// Whether the last line of a text that is not blank certainly ends with a word and no comment.
fn ends_with_word(text: &str) -> bool {
    const LONGEST: usize = 200;
    let text = text.trim_ascii_end().as_bytes();
    let tail = &text[text.len().saturating_sub(LONGEST)..];
    let line = match tail.iter().rposition(|byte| *byte == b'\n') {
        Some(at) => tail.get(at.saturating_sub(2)..).unwrap_or_default(),
        None if tail.len() == text.len() => tail,
        None => return false,
    };
    // A slash may begin or end a comment, and a backslash continue one.
    !text.is_empty() && !line.iter().any(|byte| matches!(byte, b'/' | b'\\'))
}

/// The end of what stands before a node.
fn end_of_previous(node: Node<'_>) -> usize {
    let mut at = node;
    loop {
        let mut before = at.prev_sibling();
        while let Some(sibling) = before
            && sibling.kind() == "comment"
        {
            before = sibling.prev_sibling();
        }
        match (before, at.parent()) {
            (Some(sibling), _) => return sibling.end_byte(),
            // What begins with the declaration begins with its blank words, too.
            (None, Some(parent)) => at = parent,
            (None, None) => return 0,
        }
    }
}

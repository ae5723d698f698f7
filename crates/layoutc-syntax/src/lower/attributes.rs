//! Attributes that give a type or a member another layout.
//!
//! `__attribute__((…))`, `[[…]]`, `__declspec(…)`, `__align__(…)` and `alignas(…)` are read word by
//! word. A word that is not known to leave the layout as it is makes the layout unknown.

use super::Lowering;
use super::fields::{FieldName, Fields};
use super::types::is_definition;
use crate::preprocess::{Token, TokenKind, tokens};
use crate::program::{RecordId, RecordTrait};
use layoutc_diagnostics::Span;
use tree_sitter::Node;

/// What one attribute does to the layout of the type or member that it stands at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LayoutEffect {
    /// The alignment in bytes is at least this power of two.
    Align(u64),
    /// Members lie without gaps.
    Packed,
    /// What it does is not known.
    Unknown,
}

/// The alignment that `aligned` without a number gives: the largest of x86-64.
const LARGEST_ALIGNMENT: u64 = 16;

/// Attributes, without underscores around them, that change no layout.
const HARMLESS: [&str; 27] = [
    "always_inline",
    "cold",
    "const",
    "constant",
    "deprecated",
    "device",
    "dllexport",
    "dllimport",
    "fallthrough",
    "forceinline",
    "global",
    "host",
    "hot",
    "managed",
    "may_alias",
    "maybe_unused",
    "nodiscard",
    "noinline",
    "noreturn",
    "nothrow",
    "pure",
    "section",
    "shared",
    "unused",
    "used",
    "visibility",
    "warn_unused_result",
];

/// The effects of all attributes in a text; other words in it have none.
fn effects_of(text: &str) -> Vec<LayoutEffect> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    let mut reader = Reader { text, tokens: &tokens, at: 0 };
    while let Some(word) = reader.next() {
        match word {
            "__attribute__" | "__attribute" => match reader.group("(", ")") {
                Some(inner) => match inner.unwrapped() {
                    Some(list) => list.each(&mut found),
                    None => found.push(LayoutEffect::Unknown),
                },
                None => found.push(LayoutEffect::Unknown),
            },
            "__declspec" => match reader.group("(", ")") {
                Some(list) => list.each(&mut found),
                None => found.push(LayoutEffect::Unknown),
            },
            "__align__" | "__builtin_align__" | "alignas" | "_Alignas" => {
                found.push(alignment(reader.group("(", ")")));
            }
            "[" => {
                reader.at -= 1;
                match reader.group("[", "]").and_then(|inner| inner.group_of("[", "]")) {
                    Some(list) => list.each(&mut found),
                    None => found.push(LayoutEffect::Unknown),
                }
            }
            _ => {}
        }
    }
    found
}

/// The alignment that the operand of an attribute gives.
fn alignment(operand: Option<Reader<'_>>) -> LayoutEffect {
    // `sizeof(float4)` and names of constants are no numbers here.
    operand
        .and_then(|operand| crate::evaluate::constant_tokens(operand.source(), &mut |_| None))
        .and_then(|align| u64::try_from(align).ok())
        .filter(|align| align.is_power_of_two())
        .map_or(LayoutEffect::Unknown, LayoutEffect::Align)
}

/// Tokens of an attribute's text.
struct Reader<'a> {
    text: &'a str,
    tokens: &'a [Token],
    at: usize,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        Some(token.text(self.text))
    }

    fn peek(&self) -> Option<&'a str> {
        self.tokens.get(self.at).map(|token| token.text(self.text))
    }

    fn source(&self) -> &'a str {
        match (self.tokens.first(), self.tokens.last()) {
            (Some(first), Some(last)) => &self.text[first.start as usize..last.end as usize],
            _ => "",
        }
    }

    /// What stands between the bracket that comes next and its partner.
    fn group(&mut self, open: &str, close: &str) -> Option<Self> {
        if self.peek() != Some(open) {
            return None;
        }
        let first = self.at + 1;
        let mut depth = 0_usize;
        while let Some(word) = self.next() {
            if word == open {
                depth += 1;
            } else if word == close {
                depth -= 1;
                if depth == 0 {
                    let tokens = &self.tokens[first..self.at - 1];
                    return Some(Reader { text: self.text, tokens, at: 0 });
                }
            }
        }
        None
    }

    /// What stands in brackets, if these enclose everything.
    fn group_of(mut self, open: &str, close: &str) -> Option<Self> {
        let inner = self.group(open, close)?;
        (self.at == self.tokens.len()).then_some(inner)
    }

    fn unwrapped(self) -> Option<Self> {
        self.group_of("(", ")")
    }

    /// The effects of a list: names with an optional scope and optional operands.
    fn each(mut self, found: &mut Vec<LayoutEffect>) {
        while let Some(token) = self.tokens.get(self.at) {
            let word = token.text(self.text);
            self.at += 1;
            if word == "," {
                continue;
            }
            if token.kind != TokenKind::Identifier || word == "using" {
                found.push(LayoutEffect::Unknown);
                return;
            }
            if self.peek() == Some("::") {
                self.at += 1;
                continue;
            }
            let has_operand = self.peek() == Some("(");
            let operand = self.group("(", ")");
            match word.trim_matches('_') {
                "aligned" | "align" if !has_operand => {
                    found.push(LayoutEffect::Align(LARGEST_ALIGNMENT));
                }
                "aligned" | "align" => found.push(alignment(operand)),
                "packed" => found.push(LayoutEffect::Packed),
                name if HARMLESS.contains(&name) => {}
                _ => found.push(LayoutEffect::Unknown),
            }
        }
    }
}

impl<'t> Lowering<'t> {
    /// The effects of the attributes of a node that is an attribute; `None` if it is none.
    pub(crate) fn attribute_effects(&mut self, node: Node<'t>) -> Option<Vec<LayoutEffect>> {
        match node.kind() {
            "alignas_qualifier" => {
                let mut cursor = node.walk();
                let value = node.named_children(&mut cursor).next();
                let value = value.filter(|value| value.kind() != "type_descriptor");
                let value = value.map(|value| self.expression(value));
                let align = value
                    .and_then(|value| crate::evaluate::constant(&self.program, value))
                    .and_then(|align| u64::try_from(align).ok())
                    .filter(|align| align.is_power_of_two());
                Some(vec![align.map_or(LayoutEffect::Unknown, LayoutEffect::Align)])
            }
            "attribute_specifier" | "attribute_declaration" | "ms_declspec_modifier" => {
                Some(effects_of(self.text_of(node)))
            }
            _ => None,
        }
    }

    /// The effects of attributes that were overwritten between two places of the current file.
    pub(crate) fn masked_effects(
        &self,
        range: std::ops::Range<usize>,
    ) -> Vec<(Span, LayoutEffect)> {
        self.masked_attributes(range)
            .flat_map(|(span, text)| effects_of(text).into_iter().map(move |effect| (span, effect)))
            .collect()
    }

    /// Gives a record the effects of its attributes.
    pub(crate) fn apply_attributes(&mut self, id: RecordId, effects: &[(Span, LayoutEffect)]) {
        let mut given = None;
        for (span, effect) in effects {
            match effect {
                // Of several numbers on a type g++ takes the last, of several on a member the largest.
                LayoutEffect::Align(align) if given.is_none_or(|own| own == *align) => {
                    given = Some(*align);
                    self.program.records[id.index()].explicit_align = given;
                }
                LayoutEffect::Packed => self.record_trait(id, RecordTrait::Packed, *span),
                LayoutEffect::Align(_) | LayoutEffect::Unknown => {
                    self.record_trait(id, RecordTrait::Unmodelled, *span);
                }
            }
        }
    }

    /// The alignment that the attributes of a member's declaration give it. Attributes that may lay the record
    /// out in another way are no part of the model.
    pub(crate) fn member_alignment(
        &mut self,
        record: RecordId,
        declaration: Node<'t>,
        specifier: Node<'t>,
    ) -> Option<u64> {
        let mut effects: Vec<(Span, LayoutEffect, bool)> = Vec::new();
        for (node, own) in self.attributes_within(declaration, specifier) {
            let is_of_all =
                node.parent() == Some(declaration) && node.start_byte() < specifier.start_byte();
            let span = self.span(node);
            effects.extend(own.into_iter().map(|effect| (span, effect, is_of_all)));
        }
        for (span, effect) in self.masked_effects_of(declaration, specifier) {
            let is_of_all = (span.start as usize) < specifier.start_byte();
            effects.push((span, effect, is_of_all));
        }
        let is_alone = declaration.fields(FieldName::Declarator).len() == 1;
        let mut found: Option<u64> = None;
        for (span, effect, is_of_all) in effects {
            match effect {
                // In a list of declarators, one behind a name is that member's alone.
                LayoutEffect::Align(align) if is_of_all || is_alone => {
                    found = Some(found.unwrap_or(1).max(align));
                }
                LayoutEffect::Align(_) | LayoutEffect::Packed | LayoutEffect::Unknown => {
                    self.record_trait(record, RecordTrait::Unmodelled, span);
                }
            }
        }
        found
    }

    /// Whether attributes give the type that a declaration names another size or alignment.
    pub(crate) fn changes_layout(&mut self, declaration: Node<'t>, specifier: Node<'t>) -> bool {
        !self.masked_effects_of(declaration, specifier).is_empty()
            || self
                .attributes_within(declaration, specifier)
                .iter()
                .any(|(_, effects)| !effects.is_empty())
    }

    /// Whether attributes give an enumeration that is defined here another size.
    pub(crate) fn changes_enum(&mut self, specifier: Node<'t>) -> bool {
        let mut end = specifier.end_byte();
        // An attribute behind the closing brace is followed by a name or the semicolon.
        if let Some(next) = specifier.next_sibling() {
            end = next.start_byte();
            if self.attribute_effects(next).is_some_and(|effects| !effects.is_empty()) {
                return true;
            }
        } else if let Some(next) = specifier.parent().and_then(|parent| parent.next_sibling()) {
            end = next.start_byte();
        }
        if !self.masked_effects(self.behind_previous(specifier)..end).is_empty() {
            return true;
        }
        let mut cursor = specifier.walk();
        let children: Vec<_> = specifier.children(&mut cursor).collect();
        children
            .into_iter()
            .any(|child| self.attribute_effects(child).is_some_and(|effects| !effects.is_empty()))
    }

    /// The attributes of a declaration that the grammar takes, but those of a type defined in it.
    fn attributes_within(
        &mut self,
        declaration: Node<'t>,
        specifier: Node<'t>,
    ) -> Vec<(Node<'t>, Vec<LayoutEffect>)> {
        let mut found = Vec::new();
        let mut pending = vec![declaration];
        while let Some(node) = pending.pop() {
            if let Some(effects) = self.attribute_effects(node) {
                found.push((node, effects));
            } else if node != specifier || !is_definition(specifier) {
                let mut cursor = node.walk();
                pending.extend(node.named_children(&mut cursor));
            }
        }
        found
    }

    /// The same of attributes that were overwritten; in front of the type these lie outside of the node.
    fn masked_effects_of(
        &self,
        declaration: Node<'t>,
        specifier: Node<'t>,
    ) -> Vec<(Span, LayoutEffect)> {
        let mut found =
            self.masked_effects(self.behind_previous(declaration)..declaration.end_byte());
        if is_definition(specifier) {
            let own = specifier.byte_range();
            found.retain(|(span, _)| !own.contains(&(span.start as usize)));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::LayoutEffect::{Align, Packed, Unknown};
    use super::effects_of;

    #[test]
    fn every_word_of_an_attribute_counts() {
        for (text, expected) in [
            ("__attribute__((aligned(16)))", vec![Align(16)]),
            ("__attribute__ (( __aligned__ ( 4 * 4 ) ))", vec![Align(16)]),
            ("__attribute__((aligned))", vec![Align(16)]),
            ("__attribute__((packed, aligned(8)))", vec![Packed, Align(8)]),
            ("__attribute__((unused, aligned(8), aligned(32)))", vec![Align(8), Align(32)]),
            ("__attribute__((unused))", vec![]),
            ("__attribute__((vector_size(16)))", vec![Unknown]),
            ("__attribute__((aligned(N)))", vec![Unknown]),
            ("[[maybe_unused, gnu::aligned(8)]]", vec![Align(8)]),
            ("[[using gnu: packed]]", vec![Unknown]),
            ("[[no_unique_address]]", vec![Unknown]),
            ("[[deprecated(\"packed\")]] const static", vec![]),
            ("__declspec(align(32))", vec![Align(32)]),
            ("__declspec(dllexport)", vec![]),
            ("static __align__(8) float", vec![Align(8)]),
            ("alignas(float4)", vec![Unknown]),
            ("alignas(3)", vec![Unknown]),
            ("__attribute__((aligned(8))", vec![Unknown]),
            ("__device__ static", vec![]),
        ] {
            assert_eq!(effects_of(text), expected, "{text}");
        }
    }
}

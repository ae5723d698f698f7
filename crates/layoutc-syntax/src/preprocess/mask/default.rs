//! Default arguments, and arguments of templates, that the grammar does not take.

use super::words::{is_builtin_type, is_operator_word, is_specifier};
use super::{MaskReason, Masker};
use crate::preprocess::lexer::TokenKind;

/// Most tokens that are looked at around one.
const REACH: usize = 256;

impl Masker<'_> {
    /// Whether the `...` at `at` ends a `using` declaration: `using Ts::operator()...;`.
    pub(super) fn is_pack_of_using(&self, at: usize) -> bool {
        if !matches!(self.text(at + 1), ";" | ",") {
            return false;
        }
        let first = (at.saturating_sub(REACH)..at)
            .rev()
            .find(|index| matches!(self.text(*index), "using" | ";" | "{" | "}"));
        first.is_some_and(|first| self.text(first) == "using")
    }

    /// `= {…}` of a parameter: the `{` at `open`.
    pub(super) fn mask_braced_default(&mut self, open: usize) {
        let Some(close) = self.partner(open).filter(|close| *close > open) else { return };
        if !matches!(self.text(close + 1), "," | ")") {
            return;
        }
        // Back to the parenthesis of the parameter list: a type and a name stand before the `=`.
        let mut at = open - 1;
        let mut depth = 0usize;
        let list = loop {
            if at == 0 || open - at > REACH {
                return;
            }
            at -= 1;
            match self.text(at) {
                ")" | "]" | "}" => depth += 1,
                "(" if depth == 0 => break at,
                "(" | "[" | "{" => match depth.checked_sub(1) {
                    Some(less) => depth = less,
                    None => return,
                },
                ";" => return,
                _ => {}
            }
        };
        // `int`, `T`, `v<T> &`, `T *p`: not the place that an assignment in a call stores to.
        let mut at = open - 1;
        let mut names = 0;
        while at > list + 1 {
            at -= 1;
            let word = self.text(at);
            if matches!(word, ">" | ">>") || is_builtin_type(word) {
                names = 2;
                break;
            } else if self.is_identifier(at) && !is_operator_word(word) {
                names += 1;
            } else if !matches!(word, "*" | "&" | "&&") {
                break;
            }
        }
        if names >= 2 {
            self.replace_by_name(open, close, MaskReason::Argument);
        }
    }

    /// A default of a template's parameter behind the `=` at `equals`, if it ends in a declarator or
    /// compares.
    pub(super) fn mask_template_default(&mut self, equals: usize) {
        // `template <`, with no `>` that would close it and no other bracket between.
        let mut at = equals;
        let mut depth = 0usize;
        loop {
            if at == 0 || equals - at > REACH {
                return;
            }
            at -= 1;
            match self.text(at) {
                ">" => depth += 1,
                ">>" => depth += 2,
                "<" if depth == 0 => break,
                "<" => depth -= 1,
                ";" | "{" | "}" => return,
                _ => {}
            }
        }
        if self.text_before(at) != "template" {
            return;
        }
        let Some((end, compares)) = self.template_argument_end(equals + 1) else { return };
        let last = self.text(end - 1);
        let is_abstract = matches!(last, "*" | "&" | "&&" | "]")
            || (last == ")"
                && self.partner(end - 1).is_some_and(|open| {
                    open > equals + 1 && matches!(self.text_before(open), ")" | ">")
                }));
        if end > equals + 1 && (compares || is_abstract) {
            self.replace_by_name(equals + 1, end - 1, MaskReason::Argument);
        }
    }

    /// `name<a >= b>::`: the argument around the `>=` at `at`.
    pub(super) fn mask_comparison_argument(&mut self, at: usize) {
        let mut first = at;
        let open = loop {
            if first == 0 || at - first > REACH {
                return;
            }
            first -= 1;
            match self.text(first) {
                ")" | "]" => match self.partner(first).filter(|open| *open < first) {
                    Some(open) => first = open,
                    None => return,
                },
                "<" | "," => break first,
                "(" | "[" | "{" | "}" | ";" | ">" | "&&" | "||" | "=" | "?" => return,
                _ => {}
            }
        };
        let is_named = self.text(open) == ","
            || (open > 0
                && self.is_identifier(open - 1)
                && !is_operator_word(self.text_before(open))
                && !is_specifier(self.text_before(open)));
        let Some((end, _)) = self.template_argument_end(open + 1) else { return };
        // Only what a qualified name goes on behind can be no comparison.
        if is_named && self.text(end) == ">" && self.text(end + 1) == "::" && end > at {
            self.replace_by_name(open + 1, end - 1, MaskReason::Argument);
        }
    }

    /// Where the argument that starts at `first` ends, at a `,` or `>`, and whether it compares.
    fn template_argument_end(&self, first: usize) -> Option<(usize, bool)> {
        let mut at = first;
        let mut depth = 0usize;
        let mut compares = false;
        while at < first + REACH {
            match self.text(at) {
                "(" | "[" | "{" => at = self.partner(at).filter(|close| *close > at)?,
                "<" if at > first
                    && (self.kind(at - 1) == Some(TokenKind::Number)
                        || self.text_before(at) == ")") =>
                {
                    return None;
                }
                "<" => depth += 1,
                ">" | "," if depth == 0 => return Some((at, compares)),
                ">" => depth -= 1,
                // Of two arguments at once; where it closes this one too, nothing is masked.
                ">>" => depth = depth.checked_sub(2)?,
                ">=" | "<=" => compares = true,
                "" | ";" | ")" | "]" | "}" => return None,
                _ => {}
            }
            at += 1;
        }
        None
    }
}

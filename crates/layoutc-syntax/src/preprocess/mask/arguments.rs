//! Arguments of macros that are no expressions: types, operators, declarations, statements.

use super::structure::{Enclosure, Structure};
use super::words::{is_builtin_type, is_operator_word, is_specifier, looks_like_macro};
use super::{MaskReason, Masker};
use crate::preprocess::lexer::TokenKind;

impl Masker<'_> {
    /// Masks arguments that no call can have.
    pub(super) fn mask_arguments(&mut self) {
        let mut structure = Structure::new();
        for at in 0..self.toks.len() {
            if self.removed[at] {
                continue;
            }
            if self.is_identifier(at)
                && let Some(close) = self.call_close(at)
                && self.takes_anything(at, &structure)
            {
                if let Some(first) = self.unwrap_statements(at, close, &structure) {
                    structure.end_statement(first);
                    continue;
                }
                let mut first = at + 2;
                for comma in self.top_level(at + 2, close, ",") {
                    self.mask_argument(first, comma);
                    first = comma + 1;
                }
                self.mask_argument(first, close);
            }
            structure.read(self, at);
        }
    }

    /// Whether the called name takes arguments that are no expressions.
    fn takes_anything(&self, at: usize, structure: &Structure) -> bool {
        if let Some(def) = self.def(at) {
            return def.is_function_like();
        }
        let name = self.text(at);
        if matches!(name, "va_arg" | "typeid" | "__builtin_va_arg" | "__builtin_types_compatible_p")
        {
            return true;
        }
        let before = self.text_before(at);
        let declares = at > 0 && self.is_identifier(at - 1) && !is_operator_word(before);
        looks_like_macro(name)
            && !self.toks[at].fixed
            && structure.enclosure() == Enclosure::Block
            && !declares
            && !matches!(before, "~" | "." | "->" | "::" | "new")
    }

    /// `DEBUG(f(); g();)` and `DISPATCH(x, T, { f(); })` at the start of a statement: removes the
    /// macro and leaves the statements, so that they can be seen; the first of their tokens.
    fn unwrap_statements(
        &mut self,
        at: usize,
        close: usize,
        structure: &Structure,
    ) -> Option<usize> {
        let alone = structure.enclosure() == Enclosure::Block && structure.starts_statement();
        if !alone || close < at + 4 {
            return None;
        }
        let last = close - 1;
        let block = self.partner(last).filter(|_| self.text(last) == "}");
        let first = match block {
            Some(open) if matches!(self.text_before(open), "," | "(") => open,
            _ if matches!(self.text(last), ";" | "}")
                && !self.top_level(at + 2, close, ";").is_empty() =>
            {
                at + 2
            }
            _ => return None,
        };
        if block == Some(first) && self.top_level(first + 1, last, ";").is_empty() {
            return None;
        }
        self.replace(at, first - 1, "", MaskReason::Other);
        self.replace(close, close, "", MaskReason::Other);
        Some(first)
    }

    fn mask_argument(&mut self, first: usize, end: usize) {
        if first >= end {
            return;
        }
        let reason = if self.is_type(first, end) {
            MaskReason::TypeArgument
        } else if self.is_no_expression(first, end) {
            MaskReason::MacroArgument
        } else {
            return;
        };
        self.replace_by_name(first, end - 1, reason);
    }

    /// Overwrites tokens by an identifier that reads like them.
    pub(super) fn replace_by_name(&mut self, first: usize, last: usize, reason: MaskReason) {
        let span = self.span(first, last);
        let line = self.source[span.range()].lines().next().unwrap_or_default();
        // Letters are kept; a name that is a keyword as a whole gets another last letter.
        let mut filler: String = line
            .bytes()
            .map(|byte| {
                let keeps = byte.is_ascii_alphanumeric() || byte == b'_';
                if keeps { byte as char } else { '_' }
            })
            .collect();
        if filler.starts_with(|first: char| first.is_ascii_digit()) {
            filler.replace_range(..1, "_");
        }
        if first == last && !filler.ends_with('_') {
            filler.pop();
            filler.push('_');
        }
        self.replace(first, last, &filler, reason);
    }

    /// Whether tokens are a type that is no expression: built-in, with a qualifier or keyword, or
    /// with `*` or `&` at its end.
    fn is_type(&self, first: usize, end: usize) -> bool {
        let mut at = first;
        let mut certain = false;
        let mut named = false;
        while at < end {
            let word = self.text(at);
            if is_builtin_type(word) {
                named = true;
                certain = true;
            } else if is_specifier(word)
                || matches!(word, "struct" | "class" | "union" | "enum" | "typename")
            {
                certain = true;
            } else if self.is_identifier(at) && !named && !is_operator_word(word) {
                // A qualified name, perhaps with template arguments.
                named = true;
                while self.text(at + 1) == "::" && self.is_identifier(at + 2) && at + 2 < end {
                    at += 2;
                }
                if self.text(at + 1) == "<" {
                    let name = self.text(at);
                    let is_function = self.templates.contains(name) && !self.types.contains(name);
                    if is_function || name.ends_with("_cast") {
                        return false;
                    }
                    let Some(close) = self.angle_close(at + 1, end) else {
                        return false;
                    };
                    certain = true;
                    at = close;
                }
            } else {
                break;
            }
            at += 1;
        }
        let stars = at;
        while at < end
            && matches!(
                self.text(at),
                "*" | "&" | "&&" | "const" | "__restrict__" | "volatile" | "restrict"
            )
        {
            at += 1;
        }
        // An abstract function or array declarator behind a type that is certain.
        if certain && at < end && matches!(self.text(at), "(" | "[") && at > first {
            let cast_like = self.partner(at) == Some(end - 1)
                && self.text(at) == "("
                && is_builtin_type(self.text(first));
            return !cast_like || self.text(at + 1) == "*";
        }
        named && at == end && (certain || stars < end)
    }

    /// The `>` that closes the `<` at `open`, if only types and names stand between.
    pub(super) fn angle_close(&self, open: usize, end: usize) -> Option<usize> {
        let mut depth = 0usize;
        for at in open..end {
            match self.text(at) {
                "<" => depth += 1,
                ">" => depth = depth.saturating_sub(1),
                ">>" => depth = depth.saturating_sub(2),
                ">>>" => depth = depth.saturating_sub(3),
                "," | "::" | "*" | "&" => {}
                _ if matches!(self.kind(at), Some(TokenKind::Identifier | TokenKind::Number)) => {}
                _ => return None,
            }
            if depth == 0 {
                return Some(at);
            }
        }
        None
    }

    /// Whether tokens cannot be an expression.
    fn is_no_expression(&self, first: usize, end: usize) -> bool {
        let starts_wrong = matches!(
            self.text(first),
            "return"
                | "if"
                | "for"
                | "while"
                | "do"
                | "switch"
                | "break"
                | "continue"
                | "case"
                | "goto"
                | "template"
                | "static"
                | "inline"
                | "using"
                | "namespace"
                | "extern"
                | "typedef"
                | "{"
                | "else"
                | "="
                | "=="
                | "<"
                | ">"
                | "<="
                | ">="
                | "!="
                | "/"
                | "%"
                | "|"
                | "||"
                | "^"
                | "+="
                | "-="
                | "*="
                | "/="
                | "."
                | "->"
                | "?"
                | "#"
                | "##"
                | "<<"
                | ">>"
        ) && !(self.text(first) == "{"
            && self.top_level(first + 1, end - 1, ";").is_empty());
        let operator = end == first + 1
            && self.kind(first) == Some(TokenKind::Punct)
            && !matches!(self.text(first), "..." | "(" | ")" | "[" | "]" | "{" | "}");
        let last = self.text(end - 1);
        let ends_wrong = end > first + 1
            && self.kind(end - 1) == Some(TokenKind::Punct)
            && matches!(
                last,
                ";" | "="
                    | "+"
                    | "-"
                    | "*"
                    | "/"
                    | "%"
                    | "<"
                    | "=="
                    | "!="
                    | "&&"
                    | "||"
                    | "|"
                    | "&"
            );
        if starts_wrong || operator || ends_wrong {
            return true;
        }
        // Two names side by side: a declaration.
        let mut at = first;
        while at + 1 < end {
            let (word, next) = (self.text(at), self.text(at + 1));
            if word.ends_with("_cast")
                && next == "<"
                && let Some(close) = self.angle_close(at + 1, end)
            {
                at = close + 1;
                continue;
            }
            let names = self.is_identifier(at) && self.is_identifier(at + 1);
            if names && !is_operator_word(word) && !is_operator_word(next) && !is_specifier(next) {
                return true;
            }
            at = self.partner(at).filter(|close| *close > at).map_or(at + 1, |close| close + 1);
        }
        false
    }
}

//! Macros that stand for specifiers, attributes or nothing.

use std::collections::HashMap;

use super::words::{
    is_builtin_type, is_known_undefined, is_operator_word, is_specifier, is_specifier_call,
    looks_like_macro,
};
use super::{MaskReason, Masker};
use crate::preprocess::lexer::{TokenKind, tokens};
use crate::preprocess::macros::{MacroDef, MacroId, MacroTable};

/// Longest expansion of a specifier macro, in tokens.
const EXPANSION_LIMIT: usize = 64;
/// Deepest nesting of specifier macros.
const DEPTH_LIMIT: usize = 16;

/// What a macro stands for, if that is of interest here.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Class {
    /// Specifiers only, or nothing.
    Specifiers(String),
    /// Specifiers and then a type.
    Typed { expansion: String, ty: String },
    /// Specifiers and a type that is an argument, with that where it stands.
    Placed { expansion: String, shown: String },
    /// A few keywords and operators that are no expression, such as `&&` or `else if`.
    Words(String),
    /// Anything else.
    Other,
}

/// Classes of the macros met so far.
#[derive(Default)]
pub(super) struct Classes {
    known: HashMap<MacroId, Class>,
}

impl Classes {
    fn of(&mut self, id: MacroId, table: &MacroTable) -> Class {
        self.known.entry(id).or_insert_with(|| classify(table.get(id), table)).clone()
    }
}

fn classify(def: &MacroDef, table: &MacroTable) -> Class {
    let Some(words) = expand(def, table, 0) else {
        return Class::Other;
    };
    let expansion = words.join(" ");
    let Some(rest) = skip_specifiers(&words) else {
        return Class::Other;
    };
    if rest.is_empty() {
        return Class::Specifiers(expansion);
    }
    let (ty, behind) = rest.split_at(type_length(rest));
    let is_specified = rest.len() < words.len() || !behind.is_empty();
    if !ty.is_empty() && is_specified && skip_specifiers(behind).is_some_and(<[_]>::is_empty) {
        return Class::Typed { ty: ty.join(" "), expansion };
    }
    let odd = |word: &String| matches!(word.as_str(), "&&" | "||" | "else" | "if" | "for" | "do");
    if !def.is_function_like()
        && words.len() <= 8
        && (words.first().is_some_and(odd) || words.last().is_some_and(odd))
    {
        return Class::Words(expansion);
    }
    Class::Other
}

/// Number of words at the start that name a type: built-in ones, or one name.
fn type_length(words: &[String]) -> usize {
    match words.iter().take_while(|word| is_builtin_type(word)).count() {
        0 => usize::from(words.first().is_some_and(|word| is_plain_name(word))),
        length => length,
    }
}

fn is_plain_name(word: &str) -> bool {
    word.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && !matches!(
            word,
            "template" | "struct" | "class" | "union" | "enum" | "namespace" | "using" | "return"
        )
}

/// The words behind the leading specifiers; `None` if a specifier's arguments do not end.
fn skip_specifiers(words: &[String]) -> Option<&[String]> {
    let mut rest = words;
    loop {
        match rest {
            [first, open, ..] if is_specifier_call(first) && open == "(" => {
                rest = &rest[1 + group_length(&rest[1..], "(", ")")?..];
            }
            [first, second, ..] if first == "[" && second == "[" => {
                rest = &rest[group_length(rest, "[", "]")?..];
            }
            [first, second, ..] if first == "extern" && second.starts_with('"') => {
                rest = &rest[2..]
            }
            [first, second, ..] if first == "template" && second == "<" => {
                rest = &rest[1 + group_length(&rest[1..], "<", ">")?..];
            }
            [first, ..] if is_specifier(first) => rest = &rest[1..],
            _ => return Some(rest),
        }
    }
}

/// Number of words of the bracket group that the first word opens.
fn group_length(words: &[String], open: &str, close: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, word) in words.iter().enumerate() {
        if word == open {
            depth += 1;
        } else if word == close {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(at + 1);
            }
        }
    }
    None
}

/// The words of a macro's replacement with object-like macros in it replaced; `None` if it is too
/// long. A macro called with arguments stays as it is, unless it stands for specifiers itself.
fn expand(def: &MacroDef, table: &MacroTable, depth: usize) -> Option<Vec<String>> {
    let found = tokens(&def.text);
    if found.len() > EXPANSION_LIMIT || depth > DEPTH_LIMIT {
        return None;
    }
    let mut words = Vec::new();
    let mut at = 0;
    while at < found.len() {
        let word = found[at].text(&def.text);
        let inner = Some(word)
            .filter(|word| {
                found[at].kind == TokenKind::Identifier && *word != def.name && !is_specifier(word)
            })
            .and_then(|word| table.lookup(word).last());
        at += 1;
        match inner {
            Some(inner) if !inner.is_function_like() => {
                words.extend(expand(inner, table, depth + 1)?)
            }
            Some(inner) if found.get(at).is_some_and(|next| next.text(&def.text) == "(") => {
                let rest: Vec<String> =
                    found[at..].iter().map(|token| token.text(&def.text).to_owned()).collect();
                let body = expand(inner, table, depth + 1)?;
                if skip_specifiers(&body).is_some_and(<[String]>::is_empty)
                    && let Some(length) = group_length(&rest, "(", ")")
                {
                    at += length;
                    words.extend(body);
                } else {
                    words.push(word.to_owned());
                }
            }
            _ => words.push(word.to_owned()),
        }
        if words.len() > EXPANSION_LIMIT {
            return None;
        }
    }
    Some(words)
}

impl Masker<'_> {
    /// Masks uses of the program's own specifier macros.
    pub(super) fn mask_defined_specifiers(&mut self) {
        let mut classes = Classes::default();
        for at in 0..self.toks.len() {
            let Some(id) = self.toks[at].def.filter(|_| !self.removed[at]) else {
                continue;
            };
            let def = self.table.get(id);
            // The grammar takes these words as they are, whatever they are defined to.
            if is_specifier(&def.name) && !is_known_undefined(&def.name) {
                continue;
            }
            let last = if def.is_function_like() {
                match self.call_close(at) {
                    Some(close) => close,
                    None => continue,
                }
            } else {
                at
            };
            let class = classes.of(id, self.table);
            match self.with_arguments(class, def, at, last) {
                Class::Specifiers(expansion) if expansion.is_empty() && def.is_function_like() => {
                    if self.is_before_declaration(at, last) {
                        self.replace(at, last, "", MaskReason::Specifier { expansion });
                    }
                }
                Class::Specifiers(expansion) => {
                    // An attribute would trip the parser even where there is room for it.
                    let plain = expansion
                        .split(' ')
                        .all(|word| is_specifier(word) && !is_known_undefined(word));
                    let has_room = plain && self.text(last + 1) != "friend";
                    let shown = if has_room { expansion.clone() } else { String::new() };
                    self.replace(at, last, &shown, MaskReason::Specifier { expansion });
                }
                Class::Typed { expansion, ty } => {
                    let shown = if expansion.contains('(') || !self.fits(at, last, &expansion) {
                        ty
                    } else {
                        expansion.clone()
                    };
                    if self.fits(at, last, &shown) {
                        self.replace(at, last, &shown, MaskReason::Specifier { expansion });
                    } else {
                        let span = self.span(at, last);
                        self.note(span, MaskReason::Specifier { expansion });
                    }
                }
                Class::Placed { expansion, shown } => {
                    if self.fits(at, last, &shown) {
                        self.replace(at, last, &shown, MaskReason::Specifier { expansion });
                    }
                }
                Class::Words(expansion) => {
                    if self.fits(at, last, &expansion) {
                        self.replace(
                            at,
                            last,
                            &expansion,
                            MaskReason::Specifier { expansion: expansion.clone() },
                        );
                    }
                }
                Class::Other => {}
            }
        }
    }

    /// The class with the arguments of a call in the place of the parameters.
    fn with_arguments(&self, class: Class, def: &MacroDef, at: usize, last: usize) -> Class {
        let Some(params) = &def.params else { return class };
        let (Class::Specifiers(expansion) | Class::Typed { expansion, .. }) = &class else {
            return class;
        };
        if params.is_empty() || expansion.is_empty() {
            return class;
        }
        let mut args = Vec::new();
        let mut first = at + 2;
        for comma in self.top_level(at + 2, last, ",").into_iter().chain([last]) {
            let arg =
                if first < comma { &self.source[self.span(first, comma - 1).range()] } else { "" };
            args.push((arg, first));
            first = comma + 1;
        }
        let argument = |word: &str| {
            let index = params.iter().position(|param| param == word)?;
            Some(args.get(index).copied().unwrap_or(("", last)))
        };
        let words = expansion.split(' ').map(|word| argument(word).map_or(word, |(arg, _)| arg));
        let expansion = words.collect::<Vec<_>>().join(" ");
        let Class::Typed { ty, .. } = &class else { return Class::Specifiers(expansion) };
        // The type stays where it is among the arguments, so that its text can be edited.
        let Some((arg, first)) = argument(ty) else {
            return Class::Typed { expansion, ty: ty.clone() };
        };
        let is_type = !arg.contains(['\n', '(', '{', '"'])
            && (self.is_identifier(first) || self.text(first) == "::");
        if !is_type {
            return Class::Other;
        }
        let offset = (self.span(first, first).start - self.span(at, at).start) as usize;
        Class::Placed { expansion, shown: format!("{}{arg}", " ".repeat(offset)) }
    }

    /// Whether what follows a macro call can only be the rest of a declaration that it starts.
    fn is_before_declaration(&self, at: usize, last: usize) -> bool {
        let next = self.text(last + 1);
        let follows = is_specifier(next) || is_builtin_type(next);
        let alone = at == 0 || matches!(self.text(at - 1), ";" | "{" | "}" | ")");
        (follows && self.same_line(last, last + 1))
            || (!alone && self.is_identifier(last + 1))
            || (!alone && matches!(next, "{" | ";") && self.text(at - 1) == ")")
    }

    /// Masks a word without definition at `at` that can only be a specifier; its last token.
    pub(super) fn mask_undefined_specifier(
        &mut self,
        at: usize,
        starts_statement: bool,
        in_block: bool,
    ) -> Option<usize> {
        let word = self.text(at);
        if self.toks[at].def.is_some() || self.toks[at].fixed || !self.is_identifier(at) {
            return None;
        }
        let known = is_known_undefined(word);
        if !known && !looks_like_macro(word) {
            return None;
        }
        let last = self.call_close(at).unwrap_or(at);
        let called = last > at;
        let next = self.text(last + 1);
        let previous = self.text_before(at);
        let after_type = at > 0
            && !starts_statement
            && (is_builtin_type(previous)
                || (matches!(previous, "*" | "&") && self.same_line(last, last + 1)));
        let same_line = self.same_line(last, last + 1);
        let specifies = if known {
            !called || self.is_identifier(last + 1) || !starts_statement
        } else if self.types.contains(word) {
            false
        } else if self.type_follows(last + 1) {
            // `CHECK\n int x;` in a function is a statement; `API void f();` is not.
            same_line || !in_block || !starts_statement
        } else if after_type && self.is_identifier(last + 1) {
            !is_specifier(next) || matches!(previous, "*" | "&")
        } else if matches!(previous, "struct" | "class" | "union") && self.is_identifier(last + 1) {
            matches!(self.text(last + 2), "{" | ":" | "final")
        } else {
            // Three names in a row: the middle one, or the first one of a declaration.
            let word_before = at > 0
                && self.is_identifier(at - 1)
                && !starts_statement
                && !is_operator_word(previous)
                && !is_specifier(previous);
            let words_behind = self.is_identifier(last + 1)
                && !is_operator_word(next)
                && self.declarator_behind(last + 1).is_some_and(|name| self.same_line(last, name));
            (word_before
                && self.is_identifier(last + 1)
                && self.same_line(at - 1, last + 1)
                && !is_operator_word(next))
                || ((starts_statement || is_specifier(previous))
                    && words_behind
                    && !is_specifier(next)
                    // `LRESULT CALLBACK f();`: the second one is it.
                    && !is_known_undefined(next)
                    && (!looks_like_macro(next) || self.types.contains(next))
                    && (same_line || !in_block))
        };
        if !specifies {
            return None;
        }
        self.replace(at, last, "", MaskReason::Specifier { expansion: String::new() });
        Some(last)
    }
}

impl Masker<'_> {
    /// The name that a declaration whose type starts at `at` declares.
    fn declarator_behind(&self, at: usize) -> Option<usize> {
        let mut index = at;
        while self.text(index + 1) == "::" && self.is_identifier(index + 2) {
            index += 2;
        }
        if self.text(index + 1) == "<" {
            index = self.angle_close(index + 1, (index + 64).min(self.toks.len()))?;
        }
        while matches!(self.text(index + 1), "*" | "&" | "const") {
            index += 1;
        }
        let plain = index == at;
        let name = index + 1;
        let ends = matches!(self.text(name + 1), "(" | "=" | ";" | "[" | "," | "{" | "::");
        (self.is_identifier(name) && (plain || ends)).then_some(name)
    }

    /// Whether the word at `at` looks like a macro and a specifier or built-in type follows.
    fn is_undefined_before_type(&self, at: usize) -> bool {
        let (word, next) = (self.text(at), self.text(at + 1));
        looks_like_macro(word)
            && !self.types.contains(word)
            && (is_specifier(next) || is_builtin_type(next))
    }

    /// Whether a declaration's type stands at `at`, behind specifiers perhaps, so that what stands
    /// before can be no type.
    fn type_follows(&self, at: usize) -> bool {
        let mut index = at;
        loop {
            let word = self.text(index);
            if is_specifier_call(word) && self.call_close(index).is_some() {
                index = self.call_close(index).map_or(index + 1, |close| close + 1);
            } else if matches!(word, "const" | "volatile" | "noexcept" | "override" | "final")
                && index == at
            {
                // `T const x` and `f() const` say nothing about the word before.
                return false;
            } else if is_specifier(word) || self.is_undefined_before_type(index) {
                index += 1;
            } else {
                break;
            }
        }
        let word = self.text(index);
        let named = self.is_identifier(index) && !is_operator_word(word);
        is_builtin_type(word)
            || matches!(word, "struct" | "class" | "template" | "typename" | "typedef")
            || (index > at
                && named
                && (self.is_identifier(index + 1)
                    || matches!(self.text(index + 1), "*" | "&" | "<")))
    }
}

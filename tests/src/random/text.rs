//! Program text in which names are symbols and values can be cut out.
//!
//! The generator writes plain strings, with `$12$` for the symbol 12 and `«…»` around an expression
//! of type `unsigned` that has no effect; CUDA has neither sign. [`Text::parse`] reads that form.

use std::collections::BTreeSet;
use std::fmt;

/// A declared name of a program: a struct, a field, a function, a variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Symbol(pub u32);

impl fmt::Display for Symbol {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "${}$", self.0)
    }
}

/// A part of a [`Text`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// Text as it is.
    Plain(String),
    /// A name.
    Name(Symbol),
    /// An expression without effects that any `unsigned` value may stand for.
    Value(Text),
}

/// Text of a program, without the decision how its symbols are spelled.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Text(pub Vec<Piece>);

impl Text {
    /// Reads the form described above. Signs that do not pair are taken as they are.
    #[must_use]
    pub fn parse(source: &str) -> Self {
        let mut open: Vec<Vec<Piece>> = vec![Vec::new()];
        let mut rest = source;
        while let Some(at) = rest.find(['$', '«', '»']) {
            push_plain(&mut open, &rest[..at]);
            rest = &rest[at..];
            if let Some(after) = rest.strip_prefix('«') {
                open.push(Vec::new());
                rest = after;
            } else if let Some(after) = rest.strip_prefix('»') {
                if open.len() > 1 {
                    let inner = open.pop().unwrap_or_default();
                    push(&mut open, Piece::Value(Text(inner)));
                }
                rest = after;
            } else {
                let digits = rest[1..].find('$').map(|end| &rest[1..1 + end]);
                match digits.and_then(|digits| digits.parse().ok()) {
                    Some(number) => {
                        push(&mut open, Piece::Name(Symbol(number)));
                        rest = &rest[2 + digits.map_or(0, str::len)..];
                    }
                    None => {
                        push_plain(&mut open, "$");
                        rest = &rest[1..];
                    }
                }
            }
        }
        push_plain(&mut open, rest);
        let mut pieces = Vec::new();
        for part in open {
            pieces.extend(part);
        }
        Text(pieces)
    }

    /// The text with its names as `spell` gives them.
    pub fn write(&self, spell: &dyn Fn(Symbol) -> String, out: &mut String) {
        for piece in &self.0 {
            match piece {
                Piece::Plain(text) => out.push_str(text),
                Piece::Name(symbol) => out.push_str(&spell(*symbol)),
                Piece::Value(value) => value.write(spell, out),
            }
        }
    }

    /// Puts a symbol in the place of some text.
    pub fn replace(&mut self, what: &str, by: Symbol) {
        let pieces = std::mem::take(&mut self.0).into_iter().flat_map(|piece| match piece {
            Piece::Plain(text) => Text::parse(&text.replace(what, &by.to_string())).0,
            Piece::Name(_) | Piece::Value(_) => vec![piece],
        });
        self.0 = pieces.collect();
    }

    /// Whether a symbol occurs.
    #[must_use]
    pub fn mentions(&self, symbol: Symbol) -> bool {
        self.0.iter().any(|piece| match piece {
            Piece::Plain(_) => false,
            Piece::Name(name) => *name == symbol,
            Piece::Value(value) => value.mentions(symbol),
        })
    }

    /// Adds the symbols that occur.
    pub fn symbols(&self, out: &mut BTreeSet<Symbol>) {
        for piece in &self.0 {
            match piece {
                Piece::Plain(_) => {}
                Piece::Name(symbol) => {
                    out.insert(*symbol);
                }
                Piece::Value(value) => value.symbols(out),
            }
        }
    }

    /// Adds the symbols that are more than the target of an assignment: `x.f = …`, `…; x = …`.
    pub fn reads(&self, out: &mut BTreeSet<Symbol>) {
        for (at, piece) in self.0.iter().enumerate() {
            match piece {
                Piece::Plain(_) => {}
                Piece::Name(symbol) => {
                    if !self.is_target(at) {
                        out.insert(*symbol);
                    }
                }
                Piece::Value(value) => value.symbols(out),
            }
        }
    }

    fn is_target(&self, at: usize) -> bool {
        let plain = |at: usize| match self.0.get(at) {
            Some(Piece::Plain(text)) => text.as_str(),
            Some(Piece::Name(_) | Piece::Value(_)) | None => "",
        };
        match at {
            0 => true,
            1 if plain(0).chars().all(|sign| "(*&+-".contains(sign)) => true,
            _ => {
                plain(at - 1).trim_end_matches(' ').ends_with([';', '{', '}', '\n'])
                    && (plain(at + 1).starts_with(" = ")
                        || plain(at + 1).get(2..).is_some_and(|rest| rest.starts_with("] = ")))
            }
        }
    }

    /// The number of values that can be cut, nested ones included.
    #[must_use]
    pub fn values(&self) -> usize {
        let count = |piece: &Piece| match piece {
            Piece::Value(value) if !value.is_cut() => 1 + value.values(),
            Piece::Value(_) | Piece::Plain(_) | Piece::Name(_) => 0,
        };
        self.0.iter().map(count).sum()
    }

    /// Replaces the value with number `at` (in the order of the text, outer before inner) by `1u`.
    pub fn cut(&mut self, at: usize) {
        let mut left = at;
        self.cut_from(&mut left);
    }

    fn cut_from(&mut self, left: &mut usize) -> bool {
        for piece in &mut self.0 {
            let Piece::Value(value) = piece else {
                continue;
            };
            if value.is_cut() {
                continue;
            }
            if *left == 0 {
                *value = Text(vec![Piece::Plain("1u".to_owned())]);
                return true;
            }
            *left -= 1;
            if value.cut_from(left) {
                return true;
            }
        }
        false
    }

    fn is_cut(&self) -> bool {
        matches!(self.0.as_slice(), [Piece::Plain(text)] if text.len() <= 3)
    }
}

fn push(open: &mut [Vec<Piece>], piece: Piece) {
    if let Some(last) = open.last_mut() {
        last.push(piece);
    }
}

fn push_plain(open: &mut [Vec<Piece>], text: &str) {
    if !text.is_empty() {
        push(open, Piece::Plain(text.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(text: &Text) -> String {
        let mut out = String::new();
        text.write(&|Symbol(number)| format!("s{number}"), &mut out);
        out
    }

    #[test]
    fn names_and_values_are_read_and_cut() {
        let mut text = Text::parse("$1$[i].$22$ = «a + «$3$» * 2u» ^ «7u»;");
        assert_eq!(spelled(&text), "s1[i].s22 = a + s3 * 2u ^ 7u;");
        assert!(text.mentions(Symbol(3)) && !text.mentions(Symbol(2)));
        assert_eq!(text.values(), 2);
        let mut inner = text.clone();
        inner.cut(1);
        assert_eq!(spelled(&inner), "s1[i].s22 = a + 1u * 2u ^ 7u;");
        text.cut(0);
        assert_eq!(spelled(&text), "s1[i].s22 = 1u ^ 7u;");
        assert_eq!(text.values(), 0);
    }

    #[test]
    fn lone_signs_stay() {
        assert_eq!(spelled(&Text::parse("a $ b » c $x$ «d")), "a $ b  c $x$ d");
    }
}

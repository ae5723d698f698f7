//! Names that a macro's body may form with `##`.
//!
//! `p##_f` is any word of the program that ends in `_f`, `a##b` any that is made of several words. What
//! the arguments are is not followed, so these are more names than the uses form, never fewer of
//! those that the program writes out somewhere.

use crate::preprocess::{TokenKind, tokens};
use std::collections::BTreeSet;

/// The words and numbers of a program's text.
pub(super) struct Words {
    names: BTreeSet<String>,
    numbers: BTreeSet<String>,
}

impl Words {
    /// All words of the texts.
    pub(super) fn of<'t>(texts: impl Iterator<Item = &'t str>) -> Self {
        let mut words = Words { names: BTreeSet::new(), numbers: BTreeSet::new() };
        for text in texts {
            for token in tokens(text) {
                let word = token.text(text);
                if token.kind == TokenKind::Identifier {
                    words.names.insert(word.to_owned());
                } else if word.starts_with(|c: char| c.is_ascii_digit()) {
                    words.numbers.insert(word.to_owned());
                }
            }
        }
        words
    }

    /// Whether a piece is made of words and numbers; it is empty for an empty argument.
    fn make(&self, piece: &str) -> bool {
        let mut reached = vec![false; piece.len() + 1];
        reached[0] = true;
        for start in 0..piece.len() {
            if !reached[start] || !piece.is_char_boundary(start) {
                continue;
            }
            for (end, reached) in reached.iter_mut().enumerate().skip(start + 1) {
                let Some(part) = piece.get(start..end) else { continue };
                *reached |= self.names.contains(part) || self.numbers.contains(part);
            }
        }
        reached[piece.len()]
    }
}

/// One operand of `##`.
enum Piece {
    Text(String),
    Any,
}

/// The names that the pastes of a body may form.
pub(super) fn pasted_names(
    body: &str,
    parameters: Option<&[String]>,
    words: &Words,
) -> BTreeSet<String> {
    let found = tokens(body);
    let is_paste =
        |at: usize| found.get(at).is_some_and(|token| matches!(token.text(body), "##" | "%:%:"));
    let mut names = BTreeSet::new();
    let mut at = 0;
    while at < found.len() {
        if !is_paste(at + 1) {
            at += 1;
            continue;
        }
        let mut pieces = Vec::new();
        loop {
            let text = found[at].text(body);
            let is_parameter = text == "__VA_ARGS__"
                || parameters.unwrap_or_default().iter().any(|parameter| parameter == text);
            pieces.push(if is_parameter { Piece::Any } else { Piece::Text(text.to_owned()) });
            if !is_paste(at + 1) || at + 2 >= found.len() {
                break;
            }
            at += 2;
        }
        at += 1;
        names.extend(words.names.iter().filter(|name| matches(name, &pieces, words)).cloned());
        // A parameter may be several tokens, of which the last or first is pasted.
        for piece in &pieces {
            if let Piece::Text(text) = piece {
                names.extend(identifiers(text).map(str::to_owned));
            }
        }
    }
    names
}

/// Whether a name may be formed of the pieces, of which at least one is not empty besides it.
fn matches(name: &str, pieces: &[Piece], words: &Words) -> bool {
    // Ends of the text that the pieces so far may have formed.
    let mut ends: BTreeSet<usize> = BTreeSet::from([0]);
    for piece in pieces {
        let mut next = BTreeSet::new();
        for start in &ends {
            match piece {
                Piece::Text(text) => {
                    if name[*start..].starts_with(text.as_str()) {
                        next.insert(start + text.len());
                    }
                }
                Piece::Any => {
                    for end in *start..=name.len() {
                        // The whole name is an argument, which is looked at as such.
                        let is_whole = *start == 0 && end == name.len();
                        if !is_whole && name.get(*start..end).is_some_and(|part| words.make(part)) {
                            next.insert(end);
                        }
                    }
                }
            }
        }
        ends = next;
    }
    ends.contains(&name.len())
}

/// The identifiers of a text, in order.
pub(crate) fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    tokens(text)
        .into_iter()
        .filter(|token| token.kind == TokenKind::Identifier)
        .map(|token| token.text(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(body: &str, parameters: &[&str], text: &str) -> Vec<String> {
        let parameters: Vec<String> = parameters.iter().map(|name| (*name).to_owned()).collect();
        let words = Words::of([text].into_iter());
        pasted_names(body, Some(&parameters), &words).into_iter().collect()
    }

    #[test]
    fn names_that_match() {
        let text = "float *d_f, *d_g, *f, h; G(d, 1) CAT(d, _f) array3";
        assert_eq!(names("p##_f[(i)]", &["p", "i"], text), ["_f", "d_f"]);
        assert_eq!(names("use(d_##p)", &["p"], text), ["d_", "d_f"]);
        assert_eq!(names("a##b", &["a", "b"], text), ["d_f"]);
        assert_eq!(names("array##n = array", &["n"], "array3 3"), ["array", "array3"]);
        assert_eq!(names("a + b", &["a", "b"], text), Vec::<String>::new());
    }
}

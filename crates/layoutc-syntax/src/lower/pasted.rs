//! Names that a macro's body may form with `##`.
//!
//! `p##_f` is any word of the program that ends in `_f`, `a##b` any that is made of several words: of
//! those that the parameters can stand for ([`MacroArguments`]), or of all. These are more names than
//! the uses form, never fewer of those that the program writes out somewhere.

use super::macro_arguments::MacroArguments;
use crate::preprocess::{MacroDef, TokenKind, tokens};
use foldhash::fast::RandomState;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Longer names count as made of words wherever they are cut.
const LONGEST: usize = 128;

/// The words and numbers of a program's text.
///
/// A program with large headers has tens of thousands of words and hundreds of macros that paste, so
/// what one name is made of, and what one form of paste may form, is found once.
#[derive(Default)]
pub(super) struct Words {
    /// Words that a paste may form.
    names: BTreeSet<String>,
    /// Words and numbers that arguments may be.
    parts: HashSet<String, RandomState>,
    made: HashMap<String, Made, RandomState>,
    formed: HashMap<Vec<Piece>, BTreeSet<String>, RandomState>,
}

impl Words {
    /// Adds the words of a text; `is_named` says whether a name that is formed may stand there.
    pub(super) fn add(&mut self, text: &str, is_named: bool) {
        for token in tokens(text) {
            let word = token.text(text);
            let is_name = token.kind == TokenKind::Identifier;
            if is_named && is_name && !self.names.contains(word) {
                self.names.insert(word.to_owned());
            }
            let is_part = is_name || word.starts_with(|c: char| c.is_ascii_digit());
            if is_part && !self.parts.contains(word) {
                self.parts.insert(word.to_owned());
            }
        }
    }

    /// The names that pieces may form.
    fn formed(&mut self, pieces: &[Piece]) -> &BTreeSet<String> {
        if !self.formed.contains_key(pieces) {
            let mut found = BTreeSet::new();
            for name in self.names.iter().filter(|name| has_texts(name, pieces)) {
                let made =
                    self.made.entry(name.clone()).or_insert_with(|| Made::of(name, &self.parts));
                if matches(name, pieces, made) {
                    found.insert(name.clone());
                }
            }
            self.formed.insert(pieces.to_vec(), found);
        }
        &self.formed[pieces]
    }
}

/// Which parts of a name are made of words and numbers.
struct Made {
    length: usize,
    /// By start and end; empty for a name that is too long to ask.
    parts: Vec<bool>,
}

impl Made {
    fn of(name: &str, words: &HashSet<String, RandomState>) -> Self {
        let length = name.len();
        if length > LONGEST {
            return Made { length, parts: Vec::new() };
        }
        let mut parts = vec![false; (length + 1) * (length + 1)];
        let at = |start: usize, end: usize| start * (length + 1) + end;
        // From the end, so that what is behind a first word is known.
        for start in (0..=length).rev() {
            parts[at(start, start)] = true;
            for first in start + 1..=length {
                if name.get(start..first).is_some_and(|word| words.contains(word)) {
                    for end in first..=length {
                        parts[at(start, end)] |= parts[at(first, end)];
                    }
                }
            }
        }
        Made { length, parts }
    }

    /// Whether a part is made of words and numbers; it is empty for an empty argument.
    fn is_made(&self, start: usize, end: usize) -> bool {
        self.parts.get(start * (self.length + 1) + end).copied().unwrap_or(true)
    }
}

/// One operand of `##`.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Piece {
    Text(String),
    /// Made of some words.
    Of(BTreeSet<String>),
    Any,
}

/// The names that the pastes of a body may form.
pub(super) fn pasted_names(
    def: &MacroDef,
    words: &mut Words,
    arguments: &MacroArguments,
) -> BTreeSet<String> {
    let body = def.text.as_str();
    let parameters = def.params.as_deref().unwrap_or_default();
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
            let position = match text {
                "__VA_ARGS__" => Some(parameters.len()),
                _ => parameters.iter().position(|parameter| parameter == text),
            };
            pieces.push(match position.map(|at| arguments.words(&def.name, at)) {
                Some(Some(given)) => Piece::Of(given.into_iter().map(str::to_owned).collect()),
                Some(None) => Piece::Any,
                None => Piece::Text(text.to_owned()),
            });
            if !is_paste(at + 1) || at + 2 >= found.len() {
                break;
            }
            at += 2;
        }
        at += 1;
        names.extend(words.formed(&pieces).iter().cloned());
        // A parameter may be several tokens, of which the last or first is pasted.
        for piece in &pieces {
            if let Piece::Text(text) = piece {
                names.extend(identifiers(text).map(str::to_owned));
            }
        }
    }
    names
}

/// Whether a name has the texts of the pieces, one behind the other.
fn has_texts(name: &str, pieces: &[Piece]) -> bool {
    let mut rest = name;
    pieces.iter().all(|piece| match piece {
        Piece::Text(text) => rest.find(text.as_str()).is_some_and(|at| {
            rest = &rest[at + text.len()..];
            true
        }),
        Piece::Of(_) | Piece::Any => true,
    })
}

/// Whether a name may be formed of the pieces, of which at least one is not empty besides it.
fn matches(name: &str, pieces: &[Piece], made: &Made) -> bool {
    // Ends of the text that the pieces so far may have formed.
    let mut ends: BTreeSet<usize> = BTreeSet::from([0]);
    // The whole name is an argument, which is looked at as such.
    let is_whole = |start: usize, end: usize| start == 0 && end == name.len();
    for piece in pieces {
        let mut next = BTreeSet::new();
        for start in &ends {
            match piece {
                Piece::Text(text) => {
                    if name[*start..].starts_with(text.as_str()) {
                        next.insert(start + text.len());
                    }
                }
                Piece::Of(given) => {
                    let ends = made_of(name, *start, given);
                    next.extend(ends.into_iter().filter(|end| !is_whole(*start, *end)));
                }
                Piece::Any => next.extend((*start..=name.len()).filter(|end| {
                    !is_whole(*start, *end)
                        && name.is_char_boundary(*end)
                        && made.is_made(*start, *end)
                })),
            }
        }
        ends = next;
    }
    ends.contains(&name.len())
}

/// The ends of all parts from `start` on that are made of the words.
fn made_of(name: &str, start: usize, words: &BTreeSet<String>) -> BTreeSet<usize> {
    let mut ends = BTreeSet::from([start]);
    let mut next = start;
    loop {
        let rest = &name[next..];
        let begins =
            words.iter().filter(|word| !word.is_empty() && rest.starts_with(word.as_str()));
        ends.extend(begins.map(|word| next + word.len()));
        match ends.range(next + 1..).next() {
            Some(end) => next = *end,
            None => return ends,
        }
    }
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
    use super::super::macros::what_pastes_form;
    use super::*;
    use crate::preprocess::{NoHeaders, PreprocessOptions, Preprocessed, preprocess_program};

    /// The names that `M` forms in a program of its definition and a text.
    fn program(parameters: &str, body: &str, text: &str) -> Preprocessed {
        let source = format!("#define M({parameters}) {body}\n{text}\n");
        let options = PreprocessOptions::default();
        preprocess_program(vec![("a.cu".into(), source)], &mut NoHeaders, &options)
    }

    /// The names that `M` forms of the words of a text, if it may be given anything.
    fn names(body: &str, parameters: &[&str], text: &str) -> Vec<String> {
        formed(&parameters.join(", "), body, text, "f = M;")
    }

    fn formed(parameters: &str, body: &str, words: &str, text: &str) -> Vec<String> {
        let program = program(parameters, body, text);
        let (_, arguments) = what_pastes_form(&program);
        let (_, def) =
            program.macros.iter().find(|(_, def)| def.name == "M").expect("it is defined");
        let mut all = Words::default();
        all.add(words, true);
        pasted_names(def, &mut all, &arguments).into_iter().collect()
    }

    #[test]
    fn names_that_match() {
        let text = "float *d_f, *d_g, *f, h; G(d, 1) CAT(d, _f) array3";
        assert_eq!(names("p##_f[(i)]", &["p", "i"], text), ["_f", "d_f"]);
        assert_eq!(names("use(d_##p)", &["p"], text), ["d_", "d_f"]);
        assert_eq!(names("a##b", &["a", "b"], text), ["d_f"]);
        assert_eq!(names("array##n = array", &["n"], "array3 3"), ["array", "array3"]);
        assert_eq!(names("a + b", &["a", "b"], text), Vec::<String>::new());
        // Words and numbers in between, several in one argument, and names that are too long to ask.
        assert_eq!(names("a##_##b", &["a", "b"], "d_f f2_g f 2 g"), ["_", "f2_g"]);
        assert_eq!(names("a##b", &["a", "b"], "xyz x y zz z"), ["xyz", "zz"]);
        let long = "x".repeat(LONGEST + 1);
        assert_eq!(names("a##b", &["a", "b"], &long), [long.as_str()]);
    }

    #[test]
    fn names_of_what_is_given() {
        let words = "xy xz zy abcd d_f x y z a b c d";
        let given = |text: &str| formed("a, b", "a##b", words, text);
        assert_eq!(given("int i = M(x, y);"), ["xy"]);
        assert_eq!(given("int i = M(x, y) + M(z, y);"), ["xy", "xz", "zy"]);
        assert_eq!(given("int i = M(x, 1);"), Vec::<String>::new());
        // Uses in other macros, with their arguments, and macros in arguments.
        assert_eq!(given("#define N(p) M(x, p)\nint i = N(z);"), ["xz"]);
        assert_eq!(given("#define A ab\n#define N(p, q) M(p, q)\nint i = N(A, cd);"), ["abcd"]);
        assert_eq!(given("#define N(p, q) M(p, q)\nint i = N(M(a, b), M(c, d));"), ["abcd"]);
        assert_eq!(given("#define N(...) M(__VA_ARGS__)\nint i = N(x, y);"), ["xy"]);
        assert_eq!(given("#define A x, y\n#define N(p) M(p)\nint i = N(A);"), ["xy"]);
        // A paste may form a macro, which stands for its body or is given what follows.
        let cat = "#define CAT(p, q) p##q\n";
        let formed =
            |text: &str| formed("a, b", "a##b", "xy ab zz x y a b z", &format!("{cat}{text}"));
        assert_eq!(formed("#define XY a\nint i = M(CAT(X, Y), b);"), ["ab"]);
        assert_eq!(formed("#define O(p, q) M(p, q)\nint i = M(x, y);"), ["xy"]);
        assert_eq!(formed("#define FO(p, q) M(p, q)\nint i = CAT(F, O)(z, z);").len(), 3);
        // Its name alone may be given anything, as may a line's number.
        assert_eq!(given("#define N M\nint i = N(x, y);").len(), 4);
        assert_eq!(given("#define N(p, q) M(p, q)\nint i = N(x, __LINE__);"), ["xy", "xz"]);
    }

    #[test]
    fn words_that_are_arguments_only() {
        let mut words = Words::default();
        words.add("d_f", true);
        words.add("d_ f d_g g", false);
        let program = program("a, b", "a##b", "f = M;");
        let (_, def) =
            program.macros.iter().find(|(_, def)| def.name == "M").expect("it is defined");
        let found = pasted_names(def, &mut words, &MacroArguments::new(&program));
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["d_f"]);
    }
}

//! Foreign headers: those of the toolkit, of libraries, and of other projects.
//!
//! Who gives the preprocessor its files says whose each header is ([`Owner`]). A library's header
//! whose name is well known is not read: the model has what programs use of it. Any other foreign
//! header is read for its macros, as every header is, and for the *declarations that the program
//! uses*: types, constants, variables and functions whose names occur in the program's text, and
//! those that these use. Functions are kept as prototypes, so their code is code that is not seen.
//!
//! The text itself is not modelled, so it must be said what it may do. It can name the program's
//! types, variables and functions only with words: [`ForeignWords`] are all that it has, the
//! program's own macros expanded.

mod outline;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

use layoutc_diagnostics::FileId;

use super::lexer::{TokenKind, each_token, tokens};
use super::macros::{MacroDef, MacroOrigin, MacroTable};
use super::walk::ActiveToken;
use outline::Outline;

/// Why a file is not part of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Foreign {
    /// It lies outside of the program's folders.
    OutsideRoot,
    /// It lies in a folder of libraries.
    SystemFolder,
    /// It lies in the folder of a CUDA toolkit.
    Toolkit,
    /// It belongs to a library that lies among the program's files.
    Library,
    /// It does, and its path is a well-known library's, which was written without knowledge of the
    /// program: its own words mean nothing of it.
    KnownLibrary,
    /// It is no file: layoutc says what the header of a library means ([`super::models`]).
    Model,
}

/// Whose a header is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// The program's.
    Ours,
    /// Somebody else's, and its text is to be had.
    Foreign(Foreign),
    /// A library's that needs no text: as if it were not found, and nobody is told.
    Library,
}

/// The words with which a foreign file can name something.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ForeignWords {
    /// All identifiers of its text and of the program's macros that it uses.
    pub words: BTreeSet<String>,
    /// Those of the program's macros only, if its own words cannot mean anything of the program.
    pub given: Option<BTreeSet<String>>,
    /// Words of the program's macros that it uses, of which it can form further names since it pastes tokens.
    pub parts: BTreeSet<String>,
    /// Whether it uses a macro of the program that pastes tokens itself, so that it can name anything.
    pub pastes_ours: bool,
}

impl ForeignWords {
    /// Whether the file can name what the program calls so.
    #[must_use]
    pub fn can_name(&self, name: &str) -> bool {
        self.can_paste(name) || self.given.as_ref().unwrap_or(&self.words).contains(name)
    }

    /// Whether it can form a name out of words that it is given and others.
    fn can_paste(&self, name: &str) -> bool {
        let is_part = |word: &String| word.len() < name.len() && name.contains(word.as_str());
        self.pastes_ours || self.parts.iter().any(is_part)
    }
}

/// What is kept of a foreign file.
#[derive(Default)]
pub(super) struct Kept {
    /// The active tokens of the declarations that are kept.
    pub tokens: Vec<ActiveToken>,
    /// The bytes that are kept, in order.
    ranges: Vec<Range<usize>>,
    /// Where the body of a function begins; a `;` stands there.
    pub bodies: Vec<usize>,
}

impl Kept {
    /// Whether a byte is kept.
    pub(super) fn holds(&self, at: u32) -> bool {
        let at = at as usize;
        let behind = self.ranges.partition_point(|range| range.start <= at);
        behind > 0 && at < self.ranges[behind - 1].end
    }

    /// The bytes that go, of a text of this length.
    pub(super) fn hidden(&self, length: usize) -> Vec<Range<usize>> {
        let starts = self.ranges.iter().map(|range| range.start).chain([length]);
        let ends = std::iter::once(0).chain(self.ranges.iter().map(|range| range.end));
        ends.zip(starts).filter(|(from, to)| from < to).map(|(from, to)| from..to).collect()
    }
}

/// A file as far as it matters here.
pub(super) struct Text<'a> {
    pub id: FileId,
    pub source: &'a str,
    pub active: &'a [ActiveToken],
    pub is_foreign: bool,
    /// Whether it is foreign and its own words mean nothing of the program.
    pub is_unknowing: bool,
}

/// What the program uses of its foreign files.
#[derive(Default)]
pub(super) struct Used {
    /// What is kept of each.
    pub kept: BTreeMap<FileId, Kept>,
    /// What each can name.
    pub words: BTreeMap<FileId, ForeignWords>,
    /// All words of the program, and of what is kept.
    pub names: HashSet<String>,
}

/// Finds what the program uses of its foreign files.
pub(super) fn used(texts: &[Text<'_>], table: &MacroTable) -> Used {
    let is_foreign: HashSet<FileId> =
        texts.iter().filter(|text| text.is_foreign).map(|text| text.id).collect();
    let is_ours = |def: &MacroDef| match def.file {
        Some(file) => !is_foreign.contains(&file),
        None => def.origin == MacroOrigin::CommandLine,
    };
    let outlines: Vec<(&Text<'_>, Outline)> = texts
        .iter()
        .filter(|text| text.is_foreign)
        .map(|text| (text, Outline::of(text.source, text.active)))
        .collect();
    let mut by_name: BTreeMap<&str, Vec<(usize, usize)>> = BTreeMap::new();
    for (file, (_, outline)) in outlines.iter().enumerate() {
        for (item, found) in outline.items.iter().enumerate() {
            for name in &found.names {
                by_name.entry(name).or_default().push((file, item));
            }
        }
    }
    let mut names: HashSet<String> = HashSet::new();
    let mut stack: Vec<String> = Vec::new();
    let mut add = |word: &str, stack: &mut Vec<String>| {
        if !names.contains(word) {
            names.insert(word.to_owned());
            stack.push(word.to_owned());
        }
    };
    for text in texts.iter().filter(|text| !text.is_foreign) {
        for token in each_token(text.source).filter(|token| token.kind == TokenKind::Identifier) {
            add(token.text(text.source), &mut stack);
        }
    }
    for (_, def) in table.iter().filter(|(_, def)| def.origin == MacroOrigin::CommandLine) {
        words_of(&def.text).for_each(|word| add(word, &mut stack));
    }
    let mut kept: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); outlines.len()];
    for (file, (_, outline)) in outlines.iter().enumerate() {
        let always = (0..outline.items.len()).filter(|item| outline.items[*item].is_always);
        kept[file].extend(always);
    }
    while let Some(word) = stack.pop() {
        for def in table.all(&word) {
            words_of(&def.text).for_each(|inner| add(inner, &mut stack));
        }
        for &(file, item) in by_name.get(word.as_str()).into_iter().flatten() {
            if !kept[file].insert(item) {
                continue;
            }
            let (text, outline) = &outlines[file];
            for range in outline.kept_tokens(item) {
                for active in &text.active[range] {
                    if active.token.kind == TokenKind::Identifier {
                        add(active.token.text(text.source), &mut stack);
                    }
                }
            }
        }
    }
    let kept = outlines
        .iter()
        .zip(kept)
        .map(|((text, outline), items)| (text.id, outline.keep(text.active, &items)))
        .collect();
    let words =
        outlines.iter().map(|(text, _)| (text.id, foreign_words(text, table, &is_ours))).collect();
    Used { kept, words, names }
}

/// The identifiers of a text.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    let identifiers = tokens(text).into_iter().filter(|token| token.kind == TokenKind::Identifier);
    identifiers.map(|token| token.text(text))
}

fn foreign_words(
    file: &Text<'_>,
    table: &MacroTable,
    is_ours: &dyn Fn(&MacroDef) -> bool,
) -> ForeignWords {
    let source = file.source;
    let mut found = ForeignWords::default();
    let mut given = BTreeSet::new();
    let mut pastes = false;
    let mut stack: Vec<&str> = Vec::new();
    for token in each_token(source) {
        let text = token.text(source);
        pastes |= matches!(text, "##" | "%:%:");
        if token.kind == TokenKind::Identifier && !found.words.contains(text) {
            found.words.insert(text.to_owned());
            stack.push(text);
        }
    }
    let (mut parts, mut pastes_ours) = (BTreeSet::new(), false);
    while let Some(word) = stack.pop() {
        for def in table.all(word).filter(|def| is_ours(def)) {
            let parameters = def.params.as_deref().unwrap_or_default();
            for inner in tokens(&def.text) {
                let inner_text = inner.text(&def.text);
                pastes_ours |= matches!(inner_text, "##" | "%:%:");
                if inner.kind != TokenKind::Identifier {
                    continue;
                }
                // An argument stands there, which is a word of the file.
                if !parameters.iter().any(|own| own == inner_text) {
                    parts.insert(inner_text.to_owned());
                }
                if file.is_unknowing {
                    given.insert(inner_text.to_owned());
                }
                if !found.words.contains(inner_text) {
                    found.words.insert(inner_text.to_owned());
                    stack.push(inner_text);
                }
            }
        }
    }
    if pastes || pastes_ours {
        found.parts = parts;
    }
    found.pastes_ours = pastes_ours;
    found.given = file.is_unknowing.then_some(given);
    found
}

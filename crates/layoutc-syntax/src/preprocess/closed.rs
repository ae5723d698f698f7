//! Branches that nothing but an edit of the source would compile.
//!
//! `#define SORT 1` in a file and `#if !SORT` behind it: no option of a compiler changes what the condition says, because the
//! definition is the last word. A branch is *closed* if every name in the conditions of its group up to it is *settled*: a
//! macro that the program defines once, in text that is always compiled, in front of the condition, as numbers, operators
//! and other settled names alone, and never undefines. A name that nothing defines is not settled, since `-D` would define it,
//! unless we were given `-U`, the promise that no build does: whoever compiles the output in another way meets the `#error`.
//! Nor is one from a header that `-I` finds: another folder may have another one.

use super::directive::Nesting;
use super::include::normalize;
use super::lexer::{TokenKind, tokens};
use super::{Activity, Directive, DirectiveKind, MacroOrigin, Preprocessed};
use layoutc_diagnostics::{FileId, Span};
use std::collections::BTreeSet;

impl Preprocessed {
    /// The closed branches among those that are not compiled.
    pub(crate) fn closed_branches(&self) -> BTreeSet<Span> {
        let undefined = self.undefined_names();
        let mut closed = BTreeSet::new();
        for file in self.files.iter().filter(|file| file.foreign.is_none()) {
            let mut regions = file.inactive.iter().filter(|region| !region.dual).peekable();
            // Whether the conditions of each group around are settled so far.
            let mut groups: Vec<bool> = Vec::new();
            for directive in &file.directives {
                while regions.next_if(|region| region.span.end <= directive.span.start).is_some() {}
                let is_inside =
                    regions.peek().is_some_and(|region| region.span.contains(directive.span));
                match directive.kind.nesting() {
                    Nesting::Opens => groups.push(self.is_settled_condition(directive, &undefined)),
                    Nesting::Divides { has_condition: true } => {
                        let is_settled = self.is_settled_condition(directive, &undefined);
                        if let Some(group) = groups.last_mut() {
                            *group &= is_settled;
                        }
                    }
                    Nesting::Closes => drop(groups.pop()),
                    Nesting::Divides { has_condition: false } | Nesting::Inside => {}
                }
                // The branch that begins behind this directive; one with parts that have conditions of their own is several.
                if !is_inside
                    && groups.last() == Some(&true)
                    && let Some(region) = regions.peek()
                    && region.span.start == directive.span.end
                    && !has_parts(&file.directives, region.span)
                {
                    closed.insert(region.span);
                }
            }
        }
        closed
    }

    /// The names of all `#undef`s.
    fn undefined_names(&self) -> BTreeSet<&str> {
        let all = self.files.iter().flat_map(|file| &file.directives);
        let all = all.filter(|directive| directive.kind == DirectiveKind::Undef);
        all.flat_map(|directive| words(self.sources.text(directive.span))).collect()
    }

    fn is_settled_condition(&self, directive: &Directive, undefined: &BTreeSet<&str>) -> bool {
        let text = self.sources.text(directive.span);
        // Behind the directive's own name.
        let mut names = words(text).skip(1).filter(|word| *word != "defined").peekable();
        let has_names = names.peek().is_some();
        let is_number = || {
            let mut all = tokens(text).into_iter();
            all.any(|token| token.kind == TokenKind::Number)
        };
        (has_names || is_number())
            && names.all(|name| {
                self.is_settled(name, directive.span.file, directive.span.start, undefined)
            })
    }

    /// Whether a macro, and each one that it names, is defined once and for all in front of a place.
    fn is_settled<'a>(
        &'a self,
        name: &'a str,
        file: FileId,
        at: u32,
        undefined: &BTreeSet<&str>,
    ) -> bool {
        let mut seen = BTreeSet::from([name]);
        let mut rest = vec![name];
        while let Some(name) = rest.pop() {
            let Some(text) = self.settled_text(name, file, at) else { return false };
            if undefined.contains(name) {
                return false;
            }
            rest.extend(words(text).filter(|inner| seen.insert(inner)));
        }
        true
    }

    /// What a macro that is defined once and for all in front of a place stands for; nothing if the options leave it undefined.
    fn settled_text(&self, name: &str, file: FileId, at: u32) -> Option<&str> {
        if self.undefined.contains(name) && self.macros.all(name).next().is_none() {
            return Some("");
        }
        let mut all = self.macros.all(name);
        let (Some(def), None) = (all.next(), all.next()) else { return None };
        let place = def.name_span?;
        let is_plain = def.origin == MacroOrigin::Source
            && def.activity == Activity::Active
            && def.params.is_none();
        let is_settled = is_plain
            && self.files[place.file.index()].foreign.is_none()
            && self.is_always_compiled(place)
            && (if place.file == file {
                place.start < at
            } else {
                self.is_included(place.file, file, at)
            });
        is_settled.then_some(def.text.as_str())
    }

    /// Whether a file includes another one in front of a place, always.
    fn is_included(&self, wanted: FileId, file: FileId, at: u32) -> bool {
        let mut reached = vec![file];
        let mut next = 0;
        while let Some(own) = reached.get(next).copied() {
            next += 1;
            for include in &self.files[own.index()].includes {
                let is_before = own != file || include.span.start < at;
                let found = include.target.filter(|target| {
                    is_before
                        && include.activity == Activity::Active
                        && !reached.contains(target)
                        && self.is_always_compiled(include.span)
                        && self.is_beside(own, &include.spelled, include.system, *target)
                });
                reached.extend(found);
            }
        }
        reached[1..].contains(&wanted)
    }

    /// Whether a header is found from the folder of the file that includes it: no `-I` leads to another one.
    fn is_beside(&self, file: FileId, spelled: &str, system: bool, target: FileId) -> bool {
        let path = |id: FileId| normalize(self.sources.file(id).path());
        let own = self.sources.file(file).path().parent().map(|folder| folder.join(spelled));
        !system && own.is_some_and(|own| normalize(&own) == path(target))
    }

    /// Whether a place in a file is in no branch, but for the guard of a header.
    fn is_always_compiled(&self, place: Span) -> bool {
        let directives = &self.files[place.file.index()].directives;
        let mut around: Vec<usize> = Vec::new();
        for (at, directive) in directives.iter().enumerate() {
            if directive.span.start >= place.start {
                break;
            }
            match directive.kind.nesting() {
                Nesting::Opens => around.push(at),
                Nesting::Closes => drop(around.pop()),
                Nesting::Divides { .. } | Nesting::Inside => {}
            }
        }
        match around.as_slice() {
            [] => true,
            [guard] => self.is_guard(directives, *guard),
            _ => false,
        }
    }

    /// `#ifndef NAME` and `#define NAME` at the top of a file.
    fn is_guard(&self, directives: &[Directive], at: usize) -> bool {
        let is_first = directives[..at].iter().all(|own| own.kind == DirectiveKind::PragmaOnce);
        let (Some(test), Some(next)) = (directives.get(at), directives.get(at + 1)) else {
            return false;
        };
        let name = |directive: &Directive| {
            words(self.sources.text(directive.span)).nth(1).map(str::to_owned)
        };
        is_first
            && test.kind == DirectiveKind::Ifndef
            && next.kind == DirectiveKind::Define
            && name(test).is_some()
            && name(test) == name(next)
            && directives.last().is_some_and(|last| last.kind == DirectiveKind::Endif)
    }
}

/// Whether a branch goes on behind an `#elif` or `#else` of its own group.
fn has_parts(directives: &[Directive], branch: Span) -> bool {
    let mut depth = 0usize;
    for directive in directives.iter().filter(|own| branch.contains(own.span)) {
        match directive.kind.nesting() {
            Nesting::Opens => depth += 1,
            Nesting::Divides { .. } | Nesting::Closes if depth == 0 => return true,
            Nesting::Closes => depth -= 1,
            Nesting::Divides { .. } | Nesting::Inside => {}
        }
    }
    false
}

/// The identifiers of a text that are no values of their own.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let found = tokens(text).into_iter();
    let found = found.filter(|token| token.kind == TokenKind::Identifier);
    found.map(move |token| token.text(text)).filter(|word| !matches!(*word, "true" | "false"))
}

//! `#pragma pack`: how far members of records may be aligned.
//!
//! The state goes from one file into those that it includes and back, as a compiler reads them. A record
//! has the state at the start of its body ([`crate::Record::pack`]); where compilations of the program
//! differ, or a directive is not understood, the state is not known, and so is no size.

use crate::preprocess::{Activity, DirectiveKind, Preprocessed, tokens};
use crate::program::Pack;
use layoutc_diagnostics::{FileId, Span};
use std::collections::{BTreeMap, BTreeSet};

/// The state and what `push` has kept.
#[derive(Clone, PartialEq, Eq, Default)]
struct State {
    now: Option<Pack>,
    kept: Vec<(Option<String>, Option<Pack>)>,
}

/// Which state holds where.
#[derive(Default)]
pub(crate) struct Packing {
    /// By file, in order: from where on which state holds. Files without directives are absent.
    changes: BTreeMap<FileId, Vec<(u32, Option<Pack>)>>,
    /// Files that begin with several states.
    varied: BTreeSet<FileId>,
    /// The operator `_Pragma` may stand in macros, wherever they are used.
    by_operator: bool,
}

impl Packing {
    /// Follows the directives through all files, from each root.
    pub(crate) fn of(program: &Preprocessed) -> Self {
        let files = &program.files;
        let has_pack = files.iter().any(|file| {
            file.directives.iter().any(|directive| {
                directive.kind == DirectiveKind::Pragma
                    && is_pack(program.sources.text(directive.span))
            })
        });
        let by_operator = |text: &str| {
            text.match_indices("_Pragma")
                .any(|(at, _)| text[at..].lines().next().is_some_and(|line| line.contains("pack")))
        };
        let by_operator = program.macros.iter().any(|(_, def)| by_operator(&def.text))
            || files.iter().any(|file| {
                // The text that is parsed has blanks in the operator's place.
                let mut masked = file.masked_spans.iter();
                masked.any(|(span, _)| by_operator(program.sources.text(*span)))
            });
        let mut walk = Walk {
            program,
            found: Packing { by_operator, ..Packing::default() },
            entries: BTreeMap::new(),
        };
        if has_pack && !by_operator {
            for (at, file) in files.iter().enumerate() {
                if file.is_root {
                    walk.file(FileId(at as u32), &mut State::default(), &mut BTreeSet::new());
                }
            }
        }
        walk.found
    }

    /// The state at the start of a text.
    pub(crate) fn at(&self, span: Span) -> Option<Pack> {
        if self.by_operator || self.varied.contains(&span.file) {
            return Some(Pack::Unknown);
        }
        let own = self.changes.get(&span.file)?;
        let at = own.partition_point(|(start, _)| *start <= span.start);
        own.get(at.checked_sub(1)?)?.1
    }
}

struct Walk<'a> {
    program: &'a Preprocessed,
    found: Packing,
    /// The state with which each file began first.
    entries: BTreeMap<FileId, State>,
}

impl Walk<'_> {
    fn file(&mut self, id: FileId, state: &mut State, seen: &mut BTreeSet<FileId>) {
        // Guards are the rule; without one, a file begins with the state of its first inclusion or varies.
        let known = self.entries.get(&id);
        if known.is_some_and(|known| known != state) {
            self.found.varied.insert(id);
        }
        if !seen.insert(id) {
            return;
        }
        let is_first = known.is_none();
        if is_first {
            self.entries.insert(id, state.clone());
            self.found.changes.entry(id).or_default().push((0, state.now));
        }
        let program = self.program;
        let file = &program.files[id.index()];
        let mut includes = file.includes.iter().peekable();
        for directive in &file.directives {
            match directive.kind {
                DirectiveKind::Pragma if is_pack(program.sources.text(directive.span)) => {
                    match directive.activity {
                        Activity::Active => state.apply(program.sources.text(directive.span)),
                        Activity::Dual => state.now = Some(Pack::Unknown),
                        Activity::Inactive => {}
                    }
                }
                DirectiveKind::Include => {
                    while includes.next_if(|own| own.span.start < directive.span.start).is_some() {}
                    let include = includes.peek().filter(|own| own.span == directive.span);
                    let target = include
                        .filter(|own| own.activity != Activity::Inactive)
                        .and_then(|own| own.target);
                    if let Some(target) = target {
                        self.file(target, state, seen);
                    }
                }
                DirectiveKind::Pragma
                | DirectiveKind::PragmaOnce
                | DirectiveKind::Define
                | DirectiveKind::Undef
                | DirectiveKind::If
                | DirectiveKind::Ifdef
                | DirectiveKind::Ifndef
                | DirectiveKind::Elif
                | DirectiveKind::Elifdef
                | DirectiveKind::Elifndef
                | DirectiveKind::Else
                | DirectiveKind::Endif
                | DirectiveKind::Other => continue,
            }
            if is_first {
                self.found.changes.entry(id).or_default().push((directive.span.end, state.now));
            }
        }
    }
}

/// Whether a pragma is one of packing.
fn is_pack(text: &str) -> bool {
    tokens(text).get(2).is_some_and(|token| token.text(text) == "pack")
}

impl State {
    /// `pack()`, `pack(4)`, `pack(push)`, `pack(push, 4)`, `pack(push, name, 4)`, `pack(pop)`, `pack(pop, name)`.
    fn apply(&mut self, text: &str) {
        let all = tokens(text);
        let words: Vec<&str> = all.iter().skip(3).map(|token| token.text(text)).collect();
        let Some(arguments) = words
            .strip_prefix(&["("])
            .and_then(|rest| rest.iter().position(|word| *word == ")").map(|end| &rest[..end]))
        else {
            self.now = Some(Pack::Unknown);
            return;
        };
        let arguments: Vec<&str> = arguments.iter().copied().filter(|word| *word != ",").collect();
        let limit = |word: &str| match word.parse::<u64>() {
            Ok(limit) if limit.is_power_of_two() && limit <= 16 => Pack::To(limit),
            _ => Pack::Unknown,
        };
        match arguments.as_slice() {
            [] => self.now = None,
            ["push"] => self.kept.push((None, self.now)),
            ["push", name_or_limit] => {
                let is_number = name_or_limit.starts_with(|c: char| c.is_ascii_digit());
                let name = (!is_number).then(|| (*name_or_limit).to_owned());
                self.kept.push((name, self.now));
                if is_number {
                    self.now = Some(limit(name_or_limit));
                }
            }
            ["push", name, value] => {
                self.kept.push((Some((*name).to_owned()), self.now));
                self.now = Some(limit(value));
            }
            ["pop"] => self.now = self.kept.pop().map_or(Some(Pack::Unknown), |(_, pack)| pack),
            ["pop", name] => {
                let at = self.kept.iter().rposition(|(own, _)| own.as_deref() == Some(*name));
                self.now = match at {
                    Some(at) => {
                        let pack = self.kept[at].1;
                        self.kept.truncate(at);
                        pack
                    }
                    None => Some(Pack::Unknown),
                };
            }
            [value] => self.now = Some(limit(value)),
            _ => self.now = Some(Pack::Unknown),
        }
    }
}

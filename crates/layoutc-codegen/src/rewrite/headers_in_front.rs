//! Headers that the struct's file includes in front of an instance of one of their templates.
//!
//! `utils.h` has `copyToDevice<T>`, `types.h` the struct. Where one file of the program includes them in one order and another in the
//! other, an instance has no place behind both. *Form:* behind the struct, in front of the instance, stands
//! `#include "../utils.h"`. *Claim:* some compilation begins with the header, so that it needs nothing in front of it. It and what it
//! includes can be included twice, do not need the struct, ask for no macro, have no variable and nothing static, and are not
//! rewritten. In the compilations in which it came later, nothing on the way defines a macro, declares what the header names or
//! names what it declares, and no `using namespace` stands in front of it, so that both mean the same.

use super::Rewriter;
use super::instantiation::{Text, declared, gives_meaning};
use super::order::FileOrder;
use crate::edit::Edit;
use layoutc_dataflow::classes::ClassId;
use layoutc_diagnostics::{FileId, Span};
use layoutc_syntax::preprocess::{TokenKind, tokens_and_lines};
use layoutc_syntax::{Program, RecordId};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

/// The headers in front of the versions that stand with a storage, with the arrays that need each.
#[derive(Default)]
pub(super) struct HeadersInFront {
    by_storage: BTreeMap<usize, BTreeMap<FileId, BTreeSet<ClassId>>>,
}

impl HeadersInFront {
    pub(super) fn insert(&mut self, storage: usize, header: FileId, class: ClassId) {
        self.by_storage.entry(storage).or_default().entry(header).or_default().insert(class);
    }

    /// The directives behind the struct of a storage.
    pub(super) fn text(&self, program: &Program, storage: usize, definition: Span) -> String {
        let headers = self.by_storage.get(&storage).into_iter().flatten();
        let line = |(header, _): (&FileId, &BTreeSet<ClassId>)| {
            Some(format!("\n#include \"{}\"\n", relative(program, definition.file, *header)?))
        };
        headers.filter_map(line).collect()
    }

    /// Whether a header in front of a storage's versions includes that of the CUDA runtime.
    pub(super) fn have_runtime(&self, program: &Program, storage: usize) -> bool {
        let headers = self.by_storage.get(&storage).into_iter().flatten();
        let mut files = headers.flat_map(|(header, _)| included_from(program, *header));
        files.any(|file| includes(program, file).iter().any(Include::is_of_runtime))
    }

    /// The arrays whose headers change, with the place of an edit.
    pub(super) fn rewritten(&self, program: &Program, edits: &[Edit]) -> Vec<(ClassId, Span)> {
        let mut found = Vec::new();
        for (header, classes) in self.by_storage.values().flatten() {
            let all = included_from(program, *header);
            let own = edits.iter().find(|edit| all.contains(&edit.span.file));
            found
                .extend(own.into_iter().flat_map(|edit| classes.iter().map(|id| (*id, edit.span))));
        }
        found
    }
}

impl Rewriter<'_> {
    /// The header of a template that may stand behind the struct of a record, too, so that an instance has a place there.
    pub(super) fn header_in_front(
        &self,
        template: Span,
        (record, definition): (RecordId, Span),
        order: &FileOrder,
    ) -> Option<FileId> {
        let program = self.program;
        let header = template.file;
        let all = included_from(program, header);
        let own = program.record(super::placement::home(program, record));
        let is_open = own.namespaces.is_empty() && !own.in_linkage_block && !own.is_local;
        let begins = |unit: Vec<Piece>| {
            let start = unit.iter().position(|(file, _)| *file == header);
            start.is_some_and(|start| unit[..start].iter().all(|piece| is_empty(program, piece)))
        };
        if !is_open
            || all.contains(&definition.file)
            || !all.iter().all(|id| is_movable(program, *id))
            || relative(program, definition.file, header).is_none()
            || !order.units().any(begins)
        {
            return None;
        }
        let fits = |unit: Vec<Piece>| {
            let place = unit.iter().position(|(file, range)| {
                let end = definition.end as usize;
                *file == definition.file && range.start <= end && end <= range.end
            });
            let Some(place) = place else { return true };
            let first = |id: FileId| unit.iter().position(|(file, _)| *file == id);
            let Some(start) = first(header) else { return false };
            if start < place {
                return true;
            }
            // What the header includes comes with it, or came in front of the struct.
            let moved: Vec<FileId> = (all.iter().copied())
                .filter(|id| first(*id).is_some_and(|at| at > place))
                .collect();
            let opens =
                |(file, range): &Piece| Text::new(program, *file, range.clone()).opens_namespaces();
            if moved.iter().any(|id| first(*id).is_some_and(|at| at < start))
                || unit[..start].iter().any(opens)
            {
                return false;
            }
            moved.iter().all(|id| {
                let own = Text::new(program, *id, 0..usize::MAX);
                let words: BTreeSet<String> =
                    own.words().filter(|word| !is_of_directives(word)).map(str::to_owned).collect();
                let names: BTreeSet<&str> = declared(program)
                    .filter(|(span, _)| span.file == *id)
                    .map(|(_, name)| name)
                    .chain(own.macros())
                    .collect();
                unit.iter().enumerate().take(start).skip(place).all(|(at, (file, range))| {
                    let from = if at == place { definition.end as usize } else { range.start };
                    let text = Text::new(program, *file, from..range.end);
                    !gives_meaning(program, *file, from..range.end, &words)
                        && !text.words().any(|word| names.contains(word))
                        && !defines_macros(program, &(*file, from..range.end))
                })
            })
        };
        order.units().all(fits).then_some(header)
    }
}

/// Whether a word is one of directives: a piece of a file may begin within one.
fn is_of_directives(word: &str) -> bool {
    matches!(
        word,
        "define"
            | "defined"
            | "elif"
            | "else"
            | "endif"
            | "error"
            | "if"
            | "ifdef"
            | "ifndef"
            | "include"
            | "once"
            | "pragma"
            | "undef"
    )
}

/// A file and those of the program that it includes.
fn included_from(program: &Program, file: FileId) -> BTreeSet<FileId> {
    let (mut found, mut todo) = (BTreeSet::new(), vec![file]);
    while let Some(id) = todo.pop() {
        if found.insert(id) {
            todo.extend(&program.files[id.index()].includes);
        }
    }
    found
}

/// A part of a file.
type Piece = (FileId, std::ops::Range<usize>);

/// A logical line of a file that holds something.
struct Line<'a> {
    /// The offset of its first token.
    at: usize,
    /// Its tokens.
    words: Vec<&'a str>,
    /// The text behind the second token, as far as the line break.
    rest: &'a str,
}

impl Line<'_> {
    /// The word behind the `#` of a directive.
    fn directive(&self) -> Option<&str> {
        (self.words[0] == "#").then(|| self.words.get(1).copied().unwrap_or_default())
    }

    fn is_once(&self) -> bool {
        self.words == ["#", "pragma", "once"]
    }

    fn opens_condition(&self) -> bool {
        matches!(self.directive(), Some("if" | "ifdef" | "ifndef"))
    }
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let mut found: Vec<Line> = Vec::new();
    let mut is_new = true;
    for token in tokens_and_lines(text) {
        if token.kind == TokenKind::Newline {
            is_new = true;
            continue;
        }
        if is_new {
            found.push(Line { at: token.start as usize, words: Vec::new(), rest: "" });
            is_new = false;
        }
        let Some(line) = found.last_mut() else { continue };
        line.words.push(token.text(text));
        if line.words.len() == 2 {
            line.rest = text[token.end as usize..].lines().next().unwrap_or_default().trim();
        }
    }
    found
}

/// What lets a file be included twice.
#[derive(PartialEq, Eq)]
enum Guard<'a> {
    /// `#pragma once`.
    Once,
    /// The macro that its first directive asks for, the second defines, and the condition of which its last directive ends.
    Macro(&'a str),
    Missing,
}

fn guard<'a>(lines: &[Line<'a>]) -> Guard<'a> {
    let (Some(first), Some(second), Some(last)) = (lines.first(), lines.get(1), lines.last())
    else {
        return Guard::Missing;
    };
    if first.is_once() {
        return Guard::Once;
    }
    let (["#", "ifndef", asked], ["#", "define", defined]) = (&first.words[..], &second.words[..])
    else {
        return Guard::Missing;
    };
    let mut depth = 0;
    for line in &lines[..lines.len() - 1] {
        match line.directive() {
            Some("endif") => depth -= 1,
            Some("else" | "elif" | "elifdef" | "elifndef") if depth == 1 => return Guard::Missing,
            // Another directive, or text, closes nothing.
            Some(_) | None => depth += i32::from(line.opens_condition()),
        }
        if depth == 0 {
            return Guard::Missing;
        }
    }
    match asked == defined && depth == 1 && last.directive() == Some("endif") {
        true => Guard::Macro(asked),
        false => Guard::Missing,
    }
}

/// A directive that includes a header.
pub(super) struct Include<'a> {
    /// The name between the quotes or brackets.
    pub(super) name: &'a str,
    /// The offset of its line.
    pub(super) at: usize,
    /// The end of its line.
    pub(super) end: usize,
    /// Whether it stands under a condition, other than that of the file's guard.
    pub(super) is_conditional: bool,
}

impl Include<'_> {
    /// Whether it always includes the header of the CUDA runtime.
    pub(super) fn is_of_runtime(&self) -> bool {
        !self.is_conditional && matches!(self.name, "cuda_runtime.h" | "cuda_runtime_api.h")
    }
}

/// The directives of a file that include headers.
pub(super) fn includes(program: &Program, file: FileId) -> Vec<Include<'_>> {
    let text = program.sources.file(file).text();
    let lines = lines(text);
    let guarded = usize::from(matches!(guard(&lines), Guard::Macro(_)));
    let mut depth = 0;
    let mut found = Vec::new();
    for line in &lines {
        match line.directive() {
            Some("endif") => depth = usize::saturating_sub(depth, 1),
            Some("include") => {
                let end = if line.rest.starts_with('<') { '>' } else { '"' };
                let inner = line.rest.get(1..).unwrap_or_default();
                let Some(length) = inner.find(end) else { continue };
                let at = line.at;
                let end = at + text[at..].find('\n').unwrap_or(text.len() - at);
                let end = end - usize::from(text[..end].ends_with('\r'));
                let is_conditional = depth > guarded;
                found.push(Include { name: &inner[..length], at, end, is_conditional });
            }
            Some(_) | None => depth += usize::from(line.opens_condition()),
        }
    }
    found
}

/// Whether a header means the same wherever it is included, as often as it is: it is guarded, asks for no macro, and has no
/// variable and nothing static.
fn is_movable(program: &Program, file: FileId) -> bool {
    let own = &program.files[file.index()];
    let lines = lines(program.sources.file(file).text());
    let own_guard = guard(&lines);
    let is_guard = |line: &Line| matches!((&own_guard, &line.words[..]), (Guard::Macro(name), ["#", _, word]) if word == name);
    // Also in the macros that it defines.
    let is_plain_word = |word: &&str| {
        let is_known = matches!(
            *word,
            "__global__"
                | "__device__"
                | "__host__"
                | "__forceinline__"
                | "__restrict__"
                | "__FILE__"
                | "__LINE__"
        );
        !matches!(*word, "static" | "thread_local" | "namespace" | "_Pragma")
            && (is_known || !word.starts_with("__"))
    };
    let is_plain_line = |line: &Line| match line.directive() {
        None => true,
        Some("include") => true,
        Some("pragma") => line.is_once(),
        // Macros of the header's own stand in front of the headers of others.
        Some("define") => line.words.get(2).is_some_and(|name| {
            name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        }),
        Some("ifndef") => {
            matches!(own_guard, Guard::Macro(_))
                && lines.first().is_some_and(|first| first.at == line.at)
        }
        Some("endif") => lines.last().is_some_and(|last| last.at == line.at),
        Some(_) => false,
    };
    let has_variables = program.variables.iter().any(|variable| {
        variable.site.name.file == file
            && variable.function.is_none()
            && variable.storage == layoutc_syntax::Storage::Static
    });
    !own.is_root
        && !own.is_opencl
        && !program.is_foreign(file)
        && own_guard != Guard::Missing
        && lines.iter().all(|line| {
            is_plain_line(line)
                && (line.directive() == Some("include")
                    || is_guard(line)
                    || line.words.iter().all(is_plain_word))
        })
        && !has_variables
}

/// The lines of a piece, and the guard of its file.
fn lines_of<'p>(program: &'p Program, (file, range): &Piece) -> (Vec<Line<'p>>, Guard<'p>) {
    let mut lines = lines(program.sources.file(*file).text());
    let own = guard(&lines);
    lines.retain(|line| range.contains(&line.at));
    (lines, own)
}

/// Whether a piece in front of a header has nothing but guards.
fn is_empty(program: &Program, piece: &Piece) -> bool {
    let (lines, own) = lines_of(program, piece);
    lines.iter().all(|line| {
        line.is_once()
            || matches!((&own, &line.words[..]), (Guard::Macro(name), ["#", "ifndef" | "define", word]) if word == name)
    })
}

/// Whether a piece defines macros other than a guard, or has pragmas.
fn defines_macros(program: &Program, piece: &Piece) -> bool {
    let (lines, own) = lines_of(program, piece);
    lines.iter().any(|line| {
        let is_guard = matches!((&own, &line.words[..]), (Guard::Macro(name), ["#", "define", word]) if word == name);
        !is_guard
            && !line.is_once()
            && matches!(line.directive(), Some("define" | "undef" | "pragma" | "line" | "error" | "include_next" | "import"))
    })
}

/// The path of a file as another one in the same tree of folders names it.
fn relative(program: &Program, from: FileId, to: FileId) -> Option<String> {
    let folder = program.sources.file(from).path().parent()?;
    let parts = |path: &'_ Path| -> Option<Vec<String>> {
        let mut parts = Vec::new();
        for part in path.components() {
            match part {
                Component::CurDir => {}
                Component::ParentDir if parts.last().is_some_and(|last| last != "..") => {
                    parts.pop();
                }
                Component::ParentDir => return None,
                Component::Normal(own) => parts.push(own.to_str()?.to_owned()),
                Component::RootDir => parts.push("/".to_owned()),
                Component::Prefix(_) => return None,
            }
        }
        Some(parts)
    };
    let (folder, path) = (parts(folder)?, parts(program.sources.file(to).path())?);
    let is_absolute = |parts: &[String]| parts.first().is_some_and(|first| first == "/");
    if is_absolute(&folder) != is_absolute(&path) {
        return None;
    }
    let same = folder.iter().zip(&path).take_while(|(one, other)| one == other).count();
    let up = std::iter::repeat_n("..".to_owned(), folder.len() - same);
    Some(up.chain(path[same..].iter().cloned()).collect::<Vec<_>>().join("/"))
}

//! Headers that the struct's file includes in front of an instance of one of their templates.
//!
//! `utils.h` has `copyToDevice<T>`, `types.h` the struct. Where one file of the program includes them in one order and another in the
//! other, an instance has no place behind both. *Form:* behind the struct, in front of the instance, stands
//! `#include "../utils.h"`. *Claim:* the header can be included twice and does not need the struct; in the compilations in which
//! it came later, nothing on the way declares what the header names or names what it declares, so that both mean the same;
//! the header and what it includes are not rewritten.

use super::Rewriter;
use super::instantiation::{Text, declared, gives_meaning};
use super::order::FileOrder;
use crate::edit::Edit;
use layoutc_dataflow::classes::ClassId;
use layoutc_diagnostics::{FileId, Span};
use layoutc_syntax::{Program, RecordId};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

/// Headers of the toolkit, which no macro of a program changes.
const OF_CUDA: [&str; 7] = [
    "cuda.h",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "curand.h",
    "device_launch_parameters.h",
    "driver_types.h",
    "vector_types.h",
];
/// Those of C.
const OF_C: [&str; 9] = [
    "assert.h", "float.h", "limits.h", "math.h", "stdint.h", "stdio.h", "stdlib.h", "string.h",
    "time.h",
];

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
        files.any(|file| includes(program, file).any(|own| own.is_of_runtime()))
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
        let is_header = |id: FileId| {
            let file = &program.files[id.index()];
            !file.is_root && !file.is_opencl && !program.is_foreign(id) && is_guarded(program, id)
        };
        if !is_open
            || all.contains(&definition.file)
            || !all.iter().all(|id| is_header(*id))
            || relative(program, definition.file, header).is_none()
        {
            return None;
        }
        let is_plain = all.iter().all(|id| {
            includes(program, *id).all(|own| {
                let name = own.name;
                let is_known = OF_CUDA.contains(&name) || OF_C.contains(&name);
                own.is_quoted || !name.contains(['.', '/']) || is_known
            })
        });
        // What is defined in several compilations must mean the same in all of them: one without a `using namespace` in front of it
        // shows that it needs none.
        let stands_alone = order.units().any(|unit| {
            let start = unit.iter().position(|(file, _)| *file == header);
            start.is_some_and(|start| {
                unit[..start].iter().all(|(file, range)| {
                    !Text::new(program, *file, range.clone()).opens_namespaces()
                })
            })
        });
        let fits = |unit: Vec<(FileId, std::ops::Range<usize>)>| {
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
            let moved: Vec<(usize, FileId)> = (all.iter())
                .filter_map(|id| Some((first(*id)?, *id)))
                .filter(|(at, _)| *at > place)
                .collect();
            // What moves, too, stays in front of what uses it.
            let is_moved = |id: FileId| moved.iter().any(|(_, own)| *own == id);
            moved.iter().all(|(start, id)| {
                let own = Text::new(program, *id, 0..usize::MAX);
                let words: BTreeSet<String> =
                    own.words().filter(|word| !is_of_directives(word)).map(str::to_owned).collect();
                let names: BTreeSet<&str> = declared(program)
                    .filter(|(span, _)| span.file == *id)
                    .map(|(_, name)| name)
                    .chain(own.macros())
                    .collect();
                unit.iter().enumerate().take(*start).skip(place).all(|(at, (file, range))| {
                    let from = if at == place { definition.end as usize } else { range.start };
                    let text = Text::new(program, *file, from..range.end);
                    let has_macros = text.macros().any(|name| !is_guard(program, *file, name));
                    is_moved(*file)
                        || !(gives_meaning(program, *file, from..range.end, &words, stands_alone)
                            || text.words().any(|word| names.contains(word))
                            || (has_macros && !is_plain))
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

/// A directive that includes a header.
pub(super) struct Include<'a> {
    /// The name between the quotes or brackets.
    pub(super) name: &'a str,
    /// The offset of its line.
    pub(super) at: usize,
    is_quoted: bool,
    /// Whether it stands under a condition, other than that of the file's guard.
    is_conditional: bool,
}

impl Include<'_> {
    /// Whether it always includes the header of the CUDA runtime.
    pub(super) fn is_of_runtime(&self) -> bool {
        !self.is_conditional && matches!(self.name, "cuda_runtime.h" | "cuda_runtime_api.h")
    }
}

/// The directives of a file that include headers.
pub(super) fn includes(program: &Program, file: FileId) -> impl Iterator<Item = Include<'_>> {
    let text = program.sources.file(file).text();
    let guard = usize::from(is_guarded(program, file) && first_directive(text) == Some("ifndef"));
    let (mut next, mut depth) = (0, 0);
    text.split_inclusive('\n').filter_map(move |line| {
        let at = next;
        next += line.len();
        let directive = line.trim_start().strip_prefix('#')?.trim_start();
        if directive.starts_with("if") {
            depth += 1;
        } else if directive.starts_with("endif") {
            depth = usize::saturating_sub(depth, 1);
        }
        let name = directive.strip_prefix("include")?.trim_start();
        let end = if name.starts_with('<') { '>' } else { '"' };
        let inner = name.get(1..)?;
        let name = &inner[..inner.find(end)?];
        Some(Include { name, at, is_quoted: end == '"', is_conditional: depth > guard })
    })
}

/// The word of a text's first directive.
fn first_directive(text: &str) -> Option<&str> {
    let mut directives = text.lines().filter_map(|line| line.trim_start().strip_prefix('#'));
    directives.next()?.split_whitespace().next()
}

/// Whether a file may be included twice: `#pragma once`, or a macro that its first directives ask for and define.
fn is_guarded(program: &Program, file: FileId) -> bool {
    let text = program.sources.file(file).text();
    let mut directives = text.lines().filter_map(|line| line.trim_start().strip_prefix('#'));
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let first = directives.next().map(words).unwrap_or_default();
    let is_once = |line: &str| words(line) == ["pragma", "once"];
    match &first[..] {
        [pragma, once] if pragma == "pragma" && once == "once" => true,
        [asked, name] if asked == "ifndef" => {
            directives
                .next()
                .map(words)
                .unwrap_or_default()
                .get(..2)
                .is_some_and(|own| own[0] == "define" && own[1] == *name)
                || directives.next().is_some_and(is_once)
        }
        _ => false,
    }
}

/// Whether a macro guards its file.
fn is_guard(program: &Program, file: FileId, name: &str) -> bool {
    program.sources.file(file).text().contains(&format!("#ifndef {name}"))
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

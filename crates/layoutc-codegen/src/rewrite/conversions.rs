//! Where the functions that structs share stand: in front of the first struct of each file that needs them.

use super::placement;
use crate::helpers::{Conversions, Needs};
use crate::names::Names;
use crate::storage::Storage;
use layoutc_diagnostics::Span;
use layoutc_syntax::preprocess::{TokenKind, tokens_and_lines};
use layoutc_syntax::{Program, RecordId};
use std::collections::BTreeMap;

/// The functions that a storage uses.
pub(super) struct Own {
    /// They, under their names.
    pub(super) library: Conversions,
    /// Their text, if it stands in front of the storage's functions.
    pub(super) text: String,
}

/// By storage that needs any of the functions: which it uses.
///
/// *Claim:* their text stands in front of each storage that needs it, in the same namespace, wherever a compiler reads its
/// struct, and no compiler reads it twice. Namespaces have functions of different names, since a directive may
/// make both visible.
pub(super) fn places(
    program: &Program,
    storages: &[(RecordId, Storage)],
    needs: &[Needs],
    library: &Conversions,
    names: &mut Names,
) -> BTreeMap<usize, Own> {
    let mut of_namespace: BTreeMap<&[String], Vec<(usize, Span)>> = BTreeMap::new();
    for (at, (record, storage)) in storages.iter().enumerate() {
        if !storage.is_opencl && Conversions::serves(&needs[at]) {
            let home = program.record(placement::home(program, *record));
            let place = placement::definition(program, *record);
            of_namespace.entry(&home.namespaces).or_default().push((at, place));
        }
    }
    let mut found = BTreeMap::new();
    for mut own in of_namespace.into_values() {
        own.sort_by_key(|(at, place)| (place.file, place.end, *at));
        // Those that find the text further up in their file follow one that carries it.
        let mut carriers: Vec<(Span, Vec<usize>)> = Vec::new();
        for (at, place) in own {
            match carriers.last_mut() {
                Some((other, followers))
                    if other.file == place.file && is_read_with(program, *other, place) =>
                {
                    followers.push(at);
                }
                _ => carriers.push((place, vec![at])),
            }
        }
        // A file that is included inside of a namespace may be so again in another one.
        let is_guarded = carriers.len() > 1 && includes_at_file_scope(program);
        let shared = library.under_new_names(names);
        let guard = if is_guarded { names.fresh("LAYOUTC_CONVERSIONS") } else { String::new() };
        for (number, (_, storages)) in carriers.into_iter().enumerate() {
            let library = match is_guarded || number == 0 {
                true => shared.clone(),
                false => library.under_new_names(names),
            };
            let mut text = library.text();
            if is_guarded {
                text = format!("\n#ifndef {guard}\n#define {guard}\n{text}#endif\n");
            }
            for at in storages {
                let text = std::mem::take(&mut text);
                found.insert(at, Own { library: library.clone(), text });
            }
        }
    }
    found
}

/// Whether no file of the program is included inside of a namespace, block or the like.
fn includes_at_file_scope(program: &Program) -> bool {
    program.files.iter().filter(|file| !program.is_foreign(file.id)).all(|file| {
        let text = program.sources.file(file.id).text();
        let mut depth = 0i64;
        tokens_and_lines(text).split(|token| token.kind == TokenKind::Newline).all(|line| {
            let words: Vec<&str> = line.iter().map(|token| token.text(text)).collect();
            if words.first() == Some(&"#") {
                return words.get(1) != Some(&"include") || depth == 0;
            }
            for word in words {
                match word {
                    "{" | "(" | "[" => depth += 1,
                    "}" | ")" | "]" => depth -= 1,
                    _ => {}
                }
            }
            true
        })
    })
}

/// Whether a compiler that reads text behind `place` has read what stands behind `other`, further up in the file: no
/// branch of a condition ends in between.
fn is_read_with(program: &Program, other: Span, place: Span) -> bool {
    let text = &program.sources.file(place.file).text()[other.end as usize..place.end as usize];
    let mut depth = 0usize;
    for line in tokens_and_lines(text).split(|token| token.kind == TokenKind::Newline) {
        let words: Vec<&str> = line.iter().take(2).map(|token| token.text(text)).collect();
        match words.as_slice() {
            ["#", "if" | "ifdef" | "ifndef"] => depth += 1,
            ["#", "endif"] if depth > 0 => depth -= 1,
            ["#", "endif"] => return false,
            ["#", "else" | "elif" | "elifdef" | "elifndef"] if depth == 0 => return false,
            _ => {}
        }
    }
    true
}

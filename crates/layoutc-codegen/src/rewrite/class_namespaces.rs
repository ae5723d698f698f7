//! The namespaces that a specialisation is written in.
//!
//! It belongs to those of its template, and stands behind the definition of what it is made of, which may be in others.

use layoutc_diagnostics::Span;
use layoutc_syntax::preprocess::{TokenKind, tokens};
use layoutc_syntax::{Program, RecordId};

/// What stands in front of a specialisation and behind it, so that it is in the template's namespaces.
#[derive(Default)]
pub(super) struct Namespaces {
    pub(super) open: String,
    pub(super) close: String,
}

impl Namespaces {
    /// The namespaces of the template that are not around the place of an instance; nothing if it
    /// cannot be written there.
    pub(super) fn between(program: &Program, record: RecordId, anchor: Span) -> Option<Self> {
        let own = &program.record(record).namespaces;
        let around = program.records.iter().find(|other| other.declaration == Some(anchor))?;
        let opened = |within: &[String]| -> Option<Namespaces> {
            let is_named = !within.iter().any(|name| name.starts_with('('));
            is_named.then(|| Namespaces {
                open: within.iter().map(|name| format!("namespace {name} {{\n")).collect(),
                close: "\n}".repeat(within.len()),
            })
        };
        if let Some(within) = own.strip_prefix(&around.namespaces[..]) {
            return opened(within);
        }
        // The names of the element's text would mean others where the template's namespaces have one of that name inside.
        let first = around.namespaces.first()?;
        let is_record =
            |other: &layoutc_syntax::Record| other.name == *first && !other.namespaces.is_empty();
        // The namespaces of the standard library are known where its owners are judged.
        let is_of_library = program.is_model_text(program.record(record).name_span.file);
        let has_namesake =
            || program.records.iter().any(is_record) || has_inner_namespace(program, first);
        if !is_of_library && has_namesake() {
            return None;
        }
        // In namespaces that have nothing to do with it: they are closed and opened again.
        let heads = namespaces_around(program, anchor, &around.namespaces)?;
        let Namespaces { open, close } = opened(own)?;
        let again: String = heads.iter().map(|head| format!("\n{head} {{")).collect();
        Some(Namespaces {
            open: format!("{}{open}", "}\n".repeat(heads.len())),
            close: format!("{close}{again}"),
        })
    }
}

/// The heads of the namespaces that are open behind a text (`namespace a::b`), the outermost first, if they are the ones of
/// these names and nothing else is open.
fn namespaces_around(program: &Program, place: Span, names: &[String]) -> Option<Vec<String>> {
    let text = &program.sources.file(place.file).text()[..place.end as usize];
    let (mut open, mut head): (Vec<Vec<&str>>, Vec<&str>) = (Vec::new(), Vec::new());
    for token in tokens(text) {
        match token.text(text) {
            "{" => open.push(std::mem::take(&mut head)),
            "}" => {
                open.pop()?;
                head.clear();
            }
            ";" => head.clear(),
            word if token.kind == TokenKind::Newline || word.trim().is_empty() => {}
            "namespace" => head = vec!["namespace"],
            word => head.push(word),
        }
    }
    let (mut found, mut heads): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
    for own in &open {
        let [first, inner @ ..] = &own[..] else { return None };
        let parts: Vec<&str> = inner.split(|part| *part == "::").flatten().copied().collect();
        let is_plain = inner.iter().all(|part| *part == "::" || is_word(part));
        if *first != "namespace" || !is_plain || parts.is_empty() {
            return None;
        }
        found.extend(parts);
        heads.push(format!("namespace {}", inner.concat()));
    }
    (found == names).then_some(heads)
}

/// Whether a namespace of this name stands in another one somewhere.
fn has_inner_namespace(program: &Program, name: &str) -> bool {
    program.sources.iter().any(|(_, file)| {
        let text = file.text();
        let (mut depth, mut place_of_name) = (0usize, None);
        tokens(text).into_iter().any(|token| {
            let word = token.text(text);
            let place: Option<usize> = place_of_name.take();
            match word {
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                "namespace" => place_of_name = Some(depth),
                // `namespace a::b`
                "::" => place_of_name = place.map(|place| place + 1),
                _ => {
                    place_of_name = place;
                    return word == name && place.is_some_and(|place| place > 0);
                }
            }
            false
        })
    })
}

/// A type as it is spelled in the namespace of a library, which may have a class of the same name.
pub(super) fn from_outside(program: &Program, spelled: &str) -> String {
    let mut text = String::new();
    let (mut at, mut before) = (0usize, "");
    for token in tokens(spelled) {
        let word = token.text(spelled);
        let is_first = before != "::"
            && program.records.iter().any(|own| match own.namespaces.first() {
                Some(namespace) => namespace == word,
                None => own.name == word && !program.is_model_text(own.name_span.file),
            });
        text.push_str(&spelled[at..token.start as usize]);
        text.push_str(if is_first { "::" } else { "" });
        at = token.start as usize;
        before = word;
    }
    text.push_str(&spelled[at..]);
    text
}

/// Whether a token is a name.
fn is_word(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

//! Heads of versions: the specifiers, qualifiers and attributes that each carries.
//!
//! A version has those of its origin, as that spells them. What only members can have goes, a
//! macro that means something else where the version stands is written out, and what is inline in
//! a class, or as a template, says so.

use super::Rewriter;
use super::order::FileOrder;
use crate::edit::Edit;
use layoutc_diagnostics::{FileId, Span};
use layoutc_syntax::preprocess::{Token, TokenKind, tokens, tokens_and_lines};
use layoutc_syntax::{ExecutionSpace, FunctionId, FunctionSite, HeadMacro, Program};
use std::collections::BTreeSet;

/// A word in the head of a function, or a macro or attribute there.
struct HeadWord<'a> {
    span: Span,
    /// As it is written; of a macro what it stands for.
    text: &'a str,
    own: Option<&'a HeadMacro>,
    is_behind: bool,
}

/// The words in front of a function's name and behind its parameters, up to a trailing type.
fn head_words<'a>(
    program: &'a Program,
    id: FunctionId,
    site: &'a FunctionSite,
) -> Vec<HeadWord<'a>> {
    let body = program.function(id).body.map(|body| program.stmt(body).span);
    let end = body.filter(|body| site.span.contains(*body)).map_or(site.span.end, |b| b.start);
    let behind = site.parentheses.map_or(end, |list| list.end);
    let mut found = Vec::new();
    for (start, end) in [(site.span.start, site.name.start), (behind, end)] {
        let is_behind = start == behind;
        let whole = Span { start, end, ..site.span };
        let source = program.text(whole);
        let mut depth = 0usize;
        let mut known: Option<&HeadMacro> = None;
        for token in tokens(source) {
            let at = place(whole, token, source);
            if known.is_some_and(|own| own.span.contains(at)) {
                continue;
            }
            known = site.macros.iter().find(|own| own.span.contains(at));
            if let Some(own) = known {
                found.push(HeadWord { span: own.span, text: &own.text, own: Some(own), is_behind });
                continue;
            }
            match token.text(source) {
                "(" | "[" => depth += 1,
                ")" | "]" => depth = depth.saturating_sub(1),
                "->" if is_behind && depth == 0 => break,
                _ => {}
            }
            // What stands in parentheses is an argument.
            if depth == 0 || matches!(token.text(source), "[") {
                found.push(HeadWord { span: at, text: token.text(source), own: None, is_behind });
            }
        }
    }
    found
}

fn place(whole: Span, token: Token, source: &str) -> Span {
    let start = whole.start as usize + token.start as usize;
    Span::new(whole.file, start, start + token.text(source).len())
}

/// Whether a function is declared with a specifier, in its own words or by a macro.
fn has_word(program: &Program, id: FunctionId, site: &FunctionSite, wanted: &[&str]) -> bool {
    head_words(program, id, site).iter().any(|word| match word.own {
        Some(own) => own.words().any(|word| wanted.contains(&word)),
        None => wanted.contains(&word.text),
    })
}

const INLINE: [&str; 6] =
    ["inline", "__inline", "__inline__", "__forceinline__", "constexpr", "consteval"];

/// Whether a declaration says that its function is inline.
pub(super) fn says_inline(program: &Program, id: FunctionId, site: &FunctionSite) -> bool {
    has_word(program, id, site, &INLINE)
}

/// Whether a declaration says that its function may be evaluated by the compiler.
pub(super) fn says_constexpr(program: &Program, id: FunctionId, site: &FunctionSite) -> bool {
    has_word(program, id, site, &["constexpr", "consteval"])
}

/// What says the linkage of a version in front of it: that of its origin.
///
/// A member function is inline if its class defines it, and so is an instance that is no template
/// any more. In a header that may be unused, which nvcc says of what is only `static`.
pub(super) fn linkage(
    program: &Program,
    id: FunctionId,
    site: &FunctionSite,
    home: FileId,
) -> &'static str {
    let function = program.function(id);
    let body = function.body.map(|body| program.stmt(body).span);
    let is_inside = |span: Span| {
        function
            .record
            .and_then(|record| program.record(record).body)
            .is_some_and(|body| body.contains(span))
    };
    let is_inline_by_itself = match function.this_parameter {
        Some(_) => {
            body.is_some_and(is_inside)
                || function.copy_of.as_ref().is_some_and(layoutc_syntax::CopyOf::is_instance)
        }
        None => true,
    };
    let is_declared_so = function.sites.iter().any(|site| says_inline(program, id, site));
    if says_inline(program, id, site) || !(is_inline_by_itself || is_declared_so) {
        return "";
    }
    let is_header = std::iter::once(home)
        .chain(function.sites.iter().map(|site| site.span.file))
        .any(|file| !program.files[file.index()].is_root);
    // What a header declares and a file defines has a name for all files, unless the definition moves into the header.
    let is_root = |file: FileId| program.files[file.index()].is_root;
    let defines = body.is_some_and(|body| site.span.contains(body));
    let original = function.copy_of.as_ref().map_or(id, |own| own.original);
    let is_shared = body.is_some_and(|body| is_root(body.file))
        && template_sites(program, original).any(|site| !is_root(site.span.file))
        && (!defines || is_root(home));
    if is_shared && !is_declared_so {
        return "";
    }
    // nvcc ignores `inline` there, and says so.
    if is_header && function.space == ExecutionSpace::Kernel {
        return "[[maybe_unused]] static ";
    }
    let needs_inline = site.macros.iter().any(|own| own.text.contains("always_inline"));
    if is_declared_so || is_header || needs_inline {
        "inline "
    } else if has_word(program, id, site, &["static"]) {
        ""
    } else {
        "static "
    }
}

/// Where a function template is declared: a declaration with other names for its types is a function of its own in the model.
pub(super) fn template_sites(
    program: &Program,
    template: FunctionId,
) -> impl Iterator<Item = &FunctionSite> {
    let own = program.function(template);
    let twins = program.functions.iter().filter(move |other| {
        other.name == own.name
            && other.body.is_none()
            && !other.template_parameters.is_empty()
            && other.parameters.len() == own.parameters.len()
    });
    own.sites.iter().chain(twins.flat_map(|other| &other.sites))
}

/// Puts the linkage in front of a declaration, behind attributes that must come first.
pub(super) fn with_linkage(text: &str, linkage: &str, site: &FunctionSite) -> String {
    if linkage.is_empty() {
        return text.to_owned();
    }
    let is_leading = |word: &str| {
        site.macros.iter().any(|own| {
            let words: Vec<&str> = own.words().take(2).collect();
            words == ["[", "["] && !own.is_attribute && own.name == word
        })
    };
    let mut at = 0;
    let mut depth = 0usize;
    let found = tokens(text);
    for (index, token) in found.iter().enumerate() {
        let word = token.text(text);
        let next = found.get(index + 1).map_or("", |next| next.text(text));
        match word {
            "[" if depth > 0 || next == "[" => depth += 1,
            "]" if depth > 0 => depth -= 1,
            _ if depth > 0 || is_leading(word) => {}
            _ => {
                at = token.range().start;
                break;
            }
        }
    }
    format!("{}{linkage}{}", &text[..at], &text[at..])
}

/// The head of an instance that is still a template, with the defaults that a prototype gives to the
/// parameters which are left; nothing if one of them needs a parameter that is bound.
pub(super) fn with_defaults(
    program: &Program,
    id: FunctionId,
    head: &str,
    prototype: &FunctionSite,
) -> Option<String> {
    let function = program.function(id);
    let copy_of = function.copy_of.as_ref();
    let (Some(copy_of), Some(whole)) = (copy_of, prototype.template) else {
        return Some(head.to_owned());
    };
    let own_list = match &copy_of.head {
        Some((_, text)) if !text.is_empty() => text,
        _ => return Some(head.to_owned()),
    };
    let list = parameter_list(program.text(Span { end: prototype.span.start, ..whole }));
    let names = &program.function(copy_of.original).template_parameters;
    if list.len() != names.len() || !list.iter().any(|text| text.contains('=')) {
        return Some(head.to_owned());
    }
    let left: Vec<&str> = names
        .iter()
        .zip(&list)
        .filter(|(name, _)| function.template_parameters.contains(name))
        .map(|(_, text)| *text)
        .collect();
    let bound: Vec<&str> = list
        .iter()
        .filter(|text| !left.contains(text))
        .filter_map(|text| words_in(text.split('=').next().unwrap_or(text)).last().copied())
        .collect();
    let needs_bound =
        left.iter().any(|text| words_in(text).iter().any(|word| bound.contains(word)));
    if needs_bound {
        return None;
    }
    Some(head.replacen(own_list.as_str(), &format!("<{}>", left.join(", ")), 1))
}

fn words_in(text: &str) -> Vec<&str> {
    tokens(text).into_iter().map(|token| token.text(text)).collect()
}

/// The parameters in `template <…>`.
fn parameter_list(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut depth, mut start) = (0usize, 0);
    for token in tokens(text) {
        match token.text(text) {
            "<" | "(" | "[" | "{" => {
                depth += 1;
                if depth == 1 {
                    start = token.range().end;
                }
            }
            ">" if depth == 1 => {
                found.push(text[start..token.range().start].trim());
                return found;
            }
            ">" | ")" | "]" | "}" => depth = depth.saturating_sub(1),
            "," if depth == 1 => {
                found.push(text[start..token.range().start].trim());
                start = token.range().end;
            }
            _ => {}
        }
    }
    Vec::new()
}

/// Words of the head of a member function that a free function cannot have.
fn is_of_members(word: &str, is_behind: bool) -> bool {
    if is_behind {
        matches!(word, "const" | "volatile" | "override" | "final" | "&" | "&&")
    } else {
        matches!(word, "virtual" | "explicit" | "friend")
    }
}

/// The words without `[[nodiscard]]`, which says nothing of a function that returns nothing.
fn without_nodiscard<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let mut rest = Vec::new();
    let mut at = 0;
    while at < words.len() {
        if words[at..].starts_with(&["[", "[", "nodiscard"])
            && let Some(close) = words[at..].windows(2).position(|pair| pair == ["]", "]"])
        {
            at += close + 2;
            continue;
        }
        rest.push(words[at]);
        at += 1;
    }
    rest
}

impl Rewriter<'_> {
    /// Removes what belongs to member functions only, and `[[nodiscard]]` where nothing is given
    /// back any more.
    pub(super) fn drop_member_words(&mut self, id: FunctionId, site: &FunctionSite) {
        let program = self.program;
        let drops_result =
            program.function(id).copy_of.as_ref().is_some_and(|copy_of| copy_of.drops_result);
        let mut dropped: Vec<(Span, String)> = Vec::new();
        for word in head_words(program, id, site) {
            let Some(own) = word.own else {
                if is_of_members(word.text, word.is_behind) {
                    dropped.push((word.span, String::new()));
                }
                continue;
            };
            if own.is_attribute {
                if drops_result && own.text.contains("warn_unused_result") {
                    dropped.push((word.span, String::new()));
                }
                continue;
            }
            let words: Vec<&str> = own.words().collect();
            let mut rest: Vec<&str> =
                words.iter().copied().filter(|text| !is_of_members(text, word.is_behind)).collect();
            if drops_result {
                rest = without_nodiscard(&rest);
            }
            if rest.len() < words.len() {
                dropped.push((word.span, joined(&rest)));
            }
        }
        if drops_result {
            let head = Span { end: site.name.start, ..site.span };
            dropped.extend(nodiscard_in(program, head).map(|span| (span, String::new())));
        }
        for (span, text) in dropped {
            let span = if text.is_empty() { with_blank(program, span, site) } else { span };
            self.push(Edit::replace(span, text));
        }
    }

    /// What the macros of a head stand for, where they mean something else at the place of a
    /// version.
    pub(super) fn macros_elsewhere(
        &self,
        order: &FileOrder,
        site: &FunctionSite,
        to: Span,
        edits: &[Edit],
    ) -> Vec<Edit> {
        site.macros
            .iter()
            .filter(|own| {
                !own.is_attribute && !edits.iter().any(|edit| edit.span.overlaps(own.span))
            })
            .filter(|own| means_something_else(self.program, order, own, to))
            .map(|own| Edit::replace(own.span, joined(&own.words().collect::<Vec<_>>())))
            .collect()
    }
}

/// A standard attribute `[[nodiscard]]` in a text.
fn nodiscard_in(program: &Program, head: Span) -> Option<Span> {
    let source = program.text(head);
    let found = tokens(source);
    let first = found.windows(3).position(|three| {
        three[0].text(source) == "["
            && three[1].text(source) == "["
            && three[2].text(source) == "nodiscard"
    })?;
    let last = found[first..]
        .windows(2)
        .position(|pair| pair[0].text(source) == "]" && pair[1].text(source) == "]")?;
    let end = place(head, found[first + last + 1], source);
    Some(place(head, found[first], source).to(end))
}

/// A span that goes, with the blank that divides it from what stays.
fn with_blank(program: &Program, span: Span, site: &FunctionSite) -> Span {
    let text = program.sources.file(span.file).text();
    let is_behind = span.start >= site.name.end;
    if is_behind && text[..span.start as usize].ends_with(' ') {
        Span { start: span.start - 1, ..span }
    } else if !is_behind && text[span.end as usize..].starts_with(' ') {
        Span { end: span.end + 1, ..span }
    } else {
        span
    }
}

/// Words of a macro as one text.
fn joined(words: &[&str]) -> String {
    let mut out = String::new();
    for (at, word) in words.iter().enumerate() {
        let tight = matches!(*word, "(" | ")" | "," | "]" | ">" | "::")
            || (*word == "[" && at > 0 && words[at - 1] == "[")
            || (at > 0 && matches!(words[at - 1], "(" | "[" | "<" | "::"));
        if !out.is_empty() && !tight {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Whether the name of a macro, or one that it is made of, is defined, removed or defined again
/// between its use and a place; or if a compilation that holds the place does not hold the use.
fn means_something_else(program: &Program, order: &FileOrder, own: &HeadMacro, to: Span) -> bool {
    let mut names = BTreeSet::from([own.name.as_str()]);
    loop {
        let before = names.len();
        for def in &program.macros {
            if names.contains(def.name.as_str()) {
                names.extend(def.body_identifiers.iter().map(String::as_str));
            }
        }
        if names.len() == before {
            break;
        }
    }
    let holds = |(file, range): &(FileId, std::ops::Range<usize>), span: Span| {
        *file == span.file && range.start <= span.end as usize && span.end as usize <= range.end
    };
    order.units().any(|unit| {
        let Some(last) = unit.iter().position(|piece| holds(piece, to)) else { return false };
        let Some(first) = unit.iter().position(|piece| holds(piece, own.span)) else {
            return true;
        };
        let (from, to) = (own.span.end as usize, to.end as usize);
        let (first, last, from, to) = if (last, to) < (first, from) {
            (last, first, to, from)
        } else {
            (first, last, from, to)
        };
        unit.iter().enumerate().take(last + 1).skip(first).any(|(at, (file, range))| {
            let text = program.sources.file(*file).text();
            let start = if at == first { from } else { range.start };
            let end = (if at == last { to } else { range.end }).min(text.len());
            start < end && redefines(&text[start..end], &names)
        })
    })
}

/// Whether a text defines or removes one of the macros.
fn redefines(text: &str, names: &BTreeSet<&str>) -> bool {
    let found = tokens_and_lines(text);
    found.split(|token| token.kind == TokenKind::Newline).any(|line| {
        let mut words = line.iter().map(|token| token.text(text));
        words.next() == Some("#")
            && matches!(words.next(), Some("define" | "undef"))
            && words.next().is_some_and(|name| names.contains(name))
    })
}

//! Locals that no text uses any more after the edits.
//!
//! `const int i = y * nx + x;` stays behind where every `a[i]` became an access by `y` and `x`, and
//! nvcc warns of it. A declaration is deleted if its initializer does nothing else, and so is what only
//! that initializer used. Any other whose value nothing reads gets `[[maybe_unused]]`, and so does one
//! that shares its lines with other text.
//!
//! *Invariant:* a name is deleted only if no token of its function is spelled like it outside of
//! replaced text, none in the replacements, and none in the body of a macro. So branches that are not
//! compiled and arguments of macros count as uses, whatever they mean. Where macros paste tokens, a
//! name may be made of others, and where a function includes a file, that may use it: nothing is
//! deleted there.

use crate::edit::{Edit, EditSet};
use layoutc_diagnostics::{FileId, Span};
use layoutc_syntax::preprocess::{TokenKind, each_token};
use layoutc_syntax::{
    ExprId, ExprKind, NameRef, Program, StmtKind, Storage, TypeKind, VarId, Variable,
};
use std::collections::{BTreeMap, BTreeSet};

/// What a declaration of which no use is left begins with.
pub(crate) const MAYBE_UNUSED: &str = "[[maybe_unused]] ";

/// Adds the edits that delete or mark the locals whose every use the edits of a file replaced.
///
/// Edits of functions that are generated as whole texts, such as versions, stay as they are.
pub fn settle_unused_locals(program: &Program, edits: &mut BTreeMap<FileId, EditSet>) {
    let in_macros = words_of_macros(program);
    let pastes = program
        .macros
        .iter()
        .any(|own| own.is_used && own.parameter_uses.iter().any(|parameter| parameter.pasted > 0));
    let mut candidates: BTreeMap<FileId, Vec<Candidate<'_>>> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for (id, variable) in program.variable_ids().map(|id| (id, program.variable(id))) {
        let file = variable.site.name.file;
        if edits.contains_key(&file)
            && program.sources.file(file).view().is_none()
            && variable.storage == Storage::Local
            && !variable.name.is_empty()
            && !in_macros.contains(variable.name.as_str())
            && program.declaration_home(&variable.site).is_none()
            && seen.insert(variable.site.name)
            && let Some(body) = body_of(program, variable)
        {
            let own = Candidate { id, variable, body, reads: Vec::new() };
            candidates.entry(file).or_default().push(own);
        }
    }
    if candidates.is_empty() {
        return;
    }
    add_reads(program, &mut candidates);
    for (file, candidates) in candidates {
        let Some(own) = edits.get_mut(&file) else { continue };
        let added = unused_in_file(program, own, &candidates, !pastes);
        if !added.is_empty() {
            // What overlaps another edit was left alone.
            let all = own.edits().iter().cloned().chain(added);
            if let Ok(all) = EditSet::new(all.collect()) {
                *own = all;
            }
        }
    }
}

/// A local that may have lost its uses.
struct Candidate<'a> {
    id: VarId,
    variable: &'a Variable,
    /// The body of its function.
    body: Span,
    /// Where its value is used.
    reads: Vec<Span>,
}

/// Adds the uses of all candidates but those that only give them another value.
fn add_reads(program: &Program, candidates: &mut BTreeMap<FileId, Vec<Candidate<'_>>>) {
    let mut by_name: BTreeMap<Span, &mut Vec<Span>> = BTreeMap::new();
    for own in candidates.values_mut().flatten() {
        by_name.insert(own.variable.site.name, &mut own.reads);
    }
    let mut targets = BTreeSet::new();
    for id in program.expr_ids() {
        if let ExprKind::Assign(None, target, _) = program.expr(id).kind {
            targets.insert(program.strip_parens(target));
        }
    }
    for id in program.expr_ids() {
        let ExprKind::Name(NameRef::Variable(variable)) = program.expr(id).kind else { continue };
        if !targets.contains(&id)
            && let Some(reads) = by_name.get_mut(&program.variable(variable).site.name)
        {
            reads.push(program.expr_site(id));
        }
    }
}

/// The function body around a declaration, if both stand in one file.
fn body_of(program: &Program, variable: &Variable) -> Option<Span> {
    let body = program.function(variable.function?).body?;
    let span = program.stmt(body).span;
    (span.file == variable.site.name.file && span.contains(variable.site.name)).then_some(span)
}

/// The words of all replacement lists that are no parameters of their macros.
fn words_of_macros(program: &Program) -> BTreeSet<&str> {
    let mut words = BTreeSet::new();
    for own in &program.macros {
        let parameters = own.parameters.as_deref().unwrap_or_default();
        let names = own.body_identifiers.iter().filter(|word| !parameters.contains(word));
        words.extend(names.map(String::as_str));
    }
    words
}

fn unused_in_file(
    program: &Program,
    edits: &EditSet,
    candidates: &[Candidate<'_>],
    may_delete: bool,
) -> Vec<Edit> {
    let Some(first) = candidates.first() else { return Vec::new() };
    let text = program.sources.file(first.body.file).text();
    let names: BTreeSet<&str> = candidates.iter().map(|own| own.variable.name.as_str()).collect();
    let mut places: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for token in each_token(text).filter(|token| token.kind == TokenKind::Identifier) {
        if let Some(name) = names.get(token.text(text)) {
            places.entry(name).or_default().push(token.start);
        }
    }
    let mut replaced: Vec<Edit> = edits.edits().to_vec();
    let mut added = Vec::new();
    let mut open: Vec<&Candidate<'_>> = candidates.iter().collect();
    // Each deletion may take the last use of another.
    loop {
        let before = added.len();
        open.retain(|own| {
            if !is_unread(own, &replaced) {
                return true;
            }
            let deletion = (may_delete
                && !includes_text(program, own.body)
                && has_lost_its_uses(own, &places, &replaced))
            .then(|| deletion(program, own, &replaced, text))
            .flatten();
            if let Some(edit) = deletion {
                let at = replaced.partition_point(|other| other.span.start < edit.span.start);
                replaced.insert(at, edit.clone());
                added.push(edit);
                return false;
            }
            true
        });
        if added.len() == before {
            break;
        }
    }
    let unread = open.into_iter().filter(|own| is_unread(own, &replaced));
    added.extend(unread.filter_map(|own| mark(program, own, &replaced)));
    added
}

/// The edits that touch a range, by their order.
fn touching(edits: &[Edit], span: Span) -> impl Iterator<Item = &Edit> {
    let first = edits.partition_point(|edit| edit.span.end < span.start);
    edits[first..].iter().take_while(move |edit| edit.span.start <= span.end)
}

fn is_replaced(replaced: &[Edit], place: Span) -> bool {
    touching(replaced, place).any(|edit| edit.span.contains(place))
}

/// Whether no use of the value is left, and some was there.
fn is_unread(own: &Candidate<'_>, replaced: &[Edit]) -> bool {
    !own.reads.is_empty()
        && own.reads.iter().all(|place| is_replaced(replaced, *place))
        && !touching(replaced, own.body).any(|edit| {
            each_token(&edit.text).any(|token| {
                token.kind == TokenKind::Identifier && token.text(&edit.text) == own.variable.name
            })
        })
}

/// Whether text of other files stands in a function.
fn includes_text(program: &Program, body: Span) -> bool {
    let included = &program.files[body.file.index()].include_offsets;
    included.iter().any(|at| body.range().contains(at))
}

/// Whether no token of its function is the name, but for the declaration.
fn has_lost_its_uses(
    own: &Candidate<'_>,
    places: &BTreeMap<&str, Vec<u32>>,
    replaced: &[Edit],
) -> bool {
    let name = own.variable.name.as_str();
    let Some(places) = places.get(name) else { return false };
    let first = places.partition_point(|at| *at < own.body.start);
    let mut uses = places[first..]
        .iter()
        .take_while(|at| **at < own.body.end)
        .filter(|at| **at != own.variable.site.name.start);
    uses.all(|at| {
        let place = Span { start: *at, end: at + name.len() as u32, ..own.body };
        is_replaced(replaced, place)
    })
}

/// Deletes a declaration with its lines, or one variable of several.
fn deletion(program: &Program, own: &Candidate<'_>, replaced: &[Edit], text: &str) -> Option<Edit> {
    let variable = own.variable;
    if !is_scalar(program, variable.ty) || !only_computes(program, variable.init?) {
        return None;
    }
    let span = program.declaration_of(&variable.site)?.span;
    let declared = declared_in_block(program, own.id)?;
    let at = declared.iter().position(|id| *id == own.id)?;
    let full = |at: usize| declared.get(at).map(|id| program.variable(*id).site.full);
    let deleted = match (at.checked_sub(1).and_then(full), full(at + 1)) {
        (None, None) => lines_of(text, span)?,
        (Some(before), _) => Span { start: before.end, end: variable.site.full.end, ..span },
        (None, Some(next)) => Span { start: variable.site.full.start, end: next.start, ..span },
    };
    let is_free = touching(replaced, deleted)
        .all(|edit| edit.span.end <= deleted.start || edit.span.start >= deleted.end);
    // A directive in it may belong to another outside.
    let has_directive =
        text[deleted.range()].lines().any(|line| line.trim_start().starts_with('#'));
    (is_free && !has_directive).then(|| Edit::replace(deleted, ""))
}

/// The lines on which nothing but a declaration stands.
fn lines_of(text: &str, span: Span) -> Option<Span> {
    let start = text[..span.start as usize].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[span.end as usize..].find('\n').map(|at| span.end as usize + at + 1)?;
    let is_blank = |range: std::ops::Range<usize>| text[range].trim().is_empty();
    let is_alone = text[span.range()].ends_with(';')
        && is_blank(start..span.start as usize)
        && is_blank(span.end as usize..end);
    is_alone.then_some(Span { start: start as u32, end: end as u32, ..span })
}

/// What the declaration of a variable declares, if it is a statement of a block and not the head of a
/// loop or branch.
fn declared_in_block(program: &Program, variable: VarId) -> Option<&[VarId]> {
    let mut open = vec![program.function(program.variable(variable).function?).body?];
    while let Some(id) = open.pop() {
        let own = program.stmt(id);
        if let StmtKind::Block(inner) = &own.kind {
            let found = inner.iter().find_map(|id| match &program.stmt(*id).kind {
                StmtKind::Declaration(_, found) if found.contains(&variable) => Some(found),
                _ => None,
            });
            if let Some(found) = found {
                return Some(found);
            }
        }
        open.extend(own.parts().0);
    }
    None
}

fn is_scalar(program: &Program, ty: layoutc_syntax::QualType) -> bool {
    !ty.is_volatile && matches!(program.types.kind(ty.id), TypeKind::Scalar(_))
}

/// Whether an expression gives a number of other numbers, and does nothing else.
fn only_computes(program: &Program, id: ExprId) -> bool {
    let expr = program.expr(id);
    let computes = match &expr.kind {
        ExprKind::Integer(_)
        | ExprKind::Literal
        | ExprKind::Name(NameRef::Variable(_) | NameRef::Constant(_))
        | ExprKind::Paren(_)
        | ExprKind::Binary(..)
        | ExprKind::Conditional(..)
        | ExprKind::Cast { .. } => true,
        ExprKind::Unary(operator, _) => !operator.is_update(),
        _ => false,
    };
    computes
        && is_scalar(program, expr.ty)
        && expr.children().all(|child| only_computes(program, child))
}

/// Says of a declaration that it may be unused, where the language has a word for it.
fn mark(program: &Program, own: &Candidate<'_>, replaced: &[Edit]) -> Option<Edit> {
    let name = own.variable.site.name;
    let file = &program.files[name.file.index()];
    let is_cplusplus = !file.is_opencl && !program.is_host_text(name);
    let is_replaced = touching(replaced, name)
        .any(|edit| edit.span.start < name.end && edit.span.end > name.start);
    let start = program.declaration_of(&own.variable.site)?.span.start;
    let is_marked = touching(replaced, Span { start, end: name.end, ..name })
        .any(|edit| edit.text.contains(MAYBE_UNUSED.trim_end()));
    (is_cplusplus && !is_replaced && !is_marked)
        .then(|| Edit::replace(name.at_end(), format!(" {}", MAYBE_UNUSED.trim_end())))
}

//! Code actions: explain a diagnostic, apply the layouts, keep arrays as they are.

use crate::lsp::client::Client;
use crate::lsp::diagnostics::{OfFile, announced_at};
use crate::lsp::explain::EXPLAIN;
use crate::lsp::keep::{keep, workspace_edit};
use crate::lsp::mentions::{ClassAt, in_file};
use crate::lsp::naming::Naming;
use crate::lsp::snapshot::{Analysed, Snapshot};
use crate::lsp::spans::Spans;
use layoutc_codegen::{Edit, EditSet};
use layoutc_diagnostics::{Code, FileId, Span};
use layoutc_driver::{ClassOutcome, Status};
use lsp_types::{
    Code as CodeText, CodeAction, CodeActionKind, CodeActionParams, CodeActionResponse, Command,
    Diagnostic, Range, TextEdit, WorkspaceEdit,
};
use serde_json::json;

/// The kinds of actions that there are.
pub const KINDS: [CodeActionKind; 2] = [CodeActionKind::QuickFix, CodeActionKind::RefactorRewrite];
/// The most layouts that a title lists.
const SHOWN: usize = 3;

/// A place in a program, and what is published there.
pub struct Asked<'a> {
    /// The program.
    pub snapshot: &'a Snapshot,
    /// The file.
    pub file: FileId,
    /// The diagnostics of the file.
    pub published: Option<&'a OfFile>,
    /// Names of files.
    pub naming: Naming<'a>,
    /// The client.
    pub client: &'a Client,
}

impl Asked<'_> {
    /// The actions for a range of the file.
    pub fn actions(&self, parameters: &CodeActionParams) -> Vec<CodeActionResponse> {
        let range = parameters.range;
        let mut actions = self.explanations(range);
        if let Some(own) = self.snapshot.analysed() {
            let changed = self.changed_at(own, range);
            if !changed.is_empty() && own.refusals.is_empty() {
                let edit = self.layout_edit(own);
                let kind = CodeActionKind::RefactorRewrite;
                actions.extend(edit.map(|edit| with_edit(apply_title(own), kind, edit)));
            }
            for class in changed {
                let name = kept_name(class);
                let edit = keep(self.snapshot, name, self.client, self.naming);
                let title = format!("Keep {name}");
                let kind = CodeActionKind::QuickFix;
                actions.extend(edit.map(|edit| with_edit(title, kind, edit)));
            }
        }
        let only = parameters.context.only.as_deref();
        let is_wanted = |action: &CodeAction| {
            let kind = action.kind.as_ref();
            only.is_none_or(|only| kind.is_some_and(|kind| only.iter().any(|own| is_in(kind, own))))
        };
        actions.into_iter().filter(is_wanted).map(CodeActionResponse::CodeAction).collect()
    }

    /// An action for each code that is said of the range: published there, or why an array stays.
    fn explanations(&self, range: Range) -> Vec<CodeAction> {
        let published = self.published.into_iter().flat_map(|own| &own.diagnostics);
        let mut found: Vec<(Code, Vec<Diagnostic>)> = Vec::new();
        for diagnostic in published.filter(|own| overlaps(own.range, range)) {
            let Some(CodeText::String(text)) = &diagnostic.code else { continue };
            let Some(code) = Code::parse(text) else { continue };
            match found.iter_mut().find(|(known, _)| *known == code) {
                Some((_, diagnostics)) => diagnostics.push(diagnostic.clone()),
                None => found.push((code, vec![diagnostic.clone()])),
            }
        }
        let own = self.snapshot.analysed();
        let kept = own.into_iter().flat_map(|own| self.classes_at(own, range));
        for reason in kept.flat_map(|(_, class)| &class.reasons) {
            if !found.iter().any(|(known, _)| *known == reason.code) {
                found.push((reason.code, Vec::new()));
            }
        }
        let action = |(code, diagnostics): (Code, Vec<Diagnostic>)| {
            let title = format!("Explain {code}");
            CodeAction {
                title: title.clone(),
                kind: Some(CodeActionKind::QuickFix),
                diagnostics: (!diagnostics.is_empty()).then_some(diagnostics),
                command: Some(Command {
                    title,
                    command: EXPLAIN.to_owned(),
                    arguments: Some(vec![json!(code.to_string())]),
                    ..Command::default()
                }),
                ..CodeAction::default()
            }
        };
        found.into_iter().map(action).collect()
    }

    /// The classes that are mentioned at the start of the range, or announced in it.
    fn classes_at<'o>(&self, own: &'o Analysed, range: Range) -> Vec<(ClassAt, &'o ClassOutcome)> {
        let mut spans = Spans::new(self.snapshot, self.naming, self.client.encoding);
        let offset = spans.lines(self.file).offset(range.start);
        let mentioned = own.mentions.at(self.file, offset).map(|(_, classes)| classes);
        let mentioned = mentioned.unwrap_or_default();
        let classes = own.success.compiled.classes.iter().enumerate();
        let sources = self.snapshot.sources();
        let mut is_in_range = |span: Span| {
            let span = in_file(sources, span);
            span.file == self.file && overlaps(spans.range(span), range)
        };
        classes
            .filter(|(at, class)| {
                let place = match class.status {
                    Status::Changed => announced_at(own, *at, class),
                    Status::Kept => class.reasons.first().map(|reason| reason.span),
                };
                mentioned.contains(at) || place.is_some_and(&mut is_in_range)
            })
            .collect()
    }

    fn changed_at<'o>(&self, own: &'o Analysed, range: Range) -> Vec<&'o ClassOutcome> {
        let classes = self.classes_at(own, range).into_iter().map(|(_, class)| class);
        classes.filter(|class| class.status == Status::Changed).collect()
    }

    /// All edits of the compiler, in all files.
    fn layout_edit(&self, own: &Analysed) -> Option<WorkspaceEdit> {
        let mut spans = Spans::new(self.snapshot, self.naming, self.client.encoding);
        let sets = own.success.compiled.edits.iter().filter(|(_, set)| !set.is_empty());
        let files = sets.map(|(file, set)| {
            let path = self.snapshot.sources().file(*file).path().to_path_buf();
            let edit = |(span, text): (Span, String)| TextEdit {
                range: spans.range(span),
                new_text: text,
            };
            (path, joined(set).into_iter().map(edit).collect())
        });
        let files: Vec<_> = files.collect();
        workspace_edit(files, self.client, self.naming)
    }
}

/// The edits of a file, those that touch as one: clients disagree on what comes first at one place.
fn joined(set: &EditSet) -> Vec<(Span, String)> {
    let mut found: Vec<(Span, String)> = Vec::new();
    for Edit { span, text, .. } in set.edits() {
        match found.last_mut() {
            Some((before, own)) if before.end == span.start => {
                before.end = span.end;
                own.push_str(text);
            }
            _ => found.push((*span, text.clone())),
        }
    }
    found
}

/// `Apply layout: soa`, or which arrays get which.
fn apply_title(own: &Analysed) -> String {
    let classes = own.success.compiled.classes.iter();
    let changed: Vec<&ClassOutcome> =
        classes.filter(|class| class.status == Status::Changed).collect();
    if let [only] = changed.as_slice() {
        return format!("Apply layout: {}", only.layout);
    }
    let mut texts: Vec<String> =
        changed.iter().map(|class| format!("{} = {}", kept_name(class), class.layout)).collect();
    texts.dedup();
    let more = texts.len().saturating_sub(SHOWN);
    texts.truncate(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("Apply layouts: {}{more}", texts.join("; "))
}

/// What `--keep` takes for the arrays of a class.
fn kept_name(class: &ClassOutcome) -> &str {
    match class.names.first() {
        Some(name) if class.elements.is_empty() => name,
        _ => &class.type_name,
    }
}

fn with_edit(title: String, kind: CodeActionKind, edit: WorkspaceEdit) -> CodeAction {
    CodeAction { title, kind: Some(kind), edit: Some(edit), ..CodeAction::default() }
}

/// Whether two ranges share a place; ranges that touch do.
fn overlaps(one: Range, other: Range) -> bool {
    let at = |position: lsp_types::Position| (position.line, position.character);
    at(one.start) <= at(other.end) && at(other.start) <= at(one.end)
}

/// Whether a kind is another one or a part of it: `refactor` has `refactor.rewrite` in it.
fn is_in(kind: &CodeActionKind, around: &CodeActionKind) -> bool {
    let (kind, around) = (json!(kind), json!(around));
    let (kind, around) = (kind.as_str().unwrap_or_default(), around.as_str().unwrap_or_default());
    let rest = kind.strip_prefix(around);
    rest.is_some_and(|rest| rest.is_empty() || around.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_that_touch_are_one() {
        let span = |start, end| Span::new(FileId(0), start, end);
        let edits = vec![
            Edit::replace(span(2, 2), "x"),
            Edit::replace(span(2, 4), "y"),
            Edit::replace(span(4, 4), "z"),
            Edit::replace(span(5, 6), ""),
        ];
        let set = EditSet::new(edits).expect("disjoint");
        let text = |span, text: &str| (span, text.to_owned());
        assert_eq!(joined(&set), [text(span(2, 4), "xyz"), text(span(5, 6), "")]);
    }

    #[test]
    fn kinds_are_a_tree() {
        let rewrite = CodeActionKind::RefactorRewrite;
        assert!(is_in(&rewrite, &CodeActionKind::Refactor));
        assert!(is_in(&rewrite, &rewrite) && is_in(&rewrite, &CodeActionKind::Empty));
        assert!(!is_in(&rewrite, &CodeActionKind::QuickFix));
        assert!(!is_in(&CodeActionKind::Refactor, &rewrite));
    }
}

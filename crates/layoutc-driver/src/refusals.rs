//! Edits that cannot stand, and the reason why their classes stay.

use layoutc_analysis::{LayoutPlan, Refusal};
use layoutc_codegen::{Edit, EditSet, OverlappingEdits, PLACEHOLDER};
use layoutc_dataflow::classes::{Classes, Pin, classes_in_file, foreign_pin};
use layoutc_diagnostics::{Code, FileId, Span};
use layoutc_syntax::preprocess::{TokenKind, tokens};
use layoutc_syntax::{ExprKind, Function, Program};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// A reason for all that changes.
fn of_all(plan: &LayoutPlan, pin: &Pin) -> Vec<Refusal> {
    let classes = plan.changes().flat_map(|(classes, _)| classes);
    classes.map(|class| Refusal::Array(*class, pin.clone())).collect()
}

/// A reason for what changes and has text in the file of the reason's place; for all that changes if nothing has.
fn of_its_file(program: &Program, classes: &Classes, plan: &LayoutPlan, pin: &Pin) -> Vec<Refusal> {
    let there = classes_in_file(program, classes, pin.span.file);
    let changing = || plan.changes().flat_map(|(classes, _)| classes).copied();
    let found: Vec<Refusal> = changing()
        .filter(|class| there.contains(class))
        .map(|class| Refusal::Array(class, pin.clone()))
        .collect();
    if found.is_empty() { of_all(plan, pin) } else { found }
}

/// Two uses of which one holds the other in a way that was not foreseen: no class may move.
pub(crate) fn overlapping(
    program: &Program,
    plan: &LayoutPlan,
    overlap: OverlappingEdits,
) -> Vec<Refusal> {
    let span = overlap.edits.0.span;
    debug_assert!(false, "overlapping edits at {}: {overlap:?}", program.sources.locate(span));
    let pin = Pin {
        span,
        code: Code::NAME_CONFLICT,
        message: "two rewrites want this text".to_owned(),
        related: vec![(overlap.edits.1.span, "the other".to_owned())],
    };
    of_all(plan, &pin)
}

/// Files that nvcc does not compile as CUDA hold no text but such as host compilers take.
pub(crate) fn outside_cuda(
    program: &Program,
    classes: &Classes,
    plan: &LayoutPlan,
    edits: &BTreeMap<FileId, EditSet>,
) -> Vec<Refusal> {
    let host_only = |file: FileId| {
        let file = &program.files[file.index()];
        file.is_root && !file.is_cuda && !file.is_opencl
    };
    let edits = || edits.values().flat_map(EditSet::edits).filter(|edit| !edit.suits_host);
    let in_root = edits()
        .find(|edit| host_only(edit.span.file))
        .map(|edit| (edit, "this file would have to change, and it is not compiled as CUDA"));
    // What is generated is hidden from host compilers.
    let found = in_root.or_else(|| {
        let edit = edits().find(|edit| !edit.is_generated && program.is_host_text(edit.span))?;
        Some((edit, "this would have to change, and a file that is not CUDA includes it"))
    });
    let Some((edit, message)) = found else {
        return Vec::new();
    };
    let pin = Pin {
        span: edit.span,
        code: Code::NOT_CUDA_FILE,
        message: message.to_owned(),
        related: Vec::new(),
    };
    of_its_file(program, classes, plan, &pin)
}

/// Files whose compiler gets the source as it is, and what they include.
#[derive(Debug, Default)]
pub(crate) struct FixedFiles {
    roots: BTreeSet<FileId>,
    included: BTreeSet<FileId>,
    /// Text of functions that none of these files mentions: what it says is nothing to them.
    unused: Vec<Span>,
}

impl FixedFiles {
    /// Those files of a program that have one of these paths, and all that they include.
    pub(crate) fn new(program: &Program, paths: &BTreeSet<PathBuf>) -> Self {
        let ids = program.sources.iter();
        let roots: BTreeSet<FileId> =
            ids.filter(|(_, file)| paths.contains(file.path())).map(|(id, _)| id).collect();
        let mut included = BTreeSet::new();
        let mut open: Vec<FileId> = roots.iter().copied().collect();
        while let Some(file) = open.pop() {
            let new = program.files[file.index()].includes.iter();
            open.extend(new.filter(|file| included.insert(**file)));
        }
        let is_seen = |file: FileId| roots.contains(&file) || included.contains(&file);
        let unused = match roots.is_empty() {
            true => Vec::new(),
            false => unused_functions(program, &roots, &is_seen),
        };
        FixedFiles { roots, included, unused }
    }

    /// The reason to refuse edits of which one changes what such a file sees.
    ///
    /// Generated text may stand in a header: it changes no meaning of what was there, and only those who see it
    /// use it.
    pub(crate) fn pin<'e>(&self, edits: impl IntoIterator<Item = &'e Edit>) -> Option<Pin> {
        let is_unused = |edit: &Edit| self.unused.iter().any(|text| text.contains(edit.span));
        let is_seen = |edit: &&Edit| {
            self.roots.contains(&edit.span.file)
                || (self.included.contains(&edit.span.file)
                    && !edit.is_generated
                    && !is_unused(edit))
        };
        let edit = edits.into_iter().find(is_seen)?;
        Some(Pin {
            span: edit.span,
            code: Code::NOT_LAUNCHED,
            message: match self.roots.contains(&edit.span.file) {
                true => "this file would have to change, and its compiler runs without `layoutc launch`",
                false => "this would have to change, and a file whose compiler runs without `layoutc launch` includes it",
            }
            .to_owned(),
            related: Vec::new(),
        })
    }
}

/// Prototypes and definitions of plain functions that these files do not use: no expression of theirs has the name,
/// whatever it means there, and no word of the files that are compiled is it.
fn unused_functions(
    program: &Program,
    roots: &BTreeSet<FileId>,
    is_seen: &dyn Fn(FileId) -> bool,
) -> Vec<Span> {
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for expr in program.expr_ids().map(|id| program.expr(id)) {
        if matches!(expr.kind, ExprKind::Name(_)) && is_seen(expr.span.file) {
            names.extend(words(program.text(expr.span)));
        }
    }
    // Macros, names that depend on a template, and text that this compilation does not see.
    names.extend(roots.iter().flat_map(|root| words(program.sources.file(*root).text())));
    let is_directive = |line: &&str| line.trim_start().starts_with('#') || line.ends_with('\\');
    let seen = program.files.iter().filter(|file| is_seen(file.id));
    let directives =
        seen.flat_map(|file| program.sources.file(file.id).text().lines().filter(is_directive));
    names.extend(directives.flat_map(words));
    let is_unused = |function: &&Function| {
        function.record.is_none()
            && function.template_parameters.is_empty()
            && !names.contains(&*function.name)
    };
    let unused = program.functions.iter().filter(is_unused);
    unused.flat_map(|function| &function.sites).map(|site| site.span).collect()
}

/// The words of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let found = tokens(text).into_iter().filter(|token| token.kind == TokenKind::Identifier);
    found.map(|token| token.text(text)).collect::<Vec<_>>().into_iter()
}

/// What a file sees whose compiler gets the source stays as it is.
pub(crate) fn in_fixed_files(
    program: &Program,
    classes: &Classes,
    plan: &LayoutPlan,
    fixed: &FixedFiles,
    edits: &BTreeMap<FileId, EditSet>,
) -> Vec<Refusal> {
    let found = fixed.pin(edits.values().flat_map(EditSet::edits));
    found.map_or_else(Vec::new, |pin| of_its_file(program, classes, plan, &pin))
}

/// Files that are not part of the program stay as they are.
pub(crate) fn in_foreign_files(
    program: &Program,
    plan: &LayoutPlan,
    edits: &BTreeMap<FileId, EditSet>,
) -> Vec<Refusal> {
    let found = edits.values().flat_map(EditSet::edits);
    let Some(pin) = foreign_edit(program, found) else { return Vec::new() };
    of_all(plan, &pin)
}

/// The reason to refuse edits of which one is in a file that is not part of the program.
pub(crate) fn foreign_edit<'e>(
    program: &Program,
    edits: impl IntoIterator<Item = &'e Edit>,
) -> Option<Pin> {
    let edit = edits.into_iter().find(|edit| program.is_foreign(edit.span.file))?;
    let mut pin = foreign_pin(program, edit.span.file, "text that would have to change is");
    pin.related.push((edit.span, "this text".to_owned()));
    Some(pin)
}

/// Edits that would lose or repeat a byte that the text does not hold.
pub(crate) fn placeholders(
    program: &Program,
    plan: &LayoutPlan,
    edits: &BTreeMap<FileId, EditSet>,
) -> Vec<Refusal> {
    let touched = edits.values().flat_map(EditSet::edits).find(|edit| {
        edit.text.contains(PLACEHOLDER) || program.sources.text(edit.span).contains(PLACEHOLDER)
    });
    let Some(edit) = touched else {
        return Vec::new();
    };
    let pin = Pin {
        span: edit.span,
        code: Code::NAME_CONFLICT,
        message: "this text would be rewritten, and it holds a byte that is not UTF-8".to_owned(),
        related: Vec::new(),
    };
    of_all(plan, &pin)
}

//! Edits that cannot stand, and the reason why their classes stay.

use layoutc_analysis::{LayoutPlan, Refusal};
use layoutc_codegen::{Edit, EditSet, OverlappingEdits, PLACEHOLDER};
use layoutc_dataflow::classes::{Classes, Pin, classes_in_file, foreign_pin};
use layoutc_diagnostics::{Code, FileId};
use layoutc_syntax::Program;
use std::collections::BTreeMap;

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

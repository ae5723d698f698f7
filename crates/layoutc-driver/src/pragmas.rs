//! What pragmas of the source ask for: requests like those of the command line, for what stands below them.
//!
//! *Invariant:* a pragma is taken out of the output once its arrays changed, so that another run does not carry it
//! out again; one that keeps arrays stays.

use crate::outcome::{ClassOutcome, Status};
use crate::request::Request;
use layoutc_analysis::choose::of_pragma;
use layoutc_analysis::keep::Keep;
use layoutc_codegen::Edit;
use layoutc_dataflow::classes::{Classes, Element, Slot, slot_names};
use layoutc_dataflow::layout::notation::{Authority, LayoutSpec, SpecBody};
use layoutc_diagnostics::{Code, Diagnostic};
use layoutc_syntax::{LayoutPragma, PragmaSubject, Program, RecordId, TypeKind};
use std::collections::BTreeSet;

/// Adds what the pragmas of a program ask for to what the user does; what is wrong with them is the result.
pub(crate) fn ask(program: &Program, request: &mut Request) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    for (index, pragma) in program.layout_pragmas.iter().enumerate() {
        let target = name(program, pragma);
        let Some(text) = pragma.layout else {
            request.keep.push(Keep { name: target, pragma: Some(index) });
            continue;
        };
        if request.ignores_pragmas {
            continue;
        }
        // A line of it may go on in the next one.
        let body = program.text(text).replace("\\\r\n", "   ").replace("\\\n", "  ");
        match SpecBody::parse(&body) {
            Ok(body) => request.layouts.push(LayoutSpec {
                target,
                with: Vec::new(),
                body,
                authority: Authority::Pragma { text, index },
            }),
            Err(error) => errors.push(error.diagnostic_in(text)),
        }
    }
    errors
}

/// What is said of the arrays that a pragma speaks of.
fn name(program: &Program, pragma: &LayoutPragma) -> String {
    match &pragma.subject {
        PragmaSubject::Record(id) => {
            let record = program.record(*id);
            // Those without a name are of no help to a reader.
            let named = record.namespaces.iter().filter(|namespace| !namespace.starts_with('('));
            let outer = named.map(|namespace| format!("{namespace}::"));
            outer.chain([record.name.clone()]).collect()
        }
        PragmaSubject::Arrays(arrays) => {
            let names = arrays.first().map(|array| slot_names(program, Slot::from(*array)));
            names.into_iter().flatten().max_by_key(String::len).unwrap_or_default()
        }
    }
}

/// Pragmas that speak of no array in device memory: they do nothing.
pub(crate) fn without_arrays(
    program: &Program,
    classes: &Classes,
    outcomes: &[ClassOutcome],
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (index, pragma) in program.layout_pragmas.iter().enumerate() {
        let is_of_records =
            || classes.ids().any(|class| of_pragma(program, classes, class, index).is_some());
        let is_of_numbers = || match (&pragma.subject, pragma.layout) {
            (PragmaSubject::Record(_), _) => false,
            // Of arrays of numbers that gain nothing, nothing is known here.
            (PragmaSubject::Arrays(_), None) => holds_numbers(program, pragma),
            (PragmaSubject::Arrays(_), Some(_)) => {
                let name = name(program, pragma);
                outcomes.iter().any(|outcome| outcome.targets.contains(&name))
            }
        };
        if is_of_records() || is_of_numbers() || is_generated(program, pragma) {
            continue;
        }
        let name = name(program, pragma);
        let message = match &pragma.subject {
            PragmaSubject::Record(_) => {
                format!("no array of `{name}` in device memory is followed in this program")
            }
            PragmaSubject::Arrays(_) => {
                format!("`{name}` is no array in device memory that is followed")
            }
        };
        let warning = Diagnostic::warning(Code::PRAGMA_PLACE, message);
        found.push(warning.at(pragma.directive, "this pragma does nothing"));
    }
    found
}

/// Whether a pragma speaks of a record of which an earlier run has made another one.
fn is_generated(program: &Program, pragma: &LayoutPragma) -> bool {
    let name = name(program, pragma);
    program.generated.iter().any(|region| region.target == name)
}

/// Whether what is declared leads to numbers.
fn holds_numbers(program: &Program, pragma: &LayoutPragma) -> bool {
    let PragmaSubject::Arrays(arrays) = &pragma.subject else { return false };
    arrays.iter().any(|array| {
        let mut ty = match Slot::from(*array) {
            Slot::Variable(id) => program.variable(id).ty,
            Slot::Field(id) => program.field(id).ty,
            Slot::Result(id) => program.function(id).result,
        };
        while let TypeKind::Pointer(to) | TypeKind::Reference(to, _) | TypeKind::Array(to, _) =
            *program.types.kind(ty.id)
        {
            ty = to;
        }
        program.types.as_scalar(ty.id).is_some()
    })
}

/// The edits that take pragmas of arrays that changed out of the source; a comment says what they were.
pub(crate) fn carried_out(program: &Program, outcomes: &[ClassOutcome]) -> Vec<Edit> {
    let changed = || outcomes.iter().filter(|outcome| outcome.status == Status::Changed);
    let is_of = |pragma: &LayoutPragma, outcome: &ClassOutcome| match &pragma.subject {
        PragmaSubject::Record(id) => {
            outcome.elements.iter().any(|own| is_instance(program, *own, *id))
        }
        PragmaSubject::Arrays(_) => outcome.targets.contains(&name(program, pragma)),
    };
    let mut seen = BTreeSet::new();
    let mut edits = Vec::new();
    for pragma in &program.layout_pragmas {
        let Some(layout) = pragma.layout else { continue };
        let directive = pragma.directive;
        let is_done = changed().any(|outcome| is_of(pragma, outcome));
        if is_done && !program.is_foreign(directive.file) && seen.insert(directive) {
            let text = program.text(layout).replace("*/", "* /").replace('\\', " ");
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            edits.push(Edit::replace(directive, format!("/* layoutc: layout({text}) */")));
        }
    }
    edits
}

/// Whether a record is another one, or an instance of it.
fn is_instance(program: &Program, own: RecordId, other: RecordId) -> bool {
    let instance = program.record(own).instance.as_ref();
    own == other
        || instance.is_some_and(|instance| instance.template == other)
        || Element::Record(own).name(program) == Element::Record(other).name(program)
}

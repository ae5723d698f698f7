//! Which host arrays get the layout of the device's arrays.
//!
//! Every host array that is copied to or from an array that changes is tried: with it the class
//! must change as before, or the array stays as it is and its copies convert.

use crate::outcome::HostOutcome;
use crate::records::{Known, Planned};
use crate::request::{HostLayout, Request};
use layoutc_dataflow::classes::{ClassId, HostArray, Pin, Slot};
use layoutc_dataflow::layout::notation::EVERY_ARRAY;
use layoutc_diagnostics::{Code, Diagnostic, Severity, Span};
use layoutc_syntax::{ExprId, ExprKind, Program};
use std::collections::BTreeSet;

/// How many host arrays are tried one by one.
const MOST_ARRAYS: usize = 32;

/// Plans a program with as many host arrays in the device's layout as can be.
pub(crate) fn plan_with_host_arrays(
    program: Program,
    request: &Request,
) -> (Planned, Vec<HostOutcome>, Vec<Diagnostic>) {
    let base = Planned::new(program.clone(), request, &BTreeSet::new(), Known::default());
    let all = base.classes.host_arrays(&base.program);
    let errors = unknown_names(&base.program, &all, &request.host);
    let wanted: Vec<HostArray> = all
        .into_iter()
        .filter(|array| is_wanted(&base.program, array, &request.host))
        .filter(|array| {
            base.plan.changing(array.class).is_some() || !base.classes.class(array.class).is_free()
        })
        .collect();
    if wanted.is_empty() || !errors.is_empty() {
        return (base, Vec::new(), errors);
    }
    // Slots are those of this program; each attempt makes versions of its own.
    let named: Vec<Vec<String>> = wanted.iter().map(|array| names(&base.program, array)).collect();
    let together: BTreeSet<Span> =
        wanted.iter().flat_map(|array| array.copies.iter().copied()).collect();
    let attempt = Planned::new(program.clone(), request, &together, Known::default());
    let mut reasons: Vec<Option<Pin>> = vec![None; wanted.len()];
    let mut best = base;
    if wanted.iter().all(|array| verdict(&attempt, array).is_ok()) && best.keeps_all_in(&attempt) {
        best = attempt;
    } else {
        let mut joined = BTreeSet::new();
        for (array, reason) in wanted.iter().zip(&mut reasons).take(MOST_ARRAYS) {
            let with: BTreeSet<Span> = joined.iter().chain(&array.copies).copied().collect();
            let attempt = Planned::new(program.clone(), request, &with, Known::default());
            match verdict(&attempt, array) {
                Ok(()) if best.keeps_all_in(&attempt) => (best, joined) = (attempt, with),
                Ok(()) => {}
                Err(why) => *reason = why,
            }
        }
    }
    let outcomes = wanted
        .iter()
        .zip(named)
        .zip(reasons)
        .filter_map(|((array, names), reason)| outcome(&best, array, names, reason))
        .collect();
    (best, outcomes, Vec::new())
}

/// Whether the copies of a host array need no conversion, or why they do.
fn verdict(attempt: &Planned, array: &HostArray) -> Result<(), Option<Pin>> {
    let Some(class) = native_class(attempt, array) else { return Err(None) };
    if attempt.plan.changing(class).is_some() {
        return Ok(());
    }
    let mut own = attempt.plan.arrays.iter().filter(|array| array.classes.contains(&class));
    Err(own.find_map(|array| array.reasons().first()).cloned())
}

/// The class that holds both sides of the copies.
fn native_class(attempt: &Planned, array: &HostArray) -> Option<ClassId> {
    let calls = attempt.classes.api_calls.iter().filter(|call| call.is_native);
    calls
        .filter(|call| array.copies.contains(&attempt.program.expr(call.call).span))
        .find_map(|call| class_of_argument(attempt, call.arguments[0]))
}

fn outcome(
    best: &Planned,
    array: &HostArray,
    names: Vec<String>,
    reason: Option<Pin>,
) -> Option<HostOutcome> {
    let is_native = native_class(best, array).is_some();
    let class = native_class(best, array).or_else(|| class_of_copies(best, array))?;
    // What keeps the device's array is said there.
    best.plan.changing(class).is_some().then(|| HostOutcome {
        type_name: best.program.spelled_name(array.record).to_owned(),
        names,
        is_native,
        reason: reason.filter(|_| !is_native),
    })
}

/// The class of the device's side of the copies.
fn class_of_copies(best: &Planned, array: &HostArray) -> Option<ClassId> {
    best.classes
        .host_arrays(&best.program)
        .into_iter()
        .find(|other| !other.copies.is_disjoint(&array.copies))
        .map(|other| other.class)
}

/// The array's names: variables and members, each once.
fn names(program: &Program, array: &HostArray) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for slot in &array.slots {
        let name = match slot {
            Slot::Variable(id) => program.variable(*id).name.clone(),
            Slot::Field(id) => {
                let field = program.field(*id);
                format!("{}::{}", program.record(field.record).name, field.name)
            }
            Slot::Result(id) => format!("{}()", program.function(*id).name),
        };
        if !name.is_empty() && name != "this" && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Whether a name means the array: one of its variables or members, or its type.
fn is_named(program: &Program, array: &HostArray, name: &str) -> bool {
    let in_function = array.slots.iter().any(|slot| match slot {
        Slot::Variable(id) => program.variable(*id).function.is_some_and(|function| {
            format!("{}::{}", program.function(function).name, program.variable(*id).name) == name
        }),
        Slot::Field(_) | Slot::Result(_) => false,
    });
    name == EVERY_ARRAY
        || in_function
        || program.record(array.record).name == name
        || program.spelled_name(array.record) == name
        || names(program, array).iter().any(|own| own == name)
}

fn is_wanted(program: &Program, array: &HostArray, host: &HostLayout) -> bool {
    match host {
        HostLayout::Convert => false,
        HostLayout::Native => true,
        HostLayout::NativeOnly(wanted) => wanted.iter().any(|name| is_named(program, array, name)),
    }
}

/// An error for each name that means no host array.
fn unknown_names(program: &Program, arrays: &[HostArray], host: &HostLayout) -> Vec<Diagnostic> {
    let HostLayout::NativeOnly(wanted) = host else { return Vec::new() };
    wanted
        .iter()
        .filter(|name| {
            *name != EVERY_ARRAY && !arrays.iter().any(|array| is_named(program, array, name))
        })
        .map(|name| {
            let known: BTreeSet<String> =
                arrays.iter().flat_map(|array| names(program, array)).collect();
            let message = format!("`{name}` is no host array that is copied to or from the device");
            let found = Diagnostic::error(Code::UNKNOWN_CLASS, message);
            match known.into_iter().collect::<Vec<_>>().join("`, `") {
                names if names.is_empty() => found,
                names => found.help(format!("the host arrays are `{names}`")),
            }
        })
        .collect()
}

/// What the user is told of a host array that is as it was.
pub(crate) fn note(outcome: &HostOutcome) -> Option<Diagnostic> {
    if outcome.is_native {
        return None;
    }
    let array = match outcome.names.as_slice() {
        [] => "a host array".to_owned(),
        [first, ..] => format!("the host array `{first}`"),
    };
    let message = format!(
        "{array} of `{}` keeps the source's layout, and its copies convert",
        outcome.type_name
    );
    let note = Diagnostic::new(Severity::Note, Code::HOST_ARRAY_CONVERTS, message);
    Some(match &outcome.reason {
        Some(pin) => {
            let note = note.at(pin.span, format!("{}: {}", pin.code, pin.message));
            pin.related.iter().fold(note, |note, (span, text)| note.with(*span, text.clone()))
        }
        None => note,
    })
}

/// The class that an argument points into, behind casts.
fn class_of_argument(planned: &Planned, argument: ExprId) -> Option<ClassId> {
    let mut at = argument;
    while let ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. } =
        planned.program.expr(at).kind
    {
        at = inner;
    }
    planned.classes.value(at).map(|(class, _)| class)
}

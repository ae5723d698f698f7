//! What became of the arrays, and how it is said.

use crate::assumptions;
use layoutc_analysis::generated::is_of_generated_text;
use layoutc_analysis::{ArrayPlan, NewLayout, Origin};
use layoutc_dataflow::classes::{Classes, Pin, Slot, array_names, slot_names};
use layoutc_dataflow::layout::{Layout, RecordShape};
use layoutc_diagnostics::{Code, Diagnostic, Span};
use layoutc_syntax::{FieldId, Program, RecordId};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What became of an array class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// It has another layout now.
    Changed,
    /// It is as it was.
    Kept,
}

/// One array class and what became of it.
#[derive(Clone, Debug)]
pub struct ClassOutcome {
    /// The record type's name.
    pub type_name: String,
    /// The arrays' names: variables, `function()` results and `Record::field`s, in source order.
    pub names: Vec<String>,
    /// All names by which a request can mean one of them, its function's in front, too.
    pub targets: Vec<String>,
    /// Changed or kept.
    pub status: Status,
    /// The layout in the common notation, without the target: `tiled(32)`.
    pub layout: String,
    /// Why this layout was chosen; empty for a class that was kept.
    pub because: String,
    /// Why it was kept, in source order.
    pub reasons: Vec<Pin>,
    /// The allocating calls in the original text, in source order.
    pub allocations: Vec<Span>,
    /// The records that are its elements.
    pub elements: Vec<RecordId>,
    /// The members that hold pointers to it.
    pub holders: Vec<FieldId>,
    /// The record and its new layout, for a class that changed.
    pub geometry: Option<(RecordShape, Layout)>,
    /// Indices that are taken to stay inside their extents, in source order, with what is not proven.
    pub assumed: Vec<(Span, String)>,
    /// A grid that nobody asked to change: if it stays for lack of gain, only the report tells it.
    pub is_automatic: bool,
    /// An array of text that an earlier run generated: nothing is said about it.
    pub is_generated: bool,
}

/// A model of a program with its classes.
#[derive(Clone, Copy)]
pub(crate) struct Model<'a> {
    pub(crate) program: &'a Program,
    pub(crate) classes: &'a Classes,
}

impl Model<'_> {
    /// Arrays as the result of a run lists them.
    pub(crate) fn outcome(self, array: &ArrayPlan) -> ClassOutcome {
        let Model { program, classes } = self;
        let own = || array.classes.iter().map(|class| classes.class(*class));
        let mut types: Vec<Cow<'_, str>> = Vec::new();
        for class in own() {
            let name = class.element.spelled_name(program);
            if !types.contains(&name) {
                types.push(name);
            }
        }
        let change = array.change();
        let layout = change.map(|change| &change.layout);
        let is_of_records = own().any(|class| class.element.record().is_some());
        ClassOutcome {
            type_name: types.join(", "),
            names: (array.classes.iter())
                .flat_map(|class| array_names(program, classes, *class))
                .collect(),
            targets: own()
                .flat_map(|class| &class.slots)
                .flat_map(|slot| slot_names(program, *slot))
                .collect(),
            status: if change.is_some() { Status::Changed } else { Status::Kept },
            layout: layout.map_or_else(|| "aos".to_owned(), NewLayout::notation),
            because: change.map_or_else(String::new, |change| change.because.clone()),
            reasons: self.sorted_reasons(array),
            allocations: own()
                .flat_map(|class| &class.allocations)
                .map(|allocation| program.expr(allocation.call).span)
                .collect(),
            elements: own().filter_map(|class| class.element.record()).collect(),
            holders: own()
                .flat_map(|class| &class.slots)
                .filter_map(|slot| match slot {
                    Slot::Field(field) => Some(*field),
                    Slot::Variable(_) | Slot::Result(_) => None,
                })
                .collect(),
            geometry: layout.and_then(NewLayout::geometry),
            assumed: match layout {
                Some(NewLayout::Cells(_, cells)) => assumptions::places(program, &cells.grid),
                Some(NewLayout::Grid(plan)) => assumptions::places(program, &plan.grid),
                Some(NewLayout::Struct(_) | NewLayout::Joint(_)) | None => Vec::new(),
            },
            is_automatic: !is_of_records
                && matches!(array.origin, Origin::Selector | Origin::Sibling),
            is_generated: match &*array.classes {
                [class] => {
                    array.origin == Origin::Generated
                        || is_of_generated_text(program, classes.class(*class))
                }
                _ => false,
            },
        }
    }

    /// What an earlier run generated for this type explains the other reasons, such as a specialisation that
    /// is not modelled; so does text that is not read, such as a function's that is then unknown. Otherwise
    /// reasons in the text that people wrote come first, and what a header may do that was not found comes last.
    fn sorted_reasons(self, array: &ArrayPlan) -> Vec<Pin> {
        let Model { program, classes } = self;
        let names: Vec<String> = (array.classes.iter())
            .map(|class| classes.class(*class).element.qualified_name(program).into_owned())
            .collect();
        let mut reasons = array.reasons().to_vec();
        reasons.sort_by_key(|pin| match program.generated_at(pin.span) {
            Some(region) if names.contains(&region.target) => 0,
            None if matches!(pin.code, Code::SEVERAL_MEANINGS | Code::UNPARSED_REGION) => 1,
            None if pin.code == Code::MISSING_INCLUDE => 4,
            None => 2,
            Some(_) => 3,
        });
        reasons
    }
}

/// A host array that is copied to or from an array in a new layout.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HostOutcome {
    /// The record type's name.
    pub type_name: String,
    /// The array's names, in source order.
    pub names: Vec<String>,
    /// It has the layout of the device's array now.
    pub is_native: bool,
    /// Why it is as it was.
    pub reason: Option<Pin>,
}

/// Names in a message: the first two, and how many more there are.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => format!("`{one}`"),
        [one, two] => format!("`{one}` and `{two}`"),
        [one, two, rest @ ..] => format!("`{one}`, `{two}` and {} more", rest.len()),
    }
}

/// The message that all arrays stay that nothing keeps but a header that was not found: one for each
/// header. What must change is an error of its own.
pub(crate) fn kept_by_missing(outcomes: &[&ClassOutcome]) -> Vec<Diagnostic> {
    let mut by_place: BTreeMap<Span, Vec<&ClassOutcome>> = BTreeMap::new();
    for outcome in outcomes.iter().filter(|outcome| is_kept_by_missing(outcome)) {
        by_place.entry(outcome.reasons[0].span).or_default().push(outcome);
    }
    let message = |kept: Vec<&ClassOutcome>| {
        let [first, rest @ ..] = kept.as_slice() else { return None };
        if rest.is_empty() {
            return stays(first, false);
        }
        let mut types: Vec<String> = Vec::new();
        for outcome in &kept {
            if !types.contains(&outcome.type_name) {
                types.push(outcome.type_name.clone());
            }
        }
        let reason = &first.reasons[0];
        let what = format!("{} arrays of {} keep the layout", kept.len(), listed(&types));
        let mut diagnostic = Diagnostic::warning(reason.code, what)
            .at(reason.span, "this header cannot be found and may use them");
        for (place, text) in kept.iter().flat_map(|outcome| &outcome.reasons[0].related) {
            diagnostic = diagnostic.with(*place, text.clone());
        }
        Some(diagnostic.help(format!("`layoutc explain {}` says what to change", reason.code)))
    };
    by_place.into_values().filter_map(message).collect()
}

/// Whether nothing keeps arrays but a header that was not found.
pub(crate) fn is_kept_by_missing(outcome: &ClassOutcome) -> bool {
    outcome.reasons.first().is_some_and(|reason| reason.code == Code::MISSING_INCLUDE)
}

/// The message that arrays stay, and why.
pub(crate) fn stays(outcome: &ClassOutcome, required: bool) -> Option<Diagnostic> {
    let first = outcome.reasons.first()?;
    // What nobody asked for is in the report; it is no warning.
    if !required && first.code == Code::NO_GAIN {
        return None;
    }
    let names: Vec<String> = outcome.names.iter().map(|name| format!("`{name}`")).collect();
    let message = match names.is_empty() {
        true => format!("an array of `{}` keeps its layout", outcome.type_name),
        false => format!("`{}` ({}) keeps its layout", outcome.type_name, names.join(", ")),
    };
    let mut diagnostic = if required {
        Diagnostic::error(Code::REQUIRED_CLASS_KEPT, message)
    } else {
        Diagnostic::warning(first.code, message)
    };
    diagnostic = diagnostic.at(first.span, first.message.clone());
    for (span, text) in &first.related {
        diagnostic = diagnostic.with(*span, text.clone());
    }
    const SHOWN: usize = 4;
    // A header that was not found is said once for all arrays.
    let further: Vec<&Pin> = outcome
        .reasons
        .iter()
        .skip(1)
        .filter(|reason| reason.code != Code::MISSING_INCLUDE)
        .collect();
    for reason in further.iter().take(SHOWN) {
        diagnostic = diagnostic.with(reason.span, format!("{}: {}", reason.code, reason.message));
    }
    let hidden = further.len().saturating_sub(SHOWN);
    let help = format!("`layoutc explain {}` says what to change", first.code);
    Some(diagnostic.help(if hidden > 0 {
        let (more, are) = if hidden == 1 { ("reason", "is") } else { ("reasons", "are") };
        format!("{help}; {hidden} more {more} {are} in the report")
    } else {
        help
    }))
}

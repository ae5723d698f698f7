//! The pragmas of grids that change.
//!
//! A pragma speaks of indices in the order of the source. Where an array's layout changes, it is
//! taken out, so that another run does not read it; what it says of other arrays stays.

use super::Rewriter;
use crate::edit::Edit;
use layoutc_dataflow::classes::{ClassId, Classes, Slot};
use layoutc_diagnostics::Span;
use layoutc_syntax::{GridPragma, PragmaArray, Program};
use std::collections::BTreeMap;

impl Rewriter<'_> {
    /// Takes the changed arrays out of the pragmas.
    pub(super) fn pragmas(&mut self) {
        let plans = self.plans;
        let orders: BTreeMap<ClassId, String> =
            plans.iter().map(|(class, plan)| (*class, plan.notation())).collect();
        self.edits.extend(without_changed(self.program, self.classes, &orders));
    }
}

/// The pragmas without the arrays of classes that change, each of which has the layout given.
pub(crate) fn without_changed(
    program: &Program,
    classes: &Classes,
    layouts: &BTreeMap<ClassId, String>,
) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut directives: BTreeMap<Span, Vec<&GridPragma>> = BTreeMap::new();
    for pragma in &program.pragmas {
        directives.entry(pragma.directive).or_default().push(pragma);
    }
    for (directive, pragmas) in directives {
        let class_of = |pragma: &GridPragma| {
            let slot = match pragma.array {
                PragmaArray::Variable(id) => Slot::Variable(id),
                PragmaArray::Field(id) => Slot::Field(id),
            };
            layouts.keys().copied().find(|class| classes.class(*class).slots.contains(&slot))
        };
        let changed: BTreeMap<Span, ClassId> =
            pragmas.iter().filter_map(|pragma| Some((pragma.span, class_of(pragma)?))).collect();
        if changed.is_empty() {
            continue;
        }
        // One text may speak of several instances.
        let mut left: Vec<Span> = pragmas
            .iter()
            .map(|pragma| pragma.span)
            .filter(|span| !changed.contains_key(span))
            .collect();
        left.sort();
        left.dedup();
        let gone: Vec<String> = changed
            .iter()
            .map(|(span, class)| {
                let text = program.text(*span).replace("*/", "* /");
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                format!("{} as {}", text.replace('\\', " "), layouts[class])
            })
            .collect();
        let comment = format!("/* layoutc: {} */", gone.join(", "));
        let text = if left.is_empty() {
            comment
        } else {
            let left: Vec<&str> = left.iter().map(|span| program.text(*span)).collect();
            format!("#pragma layoutc grid {} {comment}", left.join(" "))
        };
        edits.push(Edit::replace(directive, text));
    }
    edits
}

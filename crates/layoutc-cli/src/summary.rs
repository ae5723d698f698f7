//! How a run ends: one line that counts, and what could not be found in front of it.

use crate::compile::Success;
use crate::format::is_silent;
use layoutc_dataflow::classes::{Slot, first_unfollowed_allocation};
use layoutc_diagnostics::{Code, SourceSet, Span};
use layoutc_driver::{ClassOutcome, Status};
use layoutc_syntax::{ExecutionSpace, Program, TypeKind};

/// The most places that a line lists.
const SHOWN: usize = 5;

/// What becomes of the arrays: `3 of 6 arrays change; 2 stay: LC0010 (main.cu:52), LC0031 (sim.cu:9); 1 gains nothing: LC0053
/// (main.cu:7)`.
pub fn counts(success: &Success, is_question: bool) -> String {
    let sources = success.sources();
    let (silent, told): (Vec<&ClassOutcome>, Vec<&ClassOutcome>) = success
        .compiled
        .classes
        .iter()
        .filter(|class| !class.is_generated)
        .partition(|class| is_silent(class));
    if told.is_empty() {
        return nothing_found(success, silent.len());
    }
    let changed = told.iter().filter(|class| class.status == Status::Changed).count();
    let one = told.len() == 1;
    let verb = match (is_question, one) {
        (true, _) => "would change",
        (false, true) => "changes",
        (false, false) => "change",
    };
    let mut line = format!("{changed} of {} array{} {verb}", told.len(), plural(told.len()));
    // What would gain nothing is no failure: memory for one element, constant memory.
    let gains_nothing = |class: &&&ClassOutcome| {
        class.reasons.first().is_some_and(|reason| reason.code == Code::NO_GAIN)
    };
    let kept = told.iter().filter(|class| class.status == Status::Kept);
    let (idle, kept): (Vec<&&ClassOutcome>, Vec<&&ClassOutcome>) = kept.partition(gains_nothing);
    for (own, one, several) in [(kept, "stays", "stay"), (idle, "gains nothing", "gain nothing")] {
        let mut reasons: Vec<String> = Vec::new();
        for reason in own.iter().filter_map(|class| class.reasons.first()) {
            let text = format!("{} (`{}`)", reason.code, place(sources, reason.span));
            if !reasons.contains(&text) {
                reasons.push(text);
            }
        }
        if !own.is_empty() {
            let verb = if own.len() == 1 { one } else { several };
            line.push_str(&format!("; {} {verb}: {}", own.len(), listed(&reasons)));
        }
    }
    line
}

/// The headers that were not found and count as code that may use what it knows.
pub fn missing_headers(success: &Success) -> Option<String> {
    let mut found: Vec<String> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for unseen in success.compiled.program.unseen.iter().filter(|unseen| unseen.foreign.is_none()) {
        if !names.contains(&unseen.spelled.as_str()) {
            names.push(&unseen.spelled);
            found.push(format!(
                "`{}` (`{}`)",
                unseen.spelled,
                place(success.sources(), unseen.span)
            ));
        }
    }
    let were = if found.len() == 1 { "header was" } else { "headers were" };
    (!found.is_empty()).then(|| {
        format!("{} {were} not found and may use the arrays: {}", found.len(), listed(&found))
    })
}

/// There is no array of structs among the classes.
fn nothing_found(success: &Success, numbers: usize) -> String {
    let mut line = "no array of structs in device memory was found".to_owned();
    let unknown = unknown_parameters(success);
    if !unknown.is_empty() {
        line = format!(
            "no array of structs in device memory is followed; the type or the memory of {} is not known",
            listed(&unknown)
        );
    } else if let Some(call) =
        first_unfollowed_allocation(&success.compiled.program, &success.compiled.record_classes)
    {
        line = format!(
            "no array of structs in device memory is followed; what the memory from `{}` (`{}`) holds is not known",
            call.name,
            place(success.sources(), call.span)
        );
    }
    if numbers > 0 {
        let keep = if numbers == 1 { "keeps its order" } else { "keep their order" };
        line.push_str(&format!("; {numbers} array{} of numbers {keep}", plural(numbers)));
    }
    line
}

/// Parameters of kernels that may be arrays of structs and are in no class.
fn unknown_parameters(success: &Success) -> Vec<String> {
    let program: &Program = &success.compiled.program;
    let kernels = program
        .functions
        .iter()
        .filter(|function| function.space == ExecutionSpace::Kernel && function.copy_of.is_none());
    let mut found = Vec::new();
    for id in kernels.flat_map(|kernel| &kernel.parameters) {
        let variable = program.variable(*id);
        let Some(pointee) = program.types.pointee(variable.ty.id) else { continue };
        let may_be_struct = match program.types.kind(pointee.id) {
            TypeKind::Unknown | TypeKind::Record(_) | TypeKind::Named(..) | TypeKind::Opaque(_) => {
                true
            }
            TypeKind::Void
            | TypeKind::Scalar(_)
            | TypeKind::Vector(_)
            | TypeKind::Enum(..)
            | TypeKind::Pointer(_)
            | TypeKind::Reference(..)
            | TypeKind::Array(..)
            | TypeKind::Function
            | TypeKind::TemplateParameter(_) => false,
        };
        let slot = Slot::Variable(*id);
        if may_be_struct && success.compiled.record_classes.class_of_slot(slot).is_none() {
            let place = place(success.sources(), variable.site.name);
            found.push(format!("`{}` (`{place}`)", variable.name));
        }
    }
    found
}

/// Some of them, and how many there are more.
pub fn listed(items: &[String]) -> String {
    let more = items.len().saturating_sub(SHOWN);
    let mut text = items[..items.len() - more].join(", ");
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    text
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// `main.cu:52`.
fn place(sources: &SourceSet, span: Span) -> String {
    let file = sources.file(span.file);
    format!("{}:{}", file.path().display(), file.line_column(span.start as usize).line)
}

//! What `transform --check` answers by its exit code.

use crate::compile::{Failure, Success};
use crate::exit::Exit;
use layoutc_diagnostics::{Code, Severity};
use layoutc_driver::{ClassOutcome, Status};

/// Whether something would change, or why nothing would.
pub fn answer(success: &Success) -> Exit {
    if success.changed().next().is_some() {
        return Exit::Reported;
    }
    // An array of an earlier run's text is done.
    let is_done = !success.compiled.program.generated.is_empty();
    let classes = &success.compiled.classes;
    let mut records = classes.iter().filter(|class| !class.elements.is_empty()).peekable();
    match !is_done && records.peek().is_some() && records.all(is_refused) {
        true => Exit::Refused,
        false => Exit::Done,
    }
}

/// Whether an array stays for another reason than that it would gain nothing, or that nobody wants it to change.
fn is_refused(class: &ClassOutcome) -> bool {
    let first = class.reasons.first();
    class.status == Status::Kept && first.is_some_and(|reason| reason.code != Code::NO_GAIN)
}

/// Why there is no answer. An array that has to change and stays is one; a program that cannot be compiled is none.
pub fn failed(failure: &Failure) -> Exit {
    match failure {
        Failure::Reported(_, diagnostics) => {
            let mut errors =
                diagnostics.iter().filter(|found| found.severity == Severity::Error).peekable();
            match errors.peek().is_some()
                && errors.all(|found| found.code == Code::REQUIRED_CLASS_KEPT)
            {
                true => Exit::Required,
                false => Exit::Failed,
            }
        }
        Failure::Internal(_) => Exit::Failed,
    }
}

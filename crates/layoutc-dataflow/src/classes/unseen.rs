//! What cannot be seen: headers that were not found, and memory.
//!
//! A header that was not found pins what its code could use. It knows the records defined in front
//! of it and, by its own includes, those of any header of the program. Its functions may take
//! arrays of them from the program, or make some and give them to the program's functions. It
//! cannot know what the file that includes it defines behind it, nor what other files define for
//! themselves.

use super::{Classes, Pin, Slot};
use layoutc_diagnostics::Code;
use layoutc_syntax::Program;

pub(super) fn pin_by_unseen_headers(program: &Program, classes: &mut Classes) {
    for class in &mut classes.classes {
        let record = program.record(class.record);
        let definition = record.declaration.or(record.body).unwrap_or(record.name_span);
        let file = &program.files[definition.file.index()];
        let is_included = program.files.iter().any(|other| other.includes.contains(&file.id));
        let may_see = |unseen: &&layoutc_syntax::preprocess::UnseenHeader| {
            is_included
                || !file.is_root
                || (definition.file == unseen.root && definition.start < unseen.root_offset)
        };
        if let Some(unseen) = program.unseen.iter().find(may_see) {
            class.pins.push(Pin {
                span: unseen.span,
                code: Code::MISSING_INCLUDE,
                message: format!(
                    "`{}` cannot be found and may use `{}`",
                    unseen.spelled, record.name
                ),
                related: vec![(record.name_span, "defined here".to_owned())],
            });
        }
    }
}

/// Pins arrays that kernels are given and for which no allocation is seen, if nothing else says why.
pub(super) fn pin_without_memory(program: &Program, classes: &mut Classes) {
    for class in &mut classes.classes {
        let has_memory =
            !class.allocations.is_empty() || !class.symbols.is_empty() || class.is_of_buffers;
        let Some(slot) = class.slots.first().filter(|_| !has_memory && class.pins.is_empty())
        else {
            continue;
        };
        let span = match *slot {
            Slot::Variable(id) => program.variable(id).site.name,
            Slot::Field(id) => program.field(id).site.name,
            Slot::Result(id) => program.function(id).sites[0].name,
        };
        class.pins.push(Pin {
            span,
            code: Code::UNKNOWN_MEMORY,
            message: "no allocation of this array is seen".to_owned(),
            related: Vec::new(),
        });
    }
}

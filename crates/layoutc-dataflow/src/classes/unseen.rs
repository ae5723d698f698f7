//! Headers that were not found pin what their code could use.
//!
//! Such a header knows the records defined in front of it and, by its own includes, those of any
//! header of the program. Its functions may take arrays of them from the program, or make some and
//! give them to the program's functions. It cannot know what the file that includes it defines
//! behind it, nor what other files define for themselves.

use super::{Classes, Pin};
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

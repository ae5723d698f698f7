//! Which arrays have text in a file.

use super::{ClassId, Classes, Slot};
use layoutc_diagnostics::FileId;
use layoutc_syntax::Program;
use std::collections::BTreeSet;

/// The classes that something in the file is a place, a value or a declaration of.
#[must_use]
pub fn classes_in_file(program: &Program, classes: &Classes, file: FileId) -> BTreeSet<ClassId> {
    let mut there: BTreeSet<ClassId> = BTreeSet::new();
    for id in program.expr_ids().filter(|id| program.expr_site(*id).file == file) {
        there.extend(classes.place(id).map(|(class, _)| class));
        there.extend(classes.value(id).map(|(class, _)| class));
    }
    let is_there = |slot: &Slot| match slot {
        Slot::Variable(id) => {
            let variable = program.variable(*id);
            let mut sites = variable.redeclarations.iter().chain([&variable.site]);
            sites.any(|site| site.span.file == file)
        }
        Slot::Field(id) => program.field(*id).site.span.file == file,
        Slot::Result(id) => program.function(*id).sites.iter().any(|site| site.span.file == file),
    };
    there.extend(classes.ids().filter(|class| classes.class(*class).slots.iter().any(is_there)));
    there
}

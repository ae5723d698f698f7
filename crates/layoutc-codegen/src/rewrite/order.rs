//! Which text a compiler meets first.

use layoutc_diagnostics::{FileId, Span};
use layoutc_syntax::Program;

/// The order in which each root's compilation ends its files: included files come first.
pub(super) struct FileOrder {
    units: Vec<Vec<FileId>>,
}

impl FileOrder {
    pub(super) fn new(program: &Program) -> Self {
        let units = program
            .files
            .iter()
            .filter(|file| file.is_root)
            .map(|root| {
                let mut order = Vec::new();
                visit(program, root.id, &mut Vec::new(), &mut order);
                order
            })
            .collect();
        FileOrder { units }
    }

    /// Whether `text` comes behind `definition` in every compilation that holds it.
    pub(super) fn is_behind(&self, text: Span, definition: Span) -> bool {
        if text.file == definition.file {
            return definition.end <= text.start;
        }
        self.units.iter().all(|unit| {
            let place = |file: FileId| unit.iter().position(|other| *other == file);
            match (place(definition.file), place(text.file)) {
                // A root that other roots include need not compile on its own.
                (_, None) | (None, Some(_)) => true,
                (Some(definition), Some(text)) => definition < text,
            }
        }) && self.units.iter().any(|unit| unit.contains(&text.file) && unit.contains(&definition.file))
    }
}

fn visit(program: &Program, file: FileId, open: &mut Vec<FileId>, order: &mut Vec<FileId>) {
    if order.contains(&file) || open.contains(&file) {
        return;
    }
    open.push(file);
    for included in &program.files[file.index()].includes {
        visit(program, *included, open, order);
    }
    open.pop();
    order.push(file);
}

//! Which text a compiler meets first.

use layoutc_diagnostics::{FileId, Span};
use layoutc_syntax::Program;

/// Pieces of files in the order in which the compilation of each root meets them.
pub(super) struct FileOrder {
    units: Vec<Vec<Piece>>,
}

/// The text of a file between two includes.
struct Piece {
    file: FileId,
    start: usize,
    end: usize,
}

impl FileOrder {
    pub(super) fn new(program: &Program) -> Self {
        let units = program
            .files
            .iter()
            .filter(|file| file.is_root)
            .map(|root| {
                let mut pieces = Vec::new();
                visit(program, root.id, &mut vec![false; program.files.len()], &mut pieces);
                pieces
            })
            .collect();
        FileOrder { units }
    }

    /// Whether `text` comes behind `definition` in every compilation that holds both, and one does.
    pub(super) fn is_behind(&self, text: Span, definition: Span) -> bool {
        if text.file == definition.file {
            return definition.end <= text.start;
        }
        let mut together = false;
        for unit in &self.units {
            let place = |file: FileId, at: usize| {
                unit.iter()
                    .position(|piece| piece.file == file && piece.start <= at && at <= piece.end)
            };
            let definition = place(definition.file, definition.end as usize);
            let text = place(text.file, text.start as usize);
            if let (Some(definition), Some(text)) = (definition, text) {
                if text < definition {
                    return false;
                }
                together = true;
            }
        }
        together
    }
}

fn visit(program: &Program, id: FileId, seen: &mut Vec<bool>, pieces: &mut Vec<Piece>) {
    if std::mem::replace(&mut seen[id.index()], true) {
        return;
    }
    let file = &program.files[id.index()];
    let mut start = 0;
    for (included, offset) in file.includes.iter().zip(&file.include_offsets) {
        pieces.push(Piece { file: id, start, end: *offset });
        visit(program, *included, seen, pieces);
        start = *offset + 1;
    }
    pieces.push(Piece { file: id, start, end: usize::MAX });
}

//! Which text a compiler meets first.

use layoutc_diagnostics::{FileId, Span};
use layoutc_syntax::Program;

/// Pieces of files in the order in which the compilation of each root meets them.
pub(crate) struct FileOrder {
    units: Vec<Vec<Piece>>,
}

/// The text of a file between two includes.
struct Piece {
    file: FileId,
    start: usize,
    end: usize,
}

impl FileOrder {
    pub(crate) fn new(program: &Program) -> Self {
        let units = program
            .files
            .iter()
            // A root that another file includes need not compile on its own.
            .filter(|file| {
                file.is_root && !program.files.iter().any(|other| other.includes.contains(&file.id))
            })
            .map(|root| {
                let mut pieces = Vec::new();
                visit(program, root.id, &mut vec![false; program.files.len()], &mut pieces);
                pieces
            })
            .collect();
        FileOrder { units }
    }

    /// The pieces of files that each root is compiled from, in order.
    pub(super) fn units(&self) -> impl Iterator<Item = Vec<(FileId, std::ops::Range<usize>)>> {
        self.units
            .iter()
            .map(|unit| unit.iter().map(|piece| (piece.file, piece.start..piece.end)).collect())
    }

    /// Where a text stands, by which texts that one compilation holds are in the order in which it meets them.
    pub(super) fn position(&self, text: Span) -> (usize, usize, u32) {
        for (at, unit) in self.units.iter().enumerate() {
            let piece = unit.iter().position(|piece| {
                let start = text.start as usize;
                piece.file == text.file && piece.start <= start && start <= piece.end
            });
            if let Some(piece) = piece {
                return (at, piece, text.start);
            }
        }
        (self.units.len(), text.file.index(), text.start)
    }

    /// Why `text` cannot name what `definition` defines: it must come behind it in every
    /// compilation that holds it, and there must be one.
    pub(crate) fn obstacle(&self, text: Span, definition: Span) -> Option<&'static str> {
        const EARLY: &str = "this is declared before the struct is defined";
        if text.file == definition.file {
            return (definition.end > text.start).then_some(EARLY);
        }
        let mut together = false;
        for unit in &self.units {
            let place = |file: FileId, at: usize| {
                unit.iter()
                    .position(|piece| piece.file == file && piece.start <= at && at <= piece.end)
            };
            let definition = place(definition.file, definition.end as usize);
            match (definition, place(text.file, text.start as usize)) {
                (_, None) => {}
                // There the text is about something else of that name.
                (None, Some(_)) => {
                    return Some("another file includes this with another struct of that name");
                }
                (Some(definition), Some(text)) if text < definition => return Some(EARLY),
                (Some(_), Some(_)) => together = true,
            }
        }
        (!together).then_some(EARLY)
    }

    /// Whether `definition` ends behind the start of `text` in some compilation.
    pub(crate) fn is_behind(&self, definition: Span, text: Span) -> bool {
        if text.file == definition.file {
            return definition.end > text.start;
        }
        self.units.iter().any(|unit| {
            let place = |file: FileId, at: usize| {
                unit.iter()
                    .position(|piece| piece.file == file && piece.start <= at && at <= piece.end)
            };
            let text = place(text.file, text.start as usize);
            let definition = place(definition.file, definition.end as usize);
            text.zip(definition).is_some_and(|(text, definition)| definition > text)
        })
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

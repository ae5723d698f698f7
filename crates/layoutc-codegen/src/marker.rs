//! The comments around generated text, and what they mean to a later run.
//!
//! `// layoutc: Particle = tiled(32)` says that arrays of `Particle` were rewritten to tiles, and
//! `// layoutc: end` where the generated text ends. A later run says nothing about that text, and
//! can tell that a request was carried out already. *Invariant:* a marker never makes a class
//! change, and never keeps a class from an analysis.

use layoutc_dataflow::classes::ClassShape;
use layoutc_dataflow::layout::Layout;
use layoutc_syntax::generated::markers;
use layoutc_syntax::{Program, RecordId};

/// Names of arrays in a marker: it is one line.
const MOST_NAMES: usize = 8;

/// What a marker says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Marker {
    /// A record, or names of arrays.
    pub(crate) target: String,
    /// The layout in the common notation.
    pub(crate) layout: String,
}

impl Marker {
    /// The marker of arrays of a record.
    pub(crate) fn of_record(
        program: &Program,
        record: RecordId,
        shape: &ClassShape,
        layout: &Layout,
    ) -> Self {
        let qualified = program.qualified_name(record);
        Marker {
            target: qualified.unwrap_or_else(|| program.spelled_name(record).to_owned()),
            layout: layout.display(&shape.shape).to_string(),
        }
    }

    /// The marker of arrays of numbers.
    pub(crate) fn of_arrays(names: impl Iterator<Item = String>, layout: String) -> Self {
        let mut known: Vec<String> = Vec::new();
        for name in names {
            if !known.contains(&name) && known.len() < MOST_NAMES {
                known.push(name);
            }
        }
        Marker { target: known.join(", "), layout }
    }

    /// Puts the comments around a text, if there is a marker.
    pub(crate) fn around_some(marker: Option<&Self>, text: &str) -> String {
        marker.map_or_else(|| text.to_owned(), |marker| marker.around(text))
    }

    /// Puts the comments around a text.
    pub(crate) fn around(&self, text: &str) -> String {
        let (begin, end) = markers(&self.target, &self.layout);
        format!("{begin}\n{}\n{end}", text.trim_matches('\n'))
    }
}

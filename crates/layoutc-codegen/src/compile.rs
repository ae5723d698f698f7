//! The passes in order.

use crate::edit::EditSet;
use layoutc_dataflow::classes::Pin;
use layoutc_dataflow::layout::notation::LayoutSpec;
use layoutc_dataflow::layout::{Layout, RecordShape};
use layoutc_diagnostics::{Diagnostic, FileId, Span};
use layoutc_syntax::Program;
use layoutc_syntax::preprocess::Preprocessed;
use std::collections::BTreeMap;

/// What the user asked for.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Layouts by record type or array name. If there are any, only classes that they name change.
    pub layouts: Vec<LayoutSpec>,
    /// Record types or array names that must change: a class of theirs that stays is an error.
    pub require: Vec<String>,
}

/// What became of an array class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// It has another layout now.
    Changed,
    /// It is as it was.
    Kept,
}

/// One array class and what became of it.
#[derive(Clone, Debug)]
pub struct ClassOutcome {
    /// The record type's name.
    pub type_name: String,
    /// The arrays' names: variables, `function()` results and `Record::field`s, in source order.
    pub names: Vec<String>,
    /// Changed or kept.
    pub status: Status,
    /// The layout in the common notation, without the target: `tiled(32)`.
    pub layout: String,
    /// Why it was kept, or why this layout was chosen, in source order.
    pub reasons: Vec<Pin>,
    /// The allocating calls in the original text, in source order.
    pub allocations: Vec<Span>,
    /// The record and its new layout, for a class that changed.
    pub geometry: Option<(RecordShape, Layout)>,
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The program.
    pub program: Program,
    /// Its array classes.
    pub classes: Vec<ClassOutcome>,
    /// Edits by file; files without edits are absent.
    pub edits: BTreeMap<FileId, EditSet>,
    /// Names of generated kernels, which do conversions only.
    pub generated_kernels: Vec<String>,
    /// Everything the user should be told, in order of position.
    pub diagnostics: Vec<Diagnostic>,
}

/// Compiles a preprocessed program.
///
/// A request that names an unknown array, record or field, or an invalid layout, gives an error
/// diagnostic and no edits.
#[must_use]
pub fn compile(preprocessed: Preprocessed, request: &Request) -> Compiled {
    let _ = (preprocessed, request);
    unimplemented!("under construction")
}

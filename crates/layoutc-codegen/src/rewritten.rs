//! What comes of a plan.

use crate::edit::Edit;
use layoutc_analysis::Refusal;
use std::collections::BTreeSet;

/// The edits of a plan, and what they rest on.
#[derive(Debug, Default)]
pub struct Rewritten {
    /// The edits.
    pub edits: Vec<Edit>,
    /// What has no form. The edits count only where there is none.
    pub refusals: Vec<Refusal>,
    /// Names of generated kernels, which do conversions only.
    pub generated_kernels: Vec<String>,
    /// Names that generated text declares, if other kinds of arrays must know them.
    pub names: BTreeSet<String>,
}

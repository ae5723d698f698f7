//! What the user asks for.

use layoutc_analysis::Selector;
use layoutc_analysis::cost::Model;
use layoutc_analysis::cost_model::ModelOptions;
use layoutc_analysis::grid_choice::GridOptions;
use layoutc_analysis::grid_plan::{GridRequest, InBounds};
use layoutc_analysis::keep::Keep;
use layoutc_analysis::profile::Profile;
use layoutc_codegen::Style;
use layoutc_dataflow::layout::notation::LayoutSpec;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

/// What the user asked for.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Layouts by record type or array name. If there are any, only classes that they name change.
    pub layouts: Vec<LayoutSpec>,
    /// Classes that no layout names change as they do where there is none.
    pub chooses_others: bool,
    /// Layouts that pragmas of the source ask for do not count.
    pub ignores_pragmas: bool,
    /// Record types or array names that must change: a class of theirs that stays is an error.
    pub require: Vec<String>,
    /// What stays as it is.
    pub keep: Vec<Keep>,
    /// What the host's arrays look like.
    pub host: HostLayout,
    /// How accesses to arrays in tiles are written.
    pub style: Style,
    /// Grids whose coordinates are taken to stay inside their extents.
    pub assume: InBounds,
    /// Whether such coordinates are checked when the program runs: for programs that are run to be
    /// compared.
    pub checks_bounds: bool,
    /// What grids are laid out for.
    pub grids: GridOptions,
    /// What chooses the layouts of arrays of structs, where none is asked for.
    pub selector: Selector,
    /// Recorded runs of this very program, for selectors that want them.
    pub profile: Option<Arc<Profile>>,
    /// How accesses to arrays of structs are priced, where no layout is asked for.
    pub pricing: Model,
    /// Blocks of launches that do not say how many they are.
    pub blocks: Option<u64>,
    /// The model of kernels follows arrays of numbers from function to function.
    pub follows_numbers: bool,
    /// The model of kernels is a part of the result, even where it does not follow arrays of numbers.
    pub keeps_cost_model: bool,
    /// Every array of numbers is looked at, and not only those that may gain something.
    pub all_grids: bool,
    /// Files that are compiled as they are, by their paths: nothing that they see may change.
    pub fixed_files: BTreeSet<PathBuf>,
}

impl Request {
    /// What is known of launches, and what the model of kernels follows.
    pub(crate) fn launch(&self) -> ModelOptions {
        ModelOptions {
            block: self.grids.block,
            blocks: self.blocks,
            follows_numbers: self.follows_numbers,
        }
    }

    /// What concerns grids.
    pub(crate) fn of_grids(&self) -> GridRequest<'_> {
        GridRequest {
            layouts: &self.layouts,
            is_automatic: self.chooses_others,
            options: &self.grids,
            assume: &self.assume,
            all_grids: self.all_grids,
        }
    }
}

/// What the host's arrays look like.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum HostLayout {
    /// As in the source: copies between host and device convert.
    #[default]
    Convert,
    /// As on the device, where host code can be rewritten.
    Native,
    /// The same for these only: arrays, `function::array`, or the arrays of a struct.
    NativeOnly(Vec<String>),
}

//! Prices as they are shown: as JSON, and as text by [`super::text`].

use super::chosen::Chosen;
use super::counters::LaunchCounters;
use super::gains::Gain;
use super::measured::Measured;
use super::simulate::Simulated;
use layoutc_analysis::cost::price::{KernelPrice, Model};
use serde::Serialize;

/// Everything that is shown.
#[derive(Serialize)]
pub(super) struct Costs {
    pub(super) version: u32,
    pub(super) device: String,
    pub(super) model: Model,
    pub(super) tables: Vec<TableShown>,
    /// What Nsight Compute measured, where a report is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) measured: Option<Measured>,
}

/// Layouts of some arrays side by side.
#[derive(Serialize)]
pub(super) struct TableShown {
    /// The arrays whose layouts differ.
    pub(super) arrays: Vec<ArrayShown>,
    /// Whether --layout says which layouts there are.
    pub(super) is_asked: bool,
    /// What `transform` does with them, with the same options but --layout.
    pub(super) transform: Vec<Chosen>,
    /// The layout of all that together, by position; none where one of them has no price here.
    pub(super) chosen: Option<usize>,
    /// The source's first.
    pub(super) layouts: Vec<LayoutCosts>,
    pub(super) kernels: Vec<KernelShown>,
}

/// An array.
#[derive(Serialize)]
pub(super) struct ArrayShown {
    /// The record type, or the first name.
    pub(super) name: String,
    pub(super) names: Vec<String>,
    /// Bytes of an element in the source's layout.
    pub(super) bytes: u64,
    /// If the program says it with constants.
    pub(super) elements: Option<u64>,
}

/// A layout and its price.
#[derive(Serialize)]
pub(super) struct LayoutCosts {
    pub(super) layout: String,
    /// Entry `d`: what accesses inside of `d` loops of unknown length cost.
    pub(super) cost: Vec<f64>,
    /// Against the source's layout.
    pub(super) ratio: f64,
    /// What copies between host and device cost on top; none where they rearrange nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) copies: Option<CopiesShown>,
    /// In the order of the kernels.
    pub(super) kernels: Vec<KernelPrice>,
    /// What each kernel gains, in the same order; none for the source's layout and for other models than that
    /// of today's caches.
    pub(super) gains: Vec<Option<Gain>>,
    /// One launch of each kernel, in the same order; none for other models than that of today's caches.
    pub(super) launches: Vec<Option<LaunchCounters>>,
    /// If the program was run and simulated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) simulated: Option<SimulatedCosts>,
}

/// Records that are rearranged at copies between host and device, over a whole run.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct CopiesShown {
    /// Kernels and copies together, against the source's layout.
    pub(super) ratio: f64,
    /// Estimated microseconds that the kernels save.
    pub(super) saved_microseconds: f64,
    /// Estimated microseconds that copies take longer.
    pub(super) copies_microseconds: f64,
}

/// What a layout costs by simulation.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum SimulatedCosts {
    /// All went well.
    Cost {
        /// What the kernels that access the arrays cost.
        cost: f64,
        /// Against the source's layout, if that could be simulated.
        ratio: Option<f64>,
        /// The paper's dynamic cost, for devices that it describes.
        paper_cost: Option<f64>,
        /// Everything that was counted.
        counted: Simulated,
    },
    /// Why there is no answer.
    Error(String),
}

/// A kernel that accesses one of the arrays.
#[derive(Serialize)]
pub(super) struct KernelShown {
    pub(super) name: String,
    pub(super) block: [u64; 3],
    pub(super) blocks: u64,
    /// Whether the program gives the shape of blocks, and their number, by constants.
    pub(super) is_block_known: bool,
    pub(super) is_grid_known: bool,
    /// Loops of the host around its launches: trips, or none for loops of unknown length.
    pub(super) host_loops: Vec<Option<u64>>,
    /// The same in words: `n`, or `n/10` where one of ten trips launches.
    #[serde(skip)]
    pub(super) host_loop_texts: Vec<String>,
    pub(super) accesses: Vec<AccessShown>,
}

/// An access of a kernel, to one of the arrays or to another.
#[derive(Serialize)]
pub(super) struct AccessShown {
    pub(super) file: String,
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) text: String,
    pub(super) array: String,
    pub(super) fields: Vec<String>,
    pub(super) kind: &'static str,
    /// Whether it is to one of the arrays whose layouts differ.
    pub(super) is_own: bool,
}

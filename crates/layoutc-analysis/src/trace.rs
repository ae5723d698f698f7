//! Layouts from recorded runs: what each access did decides between structs and arrays, and how often
//! it ran decides which fields lie together.
//!
//! Source: Nakai, Ohno: data layout optimisation of GPU programs from the execution counts and addresses of
//! memory instructions. [`class`] is §5 on the sums of a [`Profile`](crate::profile::Profile), [`rows`] the same
//! on a trace of single threads, [`tree`] the field access tree of §6.1, [`cluster`] its clustering of §6.2, and
//! [`selection`] the decision, with what goes beyond the paper: [`TraceOptions`] turns each of these steps off.
//!
//! # What the paper leaves open or prints wrong
//!
//! - (a) `ShareCoalesc` cannot be reached in Figure 11, because a shared address is also on the line: it is
//!   tested first here. A single shared request makes it one, in the paper's method; where accesses are judged by
//!   their elements, [`class::SHARED_PART`] of the requests do, as the other class comes from a mean, too, and a
//!   clamped index at a border shares once in a run.
//! - (b) Figure 11 counts the other threads, Figure 12 shows 11 and 32 of 32: the first thread counts.
//! - (c) The range is printed as `addr ..= addr + 128`, with which a stride of 16 bytes has 9 threads; §5.1 says
//!   "on the same cache line", so it is the aligned line of 128 bytes here.
//! - (d) The loop's own increment skips a record after each group of Figure 11; none is skipped here.
//! - (e) Executions of one warp one after another are one group in Figure 11; here a group also ends where the
//!   thread's number does not rise.
//! - (f) Means of other threads between 0 and 1 are `Coalesc` in Figure 11, and none of the classes by the
//!   text, which says 1 and more: `Coalesc` begins at [`class::COALESCED`] threads, the first included. A gather
//!   from a small array would be `Coalesc` otherwise.
//! - (g) The printed −272 of the example is −0.34 · 800, rounded early; exactly it is −275, and the sum 1903.
//! - A sum of 0 says nothing: the source's layout stays.
//! - *Equal* counts are such that differ by at most [`tree::TOLERANCE`]; accesses of one loop whose counts differ
//!   by more (a branch that is rarely taken) are separate nodes of the tree.
//! - A field of several nodes belongs to that with the greatest count.
//! - How sizes become multiples of 16 bytes is not said: the coldest fields that fit fill what alignment would
//!   pad ([`cluster::clusters`]). One field alone is an array and is not aligned.

pub mod class;
pub mod cluster;
pub mod groups;
pub mod rows;
pub mod selection;
pub mod tree;
mod width;

pub use class::{Class, Classified, Weighed};
pub use cluster::Cluster;
pub use groups::{Answer, GroupChoice};
pub use rows::{Row, classify_rows};
pub use selection::{Decision, Disagreement, Selection};
pub use tree::{Node, Tree};

/// Which steps beyond the paper are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TraceOptions {
    /// Structs or arrays are decided for each cluster of the tree, and for its fields where they disagree, and
    /// not for the record as a whole.
    pub per_group: bool,
    /// Fields that are to be arrays and are used together become tiles, or structs where lanes are near each
    /// other and no neighbours.
    pub tiles: bool,
    /// Structs are aligned to 16 or 8 bytes or not at all, as loads that are saved and bytes that are padded
    /// say, and not always to 16.
    pub vector_width: bool,
    /// Accesses are classified by their elements and not by their addresses: neighbouring threads at
    /// neighbouring elements are `Coalesc` also where one struct fills a line.
    pub by_index: bool,
}

impl TraceOptions {
    /// The paper's method.
    #[must_use]
    pub fn paper() -> Self {
        TraceOptions { per_group: false, tiles: false, vector_width: false, by_index: false }
    }
}

impl Default for TraceOptions {
    /// All steps.
    fn default() -> Self {
        TraceOptions { per_group: true, tiles: true, vector_width: true, by_index: true }
    }
}

//! How the threads of a warp access memory, and what that says for structs or arrays.
//!
//! Source: Nakai, Ohno, §5.1 to §5.3; what they leave open is decided in [`super`].

use crate::profile::{Counts, LEVELS};
use serde::Serialize;
use std::fmt;

/// Which part of the requests shares an address where an access is [`Class::ShareCoalesc`] by its elements.
pub const SHARED_PART: f64 = 0.5;
/// Threads on one line, the first included, from which an access is [`Class::Coalesc`].
pub const COALESCED: f64 = 2.0;
/// w₁: what one execution says for structs.
pub const FOR_STRUCTS: f64 = 1.0;
/// w₂: what one says for arrays, if all threads of a warp are on one line.
pub const FOR_ARRAYS: f64 = -1.0;
/// Threads of a warp.
pub const WARP: f64 = 32.0;
/// Bytes of a line of the second-level cache (§2.1).
pub const LINE: u64 = 128;

/// A class of accesses (§5.1).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub enum Class {
    /// Each thread has a line for itself.
    UnCoalesc,
    /// Threads are at different places of one line.
    Coalesc,
    /// Threads are at one address.
    ShareCoalesc,
}

impl fmt::Display for Class {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Class::UnCoalesc => "UnCoalesc",
            Class::Coalesc => "Coalesc",
            Class::ShareCoalesc => "ShareCoalesc",
        })
    }
}

/// An access with its class: a row of Figure 12.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Classified {
    /// Its class.
    pub class: Class,
    /// Times that a warp executed it.
    pub executions: u64,
    /// Threads on the first thread's line, itself included: a mean over the executions. For classes by elements,
    /// see [`Classified::by_index`].
    pub threads: f64,
}

impl Classified {
    /// From sums over executions: how many there are, threads on the first one's line, and whether another thread
    /// is at the first one's address. Nothing, if it never ran.
    #[must_use]
    pub fn new(executions: u64, line_threads: f64, is_shared: bool) -> Option<Self> {
        if executions == 0 {
            return None;
        }
        let threads = line_threads / executions as f64;
        let class = if is_shared {
            Class::ShareCoalesc
        } else if threads >= COALESCED {
            Class::Coalesc
        } else {
            Class::UnCoalesc
        };
        Some(Classified { class, executions, threads })
    }

    /// By the addresses of a run, as the paper does it: one request that shares an address is enough. Nothing,
    /// if it never ran.
    #[must_use]
    pub fn by_address(counts: &Counts) -> Option<Self> {
        Self::new(counts.requests, counts.line_lanes as f64, counts.shared > 0)
    }

    /// By the elements that were accessed: its threads on a line are those of an array of scalars of
    /// `scalar` bytes, a mean over all lines. What counts of a `Coalesc` access is which part of these lines it uses, as
    /// threads of 32. Nothing, if it never ran.
    #[must_use]
    pub fn by_index(counts: &Counts, scalar: u64) -> Option<Self> {
        let level = ((LINE / scalar.clamp(1, LINE)).ilog2() as usize).min(LEVELS - 1);
        let threads = counts.blocks[0] as f64 / counts.blocks[level].max(1) as f64;
        let is_shared = counts.shared as f64 >= SHARED_PART * counts.requests as f64;
        let found = Self::new(counts.requests, threads * counts.requests as f64, is_shared)?;
        Some(match found.class {
            Class::Coalesc => {
                let part = found.threads / f64::from(1 << level);
                Classified { threads: part * WARP, ..found }
            }
            Class::UnCoalesc | Class::ShareCoalesc => found,
        })
    }

    /// What one execution says: more than 0 for structs, less for arrays (Equation 1).
    #[must_use]
    pub fn weight(&self) -> f64 {
        match self.class {
            Class::UnCoalesc | Class::ShareCoalesc => FOR_STRUCTS,
            Class::Coalesc => FOR_ARRAYS * self.threads / WARP,
        }
    }

    /// What all executions say (§5.3).
    #[must_use]
    pub fn sum(&self) -> f64 {
        self.weight() * self.executions as f64
    }
}

/// An access and what it says.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Weighed {
    /// A position in [`crate::profile::Profile::instructions`].
    pub instruction: u32,
    /// Its text.
    pub text: String,
    /// Its line.
    pub line: u32,
    /// The fields that it touches, as positions in [`super::Tree::fields`].
    pub fields: Vec<usize>,
    /// How threads reach it.
    pub classified: Classified,
    /// What it says: more than 0 for structs, less for arrays.
    pub sum: f64,
}

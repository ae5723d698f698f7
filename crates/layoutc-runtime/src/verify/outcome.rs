//! What a comparison found, and its wording.

use crate::kernel_log::{AllocationKey, LaunchId};
use crate::layout_table::{Leaf, SiteLayout, Version};
use crate::process::{RunResult, RunStatus};
use std::fmt;

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing differs.
    Same,
    /// Something differs.
    Different,
    /// The original itself timed out or was stopped by the runtime, so it says nothing about the rewrite.
    Inconclusive,
}

/// The result of a comparison.
#[derive(Clone, Debug)]
pub struct VerifyOutcome {
    /// The answer.
    pub verdict: Verdict,
    /// What differs: at most one difference in memory (later ones follow from it), in status and in output.
    pub differences: Vec<Difference>,
    /// Launches of the original.
    pub launches: usize,
    /// The run of the original.
    pub before: RunResult,
    /// The run of the rewritten program.
    pub after: RunResult,
}

/// One difference between the runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Device memory differs after a launch.
    Memory {
        /// The launch.
        launch: LaunchId,
        /// Its kernel, as the original names it.
        kernel: String,
        /// The allocation.
        key: AllocationKey,
        /// Where, when a second run showed it.
        place: Option<ElementDifference>,
    },
    /// The rewritten program's allocation is too small for its layout, or was never made by the original.
    LayoutDoesNotFit {
        /// The first launch that shows it.
        launch: LaunchId,
        /// Its kernel.
        kernel: String,
        /// The allocation.
        key: AllocationKey,
    },
    /// An allocation that is live in one run after this launch, and not in the other.
    MissingAllocation {
        /// The launch.
        launch: LaunchId,
        /// Its kernel.
        kernel: String,
        /// The allocation.
        key: AllocationKey,
        /// The run that lacks it.
        version: Version,
    },
    /// The rewritten program gives a kernel a pointer to host memory, which the original did not.
    HostPointer {
        /// The launch.
        launch: LaunchId,
        /// Its kernel, as the rewritten program names it.
        kernel: String,
        /// The argument, counted from 0.
        argument: u32,
    },
    /// The programs launch different numbers of kernels.
    LaunchCount {
        /// In the original.
        before: usize,
        /// In the rewritten program.
        after: usize,
    },
    /// The programs end differently.
    Status {
        /// The original.
        before: RunStatus,
        /// The rewritten program.
        after: RunStatus,
    },
    /// The programs print different text.
    Stdout {
        /// The first line that differs, counted from 1.
        line: usize,
        /// That line of the original; empty beyond its end.
        before: String,
        /// That line of the rewritten program.
        after: String,
    },
}

/// The first scalar that differs in an allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElementDifference {
    /// The record; the byte offset where the allocation has no layout.
    pub element: u64,
    /// The leaf with its indices (`f[3]`); empty where the allocation has no layout.
    pub leaf: String,
    /// The scalar's bytes in the original.
    pub before: Vec<u8>,
    /// The scalar's bytes in the rewritten program.
    pub after: Vec<u8>,
}

/// The first scalar in which two canonical contents differ.
pub(super) fn locate(
    before: &[u8],
    after: &[u8],
    layout: Option<&SiteLayout>,
) -> Option<ElementDifference> {
    let at = before.iter().zip(after).position(|(b, a)| b != a)?;
    let bytes = |from: usize, length: usize, all: &[u8]| {
        all.get(from..from + length).unwrap_or_default().to_vec()
    };
    let record = layout.map_or(0, SiteLayout::canonical_size) as usize;
    let Some(layout) = layout.filter(|_| record > 0) else {
        let from = at / 4 * 4;
        let length = 4.min(before.len() - from);
        return Some(ElementDifference {
            element: from as u64,
            leaf: String::new(),
            before: bytes(from, length, before),
            after: bytes(from, length, after),
        });
    };
    let element = at / record;
    let mut rest = at % record;
    for leaf in &layout.leaves {
        let size = leaf.bytes() as usize;
        if rest < size {
            let scalar = leaf.size.0 as usize;
            let from = at - rest % scalar;
            return Some(ElementDifference {
                element: element as u64,
                leaf: indexed_name(leaf, rest / scalar),
                before: bytes(from, scalar, before),
                after: bytes(from, scalar, after),
            });
        }
        rest -= size;
    }
    None
}

/// `f[1][2]` for the scalar at flat position `flat`.
fn indexed_name(leaf: &Leaf, flat: usize) -> String {
    let mut rest = flat as u64;
    let mut indices = Vec::new();
    for &count in leaf.extents.iter().rev() {
        indices.push(format!("[{}]", rest % count.max(1)));
        rest /= count.max(1);
    }
    indices.reverse();
    format!("{}{}", leaf.name, indices.concat())
}

pub(crate) fn stdout_difference(before: &[u8], after: &[u8]) -> Option<Difference> {
    if before == after {
        return None;
    }
    let mut b = before.split(|&c| c == b'\n');
    let mut a = after.split(|&c| c == b'\n');
    let mut line = 1;
    loop {
        let (left, right) = (b.next(), a.next());
        if left != right || left.is_none() {
            let text =
                |l: Option<&[u8]>| String::from_utf8_lossy(l.unwrap_or_default()).into_owned();
            return Some(Difference::Stdout { line, before: text(left), after: text(right) });
        }
        line += 1;
    }
}

impl fmt::Display for RunStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "exit status {code}"),
            Self::Signalled(signal) => write!(f, "signal {signal}"),
            Self::TimedOut => write!(f, "the time limit"),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Before => "the original program",
            Self::After => "the rewritten program",
        })
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory { launch, kernel, key, place } => {
                write!(f, "device memory differs after launch {} of `{kernel}`: {key}", launch.0)?;
                place.as_ref().map_or(Ok(()), |place| write!(f, ", {place}"))
            }
            Self::LayoutDoesNotFit { launch, kernel, key } => {
                write!(
                    f,
                    "at launch {} of `{kernel}`: {key} does not hold all records in its new layout",
                    launch.0
                )
            }
            Self::MissingAllocation { launch, kernel, key, version } => {
                write!(f, "at launch {} of `{kernel}`: {key} is missing in {version}", launch.0)
            }
            Self::HostPointer { launch, kernel, argument } => {
                write!(
                    f,
                    "at launch {}: argument {} of `{kernel}` is a pointer to host memory",
                    launch.0,
                    argument + 1
                )
            }
            Self::LaunchCount { before, after } => {
                write!(
                    f,
                    "the original program launches {before} kernels, the rewritten program {after}"
                )
            }
            Self::Status { before, after } => {
                write!(
                    f,
                    "the original program ends with {before}, the rewritten program with {after}"
                )
            }
            Self::Stdout { line, before, after } => {
                write!(f, "output differs in line {line}: `{before}` became `{after}`")
            }
        }
    }
}

impl fmt::Display for ElementDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.leaf.is_empty() {
            write!(f, "byte {}", self.element)?;
        } else {
            write!(f, "element {}, `{}`", self.element, self.leaf)?;
        }
        write!(f, ": {} became {}", scalar_text(&self.before), scalar_text(&self.after))
    }
}

/// A scalar in hexadecimal, most significant byte first.
fn scalar_text(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().rev().map(|b| format!("{b:02x}")).collect();
    format!("0x{digits}")
}

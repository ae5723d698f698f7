//! A recorded run: what each access of the text did, warp by warp, added up.
//!
//! `layoutc profile` instruments the accesses to arrays of records in device code and its loops, runs the
//! program and adds up, for each *request* (one execution of an access by the lanes of a warp that execute it
//! together), what selectors need: Nakai and Ohno's counts of §5.1, and what prices of other layouts need.
//! The numbers do not grow with the length of the run.
//!
//! A profile names its accesses by their places in the text, and the text by its content: a profile of
//! another version of the program says nothing, and is refused.
//!
//! [`Profile::read`] accepts nothing that cannot be; [`Profile::is_of`] compares the texts,
//! [`Profile::merge`] joins runs, and [`Recording`](crate::cost_model::Recording) finds the profile's accesses and loops in a program.

mod check;
mod format;
mod merge;

pub use format::{MOST_BYTES, ProfileError};
pub use merge::Totals;

use serde::{Deserialize, Serialize};

/// The version of the format that this crate reads and writes.
pub const VERSION: u32 = 2;

/// Powers of two at which indices are counted: see [`Counts::blocks`].
pub const LEVELS: usize = 13;

/// One or several runs of a program.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// [`VERSION`].
    pub version: u32,
    /// The texts that were compiled, in the order of their names.
    pub sources: Vec<Source>,
    /// The runs, in the order in which they were recorded.
    pub runs: Vec<Run>,
    /// Arrays of records whose accesses were instrumented.
    pub arrays: Vec<Array>,
    /// Kernels, in the order of the text.
    pub kernels: Vec<Kernel>,
    /// Loops of device code, outer ones before inner ones of the same function.
    pub loops: Vec<Loop>,
    /// Accesses that were instrumented.
    pub instructions: Vec<Instruction>,
    /// Accesses that could not be instrumented, and why: (place, reason).
    pub omitted: Vec<Omitted>,
}

/// A text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Its name, as the program was given.
    pub path: String,
    /// SHA-256 of its bytes, in hexadecimal digits.
    pub sha256: String,
}

/// A run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// What the program was run with.
    pub arguments: Vec<String>,
    /// What ran the kernels: `cpu`, or the name of a GPU.
    pub device: String,
    /// Why it ended early; none: it came to its end.
    pub partial: Option<String>,
    /// What each access did in each kernel and loop, where it did something.
    pub accesses: Vec<Accessed>,
    /// What each loop did in each kernel.
    pub trips: Vec<Trips>,
    /// What was launched: each kernel with each shape.
    pub launches: Vec<Launched>,
}

/// An array class.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Array {
    /// The record's name.
    pub record: String,
    /// Names of the arrays, for people: variables and members.
    pub names: Vec<String>,
    /// Bytes of an element.
    pub size: u64,
    /// The leaves of the record, in its order.
    pub leaves: Vec<Leaf>,
}

/// A leaf of a record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Leaf {
    /// Its name, with those of the records around it: `pos.x`.
    pub name: String,
    /// Bytes from the start of the element.
    pub offset: u64,
    /// Bytes, all scalars of an array together.
    pub bytes: u64,
}

/// A kernel.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Where its definition names it.
    pub place: Place,
}

/// A loop.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Loop {
    /// Its function's name.
    pub function: String,
    /// The loop around it in the same function: a position in [`Profile::loops`].
    pub parent: Option<u32>,
    /// Where it begins.
    pub place: Place,
}

/// A place in the text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// A position in [`Profile::sources`].
    pub source: u32,
    /// First byte.
    pub start: u32,
    /// Byte behind the last.
    pub end: u32,
    /// Line, from 1.
    pub line: u32,
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A load.
    Read,
    /// A store.
    Write,
    /// A load and a store.
    Update,
    /// By an atomic operation.
    Atomic,
}

/// An access in the text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instruction {
    /// A position in [`Profile::arrays`].
    pub array: u32,
    /// What it touches, as positions in [`Array::leaves`]: one leaf, or several that it moves as a whole.
    pub leaves: Vec<u32>,
    /// What it does.
    pub kind: Kind,
    /// The bytes that one lane accesses, in their order and apart from each other: of an element that is accessed as
    /// a whole those of its leaves that are used, of a member array one item.
    pub ranges: Vec<Range>,
    /// The innermost loop of its own function around it.
    pub scope: Option<u32>,
    /// The function it stands in.
    pub function: String,
    /// Its text.
    pub text: String,
    /// Where it stands.
    pub place: Place,
}

impl Instruction {
    /// Bytes that one lane accesses.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.ranges.iter().fold(0, |all, range| all.saturating_add(range.bytes))
    }
}

/// Bytes that an access covers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// From the first byte of the object that is noted: an element, a member, or an item of a member array.
    pub offset: u64,
    /// How many; not 0.
    pub bytes: u64,
}

/// An access that is not recorded.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Omitted {
    /// Where it stands.
    pub place: Place,
    /// Why.
    pub because: String,
}

/// What an access did in one kernel and loop.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accessed {
    /// A position in [`Profile::kernels`].
    pub kernel: u32,
    /// A position in [`Profile::instructions`].
    pub instruction: u32,
    /// The innermost loop that ran around it, which may be one of a calling function: a position in
    /// [`Profile::loops`].
    pub scope: Option<u32>,
    /// Added up.
    pub counts: Counts,
}

/// Sums over all requests of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Requests: times that a warp executed it (the paper's execution count).
    pub requests: u64,
    /// Lanes that executed it.
    pub lanes: u64,
    /// Lanes whose first byte is on the aligned line of 128 bytes that the first byte of the first lane is on,
    /// itself included (the paper's number of coalescing threads).
    pub line_lanes: u64,
    /// Requests in which another lane's first byte is that of the first lane.
    pub shared: u64,
    /// Lanes whose first byte is that of the first lane, itself included.
    pub address_lanes: u64,
    /// Distinct lines of 128 bytes, by all bytes of the lanes' [ranges](Instruction::ranges).
    pub lines: u64,
    /// Distinct sectors of 32 bytes, by all bytes of the lanes' [ranges](Instruction::ranges).
    pub sectors: u64,
    /// `blocks[k]`: distinct values of `index >> k`, where the index is that of the element in its array:
    /// what a group of a layout with `2^k` elements in a sector would touch.
    pub blocks: [u64; LEVELS],
    /// Requests of several lanes whose indices are all `stride` apart, lane by lane.
    pub strided: u64,
    /// That stride of most of them, in elements; of no meaning where `strided` is 0.
    pub stride: i64,
}

impl Counts {
    /// Adds those of another run, or of another kernel.
    pub fn add(&mut self, other: &Counts) {
        if other.strided > self.strided {
            self.stride = other.stride;
        }
        let sum = |own: &mut u64, other: u64| *own = own.saturating_add(other);
        sum(&mut self.requests, other.requests);
        sum(&mut self.lanes, other.lanes);
        sum(&mut self.line_lanes, other.line_lanes);
        sum(&mut self.shared, other.shared);
        sum(&mut self.address_lanes, other.address_lanes);
        sum(&mut self.lines, other.lines);
        sum(&mut self.sectors, other.sectors);
        sum(&mut self.strided, other.strided);
        for (own, other) in self.blocks.iter_mut().zip(other.blocks) {
            sum(own, other);
        }
    }
}

/// What a loop did in one kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trips {
    /// A position in [`Profile::kernels`].
    pub kernel: u32,
    /// A position in [`Profile::loops`].
    pub of: u32,
    /// Times that threads entered it.
    pub entries: u64,
    /// Times that threads ran its body.
    pub iterations: u64,
}

/// Launches of one kernel with one shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Launched {
    /// A position in [`Profile::kernels`].
    pub kernel: u32,
    /// Blocks along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// How many.
    pub launches: u64,
}

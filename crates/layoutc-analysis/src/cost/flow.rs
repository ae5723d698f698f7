//! What of a kernel runs after what.

use super::ids::LoopId;

/// A step of a kernel, or of a part of it. Steps of a list run one after another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// This access of [`KernelCode::accesses`](super::kernel::KernelCode::accesses).
    Access(u32),
    /// A loop. An access in it whose scope is outside of it goes through the scalars of a leaf, one in
    /// each trip.
    Loop {
        /// Which one.
        id: LoopId,
        /// What it goes through, where the number of trips is not known.
        range: LoopRange,
        /// What each trip does.
        body: Vec<Step>,
    },
    /// A block that can be left: a `switch`, or `do { … } while (0)`.
    Once(Vec<Step>),
    /// One of these.
    Branch(Vec<Vec<Step>>),
    /// A condition that nearly all threads pass, or nearly none.
    Guard {
        /// What nearly all do.
        usual: Vec<Step>,
        /// What the others do.
        rare: Vec<Step>,
    },
    /// A called function.
    Call(Vec<Step>),
    /// What is behind it in the list does not run.
    Leave(Leave),
}

/// What a step leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leave {
    /// The function: the call around it, or the kernel.
    Function,
    /// The trip of the loop around it, or the block that can be left. A `break` leaves a trip as
    /// `continue` does: how often a loop runs, its number of trips says.
    Trip,
}

/// What a loop goes through whose number of trips is not known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LoopRange {
    /// Nothing that is known.
    #[default]
    Unknown,
    /// The threads of a block (work-items of a work-group).
    Block,
    /// The threads of a launch (work-items of an NDRange).
    Launch,
}

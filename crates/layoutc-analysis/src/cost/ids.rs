//! What a kernel's accesses are told apart by.

/// An array of records in global memory, or of scalars, which are records of one leaf.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ArrayId(pub u32);

/// A loop of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LoopId(pub u32);

/// All of an index but a constant: indices with the same one differ by the difference of their offsets
/// in every thread and every iteration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BaseId(pub u32);

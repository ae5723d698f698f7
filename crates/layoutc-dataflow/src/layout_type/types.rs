//! The semilattice of layout types and its pointwise extension to pointers.

use std::fmt;

use super::ids::PointerId;
use crate::framework::MeetSemilattice;

/// A new layout: its position in a [`LayoutTypeTable`](super::LayoutTypeTable).
///
/// Two ids are equal if and only if the layouts are compatible.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LayoutTypeId(pub u32);

/// Layout type of one pointer (Sung, Stratton, Hwu, PACT 2010, §5.3).
///
/// ```text
/// l1   l2   …   UT
///   \   |   |  /
///        ⊥
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LayoutType {
    /// All data that the pointer may refer to has this layout.
    Layout(LayoutTypeId),
    /// `UT`: all data that the pointer may refer to lies as the source declares it.
    Untransformed,
    /// `⊥`: the pointer may refer to data in two different layouts.
    Incompatible,
}

impl LayoutType {
    /// Table 2: equal types stay, all others are incompatible. In particular `UT ∧ l = ⊥`.
    #[must_use]
    pub fn meet(self, other: Self) -> Self {
        if self == other { self } else { Self::Incompatible }
    }
}

impl fmt::Display for LayoutType {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Layout(id) => write!(out, "l{}", id.0),
            Self::Untransformed => out.write_str("UT"),
            Self::Incompatible => out.write_str("⊥"),
        }
    }
}

impl MeetSemilattice for LayoutType {
    fn meet(&self, other: &Self) -> Self {
        (*self).meet(*other)
    }
}

/// The layout type of every pointer at one point of a program: `Ψ`, an element of the paper's
/// semilattice.
///
/// A pointer that no definition has reached is absent, which is its top element.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PointerTypes {
    /// Sorted by pointer, each at most once.
    types: Vec<(PointerId, LayoutType)>,
}

impl PointerTypes {
    /// The top element: nothing has been defined.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// `μ(pointer)`; `None` if no definition has reached it.
    #[must_use]
    pub fn get(&self, pointer: PointerId) -> Option<LayoutType> {
        self.place(pointer).ok().map(|at| self.types[at].1)
    }

    /// Replaces the type of one pointer; `None` takes its definition away.
    pub fn set(&mut self, pointer: PointerId, value: Option<LayoutType>) {
        match (self.place(pointer), value) {
            (Ok(at), Some(value)) => self.types[at].1 = value,
            (Err(at), Some(value)) => self.types.insert(at, (pointer, value)),
            (Ok(at), None) => {
                self.types.remove(at);
            }
            (Err(_), None) => {}
        }
    }

    /// Meets `value` into the type of one pointer; `None`, the top element, changes nothing.
    pub fn lower(&mut self, pointer: PointerId, value: Option<LayoutType>) {
        let Some(value) = value else { return };
        let met = self.get(pointer).map_or(value, |known| known.meet(value));
        self.set(pointer, Some(met));
    }

    /// Keeps the pointers that `keep` accepts.
    pub fn retain(&mut self, keep: impl Fn(PointerId) -> bool) {
        self.types.retain(|(pointer, _)| keep(*pointer));
    }

    /// All defined pointers and their types, by ascending pointer.
    pub fn iter(&self) -> impl Iterator<Item = (PointerId, LayoutType)> + '_ {
        self.types.iter().copied()
    }

    fn place(&self, pointer: PointerId) -> Result<usize, usize> {
        self.types.binary_search_by_key(&pointer, |(pointer, _)| *pointer)
    }
}

impl FromIterator<(PointerId, LayoutType)> for PointerTypes {
    /// Meets the types that are given for one pointer.
    fn from_iter<I: IntoIterator<Item = (PointerId, LayoutType)>>(types: I) -> Self {
        let mut result = PointerTypes::new();
        for (pointer, value) in types {
            result.lower(pointer, Some(value));
        }
        result
    }
}

impl MeetSemilattice for PointerTypes {
    /// Pointwise; a pointer that is absent on one side has the type of the other.
    fn meet(&self, other: &Self) -> Self {
        let mut types = Vec::with_capacity(self.types.len().max(other.types.len()));
        let (mut left, mut right) = (self.iter().peekable(), other.iter().peekable());
        loop {
            types.push(match (left.peek().copied(), right.peek().copied()) {
                (None, None) => return PointerTypes { types },
                (Some(own), Some((pointer, _))) if own.0 < pointer => {
                    left.next();
                    own
                }
                (Some((pointer, _)), Some(its)) if its.0 < pointer => {
                    right.next();
                    its
                }
                (Some((pointer, own)), Some((_, its))) => {
                    left.next();
                    right.next();
                    (pointer, own.meet(its))
                }
                (Some(own), None) => {
                    left.next();
                    own
                }
                (None, Some(its)) => {
                    right.next();
                    its
                }
            });
        }
    }
}

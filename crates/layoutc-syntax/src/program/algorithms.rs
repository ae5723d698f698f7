//! Algorithms of thrust that are given a range of elements by two pointers.

use super::{ExprId, ExprKind, NameRef, Program};
use std::ops::Range;

/// A call of an algorithm, by the positions of its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Algorithm {
    /// Iterators: the ends of a range, and for some the start of another one.
    pub iterators: Range<usize>,
    /// What it calls with elements of the first range.
    pub functor: Option<usize>,
    /// It gives back an iterator of the first range.
    pub gives_iterator: bool,
}

/// What an algorithm takes behind its policy.
struct Row {
    name: &'static str,
    iterators: usize,
    needs_functor: bool,
    gives_iterator: bool,
}

const fn row(
    name: &'static str,
    iterators: usize,
    needs_functor: bool,
    gives_iterator: bool,
) -> Row {
    Row { name, iterators, needs_functor, gives_iterator }
}

/// The algorithms. Each does the same with iterators that load and store elements as it does with pointers to them.
const ROWS: [Row; 8] = [
    row("sort", 2, false, false),
    row("stable_sort", 2, false, false),
    row("sort_by_key", 3, false, false),
    row("stable_sort_by_key", 3, false, false),
    row("partition", 2, true, true),
    row("stable_partition", 2, true, true),
    row("remove_if", 2, true, true),
    row("count_if", 2, true, false),
];

impl Program {
    /// The algorithm that a call is of, if it is one of thrust with a policy for the device, as the host calls it.
    #[must_use]
    pub fn algorithm(&self, callee: ExprId, arguments: &[ExprId]) -> Option<Algorithm> {
        let callee = self.strip_parens(callee);
        let ExprKind::Name(NameRef::Unknown(name)) = &self.expr(callee).kind else { return None };
        let row = ROWS.iter().find(|row| row.name == name)?;
        if self.qualified(callee) != format!("thrust::{name}") {
            return None;
        }
        let (policy, behind) = arguments.split_first()?;
        let has_functor = behind.len() == row.iterators + 1;
        let fits = has_functor || (behind.len() == row.iterators && !row.needs_functor);
        (fits && self.is_device_policy(*policy)).then(|| Algorithm {
            iterators: 1..1 + row.iterators,
            functor: has_functor.then_some(1 + row.iterators),
            gives_iterator: row.gives_iterator,
        })
    }

    /// `thrust::device`, `thrust::cuda::par` and `thrust::cuda::par.on(stream)`.
    fn is_device_policy(&self, policy: ExprId) -> bool {
        let policy = self.strip_parens(policy);
        match &self.expr(policy).kind {
            ExprKind::Name(NameRef::Unknown(_)) => {
                matches!(self.qualified(policy).as_str(), "thrust::device" | "thrust::cuda::par")
            }
            ExprKind::Call { callee, arguments, .. } if arguments.len() == 1 => {
                match self.expr(self.strip_parens(*callee)).kind {
                    ExprKind::Member { base, arrow: false, name, .. } => {
                        self.text(name) == "on" && self.qualified(base) == "thrust::cuda::par"
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// A name as it is written, without blanks and the leading `::`.
    fn qualified(&self, name: ExprId) -> String {
        let text: String = self.text(self.expr(name).span).split_ascii_whitespace().collect();
        text.trim_start_matches("::").to_owned()
    }
}

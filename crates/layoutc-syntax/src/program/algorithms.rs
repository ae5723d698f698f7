//! Algorithms of thrust that are given a range of elements by two pointers.

use super::{ExprId, ExprKind, NameRef, Program};

/// A call of an algorithm, by the positions of its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Algorithm {
    form: &'static Form,
    /// How many arguments are in front of those of the form: one for a policy.
    before: usize,
}

/// What an argument behind the policy is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    /// The start of a range, of which the end comes next.
    Begin,
    End,
    /// The start of a range that is as long as the first one, or as long as it has to be.
    Start,
    /// Something that is called with elements: one of the range at each of these positions.
    Functor(&'static [usize]),
    /// An object that is copied, or where a sum starts.
    Value,
}

/// One way to call an algorithm.
#[derive(PartialEq, Eq, Debug)]
struct Form {
    name: &'static str,
    /// What it takes behind its policy.
    roles: &'static [Role],
    /// The range that it gives back an iterator of, by the position of its start.
    gives: Option<usize>,
    /// The range whose elements it compares or adds by itself.
    computes: Option<usize>,
}

const fn form(name: &'static str, roles: &'static [Role], gives: Option<usize>) -> Form {
    Form { name, roles, gives, computes: None }
}

/// A form without the functor: operators of the elements stand for it.
const fn plain(name: &'static str, roles: &'static [Role], gives: Option<usize>) -> Form {
    Form { name, roles, gives, computes: Some(0) }
}

use Role::{Begin, End, Functor, Start, Value};

/// The algorithms. Each does the same with iterators that load and store elements as it does with pointers to them.
static FORMS: [Form; 47] = [
    plain("sort", &[Begin, End], None),
    form("sort", &[Begin, End, Functor(&[0])], None),
    plain("stable_sort", &[Begin, End], None),
    form("stable_sort", &[Begin, End, Functor(&[0])], None),
    plain("sort_by_key", &[Begin, End, Start], None),
    form("sort_by_key", &[Begin, End, Start, Functor(&[0])], None),
    plain("stable_sort_by_key", &[Begin, End, Start], None),
    form("stable_sort_by_key", &[Begin, End, Start, Functor(&[0])], None),
    form("partition", &[Begin, End, Functor(&[0])], Some(0)),
    form("partition", &[Begin, End, Start, Functor(&[2])], Some(0)),
    form("stable_partition", &[Begin, End, Functor(&[0])], Some(0)),
    form("stable_partition", &[Begin, End, Start, Functor(&[2])], Some(0)),
    form("remove_if", &[Begin, End, Functor(&[0])], Some(0)),
    form("remove_if", &[Begin, End, Start, Functor(&[2])], Some(0)),
    form("count_if", &[Begin, End, Functor(&[0])], None),
    form("all_of", &[Begin, End, Functor(&[0])], None),
    form("any_of", &[Begin, End, Functor(&[0])], None),
    form("none_of", &[Begin, End, Functor(&[0])], None),
    form("find_if", &[Begin, End, Functor(&[0])], Some(0)),
    form("find_if_not", &[Begin, End, Functor(&[0])], Some(0)),
    form("fill", &[Begin, End, Value], None),
    form("reverse", &[Begin, End], None),
    form("copy", &[Begin, End, Start], Some(2)),
    form("copy_if", &[Begin, End, Start, Functor(&[0])], Some(2)),
    form("copy_if", &[Begin, End, Start, Start, Functor(&[2])], Some(3)),
    form("remove_copy_if", &[Begin, End, Start, Functor(&[0])], Some(2)),
    form("remove_copy_if", &[Begin, End, Start, Start, Functor(&[2])], Some(3)),
    form("reverse_copy", &[Begin, End, Start], Some(2)),
    form("gather", &[Begin, End, Start, Start], Some(3)),
    form("gather_if", &[Begin, End, Start, Start, Start, Functor(&[2])], Some(4)),
    plain_stencil("gather_if", &[Begin, End, Start, Start, Start], Some(4), 2),
    form("scatter", &[Begin, End, Start, Start], None),
    form("scatter_if", &[Begin, End, Start, Start, Start, Functor(&[3])], None),
    plain_stencil("scatter_if", &[Begin, End, Start, Start, Start], None, 3),
    form("transform", &[Begin, End, Start, Functor(&[0])], Some(2)),
    form("transform", &[Begin, End, Start, Start, Functor(&[0, 2])], Some(3)),
    form("transform_if", &[Begin, End, Start, Functor(&[0]), Functor(&[0])], Some(2)),
    form("for_each", &[Begin, End, Functor(&[0])], Some(0)),
    plain("reduce", &[Begin, End], None),
    plain("reduce", &[Begin, End, Value], None),
    form("reduce", &[Begin, End, Value, Functor(&[0, 0])], None),
    // What adds gets what the other functor gives.
    form("transform_reduce", &[Begin, End, Functor(&[0]), Value, Functor(&[])], None),
    plain("max_element", &[Begin, End], Some(0)),
    form("max_element", &[Begin, End, Functor(&[0])], Some(0)),
    plain("min_element", &[Begin, End], Some(0)),
    form("min_element", &[Begin, End, Functor(&[0])], Some(0)),
    plain("unique", &[Begin, End], Some(0)),
];

/// A form that asks the range at a position itself whether it holds.
const fn plain_stencil(
    name: &'static str,
    roles: &'static [Role],
    gives: Option<usize>,
    stencil: usize,
) -> Form {
    Form { name, roles, gives, computes: Some(stencil) }
}

impl Algorithm {
    /// Whether the argument at a position is an iterator.
    #[must_use]
    pub fn is_iterator(&self, argument: usize) -> bool {
        let role = argument.checked_sub(self.before).and_then(|at| self.form.roles.get(at));
        matches!(role, Some(Begin | End | Start))
    }

    /// The arguments that are the ends of the range of which an argument is one.
    #[must_use]
    pub fn range(&self, argument: usize) -> Option<[usize; 2]> {
        match self.form.roles.get(argument.checked_sub(self.before)?)? {
            Begin => Some([argument, argument + 1]),
            End => Some([argument - 1, argument]),
            Start | Functor(_) | Value => None,
        }
    }

    /// Whether the algorithm itself compares, adds or tests elements of the range that an argument is an end or the start of.
    #[must_use]
    pub fn computes(&self, argument: usize) -> bool {
        let start = self.range(argument).map_or(argument, |[start, _]| start);
        self.form.computes.is_some_and(|own| own + self.before == start)
    }

    /// What is called with elements, by its argument, and the arguments that are the starts of the ranges which the elements
    /// are of, in the order of its parameters.
    pub fn functors(&self) -> impl Iterator<Item = (usize, Vec<usize>)> + '_ {
        self.form.roles.iter().enumerate().filter_map(|(at, role)| match role {
            Functor(of) => {
                Some((at + self.before, of.iter().map(|own| own + self.before).collect()))
            }
            Begin | End | Start | Value => None,
        })
    }

    /// Whether a policy says where it runs, and not the iterators.
    #[must_use]
    pub fn has_policy(&self) -> bool {
        self.before > 0
    }

    /// The argument that is the start of the range of which the call gives back an iterator.
    #[must_use]
    pub fn gives(&self) -> Option<usize> {
        self.form.gives.map(|own| own + self.before)
    }
}

impl Program {
    /// The algorithm that a call is of, if it is one of thrust with a policy for the device, or with places in vectors in device
    /// memory or pointers whose types say that they lead there, as the host calls it.
    #[must_use]
    pub fn algorithm(&self, callee: ExprId, arguments: &[ExprId]) -> Option<Algorithm> {
        let name = self.algorithm_name(callee)?;
        let first = *arguments.first()?;
        let before = usize::from(self.is_device_policy(first));
        let taken = arguments.len() - before;
        let form = FORMS.iter().find(|form| form.name == name && form.roles.len() == taken)?;
        let own = Algorithm { form, before };
        let mut places = arguments.iter().enumerate().filter(|(at, _)| own.is_iterator(*at));
        let is_there = |(_, place): (usize, &ExprId)| {
            self.is_vector_place(*place) || self.expr(*place).ty.is_device_ptr
        };
        // A copy may go to the host, or come from there.
        let on_device = match name {
            "copy" => places.all(is_there),
            _ => places.any(is_there),
        };
        (before > 0 || on_device).then_some(own)
    }

    /// The name of the algorithm that a call is of, whatever it is given.
    pub(crate) fn algorithm_name(&self, callee: ExprId) -> Option<&str> {
        let callee = self.strip_parens(callee);
        let ExprKind::Name(NameRef::Unknown(name)) = &self.expr(callee).kind else { return None };
        FORMS.iter().find(|form| form.name == name)?;
        (self.qualified(callee) == format!("thrust::{name}")).then_some(name)
    }

    /// Whether a pointer is a place in a vector in device memory, as `v.begin()` gives it.
    #[must_use]
    pub fn is_vector_place(&self, place: ExprId) -> bool {
        let place = self.strip_parens(place);
        match self.expr(place).kind {
            ExprKind::Binary(_, left, _) => self.is_vector_place(left),
            _ => self.vector_start(place).is_some(),
        }
    }

    /// The vector in device memory, and whether it is behind a pointer, of which an expression is the start: `v.data()` for
    /// `v.begin()` that an algorithm is given.
    #[must_use]
    pub fn vector_start(&self, start: ExprId) -> Option<(ExprId, bool)> {
        let ExprKind::Call { callee, .. } = self.expr(start).kind else { return None };
        let ExprKind::Member { base, arrow, ref methods, name, .. } = self.expr(callee).kind else {
            return None;
        };
        let own = self.function(*methods.first()?);
        let is_vector = own.record.is_some_and(|record| self.is_device_vector(record));
        (is_vector && name.start == name.end && own.name == "data").then_some((base, arrow))
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

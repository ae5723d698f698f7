//! Memory distances of the fields of a record in one kernel, in closed form.
//!
//! # Terms
//!
//! All loops are thought of as unrolled. `OUT_i[j]` is the least number of bytes that are accessed behind
//! instruction `i` up to and with `j`, over all ways from `i` to `j` (Kofler et al., §3.1: at joins the
//! minimum over the predecessors, at each access its bytes are added); the *distance* of `i` and `j` is
//! that of the one direction in which there is a way. An instance of a field is *near* another field by its
//! distance to the nearest instance of that. The distance of two fields is the greatest such number over
//! all instances of both: the maximum over closest pairs.
//!
//! # How
//!
//! [`Summary`] says of a block how many bytes lie between where it is entered, an instance of one field
//! `g` (the *target*), and where it is left. With the summaries a walk from the outside in knows, at each
//! access, the least distances to the targets before and behind it. Within a loop of `n` trips that is
//! known for all trips at once: in trip `k` the target of a trip before is `last` bytes in front of it, and
//! one before the loop `(k - 1) T` bytes further away than in the first trip, with `T` the least bytes of a
//! trip. The first trip, the last one and those between are looked at apart, so what remains is a maximum
//! over `k` of the minimum of sums, which [`super::balance`] finds.

use super::balance::{Counter, Sums, greatest};
use crate::cost::flow::Leave;

/// A step of a kernel, as distances see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node {
    /// An access to global memory.
    Access {
        /// The field that it touches, by number; `None`: anything else.
        field: Option<usize>,
        /// Bytes.
        bytes: u64,
    },
    /// A loop of so many trips.
    Loop {
        /// How many.
        trips: u64,
        /// What a trip does.
        body: Vec<Node>,
    },
    /// One of these.
    Branch(Vec<Vec<Node>>),
    /// A condition that nearly all threads pass. No way leads through what the others do, but from it and
    /// to it; unless the usual way does not come back.
    Guard {
        /// What nearly all do.
        usual: Vec<Node>,
        /// What the others do.
        rare: Vec<Node>,
    },
    /// A called function.
    Call(Vec<Node>),
    /// What is behind it in the list does not run. *Invariant:* loops of called functions, but those of one
    /// trip, do not leave the function.
    Leave(Leave),
}

/// The closest pairs of a kernel: how far its instances of a field are from another field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nearness {
    fields: usize,
    /// `None`: the kernel has no instance of the first field. `Some(None)`: one of them has no way to or
    /// from the second.
    most: Vec<Option<Option<u64>>>,
}

impl Nearness {
    /// The greatest distance of an instance of `from` to its nearest instance of `to`: `None` if `from` is
    /// never accessed, `Some(None)` if one is infinitely far away.
    #[must_use]
    pub fn of(&self, from: usize, to: usize) -> Option<Option<u64>> {
        self.most[from * self.fields + to]
    }

    fn add(&mut self, from: usize, to: usize, distance: Option<u64>) {
        let most = &mut self.most[from * self.fields + to];
        *most = Some(match *most {
            None => distance,
            Some(known) => known.zip(distance).map(|(a, b)| a.max(b)),
        });
    }
}

/// The closest pairs of a kernel that accesses a record of so many fields.
///
/// The time depends on the text alone, not on the numbers of trips.
#[must_use]
pub fn nearness(kernel: &[Node], fields: usize) -> Nearness {
    let mut found = Nearness { fields, most: vec![None; fields * fields] };
    for target in 0..fields {
        let tree = summarized(kernel, target);
        let mut walk = Walk { target, counters: Vec::new(), found: &mut found };
        walk.list(&tree, &Sums::default(), &After::default());
    }
    found
}

/// Bytes of a way; `None`: there is none.
type Way = Option<i128>;

fn least(a: Way, b: Way) -> Way {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (one, None) | (None, one) => one,
    }
}

fn sum(a: Way, b: Way) -> Way {
    a.zip(b).map(|(a, b)| a.saturating_add(b))
}

/// A number for each way out of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Exits<T> {
    /// Behind it.
    next: T,
    /// The end of the trip.
    trip: T,
    /// The end of the function.
    function: T,
}

impl Exits<Way> {
    fn least(self, other: Self) -> Self {
        Exits {
            next: least(self.next, other.next),
            trip: least(self.trip, other.trip),
            function: least(self.function, other.function),
        }
    }

    /// As many bytes more.
    fn behind(self, way: Way) -> Self {
        Exits {
            next: sum(way, self.next),
            trip: sum(way, self.trip),
            function: sum(way, self.function),
        }
    }
}

/// A block, seen from outside.
#[derive(Clone, Copy, Debug, Default)]
struct Summary {
    /// From its entry to each exit.
    through: Exits<Way>,
    /// From its entry to the nearest target in it, with that one's bytes.
    first: Way,
    /// From the nearest target in it to each exit.
    last: Exits<Way>,
}

/// A step with its summary.
enum Tree {
    Access { field: Option<usize>, bytes: i128 },
    Loop { trips: u64, body: List },
    Branch(Vec<List>),
    Call(List),
    Leave,
}

struct List {
    steps: Vec<(Tree, Summary)>,
    summary: Summary,
}

/// Steps one after another; what cannot be reached is left out.
fn summarized(nodes: &[Node], target: usize) -> List {
    let mut steps = Vec::new();
    let mut all = Summary::default();
    all.through.next = Some(0);
    for node in nodes {
        let Some(before) = all.through.next else { break };
        let step = step(node, target);
        let own = step.1;
        let through = own.through.behind(Some(before));
        let known = Exits { next: None, ..all.through };
        all.through = known.least(through);
        all.first = least(all.first, sum(Some(before), own.first));
        let left = own.through.behind(all.last.next);
        let known = Exits { next: None, ..all.last };
        all.last = known.least(own.last).least(left);
        steps.push(step);
    }
    List { steps, summary: all }
}

fn step(node: &Node, target: usize) -> (Tree, Summary) {
    let mut summary = Summary::default();
    let tree = match node {
        Node::Access { field, bytes } => {
            let bytes = i128::from(*bytes);
            summary.through.next = Some(bytes);
            if *field == Some(target) {
                summary.first = Some(bytes);
                summary.last.next = Some(0);
            }
            Tree::Access { field: *field, bytes }
        }
        Node::Leave(leave) => {
            match leave {
                Leave::Function => summary.through.function = Some(0),
                Leave::Trip => summary.through.trip = Some(0),
            }
            Tree::Leave
        }
        Node::Branch(ways) => {
            let ways: Vec<List> = ways.iter().map(|way| summarized(way, target)).collect();
            for way in &ways {
                summary.through = summary.through.least(way.summary.through);
                summary.first = least(summary.first, way.summary.first);
                summary.last = summary.last.least(way.summary.last);
            }
            Tree::Branch(ways)
        }
        Node::Guard { usual, rare } => {
            let ways = [usual, rare].map(|way| summarized(way, target));
            let [usual, rare] = ways.each_ref().map(|way| way.summary);
            summary.through = match usual.through.next {
                Some(_) => usual.through,
                None => usual.through.least(rare.through),
            };
            summary.first = least(usual.first, rare.first);
            summary.last = usual.last.least(rare.last);
            Tree::Branch(ways.into())
        }
        Node::Call(body) => {
            let body = summarized(body, target);
            let own = body.summary;
            summary.through.next = least(own.through.next, own.through.function);
            summary.first = own.first;
            summary.last.next = least(own.last.next, own.last.function);
            Tree::Call(body)
        }
        Node::Loop { trips: 0, .. } => {
            summary.through.next = Some(0);
            Tree::Branch(Vec::new())
        }
        Node::Loop { trips, body } => {
            let body = summarized(body, target);
            let own = body.summary;
            let trip = body.trip();
            // A trip without an end is the last one.
            let trips = if trip.is_some() { *trips } else { 1 };
            summary.through.next = trip.map(|trip| trip.saturating_mul(i128::from(trips)));
            summary.through.function = own.through.function;
            summary.first = own.first;
            summary.last.next = body.last();
            summary.last.function = own.last.function;
            Tree::Loop { trips, body }
        }
    };
    (tree, summary)
}

impl List {
    /// The least bytes of a trip whose steps these are.
    fn trip(&self) -> Way {
        least(self.summary.through.next, self.summary.through.trip)
    }

    /// From the nearest target in it to the trip's end.
    fn last(&self) -> Way {
        least(self.summary.last.next, self.summary.last.trip)
    }
}

/// How far the next targets are from where a block is left.
type After = Exits<Sums>;

struct Walk<'a> {
    target: usize,
    /// The trips of the loops around, outermost first.
    counters: Vec<Counter>,
    found: &'a mut Nearness,
}

impl Walk<'_> {
    fn list(&mut self, list: &List, before: &Sums, after: &After) {
        let depth = self.counters.len();
        // From the end: what is behind each step.
        let mut behind = vec![after.next.clone()];
        for (_, summary) in list.steps.iter().skip(1).rev() {
            let next =
                behind.last().map_or_else(Sums::default, |next| next.plus(summary.through.next));
            let mut found = next
                .least(&after.trip.plus(summary.through.trip))
                .least(&after.function.plus(summary.through.function));
            found.add(depth, summary.first);
            behind.push(found);
        }
        let mut before = before.clone();
        for (tree, summary) in &list.steps {
            let Some(next) = behind.pop() else { return };
            self.step(tree, &before, &After { next, ..after.clone() });
            before = before.plus(summary.through.next);
            before.add(depth, summary.last.next);
        }
    }

    fn step(&mut self, tree: &Tree, before: &Sums, after: &After) {
        match tree {
            Tree::Access { field, bytes } => {
                let Some(field) = field.filter(|field| *field != self.target) else { return };
                let near = greatest(&before.plus(Some(*bytes)), &after.next, &self.counters);
                self.found.add(field, self.target, near);
            }
            Tree::Branch(ways) => {
                for way in ways {
                    self.list(way, before, after);
                }
            }
            Tree::Call(body) => {
                let after = After { function: after.next.clone(), ..After::default() };
                let after = After { next: after.function.clone(), ..after };
                self.list(body, before, &after);
            }
            Tree::Loop { trips, body } => self.trips(*trips, body, before, after),
            Tree::Leave => {}
        }
    }

    fn trips(&mut self, trips: u64, body: &List, before: &Sums, around: &After) {
        let end = &around.next;
        let trip = body.trip().unwrap_or(0);
        let (first, last) = (body.summary.first, body.last());
        let after =
            |next: Sums| After { trip: next.clone(), next, function: around.function.clone() };
        if trips == 1 {
            self.list(body, before, &after(end.clone()));
            return;
        }
        let others = Some(trip.saturating_mul(i128::from(trips - 1)));
        let has_target = first.is_some();
        if !has_target {
            let counter = Counter { step: trip, count: trips };
            self.repeated(counter, |walk| walk.list(body, before, &after(end.clone())));
            return;
        }
        let depth = self.counters.len();
        let mut next = end.plus(others);
        next.add(depth, first);
        self.list(body, before, &after(next));
        if trips > 2 {
            self.repeated(Counter { step: trip, count: trips - 2 }, |walk| {
                let depth = walk.counters.len();
                let mut before = before.plus(Some(trip));
                before.add(depth, last);
                let mut next = end.plus(Some(trip));
                next.add(depth, first);
                walk.list(body, &before, &after(next));
            });
        }
        let mut before = before.plus(others);
        before.add(depth, last);
        self.list(body, &before, &after(end.clone()));
    }

    fn repeated(&mut self, counter: Counter, inside: impl FnOnce(&mut Self)) {
        let counts = counter.step > 0 && counter.count > 1;
        if counts {
            self.counters.push(counter);
        }
        inside(self);
        if counts {
            self.counters.pop();
        }
    }
}

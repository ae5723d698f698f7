//! Distances in closed form are those of unrolled loops.

use super::oracle::Unrolled;
use layoutc_analysis::cost::flow::Leave;
use layoutc_analysis::kdlg::distance::{Node, nearness};
use proptest::prelude::*;

const FIELDS: usize = 3;

pub fn read(field: usize) -> Node {
    Node::Access { field: Some(field), bytes: 4 }
}

pub fn other(bytes: u64) -> Node {
    Node::Access { field: None, bytes }
}

pub fn repeat(trips: u64, body: Vec<Node>) -> Node {
    Node::Loop { trips, body }
}

/// The distance of two fields.
fn distance(kernel: &[Node], f: usize, g: usize) -> Option<u64> {
    let found = nearness(kernel, FIELDS);
    let both = [found.of(f, g), found.of(g, f)].map(|own| own.expect("both are accessed"));
    both[0].zip(both[1]).map(|(a, b)| a.max(b))
}

/// Kernels of each kind; `$PROPTEST_CASES` says another number.
fn cases() -> u32 {
    ProptestConfig::default().cases.max(1500)
}

fn check(kernel: &[Node]) -> Result<(), TestCaseError> {
    let unrolled = Unrolled::new(kernel);
    prop_assume!(unrolled.len() <= 700);
    let (found, expected) = (nearness(kernel, FIELDS), unrolled.nearness(FIELDS));
    for (f, row) in expected.iter().enumerate() {
        for (g, expected) in row.iter().enumerate().filter(|(g, _)| *g != f) {
            prop_assert_eq!(found.of(f, g), *expected, "{} to {}", f, g);
        }
    }
    Ok(())
}

/// Puts exits where the language has them: none of a trip outside of loops, and of functions that are
/// called none within their loops.
fn legal(nodes: Vec<Node>, in_loop: bool, in_call: bool) -> Vec<Node> {
    let own = |node| match node {
        Node::Access { .. } => node,
        Node::Loop { trips, body } => Node::Loop { trips, body: legal(body, true, in_call) },
        Node::Branch(ways) => {
            Node::Branch(ways.into_iter().map(|way| legal(way, in_loop, in_call)).collect())
        }
        Node::Guard { usual, rare } => {
            let [usual, rare] = [usual, rare].map(|way| legal(way, in_loop, in_call));
            Node::Guard { usual, rare }
        }
        Node::Call(body) => Node::Call(legal(body, false, true)),
        Node::Leave(Leave::Trip) if !in_loop => other(1),
        Node::Leave(Leave::Function) if in_loop && in_call => Node::Leave(Leave::Trip),
        Node::Leave(_) => node,
    };
    nodes.into_iter().map(own).collect()
}

fn access() -> impl Strategy<Value = Node> {
    (prop::option::weighted(0.7, 0..FIELDS), 1..12_u64)
        .prop_map(|(field, bytes)| Node::Access { field, bytes })
}

fn kernels() -> impl Strategy<Value = Vec<Node>> {
    let leaf = prop_oneof![
        12 => access(),
        1 => Just(Node::Leave(Leave::Trip)),
        1 => Just(Node::Leave(Leave::Function)),
    ];
    let node = leaf.prop_recursive(4, 24, 4, |inner| {
        let list = prop::collection::vec(inner, 0..4);
        prop_oneof![
            4 => (0..7_u64, list.clone()).prop_map(|(trips, body)| Node::Loop { trips, body }),
            2 => prop::collection::vec(list.clone(), 1..3).prop_map(Node::Branch),
            1 => (list.clone(), list.clone())
                .prop_map(|(usual, rare)| Node::Guard { usual, rare }),
            1 => list.prop_map(Node::Call),
        ]
    });
    prop::collection::vec(node, 1..5).prop_map(|nodes| legal(nodes, false, false))
}

/// Loops in loops, with accesses around each that some ways leave out.
fn nests() -> impl Strategy<Value = Vec<Node>> {
    let around = || prop::collection::vec(access(), 0..3);
    let level = (1..9_u64, around(), around(), any::<bool>(), 0..3_u64);
    let levels = prop::collection::vec(level, 1..4);
    (around(), levels, around(), around()).prop_map(|(front, levels, innermost, end)| {
        let mut body = innermost;
        for (trips, before, after, is_avoided, way_round) in levels {
            let mut nodes = vec![repeat(trips, body)];
            if is_avoided {
                nodes = vec![Node::Branch(vec![nodes, vec![other(way_round)]])];
            }
            body = before.into_iter().chain(nodes).chain(after).collect();
        }
        front.into_iter().chain(body).chain(end).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_global_rejects: 100_000, ..ProptestConfig::default() })]

    #[test]
    fn closed_forms_are_those_of_unrolled_loops(kernel in kernels()) {
        check(&kernel)?;
    }

    #[test]
    fn nests_are_as_if_unrolled(kernel in nests()) {
        check(&kernel)?;
    }
}

/// Fields by the paper's names.
const A: usize = 0;
const B: usize = 1;
const C: usize = 2;

#[test]
fn figure_2() {
    let kernel = [repeat(32, vec![read(A), read(B)]), read(C)];
    assert_eq!(distance(&kernel, A, B), Some(4));
    assert_eq!(distance(&kernel, C, B), Some(252));
    assert_eq!(distance(&kernel, C, A), Some(256));
    // `d` is never accessed.
    let found = nearness(&kernel, 4);
    assert_eq!((found.of(3, A), found.of(A, 3)), (None, Some(None)));
}

#[test]
fn a_million_trips_take_no_million_steps() {
    let kernel = |trips| [read(C), repeat(trips, vec![read(A), read(B)]), read(C)];
    // The instance in the middle decides; a few trips show the law.
    for trips in [1, 2, 3, 10, 33] {
        check(&kernel(trips)).expect("as unrolled");
    }
    assert_eq!(distance(&kernel(1_000_000), A, C), Some(4_000_000));
    assert_eq!(distance(&kernel(1_000_001), A, C), Some(4_000_004));
    let inner = repeat(1_000_000, vec![read(A), other(7)]);
    let kernel = [read(C), repeat(512_000, vec![inner, other(5)]), read(C)];
    let half = (512_000_u64 * (11_000_000 + 5) + 4) / 2;
    let found = distance(&kernel, A, C).expect("both are accessed");
    assert!(half.abs_diff(found) <= 11, "{found} near {half}");
    // More than 64 bits.
    let deep = (0..5).fold(vec![read(A)], |body, _| vec![repeat(1_000_000, body)]);
    let kernel: Vec<Node> = deep.into_iter().chain([read(C)]).collect();
    assert_eq!(distance(&kernel, A, C), Some(u64::MAX));
}

#[test]
fn ways_that_exclude_each_other_are_infinitely_apart() {
    let either = [Node::Branch(vec![vec![read(A)], vec![read(B)]])];
    assert_eq!(distance(&either, A, B), None);
    // Another trip may take the other way.
    assert_eq!(distance(&[repeat(2, either.to_vec())], A, B), Some(4));
    let guard = [Node::Branch(vec![vec![Node::Leave(Leave::Function)], vec![]]), read(A), read(B)];
    assert_eq!(distance(&guard, A, B), Some(4));
    let early =
        [Node::Branch(vec![vec![read(A), Node::Leave(Leave::Function)], vec![]]), read(A), read(B)];
    assert_eq!(distance(&early, A, B), None);
}

#[test]
fn no_way_leads_through_what_few_threads_do() {
    let guard = |usual, rare| Node::Guard { usual, rare };
    let loads = guard(vec![other(16)], vec![]);
    assert_eq!(distance(&[read(A), repeat(10, vec![loads]), read(B)], A, B), Some(164));
    let border = guard(vec![other(40)], vec![read(C)]);
    let kernel = [read(A), border, read(B)];
    assert_eq!(distance(&kernel, A, B), Some(44));
    assert_eq!((distance(&kernel, A, C), distance(&kernel, C, B)), (Some(4), Some(4)));
    let all_leave = guard(vec![read(A), Node::Leave(Leave::Function)], vec![]);
    check(&[read(C), all_leave, read(A), read(B)]).expect("as unrolled");
}

#[test]
fn joins_take_the_shorter_way() {
    let ways = Node::Branch(vec![vec![other(400)], vec![other(12)]]);
    assert_eq!(distance(&[read(A), ways, read(B)], A, B), Some(16));
    let call =
        Node::Call(vec![Node::Branch(vec![vec![Node::Leave(Leave::Function)], vec![]]), other(40)]);
    assert_eq!(distance(&[read(A), call, read(B)], A, B), Some(4));
    let skips =
        [read(A), Node::Branch(vec![vec![Node::Leave(Leave::Trip)], vec![]]), other(40), read(B)];
    // The last trip has no `b` behind it on the way that skips, but the one before.
    check(&[repeat(6, skips.to_vec())]).expect("as unrolled");
}

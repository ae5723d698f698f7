//! The solver finds the greatest fixpoint, forward and backward, with and without loops.

use std::collections::BTreeSet;

use layoutc_dataflow::framework::{
    Analysis, ControlFlowGraph, Direction, MeetSemilattice, NodeId, solve,
};
use proptest::prelude::*;

/// Sets under union: "may have happened".
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct May(BTreeSet<u32>);

impl MeetSemilattice for May {
    fn meet(&self, other: &Self) -> Self {
        May(self.0.union(&other.0).copied().collect())
    }
}

/// Each node generates itself and kills what `kills` says.
struct Reaching<'a> {
    direction: Direction,
    kills: &'a [Vec<u32>],
    blocked: Option<(NodeId, NodeId)>,
}

impl Analysis for Reaching<'_> {
    type Fact = May;

    fn direction(&self) -> Direction {
        self.direction
    }

    fn boundary(&self) -> May {
        May(BTreeSet::from([1000]))
    }

    fn transfer(&self, node: NodeId, fact: &May) -> May {
        let mut set = fact.0.clone();
        for killed in &self.kills[node.index()] {
            set.remove(killed);
        }
        set.insert(node.0);
        May(set)
    }

    fn transfer_edge(&self, from: NodeId, to: NodeId, fact: &May) -> May {
        if self.blocked == Some((from, to)) { May::default() } else { fact.clone() }
    }

    fn height(&self) -> usize {
        self.kills.len() + 1
    }
}

fn graph(nodes: u32, edges: &[(u32, u32)]) -> ControlFlowGraph {
    let mut graph = ControlFlowGraph::new();
    for _ in 1..nodes {
        graph.add_node();
    }
    for (from, to) in edges {
        graph.add_edge(NodeId(*from), NodeId(*to));
    }
    graph
}

fn set(items: &[u32]) -> Option<May> {
    Some(May(items.iter().copied().collect()))
}

#[test]
fn a_loop_carries_facts_around() {
    // 0 -> 1 <-> 2, 1 -> 3; 4 is unreachable and leads to 3
    let graph = graph(5, &[(0, 1), (1, 2), (2, 1), (1, 3), (4, 3)]);
    let kills = vec![vec![], vec![0], vec![1000], vec![], vec![]];
    let forward = Reaching { direction: Direction::Forward, kills: &kills, blocked: None };
    let solution = solve(&graph, &forward);
    assert_eq!(solution.before(NodeId(0)).cloned(), set(&[1000]));
    assert_eq!(solution.before(NodeId(1)).cloned(), set(&[0, 1, 2, 1000]));
    assert_eq!(solution.after(NodeId(2)).cloned(), set(&[1, 2]));
    assert_eq!(solution.before(NodeId(3)).cloned(), set(&[1, 2, 1000]));
    assert_eq!(solution.before(NodeId(4)), None, "nothing reaches node 4");
    let backward = Reaching { direction: Direction::Backward, kills: &kills, blocked: None };
    let solution = solve(&graph, &backward);
    assert_eq!(solution.after(NodeId(3)).cloned(), set(&[1000]));
    assert_eq!(solution.before(NodeId(2)).cloned(), set(&[1, 2, 3]));
    assert_eq!(solution.before(NodeId(4)).cloned(), set(&[3, 4, 1000]));
    assert_eq!(graph.reverse_post_order(Direction::Forward)[..2], [NodeId(0), NodeId(1)]);
}

#[test]
fn an_edge_may_hold_facts_back() {
    let graph = graph(3, &[(0, 1), (1, 2)]);
    let blocked = Some((NodeId(0), NodeId(1)));
    let kills = vec![vec![]; 3];
    let analysis = Reaching { direction: Direction::Forward, kills: &kills, blocked };
    assert_eq!(solve(&graph, &analysis).after(NodeId(2)).cloned(), set(&[1, 2]));
}

#[test]
fn an_endless_loop_has_no_exit() {
    let graph = graph(2, &[(0, 1), (1, 1)]);
    let kills = vec![vec![]; 2];
    let analysis = Reaching { direction: Direction::Backward, kills: &kills, blocked: None };
    assert_eq!(solve(&graph, &analysis).before(NodeId(0)), None);
}

type RandomGraph = (u32, Vec<(u32, u32)>, Vec<Vec<u32>>);

fn random_graphs() -> impl Strategy<Value = RandomGraph> {
    (1..12_u32).prop_flat_map(|nodes| {
        (
            Just(nodes),
            prop::collection::vec((0..nodes, 0..nodes), 0..30),
            prop::collection::vec(prop::collection::vec(0..nodes, 0..4), nodes as usize),
        )
    })
}

proptest! {
    #[test]
    fn the_solution_is_that_of_a_round_robin(
        (nodes, edges, kills) in random_graphs(), forward in any::<bool>(),
    ) {
        let direction = if forward { Direction::Forward } else { Direction::Backward };
        let edges: Vec<(u32, u32)> = edges;
        let flow: Vec<(u32, u32)> =
            edges.iter().map(|(from, to)| if forward { (*from, *to) } else { (*to, *from) }).collect();
        let analysis = Reaching { direction, kills: &kills, blocked: None };
        let mut before: Vec<Option<May>> = vec![None; nodes as usize];
        for node in 0..nodes {
            let exit = edges.iter().all(|(from, _)| *from != node);
            if if forward { node == 0 } else { exit } {
                before[node as usize] = Some(analysis.boundary());
            }
        }
        loop {
            let last = before.clone();
            for (from, to) in &flow {
                let Some(fact) = &before[*from as usize] else { continue };
                let fact = analysis.transfer(NodeId(*from), fact);
                let known = &mut before[*to as usize];
                *known = Some(known.as_ref().map_or_else(|| fact.clone(), |known| known.meet(&fact)));
            }
            if last == before {
                break;
            }
        }
        let solution = solve(&graph(nodes, &edges), &analysis);
        for node in 0..nodes {
            let found = if forward { solution.before(NodeId(node)) } else { solution.after(NodeId(node)) };
            prop_assert_eq!(found, before[node as usize].as_ref(), "node {}", node);
        }
    }

    #[test]
    fn the_order_of_a_meet_is_a_partial_order(
        a in prop::collection::btree_set(0..5_u32, 0..5),
        b in prop::collection::btree_set(0..5_u32, 0..5),
    ) {
        let (a, b) = (May(a), May(b));
        prop_assert!(a.is_below(&a) && a.meet(&b).is_below(&a) && a.meet(&b).is_below(&b));
        prop_assert_eq!(a.is_below(&b) && b.is_below(&a), a == b);
    }
}

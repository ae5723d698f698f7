//! Clusters: Figure 3, and laws.

use layoutc_analysis::kdlg::{Distance, Field, Kdlg, partition};
use proptest::prelude::*;

pub fn graph(sizes: &[(&str, u64)], distance: impl FnMut(usize, usize) -> Distance) -> Kdlg {
    let field = |(name, size): &(&str, u64)| Field { name: (*name).to_owned(), size: *size };
    Kdlg::new("S", sizes.iter().map(field).collect(), distance)
}

/// The graph of Figure 2.
pub fn figure_2() -> Kdlg {
    graph(&[("a", 4), ("b", 4), ("c", 4), ("d", 4)], |f, g| match (f, g) {
        (0, 1) => Distance::Bytes(4),
        (1, 2) => Distance::Bytes(252),
        (0, 2) => Distance::Bytes(256),
        _ => Distance::Infinite,
    })
}

#[test]
fn figure_3() {
    let graph = figure_2();
    for epsilon in [0, 1, 4] {
        assert_eq!(partition(&graph, epsilon), [vec![0], vec![1], vec![2], vec![3]], "{epsilon}");
    }
    for epsilon in [5, 64, 128, 252] {
        assert_eq!(partition(&graph, epsilon), [vec![0, 1], vec![2], vec![3]], "{epsilon}");
    }
    // 253 to 256 too, although δ(a, c) is 256.
    for epsilon in [253, 256, 257, u64::MAX] {
        assert_eq!(partition(&graph, epsilon), [vec![0, 1, 2], vec![3]], "{epsilon}");
    }
}

#[test]
fn a_struct_that_moves_as_a_whole_is_one_cluster_above_4_bytes() {
    let bitonic = graph(&[("key", 4), ("x", 4), ("y", 4), ("z", 4)], |f, g| {
        Distance::Bytes(4 * (g - f) as u64)
    });
    assert_eq!(partition(&bitonic, 5), [vec![0, 1, 2, 3]]);
    assert_eq!(partition(&bitonic, 4).len(), 4);
}

proptest! {
    #[test]
    fn clusters_are_the_components_of_near_edges(
        fields in 1..9_usize,
        weights in prop::collection::vec(prop::option::weighted(0.8, 0..60_u64), 36),
        epsilon in 0..64_u64,
    ) {
        let names = ["a"; 9];
        let sizes: Vec<(&str, u64)> = names[..fields].iter().map(|name| (*name, 4)).collect();
        let graph = graph(&sizes, |f, g| {
            weights[g * (g - 1) / 2 + f].map_or(Distance::Infinite, Distance::Bytes)
        });
        let clusters = partition(&graph, epsilon);
        let mut all: Vec<usize> = clusters.concat();
        all.sort_unstable();
        prop_assert_eq!(all, (0..fields).collect::<Vec<_>>());
        prop_assert!(clusters.is_sorted());
        let of = |field| clusters.iter().position(|cluster| cluster.contains(&field));
        let near = |f: usize, g: usize| f != g && graph.distance(f, g) < Distance::Bytes(epsilon);
        for f in 0..fields {
            // By repeated closure, which knows nothing of trees.
            let mut reached = vec![f];
            let mut at = 0;
            while let Some(from) = reached.get(at).copied() {
                let more = (0..fields).filter(|g| near(from, *g) && !reached.contains(g));
                let more: Vec<usize> = more.collect();
                reached.extend(more);
                at += 1;
            }
            for g in 0..fields {
                prop_assert_eq!(of(f) == of(g), reached.contains(&g), "{} and {}", f, g);
            }
        }
    }
}

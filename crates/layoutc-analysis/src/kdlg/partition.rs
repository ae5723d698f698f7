//! The clusters of a graph: fields that are accessed within fewer than ε bytes of each other.
//!
//! Kofler et al., §3.1: Kruskal's algorithm for a minimum spanning tree, ended at the first edge that is not
//! below ε. Clusters are the trees of that forest, so two fields of one may be further apart than ε, with
//! others between them; the paper's text says that no edge of a cluster is as long as ε, its algorithm does not.

use super::graph::{Distance, Kdlg};
use petgraph::unionfind::UnionFind;

/// The fields of each cluster, ascending; clusters in the order of their first fields.
///
/// In `O(|E| log |E|)`.
#[must_use]
pub fn partition(graph: &Kdlg, epsilon: u64) -> Vec<Vec<usize>> {
    let mut edges: Vec<(usize, usize, Distance)> = graph.edges().collect();
    edges.sort_by_key(|(f, g, distance)| (*distance, *f, *g));
    let mut trees = UnionFind::<usize>::new(graph.fields.len());
    for (f, g, _) in edges.iter().take_while(|(.., distance)| *distance < Distance::Bytes(epsilon))
    {
        trees.union(*f, *g);
    }
    let mut clusters: Vec<(usize, Vec<usize>)> = Vec::new();
    for field in 0..graph.fields.len() {
        let tree = trees.find(field);
        match clusters.iter_mut().find(|(own, _)| *own == tree) {
            Some((_, fields)) => fields.push(field),
            None => clusters.push((tree, vec![field])),
        }
    }
    clusters.into_iter().map(|(_, fields)| fields).collect()
}

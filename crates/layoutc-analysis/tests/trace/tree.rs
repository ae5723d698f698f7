//! Field access trees and their clusters.

use crate::make::{Maker, counts, strided, times};
use layoutc_analysis::cost_model::Recording;
use layoutc_analysis::profile::Kind;
use layoutc_analysis::trace::Tree;
use layoutc_analysis::trace::cluster::clusters;
use layoutc_dataflow::layout::RecordShape;
use std::collections::BTreeMap;

const FIELDS: [&str; 11] = ["vx", "vy", "vz", "px", "py", "pz", "ax", "ay", "az", "prs", "dns"];

fn shape(fields: &[&str]) -> RecordShape {
    RecordShape::flat("St", fields.iter().map(|name| (*name, "float", 4, 4, &[][..])))
}

/// A loop: its kernel, its line or 0 for the kernel's body, how often it runs, and its fields.
type Line<'a> = (&'a str, u32, u64, &'a [&'a str]);

/// The tree of loops.
fn tree(fields: &[&str], loops: &[Line]) -> Tree {
    let mut maker = Maker::new("", "St", fields);
    let mut kernels: BTreeMap<&str, u32> = BTreeMap::new();
    let mut lines: BTreeMap<u32, u32> = BTreeMap::new();
    for (kernel, line, count, own) in loops {
        let kernel = *kernels.entry(kernel).or_insert_with(|| maker.kernel(kernel));
        for name in *own {
            let field = fields.iter().position(|field| field == name).expect("a field");
            let access = maker.access(name, 0, field as u32, Kind::Read);
            let mut loop_of = |line: u32| {
                let at = maker.enter("", None);
                maker.profile.loops[at as usize].place.line = line;
                at
            };
            let scope = (*line > 0).then(|| *lines.entry(*line).or_insert_with(|| loop_of(*line)));
            maker.did(kernel, access, scope, times(counts(&strided(1), 44, 0), *count));
        }
    }
    let recording = Recording::of_files(&maker.profile, BTreeMap::new());
    let all: Vec<u32> = (0..maker.profile.instructions.len() as u32).collect();
    Tree::build(&recording, &all, &maker.profile.all_runs(), &shape(fields))
}

fn named(fields: &[&str], tree: &Tree) -> Vec<(u64, String)> {
    let name = |at: &usize| fields[*at];
    let found = clusters(tree, &shape(fields));
    let names = |own: &[usize]| own.iter().map(name).collect::<Vec<_>>().join(" ");
    found.iter().map(|own| (own.count, names(&own.fields))).collect()
}

/// Figures 14 to 18. The counts of Figure 15 are lost; these are ones of a simulation of particles that give
/// the figures: densities from neighbours, forces from neighbours, and a step, of 32 warps with 25 neighbours.
#[test]
fn figures_14_to_18() {
    let hot: [&str; 8] = ["vx", "vy", "vz", "px", "py", "pz", "prs", "dns"];
    let found = tree(
        &FIELDS,
        &[
            ("density", 12, 800, &["px", "py", "pz"]),
            ("density", 0, 32, &["prs", "dns"]),
            ("force", 12, 800, &hot),
            ("force", 0, 32, &["ax", "ay", "az"]),
            ("step", 0, 32, &["vx", "vy", "vz", "px", "py", "pz", "ax", "ay", "az"]),
        ],
    );
    assert_eq!(
        found.to_string(),
        "St\n  density\n    loop at line 12 × 800: px py pz\n    body × 32: prs dns\n  force\n    \
         loop at line 12 × 800: vx vy vz px py pz prs dns\n    body × 32: ax ay az\n  step\n    \
         body × 32: vx vy vz px py pz ax ay az\n"
    );
    // Within a kernel no two counts are equal here.
    let within = found.merged_within_kernels();
    assert_eq!(within, found);
    let across = within.merged_across_kernels();
    assert_eq!(
        across.to_string(),
        "St\n  density\n    body × 32: prs dns\n  density, force\n    \
         loop at line 12 × 800: vx vy vz px py pz prs dns\n  force, step\n    \
         body × 32: vx vy vz px py pz ax ay az\n"
    );
    assert_eq!(
        named(&FIELDS, &across),
        [(800, "vx vy vz px py pz prs dns".to_owned()), (32, "ax ay az".to_owned())]
    );
}

/// Loops of one kernel with equal counts are one; a tenth more or less is equal.
#[test]
fn loops_of_a_kernel_are_merged() {
    let fields = ["a", "b", "c", "d"];
    let found = tree(
        &fields,
        &[("k", 12, 1000, &["a"]), ("k", 0, 905, &["b", "c"]), ("k", 30, 890, &["d"])],
    );
    let within = found.merged_within_kernels();
    let nodes: Vec<(u64, Vec<usize>)> = within
        .nodes
        .iter()
        .map(|node| (node.count, node.fields.iter().copied().collect()))
        .collect();
    assert_eq!(nodes, [(1000, vec![0, 1, 2]), (890, vec![3])]);
}

/// A branch of a loop that is rarely taken is a node of its own.
#[test]
fn rare_branches_are_apart() {
    let fields = ["a", "b"];
    let found = tree(&fields, &[("k", 12, 1000, &["a"]), ("k", 12, 3, &["b"])]);
    assert_eq!(found.nodes.len(), 2);
    assert_eq!(named(&fields, &found), [(1000, "a".to_owned()), (3, "b".to_owned())]);
}

/// Equal counts alone do not join kernels: a field that both access does.
#[test]
fn kernels_are_merged_by_fields() {
    let fields = ["a", "b", "c", "d", "e"];
    let across = |loops: &[Line]| {
        let merged = tree(&fields, loops).merged_within_kernels().merged_across_kernels();
        merged.nodes.len()
    };
    assert_eq!(across(&[("k", 0, 8, &["a"]), ("l", 0, 8, &["b"])]), 2);
    assert_eq!(across(&[("k", 0, 8, &["a", "b"]), ("l", 0, 8, &["b"])]), 1);
    assert_eq!(across(&[("k", 0, 8, &["a", "b"]), ("l", 0, 80, &["b"])]), 2);
    // Through a third.
    let chain: [Line; 3] =
        [("k", 0, 8, &["a", "b"]), ("l", 0, 8, &["c", "d"]), ("m", 0, 8, &["b", "c"])];
    assert_eq!(across(&chain), 1);
}

/// What alignment would pad is filled with what is accessed least; what does not fit stays.
#[test]
fn padding_is_filled() {
    let fields = ["a", "b", "c", "d", "e", "f", "g"];
    let found = tree(
        &fields,
        &[("k", 12, 900, &["a", "b", "c"]), ("k", 0, 30, &["d", "e"]), ("l", 0, 2, &["f"])],
    );
    // `g` is never accessed.
    assert_eq!(named(&fields, &found), [(900, "a b c g".to_owned()), (30, "d e f".to_owned())]);
}

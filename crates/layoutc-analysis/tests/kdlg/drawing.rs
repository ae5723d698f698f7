//! Drawings of graphs.

use super::partition::figure_2;
use layoutc_analysis::kdlg::drawing::{Drawn, dot, svg};

/// The grey of an edge in a text that has `key="#gggggg"` behind its name.
fn grey(text: &str, edge: &str, before: &str) -> u8 {
    let line = text.lines().find(|line| line.contains(edge)).unwrap_or_else(|| panic!("{edge}"));
    let at = line.find(before).unwrap_or_else(|| panic!("{before} in {line}")) + before.len();
    u8::from_str_radix(&line[at..at + 2], 16).expect("a colour")
}

#[test]
fn closer_edges_are_darker() {
    let graph = figure_2();
    let clusters = vec![(vec![0, 1], "soa".to_owned()), (vec![2], "soa".to_owned())];
    let drawn = [Drawn { graph: &graph, title: "S \"quoted\"".to_owned(), clusters }];
    let text = dot(&drawn);
    let edge = |edge| grey(&text, edge, "color = \"#");
    assert!(edge("n0_0 -- n0_1") < edge("n0_1 -- n0_2"));
    assert!(edge("n0_1 -- n0_2") < edge("n0_0 -- n0_3"));
    assert!(text.contains("label = \"S \\\"quoted\\\"\""), "{text}");
    assert!(text.contains("label = \"252\"") && text.contains("σ = 4"), "{text}");
    assert_eq!(text.matches(" -- ").count(), 6);

    let text = svg(&drawn);
    assert_eq!(text.matches("<circle").count(), 4);
    assert_eq!(text.matches("stroke-dasharray").count(), 3);
    assert!(text.contains("δ(a, c) = 256"), "{text}");
    assert_eq!(text, svg(&drawn));
}

//! The field access tree: which fields of a record are accessed in which loops of which kernels, and how
//! often.
//!
//! Source: Nakai, Ohno, §6.1 and §6.2, steps 1 to 3. A [`Node`] is one of the tree's loops, with the fields below
//! it and the kernels above; merging makes nodes of several loops, and at last of several kernels.

use crate::cost_model::Recording;
use crate::profile::{Counts, LEVELS, Totals};
use layoutc_dataflow::layout::{LeafId, RecordShape};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Counts are equal if they differ by at most this part of the greatest: in a real run, guards and the last
/// warps of a launch keep counts apart that are the same loop's.
pub const TOLERANCE: f64 = 0.1;

/// The tree of a record.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Tree {
    /// The record's name.
    pub record: String,
    /// The names of its fields.
    pub fields: Vec<String>,
    /// The loops, by kernel and then by falling count.
    pub nodes: Vec<Node>,
}

/// Loops with one count, and the fields that are accessed in them.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Node {
    /// The kernels, by name.
    pub kernels: BTreeSet<String>,
    /// The loops: `loop at line 12`, or `body`.
    pub loops: BTreeSet<String>,
    /// How often warps execute accesses to the record there: the greatest count of its fields.
    pub count: u64,
    /// The fields, as positions in [`Tree::fields`].
    pub fields: BTreeSet<usize>,
    /// The fields by what is written in front of them: `p[j]` for `p[j].x` and `p[j].y`. What has one text in one
    /// loop is, most of the time, one element.
    pub sites: Sites,
    /// Different values of `index >> k` that a warp accesses each time, for each `k`: means.
    pub blocks: [f64; LEVELS],
}

impl Node {
    /// Takes another node's loops and fields.
    fn take(&mut self, other: &Node) {
        let (own, others) = (self.count as f64, other.count as f64);
        if own + others > 0.0 {
            for (mean, another) in self.blocks.iter_mut().zip(other.blocks) {
                *mean = (*mean * own + another * others) / (own + others);
            }
        }
        self.kernels.extend(other.kernels.iter().cloned());
        self.loops.extend(other.loops.iter().cloned());
        self.fields.extend(&other.fields);
        for (text, fields) in &other.sites {
            self.sites.entry(text.clone()).or_default().extend(fields);
        }
        self.count = self.count.max(other.count);
    }

    /// The fields as leaves.
    #[must_use]
    pub fn leaves(&self) -> Vec<LeafId> {
        self.fields.iter().map(|at| LeafId(*at as u32)).collect()
    }
}

impl Tree {
    /// Step 1: the tree of what some instructions did.
    #[must_use]
    pub fn build(
        recording: &Recording,
        instructions: &[u32],
        totals: &Totals,
        shape: &RecordShape,
    ) -> Tree {
        let profile = recording.profile();
        let mut found: BTreeMap<(u32, Option<u32>), BTreeMap<LeafId, Counts>> = BTreeMap::new();
        let mut texts: BTreeMap<(u32, Option<u32>), Sites> = BTreeMap::new();
        for ((kernel, instruction, scope), counts) in &totals.accesses {
            if counts.requests == 0 || instructions.binary_search(instruction).is_err() {
                continue;
            }
            let fields = found.entry((*kernel, *scope)).or_default();
            let texts = texts.entry((*kernel, *scope)).or_default();
            let text = &profile.instructions[*instruction as usize].text;
            for leaf in recording.leaves(*instruction, shape) {
                let element = element_text(text, &shape.leaf(leaf).path);
                texts.entry(element.to_owned()).or_default().insert(leaf.index());
                let own = fields.entry(leaf).or_default();
                // Several accesses to one field are not more executions of the loop.
                if counts.requests > own.requests {
                    *own = *counts;
                }
            }
        }
        let mut nodes = Vec::new();
        for ((kernel, scope), fields) in found {
            let texts = &texts[&(kernel, scope)];
            let counts: Vec<u64> = fields.values().map(|counts| counts.requests).collect();
            let kinds = levels(&counts);
            let kernel = profile.kernels[kernel as usize].name.clone();
            let place = scope.map(|at| &profile.loops[at as usize].place);
            let name = place.map_or("body".to_owned(), |at| format!("loop at line {}", at.line));
            for level in kinds.iter().copied().collect::<BTreeSet<usize>>() {
                let own = fields.iter().zip(&kinds).filter(|(_, kind)| **kind == level);
                let own: Vec<(LeafId, Counts)> =
                    own.map(|((leaf, counts), _)| (*leaf, *counts)).collect();
                let requests: u64 = own.iter().map(|(_, counts)| counts.requests).sum();
                let fields: BTreeSet<usize> = own.iter().map(|(leaf, _)| leaf.index()).collect();
                let sites = texts.iter().map(|(text, all)| (text.clone(), &fields & all));
                let blocks = |level: usize| -> f64 {
                    let sum: u64 = own.iter().map(|(_, counts)| counts.blocks[level]).sum();
                    sum as f64 / requests.max(1) as f64
                };
                nodes.push(Node {
                    kernels: BTreeSet::from([kernel.clone()]),
                    loops: BTreeSet::from([name.clone()]),
                    count: own.iter().map(|(_, counts)| counts.requests).max().unwrap_or(0),
                    sites: sites.filter(|(_, fields)| !fields.is_empty()).collect(),
                    fields,
                    blocks: std::array::from_fn(blocks),
                });
            }
        }
        let fields = shape.leaves.iter().map(|leaf| leaf.path.clone()).collect();
        Tree { record: shape.name.clone(), fields, nodes }.sorted()
    }

    fn sorted(mut self) -> Tree {
        self.nodes.sort_by(|a, b| {
            let key = |node: &Node| (node.kernels.clone(), std::cmp::Reverse(node.count));
            key(a).cmp(&key(b)).then_with(|| a.loops.cmp(&b.loops))
        });
        self
    }

    /// Step 2: loops of one kernel with equal counts become one.
    #[must_use]
    pub fn merged_within_kernels(&self) -> Tree {
        let mut merged: Vec<Node> = Vec::new();
        for kernel in self.nodes.chunk_by(|a, b| a.kernels == b.kernels) {
            let counts: Vec<u64> = kernel.iter().map(|node| node.count).collect();
            let mut by_level: BTreeMap<usize, Node> = BTreeMap::new();
            for (node, level) in kernel.iter().zip(levels(&counts)) {
                match by_level.get_mut(&level) {
                    Some(own) => own.take(node),
                    None => {
                        by_level.insert(level, node.clone());
                    }
                }
            }
            merged.extend(by_level.into_values());
        }
        Tree { nodes: merged, ..self.clone() }.sorted()
    }

    /// Step 3: loops of different kernels with equal counts that share a field become one, and so do those
    /// that share one with them.
    #[must_use]
    pub fn merged_across_kernels(&self) -> Tree {
        let counts: Vec<u64> = self.nodes.iter().map(|node| node.count).collect();
        let mut parts: Vec<(usize, Node)> = Vec::new();
        for (node, level) in self.nodes.iter().zip(levels(&counts)) {
            let mut own = node.clone();
            // What meets this one becomes one with it.
            parts.retain(|(other_level, other)| {
                let meets = *other_level == level
                    && other.kernels != node.kernels
                    && !other.fields.is_disjoint(&node.fields);
                if meets {
                    own.take(other);
                }
                !meets
            });
            parts.push((level, own));
        }
        let nodes = parts.into_iter().map(|(_, node)| node).collect();
        Tree { nodes, ..self.clone() }.sorted()
    }
}

/// Fields by texts of elements.
pub type Sites = BTreeMap<String, BTreeSet<usize>>;

/// The text of the element in that of an access to a field: `p[j]` in `p[j].pos.x`.
fn element_text<'t>(text: &'t str, path: &str) -> &'t str {
    let member = path.split(['.', '[']).next().unwrap_or(path);
    let before = |(at, _): (usize, &str)| {
        let front = text[..at].trim_end();
        front.strip_suffix("->").or_else(|| front.strip_suffix('.'))
    };
    text.rmatch_indices(member).find_map(before).unwrap_or(text).trim_end()
}

/// Which counts are equal: the greatest is in level 0 with all that are near it, the next in level 1.
fn levels(counts: &[u64]) -> Vec<usize> {
    let mut sorted = counts.to_vec();
    sorted.sort_unstable_by_key(|count| std::cmp::Reverse(*count));
    let mut greatest: Vec<u64> = Vec::new();
    for count in sorted {
        let is_near = |first: &u64| count as f64 >= *first as f64 * (1.0 - TOLERANCE);
        if !greatest.last().is_some_and(is_near) {
            greatest.push(count);
        }
    }
    let level = |count: &u64| greatest.partition_point(|first| first >= count).saturating_sub(1);
    counts.iter().map(level).collect()
}

impl fmt::Display for Tree {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{}", self.record)?;
        for kernel in self.nodes.chunk_by(|a, b| a.kernels == b.kernels) {
            let list = |names: &BTreeSet<String>| {
                names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
            };
            writeln!(out, "  {}", list(&kernel[0].kernels))?;
            for node in kernel {
                let fields = node.fields.iter().map(|at| self.fields[*at].as_str());
                let fields = fields.collect::<Vec<_>>().join(" ");
                writeln!(out, "    {} × {}: {fields}", list(&node.loops), node.count)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_elements() {
        let texts = [
            ("p[j].x", "x", "p[j]"),
            ("x[x.x] . x", "x", "x[x.x]"),
            ("self->velocity", "velocity.x", "self"),
            ("c.neighbours[3].f [q]", "f", "c.neighbours[3]"),
            ("(*it).pos.x", "pos.x", "(*it)"),
            ("p[i]", "x", "p[i]"),
        ];
        for (text, path, element) in texts {
            assert_eq!(element_text(text, path), element);
        }
    }
}

//! Makes a failing case small.
//!
//! Parts of the tree are dropped as long as the case fails with the same kind and cause. A part
//! goes together with everything that mentions the names it declares. Candidates that are no
//! programs any more fail in another way, so they are not taken.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::layouts::{Form, Layouts};
use super::program::{Kind, Node, RandomProgram};
use super::text::Symbol;

/// A position in the tree: the child to take at each level.
type Path = Vec<usize>;

/// Reduces a case; `fails` says whether a candidate still fails in the same way.
pub fn reduce(
    program: &RandomProgram,
    layouts: &Layouts,
    limit: Duration,
    fails: &mut dyn FnMut(&RandomProgram, &Layouts) -> bool,
) -> (RandomProgram, Layouts) {
    let mut state = State {
        program: program.clone(),
        layouts: layouts.clone(),
        end: Instant::now() + limit,
        fails,
    };
    loop {
        let before = state.measure();
        state.drop_nodes(&[Kind::Unit]);
        state.drop_runs();
        state.drop_layouts();
        state.drop_lists();
        state.drop_nodes(&[Kind::Function, Kind::Record]);
        state.drop_nodes(&[Kind::Whole, Kind::Block, Kind::Line, Kind::Field]);
        state.unwrap_blocks();
        state.cut_values();
        state.simplify_layouts();
        if state.measure() == before || Instant::now() > state.end {
            return (state.program, state.layouts);
        }
    }
}

struct State<'a> {
    program: RandomProgram,
    layouts: Layouts,
    end: Instant,
    fails: &'a mut dyn FnMut(&RandomProgram, &Layouts) -> bool,
}

impl State<'_> {
    fn measure(&self) -> (usize, usize, usize) {
        (self.program.text().len(), self.layouts.entries.len(), self.program.runs.len())
    }

    fn try_program(&mut self, candidate: RandomProgram) -> bool {
        let layouts = self.layouts.clone();
        self.accept(candidate, layouts)
    }

    fn accept(&mut self, candidate: RandomProgram, layouts: Layouts) -> bool {
        let taken = Instant::now() < self.end && (self.fails)(&candidate, &layouts);
        if taken {
            (self.program, self.layouts) = (candidate, layouts);
        }
        taken
    }

    fn drop_runs(&mut self) {
        for n in self.program.runs.clone() {
            if self.program.runs.len() > 1 {
                let mut candidate = self.program.clone();
                candidate.runs.retain(|run| *run != n);
                self.try_program(candidate);
            }
        }
    }

    fn drop_layouts(&mut self) {
        for entry in self.layouts.entries.clone() {
            let mut fewer = self.layouts.clone();
            fewer.entries.retain(|other| *other != entry);
            if !fewer.entries.is_empty() {
                let program = self.program.clone();
                self.accept(program, fewer);
            }
        }
    }

    fn simplify_layouts(&mut self) {
        for at in 0..self.layouts.entries.len() {
            for simple in ["soa", "tiled(2)", "aos align(16)"] {
                let mut other = self.layouts.clone();
                if matches!(other.entries[at].form, Form::Whole(_)) && simple != "soa" {
                    break;
                }
                if other.entries[at].form == Form::Whole(simple.to_owned()) {
                    break;
                }
                other.entries[at].form = Form::Whole(simple.to_owned());
                let program = self.program.clone();
                if self.accept(program, other) {
                    break;
                }
            }
        }
    }

    /// Halves, quarters, … of long lists of children.
    fn drop_lists(&mut self) {
        for path in self.paths(&[Kind::Unit, Kind::Function, Kind::Frame]) {
            let Some(length) = node(&self.program.nodes, &path).map(|node| node.body.len()) else {
                continue;
            };
            let mut size = length / 2;
            while size > 1 {
                let mut start = 0;
                while let Some(found) = node(&self.program.nodes, &path) {
                    let length = found.body.len();
                    if start >= length {
                        break;
                    }
                    let range: Vec<Path> = (start..(start + size).min(length))
                        .map(|at| [path.as_slice(), &[at]].concat())
                        .collect();
                    let candidate = without(&self.program, &range);
                    if !self.try_program(candidate) {
                        start += size;
                    }
                }
                size /= 2;
            }
        }
    }

    fn drop_nodes(&mut self, kinds: &[Kind]) {
        // From the end: uses stand behind declarations.
        let mut paths = self.paths(kinds);
        while let Some(path) = paths.pop() {
            if node(&self.program.nodes, &path).is_some_and(|node| kinds.contains(&node.kind)) {
                let candidate = without(&self.program, &[path]);
                if self.try_program(candidate) {
                    let known: BTreeSet<Path> = self.paths(kinds).into_iter().collect();
                    paths.retain(|path| known.contains(path));
                }
            }
        }
    }

    fn unwrap_blocks(&mut self) {
        let mut paths = self.paths(&[Kind::Block, Kind::Whole, Kind::Unit]);
        while let Some(path) = paths.pop() {
            let Some(found) = node(&self.program.nodes, &path).cloned() else {
                continue;
            };
            // The names of other namespaces are said where something is used.
            if found.kind == Kind::Unit && !found.is_anonymous() {
                continue;
            }
            let mut candidate = self.program.clone();
            let (last, parent) = (path[path.len() - 1], &path[..path.len() - 1]);
            if let Some(siblings) = children(&mut candidate.nodes, parent) {
                siblings.splice(last..=last, found.body);
                self.try_program(candidate);
            }
        }
    }

    fn cut_values(&mut self) {
        for path in self.paths(&[Kind::Block, Kind::Whole, Kind::Line, Kind::Frame]) {
            let mut at = 0;
            while let Some(found) = node(&self.program.nodes, &path) {
                if at >= found.head.values() {
                    break;
                }
                let mut candidate = self.program.clone();
                if let Some(found) = node_mut(&mut candidate.nodes, &path) {
                    found.head.cut(at);
                }
                if !self.try_program(candidate) {
                    at += 1;
                }
            }
        }
    }

    /// All nodes of some kinds, in the order of the text.
    fn paths(&self, kinds: &[Kind]) -> Vec<Path> {
        let mut out = Vec::new();
        collect(&self.program.nodes, kinds, &mut Vec::new(), &mut out);
        out
    }
}

fn collect(nodes: &[Node], kinds: &[Kind], path: &mut Path, out: &mut Vec<Path>) {
    for (at, node) in nodes.iter().enumerate() {
        path.push(at);
        if kinds.contains(&node.kind) {
            out.push(path.clone());
        }
        collect(&node.body, kinds, path, out);
        path.pop();
    }
}

fn node<'n>(nodes: &'n [Node], path: &[usize]) -> Option<&'n Node> {
    let (first, rest) = path.split_first()?;
    let found = nodes.get(*first)?;
    if rest.is_empty() { Some(found) } else { node(&found.body, rest) }
}

fn node_mut<'n>(nodes: &'n mut [Node], path: &[usize]) -> Option<&'n mut Node> {
    let (first, rest) = path.split_first()?;
    let found = nodes.get_mut(*first)?;
    if rest.is_empty() { Some(found) } else { node_mut(&mut found.body, rest) }
}

fn children<'n>(nodes: &'n mut Vec<Node>, path: &[usize]) -> Option<&'n mut Vec<Node>> {
    if path.is_empty() { Some(nodes) } else { node_mut(nodes, path).map(|node| &mut node.body) }
}

/// The program without some nodes and without what mentions their names.
fn without(program: &RandomProgram, paths: &[Path]) -> RandomProgram {
    let mut out = program.clone();
    let mut gone = BTreeSet::new();
    // From behind, so that the other paths stay valid.
    let mut paths = paths.to_vec();
    paths.sort();
    for path in paths.iter().rev() {
        let (last, parent) = (path[path.len() - 1], &path[..path.len() - 1]);
        if let Some(siblings) = children(&mut out.nodes, parent)
            && last < siblings.len()
        {
            let removed = siblings.remove(last);
            declared(&removed, &mut gone);
        }
    }
    loop {
        let known = gone.len();
        drop_mentions(&mut out.nodes, &mut gone);
        if gone.len() == known {
            break;
        }
    }
    for target in &mut out.targets {
        target.fields.retain(|field| !gone.contains(field));
        target.arrays.retain(|(run, variable)| !gone.contains(run) && !gone.contains(variable));
    }
    out.targets.retain(|target| !gone.contains(&target.record));
    out.drop_unused();
    out
}

fn declared(node: &Node, out: &mut BTreeSet<Symbol>) {
    out.extend(node.declares.iter().copied());
    for child in &node.body {
        declared(child, out);
    }
}

fn drop_mentions(nodes: &mut Vec<Node>, gone: &mut BTreeSet<Symbol>) {
    nodes.retain_mut(|node| {
        if gone.iter().any(|symbol| node.mentions(*symbol)) {
            declared(node, gone);
            return false;
        }
        drop_mentions(&mut node.body, gone);
        true
    });
}

#[cfg(test)]
mod tests {
    use super::super::generate::{Size, generate};
    use super::super::rng::Random;
    use super::*;

    #[test]
    fn what_fails_stays_and_the_rest_goes() {
        let fails = |program: &RandomProgram, layouts: &Layouts| {
            let text = program.text();
            text.contains("__syncthreads") && text.contains("<<<") && !layouts.entries.is_empty()
        };
        // What a seed gives changes with the generator.
        let (program, layouts) = (1..100)
            .map(|seed| {
                let program = generate(seed, Size { units: 4, kernels: 4 });
                let layouts = Layouts::random(&program, "mixed", &mut Random::new(2));
                (program, layouts)
            })
            .find(|(program, layouts)| fails(program, layouts))
            .expect("one of a hundred programs has a barrier");
        let limit = Duration::from_secs(60);
        let (small, layouts) = reduce(&program, &layouts, limit, &mut { fails });
        assert!(small.text().contains("__syncthreads"));
        assert!(small.size() < 25, "{}\n{}", small.size(), small.text());
        assert_eq!((layouts.entries.len(), small.runs.len()), (1, 1));
    }
}

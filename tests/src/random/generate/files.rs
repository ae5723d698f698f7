//! Programs of several files.
//!
//! What one file uses of another goes into a header: types, macros and device functions as they
//! are, kernels and some host functions as declarations. So does some of what no other file uses.
//! No device code is linked across files, which nvcc does only where it is asked to.

use std::collections::{BTreeMap, BTreeSet};

use super::spaces;
use crate::random::program::{Kind, Node};
use crate::random::rng::Random;
use crate::random::text::{Piece, Symbol, Text};

const HEADER: &str = "program.cuh";
const ROOTS: [&str; 3] = ["first.cu", "second.cu", "main.cu"];
/// How many units in a hundred have an anonymous namespace.
const HIDDEN: usize = 20;
/// What a function in a header begins with.
const INLINE: [&str; 2] = ["static inline ", "inline "];

/// The parts of a program, and what the files need to know of them.
pub(super) struct Parts {
    /// What all programs begin with.
    pub(super) head: Node,
    /// The units in their order.
    pub(super) units: Vec<Node>,
    /// `main`.
    pub(super) main: Node,
    /// The host functions that `main` calls.
    pub(super) runs: BTreeSet<Symbol>,
    /// The kernels that are no templates.
    pub(super) kernels: BTreeSet<Symbol>,
    /// Arrays on the device: each file would have one of its own.
    pub(super) tables: BTreeSet<Symbol>,
}

/// A node of a unit: the unit, and the position in it.
type At = (usize, usize);

impl Default for Parts {
    fn default() -> Self {
        let none = || Node::new(Kind::Frame, "", Vec::new(), "");
        Parts {
            head: none(),
            units: Vec::new(),
            main: none(),
            runs: BTreeSet::new(),
            kernels: BTreeSet::new(),
            tables: BTreeSet::new(),
        }
    }
}

impl Parts {
    /// The program as one file, and the units with anonymous namespaces.
    pub(super) fn joined(mut self, random: &mut Random) -> (Vec<Node>, BTreeSet<usize>) {
        let mut hidden = BTreeSet::new();
        for (number, unit) in self.units.iter_mut().enumerate() {
            if random.chance(HIDDEN) && spaces::hide(unit, &self.runs, &self.kernels, random) {
                hidden.insert(number);
            }
        }
        let mut nodes = vec![self.head];
        nodes.extend(self.units);
        nodes.push(self.main);
        (nodes, hidden)
    }

    /// The program as a header and two or three files, and the units with anonymous namespaces.
    pub(super) fn split(self, random: &mut Random) -> (Vec<Node>, BTreeSet<usize>) {
        // The last one has `main`, and all of them have a unit if there are enough.
        let first = ROOTS.len() - random.between(2, ROOTS.len());
        let mut roots: Vec<usize> =
            (0..self.units.len()).map(|_| random.between(first, 2)).collect();
        for (unit, root) in (first..ROOTS.len()).enumerate() {
            if let Some(own) = roots.get_mut(unit) {
                *own = root;
            }
        }
        let split = Split { parts: &self, uses: uses(&self.units) };
        let shared = split.shared(&roots, random);
        let mut header = vec![header_head(&self.head)];
        let mut files: BTreeMap<usize, Vec<Node>> = BTreeMap::new();
        files.entry(ROOTS.len() - 1).or_default();
        let mut hidden = BTreeSet::new();
        for (number, unit) in self.units.iter().enumerate() {
            let (declared, own) = split.unit(number, &shared, random);
            let mut own = Node { body: own, ..unit.clone() };
            let outer = split.outer(&shared);
            if random.chance(HIDDEN) && spaces::hide(&mut own, &outer, &self.kernels, random) {
                hidden.insert(number);
            }
            header.push(Node { body: declared, ..unit.clone() });
            files.entry(roots[number]).or_default().push(own);
        }
        let mut nodes = vec![Node::new(Kind::File(HEADER), "", header, "")];
        for (root, units) in files {
            let mut body = vec![frame(&format!("#include \"{HEADER}\""))];
            body.extend(units);
            if root == ROOTS.len() - 1 {
                body.push(self.main.clone());
            }
            nodes.push(Node::new(Kind::File(ROOTS[root]), "", body, ""));
        }
        (nodes, hidden)
    }
}

fn frame(text: &str) -> Node {
    Node::new(Kind::Frame, text, Vec::new(), "")
}

/// What all programs begin with, as a header has it: not every file calls each of its functions.
fn header_head(head: &Node) -> Node {
    let change = |piece: &Piece| match piece {
        Piece::Plain(text) => {
            let text = text.replace("\nstatic ", "\nstatic inline ");
            Piece::Plain(format!("#pragma once\n{text}"))
        }
        Piece::Name(_) | Piece::Value(_) => piece.clone(),
    };
    Node { head: Text(head.head.0.iter().map(change).collect()), ..head.clone() }
}

/// The names that a node declares, inside of it too.
fn declared(node: &Node, out: &mut BTreeSet<Symbol>) {
    out.extend(node.declares.iter().copied());
    node.body.iter().for_each(|child| declared(child, out));
}

/// All names in a node.
fn mentioned(node: &Node, out: &mut BTreeSet<Symbol>) {
    node.head.symbols(out);
    node.tail.symbols(out);
    node.body.iter().for_each(|child| mentioned(child, out));
}

/// Who declares what: the nodes of each name.
fn uses(units: &[Node]) -> BTreeMap<Symbol, Vec<At>> {
    let mut out: BTreeMap<Symbol, Vec<At>> = BTreeMap::new();
    for (unit, node) in units.iter().enumerate() {
        for (at, child) in node.body.iter().enumerate() {
            let mut names = BTreeSet::new();
            declared(child, &mut names);
            for name in names {
                out.entry(name).or_default().push((unit, at));
            }
        }
    }
    out
}

struct Split<'p> {
    parts: &'p Parts,
    uses: BTreeMap<Symbol, Vec<At>>,
}

impl Split<'_> {
    fn node(&self, (unit, at): At) -> &Node {
        &self.parts.units[unit].body[at]
    }

    fn is_one_of(&self, at: At, symbols: &BTreeSet<Symbol>) -> bool {
        self.node(at).declares.iter().any(|symbol| symbols.contains(symbol))
    }

    /// What goes into the header, and whether only as a declaration.
    fn shared(&self, roots: &[usize], random: &mut Random) -> BTreeMap<At, bool> {
        let mut shared = BTreeMap::new();
        let all = || {
            let units = self.parts.units.iter().enumerate();
            units.flat_map(|(unit, node)| (0..node.body.len()).map(move |at| (unit, at)))
        };
        for at in all() {
            let mut names = BTreeSet::new();
            mentioned(self.node(at), &mut names);
            let elsewhere = names.iter().filter_map(|name| self.uses.get(name)).flatten();
            for other in elsewhere.filter(|other| roots[other.0] != roots[at.0]) {
                self.add(*other, &mut shared, random);
            }
        }
        for (unit, _) in self.parts.units.iter().enumerate() {
            if random.chance(50) {
                continue;
            }
            for at in all().filter(|at| at.0 == unit) {
                let percent = match self.node(at).kind {
                    Kind::Record => 60,
                    Kind::Function => 25,
                    _ => 0,
                };
                if random.chance(percent) && !self.is_one_of(at, &self.parts.runs) {
                    let mut more = shared.clone();
                    if self.add(at, &mut more, random) {
                        shared = more;
                    }
                }
            }
        }
        shared
    }

    /// Adds a node and what it needs; whether all of it may stand in a header.
    fn add(&self, at: At, shared: &mut BTreeMap<At, bool>, random: &mut Random) -> bool {
        if shared.contains_key(&at) {
            return true;
        }
        if self.is_one_of(at, &self.parts.tables) || self.is_one_of(at, &self.parts.runs) {
            return false;
        }
        let node = self.node(at);
        let is_kernel = self.is_one_of(at, &self.parts.kernels);
        let only_declared = is_kernel || (is_host_function(node) && random.chance(50));
        shared.insert(at, only_declared);
        let mut names = BTreeSet::new();
        if only_declared {
            node.head.symbols(&mut names);
        } else {
            mentioned(node, &mut names);
        }
        let mut needed: Vec<At> =
            names.iter().filter_map(|name| self.uses.get(name)).flatten().copied().collect();
        // What declares nothing belongs to what is in front of it: members that a struct declares.
        let siblings = &self.parts.units[at.0].body;
        let behind = (at.1 + 1..siblings.len()).take_while(|at| siblings[*at].declares.is_empty());
        needed.extend(behind.map(|behind| (at.0, behind)));
        // All of it, though one may be missing: what is needed in any case is added as far as it goes.
        let mut fits = true;
        for other in needed {
            fits &= self.add(other, shared, random);
        }
        fits
    }

    /// What is declared in the header, or is called from `main`.
    fn outer(&self, shared: &BTreeMap<At, bool>) -> BTreeSet<Symbol> {
        let declared = shared.keys().flat_map(|at| &self.node(*at).declares);
        declared.chain(&self.parts.runs).copied().collect()
    }

    /// A unit's nodes in the header, and those in its file.
    fn unit(
        &self,
        number: usize,
        shared: &BTreeMap<At, bool>,
        random: &mut Random,
    ) -> (Vec<Node>, Vec<Node>) {
        let (mut header, mut own) = (Vec::new(), Vec::new());
        for (at, node) in self.parts.units[number].body.iter().enumerate() {
            let is_run = self.is_one_of((number, at), &self.parts.runs);
            match shared.get(&(number, at)) {
                Some(false) => header.push(self.inline(node, random)),
                Some(true) => {
                    header.push(declaration(node));
                    own.push(external(node));
                }
                None if is_run => {
                    header.push(declaration(node));
                    own.push(external(node));
                }
                None => own.push(node.clone()),
            }
        }
        (header, own)
    }

    /// A definition as a header has it: a function may be in several files, and be called in none.
    fn inline(&self, node: &Node, random: &mut Random) -> Node {
        // Macros stand for qualifiers.
        let spell = |symbol| {
            let known = self.uses.get(&symbol).and_then(|nodes| nodes.first());
            let known = known.map(|at| self.node(*at)).filter(|node| starts_with(node, "#define"));
            let text = known.map(|node| plain(&node.head, &|_| String::new()));
            text.map_or_else(String::new, |text| text.replacen("#define", "", 1))
        };
        let head = plain(&node.head, &spell);
        let head = head.trim_start();
        let is_line = node.kind == Kind::Line && head.contains(") {");
        let is_function = node.kind == Kind::Function || is_line;
        let is_other =
            ["#define", "struct ", "template"].iter().any(|start| head.starts_with(start));
        if !is_function || is_other || head.contains("inline") {
            return node.clone();
        }
        let old = if head.starts_with("static ") { "static " } else { "" };
        with_start(node, old, INLINE[random.below(INLINE.len())])
    }
}

fn plain(text: &Text, spell: &dyn Fn(Symbol) -> String) -> String {
    let mut out = String::new();
    text.write(spell, &mut out);
    out
}

/// Whether it is a function for the host alone.
fn is_host_function(node: &Node) -> bool {
    node.kind == Kind::Function && starts_with(node, "static void ")
}

fn starts_with(node: &Node, start: &str) -> bool {
    matches!(node.head.0.first(), Some(Piece::Plain(text)) if text.starts_with(start))
}

/// The node without something in front of it, or with something else.
fn with_start(node: &Node, old: &str, new: &str) -> Node {
    let mut node = node.clone();
    match node.head.0.first_mut() {
        Some(Piece::Plain(text)) if text.starts_with(old) => {
            *text = format!("{new}{}", &text[old.len()..]);
        }
        _ if old.is_empty() => node.head.0.insert(0, Piece::Plain(new.to_owned())),
        _ => {}
    }
    node
}

/// A function that other files may call.
fn external(node: &Node) -> Node {
    with_start(node, "static ", "")
}

/// The declaration of a function.
fn declaration(node: &Node) -> Node {
    let mut head = Vec::new();
    for piece in &external(node).head.0 {
        if let Piece::Plain(text) = piece
            && let Some((before, _)) = text.split_once(" {")
        {
            head.push(Piece::Plain(format!("{before};")));
            break;
        }
        head.push(piece.clone());
    }
    // A function, so that its parameters do not count as read.
    Node { kind: Kind::Function, head: Text(head), ..Node::line("") }
}

#[cfg(test)]
mod tests {
    use crate::random::generate::{Size, generate};

    #[test]
    fn some_programs_are_several_files_that_share_a_header() {
        let programs = || (1..60).map(|seed| generate(seed, Size { units: 4, kernels: 2 }));
        let several: Vec<_> = programs().filter(|program| program.sources().0.len() > 1).collect();
        assert!((10..40).contains(&several.len()), "{}", several.len());
        for program in &several {
            let sources = program.sources();
            assert_eq!(sources.0[0].name, super::HEADER);
            assert!(sources.0[0].text.starts_with("#pragma once\n"));
            assert!(sources.roots().count() > 1 && sources.roots().last() == Some("main.cu"));
            assert!(program.units.iter().all(|unit| unit.features.contains("several-files")));
        }
        let headers = || several.iter().map(|program| program.sources().0[0].text.clone());
        assert!(headers().any(|text| text.contains("__global__ void") && text.contains("struct ")));
        for feature in ["anonymous-namespace", "inline-namespace"] {
            let has = |program: &super::super::RandomProgram| {
                program.units.iter().any(|unit| unit.features.contains(feature))
            };
            assert!(programs().any(|program| has(&program)), "{feature}");
        }
    }
}

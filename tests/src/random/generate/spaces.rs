//! Namespaces of units. In an inline or anonymous one, a program does what it does without it.

use std::collections::{BTreeMap, BTreeSet};

use super::{Generator, Unit};
use crate::random::names::Role;
use crate::random::program::{ANONYMOUS, Kind, Node};
use crate::random::rng::Random;
use crate::random::text::{Piece, Symbol};

/// What an anonymous namespace holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Held {
    /// All but the host function.
    All,
    /// The structs alone.
    Records,
    /// The kernels alone.
    Kernels,
}

impl Generator {
    /// A unit in its namespaces, and what stands in front of its names in `main`.
    pub(super) fn in_namespaces(&mut self, unit: &mut Unit, random: &mut Random) -> (Node, String) {
        let nodes = std::mem::take(&mut unit.nodes);
        let is_inline = random.chance(if unit.inner_namespace.is_some() { 50 } else { 12 });
        let (head, tail, space) = match (unit.namespace, unit.inner_namespace) {
            (None, _) if is_inline => {
                let name = self.named(Role::Global, &format!("v{}", unit.number));
                unit.namespace = Some(name);
                (format!("inline namespace {name} {{"), "}", String::new())
            }
            (None, _) => (String::new(), "", String::new()),
            (Some(outer), None) => (format!("namespace {outer} {{"), "}", format!("{outer}::")),
            (Some(outer), Some(inner)) => {
                let inline = if is_inline { "inline " } else { "" };
                let is_named = !is_inline || random.chance(50);
                let space = if is_named { format!("{inner}::") } else { String::new() };
                let head = format!("namespace {outer} {{\n{inline}namespace {inner} {{");
                (head, "}\n}", format!("{outer}::{space}"))
            }
        };
        if head.contains("inline ") {
            unit.feature("inline-namespace");
        }
        let mut node = Node::new(Kind::Unit, &head, nodes, tail);
        node.declares.extend(unit.namespace);
        node.declares.extend(unit.inner_namespace);
        (node, space)
    }
}

/// Moves some of a unit into anonymous namespaces; whether there is one then.
///
/// The names in `outer` are of several files, and stay where they are.
pub(super) fn hide(
    unit: &mut Node,
    outer: &BTreeSet<Symbol>,
    kernels: &BTreeSet<Symbol>,
    random: &mut Random,
) -> bool {
    // nvcc takes the two for one where another anonymous namespace is around the inline one.
    if unit.head.0.first() == Some(&Piece::Plain("inline namespace ".to_owned())) {
        return false;
    }
    let held = *random.pick(&[Held::All, Held::Records, Held::Kernels]);
    // Of several functions of a name, one may have no use: that is no function to be warned of
    // as long as another file could call it.
    let mut known: BTreeMap<Symbol, usize> = BTreeMap::new();
    for symbol in unit.body.iter().flat_map(|node| &node.declares) {
        *known.entry(*symbol).or_default() += 1;
    }
    let stays = |symbol: &Symbol| outer.contains(symbol) || known[symbol] > 1;
    let mut nodes = Vec::new();
    let mut inside = Vec::new();
    let mut is_hidden = false;
    for node in std::mem::take(&mut unit.body) {
        // What declares nothing belongs to what is in front of it.
        if !node.declares.is_empty() {
            let is_held = match held {
                Held::All => true,
                Held::Records => node.kind == Kind::Record,
                Held::Kernels => node.declares.iter().any(|symbol| kernels.contains(symbol)),
            };
            is_hidden = is_held && !node.declares.iter().any(stays);
        }
        if is_hidden {
            inside.push(node);
        } else {
            nodes.extend(anonymous(&mut inside));
            nodes.push(node);
        }
    }
    nodes.extend(anonymous(&mut inside));
    unit.body = nodes;
    unit.body.iter().any(Node::is_anonymous)
}

fn anonymous(nodes: &mut Vec<Node>) -> Option<Node> {
    let nodes = std::mem::take(nodes);
    (!nodes.is_empty()).then(|| Node::new(Kind::Unit, ANONYMOUS, nodes, "}"))
}

//! Hostile names: the words of generated code, of CUDA and of the program's other scopes.
//!
//! The generator gives every declaration a harmless name. [`respell`] then takes some of them and
//! spells them like words that a rewrite writes itself (`value`, `error`, `Index`, …), like CUDA's
//! (`dim3`, `threadIdx`), like declarations of other scopes, or like what a rewrite might derive
//! (`ParticleTile`). What a name means must not change by that:
//!
//! - A *region* is a declaration at file or namespace scope with all that is inside of it.
//! - Two declarations that one region mentions are spelled differently, and no declaration is
//!   spelled like a word that the region's text has anyway. Members are an exception: where they
//!   are not declared they stand behind `.` or `->`, so that they hide nothing there.
//! - Declarations at file or namespace scope are spelled differently in the whole program.
//!
//! - A struct that a layout is asked for shares its name with no variable and no function, because
//!   the name in `--layout` would mean that.
//!
//! So a local variable may hide a type that its function does not mention, and that is the point.

use std::collections::{BTreeMap, BTreeSet};

use super::program::{Kind, Node, RandomProgram};
use super::rng::Random;
use super::text::{Piece, Symbol, Text};

/// What a symbol names, as far as its spelling goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A variable or parameter of a function.
    Local,
    /// A member of a struct.
    Member,
    /// A type at file or namespace scope.
    Type,
    /// A function or variable at file or namespace scope.
    Global,
    /// It keeps its spelling.
    Kept,
}

/// Words of generated text that declare something there, or are looked up.
const GENERATED: &[&str] = &[
    "value",
    "error",
    "n",
    "p",
    "i",
    "e",
    "a",
    "b",
    "c",
    "d",
    "f",
    "to",
    "from",
    "first",
    "count",
    "chunk",
    "stage",
    "freed",
    "rest",
    "bytes",
    "base",
    "end",
    "at",
    "stream",
    "row",
    "step",
    "width",
    "height",
    "where",
    "symbol",
    "offset",
    "to_at",
    "from_at",
    "Index",
    "Plain",
    "Pointer",
    "Symbol",
    "Elements",
    "advice",
    "flags",
    "kind",
    "self",
    "i0",
    "i1",
    "x_at",
    "tile",
    "slot",
    "item",
    "element",
    "result",
    "q",
    "t",
    "T",
    "K",
    "record",
    "records",
    "Record",
    "location",
    "device",
    "host",
    "size",
    "cells",
    "blocks",
    "rows",
    "inner",
    "to_pitch",
    "fromFirst",
    "a0",
    "i2",
];

/// Words of CUDA that a program may declare itself.
const CUDA: &[&str] = &[
    "kernel",
    "warp",
    "block",
    "grid",
    "lane",
    "cudaStream",
    "float5",
    "float3_t",
    "real",
    "vec3",
    "dim",
    "thread",
];

/// Words of CUDA that only a local variable can have.
const CUDA_LOCAL: &[&str] = &["dim3", "threadIdx", "blockIdx", "float3", "int2"];

/// Words that the headers of C and CUDA declare at file scope: only members and locals can have them.
const OF_HEADERS: &[&str] = &["index", "dim3", "threadIdx", "blockIdx", "float3", "int2"];

/// Ends of the names that a rewrite derives from a struct's.
const SUFFIXES: &[&str] = &[
    "Tile8",
    "Tile32",
    "Aligned16",
    "_value",
    "Tile",
    "Arrays",
    "Groups",
    "Aligned",
    "Load",
    "Store",
    "Pack",
    "Memcpy",
    "Malloc",
    "Bytes",
];

/// Gives some symbols hostile spellings; how many, the seed decides.
pub fn respell(program: &mut RandomProgram, roles: &[Role]) {
    let mut random = Random::new(program.seed ^ 0x6e61_6d65);
    let density = *random.pick(&[0, 20, 50, 80, 80]);
    if density == 0 {
        return;
    }
    let regions = Regions::of(&program.nodes);
    // Few words for many declarations: that is what makes them meet.
    let mut words: Vec<&str> = GENERATED.iter().chain(CUDA).copied().collect();
    random.shuffle(&mut words);
    words.truncate(random.between(6, 30));
    let mut order: Vec<usize> = (0..program.names.len()).collect();
    random.shuffle(&mut order);
    for at in order {
        let role = roles.get(at).copied().unwrap_or(Role::Kept);
        if role == Role::Kept || !random.chance(density) {
            continue;
        }
        let symbol = Symbol(u32::try_from(at).unwrap_or(u32::MAX));
        for _ in 0..4 {
            let word = candidate(program, roles, role, &words, &mut random);
            let is_unambiguous = ambiguous(program, roles, symbol, &word).is_none();
            if is_unambiguous && regions.allow(symbol, &word, &program.names, roles) {
                program.names[at] = word;
                break;
            }
        }
    }
}

/// What `--layout` would confuse a symbol with if it were spelled like this.
fn ambiguous(
    program: &RandomProgram,
    roles: &[Role],
    symbol: Symbol,
    word: &str,
) -> Option<Symbol> {
    let is_target = |symbol: Symbol| program.targets.iter().any(|target| target.record == symbol);
    let names_a_value =
        |Symbol(at): Symbol| matches!(roles[at as usize], Role::Local | Role::Global);
    let others = (0..program.names.len()).filter(|at| program.names[*at] == word);
    let mut others = others.map(|at| Symbol(u32::try_from(at).unwrap_or(u32::MAX)));
    others.find(|other| {
        (is_target(symbol) && names_a_value(*other)) || (names_a_value(symbol) && is_target(*other))
    })
}

/// A spelling that a declaration might get.
fn candidate(
    program: &RandomProgram,
    roles: &[Role],
    role: Role,
    words: &[&str],
    random: &mut Random,
) -> String {
    let of_role = |wanted: &[Role], random: &mut Random| {
        let fitting: Vec<&String> = (program.names.iter().zip(roles))
            .filter(|(_, role)| wanted.contains(role))
            .map(|(name, _)| name)
            .collect();
        let name = if fitting.is_empty() { None } else { Some((*random.pick(&fitting)).clone()) };
        name.filter(|name| name.len() < 14)
    };
    let choice = random.below(10);
    let other = match (role, choice) {
        // What another scope declares.
        (Role::Local | Role::Member, 0 | 1) => {
            of_role(&[Role::Type, Role::Member, Role::Global], random)
        }
        (Role::Type | Role::Global, 0 | 1) => of_role(&[Role::Local, Role::Member], random),
        (Role::Type | Role::Global, 2) => {
            of_role(&[Role::Type], random).map(|name| format!("{name}{}", random.pick(SUFFIXES)))
        }
        (Role::Global | Role::Local, 3) => of_role(&[Role::Type], random).map(|name| {
            let mut letters = name.chars();
            let first = letters.next().unwrap_or('x').to_ascii_lowercase();
            format!("{first}{}{}", letters.as_str(), random.pick(SUFFIXES))
        }),
        (Role::Local, 4) => Some((*random.pick(CUDA_LOCAL)).to_owned()),
        _ => None,
    };
    other.unwrap_or_else(|| (*random.pick(words)).to_owned())
}

/// What the regions of a program mention.
struct Regions {
    regions: Vec<Region>,
    /// The regions of each symbol.
    of: BTreeMap<Symbol, Vec<usize>>,
}

#[derive(Default)]
struct Region {
    is_record: bool,
    symbols: BTreeSet<Symbol>,
    words: BTreeSet<String>,
}

impl Regions {
    fn of(nodes: &[Node]) -> Self {
        let mut regions = Vec::new();
        collect(nodes, &mut regions);
        let mut of: BTreeMap<Symbol, Vec<usize>> = BTreeMap::new();
        for (at, region) in regions.iter().enumerate() {
            for symbol in &region.symbols {
                of.entry(*symbol).or_default().push(at);
            }
        }
        Regions { regions, of }
    }

    /// Whether the program stays the same with this spelling.
    fn allow(&self, symbol: Symbol, word: &str, names: &[String], roles: &[Role]) -> bool {
        let role = |Symbol(at): Symbol| roles.get(at as usize).copied().unwrap_or(Role::Kept);
        let name = |Symbol(at): Symbol| names.get(at as usize).map_or("", String::as_str);
        let is_outer = |role: Role| matches!(role, Role::Type | Role::Global | Role::Kept);
        if is_outer(role(symbol)) {
            // The first region is what all programs begin with.
            let known = self.regions.first().is_some_and(|head| head.words.contains(word));
            let taken = (0..names.len()).any(|at| {
                let other = Symbol(u32::try_from(at).unwrap_or(u32::MAX));
                other != symbol && is_outer(role(other)) && name(other) == word
            });
            if known || taken || OF_HEADERS.contains(&word) {
                return false;
            }
        }
        let regions = self.of.get(&symbol).map(Vec::as_slice).unwrap_or_default();
        regions.iter().map(|at| &self.regions[*at]).all(|region| {
            let apart = |other: Symbol| {
                region.is_record || (role(symbol) != Role::Member && role(other) != Role::Member)
            };
            let behind_a_dot = role(symbol) == Role::Member && !region.is_record;
            (behind_a_dot || !region.words.contains(word))
                && region
                    .symbols
                    .iter()
                    .all(|other| *other == symbol || name(*other) != word || !apart(*other))
        })
    }
}

/// The regions of nodes: files and namespaces are none, but what they hold is.
fn collect(nodes: &[Node], regions: &mut Vec<Region>) {
    for node in nodes {
        match node.kind {
            Kind::File(_) => collect(&node.body, regions),
            Kind::Unit => {
                let mut head = Region::default();
                head.add_text(&node.head);
                regions.push(head);
                collect(&node.body, regions);
            }
            _ => regions.push(Region::of(node)),
        }
    }
}

impl Region {
    fn of(node: &Node) -> Self {
        let mut region = Region { is_record: node.kind == Kind::Record, ..Region::default() };
        region.add(node);
        region
    }

    fn add(&mut self, node: &Node) {
        self.symbols.extend(node.declares.iter().copied());
        self.add_text(&node.head);
        self.add_text(&node.tail);
        for child in &node.body {
            self.add(child);
        }
    }

    fn add_text(&mut self, text: &Text) {
        for piece in &text.0 {
            match piece {
                Piece::Plain(text) => {
                    let is_word = |sign: char| sign.is_alphanumeric() || sign == '_';
                    let words = text.split(|sign| !is_word(sign)).filter(|word| !word.is_empty());
                    self.words.extend(words.map(str::to_owned));
                }
                Piece::Name(symbol) => {
                    self.symbols.insert(*symbol);
                }
                Piece::Value(text) => self.add_text(text),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::generate::{Size, generate};

    #[test]
    fn programs_get_hostile_names() {
        let texts: Vec<String> =
            (1..160).map(|seed| generate(seed, Size { units: 2, kernels: 2 }).text()).collect();
        for words in [
            // Types, variables and members.
            ["struct Index ", "struct value ", "struct base ", "struct count "],
            [" *error", " *value", " *Index", " *to"],
            [" dim3 = ", " threadIdx = ", " float3 = ", " int2 = "],
            ["Tile {", "Arrays {", "Aligned {", "Groups {"],
            ["float bytes;", "int first;", "float error;", "int stage;"],
        ] {
            let found = texts.iter().any(|text| words.iter().any(|word| text.contains(word)));
            assert!(found, "no program has one of {words:?}");
        }
    }
}

//! The tree of a random program.
//!
//! A node has a text in front of its children and one behind them. That is all that printing and
//! reducing need: a node can go with what mentions the names it declares, a block can give way to
//! its children, a value can become a constant. Whatever the reducer makes of a tree is judged by
//! the compiler and by a run of the original, so a tree need not know C++.

use super::sources::{SourceFile, Sources};
use super::text::{Piece, Symbol, Text};
use std::collections::{BTreeMap, BTreeSet};

/// What a node is, as far as reducing goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Text that holds the program together: it stays.
    Frame,
    /// A file of a program of several; all nodes of such a program are in files.
    File(&'static str),
    /// All that belongs to one host function, or the part of it that is in one file or namespace.
    Unit,
    /// A struct; its children are fields and members.
    Record,
    /// A field or member of a struct.
    Field,
    /// A function or macro that can go with its uses.
    Function,
    /// Statements in braces that can go, or leave their children behind.
    Block,
    /// Statements that can go but are nothing without their frame, such as the body of a loop.
    Whole,
    /// One statement or line.
    Line,
}

/// The head of an anonymous namespace.
pub const ANONYMOUS: &str = "namespace {";

/// A node of the tree.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// The names it declares: whatever mentions one goes with it.
    pub declares: Vec<Symbol>,
    /// The text in front of the children.
    pub head: Text,
    /// The children.
    pub body: Vec<Node>,
    /// The text behind the children.
    pub tail: Text,
}

impl Node {
    /// One line.
    #[must_use]
    pub fn line(text: &str) -> Node {
        Node::new(Kind::Line, text, Vec::new(), "")
    }

    /// A line that declares a name.
    #[must_use]
    pub fn declaration(symbol: Symbol, text: &str) -> Node {
        Node { declares: vec![symbol], ..Node::line(text) }
    }

    /// `head` children `tail`.
    #[must_use]
    pub fn new(kind: Kind, head: &str, body: Vec<Node>, tail: &str) -> Node {
        Node { kind, declares: Vec::new(), head: Text::parse(head), body, tail: Text::parse(tail) }
    }

    /// Whether the node itself, and not only its children, mentions a name.
    #[must_use]
    pub fn mentions(&self, symbol: Symbol) -> bool {
        self.head.mentions(symbol) || self.tail.mentions(symbol)
    }

    /// The number of nodes below and including this one.
    #[must_use]
    pub fn size(&self) -> usize {
        1 + self.body.iter().map(Node::size).sum::<usize>()
    }

    /// Whether it is a function of this file alone.
    fn is_static(&self) -> bool {
        matches!(self.head.0.first(), Some(Piece::Plain(text)) if text.starts_with("static "))
    }

    /// Whether it is a namespace whose names are of this file alone.
    #[must_use]
    pub fn is_anonymous(&self) -> bool {
        self.kind == Kind::Unit && self.head == Text::parse(ANONYMOUS)
    }

    /// The children without those behind a condition that never holds.
    fn compiled(&self) -> impl Iterator<Item = &Node> {
        let head = match self.head.0.first() {
            Some(Piece::Plain(text)) if text.starts_with('#') => text.as_str(),
            _ => "",
        };
        let is_off = ["#ifdef NEVER", "#if 0"].iter().any(|start| head.starts_with(start));
        let is_on = head.starts_with("#if") && !is_off;
        let branch = self.body.iter().position(|child| child.head == Text::parse("#else"));
        self.body
            .iter()
            .enumerate()
            .filter(move |(at, _)| match branch {
                Some(branch) => !((is_off && *at < branch) || (is_on && *at > branch)),
                None => !is_off,
            })
            .map(|(_, child)| child)
    }

    /// Counts the functions of each name.
    fn count_functions(&self, out: &mut BTreeMap<Symbol, usize>) {
        if self.kind == Kind::Function {
            self.declares.iter().for_each(|symbol| *out.entry(*symbol).or_default() += 1);
        }
        self.body.iter().for_each(|child| child.count_functions(out));
    }

    /// Makes functions that others overload known to other files.
    fn publish_overloads(&mut self, functions: &BTreeMap<Symbol, usize>) {
        let is_overloaded = |symbol: &Symbol| functions.get(symbol).is_some_and(|count| *count > 1);
        if self.kind == Kind::Function
            && self.is_static()
            && self.declares.iter().any(is_overloaded)
            && let Some(Piece::Plain(text)) = self.head.0.first_mut()
        {
            *text = text["static ".len()..].to_owned();
        }
        self.body.iter_mut().for_each(|child| child.publish_overloads(functions));
    }

    /// Counts the nodes that mention each name.
    fn count_mentions(&self, out: &mut BTreeMap<Symbol, usize>) {
        let mut own = BTreeSet::new();
        self.head.symbols(&mut own);
        self.tail.symbols(&mut own);
        for symbol in own {
            *out.entry(symbol).or_default() += 1;
        }
        self.compiled().for_each(|child| child.count_mentions(out));
    }

    /// The variables that are read somewhere: named elsewhere than at the start of an assignment.
    fn reads(&self, out: &mut BTreeSet<Symbol>) {
        let mut names = BTreeSet::new();
        match self.kind {
            // Parameters.
            Kind::Function => {}
            Kind::Line if self.declares.is_empty() => self.head.reads(&mut names),
            Kind::Line => {
                self.head.symbols(&mut names);
                names.retain(|symbol| !self.declares.contains(symbol));
            }
            Kind::File(_)
            | Kind::Frame
            | Kind::Unit
            | Kind::Record
            | Kind::Field
            | Kind::Block
            | Kind::Whole => {
                self.head.symbols(&mut names);
                self.tail.symbols(&mut names);
            }
        }
        out.extend(names);
        self.compiled().for_each(|child| child.reads(out));
    }

    fn write(&self, depth: usize, spell: &dyn Fn(Symbol) -> String, out: &mut String) {
        let indent = "    ".repeat(depth);
        let mut text = String::new();
        self.head.write(spell, &mut text);
        for line in text.lines() {
            push_line(&indent, line, out);
        }
        let inner = if self.head.0.is_empty() { depth } else { depth + 1 };
        for child in &self.body {
            child.write(inner, spell, out);
        }
        text.clear();
        self.tail.write(spell, &mut text);
        for line in text.lines() {
            push_line(&indent, line, out);
        }
    }
}

/// Drops lines whose names only they mention.
fn drop_unmentioned(nodes: &mut Vec<Node>, mentions: &BTreeMap<Symbol, usize>, in_anonymous: bool) {
    nodes.retain_mut(|node| {
        let is_anonymous = node.is_anonymous();
        drop_unmentioned(&mut node.body, mentions, in_anonymous || is_anonymous);
        if is_anonymous && node.body.is_empty() {
            return false;
        }
        let is_used = |symbol: &Symbol| mentions.get(symbol).is_some_and(|count| *count > 1);
        let is_internal = in_anonymous || node.is_static();
        let may_go = node.kind == Kind::Line || (node.kind == Kind::Function && is_internal);
        !may_go || node.declares.is_empty() || node.declares.iter().any(is_used)
    });
}

/// Drops the lines that declare one of some objects or store to it.
fn drop_stores(nodes: &mut Vec<Node>, unread: &BTreeSet<Symbol>) {
    nodes.retain_mut(|node| {
        drop_stores(&mut node.body, unread);
        let mut mentioned: BTreeSet<Symbol> = node.declares.iter().copied().collect();
        node.head.symbols(&mut mentioned);
        node.kind != Kind::Line || mentioned.is_disjoint(unread)
    });
}

fn push_line(indent: &str, line: &str, out: &mut String) {
    // A directive stands at the margin, and macros go on as they are.
    if !line.starts_with('#') {
        out.push_str(indent);
    }
    out.push_str(line);
    out.push('\n');
}

/// A struct whose arrays a layout may be asked for.
#[derive(Clone, Debug)]
pub struct LayoutTarget {
    /// The struct.
    pub record: Symbol,
    /// The class template that it is an instance of, by which reports name it.
    pub template: Option<Symbol>,
    /// Its fields at the top level.
    pub fields: Vec<Symbol>,
    /// The size of the largest scalar or vector member in bytes.
    pub alignment: usize,
    /// A variable of an array of each unit that has some, behind the unit's function.
    pub arrays: Vec<(Symbol, Symbol)>,
}

/// What a unit is about, for the statistics.
#[derive(Clone, Debug)]
pub struct UnitFacts {
    /// The structs of its arrays.
    pub records: Vec<Symbol>,
    /// Names of the features it has.
    pub features: BTreeSet<&'static str>,
}

/// A generated program.
#[derive(Clone, Debug)]
pub struct RandomProgram {
    /// The seed that made it.
    pub seed: u64,
    /// The spelling of each symbol.
    pub names: Vec<String>,
    /// Its text.
    pub nodes: Vec<Node>,
    /// The structs with arrays.
    pub targets: Vec<LayoutTarget>,
    /// The units.
    pub units: Vec<UnitFacts>,
    /// The element counts that it is run with.
    pub runs: Vec<usize>,
    /// The number of kernels.
    pub kernels: usize,
    /// Local objects and parameters of record types.
    pub objects: BTreeSet<Symbol>,
}

impl RandomProgram {
    /// The program as CUDA C++, in one text also if it is several files.
    #[must_use]
    pub fn text(&self) -> String {
        self.sources().listing()
    }

    /// The program as CUDA C++.
    #[must_use]
    pub fn sources(&self) -> Sources {
        let spell = |symbol| self.name(symbol).to_owned();
        let mut files = Vec::new();
        for node in &self.nodes {
            if let Kind::File(name) = node.kind {
                let mut text = String::new();
                node.write(0, &spell, &mut text);
                files.push(SourceFile { name, text });
            }
        }
        if files.is_empty() {
            files.push(SourceFile { name: "program.cu", text: self.spelled(&spell) });
        }
        Sources(files)
    }

    /// The program with other spellings.
    pub fn spelled(&self, spell: &dyn Fn(Symbol) -> String) -> String {
        let mut out = String::new();
        for node in &self.nodes {
            node.write(0, spell, &mut out);
        }
        out
    }

    /// The spelling of a symbol.
    #[must_use]
    pub fn name(&self, Symbol(number): Symbol) -> &str {
        self.names.get(number as usize).map_or("", String::as_str)
    }

    /// Drops `static` from functions that others overload: whether one of them is used is not known
    /// from its name.
    pub fn publish_overloads(&mut self) {
        let mut functions = BTreeMap::new();
        self.nodes.iter().for_each(|node| node.count_functions(&mut functions));
        self.nodes.iter_mut().for_each(|node| node.publish_overloads(&functions));
    }

    /// Drops variables and `static` functions that nothing uses, and objects that are only written,
    /// so that no compiler has to warn.
    pub fn drop_unused(&mut self) {
        loop {
            let mut mentions = BTreeMap::new();
            self.nodes.iter().for_each(|node| node.count_mentions(&mut mentions));
            let before = self.size();
            drop_unmentioned(&mut self.nodes, &mentions, false);
            let mut read = BTreeSet::new();
            self.nodes.iter().for_each(|node| node.reads(&mut read));
            let unread = self.objects.difference(&read).copied().collect();
            drop_stores(&mut self.nodes, &unread);
            if self.size() == before {
                return;
            }
        }
    }

    /// The number of nodes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.nodes.iter().map(Node::size).sum()
    }
}

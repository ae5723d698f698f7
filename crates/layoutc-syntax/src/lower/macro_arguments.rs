//! Which words the parameters of macros can stand for.
//!
//! `CAT(a, b)` may form any name that is made of words, unless it is known what it is given: `CAT(VERSION, 3)` in one header
//! forms nothing of the program.
//!
//! *Claim:* the words of a parameter are those that a paste can find in it after all macros in it were replaced, or in parts of
//! such words: what stands in the arguments of all uses, in the bodies of macros named there, and in turn in the arguments of
//! the macros around. A macro whose name stands without arguments somewhere, or that a paste may form, may be given anything.

use crate::preprocess::{MacroDef, MacroOrigin, Preprocessed, Token, TokenKind, tokens};
use foldhash::fast::RandomState;
use std::collections::{BTreeSet, HashMap};

/// With more words than these a parameter counts as any.
const MOST: usize = 256;

/// What is given to the parameters of all macros.
pub(super) struct MacroArguments<'a> {
    nodes: Vec<Node<'a>>,
    /// The node of each macro's bodies, by its name.
    bodies: HashMap<&'a str, usize, RandomState>,
    /// The nodes of each function-like macro's parameters by position; the last is for all that are more.
    parameters: HashMap<&'a str, Vec<usize>, RandomState>,
}

/// Some text: its words, and what else can stand there.
#[derive(Default)]
struct Node<'a> {
    words: BTreeSet<&'a str>,
    others: BTreeSet<usize>,
    is_any: bool,
}

impl<'a> MacroArguments<'a> {
    /// Of all uses in the program's text and in bodies of macros.
    pub(super) fn new(preprocessed: &'a Preprocessed) -> Self {
        let mut this = MacroArguments {
            nodes: Vec::new(),
            bodies: HashMap::default(),
            parameters: HashMap::default(),
        };
        let needed =
            |(_, def): &(_, &'a MacroDef)| def.is_needed && def.origin != MacroOrigin::Predefined;
        let macros = || preprocessed.macros.iter().filter(needed).map(|(_, def)| def);
        for def in macros() {
            if !this.bodies.contains_key(def.name.as_str()) {
                let node = this.node();
                this.bodies.insert(&def.name, node);
            }
            if let Some(names) = &def.params {
                let known = this.parameters.get(def.name.as_str()).map_or(0, Vec::len);
                let more: Vec<usize> = (known..=names.len()).map(|_| this.node()).collect();
                this.parameters.entry(&def.name).or_default().extend(more);
            }
        }
        for def in macros() {
            let found = tokens(&def.text);
            let body = this.bodies[def.name.as_str()];
            this.add(body, &def.text, &found, Some(def));
            this.uses(&def.text, &found, Some(def));
        }
        for (file, (_, source)) in preprocessed.files.iter().zip(preprocessed.sources.iter()) {
            let text = source.text();
            let mut found = tokens(text);
            // The bodies of macros were asked; conditions form no names.
            let mut directives = file.directives.iter().map(|own| own.span.range()).peekable();
            found.retain(|token| {
                let at = token.start as usize;
                while directives.next_if(|own| own.end <= at).is_some() {}
                directives.peek().is_none_or(|own| at < own.start)
            });
            this.uses(text, &found, None);
        }
        this
    }

    /// Notes that the body of a macro may form a name, and says whether that is news: of a macro of that name the body stands
    /// there, too, and what it is given is not seen.
    pub(super) fn forms(&mut self, by: &str, name: &str) -> bool {
        let (Some(by), Some(body)) = (self.bodies.get(by), self.bodies.get(name)) else {
            return false;
        };
        let mut is_new = self.nodes[*by].others.insert(*body);
        for node in self.parameters.get(name).into_iter().flatten() {
            is_new |= !std::mem::replace(&mut self.nodes[*node].is_any, true);
        }
        is_new
    }

    fn node(&mut self) -> usize {
        self.nodes.push(Node::default());
        self.nodes.len() - 1
    }

    /// The words that parameter `at` of a macro stands for; `None` if it can be anything.
    pub(super) fn words(&self, name: &str, at: usize) -> Option<BTreeSet<&'a str>> {
        let nodes = self.parameters.get(name)?;
        let mut stack = vec![*nodes.get(at).or(nodes.last())?];
        let mut seen = BTreeSet::new();
        let mut words = BTreeSet::new();
        while let Some(node) = stack.pop() {
            if !seen.insert(node) {
                continue;
            }
            let node = &self.nodes[node];
            words.extend(&node.words);
            if node.is_any || words.len() > MOST {
                return None;
            }
            stack.extend(&node.others);
        }
        Some(words)
    }

    /// Adds a text to a node.
    fn add(&mut self, node: usize, text: &'a str, found: &[Token], around: Option<&'a MacroDef>) {
        for token in found {
            let word = token.text(text);
            if let Some(of) = around.and_then(|around| self.parameter(around, word)) {
                self.nodes[node].others.insert(of);
                continue;
            }
            // A number that no text has.
            self.nodes[node].is_any |= matches!(word, "__LINE__" | "__COUNTER__");
            if token.kind == TokenKind::Identifier || token.kind == TokenKind::Number {
                self.nodes[node].words.insert(word);
            }
            if let Some(body) = self.bodies.get(word) {
                self.nodes[node].others.insert(*body);
            }
        }
    }

    /// The node of a word that is a parameter of the macro around.
    fn parameter(&self, around: &MacroDef, word: &str) -> Option<usize> {
        let names = around.params.as_ref()?;
        let at = match word {
            "__VA_ARGS__" => names.len(),
            _ => names.iter().position(|name| name == word)?,
        };
        let nodes = &self.parameters[around.name.as_str()];
        nodes.get(at).or(nodes.last()).copied()
    }

    /// Adds what the uses of macros in a text are given.
    fn uses(&mut self, text: &'a str, found: &[Token], around: Option<&'a MacroDef>) {
        for (at, token) in found.iter().enumerate() {
            let Some(nodes) = self.parameters.get(token.text(text)).cloned() else { continue };
            let Some(arguments) = arguments(text, &found[at + 1..]) else {
                for node in nodes {
                    self.nodes[node].is_any = true;
                }
                continue;
            };
            for (position, argument) in arguments.into_iter().enumerate() {
                // A macro in it may have commas, and then it is several. What is too much for the names is for `...`, or for
                // the last name, if that is GNU's `args...`.
                let first = position.min(nodes.len().saturating_sub(2));
                for node in &nodes[first..] {
                    self.add(*node, text, argument, around);
                }
            }
        }
    }
}

/// The arguments that follow the name of a macro; `None` if there are none or they do not end.
fn arguments<'t>(text: &str, found: &'t [Token]) -> Option<Vec<&'t [Token]>> {
    if found.first()?.text(text) != "(" {
        return None;
    }
    let mut all = Vec::new();
    let (mut depth, mut start) = (0, 1);
    for (at, token) in found.iter().enumerate() {
        match token.text(text) {
            "(" => depth += 1,
            ")" => depth -= 1,
            "," if depth == 1 => {
                all.push(&found[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        if depth == 0 {
            all.push(&found[start..at]);
            return Some(all);
        }
    }
    None
}

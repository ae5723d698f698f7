//! What an unqualified name means where types of several namespaces have it.
//!
//! The innermost namespace around that declares the name decides ([basic.lookup.unqual]), unless something else brings a type
//! of another namespace in: a using-directive or using-declaration, an inline or unnamed namespace, or the head of a function
//! that is defined outside of its namespace. Where one of these may, nothing is said.

use super::Lowering;
use super::fields::{FieldName, Fields};
use super::names::Symbol;
use crate::parse::Trees;
use crate::preprocess::{Preprocessed, Token, TokenKind, each_token};
use crate::types::QualType;
use layoutc_diagnostics::{FileId, Span};
use std::collections::BTreeSet;
use tree_sitter::Node;

/// What using-declarations and using-directives mention.
#[derive(Default)]
struct Mentioned {
    /// Names that may be brought in from anywhere: those in declarations of another form than `a::b::name`.
    names: BTreeSet<String>,
    /// `using a::b::name;`: the namespaces and the name.
    paths: BTreeSet<Vec<String>>,
    /// Namespaces whose names are found outside of them: used ones and inline ones.
    namespaces: BTreeSet<String>,
    /// `namespace name = a::b;`.
    aliases: Vec<(String, Vec<String>)>,
}

impl Mentioned {
    /// Reads what follows `using`, or `inline` in front of a namespace, and what namespaces have other names.
    fn read(&mut self, text: &str) {
        let word = |token: &Token| (token.kind == TokenKind::Identifier).then(|| token.text(text));
        let mut tokens = each_token(text).peekable();
        while let Some(token) = tokens.next() {
            let head = word(&token);
            if !matches!(head, Some("using" | "inline" | "namespace")) {
                continue;
            }
            let is_namespace = head == Some("namespace")
                || tokens.next_if(|next| word(next) == Some("namespace")).is_some();
            if head == Some("inline") && !is_namespace {
                continue;
            }
            let mut paths: Vec<Vec<String>> = vec![Vec::new()];
            let mut is_plain = true;
            while let Some(next) =
                tokens.next_if(|next| !matches!(next.text(text), ";" | "=" | "{"))
            {
                match (word(&next), next.text(text)) {
                    (Some("typename" | "enum"), _) => is_plain = false,
                    (Some(name), _) => {
                        paths.last_mut().into_iter().for_each(|path| path.push(name.to_owned()));
                    }
                    (None, ",") => paths.push(Vec::new()),
                    (None, ":" | "::") => {}
                    (None, _) => is_plain = false,
                }
            }
            let is_alias = tokens.peek().is_some_and(|next| next.text(text) == "=");
            let mentioned = paths.iter().flatten().cloned();
            match (head, is_namespace) {
                (Some("namespace"), _) if is_alias => {
                    let Some(name) = paths.pop().and_then(|mut path| path.pop()) else { continue };
                    let mut of = Vec::new();
                    while let Some(next) = tokens.next_if(|next| next.text(text) != ";") {
                        of.extend(word(&next).map(str::to_owned));
                    }
                    self.aliases.push((name, of));
                }
                // A namespace like any other.
                (Some("namespace"), _) => {}
                (_, true) => self.namespaces.extend(mentioned),
                // `using Name = T;` declares a name of its own.
                (_, false) if is_alias => {}
                (_, false) if is_plain => self.paths.extend(paths),
                (_, false) => self.names.extend(mentioned),
            }
        }
    }

    /// Names of namespaces stand for what they are other names of.
    fn resolve_aliases(&mut self, aliases: &[(String, Vec<String>)]) {
        // One of another: no longer chain is without end.
        for _ in 0..=aliases.len() {
            let mut is_done = true;
            for (name, of) in aliases {
                if self.namespaces.contains(name) {
                    let known = self.namespaces.len();
                    self.namespaces.extend(of.iter().cloned());
                    is_done &= known == self.namespaces.len();
                }
                let through = |path: &&Vec<String>| {
                    path.split_last().is_some_and(|(_, scope)| scope.contains(name))
                };
                let found: Vec<String> = self
                    .paths
                    .iter()
                    .filter(through)
                    .filter_map(|path| path.last().cloned())
                    .collect();
                self.names.extend(found);
            }
            if is_done {
                break;
            }
        }
    }

    fn may_bring(&self, name: &str, namespaces: &[String]) -> bool {
        let is_path = |path: &Vec<String>| {
            path.split_last().is_some_and(|(last, scope)| {
                last == name && visible_part(namespaces).ends_with(&visible_part(scope))
            })
        };
        self.names.contains(name)
            || namespaces.iter().any(|own| self.namespaces.contains(own))
            || self.paths.iter().any(is_path)
    }
}

/// A namespace without those in it that have no name: what is in them is found around them.
pub(super) fn visible_part(namespaces: &[String]) -> Vec<&str> {
    namespaces.iter().map(String::as_str).filter(|own| *own != "(anonymous)").collect()
}

/// The namespaces of which an unqualified name may be.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Meant {
    /// There is one, or none.
    All,
    /// Those around the place, which is in this one.
    Around(Vec<String>),
    /// One that a using-declaration or using-directive brings in.
    Only(Vec<String>),
    /// It is not known which.
    Unclear,
}

/// What using-declarations and using-directives of a program mention.
#[derive(Default)]
pub(super) struct Used {
    everywhere: Mentioned,
    /// Those inside of functions, with the block around each.
    in_blocks: Vec<(Span, Mentioned)>,
}

impl Used {
    fn of(preprocessed: &Preprocessed, trees: &Trees<'_>) -> Self {
        let mut used = Used::default();
        for (_, def) in preprocessed.macros.iter() {
            used.everywhere.read(&def.text);
        }
        for (at, file) in preprocessed.files.iter().enumerate() {
            let id = FileId(at as u32);
            if !["using", "inline", "namespace"].iter().any(|word| file.masked.contains(word)) {
                continue;
            }
            match trees.of(id) {
                Some(parsed) => used.read(id, &file.masked, parsed.tree.root_node()),
                None => used.everywhere.read(&file.masked),
            }
        }
        let aliases = used
            .everywhere
            .aliases
            .iter()
            .chain(used.in_blocks.iter().flat_map(|(_, own)| &own.aliases));
        let aliases: Vec<(String, Vec<String>)> = aliases.cloned().collect();
        used.everywhere.resolve_aliases(&aliases);
        used.in_blocks.iter_mut().for_each(|(_, own)| own.resolve_aliases(&aliases));
        used
    }

    fn read(&mut self, file: FileId, text: &str, root: Node<'_>) {
        let mut stack: Vec<(Node<'_>, Option<Span>)> = vec![(root, None)];
        while let Some((node, block)) = stack.pop() {
            let own = &text[node.byte_range()];
            match (node.kind(), block) {
                ("using_declaration" | "namespace_alias_definition", Some(block)) => {
                    let mut found = Mentioned::default();
                    found.read(own);
                    self.in_blocks.push((block, found));
                }
                ("using_declaration" | "namespace_alias_definition" | "ERROR", _) => {
                    self.everywhere.read(own);
                }
                ("namespace_definition", _) => {
                    let head = node
                        .field(FieldName::Body)
                        .map_or(own, |body| &text[node.start_byte()..body.start_byte()]);
                    self.everywhere.read(head);
                }
                _ => {}
            }
            let block = match node.kind() {
                "compound_statement" => Some(Span::new(file, node.start_byte(), node.end_byte())),
                _ => block,
            };
            let mut cursor = node.walk();
            stack.extend(
                node.named_children(&mut cursor)
                    .filter(|child| child.named_child_count() > 0 || child.is_error())
                    .map(|child| (child, block)),
            );
        }
    }

    /// `is_near`: whether the place may be in a block.
    fn may_bring(&self, name: &str, namespaces: &[String], is_near: impl Fn(Span) -> bool) -> bool {
        self.everywhere.may_bring(name, namespaces)
            || (self.in_blocks.iter())
                .any(|(block, own)| own.may_bring(name, namespaces) && is_near(*block))
    }
}

impl<'t> Lowering<'t> {
    /// The one type that the namespaces around give a name, if no type of another namespace can be meant.
    pub(super) fn enclosing_type(&self, name: &str) -> Option<QualType> {
        if self.is_head_elsewhere || !self.is_in_own_namespace() {
            return None;
        }
        self.type_of_namespaces(name, self.used())
    }

    /// Whether the current place may be in a block: in its file, and in a function of which it is a part, or around.
    fn may_be_in(&self, block: Span) -> bool {
        let Some(function) = self.function else { return false };
        let sites = &self.program.function(function).sites;
        block.file == self.current
            && (sites.is_empty()
                || sites.iter().any(|site| {
                    site.span.file == block.file
                        && site.span.start < block.end
                        && block.start < site.span.end
                }))
    }

    /// Whether `using namespace std` or a using-declaration, in front of it or elsewhere, makes a plain name one of `std`.
    pub(super) fn may_be_of_std(&self, name: &str) -> bool {
        self.used().may_bring(name, &["std".to_owned()], |_| true)
    }

    fn used(&self) -> &Used {
        self.used.get_or_init(|| Used::of(self.preprocessed, self.trees))
    }

    /// Which of the namespaces in which an unqualified name is declared may be meant.
    pub(super) fn meant_namespaces(&self, name: &str, declared: &BTreeSet<&[String]>) -> Meant {
        if declared.len() < 2 {
            return Meant::All;
        }
        // What is defined outside of a class has the names of the class's namespaces.
        let function = self.function.map(|id| self.program.function(id));
        let record = self.record.or(function.and_then(|own| own.record));
        let here = match record {
            Some(record) if !self.is_of_namespace_around(record) => {
                visible_part(&self.program.record(record).namespaces)
            }
            None if self.is_head_elsewhere => return Meant::Unclear,
            Some(_) | None => visible_part(&self.namespaces),
        };
        let is_around = |namespaces: &[String]| here.starts_with(&visible_part(namespaces));
        let brought: Vec<&[String]> = (declared.iter().copied())
            .filter(|own| {
                !is_around(own) && self.used().may_bring(name, own, |block| self.may_be_in(block))
            })
            .collect();
        match (declared.iter().any(|own| is_around(own)), brought.as_slice()) {
            (true, []) => Meant::Around(here.into_iter().map(str::to_owned).collect()),
            (false, [only]) => Meant::Only(only.to_vec()),
            (true, [_, ..]) | (false, _) => Meant::Unclear,
        }
    }

    fn type_of_namespaces(&self, name: &str, used: &Used) -> Option<QualType> {
        let mut found: Option<QualType> = None;
        for (namespaces, of_class, symbol) in self.visible_symbols(name) {
            let is_around = self.namespaces.starts_with(namespaces);
            let may_be_brought_in = namespaces.iter().any(|own| own == "(anonymous)")
                || used.may_bring(name, namespaces, |block| self.may_be_in(block));
            match symbol {
                _ if of_class => return None,
                Symbol::Type(ty) if is_around => {
                    if found.is_some_and(|other| other != *ty) {
                        return None;
                    }
                    found = Some(*ty);
                }
                _ if is_around || may_be_brought_in => return None,
                _ => {}
            }
        }
        found
    }

    /// Whether names in the function or class around are looked up in the namespaces around the text.
    fn is_in_own_namespace(&self) -> bool {
        let function = self.function.map(|id| self.program.function(id));
        let record = self.record.or(function.and_then(|own| own.record));
        record.is_none_or(|record| self.is_of_namespace_around(record))
    }

    fn is_of_namespace_around(&self, record: crate::program::RecordId) -> bool {
        self.namespaces.starts_with(&self.program.record(record).namespaces)
    }

    /// Whether a definition stands outside of the namespace whose names its parameters and body use: `void ns::f(T t) {}`.
    pub(super) fn reaches_into_a_namespace(&mut self, node: Node<'t>) -> bool {
        let mut declarator = node.field(FieldName::Declarator);
        while let Some(at) = declarator {
            if at.kind() == "qualified_identifier" {
                let record = self.record_of_qualified(at);
                return !record.is_some_and(|record| self.is_of_namespace_around(record));
            }
            declarator = at.field(FieldName::Declarator).or_else(|| {
                let mut cursor = at.walk();
                at.named_children(&mut cursor).find(|child| {
                    child.kind().ends_with("declarator") || child.kind() == "qualified_identifier"
                })
            });
        }
        false
    }
}

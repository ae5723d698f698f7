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
use layoutc_diagnostics::FileId;
use std::collections::{BTreeMap, BTreeSet};
use tree_sitter::Node;

/// What using-declarations and using-directives mention.
#[derive(Default)]
struct Mentioned {
    names: BTreeSet<String>,
    /// Namespaces whose names are found outside of them: used ones and inline ones.
    namespaces: BTreeSet<String>,
}

impl Mentioned {
    /// Reads what follows `using`, or `inline` in front of a namespace.
    fn read(&mut self, text: &str) {
        let word = |token: &Token| (token.kind == TokenKind::Identifier).then(|| token.text(text));
        let mut tokens = each_token(text).peekable();
        while let Some(token) = tokens.next() {
            let head = word(&token);
            if !matches!(head, Some("using" | "inline")) {
                continue;
            }
            let is_namespace = tokens.next_if(|next| word(next) == Some("namespace")).is_some();
            if head == Some("inline") && !is_namespace {
                continue;
            }
            // `using Name = T;` declares a name of its own.
            while let Some(next) =
                tokens.next_if(|next| !matches!(next.text(text), ";" | "=" | "{"))
            {
                if let Some(name) = word(&next) {
                    let into = if is_namespace { &mut self.namespaces } else { &mut self.names };
                    into.insert(name.to_owned());
                }
            }
        }
    }

    fn may_bring(&self, name: &str, namespaces: &[String]) -> bool {
        self.names.contains(name) || namespaces.iter().any(|own| self.namespaces.contains(own))
    }
}

/// What using-declarations and using-directives of a program mention.
#[derive(Default)]
pub(super) struct Used {
    everywhere: Mentioned,
    /// Those inside of functions, by file.
    in_functions: BTreeMap<FileId, Mentioned>,
}

impl Used {
    fn of(preprocessed: &Preprocessed, trees: &Trees<'_>) -> Self {
        let mut used = Used::default();
        for (_, def) in preprocessed.macros.iter() {
            used.everywhere.read(&def.text);
        }
        for (at, file) in preprocessed.files.iter().enumerate() {
            let id = FileId(at as u32);
            if !["using", "inline"].iter().any(|word| file.masked.contains(word)) {
                continue;
            }
            match trees.of(id) {
                Some(parsed) => used.read(id, &file.masked, parsed.tree.root_node()),
                None => used.everywhere.read(&file.masked),
            }
        }
        used
    }

    fn read(&mut self, file: FileId, text: &str, root: Node<'_>) {
        let mut stack = vec![(root, false)];
        while let Some((node, is_in_function)) = stack.pop() {
            let own = &text[node.byte_range()];
            match node.kind() {
                "using_declaration" if is_in_function => {
                    self.in_functions.entry(file).or_default().read(own);
                }
                "using_declaration" | "ERROR" => self.everywhere.read(own),
                "namespace_definition" => {
                    let head = node
                        .field(FieldName::Body)
                        .map_or(own, |body| &text[node.start_byte()..body.start_byte()]);
                    self.everywhere.read(head);
                }
                _ => {}
            }
            let is_in_function = is_in_function || node.kind() == "compound_statement";
            let mut cursor = node.walk();
            stack.extend(
                node.named_children(&mut cursor)
                    .filter(|child| child.named_child_count() > 0 || child.is_error())
                    .map(|child| (child, is_in_function)),
            );
        }
    }

    fn may_bring(&self, name: &str, namespaces: &[String], file: FileId) -> bool {
        self.everywhere.may_bring(name, namespaces)
            || self.in_functions.get(&file).is_some_and(|own| own.may_bring(name, namespaces))
    }
}

impl<'t> Lowering<'t> {
    /// The one type that the namespaces around give a name, if no type of another namespace can be meant.
    pub(super) fn enclosing_type(&mut self, name: &str) -> Option<QualType> {
        if self.is_head_elsewhere || !self.is_in_own_namespace() {
            return None;
        }
        let used = self.used.take().unwrap_or_else(|| Used::of(self.preprocessed, self.trees));
        let found = self.type_of_namespaces(name, &used);
        self.used = Some(used);
        found
    }

    fn type_of_namespaces(&self, name: &str, used: &Used) -> Option<QualType> {
        let mut found: Option<QualType> = None;
        for (namespaces, of_class, symbol) in self.visible_symbols(name) {
            let is_around = self.namespaces.starts_with(namespaces);
            let may_be_brought_in = namespaces.iter().any(|own| own == "(anonymous)")
                || used.may_bring(name, namespaces, self.current);
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

//! Names and declarations that mean different things in different compilations.
//!
//! Each file is lowered once, in the meaning of its first inclusion. Where the preprocessor, or the
//! names that a header uses from its includers, show a second meaning, the declaration around it
//! becomes a region ([`RegionKind::SeveralMeanings`]) that pins what it mentions, and what such
//! text declares is not resolved: a type alias, constant, variable or function of two meanings is
//! an unknown name to all other text.

use super::Lowering;
use super::fields::{FieldName, Fields};
use super::pasted::identifiers;
use super::types::number_of_both;
use crate::keywords::is_keyword;
use crate::parse::{Parsed, Trees, parse};
use crate::preprocess::{MacroOrigin, Meaning, Preprocessed, TokenKind, tokens};
use crate::program::{RegionKind, UnmodelledRegion};
use layoutc_diagnostics::{FileId, Span};
use std::collections::{BTreeMap, BTreeSet};
use tree_sitter::Node;

/// What is said about a region with two meanings: the flow that leads to it.
type Related = Vec<(Span, String)>;

/// The names that text with several meanings declares at file scope, and why.
#[derive(Clone, Debug, Default)]
pub(crate) struct AmbiguousNames {
    names: BTreeMap<String, Related>,
}

impl AmbiguousNames {
    /// Of a program before it is lowered.
    pub(crate) fn new(preprocessed: &Preprocessed, trees: &Trees<'_>) -> Self {
        let mut found = AmbiguousNames::default();
        for (at, file) in preprocessed.files.iter().enumerate() {
            let source = preprocessed.sources.file(FileId(at as u32)).text();
            let has_dual = file.inactive.iter().any(|region| region.dual);
            if !has_dual && file.meanings.is_empty() {
                continue;
            }
            let Some(tree) = trees.of(FileId(at as u32)) else { continue };
            let root = tree.tree.root_node();
            for region in file.inactive.iter().filter(|region| region.dual) {
                if is_in_function(root, region.span) {
                    continue;
                }
                let meaning = file.meanings.iter().find(|meaning| meaning.span == region.span);
                let related = meaning.map(|meaning| related(*meaning, None));
                let text = &source[region.span.range()];
                let mut names = declared_in_text(text, preprocessed);
                for name in alike_aliases(preprocessed, root, &file.masked, text) {
                    names.remove(&name);
                }
                found.add(names, &related.unwrap_or_default());
            }
            for meaning in &file.meanings {
                if let Some(item) = item_around(root, meaning.span) {
                    let mut names = BTreeSet::new();
                    declared_names(item, &file.masked, &mut names);
                    let name = source[meaning.span.range()].to_owned();
                    found.add(names, &related(*meaning, Some(&name)));
                }
            }
        }
        found
    }

    fn add(&mut self, names: BTreeSet<String>, related: &Related) {
        for name in names {
            self.names.entry(name).or_insert_with(|| related.clone());
        }
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }
}

/// The two inclusions, and the name that differs between them.
fn related(meaning: Meaning, name: Option<&str>) -> Related {
    let mut found = Vec::new();
    if let Some(name) = name {
        found.push((meaning.span, format!("`{name}` has two meanings here")));
    }
    for (occurrence, what) in
        [(meaning.first, "one meaning: compiled for this"), (meaning.other, "the other: for this")]
    {
        let span = occurrence.include.unwrap_or(Span::new(occurrence.root, 0, 0));
        found.push((span, what.to_owned()));
    }
    found
}

/// The declaration at file or namespace scope that holds a span.
fn item_around<'t>(root: Node<'t>, span: Span) -> Option<Node<'t>> {
    let mut node = root.descendant_for_byte_range(span.start as usize, span.end as usize)?;
    while let Some(parent) = node.parent() {
        if matches!(parent.kind(), "translation_unit" | "declaration_list") {
            return Some(node);
        }
        node = parent;
    }
    None
}

fn is_in_function(root: Node<'_>, span: Span) -> bool {
    let mut node = root.descendant_for_byte_range(span.start as usize, span.end as usize);
    while let Some(at) = node {
        if at.kind() == "compound_statement" {
            return true;
        }
        node = at.parent();
    }
    false
}

/// Whether a name is that of a parameter, which is nobody else's.
fn names_a_parameter(name: Node<'_>) -> bool {
    let mut at = name;
    while let Some(parent) = at.parent() {
        match parent.kind() {
            "pointer_declarator" | "reference_declarator" | "array_declarator" => at = parent,
            "parameter_declaration" | "optional_parameter_declaration" => {
                return parent.field(FieldName::Declarator) == Some(at);
            }
            _ => return false,
        }
    }
    false
}

/// The names that a text which is not part of the tree declares, and all names of what in it does not parse or is made
/// by macros.
fn declared_in_text(text: &str, preprocessed: &Preprocessed) -> BTreeSet<String> {
    let Ok(parsed) = parse(text) else { return words_of(text) };
    let mut names = BTreeSet::new();
    for region in &parsed.error_regions {
        names.extend(words_of(&text[region.clone()]));
    }
    for item in items(parsed.tree.root_node()) {
        let range = item.byte_range();
        let is_macro = |name: &str| {
            let mut known = preprocessed.macros.all(name);
            known.any(|def| def.origin != MacroOrigin::Predefined && !def.text.trim().is_empty())
        };
        if parsed.is_suspect(range.clone()) {
            names.extend(words_of(&text[range]));
        } else if item.kind().starts_with("preproc") {
            // What a macro means is known at each use.
        } else if names_in(item).iter().any(|name| is_macro(&text[name.byte_range()])) {
            names.extend(words_of(&text[range]));
        } else {
            declared_names(item, text, &mut names);
        }
    }
    names
}

/// The identifiers of a text; keywords, and `std` with what is named in it, mean the same everywhere.
fn words_of(text: &str) -> BTreeSet<String> {
    let found = tokens(text);
    let word = |at: usize| found.get(at).map_or("", |token| token.text(text));
    let is_of_library =
        |at: usize| word(at) == "std" || (at > 1 && word(at - 1) == "::" && word(at - 2) == "std");
    let is_name = |at: &usize| {
        found[*at].kind == TokenKind::Identifier && !is_keyword(word(*at)) && !is_of_library(*at)
    };
    (0..found.len()).filter(is_name).map(|at| word(at).to_owned()).collect()
}

/// Names that a tree and a text which is not part of it both make aliases of the same numbers, as host and kernels do in
/// one header: `typedef cl_uint u32;` and `typedef uint u32;`.
fn alike_aliases(
    preprocessed: &Preprocessed,
    root: Node<'_>,
    own: &str,
    text: &str,
) -> BTreeSet<String> {
    let Ok(parsed) = parse(text) else { return BTreeSet::new() };
    if !parsed.error_regions.is_empty() {
        return BTreeSet::new();
    }
    let number = |words: &str| {
        let is_plain = identifiers(words).all(|word| {
            let mut known = preprocessed.macros.lookup(word);
            known.all(|def| def.origin == MacroOrigin::Predefined)
        });
        number_of_both(words).filter(|_| is_plain)
    };
    let of = |root: Node<'_>, text: &str| {
        let mut found: BTreeMap<String, BTreeSet<Option<String>>> = BTreeMap::new();
        for (name, ty) in aliases(root) {
            let ty = ty.and_then(|ty| number(&text[ty.byte_range()]));
            found.entry(text[name.byte_range()].to_owned()).or_default().insert(ty);
        }
        found
    };
    let (own, other) = (of(root, own), of(parsed.tree.root_node(), text));
    let is_one = |all: &BTreeSet<Option<String>>| all.len() == 1 && !all.contains(&None);
    own.into_iter()
        .filter(|(name, all)| is_one(all) && other.get(name) == Some(all))
        .map(|(name, _)| name)
        .collect()
}

/// The names of all type aliases, with the type of those that are another name for it.
fn aliases(root: Node<'_>) -> Vec<(Node<'_>, Option<Node<'_>>)> {
    let mut found = Vec::new();
    let mut stack = vec![root];
    while let Some(node) = stack.pop() {
        if node.kind() == "type_definition" {
            for declarator in node.fields(FieldName::Declarator) {
                let is_name = declarator.child_count() == 0;
                let ty = node.field(FieldName::Type).filter(|_| is_name);
                found.push((innermost(declarator), ty));
            }
        }
        stack.extend(node.named_children(&mut node.walk()));
    }
    found
}

/// Adds the types, constants, variables and functions that a node declares, bodies excluded; those of classes too, which
/// others inherit.
fn declared_names(node: Node<'_>, text: &str, names: &mut BTreeSet<String>) {
    let mut stack = vec![node];
    while let Some(node) = stack.pop() {
        let name_of = |field| node.field(field).map(innermost);
        let found = match node.kind() {
            "compound_statement" | "field_declaration" | "parameter_list" => continue,
            "alias_declaration" | "enumerator" | "namespace_alias_definition" => {
                name_of(FieldName::Name)
            }
            "class_specifier" | "struct_specifier" | "union_specifier" | "enum_specifier" => {
                node.field(FieldName::Body).and_then(|_| name_of(FieldName::Name))
            }
            "function_definition" | "init_declarator" => name_of(FieldName::Declarator),
            "declaration" | "type_definition" => {
                let declared = node.fields(FieldName::Declarator).into_iter().map(innermost);
                names.extend(declared.map(|name| text[name.byte_range()].to_owned()));
                None
            }
            _ => None,
        };
        names.extend(found.map(|name| text[name.byte_range()].to_owned()));
        let mut cursor = node.walk();
        stack.extend(node.named_children(&mut cursor));
    }
}

/// The declarations at file and namespace scope, in all branches of conditional directives.
fn items(root: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut stack = vec![root];
    while let Some(node) = stack.pop() {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "namespace_definition"
                | "linkage_specification"
                | "declaration_list"
                | "preproc_if"
                | "preproc_ifdef"
                | "preproc_elif"
                | "preproc_elifdef"
                | "preproc_else" => {
                    stack.push(child);
                }
                _ => found.push(child),
            }
        }
    }
    found
}

/// The identifiers in a declaration, in order, names of members excluded.
fn names_in(item: Node<'_>) -> Vec<Node<'_>> {
    names_beside(item, &[])
}

/// The identifiers in a declaration, in order, names of members and what nodes of some kinds hold excluded.
fn names_beside<'t>(item: Node<'t>, kinds: &[&str]) -> Vec<Node<'t>> {
    let mut found = Vec::new();
    let mut stack = vec![item];
    while let Some(node) = stack.pop() {
        if matches!(node.kind(), "identifier" | "type_identifier" | "namespace_identifier") {
            found.push(node);
        }
        let mut cursor = node.walk();
        stack.extend(
            node.named_children(&mut cursor).filter(|child| !kinds.contains(&child.kind())),
        );
    }
    found.sort_by_key(Node::start_byte);
    found
}

/// What a declaration declares anywhere in it: itself, parameters and locals.
fn locally_declared<'s>(item: Node<'_>, text: &'s str) -> BTreeSet<&'s str> {
    let mut names = BTreeSet::new();
    let mut stack = vec![item];
    while let Some(node) = stack.pop() {
        let declarators = node.fields(FieldName::Declarator).into_iter();
        names.extend(declarators.map(|found| &text[innermost(found).byte_range()]));
        stack.extend(node.named_children(&mut node.walk()));
    }
    names
}

/// The name inside a declarator.
fn innermost(declarator: Node<'_>) -> Node<'_> {
    let mut node = declarator;
    loop {
        let inner = node.field(FieldName::Declarator).or_else(|| node.field(FieldName::Name));
        match inner {
            Some(inner) => node = inner,
            // References and parentheses have no field for what is in them.
            None => match node.named_child(0) {
                Some(child) if node.kind().ends_with("_declarator") => node = child,
                _ => return node,
            },
        }
    }
}

impl Lowering<'_> {
    /// Adds a region for each declaration with several meanings, when everything is lowered.
    pub(crate) fn collect_meanings(&mut self) {
        for at in 0..self.preprocessed.files.len() {
            let id = FileId(at as u32);
            let meanings = self.preprocessed.files[at].meanings.clone();
            for meaning in meanings {
                self.region_of_meaning(id, meaning);
            }
            self.records_with_ambiguous_names(id);
            self.names_of_includers(id);
        }
    }

    fn region_of_meaning(&mut self, id: FileId, meaning: Meaning) {
        let file = &self.preprocessed.files[id.index()];
        let source = self.preprocessed.sources.file(id).text();
        if let Some(region) =
            self.program.regions.iter_mut().find(|region| region.span == meaning.span)
        {
            // Text that only the other inclusion compiles.
            region.related = related(meaning, None);
            region.kind = RegionKind::SeveralMeanings;
            return;
        }
        let name = source[meaning.span.range()].to_owned();
        let is_include = file.includes.iter().any(|include| include.span == meaning.span);
        let tree = self.trees.of(id).map(|parsed| parsed.tree.root_node());
        // Two files under one `#include`: whatever either of them mentions, and this file.
        let item = tree.filter(|_| !is_include).and_then(|root| item_around(root, meaning.span));
        let span = item.map_or(Span::new(id, 0, source.len()), |item| {
            Span::new(id, item.start_byte(), item.end_byte())
        });
        let mut names: BTreeSet<String> =
            identifiers(&source[span.range()]).map(str::to_owned).collect();
        if is_include {
            for other in self.preprocessed.sources.iter().map(|(_, file)| file) {
                names.extend(identifiers(other.text()).map(str::to_owned));
            }
        }
        self.add_expansions(&name, &mut names);
        let name = if is_include { "the header" } else { name.as_str() };
        self.push_meanings(span, names, related(meaning, Some(name)));
    }

    /// The names in all replacements of a macro, and of those they name.
    fn add_expansions(&self, name: &str, names: &mut BTreeSet<String>) {
        let mut left = vec![name.to_owned()];
        let mut seen = BTreeSet::new();
        while let Some(name) = left.pop() {
            if !seen.insert(name.clone()) {
                continue;
            }
            for def in self.preprocessed.macros.all(&name) {
                left.extend(identifiers(&def.text).map(str::to_owned));
            }
        }
        names.extend(seen);
    }

    /// Records whose members use a name of two meanings.
    fn records_with_ambiguous_names(&mut self, id: FileId) {
        let Some(parsed) = self.trees.of(id).filter(|_| !self.ambiguous.names.is_empty()) else {
            return;
        };
        let masked = &self.preprocessed.files[id.index()].masked;
        let mut found = Vec::new();
        for record in &self.program.records {
            let Some(body) = record.body.filter(|body| body.file == id) else { continue };
            let used = self.first_ambiguous(parsed, masked, body);
            if let Some((used, name)) = used {
                let mut related = self.ambiguous.names[name].clone();
                related.insert(0, (used, format!("`{name}` has two meanings")));
                found.push((body, record.name.clone(), related));
            }
        }
        for (span, name, related) in found {
            self.push_meanings(span, BTreeSet::from([name]), related);
        }
    }

    /// The first name of two meanings that the body of a record uses; names of members and of types in it are its own.
    fn first_ambiguous<'s>(
        &self,
        parsed: &Parsed,
        masked: &'s str,
        body: Span,
    ) -> Option<(Span, &'s str)> {
        let at = |range: std::ops::Range<usize>| {
            (Span::new(body.file, range.start, range.end), &masked[range])
        };
        let node = parsed
            .tree
            .root_node()
            .descendant_for_byte_range(body.start as usize, body.end as usize)
            .filter(|_| !parsed.is_suspect(body.range()));
        let own: BTreeSet<&str> = node
            .iter()
            .flat_map(|body| body.named_children(&mut body.walk()).collect::<Vec<_>>())
            .filter_map(|member| match member.kind() {
                "type_definition" => member.field(FieldName::Declarator).map(innermost),
                "alias_declaration" => member.field(FieldName::Name),
                _ => None,
            })
            .map(|name| &masked[name.byte_range()])
            .collect();
        let all: Vec<(Span, &str)> = match node {
            Some(node) => {
                // Bodies of member functions say nothing about what the record has.
                let names = names_beside(node, &["compound_statement", "field_initializer_list"]);
                let names = names.into_iter().filter(|name| !names_a_parameter(*name));
                names.map(|name| at(name.byte_range())).collect()
            }
            None => tokens(&masked[body.range()])
                .into_iter()
                .map(|token| {
                    at(body.start as usize + token.range().start
                        ..body.start as usize + token.range().end)
                })
                .collect(),
        };
        all.into_iter().find(|(_, name)| self.ambiguous.contains(name) && !own.contains(name))
    }

    /// Declarations of a header that name what its includers declare, each in its own way.
    fn names_of_includers(&mut self, id: FileId) {
        let file = &self.preprocessed.files[id.index()];
        let is_included = self.program.files.iter().any(|other| other.includes.contains(&id));
        let Some(parsed) = self.trees.of(id).filter(|_| is_included) else { return };
        let root = parsed.tree.root_node();
        let mut verdicts: BTreeMap<&str, Option<(FileId, FileId)>> = BTreeMap::new();
        let mut found: BTreeMap<usize, (Span, Related)> = BTreeMap::new();
        for item in items(root) {
            let mut own = None;
            for name_node in names_in(item) {
                let name = &file.masked[name_node.byte_range()];
                let verdict = *verdicts
                    .entry(name)
                    .or_insert_with(|| self.globals.rivals(&self.program, name, id));
                let Some((one, other)) = verdict else { continue };
                if own.get_or_insert_with(|| locally_declared(item, &file.masked)).contains(name) {
                    continue;
                }
                let used = Span::new(id, name_node.start_byte(), name_node.end_byte());
                let related = vec![
                    (used, format!("`{name}` has two meanings here")),
                    (self.first_mention(one, name), "one is declared here".to_owned()),
                    (self.first_mention(other, name), "the other is declared here".to_owned()),
                ];
                let span = Span::new(id, item.start_byte(), item.end_byte());
                found.insert(item.start_byte(), (span, related));
                break;
            }
        }
        for (_, (span, related)) in found {
            let text = &self.preprocessed.sources.file(id).text()[span.range()];
            let names = identifiers(text).map(str::to_owned).collect();
            self.push_meanings(span, names, related);
        }
    }

    /// Where a file names something first; its start if it does not.
    fn first_mention(&self, file: FileId, name: &str) -> Span {
        let text = &self.preprocessed.files[file.index()].masked;
        let found = tokens(text).into_iter().find(|token| token.text(text) == name);
        found.map_or(Span::new(file, 0, 0), |token| {
            Span::new(file, token.range().start, token.range().end)
        })
    }

    fn push_meanings(&mut self, span: Span, identifiers: BTreeSet<String>, related: Related) {
        let kind = RegionKind::SeveralMeanings;
        self.program.regions.push(UnmodelledRegion { span, kind, identifiers, related });
    }
}

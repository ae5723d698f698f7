//! `template float *make<float>(int);`
//!
//! It compiles an instance of what a template says. The template stays in the program, so this stays right as long as what
//! the template is made of does: only names that both have can matter, if an instance for a type of the program uses
//! nothing else of it. Instances of class templates, and of their members, are not modelled.

use super::Lowering;
use super::fields::{FieldName, Fields};
use super::pasted::identifiers;
use crate::program::{Function, RegionKind, UnmodelledRegion};
use crate::types::TypeKind;
use layoutc_diagnostics::{FileId, Span};
use std::collections::BTreeSet;
use tree_sitter::Node;

impl<'t> Lowering<'t> {
    /// Notes an explicit instantiation at namespace scope.
    pub(super) fn explicit_instantiation(&mut self, node: Node<'t>) {
        if self.frame.is_some() || self.offset != 0 {
            self.region(node, RegionKind::Unmodelled);
        } else {
            self.explicit_instantiations.push((self.current, node));
        }
    }

    /// Makes a region of each explicit instantiation, when all functions are known.
    pub(super) fn collect_explicit_instantiations(&mut self) {
        for (file, node) in std::mem::take(&mut self.explicit_instantiations) {
            let span = Span::new(file, node.start_byte(), node.end_byte());
            match self.names_of_instantiation(file, node) {
                None => self.region_of_text(span, RegionKind::Unmodelled),
                Some(identifiers) => self.program.regions.push(UnmodelledRegion {
                    span,
                    kind: RegionKind::Unmodelled,
                    identifiers,
                    related: Vec::new(),
                }),
            }
        }
    }

    /// The names in the explicit instantiation of a function template that the template has, too, and those of values;
    /// nothing if it is something else, or an instance for a type of the program that uses functions or classes of it.
    fn names_of_instantiation(&self, file: FileId, node: Node<'t>) -> Option<BTreeSet<String>> {
        if node.has_error() {
            return None;
        }
        let text = &self.preprocessed.files[file.index()].masked;
        let name = function_name(node)?;
        let function = &text[name.byte_range()];
        let is_template = |of: &&Function| {
            of.name == function
                && of.copy_of.is_none()
                && of.record.is_none()
                && !of.template_parameters.is_empty()
        };
        let templates: Vec<&Function> = self.program.functions.iter().filter(is_template).collect();
        if templates.is_empty() {
            return None;
        }
        let words: BTreeSet<&str> = templates
            .iter()
            .flat_map(|template| {
                // A parameter hides what has its name outside.
                let own = template.parameters.iter().map(|id| self.program.variable(*id));
                let hidden: BTreeSet<&str> = own.map(|own| own.name.as_str()).collect();
                let sites = template.sites.iter().flat_map(|site| {
                    identifiers(self.preprocessed.sources.text(site.template.unwrap_or(site.span)))
                });
                sites.filter(move |word| !hidden.contains(word))
            })
            .collect();
        let (mut found, mut types) = (BTreeSet::new(), BTreeSet::new());
        let mut stack = vec![(node, false)];
        while let Some((at, is_argument)) = stack.pop() {
            let is_argument = is_argument || at.kind() == "template_argument_list";
            let word = &text[at.byte_range()];
            match at.kind() {
                _ if at == name => {}
                "identifier" if is_argument => {
                    found.insert(word.to_owned());
                }
                "type_identifier" | "namespace_identifier" => {
                    types.insert(word);
                    found.extend(words.get(word).map(|word| (*word).to_owned()));
                }
                _ => {
                    let mut cursor = at.walk();
                    stack.extend(at.named_children(&mut cursor).map(|child| (child, is_argument)));
                }
            }
        }
        (types.is_empty() || !self.uses_program(&words, function, &types)).then_some(found)
    }

    /// Whether a template with these words may use functions, operators for types, classes or macros of the program.
    fn uses_program(&self, words: &BTreeSet<&str>, own: &str, types: &BTreeSet<&str>) -> bool {
        let is_used = |name: &str| name != own && words.contains(name);
        let is_operator = |of: &Function| {
            let mut parameters = of.parameters.iter().map(|id| self.program.variable(*id).ty);
            of.record.is_none()
                && of.name.starts_with("operator")
                && parameters.any(|ty| match self.program.as_record(ty.id) {
                    Some(id) => types.contains(self.program.record(id).name.as_str()),
                    None => !matches!(
                        self.program.types.kind(self.program.types.strip_reference(ty).id),
                        TypeKind::Scalar(_) | TypeKind::Vector(_)
                    ),
                })
        };
        let mut functions = self.program.functions.iter();
        let mut records = self.program.records.iter();
        functions.any(|other| is_used(&other.name) || is_operator(other))
            || records.any(|record| is_used(&record.name))
            || words.iter().any(|word| {
                let mut all = self.preprocessed.macros.all(word);
                all.any(|def| {
                    identifiers(&def.text).any(|inner| {
                        self.program.functions.iter().any(|other| other.name == inner)
                            || self.program.records.iter().any(|record| record.name == inner)
                    })
                })
            })
    }
}

/// The name of the function template that an explicit instantiation is about.
fn function_name(node: Node<'_>) -> Option<Node<'_>> {
    let mut declarator = node.field(FieldName::Declarator)?;
    while matches!(declarator.kind(), "pointer_declarator" | "reference_declarator") {
        // A reference has no field for what is in it.
        let mut cursor = declarator.walk();
        let last = declarator.named_children(&mut cursor).last();
        declarator = declarator.field(FieldName::Declarator).or(last)?;
    }
    if declarator.kind() != "function_declarator" {
        return None;
    }
    let named = declarator.field(FieldName::Declarator)?;
    match named.kind() {
        "template_function" => named.field(FieldName::Name),
        "identifier" => Some(named),
        _ => None,
    }
}

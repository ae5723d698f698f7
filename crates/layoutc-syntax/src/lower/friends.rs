//! Friends of a class: what it declares and is no member.
//!
//! A friend that is defined in the class is a function of the namespace. Calls find it by the class of
//! their arguments; here it is declared as any other, because a call that fits it has such an argument.
//! Its text stays where it is, so it has no copies. One that a class template defines is a function for each instance, and
//! all of them share the text, so none of them may change ([`Program::shared_friends`](crate::Program::shared_friends)).

use super::Lowering;
use super::expressions::only_named;
use super::fields::{FieldName, Fields};
use crate::program::{FunctionId, RecordId, RecordTrait, RegionKind};
use tree_sitter::Node;

impl<'t> Lowering<'t> {
    /// A `friend` declaration in the body of a record.
    pub(super) fn friend(&mut self, id: RecordId, node: Node<'t>) {
        if !self.known_friend(id, node) {
            self.record_trait(id, RecordTrait::Unmodelled, self.span(node));
            self.region(node, RegionKind::Unmodelled);
        }
    }

    /// Lowers a friend that has a form in the model.
    fn known_friend(&mut self, id: RecordId, node: Node<'t>) -> bool {
        let is_instance = self.is_instance(id);
        let is_template = is_instance || !self.template_parameters.is_empty();
        let Some(inner) = only_named(node).filter(|_| self.locals.is_empty()) else { return false };
        if is_template && inner.kind() != "function_definition" {
            return false;
        }
        if is_template && !is_instance {
            // The text of the template is that of its instances; what it does with globals, text outside the model may do.
            return !super::pasted::identifiers(self.text_of(node))
                .any(|word| self.global_variable(word).is_some());
        }
        match inner.kind() {
            "function_definition" => {
                let is_known = inner.field(FieldName::Type).is_some()
                    && !inner.field(FieldName::Declarator).is_none_or(|own| own.has_error())
                    && !self.means_something_in_class(id, node);
                if is_known {
                    self.record_trait(id, RecordTrait::Methods, self.span(node));
                    let before = self.program.functions.len();
                    self.function_definition(inner, None);
                    if is_instance {
                        let made = before..self.program.functions.len();
                        self.program.shared_friends.extend(made.map(|at| FunctionId(at as u32)));
                    }
                }
                is_known
            }
            // A version of what is defined elsewhere would be no friend.
            _ if self.has_private_names(id) => false,
            "declaration" => {
                let declarators = inner.fields(FieldName::Declarator);
                if !declarators.iter().any(|own| self.is_of_another_class(*own)) {
                    self.declaration(inner, None);
                }
                true
            }
            // `friend class Other;`
            "type_identifier" | "qualified_identifier" | "template_type" => true,
            _ => false,
        }
    }

    /// Whether `friend void Other::f();` names a function that is declared already.
    fn is_of_another_class(&self, declarator: Node<'t>) -> bool {
        let mut stack = vec![declarator];
        while let Some(node) = stack.pop() {
            match node.kind() {
                "qualified_identifier" => return true,
                "parameter_list" => {}
                _ => {
                    let mut cursor = node.walk();
                    stack.extend(node.named_children(&mut cursor));
                }
            }
        }
        false
    }

    fn has_private_names(&self, id: RecordId) -> bool {
        let record = self.program.record(id);
        !record.private_names.is_empty()
            || record.traits.iter().any(|(which, _)| *which == RecordTrait::Private)
            || record.methods.iter().any(|method| self.program.function(*method).is_private)
    }

    /// Whether a word of a friend's text means a type, constant or static member of the class, and
    /// something else outside of it: its body is lowered as that of a function of the namespace.
    fn means_something_in_class(&self, id: RecordId, node: Node<'t>) -> bool {
        let words: Vec<&str> = super::pasted::identifiers(self.text_of(node)).collect();
        let methods = self.program.record(id).methods.iter();
        let mut own = methods
            .map(|method| self.program.function(*method))
            .filter(|method| method.is_static_member && words.contains(&method.name.as_str()));
        own.next().is_some()
            || self.program.record(id).scope.keys().any(|name| {
                words.contains(&name.as_str()) && self.is_declared_outside_classes(name)
            })
    }
}

//! Static member function templates of plain classes.
//!
//! `struct Mem { template <class T> static T *make(size_t n) { … } };` says nothing that a function
//! template of the namespace does not, if no word of it means a member of the class. So it is one in the
//! model: a function without a record, which only `Mem::make` finds. Calls in another form keep reaching
//! a member that is not modelled.

use super::Lowering;
use super::fields::{FieldName, Fields};
use super::macros::MACRO_DEPTH;
use super::names::Symbol;
use crate::program::{ExprId, ExprKind, FunctionId, NameRef, RecordId, RecordTrait};
use layoutc_diagnostics::Span;
use std::collections::BTreeSet;
use tree_sitter::Node;

impl<'t> Lowering<'t> {
    /// Lowers the member templates of a class that have a form in the model; gives back the others.
    ///
    /// All members of the class are known, and `around` is the class around it.
    pub(super) fn static_member_templates(
        &mut self,
        id: RecordId,
        class: Node<'t>,
        templates: Vec<Node<'t>>,
        around: Option<RecordId>,
    ) -> Vec<Node<'t>> {
        let mut cursor = class.walk();
        let is_derived =
            class.named_children(&mut cursor).any(|child| child.kind() == "base_class_clause");
        let record = self.program.record(id);
        let is_plain = around.is_none()
            && self.frame.is_none()
            && self.locals.is_empty()
            && self.function.is_none()
            && self.template_parameters.is_empty()
            && !self.is_in_instance()
            && !self.is_instance(id)
            && !is_derived
            && !record.name.is_empty()
            && !record.traits.iter().any(|(which, _)| *which == RecordTrait::Unmodelled);
        if !is_plain {
            return templates;
        }
        let members = self.names_of_members(id);
        let (known, others): (Vec<_>, Vec<_>) = templates
            .iter()
            .partition(|node| self.is_independent(id, **node, &members, &templates));
        let outer = self.record.take();
        let lowered: Vec<(FunctionId, Node<'t>, Node<'t>)> =
            known.into_iter().filter_map(|node| self.static_member_template(id, node)).collect();
        for (function, list, definition) in lowered {
            self.with_template_list(list, |this| this.function_body(function, definition, None));
        }
        self.record = outer;
        others
    }

    /// The names of all members that are modelled.
    fn names_of_members(&self, id: RecordId) -> BTreeSet<String> {
        let record = self.program.record(id);
        let fields = record.fields.iter().map(|field| &self.program.field(*field).name);
        let methods = record.methods.iter().map(|method| &self.program.function(*method).name);
        let declared = record.scope.keys().chain(&record.private_names);
        fields.chain(methods).chain(declared).cloned().collect()
    }

    /// Whether a member template is static, defined, has no overloads, and mentions no member.
    fn is_independent(
        &self,
        id: RecordId,
        node: Node<'t>,
        members: &BTreeSet<String>,
        templates: &[Node<'t>],
    ) -> bool {
        let (Some(name), Some((_, definition))) =
            (self.template_member(node), list_and_definition(node))
        else {
            return false;
        };
        let Some(specifier) = definition.field(FieldName::Type) else { return false };
        if node.has_error() || !self.modifier_words(definition, specifier).contains(&"static") {
            return false;
        }
        let namesakes =
            templates.iter().filter(|other| self.template_member(**other).as_ref() == Some(&name));
        if namesakes.count() > 1 {
            return false;
        }
        let mut words: Vec<&str> = super::pasted::identifiers(self.text_of(node)).collect();
        if words.iter().filter(|word| **word == name).count() > 1 {
            return false;
        }
        words.retain(|word| *word != name);
        // What macros stand for is a part of the text.
        let mut all: BTreeSet<String> = words.into_iter().map(str::to_owned).collect();
        let mut latest: Vec<String> = all.iter().cloned().collect();
        for _ in 0..MACRO_DEPTH {
            let mut next = Vec::new();
            for word in &latest {
                for definition in self.preprocessed.macros.lookup(word) {
                    let inner = super::pasted::identifiers(&definition.text);
                    next.extend(inner.filter(|own| !all.contains(*own)).map(str::to_owned));
                }
            }
            all.extend(next.iter().cloned());
            latest = next;
        }
        let unmodelled = &self.program.record(id).unmodelled_members;
        latest.is_empty()
            && !members.contains(&name)
            && !all.contains(&name)
            && all.is_disjoint(members)
            && all.is_disjoint(unmodelled)
    }

    fn static_member_template(
        &mut self,
        id: RecordId,
        node: Node<'t>,
    ) -> Option<(FunctionId, Node<'t>, Node<'t>)> {
        let (list, definition) = list_and_definition(node)?;
        let name = self.template_member(node)?;
        let before = self.program.functions.len();
        self.with_template_list(list, |this| {
            // Only the class finds it by its name.
            this.templates.in_head = true;
            this.function_definition(definition, None);
            this.templates.in_head = false;
        });
        let mut made = (before..self.program.functions.len()).filter(|at| {
            let function = &self.program.functions[*at];
            function.record.is_none() && function.copy_of.is_none() && function.name == name
        });
        let function = FunctionId(made.next()? as u32);
        self.with_template_list(list, |this| this.template_source(function, definition, list));
        self.program.member_templates.insert(function, id);
        self.templates.of_classes.insert((id, name), function);
        Some((function, list, definition))
    }

    /// The static member function template that `Class::name` and `Class::name<T>` mean.
    pub(super) fn static_template(&mut self, node: Node<'t>) -> Option<(FunctionId, Node<'t>)> {
        let (scope, last) = self.qualified_parts(node);
        let (class, outer) = scope.split_last()?;
        let last = last?;
        let name = match last.kind() {
            "identifier" => last,
            "template_function" => last.field(FieldName::Name)?,
            _ => return None,
        };
        if !self.templates.of_classes.keys().any(|(_, own)| own == self.text_of(name)) {
            return None;
        }
        let symbols = self.symbols(class, outer);
        if !matches!(symbols.first(), Some(Symbol::Type(_))) {
            return None;
        }
        let ty = self.type_of_name(class, outer);
        let record = self.program.types.as_record(ty.id)?;
        let key = (record, self.text_of(name).to_owned());
        Some((*self.templates.of_classes.get(&key)?, last))
    }

    /// `Class::name` and `Class::name<T>` for such a template.
    pub(super) fn name_of_static_template(
        &mut self,
        function: FunctionId,
        last: Node<'t>,
        span: Span,
    ) -> ExprId {
        let reference = NameRef::Functions(vec![function]);
        let ty = self.type_of_reference(&reference);
        let list = last.field(FieldName::Arguments).filter(|_| last.kind() == "template_function");
        let Some(list) = list else {
            return self.add_expr(ExprKind::Name(reference), span, ty);
        };
        let is_callee = std::mem::take(&mut self.templates.in_callee);
        let expr = self.named_template(last, &[]);
        let own = &mut self.program.exprs[expr.index()];
        (own.kind, own.span, own.ty) = (ExprKind::Name(reference), span, ty);
        if !is_callee {
            self.instantiate_named(expr, list);
        }
        expr
    }
}

/// The parameters of a member template, and the definition that it is of.
fn list_and_definition(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let list = node.field(FieldName::Parameters).filter(|list| list.named_child_count() > 0)?;
    let mut cursor = node.walk();
    let inner = node.named_children(&mut cursor).filter(|child| *child != list).last()?;
    (inner.kind() == "function_definition").then_some((list, inner))
}

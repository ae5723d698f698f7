//! Base classes, and the members that a record has from them.
//!
//! A record that inherits has a [`Field`] of its own for each field of its bases, in front of its
//! own and with the spans of the base's, so that what is said of a record's fields holds for
//! inherited ones. Member functions are not repeated: an object's type says whose members they
//! reach.

use super::Lowering;
use super::fields::{FieldName, Fields};
use super::names::Symbol;
use crate::program::{
    ExprId, Field, FieldId, FunctionId, RecordId, RecordTrait, RegionKind, VarId,
};
use crate::types::QualType;
use tree_sitter::Node;

/// A field or the member functions of a name.
pub(crate) type Members = (Option<FieldId>, Vec<FunctionId>);

impl<'t> Lowering<'t> {
    /// The base classes in the head of a record.
    pub(crate) fn base_classes(&mut self, id: RecordId, clause: Node<'t>) {
        let mut cursor = clause.walk();
        let parts: Vec<_> = clause.children(&mut cursor).collect();
        let is_class = clause.parent().is_some_and(|parent| parent.kind() == "class_specifier");
        let mut is_public = !is_class;
        let mut bases = Vec::new();
        for part in parts {
            match part.kind() {
                ":" | "comment" => {}
                "," => is_public = !is_class,
                "access_specifier" => is_public = self.text_of(part) == "public",
                "virtual" => {
                    self.record_trait(id, RecordTrait::Virtual, self.span(part));
                    is_public = false;
                }
                "type_identifier" | "qualified_identifier" if is_public => {
                    match self.base_named(id, part) {
                        Some(base) => bases.push((base, self.span(part))),
                        None => return self.unmodelled_bases(id, clause),
                    }
                }
                _ => return self.unmodelled_bases(id, clause),
            }
        }
        let own = self.program.record(id);
        // What is inherited has spans of its own in each instance of a template, or none.
        let is_instance = own.instance.is_some() || own.shares_text;
        if bases.is_empty() || own.is_union || is_instance || !self.template_parameters.is_empty() {
            return self.unmodelled_bases(id, clause);
        }
        for (base, span) in bases {
            self.inherit(id, base, span);
        }
    }

    fn unmodelled_bases(&mut self, id: RecordId, clause: Node<'t>) {
        self.record_trait(id, RecordTrait::Bases, self.span(clause));
        self.region(clause, RegionKind::Unmodelled);
    }

    /// A base class that is complete, and lies in the same scope as far as the names of its
    /// members' types go.
    fn base_named(&mut self, id: RecordId, name: Node<'t>) -> Option<RecordId> {
        let (scope, last) = self.qualified_parts(name);
        let last = last.filter(|last| last.kind() == "type_identifier")?;
        let ty = self.type_of_name(self.text_of(last), &scope);
        let base = self.program.types.as_record(ty.id)?;
        let own = self.program.record(base);
        let is_instance = own.instance.is_some() || own.shares_text;
        (base != id && own.body.is_some() && !own.is_union && !is_instance).then_some(base)
    }

    fn inherit(&mut self, id: RecordId, base: RecordId, span: layoutc_diagnostics::Span) {
        let own = self.program.record(base).clone();
        self.program.records[id.index()].bases.push(base);
        self.program.records[id.index()].is_local |= own.is_local;
        for (which, _) in own.traits {
            self.record_trait(id, which, span);
        }
        for field in own.fields {
            let inherited = self.program.field(field).clone();
            self.program.records[id.index()].fields.push(FieldId(self.program.fields.len() as u32));
            self.program.fields.push(Field { record: id, inherited: Some(field), ..inherited });
        }
    }

    /// The field of that name, or the member functions, as a class member access finds them:
    /// what a record declares hides what its bases do. Nothing if bases do not agree.
    pub(crate) fn member_named(&self, record: RecordId, name: &str) -> Members {
        let own = self.program.record(record);
        // One that is not modelled may be what is meant.
        if own.unmodelled_members.contains(name) {
            return (None, Vec::new());
        }
        let field = self.fields_by_name.get(&record).and_then(|own| own.get(name)).copied();
        let named = self.methods_by_name.get(&record);
        let named = named.and_then(|own| own.get(&super::names::operator_name(name)));
        let methods: Vec<FunctionId> = named
            .into_iter()
            .flatten()
            .copied()
            .filter(|method| self.program.function(*method).name == name)
            .collect();
        if field.is_some() || !methods.is_empty() || own.scope.contains_key(name) {
            return (field, methods);
        }
        let mut found: Vec<Members> = own
            .bases
            .iter()
            .map(|base| self.member_named(*base, name))
            .filter(|(field, methods)| field.is_some() || !methods.is_empty())
            .collect();
        match (found.pop(), found.is_empty()) {
            (Some((field, methods)), true) => match field {
                Some(field) => (self.program.field_in(record, field), methods),
                None => (None, methods),
            },
            _ => (None, Vec::new()),
        }
    }

    /// Whether a name may mean a member of the record that is not modelled.
    pub(crate) fn is_unmodelled_member(&self, record: RecordId, name: &str) -> bool {
        self.program
            .with_bases(record)
            .into_iter()
            .any(|class| self.program.record(class).unmodelled_members.contains(name))
    }

    /// The static member of that name, if everybody may use it.
    pub(crate) fn static_named(&self, record: RecordId, name: &str) -> Option<VarId> {
        let own = self.program.record(record);
        match own.scope.get(name) {
            Some(found) => *found,
            None => own.bases.iter().find_map(|base| self.static_named(*base, name)),
        }
    }

    /// `Base::member` of an object of type `record`.
    pub(crate) fn qualified_member(&mut self, record: RecordId, name: Node<'t>) -> Members {
        let none = (None, Vec::new());
        let (scope, last) = self.qualified_parts(name);
        let Some((class, outer)) = scope.split_last() else { return none };
        let Some(last) = last.filter(|last| {
            matches!(last.kind(), "field_identifier" | "identifier" | "type_identifier")
        }) else {
            return none;
        };
        let ty: QualType = self.type_of_name(class, outer);
        let Some(class) = self.program.types.as_record(ty.id) else { return none };
        if class != record && !self.program.derives_from(record, class) {
            return none;
        }
        let (field, methods) = self.member_named(class, self.text_of(last));
        let field = field.and_then(|field| self.program.field_in(record, field));
        (field, methods)
    }

    /// `Base::member` in a member function, where that is a member of `this`.
    pub(crate) fn implicit_qualified_member(&mut self, node: Node<'t>) -> Option<ExprId> {
        let record = self.record?;
        self.function?;
        let (scope, last) = self.qualified_parts(node);
        if scope.is_empty() || last?.kind() != "identifier" {
            return None;
        }
        let (field, methods) = self.qualified_member(record, node);
        if field.is_none() && methods.is_empty() {
            return None;
        }
        let span = self.span(node);
        Some(self.member_of_this(record, field, methods, span))
    }

    /// The static member functions that `Class::name` and `Class<T>::name` mean.
    pub(crate) fn static_member_functions(&mut self, node: Node<'t>) -> Option<Vec<FunctionId>> {
        let (mut outer, mut class, mut at) = (Vec::new(), None, node);
        while at.kind() == "qualified_identifier" {
            outer.extend(class.take().map(|part: Node<'t>| self.text_of(part)));
            class = Some(at.field(FieldName::Scope)?);
            at = at.field(FieldName::Name)?;
        }
        let class = class.filter(|_| at.kind() == "identifier")?;
        let ty = match class.kind() {
            "template_type" => self.template_type(class, &outer),
            _ => {
                let symbols = self.symbols(self.text_of(class), &outer);
                if !matches!(symbols.first(), Some(Symbol::Type(_))) {
                    return None;
                }
                self.type_of_name(self.text_of(class), &outer)
            }
        };
        let record = self.program.types.as_record(ty.id)?;
        let (_, methods) = self.member_named(record, self.text_of(at));
        let is_static = |id: &FunctionId| self.program.function(*id).is_static_member;
        (!methods.is_empty() && methods.iter().all(is_static)).then_some(methods)
    }
}

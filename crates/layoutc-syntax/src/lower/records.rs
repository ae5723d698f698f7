//! Structs, classes and unions.

use super::Lowering;
use super::attributes::LayoutEffect;
use super::declarations::Objects;
use super::fields::{FieldName, Fields};
use super::names::Symbol;
use super::types::is_definition;
use crate::preprocess::MaskReason;
use crate::program::{
    Declaration, Field, FieldId, FunctionId, Record, RecordId, RecordTrait, RegionKind,
};
use crate::types::{QualType, TypeKind};
use layoutc_diagnostics::Span;
use std::collections::{BTreeMap, BTreeSet};
use tree_sitter::Node;

impl<'t> Lowering<'t> {
    /// A struct, class or union specifier: a definition, a forward declaration or a use.
    pub(crate) fn record_specifier(&mut self, node: Node<'t>) -> QualType {
        let name_node = node.field(FieldName::Name);
        let name = match name_node {
            Some(name) if name.kind() == "type_identifier" => self.text_of(name).to_owned(),
            // `struct Vec3<float> *p`
            Some(name) if name.kind() == "template_type" && !is_definition(node) => {
                return self.specifier(name);
            }
            Some(name)
                if is_definition(node)
                    && let Some((outer, nested)) = self.nested_class(name) =>
            {
                return self.nested_body(outer, nested, node);
            }
            Some(_) => {
                // A specialisation, or a nested class that is not found.
                self.region(node, RegionKind::Unmodelled);
                return self.program.types.unknown();
            }
            None => String::new(),
        };
        let body = node.field(FieldName::Body);
        // `struct P;` and `struct P { … };` are about a class of this scope, whatever has that name around it.
        let is_declaration = body.is_some()
            || node.next_sibling().is_some_and(|next| next.kind() == ";")
                && node.parent().is_some_and(|parent| {
                    !matches!(parent.kind(), "friend_declaration" | "parameter_declaration")
                });
        let is_of_scope = |id: RecordId| {
            let own = self.program.record(id);
            let is_local = self.has_locals() || self.record.is_some();
            own.is_local == is_local && own.namespaces == self.namespaces
        };
        let known = (!name.is_empty())
            .then(|| {
                self.tags(&name).into_iter().find_map(|symbol| match symbol {
                    Symbol::Type(ty) => self
                        .program
                        .types
                        .as_record(ty.id)
                        .filter(|id| !is_declaration || is_of_scope(*id)),
                    // A template that was declared before.
                    Symbol::ClassTemplate(id)
                        if self.program.record(*id).namespaces == self.namespaces =>
                    {
                        Some(*id)
                    }
                    _ => None,
                })
            })
            .flatten();
        let id = match (known, body) {
            (Some(id), None) => {
                self.declare_again(&name, id);
                self.class_template(id, node);
                self.note_forward(id, node);
                return self.record_type(id);
            }
            // A forward declaration is completed by the first body that the same file set shows.
            (Some(id), Some(_)) if self.program.record(id).body.is_none() => {
                self.declare_again(&name, id);
                id
            }
            _ if body.is_none()
                && self.template_parameters.is_empty()
                && is_parameter_type(node) =>
            {
                // `void f(struct T *p)` declares `T` in the namespace around.
                let outer = (self.locals.take(), self.record.take());
                let id = self.new_record(name, name_node, node);
                (self.locals, self.record) = outer;
                id
            }
            _ => self.new_record(name, name_node, node),
        };
        self.class_template(id, node);
        match body {
            Some(body) => self.record_body(id, node, body),
            None => self.note_forward(id, node),
        }
        self.record_type(id)
    }

    /// Notes a declaration such as `struct P;` at namespace scope.
    fn note_forward(&mut self, id: RecordId, node: Node<'t>) {
        let is_outside =
            self.template_parameters.is_empty() && self.locals.is_empty() && self.record.is_none();
        let parent = node.parent().map_or("", |parent| parent.kind());
        let next = node.next_sibling().filter(|next| next.kind() == ";");
        if let Some(end) = next
            && is_outside
            && matches!(parent, "translation_unit" | "declaration_list")
        {
            let span = self.span(node).to(self.span(end));
            self.program.records[id.index()].forward.push(span);
        }
    }

    /// The class that a definition such as `struct Outer::Inner { … };` completes, behind the one around it.
    fn nested_class(&mut self, name: Node<'t>) -> Option<(RecordId, RecordId)> {
        let is_outside =
            self.template_parameters.is_empty() && self.locals.is_empty() && self.record.is_none();
        if name.kind() != "qualified_identifier" || !is_outside {
            return None;
        }
        let (scope, last) = self.qualified_parts(name);
        let last = last.filter(|last| last.kind() == "type_identifier")?;
        let (own, around) = scope.split_last()?;
        let outer = self.type_of_name(own, around);
        let outer = self.program.types.as_record(outer.id)?;
        let nested = self.member_type(outer, self.text_of(last))?;
        let nested = self.program.types.as_record(nested.id)?;
        let record = self.program.record(nested);
        (record.body.is_none() && record.traits.is_empty()).then_some((outer, nested))
    }

    /// The members of a nested class that is defined outside of the class around it.
    fn nested_body(&mut self, outer: RecordId, nested: RecordId, node: Node<'t>) -> QualType {
        let around = self.program.record(outer).namespaces.clone();
        let namespaces = std::mem::replace(&mut self.namespaces, around);
        let record = self.record.replace(outer);
        if let Some(body) = node.field(FieldName::Body) {
            self.record_body(nested, node, body);
        }
        (self.record, self.namespaces) = (record, namespaces);
        self.record_type(nested)
    }

    /// The members of an instance of a class template, from the template's text.
    pub(crate) fn instance_body(&mut self, id: RecordId, node: Node<'t>) {
        if let Some(body) = node.field(FieldName::Body) {
            self.record_body(id, node, body);
        }
    }

    fn record_type(&mut self, id: RecordId) -> QualType {
        QualType::plain(self.program.types.intern(TypeKind::Record(id)))
    }

    fn new_record(
        &mut self,
        name: String,
        name_node: Option<Node<'t>>,
        node: Node<'t>,
    ) -> RecordId {
        let keyword = node.child(0).unwrap_or(node);
        let id = RecordId(self.program.records.len() as u32);
        let is_union = node.kind() == "union_specifier";
        let mut traits = Vec::new();
        if is_union {
            traits.push((RecordTrait::Union, self.span(keyword)));
        }
        if !self.template_parameters.is_empty() {
            traits.push((RecordTrait::Template, self.span(name_node.unwrap_or(keyword))));
        }
        self.program.records.push(Record {
            name_span: self.span(name_node.unwrap_or(keyword)),
            fields: Vec::new(),
            bases: Vec::new(),
            body: None,
            declaration: None,
            forward: Vec::new(),
            explicit_align: None,
            pack: None,
            traits,
            is_local: !self.locals.is_empty() || self.record.is_some(),
            is_union,
            in_linkage_block: self.linkage_blocks > 0,
            namespaces: self.namespaces.clone(),
            methods: Vec::new(),
            scope: BTreeMap::new(),
            private_names: BTreeSet::new(),
            bodiless: 0,
            unmodelled_members: BTreeSet::new(),
            has_defaulted: false,
            instance: None,
            shares_text: self.record.is_some_and(|outer| self.program.record(outer).shares_text),
            name: name.clone(),
        });
        let ty = self.record_type(id);
        let is_template =
            node.parent().is_some_and(|parent| parent.kind() == "template_declaration");
        let symbol = if self.template_parameters.is_empty() {
            Symbol::Type(ty)
        } else if is_template && self.template_lists.len() == 1 && self.record.is_none() {
            Symbol::ClassTemplate(id)
        } else {
            Symbol::TemplateType
        };
        self.declare(&name, symbol);
        id
    }

    fn record_body(&mut self, id: RecordId, node: Node<'t>, body: Node<'t>) {
        self.program.records[id.index()].body = Some(self.span(node));
        self.program.records[id.index()].pack = self.packing.at(self.span(node));
        let parent = node.parent();
        let declaration = parent
            .filter(|parent| {
                matches!(parent.kind(), "declaration" | "type_definition" | "field_declaration")
            })
            .map_or(self.span(node), |parent| self.span(parent));
        // A bare `struct T { … };` leaves its semicolon to the enclosing list.
        let mut declaration = declaration;
        let behind = |node: Node<'t>| {
            let mut next = node.next_sibling();
            while next.is_some_and(|node| node.kind() == "comment") {
                next = next.and_then(|node| node.next_sibling());
            }
            next
        };
        if let Some(next) = behind(parent.unwrap_or(node))
            && next.kind() == ";"
            && parent.is_none_or(|parent| {
                !matches!(parent.kind(), "declaration" | "type_definition" | "field_declaration")
            })
        {
            declaration = declaration.to(self.span(next));
        }
        if let Some(next) = behind(node)
            && next.kind() == ";"
        {
            declaration = declaration.to(self.span(next));
        }
        self.program.records[id.index()].declaration = Some(declaration);
        self.record_head(id, node);

        let outer = self.record.replace(id);
        let outer_assertion = std::mem::replace(&mut self.in_assertion, false);
        let is_class = node.kind() == "class_specifier";
        let mut is_private = is_class;
        let (mut methods, mut friends, mut templates) = (Vec::new(), Vec::new(), Vec::new());
        // Member functions with `&` or `&&` behind their parameters, and whether one of the name takes any object.
        let mut qualified: BTreeMap<String, bool> = BTreeMap::new();
        let mut cursor = body.walk();
        let children: Vec<_> = body.children(&mut cursor).collect();
        for child in children {
            if child.has_error() && child.kind() != "function_definition" {
                self.region(child, RegionKind::Unparsed);
                self.record_trait(id, RecordTrait::Unmodelled, self.span(child));
                continue;
            }
            // Which overload is meant may depend on whether the object is a temporary.
            if let Some((name, objects)) = self.name_with_ref_qualifier(child) {
                let known = qualified.get(&name).copied();
                let takes_any = known == Some(true) || objects == Objects::Any;
                qualified.insert(name.clone(), takes_any);
                if objects == Objects::Temporary || (known.is_some() && takes_any) {
                    self.program.records[id.index()].unmodelled_members.insert(name);
                }
            }
            match child.kind() {
                "{" | "}" | ";" | "comment" | ":" => {}
                "access_specifier" => is_private = self.text_of(child) != "public",
                "field_declaration" => {
                    let before =
                        (self.program.functions.len(), self.program.record(id).fields.len());
                    let first = self.new_members.len();
                    self.field_declaration(id, child);
                    let declared = self.new_members.split_off(first);
                    if is_private {
                        for (_, name) in declared.into_iter().filter(|(record, _)| *record == id) {
                            let own = &mut self.program.records[id.index()];
                            own.scope.insert(name.clone(), None);
                            own.private_names.insert(name);
                        }
                        for function in &mut self.program.functions[before.0..] {
                            function.is_private |= function.record == Some(id);
                        }
                        let own = self.program.record(id).fields[before.1..].to_vec();
                        for field in own {
                            self.program.fields[field.index()].is_private = true;
                        }
                        if self.program.record(id).fields.len() > before.1 {
                            self.record_trait(id, RecordTrait::Private, self.span(child));
                        }
                    }
                }
                "function_definition" | "declaration" => {
                    methods.push((child, is_private));
                }
                // Its parameters are types of which nothing needs to be known.
                "template_declaration" if self.is_model_text(self.current) => {
                    let mut cursor = child.walk();
                    let own = child
                        .named_children(&mut cursor)
                        .find(|inner| inner.kind() == "function_definition");
                    methods.extend(own.map(|own| (own, is_private)));
                }
                "template_declaration" => {
                    self.record_trait(id, RecordTrait::Methods, self.span(child));
                    match self.template_member(child) {
                        Some(name) => {
                            self.program.records[id.index()].unmodelled_members.insert(name);
                            templates.push(child);
                        }
                        None => {
                            self.region(child, RegionKind::Unmodelled);
                            self.record_trait(id, RecordTrait::Unmodelled, self.span(child));
                        }
                    }
                }
                "type_definition" => {
                    self.record_trait(id, RecordTrait::NestedType, self.span(child));
                    self.nested_type(id, is_private, |this| this.type_definition(child));
                }
                "alias_declaration" => {
                    self.record_trait(id, RecordTrait::NestedType, self.span(child));
                    self.nested_type(id, is_private, |this| this.alias_declaration(child));
                }
                "static_assert_declaration" => self.static_assert(child),
                "friend_declaration" => friends.push(child),
                // `using enum Mode;`
                "using_declaration"
                    if child
                        .named_child(0)
                        .is_some_and(|named| self.using_enumeration(child, named)) => {}
                "using_declaration" => {
                    // `using Base::f;`
                    let text = self.text_of(child).trim_end_matches(';');
                    let name = text.rsplit("::").next().unwrap_or(text);
                    let name = super::names::operator_name(name);
                    self.program.records[id.index()].unmodelled_members.insert(name);
                    self.record_trait(id, RecordTrait::Unmodelled, self.span(child));
                    self.region(child, RegionKind::Unmodelled);
                }
                _ => {
                    self.record_trait(id, RecordTrait::Unmodelled, self.span(child));
                    self.region(child, RegionKind::Unmodelled);
                }
            }
        }
        let outer_bodies = std::mem::take(&mut self.waiting_bodies);
        for (method, is_private) in methods {
            let before = self.program.functions.len();
            self.method(id, method);
            for function in &mut self.program.functions[before..] {
                function.is_private |= is_private && function.record == Some(id);
            }
        }
        for friend in friends {
            self.friend(id, friend);
        }
        self.complete_pending(id);
        for template in self.static_member_templates(id, node, templates, outer) {
            self.region(template, RegionKind::Unmodelled);
            if let Some(name) = self.template_member(template) {
                self.not_mentioned_by_its_declaration(template, &name);
            }
        }
        for (function, method) in std::mem::replace(&mut self.waiting_bodies, outer_bodies) {
            if self.is_instance(id) {
                self.postpone_method(function, method, id);
            } else {
                let own = self.program.function(function).record;
                self.function_body(function, method, own);
            }
        }
        self.copy_control(id);
        self.in_assertion = outer_assertion;
        self.record = outer;
    }

    /// Takes a name that the text of the last region declares, and has nowhere else, from what it mentions.
    fn not_mentioned_by_its_declaration(&mut self, node: Node<'t>, name: &str) {
        let words = super::pasted::identifiers(self.text_of(node));
        if self.frame.is_none()
            && words.filter(|word| *word == name).count() == 1
            && let Some(region) = self.program.regions.last_mut()
        {
            region.identifiers.remove(name);
        }
    }

    /// The name that a member template declares; an operator's without blanks.
    pub(super) fn template_member(&self, node: Node<'t>) -> Option<String> {
        let mut cursor = node.walk();
        let inner = node.named_children(&mut cursor).find(|child| {
            matches!(
                child.kind(),
                "function_definition"
                    | "declaration"
                    | "field_declaration"
                    | "template_declaration"
            )
        })?;
        if inner.kind() == "template_declaration" {
            return self.template_member(inner);
        }
        let mut at = inner;
        while let Some(declarator) = at.field(FieldName::Declarator).or_else(|| {
            // A reference's declarator has no field.
            let mut cursor = at.walk();
            at.named_children(&mut cursor).find(|child| child.kind().ends_with("_declarator"))
        }) {
            // `template <class U> operator V<U>() const`: nobody names it, and each conversion of an object is judged.
            if declarator.kind() == "operator_cast" {
                let target = declarator.field(FieldName::Type).unwrap_or(declarator);
                return Some(format!("operator {}", self.text_of(target)));
            }
            at = declarator;
        }
        matches!(at.kind(), "field_identifier" | "identifier" | "operator_name" | "destructor_name")
            .then(|| super::names::operator_name(self.text_of(at)))
    }

    /// A type that the record declares for itself.
    fn nested_type(&mut self, id: RecordId, is_private: bool, lower: impl FnOnce(&mut Self)) {
        let first = self.new_members.len();
        lower(self);
        let declared = self.new_members.split_off(first);
        if is_private {
            let own = declared.into_iter().filter(|(record, _)| *record == id);
            self.program.records[id.index()].private_names.extend(own.map(|(_, name)| name));
        }
    }

    /// Base classes, alignment and packing in the head of a record.
    fn record_head(&mut self, id: RecordId, node: Node<'t>) {
        let mut cursor = node.walk();
        let children: Vec<_> = node.children(&mut cursor).collect();
        let mut effects = Vec::new();
        for child in children {
            if child.kind() == "base_class_clause" {
                self.base_classes(id, child);
            } else if let Some(own) = self.attribute_effects(child) {
                let span = self.span(child);
                effects.extend(own.into_iter().map(|effect| (span, effect)));
            }
        }
        // Members that the parser cannot see.
        let file = &self.preprocessed.files[self.current.index()];
        let hidden = file.masked_spans.iter().find(|(span, reason)| {
            matches!(reason, MaskReason::Members | MaskReason::MacroArgument | MaskReason::Other)
                && node.start_byte() <= span.start as usize
                && (span.start as usize) < node.end_byte()
        });
        if let Some((span, _)) = hidden {
            self.record_trait(id, RecordTrait::Unmodelled, *span);
        }
        // An attribute behind the closing brace: `} __attribute__((packed));`
        if let Some(next) = node.next_sibling()
            && let Some(own) = self.attribute_effects(next)
        {
            let span = self.span(next);
            effects.extend(own.into_iter().map(|effect| (span, effect)));
        }
        // Attributes that the grammar does not take were masked, and are on record.
        let body = node.field(FieldName::Body);
        let head_end = body.map_or(node.end_byte(), |body| body.start_byte());
        let declaration_end =
            self.program.record(id).declaration.map_or(node.end_byte(), |span| span.end as usize);
        let named = node.parent().and_then(|parent| parent.field(FieldName::Declarator));
        for (span, effect) in self.masked_effects(self.behind_previous(node)..declaration_end) {
            let at = span.start as usize;
            // In front of the type and behind the declared name it is the name's, which has the size of the type
            // and another alignment.
            let is_of_name = at < node.start_byte()
                || named.is_some_and(|named| named.start_byte() <= at && node.end_byte() <= at);
            if is_of_name {
                effects.push((span, LayoutEffect::Unknown));
            } else if at < head_end || at >= node.end_byte() {
                effects.push((span, effect));
            }
        }
        self.apply_attributes(id, &effects);
    }

    pub(crate) fn record_trait(&mut self, id: RecordId, which: RecordTrait, span: Span) {
        let traits = &mut self.program.records[id.index()].traits;
        if !traits.iter().any(|(have, _)| *have == which) {
            traits.push((which, span));
        }
    }

    fn field_declaration(&mut self, record: RecordId, node: Node<'t>) {
        let Some(specifier) = node.field(FieldName::Type) else {
            self.record_trait(record, RecordTrait::Unmodelled, self.span(node));
            return;
        };
        let words = self.modifier_words(node, specifier);
        let base = self.specifier(specifier);
        let base = self.qualify(node, specifier, base);
        let declarators = node.fields(FieldName::Declarator);
        let defaults = defaults_of(node, &declarators);
        let mut cursor = node.walk();
        let bit_field =
            node.named_children(&mut cursor).find(|child| child.kind() == "bitfield_clause");
        let declaration = self.add_declaration(Declaration {
            span: self.span(node),
            specifier: self.span(specifier),
            specifier_type: base,
            // An enumeration that is defined here has a name for others, too.
            is_plain: (!is_definition(specifier) || is_named_enum(specifier))
                && self.is_spelled(specifier),
            count: declarators.len(),
            namespaces: self.namespaces.clone(),
        });
        let explicit_align = if declarators.iter().all(|own| declares_function(*own)) {
            for (span, _) in self.masked_effects(node.byte_range()) {
                self.record_trait(record, RecordTrait::Unmodelled, span);
            }
            None
        } else {
            self.member_alignment(record, node, specifier)
        };
        // `static T create();` declares a function.
        if words.contains(&"static") && !declarators.iter().all(|own| declares_function(*own)) {
            for (at, declarator) in declarators.iter().enumerate() {
                let id =
                    self.variable_declarator(*declarator, base, declaration, at, &words, false);
                // Until a definition outside of the class is met.
                let is_defined = words.iter().any(|word| matches!(*word, "inline" | "constexpr"));
                self.program.variables[id.index()].is_extern = !is_defined;
                if let Some(default) = defaults[at] {
                    let value = self.expression(default);
                    let default = self.span(default);
                    let variable = &mut self.program.variables[id.index()];
                    variable.init = Some(value);
                    variable.site.full.end = default.end;
                }
            }
            return;
        }
        if declarators.is_empty() {
            // An anonymous struct or union, or an unnamed bit-field, or a nested type.
            let is_anonymous = self
                .program
                .types
                .as_record(base.id)
                .is_some_and(|inner| self.program.record(inner).name.is_empty());
            if is_anonymous || bit_field.is_some() {
                self.record_trait(record, RecordTrait::Unmodelled, self.span(node));
            } else {
                self.record_trait(record, RecordTrait::NestedType, self.span(node));
            }
            return;
        }
        let whole = self.span(node);
        for (at, (node, default)) in declarators.into_iter().zip(defaults).enumerate() {
            let (mut null_initializer, mut value_of_default) = (None, None);
            if let Some(default) = default {
                let value = self.expression(default);
                self.program.file_scope_exprs.push(value);
                null_initializer = Some(value).filter(|value| self.is_null(*value));
                value_of_default = Some(value);
                self.record_trait(record, RecordTrait::Initializer, whole);
            }
            let mut lowered =
                self.declarator(Some(node), base, Some(declaration), at, self.span(node));
            if let Some(default) = default {
                lowered.site.full.end = self.span(default).end;
            }
            if lowered.parameters.is_some() {
                let which = if words.contains(&"virtual")
                    || self.text_of(node.parent().unwrap_or(node)).starts_with("virtual")
                {
                    RecordTrait::Virtual
                } else {
                    RecordTrait::Methods
                };
                self.record_trait(record, which, self.span(node));
                let function = self.prototype(node, &lowered, &words, Some(record), None);
                let function = self.program.function(function);
                let first = function.parameters.first().copied();
                let is_assignment = function.name == "operator="
                    && first.is_some_and(|first| {
                        let ty =
                            self.program.types.strip_reference(self.program.variable(first).ty);
                        self.program.types.as_record(ty.id) == Some(record)
                    });
                if is_assignment {
                    self.record_trait(record, RecordTrait::CopyControl, self.span(node));
                }
                continue;
            }
            if bit_field.is_some() {
                self.record_trait(record, RecordTrait::BitField, self.span(node));
            }
            let bits = self.bits_behind(node);
            let ty = lowered.ty;
            match self.program.types.kind(ty.id) {
                TypeKind::Reference(..) => {
                    self.record_trait(record, RecordTrait::ConstMember, self.span(node));
                }
                TypeKind::Unknown | TypeKind::Named(..) | TypeKind::TemplateParameter(_) => {
                    self.record_trait(record, RecordTrait::UnknownMember, self.span(node));
                }
                _ => {}
            }
            if ty.is_const || ty.is_volatile || words.contains(&"mutable") {
                self.record_trait(record, RecordTrait::ConstMember, self.span(node));
            }
            if self.holds_device_ptr(ty) && default.is_none() {
                self.region(node, crate::program::RegionKind::Unmodelled);
            }
            let id = FieldId(self.program.fields.len() as u32);
            self.program.identifiers.insert(lowered.name.clone());
            // `Owner o = make();`
            if let Some(value) = value_of_default
                && self.program.types.as_record(ty.id).is_some()
                && self.program.expr(value).ty.id == ty.id
            {
                self.program.bound_members.insert(value);
            }
            self.program.fields.push(Field {
                record,
                name: lowered.name,
                ty,
                site: lowered.site,
                is_bit_field: bit_field.is_some(),
                bits,
                explicit_align,
                is_private: false,
                has_initializer: default.is_some(),
                null_initializer,
                is_untyped: false,
                inherited: None,
            });
            let named = self.fields_by_name.entry(record).or_default();
            named.entry(self.program.field(id).name.clone()).or_insert(id);
            self.program.records[record.index()].fields.push(id);
        }
    }

    /// The number of bits that stands behind a declarator, if it is a constant.
    fn bits_behind(&mut self, declarator: Node<'t>) -> Option<u64> {
        let clause = declarator.next_named_sibling();
        let clause = clause.filter(|clause| clause.kind() == "bitfield_clause")?;
        let value = self.expression(clause.named_child(0)?);
        self.program.file_scope_exprs.push(value);
        crate::evaluate::constant(&self.program, value).and_then(|bits| u64::try_from(bits).ok())
    }

    /// A member function: prototype, definition, constructor, destructor or operator.
    fn method(&mut self, record: RecordId, node: Node<'t>) {
        let text = self.text_of(node);
        let specifier = node.field(FieldName::Type).or(node.field(FieldName::Declarator));
        let words = self.modifier_words(node, specifier.unwrap_or(node));
        let is_virtual = {
            let mut cursor = node.walk();
            node.children(&mut cursor)
                .any(|child| matches!(child.kind(), "virtual" | "virtual_specifier"))
                || words.contains(&"virtual")
                || text.starts_with("virtual")
        };
        if is_virtual {
            self.record_trait(record, RecordTrait::Virtual, self.span(node));
        }
        let mut cursor = node.walk();
        let is_default =
            node.children(&mut cursor).any(|child| child.kind() == "default_method_clause");
        let converts = node
            .field(FieldName::Declarator)
            .is_some_and(|declarator| declarator.kind() == "operator_cast");
        let has_type = converts || node.field(FieldName::Type).is_some();
        let is_deleted = {
            let mut cursor = node.walk();
            node.children(&mut cursor).any(|child| child.kind() == "delete_method_clause")
        };
        self.program.records[record.index()].has_defaulted |= is_default || is_deleted;
        let before = self.program.functions.len();
        if node.kind() == "function_definition" {
            self.function_definition(node, Some(record));
        } else {
            self.declaration(node, Some(record));
        }
        let is_bodiless = node.field(FieldName::Body).is_none() && !is_default && !is_deleted;
        if is_bodiless && !has_type && self.program.functions.len() == before {
            self.program.records[record.index()].bodiless += 1;
        }
        let declared = self
            .program
            .functions
            .get(before)
            .filter(|function| function.record == Some(record))
            .map(|function| (function.name.clone(), function.parameters.clone()));
        let is_own = |this: &Self, parameter: &crate::program::VarId| {
            let ty = this.program.types.strip_reference(this.program.variable(*parameter).ty);
            this.program.types.as_record(ty.id) == Some(record)
        };
        let which = match declared {
            Some((name, _)) if name.starts_with('~') => RecordTrait::Destructor,
            Some((name, parameters)) if has_type => {
                let copies = super::names::operator_name(&name) == "operator="
                    && parameters.first().is_some_and(|first| is_own(self, first));
                if copies { RecordTrait::CopyControl } else { RecordTrait::Methods }
            }
            Some((_, parameters)) => {
                let copies = parameters.first().is_some_and(|first| is_own(self, first));
                if copies { RecordTrait::CopyControl } else { RecordTrait::Constructor }
            }
            None if has_type => RecordTrait::Methods,
            None if declares_destructor(node) => RecordTrait::Destructor,
            None => {
                // `T(const T &)` copies, whatever else its name stands for.
                let name = self.program.record(record).name.clone();
                let inner = text.split_once('(').map_or("", |(_, rest)| rest);
                if super::pasted::identifiers(inner).any(|word| word == name) {
                    RecordTrait::CopyControl
                } else {
                    RecordTrait::Constructor
                }
            }
        };
        let is_copy = which == RecordTrait::CopyControl && self.program.functions.len() > before;
        if is_copy && !self.is_instance(record) {
            let other = if has_type { RecordTrait::Methods } else { RecordTrait::Constructor };
            if !is_default {
                self.note_copying(record, FunctionId(before as u32), self.span(node), other);
            }
            return;
        }
        // What the compiler would do by itself is nothing special.
        if !is_default {
            self.record_trait(record, which, self.span(node));
        }
    }

    pub(crate) fn add_method(&mut self, record: RecordId, function: FunctionId) {
        let name = &mut self.program.functions[function.index()].name;
        if name.starts_with("operator") {
            *name = super::names::operator_name(name);
        }
        let named = self.methods_by_name.entry(record).or_default();
        named.entry(super::names::operator_name(name)).or_default().push(function);
        self.program.records[record.index()].methods.push(function);
    }

    pub(crate) fn type_definition(&mut self, node: Node<'t>) {
        let Some(specifier) = node.field(FieldName::Type) else {
            self.region(node, RegionKind::Unmodelled);
            return;
        };
        let base = self.specifier(specifier);
        let base = self.qualify(node, specifier, base);
        // Attributes of a struct that is defined here are its own.
        let base = if !is_definition(specifier) && self.changes_layout(node, specifier) {
            self.program.types.unknown()
        } else {
            base
        };
        let declarators = node.fields(FieldName::Declarator);
        for declarator in declarators {
            let lowered = self.declarator(Some(declarator), base, None, 0, self.span(declarator));
            if lowered.ty == base
                && let Some(record) = self.program.types.as_record(base.id)
                && self.program.record(record).name.is_empty()
            {
                self.program.records[record.index()].name.clone_from(&lowered.name);
                self.program.records[record.index()].name_span = lowered.site.name;
            }
            self.alias(&lowered.name, lowered.ty, lowered.site.name);
        }
    }

    pub(crate) fn alias_declaration(&mut self, node: Node<'t>) {
        let (Some(name), Some(ty)) = (node.field(FieldName::Name), node.field(FieldName::Type))
        else {
            self.region(node, RegionKind::Unmodelled);
            return;
        };
        let name_span = self.span(name);
        let name = self.text_of(name).to_owned();
        if node.parent().is_some_and(|parent| parent.kind() == "template_declaration") {
            let symbol = self.alias_template(&name, ty);
            self.declare(&name, symbol);
            return;
        }
        let ty = if self.changes_layout(node, ty) {
            self.program.types.unknown()
        } else {
            self.type_descriptor(ty)
        };
        self.alias(&name, ty, name_span);
    }

    /// Whether a value is a null pointer, alone or in a list, or an empty list.
    pub(super) fn is_null(&self, value: crate::program::ExprId) -> bool {
        use crate::program::ExprKind;
        match &self.program.expr(self.program.strip_parens(value)).kind {
            ExprKind::Null | ExprKind::Integer(Some(0)) => true,
            ExprKind::InitList(items) => match items[..] {
                [] => true,
                [item] => matches!(
                    self.program.expr(item).kind,
                    ExprKind::Null | ExprKind::Integer(Some(0))
                ),
                _ => false,
            },
            _ => false,
        }
    }

    fn alias(&mut self, name: &str, ty: QualType, span: Span) {
        // In an instance of a template a name may be made of nothing that is open.
        let is_open = super::templates::depends(&self.program, ty.id)
            || matches!(self.program.types.kind(ty.id), TypeKind::Unknown);
        let in_instance = self.is_in_instance() && !self.locals.is_empty();
        if self.record.is_some_and(|record| self.is_instance(record)) {
            self.declare(name, Symbol::Type(ty));
        } else if self.template_parameters.is_empty() || (in_instance && !is_open) {
            self.program.aliases.push((name.to_owned(), ty, span));
            self.declare(name, Symbol::Type(ty));
        } else {
            self.declare(name, Symbol::TemplateType);
        }
    }

    pub(crate) fn static_assert(&mut self, node: Node<'t>) {
        if let Some(condition) = node.field(FieldName::Condition) {
            let outer = std::mem::replace(&mut self.in_assertion, true);
            let condition = self.expression(condition);
            self.in_assertion = outer;
            self.program.file_scope_exprs.push(condition);
        }
    }
}

/// The default value that stands behind each declarator.
fn defaults_of<'t>(node: Node<'t>, declarators: &[Node<'t>]) -> Vec<Option<Node<'t>>> {
    let values = node.fields(FieldName::DefaultValue);
    let own = |(at, declarator): (usize, &Node<'t>)| {
        let end = declarators.get(at + 1).map_or(node.end_byte(), Node::start_byte);
        let range = declarator.end_byte()..end;
        values.iter().copied().find(|value| range.contains(&value.start_byte()))
    };
    declarators.iter().enumerate().map(own).collect()
}

/// Whether a specifier is `enum class Kind { … }`, or the like without `class`.
fn is_named_enum(specifier: Node<'_>) -> bool {
    specifier.kind() == "enum_specifier" && specifier.field(FieldName::Name).is_some()
}

/// Whether a specifier is the type of a parameter.
fn is_parameter_type(specifier: Node<'_>) -> bool {
    specifier.parent().is_some_and(|around| {
        matches!(around.kind(), "parameter_declaration" | "optional_parameter_declaration")
    })
}

/// Whether a declaration is that of a destructor, whatever stands in front of it.
fn declares_destructor(node: Node<'_>) -> bool {
    let mut at = node.field(FieldName::Declarator);
    while let Some(inner) = at {
        if inner.kind() == "destructor_name" {
            return true;
        }
        at = inner.field(FieldName::Declarator);
    }
    false
}

/// Whether a declarator in a class declares a member function, and no pointer to a function.
fn declares_function(declarator: Node<'_>) -> bool {
    let mut at = declarator;
    loop {
        let inner = at.field(FieldName::Declarator).or_else(|| {
            // A reference's declarator has no field.
            let mut cursor = at.walk();
            at.named_children(&mut cursor).find(|child| child.kind().ends_with("_declarator"))
        });
        match (at.kind(), inner) {
            ("function_declarator", Some(inner)) => {
                return inner.kind() != "parenthesized_declarator";
            }
            (_, Some(inner)) => at = inner,
            (_, None) => return false,
        }
    }
}

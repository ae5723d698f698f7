//! Texts of class templates, written out for an instance.
//!
//! The text of a class template belongs to all of its instances. One whose members mean something
//! else in the new layouts becomes an explicit specialisation: the template's text with the edits
//! of that instance, in which the template's parameters are members. Definitions of member
//! functions outside of the class are written out behind their originals.

use super::class_namespaces::{Namespaces, from_outside};
use super::instances::has_namesake;
use super::instantiation;
use super::order::FileOrder;
use super::{Rewriter, pin, placement};
use crate::edit::Edit;
use crate::edit::apply;
use crate::marker::Marker;
use layoutc_dataflow::classes::{Callee, ClassId, Slot, resolve_callee};
use layoutc_diagnostics::{Code, Span};
use layoutc_syntax::preprocess::{TokenKind, tokens};
use layoutc_syntax::{
    ExprId, ExprKind, FieldId, FunctionId, NameRef, Program, RecordId, TemplateArgument, TypeId,
    TypeKind,
};
use std::collections::{BTreeMap, BTreeSet};

/// An instance whose text changes.
struct ClassText {
    record: RecordId,
    /// A class of arrays for which it changes.
    class: ClassId,
    methods: Vec<FunctionId>,
    /// The edits in the template's text, and in definitions outside of the class.
    edits: Vec<Edit>,
    /// The definition behind which it stands.
    anchor: Span,
}

/// The specialisations of a program.
#[derive(Default)]
pub(super) struct ClassTexts {
    /// The definitions behind which they stand, with the instances.
    anchors: BTreeMap<RecordId, Span>,
    /// What is written out, in order.
    pub(super) edits: Vec<Edit>,
}

impl ClassTexts {
    /// Why text behind a definition cannot use one of the records.
    pub(super) fn obstacle(
        &self,
        order: &FileOrder,
        place: Span,
        records: &BTreeSet<RecordId>,
    ) -> Option<&'static str> {
        self.anchors
            .iter()
            .filter(|(record, anchor)| records.contains(record) && **anchor != place)
            .find_map(|(_, anchor)| order.obstacle(place.at_end(), *anchor))
            .map(|_| "this would stand in front of an instance of a class template that it uses")
    }

    /// Whether a specialisation stands behind the definition.
    pub(super) fn is_behind(&self, definition: Span) -> bool {
        self.anchors.values().any(|anchor| *anchor == definition)
    }
}

impl Rewriter<'_> {
    /// Notes that the text of an instance changes, or refuses that.
    pub(super) fn write_out(&mut self, record: RecordId, class: ClassId, span: Span) {
        let own = self.program.record(record);
        let is_known = own.instance.as_ref().is_some_and(|own| own.definition.is_some());
        if is_known {
            self.versions.written.entry(record).or_insert(class);
        } else {
            let message =
                "this stands in the text of a class template, which all its instances share";
            self.refusals.push((class, pin(span, Code::TEMPLATE_USE, message)));
        }
    }

    /// What a type parameter stands for among the members of the instance that is being rewritten.
    pub(super) fn parameter_of_text(&self, specifier: Span) -> Option<String> {
        let instance = self.program.record(self.text_owner?).instance.as_ref()?;
        let (names, _) = instance.definition.as_ref()?;
        let at = names.iter().position(|name| name == self.program.text(specifier))?;
        let argument = *instance.arguments.get(at)?;
        self.program.argument_spelling(self.program.bound_argument(self.text_owner?, argument))
    }

    /// Writes out the instances whose text changes.
    pub(super) fn class_texts(&mut self, order: &FileOrder) -> ClassTexts {
        let program = self.program;
        // What was edited is what changes.
        let edited: Vec<(RecordId, FunctionId)> = self
            .versions
            .edited()
            .filter_map(|id| {
                let function = program.function(id);
                let record = function.record.filter(|_| function.this_parameter.is_none())?;
                program.record(record).shares_text.then_some((record, id))
            })
            .collect();
        for (record, id) in edited {
            if self.versions.written.contains_key(&record) {
                continue;
            }
            let span = program.function(id).sites[0].name;
            let classes: Vec<ClassId> = self.storage_of.keys().copied().collect();
            for class in classes {
                self.write_out(record, class, span);
            }
        }
        let mut texts: Vec<ClassText> = Vec::new();
        for (record, class) in self.versions.written.clone() {
            let methods: Vec<FunctionId> = program
                .record(record)
                .methods
                .iter()
                .copied()
                .filter(|id| {
                    let function = program.function(*id);
                    let instance = program.record(record).instance.as_ref();
                    function.copy_of.is_some()
                        && function.this_parameter.is_none()
                        && !instance.is_some_and(|own| own.unused.contains(id))
                })
                .collect();
            let mut edits = self.versions.field_edits.remove(&record).unwrap_or_default();
            for id in &methods {
                edits.extend(self.versions.take_edits(*id));
            }
            let whole = placement::definition(program, record);
            texts.push(ClassText { record, class, methods, edits, anchor: whole });
        }
        // What one is made of comes first.
        let mentioned: BTreeMap<RecordId, BTreeSet<RecordId>> = texts
            .iter()
            .map(|text| {
                let mut found = BTreeSet::new();
                self.mentioned_records(text, &mut found);
                (text.record, found)
            })
            .collect();
        let mut done = ClassTexts::default();
        while !texts.is_empty() {
            let is_next = |text: &ClassText| {
                mentioned[&text.record].iter().all(|other| {
                    *other == text.record
                        || done.anchors.contains_key(other)
                        || !mentioned.contains_key(other)
                })
            };
            let Some(at) = texts.iter().position(is_next) else {
                for text in texts {
                    let message = "instances of class templates that need each other would change";
                    self.refuse_text(&text, message);
                }
                break;
            };
            let mut text = texts.remove(at);
            let mut places = vec![placement::definition(program, text.record)];
            for other in &mentioned[&text.record] {
                places.extend(done.anchors.get(other));
            }
            places.extend(self.generated_places(&text));
            match placement::last_of(order, &places) {
                Some(anchor) => text.anchor = anchor,
                None => {
                    let message = "there is no place behind the class template and all that this instance is made of";
                    self.refuse_text(&text, message);
                    continue;
                }
            }
            done.anchors.insert(text.record, text.anchor);
            if let Some(message) = self.text_obstacle(&text, order) {
                self.refuse_text(&text, message);
                continue;
            }
            let is_owner = self.program.is_modelled_owner(text.record);
            let template = self.program.record(text.record).declaration.filter(|_| !is_owner);
            if let Some(name) = template.and_then(|template| self.uses_late(order, template)) {
                let message = format!(
                    "the text of this class template would change, and `{name}`, which it may use, is defined or specialised behind it"
                );
                self.refuse_text(&text, &message);
                continue;
            }
            self.write_text(text, order, &mut done.edits);
        }
        done
    }

    fn refuse_text(&mut self, text: &ClassText, message: &str) {
        let program = self.program;
        let own = program.record(text.record).name_span;
        // Nobody sees the text of layoutc.
        let behind = program.records.iter().find(|other| other.declaration == Some(text.anchor));
        let first = program.record(text.record).instance.iter().find_map(|instance| {
            let argument = program.bound_argument(text.record, *instance.arguments.first()?);
            let TemplateArgument::Type(ty) = argument else { return None };
            Some(program.record(program.types.as_record(ty.id)?))
        });
        let is_shown =
            |other: &&layoutc_syntax::Record| !program.is_model_text(other.name_span.file);
        let shown = behind.filter(is_shown).or(first);
        let shown = shown.filter(|_| program.is_model_text(own.file));
        let span = shown.map_or(own, |shown| shown.name_span);
        self.refusals.push((text.class, pin(span, Code::TEMPLATE_USE, message)));
    }

    /// The records that the text of an instance is about.
    fn mentioned_records(&self, text: &ClassText, found: &mut BTreeSet<RecordId>) {
        placement::collect(self.program, text.record, found);
        self.used_records(&text.methods, found);
    }

    /// The records that functions are about.
    pub(super) fn used_records(&self, functions: &[FunctionId], found: &mut BTreeSet<RecordId>) {
        let program = self.program;
        for id in functions {
            let parts = program.function_parts(*id);
            let types = parts
                .exprs
                .iter()
                .map(|expr| program.expr(*expr).ty.id)
                .chain(parts.variables.iter().map(|variable| program.variable(*variable).ty.id))
                .chain([program.function(*id).result.id]);
            for ty in types {
                if let Some(record) = record_in(program, ty)
                    && !program.record(record).is_local
                {
                    placement::collect(program, record, found);
                }
            }
        }
    }

    /// The definitions behind which the generated types in the text stand.
    fn generated_places(&self, text: &ClassText) -> BTreeSet<Span> {
        let program = self.program;
        let mut slots: Vec<Slot> =
            program.record(text.record).fields.iter().map(|field| Slot::Field(*field)).collect();
        let mut classes = BTreeSet::from([text.class]);
        for id in &text.methods {
            let parts = program.function_parts(*id);
            slots.push(Slot::Result(*id));
            slots.extend(parts.variables.iter().map(|variable| Slot::Variable(*variable)));
            for expr in &parts.exprs {
                classes.extend(self.classes.place(*expr).map(|(class, _)| class));
                classes.extend(self.classes.value(*expr).map(|(class, _)| class));
            }
        }
        classes.extend(slots.into_iter().filter_map(|slot| self.changed_slot(slot)));
        classes
            .into_iter()
            .filter(|class| self.storage_of.contains_key(class))
            .filter_map(|class| self.classes.class(class).element.record())
            .map(|record| placement::definition(program, record))
            .collect()
    }

    /// Whether an instance has a member whose type is not known and may depend on the template's parameters. A stream beside
    /// the array is the same in every instance.
    fn has_unknown_of_parameters(&self, record: RecordId) -> bool {
        let program = self.program;
        let instance = program.record(record).instance.as_ref();
        let Some((names, _)) = instance.and_then(|own| own.definition.as_ref()) else {
            return true;
        };
        let may_depend = |field: &FieldId| {
            let field = program.field(*field);
            let is_known = !matches!(
                program.types.kind(field.ty.id),
                TypeKind::Unknown | TypeKind::Named(..) | TypeKind::TemplateParameter(_)
            );
            let Some(declaration) = program.declaration_of(&field.site) else { return !is_known };
            let whole = program.text(declaration.span);
            let mentions =
                tokens(whole).iter().any(|token| names.iter().any(|own| own == token.text(whole)));
            !is_known && mentions
        };
        program.record(record).fields.iter().any(may_depend)
    }

    /// Why an instance cannot be written out.
    fn text_obstacle(&self, text: &ClassText, order: &FileOrder) -> Option<&'static str> {
        let program = self.program;
        let record = program.record(text.record);
        let template = record.instance.as_ref().map(|own| own.template)?;
        if self.storages.iter().any(|(other, _)| *other == text.record) {
            return Some("the text of this class template would change, and it is an element type");
        }
        let is_modelled = program.is_modelled_owner(text.record);
        // What an owner of the library does with the array needs no function of the device.
        let is_of_host =
            program.is_host_text(text.anchor) || program.is_host_text(record.name_span);
        if is_of_host && !is_modelled {
            return Some(
                "the text of this class template would change, and a file that is not CUDA includes it",
            );
        }
        use layoutc_syntax::RecordTrait as Trait;
        let is_open = |which: &Trait| {
            matches!(
                which,
                Trait::Union | Trait::Bases | Trait::Virtual | Trait::Template | Trait::Unmodelled
            ) || (*which == Trait::UnknownMember
                && !is_modelled
                && self.has_unknown_of_parameters(text.record))
        };
        let of_template = &program.record(template).unmodelled_members;
        if record.is_union
            || record.traits.iter().any(|(which, _)| is_open(which))
            || !record.bases.is_empty()
            || !record.unmodelled_members.is_empty()
            || !of_template.is_empty()
        {
            return Some(
                "the text of this class template would change, and it has base classes or members that are not modelled",
            );
        }
        let has_static = program.variables.iter().any(|variable| {
            variable.record == Some(text.record) || variable.record == Some(template)
        });
        let whole = program.text(record.declaration?);
        let has_friend = tokens(whole).iter().any(|token| token.text(whole) == "friend");
        if has_static || has_friend {
            return Some(
                "the text of this class template would change, and it has static members or friends",
            );
        }
        // A member that is specialised would be one of the instance's own text.
        let is_specialised = program.regions.iter().any(|region| {
            region.kind == layoutc_syntax::RegionKind::Unmodelled
                && region.identifiers.contains(&program.record(template).name)
        });
        if is_specialised && !is_modelled {
            return Some(
                "the text of this class template would change, and a part of it is specialised",
            );
        }
        if !is_modelled && self.is_invalid_unused(text.record) {
            return Some(
                "the text of this class template would change, and a member that is never used may not be valid for this instance",
            );
        }
        let is_for_device = |id: &FunctionId| self.device_callee(*id).is_some();
        if record.methods.iter().chain(&text.methods).any(is_for_device) {
            return Some(
                "the text of this class template would change, and a member for host and device calls a function for the device alone",
            );
        }
        // What the text of layoutc does with its parameters is known.
        if !is_modelled && self.has_dependent_text(text.record, &text.methods) {
            return Some(
                "the text of this class template would change, and what it does with its parameters is not modelled",
            );
        }
        // In the template's namespace the name of an argument may be something else's.
        let arguments = record.instance.iter().flat_map(|own| &own.arguments);
        let is_hidden = arguments.into_iter().any(|argument| match argument {
            TemplateArgument::Type(ty) => record_in(program, ty.id).is_some_and(|id| {
                has_namesake(program, &program.record(id).name, &record.namespaces)
            }),
            TemplateArgument::Value(..) => false,
        });
        if is_hidden {
            return Some("an argument of this instance has the name of something else there");
        }
        // A macro in the text may call what changes.
        let own_names: BTreeSet<&str> = record
            .methods
            .iter()
            .map(|method| program.function(*method).name.as_str())
            .chain(record.fields.iter().map(|field| program.field(*field).name.as_str()))
            .collect();
        let hides_names = tokens(whole).iter().any(|token| {
            let word = token.text(whole);
            program.macros.iter().any(|def| {
                def.name == word
                    && def.body_identifiers.iter().any(|name| own_names.contains(name.as_str()))
            })
        });
        if hides_names {
            return Some("a macro in the text of this class template names its members");
        }
        if Namespaces::between(program, text.record, text.anchor).is_none() {
            return Some("the text of this class template would change in another namespace");
        }
        let is_in_block = program
            .records
            .iter()
            .any(|other| other.declaration == Some(text.anchor) && other.in_linkage_block);
        if record.in_linkage_block || is_in_block {
            return Some("the text of this class template would change in a linkage block");
        }
        self.late_callee(text, order).or_else(|| {
            instantiation::obstacle(
                program,
                order,
                text.record,
                text.anchor,
                &self.moved_words(text),
            )
        })
    }

    /// The words of the text in the class.
    fn moved_words(&self, text: &ClassText) -> BTreeSet<String> {
        let program = self.program;
        let record = program.record(text.record);
        let Some(span) = record.declaration else { return BTreeSet::new() };
        self.words_of(text, span)
    }

    /// The words of a span, without those that the template's parameters mean.
    fn words_of(&self, text: &ClassText, span: Span) -> BTreeSet<String> {
        let program = self.program;
        let mut words: BTreeSet<String> =
            program.words_below(span).into_iter().map(str::to_owned).collect();
        let own = program.record(text.record).instance.as_ref();
        for name in own.and_then(|own| own.definition.as_ref()).iter().flat_map(|(names, _)| names)
        {
            words.remove(name);
        }
        words
    }

    /// A function that the text calls and that is not declared where it would stand.
    fn late_callee(&self, text: &ClassText, order: &FileOrder) -> Option<&'static str> {
        let program = self.program;
        const LATE: &str = "the text of this class template would change, and it calls a function that is declared behind it";
        let template = program.record(text.record).declaration;
        let is_late = |id: &FunctionId| {
            template.is_some_and(|template| self.late_operator(*id, template, order).is_some())
        };
        if text.methods.iter().any(is_late) {
            return Some(LATE);
        }
        let place = text.anchor.at_end();
        if text.methods.iter().any(|id| self.late_type(*id, place, order).is_some()) {
            return Some(
                "the text of this class template would change, and a type that it uses is complete only behind its place",
            );
        }
        for id in &text.methods {
            // Where the bodies stand.
            let places: Vec<Span> = program
                .function(*id)
                .sites
                .iter()
                .map(|site| {
                    let outer = site
                        .template
                        .filter(|outer| order.obstacle(outer.at_end(), text.anchor).is_none());
                    outer.unwrap_or(text.anchor).at_end()
                })
                .collect();
            let body = program.function(*id).body.map(|body| program.stmt(body).span);
            let last = places
                .iter()
                .zip(&program.function(*id).sites)
                .filter(|(_, site)| body.is_some_and(|body| site.span.contains(body)));
            let places: Vec<Span> = last.map(|(place, _)| *place).collect();
            for expr in program.function_parts(*id).exprs {
                let mut called: Vec<FunctionId> =
                    program.operators.get(&expr).copied().into_iter().collect();
                if let ExprKind::Call { callee, arguments, .. }
                | ExprKind::Launch { kernel: callee, arguments, .. } = &program.expr(expr).kind
                {
                    match resolve_callee(program, *callee, arguments) {
                        Callee::Function(function) => called.push(function),
                        Callee::Ambiguous(candidates) => called.extend(candidates),
                        Callee::Library(_) | Callee::Unknown => {}
                    }
                }
                for id in called {
                    let function = program.function(id);
                    // Members of classes are known with those, and versions of member functions
                    // are declared in front of all that is generated.
                    if function.record.is_some() {
                        continue;
                    }
                    let original = function.copy_of.as_ref().map_or(id, |copy_of| copy_of.original);
                    let is_there = program.function(original).sites.iter().any(|site| {
                        let site = site.template.unwrap_or(site.span);
                        places.iter().all(|place| order.obstacle(*place, site).is_none())
                    });
                    // What was declared in front of the struct moves behind it.
                    let is_moved = self.versions.changed.contains_key(&id)
                        && function
                            .sites
                            .iter()
                            .any(|site| order.obstacle(site.span, text.anchor).is_some())
                        && self.generated_places(text).contains(&text.anchor);
                    if !is_there || is_moved {
                        return Some(LATE);
                    }
                }
            }
        }
        None
    }

    /// The texts of the specialisation and of its members that are defined outside of the class.
    fn write_text(&mut self, text: ClassText, order: &FileOrder, done: &mut Vec<Edit>) {
        let program = self.program;
        let record = program.record(text.record);
        let Some(instance) = &record.instance else { return };
        let (Some((names, whole)), Some(declaration)) = (&instance.definition, record.declaration)
        else {
            return;
        };
        let whole = whole.to(declaration);
        let bound: Vec<(&str, TemplateArgument)> = names
            .iter()
            .map(String::as_str)
            .zip(instance.arguments.iter().map(|own| program.bound_argument(text.record, *own)))
            .filter(|(name, _)| !name.is_empty())
            .collect();
        let is_owner = program.is_modelled_owner(text.record);
        let in_place = |text: String| if is_owner { from_outside(program, &text) } else { text };
        let spelled: BTreeMap<&str, String> = bound
            .iter()
            .filter_map(|(name, argument)| {
                Some((*name, in_place(program.argument_spelling(*argument)?)))
            })
            .collect();
        // `unique_ptr<::Body, ::Free>`
        let head_in_place = match instance.spelling.split_once('<') {
            Some((name, list)) => format!("{name}<{}", in_place(list.to_owned())),
            None => instance.spelling.clone(),
        };
        if spelled.len() != bound.len() {
            return self.refuse_text(&text, "an argument of this instance has no name");
        }
        let mut edits = text.edits.clone();
        edits.extend(self.constants_by_reference(&text, &spelled));
        // `template <class T> struct Buffer {` is `template <> struct Buffer<Particle> {`.
        let head = Span { end: declaration.start, ..whole };
        let blank: String = {
            let text = program.text(head);
            text[text.trim_end().len()..].to_owned()
        };
        let mut inside = vec![Edit::replace(head, format!("template <>{blank}"))];
        let source = program.text(declaration);
        let place = |token: layoutc_syntax::preprocess::Token| {
            let start = declaration.start as usize + token.start as usize;
            Span::new(declaration.file, start, start + token.text(source).len())
        };
        let mut open = None;
        let mut named = false;
        let mut depth = 0usize;
        for token in tokens(source) {
            match token.text(source) {
                "(" => depth += 1,
                ")" => depth = depth.saturating_sub(1),
                "{" if depth == 0 => {
                    open = Some(place(token));
                    break;
                }
                name if name == record.name && depth == 0 && !named => {
                    named = true;
                    inside.push(Edit::replace(place(token), head_in_place.clone()));
                }
                name => {
                    if let Some(text) = spelled.get(name) {
                        inside.push(Edit::replace(place(token), text.clone()));
                    }
                }
            }
        }
        let (Some(open), true) = (open, named) else {
            return self.refuse_text(&text, "the head of this class template is not understood");
        };
        let Some(members) = self.parameter_members(&text, &bound, &spelled) else {
            let message = "the text of this class template would change, and a name in its arguments means something else in it";
            return self.refuse_text(&text, message);
        };
        if !members.is_empty() {
            let indent = indent_behind(program, open);
            let lines: String = members.iter().map(|line| format!("\n{indent}{line}")).collect();
            inside.push(Edit::replace(open.at_end(), lines));
        }
        inside.extend(edits.iter().filter(|edit| whole.contains(edit.span)).cloned());
        let left_out = self.left_out(text.record);
        // What is inserted in front of a member stays.
        let goes = |own: &Span, edit: &Edit| {
            own.contains(edit.span) && (edit.span.start, edit.span.end) != (own.start, own.start)
        };
        inside.retain(|edit| !left_out.iter().any(|own| goes(own, edit)));
        inside.extend(left_out.into_iter().map(|span| Edit::replace(span, "")));
        let Some(new) = apply(program, whole, inside) else {
            return self.refuse_text(&text, "two rewrites want the text of this class template");
        };
        let namespaces = Namespaces::between(program, text.record, text.anchor);
        let Namespaces { open, close } = namespaces.unwrap_or_default();
        let marker = self.storage(text.class).map(|storage| &storage.marker);
        let new = Marker::around_some(marker, &format!("{open}{new}{close}"));
        let end = rest_of_line(program, text.anchor);
        let new = self.with_newlines(text.anchor, format!("\n\n{new}{end}"));
        done.push(Edit { span: text.anchor.at_end(), ..Edit::version(whole, new) });
        let mut outside: Vec<(FunctionId, &layoutc_syntax::FunctionSite)> = text
            .methods
            .iter()
            .flat_map(|id| program.function(*id).sites.iter().map(|site| (*id, site)))
            .filter(|(_, site)| !whole.contains(site.span))
            .collect();
        outside.sort_by_key(|(_, site)| site.span);
        for (id, site) in outside {
            {
                let outer = site.template.unwrap_or(site.span);
                let Some(parentheses) = site.parentheses else {
                    self.refuse_text(&text, "the head of a member function is not understood");
                    continue;
                };
                let has_other_names =
                    program.function(id).copy_of.as_ref().is_some_and(|copy_of| {
                        copy_of
                            .aliases
                            .iter()
                            .map(|(name, _)| name)
                            .chain(copy_of.values.iter().map(|(name, _)| name))
                            .any(|name| *name != record.name && !names.contains(name))
                    });
                if has_other_names {
                    let message = "a member function of this class template is defined with other names for the parameters";
                    self.refuse_text(&text, message);
                    continue;
                }
                let before = Span { end: site.span.start, ..outer };
                let signature = Span { end: parentheses.start, ..site.span };
                let source = program.text(signature);
                let is_inline = super::heads::says_inline(program, id, site);
                let inline = if is_inline { "" } else { "inline " };
                let mut inside = vec![Edit::replace(before, inline)];
                let own: Vec<Edit> =
                    edits.iter().filter(|edit| site.span.contains(edit.span)).cloned().collect();
                for token in tokens(source) {
                    let Some(name) = spelled.get(token.text(source)) else { continue };
                    let start = signature.start as usize + token.start as usize;
                    let at = Span::new(signature.file, start, start + token.text(source).len());
                    if !own.iter().any(|edit| edit.span.overlaps(at)) {
                        inside.push(Edit::replace(at, name.clone()));
                    }
                }
                inside.extend(own);
                let Some(new) = apply(program, outer, inside) else {
                    self.refuse_text(&text, "two rewrites want the text of this member function");
                    continue;
                };
                let is_behind = order.obstacle(outer.at_end(), text.anchor).is_none();
                let at = if is_behind { outer } else { text.anchor };
                if !is_behind && order.obstacle(text.anchor.at_end(), outer).is_some() {
                    let message = "there is no place behind this instance and its member functions";
                    self.refuse_text(&text, message);
                    continue;
                }
                let words = self.words_of(&text, site.span);
                if !is_behind
                    && instantiation::changes_meaning(program, order, (outer, text.anchor), &words)
                {
                    self.refuse_text(&text, instantiation::MEANING);
                    continue;
                }
                let (open, close) = if is_behind { ("", "") } else { (&*open, &*close) };
                let new = Marker::around_some(marker, &format!("{open}{new}{close}"));
                let end = rest_of_line(program, at);
                let new = self.with_newlines(at, format!("\n\n{new}{end}"));
                done.push(Edit { span: at.at_end(), ..Edit::version(outer, new) });
            }
        }
    }

    /// A value parameter of the template in a text that is written out, where it is used other than
    /// for its value.
    pub(super) fn bound_value(&self, expr: ExprId) -> Option<String> {
        let program = self.program;
        let ExprKind::Name(NameRef::Constant(_)) = program.expr(expr).kind else { return None };
        let owner = program.function(self.versions.of_expr(expr)?);
        let record = owner.record.filter(|record| {
            owner.this_parameter.is_none() && self.versions.written.contains_key(record)
        })?;
        let instance = program.record(record).instance.as_ref()?;
        let (names, _) = instance.definition.as_ref()?;
        let name = program.text(program.expr(expr).span);
        let at = names.iter().position(|other| other == name)?;
        if program.home(expr).is_some() || self.is_value_operand(self.outermost(expr)) {
            return None;
        }
        let argument = *instance.arguments.get(at)?;
        let value = program.argument_spelling(argument)?;
        // A number has a type, which an overload or `auto` can see.
        use layoutc_syntax::Scalar;
        if let TemplateArgument::Value(_, scalar) = argument
            && !matches!(scalar, Scalar::Int | Scalar::Bool)
        {
            return Some(format!("({})({value})", scalar.spelling()));
        }
        Some(if value.starts_with('-') { format!("({value})") } else { value })
    }

    /// What the template's parameters stand for, as members; nothing if a name in that means
    /// another thing in the class.
    fn parameter_members(
        &self,
        text: &ClassText,
        bound: &[(&str, TemplateArgument)],
        spelled: &BTreeMap<&str, String>,
    ) -> Option<Vec<String>> {
        let program = self.program;
        let record = program.record(text.record);
        let mut words: BTreeSet<&str> =
            record.declaration.map(|span| program.words_below(span)).unwrap_or_default();
        for id in &text.methods {
            for site in &program.function(*id).sites {
                words.extend(program.words_below(site.span));
            }
        }
        let mut own: BTreeSet<&str> = bound.iter().map(|(name, _)| *name).collect();
        own.extend(record.fields.iter().map(|field| program.field(*field).name.as_str()));
        own.extend(record.methods.iter().map(|id| program.function(*id).name.as_str()));
        own.extend(record.scope.keys().map(String::as_str));
        own.remove(record.name.as_str());
        let mut lines = Vec::new();
        for (name, argument) in bound {
            if !words.contains(*name) {
                continue;
            }
            let spelling = &spelled[name];
            match argument {
                TemplateArgument::Type(_) => {
                    let names: Vec<&str> = tokens(spelling)
                        .iter()
                        .filter(|token| token.kind == TokenKind::Identifier)
                        .map(|token| token.text(spelling))
                        .collect();
                    let is_plain = *spelling == names.join("::");
                    if names.iter().skip(usize::from(is_plain)).any(|name| own.contains(name)) {
                        return None;
                    }
                    let global = if names.first().is_some_and(|first| own.contains(first)) {
                        "::"
                    } else {
                        ""
                    };
                    lines.push(format!("using {name} = {global}{spelling};"));
                }
                TemplateArgument::Value(_, scalar) => {
                    lines.push(format!(
                        "static constexpr {} {name} = {spelling};",
                        scalar.spelling()
                    ));
                }
            }
        }
        Some(lines)
    }

    /// A parameter of a template is a value; a member is an object, and a reference to it needs
    /// that object in device memory.
    fn constants_by_reference(
        &self,
        text: &ClassText,
        spelled: &BTreeMap<&str, String>,
    ) -> Vec<Edit> {
        let program = self.program;
        let mut found = Vec::new();
        for id in &text.methods {
            for expr in program.function_parts(*id).exprs {
                let own = program.expr(expr);
                let ExprKind::Name(NameRef::Constant(_)) = own.kind else { continue };
                if program.home(expr).is_some() {
                    continue;
                }
                let name = program.text(own.span);
                let Some(value) = spelled.get(name) else { continue };
                let outer = self.outermost(expr);
                if self.is_value_operand(outer) {
                    continue;
                }
                let is_edited = text.edits.iter().any(|edit| edit.span.contains(own.span));
                if !is_edited {
                    let value =
                        if value.starts_with('-') { format!("({value})") } else { value.clone() };
                    found.push(Edit::replace(own.span, value));
                }
            }
        }
        found
    }

    /// Whether an operand is only used for its value.
    fn is_value_operand(&self, expr: ExprId) -> bool {
        let Some((parent, _)) = self.parents.of(expr) else { return false };
        matches!(
            self.program.expr(parent).kind,
            ExprKind::Binary(..)
                | ExprKind::Assign(..)
                | ExprKind::Unary(..)
                | ExprKind::Index { .. }
                | ExprKind::Cast { .. }
        )
    }
}

/// A line break, if something stands behind a place on its line: a comment in front would hide it.
fn rest_of_line(program: &Program, at: Span) -> &'static str {
    let file = program.sources.file(at.file);
    let line = file.line_range(at.end as usize);
    if file.text()[at.end as usize..line.end].trim().is_empty() { "" } else { "\n" }
}

/// The record that a type leads to.
fn record_in(program: &Program, mut ty: TypeId) -> Option<RecordId> {
    loop {
        match program.types.kind(ty) {
            TypeKind::Pointer(to) | TypeKind::Reference(to, _) | TypeKind::Array(to, _) => {
                ty = to.id;
            }
            TypeKind::Record(record) => return Some(*record),
            _ => return None,
        }
    }
}

/// The white space in front of what follows an opening brace on a line of its own.
fn indent_behind(program: &Program, open: Span) -> String {
    let text = &program.sources.file(open.file).text()[open.end as usize..];
    let next = text.find(|c: char| !c.is_whitespace()).unwrap_or(0);
    let line = text[..next].rfind('\n').map(|at| &text[at + 1..next]);
    // An access specifier stands further out than members.
    let rest = &text[next..];
    let is_access = ["public", "private", "protected"].iter().any(|word| rest.starts_with(word));
    match line {
        Some(line) if is_access => format!("{line}    "),
        Some(line) => line.to_owned(),
        None => "    ".to_owned(),
    }
}

//! Instances of class templates.
//!
//! `Vec3<float>` is a record of its own, lowered from the template's text with the parameters
//! bound. Its member functions are copies of the template's, as instances of function templates
//! are: their text belongs to all instances. What the model cannot bind (packs, arguments without a
//! name, specialisations) is a record with [`RecordTrait::Template`] and without members, so that
//! an array of it has a class with a reason.

use super::Lowering;
use super::fields::{FieldName, Fields};
use super::names::Symbol;
use super::templates::Bindings;
use super::unused_members::NamedMembers;
use crate::program::{
    CopyOf, ExprId, FunctionId, Instance, Record, RecordId, RecordTrait, RegionKind,
    TemplateArgument,
};
use crate::types::{QualType, Scalar, TypeId, TypeKind};
use layoutc_diagnostics::{FileId, Span};
use std::collections::{BTreeMap, BTreeSet};
use tree_sitter::Node;

/// More instances than any program needs: templates that mention themselves with larger types.
const MOST_INSTANCES: usize = 300;

/// How deep instances may ask for others while their members are lowered.
const NESTING: usize = 12;

/// How long the name of an instance may be.
const LONGEST_NAME: usize = 200;

/// The class and alias templates of a program, and their instances.
#[derive(Default)]
pub(crate) struct ClassTemplates<'t> {
    templates: BTreeMap<RecordId, ClassTemplate<'t>>,
    aliases: Vec<AliasTemplate<'t>>,
    /// Whether an alias template has only meant classes that the model has.
    means_classes: BTreeMap<String, bool>,
    /// The names of alias templates.
    alias_names: BTreeSet<String>,
    instances: BTreeMap<(RecordId, Vec<TemplateArgument>), RecordId>,
    /// Instances with arguments that are not known, by their text.
    opaque: BTreeMap<(RecordId, String), RecordId>,
    /// Types that depend on template parameters, as patterns.
    patterns: BTreeMap<TypeId, (RecordId, Vec<Pattern>)>,
    /// Names that instances declare in their scopes.
    pub(crate) scopes: BTreeMap<RecordId, BTreeMap<String, Symbol>>,
    /// Member functions whose bodies are lowered when everything is declared.
    pub(super) waiting: Vec<(FunctionId, Node<'t>, RecordId)>,
    /// What uses them.
    pub(super) named: NamedMembers,
    /// How many of the definitions outside the class each instance has.
    members_done: BTreeMap<RecordId, usize>,
    depth: usize,
}

/// A class template.
#[derive(Clone)]
struct ClassTemplate<'t> {
    /// The specifier with the body, once it is met.
    definition: Option<Definition<'t>>,
    parameters: Vec<Parameter<'t>>,
    /// Why it has no instances in the model.
    obstacle: Option<Span>,
    /// Instances that were asked for before the body was lowered.
    pending: Vec<RecordId>,
    is_complete: bool,
    /// Definitions of member functions outside the class.
    members: Vec<(Definition<'t>, Vec<Parameter<'t>>)>,
}

/// A node and the place that it stands in.
#[derive(Clone)]
struct Definition<'t> {
    node: Node<'t>,
    file: FileId,
    namespaces: Vec<String>,
    linkage_blocks: usize,
}

/// An alias template.
#[derive(Clone)]
struct AliasTemplate<'t> {
    name: String,
    ty: Definition<'t>,
    parameters: Vec<Parameter<'t>>,
}

/// A template parameter.
#[derive(Clone)]
struct Parameter<'t> {
    name: String,
    kind: ParameterKind,
    default: Option<Node<'t>>,
    file: FileId,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ParameterKind {
    Type,
    Value(Scalar),
}

/// An argument of a type that depends on template parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Pattern {
    Type(QualType),
    /// A value parameter of the template around.
    Name(String),
    Value(i64),
}

/// What an argument is worth.
enum Argument {
    Known(TemplateArgument),
    Dependent(Pattern),
    Unknown,
}

impl<'t> Lowering<'t> {
    /// Remembers the text of a class template that was declared or defined.
    pub(crate) fn class_template(&mut self, id: RecordId, node: Node<'t>) {
        let is_template =
            node.parent().is_some_and(|parent| parent.kind() == "template_declaration");
        let list = match self.template_lists[..] {
            [list] if is_template && self.locals.is_empty() && self.record.is_none() => list,
            _ => return,
        };
        let parameters = self.class_parameters(list);
        let definition = node.field(FieldName::Body).map(|_| self.written_at(node));
        let known = self.templates.classes.templates.entry(id).or_insert_with(|| ClassTemplate {
            definition: None,
            parameters: Vec::new(),
            obstacle: None,
            pending: Vec::new(),
            is_complete: false,
            members: Vec::new(),
        });
        known.definition = known.definition.take().or(definition);
        match parameters {
            Some(mut parameters) => {
                // Each declaration may give defaults.
                for (own, old) in parameters.iter_mut().zip(&known.parameters) {
                    own.default = own.default.or(old.default);
                    if own.default == old.default {
                        own.file = old.file;
                    }
                }
                known.parameters = parameters;
            }
            None => {
                let span = self.span(list);
                if let Some(known) = self.templates.classes.templates.get_mut(&id) {
                    known.obstacle.get_or_insert(span);
                }
            }
        }
    }

    /// Remembers `template <…> using Name = …`.
    pub(crate) fn alias_template(&mut self, name: &str, ty: Node<'t>) -> Symbol {
        let [list] = self.template_lists[..] else { return Symbol::TemplateType };
        if self.record.is_some() {
            return Symbol::TemplateType;
        }
        let Some(parameters) = self.class_parameters(list) else { return Symbol::TemplateType };
        let ty = self.written_at(ty);
        let own = AliasTemplate { name: name.to_owned(), ty, parameters };
        self.templates.classes.aliases.push(own);
        self.templates.classes.alias_names.insert(name.to_owned());
        Symbol::AliasTemplate(self.templates.classes.aliases.len() - 1)
    }

    fn written_at(&self, node: Node<'t>) -> Definition<'t> {
        Definition {
            node,
            file: self.current,
            namespaces: self.namespaces.clone(),
            linkage_blocks: self.linkage_blocks,
        }
    }

    /// The parameters of a class or alias template; `None` if there is one that is not modelled.
    fn class_parameters(&mut self, list: Node<'t>) -> Option<Vec<Parameter<'t>>> {
        let mut parameters = Vec::new();
        let mut cursor = list.walk();
        let nodes: Vec<_> = list.named_children(&mut cursor).collect();
        for node in nodes {
            let (kind, default) = match node.kind() {
                "comment" => continue,
                "type_parameter_declaration" => (ParameterKind::Type, None),
                "optional_type_parameter_declaration" => {
                    (ParameterKind::Type, node.field(FieldName::DefaultType))
                }
                "parameter_declaration" | "optional_parameter_declaration" => {
                    let specifier = node.field(FieldName::Type)?;
                    let is_plain = node
                        .field(FieldName::Declarator)
                        .is_none_or(|declarator| declarator.kind() == "identifier");
                    let ty = self.specifier(specifier);
                    let scalar = self.program.types.as_scalar(ty.id)?;
                    if !is_plain || !scalar.is_integer() {
                        return None;
                    }
                    (ParameterKind::Value(scalar), node.field(FieldName::DefaultValue))
                }
                _ => return None,
            };
            let name = super::templates::last_identifier(node)
                .map_or_else(String::new, |name| self.text_of(name).to_owned());
            parameters.push(Parameter { name, kind, default, file: self.current });
        }
        Some(parameters)
    }

    /// The instance that `Name(…)` and `Name{…}` mean, if the constructors of the class template leave no other.
    pub(crate) fn deduced_class(
        &mut self,
        name: Node<'t>,
        arguments: &[ExprId],
    ) -> Option<QualType> {
        if !matches!(name.kind(), "identifier" | "type_identifier") {
            return None;
        }
        let name = self.text_of(name);
        if self.bound_type(name).is_some() {
            return None;
        }
        let id = match self.symbols(name, &[])[..] {
            [Symbol::ClassTemplate(id)] => *id,
            _ => return None,
        };
        let own = self.program.record(id);
        // A guide says something else.
        let has_guide = self.program.regions.iter().any(|region| {
            region.identifiers.contains(name) && self.program.text(region.span).contains("->")
        });
        if own.unmodelled_members.contains(name) || has_guide {
            return None;
        }
        if let [argument] = arguments {
            let ty = self.program.types.strip_reference(self.program.expr(*argument).ty);
            let given = self.program.types.as_record(ty.id);
            let is_own = |record: &RecordId| {
                self.program.record(*record).instance.as_ref().is_some_and(|own| own.template == id)
            };
            // A copy.
            if given.as_ref().is_some_and(is_own) {
                return Some(QualType { is_const: false, is_volatile: false, ..ty });
            }
        }
        let parameters = &self.templates.classes.templates.get(&id)?.parameters;
        if parameters.iter().any(|parameter| parameter.kind != ParameterKind::Type) {
            return None;
        }
        let constructors = own.methods.iter().map(|method| self.program.function(*method));
        let mut found: BTreeSet<Vec<TemplateArgument>> = BTreeSet::new();
        for constructor in constructors.filter(|method| method.name == name) {
            let fits = (constructor.required_parameters..=constructor.parameters.len())
                .contains(&arguments.len());
            if !fits {
                continue;
            }
            let mut bound = super::templates::Bound::new();
            let matches = constructor.parameters.iter().zip(arguments).all(|(own, argument)| {
                let (own, ty) = (self.program.variable(*own).ty, self.program.expr(*argument).ty);
                self.match_type(&[], own, ty, &mut bound).is_some()
            });
            // What does not say all of them is no candidate.
            let all = parameters.iter().map(|own| bound.get(&own.name).copied());
            if let Some(all) = all.collect::<Option<Vec<_>>>().filter(|_| matches) {
                found.insert(all);
            }
        }
        let known = found.pop_first().filter(|_| found.is_empty())?;
        if known.iter().any(|argument| self.program.argument_spelling(*argument).is_none()) {
            return None;
        }
        let record = self.class_instance(id, known);
        Some(QualType::plain(self.program.types.intern(TypeKind::Record(record))))
    }

    /// The class template that a name means here.
    pub(crate) fn class_template_named(&self, name: &str, scope: &[&str]) -> Option<RecordId> {
        self.symbols(name, scope).into_iter().find_map(|symbol| match symbol {
            Symbol::ClassTemplate(id) => Some(*id),
            _ => None,
        })
    }

    /// Whether `Name<…>` is a type of a class or alias template of the program.
    pub(crate) fn names_class_template(&self, name: &str, scope: &[&str]) -> bool {
        self.symbols(name, scope).first().is_some_and(|symbol| {
            matches!(symbol, Symbol::ClassTemplate(_) | Symbol::AliasTemplate(_))
        })
    }

    /// The type of `Name<…>`, if that is a class or alias template of the program.
    pub(crate) fn template_id(
        &mut self,
        name: &str,
        scope: &[&str],
        list: Node<'t>,
    ) -> Option<QualType> {
        let mut classes = Vec::new();
        let mut aliases = Vec::new();
        for symbol in self.symbols(name, scope) {
            match symbol {
                Symbol::ClassTemplate(id) if !classes.contains(id) => classes.push(*id),
                Symbol::AliasTemplate(at) if !aliases.contains(at) => aliases.push(*at),
                _ => {}
            }
        }
        let nodes = {
            let mut cursor = list.walk();
            list.named_children(&mut cursor)
                .filter(|node| node.kind() != "comment")
                .collect::<Vec<_>>()
        };
        match (&classes[..], &aliases[..]) {
            ([], []) => None,
            ([id], []) => {
                let template = self.templates.classes.templates.get(id)?.clone();
                if self.is_model(*id) {
                    let arguments = self.arguments_of(&template.parameters, &nodes)?;
                    return self.model_type(*id, arguments, list);
                }
                if template.obstacle.is_some() {
                    return Some(self.opaque_instance(*id, list));
                }
                match self.arguments_of(&template.parameters, &nodes) {
                    None => Some(self.opaque_instance(*id, list)),
                    Some(arguments) => Some(self.type_with(*id, arguments, list)),
                }
            }
            ([], [at]) => {
                let alias = self.templates.classes.aliases[*at].clone();
                let arguments = self.arguments_of(&alias.parameters, &nodes)?;
                self.aliased_type(&alias, arguments)
            }
            // Two templates of one name: which is meant depends on the file.
            ([first, ..], _) => Some(self.opaque_instance(*first, list)),
            ([], _) => Some(self.program.types.unknown()),
        }
    }

    fn aliased_type(
        &mut self,
        alias: &AliasTemplate<'t>,
        arguments: Vec<Argument>,
    ) -> Option<QualType> {
        let mut bindings = Vec::new();
        for (parameter, argument) in alias.parameters.iter().zip(arguments) {
            let value = match (argument, parameter.kind) {
                (Argument::Known(argument), _) => argument,
                (Argument::Dependent(Pattern::Type(ty)), ParameterKind::Type) => {
                    TemplateArgument::Type(ty)
                }
                _ => return Some(self.program.types.unknown()),
            };
            bindings.push((parameter.name.clone(), value));
        }
        let definition = alias.ty.clone();
        if self.templates.classes.depth >= NESTING {
            return Some(self.program.types.unknown());
        }
        self.templates.classes.depth += 1;
        let (ty, _) =
            self.bound_at(&definition, bindings, |this| this.type_descriptor(definition.node));
        self.templates.classes.depth -= 1;
        let is_known = matches!(self.program.types.kind(ty.id), TypeKind::Record(_))
            || self.templates.classes.patterns.contains_key(&ty.id);
        let means_classes = &mut self.templates.classes.means_classes;
        *means_classes.entry(alias.name.clone()).or_insert(true) &= is_known;
        Some(ty)
    }

    /// The arguments of a template in the order of its parameters; `None` if they do not fit.
    fn arguments_of(
        &mut self,
        parameters: &[Parameter<'t>],
        nodes: &[Node<'t>],
    ) -> Option<Vec<Argument>> {
        if nodes.len() > parameters.len() {
            return None;
        }
        let mut arguments: Vec<Argument> = Vec::new();
        for (at, parameter) in parameters.iter().enumerate() {
            let argument = match nodes.get(at) {
                Some(node) => self.argument_of(parameter, *node),
                None => {
                    let default = parameter.default?;
                    let mut bindings = Vec::new();
                    for (parameter, argument) in parameters.iter().zip(&arguments) {
                        match argument {
                            Argument::Known(argument) => {
                                bindings.push((parameter.name.clone(), *argument));
                            }
                            Argument::Dependent(Pattern::Type(ty)) => {
                                bindings.push((parameter.name.clone(), TemplateArgument::Type(*ty)))
                            }
                            Argument::Dependent(_) | Argument::Unknown => return None,
                        }
                    }
                    let definition = Definition {
                        node: default,
                        file: parameter.file,
                        namespaces: self.namespaces.clone(),
                        linkage_blocks: self.linkage_blocks,
                    };
                    self.bound_at(&definition, bindings, |this| {
                        this.argument_of(parameter, default)
                    })
                    .0
                }
            };
            arguments.push(argument);
        }
        Some(arguments)
    }

    fn argument_of(&mut self, parameter: &Parameter<'t>, node: Node<'t>) -> Argument {
        match parameter.kind {
            ParameterKind::Type => {
                let mut ty = match node.kind() {
                    "type_descriptor" => self.type_descriptor(node),
                    "type_identifier"
                    | "primitive_type"
                    | "sized_type_specifier"
                    | "template_type"
                    | "qualified_identifier" => self.specifier(node),
                    _ => return Argument::Unknown,
                };
                ty.is_restrict = false;
                if super::templates::depends(&self.program, ty.id) {
                    Argument::Dependent(Pattern::Type(ty))
                } else if self.program.argument_spelling(TemplateArgument::Type(ty)).is_some() {
                    Argument::Known(TemplateArgument::Type(ty))
                } else {
                    Argument::Unknown
                }
            }
            ParameterKind::Value(scalar) => {
                // A name parses as a type.
                let inner = match (node.kind(), node.field(FieldName::Declarator)) {
                    ("type_descriptor", None) => node.field(FieldName::Type),
                    ("type_descriptor", Some(_)) => None,
                    _ => Some(node),
                };
                let Some(inner) = inner else { return Argument::Unknown };
                let is_name = matches!(inner.kind(), "type_identifier" | "identifier");
                if is_name && self.is_template_parameter(self.text_of(inner)) {
                    return Argument::Dependent(Pattern::Name(self.text_of(inner).to_owned()));
                }
                let value = if is_name { self.name(inner) } else { self.expression(inner) };
                self.program.file_scope_exprs.push(value);
                match crate::evaluate::constant(&self.program, value) {
                    Some(value) if scalar == Scalar::Bool => {
                        Argument::Known(TemplateArgument::Value(i64::from(value != 0), scalar))
                    }
                    Some(value) => Argument::Known(TemplateArgument::Value(value, scalar)),
                    None => Argument::Unknown,
                }
            }
        }
    }

    /// Whether a name is a parameter of a template around that is not bound.
    fn is_template_parameter(&self, name: &str) -> bool {
        !self.has_local(name)
            && self.bound(name).is_none()
            && self.template_parameters.iter().flatten().any(|parameter| parameter == name)
    }

    fn type_with(&mut self, id: RecordId, arguments: Vec<Argument>, list: Node<'t>) -> QualType {
        if arguments.iter().any(|argument| matches!(argument, Argument::Unknown)) {
            return self.opaque_instance(id, list);
        }
        let mut known = Vec::new();
        let mut patterns = Vec::new();
        for argument in &arguments {
            patterns.push(match argument {
                Argument::Known(argument) => {
                    known.push(*argument);
                    match argument {
                        TemplateArgument::Type(ty) => Pattern::Type(*ty),
                        TemplateArgument::Value(value, _) => Pattern::Value(*value),
                    }
                }
                Argument::Dependent(pattern) => pattern.clone(),
                Argument::Unknown => return self.program.types.unknown(),
            });
        }
        if known.len() == arguments.len() {
            let record = self.class_instance(id, known);
            return QualType::plain(self.program.types.intern(TypeKind::Record(record)));
        }
        let mut mentioned = Vec::new();
        for pattern in &patterns {
            match pattern {
                Pattern::Type(ty) => mentioned.push(ty.id),
                Pattern::Name(name) => {
                    let kind = TypeKind::TemplateParameter(name.clone());
                    mentioned.push(self.program.types.intern(kind));
                }
                Pattern::Value(_) => {}
            }
        }
        let name = format!("{} #{} {patterns:?}", self.program.record(id).name, id.0);
        let ty = self.program.types.intern(TypeKind::Named(name, mentioned));
        self.templates.classes.patterns.insert(ty, (id, patterns));
        QualType::plain(ty)
    }

    /// The type of a class that has its text from layoutc, where that text is what it is.
    fn model_type(
        &mut self,
        id: RecordId,
        arguments: Vec<Argument>,
        list: Node<'t>,
    ) -> Option<QualType> {
        let mut known = Vec::new();
        for argument in &arguments {
            match argument {
                Argument::Known(argument) => known.push(*argument),
                Argument::Dependent(_) => {}
                Argument::Unknown => return None,
            }
        }
        if known.len() == arguments.len() && !self.may_own_elements(&known) {
            return None;
        }
        Some(self.type_with(id, arguments, list))
    }

    /// A type of a class template whose arguments are not known.
    fn opaque_instance(&mut self, id: RecordId, list: Node<'t>) -> QualType {
        let mentions_parameter = {
            let mut stack = vec![list];
            let mut found = false;
            while let Some(node) = stack.pop() {
                found |= matches!(node.kind(), "identifier" | "type_identifier")
                    && self.is_template_parameter(self.text_of(node));
                let mut cursor = node.walk();
                stack.extend(node.named_children(&mut cursor));
            }
            found
        };
        if mentions_parameter {
            return self.program.types.unknown();
        }
        let written: String = self.text_of(list).split_ascii_whitespace().collect();
        let spelling = format!("{}{written}", self.program.record(id).name);
        let key = (id, spelling.clone());
        let record = match self.templates.classes.opaque.get(&key) {
            Some(known) => *known,
            None => {
                let span = self
                    .templates
                    .classes
                    .templates
                    .get(&id)
                    .and_then(|template| template.obstacle)
                    .unwrap_or_else(|| self.span(list));
                let record = self.new_instance(id, Vec::new(), spelling);
                self.record_trait(record, RecordTrait::Template, span);
                self.program.records[record.index()].body = self.program.record(id).body;
                self.templates.classes.opaque.insert(key, record);
                record
            }
        };
        QualType::plain(self.program.types.intern(TypeKind::Record(record)))
    }

    fn new_instance(
        &mut self,
        id: RecordId,
        arguments: Vec<TemplateArgument>,
        spelling: String,
    ) -> RecordId {
        let template = self.program.record(id);
        let word = word_of(&spelling);
        let mut record = Record {
            fields: Vec::new(),
            body: None,
            declaration: None,
            traits: Vec::new(),
            methods: Vec::new(),
            scope: BTreeMap::new(),
            private_names: BTreeSet::new(),
            explicit_align: None,
            bodiless: 0,
            instance: None,
            shares_text: true,
            ..template.clone()
        };
        if record.is_union {
            record.traits.push((RecordTrait::Union, record.name_span));
        }
        record.instance = Some(Instance {
            template: id,
            arguments,
            definition: None,
            spelling,
            word,
            unused: BTreeSet::new(),
        });
        self.program.records.push(record);
        RecordId(self.program.records.len() as u32 - 1)
    }

    /// The instance with these arguments.
    fn class_instance(&mut self, id: RecordId, arguments: Vec<TemplateArgument>) -> RecordId {
        let key = (id, arguments);
        if let Some(known) = self.templates.classes.instances.get(&key) {
            return *known;
        }
        let written: Vec<String> = key
            .1
            .iter()
            .map(|argument| self.program.argument_spelling(*argument).unwrap_or_default())
            .collect();
        let spelling = format!("{}<{}>", self.program.record(id).name, written.join(", "));
        let is_too_long = spelling.len() > LONGEST_NAME
            || self.templates.classes.instances.len() >= MOST_INSTANCES;
        let record = self.new_instance(id, key.1.clone(), spelling);
        self.templates.classes.instances.insert(key, record);
        let name_span = self.program.record(id).name_span;
        if is_too_long {
            self.record_trait(record, RecordTrait::Template, name_span);
            return record;
        }
        let Some(template) = self.templates.classes.templates.get_mut(&id) else { return record };
        if template.is_complete && self.templates.classes.depth < NESTING {
            self.complete_instance(record);
        } else {
            template.pending.push(record);
        }
        record
    }

    /// Lowers the instances that were asked for before the template's body was.
    pub(crate) fn complete_pending(&mut self, id: RecordId) {
        if let Some(template) = self.templates.classes.templates.get_mut(&id) {
            template.is_complete = true;
            let pending = std::mem::take(&mut template.pending);
            for record in pending {
                self.complete_instance(record);
            }
        }
    }

    /// Lowers the members of an instance.
    fn complete_instance(&mut self, record: RecordId) {
        let Some(instance) = self.program.record(record).instance.clone() else { return };
        let Some(template) = self.templates.classes.templates.get(&instance.template).cloned()
        else {
            return;
        };
        let Some(definition) = template.definition else { return };
        let bindings = self.instance_bindings(record, &template.parameters);
        let whole = definition.node.parent().unwrap_or(definition.node);
        let whole = Span::new(definition.file, whole.start_byte(), whole.end_byte());
        if let Some(own) = &mut self.program.records[record.index()].instance {
            let names = template.parameters.iter().map(|own| own.name.clone()).collect();
            own.definition = Some((names, whole));
        }
        self.templates.classes.depth += 1;
        let before = self.program.functions.len();
        let ((), uses) = self.bound_at(&definition, bindings.clone(), |this| {
            this.instance_body(record, definition.node);
        });
        self.templates.classes.depth -= 1;
        let original = self.program.record(instance.template);
        self.program.records[record.index()].declaration = original.declaration;
        let methods = self.program.record(record).methods.clone();
        for method in methods.into_iter().filter(|method| method.index() >= before) {
            self.note_instance_method(method, instance.template, &bindings, &uses);
        }
    }

    /// What the template's parameters and its own name stand for in an instance.
    fn instance_bindings(&mut self, record: RecordId, parameters: &[Parameter<'t>]) -> Bindings {
        let own = self.program.record(record);
        let Some(instance) = own.instance.clone() else { return Vec::new() };
        let mut bindings: Bindings = parameters
            .iter()
            .zip(&instance.arguments)
            .map(|(parameter, argument)| {
                (parameter.name.clone(), self.program.bound_argument(record, *argument))
            })
            .collect();
        let ty = QualType::plain(self.program.types.intern(TypeKind::Record(record)));
        bindings.push((self.program.record(record).name.clone(), TemplateArgument::Type(ty)));
        bindings
    }

    /// Makes a member function of an instance a copy of the template's.
    fn note_instance_method(
        &mut self,
        method: FunctionId,
        template: RecordId,
        bindings: &Bindings,
        uses: &[(Span, TemplateArgument)],
    ) {
        let sites = self.program.function(method).sites.clone();
        let own = sites[0].name;
        let original =
            self.program.record(template).methods.iter().copied().find(|other| {
                self.program.function(*other).sites.iter().any(|site| site.name == own)
            });
        let aliases = self.type_aliases(bindings);
        let values = self.value_aliases(bindings);
        let type_uses =
            self.spelled_uses(uses, |span| sites.iter().any(|site| site.span.contains(span)));
        self.program.functions[method.index()].copy_of = Some(CopyOf {
            original: original.unwrap_or(method),
            aliases,
            head: None,
            values,
            type_uses,
            drops_result: false,
        });
    }

    /// Lowers the body of a member function of an instance later.
    pub(crate) fn postpone_method(&mut self, id: FunctionId, node: Node<'t>, record: RecordId) {
        self.templates.classes.waiting.push((id, node, record));
    }

    /// Lowers bodies of member functions of instances, which may ask for more instances.
    pub(crate) fn lower_methods(&mut self) {
        loop {
            self.lower_waiting();
            let next = self.program.record_ids().find_map(|record| {
                let template = self.program.record(record).instance.as_ref()?.template;
                let members = &self.templates.classes.templates.get(&template)?.members;
                let done = self.templates.classes.members_done.get(&record).copied();
                // An instance that was not completed has no members.
                let is_known = !self.program.record(record).methods.is_empty();
                let (at, next) = (done.unwrap_or(0), members.get(done.unwrap_or(0))?);
                is_known.then(|| (record, at, next.clone()))
            });
            let Some((record, at, (definition, parameters))) = next else { return };
            self.templates.classes.members_done.insert(record, at + 1);
            self.lower_outside_member(record, &definition, &parameters);
        }
    }

    /// A member function of an instance that is defined outside the class.
    fn lower_outside_member(
        &mut self,
        record: RecordId,
        definition: &Definition<'t>,
        parameters: &[Parameter<'t>],
    ) {
        let bindings = self.instance_bindings(record, parameters);
        let before = self.program.functions.len();
        let node = definition.node;
        let ((), uses) = self.bound_at(definition, bindings.clone(), |this| {
            this.function_definition(node, Some(record));
        });
        let Some(template) = self.program.record(record).instance.as_ref().map(|own| own.template)
        else {
            return;
        };
        let start = Span::new(definition.file, node.start_byte(), node.end_byte());
        let whole = node.parent().map_or(start, |parent| {
            Span::new(definition.file, parent.start_byte(), parent.end_byte())
        });
        let methods = self.program.record(record).methods.clone();
        for method in methods {
            let sites = &mut self.program.functions[method.index()].sites;
            let Some(site) = sites.iter_mut().find(|site| site.span.contains(start)) else {
                continue;
            };
            site.template = Some(whole);
            // A definition that fits no declaration in the class.
            if method.index() >= before {
                self.note_instance_method(method, template, &bindings, &[]);
            }
            let aliases = self.type_aliases(&bindings);
            let values = self.value_aliases(&bindings);
            let uses = self.spelled_uses(&uses, |_| true);
            if let Some(copy_of) = &mut self.program.functions[method.index()].copy_of {
                let head = Span { end: start.start, ..whole };
                copy_of.head = Some((head, String::new()));
                copy_of.type_uses.extend(uses);
                // The definition may have other names for the parameters.
                for alias in aliases {
                    if !copy_of.aliases.contains(&alias) {
                        copy_of.aliases.push(alias);
                    }
                }
                for value in values {
                    if !copy_of.values.contains(&value) {
                        copy_of.values.push(value);
                    }
                }
            }
        }
    }

    /// Remembers the definition of a member function outside its class template.
    pub(crate) fn note_outside_member(&mut self, id: RecordId, node: Node<'t>) {
        let [list] = self.template_lists[..] else { return };
        if !self.templates.classes.templates.contains_key(&id) {
            return;
        }
        let Some(parameters) = self.class_parameters(list) else { return };
        let definition = self.written_at(node);
        if let Some(template) = self.templates.classes.templates.get_mut(&id) {
            template.members.push((definition, parameters));
        }
    }

    /// The class template in `Vec3<T>::f`.
    pub(crate) fn template_of_member(&self, node: Node<'t>) -> Option<RecordId> {
        let (mut at, mut outer, mut last) = (node, Vec::new(), None);
        while at.kind() == "qualified_identifier" {
            if let Some(part) = at.field(FieldName::Scope) {
                outer.extend(last.take().map(|part: Node<'t>| self.text_of(part)));
                last = Some(part);
            }
            at = at.field(FieldName::Name)?;
        }
        let last = last.filter(|last| last.kind() == "template_type")?;
        let name = last.field(FieldName::Name)?;
        self.class_template_named(self.text_of(name), &outer)
    }

    /// The last member function whose body waits and that something may use.
    fn next_used_member(&mut self) -> Option<(FunctionId, Node<'t>, RecordId)> {
        let find = |this: &Self| {
            let waiting = &this.templates.classes.waiting;
            waiting.iter().rposition(|(method, _, record)| this.may_be_used(*method, *record))
        };
        let at = find(self).or_else(|| {
            self.note_named_members();
            find(self)
        })?;
        Some(self.templates.classes.waiting.remove(at))
    }

    fn lower_waiting(&mut self) {
        while let Some((method, node, record)) = self.next_used_member() {
            let Some(instance) = self.program.record(record).instance.clone() else { continue };
            let Some(template) = self.templates.classes.templates.get(&instance.template).cloned()
            else {
                continue;
            };
            let Some(definition) = template.definition else { continue };
            let bindings = self.instance_bindings(record, &template.parameters);
            let ((), uses) = self.bound_at(&definition, bindings, |this| {
                // A friend is no member.
                let own = this.program.function(method).record;
                this.function_body(method, node, own);
            });
            let uses = self.spelled_uses(&uses, |_| true);
            if let Some(copy_of) = &mut self.program.functions[method.index()].copy_of {
                copy_of.type_uses.extend(uses);
            }
        }
    }

    /// Whether a record is an instance of a class template.
    pub(crate) fn is_instance(&self, record: RecordId) -> bool {
        self.program.record(record).instance.is_some()
    }

    /// Runs `body` at the place of a definition with parameters bound; returns where they were used.
    fn bound_at<R>(
        &mut self,
        definition: &Definition<'t>,
        bindings: Bindings,
        body: impl FnOnce(&mut Self) -> R,
    ) -> (R, Vec<(Span, TemplateArgument)>) {
        let place = super::templates::Place {
            file: definition.file,
            namespaces: definition.namespaces.clone(),
            parameters: Vec::new(),
            linkage_blocks: definition.linkage_blocks,
        };
        self.at_place(place, bindings, body)
    }

    /// Tells the program which types are patterns of its class templates.
    pub(crate) fn note_patterns(&mut self) {
        self.program.patterns = self.templates.classes.patterns.keys().copied().collect();
        let means_classes = self.templates.classes.means_classes.iter();
        self.program.class_aliases =
            means_classes.filter(|(_, always)| **always).map(|(name, _)| name.clone()).collect();
    }

    /// The pattern behind a type that depends on template parameters.
    pub(crate) fn pattern_of(&self, ty: TypeId) -> Option<&(RecordId, Vec<Pattern>)> {
        self.templates.classes.patterns.get(&ty)
    }

    /// Whether some class or alias template of the program has this name.
    pub(crate) fn is_any_class_template(&self, name: &str) -> bool {
        self.templates.classes.templates.keys().any(|id| self.program.record(*id).name == name)
            || self.templates.classes.alias_names.contains(name)
    }

    /// Whether the program has class templates.
    pub(crate) fn has_class_templates(&self) -> bool {
        !self.templates.classes.templates.is_empty()
    }

    /// Text outside a class template that may specialise it: what its instances are is not known.
    pub(crate) fn close_specialised(&mut self) {
        let ids: Vec<RecordId> = self.templates.classes.templates.keys().copied().collect();
        for id in ids {
            let template = self.program.record(id);
            let (name, own) = (template.name.clone(), template.declaration);
            let names_a_class = |names: &BTreeSet<String>| {
                names.contains(&name)
                    && ["struct", "class", "union"].iter().any(|word| names.contains(*word))
            };
            let found = self.program.regions.iter().find(|region| {
                let is_own = own.is_some_and(|own| own.contains(region.span));
                region.kind != RegionKind::Inactive
                    && !is_own
                    && names_a_class(&region.identifiers)
                    && !has_type_parameters_alone(self.program.text(region.span))
            });
            let Some(span) = found.map(|region| region.span) else { continue };
            for record in self.program.record_ids() {
                let of = self.program.record(record).instance.as_ref().map(|own| own.template);
                if of == Some(id) {
                    self.record_trait(record, RecordTrait::Template, span);
                }
            }
        }
    }
}

/// Whether a text says `class` and the like only to begin parameters of templates: `template <class U> operator Vec<U>();`.
fn has_type_parameters_alone(text: &str) -> bool {
    let (mut before, mut has_some) = ("", false);
    for token in crate::preprocess::tokens(text) {
        let word = token.text(text);
        if matches!(word, "struct" | "class" | "union") {
            if !matches!(before, "<" | ",") {
                return false;
            }
            has_some = true;
        }
        before = word;
    }
    has_some
}

/// A type's name as one word: `Vec3<float>` is `Vec3Float`.
fn word_of(spelling: &str) -> String {
    let mut word = String::new();
    let mut starts = false;
    for c in spelling.chars() {
        match c {
            _ if c.is_alphanumeric() || c == '_' => {
                if starts {
                    word.extend(c.to_uppercase());
                } else {
                    word.push(c);
                }
                starts = false;
            }
            '*' => word.push_str("Ptr"),
            '-' => word.push_str("Minus"),
            _ => starts = true,
        }
    }
    word
}

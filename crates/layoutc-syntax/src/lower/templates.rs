//! Instances of function templates.
//!
//! A call of a function template with types that mention a record reaches an *instance*: a copy of
//! the template with the types in place, lowered from the same text. Other calls keep reaching
//! the template, whose body says nothing about records. Parameters that are values stay parameters.

use super::Lowering;
use crate::program::{
    CopyOf, ExprId, ExprKind, FunctionId, NameRef, Program, RecordId, RegionKind,
};
use crate::types::{QualType, TypeId, TypeKind};
use layoutc_diagnostics::{FileId, Span};
use std::collections::BTreeMap;
use tree_sitter::Node;

/// What type parameters stand for, in order.
type Bindings = Vec<(String, QualType)>;

/// Instances of a program, and what is waiting to be lowered.
#[derive(Default)]
pub(crate) struct Templates<'t> {
    sources: BTreeMap<FunctionId, Source<'t>>,
    instances: BTreeMap<(FunctionId, Bindings), Option<FunctionId>>,
    waiting: Vec<(FunctionId, FunctionId)>,
    /// Calls of templates whose definitions had not been met.
    late: Vec<(ExprId, Option<Node<'t>>, Vec<ExprId>, FileId)>,
    /// What the type parameters stand for at the current place.
    pub(crate) bindings: Bindings,
    /// Where they are used at the current place.
    pub(crate) uses: Vec<(Span, QualType)>,
    /// Whether the head of an instance is being lowered.
    pub(crate) in_head: bool,
}

/// How a function template is written.
#[derive(Clone)]
struct Source<'t> {
    definition: Node<'t>,
    parameters: Vec<Parameter>,
    list: Span,
    file: FileId,
    namespaces: Vec<String>,
}

/// A template parameter.
#[derive(Clone)]
struct Parameter {
    name: String,
    is_type: bool,
    /// `typename T` or `int N`, as written.
    text: String,
}

/// More instances than any program needs: templates that call themselves with larger types.
const MOST_INSTANCES: usize = 300;

impl<'t> Lowering<'t> {
    /// Remembers the text of a function template.
    pub(crate) fn template_source(&mut self, id: FunctionId, definition: Node<'t>, list: Node<'t>) {
        let mut parameters = Vec::new();
        let mut cursor = list.walk();
        for node in list.named_children(&mut cursor) {
            let is_type = match node.kind() {
                "type_parameter_declaration" | "optional_type_parameter_declaration" => true,
                "parameter_declaration" | "optional_parameter_declaration" => false,
                "comment" => continue,
                // Packs and templates of templates.
                _ => return,
            };
            let Some(name) = last_identifier(node) else { return };
            parameters.push(Parameter {
                name: self.text_of(name).to_owned(),
                is_type,
                text: self.text_of(node).to_owned(),
            });
        }
        let source = Source {
            definition,
            parameters,
            list: self.span(list),
            file: self.current,
            namespaces: self.namespaces.clone(),
        };
        self.templates.sources.insert(id, source);
    }

    /// Makes a call reach instances of the templates among its candidates.
    pub(crate) fn instantiate_callee(
        &mut self,
        callee: ExprId,
        explicit: Option<Node<'t>>,
        arguments: &[ExprId],
    ) {
        let inner = self.program.strip_parens(callee);
        let ExprKind::Name(NameRef::Functions(candidates)) = &self.program.expr(inner).kind else {
            return;
        };
        // A function that is declared twice is one.
        let mut candidates = candidates.clone();
        candidates.sort_unstable();
        candidates.dedup();
        let is_late = |id: &FunctionId| {
            !self.program.function(*id).template_parameters.is_empty()
                && !self.templates.sources.contains_key(id)
                && self.program.function(*id).copy_of.is_none()
        };
        if candidates.iter().any(is_late) {
            self.templates.late.push((callee, explicit, arguments.to_vec(), self.current));
        }
        if !candidates.iter().any(|id| self.templates.sources.contains_key(id)) {
            return;
        }
        let mut found = Vec::new();
        let mut values = Vec::new();
        for id in &candidates {
            match self.deduce(*id, explicit, arguments) {
                Some((bindings, rest)) => {
                    found.push(self.instance(*id, bindings).unwrap_or(*id));
                    values = rest;
                }
                None => found.push(*id),
            }
        }
        if found != candidates {
            self.program.exprs[inner.index()].kind = ExprKind::Name(NameRef::Functions(found));
            self.program.template_arguments.insert(inner, values);
            // What the template arguments mention is modelled by the instance.
            let modelled = found_all(&self.program, inner);
            if modelled {
                let span = self.program.expr(inner).span;
                self.program.regions.retain(|region| {
                    !(span.contains(region.span) && region.kind == RegionKind::Unmodelled)
                });
            }
        }
    }

    /// The types that a call gives to a template's type parameters, if one of them mentions a
    /// record and all are known, with the value arguments as written.
    fn deduce(
        &mut self,
        id: FunctionId,
        explicit: Option<Node<'t>>,
        arguments: &[ExprId],
    ) -> Option<(Bindings, Vec<Span>)> {
        let source = self.templates.sources.get(&id)?.clone();
        let mut bindings: BTreeMap<String, QualType> = BTreeMap::new();
        let mut values = Vec::new();
        if let Some(list) = explicit {
            let mut cursor = list.walk();
            let nodes: Vec<_> =
                list.named_children(&mut cursor).filter(|node| node.kind() != "comment").collect();
            for (parameter, node) in source.parameters.iter().zip(nodes) {
                if parameter.is_type {
                    let ty = match node.kind() {
                        "type_descriptor" => self.type_descriptor(node),
                        _ => return None,
                    };
                    bindings.insert(parameter.name.clone(), ty);
                } else {
                    values.push(self.span(node));
                }
            }
        }
        let function = self.program.function(id);
        if arguments.len() < function.required_parameters
            || arguments.len() > function.parameters.len()
        {
            return None;
        }
        let patterns: Vec<QualType> = function
            .parameters
            .iter()
            .map(|parameter| self.program.variable(*parameter).ty)
            .collect();
        for (pattern, argument) in patterns.into_iter().zip(arguments) {
            let argument = self.program.expr(*argument).ty;
            match_type(&self.program, pattern, argument, &mut bindings)?;
        }
        let mut found = Vec::new();
        for parameter in source.parameters.iter().filter(|parameter| parameter.is_type) {
            found.push((parameter.name.clone(), *bindings.get(&parameter.name)?));
        }
        let concerns = found.iter().any(|(_, ty)| mentions_record(&self.program, ty.id));
        (concerns && found.iter().all(|(_, ty)| self.spelling(*ty).is_some()))
            .then_some((found, values))
    }

    /// The instance with these types; its body is lowered later.
    fn instance(&mut self, id: FunctionId, bindings: Bindings) -> Option<FunctionId> {
        let key = (id, bindings);
        if let Some(known) = self.templates.instances.get(&key) {
            return *known;
        }
        if self.templates.instances.len() >= MOST_INSTANCES {
            return None;
        }
        self.templates.instances.insert(key.clone(), None);
        let (_, bindings) = key.clone();
        let before = self.program.functions.len();
        let uses = self.at_source(id, bindings.clone(), |this, source| {
            this.templates.in_head = true;
            this.function_definition(source.definition, None);
            this.templates.in_head = false;
        });
        if self.program.functions.len() != before + 1 {
            return None;
        }
        let instance = FunctionId(before as u32);
        let source = self.templates.sources.get(&id)?;
        let rest: Vec<&str> = source
            .parameters
            .iter()
            .filter(|parameter| !parameter.is_type)
            .map(|parameter| parameter.text.as_str())
            .collect();
        let (list, file) = (source.list, source.file);
        let head = if rest.is_empty() {
            // Without parameters it is no template.
            let whole = self.program.function(instance).sites[0].template?;
            let start = self.program.function(instance).sites[0].span.start;
            (Span { start: whole.start, end: start, file }, String::new())
        } else {
            (list, format!("<{}>", rest.join(", ")))
        };
        let aliases = bindings
            .iter()
            .map(|(name, ty)| Some((name.clone(), self.spelling(*ty)?)))
            .collect::<Option<Vec<_>>>()?;
        let values: Vec<String> = source
            .parameters
            .iter()
            .filter(|parameter| !parameter.is_type)
            .map(|parameter| parameter.name.clone())
            .collect();
        let function = &mut self.program.functions[before];
        function.template_parameters = values;
        function.copy_of = Some(CopyOf {
            original: id,
            aliases,
            head: Some(head),
            type_uses: uses,
            drops_result: false,
        });
        self.templates.instances.insert(key, Some(instance));
        self.templates.waiting.push((id, instance));
        Some(instance)
    }

    /// Lowers the bodies of instances, which may ask for more.
    pub(crate) fn lower_instances(&mut self) {
        for (callee, explicit, arguments, file) in std::mem::take(&mut self.templates.late) {
            let outer = (self.current, self.text);
            (self.current, self.text) = (file, &self.preprocessed.files[file.index()].masked);
            self.instantiate_callee(callee, explicit, &arguments);
            (self.current, self.text) = outer;
        }
        while let Some((id, instance)) = self.templates.waiting.pop() {
            let key = self
                .templates
                .instances
                .iter()
                .find(|(_, found)| **found == Some(instance))
                .map(|((_, bindings), _)| bindings.clone());
            let Some(bindings) = key else { continue };
            let uses = self.at_source(id, bindings, |this, source| {
                this.function_body(instance, source.definition, None);
            });
            if let Some(copy_of) = &mut self.program.functions[instance.index()].copy_of {
                copy_of.type_uses.extend(uses);
            }
        }
    }

    /// Runs `body` where a template was written, with its type parameters bound; returns where
    /// they were used.
    fn at_source(
        &mut self,
        id: FunctionId,
        bindings: Bindings,
        body: impl FnOnce(&mut Self, &Source<'t>),
    ) -> Vec<(Span, String)> {
        let Some(source) = self.templates.sources.get(&id).cloned() else { return Vec::new() };
        let values = source
            .parameters
            .iter()
            .filter(|parameter| !parameter.is_type)
            .map(|parameter| parameter.name.clone())
            .collect();
        let outer = (self.current, self.text);
        (self.current, self.text) =
            (source.file, &self.preprocessed.files[source.file.index()].masked);
        let namespaces = std::mem::replace(&mut self.namespaces, source.namespaces.clone());
        let parameters = std::mem::replace(&mut self.template_parameters, vec![values]);
        let locals = self.locals.take();
        let function = self.function.take();
        let record = self.record.take();
        let old_bindings = std::mem::replace(&mut self.templates.bindings, bindings);
        let old_uses = std::mem::take(&mut self.templates.uses);
        body(self, &source);
        let uses = std::mem::replace(&mut self.templates.uses, old_uses);
        self.templates.bindings = old_bindings;
        self.record = record;
        self.function = function;
        self.locals = locals;
        self.template_parameters = parameters;
        self.namespaces = namespaces;
        (self.current, self.text) = outer;
        uses.into_iter().filter_map(|(span, ty)| Some((span, self.spelling(ty)?))).collect()
    }

    /// What a template parameter stands for at the current place.
    pub(crate) fn bound_type(&self, name: &str) -> Option<QualType> {
        if self.has_local(name) {
            return None;
        }
        self.templates.bindings.iter().find(|(own, _)| own == name).map(|(_, ty)| *ty)
    }

    /// Notes that the text at `span` names a bound parameter.
    pub(crate) fn note_type_use(&mut self, name: &str, span: Span) {
        if let Some(ty) = self.bound_type(name) {
            self.templates.uses.push((span, ty));
        }
    }

    /// A type as C++ writes it in front of a declared name.
    fn spelling(&self, ty: QualType) -> Option<String> {
        let types = &self.program.types;
        let constant = if ty.is_const { "const " } else { "" };
        let text = match types.kind(ty.id) {
            TypeKind::Scalar(scalar) => scalar.spelling().to_owned(),
            TypeKind::Vector(vector) => vector.name(),
            TypeKind::Record(record) => {
                let own = self.program.record(*record);
                if own.is_local || self.program.spelled_name(*record).is_empty() {
                    return None;
                }
                let mut text: String = own
                    .namespaces
                    .iter()
                    .filter(|name| !name.starts_with('('))
                    .map(|name| format!("{name}::"))
                    .collect();
                text.push_str(self.program.spelled_name(*record));
                text
            }
            TypeKind::Pointer(to) => {
                let inner = self.spelling(*to)?;
                return Some(if ty.is_const {
                    format!("{inner} *const")
                } else {
                    format!("{inner} *")
                });
            }
            TypeKind::Enum(name, _) if !name.is_empty() => name.clone(),
            TypeKind::Named(name, arguments) if arguments.is_empty() => name.clone(),
            TypeKind::Unknown
            | TypeKind::Void
            | TypeKind::Enum(..)
            | TypeKind::Reference(..)
            | TypeKind::Array(..)
            | TypeKind::Function
            | TypeKind::Named(..)
            | TypeKind::TemplateParameter(_) => return None,
        };
        Some(format!("{constant}{text}"))
    }
}

/// Whether every candidate of a callee is an instance, or no template.
fn found_all(program: &Program, callee: ExprId) -> bool {
    let ExprKind::Name(NameRef::Functions(found)) = &program.expr(callee).kind else {
        return false;
    };
    found.iter().all(|id| {
        let function = program.function(*id);
        function.copy_of.is_some() || function.template_parameters.is_empty()
    })
}

/// The name that a template parameter declares: the last identifier before a default.
fn last_identifier(node: Node<'_>) -> Option<Node<'_>> {
    if let Some(name) = node.child_by_field_name("name").or(node.child_by_field_name("declarator"))
    {
        return matches!(name.kind(), "identifier" | "type_identifier").then_some(name);
    }
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|child| matches!(child.kind(), "identifier" | "type_identifier"))
        .last()
}

/// Binds the parameters in `pattern` so that it is the type of an argument; `None` if it cannot be.
fn match_type(
    program: &Program,
    pattern: QualType,
    argument: QualType,
    bindings: &mut BTreeMap<String, QualType>,
) -> Option<()> {
    let types = &program.types;
    match *types.kind(pattern.id) {
        TypeKind::TemplateParameter(ref name) => {
            let mut bound = argument;
            // An array decays; `const` of a parameter by value is the caller's business.
            if let TypeKind::Array(..) | TypeKind::Unknown = types.kind(argument.id) {
                return None;
            }
            bound.is_const &= !pattern.is_const;
            bound.is_restrict = false;
            match bindings.get(name) {
                Some(known) if known.id != bound.id => None,
                Some(_) => Some(()),
                None => {
                    bindings.insert(name.clone(), bound);
                    Some(())
                }
            }
        }
        TypeKind::Reference(to, _) => match_type(program, to, argument, bindings),
        TypeKind::Pointer(to) => {
            if !depends(program, to.id) {
                return Some(());
            }
            match *types.kind(argument.id) {
                TypeKind::Pointer(from) | TypeKind::Array(from, _) => {
                    match_type(program, to, from, bindings)
                }
                _ => None,
            }
        }
        _ if depends(program, pattern.id) => None,
        _ => Some(()),
    }
}

fn depends(program: &Program, ty: TypeId) -> bool {
    match program.types.kind(ty) {
        TypeKind::TemplateParameter(_) => true,
        TypeKind::Pointer(to) | TypeKind::Reference(to, _) | TypeKind::Array(to, _) => {
            depends(program, to.id)
        }
        TypeKind::Named(_, arguments) => arguments.iter().any(|ty| depends(program, *ty)),
        _ => false,
    }
}

fn mentions_record(program: &Program, ty: TypeId) -> bool {
    match program.types.kind(ty) {
        TypeKind::Record(RecordId(_)) => true,
        TypeKind::Pointer(to) | TypeKind::Reference(to, _) | TypeKind::Array(to, _) => {
            mentions_record(program, to.id)
        }
        _ => false,
    }
}

//! Instances of function templates.
//!
//! A call of a function template with types that mention a record reaches an *instance*: a copy of
//! the template with the types in place, lowered from the same text. Other calls keep reaching
//! the template, whose body says nothing about records. Parameters that are values stay parameters.

use super::Lowering;
use super::class_templates::{ClassTemplates, Pattern};
use super::fields::{FieldName, Fields};
use crate::keywords::is_keyword;
use crate::opaque::OpaqueType;
use crate::program::{
    CopyOf, ExprId, ExprKind, FunctionId, NameRef, Program, RecordId, RegionKind, TemplateArgument,
};
use crate::types::{QualType, Scalar, TypeId, TypeKind};
use layoutc_diagnostics::{FileId, Span};
use std::collections::{BTreeMap, BTreeSet};
use tree_sitter::Node;

/// What template parameters stand for, in order.
pub(crate) type Bindings = Vec<(String, TemplateArgument)>;

/// What is bound so far while a call is matched with a template.
pub(crate) type Bound = BTreeMap<String, TemplateArgument>;

/// Instances of a program, and what is waiting to be lowered.
#[derive(Default)]
pub(crate) struct Templates<'t> {
    sources: BTreeMap<FunctionId, Source<'t>>,
    instances: BTreeMap<(FunctionId, Bindings), Option<FunctionId>>,
    waiting: Vec<(FunctionId, FunctionId)>,
    /// Static member function templates by their classes and names.
    pub(crate) of_classes: BTreeMap<(RecordId, String), FunctionId>,
    /// Calls of templates whose definitions had not been met.
    late: Vec<(ExprId, Option<Node<'t>>, Vec<ExprId>, FileId)>,
    /// What template parameters stand for at the current place.
    bindings: Bindings,
    /// Where they are used at the current place.
    uses: Vec<(Span, TemplateArgument)>,
    /// Whether the head of an instance is being lowered.
    pub(crate) in_head: bool,
    /// Whether the callee of a call is being lowered.
    pub(crate) in_callee: bool,
    /// Class and alias templates.
    pub(crate) classes: ClassTemplates<'t>,
}

/// Where text that means something else each time was written.
pub(crate) struct Place {
    pub(crate) file: FileId,
    pub(crate) namespaces: Vec<String>,
    /// Template parameters that are not bound.
    pub(crate) parameters: Vec<Vec<String>>,
    pub(crate) linkage_blocks: usize,
}

/// How a function template is written.
#[derive(Clone)]
struct Source<'t> {
    definition: Node<'t>,
    parameters: Vec<Parameter>,
    list: Span,
    file: FileId,
    namespaces: Vec<String>,
    /// The names of types and functions in it.
    names: BTreeSet<String>,
    /// Value parameters that types are made of: each value has an instance of its own.
    has_bound_values: bool,
}

/// A template parameter.
#[derive(Clone)]
pub(crate) struct Parameter {
    name: String,
    is_type: bool,
    /// The type of a value, if that is an integer.
    scalar: Option<Scalar>,
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
            let scalar = node.field(FieldName::Type).filter(|_| !is_type).and_then(|ty| {
                let ty = self.specifier(ty);
                self.program.types.as_scalar(ty.id).filter(|scalar| scalar.is_integer())
            });
            parameters.push(Parameter {
                name: self.text_of(name).to_owned(),
                is_type,
                scalar,
                text: self.text_of(node).to_owned(),
            });
        }
        let (names, arguments) = self.names_in(definition);
        let has_bound_values = parameters
            .iter()
            .any(|parameter| !parameter.is_type && arguments.contains(&parameter.name));
        let source = Source {
            definition,
            parameters,
            list: self.span(list),
            file: self.current,
            namespaces: self.namespaces.clone(),
            names,
            has_bound_values,
        };
        self.templates.sources.insert(id, source);
    }

    /// The names in a definition, and those of them that are arguments of types.
    fn names_in(&self, definition: Node<'t>) -> (BTreeSet<String>, BTreeSet<String>) {
        let (mut names, mut arguments) = (BTreeSet::new(), BTreeSet::new());
        let mut stack = vec![(definition, false)];
        while let Some((node, is_argument)) = stack.pop() {
            if matches!(node.kind(), "identifier" | "type_identifier") {
                names.insert(self.text_of(node).to_owned());
                if is_argument {
                    arguments.insert(self.text_of(node).to_owned());
                }
            }
            let is_class = matches!(node.kind(), "template_type" | "template_function")
                && node
                    .field(FieldName::Name)
                    .is_some_and(|name| self.is_any_class_template(self.text_of(name)));
            let is_function = node.kind() == "template_function" && self.has_class_templates();
            let list = node
                .field(FieldName::Arguments)
                .filter(|list| list.kind() == "template_argument_list");
            let mut cursor = node.walk();
            for child in node.named_children(&mut cursor) {
                let inside = Some(child) == list && (is_class || is_function);
                stack.push((child, is_argument || inside));
            }
        }
        (names, arguments)
    }

    /// Whether a function template, or one that it calls, mentions a class template.
    fn mentions_class_template(&self, id: FunctionId) -> bool {
        self.has_class_templates() && self.mentions_any(id, |name| self.is_any_class_template(name))
    }

    /// Whether a function template, or one that it calls, works with OpenCL, so that handles go through its instances.
    fn mentions_opencl(&self, id: FunctionId) -> bool {
        let is_of_opencl = |name: &str| {
            let function = name.strip_prefix("cl").and_then(|rest| rest.chars().next());
            function.is_some_and(|next| next.is_ascii_uppercase() || next == '_')
                || matches!(name, "Kernel" | "Buffer" | "setArg")
        };
        self.preprocessed.files.iter().any(|file| file.is_opencl)
            && self.mentions_any(id, is_of_opencl)
    }

    fn mentions_any(&self, id: FunctionId, is_such: impl Fn(&str) -> bool) -> bool {
        let mut seen = BTreeSet::from([id]);
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            let Some(source) = self.templates.sources.get(&id) else { continue };
            if source.names.iter().any(|name| is_such(name)) {
                return true;
            }
            let called = self
                .templates
                .sources
                .keys()
                .copied()
                .filter(|other| source.names.contains(&self.program.function(*other).name));
            stack.extend(called.filter(|other| seen.insert(*other)));
        }
        false
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
        if explicit.is_none()
            && let Some(plain) = self.preferred_to_templates(&candidates, arguments)
        {
            self.reach(inner, vec![plain], Vec::new());
            return;
        }
        let mut found = Vec::new();
        let mut values = Vec::new();
        for id in &candidates {
            match self.deduce(*id, explicit, Some(arguments)) {
                Some((bindings, rest)) => {
                    found.push(self.instance(*id, bindings).unwrap_or(*id));
                    values = rest;
                }
                // Arguments in `<…>` are given to templates alone.
                None if explicit.is_some() && self.is_plain_function(*id) => {}
                None => found.push(*id),
            }
        }
        if found != candidates {
            self.reach(inner, found, values);
        }
    }

    /// Whether it is no template, and no instance of one.
    fn is_plain_function(&self, id: FunctionId) -> bool {
        let function = self.program.function(id);
        function.template_parameters.is_empty()
            && function.copy_of.is_none()
            && !self.templates.sources.contains_key(&id)
    }

    /// The candidate that is no template, if it takes the very types of the arguments, and in the way in
    /// which the templates do: it is the better match then.
    fn preferred_to_templates(
        &self,
        candidates: &[FunctionId],
        arguments: &[ExprId],
    ) -> Option<FunctionId> {
        let program = &self.program;
        let (templates, plain): (Vec<FunctionId>, Vec<FunctionId>) = (candidates.iter())
            .partition(|id| !program.function(**id).template_parameters.is_empty());
        let [plain] = plain[..] else { return None };
        let parameters = |id: FunctionId| {
            let parameters = &program.function(id).parameters;
            parameters.iter().map(|parameter| program.variable(*parameter).ty)
        };
        let is_exact = parameters(plain).count() == arguments.len()
            && parameters(plain).zip(arguments).all(|(parameter, argument)| {
                let own = program.types.strip_reference(parameter).id;
                own == program.expr(*argument).ty.id && is_told_apart(program, own)
            });
        // By value, or by reference to what is constant or not.
        let form = |ty: QualType| match *program.types.kind(ty.id) {
            TypeKind::Reference(to, is_rvalue) => Some((to.is_const, is_rvalue)),
            _ => None,
        };
        let forms = |id: FunctionId| parameters(id).map(form).collect::<Vec<_>>();
        (is_exact && templates.iter().all(|id| forms(*id) == forms(plain))).then_some(plain)
    }

    /// Makes a name of functions mean these, with the value arguments as written.
    fn reach(&mut self, name: ExprId, found: Vec<FunctionId>, values: Vec<Span>) {
        self.program.exprs[name.index()].kind = ExprKind::Name(NameRef::Functions(found));
        self.program.template_arguments.insert(name, values);
        // What the template arguments mention is modelled by the instance.
        let modelled = found_all(&self.program, name);
        if modelled {
            let span = self.program.expr(name).span;
            self.program.regions.retain(|region| {
                !(span.contains(region.span) && region.kind == RegionKind::Unmodelled)
            });
        }
    }

    /// `f<T>` with all arguments, other than to call it, means an instance.
    pub(crate) fn instantiate_named(&mut self, expr: ExprId, list: Node<'t>) {
        let ExprKind::Name(NameRef::Functions(candidates)) = &self.program.expr(expr).kind else {
            return;
        };
        let mut candidates = candidates.clone();
        candidates.sort_unstable();
        candidates.dedup();
        let [id] = candidates[..] else { return };
        let count = {
            let mut cursor = list.walk();
            list.named_children(&mut cursor).filter(|node| node.kind() != "comment").count()
        };
        let is_complete =
            self.templates.sources.get(&id).is_some_and(|own| own.parameters.len() == count);
        if !is_complete {
            return;
        }
        if let Some((bindings, values)) = self.deduce(id, Some(list), None)
            && let Some(instance) = self.instance(id, bindings)
        {
            self.reach(expr, vec![instance], values);
        }
    }

    /// The types that a call gives to a template's type parameters, if one of them mentions a
    /// record and all are known, with the value arguments as written.
    fn deduce(
        &mut self,
        id: FunctionId,
        explicit: Option<Node<'t>>,
        arguments: Option<&[ExprId]>,
    ) -> Option<(Bindings, Vec<Span>)> {
        let source = self.templates.sources.get(&id)?.clone();
        let mut bindings = Bound::new();
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
                    bindings.insert(parameter.name.clone(), TemplateArgument::Type(ty));
                } else if source.has_bound_values {
                    let value = self.template_value(parameter.scalar?, node)?;
                    bindings.insert(parameter.name.clone(), value);
                } else {
                    values.push(self.span(node));
                }
            }
        }
        let function = self.program.function(id);
        let is_fit = |arguments: &[ExprId]| {
            (function.required_parameters..=function.parameters.len()).contains(&arguments.len())
        };
        if !arguments.is_none_or(is_fit) {
            return None;
        }
        let patterns: Vec<QualType> = function
            .parameters
            .iter()
            .map(|parameter| self.program.variable(*parameter).ty)
            .collect();
        // What `<…>` gives is not deduced, and arguments convert to it.
        let is_given = source.parameters.iter().all(|own| bindings.contains_key(&own.name));
        let deduced = arguments.filter(|_| !is_given).unwrap_or_default();
        for (pattern, argument) in patterns.into_iter().zip(deduced) {
            // An enumerator has the type of its enumeration.
            if self.may_be_enumerator(*argument) && depends(&self.program, pattern.id) {
                return None;
            }
            let mut argument = match self.pointer_to_items(*argument) {
                Some(to) => self.program.types.pointer(to),
                None => self.program.expr(*argument).ty,
            };
            match self.program.types.kind(pattern.id) {
                // A parameter by value is deduced without the qualifiers of its argument.
                TypeKind::TemplateParameter(_) => {
                    argument = QualType::plain(self.program.types.strip_reference(argument).id);
                }
                // `S &&` may be a reference to what the argument names.
                TypeKind::Reference(to, true)
                    if matches!(self.program.types.kind(to.id), TypeKind::TemplateParameter(_)) =>
                {
                    return None;
                }
                _ => {}
            }
            self.match_type(&source.parameters, pattern, argument, &mut bindings)?;
        }
        let mut found = Vec::new();
        for parameter in &source.parameters {
            if parameter.is_type || source.has_bound_values {
                found.push((parameter.name.clone(), *bindings.get(&parameter.name)?));
            }
        }
        let concerns = found.iter().any(|(_, argument)| match argument {
            TemplateArgument::Type(ty) => mentions_record(&self.program, ty.id),
            TemplateArgument::Value(..) => false,
        }) || (!found.is_empty()
            && (self.mentions_class_template(id) || self.mentions_opencl(id)));
        let is_spelled =
            |argument: &TemplateArgument| self.program.argument_spelling(*argument).is_some();
        (concerns && found.iter().all(|(_, argument)| is_spelled(argument)))
            .then_some((found, values))
    }

    /// What `v.data()` and `&v[i]` point to, for a vector or array of the standard library. Items that are plain data are not
    /// followed, so the expressions themselves have no type.
    fn pointer_to_items(&self, expr: ExprId) -> Option<QualType> {
        let program = &self.program;
        let list = match program.expr(program.strip_parens(expr)).kind {
            ExprKind::Call { callee, ref arguments, .. } if arguments.is_empty() => {
                let callee = program.strip_parens(callee);
                let ExprKind::Member { base, arrow: false, field: None, name, .. } =
                    program.expr(callee).kind
                else {
                    return None;
                };
                (program.text(name) == "data").then_some(base)?
            }
            ExprKind::AddressOf(item) => match program.expr(program.strip_parens(item)).kind {
                ExprKind::Index { base, .. } => base,
                _ => return None,
            },
            _ => return None,
        };
        let list = program.types.strip_reference(program.expr(list).ty);
        let TypeKind::Named(name, mentioned) = program.types.kind(list.id) else { return None };
        let item = QualType { is_const: list.is_const, ..QualType::plain(*mentioned.first()?) };
        matches!(name.as_str(), "vector" | "array").then_some(item)
    }

    /// Whether the type of an expression may be that of an enumeration, which the model takes for a number.
    fn may_be_enumerator(&self, expr: ExprId) -> bool {
        let rec = |expr: &ExprId| self.may_be_enumerator(*expr);
        match &self.program.expr(expr).kind {
            ExprKind::Name(NameRef::Constant(_)) => true,
            ExprKind::Name(NameRef::Variable(id)) => {
                let own = self.program.variable(*id);
                own.is_auto && own.init.as_ref().is_some_and(rec)
            }
            ExprKind::Paren(inner) => rec(inner),
            ExprKind::Conditional(_, one, other) | ExprKind::Binary(_, one, other) => {
                rec(one) || rec(other)
            }
            ExprKind::Comma(_, last) => rec(last),
            _ => false,
        }
    }

    /// A template argument that is a constant.
    fn template_value(&mut self, scalar: Scalar, node: Node<'t>) -> Option<TemplateArgument> {
        // A name parses as a type.
        let inner = match (node.kind(), node.field(FieldName::Declarator)) {
            ("type_descriptor", None) => node.field(FieldName::Type)?,
            ("type_descriptor", Some(_)) => return None,
            _ => node,
        };
        let is_name = matches!(inner.kind(), "type_identifier" | "identifier");
        let value = if is_name { self.name(inner) } else { self.expression(inner) };
        self.program.file_scope_exprs.push(value);
        let value = crate::evaluate::constant(&self.program, value)?;
        let value = if scalar == Scalar::Bool { i64::from(value != 0) } else { value };
        Some(TemplateArgument::Value(value, scalar))
    }

    /// `std::array<T, N>` and `cuda::std::array<T, N>` as a type whose objects stay whole, if `T` is a number
    /// or another such type. What a variable of the first has is host memory, so it is known in classes only.
    pub(crate) fn array_of_library(
        &mut self,
        name: &str,
        scope: &[&str],
        arguments: Node<'t>,
    ) -> Option<QualType> {
        let is_known = match scope {
            ["std"] => {
                self.opaque.has_arrays(false)
                    && self.record.is_some()
                    && self.function.is_none()
                    && !self.has_locals()
            }
            ["cuda", "std"] => self.opaque.has_arrays(true),
            _ => false,
        };
        if name != "array" || !is_known {
            return None;
        }
        let mut cursor = arguments.walk();
        let nodes: Vec<_> =
            arguments.named_children(&mut cursor).filter(|node| node.kind() != "comment").collect();
        let [item, extent] = nodes[..] else { return None };
        if item.kind() != "type_descriptor" {
            return None;
        }
        let uses = self.templates.uses.len();
        let ty = self.array_type(scope, item, extent);
        if ty.is_none() {
            self.templates.uses.truncate(uses);
        }
        ty
    }

    fn array_type(&mut self, scope: &[&str], item: Node<'t>, extent: Node<'t>) -> Option<QualType> {
        let ty = self.type_descriptor(item);
        let is_plain = matches!(
            self.program.types.kind(ty.id),
            TypeKind::Scalar(_) | TypeKind::Enum(..) | TypeKind::Vector(_) | TypeKind::Opaque(_)
        );
        let (size, align) = crate::abi::size_align(&self.program, ty.id)?;
        let value = self.template_value(Scalar::UnsignedLong, extent)?;
        let TemplateArgument::Value(count, _) = value else { return None };
        let count = u64::try_from(count).ok().filter(|count| *count > 0)?;
        if !is_plain || ty.is_const || ty.is_volatile {
            return None;
        }
        let item = self.program.spelling(ty)?;
        let own = OpaqueType {
            name: format!("{}::array<{item}, {count}>", scope.join("::")),
            size: size.checked_mul(count)?,
            align,
        };
        Some(QualType::plain(self.program.types.intern(TypeKind::Opaque(own))))
    }

    /// Binds the parameters in `pattern` so that it is the type of an argument; `None` if it cannot
    /// be.
    pub(crate) fn match_type(
        &self,
        parameters: &[Parameter],
        pattern: QualType,
        argument: QualType,
        bindings: &mut Bound,
    ) -> Option<()> {
        let types = &self.program.types;
        match *types.kind(pattern.id) {
            TypeKind::TemplateParameter(ref name) => {
                let mut bound = argument;
                // An array decays; `const` of a parameter by value is the caller's business.
                // What `unsigned const` and `long double` are called is not known.
                match types.kind(argument.id) {
                    TypeKind::Array(..) | TypeKind::Unknown => return None,
                    TypeKind::Named(name, _) if name.split(' ').all(is_keyword) => return None,
                    _ => {}
                }
                bound.is_const &= !pattern.is_const;
                bound.is_restrict = false;
                match bindings.get(name) {
                    Some(TemplateArgument::Type(known)) if known.id == bound.id => Some(()),
                    Some(_) => None,
                    None => {
                        bindings.insert(name.clone(), TemplateArgument::Type(bound));
                        Some(())
                    }
                }
            }
            TypeKind::Reference(to, _) => self.match_type(parameters, to, argument, bindings),
            TypeKind::Pointer(to) => {
                if !depends(&self.program, to.id) {
                    return Some(());
                }
                match *types.kind(argument.id) {
                    TypeKind::Pointer(from) | TypeKind::Array(from, _) => {
                        self.match_type(parameters, to, from, bindings)
                    }
                    _ => None,
                }
            }
            // `std::vector<T>`
            TypeKind::Named(ref name, ref patterns)
                if is_container(name) && depends(&self.program, pattern.id) =>
            {
                let TypeKind::Named(own, arguments) = types.kind(argument.id) else { return None };
                if own != name || arguments.len() != patterns.len() {
                    return None;
                }
                for (pattern, argument) in patterns.iter().zip(arguments) {
                    let (pattern, argument) =
                        (QualType::plain(*pattern), QualType::plain(*argument));
                    self.match_argument(parameters, pattern, argument, bindings)?;
                }
                Some(())
            }
            TypeKind::Named(..) if depends(&self.program, pattern.id) => {
                let (template, patterns) = self.pattern_of(pattern.id)?;
                let instance = self.program.record(types.as_record(argument.id)?).instance.as_ref();
                let instance = instance.filter(|instance| instance.template == *template)?;
                if instance.arguments.len() != patterns.len() {
                    return None;
                }
                for (pattern, argument) in patterns.iter().zip(&instance.arguments) {
                    match (pattern, argument) {
                        (Pattern::Type(pattern), TemplateArgument::Type(argument)) => {
                            self.match_argument(parameters, *pattern, *argument, bindings)?;
                        }
                        (Pattern::Value(own), TemplateArgument::Value(value, _))
                            if own == value => {}
                        (Pattern::Name(name), TemplateArgument::Value(value, _)) => {
                            let scalar = parameters
                                .iter()
                                .find(|parameter| parameter.name == *name)?
                                .scalar?;
                            let value = TemplateArgument::Value(*value, scalar);
                            if bindings.insert(name.clone(), value).is_some_and(|old| old != value)
                            {
                                return None;
                            }
                        }
                        _ => return None,
                    }
                }
                Some(())
            }
            _ if depends(&self.program, pattern.id) => None,
            _ => Some(()),
        }
    }

    /// Matches arguments of class templates, which do not convert.
    fn match_argument(
        &self,
        parameters: &[Parameter],
        pattern: QualType,
        argument: QualType,
        bindings: &mut Bound,
    ) -> Option<()> {
        if depends(&self.program, pattern.id) {
            self.match_type(parameters, pattern, argument, bindings)
        } else {
            (pattern == argument).then_some(())
        }
    }

    /// What type parameters stand for, as C++ writes it.
    pub(crate) fn type_aliases(&self, bindings: &Bindings) -> Vec<(String, String)> {
        bindings
            .iter()
            .filter_map(|(name, argument)| match argument {
                TemplateArgument::Type(ty) => Some((name.clone(), self.program.spelling(*ty)?)),
                TemplateArgument::Value(..) => None,
            })
            .collect()
    }

    /// What value parameters stand for, as declarations.
    pub(crate) fn value_aliases(&self, bindings: &Bindings) -> Vec<(String, String)> {
        bindings
            .iter()
            .filter_map(|(name, argument)| match argument {
                TemplateArgument::Type(_) => None,
                TemplateArgument::Value(_, scalar) => {
                    let value = self.program.argument_spelling(*argument)?;
                    let text = format!("constexpr {} {name} = {value};", scalar.spelling());
                    Some((name.clone(), text))
                }
            })
            .collect()
    }

    /// The uses of bound parameters that are wanted, as C++ writes what they stand for.
    pub(crate) fn spelled_uses(
        &self,
        uses: &[(Span, TemplateArgument)],
        wanted: impl Fn(Span) -> bool,
    ) -> Vec<(Span, String)> {
        uses.iter()
            .filter(|(span, _)| wanted(*span))
            .filter_map(|(span, argument)| {
                Some((*span, self.program.argument_spelling(*argument)?))
            })
            .collect()
    }

    /// The instance of a template for these arguments, if it has all of its parameters from them.
    pub(crate) fn instance_for(
        &mut self,
        id: FunctionId,
        arguments: &[ExprId],
    ) -> Option<FunctionId> {
        let (bindings, _) = self.deduce(id, None, Some(arguments))?;
        let instance = self.instance(id, bindings)?;
        self.program.function(instance).template_parameters.is_empty().then_some(instance)
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
        // Its types may be instances of class templates, whose member functions are made first.
        let name = &self.program.function(id).name;
        let mut made = (before..self.program.functions.len()).filter(|at| {
            let function = &self.program.functions[*at];
            function.record.is_none() && function.copy_of.is_none() && function.name == *name
        });
        let (at, None) = (made.next()?, made.next()) else { return None };
        let instance = FunctionId(at as u32);
        let source = self.templates.sources.get(&id)?;
        let rest: Vec<&str> = source
            .parameters
            .iter()
            .filter(|parameter| !parameter.is_type && !source.has_bound_values)
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
        let aliases = self.type_aliases(&bindings);
        let bound_values = self.value_aliases(&bindings);
        let source = self.templates.sources.get(&id)?;
        let values: Vec<String> = source
            .parameters
            .iter()
            .filter(|parameter| !parameter.is_type && !source.has_bound_values)
            .map(|parameter| parameter.name.clone())
            .collect();
        let function = &mut self.program.functions[at];
        function.template_parameters = values;
        function.copy_of = Some(CopyOf {
            original: id,
            aliases,
            head: Some(head),
            values: bound_values,
            type_uses: uses,
            drops_result: false,
        });
        self.templates.instances.insert(key, Some(instance));
        self.templates.waiting.push((id, instance));
        Some(instance)
    }

    /// Lowers the bodies of instances, which may ask for more.
    pub(crate) fn lower_instances(&mut self) {
        self.lower_methods();
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
            self.lower_methods();
        }
        self.leave_unused_members();
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
        let parameters = source
            .parameters
            .iter()
            .filter(|parameter| !parameter.is_type && !source.has_bound_values)
            .map(|parameter| parameter.name.clone())
            .collect();
        let place = Place {
            file: source.file,
            namespaces: source.namespaces.clone(),
            parameters: vec![parameters],
            linkage_blocks: 0,
        };
        let ((), uses) = self.at_place(place, bindings, |this| body(this, &source));
        self.spelled_uses(&uses, |_| true)
    }

    /// Runs `body` at another place of the program with template parameters bound; returns where
    /// they were used.
    pub(crate) fn at_place<R>(
        &mut self,
        place: Place,
        bindings: Bindings,
        body: impl FnOnce(&mut Self) -> R,
    ) -> (R, Vec<(Span, TemplateArgument)>) {
        let outer = (self.current, self.text, self.offset);
        (self.current, self.text, self.offset) =
            (place.file, &self.preprocessed.files[place.file.index()].masked, 0);
        let frame = self.frame.take();
        let namespaces = std::mem::replace(&mut self.namespaces, place.namespaces);
        let parameters = std::mem::replace(&mut self.template_parameters, place.parameters);
        let lists = std::mem::take(&mut self.template_lists);
        let linkage_blocks = std::mem::replace(&mut self.linkage_blocks, place.linkage_blocks);
        let waiting_bodies = std::mem::take(&mut self.waiting_bodies);
        let locals = self.locals.take();
        let function = self.function.take();
        let record = self.record.take();
        let old_bindings = std::mem::replace(&mut self.templates.bindings, bindings);
        let old_uses = std::mem::take(&mut self.templates.uses);
        let in_head = std::mem::take(&mut self.templates.in_head);
        let result = body(self);
        self.templates.in_head = in_head;
        let uses = std::mem::replace(&mut self.templates.uses, old_uses);
        self.templates.bindings = old_bindings;
        self.record = record;
        self.function = function;
        self.locals = locals;
        self.waiting_bodies = waiting_bodies;
        self.linkage_blocks = linkage_blocks;
        self.template_lists = lists;
        self.template_parameters = parameters;
        self.namespaces = namespaces;
        self.frame = frame;
        (self.current, self.text, self.offset) = outer;
        (result, uses)
    }

    /// What a template parameter stands for at the current place.
    pub(crate) fn bound(&self, name: &str) -> Option<TemplateArgument> {
        if self.has_local(name) {
            return None;
        }
        self.templates.bindings.iter().find(|(own, _)| own == name).map(|(_, argument)| *argument)
    }

    /// Whether parameters of a template are bound at the current place.
    pub(crate) fn is_in_instance(&self) -> bool {
        !self.templates.bindings.is_empty()
    }

    /// The type that a template parameter stands for at the current place.
    pub(crate) fn bound_type(&self, name: &str) -> Option<QualType> {
        match self.bound(name)? {
            TemplateArgument::Type(ty) => Some(ty),
            TemplateArgument::Value(..) => None,
        }
    }

    /// Whether the name is a parameter of a template around the current place that stands for a type.
    pub(crate) fn is_type_parameter(&self, name: &str) -> bool {
        self.bound_type(name).is_some()
            || (!self.has_local(name)
                && self.template_parameters.iter().flatten().any(|parameter| parameter == name))
    }

    /// Notes that the text at `span` names a bound parameter.
    pub(crate) fn note_type_use(&mut self, name: &str, span: Span) {
        if let Some(argument) = self.bound(name) {
            self.templates.uses.push((span, argument));
        }
    }
}

/// Whether a class of a library holds values of the type that is its argument, which is never constant.
fn is_container(name: &str) -> bool {
    matches!(name, "vector" | "deque" | "list" | "device_vector" | "host_vector")
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
pub(crate) fn last_identifier(node: Node<'_>) -> Option<Node<'_>> {
    if let Some(name) = node.field(FieldName::Name).or(node.field(FieldName::Declarator)) {
        return matches!(name.kind(), "identifier" | "type_identifier").then_some(name);
    }
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|child| matches!(child.kind(), "identifier" | "type_identifier"))
        .last()
}

/// Whether a type is made of template parameters.
pub(crate) fn depends(program: &Program, ty: TypeId) -> bool {
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

/// Whether types of this form are equal in the model only if they are one type.
fn is_told_apart(program: &Program, ty: TypeId) -> bool {
    match program.types.kind(ty) {
        TypeKind::Scalar(_) | TypeKind::Vector(_) | TypeKind::Record(_) => true,
        TypeKind::Pointer(to) => is_told_apart(program, to.id),
        TypeKind::Named(name, of) => {
            name.trim_start_matches("std::") == "vector"
                && of.len() == 1
                && of.iter().all(|of| is_told_apart(program, *of))
        }
        _ => false,
    }
}

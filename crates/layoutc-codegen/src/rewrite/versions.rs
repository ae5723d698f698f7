//! Copies of functions: further meanings of a text that stand beside it.
//!
//! The model holds a copy for each meaning that calls with an array give to a function. Here a
//! copy that means something else in the new layouts becomes text of its own: an overload behind
//! the original, or a free function for a member function or operator. Its edits are gathered
//! apart from those of the file, and applied to the text of the original.

use super::headers_in_front::HeadersInFront;
use super::heads::{linkage, template_sites, with_defaults, with_linkage};
use super::{Rewriter, pin};
use super::{host_files, instantiation};
use crate::edit::{Edit, apply};
use layoutc_dataflow::classes::{Callee, ClassId, PlaceKind, Slot, given_object, resolve_callee};
use layoutc_diagnostics::{Code, FileId, Span};
use layoutc_syntax::{
    DeclarationId, ExprId, ExprKind, FunctionId, FunctionSite, NameRef, Program, RecordId,
    RecordTrait, StmtKind, Storage, UnaryOp, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// Which copy each part of the model belongs to.
#[derive(Default)]
pub(super) struct Versions {
    exprs: BTreeMap<ExprId, FunctionId>,
    variables: BTreeMap<VarId, FunctionId>,
    declarations: BTreeMap<DeclarationId, FunctionId>,
    /// Copies that mean something else in the new layouts, with the name that each has.
    pub(super) changed: BTreeMap<FunctionId, String>,
    /// The edits of each, in the text of the original.
    pub(super) edits: BTreeMap<FunctionId, Vec<Edit>>,
    /// The instances of class templates that are written out, with a class for which.
    pub(super) written: BTreeMap<RecordId, ClassId>,
    /// Declarations of members of instances.
    fields: BTreeMap<DeclarationId, RecordId>,
    /// The edits of members of instances, in the text of the template.
    pub(super) field_edits: BTreeMap<RecordId, Vec<Edit>>,
    /// The class for which a copy is written out, if no parameter says it.
    contents: BTreeMap<FunctionId, ClassId>,
    /// The name of the object in copies of member functions.
    object: String,
    /// Copies that return the index of their object.
    returning: BTreeSet<FunctionId>,
    /// Instances of static member function templates that stand outside of the class.
    moved: BTreeSet<FunctionId>,
}

impl Versions {
    pub(super) fn new(program: &Program) -> Self {
        let mut this = Versions::default();
        for id in program.function_ids() {
            if program.function(id).copy_of.is_none() {
                continue;
            }
            let parts = program.function_parts(id);
            this.exprs.extend(parts.exprs.into_iter().map(|part| (part, id)));
            this.variables.extend(parts.variables.into_iter().map(|part| (part, id)));
            this.declarations.extend(parts.declarations.into_iter().map(|part| (part, id)));
        }
        let fields = program.fields.iter().filter(|field| {
            program.record(field.record).instance.is_some() && field.inherited.is_none()
        });
        this.fields =
            fields.filter_map(|field| Some((field.site.declaration?, field.record))).collect();
        this
    }

    /// The instance of a class template whose members a declaration declares.
    pub(super) fn instance_of_declaration(&self, id: DeclarationId) -> Option<RecordId> {
        self.fields.get(&id).copied()
    }

    /// Copies with edits.
    pub(super) fn edited(&self) -> impl Iterator<Item = FunctionId> {
        self.edits.iter().filter(|(_, edits)| !edits.is_empty()).map(|(id, _)| *id)
    }

    /// Takes the edits of a copy.
    pub(super) fn take_edits(&mut self, id: FunctionId) -> Vec<Edit> {
        self.edits.remove(&id).unwrap_or_default()
    }

    pub(super) fn of_expr(&self, expr: ExprId) -> Option<FunctionId> {
        self.exprs.get(&expr).copied()
    }

    pub(super) fn of_declaration(&self, id: DeclarationId) -> Option<FunctionId> {
        self.declarations.get(&id).copied()
    }
}

/// What stands with the generated declarations of each storage.
pub(super) struct PlacedVersions {
    /// What is included in front of them.
    pub(super) headers: HeadersInFront,
    /// Declarations of versions.
    pub(super) heads: BTreeMap<usize, String>,
    /// Their definitions.
    pub(super) with_record: BTreeMap<usize, String>,
    /// The definitions of those that host compilers read, too, because files for them call these.
    pub(super) for_host: BTreeMap<usize, String>,
    /// The names of those.
    pub(super) names_for_host: BTreeSet<String>,
    /// The functions of which versions stand with a storage, and the text of each.
    pub(super) moved: BTreeMap<usize, Vec<(Span, String)>>,
    /// Instances of class templates.
    pub(super) class_texts: super::class_texts::ClassTexts,
}

impl PlacedVersions {
    /// The functions of which versions stand with a storage, and the text of each.
    pub(super) fn moved(&self, at: usize) -> Vec<(Span, String)> {
        self.moved.get(&at).cloned().unwrap_or_default()
    }

    /// All that stands with a storage.
    pub(super) fn text(&self, at: usize) -> String {
        let parts = [&self.heads, &self.with_record, &self.for_host];
        parts.iter().filter_map(|part| part.get(&at)).map(String::as_str).collect()
    }
}

/// What copies that are overloads of each other share: the storage, the name in the source, whether
/// it is the one for constants, and the base class if several have such a member.
type NameKey = (usize, String, bool, Option<RecordId>);

/// Whether the copy is a free function where the original is a member or an operator.
fn is_renamed(program: &Program, id: FunctionId) -> bool {
    let function = program.function(id);
    function.this_parameter.is_some() || function.name.starts_with("operator")
}

/// Whether an instance cannot be an overload of its template: nvcc's host stubs of kernels name
/// their template arguments, and two templates could both take them.
///
/// Instances that differ by values alone would be the same function.
fn needs_own_name(program: &Program, id: FunctionId) -> bool {
    let function = program.function(id);
    if function.copy_of.as_ref().is_some_and(|copy_of| !copy_of.values.is_empty()) {
        return true;
    }
    function.space == layoutc_syntax::ExecutionSpace::Kernel
        && !function.template_parameters.is_empty()
        && function.copy_of.as_ref().is_some_and(layoutc_syntax::CopyOf::is_instance)
}

impl Rewriter<'_> {
    /// Adds an edit to the file, or to the copy that is being rewritten.
    pub(super) fn push(&mut self, edit: Edit) {
        if let Some(record) = self.text_owner {
            self.versions.field_edits.entry(record).or_default().push(edit);
            return;
        }
        match self.owner {
            Some(copy) => self.versions.edits.entry(copy).or_default().push(edit),
            None => self.edits.push(edit),
        }
    }

    /// Decides which copies are written out, and under which names.
    pub(super) fn name_versions(&mut self) {
        let program = self.program;
        self.versions.object = self.names.fresh_local("self");
        let mut names: BTreeMap<NameKey, String> = BTreeMap::new();
        let named = self.named_instances();
        let order = super::order::FileOrder::new(program);
        for id in program.function_ids() {
            let function = program.function(id);
            if function.copy_of.is_none() {
                continue;
            }
            let changed = |variable: VarId| {
                self.changed_slot(Slot::Variable(variable))
                    .and_then(|class| Some((class, self.storage(class)?)))
            };
            // The aligned record inherits the member functions.
            let this = function.this_parameter.and_then(changed);
            let this_changes = this.is_some_and(|(_, storage)| !storage.is_record);
            // Pointers to members of aligned elements stay what they are.
            let stays = |parameter: VarId, storage: &crate::storage::Storage| {
                storage.is_record && program.rows.variables.contains_key(&parameter)
            };
            let others: Vec<ClassId> = function
                .parameters
                .iter()
                .filter_map(|parameter| {
                    changed(*parameter).filter(|(_, storage)| !stays(*parameter, storage))
                })
                .map(|(class, _)| class)
                .collect();
            let result = self.changed_slot(Slot::Result(id));
            // Aligned elements inherit the member function, which must not count in elements.
            if let (Some((class, storage)), Some(object)) = (this, function.this_parameter)
                && storage.is_record
                && !self.reaches_members_only(object)
            {
                let span = function.sites[0].name;
                let message = "this member function uses its object other than for its members";
                self.refuse(class, Code::FUNCTION_VERSION, span, message);
                continue;
            }
            let is_shared =
                function.record.is_some_and(|record| program.record(record).shares_text)
                    && function.this_parameter.is_none();
            let content = if this_changes || !(others.is_empty() && result.is_none()) {
                None
            } else if this.is_none() {
                self.own_content(id)
            } else {
                None
            };
            if !this_changes && others.is_empty() && result.is_none() && content.is_none() {
                continue;
            }
            if let Some((class, span)) = content {
                self.versions.contents.insert(id, class);
                if function.record.is_some() && !is_shared {
                    self.refuse(
                        class,
                        Code::FUNCTION_VERSION,
                        span,
                        "this member function cannot be given a version",
                    );
                    continue;
                }
            }
            if is_shared {
                let class = others.first().copied().or(result).or(content.map(|(class, _)| class));
                if let (Some(class), Some(record)) = (class, function.record) {
                    let span = content.map_or(function.sites[0].name, |(_, span)| span);
                    self.write_out(record, class, span);
                }
                continue;
            }
            // A version of another class's member function would stand before that class.
            let foreign = others.iter().copied().find(|class| {
                function.record.is_some()
                    && function.record != self.classes.class(*class).element.record()
            });
            if let Some(class) = foreign.filter(|_| function.this_parameter.is_some()) {
                let span = function.sites[0].name;
                let message =
                    "a member function of another class is given this array and other memory";
                self.refuse(class, Code::FUNCTION_VERSION, span, message);
                continue;
            }
            // An object that stays is passed by address, and its private members with it.
            let is_closed = |record: layoutc_syntax::RecordId| {
                program
                    .record(record)
                    .traits
                    .iter()
                    .any(|(which, _)| *which == RecordTrait::Private)
            };
            if let (Some(record), None) = (function.record, this)
                && function.this_parameter.is_some()
                && is_closed(record)
            {
                let span = function.sites[0].name;
                let class = others.first().copied().or(result);
                if let Some(class) = class {
                    let message = "a version of this member function could not use private members";
                    self.refuse(class, Code::FUNCTION_VERSION, span, message);
                }
                continue;
            }
            if let Some((class, _)) = this.filter(|_| !this_changes) {
                let span = function.sites[0].name;
                self.refuse(
                    class,
                    Code::FUNCTION_VERSION,
                    span,
                    "this member function has no form in the new layout",
                );
                continue;
            }
            let class = this
                .map(|(class, _)| class)
                .or(others.first().copied())
                .or(result)
                .or(content.map(|(class, _)| class));
            let name = match class.filter(|_| is_renamed(program, id)) {
                Some(class) => {
                    let at = self.storage_of[&class];
                    let constant = if function.is_const { "Const" } else { "" };
                    let has_twin = function.record.is_some_and(|record| {
                        program.record(record).methods.iter().any(|other| {
                            let other = program.function(*other);
                            other.name == function.name && other.is_const != function.is_const
                        })
                    });
                    let suffix = if has_twin { constant } else { "" };
                    let base = self.hidden_base(function, this.map(|(class, _)| class));
                    let wish = format!(
                        "{}{base}{}{suffix}",
                        self.storages[at].1.prefix,
                        upper(&function.name)
                    );
                    let key = (
                        at,
                        function.name.clone(),
                        has_twin && function.is_const,
                        function.record.filter(|_| !base.is_empty()),
                    );
                    let name = match names.get(&key) {
                        Some(known) => known.clone(),
                        None => self.names.fresh(&wish),
                    };
                    names.insert(key, name.clone());
                    format!("{}{name}", self.storages[at].1.qualifier)
                }
                None => match class.filter(|class| {
                    if self.leaves_its_class(&order, id, *class) {
                        self.versions.moved.insert(id);
                        return true;
                    }
                    needs_own_name(program, id)
                        || content.is_some()
                        || named.contains(&id)
                        || self.has_twin(id)
                }) {
                    Some(class) => {
                        let at = self.storage_of[&class];
                        let wish =
                            format!("{}{}", function.name, upper(&self.storages[at].1.prefix));
                        let name = self.names.fresh(&wish);
                        let is_moved = self.versions.moved.contains(&id);
                        let qualifier = &self.storages[at].1.qualifier;
                        if is_moved { format!("{qualifier}{name}") } else { name }
                    }
                    None => match self.row_word(id) {
                        Some(word) => {
                            let wish = format!("{}{}", function.name, upper(word));
                            self.names.fresh(&wish)
                        }
                        None => function.name.clone(),
                    },
                },
            };
            self.versions.changed.insert(id, name);
        }
        self.name_callers();
        self.versions.returning = program
            .expr_ids()
            .filter(|id| self.is_given_element(*id))
            .filter_map(|id| self.called(id))
            .collect();
        for class in self.storage_of.keys().copied().collect::<Vec<_>>() {
            for slot in &self.classes.class(class).slots {
                let Slot::Field(field) = slot else { continue };
                let field = program.field(*field);
                if program.record(field.record).shares_text {
                    self.write_out(field.record, class, field.site.name);
                }
            }
        }
    }

    /// Whether an instance of a static member function template stands behind the struct, since its
    /// class is declared in front of that.
    fn leaves_its_class(
        &self,
        order: &super::order::FileOrder,
        id: FunctionId,
        class: ClassId,
    ) -> bool {
        let program = self.program;
        let function = program.function(id);
        let Some(record) = self.classes.class(class).element.record() else { return false };
        let definition = super::placement::definition(program, record);
        is_member_template(program, id)
            && function.sites.iter().any(|site| order.obstacle(site.span, definition).is_some())
    }

    /// Whether all variables of a copy are what they are in the function that it is a copy of: the same pointers, into arrays
    /// in the same layout.
    fn says_what_its_original_does(&self, copy: FunctionId) -> bool {
        let program = self.program;
        let Some(copy_of) = &program.function(copy).copy_of else { return false };
        let storage = |slot: Slot| self.changed_slot(slot).map(|class| self.storage_of[&class]);
        let variables = |id: FunctionId| -> BTreeMap<Span, (Option<usize>, bool)> {
            let own = program.function_parts(id).variables.into_iter();
            let named = own.map(|id| {
                let slot = Slot::Variable(id);
                let what = (storage(slot), self.classes.is_interior(slot));
                (program.variable(id).site.name, what)
            });
            named.collect()
        };
        storage(Slot::Result(copy)) == storage(Slot::Result(copy_of.original))
            && variables(copy) == variables(copy_of.original)
    }

    /// Whether another instance of the template that gives back an array has the same parameters: `allocate<P>(n)`.
    fn has_twin(&self, id: FunctionId) -> bool {
        let program = self.program;
        let original = |id: FunctionId| {
            let copy_of = program.function(id).copy_of.as_ref()?;
            copy_of.is_instance().then_some(copy_of.original)
        };
        let parameters = |id: FunctionId| -> Vec<layoutc_syntax::TypeId> {
            let own = program.function(id).parameters.iter();
            own.map(|parameter| program.variable(*parameter).ty.id).collect()
        };
        let Some(own) = original(id) else { return false };
        program.function_ids().any(|other| {
            other != id
                && original(other) == Some(own)
                && self.changed_slot(Slot::Result(other)).is_some()
                && parameters(other) == parameters(id)
        })
    }

    /// Instances that are named other than to call them: among overloads the name would say too
    /// little.
    fn named_instances(&self) -> BTreeSet<FunctionId> {
        let program = self.program;
        let is_callee = |id: ExprId| {
            self.parents.of(self.outermost(id)).is_some_and(|(parent, at)| {
                at == 0
                    && !program.launches_by_address.contains(&parent)
                    && matches!(
                        program.expr(parent).kind,
                        ExprKind::Call { .. } | ExprKind::Launch { .. }
                    )
            })
        };
        program
            .expr_ids()
            .filter(|id| !is_callee(*id))
            .filter_map(|id| match &program.expr(id).kind {
                ExprKind::Name(NameRef::Functions(functions)) => Some(functions),
                _ => None,
            })
            .flatten()
            .copied()
            .filter(|id| program.function(*id).copy_of.is_some())
            .collect()
    }

    /// Instances that say the same as their template but for the names of other instances.
    fn name_callers(&mut self) {
        let program = self.program;
        loop {
            let mut found = None;
            for id in program.function_ids() {
                let function = program.function(id);
                let is_instance =
                    function.copy_of.as_ref().is_some_and(layoutc_syntax::CopyOf::is_instance);
                let is_written =
                    function.record.is_some_and(|own| self.versions.written.contains_key(&own));
                if !is_instance
                    || function.this_parameter.is_some()
                    || self.versions.changed.contains_key(&id)
                    || is_written
                {
                    continue;
                }
                let renamed = program.function_parts(id).exprs.into_iter().find_map(|expr| {
                    let ExprKind::Name(NameRef::Functions(called)) = &program.expr(expr).kind
                    else {
                        return None;
                    };
                    called.iter().find_map(|called| {
                        let name = self.versions.changed.get(called)?;
                        let class = self.versions.contents.get(called)?;
                        let is_new = *name != program.function(*called).name;
                        is_new.then_some((*class, program.expr(expr).span))
                    })
                });
                if let Some((class, span)) = renamed {
                    found = Some((id, class, span));
                    break;
                }
            }
            let Some((id, class, span)) = found else { return };
            let function = program.function(id);
            match function.record {
                Some(record) => {
                    self.write_out(record, class, span);
                    if !self.versions.written.contains_key(&record) {
                        return;
                    }
                }
                None => {
                    self.versions.contents.insert(id, class);
                    let at = self.storage_of[&class];
                    let wish = format!("{}{}", function.name, upper(&self.storages[at].1.prefix));
                    let name = self.names.fresh(&wish);
                    self.versions.changed.insert(id, name);
                }
            }
        }
    }

    /// The function that a call or operator reaches.
    fn called(&self, expr: ExprId) -> Option<FunctionId> {
        match &self.program.expr(expr).kind {
            ExprKind::Call { callee, arguments, .. } => {
                match resolve_callee(self.program, *callee, arguments) {
                    Callee::Function(function) => Some(function),
                    _ => None,
                }
            }
            _ => self.program.operators.get(&expr).copied(),
        }
    }

    /// Whether a call gives back an element in another layout, which is used.
    pub(super) fn is_given_element(&self, expr: ExprId) -> bool {
        given_object(self.program, expr).is_some()
            && self.classes.place(expr).is_some_and(|(class, _)| {
                self.storage(class).is_some_and(|storage| !storage.is_record)
            })
    }

    /// The class of an aligned element that a call gives back as the record that it derives from,
    /// where a reference or pointer to the element is asked for.
    pub(super) fn given_record(&self, expr: ExprId) -> Option<ClassId> {
        given_object(self.program, expr)?;
        let (class, _) = self.classes.place(expr)?;
        self.storage(class).filter(|storage| storage.is_record)?;
        let outer = self.outermost(expr);
        let fits = match self.parents.of(outer) {
            Some((parent, _)) => matches!(
                self.program.expr(parent).kind,
                ExprKind::Member { arrow: false, .. } | ExprKind::Assign(None, ..)
            ),
            None => !self.inits.get(&outer).is_some_and(|variable| self.is_reference(*variable)),
        };
        (!fits).then_some(class)
    }

    /// The object of a copy: what `this` is, or the first parameter.
    fn copy_object(&self, function: FunctionId) -> Option<VarId> {
        let own = self.program.function(function);
        own.this_parameter.or(own.parameters.first().copied())
    }

    /// Base and index of the element that a call gives back: the copy returns the index.
    pub(super) fn given_parts(
        &mut self,
        expr: ExprId,
        object: ExprId,
        class: ClassId,
    ) -> Option<super::expressions::Parts> {
        let parts = self.object_parts(object, class)?;
        let span = self.program.expr(expr).span;
        // The pointer is named again beside the call, which must not change it.
        let is_fixed = parts.slot.is_some_and(|slot| {
            let variable = self.program.variable(slot);
            variable.storage != Storage::Static
                && !self.effects(expr).writes.contains(&slot)
                && (!self.is_reference(slot)
                    || self
                        .program
                        .types
                        .as_record(self.program.types.strip_reference(variable.ty).id)
                        .is_some())
        });
        let width = self
            .called(expr)
            .filter(|function| self.versions.returning.contains(function))
            .and_then(|function| self.copy_object(function))
            .map(|object| self.indices.get(&object).map_or("int", |(_, width)| width));
        let (Some(width), true, None) = (width, is_fixed, self.program.home(expr)) else {
            self.refuse(
                class,
                Code::ELEMENT_EXPRESSION,
                span,
                "this element has no form in the new layout",
            );
            return None;
        };
        let Some(text) = self.copy_call(expr) else {
            self.refuse(
                class,
                Code::ELEMENT_EXPRESSION,
                span,
                "this element has no form in the new layout",
            );
            return None;
        };
        Some(super::expressions::Parts {
            index: crate::storage::IndexText::simple(text),
            is_repeatable: false,
            is_int: width == "int",
            ..parts
        })
    }

    /// Something of a class that changes in an instance of a template, where the template's own
    /// text does not say the same: that text cannot be left as it is.
    fn own_content(&self, id: FunctionId) -> Option<(ClassId, Span)> {
        let program = self.program;
        let copy_of =
            program.function(id).copy_of.as_ref().filter(|copy_of| copy_of.is_instance())?;
        let places = |parts: &layoutc_syntax::FunctionParts| -> BTreeSet<(ClassId, Span)> {
            let of_expr = |expr: &ExprId| {
                let class = self
                    .classes
                    .place(*expr)
                    .map(|(class, _)| class)
                    .or_else(|| self.changed_pointer(*expr))
                    .filter(|class| self.storage_of.contains_key(class))?;
                Some((class, program.expr(*expr).span))
            };
            let of_variable = |variable: &VarId| {
                let class = self.changed_slot(Slot::Variable(*variable))?;
                Some((class, program.variable(*variable).site.name))
            };
            parts
                .exprs
                .iter()
                .filter_map(of_expr)
                .chain(parts.variables.iter().filter_map(of_variable))
                .collect()
        };
        let own = places(&program.function_parts(id));
        if own.is_empty() {
            return None;
        }
        let original = places(&program.function_parts(copy_of.original));
        own.into_iter().find(|place| !original.contains(place))
    }

    /// The name of the base class whose member a copy is, if the class of its object, or a base of
    /// that, has another one of this name.
    fn hidden_base(&self, function: &layoutc_syntax::Function, class: Option<ClassId>) -> String {
        let program = self.program;
        let (Some(own), Some(class)) = (function.record, class) else { return String::new() };
        let Some(object) = self.classes.class(class).element.record() else {
            return String::new();
        };
        if own == object {
            return String::new();
        }
        let has_other = program.with_bases(object).into_iter().any(|record| {
            record != own
                && program
                    .record(record)
                    .methods
                    .iter()
                    .any(|method| program.function(*method).name == function.name)
        });
        if has_other { upper(&program.record(own).name) } else { String::new() }
    }

    /// Whether every use of a copy's object is an access to a member of it.
    fn reaches_members_only(&self, object: VarId) -> bool {
        self.program.expr_ids().all(|id| match self.program.expr(id).kind {
            ExprKind::Name(NameRef::Variable(variable)) if variable == object => {
                self.parents.of(id).is_some_and(|(parent, _)| {
                    matches!(self.program.expr(parent).kind, ExprKind::Member { arrow: true, .. })
                })
            }
            _ => true,
        })
    }

    /// The name of a variable in the new text.
    pub(super) fn variable_text(&self, expr: ExprId, variable: VarId) -> String {
        if let Some(text) = self.tiles_of_view(expr) {
            return text;
        }
        if self.is_object(variable) {
            self.versions.object.clone()
        } else {
            self.text(expr).to_owned()
        }
    }

    /// The name under which a variable's companion is known.
    pub(super) fn companion_base(&self, variable: VarId) -> String {
        if self.is_object(variable) {
            self.versions.object.clone()
        } else {
            self.program.variable(variable).name.clone()
        }
    }

    /// Whether a variable is the object of a copy of a member function.
    fn is_object(&self, variable: VarId) -> bool {
        self.versions.variables.get(&variable).is_some_and(|function| {
            self.program.function(*function).this_parameter == Some(variable)
        })
    }

    /// Text in a copy of a member function that means something else outside the class.
    pub(super) fn outside_class(&mut self, expr: ExprId) -> Option<String> {
        let program = self.program;
        let owner = self.versions.of_expr(expr)?;
        let own_record = program.function(owner).record?;
        program.function(owner).this_parameter?;
        match &program.expr(expr).kind {
            ExprKind::Name(NameRef::Variable(variable)) => {
                if self.is_object(*variable) {
                    return Some(self.versions.object.clone());
                }
                let record = program.variable(*variable).record?;
                let text = self.text(expr);
                (program.with_bases(own_record).contains(&record) && !text.contains("::"))
                    .then(|| format!("{}::{text}", program.spelled_name(record)))
            }
            ExprKind::Member { base, arrow: true, name, .. } => {
                let ExprKind::Name(NameRef::Variable(variable)) = program.expr(*base).kind else {
                    return None;
                };
                self.is_object(variable)
                    .then(|| format!("{}->{}", self.versions.object, program.text(*name)))
            }
            _ => None,
        }
    }

    /// `f<T, 4>` where the instance of `f` is an overload of its own: `f<4>`.
    pub(super) fn instance_name(&mut self, expr: ExprId) -> Option<String> {
        let program = self.program;
        let ExprKind::Name(NameRef::Functions(functions)) = &program.expr(expr).kind else {
            return None;
        };
        let [function] = functions[..] else {
            self.refuse_several_templates(expr, functions);
            return None;
        };
        let new = self.versions.changed.get(&function)?.clone();
        let new = &new;
        if self.text(expr).contains('<')
            && let Some(class) = self.constant_instance(expr, function)
        {
            let message = "the template itself takes this pointer, and not its instance for constant elements";
            self.refuse(class, Code::FUNCTION_VERSION, program.expr(expr).span, message);
            return None;
        }
        let values = match program.template_arguments.get(&expr) {
            Some(values) => &values[..],
            // A version of what has no types to bind keeps its arguments.
            None if self.versions.moved.contains(&function) => {
                let text = self.text(expr);
                let arguments = text.find('<').map_or("", |at| &text[at..]);
                return Some(format!("{new}{arguments}"));
            }
            // A version for another member than that of an earlier one.
            None if *new != program.function(function).name
                && self.row_word(function).is_some() =>
            {
                &[]
            }
            None => return None,
        };
        let text = self.text(expr);
        let written = text.split_once('<').map_or(text, |(name, _)| name).trim_end();
        let values: Vec<&str> = values.iter().map(|span| program.text(*span)).collect();
        let scope = written.rsplit_once("::").map_or("", |(scope, _)| scope);
        let joint = if scope.is_empty() { "" } else { "::" };
        let name = if self.versions.moved.contains(&function) {
            new.clone()
        } else if *new != program.function(function).name {
            format!("{scope}{joint}{new}")
        } else {
            written.to_owned()
        };
        Some(if values.is_empty() { name } else { format!("{name}<{}>", values.join(", ")) })
    }

    /// `f<T>` where several templates are called `f`: the instance would not be the only one to fit, or not fit at all.
    fn refuse_several_templates(&mut self, name: ExprId, functions: &[FunctionId]) {
        let changed = functions.iter().filter(|id| self.versions.changed.contains_key(*id));
        if !self.text(name).contains('<') {
            return;
        }
        let mut parameters = changed.flat_map(|id| &self.program.function(*id).parameters);
        if let Some(class) = parameters.find_map(|id| self.changed_slot(Slot::Variable(*id))) {
            let message = "several templates of this name may be meant";
            self.refuse(class, Code::FUNCTION_VERSION, self.program.expr(name).span, message);
        }
    }

    /// The name of a static member function by its class, where an object in another layout named it.
    pub(super) fn static_function(&mut self, expr: ExprId) -> Option<String> {
        let program = self.program;
        let ExprKind::Member { base, field: None, methods, name, .. } = &program.expr(expr).kind
        else {
            return None;
        };
        let is_static = |id: &FunctionId| program.function(*id).is_static_member;
        if methods.is_empty() || !methods.iter().all(is_static) {
            return None;
        }
        self.object_class(*base)?;
        let record = program.function(methods[0]).record?;
        let mut scope = program.record(record).namespaces.join("::");
        if !scope.is_empty() {
            scope.push_str("::");
        }
        let name = match name.start == name.end {
            true => "operator()",
            false => program.text(*name),
        };
        let name = name.rsplit("::").next().unwrap_or(name).trim_start();
        Some(format!("{scope}{}::{name}", program.spelled_name(record)))
    }

    /// Base and index of the object of a member function, or of an operand.
    fn object_parts(
        &mut self,
        object: ExprId,
        class: ClassId,
    ) -> Option<super::expressions::Parts> {
        match self.classes.place(object) {
            Some((_, PlaceKind::Element)) => self.element_parts(object, class),
            _ => self.pointer_parts(object, class),
        }
    }

    /// The class of an element, or of what a pointer points to, if it changes.
    fn object_class(&self, object: ExprId) -> Option<ClassId> {
        let class = match self.classes.place(object) {
            Some((class, PlaceKind::Element)) => class,
            _ => self.changed_pointer(object)?,
        };
        self.storage(class).filter(|storage| !storage.is_record).map(|_| class)
    }

    /// `p[i].f(x)` where `f` has a copy: `particleF(p, i, x)`; the same for operators.
    pub(super) fn copy_call(&mut self, expr: ExprId) -> Option<String> {
        let program = self.program;
        if let ExprKind::Call { callee, arguments, parentheses } = &program.expr(expr).kind {
            let arguments = arguments.clone();
            let Callee::Function(function) = resolve_callee(program, *callee, &arguments) else {
                return None;
            };
            let name = self.versions.changed.get(&function)?.clone();
            let this = program.function(function).this_parameter?;
            let ExprKind::Member { base, .. } = program.expr(program.strip_parens(*callee)).kind
            else {
                return None;
            };
            let arrow = matches!(
                program.expr(program.strip_parens(*callee)).kind,
                ExprKind::Member { arrow: true, .. }
            );
            if let Some(class) = self.lost_result(expr, function) {
                let message = "the result of this call is used, and its object keeps the layout";
                self.refuse(class, Code::FUNCTION_VERSION, program.expr(expr).span, message);
                return None;
            }
            let class = self.changed_slot(Slot::Variable(this)).or_else(|| {
                let parameters = &program.function(function).parameters;
                parameters.iter().find_map(|id| self.changed_slot(Slot::Variable(*id)))
            });
            if let Some(class) = class
                && self.is_unordered(base, &arguments)
            {
                let span = program.expr(expr).span;
                let message =
                    "the object and an argument depend on each other's order of evaluation";
                self.refuse(class, Code::EVALUATION_ORDER, span, message);
                return None;
            }
            let object = match self.changed_slot(Slot::Variable(this)) {
                Some(class) => self.object_argument(base, class, this)?,
                None if arrow => self.render(base),
                None => self.address_of(base, function)?,
            };
            let inside =
                Span { start: parentheses.start + 1, end: parentheses.end - 1, ..*parentheses };
            let rest = self.splice_span(program.home(expr), inside, &arguments);
            let comma = if arguments.is_empty() { "" } else { ", " };
            return Some(format!("{name}({object}{comma}{rest})"));
        }
        let function = *program.operators.get(&expr)?;
        let name = self.versions.changed.get(&function)?.clone();
        let operands = match program.expr(expr).kind {
            ExprKind::Binary(_, left, right) | ExprKind::Assign(_, left, right) => {
                vec![left, right]
            }
            ExprKind::Index { base, index, .. } => vec![base, index],
            ExprKind::Unary(_, operand) => vec![operand],
            _ => return None,
        };
        let own = program.function(function);
        let parameters: Vec<VarId> =
            own.this_parameter.into_iter().chain(own.parameters.iter().copied()).collect();
        // What the operator has an order for become arguments of a call, which have none.
        if let [left, right] = operands[..]
            && (given_object(program, program.strip_parens(left)).is_some()
                && self.order_matters(left, right)
                || self.is_reordered(left, right))
            && let Some(class) =
                parameters.iter().find_map(|id| self.changed_slot(Slot::Variable(*id)))
        {
            let span = program.expr(expr).span;
            let message = "the operands depend on each other's order of evaluation";
            self.refuse(class, Code::EVALUATION_ORDER, span, message);
            return None;
        }
        if let Some(class) = self.lost_result(expr, function) {
            let message = "the result of this operator is used, and its object keeps the layout";
            self.refuse(class, Code::FUNCTION_VERSION, program.expr(expr).span, message);
            return None;
        }
        let mut texts = Vec::new();
        for (operand, parameter) in operands.into_iter().zip(parameters) {
            texts.push(match self.changed_slot(Slot::Variable(parameter)) {
                Some(class) => self.object_argument(operand, class, parameter)?,
                None if own.this_parameter == Some(parameter) => {
                    self.address_of(operand, function)?
                }
                None => self.render(operand),
            });
        }
        // The number that tells `x++` from `++x`.
        if let ExprKind::Unary(UnaryOp::PostIncrement | UnaryOp::PostDecrement, _) =
            program.expr(expr).kind
        {
            texts.push("0".to_owned());
        }
        Some(format!("{name}({})", texts.join(", ")))
    }

    /// A version that gives nothing back, since its object's index says it all, used for what the
    /// original gives back, where the object keeps its layout. The class that the version is for.
    fn lost_result(&self, call: ExprId, function: FunctionId) -> Option<ClassId> {
        let own = self.program.function(function);
        let gives_nothing = own.copy_of.as_ref().is_some_and(|copy| copy.drops_result)
            && own.this_parameter.is_some_and(|id| self.changed_slot(Slot::Variable(id)).is_none());
        let outer = self.outermost(call);
        let is_used = self.parents.of(outer).is_some()
            || self.inits.contains_key(&outer)
            || self.returned.contains_key(&outer)
            || self.conditions.contains(&outer);
        if !gives_nothing || !is_used {
            return None;
        }
        own.parameters.iter().find_map(|id| self.changed_slot(Slot::Variable(*id)))
    }

    /// Whether an object, which is evaluated first, and the arguments depend on each other.
    fn is_unordered(&self, object: ExprId, arguments: &[ExprId]) -> bool {
        arguments.iter().any(|argument| self.is_reordered(object, *argument))
    }

    /// The address of an object that keeps its form.
    fn address_of(&mut self, object: ExprId, function: FunctionId) -> Option<String> {
        let is_lvalue = matches!(
            self.program.expr(self.program.strip_parens(object)).kind,
            ExprKind::Name(_)
                | ExprKind::Index { .. }
                | ExprKind::Member { .. }
                | ExprKind::Deref(_)
        );
        if !is_lvalue {
            let own = self.program.function(function);
            let class = own
                .parameters
                .iter()
                .find_map(|parameter| self.changed_slot(Slot::Variable(*parameter)))?;
            let span = self.program.expr(object).span;
            self.refuse(
                class,
                Code::FUNCTION_VERSION,
                span,
                "the member function's version needs the address of this",
            );
            return None;
        }
        Some(format!("&{}", self.render(object)))
    }

    /// An element, or a pointer to one, as the argument for a parameter of a copy.
    fn object_argument(
        &mut self,
        object: ExprId,
        class: ClassId,
        parameter: VarId,
    ) -> Option<String> {
        if self.storage(class)?.is_record {
            return Some(self.render(object));
        }
        let parts = self.object_parts(object, class)?;
        Some(if self.classes.is_interior(Slot::Variable(parameter)) {
            format!("{}, {}", parts.base, parts.index.text)
        } else {
            parts.base
        })
    }

    /// `p[i].f` where `f` is a member function that only reads: it is called on a copy.
    pub(super) fn reader_object(&mut self, expr: ExprId) -> Option<String> {
        let ExprKind::Member { base, field: None, methods, name, .. } =
            &self.program.expr(expr).kind
        else {
            return None;
        };
        if methods.is_empty() {
            return None;
        }
        let (base, name) = (*base, *name);
        let class = self.object_class(base)?;
        let parts = self.object_parts(base, class)?;
        let storage = self.storage(class)?;
        self.needs(class).load = true;
        self.note_whole(class, expr);
        let load = storage.function("Load");
        // A call operator has no name there.
        let dot = if name.start == name.end { "" } else { "." };
        let name = self.program.text(name);
        Some(format!("{load}({}, {}){dot}{name}", parts.base, parts.index.text))
    }

    /// Puts the copies that changed beside their originals: the text of those that stand with the
    /// record's generated declarations, by storage.
    pub(super) fn place_versions(&mut self) -> PlacedVersions {
        let program = self.program;
        let order = super::order::FileOrder::new(program);
        let class_texts = self.class_texts(&order);
        let changed: Vec<(FunctionId, String)> =
            self.versions.changed.iter().map(|(id, name)| (*id, name.clone())).collect();
        let mut with_record: BTreeMap<usize, String> = BTreeMap::new();
        let mut early: Vec<(usize, Span, String, bool)> = Vec::new();
        let mut headers = HeadersInFront::default();
        let mut names_for_host = BTreeSet::new();
        let mut prototypes: BTreeMap<usize, Vec<(String, bool)>> = BTreeMap::new();
        let mut seen: BTreeMap<(Option<Span>, String), (String, FunctionId)> = BTreeMap::new();
        for (id, name) in changed {
            self.copy_heads(id, &name);
            let edits = self.versions.edits.remove(&id).unwrap_or_default();
            let function = program.function(id);
            let Some(class) = self.class_of_version(id) else { continue };
            for site in &function.sites {
                let whole = site.template.unwrap_or(site.span);
                let within = |span: Span| -> Vec<Edit> {
                    edits.iter().filter(|edit| span.contains(edit.span)).cloned().collect()
                };
                let body = function.body.map(|body| program.stmt(body).span);
                let body = body.filter(|body| whole.contains(*body));
                let is_definition = body.is_some();
                // What stands before the body, without and with what stands before the name.
                let end = body.map_or(whole.end, |body| body.start);
                let before = Span { end, ..whole };
                let named = Span { start: site.name.start, ..before };
                if is_definition
                    && let Some((span, message)) = self.instance_obstacle(id, whole, &order)
                {
                    self.refuse(class, Code::FUNCTION_VERSION, span, &message);
                    continue;
                }
                if is_definition && let Some(callee) = self.later_callee(id, whole) {
                    let message = "this template calls a function that is declared behind it";
                    self.refuse(class, Code::FUNCTION_VERSION, callee, message);
                    continue;
                }
                // The same text from two meanings is one function.
                let record = function.record.map(|record| program.record(record));
                let in_class = record
                    .is_some_and(|record| record.body.is_some_and(|body| body.contains(site.span)));
                // A template may stand before the record that an instance is about.
                let Some(record) = self.classes.class(class).element.record() else { continue };
                let definition = super::placement::definition(program, record);
                let is_before = is_definition && order.obstacle(whole, definition).is_some();
                let is_early = function.this_parameter.is_none()
                    && is_definition
                    && order.obstacle(site.span, definition).is_some();
                // A member function of a base class moves behind the class that inherits it.
                let is_inherited = function
                    .record
                    .is_some_and(|own| own != record && program.derives_from(record, own));
                if is_inherited
                    && is_before
                    && let Some(callee) = self.overloaded_between(id, whole, definition)
                {
                    let message = "this member function is inherited, and a function that it calls is overloaded between the classes";
                    self.refuse(class, Code::FUNCTION_VERSION, callee, message);
                    continue;
                }
                if is_early && let Some(callee) = self.overloaded_between(id, whole, definition) {
                    let message = "this template is declared before the struct, and a function that it calls is overloaded between";
                    self.refuse(class, Code::FUNCTION_VERSION, callee, message);
                    continue;
                }
                let words = |span: Span| program.words_below(span).into_iter().map(str::to_owned);
                if is_early
                    && instantiation::changes_meaning(
                        program,
                        &order,
                        (whole, definition),
                        &words(whole).collect(),
                    )
                {
                    let message = "this template is declared before the struct, and something between them could give its text another meaning";
                    self.refuse(class, Code::FUNCTION_VERSION, site.name, message);
                    continue;
                }
                // Behind the struct alone, nothing that the template is made of needs to be declared.
                let header = (is_early && order.obstacle(definition.at_end(), whole).is_some())
                    .then(|| self.header_in_front(whole, (record, definition), &order));
                if let Some(None) = header {
                    let message = "this template comes before the struct in one file and not in another, so that an instance has no place";
                    self.refuse(class, Code::FUNCTION_VERSION, site.name, message);
                    continue;
                }
                // Text that is moved to the generated declarations must mean there what it means here.
                let home = super::placement::home(program, record);
                let is_moved = is_early || ((in_class || is_before) && home != record);
                let is_elsewhere = program
                    .declaration_of(&site.result)
                    .is_some_and(|own| own.namespaces != program.record(home).namespaces);
                if is_moved && is_definition && is_elsewhere {
                    let message =
                        "its version would have to stand in another namespace, behind the struct";
                    self.refuse(class, Code::FUNCTION_VERSION, site.name, message);
                    continue;
                }
                if is_moved
                    && is_definition
                    && let Some(callee) = self.overloaded_between(id, whole, definition)
                {
                    let message = "this is declared before what the element is made of, and a function that it calls is overloaded between";
                    self.refuse(class, Code::FUNCTION_VERSION, callee, message);
                    continue;
                }
                let moves_with_record =
                    function.this_parameter.is_some() && (in_class || is_before);
                let place = if is_early || moves_with_record { definition } else { whole };
                if is_definition
                    && function.copy_of.as_ref().is_some_and(layoutc_syntax::CopyOf::is_instance)
                    && let Some(late) = self.late_type(id, place.at_end(), &order)
                {
                    let message = "this template uses a type that is complete only behind the place of its version";
                    self.refuse(class, Code::FUNCTION_VERSION, late, message);
                    continue;
                }
                let mut used = BTreeSet::new();
                if is_definition {
                    self.used_records(&[id], &mut used);
                }
                if let Some(obstacle) = class_texts.obstacle(&order, place, &used) {
                    self.refuse(class, Code::FUNCTION_VERSION, site.name, obstacle);
                    continue;
                }
                // Macros are undefined, or defined again, between a function and its version.
                let written = |this: &Self, span: Span, to: Span| -> Option<String> {
                    let mut own = within(span);
                    let elsewhere = this.macros_elsewhere(&order, site, to.at_end(), &own);
                    own.extend(elsewhere.into_iter().filter(|edit| span.contains(edit.span)));
                    apply(program, span, own)
                };
                if layoutc_syntax::preprocess::has_directive(program.text(before)) {
                    let message =
                        "a directive stands in the head of a function that needs a version";
                    self.refuse(class, Code::FUNCTION_VERSION, site.name, message);
                    continue;
                }
                let head_place = if function.this_parameter.is_some() { definition } else { whole };
                let (Some(text), Some(head), Some(signature)) = (
                    written(self, whole, place),
                    written(self, before, head_place),
                    apply(program, named, within(named)),
                ) else {
                    self.refuse(
                        class,
                        Code::NAME_CONFLICT,
                        site.name,
                        "two rewrites want the text of this copy",
                    );
                    continue;
                };
                let head = head.trim_end().trim_end_matches(';').to_owned();
                // The function itself may have become what this one is, for another array in the same layout.
                let of_original = |span: Span| {
                    let own = self.edits.iter().filter(|edit| span.contains(edit.span));
                    apply(program, span, own.cloned().collect())
                };
                let is_plain_copy = function.this_parameter.is_none()
                    && !function.copy_of.as_ref().is_some_and(layoutc_syntax::CopyOf::is_instance);
                if is_plain_copy
                    && of_original(named).is_some_and(|own| one_line(&own) == one_line(&signature))
                {
                    if !self.says_what_its_original_does(id) {
                        let message =
                            "two meanings of this function would have the same parameters";
                        self.refuse(class, Code::FUNCTION_VERSION, site.name, message);
                    }
                    continue;
                }
                let key = ((!in_class).then_some(whole), one_line(&signature));
                if let Some((other, _)) = seen.get(&key) {
                    if *other != text {
                        let message =
                            "two meanings of this function would have the same parameters";
                        self.refusals
                            .push((class, pin(site.name, Code::FUNCTION_VERSION, message)));
                    }
                    continue;
                }
                seen.insert(key, (text.clone(), id));
                if function.this_parameter.is_some() {
                    let at = self.last_storage_there(class);
                    // In the class the text is indented.
                    let text = unindent(program, whole, &text);
                    let linkage = linkage(program, id, site, definition.file);
                    let text = with_linkage(&text, linkage, site);
                    // The definition may say less than the declaration in the class.
                    if site.span == function.sites[0].span {
                        let head = with_linkage(&one_line(&head), linkage, site);
                        let is_alone = function.sites.len() == 1;
                        prototypes.entry(at).or_default().push((format!("{head};"), is_alone));
                    }
                    // The definition may stand before what an instance is made of.
                    if is_definition && (in_class || is_before) {
                        let block = with_record.entry(at).or_default();
                        block.push_str(&format!("\n{text}\n"));
                    } else if is_definition {
                        let text = self.with_newlines(whole, format!("\n\n{text}"));
                        self.edits.push(Edit::version(whole, text));
                    }
                } else if is_early {
                    let at = self.last_storage_there(class);
                    let text = unindent(program, whole, &text);
                    let linkage = self.instance_linkage(id, site, definition.file);
                    let text = with_linkage(&text, linkage, site);
                    if let Some(Some(header)) = header {
                        headers.insert(at, header, class);
                    }
                    let is_for_host = host_files::is_called(program, id);
                    // The other declarations stand in front of the struct, and default arguments in one of them.
                    let takes_defaults = |site: &layoutc_syntax::FunctionSite| {
                        let mut own = site.parameters.iter();
                        own.any(|parameter| program.default_arguments.contains_key(parameter))
                    };
                    let original = function.copy_of.as_ref().map_or(id, |own| own.original);
                    let sites = program.function(original).sites.iter().chain(&function.sites);
                    let mut others = sites.filter(|own| own.span != site.span);
                    if others.any(takes_defaults) {
                        let message = "this template comes before the struct, and a declaration of it has default arguments";
                        self.refuse(class, Code::FUNCTION_VERSION, site.name, message);
                        continue;
                    }
                    if is_for_host {
                        names_for_host.insert(function.name.clone());
                    }
                    early.push((at, whole, format!("\n{text}\n"), is_for_host));
                } else {
                    let linkage = self.instance_linkage(id, site, whole.file);
                    if is_definition {
                        let head = with_linkage(&head, linkage, site);
                        self.instance_prototypes(id, class, &head, &order);
                    }
                    let text = with_linkage(&unindent(program, whole, &text), linkage, site);
                    // A static member function template has its instance beside it.
                    let text = match is_member_template(program, id) {
                        true => indented(&text, line_indent(program, whole)),
                        false => text,
                    };
                    let blank = if is_definition { "\n" } else { "" };
                    let text = self.with_newlines(whole, format!("\n{blank}{text}"));
                    self.edits.push(Edit::version(whole, text));
                }
            }
        }
        // What one calls stands in front of it in the source.
        early.sort_by_key(|(at, whole, ..)| (*at, order.position(*whole), *whole));
        let mut for_host: BTreeMap<usize, String> = BTreeMap::new();
        let mut moved: BTreeMap<usize, Vec<(Span, String)>> = BTreeMap::new();
        for (at, whole, text, is_for_host) in early {
            moved.entry(at).or_default().push((whole, text.trim_matches('\n').to_owned()));
            let block = if is_for_host { &mut for_host } else { &mut with_record };
            block.entry(at).or_default().push_str(&text);
        }
        let mut heads: BTreeMap<usize, String> = BTreeMap::new();
        for (at, prototypes) in prototypes {
            let block = with_record.entry(at).or_default();
            let record = self.storages[at].0;
            let has_text = class_texts.is_behind(super::placement::definition(program, record));
            // One alone is defined where it would be declared.
            let is_alone = matches!(prototypes[..], [(_, true)]);
            if is_alone && !block.is_empty() && !has_text {
                continue;
            }
            let head: String = prototypes.iter().map(|(line, _)| format!("\n{line}")).collect();
            heads.insert(at, format!("{head}\n"));
        }
        PlacedVersions { headers, heads, with_record, for_host, names_for_host, moved, class_texts }
    }

    /// A class of arrays for which the function has a version.
    fn class_of_version(&self, id: FunctionId) -> Option<ClassId> {
        let function = self.program.function(id);
        function
            .this_parameter
            .into_iter()
            .chain(function.parameters.iter().copied())
            .find_map(|parameter| self.changed_slot(Slot::Variable(parameter)))
            .or_else(|| self.changed_slot(Slot::Result(id)))
            .or_else(|| self.versions.contents.get(&id).copied())
    }

    /// The functions that get versions, each with a class for which it has one.
    pub(super) fn version_classes(&self) -> BTreeMap<FunctionId, Option<ClassId>> {
        let changed = self.versions.changed.keys();
        changed.map(|id| (*id, self.class_of_version(*id))).collect()
    }

    /// The last of the storages that are declared where the class's is: behind it, a version may
    /// mention each of them.
    fn last_storage_there(&self, class: ClassId) -> usize {
        let own = self.storage_of[&class];
        let place = |at: usize| super::placement::definition(self.program, self.storages[at].0);
        let found = (0..self.storages.len()).rev().find(|at| place(*at) == place(own));
        found.unwrap_or(own)
    }

    /// The text with the line breaks of the file that it is put into.
    pub(super) fn with_newlines(&self, at: Span, text: String) -> String {
        let is_crlf = self.program.sources.file(at.file).text().contains("\r\n");
        let plain = text.replace("\r\n", "\n");
        if is_crlf { plain.replace('\n', "\r\n") } else { plain }
    }

    /// A call in an instance of a function that only a template finds: it is declared behind the
    /// template, and found when the template is instantiated.
    fn later_callee(&self, id: FunctionId, template: Span) -> Option<Span> {
        let program = self.program;
        let is_instance =
            program.function(id).copy_of.as_ref().is_some_and(layoutc_syntax::CopyOf::is_instance);
        if !is_instance {
            return None;
        }
        program.function_parts(id).exprs.into_iter().find_map(|expr| {
            let (ExprKind::Call { callee, arguments, .. }
            | ExprKind::Launch { kernel: callee, arguments, .. }) = &program.expr(expr).kind
            else {
                return None;
            };
            let candidates = match resolve_callee(program, *callee, arguments) {
                Callee::Function(function) => vec![function],
                Callee::Ambiguous(candidates) => candidates,
                Callee::Library(_) | Callee::Unknown => return None,
            };
            let own_record = program.function(id).record;
            let is_later =
                |id: FunctionId| {
                    let function = program.function(id);
                    // Members of a class see each other.
                    if function.record.is_some() && function.record == own_record {
                        return false;
                    }
                    let original = function.copy_of.as_ref().map_or(id, |copy_of| copy_of.original);
                    program.function(original).sites.iter().all(|site| {
                        site.span.file == template.file && site.span.start > template.start
                    })
                };
            candidates.into_iter().any(is_later).then(|| program.expr(expr).span)
        })
    }

    /// A call in an instance that is moved behind the record of a function for which another is
    /// declared on the way: the moved text could choose that.
    fn overloaded_between(&self, id: FunctionId, from: Span, to: Span) -> Option<Span> {
        let program = self.program;
        let between: BTreeSet<&str> = program
            .functions
            .iter()
            .filter(|function| {
                function.sites.iter().any(|site| {
                    site.span.file != from.file
                        || (site.span.start > from.start && site.span.start < to.end)
                })
            })
            .map(|function| function.name.as_str())
            .collect();
        program.function_parts(id).exprs.into_iter().find_map(|expr| {
            let ExprKind::Name(NameRef::Functions(called)) = &program.expr(expr).kind else {
                return None;
            };
            let only_before = |id: FunctionId| {
                program
                    .function(id)
                    .sites
                    .iter()
                    .all(|site| site.span.file == from.file && site.span.start <= from.start)
            };
            called
                .iter()
                .any(|id| between.contains(program.function(*id).name.as_str()) && only_before(*id))
                .then(|| program.expr(expr).span)
        })
    }

    /// What an instance that is no template any more needs in front, so that a header with it can
    /// be included twice.
    fn instance_linkage(&self, id: FunctionId, site: &FunctionSite, home: FileId) -> &'static str {
        let function = self.program.function(id);
        let is_plain = function.template_parameters.is_empty()
            && function.copy_of.as_ref().is_some_and(layoutc_syntax::CopyOf::is_instance);
        if is_plain { linkage(self.program, id, site, home) } else { "" }
    }

    /// Declares an instance where its template is declared before it is defined.
    fn instance_prototypes(
        &mut self,
        id: FunctionId,
        class: ClassId,
        head: &str,
        order: &super::order::FileOrder,
    ) {
        let program = self.program;
        let Some(copy_of) = &program.function(id).copy_of else { return };
        if !copy_of.is_instance() {
            return;
        }
        let Some(record) = self.classes.class(class).element.record() else { return };
        let definition = super::placement::definition(program, record);
        let own = program.function(id).sites[0].span;
        let sites: Vec<&FunctionSite> = match is_member_template(program, id) {
            true => program.function(copy_of.original).sites.iter().collect(),
            false => template_sites(program, copy_of.original).collect(),
        };
        for site in sites {
            let whole = site.template.unwrap_or(site.span);
            if whole.contains(own) {
                continue;
            }
            if let Some(obstacle) = order.obstacle(site.span, definition) {
                self.refuse(class, Code::FUNCTION_VERSION, site.name, obstacle);
                continue;
            }
            let Some(head) = with_defaults(program, id, head, site) else {
                let message = "the default of a template parameter depends on one that is bound";
                self.refuse(class, Code::FUNCTION_VERSION, site.name, message);
                continue;
            };
            let text = self.with_newlines(whole, format!("\n{};", one_line(&head)));
            self.edits.push(Edit::replace(whole.at_end(), text));
        }
    }

    /// Whether a member function is defined in front of a name that says its namespace.
    fn is_outside_namespace(&self, id: FunctionId, site: &FunctionSite) -> bool {
        let program = self.program;
        let own = program.function(id).record.map(|record| &program.record(record).namespaces);
        let there = program.declaration_of(&site.result);
        own.zip(there).is_some_and(|(own, there)| there.namespaces.len() < own.len())
    }

    /// Edits in the heads of a copy, and its `return` statements.
    fn copy_heads(&mut self, id: FunctionId, name: &str) {
        let program = self.program;
        let function = program.function(id);
        let copy_of = function.copy_of.clone();
        let returned = self.versions.returning.contains(&id).then(|| {
            let index = self.copy_object(id).and_then(|object| self.indices.get(&object));
            index.cloned().unwrap_or(("0".to_owned(), "int"))
        });
        self.owner = Some(id);
        for site in &function.sites {
            if is_renamed(program, id) || *name != *function.name {
                let is_outside = function.this_parameter.is_some()
                    && name.contains("::")
                    && self.is_outside_namespace(id, site);
                let plain =
                    if is_outside { name } else { name.rsplit("::").next().unwrap_or(name) };
                self.push(Edit::replace(site.name, plain));
            }
            if let Some(this) = function.this_parameter {
                self.object_parameter(this, site);
                self.drop_member_words(id, site);
            }
            if copy_of.as_ref().is_some_and(|copy_of| copy_of.drops_result) {
                let declaration = program.declaration_of(&site.result).filter(|own| own.is_plain);
                let Some(declaration) = declaration else {
                    let class = self
                        .copy_object(id)
                        .and_then(|object| self.changed_slot(Slot::Variable(object)));
                    let class = class.or_else(|| {
                        let parameters = &function.parameters;
                        parameters.iter().find_map(|id| self.changed_slot(Slot::Variable(*id)))
                    });
                    if let Some(class) = class {
                        let message = "the type that this returns is not written out";
                        self.refuse(class, Code::FUNCTION_VERSION, site.name, message);
                    }
                    continue;
                };
                let mut span = declaration.specifier;
                // Behind the parameters nothing follows the type.
                let is_trailing = span.start >= site.name.end;
                for part in site.result.pointers.iter().chain(&site.result.reference) {
                    if part.start >= span.start && (is_trailing || part.end <= site.name.start) {
                        span.end = part.end;
                    }
                }
                let is_tight = !is_trailing && span.end == site.name.start;
                let blank = if is_tight { " " } else { "" };
                let result = match &returned {
                    Some((_, width)) => *width,
                    None => "void",
                };
                self.push(Edit::replace(span, format!("{result}{blank}")));
            }
        }
        if let Some(copy_of) = &copy_of {
            self.bound_types(id, copy_of);
        }
        if copy_of.is_some_and(|copy_of| copy_of.drops_result) {
            for stmt in program.function_parts(id).stmts {
                if let StmtKind::Return(None) = program.stmt(stmt).kind {
                    let text = match &returned {
                        Some((index, _)) => format!("return {index};"),
                        None => "return;".to_owned(),
                    };
                    self.push(Edit::replace(program.stmt(stmt).span, text));
                }
            }
        }
        self.owner = None;
    }

    /// Refuses type parameters in the head of an instance for which no text is known.
    fn unbound_in_heads(&mut self, id: FunctionId, copy_of: &layoutc_syntax::CopyOf) {
        let program = self.program;
        let function = program.function(id);
        let names: Vec<&String> = copy_of
            .aliases
            .iter()
            .map(|(name, _)| name)
            .chain(copy_of.values.iter().map(|(name, _)| name))
            .collect();
        let body = function.body.map(|body| program.stmt(body).span);
        let mut unbound = None;
        for site in &function.sites {
            let end =
                body.filter(|body| site.span.contains(*body)).map_or(site.span.end, |b| b.start);
            let head = Span { end, ..site.span };
            let text = program.text(head);
            for token in layoutc_syntax::preprocess::tokens(text) {
                if !names.iter().any(|name| *name == token.text(text)) {
                    continue;
                }
                let start = head.start as usize + token.start as usize;
                let at = Span::new(head.file, start, start + token.text(text).len());
                let is_bound = copy_of.head.as_ref().is_some_and(|(span, _)| span.contains(at))
                    || copy_of.type_uses.iter().any(|(span, _)| span.contains(at))
                    || self
                        .versions
                        .edits
                        .get(&id)
                        .into_iter()
                        .flatten()
                        .any(|edit| edit.span.contains(at));
                if !is_bound {
                    unbound.get_or_insert(at);
                }
            }
        }
        let class = function
            .this_parameter
            .into_iter()
            .chain(function.parameters.iter().copied())
            .find_map(|parameter| self.changed_slot(Slot::Variable(parameter)))
            .or_else(|| self.changed_slot(Slot::Result(id)));
        if let (Some(span), Some(class)) = (unbound, class) {
            let message = "a version has no text for this use of a template parameter";
            self.refusals.push((class, pin(span, Code::TEMPLATE_USE, message)));
        }
    }

    /// The head of an instance of a template, and what its type parameters stand for.
    fn bound_types(&mut self, id: FunctionId, copy_of: &layoutc_syntax::CopyOf) {
        let program = self.program;
        if let Some((span, text)) = &copy_of.head {
            self.push(Edit::replace(*span, text.clone()));
        }
        let body = program.function(id).body.map(|body| program.stmt(body).span);
        let inside = |span: Span| body.is_some_and(|body| body.contains(span));
        let edited: Vec<Span> =
            self.versions.edits.get(&id).into_iter().flatten().map(|edit| edit.span).collect();
        // `Vec3<T>` in the class `Vec3<float>` names the template.
        let names_template = |span: Span| {
            let text = program.sources.file(span.file).text();
            text[span.end as usize..].trim_start().starts_with('<')
        };
        for (span, text) in &copy_of.type_uses {
            if !names_template(*span)
                && !inside(*span)
                && !edited.iter().any(|edit| edit.overlaps(*span))
            {
                self.push(Edit::replace(*span, text.clone()));
            }
        }
        self.unbound_in_heads(id, copy_of);
        let Some(body) = body else { return };
        // By name: not everything that a type parameter can be is an expression of the model.
        let mentioned = program.words_below(body);
        let uses = |name: &str| {
            mentioned.contains(name)
                || copy_of.type_uses.iter().any(|(span, _)| {
                    inside(*span) && program.text(*span) == name && !names_template(*span)
                })
        };
        // An alias would hide the template.
        let hidden = copy_of
            .type_uses
            .iter()
            .map(|(span, _)| *span)
            .find(|span| inside(*span) && names_template(*span) && uses(program.text(*span)));
        if let Some(span) = hidden {
            let function = program.function(id);
            let class = function
                .this_parameter
                .into_iter()
                .chain(function.parameters.iter().copied())
                .find_map(|parameter| self.changed_slot(Slot::Variable(parameter)))
                .or_else(|| self.changed_slot(Slot::Result(id)));
            if let Some(class) = class {
                let message = "a version would hide the class template that this names";
                self.refusals.push((class, pin(span, Code::TEMPLATE_USE, message)));
            }
        }
        let indent = match is_member_template(program, id) {
            true => line_indent(program, body),
            false => "",
        };
        let aliases: String = copy_of
            .aliases
            .iter()
            .filter(|(name, _)| uses(name))
            .map(|(name, ty)| format!("\n{indent}    using {name} = {ty};"))
            .collect();
        let values: String = copy_of
            .values
            .iter()
            .filter(|(name, _)| uses(name))
            .map(|(_, text)| format!("\n{indent}    {text}"))
            .collect();
        let aliases = aliases + &values;
        if !aliases.is_empty() {
            let open = Span { end: body.start + 1, ..body };
            self.push(Edit::replace(open.at_end(), aliases));
        }
    }

    /// The object as the first parameter.
    fn object_parameter(&mut self, this: VarId, site: &FunctionSite) {
        let Some(parentheses) = site.parentheses else { return };
        let storage = self.changed_slot(Slot::Variable(this)).and_then(|class| self.storage(class));
        let pointee = self.program.types.pointee(self.program.variable(this).ty.id);
        let constant = if pointee.is_some_and(|to| to.is_const) { "const " } else { "" };
        let object = &self.versions.object;
        let mut text = match storage {
            Some(storage) if storage.is_handle => format!("{} {object}", storage.outer_type()),
            Some(storage) => format!("{constant}{} *{object}", storage.outer_type()),
            None => {
                let record = pointee.and_then(|to| self.program.as_record(to.id));
                let name = record.map_or("", |record| self.program.spelled_name(record));
                format!("{constant}{name} *{object}")
            }
        };
        if let Some((companion, width)) = self.indices.get(&this) {
            text.push_str(&format!(", {width} {companion}"));
        }
        if !site.parameters.is_empty() {
            text.push_str(", ");
        }
        // `f(void)` has no parameters either.
        let inside = Span { start: parentheses.start + 1, end: parentheses.end - 1, ..parentheses };
        if site.parameters.is_empty() {
            self.push(Edit::replace(inside, text));
        } else {
            let at = Span { end: inside.start, ..inside };
            self.push(Edit::replace(at, text));
        }
    }
}

/// A text on one line, without its comments.
fn one_line(text: &str) -> String {
    let mut out = String::new();
    let mut end = 0;
    for token in layoutc_syntax::preprocess::tokens(text) {
        if token.range().start > end && !out.is_empty() {
            out.push(' ');
        }
        out.push_str(token.text(text));
        end = token.range().end;
    }
    out
}

/// Whether a copy is an instance of a static member function template.
fn is_member_template(program: &Program, id: FunctionId) -> bool {
    let copy_of = program.function(id).copy_of.as_ref();
    copy_of.is_some_and(|copy_of| program.member_templates.contains_key(&copy_of.original))
}

/// The white space in front of the line in which a span begins.
fn line_indent(program: &Program, span: Span) -> &str {
    let file = program.sources.file(span.file);
    let line = file.line_range(span.start as usize);
    let before = &file.text()[line.start..span.start as usize];
    let length = before.find(|c: char| !c.is_whitespace()).unwrap_or(before.len());
    &before[..length]
}

/// A text with white space in front of each line, but not where lines are parts of a token.
fn indented(text: &str, indent: &str) -> String {
    let has_long_token = layoutc_syntax::preprocess::tokens(text)
        .iter()
        .any(|token| token.text(text).contains('\n'));
    if has_long_token {
        return text.to_owned();
    }
    let lines = text.split('\n').map(|line| match line.is_empty() {
        true => String::new(),
        false => format!("{indent}{line}"),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Takes the indentation of the line on which `span` starts from every line of `text`.
fn unindent(program: &Program, span: Span, text: &str) -> String {
    let indent = line_indent(program, span);
    // The lines of a raw string are its value.
    let has_long_token = layoutc_syntax::preprocess::tokens(text)
        .iter()
        .any(|token| token.text(text).contains('\n'));
    if indent.is_empty() || has_long_token {
        return text.to_owned();
    }
    text.split('\n')
        .map(|line| line.strip_prefix(indent).unwrap_or(line))
        .collect::<Vec<_>>()
        .join("\n")
}

/// `advance` as the end of a name, `operator+=` too.
fn upper(name: &str) -> String {
    let word = match name.strip_prefix("operator") {
        Some(symbol) => match symbol {
            "+=" => "AddTo",
            "-=" => "SubtractFrom",
            "*=" => "MultiplyBy",
            "/=" => "DivideBy",
            "+" => "Add",
            "-" => "Subtract",
            "*" => "Multiply",
            "/" => "Divide",
            "==" => "Equals",
            "!=" => "Differs",
            "<" => "Less",
            ">" => "Greater",
            "<=" => "LessOrEqual",
            ">=" => "GreaterOrEqual",
            "[]" => "At",
            "++" => "Increment",
            "--" => "Decrement",
            _ => "Operator",
        },
        None => name,
    };
    let mut characters = word.chars();
    characters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

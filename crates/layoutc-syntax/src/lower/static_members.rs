//! Static members of classes: `T C::m = v;` defines one, `C::m`, `object.m` and `object->m` are it.
//!
//! What may be one and is not resolved is a region that mentions it.

use super::Lowering;
use super::names::Symbol;
use super::types::Declarator;
use crate::program::{
    DeclarationId, ExprId, ExprKind, Function, NameRef, Program, RecordId, RecordTrait, RegionKind,
    UnmodelledRegion, VarId,
};
use crate::types::TypeKind;
use layoutc_diagnostics::Span;
use std::collections::BTreeSet;
use tree_sitter::Node;

/// Namespaces that no class of the program is in.
const LIBRARIES: &[&str] = &["std", "thrust", "cuda", "cub"];

impl<'t> Lowering<'t> {
    /// The static member that a definition outside of its class is about: the variable that the class declares.
    pub(super) fn defined_member(
        &mut self,
        node: Node<'t>,
        lowered: &Declarator<'t>,
        declaration: DeclarationId,
        value: Option<Node<'t>>,
    ) -> Option<VarId> {
        let is_outside =
            self.template_lists.is_empty() && self.locals.is_empty() && self.record.is_none();
        if !is_outside || lowered.parameters.is_some() {
            return None;
        }
        let record = self.record_of_qualified(node)?;
        let id = self.static_member(record, &lowered.name)?;
        let known = self.program.variable(id);
        if known.record != Some(record) || known.ty != lowered.ty {
            return None;
        }
        // What it is initialized with is in the scope of the class.
        let outer = self.record.replace(record);
        let init = value.map(|value| self.initializer(value, lowered.ty));
        self.record = outer;
        let mut site = lowered.site.clone();
        site.declaration = Some(declaration);
        let variable = &mut self.program.variables[id.index()];
        let declared = std::mem::replace(&mut variable.site, site);
        variable.redeclarations.push(declared);
        variable.init = init.or(variable.init);
        variable.is_extern = false;
        Some(id)
    }

    /// The variable that `C::name` is, if `C` is a class.
    pub(super) fn static_member_of(&mut self, scope: &[&str], name: &str) -> Option<VarId> {
        let (class, around) = scope.split_last()?;
        let is_bound = around.is_empty() && self.bound_type(class).is_some();
        let is_type =
            is_bound || matches!(self.symbols(class, around).first(), Some(Symbol::Type(_)));
        let class = match is_type {
            true => self.type_of_name(class, around),
            false => self.type_of_class(class, around)?,
        };
        let class = self.program.types.as_record(class.id)?;
        self.static_member(class, name)
    }

    /// The static member of that name of a class, or of the nearest of its bases, which is no template's.
    fn static_member(&self, class: RecordId, name: &str) -> Option<VarId> {
        let classes = self.program.with_bases(class);
        let owner = classes.into_iter().find(|own| self.declares_member(*own, name))?;
        let own = self.program.record(owner);
        if own.instance.is_some() || own.shares_text {
            return None;
        }
        let mut found = self.variables_of_class(owner, name);
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    fn declares_member(&self, class: RecordId, name: &str) -> bool {
        let own = self.program.record(class);
        own.scope.contains_key(name)
            || own.unmodelled_members.contains(name)
            || self.variables_of_class(class, name).next().is_some()
            || own.fields.iter().any(|field| {
                let field = self.program.field(*field);
                field.inherited.is_none() && field.name == name
            })
            || own.methods.iter().any(|method| self.program.function(*method).name == name)
    }

    /// What `object.name` and `object->name` are, if that is a static member of the object's class: the object is evaluated for
    /// nothing.
    pub(super) fn static_member_of_object(
        &mut self,
        node: Node<'t>,
        base: ExprId,
        class: RecordId,
        name: &str,
    ) -> Option<ExprId> {
        let id = self.static_member(class, name)?;
        let (span, ty) = (self.span(node), self.program.variable(id).ty);
        if is_plain_object(&self.program, base) {
            return Some(self.add_expr(ExprKind::Name(NameRef::Variable(id)), span, ty));
        }
        self.region(node, RegionKind::Unmodelled);
        let unknown = self.program.types.unknown();
        Some(self.add_expr(ExprKind::Opaque(thin_vec::thin_vec![base]), span, unknown))
    }

    /// Adds a region for all that may be a static member, variable or function, and is not resolved, when everything is lowered.
    pub(crate) fn collect_unresolved_members(&mut self) {
        let program = &self.program;
        let is_member = |id: &VarId| {
            let own = program.variable(*id);
            let is_number =
                matches!(program.types.kind(own.ty.id), TypeKind::Scalar(_) | TypeKind::Enum(..));
            own.record.is_some() && !(own.ty.is_const && is_number)
        };
        let variables = program.variable_ids().filter(is_member);
        // What gives back a value leads to no array.
        let gives_value = |own: &Function| {
            matches!(
                program.types.kind(own.result.id),
                TypeKind::Void
                    | TypeKind::Scalar(_)
                    | TypeKind::Vector(_)
                    | TypeKind::Enum(..)
                    | TypeKind::TemplateParameter(_)
            )
        };
        // What a class template has, its instances have.
        let is_of_template = |own: &Function| {
            own.record.is_some_and(|id| {
                let traits = &program.record(id).traits;
                traits.iter().any(|(which, _)| *which == RecordTrait::Template)
            })
        };
        let is_function =
            |own: &&Function| own.is_static_member && !gives_value(own) && !is_of_template(own);
        let functions = program.functions.iter().filter(is_function);
        let names: BTreeSet<&str> = variables
            .map(|id| program.variable(id).name.as_str())
            .chain(functions.map(|own| own.name.as_str()))
            .collect();
        if names.is_empty() {
            return;
        }
        let mut found: Vec<(Span, String)> = Vec::new();
        for id in program.expr_ids() {
            let expr = program.expr(id);
            let name = match &expr.kind {
                ExprKind::Name(NameRef::Unknown(name)) => {
                    let mut parts = name.rsplit("::").map(str::trim);
                    let last = parts.next().unwrap_or(name);
                    if parts.any(|part| LIBRARIES.contains(&part)) {
                        continue;
                    }
                    last
                }
                ExprKind::Member { base, arrow, field: None, methods, name, .. }
                    if methods.is_empty() && !self.has_no_static_member(*base, *arrow) =>
                {
                    program.text(*name)
                }
                _ => continue,
            };
            if names.contains(name) {
                found.push((expr.span, name.to_owned()));
            }
        }
        for (span, name) in found {
            let kind = RegionKind::Unmodelled;
            let identifiers = BTreeSet::from([name]);
            self.program.regions.push(UnmodelledRegion {
                span,
                kind,
                identifiers,
                related: Vec::new(),
            });
        }
    }

    /// Whether the object of a member is of a class whose static members are all known, and of which it has none by that name.
    fn has_no_static_member(&self, base: ExprId, arrow: bool) -> bool {
        let types = &self.program.types;
        let object = types.strip_reference(self.program.expr(base).ty);
        let object = if arrow { types.pointee(object.id) } else { Some(object) };
        object.and_then(|object| types.as_record(object.id)).is_some_and(|class| {
            self.program.with_bases(class).into_iter().all(|own| {
                let own = self.program.record(own);
                let is_whole = !own.traits.iter().any(|(which, _)| *which == RecordTrait::Bases);
                is_whole && own.instance.is_none() && !own.shares_text
            })
        })
    }
}

/// Whether an object is named without an effect.
fn is_plain_object(program: &Program, object: ExprId) -> bool {
    match &program.expr(object).kind {
        ExprKind::Name(_) | ExprKind::This => true,
        ExprKind::Paren(inner)
        | ExprKind::Deref(inner)
        | ExprKind::AddressOf(inner)
        | ExprKind::Member { base: inner, field: Some(_), .. } => is_plain_object(program, *inner),
        _ => false,
    }
}

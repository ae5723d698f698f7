//! Accessors that something else than an access may mean.
//!
//! `T &operator[](int i) { return data[i]; }` goes where its array changes, and each call is the access. What may call one and
//! is no known call keeps the array.

use super::host_items::HostItems;
use super::slots::Slot;
use super::{ClassId, Classes, Pin};
use layoutc_diagnostics::{Code, Span};
use layoutc_syntax::{ExprKind, FieldId, FunctionId, NameRef, Program, TypeKind};
use std::collections::{BTreeMap, BTreeSet};

/// Pins classes whose accessors may be used in a way that is not followed.
pub(super) fn pin_by_accessors(program: &Program, classes: &mut Classes) {
    let mut of_field: BTreeMap<FieldId, Vec<FunctionId>> = BTreeMap::new();
    for (function, field) in &program.accessors {
        of_field.entry(*field).or_default().push(*function);
    }
    if of_field.is_empty() {
        return;
    }
    let mut found: Vec<(ClassId, Pin)> = Vec::new();
    for class in classes.ids() {
        let mut accessors: BTreeSet<FunctionId> = BTreeSet::new();
        for slot in &classes.class(class).slots {
            if let Slot::Field(field) = slot {
                accessors.extend(of_field.get(field).into_iter().flatten());
            }
        }
        if accessors.is_empty() {
            continue;
        }
        if let Some(span) = other_use(program, &accessors) {
            let message = "this may call a function that gives back an element".to_owned();
            let pin = Pin { span, code: Code::ELEMENT_EXPRESSION, message, related: Vec::new() };
            found.push((class, pin));
        }
    }
    for (class, pin) in found {
        classes.classes[class.index()].pins.push(pin);
    }
}

/// An expression or text that may call one of the functions and is not modelled as the access.
fn other_use(program: &Program, accessors: &BTreeSet<FunctionId>) -> Option<Span> {
    let functions = || accessors.iter().map(|id| program.function(*id));
    let names: BTreeSet<&str> = functions().map(|own| own.name.as_str()).collect();
    let has_subscript = names.contains("operator[]");
    let records: BTreeSet<_> = functions().filter_map(|own| own.record).collect();
    let is_of_class = |ty: layoutc_syntax::QualType| {
        let mut ty = program.types.strip_reference(ty);
        while let Some(to) = program.types.pointee(ty.id) {
            ty = to;
        }
        program.types.as_record(ty.id).is_some_and(|own| {
            records.iter().any(|record| own == *record || program.derives_from(own, *record))
        })
    };
    let has_call = names.contains("operator()");
    // A lambda is no object of the class.
    let is_lambda = |expr| match program.expr(program.strip_parens(expr)).kind {
        ExprKind::Name(NameRef::Variable(id)) => program.variable(id).init.is_some_and(|init| {
            matches!(program.expr(program.strip_parens(init)).kind, ExprKind::Lambda { .. })
        }),
        ExprKind::Lambda { .. } | ExprKind::Name(_) | ExprKind::Member { .. } => true,
        _ => false,
    };
    let items = HostItems::new(program);
    // An address is a pointer, whatever it is the address of.
    let has_addresses = program.functions.iter().any(|own| own.name == "operator&");
    let is_address = |expr| {
        !has_addresses
            && matches!(program.expr(program.strip_parens(expr)).kind, ExprKind::AddressOf(_))
    };
    // Items of containers have no type in the program.
    let is_open = |expr, ty: layoutc_syntax::QualType| {
        matches!(program.types.kind(ty.id), TypeKind::Unknown)
            && !is_address(expr)
            && items.type_of(expr).is_none_or(|own| {
                matches!(program.types.kind(own.id), TypeKind::Unknown) || is_of_class(own)
            })
    };
    let may_call = |id| match &program.expr(id).kind {
        ExprKind::Member { methods, .. } => methods.iter().any(|own| accessors.contains(own)),
        // The name in a call that is modelled as the index is not in the text.
        ExprKind::Name(NameRef::Functions(named)) => {
            let span = program.expr(id).span;
            span.start < span.end && named.iter().any(|own| accessors.contains(own))
        }
        ExprKind::Call { callee, .. } => {
            let ty = program.types.strip_reference(program.expr(*callee).ty);
            let is_object = program.types.as_record(ty.id).is_some() && is_of_class(ty);
            let is_unknown = has_call && is_open(*callee, ty) && !is_lambda(*callee);
            is_object || is_unknown
        }
        ExprKind::Index { base, .. } => {
            let ty = program.types.strip_reference(program.expr(*base).ty);
            let is_object = program.types.as_record(ty.id).is_some() && is_of_class(ty);
            let is_unknown = has_subscript && is_open(*base, ty);
            is_object || is_unknown
        }
        _ => false,
    };
    let unresolved = |id| match &program.expr(id).kind {
        ExprKind::Member { base, arrow, field: None, methods, name, .. } if methods.is_empty() => {
            let name = program.text(*name);
            names.contains(name) && !items.is_another(*base, *arrow, name, |_| false)
        }
        _ => false,
    };
    let open = super::open_templates::instantiated_only(program);
    let used = program
        .expr_ids()
        .find(|id| !open.contains(id) && (may_call(*id) || unresolved(*id)))
        .map(|id| program.expr_site(id));
    used.or_else(|| {
        let objects = program.variables.iter().filter(|own| is_of_class(own.ty));
        let members = program.fields.iter().filter(|own| is_of_class(own.ty));
        let objects: BTreeSet<&str> = objects
            .map(|own| own.name.as_str())
            .chain(members.map(|own| own.name.as_str()))
            .collect();
        let region = program.regions.iter().find(|region| {
            region.identifiers.iter().any(|word| {
                objects.contains(word.as_str())
                    || (word != "operator[]" && names.contains(word.as_str()))
            })
        });
        region.map(|region| region.span)
    })
}

//! Texts of templates that mean nothing by themselves.
//!
//! The text of a template is lowered once with its parameters open, and once for each instance.
//! If every use of a template that the model sees reaches an instance, then nothing happens by the
//! open text, and what it does with members of open types need not be feared. What text outside
//! the model may instantiate is found by name (`regions`).

use layoutc_syntax::{ExprId, ExprKind, FunctionId, NameRef, Program, RecordId, RecordTrait};
use std::collections::{BTreeMap, BTreeSet};

/// The expressions of templates that are only reached by their instances.
pub(super) fn instantiated_only(program: &Program) -> BTreeSet<ExprId> {
    let mut open: BTreeSet<FunctionId> =
        program.function_ids().filter(|id| is_open(program, *id)).collect();
    if open.is_empty() {
        return BTreeSet::new();
    }
    let in_macros: BTreeSet<&str> = program
        .macros
        .iter()
        .flat_map(|def| def.body_identifiers.iter().map(String::as_str))
        .collect();
    open.retain(|id| {
        let function = program.function(*id);
        let name = function.record.map_or(&function.name, |record| &program.record(record).name);
        !in_macros.contains(name.as_str())
    });
    let parts: BTreeMap<FunctionId, BTreeSet<ExprId>> =
        open.iter().map(|id| (*id, program.function_parts(*id).exprs)).collect();
    // Where each of them is named, in the order of expressions.
    let mut namings: Vec<(ExprId, FunctionId)> = Vec::new();
    for id in program.expr_ids() {
        let named: &[FunctionId] = match &program.expr(id).kind {
            ExprKind::Name(NameRef::Functions(functions)) => functions,
            ExprKind::Member { methods, .. } => methods,
            _ => continue,
        };
        namings.extend(named.iter().filter(|named| open.contains(named)).map(|named| (id, *named)));
    }
    let operators = program.operators.iter().filter(|(_, operator)| open.contains(operator));
    namings.extend(operators.map(|(at, operator)| (*at, *operator)));
    // A template that is named as such drops out, with what it names.
    loop {
        let inside: BTreeSet<ExprId> =
            open.iter().flat_map(|id| parts[id].iter().copied()).collect();
        let named: BTreeSet<FunctionId> = namings
            .iter()
            .filter(|(at, _)| !inside.contains(at))
            .map(|(_, named)| *named)
            .collect();
        let before = open.len();
        open.retain(|id| !named.contains(id));
        if open.len() == before {
            return inside;
        }
    }
}

/// Whether the text of a function has open parameters, and the model knows all of its instances.
fn is_open(program: &Program, id: FunctionId) -> bool {
    let function = program.function(id);
    if function.copy_of.is_some() {
        return false;
    }
    match function.record {
        // An operator needs no name to be called.
        None => !function.template_parameters.is_empty() && !function.name.starts_with("operator"),
        Some(record) => is_open_class(program, record),
    }
}

/// Whether a record is a class template, all of whose instances are lowered.
fn is_open_class(program: &Program, id: RecordId) -> bool {
    let is_template = |id: RecordId| {
        program.record(id).traits.iter().any(|(which, _)| *which == RecordTrait::Template)
    };
    program.record(id).instance.is_none()
        && is_template(id)
        && program.record_ids().all(|other| {
            program.record(other).instance.as_ref().is_none_or(|own| {
                own.template != id || (own.definition.is_some() && !is_template(other))
            })
        })
}

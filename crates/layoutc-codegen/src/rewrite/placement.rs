//! Where the generated declarations of a record stand.
//!
//! Behind its definition; for an instance of a class template behind the last definition of what
//! it is made of, since the template may come before its arguments.

use super::order::FileOrder;
use layoutc_diagnostics::Span;
use layoutc_syntax::{Program, RecordId, TemplateArgument, TypeId, TypeKind};
use std::collections::BTreeSet;

/// The record behind whose definition the generated declarations stand.
pub(super) fn home(program: &Program, record: RecordId) -> RecordId {
    found(program, record).unwrap_or(record)
}

/// The text behind which the generated declarations stand.
pub(super) fn definition(program: &Program, record: RecordId) -> Span {
    own_definition(program, home(program, record))
}

/// Why there is no place for the generated declarations.
pub(super) fn obstacle(program: &Program, record: RecordId) -> Option<&'static str> {
    found(program, record).is_none().then_some(
        "there is no place behind the class template and all that this instance is made of",
    )
}

/// The record's name at the place of the generated declarations.
pub(super) fn name(program: &Program, record: RecordId) -> String {
    let is_there =
        program.record(home(program, record)).namespaces == program.record(record).namespaces;
    match program.qualified_name(record) {
        Some(qualified) if !is_there => qualified,
        _ => program.spelled_name(record).to_owned(),
    }
}

/// The record's name as a part of generated names.
pub(super) fn word(program: &Program, record: RecordId) -> &str {
    match &program.record(record).instance {
        Some(instance) => &instance.word,
        None => program.spelled_name(record),
    }
}

fn own_definition(program: &Program, record: RecordId) -> Span {
    let record = program.record(record);
    record.declaration.or(record.body).unwrap_or(record.name_span)
}

fn found(program: &Program, record: RecordId) -> Option<RecordId> {
    if program.record(record).instance.is_none() {
        return Some(record);
    }
    let mut parts = BTreeSet::new();
    collect(program, record, &mut parts);
    let order = FileOrder::new(program);
    let is_behind = |place: RecordId, other: RecordId| {
        let (place, other) = (own_definition(program, place), own_definition(program, other));
        place == other || order.obstacle(place.at_end(), other).is_none()
    };
    // The record itself first: an instance has the definition of its template.
    std::iter::once(record)
        .chain(parts.iter().copied())
        .find(|place| parts.iter().all(|other| is_behind(*place, *other)))
}

/// The definition that comes behind all the others.
pub(super) fn last_of(order: &FileOrder, definitions: &[Span]) -> Option<Span> {
    let is_behind = |place: Span, other: Span| {
        place == other || order.obstacle(place.at_end(), other).is_none()
    };
    definitions
        .iter()
        .copied()
        .find(|place| definitions.iter().all(|other| is_behind(*place, *other)))
}

/// Adds the records that a record is made of.
pub(super) fn collect(program: &Program, record: RecordId, parts: &mut BTreeSet<RecordId>) {
    if !parts.insert(record) {
        return;
    }
    let own = program.record(record);
    let arguments = own.instance.iter().flat_map(|instance| &instance.arguments);
    let types: Vec<TypeId> = arguments
        .filter_map(|argument| match argument {
            TemplateArgument::Type(ty) => Some(ty.id),
            TemplateArgument::Value(..) => None,
        })
        .chain(own.fields.iter().map(|field| program.field(*field).ty.id))
        .collect();
    for mut ty in types {
        while let TypeKind::Pointer(to) | TypeKind::Reference(to, _) | TypeKind::Array(to, _) =
            program.types.kind(ty)
        {
            ty = to.id;
        }
        if let TypeKind::Record(inner) = *program.types.kind(ty) {
            // A record in the template stands where that does.
            if !program.record(inner).is_local {
                collect(program, inner, parts);
            }
        }
    }
}

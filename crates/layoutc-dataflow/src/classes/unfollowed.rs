//! Allocations of device memory that belong to no class, and copies that an object describes.

use super::slots::Slot;
use super::{Callee, Classes, resolve_callee};
use crate::catalogue::{self, Effect, Role, Row};
use layoutc_diagnostics::Span;
use layoutc_syntax::{ExprId, ExprKind, NameRef, Program, TypeKind};
use std::collections::{BTreeMap, BTreeSet};

/// A call that allocates device memory which may hold structs, and that belongs to no class.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct UnfollowedAllocation {
    /// Where the call stands.
    pub span: Span,
    /// The function that it calls.
    pub name: String,
}

/// The first call in the text that allocates memory which is not followed.
#[must_use]
pub fn first_unfollowed_allocation(
    program: &Program,
    classes: &Classes,
) -> Option<UnfollowedAllocation> {
    let followed: BTreeSet<Span> = classes
        .ids()
        .flat_map(|id| &classes.class(id).allocations)
        .map(|allocation| program.expr_site(allocation.call))
        .collect();
    let calls = program.expr_ids().filter_map(|id| {
        let name = allocator(program, id)?;
        Some(UnfollowedAllocation { span: program.expr_site(id), name })
    });
    calls.filter(|call| !followed.contains(&call.span)).min()
}

/// The function, if a call allocates device memory that is not known to hold numbers.
fn allocator(program: &Program, expr: ExprId) -> Option<String> {
    let ExprKind::Call { callee, arguments, .. } = &program.expr(expr).kind else { return None };
    let name = match resolve_callee(program, *callee, arguments) {
        Callee::Library(name) => name,
        Callee::Function(_) => return None,
        // In a template nothing may be resolved.
        Callee::Ambiguous(_) | Callee::Unknown => {
            match &program.expr(program.strip_parens(*callee)).kind {
                ExprKind::Name(NameRef::Unknown(name)) => name.to_string(),
                _ => return None,
            }
        }
    };
    let row = catalogue::row(&name)?;
    let is_of_device = matches!(
        row.effect,
        Effect::Allocates(catalogue::Space::Device | catalogue::Space::Managed)
    );
    // What the others allocate is not followed at all.
    let is_followed = row.api.is_some();
    let is_of_numbers = || arguments.first().is_some_and(|own| is_of_numbers(program, *own));
    (is_of_device && !(is_followed && is_of_numbers())).then_some(name)
}

/// Whether an argument is the address of a pointer to numbers.
fn is_of_numbers(program: &Program, argument: ExprId) -> bool {
    let mut at = program.strip_parens(argument);
    while let ExprKind::Cast { operand, .. } = program.expr(at).kind {
        at = program.strip_parens(operand);
    }
    let pointer = program.types.pointee(program.expr(at).ty.id);
    let pointed = pointer.and_then(|pointer| program.types.pointee(pointer.id));
    pointed.is_some_and(|ty| {
        matches!(program.types.kind(ty.id), TypeKind::Scalar(_) | TypeKind::Vector(_))
    })
}

/// Calls that are known and not followed, by the variable or member whose address they are given.
pub(super) struct UnfollowedCalls {
    by_slot: BTreeMap<Slot, Vec<(String, &'static Row)>>,
}

impl UnfollowedCalls {
    /// All of a program, in arena order.
    pub(super) fn find(program: &Program) -> Self {
        let mut by_slot: BTreeMap<Slot, Vec<(String, &'static Row)>> = BTreeMap::new();
        for call in program.expr_ids() {
            let ExprKind::Call { callee, arguments, .. } = &program.expr(call).kind else {
                continue;
            };
            let Callee::Library(name) = resolve_callee(program, *callee, arguments) else {
                continue;
            };
            let row = catalogue::row(&name).filter(|row| row.api.is_none());
            let slot = arguments.first().and_then(|first| address_of(program, *first));
            if let (Some(row), Some(slot)) = (row, slot) {
                by_slot.entry(slot).or_default().push((name, row));
            }
        }
        UnfollowedCalls { by_slot }
    }

    /// The function that allocates the memory which an expression is taken from.
    pub(super) fn allocator(&self, program: &Program, expr: ExprId) -> Option<&str> {
        self.with(program, expr, Row::allocates)
    }

    /// The function that copies as the object says which an expression is, or is a part of.
    pub(super) fn copier(&self, program: &Program, expr: ExprId) -> Option<&str> {
        self.with(program, expr, |row| row.effect == Effect::Copies)
    }

    fn with(&self, program: &Program, expr: ExprId, is: impl Fn(&Row) -> bool) -> Option<&str> {
        let calls = self.by_slot.get(&root(program, expr)?)?;
        calls.iter().find(|(_, row)| is(row)).map(|(name, _)| name.as_str())
    }
}

/// What an expression has to do with a call that is not followed, in words.
pub(super) fn allocation_text(name: &str) -> String {
    let chooses =
        catalogue::row(name).is_some_and(|row| row.position(Role::PitchAddress).is_some());
    if chooses {
        format!("`{name}` chooses the distance of the rows in bytes: its memory is not followed")
    } else {
        format!("it cannot be seen what this points to: memory from `{name}` is not followed")
    }
}

/// The variable or member whose address this is.
fn address_of(program: &Program, expr: ExprId) -> Option<Slot> {
    match program.expr(super::operands::strip_casts(program, expr)).kind {
        ExprKind::AddressOf(inner) => root(program, inner),
        _ => None,
    }
}

/// The variable or known member that an expression is a part of, or a number of bytes away from.
fn root(program: &Program, expr: ExprId) -> Option<Slot> {
    let mut at = expr;
    loop {
        at = match program.expr(at).kind {
            ExprKind::Name(NameRef::Variable(id)) => return Some(Slot::Variable(id)),
            ExprKind::Member { field: Some(field), .. } => return Some(Slot::Field(field)),
            ExprKind::Paren(inner)
            | ExprKind::Cast { operand: inner, .. }
            | ExprKind::Member { base: inner, field: None, .. }
            | ExprKind::Index { base: inner, .. }
            | ExprKind::Binary(_, inner, _) => inner,
            _ => return None,
        };
    }
}

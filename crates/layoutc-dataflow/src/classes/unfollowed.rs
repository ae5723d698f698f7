//! Allocations of device memory that belong to no class.

use super::{Callee, Classes, resolve_callee};
use crate::catalogue::{self, Effect};
use layoutc_diagnostics::Span;
use layoutc_syntax::{ExprId, ExprKind, NameRef, Program, TypeKind};
use std::collections::BTreeSet;

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

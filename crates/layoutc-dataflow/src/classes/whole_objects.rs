//! Objects that the runtime allocates, copies and clears as a whole.
//!
//! `cudaMemcpy(d_scene, &scene, sizeof(Scene), cudaMemcpyHostToDevice)` copies an object that holds
//! pointers, byte by byte. All objects of a record have the same members, and each member is one slot
//! wherever the object lies, so such a copy leads nowhere new; and whatever size the record has in the
//! new program, `sizeof` says it on both sides.

use super::calls::{CallGraph, Callee, Context};
use super::operands::strip_casts;
use super::symbols;
use crate::catalogue::{self, Effect, Role, Row};
use layoutc_syntax::{BinaryOp, ExprId, ExprKind, Program, RecordId, TypeKind};

/// The `sizeof`s in the byte count of a call of the library that allocates, copies or clears whole
/// objects of one record; none if it may do something else.
#[must_use]
pub fn sizes_of_whole_objects(
    program: &Program,
    name: &str,
    arguments: &[ExprId],
) -> Option<Vec<ExprId>> {
    if symbols::is_whole_copy(program, name, arguments) {
        return Some(vec![program.strip_parens(arguments[2])]);
    }
    let row = catalogue::row(name).filter(|row| row.accepts(arguments))?;
    let mut sizes = Vec::new();
    if row.effect == Effect::ReturnsMemory {
        // What is cast to another type than the record's is judged where that is done.
        let mut of = arguments.iter().filter_map(|own| counted(program, *own, &mut sizes));
        return (of.next().is_some() && of.next().is_none()).then_some(sizes);
    }
    if row.position(Role::ToPitch).is_some() || row.position(Role::PitchAddress).is_some() {
        return None;
    }
    let bytes = *arguments.get(row.position(Role::Bytes)?)?;
    let whole = counted(program, bytes, &mut sizes)?;
    let pointers = pointers(program, row, arguments)?;
    let is_whole = |(at, depth): &(usize, u32)| {
        pointed_at(program, strip_casts(program, arguments[*at]), *depth) == Some(whole)
    };
    pointers.iter().all(is_whole).then_some(sizes)
}

/// Whether an operand of a cast, or of a call, reaches such a call as one of its objects.
pub(super) fn is_moved_whole(program: &Program, calls: &CallGraph, operand: ExprId) -> bool {
    let mut at = operand;
    loop {
        let Context::Operand(parent, position) = calls.context(at) else { return false };
        match &program.expr(parent).kind {
            ExprKind::Paren(_) | ExprKind::Cast { .. } => at = parent,
            ExprKind::Call { callee, arguments, .. } => {
                let Callee::Library(name) = calls.callee(program, *callee, arguments) else {
                    return false;
                };
                let Some(argument) = position.checked_sub(1) else { return false };
                let is_object = catalogue::row(&name).is_some_and(|row| {
                    matches!(
                        row.role(argument),
                        Role::PointerAddress | Role::Memory | Role::To | Role::From | Role::Symbol
                    )
                });
                return is_object && sizes_of_whole_objects(program, &name, arguments).is_some();
            }
            _ => return false,
        }
    }
}

/// The arguments that are objects, with how many pointers lead there.
fn pointers(program: &Program, row: &Row, arguments: &[ExprId]) -> Option<Vec<(usize, u32)>> {
    let at = |role: Role, depth: u32| row.position(role).map(|at| (at, depth));
    match row.effect {
        Effect::Allocates(_) => Some(vec![at(Role::PointerAddress, 2)?]),
        Effect::Copies if row.copies_memory() => Some(vec![at(Role::To, 1)?, at(Role::From, 1)?]),
        Effect::Fills => {
            let memory = at(Role::Memory, 1)?;
            // Bytes other than zero would make other pointers.
            let value = arguments
                .iter()
                .enumerate()
                .find(|(at, _)| *at != memory.0 && row.role(*at) == Role::Other);
            let is_zero = |id: ExprId| {
                matches!(program.expr(program.strip_parens(id)).kind, ExprKind::Integer(Some(0)))
            };
            value.is_some_and(|(_, id)| is_zero(*id)).then(|| vec![memory])
        }
        Effect::ReturnsMemory
        | Effect::Copies
        | Effect::Frees
        | Effect::Describes
        | Effect::Advises
        | Effect::TellsAddress
        | Effect::CallsBack
        | Effect::BeginsCapture
        | Effect::EndsCapture
        | Effect::SelectsDevice
        | Effect::AsksAboutKernel
        | Effect::Computes => None,
    }
}

/// The record that a byte count is a multiple of: `sizeof(S)`, `n * sizeof(S)`, `sizeof object`.
fn counted(program: &Program, bytes: ExprId, sizes: &mut Vec<ExprId>) -> Option<RecordId> {
    let id = program.strip_parens(bytes);
    match &program.expr(id).kind {
        ExprKind::SizeOfType { of, is_align: false, .. } => {
            sizes.push(id);
            program.types.as_record(of.id)
        }
        ExprKind::SizeOfExpr(operand) => {
            sizes.push(id);
            program.types.as_record(program.types.strip_reference(program.expr(*operand).ty).id)
        }
        ExprKind::Binary(BinaryOp::Mul, left, right) => {
            match (counted(program, *left, sizes), counted(program, *right, sizes)) {
                (Some(record), None) | (None, Some(record)) if sizes.len() == 1 => Some(record),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The record that so many pointers lead to.
fn pointed_at(program: &Program, expr: ExprId, depth: u32) -> Option<RecordId> {
    let mut ty = program.types.strip_reference(program.expr(expr).ty);
    for _ in 0..depth {
        ty = match *program.types.kind(ty.id) {
            TypeKind::Pointer(to) => to,
            TypeKind::Array(of, _) if depth == 1 => of,
            _ => return None,
        };
    }
    program.types.as_record(ty.id)
}

//! Arrays at file scope in device memory, and objects that are copied to symbols.

use super::element::Element;
use super::operands::strip_casts;
use crate::catalogue::{self, Api, Role, Row};
use layoutc_syntax::{ExprId, ExprKind, NameRef, Program, Space, Storage, TypeKind, VarId};

/// Whether a variable is `__device__ T array[n]`, or the like in constant or managed memory.
pub(super) fn is_array(program: &Program, id: VarId) -> bool {
    let variable = program.variable(id);
    let TypeKind::Array(of, _) = *program.types.kind(variable.ty.id) else { return false };
    Element::of_item(program, of).is_some()
        && variable.storage == Storage::Static
        && matches!(variable.space, Space::Device | Space::Constant | Space::Managed)
}

/// The arrays at file scope whose declaration may change.
pub(super) fn arrays(program: &Program) -> impl Iterator<Item = VarId> + '_ {
    program.variable_ids().filter(|id| {
        let variable = program.variable(*id);
        is_array(program, *id)
            && variable.space != Space::Constant
            && variable.init.is_none()
            && !variable.is_extern
    })
}

/// Whether a call copies an object to or from a symbol of its own type, as a whole: then it is the
/// same struct on both sides, whatever its size.
pub(super) fn is_whole_copy(program: &Program, name: &str, arguments: &[ExprId]) -> bool {
    let (symbol, object, size) = match (catalogue::on_device(name), arguments) {
        (Some((_, Api::ToSymbol)), [symbol, object, size]) => (*symbol, *object, *size),
        (Some((_, Api::FromSymbol)), [object, symbol, size]) => (*symbol, *object, *size),
        _ => return false,
    };
    let record = |expr: ExprId| program.types.as_record(program.expr(expr).ty.id);
    let ExprKind::AddressOf(object) = program.expr(strip_casts(program, object)).kind else {
        return false;
    };
    let is_symbol = matches!(
        program.expr(program.strip_parens(symbol)).kind,
        ExprKind::Name(NameRef::Variable(id))
            if program.variable(id).space != Space::Default && !program.variable(id).is_extern
    );
    let Some(whole) = record(symbol).filter(|_| is_symbol) else { return false };
    let size = match program.expr(program.strip_parens(size)).kind {
        ExprKind::SizeOfType { of, is_align: false, .. } => program.types.as_record(of.id),
        ExprKind::SizeOfExpr(operand) => record(operand),
        _ => None,
    };
    record(object) == Some(whole) && size == Some(whole)
}

/// The same call, told apart by whether the symbol is a pointer.
pub(super) fn on_symbol(
    program: &Program,
    row: &'static Row,
    api: Api,
    arguments: &[ExprId],
) -> (&'static Row, Api) {
    let is_pointer = row.position(Role::Symbol).is_some_and(|at| {
        let symbol = program.expr(program.strip_parens(arguments[at]));
        matches!(program.types.kind(symbol.ty.id), TypeKind::Pointer(_))
    });
    match api {
        Api::ToSymbol if is_pointer => (catalogue::of_pointer_symbol(true), Api::PointerToSymbol),
        Api::FromSymbol if is_pointer => {
            (catalogue::of_pointer_symbol(false), Api::PointerFromSymbol)
        }
        other => (row, other),
    }
}

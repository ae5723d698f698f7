//! How kernels are launched, as far as the text says it.

use super::constant_of;
use crate::index_form::{Definition, Definitions};
use layoutc_dataflow::classes::{Callee, resolve_callee};
use layoutc_syntax::{ExprId, ExprKind, FunctionId, NameRef, Program, TypeKind, VarId};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// How deep definitions are followed.
const DEPTH: usize = 16;

/// Where the shape of a block comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockSource {
    /// The launch gives constants.
    Program,
    /// The user gave it.
    Option,
    /// Neither says it.
    Default,
}

/// The launches of a kernel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KernelLaunch {
    /// Threads of a block along x, y and z, if all launches give the same constants.
    pub block: Option<[u64; 3]>,
    /// Blocks, where all launches give the same constants.
    pub grid: [Option<u64>; 3],
    /// The launching expressions.
    pub sites: Vec<ExprId>,
}

/// The launches of all kernels.
#[must_use]
pub fn launches(
    program: &Program,
    definitions: &Definitions,
) -> BTreeMap<FunctionId, KernelLaunch> {
    let changed = members_assigned(program);
    let mut found: BTreeMap<FunctionId, KernelLaunch> = BTreeMap::new();
    for id in program.expr_ids() {
        let ExprKind::Launch { kernel, config, arguments, .. } = &program.expr(id).kind else {
            continue;
        };
        let Callee::Function(kernel) = resolve_callee(program, *kernel, arguments) else {
            continue;
        };
        let shape = |at: usize| {
            config
                .get(at)
                .map_or([None; 3], |expr| shape(program, definitions, &changed, *expr, DEPTH))
        };
        let (grid, block) = (shape(0), shape(1));
        let block = match block {
            [Some(x), Some(y), Some(z)] if x > 0 && y > 0 && z > 0 => Some([x, y, z]),
            _ => None,
        };
        match found.get_mut(&kernel) {
            None => {
                found.insert(kernel, KernelLaunch { block, grid, sites: vec![id] });
            }
            Some(known) => {
                known.block = known.block.filter(|own| Some(*own) == block);
                for (own, other) in known.grid.iter_mut().zip(grid) {
                    *own = own.filter(|own| Some(*own) == other);
                }
                known.sites.push(id);
            }
        }
    }
    found
}

/// Variables of which a member is assigned somewhere, or whose address is taken.
fn members_assigned(program: &Program) -> BTreeSet<VarId> {
    let name = |expr: ExprId| match program.expr(program.strip_parens(expr)).kind {
        ExprKind::Name(NameRef::Variable(id)) => Some(id),
        _ => None,
    };
    let member_of = |expr: ExprId| match program.expr(program.strip_parens(expr)).kind {
        ExprKind::Member { base, .. } => name(base),
        _ => None,
    };
    program
        .expr_ids()
        .filter_map(|id| match &program.expr(id).kind {
            ExprKind::Assign(_, left, _) => member_of(*left),
            ExprKind::Unary(op, operand) if op.is_update() => member_of(*operand),
            ExprKind::AddressOf(operand) => name(*operand).or_else(|| member_of(*operand)),
            _ => None,
        })
        .collect()
}

/// The three extents of a launch configuration: a `dim3`, or a number.
fn shape(
    program: &Program,
    definitions: &Definitions,
    changed: &BTreeSet<VarId>,
    expr: ExprId,
    depth: usize,
) -> [Option<u64>; 3] {
    const UNKNOWN: [Option<u64>; 3] = [None; 3];
    let Some(depth) = depth.checked_sub(1) else { return UNKNOWN };
    let of = |expr: ExprId| shape(program, definitions, changed, expr, depth);
    let list = |items: &[ExprId]| match items {
        // A copy, or the number of threads.
        [one] => of(*one),
        [] => [Some(1); 3],
        items if items.len() <= 3 => {
            let mut found = [Some(1); 3];
            for (extent, item) in found.iter_mut().zip(items) {
                *extent = constant_of(program, definitions, *item, depth)
                    .and_then(|value| u64::try_from(value).ok());
            }
            found
        }
        _ => UNKNOWN,
    };
    let is_number = |expr: ExprId| match program.types.kind(program.expr(expr).ty.id) {
        TypeKind::Scalar(scalar) => scalar.is_integer(),
        TypeKind::Enum(..) => true,
        _ => false,
    };
    let expr = program.strip_parens(expr);
    if let Some(value) = constant_of(program, definitions, expr, depth) {
        return [u64::try_from(value).ok(), Some(1), Some(1)];
    }
    match &program.expr(expr).kind {
        ExprKind::Construct { arguments, .. } => list(arguments),
        ExprKind::InitList(items) => list(items),
        ExprKind::Call { callee, arguments, .. } => {
            match resolve_callee(program, *callee, arguments) {
                Callee::Library(name) if name == "dim3" => list(arguments),
                _ => UNKNOWN,
            }
        }
        ExprKind::Cast { operand, .. } => of(*operand),
        ExprKind::Name(NameRef::Variable(id)) => match definitions.of_variable(*id) {
            [Definition::Value(value)] if !changed.contains(id) => of(*value),
            _ if is_number(expr) => [None, Some(1), Some(1)],
            _ => UNKNOWN,
        },
        _ if is_number(expr) => [None, Some(1), Some(1)],
        _ => UNKNOWN,
    }
}

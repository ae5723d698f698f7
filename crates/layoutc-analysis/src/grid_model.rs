//! From grids to access matrices: what the program model says of each access, for [`crate::grid`].
//!
//! Each coordinate of an access in device code becomes a row of an [`AccessMatrix`]: variables are
//! replaced by their definitions until `threadIdx`, `blockIdx`, counters of loops and values that are
//! the same in all threads are left. Parameters of device functions are what all calls pass.
//! Nothing here has to be proven: it decides which layout serves best, not whether it is right.
//!
//! - `v % m` is `v`, wrapped around, or an auxiliary index where `m` is small; `v / m` is the same in
//!   neighbouring threads, unless `m` is a small number, whose factor is then unknown.
//! - `c ? v : w`, `min`, `max` and variables with several values are the affine one of them, clamped.
//! - A value from memory is the same in all threads if its address is; otherwise it has no form.
//! - `blockIdx.x * 32` counts as `blockIdx.x * blockDim.x` in kernels that are launched so.

mod form;
mod launches;
mod values;

pub use launches::{BlockSource, KernelLaunch, launches};

use crate::grid::{AccessId, AccessMatrix, AccessRow, Auxiliary, Axis, Coefficient, Column};
use crate::index_form::Definitions;
use form::Form;
use layoutc_dataflow::classes::{Callee, resolve_callee};
use layoutc_dataflow::grid::index::{Atom, Index, Indices};
use layoutc_dataflow::grid::{Grid, GridAccess};
use layoutc_syntax::{ExecutionSpace, ExprId, ExprKind, FunctionId, Program, evaluate};
use std::collections::{BTreeMap, BTreeSet};
use values::Values;

/// What is the same for all grids of a program.
pub struct GridModel<'a> {
    program: &'a Program,
    definitions: &'a Definitions,
    values: Values<'a>,
    /// The kernels that reach each function of device code.
    kernels: BTreeMap<FunctionId, BTreeSet<FunctionId>>,
    /// How each kernel is launched.
    launches: BTreeMap<FunctionId, KernelLaunch>,
}

/// The accesses of device code to a grid.
#[derive(Clone, Debug, Default)]
pub struct ModelledGrid {
    /// The matrices; the number of an access is its position in `places`.
    pub matrices: Vec<AccessMatrix>,
    /// Where each access stands.
    pub places: Vec<ExprId>,
    /// How often each kernel's text accesses the grid, functions that it calls included.
    pub kernels: BTreeMap<FunctionId, usize>,
}

impl<'a> GridModel<'a> {
    /// The model of a program.
    #[must_use]
    pub fn new(program: &'a Program, definitions: &'a Definitions) -> Self {
        let launches = launches(program, definitions);
        GridModel {
            program,
            definitions,
            values: Values::new(program, definitions),
            kernels: kernels(program),
            launches,
        }
    }

    /// Adds the launches of OpenCL kernels: work-items of a group along each dimension, where they are
    /// constants.
    #[must_use]
    pub fn with_groups(mut self, groups: &BTreeMap<FunctionId, Option<[u64; 3]>>) -> Self {
        for (kernel, block) in groups {
            let launch = KernelLaunch { block: *block, ..KernelLaunch::default() };
            self.launches.entry(*kernel).or_insert(launch);
        }
        self
    }

    /// How a kernel is launched, if it is.
    #[must_use]
    pub fn launch(&self, kernel: FunctionId) -> Option<&KernelLaunch> {
        self.launches.get(&kernel)
    }

    /// The factor of `threadIdx.x` in an index, where it is a number or a symbol; `None`: there is no
    /// form, or it does not occur.
    #[must_use]
    pub fn lane_factor(&mut self, index: ExprId) -> Option<Coefficient> {
        let form = self.values.form(index);
        form.terms.get(&Column::Thread(Axis::X)).filter(|_| !form.is_opaque()).cloned()
    }

    /// The accesses to a grid in kernels and in what they call.
    #[must_use]
    pub fn accesses(&mut self, indices: &mut Indices, grid: &Grid) -> ModelledGrid {
        let mut found = ModelledGrid::default();
        for (expr, access) in &grid.accesses {
            let Some(function) = grid.functions.get(expr) else { continue };
            let Some(kernels) = self.kernels.get(function).filter(|kernels| !kernels.is_empty())
            else {
                continue;
            };
            let blocks: Vec<[u64; 3]> =
                kernels.iter().filter_map(|kernel| self.launches.get(kernel)?.block).collect();
            let block = blocks.first().copied().filter(|first| blocks.iter().all(|b| b == first));
            for kernel in kernels {
                *found.kernels.entry(*kernel).or_default() += 1;
            }
            let coordinates: Vec<Form> = match access {
                GridAccess::Coordinates(vector) => {
                    vector.iter().map(|index| self.values.index(indices, index)).collect()
                }
                GridAccess::Linear { .. } => self.divided(indices, grid, *expr),
            };
            let rows = coordinates.iter().map(|form| by_block(form.row(), block)).collect();
            found.matrices.push(AccessMatrix { id: AccessId(found.places.len() as u32), rows });
            found.places.push(*expr);
        }
        found
    }

    /// The coordinates of a linear index into a grid of constant extents.
    fn divided(&mut self, indices: &mut Indices, grid: &Grid, expr: ExprId) -> Vec<Form> {
        let rank = grid.dimensions.len();
        let text = self.program.text(self.program.expr(expr).span).to_owned();
        let opaque = || vec![Form::opaque(&text); rank];
        let index = match self.program.expr(expr).kind {
            ExprKind::Index { index, .. } => indices.index(self.program, index),
            _ => Some(Index::constant(0)),
        };
        let Some(mut rest) = index.map(|index| self.expanded(indices, index)) else {
            return opaque();
        };
        let mut found = Vec::new();
        for at in 0..rank {
            let stride: Option<i64> = grid.dimensions[at + 1..]
                .iter()
                .map(|dimension| dimension.extent)
                .try_fold(1_i64, |product, extent| product.checked_mul(extent?));
            let divided = stride.and_then(|stride| rest.divide(&Index::constant(stride)));
            let Some((quotient, remainder)) = divided else { return opaque() };
            found.push(self.values.index(indices, &quotient));
            rest = remainder;
        }
        found
    }

    /// The index with variables of one definition replaced by it.
    fn expanded(&self, indices: &mut Indices, mut index: Index) -> Index {
        use crate::index_form::Definition;
        for _ in 0..16 {
            let next = index.atoms().into_iter().find_map(|atom| {
                let Atom::Variable(id) = atom else { return None };
                let [Definition::Value(value)] = self.definitions.of_variable(id) else {
                    return None;
                };
                index.replace(&atom, &indices.index(self.program, *value)?)
            });
            match next {
                Some(next) => index = next,
                None => break,
            }
        }
        index
    }
}

/// The row with `32 * blockIdx.x` written as `blockDim.x * blockIdx.x` where blocks are that large and
/// the thread has the factor 1.
fn by_block(mut row: AccessRow, block: Option<[u64; 3]>) -> AccessRow {
    let Some(block) = block else { return row };
    for axis in Axis::ALL {
        let size = i64::try_from(block[axis.index()]).unwrap_or(1);
        let of = |column: &Column| row.coefficients.get(column)?.evaluate(&|_| None);
        let (thread, own) = (of(&Column::Thread(axis)), of(&Column::Block(axis)));
        if let (Some(thread), Some(own)) = (thread, own)
            && thread != 0
            && thread.checked_mul(size) == Some(own)
            && let Some(factor) = Coefficient::symbol(&format!("blockDim.{axis}"))
                .checked_mul(&Coefficient::from(thread))
        {
            row.coefficients.insert(Column::Block(axis), factor);
        }
    }
    row
}

impl ModelledGrid {
    /// Whether an access has no affine form.
    #[must_use]
    pub fn is_opaque(matrix: &AccessMatrix) -> bool {
        let opaque = |auxiliary: &Auxiliary| matches!(auxiliary, Auxiliary::Opaque(_));
        matrix.rows.iter().any(|row| row.auxiliary.iter().any(opaque))
    }
}

/// The kernels that reach each function, themselves included.
fn kernels(program: &Program) -> BTreeMap<FunctionId, BTreeSet<FunctionId>> {
    let mut callees: BTreeMap<FunctionId, BTreeSet<FunctionId>> = BTreeMap::new();
    for function in program.function_ids() {
        let own = program.function(function);
        if !own.space.on_device() || own.body.is_none() {
            continue;
        }
        for expr in program.function_parts(function).exprs {
            let ExprKind::Call { callee, arguments, .. } = &program.expr(expr).kind else {
                continue;
            };
            if let Callee::Function(callee) = resolve_callee(program, *callee, arguments) {
                callees.entry(function).or_default().insert(callee);
            }
        }
    }
    let mut found: BTreeMap<FunctionId, BTreeSet<FunctionId>> = BTreeMap::new();
    for kernel in program.function_ids() {
        if program.function(kernel).space != ExecutionSpace::Kernel {
            continue;
        }
        let mut pending = vec![kernel];
        while let Some(function) = pending.pop() {
            if found.entry(function).or_default().insert(kernel) {
                pending.extend(callees.get(&function).into_iter().flatten().copied());
            }
        }
    }
    found
}

/// The value of an integer that one definition gives.
pub(crate) fn constant_of(
    program: &Program,
    definitions: &Definitions,
    expr: ExprId,
    depth: usize,
) -> Option<i64> {
    use crate::index_form::Definition;
    use layoutc_syntax::{BinaryOp, NameRef};
    if let Some(value) = evaluate::constant(program, expr) {
        return Some(value);
    }
    let depth = depth.checked_sub(1)?;
    let of = |expr: ExprId| constant_of(program, definitions, expr, depth);
    match &program.expr(expr).kind {
        ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. } => of(*inner),
        ExprKind::Name(NameRef::Variable(id)) => match definitions.of_variable(*id) {
            [Definition::Value(value)] => of(*value),
            // A parameter that every call gives the same number.
            [Definition::Value(first), rest @ ..] => {
                let value = of(*first)?;
                let agrees = |other: &Definition| match other {
                    Definition::Value(other) => of(*other) == Some(value),
                    Definition::Step(_) | Definition::Scaled | Definition::Increment => false,
                };
                rest.iter().all(agrees).then_some(value)
            }
            _ => None,
        },
        ExprKind::Binary(op, left, right) => {
            let (left, right) = (of(*left)?, of(*right)?);
            match op {
                BinaryOp::Add => left.checked_add(right),
                BinaryOp::Sub => left.checked_sub(right),
                BinaryOp::Mul => left.checked_mul(right),
                BinaryOp::Div => left.checked_div(right),
                _ => None,
            }
        }
        _ => None,
    }
}

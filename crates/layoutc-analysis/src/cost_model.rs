//! From programs to [`KernelCode`]: what each kernel accesses, in the order in which it runs.
//!
//! A kernel's text is walked once with the value of every variable at hand: a polynomial over
//! `threadIdx`, `blockIdx`, trips of loops, and symbols for all else. Called functions are walked where
//! they are called. Nothing here has to be proven: it decides which layout serves best, not whether it
//! is right.
//!
//! - What a loop adds to a variable in each trip is seen in a first walk through it whose accesses are not
//!   kept; variables that march by the same step are the first value and the trip times the step.
//! - Where two ways meet, a variable has the value that it has in most threads: at `x == 0 ? x : x - 1` the
//!   second one.
//! - A remainder by 32 or more is the value itself, wrapped around; a quotient is one value for a warp.
//! - Comparisons of indices are guards that all threads pass, equalities borders or single threads, and of
//!   two branches that data decides each is taken half of the time
//!   ([`Access::share`](crate::cost::kernel::Access::share)); behind an early return are those that stay.

mod arrays;
mod conversions;
mod copies;
mod expressions;
mod flow;
mod guards;
mod measured;
mod objects;
mod parallel;
mod recording;
mod repeats;
mod value;
mod walk;

pub use arrays::{ArrayInfo, ArraySource};
pub use recording::Recording;

use crate::cost::conversion::Conversion;
use crate::cost::kernel::{ArrayId, KernelCode};
use crate::grid_model::{KernelLaunch, constant_of, launches};
use crate::index_form::Definitions;
use arrays::{Arrays, PlainArrays};
use copies::Copies;
use layoutc_dataflow::classes::{ClassId, Classes};
use layoutc_syntax::{ExecutionSpace, ExprId, ExprKind, FunctionId, NameRef, Program, VarId};
use repeats::Repeats;
use std::collections::{BTreeMap, BTreeSet};
use value::Value;
use walk::Walk;

/// Threads of a block where the program does not say it.
pub const DEFAULT_BLOCK: [u64; 3] = [256, 1, 1];
/// Blocks of a launch where the program does not say it.
pub const DEFAULT_BLOCKS: u64 = 4096;
/// How deep definitions of constants are followed.
const DEPTH: usize = 16;

/// What a program's kernels do to global memory.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CostModel {
    /// The arrays, classes first.
    pub arrays: Vec<ArrayInfo>,
    /// The kernels, in the order of the text.
    pub kernels: Vec<Kernel>,
    /// Arrays with an index that is taken to be the same in all lanes, and is not shown to be.
    pub guessed: BTreeSet<ArrayId>,
    /// Copies between host and device that would have to rearrange records.
    pub conversions: Vec<Conversion>,
    /// How often the host's loops of unknown length ran in a recorded run, on average.
    pub recorded_runs: Option<f64>,
    /// Classes whose pointers device code holds.
    pub on_device: BTreeSet<ClassId>,
}

/// A kernel and where its numbers come from.
#[derive(Clone, PartialEq, Debug)]
pub struct Kernel {
    /// The function.
    pub function: FunctionId,
    /// What it does.
    pub code: KernelCode,
    /// Whether the program says the block's shape.
    pub has_block: bool,
    /// Whether the program says the number of blocks.
    pub has_blocks: bool,
}

/// What the user says about launches, and what is to be known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ModelOptions {
    /// The shape of blocks that the program does not say.
    pub block: Option<[u64; 3]>,
    /// Blocks of a launch that the program does not say.
    pub blocks: Option<u64>,
    /// Arrays of numbers are followed from function to function, which takes time; otherwise each
    /// parameter of a kernel is an array of its own.
    pub follows_numbers: bool,
}

impl CostModel {
    /// The model of a program.
    #[must_use]
    pub fn build(program: &Program, classes: &Classes, options: ModelOptions) -> Self {
        let definitions = Definitions::collect(program);
        let plain = match options.follows_numbers {
            true => PlainArrays::new(program, &definitions, classes),
            false => PlainArrays::default(),
        };
        let all_classes = classes;
        let classes = &classes.of_records();
        let mut arrays = Arrays::new(program, classes, &definitions, plain);
        let launches = launches(program, &definitions);
        let ranges = |id: FunctionId| classes.buffers.numbers.ranges_of(id).unwrap_or_default();
        let enqueued: BTreeSet<ExprId> =
            program.function_ids().flat_map(ranges).map(|range| range.call).collect();
        let repeats = Repeats::new(program, &definitions, |call| enqueued.contains(&call));
        let copies = Copies::new(program);
        let mut kernels = Vec::new();
        let mut guessed = BTreeSet::new();
        let changeable = changeable(program);
        for id in program.function_ids() {
            let function = program.function(id);
            let Some(body) = function.body else { continue };
            if function.space != ExecutionSpace::Kernel {
                continue;
            }
            let launch = launches.get(&id);
            let values = launch
                .map(|launch| arguments(program, &definitions, id, launch))
                .unwrap_or_default();
            let block = launch
                .and_then(|launch| launch.block)
                .or_else(|| classes.buffers.blocks.get(&id).copied().flatten());
            let blocks = launch.and_then(|launch| {
                launch
                    .grid
                    .iter()
                    .try_fold(1_u64, |product, extent| product.checked_mul((*extent)?))
            });
            let shape = (
                block.or(options.block).unwrap_or(DEFAULT_BLOCK),
                blocks.or(options.blocks).unwrap_or(DEFAULT_BLOCKS),
            );
            let mut walk = Walk::new(program, classes, &mut arrays, &copies, values, shape);
            walk.changeable.clone_from(&changeable);
            walk.statement(body);
            guessed.append(&mut walk.guessed);
            let (accesses, loops, flow) = (walk.accesses, walk.loops, walk.flow);
            let operations = walk.operations.into_iter().collect();
            kernels.push(Kernel {
                function: id,
                code: KernelCode {
                    name: function.name.clone(),
                    block: shape.0,
                    blocks: shape.1,
                    repeats: repeats.of(&match launch {
                        Some(launch) => launch.sites.clone(),
                        None => ranges(id).iter().map(|range| range.call).collect(),
                    }),
                    registers: None,
                    shared_bytes: 0,
                    loops,
                    accesses,
                    flow,
                    extents: BTreeMap::new(),
                    operations,
                },
                has_block: block.is_some(),
                has_blocks: blocks.is_some(),
            });
        }
        let extent = |array: ArrayId| Some((array, arrays.infos[array.0 as usize].elements?));
        for kernel in &mut kernels {
            let accesses = kernel.code.accesses.iter();
            kernel.code.extents = accesses.filter_map(|access| extent(access.array)).collect();
        }
        let on_device = on_device(program, classes);
        let conversions =
            conversions::conversions(program, all_classes, &definitions, &arrays, &repeats);
        CostModel {
            arrays: arrays.infos,
            kernels,
            guessed,
            conversions,
            recorded_runs: None,
            on_device,
        }
    }
}

/// Variables of which something may hold the address: what a call does to them is not followed.
fn changeable(program: &Program) -> BTreeSet<VarId> {
    let addresses = program.exprs.iter().filter_map(|expr| match expr.kind {
        ExprKind::AddressOf(of) => Some(program.strip_parens(of)),
        _ => None,
    });
    let names = addresses.filter_map(|of| match program.expr(of).kind {
        ExprKind::Name(NameRef::Variable(id)) => Some(id),
        _ => None,
    });
    names.filter(|id| program.types.as_scalar(program.variable(*id).ty.id).is_some()).collect()
}

/// The classes of which a pointer or an element is met in device code.
fn on_device(program: &Program, classes: &Classes) -> BTreeSet<ClassId> {
    let functions = program.function_ids().filter(|id| program.function(*id).space.on_device());
    let exprs = functions.flat_map(|id| program.function_parts(id).exprs);
    // Lambdas of device code stand in functions of the host.
    let lambdas = &program.device_lambdas;
    let in_lambdas = program.expr_ids().filter(|expr| {
        !lambdas.is_empty() && {
            let site = program.expr_site(*expr);
            lambdas.iter().any(|lambda| lambda.contains(site))
        }
    });
    exprs
        .chain(in_lambdas)
        .filter_map(|expr| {
            let value = classes.value(expr).map(|(class, _)| class);
            value.or_else(|| classes.place(expr).map(|(class, _)| class))
        })
        .collect()
}

/// Parameters of a kernel to which all launches give the same constant.
fn arguments(
    program: &Program,
    definitions: &Definitions,
    kernel: FunctionId,
    launch: &KernelLaunch,
) -> BTreeMap<VarId, Value> {
    let mut found: BTreeMap<VarId, Option<i64>> = BTreeMap::new();
    for site in &launch.sites {
        let ExprKind::Launch { arguments, .. } = &program.expr(*site).kind else { continue };
        for (parameter, argument) in program.function(kernel).parameters.iter().zip(arguments) {
            let value = constant_of(program, definitions, *argument, DEPTH);
            let known = found.entry(*parameter).or_insert(value);
            *known = known.filter(|known| value == Some(*known));
        }
    }
    found.into_iter().filter_map(|(id, value)| Some((id, Value::constant(value?)))).collect()
}

//! The program in which typed arrays are flat, and its grids.

use super::{GridRequest, InBounds};
use crate::IndexForm;
use crate::index_form::Definitions;
use layoutc_dataflow::classes::{Classes, Element, TypedArrays, find_grid_classes};
use layoutc_dataflow::grid::{Grids, find_grids_with};
use layoutc_dataflow::layout::notation::LayoutSpec;
use layoutc_syntax::{ExprKind, Program, QualType, Scalar, TypeKind};
use std::collections::BTreeSet;

/// A program in which typed arrays are flat, with its grids.
#[derive(Debug)]
pub struct GridProgram {
    /// The program.
    pub program: Program,
    /// Its arrays with several sizes in their types.
    pub typed: TypedArrays,
    /// Its arrays of these scalars.
    pub classes: Classes,
    /// Those that are indexed by several coordinates.
    pub grids: Grids,
}

impl GridProgram {
    /// The grids of these scalars.
    #[must_use]
    pub fn new(program: &Program, scalars: &BTreeSet<Scalar>, assume: &InBounds) -> GridProgram {
        let (program, typed) = flattened(program);
        let is_wanted =
            |element: Element| element.scalar().is_some_and(|own| scalars.contains(&own));
        let mut classes = find_grid_classes(&program).only(is_wanted);
        typed.pin(&program, &mut classes);
        let in_bounds = assume.classes(&program, &classes);
        let grids = find_grids_with(&program, &classes, &typed, &in_bounds);
        GridProgram { program, typed, classes, grids }
    }
}

/// The program in which typed arrays are flat.
#[must_use]
pub fn flattened(program: &Program) -> (Program, TypedArrays) {
    let mut program = program.clone();
    let typed = TypedArrays::flatten(&mut program);
    (program, typed)
}

/// Scalars whose arrays are worth a copy of the program: a pragma speaks of one, a request names one,
/// or, without requests, neighbouring threads access values that are no neighbours. Empty: none is.
#[must_use]
pub fn scalars_worth_a_look(program: &Program, request: GridRequest) -> BTreeSet<Scalar> {
    let is_declared = !program.pragmas.is_empty();
    let is_automatic = request.is_automatic;
    let is_named = || {
        !request.layouts.is_empty()
            && names_an_array(program, &candidates(program), request.layouts)
    };
    let scalars = if is_automatic && !is_declared && !request.all_grids && !is_named() {
        let steers = request.options.device.steering_model().is_ok();
        may_gain(program, &Definitions::collect(program), steers)
    } else {
        candidates(program)
    };
    let is_wanted =
        is_declared || is_automatic || names_an_array(program, &scalars, request.layouts);
    if is_wanted { scalars } else { BTreeSet::new() }
}

/// Scalar types of which device code indexes an array in a way that another order of its digits could
/// serve: neighbouring threads are further apart than neighbouring values. On a device with steering
/// bits every array may be a grid that gains.
fn may_gain(program: &Program, definitions: &Definitions, steers: bool) -> BTreeSet<Scalar> {
    let mut found = BTreeSet::new();
    for function in program.function_ids() {
        let own = program.function(function);
        if !own.space.on_device() || own.body.is_none() {
            continue;
        }
        for expr in program.function_parts(function).exprs {
            let ExprKind::Index { base, index, .. } = program.expr(expr).kind else { continue };
            if let TypeKind::Pointer(to) = *program.types.kind(program.expr(base).ty.id)
                && let Some(scalar) = program.types.as_scalar(to.id)
                && !found.contains(&scalar)
                && (steers || definitions.form(program, index) == IndexForm::Strided)
            {
                found.insert(scalar);
            }
        }
    }
    found
}

/// Whether a request names an array of one of the scalar types: nothing else is worth a copy of the
/// program.
fn names_an_array(program: &Program, scalars: &BTreeSet<Scalar>, requests: &[LayoutSpec]) -> bool {
    let points = |mut ty: QualType| {
        let mut depth = 0;
        while let TypeKind::Pointer(to) | TypeKind::Reference(to, _) | TypeKind::Array(to, _) =
            *program.types.kind(ty.id)
        {
            ty = to;
            depth += 1;
        }
        depth > 0 && program.types.as_scalar(ty.id).is_some_and(|own| scalars.contains(&own))
    };
    let is_named = |name: &str| {
        requests.iter().any(|request| request.target.rsplit("::").next() == Some(name))
    };
    program.variables.iter().any(|variable| is_named(&variable.name) && points(variable.ty))
        || program.fields.iter().any(|field| is_named(&field.name) && points(field.ty))
        || program
            .functions
            .iter()
            .any(|function| is_named(&format!("{}()", function.name)) && points(function.result))
}

/// Scalar types of which device code indexes an array by a product or sum.
fn candidates(program: &Program) -> BTreeSet<Scalar> {
    let mut found = BTreeSet::new();
    for function in program.function_ids() {
        let own = program.function(function);
        if !own.space.on_device() || own.body.is_none() {
            continue;
        }
        for expr in program.function_parts(function).exprs {
            let ExprKind::Index { base, .. } = program.expr(expr).kind else { continue };
            if let TypeKind::Pointer(to) | TypeKind::Array(to, _) =
                *program.types.kind(program.expr(base).ty.id)
                && let Some(scalar) = program.types.as_scalar(to.id)
            {
                found.insert(scalar);
            }
        }
    }
    found
}

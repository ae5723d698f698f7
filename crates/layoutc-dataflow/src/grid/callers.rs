//! The extents of a grid in the functions that hand it on, allocate it and copy it.
//!
//! A kernel's indices say which of its parameters are the extents; what is passed for them at a
//! launch are the extents in the function that launches it, and so on outwards.
//! *Claim:* along every call that passes an array of the class, the extents of the callee, with the
//! arguments in the place of its parameters, are the extents of the caller; so all functions mean the
//! same numbers for the same array.

use super::extents::Extents;
use super::index::{Atom, Index, Indices};
use super::pin;
use crate::classes::{Callee, ClassId, Classes, Pin, Slot, resolve_callee};
use layoutc_diagnostics::{Code, Span};
use layoutc_syntax::{ExprId, ExprKind, FunctionId, Program, StmtKind, Storage, VarId};
use std::collections::BTreeMap;

/// A call that passes an array of the class.
struct Passing {
    caller: FunctionId,
    callee: FunctionId,
    call: ExprId,
    arguments: Vec<ExprId>,
}

/// Adds the extents of the callers, and checks that all agree.
///
/// # Errors
/// The call where the extents differ from those elsewhere, or are no fixed values.
pub(super) fn add(
    program: &Program,
    classes: &Classes,
    class: ClassId,
    indices: &mut Indices,
    extents: &mut Extents<'_>,
) -> Result<(), Pin> {
    let is_constant =
        extents.by_function.values().flatten().all(|extent| extent.as_constant().is_some());
    if is_constant {
        return Ok(());
    }
    // What is kept in members or globals may reach functions without any call.
    for slot in &classes.class(class).slots {
        let span = match slot {
            Slot::Variable(id) if program.variable(*id).storage != Storage::Static => continue,
            Slot::Variable(id) => program.variable(*id).site.name,
            Slot::Field(id) => program.field(*id).site.name,
            Slot::Result(id) => program.function(*id).sites[0].name,
        };
        let message =
            "the array is kept here, and functions that take it from here may mean other extents";
        return Err(pin(span, Code::GRID_FORM, message.to_owned()));
    }
    let passings = passings(program, classes, class);
    let mut pending: Vec<FunctionId> = extents.by_function.keys().copied().collect();
    let mut rounds = 0;
    while let Some(callee) = pending.pop() {
        rounds += 1;
        if rounds > 10_000 {
            break;
        }
        let known = extents.by_function[&callee].clone();
        for passing in passings.iter().filter(|passing| passing.callee == callee) {
            let span = program.expr(passing.call).span;
            let here = outside(program, indices, passing, &known).ok_or_else(|| {
                pin(
                    span,
                    Code::GRID_FORM,
                    "the extents of the grid are not given as values here".to_owned(),
                )
            })?;
            check_fixed(program, classes, class, extents, passing, &here)?;
            match extents.by_function.get(&passing.caller) {
                Some(other) if *other == here => {}
                Some(other) if is_same(program, indices, extents, passing, other, &here) => {}
                Some(_) => {
                    return Err(pin(
                        span,
                        Code::GRID_CONFLICT,
                        "the grid is not shown to be given the same extents here as elsewhere in this function"
                            .to_owned(),
                    ));
                }
                None => {
                    extents.by_function.insert(passing.caller, here);
                    pending.push(passing.caller);
                }
            }
        }
    }
    Ok(())
}

/// Whether extents are the same values once constants are replaced by what they are made of.
fn is_same(
    program: &Program,
    indices: &mut Indices,
    extents: &Extents<'_>,
    passing: &Passing,
    one: &[Index],
    other: &[Index],
) -> bool {
    let at = program.expr_site(passing.call);
    let mut whole =
        |index: &Index| super::declared::initial(program, extents.changes, indices, index, at);
    one.len() == other.len()
        && one.iter().zip(other).all(|(one, other)| {
            one == other || whole(one).zip(whole(other)).is_some_and(|(one, other)| one == other)
        })
}

/// Adds the extents of functions that take the array from one that knows them, where every extent
/// is passed as a value of its own, or is made of such. [`add`] checks what is added.
pub(super) fn hand_down(
    program: &Program,
    classes: &Classes,
    class: ClassId,
    indices: &mut Indices,
    extents: &mut Extents<'_>,
) {
    let passings = passings(program, classes, class);
    let mut pending: Vec<FunctionId> = extents.by_function.keys().copied().collect();
    while let Some(caller) = pending.pop() {
        let known = extents.by_function[&caller].clone();
        for passing in passings.iter().filter(|passing| passing.caller == caller) {
            if extents.by_function.contains_key(&passing.callee) {
                continue;
            }
            if let Some(inside) = inside(program, indices, extents, passing, &known) {
                extents.by_function.insert(passing.callee, inside);
                pending.push(passing.callee);
            }
        }
    }
}

/// The extents of the caller in terms of the callee's parameters.
fn inside(
    program: &Program,
    indices: &mut Indices,
    extents: &Extents<'_>,
    passing: &Passing,
    known: &[Index],
) -> Option<Vec<Index>> {
    let parameters = &program.function(passing.callee).parameters;
    let mut values: Vec<(VarId, Index)> = Vec::new();
    for (parameter, argument) in parameters.iter().zip(&passing.arguments) {
        let is_kept = extents.changes.is_constant(*parameter)
            && program
                .types
                .as_scalar(program.variable(*parameter).ty.id)
                .is_some_and(|own| own.is_integer() && own.size() >= 4);
        if is_kept && super::index::is_integer(program, *argument) {
            values.push((*parameter, indices.index(program, *argument)?));
        }
    }
    let named = |value: &Index| {
        let found = values.iter().find(|(_, own)| own == value)?;
        Some(Index::atom(Atom::Variable(found.0)))
    };
    known
        .iter()
        .map(|extent| {
            if extent.as_constant().is_some() {
                return Some(extent.clone());
            }
            named(extent).or_else(|| {
                extent.atoms().into_iter().try_fold(extent.clone(), |extent, atom| {
                    extent.replace(&atom, &named(&Index::atom(atom))?)
                })
            })
        })
        .collect()
}

/// All calls that pass an array of the class.
fn passings(program: &Program, classes: &Classes, class: ClassId) -> Vec<Passing> {
    let mut found = Vec::new();
    for caller in program.function_ids() {
        if program.function(caller).body.is_none() {
            continue;
        }
        for call in program.function_parts(caller).exprs {
            let (ExprKind::Call { callee, arguments, .. }
            | ExprKind::Launch { kernel: callee, arguments, .. }) = &program.expr(call).kind
            else {
                continue;
            };
            let passes = arguments
                .iter()
                .any(|argument| classes.value(*argument).is_some_and(|(of, _)| of == class));
            if !passes {
                continue;
            }
            if let Callee::Function(callee) = resolve_callee(program, *callee, arguments) {
                found.push(Passing { caller, callee, call, arguments: arguments.to_vec() });
            }
        }
    }
    found
}

/// The extents of the callee in terms of the caller.
fn outside(
    program: &Program,
    indices: &mut Indices,
    passing: &Passing,
    known: &[Index],
) -> Option<Vec<Index>> {
    let parameters = &program.function(passing.callee).parameters;
    let mut values: BTreeMap<VarId, Index> = BTreeMap::new();
    for (parameter, argument) in parameters.iter().zip(&passing.arguments) {
        // A narrower parameter would hold another number.
        let size = |ty| program.types.as_scalar(ty).map(layoutc_syntax::Scalar::size);
        let own = size(program.variable(*parameter).ty.id);
        let given = size(program.expr(*argument).ty.id);
        let is_constant = layoutc_syntax::evaluate::constant(program, *argument).is_some();
        let is_kept = own >= Some(4) && (own >= given || is_constant);
        if is_kept && super::index::is_integer(program, *argument) {
            values.insert(*parameter, indices.index(program, *argument)?);
        }
    }
    let known: Option<Vec<Index>> =
        known.iter().map(|extent| in_parameters(program, indices, extent)).collect();
    known?
        .iter()
        .map(|extent| {
            extent.atoms().into_iter().try_fold(extent.clone(), |extent, atom| match atom {
                Atom::Variable(id) if program.variable(id).function.is_none() => Some(extent),
                Atom::Variable(id) => extent.replace(&atom, values.get(&id)?),
                Atom::Expression(_) => None,
            })
        })
        .collect()
}

/// An extent with the locals in it replaced by what they are made of.
pub(super) fn in_parameters(
    program: &Program,
    indices: &mut Indices,
    extent: &Index,
) -> Option<Index> {
    let mut extent = extent.clone();
    for _ in 0..8 {
        let local = extent.atoms().into_iter().find_map(|atom| match atom {
            Atom::Variable(id) if program.variable(id).storage == Storage::Local => {
                Some((atom, program.variable(id).init?))
            }
            _ => None,
        });
        let Some((atom, init)) = local else { return Some(extent) };
        extent = extent.replace(&atom, &indices.index(program, init)?)?;
    }
    None
}

/// Where the outermost loop around a place in a function's body begins.
pub(super) fn start_of_loops(program: &Program, body: Span, place: Span) -> Option<u32> {
    let is_loop = |stmt: &layoutc_syntax::Stmt| {
        matches!(
            stmt.kind,
            StmtKind::For { .. }
                | StmtKind::While { .. }
                | StmtKind::DoWhile { .. }
                | StmtKind::ForRange { .. }
        )
    };
    let around = program
        .stmts
        .iter()
        .filter(|stmt| is_loop(stmt) && stmt.span.contains(place) && body.contains(stmt.span));
    around.map(|stmt| stmt.span.start).min()
}

/// Checks that the extents keep their values from the first use of an array of the class on.
fn check_fixed(
    program: &Program,
    classes: &Classes,
    class: ClassId,
    extents: &Extents<'_>,
    passing: &Passing,
    here: &[Index],
) -> Result<(), Pin> {
    let span = program.expr(passing.call).span;
    let refused = |message: &str| Err(pin(span, Code::GRID_FORM, message.to_owned()));
    let Some(body) = program.function(passing.caller).body else {
        return refused("the caller has no body");
    };
    let whole = program.stmt(body).span;
    // From the first mention of an array, or the start of a loop around it, to the end.
    let first = program
        .function_parts(passing.caller)
        .exprs
        .into_iter()
        .filter(|expr| classes.value(*expr).is_some_and(|(of, _)| of == class))
        .map(|expr| program.expr_site(expr))
        .min_by_key(|site| site.start)
        .unwrap_or(whole);
    let start = start_of_loops(program, whole, first).unwrap_or(first.start);
    let region = Span { start, ..whole };
    for atom in here.iter().flat_map(Index::atoms) {
        match atom {
            Atom::Variable(id) if extents.changes.is_constant_in(id, &[region]) => {}
            Atom::Variable(id) => {
                let changes = match extents.changes.is_unknown(id) {
                    true => "may change",
                    false => "changes",
                };
                return refused(&format!(
                    "`{}` is an extent of the grid and {changes} later",
                    program.variable(id).name
                ));
            }
            Atom::Expression(_) => {
                return refused("an extent of the grid is computed here, and has no name");
            }
        }
    }
    Ok(())
}

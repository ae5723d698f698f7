//! The dimension vector of a class whose type says it.

use super::extents::{Extents, dimension_name};
use super::facts::Changes;
use super::index::{Atom, Index, Indices};
use super::{Access, LARGEST_RECORD};
use crate::classes::{ClassId, Classes, Declared, Extent, Pin, Slot, TypedArrays};
use layoutc_diagnostics::Code;
use layoutc_syntax::{
    ExprId, ExprKind, ExtentValue, FunctionId, MacroRole, NameRef, Program, evaluate,
};
use std::collections::BTreeMap;

/// The extents that the declarations of a class say.
///
/// Constants hold everywhere: where another declaration or index means other extents, its accesses
/// are numbers like any. Extents that are values have to be said in every function with accesses;
/// otherwise the strides decide.
pub(super) fn find<'a>(
    program: &Program,
    classes: &Classes,
    typed: &TypedArrays,
    changes: &'a Changes,
    indices: &mut Indices,
    class: ClassId,
    accesses: &[Access],
) -> Result<Option<Extents<'a>>, Pin> {
    for slot in &classes.class(class).slots {
        check_names(program, typed, *slot)?;
    }
    for access in accesses {
        check_constants(program, typed, access)?;
    }
    Ok(extents(program, classes, typed, changes, indices, class, accesses))
}

/// Checks that the extents are made of what is declared.
fn check_names(program: &Program, typed: &TypedArrays, slot: Slot) -> Result<(), Pin> {
    for extent in typed.of_slot(slot).into_iter().flat_map(|declared| &declared.extents) {
        let Extent::Value(expr) = extent else { continue };
        let mut stack = vec![*expr];
        while let Some(at) = stack.pop() {
            if matches!(program.expr(at).kind, ExprKind::Name(NameRef::Unknown(_))) {
                let span = program.expr_site(at);
                return Err(Pin {
                    span,
                    code: Code::GRID_EXTENT,
                    message: format!("the extent `{}` is not known here", program.text(span)),
                    related: Vec::new(),
                });
            }
            stack.extend(program.expr(at).children());
        }
    }
    Ok(())
}

/// Checks that the subscripts that are constants are inside of the extents that are.
fn check_constants(program: &Program, typed: &TypedArrays, access: &Access) -> Result<(), Pin> {
    let Some(chain) = typed.chains.get(&access.expr).filter(|chain| chain.is_value) else {
        return Ok(());
    };
    let extents = std::iter::once(chain.declared.slowest)
        .chain(chain.declared.extents.iter().copied().map(Some));
    for (subscript, extent) in chain.subscripts.iter().zip(extents) {
        if let Some(Extent::Constant(limit, _)) = extent
            && let Some(value) = evaluate::constant(program, *subscript)
            && !(0..limit).contains(&value)
        {
            return Err(Pin {
                span: program.expr_site(access.expr),
                code: Code::GRID_BOUNDS,
                message: format!("the index is {value} here, and its extent {limit}"),
                related: Vec::new(),
            });
        }
    }
    Ok(())
}

fn extents<'a>(
    program: &Program,
    classes: &Classes,
    typed: &TypedArrays,
    changes: &'a Changes,
    indices: &mut Indices,
    class: ClassId,
    accesses: &[Access],
) -> Option<Extents<'a>> {
    let declared: Vec<&Declared> =
        classes.class(class).slots.iter().filter_map(|slot| typed.of_slot(*slot)).collect();
    let rank = declared.iter().map(|own| own.extents.len()).max()?;
    let mut by_function: BTreeMap<FunctionId, Vec<Index>> = BTreeMap::new();
    let constants = declared.iter().find(|own| own.extents.len() == rank && !has_values(own));
    let shown = match constants {
        Some(constants) => {
            let extents = indices_of(program, changes, indices, constants)?;
            for access in accesses {
                by_function.insert(access.function, extents.clone());
            }
            *constants
        }
        None => {
            let mut shown = None;
            for access in accesses {
                if by_function.contains_key(&access.function) {
                    continue;
                }
                let chain = accesses
                    .iter()
                    .filter(|other| other.function == access.function)
                    .filter_map(|other| typed.chains.get(&other.expr))
                    .find(|chain| chain.declared.extents.len() == rank)?;
                let extents = indices_of(program, changes, indices, &chain.declared)?;
                by_function.insert(access.function, extents);
                shown.get_or_insert(&chain.declared);
            }
            shown?
        }
    };
    let slowest = declared.iter().find_map(|own| own.slowest);
    let names = names(program, shown, slowest);
    Some(Extents { by_function, names: Some(names), changes })
}

/// Checks that pragmas say what the types of their arrays say.
///
/// # Errors
/// A pragma with other dimensions or extents than the type.
pub(super) fn check_pragmas(
    program: &Program,
    classes: &Classes,
    class: ClassId,
    typed: &TypedArrays,
) -> Result<(), Pin> {
    for pragma in &program.pragmas {
        let slot = Slot::from(pragma.array);
        let Some(declared) = typed.of_slot(slot) else { continue };
        if classes.class_of_slot(slot) != Some(class) {
            continue;
        }
        let rank = declared.extents.len() + 1;
        let refused = |message: String| {
            Err(Pin { span: pragma.span, code: Code::GRID_RANK, message, related: Vec::new() })
        };
        if pragma.extents.len() != rank {
            return refused(format!(
                "the type of `{}` has {rank} dimensions, and the pragma {}",
                pragma.name,
                pragma.extents.len()
            ));
        }
        let types =
            std::iter::once(declared.slowest).chain(declared.extents.iter().copied().map(Some));
        for (extent, of_type) in pragma.extents.iter().zip(types) {
            if let (ExtentValue::Integer(pragma_says), Some(Extent::Constant(type_says, _))) =
                (&extent.value, of_type)
                && *pragma_says != type_says
            {
                return refused(format!(
                    "the type of `{}` has the extent {type_says}, and the pragma {pragma_says}",
                    pragma.name
                ));
            }
        }
    }
    Ok(())
}

/// Whether an extent behind the slowest is no constant.
fn has_values(declared: &Declared) -> bool {
    declared.extents.iter().any(|extent| matches!(extent, Extent::Value(_)))
}

/// The extents as values that never change.
fn indices_of(
    program: &Program,
    changes: &Changes,
    indices: &mut Indices,
    declared: &Declared,
) -> Option<Vec<Index>> {
    let mut found = Vec::new();
    for extent in &declared.extents {
        let index = match extent {
            Extent::Constant(value, _) => Index::constant(*value),
            Extent::Value(expr) => indices.index(program, *expr)?,
        };
        let is_fixed = index.atoms().iter().all(|atom| match atom {
            Atom::Variable(id) => changes.is_constant(*id),
            Atom::Expression(_) => false,
        });
        if !is_fixed {
            return None;
        }
        found.push(index);
    }
    Some(found)
}

/// The dimensions' names: the extents' without their `n`.
fn names(program: &Program, declared: &Declared, slowest: Option<Extent>) -> Vec<String> {
    const USUAL: [&str; 4] = ["x", "y", "z", "w"];
    let last = declared.extents.len() - 1;
    let is_record = matches!(declared.extents[last], Extent::Constant(value, size)
        if value <= LARGEST_RECORD && size.is_some_and(|size| word(program, size).is_none()));
    let coordinates = declared.extents.len() - usize::from(is_record);
    let usual = |from_last: usize| USUAL.get(from_last).copied().unwrap_or("v").to_owned();
    let of = |extent: Extent, from_last: usize| {
        let (Extent::Constant(_, Some(size)) | Extent::Value(size)) = extent else {
            return usual(from_last);
        };
        word(program, size).map_or_else(|| usual(from_last), |name| dimension_name(&name))
    };
    let mut found = vec![match slowest {
        Some(extent) => of(extent, coordinates),
        None => usual(coordinates),
    }];
    for (at, extent) in declared.extents.iter().enumerate() {
        found.push(if is_record && at == last {
            "field".to_owned()
        } else {
            of(*extent, coordinates - 1 - at)
        });
    }
    found
}

/// The name that an extent is, if it is one.
fn word(program: &Program, size: ExprId) -> Option<String> {
    if let Some(MacroRole::Use(id)) = program.macro_role(size) {
        let expansion = program.expansion(id);
        return expansion.parameters.is_empty().then(|| expansion.name.clone());
    }
    match &program.expr(size).kind {
        ExprKind::Paren(inner) => word(program, *inner),
        ExprKind::Name(NameRef::Variable(id)) => Some(program.variable(*id).name.clone()),
        ExprKind::Name(NameRef::Macro(name)) => Some(name.clone()),
        ExprKind::Name(NameRef::Constant(_)) => {
            Some(program.text(program.expr(size).span).to_owned())
        }
        _ => None,
    }
}

//! Dimensions that pragmas declare.
//!
//! *Claim:* the extents that a function's pragmas give to arrays of a class have the same values
//! wherever the function uses such an array, and what it allocates for an array with a pragma is the
//! product of the extents. A pragma of which that is not shown is an error, and the class stays.

use super::extents::{Extents, Strides};
use super::facts::Changes;
use super::index::{Atom, Index, Indices};
use super::{Access, Dimension, is_uniform, pin};
use crate::classes::{ApiCall, ClassId, Classes, Pin, Slot};
use layoutc_diagnostics::{Code, Span};
use layoutc_syntax::{
    ExprId, ExprKind, ExtentValue, FunctionId, GridPragma, NameRef, PragmaArray, Program, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// What one pragma says of one array.
#[derive(Clone, Debug)]
pub(super) struct Declaration {
    /// `f[ny][nx]`.
    pub(super) span: Span,
    /// `f`.
    pub(super) name: String,
    array: PragmaArray,
    /// Slowest first, the slowest included.
    pub(super) extents: Vec<Index>,
}

/// What pragmas say of a class.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    /// By function: one of the pragmas of its parameters and locals.
    by_function: BTreeMap<FunctionId, Declaration>,
    /// A pragma whose extents mean the same in every function.
    everywhere: Option<Declaration>,
    /// The names of the dimensions.
    names: Vec<String>,
    /// The first pragma.
    first: Declaration,
}

impl Declared {
    /// What the pragmas of a class say, if there are any.
    ///
    /// # Errors
    /// Pragmas that contradict each other or the program, or were not accepted.
    pub(super) fn find(
        program: &Program,
        classes: &Classes,
        class: ClassId,
        changes: &Changes,
        indices: &mut Indices,
    ) -> Result<Option<Declared>, Pin> {
        let slots: BTreeSet<Slot> = classes.class(class).slots.iter().copied().collect();
        let own: Vec<&GridPragma> = program
            .pragmas
            .iter()
            .filter(|pragma| slots.contains(&Slot::from(pragma.array)))
            .collect();
        let Some(first) = own.first() else { return Ok(None) };
        if let Some(refused) = own.iter().find(|pragma| pragma.is_refused) {
            let message = "this pragma was not accepted".to_owned();
            return Err(pin(refused.span, Code::GRID_FORM, message));
        }
        // As the kernels call them.
        let on_device = |pragma: &&&GridPragma| match pragma.array {
            PragmaArray::Variable(id) => program
                .variable(id)
                .function
                .is_some_and(|function| program.function(function).space.on_device()),
            PragmaArray::Field(_) => false,
        };
        let names = names(program, own.iter().find(on_device).unwrap_or(first));
        let mut all = Vec::new();
        for pragma in own {
            let extents: Option<Vec<Index>> =
                pragma.extents.iter().map(|extent| index(&extent.value)).collect();
            let Some(extents) = extents else {
                let message = "the extents are too large".to_owned();
                return Err(pin(pragma.span, Code::GRID_EXTENT, message));
            };
            if extents.len() < 2 {
                let message = "a grid has two dimensions or more".to_owned();
                return Err(pin(pragma.span, Code::GRID_RANK, message));
            }
            check_fixed(program, changes, pragma, &extents)?;
            all.push(Declaration {
                span: pragma.span,
                name: pragma.name.clone(),
                array: pragma.array,
                extents,
            });
        }
        for declaration in &all {
            check_size(program, classes, class, changes, indices, declaration)?;
        }
        let Some(first) = all.first().cloned() else { return Ok(None) };
        let mut this = Declared { by_function: BTreeMap::new(), everywhere: None, names, first };
        for declaration in &all {
            this.add(program, declaration, &all)?;
        }
        Ok(Some(this))
    }

    fn add(
        &mut self,
        program: &Program,
        new: &Declaration,
        all: &[Declaration],
    ) -> Result<(), Pin> {
        let function = new.function(program);
        let is_constant = new.extents[1..].iter().all(|extent| extent.as_constant().is_some());
        let before = match function {
            Some(function) => self.by_function.get(&function),
            None => None,
        };
        let other = before.or(self.everywhere.as_ref().filter(|other| {
            is_constant || function.is_none() || other.extents.len() != new.extents.len()
        }));
        if let Some(other) = other
            && other.extents[1..] != new.extents[1..]
        {
            return Err(conflict(program, other, new, all));
        }
        match function {
            Some(function) => {
                self.by_function.entry(function).or_insert_with(|| new.clone());
                if is_constant {
                    self.everywhere.get_or_insert_with(|| new.clone());
                }
            }
            None => {
                self.everywhere.get_or_insert_with(|| new.clone());
            }
        }
        Ok(())
    }
}

impl Declared {
    /// The pragma that speaks of a function's accesses: its own, or else any.
    pub(super) fn of(&self, function: FunctionId) -> &Declaration {
        self.by_function
            .get(&function)
            .or(self.everywhere.as_ref())
            .or_else(|| self.by_function.values().next())
            .unwrap_or(&self.first)
    }

    /// The extents of the functions that have a pragma.
    pub(super) fn extents<'c>(&self, changes: &'c Changes) -> Extents<'c> {
        let by_function = self
            .by_function
            .iter()
            .map(|(function, declaration)| (*function, declaration.extents[1..].to_vec()))
            .collect();
        Extents { by_function, names: None, changes }
    }

    /// Adds the extents of the functions whose accesses show them. The result has the functions
    /// whose accesses show more dimensions than are declared, with their number.
    pub(super) fn add_shown(
        &self,
        program: &Program,
        indices: &mut Indices,
        extents: &mut Extents<'_>,
        accesses: &[Access],
    ) -> BTreeMap<FunctionId, usize> {
        let mut deeper = BTreeMap::new();
        let functions: BTreeSet<FunctionId> =
            accesses.iter().map(|access| access.function).collect();
        for function in functions {
            let own: Vec<Access> =
                accesses.iter().filter(|access| access.function == function).cloned().collect();
            let shown =
                Strides::find(program, extents.changes, indices, &own).full.and_then(Result::ok);
            let Some(shown) = shown.and_then(|(mut shown, _)| shown.by_function.remove(&function))
            else {
                continue;
            };
            let rank = self.of(function).extents.len();
            if shown.len() + 1 > rank {
                deeper.insert(function, shown.len() + 1);
            } else if shown.len() + 1 == rank && self.everywhere.is_none() {
                extents.by_function.entry(function).or_insert(shown);
            }
        }
        deeper
    }

    /// Gives the functions that are left the extents that are the same everywhere.
    pub(super) fn fill(&self, extents: &mut Extents<'_>, accesses: &[Access]) {
        let Some(everywhere) = &self.everywhere else { return };
        for access in accesses {
            extents
                .by_function
                .entry(access.function)
                .or_insert_with(|| everywhere.extents[1..].to_vec());
        }
    }

    /// A contradiction between functions, with the pragmas that are part of it.
    pub(super) fn explain(&self, mut pin: Pin) -> Pin {
        if pin.code == Code::GRID_CONFLICT {
            let mut names: Vec<String> = Vec::new();
            for declaration in self.by_function.values().chain(&self.everywhere) {
                names.push(format!("`{}`", declaration.name));
                pin.related.push((declaration.span, "a pragma of it".to_owned()));
            }
            names.sort();
            names.dedup();
            pin.message = format!("{}: {}", names.join(", "), pin.message);
        }
        pin
    }

    /// The dimensions; an extent is a constant if it is one in every function.
    pub(super) fn dimensions(&self, extents: &Extents<'_>) -> Vec<Dimension> {
        let constant = |at: usize| {
            let mut all = extents.by_function.values().map(|own| own[at].as_constant());
            let first = all.next()??;
            all.all(|other| other == Some(first)).then_some(first)
        };
        self.names
            .iter()
            .enumerate()
            .map(|(at, name)| Dimension {
                name: name.clone(),
                extent: at.checked_sub(1).and_then(constant),
            })
            .collect()
    }
}

impl Declaration {
    /// The function whose parameter or local the array is.
    fn function(&self, program: &Program) -> Option<FunctionId> {
        match self.array {
            PragmaArray::Variable(id) => program.variable(id).function,
            PragmaArray::Field(_) => None,
        }
    }
}

/// Two pragmas of one class that differ: at the assignment that brings them together, if it is
/// direct.
fn conflict(program: &Program, one: &Declaration, other: &Declaration, all: &[Declaration]) -> Pin {
    let declared = |expr: ExprId| {
        let array = match program.expr(program.strip_parens(expr)).kind {
            ExprKind::Name(NameRef::Variable(id)) => PragmaArray::Variable(id),
            _ => return None,
        };
        all.iter().find(|declaration| declaration.array == array)
    };
    let meeting = program.expr_ids().find_map(|id| match program.expr(id).kind {
        ExprKind::Assign(None, left, right) => {
            let (left, right) = (declared(left)?, declared(right)?);
            (left.extents[1..] != right.extents[1..]).then(|| (program.expr_site(id), left, right))
        }
        _ => None,
    });
    let (span, one, other) = meeting.unwrap_or((other.span, one, other));
    Pin {
        span,
        code: Code::GRID_CONFLICT,
        message: format!(
            "`{}` and `{}` are one grid here, and their pragmas give it different extents",
            one.name, other.name
        ),
        related: vec![(one.span, "one pragma".to_owned()), (other.span, "the other".to_owned())],
    }
}

/// The polynomial of an extent.
fn index(value: &ExtentValue) -> Option<Index> {
    match value {
        ExtentValue::Integer(value) => Some(Index::constant(*value)),
        ExtentValue::Variable(id) => Some(Index::atom(Atom::Variable(*id))),
        ExtentValue::Sum(left, right) => index(left)?.plus(&index(right)?),
        ExtentValue::Difference(left, right) => index(left)?.minus(&index(right)?),
        ExtentValue::Product(left, right) => index(left)?.times(&index(right)?),
    }
}

/// Names of dimensions: `x` for `nx` and for `nx + 2`, `field` for a number behind all others.
fn names(program: &Program, pragma: &GridPragma) -> Vec<String> {
    let rank = pragma.extents.len();
    let mut found: Vec<String> = Vec::new();
    let is_record =
        |at: usize| rank > 1 && at + 1 == rank && pragma.extents[at].value.as_constant().is_some();
    let space = if is_record(rank - 1) { rank - 1 } else { rank };
    for (at, extent) in pragma.extents.iter().enumerate() {
        let text = program.text(extent.span);
        let word = layoutc_syntax::preprocess::tokens(text)
            .into_iter()
            .find(|token| token.kind == layoutc_syntax::preprocess::TokenKind::Identifier)
            .map(|token| token.text(text).to_lowercase());
        let mut name = match word {
            Some(word) => match word.strip_prefix('n') {
                Some(rest) if super::extents::is_name(rest) => rest.to_owned(),
                _ if super::extents::is_name(&word) => word,
                _ => format!("{word}_"),
            },
            None if is_record(at) => "field".to_owned(),
            None => ["x", "y", "z"].get(space - at - 1).map_or("w", |name| name).to_owned(),
        };
        while found.contains(&name) {
            name.push('_');
        }
        found.push(name);
    }
    found
}

/// Checks that the variables of the extents keep their values while the array is there.
fn check_fixed(
    program: &Program,
    changes: &Changes,
    pragma: &GridPragma,
    extents: &[Index],
) -> Result<(), Pin> {
    let array = match pragma.array {
        PragmaArray::Variable(id) => Some(program.variable(id)),
        PragmaArray::Field(_) => None,
    };
    // A local lives from its declaration on.
    let region = array.and_then(|array| {
        let body = program.function(array.function?).body?;
        let whole = program.stmt(body).span;
        let is_parameter = matches!(array.storage, layoutc_syntax::Storage::Parameter { .. });
        Some(if is_parameter { whole } else { Span { start: array.site.full.end, ..whole } })
    });
    let is_bodiless = array.is_some_and(|array| {
        array.function.is_some_and(|function| program.function(function).body.is_none())
    });
    if is_bodiless {
        return Ok(());
    }
    for atom in extents.iter().flat_map(Index::atoms) {
        let Atom::Variable(id) = atom else { continue };
        let name = &program.variable(id).name;
        let is_fixed = match region {
            Some(region) => changes.is_constant_in(id, &[region]),
            None => is_uniform(program, changes, id),
        };
        if is_fixed {
            continue;
        }
        let place = region.and_then(|region| changes.first_in(id, region));
        let message = match place {
            Some(_) => {
                format!("`{name}` is an extent of the grid `{}` and changes here", pragma.name)
            }
            None => format!(
                "`{name}` is an extent of the grid `{}`, and not all that may change it is seen",
                pragma.name
            ),
        };
        return Err(Pin {
            span: place.unwrap_or(pragma.span),
            code: Code::GRID_EXTENT,
            message,
            related: place.map(|_| (pragma.span, "the pragma".to_owned())).into_iter().collect(),
        });
    }
    Ok(())
}

/// Checks that what is allocated for the array is what its extents multiply to.
fn check_size(
    program: &Program,
    classes: &Classes,
    class: ClassId,
    changes: &Changes,
    indices: &mut Indices,
    declaration: &Declaration,
) -> Result<(), Pin> {
    let PragmaArray::Variable(array) = declaration.array else { return Ok(()) };
    let Some(size) = classes.class(class).element.size(program) else { return Ok(()) };
    for allocation in &classes.class(class).allocations {
        let Some(call) = classes.api_calls.iter().find(|call| call.call == allocation.call) else {
            continue;
        };
        if !allocates(program, call, array) {
            continue;
        }
        let at = program.expr_site(allocation.call);
        let wanted = i64::try_from(size).ok().map(Index::constant).and_then(|bytes| {
            declaration.extents.iter().try_fold(bytes, |product, extent| product.times(extent))
        });
        let given = indices.index(program, allocation.size);
        let pair = wanted.zip(given).and_then(|(wanted, given)| {
            Some((
                initial(program, changes, indices, &wanted, at)?,
                initial(program, changes, indices, &given, at)?,
            ))
        });
        let shown = |index: &Index| shown(program, indices, index);
        let message = match pair {
            Some((wanted, given)) if wanted == given => continue,
            Some((wanted, given)) => {
                let is_seen = given.atoms().iter().all(|atom| matches!(atom, Atom::Variable(_)));
                if is_seen {
                    let values = |bytes: &Index| {
                        bytes
                            .divide(&Index::constant(i64::try_from(size).unwrap_or(1)))
                            .filter(|(_, rest)| rest.is_zero())
                            .map_or_else(
                                || format!("{} bytes", shown(bytes)),
                                |(values, _)| format!("{} values", shown(&values)),
                            )
                    };
                    format!(
                        "`{}` is declared with {}, and {} are allocated here",
                        declaration.name,
                        values(&wanted),
                        values(&given)
                    )
                } else {
                    format!(
                        "the {} bytes of `{}` cannot be compared with what is allocated here",
                        shown(&wanted),
                        declaration.name
                    )
                }
            }
            None => format!(
                "the extents of `{}` cannot be compared with what is allocated here",
                declaration.name
            ),
        };
        return Err(Pin {
            span: program.expr(allocation.call).span,
            code: Code::GRID_SIZE,
            message,
            related: vec![(declaration.span, "the pragma".to_owned())],
        });
    }
    Ok(())
}

/// Whether a call allocates the memory of a variable.
fn allocates(program: &Program, call: &ApiCall, array: VarId) -> bool {
    let is_array = |mut expr: ExprId| loop {
        expr = match program.expr(expr).kind {
            ExprKind::Paren(inner)
            | ExprKind::Cast { operand: inner, .. }
            | ExprKind::AddressOf(inner) => inner,
            ExprKind::Name(NameRef::Variable(id)) => return id == array,
            _ => return false,
        };
    };
    (0..call.arguments.len())
        .filter(|position| call.is_device_argument(*position))
        .any(|position| is_array(call.arguments[position]))
}

/// A value with the variables in it replaced that still are what they were initialised with.
pub(super) fn initial(
    program: &Program,
    changes: &Changes,
    indices: &mut Indices,
    value: &Index,
    at: Span,
) -> Option<Index> {
    let mut value = value.clone();
    for _ in 0..16 {
        let next = value.atoms().into_iter().find_map(|atom| {
            let Atom::Variable(id) = atom else { return None };
            let variable = program.variable(id);
            let init = variable.init?;
            if !changes.is_constant(id) || !super::index::is_integer(program, init) {
                return None;
            }
            let site = variable.site.full;
            let first = indices.index(program, init)?;
            let region = Span { end: at.start.max(site.end), ..site };
            let is_kept = first.atoms().iter().all(|atom| match atom {
                Atom::Variable(inner) => {
                    site.file == at.file && changes.is_constant_in(*inner, &[region])
                }
                Atom::Expression(_) => false,
            });
            if is_kept { value.replace(&atom, &first) } else { None }
        });
        match next {
            Some(next) => value = next,
            None => return Some(value),
        }
    }
    None
}

/// A value as people write it.
pub(super) fn shown(program: &Program, indices: &Indices, value: &Index) -> String {
    value.spelled(|atom| match atom {
        Atom::Variable(id) => program.variable(*id).name.clone(),
        Atom::Expression(number) => {
            let expr = indices.expression(*number);
            let text = program.text(program.expr_site(expr));
            let is_simple = matches!(
                program.expr(program.strip_parens(expr)).kind,
                ExprKind::Member { .. } | ExprKind::Index { .. } | ExprKind::Call { .. }
            );
            if is_simple || text.starts_with('(') { text.to_owned() } else { format!("({text})") }
        }
    })
}

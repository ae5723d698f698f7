//! Grids: arrays of scalars that a program indexes by several coordinates.
//!
//! `f[((z*ny + y)*nx + x)*19 + q]` has the dimension vector (·, ny, nx, 19) and the index vector
//! (z, y, x, q). A [`Grid`] says so for every access of an array class, slowest dimension first;
//! the extent of the slowest is what the allocation leaves.
//!
//! # Claims
//!
//! - The index of an access is, as an integer, the number that its coordinates spell:
//!   `index = Σ coordinateₖ · Π extents behind k`.
//! - Each coordinate but the slowest is proven to lie in its extent ([`proof`]). An access of which
//!   that is not proven is [`GridAccess::Linear`] where all extents are constants, since then its
//!   coordinates can be computed from the index; otherwise the array is no grid.
//! - Index arithmetic is taken not to wrap around (it is undefined for signed types).
//!
//! Source: Sung, Stratton, Hwu, PACT 2010, §4 (dimension and index vectors). The paper takes them
//! from C99 array parameters; here they are recovered from linear indices.

mod assumed;
mod buffers;
mod callers;
mod cells;
mod declared;
mod digits;
mod entry;
mod extents;
pub mod facts;
pub mod index;
mod of_types;
pub mod polynomial;
pub mod proof;
mod uniform;

use crate::classes::{ClassId, Classes, Pin, PlaceKind, TypedArrays};
use crate::layout::Digit;
use assumed::{Found, Trust};
pub use cells::{Cells, find_cells};
use declared::Declared;
use entry::Entries;
use extents::{Extents, Strides};
use facts::{Changes, Facts, Walk};
use index::{Atom, Index, Indices};
use layoutc_diagnostics::{Code, Span};
use layoutc_syntax::{ExprId, ExprKind, FunctionId, Program, VarId};
use proof::Prover;
use std::collections::{BTreeMap, BTreeSet};
use uniform::is_uniform;

/// More constants in one dimension would be a dimension of its own.
pub const LARGEST_RECORD: i64 = 256;

/// A dimension of a grid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dimension {
    /// Its name in layouts: `x` for the extent `nx`.
    pub name: String,
    /// The extent, if it is a constant. The slowest dimension has none.
    pub extent: Option<i64>,
}

/// The index vector of an access.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GridAccess {
    /// One value per dimension, slowest first.
    Coordinates(Vec<Index>),
    /// The coordinates have to be computed from the index; `why` is what is not proven.
    Linear {
        /// What is not known.
        why: String,
    },
}

/// An array class that is a grid.
#[derive(Clone, Debug)]
pub struct Grid {
    /// The class.
    pub class: ClassId,
    /// The dimensions, slowest first; at least two.
    pub dimensions: Vec<Dimension>,
    /// By function that accesses it: the extents behind the slowest dimension.
    pub extents: BTreeMap<FunctionId, Vec<Index>>,
    /// All accesses.
    pub accesses: BTreeMap<ExprId, GridAccess>,
    /// The function of each access.
    pub functions: BTreeMap<ExprId, FunctionId>,
    /// By access: the dimensions whose coordinates are taken to stay inside their extents, since
    /// the user says so and nothing proves it.
    pub assumed: BTreeMap<ExprId, Vec<usize>>,
    /// A pragma declares it.
    pub is_declared: bool,
}

impl Grid {
    /// Whether all extents but the slowest are constants.
    #[must_use]
    pub fn has_constant_extents(&self) -> bool {
        self.dimensions[1..].iter().all(|dimension| dimension.extent.is_some())
    }

    /// Digits of its dimensions in the common notation: `[y/32, x, y%32]`.
    #[must_use]
    pub fn notation(&self, digits: &[Digit]) -> String {
        let digits: Vec<String> = digits
            .iter()
            .filter_map(|digit| match digit {
                Digit::Slice { dimension, divisor, modulus } => {
                    let name = &self.dimensions[dimension.0 as usize].name;
                    let by = if *divisor == 1 { String::new() } else { format!("/{divisor}") };
                    let of = modulus.map_or_else(String::new, |modulus| format!("%{modulus}"));
                    Some(match (*divisor, modulus) {
                        (1, _) | (_, None) => format!("{name}{by}{of}"),
                        _ => format!("({name}{by}){of}"),
                    })
                }
                Digit::Field | Digit::Extent(_) => None,
            })
            .collect();
        format!("[{}]", digits.join(", "))
    }
}

/// All grids of a program, and why other arrays of scalars are none.
#[derive(Clone, Debug, Default)]
pub struct Grids {
    /// The grids by class, with all their dimensions.
    pub grids: BTreeMap<ClassId, Grid>,
    /// Hand-flattened records: the fastest dimension, whose extent is a constant, and one for all
    /// others. No extent but that has to be known.
    pub flat: BTreeMap<ClassId, Grid>,
    /// Classes that are indexed by several coordinates and are no grids, with the reason.
    pub refused: BTreeMap<ClassId, Pin>,
    /// The expressions that indices are made of.
    pub indices: Indices,
}

/// An access before its coordinates are known.
#[derive(Clone)]
struct Access {
    expr: ExprId,
    function: FunctionId,
    index: Index,
    /// What stands in the brackets, or is added.
    written: Option<ExprId>,
    /// The coordinates that a type with extents has in the source.
    subscripts: Option<Vec<Index>>,
    facts: Facts,
}

/// Finds the grids among the classes of arrays of scalars.
#[must_use]
pub fn find_grids(program: &Program, classes: &Classes, typed: &TypedArrays) -> Grids {
    find_grids_with(program, classes, typed, &BTreeSet::new())
}

/// Finds the grids; the coordinates of accesses to the classes of `in_bounds` are taken to stay
/// inside their extents where nothing proves it.
#[must_use]
pub fn find_grids_with(
    program: &Program,
    classes: &Classes,
    typed: &TypedArrays,
    in_bounds: &BTreeSet<ClassId>,
) -> Grids {
    let changes = changes(program);
    let wanted = values(program, classes);
    find(program, classes, typed, in_bounds, &changes, wanted)
}

/// What the program changes, and which values differ between threads.
fn changes(program: &Program) -> Changes {
    let mut changes = Changes::collect(program);
    let uneven = uniform::uneven(program, &changes);
    changes.set_uneven(uneven);
    changes
}

/// An access: its class, and the index that it adds to the start of an array.
type Wanted = BTreeMap<ExprId, (ClassId, Option<ExprId>)>;

/// The grids of the classes that the accesses belong to.
fn find(
    program: &Program,
    classes: &Classes,
    typed: &TypedArrays,
    in_bounds: &BTreeSet<ClassId>,
    changes: &Changes,
    wanted: Wanted,
) -> Grids {
    let mut grids = Grids::default();
    let accesses = accesses(program, classes, typed, changes, wanted, &mut grids.indices);
    for (class, accesses) in accesses {
        let is_assumed = in_bounds.contains(&class);
        if let Err(pin) = buffers::check_macros(program, classes, class, &accesses) {
            grids.refused.insert(class, pin);
            continue;
        }
        if let Err(pin) = of_types::check_pragmas(program, classes, class, typed) {
            grids.refused.insert(class, pin);
            continue;
        }
        match Declared::find(program, classes, class, changes, &mut grids.indices) {
            Ok(None) => {}
            Ok(Some(declared)) => {
                match of_pragmas(program, classes, class, changes, &mut grids, &declared, &accesses)
                {
                    Ok(grid) => {
                        grids.grids.insert(class, grid);
                    }
                    Err(pin) => {
                        grids.refused.insert(class, pin);
                    }
                }
                continue;
            }
            Err(pin) => {
                grids.refused.insert(class, pin);
                continue;
            }
        }
        let of_types =
            of_types::find(program, classes, typed, changes, &mut grids.indices, class, &accesses);
        let Strides { flat, full } = match of_types {
            Ok(Some(extents)) => Strides { flat: None, full: Some(Ok((extents, BTreeMap::new()))) },
            Ok(None) => Strides::find(program, changes, &mut grids.indices, &accesses),
            Err(pin) => Strides { flat: None, full: Some(Err(pin)) },
        };
        let trust = |_: FunctionId| Trust::default();
        let flat =
            flat.map(|flat| vectors(program, &mut grids.indices, class, &flat, &accesses, trust));
        if let Some(Ok(grid)) = flat {
            grids.flat.insert(class, grid);
        }
        let full = full.map(|full| {
            let (mut full, unknown) = full?;
            // Nobody declared what the indices seem to say.
            let undeclared = |pin: Pin| match pin.code {
                Code::GRID_CONFLICT => Pin { code: Code::GRID_FORM, ..pin },
                _ => pin,
            };
            callers::add(program, classes, class, &mut grids.indices, &mut full)
                .map_err(undeclared)?;
            // Functions that take an array and do not index it, where all agrees; kernels are told by
            // what the host gives them, and so what they call.
            loop {
                let known = full.by_function.clone();
                callers::hand_down(program, classes, class, &mut grids.indices, &mut full);
                if full.by_function != known
                    && callers::add(program, classes, class, &mut grids.indices, &mut full).is_err()
                {
                    full.by_function = known;
                }
                let count = full.by_function.len();
                buffers::add(program, classes, class, &mut grids.indices, &mut full)
                    .map_err(undeclared)?;
                if full.by_function.len() == count {
                    break;
                }
            }
            let is_unknown = |function: &&FunctionId| !full.by_function.contains_key(function);
            if let Some(function) = unknown.keys().find(is_unknown) {
                return Err(unknown[function].clone());
            }
            let trust = |_: FunctionId| Trust { is_assumed, ..Trust::default() };
            vectors(program, &mut grids.indices, class, &full, &accesses, trust)
        });
        match full {
            Some(Ok(grid)) => {
                grids.grids.insert(class, grid);
            }
            Some(Err(pin)) => {
                grids.refused.insert(class, pin);
            }
            None => {}
        }
    }
    grids
}

/// The accesses to arrays of scalars.
fn values(program: &Program, classes: &Classes) -> Wanted {
    let mut wanted = Wanted::new();
    for id in program.expr_ids() {
        let Some((class, PlaceKind::Part(_))) = classes.place(id) else { continue };
        if classes.class(class).element.scalar().is_none() {
            continue;
        }
        match program.expr(id).kind {
            ExprKind::Index { index, .. } => {
                wanted.insert(id, (class, Some(index)));
            }
            ExprKind::Deref(_) => {
                wanted.insert(id, (class, None));
            }
            // Parentheses around one; a class with another use is pinned.
            _ => {}
        }
    }
    wanted
}

/// The accesses to each class, with what is known at each.
fn accesses(
    program: &Program,
    classes: &Classes,
    typed: &TypedArrays,
    changes: &Changes,
    wanted: Wanted,
    indices: &mut Indices,
) -> BTreeMap<ClassId, Vec<Access>> {
    let all: BTreeSet<ExprId> = wanted.keys().copied().collect();
    let mut found: BTreeMap<ClassId, Vec<Access>> = BTreeMap::new();
    let mut by_function: BTreeMap<FunctionId, BTreeSet<ExprId>> = BTreeMap::new();
    for function in program.function_ids() {
        if program.function(function).body.is_none() {
            continue;
        }
        let own: BTreeSet<ExprId> =
            program.function_parts(function).exprs.intersection(&all).copied().collect();
        if !own.is_empty() {
            by_function.insert(function, own);
        }
    }
    let mut entries = Entries::new(program, classes, changes);
    for function in entries.order(&by_function.keys().copied().collect()) {
        let own = by_function.remove(&function).unwrap_or_default();
        let start = entries.start(indices, function);
        let calls = entries.calls_in(function);
        let looked_at = own.union(&calls).copied().collect();
        let facts = Walk::function(program, changes, indices, &looked_at, function, &start);
        for call in calls {
            entries.add(call, facts.get(&call).cloned().unwrap_or_default());
        }
        for expr in own {
            let (class, written) = wanted[&expr];
            let index = match written {
                Some(index) => indices.index(program, index),
                None => Some(Index::constant(0)),
            };
            let index = match (index, written) {
                (Some(index), _) => index,
                (None, Some(expr)) => indices.atom(program, expr),
                (None, None) => continue,
            };
            let subscripts =
                typed.chains.get(&expr).filter(|chain| chain.is_value).and_then(|chain| {
                    chain.subscripts.iter().map(|at| indices.index(program, *at)).collect()
                });
            let facts = facts.get(&expr).cloned().unwrap_or_default();
            found.entry(class).or_default().push(Access {
                expr,
                function,
                index,
                written,
                subscripts,
                facts,
            });
        }
    }
    found
}

/// The index with every variable replaced that is itself a linear index, and with the coordinates in
/// the place of the numbers that they are made from.
fn expanded(
    program: &Program,
    changes: &Changes,
    indices: &mut Indices,
    index: &Index,
    facts: &Facts,
) -> Index {
    let mut index = index.clone();
    for _ in 0..16 {
        let next = index.atoms().into_iter().find_map(|atom| match atom {
            Atom::Variable(id) => {
                let value = facts.definitions(id).find(|value| {
                    is_linear(program, changes, value, facts, 8)
                        || digits::recovered(program, indices, facts, value) != **value
                })?;
                index.replace(&atom, value)
            }
            Atom::Expression(number) => {
                let choice = indices.expression(number);
                let value = facts::unfolded(program, changes, indices, facts, choice)?;
                index.replace(&atom, &value)
            }
        });
        match next {
            Some(next) => index = next,
            None => break,
        }
    }
    digits::recovered(program, indices, facts, &index)
}

/// Whether strides that the whole index has do not show in the index as it stands.
fn hides(index: &Index, full: &Index, fastest: &Index) -> bool {
    let has_stride =
        |index: &Index| index.divide(fastest).is_some_and(|(quotient, _)| !quotient.is_zero());
    !has_stride(index) && has_stride(full)
}

/// Whether a value is made by multiplying with an extent or a number, other than to find out which
/// thread this is.
fn is_linear(
    program: &Program,
    changes: &Changes,
    value: &Index,
    facts: &Facts,
    depth: usize,
) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let by_itself = value.terms().any(|(monomial, coefficient)| {
        let has_variable = monomial.iter().any(|atom| matches!(atom, Atom::Variable(_)));
        let has_extent = monomial.len() > 1
            && monomial.iter().any(
                |atom| matches!(atom, Atom::Variable(id) if is_uniform(program, changes, *id)),
            );
        has_extent || (coefficient.unsigned_abs() >= 2 && has_variable)
    });
    by_itself
        || value.atoms().iter().any(|atom| match atom {
            Atom::Variable(id) => facts
                .definition(*id)
                .is_some_and(|value| is_linear(program, changes, value, facts, depth)),
            Atom::Expression(_) => false,
        })
}

/// The grid of a class that pragmas speak of.
fn of_pragmas(
    program: &Program,
    classes: &Classes,
    class: ClassId,
    changes: &Changes,
    grids: &mut Grids,
    declared: &Declared,
    accesses: &[Access],
) -> Result<Grid, Pin> {
    let mut full = declared.extents(changes);
    callers::hand_down(program, classes, class, &mut grids.indices, &mut full);
    let deeper = declared.add_shown(program, &mut grids.indices, &mut full, accesses);
    declared.fill(&mut full, accesses);
    callers::add(program, classes, class, &mut grids.indices, &mut full)
        .map_err(|pin| declared.explain(pin))?;
    buffers::add(program, classes, class, &mut grids.indices, &mut full)
        .map_err(|pin| declared.explain(pin))?;
    if let Some(access) =
        accesses.iter().find(|access| !full.by_function.contains_key(&access.function))
    {
        let message =
            "this function does not say the extents of the grid; a pragma could".to_owned();
        return Err(pin(program.expr_site(access.expr), Code::GRID_EXTENT, message));
    }
    let trust = |function: FunctionId| Trust {
        declared: Some(declared.of(function)),
        is_assumed: true,
        deeper: deeper.get(&function).copied(),
    };
    let mut grid = vectors(program, &mut grids.indices, class, &full, accesses, trust)?;
    grid.dimensions = declared.dimensions(&full);
    grid.is_declared = true;
    Ok(grid)
}

/// The index vector of each access.
fn vectors<'t>(
    program: &Program,
    indices: &mut Indices,
    class: ClassId,
    extents: &Extents,
    accesses: &[Access],
    trust: impl Fn(FunctionId) -> Trust<'t>,
) -> Result<Grid, Pin> {
    let mut found = BTreeMap::new();
    let mut assumed = BTreeMap::new();
    for access in accesses {
        let own = &extents.by_function[&access.function];
        let positive: BTreeSet<VarId> = own
            .iter()
            .filter_map(|extent| match extent.as_atom() {
                Some(Atom::Variable(id)) => Some(*id),
                _ => None,
            })
            .collect();
        let trust = trust(access.function);
        let full = match trust.declared {
            // Strides in variables, `int sx = 3, sy = nx*sx;`, are values of the extents.
            Some(_) => {
                let changes = extents.changes;
                let full = assumed::normalized(program, changes, &access.index, &access.facts, own);
                digits::recovered(program, indices, &access.facts, &full)
            }
            None => expanded(program, extents.changes, indices, &access.index, &access.facts),
        };
        let mut candidates = Vec::new();
        // A name for all of an index has no coordinates, and a proof that fails takes long.
        if full == access.index
            || !own.last().is_some_and(|fastest| hides(&access.index, &full, fastest))
        {
            candidates.push(access.index.clone());
        }
        if full != access.index {
            candidates.push(full);
        }
        let mut prover = Prover::new(program, indices, &positive);
        if let Some(declared) = trust.declared
            && let Some(pin) = assumed::written_outside(program, &mut prover, access, own, declared)
        {
            return Err(pin);
        }
        let as_written = access
            .subscripts
            .clone()
            .filter(|written| spells(written, own, &access.index))
            .and_then(|written| inside(&mut prover, written, own, &access.facts));
        let vector = as_written.or_else(|| {
            candidates.iter().find_map(|index| coordinates(&mut prover, index, own, &access.facts))
        });
        let vector = match vector {
            Some(vector) => GridAccess::Coordinates(vector),
            None => {
                let changes = extents.changes;
                match assumed::coordinates(program, changes, &mut prover, access, own, trust)? {
                    Found::Assumed(vector, unproven) => {
                        if !unproven.is_empty() {
                            assumed.insert(access.expr, unproven);
                        }
                        GridAccess::Coordinates(vector)
                    }
                    Found::Linear(why) => GridAccess::Linear { why },
                }
            }
        };
        found.insert(access.expr, vector);
    }
    Ok(Grid {
        class,
        dimensions: extents.dimensions(program),
        extents: extents.by_function.clone(),
        accesses: found,
        functions: accesses.iter().map(|access| (access.expr, access.function)).collect(),
        assumed,
        is_declared: false,
    })
}

/// An index divided by the strides of the extents, slowest first: what may be its coordinates.
fn by_strides(index: &Index, extents: &[Index]) -> Option<Vec<Index>> {
    let mut rest = index.clone();
    let mut vector = Vec::new();
    for at in 0..extents.len() {
        let stride =
            extents[at..].iter().try_fold(Index::constant(1), |product, e| product.times(e))?;
        let (quotient, remainder) = rest.divide(&stride)?;
        vector.push(quotient);
        rest = remainder;
    }
    vector.push(rest);
    Some(vector)
}

/// The coordinates of an index, if they are proven to be inside the extents.
fn coordinates(
    prover: &mut Prover<'_>,
    index: &Index,
    extents: &[Index],
    facts: &Facts,
) -> Option<Vec<Index>> {
    inside(prover, by_strides(index, extents)?, extents, facts)
}

/// Whether coordinates spell an index.
fn spells(vector: &[Index], extents: &[Index], index: &Index) -> bool {
    if vector.len() != extents.len() + 1 {
        return false;
    }
    let mut sum = vector[0].clone();
    for (coordinate, extent) in vector[1..].iter().zip(extents) {
        match sum.times(extent).and_then(|high| high.plus(coordinate)) {
            Some(next) => sum = next,
            None => return false,
        }
    }
    sum == *index
}

/// The coordinates, if they are proven to be inside the extents, perhaps after whole steps.
fn inside(
    prover: &mut Prover<'_>,
    mut vector: Vec<Index>,
    extents: &[Index],
    facts: &Facts,
) -> Option<Vec<Index>> {
    // From the fastest: what sticks out of one extent is a step of the next.
    for at in (1..vector.len()).rev() {
        let extent = &extents[at - 1];
        let steps: Vec<i64> = match (extent.as_constant(), constant_term(&vector[at])) {
            (Some(extent), term) => {
                let near = -term.div_euclid(extent);
                vec![0, near, near - 1, near + 1, 1, -1]
            }
            (None, _) => vec![0, 1, -1],
        };
        let steps = steps.into_iter().map(Index::constant).chain(choices(prover, &vector[at - 1]));
        let steps: Vec<Index> = steps.collect();
        let inside = steps.into_iter().find_map(|step| {
            let moved = vector[at].plus(&extent.times(&step)?)?;
            let below = extent.minus(&moved)?.plus(&Index::constant(-1))?;
            let is_inside =
                prover.is_at_least_zero(&moved, facts) && prover.is_at_least_zero(&below, facts);
            is_inside.then_some((step, moved))
        });
        let (step, moved) = inside?;
        vector[at] = moved;
        vector[at - 1] = vector[at - 1].minus(&step)?;
    }
    Some(vector)
}

/// Steps that a condition decides on: `y + (x == 0)` may be a step that belongs to `x`.
fn choices(prover: &mut Prover<'_>, coordinate: &Index) -> Vec<Index> {
    let terms: Vec<(Atom, i64)> = coordinate
        .terms()
        .filter_map(|(monomial, coefficient)| match monomial.as_slice() {
            [atom] => Some((*atom, coefficient)),
            _ => None,
        })
        .collect();
    terms
        .into_iter()
        .filter(|(atom, _)| prover.is_truth(*atom))
        .filter_map(|(atom, by)| Index::atom(atom).times(&Index::constant(by)))
        .collect()
}

fn constant_term(index: &Index) -> i64 {
    index.terms().find(|(monomial, _)| monomial.is_empty()).map_or(0, |term| term.1)
}

/// A pin at a place.
fn pin(span: Span, code: Code, message: String) -> Pin {
    Pin { span, code, message, related: Vec::new() }
}

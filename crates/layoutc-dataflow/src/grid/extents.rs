//! The dimension vector of a class, from the strides of its accesses.
//!
//! A term of an index is a coordinate (what differs between threads and iterations) times a stride
//! (numbers and uniform variables). The strides of a grid form a chain in which each is a
//! multiple of the next; their quotients are the extents. Numbers alone make one dimension, the
//! members of a hand-flattened record: their greatest common divisor.

use super::facts::Changes;
use super::index::{Atom, Index, Indices};
use super::{Access, Dimension, LARGEST_RECORD, expanded, is_uniform, pin};
use crate::classes::Pin;
use layoutc_diagnostics::Code;
use layoutc_syntax::keywords::is_keyword;
use layoutc_syntax::{FunctionId, Program};
use std::collections::{BTreeMap, BTreeSet};

/// The extents of a class, by function.
pub(super) struct Extents<'a> {
    /// Behind the slowest dimension, slowest first.
    pub(super) by_function: BTreeMap<FunctionId, Vec<Index>>,
    /// Names of all dimensions, where declarations give them.
    pub(super) names: Option<Vec<String>>,
    pub(super) changes: &'a Changes,
}

/// What the strides of a class say.
pub(super) struct Strides<'a> {
    /// The numbers of a hand-flattened record, and one dimension for all else.
    pub(super) flat: Option<Extents<'a>>,
    /// All dimensions, if there are more: or the access whose strides are no chain, or a function
    /// that does not say the extents.
    pub(super) full: Option<Result<(Extents<'a>, Unknown), Pin>>,
}

/// Functions whose indices do not show all dimensions, with what to say if nothing else does.
pub(super) type Unknown = BTreeMap<FunctionId, Pin>;

impl<'a> Strides<'a> {
    /// The dimensions that the accesses show.
    pub(super) fn find(
        program: &Program,
        changes: &'a Changes,
        indices: &mut Indices,
        accesses: &[Access],
    ) -> Self {
        // By function: the products of uniform variables that are strides, and the numbers.
        let mut products: BTreeMap<FunctionId, BTreeSet<Vec<Atom>>> = BTreeMap::new();
        let mut divisor: i64 = 0;
        for access in accesses {
            let own = products.entry(access.function).or_default();
            let index = expanded(program, changes, indices, &access.index, &access.facts);
            for (monomial, coefficient) in index.terms() {
                let (stride, rest): (Vec<Atom>, Vec<Atom>) = monomial.iter().partition(
                    |atom| matches!(atom, Atom::Variable(id) if is_uniform(program, changes, *id)),
                );
                // A sum of uniform values is an offset, and a place of its own.
                if rest.is_empty() {
                    continue;
                }
                let is_unit = stride.is_empty() && coefficient.unsigned_abs() == 1;
                if !is_unit {
                    divisor = gcd(divisor, coefficient);
                }
                if !stride.is_empty() {
                    own.insert(stride);
                }
            }
        }
        let record = (2..=LARGEST_RECORD).contains(&divisor).then(|| Index::constant(divisor));
        let flat = record.clone().map(|record| Extents {
            by_function: products
                .keys()
                .map(|function| (*function, vec![record.clone()]))
                .collect(),
            names: None,
            changes,
        });
        let rank = products.values().map(BTreeSet::len).max().unwrap_or(0);
        let full = (rank > 0).then(|| {
            let (by_function, unknown) =
                chains(program, accesses, products, rank, record.as_ref())?;
            Ok((Extents { by_function, names: None, changes }, unknown))
        });
        Strides { flat, full }
    }
}

/// The extents that the strides of each function give, and the functions that have other strides.
fn chains(
    program: &Program,
    accesses: &[Access],
    products: BTreeMap<FunctionId, BTreeSet<Vec<Atom>>>,
    rank: usize,
    record: Option<&Index>,
) -> Result<(BTreeMap<FunctionId, Vec<Index>>, Unknown), Pin> {
    let mut by_function = BTreeMap::new();
    let mut unknown = BTreeMap::new();
    for (function, strides) in products {
        let mut strides: Vec<Vec<Atom>> = strides.into_iter().collect();
        strides.sort_by_key(|stride| std::cmp::Reverse(stride.len()));
        let refused = |message: String| {
            let access = accesses.iter().find(|access| access.function == function);
            let span = access.map_or(program.function(function).sites[0].name, |access| {
                program.expr(access.expr).span
            });
            pin(span, Code::GRID_FORM, message)
        };
        if strides.len() != rank {
            let message = format!(
                "the array has {} dimensions elsewhere, and the indices of this function do not show them",
                rank + 1 + usize::from(record.is_some())
            );
            unknown.insert(function, refused(message));
            continue;
        }
        let mut extents = Vec::new();
        for at in 0..strides.len() {
            let next: &[Atom] = strides.get(at + 1).map_or(&[], Vec::as_slice);
            let Some(quotient) = quotient(&strides[at], next) else {
                let message =
                    "the strides of the indices of this function are not multiples of each other";
                return Err(refused(message.to_owned()));
            };
            extents.push(quotient);
        }
        extents.extend(record.cloned());
        by_function.insert(function, extents);
    }
    Ok((by_function, unknown))
}

impl Extents<'_> {
    /// The dimensions with their names.
    pub(super) fn dimensions(&self, program: &Program) -> Vec<Dimension> {
        // Versions of a function are where it is.
        let original = |function: FunctionId| {
            let copy = program.function(function).copy_of.as_ref();
            copy.filter(|copy| !copy.is_instance()).map_or(function, |copy| copy.original)
        };
        let device = self
            .by_function
            .iter()
            .filter(|(function, _)| program.function(**function).space.on_device())
            .min_by_key(|(function, _)| original(**function))
            .or_else(|| self.by_function.iter().next());
        let extents = device.map(|(_, extents)| extents.clone()).unwrap_or_default();
        let mut found: Vec<Dimension> = Vec::new();
        let mut add = |name: String, extent: Option<i64>| {
            let mut unique = name;
            while found.iter().any(|other| other.name == unique) {
                unique.push('_');
            }
            found.push(Dimension { name: unique, extent });
        };
        if let Some(names) = &self.names {
            add(names[0].clone(), None);
            for (name, extent) in names[1..].iter().zip(&extents) {
                add(name.clone(), extent.as_constant());
            }
            return found;
        }
        let rank = extents.iter().filter(|extent| extent.as_constant().is_none()).count();
        add(["i", "y", "z"].get(rank).map_or("w", |name| name).to_owned(), None);
        for extent in &extents {
            let name = match (extent.as_atom(), extent.as_constant()) {
                (Some(Atom::Variable(id)), _) => dimension_name(&program.variable(*id).name),
                (_, Some(_)) => "field".to_owned(),
                _ => "j".to_owned(),
            };
            add(name, extent.as_constant());
        }
        found
    }
}

/// The name of the dimension with an extent: `x` for `nx`.
pub(super) fn dimension_name(extent: &str) -> String {
    let name = extent.to_lowercase();
    match name.strip_prefix('n') {
        Some(rest) if is_name(rest) => rest.to_owned(),
        _ if is_name(&name) => name,
        _ => format!("{name}_"),
    }
}

/// Whether a word can be the name of a parameter.
pub(super) fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && !is_keyword(word)
}

/// `stride / next` as a product, if it is one.
fn quotient(stride: &[Atom], next: &[Atom]) -> Option<Index> {
    let mut rest = stride.to_vec();
    for atom in next {
        let at = rest.iter().position(|other| other == atom)?;
        rest.remove(at);
    }
    rest.into_iter().try_fold(Index::constant(1), |product, atom| product.times(&Index::atom(atom)))
}

fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}

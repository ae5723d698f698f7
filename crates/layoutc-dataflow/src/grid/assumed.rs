//! Accesses whose coordinates are not proven to stay inside the extents.
//!
//! They are taken to stay inside where the user says so, with a pragma or an option, and where the
//! index has the form of coordinates: the strides of all slower dimensions occur in it. *Claim:* the
//! index is the number that the coordinates spell, whether they stay inside or not; so an access is
//! right exactly if the coordinates listed in [`Found::Assumed`] stay inside. An index of another form
//! has its coordinates computed from its value, which is right whatever they are.

use super::declared::{Declaration, shown};
use super::digits::recovered;
use super::facts::{Changes, Fact, Facts};
use super::index::{Atom, Index};
use super::proof::Prover;
use super::{Access, by_strides, constant_term, hides, is_linear, is_uniform, pin};
use crate::classes::Pin;
use layoutc_diagnostics::Code;
use layoutc_syntax::{BinaryOp, ExprId, ExprKind, Program};

/// What the user says of the arrays of a class.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Trust<'a> {
    /// A pragma of the function, or of all functions.
    pub(super) declared: Option<&'a Declaration>,
    /// `--assume in-bounds`.
    pub(super) is_assumed: bool,
    /// How many dimensions the function's indices show, if that is more than the pragma declares.
    pub(super) deeper: Option<usize>,
}

/// The coordinates of an access.
pub(super) enum Found {
    /// The dimensions of the second list are taken to stay inside.
    Assumed(Vec<Index>, Vec<usize>),
    /// They have to be computed from the index.
    Linear(String),
}

/// The coordinates of an access that are not proven.
///
/// # Errors
/// An access that leaves an extent, or has other dimensions, or that nobody vouches for.
pub(super) fn coordinates(
    program: &Program,
    changes: &Changes,
    prover: &mut Prover<'_>,
    access: &Access,
    extents: &[Index],
    trust: Trust<'_>,
) -> Result<Found, Pin> {
    let span = program.expr_site(access.expr);
    let Some(written) = access.written else {
        return Ok(Found::Linear("a dereference".to_owned()));
    };
    // Sums of subscripts are nobody's text.
    let site = if access.subscripts.is_some() { access.expr } else { written };
    let text = program.text(program.expr_site(site)).to_owned();
    let full = normalized(program, changes, &access.index, &access.facts, extents);
    let full = recovered(program, prover.indices(), &access.facts, &full);
    let Some((mut vector, unproven)) = best(prover, &access.index, &full, extents, &access.facts)
    else {
        return Ok(Found::Linear("the index is too large".to_owned()));
    };
    let is_constant = extents.iter().all(|extent| extent.as_constant().is_some());
    let Some(last) = unproven.last().copied() else {
        return Ok(Found::Assumed(vector, unproven));
    };
    let value = shown(program, prover.indices(), &vector[last]);
    let extent = shown(program, prover.indices(), &extents[last - 1]);
    if let Some(declared) = trust.declared {
        let at_pragma = vec![(declared.span, "declared here".to_owned())];
        let error =
            |code: Code, message: String| Pin { span, code, message, related: at_pragma.clone() };
        if let Some(deeper) = trust.deeper {
            return Err(error(
                Code::GRID_RANK,
                format!(
                    "the indices here have {deeper} dimensions, and `{}` is declared with {}",
                    declared.name,
                    declared.extents.len()
                ),
            ));
        }
        if has_stride(program, changes, extents, &vector[last]) {
            return Err(error(
                Code::GRID_RANK,
                format!(
                    "the index `{text}` of `{}` does not have the strides of its pragma",
                    declared.name
                ),
            ));
        }
        for at in unproven.iter().copied() {
            let value = shown(program, prover.indices(), &vector[at]);
            let extent = shown(program, prover.indices(), &extents[at - 1]);
            if let Some(how) = leaves(prover, &vector[at], &extents[at - 1], &access.facts) {
                return Err(error(
                    Code::GRID_BOUNDS,
                    match how {
                        Leaves::Always => {
                            format!(
                                "the coordinate `{value}` of the index `{text}` is never inside the extent `{extent}`"
                            )
                        }
                        Leaves::Above(0) => format!(
                            "the guards let `{value}` of the index `{text}` reach `{extent}`, which is its extent"
                        ),
                        Leaves::Above(by) => format!(
                            "the guards let `{value}` of the index `{text}` reach `{extent} + {by}`, and its extent is `{extent}`"
                        ),
                        Leaves::Below(by) => {
                            format!("the guards let `{value}` of the index `{text}` reach `-{by}`")
                        }
                    },
                ));
            }
        }
    } else if !trust.is_assumed {
        if is_constant {
            return Ok(Found::Linear(format!("`{value}` is not shown to be below {extent}")));
        }
        return Err(Pin {
            span,
            code: Code::GRID_UNPROVEN,
            message: format!(
                "nothing proves that `{value}` in the index `{text}` stays inside its extent `{extent}`; \
                 add a guard, or use `--assume in-bounds` or a `#pragma layoutc grid` accepts it"
            ),
            related: Vec::new(),
        });
    } else if let Some(how) =
        unproven.iter().find_map(|at| leaves(prover, &vector[*at], &extents[at - 1], &access.facts))
        && matches!(how, Leaves::Always)
    {
        let message =
            format!("`{value}` of the index `{text}` does not stay inside its extent `{extent}`");
        return Err(pin(span, Code::GRID_UNPROVEN, message));
    }
    // Without the stride of a slower dimension the rest of the index may be all of it.
    if vector[..last].iter().any(Index::is_zero) {
        return Ok(Found::Linear(format!("`{text}` does not show its coordinates")));
    }
    vector.truncate(extents.len() + 1);
    Ok(Found::Assumed(vector, unproven))
}

/// An index that, as it is written, leaves the last extent of a declared grid:
/// `(y*nx + x)*4 + 4`, `y*nx + nx`.
pub(super) fn written_outside(
    program: &Program,
    prover: &mut Prover<'_>,
    access: &Access,
    extents: &[Index],
    declared: &Declaration,
) -> Option<Pin> {
    let index = access.written?;
    let extent = extents.last()?;
    let mut rest = Index::constant(0);
    let mut has_stride = false;
    let mut has_rest = false;
    let mut stack = vec![(index, 1)];
    while let Some((at, sign)) = stack.pop() {
        match program.expr(at).kind {
            ExprKind::Paren(inner) if program.macro_role(at).is_none() => stack.push((inner, sign)),
            ExprKind::Binary(BinaryOp::Add, left, right) => {
                stack.extend([(left, sign), (right, sign)]);
            }
            ExprKind::Binary(BinaryOp::Sub, left, right) => {
                stack.extend([(left, sign), (right, -sign)]);
            }
            _ if is_multiple(program, prover, at, extent) => has_stride = true,
            _ => {
                let value = prover.indices().index(program, at)?;
                rest = rest.plus(&value.times(&Index::constant(sign))?)?;
                has_rest = true;
            }
        }
    }
    if !has_stride || !has_rest {
        return None;
    }
    let known = extent.atoms();
    if !rest.atoms().iter().all(|atom| known.contains(atom)) {
        return None;
    }
    let none = Facts::default();
    let above = prover.is_at_least_zero(&rest.minus(extent)?, &none);
    // The end of the row before is one thing, the last number of the record before another.
    let below =
        extent.as_constant().is_some() && rest.as_constant().is_some_and(|constant| constant < 0);
    if !above && !below {
        return None;
    }
    let value = shown(program, prover.indices(), &rest);
    let limit = shown(program, prover.indices(), extent);
    Some(Pin {
        span: program.expr_site(access.expr),
        code: Code::GRID_BOUNDS,
        message: format!(
            "the last index of `{}` is `{value}` here, and its extent is `{limit}`",
            declared.name
        ),
        related: vec![(declared.span, "declared here".to_owned())],
    })
}

/// Whether an expression is a product with the extent as a factor.
fn is_multiple(program: &Program, prover: &mut Prover<'_>, expr: ExprId, extent: &Index) -> bool {
    let ExprKind::Binary(BinaryOp::Mul, left, right) = program.expr(expr).kind else {
        return false;
    };
    [left, right].into_iter().any(|side| {
        let side = program.strip_parens(side);
        prover.indices().index(program, side).is_some_and(|value| value == *extent)
            || is_multiple(program, prover, side, extent)
    })
}

/// The coordinates that leave the fewest dimensions unproven, of an index as it stands and with
/// its variables replaced; and these dimensions.
fn best(
    prover: &mut Prover<'_>,
    index: &Index,
    full: &Index,
    extents: &[Index],
    facts: &Facts,
) -> Option<(Vec<Index>, Vec<usize>)> {
    let whole = divided(prover, full, extents, facts);
    if index == full || whole.as_ref().is_some_and(|(_, unproven)| unproven.is_empty()) {
        return whole;
    }
    if extents.last().is_some_and(|fastest| hides(index, full, fastest)) {
        return whole;
    }
    match (divided(prover, index, extents, facts), whole) {
        (Some(plain), Some(full)) => {
            let zeros = |vector: &[Index]| vector.iter().filter(|value| value.is_zero()).count();
            let is_better = (plain.1.len(), zeros(&plain.0)) < (full.1.len(), zeros(&full.0));
            Some(if is_better { plain } else { full })
        }
        (plain, full) => full.or(plain),
    }
}

/// The coordinates of an index, and the dimensions that are not proven to stay inside.
fn divided(
    prover: &mut Prover<'_>,
    index: &Index,
    extents: &[Index],
    facts: &Facts,
) -> Option<(Vec<Index>, Vec<usize>)> {
    let mut vector = by_strides(index, extents)?;
    let mut unproven = Vec::new();
    for at in (1..vector.len()).rev() {
        let extent = &extents[at - 1];
        let steps = match extent.as_constant() {
            Some(extent) => {
                let near = -constant_term(&vector[at]).div_euclid(extent);
                vec![near, near - 1, near + 1]
            }
            None => vec![0, 1, -1],
        };
        let inside = steps.into_iter().find_map(|step| {
            let moved = vector[at].plus(&extent.times(&Index::constant(step))?)?;
            let below = extent.minus(&moved)?.plus(&Index::constant(-1))?;
            let is_inside =
                prover.is_at_least_zero(&moved, facts) && prover.is_at_least_zero(&below, facts);
            is_inside.then_some((step, moved))
        });
        match inside {
            Some((step, moved)) => {
                vector[at] = moved;
                vector[at - 1] = vector[at - 1].plus(&Index::constant(-step))?;
            }
            None => unproven.push(at),
        }
    }
    unproven.reverse();
    Some((vector, unproven))
}

/// The index with every variable replaced that is a linear index or a stride.
pub(super) fn normalized(
    program: &Program,
    changes: &Changes,
    index: &Index,
    facts: &Facts,
    extents: &[Index],
) -> Index {
    let kept: Vec<Atom> = extents.iter().flat_map(Index::atoms).collect();
    let mut index = index.clone();
    for _ in 0..24 {
        let next = index.atoms().into_iter().find_map(|atom| {
            let Atom::Variable(id) = atom else { return None };
            let value = facts.definition(id).filter(|_| !kept.contains(&atom))?;
            let is_stride = value.atoms().iter().all(
                |inner| matches!(inner, Atom::Variable(id) if is_uniform(program, changes, *id)),
            );
            if !is_stride && !is_linear(program, changes, value, facts, 8) {
                return None;
            }
            index.replace(&atom, value)
        });
        match next {
            Some(next) => index = next,
            None => break,
        }
    }
    index
}

/// Whether a coordinate still has the stride of a slower dimension in it.
fn has_stride(program: &Program, changes: &Changes, extents: &[Index], value: &Index) -> bool {
    let known: Vec<Atom> = extents.iter().flat_map(Index::atoms).collect();
    value.terms().any(|(monomial, _)| {
        let has_other = monomial
            .iter()
            .any(|atom| !matches!(atom, Atom::Variable(id) if is_uniform(program, changes, *id)));
        has_other && monomial.iter().any(|atom| known.contains(atom))
    })
}

/// How a coordinate leaves its extent.
enum Leaves {
    /// It is never inside.
    Always,
    /// A guard or loop lets it reach the extent and so much more.
    Above(i64),
    /// A guard or loop lets it reach this number below 0.
    Below(i64),
}

fn leaves(prover: &mut Prover<'_>, value: &Index, extent: &Index, facts: &Facts) -> Option<Leaves> {
    let above = value.minus(extent)?;
    let below = value.times(&Index::constant(-1))?.plus(&Index::constant(-1))?;
    if prover.is_at_least_zero(&above, facts) || prover.is_at_least_zero(&below, facts) {
        return Some(Leaves::Always);
    }
    let is_natural = prover.is_at_least_zero(value, facts);
    let limit = extent.minus(value)?.plus(&Index::constant(-1))?;
    let is_below = prover.is_at_least_zero(&limit, facts);
    for fact in facts.iter() {
        let Fact::AtLeastZero(known) = fact else { continue };
        // `known` is `extent - value + more`.
        let more = known.plus(&above)?.as_constant();
        if let Some(more) = more.filter(|more| *more >= 0 && !is_below) {
            return Some(Leaves::Above(more));
        }
        let less = known.minus(value)?.as_constant();
        if let Some(less) = less.filter(|less| *less >= 1 && !is_natural) {
            return Some(Leaves::Below(less));
        }
    }
    None
}

//! Components of the vectors of OpenCL C: `v.x`, `v.s03`, `v.hi.even`.

use super::ranges::joined;
use layoutc_analysis::profile::Range;
use layoutc_syntax::{ExprId, ExprKind, Program, TypeKind};

/// The vector that an expression is components of; itself, if it is none of OpenCL C.
pub(super) fn vector_of(program: &Program, expr: ExprId) -> ExprId {
    let is_opencl = program.files[program.expr_site(expr).file.index()].is_opencl;
    let mut at = expr;
    while is_opencl && let ExprKind::Member { base, field: None, .. } = program.expr(at).kind {
        at = program.strip_parens(base);
    }
    at
}

/// The bytes of a vector that components of it, as an expression names them, lie in; none if they are not known.
pub(super) fn ranges_of(program: &Program, expr: ExprId, vector: ExprId) -> Option<Vec<Range>> {
    let TypeKind::Vector(ty) = *program.types.kind(program.expr(vector).ty.id) else {
        return None;
    };
    let lanes = chosen(program, expr, vector, u32::from(ty.lanes))?;
    let bytes = ty.scalar.size();
    let range = |lane: u32| Range { offset: u64::from(lane) * bytes, bytes };
    Some(joined(lanes.into_iter().map(range).collect())).filter(|found| !found.is_empty())
}

/// The lanes of the vector that an expression is, in its order.
fn chosen(program: &Program, expr: ExprId, vector: ExprId, lanes: u32) -> Option<Vec<u32>> {
    let expr = program.strip_parens(expr);
    if expr == vector {
        return Some((0..lanes).collect());
    }
    let ExprKind::Member { base, field: None, name, .. } = program.expr(expr).kind else {
        return None;
    };
    let of = chosen(program, base, vector, lanes)?;
    let lane = |at: usize| of.get(at).copied();
    positions(program.text(name), of.len())?.into_iter().map(lane).collect()
}

/// The components that a selector names, of a vector with so many (OpenCL C 1.2, §6.1.7).
fn positions(selector: &str, lanes: usize) -> Option<Vec<usize>> {
    // A vector of three has halves as if it had four.
    let half = lanes.next_power_of_two() / 2;
    let below = |own: &usize| *own < lanes;
    match selector {
        "lo" => return Some((0..half).collect()),
        "hi" => return Some((half..2 * half).filter(below).collect()),
        "even" => return Some((0..lanes).step_by(2).collect()),
        "odd" => return Some((1..lanes).step_by(2).collect()),
        _ => {}
    }
    let digits = selector.strip_prefix(['s', 'S']);
    let letters = digits.unwrap_or(selector).chars();
    let position = |letter: char| match digits {
        Some(_) => letter.to_digit(16).map(|digit| digit as usize),
        None => "xyzw".find(letter).or_else(|| "rgba".find(letter)),
    };
    letters.map(|letter| position(letter).filter(below)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_name_components() {
        for (selector, lanes, expected) in [
            ("x", 4, Some(vec![0])),
            ("wzyx", 4, Some(vec![3, 2, 1, 0])),
            ("rg", 4, Some(vec![0, 1])),
            ("s0F", 16, Some(vec![0, 15])),
            ("Sa", 16, Some(vec![10])),
            ("lo", 8, Some(vec![0, 1, 2, 3])),
            ("hi", 3, Some(vec![2])),
            ("lo", 3, Some(vec![0, 1])),
            ("hi", 2, Some(vec![1])),
            ("even", 4, Some(vec![0, 2])),
            ("odd", 3, Some(vec![1])),
            ("w", 3, None),
            ("s4", 4, None),
            ("length", 4, None),
        ] {
            assert_eq!(positions(selector, lanes), expected, "{selector} of {lanes}");
        }
    }
}

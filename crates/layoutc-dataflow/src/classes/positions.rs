//! `&u[e]`, where that is a place in an array of numbers or vectors: `u + e`.
//!
//! A number has no members around it, so its address is either a pointer into the array, from which
//! a range is copied or another index is counted, or the address of one value, for an atomic operation or
//! the like. An address of the first kind is a value of the array, and the element in it no access.

use super::calls::CallGraph;
use super::{Callee, Element};
use crate::catalogue::{self, Target};
use layoutc_syntax::{ExprId, ExprKind, Program, TypeKind};
use std::collections::{BTreeMap, BTreeSet};

/// Which addresses of numbers are places in their array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Addresses {
    /// What copies and fills are given.
    OfTransfers,
    /// All but what is dereferenced, cast, or given to code that is not the program's.
    Kept,
}

/// A pointer and the index that is added to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// `u` of `&u[e]`.
    pub base: ExprId,
    /// `e`.
    pub index: ExprId,
}

/// All such addresses of a program.
#[derive(Clone, Default, Debug)]
pub(super) struct Positions {
    /// By address.
    by_address: BTreeMap<ExprId, Position>,
    /// The element in each, with the parentheses around it.
    elements: BTreeSet<ExprId>,
}

impl Positions {
    /// Those of a program.
    pub(super) fn find(program: &Program, calls: &CallGraph, which: Addresses) -> Positions {
        let transfers = given_to_transfers(program, calls);
        let mut found = Positions::default();
        let values = match which {
            Addresses::OfTransfers => BTreeSet::new(),
            Addresses::Kept => used_as_values(program, calls),
        };
        for id in program.expr_ids() {
            let ExprKind::AddressOf(element) = program.expr(id).kind else { continue };
            let is_position =
                transfers.contains(&id) || which == Addresses::Kept && !values.contains(&id);
            let of = program.types.pointee(program.expr(id).ty.id);
            let is_of_numbers =
                of.and_then(|of| Element::of_item(program, of)).is_some_and(Element::is_leaf);
            if is_position
                && is_of_numbers
                && let Some((inner, position)) = position(program, element)
            {
                found.by_address.insert(id, position);
                found.elements.extend(inner);
            }
        }
        found
    }

    /// What the address of an element is made of, if it is a position.
    pub(super) fn of(&self, address: ExprId) -> Option<Position> {
        self.by_address.get(&address).copied()
    }

    /// Whether an expression is the element, or parentheses around it, of a position.
    pub(super) fn holds(&self, element: ExprId) -> bool {
        self.elements.contains(&element)
    }
}

/// The addresses that copies and fills are given.
fn given_to_transfers(program: &Program, calls: &CallGraph) -> BTreeSet<ExprId> {
    let mut found = BTreeSet::new();
    for expr in &program.exprs {
        let ExprKind::Call { callee, arguments, .. } = &expr.kind else { continue };
        let is_transfer = matches!(
            calls.callee(program, *callee, arguments),
            Callee::Library(name)
                if catalogue::row(&name)
                    .is_some_and(|row| row.is_of(Target::Cuda) && row.moves_bytes())
        );
        if is_transfer {
            let addresses = arguments.iter().map(|id| super::strip_casts(program, *id));
            let is_address = |id: &ExprId| matches!(program.expr(*id).kind, ExprKind::AddressOf(_));
            found.extend(addresses.filter(is_address));
        }
    }
    found
}

/// The addresses that are used as addresses of one value.
fn used_as_values(program: &Program, calls: &CallGraph) -> BTreeSet<ExprId> {
    let mut found = BTreeSet::new();
    for id in program.expr_ids() {
        let operands: Vec<ExprId> = match &program.expr(id).kind {
            ExprKind::Call { callee, arguments, .. } => {
                match calls.callee(program, *callee, arguments) {
                    Callee::Function(_) => continue,
                    Callee::Library(_) | Callee::Ambiguous(_) | Callee::Unknown => {
                        arguments.to_vec()
                    }
                }
            }
            ExprKind::Deref(operand) | ExprKind::Cast { operand, .. } => vec![*operand],
            ExprKind::MacroCall { .. } | ExprKind::Opaque(_) => {
                program.expr(id).children().collect()
            }
            _ => continue,
        };
        found.extend(operands.into_iter().map(|operand| program.strip_parens(operand)));
    }
    found
}

/// `u[e]` behind parentheses: all of these expressions, and what it is made of.
fn position(program: &Program, element: ExprId) -> Option<(Vec<ExprId>, Position)> {
    let mut at = element;
    let mut inner = vec![at];
    while let ExprKind::Paren(next) = program.expr(at).kind {
        if program.macro_role(at).is_some() {
            return None;
        }
        at = next;
        inner.push(at);
    }
    match program.expr(at).kind {
        ExprKind::Index { base, index, .. }
            if matches!(program.types.kind(program.expr(base).ty.id), TypeKind::Pointer(_)) =>
        {
            Some((inner, Position { base, index }))
        }
        _ => None,
    }
}

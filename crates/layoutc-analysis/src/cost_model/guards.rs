//! Conditions that let single threads pass, and statements that leave a function early.

use super::value::{Atom, Value};
use super::walk::{Walk, mirrored};
use crate::grid::Axis;
use layoutc_syntax::{BinaryOp, ExprId, ExprKind, Program, StmtId, StmtKind, UnaryOp, evaluate};
use std::collections::BTreeSet;

/// Which part of a kernel's threads gets somewhere.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Part {
    /// Of all threads.
    pub(super) lanes: f64,
    /// Of all warps: more, where a condition differs from lane to lane.
    pub(super) warps: f64,
    /// The first of those lanes.
    pub(super) phase: u64,
}

impl Part {
    /// All of them.
    pub(super) const ALL: Part = Part { lanes: 1.0, warps: 1.0, phase: 0 };
    /// Those that take a branch of which nothing is known but that lanes may part there.
    pub(super) const HALF: Part = Part { lanes: 0.5, warps: 1.0, phase: 0 };

    /// Warps as wholes.
    fn whole(part: f64) -> Part {
        Part { lanes: part, warps: part, phase: 0 }
    }

    /// Lanes of all warps.
    fn of_lanes(part: f64) -> Part {
        Part { lanes: part, warps: 1.0, phase: 0 }
    }

    /// Those of a part of them.
    pub(super) fn and(self, other: Part) -> Part {
        let period = (self.warps / self.lanes).round() as u64;
        Part {
            lanes: self.lanes * other.lanes,
            warps: self.warps * other.warps,
            phase: self.phase + period.max(1) * other.phase,
        }
    }

    /// Those of the one and those of the other.
    fn or(self, other: Part) -> Part {
        let either = |a: f64, b: f64| a + b - a * b;
        let (lanes, warps) = (self.lanes, self.warps);
        Part { lanes: either(lanes, other.lanes), warps: either(warps, other.warps), phase: 0 }
    }

    /// All others.
    fn not(self) -> Part {
        let lanes = (1.0 - self.lanes).max(BORDER);
        // Warps of which some lanes get there have others that do not.
        let is_mixed = self.lanes < self.warps;
        let phase = u64::from(is_mixed && self.phase == 0);
        Part { lanes, warps: if is_mixed { 1.0 } else { lanes }, phase }
    }
}

/// Which threads get to where the walk is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Threads {
    /// Which part of all.
    pub(super) part: Part,
    /// Whether it is one of its block.
    pub(super) is_single: bool,
}

/// What equalities say about a thread's place.
#[derive(Debug, Default)]
struct Pinned {
    threads: BTreeSet<Axis>,
    blocks: BTreeSet<Axis>,
}

impl Walk<'_> {
    /// The threads that a condition lets pass, or that it does not.
    pub(super) fn passing(&mut self, condition: ExprId, holds: bool) -> Threads {
        let mut pinned = Pinned::default();
        self.pin(condition, holds, &mut pinned);
        let Threads { part, is_single } = self.threads;
        // Single threads here and there.
        let program = self.program;
        if let ExprKind::Binary(op, left, right) =
            program.expr(program.strip_parens(condition)).kind
            && (op, holds) == (BinaryOp::LogicalOr, true)
        {
            let (left, right) = (self.passing(left, true), self.passing(right, true));
            if left.is_single && right.is_single && !is_single {
                let sum = |a: f64, b: f64| (a + b).min(1.0);
                let lanes = sum(left.part.lanes, right.part.lanes);
                let warps = sum(left.part.warps, right.part.warps);
                return Threads { part: Part { lanes, warps, phase: 0 }, is_single: true };
            }
        }
        let is_one = (Axis::ALL.into_iter())
            .all(|axis| self.block[axis.index()] == 1 || pinned.threads.contains(&axis));
        if is_one && !is_single && !pinned.threads.is_empty() {
            // One lane of one warp.
            let warps = self.block.iter().product::<u64>().div_ceil(WARP);
            let blocks = if pinned.blocks.is_empty() { 1 } else { self.blocks };
            let one = Part::whole(1.0 / warps.saturating_mul(blocks).max(1) as f64);
            return Threads { part: part.and(one), is_single: true };
        }
        if !pinned.blocks.is_empty() && pinned.threads.is_empty() {
            let one = Part::whole(1.0 / self.blocks.max(1) as f64);
            return Threads { part: part.and(one), is_single };
        }
        let passing = self.part_of(condition);
        let passing = if holds { passing } else { passing.not() };
        Threads { part: part.and(passing), is_single }
    }

    /// Which part of the threads a condition lets pass: comparisons of indices with bounds are guards
    /// that nearly all pass, equalities pick a few, remainders every so many, and of data nothing is known.
    pub(super) fn part_of(&mut self, condition: ExprId) -> Part {
        let program = self.program;
        match &program.expr(program.strip_parens(condition)).kind {
            ExprKind::Unary(UnaryOp::Not, inner) => self.part_of(*inner).not(),
            ExprKind::Binary(BinaryOp::LogicalAnd, left, right) => {
                self.part_of(*left).and(self.part_of(*right))
            }
            ExprKind::Binary(BinaryOp::LogicalOr, left, right) => {
                self.part_of(*left).or(self.part_of(*right))
            }
            ExprKind::Binary(op, left, right) => {
                if let Some(period) = self.period(*left) {
                    match op {
                        BinaryOp::Eq => return Part::of_lanes(1.0 / period),
                        BinaryOp::Ne => return Part::of_lanes(1.0 - 1.0 / period),
                        _ => {}
                    }
                }
                let (Some(left), Some(right)) = (self.index(*left), self.index(*right)) else {
                    return Part::HALF;
                };
                let varies = |this: &Self, value: &Value| {
                    let variation = this.symbols.variation(value);
                    variation.lanes || !variation.loops.is_empty()
                };
                let (op, bound) = match (varies(self, &left), varies(self, &right)) {
                    (true, false) => (*op, right),
                    (false, true) => (mirrored(*op), left),
                    (true, true) => {
                        let apart = left.minus(&right);
                        let is_same = apart.is_some_and(|by| !self.symbols.variation(&by).lanes);
                        return match (op, is_same) {
                            // Two indices are hardly ever equal.
                            (BinaryOp::Eq, true) => Part::whole(BORDER),
                            (BinaryOp::Eq, false) => Part::of_lanes(BORDER),
                            (BinaryOp::Ne, _) => Part::ALL,
                            (_, true) => Part::whole(0.5),
                            (_, false) => Part::HALF,
                        };
                    }
                    // All threads of a block go the same way.
                    (false, false) => return Part::whole(0.5),
                };
                self.note_launch_bound(condition, &bound);
                // Indices are not below 0, nor at the bounds that they are compared with.
                let is_zero = bound.as_constant().is_some_and(|bound| bound <= 0);
                match op {
                    BinaryOp::Ne => Part::ALL,
                    BinaryOp::Eq => Part::whole(BORDER),
                    BinaryOp::Lt | BinaryOp::Le if is_zero => Part::whole(BORDER),
                    BinaryOp::Gt | BinaryOp::Ge if is_zero => Part::ALL,
                    BinaryOp::Lt | BinaryOp::Le => Part::ALL,
                    BinaryOp::Gt | BinaryOp::Ge => Part::whole(BORDER),
                    _ => Part::HALF,
                }
            }
            _ => Part::HALF,
        }
    }

    /// How many neighbouring lanes a small remainder tells apart.
    fn period(&mut self, expr: ExprId) -> Option<f64> {
        let program = self.program;
        let ExprKind::Binary(op @ (BinaryOp::Rem | BinaryOp::And), left, right) =
            program.expr(program.strip_parens(expr)).kind
        else {
            return None;
        };
        let period = match (op, evaluate::constant(program, right)?) {
            (BinaryOp::Rem, by) => by,
            // `i & 1`: a mask of the lowest bits.
            (_, mask) if (mask + 1).count_ones() == 1 => mask + 1,
            _ => return None,
        };
        let index = self.index(left)?;
        let is_small = (2..=WARP as i64).contains(&period);
        (is_small && self.symbols.is_affine(&index) && self.symbols.variation(&index).lanes)
            .then_some(period as f64)
    }

    /// Adds what must be so if a condition holds, or does not.
    fn pin(&mut self, condition: ExprId, holds: bool, pinned: &mut Pinned) {
        let program = self.program;
        match &program.expr(program.strip_parens(condition)).kind {
            ExprKind::Unary(UnaryOp::Not, inner) => {
                let inner = *inner;
                match self.index(inner) {
                    Some(value) if !holds => self.pin_value(&value, &Value::constant(0), pinned),
                    _ => self.pin(inner, !holds, pinned),
                }
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (*left, *right);
                match (op, holds) {
                    (BinaryOp::LogicalAnd, true) | (BinaryOp::LogicalOr, false) => {
                        self.pin(left, holds, pinned);
                        self.pin(right, holds, pinned);
                    }
                    (BinaryOp::Eq, true) | (BinaryOp::Ne, false) => {
                        if let (Some(left), Some(right)) = (self.index(left), self.index(right)) {
                            self.pin_value(&left, &right, pinned);
                        }
                    }
                    // `threadIdx.x > 0`, `threadIdx.x < 1`.
                    (BinaryOp::Gt, false) | (BinaryOp::Lt, true) => {
                        let border = i64::from(holds);
                        if let (Some(left), Some(right)) = (self.index(left), self.index(right))
                            && right.as_constant() == Some(border)
                        {
                            self.pin_value(&left, &right, pinned);
                        }
                    }
                    _ => {}
                }
            }
            // `if (threadIdx.x) return;`
            _ if !holds => {
                if let Some(value) = self.index(condition) {
                    self.pin_value(&value, &Value::constant(0), pinned);
                }
            }
            _ => {}
        }
    }

    /// Two values are equal: one of them is made of the thread's place, the other is the same for all.
    fn pin_value(&mut self, left: &Value, right: &Value, pinned: &mut Pinned) {
        let Some(difference) = left.minus(right) else { return };
        let atoms = difference.atoms();
        let is_open = atoms.iter().any(|atom| match atom {
            Atom::Symbol(_) => self.symbols.variation(&Value::atom(*atom)).lanes,
            _ => false,
        });
        if is_open {
            return;
        }
        for atom in atoms {
            match atom {
                Atom::Thread(axis) => {
                    pinned.threads.insert(axis);
                }
                Atom::Block(axis) => {
                    pinned.blocks.insert(axis);
                }
                Atom::Trip(_) | Atom::Root(_) | Atom::Object(_) | Atom::Symbol(_) => {}
            }
        }
    }

    /// Goes on with those that have not left.
    pub(super) fn stay(&mut self, staying: Threads) {
        // Guards turn few away.
        let few = self.threads.part.lanes * (1.0 - BORDER);
        if staying.part.lanes < few || staying.is_single != self.threads.is_single {
            self.threads = staying;
        }
    }
}

/// Lanes of a warp.
const WARP: u64 = 32;
/// The part of the threads at a border.
pub(super) const BORDER: f64 = 1.0 / 32.0;

/// What a statement leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Leaving {
    /// The function.
    Function,
    /// The trip of the loop around it, or all trips.
    Trip,
}

/// What a statement always leaves.
pub(super) fn leaves(program: &Program, stmt: StmtId) -> Option<Leaving> {
    match &program.stmt(stmt).kind {
        StmtKind::Return(_) => Some(Leaving::Function),
        StmtKind::Continue | StmtKind::Break => Some(Leaving::Trip),
        StmtKind::Block(stmts) => leaves(program, *stmts.last()?),
        _ => None,
    }
}

//! What runs after what, as the walk goes through it.

use super::guards::leaves;
use super::value::{Atom, Value};
use super::walk::{Walk, mirrored};
use crate::cost::flow::{LoopRange, Step};
use layoutc_dataflow::catalogue::builtins::Builtin;
use layoutc_syntax::{BinaryOp, ExprId, ExprKind, NameRef, StmtId, StmtKind, VarId};
use std::collections::BTreeMap;

/// The part of the threads that guards let pass, at least: those of three borders are turned away.
const NEARLY_ALL: f64 = 0.9;

impl Walk<'_> {
    /// Adds a step; none while loops are only rehearsed, and none that does nothing.
    pub(super) fn step(&mut self, step: Step) {
        let is_empty = match &step {
            Step::Access(_) | Step::Leave(_) => false,
            Step::Loop { body, .. } | Step::Once(body) | Step::Call(body) => body.is_empty(),
            Step::Branch(ways) => ways.iter().all(Vec::is_empty),
            Step::Guard { usual, rare } => usual.is_empty() && rare.is_empty(),
        };
        if self.rehearsals == 0 && !is_empty {
            self.flow.push(step);
        }
    }

    /// The steps of a part of the walk.
    pub(super) fn apart(&mut self, part: impl FnOnce(&mut Self)) -> Vec<Step> {
        let around = std::mem::take(&mut self.flow);
        part(self);
        std::mem::replace(&mut self.flow, around)
    }

    /// The value of an expression, and its steps.
    pub(super) fn apart_value(&mut self, expr: ExprId) -> (Value, Vec<Step>) {
        let around = std::mem::take(&mut self.flow);
        let value = self.value(expr);
        (value, std::mem::replace(&mut self.flow, around))
    }

    /// Adds the two ways of a condition; `part` of the threads take the first.
    pub(super) fn branch(&mut self, part: f64, first: Vec<Step>, second: Vec<Step>) {
        self.step(if part >= NEARLY_ALL {
            Step::Guard { usual: first, rare: second }
        } else if part <= 1.0 - NEARLY_ALL {
            Step::Guard { usual: second, rare: first }
        } else {
            Step::Branch(vec![first, second])
        });
    }

    /// Walks the body of a `switch`: each label begins a way, and what falls through to the next is in front
    /// of it or is not.
    pub(super) fn switch(&mut self, body: StmtId) {
        let program = self.program;
        let stmts: &[StmtId] = match &program.stmt(body).kind {
            StmtKind::Block(stmts) => stmts,
            _ => &[body],
        };
        let mut ways = Vec::new();
        let mut way: Vec<Step> = Vec::new();
        for stmt in stmts {
            let is_label = matches!(program.stmt(*stmt).kind, StmtKind::Labelled { .. });
            if is_label && !way.is_empty() {
                way = vec![Step::Branch(vec![way, Vec::new()])];
            }
            way.extend(self.apart(|walk| walk.statement(*stmt)));
            let last = match &program.stmt(*stmt).kind {
                StmtKind::Labelled { body, .. } => body.last(),
                _ => Some(stmt),
            };
            if last.is_some_and(|last| leaves(program, *last).is_some()) {
                ways.push(std::mem::take(&mut way));
            }
        }
        ways.extend([way, Vec::new()]);
        if ways.iter().any(|way| !way.is_empty()) {
            self.step(Step::Once(vec![Step::Branch(ways)]));
        }
    }

    /// A thread's place in the launch is compared with a bound: that is the number of threads.
    pub(super) fn note_launch_bound(&mut self, condition: ExprId, bound: &Value) {
        let program = self.program;
        let ExprKind::Binary(_, left, right) = program.expr(program.strip_parens(condition)).kind
        else {
            return;
        };
        let is_place = [left, right].into_iter().any(|side| {
            self.index(side).is_some_and(|value| {
                let atoms = value.atoms();
                atoms.iter().any(|atom| matches!(atom, Atom::Thread(_)))
                    && atoms.iter().any(|atom| matches!(atom, Atom::Block(_)))
            })
        });
        if is_place && bound.as_constant().is_none() && !self.launch_bounds.contains(bound) {
            self.launch_bounds.push(bound.clone());
        }
    }

    /// What a loop goes through in steps of one whose condition compares a counter with a bound.
    pub(super) fn range(
        &mut self,
        condition: ExprId,
        start: &BTreeMap<VarId, Value>,
        steps: &BTreeMap<VarId, Value>,
    ) -> LoopRange {
        let program = self.program;
        let ExprKind::Binary(op, left, right) = program.expr(program.strip_parens(condition)).kind
        else {
            return LoopRange::Unknown;
        };
        let counter = |expr: ExprId| match program.expr(program.strip_parens(expr)).kind {
            ExprKind::Name(NameRef::Variable(id)) => {
                Some((start.get(&id)?, steps.get(&id)?.as_constant()?))
            }
            _ => None,
        };
        let (from, by, bound, op) = match (counter(left), counter(right)) {
            (Some((from, by)), None) => (from, by, right, op),
            (None, Some((from, by))) => (from, by, left, mirrored(op)),
            _ => return LoopRange::Unknown,
        };
        if by != 1 || !matches!(op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Ne) {
            return LoopRange::Unknown;
        }
        if from.as_constant().is_none() {
            return LoopRange::Unknown;
        }
        self.rehearsals += 1;
        let bound = self.value(bound);
        self.rehearsals -= 1;
        if self.launch_bounds.contains(&bound) {
            return LoopRange::Launch;
        }
        let mut terms = bound.terms();
        let (Some((factors, 1)), None) = (terms.next(), terms.next()) else {
            return LoopRange::Unknown;
        };
        let names: Vec<Option<Builtin>> = (factors.iter())
            .map(|factor| match factor {
                Atom::Symbol(symbol) => self.symbols.size_of_launch(*symbol),
                _ => None,
            })
            .collect();
        let is_made_of = |size: Builtin| names.contains(&Some(size));
        match names.iter().all(Option::is_some) && is_made_of(Builtin::BlockSize) {
            true if is_made_of(Builtin::GridSize) => LoopRange::Launch,
            true => LoopRange::Block,
            false => LoopRange::Unknown,
        }
    }
}

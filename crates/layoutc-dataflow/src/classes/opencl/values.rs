//! Integer constants along a function's statements: `clSetKernelArg(k, arg++, …)`, also in loops with few rounds.

use layoutc_syntax::evaluate::constant;
use layoutc_syntax::{
    BinaryOp, ExprId, ExprKind, NameRef, Program, StmtId, StmtKind, TypeKind, UnaryOp, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// The most values of one expression, and the most rounds of a loop that are looked at one by one.
const MOST_VALUES: i64 = 64;

/// The most rounds that are looked at in one function.
const MOST_ROUNDS: usize = 4096;

/// The values of integer arguments and subscripts in one function.
#[derive(Clone, Debug, Default)]
pub(super) struct Integers(BTreeMap<ExprId, BTreeSet<i64>>);

impl Integers {
    /// The value that an expression has each time.
    pub(super) fn one(&self, id: ExprId) -> Option<i64> {
        let mut all = self.0.get(&id)?.iter();
        all.next().copied().filter(|_| all.next().is_none())
    }

    /// The values that an expression has.
    pub(super) fn all(&self, id: ExprId) -> Option<&BTreeSet<i64>> {
        self.0.get(&id)
    }
}

/// The values of integer arguments and subscripts in one function, where its parameters have these.
///
/// *Claim:* one with values has one of them each time that the call is evaluated.
pub(super) fn integer_arguments(
    program: &Program,
    body: StmtId,
    parameters: BTreeMap<VarId, i64>,
    address_taken: &BTreeSet<VarId>,
) -> Integers {
    let mut walk = Walk {
        program,
        values: parameters.into_iter().filter(|(id, _)| !address_taken.contains(id)).collect(),
        address_taken,
        found: BTreeMap::new(),
        rounds: 0,
    };
    walk.statement(body);
    Integers(walk.found.into_iter().filter_map(|(id, values)| Some((id, values?))).collect())
}

struct Walk<'a> {
    program: &'a Program,
    values: BTreeMap<VarId, i64>,
    address_taken: &'a BTreeSet<VarId>,
    /// None if an evaluation has no value, or there are too many.
    found: BTreeMap<ExprId, Option<BTreeSet<i64>>>,
    /// Rounds of loops that were looked at one by one.
    rounds: usize,
}

impl Walk<'_> {
    fn statement(&mut self, id: StmtId) {
        match &self.program.stmt(id).kind {
            StmtKind::Expr(expr) => {
                if let Some(expr) = expr {
                    self.expr(*expr);
                }
            }
            StmtKind::Declaration(_, variables) => {
                for id in variables {
                    let value = self.program.variable(*id).init.and_then(|init| self.expr(init));
                    self.set(*id, value);
                }
            }
            StmtKind::Block(body) => body.iter().for_each(|stmt| self.statement(*stmt)),
            StmtKind::If { init, condition, then, otherwise } => {
                init.iter().for_each(|stmt| self.statement(*stmt));
                condition.iter().for_each(|expr| {
                    self.expr(*expr);
                });
                let before = self.values.clone();
                self.statement(*then);
                let behind = std::mem::replace(&mut self.values, before);
                otherwise.iter().for_each(|stmt| self.statement(*stmt));
                self.values.retain(|id, value| behind.get(id) == Some(value));
            }
            StmtKind::Return(value) => value.iter().for_each(|expr| {
                self.expr(*expr);
            }),
            StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) => {}
            // What any round may have changed has no value before a round, nor behind the loop.
            StmtKind::For { init, condition, step, body } => {
                init.iter().for_each(|stmt| self.statement(*stmt));
                let counter = step.and_then(|step| self.counter(step));
                let first = counter.and_then(|counter| self.values.get(&counter).copied());
                self.forget_changed(id);
                match self.rounds_of(counter, first, *condition, *body) {
                    Some((counter, rounds)) => {
                        for value in rounds {
                            self.values.insert(counter, value);
                            condition.iter().for_each(|expr| {
                                self.expr(*expr);
                            });
                            self.statement(*body);
                            self.forget_changed(id);
                        }
                    }
                    None => {
                        condition.iter().for_each(|expr| {
                            self.expr(*expr);
                        });
                        self.statement(*body);
                    }
                }
                self.forget_changed(id);
                step.iter().for_each(|expr| {
                    self.expr(*expr);
                });
                self.forget_changed(id);
            }
            StmtKind::While { init: None, condition, body } => {
                self.forget_changed(id);
                condition.iter().for_each(|expr| {
                    self.expr(*expr);
                });
                self.statement(*body);
                self.forget_changed(id);
            }
            // `do { … } while (0)` of a macro is a block, unless something in it leaves.
            StmtKind::DoWhile { body, condition }
                if constant(self.program, *condition) == Some(0) && !self.leaves(*body) =>
            {
                self.statement(*body);
            }
            StmtKind::DoWhile { body, condition } => {
                self.forget_changed(id);
                self.statement(*body);
                self.forget_changed(id);
                self.expr(*condition);
                self.forget_changed(id);
            }
            // A handler runs after any part of the block.
            StmtKind::Try(parts) => {
                for part in parts {
                    self.statement(*part);
                    self.forget_changed(id);
                }
            }
            StmtKind::ForRange { .. }
            | StmtKind::While { .. }
            | StmtKind::Switch { .. }
            | StmtKind::Labelled { .. }
            | StmtKind::Asm(_)
            | StmtKind::Nothing(_)
            | StmtKind::Opaque { .. } => self.any_order(id),
        }
    }

    /// Whether a statement in another ends it, or the round of a loop, early.
    fn leaves(&self, id: StmtId) -> bool {
        let mut stmts = vec![id];
        while let Some(at) = stmts.pop() {
            match self.program.stmt(at).kind {
                StmtKind::Break
                | StmtKind::Continue
                | StmtKind::Goto(_)
                | StmtKind::Labelled { .. }
                | StmtKind::Opaque { .. } => return true,
                _ => parts(self.program, at, &mut stmts, &mut Vec::new()),
            }
        }
        false
    }

    /// The variable that the step of a loop counts up by one.
    fn counter(&self, step: ExprId) -> Option<VarId> {
        let program = self.program;
        let counted = match program.expr(program.strip_parens(step)).kind {
            ExprKind::Unary(UnaryOp::PreIncrement | UnaryOp::PostIncrement, of) => of,
            ExprKind::Assign(Some(BinaryOp::Add), of, by) if constant(program, by) == Some(1) => of,
            _ => return None,
        };
        let counter = self.variable(counted)?;
        let is_integer = matches!(program.types.kind(program.variable(counter).ty.id),
            TypeKind::Scalar(scalar) if scalar.is_integer() && scalar.size() >= 4);
        (is_integer && !self.address_taken.contains(&counter)).then_some(counter)
    }

    /// The values of a counter in the rounds of a loop: from the first to a bound that no round changes. Others it does not
    /// have, whether the loop ends early or not.
    fn rounds_of(
        &mut self,
        counter: Option<VarId>,
        first: Option<i64>,
        condition: Option<ExprId>,
        body: StmtId,
    ) -> Option<(VarId, std::ops::Range<i64>)> {
        let program = self.program;
        let (counter, first) = (counter?, first?);
        let ExprKind::Binary(op, left, right) = program.expr(program.strip_parens(condition?)).kind
        else {
            return None;
        };
        if self.variable(left) != Some(counter) || self.changes(body, counter) {
            return None;
        }
        let bound = match self.variable(right) {
            // What a round changes is forgotten already.
            Some(bound) => *self.values.get(&bound)?,
            None => constant(program, right)?,
        };
        let end = match op {
            BinaryOp::Lt => bound,
            BinaryOp::Le => bound.checked_add(1)?,
            BinaryOp::Ne if first <= bound => bound,
            _ => return None,
        };
        let count = usize::try_from(end.checked_sub(first)?).ok()?;
        let is_few = first >= 0 && count <= MOST_VALUES as usize;
        if !is_few || self.rounds + count > MOST_ROUNDS {
            return None;
        }
        self.rounds += count;
        Some((counter, first..end))
    }

    /// Whether a statement changes a variable.
    fn changes(&mut self, id: StmtId, variable: VarId) -> bool {
        let before = self.values.insert(variable, 0);
        let values = self.values.clone();
        self.forget_changed(id);
        let is_changed = !self.values.contains_key(&variable);
        self.values = values;
        match before {
            Some(before) => self.values.insert(variable, before),
            None => self.values.remove(&variable),
        };
        is_changed
    }

    /// A statement of which parts may run in any order and number, or of which text may be jumped
    /// to from anywhere.
    fn any_order(&mut self, id: StmtId) {
        let has_label = matches!(self.program.stmt(id).kind, StmtKind::Labelled { .. });
        if has_label {
            self.values.clear();
        }
        let exprs = self.forget_changed(id);
        let before = self.values.clone();
        for expr in exprs {
            self.expr(expr);
            self.values.clone_from(&before);
        }
    }

    /// Forgets what a statement changes; the expressions in it.
    fn forget_changed(&mut self, id: StmtId) -> Vec<ExprId> {
        let (mut stmts, mut exprs) = (vec![id], Vec::new());
        while let Some(at) = stmts.pop() {
            parts(self.program, at, &mut stmts, &mut exprs);
            if let StmtKind::Declaration(_, variables) = &self.program.stmt(at).kind {
                for id in variables {
                    self.values.remove(id);
                }
            }
        }
        let mut below = exprs.clone();
        while let Some(at) = below.pop() {
            if let Some(changed) = changed(self.program, at) {
                self.values.remove(&changed);
            }
            below.extend(self.program.expr(at).children());
            if let ExprKind::Lambda { body, .. } = self.program.expr(at).kind {
                self.any_order_lambda(body, &mut below);
            }
        }
        exprs
    }

    fn any_order_lambda(&mut self, body: StmtId, below: &mut Vec<ExprId>) {
        let mut stmts = vec![body];
        while let Some(at) = stmts.pop() {
            parts(self.program, at, &mut stmts, below);
        }
    }

    fn set(&mut self, id: VarId, value: Option<i64>) {
        match value.filter(|_| !self.address_taken.contains(&id)) {
            Some(value) => self.values.insert(id, value),
            None => self.values.remove(&id),
        };
    }

    fn note(&mut self, id: ExprId, value: Option<i64>) {
        let known = self.found.entry(id).or_insert_with(|| Some(BTreeSet::new()));
        match (known.as_mut(), value) {
            (Some(values), Some(value)) if values.len() < MOST_VALUES as usize => {
                values.insert(value);
            }
            _ => *known = None,
        }
    }

    fn variable(&self, expr: ExprId) -> Option<VarId> {
        match self.program.expr(self.program.strip_parens(expr)).kind {
            ExprKind::Name(NameRef::Variable(id)) => Some(id),
            _ => None,
        }
    }

    /// Evaluates an expression, with what it changes.
    fn expr(&mut self, id: ExprId) -> Option<i64> {
        let program = self.program;
        match &program.expr(id).kind {
            ExprKind::Name(NameRef::Variable(variable)) => {
                self.values.get(variable).copied().or_else(|| constant(program, id))
            }
            ExprKind::Paren(inner) => self.expr(*inner),
            ExprKind::Cast { target, operand, .. } => {
                let value = self.expr(*operand)?;
                let is_integer = matches!(program.types.kind(target.id),
                    TypeKind::Scalar(scalar) if scalar.is_integer() && scalar.size() >= 4);
                (is_integer && (0..1 << 31).contains(&value)).then_some(value)
            }
            ExprKind::Unary(op, operand) if op.is_update() => {
                let before = self.expr(*operand);
                let behind = before.and_then(|value| match op {
                    UnaryOp::PreIncrement | UnaryOp::PostIncrement => value.checked_add(1),
                    _ => value.checked_sub(1),
                });
                if let Some(variable) = self.variable(*operand) {
                    self.set(variable, behind);
                }
                match op {
                    UnaryOp::PostIncrement | UnaryOp::PostDecrement => before,
                    _ => behind,
                }
            }
            ExprKind::Assign(op, left, right) => {
                let old = op.and_then(|_| self.expr(*left));
                let value = self.expr(*right);
                let value = match op {
                    None => value,
                    Some(BinaryOp::Add) => old.zip(value).and_then(|(l, r)| l.checked_add(r)),
                    Some(BinaryOp::Sub) => old.zip(value).and_then(|(l, r)| l.checked_sub(r)),
                    Some(_) => None,
                };
                match self.variable(*left) {
                    Some(variable) => self.set(variable, value),
                    None => {
                        self.expr(*left);
                    }
                }
                value
            }
            ExprKind::Binary(BinaryOp::LogicalAnd | BinaryOp::LogicalOr, left, right) => {
                self.expr(*left);
                let before = self.values.clone();
                self.expr(*right);
                self.values.retain(|id, value| before.get(id) == Some(value));
                None
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.expr(*left), self.expr(*right));
                let (left, right) = (left?, right?);
                match op {
                    BinaryOp::Add => left.checked_add(right),
                    BinaryOp::Sub => left.checked_sub(right),
                    BinaryOp::Mul => left.checked_mul(right),
                    _ => None,
                }
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                self.expr(*condition);
                let before = self.values.clone();
                self.expr(*then);
                let behind = std::mem::replace(&mut self.values, before);
                self.expr(*otherwise);
                self.values.retain(|id, value| behind.get(id) == Some(value));
                None
            }
            ExprKind::Call { callee, arguments, .. } => {
                self.expr(*callee);
                for argument in arguments {
                    let value = self.expr(*argument);
                    self.note(*argument, value);
                }
                None
            }
            ExprKind::Lambda { body, .. } => {
                self.any_order(*body);
                None
            }
            ExprKind::Index { base, index, .. } => {
                self.expr(*base);
                let value = self.expr(*index);
                self.note(*index, value);
                constant(program, id)
            }
            _ => {
                for child in program.expr(id).children() {
                    self.expr(child);
                }
                constant(program, id)
            }
        }
    }
}

/// The variable that an expression changes.
fn changed(program: &Program, id: ExprId) -> Option<VarId> {
    let target = match program.expr(id).kind {
        ExprKind::Assign(_, left, _) => left,
        ExprKind::Unary(op, operand) if op.is_update() => operand,
        _ => return None,
    };
    match program.expr(program.strip_parens(target)).kind {
        ExprKind::Name(NameRef::Variable(id)) => Some(id),
        _ => None,
    }
}

/// Statements and expressions directly in a statement.
fn parts(program: &Program, id: StmtId, stmts: &mut Vec<StmtId>, exprs: &mut Vec<ExprId>) {
    match &program.stmt(id).kind {
        StmtKind::Expr(expr) | StmtKind::Return(expr) => exprs.extend(expr),
        StmtKind::Declaration(_, variables) => {
            exprs.extend(variables.iter().filter_map(|id| program.variable(*id).init));
        }
        StmtKind::Block(body) | StmtKind::Try(body) => stmts.extend(body),
        StmtKind::If { init, condition, then, otherwise } => {
            stmts.extend(init);
            stmts.push(*then);
            stmts.extend(otherwise);
            exprs.extend(condition);
        }
        StmtKind::For { init, condition, step, body } => {
            stmts.extend(init);
            stmts.push(*body);
            exprs.extend(condition);
            exprs.extend(step);
        }
        StmtKind::ForRange { variable, range, body } => {
            exprs.push(*range);
            exprs.extend(variable.iter().filter_map(|id| program.variable(*id).init));
            stmts.push(*body);
        }
        StmtKind::While { init, condition, body } | StmtKind::Switch { init, condition, body } => {
            stmts.extend(init);
            stmts.push(*body);
            exprs.extend(condition);
        }
        StmtKind::DoWhile { body, condition } => {
            stmts.push(*body);
            exprs.push(*condition);
        }
        StmtKind::Labelled { value, body, .. } => {
            stmts.extend(body);
            exprs.extend(value);
        }
        StmtKind::Asm(operands) | StmtKind::Nothing(operands) => exprs.extend(operands),
        StmtKind::Opaque { exprs: own, stmts: inner } => {
            stmts.extend(inner);
            exprs.extend(own);
        }
        StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) => {}
    }
}

//! Where a call stands among the statements around it.

use layoutc_syntax::{
    BinaryOp, ExprId, ExprKind, FunctionId, Parents, Program, StmtId, StmtKind, evaluate,
};
use std::collections::BTreeMap;

/// Statements with what is around them.
pub(super) struct Statements {
    pub(super) parents: Parents,
    /// The statement that evaluates an expression, and whether as a statement of its own, the
    /// value of a declared variable, or the condition of an `if`.
    roots: BTreeMap<ExprId, (StmtId, bool)>,
    around: BTreeMap<StmtId, StmtId>,
    bodies: BTreeMap<StmtId, FunctionId>,
}

/// A place in a list of statements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Position {
    /// The function.
    pub(super) function: FunctionId,
    /// The block.
    pub(super) list: StmtId,
    /// The statement in it.
    pub(super) index: usize,
    /// Whether the call is always executed with that statement, where the guards hold.
    pub(super) is_certain: bool,
    /// Conditions of the statements `if (c) …` around it.
    pub(super) guards: Vec<ExprId>,
}

impl Position {
    /// Whether the call is always executed with its statement.
    pub(super) fn is_unconditional(&self) -> bool {
        self.is_certain && self.guards.is_empty()
    }
}

impl Statements {
    pub(super) fn new(program: &Program) -> Self {
        let mut this = Statements {
            parents: Parents::new(program),
            roots: BTreeMap::new(),
            around: BTreeMap::new(),
            bodies: BTreeMap::new(),
        };
        for function in program.function_ids() {
            if let Some(body) = program.function(function).body {
                this.bodies.insert(body, function);
            }
        }
        for stmt in program.stmt_ids() {
            this.add(program, stmt);
        }
        this
    }

    fn add(&mut self, program: &Program, id: StmtId) {
        let mut inner = Vec::new();
        let mut exprs: Vec<(ExprId, bool)> = Vec::new();
        match &program.stmt(id).kind {
            StmtKind::Expr(expr) => exprs.extend(expr.map(|expr| (expr, true))),
            StmtKind::Declaration(_, variables) => {
                let inits = variables.iter().filter_map(|id| program.variable(*id).init);
                exprs.extend(inits.map(|init| (init, true)));
            }
            StmtKind::Block(children) => inner.extend(children),
            StmtKind::If { init, condition, then, otherwise } => {
                exprs.extend(condition.map(|condition| (condition, true)));
                inner.extend(init.iter().chain([then]).chain(otherwise));
            }
            StmtKind::For { init, condition, step, body } => {
                exprs.extend(condition.iter().chain(step).map(|expr| (*expr, false)));
                inner.extend(init.iter().chain([body]));
            }
            StmtKind::ForRange { range, body, .. } => {
                exprs.push((*range, false));
                inner.push(*body);
            }
            StmtKind::While { init, condition, body }
            | StmtKind::Switch { init, condition, body } => {
                exprs.extend(condition.map(|condition| (condition, false)));
                inner.extend(init.iter().chain([body]));
            }
            StmtKind::DoWhile { body, condition } => {
                exprs.push((*condition, false));
                inner.push(*body);
            }
            StmtKind::Labelled { value, body, .. } => {
                exprs.extend(value.map(|value| (value, false)));
                inner.extend(body);
            }
            StmtKind::Return(value) => exprs.extend(value.map(|value| (value, false))),
            // An exception leaves a block as `return` does.
            StmtKind::Try(blocks) => inner.extend(blocks),
            // What they hold is executed in no order that is followed: it has no place.
            StmtKind::Asm(_)
            | StmtKind::Nothing(_)
            | StmtKind::Opaque { .. }
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_) => {}
        }
        self.around.extend(inner.into_iter().map(|inner| (inner, id)));
        self.roots.extend(exprs.into_iter().map(|(expr, plain)| (expr, (id, plain))));
    }

    /// The innermost list of statements, written outside of macros, that holds a call which is executed at most
    /// once for each time that the list is.
    pub(super) fn position(&self, program: &Program, call: ExprId) -> Option<Position> {
        let mut is_certain = true;
        let mut guards = Vec::new();
        let mut at = call;
        while let Some((parent, position)) = self.parents.of(at) {
            match program.expr(parent).kind {
                ExprKind::Binary(BinaryOp::LogicalAnd | BinaryOp::LogicalOr, ..)
                | ExprKind::Conditional(..)
                    if position > 0 =>
                {
                    is_certain = false;
                }
                ExprKind::Lambda { .. } | ExprKind::Opaque(_) => return None,
                _ => {}
            }
            at = parent;
        }
        let (mut stmt, is_plain) = *self.roots.get(&at)?;
        if !is_plain {
            return None;
        }
        loop {
            let around = *self.around.get(&stmt)?;
            let home = program.stmt_homes.of(around.index());
            // The use of a macro is a block around the statements of its body.
            let is_macro = home.is_some() || home != program.stmt_homes.of(stmt.index());
            match &program.stmt(around).kind {
                StmtKind::Block(children) if !is_macro => {
                    let index = children.iter().position(|child| *child == stmt)?;
                    let function = self.function(around)?;
                    return Some(Position { function, list: around, index, is_certain, guards });
                }
                StmtKind::Block(_) => {}
                StmtKind::DoWhile { condition, .. }
                    if home.is_some() && evaluate::constant(program, *condition) == Some(0) => {}
                StmtKind::If { init, .. } if *init == Some(stmt) => {}
                StmtKind::If { init: None, condition: Some(condition), then, .. }
                    if *then == stmt =>
                {
                    guards.push(*condition);
                }
                StmtKind::If { .. } => is_certain = false,
                _ => return None,
            }
            stmt = around;
        }
    }

    fn function(&self, mut stmt: StmtId) -> Option<FunctionId> {
        while let Some(around) = self.around.get(&stmt) {
            stmt = *around;
        }
        self.bodies.get(&stmt).copied()
    }
}

//! The loops of the host around launches.

use crate::cost::kernel::Trips;
use crate::grid_model::constant_of;
use crate::index_form::Definitions;
use layoutc_dataflow::classes::{Callee, resolve_callee};
use layoutc_syntax::{
    BinaryOp, ExprId, ExprKind, FunctionId, NameRef, Program, StmtId, StmtKind, UnaryOp, VarId,
    evaluate,
};
use std::collections::BTreeMap;

/// How deep callers are followed, and definitions.
const DEPTH: usize = 16;

/// Where host functions launch and call, and in which loops.
pub(super) struct Repeats {
    /// The loops around each call and launch, outermost first, and the function that it stands in.
    around: BTreeMap<ExprId, (FunctionId, Vec<Trips>)>,
    /// The calls of each function.
    calls: BTreeMap<FunctionId, Vec<ExprId>>,
}

impl Repeats {
    /// All calls and launches of a program.
    pub(super) fn new(program: &Program, definitions: &Definitions) -> Self {
        let mut this = Repeats { around: BTreeMap::new(), calls: BTreeMap::new() };
        for id in program.function_ids() {
            let function = program.function(id);
            let Some(body) = function.body.filter(|_| function.space.on_host()) else { continue };
            let mut pending: Vec<(StmtId, Vec<Trips>)> = vec![(body, Vec::new())];
            while let Some((stmt, loops)) = pending.pop() {
                let (inner, roots, declared) = program.stmt(stmt).parts();
                let mut inside = loops.clone();
                inside.extend(trips(program, definitions, stmt));
                let mut exprs: Vec<ExprId> = roots;
                exprs.extend(declared.iter().filter_map(|id| program.variable(*id).init));
                while let Some(expr) = exprs.pop() {
                    match &program.expr(expr).kind {
                        ExprKind::Launch { .. } => {
                            this.around.insert(expr, (id, inside.clone()));
                        }
                        ExprKind::Call { callee, arguments, .. } => {
                            this.around.insert(expr, (id, inside.clone()));
                            if let Callee::Function(callee) =
                                resolve_callee(program, *callee, arguments)
                            {
                                this.calls.entry(callee).or_default().push(expr);
                            }
                        }
                        _ => {}
                    }
                    exprs.extend(program.expr(expr).children());
                }
                pending.extend(inner.into_iter().map(|inner| (inner, inside.clone())));
            }
        }
        this
    }

    /// The loops around the launch of these that runs most often.
    pub(super) fn of(&self, sites: &[ExprId]) -> Vec<Trips> {
        self.most(sites, DEPTH)
    }

    fn most(&self, sites: &[ExprId], depth: usize) -> Vec<Trips> {
        let weight = |loops: &Vec<Trips>| {
            let dynamic = loops.iter().filter(|trips| !matches!(trips, Trips::Known(_))).count();
            let known = loops.iter().fold(1_u64, |product, trips| match trips {
                Trips::Known(trips) => product.saturating_mul((*trips).max(1)),
                Trips::Dynamic | Trips::Steps(_) => product,
            });
            (dynamic, known)
        };
        let around = |site: &ExprId| {
            let (function, loops) = self.around.get(site)?;
            let mut all = match (depth.checked_sub(1), self.calls.get(function)) {
                (Some(depth), Some(calls)) => self.most(calls, depth),
                _ => Vec::new(),
            };
            all.extend(loops);
            Some(all)
        };
        sites.iter().filter_map(around).max_by_key(weight).unwrap_or_default()
    }
}

/// How often the body of a loop runs; `None` for what is no loop.
fn trips(program: &Program, definitions: &Definitions, stmt: StmtId) -> Option<Trips> {
    match &program.stmt(stmt).kind {
        StmtKind::For { init, condition, step, .. } => {
            let known = init.zip(*condition).zip(*step).and_then(|((init, condition), step)| {
                counted(program, definitions, init, condition, step)
            });
            Some(known.map_or(Trips::Dynamic, Trips::Known))
        }
        // As macros have it.
        StmtKind::DoWhile { condition, .. }
            if evaluate::constant(program, *condition) == Some(0) =>
        {
            None
        }
        StmtKind::ForRange { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. } => {
            Some(Trips::Dynamic)
        }
        _ => None,
    }
}

/// `for (int i = a; i < b; i++)` with constants.
fn counted(
    program: &Program,
    definitions: &Definitions,
    init: StmtId,
    condition: ExprId,
    step: ExprId,
) -> Option<u64> {
    let name = |expr: ExprId| match program.expr(program.strip_parens(expr)).kind {
        ExprKind::Name(NameRef::Variable(id)) => Some(id),
        _ => None,
    };
    let (counter, first): (VarId, ExprId) = match &program.stmt(init).kind {
        StmtKind::Declaration(_, variables) => match variables.as_slice() {
            [only] => (*only, program.variable(*only).init?),
            _ => return None,
        },
        StmtKind::Expr(Some(expr)) => match program.expr(*expr).kind {
            ExprKind::Assign(None, left, right) => (name(left)?, right),
            _ => return None,
        },
        _ => return None,
    };
    let ExprKind::Binary(op, left, right) = program.expr(program.strip_parens(condition)).kind
    else {
        return None;
    };
    let by = match program.expr(program.strip_parens(step)).kind {
        ExprKind::Unary(UnaryOp::PreIncrement | UnaryOp::PostIncrement, operand)
            if name(operand) == Some(counter) =>
        {
            1
        }
        ExprKind::Assign(Some(BinaryOp::Add), target, by) if name(target) == Some(counter) => {
            constant_of(program, definitions, by, DEPTH)?
        }
        _ => return None,
    };
    if name(left) != Some(counter) || by <= 0 {
        return None;
    }
    let first = constant_of(program, definitions, first, DEPTH)?;
    let last = constant_of(program, definitions, right, DEPTH)?;
    let distance = match op {
        BinaryOp::Lt | BinaryOp::Ne => last.checked_sub(first)?,
        BinaryOp::Le => last.checked_sub(first)?.checked_add(1)?,
        _ => return None,
    };
    Some(u64::try_from(distance).unwrap_or(0).div_ceil(by.unsigned_abs()))
}

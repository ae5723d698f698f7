//! The loops of the host around launches.

use crate::cost::conversion::assumed_runs;
use crate::cost::kernel::Trips;
use crate::grid_model::constant_of;
use crate::index_form::Definitions;
use layoutc_dataflow::classes::{Callee, resolve_callee};
use layoutc_syntax::{
    BinaryOp, ExprId, ExprKind, FunctionId, NameRef, Program, StmtId, StmtKind, UnaryOp, VarId,
    evaluate,
};
use std::collections::{BTreeMap, BTreeSet};

/// How deep callers are followed, and definitions.
const DEPTH: usize = 16;

/// Where host functions launch and call, and in which loops.
pub(super) struct Repeats {
    around: BTreeMap<ExprId, Site>,
    /// The calls of each function.
    calls: BTreeMap<FunctionId, Vec<ExprId>>,
    /// Functions that launch kernels, themselves or through others.
    launching: BTreeSet<FunctionId>,
    /// Whether the program has a function `main`; otherwise what nothing calls is called from elsewhere.
    has_main: bool,
}

/// Where a call or a launch stands.
struct Site {
    function: FunctionId,
    /// The loops around it, outermost first, as often as it is reached in them.
    loops: Vec<Trips>,
    /// In one of how many calls of the function it is reached, if no loop of the function says that.
    every: u64,
}

impl Repeats {
    /// All calls and launches of a program; `is_launch` says which calls launch kernels, besides the launches of CUDA.
    pub(super) fn new(
        program: &Program,
        definitions: &Definitions,
        is_launch: impl Fn(ExprId) -> bool,
    ) -> Self {
        let mut this = Repeats {
            around: BTreeMap::new(),
            calls: BTreeMap::new(),
            launching: BTreeSet::new(),
            has_main: false,
        };
        for id in program.function_ids() {
            let function = program.function(id);
            let Some(body) = function.body.filter(|_| function.space.on_host()) else { continue };
            this.has_main |= function.name == "main";
            let mut pending: Vec<(StmtId, Vec<Trips>, u64)> = vec![(body, Vec::new(), 1)];
            while let Some((stmt, loops, every)) = pending.pop() {
                let (inner, roots, declared) = program.stmt(stmt).parts();
                let mut inside = loops.clone();
                inside.extend(trips(program, definitions, stmt));
                let mut exprs: Vec<ExprId> = roots;
                exprs.extend(declared.iter().filter_map(|id| program.variable(*id).init));
                while let Some(expr) = exprs.pop() {
                    let site = || Site { function: id, loops: inside.clone(), every };
                    match &program.expr(expr).kind {
                        ExprKind::Launch { .. } => {
                            this.launching.insert(id);
                            this.around.insert(expr, site());
                        }
                        ExprKind::Call { callee, arguments, .. } => {
                            if is_launch(expr) {
                                this.launching.insert(id);
                            }
                            this.around.insert(expr, site());
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
                let period = |inner: StmtId| match &program.stmt(stmt).kind {
                    StmtKind::If { condition: Some(condition), then, .. } if *then == inner => {
                        period_of(program, definitions, *condition)
                    }
                    _ => 1,
                };
                for own in inner {
                    let (mut inside, mut every) = (inside.clone(), every);
                    match inside.last_mut() {
                        Some(last) => thin(last, period(own)),
                        None => every = every.saturating_mul(period(own)),
                    }
                    pending.push((own, inside, every));
                }
            }
        }
        this.close();
        this
    }

    /// Adds the functions that launch through others.
    fn close(&mut self) {
        let mut pending: Vec<FunctionId> = self.launching.iter().copied().collect();
        while let Some(function) = pending.pop() {
            for call in self.calls.get(&function).into_iter().flatten() {
                let Some(caller) = self.around.get(call).map(|site| site.function) else {
                    continue;
                };
                if self.launching.insert(caller) {
                    pending.push(caller);
                }
            }
        }
    }

    /// In which part of the runs of the loops around it a call is reached.
    ///
    /// In a library, of which no caller is seen, functions that launch kernels are taken to be called as often as a
    /// loop of unknown length runs, and functions that copy alone once.
    pub(super) fn share(&self, call: ExprId) -> f64 {
        let Some(site) = self.around.get(&call) else { return 1.0 };
        let launches = self.launching.contains(&site.function);
        let mut reaching = vec![site.function];
        let mut seen: BTreeSet<FunctionId> = reaching.iter().copied().collect();
        let mut is_launching = launches;
        while let Some(function) = reaching.pop() {
            for call in self.calls.get(&function).into_iter().flatten() {
                let Some(caller) = self.around.get(call).map(|site| site.function) else {
                    continue;
                };
                is_launching |= self.launching.contains(&caller);
                if seen.insert(caller) {
                    reaching.push(caller);
                }
            }
        }
        if self.has_main || is_launching { 1.0 } else { 1.0 / assumed_runs() }
    }

    /// The loops around the launch of these that runs most often.
    ///
    /// What stands in an `if` counts as reached each time, but where that asks for a remainder: `if (step % 10 == 0)`
    /// makes one of ten trips count.
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
            let Site { function, loops, every } = self.around.get(site)?;
            let mut all = match (depth.checked_sub(1), self.calls.get(function)) {
                (Some(depth), Some(calls)) => self.most(calls, depth),
                _ => Vec::new(),
            };
            if let Some(last) = all.last_mut() {
                thin(last, *every);
            }
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

/// Only one of so many trips counts.
fn thin(trips: &mut Trips, period: u64) {
    *trips = match (*trips, period) {
        (own, 0 | 1) => own,
        (Trips::Known(trips), by) => Trips::Known(trips.div_ceil(by)),
        (Trips::Steps(own), by) => Trips::Steps(own.saturating_mul(by)),
        (Trips::Dynamic, by) => Trips::Steps(by),
    };
}

/// In one of how many runs around it a condition holds: one of 10 for `step % 10 == 0`, and each for what is not known.
fn period_of(program: &Program, definitions: &Definitions, condition: ExprId) -> u64 {
    let operands =
        |expr: ExprId, wanted: BinaryOp| match program.expr(program.strip_parens(expr)).kind {
            ExprKind::Binary(op, left, right) if op == wanted => Some((left, right)),
            _ => None,
        };
    let remainder = operands(condition, BinaryOp::Eq).and_then(|(left, right)| {
        operands(left, BinaryOp::Rem).or_else(|| operands(right, BinaryOp::Rem))
    });
    let by = remainder.and_then(|(_, by)| constant_of(program, definitions, by, DEPTH));
    by.and_then(|by| u64::try_from(by).ok()).unwrap_or(1).max(1)
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

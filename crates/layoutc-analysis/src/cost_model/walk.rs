//! A walk through a kernel in the order in which it runs, with the value of each variable at hand.

use super::arrays::Arrays;
use super::copies::{Copies, Holder};
use super::guards::{Leaving, Part, Threads, leaves};
use super::objects::Slots;
use super::value::{Atom, Key, Root, Symbols, Value, Variation};
use crate::cost::flow::{Leave, LoopRange, Step};
use crate::cost::kernel::{Access, ArrayId, Loop, LoopId, Trips};
use layoutc_dataflow::classes::Classes;
use layoutc_syntax::{
    BinaryOp, ExprId, ExprKind, FunctionId, NameRef, Program, StmtId, StmtKind, TypeKind, VarId,
    evaluate,
};
use std::collections::{BTreeMap, BTreeSet};

/// How many loops around each other are walked twice, to see what marches along.
const TWICE: u32 = 4;
/// How many statements and expressions of a kernel are walked, those of called functions and second
/// walks included.
const BUDGET: usize = 400_000;

/// A kernel that is being walked.
pub(super) struct Walk<'a> {
    pub(super) program: &'a Program,
    pub(super) classes: &'a Classes,
    pub(super) arrays: &'a mut Arrays,
    pub(super) copies: &'a Copies,
    pub(super) symbols: Symbols,
    /// What variables hold: numbers, or how far pointers point into their arrays; for references, how
    /// far what they stand for lies in it.
    pub(super) values: BTreeMap<VarId, Value>,
    /// Members of objects in the thread's own memory, which are variables, too.
    pub(super) slots: Slots,
    /// The object of the member function that is being walked, if it lies there.
    pub(super) this: Option<VarId>,
    pub(super) loops: Vec<Loop>,
    pub(super) scope: Option<LoopId>,
    /// Threads of a block along x, y and z, and blocks of a launch.
    pub(super) block: [u64; 3],
    pub(super) blocks: u64,
    pub(super) threads: Threads,
    pub(super) accesses: Vec<Access>,
    /// Arrays with an index that is taken to be the same in all lanes, and is not shown to be.
    pub(super) guessed: BTreeSet<ArrayId>,
    /// Variables whose addresses are taken, which calls may change.
    pub(super) changeable: BTreeSet<VarId>,
    /// Whether one of them was read.
    pub(super) reads_changeable: bool,
    /// What runs after what, in the part that is being walked.
    pub(super) flow: Vec<Step>,
    /// What the numbers of threads in guards are: a thread's place in the launch is below them.
    pub(super) launch_bounds: Vec<Value>,
    pub(super) operations: BTreeMap<Option<LoopId>, u64>,
    /// Where the arrays begin that were accessed, as far as they were first met.
    pub(super) starts: BTreeMap<ArrayId, Root>,
    /// First walks through loops: what they find is not kept.
    pub(super) rehearsals: u32,
    /// Elements that variables were declared as copies of.
    pub(super) origins: BTreeMap<VarId, (ArrayId, Value)>,
    /// Functions whose bodies are being walked.
    pub(super) calls: Vec<FunctionId>,
    /// What the innermost of them has returned.
    pub(super) returned: Option<Value>,
    budget: usize,
}

impl<'a> Walk<'a> {
    /// A walk through a kernel whose parameters have these values, with these threads of a block and
    /// blocks.
    pub(super) fn new(
        program: &'a Program,
        classes: &'a Classes,
        arrays: &'a mut Arrays,
        copies: &'a Copies,
        values: BTreeMap<VarId, Value>,
        (block, blocks): ([u64; 3], u64),
    ) -> Self {
        Walk {
            program,
            classes,
            arrays,
            copies,
            symbols: Symbols::default(),
            values,
            slots: Slots::default(),
            this: None,
            loops: Vec::new(),
            scope: None,
            block,
            blocks,
            threads: Threads { part: Part::ALL, is_single: false },
            accesses: Vec::new(),
            guessed: BTreeSet::new(),
            changeable: BTreeSet::new(),
            reads_changeable: false,
            flow: Vec::new(),
            launch_bounds: Vec::new(),
            operations: BTreeMap::new(),
            starts: BTreeMap::new(),
            rehearsals: 0,
            origins: BTreeMap::new(),
            calls: Vec::new(),
            returned: None,
            budget: BUDGET,
        }
    }

    /// Counts a step; false: it takes too long.
    pub(super) fn goes_on(&mut self) -> bool {
        self.budget = self.budget.saturating_sub(1);
        self.budget > 0
    }

    /// The value of a variable.
    pub(super) fn variable(&mut self, id: VarId) -> Value {
        self.reads_changeable |= self.changeable.contains(&id);
        if let Some(value) = self.values.get(&id) {
            return value.clone();
        }
        let program = self.program;
        let ty = program.types.strip_reference(program.variable(id).ty);
        match program.types.kind(ty.id) {
            TypeKind::Pointer(_) | TypeKind::Array(..) => {
                Value::atom(Atom::Root(Root::Variable(id)))
            }
            _ => {
                let variable = program.variable(id);
                let is_local = variable.storage == layoutc_syntax::Storage::Local
                    && variable.space == layoutc_syntax::Space::Default;
                let variation = Variation { guessed: is_local, ..Variation::default() };
                self.symbols.symbol(Key::Variable(id), variation)
            }
        }
    }

    /// A value that is one or the other: where they differ at a border only, the one of most threads.
    pub(super) fn either(&mut self, first: Value, second: Value) -> Value {
        if first == second {
            return first;
        }
        let (a, b) = (self.symbols.variation(&first), self.symbols.variation(&second));
        let difference = first.minus(&second);
        let is_shift = difference.is_some_and(|value| !self.symbols.variation(&value).lanes);
        if a.lanes && (is_shift || !b.lanes) {
            return first;
        }
        if b.lanes && !a.lanes {
            return second;
        }
        let mut variation = a;
        variation.join(&b);
        // Which one it is may differ between lanes.
        variation.guessed |= !variation.lanes;
        self.symbols.once(variation)
    }

    /// Keeps what variables hold where two ways meet again.
    fn meet(&mut self, other: BTreeMap<VarId, Value>) {
        let own = std::mem::take(&mut self.values);
        let mut met = BTreeMap::new();
        for (id, value) in &own {
            let value = match other.get(id) {
                Some(theirs) if theirs != value => self.either(value.clone(), theirs.clone()),
                _ => value.clone(),
            };
            met.insert(*id, value);
        }
        for (id, value) in other {
            met.entry(id).or_insert(value);
        }
        self.values = met;
    }

    /// Walks statements one after another.
    pub(super) fn statements(&mut self, stmts: &[StmtId]) {
        for stmt in stmts {
            self.statement(*stmt);
        }
    }

    /// Walks a statement.
    pub(super) fn statement(&mut self, stmt: StmtId) {
        if !self.goes_on() {
            return;
        }
        let program = self.program;
        match &program.stmt(stmt).kind {
            StmtKind::Expr(expr) => {
                if let Some(expr) = expr {
                    self.value(*expr);
                }
            }
            StmtKind::Declaration(_, variables) => {
                for id in variables {
                    self.declare(*id);
                }
            }
            StmtKind::Block(stmts) | StmtKind::Try(stmts) => self.statements(stmts),
            StmtKind::If { init, condition, then, otherwise } => {
                self.statements(init.as_slice());
                let around = self.threads;
                let [passing, failing] = match condition {
                    Some(condition) => {
                        self.value(*condition);
                        [true, false].map(|holds| self.passing(*condition, holds))
                    }
                    None => [around; 2],
                };
                let before = self.values.clone();
                self.threads = passing;
                let first = self.apart(|walk| walk.statement(*then));
                let after = std::mem::replace(&mut self.values, before);
                let second = self.apart(|walk| {
                    if let Some(otherwise) = otherwise {
                        walk.threads = failing;
                        walk.statement(*otherwise);
                    }
                });
                let part = passing.part.lanes / around.part.lanes;
                self.branch(part, first, second);
                self.threads = around;
                match (leaves(program, *then), otherwise) {
                    // What they have changed is gone with them.
                    (Some(Leaving::Function), None) => self.stay(failing),
                    (Some(Leaving::Trip), None) => {
                        self.meet(after);
                        self.stay(failing);
                    }
                    (_, Some(_)) | (None, _) => self.meet(after),
                }
            }
            StmtKind::For { init, condition, step, body } => {
                self.statements(init.as_slice());
                self.repeat(stmt, *condition, &[*body], *step, false);
            }
            StmtKind::ForRange { variable, range, body } => {
                self.value(*range);
                for id in variable {
                    let value = self.symbols.once(Variation {
                        lanes: true,
                        blocks: true,
                        ..Default::default()
                    });
                    self.values.insert(*id, value);
                }
                self.repeat(stmt, None, &[*body], None, false);
            }
            StmtKind::While { init, condition, body } => {
                let body: Vec<StmtId> = init.iter().copied().chain([*body]).collect();
                self.repeat(stmt, *condition, &body, None, false);
            }
            StmtKind::DoWhile { body, condition } => {
                self.repeat(stmt, Some(*condition), &[*body], None, true);
            }
            StmtKind::Switch { init, condition, body } => {
                self.statements(init.as_slice());
                if let Some(condition) = condition {
                    self.value(*condition);
                }
                let around = self.threads;
                self.threads.part = self.threads.part.and(Part::HALF);
                let before = self.values.clone();
                self.switch(*body);
                self.threads = around;
                self.meet(before);
            }
            StmtKind::Labelled { value, body, .. } => {
                if let Some(value) = value {
                    self.value(*value);
                }
                self.statements(body);
            }
            StmtKind::Return(value) => {
                if let Some(value) = value {
                    let value = self.value(*value);
                    self.returned = Some(match self.returned.take() {
                        Some(other) => self.either(other, value),
                        None => value,
                    });
                }
                self.step(Step::Leave(Leave::Function));
            }
            StmtKind::Asm(exprs) | StmtKind::Nothing(exprs) => {
                let runs = matches!(program.stmt(stmt).kind, StmtKind::Asm(_));
                for expr in exprs.iter().filter(|_| runs) {
                    self.value(*expr);
                }
            }
            StmtKind::Opaque { exprs, stmts } => {
                for expr in exprs {
                    self.value(*expr);
                }
                self.statements(stmts);
            }
            StmtKind::Break | StmtKind::Continue => self.step(Step::Leave(Leave::Trip)),
            StmtKind::Goto(_) => {}
        }
    }

    fn declare(&mut self, id: VarId) {
        let program = self.program;
        let variable = program.variable(id);
        self.origins.remove(&id);
        let is_object = matches!(program.types.kind(variable.ty.id), TypeKind::Record(_));
        if is_object {
            self.forget(id);
        }
        let Some(init) = variable.init else {
            self.values.remove(&id);
            return;
        };
        if is_object && (self.bind(id, init) || self.initialize(id, init)) {
            return;
        }
        if matches!(program.types.kind(variable.ty.id), TypeKind::Array(..)) {
            // Its name stays the name of memory.
            self.value(init);
            self.values.remove(&id);
            return;
        }
        let is_reference = matches!(program.types.kind(variable.ty.id), TypeKind::Reference(..));
        let value = match is_reference && self.classes.place(init).is_some() {
            true => self.address(init),
            false => match self.object(init).filter(|_| is_reference) {
                Some(object) => Value::atom(Atom::Object(object)),
                None => self.copied(init, Holder::Variable(id)),
            },
        };
        self.values.insert(id, value);
        if is_object && let Some(origin) = self.element(init) {
            self.origins.insert(id, origin);
        }
    }

    /// Walks a loop: `condition`, `body`, `step`, and again.
    fn repeat(
        &mut self,
        stmt: StmtId,
        condition: Option<ExprId>,
        body: &[StmtId],
        step: Option<ExprId>,
        is_do: bool,
    ) {
        let condition_value = condition.and_then(|own| evaluate::constant(self.program, own));
        if is_do && condition_value == Some(0) {
            // `do { … } while (0)`, as macros have it.
            let around = self.threads;
            let once = self.apart(|walk| walk.once_through(condition, body, step, is_do));
            self.step(Step::Once(once));
            self.threads = around;
            return;
        }
        let id = LoopId(self.loops.len() as u32);
        let mut changed = changed_in(self.program, condition, body, step);
        // What called functions do to them is not looked for.
        changed.extend(self.slots.all().filter(|slot| self.values.contains_key(slot)));
        let start: BTreeMap<VarId, Value> =
            changed.iter().map(|id| (*id, self.variable(*id))).collect();
        let marks: BTreeMap<VarId, Value> =
            changed.iter().map(|id| (*id, self.symbols.once(Variation::default()))).collect();
        let span = self.program.stmt_site(stmt);
        self.loops.push(Loop { parent: self.scope, trips: Trips::Dynamic, span });
        let around = self.scope.replace(id);
        let mut steps: BTreeMap<VarId, Value> = BTreeMap::new();
        let mut ends: BTreeMap<VarId, Value> = BTreeMap::new();
        let mut resets: BTreeMap<VarId, Value> = BTreeMap::new();
        let outside = self.threads;
        if self.rehearsals < TWICE {
            let before = self.values.clone();
            self.values.extend(marks.clone());
            self.rehearsals += 1;
            self.once_through(condition, body, step, is_do);
            self.threads = outside;
            self.rehearsals -= 1;
            self.loops.truncate(id.0 as usize + 1);
            let after = std::mem::replace(&mut self.values, before);
            ends = changed.iter().filter_map(|id| Some((*id, after.get(id)?.clone()))).collect();
            let is_free = |atom: &Atom| !marks.values().any(|mark| mark.as_atom() == Some(atom));
            for (variable, end) in &ends {
                let outer = |variation: &Variation| variation.loops.iter().all(|inner| *inner < id);
                let variation = self.symbols.variation(end);
                if end.atoms().iter().all(is_free) && outer(&variation) {
                    // It begins each trip as the last one left it.
                    let value = self.either(start[variable].clone(), end.clone());
                    resets.insert(*variable, value);
                    continue;
                }
                let Some(delta) = end.minus(&marks[variable]) else { continue };
                let variation = self.symbols.variation(&delta);
                if !variation.lanes && delta.atoms().iter().all(is_free) && outer(&variation) {
                    steps.insert(*variable, delta);
                }
            }
        }
        let trip = Value::atom(Atom::Trip(id));
        for (variable, begin) in &start {
            let mut variation = self.symbols.variation(begin);
            let marched = steps.get(variable).and_then(|delta| begin.plus(&trip.times(delta)?));
            let value = marched.unwrap_or_else(|| {
                if let Some(end) = ends.get(variable) {
                    let end = self.symbols.variation(end);
                    (variation.lanes, variation.blocks) =
                        (variation.lanes | end.lanes, variation.blocks | end.blocks);
                } else {
                    (variation.lanes, variation.blocks) = (true, true);
                }
                variation.loops.retain(|outer| *outer < id);
                variation.loops.insert(id);
                variation.guessed |= !variation.lanes;
                self.symbols.once(variation)
            });
            self.values.insert(*variable, value);
        }
        let trips = condition
            .map_or(Trips::Dynamic, |condition| self.trips(condition, &start, &steps, is_do));
        let range =
            condition.map_or(LoopRange::Unknown, |condition| self.range(condition, &start, &steps));
        self.loops[id.0 as usize].trips = trips;
        let trip_steps = self.apart(|walk| walk.once_through(condition, body, step, is_do));
        self.step(Step::Loop { id, range, body: trip_steps });
        self.threads = outside;
        self.scope = around;
        for (variable, begin) in start {
            let times = match trips {
                Trips::Known(trips) => i64::try_from(trips).ok().map(Value::constant),
                // Lanes may leave a loop after different numbers of trips.
                Trips::Dynamic | Trips::Steps(_) => {
                    Some(self.symbols.once(Variation { guessed: true, ..Variation::default() }))
                }
            };
            let end = steps.get(&variable).and_then(|delta| begin.plus(&times?.times(delta)?));
            let end = end.unwrap_or_else(|| {
                let found = self.values.get(&variable).cloned().unwrap_or_else(|| begin.clone());
                let mut variation = self.symbols.variation(&found);
                variation.join(&self.symbols.variation(&begin));
                variation.loops.retain(|outer| *outer < id);
                variation.guessed |= !variation.lanes;
                self.symbols.once(variation)
            });
            self.values.insert(variable, end);
        }
    }

    fn once_through(
        &mut self,
        condition: Option<ExprId>,
        body: &[StmtId],
        step: Option<ExprId>,
        is_do: bool,
    ) {
        if let Some(condition) = condition.filter(|_| !is_do) {
            self.value(condition);
        }
        self.statements(body);
        if let Some(step) = step {
            self.value(step);
        }
        if let Some(condition) = condition.filter(|_| is_do) {
            self.value(condition);
        }
    }

    /// How often a loop runs whose condition compares what marches with what does not.
    fn trips(
        &mut self,
        condition: ExprId,
        start: &BTreeMap<VarId, Value>,
        steps: &BTreeMap<VarId, Value>,
        is_do: bool,
    ) -> Trips {
        let program = self.program;
        let ExprKind::Binary(op, left, right) = program.expr(program.strip_parens(condition)).kind
        else {
            return Trips::Dynamic;
        };
        // Both must hold: what is known of one is the most.
        if let ExprKind::Binary(BinaryOp::LogicalAnd, left, right) =
            program.expr(program.strip_parens(condition)).kind
        {
            let known = [left, right].map(|own| self.trips(own, start, steps, is_do));
            return match known {
                [Trips::Known(a), Trips::Known(b)] => Trips::Known(a.min(b)),
                [Trips::Known(own), _] | [_, Trips::Known(own)] => Trips::Known(own),
                [Trips::Steps(by), _] | [_, Trips::Steps(by)] => Trips::Steps(by),
                [Trips::Dynamic, Trips::Dynamic] => Trips::Dynamic,
            };
        }
        let counter = |expr: ExprId| match program.expr(program.strip_parens(expr)).kind {
            ExprKind::Name(NameRef::Variable(id)) => {
                Some((start.get(&id)?, steps.get(&id)?.as_constant()?))
            }
            _ => None,
        };
        let (from, by, bound, op) = match (counter(left), counter(right)) {
            (Some((from, by)), None) => (from, by, right, op),
            (None, Some((from, by))) => (from, by, left, mirrored(op)),
            _ => return Trips::Dynamic,
        };
        // What the bound accesses is recorded where the condition runs.
        self.rehearsals += 1;
        let bound = self.value(bound);
        self.rehearsals -= 1;
        let Some(distance) = bound.minus(from).and_then(|value| value.as_constant()) else {
            return match by.unsigned_abs() {
                0 | 1 => Trips::Dynamic,
                by => Trips::Steps(by),
            };
        };
        let distance = match op {
            BinaryOp::Lt | BinaryOp::Ne if by > 0 => distance,
            BinaryOp::Le if by > 0 => distance.saturating_add(1),
            BinaryOp::Gt | BinaryOp::Ne if by < 0 => distance.saturating_neg(),
            BinaryOp::Ge if by < 0 => distance.saturating_neg().saturating_add(1),
            _ => return Trips::Dynamic,
        };
        let by = by.unsigned_abs();
        let trips = u64::try_from(distance).unwrap_or(0).div_ceil(by);
        Trips::Known(if is_do { trips.max(1) } else { trips })
    }
}

impl Walk<'_> {
    /// The value of an integer that is made of threads, trips and parameters, and not of data.
    pub(super) fn index(&mut self, expr: ExprId) -> Option<Value> {
        let program = self.program;
        let is_integer = match program.types.kind(program.expr(expr).ty.id) {
            TypeKind::Scalar(scalar) => scalar.is_integer(),
            TypeKind::Enum(..) => true,
            // `threadIdx.x`, and what is made of it.
            TypeKind::Unknown => true,
            _ => self.builtin(expr).is_some(),
        };
        if !is_integer {
            return None;
        }
        self.rehearsals += 1;
        let value = self.value(expr);
        self.rehearsals -= 1;
        Some(value).filter(|value| !self.symbols.variation(value).data)
    }
}

/// `b op' a` for `a op b`.
pub(super) fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        other => other,
    }
}

/// The variables that a loop changes.
fn changed_in(
    program: &Program,
    condition: Option<ExprId>,
    body: &[StmtId],
    step: Option<ExprId>,
) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    let mut exprs: Vec<ExprId> = condition.into_iter().chain(step).collect();
    let mut stmts = body.to_vec();
    while let Some(stmt) = stmts.pop() {
        let (inner, roots, declared) = program.stmt(stmt).parts();
        stmts.extend(inner);
        exprs.extend(roots);
        exprs.extend(declared.iter().filter_map(|id| program.variable(*id).init));
    }
    while let Some(expr) = exprs.pop() {
        let target = match &program.expr(expr).kind {
            ExprKind::Assign(_, left, _) => Some(*left),
            ExprKind::Unary(op, operand) if op.is_update() => Some(*operand),
            ExprKind::AddressOf(operand) => Some(*operand),
            _ => None,
        };
        if let Some(target) = target
            && let ExprKind::Name(NameRef::Variable(id)) =
                program.expr(program.strip_parens(target)).kind
        {
            found.insert(id);
        }
        exprs.extend(program.expr(expr).children());
    }
    found
}

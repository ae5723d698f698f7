//! What is known where a function begins: what holds at each of its calls, in terms of its parameters.
//!
//! *Claim:* a fact that is listed holds at the beginning of every call that the program makes. What
//! the calls cannot show (functions whose address is taken, that other text may call, or that call
//! themselves) begins with nothing.
//!
//! A launch says more: `blockIdx.x` is below the grid that it gives, and `threadIdx.x` below the block.

use super::buffers;
use super::facts::{Changes, Fact, Facts};
use super::index::{Atom, Index, Indices, is_integer, turns_negative, widens_wrapped};
use super::proof::Prover;
use crate::catalogue::builtins::{Axis, Builtin, builtin_of};
use crate::classes::{Callee, Classes, resolve_callee};
use layoutc_diagnostics::Span;
use layoutc_syntax::{
    BinaryOp, ExecutionSpace, ExprId, ExprKind, FunctionId, NameRef, Program, Scalar, Storage,
    TypeKind, VarId, evaluate,
};
use std::collections::{BTreeMap, BTreeSet};

/// More facts, or calls, are not looked at.
const LIMIT: usize = 64;

/// A call or launch.
#[derive(Clone, Debug)]
struct Site {
    call: ExprId,
    caller: FunctionId,
    arguments: Vec<ExprId>,
    /// Grid and block of a launch.
    config: Option<(ExprId, ExprId)>,
}

/// All calls of a program's functions, and what holds at those that were walked.
pub(super) struct Entries<'a> {
    program: &'a Program,
    classes: &'a Classes,
    changes: &'a Changes,
    sites: BTreeMap<FunctionId, Vec<Site>>,
    /// All calls in a function.
    calls: BTreeMap<FunctionId, Vec<ExprId>>,
    /// Functions that may be called from where nobody looks.
    escaped: BTreeSet<FunctionId>,
    facts: BTreeMap<ExprId, Facts>,
    /// `threadIdx.x` and the like, where they occur.
    builtins: BTreeMap<(Builtin, Axis), ExprId>,
    /// Variables that are used otherwise than as a launch's shape or as numbers read from it: they
    /// may change there, through a reference to a member or the like.
    exposed: BTreeSet<VarId>,
}

impl<'a> Entries<'a> {
    pub(super) fn new(program: &'a Program, classes: &'a Classes, changes: &'a Changes) -> Self {
        let mut this = Entries {
            program,
            classes,
            changes,
            sites: BTreeMap::new(),
            calls: BTreeMap::new(),
            escaped: program.operators.values().copied().collect(),
            facts: BTreeMap::new(),
            builtins: BTreeMap::new(),
            exposed: BTreeSet::new(),
        };
        let mut callees = BTreeSet::new();
        let mut inside = BTreeSet::new();
        for caller in program.function_ids() {
            for expr in program.function_parts(caller).exprs {
                inside.insert(expr);
                let (callee, arguments, config) = match &program.expr(expr).kind {
                    ExprKind::Call { callee, arguments, .. } => (*callee, arguments, None),
                    ExprKind::Launch { kernel, arguments, config, .. } => {
                        (*kernel, arguments, config.first().copied().zip(config.get(1).copied()))
                    }
                    _ => continue,
                };
                callees.insert(program.strip_parens(callee));
                match resolve_callee(program, callee, arguments) {
                    Callee::Function(function) => {
                        let arguments = arguments.to_vec();
                        let site = Site { call: expr, caller, arguments, config };
                        this.sites.entry(function).or_default().push(site);
                        this.calls.entry(caller).or_default().push(expr);
                    }
                    Callee::Ambiguous(several) => this.escaped.extend(several),
                    Callee::Library(_) | Callee::Unknown => {}
                }
            }
        }
        for expr in program.expr_ids() {
            if let Some(found) = builtin_of(program, expr) {
                this.builtins.entry(found).or_insert(expr);
            }
            match &program.expr(expr).kind {
                ExprKind::Name(NameRef::Functions(functions))
                    if !callees.contains(&expr) || !inside.contains(&expr) =>
                {
                    this.escaped.extend(functions.iter().copied());
                }
                _ => {}
            }
        }
        let harmless = harmless_uses(program);
        this.exposed = program
            .expr_ids()
            .filter(|expr| !harmless.contains(expr))
            .filter_map(|expr| match program.expr(expr).kind {
                ExprKind::Name(NameRef::Variable(id)) => Some(id),
                _ => None,
            })
            .collect();
        let unmodelled = Changes::unmodelled(program);
        for function in program.function_ids() {
            let own = program.function(function);
            if own.record.is_some() || unmodelled.contains(own.name.as_str()) {
                this.escaped.insert(function);
            }
        }
        this
    }

    /// The functions, callers first, that call one of `wanted` or are one; those that call
    /// themselves last.
    pub(super) fn order(&mut self, wanted: &BTreeSet<FunctionId>) -> Vec<FunctionId> {
        let mut all = wanted.clone();
        let mut stack: Vec<FunctionId> = wanted.iter().copied().collect();
        while let Some(function) = stack.pop() {
            for site in self.sites.get(&function).into_iter().flatten() {
                if all.insert(site.caller) {
                    stack.push(site.caller);
                }
            }
        }
        let mut waiting: BTreeMap<FunctionId, BTreeSet<FunctionId>> = all
            .iter()
            .map(|function| {
                let callers = self.sites.get(function).into_iter().flatten();
                (*function, callers.map(|site| site.caller).collect())
            })
            .collect();
        let mut ready: BTreeSet<FunctionId> = waiting
            .iter()
            .filter(|(_, callers)| callers.is_empty())
            .map(|(function, _)| *function)
            .collect();
        let mut calls: BTreeMap<FunctionId, Vec<FunctionId>> = BTreeMap::new();
        for (function, callers) in &waiting {
            for caller in callers {
                calls.entry(*caller).or_default().push(*function);
            }
        }
        let mut found = Vec::new();
        while let Some(function) = ready.pop_first() {
            found.push(function);
            waiting.remove(&function);
            for callee in calls.get(&function).into_iter().flatten() {
                if let Some(callers) = waiting.get_mut(callee) {
                    callers.remove(&function);
                    if callers.is_empty() {
                        ready.insert(*callee);
                    }
                }
            }
        }
        // A circle: nothing is known where it is entered.
        for function in waiting.into_keys() {
            self.escaped.insert(function);
            found.push(function);
        }
        found
    }

    /// The calls in a function of which the facts are wanted.
    pub(super) fn calls_in(&self, caller: FunctionId) -> BTreeSet<ExprId> {
        self.calls.get(&caller).into_iter().flatten().copied().collect()
    }

    /// Says what holds at a call.
    pub(super) fn add(&mut self, call: ExprId, facts: Facts) {
        self.facts.insert(call, facts);
    }

    /// What holds where the function begins; its callers were walked.
    pub(super) fn start(&self, indices: &mut Indices, function: FunctionId) -> Facts {
        let sites = self.sites.get(&function).map_or(&[][..], Vec::as_slice);
        // A kernel of OpenCL that others call is launched, too.
        let file = self.program.function(function).sites.first().map(|site| site.span.file);
        let is_opencl = file.is_some_and(|file| self.program.files[file.index()].is_opencl);
        let is_kernel = self.program.function(function).space == ExecutionSpace::Kernel;
        if is_opencl && is_kernel && !sites.is_empty() {
            return Facts::default();
        }
        if sites.is_empty() && !self.escaped.contains(&function) {
            let (program, changes) = (self.program, self.changes);
            let builtins = &self.builtins;
            return buffers::launched(program, self.classes, changes, indices, function, builtins);
        }
        if sites.is_empty()
            || sites.len() > LIMIT
            || self.escaped.contains(&function)
            || sites.iter().any(|site| !self.facts.contains_key(&site.call))
        {
            return Facts::default();
        }
        let values: Vec<BTreeMap<VarId, Index>> =
            sites.iter().map(|site| self.values(indices, function, site)).collect();
        let known: Vec<Facts> = sites.iter().map(|site| self.with_launch(indices, site)).collect();
        // What holds at one call may follow from more at another.
        let mut candidates: Vec<Fact> = Vec::new();
        for ((site, facts), values) in sites.iter().zip(&known).zip(&values) {
            for fact in self.candidates(indices, site, facts, values) {
                if candidates.len() < LIMIT && !candidates.contains(&fact) {
                    candidates.push(fact);
                }
            }
        }
        let mut found = Facts::default();
        for fact in candidates {
            let goals: Vec<Index> = match &fact {
                Fact::AtLeastZero(value) => vec![value.clone()],
                Fact::Defined(id, value) => {
                    let Some(rest) = Index::atom(Atom::Variable(*id)).minus(value) else {
                        continue;
                    };
                    let Some(other) = rest.times(&Index::constant(-1)) else { continue };
                    vec![rest, other]
                }
                Fact::Extent(atom, value) => {
                    let Some(rest) = Index::atom(*atom).minus(value) else { continue };
                    let Some(other) = rest.times(&Index::constant(-1)) else { continue };
                    vec![rest, other]
                }
                Fact::NotZero(_) => continue,
            };
            let holds = known.iter().zip(&values).all(|(facts, values)| {
                goals.iter().all(|goal| {
                    let Some(goal) = inserted(goal, values, self.program, function) else {
                        return false;
                    };
                    let positive = BTreeSet::new();
                    Prover::new(self.program, indices, &positive).is_at_least_zero(&goal, facts)
                })
            });
            if holds {
                found = found.with(fact);
            }
        }
        found
    }

    /// What a call gives for each parameter, where the parameter holds that number.
    fn values(
        &self,
        indices: &mut Indices,
        function: FunctionId,
        site: &Site,
    ) -> BTreeMap<VarId, Index> {
        let program = self.program;
        let mut found = BTreeMap::new();
        for (parameter, argument) in
            program.function(function).parameters.iter().zip(&site.arguments)
        {
            let to = program.variable(*parameter).ty.id;
            let Some(own) = program.types.as_scalar(to).filter(|own| own.is_integer()) else {
                continue;
            };
            let given = program.types.as_scalar(program.expr(*argument).ty.id);
            let is_constant = evaluate::constant(program, *argument)
                .is_some_and(|value| i32::try_from(value).is_ok() && value >= 0);
            let is_kept = own.size() >= 4
                && given.map_or(own.size() == 4, |given| own.size() >= given.size())
                && !turns_negative(program, *argument, to)
                && !widens_wrapped(program, *argument, to);
            // A negative value would become a large one.
            let is_natural = !own.is_unsigned() || given.is_none_or(Scalar::is_unsigned);
            if (is_kept || is_constant)
                && is_integer(program, *argument)
                && let Some(value) = indices.index(program, *argument)
                && (is_natural || is_constant || self.is_natural(indices, site, &value))
            {
                found.insert(*parameter, value);
            }
        }
        found
    }

    /// Whether a value is not negative at a call.
    fn is_natural(&self, indices: &mut Indices, site: &Site, value: &Index) -> bool {
        let facts = self.with_launch(indices, site);
        Prover::new(self.program, indices, &BTreeSet::new()).is_at_least_zero(value, &facts)
    }

    /// What might hold: facts of the caller in terms of the parameters.
    fn candidates(
        &self,
        indices: &mut Indices,
        site: &Site,
        facts: &Facts,
        values: &BTreeMap<VarId, Index>,
    ) -> Vec<Fact> {
        let program = self.program;
        // What the caller's variables are in terms of the parameters.
        let mut known: BTreeMap<Atom, Index> = BTreeMap::new();
        let mut found = Vec::new();
        for (parameter, value) in values {
            let own = Index::atom(Atom::Variable(*parameter));
            found.push(Fact::AtLeastZero(own.clone()));
            if let Some(value) = value.as_constant() {
                let rest = own.plus(&Index::constant(-value));
                found.extend(rest.iter().cloned().map(Fact::AtLeastZero));
                let down = rest.and_then(|rest| rest.times(&Index::constant(-1)));
                found.extend(down.map(Fact::AtLeastZero));
            }
            let terms: Vec<(Vec<Atom>, i64)> =
                value.terms().map(|(atoms, by)| (atoms.clone(), by)).collect();
            let constant =
                terms.iter().find(|(atoms, _)| atoms.is_empty()).map_or(0, |term| term.1);
            let rest: Vec<&(Vec<Atom>, i64)> =
                terms.iter().filter(|(atoms, _)| !atoms.is_empty()).collect();
            if let [(atoms, 1)] = rest[..]
                && let [atom @ Atom::Variable(_)] = atoms[..]
                && let Some(inverse) = own.plus(&Index::constant(-constant))
            {
                known.entry(atom).or_insert(inverse);
            }
        }
        found.extend(self.coordinates(values));
        let is_launch = site.config.is_some();
        let inside = |indices: &Indices, index: &Index| -> Option<Index> {
            let mut index = index.clone();
            // One after the other: no parameter is a variable of the caller.
            for atom in index.atoms() {
                match atom {
                    Atom::Variable(id) => {
                        if let Some(value) = known.get(&atom) {
                            index = index.replace(&atom, value)?;
                        } else if program.variable(id).function.is_some() {
                            return None;
                        }
                    }
                    Atom::Expression(number) => {
                        let is_builtin = builtin_of(program, indices.expression(number)).is_some();
                        // The threads of a launch are others than the one that launches.
                        let is_own = site.config.is_some_and(|_| self.is_device(site.caller));
                        if !is_builtin || is_own {
                            return None;
                        }
                    }
                }
            }
            Some(index)
        };
        for fact in facts.iter() {
            match fact {
                Fact::AtLeastZero(value) => {
                    found.extend(inside(indices, value).map(Fact::AtLeastZero));
                }
                Fact::Defined(id, value) if !is_launch => {
                    let Some(own) = known.get(&Atom::Variable(*id)) else { continue };
                    let constant = own
                        .terms()
                        .find(|(atoms, _)| atoms.is_empty())
                        .map_or(0, |(_, constant)| constant);
                    let parameter = own.atoms().first().copied();
                    if let (Some(Atom::Variable(parameter)), Some(value)) =
                        (parameter, inside(indices, value))
                        && let Some(value) = value.plus(&Index::constant(-constant))
                    {
                        found.push(Fact::Defined(parameter, value));
                    }
                }
                Fact::Extent(atom, value) => {
                    found.extend(inside(indices, value).map(|value| Fact::Extent(*atom, value)));
                }
                Fact::Defined(..) | Fact::NotZero(_) => {}
            }
        }
        found
    }

    /// What threads have of their own may be below what they share: coordinates and extents.
    fn coordinates(&self, values: &BTreeMap<VarId, Index>) -> Vec<Fact> {
        let uneven = self.changes.uneven();
        let (own, shared): (Vec<VarId>, Vec<VarId>) =
            values.keys().copied().partition(|parameter| uneven.contains(parameter));
        let mut found = Vec::new();
        for extent in shared {
            for coordinate in &own {
                let below = Index::atom(Atom::Variable(extent))
                    .minus(&Index::atom(Atom::Variable(*coordinate)))
                    .and_then(|rest| rest.plus(&Index::constant(-1)));
                found.extend(below.map(Fact::AtLeastZero));
            }
        }
        found
    }

    fn is_device(&self, function: FunctionId) -> bool {
        self.program.function(function).space.on_device()
    }

    /// What holds at a call, and what the grid and block of a launch say.
    fn with_launch(&self, indices: &mut Indices, site: &Site) -> Facts {
        let mut facts = self.facts.get(&site.call).cloned().unwrap_or_default();
        let Some((grid, block)) = site.config.filter(|_| !self.is_device(site.caller)) else {
            return facts;
        };
        for (index, count, config) in [
            (Builtin::Block, Builtin::GridSize, grid),
            (Builtin::Thread, Builtin::BlockSize, block),
        ] {
            let Some(extents) = self.shape(config) else { continue };
            for (axis, extent) in Axis::ALL.into_iter().zip(extents) {
                let Some((whole, by)) = self.limit(indices, extent) else { continue };
                let builtin = |builtin| self.builtins.get(&(builtin, axis)).copied();
                // by·(index + 1) ≤ whole
                if let Some(index) = builtin(index).and_then(|at| indices.index(self.program, at)) {
                    let rest = index
                        .plus(&Index::constant(1))
                        .and_then(|next| next.times(&Index::constant(by)))
                        .and_then(|least| whole.minus(&least));
                    if let Some(rest) = rest {
                        facts = facts.with(Fact::AtLeastZero(rest));
                    }
                }
                if let Some(count) = builtin(count).and_then(|at| indices.index(self.program, at))
                    && by == 1
                    && let Some(atom) = count.as_atom()
                {
                    facts = facts.with(Fact::Extent(*atom, whole.clone()));
                }
            }
        }
        facts
    }

    /// The three extents of a grid or block; `None` for those that are 1.
    fn shape(&self, config: ExprId) -> Option<[Option<ExprId>; 3]> {
        let program = self.program;
        let config = program.strip_parens(config);
        if program.types.as_scalar(program.expr(config).ty.id).is_some_and(Scalar::is_integer) {
            return Some([Some(config), None, None]);
        }
        let (made, declared) = match program.expr(config).kind {
            ExprKind::Name(NameRef::Variable(id)) => {
                let variable = program.variable(id);
                let is_fixed = variable.storage == Storage::Local
                    && self.changes.is_constant(id)
                    && !self.exposed.contains(&id)
                    && matches!(program.types.kind(variable.ty.id),
                        TypeKind::Named(name, _) if name == "dim3");
                (program.strip_parens(variable.init.filter(|_| is_fixed)?), variable.function)
            }
            _ => (config, None),
        };
        let arguments = match &program.expr(made).kind {
            ExprKind::Call { callee, arguments, .. } => {
                match resolve_callee(program, *callee, arguments) {
                    Callee::Library(name) if name == "dim3" => arguments.to_vec(),
                    _ => return None,
                }
            }
            ExprKind::Construct { of, arguments } => match program.types.kind(of.id) {
                TypeKind::Named(name, _) if name == "dim3" => arguments.to_vec(),
                _ => return None,
            },
            _ if program
                .types
                .as_scalar(program.expr(made).ty.id)
                .is_some_and(Scalar::is_integer) =>
            {
                vec![made]
            }
            _ => return None,
        };
        if arguments.len() > 3 {
            return None;
        }
        // What the extents are made of must be the same when the kernel is launched.
        if let Some(body) = declared.and_then(|function| program.function(function).body) {
            let whole = program.stmt(body).span;
            let region = Span { start: program.expr_site(made).start, ..whole };
            let is_kept = arguments
                .iter()
                .flat_map(|argument| super::facts::variables(program, *argument))
                .all(|id| self.changes.is_constant_in(id, &[region]));
            if !is_kept {
                return None;
            }
        }
        let mut extents = [None; 3];
        for (extent, argument) in extents.iter_mut().zip(arguments) {
            *extent = Some(argument);
        }
        Some(extents)
    }

    /// `(w, c)`, with `c·extent ≤ w`. A grid that is empty or negative does not run.
    fn limit(&self, indices: &mut Indices, extent: Option<ExprId>) -> Option<(Index, i64)> {
        let program = self.program;
        let Some(extent) = extent else { return Some((Index::constant(1), 1)) };
        let extent = program.strip_parens(extent);
        let is_signed = |expr: ExprId| {
            evaluate::constant(program, expr).is_some()
                || program
                    .types
                    .as_scalar(program.expr(expr).ty.id)
                    .is_some_and(|scalar| scalar.is_integer() && !scalar.is_unsigned())
        };
        if !is_signed(extent) {
            return None;
        }
        if let ExprKind::Binary(BinaryOp::Div, left, right) = program.expr(extent).kind
            && let Some(by) = evaluate::constant(program, right).filter(|by| *by > 0)
        {
            return Some((indices.index(program, left).filter(|_| is_signed(left))?, by));
        }
        Some((indices.index(program, extent)?, 1))
    }
}

/// A value of a function's parameters in terms of a call.
fn inserted(
    goal: &Index,
    values: &BTreeMap<VarId, Index>,
    program: &Program,
    function: FunctionId,
) -> Option<Index> {
    let mut found = goal.clone();
    // At once: an argument may mention what is a parameter's name elsewhere, never a parameter.
    for atom in goal.atoms() {
        let Atom::Variable(id) = atom else { continue };
        match values.get(&id) {
            Some(value) => found = found.replace(&atom, value)?,
            None if program.variable(id).function == Some(function) => return None,
            None => {}
        }
    }
    Some(found)
}

/// Names of variables that give the shape of a launch, and such of which a member is an operand of
/// arithmetic on numbers: all that cannot change them.
fn harmless_uses(program: &Program) -> BTreeSet<ExprId> {
    let mut found = BTreeSet::new();
    for id in program.expr_ids() {
        match &program.expr(id).kind {
            ExprKind::Launch { config, .. } => {
                found.extend(config.iter().map(|shape| program.strip_parens(*shape)));
            }
            ExprKind::Binary(
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem,
                left,
                right,
            ) if !program.operators.contains_key(&id) => {
                for operand in [left, right] {
                    let operand = program.strip_parens(*operand);
                    if let ExprKind::Member { base, .. } = program.expr(operand).kind {
                        found.insert(program.strip_parens(base));
                    }
                }
            }
            // Any other use may hold on to it.
            _ => {}
        }
    }
    found
}

//! What the host says of the grids of OpenCL programs: the extents where buffers are created, and how
//! many work-items run.
//!
//! Kernels and host meet in calls that set one argument each, so what a kernel's parameter holds is
//! followed from those calls up to *roots*: numbers, and variables of functions that run once.
//! *Claims:* a root has one value from the first call on that works with the array until its
//! function ends; and all kernels and all calls that create buffers of a class mean the same values of
//! roots, so every buffer has the extents that every kernel is given with it.

use super::callers::{in_parameters, start_of_loops};
use super::extents::Extents;
use super::facts::{Changes, Fact, Facts};
use super::index::{Atom, Index, Indices, is_integer};
use super::{Access, pin};
use crate::catalogue::builtins::{Axis, Builtin};
use crate::classes::{BufferApi, Callee, ClassId, Classes, Given, Pin, Slot, resolve_callee};
use layoutc_diagnostics::{Code, Span};
use layoutc_syntax::{
    ExprId, ExprKind, FunctionId, Program, Scalar, StmtKind, Storage, TypeId, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// How far values are followed.
const DEPTH: usize = 32;

/// Values of the host in terms of roots.
pub(super) struct Roots<'a> {
    program: &'a Program,
    classes: &'a Classes,
    changes: &'a Changes,
    /// By instance: the one call that reaches it.
    callers: Vec<Option<(usize, ExprId)>>,
    /// By instance: the places at which values were looked at.
    mentions: BTreeMap<usize, Vec<Span>>,
}

impl<'a> Roots<'a> {
    pub(super) fn new(program: &'a Program, classes: &'a Classes, changes: &'a Changes) -> Self {
        let instances = &classes.buffers.instances;
        let mut callers = vec![None; instances.len()];
        let mut is_single = vec![true; instances.len()];
        for (at, instance) in instances.iter().enumerate() {
            for (call, callee) in &instance.calls {
                is_single[*callee] &= callers[*callee].is_none();
                callers[*callee] = Some((at, *call));
            }
        }
        for (caller, is_single) in callers.iter_mut().zip(is_single) {
            *caller = caller.filter(|_| is_single);
        }
        Roots { program, classes, changes, callers, mentions: BTreeMap::new() }
    }

    fn function(&self, instance: usize) -> FunctionId {
        self.classes.buffers.instances[instance].function
    }

    fn mention(&mut self, instance: usize, expr: ExprId) {
        let span = self.program.expr_site(expr);
        self.mentions.entry(instance).or_default().push(span);
        if let Some((caller, call)) = self.callers[instance] {
            // Calls do not reach themselves: instances of such functions have several callers.
            self.mention(caller, call);
        }
    }

    /// An expression of an instance.
    fn value(
        &mut self,
        indices: &mut Indices,
        instance: usize,
        expr: ExprId,
        depth: usize,
    ) -> Option<Index> {
        let depth = depth.checked_sub(1)?;
        self.mention(instance, expr);
        let mut value = indices.index(self.program, expr)?;
        for atom in value.atoms() {
            let Atom::Variable(id) = atom else { return None };
            let root = self.variable(indices, instance, id, depth)?;
            value = value.replace(&atom, &root)?;
        }
        Some(value)
    }

    /// The value of a variable of an instance.
    fn variable(
        &mut self,
        indices: &mut Indices,
        instance: usize,
        id: VarId,
        depth: usize,
    ) -> Option<Index> {
        let program = self.program;
        let variable = program.variable(id);
        let own = Index::atom(Atom::Variable(id));
        let is_fixed = self.changes.is_constant(id);
        let Some(function) = variable.function else { return is_fixed.then_some(own) };
        if function != self.function(instance) {
            return None;
        }
        match variable.storage {
            Storage::Parameter { index } if is_fixed => {
                let Some((caller, call)) = self.callers[instance] else { return Some(own) };
                let ExprKind::Call { arguments, .. } = &program.expr(call).kind else {
                    return None;
                };
                let argument = *arguments.get(index)?;
                if program.function(function).parameters.get(index) != Some(&id)
                    || !self.keeps(variable.ty.id, argument)
                {
                    return None;
                }
                self.value(indices, caller, argument, depth)
            }
            Storage::Local if is_fixed => {
                let init = variable.init.filter(|init| self.keeps(variable.ty.id, *init));
                let known = init.and_then(|init| self.value(indices, instance, init, depth));
                Some(known.unwrap_or(own))
            }
            Storage::Parameter { .. } | Storage::Local => Some(own),
            Storage::Static => None,
        }
    }

    /// Whether an object of a type holds the number that a value is.
    fn keeps(&self, to: TypeId, value: ExprId) -> bool {
        let program = self.program;
        let size =
            |ty| program.types.as_scalar(ty).filter(|own| own.is_integer()).map(Scalar::size);
        let (own, given) = (size(to), size(program.expr(value).ty.id));
        let is_constant = layoutc_syntax::evaluate::constant(program, value).is_some();
        own >= Some(4)
            && (is_constant || given.is_some() && own >= given)
            && is_integer(program, value)
    }

    /// What the host gives a parameter of a kernel.
    ///
    /// # Errors
    /// Why that cannot be told.
    fn given(&mut self, indices: &mut Indices, id: VarId) -> Result<Index, Pin> {
        let program = self.program;
        let own = program.variable(id);
        let refused = |span: Span, why: &str| {
            let message = format!("the extent `{}` of the grid {why}", own.name);
            Err(pin(span, Code::GRID_FORM, message))
        };
        let Some(all) = self.classes.buffers.numbers.of(id).filter(|all| !all.is_empty()) else {
            return refused(own.site.name, "is set by calls that are not all seen");
        };
        let all: Vec<Given> = all.to_vec();
        let mut known: Option<Index> = None;
        for given in all {
            let span = program.expr_site(given.value);
            let size =
                |ty| program.types.as_scalar(ty).filter(|own| own.is_integer()).map(Scalar::size);
            let is_same = size(own.ty.id) >= Some(4)
                && size(own.ty.id) == size(program.expr(given.value).ty.id);
            let value = self.value(indices, given.instance, given.value, DEPTH).filter(|_| is_same);
            let Some(value) = value else {
                return refused(span, "cannot be followed from here to a value that is set once");
            };
            match &known {
                Some(other) if *other != value => {
                    return refused(span, "is not shown to be given one value by all calls");
                }
                _ => known = Some(value),
            }
        }
        known.map_or_else(|| refused(own.site.name, "is never set"), Ok)
    }

    /// Extents of the host in terms of a kernel's parameters.
    fn in_kernel(
        &mut self,
        indices: &mut Indices,
        kernel: FunctionId,
        host: &[Index],
    ) -> Option<Vec<Index>> {
        let given = self.numbers(indices, kernel);
        let named = |value: &Index| {
            let found = given.iter().find(|(_, own)| own == value)?;
            Some(Index::atom(Atom::Variable(found.0)))
        };
        host.iter()
            .map(|extent| match extent.as_constant() {
                Some(_) => Some(extent.clone()),
                None => named(extent),
            })
            .collect()
    }

    /// The parameters of a kernel that are numbers, with what the host gives them.
    fn numbers(&mut self, indices: &mut Indices, kernel: FunctionId) -> Vec<(VarId, Index)> {
        let program = self.program;
        let mut found = Vec::new();
        for id in &program.function(kernel).parameters {
            let scalar = program.types.as_scalar(program.variable(*id).ty.id);
            let is_number = scalar.is_some_and(Scalar::is_integer) && self.changes.is_constant(*id);
            if is_number && let Ok(value) = self.given(indices, *id) {
                found.push((*id, value));
            }
        }
        found
    }

    /// Whether roots are variables that keep their values while arrays are in use.
    fn check(&self, values: &[Index]) -> Result<(), String> {
        let program = self.program;
        let instances = &self.classes.buffers.instances;
        let atoms: BTreeSet<Atom> = values.iter().flat_map(Index::atoms).collect();
        for atom in atoms {
            let Atom::Variable(id) = atom else { continue };
            let variable = program.variable(id);
            let Some(function) = variable.function else { continue };
            let fail =
                |why: &str| Err(format!("`{}`, an extent of the grid, {why}", variable.name));
            let mut of = (0..instances.len()).filter(|at| self.function(*at) == function);
            let (Some(instance), None) = (of.next(), of.next()) else {
                return fail("is a variable of a function that is called in several ways");
            };
            let Some(body) = program.function(function).body.filter(|_| self.runs_once(instance))
            else {
                return fail("is a variable of a function that may run more than once");
            };
            let whole = program.stmt(body).span;
            if start_of_loops(program, whole, variable.site.name).is_some() {
                return fail("is a variable of a loop");
            }
            if self.in_lambda(variable.site.name) {
                return fail("is a variable of a lambda");
            }
            let jumps = |stmt: &layoutc_syntax::Stmt| {
                matches!(stmt.kind, StmtKind::Goto(_)) && whole.contains(stmt.span)
            };
            if program.stmts.iter().any(jumps) {
                return fail("is a variable of a function with jumps");
            }
            let mentions = self.mentions.get(&instance).into_iter().flatten();
            let inside = mentions.filter(|place| whole.contains(**place));
            let starts = inside.map(|place| {
                start_of_loops(program, whole, *place)
                    .map_or(place.start, |start| start.min(place.start))
            });
            let start = starts.min().unwrap_or(whole.start);
            if !self.changes.is_constant_in(id, &[Span { start, ..whole }]) {
                return fail(match self.changes.is_unknown(id) {
                    true => "may change later",
                    false => "changes later",
                });
            }
        }
        Ok(())
    }

    /// Whether nothing calls the function of an instance a second time.
    fn runs_once(&self, instance: usize) -> bool {
        let mut at = instance;
        for _ in 0..DEPTH {
            let function = self.function(at);
            let Some((caller, call)) = self.callers[at] else {
                return self.program.function(function).name == "main";
            };
            let outer = self.program.function(self.function(caller));
            let Some(body) = outer.body else { return false };
            let whole = self.program.stmt(body).span;
            let site = self.program.expr_site(call);
            let instances = &self.classes.buffers.instances;
            let of_caller = instances[caller].calls.values().filter(|callee| **callee == at);
            if !whole.contains(site)
                || start_of_loops(self.program, whole, site).is_some()
                || of_caller.count() != 1
                || self.in_lambda(site)
            {
                return false;
            }
            at = caller;
        }
        false
    }

    fn in_lambda(&self, site: Span) -> bool {
        self.program.exprs.iter().any(|expr| match &expr.kind {
            ExprKind::Lambda { body, .. } => self.program.stmt(*body).span.contains(site),
            _ => false,
        })
    }

    /// A value of roots in terms of what an instance can name.
    fn in_instance(
        &mut self,
        indices: &mut Indices,
        instance: usize,
        value: &Index,
        call: ExprId,
    ) -> Option<Index> {
        let program = self.program;
        let function = self.function(instance);
        let is_known = |id: &VarId| {
            let own = program.variable(*id);
            let scalar = program.types.as_scalar(own.ty.id);
            own.function == Some(function)
                && own.storage != Storage::Static
                && scalar.is_some_and(|own| own.is_integer() && own.size() >= 4)
                && own.site.name.start < program.expr_site(call).start
        };
        let names: Vec<VarId> = program.variable_ids().filter(is_known).collect();
        let mut known: Vec<(VarId, Index)> = Vec::new();
        for id in names {
            if let Some(root) = self.variable(indices, instance, id, DEPTH) {
                known.push((id, root));
            }
        }
        let named = |this: &Self, wanted: &Index| {
            let found = known.iter().find(|(id, root)| {
                // What is its own root is checked with the roots.
                let is_root = root.as_atom() == Some(&Atom::Variable(*id));
                root == wanted && (is_root || this.changes.is_constant(*id))
            })?;
            Some(Index::atom(Atom::Variable(found.0)))
        };
        if value.as_constant().is_some() {
            return Some(value.clone());
        }
        named(self, value).or_else(|| {
            value.atoms().into_iter().try_fold(value.clone(), |value, atom| match atom {
                Atom::Variable(id) if program.variable(id).function.is_none() => Some(value),
                _ => value.replace(&atom, &named(self, &Index::atom(atom))?),
            })
        })
    }
}

/// Checks that indices mean the same whatever options the kernels are built with: no function that
/// accesses the array, calls one that does or is called by one uses a macro that an option may define.
///
/// # Errors
/// The use of such a macro.
pub(super) fn check_macros(
    program: &Program,
    classes: &Classes,
    class: ClassId,
    accesses: &[Access],
) -> Result<(), Pin> {
    if !classes.class(class).is_of_buffers {
        return Ok(());
    }
    let mut edges: BTreeMap<FunctionId, BTreeSet<FunctionId>> = BTreeMap::new();
    for caller in program.function_ids() {
        if program.function(caller).body.is_none() || !program.function(caller).space.on_device() {
            continue;
        }
        for expr in program.function_parts(caller).exprs {
            let ExprKind::Call { callee, arguments, .. } = &program.expr(expr).kind else {
                continue;
            };
            let callees = match resolve_callee(program, *callee, arguments) {
                Callee::Function(function) => vec![function],
                Callee::Ambiguous(several) => several,
                Callee::Library(_) | Callee::Unknown => continue,
            };
            for callee in callees {
                edges.entry(caller).or_default().insert(callee);
                edges.entry(callee).or_default().insert(caller);
            }
        }
    }
    let mut pending: Vec<FunctionId> = accesses.iter().map(|access| access.function).collect();
    let mut seen = BTreeSet::new();
    while let Some(function) = pending.pop() {
        if !seen.insert(function) {
            continue;
        }
        if let Some(span) = classes.buffers.changeable_in(program, function) {
            let message = "what indices mean depends on a macro or a branch that an option of `clBuildProgram` may choose";
            return Err(pin(span, Code::INACTIVE_BRANCH, message.to_owned()));
        }
        pending.extend(edges.get(&function).into_iter().flatten());
    }
    Ok(())
}

/// Adds the extents where buffers of a class are created, and checks that all kernels and all of these
/// calls agree.
///
/// # Errors
/// The parameter or call whose extents differ from others or cannot be told.
pub(super) fn add(
    program: &Program,
    classes: &Classes,
    class: ClassId,
    indices: &mut Indices,
    extents: &mut Extents<'_>,
) -> Result<(), Pin> {
    let is_constant =
        extents.by_function.values().flatten().all(|extent| extent.as_constant().is_some());
    if !classes.class(class).is_of_buffers || is_constant {
        return Ok(());
    }
    let mut roots = Roots::new(program, classes, extents.changes);
    let mut host: Option<Vec<Index>> = None;
    for slot in &classes.class(class).slots {
        let Slot::Variable(id) = slot else { continue };
        let Some(kernel) = program.variable(*id).function.filter(|_| classes.buffers.reaches(*id))
        else {
            continue;
        };
        let Some(own) = extents.by_function.get(&kernel).cloned() else { continue };
        let span = program.variable(*id).site.name;
        let unknown = || {
            let message = "the extents of the grid are made of more than the kernel's parameters";
            pin(span, Code::GRID_FORM, message.to_owned())
        };
        let mut found = Vec::new();
        for extent in own {
            let mut extent = in_parameters(program, indices, &extent).ok_or_else(unknown)?;
            for atom in extent.atoms() {
                let Atom::Variable(parameter) = atom else { return Err(unknown()) };
                let is_parameter = program.variable(parameter).function == Some(kernel)
                    && extents.changes.is_constant(parameter);
                if !is_parameter {
                    return Err(unknown());
                }
                let value = roots.given(indices, parameter)?;
                extent = extent.replace(&atom, &value).ok_or_else(unknown)?;
            }
            found.push(extent);
        }
        match &host {
            Some(other) if *other != found => {
                let message =
                    "kernels are not shown to be given this grid with the same extents elsewhere";
                return Err(pin(span, Code::GRID_CONFLICT, message.to_owned()));
            }
            _ => host = Some(found),
        }
    }
    let Some(host) = host else { return Ok(()) };
    // Kernels whose indices do not show the extents may be given them all the same.
    for slot in &classes.class(class).slots {
        let Slot::Variable(id) = slot else { continue };
        let kernel = program.variable(*id).function.filter(|_| classes.buffers.reaches(*id));
        if let Some(kernel) = kernel
            && !extents.by_function.contains_key(&kernel)
            && let Some(own) = roots.in_kernel(indices, kernel, &host)
        {
            extents.by_function.insert(kernel, own);
        }
    }
    let calls: Vec<_> = classes.buffers.calls_of(classes, class).copied().collect();
    for call in &calls {
        roots.mention(call.instance, call.call);
    }
    for call in calls.iter().filter(|call| call.api == BufferApi::Create) {
        let span = program.expr_site(call.call);
        let here: Option<Vec<Index>> = host
            .iter()
            .map(|extent| roots.in_instance(indices, call.instance, extent, call.call))
            .collect();
        let Some(here) = here else {
            let message = "the extents of the grid have no names where this buffer is created";
            return Err(pin(span, Code::GRID_FORM, message.to_owned()));
        };
        let function = roots.function(call.instance);
        let known = extents.by_function.entry(function).or_insert_with(|| here.clone());
        if *known != here {
            let message = "the buffers that are created here are grids with several extents";
            return Err(pin(span, Code::GRID_CONFLICT, message.to_owned()));
        }
    }
    roots.check(&host).map_err(|message| {
        let span = calls.first().map(|call| program.expr_site(call.call));
        let nowhere = program.variable(classes.buffers.calls[0].parameter).site.name;
        pin(span.unwrap_or(nowhere), Code::GRID_FORM, message)
    })
}

/// What the ranges of all launches say where an OpenCL kernel begins: `get_global_id(0)` is below a
/// parameter, or below a number.
pub(super) fn launched(
    program: &Program,
    classes: &Classes,
    changes: &Changes,
    indices: &mut Indices,
    kernel: FunctionId,
    builtins: &BTreeMap<(Builtin, Axis), ExprId>,
) -> Facts {
    let mut facts = Facts::default();
    let Some(ranges) = classes.buffers.numbers.ranges_of(kernel).filter(|all| !all.is_empty())
    else {
        return facts;
    };
    let mut roots = Roots::new(program, classes, changes);
    let given = roots.numbers(indices, kernel);
    let is_number = |(builtin, _): &(Builtin, Axis)| *builtin == Builtin::Global;
    for ((_, axis), expr) in builtins.iter().filter(|(found, _)| is_number(found)) {
        let mut limit: Option<Index> = None;
        let mut is_same = true;
        for range in ranges {
            let item = range.items.get(axis.index()).copied();
            let size = |ty| program.types.as_scalar(ty).map(Scalar::size);
            let value = match item {
                // Dimensions that are not given have one work-item.
                None => Some(Index::constant(1)),
                Some(item) => {
                    roots.mention(range.instance, range.call);
                    // The launch reads a `size_t`.
                    let is_whole =
                        range.holder.is_none_or(|id| size(program.variable(id).ty.id) == Some(8));
                    roots.value(indices, range.instance, item, DEPTH).filter(|_| is_whole)
                }
            };
            is_same &=
                value.is_some() && limit.as_ref().is_none_or(|own| Some(own) == value.as_ref());
            limit = value;
        }
        let Some(limit) = limit.filter(|_| is_same) else { continue };
        if roots.check(std::slice::from_ref(&limit)).is_err() {
            continue;
        }
        let Some(own) = indices.index(program, *expr) else { continue };
        let named = given.iter().filter(|(_, value)| *value == limit).map(|(id, _)| *id);
        let mut limits: Vec<Index> = named.map(|id| Index::atom(Atom::Variable(id))).collect();
        limits.extend(limit.as_constant().map(Index::constant));
        for limit in limits {
            let below = limit.minus(&own).and_then(|rest| rest.plus(&Index::constant(-1)));
            if let Some(below) = below {
                facts = facts.with(Fact::AtLeastZero(below));
            }
        }
    }
    facts
}

//! Launches by address: `void *args[] = {&d, &n}; cudaLaunchKernel((void *)k, grid, block, args)`.
//!
//! Entry `i` of the array is where the runtime reads argument `i` from when the kernel is launched. So
//! such a call is `k<<<grid, block>>>(d, n)`, and that is what it is in the model: an
//! [`ExprKind::Launch`] whose arguments are the variables behind the addresses, with their spans in the
//! list. The addresses themselves are gone from the model, because nothing else sees them.
//!
//! *Claim:* that holds if the array is a local variable of its function, each entry is given once, by its list
//! or by a statement in front of all launches, every other mention of the array is such a launch,
//! the kernel is named, and each variable has the type of its parameter: then neither is converted.
//! What is not shown to be so stays a call of a function that is not known.
//!
//! Where a pointer stands for the kernel (`cudaLaunchKernel(kernels[m], grid, block, args)`), the call stays, too, and the
//! objects whose addresses are given are followed by their members. *Claim:* the kernel is one that the program names other
//! than to launch it, and every such kernel has parameters of the types of the entries.

use super::Lowering;
use crate::program::{
    ExecutionSpace, Expr, ExprId, ExprKind, FunctionId, NameRef, NoLaunch, Program, RegionKind,
    StmtKind, Storage, VarId,
};
use crate::types::{QualType, TypeKind, TypeTable};
use layoutc_diagnostics::Span;
use std::collections::{BTreeMap, BTreeSet};
use thin_vec::ThinVec;

/// Calls that may be launches, until the whole program is known.
#[derive(Default)]
pub(crate) struct PendingLaunches {
    calls: Vec<Pending>,
    /// Statements that may give an entry of a local array: the array, the entry and the assignment.
    stores: BTreeMap<VarId, Vec<(i64, ExprId)>>,
}

/// A call of the runtime that launches what its first argument names.
pub(crate) struct Pending {
    call: ExprId,
    /// The array, unless the list stands in the call.
    array: Option<VarId>,
    /// The mention of the array, or the list.
    given: ExprId,
    /// The expressions that give the addresses, in order.
    entries: Vec<ExprId>,
    /// The variables behind them again, as operands of the launch.
    arguments: Result<Vec<ExprId>, NoLaunch>,
}

/// The functions of the runtime that take a kernel, its grid, its blocks and the array.
const LAUNCHES: [&str; 2] = ["cudaLaunchKernel", "cudaLaunchCooperativeKernel"];

impl Lowering<'_> {
    /// The operands of the call that is about to be lowered, if it may be a launch: they come before it.
    pub(crate) fn launch_operands(
        &mut self,
        callee: ExprId,
        arguments: &[ExprId],
    ) -> Option<Pending> {
        let ExprKind::Name(NameRef::Unknown(name)) = &self.program.expr(callee).kind else {
            return None;
        };
        let is_launch = LAUNCHES.contains(&name.trim_start_matches("::"));
        if !is_launch || !(4..=6).contains(&arguments.len()) || self.in_opencl() {
            return None;
        }
        let given = arguments[3];
        let (array, entries) = match &self.program.expr(given).kind {
            ExprKind::Name(NameRef::Variable(id)) => (Some(*id), self.entries_of(*id)),
            ExprKind::Construct { of, arguments }
                if matches!(self.program.types.kind(of.id), TypeKind::Array(..)) =>
            {
                (None, Ok(arguments.to_vec()))
            }
            _ => return None,
        };
        let (entries, arguments) = match entries {
            Ok(entries) => {
                let arguments = entries.iter().map(|entry| self.behind(*entry)).collect();
                (entries, arguments)
            }
            Err(reason) => (Vec::new(), Err(reason)),
        };
        Some(Pending { call: callee, array, given, entries, arguments })
    }

    /// Notes the call that was about to be lowered.
    pub(crate) fn note_launch(&mut self, call: ExprId, operands: Pending) {
        self.launches.calls.push(Pending { call, ..operands });
    }

    /// Notes `args[0] = &d`.
    pub(crate) fn note_entry(&mut self, assignment: ExprId) {
        let ExprKind::Assign(None, left, _) = self.program.expr(assignment).kind else { return };
        let ExprKind::Index { base, index, .. } = self.program.expr(left).kind else { return };
        if let ExprKind::Name(NameRef::Variable(id)) = self.program.expr(base).kind
            && let ExprKind::Integer(Some(at)) = self.program.expr(index).kind
            && is_array_of_addresses(&self.program, id)
        {
            self.launches.stores.entry(id).or_default().push((at, assignment));
        }
    }

    /// What gives the entries of an array, as far as the text goes.
    fn entries_of(&self, id: VarId) -> Result<Vec<ExprId>, NoLaunch> {
        let variable = self.program.variable(id);
        if !is_array_of_addresses(&self.program, id) || variable.storage != Storage::Local {
            return Err(NoLaunch::NoLocalArray);
        }
        match variable.init.map(|init| &self.program.expr(init).kind) {
            Some(ExprKind::InitList(items)) => Ok(items.to_vec()),
            Some(_) => Err(NoLaunch::NoLocalArray),
            None => {
                let mut stores = self.launches.stores.get(&id).cloned().unwrap_or_default();
                stores.sort_unstable();
                let values = stores.iter().map(|(_, store)| match self.program.expr(*store).kind {
                    ExprKind::Assign(None, _, value) => value,
                    _ => *store,
                });
                let is_complete = (0..).zip(&stores).all(|(at, (own, _))| at == *own);
                is_complete.then(|| values.collect()).ok_or(NoLaunch::Entries)
            }
        }
    }

    /// The variable or member whose address an entry is, once more: an operand of the launch.
    fn behind(&mut self, entry: ExprId) -> Result<ExprId, NoLaunch> {
        let address = stripped(&self.program, entry).ok_or(NoLaunch::InMacro)?;
        let ExprKind::AddressOf(inner) = self.program.expr(address).kind else {
            return Err(NoLaunch::Entries);
        };
        self.again(inner)
    }

    /// The same variable, or member of one, as another expression of the same text.
    fn again(&mut self, expr: ExprId) -> Result<ExprId, NoLaunch> {
        if self.program.macro_role(expr).is_some() {
            return Err(NoLaunch::InMacro);
        }
        let mut own = self.program.expr(expr).clone();
        match &mut own.kind {
            ExprKind::Paren(inner) => return self.again(*inner),
            ExprKind::Name(NameRef::Variable(_) | NameRef::Constant(_)) | ExprKind::This => {}
            ExprKind::Member { base, arrow, field: Some(_), .. } => {
                // Behind any other pointer it may be another object by then.
                let is_own = matches!(self.program.expr(*base).kind, ExprKind::This);
                if *arrow && !is_own {
                    return Err(NoLaunch::Entries);
                }
                *base = self.again(*base)?;
            }
            _ => return Err(NoLaunch::Entries),
        }
        let home = self.program.home(expr);
        self.program.exprs.push(own);
        self.program.expr_homes.push(home);
        Ok(ExprId(self.program.exprs.len() as u32 - 1))
    }

    /// Makes launches of the calls that are shown to be some.
    pub(crate) fn settle_launches(&mut self) {
        let PendingLaunches { calls, stores } = std::mem::take(&mut self.launches);
        if calls.is_empty() {
            return;
        }
        let program = &self.program;
        let mut uses: BTreeMap<VarId, BTreeSet<ExprId>> = BTreeMap::new();
        for id in program.expr_ids() {
            if let ExprKind::Name(NameRef::Variable(variable)) = program.expr(id).kind {
                uses.entry(variable).or_default().insert(id);
            }
        }
        let named = named_kernels(program, &calls);
        // By array; what stands in a call is one of its own.
        let mut groups: BTreeMap<(Option<VarId>, Option<ExprId>), Vec<Pending>> = BTreeMap::new();
        for own in calls {
            let alone = own.array.is_none().then_some(own.call);
            groups.entry((own.array, alone)).or_default().push(own);
        }
        for ((array, _), calls) in groups {
            let stores = array.and_then(|array| stores.get(&array)).map_or(&[][..], Vec::as_slice);
            let kernels: Result<Vec<FunctionId>, NoLaunch> = (calls.iter())
                .map(|own| {
                    let mentions = array.and_then(|array| uses.get(&array));
                    if let (Some(array), Some(mentions)) = (array, mentions) {
                        check_array(&self.program, array, mentions, &calls, stores)?;
                    }
                    check_call(&self.program, own)
                })
                .collect();
            match kernels {
                Ok(kernels) => {
                    for (own, _) in calls.iter().zip(kernels) {
                        launch(&mut self.program, own);
                    }
                }
                Err(reason) => {
                    let is_open = calls.iter().all(|own| {
                        let mentions = array.and_then(|array| uses.get(&array));
                        let is_sure = match (array, mentions) {
                            (Some(array), Some(mentions)) => {
                                check_array(&self.program, array, mentions, &calls, stores).is_ok()
                            }
                            _ => true,
                        };
                        let found = check_call(&self.program, own);
                        is_sure
                            && matches!(found, Ok(_) | Err(NoLaunch::NoKernel))
                            && named
                                .as_ref()
                                .is_some_and(|kernels| takes_entries(&self.program, own, kernels))
                    });
                    for own in &calls {
                        if is_open {
                            note_objects(&mut self.program, own);
                        }
                        give_up(&mut self.program, own, reason);
                    }
                }
            }
        }
    }
}

/// Whether a variable is a `void *[…]`.
fn is_array_of_addresses(program: &Program, id: VarId) -> bool {
    let TypeKind::Array(of, _) = *program.types.kind(program.variable(id).ty.id) else {
        return false;
    };
    matches!(*program.types.kind(of.id), TypeKind::Pointer(to) if to.id == TypeTable::VOID)
}

/// The operand behind parentheses and casts; none if a macro stands there.
fn stripped(program: &Program, mut expr: ExprId) -> Option<ExprId> {
    loop {
        if program.macro_role(expr).is_some() {
            return None;
        }
        match program.expr(expr).kind {
            ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. } => expr = inner,
            _ => return Some(expr),
        }
    }
}

/// Whether the array is what these calls and stores say, and nothing else looks at it.
fn check_array(
    program: &Program,
    array: VarId,
    mentions: &BTreeSet<ExprId>,
    calls: &[Pending],
    stores: &[(i64, ExprId)],
) -> Result<(), NoLaunch> {
    let variable = program.variable(array);
    let mut known: BTreeSet<ExprId> = calls.iter().map(|own| own.given).collect();
    for (_, store) in stores {
        if let ExprKind::Assign(_, left, _) = program.expr(*store).kind
            && let ExprKind::Index { base, .. } = program.expr(left).kind
        {
            known.insert(base);
        }
    }
    if !mentions.is_subset(&known) {
        return Err(NoLaunch::OtherUse);
    }
    // A list gives all entries, and nothing changes them.
    if variable.init.is_some() && !stores.is_empty() {
        return Err(NoLaunch::OtherUse);
    }
    let sites: Vec<Span> = calls.iter().map(|own| program.expr_site(own.call)).collect();
    if variable.init.is_none() {
        check_stores(program, array, stores, &sites)?;
    }
    let own = variable.site.name;
    let is_captured = program.exprs.iter().any(|expr| {
        matches!(expr.kind, ExprKind::Lambda { .. })
            && !expr.span.contains(own)
            && sites.iter().any(|site| expr.span.contains(*site))
    });
    if is_captured {
        return Err(NoLaunch::OtherUse);
    }
    let around: Vec<Span> = (variable.function.iter())
        .flat_map(|id| program.function(*id).sites.iter().map(|site| site.span))
        .collect();
    let is_mentioned = program.regions.iter().any(|region| {
        region.identifiers.contains(&variable.name)
            && (region.kind == RegionKind::MacroBody
                || around.iter().any(|site| site.overlaps(region.span)))
    });
    if is_mentioned { Err(NoLaunch::OtherUse) } else { Ok(()) }
}

/// Whether the entries are given once each, in the block of the array and in front of all launches.
fn check_stores(
    program: &Program,
    array: VarId,
    stores: &[(i64, ExprId)],
    launches: &[Span],
) -> Result<(), NoLaunch> {
    let block = program.stmts.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Block(body) => {
            let declares = body.iter().any(|id| {
                matches!(&program.stmt(*id).kind, StmtKind::Declaration(_, found) if found.contains(&array))
            });
            declares.then_some((stmt.span, body))
        }
        _ => None,
    });
    let (block, body) = block.ok_or(NoLaunch::Entries)?;
    let is_statement = |store: ExprId| {
        body.iter()
            .any(|id| matches!(program.stmt(*id).kind, StmtKind::Expr(Some(own)) if own == store))
    };
    let distinct: BTreeSet<i64> = stores.iter().map(|(at, _)| *at).collect();
    let is_in_order = stores.iter().all(|(_, store)| {
        let site = program.expr_site(*store);
        is_statement(*store)
            && launches.iter().all(|launch| block.contains(*launch) && site.end <= launch.start)
    });
    match distinct.len() == stores.len() && is_in_order {
        true => Ok(()),
        false => Err(NoLaunch::Entries),
    }
}

/// The kernel that a call launches, if its parameters have the types of what the entries lead to.
fn check_call(program: &Program, own: &Pending) -> Result<FunctionId, NoLaunch> {
    let arguments = own.arguments.as_ref().map_err(|reason| *reason)?;
    let ExprKind::Call { arguments: given, .. } = &program.expr(own.call).kind else {
        return Err(NoLaunch::NoKernel);
    };
    let named = stripped(program, given[0]).ok_or(NoLaunch::InMacro)?;
    let named = match program.expr(named).kind {
        ExprKind::AddressOf(inner) => stripped(program, inner).ok_or(NoLaunch::InMacro)?,
        _ => named,
    };
    let ExprKind::Name(NameRef::Functions(functions)) = &program.expr(named).kind else {
        return Err(NoLaunch::NoKernel);
    };
    let found: BTreeSet<FunctionId> = functions.iter().copied().collect();
    let mut found = found.into_iter();
    let (Some(id), None) = (found.next(), found.next()) else { return Err(NoLaunch::NoKernel) };
    let kernel = program.function(id);
    let is_open = !kernel.template_parameters.is_empty() && kernel.copy_of.is_none();
    if kernel.space != ExecutionSpace::Kernel || kernel.is_variadic || is_open {
        return Err(NoLaunch::NoKernel);
    }
    if arguments.len() < kernel.parameters.len() {
        return Err(NoLaunch::Entries);
    }
    let fits = kernel.parameters.iter().zip(arguments).all(|(parameter, argument)| {
        let own = program.variable(*parameter).ty;
        is_read_as(program, own, program.expr(*argument).ty)
    });
    if fits { Ok(id) } else { Err(NoLaunch::OtherType) }
}

/// Whether a parameter that is read from the bytes of a variable has that variable's value.
fn is_read_as(program: &Program, parameter: QualType, variable: QualType) -> bool {
    match (program.types.kind(parameter.id), program.types.kind(variable.id)) {
        (TypeKind::Pointer(to), TypeKind::Pointer(from)) => is_read_as(program, *to, *from),
        _ => parameter.id == variable.id,
    }
}

/// Turns a call into the launch that it is.
fn launch(program: &mut Program, own: &Pending) {
    let (ExprKind::Call { arguments: given, parentheses, .. }, Ok(arguments)) =
        (program.expr(own.call).kind.clone(), &own.arguments)
    else {
        return;
    };
    // The parentheses and casts around the kernel's name are no part of the model any more.
    let mut kernel = given[0];
    while let ExprKind::Paren(inner)
    | ExprKind::AddressOf(inner)
    | ExprKind::Cast { operand: inner, .. } = program.expr(kernel).kind
    {
        forget(program, kernel);
        kernel = inner;
    }
    let ExprKind::Name(NameRef::Functions(functions)) = &program.expr(kernel).kind else { return };
    let count = functions.first().map_or(0, |id| program.function(*id).parameters.len());
    for entry in &own.entries {
        forget_below(program, *entry);
    }
    let config: ThinVec<ExprId> = given[1..3].iter().chain(given.iter().skip(4)).copied().collect();
    let arguments = arguments[..count].iter().copied().collect();
    program.exprs[own.call.index()].kind =
        ExprKind::Launch { kernel, config, arguments, parentheses };
    program.launches_by_address.insert(own.call);
}

/// The kernels that the program names other than to launch them; nothing if there may be more.
fn named_kernels(program: &Program, calls: &[Pending]) -> Option<BTreeSet<FunctionId>> {
    let mut launched: BTreeSet<ExprId> = BTreeSet::new();
    for own in calls {
        let ExprKind::Call { arguments, .. } = &program.expr(own.call).kind else { continue };
        let mut kernel = arguments[0];
        while let ExprKind::Paren(inner)
        | ExprKind::AddressOf(inner)
        | ExprKind::Cast { operand: inner, .. } = program.expr(kernel).kind
        {
            kernel = inner;
        }
        launched.insert(kernel);
    }
    for expr in &program.exprs {
        if let ExprKind::Launch { kernel, .. } = expr.kind {
            launched.insert(program.strip_parens(kernel));
        }
    }
    let mut found = BTreeSet::new();
    for id in program.expr_ids().filter(|id| !launched.contains(id)) {
        if let ExprKind::Name(NameRef::Functions(named)) = &program.expr(id).kind {
            found.extend(named.iter().copied());
        }
        // A kernel of another program, or what a loader gives.
        if let ExprKind::Cast { target, .. } = program.expr(id).kind
            && program.types.is_function(target)
        {
            return None;
        }
    }
    // What stands outside of the model names it by its name.
    found.extend(program.function_ids().filter(|id| {
        let kernel = program.function(*id);
        let name = &kernel.name;
        kernel.space == ExecutionSpace::Kernel
            && program.regions.iter().any(|region| region.identifiers.contains(name))
    }));
    found.retain(|id| program.function(*id).space == ExecutionSpace::Kernel);
    Some(found)
}

/// Whether all of some kernels have parameters of the types of a call's entries, and there is one.
fn takes_entries(program: &Program, own: &Pending, kernels: &BTreeSet<FunctionId>) -> bool {
    let Ok(arguments) = &own.arguments else { return false };
    !kernels.is_empty()
        && kernels.iter().all(|id| {
            let kernel = program.function(*id);
            kernel.template_parameters.is_empty()
                && !kernel.is_variadic
                && kernel.parameters.len() <= arguments.len()
                && kernel.parameters.iter().zip(arguments).all(|(parameter, argument)| {
                    let own = program.variable(*parameter).ty;
                    is_read_as(program, own, program.expr(*argument).ty)
                })
        })
}

/// Notes the entries that are addresses of objects.
fn note_objects(program: &mut Program, own: &Pending) {
    let Ok(arguments) = &own.arguments else { return };
    for (entry, argument) in own.entries.iter().zip(arguments) {
        if program.types.as_record(program.expr(*argument).ty.id).is_some() {
            program.launched_objects.insert(*entry);
        }
    }
}

/// Leaves a call as it is, and notes why its entries are not followed.
fn give_up(program: &mut Program, own: &Pending, reason: NoLaunch) {
    for argument in own.arguments.iter().flatten() {
        forget_below(program, *argument);
    }
    for entry in &own.entries {
        program.unfollowed_launches.insert(*entry, reason);
    }
}

/// Takes an expression out of the model: what it says is said elsewhere.
fn forget(program: &mut Program, expr: ExprId) {
    let Expr { span, .. } = *program.expr(expr);
    program.exprs[expr.index()] =
        Expr { kind: ExprKind::Literal, span, ty: program.types.unknown() };
}

/// The same for all of its operands, too.
fn forget_below(program: &mut Program, expr: ExprId) {
    let mut stack = vec![expr];
    while let Some(at) = stack.pop() {
        stack.extend(program.expr(at).children());
        forget(program, at);
    }
}

//! Functions that serve arrays which need not be one class.
//!
//! All arrays that flow into one parameter are one class. Where that is in the way, because the arrays
//! have different extents, are asked for in different layouts, or one of them has to stay, each group of
//! arrays is given a copy of the function in the model ([`Program::copy_function`]), callers first.
//! *Invariant:* sending a call to a copy never changes the program's meaning, so the groups, which are
//! found by leaving the parameters unbound, need no proof: what is one array after all is
//! unified again.

use super::calls::{CallGraph, Callee, resolve_callee};
use super::versions::named_otherwise;
use super::{Classes, find_grid_classes};
use layoutc_diagnostics::Span;
use layoutc_syntax::{
    ExprId, ExprKind, FunctionId, NameRef, PragmaArray, Program, Storage, TypeKind, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// How often copies may need copies of what they call.
const ROUNDS: usize = 12;

/// How many copies a program may have.
const MOST: usize = 64;

/// What [`separate`] did.
#[derive(Clone, Debug, Default)]
pub struct Separation {
    /// By copy: the function that it is a copy of.
    pub originals: BTreeMap<FunctionId, FunctionId>,
    /// Functions that have no copies, with the call that wants one and the reason.
    pub refused: BTreeMap<FunctionId, (Span, String)>,
    /// Functions with copies that must all have one text, in the same form.
    pub unwritten: BTreeMap<FunctionId, (Span, String)>,
}

/// A call that passes arrays to parameters that are to be told apart.
struct Site {
    call: ExprId,
    caller: FunctionId,
    callee: FunctionId,
    arguments: Vec<ExprId>,
}

/// Gives each group of arrays that is passed to `parameters` its own copy of the function.
///
/// `typed` is what is done to the program before classes are found; it keeps all ids.
pub fn separate(
    program: &mut Program,
    parameters: &BTreeSet<VarId>,
    typed: impl Fn(&Program) -> Program,
) -> Separation {
    let mut found = Separation::default();
    let mut parameters = parameters.clone();
    for _ in 0..ROUNDS {
        let mut apart = typed(program);
        let sites = sites(&apart, &parameters);
        for site in &sites {
            unbind(&mut apart, site.call);
        }
        let classes = find_grid_classes(&apart);
        let named = named_otherwise(program, &CallGraph::new(program));
        // By function: its calls, by what they pass.
        let mut groups: BTreeMap<FunctionId, Vec<(Key, Vec<&Site>)>> = BTreeMap::new();
        for site in &sites {
            let key = key(program, &classes, &parameters, site);
            let own = groups.entry(site.callee).or_default();
            match own.iter_mut().find(|(other, _)| *other == key) {
                Some((_, calls)) => calls.push(site),
                None => own.push((key, vec![site])),
            }
        }
        groups.retain(|function, groups| {
            if groups.len() < 2 {
                return false;
            }
            let calls = groups.iter().flat_map(|(_, calls)| calls.iter().copied());
            match obstacle(program, *function, calls) {
                Some(refusal) => {
                    found.refused.entry(*function).or_insert(refusal);
                    false
                }
                None => true,
            }
        });
        // What a function passes on is known once it has its own copies.
        let ready: Vec<FunctionId> = groups
            .keys()
            .copied()
            .filter(|function| !is_called_from(&sites, *function, &groups))
            .collect();
        let mut has_copied = false;
        for function in ready {
            // The first group keeps the function.
            for (_, calls) in groups[&function].iter().skip(1) {
                if found.originals.len() >= MOST {
                    return found;
                }
                let copy = match program.copy_function(function, None, false) {
                    Ok(copy) => copy,
                    Err(why) => {
                        let span = program.expr_site(calls[0].call);
                        let why = why.reason().to_owned();
                        found.refused.entry(function).or_insert((span, why));
                        break;
                    }
                };
                found.originals.insert(copy, function);
                let all = groups[&function].iter().flat_map(|(_, calls)| calls.iter().copied());
                if let Some(refusal) = needs_one_text(program, function, &named, all) {
                    found.unwritten.entry(function).or_insert(refusal);
                }
                for call in calls {
                    program.redirect_call(call.call, copy);
                }
                let own = program.function(function).parameters.clone();
                let theirs = &program.function(copy).parameters;
                parameters.extend(
                    own.iter()
                        .zip(theirs)
                        .filter(|(own, _)| parameters.contains(own))
                        .map(|(_, theirs)| *theirs)
                        .collect::<Vec<_>>(),
                );
                has_copied = true;
            }
        }
        if !has_copied {
            break;
        }
    }
    found
}

/// By parameter: the node of what is passed.
type Key = Vec<Option<usize>>;

fn key(program: &Program, classes: &Classes, parameters: &BTreeSet<VarId>, site: &Site) -> Key {
    program
        .function(site.callee)
        .parameters
        .iter()
        .zip(&site.arguments)
        .filter(|(parameter, _)| parameters.contains(parameter))
        .map(|(_, argument)| classes.places.value(*argument).map(|value| value.node))
        .collect()
}

/// All calls and launches that pass something to one of the parameters, in arena order.
fn sites(program: &Program, parameters: &BTreeSet<VarId>) -> Vec<Site> {
    let mut found = Vec::new();
    for caller in program.function_ids() {
        if program.function(caller).body.is_none() {
            continue;
        }
        for call in program.function_parts(caller).exprs {
            let (ExprKind::Call { callee, arguments, .. }
            | ExprKind::Launch { kernel: callee, arguments, .. }) = &program.expr(call).kind
            else {
                continue;
            };
            if let Callee::Function(callee) = resolve_callee(program, *callee, arguments)
                && program.function(callee).parameters.iter().any(|own| parameters.contains(own))
            {
                found.push(Site { call, caller, callee, arguments: arguments.to_vec() });
            }
        }
    }
    found
}

/// Lets a call reach nothing.
fn unbind(program: &mut Program, call: ExprId) {
    if let ExprKind::Call { callee, .. } | ExprKind::Launch { kernel: callee, .. } =
        program.expr(call).kind
    {
        let callee = program.strip_parens(callee);
        program.exprs[callee.index()].kind = ExprKind::Name(NameRef::Unknown(String::new()));
    }
}

/// Whether a function is called, perhaps by way of others, from one that is given copies.
fn is_called_from<T>(
    sites: &[Site],
    function: FunctionId,
    groups: &BTreeMap<FunctionId, T>,
) -> bool {
    let mut seen = BTreeSet::new();
    let mut stack = vec![function];
    while let Some(at) = stack.pop() {
        for site in sites.iter().filter(|site| site.callee == at) {
            if groups.contains_key(&site.caller) {
                return true;
            }
            if seen.insert(site.caller) {
                stack.push(site.caller);
            }
        }
    }
    false
}

/// Why a function cannot be given copies.
fn obstacle<'s>(
    program: &Program,
    function: FunctionId,
    mut calls: impl Iterator<Item = &'s Site>,
) -> Option<(Span, String)> {
    let own = program.function(function);
    let first = calls.next().map_or(own.sites[0].name, |site| program.expr_site(site.call));
    let refused = |why: &str| Some((first, why.to_owned()));
    if own.record.is_some() {
        return refused("it is a member function");
    }
    let has_template = own.sites.iter().any(|site| site.template.is_some());
    if has_template || own.copy_of.as_ref().is_some_and(layoutc_syntax::CopyOf::is_instance) {
        return refused("it is a template");
    }
    if own.copy_of.is_some() {
        return refused("it is a version already");
    }
    if own.is_variadic {
        return refused("it takes any number of arguments");
    }
    let parts = program.function_parts(function);
    // Types with extents are written in places that copies share.
    let has_extents = |id: &VarId| {
        let variable = program.variable(*id);
        match *program.types.kind(variable.ty.id) {
            TypeKind::Pointer(to) => matches!(program.types.kind(to.id), TypeKind::Array(..)),
            TypeKind::Array(..) => matches!(variable.storage, Storage::Parameter { .. }),
            _ => false,
        }
    };
    let has_brackets = own
        .parameters
        .iter()
        .any(|id| !super::brackets_of(program, &program.variable(*id).site).is_empty());
    if has_brackets || parts.variables.iter().any(has_extents) {
        return refused("its arrays have extents in their types");
    }
    let has_pragma = program.pragmas.iter().any(|pragma| {
        own.sites.iter().any(|site| site.span.contains(pragma.directive))
            || matches!(pragma.array, PragmaArray::Variable(id) if parts.variables.contains(&id))
    });
    if has_pragma {
        return refused("a pragma speaks of its arrays");
    }
    None
}

/// Why the copies of a function cannot be given texts of their own under other names.
fn needs_one_text<'s>(
    program: &Program,
    function: FunctionId,
    named: &BTreeSet<FunctionId>,
    calls: impl Iterator<Item = &'s Site>,
) -> Option<(Span, String)> {
    let own = program.function(function);
    let mut calls = calls.peekable();
    let first = calls.peek().map_or(own.sites[0].name, |site| program.expr_site(site.call));
    let refused = |why: &str| Some((first, why.to_owned()));
    if named.contains(&function) {
        return refused("it is named other than to call it");
    }
    let Some(body) = own.body else { return refused("it has no body in the program") };
    let is_in_macro =
        |site: &layoutc_syntax::FunctionSite| program.declaration_home(&site.result).is_some();
    if program.stmt_homes.of(body.index()).is_some() || own.sites.iter().any(is_in_macro) {
        return refused("it stands in the body of a macro");
    }
    let whole = program.stmt(body).span;
    if !own.sites.iter().any(|site| site.span.contains(whole)) {
        return refused("its text is not in one piece");
    }
    let text = program.text(whole);
    let names_itself = layoutc_syntax::preprocess::tokens(text).iter().any(|token| {
        matches!(token.text(text), "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__")
    });
    if names_itself {
        return refused("its text asks for its name");
    }
    for site in calls {
        let (ExprKind::Call { callee, .. } | ExprKind::Launch { kernel: callee, .. }) =
            program.expr(site.call).kind
        else {
            continue;
        };
        let callee = program.strip_parens(callee);
        let is_plain = program.home(site.call).is_none()
            && program.home(callee).is_none()
            && program.macro_role(callee).is_none()
            && program.text(program.expr(callee).span).ends_with(own.name.as_str());
        if !is_plain {
            let span = program.expr_site(site.call);
            return Some((span, "a call of it stands in the body of a macro".to_owned()));
        }
    }
    None
}

//! Functions of the host, once for each chain of calls that reaches them.

use super::super::calls::{CallGraph, Callee};
use super::aliases::aliased_variables;
use layoutc_diagnostics::FileId;
use layoutc_syntax::{ExecutionSpace, ExprId, ExprKind, FunctionId, NameRef, Program, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// How many functions with their chains of calls are looked at; beyond, each function is one.
pub(super) const MOST_INSTANCES: usize = 4000;

/// What is asked of each function of the host.
pub(super) struct Functions {
    /// Expressions of each, in order.
    pub(super) exprs: BTreeMap<FunctionId, BTreeSet<ExprId>>,
    /// Functions that no call is seen to reach, or that are used otherwise than in calls.
    pub(super) roots: BTreeSet<FunctionId>,
    /// Functions that `main` does not reach, in a program that has one.
    pub(super) dead: BTreeSet<FunctionId>,
    /// Functions of which more is used than is called.
    pub(super) escaping: BTreeSet<FunctionId>,
    /// Variables that may change through something else than their name.
    pub(super) aliased: BTreeSet<VarId>,
    /// Variables that are assigned to.
    pub(super) assigned: BTreeSet<VarId>,
}

impl Functions {
    pub(super) fn new(program: &Program, calls: &CallGraph) -> Self {
        let mut exprs = BTreeMap::new();
        let mut roots = BTreeSet::new();
        for id in program.function_ids() {
            let function = program.function(id);
            let is_host = function.space == ExecutionSpace::Host && function.body.is_some();
            if is_host && function.template_parameters.is_empty() {
                exprs.insert(id, program.function_parts(id).exprs);
                roots.insert(id);
            }
        }
        let mut this = Functions {
            exprs,
            roots: BTreeSet::new(),
            dead: BTreeSet::new(),
            escaping: BTreeSet::new(),
            aliased: aliased_variables(program, calls),
            assigned: BTreeSet::new(),
        };
        for id in program.expr_ids() {
            match &program.expr(id).kind {
                ExprKind::Call { callee, arguments, .. } => {
                    let target = calls.callee(program, *callee, arguments);
                    if let Callee::Function(function) = &target
                        && calls.function(id) != Some(*function)
                    {
                        roots.remove(function);
                    }
                    // Calls that are not walked may give anything.
                    match &target {
                        Callee::Ambiguous(found) => this.escaping.extend(found),
                        Callee::Function(function)
                            if calls
                                .function(id)
                                .is_none_or(|id| !this.exprs.contains_key(&id)) =>
                        {
                            this.escaping.insert(*function);
                        }
                        Callee::Function(_) | Callee::Library(_) | Callee::Unknown => {}
                    }
                }
                ExprKind::Name(NameRef::Functions(found)) => {
                    let mut outer = id;
                    while let Some((parent, position)) = calls.operand(outer) {
                        match &program.expr(parent).kind {
                            ExprKind::Paren(_) => outer = parent,
                            ExprKind::Call { .. } if position == 0 => break,
                            _ => {
                                this.escaping.extend(found);
                                break;
                            }
                        }
                    }
                    if calls.operand(outer).is_none() {
                        this.escaping.extend(found);
                    }
                }
                ExprKind::Assign(_, target, _) => this.assigned.extend(variable(program, *target)),
                ExprKind::Unary(op, target) if op.is_update() => {
                    this.assigned.extend(variable(program, *target));
                }
                _ => {}
            }
        }
        this.escaping.extend(program.operators.values());
        // A lambda that captures by default changes what it likes.
        let in_lambdas = program.expr_ids().filter_map(|id| match program.expr(id).kind {
            ExprKind::Lambda { body, .. } => Some(program.stmt(body).span),
            _ => None,
        });
        let lambdas: Vec<_> = in_lambdas.collect();
        if !lambdas.is_empty() {
            for id in program.expr_ids() {
                let target = match program.expr(id).kind {
                    ExprKind::Assign(_, target, _) => target,
                    ExprKind::Unary(op, target) if op.is_update() => target,
                    _ => continue,
                };
                if lambdas.iter().any(|span| span.contains(program.expr(id).span)) {
                    this.aliased.extend(variable(program, target));
                }
            }
        }
        this.dead = this.unreached(program, calls);
        this.roots = roots.difference(&this.dead).copied().collect();
        this.roots.extend(this.escaping.iter().filter(|id| this.exprs.contains_key(id)).copied());
        this
    }

    /// Free functions that nothing calls from where the program begins: `main`, member functions,
    /// which may be called without being named, and all that is not walked call by call.
    fn unreached(&self, program: &Program, calls: &CallGraph) -> BTreeSet<FunctionId> {
        let main = self.exprs.keys().find(|id| program.function(**id).name == "main");
        let Some(main) = main else { return BTreeSet::new() };
        let mut targets: BTreeMap<Option<FunctionId>, BTreeSet<FunctionId>> = BTreeMap::new();
        for id in program.expr_ids() {
            let ExprKind::Name(NameRef::Functions(found)) = &program.expr(id).kind else {
                continue;
            };
            let around = calls.function(id).filter(|id| self.exprs.contains_key(id));
            targets.entry(around).or_default().extend(found);
        }
        let mut stack: Vec<FunctionId> = vec![*main];
        stack.extend(targets.get(&None).into_iter().flatten());
        stack.extend(self.exprs.keys().filter(|id| program.function(**id).record.is_some()));
        stack.extend(self.mentioned(program));
        let mut reached = BTreeSet::new();
        while let Some(id) = stack.pop() {
            if reached.insert(id) {
                stack.extend(targets.get(&Some(id)).into_iter().flatten());
            }
        }
        self.exprs.keys().filter(|id| !reached.contains(id)).copied().collect()
    }

    /// Functions whose name stands where the model does not say what it is, or that are called without it.
    fn mentioned(&self, program: &Program) -> Vec<FunctionId> {
        let mut known: BTreeSet<(FileId, u32)> = BTreeSet::new();
        for id in program.expr_ids() {
            if let ExprKind::Name(NameRef::Functions(_)) = &program.expr(id).kind {
                let span = program.expr(id).span;
                known.insert((span.file, span.end));
            }
        }
        let mut by_name: BTreeMap<&str, Vec<FunctionId>> = BTreeMap::new();
        for id in self.exprs.keys() {
            let own = program.function(*id);
            known.extend(own.sites.iter().map(|site| (site.name.file, site.name.end)));
            by_name.entry(&own.name).or_default().push(*id);
        }
        let mut found = Vec::new();
        for (name, ids) in &by_name {
            let is_word = name.chars().all(is_word_character);
            if !is_word || matches!(*name, "begin" | "end") {
                found.extend(ids);
            }
        }
        for (file, source) in program.sources.iter().filter(|(_, file)| file.view().is_none()) {
            let text = source.text();
            let mut at = 0;
            for word in text.split(|c: char| !is_word_character(c)) {
                let end = at + word.len();
                if let Some(ids) = by_name.get(word)
                    && !known.contains(&(file, end as u32))
                {
                    found.extend(ids);
                }
                at = end + text[end..].chars().next().map_or(0, char::len_utf8);
            }
        }
        found
    }

    /// Whether a variable keeps its first value.
    pub(super) fn is_fixed(&self, id: VarId) -> bool {
        !self.aliased.contains(&id) && !self.assigned.contains(&id)
    }
}

fn is_word_character(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The variable that an expression names.
pub(super) fn variable(program: &Program, expr: ExprId) -> Option<VarId> {
    match program.expr(program.strip_parens(expr)).kind {
        ExprKind::Name(NameRef::Variable(id)) => Some(id),
        _ => None,
    }
}

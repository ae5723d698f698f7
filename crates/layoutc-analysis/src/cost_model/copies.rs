//! Which members of a copy of an element are used: a compiler loads no others.

use layoutc_dataflow::classes::{Callee, resolve_callee};
use layoutc_syntax::{
    ExprId, ExprKind, FieldId, FunctionId, NameRef, Program, StmtKind, TypeKind, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// What holds a copy.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Holder {
    /// A variable or parameter.
    Variable(VarId),
    /// The object of a member function.
    Object(FunctionId),
}

/// The members of copies that a program uses.
#[derive(Debug, Default)]
pub(super) struct Copies {
    /// Members of the record that are used; what is absent is used as a whole.
    used: BTreeMap<Holder, BTreeSet<FieldId>>,
    changed: Changed,
}

/// Which members of variables device code changes after they were declared.
#[derive(Debug, Default)]
struct Changed {
    members: BTreeMap<VarId, BTreeSet<FieldId>>,
    wholes: BTreeSet<VarId>,
}

impl Changed {
    /// Looks at the expressions of a function.
    fn collect(&mut self, program: &Program, exprs: &BTreeSet<ExprId>) {
        for expr in exprs {
            match &program.expr(*expr).kind {
                ExprKind::Assign(_, target, _) | ExprKind::AddressOf(target) => {
                    self.add(program, *target);
                }
                ExprKind::Unary(op, target) if op.is_update() => self.add(program, *target),
                ExprKind::Call { callee, arguments, .. } => {
                    if let ExprKind::Member { base, .. } =
                        program.expr(program.strip_parens(*callee)).kind
                    {
                        self.add(program, base);
                    }
                    let parameters = match resolve_callee(program, *callee, arguments) {
                        Callee::Function(id) => &program.function(id).parameters[..],
                        _ => &[],
                    };
                    for (at, argument) in arguments.iter().enumerate() {
                        let ty = parameters.get(at).map(|own| program.variable(*own).ty);
                        let is_safe = ty.is_none_or(|ty| match program.types.kind(ty.id) {
                            TypeKind::Reference(to, _) => to.is_const,
                            _ => true,
                        });
                        if !is_safe {
                            self.add(program, *argument);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// What a changed expression is part of.
    fn add(&mut self, program: &Program, expr: ExprId) {
        let (mut at, mut member) = (program.strip_parens(expr), None);
        loop {
            match program.expr(at).kind {
                ExprKind::Member { base, arrow: false, field, .. } => {
                    (at, member) = (program.strip_parens(base), field);
                }
                ExprKind::Index { base, .. } => at = program.strip_parens(base),
                ExprKind::Name(NameRef::Variable(id)) => {
                    match member {
                        Some(field) => {
                            self.members.entry(id).or_default().insert(field);
                        }
                        None => {
                            self.wholes.insert(id);
                        }
                    }
                    return;
                }
                _ => return,
            }
        }
    }
}

impl Copies {
    /// Looks at all variables and parameters of record types in device code.
    pub(super) fn new(program: &Program) -> Self {
        let mut used: BTreeMap<Holder, BTreeSet<FieldId>> = BTreeMap::new();
        let mut whole: BTreeSet<Holder> = BTreeSet::new();
        let mut changed = Changed::default();
        // Where a copy is handed on, what is used there is used here.
        let mut given: BTreeMap<Holder, BTreeSet<Holder>> = BTreeMap::new();
        for id in program.function_ids() {
            if !program.function(id).space.on_device() {
                continue;
            }
            let parts = program.function_parts(id);
            changed.collect(program, &parts.exprs);
            used.entry(Holder::Object(id)).or_default();
            let holder = |expr: ExprId| match program.expr(program.strip_parens(expr)).kind {
                ExprKind::Name(NameRef::Variable(own)) => {
                    let ty = program.types.strip_reference(program.variable(own).ty);
                    let is_record = matches!(program.types.kind(ty.id), TypeKind::Record(_));
                    is_record.then_some(Holder::Variable(own))
                }
                ExprKind::This => Some(Holder::Object(id)),
                _ => None,
            };
            // Names that something else is made of, or that are members' objects, are no whole uses.
            let mut harmless: BTreeSet<ExprId> = BTreeSet::new();
            for stmt in &parts.stmts {
                if let StmtKind::Declaration(_, variables) = &program.stmt(*stmt).kind {
                    for own in variables {
                        used.entry(Holder::Variable(*own)).or_default();
                    }
                }
            }
            for own in &program.function(id).parameters {
                used.entry(Holder::Variable(*own)).or_default();
            }
            let targets: BTreeSet<ExprId> = (parts.exprs.iter())
                .filter_map(|expr| match program.expr(*expr).kind {
                    ExprKind::Assign(None, left, _) => Some(program.strip_parens(left)),
                    _ => None,
                })
                .collect();
            for expr in &parts.exprs {
                match &program.expr(*expr).kind {
                    ExprKind::Member { base, field: Some(field), .. } => {
                        if let Some(holder) = holder(*base) {
                            harmless.insert(program.strip_parens(*base));
                            if targets.contains(expr) {
                                continue;
                            }
                            used.entry(holder).or_default().insert(*field);
                        }
                    }
                    // What is assigned as a whole is another value.
                    ExprKind::Assign(None, left, _) if holder(*left).is_some() => {
                        harmless.insert(program.strip_parens(*left));
                    }
                    ExprKind::Call { callee, arguments, .. } => {
                        let Callee::Function(callee) = resolve_callee(program, *callee, arguments)
                        else {
                            continue;
                        };
                        let parameters = &program.function(callee).parameters;
                        for (parameter, argument) in parameters.iter().zip(arguments) {
                            if let Some(holder) = holder(*argument) {
                                harmless.insert(program.strip_parens(*argument));
                                let to = Holder::Variable(*parameter);
                                given.entry(holder).or_default().insert(to);
                            }
                        }
                    }
                    _ => {}
                }
            }
            for expr in &parts.exprs {
                if matches!(program.expr(*expr).kind, ExprKind::Paren(_)) {
                    continue;
                }
                if let Some(holder) = holder(*expr).filter(|_| !harmless.contains(expr)) {
                    whole.insert(holder);
                }
            }
        }
        loop {
            let mut grown = false;
            for (from, targets) in &given {
                for to in targets {
                    if whole.contains(to) || !used.contains_key(to) {
                        grown |= whole.insert(*from);
                        continue;
                    }
                    let theirs = used[to].clone();
                    let own = used.entry(*from).or_default();
                    let before = own.len();
                    own.extend(theirs);
                    grown |= own.len() > before;
                }
            }
            if !grown {
                break;
            }
        }
        used.retain(|holder, _| !whole.contains(holder));
        Copies { used, changed }
    }

    /// The members of a variable that are changed after its declaration; `None`: all may be.
    pub(super) fn changed(&self, id: VarId) -> Option<BTreeSet<FieldId>> {
        let Changed { members, wholes } = &self.changed;
        (!wholes.contains(&id)).then(|| members.get(&id).cloned().unwrap_or_default())
    }

    /// The members that are used; `None`: all.
    pub(super) fn used(&self, holder: Holder) -> Option<&BTreeSet<FieldId>> {
        self.used.get(&holder)
    }
}

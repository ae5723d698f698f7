//! What the evaluation of expressions reads and writes: whether two of them may change places.
//!
//! *Claim:* of two expressions that [`Rewriter::order_matters`] calls independent, neither writes what the other reads or
//! writes. Memory is one thing: whoever may write some may write what another reads, but for objects that never change.

use super::Rewriter;
use layoutc_dataflow::catalogue::{
    self,
    intrinsics::{self, AccessKind},
};
use layoutc_dataflow::classes::{
    Callee, PlaceKind, captures_reference, constructor_of, operator_operands, resolve_callee,
    strip_casts,
};
use layoutc_syntax::{
    CaptureRest, ExprId, ExprKind, FunctionId, NameRef, Program, QualType, RecordId, RecordTrait,
    StmtKind, Storage, TypeKind, VarId,
};
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

/// What the evaluation of an expression reads and writes.
#[derive(Default)]
pub(super) struct Effects {
    pub(super) reads: BTreeSet<VarId>,
    pub(super) writes: BTreeSet<VarId>,
    /// It reads what a function could write.
    reads_memory: bool,
    /// It writes to memory, or calls a function that may.
    calls: bool,
}

/// What is known of the program's variables and functions, once somebody asked.
#[derive(Default)]
pub(super) struct KnownEffects {
    shared: OnceCell<BTreeSet<VarId>>,
    direct: RefCell<BTreeMap<FunctionId, Option<BTreeSet<FunctionId>>>>,
}

impl Rewriter<'_> {
    /// Whether an assignment means something else when its sides are arguments of one call, whose
    /// order of evaluation is the compiler's choice.
    pub(super) fn order_matters(&self, left: ExprId, right: ExprId) -> bool {
        let (a, b) = (self.effects(left), self.effects(right));
        !a.writes.is_disjoint(&b.reads)
            || !b.writes.is_disjoint(&a.reads)
            || (a.calls && (b.reads_memory || b.calls))
            || (b.calls && a.reads_memory)
    }

    /// Whether an expression only names an object of the element's type: it is read when the function that it is given to
    /// reads it, which is when the assignment of the source did.
    pub(super) fn is_named_object(&self, expr: ExprId, element: ExprId) -> bool {
        let expr = self.program.strip_parens(expr);
        let types = &self.program.types;
        let record =
            |expr: ExprId| types.as_record(types.strip_reference(self.program.expr(expr).ty).id);
        matches!(self.program.expr(expr).kind, ExprKind::Name(NameRef::Variable(_)))
            && self.classes.place(expr).is_none()
            && record(expr).is_some()
            && record(expr) == record(element)
    }

    /// Whether it can be told which of two is evaluated first: where an element is, and what
    /// follows it in the source.
    pub(super) fn is_reordered(&self, element: ExprId, behind: ExprId) -> bool {
        let (parts, behind) = (self.places(element), self.places(behind));
        parts.iter().any(|part| behind.iter().any(|other| self.order_matters(*part, *other)))
    }

    /// What is evaluated to find an element, which itself is not read; of anything else all.
    fn places(&self, expr: ExprId) -> Vec<ExprId> {
        let expr = self.program.strip_parens(expr);
        if !matches!(self.classes.place(expr), Some((_, PlaceKind::Element))) {
            return vec![expr];
        }
        match self.program.expr(expr).kind {
            ExprKind::Index { base, index, .. } => vec![base, index],
            ExprKind::Deref(operand) => vec![operand],
            _ => vec![expr],
        }
    }

    /// What the evaluation of an expression reads and writes.
    pub(super) fn effects(&self, expr: ExprId) -> Effects {
        let program = self.program;
        let mut found = Effects::default();
        let mut stack = vec![expr];
        while let Some(at) = stack.pop() {
            if let Some((operator, _, operands)) = operator_operands(program, at) {
                self.note_call(operator, &operands, &mut found);
            }
            match &program.expr(at).kind {
                ExprKind::Name(NameRef::Variable(id)) => {
                    found.reads.insert(*id);
                    found.reads_memory |= self.is_memory(*id);
                }
                ExprKind::Assign(_, target, _) => self.written(*target, &mut found),
                ExprKind::Unary(op, target) if op.is_update() => self.written(*target, &mut found),
                ExprKind::AddressOf(target) => {
                    found.writes.extend(object_of(program, *target));
                }
                ExprKind::Call { callee, arguments, .. } => {
                    match resolve_callee(program, *callee, arguments) {
                        // Mathematics; what writes takes an address.
                        Callee::Library(name) => {
                            found.calls |= intrinsics::synchronizes(&name)
                                || matches!(
                                    intrinsics::access(&name),
                                    Some(AccessKind::Write | AccessKind::Atomic)
                                );
                        }
                        Callee::Function(function) => {
                            self.note_call(function, arguments, &mut found)
                        }
                        Callee::Ambiguous(_) | Callee::Unknown => {
                            found.calls = true;
                            let objects =
                                arguments.iter().filter_map(|own| object_of(program, *own));
                            found.writes.extend(objects);
                        }
                    }
                }
                ExprKind::Construct { of, arguments } => {
                    if let Some(constructor) = constructor_of(program, *of, arguments) {
                        self.note_call(constructor, arguments, &mut found);
                    }
                }
                ExprKind::Index { .. }
                | ExprKind::Deref(_)
                | ExprKind::Member { arrow: true, .. }
                    if at != expr =>
                {
                    found.reads_memory = true;
                }
                ExprKind::MacroCall { arguments, .. } => {
                    found.calls = true;
                    let objects = arguments.iter().filter_map(|own| object_of(program, *own));
                    found.writes.extend(objects);
                }
                ExprKind::Opaque(_)
                | ExprKind::Lambda { .. }
                | ExprKind::New { .. }
                | ExprKind::Delete(_)
                | ExprKind::Launch { .. } => {
                    found.calls = true;
                }
                ExprKind::Index { .. }
                | ExprKind::Deref(_)
                | ExprKind::Member { .. }
                | ExprKind::Unary(..)
                | ExprKind::Name(_)
                | ExprKind::Integer(_)
                | ExprKind::Literal
                | ExprKind::Null
                | ExprKind::This
                | ExprKind::Paren(_)
                | ExprKind::Binary(..)
                | ExprKind::Comma(..)
                | ExprKind::Conditional(..)
                | ExprKind::Cast { .. }
                | ExprKind::SizeOfExpr(_)
                | ExprKind::SizeOfType { .. }
                | ExprKind::OffsetOf(_)
                | ExprKind::InitList(_) => {}
            }
            stack.extend(program.expr(at).children());
        }
        found
    }

    /// A store to what an lvalue names.
    fn written(&self, target: ExprId, found: &mut Effects) {
        match object_of(self.program, target) {
            Some(id) => {
                found.writes.insert(id);
                found.calls |= self.is_memory(id);
            }
            // What a pointer or reference leads to may be anywhere.
            None => found.calls = true,
        }
    }

    /// A call of a function of the program.
    fn note_call(&self, function: FunctionId, arguments: &[ExprId], found: &mut Effects) {
        let program = self.program;
        found.reads_memory = true;
        found.calls |= !self.is_quiet(function);
        let defaults = defaults(program, function, arguments.len());
        found.calls |= defaults.is_none();
        for default in defaults.into_iter().flatten() {
            let own = self.effects(default);
            found.reads.extend(own.reads);
            found.writes.extend(own.writes);
            found.calls |= own.calls;
        }
        for (parameter, argument) in program.function(function).parameters.iter().zip(arguments) {
            let ty = program.variable(*parameter).ty;
            if matches!(program.types.kind(ty.id), TypeKind::Reference(to, _) if !to.is_const) {
                found.writes.extend(object_of(program, *argument));
            }
        }
    }

    /// Whether somebody else than its name may change a variable.
    fn is_memory(&self, id: VarId) -> bool {
        let variable = self.program.variable(id);
        let is_constant = variable.ty.is_const
            && !variable.ty.is_volatile
            && matches!(
                self.program.types.kind(variable.ty.id),
                TypeKind::Scalar(_) | TypeKind::Enum(..) | TypeKind::Pointer(_)
            );
        (variable.storage == Storage::Static && !is_constant)
            || self.is_reference(id)
            || self.known_effects.shared.get_or_init(|| shared(self.program)).contains(&id)
    }

    /// Whether neither a function nor one that it calls stores to what is not its own.
    fn is_quiet(&self, function: FunctionId) -> bool {
        let mut seen = BTreeSet::from([function]);
        let mut stack = vec![function];
        while let Some(at) = stack.pop() {
            let mut direct = self.known_effects.direct.borrow_mut();
            match direct.entry(at).or_insert_with(|| called_by(self.program, at)) {
                None => return false,
                Some(called) => stack.extend(called.iter().filter(|own| seen.insert(**own))),
            }
        }
        true
    }

    pub(super) fn is_reference(&self, variable: VarId) -> bool {
        let ty = self.program.variable(variable).ty;
        matches!(self.program.types.kind(ty.id), TypeKind::Reference(..))
    }
}

/// The variable whose object, or a part of it, an lvalue names without a pointer or reference.
fn object_of(program: &Program, lvalue: ExprId) -> Option<VarId> {
    let mut at = lvalue;
    loop {
        at = program.strip_parens(at);
        at = match &program.expr(at).kind {
            ExprKind::Name(NameRef::Variable(id)) => {
                let ty = program.variable(*id).ty;
                let is_reference = matches!(program.types.kind(ty.id), TypeKind::Reference(..));
                return (!is_reference).then_some(*id);
            }
            ExprKind::Member { base, arrow: false, .. } => *base,
            ExprKind::Index { base, .. }
                if matches!(program.types.kind(program.expr(*base).ty.id), TypeKind::Array(..)) =>
            {
                *base
            }
            _ => return None,
        };
    }
}

/// The functions that a function calls, if it stores to nothing but its own variables, and a constructor to the members of
/// its object, and nothing in it is unseen.
fn called_by(program: &Program, id: FunctionId) -> Option<BTreeSet<FunctionId>> {
    let function = program.function(id);
    function.body?;
    let record = function.record.map(|record| program.record(record));
    let may_be_another = record.is_some_and(|record| {
        record.traits.iter().any(|(which, _)| *which == RecordTrait::Virtual)
    });
    let has_gap = program
        .regions
        .iter()
        .any(|region| function.sites.iter().any(|site| site.span.overlaps(region.span)));
    if may_be_another || has_gap {
        return None;
    }
    let parts = program.function_parts(id);
    if parts
        .stmts
        .iter()
        .any(|stmt| matches!(program.stmt(*stmt).kind, StmtKind::Asm(_) | StmtKind::Opaque { .. }))
    {
        return None;
    }
    let is_constructor = program.is_constructor(id);
    // Objects are made, copied, converted and destroyed without an expression that says so.
    let variables = parts.variables.iter().chain(&function.parameters);
    let types = variables
        .map(|own| program.variable(*own).ty)
        .chain(parts.exprs.iter().map(|own| program.expr(*own).ty));
    let mut called = BTreeSet::new();
    for record in types.flat_map(|ty| records_in(program, ty)) {
        called.extend(made_unsaid(program, record)?);
    }
    let is_own = |lvalue: ExprId| match object_of(program, lvalue) {
        Some(id) => {
            parts.variables.contains(&id) && program.variable(id).storage != Storage::Static
        }
        None => is_constructor && program.is_own_member(lvalue),
    };
    let mut exprs: Vec<ExprId> = parts.exprs.iter().copied().collect();
    while let Some(expr) = exprs.pop() {
        if let Some((operator, ..)) = operator_operands(program, expr) {
            called.insert(operator);
        }
        match &program.expr(expr).kind {
            // `v(a, b)` in front of a constructor's body makes a member or base of a class of the program.
            ExprKind::Opaque(_) if is_constructor => {
                let (made, values) = made_in_front(program, expr)?;
                let constructors = program.record(made).methods.iter().copied();
                called.extend(
                    constructors
                        .filter(|own| program.function(*own).name == program.record(made).name),
                );
                exprs.extend(all_of(program, values.to_vec()));
            }
            ExprKind::Assign(_, target, _) if !is_own(*target) => return None,
            ExprKind::Unary(op, target) if op.is_update() && !is_own(*target) => return None,
            ExprKind::Call { callee, arguments, .. } => {
                match resolve_callee(program, *callee, arguments) {
                    Callee::Library(name) => {
                        let stores = intrinsics::synchronizes(&name)
                            || catalogue::row(&name).is_some()
                            || matches!(
                                intrinsics::access(&name),
                                Some(AccessKind::Write | AccessKind::Atomic)
                            );
                        if stores {
                            return None;
                        }
                    }
                    Callee::Function(function) => {
                        called.insert(function);
                        exprs
                            .extend(all_of(program, defaults(program, function, arguments.len())?));
                    }
                    Callee::Ambiguous(_) | Callee::Unknown => return None,
                }
            }
            ExprKind::Construct { of, arguments } => {
                if let Some(constructor) = constructor_of(program, *of, arguments) {
                    called.insert(constructor);
                    let values = defaults(program, constructor, arguments.len())?;
                    exprs.extend(all_of(program, values));
                }
            }
            ExprKind::MacroCall { .. }
            | ExprKind::Opaque(_)
            | ExprKind::Lambda { .. }
            | ExprKind::New { .. }
            | ExprKind::Delete(_)
            | ExprKind::Launch { .. } => return None,
            ExprKind::Assign(..)
            | ExprKind::Unary(..)
            | ExprKind::Name(_)
            | ExprKind::Integer(_)
            | ExprKind::Literal
            | ExprKind::Null
            | ExprKind::This
            | ExprKind::Paren(_)
            | ExprKind::Binary(..)
            | ExprKind::Index { .. }
            | ExprKind::Deref(_)
            | ExprKind::AddressOf(_)
            | ExprKind::Member { .. }
            | ExprKind::Comma(..)
            | ExprKind::Conditional(..)
            | ExprKind::Cast { .. }
            | ExprKind::SizeOfExpr(_)
            | ExprKind::SizeOfType { .. }
            | ExprKind::OffsetOf(_)
            | ExprKind::InitList(_) => {}
        }
    }
    Some(called)
}

/// What a call with so many arguments evaluates for the other parameters; `None` if that is not known.
fn defaults(program: &Program, function: FunctionId, given: usize) -> Option<Vec<ExprId>> {
    let parameters = program.function(function).parameters.iter().skip(given);
    parameters.map(|own| program.default_arguments.get(own).map(|(value, _)| *value)).collect()
}

/// Expressions and all that they are made of.
fn all_of(program: &Program, exprs: Vec<ExprId>) -> Vec<ExprId> {
    let mut found = Vec::new();
    let mut stack = exprs;
    while let Some(expr) = stack.pop() {
        stack.extend(program.expr(expr).children());
        found.push(expr);
    }
    found
}

/// The record that an object of a type is, with those of its members and bases; none behind pointers.
fn records_in(program: &Program, ty: QualType) -> BTreeSet<RecordId> {
    let mut found = BTreeSet::new();
    let mut stack = vec![program.types.strip_reference(ty)];
    while let Some(ty) = stack.pop() {
        match *program.types.kind(ty.id) {
            TypeKind::Array(of, _) => stack.push(of),
            TypeKind::Record(id) if found.insert(id) => {
                let record = program.record(id);
                stack.extend(record.fields.iter().map(|field| program.field(*field).ty));
                for base in &record.bases {
                    found.insert(*base);
                }
            }
            TypeKind::Record(_)
            | TypeKind::Unknown
            | TypeKind::Void
            | TypeKind::Scalar(_)
            | TypeKind::Vector(_)
            | TypeKind::Enum(..)
            | TypeKind::Pointer(_)
            | TypeKind::Reference(..)
            | TypeKind::Function
            | TypeKind::Named(..)
            | TypeKind::Opaque(_)
            | TypeKind::TemplateParameter(_) => {}
        }
    }
    found
}

/// The constructors of a record, which no expression need name; `None` if something else of it runs unsaid: a destructor, a
/// copy, a conversion, or what is not modelled.
fn made_unsaid(program: &Program, id: RecordId) -> Option<Vec<FunctionId>> {
    let record = program.record(id);
    let runs_unsaid = record.traits.iter().any(|(which, _)| {
        matches!(
            which,
            RecordTrait::Destructor
                | RecordTrait::CopyControl
                | RecordTrait::Initializer
                | RecordTrait::Virtual
                | RecordTrait::Bases
                | RecordTrait::Unmodelled
                | RecordTrait::UnknownMember
        )
    });
    // A conversion of an object to another type is no function of the model, but a gap in the class.
    let has_gap = record
        .body
        .is_some_and(|body| program.regions.iter().any(|region| region.span.overlaps(body)));
    if runs_unsaid || record.bodiless > 0 || has_gap {
        return None;
    }
    let constructors = record.methods.iter().copied();
    Some(constructors.filter(|own| program.function(*own).name == record.name).collect())
}

/// The record of a member or base that an initializer in front of a constructor's body makes, and what of.
fn made_in_front(program: &Program, initializer: ExprId) -> Option<(RecordId, &[ExprId])> {
    let span = program.expr(initializer).span;
    let is_in = |values: &[ExprId]| {
        !values.is_empty() && values.iter().all(|own| span.contains(program.expr(*own).span))
    };
    let found = program.member_values.iter().find(|(_, values)| is_in(values))?;
    Some((found.0, &found.1))
}

/// Variables that may change although no text names them: their address is known elsewhere, a reference or a lambda refers
/// to them.
fn shared(program: &Program) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    // What is handed to a function of CUDA for the time of its call is known to nobody afterwards.
    let mut lent = BTreeSet::new();
    let mut captured_in = Vec::new();
    let has_references = program.fields.iter().any(|field| {
        matches!(program.types.kind(field.ty.id), TypeKind::Reference(to, _) if !to.is_const)
    });
    for id in program.expr_ids() {
        let kind = &program.expr(id).kind;
        if let ExprKind::Call { callee, arguments, .. } = kind
            && let Callee::Library(name) = resolve_callee(program, *callee, arguments)
            && (catalogue::row(&name).is_some() || intrinsics::access(&name).is_some())
        {
            lent.extend(arguments.iter().map(|own| strip_casts(program, *own)));
        }
        if let ExprKind::Construct { arguments: items, .. } | ExprKind::InitList(items) = kind
            && has_references
        {
            found.extend(items.iter().filter_map(|item| object_of(program, *item)));
        }
        if let ExprKind::Lambda { captures, rest, body, .. } = kind {
            let named = captures.iter().filter(|own| captures_reference(program, id, **own));
            found.extend(named.filter_map(|own| object_of(program, *own)));
            if *rest == CaptureRest::Referred {
                captured_in.push(program.stmt(*body).span);
            }
        }
    }
    for id in program.expr_ids() {
        let kind = &program.expr(id).kind;
        if let ExprKind::AddressOf(object) = kind
            && !lent.contains(&id)
        {
            found.extend(object_of(program, *object));
        }
        if let ExprKind::Name(NameRef::Variable(variable)) = kind {
            let span = program.expr(id).span;
            let declared = program.variable(*variable).site.name;
            if captured_in.iter().any(|body| body.contains(span) && !body.contains(declared)) {
                found.insert(*variable);
            }
        }
    }
    let refers = |id: VarId| {
        let ty = program.variable(id).ty;
        matches!(program.types.kind(ty.id), TypeKind::Reference(to, _) if !to.is_const)
    };
    for id in program.variable_ids() {
        if let Some(init) = program.variable(id).init.filter(|_| refers(id)) {
            found.extend(object_of(program, init));
        }
    }
    for stmt in &program.stmts {
        if let StmtKind::ForRange { variable, range, .. } = &stmt.kind
            && variable.iter().any(|id| refers(*id))
        {
            found.extend(object_of(program, *range));
        }
    }
    found
}

//! Parameters of type `const T&` that only read.
//!
//! `f(p[i])` with `f(const T &a)` can be given a copy of the element instead of a reference to
//! memory in another layout, so `f` need not change, if `f` reads members of `a` and nothing
//! else, stores to no `T` while it runs, and does not wait for other threads. A member function of
//! `T` that does no more can be called on a copy of the element.

use super::calls::{CallGraph, Callee, Context, constructor_of, operator_operands};
use super::element::record_of;
use crate::catalogue::intrinsics::synchronizes;
use layoutc_diagnostics::Span;
use layoutc_syntax::preprocess::tokens;
use layoutc_syntax::{
    ExprId, ExprKind, FunctionId, NameRef, Program, RecordId, RecordTrait, Storage, TypeKind, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// What can be given a copy.
#[derive(Clone, Debug, Default)]
pub(super) struct Readers {
    /// Parameters.
    pub(super) parameters: BTreeSet<VarId>,
    /// Member functions, by their object.
    pub(super) methods: BTreeSet<FunctionId>,
    /// Parameters `T &` of call operators that a `const` in front would suit: they only read.
    pub(super) could_be_constant: BTreeSet<VarId>,
    /// What all functions may store to.
    pub(super) stores: Stores,
}

/// What functions may store to while they run.
#[derive(Clone, Debug, Default)]
pub struct Stores {
    /// The records that objects which each function changes are of, or belong to.
    records: BTreeMap<FunctionId, BTreeSet<RecordId>>,
    /// Functions that may change anything, or wait for other threads.
    unknown: BTreeSet<FunctionId>,
}

impl Stores {
    /// Whether a function may change an object of a record that it did not make itself.
    pub(super) fn may_change(&self, function: FunctionId, record: RecordId) -> bool {
        self.unknown.contains(&function)
            || self.records.get(&function).is_some_and(|stored| stored.contains(&record))
    }
}

/// All parameters and member functions that can be given a copy.
pub(super) fn readers(program: &Program, calls: &CallGraph) -> Readers {
    let mut names: BTreeMap<VarId, Vec<ExprId>> = BTreeMap::new();
    let mut stores: BTreeMap<FunctionId, BTreeSet<RecordId>> = BTreeMap::new();
    let mut edges: BTreeMap<FunctionId, BTreeSet<FunctionId>> = BTreeMap::new();
    let mut opaque: BTreeSet<FunctionId> = BTreeSet::new();
    let mut objects: BTreeMap<FunctionId, Vec<ExprId>> = BTreeMap::new();
    let called = called_lambdas(program, calls);
    for id in program.expr_ids() {
        let function = calls.function(id);
        if let (Some(function), Some((target, _, _))) = (function, operator_operands(program, id)) {
            edges.entry(function).or_default().insert(target);
        }
        match &program.expr(id).kind {
            ExprKind::This => {
                if let Some(function) = function {
                    objects.entry(function).or_default().push(id);
                }
            }
            ExprKind::Name(NameRef::Variable(variable)) => {
                names.entry(*variable).or_default().push(id)
            }
            ExprKind::Assign(_, left, _) => note_store(program, *left, function, &mut stores),
            ExprKind::Unary(op, operand) if op.is_update() => {
                note_store(program, *operand, function, &mut stores)
            }
            // Whoever has the address may store there.
            ExprKind::AddressOf(operand) => note_store(program, *operand, function, &mut stores),
            ExprKind::Call { callee, arguments, .. } => {
                let Some(function) = function else { continue };
                let target = calls.callee(program, *callee, arguments);
                match called.get(&id) {
                    Some(lambda) => {
                        note_given_to_lambda(program, *lambda, arguments, function, &mut stores);
                    }
                    None => {
                        note_bound_arguments(program, &target, arguments, function, &mut stores);
                    }
                }
                match target {
                    Callee::Function(target) => {
                        edges.entry(function).or_default().insert(target);
                    }
                    Callee::Library(name) if !synchronizes(&name) => {}
                    // The body belongs to the function around it.
                    Callee::Unknown if called.contains_key(&id) => {}
                    Callee::Library(_) | Callee::Ambiguous(_) | Callee::Unknown => {
                        opaque.insert(function);
                    }
                }
            }
            ExprKind::Construct { of, arguments } => {
                if let Some(function) = function {
                    let constructors = constructors(program, *of, arguments);
                    edges.entry(function).or_default().extend(constructors);
                }
            }
            ExprKind::Lambda { parameters, .. } if called.contains_key(&id) => {
                // What its operators do with values of any type is done by one of the program's.
                let is_open = |own: &VarId| {
                    matches!(program.types.kind(program.variable(*own).ty.id), TypeKind::Unknown)
                };
                if let Some(function) = function.filter(|_| parameters.iter().any(is_open)) {
                    let operators = program
                        .function_ids()
                        .filter(|id| program.function(*id).name.starts_with("operator"));
                    edges.entry(function).or_default().extend(operators);
                }
            }
            ExprKind::MacroCall { .. }
            | ExprKind::Opaque(_)
            | ExprKind::Lambda { .. }
            | ExprKind::Launch { .. } => {
                opaque.extend(function);
            }
            _ => {}
        }
    }
    for id in program.variable_ids() {
        let variable = program.variable(id);
        if let (Some(init), true) = (variable.init, is_mutable_reference(program, id)) {
            note_store(program, init, variable.function, &mut stores);
        }
    }
    // A base class's members are those of what derives from it.
    for stored in stores.values_mut() {
        let related: Vec<RecordId> = program
            .record_ids()
            .filter(|id| {
                stored.iter().any(|record| {
                    program.derives_from(*id, *record) || program.derives_from(*record, *id)
                })
            })
            .collect();
        stored.extend(related);
    }
    // What a callee stores, its caller stores.
    loop {
        let mut changed = false;
        for (caller, callees) in &edges {
            for callee in callees {
                let callee_stores = stores.get(callee).cloned().unwrap_or_default();
                let own = stores.entry(*caller).or_default();
                let before = own.len();
                own.extend(callee_stores);
                changed |= own.len() != before;
                let unseen = program.function(*callee).body.is_none();
                changed |= (unseen || opaque.contains(callee)) && opaque.insert(*caller);
            }
        }
        if !changed {
            break;
        }
    }
    // Text that is not in the model may store anything.
    let has_gap = |function: FunctionId| {
        let sites = &program.function(function).sites;
        sites
            .iter()
            .any(|site| program.regions.iter().any(|region| site.span.overlaps(region.span)))
    };
    let is_quiet = |function: FunctionId, record: RecordId| {
        program.function(function).body.is_some()
            && !has_gap(function)
            && !opaque.contains(&function)
            && stores.get(&function).is_none_or(|stored| !stored.contains(&record))
    };
    let parameters: BTreeSet<VarId> = program
        .function_ids()
        .flat_map(|id| {
            program.function(id).parameters.iter().map(move |parameter| (id, *parameter))
        })
        .filter_map(|(function, parameter)| {
            let record = const_reference(program, parameter)?;
            let is_reader =
                is_quiet(function, record) && !deduces_a_reference(program, function, parameter);
            is_reader.then_some(parameter)
        })
        .collect();
    let declared: BTreeSet<(RecordId, &str, bool)> = (0..program.records.len() as u32)
        .map(RecordId)
        .flat_map(|record| program.record(record).methods.iter().map(move |id| (record, *id)))
        .map(|(record, id)| (record, program.function(id)))
        .map(|(record, method)| (record, method.name.as_str(), method.is_const))
        .collect();
    let methods: BTreeSet<FunctionId> = program
        .function_ids()
        .filter(|id| {
            let function = program.function(*id);
            // A copy of the element is no constant object: it would choose another overload.
            let has_twin = function.record.is_some_and(|record| {
                declared.contains(&(record, function.name.as_str(), !function.is_const))
            });
            // The compiler has checked it, in whatever way the text could store something.
            function.is_const
                && !has_twin
                && !function.is_static_member
                && !function.has_own_text()
                && function.record.is_some_and(|record| is_quiet(*id, record))
                && matches!(
                    program.types.kind(function.result.id),
                    TypeKind::Void
                        | TypeKind::Scalar(_)
                        | TypeKind::Enum(..)
                        | TypeKind::Vector(_)
                        | TypeKind::Record(_)
                )
        })
        .collect();
    let unknown = program
        .function_ids()
        .filter(|id| program.function(*id).body.is_none() || opaque.contains(id) || has_gap(*id))
        .collect();
    // What is handed on to another reader is only read: the greatest such sets.
    let mut readers = Readers { parameters, methods, ..Readers::default() };
    loop {
        let all_read = |uses: Option<&Vec<ExprId>>| {
            uses.is_none_or(|uses| {
                uses.iter().all(|name| only_reads(program, calls, *name, &readers))
            })
        };
        let parameters: BTreeSet<VarId> =
            readers.parameters.iter().copied().filter(|id| all_read(names.get(id))).collect();
        let methods: BTreeSet<FunctionId> =
            readers.methods.iter().copied().filter(|id| all_read(objects.get(id))).collect();
        let is_done =
            parameters.len() == readers.parameters.len() && methods.len() == readers.methods.len();
        readers = Readers { parameters, methods, ..Readers::default() };
        if is_done {
            break;
        }
    }
    let of_lambdas = lambda_readers(program, calls, &readers, &names, is_quiet);
    readers.parameters.extend(of_lambdas);
    let reads = |id: VarId| {
        names
            .get(&id)
            .is_none_or(|all| all.iter().all(|name| only_reads(program, calls, *name, &readers)))
    };
    // What asks whether something can be called sees the `const`.
    let asks = ["decltype", "declval", "is_invocable", "is_invocable_v", "invoke_result"];
    let may_be_asked = asks.iter().any(|word| program.identifiers.contains(*word));
    // Headers of others have these words for what they are given, and that is none of the program's.
    let asks_itself = || {
        let own = program.files.iter().filter(|file| file.foreign.is_none());
        let mut texts = own.map(|file| program.sources.file(file.id).text());
        texts.any(|text| tokens(text).iter().any(|token| asks.contains(&token.text(text))))
    };
    let may_change = !may_be_asked || !asks_itself();
    readers.could_be_constant = program
        .function_ids()
        .filter(|id| may_change && is_plain_call_operator(program, *id))
        .flat_map(|id| program.function(id).parameters.iter().map(move |own| (id, *own)))
        .filter(|(function, id)| {
            let ty = program.types.strip_reference(program.variable(*id).ty);
            program.types.as_record(ty.id).is_some_and(|record| is_quiet(*function, record))
        })
        .map(|(_, id)| id)
        .filter(|id| {
            let variable = program.variable(*id);
            let TypeKind::Reference(to, false) = *program.types.kind(variable.ty.id) else {
                return false;
            };
            let declared = program.declaration_of(&variable.site);
            !to.is_const
                && !program.is_foreign(variable.site.name.file)
                && program.types.as_record(to.id).is_some()
                && declared.is_some_and(|own| own.is_plain && own.count == 1)
                && reads(*id)
        })
        .collect();
    readers.stores = Stores { records: stores, unknown };
    readers
}

/// Whether a function is the one call operator of its class, with one text, that gives back a value.
fn is_plain_call_operator(program: &Program, id: FunctionId) -> bool {
    let function = program.function(id);
    let is_alone = function.record.is_some_and(|record| {
        let own = program.record(record);
        let is_call = |id: &&FunctionId| program.function(**id).name == "operator()";
        // One that overrides another must have its type.
        let is_derived =
            |which: &RecordTrait| matches!(which, RecordTrait::Virtual | RecordTrait::Bases);
        own.instance.is_none()
            && !own.shares_text
            && own.bases.is_empty()
            && !own.traits.iter().any(|(which, _)| is_derived(which))
            && own.methods.iter().filter(is_call).count() == 1
    });
    function.name == "operator()"
        && is_alone
        && function.body.is_some()
        && function.sites.len() == 1
        && function.template_parameters.is_empty()
        && !matches!(
            program.types.kind(function.result.id),
            TypeKind::Reference(..) | TypeKind::Pointer(_) | TypeKind::Unknown
        )
}

/// The constructors that may make an object of these arguments.
pub(super) fn constructors(
    program: &Program,
    of: layoutc_syntax::QualType,
    arguments: &[ExprId],
) -> Vec<FunctionId> {
    if let Some(constructor) = constructor_of(program, of, arguments) {
        return vec![constructor];
    }
    let Some(record) = program.as_record(of.id) else { return Vec::new() };
    let methods = program.record(record).methods.iter().copied();
    methods.filter(|id| program.is_constructor(*id)).collect()
}

/// Parameters of lambdas that only read. The text of a lambda belongs to the function around it, so it is asked expression by
/// expression: it stores to its own variables, and calls nothing with addresses.
fn lambda_readers(
    program: &Program,
    calls: &CallGraph,
    readers: &Readers,
    names: &BTreeMap<VarId, Vec<ExprId>>,
    is_quiet: impl Fn(FunctionId, RecordId) -> bool,
) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    for lambda in program.expr_ids() {
        let ExprKind::Lambda { parameters, body, .. } = &program.expr(lambda).kind else {
            continue;
        };
        let span = program.stmt(*body).span;
        let own: Vec<(VarId, RecordId)> = parameters
            .iter()
            .filter_map(|own| Some((*own, const_reference(program, *own)?)))
            .filter(|(own, _)| {
                let uses = names.get(own).into_iter().flatten();
                uses.copied().all(|name| only_reads(program, calls, name, readers))
            })
            .collect();
        if own.is_empty()
            || gives_reference(program, program.expr(lambda).span, span)
            || program.regions.iter().any(|region| region.span.overlaps(span))
        {
            continue;
        }
        let is_quiet = |record: RecordId| {
            let is_quiet = |function| is_quiet(function, record);
            program
                .expr_ids()
                .filter(|id| *id != lambda && span.contains(program.expr(*id).span))
                .all(|id| is_harmless(program, calls, id, &is_quiet))
        };
        found.extend(own.into_iter().filter(|(_, record)| is_quiet(*record)).map(|(own, _)| own));
    }
    found
}

/// Whether the head of a lambda says that it gives something other than a value: a reference could lead to the copy.
fn gives_reference(program: &Program, lambda: Span, body: Span) -> bool {
    let head = program.text(Span { end: body.start, ..lambda });
    let behind = head.rsplit_once("->").map(|(_, behind)| behind);
    behind.is_some_and(|behind| {
        tokens(behind)
            .iter()
            .any(|token| matches!(token.text(behind), "&" | "&&" | "*" | "auto" | "decltype"))
    })
}

/// Whether an expression of a lambda changes nothing but the lambda's own variables and copies of what is around it.
fn is_harmless(
    program: &Program,
    calls: &CallGraph,
    id: ExprId,
    is_quiet: &dyn Fn(FunctionId) -> bool,
) -> bool {
    if program.operators.contains_key(&id) {
        return false;
    }
    match &program.expr(id).kind {
        ExprKind::Assign(_, left, _) => is_own_object(program, *left),
        ExprKind::Unary(op, operand) => !op.is_update() || is_own_object(program, *operand),
        ExprKind::Call { callee, arguments, .. } => {
            let calls_nothing_else = match calls.callee(program, *callee, arguments) {
                Callee::Function(function) => is_quiet(function),
                Callee::Library(name) => !synchronizes(&name),
                Callee::Ambiguous(_) | Callee::Unknown => false,
            };
            calls_nothing_else && arguments.iter().all(|argument| is_value_type(program, *argument))
        }
        ExprKind::Name(_)
        | ExprKind::Integer(_)
        | ExprKind::Literal
        | ExprKind::Null
        | ExprKind::Paren(_)
        | ExprKind::Member { .. }
        | ExprKind::Index { .. }
        | ExprKind::Deref(_)
        | ExprKind::Binary(..)
        | ExprKind::Conditional(..)
        | ExprKind::Comma(..)
        | ExprKind::Cast { .. }
        | ExprKind::Construct { .. }
        | ExprKind::InitList(_)
        | ExprKind::SizeOfExpr(_)
        | ExprKind::SizeOfType { .. } => true,
        ExprKind::AddressOf(_)
        | ExprKind::This
        | ExprKind::New { .. }
        | ExprKind::Delete(_)
        | ExprKind::OffsetOf(_)
        | ExprKind::Launch { .. }
        | ExprKind::MacroCall { .. }
        | ExprKind::Lambda { .. }
        | ExprKind::Opaque(_) => false,
    }
}

/// Whether an expression is a local variable that is no reference, or a part of one.
fn is_own_object(program: &Program, expr: ExprId) -> bool {
    match program.expr(expr).kind {
        ExprKind::Paren(inner) | ExprKind::Member { base: inner, arrow: false, .. } => {
            is_own_object(program, inner)
        }
        ExprKind::Index { base, .. } => {
            let ty = program.expr(base).ty;
            matches!(program.types.kind(ty.id), TypeKind::Array(..)) && is_own_object(program, base)
        }
        ExprKind::Name(NameRef::Variable(id)) => {
            let variable = program.variable(id);
            !matches!(variable.storage, Storage::Static)
                && !matches!(
                    program.types.kind(variable.ty.id),
                    TypeKind::Reference(..) | TypeKind::Unknown
                )
        }
        _ => false,
    }
}

/// Whether a parameter of an instance is `T &` or `T &&` in its template: a constant element binds to that, a temporary does
/// not, or is another `T`.
fn deduces_a_reference(program: &Program, function: FunctionId, parameter: VarId) -> bool {
    let own = program.function(function);
    let Some(copy) = &own.copy_of else { return false };
    let written = own.parameters.iter().position(|id| *id == parameter);
    let written = written.and_then(|at| program.function(copy.original).parameters.get(at));
    written.is_some_and(|written| {
        let TypeKind::Reference(to, _) = *program.types.kind(program.variable(*written).ty.id)
        else {
            return false;
        };
        !to.is_const && matches!(program.types.kind(to.id), TypeKind::TemplateParameter(_))
    })
}

/// Lambdas that a local variable starts with and that are only called there, and these calls, with the lambda of each: nobody
/// keeps what they refer to.
fn called_lambdas(program: &Program, calls: &CallGraph) -> BTreeMap<ExprId, ExprId> {
    let mut lambdas: BTreeMap<VarId, Vec<ExprId>> = program
        .variable_ids()
        .filter_map(|id| {
            let variable = program.variable(id);
            let init = variable.init?;
            let is_lambda =
                matches!(program.expr(program.strip_parens(init)).kind, ExprKind::Lambda { .. });
            (is_lambda && variable.storage == Storage::Local && variable.is_auto)
                .then(|| (id, vec![program.strip_parens(init)]))
        })
        .collect();
    for id in program.expr_ids() {
        let ExprKind::Name(NameRef::Variable(variable)) = program.expr(id).kind else { continue };
        let call = match calls.context(id) {
            Context::Operand(parent, 0) => {
                matches!(program.expr(parent).kind, ExprKind::Call { .. }).then_some(parent)
            }
            _ => None,
        };
        match call {
            Some(call) => lambdas.get_mut(&variable).into_iter().for_each(|own| own.push(call)),
            None => drop(lambdas.remove(&variable)),
        }
    }
    let with_lambda = |own: Vec<ExprId>| {
        let lambda = own[0];
        own.into_iter().map(move |expr| (expr, lambda))
    };
    lambdas.into_values().flat_map(with_lambda).collect()
}

/// What is bound to a reference of a lambda's may be stored to by it; a parameter that is no reference is a copy.
fn note_given_to_lambda(
    program: &Program,
    lambda: ExprId,
    arguments: &[ExprId],
    function: FunctionId,
    stores: &mut BTreeMap<FunctionId, BTreeSet<RecordId>>,
) {
    let ExprKind::Lambda { parameters, .. } = &program.expr(lambda).kind else { return };
    for (at, argument) in arguments.iter().enumerate() {
        let is_copied = parameters.get(at).is_some_and(|parameter| {
            let ty = program.variable(*parameter).ty;
            match *program.types.kind(ty.id) {
                TypeKind::Reference(to, _) => to.is_const,
                TypeKind::Pointer(_) => false,
                _ => program.types.pointee(program.expr(*argument).ty.id).is_none(),
            }
        });
        if !is_copied {
            note_store(program, *argument, Some(function), stores);
            let pointed = record_of(program, program.expr(*argument).ty);
            let pointed = pointed.filter(|(_, depth)| *depth > 0).map(|(record, _)| record);
            stores.entry(function).or_default().extend(pointed);
        }
    }
}

/// The record of a `const T&` parameter.
fn const_reference(program: &Program, parameter: VarId) -> Option<RecordId> {
    match *program.types.kind(program.variable(parameter).ty.id) {
        TypeKind::Reference(to, false) if to.is_const && !to.is_volatile => {
            program.types.as_record(to.id)
        }
        _ => None,
    }
}

fn is_mutable_reference(program: &Program, variable: VarId) -> bool {
    matches!(*program.types.kind(program.variable(variable).ty.id), TypeKind::Reference(to, _) if !to.is_const)
}

/// What is bound to a reference that is not constant may be stored to by the callee.
fn note_bound_arguments(
    program: &Program,
    callee: &Callee,
    arguments: &[ExprId],
    function: FunctionId,
    stores: &mut BTreeMap<FunctionId, BTreeSet<RecordId>>,
) {
    match callee {
        Callee::Function(target) => {
            for (parameter, argument) in program.function(*target).parameters.iter().zip(arguments)
            {
                if is_mutable_reference(program, *parameter) {
                    note_store(program, *argument, Some(function), stores);
                }
            }
        }
        // `swap(p[i].x, p[j].x)`
        Callee::Library(_) | Callee::Ambiguous(_) | Callee::Unknown => {
            for argument in arguments {
                // `memcpy(p + i, …)`
                let pointer = program.expr(super::operands::strip_casts(program, *argument)).ty;
                let is_const = program.types.pointee(pointer.id).is_some_and(|to| to.is_const);
                if let Some((record, depth)) = record_of(program, pointer)
                    && depth > 0
                    && !is_const
                {
                    stores.entry(function).or_default().insert(record);
                }
                if !is_const_lvalue(program, *argument) {
                    note_store(program, *argument, Some(function), stores);
                }
            }
        }
    }
}

/// Whether a library's function cannot change an argument: it is no lvalue, or a constant one.
fn is_const_lvalue(program: &Program, argument: ExprId) -> bool {
    let expr = program.expr(program.strip_parens(argument));
    let is_lvalue = matches!(
        expr.kind,
        ExprKind::Name(_) | ExprKind::Member { .. } | ExprKind::Index { .. } | ExprKind::Deref(_)
    );
    !is_lvalue || expr.ty.is_const
}

/// Notes the record types of the objects that a store to `left` changes, a local variable's aside.
fn note_store(
    program: &Program,
    left: ExprId,
    function: Option<FunctionId>,
    stores: &mut BTreeMap<FunctionId, BTreeSet<RecordId>>,
) {
    let Some(function) = function else { return };
    // What is made is no object yet that an argument could refer to.
    if program.is_constructor(function) && program.is_own_member(left) {
        return;
    }
    let mut changed = BTreeSet::new();
    let mut at = left;
    loop {
        let pointee = record_of(program, program.expr(at).ty);
        changed.extend(pointee.filter(|(_, depth)| *depth == 0).map(|(record, _)| record));
        at = match &program.expr(at).kind {
            ExprKind::Paren(inner) | ExprKind::Member { base: inner, arrow: false, .. } => *inner,
            ExprKind::Member { base, arrow: true, .. } => {
                changed
                    .extend(record_of(program, program.expr(*base).ty).map(|(record, _)| record));
                break;
            }
            ExprKind::Index { base, .. } | ExprKind::Deref(base) => {
                // A pointer to a member array leads to a part of the element.
                if program.row_of(*base).is_some() {
                    let element = record_of(program, program.expr(*base).ty);
                    changed.extend(element.map(|(record, _)| record));
                }
                *base
            }
            // Whatever the memory is taken for.
            ExprKind::Cast { operand, .. } => {
                changed.extend(
                    record_of(program, program.expr(*operand).ty).map(|(record, _)| record),
                );
                *operand
            }
            ExprKind::AddressOf(inner) => *inner,
            ExprKind::Name(NameRef::Variable(variable)) => {
                // Storing into an own object is invisible to everybody else.
                let variable = program.variable(*variable);
                let is_object = program.types.as_record(variable.ty.id).is_some()
                    || matches!(program.types.kind(variable.ty.id), TypeKind::Array(..));
                if is_object && !matches!(variable.storage, Storage::Static) {
                    return;
                }
                break;
            }
            _ => break,
        };
    }
    stores.entry(function).or_default().extend(changed);
}

/// Whether one mention of a parameter reads a member of it, or hands it to a reader.
fn only_reads(program: &Program, calls: &CallGraph, name: ExprId, readers: &Readers) -> bool {
    let mut at = name;
    if matches!(program.expr(name).kind, ExprKind::This) {
        // The object is what the pointer points to.
        let Context::Operand(parent, _) = calls.context(name) else { return false };
        match &program.expr(parent).kind {
            ExprKind::Member { arrow: true, field: Some(_), .. } | ExprKind::Deref(_) => {
                at = parent
            }
            ExprKind::Member { arrow: true, field: None, methods, .. } => {
                return is_reader_call(calls, program, parent, methods, readers);
            }
            _ => return false,
        }
    }
    loop {
        match calls.context(at) {
            Context::Operand(parent, position) => match &program.expr(parent).kind {
                ExprKind::Paren(_) => at = parent,
                ExprKind::Member { arrow: false, field: Some(_), .. } => at = parent,
                ExprKind::Member { field: None, methods, .. } if methods.is_empty() => at = parent,
                ExprKind::Member { arrow: false, field: None, methods, .. } => {
                    return is_reader_call(calls, program, parent, methods, readers);
                }
                ExprKind::Index { .. }
                    if position == 0 && !program.operators.contains_key(&parent) =>
                {
                    at = parent;
                }
                // `marks[a.cell]`
                ExprKind::Index { .. } if !program.operators.contains_key(&parent) => {
                    return is_number(program, at);
                }
                ExprKind::Call { callee, arguments, .. } if position > 0 => {
                    let is_scalar = program.types.as_scalar(program.expr(at).ty.id).is_some();
                    let Callee::Function(function) = calls.callee(program, *callee, arguments)
                    else {
                        return is_scalar;
                    };
                    return match program.function(function).parameters.get(position - 1) {
                        Some(parameter) if readers.parameters.contains(parameter) => true,
                        Some(parameter) => by_value(program, *parameter),
                        None => false,
                    };
                }
                ExprKind::Binary(..)
                | ExprKind::Unary(..)
                | ExprKind::Assign(Some(_), ..)
                | ExprKind::Index { .. }
                    if program.operators.contains_key(&parent) =>
                {
                    let Some((function, object, operands)) = operator_operands(program, parent)
                    else {
                        return false;
                    };
                    if object == Some(at) {
                        return readers.methods.contains(&function);
                    }
                    let position = operands.iter().position(|operand| *operand == at);
                    let parameter =
                        position.and_then(|at| program.function(function).parameters.get(at));
                    return parameter.is_some_and(|parameter| {
                        readers.parameters.contains(parameter) || by_value(program, *parameter)
                    });
                }
                ExprKind::Assign(_, left, right) => {
                    return *right == at && *left != at && is_value_type(program, at);
                }
                // `P{a.x, 1}`: a record without addresses in it cannot keep one.
                ExprKind::Construct { of, .. } => {
                    return is_number(program, at)
                        && program
                            .as_record(of.id)
                            .is_some_and(|record| holds_no_address(program, record, 8));
                }
                ExprKind::InitList(_) if is_number(program, at) => {
                    let made = match calls.context(parent) {
                        Context::Init(variable) => program.variable(variable).ty,
                        Context::Returned { in_lambda: false } => match calls.function(parent) {
                            Some(function) => program.function(function).result,
                            None => return false,
                        },
                        _ => return false,
                    };
                    return program
                        .as_record(made.id)
                        .is_some_and(|record| holds_no_address(program, record, 8));
                }
                ExprKind::AddressOf(_)
                | ExprKind::Opaque(_)
                | ExprKind::Lambda { .. }
                | ExprKind::InitList(_) => {
                    return false;
                }
                ExprKind::Unary(op, _) => return !op.is_update(),
                ExprKind::Binary(..) | ExprKind::Cast { .. } | ExprKind::Conditional(..) => {
                    return is_number(program, at);
                }
                _ => return false,
            },
            Context::Init(variable) => {
                return by_value(program, variable) && is_value_type(program, at);
            }
            Context::Returned { .. } => return is_number(program, at),
            Context::Condition => return is_number(program, at),
            Context::Dropped | Context::Range | Context::Assembly | Context::Opaque => {
                return false;
            }
        }
    }
}

/// Whether no member of a record, at any depth, is a pointer or reference.
fn holds_no_address(program: &Program, record: RecordId, depth: usize) -> bool {
    depth > 0
        && program.record(record).body.is_some()
        && program.record(record).fields.iter().all(|field| {
            let mut ty = program.field(*field).ty;
            while let TypeKind::Array(of, _) = *program.types.kind(ty.id) {
                ty = of;
            }
            match *program.types.kind(ty.id) {
                TypeKind::Scalar(_) | TypeKind::Enum(..) | TypeKind::Vector(_) => true,
                TypeKind::Record(inner) => holds_no_address(program, inner, depth - 1),
                _ => false,
            }
        })
}

/// Whether a member function that is named by `member` is called, and only reads.
fn is_reader_call(
    calls: &CallGraph,
    program: &Program,
    member: ExprId,
    methods: &[FunctionId],
    readers: &Readers,
) -> bool {
    let called = matches!(calls.context(member), Context::Operand(call, 0)
        if matches!(program.expr(call).kind, ExprKind::Call { .. }));
    called
        && !methods.is_empty()
        && methods.iter().all(|method| {
            // A static member function has no object.
            readers.methods.contains(method) || program.function(*method).is_static_member
        })
}

fn is_number(program: &Program, expr: ExprId) -> bool {
    matches!(
        program.types.kind(program.expr(expr).ty.id),
        TypeKind::Scalar(_) | TypeKind::Enum(..) | TypeKind::Vector(_)
    )
}

fn is_value_type(program: &Program, expr: ExprId) -> bool {
    is_number(program, expr) || program.types.as_record(program.expr(expr).ty.id).is_some()
}

/// Whether a variable holds its initializer by value.
fn by_value(program: &Program, variable: VarId) -> bool {
    matches!(
        program.types.kind(program.variable(variable).ty.id),
        TypeKind::Scalar(_) | TypeKind::Enum(..) | TypeKind::Vector(_) | TypeKind::Record(_)
    )
}

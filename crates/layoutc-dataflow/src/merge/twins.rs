//! Parameters of which one could take the place of another.
//!
//! If a kernel's `x` and `vx` are, at every launch, copies of the pointers of one joint allocation, then
//! `vx[i]` is as well an element of `x`. With one pointer a compiler sees that both members are
//! neighbours, and loads them at once.
//!
//! Claim: two parameters are twins only if every call gives them pointers that are equal, and neither
//! changes in the function; of a pair, the second is used for accesses, and handed on as a twin, only.
//! Two members of a record are twins if nothing but joint allocations, of both in one object, and null pointers is ever
//! stored in them; objects may be copied as a whole.

use super::{JointAllocation, Merging};
use crate::classes::{Callee, Slot, record_of, resolve_callee};
use layoutc_diagnostics::Span;
use layoutc_syntax::{
    ExprId, ExprKind, FieldId, FunctionId, NameRef, RecordTrait, Storage, TypeKind, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// What could be named instead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Twin {
    /// A parameter.
    Variable(VarId),
    /// A member of the same object.
    Field(FieldId),
}

/// The arguments of the calls and launches of a function.
type Calls = BTreeMap<FunctionId, Vec<(ExprId, Vec<ExprId>)>>;

/// Pointers that are equal because they are allocated together.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// Variables that hold the pointer of one joint allocation from then on: which, and the text in which
    /// that is not so yet.
    pub(super) variables: BTreeMap<VarId, (usize, Span)>,
    /// Members of records that point, in each object, to the same element as another one.
    fields: BTreeMap<FieldId, FieldId>,
}

impl Pairs {
    /// The member that a member is equal to, perhaps itself; `None` if it is equal to none.
    pub(super) fn leader(&self, field: FieldId) -> Option<FieldId> {
        let is_leader = self.fields.values().any(|first| *first == field);
        self.fields.get(&field).copied().or(is_leader.then_some(field))
    }
}

pub(super) struct Search<'a, 'p> {
    merging: &'a Merging<'p>,
    uses: BTreeMap<VarId, Vec<ExprId>>,
    members: BTreeMap<FieldId, Vec<ExprId>>,
    calls: Calls,
    pub(super) pairs: Pairs,
}

impl<'a, 'p> Search<'a, 'p> {
    pub(super) fn new(merging: &'a Merging<'p>, allocations: &[JointAllocation]) -> Self {
        let program = merging.program;
        let mut uses: BTreeMap<VarId, Vec<ExprId>> = BTreeMap::new();
        let mut members: BTreeMap<FieldId, Vec<ExprId>> = BTreeMap::new();
        let mut calls: Calls = BTreeMap::new();
        for expr in program.expr_ids() {
            let (callee, arguments) = match &program.expr(expr).kind {
                ExprKind::Name(NameRef::Variable(id)) => {
                    uses.entry(*id).or_default().push(expr);
                    continue;
                }
                ExprKind::Member { field: Some(field), .. } => {
                    members.entry(*field).or_default().push(expr);
                    continue;
                }
                ExprKind::Call { callee, arguments, .. } => (*callee, arguments),
                ExprKind::Launch { kernel, arguments, .. } => (*kernel, arguments),
                _ => continue,
            };
            if let Callee::Function(function) = resolve_callee(program, callee, arguments) {
                calls.entry(function).or_default().push((expr, arguments.to_vec()));
            }
        }
        let mut this = Search { merging, uses, members, calls, pairs: Pairs::default() };
        this.pairs =
            Pairs { variables: this.fixed(allocations), fields: this.fixed_fields(allocations) };
        this
    }
}

impl Search<'_, '_> {
    /// By use of a parameter's or member's name: the one that could be named as well.
    pub(super) fn twins(&self) -> BTreeMap<ExprId, Twin> {
        let mut twins = self.candidates();
        loop {
            let stay: BTreeMap<VarId, VarId> = twins
                .iter()
                .map(|(second, first)| (*second, *first))
                .filter(|(second, first)| self.holds(*second, *first, &twins))
                .collect();
            let is_done = stay.len() == twins.len();
            twins = stay;
            if is_done {
                break;
            }
        }
        let on_device = self.on_device();
        let mut found = BTreeMap::new();
        for (second, first) in &twins {
            let uses = self.uses.get(second).into_iter().flatten();
            let uses = uses.filter(|name| self.is_access(**name));
            found.extend(uses.map(|name| (*name, Twin::Variable(*first))));
        }
        for (second, first) in &self.pairs.fields {
            let uses = self.members.get(second).into_iter().flatten();
            let uses = uses.filter(|name| on_device.contains(name) && self.is_access(**name));
            found.extend(uses.map(|name| (*name, Twin::Field(*first))));
        }
        found
    }

    /// Expressions of device code.
    fn on_device(&self) -> BTreeSet<ExprId> {
        let program = self.merging.program;
        let functions = program.function_ids();
        let functions = functions.filter(|id| program.function(*id).space.on_device());
        functions.flat_map(|id| program.function_parts(id).exprs).collect()
    }

    /// Variables that hold the pointer of one joint allocation from then on: which, and the text in which that
    /// is not so yet.
    fn fixed(&self, allocations: &[JointAllocation]) -> BTreeMap<VarId, (usize, Span)> {
        let program = self.merging.program;
        let mut found = BTreeMap::new();
        for (number, joint) in allocations.iter().enumerate().filter(|(_, joint)| joint.is_whole) {
            let all = || std::iter::once(&joint.keeper).chain(&joint.followers);
            let mut span = program.expr_site(joint.keeper.call);
            for own in all() {
                span.end = span.end.max(program.expr_site(own.call).end);
            }
            for own in all() {
                let ExprKind::Name(NameRef::Variable(id)) = program.expr(own.pointer).kind else {
                    continue;
                };
                let variable = program.variable(id);
                let is_local = variable.function.is_some()
                    && variable.storage == Storage::Local
                    && !self.merging.is_reference(id);
                let is_unset = variable.init.is_none_or(|init| {
                    let init = super::strip_casts(program, init);
                    matches!(program.expr(init).kind, ExprKind::Null | ExprKind::Integer(Some(0)))
                });
                let is_only = self
                    .uses
                    .get(&id)
                    .into_iter()
                    .flatten()
                    .all(|name| *name == own.pointer || self.is_read(*name));
                if is_local && is_unset && is_only {
                    found.insert(id, (number, span));
                }
            }
        }
        found
    }

    /// Members that point, in each object, to the same element as another one.
    fn fixed_fields(&self, allocations: &[JointAllocation]) -> BTreeMap<FieldId, FieldId> {
        let program = self.merging.program;
        // By member: which allocations set it, in which object.
        let mut set: BTreeMap<FieldId, Vec<(usize, ExprId, ExprId)>> = BTreeMap::new();
        for (number, joint) in allocations.iter().enumerate().filter(|(_, joint)| joint.is_whole) {
            for own in std::iter::once(&joint.keeper).chain(&joint.followers) {
                if let ExprKind::Member { base, field: Some(field), .. } =
                    program.expr(own.pointer).kind
                {
                    set.entry(field).or_default().push((number, base, own.pointer));
                }
            }
        }
        let is_plain = |field: FieldId| {
            let record = program.record(program.field(field).record);
            let is_set_elsewhere = record.traits.iter().any(|(which, _)| {
                matches!(which, RecordTrait::Constructor | RecordTrait::Initializer)
            });
            let own = &set[&field];
            let uses = self.members.get(&field).into_iter().flatten();
            !is_set_elsewhere
                && uses.into_iter().all(|name| {
                    own.iter().any(|(_, _, pointer)| pointer == name)
                        || self.is_read(*name)
                        || self.is_reset(*name)
                })
        };
        let plain: Vec<FieldId> = set.keys().copied().filter(|field| is_plain(*field)).collect();
        // A list of values may be what an object is made of.
        let is_listed = |field: FieldId| {
            let record = program.field(field).record;
            program.expr_ids().any(|expr| match &program.expr(expr).kind {
                ExprKind::InitList(items) | ExprKind::Construct { arguments: items, .. } => {
                    let of = record_of(program, program.expr(expr).ty);
                    !items.is_empty()
                        && of.is_none_or(|(of, _)| of == record)
                        && items.iter().any(|item| self.merging.value(*item).is_some())
                }
                _ => false,
            })
        };
        let is_const = |field: FieldId| matches!(*program.types.kind(program.field(field).ty.id), TypeKind::Pointer(to) if to.is_const);
        let mut found = BTreeMap::new();
        for (at, first) in plain.iter().enumerate() {
            if found.contains_key(first) || is_const(*first) || is_listed(*first) {
                continue;
            }
            for second in &plain[at + 1..] {
                let (one, other) = (&set[first], &set[second]);
                let are_paired = one.len() == other.len()
                    && program.field(*first).record == program.field(*second).record
                    && one.iter().zip(other).all(|((number, base, _), (of, object, _))| {
                        number == of && self.merging.is_same(*base, *object)
                    });
                if are_paired && !found.contains_key(second) {
                    found.insert(*second, *first);
                }
            }
        }
        found
    }

    /// Whether a null pointer is stored, behind the call that frees what was pointed to.
    fn is_reset(&self, name: ExprId) -> bool {
        let parent = self.merging.statements.parents.of(name);
        parent.is_some_and(|(parent, _)| self.merging.is_reset(name, parent))
    }

    /// Whether the use of a variable's name leaves its value alone.
    fn is_read(&self, name: ExprId) -> bool {
        let program = self.merging.program;
        let mut at = name;
        while let Some((parent, position)) = self.merging.statements.parents.of(at) {
            match &program.expr(parent).kind {
                ExprKind::Paren(_) => at = parent,
                ExprKind::Index { .. } | ExprKind::Deref(_) => return true,
                ExprKind::Binary(..) | ExprKind::Cast { .. } => {
                    return !program.operators.contains_key(&parent);
                }
                ExprKind::Unary(op, _) => return !op.is_update(),
                ExprKind::Assign(_, _, _) => return position == 1,
                ExprKind::Call { callee, arguments, .. } => {
                    return position > 0
                        && match resolve_callee(program, *callee, arguments) {
                            Callee::Function(function) => {
                                let parameters = &program.function(function).parameters;
                                parameters
                                    .get(position - 1)
                                    .is_some_and(|id| !self.merging.is_reference(*id))
                            }
                            // Calls of the runtime take pointers by value; others may swap them.
                            Callee::Library(_) => {
                                let calls = &self.merging.classes.api_calls;
                                calls.iter().any(|call| call.call == parent)
                            }
                            Callee::Ambiguous(_) | Callee::Unknown => false,
                        };
                }
                ExprKind::Launch { .. } => return true,
                _ => return false,
            }
        }
        // A statement, a condition; or the initializer of something that refers to it.
        !program.variable_ids().any(|id| program.variable(id).init == Some(at))
    }

    /// Pairs of parameters that belong to different members.
    fn candidates(&self) -> BTreeMap<VarId, VarId> {
        let program = self.merging.program;
        let mut found = BTreeMap::new();
        for function in program.function_ids() {
            let own = program.function(function);
            if own.body.is_none() || !own.space.on_device() || own.is_variadic {
                continue;
            }
            let pointers: Vec<(VarId, usize)> = own
                .parameters
                .iter()
                .filter(|id| {
                    let ty = program.variable(**id).ty;
                    matches!(*program.types.kind(ty.id), TypeKind::Pointer(to)
                        if program.types.as_scalar(to.id).is_some())
                })
                .filter_map(|id| Some((*id, self.merging.slot_member(Slot::Variable(*id))?)))
                .collect();
            let is_const = |id: VarId| {
                let ty = program.variable(id).ty;
                matches!(*program.types.kind(ty.id), TypeKind::Pointer(to) if to.is_const)
            };
            // What may be written is reached through a pointer that may write.
            let first = pointers
                .iter()
                .find(|(id, _)| !is_const(*id))
                .or(pointers.first())
                .filter(|(id, _)| self.is_plain(function, *id));
            let Some((first, member)) = first else { continue };
            for (second, other) in &pointers {
                if other != member && self.is_plain(function, *second) {
                    found.insert(*second, *first);
                }
            }
        }
        found
    }

    /// A parameter that never changes, and whose name means nothing else in its function.
    fn is_plain(&self, function: FunctionId, id: VarId) -> bool {
        let program = self.merging.program;
        let name = &program.variable(id).name;
        !name.is_empty()
            && !self.has_other_meaning(function, id)
            && self.uses.get(&id).into_iter().flatten().all(|name| self.is_read(*name))
    }

    /// Whether the name of a parameter may mean something else in some text of its function: another variable, a type,
    /// or what a macro declares.
    fn has_other_meaning(&self, function: FunctionId, id: VarId) -> bool {
        let program = self.merging.program;
        let name = program.variable(id).name.as_str();
        let is_in_macro = program.macros.iter().any(|def| {
            let is_parameter = def.parameters.iter().flatten().any(|own| own == name);
            let is_in_body = def.body_identifiers.iter().any(|word| word == name);
            def.is_used && (def.name == name || (is_in_body && !is_parameter))
        });
        let mut known: BTreeSet<Span> =
            self.uses.get(&id).into_iter().flatten().map(|name| program.expr(*name).span).collect();
        known.extend(program.expr_ids().filter_map(|expr| match program.expr(expr).kind {
            ExprKind::Member { name, .. } => Some(name),
            _ => None,
        }));
        let Some(body) = program.function(function).body else { return true };
        let body = program.stmt(body).span;
        let text = program.text(body);
        is_in_macro
            || layoutc_syntax::preprocess::tokens(text)
                .into_iter()
                .filter(|token| token.text(text) == name)
                .any(|token| {
                    let start = body.start + token.range().start as u32;
                    let span = Span { start, end: start + name.len() as u32, ..body };
                    !known.contains(&span)
                })
    }

    fn holds(&self, second: VarId, first: VarId, twins: &BTreeMap<VarId, VarId>) -> bool {
        let program = self.merging.program;
        let Some(function) = program.variable(second).function else { return false };
        let parameters = &program.function(function).parameters;
        let position = |id: VarId| parameters.iter().position(|own| *own == id);
        let (Some(one), Some(other)) = (position(first), position(second)) else { return false };
        let calls = self.calls.get(&function).map_or(&[][..], Vec::as_slice);
        let are_equal = |call: ExprId, arguments: &[ExprId]| {
            let field = |at: usize| {
                let argument = program.strip_parens(*arguments.get(at)?);
                match program.expr(argument).kind {
                    ExprKind::Member { base, field: Some(field), .. } => Some((base, field)),
                    _ => None,
                }
            };
            if let (Some((object, one)), Some((of, other))) = (field(one), field(other)) {
                let leader = |id: FieldId| self.pairs.fields.get(&id).copied().unwrap_or(id);
                return one != other
                    && leader(one) == leader(other)
                    && self.merging.is_same(object, of);
            }
            let name =
                |at: usize| match program.expr(program.strip_parens(*arguments.get(at)?)).kind {
                    ExprKind::Name(NameRef::Variable(id)) => Some(id),
                    _ => None,
                };
            let (Some(one), Some(other)) = (name(one), name(other)) else { return false };
            match (self.pairs.variables.get(&one), self.pairs.variables.get(&other)) {
                (Some((one, span)), Some((other, _))) => {
                    one == other && !span.contains(program.expr_site(call))
                }
                _ => {
                    let leader = |id: VarId| twins.get(&id).copied().unwrap_or(id);
                    leader(one) == leader(other)
                        && [one, other].iter().any(|id| twins.contains_key(id))
                }
            }
        };
        let is_used_well = self
            .uses
            .get(&second)
            .into_iter()
            .flatten()
            .all(|name| self.is_access(*name) || self.is_handed_on(*name, twins));
        !calls.is_empty()
            && calls.iter().all(|(call, arguments)| are_equal(*call, arguments))
            && is_used_well
    }

    /// Whether the pointer, perhaps moved, is used to reach an element.
    fn is_access(&self, name: ExprId) -> bool {
        let program = self.merging.program;
        let mut at = name;
        while let Some((parent, position)) = self.merging.statements.parents.of(at) {
            if program.home(at).is_some() {
                return false;
            }
            match &program.expr(parent).kind {
                // `&x[i]` is `x + i`.
                ExprKind::Index { .. } | ExprKind::Paren(_)
                    if self.merging.classes.places.is_in_position(parent) =>
                {
                    at = parent;
                }
                ExprKind::Index { .. } | ExprKind::Deref(_) => {
                    return position == 0 && self.merging.element(parent).is_some();
                }
                ExprKind::Paren(_) | ExprKind::Binary(..) | ExprKind::AddressOf(_)
                    if self.merging.value(parent).is_some_and(|(_, depth)| depth == 1) =>
                {
                    at = parent;
                }
                _ => return false,
            }
        }
        false
    }

    /// Whether the pointer becomes a twin that is used for nothing by itself.
    fn is_handed_on(&self, name: ExprId, twins: &BTreeMap<VarId, VarId>) -> bool {
        let program = self.merging.program;
        let Some((parent, position)) = self.merging.statements.parents.of(name) else {
            return false;
        };
        let ExprKind::Call { callee, arguments, .. } = &program.expr(parent).kind else {
            return false;
        };
        let Callee::Function(function) = resolve_callee(program, *callee, arguments) else {
            return false;
        };
        let parameter = position.checked_sub(1);
        let parameter = parameter.and_then(|at| program.function(function).parameters.get(at));
        parameter.is_some_and(|id| twins.contains_key(id))
    }
}

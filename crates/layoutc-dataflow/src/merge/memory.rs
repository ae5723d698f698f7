//! Allocations that become one, and the calls that free them.

use super::twins::Pairs;
use super::{Allocated, JointAllocation, Merging, pin, place::Position, strip_casts};
use crate::catalogue::Api;
use crate::classes::Pin;
use crate::grid::index::{Atom, Index, Indices};
use layoutc_diagnostics::Span;
use layoutc_syntax::{BinaryOp, ExprId, ExprKind, FieldId, NameRef, Scalar, StmtId, VarId};
use std::collections::BTreeMap;

/// How deep the definitions of byte counts are followed.
const DEPTH: usize = 8;

/// A call that frees memory.
struct Freed {
    position: Position,
    call: ExprId,
    pointer: ExprId,
}

/// Something whose address is written down: a variable, or a member.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Named {
    Variable(VarId),
    Field(FieldId),
}

impl Merging<'_> {
    /// Pairs the allocations of the members.
    pub(super) fn allocations(&self) -> Result<Vec<JointAllocation>, Pin> {
        // By list of statements: the allocations of each member, in order.
        let mut lists: BTreeMap<StmtId, Vec<Vec<(Position, Allocated)>>> = BTreeMap::new();
        let mut spans: Vec<Span> = Vec::new();
        for (member, class) in self.members.iter().enumerate() {
            for call in self.calls_of(*class).filter(|call| call.api == Api::Malloc) {
                let span = self.program.expr(call.call).span;
                if spans.contains(&span) {
                    return Err(pin(span, "a macro evaluates this allocation more than once"));
                }
                spans.push(span);
                let (Some(pointer), Some(size)) = (self.pointer(call.arguments[0]), call.size())
                else {
                    let message = "it is not the address of a variable or member that is allocated";
                    return Err(pin(span, message));
                };
                let position = self.statements.position(self.program, call.call);
                let Some(position) = position else {
                    let message = "it cannot be seen how often this allocation is executed";
                    return Err(pin(span, message));
                };
                let own = Allocated { member, call: call.call, pointer, size };
                let list = lists.entry(position.list).or_default();
                list.resize_with(self.members.len(), Vec::new);
                list[member].push((position, own));
            }
        }
        let mut found = Vec::new();
        for mut list in lists.into_values() {
            for calls in &mut list {
                calls.sort_by_key(|(position, own)| {
                    (position.index, self.program.expr(own.call).span.start)
                });
            }
            let most = list.iter().map(Vec::len).max().unwrap_or_default();
            for at in 0..most {
                let Some(mut group) =
                    list.iter().map(|calls| calls.get(at).cloned()).collect::<Option<Vec<_>>>()
                else {
                    let alone = list.iter().find_map(|calls| calls.get(at));
                    let span = alone.map_or(super::NOWHERE, |(_, own)| self.site(own.call));
                    let message = "not all of the arrays are allocated here";
                    return Err(pin(span, message));
                };
                group.sort_by_key(|(position, own)| {
                    (position.index, self.program.expr(own.call).span.start)
                });
                found.push(self.joint(&group)?);
            }
        }
        if found.is_empty() {
            let slot = self.classes.class(self.members[0]).slots.first();
            let span = slot.map_or(super::NOWHERE, |slot| self.slot_span(*slot));
            return Err(pin(span, "it cannot be seen where this array is allocated"));
        }
        Ok(found)
    }

    pub(super) fn site(&self, expr: ExprId) -> Span {
        self.program.expr_site(expr)
    }

    /// The pointer that an allocation sets.
    fn pointer(&self, argument: ExprId) -> Option<ExprId> {
        let ExprKind::AddressOf(operand) =
            self.program.expr(strip_casts(self.program, argument)).kind
        else {
            return None;
        };
        let pointer = self.program.strip_parens(operand);
        self.named(pointer)?;
        (self.value(pointer)?.1 == 1 && self.program.home(pointer).is_none()).then_some(pointer)
    }

    /// What an lvalue names, if it is a variable, or a member of what a variable is or points to.
    pub(super) fn named(&self, lvalue: ExprId) -> Option<Named> {
        match self.program.expr(self.program.strip_parens(lvalue)).kind {
            ExprKind::Name(NameRef::Variable(id)) => Some(Named::Variable(id)),
            ExprKind::Member { field: Some(field), .. } => Some(Named::Field(field)),
            _ => None,
        }
    }

    /// One allocation of several that follow each other.
    fn joint(&self, group: &[(Position, Allocated)]) -> Result<JointAllocation, Pin> {
        let (first, keeper) = &group[0];
        let span = self.site(keeper.call);
        if !first.is_unconditional() {
            return Err(pin(span, "this allocation depends on a condition"));
        }
        let mut followers = Vec::new();
        for (position, follower) in &group[1..] {
            let other = self.site(follower.call);
            if position.index == first.index {
                return Err(pin(other, "two of the arrays are allocated by one statement"));
            }
            if other.file != span.file || other.start < span.end {
                return Err(pin(other, "two of the arrays are allocated in different files"));
            }
            let between = Span { start: span.end, end: other.start, ..span };
            let sizes = [keeper, follower].map(|own| (own.member, own.size));
            self.check_same_count(sizes, between)?;
            self.check_keeps_pointer(keeper, between)?;
            followers.push(*follower);
        }
        let is_whole = group.iter().all(|(position, _)| position.is_unconditional());
        Ok(JointAllocation { keeper: *keeper, followers, is_whole })
    }

    pub(super) fn value_bytes(&self, member: usize) -> i64 {
        let element = self.classes.class(self.members[member]).element;
        element.scalar().map_or(1, Scalar::size) as i64
    }

    /// Whether two allocations, by member and byte count, have the same number of values.
    pub(super) fn check_same_count(
        &self,
        [keeper, follower]: [(usize, ExprId); 2],
        between: Span,
    ) -> Result<(), Pin> {
        let span = self.program.expr(follower.1).span;
        let mut indices = Indices::default();
        let count = |indices: &mut Indices, size: ExprId, other: usize| {
            self.bytes(indices, size)?.times(&Index::constant(self.value_bytes(other)))
        };
        let one = count(&mut indices, keeper.1, follower.0);
        let other = count(&mut indices, follower.1, keeper.0);
        let (Some(one), Some(other)) = (one, other) else {
            return Err(pin(span, "this byte count is not followed"));
        };
        if Some(&one) != self.with_members_of(&indices, &one, other).as_ref() {
            let message = "these arrays may have different lengths";
            let keeper = self.program.expr(keeper.1).span;
            let related = vec![(keeper, "the bytes of the other array".to_owned())];
            return Err(Pin { related, ..pin(span, message) });
        }
        for (_, size) in [keeper, follower] {
            if !self.is_stable(size, between) {
                let message = "this byte count may change between the allocations";
                return Err(pin(self.program.expr(size).span, message));
            }
        }
        Ok(())
    }

    /// The same polynomial, in which members are the atoms that `model` has for them.
    fn with_members_of(&self, indices: &Indices, model: &Index, mut index: Index) -> Option<Index> {
        let members = |index: &Index| {
            let members = index.atoms().into_iter().filter_map(|atom| match atom {
                Atom::Expression(number) => Some((atom, indices.expression(number))),
                Atom::Variable(_) => None,
            });
            members.collect::<Vec<_>>()
        };
        let known = members(model);
        for (atom, expr) in members(&index) {
            if let Some((other, _)) = known.iter().find(|(_, own)| self.is_same(*own, expr)) {
                index = index.replace(&atom, &Index::atom(*other))?;
            }
        }
        Some(index)
    }

    /// Whether two expressions are the same member of the same object.
    pub(super) fn is_same(&self, one: ExprId, other: ExprId) -> bool {
        let (one, other) = (self.program.strip_parens(one), self.program.strip_parens(other));
        match (&self.program.expr(one).kind, &self.program.expr(other).kind) {
            (ExprKind::Name(NameRef::Variable(one)), ExprKind::Name(NameRef::Variable(other))) => {
                one == other
            }
            (ExprKind::This, ExprKind::This) => true,
            (
                ExprKind::Member { base: one, arrow, field: Some(field), .. },
                ExprKind::Member { base: other, arrow: by_arrow, field: Some(of), .. },
            ) => field == of && arrow == by_arrow && self.is_same(*one, *other),
            _ => false,
        }
    }

    /// A byte count, with the definitions of variables that never change.
    pub(super) fn bytes(&self, indices: &mut Indices, size: ExprId) -> Option<Index> {
        let mut found = indices.index(self.program, size)?;
        for _ in 0..DEPTH {
            let defined = found.atoms().into_iter().find_map(|atom| {
                let Atom::Variable(id) = atom else { return None };
                let init = self.program.variable(id).init?;
                let is_parameter = matches!(
                    self.program.variable(id).storage,
                    layoutc_syntax::Storage::Parameter { .. }
                );
                let is_wide = self.program.types.as_scalar(self.program.variable(id).ty.id);
                let is_wide = is_wide.is_some_and(|ty| ty.is_integer() && ty.size() >= 4);
                let is_followed = !is_parameter && is_wide && self.changes.is_constant(id);
                let value = indices.index(self.program, init).filter(|_| is_followed)?;
                let is_constant = value.atoms().iter().all(|atom| match atom {
                    Atom::Variable(id) => self.changes.is_constant(*id),
                    Atom::Expression(_) => false,
                });
                is_constant.then_some((atom, value))
            });
            let Some((atom, value)) = defined else { break };
            found = found.replace(&atom, &value)?;
        }
        Some(found)
    }

    /// Whether the pointer that the keeper sets is the same until another one becomes a copy of it.
    fn check_keeps_pointer(&self, keeper: &Allocated, between: Span) -> Result<(), Pin> {
        let own = self.named(keeper.pointer);
        if !self.is_stable_place(keeper.pointer, between) {
            let span = self.program.expr(keeper.pointer).span;
            return Err(pin(span, "what holds this pointer may change between the allocations"));
        }
        let is_local = match own {
            Some(Named::Variable(id)) => {
                let variable = self.program.variable(id);
                variable.function.is_some()
                    && variable.storage != layoutc_syntax::Storage::Static
                    && !self.is_reference(id)
            }
            Some(Named::Field(_)) | None => false,
        };
        for expr in self.program.expr_ids() {
            if !between.contains(self.site(expr)) {
                continue;
            }
            let target = match self.program.expr(expr).kind {
                ExprKind::Assign(_, left, _) => Some(left),
                ExprKind::Unary(op, operand) if op.is_update() => Some(operand),
                ExprKind::AddressOf(operand) => Some(operand),
                _ => None,
            };
            let is_other =
                |target: ExprId| self.named(target).is_some_and(|named| Some(named) != own);
            let is_class = |target: ExprId| {
                self.value(target).is_some_and(|(member, _)| member == keeper.member)
            };
            if target.is_some_and(|target| is_class(target) && !is_other(target)) {
                let span = self.program.expr(expr).span;
                return Err(pin(span, "this may change the pointer between the allocations"));
            }
            // A library may exchange what it is given.
            let is_given = match &self.program.expr(expr).kind {
                ExprKind::Call { arguments, .. } => {
                    !self.classes.api_calls.iter().any(|call| call.call == expr)
                        && arguments.iter().any(|argument| is_class(*argument))
                }
                _ => false,
            };
            if is_given {
                let span = self.program.expr(expr).span;
                return Err(pin(span, "this call may change the pointer between the allocations"));
            }
            // What is local can be changed elsewhere only by its address, which is seen above.
            let may_change = !is_local || self.has_address_elsewhere(keeper);
            if may_change && self.called(expr).iter().any(|id| self.mentioning.contains(id)) {
                let span = self.program.expr(expr).span;
                return Err(pin(span, "this call may change the pointer between the allocations"));
            }
        }
        Ok(())
    }

    /// Whether the address of the keeper's pointer is taken other than by its allocation.
    fn has_address_elsewhere(&self, keeper: &Allocated) -> bool {
        let own = self.named(keeper.pointer);
        self.program.expr_ids().any(|expr| match self.program.expr(expr).kind {
            ExprKind::AddressOf(operand) => {
                let operand = self.program.strip_parens(operand);
                operand != keeper.pointer && self.named(operand) == own
            }
            _ => false,
        })
    }

    /// Calls that free what another call frees, too.
    ///
    /// Either the pointers that are freed together belong to one allocation, or all memory is freed
    /// where `main` ends.
    pub(super) fn frees(&self, pairs: &Pairs) -> Result<Vec<ExprId>, Pin> {
        let mut lists: BTreeMap<StmtId, Vec<Vec<Freed>>> = BTreeMap::new();
        for (member, class) in self.members.iter().enumerate() {
            for call in self.calls_of(*class).filter(|call| call.api == Api::Free) {
                let span = self.program.expr(call.call).span;
                let pointer = strip_casts(self.program, call.arguments[0]);
                let position = self.statements.position(self.program, call.call);
                let position = position.filter(|position| {
                    let guards = position.guards.iter();
                    position.is_certain
                        && guards.into_iter().all(|guard| self.asks_for(*guard, pointer))
                });
                let Some(position) = position else {
                    return Err(pin(span, "it cannot be seen when this is freed"));
                };
                let list = lists.entry(position.list).or_default();
                list.resize_with(self.members.len(), Vec::new);
                list[member].push(Freed { position, call: call.call, pointer });
            }
        }
        let is_only = lists.len() == 1;
        let mut dropped = Vec::new();
        for (stmt, mut list) in lists {
            for calls in &mut list {
                calls.sort_by_key(|own| {
                    (own.position.index, self.program.expr(own.call).span.start)
                });
            }
            let counts: Vec<usize> = list.iter().map(Vec::len).collect();
            let any =
                list.iter().flatten().next().map_or(super::NOWHERE, |own| self.site(own.call));
            if counts.iter().any(|count| *count != counts[0]) {
                return Err(pin(any, "not all of the arrays are freed here"));
            }
            let are_paired = (0..counts[0]).all(|at| {
                list.iter()
                    .all(|calls| self.are_equal(pairs, list[0][at].pointer, calls[at].pointer))
            });
            let end = self.program.stmt(stmt).span;
            let is_end = is_only && self.is_body_of_main(stmt);
            if !are_paired && !is_end {
                let message = "it cannot be seen that these pointers belong to one allocation";
                return Err(pin(any, message));
            }
            self.check_unused_between(&list, (!are_paired).then_some(end))?;
            // One that is always executed stays, if there is any.
            let kept = list
                .iter()
                .position(|calls| calls.iter().all(|own| own.position.guards.is_empty()))
                .unwrap_or(0);
            for (member, calls) in list.iter().enumerate() {
                if member != kept {
                    dropped.extend(calls.iter().map(|own| own.call));
                }
            }
        }
        Ok(dropped)
    }

    /// Whether a condition asks whether this pointer is null, and nothing else.
    fn asks_for(&self, condition: ExprId, pointer: ExprId) -> bool {
        match self.program.expr(condition).kind {
            ExprKind::Paren(inner) => self.asks_for(inner, pointer),
            ExprKind::Binary(BinaryOp::Ne, left, right) => {
                let is_null = |expr| {
                    let expr = strip_casts(self.program, expr);
                    matches!(
                        self.program.expr(expr).kind,
                        ExprKind::Null | ExprKind::Integer(Some(0))
                    )
                };
                (is_null(right) && self.is_same(left, pointer))
                    || (is_null(left) && self.is_same(right, pointer))
            }
            _ => self.is_same(condition, pointer),
        }
    }

    /// Whether two pointers are, wherever they stand together, those of one allocation.
    fn are_equal(&self, pairs: &Pairs, one: ExprId, other: ExprId) -> bool {
        let (one, other) = (self.program.strip_parens(one), self.program.strip_parens(other));
        match (&self.program.expr(one).kind, &self.program.expr(other).kind) {
            (ExprKind::Name(NameRef::Variable(one)), ExprKind::Name(NameRef::Variable(other))) => {
                match (pairs.variables.get(one), pairs.variables.get(other)) {
                    (Some((one, _)), Some((other, _))) => one == other,
                    _ => false,
                }
            }
            (
                ExprKind::Member { base: one, field: Some(field), arrow, .. },
                ExprKind::Member { base: other, field: Some(of), arrow: by_arrow, .. },
            ) => {
                arrow == by_arrow
                    && self.is_same(*one, *other)
                    && pairs.leader(*field).is_some()
                    && pairs.leader(*field) == pairs.leader(*of)
            }
            _ => false,
        }
    }

    fn is_body_of_main(&self, stmt: StmtId) -> bool {
        self.program.function_ids().any(|id| {
            let function = self.program.function(id);
            function.name == "main" && function.record.is_none() && function.body == Some(stmt)
        })
    }

    /// Whether an expression is the target of a null pointer that is stored behind the call that frees
    /// what it pointed to.
    pub(super) fn is_reset(&self, name: ExprId, assignment: ExprId) -> bool {
        let ExprKind::Assign(None, left, value) = self.program.expr(assignment).kind else {
            return false;
        };
        let value = strip_casts(self.program, value);
        let is_null =
            matches!(self.program.expr(value).kind, ExprKind::Null | ExprKind::Integer(Some(0)));
        let place = |expr| self.statements.position(self.program, expr);
        let Some(own) = place(assignment).filter(|_| is_null && left == name) else { return false };
        let calls = self.classes.api_calls.iter().filter(|call| call.api == Api::Free);
        calls.into_iter().any(|call| {
            self.is_same(strip_casts(self.program, call.arguments[0]), name)
                && place(call.call).is_some_and(|freed| {
                    freed.list == own.list && freed.index <= own.index && freed.is_certain
                })
        })
    }

    /// Whether nothing uses the memory between the first and the last call that frees some of it, or up to the end
    /// of `until`.
    fn check_unused_between(&self, list: &[Vec<Freed>], until: Option<Span>) -> Result<(), Pin> {
        let calls: Vec<ExprId> = list.iter().flatten().map(|own| own.call).collect();
        let sites: Vec<Span> = calls.iter().map(|call| self.site(*call)).collect();
        let start = sites.iter().map(|site| site.end).min().unwrap_or_default();
        let end = sites.iter().map(|site| site.start).max().unwrap_or_default();
        let Some(first) = sites.first() else { return Ok(()) };
        if sites.iter().any(|site| site.file != first.file) {
            return Err(pin(*first, "the arrays are freed in different files"));
        }
        let end = until.map_or(end, |until| until.end);
        let between = Span { start, end: end.max(start), ..*first };
        for expr in self.program.expr_ids() {
            let site = self.site(expr);
            if !between.contains(site) || sites.iter().any(|call| call.contains(site)) {
                continue;
            }
            let reaches = || match &self.program.expr(expr).kind {
                ExprKind::Call { arguments, .. } | ExprKind::Launch { arguments, .. } => {
                    !calls.contains(&expr)
                        && arguments
                            .iter()
                            .any(|argument| self.mentions(strip_casts(self.program, *argument)))
                }
                ExprKind::MacroCall { .. } | ExprKind::Opaque(_) | ExprKind::Lambda { .. } => {
                    self.program.expr(expr).children().any(|child| self.mentions(child))
                }
                _ => false,
            };
            let calls_user = self.called(expr).iter().any(|id| self.mentioning.contains(id));
            if self.element(expr).is_some() || calls_user || reaches() {
                let span = self.program.expr(expr).span;
                return Err(pin(span, "the memory is used after one of the arrays is freed"));
            }
        }
        Ok(())
    }
}

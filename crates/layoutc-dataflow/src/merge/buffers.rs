//! Buffers of OpenCL that become one.
//!
//! Each array keeps its handle: the first that is made is that of the joint buffer, and the others are the same, with a
//! reference each. So whoever releases its handle need not know of the others, and the joint buffer lives as long
//! as any of them.
//!
//! *Claims.* Calls that make buffers are paired as allocations are; the handle of the first is the same
//! where the others are made, and nothing uses or releases it before; one queue is all that works on buffers, because what
//! two queues do to one buffer at the same time is not defined, whatever bytes they mean; the text that makes buffers means the same arrays for
//! all chains of calls that reach it; and no code asks whether two handles are equal.

use super::{Merging, NOWHERE, pin, place::Position, strip_casts};
use crate::classes::{BufferApi, BufferCall, Form, Pin, is_buffer};
use layoutc_diagnostics::Span;
use layoutc_syntax::{
    BinaryOp, ExprId, ExprKind, FunctionId, NameRef, StmtId, StmtKind, TypeKind, VarId, evaluate,
};
use std::collections::{BTreeMap, BTreeSet};

/// One buffer of the new program.
#[derive(Clone, Debug)]
pub struct JointBuffer {
    /// The call that makes it.
    pub keeper: Created,
    /// Calls whose handles become references to it.
    pub followers: Vec<Created>,
}

/// A call that makes a buffer.
#[derive(Clone, Copy, Debug)]
pub struct Created {
    /// Position in [`Merge::members`](super::Merge::members).
    pub member: usize,
    /// The call, or the construction of a `cl::Buffer`.
    pub call: ExprId,
    /// What keeps the handle.
    pub handle: HandlePlace,
    /// The byte count.
    pub size: ExprId,
    /// The function of the program that is called, and which makes the buffer by the call with that size.
    pub maker: Option<FunctionId>,
    /// The call of OpenCL.
    pub inner: ExprId,
}

/// What keeps a handle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HandlePlace {
    /// A variable, perhaps declared with it.
    Variable(VarId),
    /// A member of an object: the expression that names it.
    Member(ExprId),
}

impl Merging<'_> {
    /// Pairs the calls that make the buffers of the members.
    pub(super) fn buffers(&self) -> Result<Vec<JointBuffer>, Pin> {
        self.check_comparisons()?;
        self.check_queues()?;
        let mut lists: BTreeMap<StmtId, Vec<Vec<(Position, Created)>>> = BTreeMap::new();
        let mut known: BTreeSet<ExprId> = BTreeSet::new();
        let mut texts: Vec<_> = Vec::new();
        let mut makers: BTreeSet<FunctionId> = BTreeSet::new();
        for (member, class) in self.members.iter().enumerate() {
            let calls = self.classes.buffers.calls_of(self.classes, *class);
            for call in calls.filter(|call| call.api == BufferApi::Create) {
                let is_maker = self.is_maker(call);
                let made_by = match is_maker {
                    true => self.call_of_maker(call, member)?,
                    false => {
                        self.check_one_meaning(call, member)?;
                        call.call
                    }
                };
                let function = self.classes.buffers.instances[call.instance].function;
                makers.extend(is_maker.then_some(function));
                if !known.insert(made_by) {
                    continue;
                }
                let span = self.program.expr(made_by).span;
                let text = (self.program.home(made_by), span);
                if texts.contains(&text) {
                    let message = "a macro evaluates this allocation more than once";
                    return Err(pin(self.site(made_by), message));
                }
                texts.push(text);
                let Some(handle) = self.handle_place(made_by) else {
                    let message = "this buffer is kept in no variable or member";
                    return Err(pin(self.site(made_by), message));
                };
                let Some(size) = self.buffer_size(call) else {
                    return Err(pin(self.site(made_by), "the size of this buffer is not seen"));
                };
                let Some(position) = self.statements.position(self.program, made_by) else {
                    let message = "it cannot be seen how often this buffer is made";
                    return Err(pin(self.site(made_by), message));
                };
                let maker = is_maker.then_some(function);
                let own = Created { member, call: made_by, handle, size, maker, inner: call.call };
                let list = lists.entry(position.list).or_default();
                list.resize_with(self.members.len(), Vec::new);
                list[member].push((position, own));
            }
        }
        let mut found = Vec::new();
        for mut list in lists.into_values() {
            for calls in &mut list {
                calls.sort_by_key(|(position, own)| (position.index, self.site(own.call).start));
            }
            let most = list.iter().map(Vec::len).max().unwrap_or_default();
            for at in 0..most {
                let group: Option<Vec<_>> =
                    list.iter().map(|calls| calls.get(at).cloned()).collect();
                let Some(mut group) = group else {
                    let alone = list.iter().find_map(|calls| calls.get(at));
                    let span = alone.map_or(NOWHERE, |(_, own)| self.site(own.call));
                    return Err(pin(span, "not all of the arrays are allocated here"));
                };
                group.sort_by_key(|(position, own)| (position.index, self.site(own.call).start));
                found.push(self.joint_buffer(&makers, &group)?);
            }
        }
        if found.is_empty() {
            let slot = self.classes.class(self.members[0]).slots.first();
            let span = slot.map_or(NOWHERE, |slot| self.slot_span(*slot));
            return Err(pin(span, "it cannot be seen where this array is allocated"));
        }
        Ok(found)
    }

    /// Text is rewritten once: a call must make buffers of one array, whoever calls its function.
    fn check_one_meaning(&self, call: &BufferCall, member: usize) -> Result<(), Pin> {
        let buffers = &self.classes.buffers;
        let function = buffers.instances[call.instance].function;
        let others = buffers.instances.iter().enumerate();
        for (instance, _) in others.filter(|(_, own)| own.function == function) {
            let is_same = buffers.calls.iter().any(|own| {
                let slot = crate::classes::Slot::Variable(own.parameter);
                (own.call, own.instance) == (call.call, instance)
                    && self.slot_member(slot) == Some(member)
            });
            if !is_same {
                let message = "the function that makes this buffer is called for several arrays";
                return Err(pin(self.site(call.call), message));
            }
        }
        Ok(())
    }

    /// The variable or member that a buffer is made for.
    pub(super) fn handle_place(&self, call: ExprId) -> Option<HandlePlace> {
        let program = self.program;
        let is_it = |expr: ExprId| strip_casts(program, expr) == call;
        let declared = program
            .variable_ids()
            .find(|id| program.variable(*id).init.is_some_and(is_it))
            .filter(|id| is_buffer(program, program.variable(*id).ty));
        if let Some(id) = declared {
            return Some(HandlePlace::Variable(id));
        }
        let left = program.expr_ids().find_map(|expr| match program.expr(expr).kind {
            ExprKind::Assign(None, left, right) if is_it(right) => Some(left),
            _ => None,
        })?;
        let left = program.strip_parens(left);
        if program.home(left).is_some() || !is_buffer(program, program.expr(left).ty) {
            return None;
        }
        match program.expr(left).kind {
            ExprKind::Name(NameRef::Variable(id)) => Some(HandlePlace::Variable(id)),
            ExprKind::Member { field: Some(_), .. } => Some(HandlePlace::Member(left)),
            _ => None,
        }
    }

    fn buffer_size(&self, call: &BufferCall) -> Option<ExprId> {
        match (&self.program.expr(call.call).kind, call.form) {
            (ExprKind::Call { arguments, .. }, Form::Function)
            | (ExprKind::Construct { arguments, .. }, Form::Construction) => {
                arguments.get(2).copied()
            }
            _ => None,
        }
    }

    /// One buffer for several that are made one behind the other.
    fn joint_buffer(
        &self,
        makers: &BTreeSet<FunctionId>,
        group: &[(Position, Created)],
    ) -> Result<JointBuffer, Pin> {
        let (first, keeper) = &group[0];
        let span = self.site(keeper.call);
        if !first.is_unconditional() {
            return Err(pin(span, "this buffer is made on a condition"));
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
            // What else a macro does that makes the buffer counts, too.
            let in_macro = |own: &Created| self.program.home(own.call).is_some();
            let start = if in_macro(keeper) { span.start } else { span.end };
            let end = if in_macro(follower) { other.end } else { other.start };
            let between = Span { start, end, ..span };
            self.check_made_counts([keeper, follower], between)?;
            self.check_keeps_handle(makers, keeper, between)?;
            self.check_same_name(first.function, keeper, other)?;
            followers.push(*follower);
        }
        Ok(JointBuffer { keeper: *keeper, followers })
    }

    /// Two queues may work on separate buffers at the same time, but not on one.
    fn check_queues(&self) -> Result<(), Pin> {
        let program = self.program;
        let makes_queue = |expr: ExprId| match &program.expr(expr).kind {
            ExprKind::Call { callee, arguments, .. } => {
                let is_object = program.text(program.expr(*callee).span) == "cl::CommandQueue";
                is_object
                    || matches!(crate::classes::resolve_callee(program, *callee, arguments),
                        crate::classes::Callee::Library(name)
                            if name.starts_with("clCreateCommandQueue"))
            }
            ExprKind::Construct { of, arguments } => {
                // A copy is the same queue.
                arguments.len() > 1
                    && matches!(program.types.kind(of.id),
                        TypeKind::Named(name, _) if name == "cl::CommandQueue")
            }
            _ => false,
        };
        let made: Vec<ExprId> = program.expr_ids().filter(|expr| makes_queue(*expr)).collect();
        for (at, expr) in made.iter().enumerate() {
            let span = self.site(*expr);
            let is_looped = program.stmt_ids().any(|stmt| {
                let is_loop = match program.stmt(stmt).kind {
                    StmtKind::For { .. } | StmtKind::ForRange { .. } | StmtKind::While { .. } => {
                        true
                    }
                    // Macros have loops of one round around them.
                    StmtKind::DoWhile { condition, .. } => {
                        evaluate::constant(program, condition) != Some(0)
                    }
                    _ => false,
                };
                is_loop && program.stmt_site(stmt).contains(span)
            });
            let around = program.function_ids().find(|id| {
                let body = program.function(*id).body;
                body.is_some_and(|body| program.stmt_site(body).contains(span))
            });
            let instances = &self.classes.buffers.instances;
            let reached = instances.iter().filter(|own| Some(own.function) == around).count();
            if at > 0 || is_looped || reached > 1 {
                return Err(pin(span, "several queues may work on the buffers at the same time"));
            }
        }
        Ok(())
    }

    /// Handles that were different are equal now.
    fn check_comparisons(&self) -> Result<(), Pin> {
        let program = self.program;
        let is_handle = |expr: ExprId| {
            let inner = strip_casts(program, expr);
            let object = match program.expr(inner).kind {
                ExprKind::Call { callee, .. } => program.strip_parens(callee),
                _ => inner,
            };
            is_buffer(program, program.expr(inner).ty)
                || is_buffer(program, program.expr(object).ty)
        };
        for expr in program.expr_ids() {
            let ExprKind::Binary(op, left, right) = program.expr(expr).kind else { continue };
            let compares = matches!(
                op,
                BinaryOp::Eq
                    | BinaryOp::Ne
                    | BinaryOp::Lt
                    | BinaryOp::Gt
                    | BinaryOp::Le
                    | BinaryOp::Ge
                    | BinaryOp::Sub
            );
            if compares && is_handle(left) && is_handle(right) {
                let message = "handles of merged buffers are equal, and this compares handles";
                return Err(pin(self.site(expr), message));
            }
        }
        Ok(())
    }
}

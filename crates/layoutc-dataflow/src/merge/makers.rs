//! Functions of the program that make a buffer and return its handle.
//!
//! Their text serves several arrays, and so it stays: where one is called, what it made is taken over into the joint
//! buffer. *Claim:* nobody but the caller has the handle, so nothing uses the buffer before that.

use super::buffers::Created;
use super::{Merging, pin, strip_casts};
use crate::classes::{BufferApi, BufferCall, Form, Pin, is_buffer};
use crate::grid::index::{Atom, Index, Indices};
use layoutc_diagnostics::Span;
use layoutc_syntax::{
    BinaryOp, ExprId, ExprKind, FunctionId, NameRef, StmtKind, Storage, TypeKind, UnaryOp, VarId,
};

impl Merging<'_> {
    /// Whether a function returns the handle that a call in it makes, or null, and does nothing else with it.
    pub(super) fn is_maker(&self, call: &BufferCall) -> bool {
        let program = self.program;
        let function = self.classes.buffers.instances[call.instance].function;
        let own = program.function(function);
        let is_handle = matches!(program.types.kind(own.result.id), TypeKind::Named(name, _) if name == "cl_mem");
        if !is_handle || call.form != Form::Function || own.record.is_some() {
            return false;
        }
        let parts = program.function_parts(function);
        let creates: Vec<ExprId> = (self.classes.buffers.calls.iter())
            .filter(|other| other.instance == call.instance && other.api == BufferApi::Create)
            .map(|other| other.call)
            .collect();
        if creates != [call.call] || program.home(call.call).is_some() {
            return false;
        }
        let kept = self.kept_handle(call.call);
        let is_local = |id: VarId| {
            let variable = program.variable(id);
            variable.function == Some(function)
                && variable.storage == Storage::Local
                && !self.is_reference(id)
        };
        if kept.is_some_and(|id| !is_local(id)) {
            return false;
        }
        // The variable holds the handle or nothing.
        let is_null = |expr: ExprId| {
            let expr = strip_casts(program, expr);
            matches!(program.expr(expr).kind, ExprKind::Null | ExprKind::Integer(Some(0)))
        };
        let is_unset = |id: VarId| {
            program
                .variable(id)
                .init
                .is_none_or(|init| is_null(init) || strip_casts(program, init) == call.call)
        };
        if kept.is_some_and(|id| !is_unset(id)) {
            return false;
        }
        let is_name = |expr: ExprId| {
            kept.is_some()
                && matches!(program.expr(strip_casts(program, expr)).kind,
                    ExprKind::Name(NameRef::Variable(id)) if Some(id) == kept)
        };
        let returns_well = parts.stmts.iter().all(|stmt| match program.stmt(*stmt).kind {
            StmtKind::Return(Some(value)) => {
                strip_casts(program, value) == call.call || is_name(value) || is_null(value)
            }
            StmtKind::Return(None) | StmtKind::Asm(_) | StmtKind::Opaque { .. } => false,
            _ => true,
        });
        let is_used_well = |expr: ExprId| {
            if expr == call.call {
                return true;
            }
            if strip_casts(program, expr) != call.call && !is_name(expr) {
                return match program.expr(expr).kind {
                    ExprKind::Assign(None, left, right) => {
                        is_name(left) && strip_casts(program, right) == call.call
                    }
                    _ => false,
                };
            }
            match self
                .statements
                .parents
                .of(expr)
                .map(|(parent, at)| (&program.expr(parent).kind, at))
            {
                None => true,
                Some((ExprKind::Paren(_) | ExprKind::Unary(UnaryOp::Not, _), _)) => true,
                Some((ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, left, right), _)) => {
                    is_null(*left) || is_null(*right)
                }
                Some((ExprKind::Assign(None, left, right), _)) => {
                    is_name(*left) && strip_casts(program, *right) == call.call
                }
                Some(_) => false,
            }
        };
        let is_followed = |expr: ExprId| {
            !matches!(
                program.expr(expr).kind,
                ExprKind::Lambda { .. } | ExprKind::MacroCall { .. } | ExprKind::Opaque(_)
            )
        };
        returns_well
            && parts.exprs.iter().all(|expr| {
                is_followed(*expr)
                    && (!is_buffer(program, program.expr(*expr).ty) || is_used_well(*expr))
            })
            // A handle that is no expression, such as a variable that another is declared with.
            && parts.variables.iter().all(|id| {
                Some(*id) == kept || !is_buffer(program, program.variable(*id).ty)
            })
    }

    fn kept_handle(&self, call: ExprId) -> Option<VarId> {
        match self.handle_place(call)? {
            super::HandlePlace::Variable(id) => Some(id),
            super::HandlePlace::Member(_) => None,
        }
    }

    /// The call of a maker that an instance of it is reached by; it must mean one array, too.
    pub(super) fn call_of_maker(&self, call: &BufferCall, member: usize) -> Result<ExprId, Pin> {
        let buffers = &self.classes.buffers;
        let several = || {
            let message = "the function that makes this buffer is called for several arrays";
            pin(self.site(call.call), message)
        };
        let (caller, site) = buffers
            .instances
            .iter()
            .enumerate()
            .find_map(|(at, own)| {
                let site = own.calls.iter().find(|(_, callee)| **callee == call.instance);
                site.map(|(site, _)| (at, *site))
            })
            .ok_or_else(several)?;
        let function = buffers.instances[caller].function;
        for own in buffers.instances.iter().filter(|own| own.function == function) {
            let makes = own.calls.get(&site).is_some_and(|callee| {
                buffers.calls.iter().any(|other| {
                    let slot = crate::classes::Slot::Variable(other.parameter);
                    (other.instance, other.call) == (*callee, call.call)
                        && self.slot_member(slot) == Some(member)
                })
            });
            if !makes {
                return Err(several());
            }
        }
        if self.program.home(site).is_some() {
            return Err(pin(self.site(site), "a macro calls the function that makes this buffer"));
        }
        Ok(site)
    }

    /// Whether two buffers have the same number of values, where functions make some of them.
    pub(super) fn check_made_counts(
        &self,
        [keeper, follower]: [&Created; 2],
        between: Span,
    ) -> Result<(), Pin> {
        if keeper.maker.is_none() && follower.maker.is_none() {
            let sizes = [keeper, follower].map(|own| (own.member, own.size));
            return self.check_same_count(sizes, between);
        }
        let span = self.program.expr(follower.call).span;
        let mut indices = Indices::default();
        let is_alike = keeper.size == follower.size
            && self.value_bytes(keeper.member) == self.value_bytes(follower.member);
        // The same text with the same numbers has the same value, whatever becomes of it there.
        let is_same = is_alike && self.has_same_arguments(&mut indices, keeper, follower);
        if !is_same {
            let mut count = |own: &Created, other: &Created| {
                let bytes = self.made_bytes(&mut indices, own)?;
                bytes.times(&Index::constant(self.value_bytes(other.member)))
            };
            let counts = (count(keeper, follower), count(follower, keeper));
            let (Some(one), Some(other)) = counts else {
                return Err(pin(span, "this byte count is not followed"));
            };
            if one != other {
                let message = "these arrays may have different lengths";
                let other = (self.program.expr(keeper.call).span, "the other one".to_owned());
                return Err(Pin { related: vec![other], ..pin(span, message) });
            }
        }
        for own in [keeper, follower] {
            let sizes = match own.maker {
                Some(function) => self.needed_arguments(&mut indices, own, function),
                None => Some(vec![own.size]),
            };
            for size in sizes.unwrap_or_default() {
                if !self.is_stable(size, between) {
                    let message = "this byte count may change between the allocations";
                    return Err(pin(self.program.expr(size).span, message));
                }
            }
        }
        Ok(())
    }

    /// The parameters that the byte count of a maker needs, with their arguments; none if it needs something else that
    /// may change.
    fn needed(
        &self,
        indices: &mut Indices,
        own: &Created,
        function: FunctionId,
    ) -> Option<(Index, Vec<(VarId, ExprId)>)> {
        let ExprKind::Call { arguments, .. } = &self.program.expr(own.call).kind else {
            return None;
        };
        let size = self.bytes(indices, own.size)?;
        let parameters = &self.program.function(function).parameters;
        let mut found = Vec::new();
        for atom in size.atoms() {
            let Atom::Variable(id) = atom else { return None };
            if !self.changes.is_constant(id) {
                return None;
            }
            if let Some(at) = parameters.iter().position(|own| *own == id) {
                found.push((id, *arguments.get(at)?));
            } else if self.program.variable(id).function.is_some() {
                return None;
            }
        }
        Some((size, found))
    }

    fn needed_arguments(
        &self,
        indices: &mut Indices,
        own: &Created,
        function: FunctionId,
    ) -> Option<Vec<ExprId>> {
        let (_, needed) = self.needed(indices, own, function)?;
        Some(needed.into_iter().map(|(_, argument)| argument).collect())
    }

    fn has_same_arguments(&self, indices: &mut Indices, one: &Created, other: &Created) -> bool {
        let (Some(left), Some(right)) = (one.maker, other.maker) else { return false };
        let arguments = (
            self.needed_arguments(indices, one, left),
            self.needed_arguments(indices, other, right),
        );
        let (Some(left), Some(right)) = arguments else { return false };
        left.len() == right.len()
            && left.into_iter().zip(right).all(|(one, other)| {
                let values = (self.bytes(indices, one), self.bytes(indices, other));
                let is_integer = |expr: ExprId| {
                    let ty = self.program.expr(expr).ty;
                    self.program
                        .types
                        .as_scalar(ty.id)
                        .is_some_and(layoutc_syntax::Scalar::is_integer)
                };
                is_integer(one)
                    && is_integer(other)
                    && matches!(values, (Some(one), Some(other)) if one == other)
            })
    }

    /// The byte count in the numbers of the caller.
    fn made_bytes(&self, indices: &mut Indices, own: &Created) -> Option<Index> {
        let Some(function) = own.maker else { return self.bytes(indices, own.size) };
        let (mut size, needed) = self.needed(indices, own, function)?;
        for (parameter, argument) in needed {
            let width = |ty: layoutc_syntax::QualType| {
                let scalar = self.program.types.as_scalar(ty.id)?;
                scalar.is_integer().then(|| scalar.size())
            };
            let to = width(self.program.variable(parameter).ty)?;
            let from = width(self.program.expr(argument).ty)?;
            if to < 4 || to < from {
                return None;
            }
            let value = self.bytes(indices, argument)?;
            size = size.replace(&Atom::Variable(parameter), &value)?;
        }
        Some(size)
    }
}

//! What keeps the handle of a joint buffer until all of its arrays have theirs.

use super::buffers::{Created, HandlePlace};
use super::{Merging, memory::Named, pin, strip_casts};
use crate::catalogue;
use crate::classes::{Pin, is_buffer, record_of, runs_kernels};
use layoutc_diagnostics::Span;
use layoutc_syntax::{
    ExprId, ExprKind, FunctionId, NameRef, QualType, RecordId, StmtKind, Storage, VarId,
};
use std::collections::BTreeSet;

impl Merging<'_> {
    /// The variable at the root of what names a handle.
    fn root(&self, handle: HandlePlace) -> Option<VarId> {
        let mut at = match handle {
            HandlePlace::Variable(id) => return Some(id),
            HandlePlace::Member(expr) => expr,
        };
        loop {
            match self.program.expr(at).kind {
                ExprKind::Member { base, .. } => at = base,
                ExprKind::Paren(inner) => at = inner,
                ExprKind::Name(NameRef::Variable(id)) => return Some(id),
                _ => return None,
            }
        }
    }

    /// The text that names the keeper's handle must mean it where a follower is made, too.
    pub(super) fn check_same_name(
        &self,
        function: FunctionId,
        keeper: &Created,
        follower: Span,
    ) -> Result<(), Pin> {
        let Some(root) = self.root(keeper.handle) else { return Ok(()) };
        let name = &self.program.variable(root).name;
        let hides = self.program.variable_ids().any(|id| {
            let own = self.program.variable(id);
            id != root && own.name == *name && own.function == Some(function)
        });
        if hides {
            return Err(pin(follower, "another variable has the name of the first array's buffer"));
        }
        Ok(())
    }

    /// Whether what keeps the first handle holds it still where another one becomes a reference to it.
    pub(super) fn check_keeps_handle(
        &self,
        makers: &BTreeSet<FunctionId>,
        keeper: &Created,
        between: Span,
    ) -> Result<(), Pin> {
        let program = self.program;
        let own = match keeper.handle {
            HandlePlace::Variable(id) => Some(Named::Variable(id)),
            HandlePlace::Member(expr) => {
                if !self.is_stable_object(expr, between) {
                    let message = "what holds this handle may change before the others are made";
                    return Err(pin(program.expr(expr).span, message));
                }
                self.named(expr)
            }
        };
        let is_local = match keeper.handle {
            HandlePlace::Variable(id) => {
                let variable = program.variable(id);
                variable.function.is_some()
                    && variable.storage != Storage::Static
                    && !self.is_reference(id)
            }
            HandlePlace::Member(_) => false,
        };
        for stmt in program.stmt_ids() {
            let is_entered = matches!(program.stmt(stmt).kind, StmtKind::Labelled { .. })
                && between.contains(program.stmt_site(stmt).at_start());
            if is_entered {
                let span = program.stmt_site(stmt).at_start();
                return Err(pin(
                    span,
                    "control may come here without the buffer of the first array",
                ));
            }
        }
        let refuse = |expr: ExprId| {
            let message = "this may use, change or release a handle before all buffers are made";
            Err(pin(self.site(expr), message))
        };
        for expr in program.expr_ids() {
            if !between.contains(self.site(expr)) {
                continue;
            }
            let is_handle = |target: ExprId| is_buffer(program, program.expr(target).ty);
            let has_handles = |target: ExprId| self.has_handles(program.expr(target).ty);
            let (target, is_written) = match program.expr(expr).kind {
                ExprKind::Assign(None, _, right) if strip_casts(program, right) == keeper.call => {
                    (None, false)
                }
                ExprKind::Assign(_, left, _) => (Some(left), true),
                ExprKind::Unary(op, operand) if op.is_update() => (Some(operand), true),
                ExprKind::AddressOf(_) if self.changes.copied().contains(&expr) => (None, false),
                ExprKind::AddressOf(operand) => (Some(operand), false),
                _ => (None, false),
            };
            if let Some(target) = target {
                let named = self.named(target);
                let may_be = is_handle(target) && (named.is_none() || named == own);
                if may_be || (is_written && !is_handle(target) && self.is_object(target)) {
                    return refuse(expr);
                }
            }
            match &program.expr(expr).kind {
                ExprKind::Call { callee, arguments, .. } => {
                    let any = || arguments.iter().any(|argument| has_handles(*argument));
                    match crate::classes::resolve_callee(program, *callee, arguments) {
                        crate::classes::Callee::Library(name) => {
                            let is_harmless =
                                catalogue::takes_values(&name) && name != "clReleaseMemObject";
                            if (any() && !is_harmless) || self.gives_work(*callee, arguments) {
                                return refuse(expr);
                            }
                        }
                        crate::classes::Callee::Function(function) => {
                            let is_harmless = (is_local && !any() && !self.has_address(keeper))
                                || makers.contains(&function);
                            let mut seen = BTreeSet::new();
                            let touches = !is_harmless && self.touches_handles(function, &mut seen);
                            if touches || self.enqueues(function, &mut BTreeSet::new()) {
                                return refuse(expr);
                            }
                        }
                        crate::classes::Callee::Ambiguous(_) | crate::classes::Callee::Unknown => {
                            let is_method = matches!(
                                program.expr(program.strip_parens(*callee)).kind,
                                ExprKind::Member { base, .. } if has_handles(base)
                            );
                            let mut of_program = self.called(expr).into_iter();
                            let gives_work = self.gives_work(*callee, arguments)
                                || of_program
                                    .any(|function| self.enqueues(function, &mut BTreeSet::new()));
                            if any() || is_method || gives_work || !is_local {
                                return refuse(expr);
                            }
                        }
                    }
                }
                ExprKind::MacroCall { .. } | ExprKind::Opaque(_) | ExprKind::Lambda { .. } => {
                    return refuse(expr);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether the object around a member is the same behind `between`: a variable, or what a pointer that does not change
    /// points to. What its members hold is looked at apart.
    fn is_stable_object(&self, expr: ExprId, between: Span) -> bool {
        match self.program.expr(expr).kind {
            ExprKind::Paren(inner) => self.is_stable_object(inner, between),
            ExprKind::Member { base, arrow, field: Some(_), .. } => {
                match self.program.expr(self.program.strip_parens(base)).kind {
                    ExprKind::This => true,
                    ExprKind::Name(NameRef::Variable(id)) if !arrow => !self.is_reference(id),
                    ExprKind::Name(NameRef::Variable(_)) => self.is_stable_place(base, between),
                    ExprKind::Member { .. } if !arrow => self.is_stable_object(base, between),
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// Whether the address of a local handle is kept, so that other functions may change it.
    fn has_address(&self, keeper: &Created) -> bool {
        let HandlePlace::Variable(id) = keeper.handle else { return true };
        let program = self.program;
        let is_it = |expr: ExprId| {
            matches!(program.expr(program.strip_parens(expr)).kind,
                ExprKind::Name(NameRef::Variable(own)) if own == id)
        };
        program.expr_ids().any(|expr| match program.expr(expr).kind {
            ExprKind::AddressOf(operand) => {
                is_it(operand) && !self.changes.copied().contains(&expr)
            }
            _ => false,
        }) || program.variable_ids().any(|other| {
            self.is_reference(other) && program.variable(other).init.is_some_and(is_it)
        })
    }

    /// Whether a function, or one that it calls, works with handles of buffers, or with objects that have some.
    fn touches_handles(&self, function: FunctionId, seen: &mut BTreeSet<FunctionId>) -> bool {
        if !seen.insert(function) {
            return false;
        }
        let program = self.program;
        if program.function(function).body.is_none() {
            return true;
        }
        program.function_parts(function).exprs.into_iter().any(|expr| {
            let is_unknown = match &program.expr(expr).kind {
                ExprKind::Call { callee, arguments, .. } => matches!(
                    crate::classes::resolve_callee(program, *callee, arguments),
                    crate::classes::Callee::Ambiguous(_) | crate::classes::Callee::Unknown
                ),
                ExprKind::MacroCall { .. } | ExprKind::Opaque(_) | ExprKind::Lambda { .. } => true,
                _ => false,
            };
            is_unknown
                || self.has_handles(program.expr(expr).ty)
                || self.called(expr).into_iter().any(|called| self.touches_handles(called, seen))
        })
    }

    /// Whether a function, or one that it calls, gives a queue something to do.
    fn enqueues(&self, function: FunctionId, seen: &mut BTreeSet<FunctionId>) -> bool {
        if !seen.insert(function) {
            return false;
        }
        let program = self.program;
        if program.function(function).body.is_none() {
            return true;
        }
        program.function_parts(function).exprs.into_iter().any(|expr| {
            let itself = match &program.expr(expr).kind {
                ExprKind::Call { callee, arguments, .. } => self.gives_work(*callee, arguments),
                // What these do is not known.
                ExprKind::MacroCall { .. } | ExprKind::Opaque(_) | ExprKind::Lambda { .. } => true,
                _ => false,
            };
            itself || self.called(expr).into_iter().any(|called| self.enqueues(called, seen))
        })
    }

    /// Whether a call to what the program does not define may give a queue something to do: it is a command of OpenCL, or
    /// some other function to which a queue or a kernel is handed.
    fn gives_work(&self, callee: ExprId, arguments: &[ExprId]) -> bool {
        let program = self.program;
        let runs = |given: &ExprId| runs_kernels(program, program.expr(*given).ty);
        let is_handed = || arguments.iter().any(runs);
        match crate::classes::resolve_callee(program, callee, arguments) {
            crate::classes::Callee::Library(name) => {
                catalogue::enqueues(&name) || (is_handed() && !catalogue::takes_values(&name))
            }
            crate::classes::Callee::Unknown => {
                // A method of the interface of C++, or a pointer to a function.
                catalogue::enqueues(program.text(program.expr(callee).span)) || is_handed()
            }
            crate::classes::Callee::Function(_) | crate::classes::Callee::Ambiguous(_) => false,
        }
    }

    /// Whether a type is a handle, or one of objects that have some.
    fn has_handles(&self, ty: QualType) -> bool {
        is_buffer(self.program, ty)
            || record_of(self.program, ty).is_some_and(|(record, _)| self.holds_handles(record, 0))
    }

    /// Whether an expression is an object with handles in it.
    fn is_object(&self, expr: ExprId) -> bool {
        let of = record_of(self.program, self.program.expr(expr).ty);
        of.is_some_and(|(record, depth)| depth == 0 && self.holds_handles(record, 0))
    }

    fn holds_handles(&self, record: RecordId, depth: usize) -> bool {
        depth > 8
            || self.program.record(record).fields.iter().any(|field| {
                let ty = self.program.field(*field).ty;
                is_buffer(self.program, ty)
                    || record_of(self.program, ty)
                        .is_some_and(|(inner, _)| self.holds_handles(inner, depth + 1))
            })
    }
}

//! What stands beside an element in a call that is given a copy of it.
//!
//! A reference to the element is read while the function runs, the copy is made before: what is evaluated in between, which
//! is the other arguments of the call, must not change the element.

use super::super::calls::{constructor_of, operator_operands};
use super::super::operands::{exchanged, strip_casts};
use super::super::readers::constructors;
use super::*;
use crate::catalogue::intrinsics::{self, AccessKind};

impl Classifier<'_> {
    /// Pins the class of an element if another argument of the call that takes it may change it.
    pub(super) fn stays_the_same_beside(&mut self, element: ExprId, class: ClassId) {
        let Some(record) = self.element_type(class).record() else { return };
        let found = self.beside(element).into_iter().find(|own| self.may_change(*own, record));
        if let Some(found) = found {
            let message = "this may change the element that another argument refers to";
            self.pin(class, Code::EVALUATION_ORDER, self.span(found), message);
        }
    }

    /// The other operands of the call, operator or constructor that an element is given to.
    fn beside(&self, element: ExprId) -> Vec<ExprId> {
        let mut at = element;
        while let Context::Operand(parent, _) = self.calls.context(at) {
            let own = self.program.expr(parent);
            let is_call = self.program.operators.contains_key(&parent)
                || matches!(
                    own.kind,
                    ExprKind::Call { .. }
                        | ExprKind::Construct { .. }
                        | ExprKind::InitList(_)
                        | ExprKind::Launch { .. }
                );
            if is_call {
                return own.children().filter(|child| *child != at).collect();
            }
            at = parent;
        }
        Vec::new()
    }

    /// Whether evaluating an expression may change an object of a record, or wait for threads that do.
    fn may_change(&self, expr: ExprId, record: RecordId) -> bool {
        let program = self.program;
        let stores = |function: FunctionId| self.classes.stores.may_change(function, record);
        let mut stack = vec![expr];
        while let Some(at) = stack.pop() {
            let own = program.expr(at);
            stack.extend(own.children());
            if let Some((function, ..)) = operator_operands(program, at) {
                if stores(function) {
                    return true;
                }
                continue;
            }
            let changes = match &own.kind {
                ExprKind::Assign(_, target, _) => !self.is_local(*target),
                ExprKind::Unary(op, target) => op.is_update() && !self.is_local(*target),
                ExprKind::Call { callee, arguments, .. } => {
                    match self.calls.callee(program, *callee, arguments) {
                        Callee::Function(function) => {
                            stores(function) || self.gives_a_member(function, arguments)
                        }
                        Callee::Library(name) => {
                            let plain = name.rsplit("::").next().unwrap_or(&name);
                            exchanged(plain, arguments)
                                .is_some_and(|(target, _)| !self.is_local(target))
                                || arguments.iter().any(|own| self.runs_code(*own))
                                || intrinsics::synchronizes(&name)
                                || catalogue::row(&name).is_some_and(|row| row.moves_bytes())
                                || matches!(
                                    intrinsics::access(&name),
                                    Some(AccessKind::Write | AccessKind::Atomic)
                                )
                        }
                        Callee::Ambiguous(candidates) => candidates
                            .into_iter()
                            .any(|own| stores(own) || self.gives_a_member(own, arguments)),
                        Callee::Unknown => !self.is_of_library(*callee),
                    }
                }
                ExprKind::Construct { of, arguments } => {
                    constructors(program, *of, arguments).into_iter().any(stores)
                        || constructor_of(program, *of, arguments)
                            .is_some_and(|own| self.gives_a_member(own, arguments))
                }
                ExprKind::Opaque(_)
                | ExprKind::MacroCall { .. }
                | ExprKind::New { .. }
                | ExprKind::Delete(_)
                | ExprKind::Launch { .. } => true,
                ExprKind::Integer(_)
                | ExprKind::Literal
                | ExprKind::Null
                | ExprKind::This
                | ExprKind::Name(_)
                | ExprKind::Paren(_)
                | ExprKind::Member { .. }
                | ExprKind::Index { .. }
                | ExprKind::Deref(_)
                | ExprKind::AddressOf(_)
                | ExprKind::Binary(..)
                | ExprKind::Conditional(..)
                | ExprKind::Comma(..)
                | ExprKind::Cast { .. }
                | ExprKind::SizeOfType { .. }
                | ExprKind::SizeOfExpr(_)
                | ExprKind::OffsetOf(_)
                | ExprKind::InitList(_)
                | ExprKind::Lambda { .. } => false,
            };
            if changes {
                return true;
            }
        }
        false
    }

    /// Whether an argument is a function or a lambda, which a library's function may call.
    fn runs_code(&self, argument: ExprId) -> bool {
        let mut given = strip_casts(self.program, argument);
        if let ExprKind::AddressOf(inner) = self.program.expr(given).kind {
            given = self.program.strip_parens(inner);
        }
        let given = &self.program.expr(given).kind;
        matches!(given, ExprKind::Lambda { .. } | ExprKind::Name(NameRef::Functions(_)))
    }

    /// Whether a call is one of a library's object, or of a member of it: `random(engine)`, `list.size()`.
    fn is_of_library(&self, callee: ExprId) -> bool {
        let program = self.program;
        let object = match program.expr(program.strip_parens(callee)).kind {
            ExprKind::Member { base, field: None, .. } => base,
            ExprKind::Name(NameRef::Variable(_)) => callee,
            _ => return false,
        };
        let ty = program.types.strip_reference(program.expr(program.strip_parens(object)).ty);
        match program.types.kind(ty.id) {
            TypeKind::Named(name, _) => !name.contains("function"),
            TypeKind::Opaque(_) => true,
            _ => false,
        }
    }

    /// Whether an lvalue is a local variable, or a part of one, that no reference leads to.
    fn is_local(&self, lvalue: ExprId) -> bool {
        let program = self.program;
        let mut at = lvalue;
        loop {
            at = match &program.expr(at).kind {
                ExprKind::Paren(inner) | ExprKind::Member { base: inner, arrow: false, .. } => {
                    *inner
                }
                ExprKind::Name(NameRef::Variable(id)) => {
                    return !is_reference(program, *id)
                        && program.variable(*id).storage != Storage::Static
                        && self.classes.class_of_slot(Slot::Variable(*id)).is_none();
                }
                _ => return false,
            };
        }
    }

    /// Whether a function is given a pointer or reference through which it may change a member of an element.
    fn gives_a_member(&self, function: FunctionId, arguments: &[ExprId]) -> bool {
        let program = self.program;
        let parameters = &program.function(function).parameters;
        parameters.iter().zip(arguments).any(|(parameter, argument)| {
            let argument = program.strip_parens(*argument);
            match *program.types.kind(program.variable(*parameter).ty.id) {
                TypeKind::Reference(to, _) if !to.is_const => !self.is_local(argument),
                TypeKind::Pointer(_) => {
                    self.member_addresses.leads(program, self.calls, self.classes, argument)
                }
                _ => false,
            }
        })
    }
}

//! Member functions and operators that are called on elements.

use super::super::calls::operator_operands;
use super::*;

impl Classifier<'_> {
    /// `p[i].f()` and `q->f()`: `f` only reads, and gets a copy, or the call reaches a version.
    pub(super) fn method_use(&mut self, object: ExprId, class: ClassId, member: ExprId) {
        let program = self.program;
        let callee = match self.calls.context(member) {
            Context::Operand(call, 0) => match &program.expr(call).kind {
                ExprKind::Call { callee, arguments, .. } => {
                    self.calls.callee(program, *callee, arguments)
                }
                _ => Callee::Unknown,
            },
            _ => Callee::Unknown,
        };
        let all_static = matches!(&program.expr(member).kind, ExprKind::Member { methods, .. }
            if methods.iter().all(|method| program.function(*method).is_static_member));
        match callee {
            Callee::Function(_) | Callee::Ambiguous(_) if all_static => {
                self.static_function_of(object, class, member);
            }
            Callee::Function(function) => self.object_of(object, class, function),
            Callee::Ambiguous(_) => self.pin(
                class,
                Code::AMBIGUOUS_NAME,
                self.span(member),
                "it is not clear which member function this calls",
            ),
            Callee::Library(_) | Callee::Unknown => self.pin(
                class,
                Code::FUNCTION_VERSION,
                self.span(member),
                "a member function is named other than to call it",
            ),
        }
    }

    /// `p[i].f()` and `f()` in a member function, where `f` is static: it has no object, and is
    /// called by its class.
    fn static_function_of(&mut self, object: ExprId, class: ClassId, member: ExprId) {
        let program = self.program;
        let ExprKind::Member { methods, .. } = &program.expr(member).kind else { return };
        if methods.iter().any(|method| program.function(*method).is_private) {
            let message = "a static member function is called that is not public";
            self.pin(class, Code::FUNCTION_VERSION, self.span(member), message);
        }
        if has_effects(program, object) {
            let message = "an expression with effects names the object of a static member function";
            self.pin(class, Code::EVALUATION_ORDER, self.span(object), message);
        }
    }

    /// What is known of why a function has no version for elements, as the end of a message.
    fn why_no_version(&self, function: FunctionId) -> String {
        let program = self.program;
        let own = program.function(function);
        let original = own.copy_of.as_ref().map_or(function, |copy_of| copy_of.original);
        let why = match program.without_copies.get(&original) {
            Some(why) => why.reason(),
            None if own.is_deleted => "it is deleted",
            None if own.body.is_none() => "it has no body in the program",
            None if !own.template_parameters.is_empty() => "it is a template",
            None => return String::new(),
        };
        format!(": {why}")
    }

    /// An element as the object of a member function or operator.
    fn object_of(&mut self, object: ExprId, class: ClassId, function: FunctionId) {
        let own = self.program.function(function);
        if let Some(this) = own.this_parameter
            && self.classes.class_of_slot(Slot::Variable(this)) == Some(class)
        {
            return;
        }
        if self.classes.reader_methods.contains(&function) {
            self.stays_the_same_beside(object, class);
            if self.may_alias_argument(object) {
                self.pin(
                    class,
                    Code::EVALUATION_ORDER,
                    self.span(object),
                    "another argument of this call may refer to a member of the element",
                );
            }
            return;
        }
        let why = self.why_no_version(function);
        let message =
            format!("`{}` may change the element and cannot be given a version{why}", own.name);
        self.pin(class, Code::UNSUPPORTED_RECORD, self.span(object), message);
    }

    /// `a[i] + b`, `a[i] += b`, `-a[i]` with an operator of the program.
    pub(super) fn operator_use(&mut self, operand: ExprId, class: ClassId, operator: ExprId) {
        let program = self.program;
        let Some((function, object, operands)) = operator_operands(program, operator) else {
            return;
        };
        if object == Some(operand) {
            self.object_of(operand, class, function);
            return;
        }
        let parameter = operands
            .iter()
            .position(|other| *other == operand)
            .and_then(|at| program.function(function).parameters.get(at));
        let Some(parameter) = parameter.copied() else {
            self.pin(
                class,
                Code::FUNCTION_VERSION,
                self.span(operand),
                "this operator is not modelled",
            );
            return;
        };
        let by_value = self.is_element_type(class, program.variable(parameter).ty);
        let is_version = program.function(function).has_own_text()
            && self.classes.class_of_slot(Slot::Variable(parameter)) == Some(class);
        if by_value || is_version {
            return;
        }
        if self.classes.reader_parameters.contains(&parameter) {
            self.stays_the_same_beside(operand, class);
            return;
        }
        let message = format!(
            "`{}` takes this by reference and cannot be given a version{}",
            program.function(function).name,
            self.why_no_version(function)
        );
        self.pin(class, Code::FUNCTION_VERSION, self.span(operand), message);
    }
}

/// Whether evaluating an expression may do more than to read memory.
fn has_effects(program: &Program, expr: ExprId) -> bool {
    let mut stack = vec![expr];
    while let Some(at) = stack.pop() {
        match &program.expr(at).kind {
            ExprKind::Unary(op, _) if op.is_update() => return true,
            ExprKind::Integer(_)
            | ExprKind::Literal
            | ExprKind::Null
            | ExprKind::This
            | ExprKind::Name(_)
            | ExprKind::Paren(_)
            | ExprKind::Unary(..)
            | ExprKind::Deref(_)
            | ExprKind::AddressOf(_)
            | ExprKind::Binary(..)
            | ExprKind::Index { .. }
            | ExprKind::Member { .. }
            | ExprKind::SizeOfType { .. }
            | ExprKind::SizeOfExpr(_) => stack.extend(program.expr(at).children()),
            _ => return true,
        }
    }
    false
}

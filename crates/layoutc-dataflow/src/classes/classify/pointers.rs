//! Uses of pointers: each context is one that codegen rewrites, or pins the class.

use super::*;
use crate::catalogue::Role;
use crate::catalogue::intrinsics;
use crate::classes::lists;
use crate::classes::operands::is_null;

/// What a value flows into, behind parentheses and casts.
pub(super) struct Consumer {
    /// The context of the outermost such expression.
    pub(super) context: Context,
    /// That expression.
    pub(super) expr: ExprId,
    /// The first cast that changes the type, with the type cast to.
    pub(super) cast: Option<(ExprId, QualType)>,
}

impl Classifier<'_> {
    /// Climbs parentheses and casts.
    pub(super) fn consumer(&self, expr: ExprId) -> Consumer {
        let mut found = Consumer { context: self.calls.context(expr), expr, cast: None };
        while let Context::Operand(parent, _) = found.context {
            match &self.program.expr(parent).kind {
                ExprKind::Paren(_) => {}
                ExprKind::Cast { target, .. } => {
                    let own = self.program.expr(expr).ty;
                    let same = element_of(self.program, *target).is_some()
                        && element_of(self.program, *target) == element_of(self.program, own);
                    if !same && found.cast.is_none() {
                        found.cast = Some((parent, *target));
                    }
                }
                _ => break,
            }
            found.expr = parent;
            found.context = self.calls.context(parent);
        }
        found
    }

    /// The runtime call that an expression is an argument of, with its position.
    pub(super) fn api_argument(&self, context: Context) -> Option<(&ApiCall, usize)> {
        let Context::Operand(parent, position) = context else { return None };
        let at = self.api_of_call.get(&parent)?;
        let position = position.checked_sub(1)?;
        Some((&self.classes.api_calls[*at], position))
    }

    /// A pin for a pointer that may point anywhere.
    pub(super) fn unknown_memory(&mut self, class: ClassId, from: ExprId) {
        let message = match self.unfollowed.allocator(self.program, from) {
            Some(name) => allocation_text(name),
            None => match owner_of(self.program, from) {
                Some(owner) => {
                    format!(
                        "`{owner}` owns this memory, and layoutc does not change its element type"
                    )
                }
                None => "it cannot be seen what this points to".to_owned(),
            },
        };
        self.pin(class, Code::UNKNOWN_MEMORY, self.span(from), message);
    }

    /// The function that an argument is the address of a pointer for, if it allocates and is not followed.
    fn unfollowed_allocator(&self, context: Context) -> Option<String> {
        let Context::Operand(parent, position) = context else { return None };
        let ExprKind::Call { callee, arguments, .. } = &self.program.expr(parent).kind else {
            return None;
        };
        let Callee::Library(name) = self.calls.callee(self.program, *callee, arguments) else {
            return None;
        };
        let row = catalogue::row(&name).filter(|row| row.allocates() && row.api.is_none())?;
        let at = row.position(Role::PointerAddress)?;
        (position == at + 1).then_some(name)
    }

    /// The function that copies an array as the object says that a call makes of this argument.
    fn copy_described_by(&self, argument: ExprId) -> Option<&str> {
        let Context::Operand(call, _) = self.consumer(argument).context else { return None };
        let Context::Operand(parent, 1) = self.consumer(call).context else { return None };
        match self.program.expr(parent).kind {
            ExprKind::Assign(None, left, _) => self.unfollowed.copier(self.program, left),
            _ => None,
        }
    }

    /// A pin for a description of the array that goes to a copy.
    fn description(&mut self, class: ClassId, by: &str, span: Span) {
        let message =
            format!("`{by}` copies the array as this says, which has no form in another layout");
        self.pin(class, Code::COPY_FORM, span, message);
    }

    /// Whether a pointer to the first element is printed: `%p`.
    fn is_printed(&self, expr: ExprId, context: Context) -> bool {
        let Context::Operand(call, position) = context else { return false };
        let ExprKind::Call { callee, arguments, .. } = &self.program.expr(call).kind else {
            return false;
        };
        let Callee::Library(name) = self.calls.callee(self.program, *callee, arguments) else {
            return false;
        };
        // In a macro the text around it stands for other arguments, too.
        let is_plain = |of: ExprId| self.program.home(of).is_none();
        catalogue::format_position(&name).is_some_and(|format| position > format + 1)
            && is_plain(call)
            && is_plain(expr)
            && self.program.macro_role(expr).is_none()
            && slot_of(self.program, expr).is_some_and(|slot| !self.classes.is_interior(slot))
    }

    /// A pin for a cast of a pointer to another type.
    pub(super) fn bad_cast(&mut self, class: ClassId, cast: ExprId, target: QualType) {
        let types = &self.program.types;
        let span = self.span(cast);
        let pointee = types.pointee(target.id);
        if let Some(scalar) = pointee.and_then(|to| types.as_scalar(to.id))
            && scalar.size() == 1
        {
            self.pin(
                class,
                Code::BYTE_ARITHMETIC,
                span,
                "the array is addressed in bytes from here on",
            );
        } else if types.as_scalar(target.id).is_some() {
            self.pin(
                class,
                Code::ADDRESS_AS_INTEGER,
                span,
                "the pointer is converted to an integer here",
            );
        } else if pointee.is_some_and(|to| to.id == TypeTable::VOID) {
            self.pin(class, Code::UNTYPED_POINTER, span, "the pointer loses its type here");
        } else {
            self.pin(
                class,
                Code::INCOMPATIBLE_CAST,
                span,
                "the elements are reinterpreted as another type here",
            );
        }
    }

    /// A pointer to elements, of type `T*`.
    pub(super) fn pointer(&mut self, expr: ExprId, class: ClassId) {
        // Parentheses and same-type casts hold the same value: the outermost is judged.
        if let Context::Operand(parent, _) = self.calls.context(expr)
            && matches!(self.program.expr(parent).kind, ExprKind::Paren(_) | ExprKind::Cast { .. })
            && self.classes.value(parent).is_some()
        {
            return;
        }
        let span = self.span(expr);
        let consumer = self.consumer(expr);
        if let Some((api, position)) = self.api_argument(consumer.context) {
            if !api.is_device_argument(position) {
                let api = api.clone();
                self.misplaced_argument(class, &api, position, span);
            } else if !api.takes_places()
                && is_offset(self.program, self.classes, expr, &self.classes.class(class).interior)
            {
                self.pin(class, Code::SUB_RANGE, span, "the call starts inside the array");
            }
            return;
        }
        if self.element_copy(consumer.context, class) {
            return;
        }
        if let Some((cast, target)) = consumer.cast {
            // `(void)p` says that it is not used.
            let is_unused = target.id == TypeTable::VOID
                && cast == consumer.expr
                && matches!(consumer.context, Context::Dropped);
            let is_printed = self.is_printed(expr, consumer.context)
                && self.program.types.pointee(target.id).is_some_and(|to| to.id == TypeTable::VOID);
            if !is_unused && !is_printed && !self.wide_access(expr, class, cast) {
                self.bad_cast(class, cast, target);
            }
            return;
        }
        match consumer.context {
            Context::Condition => {}
            Context::Dropped => {
                let kind = &self.program.expr(self.program.strip_parens(consumer.expr)).kind;
                let harmless = matches!(
                    kind,
                    ExprKind::Assign(..)
                        | ExprKind::Unary(..)
                        | ExprKind::Call { .. }
                        | ExprKind::Comma(..)
                        | ExprKind::Name(_)
                );
                if !harmless {
                    self.pin(
                        class,
                        Code::POINTER_EXPRESSION,
                        span,
                        "an address is computed and dropped",
                    );
                }
            }
            Context::Init(variable) => self.pointer_into_variable(class, variable, span),
            Context::Returned { in_lambda } => {
                let function = self.calls.function(expr);
                let slot = function.and_then(|id| self.classes.class_of_slot(Slot::Result(id)));
                if in_lambda || slot != Some(class) {
                    self.pin(
                        class,
                        Code::UNTYPED_POINTER,
                        span,
                        "the pointer is returned as another type",
                    );
                }
            }
            Context::Range => {
                self.pin(class, Code::POINTER_EXPRESSION, span, "a range-based loop over the array")
            }
            Context::Opaque => {
                self.pin(class, Code::UNMODELLED_CONSTRUCT, span, "this construct is not modelled")
            }
            Context::Assembly => {
                self.pin(class, Code::INLINE_ASSEMBLY, span, "inline assembly uses the array")
            }
            Context::Operand(parent, position) => {
                self.pointer_operand(consumer.expr, class, parent, position)
            }
        }
    }

    pub(super) fn misplaced_argument(
        &mut self,
        class: ClassId,
        api: &ApiCall,
        position: usize,
        span: Span,
    ) {
        if api.is_copied_side(position) {
            match api.direction {
                Direction::Unknown => self.pin(
                    class,
                    Code::COPY_FORM,
                    span,
                    "neither the call nor its arguments say the direction of this copy",
                ),
                _ => self.pin(
                    class,
                    Code::HOST_ACCESS,
                    span,
                    "the direction of this copy says that this is host memory",
                ),
            }
        } else {
            self.pin(
                class,
                Code::ESCAPING_POINTER,
                span,
                "the pointer is passed as a number or handle",
            );
        }
    }

    pub(super) fn pointer_into_variable(&mut self, class: ClassId, variable: VarId, span: Span) {
        if self.classes.class_of_slot(Slot::Variable(variable)) == Some(class) {
            return;
        }
        // `bool ok = p;` asks whether there is an array.
        let ty = self.program.variable(variable).ty;
        if self.program.types.as_scalar(ty.id) == Some(layoutc_syntax::Scalar::Bool) {
            return;
        }
        let name = &self.program.variable(variable).name;
        let message = format!("the type of `{name}` is not `{} *`", self.element_name(class));
        self.pin(class, Code::UNTYPED_POINTER, span, message);
    }

    /// A pointer as operand of `parent`.
    pub(super) fn pointer_operand(
        &mut self,
        expr: ExprId,
        class: ClassId,
        parent: ExprId,
        position: usize,
    ) {
        let span = self.span(expr);
        let program = self.program;
        match &program.expr(parent).kind {
            ExprKind::Index { .. } if position == 0 => self.host_access(parent, class),
            ExprKind::Deref(_) => self.host_access(parent, class),
            ExprKind::Member { arrow: true, field: None, methods, .. } if !methods.is_empty() => {
                self.method_use(expr, class, parent);
                self.host_access(parent, class);
            }
            ExprKind::Member { arrow: true, field, name, .. } => {
                if field.is_none() {
                    self.pin(
                        class,
                        Code::UNKNOWN_MEMBER,
                        *name,
                        "this names no member variable that is modelled",
                    );
                }
                self.host_access(parent, class);
            }
            // A pointer held in a vector-like or handle record is a slot of its own.
            ExprKind::Binary(op, left, right) => {
                let other = if position == 0 { *right } else { *left };
                match op {
                    BinaryOp::Add => {}
                    BinaryOp::Sub if self.classes.value(other).is_none() => {}
                    BinaryOp::Eq | BinaryOp::Ne if is_null(program, other) => {}
                    // Starts of arrays are equal if the arrays are the same.
                    BinaryOp::Eq | BinaryOp::Ne
                        if self.classes.value(other) == Some((class, 1))
                            && [expr, other].into_iter().all(|side| {
                                !is_offset(
                                    program,
                                    self.classes,
                                    side,
                                    &self.classes.class(class).interior,
                                )
                            }) => {}
                    BinaryOp::LogicalAnd | BinaryOp::LogicalOr => {}
                    // Indices order and subtract like elements of one array.
                    BinaryOp::Eq
                    | BinaryOp::Ne
                    | BinaryOp::Lt
                    | BinaryOp::Le
                    | BinaryOp::Gt
                    | BinaryOp::Ge
                    | BinaryOp::Sub
                        if self.classes.value(other) == Some((class, 1))
                            && self.starts.are_same(program, *left, *right) =>
                    {
                        self.classes.same_array.insert(parent);
                    }
                    BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Sub
                        if self.classes.value(other) == Some((class, 1))
                            && self.starts.are_ordered(program, *left, *right) =>
                    {
                        self.classes.same_array.insert(parent);
                    }
                    // Elements are as far from each other as before.
                    BinaryOp::Eq
                    | BinaryOp::Ne
                    | BinaryOp::Lt
                    | BinaryOp::Le
                    | BinaryOp::Gt
                    | BinaryOp::Ge
                    | BinaryOp::Sub
                        if self.may_move(class)
                            && self.classes.value(other) == Some((class, 1)) => {}
                    // Equal are those with one base and one index.
                    BinaryOp::Eq | BinaryOp::Ne
                        if self.classes.value(other) == Some((class, 1)) => {}
                    _ => self.pin(
                        class,
                        Code::POINTER_COMPARISON,
                        self.span(parent),
                        "addresses of elements are compared or subtracted",
                    ),
                }
            }
            ExprKind::Unary(UnaryOp::Not, _) => {}
            ExprKind::Unary(op, _) if op.is_update() => {
                if slot_of(self.program, expr).is_none() {
                    self.pin(
                        class,
                        Code::SUB_RANGE,
                        self.span(parent),
                        "a pointer is moved through an expression",
                    );
                }
                self.moved_pointer(class, parent);
            }
            ExprKind::Assign(op, left, right) => {
                self.pointer_assignment(class, parent, *op, *left, *right, position)
            }
            ExprKind::Conditional(..) if position == 0 => {}
            ExprKind::Conditional(_, then, otherwise) => {
                let other = if position == 1 { *otherwise } else { *then };
                if self.classes.value(other).is_none() && !is_null(program, other) {
                    self.unknown_memory(class, other);
                }
            }
            ExprKind::Comma(..) => {
                if position == 1 && !self.is_dropped(parent) {
                    self.pin(
                        class,
                        Code::POINTER_EXPRESSION,
                        span,
                        "the pointer is the result of a comma operator",
                    );
                }
            }
            ExprKind::AddressOf(_) => {}
            ExprKind::Call { callee, arguments, .. } => {
                if position == 0 {
                    self.pin(class, Code::POINTER_EXPRESSION, span, "the pointer is called");
                } else {
                    let callee = self.calls.callee(program, *callee, arguments);
                    self.argument(expr, class, &callee, position - 1);
                }
            }
            ExprKind::Launch { kernel, config, arguments, .. } => {
                match position.checked_sub(1 + config.len()) {
                    Some(argument) => {
                        let callee = self.calls.callee(program, *kernel, arguments);
                        self.argument(expr, class, &callee, argument);
                        if program.launches_by_address.contains(&parent) {
                            self.argument_by_address(expr, class, &callee, argument);
                        }
                    }
                    None => self.pin(
                        class,
                        Code::POINTER_EXPRESSION,
                        span,
                        "the pointer is part of a launch configuration",
                    ),
                }
            }
            ExprKind::MacroCall { name, .. } => {
                let message = format!("the pointer is given to {}", self.described_macro(name));
                self.pin(class, Code::OPAQUE_MACRO, span, message);
            }
            ExprKind::SizeOfExpr(_) if self.is_symbol_size(expr, parent) => {}
            ExprKind::SizeOfExpr(_) => self.pin(
                class,
                Code::POINTER_EXPRESSION,
                self.span(parent),
                "the size of the pointer, not of an element, is taken",
            ),
            ExprKind::Construct { .. } | ExprKind::InitList(_)
                if self.constructor_for(parent).is_some_and(|constructor| {
                    program.function(constructor).parameters.get(position).is_some_and(
                        |parameter| !self.classes.is_interior(Slot::Variable(*parameter)),
                    )
                }) =>
            {
                if let Some(constructor) = self.constructor_for(parent) {
                    self.argument(expr, class, &Callee::Function(constructor), position);
                }
            }
            ExprKind::InitList(_) | ExprKind::Construct { .. } => {
                // Filling a slot field by field was unified; anything else was not.
                if !self.initializes_slot(class, parent, position) {
                    // Whatever holds pointers of this type may hold it from now on.
                    let element = self.element_type(class);
                    for other in self.classes.ids() {
                        let holds = self
                            .classes
                            .class(other)
                            .slots
                            .iter()
                            .any(|slot| matches!(slot, Slot::Field(_)));
                        if other == class || (holds && self.element_type(other) == element) {
                            let message = "a pointer is put into an object that is not followed";
                            self.pin(other, Code::POINTER_EXPRESSION, span, message);
                        }
                    }
                }
            }
            // The body uses it under the same name.
            ExprKind::Lambda { .. }
                if matches!(slot_of(program, expr), Some(Slot::Variable(id))
                    if !is_reference(program, id)) => {}
            ExprKind::Delete(_)
                if self.classes.class(class).is_native
                    && !is_offset(
                        program,
                        self.classes,
                        expr,
                        &self.classes.class(class).interior,
                    ) => {}
            ExprKind::Delete(_) => {
                self.pin(class, Code::ESCAPING_POINTER, span, "device memory is given to `delete`")
            }
            ExprKind::Index { .. }
            | ExprKind::Unary(..)
            | ExprKind::Member { .. }
            | ExprKind::Paren(_)
            | ExprKind::Cast { .. }
            | ExprKind::New { .. }
            | ExprKind::Lambda { .. }
            | ExprKind::Opaque(_)
            | ExprKind::OffsetOf(_)
            | ExprKind::SizeOfType { .. }
            | ExprKind::Integer(_)
            | ExprKind::Literal
            | ExprKind::Null
            | ExprKind::This
            | ExprKind::Name(_) => self.pin(
                class,
                Code::UNMODELLED_CONSTRUCT,
                span,
                "this use of the pointer is not modelled",
            ),
        }
    }

    /// Whether nothing uses the value of an expression.
    pub(super) fn is_dropped(&self, expr: ExprId) -> bool {
        self.calls.is_dropped(self.program, expr)
    }

    /// A pointer that is moved (`q++`, `q += n`): dropped, or used at once as base and index.
    fn moved_pointer(&mut self, class: ClassId, moved: ExprId) {
        let mut at = moved;
        while let Context::Operand(parent, _) = self.calls.context(at)
            && matches!(self.program.expr(parent).kind, ExprKind::Paren(_))
        {
            at = parent;
        }
        let is_used_at_once = match self.calls.context(at) {
            Context::Init(_) => true,
            Context::Operand(parent, position) => match &self.program.expr(parent).kind {
                ExprKind::Deref(_) | ExprKind::Member { arrow: true, .. } => true,
                ExprKind::Index { .. } => position == 0,
                ExprKind::Assign(None, left, _) => position == 1 && *left != at,
                _ => false,
            },
            _ => false,
        };
        if !self.is_dropped(moved) && !is_used_at_once {
            self.pin(
                class,
                Code::POINTER_EXPRESSION,
                self.span(moved),
                "the pointer is moved inside an expression",
            );
        }
    }

    /// The constructor that a list of items calls.
    fn constructor_for(&self, list: ExprId) -> Option<FunctionId> {
        if let ExprKind::Construct { of, arguments } = &self.program.expr(list).kind {
            return super::super::calls::constructor_of(self.program, *of, arguments);
        }
        match lists::filled(self.program, self.calls, list) {
            Some(lists::Filled::Parameters(constructor)) => Some(constructor),
            Some(lists::Filled::Members(_)) | None => None,
        }
    }

    /// Whether an item of an initializer list initializes a slot of the class.
    fn initializes_slot(&self, class: ClassId, list: ExprId, position: usize) -> bool {
        if let Context::Init(variable) = self.calls.context(list)
            && self.classes.class_of_slot(Slot::Variable(variable)) == Some(class)
        {
            let ty = self.program.variable(variable).ty;
            return matches!(
                self.program.types.kind(ty.id),
                TypeKind::Array(..) | TypeKind::Pointer(_)
            );
        }
        let item = self.list_items(list).get(position);
        let slot = item.and_then(|item| self.classes.list_slots.get(item));
        slot.is_some_and(|slot| {
            matches!(slot, Slot::Field(_)) && self.classes.class_of_slot(*slot) == Some(class)
        })
    }

    pub(super) fn list_items(&self, list: ExprId) -> &[ExprId] {
        lists::items_of(self.program, list)
    }

    pub(super) fn pointer_assignment(
        &mut self,
        class: ClassId,
        assignment: ExprId,
        op: Option<BinaryOp>,
        left: ExprId,
        right: ExprId,
        position: usize,
    ) {
        if position == 0
            && slot_of(self.program, left).is_none()
            && (op.is_some()
                || is_offset(
                    self.program,
                    self.classes,
                    right,
                    &self.classes.class(class).interior,
                ))
        {
            self.pin(
                class,
                Code::SUB_RANGE,
                self.span(assignment),
                "a pointer is moved through an expression",
            );
        }
        // A flow into a slot is judged with the others.
        if position == 0
            && op.is_none()
            && slot_of(self.program, left).is_none()
            && self.classes.value(right).is_none()
            && self.classes.place(right).is_none()
            && !is_null(self.program, right)
            && !self.classes.host_allocations.contains_key(&self.program.strip_parens(right))
        {
            self.unknown_memory(class, right);
        }
        match (position, op) {
            (0, None) => {}
            (0, Some(BinaryOp::Add | BinaryOp::Sub)) => self.moved_pointer(class, assignment),
            (1, None) => {
                let same = self
                    .classes
                    .value(left)
                    .is_some_and(|(found, depth)| found == class && depth == 1);
                let copier = self.unfollowed.copier(self.program, left).map(str::to_owned);
                if !same && let Some(by) = copier {
                    self.description(class, &by, self.span(right));
                } else if !same {
                    let message =
                        format!("the type of this is not `{} *`", self.element_name(class));
                    self.pin(class, Code::UNTYPED_POINTER, self.span(left), message);
                }
                return;
            }
            _ => self.pin(
                class,
                Code::UNMODELLED_CONSTRUCT,
                self.span(assignment),
                "this use of the pointer is not modelled",
            ),
        }
        if op.is_none()
            && !self.is_dropped(assignment)
            && self.classes.is_interior_expr(self.program, left)
        {
            self.pin(
                class,
                Code::POINTER_EXPRESSION,
                self.span(assignment),
                "a pointer behind the first element is assigned inside an expression",
            );
        }
        let _ = right;
    }

    /// A pointer of which a launch is given the address: the runtime copies as many bytes as the
    /// parameter has, so it must stay one argument.
    fn argument_by_address(&mut self, expr: ExprId, class: ClassId, callee: &Callee, at: usize) {
        let span = self.span(expr);
        if self.element_type(class).is_leaf() {
            let message = "a launch that is given the address of this pointer is followed for arrays of structs only";
            self.pin(class, Code::UNTYPED_POINTER, span, message);
        }
        let Callee::Function(kernel) = callee else { return };
        let kernel = self.program.function(*kernel);
        let moves = |slot: Slot| self.classes.is_interior(slot);
        let parameter = kernel.parameters.get(at).copied();
        if slot_of(self.program, expr).is_none_or(moves) {
            let message = "a launch is given the address of this pointer, which may point behind the first element";
            self.pin(class, Code::SUB_RANGE, span, message);
        } else if parameter.is_none_or(|id| moves(Slot::Variable(id))) {
            let message = format!(
                "a launch is given the address of this pointer, and `{}` moves it",
                kernel.name
            );
            self.pin(class, Code::SUB_RANGE, span, message);
        }
    }

    /// Why the address of a pointer, as an item of a list, is not followed.
    fn unfollowed_address(&self, item: ExprId) -> String {
        match self.program.unfollowed_launches.get(&item) {
            Some(reason) => {
                format!(
                    "the launch that is given this address is not followed: {}",
                    reason.reason()
                )
            }
            None => "the address of the pointer is used in a way that is not followed".to_owned(),
        }
    }

    /// A pointer or element passed to a function.
    pub(super) fn argument(&mut self, expr: ExprId, class: ClassId, callee: &Callee, at: usize) {
        let span = self.span(expr);
        if let Some(reason) = self.given_to_algorithm(expr, class) {
            if let Err(message) = reason {
                self.pin(class, Code::ESCAPING_POINTER, span, message);
            }
            return;
        }
        match callee {
            Callee::Function(function) => {
                let function = self.program.function(*function);
                let Some(parameter) = function.parameters.get(at).copied() else {
                    self.pin(
                        class,
                        Code::ESCAPING_POINTER,
                        span,
                        format!("`{}` takes this as a variable argument", function.name),
                    );
                    return;
                };
                if self.classes.class_of_slot(Slot::Variable(parameter)) != Some(class) {
                    let (code, why) = if function.template_parameters.is_empty() {
                        (Code::UNTYPED_POINTER, "is not a pointer to the element type")
                    } else {
                        (
                            Code::TEMPLATE_USE,
                            "cannot be rewritten: no instance of this template can be written for the call",
                        )
                    };
                    let name = &self.program.variable(parameter).name;
                    self.pin(
                        class,
                        code,
                        span,
                        format!("parameter `{name}` of `{}` {why}", function.name),
                    );
                } else if function.body.is_none() {
                    self.pin(
                        class,
                        Code::ESCAPING_POINTER,
                        span,
                        format!("`{}` is not defined in the program", function.name),
                    );
                }
            }
            Callee::Library(name) if name == "swap" => {
                // `swap(p[0], p[1])`: the items of an array of pointers are one slot.
                let swapped = match self.program.expr(self.program.strip_parens(expr)).kind {
                    ExprKind::Index { base, .. }
                        if matches!(
                            self.program.types.kind(self.program.expr(base).ty.id),
                            TypeKind::Array(..)
                        ) =>
                    {
                        base
                    }
                    _ => expr,
                };
                let plain = slot_of(self.program, swapped).is_some_and(|slot| {
                    self.classes.class_of_slot(slot) == Some(class)
                        && !self.classes.is_interior(slot)
                });
                let other = match self.calls.operand(expr).map(|(call, _)| call) {
                    Some(call) => match &self.program.expr(call).kind {
                        ExprKind::Call { arguments, .. } => arguments.get(1 - at.min(1)).copied(),
                        _ => None,
                    },
                    None => None,
                };
                let is_known = other.is_some_and(|other| {
                    self.classes.value(other).is_some_and(|(known, _)| known == class)
                });
                if !plain || !is_known {
                    let message = match plain {
                        true => "it is exchanged with a pointer that is not followed",
                        false => "this is not a plain pointer variable",
                    };
                    self.pin(class, Code::POINTER_EXPRESSION, span, message);
                }
            }
            // What they give back is judged, and what is stored is a flow.
            Callee::Library(name)
                if matches!(name.as_str(), "move" | "exchange")
                    && at == 0
                    && self.classes.place(expr).is_none() =>
            {
                let slot = slot_of(self.program, expr);
                let plain = slot.is_some_and(|slot| {
                    self.classes.class_of_slot(slot) == Some(class)
                        && !self.classes.is_interior(slot)
                });
                let is_known = matches!(self.calls.context(expr), Context::Operand(call, _)
                    if self.classes.value(call) == Some((class, 1)));
                if !plain || !is_known {
                    let message = "this is not a plain pointer variable";
                    self.pin(class, Code::POINTER_EXPRESSION, span, message);
                }
            }
            Callee::Library(name) if name == "exchange" && at == 1 => {
                let target = match self.calls.context(expr) {
                    Context::Operand(call, _) => match &self.program.expr(call).kind {
                        ExprKind::Call { arguments, .. } => arguments.first().copied(),
                        _ => None,
                    },
                    _ => None,
                };
                let same =
                    target.is_some_and(|target| self.classes.value(target) == Some((class, 1)));
                if !same {
                    let message = "the pointer is stored as another type";
                    self.pin(class, Code::UNTYPED_POINTER, span, message);
                }
            }
            // Asks whether there is an array.
            Callee::Library(name) if name == "assert" => {}
            Callee::Library(_) if self.is_printed(expr, self.consumer(expr).context) => {}
            // One value, whose address can be written.
            Callee::Library(name)
                if self.may_move(class) && at == 0 && intrinsics::access(name).is_some() => {}
            Callee::Library(name) if catalogue::effect(name) == Some(Effect::Describes) => {
                match self.copy_described_by(expr).map(str::to_owned) {
                    Some(by) => self.description(class, &by, span),
                    None => {
                        let message = format!(
                            "`{name}` describes the array as rows of bytes, which are not followed"
                        );
                        self.pin(class, Code::ESCAPING_POINTER, span, message);
                    }
                }
            }
            Callee::Library(name) => {
                self.pin(
                    class,
                    Code::ESCAPING_POINTER,
                    span,
                    format!("no definition of `{name}` is found, and it may access the array"),
                );
            }
            Callee::Ambiguous(_) => self.pin(
                class,
                Code::AMBIGUOUS_NAME,
                span,
                "it is not clear which function this argument reaches",
            ),
            Callee::Unknown => self.pin(
                class,
                Code::ESCAPING_POINTER,
                span,
                "the function that takes this argument is not known",
            ),
        }
    }

    /// A pointer to a pointer.
    pub(super) fn indirect(&mut self, expr: ExprId, class: ClassId) {
        if let Context::Operand(parent, _) = self.calls.context(expr)
            && matches!(self.program.expr(parent).kind, ExprKind::Paren(_) | ExprKind::Cast { .. })
            && self.classes.value(parent).is_some()
        {
            return;
        }
        let span = self.span(expr);
        let consumer = self.consumer(expr);
        if let Some((api, position)) = self.api_argument(consumer.context) {
            let is_plain = api.row.allocates() || self.is_slot_address(consumer.expr);
            if !(api.row.position(Role::PointerAddress) == Some(position) && is_plain) {
                self.pin(
                    class,
                    Code::ESCAPING_POINTER,
                    span,
                    "the address of the pointer is passed to the runtime",
                );
            }
            return;
        }
        if let Some(name) = self.unfollowed_allocator(consumer.context) {
            self.pin(class, Code::UNKNOWN_MEMORY, span, allocation_text(&name));
            return;
        }
        if let Some((cast, target)) = consumer.cast {
            self.bad_cast(class, cast, target);
            return;
        }
        match consumer.context {
            Context::Dropped => {}
            Context::Init(variable) => self.pointer_into_variable(class, variable, span),
            Context::Operand(parent, position) => match &self.program.expr(parent).kind {
                ExprKind::Deref(_) => {}
                ExprKind::Index { .. } if position == 0 => {}
                ExprKind::Call { callee, arguments, .. } if position > 0 => {
                    let callee = self.calls.callee(self.program, *callee, arguments);
                    self.argument(consumer.expr, class, &callee, position - 1);
                }
                ExprKind::SizeOfExpr(_) => self.pin(
                    class,
                    Code::POINTER_EXPRESSION,
                    self.span(parent),
                    "the size of pointers is taken",
                ),
                _ => {
                    let message = self.unfollowed_address(consumer.expr);
                    self.pin(class, Code::UNTYPED_POINTER, span, message);
                }
            },
            Context::Condition
            | Context::Returned { .. }
            | Context::Range
            | Context::Assembly
            | Context::Opaque => {
                self.pin(
                    class,
                    Code::UNTYPED_POINTER,
                    span,
                    "the address of the pointer is used in a way that is not followed",
                );
            }
        }
    }

    /// Checks the other arguments of a runtime call.
    pub(super) fn api_call(&mut self, at: usize) {
        let call = self.classes.api_calls[at].clone();
        let device: Vec<ClassId> = call
            .arguments
            .iter()
            .enumerate()
            .filter(|(position, _)| call.is_device_argument(*position))
            .filter_map(|(_, argument)| {
                self.classes.value(super::super::operands::strip_casts(self.program, *argument))
            })
            .map(|(class, _)| class)
            .collect();
        let Some(class) = device.first().copied() else { return };
        if call.is_native && call.row.copies_rows() {
            self.pin(
                class,
                Code::COPY_FORM,
                self.span(call.call),
                "rows are copied between the host and an array of one layout",
            );
        }
        let are_alike = match device[..] {
            [to, from] => {
                to == from
                    || (self.may_move(class) && self.element_type(to) == self.element_type(from))
            }
            _ => false,
        };
        if call.direction == Direction::DeviceToDevice && !are_alike {
            self.pin(
                class,
                Code::COPY_FORM,
                self.span(call.call),
                "the two sides of this copy are not arrays of one class",
            );
        }
        if call.row.position(Role::Symbol).is_some() {
            self.symbol_call(class, &call);
            self.captured_copy(class, &call);
            return;
        }
        if call.row.allocates() {
            let interior = super::super::operands::strip_casts(self.program, call.arguments[0]);
            if self.classes.is_interior_expr(self.program, interior) {
                self.pin(
                    class,
                    Code::SUB_RANGE,
                    self.span(call.arguments[0]),
                    "the pointer that is allocated here may point to an element other than the first later",
                );
            }
            return;
        }
        if call.row.copies_rows() && call.direction == Direction::DeviceToDevice {
            self.pin(
                class,
                Code::COPY_FORM,
                self.span(call.call),
                "rows are copied within device memory",
            );
        }
        if call.api == Api::Attach
            && let Some(length) = call.arguments.get(2)
            && !is_null(self.program, *length)
        {
            self.pin(
                class,
                Code::UNPROVABLE_SIZE,
                self.span(*length),
                "this is not plainly the whole array",
            );
        }
        if call.row.advises() {
            return;
        }
        self.captured_copy(class, &call);
        // Between host and device any number of bytes can be copied, but no part of a row.
        let whole = call.size().filter(|_| !call.is_host_transfer() || call.row.copies_rows());
        for size in whole.into_iter().chain(call.device_pitch()) {
            let element = self.element_type(class);
            if !self.sizes.is_multiple_of_element(self.program, size, element) {
                let message = format!(
                    "this is not plainly a multiple of `sizeof({})`",
                    self.element_name(class)
                );
                self.pin(class, Code::UNPROVABLE_SIZE, self.span(size), message);
            }
        }
    }
}

/// The class of a library whose object a pointer is asked for: `p.get()`, `raw_pointer_cast(v.data())`, `&v[0]`.
fn owner_of(program: &Program, pointer: ExprId) -> Option<&str> {
    let mut at = pointer;
    loop {
        let ty = program.types.strip_reference(program.expr(at).ty);
        if let TypeKind::Named(name, _) = program.types.kind(ty.id) {
            let name = name.trim_start_matches("::").trim_start_matches("std::");
            return matches!(
                name,
                "unique_ptr" | "shared_ptr" | "device_vector" | "universal_vector" | "host_vector"
            )
            .then_some(name);
        }
        at = match &program.expr(at).kind {
            ExprKind::Paren(inner)
            | ExprKind::Cast { operand: inner, .. }
            | ExprKind::Member { base: inner, field: None, .. } => *inner,
            ExprKind::AddressOf(inner) => match program.expr(program.strip_parens(*inner)).kind {
                ExprKind::Index { base, .. } => base,
                _ => return None,
            },
            ExprKind::Call { callee, arguments, .. } => match arguments.as_slice() {
                [argument] => *argument,
                _ => *callee,
            },
            _ => return None,
        };
    }
}

//! Uses of elements and of their members.

use super::super::calls::{constructor_of, operator_operands};
use super::super::lists;
use super::super::lists::contained_type;
use super::*;
use crate::catalogue::{self, Target};

impl Classifier<'_> {
    /// Device memory cannot be read or written by host code, unless it is managed.
    pub(super) fn host_access(&mut self, expr: ExprId, class: ClassId) {
        let Some(function) = self.calls.function(expr) else {
            self.pin(
                class,
                Code::HOST_ACCESS,
                self.span(expr),
                "an element is accessed outside any function",
            );
            return;
        };
        let mut at = expr;
        // Inside `sizeof` nothing is accessed.
        while let Context::Operand(parent, _) = self.calls.context(at) {
            if matches!(self.program.expr(parent).kind, ExprKind::SizeOfExpr(_)) {
                return;
            }
            // `&p[i]` computes an address, and so does `&p[i].f` for a copy of that member.
            if matches!(self.program.expr(parent).kind, ExprKind::AddressOf(_))
                && (at == expr || self.is_copied(parent))
            {
                return;
            }
            if !matches!(
                self.program.expr(parent).kind,
                ExprKind::Paren(_) | ExprKind::Member { .. } | ExprKind::Index { .. }
            ) {
                break;
            }
            at = parent;
        }
        let own = self.classes.class(class);
        if own.is_managed || own.is_native || self.program.function(function).space.on_device() {
            return;
        }
        // A lambda of device code may stand in a function of the host.
        let site = self.program.expr_site(expr);
        if self.program.device_lambdas.iter().any(|own| own.contains(site)) {
            return;
        }
        let (code, message) = if self.has_managed_memory(class) {
            (
                Code::MANAGED_MEMORY,
                "host code accesses an element, and not all memory of the array is managed",
            )
        } else {
            (Code::HOST_ACCESS, "host code accesses an element in device memory")
        };
        self.pin(class, code, self.span(expr), message);
    }

    /// Whether some of the class's memory is managed.
    fn has_managed_memory(&self, class: ClassId) -> bool {
        let class = self.classes.class(class);
        let is_allocated = self.classes.api_calls.iter().any(|call| {
            call.api == Api::MallocManaged
                && class.allocations.iter().any(|allocation| allocation.call == call.call)
        });
        let is_symbol =
            |id: &VarId| self.program.variable(*id).space == layoutc_syntax::Space::Managed;
        is_allocated || class.symbols.iter().any(is_symbol)
    }

    /// Whether an address is given to the runtime, which copies or fills memory there.
    fn is_copied(&self, address: ExprId) -> bool {
        let Context::Operand(parent, position) = self.calls.context(address) else { return false };
        match &self.program.expr(parent).kind {
            ExprKind::Paren(_) => self.is_copied(parent),
            ExprKind::Call { callee, arguments, .. } => {
                position > 0
                    && matches!(self.calls.callee(self.program, *callee, arguments),
                        Callee::Library(name) if catalogue::row(&name)
                            .is_some_and(|row| row.is_of(Target::Cuda) && row.moves_bytes()))
            }
            _ => false,
        }
    }

    /// A whole element.
    pub(super) fn element(&mut self, expr: ExprId, class: ClassId) {
        let span = self.span(expr);
        match self.calls.context(expr) {
            Context::Assembly => {
                self.pin(class, Code::INLINE_ASSEMBLY, span, "inline assembly uses an element")
            }
            Context::Dropped | Context::Condition | Context::Range | Context::Opaque => {
                self.pin(
                    class,
                    Code::UNMODELLED_CONSTRUCT,
                    span,
                    "this use of an element is not modelled",
                );
            }
            Context::Init(variable) => self.element_into_variable(expr, class, variable),
            Context::Returned { in_lambda } => {
                let result = self.calls.function(expr).map(|id| self.program.function(id).result);
                let by_value = result.is_some_and(|ty| self.is_element_type(class, ty));
                if in_lambda || !by_value {
                    self.pin(
                        class,
                        Code::ELEMENT_EXPRESSION,
                        span,
                        "a reference to an element is returned",
                    );
                }
            }
            Context::Operand(parent, position) => {
                self.element_operand(expr, class, parent, position)
            }
        }
    }

    pub(super) fn element_into_variable(&mut self, expr: ExprId, class: ClassId, variable: VarId) {
        let ty = self.program.variable(variable).ty;
        let span = self.span(expr);
        if self.is_element_type(class, ty) {
            return;
        }
        if is_reference(self.program, variable)
            && self.classes.class_of_slot(Slot::Variable(variable)) == Some(class)
        {
            if self.program.variable(variable).storage == Storage::Static {
                self.pin(
                    class,
                    Code::ELEMENT_EXPRESSION,
                    span,
                    "a reference with static storage is bound to an element",
                );
            }
            return;
        }
        self.pin(class, Code::ELEMENT_EXPRESSION, span, "an element is converted to another type");
    }

    pub(super) fn element_operand(
        &mut self,
        expr: ExprId,
        class: ClassId,
        parent: ExprId,
        position: usize,
    ) {
        let span = self.span(expr);
        let program = self.program;
        // A scalar is a part of itself, and never judged here.
        let Some(record) = self.element_type(class).record() else {
            let message = "this use of an element is not modelled";
            self.pin(class, Code::UNMODELLED_CONSTRUCT, span, message);
            return;
        };
        match &program.expr(parent).kind {
            // The parenthesis has the same place and is judged itself.
            ExprKind::Paren(_) => {}
            ExprKind::Member { arrow: false, field: None, methods, .. } if !methods.is_empty() => {
                self.method_use(expr, class, parent);
            }
            ExprKind::Binary(..)
            | ExprKind::Unary(..)
            | ExprKind::Assign(Some(_), ..)
            | ExprKind::Index { .. }
                if program.operators.contains_key(&parent) =>
            {
                self.operator_use(expr, class, parent);
            }
            // `p[i](x)`
            ExprKind::Call { .. } if position == 0 && program.operators.contains_key(&parent) => {
                self.operator_use(expr, class, parent);
            }
            ExprKind::Member { arrow: false, field, name, .. } => {
                if field.is_none() {
                    self.pin(
                        class,
                        Code::UNKNOWN_MEMBER,
                        *name,
                        "this names no member variable that is modelled",
                    );
                }
            }
            ExprKind::AddressOf(_) => {}
            ExprKind::SizeOfExpr(_) => {}
            ExprKind::Assign(None, left, right) if position == 0 => {
                let same = self.is_of_record(*right, record);
                // `p[i] = {a, b}` makes an aggregate first.
                let is_list = matches!(program.expr(*right).kind, ExprKind::InitList(_));
                if !same && !is_list {
                    self.pin(
                        class,
                        Code::ELEMENT_EXPRESSION,
                        self.span(*right),
                        "what is assigned to the element is not plainly of its type",
                    );
                }
                if !self.is_dropped(parent) && !self.is_load_context(parent, record) {
                    self.pin(
                        class,
                        Code::ELEMENT_EXPRESSION,
                        self.span(parent),
                        "the assignment is used as a value",
                    );
                }
                let _ = left;
            }
            ExprKind::Assign(None, left, _) => {
                if !self.is_of_record(*left, record) {
                    self.pin(
                        class,
                        Code::ELEMENT_EXPRESSION,
                        span,
                        "an element is converted to another type",
                    );
                }
            }
            // A choice that is an element itself is judged as that.
            ExprKind::Conditional(..) if position > 0 && self.classes.place(parent).is_some() => {}
            ExprKind::Conditional(..) if position > 0 => {
                if !self.is_load_context(parent, record) {
                    self.pin(
                        class,
                        Code::ELEMENT_EXPRESSION,
                        span,
                        "a choice between elements is used other than as a value",
                    );
                }
            }
            ExprKind::Cast {
                target,
                style: CastStyle::C | CastStyle::Static | CastStyle::Functional,
                ..
            } => {
                let to_record = program.types.as_record(target.id) == Some(record);
                if !(to_record && self.is_load_context(parent, record)) {
                    self.pin(
                        class,
                        Code::INCOMPATIBLE_CAST,
                        self.span(parent),
                        "an element is cast",
                    );
                }
            }
            // `[&e]` refers to the element that `e` refers to; `[e]` would be a copy of it.
            ExprKind::Lambda { .. }
                if super::super::lambdas::captures_reference(program, parent, expr) => {}
            // `T t(p[i])`, `T{p[i]}`
            ExprKind::Construct { of, arguments }
                if arguments.len() == 1 && program.types.as_record(of.id) == Some(record) => {}
            ExprKind::InitList(items)
                if items.len() == 1
                    && matches!(self.calls.context(parent), Context::Init(variable)
                        if program.types.as_record(program.variable(variable).ty.id)
                            == Some(record)) => {}
            ExprKind::Call { callee, arguments, .. } if position > 0 => {
                let callee = self.calls.callee(program, *callee, arguments);
                self.element_argument(expr, class, &callee, position - 1);
            }
            // `Ray r(p[i], q[i])`
            ExprKind::Construct { of, arguments }
                if let Some(constructor) = constructor_of(program, *of, arguments)
                    && self.takes_the_value(constructor, position, record) =>
            {
                self.element_argument(expr, class, &Callee::Function(constructor), position);
            }
            ExprKind::Launch { kernel, config, arguments, .. } => {
                if let Some(at) = position.checked_sub(1 + config.len()) {
                    let callee = self.calls.callee(program, *kernel, arguments);
                    self.element_argument(expr, class, &callee, at);
                    if program.launches_by_address.contains(&parent) {
                        let message = "a launch is given the address of this element";
                        self.pin(class, Code::ELEMENT_EXPRESSION, span, message);
                    }
                } else {
                    self.pin(
                        class,
                        Code::ELEMENT_EXPRESSION,
                        span,
                        "an element is part of a launch configuration",
                    );
                }
            }
            ExprKind::InitList(_) if self.initializes_record(parent, position, record) => {}
            // `Ray r{p[i], q[i]}`
            ExprKind::InitList(items)
                if let Some(constructor) = lists::object_type(program, self.calls, parent)
                    .and_then(|of| constructor_of(program, of, items))
                    && !takes_initializer_lists(program, constructor)
                    && self.takes_the_value(constructor, position, record) =>
            {
                self.element_argument(expr, class, &Callee::Function(constructor), position);
            }
            ExprKind::MacroCall { name, .. } => {
                let message = format!("a whole element is given to {}", self.described_macro(name));
                self.pin(class, Code::OPAQUE_MACRO, span, message);
            }
            _ => self.pin(
                class,
                Code::UNMODELLED_CONSTRUCT,
                span,
                "this use of an element is not modelled",
            ),
        }
    }

    /// Whether an expression is of a record type: by its own type, or as an item of a container of such.
    fn is_of_record(&self, expr: ExprId, record: RecordId) -> bool {
        let program = self.program;
        let own = program.strip_parens(expr);
        let item = match program.expr(own).kind {
            ExprKind::Index { base, .. } => contained_type(program, base),
            _ => None,
        };
        let ty = item.unwrap_or(program.expr(own).ty);
        program.types.as_record(ty.id) == Some(record)
    }

    /// Whether item `position` of a list initializes a record of the type by value: in an array of
    /// them, or as a member of another record.
    fn initializes_record(&self, list: ExprId, position: usize, record: RecordId) -> bool {
        let Context::Init(variable) = self.calls.context(list) else { return false };
        let ty = self.program.variable(variable).ty;
        match *self.program.types.kind(ty.id) {
            TypeKind::Array(of, _) => self.program.types.as_record(of.id) == Some(record),
            // Items of a list for constructors are arguments.
            TypeKind::Record(outer)
                if !self
                    .program
                    .record(outer)
                    .traits
                    .iter()
                    .any(|(which, _)| *which == RecordTrait::Constructor) =>
            {
                let items = self.list_items(list);
                super::super::carriers::fills_fields_with(self.program, outer, items, |at| {
                    at == position
                }) && self.program.record(outer).fields.get(position).is_some_and(|field| {
                    self.program.types.as_record(self.program.field(*field).ty.id) == Some(record)
                })
            }
            _ => false,
        }
    }

    /// Whether a function uses no more than the value of what its parameter `at` is given.
    fn takes_the_value(&self, function: FunctionId, at: usize, record: RecordId) -> bool {
        self.program.function(function).parameters.get(at).is_some_and(|parameter| {
            let ty = self.program.variable(*parameter).ty;
            self.program.types.as_record(ty.id) == Some(record)
                || self.classes.reader_parameters.contains(parameter)
        })
    }

    /// Whether a function of the same name takes an rvalue reference there: the value of an element would be given to that.
    fn has_overload_for_temporaries(&self, function: FunctionId, at: usize) -> bool {
        let program = self.program;
        let own = program.function(function);
        program.functions.iter().any(|other| {
            other.name == own.name
                && other.record == own.record
                && other.parameters.get(at).is_some_and(|parameter| {
                    let ty = program.variable(*parameter).ty;
                    matches!(program.types.kind(ty.id), TypeKind::Reference(_, true))
                })
        })
    }

    pub(super) fn element_argument(
        &mut self,
        expr: ExprId,
        class: ClassId,
        callee: &Callee,
        at: usize,
    ) {
        let span = self.span(expr);
        if let Callee::Function(function) = callee
            && let Some(parameter) = self.program.function(*function).parameters.get(at)
        {
            let ty = self.program.variable(*parameter).ty;
            let by_value = self.is_element_type(class, ty);
            let is_reader = self.classes.reader_parameters.contains(parameter);
            if (by_value || is_reader) && self.has_overload_for_temporaries(*function, at) {
                let message = "another function of this name takes temporaries";
                self.pin(class, Code::ELEMENT_EXPRESSION, span, message);
                return;
            }
            if by_value {
                return;
            }
            if is_reader {
                self.stays_the_same_beside(expr, class);
                if self.may_alias_argument(expr) {
                    let message =
                        "another argument of this call may refer to a member of the element";
                    self.pin(class, Code::EVALUATION_ORDER, span, message);
                }
                return;
            }
        }
        if *callee == Callee::Unknown
            && let Some(parameter) = self.parameter_of_a_lambda(expr, at)
        {
            if !self.takes_a_copy(parameter, expr) {
                let message = "the lambda that takes this element may do more than read it";
                self.pin(class, Code::ESCAPING_POINTER, span, message);
            }
            self.stays_the_same_beside(expr, class);
            return;
        }
        self.argument(expr, class, callee, at);
    }

    /// The parameter of a lambda that an element is argument number `at` of.
    fn parameter_of_a_lambda(&self, element: ExprId, at: usize) -> Option<VarId> {
        let Context::Operand(call, _) = self.calls.context(element) else { return None };
        let ExprKind::Call { callee, .. } = self.program.expr(call).kind else { return None };
        self.singles.lambda_parameter(callee, at)
    }

    /// Whether a parameter is a copy of what it is given, or may be a reference to one.
    fn takes_a_copy(&self, parameter: VarId, element: ExprId) -> bool {
        let own = self.program.types.as_record(self.program.expr(element).ty.id);
        let ty = self.program.types.strip_reference(self.program.variable(parameter).ty);
        let is_read = !is_reference(self.program, parameter)
            || self.classes.reader_parameters.contains(&parameter);
        is_read && own.is_some() && self.program.types.as_record(ty.id) == own
    }

    /// Whether the call around an element that is passed as a copy also gets a reference to
    /// something other than a local variable, through which the element could change meanwhile.
    pub(super) fn may_alias_argument(&self, element: ExprId) -> bool {
        let mut at = element;
        loop {
            let Context::Operand(parent, _) = self.calls.context(at) else { return false };
            let ExprKind::Call { callee, arguments, .. } = &self.program.expr(parent).kind else {
                at = parent;
                continue;
            };
            // `p[i](x)` is no call of a name.
            let called = match operator_operands(self.program, parent) {
                Some((function, ..)) => Callee::Function(function),
                None => self.calls.callee(self.program, *callee, arguments),
            };
            let Callee::Function(function) = called else { return true };
            let parameters = &self.program.function(function).parameters;
            return parameters.iter().zip(arguments).any(|(parameter, argument)| {
                let argument = self.program.strip_parens(*argument);
                let types = &self.program.types;
                match *types.kind(self.program.variable(*parameter).ty.id) {
                    TypeKind::Reference(to, _) if !to.is_const => {
                        match self.program.expr(argument).kind {
                            ExprKind::Name(NameRef::Variable(id)) => {
                                is_reference(self.program, id)
                                    || self.program.variable(id).storage == Storage::Static
                            }
                            _ => true,
                        }
                    }
                    TypeKind::Pointer(_) | TypeKind::Unknown | TypeKind::TemplateParameter(_) => {
                        let passed = types.kind(self.program.expr(argument).ty.id);
                        matches!(passed, TypeKind::Pointer(_) | TypeKind::Unknown)
                            && self.member_addresses.leads(
                                self.program,
                                self.calls,
                                self.classes,
                                argument,
                            )
                    }
                    _ => false,
                }
            });
        }
    }

    /// A part of an element.
    pub(super) fn part(&mut self, expr: ExprId, class: ClassId, path: &FieldPath) {
        let program = self.program;
        let span = self.span(expr);
        let ty = program.expr(expr).ty;
        let context = self.calls.context(expr);
        let parent = match context {
            Context::Operand(parent, position) => {
                Some((&program.expr(parent).kind, parent, position))
            }
            _ => None,
        };
        if let Some((ExprKind::Paren(_), ..)) = parent {
            return;
        }
        if let Some(name) = self.typing_macro(expr) {
            let message =
                format!("the macro `{name}` takes the type of an expression (`decltype`)");
            self.pin(class, Code::OPAQUE_MACRO, span, message);
        }
        match program.types.kind(ty.id) {
            TypeKind::Record(_) => match parent {
                Some((
                    ExprKind::Member { arrow: false, field: Some(_), .. } | ExprKind::SizeOfExpr(_),
                    ..,
                )) => {}
                _ => {
                    self.units.push((class, path.clone(), span));
                    self.single_object(expr, class, span);
                }
            },
            TypeKind::Array(..) => match parent {
                Some((ExprKind::Cast { .. } | ExprKind::Binary(BinaryOp::Sub, ..), parent, _)) => {
                    self.pin(
                        class,
                        Code::FIELD_ADDRESS,
                        self.span(parent),
                        "the memory around a member array is addressed",
                    );
                }
                Some((ExprKind::Index { .. }, _, 0)) => {}
                Some((ExprKind::SizeOfExpr(_), ..)) => self.units.push((class, path.clone(), span)),
                Some((ExprKind::AddressOf(_), parent, _)) => {
                    self.pin(
                        class,
                        Code::FIELD_ADDRESS,
                        self.span(parent),
                        "the address of a member is taken",
                    );
                }
                _ => self.units.push((class, path.clone(), span)),
            },
            TypeKind::Unknown if !super::super::places::is_inside_opaque(program, expr) => {
                self.pin(class, Code::UNKNOWN_MEMBER, span, "the type of this member is not known")
            }
            TypeKind::Void
            | TypeKind::Scalar(_)
            | TypeKind::Vector(_)
            | TypeKind::Enum(..)
            | TypeKind::Pointer(_)
            | TypeKind::Reference(..)
            | TypeKind::Function
            | TypeKind::Named(..)
            | TypeKind::Opaque(_)
            | TypeKind::Unknown
            | TypeKind::TemplateParameter(_) => {
                if matches!(context, Context::Assembly) {
                    self.pin(class, Code::INLINE_ASSEMBLY, span, "inline assembly uses a member");
                }
                if matches!(context, Context::Opaque) {
                    self.pin(
                        class,
                        Code::UNMODELLED_CONSTRUCT,
                        span,
                        "this construct is not modelled",
                    );
                }
                if let Some((ExprKind::MacroCall { name, .. }, _, position)) = parent {
                    self.macro_argument(class, name, position, span);
                }
                if !matches!(context, Context::Assembly | Context::Opaque)
                    && !matches!(parent, Some((ExprKind::MacroCall { .. }, ..)))
                {
                    self.single_object(expr, class, span);
                }
                if let Some(name) = self.stringizing_macro(expr) {
                    let message =
                        format!("the macro `{name}` also turns this argument into a string (`#`)");
                    self.pin(class, Code::OPAQUE_MACRO, span, message);
                }
                // Reaching through a pointer member is the other array's business.
            }
        }
    }

    /// The macro around an access that turns the access's text into a string.
    pub(super) fn stringizing_macro(&self, expr: ExprId) -> Option<String> {
        let mut at = expr;
        while let Context::Operand(parent, position) = self.calls.context(at) {
            if let ExprKind::MacroCall { name, .. } = &self.program.expr(parent).kind {
                let spells =
                    self.program.macros.iter().filter(|def| def.name == *name).any(|def| match def
                        .parameter_uses
                        .get(position)
                    {
                        Some(uses) => uses.stringized > 0,
                        None => def.stringizes_rest,
                    });
                if spells {
                    return Some(name.clone());
                }
            }
            at = parent;
        }
        None
    }

    /// The macro around an access that may ask for its type, which is that of a member only where it names one.
    fn typing_macro(&self, expr: ExprId) -> Option<&str> {
        let mut at = expr;
        while let Context::Operand(parent, _) = self.calls.context(at) {
            if let ExprKind::MacroCall { name, .. } = &self.program.expr(parent).kind
                && self.singles.typing_macros.contains(name.as_str())
            {
                return Some(name);
            }
            at = parent;
        }
        None
    }

    /// A member whose address or reference must not lead to its neighbours.
    pub(super) fn single_object(&mut self, member: ExprId, class: ClassId, span: Span) {
        if self.singles.object(member) {
            return;
        }
        let parent = match self.calls.context(member) {
            Context::Operand(parent, _) => Some((&self.program.expr(parent).kind, parent)),
            _ => None,
        };
        if let Some(function) = self.unseen_callee(member) {
            let name = &self.program.function(function).name;
            let message =
                format!("`{name}` has no body in the program and may use more than the member");
            self.pin(class, Code::FIELD_ADDRESS, span, message);
            return;
        }
        let (code, span, message) = match parent {
            Some((ExprKind::AddressOf(_), address)) if self.element_type(class).is_leaf() => {
                let span = self.span(address);
                let text = self.program.text(span).to_owned();
                let message = format!(
                    "`{text}` is a pointer into the grid, and coordinates count from its start"
                );
                self.pin(class, Code::FIELD_ADDRESS, span, message);
                return;
            }
            Some((ExprKind::AddressOf(_), address)) => (
                Code::FIELD_ADDRESS,
                self.span(address),
                "code may use this member's address to reach memory outside the member",
            ),
            Some((ExprKind::Cast { .. }, cast)) => (
                Code::INCOMPATIBLE_CAST,
                self.span(cast),
                "the memory of a member is taken for another type",
            ),
            _ => (
                Code::FIELD_ADDRESS,
                span,
                "a reference to a member may be used for more than the member",
            ),
        };
        self.pin(class, code, span, message);
    }

    /// The function without a body that is given an object or its address.
    fn unseen_callee(&self, object: ExprId) -> Option<FunctionId> {
        let mut at = object;
        while let Context::Operand(parent, position) = self.calls.context(at) {
            match &self.program.expr(parent).kind {
                ExprKind::Paren(_) | ExprKind::AddressOf(_) => at = parent,
                ExprKind::Call { callee, arguments, .. } if position > 0 => {
                    let called = self.calls.callee(self.program, *callee, arguments);
                    return match called {
                        Callee::Function(id) => {
                            Some(id).filter(|id| self.program.function(*id).body.is_none())
                        }
                        Callee::Library(_) | Callee::Ambiguous(_) | Callee::Unknown => None,
                    };
                }
                _ => return None,
            }
        }
        None
    }

    /// A macro, with the reason why its body is not followed.
    pub(super) fn described_macro(&self, name: &str) -> String {
        let mut found = self.program.macros.iter().filter(|def| def.name == name);
        match found.find_map(|def| def.obstacle) {
            Some(obstacle) => format!("the macro `{name}`, which {obstacle}"),
            None => format!("the macro `{name}`"),
        }
    }

    /// A part given to a macro: fine if the macro uses it as a value.
    pub(super) fn macro_argument(
        &mut self,
        class: ClassId,
        name: &str,
        position: usize,
        span: Span,
    ) {
        let fine = self.program.macros.iter().filter(|def| def.name == name).all(|def| {
            def.parameter_uses.get(position).is_none_or(|uses| uses.pasted == 0 && uses.member == 0)
        });
        if !fine {
            let message = format!("the macro `{name}` pastes this argument or takes its address");
            self.pin(class, Code::OPAQUE_MACRO, span, message);
        }
    }
}

/// Whether a constructor of the class of this one is preferred for lists: `T(std::initializer_list<U>)`.
fn takes_initializer_lists(program: &Program, constructor: FunctionId) -> bool {
    let Some(record) = program.function(constructor).record else { return true };
    let all = program.record(record).methods.iter().filter(|id| program.is_constructor(**id));
    all.flat_map(|id| &program.function(*id).parameters).any(|parameter| {
        let ty = program.types.strip_reference(program.variable(*parameter).ty);
        matches!(
            program.types.kind(ty.id),
            TypeKind::Named(..) | TypeKind::Unknown | TypeKind::TemplateParameter(_)
        )
    })
}

//! Classification: every use of a class is one that codegen rewrites, or pins the class.

use super::api::{Api, ApiCall, Direction};
use super::calls::{CallGraph, Callee, Context};
use super::places::{PlaceKind, element_of};
use super::slots::{Slot, SlotGraph};
use super::unify::{Flow, is_reference, slot_of};
use super::{ClassId, Classes, FieldPath, Pin, is_multiple_of_record};
use layoutc_diagnostics::{Code, Span};
use layoutc_syntax::{
    BinaryOp, CastStyle, ExprId, ExprKind, FunctionId, NameRef, Program, QualType, RecordId,
    RecordTrait, Storage, TypeKind, TypeTable, UnaryOp, VarId,
};
use std::collections::BTreeMap;

/// Checks all uses and fills in pins, units and interior slots.
pub(super) fn classify(
    program: &Program,
    calls: &CallGraph,
    graph: &SlotGraph,
    flows: &[Flow],
    classes: &mut Classes,
) {
    let api_of_call: BTreeMap<ExprId, usize> =
        classes.api_calls.iter().enumerate().map(|(at, api)| (api.call, at)).collect();
    let mut this =
        Classifier { program, calls, classes, api_of_call, pins: Vec::new(), units: Vec::new() };
    this.interior_slots(flows);
    this.records();
    this.slots();
    this.flows(flows);
    for (left, right) in &graph.conflicts {
        for node in [*left, *right] {
            if let Some(class) = this.classes.class_of_node[node]
                && let Some(slot) = this.classes.class(class).slots.first().copied()
            {
                let span = slot_span(program, slot);
                this.pin(
                    class,
                    Code::INCOMPATIBLE_CAST,
                    span,
                    "this also receives pointers to another record type",
                );
            }
        }
    }
    for expr in program.expr_ids() {
        this.expression(expr);
    }
    for at in 0..this.classes.api_calls.len() {
        this.api_call(at);
    }
    let Classifier { pins, units, .. } = this;
    for (class, pin) in pins {
        classes.classes[class.index()].pins.push(pin);
    }
    for (class, path, span) in units {
        classes.classes[class.index()].units.entry(path).or_insert(span);
    }
}

/// Where a slot is declared.
pub(super) fn slot_span(program: &Program, slot: Slot) -> Span {
    match slot {
        Slot::Variable(id) => program.variable(id).site.name,
        Slot::Field(id) => program.field(id).site.name,
        Slot::Result(id) => program.function(id).sites[0].name,
    }
}

/// What a value flows into, behind parentheses and casts.
struct Consumer {
    /// The context of the outermost such expression.
    context: Context,
    /// That expression.
    expr: ExprId,
    /// The first cast that changes the type, with the type cast to.
    cast: Option<(ExprId, QualType)>,
}

struct Classifier<'a> {
    program: &'a Program,
    calls: &'a CallGraph,
    classes: &'a mut Classes,
    api_of_call: BTreeMap<ExprId, usize>,
    pins: Vec<(ClassId, Pin)>,
    units: Vec<(ClassId, FieldPath, Span)>,
}

impl Classifier<'_> {
    fn pin(&mut self, class: ClassId, code: Code, span: Span, message: impl Into<String>) {
        self.pins.push((class, Pin { span, code, message: message.into(), related: Vec::new() }));
    }

    fn span(&self, expr: ExprId) -> Span {
        self.program.expr(expr).span
    }

    fn record(&self, class: ClassId) -> RecordId {
        self.classes.class(class).record
    }

    fn record_name(&self, class: ClassId) -> &str {
        &self.program.record(self.record(class)).name
    }

    /// Marks the slots that may point behind the first element: a fixpoint over the flows.
    fn interior_slots(&mut self, flows: &[Flow]) {
        let mut interior: std::collections::BTreeSet<Slot> = std::collections::BTreeSet::new();
        for id in self.program.variable_ids() {
            if is_reference(self.program, id)
                && self.classes.class_of_slot(Slot::Variable(id)).is_some()
            {
                // A reference to a pointer is the pointer; a reference to an element is interior.
                let depth = element_of(self.program, self.program.variable(id).ty)
                    .map_or(0, |(_, depth)| depth);
                if depth == 0 {
                    interior.insert(Slot::Variable(id));
                }
            }
        }
        for expr in self.program.expr_ids() {
            let target = match &self.program.expr(expr).kind {
                ExprKind::Unary(op, operand) if op.is_update() => *operand,
                ExprKind::Assign(Some(_), left, _) => *left,
                _ => continue,
            };
            if self.classes.value(target).is_some() {
                interior.extend(slot_of(self.program, target));
            }
        }
        loop {
            let mut changed = false;
            for flow in flows {
                if !interior.contains(&flow.to)
                    && is_offset(self.program, self.classes, flow.from, &interior)
                {
                    interior.insert(flow.to);
                    changed = true;
                }
            }
            // A definition's parameter is the prototype's.
            for id in self.program.function_ids() {
                let function = self.program.function(id);
                for (at, own) in function.parameters.iter().enumerate() {
                    let any = function.sites.iter().any(|site| {
                        site.parameters
                            .get(at)
                            .is_some_and(|id| interior.contains(&Slot::Variable(*id)))
                    }) || interior.contains(&Slot::Variable(*own));
                    if any {
                        for site in &function.sites {
                            if let Some(id) = site.parameters.get(at) {
                                changed |= interior.insert(Slot::Variable(*id));
                            }
                        }
                        changed |= interior.insert(Slot::Variable(*own));
                    }
                }
            }
            if !changed {
                break;
            }
        }
        for slot in interior {
            if let Some(class) = self.classes.class_of_slot(slot) {
                self.classes.classes[class.index()].interior.insert(slot);
            }
        }
    }

    /// Pins for what the element type is.
    fn records(&mut self) {
        for class in self.classes.ids() {
            let record = self.program.record(self.record(class));
            if record.body.is_none() {
                let name = record.name.clone();
                self.pin(
                    class,
                    Code::UNSUPPORTED_RECORD,
                    record.name_span,
                    format!("`{name}` is not defined in the program"),
                );
                continue;
            }
            for (which, span) in record.traits.clone() {
                let (code, message) = match which {
                    RecordTrait::Union => (Code::UNION_MEMBER, "the element type is a union"),
                    RecordTrait::BitField => {
                        (Code::UNION_MEMBER, "a bit-field has no address of its own")
                    }
                    RecordTrait::Virtual => (
                        Code::VIRTUAL_RECORD,
                        "virtual functions put a hidden pointer into each element",
                    ),
                    RecordTrait::Bases => {
                        (Code::UNSUPPORTED_RECORD, "the element type has base classes")
                    }
                    RecordTrait::Constructor => (
                        Code::UNSUPPORTED_RECORD,
                        "the element type has constructors or default member initializers",
                    ),
                    RecordTrait::Methods => {
                        (Code::UNSUPPORTED_RECORD, "the element type has member functions")
                    }
                    RecordTrait::Private => (Code::UNSUPPORTED_RECORD, "members are not public"),
                    RecordTrait::Template => {
                        (Code::TEMPLATE_USE, "the element type is a class template")
                    }
                    RecordTrait::Packed => (Code::UNSUPPORTED_RECORD, "the element type is packed"),
                    RecordTrait::ConstMember => {
                        (Code::UNSUPPORTED_RECORD, "a member is constant, volatile or a reference")
                    }
                    RecordTrait::UnknownMember => {
                        (Code::UNSUPPORTED_RECORD, "the type of this member is not known")
                    }
                    RecordTrait::Unmodelled => {
                        (Code::UNSUPPORTED_RECORD, "this member or attribute is not modelled")
                    }
                };
                self.pin(class, code, span, message);
            }
            if record.is_local {
                self.pin(
                    class,
                    Code::UNSUPPORTED_RECORD,
                    record.name_span,
                    "the element type is defined inside a function or class",
                );
            }
            if record.name.is_empty() {
                self.pin(
                    class,
                    Code::UNSUPPORTED_RECORD,
                    record.name_span,
                    "the element type has no name",
                );
            }
            if record.fields.is_empty() {
                self.pin(
                    class,
                    Code::UNSUPPORTED_RECORD,
                    record.name_span,
                    "the element type has no members",
                );
            }
        }
    }

    /// Pins for slots whose declaration cannot be given another type.
    fn slots(&mut self) {
        let has_main = self
            .program
            .functions
            .iter()
            .any(|function| function.name == "main" && function.body.is_some());
        for class in self.classes.ids() {
            for slot in self.classes.class(class).slots.clone() {
                self.slot(class, slot, has_main);
            }
        }
    }

    fn slot(&mut self, class: ClassId, slot: Slot, has_main: bool) {
        let program = self.program;
        let span = slot_span(program, slot);
        let interior = self.classes.class(class).interior.contains(&slot);
        let (ty, site) = match slot {
            Slot::Variable(id) => {
                let variable = program.variable(id);
                (variable.ty, variable.site.clone())
            }
            Slot::Field(id) => (program.field(id).ty, program.field(id).site.clone()),
            Slot::Result(id) => {
                (program.function(id).result, program.function(id).sites[0].result.clone())
            }
        };
        if !self.is_rewritable_type(ty, slot) {
            self.pin(
                class,
                Code::UNSUPPORTED_USE,
                span,
                "a declaration of this type is not rewritten",
            );
            return;
        }
        if let Slot::Variable(id) = slot {
            let variable = program.variable(id);
            if variable.space != layoutc_syntax::Space::Default {
                self.pin(class, Code::DEVICE_SYMBOL, span, "this is a symbol in device memory");
            }
            if variable.is_extern {
                self.pin(
                    class,
                    Code::UNKNOWN_MEMORY,
                    span,
                    "this variable is defined outside the program",
                );
            }
            let linked = variable.storage == Storage::Static && variable.function.is_none();
            if linked && !has_main && !is_static_text(program, &variable.site) {
                self.pin(
                    class,
                    Code::UNKNOWN_MEMORY,
                    span,
                    "other parts of the program, which were not given, can use this variable",
                );
            }
            if interior && variable.storage == Storage::Static {
                self.pin(
                    class,
                    Code::SUB_RANGE,
                    span,
                    "this variable with static storage may point behind the first element",
                );
            }
            if let Storage::Parameter { .. } = variable.storage {
                if variable.function.is_none() && !self.is_known_parameter(id) {
                    self.pin(
                        class,
                        Code::UNSUPPORTED_USE,
                        span,
                        "a lambda takes elements of the array",
                    );
                }
                if let Some(function) = variable.function {
                    self.parameter_function(class, function, span, has_main);
                }
            }
        }
        if interior && !matches!(slot, Slot::Variable(_)) {
            self.pin(
                class,
                Code::SUB_RANGE,
                span,
                "this may hold a pointer behind the first element",
            );
        }
        let depth = element_of(program, ty).map_or(0, |(_, depth)| depth);
        if interior && depth > 1 {
            self.pin(
                class,
                Code::SUB_RANGE,
                span,
                "this may lead to a pointer behind the first element",
            );
        }
        if site.declaration.0 == u32::MAX || !program.declaration(site.declaration).is_plain {
            let auto = matches!(slot, Slot::Variable(id) if program.variable(id).is_auto);
            if !auto {
                self.pin(
                    class,
                    Code::UNSUPPORTED_USE,
                    span,
                    "the type of this declaration is not written out",
                );
            }
        } else {
            // The specifier must name the record itself, not a pointer typedef.
            let specifier = program.declaration(site.declaration).specifier_type;
            if program.types.as_record(specifier.id) != Some(self.record(class)) {
                self.pin(
                    class,
                    Code::UNSUPPORTED_USE,
                    span,
                    "a typedef hides that this is a pointer",
                );
            }
        }
    }

    /// Whether the parameter belongs to a function or one of its prototypes.
    fn is_known_parameter(&self, id: VarId) -> bool {
        self.program.functions.iter().any(|function| {
            function.parameters.contains(&id)
                || function.sites.iter().any(|site| site.parameters.contains(&id))
        })
    }

    fn parameter_function(&mut self, class: ClassId, id: FunctionId, span: Span, has_main: bool) {
        let function = self.program.function(id);
        if function.name == "main" {
            self.pin(class, Code::UNSUPPORTED_USE, span, "`main` cannot take this type");
        }
        if !has_main && !function.is_static && function.space.on_host() {
            self.pin(
                class,
                Code::UNKNOWN_MEMORY,
                span,
                "other parts of the program, which were not given, can call this function",
            );
        }
        if function.record.is_some() && function.body.is_none() {
            self.pin(
                class,
                Code::ESCAPING_POINTER,
                span,
                "this member function has no body in the program",
            );
        }
    }

    /// Pointers and references to the record with qualifiers, and arrays of such pointers.
    fn is_rewritable_type(&self, ty: QualType, slot: Slot) -> bool {
        let types = &self.program.types;
        match *types.kind(ty.id) {
            TypeKind::Reference(to, false) => {
                !to.is_volatile
                    && matches!(slot, Slot::Variable(_))
                    && match *types.kind(to.id) {
                        TypeKind::Record(_) => true,
                        TypeKind::Pointer(inner) => {
                            !inner.is_volatile && types.as_record(inner.id).is_some()
                        }
                        _ => false,
                    }
            }
            TypeKind::Pointer(to) => {
                !to.is_volatile
                    && match *types.kind(to.id) {
                        TypeKind::Record(_) => true,
                        TypeKind::Pointer(inner) => {
                            !inner.is_volatile && types.as_record(inner.id).is_some()
                        }
                        _ => false,
                    }
            }
            TypeKind::Array(element, Some(_)) => match *types.kind(element.id) {
                TypeKind::Pointer(inner) => {
                    !inner.is_volatile && types.as_record(inner.id).is_some()
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Pins for pointers of unknown origin, and for objects that are no array of the allocator.
    fn flows(&mut self, flows: &[Flow]) {
        for flow in flows {
            let Some(class) = self.classes.class_of_slot(flow.to) else { continue };
            let from = flow.from;
            if self.classes.value(from).is_some() || self.classes.place(from).is_some() {
                continue;
            }
            let stripped = super::api::strip_casts(self.program, from);
            match &self.program.expr(stripped).kind {
                ExprKind::Null | ExprKind::Integer(Some(0)) => {}
                // Every item of a list is a flow of its own.
                ExprKind::InitList(items) if items.is_empty() => {}
                _ => self.pin(
                    class,
                    Code::UNKNOWN_MEMORY,
                    self.program.expr(from).span,
                    "it cannot be seen what this points to",
                ),
            }
        }
        for class in self.classes.ids() {
            for slot in self.classes.class(class).slots.clone() {
                let Slot::Variable(id) = slot else { continue };
                let variable = self.program.variable(id);
                let is_object = self.program.types.as_record(variable.ty.id).is_some()
                    || matches!(*self.program.types.kind(variable.ty.id), TypeKind::Array(of, _)
                        if self.program.types.as_record(of.id).is_some());
                if is_object {
                    self.pin(
                        class,
                        Code::SHARED_FUNCTION,
                        variable.site.name,
                        format!(
                            "code that uses the array is also given `{}`, which is not in it",
                            variable.name
                        ),
                    );
                }
            }
        }
    }

    /// Checks one expression's own use.
    fn expression(&mut self, expr: ExprId) {
        if let Some((class, depth)) = self.classes.value(expr) {
            if depth == 1 {
                self.pointer(expr, class);
            } else {
                self.indirect(expr, class);
            }
        }
        match self.classes.place(expr).map(|(class, kind)| (class, kind.clone())) {
            Some((class, PlaceKind::Element)) => self.element(expr, class),
            Some((class, PlaceKind::Part(path))) => self.part(expr, class, &path),
            None => {}
        }
        match &self.program.expr(expr).kind {
            ExprKind::OffsetOf(of) => {
                self.pin_type(*of, Code::OFFSETOF, expr, "the offset of a member is used")
            }
            ExprKind::Cast { target, operand, style: _, .. } => {
                // A cast *to* the record's pointer type of something that is not one.
                if let Some((record, depth)) = element_of(self.program, *target)
                    && depth > 0
                    && self.classes.value(*operand).is_none()
                {
                    let _ = record;
                }
            }
            ExprKind::Launch { kernel, arguments, .. } => {
                let callee = self.calls.callee(self.program, *kernel, arguments);
                self.unresolved_call(&callee, arguments);
            }
            ExprKind::Call { callee, arguments, .. } => {
                let callee = self.calls.callee(self.program, *callee, arguments);
                self.unresolved_call(&callee, arguments);
            }
            ExprKind::Name(NameRef::Functions(functions)) => {
                self.function_address(expr, functions.clone())
            }
            _ => {}
        }
    }

    fn pin_type(&mut self, of: QualType, code: Code, expr: ExprId, message: &str) {
        let Some((record, _)) = element_of(self.program, of) else { return };
        for class in self.classes.ids() {
            if self.record(class) == record {
                self.pin(class, code, self.span(expr), message);
            }
        }
    }

    /// A call that may reach several functions, all of whose parameters then have unknown callers.
    fn unresolved_call(&mut self, callee: &Callee, arguments: &[ExprId]) {
        if let Callee::Ambiguous(candidates) = callee {
            for candidate in candidates {
                let parameters = self.program.function(*candidate).parameters.clone();
                for (at, parameter) in parameters.into_iter().enumerate() {
                    if let (Some(class), Some(argument)) =
                        (self.classes.class_of_slot(Slot::Variable(parameter)), arguments.get(at))
                    {
                        self.pin(
                            class,
                            Code::AMBIGUOUS_NAME,
                            self.span(*argument),
                            "it is not clear which function this argument reaches",
                        );
                    }
                }
            }
        }
    }

    /// A function whose name is used other than to call it may be called with anything.
    fn function_address(&mut self, expr: ExprId, functions: Vec<FunctionId>) {
        let mut at = expr;
        let called = loop {
            match self.calls.context(at) {
                Context::Operand(parent, position) => match &self.program.expr(parent).kind {
                    ExprKind::Paren(_) | ExprKind::AddressOf(_) | ExprKind::Cast { .. } => {
                        at = parent
                    }
                    ExprKind::Call { callee, arguments, .. } => {
                        if position == 0 {
                            break true;
                        }
                        let callee = self.calls.callee(self.program, *callee, arguments);
                        break matches!(callee, Callee::Library(name) if asks_about_kernel(&name));
                    }
                    ExprKind::Launch { .. } => break position == 0,
                    _ => break false,
                },
                Context::Dropped => break true,
                Context::Condition
                | Context::Init(_)
                | Context::Returned { .. }
                | Context::Range
                | Context::Assembly
                | Context::Opaque => {
                    break false;
                }
            }
        };
        if called {
            return;
        }
        for function in functions {
            for parameter in self.program.function(function).parameters.clone() {
                if let Some(class) = self.classes.class_of_slot(Slot::Variable(parameter)) {
                    self.pin(
                        class,
                        Code::ESCAPING_POINTER,
                        self.span(expr),
                        "the function can be called through its address",
                    );
                }
            }
        }
    }

    /// Climbs parentheses and casts.
    fn consumer(&self, expr: ExprId) -> Consumer {
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
    fn api_argument(&self, context: Context) -> Option<(&ApiCall, usize)> {
        let Context::Operand(parent, position) = context else { return None };
        let at = self.api_of_call.get(&parent)?;
        let position = position.checked_sub(1)?;
        Some((&self.classes.api_calls[*at], position))
    }

    /// A pin for a cast of a pointer to another type.
    fn bad_cast(&mut self, class: ClassId, cast: ExprId, target: QualType) {
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
            self.pin(class, Code::ADDRESS_AS_INTEGER, span, "the address becomes a number here");
        } else if pointee.is_some_and(|to| to.id == TypeTable::VOID) {
            self.pin(class, Code::UNTYPED_POINTER, span, "the pointer loses its type here");
        } else {
            self.pin(
                class,
                Code::INCOMPATIBLE_CAST,
                span,
                "the elements are taken for another type here",
            );
        }
    }

    /// A pointer to elements, of type `T*`.
    fn pointer(&mut self, expr: ExprId, class: ClassId) {
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
            } else if !api.is_host_transfer()
                && is_offset(self.program, self.classes, expr, &self.classes.class(class).interior)
            {
                self.pin(class, Code::SUB_RANGE, span, "the call starts inside the array");
            }
            return;
        }
        if let Some((cast, target)) = consumer.cast {
            self.bad_cast(class, cast, target);
            return;
        }
        match consumer.context {
            Context::Dropped | Context::Condition => {}
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
                self.pin(class, Code::UNSUPPORTED_USE, span, "a range-based loop over the array")
            }
            Context::Opaque => {
                self.pin(class, Code::UNSUPPORTED_USE, span, "this construct is not modelled")
            }
            Context::Assembly => {
                self.pin(class, Code::INLINE_ASSEMBLY, span, "inline assembly uses the array")
            }
            Context::Operand(parent, position) => {
                self.pointer_operand(consumer.expr, class, parent, position)
            }
        }
    }

    fn misplaced_argument(&mut self, class: ClassId, api: &ApiCall, position: usize, span: Span) {
        if api.api.copies() && position < 2 {
            match api.direction {
                Direction::Unknown => self.pin(
                    class,
                    Code::UNSUPPORTED_USE,
                    span,
                    "the direction of this copy is not a literal",
                ),
                _ => {
                    self.pin(class, Code::HOST_ACCESS, span, "the copy takes this for host memory")
                }
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

    fn pointer_into_variable(&mut self, class: ClassId, variable: VarId, span: Span) {
        if self.classes.class_of_slot(Slot::Variable(variable)) == Some(class) {
            return;
        }
        let name = &self.program.variable(variable).name;
        let message = format!(
            "`{name}` does not have the type of a pointer to `{}`",
            self.record_name(class)
        );
        self.pin(class, Code::UNTYPED_POINTER, span, message);
    }

    /// A pointer as operand of `parent`.
    fn pointer_operand(&mut self, expr: ExprId, class: ClassId, parent: ExprId, position: usize) {
        let span = self.span(expr);
        let program = self.program;
        match &program.expr(parent).kind {
            ExprKind::Index { .. } if position == 0 => self.host_access(parent, class),
            ExprKind::Deref(_) => self.host_access(parent, class),
            ExprKind::Member { arrow: true, field, name, .. } => {
                if field.is_none() {
                    self.pin(class, Code::UNSUPPORTED_USE, *name, "this is not a member variable");
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
                if !matches!(self.calls.context(parent), Context::Dropped) {
                    self.pin(
                        class,
                        Code::UNSUPPORTED_USE,
                        self.span(parent),
                        "the pointer is moved inside an expression",
                    );
                }
            }
            ExprKind::Assign(op, left, right) => {
                self.pointer_assignment(class, parent, *op, *left, *right, position)
            }
            ExprKind::Conditional(..) if position == 0 => {}
            ExprKind::Conditional(_, then, otherwise) => {
                let other = if position == 1 { *otherwise } else { *then };
                if self.classes.value(other).is_none() && !is_null(program, other) {
                    self.pin(
                        class,
                        Code::UNKNOWN_MEMORY,
                        self.span(other),
                        "it cannot be seen what this points to",
                    );
                }
            }
            ExprKind::Comma(..) => {
                if position == 1 {
                    self.pin(
                        class,
                        Code::UNSUPPORTED_USE,
                        span,
                        "the pointer is the result of a comma operator",
                    );
                }
            }
            ExprKind::AddressOf(_) => {}
            ExprKind::Call { callee, arguments, .. } => {
                if position == 0 {
                    self.pin(class, Code::UNSUPPORTED_USE, span, "the pointer is called");
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
                    }
                    None => self.pin(
                        class,
                        Code::UNSUPPORTED_USE,
                        span,
                        "the pointer is part of a launch configuration",
                    ),
                }
            }
            ExprKind::MacroCall { name, .. } => {
                let message = format!("the pointer is given to the macro `{name}`");
                self.pin(class, Code::OPAQUE_MACRO, span, message);
            }
            ExprKind::SizeOfExpr(_) => self.pin(
                class,
                Code::UNSUPPORTED_USE,
                self.span(parent),
                "the size of the pointer, not of an element, is taken",
            ),
            ExprKind::InitList(_) | ExprKind::Construct { .. } => {
                // Filling a slot field by field was unified; anything else was not.
                if !self.initializes_slot(expr, class, parent, position) {
                    self.pin(
                        class,
                        Code::UNSUPPORTED_USE,
                        span,
                        "the pointer is put into an object that is not followed",
                    );
                }
            }
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
                Code::UNSUPPORTED_USE,
                span,
                "this use of the pointer is not modelled",
            ),
        }
    }

    /// Whether item `position` of an initializer list initializes a slot of the class.
    fn initializes_slot(
        &self,
        _expr: ExprId,
        class: ClassId,
        list: ExprId,
        position: usize,
    ) -> bool {
        let Context::Init(variable) = self.calls.context(list) else { return false };
        let ty = self.program.variable(variable).ty;
        if self.classes.class_of_slot(Slot::Variable(variable)) == Some(class) {
            return matches!(
                self.program.types.kind(ty.id),
                TypeKind::Array(..) | TypeKind::Pointer(_)
            );
        }
        let Some(record) = self.program.types.as_record(ty.id) else { return false };
        let record = self.program.record(record);
        record.traits.is_empty()
            && record
                .fields
                .get(position)
                .is_some_and(|field| self.classes.class_of_slot(Slot::Field(*field)) == Some(class))
    }

    fn pointer_assignment(
        &mut self,
        class: ClassId,
        assignment: ExprId,
        op: Option<BinaryOp>,
        left: ExprId,
        right: ExprId,
        position: usize,
    ) {
        match (position, op) {
            (0, None) => {}
            (0, Some(BinaryOp::Add | BinaryOp::Sub)) => {
                if !matches!(self.calls.context(assignment), Context::Dropped) {
                    self.pin(
                        class,
                        Code::UNSUPPORTED_USE,
                        self.span(assignment),
                        "the pointer is moved inside an expression",
                    );
                }
            }
            (1, None) => {
                let same = self
                    .classes
                    .value(left)
                    .is_some_and(|(found, depth)| found == class && depth == 1);
                if !same {
                    let message = format!(
                        "this does not have the type of a pointer to `{}`",
                        self.record_name(class)
                    );
                    self.pin(class, Code::UNTYPED_POINTER, self.span(left), message);
                }
                return;
            }
            _ => self.pin(
                class,
                Code::UNSUPPORTED_USE,
                self.span(assignment),
                "this use of the pointer is not modelled",
            ),
        }
        let nested = !matches!(self.calls.context(assignment), Context::Dropped);
        if nested && self.classes.is_interior_expr(self.program, left) {
            self.pin(
                class,
                Code::UNSUPPORTED_USE,
                self.span(assignment),
                "a pointer behind the first element is assigned inside an expression",
            );
        }
        let _ = right;
    }

    /// A pointer or element passed to a function.
    fn argument(&mut self, expr: ExprId, class: ClassId, callee: &Callee, at: usize) {
        let span = self.span(expr);
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
                        (
                            Code::UNTYPED_POINTER,
                            "does not have the type of a pointer to the element type",
                        )
                    } else {
                        (Code::TEMPLATE_USE, "has a type that depends on a template parameter")
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
                let plain = slot_of(self.program, expr).is_some_and(|slot| {
                    self.classes.class_of_slot(slot) == Some(class)
                        && !self.classes.is_interior(slot)
                });
                if !plain {
                    self.pin(
                        class,
                        Code::UNSUPPORTED_USE,
                        span,
                        "this is not a plain pointer variable",
                    );
                }
            }
            Callee::Library(name) => {
                self.pin(
                    class,
                    Code::ESCAPING_POINTER,
                    span,
                    format!("`{name}` is not part of the program and may access the array"),
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
                "it cannot be seen which function this argument reaches",
            ),
        }
    }

    /// A pointer to a pointer.
    fn indirect(&mut self, expr: ExprId, class: ClassId) {
        if let Context::Operand(parent, _) = self.calls.context(expr)
            && matches!(self.program.expr(parent).kind, ExprKind::Paren(_) | ExprKind::Cast { .. })
            && self.classes.value(parent).is_some()
        {
            return;
        }
        let span = self.span(expr);
        let consumer = self.consumer(expr);
        if let Some((api, position)) = self.api_argument(consumer.context) {
            if !(api.api.allocates() && position == 0) {
                self.pin(
                    class,
                    Code::ESCAPING_POINTER,
                    span,
                    "the address of the pointer is passed to the runtime",
                );
            }
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
                    Code::UNSUPPORTED_USE,
                    self.span(parent),
                    "the size of pointers is taken",
                ),
                _ => self.pin(
                    class,
                    Code::UNTYPED_POINTER,
                    span,
                    "the address of the pointer is used in a way that is not followed",
                ),
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

    /// Device memory cannot be read or written by host code.
    fn host_access(&mut self, expr: ExprId, class: ClassId) {
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
            // `&p[i]` computes an address.
            if matches!(self.program.expr(parent).kind, ExprKind::AddressOf(_)) && at == expr {
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
        if !self.program.function(function).space.on_device() {
            self.pin(
                class,
                Code::HOST_ACCESS,
                self.span(expr),
                "host code accesses an element in device memory",
            );
        }
    }

    /// A whole element.
    fn element(&mut self, expr: ExprId, class: ClassId) {
        let span = self.span(expr);
        let record = self.record(class);
        match self.calls.context(expr) {
            Context::Assembly => {
                self.pin(class, Code::INLINE_ASSEMBLY, span, "inline assembly uses an element")
            }
            Context::Dropped | Context::Condition | Context::Range | Context::Opaque => {
                self.pin(
                    class,
                    Code::UNSUPPORTED_USE,
                    span,
                    "this use of an element is not modelled",
                );
            }
            Context::Init(variable) => self.element_into_variable(expr, class, variable),
            Context::Returned { in_lambda } => {
                let result = self.calls.function(expr).map(|id| self.program.function(id).result);
                let by_value =
                    result.is_some_and(|ty| self.program.types.as_record(ty.id) == Some(record));
                if in_lambda || !by_value {
                    self.pin(
                        class,
                        Code::UNSUPPORTED_USE,
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

    fn element_into_variable(&mut self, expr: ExprId, class: ClassId, variable: VarId) {
        let ty = self.program.variable(variable).ty;
        let span = self.span(expr);
        if self.program.types.as_record(ty.id) == Some(self.record(class)) {
            return;
        }
        if is_reference(self.program, variable)
            && self.classes.class_of_slot(Slot::Variable(variable)) == Some(class)
        {
            if self.program.variable(variable).storage == Storage::Static {
                self.pin(
                    class,
                    Code::UNSUPPORTED_USE,
                    span,
                    "a reference with static storage is bound to an element",
                );
            }
            return;
        }
        self.pin(class, Code::UNSUPPORTED_USE, span, "an element is converted to another type");
    }

    /// Whether the value of `expr` is used as a record by value.
    fn is_load_context(&self, expr: ExprId, record: RecordId) -> bool {
        match self.calls.context(expr) {
            Context::Init(variable) => {
                self.program.types.as_record(self.program.variable(variable).ty.id) == Some(record)
            }
            Context::Operand(parent, position) => match &self.program.expr(parent).kind {
                ExprKind::Assign(None, left, _) => {
                    position == 1
                        && self.program.types.as_record(self.program.expr(*left).ty.id)
                            == Some(record)
                }
                ExprKind::Paren(_) => self.is_load_context(parent, record),
                _ => false,
            },
            Context::Dropped
            | Context::Condition
            | Context::Returned { .. }
            | Context::Range
            | Context::Assembly
            | Context::Opaque => false,
        }
    }

    fn element_operand(&mut self, expr: ExprId, class: ClassId, parent: ExprId, position: usize) {
        let span = self.span(expr);
        let program = self.program;
        let record = self.record(class);
        match &program.expr(parent).kind {
            // The parenthesis has the same place and is judged itself.
            ExprKind::Paren(_) => {}
            ExprKind::Member { arrow: false, field, name, .. } => {
                if field.is_none() {
                    self.pin(class, Code::UNSUPPORTED_USE, *name, "this is not a member variable");
                }
            }
            ExprKind::AddressOf(_) => {}
            ExprKind::SizeOfExpr(_) => {}
            ExprKind::Assign(None, left, right) if position == 0 => {
                let same = program.types.as_record(program.expr(*right).ty.id) == Some(record);
                if !same {
                    self.pin(
                        class,
                        Code::UNSUPPORTED_USE,
                        self.span(*right),
                        "what is assigned to the element is not plainly of its type",
                    );
                }
                if !matches!(self.calls.context(parent), Context::Dropped) {
                    self.pin(
                        class,
                        Code::UNSUPPORTED_USE,
                        self.span(parent),
                        "the assignment is used as a value",
                    );
                }
                let _ = left;
            }
            ExprKind::Assign(None, left, _) => {
                if program.types.as_record(program.expr(*left).ty.id) != Some(record) {
                    self.pin(
                        class,
                        Code::UNSUPPORTED_USE,
                        span,
                        "an element is converted to another type",
                    );
                }
            }
            ExprKind::Conditional(..) if position > 0 => {
                if !self.is_load_context(parent, record) {
                    self.pin(
                        class,
                        Code::UNSUPPORTED_USE,
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
            ExprKind::Call { callee, arguments, .. } if position > 0 => {
                let callee = self.calls.callee(program, *callee, arguments);
                self.element_argument(expr, class, &callee, position - 1);
            }
            ExprKind::Launch { kernel, config, arguments, .. } => {
                if let Some(at) = position.checked_sub(1 + config.len()) {
                    let callee = self.calls.callee(program, *kernel, arguments);
                    self.element_argument(expr, class, &callee, at);
                } else {
                    self.pin(
                        class,
                        Code::UNSUPPORTED_USE,
                        span,
                        "an element is part of a launch configuration",
                    );
                }
            }
            ExprKind::MacroCall { name, .. } => {
                let message = format!("a whole element is given to the macro `{name}`");
                self.pin(class, Code::OPAQUE_MACRO, span, message);
            }
            _ => self.pin(
                class,
                Code::UNSUPPORTED_USE,
                span,
                "this use of an element is not modelled",
            ),
        }
    }

    fn element_argument(&mut self, expr: ExprId, class: ClassId, callee: &Callee, at: usize) {
        let span = self.span(expr);
        if let Callee::Function(function) = callee
            && let Some(parameter) = self.program.function(*function).parameters.get(at)
        {
            let ty = self.program.variable(*parameter).ty;
            let by_value = self.program.types.as_record(ty.id) == Some(self.record(class));
            if by_value || self.classes.reader_parameters.contains(parameter) {
                return;
            }
        }
        self.argument(expr, class, callee, at);
    }

    /// A part of an element.
    fn part(&mut self, expr: ExprId, class: ClassId, path: &FieldPath) {
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
        match program.types.kind(ty.id) {
            TypeKind::Record(_) => match parent {
                Some((
                    ExprKind::Member { arrow: false, field: Some(_), .. } | ExprKind::SizeOfExpr(_),
                    ..,
                )) => {}
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
            TypeKind::Array(..) => match parent {
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
            TypeKind::Unknown => {
                self.pin(class, Code::UNSUPPORTED_USE, span, "the type of this member is not known")
            }
            TypeKind::Void
            | TypeKind::Scalar(_)
            | TypeKind::Vector(_)
            | TypeKind::Enum(..)
            | TypeKind::Pointer(_)
            | TypeKind::Reference(..)
            | TypeKind::Function
            | TypeKind::Named(..)
            | TypeKind::TemplateParameter(_) => {
                if let Some((ExprKind::AddressOf(_), address, _)) = parent
                    && !self.is_atomic_operand(address)
                {
                    self.pin(
                        class,
                        Code::FIELD_ADDRESS,
                        self.span(address),
                        "the address of a member is kept or passed on",
                    );
                }
                if matches!(context, Context::Assembly) {
                    self.pin(class, Code::INLINE_ASSEMBLY, span, "inline assembly uses a member");
                }
                if matches!(context, Context::Opaque) {
                    self.pin(class, Code::UNSUPPORTED_USE, span, "this construct is not modelled");
                }
                if let Some((ExprKind::MacroCall { name, .. }, _, position)) = parent {
                    self.macro_argument(class, name, position, span);
                }
                // Reaching through a pointer member is the other array's business.
            }
        }
    }

    /// A part given to a macro: fine if the macro uses it as a value.
    fn macro_argument(&mut self, class: ClassId, name: &str, position: usize, span: Span) {
        let fine = self.program.macros.iter().filter(|def| def.name == name).all(|def| {
            def.parameter_uses.get(position).is_none_or(|uses| uses.pasted == 0 && uses.member == 0)
        });
        if !fine {
            let message = format!("the macro `{name}` pastes this argument or takes its address");
            self.pin(class, Code::OPAQUE_MACRO, span, message);
        }
    }

    /// Whether `&p[i].f` is the operand of an atomic or a load intrinsic.
    fn is_atomic_operand(&self, address: ExprId) -> bool {
        let Context::Operand(parent, position) = self.calls.context(address) else { return false };
        match &self.program.expr(parent).kind {
            ExprKind::Paren(_) => self.is_atomic_operand(parent),
            ExprKind::Call { callee, arguments, .. } => {
                position == 1
                    && matches!(self.calls.callee(self.program, *callee, arguments),
                        Callee::Library(name) if is_address_intrinsic(&name))
            }
            _ => false,
        }
    }

    /// Checks the other arguments of a runtime call.
    fn api_call(&mut self, at: usize) {
        let call = self.classes.api_calls[at].clone();
        let device: Vec<ClassId> = call
            .arguments
            .iter()
            .enumerate()
            .filter(|(position, _)| call.is_device_argument(*position))
            .filter_map(|(_, argument)| {
                self.classes.value(super::api::strip_casts(self.program, *argument))
            })
            .map(|(class, _)| class)
            .collect();
        let Some(class) = device.first().copied() else { return };
        if call.api == Api::MallocManaged {
            self.pin(
                class,
                Code::MANAGED_MEMORY,
                self.span(call.call),
                "host and device share this memory",
            );
        }
        if call.direction == Direction::DeviceToDevice
            && (device.len() != 2 || device[0] != device[1])
        {
            self.pin(
                class,
                Code::UNSUPPORTED_USE,
                self.span(call.call),
                "the two sides of this copy are not arrays of one class",
            );
        }
        if call.api == Api::Malloc || call.api == Api::MallocAsync {
            let interior = super::api::strip_casts(self.program, call.arguments[0]);
            if self.classes.is_interior_expr(self.program, interior) {
                self.pin(
                    class,
                    Code::SUB_RANGE,
                    self.span(call.arguments[0]),
                    "the pointer that is allocated here later points behind the first element",
                );
            }
        } else if let Some(size) = call.size().filter(|_| !call.is_host_transfer()) {
            let record = self.record(class);
            if !is_multiple_of_record(self.program, size, record) {
                let message = format!(
                    "this is not plainly a multiple of `sizeof({})`",
                    self.record_name(class)
                );
                self.pin(class, Code::UNPROVABLE_SIZE, self.span(size), message);
            }
        }
    }
}

impl Classes {
    /// Whether an lvalue (or the address of one) names an interior slot.
    fn is_interior_expr(&self, program: &Program, expr: ExprId) -> bool {
        let mut at = expr;
        while let ExprKind::Paren(inner) | ExprKind::AddressOf(inner) | ExprKind::Deref(inner) =
            program.expr(at).kind
        {
            at = inner;
        }
        slot_of(program, at).is_some_and(|slot| self.is_interior(slot))
    }
}

/// Whether a pointer may point behind the first element of its array, or is an element (for a
/// reference that is bound to it).
pub(super) fn is_offset(
    program: &Program,
    classes: &Classes,
    expr: ExprId,
    interior: &std::collections::BTreeSet<Slot>,
) -> bool {
    let mut stack = vec![expr];
    while let Some(at) = stack.pop() {
        match &program.expr(at).kind {
            ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. } => stack.push(*inner),
            ExprKind::Name(_) | ExprKind::Member { .. } => {
                if slot_of(program, at).is_some_and(|slot| interior.contains(&slot)) {
                    return true;
                }
            }
            ExprKind::Conditional(_, then, otherwise) => stack.extend([*then, *otherwise]),
            ExprKind::Assign(None, left, right) => stack.extend([*left, *right]),
            ExprKind::Assign(Some(_), ..) | ExprKind::Unary(..) => return true,
            ExprKind::Binary(..) => {
                if classes.value(at).is_some() {
                    return true;
                }
            }
            ExprKind::AddressOf(operand) => {
                if classes.place(*operand).is_some() {
                    return true;
                }
                stack.push(*operand);
            }
            ExprKind::Deref(operand) | ExprKind::Index { base: operand, .. } => {
                if classes.place(at).is_some() {
                    return true;
                }
                stack.push(*operand);
            }
            ExprKind::Call { callee, arguments, .. } => {
                if let Callee::Function(function) =
                    super::resolve_callee(program, *callee, arguments)
                    && interior.contains(&Slot::Result(function))
                {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

fn is_null(program: &Program, expr: ExprId) -> bool {
    let stripped = super::api::strip_casts(program, expr);
    matches!(program.expr(stripped).kind, ExprKind::Null | ExprKind::Integer(Some(0)))
}

/// Whether the declaration starts with `static`.
fn is_static_text(program: &Program, site: &layoutc_syntax::DeclaratorSite) -> bool {
    if site.declaration.0 == u32::MAX {
        return false;
    }
    let declaration = program.declaration(site.declaration);
    let before = Span { end: declaration.specifier.start, ..declaration.span };
    program.text(before).split_ascii_whitespace().any(|word| word == "static")
}

/// Runtime functions that take a kernel's name to ask or set something about it.
fn asks_about_kernel(name: &str) -> bool {
    name.starts_with("cudaFunc") || name.starts_with("cudaOccupancy")
}

/// Device functions that take the address of one scalar and touch nothing else.
fn is_address_intrinsic(name: &str) -> bool {
    name.starts_with("atomic")
        || matches!(
            name,
            "__ldg"
                | "__ldca"
                | "__ldcg"
                | "__ldcs"
                | "__stcg"
                | "__stcs"
                | "__stwb"
                | "__stwt"
                | "__ldcv"
                | "__ldlu"
        )
}

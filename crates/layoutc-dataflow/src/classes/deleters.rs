//! What owners of the standard library do with the memory of an array at its end.
//!
//! In the text that the model has for `std::unique_ptr` and `std::shared_ptr`, a deleter is given the address of the array's first
//! byte (`base_`), and not its elements. *Claim:* the deleter does nothing with what it is given but to free it, or to ask whether it is
//! null. Of any other, the array stays.

use super::calls::{CallGraph, Callee, Context};
use super::device_vectors;
use super::slots::Slot;
use super::{ClassId, Classes, Pin};
use crate::catalogue::{self, Effect};
use layoutc_diagnostics::{Code, Span};
use layoutc_syntax::preprocess::tokens;
use layoutc_syntax::{
    BinaryOp, ExprId, ExprKind, FunctionId, NameRef, Program, QualType, RecordId, RecordTrait,
    StmtId, TemplateArgument, TypeKind, UnaryOp, VarId,
};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Namespaces in `std`.
const NAMESPACES_OF_STD: [&str; 16] = [
    "chrono",
    "execution",
    "experimental",
    "filesystem",
    "literals",
    "numbers",
    "placeholders",
    "pmr",
    "ranges",
    "regex_constants",
    "rel_ops",
    "std",
    "this_thread",
    "tr1",
    "tr2",
    "views",
];

/// Namespaces in `thrust`.
const NAMESPACES_OF_THRUST: [&str; 19] = [
    "async",
    "cpp",
    "cuda",
    "cuda_cub",
    "detail",
    "device",
    "experimental",
    "host",
    "internal",
    "iterator_facade_detail",
    "mr",
    "omp",
    "placeholders",
    "random",
    "serial",
    "system",
    "tbb",
    "thrust",
    "unit_test",
];

/// Pins the arrays in owners whose deleter may do something else with them.
pub(super) fn pin_by_deleters(program: &Program, calls: &CallGraph, classes: &mut Classes) {
    let mut held: BTreeMap<RecordId, ClassId> = BTreeMap::new();
    for class in classes.ids() {
        for slot in &classes.class(class).slots {
            let Slot::Field(field) = slot else { continue };
            let owner = program.field(*field).record;
            if program.is_modelled_owner(owner) {
                held.insert(owner, class);
            }
        }
    }
    if held.is_empty() {
        return;
    }
    let deleters = Deleters::new(program, calls);
    let mut found: Vec<(ClassId, Pin)> = Vec::new();
    let refuse = |class: ClassId, span: Span| {
        let message = "this deleter may do more with the array than to free it".to_owned();
        (class, Pin { span, code: Code::ESCAPING_POINTER, message, related: Vec::new() })
    };
    for (owner, class) in &held {
        let record = program.record(*owner);
        let Some(instance) = &record.instance else { continue };
        let [_, TemplateArgument::Type(deleter)] = instance.arguments[..] else { continue };
        let named = program.types.as_record(deleter.id).map(|own| program.record(own).name_span);
        let span = named.unwrap_or(record.name_span);
        if !deleters.type_frees_only(deleter) {
            found.push(refuse(*class, span));
        }
        if !is_plain(program, deleter) {
            let message =
                "objects of this deleter are made or copied in a way of their own".to_owned();
            let code = Code::ESCAPING_POINTER;
            found.push((*class, Pin { span, code, message, related: Vec::new() }));
        }
    }
    for (owner, class) in &held {
        if let Some(span) = device_vectors::element_without_default(program, *owner) {
            let message = "elements without a default constructor are not modelled in a vector";
            let (code, message) = (Code::ESCAPING_POINTER, message.to_owned());
            found.push((*class, Pin { span, code, message, related: Vec::new() }));
        }
    }
    // In the namespace of the library these names mean its own.
    for (owner, class) in &held {
        let own = program.record(*owner);
        let arguments = own.instance.iter().flat_map(|own| &own.arguments);
        let records =
            arguments.filter_map(|argument| match program.bound_argument(*owner, *argument) {
                TemplateArgument::Type(ty) => program.types.as_record(ty.id),
                TemplateArgument::Value(..) => None,
            });
        let mut around = records.filter_map(|record| program.record(record).namespaces.first());
        let inner = if program.is_device_vector(*owner) {
            &NAMESPACES_OF_THRUST[..]
        } else {
            &NAMESPACES_OF_STD[..]
        };
        if around.any(|namespace| inner.contains(&namespace.as_str())) {
            let message = "in the library the namespace of this type is another one".to_owned();
            let (code, span) = (Code::ESCAPING_POINTER, own.name_span);
            found.push((*class, Pin { span, code, message, related: Vec::new() }));
        }
    }
    // The same class, where its text is not in the model: `std::make_shared<P>()`.
    for ty in program.types.ids() {
        let TypeKind::Named(name, mentioned) = program.types.kind(ty) else { continue };
        let name = name.trim_start_matches("::");
        let name = name.trim_start_matches("std::").trim_start_matches("thrust::");
        for (owner, class) in &held {
            let own = program.record(*owner);
            let arguments: Vec<_> = own
                .instance
                .iter()
                .flat_map(|own| &own.arguments)
                .filter_map(|argument| match argument {
                    TemplateArgument::Type(ty) => Some(ty.id),
                    TemplateArgument::Value(..) => None,
                })
                .collect();
            let is_related = name == own.name
                || (own.name == "shared_ptr"
                    && matches!(name, "weak_ptr" | "enable_shared_from_this"));
            if is_related && mentioned.starts_with(&arguments[..]) {
                let message = "this owner is also made or used in a way that is not modelled";
                let place = program.exprs.iter().find(|expr| expr.ty.id == ty);
                let span = place.map_or(own.name_span, |expr| expr.span);
                let (code, message) = (Code::ESCAPING_POINTER, message.to_owned());
                found.push((*class, Pin { span, code, message, related: Vec::new() }));
            }
        }
    }
    for id in program.expr_ids() {
        let otherwise = device_vectors::made_otherwise(program, calls, id)
            .or_else(|| device_vectors::copied_otherwise(program, calls, id));
        if let Some((vector, message)) = otherwise
            && let Some(class) = held.get(&vector)
        {
            let (code, span) = (Code::ESCAPING_POINTER, program.expr(id).span);
            let message = message.to_owned();
            found.push((*class, Pin { span, code, message, related: Vec::new() }));
        }
        if let Some((owner, deleter)) = given_deleter(program, calls, id)
            && let Some(class) = held.get(&owner)
            && !deleters.frees_only(deleter)
        {
            found.push(refuse(*class, program.expr(deleter).span));
        }
        let ty = program.types.strip_reference(program.expr(id).ty);
        let Some(owner) = program.types.as_record(ty.id) else { continue };
        if let Some(class) = held.get(&owner)
            && let Some(message) = used_otherwise(program, calls, id, owner)
        {
            let (code, span) = (Code::ESCAPING_POINTER, program.expr(id).span);
            let message = message.to_owned();
            found.push((*class, Pin { span, code, message, related: Vec::new() }));
        }
    }
    for (vector, values) in &program.member_values {
        if let Some(class) = held.get(vector)
            && program.is_device_vector(*vector)
            && let Some(message) = device_vectors::makes_otherwise(program, *vector, values)
        {
            let span = values
                .first()
                .map_or(program.record(*vector).name_span, |value| program.expr(*value).span);
            let (code, message) = (Code::ESCAPING_POINTER, message.to_owned());
            found.push((*class, Pin { span, code, message, related: Vec::new() }));
        }
    }
    // A deleter that is called with elements takes them in the new layout.
    let called = deleters.parameters.into_inner();
    for class in classes.ids() {
        let slots = &classes.class(class).slots;
        let is_called = |slot: &&Slot| matches!(slot, Slot::Variable(id) if called.contains(id));
        if let Some(Slot::Variable(parameter)) = slots.iter().find(is_called)
            && slots.len() > 1
        {
            let span = program.variable(*parameter).site.name;
            let message = "this deleter is also called with elements".to_owned();
            let code = Code::ESCAPING_POINTER;
            found.push((class, Pin { span, code, message, related: Vec::new() }));
        }
    }
    // The text of layoutc may stand where a macro has one of its words.
    let texts: BTreeSet<_> =
        held.keys().map(|owner| program.record(*owner).name_span.file).collect();
    let words: BTreeSet<&str> = texts
        .into_iter()
        .map(|file| program.sources.file(file).text())
        .flat_map(|text| tokens(text).into_iter().map(move |token| token.text(text)))
        .collect();
    for own in program.macros.iter().filter(|own| words.contains(own.name.as_str())) {
        for (owner, class) in &held {
            let message = "a macro has the name of something in an owner of the library".to_owned();
            let span = own.span.unwrap_or(program.record(*owner).name_span);
            let code = Code::OPAQUE_MACRO;
            found.push((*class, Pin { span, code, message, related: Vec::new() }));
        }
    }
    for (class, pin) in found {
        classes.classes[class.index()].pins.push(pin);
    }
}

/// Whether objects of a deleter's type can be made of nothing, copied and moved without effect, as a specialisation has all its
/// members made.
fn is_plain(program: &Program, deleter: QualType) -> bool {
    let Some(record) = program.types.as_record(deleter.id) else {
        // A pointer to a function.
        return true;
    };
    let own = program.record(record);
    let has_own_way = own.traits.iter().any(|(which, _)| {
        matches!(
            which,
            RecordTrait::Constructor
                | RecordTrait::Destructor
                | RecordTrait::CopyControl
                | RecordTrait::ConstMember
                | RecordTrait::Initializer
                // `typedef Fancy pointer;` is what the owner would hold.
                | RecordTrait::NestedType
        )
    });
    let is_plain = |ty: QualType| match program.types.kind(ty.id) {
        TypeKind::Scalar(_) | TypeKind::Enum(..) | TypeKind::Pointer(_) => !ty.is_const,
        TypeKind::Named(name, _) => !ty.is_const && name == "cudaStream_t",
        _ => false,
    };
    !has_own_way && own.fields.iter().all(|field| is_plain(program.field(*field).ty))
}

/// The owner that an expression makes or sets with a deleter, and that deleter.
fn given_deleter(program: &Program, calls: &CallGraph, id: ExprId) -> Option<(RecordId, ExprId)> {
    // The text of the owner itself hands on what it was given.
    if program.is_model_text(program.expr(id).span.file) {
        return None;
    }
    let (owner, deleter) = owner_of_two(program, calls, id)?;
    (!program.is_device_vector(owner)).then_some((owner, deleter))
}

/// The class whose object is made or set with two arguments, and the second of them.
fn owner_of_two(program: &Program, calls: &CallGraph, id: ExprId) -> Option<(RecordId, ExprId)> {
    match &program.expr(id).kind {
        ExprKind::Construct { of, arguments } => {
            let [_, deleter] = arguments[..] else { return None };
            Some((program.types.as_record(of.id)?, deleter))
        }
        ExprKind::InitList(items) => {
            let [_, deleter] = items[..] else { return None };
            let made = super::lists::object_type(program, calls, id)?;
            Some((program.types.as_record(made.id)?, deleter))
        }
        ExprKind::Call { callee, arguments, .. } => {
            let [_, deleter] = arguments[..] else { return None };
            match calls.callee(program, *callee, arguments) {
                Callee::Function(function) => Some((program.function(function).record?, deleter)),
                Callee::Library(_) | Callee::Ambiguous(_) | Callee::Unknown => None,
            }
        }
        _ => None,
    }
}

/// How an owner is used as the text of layoutc does not allow, if it is.
fn used_otherwise(
    program: &Program,
    calls: &CallGraph,
    id: ExprId,
    owner: RecordId,
) -> Option<&'static str> {
    const OTHER: &str = "this makes another owner or something else of it";
    const ELEMENT: &str = "an owner gives a reference to an element here";
    let is_same =
        |ty: QualType| program.types.as_record(program.types.strip_reference(ty).id) == Some(owner);
    if let Some(why) = device_vectors::used_otherwise(program, calls, id) {
        return Some(why);
    }
    let is_exchanged =
        |ty: QualType| device_vectors::is_exchanged(program, program.expr(id).ty, ty);
    match calls.context(id) {
        Context::Init(variable) => {
            let made = program.variable(variable).ty;
            (!is_same(made) && !is_exchanged(made)).then_some(OTHER)
        }
        Context::Returned { in_lambda: false } => {
            let result = calls.function(id).map(|function| program.function(function).result);
            (!result.is_some_and(|ty| is_same(ty) || is_exchanged(ty))).then_some(OTHER)
        }
        Context::Operand(parent, position) => match &program.expr(parent).kind {
            // `*p` and `p->x`, whose `get` has no text.
            ExprKind::Member { name, field: None, .. } => {
                let call = calls.operand(parent).map(|(call, _)| call);
                let is_element = || {
                    call.and_then(|call| calls.operand(call)).is_some_and(|(outer, _)| {
                        matches!(
                            program.expr(outer).kind,
                            ExprKind::Deref(_) | ExprKind::Member { .. }
                        )
                    })
                };
                (name.start == name.end && is_element()).then_some(ELEMENT)
            }
            ExprKind::Binary(op, left, right) => {
                let other = if position == 0 { *right } else { *left };
                let is_null =
                    matches!(program.expr(program.strip_parens(other)).kind, ExprKind::Null);
                let is_compared = matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt)
                    && (is_null || is_same(program.expr(other).ty));
                let is_asked = matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr);
                (!is_compared && !is_asked).then_some("this operator of owners is not modelled")
            }
            ExprKind::Assign(_, left, right) => {
                let other = if position == 0 { *right } else { *left };
                let is_null =
                    matches!(program.expr(program.strip_parens(other)).kind, ExprKind::Null);
                (!is_null
                    && !is_same(program.expr(other).ty)
                    && !is_exchanged(program.expr(other).ty)
                    && !matches!(program.expr(other).kind, ExprKind::InitList(_)))
                .then_some(OTHER)
            }
            ExprKind::Call { callee, arguments, .. } if position > 0 => {
                match calls.callee(program, *callee, arguments) {
                    Callee::Function(function) => {
                        let own = program.function(function).parameters.get(position - 1);
                        (!own.is_some_and(|own| is_same(program.variable(*own).ty)))
                            .then_some(OTHER)
                    }
                    Callee::Library(_) | Callee::Ambiguous(_) | Callee::Unknown => None,
                }
            }
            ExprKind::InitList(_) | ExprKind::Construct { .. } => {
                let made = super::lists::object_type(program, calls, parent);
                let filled = super::lists::item_type(program, calls, parent, position);
                let record =
                    |ty: QualType| program.types.as_record(program.types.strip_reference(ty).id);
                let mut owners = [made, filled].into_iter().flatten().filter_map(record);
                owners
                    .any(|other| other != owner && program.is_modelled_owner(other))
                    .then_some(OTHER)
            }
            // `carriers` judges what else happens to an object that holds an array.
            ExprKind::Member { field: Some(_), .. }
            | ExprKind::Integer(_)
            | ExprKind::Literal
            | ExprKind::Null
            | ExprKind::This
            | ExprKind::Name(_)
            | ExprKind::Paren(_)
            | ExprKind::Unary(..)
            | ExprKind::Deref(_)
            | ExprKind::AddressOf(_)
            | ExprKind::Conditional(..)
            | ExprKind::Comma(..)
            | ExprKind::Index { .. }
            | ExprKind::Call { .. }
            | ExprKind::Launch { .. }
            | ExprKind::MacroCall { .. }
            | ExprKind::Cast { .. }
            | ExprKind::SizeOfType { .. }
            | ExprKind::SizeOfExpr(_)
            | ExprKind::OffsetOf(_)
            | ExprKind::New { .. }
            | ExprKind::Delete(_)
            | ExprKind::Lambda { .. }
            | ExprKind::Opaque(_) => None,
        },
        Context::Dropped
        | Context::Condition
        | Context::Returned { in_lambda: true }
        | Context::Range
        | Context::Opaque
        | Context::Assembly => None,
    }
}

/// What deleters do.
struct Deleters<'a> {
    program: &'a Program,
    calls: &'a CallGraph,
    /// Where the program names each variable.
    uses: BTreeMap<VarId, Vec<ExprId>>,
    /// The parameters of the deleters that were looked at.
    parameters: RefCell<BTreeSet<VarId>>,
}

impl<'a> Deleters<'a> {
    fn new(program: &'a Program, calls: &'a CallGraph) -> Self {
        let mut uses: BTreeMap<VarId, Vec<ExprId>> = BTreeMap::new();
        for id in program.expr_ids() {
            if let ExprKind::Name(NameRef::Variable(variable)) = program.expr(id).kind {
                uses.entry(variable).or_default().push(id);
            }
        }
        Deleters { program, calls, uses, parameters: RefCell::default() }
    }

    /// Whether a value that is given as a deleter only frees.
    fn frees_only(&self, deleter: ExprId) -> bool {
        let program = self.program;
        match &program.expr(program.strip_parens(deleter)).kind {
            ExprKind::Lambda { parameters, body, .. } => self.body_frees_only(parameters, *body),
            ExprKind::AddressOf(function) => self.frees_only(*function),
            ExprKind::Name(NameRef::Functions(functions)) => match functions[..] {
                [only] => self.function_frees_only(only),
                _ => false,
            },
            ExprKind::Name(NameRef::Unknown(name)) => {
                let name = name.trim_start_matches("::").trim_start_matches("std::");
                catalogue::effect(name) == Some(Effect::Frees)
            }
            _ => {
                let ty = program.types.strip_reference(program.expr(deleter).ty);
                // How often it is moved is not as in the library.
                let is_counted = program.types.as_record(ty.id).is_some_and(|record| {
                    program.record(record).traits.iter().any(|(which, _)| {
                        matches!(which, RecordTrait::CopyControl | RecordTrait::Destructor)
                    })
                });
                !is_counted && self.type_frees_only(ty)
            }
        }
    }

    /// Whether all call operators of a class only free.
    fn type_frees_only(&self, ty: QualType) -> bool {
        let program = self.program;
        if let TypeKind::Named(name, _) = program.types.kind(ty.id) {
            let function = name.strip_prefix("decltype(&").and_then(|own| own.strip_suffix(')'));
            return function.is_some_and(|own| catalogue::effect(own) == Some(Effect::Frees));
        }
        let Some(record) = program.types.as_record(ty.id) else { return false };
        let own = program.record(record);
        let is_seen = own.bases.is_empty()
            && own.body.is_some()
            && !own.unmodelled_members.contains("operator()")
            && !own.traits.iter().any(|(which, _)| {
                matches!(
                    which,
                    RecordTrait::Virtual
                        | RecordTrait::Bases
                        | RecordTrait::Template
                        | RecordTrait::Unmodelled
                )
            });
        let mut operators =
            own.methods.iter().filter(|id| program.function(**id).name == "operator()").peekable();
        is_seen && operators.peek().is_some() && operators.all(|id| self.function_frees_only(*id))
    }

    fn function_frees_only(&self, id: FunctionId) -> bool {
        let own = self.program.function(id);
        own.body.is_some_and(|body| self.body_frees_only(&own.parameters, body))
    }

    fn body_frees_only(&self, parameters: &[VarId], body: StmtId) -> bool {
        let [parameter] = parameters else { return false };
        self.parameters.borrow_mut().insert(*parameter);
        let text = self.program.stmt(body).span;
        let is_modelled = !self.program.regions.iter().any(|region| text.contains(region.span));
        let uses = self.uses.get(parameter);
        is_modelled && uses.into_iter().flatten().all(|id| self.is_freed_or_asked(*id))
    }

    /// Whether a use of the address frees the memory, or asks whether there is some.
    fn is_freed_or_asked(&self, mut id: ExprId) -> bool {
        let program = self.program;
        loop {
            match self.calls.context(id) {
                Context::Condition => return true,
                Context::Operand(parent, position) => match &program.expr(parent).kind {
                    ExprKind::Paren(_) | ExprKind::Cast { .. } => id = parent,
                    ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, left, right) => {
                        let other = if position == 0 { *right } else { *left };
                        let other = program.strip_parens(other);
                        return matches!(
                            program.expr(other).kind,
                            ExprKind::Null | ExprKind::Integer(_)
                        );
                    }
                    ExprKind::Call { callee, arguments, .. } => {
                        let callee = self.calls.callee(program, *callee, arguments);
                        return position > 0
                            && matches!(callee, Callee::Library(name) if catalogue::effect(&name) == Some(Effect::Frees));
                    }
                    ExprKind::Unary(UnaryOp::Not, _) => return true,
                    _ => return false,
                },
                Context::Dropped
                | Context::Init(_)
                | Context::Returned { .. }
                | Context::Range
                | Context::Opaque
                | Context::Assembly => return false,
            }
        }
    }
}

//! Objects that carry pointers into a class, and names that may mean their members.
//!
//! A field slot is a slot in whatever object, so an object that goes where it cannot be followed
//! takes its pointers along: into a container of a library, through a cast, into raw memory. And a
//! member access whose object has an unknown type may be an access to a field slot. Both pin.

use super::calls::{CallGraph, Callee, Context};
use super::device_vectors;
use super::element::record_of;
use super::host_items::HostItems;
use super::lists;
use super::operands::given_back;
use super::slots::Slot;
use super::whole_objects::is_moved_whole;
use super::{ClassId, Classes, Pin};
use crate::catalogue::builtins::vector;
use crate::catalogue::{self, Effect, Role};
use layoutc_diagnostics::{Code, Span};
use layoutc_syntax::preprocess::tokens;
use layoutc_syntax::{
    ExprId, ExprKind, FieldId, FunctionId, FunctionSite, NameRef, Program, QualType, RecordId,
    RecordTrait, TypeKind, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// The record of an object, of what a pointer to it or a pointer to its pointer is, also a smart one, and how many pointers
/// are in between.
fn carrier_of(program: &Program, ty: QualType) -> Option<(RecordId, u32)> {
    record_of(program, ty).or_else(|| {
        let object = program.types.smart_pointee(ty)?;
        record_of(program, object).map(|(record, _)| (record, 1))
    })
}

/// Whether a list for an object of that type fills pointers: it is one, or an array of them.
fn makes_pointers(program: &Program, mut ty: QualType) -> bool {
    while let TypeKind::Array(item, _) = *program.types.kind(ty.id) {
        ty = item;
    }
    matches!(program.types.kind(ty.id), TypeKind::Pointer(_))
}

/// Whether an object is a smart pointer to one of a class of the program.
fn is_smart_pointer(program: &Program, object: ExprId) -> bool {
    program.types.smart_pointee(program.expr(object).ty).is_some()
}

/// Whether `base.name` is a member of the record that `base` is, which is not modelled and inherited from nowhere.
fn is_own_member(program: &Program, base: ExprId, arrow: bool, name: &str) -> bool {
    let ty = program.types.strip_reference(program.expr(base).ty);
    let ty = if arrow { program.types.pointee(ty.id) } else { Some(ty) };
    let Some(record) = ty.and_then(|ty| program.types.as_record(ty.id)) else { return false };
    let record = program.record(record);
    let may_inherit = !record.bases.is_empty()
        || record.traits.iter().any(|(which, _)| *which == RecordTrait::Bases);
    !may_inherit && record.unmodelled_members.contains(name)
}

/// Spans that contain no other, in order.
struct Texts(Vec<Span>);

impl Texts {
    /// The outermost of the given spans.
    fn new(mut spans: Vec<Span>) -> Self {
        spans.sort_by_key(|span| (span.file, span.start, std::cmp::Reverse(span.end)));
        let mut outermost: Vec<Span> = Vec::with_capacity(spans.len());
        for span in spans {
            if !outermost.last().is_some_and(|last| last.contains(span)) {
                outermost.push(span);
            }
        }
        Texts(outermost)
    }

    fn contains(&self, site: Span) -> bool {
        let behind =
            self.0.partition_point(|text| (text.file, text.start) <= (site.file, site.start));
        self.0[..behind].last().is_some_and(|text| text.contains(site))
    }
}

/// The texts of functions that are no members.
struct FreeTexts {
    functions: Texts,
    classes: Texts,
}

impl FreeTexts {
    fn new(program: &Program) -> Self {
        // What is defined as `X::name` may be a member that was not recognised.
        let is_free = |site: &&FunctionSite| {
            let head = Span { end: site.name.start, ..site.span };
            !program.text(head).trim_end().ends_with("::")
        };
        let free = program.functions.iter().filter(|function| function.record.is_none());
        let free = free.flat_map(|function| function.sites.iter().filter(is_free));
        FreeTexts {
            functions: Texts::new(free.map(|site| site.span).collect()),
            classes: Texts::new(program.records.iter().filter_map(|record| record.body).collect()),
        }
    }

    fn contains(&self, site: Span) -> bool {
        self.functions.contains(site) && !self.classes.contains(site)
    }
}

/// Pins classes by what happens to the objects that hold their pointers.
pub(super) fn pin_by_carriers(program: &Program, calls: &CallGraph, classes: &mut Classes) {
    let mut found: Vec<(ClassId, Pin)> = Vec::new();
    let mut by_name: BTreeMap<&str, BTreeSet<ClassId>> = BTreeMap::new();
    let mut carried: BTreeMap<RecordId, BTreeSet<ClassId>> = BTreeMap::new();
    let mut callables: BTreeMap<RecordId, BTreeSet<ClassId>> = BTreeMap::new();
    for class in classes.ids() {
        for slot in &classes.class(class).slots {
            match slot {
                Slot::Field(field) => {
                    let field = program.field(*field);
                    by_name.entry(&field.name).or_default().insert(class);
                    carried.entry(field.record).or_default().insert(class);
                }
                Slot::Result(function) => {
                    let function = program.function(*function);
                    if function.record.is_some() {
                        by_name.entry(&function.name).or_default().insert(class);
                    }
                }
                // What calls an object that is given elements has to be seen, as what reaches a member has.
                Slot::Variable(variable) => {
                    if let Some(record) = called_object(program, *variable) {
                        for other in program.record_ids() {
                            if other == record || program.derives_from(other, record) {
                                carried.entry(other).or_default().insert(class);
                                callables.entry(other).or_default().insert(class);
                            }
                        }
                    }
                }
            }
        }
    }
    pin_by_types(program, &callables, &mut found);
    // A record that holds a carrier is one.
    loop {
        let mut changed = false;
        for field in &program.fields {
            let inner =
                carrier_of(program, field.ty).and_then(|(record, _)| carried.get(&record).cloned());
            if let Some(inner) = inner {
                let outer = carried.entry(field.record).or_default();
                let before = outer.len();
                outer.extend(inner);
                changed |= outer.len() != before;
            }
        }
        if !changed {
            break;
        }
    }
    let pin =
        |span: Span, code: Code, message: String| Pin { span, code, message, related: Vec::new() };
    let open = super::open_templates::instantiated_only(program);
    let free = FreeTexts::new(program);
    // A plain name in a function of no class means no member.
    let can_be_member = |id: ExprId| match &program.expr(id).kind {
        ExprKind::Name(NameRef::Unknown(name)) => {
            name.contains("::") || !free.contains(program.expr_site(id))
        }
        ExprKind::Member { base, arrow, name, .. } => {
            !is_own_member(program, *base, *arrow, program.text(*name))
        }
        _ => true,
    };
    let host_items = HostItems::new(program);
    let is_slot = |field: FieldId| classes.class_of_slot(Slot::Field(field)).is_some();
    for id in program.expr_ids() {
        let expr = program.expr(id);
        let unresolved = match &expr.kind {
            ExprKind::Member { base, arrow, field: None, methods, name, .. }
                if methods.is_empty()
                    && !host_items.is_another(*base, *arrow, program.text(*name), is_slot)
                    && !is_of_library(program, *base, *arrow)
                    && (*arrow || !is_built_in(program, *base)) =>
            {
                Some(program.text(*name))
            }
            ExprKind::Name(NameRef::Unknown(name)) => {
                Some(name.rsplit("::").next().unwrap_or(name))
            }
            _ => None,
        };
        // What a text of layoutc is given is judged where it is given.
        let unresolved = unresolved.filter(|_| !program.is_model_text(expr.span.file));
        if let Some(name) = unresolved.filter(|_| !open.contains(&id))
            && let Some(of_name) = by_name.get(name).filter(|_| can_be_member(id))
        {
            for class in of_name {
                let message = format!("`{name}` may be the member that holds the array");
                found.push((*class, pin(expr.span, Code::UNKNOWN_MEMBER, message)));
            }
        }
        let Some((record, _)) = carrier_of(program, expr.ty) else { continue };
        let Some(held) = carried.get(&record) else { continue };
        if let Some(what) = escape(program, calls, id) {
            for class in held {
                found.push((
                    *class,
                    pin(
                        expr.span,
                        Code::ESCAPING_POINTER,
                        format!("the object holds the array, and {what}"),
                    ),
                ));
            }
        }
    }
    for id in program.expr_ids() {
        // The size of a carrier may change, and so may what is computed from it.
        if let ExprKind::OffsetOf(of) = &program.expr(id).kind
            && let Some((record, _)) = carrier_of(program, *of)
        {
            for class in carried.get(&record).into_iter().flatten() {
                found.push((
                    *class,
                    pin(
                        program.expr(id).span,
                        Code::OFFSETOF,
                        "the offset of a member is used".to_owned(),
                    ),
                ));
            }
        }
    }
    // A list that leaves inner braces out fills members in an order that a rewrite could change.
    let of_fields = initializers_of_fields(program);
    for list in program.expr_ids() {
        let (items, ty) = match &program.expr(list).kind {
            ExprKind::InitList(items) => {
                let of_field = || of_fields.get(&list).copied();
                (&items[..], lists::object_type(program, calls, list).or_else(of_field))
            }
            ExprKind::Construct { of, arguments } => (&arguments[..], Some(*of)),
            // Its items are not followed, and may fill the members of what the array is.
            ExprKind::New { of, arguments, lengths, is_placed: false, is_initialized: true } => {
                (arguments.get(*lengths..).unwrap_or_default(), Some(*of))
            }
            _ => continue,
        };
        let is_followed = !matches!(program.expr(list).kind, ExprKind::New { .. })
            && !of_fields.contains_key(&list);
        if let ExprKind::InitList(_) = program.expr(list).kind
            && !items.iter().all(|item| {
                matches!(program.expr(*item).kind, ExprKind::InitList(_))
                    || carrier_of(program, program.expr(*item).ty).is_some()
            })
            && let Some(container) = container_of(program, calls, &of_fields, list)
        {
            for class in held_by(program, &carried, container) {
                let message = "the object holds the array, and this list does not say which member each item fills";
                found.push((
                    class,
                    pin(program.expr(list).span, Code::UNKNOWN_MEMBER, message.to_owned()),
                ));
            }
            continue;
        }
        let Some(ty) = ty else {
            for class in filled_by_nulls(program, classes, items) {
                let message = "the object that this list makes may hold the array, and it is not known which it is";
                found.push((
                    class,
                    pin(program.expr(list).span, Code::UNKNOWN_MEMBER, message.to_owned()),
                ));
            }
            continue;
        };
        // Pointers to objects make none.
        if makes_pointers(program, ty) {
            continue;
        }
        let Some((record, _)) = carrier_of(program, ty) else { continue };
        let Some(held) = carried.get(&record).filter(|held| !held.is_empty()) else { continue };
        let is_made = |items: &[ExprId]| {
            let own = &program.record(record).traits;
            (is_followed && fills_fields(program, record, items))
                || items.is_empty()
                || lists::is_copy(program, record, items)
                || own.iter().any(|(which, _)| *which == RecordTrait::Constructor)
        };
        let is_plain = match program.types.kind(ty.id) {
            TypeKind::Record(_) => is_made(items),
            TypeKind::Array(..) => items.iter().all(|item| match &program.expr(*item).kind {
                ExprKind::InitList(inner) => is_made(inner),
                // An object, which is judged by itself: one item makes one element.
                _ => {
                    let ty = program.types.strip_reference(program.expr(*item).ty);
                    program.types.as_record(ty.id) == Some(record)
                }
            }),
            _ => true,
        };
        if !is_plain {
            for class in held {
                let message = "the object holds the array, and this list does not say which member each item fills";
                found.push((
                    *class,
                    pin(program.expr(list).span, Code::UNKNOWN_MEMBER, message.to_owned()),
                ));
            }
        }
    }
    for (class, pin) in found {
        classes.classes[class.index()].pins.push(pin);
    }
}

/// The class whose call operator has the parameter.
fn called_object(program: &Program, parameter: VarId) -> Option<RecordId> {
    let function = program.function(program.variable(parameter).function?);
    let is_parameter = function.parameters.contains(&parameter);
    function.record.filter(|_| is_parameter && function.name == "operator()")
}

/// Words that ask whether, or with what result, an object can be called. Their answer would be another one.
const ASKS: &[&str] = &[
    "declval",
    "invocable",
    "invoke_result",
    "invoke_result_t",
    "is_invocable",
    "is_invocable_r",
    "is_invocable_r_v",
    "is_invocable_v",
    "is_nothrow_invocable",
    "is_nothrow_invocable_r",
    "is_nothrow_invocable_r_v",
    "is_nothrow_invocable_v",
    "predicate",
    "regular_invocable",
    "requires",
    "result_of",
    "result_of_t",
];

/// Pins the arrays whose elements call operators are given, if a template that is not seen has such an object's class as an
/// argument (`std::unique_ptr<P, Deleter>`), or the program asks how objects can be called.
fn pin_by_types(
    program: &Program,
    callables: &BTreeMap<RecordId, BTreeSet<ClassId>>,
    found: &mut Vec<(ClassId, Pin)>,
) {
    if callables.is_empty() {
        return;
    }
    let asks = ASKS.iter().find(|word| program.identifiers.contains(**word));
    for (record, held) in callables {
        let own = program.record(*record);
        let is_argument = |id| {
            matches!(program.types.kind(id), TypeKind::Named(..))
                && !program.patterns.contains(&id)
                && program.types.mentions(id, *record)
        };
        let is_mentioned = || {
            program.expr_ids().any(|id| {
                let ExprKind::Name(NameRef::Unknown(name)) = &program.expr(id).kind else {
                    return false;
                };
                name.contains('<') && tokens(name).iter().any(|token| token.text(name) == own.name)
            })
        };
        let message = if program.types.ids().any(is_argument) || is_mentioned() {
            "the object is given elements, and a template that is not seen may call it".to_owned()
        } else if let Some(word) = asks {
            format!("the object is given elements, and `{word}` may ask how it can be called")
        } else {
            continue;
        };
        for class in held {
            let pin = Pin {
                span: own.name_span,
                code: Code::ESCAPING_POINTER,
                message: message.clone(),
                related: Vec::new(),
            };
            found.push((*class, pin));
        }
    }
}

/// The classes one of whose members an item of a list could be the null pointer of, by its place in the list.
fn filled_by_nulls(program: &Program, classes: &Classes, items: &[ExprId]) -> BTreeSet<ClassId> {
    let kind = |item: &ExprId| &program.expr(program.strip_parens(*item)).kind;
    let mut found = BTreeSet::new();
    if !items.iter().any(|item| matches!(kind(item), ExprKind::Null)) {
        return found;
    }
    for class in classes.ids() {
        let may_fill = classes.class(class).slots.iter().any(|slot| {
            let Slot::Field(field) = slot else { return false };
            let record = program.record(program.field(*field).record);
            let at = record.fields.iter().position(|own| own == field);
            let is_null = |item| matches!(kind(item), ExprKind::Null | ExprKind::Integer(Some(0)));
            !record.bases.is_empty() || at.and_then(|at| items.get(at)).is_some_and(is_null)
        });
        if may_fill {
            found.insert(class);
        }
    }
    found
}

/// The classes whose pointers the objects hold that a container of a library mentions.
fn held_by(
    program: &Program,
    carried: &BTreeMap<RecordId, BTreeSet<ClassId>>,
    container: QualType,
) -> BTreeSet<ClassId> {
    let mentioned =
        carried.iter().filter(|(record, _)| program.types.mentions(container.id, **record));
    mentioned.flat_map(|(_, held)| held.iter().copied()).collect()
}

/// The container of a library, as a type, that a list in braces fills or is an item of.
fn container_of(
    program: &Program,
    calls: &CallGraph,
    of_fields: &BTreeMap<ExprId, QualType>,
    list: ExprId,
) -> Option<QualType> {
    let mut at = list;
    loop {
        let ty = lists::object_type(program, calls, at).or_else(|| of_fields.get(&at).copied());
        if let Some(ty) = ty {
            return matches!(program.types.kind(ty.id), TypeKind::Named(..)).then_some(ty);
        }
        let Context::Operand(parent, _) = calls.context(at) else { return None };
        match &program.expr(parent).kind {
            ExprKind::InitList(_) | ExprKind::Construct { .. } | ExprKind::Paren(_) => at = parent,
            ExprKind::Call { callee, .. } => {
                let callee = program.expr(program.strip_parens(*callee));
                let ExprKind::Member { base, .. } = callee.kind else { return None };
                let ty = program.types.strip_reference(program.expr(base).ty);
                return matches!(program.types.kind(ty.id), TypeKind::Named(..)).then_some(ty);
            }
            _ => return None,
        }
    }
}

/// The lists that members of records start with, with the types of the members.
fn initializers_of_fields(program: &Program) -> BTreeMap<ExprId, QualType> {
    let lists = program.file_scope_exprs.iter().copied().filter(
        |expr| matches!(&program.expr(*expr).kind, ExprKind::InitList(items) if !items.is_empty()),
    );
    let field_of = |list: ExprId| {
        let span = program.expr(list).span;
        program.fields.iter().find(|field| {
            let declaration = program.declaration_of(&field.site);
            field.has_initializer && declaration.is_some_and(|own| own.span.contains(span))
        })
    };
    lists.filter_map(|list| Some((list, field_of(list)?.ty))).collect()
}

/// Whether a callee is the member of a smart pointer that gives it another object, or of a list of them that appends one.
fn takes_object(program: &Program, callee: ExprId) -> bool {
    let ExprKind::Member { base, field: None, name, .. } =
        program.expr(program.strip_parens(callee)).kind
    else {
        return false;
    };
    let ty = program.types.strip_reference(program.expr(base).ty);
    match (program.types.kind(ty.id), program.text(name)) {
        (TypeKind::Named(..), "reset") => program.types.smart_pointee(ty).is_some(),
        (TypeKind::Named(_, mentioned), "push_back" | "emplace_back") => mentioned
            .first()
            .is_some_and(|item| carrier_of(program, QualType::plain(*item)).is_some()),
        _ => false,
    }
}

/// The argument that a function of the library gives to a function of the program as it is.
fn hands_on(name: &str) -> Option<usize> {
    catalogue::row(name).and_then(|row| row.position(Role::HandedOn))
}

/// Whether argument `at` is the object that `std::bind`, a thread or a task runs a function of its class for.
fn runs_method(program: &Program, name: &str, arguments: &[ExprId], at: usize) -> bool {
    let of_object = |from: usize| {
        at == from + 1 && arguments.get(from..).is_some_and(|own| binds_method(program, own))
    };
    match name {
        "bind" | "thread" | "jthread" => of_object(0),
        // In front of the function stands how it is run, or nothing.
        "async" => of_object(0) || of_object(1),
        _ => false,
    }
}

/// Whether `std::bind(&T::f, object, …)` keeps a pointer to an object for a function of its class alone, whose body is seen.
fn binds_method(program: &Program, arguments: &[ExprId]) -> bool {
    let [function, object, ..] = *arguments else { return false };
    let ExprKind::AddressOf(named) = program.expr(program.strip_parens(function)).kind else {
        return false;
    };
    let methods: Vec<_> = match &program.expr(program.strip_parens(named)).kind {
        ExprKind::Name(NameRef::Functions(named)) => named.clone(),
        // In a function of the class.
        ExprKind::Member { field: None, methods, .. } => methods.to_vec(),
        ExprKind::Name(NameRef::Unknown(name)) => {
            let pointed = program.types.pointee(program.expr(object).ty.id);
            let Some(record) = pointed.and_then(|to| program.types.as_record(to.id)) else {
                return false;
            };
            let own = program.record(record);
            if !own.bases.is_empty() || own.unmodelled_members.contains(name) {
                return false;
            }
            let is_named = |id: &FunctionId| program.function(*id).name == *name;
            own.methods.iter().copied().filter(is_named).collect()
        }
        _ => return false,
    };
    !methods.is_empty()
        && methods.iter().all(|id| {
            let own = program.function(*id);
            own.record.is_some() && !own.is_static_member && own.body.is_some()
        })
}

/// What happens to a carrier, or a pointer to one, that cannot be followed.
fn escape(program: &Program, calls: &CallGraph, expr: ExprId) -> Option<&'static str> {
    let known = |ty: QualType| carrier_of(program, ty).is_some();
    let is_exchanged =
        |ty: QualType| device_vectors::is_exchanged(program, program.expr(expr).ty, ty);
    match calls.context(expr) {
        Context::Dropped | Context::Condition => None,
        Context::Init(variable) => {
            let made = program.variable(variable).ty;
            (!known(made) && !is_exchanged(made)).then_some("it becomes something of another type")
        }
        Context::Returned { in_lambda } => {
            let result = calls.function(expr).map(|id| program.function(id).result);
            let fits = |ty: QualType| known(ty) || is_exchanged(ty);
            (in_lambda || !result.is_some_and(fits)).then_some("it is returned as another type")
        }
        Context::Range => None,
        // A member that is a reference to it is a name of its class's members, as any other.
        Context::Opaque if program.bound_members.contains(&expr) => None,
        Context::Opaque | Context::Assembly => Some("this construct is not modelled"),
        Context::Operand(parent, position) => match &program.expr(parent).kind {
            ExprKind::Paren(_)
            | ExprKind::Member { .. }
            | ExprKind::Deref(_)
            | ExprKind::AddressOf(_)
            | ExprKind::Index { .. }
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Comma(..)
            | ExprKind::Conditional(..)
            | ExprKind::Delete(_)
            | ExprKind::SizeOfExpr(_) => None,
            ExprKind::Assign(_, left, right) => {
                let other = if position == 0 { *right } else { *left };
                let null = matches!(
                    program.expr(other).kind,
                    ExprKind::Null | ExprKind::Integer(_) | ExprKind::New { .. }
                );
                let made = match program.expr(other).kind {
                    ExprKind::Cast { .. } => true,
                    // Its items are judged.
                    ExprKind::InitList(_) => {
                        lists::object_type(program, calls, other).is_some_and(known)
                    }
                    _ => false,
                };
                (!known(program.expr(other).ty)
                    && !null
                    && !made
                    && !is_exchanged(program.expr(other).ty))
                .then_some("it is assigned from or to something unknown")
            }
            ExprKind::Cast { target, .. } => {
                // `free(w)` and the like go through `void*` too, but so does everything else.
                let is_related = |(own, _): (RecordId, u32), (other, _): (RecordId, u32)| {
                    own == other
                        || program.derives_from(own, other)
                        || program.derives_from(other, own)
                };
                let stays = match (
                    carrier_of(program, *target),
                    carrier_of(program, program.expr(expr).ty),
                ) {
                    (Some(own), Some(other)) => is_related(own, other),
                    _ => false,
                };
                (!stays && !is_moved_whole(program, calls, expr))
                    .then_some("it is cast to another type")
            }
            ExprKind::Call { callee, arguments, .. } => {
                let makes_smart = is_smart_pointer(program, parent)
                    && matches!(program.expr(expr).kind, ExprKind::Construct { .. });
                if makes_smart || takes_object(program, *callee) {
                    return None;
                }
                if position == 0 {
                    // What an operator of the program does with its members is seen there.
                    let is_seen = program
                        .operators
                        .get(&parent)
                        .is_some_and(|operator| program.function(*operator).body.is_some());
                    return (!is_seen).then_some("it is called");
                }
                match calls.callee(program, *callee, arguments) {
                    Callee::Function(function) => {
                        let parameter =
                            program.function(function).parameters.get(position - 1).copied();
                        let same = parameter
                            .is_some_and(|parameter| known(program.variable(parameter).ty));
                        (!same).then_some("it is passed as another type")
                    }
                    Callee::Library(name)
                        if catalogue::effect(&name) == Some(Effect::Frees) || name == "swap" =>
                    {
                        None
                    }
                    Callee::Library(name) if hands_on(&name) == Some(position - 1) => None,
                    Callee::Library(name)
                        if position > 0 && runs_method(program, &name, arguments, position - 1) =>
                    {
                        None
                    }
                    // What that gives back is judged.
                    Callee::Library(name)
                        if given_back(&name, arguments).is_some()
                            && known(program.expr(parent).ty) =>
                    {
                        None
                    }
                    Callee::Library(_) if is_moved_whole(program, calls, expr) => None,
                    Callee::Library(_) | Callee::Ambiguous(_) | Callee::Unknown => Some(
                        "it is passed to an unknown function, or copied with a byte count that is not its `sizeof`",
                    ),
                }
            }
            ExprKind::Launch { kernel, config, arguments, .. } => {
                let at = position.checked_sub(1 + config.len())?;
                match calls.callee(program, *kernel, arguments) {
                    Callee::Function(function) => {
                        let parameter = program.function(function).parameters.get(at).copied();
                        let same = parameter
                            .is_some_and(|parameter| known(program.variable(parameter).ty));
                        (!same).then_some("it is passed as another type")
                    }
                    // A kernel of the program, since its parameter has the object's type.
                    Callee::Unknown
                        if is_pointer_to_function(program, *kernel)
                            && program.types.as_record(program.expr(expr).ty.id).is_some() =>
                    {
                        None
                    }
                    Callee::Library(_) | Callee::Ambiguous(_) | Callee::Unknown => {
                        Some("it is passed to a kernel that cannot be seen")
                    }
                }
            }
            ExprKind::MacroCall { .. } => Some("it is given to a macro"),
            ExprKind::InitList(_) | ExprKind::Construct { .. }
                if program.launched_objects.contains(&expr) =>
            {
                None
            }
            ExprKind::InitList(items) | ExprKind::Construct { arguments: items, .. } => {
                let made = lists::object_type(program, calls, parent);
                if made.is_some_and(|ty| program.types.smart_pointee(ty).is_some()) {
                    return None;
                }
                if items.len() == 1 && made.is_some_and(is_exchanged) {
                    return None;
                }
                // `std::thread t(&T::f, this);`
                if let Some(ty) = made
                    && let TypeKind::Named(name, _) = program.types.kind(ty.id)
                    && runs_method(program, name.trim_start_matches("std::"), items, position)
                {
                    return None;
                }
                let record = lists::object_type(program, calls, parent)
                    .and_then(|ty| program.types.as_record(ty.id));
                let is_copy = record.is_some_and(|own| lists::is_copy(program, own, items));
                let fills = lists::item_type(program, calls, parent, position);
                (!is_copy && !fills.is_some_and(known))
                    .then_some("it is put into an object that is not followed")
            }
            // The object that it makes.
            ExprKind::New { of, lengths: 0, is_placed: false, .. } if matches!(program.expr(expr).kind, ExprKind::Construct { of: made, .. } if made == *of) => {
                None
            }
            ExprKind::New { .. }
            | ExprKind::Lambda { .. }
            | ExprKind::Opaque(_)
            | ExprKind::OffsetOf(_)
            | ExprKind::SizeOfType { .. }
            | ExprKind::Integer(_)
            | ExprKind::Literal
            | ExprKind::Null
            | ExprKind::This
            | ExprKind::Name(_) => Some("this construct is not modelled"),
        },
    }
}

/// Whether a variable, member or item is a pointer to a function of the program: none of the program's is made by a cast, as
/// one that a loader gives would be.
fn is_pointer_to_function(program: &Program, callee: ExprId) -> bool {
    let is_function = |ty: QualType| program.types.is_function(ty);
    let callee = program.strip_parens(callee);
    let is_object = matches!(
        program.expr(callee).kind,
        ExprKind::Name(NameRef::Variable(_))
            | ExprKind::Member { field: Some(_), .. }
            | ExprKind::Index { .. }
    );
    let is_cast = |expr: &layoutc_syntax::Expr| matches!(expr.kind, ExprKind::Cast { target, .. } if is_function(target));
    is_object && is_function(program.expr(callee).ty) && !program.exprs.iter().any(is_cast)
}

/// Whether an initializer list fills the fields of a record one by one: without brace elision.
pub(super) fn fills_fields(program: &Program, record: RecordId, items: &[ExprId]) -> bool {
    fills_fields_with(program, record, items, |_| false)
}

/// The same, where some items are known to be of their field's type.
pub(super) fn fills_fields_with(
    program: &Program,
    record: RecordId,
    items: &[ExprId],
    is_whole: impl Fn(usize) -> bool,
) -> bool {
    let record = program.record(record);
    // The items of a base class have braces of their own, or none.
    record.bases.is_empty()
        && items.len() <= record.fields.len()
        && record.fields.iter().zip(items).enumerate().all(|(at, (field, item))| {
            let given = program.types.strip_reference(program.expr(*item).ty);
            let is_of_type = |field: &FieldId| given.id == program.field(*field).ty.id;
            let may_take_several = match program.types.kind(program.field(*field).ty.id) {
                TypeKind::Array(..) => true,
                // An object of the member's type fills it.
                TypeKind::Record(own) => !lists::is_copy(program, *own, &[*item]),
                // Behind the last item there is nothing to fill.
                TypeKind::Named(name, _) => {
                    !is_of_type(field) && !lists::takes_one_item(name) && at + 1 < items.len()
                }
                TypeKind::Opaque(_) => !is_of_type(field) && at + 1 < items.len(),
                TypeKind::Unknown | TypeKind::TemplateParameter(_) => at + 1 < items.len(),
                TypeKind::Void
                | TypeKind::Scalar(_)
                | TypeKind::Vector(_)
                | TypeKind::Enum(..)
                | TypeKind::Pointer(_)
                | TypeKind::Reference(..)
                | TypeKind::Function => false,
            };
            !may_take_several
                || is_whole(at)
                || matches!(program.expr(*item).kind, ExprKind::InitList(_))
        })
}

/// Whether an object, or what a plain pointer leads to, is of a class of the library, which has no member of the program.
fn is_of_library(program: &Program, object: ExprId, is_pointer: bool) -> bool {
    let mut ty = program.types.strip_reference(program.expr(object).ty);
    if is_pointer {
        let TypeKind::Pointer(to) = *program.types.kind(ty.id) else { return false };
        ty = to;
    }
    matches!(program.types.kind(ty.id), TypeKind::Named(name, _) if program.is_library_class(name))
}

/// Whether an object is a vector, or what CUDA calls the indices of threads and blocks: it has no member
/// of the program.
fn is_built_in(program: &Program, object: ExprId) -> bool {
    let id = program.strip_parens(object);
    match program.types.kind(program.expr(id).ty.id) {
        TypeKind::Vector(_) | TypeKind::Opaque(_) => true,
        TypeKind::Named(name, _) => matches!(name.as_str(), "dim3" | "uint3"),
        TypeKind::Unknown => vector(program, id).is_some(),
        TypeKind::Void
        | TypeKind::Scalar(_)
        | TypeKind::Record(_)
        | TypeKind::Enum(..)
        | TypeKind::Pointer(_)
        | TypeKind::Reference(..)
        | TypeKind::Array(..)
        | TypeKind::Function
        | TypeKind::TemplateParameter(_) => false,
    }
}

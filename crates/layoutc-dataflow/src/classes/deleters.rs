//! What owners of the standard library do with the memory of an array at its end.
//!
//! In the text that the model has for `std::unique_ptr` and `std::shared_ptr`, a deleter is given the address of the array's first
//! byte (`base_`), and not its elements. *Claim:* the deleter does nothing with what it is given but to free it, or to ask whether it is
//! null. Of any other, the array stays.

use super::calls::{CallGraph, Callee, Context};
use super::slots::Slot;
use super::{ClassId, Classes, Pin};
use crate::catalogue::{self, Effect};
use layoutc_diagnostics::{Code, Span};
use layoutc_syntax::{
    BinaryOp, ExprId, ExprKind, FunctionId, NameRef, Program, QualType, RecordId, RecordTrait,
    StmtId, TemplateArgument, TypeKind, UnaryOp, VarId,
};
use std::collections::BTreeMap;

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
        if let [_, TemplateArgument::Type(deleter)] = instance.arguments[..]
            && !deleters.type_frees_only(deleter)
        {
            let named = program.types.as_record(deleter.id).map(|own| program.record(own).name_span);
            found.push(refuse(*class, named.unwrap_or(record.name_span)));
        }
    }
    for id in program.expr_ids() {
        let (owner, deleter) = match &program.expr(id).kind {
            ExprKind::Deref(base) | ExprKind::Member { base, arrow: true, .. } => {
                let ty = program.types.strip_reference(program.expr(*base).ty);
                let owner = program.types.as_record(ty.id);
                if let Some(class) = owner.and_then(|owner| held.get(&owner)) {
                    let message = "an owner gives a reference to the first element".to_owned();
                    let (code, span) = (Code::ELEMENT_EXPRESSION, program.expr(id).span);
                    found.push((*class, Pin { span, code, message, related: Vec::new() }));
                }
                continue;
            }
            ExprKind::Construct { of, arguments } => {
                let [_, deleter] = arguments[..] else { continue };
                (program.types.as_record(of.id), deleter)
            }
            ExprKind::InitList(items) => {
                let [_, deleter] = items[..] else { continue };
                let made = super::lists::object_type(program, calls, id);
                (made.and_then(|of| program.types.as_record(of.id)), deleter)
            }
            ExprKind::Call { callee, arguments, .. } => {
                let [_, deleter] = arguments[..] else { continue };
                match calls.callee(program, *callee, arguments) {
                    Callee::Function(function) => (program.function(function).record, deleter),
                    Callee::Library(_) | Callee::Ambiguous(_) | Callee::Unknown => continue,
                }
            }
            _ => continue,
        };
        let Some(class) = owner.and_then(|owner| held.get(&owner)) else { continue };
        // The text of the owner itself hands on what it was given.
        let is_own = program.is_model_text(program.expr(id).span.file);
        if !is_own && !deleters.frees_only(deleter) {
            found.push(refuse(*class, program.expr(deleter).span));
        }
    }
    for (class, pin) in found {
        classes.classes[class.index()].pins.push(pin);
    }
}

/// What deleters do.
struct Deleters<'a> {
    program: &'a Program,
    calls: &'a CallGraph,
    /// Where the program names each variable.
    uses: BTreeMap<VarId, Vec<ExprId>>,
}

impl<'a> Deleters<'a> {
    fn new(program: &'a Program, calls: &'a CallGraph) -> Self {
        let mut uses: BTreeMap<VarId, Vec<ExprId>> = BTreeMap::new();
        for id in program.expr_ids() {
            if let ExprKind::Name(NameRef::Variable(variable)) = program.expr(id).kind {
                uses.entry(variable).or_default().push(id);
            }
        }
        Deleters { program, calls, uses }
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
            _ => self.type_frees_only(program.types.strip_reference(program.expr(deleter).ty)),
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
                        return matches!(program.expr(other).kind, ExprKind::Null | ExprKind::Integer(_));
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

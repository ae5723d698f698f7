//! `const` of members, where somebody can tell.
//!
//! The memory that a rewritten access names may not be constant where the source's is: handles hold pointers to memory that
//! changes, and a pointer to constant elements is rewritten as what it points into. *Claim:* wherever the constness of a member
//! can choose a function or become part of a type, the access has the constness that it had.

use super::Rewriter;
use layoutc_dataflow::classes::{Callee, ClassId, PlaceKind, operator_operands, resolve_callee};
use layoutc_diagnostics::Code;
use layoutc_syntax::preprocess::tokens;
use layoutc_syntax::{ExprId, ExprKind, FunctionId, QualType, TypeKind, VarId};
use std::collections::BTreeSet;

impl Rewriter<'_> {
    /// The text of an access to a member, with a cast to what is constant where the source's member is and that can be told.
    pub(super) fn with_const(&mut self, expr: ExprId, class: ClassId, text: String) -> String {
        let ty = self.program.expr(expr).ty;
        let is_opencl = self.storage(class).is_none_or(|storage| storage.is_opencl);
        if is_opencl || !ty.is_const || !self.tells_const(expr) {
            return text;
        }
        let spelled = self.program.spelling(QualType { is_const: false, ..ty });
        let spelled =
            spelled.filter(|name| self.macros.home.is_none() && !self.may_be_hidden(name));
        match spelled {
            Some(spelled) => format!("const_cast<const {spelled} &>({text})"),
            None => {
                let span = self.program.expr(expr).span;
                let message =
                    "which function is called, or which type is deduced, depends on `const` here";
                self.refuse(class, Code::FIELD_ADDRESS, span, message);
                text
            }
        }
    }

    /// Whether a local variable or a template parameter could hide a word of a type's name.
    fn may_be_hidden(&self, spelled: &str) -> bool {
        let program = self.program;
        let words: BTreeSet<&str> =
            tokens(spelled).into_iter().map(|token| token.text(spelled)).collect();
        let mut locals = program.variables.iter().filter(|own| own.function.is_some());
        let mut parameters = program.functions.iter().flat_map(|own| &own.template_parameters);
        locals.any(|own| words.contains(own.name.as_str()))
            || parameters.any(|name| words.contains(name.as_str()))
    }

    /// Whether something around an object depends on whether that is constant.
    fn tells_const(&self, object: ExprId) -> bool {
        let program = self.program;
        let mut at = object;
        let mut is_address = false;
        loop {
            let Some((parent, position)) = self.parents.of(at) else {
                // Types that are written out do not depend on it.
                return self.inits.get(&at).map_or(is_address, |variable| {
                    let own = program.variable(*variable);
                    own.is_auto && (is_address || self.is_reference(*variable))
                });
            };
            let index = position.wrapping_sub(1);
            match &program.expr(parent).kind {
                ExprKind::Paren(_) | ExprKind::Comma(..) => {}
                ExprKind::Conditional(..) if position > 0 => {}
                ExprKind::AddressOf(_) => is_address = true,
                ExprKind::Call { callee, arguments, .. } if position > 0 => {
                    return match resolve_callee(program, *callee, arguments) {
                        Callee::Function(function) => {
                            self.has_version_for_others(function, index, is_address)
                        }
                        Callee::Ambiguous(functions) => functions
                            .iter()
                            .any(|own| self.has_version_for_others(*own, index, is_address)),
                        // Of the runtime and the library, those for others give back no other value.
                        Callee::Library(_) => false,
                        Callee::Unknown => true,
                    };
                }
                ExprKind::Member { field: None, methods, .. } => {
                    let has = |is_const: bool| {
                        methods.iter().any(|own| program.function(*own).is_const == is_const)
                    };
                    return has(true) && has(false);
                }
                ExprKind::Construct { of, .. } => {
                    let Some(record) = program.types.as_record(of.id) else { return is_address };
                    let own = program.record(record);
                    let mut constructors = (own.methods.iter())
                        .filter(|method| program.function(**method).name == own.name);
                    return constructors
                        .any(|method| self.has_version_for_others(*method, position, is_address));
                }
                _ => {
                    if let Some((operator, _, operands)) = operator_operands(program, parent) {
                        let operand = operands.iter().position(|own| *own == at);
                        return operand
                            .is_none_or(|operand| self.has_operator_for_others(operator, operand));
                    }
                    match &program.expr(parent).kind {
                        // What is part of a constant object is constant.
                        ExprKind::Member { field: Some(_), .. } => {}
                        ExprKind::Index { .. } if position == 0 => {}
                        _ => return false,
                    }
                }
            }
            at = parent;
        }
    }

    /// Whether a function of this name takes an object, or its address, that is not constant, or deduces that.
    fn has_version_for_others(&self, function: FunctionId, index: usize, is_address: bool) -> bool {
        let program = self.program;
        let own = program.function(function);
        let takes_others =
            |parameter: &VarId| match *program.types.kind(program.variable(*parameter).ty.id) {
                TypeKind::Pointer(to) | TypeKind::Reference(to, _) => !to.is_const,
                TypeKind::TemplateParameter(_) | TypeKind::Unknown => is_address,
                _ => false,
            };
        program.functions.iter().any(|other| {
            other.name == own.name
                && other.record == own.record
                && other.parameters.get(index).is_some_and(takes_others)
        })
    }

    /// The class of an aligned element that a template takes by value or reference, if it can tell that the type is another one:
    /// it takes sizes, or a function of the same name is no template.
    pub(super) fn deduced_record(&self, expr: ExprId) -> Option<ClassId> {
        let program = self.program;
        let (class, kind) = self.classes.place(expr)?;
        self.storage(class).filter(|own| own.is_record && *kind == PlaceKind::Element)?;
        let (parent, position) = self.parents.of(self.outermost(expr))?;
        let ExprKind::Call { callee, arguments, .. } = &program.expr(parent).kind else {
            return None;
        };
        let index = position.checked_sub(1)?;
        let Callee::Function(function) = resolve_callee(program, *callee, arguments) else {
            return None;
        };
        let own = program.function(function);
        let is_deduced = |parameter: &VarId| {
            let ty = program.types.strip_reference(program.variable(*parameter).ty);
            matches!(program.types.kind(ty.id), TypeKind::TemplateParameter(_))
        };
        let takes_it =
            |id: &FunctionId| program.function(*id).parameters.get(index).is_some_and(is_deduced);
        let takes_sizes = |id: &FunctionId| {
            program.function_parts(*id).exprs.iter().any(|own| {
                matches!(
                    program.expr(*own).kind,
                    ExprKind::SizeOfExpr(_) | ExprKind::SizeOfType { .. }
                )
            })
        };
        // Instances are what templates of the name are written out as.
        let is_alike = |id: &FunctionId| {
            let other = program.function(*id);
            other.name == own.name && other.copy_of.is_none()
        };
        let alike: Vec<FunctionId> = program.function_ids().filter(is_alike).collect();
        let is_told = !alike.iter().all(takes_it) || alike.iter().any(takes_sizes);
        (alike.iter().any(takes_it) && is_told).then_some(class)
    }

    /// The class of a pointer that an instance with written arguments takes as one to constant elements, which it is not: the
    /// template itself would fit better.
    pub(super) fn constant_instance(&self, name: ExprId, function: FunctionId) -> Option<ClassId> {
        let program = self.program;
        let (call, 0) = self.parents.of(self.outermost(name))? else { return None };
        let ExprKind::Call { arguments, .. } = &program.expr(call).kind else { return None };
        let is_const = |ty: QualType| program.types.pointee(ty.id).map(|to| to.is_const);
        let parameters = &program.function(function).parameters;
        arguments.iter().zip(parameters).find_map(|(argument, parameter)| {
            let (class, _) = self.classes.value(*argument)?;
            self.storage(class).filter(|storage| !storage.is_handle)?;
            let [given, taken] = [program.expr(*argument).ty, program.variable(*parameter).ty];
            (is_const(given) == Some(false) && is_const(taken) == Some(true)).then_some(class)
        })
    }

    /// The same of an operator and one of its operands, of which the object may be the first.
    fn has_operator_for_others(&self, operator: FunctionId, operand: usize) -> bool {
        let own = self.program.function(operator);
        match (own.record, operand) {
            (Some(record), 0) => self.program.record(record).methods.iter().any(|method| {
                let other = self.program.function(*method);
                other.name == own.name && !other.is_const
            }),
            (Some(_), _) => self.has_version_for_others(operator, operand - 1, false),
            (None, _) => self.has_version_for_others(operator, operand, false),
        }
    }
}

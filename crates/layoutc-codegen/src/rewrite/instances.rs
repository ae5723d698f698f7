//! What the text of a template means in the template alone, and what functions may call.

use super::Rewriter;
use super::dependent_text::has_inner_base;
use super::heads::says_constexpr;
use super::order::FileOrder;
use layoutc_dataflow::catalogue::{builtins, intrinsics};
use layoutc_dataflow::classes::{Callee, ClassId, resolve_callee};
use layoutc_diagnostics::{Code, Span};
use layoutc_syntax::preprocess::{TokenKind, tokens};
use layoutc_syntax::{
    ExecutionSpace, ExprId, ExprKind, Function, FunctionId, NameRef, Program, Space, Storage,
    TypeKind,
};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The expressions of functions that may not call every function.
pub(super) struct Strict {
    /// Those of functions for host and device.
    both: BTreeSet<ExprId>,
    /// Those of `constexpr` functions.
    constant: BTreeSet<ExprId>,
}

impl Strict {
    pub(super) fn new(program: &Program) -> Self {
        let exprs = |is_one: &dyn Fn(FunctionId) -> bool| -> BTreeSet<ExprId> {
            let own = program.function_ids().filter(|id| is_one(*id));
            own.flat_map(|id| program.function_parts(id).exprs).collect()
        };
        let is_both = |id: FunctionId| program.function(id).space == ExecutionSpace::HostDevice;
        let is_constant = |id: FunctionId| {
            program.function(id).sites.iter().any(|site| says_constexpr(program, id, site))
        };
        Strict { both: exprs(&is_both), constant: exprs(&is_constant) }
    }
}

impl Rewriter<'_> {
    /// Notes that an expression loads or stores a whole element by a generated function.
    pub(super) fn note_whole(&mut self, class: ClassId, expr: ExprId) {
        let strict = self.strict.get_or_init(|| Strict::new(self.program));
        let (is_for_both, is_constant) =
            (strict.both.contains(&expr), strict.constant.contains(&expr));
        self.needs(class).on_host |= is_for_both;
        if is_constant {
            let message = "a `constexpr` function would call a generated function, which is not";
            self.refuse(class, Code::FUNCTION_VERSION, self.program.expr(expr).span, message);
        }
    }

    /// What a version of a function, or an instance of a template that is a function of its own, would do otherwise; `whole` is
    /// the text of the definition.
    pub(super) fn instance_obstacle(
        &self,
        id: FunctionId,
        whole: Span,
        order: &FileOrder,
    ) -> Option<(Span, Cow<'static, str>)> {
        let program = self.program;
        let function = program.function(id);
        let copy_of = function.copy_of.as_ref()?;
        let parts = program.function_parts(id);
        let own_static = parts.variables.iter().map(|id| program.variable(*id)).find(|variable| {
            variable.storage == Storage::Static
                && variable.function.is_some()
                && variable.space != Space::Shared
        });
        if let Some(variable) = own_static {
            let message = "each version of this function would have a static variable of its own";
            return Some((variable.site.name, message.into()));
        }
        if !copy_of.is_instance() {
            return None;
        }
        if has_inner_base(program, whole) {
            let message = "a class in this template has a base, which may depend on a parameter";
            return Some((function.sites.first()?.name, message.into()));
        }
        if !copy_of.aliases.is_empty()
            && let Some(branch) = discarding_branch(program, whole)
        {
            let message =
                "both branches of this would be compiled in a version that is no template";
            return Some((branch, message.into()));
        }
        if let Some(call) = self.device_callee(id) {
            let message = "a template for host and device may call a function for the device alone, and its version may not";
            return Some((call, message.into()));
        }
        if let Some(operator) = self.late_operator(id, whole, order) {
            let message = "this template uses an operator, and one is declared behind it";
            return Some((operator, message.into()));
        }
        if let Some(name) = self.uses_late(order, whole) {
            let message = format!(
                "`{name}`, which this template may use, is defined or specialised behind it"
            );
            return Some((function.sites.first()?.name, message.into()));
        }
        if let Some(call) = self.explicit_call(id) {
            let message = "a function of this name that is no template could be called instead of the instance";
            return Some((call, message.into()));
        }
        self.hidden_argument(id).map(|span| {
            (span, "an argument of this instance has the name of something else there".into())
        })
    }

    /// A call of a function for the device alone in an instance for host and device: it is allowed in a template.
    pub(super) fn device_callee(&self, id: FunctionId) -> Option<Span> {
        let program = self.program;
        if program.function(id).space != ExecutionSpace::HostDevice {
            return None;
        }
        let is_device = |id: FunctionId| {
            matches!(program.function(id).space, ExecutionSpace::Device | ExecutionSpace::Kernel)
        };
        let mut calls = program.function_parts(id).exprs.into_iter().filter(|expr| {
            let operator = program.operators.get(expr).copied();
            let called = match &program.expr(*expr).kind {
                ExprKind::Call { callee, arguments, .. } => {
                    match resolve_callee(program, *callee, arguments) {
                        Callee::Function(function) => vec![function],
                        Callee::Ambiguous(candidates) => candidates,
                        Callee::Library(name) => {
                            return intrinsics::may_be_for_device_alone(&name);
                        }
                        Callee::Unknown => Vec::new(),
                    }
                }
                _ => Vec::new(),
            };
            called.into_iter().chain(operator).any(is_device)
        });
        calls.next().map(|expr| program.expr(expr).span)
    }

    /// Whether operators of an expression may be functions: it is neither a number nor a pointer.
    fn may_have_operators(&self, expr: ExprId) -> bool {
        let program = self.program;
        let own = program.expr(expr);
        match (program.types.kind(program.types.strip_reference(own.ty).id), &own.kind) {
            (TypeKind::Scalar(_) | TypeKind::Pointer(_) | TypeKind::Array(..), _) => false,
            // Beside a pointer it is compared as one; another operand is asked itself.
            (_, ExprKind::Null) => false,
            // `blockIdx.x * blockDim.x`
            (TypeKind::Unknown, ExprKind::Paren(inner)) => self.may_have_operators(*inner),
            (TypeKind::Unknown, ExprKind::Binary(_, left, right)) => {
                self.may_have_operators(*left) || self.may_have_operators(*right)
            }
            (TypeKind::Unknown, _) => builtins::builtin_of(program, expr).is_none(),
            _ => true,
        }
    }

    /// An operator in an instance that may be a function, where one is declared behind the template: the template finds
    /// that, too.
    pub(super) fn late_operator(
        &self,
        id: FunctionId,
        template: Span,
        order: &FileOrder,
    ) -> Option<Span> {
        let program = self.program;
        let is_late = |function: &Function| {
            let mut sites = function.sites.iter().map(|site| site.template.unwrap_or(site.span));
            function.name.starts_with("operator")
                && function.record.is_none()
                && sites.clone().any(|site| order.is_behind(site, template))
                && !sites.any(|site| order.obstacle(template.at_start(), site).is_none())
        };
        if !program.functions.iter().any(is_late) {
            return None;
        }
        let uses = |expr: &ExprId| match &program.expr(*expr).kind {
            ExprKind::Binary(_, left, right) | ExprKind::Assign(Some(_), left, right) => {
                self.may_have_operators(*left) || self.may_have_operators(*right)
            }
            ExprKind::Unary(_, operand) => self.may_have_operators(*operand),
            _ => program.operators.contains_key(expr),
        };
        let found = program.function_parts(id).exprs.into_iter().find(uses)?;
        Some(program.expr(found).span)
    }

    /// Whether a member function is named other than by a call of it: what gives its address or asks for its type is not
    /// followed.
    pub(super) fn is_named_otherwise(&self, id: FunctionId) -> bool {
        let program = self.program;
        if program.identifiers.contains("declval") {
            return true;
        }
        let scoped = format!("::{}", program.function(id).name);
        let files = program.files.iter().filter(|file| file.foreign.is_none());
        files.map(|file| program.sources.file(file.id).text()).any(|text| {
            text.match_indices(&scoped).any(|(at, _)| {
                let rest = &text[at + scoped.len()..];
                let goes_on = rest.starts_with(|sign: char| sign.is_alphanumeric() || sign == '_');
                !goes_on && !rest.trim_start().starts_with('(')
            })
        })
    }

    /// A call that gives an instance's template its arguments, where a function of the name is no template: it is none
    /// that such a call means.
    fn explicit_call(&self, id: FunctionId) -> Option<Span> {
        let program = self.program;
        let own = program.function(id);
        let is_plain = |other: &Function| {
            other.name == own.name
                && other.copy_of.is_none()
                && other.template_parameters.is_empty()
                && other.record == own.record
        };
        if !program.functions.iter().any(is_plain) {
            return None;
        }
        let calls = program.expr_ids().filter(|expr| {
            matches!(&program.expr(*expr).kind, ExprKind::Name(NameRef::Functions(named)) if named.contains(&id))
        });
        calls.map(|expr| program.expr(expr).span).find(|span| program.text(*span).contains('<'))
    }

    /// The name of a function of whose type arguments one is named like something else that is seen there.
    fn hidden_argument(&self, id: FunctionId) -> Option<Span> {
        let program = self.program;
        let function = program.function(id);
        let copy_of = function.copy_of.as_ref()?;
        let site = function.sites.first()?;
        let around = program.declaration_of(&site.result).map(|own| own.namespaces.as_slice());
        let around = around
            .or_else(|| function.record.map(|id| program.record(id).namespaces.as_slice()))
            .unwrap_or_default();
        let locals = program.function_parts(id).variables;
        let is_own = |name: &str| {
            locals.iter().chain(&function.parameters).any(|id| program.variable(*id).name == name)
                || program
                    .records
                    .iter()
                    .filter(|own| own.body.is_some_and(|body| body.contains(site.span)))
                    .any(|own| {
                        own.fields.iter().any(|id| program.field(*id).name == name)
                            || own.scope.contains_key(name)
                            || own
                                .methods
                                .iter()
                                .any(|id| program.function(*id).name == name && own.name != name)
                    })
        };
        let is_hidden = copy_of.aliases.iter().any(|(_, spelled)| {
            tokens(spelled).iter().filter(|token| token.kind == TokenKind::Identifier).any(
                |token| {
                    let name = token.text(spelled);
                    is_own(name) || has_namesake(program, name, around)
                },
            )
        });
        is_hidden.then_some(site.name)
    }
}

/// Whether the name of a type that is seen from some namespaces may mean something else there: another type in a namespace
/// around, or anything that hides types.
pub(super) fn has_namesake(program: &Program, name: &str, around: &[String]) -> bool {
    let records = || program.records.iter().filter(|own| own.name == name && !own.is_local);
    let is_nearer = records().any(|own| {
        !own.namespaces.is_empty()
            && around.starts_with(&own.namespaces)
            && records().any(|other| other.namespaces != own.namespaces)
    });
    let is_function =
        || program.functions.iter().any(|other| other.record.is_none() && other.name == name);
    let is_variable = || {
        program.variables.iter().any(|other| {
            other.function.is_none()
                && other.record.is_none()
                && other.name == name
                && other.storage == Storage::Static
        })
    };
    // Where the type is one of a namespace further out.
    let is_outer = records().any(|own| own.namespaces != around);
    let is_alias = || {
        program.aliases.iter().any(|(alias, ty, _)| {
            let of = program.as_record(ty.id).map(|id| program.record(id));
            alias == name && of.is_none_or(|of| of.name != name)
        })
    };
    is_nearer
        || is_inner_namespace(program, name)
        || is_function()
        || is_variable()
        || (is_outer && (is_alias() || is_in_an_enumeration(program, name)))
}

/// Whether a namespace inside of another one has the name.
pub(super) fn is_inner_namespace(program: &Program, name: &str) -> bool {
    let records = program.records.iter().map(|own| &own.namespaces);
    let all = records.chain(program.declarations.iter().map(|own| &own.namespaces));
    all.into_iter().any(|own| own.iter().skip(1).any(|inner| inner == name))
}

/// Whether an enumeration has a name or an enumerator of this spelling.
fn is_in_an_enumeration(program: &Program, name: &str) -> bool {
    let files = program.files.iter().filter(|file| file.foreign.is_none());
    files.map(|file| program.sources.file(file.id).text()).any(|text| {
        let all = tokens(text);
        let word = |at: usize| all.get(at).map_or("", |token| token.text(text));
        let starts = (0..all.len()).filter(|at| word(*at) == "enum");
        starts.into_iter().any(|start| {
            (start..all.len())
                .take_while(|at| !matches!(word(*at), "}" | ";"))
                .any(|at| word(at) == name)
        })
    })
}

/// An `if constexpr` in a text, or in a macro that it uses.
pub(super) fn discarding_branch(program: &Program, text: Span) -> Option<Span> {
    let source = program.sources.text(text);
    let at = |offset: u32| text.start + offset;
    let is_macro = |word: &str| {
        program.macros.iter().any(|def| {
            def.name == word && def.body_identifiers.iter().any(|word| word == "constexpr")
        })
    };
    let all: Vec<_> = tokens(source).into_iter().collect();
    let mut before = "";
    for token in &all {
        let word = token.text(source);
        if (before == "if" && word == "constexpr")
            || (token.kind == TokenKind::Identifier && is_macro(word))
        {
            return Some(Span { start: at(token.start), end: at(token.end), ..text });
        }
        before = word;
    }
    None
}

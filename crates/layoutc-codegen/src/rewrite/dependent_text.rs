//! Text of a class template whose meaning hangs on its parameters in ways that the model does not see.
//!
//! In a template, a member function that is never used is not compiled, and what an operator means is looked up where the
//! instance is made. Written out for one instance, all of it is compiled, and means what is declared in front of it. The model
//! knows what is typed as a parameter; it does not know items of `std::vector<T>`, traits and assertions.

use super::Rewriter;
use super::instances::discarding_branch;
use layoutc_dataflow::classes::{Callee, resolve_callee};
use layoutc_diagnostics::Span;
use layoutc_syntax::preprocess::tokens;
use layoutc_syntax::{
    ExprId, ExprKind, FieldId, FunctionId, FunctionParts, NameRef, Program, RecordId, RecordTrait,
    StmtKind, TemplateArgument, TypeId, TypeKind, VarId,
};
use std::collections::BTreeSet;

/// Member functions of containers that mean the same whatever the items are.
const OF_ANY_ITEMS: [&str; 6] = ["size", "empty", "clear", "reserve", "resize", "capacity"];
/// Through how many calls a container is followed.
const NESTING: usize = 4;
/// Words that ask about types where a function is compiled.
const ASKING: [&str; 5] = ["static_assert", "decltype", "requires", "typeid", "constexpr"];

impl Rewriter<'_> {
    /// The member functions of an instance that nothing names: in the template they are not instantiated.
    fn unused_methods(&self, record: RecordId) -> Vec<FunctionId> {
        let program = self.program;
        let left_out = program.record(record).instance.as_ref().map(|own| &own.unused);
        let is_unused = |method: &FunctionId| {
            if left_out.is_some_and(|left_out| left_out.contains(method)) {
                return false;
            }
            let function = program.function(*method);
            let is_special =
                function.name.starts_with('~') || function.name == program.record(record).name;
            !is_special
                && !program.exprs.iter().any(|expr| match &expr.kind {
                    ExprKind::Member { methods, .. } => methods.contains(method),
                    ExprKind::Name(NameRef::Functions(functions)) => functions.contains(method),
                    _ => false,
                })
                && !program.operators.values().any(|other| other == method)
        };
        program.record(record).methods.iter().copied().filter(is_unused).collect()
    }

    /// Whether a member function that is never called may not compile for this instance: in the
    /// template it is not instantiated, written out it is compiled.
    pub(super) fn is_invalid_unused(&self, record: RecordId) -> bool {
        self.unused_methods(record).into_iter().any(|method| self.may_be_invalid(method))
    }

    /// Whether a function of an instance may do something with records that these do not have.
    fn may_be_invalid(&self, method: FunctionId) -> bool {
        let program = self.program;
        let types = &program.types;
        let is_record = |expr: ExprId| types.as_record(program.expr(expr).ty.id).is_some();
        let is_scalar = |expr: ExprId| types.as_scalar(program.expr(expr).ty.id).is_some();
        let parts = program.function_parts(method);
        let result = program.function(method).result;
        let returns_record = types.as_record(result.id).is_some();
        let returned = parts.stmts.iter().any(|stmt| {
            matches!(program.stmt(*stmt).kind,
                StmtKind::Return(Some(value))
                    if returns_record && !is_record(value))
        });
        let initialized = parts.variables.iter().any(|id| {
            let variable = program.variable(*id);
            types.as_record(variable.ty.id).is_some() && variable.init.is_some_and(is_scalar)
        });
        let used = parts.exprs.iter().any(|id| match &program.expr(*id).kind {
            ExprKind::Binary(_, left, right) | ExprKind::Assign(Some(_), left, right) => {
                (is_record(*left) || is_record(*right)) && !program.operators.contains_key(id)
            }
            ExprKind::Assign(None, left, right) => is_record(*left) && is_scalar(*right),
            ExprKind::Unary(_, operand) => {
                is_record(*operand) && !program.operators.contains_key(id)
            }
            ExprKind::Cast { operand, target, .. } => {
                is_record(*operand) != types.as_record(target.id).is_some()
                    && (is_record(*operand) || is_scalar(*operand))
            }
            ExprKind::Call { callee, arguments, .. } => {
                !matches!(resolve_callee(program, *callee, arguments), Callee::Function(_))
                    && arguments.iter().any(|argument| is_record(*argument))
            }
            ExprKind::Member { base, field: None, methods, .. } => {
                methods.is_empty() && is_record(*base)
            }
            ExprKind::Construct { of, arguments } => {
                types.as_record(of.id).is_some() && arguments.iter().any(|one| is_scalar(*one))
            }
            ExprKind::Conditional(condition, ..) => is_record(*condition),
            _ => false,
        });
        returned || initialized || used
    }

    /// Whether the text of an instance may mean something else, or nothing, where it is written out.
    pub(super) fn has_dependent_text(&self, record: RecordId, methods: &[FunctionId]) -> bool {
        let program = self.program;
        let own = program.record(record);
        let Some(instance) = &own.instance else { return true };
        let Some((names, _)) = &instance.definition else { return true };
        let is_type = |at: usize| {
            matches!(instance.arguments.get(at), Some(TemplateArgument::Type(_)) | None)
        };
        let names = names.iter().enumerate().filter(|(at, _)| is_type(*at));
        let mut names: BTreeSet<&str> = names.map(|(_, name)| name.as_str()).collect();
        let bodies: Vec<Span> = own
            .methods
            .iter()
            .chain(methods)
            .filter(|id| !instance.unused.contains(id))
            .flat_map(|id| program.function(*id).sites.iter().map(|site| site.span))
            .collect();
        let spans: BTreeSet<Span> =
            self.written_parts(record).into_iter().chain(bodies.iter().copied()).collect();
        // With `const` elements a member that is never used may do what only others can.
        let is_constant = own
            .instance
            .iter()
            .flat_map(|own| &own.arguments)
            .any(|argument| matches!(argument, TemplateArgument::Type(ty) if ty.is_const));
        if is_constant && self.unused_methods(record).iter().any(|id| self.may_write(*id)) {
            return true;
        }
        spans.iter().any(|span| has_open_mention(program, *span, &mut names))
            || spans.iter().any(|span| has_inner_base(program, *span))
            || bodies.iter().any(|span| asks_about_types(program, *span))
            || bodies.iter().any(|span| discarding_branch(program, *span).is_some())
            || own.methods.iter().chain(methods).any(|id| self.uses_items(record, *id))
            || self.unused_methods(record).iter().any(|id| self.may_not_fit(record, *id, NESTING))
    }

    /// Whether a function may do more than read and give back what it reads.
    fn may_write(&self, method: FunctionId) -> bool {
        let program = self.program;
        let parts = program.function_parts(method);
        let parameters = &program.function(method).parameters;
        let is_reference = |ty: layoutc_syntax::QualType| match *program.types.kind(ty.id) {
            TypeKind::Reference(to, _) | TypeKind::Pointer(to) => !to.is_const,
            _ => false,
        };
        is_reference(program.function(method).result)
            || parts.variables.iter().any(|id| !parameters.contains(id))
            || parts.exprs.iter().any(|id| match &program.expr(*id).kind {
                ExprKind::Assign(..)
                | ExprKind::Call { .. }
                | ExprKind::Launch { .. }
                | ExprKind::Construct { .. }
                | ExprKind::New { .. } => true,
                ExprKind::Unary(op, _) => op.is_update(),
                _ => false,
            })
    }

    /// Whether a member function that is never used may not compile for the instance: it calls an instance of another template,
    /// whose text may not fit, or makes elements from nothing, for which they may have no constructor.
    fn may_not_fit(&self, record: RecordId, method: FunctionId, depth: usize) -> bool {
        let program = self.program;
        let parts = program.function_parts(method);
        let is_instance = |function: FunctionId| {
            let own = program.function(function);
            if own.record.is_some_and(|other| program.is_modelled_owner(other)) {
                return false;
            }
            let is_of_template = |other: RecordId| program.record(other).instance.is_some();
            !own.template_parameters.is_empty()
                || own.copy_of.as_ref().is_some_and(|_| own.record.is_none())
                || own.record.is_some_and(|other| other != record && is_of_template(other))
        };
        let calls_instance = parts.exprs.iter().any(|id| match &program.expr(*id).kind {
            ExprKind::Call { callee, arguments, .. } => {
                match resolve_callee(program, *callee, arguments) {
                    Callee::Function(function) => {
                        is_instance(function) && !self.instance_fits(record, function, depth)
                    }
                    Callee::Ambiguous(several) => several.into_iter().any(is_instance),
                    Callee::Library(_) | Callee::Unknown => false,
                }
            }
            _ => false,
        });
        let arguments = program.record(record).instance.iter().flat_map(|own| &own.arguments);
        let is_made = arguments.into_iter().all(|argument| match argument {
            TemplateArgument::Type(ty) => is_default_constructible(program, ty.id, NESTING),
            TemplateArgument::Value(..) => true,
        });
        calls_instance || (!is_made && self.makes_items(&parts))
    }

    /// Whether the text of a function template names its parameters in ways that are not modelled.
    fn is_open_instance(&self, function: FunctionId) -> bool {
        let program = self.program;
        let own = program.function(function);
        let original = own.copy_of.as_ref().map_or(own, |copy| program.function(copy.original));
        let mut names: BTreeSet<&str> =
            original.template_parameters.iter().map(String::as_str).collect();
        own.sites.iter().any(|site| {
            has_open_mention(program, site.span, &mut names) || asks_about_types(program, site.span)
        })
    }

    /// Whether an instance of another template surely compiles.
    fn instance_fits(&self, record: RecordId, function: FunctionId, depth: usize) -> bool {
        let program = self.program;
        let Some(depth) = depth.checked_sub(1) else { return false };
        program.function(function).body.is_some()
            && !self.is_open_instance(function)
            && !self.may_be_invalid(function)
            && !self.uses_items(record, function)
            && !self.may_not_fit(record, function, depth)
    }

    /// Whether a function makes elements from nothing.
    fn makes_items(&self, parts: &FunctionParts) -> bool {
        let program = self.program;
        let holds = |mut ty: TypeId| {
            while let TypeKind::Array(of, _) = *program.types.kind(ty) {
                ty = of.id;
            }
            let is_library = matches!(program.types.kind(ty), TypeKind::Named(..));
            program.types.as_record(ty).is_some() || (is_library && holds_records(program, ty))
        };
        let parameters = |id: &VarId| {
            let function = program.variable(*id).function;
            function.is_some_and(|own| program.function(own).parameters.contains(id))
        };
        parts.variables.iter().any(|id| !parameters(id) && holds(program.variable(*id).ty.id))
            || parts.exprs.iter().any(|id| match &program.expr(*id).kind {
                ExprKind::New { .. } | ExprKind::Construct { .. } => true,
                ExprKind::Member { field: None, name, .. } => program.text(*name) == "resize",
                _ => false,
            })
    }

    /// Whether a member function does something with a container of what the parameters stand for that hangs on its items.
    fn uses_items(&self, record: RecordId, method: FunctionId) -> bool {
        let program = self.program;
        let parts = program.function_parts(method);
        let holds = |ty: TypeId| holds_records(program, ty);
        let variables: BTreeSet<VarId> = parts
            .variables
            .iter()
            .copied()
            .filter(|id| holds(program.variable(*id).ty.id))
            .collect();
        let fields: BTreeSet<FieldId> = program.record(record).fields.iter().copied().collect();
        let fields: BTreeSet<FieldId> =
            fields.into_iter().filter(|id| holds(program.field(*id).ty.id)).collect();
        let is_container = |id: &ExprId| match program.expr(*id).kind {
            ExprKind::Name(NameRef::Variable(variable)) => variables.contains(&variable),
            ExprKind::Member { field: Some(field), .. } => fields.contains(&field),
            _ => false,
        };
        // `std::vector<T> v(n, 1.0f)`, `T a[2] = {1, 2}`: what items are made of.
        let is_made_of_items = |id: &VarId| {
            let variable = program.variable(*id);
            let is_array = matches!(program.types.kind(variable.ty.id), TypeKind::Array(..));
            let items = match variable.init.map(|init| &program.expr(init).kind) {
                Some(ExprKind::InitList(items)) => items.len(),
                Some(ExprKind::Construct { arguments, .. }) => arguments.len().saturating_sub(1),
                _ => 0,
            };
            items > 0 && (is_array || variables.contains(id))
        };
        let mut mentions = parts.exprs.iter().filter(|id| is_container(id));
        parts.variables.iter().any(is_made_of_items)
            || mentions.any(|id| !self.is_for_any_items(*id, NESTING))
    }

    /// Whether a function of the program does with its parameter number `at` only what means the same whatever the items are.
    fn takes_any_items(&self, function: FunctionId, at: usize, depth: usize) -> bool {
        let program = self.program;
        let Some(depth) = depth.checked_sub(1) else { return false };
        let own = program.function(function);
        let Some(parameter) = own.parameters.get(at) else { return false };
        let parts = program.function_parts(function);
        let is_it = |id: &&ExprId| matches!(program.expr(**id).kind, ExprKind::Name(NameRef::Variable(own)) if own == *parameter);
        own.body.is_some()
            && !self.is_open_instance(function)
            && parts.exprs.iter().filter(is_it).all(|id| self.is_for_any_items(*id, depth))
    }

    /// Whether a mention of a container means the same whatever its items are: its size, the address of its items where that
    /// is handed on, or itself as a result.
    fn is_for_any_items(&self, container: ExprId, depth: usize) -> bool {
        let program = self.program;
        let outer = self.outermost(container);
        let Some((parent, position)) = self.parents.of(outer) else {
            return self.returned.contains_key(&outer);
        };
        match &program.expr(parent).kind {
            ExprKind::Member { field: None, name, .. } => {
                let called = self.parents.of(self.outermost(parent));
                let Some((call, 0)) = called else { return false };
                let ExprKind::Call { arguments, .. } = &program.expr(call).kind else {
                    return false;
                };
                match program.text(*name) {
                    "data" => self.is_handed_on(call),
                    // `&v.front()`
                    "front" => self.parents.of(self.outermost(call)).is_some_and(|(address, _)| {
                        matches!(program.expr(address).kind, ExprKind::AddressOf(_))
                            && self.is_handed_on(address)
                    }),
                    own => OF_ANY_ITEMS.contains(&own) && arguments.len() < 2,
                }
            }
            // `&v[0]`
            ExprKind::Index { .. } if position == 0 => {
                match self.parents.of(self.outermost(parent)) {
                    Some((address, _)) => {
                        matches!(program.expr(address).kind, ExprKind::AddressOf(_))
                            && self.is_handed_on(address)
                    }
                    None => false,
                }
            }
            ExprKind::Call { callee, arguments, .. } if position > 0 => {
                match resolve_callee(program, *callee, arguments) {
                    Callee::Function(function) => {
                        self.takes_any_items(function, position - 1, depth)
                    }
                    Callee::Library(_) | Callee::Ambiguous(_) | Callee::Unknown => false,
                }
            }
            _ => false,
        }
    }

    /// Whether an address is an argument of a call, as it is or some items further.
    fn is_handed_on(&self, address: ExprId) -> bool {
        let mut at = self.outermost(address);
        while let Some((parent, position)) = self.parents.of(at) {
            match &self.program.expr(parent).kind {
                ExprKind::Binary(..) | ExprKind::Cast { .. } => at = self.outermost(parent),
                ExprKind::Call { .. } => return position > 0,
                _ => return false,
            }
        }
        // From there on it is typed.
        self.inits.get(&at).is_some_and(|id| {
            let ty = self.program.variable(*id).ty;
            self.program
                .types
                .pointee(ty.id)
                .is_some_and(|to| self.program.types.as_record(to.id).is_some())
        })
    }
}

/// Whether a type of the library mentions a record of the program.
fn holds_records(program: &Program, ty: TypeId) -> bool {
    let ty = match *program.types.kind(ty) {
        TypeKind::Reference(to, _) | TypeKind::Pointer(to) | TypeKind::Array(to, _) => {
            return holds_records(program, to.id);
        }
        _ => ty,
    };
    let TypeKind::Named(_, mentioned) = program.types.kind(ty) else { return false };
    mentioned
        .iter()
        .any(|inner| program.types.as_record(*inner).is_some() || holds_records(program, *inner))
}

/// Whether objects of a type can surely be made from nothing.
fn is_default_constructible(program: &Program, ty: TypeId, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    match *program.types.kind(ty) {
        TypeKind::Array(of, _) => is_default_constructible(program, of.id, depth),
        TypeKind::Record(record) => {
            let own = program.record(record);
            let is_declared = own.has_defaulted
                || own.traits.iter().any(|(which, _)| *which == RecordTrait::Constructor);
            let takes_nothing = own.methods.iter().any(|id| {
                let function = program.function(*id);
                function.name == own.name
                    && function.required_parameters == 0
                    && function.body.is_some()
            });
            (!is_declared || takes_nothing)
                && own
                    .fields
                    .iter()
                    .all(|id| is_default_constructible(program, program.field(*id).ty.id, depth))
        }
        _ => true,
    }
}

/// Whether a text has a class inside of it with a base: a base that depends on a parameter is not searched for names, and
/// one that does not is.
pub(super) fn has_inner_base(program: &Program, span: Span) -> bool {
    let text = program.text(span);
    let all = tokens(text);
    let word = |at: usize| all.get(at).map_or("", |token| token.text(text));
    let opens = (0..all.len()).find(|at| word(*at) == "{").unwrap_or(all.len());
    (opens..all.len()).any(|at| {
        matches!(word(at), "struct" | "class")
            && (at + 1..all.len())
                .take_while(|next| !matches!(word(*next), "{" | ";" | ")" | ">" | "," | "="))
                .any(|next| word(next) == ":")
    })
}

/// Whether a text names a type parameter other than to declare what is typed as it, a pointer or reference to that, its size,
/// a vector of it, or an instance of one of the program's templates. What the text declares as another name of a parameter
/// is one, too.
fn has_open_mention<'p>(program: &'p Program, span: Span, names: &mut BTreeSet<&'p str>) -> bool {
    let text = program.text(span);
    let all = tokens(text);
    let word = |at: usize| all.get(at).map_or("", |token| token.text(text));
    let is_word = |word: &str| word.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let is_own_template = |name: &str| {
        program.records.iter().any(|own| {
            own.name == name
                || own.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('<'))
        }) || program.functions.iter().any(|own| own.name == name)
    };
    // `std::less<T>` is not a `less` of the program.
    let is_of_program = |at: usize| match (at.checked_sub(1).map(word), at.checked_sub(2).map(word))
    {
        (Some("::"), Some(scope)) => {
            program.records.iter().any(|own| own.namespaces.iter().any(|name| name == scope))
        }
        (Some("::"), None) => false,
        _ => true,
    };
    for at in 0..all.len() {
        if !names.contains(word(at)) {
            continue;
        }
        let mut before = at.checked_sub(1);
        while before.is_some_and(|before| matches!(word(before), "const" | "volatile")) {
            before = before.and_then(|before| before.checked_sub(1));
        }
        let before = before.map_or("", |before| word(before));
        let open = (0..at).rev().find(|before| !matches!(word(*before), "const" | "volatile"));
        let front = open.and_then(|open| open.checked_sub(1));
        let in_front = front.map_or("", word);
        let next = word(at + 1);
        let is_fine = match (before, next) {
            ("typename" | "class", next) => next != "::",
            (_, "*" | "&" | "&&" | "const") => true,
            ("(", ")") => in_front == "sizeof",
            ("<", ">" | "," | ">>") | (",", ">" | ",") => {
                before == ","
                    || in_front == "vector"
                    || program.class_aliases.contains(in_front)
                    || (is_own_template(in_front) && front.is_some_and(is_of_program))
            }
            ("new", "[") => true,
            // `using value_type = T;`
            ("=", ";") if at >= 3 && word(at - 3) == "using" => {
                names.insert(word(at - 2));
                true
            }
            ("typedef", own) if is_word(own) => {
                names.insert(own);
                true
            }
            (_, own) => is_word(own),
        };
        if !is_fine {
            return true;
        }
    }
    false
}

/// Whether the text of a function asks about types.
fn asks_about_types(program: &Program, span: Span) -> bool {
    let text = program.text(span);
    let all = tokens(text);
    let mut last = "";
    for (at, token) in all.iter().enumerate() {
        let own = token.text(text);
        let next = all.get(at + 1).map_or("", |token| token.text(text));
        // `constexpr` in front of a function asks nothing.
        let asks = ASKING.contains(&own) && (own != "constexpr" || last == "if");
        if asks || (own == "noexcept" && next == "(") {
            return true;
        }
        last = own;
    }
    false
}

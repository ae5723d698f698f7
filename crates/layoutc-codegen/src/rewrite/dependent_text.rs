//! Text of a class template whose meaning hangs on its parameters in ways that the model does not see.
//!
//! In a template, a member function that is never used is not compiled, and what an operator means is looked up where the
//! instance is made. Written out for one instance, all of it is compiled, and means what is declared in front of it. The model
//! knows what is typed as a parameter; it does not know items of `std::vector<T>`, traits and assertions.

use super::Rewriter;
use layoutc_dataflow::classes::{Callee, resolve_callee};
use layoutc_diagnostics::Span;
use layoutc_syntax::preprocess::tokens;
use layoutc_syntax::{
    ExprId, ExprKind, FieldId, FunctionId, NameRef, Program, RecordId, TemplateArgument, TypeId,
    TypeKind, VarId,
};
use std::collections::BTreeSet;

/// Member functions of containers that mean the same whatever the items are.
const OF_ANY_ITEMS: [&str; 6] = ["size", "empty", "clear", "reserve", "resize", "capacity"];
/// Through how many calls a container is followed.
const NESTING: usize = 4;
/// Words that ask about types where a function is compiled.
const ASKING: [&str; 5] = ["static_assert", "decltype", "requires", "typeid", "constexpr"];

impl Rewriter<'_> {
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
            .flat_map(|id| program.function(*id).sites.iter().map(|site| site.span))
            .collect();
        let spans: BTreeSet<Span> =
            own.declaration.into_iter().chain(bodies.iter().copied()).collect();
        spans.iter().any(|span| has_open_mention(program, *span, &mut names))
            || bodies.iter().any(|span| asks_about_types(program, *span))
            || own.methods.iter().chain(methods).any(|id| self.uses_items(record, *id))
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
        let mut names: BTreeSet<&str> =
            own.template_parameters.iter().map(String::as_str).collect();
        let is_open = own.sites.iter().any(|site| {
            has_open_mention(program, site.span, &mut names) || asks_about_types(program, site.span)
        });
        let parts = program.function_parts(function);
        let is_it = |id: &&ExprId| matches!(program.expr(**id).kind, ExprKind::Name(NameRef::Variable(own)) if own == *parameter);
        own.body.is_some()
            && !is_open
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
        let in_front = open.and_then(|open| open.checked_sub(1)).map_or("", |front| word(front));
        let next = word(at + 1);
        let is_fine = match (before, next) {
            ("typename" | "class", next) => next != "::",
            (_, "*" | "&" | "&&" | "const") => true,
            ("(", ")") => in_front == "sizeof",
            ("<", ">" | "," | ">>") | (",", ">" | ",") => {
                before == "," || in_front == "vector" || is_own_template(in_front)
            }
            ("new", "[") => true,
            ("=", ";") => {
                // `using value_type = T;`
                let alias = at.checked_sub(2).map_or("", |at| word(at));
                names.insert(alias);
                at >= 3 && word(at - 3) == "using"
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

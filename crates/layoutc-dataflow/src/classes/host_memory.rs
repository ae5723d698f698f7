//! Memory that certainly is the host's: what decides the direction of a copy that does not say it.
//!
//! A pointer holds host memory if everything that is ever stored in it does: the greatest set of
//! variables and functions that is closed under their definitions. What could store something
//! unseen (an address that is taken, a macro, a reference) takes a variable out of the set.

use super::calls::{CallGraph, Callee, Context};
use super::operands::strip_casts;
use super::slots::is_reference;
use crate::catalogue::{self, Effect};
use layoutc_syntax::{
    BinaryOp, ExprId, ExprKind, FunctionId, NameRef, Program, Space, StmtKind, Storage, TypeKind,
    VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// Containers of the library whose `data()` and first element are host memory.
const CONTAINERS: &[&str] = &["vector", "array", "unique_ptr"];

/// Whether a function stores the address of pinned host memory through its first argument.
fn allocates_pinned(name: &str) -> bool {
    catalogue::effect(name) == Some(Effect::Allocates(catalogue::Space::Host))
}

/// What the program certainly keeps in host memory.
pub(super) struct HostMemory {
    variables: BTreeSet<VarId>,
    results: BTreeSet<FunctionId>,
}

impl HostMemory {
    pub(super) fn new(program: &Program, calls: &CallGraph) -> Self {
        let definitions = Definitions::collect(program, calls);
        let mut this = HostMemory {
            variables: definitions.of_variable.keys().copied().collect(),
            results: definitions.of_result.keys().copied().collect(),
        };
        this.variables.retain(|id| !definitions.unseen.contains(id));
        // An item is looked at again when one that its definitions name has gone.
        let mut named_by: BTreeMap<Item, Vec<Item>> = BTreeMap::new();
        for (item, from) in definitions.all() {
            for name in from.iter().flat_map(|from| names(program, calls, *from)) {
                named_by.entry(name).or_default().push(item);
            }
        }
        let mut worklist: Vec<Item> = definitions.all().map(|(item, _)| item).collect();
        while let Some(item) = worklist.pop() {
            let (is_in, from) = match item {
                Item::Variable(id) => (this.variables.contains(&id), &definitions.of_variable[&id]),
                Item::Result(id) => (this.results.contains(&id), &definitions.of_result[&id]),
            };
            if !is_in || from.iter().all(|from| this.holds(program, calls, *from)) {
                continue;
            }
            match item {
                Item::Variable(id) => this.variables.remove(&id),
                Item::Result(id) => this.results.remove(&id),
            };
            worklist.extend(named_by.get(&item).into_iter().flatten().copied());
        }
        this
    }

    /// Whether a pointer certainly points to host memory.
    pub(super) fn holds(&self, program: &Program, calls: &CallGraph, pointer: ExprId) -> bool {
        let mut stack = vec![pointer];
        while let Some(at) = stack.pop() {
            let at = strip_casts(program, at);
            match &program.expr(at).kind {
                ExprKind::Name(NameRef::Variable(id)) => {
                    if !is_host_array(program, *id) && !self.variables.contains(id) {
                        return false;
                    }
                }
                ExprKind::AddressOf(operand) => {
                    if !self.is_host_object(program, calls, *operand) {
                        return false;
                    }
                }
                ExprKind::New { arguments, .. } => {
                    // `new (place) T` may be anywhere.
                    let is_number = |argument: &ExprId| {
                        program.types.as_scalar(program.expr(*argument).ty.id).is_some()
                    };
                    if !arguments.iter().all(is_number) {
                        return false;
                    }
                }
                ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, left, right) => {
                    let is_pointer =
                        |expr: ExprId| program.types.as_scalar(program.expr(expr).ty.id).is_none();
                    stack.push(if is_pointer(*left) { *left } else { *right });
                }
                ExprKind::Conditional(_, then, otherwise) => stack.extend([*then, *otherwise]),
                ExprKind::Call { callee, arguments, .. } => {
                    let fine = match calls.callee(program, *callee, arguments) {
                        Callee::Library(name) => {
                            catalogue::effect(&name) == Some(Effect::ReturnsMemory)
                        }
                        Callee::Function(function) => self.results.contains(&function),
                        Callee::Unknown => is_container_data(program, *callee),
                        Callee::Ambiguous(_) => false,
                    };
                    if !fine {
                        return false;
                    }
                }
                _ => return false,
            }
        }
        true
    }

    /// Whether an lvalue is an object in host memory.
    fn is_host_object(&self, program: &Program, calls: &CallGraph, lvalue: ExprId) -> bool {
        let mut at = lvalue;
        loop {
            at = match &program.expr(at).kind {
                ExprKind::Paren(inner) | ExprKind::Member { base: inner, arrow: false, .. } => {
                    *inner
                }
                ExprKind::Index { base, .. } => {
                    let ty = program.types.strip_reference(program.expr(*base).ty);
                    match program.types.kind(ty.id) {
                        // Inside the object, if that is one.
                        TypeKind::Array(..) => *base,
                        TypeKind::Named(name, _) => return is_container(name),
                        _ => return self.holds(program, calls, *base),
                    }
                }
                ExprKind::Member { base, arrow: true, .. } | ExprKind::Deref(base) => {
                    return self.holds(program, calls, *base);
                }
                ExprKind::Name(NameRef::Variable(id)) => {
                    let variable = program.variable(*id);
                    return variable.space == Space::Default
                        && !is_reference(program, *id)
                        && !is_array_parameter(program, *id);
                }
                _ => return false,
            };
        }
    }
}

/// Whether a variable is an array in host memory, and no pointer.
fn is_host_array(program: &Program, id: VarId) -> bool {
    let variable = program.variable(id);
    matches!(program.types.kind(variable.ty.id), TypeKind::Array(..))
        && variable.space == Space::Default
        && !is_array_parameter(program, id)
}

fn is_array_parameter(program: &Program, id: VarId) -> bool {
    let variable = program.variable(id);
    matches!(variable.storage, Storage::Parameter { .. })
        && matches!(program.types.kind(variable.ty.id), TypeKind::Array(..))
}

fn is_container(name: &str) -> bool {
    let name = name.trim_start_matches("::").trim_start_matches("std::");
    CONTAINERS.contains(&name)
}

/// Whether a callee is `v.data()` or `p.get()` of a container of the library.
fn is_container_data(program: &Program, callee: ExprId) -> bool {
    let ExprKind::Member { base, arrow: false, name, .. } = program.expr(callee).kind else {
        return false;
    };
    let ty = program.types.strip_reference(program.expr(base).ty);
    let TypeKind::Named(class, _) = program.types.kind(ty.id) else { return false };
    is_container(class) && matches!(program.text(name), "data" | "get")
}

/// What may hold host memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Item {
    Variable(VarId),
    Result(FunctionId),
}

/// The variables that an expression names, and the functions that it calls.
fn names(program: &Program, calls: &CallGraph, expr: ExprId) -> BTreeSet<Item> {
    let mut found = BTreeSet::new();
    let mut stack = vec![expr];
    while let Some(at) = stack.pop() {
        match &program.expr(at).kind {
            ExprKind::Name(NameRef::Variable(id)) => {
                found.insert(Item::Variable(*id));
            }
            ExprKind::Call { callee, arguments, .. } => {
                if let Callee::Function(id) = calls.callee(program, *callee, arguments) {
                    found.insert(Item::Result(id));
                }
            }
            _ => {}
        }
        stack.extend(program.expr(at).children());
    }
    found
}

/// Everything that is stored in pointers.
struct Definitions {
    of_variable: BTreeMap<VarId, Vec<ExprId>>,
    of_result: BTreeMap<FunctionId, Vec<ExprId>>,
    /// Variables that something unseen may store to.
    unseen: BTreeSet<VarId>,
}

impl Definitions {
    /// Every item, with what is stored in it.
    fn all(&self) -> impl Iterator<Item = (Item, &[ExprId])> {
        let variables = self.of_variable.iter().map(|(id, from)| (Item::Variable(*id), &from[..]));
        let results = self.of_result.iter().map(|(id, from)| (Item::Result(*id), &from[..]));
        variables.chain(results)
    }

    fn collect(program: &Program, calls: &CallGraph) -> Self {
        let mut this = Definitions {
            of_variable: BTreeMap::new(),
            of_result: BTreeMap::new(),
            unseen: BTreeSet::new(),
        };
        let name = |expr: ExprId| match program.expr(program.strip_parens(expr)).kind {
            ExprKind::Name(NameRef::Variable(id)) => Some(id),
            _ => None,
        };
        let in_macros: BTreeSet<&str> = program
            .macros
            .iter()
            .flat_map(|def| def.body_identifiers.iter().map(String::as_str))
            .collect();
        for id in program.variable_ids() {
            let variable = program.variable(id);
            let hidden = variable.is_extern
                || variable.space != Space::Default
                || is_reference(program, id)
                || in_macros.contains(variable.name.as_str());
            if hidden {
                this.unseen.insert(id);
            }
            if let Some(init) = variable.init {
                this.of_variable.entry(id).or_default().push(init);
                if is_reference(program, id) {
                    this.unseen.extend(name(init));
                }
            }
        }
        for id in program.expr_ids() {
            match &program.expr(id).kind {
                ExprKind::Assign(None, left, right) => {
                    if let Some(variable) = name(*left) {
                        this.of_variable.entry(variable).or_default().push(*right);
                    }
                }
                ExprKind::AddressOf(operand) => {
                    if let Some(variable) = name(*operand)
                        && !is_pinned_target(program, calls, id)
                    {
                        this.unseen.insert(variable);
                    } else if let Some(variable) = name(*operand) {
                        this.of_variable.entry(variable).or_default();
                    }
                }
                ExprKind::Opaque(children)
                | ExprKind::MacroCall { arguments: children, .. }
                | ExprKind::Lambda { captures: children, .. } => {
                    this.unseen.extend(children.iter().filter_map(|child| name(*child)));
                }
                ExprKind::Cast { target, operand, .. }
                    if matches!(program.types.kind(target.id), TypeKind::Reference(..)) =>
                {
                    this.unseen.extend(name(*operand));
                }
                ExprKind::Call { callee, arguments, .. }
                | ExprKind::Launch { kernel: callee, arguments, .. } => {
                    this.call(program, &calls.callee(program, *callee, arguments), arguments);
                }
                ExprKind::Name(NameRef::Functions(functions)) => {
                    let called = match calls.context(id) {
                        Context::Operand(parent, 0) => matches!(
                            program.expr(parent).kind,
                            ExprKind::Call { .. } | ExprKind::Launch { .. }
                        ),
                        _ => false,
                    };
                    if !called {
                        let parameters =
                            functions.iter().flat_map(|id| &program.function(*id).parameters);
                        this.unseen.extend(parameters);
                    }
                }
                _ => {}
            }
            if let Context::Returned { in_lambda: false } = calls.context(id)
                && let Some(function) = calls.function(id)
            {
                this.of_result.entry(function).or_default().push(id);
            }
        }
        for stmt in &program.stmts {
            if let StmtKind::ForRange { variable, .. } = &stmt.kind {
                this.unseen.extend(variable);
            }
        }
        let has_main = program.functions.iter().any(|f| f.name == "main" && f.body.is_some());
        for id in program.function_ids() {
            let function = program.function(id);
            if function.body.is_none() || (!has_main && !function.is_static) {
                this.unseen.extend(&function.parameters);
            }
        }
        this
    }

    fn call(&mut self, program: &Program, callee: &Callee, arguments: &[ExprId]) {
        let name = |expr: ExprId| match program.expr(program.strip_parens(expr)).kind {
            ExprKind::Name(NameRef::Variable(id)) => Some(id),
            _ => None,
        };
        match callee {
            Callee::Function(function) => {
                let parameters = &program.function(*function).parameters;
                for (parameter, argument) in parameters.iter().zip(arguments) {
                    self.of_variable.entry(*parameter).or_default().push(*argument);
                    if is_reference(program, *parameter) {
                        self.unseen.extend(name(*argument));
                    }
                }
                self.unseen.extend(parameters.iter().skip(arguments.len()));
            }
            Callee::Ambiguous(functions) => {
                let parameters = functions.iter().flat_map(|id| &program.function(*id).parameters);
                self.unseen.extend(parameters);
                self.unseen.extend(arguments.iter().filter_map(|argument| name(*argument)));
            }
            Callee::Unknown => {
                self.unseen.extend(arguments.iter().filter_map(|argument| name(*argument)));
            }
            // Only `swap` and the like take pointers by reference.
            Callee::Library(library) => {
                if matches!(library.as_str(), "swap" | "exchange" | "tie" | "ref" | "move") {
                    self.unseen.extend(arguments.iter().filter_map(|argument| name(*argument)));
                }
                if allocates_pinned(library) {
                    let target = arguments.first().and_then(|target| {
                        match program.expr(strip_casts(program, *target)).kind {
                            ExprKind::AddressOf(operand) => name(operand),
                            _ => None,
                        }
                    });
                    if let Some(target) = target {
                        self.of_variable.entry(target).or_default();
                    }
                }
            }
        }
    }
}

/// Whether `&h` is what a call stores pinned host memory to.
fn is_pinned_target(program: &Program, calls: &CallGraph, address: ExprId) -> bool {
    let mut at = address;
    while let Context::Operand(parent, position) = calls.context(at) {
        match &program.expr(parent).kind {
            ExprKind::Paren(_) | ExprKind::Cast { .. } => at = parent,
            ExprKind::Call { callee, arguments, .. } => {
                return position == 1
                    && matches!(calls.callee(program, *callee, arguments),
                        Callee::Library(name) if allocates_pinned(&name));
            }
            _ => return false,
        }
    }
    false
}

//! Pointers and references through which one object is reached and nothing around it.
//!
//! `inc(&p[i].x)` with `void inc(float *x) { *x += 1; }` needs no change to `inc`: a member that is
//! stored on its own is still one object of its type, and `inc` touches no neighbour of it. A
//! variable is *single* if every use of it dereferences it as it is (`*q`, `q[0]`, `q->lane`),
//! tests it for null, hands it to an atomic or a load intrinsic, or passes it on to a single
//! variable or result: the greatest such set. Moving it, indexing it with anything but 0, storing
//! it in memory, or casting it to something larger ends that.
//!
//! Claim: whatever is reached through a single variable lies within the object that its value
//! points to. The same holds for references and for results of functions.

use super::calls::{CallGraph, Callee, Context};
use crate::catalogue::{self, Role};
use layoutc_diagnostics::Span;
use layoutc_syntax::preprocess::{is_decltype, tokens};
use layoutc_syntax::{
    BinaryOp, ExprId, ExprKind, FunctionId, NameRef, Program, QualType, RecordTrait, RegionKind,
    Space, Storage, TypeKind, UnaryOp, VarId, abi,
};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Variables and results that reach one object only.
pub(super) struct SingleObjects<'a> {
    program: &'a Program,
    calls: &'a CallGraph,
    variables: BTreeSet<VarId>,
    results: BTreeSet<FunctionId>,
    /// References that functions of libraries take: they know no neighbours of what they are given.
    of_libraries: BTreeSet<VarId>,
    /// Macros that take the type of an expression (`decltype`), also through others.
    pub(super) typing_macros: BTreeSet<&'a str>,
}

impl<'a> SingleObjects<'a> {
    /// The greatest fixpoint over all pointers and references that could be single.
    pub(super) fn find(program: &'a Program, calls: &'a CallGraph) -> Self {
        let mut names: BTreeMap<VarId, Vec<ExprId>> = BTreeMap::new();
        let mut called: BTreeMap<FunctionId, Vec<ExprId>> = BTreeMap::new();
        let mut named: BTreeSet<FunctionId> = BTreeSet::new();
        // Subscripts of objects whose function is not known.
        let mut hides_subscripts = false;
        for id in program.expr_ids() {
            match &program.expr(id).kind {
                ExprKind::Name(NameRef::Variable(variable)) => {
                    names.entry(*variable).or_default().push(id);
                }
                ExprKind::Name(NameRef::Functions(functions)) if !is_called(program, calls, id) => {
                    named.extend(functions);
                }
                ExprKind::Call { callee, arguments, .. } => {
                    match calls.callee(program, *callee, arguments) {
                        Callee::Function(function) => called.entry(function).or_default().push(id),
                        Callee::Ambiguous(functions) => named.extend(functions),
                        Callee::Library(_) | Callee::Unknown => {}
                    }
                }
                ExprKind::Index { base, .. } => match program.operators.get(&id) {
                    Some(function) => called.entry(*function).or_default().push(id),
                    None => {
                        let ty = program.expr(*base).ty;
                        hides_subscripts |= program.types.as_record(ty.id).is_some();
                    }
                },
                _ => {}
            }
        }
        let hidden = Hidden::new(program);
        let unseen = unseen_parameters(program);
        let mut this = SingleObjects {
            program,
            calls,
            typing_macros: hidden.typing.clone(),
            of_libraries: unseen
                .iter()
                .filter(|(id, function)| {
                    is_reference(program, program.variable(**id).ty)
                        && is_foreign(program, **function)
                })
                .map(|(id, _)| *id)
                .collect(),
            variables: program
                .variable_ids()
                .filter(|id| {
                    !unseen.contains_key(id)
                        && is_candidate(program, *id)
                        && !hidden.mentions(program, *id)
                })
                .collect(),
            results: program
                .function_ids()
                .filter(|id| {
                    let function = program.function(*id);
                    reaches_object(program, function.result)
                        && !named.contains(id)
                        && (!function.name.starts_with("operator")
                            || (function.name == "operator[]" && !hides_subscripts))
                        && !hidden.functions.contains(&function.name)
                        && !may_be_overridden(program, *id)
                })
                .collect(),
        };
        loop {
            let variables: BTreeSet<VarId> = this
                .variables
                .iter()
                .copied()
                .filter(|variable| {
                    let is_reference = is_reference(program, program.variable(*variable).ty);
                    names.get(variable).into_iter().flatten().all(|name| {
                        if is_reference { this.object(*name) } else { this.address(*name) }
                    })
                })
                .collect();
            let results: BTreeSet<FunctionId> = this
                .results
                .iter()
                .copied()
                .filter(|function| {
                    let is_reference = is_reference(program, program.function(*function).result);
                    called.get(function).into_iter().flatten().all(|call| {
                        if is_reference { this.object(*call) } else { this.address(*call) }
                    })
                })
                .collect();
            let is_done =
                variables.len() == this.variables.len() && results.len() == this.results.len();
            (this.variables, this.results) = (variables, results);
            if is_done {
                return this;
            }
        }
    }

    /// Whether a pointer expression is used for the one object that it points to.
    pub(super) fn address(&self, expr: ExprId) -> bool {
        let program = self.program;
        match self.calls.context(expr) {
            Context::Dropped | Context::Condition => true,
            Context::Init(variable) => self.holds_address(variable),
            Context::Returned { in_lambda } => !in_lambda && self.is_result(expr, false),
            Context::Range | Context::Assembly | Context::Opaque => false,
            Context::Operand(parent, position) => match &program.expr(parent).kind {
                ExprKind::Paren(_) => self.address(parent),
                ExprKind::Deref(_) => self.object(parent),
                ExprKind::Index { index, .. } => {
                    position == 0
                        && matches!(
                            program.expr(program.strip_parens(*index)).kind,
                            ExprKind::Integer(Some(0))
                        )
                        && self.object(parent)
                }
                ExprKind::Member { arrow: true, methods, .. } => {
                    methods.is_empty() && !gives_address(program, parent) && self.object(parent)
                }
                ExprKind::Binary(op, left, right) => match op {
                    BinaryOp::LogicalAnd | BinaryOp::LogicalOr => true,
                    BinaryOp::Eq | BinaryOp::Ne => super::operands::is_null(
                        program,
                        if position == 0 { *right } else { *left },
                    ),
                    _ => false,
                },
                ExprKind::Unary(op, _) => *op == UnaryOp::Not,
                ExprKind::Conditional(..) => position == 0 || self.address(parent),
                ExprKind::Comma(..) => position == 0 || self.address(parent),
                ExprKind::Assign(None, left, _) => {
                    let target = match program.expr(program.strip_parens(*left)).kind {
                        ExprKind::Name(NameRef::Variable(variable)) => Some(variable),
                        _ => None,
                    };
                    (position == 0 || target.is_some_and(|variable| self.holds_address(variable)))
                        && self.address(parent)
                }
                ExprKind::Cast { target, .. } => {
                    self.narrows(program.expr(expr).ty, *target) && self.address(parent)
                }
                ExprKind::Call { callee, arguments, .. } if position > 0 => {
                    match self.calls.callee(program, *callee, arguments) {
                        Callee::Function(function) => program
                            .function(function)
                            .parameters
                            .get(position - 1)
                            .is_some_and(|parameter| self.holds_address(*parameter)),
                        // Copies and fills of no more than the object.
                        Callee::Library(name)
                            if let Some(row) =
                                catalogue::row(&name).filter(|row| row.moves_bytes()) =>
                        {
                            let is_pointer = matches!(
                                row.role(position - 1),
                                Role::Memory | Role::To | Role::From
                            );
                            let size = row.position(Role::Bytes).and_then(|at| arguments.get(at));
                            is_pointer && size.is_some_and(|size| self.is_within(expr, *size))
                        }
                        Callee::Library(name) => {
                            is_scan(&name)
                                || (position == 1 && catalogue::intrinsics::access(&name).is_some())
                        }
                        Callee::Ambiguous(functions) => {
                            self.all_parameters(&functions, position - 1, |this, parameter| {
                                this.holds_address(parameter)
                            })
                        }
                        Callee::Unknown => self
                            .lambda_parameter(*callee, position - 1)
                            .is_some_and(|parameter| self.holds_address(parameter)),
                    }
                }
                // Captured under its own name, which is used in the body.
                ExprKind::SizeOfExpr(_) | ExprKind::Lambda { .. } => true,
                _ => false,
            },
        }
    }

    /// Whether an expression that is the one object is used without reaching around it.
    pub(super) fn object(&self, expr: ExprId) -> bool {
        let program = self.program;
        if matches!(program.types.kind(program.expr(expr).ty.id), TypeKind::Array(..)) {
            // Its items lie together, and an array is reached as far as it goes.
            return true;
        }
        match self.calls.context(expr) {
            Context::Dropped | Context::Condition => true,
            Context::Init(variable) => {
                !is_reference(program, program.variable(variable).ty)
                    || self.variables.contains(&variable)
            }
            Context::Returned { .. } => self.is_result(expr, true),
            Context::Range | Context::Assembly | Context::Opaque => false,
            Context::Operand(parent, position) => match &program.expr(parent).kind {
                ExprKind::Paren(_) => self.object(parent),
                ExprKind::AddressOf(_) => self.address(parent),
                ExprKind::Member { arrow, .. } => {
                    !gives_address(program, parent) && (*arrow || self.object(parent))
                }
                ExprKind::Assign(_, _, _) => position == 1 || self.object(parent),
                ExprKind::Unary(op, _) => !op.is_update() || self.object(parent),
                ExprKind::Conditional(..) | ExprKind::Comma(..) => {
                    position == 0 || self.object(parent)
                }
                ExprKind::Cast { target, .. } => match *program.types.kind(target.id) {
                    TypeKind::Reference(to, _) => {
                        self.fits(program.expr(expr).ty, to) && self.object(parent)
                    }
                    _ => true,
                },
                ExprKind::Call { callee, arguments, .. } => {
                    let Some(at) = position.checked_sub(1) else { return true };
                    let takes = |this: &Self, parameter: VarId| {
                        !is_reference(program, program.variable(parameter).ty)
                            || this.variables.contains(&parameter)
                            || this.of_libraries.contains(&parameter)
                    };
                    match self.calls.callee(program, *callee, arguments) {
                        Callee::Function(function) => program
                            .function(function)
                            .parameters
                            .get(at)
                            .is_none_or(|parameter| takes(self, *parameter)),
                        Callee::Ambiguous(functions) => self.all_parameters(&functions, at, takes),
                        // A library's function takes what it is given; it knows no neighbours.
                        Callee::Library(_) => true,
                        Callee::Unknown => self
                            .lambda_parameter(*callee, at)
                            .is_none_or(|parameter| takes(self, parameter)),
                    }
                }
                ExprKind::MacroCall { name, .. } => {
                    program.macros.iter().filter(|def| def.name == *name).all(|def| {
                        def.parameter_uses.get(position).is_none_or(|uses| uses.pasted == 0)
                    })
                }
                ExprKind::Construct { of, .. } => match program.types.as_record(of.id) {
                    Some(record) => !keeps_references(program, record),
                    None => true,
                },
                ExprKind::InitList(_) => match self.calls.context(parent) {
                    Context::Init(variable) => {
                        match program.types.as_record(program.variable(variable).ty.id) {
                            Some(record) => !keeps_references(program, record),
                            None => true,
                        }
                    }
                    _ => true,
                },
                ExprKind::Opaque(_) => false,
                ExprKind::Lambda { .. }
                | ExprKind::Binary(..)
                | ExprKind::Deref(_)
                | ExprKind::Index { .. }
                | ExprKind::Launch { .. }
                | ExprKind::SizeOfExpr(_)
                | ExprKind::New { .. }
                | ExprKind::Delete(_)
                | ExprKind::OffsetOf(_)
                | ExprKind::SizeOfType { .. }
                | ExprKind::Integer(_)
                | ExprKind::Literal
                | ExprKind::Null
                | ExprKind::This
                | ExprKind::Name(_) => true,
            },
        }
    }

    /// Whether a variable is a single pointer.
    fn holds_address(&self, variable: VarId) -> bool {
        self.variables.contains(&variable)
            && !is_reference(self.program, self.program.variable(variable).ty)
    }

    /// Whether a returned expression becomes a single result, or (for an object) a value.
    fn is_result(&self, expr: ExprId, is_object: bool) -> bool {
        let Some(function) = self.calls.function(expr) else { return false };
        let by_reference = is_reference(self.program, self.program.function(function).result);
        match (is_object, by_reference) {
            (true, false) => true,
            (false, true) => false,
            _ => self.results.contains(&function),
        }
    }

    fn all_parameters(
        &self,
        functions: &[FunctionId],
        at: usize,
        accepts: impl Fn(&Self, VarId) -> bool,
    ) -> bool {
        functions.iter().all(|function| {
            let parameter = self.program.function(*function).parameters.get(at);
            parameter.is_some_and(|parameter| accepts(self, *parameter))
        })
    }

    /// Parameter number `at` of the lambda that a variable was initialized with.
    pub(super) fn lambda_parameter(&self, callee: ExprId, at: usize) -> Option<VarId> {
        let program = self.program;
        let callee = match program.expr(program.strip_parens(callee)).kind {
            // A variable of a closure's own type always holds the lambda that it was made with.
            ExprKind::Name(NameRef::Variable(variable)) => {
                program.variable(variable).init.filter(|_| program.variable(variable).is_auto)?
            }
            _ => callee,
        };
        match &program.expr(program.strip_parens(callee)).kind {
            ExprKind::Lambda { parameters, .. } => parameters.get(at).copied(),
            _ => None,
        }
    }

    /// Whether a byte count is no larger than what a pointer points to.
    fn is_within(&self, pointer: ExprId, size: ExprId) -> bool {
        let program = self.program;
        let of = match program.expr(program.strip_parens(size)).kind {
            ExprKind::SizeOfType { of, is_align: false, .. } => of,
            ExprKind::SizeOfExpr(operand) => program.expr(operand).ty,
            _ => return false,
        };
        let bytes = |ty: QualType| abi::size_align(program, ty.id).map(|(size, _)| size);
        let own = program.types.pointee(program.expr(pointer).ty.id);
        match (own.and_then(bytes), bytes(program.types.strip_reference(of))) {
            (Some(own), Some(moved)) => moved <= own,
            _ => false,
        }
    }

    /// Whether a pointer that is cast still reaches only what it pointed to.
    fn narrows(&self, from: QualType, to: QualType) -> bool {
        let types = &self.program.types;
        match (types.pointee(from.id), types.kind(to.id)) {
            (Some(own), TypeKind::Pointer(target)) => self.fits(own, *target),
            _ => false,
        }
    }

    /// Whether an object of type `from` can be accessed as one of type `to`: no larger, no more aligned.
    fn fits(&self, from: QualType, to: QualType) -> bool {
        if from.id == to.id {
            return true;
        }
        let is_plain = matches!(
            self.program.types.kind(to.id),
            TypeKind::Scalar(_) | TypeKind::Vector(_) | TypeKind::Enum(..)
        );
        match (abi::size_align(self.program, from.id), abi::size_align(self.program, to.id)) {
            (Some((size, align)), Some((new_size, new_align))) => {
                is_plain && new_size <= size && new_align <= align
            }
            _ => false,
        }
    }
}

/// Library functions that store one value through each pointer.
fn is_scan(name: &str) -> bool {
    matches!(name, "scanf" | "fscanf" | "sscanf")
}

/// Whether the name of a function stands where it is called.
fn is_called(program: &Program, calls: &CallGraph, name: ExprId) -> bool {
    match calls.context(name) {
        Context::Operand(parent, position) => match &program.expr(parent).kind {
            ExprKind::Paren(_) => is_called(program, calls, parent),
            ExprKind::Call { .. } | ExprKind::Launch { .. } => position == 0,
            _ => false,
        },
        _ => false,
    }
}

/// Whether a member of a library's array is a function that leads to its items: `v.data()`.
fn gives_address(program: &Program, member: ExprId) -> bool {
    let ExprKind::Member { field: None, methods, name, .. } = &program.expr(member).kind else {
        return false;
    };
    let leads = matches!(
        program.text(*name),
        "data" | "begin" | "end" | "cbegin" | "cend" | "rbegin" | "rend" | "crbegin" | "crend"
    );
    methods.is_empty() && leads
}

fn is_reference(program: &Program, ty: QualType) -> bool {
    matches!(program.types.kind(ty.id), TypeKind::Reference(..))
}

/// Whether a type is a pointer or reference to one object of a type that can be a member.
fn reaches_object(program: &Program, ty: QualType) -> bool {
    let (TypeKind::Pointer(to) | TypeKind::Reference(to, _)) = *program.types.kind(ty.id) else {
        return false;
    };
    match program.types.kind(to.id) {
        TypeKind::Scalar(_)
        | TypeKind::Vector(_)
        | TypeKind::Enum(..)
        | TypeKind::Record(_)
        | TypeKind::Pointer(_)
        | TypeKind::Named(..)
        | TypeKind::Opaque(_)
        | TypeKind::TemplateParameter(_) => true,
        // `auto &`: whatever it is bound to.
        TypeKind::Unknown => is_reference(program, ty),
        TypeKind::Void | TypeKind::Reference(..) | TypeKind::Array(..) | TypeKind::Function => {
            false
        }
    }
}

/// Whether a variable could be single: its type, where it lives, and who can give it a value.
fn is_candidate(program: &Program, id: VarId) -> bool {
    let variable = program.variable(id);
    if !reaches_object(program, variable.ty)
        || variable.space != Space::Default
        || !matches!(variable.storage, Storage::Local | Storage::Parameter { .. })
    {
        return false;
    }
    match (variable.storage, variable.function) {
        (Storage::Parameter { .. }, Some(function)) => {
            program.function(function).body.is_some() && !may_be_overridden(program, function)
        }
        _ => true,
    }
}

/// The parameters of functions without a body in the program.
fn unseen_parameters(program: &Program) -> BTreeMap<VarId, FunctionId> {
    let bodiless = program.function_ids().filter(|id| program.function(*id).body.is_none());
    let parameters = bodiless.flat_map(|id| {
        let function = program.function(id);
        let of_sites = function.sites.iter().flat_map(|site| &site.parameters);
        of_sites.chain(&function.parameters).map(move |own| (*own, id))
    });
    parameters.collect()
}

/// Whether a function is only declared by foreign headers.
fn is_foreign(program: &Program, id: FunctionId) -> bool {
    program.function(id).sites.iter().all(|site| program.is_foreign(site.name.file))
}

/// Whether a call of the function may run another one.
fn may_be_overridden(program: &Program, function: FunctionId) -> bool {
    program.function(function).record.is_some_and(|record| {
        let traits = &program.record(record).traits;
        traits.iter().any(|(which, _)| *which == RecordTrait::Virtual)
    })
}

/// Whether objects of a record can hold a reference that they are made with.
fn keeps_references(program: &Program, record: layoutc_syntax::RecordId) -> bool {
    let record = program.record(record);
    record.traits.iter().any(|(which, _)| {
        matches!(
            which,
            RecordTrait::ConstMember
                | RecordTrait::Constructor
                | RecordTrait::Bases
                | RecordTrait::Template
                | RecordTrait::Unmodelled
        )
    })
}

/// Names in text that is not in the model.
pub(super) struct Hidden<'a> {
    /// Functions that may have another body there.
    functions: BTreeSet<String>,
    /// What macros mention besides their parameters.
    macros: Vec<BTreeSet<String>>,
    /// The macros that a function's text names, by the place of the text: positions in `macros`.
    used: BTreeMap<Span, Vec<u32>>,
    /// What is mentioned in any of `macros`.
    in_macros: HashSet<String>,
    /// Macros that take the type of an expression (`decltype`), also through others.
    typing: BTreeSet<&'a str>,
    /// Where text that is not in the model mentions a name.
    regions: HashMap<&'a str, Vec<Span>>,
}

impl<'a> Hidden<'a> {
    pub(super) fn new(program: &'a Program) -> Self {
        let functions: BTreeSet<&str> =
            program.functions.iter().map(|function| function.name.as_str()).collect();
        let bodies = super::regions::macro_bodies(program);
        let position: BTreeMap<&str, u32> = bodies.keys().copied().zip(0..).collect();
        let mut used: BTreeMap<Span, Vec<u32>> = BTreeMap::new();
        let sites = program.functions.iter().flat_map(|function| function.sites.iter());
        let mut spans: Vec<Span> = sites.map(|site| site.span).collect();
        spans.sort();
        spans.dedup();
        for span in spans.into_iter().filter(|_| !bodies.is_empty()) {
            let text = program.text(span);
            let words = tokens(text).into_iter().map(|token| token.text(text));
            let own: BTreeSet<u32> = words.filter_map(|word| position.get(word).copied()).collect();
            if !own.is_empty() {
                used.insert(span, own.into_iter().collect());
            }
        }
        let mut regions: HashMap<&str, Vec<Span>> = HashMap::new();
        for region in &program.regions {
            for name in &region.identifiers {
                regions.entry(name).or_default().push(region.span);
            }
        }
        let takes_types = |own: &BTreeSet<String>| own.iter().any(|word| is_decltype(word));
        let typing = bodies.iter().filter(|(_, own)| takes_types(own)).map(|(name, _)| *name);
        let typing = typing.collect();
        let macros: Vec<BTreeSet<String>> = bodies.into_values().collect();
        Hidden {
            typing,
            in_macros: macros.iter().flatten().cloned().collect(),
            regions,
            functions: program
                .regions
                .iter()
                .filter(|region| region.kind != RegionKind::MacroBody)
                .flat_map(|region| region.identifiers.iter())
                .filter(|name| functions.contains(name.as_str()))
                .cloned()
                .collect(),
            macros,
            used,
        }
    }

    /// Whether text outside the model may use the variable, or be another body of its function.
    pub(super) fn mentions(&self, program: &Program, id: VarId) -> bool {
        let variable = program.variable(id);
        let sites: Vec<_> = match variable.function {
            Some(function) => {
                let function = program.function(function);
                if self.functions.contains(&function.name) {
                    return true;
                }
                function.sites.iter().map(|site| site.span).collect()
            }
            None => Vec::new(),
        };
        let mentions = |at: u32| self.macros[at as usize].contains(&variable.name);
        let by_macro = match sites.as_slice() {
            [] => self.in_macros.contains(&variable.name),
            sites => sites
                .iter()
                .filter_map(|span| self.used.get(span))
                .any(|used| used.iter().any(|at| mentions(*at))),
        };
        if by_macro {
            return true;
        }
        let regions = self.regions.get(variable.name.as_str()).map_or(&[][..], Vec::as_slice);
        regions
            .iter()
            .any(|region| sites.is_empty() || sites.iter().any(|site| site.overlaps(*region)))
    }
}

//! What is known at each access: definitions, guards and loop bounds.
//!
//! Statements are walked in the order in which they run. A condition says something in the branch
//! that it guards and behind `if (…) return;`, a loop in its body, a definition in what follows.
//! *Claim:* wherever a fact is listed, it holds for the values that variables have there: each
//! statement drops what it changes, and so does a loop, before its body, what it changes anywhere.

mod choices;
mod copies;
mod places;

pub(super) use choices::{is_truth, unfolded};
use copies::copied;

use super::index::{
    Atom, Index, Indices, is_integer, is_thread_number, turns_negative, widens_wrapped,
};
use super::proof::Prover;
use crate::catalogue::builtins::{builtin_of, holds_builtin};
use crate::catalogue::{self, intrinsics};
use layoutc_diagnostics::Span;
use layoutc_syntax::{
    BinaryOp, ExprId, ExprKind, FunctionId, NameRef, Program, QualType, Scalar, Space, StmtId,
    StmtKind, Storage, TypeKind, UnaryOp, VarId,
};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A list of facts that grows towards the inside of a function, shared from the front.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    head: Option<Rc<Node>>,
}

#[derive(Debug)]
struct Node {
    fact: Fact,
    rest: Facts,
}

/// Something that is known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fact {
    /// The value is at least 0.
    AtLeastZero(Index),
    /// The value is not 0.
    NotZero(Index),
    /// The variable has this value.
    Defined(VarId, Index),
    /// The extent of a launch has this value: `blockDim.x` and the like.
    Extent(Atom, Index),
}

impl Facts {
    /// The list with one more.
    #[must_use]
    pub fn with(&self, fact: Fact) -> Facts {
        Facts { head: Some(Rc::new(Node { fact, rest: self.clone() })) }
    }

    /// The facts, innermost first.
    pub fn iter(&self) -> impl Iterator<Item = &Fact> {
        let mut at = self.head.as_deref();
        std::iter::from_fn(move || {
            let node = at?;
            at = node.rest.head.as_deref();
            Some(&node.fact)
        })
    }

    /// The value of a variable, if it is known.
    #[must_use]
    pub fn definition(&self, id: VarId) -> Option<&Index> {
        self.iter().find_map(|fact| match fact {
            Fact::Defined(variable, value) if *variable == id => Some(value),
            _ => None,
        })
    }
}

/// Where each variable is changed.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    places: BTreeMap<VarId, Vec<Span>>,
    /// Variables whose changes are not all seen.
    anywhere: BTreeSet<VarId>,
    /// Parameters of which threads have values of their own.
    uneven: BTreeSet<VarId>,
    /// Addresses, lists and calls that give copies of values away.
    copied: BTreeSet<ExprId>,
}

impl Changes {
    /// The changes of all variables of a program.
    #[must_use]
    pub fn collect(program: &Program) -> Self {
        let mut this = Changes::default();
        let name = |expr: ExprId| named(program, expr);
        for id in program.variable_ids() {
            let variable = program.variable(id);
            let is_reference =
                matches!(program.types.kind(variable.ty.id), TypeKind::Reference(..));
            // Other threads and other calls change what they share.
            let is_shared = variable.space != Space::Default
                || variable.storage == Storage::Static
                || variable.function.is_none();
            let is_global = is_shared && !variable.ty.is_const;
            if is_reference || is_global || variable.ty.is_volatile {
                this.anywhere.insert(id);
            }
            if is_reference {
                this.anywhere.extend(variable.init.into_iter().flat_map(name));
            }
        }
        for stmt in &program.stmts {
            if let StmtKind::Asm(operands) = &stmt.kind {
                this.anywhere.extend(operands.iter().flat_map(|operand| name(*operand)));
            }
        }
        this.copied = copied(program);
        let copied_lists = copied_lists(program);
        for id in program.expr_ids() {
            let site = program.expr_site(id);
            match &program.expr(id).kind {
                _ if this.copied.contains(&id) => {}
                ExprKind::Assign(_, left, _) => {
                    for variable in name(*left) {
                        this.places.entry(variable).or_default().push(site);
                    }
                }
                ExprKind::Unary(op, operand) if op.is_update() => {
                    for variable in name(*operand) {
                        this.places.entry(variable).or_default().push(site);
                    }
                }
                ExprKind::AddressOf(operand) => this.anywhere.extend(name(*operand)),
                kind if only_reads_numbers(program, kind) => {}
                ExprKind::MacroCall { arguments, .. }
                | ExprKind::Opaque(arguments)
                | ExprKind::New { arguments, .. } => {
                    this.anywhere.extend(arguments.iter().flat_map(|argument| name(*argument)));
                }
                // A member may be a reference.
                ExprKind::InitList(_) if copied_lists.contains(&id) => {}
                ExprKind::InitList(items) => {
                    this.anywhere.extend(items.iter().flat_map(|item| name(*item)));
                }
                ExprKind::Construct { arguments, .. } => {
                    this.anywhere.extend(arguments.iter().flat_map(|argument| name(*argument)));
                }
                ExprKind::Lambda { by_reference, captures, .. } => {
                    let shared = captures
                        .iter()
                        .enumerate()
                        .filter(|(at, _)| *at < 64 && by_reference >> at & 1 == 1);
                    this.anywhere.extend(shared.flat_map(|(_, capture)| name(*capture)));
                }
                ExprKind::Call { callee, arguments, .. }
                | ExprKind::Launch { kernel: callee, arguments, .. } => {
                    match crate::classes::resolve_callee(program, *callee, arguments) {
                        crate::classes::Callee::Function(function) => {
                            let parameters = &program.function(function).parameters;
                            for (parameter, argument) in parameters.iter().zip(arguments) {
                                let ty = program.variable(*parameter).ty;
                                if matches!(program.types.kind(ty.id), TypeKind::Reference(to, _) if !to.is_const)
                                {
                                    this.anywhere.extend(name(*argument));
                                }
                            }
                        }
                        crate::classes::Callee::Library(library) if takes_values(&library) => {}
                        crate::classes::Callee::Library(_)
                        | crate::classes::Callee::Ambiguous(_)
                        | crate::classes::Callee::Unknown => this
                            .anywhere
                            .extend(arguments.iter().flat_map(|argument| name(*argument))),
                    }
                }
                ExprKind::Binary(BinaryOp::Shr, left, right)
                    if program.types.as_scalar(program.expr(*left).ty.id).is_none() =>
                {
                    this.anywhere.extend(name(*right));
                }
                _ => {}
            }
        }
        let words = Self::unmodelled(program);
        for id in program.variable_ids() {
            if words.contains(program.variable(id).name.as_str()) {
                this.anywhere.insert(id);
            }
        }
        // What is declared `const` never changes, whoever knows it.
        this.anywhere.retain(|id| {
            let ty = program.variable(*id).ty;
            !ty.is_const || ty.is_volatile || program.types.as_scalar(ty.id).is_none()
        });
        // Lambdas without a list of captures may change what they name: their text does so in places
        // that are listed, but they run elsewhere.
        for expr in &program.exprs {
            if let ExprKind::Lambda { body, .. } = &expr.kind {
                let span = program.stmt(*body).span;
                let changed: Vec<VarId> = this
                    .places
                    .iter()
                    .filter(|(_, places)| places.iter().any(|place| span.contains(*place)))
                    .map(|(id, _)| *id)
                    .collect();
                this.anywhere.extend(changed);
            }
        }
        this
    }

    /// Names in macro bodies and other text outside of the model, which may assign or call what
    /// they name.
    #[must_use]
    pub fn unmodelled(program: &Program) -> BTreeSet<&str> {
        let used: BTreeSet<&str> =
            program.macros.iter().filter(|def| def.is_used).map(|def| def.name.as_str()).collect();
        let mut words: BTreeSet<&str> = program
            .macros
            .iter()
            .filter(|def| def.obstacle.is_some() && used.contains(def.name.as_str()))
            .flat_map(|def| {
                let parameters = def.parameters.as_deref().unwrap_or_default();
                def.body_identifiers
                    .iter()
                    .filter(move |word| !parameters.contains(word))
                    .map(String::as_str)
            })
            .collect();
        words.extend(
            program.regions.iter().flat_map(|region| region.identifiers.iter().map(String::as_str)),
        );
        words
    }

    /// Addresses, lists and calls that give copies of values away and change nothing.
    pub(crate) fn copied(&self) -> &BTreeSet<ExprId> {
        &self.copied
    }

    /// Whether no change of the variable in the regions is seen, but something may change it.
    #[must_use]
    pub fn is_unknown(&self, id: VarId) -> bool {
        self.anywhere.contains(&id)
    }

    /// Whether the variable keeps its value in the regions.
    #[must_use]
    pub fn is_constant_in(&self, id: VarId, regions: &[Span]) -> bool {
        !self.anywhere.contains(&id)
            && self.places.get(&id).is_none_or(|places| {
                !places.iter().any(|place| regions.iter().any(|region| region.contains(*place)))
            })
    }

    /// How often the text of the regions changes the variable, if all changes are seen.
    fn count_in(&self, id: VarId, regions: &[Span]) -> Option<usize> {
        if self.anywhere.contains(&id) {
            return None;
        }
        let places = self.places.get(&id).map_or(&[][..], Vec::as_slice);
        Some(
            places
                .iter()
                .filter(|place| regions.iter().any(|region| region.contains(**place)))
                .count(),
        )
    }

    /// Whether the variable has one value wherever it is in scope.
    #[must_use]
    pub fn is_constant(&self, id: VarId) -> bool {
        !self.anywhere.contains(&id) && !self.places.contains_key(&id)
    }
}

/// Initialisers in braces of variables whose members are plain values: they copy what they list.
fn copied_lists(program: &Program) -> BTreeSet<ExprId> {
    let lists = program.variable_ids().filter_map(|id| {
        let variable = program.variable(id);
        let init = variable.init?;
        let mut ty = variable.ty;
        while let TypeKind::Array(of, _) = *program.types.kind(ty.id) {
            ty = of;
        }
        let is_copied = match *program.types.kind(ty.id) {
            TypeKind::Scalar(_) | TypeKind::Pointer(_) => true,
            TypeKind::Record(record) => is_plain_record(program, record),
            _ => false,
        };
        is_copied.then_some(init)
    });
    lists.collect()
}

/// Whether each member of a record is a number or a pointer, and nothing but copies makes it.
fn is_plain_record(program: &Program, record: layoutc_syntax::RecordId) -> bool {
    let record = program.record(record);
    record.body.is_some()
        && record.bases.is_empty()
        && record.traits.is_empty()
        && record.unmodelled_members.is_empty()
        && record.fields.iter().all(|field| {
            let ty = program.field(*field).ty;
            matches!(program.types.kind(ty.id), TypeKind::Scalar(_) | TypeKind::Pointer(_))
        })
}

/// The variables that an expression may be as an lvalue.
fn named(program: &Program, expr: ExprId) -> Vec<VarId> {
    let mut found = Vec::new();
    let mut stack = vec![expr];
    while let Some(at) = stack.pop() {
        match program.expr(at).kind {
            ExprKind::Name(NameRef::Variable(id)) => found.push(id),
            ExprKind::Paren(inner)
            | ExprKind::Comma(_, inner)
            | ExprKind::Assign(_, inner, _)
            | ExprKind::Unary(_, inner)
            | ExprKind::Cast { operand: inner, .. } => stack.push(inner),
            ExprKind::Conditional(_, then, otherwise) => stack.extend([then, otherwise]),
            // No other form is a variable itself.
            _ => {}
        }
    }
    found
}

/// Whether an expression makes an object and only reads what it is given: the lengths of `new T[n]`, the numbers of
/// `dim3(n)`.
pub(crate) fn only_reads_numbers(program: &Program, kind: &ExprKind) -> bool {
    match kind {
        ExprKind::Construct { of, .. } => copies_numbers(program, *of),
        ExprKind::New { arguments, is_placed: false, is_initialized: false, .. } => arguments
            .iter()
            .all(|length| program.types.as_scalar(program.expr(*length).ty.id).is_some()),
        _ => false,
    }
}

/// Whether objects of a type are made of copies of numbers: scalars, and what the runtime and the
/// library size by a number.
fn copies_numbers(program: &Program, of: QualType) -> bool {
    match program.types.kind(of.id) {
        TypeKind::Scalar(_) | TypeKind::Vector(_) | TypeKind::Enum(..) | TypeKind::Opaque(_) => {
            true
        }
        // OpenCL's interface of C++ takes sizes and flags by value.
        TypeKind::Named(name, _) => {
            name.starts_with("cl::") || layoutc_syntax::is_made_of_numbers(name)
        }
        TypeKind::Unknown
        | TypeKind::Void
        | TypeKind::Record(_)
        | TypeKind::Pointer(_)
        | TypeKind::Reference(..)
        | TypeKind::Array(..)
        | TypeKind::Function
        | TypeKind::TemplateParameter(_) => false,
    }
}

/// Library functions that take numbers by value; in device code also CUDA's built-in ones.
fn takes_values(name: &str) -> bool {
    catalogue::takes_values(name)
        || name == "dim3"
        || name.starts_with("make_")
        || name.starts_with("__")
        || intrinsics::access(name).is_some()
        || intrinsics::synchronizes(name)
}

/// Facts at each expression of interest in one function.
pub struct Walk<'a> {
    program: &'a Program,
    changes: &'a Changes,
    indices: &'a mut Indices,
    wanted: &'a BTreeSet<ExprId>,
    found: BTreeMap<ExprId, Facts>,
}

impl<'a> Walk<'a> {
    /// The facts at each of the `wanted` expressions of a function.
    pub fn function(
        program: &'a Program,
        changes: &'a Changes,
        indices: &'a mut Indices,
        wanted: &'a BTreeSet<ExprId>,
        function: FunctionId,
        start: &Facts,
    ) -> BTreeMap<ExprId, Facts> {
        let mut this = Walk { program, changes, indices, wanted, found: BTreeMap::new() };
        let stmts = program.function_parts(function).stmts;
        // Labels of a `switch` are reached from its top, past what stands around deeper ones.
        let direct: BTreeSet<StmtId> = stmts
            .iter()
            .filter_map(|stmt| match &program.stmt(*stmt).kind {
                StmtKind::Switch { body, .. } => Some(*body),
                _ => None,
            })
            .flat_map(|body| match &program.stmt(body).kind {
                StmtKind::Block(stmts) => stmts.clone(),
                _ => vec![body],
            })
            .collect();
        let jumps = stmts.iter().any(|stmt| match &program.stmt(*stmt).kind {
            StmtKind::Goto(_) => true,
            StmtKind::Labelled { label: None, .. } => !direct.contains(stmt),
            _ => false,
        });
        // A jump may pass any guard.
        if let Some(body) = program.function(function).body.filter(|_| !jumps) {
            this.statement(body, start);
        }
        this.found
    }

    /// A whole expression: what changes in it is not known in it.
    fn root(&mut self, expr: ExprId, facts: &Facts) {
        let facts = self.kept(facts, &[self.program.expr_site(expr)]);
        self.expression(expr, &facts);
    }

    /// What lies below an expression, with what conditions inside it say.
    fn expression(&mut self, expr: ExprId, facts: &Facts) {
        if self.wanted.contains(&expr) {
            self.found.insert(expr, facts.clone());
        }
        match &self.program.expr(expr).kind {
            ExprKind::Conditional(condition, then, otherwise) => {
                let (condition, then, otherwise) = (*condition, *then, *otherwise);
                self.expression(condition, facts);
                let inner = self.assume(facts, condition, true);
                self.expression(then, &inner);
                let inner = self.assume(facts, condition, false);
                self.expression(otherwise, &inner);
            }
            ExprKind::Binary(op @ (BinaryOp::LogicalAnd | BinaryOp::LogicalOr), left, right) => {
                let (is_and, left, right) = (*op == BinaryOp::LogicalAnd, *left, *right);
                self.expression(left, facts);
                let inner = self.assume(facts, left, is_and);
                self.expression(right, &inner);
            }
            ExprKind::Lambda { captures, body, .. } => {
                let (captures, body) = (captures.clone(), *body);
                for capture in captures {
                    self.expression(capture, facts);
                }
                // It runs some time, with what is known of constants only by name.
                self.statement(body, &Facts::default());
            }
            _ => {
                for child in self.program.expr(expr).children() {
                    self.expression(child, facts);
                }
            }
        }
    }

    fn statement(&mut self, stmt: StmtId, facts: &Facts) {
        let program = self.program;
        match &program.stmt(stmt).kind {
            StmtKind::Expr(expr) => {
                if let Some(expr) = expr {
                    self.root(*expr, facts);
                }
            }
            StmtKind::Declaration(_, variables) => {
                // One declarator may change what the next reads.
                let facts = self.kept(facts, &[program.stmt_site(stmt)]);
                for init in variables.iter().filter_map(|id| program.variable(*id).init) {
                    self.root(init, &facts);
                }
            }
            StmtKind::Block(body) => self.sequence(body, facts),
            StmtKind::If { init, condition, then, otherwise } => {
                let facts = match init {
                    Some(init) => {
                        self.statement(*init, facts);
                        Facts::default()
                    }
                    None => facts.clone(),
                };
                if let Some(condition) = condition {
                    self.root(*condition, &facts);
                }
                for (branch, truth) in [(Some(*then), true), (*otherwise, false)] {
                    let Some(branch) = branch else { continue };
                    let inner = match condition {
                        Some(condition) => {
                            let site = [program.expr_site(*condition)];
                            let facts = self.kept(&facts, &site);
                            self.assume(&facts, *condition, truth)
                        }
                        None => facts.clone(),
                    };
                    self.statement(branch, &inner);
                }
            }
            StmtKind::For { init, condition, step, body } => {
                let mut facts = facts.clone();
                if let Some(init) = init {
                    self.statement(*init, &facts);
                    facts = self.kept(&facts, &[program.stmt_site(*init)]);
                }
                let facts = &facts;
                let mut region = vec![program.stmt_site(*body)];
                region.extend(step.map(|step| program.expr_site(step)));
                region.extend(condition.map(|condition| program.expr_site(condition)));
                // What the loop changes is not known in it, nor in what it depends on.
                let mut inner = self.kept(facts, &region);
                if let Some(init) = init {
                    inner = self.counted(&inner, *init, *step, &region);
                    inner = self.marched(&inner, facts, *init, *step, *body, &region);
                }
                if let Some(condition) = condition {
                    self.root(*condition, &inner);
                    inner = self.assume(&inner, *condition, true);
                }
                if let Some(step) = step {
                    self.root(*step, &self.kept(facts, &region));
                }
                self.statement(*body, &inner);
            }
            StmtKind::ForRange { range, body, .. } => {
                self.root(*range, facts);
                let region = [program.stmt_site(*body), program.expr_site(*range)];
                let inner = self.kept(facts, &region);
                self.statement(*body, &inner);
            }
            StmtKind::While { init, condition, body } => {
                if let Some(init) = init {
                    self.statement(*init, facts);
                }
                let mut region = vec![program.stmt_site(*body)];
                region.extend(init.map(|init| program.stmt_site(init)));
                region.extend(condition.map(|condition| program.expr_site(condition)));
                let mut inner = self.kept(facts, &region);
                if let Some(condition) = condition {
                    self.root(*condition, &inner);
                    inner = self.assume(&inner, *condition, true);
                }
                self.statement(*body, &inner);
            }
            StmtKind::DoWhile { body, condition } => {
                let region = [program.stmt_site(*body), program.expr_site(*condition)];
                let inner = self.kept(facts, &region);
                self.statement(*body, &inner);
                self.root(*condition, &inner);
            }
            StmtKind::Switch { init, condition, body } => {
                if let Some(init) = init {
                    self.statement(*init, facts);
                }
                if let Some(condition) = condition {
                    self.root(*condition, facts);
                }
                // A label inside is reached from the top, past what stands before it.
                let mut region = vec![program.stmt_site(*body)];
                region.extend(init.map(|init| program.stmt_site(init)));
                region.extend(condition.map(|condition| program.expr_site(condition)));
                let inner = self.kept(facts, &region);
                self.unordered(*body, &inner);
            }
            StmtKind::Labelled { value, body, .. } => {
                if let Some(value) = value {
                    self.root(*value, facts);
                }
                self.sequence(body, facts);
            }
            StmtKind::Return(value) => {
                if let Some(value) = value {
                    self.root(*value, facts);
                }
            }
            StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) => {}
            StmtKind::Asm(operands) | StmtKind::Nothing(operands) => {
                for operand in operands {
                    self.root(*operand, facts);
                }
            }
            StmtKind::Try(stmts) => {
                for stmt in stmts {
                    self.statement(*stmt, &Facts::default());
                }
            }
            StmtKind::Opaque { exprs, stmts } => {
                for expr in exprs {
                    self.root(*expr, &Facts::default());
                }
                for stmt in stmts {
                    self.statement(*stmt, &Facts::default());
                }
            }
        }
    }

    /// The body of a `switch`: each statement may be the first that runs.
    fn unordered(&mut self, body: StmtId, facts: &Facts) {
        match &self.program.stmt(body).kind {
            StmtKind::Block(stmts) => {
                for stmt in stmts {
                    self.statement(*stmt, facts);
                }
            }
            _ => self.statement(body, facts),
        }
    }

    /// Statements one after the other.
    fn sequence(&mut self, stmts: &[StmtId], facts: &Facts) {
        let program = self.program;
        // A label in between is reached from elsewhere: only what holds everywhere is kept there.
        let has_label = stmts.iter().any(|stmt| {
            matches!(&program.stmt(*stmt).kind, StmtKind::Labelled { label: Some(_), .. })
        });
        let mut known = if has_label { Facts::default() } else { facts.clone() };
        for stmt in stmts {
            self.statement(*stmt, &known);
            if has_label {
                continue;
            }
            let before = known.clone();
            known = self.kept(&known, &[program.stmt_site(*stmt)]);
            match &program.stmt(*stmt).kind {
                StmtKind::Declaration(_, variables) => {
                    let in_macro = program.stmt_homes.of(stmt.index()).is_some();
                    for id in variables {
                        // A declarator may change what those before it defined.
                        let own = if in_macro {
                            program.stmt_site(*stmt)
                        } else {
                            program.variable(*id).site.full
                        };
                        known = self.kept(&known, &[own]);
                        if let Some(init) = program.variable(*id).init {
                            known = self.define(&known, &before, *id, None, init);
                        }
                    }
                }
                StmtKind::Expr(Some(expr)) => {
                    let expr = program.strip_parens(*expr);
                    if let ExprKind::Assign(
                        op @ (None | Some(BinaryOp::Add | BinaryOp::Sub)),
                        left,
                        right,
                    ) = program.expr(expr).kind
                        && let ExprKind::Name(NameRef::Variable(id)) =
                            program.expr(program.strip_parens(left)).kind
                    {
                        known = self.define(&known, &before, id, op, right);
                    }
                }
                StmtKind::If { init: None, condition: Some(condition), then, otherwise: None }
                    if leaves(program, *then) =>
                {
                    known = self.assume(&known, *condition, false);
                }
                _ => {}
            }
        }
    }

    /// What a variable's new value says.
    fn define(
        &mut self,
        facts: &Facts,
        before: &Facts,
        id: VarId,
        op: Option<BinaryOp>,
        value: ExprId,
    ) -> Facts {
        let program = self.program;
        let is_wide = program
            .types
            .as_scalar(program.variable(id).ty.id)
            .is_some_and(|scalar| scalar.is_integer() && scalar.size() >= 4);
        let site = program.expr_site(value);
        let ty = program.variable(id).ty.id;
        let size = |ty| program.types.as_scalar(ty).map(Scalar::size);
        let narrows = size(program.expr(value).ty.id) > size(ty);
        if !is_wide
            || narrows
            || !is_integer(program, value)
            || widens_wrapped(program, value, ty)
            || turns_negative(program, value, ty)
        {
            return facts.clone();
        }
        let choice = value;
        let Some(value) = self.indices.index(program, value) else { return facts.clone() };
        // A negative value would become a large one.
        let is_unsigned = program.types.as_scalar(ty).is_some_and(Scalar::is_unsigned);
        if is_unsigned
            && !self.is_made_of_naturals(&value)
            && !Prover::new(program, self.indices, &BTreeSet::new())
                .is_at_least_zero(&value, before)
        {
            return facts.clone();
        }
        if !self.is_constant(&value, &[site]) || !self.changes.is_constant_in(id, &[site]) {
            return facts.clone();
        }
        // What it was, where the new value is made of it.
        let own = Atom::Variable(id);
        let old = before.definition(id);
        let new = match (op, old) {
            (Some(BinaryOp::Add), Some(old)) => old.plus(&value),
            (Some(BinaryOp::Sub), Some(old)) => old.minus(&value),
            (Some(_), _) => None,
            (None, _) if !value.atoms().contains(&own) => Some(value),
            (None, Some(old)) => value.replace(&own, old),
            (None, None) => None,
        };
        let unfolded = (op.is_none() && !is_unsigned)
            .then(|| unfolded(program, self.changes, self.indices, facts, choice))
            .flatten()
            .filter(|value| !value.atoms().contains(&own) && self.is_constant(value, &[site]));
        let facts = match unfolded {
            Some(value) => facts.with(Fact::Defined(id, value)),
            None => facts.clone(),
        };
        match new {
            Some(new) if !new.atoms().contains(&own) => facts.with(Fact::Defined(id, new)),
            _ => facts,
        }
    }

    /// The counter of a loop is at least what it starts with, if it is only ever increased.
    fn counted(
        &mut self,
        inner: &Facts,
        init: StmtId,
        step: Option<ExprId>,
        region: &[Span],
    ) -> Facts {
        let program = self.program;
        let mut facts = inner.clone();
        let started = started(program, init);
        for (id, start) in started {
            let is_wide = program
                .types
                .as_scalar(program.variable(id).ty.id)
                .is_some_and(|scalar| scalar.is_integer() && scalar.size() >= 4);
            // Nothing but the step, which is looked at below, may change it.
            let in_step =
                step.map_or(Some(0), |step| self.changes.count_in(id, &[program.expr_site(step)]));
            let in_body = self.changes.count_in(id, region) != in_step || in_step.is_none();
            if !is_wide || in_body || !is_integer(program, start) {
                continue;
            }
            let Some(first) = self.indices.index(program, start) else { continue };
            if !self.is_constant(&first, region) {
                continue;
            }
            let from = Index::atom(Atom::Variable(id)).minus(&first);
            match (step.map(|step| direction(program, step, id)), from) {
                (Some(Some(true)), Some(from)) => facts = facts.with(Fact::AtLeastZero(from)),
                (Some(Some(false)), Some(from)) => {
                    if let Some(down) = from.times(&Index::constant(-1)) {
                        facts = facts.with(Fact::AtLeastZero(down));
                    }
                }
                _ => {}
            }
        }
        facts
    }

    /// Indices that march along: `c = c₀; for (k = k₀; …; ++k) { … c += s; }` has
    /// `c = c₀ + (k − k₀)·s` up to the step, if nothing else changes `c`, and every iteration takes
    /// the step exactly once.
    fn marched(
        &mut self,
        inner: &Facts,
        outer: &Facts,
        init: StmtId,
        step: Option<ExprId>,
        body: StmtId,
        region: &[Span],
    ) -> Facts {
        let program = self.program;
        let StmtKind::Block(stmts) = &program.stmt(body).kind else { return inner.clone() };
        let [(counter, start)] = started(program, init)[..] else { return inner.clone() };
        let counts_by_one = step.is_some_and(|step| {
            matches!(
                program.expr(program.strip_parens(step)).kind,
                ExprKind::Unary(UnaryOp::PreIncrement | UnaryOp::PostIncrement, operand)
                    if matches!(program.expr(program.strip_parens(operand)).kind,
                        ExprKind::Name(NameRef::Variable(id)) if id == counter)
            )
        });
        let whole = program.stmt_site(body);
        let has_continue = program.stmt_ids().any(|stmt| {
            matches!(program.stmt(stmt).kind, StmtKind::Continue)
                && whole.contains(program.stmt_site(stmt))
        });
        let Some(first) = self.indices.index(program, start) else { return inner.clone() };
        if !counts_by_one
            || has_continue
            || self.changes.count_in(counter, region) != Some(1)
            || !self.is_constant(&first, region)
        {
            return inner.clone();
        }
        let mut facts = inner.clone();
        for stmt in stmts {
            let StmtKind::Expr(Some(expr)) = program.stmt(*stmt).kind else { continue };
            let ExprKind::Assign(Some(op @ (BinaryOp::Add | BinaryOp::Sub)), left, right) =
                program.expr(program.strip_parens(expr)).kind
            else {
                continue;
            };
            let ExprKind::Name(NameRef::Variable(id)) =
                program.expr(program.strip_parens(left)).kind
            else {
                continue;
            };
            let is_only = self.changes.count_in(id, region) == Some(1);
            let before = outer.definitions(id).find(|before| self.is_constant(before, region));
            let (Some(before), true) = (before, is_only) else { continue };
            let Some(by) = self.indices.index(program, right) else { continue };
            if !self.is_constant(&by, region) {
                continue;
            }
            let by = if op == BinaryOp::Sub { by.times(&Index::constant(-1)) } else { Some(by) };
            let value = Index::atom(Atom::Variable(counter))
                .minus(&first)
                .zip(by)
                .and_then(|(rounds, by)| rounds.times(&by))
                .and_then(|moved| before.plus(&moved));
            if let Some(value) = value {
                facts = facts.with(Fact::Defined(id, value));
            }
        }
        facts
    }

    /// Whether a value is a sum of products of unsigned values.
    fn is_made_of_naturals(&self, value: &Index) -> bool {
        value.terms().all(|(monomial, coefficient)| {
            coefficient > 0
                && monomial.iter().all(|atom| match atom {
                    Atom::Variable(id) => self
                        .program
                        .types
                        .as_scalar(self.program.variable(*id).ty.id)
                        .is_some_and(Scalar::is_unsigned),
                    Atom::Expression(number) => {
                        builtin_of(self.program, self.indices.expression(*number)).is_some()
                    }
                })
        })
    }

    /// The facts that changes in the regions leave as they are.
    fn kept(&self, facts: &Facts, regions: &[Span]) -> Facts {
        let kept: Vec<&Fact> = facts
            .iter()
            .filter(|fact| match fact {
                Fact::AtLeastZero(index) | Fact::NotZero(index) => self.is_constant(index, regions),
                Fact::Defined(id, index) => {
                    self.changes.is_constant_in(*id, regions) && self.is_constant(index, regions)
                }
                Fact::Extent(_, index) => self.is_constant(index, regions),
            })
            .collect();
        kept.into_iter().rev().fold(Facts::default(), |facts, fact| facts.with(fact.clone()))
    }

    /// Whether all that an index is made of keeps its value in the regions.
    fn is_constant(&self, index: &Index, regions: &[Span]) -> bool {
        index.atoms().iter().all(|atom| match atom {
            Atom::Variable(id) => self.changes.is_constant_in(*id, regions),
            Atom::Expression(number) => {
                self.indices.is_pure(*number)
                    && variables(self.program, self.indices.expression(*number))
                        .into_iter()
                        .all(|id| self.changes.is_constant_in(id, regions))
            }
        })
    }

    /// What the truth of a condition says right behind it.
    fn assume(&mut self, facts: &Facts, condition: ExprId, truth: bool) -> Facts {
        let mut found = Vec::new();
        said(self.program, self.indices, condition, truth, &mut found);
        let site = [self.program.expr_site(condition)];
        found.retain(|fact| match fact {
            Fact::AtLeastZero(index) | Fact::NotZero(index) => self.is_constant(index, &site),
            Fact::Defined(..) | Fact::Extent(..) => true,
        });
        found.into_iter().fold(facts.clone(), |facts, fact| facts.with(fact))
    }
}

/// The variables that the first part of a `for` gives a value.
fn started(program: &Program, init: StmtId) -> Vec<(VarId, ExprId)> {
    match &program.stmt(init).kind {
        StmtKind::Declaration(_, variables) => {
            variables.iter().filter_map(|id| Some((*id, program.variable(*id).init?))).collect()
        }
        StmtKind::Expr(Some(expr)) => match program.expr(program.strip_parens(*expr)).kind {
            ExprKind::Assign(None, left, right) => {
                match program.expr(program.strip_parens(left)).kind {
                    ExprKind::Name(NameRef::Variable(id)) => vec![(id, right)],
                    _ => Vec::new(),
                }
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// Whether a statement always leaves the block around it.
fn leaves(program: &Program, stmt: StmtId) -> bool {
    match &program.stmt(stmt).kind {
        StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) => true,
        StmtKind::Block(stmts) => stmts.last().is_some_and(|last| leaves(program, *last)),
        _ => false,
    }
}

/// Whether the step of a loop increases (`true`) or decreases the variable, and does no more to it.
fn direction(program: &Program, step: ExprId, id: VarId) -> Option<bool> {
    let mut stack = vec![step];
    let mut found = None;
    while let Some(at) = stack.pop() {
        let is_it = |expr: ExprId| {
            matches!(program.expr(program.strip_parens(expr)).kind,
                ExprKind::Name(NameRef::Variable(other)) if other == id)
        };
        let positive = |expr: ExprId| {
            layoutc_syntax::evaluate::constant(program, expr).is_some_and(|value| value >= 0)
                || is_thread_number(program, expr)
        };
        let up = match &program.expr(at).kind {
            ExprKind::Paren(inner) => {
                stack.push(*inner);
                continue;
            }
            ExprKind::Comma(left, right) => {
                stack.extend([*left, *right]);
                continue;
            }
            ExprKind::Unary(UnaryOp::PreIncrement | UnaryOp::PostIncrement, operand)
                if is_it(*operand) =>
            {
                true
            }
            ExprKind::Unary(UnaryOp::PreDecrement | UnaryOp::PostDecrement, operand)
                if is_it(*operand) =>
            {
                false
            }
            ExprKind::Assign(Some(BinaryOp::Add), left, right)
                if is_it(*left) && positive(*right) =>
            {
                true
            }
            ExprKind::Assign(Some(BinaryOp::Sub), left, right)
                if is_it(*left) && positive(*right) =>
            {
                false
            }
            _ => {
                let mentions = variables(program, at).contains(&id);
                if mentions {
                    return None;
                }
                continue;
            }
        };
        if found.replace(up).is_some() {
            return None;
        }
    }
    found
}

/// All variables of an expression.
#[must_use]
pub fn variables(program: &Program, expr: ExprId) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    let mut stack = vec![expr];
    while let Some(at) = stack.pop() {
        if let ExprKind::Name(NameRef::Variable(id)) = program.expr(at).kind {
            found.insert(id);
        }
        stack.extend(program.expr(at).children());
    }
    found
}

/// What the truth of a condition says.
pub fn said(
    program: &Program,
    indices: &mut Indices,
    condition: ExprId,
    truth: bool,
    out: &mut Vec<Fact>,
) {
    match &program.expr(condition).kind {
        ExprKind::Paren(inner) => said(program, indices, *inner, truth, out),
        ExprKind::Unary(UnaryOp::Not, inner) => said(program, indices, *inner, !truth, out),
        ExprKind::Binary(BinaryOp::LogicalAnd, left, right) if truth => {
            said(program, indices, *left, true, out);
            said(program, indices, *right, true, out);
        }
        ExprKind::Binary(BinaryOp::LogicalOr, left, right) if !truth => {
            said(program, indices, *left, false, out);
            said(program, indices, *right, false, out);
        }
        ExprKind::Binary(
            op @ (BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge
            | BinaryOp::Eq
            | BinaryOp::Ne),
            left,
            right,
        ) => {
            if !is_compared_as_integers(program, *left, *right) {
                return;
            }
            let (Some(left), Some(right)) =
                (indices.index(program, *left), indices.index(program, *right))
            else {
                return;
            };
            let (Some(up), Some(down)) = (right.minus(&left), left.minus(&right)) else { return };
            let one = Index::constant(-1);
            let at_least = |index: Index| Fact::AtLeastZero(index);
            let above = |index: Index| index.plus(&one).map(Fact::AtLeastZero);
            let facts = match (op, truth) {
                (BinaryOp::Lt, true) | (BinaryOp::Ge, false) => vec![above(up)],
                (BinaryOp::Le, true) | (BinaryOp::Gt, false) => vec![Some(at_least(up))],
                (BinaryOp::Gt, true) | (BinaryOp::Le, false) => vec![above(down)],
                (BinaryOp::Ge, true) | (BinaryOp::Lt, false) => vec![Some(at_least(down))],
                (BinaryOp::Eq, true) | (BinaryOp::Ne, false) => {
                    vec![Some(at_least(up)), Some(at_least(down))]
                }
                _ => vec![Some(Fact::NotZero(up))],
            };
            out.extend(facts.into_iter().flatten());
        }
        // `if (n)`
        ExprKind::Name(_) | ExprKind::Binary(..) if is_integer_value(program, condition) => {
            let Some(index) = indices.index(program, condition) else { return };
            if truth {
                out.push(Fact::NotZero(index));
            } else if let Some(down) = index.times(&Index::constant(-1)) {
                out.extend([Fact::AtLeastZero(index), Fact::AtLeastZero(down)]);
            }
        }
        _ => {}
    }
}

fn is_integer_value(program: &Program, expr: ExprId) -> bool {
    program.types.as_scalar(program.expr(expr).ty.id).is_some_and(Scalar::is_integer)
}

/// Whether a comparison compares the integers that its operands are, as far as can be told.
///
/// Two types without a sign compare as they are. With one unsigned operand a negative number on the
/// other side becomes a large one, and a difference may have wrapped around: only operands
/// of which neither can happen are taken.
fn is_compared_as_integers(program: &Program, left: ExprId, right: ExprId) -> bool {
    if !is_integer(program, left) || !is_integer(program, right) {
        return false;
    }
    let unsigned = |expr: ExprId| {
        let is_unsigned = program
            .types
            .as_scalar(program.expr(expr).ty.id)
            .is_some_and(|scalar| scalar.is_unsigned() && scalar.size() >= 4);
        is_unsigned || holds_builtin(program, expr)
    };
    if !unsigned(left) && !unsigned(right) {
        return true;
    }
    [left, right].into_iter().all(|side| never_negative(program, side))
}

/// Whether a value is never negative and never the result of wrapping around, whatever the types:
/// unsigned variables, builtins, constants, their sums and products, and plain `int` variables,
/// of which a negative one would have been compared as a huge number: such a guard guards nothing.
fn never_negative(program: &Program, expr: ExprId) -> bool {
    let expr = program.strip_parens(expr);
    if layoutc_syntax::evaluate::constant(program, expr).is_some_and(|value| value >= 0) {
        return true;
    }
    if builtin_of(program, expr).is_some() {
        return true;
    }
    match program.expr(expr).kind {
        ExprKind::Name(NameRef::Variable(id)) => {
            program.types.as_scalar(program.variable(id).ty.id).is_some_and(Scalar::is_unsigned)
        }
        // The number of a thread; sums of variables may wrap around.
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Mul, ..) => is_thread_number(program, expr),
        _ => false,
    }
}

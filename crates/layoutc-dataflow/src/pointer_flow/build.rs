//! Building the pointer program.

use crate::catalogue::Api;
use crate::catalogue::Role;
use crate::classes::{
    ApiCall, Callee, ClassId, Classes, PlaceKind, Slot, constructor_of, exchanged, given_object,
    led_back, operator_operands, record_of, resolve_callee,
};
use crate::layout_type::{
    BlockId, OpIndex, PointerId, PointerKind, PointerOp, PointerProgram, ProcedureId, SiteId,
};
use layoutc_diagnostics::Span;
use layoutc_syntax::{
    BinaryOp, ExprId, ExprKind, FunctionId, NameRef, Program, StmtId, StmtKind, Storage, TypeKind,
    VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// An access to an element.
pub(super) struct ElementAccess {
    pub(super) procedure: ProcedureId,
    pub(super) at: OpIndex,
    pub(super) pointer: PointerId,
    /// The class that the access was assigned to.
    pub(super) class: Option<ClassId>,
    pub(super) span: Span,
}

/// The pointer program with what connects it to the source.
pub(super) struct Built {
    pub(super) program: PointerProgram,
    pub(super) accesses: Vec<ElementAccess>,
    /// Allocations of each class.
    pub(super) sites: BTreeMap<ClassId, Vec<SiteId>>,
    /// Where each site is.
    pub(super) site_spans: Vec<Span>,
    /// Where each pointer is declared.
    pub(super) pointer_spans: Vec<Span>,
}

/// Where `break` and `continue` lead.
#[derive(Clone, Copy)]
struct Targets {
    on_break: Option<BlockId>,
    on_continue: Option<BlockId>,
}

pub(super) fn pointer_program(program: &Program, classes: &Classes) -> Built {
    let mut builder = Builder::new(program, classes);
    for id in program.function_ids() {
        builder.procedure(id);
    }
    for id in program.function_ids() {
        builder.body(id);
    }
    builder.outside();
    builder.symbols();
    builder.built
}

struct Builder<'a> {
    program: &'a Program,
    classes: &'a Classes,
    built: Built,
    procedures: BTreeMap<FunctionId, ProcedureId>,
    /// Parameters of prototypes and definitions, by position, as formals.
    formals: BTreeMap<FunctionId, Vec<Option<PointerId>>>,
    pointers: BTreeMap<Slot, PointerId>,
    /// The cell of slots that are reached through pointers to pointers, by class.
    cells: BTreeMap<Option<ClassId>, PointerId>,
    shared: BTreeSet<VarId>,
    api_of_call: BTreeMap<ExprId, usize>,
    /// What calls of `std::exchange` give back.
    given: BTreeMap<ExprId, PointerId>,
    /// The place of the function being built.
    procedure: ProcedureId,
    block: BlockId,
    labels: BTreeMap<String, BlockId>,
    called: BTreeSet<FunctionId>,
    in_lambda: bool,
    function: FunctionId,
}

impl<'a> Builder<'a> {
    fn new(program: &'a Program, classes: &'a Classes) -> Self {
        let api_of_call =
            classes.api_calls.iter().enumerate().map(|(at, api)| (api.call, at)).collect();
        let built = Built {
            program: PointerProgram::new(),
            accesses: Vec::new(),
            sites: BTreeMap::new(),
            site_spans: Vec::new(),
            pointer_spans: Vec::new(),
        };
        Builder {
            program,
            classes,
            built,
            procedures: BTreeMap::new(),
            formals: BTreeMap::new(),
            pointers: BTreeMap::new(),
            cells: BTreeMap::new(),
            shared: shared_variables(program, classes),
            api_of_call,
            given: BTreeMap::new(),
            procedure: ProcedureId(0),
            block: BlockId(0),
            labels: BTreeMap::new(),
            called: BTreeSet::new(),
            in_lambda: false,
            function: FunctionId(0),
        }
    }

    fn add_pointer(&mut self, name: &str, kind: PointerKind, span: Span) -> PointerId {
        self.built.pointer_spans.push(span);
        self.built.program.add_pointer(name, kind)
    }

    /// Adds the procedure of a function with its formals.
    fn procedure(&mut self, id: FunctionId) {
        let function = self.program.function(id);
        let procedure = self.built.program.add_procedure(&function.name);
        self.procedures.insert(id, procedure);
        let mut formals = Vec::new();
        // The object of a version of a member function comes last.
        for parameter in function.parameters.iter().chain(&function.this_parameter) {
            let is_pointer = self.holds_pointer(*parameter);
            formals.push(is_pointer.then(|| {
                let span = self.program.variable(*parameter).site.name;
                self.built.pointer_spans.push(span);
                self.built.program.add_formal(procedure, &self.program.variable(*parameter).name)
            }));
        }
        self.formals.insert(id, formals);
    }

    /// Whether a variable holds a pointer to records or refers to an element.
    fn holds_pointer(&self, variable: VarId) -> bool {
        let ty = self.program.variable(variable).ty;
        match record_of(self.program, ty) {
            Some((_, depth)) => {
                depth > 0 || matches!(self.program.types.kind(ty.id), TypeKind::Reference(..))
            }
            None => false,
        }
    }

    /// Whether a variable is an array that holds records.
    fn is_array_of_records(&self, variable: VarId) -> bool {
        let ty = self.program.variable(variable).ty;
        let mut item = ty;
        while let TypeKind::Array(of, _) = *self.program.types.kind(item.id) {
            item = of;
        }
        item != ty && self.program.types.as_record(item.id).is_some()
    }

    /// The pointer of a slot.
    fn pointer(&mut self, slot: Slot) -> PointerId {
        let class = self.classes.class_of_slot(slot);
        let (is_cell, is_local, name, span) = match slot {
            Slot::Variable(id) => {
                let variable = self.program.variable(id);
                let depth = record_of(self.program, variable.ty).map_or(0, |(_, depth)| depth);
                let is_static = variable.storage == Storage::Static;
                (
                    depth > 1 || (self.shared.contains(&id) && !is_static),
                    !is_static && depth <= 1,
                    variable.name.clone(),
                    variable.site.name,
                )
            }
            Slot::Field(id) => (
                false,
                false,
                self.program.field(id).name.clone(),
                self.program.field(id).site.name,
            ),
            Slot::Result(id) => {
                let function = self.program.function(id);
                (false, false, function.name.clone(), function.sites[0].name)
            }
        };
        if is_cell {
            if let Some(cell) = self.cells.get(&class) {
                return *cell;
            }
            let cell = self.add_pointer(&name, PointerKind::Shared, span);
            self.cells.insert(class, cell);
            return cell;
        }
        if let Some(known) = self.pointers.get(&slot) {
            return *known;
        }
        let kind = if is_local { PointerKind::Local(self.procedure) } else { PointerKind::Shared };
        let pointer = self.add_pointer(&name, kind, span);
        self.pointers.insert(slot, pointer);
        pointer
    }

    fn push(&mut self, op: PointerOp, span: Span) -> OpIndex {
        self.built.program.push(self.procedure, self.block, op, span)
    }

    fn new_block(&mut self) -> BlockId {
        self.built.program.add_block(self.procedure)
    }

    fn edge(&mut self, from: BlockId, to: BlockId) {
        self.built.program.add_edge(self.procedure, from, to);
    }

    fn temporary(&mut self, span: Span) -> PointerId {
        self.add_pointer("", PointerKind::Local(self.procedure), span)
    }

    /// The body of a function.
    fn body(&mut self, id: FunctionId) {
        let function = self.program.function(id);
        let Some(body) = function.body else { return };
        self.procedure = self.procedures[&id];
        self.function = id;
        self.block = BlockId(0);
        self.labels.clear();
        let formals = self.formals[&id].clone();
        let parameters = function.parameters.iter().chain(&function.this_parameter);
        for (parameter, formal) in parameters.zip(formals) {
            let Some(formal) = formal else { continue };
            let span = self.program.variable(*parameter).site.name;
            let target = self.pointer(Slot::Variable(*parameter));
            self.push(PointerOp::Copy { target, source: formal }, span);
        }
        self.collect_labels(body);
        self.statement(body, Targets { on_break: None, on_continue: None });
    }

    /// Code that is not given may call what nobody calls, unless the program is complete.
    fn outside(&mut self) {
        let complete = self
            .program
            .functions
            .iter()
            .any(|function| function.name == "main" && function.body.is_some());
        if !complete {
            return;
        }
        let idle: Vec<FunctionId> =
            self.program.function_ids().filter(|id| !self.called.contains(id)).collect();
        let procedure = self.built.program.add_procedure("(never called)");
        (self.procedure, self.block) = (procedure, BlockId(0));
        for id in idle {
            let span = self.program.function(id).sites[0].name;
            let mut bindings = Vec::new();
            for formal in self.formals[&id].clone().into_iter().flatten() {
                let nothing = self.temporary(span);
                self.push(PointerOp::Null { pointer: nothing }, span);
                bindings.push((formal, nothing));
            }
            let callee = self.procedures[&id];
            self.push(PointerOp::Call { callee, bindings, results: Vec::new() }, span);
        }
    }

    /// Arrays at file scope have their memory before anything runs.
    fn symbols(&mut self) {
        let procedure = self.built.program.add_procedure("(symbols)");
        (self.procedure, self.block) = (procedure, BlockId(0));
        for class in self.classes.ids() {
            for symbol in &self.classes.class(class).symbols {
                // Local arrays have it where they are declared.
                if self.program.variable(*symbol).storage == Storage::Local {
                    continue;
                }
                let span = self.program.variable(*symbol).site.name;
                let pointer = self.pointer(Slot::Variable(*symbol));
                let site = SiteId(self.built.site_spans.len() as u32);
                self.built.site_spans.push(span);
                self.built.sites.entry(class).or_default().push(site);
                self.push(PointerOp::Allocate { pointer, site }, span);
            }
        }
    }

    /// A pointer that goes to a symbol or comes from one.
    fn symbol_call(&mut self, api: &ApiCall) {
        let (Some(symbol), Some(address)) =
            (api.row.position(Role::Symbol), api.row.position(Role::PointerAddress))
        else {
            return;
        };
        let span = self.program.expr(api.call).span;
        let symbol = api.arguments[symbol];
        let mut pointer = api.arguments[address];
        while let ExprKind::Paren(inner)
        | ExprKind::Cast { operand: inner, .. }
        | ExprKind::AddressOf(inner) = self.program.expr(pointer).kind
        {
            pointer = inner;
        }
        let (to, from) =
            if api.api == Api::PointerToSymbol { (symbol, pointer) } else { (pointer, symbol) };
        if self.classes.places.value(to).is_some()
            && let Source::Pointer(target) = self.source(to)
        {
            self.assign(target, from, span);
        }
    }

    fn collect_labels(&mut self, start: StmtId) {
        // Statements below a body come before it in the arena, and behind those of other bodies.
        let span = self.program.stmt(start).span;
        for stmt in (0..start.0).rev().map(StmtId) {
            if !span.contains(self.program.stmt_site(stmt)) {
                break;
            }
            if let StmtKind::Labelled { label: Some(label), .. } = &self.program.stmt(stmt).kind {
                let block = self.new_block();
                self.labels.insert(label.to_string(), block);
            }
        }
    }

    fn statements(&mut self, body: &[StmtId], targets: Targets) {
        for stmt in body {
            self.statement(*stmt, targets);
        }
    }

    fn statement(&mut self, id: StmtId, targets: Targets) {
        match &self.program.stmt(id).kind {
            StmtKind::Expr(expr) => {
                if let Some(expr) = expr {
                    self.expression(*expr);
                }
            }
            StmtKind::Declaration(_, variables) => {
                for variable in variables {
                    self.declared(*variable);
                }
            }
            StmtKind::Block(body) => self.statements(body, targets),
            StmtKind::If { init, condition, then, otherwise } => {
                init.iter().for_each(|init| self.statement(*init, targets));
                condition.iter().for_each(|condition| self.expression(*condition));
                let (from, end) = (self.block, self.new_block());
                for branch in [Some(*then), *otherwise] {
                    let block = self.new_block();
                    self.edge(from, block);
                    self.block = block;
                    branch.iter().for_each(|branch| self.statement(*branch, targets));
                    let last = self.block;
                    self.edge(last, end);
                }
                self.block = end;
            }
            StmtKind::For { init, condition, step, body } => {
                init.iter().for_each(|init| self.statement(*init, targets));
                self.looped(condition.as_slice(), step.as_slice(), &[], *body, true);
            }
            StmtKind::ForRange { variable, range, body } => {
                self.expression(*range);
                self.looped(&[], &[], variable, *body, true);
            }
            StmtKind::While { init, condition, body } => {
                init.iter().for_each(|init| self.statement(*init, targets));
                self.looped(condition.as_slice(), &[], &[], *body, true);
            }
            StmtKind::DoWhile { body, condition } => {
                self.looped(&[*condition], &[], &[], *body, false)
            }
            StmtKind::Switch { init, condition, body } => {
                init.iter().for_each(|init| self.statement(*init, targets));
                condition.iter().for_each(|condition| self.expression(*condition));
                let (head, end, inside) = (self.block, self.new_block(), self.new_block());
                self.edge(head, end);
                self.edge(head, inside);
                self.block = inside;
                self.switch_body(*body, head, Targets { on_break: Some(end), ..targets });
                let last = self.block;
                self.edge(last, end);
                self.block = end;
            }
            StmtKind::Labelled { label, value, body } => {
                value.iter().for_each(|value| self.expression(*value));
                if let Some(block) =
                    label.as_ref().and_then(|label| self.labels.get(&**label)).copied()
                {
                    let from = self.block;
                    self.edge(from, block);
                    self.block = block;
                }
                self.statements(body, targets);
            }
            StmtKind::Return(value) => {
                if let Some(value) = value {
                    self.expression(*value);
                    if !self.in_lambda {
                        self.returned(id, *value);
                    }
                }
                self.block = self.new_block();
            }
            StmtKind::Break => self.jump(targets.on_break),
            StmtKind::Continue => self.jump(targets.on_continue),
            StmtKind::Goto(label) => {
                let target = self.labels.get(&**label).copied();
                self.jump(target);
            }
            StmtKind::Try(blocks) => {
                // A handler may run after any part of the block.
                let (from, end) = (self.block, self.new_block());
                for block in blocks {
                    let inside = self.new_block();
                    self.edge(from, inside);
                    self.block = inside;
                    self.statement(*block, targets);
                    let last = self.block;
                    self.edge(last, end);
                }
                self.block = end;
            }
            StmtKind::Opaque { exprs, stmts } => {
                exprs.iter().for_each(|expr| self.expression(*expr));
                self.statements(stmts, targets);
            }
            StmtKind::Asm(_) | StmtKind::Nothing(_) => {}
        }
    }

    /// Code behind a jump is reached by labels only.
    fn jump(&mut self, target: Option<BlockId>) {
        if let Some(target) = target {
            let from = self.block;
            self.edge(from, target);
        }
        self.block = self.new_block();
    }

    /// The body of a `switch`: each case can be entered from the head.
    fn switch_body(&mut self, body: StmtId, head: BlockId, targets: Targets) {
        let StmtKind::Block(statements) = &self.program.stmt(body).kind else {
            self.statement(body, targets);
            return;
        };
        for stmt in statements {
            if let StmtKind::Labelled { label: None, .. } = self.program.stmt(*stmt).kind {
                let (from, block) = (self.block, self.new_block());
                self.edge(from, block);
                self.edge(head, block);
                self.block = block;
            }
            self.statement(*stmt, targets);
        }
    }

    fn looped(
        &mut self,
        condition: &[ExprId],
        step: &[ExprId],
        variables: &[VarId],
        body: StmtId,
        may_skip: bool,
    ) {
        let (from, head, inside, next, end) =
            (self.block, self.new_block(), self.new_block(), self.new_block(), self.new_block());
        self.edge(from, if may_skip { head } else { inside });
        self.block = head;
        condition.iter().for_each(|condition| self.expression(*condition));
        let decided = self.block;
        self.edge(decided, inside);
        self.edge(decided, end);
        self.block = inside;
        variables.iter().for_each(|variable| self.declared(*variable));
        self.statement(body, Targets { on_break: Some(end), on_continue: Some(next) });
        let last = self.block;
        self.edge(last, next);
        self.block = next;
        step.iter().for_each(|step| self.expression(*step));
        let stepped = self.block;
        self.edge(stepped, head);
        self.block = end;
    }

    /// A declaration with or without a value.
    fn declared(&mut self, id: VarId) {
        let variable = self.program.variable(id);
        if let Some(init) = variable.init {
            self.expression(init);
        }
        if !self.holds_pointer(id) || variable.storage == Storage::Static {
            return;
        }
        let span = variable.site.full;
        let target = self.pointer(Slot::Variable(id));
        if let Some(class) = self.classes.class_of_slot(Slot::Variable(id))
            && self.classes.class(class).symbols.contains(&id)
        {
            let site = SiteId(self.built.site_spans.len() as u32);
            self.built.site_spans.push(span);
            self.built.sites.entry(class).or_default().push(site);
            self.push(PointerOp::Allocate { pointer: target, site }, span);
            return;
        }
        match variable.init {
            // An array of records holds them by value.
            Some(_) if self.is_array_of_records(id) => {
                self.push(PointerOp::Declare { pointer: target }, span);
            }
            Some(init) => self.assign(target, init, span),
            None if self.built.program.is_shared(target) => {}
            None => {
                self.push(PointerOp::Null { pointer: target }, span);
            }
        }
    }

    fn returned(&mut self, stmt: StmtId, value: ExprId) {
        let span = self.program.stmt(stmt).span;
        let function = self.function;
        let result = self.program.function(function).result;
        if record_of(self.program, result).is_some_and(|(_, depth)| depth > 0) {
            let target = self.pointer(Slot::Result(function));
            self.assign(target, value, span);
        }
    }

    /// `target = value`, for a pointer or a reference.
    fn assign(&mut self, target: PointerId, value: ExprId, span: Span) {
        let mut value = self.program.strip_parens(value);
        // The address of a choice is a choice of addresses.
        if let ExprKind::AddressOf(operand) = self.program.expr(value).kind {
            let operand = self.program.strip_parens(operand);
            if matches!(self.program.expr(operand).kind, ExprKind::Conditional(..)) {
                value = operand;
            }
        }
        // What a call gives back is its object.
        while self.classes.places.place(value).is_some()
            && let Some(object) = given_object(self.program, value)
            && self.classes.places.place(object).is_some()
        {
            value = self.program.strip_parens(object);
        }
        if self.host_allocation(target, value) {
            return;
        }
        match &self.program.expr(value).kind {
            ExprKind::Conditional(_, then, otherwise) => {
                let (from, end) = (self.block, self.new_block());
                for branch in [*then, *otherwise] {
                    let block = self.new_block();
                    self.edge(from, block);
                    self.block = block;
                    self.assign(target, branch, span);
                    let last = self.block;
                    self.edge(last, end);
                }
                self.block = end;
            }
            ExprKind::InitList(items) => {
                for item in items {
                    self.assign(target, *item, span);
                }
            }
            _ => {
                let op = match self.source(value) {
                    Source::Nothing => PointerOp::Null { pointer: target },
                    Source::Unknown => PointerOp::Declare { pointer: target },
                    Source::Pointer(source) => PointerOp::Copy { target, source },
                    Source::Element(source) => PointerOp::ElementOf { target, source },
                };
                self.push(op, span);
            }
        }
    }

    /// What a pointer or element expression refers to.
    fn source(&mut self, expr: ExprId) -> Source {
        let value = self.classes.places.value(expr);
        let place = self.classes.places.place(expr);
        if place.is_some()
            && let Some(object) = given_object(self.program, expr)
        {
            let inner = self.source(object);
            let is_element = self.classes.places.place(object).is_some();
            return if is_element { inner } else { inner.element() };
        }
        if let Some(element) = self.program.row_start(expr) {
            return self.source(element).element();
        }
        match &self.program.expr(expr).kind {
            ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. } => self.source(*inner),
            ExprKind::Null | ExprKind::Integer(Some(0)) => Source::Nothing,
            ExprKind::Name(NameRef::Variable(id)) if self.holds_pointer(*id) => {
                Source::Pointer(self.pointer(Slot::Variable(*id)))
            }
            // An object: its memory has the source's layout.
            ExprKind::Name(_) => Source::Unknown,
            ExprKind::Member { field: Some(field), .. } if value.is_some() => {
                Source::Pointer(self.pointer(Slot::Field(*field)))
            }
            ExprKind::AddressOf(operand) => self.source(*operand).element(),
            ExprKind::Deref(operand) | ExprKind::Index { base: operand, .. } => {
                let inner = self.source(*operand);
                if place.is_some() { inner.element() } else { inner }
            }
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, left, right) => {
                let base = if self.classes.places.value(*left).is_some() { *left } else { *right };
                self.source(base).element()
            }
            ExprKind::Unary(op, operand) if op.is_update() => self.source(*operand).element(),
            ExprKind::Assign(_, left, _) => self.source(*left),
            ExprKind::Comma(_, right) => self.source(*right),
            ExprKind::Call { callee, arguments, .. } if value.is_some() || place.is_some() => {
                match resolve_callee(self.program, *callee, arguments) {
                    Callee::Function(function) => {
                        Source::Pointer(self.pointer(Slot::Result(function)))
                    }
                    // What `std::exchange(p, q)` gives back, it had before.
                    Callee::Library(name) => {
                        match led_back(self.program, *callee, &name, arguments) {
                            Some(given) => match self.given.get(&expr) {
                                Some(kept) => Source::Pointer(*kept),
                                None => self.source(given),
                            },
                            None => Source::Unknown,
                        }
                    }
                    Callee::Ambiguous(_) | Callee::Unknown => Source::Unknown,
                }
            }
            _ => Source::Unknown,
        }
    }

    /// The effects of an expression, operands first.
    fn expression(&mut self, expr: ExprId) {
        let span = self.program.expr(expr).span;
        for child in self.program.expr(expr).children() {
            self.expression(child);
        }
        self.list(expr, span);
        match &self.program.expr(expr).kind {
            ExprKind::Assign(None, left, right) => {
                if self.classes.places.value(*left).is_some()
                    && let Source::Pointer(target) = self.source(*left)
                {
                    self.assign(target, *right, span);
                }
            }
            ExprKind::Call { callee, arguments, .. } if !self.allocation(expr) => {
                let object = match self.program.expr(self.program.strip_parens(*callee)).kind {
                    ExprKind::Member { base, .. } => Some(base),
                    _ => None,
                };
                let callee = resolve_callee(self.program, *callee, arguments);
                self.exchange(expr, &callee, arguments, span);
                self.call(&callee, arguments, object, span);
            }
            ExprKind::Launch { kernel, arguments, .. } => {
                let callee = resolve_callee(self.program, *kernel, arguments);
                self.call(&callee, arguments, None, span);
            }
            ExprKind::Construct { of, arguments } => {
                if let Some(constructor) = constructor_of(self.program, *of, arguments) {
                    self.call(&Callee::Function(constructor), arguments, None, span);
                }
            }
            ExprKind::Binary(..)
            | ExprKind::Assign(Some(_), ..)
            | ExprKind::Unary(..)
            | ExprKind::Index { .. } => {
                if let Some((function, object, operands)) = operator_operands(self.program, expr) {
                    self.call(&Callee::Function(function), &operands, object, span);
                }
            }
            ExprKind::Lambda { body, .. } => {
                // It may run here, or later: what it captures by reference is a shared cell.
                let (from, inside, end) = (self.block, self.new_block(), self.new_block());
                self.edge(from, inside);
                self.edge(from, end);
                self.block = inside;
                let outer = std::mem::replace(&mut self.in_lambda, true);
                self.statement(*body, Targets { on_break: None, on_continue: None });
                self.in_lambda = outer;
                let last = self.block;
                self.edge(last, end);
                self.block = end;
            }
            _ => {}
        }
        self.access(expr);
    }

    /// The members that the items of a list fill.
    fn list(&mut self, list: ExprId, span: Span) {
        let (ExprKind::InitList(items) | ExprKind::Construct { arguments: items, .. }) =
            &self.program.expr(list).kind
        else {
            return;
        };
        for item in items {
            if let Some(Slot::Field(field)) = self.classes.list_slots.get(item).copied()
                && self.classes.class_of_slot(Slot::Field(field)).is_some()
            {
                let target = self.pointer(Slot::Field(field));
                self.assign(target, *item, span);
            }
        }
    }

    /// An element that the expression reaches through a pointer.
    fn access(&mut self, expr: ExprId) {
        let reached = match &self.program.expr(expr).kind {
            ExprKind::Index { base, .. }
            | ExprKind::Deref(base)
            | ExprKind::Member { base, arrow: true, .. } => *base,
            _ => return,
        };
        let Some(value) = self.classes.places.value(reached).filter(|value| value.depth == 1)
        else {
            return;
        };
        let _ = value;
        let span = self.program.expr(expr).span;
        let class = self.classes.value(reached).map(|(class, _)| class);
        let pointer = match self.source(reached) {
            Source::Pointer(pointer) | Source::Element(pointer) => pointer,
            Source::Nothing | Source::Unknown => return,
        };
        let at = self.push(PointerOp::Use { pointer }, span);
        self.built.accesses.push(ElementAccess {
            procedure: self.procedure,
            at,
            pointer,
            class,
            span,
        });
    }

    /// `target = new T[n]` for a host array in the layout of a class.
    fn host_allocation(&mut self, target: PointerId, value: ExprId) -> bool {
        let Some((class, allocation)) = self.classes.host_allocation(value) else { return false };
        let span = self.program.expr(allocation.call).span;
        let site = SiteId(self.built.site_spans.len() as u32);
        self.built.site_spans.push(span);
        self.built.sites.entry(class).or_default().push(site);
        self.push(PointerOp::Allocate { pointer: target, site }, span);
        true
    }

    /// `cudaMalloc(&p, …)`.
    fn allocation(&mut self, call: ExprId) -> bool {
        let Some(api) = self.api_of_call.get(&call).map(|at| &self.classes.api_calls[*at]) else {
            return false;
        };
        if !api.row.allocates() {
            let api = api.clone();
            self.symbol_call(&api);
            return true;
        }
        let span = self.program.expr(call).span;
        let mut pointer = api.arguments[0];
        while let ExprKind::Paren(inner)
        | ExprKind::Cast { operand: inner, .. }
        | ExprKind::AddressOf(inner) = self.program.expr(pointer).kind
        {
            pointer = inner;
        }
        let Some((class, _)) = self.classes.value(pointer) else { return true };
        if let Source::Pointer(pointer) | Source::Element(pointer) = self.source(pointer) {
            let site = SiteId(self.built.site_spans.len() as u32);
            self.built.site_spans.push(span);
            self.built.sites.entry(class).or_default().push(site);
            self.push(PointerOp::Allocate { pointer, site }, span);
        }
        true
    }

    /// `std::exchange(p, q)`: what `p` was is kept for what is made of the call.
    fn exchange(&mut self, call: ExprId, callee: &Callee, arguments: &[ExprId], span: Span) {
        let Callee::Library(name) = callee else { return };
        let Some((target, value)) = exchanged(name, arguments) else { return };
        if self.classes.places.value(target).is_none() {
            return;
        }
        if let Source::Pointer(pointer) = self.source(target) {
            let kept = self.temporary(span);
            self.push(PointerOp::Copy { target: kept, source: pointer }, span);
            self.given.insert(call, kept);
            self.assign(pointer, value, span);
        }
    }

    fn call(&mut self, callee: &Callee, arguments: &[ExprId], object: Option<ExprId>, span: Span) {
        let function = match callee {
            Callee::Function(function) => *function,
            Callee::Library(name) if name == "swap" => {
                if let [left, right] = arguments[..]
                    && let (Source::Pointer(a), Source::Pointer(b)) =
                        (self.source(left), self.source(right))
                {
                    let kept = self.temporary(span);
                    self.push(PointerOp::Copy { target: kept, source: a }, span);
                    self.push(PointerOp::Copy { target: a, source: b }, span);
                    self.push(PointerOp::Copy { target: b, source: kept }, span);
                }
                return;
            }
            Callee::Library(_) | Callee::Ambiguous(_) | Callee::Unknown => return,
        };
        self.called.insert(function);
        let formals = self.formals[&function].clone();
        let mut bindings = Vec::new();
        for (at, formal) in formals.into_iter().enumerate() {
            let own = self.program.function(function);
            let (parameter, argument) = match own.parameters.get(at) {
                Some(parameter) => (*parameter, arguments.get(at).copied()),
                None => match own.this_parameter {
                    Some(this) => (this, object),
                    None => continue,
                },
            };
            let (Some(formal), Some(argument)) = (formal, argument) else { continue };
            // A reader gets a copy of the element; a record by value is no pointer.
            let actual = self.temporary(span);
            if self.classes.reader_parameters.contains(&parameter) {
                self.push(PointerOp::Null { pointer: actual }, span);
            } else {
                self.assign(actual, argument, span);
            }
            bindings.push((formal, actual));
        }
        let callee = self.procedures[&function];
        self.push(PointerOp::Call { callee, bindings, results: Vec::new() }, span);
    }
}

/// What a pointer expression refers to.
#[derive(Clone, Copy)]
enum Source {
    /// A null pointer.
    Nothing,
    /// Memory that is not followed; it has the source's layout.
    Unknown,
    /// What this pointer points to.
    Pointer(PointerId),
    /// An element of what this pointer points to.
    Element(PointerId),
}

impl Source {
    fn element(self) -> Self {
        match self {
            Source::Pointer(pointer) => Source::Element(pointer),
            other => other,
        }
    }
}

/// Variables that cannot be followed along the control flow: their address is taken other than to
/// allocate them, or they are assigned inside an expression.
fn shared_variables(program: &Program, classes: &Classes) -> BTreeSet<VarId> {
    let mut own_statement = BTreeSet::new();
    for stmt in &program.stmts {
        match stmt.kind {
            StmtKind::Expr(Some(expr)) => {
                own_statement.insert(expr);
            }
            StmtKind::For { step: Some(step), .. } => {
                own_statement.insert(step);
            }
            _ => {}
        }
    }
    let allocated: BTreeSet<ExprId> = classes
        .api_calls
        .iter()
        .filter(|api| api.row.allocates())
        .map(|api| {
            let mut at = api.arguments[0];
            while let ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. } =
                program.expr(at).kind
            {
                at = inner;
            }
            at
        })
        .collect();
    let variable = |expr: ExprId| match program.expr(program.strip_parens(expr)).kind {
        ExprKind::Name(NameRef::Variable(id)) => Some(id),
        _ => None,
    };
    let mut shared = BTreeSet::new();
    for id in program.expr_ids() {
        match &program.expr(id).kind {
            ExprKind::AddressOf(operand)
                if !allocated.contains(&id)
                // The address of an element is no address of the pointer.
                && (!matches!(classes.places.place(*operand), Some(place) if place.kind == PlaceKind::Element)
                    || classes.places.value(*operand).is_some()) =>
            {
                shared.extend(variable(*operand));
            }
            ExprKind::Assign(None, left, _) if !own_statement.contains(&id) => {
                shared.extend(variable(*left))
            }
            ExprKind::Lambda { .. } | ExprKind::Opaque(_) => {
                shared.extend(program.expr(id).children().filter_map(variable));
            }
            ExprKind::Call { callee, arguments, .. } => {
                // Bound to a reference to a pointer, it may be assigned there.
                if let Callee::Function(function) = resolve_callee(program, *callee, arguments) {
                    for (parameter, argument) in
                        program.function(function).parameters.iter().zip(arguments)
                    {
                        let ty = program.variable(*parameter).ty;
                        let depth = record_of(program, ty).map_or(0, |(_, depth)| depth);
                        if depth > 0 && matches!(program.types.kind(ty.id), TypeKind::Reference(..))
                        {
                            shared.extend(variable(*argument));
                            shared.insert(*parameter);
                        }
                    }
                }
            }
            _ => {}
        }
    }
    shared
}

//! The form of each value that indices are made of.
//!
//! Definitions are followed without regard to the order of statements: what a layout is chosen by
//! need not be proven. A variable with several values has a form where they agree but for a constant.

use super::form::Form;
use crate::grid::{Auxiliary, Column};
use crate::index_form::{Definition, Definitions, mentions};
use layoutc_dataflow::catalogue::builtins::{Axis, Builtin, builtin_of, vector};
use layoutc_dataflow::classes::{Callee, resolve_callee};
use layoutc_dataflow::grid::index::{Atom, Index, Indices, single_result};
use layoutc_syntax::{
    BinaryOp, ExprId, ExprKind, FunctionId, NameRef, Program, Storage, UnaryOp, VarId, evaluate,
};
use std::collections::BTreeMap;

/// How deep definitions and calls are followed.
const DEPTH: usize = 48;
/// How many expressions one question may look at.
const BUDGET: usize = 4000;
/// Larger remainders are wrap-arounds and not parities.
const LARGEST_PARITY: i64 = 16;

/// The forms of a program's values.
pub(crate) struct Values<'a> {
    program: &'a Program,
    definitions: &'a Definitions,
    known: BTreeMap<VarId, Form>,
    /// Parameters of functions that are one expression.
    bound: Vec<(VarId, Form)>,
    /// Variables that are being looked at.
    open: Vec<VarId>,
    /// The outermost of them that was met again.
    cut: usize,
    /// What is left for the question that is being answered.
    budget: usize,
}

impl<'a> Values<'a> {
    /// The values of a program.
    pub(crate) fn new(program: &'a Program, definitions: &'a Definitions) -> Self {
        Values {
            program,
            definitions,
            known: BTreeMap::new(),
            bound: Vec::new(),
            open: Vec::new(),
            cut: usize::MAX,
            budget: 0,
        }
    }

    /// The form of an index.
    pub(super) fn index(&mut self, indices: &Indices, index: &Index) -> Form {
        self.budget = BUDGET;
        let mut sum = Form::default();
        for (monomial, coefficient) in index.terms() {
            let mut product = Form::constant(coefficient);
            for atom in monomial {
                let (form, text) = match atom {
                    Atom::Variable(id) => {
                        (self.variable(*id, DEPTH), self.program.variable(*id).name.clone())
                    }
                    Atom::Expression(number) => {
                        let expr = indices.expression(*number);
                        (self.of(expr, DEPTH), self.text(expr))
                    }
                };
                product = product.times(&form, &text);
            }
            sum = sum.plus(&product, "the index");
        }
        sum
    }

    /// The form of an expression.
    pub(super) fn form(&mut self, expr: ExprId) -> Form {
        self.budget = BUDGET;
        self.of(expr, DEPTH)
    }

    /// The source's text, on one line.
    fn text(&self, expr: ExprId) -> String {
        let text = self.program.text(self.program.expr(expr).span);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn of(&mut self, expr: ExprId, depth: usize) -> Form {
        let program = self.program;
        if let Some(value) = evaluate::constant(program, expr) {
            return Form::constant(value);
        }
        let (Some(depth), Some(budget)) = (depth.checked_sub(1), self.budget.checked_sub(1)) else {
            return Form::opaque(&self.text(expr));
        };
        self.budget = budget;
        match &program.expr(expr).kind {
            ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. } => {
                self.of(*inner, depth)
            }
            ExprKind::Unary(UnaryOp::Plus, inner) => self.of(*inner, depth),
            ExprKind::Unary(UnaryOp::Minus, inner) => {
                let text = self.text(expr);
                self.of(*inner, depth).times(&Form::constant(-1), &text)
            }
            ExprKind::Name(NameRef::Variable(id)) => self.variable(*id, depth),
            ExprKind::Member { .. } | ExprKind::Call { .. }
                if let Some((builtin, axis)) = builtin_of(program, expr) =>
            {
                of_builtin(builtin, axis)
            }
            ExprKind::Binary(op, left, right) => self.binary(expr, *op, *left, *right, depth),
            ExprKind::Conditional(_, then, otherwise) => {
                let (then, otherwise) = (self.of(*then, depth), self.of(*otherwise, depth));
                then.join(otherwise, &self.text(expr))
            }
            ExprKind::Comma(_, value) | ExprKind::Assign(None, _, value) => self.of(*value, depth),
            ExprKind::Call { callee, arguments, .. } => {
                match resolve_callee(program, *callee, arguments) {
                    Callee::Library(name)
                        if matches!(name.as_str(), "min" | "max" | "std::min" | "std::max")
                            && arguments.len() == 2 =>
                    {
                        let left = self.of(arguments[0], depth);
                        let right = self.of(arguments[1], depth);
                        left.join(right, &self.text(expr))
                    }
                    Callee::Function(function) => self
                        .inlined(function, arguments, depth)
                        .unwrap_or_else(|| self.other(expr, depth)),
                    Callee::Library(_) | Callee::Ambiguous(_) | Callee::Unknown => {
                        self.other(expr, depth)
                    }
                }
            }
            _ => self.other(expr, depth),
        }
    }

    fn binary(
        &mut self,
        expr: ExprId,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
        depth: usize,
    ) -> Form {
        let text = self.text(expr);
        let by = evaluate::constant(self.program, right);
        let (a, b) = (self.of(left, depth), self.of(right, depth));
        match op {
            BinaryOp::Add => a.plus(&b, &text),
            BinaryOp::Sub => a.plus(&b.times(&Form::constant(-1), &text), &text),
            BinaryOp::Mul => a.times(&b, &text),
            _ if a.is_uniform() && b.is_uniform() => Form::symbol(&text),
            BinaryOp::Shl => match by {
                Some(by @ 0..=31) => a.times(&Form::constant(1 << by), &text),
                _ => Form::opaque(&text),
            },
            BinaryOp::Rem if b.is_uniform() => remainder(a, by, &text),
            BinaryOp::And if b.is_uniform() => match by {
                Some(mask) if mask >= 0 && (mask + 1).count_ones() == 1 => {
                    remainder(a, Some(mask + 1), &text)
                }
                _ => Form::opaque(&text),
            },
            BinaryOp::And if a.is_uniform() => match evaluate::constant(self.program, left) {
                Some(mask) if mask >= 0 && (mask + 1).count_ones() == 1 => {
                    remainder(b, Some(mask + 1), &text)
                }
                _ => Form::opaque(&text),
            },
            BinaryOp::Div if b.is_uniform() => quotient(a, by, &text),
            BinaryOp::Shr => match by {
                Some(by @ 0..=31) => quotient(a, Some(1 << by), &text),
                _ => Form::opaque(&text),
            },
            _ => Form::opaque(&text),
        }
    }

    /// A value without operators that are followed: the same in all threads if all that it is made of
    /// is.
    fn other(&mut self, expr: ExprId, depth: usize) -> Form {
        let text = self.text(expr);
        let children = self.program.expr(expr).children();
        let is_uniform = match &self.program.expr(expr).kind {
            ExprKind::Name(NameRef::Unknown(_)) => {
                vector(self.program, expr).is_none_or(Builtin::is_size)
            }
            ExprKind::Opaque(_) | ExprKind::Lambda { .. } | ExprKind::MacroCall { .. } => false,
            _ => children.into_iter().all(|child| self.of(child, depth).is_uniform()),
        };
        if is_uniform { Form::symbol(&text) } else { Form::opaque(&text) }
    }

    /// The value of a call of a function that is one expression.
    fn inlined(
        &mut self,
        function: FunctionId,
        arguments: &[ExprId],
        depth: usize,
    ) -> Option<Form> {
        let value = single_result(self.program, function)?;
        let parameters = &self.program.function(function).parameters;
        if parameters.len() != arguments.len() {
            return None;
        }
        let forms: Vec<Form> = arguments.iter().map(|argument| self.of(*argument, depth)).collect();
        let before = self.bound.len();
        self.bound.extend(parameters.iter().copied().zip(forms));
        let form = self.of(value, depth);
        self.bound.truncate(before);
        Some(form)
    }

    fn variable(&mut self, id: VarId, depth: usize) -> Form {
        if let Some((_, form)) = self.bound.iter().rev().find(|(bound, _)| *bound == id) {
            return form.clone();
        }
        if let Some(form) = self.known.get(&id) {
            return form.clone();
        }
        let name = self.program.variable(id).name.clone();
        if let Some(at) = self.open.iter().position(|open| *open == id) {
            self.cut = self.cut.min(at);
            return Form::opaque(&name);
        }
        let before = std::mem::replace(&mut self.cut, usize::MAX);
        let own = self.open.len();
        self.open.push(id);
        let form = self.defined(id, &name, depth);
        self.open.pop();
        // What an outer variable cut off may have a form later, and so may what was too much.
        if self.cut >= own && self.budget > 0 {
            self.known.insert(id, form.clone());
            self.cut = before;
        } else {
            self.cut = self.cut.min(before);
        }
        form
    }

    fn defined(&mut self, id: VarId, name: &str, depth: usize) -> Form {
        let definitions = self.definitions;
        let found = definitions.of_variable(id);
        let variable = self.program.variable(id);
        if found.is_empty() {
            let is_given = match variable.storage {
                // A kernel's parameter, or one of a function that nobody calls.
                Storage::Parameter { .. } | Storage::Static => true,
                Storage::Local => variable.function.is_none(),
            };
            return if is_given { Form::symbol(name) } else { Form::opaque(name) };
        }
        let mut value: Option<Form> = None;
        let mut steps = Form::default();
        for definition in found {
            match definition {
                Definition::Value(expr) if !mentions(self.program, *expr, id) => {
                    let form = self.of(*expr, depth);
                    value = Some(match value {
                        Some(other) => other.join(form, name),
                        None => form,
                    });
                }
                Definition::Value(expr) => match self.step_of(id, *expr, depth) {
                    Some(step) => steps = steps.join(step, name),
                    None => return Form::opaque(name),
                },
                Definition::Step(expr) => {
                    let step = self.of(*expr, depth);
                    if !step.is_uniform() {
                        return Form::opaque(name);
                    }
                    steps = step;
                }
                Definition::Increment => steps = Form::constant(1),
                Definition::Scaled => {
                    // Halved, doubled: the same in all threads, if it was so before.
                    steps = Form::symbol(&format!("steps of {name}"));
                    if value.as_ref().is_some_and(|value| !value.is_uniform()) {
                        return Form::opaque(name);
                    }
                }
            }
        }
        let value = value.unwrap_or_else(|| Form::symbol(name));
        if steps == Form::default() {
            return value;
        }
        let rounds = Form::column(Column::Loop(name.to_owned()));
        let marched = rounds.clone().times(&steps, name);
        // Steps that are themselves counted by a loop count as rounds.
        let marched =
            if marched.is_uniform() && marched.offset.is_zero() { marched } else { rounds };
        value.plus(&marched, name)
    }

    /// The step of `i = i + s`.
    fn step_of(&mut self, id: VarId, expr: ExprId, depth: usize) -> Option<Form> {
        let program = self.program;
        let expr = program.strip_parens(expr);
        let is_it = |expr: ExprId| {
            matches!(program.expr(program.strip_parens(expr)).kind,
                ExprKind::Name(NameRef::Variable(other)) if other == id)
        };
        let ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, left, right) = program.expr(expr).kind
        else {
            return None;
        };
        let step = match (is_it(left), is_it(right)) {
            (true, false) => right,
            (false, true) => left,
            _ => return None,
        };
        Some(self.of(step, depth)).filter(Form::is_uniform)
    }
}

/// A builtin in the terms of access matrices.
fn of_builtin(builtin: Builtin, axis: Axis) -> Form {
    let thread = Form::column(Column::Thread(axis));
    let block = Form::column(Column::Block(axis));
    let of_block = Form::symbol(&format!("blockDim.{axis}"));
    let of_grid = Form::symbol(&format!("gridDim.{axis}"));
    let text = "global index";
    match builtin {
        Builtin::Thread => thread,
        Builtin::Block => block,
        Builtin::Offset => Form::constant(0),
        Builtin::Global => block.times(&of_block, text).plus(&thread, text),
        Builtin::BlockSize => of_block,
        Builtin::GridSize => of_grid,
        Builtin::GlobalSize => of_grid.times(&of_block, text),
    }
}

/// `form % by`.
fn remainder(form: Form, by: Option<i64>, text: &str) -> Form {
    if form.is_opaque() {
        return Form::opaque(text);
    }
    match by {
        Some(modulus @ 2..=LARGEST_PARITY) => Form {
            auxiliary: vec![Auxiliary::Parity {
                modulus: modulus.unsigned_abs(),
                of: form.terms.keys().cloned().collect(),
            }],
            ..Form::default()
        },
        _ => {
            let mut form = form;
            if !form.auxiliary.contains(&Auxiliary::Wrap) {
                form.auxiliary.push(Auxiliary::Wrap);
            }
            form
        }
    }
}

/// `form / by`: neighbouring threads have the same value, unless the divisor is a small number.
fn quotient(form: Form, by: Option<i64>, text: &str) -> Form {
    const SMALL: i64 = 64;
    if form.is_opaque() {
        return Form::opaque(text);
    }
    match by {
        Some(by @ 1..=SMALL) => form.times(&Form::symbol(&format!("1/{by}")), text),
        _ => Form::symbol(text),
    }
}

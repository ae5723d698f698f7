//! Index expressions as polynomials over the values that a function computes with.

use super::polynomial::Polynomial;
use crate::catalogue::builtins::{Axis, Builtin, builtin_of, holds_builtin};
use crate::classes::{Callee, resolve_callee};
use layoutc_syntax::{
    BinaryOp, ExprId, ExprKind, FunctionId, NameRef, Program, Scalar, StmtKind, TypeKind, UnaryOp,
    VarId, evaluate,
};
use std::collections::BTreeMap;

/// How deep expressions, and functions that are one expression, are followed.
const DEPTH: usize = 48;

/// What an index is made of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Atom {
    /// A variable's value.
    Variable(VarId),
    /// The value of an expression that is no polynomial: number in [`Indices::expressions`].
    Expression(u32),
}

/// An index, multiplied out.
pub type Index = Polynomial<Atom>;

/// Expressions that are atoms, each with what tells it from others.
#[derive(Clone, Debug, Default)]
pub struct Indices {
    /// The first expression with each key.
    expressions: Vec<ExprId>,
    /// The same value wherever it is evaluated, as long as its variables keep theirs.
    is_pure: Vec<bool>,
    known: BTreeMap<String, u32>,
    /// Bindings of parameters of functions that are one expression.
    bound: Vec<(VarId, Index)>,
}

impl Indices {
    /// The expression of an atom.
    #[must_use]
    pub fn expression(&self, number: u32) -> ExprId {
        self.expressions[number as usize]
    }

    /// Whether equal expressions have equal values, as long as their variables do.
    #[must_use]
    pub fn is_pure(&self, number: u32) -> bool {
        self.is_pure[number as usize]
    }

    /// The polynomial of an integer expression.
    ///
    /// Sums, differences and products of integers, their casts to integers of at least 32 bits and
    /// calls of functions that are one returned expression are followed; everything else is an
    /// atom. `None` where the numbers become too large.
    #[must_use]
    pub fn index(&mut self, program: &Program, expr: ExprId) -> Option<Index> {
        self.of(program, expr, DEPTH)
    }

    fn of(&mut self, program: &Program, expr: ExprId, depth: usize) -> Option<Index> {
        let depth = depth.checked_sub(1)?;
        if let Some(value) = evaluate::constant(program, expr) {
            return Some(Index::constant(value));
        }
        match &program.expr(expr).kind {
            // What has no form inside is this, with the macro's use that it may be.
            ExprKind::Paren(inner) => {
                let value = self.of(program, *inner, depth)?;
                let inside = program.strip_parens(*inner);
                let is_atom = matches!(value.as_atom(),
                    Some(Atom::Expression(number)) if self.expression(*number) == inside);
                if is_atom && program.macro_role(expr).is_some() {
                    self.show(&value, expr);
                }
                Some(value)
            }
            ExprKind::Cast { target, operand, .. } => {
                let is_wide = |ty| {
                    program
                        .types
                        .as_scalar(ty)
                        .is_some_and(|scalar: Scalar| scalar.is_integer() && scalar.size() >= 4)
                };
                let from = program.types.as_scalar(program.expr(*operand).ty.id);
                let narrows = match (program.types.as_scalar(target.id), from) {
                    (Some(to), Some(from)) => to.size() < from.size(),
                    _ => false,
                };
                if is_wide(target.id)
                    && is_wide(program.expr(*operand).ty.id)
                    && !narrows
                    && !turns_negative(program, *operand, target.id)
                    && !widens_wrapped(program, *operand, target.id)
                {
                    self.of(program, *operand, depth)
                } else {
                    Some(self.atom(program, expr))
                }
            }
            ExprKind::Unary(UnaryOp::Plus, inner) => self.of(program, *inner, depth),
            ExprKind::Unary(UnaryOp::Minus, inner) => {
                self.of(program, *inner, depth)?.times(&Index::constant(-1))
            }
            ExprKind::Binary(op, left, right) if is_integer(program, expr) => match op {
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
                    // The operands become values of the result's type first.
                    let mut operand = |operand: ExprId| {
                        if widens_wrapped(program, operand, program.expr(expr).ty.id) {
                            Some(self.atom(program, operand))
                        } else {
                            self.of(program, operand, depth)
                        }
                    };
                    let (left, right) = (operand(*left)?, operand(*right)?);
                    match op {
                        BinaryOp::Add => left.plus(&right),
                        BinaryOp::Sub => left.minus(&right),
                        _ => left.times(&right),
                    }
                }
                BinaryOp::Shl => match evaluate::constant(program, *right) {
                    Some(by @ 0..=31) => {
                        self.of(program, *left, depth)?.times(&Index::constant(1 << by))
                    }
                    _ => Some(self.atom(program, expr)),
                },
                _ => Some(self.atom(program, expr)),
            },
            ExprKind::Name(NameRef::Variable(id)) => Some(
                self.bound
                    .iter()
                    .rev()
                    .find(|(parameter, _)| parameter == id)
                    .map_or_else(|| Index::atom(Atom::Variable(*id)), |(_, value)| value.clone()),
            ),
            ExprKind::Call { callee, arguments, .. } => {
                match resolve_callee(program, *callee, arguments) {
                    Callee::Function(function) => {
                        match self.inlined(program, function, arguments, depth) {
                            Some(value) => Some(value),
                            None => Some(self.atom(program, expr)),
                        }
                    }
                    Callee::Library(_) | Callee::Ambiguous(_) | Callee::Unknown => {
                        Some(self.atom(program, expr))
                    }
                }
            }
            _ => Some(self.atom(program, expr)),
        }
    }

    /// The value of a call of a function whose body returns one polynomial of its parameters.
    fn inlined(
        &mut self,
        program: &Program,
        function: FunctionId,
        arguments: &[ExprId],
        depth: usize,
    ) -> Option<Index> {
        let value = single_result(program, function)?;
        let parameters = &program.function(function).parameters;
        if parameters.len() != arguments.len() || !is_integer(program, value) {
            return None;
        }
        let wide =
            |ty| program.types.as_scalar(ty).is_some_and(|scalar: Scalar| scalar.size() >= 4);
        if !parameters.iter().all(|id| wide(program.variable(*id).ty.id)) {
            return None;
        }
        let values: Option<Vec<_>> =
            arguments.iter().map(|argument| self.of(program, *argument, depth)).collect();
        let before = self.bound.len();
        self.bound.extend(parameters.iter().copied().zip(values?));
        let result = self.of(program, value, depth);
        self.bound.truncate(before);
        // An atom made of parameters has no meaning outside.
        let result = result?;
        let is_outside = result.atoms().iter().all(|atom| match atom {
            Atom::Variable(id) => program.variable(*id).function != Some(function),
            Atom::Expression(number)
                if program.function(function).body.is_some_and(|body| {
                    program.stmt(body).span.contains(program.expr(self.expression(*number)).span)
                }) =>
            {
                false
            }
            Atom::Expression(number) => {
                let mut stack = vec![self.expression(*number)];
                let mut is_outside = true;
                while let Some(at) = stack.pop() {
                    if let ExprKind::Name(NameRef::Variable(id)) = program.expr(at).kind {
                        is_outside &= program.variable(id).function != Some(function);
                    }
                    stack.extend(program.expr(at).children());
                }
                is_outside
            }
        });
        is_outside.then_some(result)
    }

    /// Lets an atom be written as another expression of the same value.
    fn show(&mut self, value: &Index, expr: ExprId) {
        if let Some(Atom::Expression(number)) = value.as_atom() {
            self.expressions[*number as usize] = expr;
        }
    }

    /// The atom of an expression.
    pub fn atom(&mut self, program: &Program, shown: ExprId) -> Index {
        let expr = program.strip_parens(shown);
        // The use of a macro, where the value is the macro's body.
        let mut shown = shown;
        while let ExprKind::Paren(inner) = program.expr(shown).kind {
            if program.macro_role(shown).is_some() {
                break;
            }
            shown = inner;
        }
        let (key, is_pure) = match key(program, expr, DEPTH) {
            Some(key) => (key, true),
            None => (format!("#{}", expr.0), false),
        };
        let number = match self.known.get(&key) {
            Some(number) => *number,
            None => {
                let number = self.expressions.len() as u32;
                self.expressions.push(shown);
                self.is_pure.push(is_pure);
                self.known.insert(key, number);
                number
            }
        };
        Index::atom(Atom::Expression(number))
    }
}

/// The one expression that a function consists of.
#[must_use]
pub fn single_result(program: &Program, function: FunctionId) -> Option<ExprId> {
    let body = program.function(function).body?;
    let StmtKind::Block(stmts) = &program.stmt(body).kind else { return None };
    let [only] = stmts.as_slice() else { return None };
    match program.stmt(*only).kind {
        StmtKind::Return(value) => value,
        _ => None,
    }
}

/// Whether the type of an expression is an integer type, or one that the model cannot tell (a
/// builtin such as `threadIdx.x`).
#[must_use]
pub fn is_integer(program: &Program, expr: ExprId) -> bool {
    match program.types.kind(program.expr(expr).ty.id) {
        TypeKind::Scalar(scalar) => scalar.is_integer(),
        TypeKind::Enum(..) | TypeKind::Unknown => true,
        TypeKind::Void
        | TypeKind::Vector(_)
        | TypeKind::Record(_)
        | TypeKind::Pointer(_)
        | TypeKind::Reference(..)
        | TypeKind::Array(..)
        | TypeKind::Function
        | TypeKind::Named(..)
        | TypeKind::Opaque(_)
        | TypeKind::TemplateParameter(_) => false,
    }
}

/// Whether an unsigned value that may have wrapped around becomes one of a wider type: then it is
/// another number than the arithmetic says.
#[must_use]
pub fn widens_wrapped(program: &Program, operand: ExprId, to: layoutc_syntax::TypeId) -> bool {
    let from = program.types.as_scalar(program.expr(operand).ty.id);
    // Builtins are unsigned, and the model does not know their type.
    let is_unsigned = from.map_or_else(|| holds_builtin(program, operand), Scalar::is_unsigned);
    // `threadIdx.x` has 32 bits, and `get_global_id(0)` those of the largest type.
    let size = from.map_or(if holds_work_item(program, operand) { 8 } else { 4 }, Scalar::size);
    let widens = program.types.as_scalar(to).is_some_and(|to| to.size() > size);
    is_unsigned && widens && may_wrap(program, operand)
}

/// Whether a work-item function of OpenCL occurs in an expression.
fn holds_work_item(program: &Program, expr: ExprId) -> bool {
    program.files[program.expr(expr).span.file.index()].is_opencl && holds_builtin(program, expr)
}

/// Whether an unsigned value becomes one of a signed type of its size, where a large one turns
/// negative. The number of a thread is not that large.
#[must_use]
pub fn turns_negative(program: &Program, operand: ExprId, to: layoutc_syntax::TypeId) -> bool {
    let from = program.types.as_scalar(program.expr(operand).ty.id);
    let to = program.types.as_scalar(to);
    from.is_some_and(Scalar::is_unsigned)
        && to.is_some_and(|to| !to.is_unsigned())
        && to.map(Scalar::size) <= from.map(Scalar::size)
        && evaluate::constant(program, operand).is_none()
        && !is_thread_number(program, operand)
}

/// Whether a value is made of `blockDim.x` and the like, and of numbers, by sums and products.
#[must_use]
pub fn is_thread_number(program: &Program, expr: ExprId) -> bool {
    match program.expr(program.strip_parens(expr)).kind {
        ExprKind::Binary(BinaryOp::Mul | BinaryOp::Add, left, right) => {
            is_thread_number(program, left) && is_thread_number(program, right)
        }
        ExprKind::Cast { operand, .. } => is_thread_number(program, operand),
        _ => {
            builtin_of(program, expr).is_some()
                || evaluate::constant(program, expr).is_some_and(|value| value >= 0)
        }
    }
}

/// Whether unsigned arithmetic in an expression may wrap around: anything but a value as it is.
pub(super) fn may_wrap(program: &Program, expr: ExprId) -> bool {
    !matches!(
        program.expr(program.strip_parens(expr)).kind,
        ExprKind::Name(_) | ExprKind::Member { .. } | ExprKind::Integer(_)
    )
}

fn builtin_key((builtin, axis): (Builtin, Axis)) -> String {
    format!("{builtin:?}.{axis}")
}

/// What tells an expression over variables and constants from others.
fn key(program: &Program, expr: ExprId, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    match &program.expr(expr).kind {
        ExprKind::Integer(Some(value)) => Some(value.to_string()),
        ExprKind::Paren(inner) => key(program, *inner, depth),
        ExprKind::Name(NameRef::Variable(id)) => {
            (!program.variable(*id).ty.is_volatile).then(|| format!("v{}", id.0))
        }
        ExprKind::Name(NameRef::Constant(Some(value))) => Some(value.to_string()),
        ExprKind::Member { .. } => builtin_of(program, expr).map(builtin_key),
        ExprKind::Unary(op, operand) if !op.is_update() => {
            Some(format!("{op:?}({})", key(program, *operand, depth)?))
        }
        ExprKind::Binary(op, left, right) => Some(format!(
            "{op:?}({},{})",
            key(program, *left, depth)?,
            key(program, *right, depth)?
        )),
        ExprKind::Conditional(condition, then, otherwise) => Some(format!(
            "if({},{},{})",
            key(program, *condition, depth)?,
            key(program, *then, depth)?,
            key(program, *otherwise, depth)?
        )),
        ExprKind::Cast { target, operand, .. } => {
            Some(format!("cast{}({})", target.id.0, key(program, *operand, depth)?))
        }
        ExprKind::Call { callee, arguments, .. } => {
            if let Some(found) = builtin_of(program, expr) {
                return Some(builtin_key(found));
            }
            match resolve_callee(program, *callee, arguments) {
                Callee::Library(name) if name == "min" || name == "max" => {
                    let arguments: Option<Vec<String>> =
                        arguments.iter().map(|argument| key(program, *argument, depth)).collect();
                    Some(format!("{name}({})", arguments?.join(",")))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

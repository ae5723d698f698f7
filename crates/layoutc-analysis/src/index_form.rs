//! How a subscript depends on the lane of a thread in its warp.

use layoutc_dataflow::catalogue::builtins::{Axis, builtin_of, vector};
use layoutc_syntax::{
    BinaryOp, ExprId, ExprKind, NameRef, Program, Storage, UnaryOp, VarId, evaluate,
};
use std::cell::Cell;
use std::collections::BTreeMap;

/// How deep definitions of index variables are followed.
const DEPTH: usize = 24;

/// The dependence of an index on `threadIdx.x`, for the lanes of one warp.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum IndexForm {
    /// The same for all lanes.
    Uniform,
    /// Consecutive lanes have consecutive indices.
    Unit,
    /// Lanes are further apart, or in an order that is not known.
    Strided,
    /// The index comes from memory.
    Gather,
}

impl IndexForm {
    /// The form of a value that is one or the other.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        self.max(other)
    }

    fn add(self, other: Self) -> Self {
        match (self, other) {
            (IndexForm::Uniform, form) | (form, IndexForm::Uniform) => form,
            (IndexForm::Gather, _) | (_, IndexForm::Gather) => IndexForm::Gather,
            _ => IndexForm::Strided,
        }
    }

    /// The form of a product with, quotient of, or function of something else.
    fn scaled(self) -> Self {
        match self {
            IndexForm::Unit => IndexForm::Strided,
            other => other,
        }
    }
}

/// How many expressions one question may look at: definitions of definitions are a graph, and its paths
/// may be many.
const BUDGET: usize = 4000;

/// Values that flow into each variable.
pub struct Definitions {
    sources: BTreeMap<VarId, Vec<Definition>>,
    /// What is left for the question that is being answered.
    budget: Cell<usize>,
}

/// A value that flows into a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Definition {
    /// It is the value.
    Value(ExprId),
    /// Added to or taken from the old value.
    Step(ExprId),
    /// Changed in another way.
    Scaled,
    /// One is added or taken away.
    Increment,
}

impl Definitions {
    /// Collects all definitions of a program's variables; parameters get the arguments of all calls.
    #[must_use]
    pub fn collect(program: &Program) -> Self {
        let mut sources: BTreeMap<VarId, Vec<Definition>> = BTreeMap::new();
        let name = |expr: ExprId| match program.expr(program.strip_parens(expr)).kind {
            ExprKind::Name(NameRef::Variable(id)) => Some(id),
            _ => None,
        };
        for id in program.variable_ids() {
            if let Some(init) = program.variable(id).init {
                sources.entry(id).or_default().push(Definition::Value(init));
            }
        }
        for id in program.expr_ids() {
            match &program.expr(id).kind {
                ExprKind::Assign(op, left, right) => {
                    if let Some(variable) = name(*left) {
                        let definition = match op {
                            None => Definition::Value(*right),
                            Some(BinaryOp::Add | BinaryOp::Sub) => Definition::Step(*right),
                            Some(_) => Definition::Scaled,
                        };
                        sources.entry(variable).or_default().push(definition);
                    }
                }
                ExprKind::Unary(op, operand) if op.is_update() => {
                    if let Some(variable) = name(*operand) {
                        sources.entry(variable).or_default().push(Definition::Increment);
                    }
                }
                ExprKind::Call { callee, arguments, .. } => {
                    if let layoutc_dataflow::classes::Callee::Function(function) =
                        layoutc_dataflow::classes::resolve_callee(program, *callee, arguments)
                    {
                        for (parameter, argument) in
                            program.function(function).parameters.iter().zip(arguments)
                        {
                            sources
                                .entry(*parameter)
                                .or_default()
                                .push(Definition::Value(*argument));
                        }
                    }
                }
                _ => {}
            }
        }
        Definitions { sources, budget: Cell::new(0) }
    }

    /// What flows into a variable, in the order of the arena; parameters of kernels get nothing.
    pub(crate) fn of_variable(&self, id: VarId) -> &[Definition] {
        self.sources.get(&id).map_or(&[], Vec::as_slice)
    }

    /// The form of an index expression.
    #[must_use]
    pub fn form(&self, program: &Program, expr: ExprId) -> IndexForm {
        self.budget.set(BUDGET);
        self.of(program, expr, DEPTH)
    }

    fn of(&self, program: &Program, expr: ExprId, depth: usize) -> IndexForm {
        let Some(depth) = depth.checked_sub(1) else { return IndexForm::Gather };
        let Some(budget) = self.budget.get().checked_sub(1) else { return IndexForm::Gather };
        self.budget.set(budget);
        match &program.expr(expr).kind {
            ExprKind::Integer(_)
            | ExprKind::Literal
            | ExprKind::Null
            | ExprKind::SizeOfType { .. }
            | ExprKind::SizeOfExpr(_)
            | ExprKind::OffsetOf(_)
            | ExprKind::This
            | ExprKind::Name(NameRef::Constant(_) | NameRef::Macro(_) | NameRef::Functions(_)) => {
                IndexForm::Uniform
            }
            ExprKind::Name(NameRef::Unknown(_)) => match vector(program, expr) {
                Some(builtin) if builtin.differs_between_lanes() => IndexForm::Strided,
                Some(_) | None => IndexForm::Uniform,
            },
            ExprKind::Name(NameRef::Variable(id)) => self.variable(program, *id, depth),
            ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. } => {
                self.of(program, *inner, depth)
            }
            ExprKind::Unary(UnaryOp::Plus, inner) => self.of(program, *inner, depth),
            ExprKind::Unary(_, inner) => self.of(program, *inner, depth).scaled(),
            ExprKind::Binary(op, left, right) => {
                let (a, b) = (self.of(program, *left, depth), self.of(program, *right, depth));
                match op {
                    BinaryOp::Add => a.add(b),
                    BinaryOp::Sub if b == IndexForm::Unit => a.add(b.scaled()),
                    BinaryOp::Sub => a.add(b),
                    BinaryOp::Mul => {
                        let one = |expr: ExprId| evaluate::constant(program, expr) == Some(1);
                        if one(*left) {
                            b
                        } else if one(*right) {
                            a
                        } else {
                            a.join(b).scaled()
                        }
                    }
                    // Wrapping around keeps neighbours together.
                    BinaryOp::Rem | BinaryOp::And if b == IndexForm::Uniform => a,
                    _ => a.join(b).scaled(),
                }
            }
            ExprKind::Conditional(_, then, otherwise) => {
                self.of(program, *then, depth).join(self.of(program, *otherwise, depth))
            }
            ExprKind::Comma(_, right) | ExprKind::Assign(None, _, right) => {
                self.of(program, *right, depth)
            }
            ExprKind::Member { .. } | ExprKind::Call { .. }
                if let Some((builtin, axis)) = builtin_of(program, expr) =>
            {
                match builtin.differs_between_lanes() && axis == Axis::X {
                    true => IndexForm::Unit,
                    false => IndexForm::Uniform,
                }
            }
            ExprKind::Member { base, .. } => {
                // A member of a local record is not followed.
                match &program.expr(program.strip_parens(*base)).kind {
                    ExprKind::Name(NameRef::Variable(id))
                        if matches!(program.variable(*id).storage, Storage::Parameter { .. }) =>
                    {
                        IndexForm::Uniform
                    }
                    _ => IndexForm::Gather,
                }
            }
            ExprKind::Call { arguments, .. } | ExprKind::MacroCall { arguments, .. } => arguments
                .iter()
                .map(|argument| self.of(program, *argument, depth))
                .fold(IndexForm::Uniform, IndexForm::join)
                .scaled(),
            ExprKind::Deref(_) | ExprKind::Index { .. } => IndexForm::Gather,
            ExprKind::AddressOf(_)
            | ExprKind::Assign(Some(_), ..)
            | ExprKind::Launch { .. }
            | ExprKind::New { .. }
            | ExprKind::Delete(_)
            | ExprKind::InitList(_)
            | ExprKind::Construct { .. }
            | ExprKind::Lambda { .. }
            | ExprKind::Opaque(_) => IndexForm::Gather,
        }
    }

    fn variable(&self, program: &Program, id: VarId, depth: usize) -> IndexForm {
        let Some(sources) = self.sources.get(&id) else {
            // A kernel's parameter, or a variable without a visible definition.
            return match program.variable(id).storage {
                Storage::Parameter { .. } | Storage::Static => IndexForm::Uniform,
                Storage::Local => IndexForm::Gather,
            };
        };
        sources.iter().fold(IndexForm::Uniform, |form, source| match source {
            Definition::Value(expr) => {
                // A variable defined by itself stays what it is.
                if mentions(program, *expr, id) {
                    form.scaled()
                } else {
                    form.join(self.of(program, *expr, depth))
                }
            }
            Definition::Step(expr) => form.join(self.of(program, *expr, depth).scaled()),
            Definition::Scaled => form.scaled(),
            Definition::Increment => form,
        })
    }
}

/// Whether the variable occurs in the expression.
pub(crate) fn mentions(program: &Program, expr: ExprId, id: VarId) -> bool {
    let mut stack = vec![expr];
    while let Some(at) = stack.pop() {
        if program.expr(at).kind_is_variable(id) {
            return true;
        }
        stack.extend(program.expr(at).children());
    }
    false
}

/// A test on expressions that only this module needs.
trait KindIsVariable {
    fn kind_is_variable(&self, id: VarId) -> bool;
}

impl KindIsVariable for layoutc_syntax::Expr {
    fn kind_is_variable(&self, id: VarId) -> bool {
        matches!(self.kind, ExprKind::Name(NameRef::Variable(found)) if found == id)
    }
}

//! Pointers that certainly point into one array, so that they compare and subtract as indices do.
//!
//! Every pointer is followed to where it starts: a parameter, or a local that is declared once per
//! call and given one value. Two pointers with one start, however far each has moved, point into
//! one array. Two parameters do if the arguments do wherever the function is called.
//!
//! Claim: in the rewritten program both pointers have the same base whenever both are evaluated.

use super::*;
use crate::catalogue;
use layoutc_diagnostics::Spans;
use layoutc_syntax::StmtKind;
use std::collections::BTreeSet;

/// Where pointers start.
pub(super) struct Starts {
    /// Everything that is assigned to or initializes a pointer variable; `None` if that cannot be seen.
    values: BTreeMap<VarId, Option<Vec<ExprId>>>,
    /// Arguments of each function, by call; `None` if it can be called in ways that are not seen.
    calls: BTreeMap<FunctionId, Option<Vec<Vec<ExprId>>>>,
    /// Locals that are declared at most once in a call of their function.
    once: BTreeSet<VarId>,
}

/// How many steps a pointer is followed.
const STEPS: usize = 16;

impl Starts {
    pub(super) fn new(program: &Program, graph: &CallGraph) -> Self {
        let mut values: BTreeMap<VarId, Option<Vec<ExprId>>> = BTreeMap::new();
        let mut calls: BTreeMap<FunctionId, Option<Vec<Vec<ExprId>>>> = BTreeMap::new();
        let variable = |expr: ExprId| match program.expr(program.strip_parens(expr)).kind {
            ExprKind::Name(NameRef::Variable(id)) => Some(id),
            _ => None,
        };
        let push = |values: &mut BTreeMap<VarId, Option<Vec<ExprId>>>, to, value| {
            if let Some(known) = values.entry(to).or_insert_with(|| Some(Vec::new())) {
                known.push(value);
            }
        };
        for id in program.variable_ids() {
            if let Some(init) = program.variable(id).init {
                push(&mut values, id, init);
            }
        }
        for id in program.expr_ids() {
            match &program.expr(id).kind {
                ExprKind::Assign(None, left, right) => {
                    if let Some(to) = variable(*left) {
                        push(&mut values, to, *right);
                    }
                }
                // Its value may change behind its back.
                ExprKind::AddressOf(operand) => {
                    if let Some(to) = variable(*operand) {
                        values.insert(to, None);
                    }
                }
                ExprKind::Opaque(operands) => {
                    for to in operands.iter().filter_map(|operand| variable(*operand)) {
                        values.insert(to, None);
                    }
                }
                ExprKind::MacroCall { arguments, .. } => {
                    for to in arguments.iter().filter_map(|argument| variable(*argument)) {
                        values.insert(to, None);
                    }
                }
                ExprKind::Call { callee, arguments, .. }
                | ExprKind::Launch { kernel: callee, arguments, .. } => {
                    let functions = match graph.callee(program, *callee, arguments) {
                        Callee::Function(function) => {
                            if let Some(known) =
                                calls.entry(function).or_insert_with(|| Some(Vec::new()))
                            {
                                known.push(arguments.to_vec());
                            }
                            vec![function]
                        }
                        Callee::Ambiguous(functions) => {
                            for function in &functions {
                                calls.insert(*function, None);
                            }
                            functions
                        }
                        // They take pointers by value, or the address of one.
                        Callee::Library(name) if catalogue::takes_values(&name) => Vec::new(),
                        Callee::Library(_) if program.algorithm(*callee, arguments).is_some() => {
                            Vec::new()
                        }
                        Callee::Library(_) | Callee::Unknown => {
                            for to in arguments.iter().filter_map(|argument| variable(*argument)) {
                                values.insert(to, None);
                            }
                            Vec::new()
                        }
                    };
                    // A reference to a pointer may be assigned there.
                    for function in functions {
                        for (parameter, argument) in
                            program.function(function).parameters.iter().zip(arguments)
                        {
                            if is_reference(program, *parameter)
                                && let Some(to) = variable(*argument)
                            {
                                values.insert(to, None);
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        for id in program.variable_ids().filter(|id| is_reference(program, *id)) {
            values.insert(id, None);
            if let Some(to) = program.variable(id).init.and_then(variable) {
                values.insert(to, None);
            }
        }
        let loops: Spans = program
            .stmts
            .iter()
            .filter(|stmt| {
                matches!(
                    stmt.kind,
                    StmtKind::For { .. }
                        | StmtKind::ForRange { .. }
                        | StmtKind::While { .. }
                        | StmtKind::DoWhile { .. }
                        | StmtKind::Labelled { label: Some(_), .. }
                        | StmtKind::Goto(_)
                )
            })
            .map(|stmt| stmt.span)
            .collect();
        let gotos: Vec<Span> = program
            .stmts
            .iter()
            .filter(|stmt| matches!(stmt.kind, StmtKind::Goto(_)))
            .map(|stmt| stmt.span)
            .collect();
        let jumps: BTreeSet<FunctionId> = program
            .function_ids()
            .filter(|id| {
                let sites = &program.function(*id).sites;
                gotos.iter().any(|goto| sites.iter().any(|site| site.span.contains(*goto)))
            })
            .collect();
        let lambdas: Spans = program
            .exprs
            .iter()
            .filter(|expr| matches!(expr.kind, ExprKind::Lambda { .. }))
            .map(|expr| expr.span)
            .collect();
        let once = program
            .variable_ids()
            .filter(|id| {
                let variable = program.variable(*id);
                let name = variable.site.name;
                variable.storage == Storage::Local
                    && variable.function.is_some_and(|function| !jumps.contains(&function))
                    && !loops.hold(name)
                    && !lambdas.hold(name)
            })
            .collect();
        Starts { values, calls, once }
    }

    /// Whether two pointers, evaluated together, point into one array.
    pub(super) fn are_same(&self, program: &Program, left: ExprId, right: ExprId) -> bool {
        self.agree(program, left, right, STEPS)
    }

    /// Whether two pointers that are subtracted, or compared by their order, point into one array: one of them is only ever
    /// made of the other variable. Where that led to another array then, the source's own result means nothing.
    pub(super) fn are_ordered(&self, program: &Program, left: ExprId, right: ExprId) -> bool {
        let (Some(left), Some(right)) = (root(program, left), root(program, right)) else {
            return false;
        };
        let derives = |one: Root, other: Root| match one {
            Root::Variable(id) => self.derives(program, id, other, &mut BTreeSet::new()),
            Root::Member(..) | Root::Item(_) => false,
        };
        left == right || derives(left, right) || derives(right, left)
    }

    fn agree(&self, program: &Program, left: ExprId, right: ExprId, steps: usize) -> bool {
        let Some(steps) = steps.checked_sub(1) else { return false };
        let (Some(left), Some(right)) = (base(program, left), base(program, right)) else {
            return false;
        };
        if left == right {
            return true;
        }
        let (Some(left), Some(right)) = (self.start(program, left), self.start(program, right))
        else {
            return false;
        };
        if left == right {
            return true;
        }
        // Two parameters of one function.
        let position = |id: VarId| {
            let function = program.variable(id).function?;
            let mut parameters = program.function(function).parameters.iter();
            Some((function, parameters.position(|parameter| *parameter == id)?))
        };
        let (Some((function, first)), Some((other, second))) = (position(left), position(right))
        else {
            return false;
        };
        let Some(Some(calls)) = self.calls.get(&function) else { return false };
        function == other
            && calls.iter().all(|arguments| match (arguments.get(first), arguments.get(second)) {
                (Some(first), Some(second)) => self.agree(program, *first, *second, steps),
                _ => false,
            })
    }

    /// Whether a local is only ever made of another pointer, as the end of an array is of its start.
    fn derives(
        &self,
        program: &Program,
        id: VarId,
        from: Root,
        visiting: &mut BTreeSet<VarId>,
    ) -> bool {
        if visiting.len() >= STEPS || program.variable(id).storage != Storage::Local {
            return false;
        }
        visiting.insert(id);
        let Some(Some(values)) = self.values.get(&id) else { return false };
        let mut is_made = false;
        let all = values.iter().all(|value| match root(program, *value) {
            Some(other) if other == from => {
                is_made = true;
                true
            }
            Some(Root::Variable(other)) if visiting.contains(&other) => true,
            Some(Root::Variable(other)) => {
                let derives = self.derives(program, other, from, visiting);
                is_made |= derives;
                derives
            }
            Some(Root::Member(..) | Root::Item(_)) | None => false,
        });
        all && is_made
    }

    /// The variable whose first value a pointer variable is moved from, if it is always the same.
    fn start(&self, program: &Program, id: VarId) -> Option<VarId> {
        match self.find(program, id, &mut BTreeSet::new())? {
            Start::At(start) => Some(start),
            Start::Moves => None,
        }
    }

    fn find(&self, program: &Program, id: VarId, visiting: &mut BTreeSet<VarId>) -> Option<Start> {
        if visiting.contains(&id) {
            return Some(Start::Moves);
        }
        if visiting.len() >= STEPS {
            return None;
        }
        let variable = program.variable(id);
        let empty = Vec::new();
        let values = match self.values.get(&id) {
            Some(Some(values)) => values,
            Some(None) => return None,
            None => &empty,
        };
        visiting.insert(id);
        let found = match variable.storage {
            Storage::Parameter { .. } => {
                // `q = q + 1` only moves it.
                let only_moves = values.iter().all(|value| base(program, *value) == Some(id));
                variable.function.filter(|_| only_moves).map(|_| Start::At(id))
            }
            Storage::Local => {
                let starts: Vec<Option<Start>> = values
                    .iter()
                    .map(|value| self.find(program, base(program, *value)?, visiting))
                    .collect();
                let fixed: Vec<&Option<Start>> =
                    starts.iter().filter(|start| **start != Some(Start::Moves)).collect();
                match (fixed.as_slice(), values.as_slice()) {
                    ([first, rest @ ..], _)
                        if first.is_some() && rest.iter().all(|other| other == first) =>
                    {
                        **first
                    }
                    ([None], _) if self.once.contains(&id) && variable.init.is_some() => {
                        let own = variable.init?;
                        let from_own = values
                            .iter()
                            .zip(&starts)
                            .all(|(value, start)| *value == own || *start == Some(Start::Moves));
                        from_own.then_some(Start::At(id))
                    }
                    _ => None,
                }
            }
            Storage::Static => None,
        };
        visiting.remove(&id);
        found
    }
}

/// What the value of a pointer variable comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    /// A variable's first value.
    At(VarId),
    /// The variable itself, moved.
    Moves,
}

/// A pointer that has a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Root {
    Variable(VarId),
    /// A member of the object that a variable is or points to, or of `*this`.
    Member(Option<VarId>, FieldId),
    /// An item of an array of pointers, whichever.
    Item(VarId),
}

/// The variable that a pointer expression moves.
fn base(program: &Program, expr: ExprId) -> Option<VarId> {
    match root(program, expr)? {
        Root::Variable(id) => Some(id),
        Root::Member(..) | Root::Item(_) => None,
    }
}

/// The variable or member that a pointer expression moves.
fn root(program: &Program, expr: ExprId) -> Option<Root> {
    let mut at = expr;
    loop {
        if program.row_start(at).is_some() {
            return None;
        }
        at = match &program.expr(at).kind {
            ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. } => *inner,
            ExprKind::AddressOf(operand) => {
                match &program.expr(program.strip_parens(*operand)).kind {
                    ExprKind::Index { base, .. } => *base,
                    ExprKind::Deref(inner) => *inner,
                    _ => return None,
                }
            }
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, left, right) => {
                let is_pointer = |expr: ExprId| {
                    element_of(program, program.expr(expr).ty).is_some_and(|(_, depth)| depth == 1)
                };
                match (is_pointer(*left), is_pointer(*right)) {
                    (true, false) => *left,
                    (false, true) => *right,
                    _ => return None,
                }
            }
            ExprKind::Unary(op, inner) if op.is_update() => *inner,
            ExprKind::Assign(Some(_), left, _) => *left,
            ExprKind::Call { callee, arguments, .. } => {
                let algorithm = program.algorithm(*callee, arguments)?;
                *arguments.get(algorithm.gives()?)?
            }
            ExprKind::Name(NameRef::Variable(id)) => return Some(Root::Variable(*id)),
            ExprKind::Index { base, .. } => {
                let is_array = |id: VarId| {
                    matches!(program.types.kind(program.variable(id).ty.id), TypeKind::Array(..))
                };
                return match program.expr(program.strip_parens(*base)).kind {
                    ExprKind::Name(NameRef::Variable(id)) if is_array(id) => Some(Root::Item(id)),
                    _ => None,
                };
            }
            ExprKind::Member { base, field: Some(field), .. } => {
                return match program.expr(program.strip_parens(*base)).kind {
                    ExprKind::This => Some(Root::Member(None, *field)),
                    ExprKind::Name(NameRef::Variable(id)) => Some(Root::Member(Some(id), *field)),
                    _ => None,
                };
            }
            _ => return None,
        };
    }
}

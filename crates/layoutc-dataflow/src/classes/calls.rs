//! Which function a call reaches.

use super::element::{Element, element_of};
use crate::catalogue;
use layoutc_syntax::{
    ExprId, ExprKind, FunctionId, NameRef, Program, StmtId, StmtKind, TypeKind, VarId, VectorType,
};

/// What a call reaches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Callee {
    /// A function of the program.
    Function(FunctionId),
    /// A name the program does not declare, without `std::` or the leading `::`.
    Library(String),
    /// One of several overloads.
    Ambiguous(Vec<FunctionId>),
    /// A function pointer, a method of an unknown class, a macro's product.
    Unknown,
}

/// Where an expression stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Context {
    /// Operand number `.1` of an expression.
    Operand(ExprId, usize),
    /// Its value is dropped: an expression statement or the step of a `for`.
    Dropped,
    /// A condition or selector.
    Condition,
    /// Initializer of a variable.
    Init(VarId),
    /// Returned from the function, or from a lambda in it.
    Returned {
        /// Inside a lambda.
        in_lambda: bool,
    },
    /// The range of a range-`for`.
    Range,
    /// An operand of something without a model.
    Opaque,
    /// An operand of inline assembly.
    Assembly,
}

/// Calls and contexts of a program.
#[derive(Debug)]
pub(super) struct CallGraph {
    contexts: Vec<Context>,
    functions: Vec<Option<FunctionId>>,
}

impl CallGraph {
    pub(super) fn new(program: &Program) -> Self {
        let mut this = CallGraph {
            contexts: vec![Context::Opaque; program.exprs.len()],
            functions: vec![None; program.exprs.len()],
        };
        for id in program.expr_ids() {
            for (at, child) in program.expr(id).children().enumerate() {
                this.contexts[child.index()] = match program.expr(id).kind {
                    ExprKind::Opaque(_) => Context::Opaque,
                    _ => Context::Operand(id, at),
                };
            }
        }
        for id in program.variable_ids() {
            if let Some(init) = program.variable(id).init {
                this.contexts[init.index()] = Context::Init(id);
                if let Some(function) = program.variable(id).function {
                    this.attribute(program, init, function);
                }
            }
        }
        for function in program.function_ids() {
            if let Some(body) = program.function(function).body {
                this.statement(program, body, function, false);
            }
        }
        this
    }

    pub(super) fn context(&self, expr: ExprId) -> Context {
        self.contexts[expr.index()]
    }

    /// The expression of which it is an operand, and which.
    pub(super) fn operand(&self, expr: ExprId) -> Option<(ExprId, usize)> {
        match self.context(expr) {
            Context::Operand(parent, position) => Some((parent, position)),
            Context::Dropped
            | Context::Condition
            | Context::Init(_)
            | Context::Returned { .. }
            | Context::Range
            | Context::Opaque
            | Context::Assembly => None,
        }
    }

    /// Whether nothing uses the value of an expression.
    pub(super) fn is_dropped(&self, program: &Program, expr: ExprId) -> bool {
        match self.context(expr) {
            Context::Dropped => true,
            Context::Operand(parent, position) => match program.expr(parent).kind {
                ExprKind::Comma(..) => position == 0 || self.is_dropped(program, parent),
                ExprKind::Paren(_) => self.is_dropped(program, parent),
                _ => false,
            },
            Context::Condition
            | Context::Init(_)
            | Context::Returned { .. }
            | Context::Range
            | Context::Opaque
            | Context::Assembly => false,
        }
    }

    /// The function in whose body the expression stands.
    pub(super) fn function(&self, expr: ExprId) -> Option<FunctionId> {
        self.functions[expr.index()]
    }

    /// Sets the function of an expression and everything below it.
    fn attribute(&mut self, program: &Program, expr: ExprId, function: FunctionId) {
        let mut stack = vec![expr];
        while let Some(id) = stack.pop() {
            if self.functions[id.index()].replace(function).is_some() {
                continue;
            }
            stack.extend(program.expr(id).children());
            if let ExprKind::Lambda { body, .. } = program.expr(id).kind {
                self.statement(program, body, function, true);
            }
        }
    }

    fn root(&mut self, program: &Program, expr: ExprId, context: Context, function: FunctionId) {
        self.contexts[expr.index()] = context;
        if context == Context::Dropped {
            // What is in parentheses, or is a macro's body, is dropped as well.
            let mut at = expr;
            while let ExprKind::Paren(inner) = program.expr(at).kind {
                self.contexts[inner.index()] = context;
                at = inner;
            }
        }
        self.attribute(program, expr, function);
    }

    fn statement(
        &mut self,
        program: &Program,
        start: StmtId,
        function: FunctionId,
        in_lambda: bool,
    ) {
        let mut stack = vec![start];
        while let Some(id) = stack.pop() {
            match &program.stmt(id).kind {
                StmtKind::Expr(expr) => {
                    if let Some(expr) = expr {
                        self.root(program, *expr, Context::Dropped, function);
                    }
                }
                StmtKind::Declaration(_, _)
                | StmtKind::Break
                | StmtKind::Continue
                | StmtKind::Goto(_) => {}
                StmtKind::Block(body) | StmtKind::Try(body) => stack.extend(body),
                StmtKind::If { init, condition, then, otherwise } => {
                    stack.extend(init);
                    stack.push(*then);
                    stack.extend(otherwise);
                    if let Some(condition) = condition {
                        self.root(program, *condition, Context::Condition, function);
                    }
                }
                StmtKind::For { init, condition, step, body } => {
                    stack.extend(init);
                    stack.push(*body);
                    if let Some(condition) = condition {
                        self.root(program, *condition, Context::Condition, function);
                    }
                    if let Some(step) = step {
                        self.root(program, *step, Context::Dropped, function);
                    }
                }
                StmtKind::ForRange { range, body, .. } => {
                    self.root(program, *range, Context::Range, function);
                    stack.push(*body);
                }
                StmtKind::While { init, condition, body }
                | StmtKind::Switch { init, condition, body } => {
                    stack.extend(init);
                    stack.push(*body);
                    if let Some(condition) = condition {
                        self.root(program, *condition, Context::Condition, function);
                    }
                }
                StmtKind::DoWhile { body, condition } => {
                    stack.push(*body);
                    self.root(program, *condition, Context::Condition, function);
                }
                StmtKind::Labelled { value, body, .. } => {
                    stack.extend(body);
                    if let Some(value) = value {
                        self.root(program, *value, Context::Condition, function);
                    }
                }
                StmtKind::Return(value) => {
                    if let Some(value) = value {
                        self.root(program, *value, Context::Returned { in_lambda }, function);
                    }
                }
                StmtKind::Nothing(operands) => {
                    for operand in operands {
                        self.root(program, *operand, Context::Opaque, function);
                    }
                }
                StmtKind::Asm(operands) => {
                    for operand in operands {
                        self.root(program, *operand, Context::Assembly, function);
                        for child in program.expr(*operand).children() {
                            self.contexts[child.index()] = Context::Assembly;
                        }
                    }
                }
                StmtKind::Opaque { exprs, stmts } => {
                    stack.extend(stmts);
                    for expr in exprs {
                        self.root(program, *expr, Context::Opaque, function);
                    }
                }
            }
        }
    }

    /// What a call reaches.
    pub(super) fn callee(&self, program: &Program, callee: ExprId, arguments: &[ExprId]) -> Callee {
        resolve_callee(program, callee, arguments)
    }
}

/// What an owner of the standard library does with the address that it gives to a deleter.
const FREES_BASE: &str = "cudaFree";

/// What a call of `callee` with these arguments reaches.
///
/// Overloads are told apart by the number of arguments and, where both are known, by the record
/// types and pointer depths of arguments and parameters.
#[must_use]
pub fn resolve_callee(program: &Program, callee: ExprId, arguments: &[ExprId]) -> Callee {
    match &program.expr(program.strip_parens(callee)).kind {
        ExprKind::Name(NameRef::Functions(candidates)) => {
            if let [only] = candidates[..]
                && catalogue::on_device(&program.function(only).name).is_none()
            {
                if program.takes_base(only) {
                    return Callee::Library(FREES_BASE.to_owned());
                }
                return Callee::Function(only);
            }
            let mut candidates = candidates.clone();
            candidates.sort();
            candidates.dedup();
            let fitting: Vec<FunctionId> =
                candidates.iter().copied().filter(|id| accepts(program, *id, arguments)).collect();
            // The runtime has a function of that name, too, which the model does not see.
            if candidates
                .iter()
                .any(|id| catalogue::on_device(&program.function(*id).name).is_some())
            {
                return Callee::Ambiguous(candidates);
            }
            match fitting.as_slice() {
                [only] => Callee::Function(*only),
                [] if candidates.len() == 1 => Callee::Function(candidates[0]),
                [] => Callee::Ambiguous(candidates),
                _ => match exact(program, &fitting, arguments) {
                    Some(only) => Callee::Function(only),
                    None => Callee::Ambiguous(fitting),
                },
            }
        }
        ExprKind::Name(NameRef::Unknown(name)) => {
            let name = name.trim_start_matches("::").trim_start_matches("std::");
            Callee::Library(name.to_owned())
        }
        ExprKind::Member { methods, base, arrow, .. } => match methods.as_slice() {
            [only] if program.takes_base(*only) => Callee::Library(FREES_BASE.to_owned()),
            [only] => Callee::Function(*only),
            [] => Callee::Unknown,
            several => {
                let fitting: Vec<FunctionId> =
                    several.iter().copied().filter(|id| accepts(program, *id, arguments)).collect();
                // Overloads for constant and other objects.
                let ty = program.expr(*base).ty;
                let object = if *arrow { program.types.pointee(ty.id) } else { Some(ty) };
                let is_const = object.is_some_and(|object| object.is_const);
                let matching: Vec<FunctionId> = fitting
                    .iter()
                    .copied()
                    .filter(|id| program.function(*id).is_const == is_const)
                    .collect();
                match (fitting.as_slice(), matching.as_slice()) {
                    ([only], _) | (_, [only]) => Callee::Function(*only),
                    ([], _) => Callee::Ambiguous(several.to_vec()),
                    (_, matching) => {
                        // Which of them fits best may depend on the object, too.
                        let viable = match (is_const, matching.len()) {
                            (true, _) => matching,
                            (false, 0) => &fitting[..],
                            (false, own) if own == fitting.len() => matching,
                            (false, _) => &[],
                        };
                        match exact(program, viable, arguments) {
                            Some(only) => Callee::Function(only),
                            None => Callee::Ambiguous(fitting),
                        }
                    }
                }
            }
        },
        _ => Callee::Unknown,
    }
}

/// The constructor that a construction calls, if the record has exactly one that fits.
#[must_use]
pub fn constructor_of(
    program: &Program,
    of: layoutc_syntax::QualType,
    arguments: &[ExprId],
) -> Option<FunctionId> {
    let record = program.as_record(of.id)?;
    let own = program.record(record);
    if own.unmodelled_members.contains(&own.name) {
        return None;
    }
    // What copies as the compiler would is no call.
    let is_copy = matches!(arguments, [only] if program.expr(*only).ty.id == of.id);
    let in_own_way =
        own.traits.iter().any(|(which, _)| *which == layoutc_syntax::RecordTrait::CopyControl);
    if is_copy && !in_own_way {
        return None;
    }
    let mut fitting =
        own.methods.iter().copied().filter(|id| {
            program.function(*id).name == own.name && accepts(program, *id, arguments)
        });
    let only = fitting.next()?;
    fitting.next().is_none().then_some(only)
}

/// The one function whose parameters have just the types of the arguments: nothing fits better.
fn exact(program: &Program, candidates: &[FunctionId], arguments: &[ExprId]) -> Option<FunctionId> {
    // A template could fit as well, for another constness.
    if candidates.iter().any(|id| !program.function(*id).template_parameters.is_empty()) {
        return None;
    }
    let is_exact = |parameter: VarId, argument: ExprId| {
        let own = program.variable(parameter).ty;
        let given = program.expr(argument).ty;
        // Enumerators have types of their own.
        let has_constant = |start: ExprId| {
            let mut stack = vec![start];
            while let Some(at) = stack.pop() {
                match &program.expr(at).kind {
                    ExprKind::Name(NameRef::Constant(_) | NameRef::Macro(_)) => return true,
                    ExprKind::Paren(inner) | ExprKind::Comma(_, inner) => stack.push(*inner),
                    ExprKind::Conditional(_, then, otherwise) => {
                        stack.extend([*then, *otherwise]);
                    }
                    _ => {}
                }
            }
            false
        };
        if has_constant(argument) || is_untyped(program, argument) {
            return false;
        }
        let is_lvalue = matches!(
            program.expr(program.strip_parens(argument)).kind,
            ExprKind::Name(NameRef::Variable(_))
                | ExprKind::Member { field: Some(_), .. }
                | ExprKind::Index { .. }
                | ExprKind::Deref(_)
        );
        let binds = match *program.types.kind(own.id) {
            TypeKind::Reference(_, true) => false,
            TypeKind::Reference(to, false) => to.is_const || (is_lvalue && !given.is_const),
            _ => true,
        };
        let is_known = match program.types.kind(given.id) {
            TypeKind::Scalar(scalar) | TypeKind::Vector(VectorType { scalar, .. }) => {
                *scalar != layoutc_syntax::Scalar::Half
            }
            TypeKind::Record(_) | TypeKind::Pointer(_) => true,
            _ => false,
        };
        binds && is_known && program.types.strip_reference(own).id == given.id
    };
    let mut fitting = candidates.iter().copied().filter(|id| {
        let function = program.function(*id);
        !function.is_variadic
            && function.parameters.len() == arguments.len()
            && function
                .parameters
                .iter()
                .zip(arguments)
                .all(|(parameter, argument)| is_exact(*parameter, *argument))
    });
    let only = fitting.next()?;
    fitting.next().is_none().then_some(only)
}

fn accepts(program: &Program, function: FunctionId, arguments: &[ExprId]) -> bool {
    let function = program.function(function);
    let enough = function.required_parameters <= arguments.len();
    if !enough || (arguments.len() > function.parameters.len() && !function.is_variadic) {
        return false;
    }
    function.parameters.iter().zip(arguments).all(|(parameter, argument)| {
        if matches!(program.expr(*argument).kind, ExprKind::Null | ExprKind::Integer(Some(0))) {
            return true;
        }
        // What is declared as `void *` chooses overloads as that, whatever it is taken for.
        if is_untyped(program, *argument) || program.variable(*parameter).is_untyped {
            return program.types.as_scalar(program.variable(*parameter).ty.id).is_none();
        }
        let parameter = program.variable(*parameter).ty;
        if program.types.is_null_type(parameter) {
            return is_null_or_unknown(program, *argument);
        }
        let argument = program.expr(*argument).ty;
        let known = |ty: layoutc_syntax::QualType| {
            !matches!(
                program.types.kind(program.types.strip_reference(ty).id),
                TypeKind::Unknown | TypeKind::Named(..) | TypeKind::TemplateParameter(_)
            )
        };
        match (element_of(program, parameter), element_of(program, argument)) {
            // A derived class converts to its bases.
            (Some((left, depth)), Some((right, same))) => {
                depth == same
                    && match (left, right) {
                        (Element::Record(base), Element::Record(derived)) => {
                            base == derived || program.derives_from(derived, base)
                        }
                        _ => left == right,
                    }
            }
            (Some(_), None) => !known(argument) || program.types.pointee(argument.id).is_some(),
            (None, Some(_)) => {
                let ty = program.types.strip_reference(parameter);
                !known(parameter)
                    || program.types.pointee(ty.id).is_some()
                    || dependent(program, ty.id)
            }
            (None, None) => {
                // A pointer does not convert to an arithmetic type, nor the other way round.
                let (left, right) = (program.types.strip_reference(parameter), argument);
                let is_pointer =
                    |ty: layoutc_syntax::QualType| program.types.pointee(ty.id).is_some();
                let is_number =
                    |ty: layoutc_syntax::QualType| program.types.as_scalar(ty.id).is_some();
                !(is_pointer(left) && is_number(right) || is_number(left) && is_pointer(right))
            }
        }
    })
}

/// Whether an expression may be of type `std::nullptr_t`: it is of that, or of a type that is not known.
fn is_null_or_unknown(program: &Program, expr: ExprId) -> bool {
    let ty = program.types.strip_reference(program.expr(expr).ty);
    matches!(
        program.types.kind(ty.id),
        TypeKind::Unknown | TypeKind::Named(..) | TypeKind::TemplateParameter(_)
    )
}

/// Whether an expression is declared as `void *`, or is the address of what is.
pub(super) fn is_untyped(program: &Program, expr: ExprId) -> bool {
    match program.expr(program.strip_parens(expr)).kind {
        ExprKind::Name(NameRef::Variable(id)) => program.variable(id).is_untyped,
        ExprKind::Member { field: Some(id), .. } => program.field(id).is_untyped,
        ExprKind::Assign(None, inner, _) | ExprKind::AddressOf(inner) => is_untyped(program, inner),
        _ => false,
    }
}

/// Whether a type depends on a template parameter.
pub(super) fn dependent(program: &Program, ty: layoutc_syntax::TypeId) -> bool {
    match program.types.kind(ty) {
        TypeKind::TemplateParameter(_) => true,
        TypeKind::Pointer(to) | TypeKind::Reference(to, _) | TypeKind::Array(to, _) => {
            dependent(program, to.id)
        }
        _ => false,
    }
}

/// The function that an operator on records calls, the object if that is a member function, and
/// the operands that its parameters receive.
#[must_use]
pub fn operator_operands(
    program: &Program,
    expr: ExprId,
) -> Option<(FunctionId, Option<ExprId>, Vec<ExprId>)> {
    let function = *program.operators.get(&expr)?;
    let mut operands = match program.expr(expr).kind {
        ExprKind::Binary(_, left, right) | ExprKind::Assign(Some(_), left, right) => {
            vec![left, right]
        }
        ExprKind::Index { base, index, .. } => vec![base, index],
        ExprKind::Call { callee, ref arguments, .. } => {
            [callee].into_iter().chain(arguments.iter().copied()).collect()
        }
        ExprKind::Unary(_, operand) => vec![operand],
        _ => return None,
    };
    let object = program.function(function).record.is_some().then(|| operands.remove(0));
    Some((function, object, operands))
}

/// The object whose reference a call or operator gives back: the one that it is made on, or its
/// first operand. `p[i].scale(2)` with `T &scale(float)` that returns `*this` is `p[i]`, changed.
#[must_use]
pub fn given_object(program: &Program, expr: ExprId) -> Option<ExprId> {
    let (function, object) = match operator_operands(program, expr) {
        Some((function, object, operands)) => (function, object.or(operands.first().copied())?),
        None => {
            let ExprKind::Call { callee, arguments, .. } = &program.expr(expr).kind else {
                return None;
            };
            let Callee::Function(function) = resolve_callee(program, *callee, arguments) else {
                return None;
            };
            let own = program.function(function);
            let object = match program.expr(program.strip_parens(*callee)).kind {
                ExprKind::Member { base, .. } if own.record.is_some() && !own.is_static_member => {
                    base
                }
                ExprKind::Name(_) if own.record.is_none() => *arguments.first()?,
                _ => return None,
            };
            (function, object)
        }
    };
    gives_object(program, function).then_some(object)
}

/// Whether a function returns a reference to its object, or to its first parameter if it has none.
fn gives_object(program: &Program, function: layoutc_syntax::FunctionId) -> bool {
    let own = program.function(function);
    // A version returns nothing, or the index of the object.
    let function = match &own.copy_of {
        Some(copy_of) if copy_of.drops_result => copy_of.original,
        _ => function,
    };
    let own = program.function(function);
    let to_record = |ty: layoutc_syntax::QualType| {
        matches!(*program.types.kind(ty.id), TypeKind::Reference(to, false)
            if !to.is_const && program.types.as_record(to.id).is_some())
    };
    let is_method = own.record.is_some() && !own.is_static_member;
    to_record(own.result)
        && own.body.is_some()
        && (is_method
            || own.parameters.first().is_some_and(|first| to_record(program.variable(*first).ty)))
        && program.returns_its_object(function)
}

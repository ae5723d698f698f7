//! Arrays whose extents are in their types: `T (*p)[NY][NX]`, `T a[NZ][NY][NX]`, `T a[ny][nx][4]`.
//!
//! In a copy of the program they become what they are to the machine, pointers to one value and sums
//! of products: `p[z][y][x]` is `p[(z*NY + y)*NX + x]`, the row `p[z]` is `p + z*(NY*NX)`. Then the
//! rules for flat arrays judge them, and an index of either kind has one meaning.
//!
//! *Claim:* the changed program computes the addresses of the original. What has no such form
//! becomes [`ExprKind::Opaque`], which pins what it mentions, or is listed and pins by itself
//! ([`TypedArrays::pin`]).
//!
//! Sums and products that nobody wrote stand behind all other expressions of the arena; their text is a
//! [`Chain`]. Members that are arrays are parts of their record and stay.

use super::{ClassId, Classes, Pin, Slot};
use layoutc_diagnostics::{Code, Span};
use layoutc_syntax::{
    BinaryOp, DeclaratorSite, Expr, ExprId, ExprKind, FieldId, FunctionId, NameRef, Program,
    QualType, Scalar, Storage, TypeKind, VarId, Variable, evaluate,
};
use std::collections::{BTreeMap, BTreeSet};

/// The extent of a dimension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// A constant, with the expression that gives it where the declarator has one.
    Constant(i64, Option<ExprId>),
    /// The value of an expression that variables take part in, as in C99.
    Value(ExprId),
}

/// What a declarator or type says of an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declared {
    /// The extent of the slowest dimension, if the type has one.
    pub slowest: Option<Extent>,
    /// The extents behind it, slowest first; at least one.
    pub extents: Vec<Extent>,
    /// The type of a value.
    pub element: QualType,
    /// An extent is no constant, and the compiler takes no such type there: host code may have one
    /// inside its functions, but not as a parameter.
    pub is_lowered: bool,
}

impl Declared {
    /// Whether an extent is no constant.
    #[must_use]
    pub fn is_variable(&self) -> bool {
        self.values().next().is_some()
    }

    fn values(&self) -> impl Iterator<Item = ExprId> + '_ {
        self.slowest.iter().chain(&self.extents).filter_map(|extent| match extent {
            Extent::Value(expr) => Some(*expr),
            Extent::Constant(..) => None,
        })
    }
}

/// Whether an extent is the value of variables; otherwise it is a constant, known or not.
#[must_use]
pub fn is_of_variables(program: &Program, size: ExprId) -> bool {
    let mut stack = vec![size];
    while let Some(at) = stack.pop() {
        match program.expr(at).kind {
            ExprKind::SizeOfExpr(_) | ExprKind::SizeOfType { .. } => continue,
            ExprKind::Name(NameRef::Variable(id)) => {
                let variable = program.variable(id);
                let is_parameter = matches!(variable.storage, Storage::Parameter { .. });
                // What initializes a constant decides; if that is not known, it is taken for one.
                let is_constant = !is_parameter
                    && variable.ty.is_const
                    && variable.init.is_none_or(|init| !is_of_variables(program, init));
                if !is_constant {
                    return true;
                }
            }
            // Nothing declares it, or a parameter behind the array does. A library's constant is a
            // macro or has a scope.
            ExprKind::Name(NameRef::Unknown(ref name))
                if program.unseen.is_empty()
                    && !name.contains("::")
                    && name.contains(|letter: char| letter.is_lowercase()) =>
            {
                return true;
            }
            _ => {}
        }
        stack.extend(program.expr(at).children());
    }
    false
}

/// Subscripts on an array whose type has extents.
#[derive(Clone, Debug)]
pub struct Chain {
    /// What they are subscripts of.
    pub root: ExprId,
    /// The slot that the root names, if it is one.
    pub slot: Option<Slot>,
    /// The array.
    pub declared: Declared,
    /// The subscripts, slowest first.
    pub subscripts: Vec<ExprId>,
    /// From behind the first `[` to before the last `]`.
    pub span: Span,
    /// There is one subscript for each dimension; otherwise this is a row, or several.
    pub is_value: bool,
}

/// A `sizeof` of an array with extents.
#[derive(Clone, Debug)]
pub struct RowSize {
    /// The slot whose declaration says the size.
    pub slot: Option<Slot>,
    /// The extents of what is measured, slowest first; none for a value.
    pub extents: Vec<Extent>,
    /// The type of a value.
    pub element: QualType,
}

/// The arrays of a program that have extents in their types.
#[derive(Clone, Debug, Default)]
pub struct TypedArrays {
    /// Expressions from here on are nobody's text.
    first: Option<usize>,
    /// Variables and parameters.
    pub variables: BTreeMap<VarId, Declared>,
    /// Members that are pointers.
    pub fields: BTreeMap<FieldId, Declared>,
    /// All subscripts, by the outermost expression.
    pub chains: BTreeMap<ExprId, Chain>,
    /// The chain of each sum.
    sums: BTreeMap<ExprId, ExprId>,
    /// Casts to such arrays.
    pub casts: BTreeMap<ExprId, Declared>,
    /// Sizes of them and of rows.
    pub sizes: BTreeMap<ExprId, RowSize>,
    /// `*p` that is a row.
    pub rows: BTreeSet<ExprId>,
    /// `a[0]` and `&a[0][0][0]`, with `a`.
    pub starts: BTreeMap<ExprId, ExprId>,
    /// Subscripts of values: there are more than dimensions.
    pub too_many: BTreeMap<ExprId, ExprId>,
    /// Uses that have no form when the type changes.
    pub awkward: Vec<(ExprId, &'static str)>,
    /// Slots of types that are not followed.
    unfollowed: Vec<(Slot, Span)>,
}

impl TypedArrays {
    /// Makes the arrays of a program flat.
    #[must_use]
    pub fn flatten(program: &mut Program) -> Self {
        let mut this = TypedArrays::default();
        if !any(program) {
            return this;
        }
        this.first = Some(program.exprs.len());
        this.declarations(program);
        let shapes = Shapes::find(program, &mut this);
        this.expressions(program, shapes);
        this.types(program);
        this
    }

    /// Whether nobody wrote an expression.
    #[must_use]
    pub fn is_synthetic(&self, expr: ExprId) -> bool {
        self.first.is_some_and(|first| expr.index() >= first)
    }

    /// The subscripts that the sum in an index stands for.
    #[must_use]
    pub fn chain_of_sum(&self, sum: ExprId) -> Option<&Chain> {
        self.chains.get(self.sums.get(&sum)?)
    }

    /// What a slot's declaration says.
    #[must_use]
    pub fn of_slot(&self, slot: Slot) -> Option<&Declared> {
        match slot {
            Slot::Variable(id) => self.variables.get(&id),
            Slot::Field(id) => self.fields.get(&id),
            Slot::Result(_) => None,
        }
    }

    /// Pins the classes with uses that are not followed.
    pub fn pin(&self, program: &Program, classes: &mut Classes) {
        let mut found: Vec<(ClassId, Span, &str)> = Vec::new();
        for (slot, span) in &self.unfollowed {
            if let Some(class) = classes.class_of_slot(*slot) {
                found.push((class, *span, "arrays of a type with such extents are not followed"));
            }
        }
        for (expr, message) in &self.awkward {
            if let Some((class, _)) = classes.value(*expr) {
                found.push((class, program.expr(*expr).span, message));
            }
        }
        for (class, span, message) in found {
            let pins = &mut classes.classes[class.index()].pins;
            pins.push(Pin {
                span,
                code: Code::GRID_FORM,
                message: message.to_owned(),
                related: Vec::new(),
            });
            pins.sort();
            pins.dedup();
        }
    }

    /// What each variable and member says; those of other forms pin.
    fn declarations(&mut self, program: &Program) {
        for id in program.variable_ids() {
            let variable = program.variable(id);
            if !mentions(program, variable.ty) {
                continue;
            }
            let is_shared = variable.function.is_some_and(|function| {
                let own = program.function(function);
                own.copy_of.is_some() || !own.template_parameters.is_empty()
            });
            // An array of variable length is the host's own memory.
            let is_array = matches!(program.types.kind(variable.ty.id), TypeKind::Array(..));
            let declared = of_declarator(program, variable.ty, &variable.site)
                .filter(|_| !is_shared && variable.record.is_none())
                .filter(|declared| is_own(program, declared, &variable.site))
                .filter(|declared| !is_array || !declared.is_variable());
            match declared {
                Some(mut declared) => {
                    declared.is_lowered = declared.is_variable() && takes_none(program, variable);
                    self.variables.insert(id, declared);
                }
                None => self.unfollowed.push((Slot::Variable(id), variable.site.name)),
            }
        }
        for at in 0..program.fields.len() as u32 {
            let id = FieldId(at);
            let field = program.field(id);
            if matches!(program.types.kind(field.ty.id), TypeKind::Array(..))
                || !mentions(program, field.ty)
            {
                continue;
            }
            let is_shared = program.record(field.record).shares_text || field.inherited.is_some();
            match of_declarator(program, field.ty, &field.site).filter(|_| !is_shared) {
                Some(declared) if !declared.is_variable() => {
                    self.fields.insert(id, declared);
                }
                _ => self.unfollowed.push((Slot::Field(id), field.site.name)),
            }
        }
        for id in program.function_ids() {
            let function = program.function(id);
            if mentions(program, function.result)
                && let Some(site) = function.sites.first()
            {
                self.unfollowed.push((Slot::Result(id), site.name));
            }
        }
    }

    /// Replaces the kinds of expressions.
    fn expressions(&mut self, program: &mut Program, mut shapes: Shapes) {
        for (id, extents) in std::mem::take(&mut shapes.steps) {
            self.step(program, id, &extents);
        }
        for id in shapes.opaque {
            let children = program.expr(id).children().collect();
            program.exprs[id.index()].kind = ExprKind::Opaque(children);
        }
        for id in &self.rows {
            if let ExprKind::Deref(operand) = program.expr(*id).kind {
                program.exprs[id.index()].kind = ExprKind::Paren(operand);
            }
        }
        for (id, root) in &self.starts {
            program.exprs[id.index()].kind = ExprKind::Paren(*root);
        }
        for id in shapes.addresses {
            if let ExprKind::AddressOf(operand) = program.expr(id).kind {
                program.exprs[id.index()].kind = ExprKind::Paren(operand);
            }
        }
        let int = program.types.scalar(Scalar::Int);
        for id in shapes.inner {
            program.exprs[id.index()].kind = ExprKind::Literal;
            program.exprs[id.index()].ty = int;
        }
        for (id, chain) in &self.chains {
            let Some((sum, is_value)) = self.sum(program, *id, chain) else { continue };
            self.sums.insert(sum, *id);
            let brackets =
                Span { start: chain.span.start - 1, end: chain.span.end + 1, ..chain.span };
            program.exprs[id.index()].kind = if is_value {
                ExprKind::Index { base: chain.root, index: sum, brackets }
            } else {
                ExprKind::Binary(BinaryOp::Add, chain.root, sum)
            };
        }
        for (id, value) in shapes.measured {
            let mut stack: Vec<ExprId> = program.expr(id).children().collect();
            while let Some(at) = stack.pop() {
                stack.extend(program.expr(at).children());
                program.exprs[at.index()].kind = ExprKind::Literal;
                program.exprs[at.index()].ty = int;
                self.chains.remove(&at);
                self.rows.remove(&at);
                self.starts.remove(&at);
            }
            program.exprs[id.index()].kind = ExprKind::Integer(Some(value));
        }
    }

    /// `p + n` of rows: the number of values is a product.
    fn step(&self, program: &mut Program, id: ExprId, extents: &[Extent]) {
        let ExprKind::Binary(op, left, right) = program.expr(id).kind else { return };
        let is_right = mentions(program, program.expr(left).ty);
        let by = if is_right { right } else { left };
        let mut product = by;
        for extent in extents {
            let extent = self.extent(program, id, *extent);
            product = add(program, id, ExprKind::Binary(BinaryOp::Mul, product, extent), by);
        }
        program.exprs[id.index()].kind = if is_right {
            ExprKind::Binary(op, left, product)
        } else {
            ExprKind::Binary(op, product, right)
        };
    }

    /// The sum of a chain, and whether the chain is a value.
    fn sum(&self, program: &mut Program, id: ExprId, chain: &Chain) -> Option<(ExprId, bool)> {
        let widest = chain.subscripts.iter().copied().max_by_key(|subscript| {
            program.types.as_scalar(program.expr(*subscript).ty.id).map_or(
                // A builtin is unsigned.
                (4, true),
                |scalar| (scalar.size().max(4), scalar.is_unsigned() && scalar.size() >= 4),
            )
        })?;
        let mut sum = *chain.subscripts.first()?;
        let count = chain.subscripts.len();
        for (at, extent) in chain.declared.extents.iter().enumerate() {
            let extent = self.extent(program, id, *extent);
            sum = add(program, id, ExprKind::Binary(BinaryOp::Mul, sum, extent), widest);
            if let Some(subscript) = chain.subscripts.get(at + 1) {
                sum = add(program, id, ExprKind::Binary(BinaryOp::Add, sum, *subscript), widest);
            }
        }
        let is_value = count == chain.declared.extents.len() + 1;
        program.exprs[sum.index()].span = chain.span;
        Some((sum, is_value))
    }

    /// The expression of an extent.
    fn extent(&self, program: &mut Program, id: ExprId, extent: Extent) -> ExprId {
        match extent {
            Extent::Constant(value, _) => {
                let sum = add(program, id, ExprKind::Integer(Some(value)), id);
                program.exprs[sum.index()].ty = program.types.scalar(Scalar::Int);
                sum
            }
            Extent::Value(expr) => expr,
        }
    }

    /// Replaces all types.
    fn types(&self, program: &mut Program) {
        for at in 0..program.variables.len() {
            program.variables[at].ty = flat(program, program.variables[at].ty);
        }
        for at in 0..program.fields.len() {
            let ty = program.fields[at].ty;
            if !matches!(program.types.kind(ty.id), TypeKind::Array(..)) {
                program.fields[at].ty = flat(program, ty);
            }
        }
        for at in 0..program.functions.len() {
            program.functions[at].result = flat(program, program.functions[at].result);
        }
        for at in 0..program.exprs.len() {
            let is_member = matches!(program.exprs[at].kind, ExprKind::Member { .. })
                && matches!(program.types.kind(program.exprs[at].ty.id), TypeKind::Array(..));
            if !is_member {
                let ty = program.exprs[at].ty;
                let mut new = flat(program, ty);
                // A row is used as a pointer.
                if let TypeKind::Array(to, _) = *program.types.kind(new.id)
                    && !matches!(program.exprs[at].kind, ExprKind::Name(_))
                    && (self.chains.contains_key(&ExprId(at as u32))
                        || self.starts.contains_key(&ExprId(at as u32)))
                {
                    new = program.types.pointer(to);
                }
                program.exprs[at].ty = new;
            }
            if let ExprKind::Cast { target, .. } = program.exprs[at].kind {
                let new = flat(program, target);
                if let ExprKind::Cast { target, .. } = &mut program.exprs[at].kind {
                    *target = new;
                }
            }
        }
    }
}

/// A new expression in the place of another, with the type of a third.
fn add(program: &mut Program, at: ExprId, kind: ExprKind, like: ExprId) -> ExprId {
    let id = ExprId(program.exprs.len() as u32);
    let (span, ty) = (program.expr(at).span, program.expr(like).ty);
    program.exprs.push(Expr { kind, span, ty });
    program.expr_homes.push(program.home(at));
    id
}

/// Whether any variable, member or cast has such a type.
fn any(program: &Program) -> bool {
    program.variables.iter().any(|variable| mentions(program, variable.ty))
        || program.fields.iter().any(|field| mentions(program, field.ty))
        || program.exprs.iter().any(|expr| mentions(program, expr.ty))
}

/// The scalar that arrays of arrays are made of, with the number of arrays.
fn innermost(program: &Program, ty: QualType) -> Option<(QualType, usize)> {
    let (mut at, mut count) = (ty, 0);
    while let TypeKind::Array(of, _) = *program.types.kind(at.id) {
        // A constant array is one of constants.
        at = QualType {
            is_const: at.is_const || of.is_const,
            is_volatile: at.is_volatile || of.is_volatile,
            ..of
        };
        count += 1;
    }
    program.types.as_scalar(at.id).map(|_| (at, count))
}

/// Whether a type is made of pointers to arrays of scalars, or of arrays of arrays of them.
fn mentions(program: &Program, ty: QualType) -> bool {
    let mut at = ty;
    loop {
        match *program.types.kind(at.id) {
            TypeKind::Array(of, _) => {
                if innermost(program, at).is_some_and(|(_, count)| count >= 2) {
                    return true;
                }
                at = of;
            }
            TypeKind::Pointer(to) | TypeKind::Reference(to, _) => {
                if innermost(program, to).is_some_and(|(_, count)| count >= 1) {
                    return true;
                }
                at = to;
            }
            _ => return false,
        }
    }
}

/// The type with one pointer or array in the place of several arrays.
fn flat(program: &mut Program, ty: QualType) -> QualType {
    if !mentions(program, ty) {
        return ty;
    }
    let kind = match *program.types.kind(ty.id) {
        TypeKind::Pointer(to) => match innermost(program, to) {
            Some((element, 1..)) => TypeKind::Pointer(element),
            _ => TypeKind::Pointer(flat(program, to)),
        },
        TypeKind::Reference(to, is_rvalue) => TypeKind::Reference(flat(program, to), is_rvalue),
        TypeKind::Array(of, length) => match innermost(program, of) {
            Some((element, 1..)) => {
                let mut total = length;
                let mut at = of;
                while let TypeKind::Array(of, length) = *program.types.kind(at.id) {
                    total = total.zip(length).and_then(|(a, b)| a.checked_mul(b));
                    at = of;
                }
                TypeKind::Array(element, total)
            }
            _ => TypeKind::Array(flat(program, of), length),
        },
        _ => return ty,
    };
    QualType { id: program.types.intern(kind), ..ty }
}

/// The brackets of a declarator behind its name, in order.
#[must_use]
pub fn brackets_of(program: &Program, site: &DeclaratorSite) -> Vec<(Span, Option<ExprId>)> {
    if program.text(site.name).is_empty() {
        return brackets_in(program, site.span);
    }
    brackets_in(program, Span { start: site.name.end, ..site.span })
}

/// Whether all subscripts are 0.
fn is_start(program: &Program, shape: &Shape) -> bool {
    shape.subscripts.iter().all(|at| matches!(program.expr(*at).kind, ExprKind::Integer(Some(0))))
}

/// The brackets in a text, in order.
fn brackets_in(program: &Program, span: Span) -> Vec<(Span, Option<ExprId>)> {
    let from = Span { end: span.start, ..span };
    program
        .brackets
        .range(from..)
        .take_while(|(own, _)| own.file == span.file && own.start < span.end)
        .filter(|(own, _)| span.contains(**own))
        .map(|(own, size)| (*own, *size))
        .collect()
}

/// What a declarator says.
fn of_declarator(program: &Program, ty: QualType, site: &DeclaratorSite) -> Option<Declared> {
    let has_pointer = !site.pointers.is_empty();
    of_type(program, ty, &brackets_of(program, site), has_pointer)
}

/// What a type says with the brackets that are written for it.
fn of_type(
    program: &Program,
    ty: QualType,
    written: &[(Span, Option<ExprId>)],
    has_pointer: bool,
) -> Option<Declared> {
    let extent = |length: Option<u64>, size: Option<ExprId>| match (length, size) {
        (Some(length), size) => {
            Some(Extent::Constant(i64::try_from(length).ok().filter(|n| *n > 0)?, size))
        }
        (None, Some(size)) if is_of_variables(program, size) => Some(Extent::Value(size)),
        (None, _) => None,
    };
    let mut written = written.iter().map(|(_, size)| *size);
    let (mut at, slowest) = match *program.types.kind(ty.id) {
        TypeKind::Pointer(to) => {
            let first = if has_pointer { None } else { written.next().flatten() };
            let length = first.and_then(|size| evaluate::constant(program, size));
            (
                to,
                first.and_then(|size| {
                    extent(length.and_then(|n| u64::try_from(n).ok()), Some(size))
                }),
            )
        }
        TypeKind::Array(of, length) => (of, extent(length, written.next().flatten())),
        _ => return None,
    };
    let (element, count) = innermost(program, at)?;
    let mut extents = Vec::new();
    while let TypeKind::Array(of, length) = *program.types.kind(at.id) {
        extents.push(extent(length, written.next().flatten())?);
        at = of;
    }
    let mut declared = Declared { slowest, extents, element, is_lowered: false };
    let owner = declared.values().find_map(|value| owner(program, value));
    declared.is_lowered = declared.is_variable()
        && owner.is_none_or(|owner| program.function(owner).space.on_device());
    (count > 0 && written.next().is_none()).then_some(declared)
}

/// The function whose variables an expression names.
fn owner(program: &Program, expr: ExprId) -> Option<FunctionId> {
    let mut stack = vec![expr];
    while let Some(at) = stack.pop() {
        if let ExprKind::Name(NameRef::Variable(id)) = program.expr(at).kind
            && let Some(function) = program.variable(id).function
        {
            return Some(function);
        }
        stack.extend(program.expr(at).children());
    }
    None
}

/// Whether the compiler takes no extents of variables in the declaration of a variable.
#[must_use]
pub fn takes_none(program: &Program, variable: &Variable) -> bool {
    let file = &program.files[variable.site.name.file.index()];
    // In what a host compiler sees, such a parameter is C.
    let is_c = file.is_root && !file.is_cuda && !file.is_opencl;
    let is_parameter = matches!(variable.storage, Storage::Parameter { .. });
    let on_host = variable
        .function
        .is_some_and(|function| !program.function(function).space.on_device() && !file.is_opencl);
    !is_c && (is_parameter || !on_host)
}

/// Whether the extents that are values are made of what can be named where the array can: globals
/// and variables of the array's function.
fn is_own(program: &Program, declared: &Declared, site: &DeclaratorSite) -> bool {
    declared.slowest.iter().chain(&declared.extents).all(|extent| match extent {
        Extent::Constant(..) => true,
        Extent::Value(expr) => {
            program.home(*expr).is_none()
                && program.expr(*expr).span.file == site.name.file
                && !program.text(program.expr(*expr).span).is_empty()
        }
    })
}

/// What each expression is with respect to arrays with extents.
#[derive(Clone, Debug)]
struct Shape {
    root: ExprId,
    slot: Option<Slot>,
    declared: Declared,
    subscripts: Vec<ExprId>,
    brackets: Vec<Span>,
}

/// The shapes of all expressions, and what becomes of those that are no chains.
#[derive(Default)]
struct Shapes {
    of: BTreeMap<ExprId, Shape>,
    /// Parts of member arrays.
    kept: BTreeSet<ExprId>,
    /// Chains inside others.
    inner: BTreeSet<ExprId>,
    /// `p + n`, with the extents of what `p` points to.
    steps: Vec<(ExprId, Vec<Extent>)>,
    opaque: Vec<ExprId>,
    addresses: Vec<ExprId>,
    measured: Vec<(ExprId, i64)>,
}

impl Shapes {
    fn find(program: &Program, typed: &mut TypedArrays) -> Shapes {
        let mut this = Shapes::default();
        for id in program.expr_ids() {
            this.expression(program, typed, id);
        }
        for (id, shape) in &this.of {
            if shape.subscripts.is_empty() || this.inner.contains(id) {
                continue;
            }
            let (Some(first), Some(last)) = (shape.brackets.first(), shape.brackets.last()) else {
                continue;
            };
            let is_row = shape.subscripts.len() <= shape.declared.extents.len();
            if is_row && is_start(program, shape) {
                typed.starts.insert(*id, shape.root);
                continue;
            }
            let span = Span { start: first.start + 1, end: last.end - 1, ..*first };
            typed.chains.insert(
                *id,
                Chain {
                    root: shape.root,
                    slot: shape.slot,
                    declared: shape.declared.clone(),
                    subscripts: shape.subscripts.clone(),
                    span,
                    is_value: shape.subscripts.len() == shape.declared.extents.len() + 1,
                },
            );
        }
        this
    }

    fn expression(&mut self, program: &Program, typed: &mut TypedArrays, id: ExprId) {
        let expr = program.expr(id);
        match &expr.kind {
            ExprKind::Name(NameRef::Variable(variable)) => {
                let slot = Slot::Variable(*variable);
                match typed.variables.get(variable) {
                    Some(declared) => self.start(id, Some(slot), declared.clone()),
                    None => self.by_type(program, id),
                }
            }
            ExprKind::Member { field, .. } => {
                if matches!(program.types.kind(expr.ty.id), TypeKind::Array(..)) {
                    self.kept.insert(id);
                    return;
                }
                match field.and_then(|field| Some((field, typed.fields.get(&field)?))) {
                    Some((field, declared)) => {
                        self.start(id, Some(Slot::Field(field)), declared.clone());
                    }
                    None => self.by_type(program, id),
                }
            }
            ExprKind::Cast { target, target_span, .. } if mentions(program, *target) => {
                match of_type(program, *target, &brackets_in(program, *target_span), true) {
                    Some(declared) => {
                        typed.casts.insert(id, declared.clone());
                        self.start(id, None, declared);
                    }
                    None => {
                        typed.awkward.push((id, "a cast to an array of this type is not followed"));
                        self.opaque.push(id);
                    }
                }
            }
            ExprKind::Paren(inner) => {
                if self.kept.contains(inner) {
                    self.kept.insert(id);
                } else {
                    self.behind(program, id, *inner, 0);
                }
            }
            ExprKind::Index { base, index, brackets } => {
                self.subscript(program, typed, id, *base, *index, *brackets);
            }
            ExprKind::Deref(operand) => {
                if self.kept.contains(operand) {
                    self.kept.insert(id);
                } else {
                    if is_row(program, expr.ty) {
                        typed.rows.insert(id);
                        self.behind(program, id, *operand, 1);
                    } else {
                        self.by_type(program, id);
                    }
                }
            }
            ExprKind::AddressOf(operand)
                if self.of.get(operand).is_some_and(|shape| {
                    shape.subscripts.len() == shape.declared.extents.len() + 1
                        && is_start(program, shape)
                }) =>
            {
                if let Some(root) = self.of.get(operand).map(|shape| shape.root) {
                    self.inner.insert(*operand);
                    typed.starts.insert(id, root);
                }
            }
            ExprKind::AddressOf(operand) => {
                let of_array = is_row(program, program.expr(*operand).ty);
                if of_array && !self.kept.contains(operand) && mentions(program, expr.ty) {
                    self.addresses.push(id);
                    typed.awkward.push((id, "the address of a row is not followed"));
                }
                self.by_type(program, id);
            }
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, left, right) => {
                let is_rows = |operand: &ExprId| {
                    mentions(program, program.expr(*operand).ty) && !self.kept.contains(operand)
                };
                match (is_rows(left), is_rows(right)) {
                    (false, false) => self.by_type(program, id),
                    (true, true) => {
                        typed.awkward.push((*left, "rows are counted by subtracting pointers"));
                        self.opaque.push(id);
                    }
                    (is_left, _) => {
                        let pointer = if is_left { *left } else { *right };
                        typed.awkward.push((id, "a pointer to rows is moved"));
                        match self.left(pointer) {
                            Some(extents) => self.steps.push((id, extents)),
                            None => self.opaque.push(id),
                        }
                        self.behind(program, id, pointer, 0);
                    }
                }
            }
            ExprKind::Unary(op, operand)
                if op.is_update() && mentions(program, program.expr(*operand).ty) =>
            {
                typed.awkward.push((*operand, "a pointer to rows is moved"));
                self.opaque.push(id);
            }
            ExprKind::Assign(Some(_), left, _) if mentions(program, program.expr(*left).ty) => {
                typed.awkward.push((*left, "a pointer to rows is moved"));
                self.opaque.push(id);
            }
            ExprKind::SizeOfExpr(operand) => self.measure(program, typed, id, *operand),
            _ => self.by_type(program, id),
        }
    }

    /// An expression that is an array, or points to one, in the way that a declaration says.
    fn start(&mut self, id: ExprId, slot: Option<Slot>, declared: Declared) {
        let shape =
            Shape { root: id, slot, declared, subscripts: Vec::new(), brackets: Vec::new() };
        self.of.insert(id, shape);
    }

    /// An expression that points to what another does, or to the first of it.
    fn behind(&mut self, program: &Program, id: ExprId, other: ExprId, by: usize) {
        let Some(shape) = self.of.get(&other) else {
            self.by_type(program, id);
            return;
        };
        let extents = shape.declared.extents.get(shape.subscripts.len() + by..).unwrap_or(&[]);
        if extents.is_empty() {
            return;
        }
        let is_same = shape.subscripts.is_empty() && by == 0;
        let declared = Declared {
            slowest: shape.declared.slowest.filter(|_| is_same),
            extents: extents.to_vec(),
            ..shape.declared
        };
        let slot = shape.slot.filter(|_| is_same);
        self.start(id, slot, declared);
    }

    /// An expression of which nothing but the type says the extents.
    fn by_type(&mut self, program: &Program, id: ExprId) {
        let ty = program.expr(id).ty;
        if mentions(program, ty)
            && let Some(declared) = of_type(program, ty, &[], true)
        {
            self.start(id, None, declared);
        }
    }

    fn subscript(
        &mut self,
        program: &Program,
        typed: &mut TypedArrays,
        id: ExprId,
        base: ExprId,
        index: ExprId,
        brackets: Span,
    ) {
        if self.kept.contains(&base) {
            self.kept.insert(id);
            return;
        }
        let is_operator = program.operators.contains_key(&id);
        let Some(shape) = self.of.get(&base).filter(|_| !is_operator) else {
            // A row of unknown size, or of an array of one dimension.
            let to = program.types.pointee(program.expr(base).ty.id);
            if to.is_some_and(|to| is_row(program, to)) && !is_operator {
                self.opaque.push(id);
            }
            self.by_type(program, id);
            return;
        };
        let rank = shape.declared.extents.len() + 1;
        if shape.subscripts.len() == rank {
            typed.too_many.insert(id, base);
            return;
        }
        let is_next = shape.brackets.last().is_none_or(|last| {
            last.file == brackets.file
                && last.end <= brackets.start
                && program.home(base) == program.home(id)
                && program
                    .text(Span { start: last.end, end: brackets.start, ..brackets })
                    .trim()
                    .is_empty()
        });
        if !is_next {
            self.opaque.push(id);
            return;
        }
        let mut shape = shape.clone();
        if !shape.subscripts.is_empty() {
            self.inner.insert(base);
        }
        shape.subscripts.push(index);
        shape.brackets.push(brackets);
        self.of.insert(id, shape);
    }

    /// The extents of what a pointer to rows points to.
    fn left(&self, pointer: ExprId) -> Option<Vec<Extent>> {
        let shape = self.of.get(&pointer)?;
        let extents = shape.declared.extents.get(shape.subscripts.len()..)?.to_vec();
        (!extents.is_empty()).then_some(extents)
    }

    /// `sizeof` of a row or a value.
    fn measure(&mut self, program: &Program, typed: &mut TypedArrays, id: ExprId, operand: ExprId) {
        let inner = program.strip_parens(operand);
        let ty = program.expr(operand).ty;
        let is_array = matches!(program.types.kind(ty.id), TypeKind::Array(..));
        let shape = self.of.get(&operand).or_else(|| self.of.get(&inner));
        let is_chain = shape.is_some_and(|shape| !shape.subscripts.is_empty());
        if self.kept.contains(&inner)
            || !(is_chain || (is_array && mentions(program, ty)) || typed.rows.contains(&inner))
        {
            return;
        }
        // Down to the variable whose declaration says it.
        let mut root = inner;
        let slot = loop {
            if let Some(slot) = self.of.get(&root).and_then(|shape| shape.slot) {
                break Some(slot);
            }
            match program.expr(root).kind {
                ExprKind::Paren(inner) | ExprKind::Deref(inner) => root = inner,
                ExprKind::Index { base, .. } => root = base,
                _ => break None,
            }
        };
        let (Some(value), Some((element, _))) =
            (evaluate::constant(program, id), innermost(program, ty))
        else {
            typed.awkward.push((root, "the size of a row is not followed"));
            return;
        };
        let mut extents = Vec::new();
        let mut at = ty;
        let written: Vec<Extent> = slot
            .and_then(|slot| typed.of_slot(slot))
            .map(|declared| declared.slowest.iter().chain(&declared.extents).copied().collect())
            .unwrap_or_default();
        let count = innermost(program, ty).map_or(0, |(_, count)| count);
        let mut written = written.into_iter().rev().take(count).rev();
        while let TypeKind::Array(of, length) = *program.types.kind(at.id) {
            let Some(length) = length.and_then(|length| i64::try_from(length).ok()) else { return };
            extents.push(written.next().unwrap_or(Extent::Constant(length, None)));
            at = of;
        }
        typed.sizes.insert(id, RowSize { slot, extents, element });
        self.measured.push((id, value));
    }
}

/// Whether a type is an array of scalars, or of arrays of them.
fn is_row(program: &Program, ty: QualType) -> bool {
    innermost(program, ty).is_some_and(|(_, count)| count >= 1)
}

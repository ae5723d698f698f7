//! Byte counts that are whole numbers of elements.

use super::element::{Element, element_of, record_of};
use crate::catalogue;
use layoutc_syntax::{
    BinaryOp, ExprId, ExprKind, FieldId, FunctionId, NameRef, Program, StmtKind, Storage, UnaryOp,
    VarId, evaluate,
};
use std::collections::{BTreeMap, BTreeSet};

/// How deep definitions of size variables are followed.
const DEPTH: usize = 24;

/// Everything that is assigned to each variable and field: what the proof rests on.
#[derive(Clone, Debug)]
pub struct Sizes {
    assigned: BTreeMap<VarId, Vec<ExprId>>,
    /// Variables changed in a way that is not an assignment of a value.
    changed: BTreeMap<VarId, ()>,
    arguments: BTreeMap<VarId, Vec<ExprId>>,
    /// The same for fields, in whatever object.
    field_values: BTreeMap<FieldId, Vec<ExprId>>,
    changed_fields: BTreeSet<FieldId>,
}

impl Sizes {
    /// Whether a byte count is, for every value of the program's variables, a multiple of
    /// the size of an element.
    ///
    /// The proof follows products, sums, casts, and variables, members and results all of whose
    /// definitions are such multiples; parameters are followed to all calls.
    #[must_use]
    pub fn is_multiple_of_element(
        &self,
        program: &Program,
        size: ExprId,
        element: Element,
    ) -> bool {
        self.is_multiple(program, size, element, DEPTH)
    }

    /// Collects the definitions of a program.
    #[must_use]
    pub fn collect(program: &Program) -> Self {
        let mut this = Sizes {
            assigned: BTreeMap::new(),
            changed: BTreeMap::new(),
            arguments: BTreeMap::new(),
            field_values: BTreeMap::new(),
            changed_fields: BTreeSet::new(),
        };
        this.collect_fields(program);
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
            // A macro body may assign what it names.
            if in_macros.contains(variable.name.as_str()) {
                this.changed.insert(id, ());
            }
            if let Some(init) = variable.init {
                this.assigned.entry(id).or_default().push(init);
                if super::slots::is_reference(program, id) {
                    this.changed.extend(name(init).map(|id| (id, ())));
                }
            }
        }
        for id in program.expr_ids() {
            match &program.expr(id).kind {
                ExprKind::Assign(None, left, right) => {
                    if let Some(variable) = name(*left) {
                        this.assigned.entry(variable).or_default().push(*right);
                    }
                }
                ExprKind::Assign(Some(op), left, right) => {
                    if let Some(variable) = name(*left) {
                        match op {
                            BinaryOp::Mul if is_integer(program, *right) => {}
                            BinaryOp::Add | BinaryOp::Sub => {
                                this.assigned.entry(variable).or_default().push(*right);
                            }
                            _ => {
                                this.changed.insert(variable, ());
                            }
                        }
                    }
                }
                ExprKind::Unary(op, operand) if op.is_update() => {
                    this.changed.extend(name(*operand).map(|id| (id, ())))
                }
                ExprKind::Cast { operand, target, .. }
                    if program.types.as_scalar(target.id).is_none() =>
                {
                    this.changed.extend(name(*operand).map(|id| (id, ())));
                }
                ExprKind::AddressOf(operand) => {
                    this.changed.extend(name(*operand).map(|id| (id, ())))
                }
                ExprKind::Opaque(children) => {
                    this.changed.extend(
                        children.iter().filter_map(|child| name(*child)).map(|id| (id, ())),
                    );
                }
                // A macro may assign its arguments.
                ExprKind::MacroCall { arguments, .. } | ExprKind::InitList(arguments) => {
                    this.changed.extend(
                        arguments.iter().filter_map(|child| name(*child)).map(|id| (id, ())),
                    );
                }
                // `in >> bytes` reads a value.
                ExprKind::Binary(BinaryOp::Shr, left, right)
                    if program.types.as_scalar(program.expr(*left).ty.id).is_none() =>
                {
                    this.changed.extend(name(*right).map(|id| (id, ())));
                }
                ExprKind::Lambda { captures, .. } => {
                    this.changed.extend(
                        captures.iter().filter_map(|child| name(*child)).map(|id| (id, ())),
                    );
                }
                ExprKind::Call { callee, arguments, .. }
                | ExprKind::Launch { kernel: callee, arguments, .. } => {
                    match super::calls::resolve_callee(program, *callee, arguments) {
                        super::Callee::Function(function) => {
                            for (parameter, argument) in
                                program.function(function).parameters.iter().zip(arguments)
                            {
                                this.arguments.entry(*parameter).or_default().push(*argument);
                                // Bound to a reference, it may change.
                                if super::slots::is_reference(program, *parameter) {
                                    this.changed.extend(name(*argument).map(|id| (id, ())));
                                }
                            }
                        }
                        super::Callee::Ambiguous(_) | super::Callee::Unknown => {
                            this.changed.extend(
                                arguments.iter().filter_map(|a| name(*a)).map(|id| (id, ())),
                            );
                        }
                        // A library may take it by reference; the CUDA runtime takes sizes by value.
                        super::Callee::Library(library) => {
                            if !catalogue::takes_values(&library) {
                                this.changed.extend(
                                    arguments.iter().filter_map(|a| name(*a)).map(|id| (id, ())),
                                );
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        this
    }

    /// Values that are stored in fields, and fields whose values cannot be followed.
    fn collect_fields(&mut self, program: &Program) {
        let field = |expr: ExprId| match program.expr(program.strip_parens(expr)).kind {
            ExprKind::Member { field, .. } => field,
            _ => None,
        };
        let fields_of = |expr: ExprId| {
            record_of(program, program.expr(expr).ty)
                .map(|(record, _)| program.record(record).fields.clone())
                .unwrap_or_default()
        };
        for id in program.variable_ids() {
            let Some(record) = program.types.as_record(program.variable(id).ty.id) else {
                continue;
            };
            match program.variable(id).init.map(|init| &program.expr(init).kind) {
                Some(ExprKind::InitList(_)) if !program.record(record).bases.is_empty() => {
                    self.changed_fields.extend(&program.record(record).fields)
                }
                Some(ExprKind::InitList(items)) => {
                    for (field, item) in program.record(record).fields.iter().zip(items) {
                        self.field_values.entry(*field).or_default().push(*item);
                    }
                }
                Some(ExprKind::Construct { .. }) => {
                    self.changed_fields.extend(&program.record(record).fields)
                }
                _ => {}
            }
        }
        for id in program.expr_ids() {
            match &program.expr(id).kind {
                ExprKind::Assign(op, left, right) => {
                    if let Some(field) = field(*left) {
                        match op {
                            None | Some(BinaryOp::Add | BinaryOp::Sub) => {
                                self.field_values.entry(field).or_default().push(*right);
                            }
                            Some(BinaryOp::Mul) if is_integer(program, *right) => {}
                            Some(_) => {
                                self.changed_fields.insert(field);
                            }
                        }
                    }
                }
                ExprKind::Unary(op, operand) if op.is_update() => {
                    self.changed_fields.extend(field(*operand))
                }
                ExprKind::AddressOf(operand) => self.changed_fields.extend(field(*operand)),
                ExprKind::Call { callee, arguments, .. } => {
                    let known = matches!(
                        super::calls::resolve_callee(program, *callee, arguments),
                        super::Callee::Function(_)
                    );
                    for argument in arguments {
                        if !known {
                            self.changed_fields.extend(fields_of(*argument));
                            self.changed_fields.extend(field(*argument));
                        }
                    }
                }
                ExprKind::MacroCall { arguments, .. } | ExprKind::Opaque(arguments) => {
                    for argument in arguments {
                        self.changed_fields.extend(fields_of(*argument));
                        self.changed_fields.extend(field(*argument));
                    }
                }
                ExprKind::Cast { operand, .. } => {
                    let target = program.expr(id).ty;
                    if record_of(program, target) != record_of(program, program.expr(*operand).ty) {
                        self.changed_fields.extend(fields_of(*operand));
                    }
                }
                _ => {}
            }
        }
    }

    fn is_multiple(&self, program: &Program, size: ExprId, element: Element, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        if let (Some(value), Some(bytes)) =
            (evaluate::constant(program, size), element.size(program))
            && value >= 0
            && (value as u64).is_multiple_of(bytes)
        {
            return true;
        }
        match &program.expr(size).kind {
            ExprKind::Paren(inner) => self.is_multiple(program, *inner, element, depth),
            ExprKind::Cast { target, operand, .. } => {
                program
                    .types
                    .as_scalar(target.id)
                    .is_some_and(|scalar| scalar.is_integer() && scalar.size() >= 4)
                    && self.is_multiple(program, *operand, element, depth)
            }
            ExprKind::SizeOfType { of, is_align: false, .. } => element_of(program, *of)
                .is_some_and(|(found, depth)| {
                    found == element && (depth == 0 || is_array_only(program, *of))
                }),
            ExprKind::SizeOfExpr(operand) => {
                let ty = program.expr(*operand).ty;
                element_of(program, ty).is_some_and(|(found, depth)| {
                    found == element && (depth == 0 || is_array_only(program, ty))
                })
            }
            ExprKind::Binary(BinaryOp::Mul, left, right) => {
                (self.is_multiple(program, *left, element, depth) && is_integer(program, *right))
                    || (self.is_multiple(program, *right, element, depth)
                        && is_integer(program, *left))
            }
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, left, right) => {
                self.is_multiple(program, *left, element, depth)
                    && self.is_multiple(program, *right, element, depth)
            }
            ExprKind::Conditional(_, then, otherwise) => {
                self.is_multiple(program, *then, element, depth)
                    && self.is_multiple(program, *otherwise, element, depth)
            }
            ExprKind::Unary(UnaryOp::Plus, operand) => {
                self.is_multiple(program, *operand, element, depth)
            }
            ExprKind::Name(NameRef::Macro(name)) => {
                let of = &*element.name(program);
                let mut definitions =
                    program.macros.iter().filter(|def| def.name == *name).peekable();
                definitions.peek().is_some()
                    && definitions.all(|def| def.size_of.as_deref() == Some(of))
            }
            ExprKind::Call { callee, arguments, .. } => {
                match super::calls::resolve_callee(program, *callee, arguments) {
                    super::Callee::Function(function) => {
                        self.returns_multiple(program, function, element, depth)
                    }
                    super::Callee::Library(_)
                    | super::Callee::Ambiguous(_)
                    | super::Callee::Unknown => false,
                }
            }
            ExprKind::Member { field: Some(field), .. } => {
                let integer = program
                    .types
                    .as_scalar(program.field(*field).ty.id)
                    .is_some_and(|scalar| scalar.is_integer() && scalar.size() >= 4);
                let values = self.field_values.get(field).map_or(&[][..], Vec::as_slice);
                integer
                    && !self.changed_fields.contains(field)
                    && !values.is_empty()
                    && values.iter().all(|value| self.is_multiple(program, *value, element, depth))
            }
            ExprKind::Name(NameRef::Variable(variable)) => {
                self.is_variable_multiple(program, *variable, element, depth)
            }
            _ => false,
        }
    }

    /// Whether a function returns nothing but multiples, as an integer of at least 32 bits.
    fn returns_multiple(
        &self,
        program: &Program,
        function: FunctionId,
        element: Element,
        depth: usize,
    ) -> bool {
        let result = program.function(function).result;
        let integer = program
            .types
            .as_scalar(result.id)
            .is_some_and(|scalar| scalar.is_integer() && scalar.size() >= 4);
        let Some(body) = program.function(function).body.filter(|_| integer) else { return false };
        let span = program.stmt(body).span;
        let mut returned = program
            .stmt_ids()
            .filter(|stmt| span.contains(program.stmt_site(*stmt)))
            .filter_map(|stmt| match program.stmt(stmt).kind {
                StmtKind::Return(value) => Some(value),
                _ => None,
            })
            .peekable();
        returned.peek().is_some()
            && returned.all(|value| {
                value.is_some_and(|value| self.is_multiple(program, value, element, depth))
            })
    }

    fn is_variable_multiple(
        &self,
        program: &Program,
        id: VarId,
        element: Element,
        depth: usize,
    ) -> bool {
        let variable = program.variable(id);
        let integer = program
            .types
            .as_scalar(variable.ty.id)
            .is_some_and(|scalar| scalar.is_integer() && scalar.size() >= 4);
        // A static member may be assigned under names that are not resolved.
        let is_member = variable.record.is_some();
        if !integer || is_member || self.changed.contains_key(&id) || variable.is_extern {
            return false;
        }
        let mut sources = self.assigned.get(&id).cloned().unwrap_or_default();
        if let Storage::Parameter { .. } = variable.storage {
            sources.extend(self.arguments.get(&id).cloned().unwrap_or_default());
        }
        !sources.is_empty()
            && sources.iter().all(|source| self.is_multiple(program, *source, element, depth))
    }
}

/// Whether a type is arrays of elements without a pointer.
fn is_array_only(program: &Program, ty: layoutc_syntax::QualType) -> bool {
    let mut ty = ty;
    loop {
        match program.types.kind(ty.id) {
            layoutc_syntax::TypeKind::Array(to, Some(_)) => ty = *to,
            layoutc_syntax::TypeKind::Record(_) | layoutc_syntax::TypeKind::Scalar(_) => {
                return true;
            }
            _ => return false,
        }
    }
}

/// Whether the other factor is an integer, so that the product is a multiple.
fn is_integer(program: &Program, expr: ExprId) -> bool {
    if let ExprKind::Name(NameRef::Macro(name)) = &program.expr(expr).kind
        && !program.macros.iter().filter(|def| def.name == *name).all(|def| def.is_atomic)
    {
        // `3 + 1` is no factor.
        return false;
    }
    match program.types.kind(program.expr(expr).ty.id) {
        layoutc_syntax::TypeKind::Scalar(scalar) => scalar.is_integer(),
        layoutc_syntax::TypeKind::Enum(..) => true,
        // A library's size (`v.size()`) or a macro: an integer, unless it is a floating literal.
        layoutc_syntax::TypeKind::Unknown => {
            !matches!(program.expr(expr).kind, ExprKind::Name(NameRef::Macro(_)))
        }
        _ => false,
    }
}

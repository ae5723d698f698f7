//! Expressions and their types.

use super::Lowering;
use super::fields::{FieldName, Fields};
use super::names::Symbol;
use crate::evaluate::integer_literal;
use crate::preprocess::{MacroDef, MacroOrigin, MaskReason};
use crate::program::{
    BinaryOp, CaptureRest, CastStyle, ExprId, ExprKind, FieldId, FunctionId, NameRef, RecordId,
    RegionKind, Storage, TemplateArgument, UnaryOp,
};
use crate::types::{QualType, Scalar, TypeKind};
use layoutc_diagnostics::Span;
use thin_vec::{ThinVec, thin_vec};
use tree_sitter::Node;

/// The type of a number literal.
pub(crate) fn scalar_of_number(text: &str) -> Scalar {
    let lower = text.to_ascii_lowercase();
    let hexadecimal = lower.starts_with("0x");
    let floating = lower.contains('.')
        || (!hexadecimal && lower.contains('e'))
        || (hexadecimal && lower.contains('p'));
    if floating {
        return if lower.ends_with('f') { Scalar::Float } else { Scalar::Double };
    }
    let suffix: String = lower.chars().rev().take_while(|c| matches!(c, 'u' | 'l')).collect();
    let is_long_long = suffix.contains("ll");
    match (suffix.contains('u'), suffix.contains('l')) {
        (true, true) if is_long_long => Scalar::UnsignedLongLong,
        (false, true) if is_long_long => Scalar::LongLong,
        (true, true) => Scalar::UnsignedLong,
        (false, true) => Scalar::Long,
        (true, false) => match integer_literal(text) {
            Some(value) if u32::try_from(value).is_ok() => Scalar::UnsignedInt,
            _ => Scalar::UnsignedLong,
        },
        (false, false) => match integer_literal(text) {
            Some(value) if i32::try_from(value).is_ok() => Scalar::Int,
            // Only other bases than ten have unsigned literals without a suffix.
            Some(value) if lower.starts_with('0') && u32::try_from(value).is_ok() => {
                Scalar::UnsignedInt
            }
            _ => Scalar::Long,
        },
    }
}

pub(super) fn binary_op(text: &str) -> BinaryOp {
    match text {
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Sub,
        "*" => BinaryOp::Mul,
        "/" => BinaryOp::Div,
        "%" => BinaryOp::Rem,
        "<<" => BinaryOp::Shl,
        ">>" => BinaryOp::Shr,
        "&" | "bitand" => BinaryOp::And,
        "|" | "bitor" => BinaryOp::Or,
        "^" | "xor" => BinaryOp::Xor,
        "&&" | "and" => BinaryOp::LogicalAnd,
        "||" | "or" => BinaryOp::LogicalOr,
        "==" => BinaryOp::Eq,
        "!=" | "not_eq" => BinaryOp::Ne,
        "<" => BinaryOp::Lt,
        "<=" => BinaryOp::Le,
        ">" => BinaryOp::Gt,
        ">=" => BinaryOp::Ge,
        _ => BinaryOp::Other,
    }
}

/// The usual arithmetic conversions.
pub(super) fn common_scalar(left: Scalar, right: Scalar) -> Scalar {
    let rank = |scalar: Scalar| match scalar {
        Scalar::Double => 100,
        Scalar::Float => 90,
        Scalar::Half => 80,
        Scalar::UnsignedLongLong => 71,
        Scalar::LongLong => 70,
        Scalar::UnsignedLong => 61,
        Scalar::Long => 60,
        Scalar::UnsignedInt => 51,
        _ => 50,
    };
    let promote = |scalar: Scalar| if rank(scalar) == 50 { Scalar::Int } else { scalar };
    if rank(left) >= rank(right) { promote(left) } else { promote(right) }
}

impl<'t> Lowering<'t> {
    /// An expression, initializer list or condition.
    pub(crate) fn expression(&mut self, node: Node<'t>) -> ExprId {
        if node.has_error() && node.kind() != "lambda_expression" {
            return self.opaque(node);
        }
        let span = self.span(node);
        let unknown = self.program.types.unknown();
        let listed = self.listed.take();
        match node.kind() {
            "binary_expression" | "unary_expression" | "pointer_expression" | "cast_expression"
            | "sizeof_expression"
                if self.is_misread(node) =>
            {
                self.chain(node)
            }
            "identifier" | "field_identifier" | "type_identifier" => self.name(node),
            // `operator()(x)` inside a member function
            "operator_name" => {
                let name: String = self.text_of(node).split_whitespace().collect();
                let span = self.span(node);
                self.implicit_member(&name, span).unwrap_or_else(|| self.opaque(node))
            }
            "number_literal" => {
                let text = self.text_of(node);
                let scalar = scalar_of_number(text);
                let ty = self.program.types.scalar(scalar);
                let kind = if scalar.is_integer() {
                    ExprKind::Integer(integer_literal(text))
                } else {
                    ExprKind::Literal
                };
                self.add_expr(kind, span, ty)
            }
            "char_literal" => {
                let ty = self.program.types.scalar(Scalar::Char);
                self.add_expr(ExprKind::Literal, span, ty)
            }
            "true" | "false" => {
                let value = i64::from(node.kind() == "true");
                let ty = self.program.types.scalar(Scalar::Bool);
                self.add_expr(ExprKind::Integer(Some(value)), span, ty)
            }
            "null" => self.add_expr(ExprKind::Null, span, unknown),
            "string_literal" | "raw_string_literal" => {
                let element = self.program.types.scalar(Scalar::Char).with_const();
                let ty = self.program.types.pointer(element);
                self.add_expr(ExprKind::Literal, span, ty)
            }
            "concatenated_string" => self.opaque(node),
            "user_defined_literal" => self.add_expr(ExprKind::Literal, span, unknown),
            "this" => {
                let ty = match self.record {
                    Some(record) => self.this_type(record),
                    None => unknown,
                };
                self.add_expr(ExprKind::This, span, ty)
            }
            "parenthesized_expression" | "condition_clause" => match only_named(node) {
                Some(inner) => {
                    let inner = self.expression(inner);
                    let ty = self.program.expr(inner).ty;
                    self.add_expr(ExprKind::Paren(inner), span, ty)
                }
                None => self.opaque(node),
            },
            "unary_expression" => self.unary(node),
            "update_expression" => self.update(node),
            "pointer_expression" => self.pointer_expression(node),
            "binary_expression" => self.binary(node),
            "assignment_expression" => self.assignment(node),
            "conditional_expression" => self.conditional(node),
            "comma_expression" => self.comma(node),
            "subscript_expression" => self.subscript(node),
            "field_expression" => self.member(node),
            "call_expression" => self.call(node),
            "cast_expression" => self.cast(node),
            "sizeof_expression" => self.size_of(node),
            "alignof_expression" => match node.field(FieldName::Type) {
                Some(ty) => {
                    let of_span = self.span(ty);
                    let of = self.type_descriptor(ty);
                    let size = self.program.types.scalar(Scalar::UnsignedLong);
                    self.add_expr(ExprKind::SizeOfType { of, of_span, is_align: true }, span, size)
                }
                None => self.opaque(node),
            },
            "offsetof_expression" => match node.field(FieldName::Type) {
                Some(ty) => {
                    let of = self.type_descriptor(ty);
                    let size = self.program.types.scalar(Scalar::UnsignedLong);
                    // The struct stays as it is, and so does what is asserted of it.
                    let kind = match self.in_assertion {
                        true => ExprKind::Literal,
                        false => ExprKind::OffsetOf(of),
                    };
                    self.add_expr(kind, span, size)
                }
                None => self.opaque(node),
            },
            "new_expression" => self.new_expression(node),
            "delete_expression" => match only_named(node) {
                Some(inner) => {
                    let inner = self.expression(inner);
                    self.add_expr(ExprKind::Delete(inner), span, unknown)
                }
                None => self.opaque(node),
            },
            "initializer_list" if self.has_members_in_order(node) => {
                let items = self.initializer_items(node);
                self.add_expr(ExprKind::InitList(items.into()), span, unknown)
            }
            "initializer_list"
                if listed.is_some_and(|record| self.members_listed(node, record).is_some()) =>
            {
                let items = self.items_of_record(node, listed);
                self.add_expr(ExprKind::InitList(items.into()), span, unknown)
            }
            "initializer_list" => {
                let items = self.initializer_items(node);
                // The members that it names get what the model does not say.
                self.region(node, RegionKind::Unmodelled);
                self.add_expr(ExprKind::Opaque(items.into()), span, unknown)
            }
            "compound_literal_expression" => {
                let (Some(ty), Some(value)) =
                    (node.field(FieldName::Type), node.field(FieldName::Value))
                else {
                    return self.opaque(node);
                };
                let of = if ty.kind() == "type_descriptor" {
                    self.type_descriptor(ty)
                } else {
                    self.specifier(ty)
                };
                let arguments = self.arguments(value);
                let of = self.deduced_class(ty, &arguments).unwrap_or(of);
                let record = self.program.types.as_record(of.id);
                if record.is_some_and(|own| self.members_listed(value, own).is_some()) {
                    let arguments = self.placed_in_record(value, record, arguments.to_vec());
                    let arguments = arguments.into();
                    return self.add_expr(ExprKind::Construct { of, arguments }, span, of);
                }
                if self.has_members_in_order(value) {
                    return self.add_expr(ExprKind::Construct { of, arguments }, span, of);
                }
                self.region(value, RegionKind::Unmodelled);
                self.add_expr(ExprKind::Opaque(arguments), span, of)
            }
            "lambda_expression" => self.lambda(node),
            "qualified_identifier" => {
                let (scope, last) = self.qualified_parts(node);
                self.decltype_in_arguments(node);
                if let Some(member) = self.implicit_qualified_member(node) {
                    return member;
                }
                if let Some((function, last)) = self.static_template(node) {
                    return self.name_of_static_template(function, last, span);
                }
                if let Some(functions) = self.static_member_functions(node) {
                    let reference = NameRef::Functions(functions);
                    let ty = self.type_of_reference(&reference);
                    return self.add_expr(ExprKind::Name(reference), span, ty);
                }
                match last {
                    Some(last) if last.kind() == "identifier" => {
                        let reference = match self.static_member_of(&scope, self.text_of(last)) {
                            Some(member) => NameRef::Variable(member),
                            None => self.resolve_name(self.text_of(last), &scope),
                        };
                        let ty = self.type_of_reference(&reference);
                        self.add_expr(ExprKind::Name(reference), span, ty)
                    }
                    Some(last) if last.kind() == "template_function" => {
                        self.template_function(last, &scope)
                    }
                    _ => {
                        let name = self.text_of(node).to_owned();
                        self.add_expr(ExprKind::Name(NameRef::Unknown(name)), span, unknown)
                    }
                }
            }
            "template_function" => {
                self.decltype_in_arguments(node);
                self.template_function(node, &[])
            }
            "initializer_pair" => match node.field(FieldName::Value) {
                Some(value) => self.expression(value),
                None => self.opaque(node),
            },
            "extension_expression" => match only_named(node) {
                Some(inner) => self.expression(inner),
                None => self.opaque(node),
            },
            _ => self.opaque(node),
        }
    }

    /// Whether the items of an initializer list fill members or items in order from the first, as far as designators say:
    /// `{.a = x, .b = y}` for a record that begins with `a` and `b`. Others have no form in the model.
    fn has_members_in_order(&self, node: Node<'t>) -> bool {
        let mut cursor = node.walk();
        let items = node.named_children(&mut cursor).filter(|item| item.kind() != "comment");
        let mut members: Vec<(usize, &str)> = Vec::new();
        for (at, item) in items.enumerate().filter(|(_, item)| item.kind() == "initializer_pair") {
            let designators = item.fields(FieldName::Designator);
            let [designator] = designators[..] else { return false };
            let text = self.text_of(designator);
            match designator.kind() {
                "field_designator" => members.push((at, text.trim_start_matches('.').trim())),
                "field_identifier" => members.push((at, text)),
                "subscript_designator" => {
                    let index = text.trim_start_matches('[').trim_end_matches(']').trim();
                    if index.parse() != Ok(at) {
                        return false;
                    }
                }
                _ => return false,
            }
        }
        if members.is_empty() {
            return true;
        }
        // Which record it is does not show here; its definition stands in front.
        let program = &self.program;
        let position = |fields: &[FieldId], name: &str| {
            fields.iter().position(|field| program.field(*field).name == name)
        };
        let mut records = (program.records.iter())
            .filter(|record| {
                members.iter().all(|(_, name)| position(&record.fields, name).is_some())
            })
            .peekable();
        records.peek().is_some()
            && records.all(|record| {
                members.iter().all(|(at, name)| position(&record.fields, name) == Some(*at))
            })
    }

    /// The places of the members that the items of a list name one after the other, `{.a = x, .d = y}` for an object of a known
    /// record: nothing if it has items without a name, or leaves a member out that is more than a number.
    fn members_listed(&self, node: Node<'t>, record: RecordId) -> Option<Vec<usize>> {
        let own = self.program.record(record);
        if !own.bases.is_empty() || own.is_union {
            return None;
        }
        let mut cursor = node.walk();
        let items = node.named_children(&mut cursor).filter(|item| item.kind() != "comment");
        let mut places: Vec<usize> = Vec::new();
        for item in items {
            let designators = item.fields(FieldName::Designator);
            let [designator] = designators[..] else { return None };
            if item.kind() != "initializer_pair" {
                return None;
            }
            let name = match designator.kind() {
                "field_designator" => self.text_of(designator).trim_start_matches('.').trim(),
                "field_identifier" => self.text_of(designator),
                _ => return None,
            };
            let is_named = |field: &FieldId| self.program.field(*field).name == name;
            let place = own.fields.iter().position(is_named)?;
            let first = places.last().map_or(0, |last| last + 1);
            let is_number = |field: &FieldId| {
                matches!(
                    self.program.types.kind(self.program.field(*field).ty.id),
                    TypeKind::Scalar(_)
                        | TypeKind::Enum(..)
                        | TypeKind::Vector(_)
                        | TypeKind::Opaque(_)
                )
            };
            if !own.fields.get(first..place)?.iter().all(is_number) {
                return None;
            }
            places.push(place);
        }
        (!places.is_empty()).then_some(places)
    }

    /// The items of a list for an object of a record.
    fn items_of_record(&mut self, node: Node<'t>, record: Option<RecordId>) -> Vec<ExprId> {
        let items = self.initializer_items(node);
        self.placed_in_record(node, record, items)
    }

    /// The items of a list in the order of the members of a record; a member that it leaves out has a number that is not
    /// in the text.
    fn placed_in_record(
        &mut self,
        node: Node<'t>,
        record: Option<RecordId>,
        items: Vec<ExprId>,
    ) -> Vec<ExprId> {
        let places = record.and_then(|own| self.members_listed(node, own));
        let (Some(record), Some(places)) = (record, places) else { return items };
        let mut all = Vec::with_capacity(items.len());
        for (item, place) in items.into_iter().zip(places) {
            while all.len() < place {
                let field = self.program.record(record).fields[all.len()];
                let ty = self.program.field(field).ty;
                let span = self.program.expr(item).span.at_start();
                all.push(self.add_expr(ExprKind::Literal, span, ty));
            }
            all.push(item);
        }
        all
    }

    /// The items of an initializer list; [`Self::has_members_in_order`] says whether designators change what they fill.
    fn initializer_items(&mut self, node: Node<'t>) -> Vec<ExprId> {
        let mut cursor = node.walk();
        let children: Vec<_> =
            node.named_children(&mut cursor).filter(|child| child.kind() != "comment").collect();
        let mut items = Vec::with_capacity(children.len());
        for child in children {
            match self.several_parameters(child) {
                Some(all) => items.extend(all.map(|at| self.argument_expression(child, at))),
                None => items.push(self.expression(child)),
            }
        }
        items
    }

    /// The arguments of a call.
    pub(crate) fn arguments(&mut self, node: Node<'t>) -> ThinVec<ExprId> {
        if node.kind() == "argument_list" {
            let mut cursor = node.walk();
            let mut all = node.named_children(&mut cursor);
            if all.any(|argument| self.stands_for_several(argument)) {
                self.region(node, RegionKind::Unmodelled);
            }
        }
        self.initializer_items(node).into()
    }

    pub(super) fn name(&mut self, node: Node<'t>) -> ExprId {
        if self.parameter(node).is_some() {
            return self.parameter_expression(node);
        }
        let name = self.text_of(node);
        let span = self.span(node);
        if name == "NULL" {
            let unknown = self.program.types.unknown();
            return self.add_expr(ExprKind::Null, span, unknown);
        }
        if let Some(TemplateArgument::Value(value, scalar)) = self.bound(name) {
            self.note_type_use(name, span);
            let ty = self.program.types.scalar(scalar);
            return self.add_expr(ExprKind::Name(NameRef::Constant(Some(value))), span, ty);
        }
        let is_local = self.local_symbol(name);
        if !is_local && let Some(field) = self.implicit_member(name, span) {
            return field;
        }
        if !is_local && self.record.is_some_and(|record| self.is_unmodelled_member(record, name)) {
            return self.opaque(node);
        }
        // A static member hides what the name means outside the class.
        let hidden =
            self.record.filter(|_| !is_local).and_then(|record| self.static_named(record, name));
        let reference = match hidden {
            Some(variable) => NameRef::Variable(variable),
            None => self.resolve_name(name, &[]),
        };
        if matches!(reference, NameRef::Macro(_))
            && let Some(expanded) = self.expand(node, node, None)
        {
            return expanded;
        }
        let ty = self.type_of_reference(&reference);
        self.add_expr(ExprKind::Name(reference), span, ty)
    }

    fn local_symbol(&self, name: &str) -> bool {
        match self.symbols(name, &[]).first() {
            Some(Symbol::Variable(id)) => {
                let variable = self.program.variable(*id);
                !matches!(variable.storage, Storage::Static) || variable.function.is_some()
            }
            Some(_) => {
                self.symbols(name, &[]).len() == 1 && self.global_symbols(name, &[]).is_empty()
            }
            None => false,
        }
    }

    /// `field` inside a member function means `this->field`.
    fn implicit_member(&mut self, name: &str, span: Span) -> Option<ExprId> {
        let record = self.record?;
        let (field, methods) = self.member_named(record, name);
        if field.is_none() && methods.is_empty() {
            return None;
        }
        Some(self.member_of_this(record, field, methods, span))
    }

    /// A member named without its object, which is `this`.
    pub(crate) fn member_of_this(
        &mut self,
        record: crate::program::RecordId,
        field: Option<FieldId>,
        methods: Vec<FunctionId>,
        span: Span,
    ) -> ExprId {
        let this_type = self.this_type(record);
        let this = self.add_expr(ExprKind::This, span.at_start(), this_type);
        let ty = match field {
            Some(field) => self.type_of_member(field),
            None => QualType::plain(self.program.types.intern(TypeKind::Function)),
        };
        let kind = ExprKind::Member {
            base: this,
            arrow: true,
            field,
            methods: methods.into(),
            name: span,
            operator: span.at_start(),
        };
        self.add_expr(kind, span, ty)
    }

    /// The type of an object's member: that of the object to which a reference to what holds arrays refers. Members that
    /// refer to plain data keep their type, which no access has, so that elements that they may refer to are pinned.
    fn type_of_member(&self, field: FieldId) -> QualType {
        let ty = self.program.field(field).ty;
        if self.refers_to_holder(ty) { self.program.types.strip_reference(ty) } else { ty }
    }

    /// The type of `this` in the current function.
    fn this_type(&mut self, record: crate::program::RecordId) -> QualType {
        let mut ty = QualType::plain(self.program.types.intern(TypeKind::Record(record)));
        ty.is_const =
            self.function.is_some_and(|function| self.program.function(function).is_const);
        self.program.types.pointer(ty)
    }

    pub(super) fn operator_text(&self, node: Node<'t>) -> &'t str {
        node.field(FieldName::Operator).map_or("", |operator| self.text_of(operator))
    }

    fn unary(&mut self, node: Node<'t>) -> ExprId {
        let Some(argument) = node.field(FieldName::Argument) else { return self.opaque(node) };
        let operand = self.expression(argument);
        let span = self.span(node);
        self.unary_of(node, operand, span)
    }

    /// The operator of a node in front of an operand.
    pub(super) fn unary_of(&mut self, node: Node<'t>, operand: ExprId, span: Span) -> ExprId {
        let op = match self.operator_text(node) {
            "-" => UnaryOp::Minus,
            "+" => UnaryOp::Plus,
            "!" | "not" => UnaryOp::Not,
            "~" | "compl" => UnaryOp::BitNot,
            _ => {
                let unknown = self.program.types.unknown();
                return self.add_expr(ExprKind::Opaque(vec![operand].into()), span, unknown);
            }
        };
        let ty = match (op, self.program.types.as_scalar(self.program.expr(operand).ty.id)) {
            (UnaryOp::Not, _) => self.program.types.scalar(Scalar::Bool),
            (_, Some(scalar)) => {
                let promoted = common_scalar(scalar, Scalar::Int);
                self.program.types.scalar(promoted)
            }
            _ => self.program.types.unknown(),
        };
        let unary = self.add_expr(ExprKind::Unary(op, operand), span, ty);
        self.note_operator(unary, self.operator_text(node), &[operand]);
        unary
    }

    fn update(&mut self, node: Node<'t>) -> ExprId {
        let Some(argument) = node.field(FieldName::Argument) else { return self.opaque(node) };
        let prefix = node.start_byte() < argument.start_byte();
        let op = match (self.operator_text(node), prefix) {
            ("++", true) => UnaryOp::PreIncrement,
            ("--", true) => UnaryOp::PreDecrement,
            ("++", false) => UnaryOp::PostIncrement,
            ("--", false) => UnaryOp::PostDecrement,
            _ => return self.opaque(node),
        };
        let operand = self.expression(argument);
        let ty = self.program.expr(operand).ty;
        let span = self.span(node);
        let update = self.add_expr(ExprKind::Unary(op, operand), span, ty);
        self.note_operator(update, self.operator_text(node), &[operand]);
        update
    }

    fn pointer_expression(&mut self, node: Node<'t>) -> ExprId {
        let Some(argument) = node.field(FieldName::Argument) else { return self.opaque(node) };
        let operand = self.expression(argument);
        let span = self.span(node);
        self.pointer_of(node, operand, span)
    }

    /// `*` or `&` of a node in front of an operand.
    pub(super) fn pointer_of(&mut self, node: Node<'t>, operand: ExprId, span: Span) -> ExprId {
        let operand_type = self.program.expr(operand).ty;
        if self.operator_text(node) == "&" {
            let ty = if matches!(self.program.types.kind(operand_type.id), TypeKind::Unknown) {
                self.program.types.unknown()
            } else {
                self.program.types.pointer(operand_type)
            };
            return self.add_expr(ExprKind::AddressOf(operand), span, ty);
        }
        let operand = self.held_pointer(operand).unwrap_or(operand);
        let operand_type = self.program.expr(operand).ty;
        if operand_type.is_device_ptr {
            return self.device_reference(thin_vec![operand], span);
        }
        let ty =
            self.program.types.pointee(operand_type.id).unwrap_or(self.program.types.unknown());
        self.add_expr(ExprKind::Deref(operand), span, ty)
    }

    /// The type of `left op right`.
    pub(super) fn binary_type(
        &mut self,
        op: BinaryOp,
        left: QualType,
        right: QualType,
    ) -> QualType {
        match op {
            BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge
            | BinaryOp::LogicalAnd
            | BinaryOp::LogicalOr => return self.program.types.scalar(Scalar::Bool),
            BinaryOp::Other => return self.program.types.unknown(),
            _ => {}
        }
        let pointers = (self.program.types.pointee(left.id), self.program.types.pointee(right.id));
        match pointers {
            (Some(_), Some(_)) => return self.program.types.scalar(Scalar::Long),
            (Some(to), None) | (None, Some(to)) if matches!(op, BinaryOp::Add | BinaryOp::Sub) => {
                let is_device_ptr = left.is_device_ptr || right.is_device_ptr;
                return QualType { is_device_ptr, ..self.program.types.pointer(to) };
            }
            _ => {}
        }
        let integer = |table: &crate::types::TypeTable, ty: QualType| match table.kind(ty.id) {
            TypeKind::Scalar(scalar) => Some(*scalar),
            TypeKind::Enum(..) => Some(Scalar::Int),
            _ => None,
        };
        match (integer(&self.program.types, left), integer(&self.program.types, right)) {
            (Some(left), Some(_)) if matches!(op, BinaryOp::Shl | BinaryOp::Shr) => {
                let promoted = common_scalar(left, Scalar::Int);
                self.program.types.scalar(promoted)
            }
            (Some(left), Some(right)) => {
                let common = common_scalar(left, right);
                self.program.types.scalar(common)
            }
            _ => self.program.types.unknown(),
        }
    }

    fn binary(&mut self, node: Node<'t>) -> ExprId {
        // A chain `a + b + c …` is as deep as it is long: walk its left spine in a loop.
        let mut spine = Vec::new();
        let mut at = node;
        while at.kind() == "binary_expression" && !at.has_error() {
            let (Some(left), Some(right)) = (at.field(FieldName::Left), at.field(FieldName::Right))
            else {
                return self.opaque(node);
            };
            spine.push((at, right));
            at = left;
        }
        // `(T) - a * b` is a cast of `-a`, which the parser may take for a difference.
        let is_type = |this: &Self, operand: Node<'t>| {
            operand.kind() == "parenthesized_expression"
                && only_named(operand).is_some_and(|name| {
                    name.kind() == "identifier"
                        && this.parameter(name).is_none()
                        && this.names_type(this.text_of(name))
                })
        };
        if is_type(self, at) || spine.iter().any(|(_, right)| is_type(self, *right)) {
            return self.opaque(node);
        }
        let mut left = self.expression(at);
        for (at, right) in spine.into_iter().rev() {
            let op = binary_op(self.operator_text(at));
            let right = self.expression(right);
            let (left_type, right_type) = (self.program.expr(left).ty, self.program.expr(right).ty);
            let ty = self.binary_type(op, left_type, right_type);
            let span = self.span(at);
            let operands = [left, right];
            left = self.add_expr(ExprKind::Binary(op, left, right), span, ty);
            self.note_operator(left, self.operator_text(at), &operands);
        }
        left
    }

    fn assignment(&mut self, node: Node<'t>) -> ExprId {
        let operator = self.operator_text(node);
        match (node.field(FieldName::Left), node.field(FieldName::Right)) {
            (Some(left), Some(right)) => self.assignment_of(operator, left, right),
            _ => self.opaque(node),
        }
    }

    fn assignment_of(&mut self, operator: &'t str, left: Node<'t>, right: Node<'t>) -> ExprId {
        let op = match operator {
            "=" => None,
            _ => Some(binary_op(operator.trim_end_matches('='))),
        };
        let span = self.span(left).to(self.span(right));
        let left = self.expression(left);
        if right.kind() == "initializer_list" && op.is_none() {
            self.listed = self.program.types.as_record(self.program.expr(left).ty.id);
        }
        let right = self.expression(right);
        let ty = self.program.expr(left).ty;
        let assignment = self.add_expr(ExprKind::Assign(op, left, right), span, ty);
        if op.is_some() {
            self.note_operator(assignment, operator, &[left, right]);
        } else {
            self.note_entry(assignment);
        }
        assignment
    }

    /// A comma operator. Its first comma may stand for an assignment (`MaskReason::FirstAssignment`): `(a , 4, b)`
    /// was `(a = 4, b)`.
    fn comma(&mut self, node: Node<'t>) -> ExprId {
        let (Some(left), Some(right)) = (node.field(FieldName::Left), node.field(FieldName::Right))
        else {
            return self.opaque(node);
        };
        let mut cursor = node.walk();
        let operator = node.children(&mut cursor).find(|child| child.kind() == ",");
        let operator = operator.and_then(|comma| self.masked_assignment(comma));
        let (left, right) = match operator {
            None => (self.expression(left), right),
            Some(operator) => {
                let operands = (right.kind() == "comma_expression")
                    .then(|| (right.field(FieldName::Left), right.field(FieldName::Right)));
                let Some((Some(value), Some(rest))) = operands else { return self.opaque(node) };
                (self.assignment_of(operator, left, value), rest)
            }
        };
        let right = self.expression(right);
        let ty = self.program.expr(right).ty;
        let span = self.span(node);
        self.add_expr(ExprKind::Comma(left, right), span, ty)
    }

    /// The operator that a comma of the parsed text stands for, if it is an assignment's.
    fn masked_assignment(&self, comma: Node<'t>) -> Option<&'t str> {
        let span = self.span(comma);
        let file = &self.preprocessed.files[span.file.0 as usize];
        let spans = &file.masked_spans;
        let at = spans.partition_point(|(masked, _)| *masked < span);
        let (masked, reason) = spans.get(at)?;
        (*reason == MaskReason::FirstAssignment && masked.range().start == span.range().start)
            .then(|| &self.preprocessed.sources.file(span.file).text()[masked.range()])
    }

    fn conditional(&mut self, node: Node<'t>) -> ExprId {
        let (Some(condition), Some(then), Some(otherwise)) = (
            node.field(FieldName::Condition),
            node.field(FieldName::Consequence),
            node.field(FieldName::Alternative),
        ) else {
            return self.opaque(node);
        };
        let condition = self.expression(condition);
        let then = self.expression(then);
        let otherwise = self.expression(otherwise);
        let (a, b) = (self.program.expr(then).ty, self.program.expr(otherwise).ty);
        let ty = if a.id == b.id || self.program.types.pointee(a.id).is_some() {
            a
        } else if self.program.types.pointee(b.id).is_some() {
            b
        } else {
            self.binary_type(BinaryOp::Add, a, b)
        };
        let span = self.span(node);
        self.add_expr(ExprKind::Conditional(condition, then, otherwise), span, ty)
    }

    fn subscript(&mut self, node: Node<'t>) -> ExprId {
        let (Some(argument), Some(indices)) =
            (node.field(FieldName::Argument), node.field(FieldName::Indices))
        else {
            return self.opaque(node);
        };
        let Some(index) = only_named(indices) else { return self.opaque(node) };
        let base = self.expression(argument);
        let index = self.expression(index);
        let brackets = self.span(indices);
        let base_type = self.program.expr(base).ty;
        if base_type.is_device_ptr {
            let span = self.span(node);
            return self.device_reference(thin_vec![base, index], span);
        }
        if let Some(accessed) = self.accessed(base_type, "operator[]", index) {
            let spans = (self.span(node), brackets);
            return self.accessed_element((base, false), accessed, index, spans);
        }
        if let Some(element) = self.indexed_subscript(base, index, (self.span(node), brackets)) {
            return element;
        }
        let ty = self.program.types.pointee(base_type.id).or_else(|| self.list_item(base_type));
        let ty = ty.unwrap_or(self.program.types.unknown());
        let span = self.span(node);
        let subscript = self.add_expr(ExprKind::Index { base, index, brackets }, span, ty);
        self.note_operator(subscript, "[]", &[base, index]);
        subscript
    }

    fn member(&mut self, node: Node<'t>) -> ExprId {
        let (Some(argument), Some(name_node)) =
            (node.field(FieldName::Argument), node.field(FieldName::Field))
        else {
            return self.opaque(node);
        };
        let operator_node = node.field(FieldName::Operator);
        let operator = operator_node.map_or("", |operator| self.text_of(operator));
        let arrow = match operator {
            "." => false,
            "->" => true,
            _ => return self.opaque(node),
        };
        let mut base = self.expression(argument);
        if arrow && let Some(held) = self.held_pointer(base) {
            base = held;
        }
        let base_type = self.program.expr(base).ty;
        let name = self.member_of_macro(node, name_node);
        let record_type =
            if arrow { self.program.types.pointee(base_type.id) } else { Some(base_type) };
        let mut field = None;
        let mut methods = Vec::new();
        let mut ty = self.program.types.unknown();
        if let Some(record_type) = record_type {
            match *self.program.types.kind(record_type.id) {
                TypeKind::Record(record) => {
                    (field, methods) = match name_node.kind() {
                        "qualified_identifier" => self.qualified_member(record, name_node),
                        _ => self.member_named(record, name),
                    };
                    if let Some(field) = field {
                        ty = self.type_of_member(field);
                        ty.is_const |= record_type.is_const;
                        ty.is_volatile |= record_type.is_volatile;
                    } else if methods.is_empty()
                        && let Some(member) = self.static_member_of_object(node, base, record, name)
                    {
                        return member;
                    }
                }
                TypeKind::Vector(vector) => ty = self.program.types.scalar(vector.scalar),
                _ => {}
            }
        }
        let span = self.span(node);
        let name = self.span(name_node);
        let operator = operator_node.map_or(name.at_start(), |operator| self.span(operator));
        let methods = methods.into();
        self.add_expr(ExprKind::Member { base, arrow, field, methods, name, operator }, span, ty)
    }

    /// The name of a member, also where a macro stands for it; one whose meaning is not known may be any that it mentions.
    fn member_of_macro(&mut self, node: Node<'t>, name_node: Node<'t>) -> &'t str {
        let mut name = self.text_of(name_node);
        let preprocessed = self.preprocessed;
        // A macro with parameters is one where arguments follow.
        let is_called = node.parent().is_some_and(|parent| {
            parent.kind() == "call_expression" && parent.field(FieldName::Function) == Some(node)
        });
        let applies = |def: &&MacroDef| {
            (is_called || !def.is_function_like()) && def.origin != MacroOrigin::Predefined
        };
        for _ in 0..8 {
            let mut defs = preprocessed.macros.lookup(name).filter(applies);
            let Some(def) = defs.next() else { return name };
            let is_word = super::pasted::identifiers(&def.text).next() == Some(def.text.trim());
            if !is_word || def.is_function_like() || defs.next().is_some() {
                break;
            }
            name = def.text.trim();
        }
        if preprocessed.macros.lookup(name).find(applies).is_none() {
            return name;
        }
        let parent = node.parent().filter(|parent| parent.kind() == "call_expression");
        self.region(parent.unwrap_or(node), RegionKind::Unmodelled);
        let mut words = vec![name];
        let mut next = 0;
        while let Some(word) = words.get(next).copied() {
            next += 1;
            for def in preprocessed.macros.all(word) {
                for inner in super::pasted::identifiers(&def.text) {
                    if !words.contains(&inner) {
                        words.push(inner);
                    }
                }
            }
        }
        if let Some(region) = self.program.regions.last_mut() {
            region.identifiers.extend(words.into_iter().map(str::to_owned));
        }
        name
    }

    fn call(&mut self, node: Node<'t>) -> ExprId {
        let (Some(function), Some(arguments_node)) =
            (node.field(FieldName::Function), node.field(FieldName::Arguments))
        else {
            return self.opaque(node);
        };
        let span = self.span(node);
        let parentheses = self.span(arguments_node);
        let mut cursor = node.walk();
        let launch =
            node.named_children(&mut cursor).find(|child| child.kind() == "kernel_call_syntax");
        if let Some(launch) = launch {
            let kernel = self.callee(function);
            let config = self.arguments(launch);
            let arguments = self.arguments(arguments_node);
            self.instantiate_callee(kernel, explicit_arguments(function), &arguments);
            let void = QualType::plain(crate::types::TypeTable::VOID);
            return self.add_expr(
                ExprKind::Launch { kernel, config, arguments, parentheses },
                span,
                void,
            );
        }
        if function.kind() == "identifier" && self.is_function_macro(self.text_of(function)) {
            if let Some(expanded) = self.expand(node, function, Some(arguments_node)) {
                return expanded;
            }
            let name = self.text_of(function).to_owned();
            let arguments = self.arguments(arguments_node);
            let unknown = self.program.types.unknown();
            return self.add_expr(
                ExprKind::MacroCall { name, arguments, parentheses },
                span,
                unknown,
            );
        }
        if let Some(cast) = self.named_cast(function, arguments_node, span) {
            return cast;
        }
        // `float(x)`, `Particle(a, b)`: a type used like a function.
        let constructed = match function.kind() {
            "primitive_type" => Some(self.specifier(function)),
            "identifier" | "type_identifier"
                if self.names_type(self.text_of(function))
                    || self.bound_type(self.text_of(function)).is_some()
                    || (self.symbols(self.text_of(function), &[]).is_empty()
                        && self.type_of_macro_name(self.text_of(function)).is_some()) =>
            {
                let name = self.text_of(function);
                self.note_type_use(name, self.span(function));
                Some(self.type_of_name(name, &[]))
            }
            // `Vec3<float>(x, y, z)`
            "template_function" | "qualified_identifier" if self.is_template_id(function) => {
                Some(self.specifier(function))
            }
            "qualified_identifier" => {
                self.qualified_class(function).or_else(|| self.device_pointer_named(function))
            }
            _ => None,
        };
        if let Some(of) = constructed {
            let arguments = self.arguments(arguments_node);
            if let [operand] = arguments[..]
                && (self.program.types.as_scalar(of.id).is_some() || of.is_device_ptr)
            {
                let target_span = self.span(function);
                let style = match of.is_device_ptr {
                    true => CastStyle::Static,
                    false => CastStyle::Functional,
                };
                let kind = ExprKind::Cast { style, target: of, target_span, operand };
                return self.add_expr(kind, span, of);
            }
            // A null pointer, whose text has the type.
            if of.is_device_ptr {
                return self.opaque(node);
            }
            let of = self.deduced_class(function, &arguments).unwrap_or(of);
            return self.add_expr(ExprKind::Construct { of, arguments }, span, of);
        }
        if let Some((name, target)) = self.parenthesised_type(function) {
            let arguments = self.arguments(arguments_node);
            let target_span = self.span(name);
            if let [operand] = arguments[..] {
                self.note_type_use(self.text_of(name), target_span);
                let kind = ExprKind::Cast { style: CastStyle::C, target, target_span, operand };
                return self.add_expr(kind, span, target);
            }
            return self.opaque(node);
        }
        if let Some(of) = self.made_pointer(function).or_else(|| self.made_container(function)) {
            let arguments = self.arguments(arguments_node);
            return self.add_expr(ExprKind::Construct { of, arguments }, span, of);
        }
        let made = self.made_class(function);
        let callee = self.callee(function);
        let mut arguments = self.arguments(arguments_node);
        if let Some((pointer, of)) = made {
            return self.made_object(callee, pointer, of, arguments, (span, parentheses));
        }
        if let Some(of) = self.emplaced(callee) {
            let item = self.add_expr(ExprKind::Construct { of, arguments }, parentheses, of);
            let kind = ExprKind::Call { callee, arguments: thin_vec![item], parentheses };
            return self.add_expr(kind, span, of);
        }
        if let Some(element) = self.called_accessor(callee, &arguments, (span, parentheses)) {
            return element;
        }
        if let Some(pointer) = self.raw_pointer(callee, &arguments, span) {
            return pointer;
        }
        self.copy_of_vector(callee, &arguments);
        self.places_of_algorithm(callee, &mut arguments);
        let callee = self.call_operator(callee).unwrap_or(callee);
        self.instantiate_callee(callee, explicit_arguments(function), &arguments);
        let mut ty = self.result_type(callee, arguments.len());
        if let Some(given) = self.given_type(callee, &arguments) {
            ty = given;
        } else if let Some(held) =
            self.held_type(callee, &arguments).or_else(|| self.list_item_type(callee, &arguments))
        {
            ty = held;
        } else if ty == self.program.types.unknown() {
            ty = self.static_result(function, arguments.len());
        }
        let operands: Vec<ExprId> = [&[callee][..], &arguments].concat();
        let launch = self.launch_operands(callee, &arguments);
        let call = self.add_expr(ExprKind::Call { callee, arguments, parentheses }, span, ty);
        if let Some(operands) = launch {
            self.note_launch(call, operands);
        }
        self.note_operator(call, "()", &operands);
        call
    }

    /// The number or enumeration that `(Name)` in front of `(x)` casts to, which the grammar takes for a call.
    fn parenthesised_type(&mut self, callee: Node<'t>) -> Option<(Node<'t>, QualType)> {
        let inner = only_named(callee).filter(|_| callee.kind() == "parenthesized_expression")?;
        let is_name =
            matches!(inner.kind(), "identifier" | "type_identifier" | "qualified_identifier");
        if !is_name || self.parameter_type(inner).is_some() {
            return None;
        }
        let (scope, last) = self.qualified_parts(inner);
        let last = last.filter(|last| last.kind() != "template_function")?;
        let name = self.text_of(last);
        if !self.symbols(name, &scope).first().is_some_and(|symbol| symbol.is_type()) {
            return None;
        }
        let of = self.type_of_name(name, &scope);
        let is_number =
            matches!(self.program.types.kind(of.id), TypeKind::Scalar(_) | TypeKind::Enum(..));
        is_number.then_some((inner, of))
    }

    /// Whether an expression is `Name<…>` with a class or alias template of the program.
    fn is_template_id(&mut self, node: Node<'t>) -> bool {
        let (scope, last) = self.qualified_parts(node);
        let Some(last) = last.filter(|last| last.kind() == "template_function") else {
            return false;
        };
        let Some(name) = last.field(FieldName::Name) else { return false };
        let name = self.text_of(name);
        // Where the text of layoutc is not what the class is, it is a class of the library.
        if self.class_template_named(name, &scope).is_some_and(|id| self.is_model(id)) {
            let list = last.field(FieldName::Arguments);
            return list.is_some_and(|list| self.template_id(name, &scope, list).is_some());
        }
        self.names_class_template(name, &scope)
    }

    /// The class, or number, that `ns::Name` in front of arguments is.
    fn qualified_class(&mut self, node: Node<'t>) -> Option<QualType> {
        let (scope, last) = self.qualified_parts(node);
        let name = self.text_of(last.filter(|last| last.kind() == "identifier")?);
        let is_parameter = |name: &&str| self.is_type_parameter(name) || self.bound(name).is_some();
        if scope.first().is_some_and(is_parameter) {
            return None;
        }
        let found = self.symbols(name, &scope);
        let is_type = !found.is_empty() && found.iter().all(|symbol| symbol.is_type());
        let of = match self.type_of_class(name, &scope) {
            Some(of) => of,
            None if is_type => self.type_of_name(name, &scope),
            None => return None,
        };
        let types = &self.program.types;
        (types.as_record(of.id).is_some() || types.as_scalar(of.id).is_some()).then_some(of)
    }

    /// A callee: function names are looked up past the fields of an enclosing class.
    fn callee(&mut self, node: Node<'t>) -> ExprId {
        // `operator()(x)` inside a member function, which the grammar takes for a call of `operator`.
        if node.kind() == "call_expression"
            && node.field(FieldName::Function).is_some_and(|own| self.text_of(own) == "operator")
            && let span = self.span(node)
            && let Some(member) = self.implicit_member("operator()", span)
        {
            return member;
        }
        let outer = std::mem::replace(&mut self.templates.in_callee, true);
        let callee = self.expression(node);
        self.templates.in_callee = outer;
        callee
    }

    pub(super) fn result_type(&mut self, callee: ExprId, arguments: usize) -> QualType {
        let candidates: Vec<FunctionId> =
            match &self.program.expr(self.program.strip_parens(callee)).kind {
                ExprKind::Name(NameRef::Functions(functions)) => functions.clone(),
                ExprKind::Member { methods, base, arrow, .. } => {
                    self.of_constness(methods, *base, *arrow, arguments)
                }
                _ => Vec::new(),
            };
        let mut results = candidates
            .into_iter()
            .map(|id| self.program.function(id))
            .filter(|function| {
                function.is_variadic
                    || (function.required_parameters <= arguments
                        && arguments <= function.parameters.len())
            })
            .map(|function| function.result);
        match results.next() {
            Some(first) if results.all(|other| other == first) => {
                self.program.types.strip_reference(first)
            }
            _ => self.program.types.unknown(),
        }
    }

    /// The member functions that a call without arguments can mean: of `T *data();` and `const T *data() const;` of an owner that has
    /// its text from layoutc, where both give the same, that for the object at hand.
    fn of_constness(
        &self,
        methods: &[FunctionId],
        base: ExprId,
        arrow: bool,
        arguments: usize,
    ) -> Vec<FunctionId> {
        let program = &self.program;
        let ty = program.types.strip_reference(program.expr(base).ty);
        let object = if arrow { program.types.pointee(ty.id) } else { Some(ty) };
        let fits = |id: &&FunctionId| {
            let own = program.function(**id);
            own.required_parameters == 0
                && own.record.is_some_and(|record| program.is_modelled_owner(record))
                && object.is_some_and(|object| own.is_const == object.is_const)
        };
        let fitting: Vec<FunctionId> = methods.iter().filter(fits).copied().collect();
        match (arguments, fitting.as_slice()) {
            (0, [_]) => fitting,
            _ => methods.to_vec(),
        }
    }

    /// The type of `T::f(…)` for a static member function of a record that gives back a value.
    fn static_result(&mut self, function: Node<'t>, arguments: usize) -> QualType {
        let unknown = self.program.types.unknown();
        let (scope, last) = self.qualified_parts(function);
        let (Some((class, scope)), Some(last)) = (scope.split_last(), last) else { return unknown };
        if last.kind() != "identifier" {
            return unknown;
        }
        let class = self.type_of_name(class, scope);
        let Some(record) = self.program.types.as_record(class.id) else { return unknown };
        let methods = self.member_named(record, self.text_of(last)).1;
        let mut results = methods
            .iter()
            .map(|id| self.program.function(*id))
            .filter(|method| {
                method.required_parameters <= arguments && arguments <= method.parameters.len()
            })
            .map(|method| (method.is_static_member, method.result));
        let first = results.next();
        match first {
            Some((true, ty))
                if results.all(|other| Some(other) == first)
                    && self.program.types.as_record(ty.id).is_some() =>
            {
                ty
            }
            _ => unknown,
        }
    }

    /// The type of what `std::move(x)` and `std::exchange(x, y)` give back, and of the pointer that an algorithm does.
    fn given_type(&self, callee: ExprId, arguments: &[ExprId]) -> Option<QualType> {
        if let Some(algorithm) = self.program.algorithm(callee, arguments) {
            let first = *arguments.get(algorithm.gives()?)?;
            let ty = self.program.types.strip_reference(self.program.expr(first).ty);
            let is_pointer = matches!(self.program.types.kind(ty.id), TypeKind::Pointer(_));
            let is_device_ptr = ty.is_device_ptr;
            return is_pointer.then(|| QualType { is_device_ptr, ..QualType::plain(ty.id) });
        }
        let callee = self.program.strip_parens(callee);
        let ExprKind::Name(NameRef::Unknown(name)) = &self.program.expr(callee).kind else {
            return None;
        };
        let written = self.program.text(self.program.expr(callee).span).trim_start_matches("::");
        if written.trim_start_matches("std::") != name {
            return None;
        }
        let value = match (name.as_str(), arguments) {
            ("move", [value]) | ("exchange", [value, _]) => *value,
            _ => return None,
        };
        let ty = self.program.types.strip_reference(self.program.expr(value).ty);
        Some(QualType { is_volatile: false, ..ty })
    }

    /// `static_cast<T>(e)` and its like.
    fn named_cast(
        &mut self,
        function: Node<'t>,
        arguments: Node<'t>,
        span: Span,
    ) -> Option<ExprId> {
        if function.kind() != "template_function" {
            return None;
        }
        let style = match self.text_of(function.field(FieldName::Name)?) {
            "static_cast" => CastStyle::Static,
            "reinterpret_cast" => CastStyle::Reinterpret,
            "const_cast" => CastStyle::Const,
            "dynamic_cast" => CastStyle::Dynamic,
            _ => return None,
        };
        let list = function.field(FieldName::Arguments)?;
        let ty = only_named(list)?;
        let target_span = self.span(ty);
        let target = match ty.kind() {
            "type_descriptor" => self.type_descriptor(ty),
            _ => self.specifier(ty),
        };
        let operand = self.arguments(arguments);
        let [operand] = operand[..] else { return None };
        let value_type = self.program.types.strip_reference(target);
        Some(self.add_expr(
            ExprKind::Cast { style, target, target_span, operand },
            span,
            value_type,
        ))
    }

    /// `f<T>`: a function template, or its instance if it is no callee.
    fn template_function(&mut self, node: Node<'t>, scope: &[&str]) -> ExprId {
        let is_callee = std::mem::take(&mut self.templates.in_callee);
        let expr = self.named_template(node, scope);
        if !is_callee && let Some(list) = node.field(FieldName::Arguments) {
            self.instantiate_named(expr, list);
        }
        expr
    }

    pub(super) fn named_template(&mut self, node: Node<'t>, scope: &[&str]) -> ExprId {
        let Some(name) = node.field(FieldName::Name) else { return self.opaque(node) };
        let reference = self.resolve_name(self.text_of(name), scope);
        // What the template arguments mention is evaluated at compile time only, types aside.
        if let Some(list) = node.field(FieldName::Arguments) {
            let mut cursor = list.walk();
            let values: Vec<_> = list
                .named_children(&mut cursor)
                .filter(|child| child.kind() != "type_descriptor")
                .collect();
            for value in values {
                let value = self.expression(value);
                self.program.file_scope_exprs.push(value);
            }
            let mut cursor = list.walk();
            let types: Vec<_> = list
                .named_children(&mut cursor)
                .filter(|child| child.kind() == "type_descriptor")
                .collect();
            // The object that they make is modelled.
            let makes = matches!(self.text_of(name), "make_unique" | "make_shared")
                && matches!(reference, NameRef::Unknown(_));
            let asks_only =
                (makes || self.in_assertion || self.is_trait(self.text_of(name), scope))
                    && types.iter().all(|ty| self.names_value_type(*ty));
            let mentions_record = types.into_iter().any(|ty| {
                let ty = self.type_descriptor(ty);
                self.program.record_ids().any(|record| self.program.types.mentions(ty.id, record))
            });
            if mentions_record && !asks_only {
                self.region(node, RegionKind::Unmodelled);
            }
        }
        let ty = self.type_of_reference(&reference);
        let span = self.span(node);
        self.add_expr(ExprKind::Name(reference), span, ty)
    }

    /// Whether `scope::name<T>` is a value of the standard library that says something about types:
    /// `std::is_trivially_copyable_v`.
    fn is_trait(&self, name: &str, scope: &[&str]) -> bool {
        let is_asked = ["is_", "has_"].iter().any(|word| name.starts_with(word))
            || matches!(name, "alignment_of_v" | "rank_v" | "extent_v");
        let is_known = matches!(scope, ["std"] | ["cuda", "std"]) && name.ends_with("_v");
        is_asked && is_known && self.symbols(name, scope).is_empty()
    }

    /// Whether a template argument names a record, number or enumeration outright. No layout changes
    /// what such a type is; a pointer to it, or what a parameter stands for, may become another.
    fn names_value_type(&mut self, descriptor: Node<'t>) -> bool {
        let Some(specifier) = descriptor.field(FieldName::Type) else { return false };
        let is_name = matches!(
            specifier.kind(),
            "type_identifier" | "qualified_identifier" | "primitive_type" | "sized_type_specifier"
        );
        let (_, last) = self.qualified_parts(specifier);
        let word = last.map_or("", |last| self.text_of(last));
        let is_bound = self.bound(word).is_some()
            || self.parameter(specifier).is_some()
            || self.template_parameters.iter().flatten().any(|own| own == word);
        if !is_name || is_bound || descriptor.field(FieldName::Declarator).is_some() {
            return false;
        }
        let ty = self.specifier(specifier);
        matches!(
            self.program.types.kind(ty.id),
            TypeKind::Record(_) | TypeKind::Scalar(_) | TypeKind::Vector(_) | TypeKind::Enum(..)
        )
    }

    fn cast(&mut self, node: Node<'t>) -> ExprId {
        let (Some(ty), Some(value)) = (node.field(FieldName::Type), node.field(FieldName::Value))
        else {
            return self.opaque(node);
        };
        let span = self.span(node);
        let operand = self.expression(value);
        self.cast_to(ty, operand, span)
    }

    /// The cast of a node in front of an operand.
    pub(super) fn cast_of(&mut self, node: Node<'t>, operand: ExprId, span: Span) -> ExprId {
        match node.field(FieldName::Type) {
            Some(ty) => self.cast_to(ty, operand, span),
            None => {
                let unknown = self.program.types.unknown();
                self.add_expr(ExprKind::Opaque(vec![operand].into()), span, unknown)
            }
        }
    }

    fn cast_to(&mut self, ty: Node<'t>, operand: ExprId, span: Span) -> ExprId {
        let target_span = self.span(ty);
        let target = self.type_descriptor(ty);
        let value_type = self.program.types.strip_reference(target);
        self.add_expr(
            ExprKind::Cast { style: CastStyle::C, target, target_span, operand },
            span,
            value_type,
        )
    }

    fn size_of(&mut self, node: Node<'t>) -> ExprId {
        let span = self.span(node);
        let size = self.program.types.scalar(Scalar::UnsignedLong);
        if let Some(ty) = node.field(FieldName::Type) {
            let of_span = self.span(ty);
            let of = self.type_descriptor(ty);
            return self.add_expr(
                ExprKind::SizeOfType { of, of_span, is_align: false },
                span,
                size,
            );
        }
        let Some(value) = node.field(FieldName::Value) else { return self.opaque(node) };
        // `sizeof (T)x`: what that is depends on `x`.
        if value.kind() == "cast_expression"
            && let Some(ty) = value.field(FieldName::Type)
        {
            let left = self.size_of_name(node, ty, ty.end_byte());
            let inner = self.opaque(value);
            return self.add_expr(ExprKind::Opaque(vec![left, inner].into()), span, size);
        }
        // `sizeof(T)` with a name parses as an expression.
        if value.kind() == "parenthesized_expression"
            && let Some(inner) = only_named(value)
            && self.is_template_id(inner)
        {
            let of_span = self.span(inner);
            let of = self.specifier(inner);
            return self.add_expr(
                ExprKind::SizeOfType { of, of_span, is_align: false },
                span,
                size,
            );
        }
        if value.kind() == "parenthesized_expression"
            && let Some(inner) = only_named(value)
            && matches!(inner.kind(), "identifier" | "type_identifier" | "qualified_identifier")
        {
            if let Some(of) = self.parameter_type(inner) {
                let of_span = self.span(inner);
                let kind = ExprKind::SizeOfType { of, of_span, is_align: false };
                return self.add_expr(kind, span, size);
            }
            let (scope, last) = self.qualified_parts(inner);
            let name = last.map_or("", |last| self.text_of(last));
            let is_type = if scope.is_empty() {
                self.is_type_parameter(name)
                    || self.names_type(name)
                    || (self.symbols(name, &[]).is_empty()
                        && (!matches!(
                            {
                                let ty = self.type_of_name(name, &[]);
                                self.program.types.kind(ty.id).clone()
                            },
                            TypeKind::Named(..) | TypeKind::Unknown
                        )))
            } else {
                self.symbols(name, &scope).first().is_some_and(|symbol| symbol.is_type())
            };
            if is_type {
                self.note_type_use(name, self.span(inner));
                let of_span = self.span(inner);
                let of = self.type_of_name(name, &scope);
                return self.add_expr(
                    ExprKind::SizeOfType { of, of_span, is_align: false },
                    span,
                    size,
                );
            }
        }
        let operand = self.expression(value);
        self.add_expr(ExprKind::SizeOfExpr(operand), span, size)
    }

    /// `sizeof (T)`, from the start of a node to a byte.
    pub(super) fn size_of_name(&mut self, node: Node<'t>, ty: Node<'t>, end: usize) -> ExprId {
        let size = self.program.types.scalar(Scalar::UnsignedLong);
        let span = self.span_of(node.start_byte(), end);
        let name = ty.field(FieldName::Type).filter(|name| {
            name.kind() == "type_identifier" && ty.field(FieldName::Declarator).is_none()
        });
        if let Some(name) = name
            && !self.names_type(self.text_of(name))
            && (self.is_value_parameter(name) || self.names_value(self.text_of(name)))
        {
            let operand = self.name(name);
            return self.add_expr(ExprKind::SizeOfExpr(operand), span, size);
        }
        let of_span = self.span(ty);
        let of = self.type_descriptor(ty);
        self.add_expr(ExprKind::SizeOfType { of, of_span, is_align: false }, span, size)
    }

    fn new_expression(&mut self, node: Node<'t>) -> ExprId {
        let span = self.span(node);
        let Some(ty) = node.field(FieldName::Type) else { return self.opaque(node) };
        let of = self.specifier(ty);
        let mut arguments = Vec::new();
        let mut declarator = node.field(FieldName::Declarator);
        let is_array = declarator.is_some();
        let mut lengths = 0;
        while let Some(at) = declarator {
            if let Some(length) = at.field(FieldName::Length) {
                arguments.push(self.expression(length));
            }
            lengths += 1;
            let mut cursor = at.walk();
            declarator =
                at.named_children(&mut cursor).find(|child| child.kind() == "new_declarator");
        }
        let placement = node.field(FieldName::Placement);
        arguments.extend(placement.into_iter().flat_map(|list| self.arguments(list)));
        if let Some(list) = node.field(FieldName::Arguments) {
            let items = self.arguments(list);
            // `new T(a, b)` is given the object that `T(a, b)` makes.
            let makes_object = !is_array
                && placement.is_none()
                && !items.is_empty()
                && self.program.types.as_record(of.id).is_some()
                && (list.kind() == "argument_list" || self.has_members_in_order(list));
            if makes_object {
                let kind = ExprKind::Construct { of, arguments: items };
                arguments.push(self.add_expr(kind, self.span(list), of));
            } else {
                arguments.extend(items);
            }
        }
        // Stars of `new T*[n]` were masked by the pre-pass; then the type is not known here.
        let written = self.original(node.start_byte(), node.end_byte());
        let result = if written.contains('*') && is_array {
            self.program.types.unknown()
        } else {
            self.program.types.pointer(of)
        };
        let (is_placed, is_initialized) = (
            node.field(FieldName::Placement).is_some(),
            node.field(FieldName::Arguments).is_some(),
        );
        self.add_expr(
            ExprKind::New { of, arguments: arguments.into(), lengths, is_placed, is_initialized },
            span,
            result,
        )
    }

    fn lambda(&mut self, node: Node<'t>) -> ExprId {
        let span = self.span(node);
        let unknown = self.program.types.unknown();
        let Some(body) = node.field(FieldName::Body) else { return self.opaque(node) };
        let (mut captures, mut by_reference) = (Vec::new(), 0u64);
        let mut rest = CaptureRest::Hidden;
        if let Some(list) = node.field(FieldName::Captures) {
            let mut cursor = list.walk();
            let children: Vec<_> = list.children(&mut cursor).collect();
            let mut is_reference = false;
            for child in children {
                match child.kind() {
                    "lambda_default_capture" => {
                        rest = match self.text_of(child) {
                            "=" => CaptureRest::Copied,
                            _ => CaptureRest::Referred,
                        };
                    }
                    // The body uses the variable under the same name.
                    "identifier" => {
                        let name = self.name(child);
                        captures.push(name);
                        if is_reference && captures.len() <= 64 {
                            by_reference |= 1 << (captures.len() - 1);
                        }
                    }
                    "comment" => continue,
                    _ if child.is_named() => captures.push(self.opaque(child)),
                    _ => {}
                }
                is_reference = child.kind() == "&";
            }
        }
        let (parameters, body) = self.scoped(|this| {
            let parameters = node
                .field(FieldName::Declarator)
                .and_then(|declarator| declarator.field(FieldName::Parameters))
                .map(|list| this.parameters(list).0)
                .unwrap_or_default();
            let body = this.statement(body);
            (parameters, body)
        });
        // The parser may not have seen the word, so the text is asked.
        let body_span = self.program.stmt(body).span;
        let head = Span { end: body_span.start, ..span };
        let text = &self.preprocessed.sources.file(span.file).text()[head.range()];
        if crate::preprocess::tokens(text).iter().any(|token| token.text(text) == "__device__") {
            self.program.device_lambdas.push(body_span);
        }
        let parameters = parameters.into();
        let kind =
            ExprKind::Lambda { parameters, captures: captures.into(), by_reference, rest, body };
        self.add_expr(kind, span, unknown)
    }
}

/// The template arguments written behind the name of a callee.
fn explicit_arguments(mut callee: Node<'_>) -> Option<Node<'_>> {
    while callee.kind() == "qualified_identifier" {
        callee = callee.field(FieldName::Name)?;
    }
    (callee.kind() == "template_function").then(|| callee.field(FieldName::Arguments))?
}

pub(super) fn only_named(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    let mut children = node.named_children(&mut cursor).filter(|child| child.kind() != "comment");
    let first = children.next()?;
    children.next().is_none().then_some(first)
}

impl<'t> Lowering<'t> {
    /// `is_same<decltype(p.get()), T *>::value`: what an argument names is not followed.
    fn decltype_in_arguments(&mut self, node: Node<'t>) {
        let mut stack = vec![node];
        while let Some(at) = stack.pop() {
            if at.kind() == "decltype" {
                self.region(at, RegionKind::Unmodelled);
                continue;
            }
            let mut cursor = at.walk();
            stack.extend(at.named_children(&mut cursor));
        }
    }
}

//! Member functions that give back a reference to an element: `T &operator[](int i) const { return data[i]; }`.
//!
//! A call of one is lowered as the access that its body makes, `data[i]` of its object, so that all that follows sees accesses
//! alone. The body itself is not lowered.
//!
//! `T &operator()(int x, int y) const { assert(x < w); return data[y * w + x]; }` is an *index accessor*: in the model it gives
//! back the index, and a call of it is the access `data[f(x, y)]` of its object. *Claim:* it does all that its body does, once
//! for each call, in front of the access; nothing in it reaches an element.

use super::Lowering;
use super::expressions::only_named;
use super::fields::{FieldName, Fields};
use crate::program::{ExprId, ExprKind, FieldId, FunctionId, NameRef, RecordId};
use crate::types::{QualType, Scalar, TypeKind};
use layoutc_diagnostics::Span;
use thin_vec::ThinVec;
use tree_sitter::Node;

impl<'t> Lowering<'t> {
    /// Notes that a member function is an accessor of its class.
    pub(super) fn note_accessor(
        &mut self,
        record: RecordId,
        function: FunctionId,
        node: Node<'t>,
    ) -> bool {
        if let Some(field) = self.accessed_by(record, function, node) {
            self.program.accessors.insert(function, field);
            return true;
        }
        if let Some((field, index)) = self.indexed_by(record, function, node) {
            self.program.accessors.insert(function, field);
            let index = self.program.types.scalar(index);
            let own = &mut self.program.functions[function.index()];
            let element = std::mem::replace(&mut own.result, index);
            self.program.index_accessors.insert(function, element);
        }
        false
    }

    /// The member whose element a function gives back whose text computes the index, and the index's type.
    fn indexed_by(
        &mut self,
        record: RecordId,
        function: FunctionId,
        node: Node<'t>,
    ) -> Option<(FieldId, Scalar)> {
        let own = self.program.function(function);
        let is_operator = own.name.starts_with("operator");
        let is_plain = !own.is_static_member
            && own.sites.len() == 1
            && (!is_operator || matches!(own.name.as_str(), "operator[]" | "operator()"))
            && self.frame.is_none()
            && !self.is_virtual(node)
            && self.template_lists.len() <= 1;
        let TypeKind::Reference(element, false) = *self.program.types.kind(own.result.id) else {
            return None;
        };
        self.program.types.as_record(element.id)?;
        // The type stands in front of the name.
        let site = &own.sites[0];
        let declared = self.program.declaration(site.result.declaration?).span;
        let parameters: Vec<(String, Scalar)> = own
            .parameters
            .iter()
            .map(|id| {
                let own = self.program.variable(*id);
                Some((own.name.clone(), self.integer_of(own.ty)?))
            })
            .collect::<Option<_>>()?;
        if !is_plain || parameters.is_empty() || declared.start >= site.name.start {
            return None;
        }
        let body = node.field(FieldName::Body).filter(|body| !body.has_error())?;
        let mut cursor = body.walk();
        let statements: Vec<Node<'t>> =
            body.named_children(&mut cursor).filter(|own| own.kind() != "comment").collect();
        let (last, before) = statements.split_last()?;
        let (base, index) = access_of(*last)?;
        let name = self.text_of(base);
        let checks = before.iter().all(|own| {
            let words = super::pasted::identifiers(self.text_of(*own));
            matches!(own.kind(), "expression_statement" | "if_statement")
                && !holds(*own, "return_statement")
                && words.into_iter().all(|word| {
                    word != name && (word == "assert" || !self.is_macro_of_program(word))
                })
        });
        let is_read = super::pasted::identifiers(self.text_of(index)).any(|word| word == name);
        if !checks || is_read || parameters.iter().any(|(own, _)| own == name) {
            return None;
        }
        let field = self.member_named(record, name).0?;
        let TypeKind::Pointer(pointee) = *self.program.types.kind(self.program.field(field).ty.id)
        else {
            return None;
        };
        let scalar = self.integer_type(record, &parameters, index)?;
        (pointee.id == element.id).then_some((field, scalar))
    }

    /// The type of an expression of integers, parameters and members.
    fn integer_type(
        &self,
        record: RecordId,
        parameters: &[(String, Scalar)],
        node: Node<'t>,
    ) -> Option<Scalar> {
        match node.kind() {
            "identifier" => {
                let name = self.text_of(node);
                if self.is_macro_of_program(name) {
                    return None;
                }
                if let Some((_, scalar)) = parameters.iter().find(|(own, _)| own == name) {
                    return Some(*scalar);
                }
                let field = self.member_named(record, name).0?;
                self.integer_of(self.program.field(field).ty)
            }
            "number_literal" => {
                let scalar = super::expressions::scalar_of_number(self.text_of(node));
                scalar.is_integer().then_some(scalar)
            }
            "parenthesized_expression" => self.integer_type(record, parameters, only_named(node)?),
            "binary_expression" => {
                let left = self.integer_type(record, parameters, node.field(FieldName::Left)?)?;
                let right = self.integer_type(record, parameters, node.field(FieldName::Right)?)?;
                match self.text_of(node.field(FieldName::Operator)?) {
                    "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^" => {
                        Some(super::expressions::common_scalar(left, right))
                    }
                    "<<" | ">>" => Some(super::expressions::common_scalar(left, Scalar::Int)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether a word is a macro that the program defines.
    fn is_macro_of_program(&self, word: &str) -> bool {
        self.preprocessed.macros.lookup(word).next().is_some()
    }

    /// The index that an index accessor gives back in the model.
    pub(super) fn returned_index(&self, statement: Node<'t>) -> Option<Node<'t>> {
        self.function.filter(|own| self.program.index_accessors.contains_key(own))?;
        access_of(statement).map(|(_, index)| index)
    }

    fn accessed_by(
        &self,
        record: RecordId,
        function: FunctionId,
        node: Node<'t>,
    ) -> Option<FieldId> {
        let own = self.program.function(function);
        let is_plain = !own.is_static_member
            && own.sites.len() == 1
            && (own.name == "operator[]" || !own.name.starts_with("operator"));
        let TypeKind::Reference(element, false) = *self.program.types.kind(own.result.id) else {
            return None;
        };
        self.program.types.as_record(element.id)?;
        let [parameter] = own.parameters[..] else { return None };
        let parameter = self.program.variable(parameter);
        if !is_plain
            || self.frame.is_some()
            || self.integer_of(parameter.ty).is_none()
            || self.is_virtual(node)
        {
            return None;
        }
        let body = node.field(FieldName::Body).filter(|body| !body.has_error())?;
        let returned = only_named(body).filter(|inner| inner.kind() == "return_statement")?;
        let access = only_named(returned).filter(|inner| inner.kind() == "subscript_expression")?;
        let base = access.field(FieldName::Argument).filter(|own| own.kind() == "identifier")?;
        let index = only_named(access.field(FieldName::Indices)?)
            .filter(|own| own.kind() == "identifier")?;
        let name = self.text_of(base);
        if self.text_of(index) != parameter.name || name == parameter.name {
            return None;
        }
        let field = self.member_named(record, name).0?;
        let pointee = match *self.program.types.kind(self.program.field(field).ty.id) {
            TypeKind::Pointer(to) => to,
            _ => return None,
        };
        (pointee.id == element.id).then_some(field)
    }

    fn is_virtual(&self, node: Node<'t>) -> bool {
        let end = node.field(FieldName::Body).map_or(node.end_byte(), |body| body.start_byte());
        super::pasted::identifiers(&self.text[node.start_byte()..end])
            .any(|word| matches!(word, "virtual" | "override" | "final"))
    }

    fn integer_of(&self, ty: QualType) -> Option<Scalar> {
        self.program.types.as_scalar(ty.id).filter(|scalar| scalar.is_integer())
    }

    /// The member whose element `object.name(index)` or `object[index]` is, if all functions of that name are its accessors
    /// and take the index without loss.
    pub(super) fn accessed(
        &mut self,
        object: QualType,
        name: &str,
        index: ExprId,
    ) -> Option<(FieldId, QualType)> {
        let object = self.program.types.strip_reference(object);
        let record = self.program.types.as_record(object.id)?;
        let methods = self.member_named(record, name).1;
        let (first, rest) = methods.split_first()?;
        if methods.iter().any(|own| self.program.index_accessors.contains_key(own)) {
            return None;
        }
        let field = *self.program.accessors.get(first)?;
        let given =
            self.integer_of(self.program.types.strip_reference(self.program.expr(index).ty))?;
        let fits = |method: &FunctionId| {
            let own = self.program.function(*method);
            let taken = own.parameters.first().map(|own| self.program.variable(*own).ty);
            taken.and_then(|ty| self.integer_of(ty)).is_some_and(|taken| keeps(given, taken))
        };
        let is_same = |method: &FunctionId| self.program.accessors.get(method) == Some(&field);
        if !rest.iter().all(is_same) || !methods.iter().all(fits) {
            return None;
        }
        let field = self.program.field_in(record, field)?;
        let is_for = |is_const| {
            methods.iter().find(|method| self.program.function(**method).is_const == is_const)
        };
        let chosen = match object.is_const {
            true => is_for(true)?,
            false => is_for(false).or_else(|| is_for(true))?,
        };
        let given = self.program.types.strip_reference(self.program.function(*chosen).result);
        Some((field, given))
    }

    /// The member whose element `object.name(arguments)` is, and the function that gives back the index, if all functions of
    /// that name are index accessors that differ in nothing but what they make of a constant object.
    fn indexed(
        &mut self,
        object: ExprId,
        name: &str,
        arguments: &[ExprId],
    ) -> Option<(FieldId, QualType, FunctionId)> {
        if !self.is_named_alone(object) {
            return None;
        }
        let ty = self.program.types.strip_reference(self.program.expr(object).ty);
        let ty = self.program.types.pointee(ty.id).unwrap_or(ty);
        let record = self.program.types.as_record(ty.id)?;
        let methods = self.member_named(record, name).1;
        let first = *methods.first()?;
        let field = *self.program.accessors.get(&first)?;
        let types = |id: FunctionId| -> Vec<_> {
            let own = self.program.function(id).parameters.iter();
            own.map(|parameter| self.program.variable(*parameter).ty.id).collect()
        };
        let is_alike = |id: &FunctionId| {
            self.program.index_accessors.contains_key(id)
                && self.program.accessors.get(id) == Some(&field)
                && types(*id) == types(first)
        };
        let are_numbers = arguments.iter().all(|argument| {
            let given = self.program.types.strip_reference(self.program.expr(*argument).ty);
            self.integer_of(given).is_some()
        });
        if methods.len() > 2
            || !methods.iter().all(is_alike)
            || types(first).len() != arguments.len()
            || !are_numbers
        {
            return None;
        }
        let field = self.program.field_in(record, field)?;
        let is_for = |is_const| {
            methods.iter().copied().find(|own| self.program.function(*own).is_const == is_const)
        };
        let chosen = match ty.is_const {
            true => is_for(true)?,
            false => is_for(false).or_else(|| is_for(true))?,
        };
        let element = *self.program.index_accessors.get(&chosen)?;
        Some((field, self.program.types.strip_reference(element), chosen))
    }

    /// Whether an object may be named twice: by names, members and pointers alone.
    fn is_named_alone(&self, object: ExprId) -> bool {
        let mut at = object;
        loop {
            at = self.program.strip_parens(at);
            at = match &self.program.expr(at).kind {
                ExprKind::Name(NameRef::Variable(_)) | ExprKind::This => return true,
                ExprKind::Member { base, field: Some(_), name, .. } if name.start < name.end => {
                    *base
                }
                ExprKind::Deref(pointer) => *pointer,
                _ => return false,
            };
        }
    }

    /// `data[f(arguments)]` of an object, for `object.f(arguments)`; the call has the text behind the object.
    fn indexed_element(
        &mut self,
        (object, arrow): (ExprId, bool),
        (field, element, function): (FieldId, QualType, FunctionId),
        arguments: ThinVec<ExprId>,
        (span, parentheses): (Span, Span),
    ) -> ExprId {
        let ty = QualType::plain(self.program.types.intern(TypeKind::Function));
        let behind = Span { start: self.program.expr(object).span.end, ..span };
        let named = ExprKind::Name(NameRef::Functions(vec![function]));
        let callee = self.add_expr(named, behind.at_start(), ty);
        let index = self.program.function(function).result;
        let call = ExprKind::Call { callee, arguments, parentheses };
        let index = self.add_expr(call, behind, index);
        self.accessed_element((object, arrow), (field, element), index, (span, parentheses))
    }

    /// The element that `object[index]` is, if that calls an index accessor.
    pub(super) fn indexed_subscript(
        &mut self,
        object: ExprId,
        index: ExprId,
        spans: (Span, Span),
    ) -> Option<ExprId> {
        let ty = self.program.types.strip_reference(self.program.expr(object).ty);
        self.program.types.as_record(ty.id)?;
        let indexed = self.indexed(object, "operator[]", &[index])?;
        Some(self.indexed_element((object, false), indexed, [index].into_iter().collect(), spans))
    }

    /// The element that an accessor gives back.
    pub(super) fn accessed_element(
        &mut self,
        (object, arrow): (ExprId, bool),
        (field, element): (FieldId, QualType),
        index: ExprId,
        (span, brackets): (Span, Span),
    ) -> ExprId {
        let at = self.program.expr(object).span;
        let kind = ExprKind::Member {
            base: object,
            arrow,
            field: Some(field),
            methods: ThinVec::new(),
            name: at.at_end(),
            operator: at.at_end(),
        };
        let base = self.add_expr(kind, at, self.program.field(field).ty);
        self.add_expr(ExprKind::Index { base, index, brackets }, span, element)
    }

    /// The element that `object.at(index)` is, if that calls an accessor.
    pub(super) fn called_accessor(
        &mut self,
        callee: ExprId,
        arguments: &[ExprId],
        spans: (Span, Span),
    ) -> Option<ExprId> {
        let all = || arguments.iter().copied().collect();
        let ExprKind::Member { base, arrow, field: None, ref methods, name, .. } =
            self.program.expr(callee).kind
        else {
            // `object(x, y)`
            let ty = self.program.types.strip_reference(self.program.expr(callee).ty);
            self.program.types.as_record(ty.id)?;
            let indexed = self.indexed(callee, "operator()", arguments)?;
            return Some(self.indexed_element((callee, false), indexed, all(), spans));
        };
        let first = *methods.first()?;
        if name.start == name.end || !self.program.accessors.contains_key(&first) {
            return None;
        }
        if self.program.index_accessors.contains_key(&first) {
            let name = self.program.function(first).name.clone();
            let indexed = self.indexed(base, &name, arguments)?;
            let element = self.indexed_element((base, arrow), indexed, all(), spans);
            self.program.exprs[callee.index()].kind = ExprKind::Opaque(ThinVec::new());
            return Some(element);
        }
        let [index] = *arguments else { return None };
        let own = self.program.expr(base).ty;
        let object = if arrow { self.program.types.pointee(own.id)? } else { own };
        let name = self.program.function(first).name.clone();
        let accessed = self.accessed(object, &name, index)?;
        let element = self.accessed_element((base, arrow), accessed, index, spans);
        // Nothing calls the function.
        self.program.exprs[callee.index()].kind = ExprKind::Opaque(ThinVec::new());
        Some(element)
    }
}

/// The pointer and the index of `return data[index];`.
fn access_of(statement: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let access = (statement.kind() == "return_statement").then(|| only_named(statement))??;
    if access.kind() != "subscript_expression" {
        return None;
    }
    let base = access.field(FieldName::Argument).filter(|own| own.kind() == "identifier")?;
    Some((base, only_named(access.field(FieldName::Indices)?)?))
}

/// Whether a node of a kind lies in another.
fn holds(node: Node<'_>, kind: &str) -> bool {
    let mut stack = vec![node];
    while let Some(at) = stack.pop() {
        if at.kind() == kind {
            return true;
        }
        let mut cursor = at.walk();
        stack.extend(at.named_children(&mut cursor));
    }
    false
}

/// Whether an index of a type stays what it is in the parameter's. Of two types of 32 bits and more a value that changes is
/// the index of no element; a shorter one, or a truth value, may become that of another.
fn keeps(given: Scalar, taken: Scalar) -> bool {
    given == taken || (taken != Scalar::Bool && taken.size() >= given.size().max(4))
}

//! Member functions that give back a reference to an element: `T &operator[](int i) const { return data[i]; }`.
//!
//! A call of one is lowered as the access that its body makes, `data[i]` of its object, so that all that follows sees accesses
//! alone. The body itself is not lowered.

use super::Lowering;
use super::expressions::only_named;
use super::fields::{FieldName, Fields};
use crate::program::{ExprId, ExprKind, FieldId, FunctionId, RecordId};
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
        let field = self.accessed_by(record, function, node);
        if let Some(field) = field {
            self.program.accessors.insert(function, field);
        }
        field.is_some()
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
        let ExprKind::Member { base, arrow, field: None, ref methods, name, .. } =
            self.program.expr(callee).kind
        else {
            return None;
        };
        let [index] = *arguments else { return None };
        let first = *methods.first()?;
        if name.start == name.end || !self.program.accessors.contains_key(&first) {
            return None;
        }
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

/// Whether an index of a type stays what it is in the parameter's. Of two types of 32 bits and more a value that changes is
/// the index of no element; a shorter one, or a truth value, may become that of another.
fn keeps(given: Scalar, taken: Scalar) -> bool {
    given == taken || (taken != Scalar::Bool && taken.size() >= given.size().max(4))
}

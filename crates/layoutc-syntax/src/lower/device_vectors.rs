//! Vectors in device memory, and pointers that say that they lead there: what the library's functions do with them.
//!
//! `thrust::device_ptr<T>` is a pointer whose type says so: `thrust::device_pointer_cast(p)`, `thrust::device_ptr<T>(p)` and `d.get()`
//! are casts. It starts as a null pointer, which a plain one does not: variables and members without a value are not modelled. `d[i]` and `*d` are
//! objects that stand for elements, and not modelled either.
//!
//! Where `thrust::device_vector` has its text from layoutc, `v.data()` gives a pointer, and `v.begin()` the number of a place. So
//! `thrust::raw_pointer_cast(v.data())` and `v.data().get()` are casts, and `thrust::copy` from or to such a vector is a call of a
//! member function of the vector.

use super::Lowering;
use super::fields::{FieldName, Fields};
use crate::program::{BinaryOp, CastStyle, ExprId, ExprKind, FunctionId, NameRef};
use crate::types::{QualType, Scalar, TypeKind};
use layoutc_diagnostics::Span;
use thin_vec::ThinVec;
use tree_sitter::Node;

impl<'t> Lowering<'t> {
    /// The type that `thrust::device_ptr<…>` with a list of arguments is: a pointer to records, or to what is open.
    pub(super) fn device_pointer(&mut self, list: Node<'t>) -> Option<QualType> {
        let mut cursor = list.walk();
        let arguments: Vec<_> = list.named_children(&mut cursor).collect();
        let [only] = arguments[..] else { return None };
        if only.kind() != "type_descriptor" {
            return None;
        }
        let to = self.type_descriptor(only);
        let is_modelled = matches!(
            self.program.types.kind(to.id),
            TypeKind::Record(_) | TypeKind::TemplateParameter(_)
        );
        let pointer = is_modelled.then(|| self.program.types.pointer(to))?;
        Some(QualType { is_device_ptr: true, ..pointer })
    }

    /// `d[i]` and `*d`: an object that stands for the element, which is not what a pointer gives.
    pub(super) fn device_reference(&mut self, operands: ThinVec<ExprId>, span: Span) -> ExprId {
        let unknown = self.program.types.unknown();
        self.add_expr(ExprKind::Opaque(operands), span, unknown)
    }

    /// Whether a type is `thrust::device_ptr<T>`, or an array of such pointers.
    pub(super) fn holds_device_ptr(&self, mut ty: QualType) -> bool {
        while let TypeKind::Array(of, _) = *self.program.types.kind(ty.id) {
            ty = of;
        }
        ty.is_device_ptr
    }

    /// The type in `thrust::device_ptr<T>(p)`.
    pub(super) fn device_pointer_named(&mut self, function: Node<'t>) -> Option<QualType> {
        let (scope, last) = self.qualified_parts(function);
        let last = last.filter(|last| last.kind() == "template_function")?;
        let name = last.field(FieldName::Name).map(|name| self.text_of(name));
        if scope != ["thrust"] || name != Some("device_ptr") {
            return None;
        }
        self.device_pointer(last.field(FieldName::Arguments)?)
    }

    /// `thrust::raw_pointer_cast(p)` and `thrust::device_pointer_cast(p)` of pointers, `v.data().get()` and `d.get()`.
    pub(super) fn raw_pointer(
        &mut self,
        callee: ExprId,
        arguments: &[ExprId],
        span: Span,
    ) -> Option<ExprId> {
        let program = &self.program;
        let mut is_device_ptr = false;
        let operand = match (&program.expr(callee).kind, arguments) {
            (ExprKind::Name(NameRef::Unknown(name)), [pointer])
                if matches!(name.as_str(), "raw_pointer_cast" | "device_pointer_cast")
                    && self.is_of_thrust(callee, name) =>
            {
                is_device_ptr = name == "device_pointer_cast";
                *pointer
            }
            (ExprKind::Member { base, arrow: false, methods, name, .. }, [])
                if methods.is_empty()
                    && program.text(*name) == "get"
                    && (self.gives_vector_data(*base) || program.expr(*base).ty.is_device_ptr) =>
            {
                *base
            }
            _ => return None,
        };
        let target = self.program.types.strip_reference(self.program.expr(operand).ty);
        let target = QualType { is_device_ptr, is_restrict: false, ..target };
        let to = self.program.types.pointee(target.id)?;
        if is_device_ptr && self.program.types.as_record(to.id).is_none() {
            return None;
        }
        let target_span = self.program.expr(callee).span;
        // Nothing calls a function.
        self.program.exprs[callee.index()].kind = ExprKind::Opaque(ThinVec::new());
        let kind = ExprKind::Cast { style: CastStyle::Static, target, target_span, operand };
        Some(self.add_expr(kind, span, target))
    }

    /// Whether a name is one of `thrust`, as it is written.
    fn is_of_thrust(&self, callee: ExprId, name: &str) -> bool {
        let written = self.program.text(self.program.expr(callee).span);
        let written: String = written.split_ascii_whitespace().collect();
        let rest = written.trim_start_matches("::");
        rest.strip_prefix("thrust::").unwrap_or(rest) == name
    }

    /// Whether an expression is `v.data()` of a vector in device memory.
    fn gives_vector_data(&self, pointer: ExprId) -> bool {
        let program = &self.program;
        let ExprKind::Call { callee, .. } = program.expr(program.strip_parens(pointer)).kind else {
            return false;
        };
        let ExprKind::Member { methods, .. } = &program.expr(callee).kind else { return false };
        methods.iter().any(|id| {
            let own = program.function(*id);
            own.name == "data" && own.record.is_some_and(|record| program.is_device_vector(record))
        })
    }

    /// Makes `thrust::copy(v.begin(), v.end(), to)` and `thrust::copy(first, last, v.begin())` calls of a member function of the
    /// vector, whose other side is in host memory.
    pub(super) fn copy_of_vector(&mut self, callee: ExprId, arguments: &[ExprId]) {
        let ExprKind::Name(NameRef::Unknown(name)) = &self.program.expr(callee).kind else {
            return;
        };
        if name != "copy" || !self.is_of_thrust(callee, name) {
            return;
        }
        let [first, last, to] = *arguments else { return };
        let text = |id: ExprId| self.program.text(self.program.expr(id).span);
        let (object, arrow, member) =
            match (self.place_in(first), self.place_in(last), self.place_in(to)) {
                (Some((own, arrow)), Some((other, _)), None) if text(own) == text(other) => {
                    (own, arrow, "copy_to_")
                }
                (None, None, Some((own, arrow))) => (own, arrow, "copy_from_"),
                _ => return,
            };
        let ty = self.program.types.strip_reference(self.program.expr(object).ty);
        let ty = if arrow { self.program.types.pointee(ty.id) } else { Some(ty) };
        let Some(record) = ty.and_then(|ty| self.program.types.as_record(ty.id)) else { return };
        let methods: ThinVec<FunctionId> = self.member_named(record, member).1.into();
        let Some(base) = self.repeated(object) else { return };
        let end = self.program.expr(callee).span.at_end();
        self.program.exprs[callee.index()].kind =
            ExprKind::Member { base, arrow, field: None, methods, name: end, operator: end };
    }

    /// The vector that an expression is a place in: `v.begin()`, `p->end() - 1`.
    fn place_in(&self, place: ExprId) -> Option<(ExprId, bool)> {
        let program = &self.program;
        let place = program.strip_parens(place);
        match &program.expr(place).kind {
            ExprKind::Binary(_, left, _) => self.place_in(*left),
            ExprKind::Call { callee, .. } => {
                let ExprKind::Member { base, arrow, ref methods, .. } = program.expr(*callee).kind
                else {
                    return None;
                };
                let own = program.function(*methods.first()?);
                let is_vector = own.record.is_some_and(|record| program.is_device_vector(record));
                let is_place = matches!(own.name.as_str(), "begin" | "end" | "cbegin" | "cend");
                (is_vector && is_place).then_some((base, arrow))
            }
            _ => None,
        }
    }

    /// Makes `v.begin()` and `v.end()`, which an algorithm of the device is given, pointers: `v.data()`, `v.data() + v.size()`.
    pub(super) fn places_of_algorithm(&mut self, callee: ExprId, arguments: &mut [ExprId]) {
        if self.program.algorithm_name(callee).is_none() {
            return;
        }
        for argument in arguments {
            if self.place_in(*argument).is_some() {
                *argument = self.pointer_to_place(*argument);
            }
        }
    }

    /// The pointer that a place is. What is made anew comes behind its operands.
    fn pointer_to_place(&mut self, place: ExprId) -> ExprId {
        let (kind, span) = (self.program.expr(place).kind.clone(), self.program.expr(place).span);
        let (kind, ty) = match kind {
            ExprKind::Paren(inner) => {
                let inner = self.pointer_to_place(inner);
                (ExprKind::Paren(inner), self.program.expr(inner).ty)
            }
            ExprKind::Binary(op, left, right) => {
                let left = self.pointer_to_place(left);
                (ExprKind::Binary(op, left, right), self.program.expr(left).ty)
            }
            ExprKind::Call { callee, .. } => {
                let ExprKind::Member { base, arrow, ref methods, .. } =
                    self.program.expr(callee).kind
                else {
                    return place;
                };
                let Some(own) = methods.first().map(|id| self.program.function(*id)) else {
                    return place;
                };
                let (Some(record), is_end) = (own.record, own.name.ends_with("end")) else {
                    return place;
                };
                let methods: ThinVec<FunctionId> = self.member_named(record, "data").1.into();
                let name = self.program.expr(base).span.at_end();
                self.program.exprs[callee.index()].kind =
                    ExprKind::Member { base, arrow, field: None, methods, name, operator: name };
                let ty = self.result_type(callee, 0);
                let parentheses = span.at_end();
                let start = ExprKind::Call { callee, arguments: ThinVec::new(), parentheses };
                if is_end {
                    let start = self.add_expr(start, self.program.expr(callee).span, ty);
                    let size = self.program.types.scalar(Scalar::UnsignedLong);
                    let kind = ExprKind::Opaque(ThinVec::new());
                    let size = self.add_expr(kind, span.at_end(), size);
                    self.program.vector_sizes.insert(size, (base, arrow));
                    (ExprKind::Binary(BinaryOp::Add, start, size), ty)
                } else {
                    (start, ty)
                }
            }
            _ => return place,
        };
        self.program.exprs[place.index()].kind = ExprKind::Opaque(ThinVec::new());
        self.add_expr(kind, span, ty)
    }

    /// A variable, or a member of one, once more.
    fn repeated(&mut self, object: ExprId) -> Option<ExprId> {
        let (kind, span, ty) = {
            let own = self.program.expr(object);
            (own.kind.clone(), own.span, own.ty)
        };
        let kind = match kind {
            ExprKind::Name(NameRef::Variable(_)) | ExprKind::This => kind,
            ExprKind::Member { base, arrow, field: Some(field), methods, name, operator } => {
                // `this`, which is not written.
                let base = self.repeated(base)?;
                ExprKind::Member { base, arrow, field: Some(field), methods, name, operator }
            }
            _ => return None,
        };
        Some(self.add_expr(kind, span, ty))
    }
}

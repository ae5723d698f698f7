//! Objects of the program behind `std::unique_ptr` and `std::shared_ptr`.
//!
//! `p->f()`, `(*p).f()` and `p.get()->f()` reach the object that `new` would have given: members are those of its class, and
//! the pointer itself is one that nothing else is known of.

use super::Lowering;
use super::expressions::only_named;
use super::fields::{FieldName, Fields};
use crate::program::{ExprId, ExprKind, NameRef, RecordId, RecordTrait};
use crate::types::{QualType, TypeKind};
use layoutc_diagnostics::Span;
use thin_vec::{ThinVec, thin_vec};
use tree_sitter::Node;

impl<'t> Lowering<'t> {
    /// The pointer that a smart pointer to a class of the program holds: what `get` gives back.
    pub(super) fn held_pointer(&mut self, smart: ExprId) -> Option<ExprId> {
        let of = self.program.expr(smart).ty;
        let (methods, ty) = match self.held_by_owner(of) {
            Some((get, ty)) => (thin_vec![get], ty),
            None => {
                let object = self.program.types.smart_pointee(of)?;
                (ThinVec::new(), self.program.types.pointer(object))
            }
        };
        let function = QualType::plain(self.program.types.intern(TypeKind::Function));
        let span = self.program.expr(smart).span;
        let (name, operator, parentheses) = (span.at_end(), span.at_end(), span.at_end());
        let kind =
            ExprKind::Member { base: smart, arrow: false, field: None, methods, name, operator };
        let callee = self.add_expr(kind, span, function);
        let arguments = ThinVec::new();
        Some(self.add_expr(ExprKind::Call { callee, arguments, parentheses }, span, ty))
    }

    /// What `p.get()` gives back.
    pub(super) fn held_type(&mut self, callee: ExprId, arguments: &[ExprId]) -> Option<QualType> {
        let ExprKind::Member { base, arrow: false, field: None, name, .. } =
            self.program.expr(self.program.strip_parens(callee)).kind
        else {
            return None;
        };
        let object = self.program.types.smart_pointee(self.program.expr(base).ty)?;
        (arguments.is_empty() && self.program.text(name) == "get")
            .then(|| self.program.types.pointer(object))
    }

    /// The type of an item of a `std::vector` or the like: a smart pointer to an object of the program, an object that
    /// holds a pointer to one or that no array in device memory can have, or a pointer to such an object. Items that are plain
    /// data are not followed.
    pub(super) fn list_item(&self, list: QualType) -> Option<QualType> {
        let types = &self.program.types;
        let TypeKind::Named(name, mentioned) = types.kind(types.strip_reference(list).id) else {
            return None;
        };
        let name = name.trim_start_matches("::").trim_start_matches("std::");
        let item = QualType::plain(*mentioned.first()?);
        let object = match types.kind(item.id) {
            TypeKind::Pointer(to) => to.id,
            _ => item.id,
        };
        let is_followed = || match types.as_record(object) {
            Some(record) => self.holds_pointer(record) || self.is_of_host(record),
            None => types.smart_pointee(item).is_some(),
        };
        (matches!(name, "vector" | "array" | "deque") && is_followed()).then_some(item)
    }

    /// Whether a type is a reference to an object that holds a pointer to one of the program.
    pub(super) fn refers_to_holder(&self, ty: QualType) -> bool {
        let types = &self.program.types;
        let TypeKind::Reference(to, false) = types.kind(ty.id) else { return false };
        types.as_record(to.id).is_some_and(|record| self.holds_pointer(record))
    }

    /// Whether objects of a class are no elements of arrays in device memory: it has virtual functions, or a member of a type
    /// that is not known, such as a list.
    pub(super) fn is_of_host(&self, record: RecordId) -> bool {
        self.program
            .record(record)
            .traits
            .iter()
            .any(|(which, _)| matches!(which, RecordTrait::Virtual | RecordTrait::UnknownMember))
    }

    /// Whether an object of a record, or one in it, has a member that points to an object of the program.
    pub(super) fn holds_pointer(&self, record: RecordId) -> bool {
        let types = &self.program.types;
        let mut seen = vec![record];
        let mut next = 0;
        while let Some(record) = seen.get(next) {
            next += 1;
            let record = self.program.record(*record);
            for field in &record.fields {
                let mut ty = self.program.field(*field).ty;
                let mut is_pointer = false;
                while let Some(to) = types.pointee(ty.id) {
                    is_pointer |= matches!(types.kind(ty.id), TypeKind::Pointer(_));
                    ty = to;
                }
                match types.as_record(ty.id) {
                    Some(_) if is_pointer => return true,
                    Some(inner) if !seen.contains(&inner) => seen.push(inner),
                    None if types.smart_pointee(ty).is_some() => return true,
                    Some(_) | None => {}
                }
            }
            for base in &record.bases {
                if !seen.contains(base) {
                    seen.push(*base);
                }
            }
        }
        false
    }

    /// The type of `v.front()`, `v.back()`, `v.at(i)` and `v.data()` for a list whose items are followed.
    pub(super) fn list_item_type(
        &mut self,
        callee: ExprId,
        arguments: &[ExprId],
    ) -> Option<QualType> {
        let ExprKind::Member { base, arrow: false, field: None, name, .. } =
            self.program.expr(self.program.strip_parens(callee)).kind
        else {
            return None;
        };
        let item = self.list_item(self.program.expr(base).ty)?;
        match (self.program.text(name), arguments) {
            ("front" | "back", []) | ("at", [_]) => Some(item),
            ("data", []) => Some(self.program.types.pointer(item)),
            _ => None,
        }
    }

    /// The name of a function or class of `std` with template arguments, and the type that they are, if it is one alone.
    fn of_one_type(&mut self, function: Node<'t>) -> Option<(&'t str, QualType)> {
        let (scope, last) = self.qualified_parts(function);
        let last = last.filter(|last| last.kind() == "template_function")?;
        let name = self.text_of(last.field(FieldName::Name)?);
        let ty = only_named(last.field(FieldName::Arguments)?)?;
        let is_of_std = matches!(scope.as_slice(), [] | ["std"] | ["", "std"])
            && ty.kind() == "type_descriptor"
            && matches!(self.resolve_name(name, &scope), NameRef::Unknown(_));
        is_of_std.then(|| (name, self.type_descriptor(ty)))
    }

    /// The smart pointer that `std::shared_ptr<T>(…)` makes, and `std::static_pointer_cast<T>(p)`.
    pub(super) fn made_pointer(&mut self, function: Node<'t>) -> Option<QualType> {
        let (name, of) = self.of_one_type(function)?;
        self.program.types.as_record(of.id)?;
        let pointer = match name {
            "unique_ptr" => "unique_ptr",
            "shared_ptr" | "static_pointer_cast" | "dynamic_pointer_cast" => "shared_ptr",
            _ => return None,
        };
        Some(self.smart_pointer(pointer, of))
    }

    /// The container that `std::vector<T>(…)` makes: the object that a variable of that type would be.
    pub(super) fn made_container(&mut self, function: Node<'t>) -> Option<QualType> {
        let (name, of) = self.of_one_type(function)?;
        matches!(name, "vector" | "deque" | "list").then(|| self.of_library(name, of))
    }

    fn smart_pointer(&mut self, name: &str, of: QualType) -> QualType {
        self.of_library(name, of)
    }

    /// A class template of the library with one argument.
    fn of_library(&mut self, name: &str, of: QualType) -> QualType {
        let ty = TypeKind::Named(name.to_owned(), vec![of.id]);
        QualType::plain(self.program.types.intern(ty))
    }

    /// The class of the program whose object `std::make_unique<T>` or `std::make_shared<T>` makes, behind the name of the
    /// pointer that they give back.
    pub(super) fn made_class(&mut self, function: Node<'t>) -> Option<(&'static str, QualType)> {
        let (name, of) = self.of_one_type(function)?;
        let pointer = match name {
            "make_unique" => "unique_ptr",
            "make_shared" => "shared_ptr",
            _ => return None,
        };
        self.program.types.as_record(of.id)?;
        Some((pointer, of))
    }

    /// The type of the item that `v.emplace_back(…)` makes of its arguments, if the items of `v` are followed.
    pub(super) fn emplaced(&self, callee: ExprId) -> Option<QualType> {
        let ExprKind::Member { base, arrow: false, field: None, name, .. } =
            self.program.expr(self.program.strip_parens(callee)).kind
        else {
            return None;
        };
        let item = self.list_item(self.program.expr(base).ty)?;
        (self.program.text(name) == "emplace_back").then_some(item)
    }

    /// `std::make_unique<T>(arguments)`: it is given an object of the class, which the arguments make.
    pub(super) fn made_object(
        &mut self,
        callee: ExprId,
        pointer: &str,
        of: QualType,
        arguments: ThinVec<ExprId>,
        (span, parentheses): (Span, Span),
    ) -> ExprId {
        let object = self.add_expr(ExprKind::Construct { of, arguments }, parentheses, of);
        let ty = self.smart_pointer(pointer, of);
        let arguments = thin_vec![object];
        self.add_expr(ExprKind::Call { callee, arguments, parentheses }, span, ty)
    }
}

//! What an array consists of.

use layoutc_syntax::{Program, QualType, RecordId, Scalar, TypeKind, VectorType, abi};
use std::borrow::Cow;

/// The type of the elements of an array, without qualifiers.
///
/// A record has its members for leaves; a scalar or vector is its only leaf, so its accesses are
/// [`PlaceKind::Part`](super::PlaceKind::Part) with an empty path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Element {
    /// A struct or class.
    Record(RecordId),
    /// A number.
    Scalar(Scalar),
    /// A vector of CUDA or OpenCL C.
    Vector(VectorType),
}

impl Element {
    /// The element of an array whose items are of this type.
    #[must_use]
    pub fn of_item(program: &Program, item: QualType) -> Option<Element> {
        match *program.types.kind(item.id) {
            TypeKind::Record(record) => Some(Element::Record(record)),
            TypeKind::Scalar(scalar) => Some(Element::Scalar(scalar)),
            TypeKind::Vector(vector) => Some(Element::Vector(vector)),
            TypeKind::Unknown
            | TypeKind::Void
            | TypeKind::Enum(..)
            | TypeKind::Pointer(_)
            | TypeKind::Array(..)
            | TypeKind::Reference(..)
            | TypeKind::Function
            | TypeKind::Named(..)
            | TypeKind::Opaque(_)
            | TypeKind::TemplateParameter(_) => None,
        }
    }

    /// The record, if it is one.
    #[must_use]
    pub fn record(self) -> Option<RecordId> {
        match self {
            Element::Record(record) => Some(record),
            Element::Scalar(_) | Element::Vector(_) => None,
        }
    }

    /// The scalar, if it is one.
    #[must_use]
    pub fn scalar(self) -> Option<Scalar> {
        match self {
            Element::Record(_) | Element::Vector(_) => None,
            Element::Scalar(scalar) => Some(scalar),
        }
    }

    /// Whether it is its only leaf.
    #[must_use]
    pub fn is_leaf(self) -> bool {
        self.record().is_none()
    }

    /// Its size in bytes, if that is known.
    #[must_use]
    pub fn size(self, program: &Program) -> Option<u64> {
        match self {
            Element::Record(record) => abi::record_layout(program, record).map(|own| own.size),
            Element::Scalar(scalar) => Some(scalar.size()),
            Element::Vector(vector) => Some(vector.size()),
        }
    }

    /// Its name in the source, without qualifiers.
    #[must_use]
    pub fn name(self, program: &Program) -> Cow<'_, str> {
        match self {
            Element::Record(record) => Cow::Borrowed(&program.record(record).name),
            Element::Scalar(_) | Element::Vector(_) => self.spelled_name(program),
        }
    }

    /// Its name with its namespaces, where it has one for the whole program.
    #[must_use]
    pub fn qualified_name(self, program: &Program) -> Cow<'_, str> {
        let qualified = self.record().and_then(|record| program.qualified_name(record));
        qualified.map_or_else(|| self.spelled_name(program), Cow::Owned)
    }

    /// Its name as the source spells it, with the arguments of a class template.
    #[must_use]
    pub fn spelled_name(self, program: &Program) -> Cow<'_, str> {
        match self {
            Element::Record(record) => Cow::Borrowed(program.spelled_name(record)),
            Element::Scalar(scalar) => Cow::Borrowed(scalar.spelling()),
            Element::Vector(vector) => Cow::Owned(vector.name()),
        }
    }
}

/// The element at the end of a type's pointers and arrays, and how many of them there are.
///
/// References do not count: a `T&` is an element. A scalar or vector is one only in an array or behind
/// a pointer.
#[must_use]
pub fn element_of(program: &Program, ty: QualType) -> Option<(Element, u32)> {
    let mut ty = program.types.strip_reference(ty);
    let mut depth = 0;
    while let TypeKind::Pointer(to) | TypeKind::Array(to, _) | TypeKind::Reference(to, _) =
        *program.types.kind(ty.id)
    {
        depth += u32::from(!matches!(program.types.kind(ty.id), TypeKind::Reference(..)));
        ty = to;
    }
    let element = Element::of_item(program, ty)?;
    (depth > 0 || !element.is_leaf()).then_some((element, depth))
}

/// The same, for records alone.
#[must_use]
pub fn record_of(program: &Program, ty: QualType) -> Option<(RecordId, u32)> {
    let (element, depth) = element_of(program, ty)?;
    Some((element.record()?, depth))
}

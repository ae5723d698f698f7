//! Types, interned: equal types have equal [`TypeId`]s.
//!
//! A type that the model does not know is [`TypeKind::Unknown`]; a class of a library is
//! [`TypeKind::Named`] with the template arguments it mentions.

use crate::opaque::OpaqueType;
use crate::program::RecordId;
use foldhash::fast::RandomState;
use indexmap::IndexSet;

/// A type of a [`TypeTable`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TypeId(pub u32);

/// A type with its qualifiers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct QualType {
    /// The type.
    pub id: TypeId,
    /// `const`.
    pub is_const: bool,
    /// `volatile`.
    pub is_volatile: bool,
    /// `__restrict__`.
    pub is_restrict: bool,
    /// A pointer that is written as `thrust::device_ptr<T>`: algorithms run where it points to.
    pub is_device_ptr: bool,
}

impl QualType {
    /// The type without qualifiers.
    #[must_use]
    pub fn plain(id: TypeId) -> Self {
        QualType {
            id,
            is_const: false,
            is_volatile: false,
            is_restrict: false,
            is_device_ptr: false,
        }
    }

    /// The same type, `const` too.
    #[must_use]
    pub fn with_const(self) -> Self {
        QualType { is_const: true, ..self }
    }
}

/// Arithmetic types with their sizes on the CUDA host ABI (x86-64 Linux, LP64).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "named like the types")]
pub enum Scalar {
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Half,
    Float,
    Double,
    WChar,
}

impl Scalar {
    /// All of them.
    pub const ALL: [Scalar; 16] = [
        Scalar::Bool,
        Scalar::Char,
        Scalar::SignedChar,
        Scalar::UnsignedChar,
        Scalar::Short,
        Scalar::UnsignedShort,
        Scalar::Int,
        Scalar::UnsignedInt,
        Scalar::Long,
        Scalar::UnsignedLong,
        Scalar::LongLong,
        Scalar::UnsignedLongLong,
        Scalar::Half,
        Scalar::Float,
        Scalar::Double,
        Scalar::WChar,
    ];

    /// Size and alignment in bytes.
    #[must_use]
    pub fn size(self) -> u64 {
        match self {
            Scalar::Bool | Scalar::Char | Scalar::SignedChar | Scalar::UnsignedChar => 1,
            Scalar::Short | Scalar::UnsignedShort | Scalar::Half => 2,
            Scalar::Int | Scalar::UnsignedInt | Scalar::Float | Scalar::WChar => 4,
            Scalar::Long
            | Scalar::UnsignedLong
            | Scalar::LongLong
            | Scalar::UnsignedLongLong
            | Scalar::Double => 8,
        }
    }

    /// Whether it is an integer type.
    #[must_use]
    pub fn is_integer(self) -> bool {
        !matches!(self, Scalar::Half | Scalar::Float | Scalar::Double)
    }

    /// Whether it is an unsigned integer type.
    #[must_use]
    pub fn is_unsigned(self) -> bool {
        matches!(
            self,
            Scalar::Bool
                | Scalar::UnsignedChar
                | Scalar::UnsignedShort
                | Scalar::UnsignedInt
                | Scalar::UnsignedLong
                | Scalar::UnsignedLongLong
        )
    }

    /// The type as C++ spells it.
    #[must_use]
    pub fn spelling(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::Char => "char",
            Scalar::SignedChar => "signed char",
            Scalar::UnsignedChar => "unsigned char",
            Scalar::Short => "short",
            Scalar::UnsignedShort => "unsigned short",
            Scalar::Int => "int",
            Scalar::UnsignedInt => "unsigned int",
            Scalar::Long => "long",
            Scalar::UnsignedLong => "unsigned long",
            Scalar::LongLong => "long long",
            Scalar::UnsignedLongLong => "unsigned long long",
            Scalar::Half => "__half",
            Scalar::Float => "float",
            Scalar::Double => "double",
            Scalar::WChar => "wchar_t",
        }
    }
}

/// Whose vector types: they differ in what three lanes take and in how large ones are aligned.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum VectorFamily {
    /// Those of `vector_types.h`.
    Cuda,
    /// Those of OpenCL C (6.1.2), and of its host headers with the prefix `cl_`.
    OpenCl,
}

/// A vector type: `float4` is four `Float`s aligned to 16 bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VectorType {
    /// Element type.
    pub scalar: Scalar,
    /// 1 to 4 elements in CUDA; 2, 3, 4, 8 or 16 in OpenCL.
    pub lanes: u8,
    /// Whose it is.
    pub family: VectorFamily,
}

impl VectorType {
    /// The vector type of that name, as `vector_types.h` has it.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let lanes = name.chars().last()?.to_digit(10).filter(|n| (1..=4).contains(n))? as u8;
        let scalar = match &name[..name.len() - 1] {
            "char" => Scalar::SignedChar,
            "uchar" => Scalar::UnsignedChar,
            "short" => Scalar::Short,
            "ushort" => Scalar::UnsignedShort,
            "int" => Scalar::Int,
            "uint" => Scalar::UnsignedInt,
            "long" => Scalar::Long,
            "ulong" => Scalar::UnsignedLong,
            "longlong" => Scalar::LongLong,
            "ulonglong" => Scalar::UnsignedLongLong,
            "float" => Scalar::Float,
            "double" => Scalar::Double,
            _ => return None,
        };
        Some(VectorType { scalar, lanes, family: VectorFamily::Cuda })
    }

    /// The vector type of that name in OpenCL C.
    #[must_use]
    pub fn parse_opencl(name: &str) -> Option<Self> {
        let at = name.find(|letter: char| letter.is_ascii_digit())?;
        let lanes = match &name[at..] {
            "2" => 2,
            "3" => 3,
            "4" => 4,
            "8" => 8,
            "16" => 16,
            _ => return None,
        };
        let scalar = match &name[..at] {
            "char" => Scalar::SignedChar,
            "uchar" => Scalar::UnsignedChar,
            "short" => Scalar::Short,
            "ushort" => Scalar::UnsignedShort,
            "int" => Scalar::Int,
            "uint" => Scalar::UnsignedInt,
            "long" => Scalar::Long,
            "ulong" => Scalar::UnsignedLong,
            "half" => Scalar::Half,
            "float" => Scalar::Float,
            "double" => Scalar::Double,
            _ => return None,
        };
        Some(VectorType { scalar, lanes, family: VectorFamily::OpenCl })
    }

    /// Size in bytes: the lanes, without padding in CUDA; three lanes take the room of four in OpenCL.
    #[must_use]
    pub fn size(self) -> u64 {
        let lanes = match self.family {
            VectorFamily::Cuda => self.lanes,
            VectorFamily::OpenCl => self.lanes.next_power_of_two(),
        };
        self.scalar.size() * u64::from(lanes)
    }

    /// Alignment in bytes. CUDA: the whole size for 2 and 4 lanes, at most 16; the element's for 1
    /// and 3. OpenCL: the size.
    #[must_use]
    pub fn align(self) -> u64 {
        match self.family {
            VectorFamily::OpenCl => self.size(),
            VectorFamily::Cuda if matches!(self.lanes, 2 | 4) => self.size().min(16),
            VectorFamily::Cuda => self.scalar.size(),
        }
    }

    /// The name in `vector_types.h`, or in OpenCL C.
    #[must_use]
    pub fn name(self) -> String {
        let scalar = match self.scalar {
            Scalar::SignedChar => "char",
            Scalar::UnsignedChar => "uchar",
            Scalar::UnsignedShort => "ushort",
            Scalar::UnsignedInt => "uint",
            Scalar::UnsignedLong => "ulong",
            Scalar::LongLong => "longlong",
            Scalar::UnsignedLongLong => "ulonglong",
            other => other.spelling(),
        };
        format!("{scalar}{}", self.lanes)
    }
}

/// The forms of types.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TypeKind {
    /// Not known.
    Unknown,
    /// `void`.
    Void,
    /// An arithmetic type.
    Scalar(Scalar),
    /// A CUDA vector type.
    Vector(VectorType),
    /// A record of the program.
    Record(RecordId),
    /// An enumeration, named with its scopes (in parentheses if it has no name outside of a function), and
    /// the size of its underlying type in bytes, if that is known.
    Enum(String, Option<u8>),
    /// A pointer.
    Pointer(QualType),
    /// An lvalue (`false`) or rvalue (`true`) reference.
    Reference(QualType, bool),
    /// An array with its length, if that is a constant.
    Array(QualType, Option<u64>),
    /// A function type; its form is not modelled.
    Function,
    /// A class of a library with the types it mentions.
    Named(String, Vec<TypeId>),
    /// A class of a library that is copied as its bytes are, and of which no more is known.
    Opaque(OpaqueType),
    /// A template parameter.
    TemplateParameter(String),
}

/// All types of a program.
#[derive(Clone, Debug)]
pub struct TypeTable {
    kinds: IndexSet<TypeKind, RandomState>,
}

impl Default for TypeTable {
    fn default() -> Self {
        let mut table = TypeTable { kinds: IndexSet::default() };
        table.intern(TypeKind::Unknown);
        table.intern(TypeKind::Void);
        table
    }
}

impl TypeTable {
    /// The unknown type.
    pub const UNKNOWN: TypeId = TypeId(0);
    /// `void`.
    pub const VOID: TypeId = TypeId(1);

    /// The id of a type.
    pub fn intern(&mut self, kind: TypeKind) -> TypeId {
        TypeId(self.kinds.insert_full(kind).0 as u32)
    }

    /// The form of a type.
    #[must_use]
    pub fn kind(&self, id: TypeId) -> &TypeKind {
        &self.kinds[id.0 as usize]
    }

    /// A scalar type.
    pub fn scalar(&mut self, scalar: Scalar) -> QualType {
        QualType::plain(self.intern(TypeKind::Scalar(scalar)))
    }

    /// A pointer to `to`.
    pub fn pointer(&mut self, to: QualType) -> QualType {
        QualType::plain(self.intern(TypeKind::Pointer(to)))
    }

    /// The unknown type.
    #[must_use]
    pub fn unknown(&self) -> QualType {
        QualType::plain(Self::UNKNOWN)
    }

    /// The record, if the type is one.
    #[must_use]
    pub fn as_record(&self, id: TypeId) -> Option<RecordId> {
        match self.kind(id) {
            TypeKind::Record(record) => Some(*record),
            _ => None,
        }
    }

    /// Whether a type is `std::nullptr_t`, to which no pointer converts.
    #[must_use]
    pub fn is_null_type(&self, ty: QualType) -> bool {
        matches!(self.kind(self.strip_reference(ty).id), TypeKind::Named(name, mentioned)
            if mentioned.is_empty()
                && matches!(name.trim_start_matches("::"), "std::nullptr_t" | "nullptr_t"))
    }

    /// The type of the object behind a `std::unique_ptr` or `std::shared_ptr` to a class of the program, or a reference to one.
    #[must_use]
    pub fn smart_pointee(&self, pointer: QualType) -> Option<QualType> {
        let TypeKind::Named(name, mentioned) = self.kind(self.strip_reference(pointer).id) else {
            return None;
        };
        let name = name.trim_start_matches("::").trim_start_matches("std::");
        match (name, mentioned.as_slice()) {
            // A deleter may stand behind it.
            ("unique_ptr" | "shared_ptr", [object, ..]) => {
                self.as_record(*object).map(|_| QualType::plain(*object))
            }
            _ => None,
        }
    }

    /// Whether a type is that of a function, or of a pointer to one.
    #[must_use]
    pub fn is_function(&self, ty: QualType) -> bool {
        match *self.kind(ty.id) {
            TypeKind::Pointer(to) => matches!(self.kind(to.id), TypeKind::Function),
            TypeKind::Function => true,
            _ => false,
        }
    }

    /// What a pointer or array points to, or a reference refers to.
    #[must_use]
    pub fn pointee(&self, id: TypeId) -> Option<QualType> {
        match self.kind(id) {
            TypeKind::Pointer(to) | TypeKind::Array(to, _) => Some(*to),
            _ => None,
        }
    }

    /// The type with a reference removed.
    #[must_use]
    pub fn strip_reference(&self, ty: QualType) -> QualType {
        match self.kind(ty.id) {
            TypeKind::Reference(to, _) => *to,
            _ => ty,
        }
    }

    /// The scalar, if the type is one.
    #[must_use]
    pub fn as_scalar(&self, id: TypeId) -> Option<Scalar> {
        match self.kind(id) {
            TypeKind::Scalar(scalar) => Some(*scalar),
            _ => None,
        }
    }

    /// Whether two types are plainly not the same: at the same place behind pointers one is a number and the other a
    /// record of the program.
    #[must_use]
    pub fn are_distinct(&self, one: QualType, other: QualType) -> bool {
        match (self.kind(one.id), self.kind(other.id)) {
            (TypeKind::Pointer(one), TypeKind::Pointer(other))
            | (TypeKind::Reference(one, _), TypeKind::Reference(other, _)) => {
                self.are_distinct(*one, *other)
            }
            (TypeKind::Scalar(_), TypeKind::Record(_))
            | (TypeKind::Record(_), TypeKind::Scalar(_)) => true,
            _ => false,
        }
    }

    /// All types.
    pub fn ids(&self) -> impl Iterator<Item = TypeId> + use<> {
        (0..self.kinds.len()).map(|at| TypeId(at as u32))
    }

    /// Whether `id` is or mentions the record, through pointers, arrays and template arguments.
    #[must_use]
    pub fn mentions(&self, id: TypeId, record: RecordId) -> bool {
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            match self.kind(id) {
                TypeKind::Record(other) if *other == record => return true,
                TypeKind::Pointer(to) | TypeKind::Reference(to, _) | TypeKind::Array(to, _) => {
                    stack.push(to.id);
                }
                TypeKind::Named(_, arguments) => stack.extend(arguments),
                TypeKind::Unknown
                | TypeKind::Void
                | TypeKind::Scalar(_)
                | TypeKind::Vector(_)
                | TypeKind::Record(_)
                | TypeKind::Enum(..)
                | TypeKind::Function
                | TypeKind::Opaque(_)
                | TypeKind::TemplateParameter(_) => {}
            }
        }
        false
    }
}

/// Whether objects of a type that the program does not define are made of copies of numbers.
#[must_use]
pub fn is_made_of_numbers(name: &str) -> bool {
    matches!(name.trim_start_matches("std::"), "dim3" | "vector" | "host_vector" | "string")
}

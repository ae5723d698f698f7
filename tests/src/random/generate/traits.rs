//! What some units have and may be refused for.

/// A trait of a unit. A unit has at most one, so that a refusal says which one it was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Trait {
    /// The address of a field goes to a function.
    FieldAddress,
    /// Member functions and operators on elements.
    Methods,
    /// A constructor.
    Constructor,
    /// A device function that is a template over the element type.
    TypeTemplate,
    /// Kernels that are templates over a number.
    ValueTemplate,
    /// Function-like macros that access elements.
    MacroAccess,
    /// A function called with elements and with local objects, by pointer.
    SharedFunction,
    /// A function that returns a pointer to an element.
    PointerResult,
    /// Loops that declare the walking pointer in their head.
    WalkInHead,
    /// A pointer chosen by a condition.
    ChosenPointer,
    /// The value of an assignment.
    AssignedValue,
    /// Launches with `d + off`.
    OffsetLaunch,
    /// Copies of sub-ranges on both sides.
    SubRangeCopy,
    /// A struct by value that holds the pointers.
    Handle,
    /// A class that owns device memory.
    OwningBuffer,
    /// Allocation in a function with a `T **` parameter.
    AllocateByPointer,
    /// An aggregate initialiser of an element.
    BraceInitialiser,
    /// A field array that decays.
    DecayedField,
    /// `__ldg` of a field.
    ReadOnlyLoad,
    /// `auto` for elements, pointers and references.
    Auto,
    /// The struct is also a member of another struct with arrays.
    NestedTwin,
    /// A lambda that takes or captures elements.
    Lambda,
    /// Elements bound to names.
    Binding,
    /// Fields with default initialisers.
    DefaultInitialiser,
    /// A base class.
    Base,
    /// Managed memory.
    Managed,
    /// A `__device__` array of the struct.
    DeviceTable,
    /// A macro that launches.
    LaunchMacro,
    /// Branches that are not compiled.
    InactiveBranch,
    /// An index with an effect.
    EffectIndex,
    /// `T t(p[i]);`
    DirectInitialiser,
    /// `p[i] = h(p[j]);`
    StoredResult,
    /// Copies and fills that end within a record.
    PartOfRecord,
    /// Device pointers that are declared as `void *`.
    UntypedPointer,
    /// Members that packing moves.
    Packed,
    /// `alignas` on members and structs.
    AlignedMember,
    /// Members of some bits.
    BitField,
    /// Member functions that are templates.
    MemberTemplate,
    /// Member functions of one name, and static ones that take elements.
    MemberOverload,
    /// Member operators: `+=`, `[]`, `++`, `()`, a conversion.
    MemberOperator,
    /// Friend functions and operators.
    Friend,
    /// Default arguments and trailing return types.
    DefaultArgument,
    /// A class template that holds device memory.
    HolderTemplate,
    /// A class template by value that holds the pointers.
    ViewTemplate,
    /// A struct that is an instance of a class template.
    ElementTemplate,
    /// A class template that owns device memory: it has a destructor, and often moves.
    OwnerTemplate,
    /// Function templates that allocate, copy and free.
    AllocateTemplate,
    /// Objects with a call operator that takes elements.
    FunctionObject,
    /// Members of types from the system's headers.
    ForeignMember,
}

/// All of them.
pub(super) const ALL: [Trait; 49] = [
    Trait::FieldAddress,
    Trait::Methods,
    Trait::Constructor,
    Trait::TypeTemplate,
    Trait::ValueTemplate,
    Trait::MacroAccess,
    Trait::SharedFunction,
    Trait::PointerResult,
    Trait::WalkInHead,
    Trait::ChosenPointer,
    Trait::AssignedValue,
    Trait::OffsetLaunch,
    Trait::SubRangeCopy,
    Trait::Handle,
    Trait::OwningBuffer,
    Trait::AllocateByPointer,
    Trait::BraceInitialiser,
    Trait::DecayedField,
    Trait::ReadOnlyLoad,
    Trait::Auto,
    Trait::NestedTwin,
    Trait::Lambda,
    Trait::Binding,
    Trait::DefaultInitialiser,
    Trait::Base,
    Trait::Managed,
    Trait::DeviceTable,
    Trait::LaunchMacro,
    Trait::InactiveBranch,
    Trait::EffectIndex,
    Trait::DirectInitialiser,
    Trait::StoredResult,
    Trait::PartOfRecord,
    Trait::UntypedPointer,
    Trait::Packed,
    Trait::AlignedMember,
    Trait::BitField,
    Trait::MemberTemplate,
    Trait::MemberOverload,
    Trait::MemberOperator,
    Trait::Friend,
    Trait::DefaultArgument,
    Trait::HolderTemplate,
    Trait::ViewTemplate,
    Trait::ElementTemplate,
    Trait::OwnerTemplate,
    Trait::AllocateTemplate,
    Trait::FunctionObject,
    Trait::ForeignMember,
];

impl Trait {
    /// Its name in statistics.
    pub(super) fn name(self) -> &'static str {
        match self {
            Trait::FieldAddress => "field-address",
            Trait::Methods => "methods",
            Trait::Constructor => "constructor",
            Trait::TypeTemplate => "type-template",
            Trait::ValueTemplate => "value-template",
            Trait::MacroAccess => "macro-access",
            Trait::SharedFunction => "shared-function",
            Trait::PointerResult => "pointer-result",
            Trait::WalkInHead => "walk-in-head",
            Trait::ChosenPointer => "chosen-pointer",
            Trait::AssignedValue => "assigned-value",
            Trait::OffsetLaunch => "offset-launch",
            Trait::SubRangeCopy => "sub-range-copy",
            Trait::Handle => "handle",
            Trait::OwningBuffer => "owning-buffer",
            Trait::AllocateByPointer => "allocate-by-pointer",
            Trait::BraceInitialiser => "brace-initialiser",
            Trait::DecayedField => "decayed-field",
            Trait::ReadOnlyLoad => "read-only-load",
            Trait::Auto => "auto",
            Trait::NestedTwin => "nested-twin",
            Trait::Lambda => "lambda",
            Trait::Binding => "structured-binding",
            Trait::DefaultInitialiser => "default-initialiser",
            Trait::Base => "base-class",
            Trait::Managed => "managed",
            Trait::DeviceTable => "device-table",
            Trait::LaunchMacro => "launch-macro",
            Trait::InactiveBranch => "inactive-branch",
            Trait::EffectIndex => "effect-index",
            Trait::DirectInitialiser => "direct-initialiser",
            Trait::StoredResult => "stored-result",
            Trait::PartOfRecord => "part-of-record",
            Trait::UntypedPointer => "untyped-pointer",
            Trait::Packed => "packed-members",
            Trait::AlignedMember => "aligned-member",
            Trait::BitField => "bit-field",
            Trait::MemberTemplate => "member-template",
            Trait::MemberOverload => "member-overload",
            Trait::MemberOperator => "member-operator",
            Trait::Friend => "friend-function",
            Trait::DefaultArgument => "default-argument",
            Trait::HolderTemplate => "holder-template",
            Trait::ViewTemplate => "view-template",
            Trait::ElementTemplate => "element-template",
            Trait::OwnerTemplate => "owner-template",
            Trait::AllocateTemplate => "allocate-template",
            Trait::FunctionObject => "function-object",
            Trait::ForeignMember => "foreign-member",
        }
    }

    /// Whether a unit with it has no other: because others take addresses of members that have
    /// none, name the struct where it has no name yet, or allocate arrays in another way.
    pub(super) fn stands_alone(self) -> bool {
        matches!(
            self,
            Trait::Packed
                | Trait::BitField
                | Trait::HolderTemplate
                | Trait::ElementTemplate
                | Trait::OwnerTemplate
                | Trait::AllocateTemplate
        )
    }
}

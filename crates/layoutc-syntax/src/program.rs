//! The program model: declarations, statements and expressions of all files, in arenas.
//!
//! *Every* construct of the source is represented. What the model has no form for becomes
//! [`ExprKind::Opaque`] or [`StmtKind::Opaque`], whose children are still lowered, so that a later
//! pass sees which variables an unknown construct touches and can pin them.
//!
//! All spans refer to the original text. Third-party syntax nodes do not leave this crate.

mod algorithms;
mod copy;
mod homes;
mod library_classes;
mod parents;
mod pragma;
mod rows;
mod spelling;

pub use algorithms::Algorithm;
pub use copy::{FunctionParts, NoCopy};
pub use homes::Homes;
pub use parents::Parents;
pub use pragma::{ExtentValue, GridPragma, LayoutPragma, PragmaArray, PragmaExtent, PragmaSubject};
pub use rows::{MemberRow, MemberRows};

use crate::types::{QualType, Scalar, TypeId, TypeTable};
use layoutc_diagnostics::{FileId, SourceSet, Span};
use std::collections::{BTreeMap, BTreeSet};
use thin_vec::ThinVec;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);

        impl $name {
            /// Position in the arena.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// An expression of [`Program::exprs`].
    ExprId;
    /// A statement of [`Program::stmts`].
    StmtId;
    /// A variable, parameter or global of [`Program::variables`].
    VarId;
    /// A function of [`Program::functions`].
    FunctionId;
    /// A struct, class or union of [`Program::records`].
    RecordId;
    /// A field of [`Program::fields`].
    FieldId;
    /// A declaration statement of [`Program::declarations`].
    DeclarationId;
    /// A use of a macro of [`Program::expansions`].
    ExpansionId;
}

/// One variable of one declaration, with the spans that an edit of its type needs.
#[derive(Clone, Debug)]
pub struct DeclaratorSite {
    /// The declaration it stands in; `None` for the object of a member function and for what is no declaration's,
    /// such as a type in a cast.
    pub declaration: Option<DeclarationId>,
    /// Position among the declarators of the declaration.
    pub index: usize,
    /// From the first `*` or `&` to the end of the declarator, without the initializer.
    pub span: Span,
    /// Each `*` with the qualifiers behind it (`* __restrict__`), outermost pointer first.
    pub pointers: ThinVec<Span>,
    /// The `&` or `&&`.
    pub reference: Option<Span>,
    /// The declared name; empty for an unnamed parameter.
    pub name: Span,
    /// Declarator with its initializer.
    pub full: Span,
}

/// A declaration: one type specifier and its declarators.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The whole declaration, with its `;` if it has one.
    pub span: Span,
    /// The type specifier without qualifiers: `Particle`, `struct Particle`.
    pub specifier: Span,
    /// The type that the specifier alone names.
    pub specifier_type: QualType,
    /// Whether the specifier only names a type: it is not written in place (`struct T { … } a;`),
    /// nor `auto`, nor a part of a macro that stands for other specifiers, too.
    pub is_plain: bool,
    /// Number of declarators.
    pub count: usize,
    /// Enclosing namespaces, outermost first.
    pub namespaces: Vec<String>,
}

/// Where a variable lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    /// Local with automatic storage.
    Local,
    /// Parameter number `index` of the function (or lambda, without a function).
    Parameter {
        /// Position in the parameter list.
        index: usize,
    },
    /// Namespace scope, or `static` in a function.
    Static,
}

/// CUDA memory space of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    /// No specifier: stack, registers, host memory.
    Default,
    /// `__shared__`.
    Shared,
    /// `__device__`.
    Device,
    /// `__constant__`.
    Constant,
    /// `__managed__`.
    Managed,
}

/// A variable, parameter or global.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name; empty if unnamed.
    pub name: String,
    /// Declared type; references keep their reference type here.
    pub ty: QualType,
    /// Local, parameter or static.
    pub storage: Storage,
    /// CUDA memory space.
    pub space: Space,
    /// OpenCL: where a pointer leads, if that is local or constant memory.
    pub pointer_space: Space,
    /// Spans of its declarator.
    pub site: DeclaratorSite,
    /// Initializer.
    pub init: Option<ExprId>,
    /// The function whose local or parameter it is.
    pub function: Option<FunctionId>,
    /// Declared `extern` without initializer.
    pub is_extern: bool,
    /// Declared `static` outside of a class: no other file can name it.
    pub is_internal: bool,
    /// Declared with a type that was deduced (`auto`).
    pub is_auto: bool,
    /// Declared as `void *`; its type is what the program takes it for.
    pub is_untyped: bool,
    /// Further declarations of the same variable (`extern`), in the order met.
    pub redeclarations: ThinVec<DeclaratorSite>,
    /// The record whose static member it is.
    pub record: Option<RecordId>,
}

/// Why a call of the runtime that launches a kernel is not followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoLaunch {
    /// The addresses are in no local array of `void *`.
    NoLocalArray,
    /// Its entries are not the addresses of variables, each given once in front of the launch.
    Entries,
    /// Something else mentions the array.
    OtherUse,
    /// A macro stands where the kernel or an address is named.
    InMacro,
    /// What is launched is not the name of one kernel.
    NoKernel,
    /// A parameter has another type than the variable that it is read from.
    OtherType,
}

impl NoLaunch {
    /// The reason, as a sentence's second half.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            NoLaunch::NoLocalArray => "the addresses of the arguments are not in a local array",
            NoLaunch::Entries => {
                "the array of arguments is not filled with one address of a variable for each parameter"
            }
            NoLaunch::OtherUse => "the array of arguments has other uses than launches",
            NoLaunch::InMacro => "a macro names the kernel or an argument",
            NoLaunch::NoKernel => "what is launched is not the name of one kernel",
            NoLaunch::OtherType => {
                "a parameter of the kernel has another type than the variable that it is read from"
            }
        }
    }
}

/// Where a function runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExecutionSpace {
    /// `__host__` or nothing.
    Host,
    /// `__device__`.
    Device,
    /// `__host__ __device__`.
    HostDevice,
    /// `__global__`.
    Kernel,
}

impl ExecutionSpace {
    /// Whether device code may be generated for it.
    #[must_use]
    pub fn on_device(self) -> bool {
        self != ExecutionSpace::Host
    }

    /// Whether the host may run it.
    #[must_use]
    pub fn on_host(self) -> bool {
        matches!(self, ExecutionSpace::Host | ExecutionSpace::HostDevice)
    }
}

/// A prototype or definition of a function.
#[derive(Clone, Debug)]
pub struct FunctionSite {
    /// The whole prototype or definition, with all specifiers and attributes in front of it.
    pub span: Span,
    /// The name in it.
    pub name: Span,
    /// The parameters as written here.
    pub parameters: Vec<VarId>,
    /// Spans of the return type, as of a declarator.
    pub result: DeclaratorSite,
    /// The parameter list with its parentheses.
    pub parentheses: Option<Span>,
    /// The `template <…>` declaration around it.
    pub template: Option<Span>,
    /// What stands for specifiers and attributes in front of the name, and then behind the
    /// parameters, other than the words themselves.
    pub macros: Vec<HeadMacro>,
}

/// A macro or attribute in the head of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeadMacro {
    /// Where it stands, with its arguments.
    pub span: Span,
    /// Its first word.
    pub name: String,
    /// What it stands for; empty if that is nothing or unknown.
    pub text: String,
    /// An attribute as written, not a macro.
    pub is_attribute: bool,
}

impl HeadMacro {
    /// The words that it stands for.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        let found = crate::preprocess::tokens(&self.text);
        found.into_iter().map(|token| token.text(&self.text))
    }

    /// Whether `extern "C"` is among them.
    #[must_use]
    pub fn names_a_linkage(&self) -> bool {
        let words: Vec<&str> = self.words().collect();
        words.windows(2).any(|pair| pair[0] == "extern" && pair[1].starts_with('"'))
    }
}

/// A function, with all of its prototypes.
#[derive(Clone, Debug)]
pub struct Function {
    /// Unqualified name.
    pub name: String,
    /// Where it runs.
    pub space: ExecutionSpace,
    /// Return type.
    pub result: QualType,
    /// Parameters of the definition, or of the first prototype.
    pub parameters: Vec<VarId>,
    /// All prototypes and the definition, in the order met.
    pub sites: Vec<FunctionSite>,
    /// Body, if the program defines it.
    pub body: Option<StmtId>,
    /// Names of its template parameters; empty for an ordinary function.
    pub template_parameters: Vec<String>,
    /// The record whose member it is.
    pub record: Option<RecordId>,
    /// Internal linkage.
    pub is_static: bool,
    /// Declared with `...`.
    pub is_variadic: bool,
    /// Number of parameters without default.
    pub required_parameters: usize,
    /// A member function declared `const`.
    pub is_const: bool,
    /// A member function without an object.
    pub is_static_member: bool,
    /// A member function that is not public.
    pub is_private: bool,
    /// Declared as `= delete`.
    pub is_deleted: bool,
    /// Declared as `= default`.
    pub is_defaulted: bool,
    /// Declared as `= 0`: only functions that override it run.
    pub is_pure: bool,
    /// Declared with `extern "C"`, or in such a block.
    pub has_c_linkage: bool,
    /// The object of a copy of a member function, as a pointer.
    pub this_parameter: Option<VarId>,
    /// Set if this is another meaning of a function's text.
    pub copy_of: Option<CopyOf>,
}

/// What a copy of a function is a copy of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CopyOf {
    /// The function, or function template, that the text was written for; never a copy itself.
    pub original: FunctionId,
    /// What the type parameters stand for in an instance of a template, as C++ writes it.
    pub aliases: Vec<(String, String)>,
    /// The `<…>` of the template, or all that stands before its declaration, and what an instance
    /// of its own text has there.
    pub head: Option<(Span, String)>,
    /// Value parameters that are bound, with the declaration that says what each stands for.
    pub values: Vec<(String, String)>,
    /// Where bound parameters are used, with what they stand for.
    pub type_uses: Vec<(Span, String)>,
    /// It returns nothing where the original returns its object.
    pub drops_result: bool,
}

impl Function {
    /// Whether it is a copy that can be given text of its own: all but the member functions of
    /// instances of class templates, which stand in the template.
    #[must_use]
    pub fn has_own_text(&self) -> bool {
        self.copy_of.is_some() && (self.record.is_none() || self.this_parameter.is_some())
    }
}

impl CopyOf {
    /// Whether parameters of a template are bound: the text means something else elsewhere.
    #[must_use]
    pub fn is_instance(&self) -> bool {
        !self.aliases.is_empty() || !self.values.is_empty()
    }
}

/// A field of a record.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its record.
    pub record: RecordId,
    /// Name; empty for an unnamed bit-field or anonymous union.
    pub name: String,
    /// Type.
    pub ty: QualType,
    /// Spans of its declarator.
    pub site: DeclaratorSite,
    /// Declared as a bit-field.
    pub is_bit_field: bool,
    /// Bits of a bit-field, if that is a constant.
    pub bits: Option<u64>,
    /// Alignment from `alignas` or an attribute of the member, in bytes.
    pub explicit_align: Option<u64>,
    /// Not public.
    pub is_private: bool,
    /// Has a default member initializer.
    pub has_initializer: bool,
    /// That is a null pointer or an empty list.
    pub null_initializer: Option<ExprId>,
    /// Declared as `void *`; its type is what the program takes it for.
    pub is_untyped: bool,
    /// The field of a base class that this is: each record has fields of its own for those that it
    /// inherits, with the spans of the base's.
    pub inherited: Option<FieldId>,
}

/// What a record cannot be treated as plain data for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum RecordTrait {
    /// A union, or one inside.
    Union,
    /// Bit-fields.
    BitField,
    /// Base classes that are not modelled: of a library, templates, virtual or not public ones.
    Bases,
    /// Virtual functions.
    Virtual,
    /// Constructors written by the user, other than to copy.
    Constructor,
    /// Default member initializers.
    Initializer,
    /// A destructor written by the user.
    Destructor,
    /// A copy or move constructor or assignment written by the user.
    CopyControl,
    /// Member functions or operators.
    Methods,
    /// Types of its own.
    NestedType,
    /// Private or protected members.
    Private,
    /// A class template.
    Template,
    /// Packed.
    Packed,
    /// Reference or `const` members.
    ConstMember,
    /// A member whose type is not known.
    UnknownMember,
    /// Something in its body that is not modelled.
    Unmodelled,
}

/// A struct, class or union.
#[derive(Clone, Debug)]
pub struct Record {
    /// Tag or typedef name; empty for an anonymous record.
    pub name: String,
    /// Span of the name, or of the keyword if there is none.
    pub name_span: Span,
    /// Fields in order, those of bases first; static members are variables.
    pub fields: Vec<FieldId>,
    /// Public base classes with a definition in the program, in order.
    pub bases: Vec<RecordId>,
    /// From the keyword to the closing brace; `None` while only declared.
    pub body: Option<Span>,
    /// The declaration around it up to and with the `;`.
    pub declaration: Option<Span>,
    /// Declarations at namespace scope that say no more than its name, `struct P;`, with the `;`.
    pub forward: Vec<Span>,
    /// Alignment from `__align__`, `alignas` or an attribute, in bytes.
    pub explicit_align: Option<u64>,
    /// What `#pragma pack` says of its members' alignment.
    pub pack: Option<Pack>,
    /// Reasons why it is not plain data, with the place that shows each.
    pub traits: Vec<(RecordTrait, Span)>,
    /// Defined inside a function.
    pub is_local: bool,
    /// Declared as a union.
    pub is_union: bool,
    /// Defined inside `extern "C" { … }`.
    pub in_linkage_block: bool,
    /// Enclosing namespaces, outermost first.
    pub namespaces: Vec<String>,
    /// Member functions.
    pub methods: Vec<FunctionId>,
    /// Names that it declares other than members of its objects: static members, types,
    /// enumerators. The variable, if it is a static member that everybody may use.
    pub scope: BTreeMap<String, Option<VarId>>,
    /// Those of them that only the class may use.
    pub private_names: BTreeSet<String>,
    /// How many destructors, and constructors that are no functions of the model, are declared in it without a body.
    pub bodiless: usize,
    /// Names of members that are not modelled: templates, and what a `using` brings in.
    pub unmodelled_members: BTreeSet<String>,
    /// A constructor, assignment or destructor is defaulted or deleted in it: whether that makes it
    /// plain old data for the ABI depends on the standard that it is compiled for.
    pub has_defaulted: bool,
    /// Set for an instance of a class template.
    pub instance: Option<Instance>,
    /// It is an instance of a class template or defined in one: other instances have the same text.
    pub shares_text: bool,
}

/// Which instance of a class template a record is.
///
/// Its fields and member functions have spans in the template's text, which no instance may edit:
/// one that means something else is written out as a specialisation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// The record that the template's own text declares.
    pub template: RecordId,
    /// What the parameters stand for, defaults included; empty if that is not known.
    pub arguments: Vec<TemplateArgument>,
    /// The names of the parameters where the template is defined, and that definition from
    /// `template`; none if it was not met.
    pub definition: Option<(Vec<String>, Span)>,
    /// The instance as C++ writes it in the template's namespace: `Vec3<float>`.
    pub spelling: String,
    /// The same as a word: `Vec3Float`.
    pub word: String,
    /// Member functions that nothing uses: their bodies are not lowered, as a compiler does not make them.
    pub unused: BTreeSet<FunctionId>,
}

/// What a template parameter stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TemplateArgument {
    /// A type.
    Type(QualType),
    /// An integer constant, with the parameter's type.
    Value(i64, Scalar),
}

/// Unary operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "named like the operators")]
pub enum UnaryOp {
    Plus,
    Minus,
    Not,
    BitNot,
    PreIncrement,
    PreDecrement,
    PostIncrement,
    PostDecrement,
}

impl UnaryOp {
    /// Whether it changes its operand.
    #[must_use]
    pub fn is_update(self) -> bool {
        matches!(
            self,
            UnaryOp::PreIncrement
                | UnaryOp::PreDecrement
                | UnaryOp::PostIncrement
                | UnaryOp::PostDecrement
        )
    }
}

/// Binary operators without assignment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "named like the operators")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
    LogicalAnd,
    LogicalOr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// `<=>`, `.*`, and operators the model has no name for.
    Other,
}

/// How a cast is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "named like the syntax")]
pub enum CastStyle {
    C,
    Functional,
    Static,
    Reinterpret,
    Const,
    Dynamic,
}

/// What a name refers to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NameRef {
    /// A variable, parameter or global.
    Variable(VarId),
    /// Functions of that name that are visible; more than one for an overload set.
    Functions(Vec<FunctionId>),
    /// An enumerator or `constexpr` with this value.
    Constant(Option<i64>),
    /// An object-like macro of the program.
    Macro(String),
    /// Not declared in the program: a library's, or a macro's product.
    Unknown(String),
}

/// What a lambda does with variables around it that its capture list does not name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CaptureRest {
    /// They have no name inside.
    #[default]
    Hidden,
    /// `[=`: it copies them.
    Copied,
    /// `[&`: it refers to them.
    Referred,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands, with its parentheses if it is [`ExprKind::Paren`].
    pub span: Span,
    /// Its type with references removed; unknown where the model cannot tell.
    pub ty: QualType,
}

// There are several in every line of a program.
const _: () = assert!(size_of::<Expr>() <= 72);

/// The forms of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// An integer literal.
    Integer(Option<i64>),
    /// Floating, character, string or boolean literal.
    Literal,
    /// `nullptr` or `NULL`.
    Null,
    /// `this`.
    This,
    /// A name.
    Name(NameRef),
    /// `(e)`; also the use of a macro around its body, and a macro's parameter around the argument
    /// ([`Program::macro_roles`]).
    Paren(ExprId),
    /// A unary operator.
    Unary(UnaryOp, ExprId),
    /// `*e`.
    Deref(ExprId),
    /// `&e`.
    AddressOf(ExprId),
    /// A binary operator.
    Binary(BinaryOp, ExprId, ExprId),
    /// `l = r`, or `l op= r`.
    Assign(Option<BinaryOp>, ExprId, ExprId),
    /// `c ? t : e`.
    Conditional(ExprId, ExprId, ExprId),
    /// `l, r`.
    Comma(ExprId, ExprId),
    /// `base[index]`.
    Index {
        /// The array or pointer.
        base: ExprId,
        /// The subscript.
        index: ExprId,
        /// The subscript with its brackets.
        brackets: Span,
    },
    /// `base.field` or `base->field`.
    Member {
        /// The record, or the pointer to it.
        base: ExprId,
        /// Written with `->`.
        arrow: bool,
        /// The field, if it is one of a record of the program.
        field: Option<FieldId>,
        /// Member functions of that name.
        methods: ThinVec<FunctionId>,
        /// The name as written.
        name: Span,
        /// The `.` or `->`.
        operator: Span,
    },
    /// `callee(arguments)`.
    Call {
        /// Callee.
        callee: ExprId,
        /// Arguments in order.
        arguments: ThinVec<ExprId>,
        /// The argument list with its parentheses.
        parentheses: Span,
    },
    /// `kernel<<<config>>>(arguments)`.
    Launch {
        /// The kernel's name, possibly with template arguments.
        kernel: ExprId,
        /// Grid, block, shared bytes, stream: two to four.
        config: ThinVec<ExprId>,
        /// Arguments in order.
        arguments: ThinVec<ExprId>,
        /// The argument list with its parentheses.
        parentheses: Span,
    },
    /// A macro of the program used like a function.
    MacroCall {
        /// Its name.
        name: String,
        /// Arguments that are expressions.
        arguments: ThinVec<ExprId>,
        /// The argument list with its parentheses.
        parentheses: Span,
    },
    /// A cast.
    Cast {
        /// How it is written.
        style: CastStyle,
        /// Target type.
        target: QualType,
        /// The type as written.
        target_span: Span,
        /// Operand.
        operand: ExprId,
    },
    /// `sizeof(T)` or `alignof(T)`.
    SizeOfType {
        /// The type asked for.
        of: QualType,
        /// The type as written.
        of_span: Span,
        /// `alignof` instead of `sizeof`.
        is_align: bool,
    },
    /// `sizeof e`.
    SizeOfExpr(ExprId),
    /// `offsetof(T, member)`.
    OffsetOf(QualType),
    /// `new T[n]`, `new T(args)`.
    New {
        /// Allocated type.
        of: QualType,
        /// Number of elements and constructor arguments.
        arguments: ThinVec<ExprId>,
        /// How many of the arguments are lengths: 1 for `new T[n]`, 0 for `new T`.
        lengths: usize,
        /// `new (place) T`, `new (std::nothrow) T`.
        is_placed: bool,
        /// `new T[n]()`, `new T[n]{…}`.
        is_initialized: bool,
    },
    /// `delete e`.
    Delete(ExprId),
    /// `{a, b}`, `T{a, b}`, designated initializers.
    InitList(ThinVec<ExprId>),
    /// A construction `T(args)` or declaration `T x(args)` of a record or unknown class.
    Construct {
        /// Constructed type.
        of: QualType,
        /// Arguments.
        arguments: ThinVec<ExprId>,
    },
    /// A lambda.
    Lambda {
        /// Its parameters.
        parameters: ThinVec<VarId>,
        /// Initialisers in the capture list, and captured names.
        captures: ThinVec<ExprId>,
        /// Bit `k`: capture number `k` is a name that is captured by reference; those behind the
        /// first 64 are taken for copies.
        by_reference: u64,
        /// What becomes of names that are not listed.
        rest: CaptureRest,
        /// Its body.
        body: StmtId,
    },
    /// Something without a form here; the children are what it mentions.
    Opaque(ThinVec<ExprId>),
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// An expression, or nothing (`;`).
    Expr(Option<ExprId>),
    /// A declaration of variables.
    Declaration(DeclarationId, Vec<VarId>),
    /// `{ … }`.
    Block(Vec<StmtId>),
    /// `if`, with an optional init or condition declaration before the condition.
    If {
        /// Init statement or condition declaration.
        init: Option<StmtId>,
        /// Condition.
        condition: Option<ExprId>,
        /// Then.
        then: StmtId,
        /// Else.
        otherwise: Option<StmtId>,
    },
    /// `for (init; condition; step) body`.
    For {
        /// Init statement.
        init: Option<StmtId>,
        /// Condition.
        condition: Option<ExprId>,
        /// Step.
        step: Option<ExprId>,
        /// Body.
        body: StmtId,
    },
    /// `for (T x : range) body`.
    ForRange {
        /// Loop variable.
        variable: Vec<VarId>,
        /// Range.
        range: ExprId,
        /// Body.
        body: StmtId,
    },
    /// `while`.
    While {
        /// Condition declaration.
        init: Option<StmtId>,
        /// Condition.
        condition: Option<ExprId>,
        /// Body.
        body: StmtId,
    },
    /// `do body while (condition)`.
    DoWhile {
        /// Body.
        body: StmtId,
        /// Condition.
        condition: ExprId,
    },
    /// `switch`.
    Switch {
        /// Condition declaration.
        init: Option<StmtId>,
        /// Selector.
        condition: Option<ExprId>,
        /// Body.
        body: StmtId,
    },
    /// `case e:`, `default:` or a label, with the statements that follow.
    Labelled {
        /// The label's name, for `goto`.
        label: Option<Box<str>>,
        /// Value of a `case`.
        value: Option<ExprId>,
        /// Statements under it.
        body: ThinVec<StmtId>,
    },
    /// `return`.
    Return(Option<ExprId>),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `goto`.
    Goto(String),
    /// Inline assembly, with its operands.
    Asm(Vec<ExprId>),
    /// `try` block with its handlers.
    Try(Vec<StmtId>),
    /// Nothing that runs: a type, a `using`, a `static_assert`.
    Nothing(Vec<ExprId>),
    /// Something without a form here; everything it mentions.
    Opaque {
        /// Sub-expressions it mentions.
        exprs: Vec<ExprId>,
        /// Sub-statements.
        stmts: ThinVec<StmtId>,
    },
}

/// Text that is not part of the model, with the identifiers in it.
#[derive(Clone, Debug)]
pub struct UnmodelledRegion {
    /// Where.
    pub span: Span,
    /// Why it is not in the model.
    pub kind: RegionKind,
    /// Every identifier token in it.
    pub identifiers: BTreeSet<String>,
    /// Other places that show why, in order; empty for most.
    pub related: Vec<(Span, String)>,
}

/// A limit for the alignment of members, from `#pragma pack`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pack {
    /// At most so many bytes.
    To(u64),
    /// Not known.
    Unknown,
}

/// Why text is not in the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RegionKind {
    /// It does not parse.
    Unparsed,
    /// A branch of `#if` that this configuration does not compile.
    Inactive,
    /// The body of a macro.
    MacroBody,
    /// It means one thing in one compilation and something else in another.
    SeveralMeanings,
    /// A declaration whose form is not modelled (template specialisation, friend, …).
    Unmodelled,
}

/// A `#define` of the program, as far as later passes need it.
#[derive(Clone, Debug)]
pub struct Macro {
    /// Name.
    pub name: String,
    /// Parameters of a function-like macro.
    pub parameters: Option<Vec<String>>,
    /// Where it is defined; none for `-D`.
    pub span: Option<Span>,
    /// Identifiers in the body, in order, with duplicates.
    pub body_identifiers: Vec<String>,
    /// How often each parameter is used other than as `#x` or `##`, and whether it is pasted or stringized.
    pub parameter_uses: Vec<ParameterUse>,
    /// Whether it turns the arguments behind those of its parameters into a string.
    pub stringizes_rest: bool,
    /// Whether the body is one token or stands in parentheses, so that operators cannot divide it.
    pub is_atomic: bool,
    /// The name `T` if the body is `sizeof(T)` or `sizeof(struct T)`, perhaps in parentheses.
    pub size_of: Option<String>,
    /// Whether it is defined more than once in the program.
    pub is_redefined: bool,
    /// Why no use of it is in the model other than by its arguments: "pastes tokens".
    pub obstacle: Option<&'static str>,
    /// Whether text of the program uses it, or the body of another that is used mentions it.
    pub is_used: bool,
}

/// A use of a macro whose body is in the model.
///
/// The body is lowered once for each use, with spans into the `#define`; where a parameter stands in
/// it, the argument is lowered (again for each such place), with spans into the use. So the model
/// is what the compiler sees, and one text can have several meanings.
#[derive(Clone, Debug)]
pub struct Expansion {
    /// The macro.
    pub name: String,
    /// Its name where it is used.
    pub name_span: Span,
    /// The use, with its arguments.
    pub span: Span,
    /// The text that the use stands in: the body of another macro, or none.
    pub home: Option<ExpansionId>,
    /// Names of the parameters.
    pub parameters: Vec<String>,
    /// The name of what stands for all further arguments.
    pub rest: Option<String>,
    /// The argument of each parameter, and the further ones.
    pub arguments: Vec<Span>,
    /// The body in the `#define`.
    pub body: Span,
    /// The whole `#define`.
    pub definition: Span,
    /// The macro's name in it.
    pub definition_name: Span,
    /// The closed branches that define it in another way.
    pub closed: BTreeSet<Span>,
    /// An argument is text that no compiler reads.
    pub has_unused: bool,
    /// The body is statements; the use is a statement.
    pub is_statement: bool,
    /// The copy of a function that it belongs to.
    pub copy: Option<FunctionId>,
}

/// What a parenthesis that nobody wrote stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MacroRole {
    /// The use of a macro: the expression inside is the body.
    Use(ExpansionId),
    /// A parameter in a body: the expression inside is the argument.
    Parameter(ExpansionId, usize),
}

/// How a macro body uses one parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ParameterUse {
    /// Plain uses.
    pub plain: usize,
    /// Uses with `##`.
    pub pasted: usize,
    /// Uses as `#x`: the spelling, not the value.
    pub stringized: usize,
    /// Uses directly before `.` or `->`, or after them.
    pub member: usize,
}

/// One file of the program.
#[derive(Clone, Debug)]
pub struct ProgramFile {
    /// The file.
    pub id: FileId,
    /// Named on the command line, not only included.
    pub is_root: bool,
    /// A root that is compiled as CUDA.
    pub is_cuda: bool,
    /// Text in OpenCL C.
    pub is_opencl: bool,
    /// Why the file is not part of the program, if it is not.
    pub foreign: Option<crate::preprocess::Foreign>,
    /// Text that a host compiler sees, in order.
    pub host_text: Vec<Span>,
    /// Files it includes directly.
    pub includes: Vec<FileId>,
    /// Where each of them is included: the offset of the directive.
    pub include_offsets: Vec<usize>,
    /// Directives that declare all types of a library's namespace, with that namespace.
    pub libraries: Vec<(Span, &'static str)>,
    /// Offset behind the last `#include` line at file scope, where declarations may be put.
    pub after_includes: usize,
    /// Number of regions that do not parse.
    pub unparsed: usize,
}

/// A whole program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Texts.
    pub sources: SourceSet,
    /// Files, by [`FileId`].
    pub files: Vec<ProgramFile>,
    /// Types.
    pub types: TypeTable,
    /// Records.
    pub records: Vec<Record>,
    /// Fields.
    pub fields: Vec<Field>,
    /// Functions.
    pub functions: Vec<Function>,
    /// Variables.
    pub variables: Vec<Variable>,
    /// Declarations.
    pub declarations: Vec<Declaration>,
    /// Expressions.
    pub exprs: Vec<Expr>,
    /// Statements.
    pub stmts: Vec<Stmt>,
    /// File-scope initializers and other expressions outside functions.
    pub file_scope_exprs: Vec<ExprId>,
    /// Macros in the order of their definition.
    pub macros: Vec<Macro>,
    /// Uses of macros whose bodies are in the model; a use inside a body comes behind the use of that.
    pub expansions: Vec<Expansion>,
    /// Expressions that are macro uses or parameters; their kind is [`ExprKind::Paren`].
    pub macro_roles: BTreeMap<ExprId, MacroRole>,
    /// Every place where the name of an expanded macro stands, other than in directives that ask whether it is defined.
    pub macro_mentions: BTreeMap<String, Vec<Span>>,
    /// The body that each expression is written in.
    pub expr_homes: Homes,
    /// The body that each statement is written in.
    pub stmt_homes: Homes,
    /// The body that each declaration is written in.
    pub declaration_homes: Homes,
    /// Values of object-like macros that stand for integer constants.
    pub macro_constants: BTreeMap<String, i64>,
    /// Headers that are not modelled and may use the program's types.
    pub unseen: Vec<crate::preprocess::UnseenHeader>,
    /// What each foreign file can name.
    pub foreign_words: BTreeMap<FileId, crate::preprocess::ForeignWords>,
    /// Text outside the model.
    pub regions: Vec<UnmodelledRegion>,
    /// Inactive regions that nothing but an edit of the source would compile.
    pub closed_branches: BTreeSet<Span>,
    /// `#if`, `#ifdef` and `#ifndef` directives.
    pub conditions: Vec<Span>,
    /// Identifiers declared anywhere, so that a generated name can avoid them.
    pub identifiers: BTreeSet<String>,
    /// Type aliases by name, in order of declaration.
    pub aliases: Vec<(String, QualType, Span)>,
    /// The value arguments in the template arguments of callees that reach instances.
    pub template_arguments: BTreeMap<ExprId, Vec<Span>>,
    /// Alias templates that mean classes of the model, whatever their arguments are.
    pub class_aliases: BTreeSet<String>,
    /// Types of class templates of the program whose arguments are open.
    pub patterns: BTreeSet<TypeId>,
    /// Static member function templates that are functions without a record, with the class of each.
    pub member_templates: BTreeMap<FunctionId, RecordId>,
    /// The functions that operators on records may call.
    pub operators: BTreeMap<ExprId, FunctionId>,
    /// What members and bases that are records are initialized with in front of constructors' bodies.
    pub member_values: Vec<(RecordId, Vec<ExprId>)>,
    /// Lengths of vectors in device memory that are not written: of `v.end()`, by the vector and whether it is behind a pointer.
    pub vector_sizes: BTreeMap<ExprId, (ExprId, bool)>,
    /// The friends that class templates define, as functions for each instance: all share one text.
    pub shared_friends: BTreeSet<FunctionId>,
    /// The objects that hold arrays to which constructors bind members that are references of the same type, or of which they
    /// make members of that type: operands of what has no form.
    pub bound_members: BTreeSet<ExprId>,
    /// Member functions that give back a reference to the element of a pointer, `T &operator[](int i) { return data[i]; }`,
    /// with that pointer. Where one is called the program has the access itself, so their bodies are not lowered.
    pub accessors: BTreeMap<FunctionId, FieldId>,
    /// The accessors that compute the index, `T &operator()(int x, int y) { return data[y * w + x]; }`, with the reference that
    /// each gives back. In the program they give back the index.
    pub index_accessors: BTreeMap<FunctionId, QualType>,
    /// What pragmas say of grids, in the order of their places.
    pub pragmas: Vec<GridPragma>,
    /// What pragmas want of layouts, in the order of their places.
    pub layout_pragmas: Vec<LayoutPragma>,
    /// Default arguments of parameters, and whether each is a null pointer.
    pub default_arguments: BTreeMap<VarId, (ExprId, bool)>,
    /// The `[…]` of array declarators, with the length between them.
    pub brackets: BTreeMap<Span, Option<ExprId>>,
    /// Functions of which a copy was wanted and could not be made, and why.
    pub without_copies: BTreeMap<FunctionId, NoCopy>,
    /// Launches that are calls of the runtime in the source, which are given the addresses of the
    /// arguments: the text of these stands in a list, and the kernel is named there, not called.
    pub launches_by_address: BTreeSet<ExprId>,
    /// Items of lists that are addresses of objects which launches through pointers to kernels copy: each kernel that one could
    /// be has a parameter of the object's type there.
    pub launched_objects: BTreeSet<ExprId>,
    /// Items of lists that are given to calls which launch something in a way that is not followed.
    pub unfollowed_launches: BTreeMap<ExprId, NoLaunch>,
    /// Pointers to member arrays that are taken for pointers to the elements around them.
    pub rows: MemberRows,
    /// Bodies of lambdas that are `__device__`.
    pub device_lambdas: Vec<Span>,
    /// What an earlier run has generated, by file and place. It silences; it proves nothing.
    pub generated: Vec<crate::GeneratedRegion>,
}

impl Program {
    /// Whether a member access stands for the call of an accessor: its name is not in the text.
    #[must_use]
    pub fn is_accessor_use(&self, expr: ExprId) -> bool {
        matches!(&self.expr(expr).kind, ExprKind::Member { field: Some(_), name, .. }
            if name.start == name.end)
    }

    /// The index accessor that an expression stands for a call of: what it calls is not in the text.
    #[must_use]
    pub fn index_accessor(&self, call: ExprId) -> Option<FunctionId> {
        let ExprKind::Call { callee, .. } = self.expr(call).kind else { return None };
        let callee = self.expr(callee);
        match &callee.kind {
            ExprKind::Name(NameRef::Functions(named)) if callee.span.start == callee.span.end => {
                named.first().copied().filter(|own| self.index_accessors.contains_key(own))
            }
            _ => None,
        }
    }

    /// The generated region that holds a place.
    #[must_use]
    pub fn generated_at(&self, span: Span) -> Option<&crate::GeneratedRegion> {
        self.generated.iter().find(|region| region.span.contains(span))
    }

    /// Whether a C or C++ file of the program sees some of the text.
    #[must_use]
    pub fn is_host_text(&self, span: Span) -> bool {
        let known = &self.files[span.file.index()].host_text;
        let first = known.partition_point(|text| text.end < span.start);
        known.get(first).is_some_and(|text| text.start <= span.end)
    }

    /// The expression.
    #[must_use]
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.index()]
    }

    /// The statement.
    #[must_use]
    pub fn stmt(&self, id: StmtId) -> &Stmt {
        &self.stmts[id.index()]
    }

    /// The variable.
    #[must_use]
    pub fn variable(&self, id: VarId) -> &Variable {
        &self.variables[id.index()]
    }

    /// The function.
    #[must_use]
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    /// The record.
    #[must_use]
    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id.index()]
    }

    /// The field.
    #[must_use]
    pub fn field(&self, id: FieldId) -> &Field {
        &self.fields[id.index()]
    }

    /// The declaration.
    #[must_use]
    pub fn declaration(&self, id: DeclarationId) -> &Declaration {
        &self.declarations[id.index()]
    }

    /// The declaration of a declarator, if it has one.
    #[must_use]
    pub fn declaration_of(&self, site: &DeclaratorSite) -> Option<&Declaration> {
        site.declaration.map(|id| self.declaration(id))
    }

    /// The macro use whose body holds the declaration of a declarator.
    #[must_use]
    pub fn declaration_home(&self, site: &DeclaratorSite) -> Option<ExpansionId> {
        self.declaration_homes.of(site.declaration?.index())
    }

    /// The original text of a span.
    #[must_use]
    pub fn text(&self, span: Span) -> &str {
        self.sources.text(span)
    }

    /// The value of an object-like macro that is an integer constant.
    #[must_use]
    pub fn macro_constant(&self, name: &str) -> Option<i64> {
        self.macro_constants.get(name).copied()
    }

    /// The expansion.
    #[must_use]
    pub fn expansion(&self, id: ExpansionId) -> &Expansion {
        &self.expansions[id.index()]
    }

    /// The macro body that an expression is written in.
    #[must_use]
    pub fn home(&self, id: ExprId) -> Option<ExpansionId> {
        self.expr_homes.of(id.index())
    }

    /// Where text stands in its file: for text of a macro body the use outside all macros.
    #[must_use]
    pub fn use_site(&self, home: Option<ExpansionId>, span: Span) -> Span {
        let mut found = span;
        let mut at = home;
        while let Some(id) = at {
            let expansion = self.expansion(id);
            found = expansion.span;
            at = expansion.home;
        }
        found
    }

    /// [`Program::use_site`] of an expression.
    #[must_use]
    pub fn expr_site(&self, id: ExprId) -> Span {
        self.use_site(self.home(id), self.expr(id).span)
    }

    /// [`Program::use_site`] of a statement.
    #[must_use]
    pub fn stmt_site(&self, id: StmtId) -> Span {
        self.use_site(self.stmt_homes.of(id.index()), self.stmt(id).span)
    }

    /// Whether the expression is a macro use or parameter.
    #[must_use]
    pub fn macro_role(&self, id: ExprId) -> Option<MacroRole> {
        self.macro_roles.get(&id).copied()
    }

    /// The expression without parentheses around it.
    #[must_use]
    pub fn strip_parens(&self, mut id: ExprId) -> ExprId {
        while let ExprKind::Paren(inner) = self.expr(id).kind {
            id = inner;
        }
        id
    }

    /// The record type behind a type id, if it is one.
    #[must_use]
    pub fn as_record(&self, ty: TypeId) -> Option<RecordId> {
        self.types.as_record(ty)
    }

    /// Whether a file is not part of the program, so that it is never edited or written.
    #[must_use]
    pub fn is_foreign(&self, file: FileId) -> bool {
        self.files[file.index()].foreign.is_some()
    }

    /// The record's name as uses spell it: the typedef of its definition goes before the tag.
    #[must_use]
    pub fn spelled_name(&self, id: RecordId) -> &str {
        let record = self.record(id);
        if let Some(instance) = &record.instance {
            return &instance.spelling;
        }
        let own =
            |span: &Span| record.declaration.is_some_and(|definition| definition.contains(*span));
        self.aliases
            .iter()
            .find(|(_, ty, span)| self.types.as_record(ty.id) == Some(id) && own(span))
            .map_or(&record.name, |(name, _, _)| name)
    }

    /// Whether a function is a constructor of its class.
    #[must_use]
    pub fn is_constructor(&self, function: FunctionId) -> bool {
        let function = self.function(function);
        function.record.is_some_and(|record| self.record(record).name == function.name)
    }

    /// Whether an lvalue is a member of the object that a member function works on, or a part of one that is no pointer's.
    #[must_use]
    pub fn is_own_member(&self, lvalue: ExprId) -> bool {
        let mut at = lvalue;
        loop {
            at = self.strip_parens(at);
            at = match &self.expr(at).kind {
                ExprKind::Member { base, arrow, field: Some(field), .. } => {
                    let ty = self.field(*field).ty;
                    if matches!(self.types.kind(ty.id), crate::types::TypeKind::Reference(..)) {
                        return false;
                    }
                    if *arrow {
                        return matches!(self.expr(self.strip_parens(*base)).kind, ExprKind::This);
                    }
                    *base
                }
                ExprKind::Index { base, .. }
                    if matches!(
                        self.types.kind(self.expr(*base).ty.id),
                        crate::types::TypeKind::Array(..)
                    ) =>
                {
                    *base
                }
                _ => return false,
            };
        }
    }

    /// Whether `base` is a base class of `record`, at any distance.
    #[must_use]
    pub fn derives_from(&self, record: RecordId, base: RecordId) -> bool {
        !self.record(record).bases.is_empty()
            && self.with_bases(record).into_iter().skip(1).any(|id| id == base)
    }

    /// A record and all that it inherits from, itself first; one that is inherited twice is there
    /// twice.
    #[must_use]
    pub fn with_bases(&self, record: RecordId) -> Vec<RecordId> {
        let mut found = vec![record];
        let mut next = 0;
        while let Some(id) = found.get(next) {
            found.extend(&self.record(*id).bases);
            next += 1;
        }
        found
    }

    /// The field of `record` that is `field`, its own or a base's, in objects of the record; none
    /// if several are.
    #[must_use]
    pub fn field_in(&self, record: RecordId, field: FieldId) -> Option<FieldId> {
        let is_it = |candidate: &FieldId| {
            let mut at = Some(*candidate);
            while let Some(id) = at {
                if id == field {
                    return true;
                }
                at = self.field(id).inherited;
            }
            false
        };
        let mut found = self.record(record).fields.iter().copied().filter(is_it);
        let only = found.next()?;
        found.next().is_none().then_some(only)
    }

    /// All expression ids in arena order.
    pub fn expr_ids(&self) -> impl Iterator<Item = ExprId> + use<> {
        (0..self.exprs.len() as u32).map(ExprId)
    }

    /// All statement ids in arena order.
    pub fn stmt_ids(&self) -> impl Iterator<Item = StmtId> + use<> {
        (0..self.stmts.len() as u32).map(StmtId)
    }

    /// All variable ids in arena order.
    pub fn variable_ids(&self) -> impl Iterator<Item = VarId> + use<> {
        (0..self.variables.len() as u32).map(VarId)
    }

    /// All function ids in arena order.
    pub fn function_ids(&self) -> impl Iterator<Item = FunctionId> + use<> {
        (0..self.functions.len() as u32).map(FunctionId)
    }

    /// All record ids in arena order.
    pub fn record_ids(&self) -> impl Iterator<Item = RecordId> + use<> {
        (0..self.records.len() as u32).map(RecordId)
    }
}

impl Expr {
    /// Direct sub-expressions in source order; a lambda's body is a statement and not included.
    pub fn children(&self) -> impl DoubleEndedIterator<Item = ExprId> + '_ {
        let (few, many, others): ([Option<ExprId>; 3], &[ExprId], &[ExprId]) = match &self.kind {
            ExprKind::Integer(_)
            | ExprKind::Literal
            | ExprKind::Null
            | ExprKind::This
            | ExprKind::Name(_)
            | ExprKind::SizeOfType { .. }
            | ExprKind::OffsetOf(_) => ([None; 3], &[], &[]),
            ExprKind::Paren(e)
            | ExprKind::Unary(_, e)
            | ExprKind::Deref(e)
            | ExprKind::AddressOf(e)
            | ExprKind::SizeOfExpr(e)
            | ExprKind::Delete(e)
            | ExprKind::Member { base: e, .. }
            | ExprKind::Cast { operand: e, .. } => ([Some(*e), None, None], &[], &[]),
            ExprKind::Binary(_, l, r)
            | ExprKind::Assign(_, l, r)
            | ExprKind::Comma(l, r)
            | ExprKind::Index { base: l, index: r, .. } => ([Some(*l), Some(*r), None], &[], &[]),
            ExprKind::Conditional(c, t, e) => ([Some(*c), Some(*t), Some(*e)], &[], &[]),
            ExprKind::Call { callee, arguments, .. } => {
                ([Some(*callee), None, None], arguments, &[])
            }
            ExprKind::Launch { kernel, config, arguments, .. } => {
                ([Some(*kernel), None, None], config, arguments)
            }
            ExprKind::MacroCall { arguments, .. }
            | ExprKind::New { arguments, .. }
            | ExprKind::Construct { arguments, .. } => ([None; 3], arguments, &[]),
            ExprKind::InitList(items) | ExprKind::Opaque(items) => ([None; 3], items, &[]),
            ExprKind::Lambda { captures, .. } => ([None; 3], captures, &[]),
        };
        few.into_iter().flatten().chain(many.iter().chain(others).copied())
    }
}

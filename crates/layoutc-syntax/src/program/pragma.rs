//! What pragmas say: `#pragma layoutc grid f[nz][ny][nx][19]`, `#pragma layoutc layout(soa)`,
//! `#pragma layoutc keep`.

use super::{FieldId, RecordId, VarId};
use layoutc_diagnostics::Span;

/// The dimensions that a pragma gives to one array.
///
/// A parameter of a function has one for each body of the function that is in the model: that of
/// the definition and those of the instances of a template.
#[derive(Clone, Debug)]
pub struct GridPragma {
    /// The directive, from `#` to its last token.
    pub directive: Span,
    /// `f[nz][ny][nx][19]`.
    pub span: Span,
    /// `f`.
    pub name: String,
    /// What has the name in the declaration below.
    pub array: PragmaArray,
    /// Slowest dimension first; empty if it is refused.
    pub extents: Vec<PragmaExtent>,
    /// Something is wrong with it, which was reported: the array keeps its layout.
    pub is_refused: bool,
}

/// What a pragma speaks of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum PragmaArray {
    /// A parameter of the definition, a local or a global variable.
    Variable(VarId),
    /// A member.
    Field(FieldId),
}

/// What a pragma wants of the arrays of the declaration below.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LayoutPragma {
    /// The directive, from `#` to its last token.
    pub directive: Span,
    /// What stands between the brackets of `layout(…)`; `None`: the arrays stay as they are.
    pub layout: Option<Span>,
    /// What is declared below.
    pub subject: PragmaSubject,
}

/// What a pragma stands in front of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PragmaSubject {
    /// The definition of a record, or of a template of records: all arrays of it are meant.
    Record(RecordId),
    /// Pointers and arrays.
    Arrays(Vec<PragmaArray>),
}

/// An extent as the pragma writes it.
#[derive(Clone, Debug)]
pub struct PragmaExtent {
    /// The text between the brackets.
    pub span: Span,
    /// Its value.
    pub value: ExtentValue,
}

/// A sum of products of integers and variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExtentValue {
    /// A constant.
    Integer(i64),
    /// An integer variable that is in scope at the declaration.
    Variable(VarId),
    /// `a + b`.
    Sum(Box<ExtentValue>, Box<ExtentValue>),
    /// `a - b`.
    Difference(Box<ExtentValue>, Box<ExtentValue>),
    /// `a * b`.
    Product(Box<ExtentValue>, Box<ExtentValue>),
}

impl ExtentValue {
    /// The value, if it is a constant.
    #[must_use]
    pub fn as_constant(&self) -> Option<i64> {
        match self {
            ExtentValue::Integer(value) => Some(*value),
            ExtentValue::Variable(_) => None,
            ExtentValue::Sum(left, right) => left.as_constant()?.checked_add(right.as_constant()?),
            ExtentValue::Difference(left, right) => {
                left.as_constant()?.checked_sub(right.as_constant()?)
            }
            ExtentValue::Product(left, right) => {
                left.as_constant()?.checked_mul(right.as_constant()?)
            }
        }
    }
}

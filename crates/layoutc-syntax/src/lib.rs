//! Parsing of CUDA C++ and lowering to layoutc's typed program model.
//!
//! [`preprocess`] reads a program's files and makes each parseable without moving a byte,
//! [`parse`] runs tree-sitter, and [`lower`] turns the syntax trees into a [`Program`]. This is
//! the only crate that sees tree-sitter.

pub mod abi;
pub mod evaluate;
pub mod generated;
pub mod keywords;
pub mod lower;
pub mod measured;
pub mod opaque;
pub mod parse;
pub mod preprocess;
pub mod program;
pub mod types;

pub use generated::GeneratedRegion;
pub use lower::lower_program;
pub use opaque::{OpaqueType, OpaqueTypes};
pub use program::*;
pub use types::{QualType, Scalar, TypeId, TypeKind, TypeTable, VectorType, is_made_of_numbers};

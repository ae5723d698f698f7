//! Spans, source files, diagnostics and the registry of LC codes.
//!
//! The leaf of the workspace: a span or a code never costs a parser. Diagnostics are plain data;
//! only the command line renders them.

pub mod code;
pub mod diagnostic;
pub mod source;
pub mod spans;

pub use code::{Code, CodeInfo};
pub use diagnostic::{Diagnostic, Label, Severity};
pub use source::{FileId, LineColumn, SourceFile, SourceSet, Span, View, ViewKind};
pub use spans::Spans;

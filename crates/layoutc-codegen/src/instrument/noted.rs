//! What is handed to the recorder, to say where an access is.

use layoutc_analysis::profile::Range;
use layoutc_diagnostics::Span;
use layoutc_syntax::{ExprId, ExprKind, FieldId, Program, TypeKind, abi};

/// Text that becomes the argument of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Noted {
    pub(super) span: Span,
    /// `layoutcAt`, which gives back the object that it is given, or `layoutcTo`, which does that with a pointer to it.
    pub(super) function: &'static str,
}

impl Noted {
    /// The object itself.
    pub(super) fn object(span: Span) -> Self {
        Noted { span, function: "layoutcAt" }
    }
}

/// The record that a bit-field is in, as the bit-field has no address: `p[i]` of `p[i].flags`, `q` of `q->flags`.
///
/// # Errors
/// Why it cannot be noted.
pub(super) fn around_bit_field(program: &Program, expr: ExprId) -> Result<Noted, &'static str> {
    let ExprKind::Member { base, arrow, .. } = program.expr(expr).kind else {
        return Err("a bit-field has no address");
    };
    let own = program.expr(base);
    if program.home(base).is_some() {
        return Err("it is written in a macro");
    }
    if !arrow {
        return Ok(Noted::object(own.span));
    }
    match program.types.kind(own.ty.id) {
        // The recorder of OpenCL has no such function.
        TypeKind::Pointer(_) | TypeKind::Array(..)
            if !program.files[own.span.file.index()].is_opencl =>
        {
            Ok(Noted { span: own.span, function: "layoutcTo" })
        }
        _ => Err("a bit-field has no address"),
    }
}

/// The bytes that hold a bit-field, from the start of its record.
pub(super) fn bit_field_bytes(program: &Program, field: FieldId) -> Option<Vec<Range>> {
    let record = program.field(field).record;
    let at = program.record(record).fields.iter().position(|own| *own == field)?;
    let (offset, bytes) = abi::bit_layout(program, record)?.bytes(at)?;
    Some(vec![Range { offset, bytes }])
}

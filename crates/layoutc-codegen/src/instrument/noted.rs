//! What is handed to the recorder, to say where an access is.

use layoutc_diagnostics::Span;
use layoutc_syntax::{ExpansionId, ExprId, ExprKind, FieldId, Program, RecordTrait, TypeKind, abi};

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

/// Whether no reference can be bound to an object: a bit-field, or what may lie off its alignment in a packed record.
pub(super) fn is_unbindable(program: &Program, expr: ExprId) -> bool {
    let mut at = expr;
    loop {
        match program.expr(program.strip_parens(at)).kind {
            ExprKind::Member { base, arrow, field: Some(field), .. } => {
                let field = program.field(field);
                let own = program.record(field.record);
                let is_packed = own.pack.is_some()
                    || own.traits.iter().any(|(which, _)| *which == RecordTrait::Packed);
                if field.is_bit_field || is_packed {
                    return true;
                } else if arrow {
                    return false;
                }
                at = base;
            }
            // A lane of a vector.
            ExprKind::Member { base, arrow: false, field: None, .. } => at = base,
            ExprKind::Index { base, .. }
                if matches!(program.types.kind(program.expr(base).ty.id), TypeKind::Array(..)) =>
            {
                at = base;
            }
            _ => return false,
        }
    }
}

/// The record around a member that [is unbindable](is_unbindable), and the member's first byte in it: `p[i]` of
/// `p[i].flags`, `q` of `q->flags`. The record's text must stand in the body of the macro, or in none, that is edited.
///
/// # Errors
/// Why it cannot be noted.
pub(super) fn around(
    program: &Program,
    expr: ExprId,
    home: Option<ExpansionId>,
) -> Result<(Noted, u64), &'static str> {
    let (mut at, mut offset) = (expr, 0);
    loop {
        let ExprKind::Member { base, arrow, field: Some(field), .. } =
            program.expr(program.strip_parens(at)).kind
        else {
            return Err("it has no address");
        };
        let (first, _) =
            bytes_of(program, field).ok_or("the layout of its struct is not modelled")?;
        offset += first;
        let own = program.expr(base);
        if program.home(base) != home {
            return Err("it is written in a macro");
        }
        if arrow {
            return match program.types.kind(own.ty.id) {
                TypeKind::Pointer(_) | TypeKind::Array(..) => {
                    Ok((Noted { span: own.span, function: "layoutcTo" }, offset))
                }
                _ => Err("it has no address"),
            };
        }
        if !is_unbindable(program, base) {
            return Ok((Noted::object(own.span), offset));
        }
        at = base;
    }
}

/// The bytes that hold a member, in its record: the first one, and their number.
pub(super) fn bytes_of(program: &Program, field: FieldId) -> Option<(u64, u64)> {
    let record = program.field(field).record;
    let at = program.record(record).fields.iter().position(|own| *own == field)?;
    abi::bit_layout(program, record)?.bytes(at)
}

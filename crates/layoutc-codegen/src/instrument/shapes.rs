//! Leaves of records, as profiles name them.

use layoutc_dataflow::classes::{ArrayClass, ClassShape, LeafMember, class_shape};
use layoutc_dataflow::layout::{Bytes, Leaf, RecordShape};
use layoutc_syntax::{ExprId, ExprKind, FieldId, NameRef, Program, VarId, abi};
use std::collections::BTreeSet;

/// The leaves of a class's record. Records with bit-fields, whose layout stays as it is, have their members for
/// leaves; a bit-field has the bytes that hold it.
pub(super) fn shape_of(program: &Program, class: &ArrayClass) -> Option<ClassShape> {
    class_shape(program, class).or_else(|| with_bit_fields(program, class))
}

fn with_bit_fields(program: &Program, class: &ArrayClass) -> Option<ClassShape> {
    let record = class.element.record()?;
    let layout = abi::bit_layout(program, record)?;
    let record = program.record(record);
    let (mut leaves, mut members) = (Vec::new(), Vec::new());
    for (at, id) in record.fields.iter().enumerate() {
        let field = program.field(*id);
        let (offset, bytes) = layout.bytes(at)?;
        leaves.push(Leaf {
            path: field.name.clone(),
            offset: Bytes(offset),
            scalar_size: Bytes(bytes),
            align: Bytes(1),
            extents: Vec::new(),
            type_name: program.spelling(field.ty).unwrap_or_default(),
        });
        members.push(LeafMember { path: vec![*id], unit_dimensions: Vec::new(), item: field.ty });
    }
    let shape = RecordShape {
        name: record.name.clone(),
        size: Bytes(layout.size),
        align: Bytes(layout.align),
        leaves,
    };
    Some(ClassShape { shape, members })
}

/// The members that a function reads of a parameter; none if it does more with it.
pub(super) fn members_of(program: &Program, parameter: VarId) -> Option<BTreeSet<FieldId>> {
    let function = program.variable(parameter).function?;
    let exprs = program.function_parts(function).exprs;
    let is_it = |expr: ExprId| {
        matches!(program.expr(program.strip_parens(expr)).kind,
            ExprKind::Name(NameRef::Variable(id)) if id == parameter)
    };
    let mut fields = BTreeSet::new();
    let (mut all, mut members) = (0, 0);
    for expr in exprs {
        match program.expr(expr).kind {
            ExprKind::Name(NameRef::Variable(id)) if id == parameter => all += 1,
            ExprKind::Member { base, field: Some(field), .. } if is_it(base) => {
                members += 1;
                fields.insert(field);
            }
            _ => {}
        }
    }
    (all == members).then_some(fields)
}

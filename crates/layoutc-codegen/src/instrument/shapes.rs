//! Leaves of records, as profiles name them.

use layoutc_dataflow::classes::{ArrayClass, ClassShape, LeafMember, class_shape};
use layoutc_dataflow::layout::{Bytes, Leaf, RecordShape};
use layoutc_syntax::{Program, abi};

/// The leaves of a class's record. Records with bit-fields, whose layout stays as it is, have their members for
/// leaves; a bit-field has the bytes that hold it.
pub(super) fn shape_of(program: &Program, class: &ArrayClass) -> Option<ClassShape> {
    class_shape(program, class).or_else(|| with_bit_fields(program, class))
}

fn with_bit_fields(program: &Program, class: &ArrayClass) -> Option<ClassShape> {
    let record = program.record(class.record);
    let layout = abi::bit_layout(program, class.record)?;
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

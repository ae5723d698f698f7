//! Sizes, alignments and offsets, as nvcc and its host compiler have them (x86-64 Linux, LP64).
//!
//! Device and host code agree on these by CUDA's own rule. What the model does not know has no
//! size here.

use crate::program::{Program, RecordId, RecordTrait};
use crate::types::{TypeId, TypeKind};

/// How deep records may contain each other by value.
const NESTING: usize = 64;

/// The layout of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordLayout {
    /// `sizeof`, in bytes.
    pub size: u64,
    /// `alignof`, in bytes.
    pub align: u64,
    /// `offsetof` of each field in bytes, in the order of [`crate::Record::fields`].
    pub offsets: Vec<u64>,
}

/// `sizeof` and `alignof` of a type in bytes, or `None` if they are not known.
#[must_use]
pub fn size_align(program: &Program, ty: TypeId) -> Option<(u64, u64)> {
    size_align_within(program, ty, NESTING)
}

/// The layout of a record, or `None` if it is incomplete or has a form without a simple layout
/// (bases, virtual functions, bit-fields, unknown members).
#[must_use]
pub fn record_layout(program: &Program, record: RecordId) -> Option<RecordLayout> {
    record_layout_within(program, record, NESTING)
}

fn size_align_within(program: &Program, ty: TypeId, depth: usize) -> Option<(u64, u64)> {
    let depth = depth.checked_sub(1)?;
    match program.types.kind(ty) {
        TypeKind::Scalar(scalar) => Some((scalar.size(), scalar.size())),
        TypeKind::Vector(vector) => Some((vector.size(), vector.align())),
        TypeKind::Enum(_, size) => Some((u64::from(*size), u64::from(*size))),
        TypeKind::Pointer(_) => Some((8, 8)),
        TypeKind::Array(element, length) => {
            let (size, align) = size_align_within(program, element.id, depth)?;
            Some((size.checked_mul((*length)?)?, align))
        }
        TypeKind::Record(record) => {
            let layout = record_layout_within(program, *record, depth)?;
            Some((layout.size, layout.align))
        }
        TypeKind::Unknown
        | TypeKind::Void
        | TypeKind::Reference(..)
        | TypeKind::Function
        | TypeKind::Named(..)
        | TypeKind::TemplateParameter(_) => None,
    }
}

/// Whether a packed record lies as it would without that: no member is off its alignment and
/// nothing would be added at the end.
#[must_use]
pub fn is_naturally_packed(program: &Program, id: RecordId) -> bool {
    let Some(layout) = record_layout(program, id) else { return false };
    let mut align = 1;
    for (field, offset) in program.record(id).fields.iter().zip(&layout.offsets) {
        let Some((_, natural)) = size_align(program, program.field(*field).ty.id) else {
            return false;
        };
        if offset % natural != 0 {
            return false;
        }
        align = align.max(natural);
    }
    layout.size % align == 0
}

fn record_layout_within(program: &Program, id: RecordId, depth: usize) -> Option<RecordLayout> {
    let depth = depth.checked_sub(1)?;
    let record = program.record(id);
    record.body?;
    let unknown = |which: &RecordTrait| {
        matches!(
            which,
            RecordTrait::BitField
                | RecordTrait::Bases
                | RecordTrait::Virtual
                | RecordTrait::Template
                | RecordTrait::UnknownMember
                | RecordTrait::Unmodelled
        )
    };
    if record.traits.iter().any(|(which, _)| unknown(which)) {
        return None;
    }
    let packed = record.traits.iter().any(|(which, _)| *which == RecordTrait::Packed);
    let mut offsets = Vec::with_capacity(record.fields.len());
    let (mut end, mut align) = (0u64, 1u64);
    for field in &record.fields {
        let ty = program.field(*field).ty;
        let (size, natural) = size_align_within(program, ty.id, depth)?;
        let natural = if packed { 1 } else { natural };
        let offset = if record.is_union { 0 } else { end.checked_next_multiple_of(natural)? };
        offsets.push(offset);
        end = end.max(offset.checked_add(size)?);
        align = align.max(natural);
    }
    align = align.max(record.explicit_align.unwrap_or(1));
    // An empty record takes one byte.
    let size = end.max(1).checked_next_multiple_of(align)?;
    Some(RecordLayout { size, align, offsets })
}

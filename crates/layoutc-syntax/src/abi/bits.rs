//! Records with bit-fields.
//!
//! The System V ABI for x86-64, as the Itanium C++ ABI takes it over: a bit-field of *w* bits and type *T* begins at the
//! next bit, or at the next multiple of `alignof(T)` if it would reach over one otherwise; the record has at least the
//! alignment of *T*.

use super::{NESTING, record_layout_within};
use crate::program::{Program, RecordId, RecordTrait};
use crate::types::{TypeId, TypeKind};

/// Where the fields of a record lie, bit-fields among them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BitLayout {
    /// `sizeof`, in bytes.
    pub size: u64,
    /// `alignof`, in bytes.
    pub align: u64,
    /// First bit and number of bits of each field, in the order of [`crate::Record::fields`].
    pub fields: Vec<(u64, u64)>,
}

impl BitLayout {
    /// The bytes that hold a field, as the first one and their number.
    #[must_use]
    pub fn bytes(&self, field: usize) -> Option<(u64, u64)> {
        let (first, bits) = *self.fields.get(field)?;
        Some((first / 8, (first + bits).div_ceil(8) - first / 8))
    }
}

/// The layout of a record that may have bit-fields, or `None` if it has none that is simple: those for which
/// [`super::record_layout`] has none for other reasons, unnamed bit-fields, and bit-fields in unions, in packed records,
/// beside base classes, or wider than their type.
#[must_use]
pub fn bit_layout(program: &Program, record: RecordId) -> Option<BitLayout> {
    within(program, record, NESTING)
}

fn within(program: &Program, id: RecordId, depth: usize) -> Option<BitLayout> {
    let depth = depth.checked_sub(1)?;
    let record = program.record(id);
    if let Some(layout) = record_layout_within(program, id, depth) {
        let bits = |(field, offset): (_, &u64)| {
            let (size, _) = size_align(program, program.field(field).ty.id, depth)?;
            Some((offset.checked_mul(8)?, size.checked_mul(8)?))
        };
        let fields = record.fields.iter().copied().zip(&layout.offsets);
        let fields = fields.map(bits).collect::<Option<_>>()?;
        return Some(BitLayout { size: layout.size, align: layout.align, fields });
    }
    record.body?;
    let unknown = |which: RecordTrait| {
        matches!(
            which,
            RecordTrait::Bases
                | RecordTrait::Virtual
                | RecordTrait::Template
                | RecordTrait::UnknownMember
                | RecordTrait::Unmodelled
                | RecordTrait::Packed
        )
    };
    let is_plain = record.bases.is_empty() && !record.is_union && record.pack.is_none();
    if !is_plain || record.traits.iter().any(|(which, _)| unknown(*which)) {
        return None;
    }
    let mut fields = Vec::with_capacity(record.fields.len());
    let (mut end, mut align) = (0_u64, 1_u64);
    for field in &record.fields {
        let field = program.field(*field);
        let (size, natural) = size_align(program, field.ty.id, depth)?;
        let natural = natural.max(field.explicit_align.unwrap_or(1));
        let (unit, boundary) = (size.checked_mul(8)?, natural.checked_mul(8)?);
        let bits = match field.is_bit_field {
            true => field.bits.filter(|bits| (1..=unit).contains(bits))?,
            false => unit,
        };
        if !field.is_bit_field || (end % boundary).checked_add(bits)? > boundary {
            end = end.checked_next_multiple_of(boundary)?;
        }
        fields.push((end, bits));
        end = end.checked_add(bits)?;
        align = align.max(natural);
    }
    align = align.max(record.explicit_align.unwrap_or(1));
    let size = end.div_ceil(8).max(1).checked_next_multiple_of(align)?;
    Some(BitLayout { size, align, fields })
}

/// [`super::size_align`], of records with bit-fields, too.
fn size_align(program: &Program, ty: TypeId, depth: usize) -> Option<(u64, u64)> {
    let depth = depth.checked_sub(1)?;
    match program.types.kind(ty) {
        TypeKind::Record(record) => {
            within(program, *record, depth).map(|own| (own.size, own.align))
        }
        TypeKind::Array(element, length) => {
            let (size, align) = size_align(program, element.id, depth)?;
            Some((size.checked_mul((*length)?)?, align))
        }
        TypeKind::Scalar(_)
        | TypeKind::Vector(_)
        | TypeKind::Enum(..)
        | TypeKind::Pointer(_)
        | TypeKind::Opaque(_) => super::size_align(program, ty),
        TypeKind::Unknown
        | TypeKind::Void
        | TypeKind::Reference(..)
        | TypeKind::Function
        | TypeKind::Named(..)
        | TypeKind::TemplateParameter(_) => None,
    }
}

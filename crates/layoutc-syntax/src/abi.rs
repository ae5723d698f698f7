//! Sizes, alignments and offsets, as nvcc and its host compiler have them (x86-64 Linux, LP64).
//!
//! Device and host code agree on these by CUDA's own rule. What the model does not know has no
//! size here.

mod bits;

pub use bits::{BitLayout, bit_layout};

use crate::program::{Program, RecordId, RecordTrait};
use crate::types::{Scalar, TypeId, TypeKind, VectorType};

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
    /// Bytes up to the end of the last member: a record that inherits from this one may put its
    /// own members behind them, if this one is no plain old data.
    pub data_size: u64,
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
        TypeKind::Enum(_, size) => size.map(|size| (u64::from(size), u64::from(size))),
        TypeKind::Pointer(_) => Some((8, 8)),
        TypeKind::Opaque(own) => Some((own.size, own.align)),
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
    if !program.record(id).bases.is_empty() {
        return false;
    }
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
    let limit = match record.pack {
        Some(crate::Pack::Unknown) => return None,
        Some(crate::Pack::To(limit)) => limit,
        None => u64::MAX,
    };
    let packed = record.traits.iter().any(|(which, _)| *which == RecordTrait::Packed);
    let mut offsets = Vec::with_capacity(record.fields.len());
    let (mut end, mut align) = (0u64, 1u64);
    let inherited =
        record.fields.iter().take_while(|field| program.field(**field).inherited.is_some()).count();
    if !record.bases.is_empty() {
        if packed || has_twin_bases(program, id) {
            return None;
        }
        for base in &record.bases {
            let own = record_layout_within(program, *base, depth)?;
            align = align.max(own.align.min(limit));
            if is_empty(program, *base) {
                continue;
            }
            let at = end.checked_next_multiple_of(own.align.min(limit))?;
            let behind = match is_plain_old_data(program, *base, depth) {
                _ if own.size == own.data_size => own.size,
                Some(true) => own.size,
                Some(false) => own.data_size,
                None => return None,
            };
            offsets.extend(own.offsets.iter().map(|offset| at + offset));
            end = at.checked_add(behind)?;
        }
        if offsets.len() != inherited {
            return None;
        }
    }
    for field in &record.fields[inherited..] {
        let ty = program.field(*field).ty;
        let (size, natural) = size_align_within(program, ty.id, depth)?;
        let own = program.field(*field).explicit_align;
        // Whether an alignment of its own or the packing wins is the compiler's.
        if own.is_some() && (packed || record.pack.is_some()) {
            return None;
        }
        let natural = if packed { 1 } else { natural.min(limit) };
        let natural = natural.max(own.unwrap_or(1));
        let offset = if record.is_union { 0 } else { end.checked_next_multiple_of(natural)? };
        offsets.push(offset);
        end = end.max(offset.checked_add(size)?);
        align = align.max(natural);
    }
    align = align.max(record.explicit_align.unwrap_or(1));
    // An empty record takes one byte.
    let size = end.max(1).checked_next_multiple_of(align)?;
    Some(RecordLayout { size, align, offsets, data_size: end })
}

/// Whether objects of a record hold nothing.
fn is_empty(program: &Program, id: RecordId) -> bool {
    program.record(id).fields.is_empty()
}

/// Whether a record inherits from one type twice, or from an empty one that also is a member:
/// objects of one type have addresses of their own, so empty ones do not lie at the start then.
fn has_twin_bases(program: &Program, id: RecordId) -> bool {
    let mut all = program.with_bases(id);
    let members = program.record(id).fields.iter().filter_map(|field| {
        let mut ty = program.field(*field).ty;
        while let TypeKind::Array(of, _) = *program.types.kind(ty.id) {
            ty = of;
        }
        program.as_record(ty.id)
    });
    let mut inner: Vec<RecordId> = members.collect();
    let mut next = 0;
    let mut seen = std::collections::BTreeSet::new();
    while let Some(member) = inner.get(next).copied() {
        next += 1;
        if seen.insert(member) {
            all.extend(program.with_bases(member).into_iter().filter(|id| is_empty(program, *id)));
            inner.extend(
                program
                    .record(member)
                    .fields
                    .iter()
                    .filter_map(|field| program.as_record(program.field(*field).ty.id)),
            );
        }
    }
    let count = all.len();
    all.sort();
    all.dedup();
    all.len() != count
}

/// Whether the ABI takes a record for plain old data, in the sense of C++98: nothing is put into
/// its padding then. `None` if compilers or language standards differ.
fn is_plain_old_data(program: &Program, id: RecordId, depth: usize) -> Option<bool> {
    let depth = depth.checked_sub(1)?;
    let record = program.record(id);
    let has = |which: RecordTrait| record.traits.iter().any(|(own, _)| *own == which);
    if !record.bases.is_empty() || has(RecordTrait::Private) {
        return Some(false);
    }
    if record.has_defaulted {
        return None;
    }
    if has(RecordTrait::Constructor) {
        return Some(false);
    }
    let is_plain = record.traits.iter().all(|(which, _)| {
        matches!(which, RecordTrait::Methods | RecordTrait::NestedType | RecordTrait::Packed)
    });
    if !is_plain {
        return None;
    }
    let mut all_plain = Some(true);
    for field in &record.fields {
        let mut ty = program.field(*field).ty;
        while let TypeKind::Array(of, _) = *program.types.kind(ty.id) {
            ty = of;
        }
        let own = match *program.types.kind(ty.id) {
            TypeKind::Record(inner) => is_plain_old_data(program, inner, depth),
            // Classes in C++.
            TypeKind::Opaque(_)
            | TypeKind::Scalar(Scalar::Half)
            | TypeKind::Vector(VectorType { scalar: Scalar::Half, .. }) => None,
            _ => Some(true),
        };
        match own {
            Some(true) => {}
            Some(false) => return Some(false),
            None => all_plain = None,
        }
    }
    all_plain
}

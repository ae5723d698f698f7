//! The parts of an OpenCL buffer that holds an array in a layout.
//!
//! Kernels of OpenCL are given one buffer where CUDA has pointers in a struct, so all groups lie in
//! one: a header of [`HEADER`] bytes that says how many *units* of elements there are, and the
//! sections, each as long as all units take there. A layout of one struct or tile has no header.

use crate::storage::{GroupKind, Storage};

/// Bytes in front of the sections, so that they begin as allocations do.
pub(crate) const HEADER: u64 = 256;

/// A member of the source's record, or one item of a member array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    /// Its bytes.
    pub(crate) bytes: u64,
    /// Its offset in the record.
    pub(crate) at: u64,
    /// Its offset in the section's struct, in slot 0.
    pub(crate) stored: u64,
}

/// Structs or values of one kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Section {
    /// Elements of one struct.
    pub(crate) tile: u64,
    /// Bytes of one struct.
    pub(crate) bytes: u64,
    /// Bytes of the sections before it, for each unit.
    pub(crate) before: u64,
    pub(crate) pieces: Vec<Piece>,
}

/// How a buffer is divided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Sections {
    /// `sizeof` the record.
    pub(crate) record: u64,
    /// Elements of one unit: the least number that fills whole structs of all sections and whole
    /// multiples of [`HEADER`] bytes, if there is a header.
    pub(crate) unit: u64,
    /// Bytes of one unit.
    pub(crate) bytes: u64,
    /// Bytes in front of the first section.
    pub(crate) header: u64,
    pub(crate) sections: Vec<Section>,
}

impl Sections {
    /// The division of a class's buffers; none if it has no form.
    pub(crate) fn new(storage: &Storage) -> Option<Sections> {
        let shape = &storage.shape.shape;
        let mut sections = Vec::new();
        for (own, group) in storage.groups.iter().zip(storage.layout.groups()) {
            let layout = group.struct_layout(shape);
            let leaf = |position: usize| &shape.leaves[own.leaves[position]];
            match own.kind {
                GroupKind::Struct { .. } => sections.push(Section {
                    tile: 1,
                    bytes: layout.size.0,
                    before: 0,
                    pieces: (0..own.leaves.len())
                        .map(|position| Piece {
                            bytes: leaf(position).size().0,
                            at: leaf(position).offset.0,
                            stored: layout.offsets[position].0,
                        })
                        .collect(),
                }),
                GroupKind::Tile { tile, .. } => {
                    let mut pieces = Vec::new();
                    for position in 0..own.leaves.len() {
                        let bytes = leaf(position).scalar_size.0;
                        pieces.extend((0..leaf(position).scalars()).map(|item| Piece {
                            bytes,
                            at: leaf(position).offset.0 + item * bytes,
                            stored: layout.offsets[position].0 + item * tile * bytes,
                        }));
                    }
                    sections.push(Section { tile, bytes: layout.size.0, before: 0, pieces });
                }
                GroupKind::Array => {
                    let bytes = leaf(0).scalar_size.0;
                    sections.extend((0..leaf(0).scalars()).map(|item| Section {
                        tile: 1,
                        bytes,
                        before: 0,
                        pieces: vec![Piece {
                            bytes,
                            at: leaf(0).offset.0 + item * bytes,
                            stored: 0,
                        }],
                    }));
                }
            }
        }
        let header = if storage.is_sectioned() { HEADER } else { 0 };
        let unit = sections.iter().try_fold(1, |unit, section| {
            let structs = if header > 0 { HEADER / gcd(section.bytes, HEADER) } else { 1 };
            let own = section.tile.checked_mul(structs)?;
            (unit / gcd(unit, own)).checked_mul(own)
        })?;
        let mut bytes = 0u64;
        for section in &mut sections {
            section.before = bytes;
            bytes = bytes.checked_add((unit / section.tile).checked_mul(section.bytes)?)?;
        }
        // The generated text counts in 32 bits where it can.
        let fits = unit <= 1 << 24 && bytes <= 1 << 30;
        fits.then_some(Sections { record: shape.size.0, unit, bytes, header, sections })
    }

    /// The first section of a group.
    pub(crate) fn first_of(&self, storage: &Storage, group: usize) -> usize {
        storage.groups[..group]
            .iter()
            .map(|group| match group.kind {
                GroupKind::Struct { .. } | GroupKind::Tile { .. } => 1,
                GroupKind::Array => storage.shape.shape.leaves[group.leaves[0]].scalars() as usize,
            })
            .sum()
    }
}

pub(crate) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

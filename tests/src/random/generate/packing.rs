//! Where the members of a struct lie: packing, `alignas`, bit-fields.

use super::records::{FieldType, Scalar};
use super::traits::Trait;
use super::{Generator, Unit};

/// What the text of a struct says of the places of its members.
#[derive(Clone, Debug, Default)]
pub(super) struct Placement {
    /// Lines in front of the struct.
    pub(super) before: String,
    /// What stands between `struct` and its name.
    pub(super) specifier: String,
    /// What stands between the closing brace and the semicolon.
    pub(super) behind: String,
    /// Lines behind the struct.
    pub(super) after: String,
}

impl Placement {
    /// `#pragma pack` around the struct.
    fn pragma(size: usize) -> Self {
        Placement {
            before: format!("#pragma pack(push, {size})\n"),
            after: "\n#pragma pack(pop)".to_owned(),
            ..Placement::default()
        }
    }
}

impl Generator {
    /// Packing or an alignment for some structs; the record's alignment becomes what they ask for.
    pub(super) fn placement(&mut self, unit: &mut Unit, at: usize, is_element: bool) -> Placement {
        let natural = self.records[at].alignment;
        if is_element && unit.has(Trait::Packed) {
            return self.packed(unit, at);
        }
        if (natural == 1 || natural == 4) && self.random.chance(10) {
            // No member moves by that: none asks for more.
            return Placement::pragma(natural);
        }
        let chance = if unit.has(Trait::AlignedMember) { 50 } else { 8 };
        let (specifier, asked) = *self.random.pick(&[
            ("__align__(16) ", 16),
            ("alignas(16) ", 16),
            ("__align__(32) ", 32),
            ("alignas(32) ", 32),
            ("alignas(8) ", 8),
        ]);
        if !is_element || asked < natural || !self.random.chance(chance) {
            return Placement::default();
        }
        unit.feature("aligned-record");
        self.records[at].alignment = asked;
        Placement { specifier: specifier.to_owned(), ..Placement::default() }
    }

    /// Packing that moves members.
    fn packed(&mut self, unit: &mut Unit, at: usize) -> Placement {
        let record = &mut self.records[at];
        let (size, feature) = *self.random.pick(&[
            (1, "pack-1"),
            (2, "pack-2"),
            (4, "pack-4"),
            (1, "packed-attribute"),
        ]);
        record.alignment = record.alignment.min(size);
        unit.feature(feature);
        if feature != "packed-attribute" {
            return Placement::pragma(size);
        }
        let attribute = "__attribute__((packed))";
        if self.random.chance(50) {
            Placement { specifier: format!("{attribute} "), ..Placement::default() }
        } else {
            Placement { behind: format!(" {attribute}"), ..Placement::default() }
        }
    }

    /// The type of a member of a packed struct: a scalar, because vectors and structs have an
    /// alignment of their own. The first one is small.
    pub(super) fn packed_type(&mut self, is_first: bool) -> FieldType {
        let small = [Scalar::Char, Scalar::UnsignedChar, Scalar::Short, Scalar::UnsignedShort];
        let large =
            [Scalar::Int, Scalar::Unsigned, Scalar::Float, Scalar::Double, Scalar::LongLong];
        let scalar = if is_first || self.random.chance(30) {
            *self.random.pick(&small)
        } else {
            *self.random.pick(&large)
        };
        FieldType::Scalar(scalar)
    }

    /// A bit-field of at most 20 bits.
    pub(super) fn bits(&mut self) -> FieldType {
        let is_signed = self.random.chance(30);
        // A sign needs a bit of its own.
        let width = self.random.between(if is_signed { 2 } else { 1 }, 20);
        FieldType::Scalar(Scalar::Bits { width, is_signed })
    }

    /// What `alignas` of a member asks for, at least its own alignment; bit-fields have none.
    pub(super) fn member_alignment(&mut self, unit: &Unit, natural: usize) -> Option<usize> {
        if !unit.has(Trait::AlignedMember) || !self.random.chance(35) {
            return None;
        }
        let asked = *self.random.pick(&[8, 16, 32]);
        (asked >= natural).then_some(asked)
    }
}

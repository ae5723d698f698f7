//! One group of a layout: leaves that share an order of digits.

use super::digit::{canonical, check_dimensions};
use super::{Bytes, Digit, DimensionId, LayoutError, LeafId, MAX_TILE, RecordShape};

/// The largest alignment of a generated struct.
///
/// Device allocations begin at multiples of 256 bytes; nothing larger can be promised.
pub const MAX_ALIGNMENT: Bytes = Bytes(256);

/// Leaves that are stored together, and in which order of digits.
///
/// Invariants, established by [`Group::new`]: every dimension is covered exactly once; there is one
/// field digit, or none in a group of one leaf; the extents of member arrays stand directly behind
/// the field digit, or in front of everything where there is none; slices behind the field digit are
/// bounded; the digits are canonical.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Group {
    leaves: Vec<LeafId>,
    align: Option<Bytes>,
    digits: Vec<Digit>,
    /// All leaves in source order and not tiled: the record's own struct.
    whole_record: bool,
}

/// What a group is in C.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GroupForm {
    /// `i`: a plain array, or one per extent index of a member array.
    Array,
    /// `i, field`: an array of structs.
    Struct,
    /// `i/T, field, i%T`: an array of structs whose members are arrays of `T` slots.
    Tile(u64),
    /// Any other order of slices, of one or more dimensions.
    Grid,
}

impl Group {
    /// The group of `leaves`, in that order, with these digits, slowest first.
    ///
    /// `align` is the alignment of the generated struct; `None` means what its members need.
    ///
    /// # Errors
    /// One of [`LayoutError`]'s causes except those about several groups.
    pub fn new(
        shape: &RecordShape,
        leaves: Vec<LeafId>,
        align: Option<Bytes>,
        digits: Vec<Digit>,
    ) -> Result<Group, LayoutError> {
        check_leaves(shape, &leaves)?;
        let dimensions = dimension_count(&digits);
        check_dimensions(&digits, dimensions.max(1))?;
        check_order(shape, &leaves, &digits)?;
        let digits = canonical(&digits);
        let whole_record = leaves.iter().copied().eq(shape.leaf_ids())
            && matches!(digits.last(), Some(Digit::Field | Digit::Extent(_)));
        let mut group = Group { leaves, align: None, digits, whole_record };
        group.check_members()?;
        if let Some(asked) = align {
            let natural = group.natural_alignment(shape);
            if !asked.0.is_power_of_two() || asked < natural || asked > MAX_ALIGNMENT {
                return Err(LayoutError::Alignment { asked, natural });
            }
            if group.field_digit().is_none() {
                return Err(LayoutError::AlignedArray);
            }
            group.align = align.filter(|asked| *asked > natural);
        }
        group.drop_idle_field(shape);
        Ok(group)
    }

    /// One leaf as a plain array, or for a member array one plain array per extent index.
    ///
    /// # Panics
    /// If the record has no such leaf.
    #[must_use]
    pub fn array(shape: &RecordShape, leaf: LeafId) -> Group {
        let rank = shape.leaf(leaf).extents.len() as u32;
        let digits = (0..rank).map(Digit::Extent).chain([Digit::ELEMENT]).collect();
        Self::new(shape, vec![leaf], None, digits).expect("one leaf needs no field digit")
    }

    /// An array of structs of these leaves.
    ///
    /// # Errors
    /// As [`Group::new`].
    pub fn aos(
        shape: &RecordShape,
        leaves: Vec<LeafId>,
        align: Option<Bytes>,
    ) -> Result<Group, LayoutError> {
        let digits = struct_digits(shape, &leaves, [Digit::ELEMENT], []);
        Self::new(shape, leaves, align, digits)
    }

    /// An array of structs, each of which holds `tile` elements in its member arrays.
    ///
    /// # Errors
    /// [`LayoutError::Tile`] for a tile of 0 or above [`MAX_TILE`], otherwise as [`Group::new`].
    pub fn tiled(
        shape: &RecordShape,
        leaves: Vec<LeafId>,
        tile: u64,
        align: Option<Bytes>,
    ) -> Result<Group, LayoutError> {
        if tile == 0 || tile > MAX_TILE {
            return Err(LayoutError::Tile(tile));
        }
        let (outer, inner) = ([Digit::tile_index(tile)], [Digit::tile_slot(tile)]);
        let digits = struct_digits(shape, &leaves, outer, inner);
        Self::new(shape, leaves, align, digits)
    }

    /// The leaves, in the order of the generated struct's members.
    #[must_use]
    pub fn leaves(&self) -> &[LeafId] {
        &self.leaves
    }

    /// The alignment of the struct where it is above what its members need.
    #[must_use]
    pub fn align(&self) -> Option<Bytes> {
        self.align
    }

    /// The digits, slowest first, in canonical form.
    #[must_use]
    pub fn digits(&self) -> &[Digit] {
        &self.digits
    }

    /// Position of a leaf among the members, if the group holds it.
    #[must_use]
    pub fn position(&self, leaf: LeafId) -> Option<usize> {
        self.leaves.iter().position(|own| *own == leaf)
    }

    /// What the group is in C.
    #[must_use]
    pub fn form(&self) -> GroupForm {
        let element = Digit::ELEMENT;
        let indices: Vec<Digit> = self
            .digits
            .iter()
            .copied()
            .filter(|digit| !matches!(digit, Digit::Extent(_)))
            .collect();
        match indices[..] {
            [index] if index == element => GroupForm::Array,
            [index, Digit::Field] if index == element => GroupForm::Struct,
            [outer, Digit::Field, inner] => match inner {
                Digit::Slice { modulus: Some(tile), .. }
                    if outer == Digit::tile_index(tile) && inner == Digit::tile_slot(tile) =>
                {
                    GroupForm::Tile(tile)
                }
                _ => GroupForm::Grid,
            },
            _ => GroupForm::Grid,
        }
    }

    /// The tile size if the group has the form `i/T, field, i%T`.
    #[must_use]
    pub fn tile(&self) -> Option<u64> {
        match self.form() {
            GroupForm::Tile(tile) => Some(tile),
            _ => None,
        }
    }

    /// Whether the group is a plain array, or one per extent index, without a struct.
    #[must_use]
    pub fn is_single_leaf_array(&self) -> bool {
        self.form() == GroupForm::Array
    }

    /// Whether the group is an untiled array of the record's own struct (perhaps aligned).
    #[must_use]
    pub fn is_whole_record(&self) -> bool {
        self.whole_record
    }

    /// The slices that select a struct: all of them where there is no field digit.
    pub(super) fn outer(&self) -> &[Digit] {
        match self.field_digit() {
            Some(at) => &self.digits[..at],
            None => {
                let extents = |digit: &Digit| matches!(digit, Digit::Extent(_));
                &self.digits[self.digits.iter().take_while(|digit| extents(digit)).count()..]
            }
        }
    }

    /// The slices that select a slot within the member arrays.
    pub(super) fn inner(&self) -> &[Digit] {
        let Some(at) = self.field_digit() else { return &[] };
        let behind = &self.digits[at + 1..];
        let extents = behind.iter().take_while(|digit| matches!(digit, Digit::Extent(_))).count();
        &behind[extents..]
    }

    /// Slots of each member: the product of the inner slices.
    pub(super) fn slots(&self) -> u64 {
        self.inner()
            .iter()
            .map(|digit| match digit {
                Digit::Slice { modulus: Some(modulus), .. } => *modulus,
                _ => 1,
            })
            .product()
    }

    /// Whether the group has a field digit, that is, a struct.
    pub(super) fn has_struct(&self) -> bool {
        self.field_digit().is_some()
    }

    fn field_digit(&self) -> Option<usize> {
        self.digits.iter().position(|digit| *digit == Digit::Field)
    }

    /// The alignment that the struct has without being asked.
    pub(super) fn natural_alignment(&self, shape: &RecordShape) -> Bytes {
        if self.whole_record {
            return shape.align;
        }
        let aligns = self.leaves.iter().map(|leaf| shape.leaf(*leaf).align);
        aligns.max().expect("a group has leaves")
    }

    /// Member arrays need bounded slices, and few enough of them to be declared.
    fn check_members(&self) -> Result<(), LayoutError> {
        let mut slots: u64 = 1;
        for digit in self.inner() {
            if let Digit::Slice { dimension, modulus, .. } = digit {
                let modulus = modulus.ok_or(LayoutError::UnboundedMember(*dimension))?;
                slots = slots.saturating_mul(modulus);
            }
        }
        if slots > MAX_TILE { Err(LayoutError::Tile(slots)) } else { Ok(()) }
    }

    /// Takes the field digit away where the struct is nothing but its one scalar member: the plain
    /// array has the same bytes.
    fn drop_idle_field(&mut self, shape: &RecordShape) {
        let [leaf] = self.leaves[..] else { return };
        let leaf = shape.leaf(leaf);
        let layout = self.struct_layout(shape);
        let bare = self.has_struct()
            && self.align.is_none()
            && leaf.extents.is_empty()
            && layout.offsets == [Bytes(0)]
            && layout.size == Bytes(leaf.scalar_size.0 * self.slots());
        if bare {
            self.digits.retain(|digit| *digit != Digit::Field);
            self.digits = canonical(&self.digits);
            self.whole_record = false;
        }
    }
}

/// `outer, field, extents, inner` for a struct of these leaves.
fn struct_digits(
    shape: &RecordShape,
    leaves: &[LeafId],
    outer: impl IntoIterator<Item = Digit>,
    inner: impl IntoIterator<Item = Digit>,
) -> Vec<Digit> {
    let extents = (0..rank(shape, leaves)).map(Digit::Extent);
    outer.into_iter().chain([Digit::Field]).chain(extents).chain(inner).collect()
}

/// The digits of a group from its slices and field digit: the extents, which are implied, put in.
pub(super) fn with_extents(shape: &RecordShape, leaves: &[LeafId], digits: &[Digit]) -> Vec<Digit> {
    match digits.iter().position(|digit| *digit == Digit::Field) {
        Some(at) => struct_digits(
            shape,
            leaves,
            digits[..at].iter().copied(),
            digits[at + 1..].iter().copied(),
        ),
        None => {
            let extents = (0..rank(shape, leaves)).map(Digit::Extent);
            extents.chain(digits.iter().copied()).collect()
        }
    }
}

/// The largest number of extents of a leaf.
fn rank(shape: &RecordShape, leaves: &[LeafId]) -> u32 {
    let known = leaves.iter().filter_map(|leaf| shape.leaves.get(leaf.index()));
    known.map(|leaf| leaf.extents.len() as u32).max().unwrap_or(0)
}

fn check_leaves(shape: &RecordShape, leaves: &[LeafId]) -> Result<(), LayoutError> {
    if leaves.is_empty() {
        return Err(LayoutError::EmptyGroup);
    }
    for (at, leaf) in leaves.iter().enumerate() {
        if leaf.index() >= shape.leaves.len() {
            return Err(LayoutError::NoSuchLeaf(*leaf));
        }
        if leaves[..at].contains(leaf) {
            return Err(LayoutError::LeafTwice(*leaf));
        }
    }
    Ok(())
}

/// Checks the number of field digits and the places of the extents.
fn check_order(
    shape: &RecordShape,
    leaves: &[LeafId],
    digits: &[Digit],
) -> Result<(), LayoutError> {
    let fields = digits.iter().filter(|digit| **digit == Digit::Field).count();
    if fields > 1 || (fields == 0 && leaves.len() > 1) {
        return Err(LayoutError::FieldDigits(fields));
    }
    let bare: Vec<Digit> =
        digits.iter().copied().filter(|digit| !matches!(digit, Digit::Extent(_))).collect();
    if with_extents(shape, leaves, &bare) == digits {
        Ok(())
    } else {
        Err(LayoutError::ExtentDigits)
    }
}

fn dimension_count(digits: &[Digit]) -> u32 {
    let dimension = |digit: &Digit| match digit {
        Digit::Slice { dimension: DimensionId(dimension), .. } => dimension.checked_add(1),
        _ => None,
    };
    digits.iter().filter_map(dimension).max().unwrap_or(0)
}

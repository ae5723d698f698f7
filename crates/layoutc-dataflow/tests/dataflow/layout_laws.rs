//! Every layout is injective, in bounds and aligned.

use std::collections::BTreeMap;

use layoutc_dataflow::layout::{
    ALLOCATION_ALIGNMENT, Bytes, Cluster, Digit, DimensionId, Geometry, Group, GroupForm, GroupId,
    Layout, LayoutError, LeafId, RecordShape,
};
use proptest::prelude::*;

use crate::records::{cluster, particle, shaped_layouts, shapes};

/// Marks the bytes of every value and fails where two values share one.
fn check_injective(geometry: &Geometry<'_>, shape: &RecordShape, indices: &[Vec<u64>]) {
    let mut owner: BTreeMap<u64, (u32, Vec<u64>, u64)> = BTreeMap::new();
    for leaf in shape.leaf_ids() {
        let member = shape.leaf(leaf);
        for index in indices {
            for extent in 0..member.scalars() {
                let Bytes(first) = geometry.flattening_function(leaf, index, extent);
                let natural = 1_u64 << member.scalar_size.0.trailing_zeros();
                assert_eq!(first % natural.min(member.align.0), 0, "aligned: {}", member.path);
                for byte in first..first + member.scalar_size.0 {
                    assert!(byte < geometry.allocation_bytes().0, "in bounds: {}", member.path);
                    let value = (leaf.0, index.clone(), extent);
                    let other = owner.insert(byte, value.clone());
                    assert_eq!(other, None, "{value:?} shares byte {byte}");
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn flattening_functions_are_injective_aligned_and_in_bounds(
        (shape, layout) in shaped_layouts(),
        elements in 0..200_u64,
    ) {
        let geometry = layout.geometry(&shape, elements);
        let indices: Vec<Vec<u64>> = (0..elements).map(|element| vec![element]).collect();
        check_injective(&geometry, &shape, &indices);
    }

    #[test]
    fn grids_are_injective(
        shape in shapes(),
        (height, width) in (1..20_u64, 1..20_u64),
        (rows, columns) in (1..8_u64, 1..8_u64),
        order in Just(vec![0_usize, 1, 2, 3, 4]).prop_shuffle(),
    ) {
        let leaves: Vec<LeafId> = shape.leaf_ids().collect();
        let slice = |dimension, divisor, modulus| Digit::Slice {
            dimension: DimensionId(dimension), divisor, modulus,
        };
        let slices = [
            vec![slice(0, rows, None)],
            vec![slice(1, columns, None)],
            vec![slice(0, 1, Some(rows))],
            vec![slice(1, 1, Some(columns))],
            [Digit::Field].into_iter()
                .chain((0..shape.leaves.iter().map(|leaf| leaf.extents.len() as u32).max().unwrap_or(0))
                .map(Digit::Extent)).collect(),
        ];
        let digits = order.iter().flat_map(|at| slices[*at].clone()).collect();
        match Group::new(&shape, leaves, None, digits) {
            Ok(group) => {
                let layout = Layout::new(&shape, 2, vec![group]).expect("a partition");
                let indices: Vec<Vec<u64>> = (0..height)
                    .flat_map(|row| (0..width).map(move |column| vec![row, column]))
                    .collect();
                check_injective(&Geometry::new(&layout, &shape, &[height, width]), &shape, &indices);
            }
            Err(error) => prop_assert!(matches!(error, LayoutError::UnboundedMember(_)), "{}", error),
        }
    }

    #[test]
    fn layouts_are_compatible_iff_their_parts_are_equal(
        (shape, first) in shaped_layouts(), seed in any::<prop::sample::Index>(),
    ) {
        let rebuilt = first.groups().iter().map(|group| {
            Group::new(&shape, group.leaves().to_vec(), group.align(), group.digits().to_vec())
        });
        let rebuilt = rebuilt.collect::<Result<Vec<_>, _>>().expect("canonical digits are valid");
        prop_assert_eq!(&Layout::new(&shape, 1, rebuilt).expect("a partition"), &first);

        let mut groups = first.groups().to_vec();
        let at = seed.index(groups.len());
        let changed = Group::tiled(&shape, groups[at].leaves().to_vec(), 7919, None)
            .expect("a valid tile");
        let differs = changed != groups[at];
        groups[at] = changed;
        let second = Layout::new(&shape, 1, groups).expect("a partition");
        prop_assert_eq!(first.is_compatible(&second), !differs);
    }

    /// Equal layouts give equal addresses; layouts that differ in the digits of a group move a value.
    #[test]
    fn tiles_of_several_leaves_differ_from_the_untiled_group(
        shape in shapes(), tile in 2..40_u64,
    ) {
        prop_assume!(shape.leaves.len() > 1);
        let (aos, tiled) = (Layout::aos(&shape), Layout::tiled(&shape, tile, None).expect("valid"));
        let moved = shape.leaf_ids().any(|leaf| {
            (0..2 * tile).any(|element| {
                aos.flattening_function(&shape, leaf, element, 0, 2 * tile)
                    != tiled.flattening_function(&shape, leaf, element, 0, 2 * tile)
            })
        });
        prop_assert!(!aos.is_compatible(&tiled));
        prop_assert!(moved);
    }

    #[test]
    fn the_identity_keeps_every_byte(shape in shapes(), elements in 1..50_u64) {
        let layout = Layout::aos(&shape);
        prop_assert!(layout.is_identity(&shape) && layout.keeps_bytes(&shape));
        prop_assert_eq!(
            layout.allocation_bytes(&shape, elements), Bytes(elements * shape.size.0)
        );
        for leaf in shape.leaf_ids() {
            for extent in 0..shape.leaf(leaf).scalars() {
                prop_assert_eq!(
                    layout.flattening_function(&shape, leaf, elements - 1, extent, elements).0,
                    (elements - 1) * shape.size.0
                        + shape.leaf(leaf).offset.0 + extent * shape.leaf(leaf).scalar_size.0
                );
            }
        }
    }

    #[test]
    fn keeps_bytes_says_that_all_addresses_are_equal((shape, layout) in shaped_layouts()) {
        let aos = Layout::aos(&shape);
        let elements = 71 * 3 + 1;
        let (new, old) = (layout.geometry(&shape, elements), aos.geometry(&shape, elements));
        let same = shape.leaf_ids().all(|leaf| (0..elements).all(|element| {
            (0..shape.leaf(leaf).scalars()).all(|extent| {
                new.flattening_function(leaf, &[element], extent)
                    == old.flattening_function(leaf, &[element], extent)
            })
        }));
        let exact = layout.groups().iter().all(|group| {
            matches!(group.form(), GroupForm::Array | GroupForm::Struct)
        });
        prop_assert!(same || !layout.keeps_bytes(&shape));
        prop_assert!(!exact || layout.keeps_bytes(&shape) == same);
    }
}

#[test]
fn the_forms_of_the_papers() {
    let shape = particle();
    assert_eq!(Layout::aos(&shape).groups()[0].form(), GroupForm::Struct);
    assert!(Layout::aos(&shape).groups()[0].is_whole_record());
    assert!(Layout::soa(&shape).groups().iter().all(Group::is_single_leaf_array));
    let tiled = Layout::tiled(&shape, 32, None).expect("valid");
    assert_eq!(tiled.groups()[0].tile(), Some(32));
    assert_eq!(tiled.groups()[0].tile_bytes(&shape), Bytes(32 * 32));
    assert_eq!(tiled.allocation_bytes(&shape, 33), Bytes(2 * 32 * 32));
    let aligned = Layout::aos_aligned(&shape, Bytes(16)).expect("valid");
    assert!(!aligned.is_identity(&shape), "the declaration changes");
    assert!(aligned.keeps_bytes(&shape), "32 bytes are a multiple of 16");
    assert_eq!(Layout::tiled(&shape, 1, None), Ok(Layout::aos(&shape)));
    assert_eq!(Layout::aos_aligned(&shape, Bytes(4)), Ok(Layout::aos(&shape)));
}

#[test]
fn clusters_lie_behind_each_other_at_multiples_of_256() {
    let shape = particle();
    let layout = Layout::clusters(
        &shape,
        [
            cluster(&shape, &["x", "y", "z", "m"]).aligned(Bytes(16)),
            cluster(&shape, &["vx", "vy", "vz"]).tiled(32),
            cluster(&shape, &["id"]),
        ],
    )
    .expect("a partition");
    assert_eq!(layout.group_base(&shape, GroupId(1), 33), Bytes(768), "33 * 16 = 528");
    assert_eq!(layout.group_base(&shape, GroupId(2), 33), Bytes(768 + 2 * 384));
    assert_eq!(layout.allocation_bytes(&shape, 33), Bytes(768 + 768 + 33 * 4));
    let vy = shape.leaf_at("vy").expect("a leaf");
    assert_eq!(layout.flattening_function(&shape, vy, 32, 0, 33), Bytes(768 + 384 + 128));
}

#[test]
fn a_split_member_array_has_one_array_per_extent_index() {
    let shape = RecordShape::flat("Cell", [("f", "float", 4, 4, &[9][..])]);
    let soa = Layout::soa(&shape);
    let elements = 100;
    assert_eq!(soa.flattening_function(&shape, LeafId(0), 7, 2, elements), Bytes(2 * 512 + 28));
    assert_eq!(soa.allocation_bytes(&shape, elements), Bytes(8 * 512 + 400));
    assert!(!soa.is_compatible(&Layout::aos(&shape)));
    assert_eq!(ALLOCATION_ALIGNMENT, Bytes(256));
    let tiled = Layout::tiled(&shape, 32, None).expect("valid");
    assert_eq!(
        tiled.flattening_function(&shape, LeafId(0), 33, 2, elements),
        Bytes(9 * 32 * 4 + (2 * 32 + 1) * 4),
        "`float f[9][32]`: the slots of one extent index are adjacent"
    );
}

#[test]
fn a_record_of_one_scalar_is_a_plain_array() {
    let shape = RecordShape::flat("Mass", [("m", "float", 4, 4, &[][..])]);
    assert_eq!(Layout::soa(&shape), Layout::aos(&shape));
    assert_eq!(Layout::tiled(&shape, 32, None), Ok(Layout::aos(&shape)));
    let mut wide = shape.clone();
    (wide.size, wide.align) = (Bytes(16), Bytes(16));
    assert_ne!(Layout::soa(&wide), Layout::aos(&wide), "the padding of the record goes");
}

/// 32 active blocks of 128 threads: the paper's transformed layout of `A[ny][nx][4]`, whose indices
/// it numbers from the right.
#[test]
fn the_worked_example_of_sung() {
    let float = |path| (path, "float", 4, 4, &[][..]);
    let shape = RecordShape::flat("Cell", ["e", "w", "n", "s"].map(float));
    let slice = |dimension, divisor, modulus| Digit::Slice {
        dimension: DimensionId(dimension),
        divisor,
        modulus,
    };
    let group = Group::new(
        &shape,
        shape.leaf_ids().collect(),
        None,
        vec![
            slice(0, 32, None),
            slice(1, 128, None),
            Digit::Field,
            slice(0, 1, Some(32)),
            slice(1, 1, Some(128)),
        ],
    )
    .expect("a valid group");
    let layout = Layout::new(&shape, 2, vec![group]).expect("a partition");
    let (ny, nx) = (70, 300);
    let geometry = Geometry::new(&layout, &shape, &[ny, nx]);
    let (d3, d2, d1, d0) = (nx.div_ceil(128), 4, 32, 128);
    for (i2, i1, i0) in [(0, 0, 0), (31, 127, 3), (32, 128, 1), (69, 299, 2)] {
        let element = (i2 >> 5) * d3 * d2 * d1 * d0
            + (i1 >> 7) * d2 * d1 * d0
            + i0 * d1 * d0
            + (i2 & 31) * d0
            + (i1 & 127);
        let address = geometry.flattening_function(LeafId(i0 as u32), &[i2, i1], 0);
        assert_eq!(address, Bytes(4 * element));
    }
    assert_eq!(geometry.allocation_bytes(), Bytes(4 * 3 * d3 * d2 * d1 * d0));
}

#[test]
fn wrong_groups_and_digits_are_refused() {
    let shape = particle();
    let leaves = || shape.leaf_ids().collect::<Vec<_>>();
    let [x, y] = [LeafId(0), LeafId(1)];
    let clusters = |parts: Vec<Cluster>| Layout::clusters(&shape, parts).expect_err("no layout");
    assert_eq!(clusters(vec![Cluster::new([x])]), LayoutError::LeafMissing(y));
    assert_eq!(
        clusters(vec![Cluster::new([x]), Cluster::new(leaves())]),
        LayoutError::LeafTwice(x)
    );
    assert_eq!(clusters(vec![Cluster::new([x, x])]), LayoutError::LeafTwice(x));
    assert_eq!(clusters(vec![Cluster::new([])]), LayoutError::EmptyGroup);
    assert_eq!(clusters(vec![Cluster::new([LeafId(8)])]), LayoutError::NoSuchLeaf(LeafId(8)));
    assert_eq!(Layout::tiled(&shape, 0, None), Err(LayoutError::Tile(0)));
    assert_eq!(Layout::tiled(&shape, 65537, None), Err(LayoutError::Tile(65537)));
    for asked in [0, 2, 12, 512].map(Bytes) {
        let error = LayoutError::Alignment { asked, natural: Bytes(4) };
        assert_eq!(Layout::aos_aligned(&shape, asked), Err(error));
    }
    let slice = |divisor, modulus| Digit::Slice { dimension: DimensionId(0), divisor, modulus };
    let new = |leaves, digits| Group::new(&shape, leaves, None, digits).expect_err("no group");
    assert_eq!(new(leaves(), vec![slice(1, None)]), LayoutError::FieldDigits(0));
    assert_eq!(
        new(leaves(), vec![slice(1, None), Digit::Field, Digit::Field]),
        LayoutError::FieldDigits(2)
    );
    assert_eq!(
        new(leaves(), vec![Digit::Field, slice(1, None)]),
        LayoutError::UnboundedMember(DimensionId(0))
    );
    assert_eq!(
        new(leaves(), vec![slice(1, None), Digit::Field, Digit::Extent(0)]),
        LayoutError::ExtentDigits
    );
    let elements = vec![slice(1, None)];
    assert_eq!(
        Group::new(&shape, vec![x], Some(Bytes(16)), elements),
        Err(LayoutError::AlignedArray)
    );
}

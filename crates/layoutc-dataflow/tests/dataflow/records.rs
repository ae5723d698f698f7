//! Random records, layouts and specifications.

use layoutc_dataflow::layout::{
    Bytes, Cluster, Digit, DimensionId, Group, Layout, LeafId, RecordShape,
};
use proptest::prelude::*;

/// Scalars as (C type, size, alignment).
pub const SCALARS: [(&str, u64, u64); 6] = [
    ("char", 1, 1),
    ("short", 2, 2),
    ("int", 4, 4),
    ("float", 4, 4),
    ("double", 8, 8),
    ("long long", 8, 8),
];

/// A member of a random record: (scalar, extents).
pub type Member = (usize, Vec<u64>);

pub fn members() -> impl Strategy<Value = Vec<Member>> {
    let extents = prop_oneof![
        5 => Just(vec![]),
        1 => prop::collection::vec(1..5_u64, 1..3),
    ];
    prop::collection::vec((0..SCALARS.len(), extents), 1..9)
}

pub fn shape_of(members: &[Member]) -> RecordShape {
    let names: Vec<String> = (0..members.len()).map(|at| format!("m{at}")).collect();
    RecordShape::flat(
        "R",
        names.iter().zip(members).map(|(name, (scalar, extents))| {
            let (type_name, size, align) = SCALARS[*scalar];
            (name.as_str(), type_name, size, align, extents.as_slice())
        }),
    )
}

pub fn shapes() -> impl Strategy<Value = RecordShape> {
    members().prop_map(|members| shape_of(&members))
}

/// A record whose leaves lie in a struct `s` (those that the mask names, adjacent) and beside it.
pub fn nested_shapes() -> impl Strategy<Value = RecordShape> {
    (shapes(), any::<prop::sample::Index>(), any::<prop::sample::Index>()).prop_map(
        |(mut shape, from, to)| {
            let (from, to) = (from.index(shape.leaves.len()), to.index(shape.leaves.len()));
            for leaf in &mut shape.leaves[from.min(to)..=from.max(to)] {
                leaf.path = format!("s.{}", leaf.path);
            }
            shape
        },
    )
}

/// A layout of `shape` in one dimension: any partition, order, tiles and alignments.
pub fn layouts(shape: RecordShape) -> impl Strategy<Value = (RecordShape, Layout)> {
    let count = shape.leaves.len();
    let order = Just((0..count as u32).map(LeafId).collect::<Vec<_>>()).prop_shuffle();
    let ordered = prop_oneof![order, Just((0..count as u32).map(LeafId).collect::<Vec<_>>())];
    let forms = prop::collection::vec((0..6_u8, 1..70_u64, 0..3_u32), count);
    let cuts = prop::collection::vec(prop::bool::weighted(0.3), count);
    (ordered, cuts, forms).prop_map(move |(order, cuts, forms)| {
        let mut parts: Vec<Vec<LeafId>> = vec![vec![]];
        for (leaf, cut) in order.into_iter().zip(cuts) {
            if cut && !parts[parts.len() - 1].is_empty() {
                parts.push(vec![]);
            }
            parts.last_mut().expect("there is a part").push(leaf);
        }
        let groups = parts.into_iter().zip(forms).map(|(leaves, form)| group(&shape, leaves, form));
        let layout = Layout::new(&shape, 1, groups.collect()).expect("a partition");
        (shape.clone(), layout)
    })
}

fn group(shape: &RecordShape, leaves: Vec<LeafId>, (form, tile, raise): (u8, u64, u32)) -> Group {
    let natural = leaves.iter().map(|leaf| shape.leaf(*leaf).align.0).max().expect("a leaf");
    let align = (raise > 0).then(|| Bytes(natural.max(shape.align.0) << (raise - 1)));
    let made = match form {
        0 | 1 => Group::aos(shape, leaves, align),
        2 | 3 => Group::tiled(shape, leaves, tile, align),
        4 if leaves.len() == 1 => return Group::array(shape, leaves[0]),
        _ => {
            let slice =
                |divisor, modulus| Digit::Slice { dimension: DimensionId(0), divisor, modulus };
            let rank = leaves.iter().map(|leaf| shape.leaf(*leaf).extents.len()).max();
            let mut digits = vec![slice(tile, Some(3)), slice(tile * 3, None), Digit::Field];
            digits.extend((0..rank.unwrap_or(0) as u32).map(Digit::Extent));
            digits.push(slice(1, Some(tile)));
            Group::new(shape, leaves, align, digits)
        }
    };
    made.expect("a valid group")
}

/// A random record, nested or flat, and a random layout of it.
pub fn shaped_layouts() -> impl Strategy<Value = (RecordShape, Layout)> {
    prop_oneof![shapes().boxed(), nested_shapes().boxed()].prop_flat_map(layouts)
}

/// The particle of the examples.
pub fn particle() -> RecordShape {
    let float = |path| (path, "float", 4, 4, &[][..]);
    RecordShape::flat(
        "Particle",
        ["x", "y", "z", "m", "vx", "vy", "vz"].map(float).into_iter().chain([(
            "id",
            "int",
            4,
            4,
            &[][..],
        )]),
    )
}

/// One cluster per list of paths.
pub fn cluster(shape: &RecordShape, paths: &[&str]) -> Cluster {
    Cluster::new(paths.iter().map(|path| shape.leaf_at(path).expect("a known path")))
}

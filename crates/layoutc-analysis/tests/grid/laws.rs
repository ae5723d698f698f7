//! Laws for random grids, patterns, launches and devices.

use crate::device;
use layoutc_analysis::device::device_names;
use layoutc_analysis::grid::{
    Axis, Coefficient, Column, CommonPattern, Extent, GridDimension, GridShape, Launch, Parity,
    PatternRow, choose_grid_layout, drawing,
};
use layoutc_dataflow::layout::{
    Bytes, Digit, DimensionId, Geometry, Group, Layout, Leaf, RecordShape,
};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn columns() -> impl Strategy<Value = Column> {
    let axis = prop::sample::select(Axis::ALL.to_vec());
    prop_oneof![
        3 => axis.clone().prop_map(Column::Thread),
        3 => axis.prop_map(Column::Block),
        1 => Just(Column::Loop("k".to_owned())),
    ]
}

fn coefficients() -> impl Strategy<Value = Coefficient> {
    prop_oneof![
        4 => prop::sample::select(vec![1_i64, 1, 1, 2, -1, 3, 16, 24, 128, 1 << 50, i64::MIN])
            .prop_map(Coefficient::from),
        1 => prop::sample::select(vec!["blockDim.x", "gridDim.y", "width"])
            .prop_map(Coefficient::symbol),
    ]
}

fn rows() -> impl Strategy<Value = PatternRow> {
    let parity = (2_u64..5, vec(columns(), 0..2)).prop_map(|(modulus, of)| Parity { modulus, of });
    (btree_map(columns(), coefficients(), 0..3), vec(parity, 0..2))
        .prop_map(|(coefficients, parities)| PatternRow { coefficients, parities })
}

fn launches() -> impl Strategy<Value = Launch> {
    let size = || prop::sample::select(vec![1_u64, 2, 7, 16, 32, 100, 128, 1024]);
    let extent = || option::of(1_u64..100);
    ([size(), size(), size()], [extent(), extent(), extent()], 1_u64..3000).prop_map(
        |(block, grid, active_blocks)| Launch { grid, ..Launch::new(block, active_blocks) },
    )
}

/// Small extents, so that whole arrays can be walked.
fn grids() -> impl Strategy<Value = (GridShape, Vec<u64>, CommonPattern)> {
    let value = prop::sample::select(vec![1_u64, 2, 4, 8, 12, 16, 64, 256]);
    let dimension = (1_u64..40, any::<bool>(), rows());
    (vec(dimension, 1..5), value, any::<bool>()).prop_map(|(dimensions, value_bytes, is_record)| {
        let shape = |(at, (extent, known, _)): (usize, &(u64, bool, PatternRow))| {
            let extent =
                if *known { Extent::Constant(*extent) } else { Extent::Symbolic(format!("n{at}")) };
            GridDimension::new(&format!("i{at}"), extent)
        };
        let grid = GridShape {
            dimensions: dimensions.iter().enumerate().map(shape).collect(),
            value_bytes,
            is_record,
        };
        let extents = dimensions.iter().map(|(extent, ..)| *extent).collect();
        let rows = dimensions.into_iter().map(|(_, _, row)| row).collect();
        (grid, extents, CommonPattern { rows })
    })
}

/// One scalar, or a record of two.
fn record(is_record: bool) -> RecordShape {
    let leaf = |name: &str, offset| Leaf {
        path: name.to_owned(),
        scalar_size: Bytes(4),
        align: Bytes(4),
        extents: Vec::new(),
        offset: Bytes(offset),
        type_name: "float".to_owned(),
    };
    let leaves = if is_record { vec![leaf("a", 0), leaf("b", 4)] } else { vec![leaf("a", 0)] };
    RecordShape {
        name: "Cell".to_owned(),
        size: Bytes(4 * leaves.len() as u64),
        align: Bytes(4),
        leaves,
    }
}

/// The element that digits spell, in elements.
fn spelled(digits: &[Digit], index: &[u64], extents: &[u64]) -> u64 {
    digits.iter().fold(0, |number, digit| match *digit {
        Digit::Slice { dimension: DimensionId(dimension), divisor, modulus } => {
            let dimension = dimension as usize;
            let high = index[dimension] / divisor;
            let places = modulus.unwrap_or_else(|| extents[dimension].div_ceil(divisor));
            number * places + modulus.map_or(high, |modulus| high % modulus)
        }
        Digit::Field | Digit::Extent(_) => number,
    })
}

/// Where one subscript has a factor beyond the length of any array, in the layout of each device.
#[test]
fn factors_beyond_all_arrays_make_no_tiles() {
    let extents = [29, 30, 38, 1];
    let dimension =
        |at: usize| GridDimension::new(&format!("i{at}"), Extent::Symbolic(format!("n{at}")));
    let grid = GridShape {
        dimensions: (0..extents.len()).map(dimension).collect(),
        value_bytes: 4,
        is_record: false,
    };
    let shape = record(false);
    let leaf = shape.leaf_ids().next().expect("one");
    for factor in [1 << 18, 1 << 50, i64::MIN] {
        for own in 0..extents.len() {
            let row = |at: usize| {
                let factor = (at == own).then(|| (Column::Thread(Axis::X), factor.into()));
                PatternRow { coefficients: factor.into_iter().collect(), parities: Vec::new() }
            };
            let pattern = CommonPattern { rows: (0..extents.len()).map(row).collect() };
            for name in device_names() {
                let launch = Launch::new([128, 1, 1], 32);
                let found = choose_grid_layout(&grid, &pattern, &launch, &device(name));
                let digits = found.expect("fits").digits;
                let group = Group::new(&shape, vec![leaf], None, digits).expect("valid");
                let layout = Layout::new(&shape, 4, vec![group]).expect("valid");
                let geometry = Geometry::new(&layout, &shape, &extents);
                let bytes = geometry.allocation_bytes().0;
                assert!(bytes < 1 << 40, "{name}: {factor} in i{own}: {bytes} bytes, {layout:?}");
            }
        }
    }
}

proptest! {
    #[test]
    fn digits_cover_every_dimension_exactly(
        (grid, _, pattern) in grids(),
        launch in launches(),
        name in prop::sample::select(device_names()),
    ) {
        let layout = choose_grid_layout(&grid, &pattern, &launch, &device(name)).expect("fits");
        let shape = record(grid.is_record);
        let leaves = shape.leaf_ids().collect();
        let group = Group::new(&shape, leaves, None, layout.digits.clone());
        let group = group.unwrap_or_else(|error| panic!("{error}: {:?}", layout.digits));
        // Joined and without idle digits already.
        prop_assert_eq!(group.digits(), &layout.digits[..]);
        prop_assert!(Layout::new(&shape, grid.dimensions.len() as u32, vec![group]).is_ok());
        prop_assert!(!drawing::svg(&layout.explanation).is_empty());
    }

    #[test]
    fn digits_place_every_element_once(
        (grid, extents, pattern) in grids(),
        launch in launches(),
        name in prop::sample::select(device_names()),
    ) {
        prop_assume!(extents.iter().product::<u64>() < 20_000);
        let layout = choose_grid_layout(&grid, &pattern, &launch, &device(name)).expect("fits");
        let mut seen = BTreeSet::new();
        let mut index = vec![0; extents.len()];
        loop {
            prop_assert!(seen.insert(spelled(&layout.digits, &index, &extents)), "{:?}", index);
            let Some(at) = (0..index.len()).rev().find(|at| index[*at] + 1 < extents[*at]) else {
                break;
            };
            index[at] += 1;
            index[at + 1..].fill(0);
        }
    }

    #[test]
    fn the_flattening_function_is_that_of_the_layout_algebra(
        (mut grid, extents, pattern) in grids(),
        launch in launches(),
        name in prop::sample::select(device_names()),
        at in any::<prop::sample::Index>(),
    ) {
        grid.is_record = false;
        let layout = choose_grid_layout(&grid, &pattern, &launch, &device(name)).expect("fits");
        let shape = record(false);
        let leaf = shape.leaf_ids().next().expect("one");
        let group = Group::new(&shape, vec![leaf], None, layout.digits.clone()).expect("valid");
        let algebra = Layout::new(&shape, extents.len() as u32, vec![group]).expect("valid");
        let mut number = at.index(extents.iter().product::<u64>() as usize) as u64;
        let mut index: Vec<u64> = extents.iter().rev().map(|extent| {
            let own = number % extent;
            number /= extent;
            own
        }).collect();
        index.reverse();
        let address = Geometry::new(&algebra, &shape, &extents).flattening_function(leaf, &index, 0);
        prop_assert_eq!(address, Bytes(4 * spelled(&layout.digits, &index, &extents)));
    }

    #[test]
    fn neighbouring_lanes_are_neighbours_in_memory(
        (mut grid, _, mut pattern) in grids(),
        which in any::<prop::sample::Index>(),
        name in prop::sample::select(device_names()),
    ) {
        // One subscript is threadIdx.x alone, and long; no other depends on it.
        let own = which.index(grid.dimensions.len());
        for row in &mut pattern.rows {
            row.coefficients.remove(&Column::Thread(Axis::X));
        }
        pattern.rows[own] = PatternRow {
            coefficients: [(Column::Thread(Axis::X), Coefficient::from(1))].into(),
            parities: Vec::new(),
        };
        grid.dimensions[own].extent = Extent::Symbolic("n".to_owned());
        grid.value_bytes = 4;
        let launch = Launch::new([128, 1, 1], 32);
        let device = device(name);
        let layout = choose_grid_layout(&grid, &pattern, &launch, &device).expect("fits");
        let innermost = *layout.digits.last().expect("digits");
        let least = if device.steering_model().is_ok() { 16 } else { 32 };
        let Digit::Slice { dimension, divisor: 1, modulus } = innermost else {
            panic!("{innermost:?}");
        };
        prop_assert_eq!(dimension.0 as usize, own);
        prop_assert!(modulus.is_none_or(|modulus| modulus >= least));
    }
}

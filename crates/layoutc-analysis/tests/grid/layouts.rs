//! The digits of known grids.

use crate::{BX, BY, TX, TY, device, grid, pattern, running_example};
use layoutc_analysis::grid::{
    Agreement, CommonPattern, Explanation, Feed, GridShape, Launch, Model, Parity, Role,
    choose_grid_layout, common_pattern, digit_text, drawing,
};
use layoutc_dataflow::layout::{Digit, DimensionId};

fn example_on(name: &str) -> (Vec<Digit>, Explanation) {
    let (grid, accesses) = running_example();
    let pattern = common_pattern(&accesses, Agreement::All).expect("eligible");
    let launch = Launch::new([128, 1, 1], 32);
    let layout = choose_grid_layout(&grid, &pattern, &launch, &device(name)).expect("fits");
    (layout.digits, layout.explanation)
}

/// The digits as a text, such as `y/32, x%32`.
fn chosen(grid: &GridShape, pattern: &CommonPattern, launch: &Launch, name: &str) -> String {
    let layout = choose_grid_layout(grid, pattern, launch, &device(name)).expect("fits");
    let texts: Vec<String> = layout.digits.iter().map(|digit| digit_text(grid, *digit)).collect();
    texts.join(", ")
}

#[test]
fn the_running_example_digit_for_digit() {
    let (digits, explanation) = example_on("gtx280");
    let slice = |dimension, divisor, modulus| Digit::Slice {
        dimension: DimensionId(dimension),
        divisor,
        modulus,
    };
    let expected = [
        slice(0, 32, None),
        slice(1, 128, None),
        slice(2, 1, None),
        slice(0, 1, Some(32)),
        slice(1, 1, Some(128)),
    ];
    assert_eq!(digits, expected);
    assert_eq!(explanation.dimension_vector, "(⌈ny/2^5⌉, ⌈nx/2^7⌉, 4, 2^5, 2^7)");
    assert_eq!(
        explanation.flattening_function,
        "(I2>>5)D3D2D1D0 + (I1>>7)D2D1D0 + I0 D1D0 + (I2&31)D0 + (I1&127)"
    );
}

#[test]
fn the_running_example_feeds_the_bits_that_the_paper_names() {
    let (_, explanation) = example_on("gtx280");
    let Model::Steering(model) = &explanation.model else { panic!("modelled") };
    let ranges = [model.coalescing, model.steering, model.most_important.expect("known")];
    assert_eq!(ranges.map(|range| range.to_string()), ["[5:2]", "[13:6]", "[10:6]"]);
    let busy: Vec<usize> =
        explanation.dimensions.iter().map(|dimension| dimension.busy.bits.len()).collect();
    assert_eq!(busy, [5, 7, 0]);
    // Seven bits of the thread cover [5:2] and [8:6], five of the block [13:9].
    let of = |wanted: u32| {
        let is_of =
            |feed: &Feed| matches!(feed, Feed::Index { dimension, .. } if *dimension == wanted);
        let bits = explanation.address_bits.iter().filter(|bit| is_of(&bit.feed));
        bits.map(|bit| bit.bit).collect::<Vec<u32>>()
    };
    assert_eq!(of(1), [2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(of(0), [9, 10, 11, 12, 13]);
    assert_eq!(of(2), [14, 15]);
    for bit in &explanation.address_bits {
        assert_eq!(bit.is_burst_offset, (2..6).contains(&bit.bit));
        assert_eq!(bit.is_steering, (6..14).contains(&bit.bit));
        assert_eq!(bit.is_most_important, (6..11).contains(&bit.bit));
    }
    assert_eq!(explanation.above, ["j/32", "i/128"]);
    let roles: Vec<Role> = explanation.digits.iter().map(|digit| digit.role).collect();
    let left = Role::Remaining;
    assert_eq!(roles, [left, left, left, Role::Steering, Role::CoalescingAndSteering]);
    assert_eq!(explanation.notes, [""; 0]);
}

#[test]
fn without_steering_bits_a_slice_of_a_line_is_innermost_and_the_field_outside() {
    for name in ["v100", "a100", "h100", "h200", "k20c", "m2050"] {
        let (_, explanation) = example_on(name);
        assert_eq!(explanation.dimension_vector, "(ny, ⌈nx/2^5⌉, 4, 2^5)", "{name}");
        assert!(matches!(explanation.model, Model::Coalescing { .. }), "{name}");
        assert!(explanation.notes[0].contains("steering bits are not modelled"), "{name}");
        assert!(
            explanation.address_bits.iter().all(|bit| !bit.is_steering && !bit.is_burst_offset)
        );
    }
    let (_, explanation) = example_on("v100");
    assert!(
        explanation.notes[0].contains("its memory channels are hashed"),
        "{:?}",
        explanation.notes
    );
}

#[test]
fn element_sizes_move_the_bits() {
    let (mut grid, accesses) = running_example();
    let pattern = common_pattern(&accesses, Agreement::All).expect("eligible");
    let launch = Launch::new([128, 1, 1], 32);
    let mut on = |value_bytes, name| {
        grid.value_bytes = value_bytes;
        chosen(&grid, &pattern, &launch, name)
    };
    // 8 bytes: address bits [13:3] hold eleven index bits, 7 of the thread and 4 of the block.
    assert_eq!(on(8, "gtx280"), "j/16, i/128, f, j%16, i%128");
    assert_eq!(on(64, "gtx280"), "j/2, i/128, f, j%2, i%128");
    assert_eq!(on(1 << 20, "gtx280"), "j, i, f");
    assert_eq!(on(1, "gtx280"), "j/32, i/128, f, j%32, i%128");
    assert_eq!(on(8, "h100"), "j, i/32, f, i%32");
    assert_eq!(on(2, "h100"), "j, i/64, f, i%64");
    assert_eq!(on(1, "h100"), "j, i/128, f, i%128");
}

#[test]
fn records_have_a_field_digit_where_the_constant_dimension_stood() {
    let mut grid = grid(&[("y", "ny"), ("x", "nx")]);
    grid.is_record = true;
    let pattern = pattern(&[&[(BX, 1)], &[(TX, 1)]]);
    let launch = Launch::new([128, 1, 1], 32);
    assert_eq!(chosen(&grid, &pattern, &launch, "gtx280"), "y/32, x/128, field, y%32, x%128");
    assert_eq!(chosen(&grid, &pattern, &launch, "h100"), "y, x/32, field, x%32");
}

#[test]
fn row_major_grids_stay_where_channels_are_hashed() {
    let grid = grid(&[("z", "nz"), ("y", "ny"), ("x", "nx")]);
    let heat = pattern(&[&[], &[(BX, 1)], &[(TX, 1)]]);
    let launch = Launch::new([128, 1, 1], 32);
    let layout = choose_grid_layout(&grid, &heat, &launch, &device("h100")).expect("fits");
    assert!(layout.is_row_major());
    // Very close to row-major, with little tiles in x and y, as in the paper's section 6.
    assert_eq!(chosen(&grid, &heat, &launch, "gtx280"), "z, y/32, x/128, y%32, x%128");
}

#[test]
fn blocks_of_two_dimensions_put_threads_before_blocks() {
    let grid = grid(&[("y", "ny"), ("x", "nx")]);
    let square = pattern(&[&[(BY, 16), (TY, 1)], &[(BX, 16), (TX, 1)]]);
    let mut launch = Launch::new([16, 16, 1], 32);
    // Four coalescing bits of x, four of y by threads, then what is left of the eight for blocks.
    assert_eq!(chosen(&grid, &square, &launch, "gtx280"), "y/16, x/16, y%16, x%16");
    launch.grid = [Some(4), Some(64), None];
    assert_eq!(chosen(&grid, &square, &launch, "gtx280"), "y/64, x/64, y/16%4, x/16%4, y%16, x%16");
    assert_eq!(chosen(&grid, &square, &launch, "h200"), "y, x");
}

#[test]
fn rows_are_padded_to_whole_bursts() {
    let grid = grid(&[("y", "ny"), ("x", "nx")]);
    let rows = pattern(&[&[], &[(TX, 1)]]);
    let launch = Launch::new([128, 1, 1], 32);
    assert_eq!(chosen(&grid, &rows, &launch, "gtx280"), "y, x/16, x%16");
}

#[test]
fn one_dimension_needs_no_tiles() {
    let grid = grid(&[("i", "n")]);
    let flat = pattern(&[&[(BX, 128), (TX, 1)]]);
    let launch = Launch::new([128, 1, 1], 32);
    for name in ["gtx280", "h100"] {
        assert_eq!(chosen(&grid, &flat, &launch, name), "i", "{name}");
    }
}

#[test]
fn numbers_that_are_no_powers_of_two_are_rounded() {
    let grid = grid(&[("y", "ny"), ("x", "nx"), ("f", "19")]);
    let pattern = pattern(&[&[(BX, 1)], &[(TX, 1)], &[]]);
    let on =
        |threads, blocks| chosen(&grid, &pattern, &Launch::new([threads, 1, 1], blocks), "gtx280");
    assert_eq!(on(100, 30), "y/32, x/128, f, y%32, x%128");
    assert_eq!(on(90, 22), "y/16, x/64, f, y%16, x%64");
    // Four bits coalesce in any case.
    assert_eq!(on(3, 1), "y, x/16, f, x%16");
    assert_eq!(on(1, 32), "y/32, x, f, y%32");
}

#[test]
fn strided_subscripts_leave_their_low_bits_above() {
    // Each thread walks 16 consecutive elements.
    let grid = grid(&[("y", "ny"), ("x", "nx")]);
    let coarse = pattern(&[&[(BX, 1)], &[(TX, 16)]]);
    let launch = Launch::new([128, 1, 1], 32);
    assert_eq!(chosen(&grid, &coarse, &launch, "gtx280"), "y/32, x/2048, x%16, y%32, x/16%128");
    assert_eq!(chosen(&grid, &coarse, &launch, "h100"), "y, x/512, x%16, x/16%32");
}

#[test]
fn red_black_orders_get_their_colours_apart() {
    let grid = grid(&[("y", "ny"), ("x", "nx")]);
    let mut red = pattern(&[&[(BX, 1)], &[(TX, 2)]]);
    red.rows[1].parities.push(Parity { modulus: 2, of: vec![BX] });
    let launch = Launch::new([64, 1, 1], 16);
    assert_eq!(chosen(&grid, &red, &launch, "h100"), "y, x/64, x%2, x/2%32");
    assert_eq!(chosen(&grid, &red, &launch, "gtx280"), "y/16, x/128, y%16, x%2, x/2%64");
}

#[test]
fn constant_extents_are_not_padded_much() {
    let launch = Launch::new([128, 1, 1], 32);
    let pattern = pattern(&[&[(BX, 1)], &[(TX, 1)]]);
    let on = |rows: &str, columns: &str, name| {
        chosen(&grid(&[("y", rows), ("x", columns)]), &pattern, &launch, name)
    };
    // 100 rows: tiles of 32 would make them 128, those of 16 make them 112.
    assert_eq!(on("100", "1024", "gtx280"), "y/16, x/128, y%16, x%128");
    assert_eq!(on("19", "1024", "gtx280"), "x/128, y, x%128");
    assert_eq!(on("64", "16", "gtx280"), "y, x");
    let turned = |extent: &str| {
        let pattern = crate::pattern(&[&[(TX, 1)], &[]]);
        chosen(&grid(&[("x", extent), ("f", "9")]), &pattern, &launch, "h100")
    };
    assert_eq!(turned("96"), "x/32, f, x%32");
    assert_eq!(turned("40"), "f, x");
    assert_eq!(turned("20"), "f, x");
}

#[test]
fn extents_may_be_absurd() {
    let launch = Launch::new([u64::MAX, u64::MAX, 1], u64::MAX);
    let pattern = pattern(&[&[(BX, i64::MIN), (TY, i64::MAX)], &[(TX, 1 << 62)]]);
    for extent in ["0", "1", "18446744073709551615"] {
        let mut grid = grid(&[("y", extent), ("x", extent)]);
        for (name, is_record) in [("gtx280", true), ("gtx280", false), ("h100", true)] {
            grid.is_record = is_record;
            let layout = choose_grid_layout(&grid, &pattern, &launch, &device(name));
            assert!(layout.is_ok(), "{extent}");
        }
    }
}

#[test]
fn subscripts_without_threads_cannot_coalesce() {
    let grid = grid(&[("y", "ny"), ("x", "nx")]);
    let pattern = pattern(&[&[(BX, 1)], &[]]);
    let launch = Launch::new([128, 1, 1], 32);
    let layout = choose_grid_layout(&grid, &pattern, &launch, &device("gtx280")).expect("fits");
    assert_eq!(chosen(&grid, &pattern, &launch, "gtx280"), "y/32, x, y%32");
    assert!(layout.explanation.notes[0].contains("nothing can coalesce"));
    assert_eq!(chosen(&grid, &pattern, &launch, "h100"), "y, x");
}

#[test]
fn numbers_that_do_not_fit_are_refused() {
    let grid = grid(&[("y", "ny"), ("x", "nx")]);
    let error = |pattern: &CommonPattern, launch: &Launch| {
        choose_grid_layout(&grid, pattern, launch, &device("h100")).expect_err("wrong").to_string()
    };
    let one = pattern(&[&[(TX, 1)]]);
    let both = pattern(&[&[], &[(TX, 1)]]);
    let launch = Launch::new([128, 1, 1], 32);
    assert_eq!(error(&one, &launch), "the grid has 2 dimensions and accesses have 1 subscripts");
    assert!(error(&both, &Launch::new([0, 1, 1], 32)).contains("block"));
    assert!(error(&both, &Launch::new([32, 1, 1], 0)).contains("active blocks"));
}

#[test]
fn drawings() {
    let (_, explanation) = example_on("gtx280");
    let drawing = drawing::svg(&explanation);
    assert_eq!(drawing, drawing::svg(&explanation));
    insta::assert_snapshot!("running_example_gtx280", drawing);
    let (_, explanation) = example_on("h100");
    insta::assert_snapshot!("running_example_h100", drawing::svg(&explanation));
}

#[test]
fn drawings_escape_names() {
    let grid = grid(&[("a<b", "n & \"m\""), ("x", "nx")]);
    let pattern = pattern(&[&[(BX, 1)], &[(TX, 1)]]);
    let launch = Launch::new([128, 1, 1], 32);
    let layout = choose_grid_layout(&grid, &pattern, &launch, &device("gtx280")).expect("fits");
    let drawing = drawing::svg(&layout.explanation);
    assert!(drawing.contains("a&lt;b") && drawing.contains("n &amp; "), "{drawing}");
    assert!(!drawing.contains("a<b"));
}

#[test]
fn explanations_are_json() {
    let (_, explanation) = example_on("gtx280");
    let json = serde_json::to_value(&explanation).expect("plain data");
    assert_eq!(json["device"], "gtx280");
    assert_eq!(json["model"]["steering"]["steering"], serde_json::json!([13, 6]));
    assert_eq!(json["digits"][4]["address_bits"], serde_json::json!([8, 2]));
    assert_eq!(json["address_bits"][9]["feed"]["index"]["drivers"][0], "blockIdx.x");
}

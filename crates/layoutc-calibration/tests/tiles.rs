//! Trees from times: patterns, ties, and trees that are known.

use layoutc_analysis::device::tree::{ClusterFacts, ClusterLayout, Feature, Tree};
use layoutc_analysis::device::{Device, TileModel};
use layoutc_calibration::tiles::{TileRuns, TilesError, train, trained};
use std::fmt::Write;

const TRIPS: [u64; 8] = [128, 256, 512, 1024, 2048, 4096, 8192, 16384];

/// Times of all kernels on a device for which a function knows the best layout; others take longer.
fn times(best: impl Fn(u64, u64) -> ClusterLayout) -> String {
    let mut text = String::from("# device: Nobody's\ntrips,fields,field_bytes,layout,seconds\n");
    let tiles = (1..=15).map(|power| ClusterLayout::Tiled(1 << power));
    let layouts: Vec<ClusterLayout> =
        tiles.chain([ClusterLayout::Aos, ClusterLayout::Soa]).collect();
    for trips in TRIPS {
        for fields in [2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32] {
            for layout in &layouts {
                let factor = if *layout == best(4 * fields, trips) { 1.0 } else { 1.2 };
                let seconds = 1e-6 * (trips * fields) as f64 * factor;
                let _ = writeln!(text, "{trips},{fields},4,{layout},{seconds:e}");
            }
        }
    }
    text
}

#[test]
fn the_tree_of_the_k20m_is_found_again() {
    let device = Device::built_in("k20m").expect("built in");
    let tree = device.tile_tree(TileModel::Size).expect("it has one");
    let layout = |size, trips| {
        tree.layout(&ClusterFacts { size, fields: size / 4, trips }).expect("all leaves are known")
    };
    let runs = TileRuns::from_csv(&times(layout)).expect("times");
    assert_eq!(runs.device.as_deref(), Some("Nobody's"));
    let found = trained(&runs).expect("trees");
    assert_eq!(found.counts, (88, 88));
    assert_eq!(found.losses, [0.0, 0.0]);
    for size in 1..=128 {
        let facts = ClusterFacts { size: size * 4, fields: size, trips: 128 };
        // Between sizes that were measured, anything may hold.
        if [2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32].contains(&size) {
            assert_eq!(found.by_size.layout(&facts), tree.layout(&facts), "{facts:?}");
        }
    }
    // What is written is what a device file holds.
    let head = "name = \"x\"\ntitle = \"X\"\ncompute_capability = \"1.0\"\n";
    let text = format!("{head}{}", found.device_fragment("a test's \"times\""));
    let device = Device::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(device.tile_tree(TileModel::Size), Some(found.by_size));
    assert_eq!(device.tile_tree(TileModel::Access), Some(found.by_access));
}

#[test]
fn the_second_tree_sees_trips() {
    let short = ClusterLayout::Aos;
    let long = ClusterLayout::Tiled(64);
    let runs = times(|_, trips| if trips <= 1024 { short } else { long });
    let found = trained(&TileRuns::from_csv(&runs).expect("times")).expect("trees");
    assert!(
        matches!(&found.by_access, Tree::Split { feature: Feature::Trips, .. }),
        "{:?}",
        found.by_access
    );
    assert_eq!(found.losses[1], 0.0);
    assert!(found.losses[0] > 0.05, "{:?}", found.losses);
    // Half of the kernels of each size want each: the first of equals.
    assert_eq!(found.by_size, Tree::Leaf(Some(short)));
}

#[test]
fn all_layouts_within_one_percent_are_patterns() {
    let text = "trips,fields,field_bytes,layout,seconds\n\
        128,2,4,aos,1.0\n128,2,4,soa,1.009\n128,2,4,tiled(2),1.011\n256,2,4,soa,3\n";
    let patterns = TileRuns::from_csv(text).expect("times").patterns();
    let layouts: Vec<ClusterLayout> = patterns.iter().map(|pattern| pattern.layout).collect();
    assert_eq!(layouts, [ClusterLayout::Aos, ClusterLayout::Soa, ClusterLayout::Soa]);
    let tree = train(&patterns, &[Feature::Size]).expect("a tree");
    assert_eq!(tree, Tree::Leaf(Some(ClusterLayout::Soa)));
}

#[test]
fn times_that_say_nothing_are_errors() {
    let error = |rows: &str| {
        let text = format!("trips,fields,field_bytes,layout,seconds\n{rows}");
        TileRuns::from_csv(&text).expect_err(rows)
    };
    assert_eq!(error(""), TilesError::Empty);
    assert_eq!(
        error("1,2,4,zigzag,1\n"),
        TilesError::Run(1, "the layout is none of aos, soa and tiled(T)")
    );
    assert_eq!(
        error("1,2,4,aos,1\n1,2,4,aos,0\n"),
        TilesError::Run(2, "the seconds are not above 0")
    );
    assert_eq!(error("1,0,4,aos,1\n"), TilesError::Run(1, "an element without bytes"));
    assert!(matches!(error("1,2,4,aos\n"), TilesError::Syntax(_)));
    assert_eq!(train(&[], &[Feature::Size]), Err(TilesError::Empty));
}

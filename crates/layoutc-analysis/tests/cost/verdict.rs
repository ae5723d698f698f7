//! Ceilings, and layouts that gain nothing.

use crate::code::{Build, arrangement, floats, indirect, kernel, layout, own};
use layoutc_analysis::cost::conversion::launches_that_pay;
use layoutc_analysis::cost::kernel::{AccessKind, ArrayId, KernelCode};
use layoutc_analysis::cost::verdict::{Level, NoGain, Verdict, verdict};
use layoutc_analysis::cost::{Model, price};
use layoutc_analysis::device::Device;
use layoutc_dataflow::layout::RecordShape;

fn compared(code: &KernelCode, shape: &RecordShape, text: &str) -> Verdict {
    let device = Device::built_in("h100").expect("there");
    let [before, after] = ["aos", text].map(|text| {
        let places = arrangement(shape, &layout(shape, text));
        price(code, &places, &device, Model::Sectors).expect("a price")
    });
    verdict(code, &before, &after, &device).expect("a verdict")
}

fn pays(bytes: u64, verdict: &Verdict) -> Option<f64> {
    let device = Device::built_in("h100").expect("there");
    launches_that_pay((bytes, 1), verdict, 1.0, &device).expect("the bandwidth is known")
}

fn eight() -> RecordShape {
    floats("S", &["a", "b", "c", "d", "e", "f", "g", "h"])
}

#[test]
fn one_member_of_eight_is_eight_times_faster() {
    let mut code = kernel(40_000, 256);
    code.read(0, 0, own(0), None);
    let found = compared(&code, &eight(), "soa");
    assert!((found.speedup - 8.0).abs() < 1e-9, "{found:?}");
    assert_eq!(found.no_gain, None);
    // 10 million threads that fetch 32 bytes each: a tenth of a millisecond in memory, and 4 and 1 of 10 parts of it in the caches.
    let memory: f64 = 40_000.0 * 256.0 * 32.0 / 3352e9;
    let expected = memory * (1.0_f64 + 0.4 * 0.4 + 0.1 * 0.1).sqrt();
    assert!((found.before - expected).abs() < 1e-9, "{found:?}");
    // Twice through memory, against seven eighths of once.
    assert_eq!(pays(40_000 * 256 * 32, &found), Some(3.0));
}

/// All bytes of each struct are used: memory gives as much, and the caches serve fewer sectors.
#[test]
fn what_is_used_together_gains_in_caches_alone() {
    let mut code = kernel(40_000, 256);
    for leaf in 0..8 {
        code.read(0, leaf, own(0), None);
    }
    let found = compared(&code, &eight(), "soa");
    assert!((1.1..1.5).contains(&found.speedup), "{found:?}");
    assert_eq!(pays(1 << 30, &compared(&code, &eight(), "aos")), None);
}

#[test]
fn nothing_is_gained_where_memory_gives_as_much_or_more() {
    let mut code = kernel(40_000, 256);
    code.read(0, 0, own(0), None);
    let found = compared(&code, &floats("S", &["a"]), "soa");
    assert_eq!(found.no_gain, Some(NoGain::SameTraffic(Level::Dram)), "{found:?}");
    // Members of an element anywhere: one sector in a struct, and eight in arrays.
    let mut code = kernel(40_000, 256);
    for leaf in 0..8 {
        code.read(0, leaf, indirect(0), None);
    }
    let found = compared(&code, &eight(), "soa");
    assert_eq!(found.no_gain, Some(NoGain::MoreTraffic(Level::Dram)), "{found:?}");
    assert!(found.speedup < 1.0, "{found:?}");
}

#[test]
fn arithmetic_hides_memory() {
    let mut code = kernel(40_000, 256);
    code.read(0, 0, own(0), None);
    code.operations = vec![(None, 10_000)];
    let found = compared(&code, &eight(), "soa");
    assert_eq!(found.no_gain, Some(NoGain::ComputeBound), "{found:?}");
    assert!((1.0..1.05).contains(&found.speedup), "{found:?}");
}

#[test]
fn atomics_stay_as_many() {
    let mut code = kernel(40_000, 256);
    code.access(AccessKind::Atomic, 0, 0, indirect(0), None);
    code.access(AccessKind::Atomic, 0, 1, indirect(1), None);
    let found = compared(&code, &eight(), "soa");
    assert!((0.95..1.05).contains(&found.speedup), "{found:?}");
    assert!(matches!(found.no_gain, Some(NoGain::Atomics | NoGain::SameTraffic(_))), "{found:?}");
}

#[test]
fn small_arrays_stay_in_the_cache() {
    let mut code = kernel(100, 256);
    for leaf in 0..6 {
        code.read(0, leaf, own(0), None);
    }
    code.extents.insert(ArrayId(0), 25_600);
    let found = compared(&code, &eight(), "aos align(16)");
    assert_eq!(found.no_gain, Some(NoGain::InCache), "{found:?}");
}

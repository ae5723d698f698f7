//! Ceilings, and layouts that gain nothing.

use crate::code::{Build, arrangement, floats, indirect, kernel, layout, own};
use layoutc_analysis::cost::kernel::{AccessKind, ArrayId, KernelCode};
use layoutc_analysis::cost::verdict::{NoGain, Verdict, launches_that_pay, verdict};
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
    launches_that_pay(bytes, verdict, 1.0, &device).expect("the bandwidth is known")
}

fn eight() -> RecordShape {
    floats("S", &["a", "b", "c", "d", "e", "f", "g", "h"])
}

#[test]
fn one_member_of_eight_is_eight_times_faster() {
    let mut code = kernel(40_000, 256);
    code.read(0, 0, own(0), None);
    let found = compared(&code, &eight(), "soa");
    assert!((found.ceiling - 8.0).abs() < 1e-9, "{found:?}");
    assert_eq!((found.memory_share, found.no_gain), (1.0, None));
    // 10 million threads that fetch 32 bytes each: a tenth of a millisecond.
    assert!((found.before.memory - 40_000.0 * 256.0 * 32.0 / 3352e9).abs() < 1e-12);
    // Twice through memory, against seven eighths of once.
    assert_eq!(pays(40_000 * 256 * 32, &found), Some(3.0));
}

#[test]
fn what_is_used_together_gains_nothing() {
    let mut code = kernel(40_000, 256);
    for leaf in 0..8 {
        code.read(0, leaf, own(0), None);
    }
    let found = compared(&code, &eight(), "soa");
    assert_eq!(found.no_gain, Some(NoGain::UsedTogether), "{found:?}");
    assert_eq!(pays(1 << 30, &compared(&code, &eight(), "aos")), None);
}

#[test]
fn arithmetic_hides_memory() {
    let mut code = kernel(40_000, 256);
    code.read(0, 0, own(0), None);
    code.operations = vec![(None, 10_000)];
    let found = compared(&code, &eight(), "soa");
    assert_eq!(found.no_gain, Some(NoGain::ComputeBound), "{found:?}");
    assert!(found.memory_share < 0.05 && found.ceiling < 1.05);
}

#[test]
fn atomics_stay_as_many() {
    let mut code = kernel(40_000, 256);
    code.access(AccessKind::Atomic, 0, 0, indirect(0), None);
    code.access(AccessKind::Atomic, 0, 1, indirect(1), None);
    let found = compared(&code, &eight(), "soa");
    assert_eq!(found.ceiling, 1.0);
    assert!(matches!(found.no_gain, Some(NoGain::Atomics | NoGain::UsedTogether)), "{found:?}");
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

//! Steering bits from synthetic curves.

use layoutc_analysis::device::Device;
use layoutc_calibration::{Calibration, Curve, CurveError, CurvePoint, steering_bits};
use std::collections::BTreeSet;

const BLOCKS: u64 = 240;

/// How many values the address bits of all blocks have between two bits, as a binary logarithm.
fn spread(stride_words: u64, high: u32, low: u32) -> f64 {
    let values: BTreeSet<u64> = (0..BLOCKS)
        .map(|block| ((block * stride_words * 4) >> low) & ((1 << (high - low + 1)) - 1))
        .collect();
    (values.len() as f64).log2()
}

/// A memory whose bits [10:6] matter most and whose bits [13:11] matter too: seven times slower if
/// all requests agree in them.
fn gtx_280(stride_words: u64) -> f64 {
    let missing = (5.0 - spread(stride_words, 10, 6)) / 5.0;
    let banks = (3.0 - spread(stride_words, 13, 11)) / 3.0;
    1e9 / (1.0 + 4.5 * missing * missing + 1.5 * banks)
}

/// Strides as in the paper's figure: multiples of 16 words, 64 bytes.
fn curve(rate: impl Fn(u64) -> f64) -> Curve {
    let strides = (1..=1024).map(|number| number * 16);
    let point = |stride_words| CurvePoint { stride_words, requests_per_second: rate(stride_words) };
    Curve { device: None, points: strides.map(point).collect() }
}

fn derived(curve: &Curve) -> Calibration {
    steering_bits(curve, 64).expect("a full curve")
}

/// A number between 0 and 1 that depends on the stride in no simple way.
fn noise(stride_words: u64) -> f64 {
    let mixed = (stride_words.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f64;
    mixed / f64::from(1 << 24)
}

fn check_gtx_280(calibration: &Calibration) {
    let bits = calibration.steering.as_ref().expect("not flat");
    assert_eq!(bits.coalescing.to_string(), "[5:2]");
    assert_eq!(bits.steering.to_string(), "[13:6]", "{:?}", calibration.levels);
    assert_eq!(bits.most_important.to_string(), "[10:6]", "{:?}", calibration.levels);
    assert_eq!(bits.worst_stride_words, 512);
    assert_eq!(bits.without_effect, [0_u32; 0]);
}

#[test]
fn the_bits_of_the_gtx_280_come_out() {
    let calibration = derived(&curve(gtx_280));
    check_gtx_280(&calibration);
    assert!((calibration.loss - 7.0).abs() < 0.01, "{}", calibration.loss);
    // What comes out is what the device file says.
    let head = "name = \"x\"\ntitle = \"X\"\ncompute_capability = \"1.3\"\n";
    let fragment = calibration.device_fragment("a \"test\"");
    let measured = Device::parse(&format!("{head}{fragment}")).expect("a device");
    let built_in = Device::built_in("gtx280").expect("built in");
    assert_eq!(measured.steering_model(), built_in.steering_model());
    assert!(fragment.contains("multiples of 512 words"), "{fragment}");
}

#[test]
fn noise_and_outliers_change_nothing() {
    check_gtx_280(&derived(&curve(|stride| gtx_280(stride) * (0.98 + 0.04 * noise(stride)))));
    // A hundredth of the measurements is disturbed.
    check_gtx_280(&derived(&curve(|stride| {
        gtx_280(stride) * if stride % 1616 == 16 { 0.3 } else { 1.0 }
    })));
}

#[test]
fn flat_curves_say_nothing() {
    let hashed = derived(&curve(|stride| 1e9 * (0.9 + 0.2 * noise(stride))));
    assert_eq!(hashed.steering, None);
    let fragment = hashed.device_fragment("a test");
    assert!(fragment.contains("channel_hash = \"unknown\""), "{fragment}");
    let head = "name = \"x\"\ntitle = \"X\"\ncompute_capability = \"9.0\"\n";
    let device = Device::parse(&format!("{head}{fragment}")).expect("a device");
    assert!(device.steering_model().is_err());
    // Faster with every stride is no steering either.
    let rising = derived(&curve(|stride| 1e6 * f64::from(stride.trailing_zeros())));
    assert_eq!(rising.steering, None);
}

#[test]
fn interleaving_above_the_burst() {
    // Eight channels of 256 bytes: bits 6 and 7 do not matter.
    let channels = curve(|stride| 1e9 * spread(stride, 10, 8).exp2());
    let bits = derived(&channels).steering.expect("not flat");
    assert_eq!(bits.steering.to_string(), "[10:8]");
    assert_eq!(bits.coalescing.to_string(), "[5:2]");
    assert_eq!(bits.worst_stride_words, 512);
    let head = "name = \"x\"\ntitle = \"X\"\ncompute_capability = \"2.0\"\n";
    let fragment = derived(&channels).device_fragment("a test");
    assert!(Device::parse(&format!("{head}{fragment}")).is_ok());
}

#[test]
fn curves_are_read() {
    let csv = "# device: GeForce\nstride_words, requests_per_second\n16, 4e9\n32,2e9\n";
    let curve = Curve::from_csv(csv).expect("CSV");
    assert_eq!(curve.device.as_deref(), Some("GeForce"));
    let point =
        |stride_words, requests_per_second| CurvePoint { stride_words, requests_per_second };
    assert_eq!(curve.points, [point(16, 4e9), point(32, 2e9)]);
    let json = r#"{"points": [{"stride_words": 16, "latency_ns": 250}]}"#;
    assert_eq!(Curve::from_json(json).expect("JSON").points, [point(16, 4e6)]);
    assert_eq!(steering_bits(&curve, 24), Err(CurveError::Burst(24)));
    assert_eq!(steering_bits(&curve, 128), Err(CurveError::TooFewLevels));
}

#[test]
fn mistakes_in_curves_are_named() {
    let error = |text: &str| Curve::from_csv(text).expect_err("wrong").to_string();
    assert_eq!(error("stride_words,latency_ns\n0,1\n"), "measurement 1: the stride is 0");
    assert!(error("stride_words,latency_ns\n9999999999,1\n").contains("above 2^32"));
    assert_eq!(error("stride_words,latency_ns\n1,0\n"), "measurement 1: it is not above 0");
    assert_eq!(error("stride_words,latency_ns\n1,nan\n"), "measurement 1: it is not above 0");
    assert!(error("stride_words,speed\n1,1\n").contains("either requests_per_second or"));
    assert!(error("stride_words,latency_ns\nfour,1\n").contains("invalid digit"));
    assert!(error("a,b\n1,1\n").contains("stride_words"));
    assert!(Curve::from_json("[1]").is_err());
    assert!(Curve::from_csv("").is_ok_and(|curve| curve.points.is_empty()));
    assert_eq!(steering_bits(&Curve::default(), 64), Err(CurveError::TooFewLevels));
    let huge = CurvePoint { stride_words: 1 << 63, requests_per_second: 1.0 };
    let curve = Curve { device: None, points: vec![huge, CurvePoint { stride_words: 16, ..huge }] };
    assert!(steering_bits(&curve, 64).is_ok());
}

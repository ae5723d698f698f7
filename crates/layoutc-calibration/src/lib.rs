//! Steering bits from a measured curve.
//!
//! The curve comes from many blocks of one thread, each of which loads one word again and again,
//! the words a fixed stride apart. With strides that are odd multiples of `2^k` words the address
//! bits below bit `k + 2` are the same in all requests. Bandwidth that falls from one `k` to the next
//! says that the bit that varied before and is fixed now chose channels or banks.
//!
//! Source: Sung, Stratton, Hwu, PACT 2010, §5.1. The paper reads its figure by eye; what is decided
//! here:
//!
//! - The bandwidth of a level `k` is the median over all measured odd multiples of `2^k` words, so
//!   that a single bad measurement decides nothing.
//! - A bit steers if fixing it costs at least 5 percent. The steering bits reach from the lowest to
//!   the highest such bit.
//! - The most important bits are those that are fixed at the first level from which on all levels are
//!   within 1.5 times of the worst: in the paper multiples of 512 words, hence bits up to 10.
//! - A curve whose worst level is not 1.5 times slower than its best is flat: the channels are
//!   hashed, or something hides them. Then nothing is known.
//! - Offsets in a burst cannot be measured this way; the burst is given.

mod curve;
pub mod tiles;

pub use curve::{Curve, CurveError, CurvePoint};

use layoutc_analysis::device::BitRange;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Bytes of a word of the curve.
const WORD: u64 = 4;
/// The part of the bandwidth that must be lost for a bit to steer.
const LEAST_FALL: f64 = 0.05;
/// The factor below which a curve is flat, and within which a level is as bad as the worst.
const NOTABLE: f64 = 1.5;

/// The strides that fix the same address bits.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Level {
    /// The stride that the others are odd multiples of, in words; a power of two.
    pub stride_words: u64,
    /// The median of what was measured.
    pub requests_per_second: f64,
    /// How many strides were measured.
    pub strides: usize,
}

impl Level {
    /// The lowest address bit that varies.
    fn lowest_bit(&self) -> u32 {
        self.stride_words.trailing_zeros() + WORD.trailing_zeros()
    }
}

/// What a curve says.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Calibration {
    /// Smallest stride first, from the burst up.
    pub levels: Vec<Level>,
    /// How many times slower the worst level is than the best.
    pub loss: f64,
    /// The bits, if the curve is not flat.
    pub steering: Option<SteeringBits>,
}

/// Bits that a curve shows.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SteeringBits {
    /// Offset in a burst, as given.
    pub coalescing: BitRange,
    /// From the lowest to the highest bit that costs bandwidth when it is fixed.
    pub steering: BitRange,
    /// Those that suffice.
    pub most_important: BitRange,
    /// The smallest stride whose multiples are as bad as the worst, in words.
    pub worst_stride_words: u64,
    /// Bits within `steering` that cost nothing by themselves.
    pub without_effect: Vec<u32>,
}

/// Derives steering bits from a curve, for bursts of `burst_bytes`.
///
/// # Errors
/// If the burst is no power of two of at least a word, or fewer than two levels were measured.
pub fn steering_bits(curve: &Curve, burst_bytes: u64) -> Result<Calibration, CurveError> {
    if !burst_bytes.is_power_of_two() || !(WORD * 2..=1 << 20).contains(&burst_bytes) {
        return Err(CurveError::Burst(burst_bytes));
    }
    let levels = levels(curve, burst_bytes);
    if levels.len() < 2 {
        return Err(CurveError::TooFewLevels);
    }
    let rates = || levels.iter().map(|level| level.requests_per_second);
    let worst = rates().fold(f64::INFINITY, f64::min);
    let loss = rates().fold(0.0, f64::max) / worst;
    let steering = if loss < NOTABLE { None } else { bits_of(&levels, worst, burst_bytes) };
    Ok(Calibration { levels, loss, steering })
}

fn levels(curve: &Curve, burst_bytes: u64) -> Vec<Level> {
    let mut by_power: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for point in &curve.points {
        let power = point.stride_words.trailing_zeros();
        if (WORD << power.min(48)) >= burst_bytes {
            by_power.entry(power).or_default().push(point.requests_per_second);
        }
    }
    let level = |(power, mut rates): (u32, Vec<f64>)| {
        rates.sort_by(f64::total_cmp);
        let middle = rates.len() / 2;
        let median = if rates.len() % 2 == 1 {
            rates[middle]
        } else {
            f64::midpoint(rates[middle - 1], rates[middle])
        };
        Level { stride_words: 1 << power, requests_per_second: median, strides: rates.len() }
    };
    by_power.into_iter().map(level).collect()
}

/// The bits of a curve that is not flat; `None` if no step falls.
fn bits_of(levels: &[Level], worst: f64, burst_bytes: u64) -> Option<SteeringBits> {
    let mut falling: Vec<u32> = Vec::new();
    let mut measured: Vec<u32> = Vec::new();
    for pair in levels.windows(2) {
        let bits = pair[0].lowest_bit()..pair[1].lowest_bit();
        measured.extend(bits.clone());
        let falls = pair[1].requests_per_second <= pair[0].requests_per_second * (1.0 - LEAST_FALL);
        if falls {
            falling.extend(bits);
        }
    }
    let (low, high) = (*falling.first()?, *falling.last()?);
    let bad_from = levels
        .iter()
        .rposition(|level| level.requests_per_second > worst * NOTABLE)
        .and_then(|last_good| levels.get(last_good + 1))?;
    let sufficient = (bad_from.lowest_bit() - 1).clamp(low, high);
    let offset_bits = burst_bytes.trailing_zeros() - 1;
    Some(SteeringBits {
        coalescing: BitRange { high: offset_bits, low: WORD.trailing_zeros() },
        steering: BitRange { high, low },
        most_important: BitRange { high: sufficient, low },
        worst_stride_words: bad_from.stride_words,
        without_effect: measured
            .into_iter()
            .filter(|bit| (low..=high).contains(bit) && !falling.contains(bit))
            .collect(),
    })
}

impl Calibration {
    /// The `[steering]` table of a device file; `source` says where the curve comes from.
    #[must_use]
    pub fn device_fragment(&self, source: &str) -> String {
        let mut text = String::new();
        let strides: usize = self.levels.iter().map(|level| level.strides).sum();
        let source = toml::Value::String(source.to_owned());
        let mut fact = |name: &str, value: Option<String>| {
            let _ = match value {
                Some(value) => writeln!(
                    text,
                    "{name} = {{ value = {value}, source = {source}, confidence = \"A\" }}"
                ),
                None => writeln!(text, "{name} = \"unknown\""),
            };
        };
        let range = |range: BitRange| Some(format!("[{}, {}]", range.high, range.low));
        let bits = self.steering.as_ref();
        fact("channel_hash", bits.map(|_| "\"none\"".to_owned()));
        fact("coalescing_bits", bits.and_then(|bits| range(bits.coalescing)));
        fact("steering_bits", bits.and_then(|bits| range(bits.steering)));
        fact("most_important_bits", bits.and_then(|bits| range(bits.most_important)));
        let mut head = format!("# {strides} strides measured; ");
        let _ = match bits {
            None => write!(
                head,
                "the worst are {:.2} times slower than the best.\n# No bit steers by itself: the channels are hashed, or a cache hides them.",
                self.loss
            ),
            Some(bits) => write!(
                head,
                "multiples of {} words are the worst, up to {:.2} times slower than the best.",
                bits.worst_stride_words, self.loss
            ),
        };
        for bit in bits.into_iter().flat_map(|bits| &bits.without_effect) {
            let _ = write!(head, "\n# Bit {bit} has no effect of its own.");
        }
        format!("{head}\n[steering]\n{text}")
    }
}

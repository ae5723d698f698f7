//! Curves: bandwidth by stride, from CSV or JSON.

use serde::Deserialize;
use std::fmt;

/// One measurement.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CurvePoint {
    /// Distance of the words of neighbouring blocks, in words of 4 bytes; at least 1.
    pub stride_words: u64,
    /// Finite and above 0; for latencies the reciprocal.
    pub requests_per_second: f64,
}

/// A measured curve.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Curve {
    /// Where it was measured, if the file says so.
    pub device: Option<String>,
    /// The measurements, in any order.
    pub points: Vec<CurvePoint>,
}

/// Why a curve says nothing.
#[derive(Clone, PartialEq, Debug)]
pub enum CurveError {
    /// The text is neither CSV nor JSON of the expected form.
    Syntax(String),
    /// A measurement, counted from 1, makes no sense.
    Point(usize, &'static str),
    /// Fewer than two powers of two among the strides that are not below a burst.
    TooFewLevels,
    /// The burst is no power of two between two words and 1 MiB.
    Burst(u64),
}

impl fmt::Display for CurveError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(message) => out.write_str(message),
            Self::Point(number, what) => write!(out, "measurement {number}: {what}"),
            Self::TooFewLevels => write!(
                out,
                "the curve needs strides that are multiples of at least two powers of two, none below a burst"
            ),
            Self::Burst(bytes) => {
                write!(out, "a burst of {bytes} bytes is no power of two from 8 bytes to 1 MiB")
            }
        }
    }
}

impl std::error::Error for CurveError {}

/// A row of the file: one of the two measurements.
#[derive(Deserialize)]
struct Row {
    stride_words: u64,
    #[serde(default)]
    requests_per_second: Option<f64>,
    #[serde(default)]
    latency_ns: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonCurve {
    #[serde(default)]
    device: Option<String>,
    points: Vec<Row>,
}

/// No array is larger.
const MAX_STRIDE: u64 = 1 << 32;
/// The line of a CSV file that names the device.
const DEVICE_LINE: &str = "# device: ";

impl Curve {
    /// Reads CSV: a header with `stride_words` and `requests_per_second` or `latency_ns`, and one
    /// row per stride. Lines that begin with `#` are comments; `# device: NAME` names the device.
    ///
    /// # Errors
    /// The first mistake.
    pub fn from_csv(text: &str) -> Result<Curve, CurveError> {
        let mut reader = csv::ReaderBuilder::new()
            .comment(Some(b'#'))
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let rows: Result<Vec<Row>, csv::Error> = reader.deserialize().collect();
        let rows = rows.map_err(|error| CurveError::Syntax(error.to_string()))?;
        let device = text.lines().find_map(|line| line.strip_prefix(DEVICE_LINE));
        Self::from_rows(device.map(|name| name.trim().to_owned()), &rows)
    }

    /// Reads JSON: `{"device": "…", "points": [{"stride_words": 16, "requests_per_second": 1e9}]}`,
    /// the device optional, with `latency_ns` instead of the rate where latencies were measured.
    ///
    /// # Errors
    /// The first mistake.
    pub fn from_json(text: &str) -> Result<Curve, CurveError> {
        let curve: JsonCurve =
            serde_json::from_str(text).map_err(|error| CurveError::Syntax(error.to_string()))?;
        Self::from_rows(curve.device, &curve.points)
    }

    fn from_rows(device: Option<String>, rows: &[Row]) -> Result<Curve, CurveError> {
        let point = |(at, row): (usize, &Row)| {
            let wrong = |what| CurveError::Point(at + 1, what);
            if row.stride_words == 0 {
                return Err(wrong("the stride is 0"));
            }
            if row.stride_words > MAX_STRIDE {
                return Err(wrong("the stride is above 2^32 words"));
            }
            let rate = match (row.requests_per_second, row.latency_ns) {
                (Some(rate), None) => rate,
                (None, Some(latency)) => 1e9 / latency,
                _ => return Err(wrong("it needs either requests_per_second or latency_ns")),
            };
            if !rate.is_finite() || rate <= 0.0 {
                return Err(wrong("it is not above 0"));
            }
            Ok(CurvePoint { stride_words: row.stride_words, requests_per_second: rate })
        };
        let points = rows.iter().enumerate().map(point).collect::<Result<_, _>>()?;
        Ok(Curve { device, points })
    }
}

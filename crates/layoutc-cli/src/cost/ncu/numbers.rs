//! Numbers and units of Nsight Compute.

/// A value; none where nothing was measured.
///
/// # Errors
/// It is no number in the form `1,234.5`.
pub(super) fn number(text: &str) -> Result<Option<f64>, String> {
    let text = text.trim();
    if text.is_empty() || text == "n/a" || text.contains("nan") {
        return Ok(None);
    }
    let wrong = || format!("`{text}` is no number of the form 1,234.5");
    let (whole, places) = text.split_once('.').unwrap_or((text, ""));
    let mut groups = whole.split(',').skip(1);
    if places.contains(',') || groups.any(|group| group.len() != 3) {
        return Err(wrong());
    }
    let value: f64 = text.replace(',', "").parse().map_err(|_| wrong())?;
    if value.is_finite() { Ok(Some(value)) } else { Err(wrong()) }
}

/// What a unit is in bytes, seconds, sectors, requests or percent.
pub(super) fn scale(unit: &str) -> Option<f64> {
    Some(match unit.trim() {
        "" | "%" | "byte" | "B" | "second" | "s" | "sector" | "request" | "inst" => 1.0,
        "Kbyte" | "KB" | "Ksector" | "Krequest" => 1e3,
        "Mbyte" | "MB" | "Msector" | "Mrequest" => 1e6,
        "Gbyte" | "GB" | "Gsector" | "Grequest" => 1e9,
        "Tbyte" | "TB" => 1e12,
        "msecond" | "ms" => 1e-3,
        "usecond" | "us" | "µs" => 1e-6,
        "nsecond" | "ns" => 1e-9,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_thousands_separators() {
        for (text, value) in
            [("7", 7.0), ("1,234.5", 1234.5), ("1,234,567", 1_234_567.0), ("0.25", 0.25)]
        {
            assert_eq!(number(text), Ok(Some(value)));
        }
        assert_eq!([number(""), number("n/a"), number("(!) nan")], [Ok(None), Ok(None), Ok(None)]);
        for text in ["1,5", "1.234,5", "1.234.567", "x", "1,2345", "inf"] {
            assert!(number(text).is_err(), "{text}");
        }
    }
}

//! Quantities as people read them.

/// `28`, `0.5`, `28.5`: to one place.
pub(super) fn one_place(value: f64) -> String {
    if (value - value.round()).abs() < 0.05 { format!("{value:.0}") } else { format!("{value:.1}") }
}

/// Three digits at least: `0.0123`, `1.23`, `12.3`, `123`, `1234`.
pub(super) fn three_digits(value: f64) -> String {
    let size = value.abs();
    match size {
        _ if size == 0.0 => "0".to_owned(),
        _ if size >= 100.0 => format!("{value:.0}"),
        _ if size >= 10.0 => format!("{value:.1}"),
        _ if size >= 1.0 => format!("{value:.2}"),
        _ if size >= 0.001 => format!("{value:.3}"),
        _ => format!("{value:.1e}"),
    }
}

/// A time that is given in microseconds: `71 ns`, `8.76 µs`, `444 ms`.
pub fn time(microseconds: f64) -> String {
    let units = [("s", 1e6), ("ms", 1e3), ("µs", 1.0)];
    let found = units.into_iter().find(|(_, one)| microseconds.abs() >= *one);
    let (unit, one) = found.unwrap_or(("ns", 1e-3));
    format!("{} {unit}", three_digits(microseconds / one))
}

/// A whole number in groups of three digits, as Nsight Compute writes it: `147,456`.
pub(super) fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A unit for a column of bytes: that of its greatest value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct ByteUnit {
    /// Its name.
    pub(super) name: &'static str,
    bytes: f64,
}

impl ByteUnit {
    /// The largest unit of which the greatest value has one at least.
    pub(super) fn of(greatest: f64) -> ByteUnit {
        let units = [("GB", 1e9), ("MB", 1e6), ("KB", 1e3)];
        let found = units.into_iter().find(|(_, bytes)| greatest >= *bytes);
        let (name, bytes) = found.unwrap_or(("B", 1.0));
        ByteUnit { name, bytes }
    }

    /// A value in this unit.
    pub(super) fn text(self, bytes: f64) -> String {
        three_digits(bytes / self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities() {
        assert_eq!([28.0, 0.5, 3.97].map(one_place), ["28", "0.5", "4"]);
        let digits = [0.0, 0.0123, 1.234, 12.34, 1234.0, 0.00004].map(three_digits);
        assert_eq!(digits, ["0", "0.012", "1.23", "12.3", "1234", "4.0e-5"]);
        let times = [0.0, 0.0712, 8.76, 443_912.0, 2.5e6].map(time);
        assert_eq!(times, ["0 ns", "71.2 ns", "8.76 µs", "444 ms", "2.50 s"]);
        assert_eq!([7.0, 1000.0, 147_456.0].map(grouped), ["7", "1,000", "147,456"]);
        let unit = ByteUnit::of(14_680_064.0);
        assert_eq!((unit.name, unit.text(2_097_152.0)), ("MB", "2.10".to_owned()));
        assert_eq!(ByteUnit::of(12.0).text(12.0), "12.0");
    }
}

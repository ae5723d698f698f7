//! From the bytes of a file to the rows of its table.

use csv::ReaderBuilder;

/// The text of a file: UTF-8, or UTF-16 with its mark.
///
/// # Errors
/// It is no text.
pub(super) fn decode(bytes: &[u8]) -> Result<String, String> {
    if bytes.is_empty() {
        return Err("it is empty".to_owned());
    }
    let wide = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        if !rest.len().is_multiple_of(2) {
            return Err(
                "it is UTF-16 with an odd number of bytes, so it is not complete".to_owned()
            );
        }
        let units: Vec<u16> = rest.chunks_exact(2).map(|two| unit([two[0], two[1]])).collect();
        Ok(String::from_utf16_lossy(&units))
    };
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => wide(rest, u16::from_le_bytes)?,
        [0xfe, 0xff, rest @ ..] => wide(rest, u16::from_be_bytes)?,
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        all => String::from_utf8_lossy(all).into_owned(),
    };
    if text.contains('\0') {
        let how =
            "`ncu --import REPORT.ncu-rep --csv --page raw > report.csv` makes one of a report";
        return Err(format!("it is no text; {how}"));
    }
    Ok(text)
}

/// The table in a text.
pub(super) struct Table {
    /// The header and what follows, without lines that are not of the table.
    pub(super) text: String,
    /// The line of the header, from 1.
    pub(super) line: u64,
    /// Whether the text ends inside of quotes.
    pub(super) is_open: bool,
}

/// Finds the table. Lines around its rows that begin with `==` are of `ncu`, others without a quote in front of the program;
/// they become empty, so that lines keep their numbers.
///
/// # Errors
/// There is no header.
pub(super) fn table(text: &str) -> Result<Table, String> {
    let found = text.lines().position(is_header);
    let at = found.ok_or(
        "it has no line with the columns `ID` and `Kernel Name`: it is not what `ncu --csv` prints",
    )?;
    let mut rows = String::new();
    let mut is_open = false;
    let is_quoted = text.lines().nth(at).is_some_and(|line| line.starts_with('"'));
    for line in text.lines().skip(at) {
        let is_row = is_open || !is_quoted || line.starts_with('"');
        if is_row && (is_open || !line.starts_with("==")) {
            rows.push_str(line);
            is_open ^= !line.matches('"').count().is_multiple_of(2);
        }
        rows.push('\n');
    }
    Ok(Table { text: rows, line: at as u64 + 1, is_open })
}

fn is_header(line: &str) -> bool {
    let mut reader = ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
    let Some(Ok(record)) = reader.records().next() else { return false };
    ["ID", "Kernel Name"].iter().all(|name| record.iter().any(|own| own == *name))
}

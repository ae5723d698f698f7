//! Positions of the protocol and offsets in bytes.
//!
//! A position is a line and a number of code units in it, both from 0. The units are those of UTF-16,
//! or of UTF-8 if the client offers that. Lines end with `\n`, `\r\n` or `\r`. A position behind the
//! end of its line means the end, and one inside of a character means its start.

use lsp_types::{Position, Range};

/// What columns count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// Units of 16 bits.
    Utf16,
}

/// A text and its lines.
#[derive(Clone, Debug)]
pub struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
    encoding: Encoding,
}

impl<'t> Lines<'t> {
    /// The lines of a text.
    pub fn new(text: &'t str, encoding: Encoding) -> Self {
        let bytes = text.as_bytes();
        let ends = |at: usize| match bytes[at] {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        let behind = (0..bytes.len()).filter(|at| ends(*at)).map(|at| at + 1);
        Lines { text, starts: std::iter::once(0).chain(behind).collect(), encoding }
    }

    /// The offset of a position.
    pub fn offset(&self, position: Position) -> usize {
        let line = position.line as usize;
        let Some(start) = self.starts.get(line).copied() else { return self.text.len() };
        let end = self.end(line);
        let mut left = position.character as usize;
        for (at, letter) in self.text[start..end].char_indices() {
            let width = self.width(letter);
            if left < width {
                return start + at;
            }
            left -= width;
        }
        end
    }

    /// The position of an offset.
    pub fn position(&self, offset: usize) -> Position {
        let offset = self.text.floor_char_boundary(offset);
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let start = self.starts[line];
        let before = &self.text[start..offset.min(self.end(line))];
        let character: usize = before.chars().map(|letter| self.width(letter)).sum();
        Position { line: line as u32, character: character as u32 }
    }

    /// The range of some bytes.
    pub fn range(&self, bytes: std::ops::Range<usize>) -> Range {
        Range { start: self.position(bytes.start), end: self.position(bytes.end) }
    }

    /// The bytes of a range, whichever of its ends comes first.
    pub fn bytes(&self, range: Range) -> std::ops::Range<usize> {
        let (start, end) = (self.offset(range.start), self.offset(range.end));
        start.min(end)..start.max(end)
    }

    /// Where a line ends, without its line break.
    fn end(&self, line: usize) -> usize {
        let start = self.starts[line];
        let next = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        start + self.text[start..next].trim_end_matches(['\r', '\n']).len()
    }

    fn width(&self, letter: char) -> usize {
        match self.encoding {
            Encoding::Utf8 => letter.len_utf8(),
            Encoding::Utf16 => letter.len_utf16(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "aé\u{1f600}b\r\n\rx\n";

    fn position(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn every_character_has_a_position() {
        for encoding in [Encoding::Utf8, Encoding::Utf16] {
            let lines = Lines::new(TEXT, encoding);
            let starts = TEXT.char_indices().filter(|(_, letter)| *letter != '\n');
            for (offset, _) in starts.chain([(TEXT.len(), ' ')]) {
                assert_eq!(lines.offset(lines.position(offset)), offset, "{encoding:?} {offset}");
            }
        }
    }

    #[test]
    fn columns_count_units() {
        let lines = Lines::new(TEXT, Encoding::Utf16);
        assert_eq!(lines.position(TEXT.find('b').expect("there")), position(0, 4));
        assert_eq!(lines.position(TEXT.find('x').expect("there")), position(2, 0));
        assert_eq!(lines.position(TEXT.len()), position(3, 0));
        let lines = Lines::new(TEXT, Encoding::Utf8);
        assert_eq!(lines.position(TEXT.find('b').expect("there")), position(0, 7));
    }

    #[test]
    fn positions_that_are_none_are_near() {
        let lines = Lines::new(TEXT, Encoding::Utf16);
        assert_eq!(lines.offset(position(0, 3)), 3, "the middle of a surrogate pair");
        assert_eq!(lines.offset(position(0, 99)), TEXT.find('\r').expect("there"));
        assert_eq!(lines.offset(position(99, 0)), TEXT.len());
        let backwards = Range { start: position(0, 4), end: position(0, 1) };
        assert_eq!(lines.bytes(backwards), 1..7);
        assert_eq!(Lines::new("", Encoding::Utf8).position(0), position(0, 0));
    }
}

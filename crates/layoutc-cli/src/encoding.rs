//! Source text that is not UTF-8.
//!
//! The compiler works on UTF-8 text. A file in another encoding that keeps ASCII (Latin-1, and in
//! comments most others) is read with each byte that is no UTF-8 replaced by one
//! [`PLACEHOLDER`], so that all offsets stay, and gets its bytes back when it is written. That is
//! exact because no edit covers or contains a placeholder (the compiler refuses such edits): the
//! placeholders of the text after the edits are those of the text before, in their order.

use layoutc_codegen::PLACEHOLDER;
use std::borrow::Cow;

/// A text for the compiler, and what its placeholders stand for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decoded {
    /// As long as the file, in bytes.
    pub text: String,
    /// The byte behind each placeholder, in order; empty for a file that is UTF-8.
    pub replaced: Vec<u8>,
}

/// Reads bytes as text; never fails.
pub fn decode(bytes: Vec<u8>) -> Decoded {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return Decoded { text, replaced: Vec::new() },
        Err(error) => error.into_bytes(),
    };
    let (mut text, mut replaced) = (String::with_capacity(bytes.len()), Vec::new());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        // A placeholder that is the file's own stands for itself.
        replaced.extend(chunk.valid().bytes().filter(|byte| char::from(*byte) == PLACEHOLDER));
        text.extend(chunk.invalid().iter().map(|_| PLACEHOLDER));
        replaced.extend_from_slice(chunk.invalid());
    }
    Decoded { text, replaced }
}

/// The bytes of a text whose placeholders stand for `replaced`; `None` if their numbers differ.
pub fn encode<'t>(text: &'t str, replaced: &[u8]) -> Option<Cow<'t, [u8]>> {
    if replaced.is_empty() {
        return Some(Cow::Borrowed(text.as_bytes()));
    }
    let mut bytes = text.as_bytes().to_vec();
    let mut left = replaced.iter();
    for byte in bytes.iter_mut().filter(|byte| char::from(**byte) == PLACEHOLDER) {
        *byte = *left.next()?;
    }
    left.next().is_none().then_some(Cow::Owned(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back() {
        let all: Vec<u8> = (1..=255).collect();
        let cases: [&[u8]; 6] = [
            b"",
            b"plain\r\n",
            "\u{feff}\u{e9}".as_bytes(),
            b"// caf\xe9 \x1a \xe2\x82",
            &all,
            b"\x1a",
        ];
        for bytes in cases {
            let decoded = decode(bytes.to_vec());
            assert_eq!(decoded.text.len(), bytes.len());
            assert_eq!(encode(&decoded.text, &decoded.replaced).as_deref(), Some(bytes));
        }
    }

    #[test]
    fn a_lost_or_doubled_placeholder_is_noticed() {
        let decoded = decode(b"a\xe9b\xe8".to_vec());
        assert_eq!(encode("no placeholder", &decoded.replaced), None);
        assert_eq!(encode(&decoded.text.repeat(2), &decoded.replaced), None);
        let edited = format!("new {}", decoded.text);
        assert_eq!(encode(&edited, &decoded.replaced).as_deref(), Some(&b"new a\xe9b\xe8"[..]));
    }
}

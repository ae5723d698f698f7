//! A lexer for C++ preprocessing tokens.
//!
//! It never fails: what is no token is [`TokenKind::Other`], an unterminated string or character
//! ends at the end of its line, an unterminated block comment or raw string at the end of the
//! text. Comments and spliced lines (backslash, line break) are white space. Offsets are bytes of
//! the given text and always lie between characters. The work is linear in the text.

use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// Identifier or keyword; `$` and all non-ASCII characters count as letters.
    Identifier,
    /// Preprocessing number, digit separators included.
    Number,
    /// String literal with prefix, raw strings included; a suffix is a token of its own.
    String,
    /// Character literal with prefix.
    Char,
    /// Operator or bracket, the longest that fits; `<<<` and `>>>` are one token each.
    Punct,
    /// A byte sequence that starts no token, such as a lone backslash.
    Other,
    /// The end of a logical line; only [`tokens_and_lines`] yields it.
    Newline,
}

/// One token: its kind and its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Token {
    /// The byte range in the text that was lexed.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The spelling, given the text that was lexed.
    #[must_use]
    pub fn text(self, source: &str) -> &str {
        &source[self.range()]
    }
}

/// The tokens of `text`, without comments and line ends.
#[must_use]
pub fn tokens(text: &str) -> Vec<Token> {
    let mut found = tokens_and_lines(text);
    found.retain(|token| token.kind != TokenKind::Newline);
    found
}

/// Whether a line of a text is a directive of the preprocessor.
#[must_use]
pub fn has_directive(text: &str) -> bool {
    let found = tokens_and_lines(text);
    let mut lines = found.split(|token| token.kind == TokenKind::Newline);
    lines.any(|line| line.first().is_some_and(|token| matches!(token.text(text), "#" | "%:")))
}

/// Whether a word asks for the declared type of an expression; `__decltype` is GNU's.
#[must_use]
pub fn is_decltype(word: &str) -> bool {
    matches!(word, "decltype" | "__decltype")
}

/// As [`tokens`], one after another: those of a whole file take more room than its text.
pub fn each_token(text: &str) -> impl Iterator<Item = Token> {
    let mut lexer = Lexer::new(text);
    std::iter::from_fn(move || lexer.next_token()).filter(|token| token.kind != TokenKind::Newline)
}

/// The tokens of `text` with a [`TokenKind::Newline`] at the end of each logical line.
///
/// A line break that is spliced or inside a comment or raw string ends no logical line.
#[must_use]
pub fn tokens_and_lines(text: &str) -> Vec<Token> {
    let mut lexer = Lexer::new(text);
    let mut found = Vec::with_capacity(text.len() / 4);
    while let Some(token) = lexer.next_token() {
        found.push(token);
    }
    found
}

struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// Operators of three bytes, then of two; anything else is one byte.
const LONG: [&[u8]; 7] = [b"<<<", b">>>", b"<<=", b">>=", b"->*", b"...", b"<=>"];
const MEDIUM: [&[u8]; 22] = [
    b"<<", b">>", b"->", b"::", b"++", b"--", b"&&", b"||", b"==", b"!=", b"<=", b">=", b"+=",
    b"-=", b"*=", b"/=", b"%=", b"&=", b"|=", b"^=", b"##", b".*",
];

/// Whether a byte may be inside an identifier.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

impl<'a> Lexer<'a> {
    fn new(text: &'a str) -> Self {
        // A byte order mark is white space.
        let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Lexer { bytes: text.as_bytes(), at }
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Length of a line splice (backslash, line break) at `at`, or 0.
    fn splice_at(&self, at: usize) -> usize {
        match self.bytes.get(at..) {
            Some([b'\\', b'\n', ..]) => 2,
            Some([b'\\', b'\r', b'\n', ..]) => 3,
            _ => 0,
        }
    }

    fn next_token(&mut self) -> Option<Token> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            let start = self.at;
            let kind = match byte {
                b'\n' => {
                    self.at += 1;
                    TokenKind::Newline
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {
                    self.at += 1;
                    continue;
                }
                b'\\' => {
                    let splice = self.splice_at(self.at);
                    if splice > 0 {
                        self.at += splice;
                        continue;
                    }
                    self.at += 1;
                    TokenKind::Other
                }
                b'/' if self.peek(1) == b'*' => {
                    self.block_comment();
                    continue;
                }
                b'/' if self.peek(1) == b'/' => {
                    self.line_comment();
                    continue;
                }
                b'"' => {
                    self.quoted(b'"');
                    TokenKind::String
                }
                b'\'' => {
                    self.quoted(b'\'');
                    TokenKind::Char
                }
                b'0'..=b'9' => self.number(),
                b'.' if self.peek(1).is_ascii_digit() => self.number(),
                byte if is_word(byte) => self.word(),
                _ => self.punct(),
            };
            return Some(Token { kind, start: start as u32, end: self.at as u32 });
        }
    }

    fn block_comment(&mut self) {
        self.at += 2;
        while self.at < self.bytes.len() {
            if self.peek(0) == b'*' && self.peek(1) == b'/' {
                self.at += 2;
                return;
            }
            self.at += 1;
        }
    }

    fn line_comment(&mut self) {
        while self.at < self.bytes.len() && self.peek(0) != b'\n' {
            self.at += self.splice_at(self.at).max(1);
        }
    }

    /// A string or character literal that starts at its quote.
    fn quoted(&mut self, quote: u8) {
        self.at += 1;
        while self.at < self.bytes.len() {
            match self.peek(0) {
                b'\n' => return,
                b'\\' => {
                    let splice = self.splice_at(self.at);
                    // An escaped character may be longer than a byte; what follows its first byte
                    // is neither a quote nor a line break, so the loop takes it.
                    let step =
                        if splice > 0 { splice } else { 1 + usize::from(self.peek(1) != b'\n') };
                    self.at = (self.at + step).min(self.bytes.len());
                    self.skip_to_character();
                }
                byte => {
                    self.at += 1;
                    if byte == quote {
                        return;
                    }
                }
            }
        }
    }

    fn skip_to_character(&mut self) {
        while self.at < self.bytes.len() && self.bytes[self.at] & 0xc0 == 0x80 {
            self.at += 1;
        }
    }

    fn number(&mut self) -> TokenKind {
        while self.at < self.bytes.len() {
            let byte = self.peek(0);
            let exponent =
                matches!(byte, b'e' | b'E' | b'p' | b'P') && matches!(self.peek(1), b'+' | b'-');
            // In a hexadecimal number `e` is a digit, and `0xe+1` is by the standard one token;
            // nobody means that, so only a decimal `e` takes the sign.
            if exponent && !(matches!(byte, b'e' | b'E') && self.is_hexadecimal()) {
                self.at += 2;
            } else if is_word(byte) || byte == b'.' {
                self.at += 1;
            } else if byte == b'\'' && is_word(self.peek(1)) {
                self.at += 2;
            } else {
                break;
            }
        }
        self.skip_to_character();
        TokenKind::Number
    }

    /// Whether the number that ends at the cursor started with `0x`.
    fn is_hexadecimal(&self) -> bool {
        // Digits only reach back a few dozen bytes in practice; the bound keeps this linear.
        let from = self.at.saturating_sub(64);
        let head = self.bytes[from..self.at]
            .iter()
            .rposition(|byte| !is_word(*byte))
            .map_or(from, |at| from + at + 1);
        matches!(self.bytes.get(head..head + 2), Some([b'0', b'x' | b'X']))
    }

    fn word(&mut self) -> TokenKind {
        let start = self.at;
        while self.at < self.bytes.len() && is_word(self.peek(0)) {
            self.at += 1;
        }
        let word = &self.bytes[start..self.at];
        match (self.peek(0), word) {
            (b'"', b"R" | b"LR" | b"uR" | b"UR" | b"u8R") => {
                self.raw_string();
                TokenKind::String
            }
            (quote @ (b'"' | b'\''), b"L" | b"u" | b"U" | b"u8") => {
                self.quoted(quote);
                if quote == b'"' { TokenKind::String } else { TokenKind::Char }
            }
            _ => TokenKind::Identifier,
        }
    }

    /// A raw string whose opening quote is at the cursor; not raw if its delimiter is malformed.
    fn raw_string(&mut self) {
        let rest = &self.bytes[self.at + 1..];
        let open = rest.iter().take(17).position(|byte| *byte == b'(');
        let Some(length) = open.filter(|open| {
            rest[..*open]
                .iter()
                .all(|byte| !matches!(byte, b' ' | b'\\' | b')' | b'\n' | b'\t' | b'"'))
        }) else {
            return self.quoted(b'"');
        };
        let delimiter = &rest[..length];
        let mut at = self.at + 1 + length + 1;
        while at < self.bytes.len() {
            let closes = self.bytes[at] == b')'
                && self.bytes[at + 1..].starts_with(delimiter)
                && self.bytes.get(at + 1 + length) == Some(&b'"');
            if closes {
                self.at = at + length + 2;
                return;
            }
            at += 1;
        }
        self.at = self.bytes.len();
    }

    fn punct(&mut self) -> TokenKind {
        let rest = &self.bytes[self.at..];
        let length = if LONG.iter().any(|op| rest.starts_with(op)) {
            3
        } else if MEDIUM.iter().any(|op| rest.starts_with(op)) {
            2
        } else {
            1
        };
        self.at += length;
        if rest[0].is_ascii_punctuation() { TokenKind::Punct } else { TokenKind::Other }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spellings(text: &str) -> Vec<&str> {
        tokens(text).into_iter().map(|token| token.text(text)).collect()
    }

    #[test]
    fn launches_are_single_tokens() {
        assert_eq!(
            spellings("k<<<n, 1>>>(p);"),
            ["k", "<<<", "n", ",", "1", ">>>", "(", "p", ")", ";"]
        );
    }

    #[test]
    fn comments_and_splices_are_white_space() {
        assert_eq!(spellings("a /* b\n */ c // d \\\n e\n f \\\r\n g"), ["a", "c", "f", "g"]);
        let lines = tokens_and_lines("a /* \n */ b \\\n c\nd");
        assert_eq!(lines.iter().filter(|token| token.kind == TokenKind::Newline).count(), 1);
    }

    #[test]
    fn literals() {
        assert_eq!(
            spellings("1'000'000ull 0x1e+2 1e+5f .5f"),
            ["1'000'000ull", "0x1e", "+", "2", "1e+5f", ".5f"]
        );
        assert_eq!(
            spellings(r#"R"x(a")x" u8"b\"" L'\'' "c"#),
            [r#"R"x(a")x""#, r#"u8"b\"""#, r"L'\''", "\"c"]
        );
        assert_eq!(spellings("\"open\nnext"), ["\"open", "next"]);
        assert_eq!(spellings("R\"(open\nnext"), ["R\"(open\nnext"]);
    }

    #[test]
    fn non_ascii_stays_whole() {
        assert_eq!(spellings("größe 1é '\\é' \\ü"), ["größe", "1é", "'\\é'", "\\", "ü"]);
    }
}

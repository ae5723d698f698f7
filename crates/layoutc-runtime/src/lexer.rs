//! C++ tokens, as far as lowering needs them.
//!
//! Text becomes *streams*: the first is the program without its directives, then comes one for the body of each
//! `#define` and one for each condition of `#if` and its kin. A bracket never closes in another stream than it
//! opened in, so each is lowered on its own.
//! Punctuation is one character a token, but for `::` and `->`.

use std::ops::Range;

/// What a [`Token`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// Identifier or keyword.
    Word,
    Number,
    /// String or character literal, raw ones included.
    Literal,
    Punctuation,
}

/// One token and the bytes it covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub range: Range<usize>,
}

/// Where the tokens of a [`Stream`] stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum StreamKind {
    /// Outside all directives.
    #[default]
    Program,
    /// The body of a macro.
    Macro {
        name: String,
        /// Empty for an object-like macro.
        parameters: Vec<String>,
    },
    /// What stands behind `#if`, `#elif`, `#ifdef` or `#ifndef`.
    Condition,
}

/// Tokens that belong together.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    pub tokens: Vec<Token>,
    pub kind: StreamKind,
}

impl Stream {
    /// The parameters of the macro whose body this is.
    pub(crate) fn parameters(&self) -> &[String] {
        match &self.kind {
            StreamKind::Macro { parameters, .. } => parameters,
            _ => &[],
        }
    }

    pub(crate) fn is_macro(&self) -> bool {
        matches!(self.kind, StreamKind::Macro { .. })
    }
}

/// Splits `text` into streams. Text that is not C++ gives tokens too, never an error.
pub(crate) fn streams(text: &str) -> Vec<Stream> {
    let mut lexer = Lexer { text, bytes: text.as_bytes(), at: 0, line_start: true };
    let mut all = vec![Stream::default()];
    while let Some(item) = lexer.next_item() {
        match item {
            Item::Token(token) => all[0].tokens.push(token),
            Item::Directive(end) => {
                if let Some(stream) = lexer.directive(end) {
                    all.push(stream);
                }
            }
        }
    }
    all
}

enum Item {
    Token(Token),
    /// A `#` was read; the directive ends at this offset.
    Directive(usize),
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    line_start: bool,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn next_item(&mut self) -> Option<Item> {
        self.skip_blanks(self.bytes.len());
        if self.at >= self.bytes.len() {
            return None;
        }
        if self.line_start && self.peek(0) == b'#' {
            self.at += 1;
            return Some(Item::Directive(self.directive_end()));
        }
        Some(Item::Token(self.token()))
    }

    /// Skips white space, line continuations and comments.
    fn skip_blanks(&mut self, end: usize) {
        while self.at < end {
            match self.peek(0) {
                b'\n' => {
                    self.line_start = true;
                    self.at += 1;
                }
                b'\\' if matches!(self.peek(1), b'\n' | b'\r') => self.at += 2,
                b'/' if self.peek(1) == b'/' => {
                    while self.at < end && self.peek(0) != b'\n' {
                        self.at += if self.peek(0) == b'\\' { 2 } else { 1 };
                    }
                }
                b'/' if self.peek(1) == b'*' => {
                    let rest = self.text.as_bytes().get(self.at + 2..).unwrap_or(&[]);
                    let length = rest.windows(2).position(|pair| pair == b"*/");
                    self.at += length.map_or(self.bytes.len() - self.at, |n| n + 4);
                }
                c if c.is_ascii_whitespace() => self.at += 1,
                _ => return,
            }
        }
    }

    /// The offset of the line end that closes the directive; escaped line ends and block comments go on.
    fn directive_end(&self) -> usize {
        let mut at = self.at;
        while let Some(&c) = self.bytes.get(at) {
            match c {
                b'\n' => return at,
                b'\\' if self.bytes.get(at + 1) == Some(&b'\r') => at += 3,
                b'\\' => at += 2,
                b'/' if self.bytes.get(at + 1) == Some(&b'*') => {
                    let rest = &self.bytes[at + 2..];
                    let length = rest.windows(2).position(|pair| pair == b"*/");
                    at += length.map_or(rest.len() + 2, |n| n + 4);
                }
                _ => at += 1,
            }
        }
        self.bytes.len()
    }

    /// Reads the rest of a directive that ends at `end`; the body of a `#define` and conditions are streams.
    fn directive(&mut self, end: usize) -> Option<Stream> {
        let end = end.min(self.bytes.len());
        let mut tokens = Vec::new();
        loop {
            self.skip_blanks(end);
            if self.at >= end {
                break;
            }
            tokens.push(self.token());
        }
        self.at = self.at.max(end);
        self.line_start = true;
        let word = |t: &Token| &self.text[t.range.clone()];
        match tokens.first().map(word)? {
            "if" | "elif" | "ifdef" | "ifndef" => {
                Some(Stream { tokens: tokens.split_off(1), kind: StreamKind::Condition })
            }
            "define" => self.macro_body(tokens),
            _ => None,
        }
    }

    /// The stream of a `#define`, whose tokens begin with the word `define`.
    fn macro_body(&self, mut tokens: Vec<Token>) -> Option<Stream> {
        let word = |t: &Token| &self.text[t.range.clone()];
        let name = tokens.get(1).map(word)?.to_owned();
        let mut body = 2;
        let mut parameters = Vec::new();
        let function_like =
            tokens.get(2).is_some_and(|t| word(t) == "(" && t.range.start == tokens[1].range.end);
        if function_like {
            body = tokens.iter().position(|t| word(t) == ")")? + 1;
            let names = tokens[3..body].iter().filter(|t| t.kind == TokenKind::Word);
            parameters = names.map(|t| word(t).to_owned()).collect();
        }
        let tokens = tokens.split_off(body);
        let kind = StreamKind::Macro { name, parameters };
        Some(Stream { tokens, kind })
    }

    fn token(&mut self) -> Token {
        self.line_start = false;
        let start = self.at;
        let c = self.peek(0);
        let kind = if c == b'_' || c.is_ascii_alphabetic() || c >= 0x80 {
            self.word()
        } else if c.is_ascii_digit() || (c == b'.' && self.peek(1).is_ascii_digit()) {
            self.number();
            TokenKind::Number
        } else if c == b'"' || c == b'\'' {
            self.quoted(c);
            TokenKind::Literal
        } else {
            let two = (c == b':' && self.peek(1) == b':') || (c == b'-' && self.peek(1) == b'>');
            self.at += if two { 2 } else { 1 };
            TokenKind::Punctuation
        };
        self.at = self.at.min(self.bytes.len());
        Token { kind, range: start..self.at }
    }

    fn word(&mut self) -> TokenKind {
        let start = self.at;
        while self.peek(0) == b'_' || self.peek(0).is_ascii_alphanumeric() || self.peek(0) >= 0x80 {
            self.at += 1;
        }
        let word = &self.bytes[start..self.at];
        if self.peek(0) == b'"' && word.ends_with(b"R") && word.len() <= 3 {
            self.raw_string();
            return TokenKind::Literal;
        }
        let is_prefix = matches!(word, b"L" | b"u" | b"U" | b"u8");
        if is_prefix && matches!(self.peek(0), b'"' | b'\'') {
            self.quoted(self.peek(0));
            return TokenKind::Literal;
        }
        TokenKind::Word
    }

    fn number(&mut self) {
        loop {
            let c = self.peek(0);
            let digit_separator = c == b'\'' && self.peek(1).is_ascii_alphanumeric();
            let sign = matches!(c, b'+' | b'-')
                && matches!(self.bytes[self.at - 1], b'e' | b'E' | b'p' | b'P')
                && !self.is_hexadecimal_e();
            if !(c == b'.' || c == b'_' || c.is_ascii_alphanumeric() || digit_separator || sign) {
                return;
            }
            self.at += 1;
        }
    }

    /// Whether the `e` just read is a digit of a hexadecimal number, as in `0xe+1`.
    fn is_hexadecimal_e(&self) -> bool {
        let mut start = self.at;
        while start > 0 && self.bytes[start - 1].is_ascii_alphanumeric() {
            start -= 1;
        }
        let number = &self.bytes[start..self.at];
        (number.starts_with(b"0x") || number.starts_with(b"0X"))
            && matches!(self.bytes[self.at - 1], b'e' | b'E')
    }

    /// A quoted literal ends at its quote, or at the line's end in text that is not C++ (as within `#if 0`).
    fn quoted(&mut self, quote: u8) {
        self.at += 1;
        while self.at < self.bytes.len() {
            match self.peek(0) {
                b'\\' => self.at += 2,
                b'\n' => return,
                c => {
                    self.at += 1;
                    if c == quote {
                        return;
                    }
                }
            }
        }
    }

    fn raw_string(&mut self) {
        let rest = &self.text[self.at + 1..];
        let Some(open) = rest.find('(').filter(|&n| n <= 16) else {
            return self.quoted(b'"');
        };
        let close = format!("){}\"", &rest[..open]);
        let length = rest[open..].find(&close).map_or(rest.len(), |n| open + n + close.len());
        self.at += 1 + length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Vec<String>> {
        let all = streams(text);
        let of = |s: &Stream| s.tokens.iter().map(|t| text[t.range.clone()].to_owned()).collect();
        all.iter().map(of).collect()
    }

    #[test]
    fn comments_strings_and_numbers_hide_brackets() {
        let text = "a /* ( */ \"<<<\" ')' 1'000 0xe+1 1e+5 R\"x(\")x\" // )\nb";
        let expected =
            ["a", "\"<<<\"", "')'", "1'000", "0xe", "+", "1", "1e+5", "R\"x(\")x\"", "b"];
        assert_eq!(words(text), [expected.map(String::from).to_vec()]);
    }

    #[test]
    fn a_macro_body_is_its_own_stream() {
        let text = "x\n#define RUN(k, n) \\\n  k<<<n>>>()\n#if A(\ny";
        let streams = streams(text);
        assert_eq!(words(text)[0], ["x", "y"]);
        assert_eq!(words(text)[1].join(""), "k<<<n>>>()");
        assert_eq!(streams[1].parameters(), ["k", "n"]);
        assert_eq!(words(text)[2].join(""), "A(");
    }

    #[test]
    fn unfinished_text_gives_tokens() {
        for text in ["\"abc", "/* abc", "R\"(", "'", "#define", "#define F(", "\\"] {
            streams(text);
        }
    }
}

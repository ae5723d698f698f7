//! Words, numbers and punctuation of a specification.

use std::ops::Range;

use layoutc_diagnostics::Code;

use super::SpecError;

/// A token's kind; its text is the slice at its range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    Word,
    /// Decimal digits; `None` above 64 bits.
    Number(Option<u64>),
    Punctuation(char),
    /// `::`
    Scope,
    End,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub at: Range<usize>,
}

const PUNCTUATION: &str = "=,.*/%+(){}[]<>";

/// All tokens, the last of them [`TokenKind::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, SpecError> {
    let mut tokens = Vec::new();
    let mut rest = text.char_indices().peekable();
    while let Some((start, first)) = rest.next() {
        let mut take_while = |accepts: fn(char) -> bool| {
            let mut end = start + first.len_utf8();
            while let Some((at, next)) = rest.next_if(|(_, next)| accepts(*next)) {
                end = at + next.len_utf8();
            }
            start..end
        };
        let (kind, at) = if first.is_whitespace() {
            continue;
        } else if first.is_ascii_digit() {
            let at = take_while(|next| next.is_alphanumeric());
            let digits = &text[at.clone()];
            if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                let message = format!("`{digits}` is not a decimal number");
                return Err(SpecError::new(Code::UNKNOWN_LAYOUT, at, message));
            }
            (TokenKind::Number(digits.parse().ok()), at)
        } else if first.is_alphabetic() || first == '_' {
            (TokenKind::Word, take_while(|next| next.is_alphanumeric() || next == '_'))
        } else if text[start..].starts_with("::") {
            rest.next();
            (TokenKind::Scope, start..start + 2)
        } else if PUNCTUATION.contains(first) {
            (TokenKind::Punctuation(first), start..start + first.len_utf8())
        } else {
            let message = format!("unexpected character `{}`", first.escape_debug());
            let at = start..start + first.len_utf8();
            return Err(SpecError::new(Code::UNKNOWN_LAYOUT, at, message));
        };
        tokens.push(Token { kind, at });
    }
    tokens.push(Token { kind: TokenKind::End, at: text.len()..text.len() });
    Ok(tokens)
}

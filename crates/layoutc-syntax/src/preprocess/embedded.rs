//! Kernel text that stands in a host program: in string literals and as arguments of macros that
//! make strings.
//!
//! Such text is seen as a file of its own in which all that is no kernel text is white space, byte
//! for byte: a span of one is a span of the other.

use super::lexer::{Token, TokenKind, tokens_and_lines};
use layoutc_diagnostics::ViewKind;
use std::collections::BTreeSet;
use std::ops::Range;

/// One kernel text.
pub(crate) struct Embedded {
    /// As long as the text around it.
    pub(crate) text: String,
    pub(crate) kind: ViewKind,
    /// Where it stands.
    pub(crate) range: Range<usize>,
}

/// What every text with a kernel holds.
const WORD: &str = "kernel";

/// The kernel texts in a host program, in order.
pub(crate) fn kernel_texts(source: &str) -> Vec<Embedded> {
    if !source.contains(WORD) {
        return Vec::new();
    }
    let found = tokens_and_lines(source);
    let makers = string_makers(source, &found);
    let mut texts = Vec::new();
    let mut at = 0;
    while at < found.len() {
        let token = found[at];
        match token.kind {
            TokenKind::String if !is_in_directive(source, token) => {
                let end = literals_end(source, &found, at);
                texts.extend(of_literals(source, &found[at..end]));
                at = end;
            }
            TokenKind::Identifier if makers.contains(token.text(source)) => {
                let end = call_end(source, &found, at + 1);
                if let Some(end) = end {
                    texts.extend(of_argument(source, &found[at + 1..end]));
                }
                at = end.unwrap_or(at + 1);
            }
            _ => at += 1,
        }
    }
    texts
}

/// Whether a file is a string literal, and no program.
pub(crate) fn is_literal(source: &str) -> bool {
    super::each_token(source).next().is_some_and(|token| token.kind == TokenKind::String)
}

/// Whether the line is a directive: `#include "x"` holds no text.
fn is_in_directive(source: &str, token: Token) -> bool {
    let before = &source[..token.start as usize];
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    before[line..].trim_start().starts_with('#')
}

/// Behind the last token of adjacent literals, with names and calls between them that stand for
/// literals too.
fn literals_end(source: &str, found: &[Token], start: usize) -> usize {
    let mut end = start + 1;
    let mut at = start + 1;
    while let Some(token) = found.get(at) {
        match token.kind {
            TokenKind::String => end = at + 1,
            TokenKind::Newline => {}
            TokenKind::Identifier => {
                // It must stand between literals.
                let next = call_end(source, found, at + 1).unwrap_or(at + 1);
                let behind = found[next..].iter().find(|token| token.kind != TokenKind::Newline);
                if behind.is_none_or(|token| token.kind != TokenKind::String) {
                    break;
                }
                at = next;
                continue;
            }
            _ => break,
        }
        at += 1;
    }
    end
}

/// Behind the `)` that closes the `(` at `open`.
fn call_end(source: &str, found: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, token) in found.iter().enumerate().skip(open) {
        match token.text(source) {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ if depth == 0 && token.kind != TokenKind::Newline => return None,
            _ => {}
        }
        if depth == 0 && token.kind != TokenKind::Newline {
            return Some(at + 1);
        }
    }
    None
}

/// Macros that make a string of their one argument: `#define TEXT(...) #__VA_ARGS__`.
fn string_makers<'a>(source: &'a str, found: &[Token]) -> BTreeSet<&'a str> {
    let mut makers = BTreeSet::new();
    for at in 0..found.len().saturating_sub(3) {
        let word = |ahead: usize| found[at + ahead].text(source);
        if word(0) != "#" || word(1) != "define" {
            continue;
        }
        let rest: Vec<&str> = found[at + 3..]
            .iter()
            .take_while(|token| token.kind != TokenKind::Newline)
            .map(|token| token.text(source))
            .collect();
        let is_maker = match rest.as_slice() {
            ["(", "...", ")", "#", "__VA_ARGS__"] => true,
            ["(", parameter, ")", "#", used] => parameter == used,
            ["(", parameter, "...", ")", "#", used] => parameter == used,
            _ => false,
        };
        if is_maker {
            makers.insert(word(2));
        }
    }
    makers
}

/// Whether the words of a text are those of a kernel.
fn is_kernel(text: &str) -> bool {
    let words: Vec<&str> =
        super::tokens(text).into_iter().map(|token| &text[token.range()]).collect();
    words.windows(2).any(|pair| {
        matches!(pair[0], "__kernel")
            || (pair[0] == "kernel" && matches!(pair[1], "void" | "__attribute__"))
    })
}

/// Whether all braces are closed: one line of a text that is put together later is no text.
fn is_closed(text: &str) -> bool {
    let mut depth = 0usize;
    for token in super::tokens(text) {
        match &text[token.range()] {
            "{" => depth += 1,
            "}" if depth == 0 => return false,
            "}" => depth -= 1,
            _ => {}
        }
    }
    depth == 0
}

/// White space in the place of a text.
fn blank(source: &str) -> Vec<u8> {
    source.bytes().map(|byte| if matches!(byte, b'\n' | b'\r') { byte } else { b' ' }).collect()
}

fn finish(bytes: Vec<u8>, kind: ViewKind, range: Range<usize>) -> Option<Embedded> {
    let text = String::from_utf8(bytes).ok()?;
    (is_kernel(&text) && is_closed(&text)).then_some(Embedded { text, kind, range })
}

fn of_argument(source: &str, call: &[Token]) -> Option<Embedded> {
    let (first, last) = (call.first()?, call.last()?);
    let range = first.end as usize..last.start as usize;
    if !source[range.clone()].contains(WORD) {
        return None;
    }
    let mut bytes = blank(source);
    bytes[range.clone()].copy_from_slice(&source.as_bytes()[range.clone()]);
    finish(bytes, ViewKind::Argument, range)
}

fn of_literals(source: &str, found: &[Token]) -> Option<Embedded> {
    let (first, last) = (found.first()?, found.last()?);
    if !source[first.range().start..last.range().end].contains(WORD) {
        return None;
    }
    let is_raw = first.text(source).contains("R\"");
    let mut bytes = blank(source);
    // Lines of the program are no lines of the kernel.
    for byte in &mut bytes[first.range().start..last.range().end] {
        *byte = b' ';
    }
    for token in found {
        let text = token.text(source);
        let start = token.start as usize;
        match token.kind {
            TokenKind::Newline => {}
            TokenKind::String if text.starts_with('"') && !is_raw => {
                unescape(text, &mut bytes[token.range()])?;
            }
            TokenKind::String if text.starts_with("R\"") && is_raw => {
                let open = text.find('(')? + 1;
                let close = text.rfind(')')?;
                bytes[start + open..start + close].copy_from_slice(&text.as_bytes()[open..close]);
            }
            // Both kinds in one text, or wide characters.
            TokenKind::String => return None,
            // What a macro puts there is not known; it is a word of the kernel's.
            _ => bytes[token.range()].fill(b'_'),
        }
    }
    let kind = if is_raw { ViewKind::Raw } else { ViewKind::Literal };
    finish(bytes, kind, first.range().start..last.range().end)
}

/// Writes what a literal means over it; none for escapes without a character of their own here.
fn unescape(literal: &str, out: &mut [u8]) -> Option<()> {
    let bytes = literal.as_bytes();
    let mut at = 1;
    while at + 1 < bytes.len() {
        if bytes[at] != b'\\' {
            out[at] = bytes[at];
            at += 1;
            continue;
        }
        let next = bytes[at + 1];
        match next {
            b'n' => out[at] = b'\n',
            b't' | b'r' | b'v' | b'f' | b'\n' => {}
            b'\\' | b'"' | b'\'' | b'?' => out[at + 1] = next,
            _ => return None,
        }
        at += 2;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(source: &str) -> Embedded {
        let mut found = kernel_texts(source);
        assert_eq!(found.len(), 1, "{source}");
        let found = found.remove(0);
        assert_eq!(found.text.len(), source.len());
        found
    }

    #[test]
    fn lines_of_literals_are_the_kernels() {
        let found = only("f(\"#define A \\\"b\\\"\\n\"\n  \"__kernel void k() {}\\n\");\nint x;\n");
        assert_eq!(found.text.trim(), "#define A  \"b \"\n      __kernel void k() {}".trim());
        assert_eq!(found.kind, ViewKind::Literal);
        let raw = only("const char *s = R\"x(\nkernel void k() { \"\\n\"; }\n)x\";");
        assert_eq!(raw.text.trim(), "kernel void k() { \"\\n\"; }");
    }

    #[test]
    fn what_macros_put_between_literals_is_a_word() {
        let found = only("s = \"#define N \" STR(M) \"\\n__kernel void k() {}\";");
        assert!(found.text.contains("#define N   ______  \n"), "{:?}", found.text);
    }

    #[test]
    fn other_strings_are_none() {
        assert!(kernel_texts("f(\"kernel\"); g(\"__kernel\\x41 void\");").is_empty());
        assert!(kernel_texts("char *t[] = {\"__kernel void k() {\\n\", \"}\"};").is_empty());
        let text = "#define S(...) #__VA_ARGS__\nchar *s = S(__kernel void k() {});";
        assert_eq!(only(text).text.trim(), "__kernel void k() {}");
    }
}

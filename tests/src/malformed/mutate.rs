//! Changes that nobody would make on purpose.

use std::ops::Range;

use fastrand::Rng;
use layoutc_syntax::preprocess::{Token, TokenKind, tokens};

/// Tokens and directives that meet the special cases of lexer, preprocessor, parser and passes.
const VOCABULARY: &[&str] = &[
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    "<<<",
    ">>>",
    ">>",
    ";",
    ",",
    ":",
    "::",
    "?",
    "...",
    ".",
    "->",
    "->*",
    ".*",
    "=",
    "==",
    "+=",
    ">>=",
    "&",
    "&&",
    "|",
    "*",
    "**",
    "-",
    "--",
    "++",
    "!",
    "~",
    "/",
    "%",
    "#",
    "##",
    "@",
    "\\",
    "`",
    "$",
    "'",
    "\"",
    "R\"(",
    ")\"",
    "/*",
    "*/",
    "//",
    "\\\n",
    "\n",
    "0",
    "-1",
    "1",
    "31",
    "0x",
    "08",
    "1e999",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "2147483648",
    "0b1",
    "1'000",
    "'ab'",
    "u8\"\"",
    "nullptr",
    "this",
    "struct",
    "union",
    "class",
    "enum",
    "namespace",
    "template",
    "template<>",
    "typename",
    "typedef",
    "using",
    "auto",
    "decltype",
    "decltype(auto)",
    "const",
    "constexpr",
    "volatile",
    "static",
    "extern",
    "extern \"C\"",
    "inline",
    "virtual",
    "operator",
    "new",
    "delete",
    "sizeof",
    "alignof",
    "alignas(64)",
    "alignas(3)",
    "alignas(0)",
    "__align__(4096)",
    "__attribute__((packed))",
    "[[",
    "]]",
    "#pragma pack(1)\n",
    "\n#pragma pack(push, 2)\n",
    "__global__",
    "__device__",
    "__host__",
    "__shared__",
    "__managed__",
    "__constant__",
    "__restrict__",
    "__forceinline__",
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "case",
    "default:",
    "break",
    "continue",
    "goto",
    "return",
    "throw",
    "try",
    "catch",
    "asm",
    "void",
    "int",
    "float",
    "double",
    "char",
    "bool",
    "long long",
    "unsigned",
    "size_t",
    "float4",
    "double2",
    "int : 3",
    ": 0",
    "[]",
    "[0]",
    "[-1]",
    "[1 << 40]",
    "(void *)",
    "(void **)",
    "&*",
    "*&",
    "[=]",
    "[&]",
    "->template",
    "x",
    "p",
    "n",
    "i",
    "P",
    "\n#if 0\n",
    "\n#if 1\n",
    "\n#else\n",
    "\n#elif\n",
    "\n#endif\n",
    "\n#ifdef __CUDA_ARCH__\n",
    "\n#if __CUDA_ARCH__ / 0\n",
    "\n#define\n",
    "\n#define P\n",
    "\n#define P Q\n",
    "\n#define p(x) x[p(x)]\n",
    "\n#define x(a, ...) a##__VA_ARGS__ #a\n",
    "\n#define n (n)\n",
    "\n#define struct\n",
    "\n#define } {\n",
    "\n#define BEGIN {\n",
    "\n#undef P\n",
    "\n#include\n",
    "\n#include \"\"\n",
    "\n#include <\n",
    "\n#include \"missing.h\"\n",
    "\n#include P\n",
    "\n#line 7 \"x\"\n",
    "\n#error\n",
    "\n#unknown (\n",
    "__VA_ARGS__",
    "__LINE__",
    "cudaMalloc",
    "cudaMemcpy",
    "cudaFree",
    "cudaMemset",
    "sizeof(P)",
    "threadIdx.x",
    "atomicAdd",
    "__syncthreads();",
    "\u{feff}",
    "\u{e9}",
    "\u{1f980}",
    "\u{200b}",
    "\u{0}",
    "\r",
    "\r\n",
    "\u{c}",
];

/// Bytes that start, continue or break UTF-8 sequences, and others with a meaning.
const BYTES: &[u8] =
    b"\x00\x09\x0a\x0d\x1a\x20\"'()*/<>[\\]{}#\x7f\x80\xbf\xc0\xc3\xe2\xed\xf0\xf8\xff";

/// Changes a text in one to six places; `others` gives the texts to take tokens from.
#[must_use]
pub fn mutate(text: &[u8], others: &[&[u8]], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = text.to_vec();
    // One change leaves most programs such that the compiler has something to do.
    let times = if rng.bool() { 1 } else { rng.u32(2..=6) };
    for _ in 0..times {
        bytes = match rng.u32(..300) {
            0..222 => change_tokens(&String::from_utf8_lossy(&bytes), others, rng).into_bytes(),
            222..258 => change_lines(&String::from_utf8_lossy(&bytes), rng).into_bytes(),
            258..280 => change_bytes(bytes, rng),
            280..299 => cut(bytes, rng),
            _ => insert_giant(&String::from_utf8_lossy(&bytes), rng).into_bytes(),
        };
    }
    bytes
}

fn replace(text: &str, range: Range<usize>, with: &str) -> String {
    [&text[..range.start], with, &text[range.end..]].concat()
}

fn pick<'t, T>(from: &'t [T], rng: &mut Rng) -> Option<&'t T> {
    rng.choice(from)
}

/// The bytes of up to `most` tokens in a row, or of all between two blanks.
fn run_of(found: &[Token], most: usize, rng: &mut Rng) -> Range<usize> {
    if found.is_empty() {
        return 0..0;
    }
    let first = rng.usize(..found.len());
    let last = (first + rng.usize(..most)).min(found.len() - 1);
    found[first].range().start..found[last].range().end
}

fn change_tokens(text: &str, others: &[&[u8]], rng: &mut Rng) -> String {
    let found = tokens(text);
    if found.is_empty() {
        return replace(text, 0..0, pick(VOCABULARY, rng).copied().unwrap_or_default());
    }
    let at = run_of(&found, 1, rng);
    let one = text[at.clone()].to_owned();
    let word = pick(VOCABULARY, rng).copied().unwrap_or_default();
    match rng.u32(..15) {
        0 => replace(text, at, ""),
        1 => {
            let run = run_of(&found, 12, rng);
            replace(text, run, "")
        }
        2 => replace(text, at.end..at.end, &format!(" {one}")),
        3 => {
            let run = run_of(&found, 30, rng);
            let copy = text[run.clone()].to_owned();
            replace(text, run.end..run.end, &format!(" {copy}"))
        }
        4 => {
            let other = run_of(&found, 1, rng);
            swap(text, at, other)
        }
        5 => {
            let (first, second) = (run_of(&found, 10, rng), run_of(&found, 10, rng));
            swap(text, first, second)
        }
        6 => replace(text, at, word),
        7 | 8 => replace(text, at.start..at.start, &format!("{word} ")),
        9 => {
            let other = run_of(&found, 1, rng);
            let other = text[other].to_owned();
            replace(text, at, &other)
        }
        10 => {
            // One name becomes another one of the program: what it meant is something else now.
            let names = of_kind(&found, TokenKind::Identifier);
            let (Some(from), Some(to)) = (pick(&names, rng), pick(&names, rng)) else {
                return text.to_owned();
            };
            let to = to.text(text).to_owned();
            replace(text, from.range(), &to)
        }
        11 => {
            let numbers = of_kind(&found, TokenKind::Number);
            let range = pick(&numbers, rng).map_or(at, |number| number.range());
            let values = [
                "0",
                "-1",
                "1",
                "3",
                "33",
                "65537",
                "4294967296",
                "9223372036854775807",
                "1.5f",
                "08",
            ];
            replace(text, range, pick(&values, rng).copied().unwrap_or_default())
        }
        12 | 13 => {
            let other = String::from_utf8_lossy(pick(others, rng).copied().unwrap_or_default());
            let run = run_of(&tokens(&other), 40, rng);
            let target = if rng.bool() { at.start..at.start } else { at };
            replace(text, target, &format!("{} ", &other[run]))
        }
        _ => {
            let is_bracket = |token: &&Token| {
                matches!(
                    token.text(text),
                    "(" | ")" | "[" | "]" | "{" | "}" | "<" | ">" | "<<<" | ">>>"
                )
            };
            let brackets: Vec<Token> = found.iter().filter(is_bracket).copied().collect();
            let range = pick(&brackets, rng).map_or(at, |bracket| bracket.range());
            let with = ["", "(", ")", "[", "]", "{", "}", "<", ">", "((", "}}"];
            replace(text, range, pick(&with, rng).copied().unwrap_or_default())
        }
    }
}

fn of_kind(found: &[Token], kind: TokenKind) -> Vec<Token> {
    found.iter().filter(|token| token.kind == kind).copied().collect()
}

fn swap(text: &str, one: Range<usize>, other: Range<usize>) -> String {
    let (first, second) = if one.start <= other.start { (one, other) } else { (other, one) };
    if first.end > second.start {
        return text.to_owned();
    }
    let middle = &text[first.end..second.start];
    let swapped = [&text[second.clone()], middle, &text[first.clone()]].concat();
    replace(text, first.start..second.end, &swapped)
}

fn change_lines(text: &str, rng: &mut Rng) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    if lines.is_empty() {
        return text.to_owned();
    }
    let (one, other) = (rng.usize(..lines.len()), rng.usize(..lines.len()));
    match rng.u32(..6) {
        0 => drop(lines.remove(one)),
        1 => lines.insert(other, lines[one]),
        2 => lines.swap(one, other),
        3 => drop(lines.drain(one.min(other)..one.max(other).min(one.min(other) + 8))),
        4 => {
            let line = lines.remove(one);
            lines.insert(other.min(lines.len()), line);
        }
        _ => {
            lines.insert(
                other,
                *pick(&["#if 0\n", "#else\n", "#endif\n", "#ifdef P\n"], rng).unwrap_or(&"\n"),
            );
        }
    }
    lines.concat()
}

fn change_bytes(mut bytes: Vec<u8>, rng: &mut Rng) -> Vec<u8> {
    if bytes.is_empty() {
        return vec![rng.u8(..)];
    }
    let at = rng.usize(..bytes.len());
    let end = (at + 1 + rng.usize(..16)).min(bytes.len());
    let value = if rng.bool() { *pick(BYTES, rng).unwrap_or(&0) } else { rng.u8(..) };
    match rng.u32(..7) {
        0 => bytes[at] ^= 1 << rng.u32(..8),
        1 => bytes[at] = value,
        2 => bytes.insert(at, value),
        3 => drop(bytes.drain(at..end)),
        4 => {
            let copy = bytes[at..end].to_vec();
            let to = rng.usize(..=bytes.len());
            drop(bytes.splice(to..to, copy));
        }
        5 => bytes[at..end].fill(value),
        _ => bytes[at..end].reverse(),
    }
    bytes
}

/// Cuts off the end, sometimes the beginning.
fn cut(mut bytes: Vec<u8>, rng: &mut Rng) -> Vec<u8> {
    let at = rng.usize(..=bytes.len());
    if rng.u32(..8) == 0 {
        bytes.split_off(at)
    } else {
        bytes.truncate(at);
        bytes
    }
}

/// Puts something long or deep before a token.
fn insert_giant(text: &str, rng: &mut Rng) -> String {
    let found = tokens(text);
    let at = run_of(&found, 1, rng).start;
    // The parser's time is quadratic in some of these: the very long ones are rare.
    let times = if rng.u32(..32) == 0 { 1 << rng.u32(12..17) } else { 1 << rng.u32(4..12) };
    let giant = match rng.u32(..20) {
        0 => "a".repeat(times),
        1 => "9".repeat(times),
        2 => format!("\"{}\"", "s".repeat(times)),
        3 => format!("/*{}*/", "c\n".repeat(times)),
        4 => format!("// {}\n", "c".repeat(times)),
        5 => "\\\n".repeat(times),
        6 => nested("(", "1", ")", times),
        7 => nested("[", "1", "]", times),
        8 => nested("{", ";", "}", times),
        9 => "(".repeat(times),
        10 => nested("A<", "int", ">", times),
        11 => "*".repeat(times),
        12 => "a+".repeat(times.min(8192)),
        13 => "a::".repeat(times.min(8192)),
        14 => "p->".repeat(times.min(8192)),
        15 => "if (x) ".repeat(times.min(8192)),
        16 => "\n#if 1\n".repeat(times.min(8192)),
        17 => nested("{", "", "", times.min(256)),
        18 => "- ".repeat(times.min(8192)),
        _ => {
            let run = run_of(&found, 20, rng);
            text[run].repeat(times.min(512))
        }
    };
    replace(text, at..at, &format!("{giant} "))
}

fn nested(open: &str, inside: &str, close: &str, times: usize) -> String {
    [&open.repeat(times), inside, &close.repeat(times)].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_text_and_most_texts_differ() {
        let text = "struct P { float x; };\n__global__ void f(P *p) { p[0].x = 1; }\n".as_bytes();
        let run = |seed| mutate(text, &[b"int a;"], &mut Rng::with_seed(seed));
        let all: std::collections::BTreeSet<Vec<u8>> = (0..1000).map(run).collect();
        assert!(all.len() > 850, "{}", all.len());
        assert!((0..1000).all(|seed| run(seed) == run(seed)));
        assert!(all.iter().any(|bytes| std::str::from_utf8(bytes).is_err()));
        assert!(all.iter().any(|bytes| bytes.len() > 2000));
    }

    #[test]
    fn nothing_is_too_short_to_be_changed() {
        for text in ["", "\n", "a", "\u{e9}"] {
            for seed in 0..2000 {
                let _ = mutate(text.as_bytes(), &[b""], &mut Rng::with_seed(seed));
            }
        }
    }

    #[test]
    fn swaps_keep_what_is_between() {
        assert_eq!(swap("a b c", 0..1, 4..5), "c b a");
        assert_eq!(swap("a b c", 4..5, 0..1), "c b a");
        assert_eq!(swap("a b c", 0..3, 2..5), "a b c");
    }
}

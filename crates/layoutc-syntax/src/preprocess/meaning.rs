//! Texts that mean different things in different compilations.
//!
//! A file is recorded as its first inclusion sees it. Every later one is compared with that: a
//! macro that is used and has another replacement there (or none), and text that only the later
//! one compiles, are [`Meaning`]s. They are what later passes must not take at face value. Equal
//! definitions that come from different places are no difference, nor are the words that say where
//! a function runs: they do not change what its text does with memory.

use super::lexer::{TokenKind, tokens};
use super::macros::{MacroEnv, MacroTable};
use layoutc_diagnostics::{FileId, Span};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

/// One time that a file takes part in the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Occurrence {
    /// The root that is compiled.
    pub root: FileId,
    /// The `#include`; `None` if the file is the root itself.
    pub include: Option<Span>,
}

/// A text with a second meaning.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Meaning {
    /// The name of the macro, the `#include`, or the text that only the other occurrence compiles.
    pub span: Span,
    /// The occurrence that was recorded.
    pub first: Occurrence,
    /// The first one found that differs.
    pub other: Occurrence,
}

/// Most macros that one use is followed through.
const REACHED: usize = 64;

/// Words that can be in a macro's replacement, or be one with such a replacement, without changing what the code does.
const NEUTRAL: [&str; 10] = [
    "__host__",
    "__device__",
    "__forceinline__",
    "__noinline__",
    "__inline__",
    "__inline",
    "inline",
    "static",
    "extern",
    "constexpr",
];

/// The number, or vector of numbers, that OpenCL's headers of the host, or kernels, have a word for. Both have `long`
/// with 64 bits; `bool` and `half` are something else for the host.
pub(crate) fn number_words(word: &str) -> Option<&str> {
    let of_host = word.strip_prefix("cl_");
    let word = of_host.unwrap_or(word);
    let end = word.find(|letter: char| letter.is_ascii_digit()).unwrap_or(word.len());
    let (base, lanes) = word.split_at(end);
    let plain = match base {
        "char" => "char",
        "uchar" => "unsigned char",
        "short" => "short",
        "ushort" => "unsigned short",
        "int" => "int",
        "uint" => "unsigned int",
        "long" => "long",
        "ulong" => "unsigned long",
        "float" => "float",
        "double" => "double",
        _ => return None,
    };
    match lanes {
        "" => Some(plain),
        "2" | "3" | "4" | "8" | "16" => Some(word),
        _ => None,
    }
}

/// What an identifier means in an environment: equal for uses that expand to the same tokens.
/// `None` if it is no macro.
pub(crate) fn fingerprint(table: &MacroTable, env: &MacroEnv, name: &str) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    // Every macro that the expansion may use counts once: equal definitions of all of them give
    // equal expansions.
    let mut reached = vec![env.get(name)?];
    let is_neutral =
        |text: &str| tokens(text).iter().all(|token| NEUTRAL.contains(&token.text(text)));
    // `__host__` that stands for nothing.
    if name.starts_with("__") && NEUTRAL.contains(&name) && is_neutral(&table.get(reached[0]).text)
    {
        return None;
    }
    let mut next = 0;
    while let Some(id) = reached.get(next) {
        next += 1;
        let def = table.get(*id);
        def.params.hash(&mut hasher);
        def.variadic.hash(&mut hasher);
        for token in tokens(&def.text) {
            let text = token.text(&def.text);
            if NEUTRAL.contains(&text) {
                continue;
            }
            // The words of a type that host and kernels have several names for.
            match number_words(text).filter(|_| env.get(text).is_none()) {
                Some(words) => words.split(' ').for_each(|word| word.hash(&mut hasher)),
                None => text.hash(&mut hasher),
            }
            let inner = Some(text)
                .filter(|_| token.kind == TokenKind::Identifier)
                .filter(|name| !def.params.iter().flatten().any(|parameter| parameter == name))
                .and_then(|name| env.get(name));
            match inner {
                None => 0_u8.hash(&mut hasher),
                Some(inner) if reached.contains(&inner) => 1_u8.hash(&mut hasher),
                Some(inner) if reached.len() < REACHED => {
                    reached.push(inner);
                    2_u8.hash(&mut hasher);
                }
                // Too many to look at: only the very same `#define` is equal.
                Some(inner) => inner.hash(&mut hasher),
            }
        }
    }
    Some(hasher.finish())
}

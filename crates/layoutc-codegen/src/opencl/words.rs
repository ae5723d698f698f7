//! Words that mean something in kernel text, though nothing in the program declares them.

use crate::names::Names;
use layoutc_dataflow::classes::BuildOptions;
use layoutc_syntax::preprocess::tokens;
use layoutc_syntax::{ExprKind, Program};
use std::collections::{BTreeMap, BTreeSet};

/// Keywords and types of OpenCL C (6.1, 6.11) that are names in C and C++.
const WORDS: [&str; 37] = [
    "bool",
    "char",
    "constant",
    "double",
    "event_t",
    "float",
    "generic",
    "global",
    "half",
    "image1d_array_t",
    "image1d_buffer_t",
    "image1d_t",
    "image2d_array_t",
    "image2d_t",
    "image3d_t",
    "int",
    "intptr_t",
    "kernel",
    "local",
    "long",
    "pipe",
    "private",
    "ptrdiff_t",
    "quad",
    "queue_t",
    "read_only",
    "read_write",
    "reserve_id_t",
    "sampler_t",
    "short",
    "size_t",
    "uchar",
    "uint",
    "uintptr_t",
    "ulong",
    "ushort",
    "write_only",
];

/// Whether a name may be a keyword, type or macro of OpenCL C.
pub(crate) fn is_word_of_kernels(name: &str) -> bool {
    let is_macro = !name.contains(|c: char| c.is_lowercase()) && name.len() > 1;
    // `float4` and the like.
    let scalar = name.trim_end_matches(|c: char| c.is_ascii_digit());
    is_macro || name.starts_with("__") || WORDS.contains(&name) || WORDS.contains(&scalar)
}

/// Macros that options of `clBuildProgram` define, as far as they stand in strings.
#[must_use]
pub fn option_names(program: &Program) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for expr in &program.exprs {
        if !matches!(expr.kind, ExprKind::Literal) {
            continue;
        }
        for option in program.text(expr.span).split("-D").skip(1) {
            // The name may stand in the next one of several literals.
            let is_between = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\');
            let option = option.trim_start_matches(is_between);
            found.extend(tokens(option).first().map(|token| token.text(option).to_owned()));
        }
    }
    found
}

/// Words that are strings by themselves: a program may make options of them.
#[must_use]
pub fn words_in_strings(program: &Program) -> BTreeSet<String> {
    let literals = program.exprs.iter().filter(|expr| matches!(expr.kind, ExprKind::Literal));
    let inner = literals
        .filter_map(|expr| program.text(expr.span).trim().strip_prefix('"')?.strip_suffix('"'));
    let is_name = |text: &&str| {
        text.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && text.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    inner.filter(is_name).map(str::to_owned).collect()
}

/// Names for parameters and local variables of generated kernel text that options may define as macros.
///
/// An option that cannot be seen may define any name. It is assumed that it defines none that begins as the generated
/// functions do, with what the array is called after, and that no string of the program spells.
pub(crate) fn renamed<'a>(
    options: &BuildOptions,
    short: impl IntoIterator<Item = &'a str>,
    prefix: &str,
    names: &mut Names,
) -> BTreeMap<String, String> {
    (short.into_iter())
        .filter(|word| options.may_define(word))
        .map(|word| {
            let long = match word {
                "e" => "element",
                "i" => "index",
                "p" => "array",
                other => other,
            };
            (word.to_owned(), names.fresh(&format!("{prefix}_{long}")))
        })
        .collect()
}

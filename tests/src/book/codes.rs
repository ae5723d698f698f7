//! The page of the diagnostic codes, from the pages that `layoutc explain` prints.

use std::fmt::Write as _;

use layoutc_diagnostics::code::CODES;

/// The page's file.
pub const PAGE: &str = "codes.md";

/// Where the pages of the codes lie, seen from the repository's root.
pub const FOLDER: &str = "crates/layoutc-diagnostics/explain";

/// The page: each code, its name and the first sentence of its own page.
#[must_use]
pub fn page() -> String {
    let mut out = "<!-- Written by `cargo xtask book --record` from the pages of `layoutc explain`; do not edit. -->\n\n\
        # Codes\n\n\
        Each diagnostic has a code. `layoutc explain LC0011` prints the page of a code: what is wrong, and what to \
        change, with a program before and after. A code keeps its meaning: it is never renumbered or used again.\n\n\
        | code | name | what was found |\n|---|---|---|\n"
        .to_owned();
    for info in CODES {
        let code = info.code;
        let found = first_sentence(info.explanation).replace('|', "\\|");
        let _ = writeln!(out, "| [{code}](../{FOLDER}/{code}.md) | `{}` | {found} |", info.name);
    }
    out
}

/// The first sentence behind the title of a page, on one line.
fn first_sentence(page: &str) -> String {
    let paragraph = page.split("\n\n").nth(1).unwrap_or_default();
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.find(". ") {
        Some(end) => line[..=end].to_owned(),
        None => line,
    }
}

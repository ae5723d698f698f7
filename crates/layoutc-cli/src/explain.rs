//! `layoutc explain`: the page of a code.

use crate::arguments::ExplainArguments;
use crate::exit::{Exit, fail, print, say};
use layoutc_diagnostics::Code;
use layoutc_diagnostics::code::CODES;
use std::fmt::Write;
use std::io::IsTerminal;

/// Prints the page of a code, or the list of all codes.
///
/// Without a code and without `--list` the list is part of the error that asks for one.
pub fn run(arguments: &ExplainArguments) -> Exit {
    if arguments.list {
        return printed(&list());
    }
    let Some(text) = &arguments.code else {
        say(list());
        return fail("say which code, such as `layoutc explain LC0010`");
    };
    match Code::parse(text.trim()) {
        Some(code) => {
            let page = code.info().explanation;
            let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            let styled = std::io::stdout().is_terminal() && !plain;
            printed(&if styled { with_bold_headings(page) } else { page.to_owned() })
        }
        None => fail(format_args!("there is no code `{text}`; `layoutc explain --list` shows all")),
    }
}

fn printed(text: &str) -> Exit {
    match print(text) {
        Ok(()) => Exit::Done,
        Err(error) => fail(format_args!("cannot write to standard output: {error}")),
    }
}

/// One line per code.
fn list() -> String {
    let mut text = String::new();
    for info in CODES {
        let _ = writeln!(text, "{} {}", info.code, info.name);
    }
    text
}

fn with_bold_headings(page: &str) -> String {
    let mut text = String::with_capacity(page.len() + 64);
    for line in page.split_inclusive('\n') {
        match line.strip_suffix('\n').filter(|line| line.starts_with('#')) {
            Some(heading) => {
                let _ = writeln!(text, "\u{1b}[1m{heading}\u{1b}[0m");
            }
            None => text.push_str(line),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_every_code() {
        assert_eq!(list().lines().count(), CODES.len());
        assert!(list().contains("LC0021 incompatible-layouts\n"));
    }

    #[test]
    fn only_headings_are_bold() {
        assert_eq!(with_bold_headings("# A\nb #\n"), "\u{1b}[1m# A\u{1b}[0m\nb #\n");
    }
}

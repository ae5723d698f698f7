//! Dependency files, as compilers write them for Make and Ninja (`-MD -MF`).
//!
//! `TARGETS: FILES`, a line continued by a backslash at its end. In names a space is written `\ `, a `#` `\#`, and
//! a `$` `$$`.

use std::path::{Path, PathBuf};

/// One rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    /// What depends, as written.
    pub target: String,
    /// On what.
    pub files: Vec<PathBuf>,
}

/// The rules of a dependency file.
#[must_use]
pub fn parse(text: &str) -> Vec<Rule> {
    let text = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let mut rules = Vec::new();
    for line in text.lines() {
        let Some((target, files)) = split(line) else { continue };
        rules.push(Rule { target: target.trim().to_owned(), files: names(files) });
    }
    rules
}

/// The two sides of the colon that ends the targets: the first one that a space or the end follows.
fn split(line: &str) -> Option<(&str, &str)> {
    let at = line.match_indices(':').find(|(at, _)| {
        let rest = &line[at + 1..];
        rest.is_empty() || rest.starts_with([' ', '\t'])
    })?;
    Some((&line[..at.0], &line[at.0 + 1..]))
}

/// The names in a list.
fn names(text: &str) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut name = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if matches!(letters.peek(), Some(' ' | '#' | '\\')) => name.extend(letters.next()),
            '$' if letters.peek() == Some(&'$') => name.extend(letters.next()),
            ' ' | '\t' | '\r' => {
                if !name.is_empty() {
                    out.push(PathBuf::from(std::mem::take(&mut name)));
                }
            }
            letter => name.push(letter),
        }
    }
    if !name.is_empty() {
        out.push(PathBuf::from(name));
    }
    out
}

/// The text of rules, each file on a line of its own.
#[must_use]
pub fn write(rules: &[Rule]) -> String {
    let mut out = String::new();
    for Rule { target, files } in rules {
        out.push_str(target);
        out.push(':');
        for file in files {
            out.push_str(" \\\n ");
            out.push_str(&escaped(file));
        }
        out.push('\n');
    }
    out
}

/// The name of a file as such rules have it.
#[must_use]
pub fn escaped(file: &Path) -> String {
    let mut out = String::new();
    for letter in file.display().to_string().chars() {
        match letter {
            ' ' | '#' => out.extend(['\\', letter]),
            '$' => out.push_str("$$"),
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let rules = parse(
            "a.o : /p/a.cu \\\n  /p/with\\ space.h /p/x\\#y.h \\\r\n /p/$$z.h\n/p/empty.h:\n",
        );
        assert_eq!(rules[0].target, "a.o");
        let files: Vec<&str> = rules[0].files.iter().filter_map(|file| file.to_str()).collect();
        assert_eq!(files, ["/p/a.cu", "/p/with space.h", "/p/x#y.h", "/p/$z.h"]);
        assert_eq!(rules[1], Rule { target: "/p/empty.h".to_owned(), files: Vec::new() });
        assert_eq!(parse(&write(&rules)), rules);
    }
}

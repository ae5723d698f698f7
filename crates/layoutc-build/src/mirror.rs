//! A copy of the source tree, with rewritten files in the place of the program's own.
//!
//! Folders that hold a file of the program are folders in the mirror, too, and have links to everything else that
//! lies there: whatever a file includes by a path from itself is found. `#line` marks in the files name the
//! originals, so that messages, debuggers and profilers point there.

use crate::paths::common_folder;
use crate::state::FOLDER;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A stretch of a text that is replaced.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replacement {
    /// Where it starts, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// What stands there now.
    pub text: String,
    /// Whether that is generated and has no place in the original.
    pub is_generated: bool,
}

/// The text after replacements, sorted and disjoint, with marks that name the lines of `original` or, for generated
/// text, those of `own`, the file that is written.
#[must_use]
pub fn marked(original: &Path, own: &Path, text: &str, replacements: &[Replacement]) -> String {
    let (original, own) = (literal(original), literal(own));
    let safe = safe_breaks(text);
    let mut out = String::with_capacity(text.len() + 256);
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut at = text.len() - body.len();
    out.push_str(&text[..at]);
    mark(&mut out, 1, &original);
    let mut lines = Lines { text, at: 0, line: 1 };
    // Whether the lines of the output are no longer those of the original.
    let mut is_shifted = false;
    for replacement in replacements {
        copy(&mut out, &mut lines, &safe, at..replacement.start, &mut is_shifted, &original);
        let before = text[replacement.start..replacement.end].matches('\n').count();
        let after = replacement.text.matches('\n').count();
        match replacement.text.split_once('\n').filter(|_| replacement.is_generated) {
            Some((first, rest)) => {
                out.push_str(first);
                // A backslash at the end of the file joins the next line.
                if out.trim_end_matches('\r').ends_with('\\') {
                    out.push('\n');
                }
                out.push('\n');
                let line = out.matches('\n').count() + 2;
                mark(&mut out, line, &own);
                out.push_str(rest);
                is_shifted = true;
            }
            None => {
                out.push_str(&replacement.text);
                is_shifted |= before != after;
            }
        }
        at = replacement.end;
    }
    copy(&mut out, &mut lines, &safe, at..text.len(), &mut is_shifted, &original);
    out
}

/// Copies a stretch of the original; where lines are shifted, the first safe line break is followed by a mark.
fn copy(
    out: &mut String,
    lines: &mut Lines<'_>,
    safe: &BTreeSet<usize>,
    range: std::ops::Range<usize>,
    is_shifted: &mut bool,
    original: &str,
) {
    if !*is_shifted {
        return out.push_str(&lines.text[range]);
    }
    match safe.range(range.clone()).next() {
        Some(&end) => {
            out.push_str(&lines.text[range.start..=end]);
            mark(out, lines.number(end) + 1, original);
            out.push_str(&lines.text[end + 1..range.end]);
            *is_shifted = false;
        }
        None => out.push_str(&lines.text[range]),
    }
}

fn mark(out: &mut String, line: usize, file: &str) {
    let _ = writeln!(out, "#line {line} {file}");
}

/// A path as a string literal.
fn literal(path: &Path) -> String {
    format!("\"{}\"", path.display().to_string().replace('\\', "\\\\").replace('"', "\\\""))
}

/// The lines of a text, asked for in order.
struct Lines<'t> {
    text: &'t str,
    at: usize,
    line: usize,
}

impl Lines<'_> {
    /// The line that holds a byte, from 1.
    fn number(&mut self, at: usize) -> usize {
        self.line += self.text[self.at..at].matches('\n').count();
        self.at = at;
        self.line
    }
}

/// The line breaks behind which a directive may stand: in no comment or literal, behind no backslash, and in no
/// parentheses, which may be those of a macro.
fn safe_breaks(text: &str) -> BTreeSet<usize> {
    let bytes = text.as_bytes();
    let mut found = BTreeSet::new();
    let mut depth = 0_usize;
    let mut at = 0;
    // Whether a directive is open, whose parentheses need not pair.
    let (mut is_directive, mut starts_line) = (false, true);
    while at < bytes.len() {
        match bytes[at] {
            b'\n' => {
                let before = text[..at].trim_end_matches('\r');
                if before.ends_with('\\') {
                    at += 1;
                    continue;
                }
                // A definition ends here, whatever a conditional left open.
                if bytes.get(at + 1) == Some(&b'}') {
                    depth = 0;
                }
                if depth == 0 {
                    found.insert(at);
                }
                (is_directive, starts_line) = (false, true);
                at += 1;
            }
            b'#' if starts_line => {
                (is_directive, starts_line) = (true, false);
                at += 1;
            }
            b'/' if text[at..].starts_with("//") => {
                at = line_end(text, at);
            }
            b'/' if text[at..].starts_with("/*") => {
                at = text[at + 2..].find("*/").map_or(text.len(), |end| at + 2 + end + 2);
            }
            b'"' if is_raw(text, at) => {
                at = raw_end(text, at);
                starts_line = false;
            }
            quote @ (b'"' | b'\'') if quote == b'"' || !is_separator(bytes, at) => {
                at = literal_end(bytes, at, quote);
                starts_line = false;
            }
            byte => {
                if !is_directive {
                    match byte {
                        b'(' => depth += 1,
                        b')' => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                }
                starts_line &= byte.is_ascii_whitespace();
                at += 1;
            }
        }
    }
    found
}

/// The line break that ends a comment of one line; one behind a backslash does not.
fn line_end(text: &str, start: usize) -> usize {
    let mut at = start;
    loop {
        let Some(end) = text[at..].find('\n').map(|end| at + end) else { return text.len() };
        if !text[..end].trim_end_matches('\r').ends_with('\\') {
            return end;
        }
        at = end + 1;
    }
}

/// Whether a quote opens a raw string: an `R` is in front of it that ends a prefix.
fn is_raw(text: &str, at: usize) -> bool {
    let word = text[..at]
        .rsplit(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
        .next()
        .unwrap_or("");
    matches!(word, "R" | "LR" | "uR" | "UR" | "u8R")
}

/// The end of the raw string whose quote is at `start`.
fn raw_end(text: &str, start: usize) -> usize {
    let rest = &text[start + 1..];
    let Some(open) = rest.find('(') else { return text.len() };
    let close = format!("){}\"", &rest[..open]);
    rest[open..].find(&close).map_or(text.len(), |end| start + 1 + open + end + close.len())
}

/// Whether a `'` stands between digits, as in `1'000`.
fn is_separator(bytes: &[u8], at: usize) -> bool {
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
    at > 0 && is_digit(at - 1) && is_digit(at + 1) && {
        let word = bytes[..at]
            .iter()
            .rev()
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'\'' | b'_'));
        word.last().is_some_and(u8::is_ascii_digit)
    }
}

/// The end of a literal on its line.
fn literal_end(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match *byte {
            b'\\' => at += 2,
            b'\n' => return at,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Where the files of a program lie in the mirror.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mirror {
    /// The folder of the mirror.
    pub root: PathBuf,
    /// The folder that it mirrors.
    pub of: PathBuf,
    /// The folders of the source tree that are folders in the mirror.
    pub folders: BTreeSet<PathBuf>,
}

impl Mirror {
    /// A mirror for files of the source tree, which include `others`; all paths start at the root of the file system.
    #[must_use]
    pub fn new(root: &Path, files: &[PathBuf], others: &[PathBuf]) -> Self {
        if files.is_empty() {
            return Mirror {
                root: root.to_path_buf(),
                of: root.to_path_buf(),
                folders: BTreeSet::new(),
            };
        }
        let of = common_folder(files.iter().chain(others));
        let mut folders = BTreeSet::new();
        for file in files {
            let above = file.ancestors().skip(1).take_while(|folder| folder.starts_with(&of));
            folders.extend(above.map(Path::to_path_buf));
        }
        // A link to a folder that holds the mirror would have no end.
        let around =
            root.ancestors().skip_while(|folder| folder.ends_with(FOLDER) || inside(folder));
        folders.extend(around.take_while(|folder| folder.starts_with(&of)).map(Path::to_path_buf));
        Mirror { root: root.to_path_buf(), of, folders }
    }

    /// Where a file or folder of the source tree is in the mirror.
    #[must_use]
    pub fn place(&self, path: &Path) -> PathBuf {
        let below = path.strip_prefix(&self.of).unwrap_or(path);
        if below.as_os_str().is_empty() { self.root.clone() } else { self.root.join(below) }
    }

    /// What else lies in its folders, and is to be linked to: place in the mirror, and where that leads.
    #[must_use]
    pub fn links(&self, files: &BTreeSet<PathBuf>) -> BTreeMap<PathBuf, PathBuf> {
        let entries = self.folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok());
        let paths = entries.flatten().flatten().map(|entry| entry.path());
        let others = paths.filter(|path| {
            !files.contains(path)
                && !self.folders.contains(path)
                && !path.ends_with(FOLDER)
                && !is_precompiled(path)
        });
        others.map(|path| (self.place(&path), path)).collect()
    }
}

/// Whether a file holds headers that were compiled as they are.
fn is_precompiled(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "gch" || ending == "pch")
}

/// Whether a folder lies in one for states.
fn inside(folder: &Path) -> bool {
    folder.ancestors().skip(1).any(|above| above.ends_with(FOLDER))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replace(text: &str, what: &str, by: &str, is_generated: bool) -> Replacement {
        let start = text.find(what).expect("there");
        Replacement { start, end: start + what.len(), text: by.to_owned(), is_generated }
    }

    /// The file and line that each line of a marked text has.
    fn places(marked: &str) -> Vec<(String, usize, String)> {
        let (mut file, mut line) = (String::new(), 0);
        let mut out = Vec::new();
        for text in marked.lines() {
            match text.strip_prefix("#line ").and_then(|rest| rest.split_once(' ')) {
                Some((number, name)) => {
                    line = number.parse().expect("a number");
                    file = name.to_owned();
                }
                None => {
                    out.push((file.clone(), line, text.to_owned()));
                    line += 1;
                }
            }
        }
        out
    }

    #[test]
    fn lines_are_those_of_the_original() {
        let text = "a;\nf(b,\n  c);\nd; /* x\n y */ e;\nR\"(\n)\"; g;\n#define M(x \\\n  y\nh;\n";
        let replacements = [
            replace(text, "a;", "a1;\na2;", false),
            replace(text, "b,", "b1,\nb2,", false),
            replace(text, "d;", "", true),
            replace(text, "e;", "\n// gen\nint k;", true),
            replace(text, "g;", "g1;\ng2;", false),
        ];
        let marked = marked(Path::new("/p/a.cu"), Path::new("/m/a.cu"), text, &replacements);
        let places = places(&marked);
        let at = |what: &str| {
            let found = places
                .iter()
                .find(|(_, _, line)| line.contains(what))
                .unwrap_or_else(|| panic!("{what} in\n{marked}"));
            (found.0.trim_matches('"').to_owned(), found.1)
        };
        let original = |line: usize| ("/p/a.cu".to_owned(), line);
        assert_eq!(at("a1"), original(1));
        assert_eq!(at("f(b1"), original(2));
        assert_eq!(at("/* x"), original(4));
        assert_eq!(at("h;"), original(10));
        let own_line = 1 + marked.lines().position(|line| line.contains("int k;")).expect("there");
        assert_eq!(at("int k;"), ("/m/a.cu".to_owned(), own_line));
        assert_eq!(at("R\"("), original(6));
    }

    #[test]
    fn more_at_the_end_of_an_open_line() {
        for text in ["a;", "a;\n", "a \\", "a \\\r"] {
            let end = text.len();
            let more = "\n// gen\nb;\n".to_owned();
            let more = Replacement { start: end, end, text: more, is_generated: true };
            let marked = marked(Path::new("/p/a.cu"), Path::new("/m/a.cu"), text, &[more]);
            let (before, _) =
                marked.split_once("#line 5").or(marked.split_once("#line 4")).expect("a mark");
            let line = before.lines().last().expect("a line");
            assert!(!line.trim_end().ends_with('\\'), "{marked}");
        }
    }

    #[test]
    fn no_mark_where_it_would_mean_something_else() {
        let breaks = |text: &str| safe_breaks(text).into_iter().collect::<Vec<_>>();
        assert_eq!(breaks("a\nb\n"), [1, 3]);
        assert_eq!(breaks("f(\n)\n"), [4]);
        assert_eq!(breaks("/*\n*/\n"), [5]);
        assert_eq!(breaks("// x\\\ny\n"), [7]);
        assert_eq!(breaks("#define x \\\n y\n"), [14]);
        assert_eq!(breaks("#define x (\na\n"), [11, 13]);
        assert_eq!(breaks("R\"a(\n)\")a\"\n"), [10]);
        assert_eq!(breaks("x = 1'000;\ny = '(';\n"), [10, 19]);
        // What a conditional leaves open is closed with the function.
        assert_eq!(breaks("#if a\nf(\n#else\nf(\n#endif\n);\n}\n"), [5, 27, 29]);
    }

    #[test]
    fn what_is_not_the_programs_is_linked() {
        let root = tempfile::tempdir().expect("a folder");
        let path = |name: &str| root.path().join(name);
        for name in ["src/a.cu", "src/sub/b.h", "src/data/x.inc", "external/lib.h"] {
            std::fs::create_dir_all(path(name).parent().expect("a folder")).expect("created");
            std::fs::write(path(name), "").expect("written");
        }
        let files = [path("src/a.cu"), path("src/sub/b.h")];
        let root_of = |name: &str| path(name).join(FOLDER).join("sim/src");
        let mirror = Mirror::new(&root_of("build"), &files, &[]);
        assert_eq!(mirror.of, path("src"));
        assert_eq!(mirror.place(&path("src/sub/b.h")), root_of("build").join("sub/b.h"));
        let links = mirror.links(&files.into());
        assert_eq!(links, BTreeMap::from([(root_of("build").join("data"), path("src/data"))]));
        // Where nothing is rewritten, nothing is mirrored.
        let none = Mirror::new(&root_of("build"), &[], &[path("external/lib.h")]);
        assert!(none.folders.is_empty() && none.links(&BTreeSet::new()).is_empty());
        // A build in the source tree: its folder is one of the mirror, and the mirror is in no link.
        std::fs::create_dir_all(root_of("src/build")).expect("created");
        std::fs::write(path("src/build/gen.h"), "").expect("written");
        let inner =
            Mirror::new(&root_of("src/build"), &[path("src/a.cu"), path("src/sub/b.h")], &[]);
        let links = inner.links(&BTreeSet::from([path("src/a.cu"), path("src/sub/b.h")]));
        let to: Vec<&PathBuf> = links.values().collect();
        assert_eq!(to, [&path("src/build/gen.h"), &path("src/data")]);
    }
}

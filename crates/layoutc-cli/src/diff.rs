//! Unified diffs that `patch -p1` and `git apply` take.

use similar::TextDiff;
use std::path::{Component, Path};

/// The diff of one file; empty if the texts are equal.
///
/// Lines end at `\n` only, so that a `\r` is part of its line, as in every patch program.
pub fn unified(path: &Path, before: &[u8], after: &[u8]) -> Vec<u8> {
    let (before, after) = (lines(before), lines(after));
    let diff = TextDiff::configure().newline_terminated(true).diff_slices(&before, &after);
    let name = patch_name(path);
    let mut out = Vec::new();
    for (at, hunk) in diff.unified_diff().iter_hunks().enumerate() {
        if at == 0 {
            out.extend_from_slice(format!("--- a/{name}\n+++ b/{name}\n").as_bytes());
        }
        // The crate's writer of whole diffs replaces bytes that are not UTF-8; a vector takes them all.
        let _ = hunk.to_writer(&mut out);
    }
    out
}

/// The diff of a file that was not there.
pub fn created(path: &Path, after: &[u8]) -> Vec<u8> {
    let name = patch_name(path);
    let count = lines(after).len();
    let mut out = format!("--- /dev/null\n+++ b/{name}\n@@ -0,0 +1,{count} @@\n").into_bytes();
    for line in lines(after) {
        out.push(b'+');
        out.extend_from_slice(line);
    }
    out
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

/// The path without what a patch program refuses: a root, and leading `..`.
fn patch_name(path: &Path) -> String {
    let parts = path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_string_lossy()),
        _ => None,
    });
    parts.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_endings_and_a_missing_last_one_are_kept() {
        let diff = unified(Path::new("../dir/./in.cu"), b"a\r\nb\rc\r\nd", b"a\r\nb\rC\r\nd");
        assert_eq!(
            String::from_utf8_lossy(&diff),
            "--- a/dir/in.cu\n+++ b/dir/in.cu\n@@ -1,3 +1,3 @@\n a\r\n-b\rc\r\n+b\rC\r\n d\n\\ No newline at end of file\n"
        );
        assert!(unified(Path::new("in.cu"), b"\xe9\n", b"x\xe9\n").ends_with(b"-\xe9\n+x\xe9\n"));
        assert_eq!(unified(Path::new("in.cu"), b"same", b"same"), b"");
    }
}

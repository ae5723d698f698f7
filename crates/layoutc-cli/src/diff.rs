//! Unified diffs that `patch -p1` and `git apply` take.

use similar::TextDiff;
use std::path::{Component, Path};

/// The diff of one file; empty if the texts are equal.
///
/// Lines end at `\n` only, so that a `\r` is part of its line, as in every patch program.
pub fn unified(path: &Path, before: &str, after: &str) -> String {
    let lines = |text| str::split_inclusive(text, '\n').collect::<Vec<_>>();
    let (before, after) = (lines(before), lines(after));
    let diff = TextDiff::configure().newline_terminated(true).diff_slices(&before, &after);
    let name = patch_name(path);
    diff.unified_diff().header(&format!("a/{name}"), &format!("b/{name}")).to_string()
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
        let diff = unified(Path::new("../dir/./in.cu"), "a\r\nb\rc\r\nd", "a\r\nb\rC\r\nd");
        assert_eq!(
            diff,
            "--- a/dir/in.cu\n+++ b/dir/in.cu\n@@ -1,3 +1,3 @@\n a\r\n-b\rc\r\n+b\rC\r\n d\n\\ No newline at end of file\n"
        );
        assert_eq!(unified(Path::new("in.cu"), "same", "same"), "");
    }
}

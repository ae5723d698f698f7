//! Regions of a text that an earlier run of the tool has generated.
//!
//! A region begins with the comment `// layoutc: TARGET = LAYOUT` and ends with the comment
//! `// layoutc: end`. People may edit what is between them, so a region proves nothing: it only
//! says about which declarations nobody wants to be told. Regions do not nest; a begin without an
//! end is a comment like any other.

use crate::preprocess::each_token;
use layoutc_diagnostics::{FileId, Span};

/// What a marker begins with, behind the slashes.
const PREFIX: &str = "layoutc:";
/// What follows the prefix in the marker that ends a region.
const END: &str = "end";

/// The text between two markers, with the markers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GeneratedRegion {
    /// From the first byte of the first comment to the last of the last one.
    pub span: Span,
    /// Which arrays were rewritten: the name of a record, or names of arrays, separated by `, ` or
    /// ` + `.
    pub target: String,
    /// Their layout in the common notation.
    pub layout: String,
}

/// The two comments around generated text, without line breaks.
#[must_use]
pub fn markers(target: &str, layout: &str) -> (String, String) {
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let begin = format!("// {PREFIX} {} = {}", one_line(target), one_line(layout));
    (begin, format!("// {PREFIX} {END}"))
}

/// The regions of a file, in source order.
#[must_use]
pub fn generated_regions(file: FileId, text: &str) -> Vec<GeneratedRegion> {
    let mut regions = Vec::new();
    // Lexing takes time, and nearly no file has markers.
    if !text.contains(PREFIX) {
        return regions;
    }
    let mut open: Option<(usize, &str, &str)> = None;
    for (at, comment) in line_comments(text) {
        let Some(marker) = comment.trim_start_matches('/').trim().strip_prefix(PREFIX) else {
            continue;
        };
        let marker = marker.trim();
        if marker == END {
            if let Some((start, target, layout)) = open.take() {
                regions.push(GeneratedRegion {
                    span: Span::new(file, start, at + comment.len()),
                    target: target.to_owned(),
                    layout: layout.to_owned(),
                });
            }
        } else if let Some((target, layout)) = marker.split_once(" = ") {
            open = Some((at, target.trim(), layout.trim()));
        }
    }
    regions
}

/// The `//` comments of a text and where they begin. What looks like one inside of a string or of a
/// block comment is none.
fn line_comments(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut from = 0;
    let ends = each_token(text).map(|token| (token.range().start, token.range().end));
    for (start_of_token, end_of_token) in ends.chain(std::iter::once((text.len(), text.len()))) {
        let mut at = from;
        while let Some(slash) = text[at..start_of_token].find('/') {
            let start = at + slash;
            let rest = &text[start..start_of_token];
            if rest.starts_with("//") {
                let length = rest.find('\n').unwrap_or(rest.len());
                found.push((start, rest[..length].trim_end()));
                at = start + length;
            } else if let Some(inside) = rest.strip_prefix("/*") {
                let length = inside.find("*/").map_or(rest.len(), |end| end + 4);
                at = start + length;
            } else {
                at = start + 1;
            }
        }
        from = end_of_token;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(text: &str) -> Vec<String> {
        let regions = generated_regions(FileId(0), text);
        regions.into_iter().map(|region| format!("{}|{}", region.target, region.layout)).collect()
    }

    #[test]
    fn markers_are_read_back() {
        let (begin, end) = markers("Vec<float,\n 3>", "{x y} tiled(32), {z}");
        let text = format!("int a;\n{begin}\nint b;\n{end}\nint c;\n");
        let regions = generated_regions(FileId(0), &text);
        assert_eq!(targets(&text), ["Vec<float, 3>|{x y} tiled(32), {z}"]);
        let inside = &text[regions[0].span.range()];
        assert!(inside.starts_with(&begin) && inside.ends_with(&end), "{inside}");
        assert_eq!(targets(&text.replace('\n', "\r\n")), targets(&text));
    }

    #[test]
    fn strings_and_block_comments_hold_no_markers() {
        assert!(targets("const char *s = \"// layoutc: A = soa\";\n// layoutc: end\n").is_empty());
        assert!(targets("/* // layoutc: A = soa\n*/ // layoutc: end\n").is_empty());
        assert!(
            targets("const char *s = R\"(\n// layoutc: A = soa\n)\"; // layoutc: end").is_empty()
        );
    }

    #[test]
    fn a_begin_needs_its_end() {
        assert!(targets("// layoutc: A = soa\nint a;\n").is_empty());
        assert!(targets("// layoutc: end\n// layoutc: end\n").is_empty());
        let twice = "// layoutc: A = soa\n// layoutc: B = aos\n// layoutc: end\n// layoutc: end";
        assert_eq!(targets(twice), ["B|aos"]);
    }
}

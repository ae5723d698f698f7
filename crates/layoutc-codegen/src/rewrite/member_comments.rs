//! The comments of a record's members, for the generated structs that hold them.
//!
//! A comment belongs to the declaration that it stands behind, on the same line, or directly above. *Invariant:* a comment
//! that is carried over is one line and begins nothing: no marker, no splice, no instruction to a tool.

use crate::storage::MemberComment;
use layoutc_dataflow::classes::ClassShape;
use layoutc_diagnostics::Span;
use layoutc_syntax::preprocess::each_token;
use layoutc_syntax::{Program, RecordId};
use std::collections::BTreeMap;

/// The comments of a record's leaves, by their place in the shape.
pub(super) fn member_comments(program: &Program, shape: &ClassShape) -> Vec<Option<MemberComment>> {
    let mut gaps: BTreeMap<RecordId, Gaps<'_>> = BTreeMap::new();
    let leaves = shape.members.iter();
    leaves
        .map(|leaf| {
            let field = program.field(*leaf.path.first()?);
            let declared = field.inherited.map_or(field, |base| program.field(base));
            let declaration = declared.site.declaration?;
            let gaps = gaps
                .entry(declared.record)
                .or_insert_with(|| Gaps::of(program, program.record(declared.record).body));
            let at = program.declaration(declaration);
            let (text, is_above) = gaps.comment_of(at.span)?;
            let is_above = is_above || at.count > 1;
            Some(MemberComment { declaration, text, is_above })
        })
        .collect()
}

/// What stands between the tokens of a record: white space and comments.
struct Gaps<'a> {
    body: Option<Span>,
    text: &'a str,
    /// Begins and ends of tokens in `text`.
    tokens: Vec<(usize, usize)>,
    /// Where the token behind one begins, by its end.
    behind: BTreeMap<usize, usize>,
}

impl<'a> Gaps<'a> {
    fn of(program: &'a Program, body: Option<Span>) -> Self {
        let text = body.map_or("", |body| program.text(body));
        let tokens: Vec<(usize, usize)> =
            each_token(text).map(|token| (token.range().start, token.range().end)).collect();
        let behind = tokens.windows(2).map(|pair| (pair[0].1, pair[1].0)).collect();
        Gaps { body, text, tokens, behind }
    }

    /// The comment of the declaration, and whether it stands above.
    fn comment_of(&self, declaration: Span) -> Option<(String, bool)> {
        let body = self.body.filter(|body| body.contains(declaration))?;
        let range = declaration.range();
        let (start, end) = (range.start - body.range().start, range.end - body.range().start);
        if let Some(next) = self.behind.get(&end) {
            let gap = &self.text[end..*next];
            let line = gap.lines().next().unwrap_or_default();
            if let Some(text) = comment(line) {
                return Some((text, false));
            }
        }
        let first = self.tokens.partition_point(|(from, _)| *from < start);
        let gap = &self.text[self.tokens.get(first.checked_sub(1)?)?.1..start];
        // The first line belongs to what stands in front, the last one holds the declaration.
        let lines: Vec<&str> = gap.lines().skip(1).collect();
        let (own, above) = lines.split_last()?;
        let last = above.last().filter(|_| own.trim().is_empty())?;
        let is_more = above.len() > 1 && comment(above[above.len() - 2]).is_some();
        // Of several lines one says half of it.
        comment(last).filter(|_| !is_more).map(|text| (text, true))
    }
}

/// The words of a line that is one comment, and has some that mean nothing to a tool.
fn comment(line: &str) -> Option<String> {
    let line = line.trim();
    let inside = match line.strip_prefix("//") {
        Some(inside) => inside,
        None => line.strip_prefix("/*")?.strip_suffix("*/").filter(|text| !text.contains("*/"))?,
    };
    let text = inside.trim_start_matches(['/', '*', '!', '<']).trim_matches(['*', ' ', '\t']);
    // Bytes that are no UTF-8 stand as control characters.
    let is_plain = !text.chars().any(char::is_control)
        && !text.ends_with(['\\', '/'])
        && !text.contains("*/")
        && !["layoutc:", "@", "\\", "NOLINT", "clang-format", "IWYU"]
            .iter()
            .any(|word| text.starts_with(word));
    (is_plain && text.chars().any(char::is_alphanumeric)).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::comment;

    #[test]
    fn a_comment_is_one_line_that_means_nothing_to_a_tool() {
        let of = |line| comment(line).unwrap_or_default();
        assert_eq!(of("  // position, in metres  "), "position, in metres");
        assert_eq!(of("///< Mass."), "Mass.");
        assert_eq!(of("/** Mass. */"), "Mass.");
        assert_eq!(of("/* µm */"), "µm");
        for other in [
            "",
            "int a;",
            "//",
            "// -----",
            "// layoutc: end",
            "// goes on \\",
            "// clang-format off",
            "/* one */ /* two */",
            "/* open",
            "*/",
            "///@{",
            "// 10 \u{1a}m",
        ] {
            assert_eq!(of(other), "", "{other}");
        }
    }
}

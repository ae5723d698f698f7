//! Parsing of masked text with tree-sitter.
//!
//! tree-sitter always returns a tree; where the text is no C++ it is full of guesses. The claim of
//! this module is that a construct outside all of [`Parsed::error_regions`] is what the text says.
//! Depth is bounded twice, before and after parsing, so that later passes may be written for trees
//! of bounded depth. Work is bounded in seconds: the parser's own steps differ in cost by a factor
//! of twenty, so counting them would refuse good files or let bad ones run for minutes. No file
//! that people write comes near the bound (a megabyte takes a fifth of a second). They are seconds
//! of this thread's own work, so that a busy machine does not change what is refused.

use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;
use std::time::Duration;

use layoutc_diagnostics::{Code, Diagnostic, FileId, Span};
use tree_sitter::{Node, ParseOptions, ParseState, Parser, Point, Tree};

use crate::preprocess::{PreprocessedFile, TokenKind, each_token, tokens};

/// Deepest nesting of brackets that is parsed.
pub const BRACKET_DEPTH_LIMIT: usize = 200;
/// Deepest syntax tree that is handed on; chains such as `a + b + …` are as deep as they are long.
pub const TREE_DEPTH_LIMIT: usize = 3000;
/// Longest time that one file may take: well below the ten seconds that count as a hang.
pub const TIME_LIMIT: Duration = Duration::from_secs(4);

/// A syntax tree and where not to believe it.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The tree.
    pub tree: Tree,
    /// Byte ranges in which the tree is a guess: each is an ERROR or MISSING node widened to the
    /// statements or declarations it may have spoilt. Sorted and disjoint.
    pub error_regions: Vec<Range<usize>>,
}

impl Parsed {
    /// Whether a byte range touches an error region.
    #[must_use]
    pub fn is_suspect(&self, range: Range<usize>) -> bool {
        let first = self.error_regions.partition_point(|region| region.end <= range.start);
        self.error_regions
            .get(first)
            .is_some_and(|region| region.start < range.end || region.contains(&range.start))
    }
}

/// Why a file has no tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ParseFailure {
    /// Brackets, or the tree, are nested too deep; the bytes of the innermost bracket or node
    /// that was reached.
    TooDeep(Range<usize>),
    /// The parser needed longer than [`TIME_LIMIT`].
    TooSlow,
}

impl ParseFailure {
    /// The error to show for a file.
    #[must_use]
    pub fn diagnostic(&self, file: FileId) -> Diagnostic {
        match self {
            ParseFailure::TooDeep(range) => {
                Diagnostic::error(Code::NESTING_TOO_DEEP, "nesting is too deep to analyse")
                    .at(Span::new(file, range.start, range.end), "reached the limit here")
            }
            ParseFailure::TooSlow => Diagnostic::error(
                Code::UNPARSED_REGION,
                "parsing takes too long, so the file is not analysed",
            )
            .at(Span::new(file, 0, 0), "in this file"),
        }
    }
}

/// The syntax trees of files.
///
/// Each is made by the first thread that asks for it, so that threads which go ahead parse while
/// another lowers what is there.
pub(crate) struct Trees<'f> {
    files: &'f [PreprocessedFile],
    parsed: Vec<OnceLock<Result<Parsed, ParseFailure>>>,
}

impl<'f> Trees<'f> {
    pub(crate) fn new(files: &'f [PreprocessedFile]) -> Self {
        Trees { files, parsed: files.iter().map(|_| OnceLock::new()).collect() }
    }

    /// Parses a file that nobody has asked for.
    pub(crate) fn prepare(&self, file: usize) {
        let _ = self.parse(file);
    }

    /// The tree of a file, or why it has none.
    pub(crate) fn parse(&self, file: usize) -> Result<&Parsed, &ParseFailure> {
        let PreprocessedFile { masked, foreign, .. } = &self.files[file];
        let text = || match foreign {
            None => parse(masked),
            Some(_) => parse_sparse(masked),
        };
        self.parsed[file].get_or_init(text).as_ref()
    }

    /// The tree of a file.
    pub(crate) fn of(&self, file: FileId) -> Option<&Parsed> {
        self.parse(file.index()).ok()
    }
}

/// Parses a masked text.
///
/// # Errors
/// [`ParseFailure`] says why there is no tree; the file must then be treated as opaque.
pub fn parse(masked: &str) -> Result<Parsed, ParseFailure> {
    parse_ranges(masked, &[])
}

/// Parses a text of which most is blank: the parser would look at each blank many times.
fn parse_sparse(masked: &str) -> Result<Parsed, ParseFailure> {
    parse_ranges(masked, &inked(masked))
}

/// Parses the parts of a text, or all of it if there are none.
fn parse_ranges(masked: &str, parts: &[tree_sitter::Range]) -> Result<Parsed, ParseFailure> {
    check_bracket_depth(masked)?;
    let tree = run_parser(masked, parts, TIME_LIMIT).ok_or(ParseFailure::TooSlow)?;
    let error_regions = inspect(&tree, masked)?;
    Ok(Parsed { tree, error_regions })
}

/// The lines that are not blank, as few ranges; one that is empty for a blank text.
fn inked(text: &str) -> Vec<tree_sitter::Range> {
    /// Fewer blanks between two ranges are not worth it.
    const GAP: usize = 256;
    let mut parts: Vec<tree_sitter::Range> = Vec::new();
    let mut start = 0;
    for (row, line) in text.split_inclusive('\n').enumerate() {
        let end = start + line.len();
        let point = |column| Point { row, column };
        if !line.trim_ascii().is_empty() {
            let end_point = point(line.len());
            match parts.last_mut().filter(|last| start - last.end_byte < GAP) {
                Some(last) => (last.end_byte, last.end_point) = (end, end_point),
                None => parts.push(tree_sitter::Range {
                    start_byte: start,
                    end_byte: end,
                    start_point: point(0),
                    end_point,
                }),
            }
        }
        start = end;
    }
    if parts.is_empty() {
        let origin = Point { row: 0, column: 0 };
        let nothing = tree_sitter::Range {
            start_byte: 0,
            end_byte: 0,
            start_point: origin,
            end_point: origin,
        };
        parts.push(nothing);
    }
    parts
}

fn check_bracket_depth(masked: &str) -> Result<(), ParseFailure> {
    let mut depth = 0usize;
    for token in each_token(masked) {
        if token.kind == TokenKind::Punct {
            match token.text(masked) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        if depth > BRACKET_DEPTH_LIMIT {
            return Err(ParseFailure::TooDeep(token.range()));
        }
    }
    Ok(())
}

fn run_parser(masked: &str, parts: &[tree_sitter::Range], limit: Duration) -> Option<Tree> {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_cuda::LANGUAGE.into())
        .expect("the grammar's ABI is one that this tree-sitter reads");
    parser.set_included_ranges(parts).expect("they are in order and disjoint");
    let start = thread_time();
    // The clock is a system call: it is not asked at every step.
    let mut steps = 0u32;
    let mut progress = |_: &ParseState| {
        steps += 1;
        if steps.is_multiple_of(16) && thread_time().saturating_sub(start) >= limit {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = masked.as_bytes();
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
}

/// How long this thread has been computing.
#[cfg(unix)]
fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// How long the program has been running: elsewhere there is no other clock in the standard library.
#[cfg(not(unix))]
fn thread_time() -> Duration {
    use std::sync::LazyLock;
    use std::time::Instant;
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

/// Walks the tree once: its depth, and its errors.
fn inspect(tree: &Tree, masked: &str) -> Result<Vec<Range<usize>>, ParseFailure> {
    let mut regions = Vec::new();
    let mut cursor = tree.walk();
    let mut depth = 0usize;
    let mut ancestors: Vec<Node<'_>> = Vec::new();
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            regions.extend(widen(&ancestors, node, masked));
        }
        // The whole tree is walked, not only the branches with errors, because of its depth.
        if !node.is_error() && cursor.goto_first_child() {
            ancestors.push(node);
            depth += 1;
            if depth > TREE_DEPTH_LIMIT {
                return Err(ParseFailure::TooDeep(node.byte_range()));
            }
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Ok(merge(regions));
            }
            ancestors.pop();
            depth -= 1;
        }
    }
}

/// Kinds of nodes whose children are statements or declarations.
pub(crate) fn holds_items(kind: &str) -> bool {
    matches!(
        kind,
        "translation_unit"
            | "compound_statement"
            | "declaration_list"
            | "field_declaration_list"
            | "case_statement"
    )
}

/// The text that an ERROR or MISSING node makes doubtful; `None` for a harmless one.
fn widen(ancestors: &[Node<'_>], node: Node<'_>, masked: &str) -> Option<Range<usize>> {
    // A directive's line end that is a blank or a carriage return away is no error.
    if node.is_missing() && node.kind() == "\n" {
        return None;
    }
    let Some(root) = ancestors.first() else {
        return Some(0..masked.len());
    };
    let holder = ancestors.iter().rposition(|ancestor| holds_items(ancestor.kind())).unwrap_or(0);
    let unbalanced = if node.is_missing() {
        matches!(node.kind(), "{" | "}")
    } else {
        !is_balanced(&masked[node.byte_range()])
    };
    if unbalanced {
        // What lies behind may belong to what the error opened or closed: the whole function, or
        // at file level everything from here on.
        return Some(match ancestors.get(1) {
            Some(item) if item.kind() == "function_definition" => item.byte_range(),
            _ => ancestors.get(1).unwrap_or(&node).start_byte()..root.end_byte(),
        });
    }
    if let Some(item) = ancestors.get(holder + 1) {
        return Some(item.byte_range());
    }
    // The error is itself an item: what it swallowed may be a part of either neighbour.
    let start = node
        .prev_sibling()
        .filter(|item| item.is_named())
        .map_or(node.start_byte(), |item| item.start_byte());
    let end = node
        .next_sibling()
        .filter(|item| item.is_named())
        .map_or(node.end_byte(), |item| item.end_byte());
    Some(start..end)
}

fn is_balanced(text: &str) -> bool {
    let mut open = Vec::new();
    for token in tokens(text) {
        match token.text(text) {
            "(" => open.push(")"),
            "[" => open.push("]"),
            "{" => open.push("}"),
            close @ (")" | "]" | "}") if open.pop() != Some(close) => return false,
            _ => {}
        }
    }
    open.is_empty()
}

fn merge(mut regions: Vec<Range<usize>>) -> Vec<Range<usize>> {
    regions.sort_by_key(|region| (region.start, region.end));
    let mut merged: Vec<Range<usize>> = Vec::new();
    for region in regions {
        match merged.last_mut() {
            Some(last) if region.start <= last.end => last.end = last.end.max(region.end),
            _ => merged.push(region),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parser_stops_when_time_is_up() {
        let text = "int x = f(1);\n".repeat(10_000);
        assert!(run_parser(&text, &[], Duration::ZERO).is_none());
        assert!(run_parser("int x;", &[], TIME_LIMIT).is_some());
    }

    #[test]
    fn blanks_change_no_tree() {
        let gap = " \n".repeat(600);
        for parts in [
            &["struct P {", "float x;", "};", "int f(P *p);"][..],
            &[],
            &["int x"],
            &["", "/* a", "*/ int y;"],
        ] {
            let text = format!("{gap}{}{gap}", parts.join(&gap));
            let [all, sparse] = [parse(&text), parse_sparse(&text)].map(|it| it.expect("parsed"));
            let form = |parsed: &Parsed| parsed.tree.root_node().to_sexp();
            assert_eq!(form(&all), form(&sparse), "{parts:?}");
            assert_eq!(all.error_regions, sparse.error_regions, "{parts:?}");
            let ends = |parsed: &Parsed| {
                let root = parsed.tree.root_node();
                let children: Vec<_> =
                    (0..root.child_count()).filter_map(|at| root.child(at)).collect();
                children
                    .iter()
                    .map(|child| (child.byte_range(), child.start_position()))
                    .collect::<Vec<_>>()
            };
            assert_eq!(ends(&all), ends(&sparse), "{parts:?}");
        }
    }

    #[test]
    fn an_error_spoils_its_statement_and_unbalanced_ones_the_function() {
        let suspects = |text: &str| {
            let parsed = parse(text).expect("within all limits");
            parsed
                .error_regions
                .iter()
                .map(|region| text[region.clone()].to_owned())
                .collect::<Vec<_>>()
        };
        let spoilt = suspects("int a; void f() { x = 1; y = 2 + ; z = 3; } int b;").concat();
        assert!(spoilt.starts_with("y = 2") && !spoilt.contains("int b"), "{spoilt}");
        let spoilt = suspects("int a; void f() { x = 1; if (y { z = 3; } } int b;");
        assert!(spoilt.iter().any(|text| text.contains("z = 3")), "{spoilt:?}");
        assert!(suspects("int a;\nvoid f() {\n").concat().contains("void f() {"));
        assert!(suspects("}}}}").concat().contains('}'));
    }
}

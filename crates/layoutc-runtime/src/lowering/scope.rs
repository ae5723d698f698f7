//! Which tokens stand in a function, and for which side that function is.

use super::View;
use std::ops::Range;

/// Where a function runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Host,
    Device,
    Both,
}

/// The body of an outermost function.
#[derive(Clone, Debug)]
pub(super) struct Function {
    /// From its `{` to its `}`.
    pub bytes: Range<usize>,
    pub target: Target,
}

/// For each token whether a function body encloses it. A macro's body counts as one.
pub(super) fn in_function(view: &View) -> Vec<bool> {
    let mut inside = Vec::with_capacity(view.len());
    walk(view, |depth, _, _| inside.push(view.stream.is_macro() || depth > 0));
    inside
}

/// The outermost functions in order. `meaning` gives the words that an object-like macro stands for.
pub(super) fn functions<'a>(
    view: &View<'a>,
    meaning: impl Fn(&str) -> Vec<&'a str>,
) -> Vec<Function> {
    let mut found: Vec<Function> = Vec::new();
    walk(view, |depth, head, i| match view.word(i) {
        "{" if depth == 0 && opens_code(view, head.clone()) => {
            let words: Vec<&str> =
                head.flat_map(|k| [vec![view.word(k)], meaning(view.word(k))].concat()).collect();
            let has = |word: &str| words.contains(&word);
            let target = match (has("__global__") || has("__device__"), has("__host__")) {
                (true, false) => Target::Device,
                (true, true) => Target::Both,
                (false, _) => Target::Host,
            };
            found.push(Function { bytes: view.start(i)..view.text.len(), target });
        }
        "}" if depth == 1 => {
            if let Some(function) = found.last_mut() {
                function.bytes.end = view.end(i);
            }
        }
        _ => {}
    });
    found
}

/// Visits each token with the number of function bodies and blocks around it, and with the tokens before it since
/// the last statement or brace.
fn walk(view: &View, mut visit: impl FnMut(usize, Range<usize>, usize)) {
    let mut stack: Vec<bool> = Vec::new();
    let mut head = 0;
    for i in 0..view.len() {
        let depth = stack.iter().skip_while(|&&code| !code).count();
        visit(depth, head..i, i);
        match view.word(i) {
            "{" => {
                stack.push(opens_code(view, head..i));
                head = i + 1;
            }
            "}" => {
                stack.pop();
                head = i + 1;
            }
            ";" => head = i + 1,
            _ => {}
        }
    }
}

/// Whether the `{` after these tokens opens a function's body, and not a namespace or a class.
fn opens_code(view: &View, head: Range<usize>) -> bool {
    let mut start = head.start;
    if view.word(start) == "template" && view.word(start + 1) == "<" {
        // Class keys among template parameters say nothing.
        let mut depth = 0usize;
        start += 1;
        while start < head.end {
            match view.word(start) {
                "<" => depth += 1,
                ">" => depth = depth.saturating_sub(1),
                _ => {}
            }
            start += 1;
            if depth == 0 {
                break;
            }
        }
    }
    let words = || (start..head.end).map(|i| view.word(i));
    if words().any(|w| w == "namespace") {
        return false;
    }
    let linkage = words().any(|w| w == "extern")
        && head.end > start
        && view.word(head.end - 1).starts_with('"');
    let class = words().any(|w| matches!(w, "struct" | "class" | "union" | "enum"))
        && head.end.checked_sub(1).is_some_and(|last| view.word(last) != ")");
    !linkage && !class
}

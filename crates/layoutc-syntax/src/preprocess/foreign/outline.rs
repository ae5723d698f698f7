//! The declarations of a foreign file, by its tokens.
//!
//! There is no tree: what would have to be parsed is what shall not be. A declaration begins behind
//! the one before it and ends with a `;`, or with the `}` of a function's body; namespaces and
//! `extern "C"` blocks are around their declarations. What is misread is a name that is not found,
//! which is a name that nobody declares: the model pins what such names touch.

use std::collections::BTreeSet;
use std::ops::Range;

use super::super::lexer::{Token, TokenKind};
use super::super::walk::ActiveToken;
use super::Kept;

/// Deepest nesting of namespaces.
const DEPTH_LIMIT: usize = 64;

/// Words that stand where a declared name may, and are none: `void (*callback)(int)`.
const TYPES: [&str; 10] =
    ["void", "bool", "char", "short", "int", "long", "float", "double", "unsigned", "signed"];

/// One declaration.
#[derive(Debug, Default)]
pub(super) struct Item {
    /// Its tokens.
    tokens: Range<usize>,
    /// The tokens of a function's body, braces included.
    body: Option<Range<usize>>,
    /// What it declares.
    pub names: Vec<String>,
    /// It says where names are looked up, and is kept whatever the program uses.
    pub is_always: bool,
    /// The namespace or block around it.
    around: Option<usize>,
}

/// A namespace or `extern "C"` block: up to its `{`, and its `}`.
#[derive(Debug)]
struct Wrapper {
    open: Range<usize>,
    close: usize,
    around: Option<usize>,
}

/// The declarations of a file.
#[derive(Debug, Default)]
pub(super) struct Outline {
    pub items: Vec<Item>,
    wrappers: Vec<Wrapper>,
}

impl Outline {
    /// Finds the declarations in the active tokens of a file.
    pub(super) fn of(source: &str, active: &[ActiveToken]) -> Self {
        let reader = Reader { source, active };
        let mut outline = Outline::default();
        // Ranges of tokens that are still to be read.
        let mut open: Vec<(Range<usize>, Option<usize>, usize)> = vec![(0..active.len(), None, 0)];
        while let Some((range, around, depth)) = open.pop() {
            let mut at = range.start;
            while at < range.end {
                if matches!(reader.text(at), ";" | "}") {
                    at += 1;
                } else if let Some(brace) = reader.wrapper(at, range.end) {
                    let close = reader.partner(brace, range.end);
                    let wrapper = Wrapper { open: at..brace + 1, close, around };
                    outline.wrappers.push(wrapper);
                    if depth < DEPTH_LIMIT {
                        open.push((brace + 1..close, Some(outline.wrappers.len() - 1), depth + 1));
                    }
                    at = close + 1;
                } else {
                    let item = Item { around, ..reader.item(at, range.end) };
                    at = item.tokens.end.max(at + 1);
                    outline.items.push(item);
                }
            }
        }
        outline
    }

    /// The tokens of a declaration that are kept: all but the body of a function.
    pub(super) fn kept_tokens(&self, item: usize) -> [Range<usize>; 2] {
        let item = &self.items[item];
        match &item.body {
            Some(body) => [item.tokens.start..body.start, body.end..item.tokens.end],
            None => [item.tokens.clone(), 0..0],
        }
    }

    /// What is kept if these declarations are.
    pub(super) fn keep(&self, active: &[ActiveToken], items: &BTreeSet<usize>) -> Kept {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let mut wrappers: BTreeSet<usize> = BTreeSet::new();
        let mut bodies = Vec::new();
        for item in items {
            ranges.extend(self.kept_tokens(*item));
            let body = &self.items[*item].body;
            bodies.extend(body.as_ref().map(|body| active[body.start].token.start as usize));
            let mut around = self.items[*item].around;
            while let Some(wrapper) = around.filter(|wrapper| wrappers.insert(*wrapper)) {
                let Wrapper { open, close, .. } = &self.wrappers[wrapper];
                ranges.push(open.clone());
                ranges.push(*close..close + 1);
                around = self.wrappers[wrapper].around;
            }
        }
        ranges.retain(|range| range.start < range.end.min(active.len()));
        ranges.sort_by_key(|range| range.start);
        let bytes = |range: &Range<usize>| {
            let last = active[range.end.min(active.len()) - 1].token;
            active[range.start].token.start as usize..last.end as usize
        };
        Kept {
            tokens: ranges
                .iter()
                .flat_map(|range| &active[range.start..range.end.min(active.len())])
                .copied()
                .collect(),
            ranges: ranges.iter().map(bytes).collect(),
            bodies,
        }
    }
}

/// The active tokens of a file.
struct Reader<'a> {
    source: &'a str,
    active: &'a [ActiveToken],
}

impl Reader<'_> {
    fn token(&self, at: usize) -> Option<Token> {
        self.active.get(at).map(|active| active.token)
    }

    fn text(&self, at: usize) -> &str {
        self.token(at).map_or("", |token| token.text(self.source))
    }

    /// Whether there is an identifier that is no keyword of a declaration's head.
    fn is_name(&self, at: usize) -> bool {
        self.token(at).is_some_and(|token| token.kind == TokenKind::Identifier)
            && !matches!(self.text(at), "const" | "volatile" | "final" | "operator")
    }

    /// The `{` of a namespace or `extern "C"` block that begins here.
    fn wrapper(&self, at: usize, end: usize) -> Option<usize> {
        let mut next = at + usize::from(self.text(at) == "inline");
        match self.text(next) {
            "namespace" => {
                next += 1;
                while next < end && !matches!(self.text(next), "{" | ";" | "=") {
                    next += 1;
                }
            }
            "extern" if self.token(next + 1).is_some_and(|it| it.kind == TokenKind::String) => {
                next += 2;
            }
            _ => return None,
        }
        (next < end && self.text(next) == "{").then_some(next)
    }

    /// The bracket that closes the one here; the last token if there is none.
    fn partner(&self, at: usize, end: usize) -> usize {
        let mut depth = 0usize;
        for next in at..end {
            match self.text(next) {
                "{" | "(" | "[" => depth += 1,
                "}" | ")" | "]" => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return next;
                    }
                }
                _ => {}
            }
        }
        end.max(at + 1) - 1
    }

    /// Behind the `template <…>`s here.
    fn behind_templates(&self, at: usize, end: usize) -> usize {
        let mut at = at;
        while self.text(at) == "template" && self.text(at + 1) == "<" {
            let mut depth = 0usize;
            at += 1;
            while at < end {
                match self.text(at) {
                    "<" => depth += 1,
                    ">" => depth = depth.saturating_sub(1),
                    ">>" => depth = depth.saturating_sub(2),
                    ">>>" => depth = depth.saturating_sub(3),
                    "(" | "[" | "{" => at = self.partner(at, end),
                    _ => {}
                }
                at += 1;
                if depth == 0 {
                    break;
                }
            }
        }
        at
    }

    /// The declaration that begins here.
    fn item(&self, from: usize, end: usize) -> Item {
        let head = self.behind_templates(from, end);
        let is_typedef = self.text(head) == "typedef";
        let is_alias = self.text(head) == "using";
        let record = self.record(head, end);
        let is_always = is_alias && self.text(head + 1) == "namespace";
        let mut item = Item { is_always, ..Item::default() };
        item.names.extend(record.as_ref().and_then(|record| record.name.clone()));
        // Behind a `=` braces hold values.
        let mut has_value = false;
        let mut at = record.as_ref().map_or(head, |record| record.brace);
        while at < end {
            match self.text(at) {
                ";" => break,
                "=" => has_value = true,
                "{" => {
                    let close = self.partner(at, end);
                    let is_record = record.as_ref().is_some_and(|record| record.brace == at);
                    if is_record {
                        item.names.extend(self.enumerators(record.as_ref(), close));
                    } else if !has_value && !is_typedef {
                        item.body = Some(at..close + 1);
                        item.tokens = from..close + 1;
                        return item;
                    }
                    at = close;
                }
                "(" | "[" => {
                    item.names.extend(self.declared(at));
                    let close = self.partner(at, end);
                    // `typedef void (*name)(int);`
                    let pointer = (at + 1..close).find(|inner| {
                        self.is_name(*inner) && matches!(self.text(inner + 1), ")" | "[")
                    });
                    if self.text(at + 1) == "*" {
                        item.names.extend(pointer.map(|inner| self.text(inner).to_owned()));
                    }
                    at = close;
                }
                _ => {}
            }
            at += 1;
            if matches!(self.text(at), "=" | "," | ";" | ":") {
                item.names.extend(self.declared(at));
            }
        }
        item.tokens = from..(at + 1).min(end);
        item
    }

    /// The name in front of a token that may follow a declared name.
    fn declared(&self, at: usize) -> Option<String> {
        let before = at.checked_sub(1).filter(|before| self.is_name(*before))?;
        // A member that is defined outside of its class declares nothing new.
        let is_member = before.checked_sub(1).is_some_and(|at| matches!(self.text(at), "::" | "~"));
        if is_member {
            return None;
        }
        Some(self.text(before)).filter(|name| !TYPES.contains(name)).map(str::to_owned)
    }

    /// The `struct`, `class`, `union` or `enum` that a declaration defines.
    fn record(&self, head: usize, end: usize) -> Option<RecordHead> {
        let mut at = head;
        while matches!(self.text(at), "typedef" | "static" | "const" | "constexpr" | "extern") {
            at += 1;
        }
        let keyword = self.text(at);
        if !matches!(keyword, "struct" | "class" | "union" | "enum") {
            return None;
        }
        let is_enum = keyword == "enum";
        at += 1;
        if is_enum && matches!(self.text(at), "class" | "struct") {
            at += 1;
        }
        // Attributes and export macros stand between the keyword and the name.
        let mut name = None;
        while at < end {
            match self.text(at) {
                "{" => return Some(RecordHead { brace: at, name, is_enum }),
                "(" | "[" => at = self.partner(at, end),
                "<" if name.is_some() => at = self.behind_angles(at, end),
                ":" | "final" => {
                    // Bases, or the type of an enumeration.
                    while at < end && !matches!(self.text(at), "{" | ";") {
                        at += 1;
                    }
                    continue;
                }
                _ if self.is_name(at) => {
                    // A function that returns one: `struct P f(`, which no attribute looks like.
                    let is_attribute = matches!(self.text(at), "alignas" | "__attribute__")
                        || self.text(at).starts_with("__");
                    if self.text(at + 1) == "(" && name.is_some() && !is_attribute {
                        return None;
                    }
                    if !(is_attribute && self.text(at + 1) == "(") {
                        name = Some(self.text(at).to_owned());
                    }
                }
                "::" => {}
                _ => return None,
            }
            at += 1;
        }
        None
    }

    /// The last token of the `<…>` here.
    fn behind_angles(&self, at: usize, end: usize) -> usize {
        let mut depth = 0usize;
        for next in at..end {
            match self.text(next) {
                "<" => depth += 1,
                ">" => depth = depth.saturating_sub(1),
                ">>" => depth = depth.saturating_sub(2),
                "{" | ";" => return next - 1,
                _ => {}
            }
            if depth == 0 {
                return next;
            }
        }
        end - 1
    }

    /// The names of an enumeration's values.
    fn enumerators(&self, record: Option<&RecordHead>, close: usize) -> Vec<String> {
        let Some(record) = record.filter(|record| record.is_enum) else { return Vec::new() };
        (record.brace + 1..close)
            .filter(|at| self.is_name(*at) && matches!(self.text(at - 1), "{" | ","))
            .map(|at| self.text(at).to_owned())
            .collect()
    }
}

/// The head of a definition of a type.
struct RecordHead {
    /// Its `{`.
    brace: usize,
    name: Option<String>,
    is_enum: bool,
}

#[cfg(test)]
mod tests {
    use super::super::super::lexer::tokens;
    use super::*;

    fn outline(source: &str) -> (Outline, Vec<ActiveToken>) {
        let active: Vec<ActiveToken> =
            tokens(source).into_iter().map(|token| ActiveToken { token, def: None }).collect();
        (Outline::of(source, &active), active)
    }

    fn names(source: &str) -> Vec<String> {
        let (outline, _) = outline(source);
        outline.items.iter().map(|item| item.names.join(" ")).collect()
    }

    #[test]
    fn names_of_declarations() {
        for (source, expected) in [
            ("struct P { float x; };", "P"),
            ("struct __align__(16) P { float x; } a, *b;", "P a b"),
            ("typedef struct tag { int a; } T, *PT;", "tag T PT"),
            ("typedef struct { int a; } T;", "T"),
            ("typedef void (*callback)(int);", "callback"),
            ("using real = float;", "real"),
            ("enum class E : int { A, B = 2 };", "E A B"),
            ("constexpr int N = 4;", "N"),
            ("template <class T, int N> struct V { T v[N]; };", "V"),
            ("template <class T> inline void f(T *p) { p->x = 1; }", "f"),
            ("struct P make(int a);", "make"),
            ("static const float table[3] = { 1, 2, 3 };", "table"),
            ("class EXPORT C final : public B<int> { int a; };", "C"),
        ] {
            assert_eq!(names(source), [expected], "{source}");
        }
    }

    #[test]
    fn functions_end_with_their_bodies() {
        let source = "int f(int a) { return a; } struct P { void g() { } }; int h();";
        assert_eq!(names(source), ["f", "P", "h"]);
    }

    #[test]
    fn what_is_kept_has_its_namespaces() {
        let source = "namespace a { struct P { int x; }; void f() { x; } namespace b { int c; } } extern \"C\" { int d(); }";
        let (outline, active) = outline(source);
        let item = |name: &str| {
            let found =
                outline.items.iter().position(|item| item.names.iter().any(|it| it == name));
            found.expect("declared")
        };
        let text = |names: &[&str]| {
            let items = names.iter().map(|name| item(name)).collect();
            let kept = outline.keep(&active, &items);
            let words: Vec<&str> = kept.tokens.iter().map(|it| it.token.text(source)).collect();
            words.join(" ")
        };
        assert_eq!(text(&["P"]), "namespace a { struct P { int x ; } ; }");
        assert_eq!(text(&["f"]), "namespace a { void f ( ) }");
        assert_eq!(text(&["c"]), "namespace a { namespace b { int c ; } }");
        assert_eq!(text(&["d"]), "extern \"C\" { int d ( ) ; }");
    }

    #[test]
    fn text_without_form_ends() {
        for source in
            ["{", "}", "struct", "struct {", "template <", "namespace", "(", "enum {", "f(", "="]
        {
            let _ = names(source);
        }
    }
}

//! From CUDA C++ to C++ that a host compiler takes together with the runtime headers.
//!
//! Most of CUDA is macros and functions of the headers. What they cannot express is rewritten here, token by
//! token and without moving a line:
//!
//! | source | becomes |
//! |---|---|
//! | `k<T><<<g, b>>>(x)` | `::layoutc_rt::launch(::layoutc_rt::config(g, b), "k<T>", [&](auto&... a) { k<T>(a...); }, x)` |
//! | `__shared__ T s[n];` | static storage that is poisoned when a block first comes to it |
//! | `extern __shared__ T s[];` | a reference to the block's dynamic shared memory |
//! | `cudaMalloc(…)` | `::layoutc_rt::site(id).cudaMalloc(…)`, which numbers the textual call |
//! | `cudaLaunchKernel((void*)k, …)` | the same without the cast, so that the parameter types are known |
//! | `__CUDA_ARCH__` | a number in device code, undefined in host code (the rule is in `lowering/arch.rs`) |
//! | `__noinline__`, `__forceinline__` beside `inline` | blanks |
//!
//! The bodies of macros are lowered like the rest, so a launch written in a macro works.

mod arch;
mod launch;
mod scope;
mod shared;
mod variables;

pub(crate) use variables::device_variables;

use crate::lexer::{self, Stream, StreamKind, Token, TokenKind};
use std::ops::Range;

/// The number of a textual allocation call of a program, counted from 0 over its files in the order they are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteId(pub u32);

/// Result of [`lower`].
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The lowered text, with as many lines as the source.
    pub text: String,
    /// Byte offset of each numbered allocation call in the source, in order; the first has the number asked for.
    pub sites: Vec<usize>,
}

/// Lowers one file.
///
/// `generated` are byte ranges whose allocation calls are not numbered; `first_site` is the number of the first
/// call that is. Text that is not CUDA C++ comes back as it is where nothing is recognised in it.
pub fn lower(text: &str, generated: &[Range<usize>], first_site: SiteId) -> Lowered {
    let streams = lexer::streams(text);
    let mut edits = Edits::default();
    let mut calls = Vec::new();
    arch::lower_arch(text, &streams, &mut edits);
    for stream in streams.iter().filter(|s| s.kind != StreamKind::Condition) {
        let view = View { text, stream };
        launch::lower_launches(&view, &mut edits);
        shared::lower_shared(&view, &mut edits);
        lower_small(&view, &mut edits);
        calls.extend(allocation_calls(&view));
    }
    // Macro bodies come after the rest in the streams; the numbers follow the text.
    calls.sort_by_key(|call| call.start);
    calls.retain(|call| !generated.iter().any(|g| g.start <= call.start && call.end <= g.end));
    for (call, id) in calls.iter().zip(first_site.0..) {
        edits.insert(call.start, format!("::layoutc_rt::site({id})."));
    }
    Lowered { text: edits.apply(text), sites: calls.iter().map(|call| call.start).collect() }
}

/// Tokens of one stream with their text.
struct View<'a> {
    text: &'a str,
    stream: &'a Stream,
}

impl<'a> View<'a> {
    fn tokens(&self) -> &'a [Token] {
        &self.stream.tokens
    }

    fn len(&self) -> usize {
        self.stream.tokens.len()
    }

    /// The text of token `i`, empty beyond the end.
    fn word(&self, i: usize) -> &'a str {
        self.stream.tokens.get(i).map_or("", |t| &self.text[t.range.clone()])
    }

    fn before(&self, i: usize) -> &'a str {
        i.checked_sub(1).map_or("", |i| self.word(i))
    }

    fn is_word(&self, i: usize) -> bool {
        self.stream.tokens.get(i).is_some_and(|t| t.kind == TokenKind::Word)
    }

    fn start(&self, i: usize) -> usize {
        self.stream.tokens[i].range.start
    }

    fn end(&self, i: usize) -> usize {
        self.stream.tokens[i].range.end
    }

    /// Whether tokens `i`, `i + 1`, `i + 2` are `c` three times: `<<<`, or `<< <` as nvcc takes it too.
    fn is_triple(&self, i: usize, c: &str) -> bool {
        (0..3).all(|k| self.word(i + k) == c) && self.end(i) == self.start(i + 1)
    }

    /// The token that closes the bracket at `open`.
    fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0usize;
        for i in open..self.len() {
            match self.word(i) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(i);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The token that opens the bracket closed at `close`.
    fn opening(&self, close: usize) -> Option<usize> {
        let mut depth = 0usize;
        for i in (0..=close).rev() {
            match self.word(i) {
                ")" | "]" | "}" => depth += 1,
                "(" | "[" | "{" => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(i);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The `<` that opens the template arguments closed at `close`.
    fn opening_angle(&self, close: usize) -> Option<usize> {
        let mut depth = 0usize;
        let mut i = close;
        loop {
            match self.word(i) {
                ">" => depth += 1,
                "<" => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(i);
                    }
                }
                ")" | "]" | "}" => i = self.opening(i)?,
                ";" | "{" | "(" | "[" => return None,
                _ => {}
            }
            i = i.checked_sub(1)?;
        }
    }

    /// The source of tokens `range` on one line and without comments.
    fn one_line(&self, range: Range<usize>) -> String {
        let mut out = String::new();
        let mut last_end = None;
        for i in range {
            if last_end.is_some_and(|end| end != self.start(i)) {
                out.push(' ');
            }
            out.push_str(self.word(i));
            last_end = Some(self.end(i));
        }
        out
    }

    /// What has to stay of `bytes` when they are replaced: the line ends, escaped where a macro needs it.
    fn line_ends(&self, bytes: Range<usize>) -> String {
        let count = self.text[bytes].matches('\n').count();
        if self.stream.is_macro() { "\\\n".repeat(count) } else { "\n".repeat(count) }
    }
}

/// Replacements of disjoint byte ranges.
#[derive(Default)]
struct Edits {
    list: Vec<(Range<usize>, String)>,
}

impl Edits {
    fn replace(&mut self, range: Range<usize>, text: String) {
        self.list.push((range, text));
    }

    fn insert(&mut self, at: usize, text: String) {
        self.list.push((at..at, text));
    }

    /// An edit that overlaps an earlier one is dropped: only text that is no CUDA asks for two.
    fn apply(mut self, text: &str) -> String {
        self.list.sort_by_key(|(range, _)| (range.start, range.end));
        let mut out = String::with_capacity(text.len() + text.len() / 4);
        let mut at = 0;
        for (range, replacement) in self.list {
            if range.start < at {
                continue;
            }
            out.push_str(&text[at..range.start]);
            out.push_str(&replacement);
            at = range.end;
        }
        out.push_str(&text[at..]);
        out
    }
}

const NUMBERED: [&str; 5] = [
    "cudaMalloc",
    "cudaMallocManaged",
    "cudaMallocAsync",
    "cudaMallocFromPoolAsync",
    "cudaMallocPitch",
];

/// Names of the allocation calls, as byte ranges that end with the name.
fn allocation_calls(view: &View) -> Vec<Range<usize>> {
    let mut calls = Vec::new();
    for i in 0..view.len() {
        if !NUMBERED.contains(&view.word(i)) || !matches!(view.word(i + 1), "(" | "<") {
            continue;
        }
        let declares = i > 0
            && view.is_word(i - 1)
            && !matches!(view.word(i - 1), "return" | "else" | "do" | "case" | "throw");
        match view.before(i) {
            "." | "->" | "*" | "&" => continue,
            _ if declares => continue,
            "::" => {
                // `::cudaMalloc` and no `Name::cudaMalloc`.
                if i < 2 || !view.is_word(i - 2) || view.word(i - 2) == "return" {
                    calls.push(view.end(i - 1)..view.end(i));
                }
            }
            _ => calls.push(view.start(i)..view.end(i)),
        }
    }
    calls
}

fn lower_small(view: &View, edits: &mut Edits) {
    for i in 0..view.len() {
        match view.word(i) {
            "__noinline__" if view.before(i) != "(" => {
                edits.replace(view.tokens()[i].range.clone(), " ".repeat("__noinline__".len()));
            }
            "__forceinline__" if is_inline_twice(view, i) => {
                edits.replace(view.tokens()[i].range.clone(), " ".repeat("__forceinline__".len()));
            }
            // `::cudaMalloc` is numbered by a prefix, which needs the `::` gone.
            "::" if NUMBERED.contains(&view.word(i + 1)) && (i == 0 || !view.is_word(i - 1)) => {
                edits.replace(view.tokens()[i].range.clone(), "  ".to_owned());
            }
            "cudaLaunchKernel" | "cudaLaunchCooperativeKernel" => drop_pointer_cast(view, i, edits),
            _ => {}
        }
    }
}

/// Whether the specifiers around token `i` say `inline` as well, which a host compiler refuses.
fn is_inline_twice(view: &View, i: usize) -> bool {
    let inline = |k: &usize| matches!(view.word(*k), "inline" | "__inline__" | "__inline");
    let specifier = |k: &usize| view.is_word(*k);
    (i + 1..view.len()).take_while(specifier).any(|k| inline(&k))
        || (0..i).rev().take_while(specifier).any(|k| inline(&k))
}

/// Removes `(void*)`, `(const void*)` and `reinterpret_cast<void*>` before the kernel.
fn drop_pointer_cast(view: &View, call: usize, edits: &mut Edits) {
    let mut at = call + 1;
    if view.word(at) != "(" {
        return;
    }
    at += 1;
    let mut words = (at..view.len().min(at + 7)).map(|i| view.word(i));
    let length = match [(); 5].map(|()| words.next().unwrap_or("")) {
        ["(", "void", "*", ")", _] | ["(", "void", "const", "*", ")"] => 4,
        ["(", "const", "void", "*", ")"] => 5,
        ["reinterpret_cast", "<", "void", "*", ">"] => 5,
        ["reinterpret_cast", "<", "const", "void", "*"] => 6,
        _ => return,
    };
    let last = at + length - 1;
    if last < view.len() {
        let range = view.start(at)..view.end(last);
        edits.replace(range.clone(), view.line_ends(range));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(source: &str) -> String {
        let lowered = lower(source, &[], SiteId(0));
        assert_eq!(lowered.text.lines().count(), source.lines().count(), "{}", lowered.text);
        lowered.text
    }

    #[test]
    fn allocation_calls_are_numbered_in_text_order() {
        let source = "#define A(p) cudaMalloc(&p, 4)\nvoid f() { CHECK(cudaMalloc<float>(&a, 1)); ::cudaMallocManaged(&b, 2); }\n";
        let lowered = lower(source, &[], SiteId(5));
        assert!(lowered.text.contains("A(p) ::layoutc_rt::site(5).cudaMalloc(&p"));
        assert!(lowered.text.contains("CHECK(::layoutc_rt::site(6).cudaMalloc<float>("));
        assert!(lowered.text.contains("::layoutc_rt::site(7).cudaMallocManaged(&b"));
        assert_eq!(lowered.sites.len(), 3);
        assert!(source[lowered.sites[1]..].starts_with("cudaMalloc<float>"));
    }

    #[test]
    fn generated_text_and_declarations_have_no_number() {
        let source = "cudaError_t cudaMalloc(void **p, size_t n);\nvoid gen() { cudaMalloc(&t, 4); }\nvoid f() { cudaMalloc(&a, 4); }\n";
        let start = source.find("void gen").unwrap_or(0);
        let end = source.find("void f").unwrap_or(0);
        let generated = vec![std::ops::Range { start, end }];
        let lowered = lower(source, &generated, SiteId(0));
        assert_eq!(lowered.sites, [source.rfind("cudaMalloc").unwrap_or(0)]);
    }

    #[test]
    fn inline_is_said_once() {
        assert_eq!(
            text_of("inline __device__ __forceinline__ int f();"),
            "inline __device__                 int f();"
        );
        assert_eq!(
            text_of("__forceinline__ int f(); inline int g();"),
            "__forceinline__ int f(); inline int g();"
        );
    }

    #[test]
    fn casts_of_launched_kernels_go() {
        assert_eq!(
            text_of("cudaLaunchKernel((void*)k, g, b, a);"),
            "cudaLaunchKernel(k, g, b, a);"
        );
        assert_eq!(
            text_of("cudaLaunchKernel(reinterpret_cast<const void*>(k), g);"),
            "cudaLaunchKernel((k), g);"
        );
    }
}

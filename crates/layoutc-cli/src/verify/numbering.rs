//! Which allocation call of the rewritten program is which of the original.
//!
//! The CPU runtime numbers the textual allocation calls of a program in their order. A rewrite
//! keeps that order, but a call whose array gets several pointers becomes a call of a generated
//! function that allocates. For the comparison, and only there, such a call is given its number:
//! a `cudaMalloc` that is never evaluated takes its place in the count, and the number is left
//! for the one allocation within the generated function.

use layoutc_codegen::{Edit, EditSet};
use layoutc_diagnostics::{FileId, SourceSet, Span};
use layoutc_runtime::lowering::{SiteId, lower};
use layoutc_syntax::preprocess::{TokenKind, tokens};

/// Included in front of every file of the rewritten program.
pub const HANDLE_SITES_HEADER: &str = "\
#pragma once
#ifdef __cplusplus
inline int layoutc_handle_site = -1;
inline int layoutc_take_handle_site()
{
    int site = layoutc_handle_site;
    layoutc_handle_site = -1;
    return site;
}
#endif
";

/// The numbers of the original program's allocation calls.
pub struct SiteNumbers {
    /// By file: byte offsets of the calls, and the number of the first.
    files: Vec<(Vec<usize>, u32)>,
}

impl SiteNumbers {
    /// Numbers the calls of all files in order, as the runtime does.
    pub fn new(sources: &SourceSet) -> Self {
        let mut next = 0;
        let mut files = Vec::new();
        for (_, file) in sources.iter() {
            // C files call no kernels and are not numbered.
            let is_c = file.path().extension().is_some_and(|extension| extension == "c");
            let sites = if is_c { Vec::new() } else { lower(file.text(), &[], SiteId(next)).sites };
            let first = next;
            next += sites.len() as u32;
            files.push((sites, first));
        }
        SiteNumbers { files }
    }

    /// The number of the call that a span holds.
    pub fn site_in(&self, call: Span) -> Option<SiteId> {
        self.sites(call).next()
    }

    /// The numbers of all calls whose names lie in a span.
    fn sites(&self, span: Span) -> impl Iterator<Item = SiteId> {
        let (sites, first) = &self.files[span.file.index()];
        let inside = move |(at, _): &(&usize, u32)| span.range().contains(*at);
        sites.iter().zip(*first..).filter(inside).map(|(_, site)| SiteId(site))
    }

    /// The edits of a file, such that every allocation call keeps its number.
    ///
    /// # Errors
    /// A message if an edit does not hold as many calls as the text that it replaces.
    pub fn keep_through(&self, file: FileId, edits: &EditSet) -> Result<EditSet, String> {
        let mut numbered = Vec::new();
        for edit in edits.edits() {
            debug_assert_eq!(edit.span.file, file);
            let text = if edit.is_generated { forward_site(&edit.text) } else { self.keep(edit)? };
            numbered.push(Edit { text, ..edit.clone() });
        }
        EditSet::new(numbered).map_err(|_| "edits overlap".to_owned())
    }

    fn keep(&self, edit: &Edit) -> Result<String, String> {
        let sites: Vec<SiteId> = self.sites(edit.span).collect();
        let calls = if sites.is_empty() { Vec::new() } else { calls(&edit.text) };
        if calls.len() != sites.len() {
            return Err(format!(
                "internal error: {} allocation calls became {} in `{}`",
                sites.len(),
                calls.len(),
                edit.text
            ));
        }
        let mut text = edit.text.clone();
        for (call, SiteId(site)) in calls.iter().zip(sites).rev() {
            if let Call::Handle { start, end } = *call {
                let name = &edit.text[start..end];
                let call = format!("(sizeof(cudaMalloc((void **)0, 0)), ::layoutc_handle_site = {site}, {name})");
                text.replace_range(start..end, &call);
            }
        }
        Ok(text)
    }
}

/// An allocation in the text of an edit.
enum Call {
    /// A call of the runtime, which is numbered.
    Runtime,
    /// A call of a generated function; the bytes of its name.
    Handle { start: usize, end: usize },
}

/// The allocations of a text, in order.
fn calls(text: &str) -> Vec<Call> {
    let runtime = lower(text, &[], SiteId(0)).sites;
    let mut calls: Vec<(usize, Call)> = runtime.into_iter().map(|at| (at, Call::Runtime)).collect();
    let all: Vec<_> = tokens(text).into_iter().collect();
    for pair in all.windows(2) {
        let name = pair[0].text(text);
        let allocates = name.ends_with("Malloc") || name.ends_with("MallocAsync");
        let generated = pair[0].kind == TokenKind::Identifier && allocates && !name.starts_with("cuda");
        if generated && pair[1].text(text) == "(" {
            let (start, end) = (pair[0].start as usize, pair[0].end as usize);
            calls.push((start, Call::Handle { start, end }));
        }
    }
    calls.sort_by_key(|(at, _)| *at);
    calls.into_iter().map(|(_, call)| call).collect()
}

/// Generated declarations whose allocations take the number that was left for them.
fn forward_site(text: &str) -> String {
    let mut out = text.to_owned();
    for at in lower(text, &[], SiteId(0)).sites.into_iter().rev() {
        out.insert_str(at, "::layoutc_rt::site(::layoutc_take_handle_site()).");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutc_diagnostics::SourceFile;

    #[test]
    fn calls_of_generated_functions_keep_the_numbers() {
        let text = "void f() {\n  cudaMalloc(&a, 4);\n  CHECK(cudaMalloc((void **)&p, n));\n  cudaMalloc(&b, 4);\n}\n";
        let mut sources = SourceSet::new();
        let empty = sources.add(SourceFile::new("0.cu", "void g() { cudaMalloc(&z, 1); }\n"));
        let file = sources.add(SourceFile::new("1.cu", text));
        let numbers = SiteNumbers::new(&sources);
        let call = "cudaMalloc((void **)&p, n)";
        let start = text.find(call).expect("there");
        let span = Span::new(file, start, start + call.len());
        assert_eq!(numbers.site_in(span), Some(SiteId(2)));

        let mut block = Edit::replace(Span::new(file, 0, 0), "error pMalloc(P *p) { return cudaMalloc(&p->x, 1); }\n");
        block.is_generated = true;
        let edits = EditSet::new(vec![block, Edit::replace(span, "pMalloc(&p, n)")]).expect("disjoint");
        let kept = numbers.keep_through(file, &edits).expect("numbered");
        let after = kept.apply(text);
        assert!(after.contains("::layoutc_handle_site = 2, pMalloc)(&p, n)"), "{after}");
        let lowered = lower(&after, &kept.generated_ranges(), SiteId(1));
        assert_eq!(lowered.sites.len(), 3);
        assert!(lowered.text.contains("site(3).cudaMalloc(&b"), "{}", lowered.text);
        assert!(lowered.text.contains("site(::layoutc_take_handle_site()).cudaMalloc(&p->x"), "{}", lowered.text);
        assert_eq!(numbers.site_in(Span::new(empty, 0, 5)), None);

        let lost = EditSet::new(vec![Edit::replace(span, "0")]).expect("disjoint");
        assert!(numbers.keep_through(file, &lost).is_err());
    }
}

//! Which allocation call of the rewritten program is which of the original.
//!
//! The CPU runtime numbers the textual allocation calls of a program in their order. A rewrite
//! keeps that order, but a call whose array gets several pointers becomes a call of a generated
//! function that allocates. For the comparison, and only there, such a call is given its number:
//! a `cudaMalloc` that is never evaluated takes its place in the count, and the number is left
//! for the one allocation within the generated function.

use layoutc_codegen::{Edit, EditSet};
use layoutc_diagnostics::{FileId, Span};
use layoutc_runtime::lowering::{SiteId, lower};
use layoutc_runtime::program::{AllocationSite, SourceText, allocation_sites};
use layoutc_syntax::preprocess::{TokenKind, each_token, tokens};
use std::collections::BTreeSet;

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

/// The original program's allocation calls, by [`SiteId`].
pub struct SiteNumbers {
    /// The first byte of each call's name.
    places: Vec<Span>,
    /// The files of the program. A text of layoutc is none, and the runtime numbers no call in it.
    files: Vec<FileId>,
    /// The names of the original program that look like a generated function's, and are none.
    words: BTreeSet<String>,
}

impl SiteNumbers {
    /// Numbers the calls of all files in order, as the runtime does.
    ///
    /// `program` has the texts of the files of the program, whose ids are `ids`.
    pub fn new(program: &[SourceText], ids: &[FileId]) -> Self {
        let place = |site: AllocationSite| {
            let file = program.iter().position(|source| source.path == site.path);
            // Every site lies in one of the files that were asked about.
            let file = file.and_then(|at| ids.get(at)).copied().unwrap_or(FileId(0));
            Span::new(file, site.offset, site.offset)
        };
        let words = program.iter().flat_map(|source| {
            let words = each_token(&source.text).map(|token| token.text(&source.text));
            words.filter(|word| stem_of_allocation(word).is_some()).map(str::to_owned)
        });
        SiteNumbers {
            files: ids.to_vec(),
            words: words.collect(),
            places: allocation_sites(program).into_iter().map(place).collect(),
        }
    }

    /// The number of the call that a span holds.
    pub fn site_in(&self, call: Span) -> Option<SiteId> {
        self.sites(call).next()
    }

    /// Where a call stands in the original program.
    pub fn place(&self, SiteId(site): SiteId) -> Option<Span> {
        self.places.get(site as usize).copied()
    }

    /// The numbers of all calls whose names lie in a span.
    fn sites(&self, span: Span) -> impl Iterator<Item = SiteId> {
        let inside = move |(place, _): &(&Span, u32)| {
            place.file == span.file && span.range().contains(&(place.start as usize))
        };
        self.places.iter().zip(0..).filter(inside).map(|(_, site)| SiteId(site))
    }

    /// The edits of a file, such that every allocation call keeps its number.
    ///
    /// # Errors
    /// A message if an edit does not hold as many calls as the text that it replaces.
    pub fn keep_through(&self, file: FileId, edits: &EditSet) -> Result<EditSet, String> {
        let mut numbered = Vec::new();
        for edit in edits.edits() {
            debug_assert_eq!(edit.span.file, file);
            let text = match edit.version_of {
                _ if edit.is_generated => self.keep_generated(edit)?,
                Some(original) => self.keep_version(&edit.text, original)?,
                None => self.keep(edit)?,
            };
            numbered.push(Edit { text, ..edit.clone() });
        }
        EditSet::new(numbered).map_err(|_| "edits overlap".to_owned())
    }

    /// Generated declarations take the number that was left for them, but for versions of functions.
    fn keep_generated(&self, edit: &Edit) -> Result<String, String> {
        const LEFT: &str = "::layoutc_take_handle_site()";
        let mut versions: Vec<(usize, Span, &String)> = (edit.versions_within.iter())
            .filter_map(|(original, text)| Some((edit.text.find(text.as_str())?, *original, text)))
            .collect();
        versions.sort_by_key(|(start, ..)| *start);
        let (mut out, mut at) = (String::new(), 0);
        for (start, original, text) in versions {
            let Some(gap) = edit.text.get(at..start) else { continue };
            out.push_str(&with_sites(gap, LEFT));
            out.push_str(&self.keep_version(text, original)?);
            at = start + text.len();
        }
        out.push_str(&with_sites(&edit.text[at..], LEFT));
        Ok(out)
    }

    /// A version of a function allocates under the numbers of the function.
    fn keep_version(&self, version: &str, original: Span) -> Result<String, String> {
        if !self.files.contains(&original.file) {
            return Ok(with_sites(version, "-1"));
        }
        let sites: Vec<SiteId> = self.sites(original).collect();
        let calls = self.calls(version);
        // A declaration has none.
        if !calls.is_empty() && calls.len() != sites.len() {
            return Err(format!(
                "internal error: {} allocation calls became {} in `{}`",
                sites.len(),
                calls.len(),
                version
            ));
        }
        let mut text = version.to_owned();
        for (call, SiteId(site)) in calls.iter().zip(sites).rev() {
            match *call {
                Call::Handle { start, end } => {
                    let name = &version[start..end];
                    let call = format!("(::layoutc_handle_site = {site}, {name})");
                    text.replace_range(start..end, &call);
                }
                Call::Runtime { at } => {
                    text.insert_str(at, &format!("::layoutc_rt::site({site})."));
                }
            }
        }
        Ok(text)
    }

    fn keep(&self, edit: &Edit) -> Result<String, String> {
        let sites: Vec<SiteId> = self.sites(edit.span).collect();
        if edit.drops_allocation {
            // Not evaluated, but counted.
            let counted: String =
                sites.iter().map(|_| "(void)sizeof(cudaMalloc((void **)0, 0)), ").collect();
            return Ok(format!("({counted}{})", edit.text));
        }
        // A version of a macro: one call of the original is several now, by what it is used for.
        if sites.is_empty() && edit.text.contains("#define") && !self.calls(&edit.text).is_empty() {
            return Err(format!(
                "an allocation in a macro serves arrays in several layouts, which cannot be told apart: `{}`",
                edit.text.trim()
            ));
        }
        // `CALL(cudaMalloc, &p, n)` is no call of the text, and stays without a number where it is written out.
        if sites.is_empty() {
            return Ok(with_sites(&edit.text, "-1"));
        }
        let calls = self.calls(&edit.text);
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
                let call = format!(
                    "(sizeof(cudaMalloc((void **)0, 0)), ::layoutc_handle_site = {site}, {name})"
                );
                text.replace_range(start..end, &call);
            }
        }
        Ok(text)
    }

    /// The allocations of a text, in order.
    fn calls(&self, text: &str) -> Vec<Call> {
        let runtime = lower(text, &[], SiteId(0)).sites;
        let mut calls: Vec<(usize, Call)> =
            runtime.into_iter().map(|at| (at, Call::Runtime { at })).collect();
        let all: Vec<_> = tokens(text).into_iter().collect();
        for (at, pair) in all.windows(2).enumerate() {
            let name = pair[0].text(text);
            // A struct may be called `Cuda`, so that `cuda2Malloc` is generated.
            let generated = pair[0].kind == TokenKind::Identifier
                && stem_of_allocation(name).is_some_and(|stem| stem != "cuda")
                && !self.words.contains(name);
            if generated && pair[1].text(text) == "(" {
                // With the namespaces in front: `sim::particleMalloc`, and not the word in `return ::sim::particleMalloc`.
                let mut first = at;
                while first >= 1 && all[first - 1].text(text) == "::" {
                    let is_name = first >= 2
                        && all[first - 2].kind == TokenKind::Identifier
                        && all[first - 2].end == all[first - 1].start;
                    first -= if is_name { 2 } else { 1 };
                }
                let (start, end) = (all[first].start as usize, pair[0].end as usize);
                calls.push((start, Call::Handle { start, end }));
            }
        }
        calls.sort_by_key(|(at, _)| *at);
        calls.into_iter().map(|(_, call)| call).collect()
    }
}

/// An allocation in the text of an edit.
enum Call {
    /// A call of the runtime, which is numbered; where it stands.
    Runtime { at: usize },
    /// A call of a generated function; the bytes of its name.
    Handle { start: usize, end: usize },
}

/// What stands in front of the end that names of allocating functions have, of the runtime (`cuda`) and generated.
fn stem_of_allocation(name: &str) -> Option<&str> {
    let ends = ["Malloc", "MallocAsync", "MallocFromPoolAsync", "MallocManaged"];
    ends.iter().find_map(|end| name.strip_suffix(end))
}

/// Each allocation call of a text with an expression for its number in front.
fn with_sites(text: &str, number: &str) -> String {
    let mut out = text.to_owned();
    for at in lower(text, &[], SiteId(0)).sites.into_iter().rev() {
        out.insert_str(at, &format!("::layoutc_rt::site({number})."));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_struct_may_be_called_cuda() {
        let numbers = SiteNumbers::new(
            &[source("0.cu", "void g() { cudaSafeMalloc(&z, 1); }\n")],
            &[FileId(0)],
        );
        let found = numbers.calls("cuda2Malloc(&d, n); cudaMalloc(&e, n); cudaSafeMalloc(&f, n);");
        let handles = found.iter().filter(|call| matches!(call, Call::Handle { .. })).count();
        assert_eq!((handles, found.len()), (1, 2));
    }

    #[test]
    fn namespaces_belong_to_the_name() {
        let numbers = SiteNumbers::new(&[source("0.cu", "")], &[FileId(0)]);
        for (text, name) in [
            ("return ::a::pMalloc(&d, n);", "::a::pMalloc"),
            ("x = a::b::pMalloc(&d, n);", "a::b::pMalloc"),
            ("::pMalloc(&d, n);", "::pMalloc"),
        ] {
            let found = numbers.calls(text);
            let [Call::Handle { start, end }] = found[..] else { panic!("{text}") };
            assert_eq!(&text[start..end], name);
        }
    }

    fn source(path: &str, text: &str) -> SourceText {
        SourceText {
            path: path.into(),
            text: text.to_owned(),
            generated: Vec::new(),
            is_root: true,
        }
    }

    #[test]
    fn versions_in_generated_text_allocate_under_the_numbers_of_their_functions() {
        let text =
            "void up(T *&p) { cudaMalloc(&p, 4); }\nstruct P;\nvoid f() { cudaMalloc(&q, 4); }\n";
        let file = FileId(0);
        let numbers = SiteNumbers::new(&[source("0.cu", text)], &[file]);
        let version = "void up(PTile32 *&p) { cudaMalloc(&p, pBytes(4)); }";
        let at = text.find("void f").expect("there");
        let helper = "error pMalloc(P *p) { return cudaMalloc(&p->x, 1); }";
        let mut block = Edit::replace(Span::new(file, at, at), format!("{helper}\n{version}\n"));
        block.is_generated = true;
        let original = Span::new(file, 0, text.find('\n').expect("there"));
        block.versions_within = vec![(original, version.to_owned())];
        let kept = numbers
            .keep_through(file, &EditSet::new(vec![block]).expect("disjoint"))
            .expect("numbered");
        let after = kept.apply(text);
        assert!(after.contains("site(0).cudaMalloc(&p, pBytes(4))"), "{after}");
        assert!(after.contains("site(::layoutc_take_handle_site()).cudaMalloc(&p->x"), "{after}");
        let lowered = lower(&after, &kept.generated_ranges(), SiteId(0));
        assert!(lowered.text.contains("site(1).cudaMalloc(&q"), "{}", lowered.text);
    }

    #[test]
    fn calls_of_generated_functions_keep_the_numbers() {
        let text = "void f() {\n  cudaMalloc(&a, 4);\n  CHECK(cudaMalloc((void **)&p, n));\n  cudaMalloc(&b, 4);\n}\n";
        let (first, file) = (FileId(0), FileId(1));
        let numbers = SiteNumbers::new(
            &[source("0.cu", "void g() { cudaMalloc(&z, 1); }\n"), source("1.cu", text)],
            &[first, file],
        );
        let call = "cudaMalloc((void **)&p, n)";
        let start = text.find(call).expect("there");
        let span = Span::new(file, start, start + call.len());
        assert_eq!(numbers.site_in(span), Some(SiteId(2)));
        assert_eq!(numbers.place(SiteId(2)), Some(span.at_start()));
        assert_eq!(numbers.place(SiteId(4)), None);

        let mut block = Edit::replace(
            Span::new(file, 0, 0),
            "error pMalloc(P *p) { return cudaMalloc(&p->x, 1); }\n",
        );
        block.is_generated = true;
        let edits =
            EditSet::new(vec![block, Edit::replace(span, "pMalloc(&p, n)")]).expect("disjoint");
        let kept = numbers.keep_through(file, &edits).expect("numbered");
        let after = kept.apply(text);
        assert!(after.contains("::layoutc_handle_site = 2, pMalloc)(&p, n)"), "{after}");
        let lowered = lower(&after, &kept.generated_ranges(), SiteId(1));
        assert_eq!(lowered.sites.len(), 3);
        assert!(lowered.text.contains("site(3).cudaMalloc(&b"), "{}", lowered.text);
        assert!(
            lowered.text.contains("site(::layoutc_take_handle_site()).cudaMalloc(&p->x"),
            "{}",
            lowered.text
        );
        assert_eq!(numbers.site_in(Span::new(first, 0, 5)), None);

        let lost = EditSet::new(vec![Edit::replace(span, "0")]).expect("disjoint");
        assert!(numbers.keep_through(file, &lost).is_err());
    }
}

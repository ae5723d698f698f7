//! One input through the whole compiler, in this process.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::path::Path;

use layoutc_codegen::PLACEHOLDER;
use layoutc_dataflow::layout::notation::LayoutSpec;
use layoutc_diagnostics::Severity;
use layoutc_driver::{Compiled, Request, compile};
use layoutc_syntax::preprocess::{LoadResult, PreprocessOptions, SourceLoader, preprocess_program};

use super::programs::Input;

/// What the compiler made of an input.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Verdict {
    /// An error was reported.
    Refused,
    /// Nothing changes.
    Kept,
    /// Some class changes.
    Changed,
    /// Some class changes, and the output has more unparsed regions than the input. For an input
    /// that no compiler takes this is no failure; for another one it would be.
    Doubtful,
}

/// What an input did that it must not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The same for failures with the same cause: for a panic, its place.
    pub cause: String,
    /// For people.
    pub message: String,
}

thread_local! {
    /// The place and text of the last panic of this thread.
    static PANIC: RefCell<Option<(String, String)>> = const { RefCell::new(None) };
}

/// Keeps the text of panics for [`run`] instead of printing it.
pub fn keep_panics_quiet() {
    panic::set_hook(Box::new(|found| {
        let place =
            found.location().map_or_else(String::new, |at| format!("{}:{}", at.file(), at.line()));
        PANIC.with(|kept| *kept.borrow_mut() = Some((place, found.to_string())));
    }));
}

struct Headers<'a>(&'a [(String, String)]);

impl SourceLoader for Headers<'_> {
    fn load(&mut self, path: &Path) -> LoadResult {
        match self.0.iter().find(|(name, _)| Path::new(name) == path) {
            Some((_, text)) => LoadResult::Text(text.clone()),
            None => LoadResult::Missing,
        }
    }
}

/// Compiles an input, and compiles what becomes of it once more. To be called on a thread with a
/// stack of [`super::STACK`] bytes, after [`keep_panics_quiet`].
///
/// Bytes that are no UTF-8 are placeholders here; that they come back is the command line's promise.
///
/// # Errors
/// The failure, unless it is one of time, memory or stack, which only another process can see.
pub fn run(input: &Input) -> Result<Verdict, Failure> {
    PANIC.with(|kept| kept.borrow_mut().take());
    catch_unwind(AssertUnwindSafe(|| check(input))).map_err(|_| {
        let (cause, message) = PANIC.with(|kept| kept.borrow_mut().take()).unwrap_or_default();
        Failure { cause, message }
    })
}

fn check(input: &Input) -> Verdict {
    let decode = |is_root: bool| -> Vec<(String, String)> {
        let files = input.files.iter().filter(|file| file.is_root == is_root);
        files.map(|file| (file.name.clone(), decoded(&file.bytes))).collect()
    };
    let (roots, headers) = (decode(true), decode(false));
    let mut request = Request { require: input.require.clone(), ..Request::default() };
    for layout in &input.layouts {
        match LayoutSpec::parse(layout) {
            Ok(spec) => request.layouts.push(spec),
            Err(error) => drop(error.diagnostic(layout)),
        }
    }
    let compiled = compile_texts(&roots, &headers, &request);
    visit_places(&compiled);
    if compiled.diagnostics.iter().any(|found| found.severity == Severity::Error) {
        return Verdict::Refused;
    }
    if compiled.edits.is_empty() {
        return Verdict::Kept;
    }
    again(&compiled)
}

/// The text of a file, as long as it is in bytes.
#[must_use]
pub fn decoded(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| PLACEHOLDER));
    }
    text
}

fn compile_texts(
    roots: &[(String, String)],
    headers: &[(String, String)],
    request: &Request,
) -> Compiled {
    let roots = roots.iter().map(|(name, text)| (name.into(), text.clone())).collect();
    compile(
        preprocess_program(roots, &mut Headers(headers), &PreprocessOptions::default()),
        request,
    )
}

/// Everything that is said must have a place that can be shown.
fn visit_places(compiled: &Compiled) {
    let labels =
        compiled.diagnostics.iter().flat_map(|found| found.primary.iter().chain(&found.secondary));
    let reasons = compiled.classes.iter().flat_map(|class| &class.reasons);
    let related = reasons.clone().flat_map(|reason| reason.related.iter().map(|(span, _)| *span));
    let spans =
        labels.map(|label| label.span).chain(reasons.map(|reason| reason.span)).chain(related);
    for span in spans {
        let place = compiled.program.sources.locate(span).to_string();
        assert!(
            !place.is_empty()
                && compiled.program.text(span).len() == (span.end - span.start) as usize
        );
    }
}

/// The output must be a text that can be compiled in the same sense as the input.
fn again(compiled: &Compiled) -> Verdict {
    let (mut roots, mut headers) = (Vec::new(), Vec::new());
    for (id, file) in compiled.program.sources.iter() {
        let text = compiled
            .edits
            .get(&id)
            .map_or_else(|| file.text().to_owned(), |edits| edits.apply(file.text()));
        let into =
            if compiled.program.files[id.index()].is_root { &mut roots } else { &mut headers };
        into.push((file.path().display().to_string(), text));
    }
    let second = compile_texts(&roots, &headers, &Request::default());
    visit_places(&second);
    let unparsed = |compiled: &Compiled| -> usize {
        compiled.program.files.iter().map(|file| file.unparsed).sum()
    };
    if unparsed(&second) > unparsed(compiled) { Verdict::Doubtful } else { Verdict::Changed }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::malformed::programs::Shipped;

    #[test]
    fn shipped_programs_do_not_fail() -> anyhow::Result<()> {
        keep_panics_quiet();
        let shipped = Shipped::read()?;
        let verdicts: Vec<_> = shipped.rewrites.iter().chain(&shipped.refusals).map(run).collect();
        assert!(verdicts.iter().all(Result::is_ok));
        for expected in [Verdict::Refused, Verdict::Kept, Verdict::Changed] {
            assert!(verdicts.contains(&Ok(expected)), "{expected:?}");
        }
        Ok(())
    }
}

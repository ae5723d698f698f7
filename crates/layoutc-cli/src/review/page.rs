//! The review as Markdown.

use super::base::Base;
use super::changes::{Change, changes};
use super::picture::picture;
use crate::compile::Success;
use crate::cost::run::KernelChange;
use crate::format::markdown::{cell, code, fenced, line_of, names, prose, why};
use crate::format::{Findings, layout_before};
use crate::strips::strips;
use crate::summary::listed;
use crate::transform::diff;
use crate::verify::Verified;
use layoutc_analysis::cost::price::Model;
use layoutc_dataflow::classes::Pin;
use layoutc_dataflow::layout::Layout;
use layoutc_diagnostics::{Code, Diagnostic, Severity, SourceSet};
use layoutc_driver::{ClassOutcome, Status};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Bytes of a diff that are shown: a comment of GitHub holds 65,536.
const DIFF: usize = 40_000;
/// The most reasons of one array that are shown; the report has all.
const REASONS: usize = 10;
/// What the calls begin with that copy to or from an array in device memory.
const COPIES: [&str; 7] = [
    "cudaMemcpy",
    "cuMemcpy",
    "clEnqueueReadBuffer",
    "clEnqueueWriteBuffer",
    "clEnqueueCopyBuffer",
    "clEnqueueMapBuffer",
    "clEnqueueUnmapMemObject",
];

/// Everything that a review is about.
pub struct Review<'a> {
    /// The program.
    pub success: &'a Success,
    /// What prices are computed with.
    pub program: &'a crate::arguments::ProgramArguments,
    /// The kernels whose costs are known before and after, and the names of the others.
    pub kernels: &'a (Vec<KernelChange>, Vec<String>),
    /// The program before the change under review.
    pub before: Option<Before<'a>>,
    /// What the runs say, or why there is no answer.
    pub verified: Option<&'a Result<Verified, String>>,
}

/// The program as of a revision.
pub struct Before<'a> {
    /// As the user calls it.
    pub name: &'a str,
    /// Its files.
    pub base: &'a Base,
    /// The program, or the errors for which it cannot be compiled.
    pub compiled: Result<&'a Success, &'a [Diagnostic]>,
}

impl Review<'_> {
    /// The Markdown.
    pub fn text(&self) -> String {
        let mut out = self.heading();
        self.differences(&mut out);
        self.arrays(&mut out);
        self.costs(&mut out);
        self.kept(&mut out);
        self.memory(&mut out);
        self.conversions(&mut out);
        self.verification(&mut out);
        self.diff(&mut out);
        out
    }

    fn findings(&self) -> Findings<'_> {
        Findings::of(self.success)
    }

    fn sources(&self) -> &SourceSet {
        self.success.sources()
    }

    fn changed(&self) -> impl Iterator<Item = &ClassOutcome> {
        self.findings().changed()
    }

    fn heading(&self) -> String {
        let (all, changed) = (self.findings().arrays().count(), self.changed().count());
        match all {
            0 => "## Data layout: no array of structs in device memory was found\n".to_owned(),
            1 => format!("## Data layout: {changed} of 1 array would change\n"),
            _ => format!("## Data layout: {changed} of {all} arrays would change\n"),
        }
    }

    /// What is different because of the change under review.
    fn differences(&self, out: &mut String) {
        let Some(before) = &self.before else { return };
        let title = format!("{} ({})", code(before.name), before.base.short());
        let compiled = match before.compiled {
            Ok(compiled) => compiled,
            Err(diagnostics) => {
                let at = before.base.copy.at.display().to_string();
                let _ = writeln!(out, "\n### Compared with {title}\n");
                let _ = writeln!(out, "The program of that revision cannot be compiled:\n");
                let is_error = |found: &&Diagnostic| found.severity == Severity::Error;
                for error in diagnostics.iter().filter(is_error) {
                    let text = error.message.replace(&format!("{at}/"), "");
                    let _ = writeln!(out, "- {}: {}", error.code, prose(&text));
                }
                return;
            }
        };
        let findings = Findings::of(compiled);
        let was: Vec<&ClassOutcome> = findings.arrays().collect();
        let own = self.findings();
        let is: Vec<&ClassOutcome> = own.arrays().collect();
        let found = changes(&was, &is);
        let _ = writeln!(out, "\n### Compared with {title}\n");
        if found.is_empty() {
            out.push_str("Every array has the layout that it had.\n");
        }
        for change in found {
            let _ = writeln!(out, "- {}", self.change(compiled, before, change));
        }
    }

    fn change(&self, compiled: &Success, before: &Before<'_>, change: Change<'_>) -> String {
        let now = |class: &ClassOutcome| reason(self.sources(), class.reasons.first());
        let old = |class: &ClassOutcome| match class.reasons.first() {
            None => String::new(),
            // Places of the copy are places of the repository.
            Some(pin) => {
                let place = crate::format::place(compiled.sources(), pin.span);
                let path = before.base.copy.original(place.path);
                let at = format!("{}:{}", path.display(), place.start.line);
                format!("{} at {}: {}", pin.code, code(&at), prose(&pin.message))
            }
        };
        match change {
            Change::StaysNow(was, is) => {
                format!("**stays now**: {}, {} before. {}", names(is), code(&was.layout), now(is))
            }
            Change::ChangesNow(was, is) => format!(
                "**changes now**: {}, to {}. It stayed before: {}",
                names(is),
                code(&is.layout),
                old(was)
            ),
            Change::OtherLayout(was, is) => format!(
                "**another layout**: {}, {} instead of {}",
                names(is),
                code(&is.layout),
                code(&was.layout)
            ),
            Change::OtherReason(was, is) => format!(
                "stays for another reason: {}. {} (before: {})",
                names(is),
                now(is),
                old(was)
            ),
            Change::New(is) if is.status == Status::Changed => {
                format!("**new**: {}, to {}", names(is), code(&is.layout))
            }
            Change::New(is) => format!("**new**: {}, stays. {}", names(is), now(is)),
            Change::Gone(was) => format!("gone: {}", names(was)),
        }
    }

    fn arrays(&self, out: &mut String) {
        let findings = self.findings();
        if findings.arrays().next().is_none() {
            return;
        }
        out.push_str("\n### Arrays\n\n| array | before | after | why |\n|---|---|---|---|\n");
        for class in findings.arrays() {
            let after = match class.status {
                Status::Changed => code(&class.layout),
                Status::Kept => "stays".to_owned(),
            };
            let (array, before) = (names(class), code(layout_before(class)));
            let _ =
                writeln!(out, "| {array} | {before} | {after} | {} |", why(self.sources(), class));
        }
    }

    fn costs(&self, out: &mut String) {
        let (known, unknown) = self.kernels;
        if known.is_empty() && unknown.is_empty() {
            return;
        }
        let unit = match self.program.model {
            Model::Sectors => "sectors",
            Model::Peng => "transactions",
        };
        let _ = writeln!(out, "\n### Predicted cost of kernels\n");
        if !known.is_empty() {
            let _ = writeln!(
                out,
                "| a launch of | arrays | {unit} before | {unit} after | memory cost, source = 1 | gain |\n|---|---|--:|--:|--:|---|"
            );
            for kernel in known {
                row(out, kernel);
            }
            let _ = writeln!(
                out,
                "\nComputed from the text for {}, not measured; {} shows it access by access.",
                code(&self.program.device.name),
                code("layoutc cost")
            );
        }
        if !unknown.is_empty() {
            let names: Vec<String> = unknown.iter().map(|name| code(name)).collect();
            let _ = writeln!(out, "\nNo price is known for {}.", names.join(", "));
        }
    }

    /// What stays for a reason that somebody could change, with the flow that led there.
    fn kept(&self, out: &mut String) {
        let findings = self.findings();
        let refused = |class: &&ClassOutcome| {
            class.status == Status::Kept
                && class.reasons.first().is_some_and(|pin| pin.code != Code::NO_GAIN)
        };
        let kept: Vec<&ClassOutcome> = findings.arrays().filter(refused).collect();
        if kept.is_empty() {
            return;
        }
        out.push_str("\n### What stays, and why\n\n");
        for class in kept {
            let _ = writeln!(out, "- {}", names(class));
            for pin in class.reasons.iter().take(REASONS) {
                let _ = writeln!(out, "  - {}", reason(self.sources(), Some(pin)));
                for (span, text) in &pin.related {
                    let at = code(&line_of(self.sources(), *span));
                    let _ = writeln!(out, "    - {at}: {}", prose(text));
                }
            }
            let more = class.reasons.len().saturating_sub(REASONS);
            if more > 0 {
                let _ = writeln!(out, "  - and {more} more");
            }
            let codes: BTreeSet<String> = class
                .reasons
                .iter()
                .map(|reason| format!("`layoutc explain {}`", reason.code))
                .collect();
            let codes: Vec<String> = codes.into_iter().collect();
            let _ = writeln!(out, "  - what to change: {}", codes.join(", "));
        }
    }

    fn memory(&self, out: &mut String) {
        let mut is_first = true;
        for class in self.changed() {
            let Some((shape, layout)) = &class.geometry else { continue };
            if is_first {
                out.push_str("\n### The first elements in memory\n");
                is_first = false;
            }
            let before = picture(&strips(shape, &Layout::aos(shape)));
            let after = picture(&strips(shape, layout));
            let _ = writeln!(out, "\n{}, before:\n\n{}", names(class), fenced("text", &before));
            let _ = write!(out, "and as {}:\n\n{}", code(&class.layout), fenced("text", &after));
        }
    }

    /// Where copies between host and device convert.
    fn conversions(&self, out: &mut String) {
        let compiled = &self.success.compiled;
        let copies = self.copies();
        if compiled.generated_kernels.is_empty() && copies.is_empty() {
            return;
        }
        out.push_str("\n### Conversions\n");
        if !copies.is_empty() {
            let _ = writeln!(out, "\nThese copies go through the new layout: {}.", listed(&copies));
        }
        if !compiled.generated_kernels.is_empty() {
            let names: Vec<String> =
                compiled.generated_kernels.iter().map(|name| code(name)).collect();
            let _ = writeln!(out, "\nGenerated kernels convert: {}.", names.join(", "));
        }
    }

    /// The calls of the runtime that copy, and get a generated function in their place.
    fn copies(&self) -> Vec<String> {
        let word = |text: &str| -> String {
            text.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
        };
        let mut found = Vec::new();
        for edit in self.success.compiled.edits.values().flat_map(|edits| edits.edits()) {
            let Some(before) = self.sources().file(edit.span.file).text().get(edit.span.range())
            else {
                continue;
            };
            let name = word(before);
            if COPIES.iter().any(|copy| name.starts_with(copy)) && word(&edit.text) != name {
                let at = line_of(self.sources(), edit.span);
                found.push(format!("{} at {}", code(&name), code(&at)));
            }
        }
        found
    }

    fn verification(&self, out: &mut String) {
        let Some(verified) = self.verified else { return };
        match verified {
            Ok(verified) => {
                let verdict = match verified.numbers.verdict {
                    "same" => "identical",
                    "unchanged" => "nothing changes",
                    other => other,
                };
                let _ = write!(
                    out,
                    "\n### Run before and after: {verdict}\n\n{}",
                    fenced("text", &verified.text)
                );
            }
            Err(message) => {
                let _ = write!(
                    out,
                    "\n### Run before and after: no answer\n\n{}",
                    fenced("text", message)
                );
            }
        }
    }

    fn diff(&self, out: &mut String) {
        let files = self.success.changed().count();
        if files == 0 {
            return;
        }
        let bytes = diff(self.success);
        let text = String::from_utf8_lossy(&bytes);
        let lines = |sign: char, header: &str| {
            text.lines().filter(|line| line.starts_with(sign) && !line.starts_with(header)).count()
        };
        let (added, removed) = (lines('+', "+++ "), lines('-', "--- "));
        let plural = if files == 1 { "" } else { "s" };
        let end = text.floor_char_boundary(DIFF);
        let shown = match text.len() > DIFF {
            true => text[..end].rfind('\n').map_or("", |at| &text[..=at]),
            false => &text,
        };
        let _ = write!(
            out,
            "\n<details>\n<summary>Diff: {files} file{plural}, +{added} −{removed}</summary>\n\n{}",
            fenced("diff", shown)
        );
        if shown.len() < text.len() {
            let left = text.lines().count() - shown.lines().count();
            let command = code("layoutc transform --diff");
            let _ = writeln!(out, "\n{left} more lines are left out; {command} shows them.");
        }
        out.push_str("\n</details>\n");
    }
}

fn row(out: &mut String, kernel: &KernelChange) {
    let arrays: Vec<String> = kernel.arrays.iter().map(|name| code(name)).collect();
    let [before, after] = kernel.requests.map(number);
    let gain = kernel.gain.as_deref().map_or_else(String::new, cell);
    let _ = writeln!(
        out,
        "| {} | {} | {before} | {after} | {:.2} | {gain} |",
        code(&kernel.name),
        arrays.join(", "),
        kernel.ratio
    );
}

fn number(value: f64) -> String {
    if value < 1e6 { format!("{value:.0}") } else { format!("{value:.2e}") }
}

/// A reason with its place, as a sentence.
fn reason(sources: &SourceSet, pin: Option<&Pin>) -> String {
    pin.map_or_else(String::new, |pin| {
        let at = code(&line_of(sources, pin.span));
        format!("{} at {at}: {}", pin.code, prose(&pin.message))
    })
}

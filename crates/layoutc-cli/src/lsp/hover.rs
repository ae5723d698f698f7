//! What an editor shows of the array under the mouse.

use crate::lsp::mentions::ClassAt;
use crate::lsp::prices::{PricedAccess, text};
use crate::lsp::snapshot::Analysed;
use crate::lsp::spans::Spans;
use layoutc_diagnostics::{Code, FileId, Span};
use layoutc_driver::{ClassOutcome, Status};
use lsp_types::{Contents, Hover, MarkupContent, MarkupKind};
use std::fmt::Write;

/// The most reasons, and accesses of one place, that are shown.
const SHOWN: usize = 8;

/// What is said of an offset in a file; `None` where no array is mentioned.
pub fn hover(own: &Analysed, spans: &mut Spans<'_>, file: FileId, offset: usize) -> Option<Hover> {
    let (span, classes) = own.mentions.at(file, offset)?;
    let accesses = accesses_at(own, file, offset, &classes);
    let texts: Vec<String> = classes
        .iter()
        .map(|at| {
            let class = &own.success.compiled.classes[*at];
            let accesses = accesses.iter().copied().filter(|access| access.class == *at);
            of_class(own, class, &accesses.collect::<Vec<_>>(), spans)
        })
        .collect();
    let value = texts.join("\n---\n\n");
    let contents = MarkupContent { kind: MarkupKind::Markdown, value };
    Some(Hover { contents: Contents::MarkupContent(contents), range: Some(spans.range(span)) })
}

/// The accesses in whose text the offset lies: those of the smallest text.
fn accesses_at<'a>(
    own: &'a Analysed,
    file: FileId,
    offset: usize,
    classes: &[ClassAt],
) -> Vec<&'a PricedAccess> {
    let holds = |span: Span| {
        span.file == file && span.start as usize <= offset && offset <= span.end as usize
    };
    let around =
        own.prices.iter().filter(|access| holds(access.span) && classes.contains(&access.class));
    let size = |access: &&PricedAccess| access.span.end - access.span.start;
    let Some(least) = around.clone().map(|access| size(&access)).min() else {
        return Vec::new();
    };
    around.filter(|access| size(access) == least).collect()
}

/// What is said of one class.
fn of_class(
    own: &Analysed,
    class: &ClassOutcome,
    accesses: &[&PricedAccess],
    spans: &mut Spans<'_>,
) -> String {
    let mut out = String::new();
    let names: Vec<String> = class.names.iter().map(|name| format!("`{name}`")).collect();
    let names = if names.is_empty() { "no name".to_owned() } else { names.join(", ") };
    let bytes = class
        .geometry
        .as_ref()
        .map(|(shape, _)| format!("; in the source {} bytes an element", shape.size.0));
    let _ = writeln!(out, "**Array of `{}`**: {names}\n", class.type_name);
    match class.status {
        Status::Changed => {
            let bytes = bytes.unwrap_or_default();
            let _ = writeln!(out, "Becomes: `{}`{bytes}.\n", class.layout);
            if !class.because.is_empty() {
                let _ = writeln!(out, "Why: {}\n", class.because);
            }
            for (span, assumed) in class.assumed.iter().take(SHOWN) {
                let _ = writeln!(out, "- taken to hold at {}: {assumed}", spans.link(*span));
            }
        }
        Status::Kept => kept(own, class, &mut out, spans),
    }
    prices(accesses, &mut out);
    out
}

/// Why a class stays.
fn kept(own: &Analysed, class: &ClassOutcome, out: &mut String, spans: &mut Spans<'_>) {
    let program = &own.success.compiled.program;
    let types = class.elements.iter().map(|record| program.record(*record).name_span);
    let sites = types.chain(class.reasons.iter().map(|reason| reason.span));
    let region = sites.filter_map(|span| program.generated_at(span)).next();
    if let (true, Some(region)) = (class.is_generated, region) {
        let _ = writeln!(out, "An earlier run gave it the layout `{}`.\n", region.layout);
        return;
    }
    let _ = writeln!(out, "Keeps the source's layout.\n");
    let is_gain = |code| code == Code::NO_GAIN;
    for reason in class.reasons.iter().take(SHOWN) {
        let _ = match is_gain(reason.code) {
            true => writeln!(out, "- {}", reason.message),
            false => {
                writeln!(out, "- {} {}: {}", reason.code, spans.link(reason.span), reason.message)
            }
        };
    }
    let more = class.reasons.len().saturating_sub(SHOWN);
    if more > 0 {
        let _ = writeln!(out, "- and {more} more");
    }
    if let Some(first) = class.reasons.first().filter(|reason| !is_gain(reason.code)) {
        let _ = writeln!(out, "\n`layoutc explain {}` says what to change.\n", first.code);
    }
}

/// What the accesses at the place cost.
fn prices(accesses: &[&PricedAccess], out: &mut String) {
    for access in accesses.iter().take(SHOWN) {
        let _ = writeln!(out, "\nIn `{}`, this {}:\n", access.kernel, access.kind);
        let _ = writeln!(out, "- now: {}", text(access.model, &access.source));
        if let Some(chosen) = &access.chosen {
            let _ = writeln!(out, "- then: {}", text(access.model, chosen));
        }
    }
}

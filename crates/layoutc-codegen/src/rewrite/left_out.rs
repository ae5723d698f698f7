//! Members that a specialisation is written without.
//!
//! A template makes no member function that nothing uses, so what is written out for one of its instances has none either:
//! such a function may not compile for this element, and its body is not in the model.

use super::Rewriter;
use layoutc_diagnostics::Span;
use layoutc_syntax::{Program, RecordId};
use std::collections::BTreeSet;

impl Rewriter<'_> {
    /// The text in the class of the member functions that nothing uses, in order, each with its line and the comments in
    /// front of it: a template makes no such function, so its specialisation has none.
    pub(super) fn left_out(&self, record: RecordId) -> Vec<Span> {
        let program = self.program;
        let own = program.record(record);
        let (Some(whole), Some(instance)) = (own.body, &own.instance) else { return Vec::new() };
        let sites = instance.unused.iter().flat_map(|id| &program.function(*id).sites);
        let inside: BTreeSet<Span> =
            sites.map(|site| site.span).filter(|span| whole.contains(*span)).collect();
        let mut parts: Vec<Span> = Vec::new();
        for member in inside {
            let member = self.with_its_head(member);
            let own = self.with_its_lines(whole, member);
            match parts.last_mut() {
                Some(last) if last.end == own.start => last.end = own.end,
                _ => parts.push(own),
            }
            if let Some(last) = parts.last_mut() {
                last.end += blank_line_behind(program, *last);
            }
        }
        parts
    }

    /// A member template of a text of layoutc, where its head stands on the line of its name.
    fn with_its_head(&self, member: Span) -> Span {
        if !self.program.is_model_text(member.file) {
            return member;
        }
        let text = self.program.sources.file(member.file).text();
        let before = &text[..member.start as usize];
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        let head = before[line..].find("template <").map(|at| line + at);
        Span { start: head.map_or(member.start, |at| at as u32), ..member }
    }

    /// A member function's text with its semicolon and, where nothing else stands on its lines, with these and the comments in
    /// front of them.
    fn with_its_lines(&self, class: Span, member: Span) -> Span {
        let text = self.program.sources.file(member.file).text();
        let end = member.end as usize;
        let behind = text[end..].trim_start();
        let end = if behind.starts_with(';') { text.len() - behind.len() + 1 } else { end };
        let alone = Span::new(member.file, member.start as usize, end);
        let rest = text[end..].lines().next().unwrap_or_default();
        // A comment that goes on in the next line stays.
        let is_comment = rest.trim_start().starts_with("//") && !rest.ends_with('\\');
        let end = if is_comment { end + rest.len() } else { end };
        let with_comment = Span::new(member.file, alone.start as usize, end);
        let lines = self.whole_lines(with_comment);
        if lines == with_comment {
            return alone;
        }
        let first = class.start as usize;
        let mut start = lines.start as usize;
        while let Some(before) = text[first..start].strip_suffix('\n') {
            let above = before.rfind('\n').map_or(first, |at| first + at + 1);
            let comment = text[above..start].trim();
            let opened = match comment {
                _ if above == first => break,
                line if line.starts_with("//") => Some(above),
                line if line.ends_with("*/") => {
                    let opens = text[first..start].rfind("/*").map(|at| first + at);
                    let line = opens.and_then(|at| Some(first + text[first..at].rfind('\n')? + 1));
                    line.filter(|line| opens.is_some_and(|at| text[*line..at].trim().is_empty()))
                }
                _ => None,
            };
            match opened {
                Some(above) => start = above,
                None => break,
            }
        }
        Span::new(member.file, start, lines.end as usize)
    }

    /// The text of an instance's class, without the member functions that nothing uses.
    pub(super) fn written_parts(&self, record: RecordId) -> Vec<Span> {
        let Some(whole) = self.program.record(record).declaration else { return Vec::new() };
        let mut parts = Vec::new();
        let mut start = whole.start;
        for left_out in self.left_out(record) {
            parts.push(Span { start, end: left_out.start, ..whole });
            start = left_out.end;
        }
        parts.push(Span { start, ..whole });
        parts
    }
}

/// The length of the blank line behind text that goes, if one stands in front of it, too.
fn blank_line_behind(program: &Program, gone: Span) -> u32 {
    let text = program.sources.file(gone.file).text();
    let (before, behind) = (&text[..gone.start as usize], &text[gone.end as usize..]);
    let above = before.strip_suffix('\n').map_or("", |above| above.trim_end_matches('\r'));
    match behind.find('\n') {
        Some(at) if above.ends_with('\n') && behind[..at].trim().is_empty() => at as u32 + 1,
        _ => 0,
    }
}

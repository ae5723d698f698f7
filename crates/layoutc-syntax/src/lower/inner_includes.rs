//! Text that is included into the body of a function or a class.

use super::{Lowering, pasted};
use crate::preprocess::Activity;
use crate::program::{RecordId, RecordTrait, RegionKind, UnmodelledRegion};
use layoutc_diagnostics::{FileId, Span};

impl Lowering<'_> {
    /// Pins what such text mentions: it is lowered as a file of its own, where its names mean nothing.
    pub(super) fn collect_inner_includes(&mut self) {
        let mut inner: Vec<(Span, FileId)> = Vec::new();
        for (at, file) in self.preprocessed.files.iter().enumerate() {
            let of_file = |span: &Span| span.file == FileId(at as u32);
            let includes = file.includes.iter().filter(|own| own.activity != Activity::Inactive);
            let mut includes = includes.filter_map(|own| Some((own.span, own.target?))).peekable();
            if includes.peek().is_none() {
                continue;
            }
            let functions = self.program.functions.iter().filter(|own| own.copy_of.is_none());
            let functions = functions.flat_map(|own| own.sites.iter()).map(|site| site.span);
            let functions: Vec<Span> = functions.filter(of_file).collect();
            let records: Vec<RecordId> = (self.program.records.iter().enumerate())
                .filter(|(_, own)| own.body.as_ref().is_some_and(of_file))
                .map(|(at, _)| RecordId(at as u32))
                .collect();
            for (span, target) in includes {
                let mut is_inside = functions.iter().any(|body| body.contains(span));
                for id in &records {
                    let body = self.program.records[id.index()].body;
                    if body.is_some_and(|body| body.contains(span)) {
                        is_inside = true;
                        self.record_trait(*id, RecordTrait::Unmodelled, span);
                    }
                }
                if is_inside {
                    inner.push((span, target));
                }
            }
        }
        for (span, target) in inner {
            let mut files = vec![target];
            let mut at = 0;
            while let Some(file) = files.get(at).copied() {
                at += 1;
                for include in &self.preprocessed.files[file.index()].includes {
                    files.extend(include.target.filter(|target| !files.contains(target)));
                }
            }
            let texts = files.iter().map(|file| self.preprocessed.sources.file(*file).text());
            let identifiers = texts.flat_map(pasted::identifiers).map(str::to_owned).collect();
            let kind = RegionKind::Unmodelled;
            let region = UnmodelledRegion { span, kind, identifiers, related: Vec::new() };
            self.program.regions.push(region);
            self.add_what_macros_mention();
        }
    }
}

//! What may set arguments of kernels and is not followed.

use super::handles::{Follow, Key, member_call};
use super::pin;
use crate::classes::calls::Callee;
use crate::classes::open_templates::instantiated_only;
use crate::classes::regions::macro_bodies;
use layoutc_diagnostics::{Code, FileId, Span};
use layoutc_syntax::preprocess::{TokenKind, tokens};
use layoutc_syntax::{ExprKind, NameRef, Program, RecordId, RegionKind, UnmodelledRegion};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// A branch that is not compiled: its words stand in the text as they are.
struct Inactive {
    span: Span,
    /// Words behind `.`, `->` and `::`.
    qualified: BTreeSet<String>,
    /// Words that its macros bring.
    expanded: BTreeSet<String>,
    has_offsetof: bool,
}

impl Inactive {
    fn new(
        program: &Program,
        region: &UnmodelledRegion,
        bodies: &BTreeMap<&str, BTreeSet<String>>,
    ) -> Self {
        let text = program.text(region.span);
        let (mut qualified, mut before) = (BTreeSet::new(), "");
        for token in tokens(text) {
            let word = token.text(text);
            if matches!(before, "." | "->" | "::" | "##") {
                qualified.insert(word.to_owned());
            }
            before = word;
        }
        let macros = region.identifiers.iter().filter_map(|name| bodies.get(name.as_str()));
        Self {
            span: region.span,
            qualified,
            expanded: macros.flatten().cloned().collect(),
            has_offsetof: region.identifiers.contains("offsetof"),
        }
    }

    /// Whether a word of the text may mean what a handle is kept in: a local of another function is out of reach, and a
    /// member is named behind an object, or alone in a member function of its record.
    fn may_name(&self, program: &Program, key: Key, name: &str) -> bool {
        if self.expanded.contains(name) {
            return true;
        }
        match key {
            Key::Variable(id, _) => program.variable(id).function.is_none_or(|function| {
                let mut sites = program.function(function).sites.iter();
                sites.any(|site| site.span.contains(self.span))
            }),
            Key::Field(_) => {
                let has_member = |record: RecordId| {
                    let mut fields = program.record(record).fields.iter();
                    fields.any(|field| program.field(*field).name == name)
                };
                let mut owners = program.functions.iter().filter_map(|function| function.record);
                self.qualified.contains(name) || self.has_offsetof || owners.any(has_member)
            }
            Key::Result(_) | Key::Made(..) => true,
        }
    }
}

/// Words of all texts, but for those that are names of functions, variables or members in the model.
pub(super) fn unmodelled_words(program: &Program) -> BTreeSet<&str> {
    let mut known: BTreeSet<(FileId, u32)> = BTreeSet::new();
    for id in program.expr_ids() {
        if let ExprKind::Name(NameRef::Functions(found)) = &program.expr(id).kind {
            let span = program.expr(id).span;
            let text = program.text(span);
            let name = found.first().map_or("", |id| program.function(*id).name.as_str());
            // `set<T>` ends behind the name.
            let end = text.find('<').map_or(text.len(), |at| text[..at].trim_end().len());
            if text[..end].ends_with(name) {
                known.insert((span.file, span.start + end as u32));
            }
        }
    }
    for id in program.expr_ids() {
        let span = match &program.expr(id).kind {
            ExprKind::Name(NameRef::Variable(_)) => program.expr(id).span,
            ExprKind::Member { name, .. } => *name,
            _ => continue,
        };
        known.insert((span.file, span.end));
    }
    known.extend(program.variables.iter().map(|own| (own.site.name.file, own.site.name.end)));
    for function in &program.functions {
        known.extend(function.sites.iter().map(|site| (site.name.file, site.name.end)));
    }
    let mut found = BTreeSet::new();
    for (file, source) in program.sources.iter().filter(|(_, file)| file.view().is_none()) {
        let text = source.text();
        for token in tokens(text) {
            if token.kind == TokenKind::Identifier && !known.contains(&(file, token.end)) {
                found.insert(token.text(text));
            }
        }
    }
    found
}

impl Follow<'_> {
    /// Text outside the model may do anything with what it names.
    pub(super) fn unmodelled_text(&mut self) {
        let program = self.program;
        let mut named: BTreeMap<&str, Vec<(Key, usize)>> = BTreeMap::new();
        for (key, node) in &self.keys {
            let name = match key {
                Key::Variable(id, _) => &program.variable(*id).name,
                Key::Field(id) => &program.field(*id).name,
                Key::Result(at) => &program.function(self.frames[*at].function).name,
                Key::Made(..) => continue,
            };
            named.entry(name).or_default().push((*key, *node));
        }
        // A header of kernels may be one of the host's, too.
        let is_host =
            |span: Span| !program.files[span.file.index()].is_opencl || program.is_host_text(span);
        let bodies = macro_bodies(program);
        let mut texts: Vec<(Span, Cow<BTreeSet<String>>, Option<Inactive>)> = program
            .regions
            .iter()
            .filter(|region| is_host(region.span))
            .map(|region| {
                let inactive = (region.kind == RegionKind::Inactive)
                    .then(|| Inactive::new(program, region, &bodies));
                // With what its macros bring.
                let mut words = region.identifiers.clone();
                let names = region.identifiers.iter();
                words.extend(names.filter_map(|name| bodies.get(name.as_str())).flatten().cloned());
                (region.span, Cow::Owned(words), inactive)
            })
            .collect();
        // Macros whose bodies are not in the model.
        for id in program.expr_ids() {
            let (ExprKind::MacroCall { name, .. } | ExprKind::Name(NameRef::Macro(name))) =
                &program.expr(id).kind
            else {
                continue;
            };
            let site = program.expr_site(id);
            if let Some(body) = bodies.get(name.as_str()).filter(|_| is_host(site)) {
                texts.push((site, Cow::Borrowed(body), None));
            }
        }
        // Initializers of members, and other expressions without a form, by all that they say.
        let words = |span: Span| -> BTreeSet<String> {
            let text = program.text(span);
            let found = tokens(text).into_iter().map(|token| token.text(text).to_owned());
            found.collect()
        };
        let opaque: Vec<(Span, BTreeSet<String>)> = program
            .exprs
            .iter()
            .filter(|expr| matches!(expr.kind, ExprKind::Opaque(_)) && is_host(expr.span))
            .map(|expr| (expr.span, words(expr.span)))
            .collect();
        texts.extend(opaque.into_iter().map(|(span, words)| (span, Cow::Owned(words), None)));
        for (span, identifiers, inactive) in texts {
            let sets_arguments = identifiers.iter().any(|name| {
                name.starts_with("clSetKernelArg")
                    || matches!(name.as_str(), "clCreateKernelsInProgram" | "setArg")
            });
            if sets_arguments {
                let message = "this text is not modelled and may set arguments of any kernel";
                self.unseen.push(pin(span, Code::OPENCL_KERNEL, message));
            }
            for name in identifiers.iter() {
                for (key, node) in named.get(name.as_str()).into_iter().flatten() {
                    if inactive.as_ref().is_some_and(|text| !text.may_name(program, *key, name)) {
                        continue;
                    }
                    let message = format!("this text is not modelled and mentions `{name}`");
                    self.bad.push((*node, pin(span, Code::UNMODELLED_CONSTRUCT, message)));
                }
            }
        }
    }

    /// Function templates, of which only some instances are in the model: all of them, if every use that there is reaches one.
    pub(super) fn templates(&mut self) {
        let program = self.program;
        let open = instantiated_only(program);
        let unmodelled = unmodelled_words(program);
        for id in program.expr_ids() {
            let Some(function) = self.calls.function(id) else { continue };
            let own = program.function(function);
            let is_host = own.space.on_host();
            if !is_host || self.functions.exprs.contains_key(&function) {
                continue;
            }
            if open.contains(&id) && own.record.is_none() && !unmodelled.contains(own.name.as_str())
            {
                continue;
            }
            let span = program.expr_site(id);
            if let ExprKind::Call { callee, arguments, .. } = &program.expr(id).kind {
                let sets = match self.calls.callee(program, *callee, arguments) {
                    Callee::Library(name) => {
                        name.starts_with("clSetKernelArg") || name == "clCreateKernelsInProgram"
                    }
                    Callee::Unknown => {
                        member_call(program, id).is_some_and(|(_, name)| name == "setArg")
                    }
                    Callee::Function(_) | Callee::Ambiguous(_) => false,
                };
                if sets {
                    let message = "a template may set arguments of any kernel here";
                    self.unseen.push(pin(span, Code::OPENCL_KERNEL, message));
                }
            }
            if let Some(node) = self.node(None, id) {
                self.fail(node, id, Code::TEMPLATE_USE, "handles are not followed into templates");
            }
        }
    }

    /// Parts of the program that are not given may do what those here do.
    pub(super) fn other_parts(&mut self) {
        let program = self.program;
        let has_main = program
            .functions
            .iter()
            .any(|function| function.name == "main" && function.body.is_some());
        if has_main {
            return;
        }
        if let Some(call) = self.settings.first().map(|setting| setting.call) {
            let message = "other parts of the program, which were not given, may do the same";
            self.unseen.push(pin(program.expr_site(call), Code::OPENCL_KERNEL, message));
        }
    }
}

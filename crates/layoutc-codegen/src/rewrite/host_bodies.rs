//! Functions of headers that host compilers read and never call.
//!
//! `__host__ __device__ bool hit(const Ray &r) const { … spheres[i] … }` in a header that a `.cpp` file includes, too: the
//! rewritten body needs functions that only nvcc has. *Form:* nvcc alone reads the body of a member function, or the whole of
//! a free one. *Claim:* the program has no other call of it in text for host compilers than in such bodies, so no compiler
//! misses what it does not read.

use super::host_files::{behind, files_of_c, is_for_host, words};
use crate::edit::Edit;
use crate::names::Names;
use layoutc_diagnostics::Span;
use layoutc_syntax::preprocess::tokens;
use layoutc_syntax::{ExprKind, FunctionId, NameRef, Program, RecordTrait};
use std::collections::{BTreeMap, BTreeSet};

/// Hides functions of headers from host compilers where their text has words that only nvcc knows.
pub(super) fn hide(
    program: &Program,
    device: &BTreeSet<String>,
    names: &Names,
    edits: &mut Vec<Edit>,
) {
    let needs_device = |edit: &&Edit| {
        !edit.is_generated
            && !edit.suits_host
            && edit.version_of.is_none()
            && is_for_host(program, edit.span)
            && !words(&edit.text, names).is_disjoint(device)
    };
    let places: Vec<Span> = edits.iter().filter(needs_device).map(|edit| edit.span).collect();
    if places.is_empty() {
        return;
    }
    let bodies = Bodies::new(program);
    let hidden = bodies.hidden(places.iter().filter_map(|place| bodies.around(*place)).collect());
    let mut own = Vec::new();
    for id in hidden {
        let Some(body) = bodies.hideable.get(&id) else { continue };
        own.extend(guard(program, id, *body));
        let inside = |edit: &&mut Edit| body.contains(edit.span);
        edits.iter_mut().filter(inside).for_each(|edit| edit.suits_host = true);
        if !is_in_class(program, id, *body) {
            let whole = whole(program, id, *body);
            let inside = |edit: &&mut Edit| whole.contains(edit.span) && edit.version_of.is_none();
            edits.iter_mut().filter(inside).for_each(|edit| edit.suits_host = true);
        }
    }
    edits.extend(own);
}

/// Definition of a function, from its `template` on.
fn whole(program: &Program, id: FunctionId, body: Span) -> Span {
    let sites = program.function(id).sites.iter();
    let mut wholes = sites.map(|site| site.template.unwrap_or(site.span).to(site.span));
    wholes.find(|site| site.contains(body)).unwrap_or(body)
}

/// Whether a member function is defined in its class: it must stay declared there.
fn is_in_class(program: &Program, id: FunctionId, body: Span) -> bool {
    let record = program.function(id).record.and_then(|record| program.record(record).body);
    record.is_some_and(|record| record.contains(body))
}

/// The lines that leave a function to nvcc.
fn guard(program: &Program, id: FunctionId, body: Span) -> [Edit; 2] {
    let text = program.sources.file(body.file).text();
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let is_member = is_in_class(program, id, body);
    let span = if is_member { body } else { whole(program, id, body) };
    let before = &text[..span.start as usize];
    // Where the line of the text begins, or the head of the member function ends.
    let start = before.trim_end_matches([' ', '\t']).len();
    let (gap, opening) = match (is_member, before[..start].ends_with('\n')) {
        (true, true) => {
            let end = before.trim_end().len();
            (end..end, format!("{newline}#ifdef __CUDACC__"))
        }
        (true, false) => {
            (start..span.start as usize, format!("{newline}#ifdef __CUDACC__{newline}"))
        }
        (false, true) => (start..start, format!("#ifdef __CUDACC__{newline}")),
        (false, false) => (start..start, format!("{newline}#ifdef __CUDACC__{newline}")),
    };
    let rest = behind(program, span.at_end(), newline);
    let closing = match is_member {
        true => format!("{newline}#else{newline};{newline}#endif{rest}"),
        false => format!("{newline}#endif{rest}"),
    };
    [
        Edit::host_call(Span::new(span.file, gap.start, gap.end), opening),
        Edit::host_call(span.at_end(), closing),
    ]
}

/// The functions of headers that host compilers read, and who names them.
struct Bodies<'a> {
    program: &'a Program,
    /// The bodies of all functions.
    all: Vec<(Span, FunctionId)>,
    /// Those that nvcc alone may read.
    hideable: BTreeMap<FunctionId, Span>,
    /// Where text for host compilers names a function.
    mentions: BTreeMap<FunctionId, Vec<Span>>,
    /// Where it has a name that is not known, or that may mean several things.
    open: BTreeMap<String, Vec<Span>>,
}

impl<'a> Bodies<'a> {
    fn new(program: &'a Program) -> Self {
        let c = files_of_c(program);
        let mut all = Vec::new();
        let mut hideable = BTreeMap::new();
        for id in program.function_ids() {
            let function = program.function(id);
            let Some(body) = function.body.filter(|_| function.copy_of.is_none()) else { continue };
            let body = (program.stmt(body).span, program.stmt_site(body));
            all.push((body.1, id));
            let file = &program.files[body.0.file.index()];
            if body.0 == body.1
                && !file.is_root
                && !c.contains(&file.id)
                && is_for_host(program, body.0)
                && function.space.on_device()
                && is_ordinary(program, id, body.0)
            {
                hideable.insert(id, body.0);
            }
        }
        let mut mentions: BTreeMap<FunctionId, Vec<Span>> = BTreeMap::new();
        let mut open: BTreeMap<String, Vec<Span>> = BTreeMap::new();
        for expr in program.expr_ids() {
            let site = program.expr_site(expr);
            let named = match &program.expr(expr).kind {
                ExprKind::Name(NameRef::Functions(ids)) => ids.as_slice(),
                ExprKind::Member { field: None, methods, name, .. } => {
                    if methods.is_empty() && is_for_host(program, site) {
                        open.entry(program.text(*name).to_owned()).or_default().push(site);
                    }
                    methods.as_slice()
                }
                ExprKind::Name(NameRef::Unknown(name) | NameRef::Macro(name)) => {
                    if is_for_host(program, site) {
                        let last = name.rsplit("::").next().unwrap_or(name);
                        open.entry(last.to_owned()).or_default().push(site);
                    }
                    &[]
                }
                _ => &[],
            };
            if !named.is_empty() && is_for_host(program, site) {
                named.iter().for_each(|id| mentions.entry(*id).or_default().push(site));
            }
        }
        for region in program.regions.iter().filter(|region| is_for_host(program, region.span)) {
            for name in &region.identifiers {
                open.entry(name.clone()).or_default().push(region.span);
            }
        }
        for (name, span) in using_declarations(program) {
            open.entry(name).or_default().push(span);
        }
        for def in &program.macros {
            let Some(span) = def.span.filter(|span| is_for_host(program, *span)) else { continue };
            for name in &def.body_identifiers {
                open.entry(name.clone()).or_default().push(span);
            }
        }
        Bodies { program, all, hideable, mentions, open }
    }

    /// The function whose body is the nearest one around a place.
    fn around(&self, place: Span) -> Option<FunctionId> {
        let around = self.all.iter().filter(|(body, _)| body.contains(place));
        around.min_by_key(|(body, _)| body.end - body.start).map(|(_, id)| *id)
    }

    /// What is hidden with these functions; none of what cannot be.
    fn hidden(&self, mut wanted: BTreeSet<FunctionId>) -> BTreeSet<FunctionId> {
        let mut refused: BTreeSet<FunctionId> = BTreeSet::new();
        loop {
            let before = (wanted.len(), refused.len());
            for id in wanted.clone() {
                let name = &self.program.function(id).name;
                let sites = self.mentions.get(&id).into_iter().chain(self.open.get(name)).flatten();
                let callers: Option<BTreeSet<FunctionId>> =
                    sites.map(|site| self.around(*site)).collect();
                // A body may call its own function.
                match callers.filter(|_| self.hideable.contains_key(&id)) {
                    Some(callers) if callers.is_disjoint(&refused) => wanted.extend(callers),
                    Some(_) | None => drop(refused.insert(id)),
                }
            }
            wanted.retain(|id| !refused.contains(id));
            if before == (wanted.len(), refused.len()) {
                return wanted;
            }
        }
    }
}

/// The names that `using space::name;` brings elsewhere, in files that are read here.
fn using_declarations(program: &Program) -> Vec<(String, Span)> {
    let mut found = Vec::new();
    for file in program.files.iter().filter(|file| file.foreign.is_none()) {
        let text = program.sources.file(file.id).text();
        let mut rest = tokens(text).into_iter();
        while let Some(token) = rest.next() {
            if token.text(text) != "using" {
                continue;
            }
            let words = rest.by_ref().take_while(|own| own.text(text) != ";");
            if let Some(last) = words.last() {
                let (start, end) = (last.start as usize, last.end as usize);
                found.push((last.text(text).to_owned(), Span::new(file.id, start, end)));
            }
        }
    }
    found
}

/// Whether a function is called by its name alone, and its declaration says all that a caller has to know.
fn is_ordinary(program: &Program, id: FunctionId, body: Span) -> bool {
    let function = program.function(id);
    let head = program.text(Span { end: body.start, ..whole(program, id, body) });
    let says = |word: &str| tokens(head).iter().any(|token| token.text(head) == word);
    let record = function.record.map(|record| {
        let own = program.record(record);
        let around = program.with_bases(record);
        let is_virtual = around.iter().any(|base| {
            let traits = &program.record(*base).traits;
            traits.iter().any(|(own, _)| matches!(own, RecordTrait::Virtual | RecordTrait::Bases))
        });
        own.instance.is_none() && !own.shares_text && !own.is_local && !is_virtual
    });
    // `extern "C++" float f() {}`, `friend P load(…) {}`
    let whole = whole(program, id, body);
    let before = program.sources.file(body.file).text()[..whole.start as usize].trim_end();
    let is_alone = function.record.is_some()
        || (!before.ends_with('"')
            && !program.records.iter().any(|own| own.body.is_some_and(|own| own.contains(body))));
    // A declaration of what is hidden would be one of a function that nothing defines.
    let has_others = function.is_static && function.record.is_none() && function.sites.len() > 1;
    record.unwrap_or(true)
        && is_alone
        && !has_others
        && !function.has_c_linkage
        && function.template_parameters.is_empty()
        && !program.is_constructor(id)
        && !function.name.starts_with("operator")
        // A loop over the object, or a structured binding, calls it without its name.
        && !["begin", "end", "get"].contains(&function.name.as_str())
        && !function.name.starts_with('~')
        && !function.is_defaulted
        && ![
            "constexpr",
            "consteval",
            "auto",
            "decltype",
            "friend",
            "virtual",
            "override",
            "template",
        ]
        .into_iter()
        .any(says)
}

//! Loops of device code.

use super::accesses::Found as Access;
use super::wraps::Wrap;
use layoutc_diagnostics::Span;
use layoutc_syntax::{ExprKind, FunctionId, Program, StmtId, StmtKind};
use std::collections::BTreeMap;

/// A loop that can be put into a block.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) span: Span,
    pub(super) body: Body,
    pub(super) function: FunctionId,
    /// The text begins with a pragma, which stands on a line of its own.
    pub(super) is_behind_directive: bool,
}

/// The text of a loop's body.
#[derive(Clone, Copy, Debug)]
pub(super) enum Body {
    /// Between its braces.
    Inside(Span),
    /// A statement without braces.
    Statement(Span),
}

impl Body {
    /// A statement in front of the body.
    pub(super) fn wrap(self, text: String) -> Wrap {
        match self {
            Body::Inside(span) => Wrap::new(span, format!(" {text}"), ""),
            Body::Statement(span) => Wrap::new(span, format!("{{ {text}"), " }"),
        }
    }
}

/// Loops with accesses or calls in them, outer ones first, in the order of the text.
pub(super) fn find(program: &Program, accesses: &BTreeMap<Span, Access>) -> Vec<Found> {
    let mut busy: Vec<Span> = accesses.keys().copied().collect();
    busy.extend(program.exprs.iter().filter_map(|expr| match expr.kind {
        ExprKind::Call { .. } => Some(expr.span),
        _ => None,
    }));
    busy.sort();
    let mut found: BTreeMap<(Span, u32), Found> = BTreeMap::new();
    for function in program.function_ids() {
        let own = program.function(function);
        let Some(body) = own.body.filter(|_| own.space.on_device()) else { continue };
        let is_opencl =
            own.sites.iter().any(|site| program.files[site.span.file.index()].is_opencl);
        if is_opencl || jumps(program, body) {
            continue;
        }
        walk(program, body, &mut |stmt| {
            let (StmtKind::For { body, .. }
            | StmtKind::ForRange { body, .. }
            | StmtKind::While { body, .. }
            | StmtKind::DoWhile { body, .. }) = program.stmt(stmt).kind
            else {
                return;
            };
            let is_own = |id: StmtId| program.stmt_homes.of(id.index()).is_none();
            if !is_own(stmt) || !is_own(body) {
                return;
            }
            let text = program.stmt(stmt).span;
            let first =
                busy.partition_point(|span| (span.file, span.start) < (text.file, text.start));
            let is_busy = busy[first..]
                .iter()
                .take_while(|span| span.file == text.file && span.start < text.end)
                .any(|span| text.contains(*span));
            if !is_busy {
                return;
            }
            let body = match super::inside_of(program, body) {
                Some(inside) => Body::Inside(inside),
                None => Body::Statement(program.stmt(body).span),
            };
            let span = with_pragma(program, text);
            let is_behind_directive = program.text(span).trim_start().starts_with('#');
            // Copies of the function have the same text.
            let key = (Span { end: span.start, ..span }, u32::MAX - span.end);
            found.entry(key).or_insert(Found { span, body, function, is_behind_directive });
        });
    }
    found.into_values().collect()
}

/// With the pragmas in front of a loop: a compiler wants them there.
fn with_pragma(program: &Program, span: Span) -> Span {
    let text = program.sources.file(span.file).text();
    let mut start = span.start as usize;
    loop {
        let before = text[..start].trim_end();
        // `_Pragma("unroll")`
        if let Some(at) = before.rfind("_Pragma")
            && before[at..].trim_start_matches("_Pragma").trim_start().starts_with('(')
            && before[at..].ends_with(')')
            && before[at..].matches(')').count() == 1
        {
            start = at;
            continue;
        }
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        // Conditions and definitions have nothing to do with the loop.
        let directive = before[line..].trim_start().strip_prefix('#').map(str::trim_start);
        if !directive.is_some_and(|directive| directive.starts_with("pragma")) {
            return Span { start: start as u32, ..span };
        }
        // What comes in front of a directive ends its line.
        start = line;
    }
}

/// Whether a function jumps: to labels, or into loops by `case`.
fn jumps(program: &Program, body: StmtId) -> bool {
    let mut found = false;
    walk(program, body, &mut |stmt| {
        found |= match &program.stmt(stmt).kind {
            StmtKind::Labelled { label, .. } => label.is_some(),
            StmtKind::Goto(_) => true,
            StmtKind::For { body, .. }
            | StmtKind::ForRange { body, .. }
            | StmtKind::While { body, .. }
            | StmtKind::DoWhile { body, .. } => has_case(program, *body),
            _ => false,
        };
    });
    found
}

/// Whether a `case` of a `switch` around a loop's body stands in it.
fn has_case(program: &Program, stmt: StmtId) -> bool {
    match &program.stmt(stmt).kind {
        StmtKind::Labelled { .. } => true,
        StmtKind::Switch { .. } => false,
        _ => parts(program, stmt).into_iter().any(|part| has_case(program, part)),
    }
}

fn walk(program: &Program, stmt: StmtId, visit: &mut impl FnMut(StmtId)) {
    visit(stmt);
    for part in parts(program, stmt) {
        walk(program, part, visit);
    }
}

/// The statements in a statement.
fn parts(program: &Program, stmt: StmtId) -> Vec<StmtId> {
    match &program.stmt(stmt).kind {
        StmtKind::Block(all) | StmtKind::Try(all) => all.clone(),
        StmtKind::Labelled { body, .. } => body.to_vec(),
        StmtKind::If { init, then, otherwise, .. } => {
            init.iter().chain([then]).chain(otherwise).copied().collect()
        }
        StmtKind::For { init, body, .. }
        | StmtKind::While { init, body, .. }
        | StmtKind::Switch { init, body, .. } => init.iter().chain([body]).copied().collect(),
        StmtKind::ForRange { body, .. } | StmtKind::DoWhile { body, .. } => vec![*body],
        StmtKind::Opaque { stmts, .. } => stmts.to_vec(),
        StmtKind::Expr(_)
        | StmtKind::Declaration(..)
        | StmtKind::Return(_)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Goto(_)
        | StmtKind::Asm(_)
        | StmtKind::Nothing(_) => Vec::new(),
    }
}

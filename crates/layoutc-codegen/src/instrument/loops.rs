//! Loops of device code.

use super::accesses::Found as Access;
use super::wraps::Wrap;
use layoutc_diagnostics::Span;
use layoutc_syntax::preprocess::tokens;
use layoutc_syntax::{ExecutionSpace, ExprKind, FunctionId, Program, StmtId, StmtKind};
use std::collections::BTreeMap;

/// A loop that can be put into a block.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) span: Span,
    pub(super) body: Body,
    pub(super) function: FunctionId,
    /// The text begins with a pragma, which stands on a line of its own.
    pub(super) is_behind_directive: bool,
    /// What ends it and the function in OpenCL C, where nothing does that by itself.
    pub(super) exits: Vec<Exit>,
}

/// How a function returns.
#[derive(Clone, Copy, Debug)]
pub(super) enum Exit {
    /// The text of a value that is returned.
    Value(Span),
    /// The text of a statement that returns nothing.
    Statement(Span),
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
    let mut busy: Vec<Span> = accesses.values().flat_map(|own| own.uses.clone()).collect();
    busy.extend(program.exprs.iter().filter_map(|expr| match expr.kind {
        ExprKind::Call { .. } => Some(expr.span),
        _ => None,
    }));
    busy.sort();
    let mut found: BTreeMap<(Span, u32), Found> = BTreeMap::new();
    for function in program.function_ids() {
        let own = program.function(function);
        let Some(body) = own.body.filter(|_| own.space.on_device()) else { continue };
        if jumps(program, body) || is_constant(program, function) {
            continue;
        }
        let is_opencl = program.files[program.stmt(body).span.file.index()].is_opencl;
        let wants_exits = is_opencl && own.space != ExecutionSpace::Kernel;
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
            let exits = if wants_exits { exits(program, stmt) } else { Some(Vec::new()) };
            let Some(exits) = exits else { return };
            let body = match super::inside_of(program, body) {
                Some(inside) => Body::Inside(inside),
                None => Body::Statement(program.stmt(body).span),
            };
            let span = with_pragma(program, text);
            let is_behind_directive = program.text(span).trim_start().starts_with('#');
            // Copies of the function have the same text.
            let key = (Span { end: span.start, ..span }, u32::MAX - span.end);
            found.entry(key).or_insert(Found { span, body, function, is_behind_directive, exits });
        });
    }
    found.into_values().collect()
}

/// Where a loop returns; none if that is not known, or the text of one of these is a macro's.
fn exits(program: &Program, stmt: StmtId) -> Option<Vec<Exit>> {
    let mut found = Some(Vec::new());
    walk(program, stmt, &mut |inner| {
        let exit = match program.stmt(inner).kind {
            StmtKind::Return(Some(value)) => {
                let is_own = program.expr_homes.of(value.index()).is_none();
                is_own.then(|| Exit::Value(program.expr(value).span))
            }
            StmtKind::Return(None) => {
                let is_own = program.stmt_homes.of(inner.index()).is_none();
                is_own.then(|| Exit::Statement(program.stmt(inner).span))
            }
            // It may return.
            StmtKind::Opaque { .. } | StmtKind::Asm(_) => None,
            StmtKind::Expr(Some(expr))
                if matches!(program.expr(expr).kind, ExprKind::MacroCall { .. }) =>
            {
                None
            }
            StmtKind::Expr(_)
            | StmtKind::Block(_)
            | StmtKind::Try(_)
            | StmtKind::Labelled { .. }
            | StmtKind::If { .. }
            | StmtKind::For { .. }
            | StmtKind::ForRange { .. }
            | StmtKind::While { .. }
            | StmtKind::DoWhile { .. }
            | StmtKind::Switch { .. }
            | StmtKind::Declaration(..)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_)
            | StmtKind::Nothing(_) => return,
        };
        match (&mut found, exit) {
            (Some(all), Some(exit)) => all.push(exit),
            _ => found = None,
        }
    });
    found
}

/// Whether a function is `constexpr`: it can have no objects that do something when they end.
fn is_constant(program: &Program, function: FunctionId) -> bool {
    program.function(function).sites.iter().any(|site| {
        let specifiers = Span { end: site.name.start.max(site.span.start), ..site.span };
        let text = program.text(specifiers);
        tokens(text).iter().any(|token| matches!(token.text(text), "constexpr" | "consteval"))
    })
}

/// With the pragmas and attributes in front of a loop: a compiler wants them there.
fn with_pragma(program: &Program, span: Span) -> Span {
    let text = program.sources.file(span.file).text();
    let mut start = span.start as usize;
    loop {
        let before = text[..start].trim_end();
        if let Some(at) = marker(before) {
            start = at;
            continue;
        }
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        // Conditions and definitions have nothing to do with the loop.
        let directive = before[line..].trim_start().strip_prefix('#');
        match directive.filter(|own| own.trim_start().starts_with("pragma")) {
            // Not where its line begins: that may be within the `\n` of a literal.
            Some(own) => start = before.len() - own.len() - 1,
            None => return Span { start: start as u32, ..span },
        }
    }
}

/// Where `_Pragma("unroll")` or `__attribute__((opencl_unroll_hint(2)))` begins, if the text ends with one.
fn marker(before: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, letter) in before.char_indices().rev() {
        match letter {
            ')' => depth += 1,
            '(' if depth == 1 => {
                let name = before[..at].trim_end();
                return ["_Pragma", "__attribute__"].iter().find_map(|own| {
                    let start = name.strip_suffix(own)?;
                    let is_word = !start.ends_with(|own: char| own.is_alphanumeric() || own == '_');
                    is_word.then_some(start.len())
                });
            }
            '(' => depth -= 1,
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
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

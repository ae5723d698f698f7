//! Copies on streams that are being captured into graphs.
//!
//! A copy between host and device that converts takes a buffer from the stream's memory pool. In a
//! capture that would become part of the graph, which could then not be cloned, nested or updated;
//! so a class whose copies may be captured stays as it is. Fills and copies within device memory
//! become plain kernels, which any graph may hold.

use super::*;
use crate::catalogue::{self, Effect};
use layoutc_syntax::{StmtId, StmtKind};
use std::collections::BTreeSet;

/// Where captures run.
pub(super) enum Captures {
    /// Nothing is captured, or only in these functions' regions.
    Regions {
        /// From the call that begins a capture to the one that ends it.
        spans: Vec<Span>,
        /// Functions that may be called in between.
        functions: BTreeSet<FunctionId>,
    },
    /// It cannot be seen.
    Anywhere,
}

impl Captures {
    pub(super) fn new(program: &Program, calls: &CallGraph) -> Self {
        // A macro may begin one wherever it is used.
        let in_macro = program.macros.iter().any(|def| {
            let mut names = def.body_identifiers.iter();
            names.any(|name| catalogue::effect(name) == Some(Effect::BeginsCapture))
        });
        if in_macro {
            return Captures::Anywhere;
        }
        let with = |effect: Effect| -> Vec<Span> {
            let is_call = |id: &ExprId| match &program.expr(*id).kind {
                ExprKind::Call { callee, arguments, .. } => matches!(
                    calls.callee(program, *callee, arguments),
                    Callee::Library(name) if catalogue::effect(&name) == Some(effect)
                ),
                _ => false,
            };
            program.expr_ids().filter(is_call).map(|id| program.expr(id).span).collect()
        };
        let (begins, ends) = (with(Effect::BeginsCapture), with(Effect::EndsCapture));
        let mut spans = Vec::new();
        for begin in &begins {
            match region(program, *begin, &ends) {
                Some(region) => spans.push(region),
                None => return Captures::Anywhere,
            }
        }
        let mut functions = BTreeSet::new();
        let mut regions = spans.clone();
        while let Some(region) = regions.pop() {
            for id in program.expr_ids() {
                let expr = program.expr(id);
                let ExprKind::Call { callee, arguments, .. } = &expr.kind else { continue };
                if !region.contains(expr.span) {
                    continue;
                }
                match calls.callee(program, *callee, arguments) {
                    Callee::Function(function) => {
                        if functions.insert(function)
                            && let Some(body) = program.function(function).body
                        {
                            regions.push(program.stmt(body).span);
                        }
                    }
                    Callee::Library(_) => {}
                    Callee::Ambiguous(_) | Callee::Unknown => return Captures::Anywhere,
                }
            }
        }
        Captures::Regions { spans, functions }
    }

    /// Whether an expression may run while a stream is captured.
    fn may_hold(&self, calls: &CallGraph, expr: ExprId, span: Span) -> bool {
        match self {
            Captures::Anywhere => true,
            Captures::Regions { spans, functions } => {
                spans.iter().any(|region| region.contains(span))
                    || calls.function(expr).is_none_or(|function| functions.contains(&function))
                        && !spans.is_empty()
            }
        }
    }
}

/// The statements from one that holds `begin` to the first behind it, in the same block, that holds
/// the end of a capture.
fn region(program: &Program, begin: Span, ends: &[Span]) -> Option<Span> {
    let holds = |stmt: &StmtId, span: Span| program.stmt(*stmt).span.contains(span);
    // The innermost block: the shortest one that holds the call.
    let block = program
        .stmts
        .iter()
        .filter_map(|stmt| match &stmt.kind {
            StmtKind::Block(body) if stmt.span.contains(begin) => Some((stmt.span, body)),
            _ => None,
        })
        .min_by_key(|(span, _)| span.end - span.start)?
        .1;
    let first = block.iter().position(|stmt| holds(stmt, begin))?;
    let last = block[first..].iter().find(|stmt| ends.iter().any(|end| holds(stmt, *end)))?;
    Some(Span { end: program.stmt(*last).span.end, ..program.stmt(block[first]).span })
}

impl Classifier<'_> {
    /// Pins a class one of whose conversions may be captured.
    pub(super) fn captured_copy(&mut self, class: ClassId, call: &ApiCall) {
        // What converts elements takes memory for a while.
        let converts = call.is_host_transfer()
            || matches!(call.api, Api::MemcpyPeer | Api::ToSymbol | Api::FromSymbol);
        if call.row.is_async()
            && converts
            && self.captures.may_hold(self.calls, call.call, self.span(call.call))
        {
            self.pin(
                class,
                Code::COPY_FORM,
                self.span(call.call),
                "this copy may be captured into a graph, where its conversion could not allocate",
            );
        }
    }
}

//! Constants of the program that places were computed with: whoever changes one is told.
//!
//! A generated function has extents as numbers where indices have constants. Behind the first function
//! whose indices mention a constant by name stands a `static_assert` that it still has its value. It is
//! behind the function and not in front, because there the name certainly means what it meant inside.

use super::Rewriter;
use crate::edit::Edit;
use layoutc_dataflow::catalogue::builtins::{Builtin, builtin_of};
use layoutc_dataflow::classes::Extent;
use layoutc_diagnostics::Span;
use layoutc_syntax::{BinaryOp, ExprId, ExprKind, FunctionId, MacroRole, NameRef, Program, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// The constants that indices of a function are made of, by name.
type Found = BTreeMap<String, i64>;

impl Rewriter<'_> {
    /// Writes the assertions of all grids whose extents are numbers.
    pub(super) fn assert_constants(&mut self) {
        let program = self.program;
        let is_number = |plan: &super::GridPlan| {
            plan.grid.dimensions[1..].iter().any(|dimension| dimension.extent.is_some())
        };
        let plans = self.plans;
        if !plans.values().any(|plan| is_number(plan)) {
            return;
        }
        let assigned = assigned(program);
        let mut written: BTreeSet<(String, layoutc_diagnostics::FileId)> = BTreeSet::new();
        let mut texts: BTreeMap<Span, Found> = BTreeMap::new();
        for (id, plan) in plans {
            if !is_number(plan) || self.classes.class(*id).is_of_buffers {
                continue;
            }
            let mut by_function: BTreeMap<FunctionId, Found> = BTreeMap::new();
            for (access, function) in &plan.grid.functions {
                let ExprKind::Index { index, .. } = program.expr(*access).kind else { continue };
                let found = by_function.entry(*function).or_default();
                let mut walk = Walk { program, assigned: &assigned, seen: BTreeSet::new(), found };
                walk.expr(index);
                // Extents in types.
                let chain = self.typed.chain_of_sum(index);
                for extent in chain.iter().flat_map(|chain| &chain.declared.extents) {
                    match extent {
                        Extent::Constant(_, Some(value)) => walk.expr(*value),
                        Extent::Constant(_, None) | Extent::Value(_) => {}
                    }
                }
            }
            for (function, found) in by_function {
                let own = program.function(function);
                let original = own.copy_of.as_ref().map_or(function, |copy| copy.original);
                let own = program.function(original);
                let Some(body) = own.body.map(|body| program.stmt(body).span) else { continue };
                let site = own.sites.iter().find(|site| site.span.contains(body));
                let Some(site) = site else { continue };
                let end = site.template.unwrap_or(site.span).at_end();
                let new: Found = found
                    .into_iter()
                    .filter(|(name, _)| written.insert((name.clone(), end.file)))
                    .collect();
                if !new.is_empty() {
                    texts.entry(end).or_default().extend(new);
                }
            }
        }
        for (end, found) in texts {
            let conditions: Vec<String> =
                found.iter().map(|(name, value)| format!("{name} == {value}")).collect();
            let newline =
                if program.sources.file(end.file).text().contains("\r\n") { "\r\n" } else { "\n" };
            let text = format!(
                "{newline}static_assert({}, \"arrays are laid out for these extents: transform the program again\");",
                conditions.join(" && ")
            );
            self.edits.push(Edit { is_generated: false, ..Edit::replace(end, text) });
        }
    }
}

/// What is assigned to each variable.
fn assigned(program: &Program) -> BTreeMap<VarId, Vec<ExprId>> {
    let mut found: BTreeMap<VarId, Vec<ExprId>> = BTreeMap::new();
    for id in program.expr_ids() {
        if let ExprKind::Assign(_, to, value) = program.expr(id).kind
            && let ExprKind::Name(NameRef::Variable(variable)) =
                program.expr(program.strip_parens(to)).kind
        {
            found.entry(variable).or_default().push(value);
        }
    }
    found
}

struct Walk<'a> {
    program: &'a Program,
    assigned: &'a BTreeMap<VarId, Vec<ExprId>>,
    seen: BTreeSet<VarId>,
    found: &'a mut Found,
}

impl Walk<'_> {
    fn expr(&mut self, id: ExprId) {
        let program = self.program;
        if let Some(MacroRole::Use(at)) = program.macro_role(id) {
            let name = &program.expansions[at.index()].name;
            if let Some(value) = program.macro_constants.get(name) {
                self.found.insert(name.clone(), *value);
                return;
            }
        }
        match &program.expr(id).kind {
            ExprKind::Name(NameRef::Macro(name)) => {
                let value = program.macro_constants.get(name);
                self.found.extend(value.map(|value| (name.clone(), *value)));
            }
            ExprKind::Name(NameRef::Constant(Some(value))) => {
                self.found.insert(program.text(program.expr(id).span).to_owned(), *value);
            }
            ExprKind::Name(NameRef::Variable(variable)) => {
                let own = program.variable(*variable);
                // A variable of the file may be a constant by another name; a parameter is none.
                if own.function.is_none() || !self.seen.insert(*variable) {
                    return;
                }
                let values = self.assigned.get(variable).into_iter().flatten();
                for value in own.init.iter().chain(values).copied() {
                    self.expr(value);
                }
            }
            // The number of threads in a block is no extent.
            ExprKind::Binary(BinaryOp::Mul, left, right)
                if self.is_of_blocks(*left) || self.is_of_blocks(*right) => {}
            _ => {
                for child in program.expr(id).children() {
                    self.expr(child);
                }
            }
        }
    }

    /// Whether an operand is `blockIdx.x` or the like.
    fn is_of_blocks(&self, id: ExprId) -> bool {
        let program = self.program;
        match &program.expr(program.strip_parens(id)).kind {
            ExprKind::Member { .. } => {
                matches!(builtin_of(program, id), Some((Builtin::Block, _)))
            }
            ExprKind::Name(NameRef::Variable(variable)) => {
                program.variable(*variable).init.is_some_and(|init| {
                    matches!(program.expr(program.strip_parens(init)).kind, ExprKind::Member { .. })
                        && self.is_of_blocks(init)
                })
            }
            _ => false,
        }
    }
}

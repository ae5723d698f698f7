//! The index of each access to a grid.

use super::Rewriter;
use crate::coordinates::{Coordinates, parts};
use crate::edit::Edit;
use layoutc_dataflow::classes::{Chain, ClassId};
use layoutc_dataflow::grid::GridAccess;
use layoutc_dataflow::grid::index::{Atom, Index};
use layoutc_diagnostics::Span;
use layoutc_syntax::{ExprId, ExprKind, FunctionId, MacroRole};
use std::collections::BTreeMap;

/// An access with the class that changes.
type Changed = BTreeMap<ExprId, ClassId>;

impl Rewriter<'_> {
    /// Replaces the indices of all accesses.
    pub(super) fn accesses(&mut self) {
        let changed: Changed = self
            .plans
            .iter()
            .flat_map(|(class, plan)| plan.grid.accesses.keys().map(|expr| (*expr, *class)))
            .collect();
        // Text outside of all functions is read by none of the analyses above.
        for expr in self.program.expr_ids() {
            if let Some((class, _)) = self.classes.place(expr)
                && matches!(
                    self.program.expr(expr).kind,
                    ExprKind::Index { .. } | ExprKind::Deref(_)
                )
                && self.plans.contains_key(&class)
                && !changed.contains_key(&expr)
            {
                let span = self.program.expr(expr).span;
                self.refuse(class, span, "this access stands outside of all functions");
            }
        }
        self.bodies(&changed);
        // One text may be in the model several times: as instances of a template.
        // Versions of a function share its text, and each has an own one.
        let mut written: BTreeMap<(Option<FunctionId>, Span), String> = BTreeMap::new();
        for (expr, class) in &changed {
            let ExprKind::Index { index, .. } = self.program.expr(*expr).kind else {
                // The first value stays the first.
                continue;
            };
            if self.program.home(*expr).is_some() {
                continue;
            }
            let span = self.program.expr(index).span;
            let text = match self.new_index(&changed, *expr, *class) {
                Ok(text) => text,
                Err(message) => {
                    self.refuse(*class, span, &message);
                    continue;
                }
            };
            let owner = self.versioned(self.plans[class].grid.functions[expr]);
            if let Some(other) = written.get(&(owner, span)) {
                if *other != text {
                    let message = "this text means different grids in different instances";
                    self.refuse(*class, span, message);
                }
                continue;
            }
            written.insert((owner, span), text);
        }
        // An index inside another is part of the other's text.
        let spans: Vec<(Option<FunctionId>, Span)> = written.keys().copied().collect();
        for ((owner, span), text) in written {
            let is_inner = spans
                .iter()
                .any(|(by, other)| *by == owner && *other != span && other.contains(span));
            if !is_inner && self.program.text(span) != text {
                self.owner = owner;
                self.push(Edit::replace(span, text));
            }
        }
        self.owner = None;
    }

    /// The new index of an access.
    fn new_index(
        &mut self,
        changed: &Changed,
        expr: ExprId,
        class: ClassId,
    ) -> Result<String, String> {
        let ExprKind::Index { index, brackets, .. } = self.program.expr(expr).kind else {
            return Err("this is no subscript".to_owned());
        };
        // A macro that pastes tokens may be read as less than it is.
        let own = self.program.expr(index).span;
        let is_whole = [Span { end: own.start, ..brackets }, Span { start: own.end, ..brackets }]
            .map(|gap| {
                let text = self.program.text(gap);
                layoutc_syntax::preprocess::tokens(text).len() == 1
            });
        if brackets.file == own.file && brackets.contains(own) && is_whole != [true, true] {
            return Err("the index is only a part of what stands in the brackets".to_owned());
        }
        let plan = self.plans[&class];
        let function = plan.grid.functions[&expr];
        let span = self.program.expr(expr).span;
        self.functions_mut(class)?.files.insert((span.file, span));
        match &plan.grid.accesses[&expr] {
            GridAccess::Coordinates(vector) => {
                self.coordinates().check(index, vector)?;
                let typed = self.typed;
                let mut parts =
                    parts(self.program, &mut self.indices, index, &|expr| typed.is_synthetic(expr));
                if let Some(chain) = self.typed.chain_of_sum(index) {
                    for at in &chain.subscripts {
                        if let Some(value) = self.indices.index(self.program, *at) {
                            parts.insert(0, (*at, value));
                        }
                    }
                }
                let extents = self.extent_texts(class, Some(function), span)?;
                let mut arguments = Vec::new();
                for (at, coordinate) in vector.iter().enumerate() {
                    // As it stands in the source, if it does.
                    let part = parts.iter().find(|(_, value)| value == coordinate);
                    let text = match part {
                        Some((part, _)) => self.rendered(changed, *part)?,
                        None => self.written(changed, coordinate, function)?,
                    };
                    arguments.push(self.checked(&plan.grid, expr, at, text, &extents));
                }
                arguments.extend(extents);
                let functions = self.functions_mut(class)?;
                functions.needs_place = true;
                Ok(format!("{}({})", functions.place, arguments.join(", ")))
            }
            GridAccess::Linear { .. } => {
                let text = match self.typed.chain_of_sum(index) {
                    Some(chain) => {
                        self.check_subscripts(changed, chain)?;
                        self.sum_text(chain, false)
                    }
                    None => self.rendered(changed, index)?,
                };
                let extents = self.extent_texts(class, Some(function), span)?;
                let functions = self.functions_mut(class)?;
                functions.needs_linear = true;
                let arguments: Vec<String> = std::iter::once(text).chain(extents).collect();
                Ok(format!("{}({})", functions.linear, arguments.join(", ")))
            }
        }
    }

    /// The extents that are no constants, as a function writes them.
    pub(super) fn extent_texts(
        &self,
        class: ClassId,
        function: Option<FunctionId>,
        at: Span,
    ) -> Result<Vec<String>, String> {
        let grid = &self.plans[&class].grid;
        let known = function.and_then(|id| Some((id, grid.extents.get(&id)?)));
        let Some((function, extents)) = known else {
            return if grid.has_constant_extents() {
                Ok(Vec::new())
            } else {
                Err("this function does not know the extents of the grid".to_owned())
            };
        };
        // What is a number here may be a variable elsewhere.
        let named: Vec<&Index> = extents
            .iter()
            .zip(&grid.dimensions[1..])
            .filter(|(_, dimension)| dimension.extent.is_none())
            .map(|(extent, _)| extent)
            .collect();
        let is_hidden = named.iter().flat_map(|extent| extent.atoms()).any(|atom| match atom {
            Atom::Variable(id) => !self.is_visible(id, at),
            Atom::Expression(_) => true,
        });
        if is_hidden {
            return Err("an extent of the grid has no name here yet".to_owned());
        }
        named.into_iter().map(|extent| self.written(&Changed::new(), extent, function)).collect()
    }

    /// How coordinates are written.
    pub(super) fn coordinates(&self) -> Coordinates<'_> {
        Coordinates { program: self.program, indices: &self.indices, lambdas: self.lambdas }
    }

    /// A value as C.
    fn written(
        &self,
        changed: &Changed,
        value: &Index,
        function: FunctionId,
    ) -> Result<String, String> {
        self.coordinates().written(value, function, &mut |expr| self.rendered(changed, expr))
    }

    /// An atom as an operand; alone it needs no parentheses.
    pub(super) fn atom(
        &self,
        changed: &Changed,
        atom: Atom,
        function: FunctionId,
        is_alone: bool,
    ) -> Result<String, String> {
        let render = &mut |expr| self.rendered(changed, expr);
        self.coordinates().atom(atom, function, is_alone, render)
    }

    /// Whether a variable of the function can be named at a place.
    pub(super) fn is_visible(&self, id: layoutc_syntax::VarId, at: Span) -> bool {
        self.coordinates().is_visible(id, at)
    }

    /// Whether all subscripts have texts of their own.
    fn check_subscripts(&self, changed: &Changed, chain: &Chain) -> Result<(), String> {
        chain.subscripts.iter().try_for_each(|at| self.rendered(changed, *at).map(|_| ()))
    }

    /// The text of an expression with the indices in it replaced.
    pub(super) fn rendered(&self, changed: &Changed, expr: ExprId) -> Result<String, String> {
        if let Some(chain) = self.typed.chain_of_sum(expr) {
            self.check_subscripts(changed, chain)?;
            return Ok(self.sum_text(chain, false));
        }
        if self.typed.is_synthetic(expr) {
            return Err("this is a part of a sum that does not stand in the text".to_owned());
        }
        if self.program.home(expr).is_some() {
            return Err("the index is made of the text of a macro".to_owned());
        }
        let span = self.program.expr(expr).span;
        let mut inner = Vec::new();
        let mut stack = vec![expr];
        while let Some(at) = stack.pop() {
            if let Some(class) = changed.get(&at) {
                inner.push((at, *class));
            }
            if matches!(self.program.macro_role(at), Some(MacroRole::Use(_))) {
                // Its arguments are texts of their own; an access in them is not followed here.
                if self.holds(changed, at) {
                    return Err("a macro in the index reads a grid".to_owned());
                }
                continue;
            }
            stack.extend(self.program.expr(at).children());
        }
        if inner.is_empty() {
            return Ok(self.composed(span));
        }
        Err("the index reads a grid that changes as well".to_owned())
    }

    /// Whether a changed access lies below an expression.
    fn holds(&self, changed: &Changed, expr: ExprId) -> bool {
        let mut stack = vec![expr];
        while let Some(at) = stack.pop() {
            if changed.contains_key(&at) {
                return true;
            }
            stack.extend(self.program.expr(at).children());
        }
        false
    }
}

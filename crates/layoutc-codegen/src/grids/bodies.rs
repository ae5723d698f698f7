//! Accesses to grids in the bodies of macros.
//!
//! A body is edited once for all of its uses, so the coordinates are written as parts of the body's
//! text: `#define U(i, j) u[(i)*n + (j)]` becomes `u[uAt((i), (j), n)]` if in every use the value of
//! the first part is the first coordinate and that of the second the second. Where there are no such
//! parts, and the extents are constants or a pragma declares the grid, the coordinates are computed
//! from the index.

use super::Rewriter;
use crate::edit::Edit;
use layoutc_dataflow::classes::ClassId;
use layoutc_dataflow::grid::GridAccess;
use layoutc_dataflow::grid::index::Index;
use layoutc_diagnostics::Span;
use layoutc_syntax::{ExpansionId, ExprId, ExprKind, MacroRole};
use std::collections::{BTreeMap, BTreeSet};

impl Rewriter<'_> {
    /// Replaces the indices that stand in the bodies of macros.
    pub(super) fn bodies(&mut self, changed: &BTreeMap<ExprId, ClassId>) {
        // By text of the index: all accesses that it is in the model.
        let mut bodies: BTreeMap<Span, Vec<ExprId>> = BTreeMap::new();
        for expr in self.program.expr_ids() {
            if let ExprKind::Index { index, .. } = self.program.expr(expr).kind
                && self.program.home(expr).is_some()
            {
                bodies.entry(self.program.expr(index).span).or_default().push(expr);
            }
        }
        for (span, accesses) in bodies {
            let classes: BTreeSet<ClassId> =
                accesses.iter().filter_map(|access| changed.get(access).copied()).collect();
            let Some(class) = classes.first().copied() else { continue };
            let layouts: BTreeSet<ClassId> =
                classes.iter().map(|class| self.leader(*class)).collect();
            let has_check = self.checks_bounds
                && classes.iter().any(|class| !self.plans[class].grid.assumed.is_empty());
            let refusal = if layouts.len() > 1
                || (classes.len() > 1 && has_check)
                || accesses.iter().any(|access| !changed.contains_key(access))
            {
                Err("the index stands in the body of a macro that serves other arrays too"
                    .to_owned())
            } else {
                self.body(span, &accesses, changed, class)
            };
            match refusal {
                Ok(text) => self.push(Edit::replace(span, text)),
                Err(message) => {
                    for class in classes {
                        let site = self.program.expr_site(accesses[0]);
                        self.refuse(class, site, &message);
                    }
                }
            }
        }
    }

    /// The new text of an index in a body.
    fn body(
        &mut self,
        span: Span,
        accesses: &[ExprId],
        changed: &BTreeMap<ExprId, ClassId>,
        class: ClassId,
    ) -> Result<String, String> {
        let plan = self.plans[&class];
        let mut parameters: BTreeSet<String> = BTreeSet::new();
        let mut extents: BTreeSet<Vec<String>> = BTreeSet::new();
        // By coordinate: the parts of the text that have its value in all uses, the largest first.
        let mut texts: Option<Vec<Vec<String>>> = None;
        for access in accesses {
            let ExprKind::Index { index, .. } = self.program.expr(*access).kind else { continue };
            let Some(home) = self.program.home(*access) else { continue };
            if self.typed.is_synthetic(index) {
                return Err("several subscripts stand in the body of a macro".to_owned());
            }
            if self.program.home(index) != Some(home) {
                return Err("the index stands in the body of a macro, in parts".to_owned());
            }
            if !self.is_plain(index) {
                return Err(
                    "the index does more than give a value, and stands in a macro".to_owned()
                );
            }
            parameters.extend(self.program.expansion(home).parameters.iter().cloned());
            let site = self.program.expr_site(*access);
            let own = changed[access];
            let grid = &self.plans[&own].grid;
            extents.insert(self.extent_texts(own, Some(grid.functions[access]), site)?);
            self.functions_mut(class)?.files.insert((site.file, site));
            let own: Vec<Vec<String>> = match &grid.accesses[access] {
                GridAccess::Linear { .. } => Vec::new(),
                GridAccess::Coordinates(vector) => {
                    let parts = self.body_parts(index, home);
                    vector
                        .iter()
                        .map(|coordinate| {
                            let constant = coordinate.as_constant().map(|value| value.to_string());
                            parts
                                .iter()
                                .filter(|(_, value)| value == coordinate)
                                .map(|(part, _)| {
                                    self.program.text(self.program.expr(*part).span).to_owned()
                                })
                                .chain(constant)
                                .collect()
                        })
                        .collect()
                }
            };
            texts = Some(match texts {
                None => own,
                Some(before) => before
                    .into_iter()
                    .zip(own)
                    .map(|(before, own)| {
                        before.into_iter().filter(|text| own.contains(text)).collect()
                    })
                    .collect(),
            });
        }
        let [extents] = extents
            .into_iter()
            .collect::<Vec<_>>()
            .try_into()
            .map_err(|_| "the macro is used where the extents have other names".to_owned())?;
        let hides = extents.iter().any(|text| {
            layoutc_syntax::preprocess::tokens(text)
                .iter()
                .any(|token| parameters.contains(token.text(text)))
        });
        if hides {
            return Err("a parameter of the macro has the name of an extent".to_owned());
        }
        let chosen: Option<Vec<String>> = texts
            .filter(|texts| texts.len() == plan.grid.dimensions.len())
            .and_then(|texts| texts.into_iter().map(|texts| texts.into_iter().next()).collect());
        let functions = self.functions_mut(class)?;
        let (name, arguments) = match chosen {
            Some(coordinates) => {
                functions.needs_place = true;
                let name = functions.place.clone();
                let checked = coordinates
                    .into_iter()
                    .enumerate()
                    .map(|(at, text)| {
                        self.checked_in_body(&plan.grid, accesses, at, text, &extents)
                    })
                    .collect();
                (name, checked)
            }
            None if plan.grid.has_constant_extents() || plan.grid.is_declared => {
                functions.needs_linear = true;
                (functions.linear.clone(), vec![self.program.text(span).to_owned()])
            }
            None => {
                return Err("the index stands in the body of a macro, and its parts are not the \
                            coordinates in all of its uses"
                    .to_owned());
            }
        };
        let all: Vec<String> = arguments.into_iter().chain(extents).collect();
        Ok(format!("{name}({})", all.join(", ")))
    }

    /// The values in an index that stand in one body, the largest text first.
    fn body_parts(&mut self, index: ExprId, home: ExpansionId) -> Vec<(ExprId, Index)> {
        let mut found = Vec::new();
        let mut next = vec![index];
        while let Some(expr) = next.pop() {
            if self.program.home(expr) != Some(home) {
                continue;
            }
            let is_use = matches!(self.program.macro_role(expr), Some(MacroRole::Use(_)));
            if let Some(value) = self.indices.index(self.program, expr) {
                found.push((expr, value));
            }
            if !is_use {
                next.extend(self.program.expr(expr).children().rev());
            }
        }
        found
    }

    /// Whether an expression only gives a value.
    fn is_plain(&self, expr: ExprId) -> bool {
        let mut stack = vec![expr];
        while let Some(at) = stack.pop() {
            let is_value = match &self.program.expr(at).kind {
                ExprKind::Unary(op, _) => {
                    !op.is_update() && !self.program.operators.contains_key(&at)
                }
                ExprKind::Binary(..) | ExprKind::Index { .. } | ExprKind::Deref(_) => {
                    !self.program.operators.contains_key(&at)
                }
                ExprKind::Name(_)
                | ExprKind::Integer(_)
                | ExprKind::Literal
                | ExprKind::Paren(_)
                | ExprKind::Member { .. }
                | ExprKind::Cast { .. }
                | ExprKind::Conditional(..)
                | ExprKind::SizeOfType { .. }
                | ExprKind::SizeOfExpr(_) => true,
                _ => false,
            };
            if !is_value {
                return false;
            }
            stack.extend(self.program.expr(at).children());
        }
        true
    }
}

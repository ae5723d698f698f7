//! The index of each access to a grid.

use super::Rewriter;
use crate::edit::Edit;
use layoutc_dataflow::classes::{Callee, Chain, ClassId, resolve_callee};
use layoutc_dataflow::grid::GridAccess;
use layoutc_dataflow::grid::index::{Atom, Index, single_result};
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
                self.check_once(vector)?;
                self.check_effects(index, vector)?;
                let mut parts = self.parts(index);
                if let Some(chain) = self.typed.chain_of_sum(index) {
                    for at in &chain.subscripts {
                        if let Some(value) = self.indices.index(self.program, *at) {
                            parts.insert(0, (*at, value));
                        }
                    }
                }
                let extents = self.extent_texts(class, function, span)?;
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
                let extents = self.extent_texts(class, function, span)?;
                let functions = self.functions_mut(class)?;
                functions.needs_linear = true;
                let arguments: Vec<String> = std::iter::once(text).chain(extents).collect();
                Ok(format!("{}({})", functions.linear, arguments.join(", ")))
            }
        }
    }

    /// The values in an index that are computed where it stands, the largest first.
    fn parts(&mut self, index: ExprId) -> Vec<(ExprId, Index)> {
        let mut found = Vec::new();
        let mut next = vec![index];
        while let Some(expr) = next.pop() {
            if self.typed.is_synthetic(expr) {
                next.extend(self.program.expr(expr).children().into_iter().rev());
                continue;
            }
            if self.program.home(expr).is_some() || self.program.macro_role(expr).is_some() {
                continue;
            }
            let inner = self.program.strip_parens(expr);
            if let ExprKind::Binary(..)
            | ExprKind::Name(_)
            | ExprKind::Integer(_)
            | ExprKind::Member { .. }
            | ExprKind::Cast { .. }
            | ExprKind::Unary(..) = self.program.expr(inner).kind
                && self.program.home(inner).is_none()
                && let Some(value) = self.indices.index(self.program, inner)
            {
                found.push((inner, value));
            }
            if let ExprKind::Binary(..) | ExprKind::Cast { .. } = self.program.expr(inner).kind {
                next.extend(self.program.expr(inner).children().into_iter().rev());
            }
        }
        found
    }

    /// The extents that are no constants, as a function writes them.
    pub(super) fn extent_texts(
        &self,
        class: ClassId,
        function: FunctionId,
        at: Span,
    ) -> Result<Vec<String>, String> {
        let grid = &self.plans[&class].grid;
        let Some(extents) = grid.extents.get(&function) else {
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

    /// What is not a plain value must be evaluated exactly once.
    fn check_once(&self, vector: &[Index]) -> Result<(), String> {
        let mut seen: BTreeMap<Atom, usize> = BTreeMap::new();
        for (monomial, _) in vector.iter().flat_map(Index::terms) {
            for atom in monomial {
                *seen.entry(*atom).or_default() += 1;
            }
        }
        let is_repeated = seen.iter().any(|(atom, count)| match atom {
            Atom::Variable(_) => false,
            Atom::Expression(number) => *count > 1 && !self.indices.is_pure(*number),
        });
        if is_repeated {
            return Err("the index holds a value that may be computed only once".to_owned());
        }
        Ok(())
    }

    /// What an index does besides giving a value must be done by the coordinates as well: an
    /// argument that an index function does not use, or a term that cancels, would be lost.
    fn check_effects(&self, index: ExprId, vector: &[Index]) -> Result<(), String> {
        let below = |root: ExprId| {
            let mut found = std::collections::BTreeSet::new();
            let mut stack = vec![root];
            while let Some(at) = stack.pop() {
                found.insert(at);
                stack.extend(self.program.expr(at).children());
            }
            found
        };
        let mut kept = std::collections::BTreeSet::new();
        for atom in vector.iter().flat_map(Index::atoms) {
            if let Atom::Expression(number) = atom {
                kept.extend(below(self.indices.expression(number)));
            }
        }
        let is_lost = below(index).into_iter().any(|at| match &self.program.expr(at).kind {
            ExprKind::Assign(..) | ExprKind::MacroCall { .. } | ExprKind::Opaque(_) => {
                !kept.contains(&at)
            }
            ExprKind::Unary(op, _) => op.is_update() && !kept.contains(&at),
            // A function that is one expression is part of the coordinates.
            ExprKind::Call { callee, arguments, .. } => {
                !kept.contains(&at)
                    && !matches!(
                        resolve_callee(self.program, *callee, arguments),
                        Callee::Function(function)
                            if single_result(self.program, function).is_some()
                    )
            }
            _ => false,
        });
        if is_lost {
            return Err("the index does more than give a value, and that would be lost".to_owned());
        }
        Ok(())
    }

    /// A value as C.
    fn written(
        &self,
        changed: &Changed,
        value: &Index,
        function: FunctionId,
    ) -> Result<String, String> {
        let mut terms: Vec<(&Vec<Atom>, i64)> = value.terms().collect();
        if terms.is_empty() {
            return Ok("0".to_owned());
        }
        // Products first, the constant last; what is added before what is taken away.
        terms.sort_by_key(|(monomial, coefficient)| {
            (monomial.is_empty(), *coefficient < 0, std::cmp::Reverse(monomial.len()))
        });
        let is_alone = terms.len() == 1;
        let mut text = String::new();
        for (at, (monomial, coefficient)) in terms.into_iter().enumerate() {
            match (at, coefficient < 0) {
                (0, true) => text.push('-'),
                (0, false) => {}
                (_, true) => text.push_str(" - "),
                (_, false) => text.push_str(" + "),
            }
            let size = coefficient.unsigned_abs();
            let mut factors = Vec::new();
            for atom in monomial {
                let is_operand = is_alone && monomial.len() == 1 && coefficient == 1;
                factors.push(self.atom(changed, *atom, function, is_operand)?);
            }
            if size != 1 || factors.is_empty() {
                factors.insert(0, size.to_string());
            }
            text.push_str(&factors.join("*"));
        }
        Ok(text)
    }

    /// An atom as an operand; alone it needs no parentheses.
    pub(super) fn atom(
        &self,
        changed: &Changed,
        atom: Atom,
        function: FunctionId,
        is_alone: bool,
    ) -> Result<String, String> {
        match atom {
            Atom::Variable(id) => {
                let variable = self.program.variable(id);
                // Another variable of the name could hide it at the access.
                let parameters = &self.program.function(function).parameters;
                let hidden = self.program.variable_ids().any(|other| {
                    let theirs = self.program.variable(other);
                    let is_there = parameters.contains(&other)
                        || (theirs.function == Some(function)
                            && theirs.storage == layoutc_syntax::Storage::Local);
                    other != id
                        && theirs.name == variable.name
                        && is_there
                        && !self.is_apart(id, other)
                });
                if hidden {
                    return Err(format!(
                        "`{}` has several meanings in this function",
                        variable.name
                    ));
                }
                Ok(variable.name.clone())
            }
            Atom::Expression(number) => {
                let expr = self.indices.expression(number);
                let text = self.rendered(changed, expr)?;
                let is_simple = matches!(
                    self.program.expr(self.program.strip_parens(expr)).kind,
                    ExprKind::Name(_)
                        | ExprKind::Member { .. }
                        | ExprKind::Index { .. }
                        | ExprKind::Call { .. }
                        | ExprKind::Integer(_)
                ) || self.program.macro_role(expr).is_some();
                let has_parens = text.starts_with('(')
                    && matches!(self.program.expr(expr).kind, ExprKind::Paren(_));
                Ok(if is_alone || is_simple || has_parens { text } else { format!("({text})") })
            }
        }
    }

    /// The block or loop that a variable is declared in.
    fn scope(&self, id: layoutc_syntax::VarId) -> Option<Span> {
        let site = self.program.variable(id).site.name;
        self.program
            .stmts
            .iter()
            .filter(|stmt| {
                matches!(
                    stmt.kind,
                    layoutc_syntax::StmtKind::Block(_) | layoutc_syntax::StmtKind::For { .. }
                ) && stmt.span.contains(site)
            })
            .map(|stmt| stmt.span)
            .min_by_key(|span| span.end - span.start)
    }

    /// Whether the scope of one variable ends before the other's begins.
    fn is_apart(&self, one: layoutc_syntax::VarId, other: layoutc_syntax::VarId) -> bool {
        match (self.scope(one), self.scope(other)) {
            (Some(one), Some(other)) => !one.contains(other) && !other.contains(one),
            _ => false,
        }
    }

    /// Whether a variable of the function can be named at a place.
    pub(super) fn is_visible(&self, id: layoutc_syntax::VarId, at: Span) -> bool {
        let variable = self.program.variable(id);
        match variable.storage {
            layoutc_syntax::Storage::Parameter { .. } => true,
            layoutc_syntax::Storage::Local | layoutc_syntax::Storage::Static => {
                let site = variable.site.full;
                let is_before = site.file != at.file || site.end <= at.start;
                is_before
                    && (variable.function.is_none()
                        || self.scope(id).is_some_and(|scope| scope.contains(at)))
            }
        }
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
            return Err("this is a part of a sum that nobody wrote".to_owned());
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

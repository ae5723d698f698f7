//! Coordinates as text: what an index means, written where the index stands.

use layoutc_dataflow::classes::{Callee, resolve_callee};
use layoutc_dataflow::grid::index::{Atom, Index, Indices, single_result};
use layoutc_diagnostics::Span;
use layoutc_syntax::{
    CaptureRest, ExprId, ExprKind, FunctionId, NameRef, Program, StmtKind, Storage, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// Writes the text of an expression.
pub(crate) type Render<'r> = &'r mut dyn FnMut(ExprId) -> Result<String, String>;

/// The values in an index that are computed where it stands, the largest first.
pub(crate) fn parts(
    program: &Program,
    indices: &mut Indices,
    index: ExprId,
    is_synthetic: &dyn Fn(ExprId) -> bool,
) -> Vec<(ExprId, Index)> {
    let mut found = Vec::new();
    let mut next = vec![index];
    while let Some(expr) = next.pop() {
        if is_synthetic(expr) {
            next.extend(program.expr(expr).children().rev());
            continue;
        }
        if program.home(expr).is_some() || program.macro_role(expr).is_some() {
            continue;
        }
        let inner = program.strip_parens(expr);
        if let ExprKind::Binary(..)
        | ExprKind::Name(_)
        | ExprKind::Integer(_)
        | ExprKind::Member { .. }
        | ExprKind::Cast { .. }
        | ExprKind::Unary(..) = program.expr(inner).kind
            && program.home(inner).is_none()
            && let Some(value) = indices.index(program, inner)
        {
            found.push((inner, value));
        }
        if let ExprKind::Binary(..) | ExprKind::Cast { .. } = program.expr(inner).kind {
            next.extend(program.expr(inner).children().rev());
        }
    }
    found
}

/// Writes coordinates.
#[derive(Clone, Copy)]
pub(crate) struct Coordinates<'a> {
    pub(crate) program: &'a Program,
    pub(crate) indices: &'a Indices,
    pub(crate) lambdas: &'a Lambdas,
}

/// The lambdas of a program that hide what they do not list.
#[derive(Debug, Default)]
pub(crate) struct Lambdas(Vec<(Span, BTreeSet<VarId>)>);

impl Lambdas {
    pub(crate) fn new(program: &Program) -> Lambdas {
        let mut found = Vec::new();
        for id in program.expr_ids() {
            if let ExprKind::Lambda { captures, rest: CaptureRest::Hidden, .. } =
                &program.expr(id).kind
            {
                let names =
                    captures.iter().filter_map(|capture| match program.expr(*capture).kind {
                        ExprKind::Name(NameRef::Variable(id)) => Some(id),
                        _ => None,
                    });
                found.push((program.expr(id).span, names.collect()));
            }
        }
        Lambdas(found)
    }

    /// Whether a local of the function around a lambda has no name at a place in it.
    fn hide(&self, program: &Program, id: VarId, at: Span) -> bool {
        let site = program.variable(id).site.name;
        self.0.iter().any(|(span, listed)| {
            span.contains(at) && !span.contains(site) && !listed.contains(&id)
        })
    }
}

impl Coordinates<'_> {
    /// Whether the coordinates can be written in the place of the index.
    ///
    /// # Errors
    /// What would be evaluated twice, or not at all, and what a lambda around it hides.
    pub(crate) fn check(self, index: ExprId, vector: &[Index]) -> Result<(), String> {
        self.check_once(vector)?;
        self.check_effects(index, vector)?;
        let at = self.program.expr_site(index);
        let hidden = vector.iter().flat_map(Index::atoms).find_map(|atom| match atom {
            Atom::Variable(id) if self.lambdas.hide(self.program, id, at) => Some(id),
            Atom::Variable(_) | Atom::Expression(_) => None,
        });
        match hidden {
            Some(id) => {
                let name = &self.program.variable(id).name;
                Err(format!("the lambda around this does not capture `{name}`"))
            }
            None => Ok(()),
        }
    }

    /// What is not a plain value must be evaluated exactly once.
    fn check_once(self, vector: &[Index]) -> Result<(), String> {
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
    fn check_effects(self, index: ExprId, vector: &[Index]) -> Result<(), String> {
        let below = |root: ExprId| {
            let mut found = BTreeSet::new();
            let mut stack = vec![root];
            while let Some(at) = stack.pop() {
                found.insert(at);
                stack.extend(self.program.expr(at).children());
            }
            found
        };
        let mut kept = BTreeSet::new();
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
    pub(crate) fn written(
        self,
        value: &Index,
        function: FunctionId,
        render: Render<'_>,
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
                factors.push(self.atom(*atom, function, is_operand, render)?);
            }
            if size != 1 || factors.is_empty() {
                factors.insert(0, size.to_string());
            }
            text.push_str(&factors.join("*"));
        }
        Ok(text)
    }

    /// An atom as an operand; alone it needs no parentheses.
    pub(crate) fn atom(
        self,
        atom: Atom,
        function: FunctionId,
        is_alone: bool,
        render: Render<'_>,
    ) -> Result<String, String> {
        match atom {
            Atom::Variable(id) => {
                let variable = self.program.variable(id);
                // Another variable of the name could hide it at the access.
                let parameters = &self.program.function(function).parameters;
                let hidden = self.program.variable_ids().any(|other| {
                    let theirs = self.program.variable(other);
                    let is_there = parameters.contains(&other)
                        || (theirs.function == Some(function) && theirs.storage == Storage::Local);
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
                let text = render(expr)?;
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
    fn scope(self, id: VarId) -> Option<Span> {
        let site = self.program.variable(id).site.name;
        self.program
            .stmts
            .iter()
            .filter(|stmt| {
                matches!(stmt.kind, StmtKind::Block(_) | StmtKind::For { .. })
                    && stmt.span.contains(site)
            })
            .map(|stmt| stmt.span)
            .min_by_key(|span| span.end - span.start)
    }

    /// Whether the scope of one variable ends before the other's begins.
    fn is_apart(self, one: VarId, other: VarId) -> bool {
        match (self.scope(one), self.scope(other)) {
            (Some(one), Some(other)) => !one.contains(other) && !other.contains(one),
            _ => false,
        }
    }

    /// Whether a variable of the function can be named at a place.
    pub(crate) fn is_visible(self, id: VarId, at: Span) -> bool {
        let variable = self.program.variable(id);
        match variable.storage {
            Storage::Parameter { .. } => !self.lambdas.hide(self.program, id, at),
            Storage::Local if self.lambdas.hide(self.program, id, at) => false,
            Storage::Local | Storage::Static => {
                let site = variable.site.full;
                let is_before = site.file != at.file || site.end <= at.start;
                is_before
                    && (variable.function.is_none()
                        || self.scope(id).is_some_and(|scope| scope.contains(at)))
            }
        }
    }

    /// Whether all variables of a value can be named at a place, and nothing has to be computed.
    pub(crate) fn are_visible(self, value: &Index, at: Span) -> bool {
        value.atoms().iter().all(|atom| match atom {
            Atom::Variable(id) => self.is_visible(*id, at),
            Atom::Expression(_) => false,
        })
    }
}

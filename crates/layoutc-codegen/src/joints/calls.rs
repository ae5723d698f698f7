//! Calls of the runtime on merged arrays: allocations, copies and fills.

use super::{Rewriter, pin};
use crate::edit::Edit;
use layoutc_analysis::joint_plan::JointPlan;
use layoutc_dataflow::catalogue::Api;
use layoutc_dataflow::classes::{ApiCall, Direction, Sizes};
use layoutc_dataflow::merge::{Allocated, JointAllocation};
use layoutc_diagnostics::Span;
use layoutc_syntax::{BinaryOp, ExprId, ExprKind, Scalar, StmtId, StmtKind, TypeKind};
use std::collections::BTreeSet;

/// The size of a value in a byte count.
enum Factor {
    /// `sizeof(float)`.
    Type(Span),
    /// The operand of `sizeof *x`.
    Element(ExprId),
}

impl Rewriter<'_> {
    /// Elements of which allocations ask for the size.
    pub(super) fn measured_elements(&self) -> BTreeSet<ExprId> {
        let mut found = BTreeSet::new();
        for (merge, JointPlan { merge: own, .. }) in self.merges.iter().enumerate() {
            for joint in &own.allocations {
                let scalar = self.scalar(merge, joint.keeper.member);
                if let Some(Factor::Element(element)) =
                    self.size_factor(merge, joint.keeper.size, scalar)
                {
                    found.insert(element);
                }
            }
        }
        found
    }

    /// Rewrites the calls of all merged arrays.
    pub(super) fn calls(&mut self) {
        let sizes = Sizes::collect(self.program);
        for (merge, JointPlan { merge: found, .. }) in self.merges.iter().enumerate() {
            for joint in &found.allocations {
                self.allocation(merge, joint, &sizes);
            }
            for call in &found.dropped_frees {
                self.drop_free(*call);
            }
        }
        for call in &self.classes.api_calls {
            if matches!(call.api, Api::Malloc | Api::Free) {
                continue;
            }
            let members: Vec<Option<(usize, usize)>> = (0..call.arguments.len())
                .map(|at| {
                    let argument = self.strip_casts(call.arguments[at]);
                    let (class, _) = self.classes.value(argument)?;
                    self.member(class).filter(|_| call.is_device_argument(at))
                })
                .collect();
            let Some((merge, _)) = members.iter().flatten().next().copied() else { continue };
            if let Err(message) = self.transfer(call, merge, &members, &sizes) {
                let span = self.program.expr(call.call).span;
                self.refusals.push((merge, pin(span, &message)));
            }
        }
    }

    fn strip_casts(&self, mut expr: ExprId) -> ExprId {
        while let ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. } =
            self.program.expr(expr).kind
        {
            expr = inner;
        }
        expr
    }

    fn scalar(&self, merge: usize, member: usize) -> Scalar {
        self.records[merge].members[member].1
    }

    fn allocation(&mut self, merge: usize, joint: &JointAllocation, sizes: &Sizes) {
        let keeper = &joint.keeper;
        let type_name = self.records[merge].type_name.clone();
        let scalar = self.scalar(merge, keeper.member);
        self.uses[merge].insert(self.program.expr(keeper.call).span);
        match self.size_factor(merge, keeper.size, scalar) {
            Some(Factor::Type(span)) => self.edit(span, format!("sizeof({type_name})")),
            // The size of a record, now.
            Some(Factor::Element(_)) => {}
            None => {
                let span = self.program.expr(keeper.size).span;
                let class = self.merges[merge].merge.members[keeper.member];
                let element = self.classes.class(class).element;
                let number = scalar.spelling();
                let round = match sizes.is_multiple_of_element(self.program, keeper.size, element) {
                    true => String::new(),
                    false => format!(" + sizeof({number}) - 1)"),
                };
                let open = if round.is_empty() { "" } else { "(" };
                let is_simple = matches!(
                    self.program.expr(keeper.size).kind,
                    ExprKind::Name(_)
                        | ExprKind::Paren(_)
                        | ExprKind::Call { .. }
                        | ExprKind::Member { .. }
                );
                let (left, right) = if is_simple { ("", "") } else { ("(", ")") };
                self.edit(span.at_start(), format!("{open}{left}"));
                let behind = format!("{right}{round} / sizeof({number}) * sizeof({type_name})");
                self.edit(span.at_end(), behind);
            }
        }
        for follower in &joint.followers {
            self.follower(&type_name, keeper, follower);
        }
    }

    /// The factor of a byte count that is the size of a value.
    fn size_factor(&self, merge: usize, size: ExprId, scalar: Scalar) -> Option<Factor> {
        let expr = self.program.expr(size);
        if self.program.home(size).is_some() || self.program.macro_role(size).is_some() {
            return None;
        }
        match &expr.kind {
            ExprKind::Paren(inner) => self.size_factor(merge, *inner, scalar),
            ExprKind::Binary(BinaryOp::Mul, left, right) => self
                .size_factor(merge, *left, scalar)
                .or_else(|| self.size_factor(merge, *right, scalar)),
            ExprKind::SizeOfType { of, is_align: false, .. } => {
                (self.program.types.as_scalar(of.id) == Some(scalar))
                    .then_some(Factor::Type(expr.span))
            }
            ExprKind::SizeOfExpr(operand) => {
                let element = self.program.strip_parens(*operand);
                let (class, _) = self.classes.place(element)?;
                let (of, member) = self.member(class)?;
                (of == merge && self.scalar(merge, member) == scalar)
                    .then_some(Factor::Element(element))
            }
            _ => None,
        }
    }

    /// The pointer becomes a copy of the keeper's.
    fn follower(&mut self, type_name: &str, keeper: &Allocated, follower: &Allocated) {
        let is_const = |pointer: ExprId| {
            let ty = self.program.expr(pointer).ty;
            matches!(*self.program.types.kind(ty.id), TypeKind::Pointer(to) if to.is_const)
        };
        let cast = match is_const(keeper.pointer) && !is_const(follower.pointer) {
            true => format!("({type_name} *)"),
            false => String::new(),
        };
        let to = self.program.text(self.program.expr(follower.pointer).span).to_owned();
        let from = self.program.text(self.program.expr(keeper.pointer).span).to_owned();
        let span = self.program.expr(follower.call).span;
        let assigned = format!("{to} = {cast}{from}");
        let text = if self.statement(follower.call).is_some() {
            assigned
        } else {
            format!("(({assigned}), cudaSuccess)")
        };
        self.edits.push(Edit::drop_allocation(span, text));
    }

    /// The statement that an expression is, if that is no text of a macro.
    fn statement(&self, expr: ExprId) -> Option<StmtId> {
        self.program.stmt_ids().find(|id| {
            matches!(self.program.stmt(*id).kind, StmtKind::Expr(Some(own)) if own == expr)
                && self.program.stmt_homes.of(id.index()).is_none()
        })
    }

    /// The statement of a block that does nothing but evaluate an expression, perhaps if something holds that
    /// is evaluated without an effect.
    fn block_statement(&self, expr: ExprId) -> Option<Span> {
        let mut stmt = self.statement(expr)?;
        loop {
            let around = self.program.stmt_ids().find(|id| match &self.program.stmt(*id).kind {
                StmtKind::Block(children) => children.contains(&stmt),
                StmtKind::If { then, otherwise, .. } => *then == stmt || *otherwise == Some(stmt),
                _ => false,
            })?;
            match &self.program.stmt(around).kind {
                StmtKind::If {
                    init: None, condition: Some(condition), otherwise: None, ..
                } if self.is_harmless(*condition) => {
                    stmt = around;
                }
                StmtKind::Block(_) => return Some(self.program.stmt(stmt).span),
                _ => return None,
            }
        }
    }

    /// Whether the evaluation of an expression does nothing.
    fn is_harmless(&self, expr: ExprId) -> bool {
        let own = matches!(
            self.program.expr(expr).kind,
            ExprKind::Name(_)
                | ExprKind::Member { .. }
                | ExprKind::Null
                | ExprKind::Integer(_)
                | ExprKind::Paren(_)
                | ExprKind::Binary(..)
                | ExprKind::Unary(layoutc_syntax::UnaryOp::Not, _)
        );
        own && !self.program.operators.contains_key(&expr)
            && self.program.expr(expr).children().all(|child| self.is_harmless(child))
    }

    /// The joint memory is freed by another call.
    fn drop_free(&mut self, call: ExprId) {
        let Some(span) = self.block_statement(call) else {
            let is_dropped = self.statement(call).is_some();
            let text = if is_dropped { "(void)cudaSuccess" } else { "cudaSuccess" };
            self.edit(self.program.expr(call).span, text);
            return;
        };
        // With its line, if it has one of its own.
        let file = self.program.sources.file(span.file);
        let text = file.text();
        let line = file.line_range(span.start as usize);
        let before = &text[line.start..span.start as usize];
        let end = text[span.end as usize..].find('\n').map(|at| span.end as usize + at + 1);
        let whole = end
            .filter(|end| {
                before.trim().is_empty() && text[span.end as usize..*end].trim().is_empty()
            })
            .map(|end| Span { start: line.start as u32, end: end as u32, ..span });
        self.edit(whole.unwrap_or(span), String::new());
    }

    /// A copy or a fill.
    fn transfer(
        &mut self,
        call: &ApiCall,
        merge: usize,
        members: &[Option<(usize, usize)>],
        sizes: &Sizes,
    ) -> Result<(), String> {
        let ExprKind::Call { callee, parentheses, .. } = self.program.expr(call.call).kind else {
            return Err("this is no call".to_owned());
        };
        let span = self.program.expr(call.call).span;
        self.uses[merge].insert(span);
        let prefix = self.records[merge].prefix.clone();
        let is_async = call.row.is_async();
        if is_async && !call.has_stream() {
            // The default stream.
            let end = parentheses.end - 1;
            self.edit(Span { start: end, end, ..parentheses }, ", 0");
        }
        let (_, first) = members.iter().flatten().next().copied().ok_or("no array is copied")?;
        let element = self.classes.class(self.merges[merge].merge.members[first]).element;
        let size = call.size().ok_or("no size")?;
        let is_whole = self.scalar(merge, first).size() == 1
            || sizes.is_multiple_of_element(self.program, size, element);
        let needs = &mut self.needs[merge];
        needs.stream |= is_async;
        needs.partial |= !is_whole;
        let name = match (call.api, call.direction) {
            (Api::Memset, _) => {
                needs.fill = true;
                format!("{prefix}Fill")
            }
            (_, Direction::HostToDevice) => {
                needs.copy_in = true;
                format!("{prefix}CopyIn")
            }
            (_, Direction::DeviceToHost) => {
                needs.copy_out = true;
                format!("{prefix}CopyOut")
            }
            (_, Direction::DeviceToDevice) => {
                needs.copy_within = true;
                format!("{prefix}CopyWithin")
            }
            (_, Direction::HostToHost | Direction::Unknown) => {
                return Err("the direction of this copy is not known".to_owned());
            }
        };
        self.edit(self.program.expr(callee).span, name);
        let is_within = call.api != Api::Memset && call.direction == Direction::DeviceToDevice;
        let own = members.iter().flatten().next().copied();
        for (at, member) in members.iter().enumerate() {
            let argument = call.arguments[at];
            let span = self.program.expr(argument).span;
            match member {
                Some((of, member)) => {
                    self.reach(argument, *of, *member);
                    if is_within {
                        let type_name = &self.records[*of].type_name;
                        let step = format!(", sizeof({type_name})");
                        self.uses[*of].insert(span);
                        self.edit(span.at_end(), step);
                    }
                }
                // The other side is an array by itself.
                None if is_within && at < 2 => {
                    let Some((of, member)) = own else { continue };
                    let number = self.scalar(of, member).spelling();
                    let constant = if at == 1 { "const " } else { "" };
                    let ty = format!("({constant}{number} *)");
                    self.edit(span.at_start(), format!("{ty}("));
                    self.edit(span.at_end(), format!("), sizeof({number})"));
                }
                None => {}
            }
        }
        Ok(())
    }

    /// `&x->value` for the pointer `x`: the member that a copy starts with.
    pub(super) fn reach(&mut self, argument: ExprId, merge: usize, member: usize) {
        let name = self.records[merge].members[member].0.clone();
        let span = self.program.expr(argument).span;
        let mut inner = argument;
        while let ExprKind::Paren(next) | ExprKind::Cast { operand: next, .. } =
            self.program.expr(inner).kind
        {
            inner = next;
        }
        let own = self.program.expr(inner).span;
        let (before, behind) = match self.program.expr(inner).kind {
            // `&x[i]`
            _ if self.classes.places.position(inner).is_some() => ("", format!(".{name}")),
            ExprKind::Name(_) | ExprKind::Member { .. } | ExprKind::Index { .. } => {
                ("&", format!("->{name}"))
            }
            _ => ("&(", format!(")->{name}")),
        };
        // Casts to `void *` go.
        let (head, tail) = (Span { end: own.start, ..span }, Span { start: own.end, ..span });
        self.edit(head, before);
        self.edit(tail, behind);
    }
}

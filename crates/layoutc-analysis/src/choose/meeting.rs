//! Where two arrays meet for which different layouts are asked for.
//!
//! Arrays are in one class because pointers to them are assigned, passed or returned to the same
//! variables. A chain of such places from one array to the other shows why.

use layoutc_dataflow::classes::{Callee, ClassId, Classes, Slot, resolve_callee, slot_names};
use layoutc_dataflow::layout::notation::LayoutSpec;
use layoutc_diagnostics::{Code, Diagnostic, Span};
use layoutc_syntax::{ExprId, ExprKind, NameRef, Program, StmtKind};
use std::collections::{BTreeMap, VecDeque};

/// How deep expressions are looked into for the pointers that they may be.
const DEPTH: usize = 16;

/// A place at which a pointer goes from one slot to another.
type Step = (Slot, Slot, Span);

/// The message that two requests mean arrays which must have one layout.
#[must_use]
pub fn conflicting(
    program: &Program,
    classes: &Classes,
    id: ClassId,
    first: &LayoutSpec,
    second: &LayoutSpec,
) -> Diagnostic {
    let message = format!(
        "`{first}` and `{second}` ask for different layouts of arrays that one pointer may point to"
    );
    let mut diagnostic = Diagnostic::error(Code::INCOMPATIBLE_LAYOUTS, message);
    let help = "ask for one layout for both, or keep their pointers apart";
    let located = |diagnostic| second.located(first.located(diagnostic)).help(help);
    let named = |spec: &LayoutSpec| {
        let mut slots = classes.class(id).slots.iter().copied();
        slots.find(|slot| slot_names(program, *slot).contains(&spec.target))
    };
    let (Some(from), Some(to)) = (named(first), named(second)) else {
        return located(diagnostic);
    };
    let chain = chain(&steps(program, classes, id), from, to);
    if chain.is_empty() {
        // One variable has both names, or they meet in a way that is not listed here.
        let label = match from == to {
            true => "both requests name this".to_owned(),
            false => "it is not known where they meet".to_owned(),
        };
        return located(diagnostic.at(place(program, from), label));
    }
    for (target, source, span) in chain {
        let label =
            format!("{} may point to what {} does", name(program, target), name(program, source));
        diagnostic = match diagnostic.primary {
            None => diagnostic.at(span, label),
            Some(_) => diagnostic.with(span, label),
        };
    }
    located(diagnostic)
}

/// A shortest chain from one slot to another.
fn chain(steps: &[Step], from: Slot, to: Slot) -> Vec<Step> {
    let mut reached: BTreeMap<Slot, Option<Step>> = BTreeMap::from([(from, None)]);
    let mut queue = VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        for step in steps {
            let next = match (step.0 == at, step.1 == at) {
                (true, _) => step.1,
                (false, true) => step.0,
                (false, false) => continue,
            };
            reached.entry(next).or_insert_with(|| {
                queue.push_back(next);
                Some(*step)
            });
        }
    }
    let mut found = Vec::new();
    let mut at = to;
    while let Some(Some(step)) = reached.get(&at) {
        found.push(*step);
        at = if step.0 == at { step.1 } else { step.0 };
    }
    found.reverse();
    found
}

/// All places at which pointers of a class go from slot to slot, in source order.
fn steps(program: &Program, classes: &Classes, id: ClassId) -> Vec<Step> {
    let mut found = Vec::new();
    let mut add = |to: Slot, value: ExprId, span: Span| {
        let mut from = Vec::new();
        sources(program, value, DEPTH, &mut from);
        let is_own = |slot: &Slot| classes.class_of_slot(*slot) == Some(id);
        for source in from.into_iter().filter(is_own).filter(|_| is_own(&to)) {
            if source != to {
                found.push((to, source, span));
            }
        }
    };
    for id in program.variable_ids() {
        if let Some(init) = program.variable(id).init {
            add(Slot::Variable(id), init, program.expr_site(init));
        }
    }
    for id in program.expr_ids() {
        let span = program.expr_site(id);
        match &program.expr(id).kind {
            ExprKind::Assign(_, left, right) => {
                let mut targets = Vec::new();
                sources(program, *left, DEPTH, &mut targets);
                for target in targets {
                    add(target, *right, span);
                }
            }
            ExprKind::Call { callee, arguments, .. }
            | ExprKind::Launch { kernel: callee, arguments, .. } => {
                let Callee::Function(function) = resolve_callee(program, *callee, arguments) else {
                    continue;
                };
                let parameters = program.function(function).parameters.iter();
                for (parameter, argument) in parameters.zip(arguments) {
                    add(Slot::Variable(*parameter), *argument, program.expr_site(*argument));
                }
            }
            _ => {}
        }
    }
    for id in program.function_ids() {
        for stmt in program.function_parts(id).stmts {
            if let StmtKind::Return(Some(value)) = program.stmt(stmt).kind {
                add(Slot::Result(id), value, program.expr_site(value));
            }
        }
    }
    found.sort_by_key(|(_, _, span)| *span);
    found
}

/// The slots whose pointer an expression may be, perhaps moved.
fn sources(program: &Program, expr: ExprId, depth: usize, found: &mut Vec<Slot>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match &program.expr(program.strip_parens(expr)).kind {
        ExprKind::Name(NameRef::Variable(id)) => found.push(Slot::Variable(*id)),
        ExprKind::Member { field: Some(field), .. } => found.push(Slot::Field(*field)),
        ExprKind::Call { callee, arguments, .. } => {
            if let Callee::Function(function) = resolve_callee(program, *callee, arguments) {
                found.push(Slot::Result(function));
            }
        }
        ExprKind::Conditional(_, then, otherwise) => {
            sources(program, *then, depth, found);
            sources(program, *otherwise, depth, found);
        }
        ExprKind::Binary(_, left, right) => {
            sources(program, *left, depth, found);
            sources(program, *right, depth, found);
        }
        ExprKind::Cast { operand, .. }
        | ExprKind::Assign(_, operand, _)
        | ExprKind::Comma(_, operand)
        | ExprKind::Unary(_, operand)
        | ExprKind::AddressOf(operand)
        | ExprKind::Deref(operand)
        | ExprKind::Index { base: operand, .. } => sources(program, *operand, depth, found),
        // A pointer that comes from anything else is not shown; it only explains.
        _ => {}
    }
}

fn name(program: &Program, slot: Slot) -> String {
    let names = slot_names(program, slot);
    format!("`{}`", names.first().map_or("", String::as_str))
}

fn place(program: &Program, slot: Slot) -> Span {
    match slot {
        Slot::Variable(id) => program.variable(id).site.name,
        Slot::Field(id) => program.field(id).site.name,
        Slot::Result(id) => program.function(id).sites[0].name,
    }
}

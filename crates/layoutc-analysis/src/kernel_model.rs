//! How device code reaches each class: the narrow waist between programs and selectors.

use crate::index_form::{Definitions, IndexForm};
use layoutc_dataflow::classes::{ClassId, Classes, FieldPath, PlaceKind, Slot};
use layoutc_diagnostics::Span;
use layoutc_syntax::{ExprId, ExprKind, FunctionId, NameRef, Program};

/// What an access touches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AccessKind {
    /// One member.
    Member(FieldPath),
    /// The whole element.
    Whole,
}

/// One access in the text of device code.
#[derive(Clone, Debug)]
pub struct Access {
    /// The class.
    pub class: ClassId,
    /// The function whose text holds it.
    pub function: FunctionId,
    /// What it touches.
    pub kind: AccessKind,
    /// How the element index depends on the lane.
    pub index: IndexForm,
    /// Where.
    pub span: Span,
}

/// All accesses of a program's device code, in arena order.
#[derive(Clone, Debug, Default)]
pub struct KernelModel {
    /// The accesses.
    pub accesses: Vec<Access>,
}

impl KernelModel {
    /// Builds the model of a program.
    #[must_use]
    pub fn build(program: &Program, classes: &Classes) -> Self {
        let definitions = Definitions::collect(program);
        let mut functions: Vec<(Span, FunctionId)> = program
            .function_ids()
            .filter(|id| {
                program.function(*id).space.on_device() && program.function(*id).body.is_some()
            })
            .flat_map(|id| program.function(id).sites.iter().map(move |site| (site.span, id)))
            .collect();
        functions.sort();
        let function_at = |span: Span| {
            let at = functions.partition_point(|(start, _)| *start <= span);
            functions[..at]
                .iter()
                .rev()
                .find(|(around, _)| around.contains(span))
                .map(|(_, id)| *id)
        };
        // Parts that are themselves the base of a larger part are not accesses of their own.
        let mut is_base = vec![false; program.exprs.len()];
        for id in program.expr_ids() {
            if classes.place(id).is_some()
                && let ExprKind::Member { base, .. }
                | ExprKind::Index { base, .. }
                | ExprKind::Paren(base) = program.expr(id).kind
            {
                is_base[base.index()] = true;
            }
            if let ExprKind::AddressOf(operand) = program.expr(id).kind
                && classes.value(id).is_some()
            {
                is_base[operand.index()] = true;
            }
        }
        let mut accesses = Vec::new();
        for id in program.expr_ids() {
            let Some((class, kind)) = classes.place(id) else { continue };
            if is_base[id.index()] {
                continue;
            }
            let span = program.expr_site(id);
            let Some(function) = function_at(span) else { continue };
            let kind = match kind {
                PlaceKind::Element => AccessKind::Whole,
                PlaceKind::Part(path) => AccessKind::Member(path.clone()),
            };
            let index = element_index(program, classes, &definitions, id);
            accesses.push(Access { class, function, kind, index, span });
        }
        KernelModel { accesses }
    }

    /// The accesses to one class.
    pub fn of(&self, class: ClassId) -> impl Iterator<Item = &Access> {
        self.accesses.iter().filter(move |access| access.class == class)
    }
}

/// The form of the element index of a place.
fn element_index(
    program: &Program,
    classes: &Classes,
    definitions: &Definitions,
    place: ExprId,
) -> IndexForm {
    let mut at = place;
    loop {
        match &program.expr(at).kind {
            ExprKind::Paren(inner) => at = *inner,
            ExprKind::Member { base, arrow, .. } => {
                if *arrow && classes.place(*base).is_none() {
                    return pointer_form(program, classes, definitions, *base, 16);
                }
                at = *base;
            }
            ExprKind::Index { base, index, .. } => {
                if classes.value(*base).is_some() {
                    let offset = definitions.form(program, *index);
                    return match (offset, pointer_form(program, classes, definitions, *base, 16)) {
                        (form, IndexForm::Uniform) | (IndexForm::Uniform, form) => form,
                        (a, b) => a.join(b).join(IndexForm::Strided),
                    };
                }
                at = *base;
            }
            ExprKind::Deref(operand) => {
                if classes.value(*operand).is_some() {
                    return pointer_form(program, classes, definitions, *operand, 16);
                }
                at = *operand;
            }
            ExprKind::Name(_) => return pointer_form(program, classes, definitions, at, 16),
            _ => return IndexForm::Gather,
        }
    }
}

/// The form of a pointer's offset from the start of its array.
fn pointer_form(
    program: &Program,
    classes: &Classes,
    definitions: &Definitions,
    pointer: ExprId,
    depth: usize,
) -> IndexForm {
    let Some(depth) = depth.checked_sub(1) else { return IndexForm::Gather };
    let of = |expr: ExprId| pointer_form(program, classes, definitions, expr, depth);
    match &program.expr(pointer).kind {
        ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. } => of(*inner),
        ExprKind::Binary(_, left, right) => {
            let (base, offset) =
                if classes.value(*left).is_some() { (*left, *right) } else { (*right, *left) };
            match (of(base), definitions.form(program, offset)) {
                (form, IndexForm::Uniform) | (IndexForm::Uniform, form) => form,
                (a, b) => a.join(b).join(IndexForm::Strided),
            }
        }
        ExprKind::AddressOf(place) => element_index(program, classes, definitions, *place),
        ExprKind::Name(NameRef::Variable(id)) => {
            if !classes.is_interior(Slot::Variable(*id)) {
                return IndexForm::Uniform;
            }
            match program.variable(*id).init {
                Some(init) if classes.place(init).is_some() => {
                    element_index(program, classes, definitions, init)
                }
                Some(init) => of(init),
                None => IndexForm::Gather,
            }
        }
        ExprKind::Member { .. } => IndexForm::Uniform,
        _ => IndexForm::Gather,
    }
}

//! Companion variables of slots that may point behind the first element.

use super::Rewriter;
use layoutc_dataflow::classes::{
    Callee, PlaceKind, Slot, given_object, operator_operands, resolve_callee,
};
use layoutc_syntax::{BinaryOp, ExprId, ExprKind, NameRef, Scalar, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// What an index is counted in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Width {
    /// Only literals so far.
    Literal,
    Int,
    Unsigned,
    /// Mixed signs, 64 bits, or not known.
    Wide,
}

impl Width {
    fn join(self, other: Self) -> Self {
        match (self, other) {
            (a, b) if a == b => a,
            (Width::Literal, other) | (other, Width::Literal) => other,
            _ => Width::Wide,
        }
    }

    fn of(scalar: Option<Scalar>) -> Self {
        match scalar {
            Some(
                Scalar::Bool
                | Scalar::Char
                | Scalar::SignedChar
                | Scalar::UnsignedChar
                | Scalar::Short
                | Scalar::UnsignedShort
                | Scalar::Int,
            ) => Width::Int,
            Some(Scalar::UnsignedInt) => Width::Unsigned,
            _ => Width::Wide,
        }
    }

    fn spelling(self) -> &'static str {
        match self {
            Width::Literal | Width::Int => "int",
            Width::Unsigned => "unsigned",
            Width::Wide => "ptrdiff_t",
        }
    }
}

impl Rewriter<'_> {
    /// Names the companions and gives each the type of the indices that flow into it.
    pub(super) fn name_indices(&mut self) {
        let interior: Vec<VarId> = self
            .storage_of
            .iter()
            .filter(|(_, at)| !self.storages[**at].1.is_record)
            .map(|(class, _)| class)
            .flat_map(|class| self.classes.class(*class).interior.iter())
            .filter_map(|slot| match slot {
                Slot::Variable(id) => Some(*id),
                Slot::Field(_) | Slot::Result(_) => None,
            })
            .collect();
        let flows = self.index_flows(&interior.iter().copied().collect());
        let mut widths: BTreeMap<VarId, Width> =
            interior.iter().map(|id| (*id, Width::Literal)).collect();
        loop {
            let mut changed = false;
            for (to, width, from) in &flows {
                let mut joined = widths[to].join(*width);
                for slot in from {
                    joined = joined.join(widths.get(slot).copied().unwrap_or(Width::Literal));
                }
                changed |= joined != widths[to];
                widths.insert(*to, joined);
            }
            if !changed {
                break;
            }
        }
        // One name may serve in many functions: it must only be free where the program is.
        let mut companions: BTreeMap<String, String> = BTreeMap::new();
        for id in interior {
            let name = self.companion_base(id);
            let base = match (name.is_empty(), self.program.variable(id).storage) {
                (true, layoutc_syntax::Storage::Parameter { index }) => {
                    format!("element{}", index + 1)
                }
                _ => name,
            };
            let companion = match companions.get(&base) {
                Some(known) => known.clone(),
                None => {
                    let fresh = self.names.fresh_local(&format!("{base}_at"));
                    companions.insert(base, fresh.clone());
                    fresh
                }
            };
            // A pointer can be moved on with a sign or in 64 bits; a reference stays where it is.
            let moves = !matches!(
                self.program.types.kind(self.program.variable(id).ty.id),
                layoutc_syntax::TypeKind::Reference(..)
            );
            let width = match widths[&id] {
                Width::Unsigned if moves => Width::Wide,
                width => width,
            };
            self.indices.insert(id, (companion, width.spelling()));
        }
    }

    /// For each flow into an interior slot: the width of its offsets, and the slots it starts from.
    fn index_flows(&self, interior: &BTreeSet<VarId>) -> Vec<(VarId, Width, Vec<VarId>)> {
        let mut flows = Vec::new();
        let mut add = |to: VarId, from: ExprId| {
            if interior.contains(&to) {
                let (width, slots) = self.offset_width(from);
                flows.push((to, width, slots));
            }
        };
        for (init, variable) in &self.inits {
            add(*variable, *init);
        }
        for id in self.program.expr_ids() {
            match &self.program.expr(id).kind {
                ExprKind::Assign(op, left, right) => {
                    if let ExprKind::Name(NameRef::Variable(to)) =
                        self.program.expr(self.program.strip_parens(*left)).kind
                    {
                        if op.is_none() {
                            add(to, *right);
                        } else if interior.contains(&to) {
                            flows_push_scalar(self, &mut add, to, *right);
                        }
                    }
                }
                ExprKind::Call { callee, arguments, .. }
                | ExprKind::Launch { kernel: callee, arguments, .. } => {
                    if let Callee::Function(function) =
                        resolve_callee(self.program, *callee, arguments)
                    {
                        for (parameter, argument) in
                            self.program.function(function).parameters.iter().zip(arguments)
                        {
                            add(*parameter, *argument);
                        }
                        if let Some(this) = self.program.function(function).this_parameter
                            && let ExprKind::Member { base, .. } =
                                self.program.expr(self.program.strip_parens(*callee)).kind
                        {
                            add(this, base);
                        }
                    }
                }
                _ => {}
            }
            if let Some((function, object, operands)) = operator_operands(self.program, id) {
                let function = self.program.function(function);
                for (parameter, operand) in function.parameters.iter().zip(&operands) {
                    add(*parameter, *operand);
                }
                if let (Some(this), Some(object)) = (function.this_parameter, object) {
                    add(this, object);
                }
            }
        }
        // Prototypes agree with their definition, in both directions.
        for id in self.program.function_ids() {
            let function = self.program.function(id);
            for site in &function.sites {
                for (own, theirs) in function.parameters.iter().zip(&site.parameters) {
                    if own != theirs && interior.contains(own) && interior.contains(theirs) {
                        flows.push((*own, Width::Literal, vec![*theirs]));
                        flows.push((*theirs, Width::Literal, vec![*own]));
                    }
                }
            }
        }
        for alike in self.parameters_of_overloads(interior) {
            for pair in alike.windows(2) {
                flows.push((pair[0], Width::Literal, vec![pair[1]]));
                flows.push((pair[1], Width::Literal, vec![pair[0]]));
            }
        }
        flows
    }

    /// Interior parameters at one place of functions with one name, scope and number of parameters. Were their indices
    /// counted in different types, a call could suit one function better for its index, and another for the rest.
    fn parameters_of_overloads(&self, interior: &BTreeSet<VarId>) -> Vec<Vec<VarId>> {
        let mut places: BTreeMap<_, Vec<VarId>> = BTreeMap::new();
        for id in self.program.function_ids() {
            let own = self.program.function(id);
            let all = own.this_parameter.iter().chain(&own.parameters);
            for (at, parameter) in all.enumerate().filter(|(_, id)| interior.contains(id)) {
                let of = self.classes.class_of_slot(Slot::Variable(*parameter));
                let element = of.map(|class| self.classes.class(class).element);
                let place = (&own.name, own.record, own.parameters.len(), at, element);
                places.entry(place).or_default().push(*parameter);
            }
        }
        places.into_values().filter(|alike| alike.len() > 1).collect()
    }

    /// The width of the offsets in a pointer or element expression, and the slots in it.
    fn offset_width(&self, expr: ExprId) -> (Width, Vec<VarId>) {
        let mut width = Width::Literal;
        let mut slots = Vec::new();
        let mut stack = vec![expr];
        while let Some(at) = stack.pop() {
            if let Some(object) = given_object(self.program, at) {
                stack.push(object);
                continue;
            }
            if let Some(element) = self.program.row_start(at) {
                stack.push(element);
                continue;
            }
            match &self.program.expr(at).kind {
                ExprKind::Paren(inner)
                | ExprKind::AddressOf(inner)
                | ExprKind::Deref(inner)
                | ExprKind::Cast { operand: inner, .. } => stack.push(*inner),
                ExprKind::Index { base, index, .. } => {
                    if matches!(self.classes.place(at), Some((_, PlaceKind::Element))) {
                        width = width.join(self.scalar_width(*index));
                    }
                    stack.push(*base);
                }
                ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, left, right) => {
                    let (pointer, offset) = if self.classes.value(*left).is_some() {
                        (*left, *right)
                    } else {
                        (*right, *left)
                    };
                    width = width.join(self.scalar_width(offset));
                    stack.push(pointer);
                }
                ExprKind::Call { callee, arguments, .. }
                    if self.gives_iterator(*callee, arguments) =>
                {
                    width = Width::Wide;
                }
                ExprKind::Unary(op, inner) if op.is_update() => stack.push(*inner),
                ExprKind::Assign(Some(_), left, right) => {
                    width = width.join(self.scalar_width(*right));
                    stack.push(*left);
                }
                ExprKind::Conditional(_, then, otherwise) => stack.extend([*then, *otherwise]),
                ExprKind::Name(NameRef::Variable(variable)) => slots.push(*variable),
                _ => {}
            }
        }
        (width, slots)
    }

    fn scalar_width(&self, expr: ExprId) -> Width {
        match self.cell_type(expr) {
            Some("int") => return Width::Int,
            Some("unsigned") => return Width::Unsigned,
            Some(_) => return Width::Wide,
            None => {}
        }
        let expr = self.program.strip_parens(expr);
        if matches!(self.program.expr(expr).kind, ExprKind::Integer(_)) {
            return Width::Literal;
        }
        Width::of(self.program.types.as_scalar(self.program.expr(expr).ty.id))
    }
}

/// `q += n`: the offset itself flows.
fn flows_push_scalar(
    this: &Rewriter<'_>,
    add: &mut dyn FnMut(VarId, ExprId),
    to: VarId,
    offset: ExprId,
) {
    // An offset has no slots; its own width is found as that of an index.
    let _ = this;
    add(to, offset);
}

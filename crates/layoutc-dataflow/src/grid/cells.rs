//! Arrays of structs that a program indexes by several coordinates: the cells of a grid.
//!
//! A cell is an element of an array class, whose number `y*nx + x` is divided into coordinates as
//! the index of a number is. Another order of the cells changes the number of each: what is added to
//! the start of an array. *Claim:* every such number is an access of the grid, or the start of a copy or
//! fill; no pointer moves from one cell to another, and none is measured against another ([`find_cells`]
//! refuses the class at the expression that does), so that a pointer to a cell is good in any order.

use super::{Grids, Wanted, changes, find, pin};
use crate::catalogue::Api;
use crate::classes::{ApiCall, ClassId, Classes, Direction, Pin, Slot, TypedArrays, strip_casts};
use layoutc_diagnostics::{Code, Span};
use layoutc_syntax::{
    BinaryOp, ExprId, ExprKind, MacroRole, NameRef, Program, Storage, TypeKind, evaluate,
};
use std::collections::{BTreeMap, BTreeSet};

/// The grids among the arrays of structs.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    /// The grids, with what their accesses are made of.
    pub grids: Grids,
    /// By what is added to the start of an array: the access. Parentheses are taken off.
    pub offsets: BTreeMap<ExprId, ExprId>,
}

impl Cells {
    /// What is added to the start of an array, without parentheses and parameters of macros around
    /// it: where its text stands. The use of a macro is one text.
    #[must_use]
    pub fn offset(program: &Program, mut expr: ExprId) -> ExprId {
        while let ExprKind::Paren(inner) = program.expr(expr).kind
            && !matches!(program.macro_role(expr), Some(MacroRole::Use(_)))
        {
            expr = inner;
        }
        expr
    }
}

/// Finds the grids among the arrays of structs.
#[must_use]
pub fn find_cells(program: &Program, classes: &Classes, in_bounds: &BTreeSet<ClassId>) -> Cells {
    let mut uses = Uses {
        program,
        classes,
        starts: BTreeSet::new(),
        wanted: Wanted::new(),
        refused: BTreeMap::new(),
    };
    uses.classes();
    uses.calls();
    uses.expressions();
    let Uses { wanted, refused, .. } = uses;
    let wanted: Wanted =
        wanted.into_iter().filter(|(_, (class, _))| !refused.contains_key(class)).collect();
    let offsets = wanted
        .iter()
        .filter_map(|(access, (_, offset))| Some((Cells::offset(program, (*offset)?), *access)))
        .collect();
    let changes = changes(program);
    let typed = TypedArrays::default();
    let counts: BTreeMap<ClassId, usize> =
        wanted.values().fold(BTreeMap::new(), |mut counts, (class, _)| {
            *counts.entry(*class).or_default() += 1;
            counts
        });
    let places: Vec<(ExprId, ClassId)> =
        wanted.iter().map(|(access, (class, _))| (*access, *class)).collect();
    let mut grids = find(program, classes, &typed, in_bounds, &changes, wanted);
    for (class, count) in counts {
        for grid in [grids.grids.get(&class), grids.flat.get(&class)].into_iter().flatten() {
            // Text outside of all functions is read by none of the analyses.
            if grid.accesses.len() != count {
                let outside = places
                    .iter()
                    .find(|(access, of)| *of == class && !grid.accesses.contains_key(access));
                if let Some((access, _)) = outside {
                    let message = "this access stands outside of all functions".to_owned();
                    let site = program.expr_site(*access);
                    grids.refused.insert(class, pin(site, Code::GRID_FORM, message));
                }
            }
        }
        if grids.refused.contains_key(&class) {
            grids.grids.remove(&class);
        }
    }
    for (class, pin) in refused {
        grids.refused.insert(class, pin);
    }
    for class in grids.refused.keys() {
        grids.flat.remove(class);
    }
    for grid in grids.grids.values_mut().chain(grids.flat.values_mut()) {
        name_numbers(&mut grid.dimensions);
    }
    Cells { grids, offsets }
}

/// `field` names the members of a cell; a dimension whose extent is a number is no record here.
fn name_numbers(dimensions: &mut [super::Dimension]) {
    for at in 0..dimensions.len() {
        if dimensions[at].name.trim_end_matches('_') == "field" {
            let name = ["x", "y", "z", "w", "v"]
                .into_iter()
                .find(|name| dimensions.iter().all(|other| other.name != *name));
            dimensions[at].name = name.unwrap_or("u").to_owned();
        }
    }
}

/// The uses of pointers to cells.
struct Uses<'a> {
    program: &'a Program,
    classes: &'a Classes,
    /// Where copies and fills begin: their numbers stay those of the source.
    starts: BTreeSet<ExprId>,
    wanted: Wanted,
    refused: BTreeMap<ClassId, Pin>,
}

impl Uses<'_> {
    fn refuse(&mut self, class: ClassId, span: Span, message: &str) {
        self.refused.entry(class).or_insert_with(|| pin(span, Code::GRID_FORM, message.to_owned()));
    }

    /// Memory that is not the device's alone, or of which the type says the size.
    fn classes(&mut self) {
        for id in self.classes.ids() {
            let class = self.classes.class(id);
            let Some(record) = class.element.record() else { continue };
            let start =
                class.slots.first().map_or(
                    self.program.record(record).name_span,
                    |slot| match slot {
                        Slot::Variable(id) => self.program.variable(*id).site.name,
                        Slot::Field(id) => self.program.field(*id).site.name,
                        Slot::Result(id) => self.program.function(*id).sites[0].name,
                    },
                );
            if class.is_native {
                self.refuse(id, start, "cells of the host's arrays keep their order");
            } else if class.is_managed {
                self.refuse(id, start, "cells in managed memory keep their order");
            } else if class.is_of_buffers {
                self.refuse(id, start, "cells of OpenCL buffers keep their order");
            }
            for symbol in &class.symbols {
                let span = self.program.variable(*symbol).site.name;
                self.refuse(id, span, "cells of an array at file scope keep their order");
            }
            for slot in &class.slots {
                if let Slot::Variable(variable) = slot {
                    let ty = self.program.variable(*variable).ty;
                    let span = self.program.variable(*variable).site.name;
                    if let TypeKind::Array(of, _) = *self.program.types.kind(ty.id)
                        && self.program.types.as_record(of.id).is_some()
                        && !matches!(
                            self.program.variable(*variable).storage,
                            Storage::Parameter { .. }
                        )
                    {
                        self.refuse(id, span, "this array is none of the device's memory");
                    }
                }
            }
        }
    }

    /// Calls of the runtime: those that have a form, where they begin.
    fn calls(&mut self) {
        for call in &self.classes.api_calls {
            for (position, argument) in call.arguments.iter().enumerate() {
                if !call.is_device_argument(position) {
                    continue;
                }
                let argument = strip_casts(self.program, *argument);
                let Some((class, depth)) = self.classes.value(argument) else { continue };
                let span = self.program.expr_site(call.call);
                if !has_form(call) {
                    let message = format!("`{}` has no form for cells in another order", call.name);
                    self.refuse(class, span, &message);
                } else if depth == 1 && !self.is_start(argument) && self.range(argument).is_none() {
                    let message = "where this begins is no number of cells from a start";
                    self.refuse(class, span, message);
                }
                if depth == 1
                    && let Some(range) = self.range(argument)
                {
                    self.starts.insert(range);
                }
            }
        }
    }

    /// `p + e` and `&p[e]`, where `p` holds the start of an array: the sum or the subscript.
    fn range(&self, argument: ExprId) -> Option<ExprId> {
        let argument = self.program.strip_parens(argument);
        match self.program.expr(argument).kind {
            ExprKind::Binary(BinaryOp::Add, left, right) => {
                (self.is_start(left) || self.is_start(right)).then_some(argument)
            }
            ExprKind::AddressOf(element) => {
                let element = self.program.strip_parens(element);
                match self.program.expr(element).kind {
                    ExprKind::Index { base, .. } if self.is_start(base) => Some(element),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// All that is done with pointers to cells.
    fn expressions(&mut self) {
        let program = self.program;
        let sizes = self.below_sizeof();
        let value = |expr: ExprId| self.classes.value(expr);
        let mut found: Vec<(ExprId, ClassId, Option<ExprId>, ExprId)> = Vec::new();
        let mut refused: Vec<(ClassId, ExprId, &str)> = Vec::new();
        let class_of = |expr: ExprId| match value(expr) {
            Some((class, 1)) => Some(class),
            _ => None,
        };
        for id in program.expr_ids() {
            if sizes.contains(&id) || self.starts.contains(&id) {
                continue;
            }
            match program.expr(id).kind {
                ExprKind::Index { base, index, .. } => {
                    if let Some(class) = class_of(base) {
                        found.push((id, class, Some(index), base));
                    } else if let Some(class) = class_of(index) {
                        refused.push((class, id, "a number with an array as subscript"));
                    }
                }
                ExprKind::Binary(op, left, right) => {
                    let (Some(class), other) = (match (class_of(left), class_of(right)) {
                        (Some(class), other) => (Some(class), other),
                        (None, other) => (other, None),
                    }) else {
                        continue;
                    };
                    match op {
                        BinaryOp::Add if class_of(left).is_some() => {
                            found.push((id, class, Some(right), left));
                        }
                        BinaryOp::Add => found.push((id, class, Some(left), right)),
                        BinaryOp::Eq
                        | BinaryOp::Ne
                        | BinaryOp::LogicalAnd
                        | BinaryOp::LogicalOr => {}
                        BinaryOp::Sub if other.is_none() => {
                            if evaluate::constant(program, right) != Some(0) {
                                refused.push((class, id, MOVES));
                            }
                        }
                        _ => refused.push((
                            class,
                            id,
                            "this measures one cell's place against another's, which depends on their order",
                        )),
                    }
                }
                ExprKind::Assign(Some(_), left, _) => {
                    refused.extend(class_of(left).map(|class| (class, id, MOVES)));
                }
                ExprKind::Unary(op, operand) if op.is_update() => {
                    refused.extend(class_of(operand).map(|class| (class, id, MOVES)));
                }
                _ => {}
            }
        }
        for (access, wide) in &self.classes.wide_accesses {
            if let (Some(class), Some(offset)) = (class_of(wide.pointer), wide.offset) {
                found.push((*access, class, Some(offset), wide.pointer));
            }
        }
        for (class, at, message) in refused {
            self.refuse(class, program.expr_site(at), message);
        }
        for (access, class, offset, pointer) in found {
            let is_nothing =
                offset.is_some_and(|offset| evaluate::constant(program, offset) == Some(0));
            if is_nothing {
                continue;
            }
            if self.is_start(pointer) {
                if self.wanted.insert(access, (class, offset)).is_some() {
                    let span = program.expr_site(access);
                    self.refuse(class, span, "two numbers of cells in one access");
                }
            } else {
                let message = "this counts cells from one that may not be the first, and its neighbours depend on their order";
                self.refuse(class, program.expr_site(access), message);
            }
        }
    }

    /// Everything below `sizeof`, which is not evaluated.
    fn below_sizeof(&self) -> BTreeSet<ExprId> {
        let mut found = BTreeSet::new();
        for id in self.program.expr_ids() {
            if let ExprKind::SizeOfExpr(operand) = self.program.expr(id).kind {
                let mut stack = vec![operand];
                while let Some(at) = stack.pop() {
                    found.insert(at);
                    stack.extend(self.program.expr(at).children());
                }
            }
        }
        found
    }

    /// Whether a pointer is certainly the start of an array.
    fn is_start(&self, expr: ExprId) -> bool {
        let is_cell_pointer = |expr| self.classes.value(expr).is_some_and(|(_, depth)| depth == 1);
        if !is_cell_pointer(expr) {
            return false;
        }
        match self.program.expr(expr).kind {
            ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. } => self.is_start(inner),
            ExprKind::Name(NameRef::Variable(id)) => !self.classes.is_interior(Slot::Variable(id)),
            // Members and results never point behind the first element.
            ExprKind::Member { .. } | ExprKind::Call { .. } => true,
            ExprKind::Index { base, .. } | ExprKind::Deref(base) => self.holds_starts(base),
            ExprKind::Conditional(_, then, otherwise) => {
                self.is_start(then) && self.is_start(otherwise)
            }
            ExprKind::Assign(None, left, right) => self.is_start(left) && self.is_start(right),
            _ => false,
        }
    }

    /// Whether what pointers are kept in holds starts only.
    fn holds_starts(&self, expr: ExprId) -> bool {
        match self.program.expr(expr).kind {
            ExprKind::Paren(inner)
            | ExprKind::Cast { operand: inner, .. }
            | ExprKind::Index { base: inner, .. }
            | ExprKind::AddressOf(inner)
            | ExprKind::Deref(inner) => self.holds_starts(inner),
            ExprKind::Name(NameRef::Variable(id)) => !self.classes.is_interior(Slot::Variable(id)),
            ExprKind::Member { .. } | ExprKind::Call { .. } => true,
            _ => false,
        }
    }
}

const MOVES: &str = "this moves a pointer from cell to cell, which depends on their order";

/// Whether a call of the runtime has a form for cells in another order.
fn has_form(call: &ApiCall) -> bool {
    match call.api {
        Api::Malloc | Api::MallocFromPool | Api::Free | Api::Memset => true,
        Api::Memcpy => matches!(
            call.direction,
            Direction::HostToDevice | Direction::DeviceToHost | Direction::DeviceToDevice
        ),
        Api::MallocManaged
        | Api::Prefetch
        | Api::Advise
        | Api::Attach
        | Api::Memcpy2D
        | Api::MemcpyPeer
        | Api::ToSymbol
        | Api::FromSymbol
        | Api::PointerToSymbol
        | Api::PointerFromSymbol
        | Api::SymbolAddress
        | Api::MallocHost
        | Api::HostAlloc
        | Api::FreeHost
        | Api::LibraryFree
        | Api::LibraryMemset
        | Api::LibraryMemcpy => false,
    }
}

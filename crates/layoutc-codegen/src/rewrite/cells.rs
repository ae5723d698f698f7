//! The numbers of cells in another order, written where the source's numbers stand.
//!
//! *Invariant:* of a class whose cells change places, everything that is added to the start of an array
//! is written as the number of the same cell in the new order ([`Rewriter::cell_number`]), but for the
//! starts of copies and fills, which count as the source does. What is missed keeps the order
//! ([`Rewriter::check_cells`]).

use super::{CellFacts, Plans, Refused, Rewriter};
use crate::coordinates::{Coordinates, Lambdas};
use crate::grids::assumptions::checked;
use crate::grids::pragmas::without_changed;
use layoutc_analysis::cell_plan::CellPlan;
use layoutc_dataflow::classes::{ApiCall, ClassId, Pin};
use layoutc_dataflow::grid::index::{Index, Indices};
use layoutc_dataflow::grid::{Cells, GridAccess};
use layoutc_diagnostics::{Code, Span};
use layoutc_syntax::{ExpansionId, ExprId, ExprKind, FunctionId};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What is known of the cells that change places.
#[derive(Default)]
pub(super) struct CellState<'a> {
    plans: BTreeMap<ClassId, &'a CellPlan>,
    /// By what is added to the start of an array: the access and its class.
    offsets: BTreeMap<ExprId, (ExprId, ClassId)>,
    /// The function of each call of the runtime.
    functions: BTreeMap<ExprId, FunctionId>,
    /// Those that have been written.
    written: BTreeSet<ExprId>,
    /// Those that are being written.
    open: Vec<ExprId>,
    /// Expressions of the accesses, and of their parts.
    indices: Option<&'a Indices>,
    lambdas: Rc<Lambdas>,
    more: RefCell<Indices>,
    /// Whether coordinates that are assumed to stay inside are checked when the program runs.
    checks_bounds: bool,
    /// Why cells must keep their order.
    pub(super) refusals: Vec<Refused>,
}

impl CellFacts<'_> {
    /// What the accesses of a grid add to the start of an array.
    pub(super) fn offsets_of(&self, plan: &CellPlan) -> impl Iterator<Item = ExprId> {
        let offsets = self.cells.offsets.iter();
        offsets
            .filter(|(_, access)| plan.grid.accesses.contains_key(access))
            .map(|(offset, _)| *offset)
    }
}

impl<'a> Rewriter<'a> {
    /// Takes note of the cells that change places.
    pub(super) fn number_cells(&mut self, plans: &Plans<'a>, facts: CellFacts<'a>) {
        let CellFacts { cells, checks_bounds } = facts;
        for (class, at) in &self.storage_of {
            if self.storages[*at].1.cells.is_some()
                && let Some((_, Some(plan))) = plans.get(class)
            {
                self.cells.plans.insert(*class, plan);
            }
        }
        if self.cells.plans.is_empty() {
            return;
        }
        self.cells.lambdas = Rc::new(Lambdas::new(self.program));
        for (offset, access) in &cells.offsets {
            let found =
                self.cells.plans.iter().find(|(_, plan)| plan.grid.accesses.contains_key(access));
            if let Some((class, _)) = found {
                self.cells.offsets.insert(*offset, (*access, *class));
            }
        }
        let calls: BTreeSet<ExprId> = self.classes.api_calls.iter().map(|call| call.call).collect();
        for function in self.program.function_ids() {
            let parts = self.program.function_parts(function).exprs;
            let own = parts.into_iter().filter(|expr| calls.contains(expr));
            self.cells.functions.extend(own.map(|call| (call, function)));
        }
        self.cells.indices = Some(&cells.grids.indices);
        self.cells.checks_bounds = checks_bounds;
        self.cells.more = RefCell::new(cells.grids.indices.clone());
    }

    /// Everything that must be another number is one.
    pub(super) fn check_cells(&mut self) {
        let missed: Vec<(ClassId, ExprId)> = self
            .cells
            .offsets
            .iter()
            .filter(|(offset, _)| !self.cells.written.contains(offset))
            .map(|(_, (access, class))| (*class, *access))
            .collect();
        for (class, access) in missed {
            self.refuse_cells(
                class,
                self.program.expr_site(access),
                "this has no form for cells in another order",
            );
        }
    }

    /// Takes the grids that change out of the pragmas, which speak of the order of the source.
    pub(super) fn cell_pragmas(&mut self) {
        let orders: BTreeMap<ClassId, String> =
            self.cells.plans.iter().map(|(class, plan)| (*class, plan.notation.clone())).collect();
        self.edits.extend(without_changed(self.program, self.classes, &orders));
    }

    fn refuse_cells(&mut self, class: ClassId, span: Span, message: &str) {
        self.cells.refusals.push((class, pin(span, message)));
    }

    /// The type of what is added to the start of an array, if it is the number of a cell.
    pub(super) fn cell_type(&self, offset: ExprId) -> Option<&'static str> {
        let (_, class) = self.cells.offsets.get(&Cells::offset(self.program, offset))?;
        Some(self.storage(*class)?.cells.as_ref()?.index)
    }

    /// The text of an expression that is the number of a cell.
    pub(super) fn cell_number(&mut self, offset: ExprId) -> Option<String> {
        let (access, class) = *self.cells.offsets.get(&offset)?;
        if self.cells.open.contains(&offset) {
            return None;
        }
        self.cells.open.push(offset);
        let text = self.new_number(offset, access, class);
        self.cells.open.pop();
        self.cells.written.insert(offset);
        match text {
            Ok(text) => text,
            Err(message) => {
                self.refuse_cells(class, self.program.expr_site(access), &message);
                None
            }
        }
    }

    /// The number of a cell; nothing where a macro around it must be replaced first.
    fn new_number(
        &mut self,
        offset: ExprId,
        access: ExprId,
        class: ClassId,
    ) -> Result<Option<String>, String> {
        let program = self.program;
        self.check_text(access)?;
        let plan = self.cells.plans[&class];
        let indices = self.cells.indices.ok_or("no indices")?;
        let function = plan.grid.functions[&access];
        let storage = self.storage(class).ok_or("no storage")?;
        let cells = storage.cells.as_ref().ok_or("no numbers")?;
        let home = self.effective(program.home(offset));
        let extents = self.extents(plan, Some(function), program.expr_site(offset))?;
        if let Some(id) = home.filter(|id| self.is_parameter(*id, &extents)) {
            self.want(id);
            return Ok(None);
        }
        let mut arguments = Vec::new();
        let name = match &plan.grid.accesses[&access] {
            GridAccess::Coordinates(vector) => {
                let lambdas = Rc::clone(&self.cells.lambdas);
                let coordinates = Coordinates { program, indices, lambdas: &lambdas };
                coordinates.check(offset, vector)?;
                let parts = self.parts(offset);
                for (at, coordinate) in vector.iter().enumerate() {
                    // As it stands in the source, if it does.
                    let part = parts.iter().find(|(_, value)| value == coordinate);
                    let text = match (part, home) {
                        (Some((part, _)), _) => self.render(*part),
                        (None, None) => coordinates
                            .written(coordinate, function, &mut |expr| Ok(self.render(expr)))?,
                        // The names of one use mean something else in a body.
                        (None, Some(id)) => match coordinate.as_constant() {
                            Some(constant) => constant.to_string(),
                            None => {
                                self.want(id);
                                return Ok(None);
                            }
                        },
                    };
                    arguments.push(match self.cells.checks_bounds {
                        true => checked(program, &plan.grid, access, at, text, &extents),
                        false => text,
                    });
                }
                &cells.place
            }
            GridAccess::Linear { .. } => {
                arguments.push(self.render(offset));
                &cells.number
            }
        };
        arguments.extend(extents);
        Ok(Some(format!("{}{name}({})", storage.qualifier, arguments.join(", "))))
    }

    /// Whether the text of some values is that of a parameter of a macro.
    fn is_parameter(&self, id: ExpansionId, texts: &[String]) -> bool {
        let parameters = &self.program.expansion(id).parameters;
        texts.iter().any(|text| {
            layoutc_syntax::preprocess::tokens(text)
                .iter()
                .any(|token| parameters.iter().any(|name| name == token.text(text)))
        })
    }

    /// The values in an index that are computed where it stands, the largest first.
    fn parts(&self, offset: ExprId) -> Vec<(ExprId, Index)> {
        let program = self.program;
        let home = self.effective(program.home(offset));
        let mut indices = self.cells.more.borrow_mut();
        let mut found = Vec::new();
        let mut next = vec![offset];
        while let Some(expr) = next.pop() {
            let inner = self.strip_parens(expr);
            let is_macro = self.is_other_text(inner);
            // What a macro is made of has no text here.
            let is_here = self.effective(program.home(inner)) == home && inner != offset;
            let kind = &program.expr(inner).kind;
            if is_here
                && (is_macro
                    || matches!(
                        kind,
                        ExprKind::Binary(..)
                            | ExprKind::Name(_)
                            | ExprKind::Integer(_)
                            | ExprKind::Member { .. }
                            | ExprKind::Cast { .. }
                            | ExprKind::Unary(..)
                    ))
                && let Some(value) = indices.index(program, inner)
            {
                found.push((inner, value));
            }
            if !is_macro && let ExprKind::Binary(..) | ExprKind::Cast { .. } = kind {
                next.extend(program.expr(inner).children().rev());
            }
        }
        found
    }

    /// Whether the text of an index is its own.
    fn check_text(&self, access: ExprId) -> Result<(), String> {
        let program = self.program;
        // A macro that pastes tokens may be read as less than it is.
        if let ExprKind::Index { index, brackets, .. } = program.expr(access).kind {
            let own = program.expr(index).span;
            let is_whole =
                [Span { end: own.start, ..brackets }, Span { start: own.end, ..brackets }]
                    .map(|gap| layoutc_syntax::preprocess::tokens(program.text(gap)).len() == 1);
            if brackets.file == own.file && brackets.contains(own) && is_whole != [true, true] {
                return Err("the index is only a part of what stands in the brackets".to_owned());
            }
        }
        Ok(())
    }

    /// The extents that are no constants, as a function writes them.
    fn extents(
        &mut self,
        plan: &CellPlan,
        function: Option<FunctionId>,
        at: Span,
    ) -> Result<Vec<String>, String> {
        let known = function.and_then(|function| plan.grid.extents.get(&function));
        let (Some(function), Some(known)) = (function, known) else {
            return if plan.grid.has_constant_extents() {
                Ok(Vec::new())
            } else {
                Err("this function does not know the extents of the grid".to_owned())
            };
        };
        let indices = self.cells.indices.ok_or("no indices")?;
        let lambdas = Rc::clone(&self.cells.lambdas);
        let coordinates = Coordinates { program: self.program, indices, lambdas: &lambdas };
        let named = known
            .iter()
            .zip(&plan.grid.dimensions[1..])
            .filter(|(_, dimension)| dimension.extent.is_none());
        named
            .map(|(extent, _)| {
                if !coordinates.are_visible(extent, at) {
                    return Err("an extent of the grid has no name here yet".to_owned());
                }
                coordinates.written(extent, function, &mut |expr| Ok(self.render(expr)))
            })
            .collect()
    }

    /// What a call of the runtime says besides the byte count: `, nx`.
    pub(super) fn cell_extents(&mut self, call: &ApiCall) -> String {
        let class = call.arguments.iter().find_map(|argument| {
            let (class, _) = self.classes.value(self.strip_casts(*argument))?;
            self.cells.plans.contains_key(&class).then_some(class)
        });
        let Some(class) = class else { return String::new() };
        let span = self.program.expr(call.call).span;
        let plan = self.cells.plans[&class];
        let function = self.cells.functions.get(&call.call).copied();
        match self.extents(plan, function, span) {
            Ok(extents)
                if let Some(id) = self.effective(self.program.home(call.call))
                    && self.is_parameter(id, &extents) =>
            {
                self.want(id);
                String::new()
            }
            Ok(extents) => extents.iter().map(|extent| format!(", {extent}")).collect(),
            Err(message) => {
                self.refuse_cells(class, span, &message);
                String::new()
            }
        }
    }
}

/// A pin without a flow.
fn pin(span: Span, message: &str) -> Pin {
    Pin { span, code: Code::GRID_FORM, message: message.to_owned(), related: Vec::new() }
}

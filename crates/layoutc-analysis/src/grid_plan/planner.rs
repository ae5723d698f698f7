//! What each class gets.

use super::{
    Apart, Families, GridPlan, GridPlans, GridProgram, GridRequest, is_mistake, pin, slot_span,
};
use crate::choose::means;
use crate::grid_choice::{GridChoice, GridOptions};
use crate::grid_model::GridModel;
use crate::index_form::Definitions;
use crate::plan::{ArrayPlan, Decision, LayoutPlan, Origin};
use layoutc_dataflow::classes::{ClassId, Classes, slot_names};
use layoutc_dataflow::grid::index::Indices;
use layoutc_dataflow::grid::{Grid, Grids};
use layoutc_dataflow::layout::notation::{EVERY_ARRAY, LayoutSpec, Order, SpecBody};
use layoutc_dataflow::layout::{Digit, DimensionId, Layout, RecordShape};
use layoutc_diagnostics::{Code, Diagnostic};
use layoutc_syntax::{Program, Scalar};
use std::collections::{BTreeMap, BTreeSet};

/// What becomes of all classes.
pub(super) fn plan(found: &GridProgram, request: GridRequest, apart: &Apart) -> GridPlans {
    let GridProgram { program, classes, grids, .. } = found;
    let definitions = Definitions::collect(program);
    let mut planner = Planner {
        program,
        classes,
        grids,
        requests: request.layouts,
        is_automatic: request.is_automatic,
        met: BTreeSet::new(),
        errors: Vec::new(),
        model: GridModel::new(program, &definitions).with_groups(&classes.buffers.blocks),
        indices: grids.indices.clone(),
        options: request.options,
        families: apart.families(program, classes),
        contradicted: BTreeMap::new(),
        choices: BTreeMap::new(),
    };
    let arrays = classes.ids().filter_map(|class| planner.array(class)).collect();
    let Planner { met, errors, families, contradicted, choices, .. } = planner;
    GridPlans { plan: LayoutPlan { arrays, errors }, choices, met, contradicted, families }
}

/// Decides what each class gets.
pub(super) struct Planner<'a> {
    pub(super) program: &'a Program,
    pub(super) classes: &'a Classes,
    pub(super) grids: &'a Grids,
    requests: &'a [LayoutSpec],
    /// Arrays that no request names get what serves them best.
    is_automatic: bool,
    met: BTreeSet<usize>,
    errors: Vec<Diagnostic>,
    pub(super) model: GridModel<'a>,
    pub(super) indices: Indices,
    pub(super) options: &'a GridOptions,
    /// Classes that are one where functions have no copies.
    families: Families,
    /// By class: the requests for it, if they want several layouts.
    contradicted: BTreeMap<ClassId, BTreeSet<usize>>,
    /// By class that nobody asks for: what serves its accesses best.
    pub(super) choices: BTreeMap<ClassId, GridChoice>,
}

impl<'a> Planner<'a> {
    /// What becomes of a class; nothing is said of arrays that nobody asks for and that gain
    /// nothing.
    fn array(&mut self, id: ClassId) -> Option<ArrayPlan> {
        let class = self.classes.class(id);
        let scalar = class.element.scalar()?;
        let requests = self.requests_for(id);
        self.met.extend(requests.iter().map(|(at, _)| *at));
        if requests.iter().any(|(_, request)| request.body != requests[0].1.body) {
            self.contradicted.insert(id, requests.iter().map(|(at, _)| *at).collect());
        }
        // The last one counts, as for arrays of structs.
        if let Some((at, request)) = requests.last().copied() {
            let decision = self.asked(id, scalar, request);
            return Some(ArrayPlan::new(id, decision, Origin::Request(at)));
        }
        // What a pragma says and does not hold is an error, whether a layout is asked for or not.
        if let Some(mistake) = self.grids.refused.get(&id).filter(|pin| is_mistake(pin)) {
            let decision = Decision::Keep(vec![mistake.clone()]);
            return Some(ArrayPlan::new(id, decision, Origin::Pragma));
        }
        match self.followed(id) {
            Some(request) => {
                let decision = self.following(id, scalar, request)?;
                Some(ArrayPlan::new(id, decision, Origin::Sibling))
            }
            None if self.is_automatic => self.automatic(id, scalar),
            None => None,
        }
    }

    /// What a request makes of a class.
    fn asked(&mut self, id: ClassId, scalar: Scalar, request: &LayoutSpec) -> Decision {
        let class = self.classes.class(id);
        if !class.pins.is_empty() {
            return Decision::Keep(class.pins.clone());
        }
        // The request may speak of dimensions that are not shown.
        let Some(grid) = self.grid_for(id, request) else {
            let pin = self.grids.refused.get(&id).cloned().unwrap_or_else(|| {
                pin(
                    slot_span(self.program, class.slots.first().copied()),
                    "no index of this array is shown to have more than one coordinate",
                )
            });
            return Decision::Keep(vec![pin]);
        };
        match digits(request, grid) {
            Ok(digits) => {
                let plan = GridPlan { grid: grid.clone(), digits, scalar };
                plan.decision("asked for")
            }
            Err(error) => {
                self.errors.push(error);
                Decision::Keep(Vec::new())
            }
        }
    }

    /// The requests that name an array of the class and count, by position; `*` speaks of arrays of structs.
    fn requests_for(&self, id: ClassId) -> Vec<(usize, &'a LayoutSpec)> {
        let names: BTreeSet<String> = self
            .classes
            .class(id)
            .slots
            .iter()
            .flat_map(|slot| slot_names(self.program, *slot))
            .collect();
        let mut found: Vec<(usize, &LayoutSpec)> = self
            .requests
            .iter()
            .enumerate()
            .filter(|(_, request)| match request.place() {
                Some(_) => means(self.program, self.classes, id, request).is_some(),
                None => request.target != EVERY_ARRAY && names.contains(&request.target),
            })
            .collect();
        let most = found.iter().map(|(_, request)| request.authority.rank()).max();
        found.retain(|(_, request)| Some(request.authority.rank()) == most);
        found
    }

    /// The grid that a request for a class means.
    fn grid_for(&self, id: ClassId, request: &LayoutSpec) -> Option<&'a Grid> {
        match (self.grids.grids.get(&id), self.grids.flat.get(&id)) {
            (Some(grid), flat) => {
                // A tile speaks of the numbers of a record where there are any.
                let is_short = !matches!(form(request), Some(Order::Digits(_)));
                Some(flat.filter(|_| is_short || !self.names_fit(request, grid)).unwrap_or(grid))
            }
            (None, Some(flat))
                if self.names_fit(request, flat) || !self.grids.refused.contains_key(&id) =>
            {
                Some(flat)
            }
            (None, _) => None,
        }
    }

    /// Whether all names of a request are dimensions of the grid.
    fn names_fit(&self, request: &LayoutSpec, grid: &Grid) -> bool {
        match form(request) {
            Some(Order::Digits(digits)) => digits.iter().all(|digit| {
                grid.dimensions.iter().any(|dimension| dimension.name == digit.name.value)
            }),
            _ => true,
        }
    }

    /// The request for another array of the family, where there is none for this one.
    fn followed(&self, class: ClassId) -> Option<&'a LayoutSpec> {
        self.families
            .siblings(class)
            .into_iter()
            .find_map(|sibling| self.requests_for(sibling).pop())
            .map(|(_, request)| request)
    }

    /// What becomes of an array that follows another; nothing where it has no plan of its own.
    fn following(&self, class: ClassId, scalar: Scalar, request: &LayoutSpec) -> Option<Decision> {
        if !self.classes.class(class).pins.is_empty() {
            return None;
        }
        let grid = self.grid_for(class, request)?;
        if !self.names_fit(request, grid) {
            return None;
        }
        let plan = GridPlan { grid: grid.clone(), digits: digits(request, grid).ok()?, scalar };
        let because = format!("as `{}`, with which it shares functions", request.target);
        Some(plan.decision(&because))
    }
}

/// The order that a request gives to all members.
fn form(request: &LayoutSpec) -> Option<&Order> {
    match &request.body {
        SpecBody::Uniform(form) => Some(&form.order.value),
        SpecBody::Soa(_) | SpecBody::Groups(_) => None,
    }
}

/// The digits that a request asks for.
fn digits(request: &LayoutSpec, grid: &Grid) -> Result<Vec<Digit>, Diagnostic> {
    let names: Vec<&str> =
        grid.dimensions.iter().map(|dimension| dimension.name.as_str()).collect();
    let digits = match form(request) {
        Some(Order::Tiled(tile)) => tiled(grid, *tile),
        Some(Order::Digits(_)) => {
            let shape = RecordShape::flat("grid", [("value", "float", 4, 4, &[][..])]);
            let layout: Layout = request
                .resolve_grid(&shape, &names, "")
                .map_err(|error| request.diagnostic(&error))?;
            layout.groups()[0].digits().to_vec()
        }
        Some(Order::Default | Order::Aos) | None => {
            let message = format!("`{request}` is no layout of a grid");
            let error = Diagnostic::error(Code::UNKNOWN_LAYOUT, message);
            return Err(request.located(error).help(format!(
                "list the digits, slowest first, for example `{} = [{}]`, or say `tiled(32)`",
                request.target,
                names.join(", ")
            )));
        }
    };
    // The extent of the slowest dimension is what the allocation leaves.
    let is_first = matches!(
        digits.first(),
        Some(Digit::Slice { dimension: DimensionId(0), modulus: None, .. })
    );
    if !is_first {
        let message = format!("`{request}` needs the extent of `{}`, which is not known", names[0]);
        let error = Diagnostic::error(Code::UNKNOWN_LAYOUT, message);
        return Err(request
            .located(error)
            .help(format!("begin with `{0}` or a slice of it, such as `{0}/32`", names[0])));
    }
    Ok(digits)
}

/// The dimension before the numbers of a record cut into tiles, whose slots are the fastest digit.
fn tiled(grid: &Grid, tile: u64) -> Vec<Digit> {
    let last = grid.dimensions.len() - 1;
    let is_record = grid.dimensions[last].extent.is_some();
    let cut = if is_record { last - 1 } else { last };
    let slice = |dimension: usize, divisor: u64, modulus: Option<u64>| Digit::Slice {
        dimension: DimensionId(dimension as u32),
        divisor,
        modulus,
    };
    let mut digits: Vec<Digit> = (0..cut).map(|at| slice(at, 1, None)).collect();
    digits.push(slice(cut, tile, None));
    digits.extend((cut + 1..=last).map(|at| slice(at, 1, None)));
    digits.push(slice(cut, 1, Some(tile)));
    digits
}

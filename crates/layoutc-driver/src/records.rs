//! Arrays of structs: plan, rewrite, refuse, until every plan has a form.

use crate::assumptions;
use crate::outcome::{ClassOutcome, Status, stays};
use crate::refusals::{in_foreign_files, outside_cuda, overlapping, placeholders};
use crate::request::Request;
use crate::versions::find_versions;
use layoutc_analysis::cell_plan::{CellPlans, any_orders_cells, may_gain};
use layoutc_analysis::choose::targets;
use layoutc_analysis::cost_model::CostModel;
use layoutc_analysis::cost_model::Recording;
use layoutc_analysis::{Plan, Selector, choose_with_cells};
use layoutc_codegen::edit::by_file;
use layoutc_codegen::{EditSet, Rewritten, rewrite};
use layoutc_dataflow::classes::{ClassId, Classes, Pin, array_names};
use layoutc_dataflow::grid::find_cells;
use layoutc_dataflow::pointer_flow::check_layout_types;
use layoutc_diagnostics::{Diagnostic, FileId, Span};
use layoutc_syntax::Program;
use std::collections::{BTreeMap, BTreeSet};

/// A program with its classes, a layout for each that changes, and the edits that change them.
pub(crate) struct Planned {
    pub(crate) program: Program,
    pub(crate) classes: Classes,
    pub(crate) plan: Plan,
    pub(crate) cost_model: CostModel,
    /// Orders of the cells of grids.
    pub(crate) cells: CellPlans,
    pub(crate) rewritten: Rewritten,
    pub(crate) edits: BTreeMap<FileId, EditSet>,
}

/// What is known of a program without native copies, if something asked for it before.
#[derive(Default)]
pub(crate) struct Known {
    pub(crate) classes: Option<Classes>,
    pub(crate) cost_model: Option<CostModel>,
}

impl Planned {
    /// Plans and rewrites, where the host's side of some copies has the layout of the device's.
    pub(crate) fn new(
        mut program: Program,
        request: &Request,
        native_copies: &BTreeSet<Span>,
        known: Known,
    ) -> Planned {
        let is_known = known.classes.is_some();
        let (all, has_versions) = find_versions(&mut program, native_copies, known.classes);
        let is_same = is_known && native_copies.is_empty() && !has_versions;
        let cost_model = known.cost_model.filter(|_| is_same);
        let mut cost_model =
            cost_model.unwrap_or_else(|| CostModel::build(&program, &all, request.launch()));
        let mut classes = all.of_records();
        drop(all);
        let profile = request.profile.as_deref();
        let recording = profile.map(|profile| Recording::new(profile, &program.sources));
        let recording = recording.as_ref();
        let (device, pricing) = (&request.grids.device, request.pricing);
        let verdicts = match request.layouts.as_slice() {
            [] => request.selector.verdicts(&classes, &cost_model, device, pricing, recording),
            _ => BTreeMap::new(),
        };
        if let (Selector::Auto, Some(recording)) = (request.selector, recording) {
            cost_model.measure(recording);
        }
        let mut cells = CellPlans::default();
        let is_automatic = request.layouts.is_empty() && request.selector.is_by_cost();
        if any_orders_cells(&request.layouts) || (is_automatic && may_gain(&classes, &cost_model)) {
            let in_bounds = request.assume.classes(&program, &classes);
            let found = find_cells(&program, &classes, &in_bounds);
            cells = CellPlans::new(found, request.checks_bounds);
            if is_automatic {
                cells.choose(&program, &classes, &request.grids);
            }
        }
        // Rewriting needs the room.
        let cost_model = if request.follows_numbers { cost_model } else { CostModel::default() };
        // What cannot be rewritten pins its class, and the rest is planned again.
        loop {
            let layouts = &request.layouts;
            let plan = choose_with_cells(
                &program,
                &classes,
                &verdicts,
                layouts,
                &mut |class, request, shape| {
                    cells.layout(&program, &classes, class, request, shape)
                },
            );
            let layouts = plan
                .choices
                .iter()
                .map(|(class, choice)| (*class, choice.layout.clone()))
                .collect();
            let disagreements = check_layout_types(&program, &classes, &layouts);
            if !disagreements.is_empty() {
                pin_all(&mut classes, disagreements);
                continue;
            }
            let rewritten = rewrite(&program, &classes, &plan, &cells);
            if !rewritten.cell_refusals.is_empty() {
                for (class, pin) in rewritten.cell_refusals {
                    cells.refuse(class, pin);
                }
                continue;
            }
            let mut refusals = rewritten.refusals.clone();
            let edits = match by_file(rewritten.edits.iter().cloned()) {
                Ok(edits) => edits,
                Err(overlap) => {
                    refusals.extend(overlapping(&program, &plan, overlap));
                    BTreeMap::new()
                }
            };
            refusals.extend(outside_cuda(&program, &plan, &edits));
            refusals.extend(placeholders(&program, &plan, &edits));
            refusals.extend(in_foreign_files(&program, &plan, &edits));
            if refusals.is_empty() {
                return Planned { program, classes, plan, cost_model, cells, rewritten, edits };
            }
            pin_all(&mut classes, refusals);
        }
    }
}

fn pin_all(classes: &mut Classes, found: Vec<(ClassId, Pin)>) {
    for (class, pin) in found {
        let pins = &mut classes.classes[class.index()].pins;
        pins.push(pin);
        pins.sort();
        pins.dedup();
    }
}

/// A class as the result of a run lists it.
pub(crate) fn outcome(
    program: &Program,
    classes: &Classes,
    plan: &Plan,
    cells: &CellPlans,
    id: ClassId,
) -> ClassOutcome {
    let class = classes.class(id);
    let names = array_names(program, classes, id);
    let mut reasons = class.pins.clone();
    // What an earlier run generated for this type explains the others, such as a specialisation that
    // is not modelled. Otherwise reasons in the text that people wrote come first.
    let name = class.element.qualified_name(program);
    reasons.sort_by_key(|pin| match program.generated_at(pin.span) {
        Some(region) if region.target == name => 0,
        None => 1,
        Some(_) => 2,
    });
    reasons.extend(plan.kept.get(&id).cloned());
    let choice = plan.choices.get(&id);
    let order = cells.plans.get(&id).filter(|_| choice.is_some_and(|choice| choice.orders_cells));
    let allocations =
        class.allocations.iter().map(|allocation| program.expr(allocation.call).span).collect();
    ClassOutcome {
        type_name: class.element.spelled_name(program).into_owned(),
        names,
        status: if choice.is_some() { Status::Changed } else { Status::Kept },
        layout: choice.map_or_else(
            || "aos".to_owned(),
            |choice| match order {
                Some(order) => order.notation.clone(),
                None => choice.layout.display(&choice.shape.shape).to_string(),
            },
        ),
        because: choice.map_or_else(String::new, |choice| choice.because.clone()),
        reasons,
        allocations,
        // Where a cell lies depends on the extents.
        geometry: choice
            .filter(|_| order.is_none())
            .map(|choice| (choice.shape.shape.clone(), choice.layout.clone())),
        assumed: order.map_or_else(Vec::new, |order| assumptions::places(program, &order.grid)),
        is_automatic: false,
        is_generated: plan.generated.contains(&id),
    }
}

/// The message that a class stays, and why.
pub(crate) fn kept_diagnostic(
    program: &Program,
    classes: &Classes,
    id: ClassId,
    outcome: &ClassOutcome,
    request: &Request,
) -> Option<Diagnostic> {
    let required = request.require.iter().any(|name| targets(program, classes, id, name).is_some());
    stays(outcome, required)
}

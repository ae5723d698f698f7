//! Arrays of structs: plan, rewrite, refuse, until every plan has a form.

use crate::outcome::{ClassOutcome, stays};
use crate::refusals::{
    FixedFiles, in_fixed_files, in_foreign_files, outside_cuda, overlapping, placeholders,
};
use crate::request::Request;
use crate::settle::settle;
use crate::versions::find_versions;
use layoutc_analysis::cell_plan::{CellPlanner, any_orders_cells, may_gain};
use layoutc_analysis::choose::targets;
use layoutc_analysis::cost_choice::Verdict;
use layoutc_analysis::cost_model::CostModel;
use layoutc_analysis::cost_model::{ModelOptions, Recording};
use layoutc_analysis::keep::keep_named;
use layoutc_analysis::{LayoutPlan, Refusal, Selector, choose_layouts};
use layoutc_codegen::edit::by_file;
use layoutc_codegen::{CellFacts, EditSet, Rewritten, Style, rewrite};
use layoutc_dataflow::classes::{ArrayClass, ClassId, Classes, Slot, with_member_rows};
use layoutc_dataflow::grid::find_cells;
use layoutc_dataflow::pointer_flow::check_layout_types;
use layoutc_diagnostics::{Diagnostic, FileId, Span};
use layoutc_syntax::Program;
use std::collections::{BTreeMap, BTreeSet};

/// A program with its classes, a layout for each that changes, and the edits that change them.
pub(crate) struct Planned {
    pub(crate) program: Program,
    pub(crate) classes: Classes,
    pub(crate) plan: LayoutPlan,
    pub(crate) cost_model: CostModel,
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
    ///
    /// Pointers to member arrays lead to the elements around them, if no array stays for that.
    pub(crate) fn new(
        program: Program,
        request: &Request,
        native_copies: &BTreeSet<Span>,
        known: Known,
    ) -> Planned {
        let Some(with_rows) = with_member_rows(&program) else {
            return Planned::of(program, request, native_copies, known);
        };
        let attempt = Planned::of(with_rows, request, native_copies, Known::default());
        if attempt.changes_rows() {
            return attempt;
        }
        let plain = Planned::of(program, request, native_copies, known);
        if plain.keeps_all_in(&attempt) { attempt } else { plain }
    }

    /// Whether every array to whose members pointers lead as to its elements changes.
    fn changes_rows(&self) -> bool {
        self.program.rows.variables.keys().all(|id| {
            let class = self.classes.class_of_slot(Slot::Variable(*id));
            class.is_none_or(|class| self.plan.changing(class).is_some())
        })
    }

    /// Whether every array that changes does so in another plan, too.
    pub(crate) fn keeps_all_in(&self, other: &Planned) -> bool {
        self.changed().is_subset(&other.changed())
    }

    /// Where the memory of what changes is asked for.
    fn changed(&self) -> BTreeSet<Span> {
        let classes = self.plan.changes().flat_map(|(classes, _)| classes);
        let classes: Vec<&ArrayClass> = classes.map(|class| self.classes.class(*class)).collect();
        let allocations = classes.iter().flat_map(|class| &class.allocations);
        let symbols = classes.iter().flat_map(|class| &class.symbols);
        allocations
            .map(|allocation| self.program.expr(allocation.call).span)
            .chain(symbols.map(|symbol| self.program.variable(*symbol).site.name))
            .collect()
    }

    fn of(
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
        // A model that follows arrays of numbers may price otherwise: all commands decide as `transform` does.
        let is_other = request.chooses_others && request.follows_numbers && !is_same;
        let launch = ModelOptions { follows_numbers: false, ..request.launch() };
        let other_model = is_other.then(|| CostModel::build(&program, &all, launch));
        let mut classes = all.of_records();
        drop(all);
        let profile = request.profile.as_deref();
        let recording = profile.map(|profile| Recording::new(profile, &program.sources));
        let recording = recording.as_ref();
        let (device, pricing) = (&request.grids.device, request.pricing);
        let verdicts = match request.chooses_others {
            true => {
                let model = other_model.as_ref().unwrap_or(&cost_model);
                let mut verdicts =
                    request.selector.verdicts(&classes, model, device, pricing, recording);
                if !program.generated.is_empty() {
                    verdicts.values_mut().for_each(left_by_an_earlier_run);
                }
                verdicts
            }
            false => BTreeMap::new(),
        };
        if let (Selector::Auto, Some(recording)) = (request.selector, recording) {
            cost_model.measure(recording);
        }
        let mut cells = CellPlanner::default();
        let is_automatic = request.chooses_others && request.selector.is_by_cost();
        if any_orders_cells(&request.layouts) || (is_automatic && may_gain(&classes, &cost_model)) {
            let in_bounds = request.assume.classes(&program, &classes);
            cells = CellPlanner::new(find_cells(&program, &classes, &in_bounds));
            if is_automatic {
                cells.choose(&program, &classes, &request.grids);
            }
        }
        // Rewriting needs the room.
        let is_kept = request.follows_numbers || request.keeps_cost_model;
        let cost_model = if is_kept { cost_model } else { CostModel::default() };
        let mut plan = choose_layouts(&program, &classes, &verdicts, &request.layouts, &cells);
        keep_named(&mut plan, &program, &classes, &request.keep, &request.layouts);
        let facts = CellFacts { cells: &cells.cells, checks_bounds: request.checks_bounds };
        let fixed = FixedFiles::new(&program, &request.fixed_files);
        let (mut edits, mut refused) = (BTreeMap::new(), Vec::new());
        let rewritten = settle(&mut plan, |plan| {
            let (mut rewritten, found) =
                rewrite_checked(&program, &classes, plan, (facts, request.style), &fixed);
            edits = found;
            rewritten.refusals.sort();
            refused.extend(rewritten.refusals.iter().cloned());
            rewritten
        });
        for refusal in refused {
            if let Refusal::Array(class, pin) = refusal {
                classes.classes[class.index()].pins.push(pin);
            }
        }
        Planned { program, classes, plan, cost_model, rewritten, edits }
    }
}

/// An earlier run has chosen for the program, and has left this array as it is. The arrays that it changed have no price here,
/// so another choice would rest on less than the first one did.
fn left_by_an_earlier_run(verdict: &mut Verdict) {
    if matches!(verdict, Verdict::Change { .. }) {
        let because = "an earlier run has chosen for this program and left it; ask for a layout with `--layout`";
        *verdict = Verdict::Stay { because: because.to_owned() };
    }
}

/// Rewrites a plan and looks at what the edits reach.
fn rewrite_checked(
    program: &Program,
    classes: &Classes,
    plan: &LayoutPlan,
    (cells, style): (CellFacts<'_>, Style),
    fixed: &FixedFiles,
) -> (Rewritten, BTreeMap<FileId, EditSet>) {
    let structs = plan.structs();
    let layouts = structs.iter().map(|(class, (plan, _))| (*class, plan.layout.clone())).collect();
    let disagreements = check_layout_types(program, classes, &layouts);
    if !disagreements.is_empty() {
        let refuse = |(class, pin)| Refusal::Array(class, pin);
        let refusals = disagreements.into_iter().map(refuse).collect();
        return (Rewritten { refusals, ..Rewritten::default() }, BTreeMap::new());
    }
    let mut rewritten = rewrite(program, classes, plan, cells, style);
    if rewritten.refusals.iter().any(|refusal| matches!(refusal, Refusal::Layout(..))) {
        return (rewritten, BTreeMap::new());
    }
    let refusals = &mut rewritten.refusals;
    let edits = match by_file(rewritten.edits.iter().cloned()) {
        Ok(edits) => edits,
        Err(overlap) => {
            refusals.extend(overlapping(program, plan, overlap));
            BTreeMap::new()
        }
    };
    refusals.extend(outside_cuda(program, classes, plan, &edits));
    refusals.extend(in_fixed_files(program, classes, plan, fixed, &edits));
    refusals.extend(placeholders(program, plan, &edits));
    refusals.extend(in_foreign_files(program, plan, &edits));
    (rewritten, edits)
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

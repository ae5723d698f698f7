//! Grids: plan, rewrite, refuse, with functions apart where that changes more.

mod apart;

use crate::assumptions;
use crate::outcome::{ClassOutcome, Model, Status, stays};
use crate::refusals::{FixedFiles, foreign_edit};
use crate::request::Request;
use crate::settle::settle;
use layoutc_analysis::choose::conflicting;
use layoutc_analysis::grid_choice::GridChoice;
use layoutc_analysis::grid_plan::{
    Apart, GridPlans, GridProgram, flattened, pin, scalars_worth_a_look,
};
use layoutc_analysis::keep::keep_named;
use layoutc_analysis::{ArrayPlan, LayoutPlan, Origin};
use layoutc_codegen::edit::joined;
use layoutc_codegen::grids::{GridWriter, check_versions, has_variable_length, lowers};
use layoutc_codegen::{Edit, EditSet, Rewritten};
use layoutc_dataflow::classes::{ClassId, Classes, Pin, array_names};
use layoutc_dataflow::layout::notation::LayoutSpec;
use layoutc_diagnostics::{Code, Diagnostic, FileId, Severity, Span};
use layoutc_syntax::{Program, Scalar};
use std::collections::{BTreeMap, BTreeSet};

/// A grid and the layout that serves its accesses best.
#[derive(Clone, Debug)]
pub struct GridReport {
    /// The arrays' names.
    pub names: Vec<String>,
    /// The type of a value.
    pub type_name: String,
    /// The accesses, the layout and the reasons; `None` if it has no coordinates.
    pub choice: Option<GridChoice>,
    /// Where each access stands, and its text; by the number of the access.
    pub places: Vec<(Span, String)>,
    /// The kernel that the choice is made for.
    pub kernel: Option<String>,
    /// The layout that it has now, in the common notation; `None`: the source's.
    pub layout: Option<String>,
    /// Why it stays.
    pub reasons: Vec<Pin>,
}

/// All grids of a program.
pub(crate) struct PlannedGrids {
    /// The program in which typed arrays are flat.
    program: Program,
    classes: Classes,
    plan: LayoutPlan,
    /// By class: what serves its accesses best, where nobody asked for a layout.
    choices: BTreeMap<ClassId, GridChoice>,
    pub(crate) rewritten: Rewritten,
    /// What makes the program one that a CUDA compiler takes, without another layout.
    lowering: Vec<Edit>,
    /// Requests, by position, that mean a grid.
    pub(crate) met: BTreeSet<usize>,
    /// Requests that speak of a class together with another that wants something else.
    contradicted: BTreeMap<ClassId, BTreeSet<usize>>,
}

/// Plans and rewrites the grids of a program.
///
/// `None` where no array of numbers is worth a look: no pragma speaks of one, no request names one, or,
/// without requests, neighbouring threads access neighbouring values everywhere.
pub(crate) fn plan_grids(program: &Program, request: &Request) -> Option<PlannedGrids> {
    let asked = request.of_grids();
    let scalars = scalars_worth_a_look(program, asked);
    if scalars.is_empty() {
        // Arrays of variable length are lowered for compilers of CUDA in any case.
        if !has_variable_length(program) {
            return None;
        }
        let (flat, typed) = flattened(program);
        if !lowers(&flat, &typed) {
            return None;
        }
    }
    let joint = plan(program, request, &scalars, &Apart::default());
    let mut found = apart::with_versions(program, request, &scalars, joint);
    for (class, requests) in &found.contradicted {
        let wanted: Vec<&LayoutSpec> = requests.iter().map(|at| &request.layouts[*at]).collect();
        let Some((first, rest)) = wanted.split_first() else { continue };
        let Some(other) = rest.iter().find(|other| other.body != first.body) else { continue };
        let error = conflicting(&found.program, &found.classes, *class, first, other);
        found.plan.errors.push(error);
    }
    Some(found)
}

/// Plans and rewrites the grids of a program, with functions apart as they are in it.
fn plan(
    program: &Program,
    request: &Request,
    scalars: &BTreeSet<Scalar>,
    apart: &Apart,
) -> PlannedGrids {
    let found = GridProgram::new(program, scalars, &request.assume);
    let GridPlans { mut plan, choices, met, contradicted, families } =
        GridPlans::new(&found, request.of_grids(), apart);
    keep_named(&mut plan, &found.program, &found.classes, &request.keep, &request.layouts);
    let writer = GridWriter::new(&found, apart, &families, request.checks_bounds);
    let (lowering, errors) = writer.lower();
    plan.errors.extend(errors);
    let rewritten = settle(&mut plan, |plan| writer.rewrite(plan));
    let GridProgram { program, classes, .. } = found;
    PlannedGrids { program, classes, plan, choices, rewritten, lowering, met, contradicted }
}

/// What grids add to the result of a run.
pub(crate) struct FoundGrids {
    pub(crate) outcomes: Vec<ClassOutcome>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) errors: Vec<Diagnostic>,
    pub(crate) generated_kernels: Vec<String>,
    pub(crate) reports: Vec<GridReport>,
    /// The edits that change no layout.
    pub(crate) lowering: BTreeMap<FileId, EditSet>,
}

impl PlannedGrids {
    /// Adds the edits to those of the arrays of structs; where both want one text, the grids stay.
    pub(crate) fn finish(
        mut self,
        edits: &mut BTreeMap<FileId, EditSet>,
        require: &[String],
        fixed: &FixedFiles,
    ) -> FoundGrids {
        let lowering = joined(&BTreeMap::new(), std::mem::take(&mut self.lowering));
        let lowering = lowering.unwrap_or_default();
        let foreign = foreign_edit(&self.program, &self.rewritten.edits);
        if let Some(pin) = foreign.or_else(|| fixed.pin(&self.rewritten.edits)) {
            self.refuse_all(&pin);
            let lowering = lowering.values().flat_map(|set| set.edits().iter().cloned());
            self.rewritten.edits =
                lowering.filter(|edit| !self.program.is_foreign(edit.span.file)).collect();
        }
        match check_versions(edits, &self.rewritten.edits)
            .and_then(|()| joined(edits, std::mem::take(&mut self.rewritten.edits)))
        {
            Ok(merged) => *edits = merged,
            Err(overlap) => {
                let message = "an array of structs that changes, and a grid, want this text";
                self.refuse_all(&pin(overlap.edits.1.span, message));
                let own = lowering.values().flat_map(|set| set.edits().iter().cloned()).collect();
                match joined(edits, own) {
                    Ok(merged) => *edits = merged,
                    Err(overlap) => self.plan.errors.push(
                        Diagnostic::error(
                            Code::NAME_CONFLICT,
                            "an array of structs and one of variable length want one text",
                        )
                        .at(overlap.edits.1.span, "this text".to_owned()),
                    ),
                }
            }
        }
        let model = Model { program: &self.program, classes: &self.classes };
        let outcomes: Vec<ClassOutcome> =
            self.plan.arrays.iter().map(|array| model.outcome(array)).collect();
        let mut diagnostics: Vec<Diagnostic> = outcomes
            .iter()
            .filter(|outcome| outcome.status == Status::Kept)
            .filter_map(|outcome| {
                let required = require.iter().any(|name| outcome.names.contains(name));
                let mut diagnostic = stays(outcome, required).map(as_error)?;
                // Nobody asked for it.
                if outcome.is_automatic && !required && diagnostic.severity == Severity::Warning {
                    diagnostic.severity = Severity::Note;
                }
                Some(diagnostic)
            })
            .collect();
        diagnostics.extend(outcomes.iter().filter_map(assumptions::note));
        let reports = self.plan.arrays.iter().filter_map(|array| self.report(array)).collect();
        FoundGrids {
            outcomes,
            diagnostics,
            errors: self.plan.errors,
            generated_kernels: self.rewritten.generated_kernels,
            reports,
            lowering,
        }
    }

    fn refuse_all(&mut self, pin: &Pin) {
        self.rewritten.generated_kernels.clear();
        self.plan.refuse_all(pin);
    }

    /// What `analyze` shows of a grid.
    fn report(&self, array: &ArrayPlan) -> Option<GridReport> {
        if array.origin != Origin::Selector {
            return None;
        }
        let id = *array.classes.first()?;
        let choice = self.choices.get(&id).cloned();
        let class = self.classes.class(id);
        let places = choice.iter().flat_map(|choice| &choice.model.places).map(|expr| {
            let text = self.program.text(self.program.expr(*expr).span);
            (self.program.expr_site(*expr), text.split_whitespace().collect::<Vec<_>>().join(" "))
        });
        Some(GridReport {
            names: array_names(&self.program, &self.classes, id),
            type_name: class.element.spelled_name(&self.program).into_owned(),
            places: places.collect(),
            kernel: choice
                .as_ref()
                .and_then(|choice| choice.kernel)
                .map(|kernel| self.program.function(kernel).name.clone()),
            layout: array.change().map(|change| change.layout.notation()),
            reasons: array.reasons().to_vec(),
            choice,
        })
    }
}

/// An index that leaves its extent is an error.
fn as_error(mut diagnostic: Diagnostic) -> Diagnostic {
    if diagnostic.code == Code::GRID_BOUNDS {
        diagnostic.severity = Severity::Error;
    }
    diagnostic
}

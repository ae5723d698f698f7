//! Grids: plan, rewrite, refuse, with functions apart where that changes more.

mod apart;

use crate::assumptions;
use crate::outcome::{ClassOutcome, Status, stays};
use crate::refusals::foreign_edit;
use crate::request::Request;
use layoutc_analysis::choose::conflicting;
use layoutc_analysis::generated::is_of_generated_text;
use layoutc_analysis::grid_choice::GridChoice;
use layoutc_analysis::grid_plan::{
    Apart, GridOutcome, GridPlan, GridPlans, GridProgram, flattened, is_mistake, pin,
    scalars_worth_a_look,
};
use layoutc_codegen::edit::joined;
use layoutc_codegen::grids::{
    GridWriter, RewrittenGrids, check_versions, has_variable_length, lowers,
};
use layoutc_codegen::{Edit, EditSet};
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
    pub(crate) program: Program,
    pub(crate) classes: Classes,
    pub(crate) outcomes: Vec<GridOutcome>,
    pub(crate) edits: Vec<Edit>,
    /// What makes the program one that a CUDA compiler takes, without another layout.
    pub(crate) lowering: Vec<Edit>,
    pub(crate) generated_kernels: Vec<String>,
    /// Names that generated text declares.
    pub(crate) names: BTreeSet<String>,
    /// Requests, by position, that mean a grid.
    pub(crate) met: BTreeSet<usize>,
    /// Requests that speak of a class together with another that wants something else.
    contradicted: BTreeMap<ClassId, BTreeSet<usize>>,
    pub(crate) errors: Vec<Diagnostic>,
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
        found.errors.push(error);
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
    let GridPlans { mut outcomes, met, contradicted, mut errors, families } =
        GridPlans::new(&found, request.of_grids(), apart);
    let writer = GridWriter::new(&found, apart, &families, request.checks_bounds);
    let lowered = writer.rewrite(&BTreeMap::new());
    errors.extend(lowered.errors);
    // What has no form keeps its layout, and the rest is rewritten again.
    loop {
        let plans: BTreeMap<ClassId, &GridPlan> = outcomes
            .iter()
            .filter_map(|outcome| Some((outcome.class, outcome.plan.as_ref()?)))
            .collect();
        let RewrittenGrids { edits, refusals, names, generated_kernels, .. } =
            writer.rewrite(&plans);
        if refusals.is_empty() {
            let GridProgram { program, classes, .. } = found;
            return PlannedGrids {
                names,
                program,
                classes,
                outcomes,
                edits,
                lowering: lowered.edits,
                generated_kernels,
                met,
                contradicted,
                errors,
            };
        }
        for (class, pin) in refusals {
            if let Some(outcome) = outcomes.iter_mut().find(|outcome| outcome.class == class) {
                outcome.refuse(pin);
            }
        }
        for outcome in &mut outcomes {
            outcome.try_alternative();
        }
    }
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
    ) -> FoundGrids {
        let lowering = joined(&BTreeMap::new(), std::mem::take(&mut self.lowering));
        let lowering = lowering.unwrap_or_default();
        if let Some(pin) = foreign_edit(&self.program, &self.edits) {
            self.generated_kernels.clear();
            for outcome in self.outcomes.iter_mut().filter(|outcome| outcome.plan.is_some()) {
                outcome.plan = None;
                outcome.reasons.push(pin.clone());
            }
            let lowering = lowering.values().flat_map(|set| set.edits().iter().cloned());
            self.edits = lowering.filter(|edit| !self.program.is_foreign(edit.span.file)).collect();
        }
        match check_versions(edits, &self.edits)
            .and_then(|()| joined(edits, std::mem::take(&mut self.edits)))
        {
            Ok(merged) => *edits = merged,
            Err(overlap) => {
                self.generated_kernels.clear();
                let message = "an array of structs that changes, and a grid, want this text";
                for outcome in self.outcomes.iter_mut().filter(|outcome| outcome.plan.is_some()) {
                    outcome.plan = None;
                    outcome.reasons.push(pin(overlap.edits.1.span, message));
                }
                let own = lowering.values().flat_map(|set| set.edits().iter().cloned()).collect();
                match joined(edits, own) {
                    Ok(merged) => *edits = merged,
                    Err(overlap) => self.errors.push(
                        Diagnostic::error(
                            Code::NAME_CONFLICT,
                            "an array of structs and one of variable length want one text",
                        )
                        .at(overlap.edits.1.span, "this text".to_owned()),
                    ),
                }
            }
        }
        let outcomes: Vec<ClassOutcome> =
            self.outcomes.iter().map(|outcome| self.reported(outcome)).collect();
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
        let reports = self.outcomes.iter().filter_map(|outcome| self.report(outcome)).collect();
        FoundGrids {
            outcomes,
            diagnostics,
            errors: self.errors,
            generated_kernels: self.generated_kernels,
            reports,
            lowering,
        }
    }

    /// What `analyze` shows of a grid.
    fn report(&self, outcome: &GridOutcome) -> Option<GridReport> {
        if !outcome.is_automatic {
            return None;
        }
        let choice = outcome.choice.clone();
        let class = self.classes.class(outcome.class);
        let places = choice.iter().flat_map(|choice| &choice.model.places).map(|expr| {
            let text = self.program.text(self.program.expr(*expr).span);
            (self.program.expr_site(*expr), text.split_whitespace().collect::<Vec<_>>().join(" "))
        });
        Some(GridReport {
            names: array_names(&self.program, &self.classes, outcome.class),
            type_name: class.element.spelled_name(&self.program).into_owned(),
            places: places.collect(),
            kernel: choice
                .as_ref()
                .and_then(|choice| choice.kernel)
                .map(|kernel| self.program.function(kernel).name.clone()),
            layout: outcome.plan.as_ref().map(GridPlan::notation),
            reasons: outcome.reasons.clone(),
            choice,
        })
    }

    /// A class as the result of a run lists it.
    fn reported(&self, outcome: &GridOutcome) -> ClassOutcome {
        let class = self.classes.class(outcome.class);
        let plan = outcome.plan.as_ref();
        ClassOutcome {
            type_name: class.element.spelled_name(&self.program).into_owned(),
            names: array_names(&self.program, &self.classes, outcome.class),
            status: if plan.is_some() { Status::Changed } else { Status::Kept },
            layout: plan.map_or_else(|| "aos".to_owned(), GridPlan::notation),
            because: plan.map_or_else(String::new, GridPlan::reason),
            reasons: outcome.reasons.clone(),
            allocations: class
                .allocations
                .iter()
                .map(|allocation| self.program.expr(allocation.call).span)
                .collect(),
            geometry: plan.and_then(GridPlan::geometry),
            assumed: plan
                .map_or_else(Vec::new, |plan| assumptions::places(&self.program, &plan.grid)),
            // What follows another array was not asked for either.
            is_automatic: outcome.is_automatic
                || (outcome.asked.is_none() && !outcome.reasons.iter().any(is_mistake)),
            is_generated: is_of_generated_text(&self.program, class),
        }
    }
}
/// An index that leaves its extent is an error.
fn as_error(mut diagnostic: Diagnostic) -> Diagnostic {
    if diagnostic.code == Code::GRID_BOUNDS {
        diagnostic.severity = Severity::Error;
    }
    diagnostic
}

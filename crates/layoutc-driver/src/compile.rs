//! The passes in order.

use crate::assumptions;
use crate::grids::{GridReport, plan_grids};
use crate::host_arrays::{self, plan_with_host_arrays};
use crate::joints::PlannedJoints;
use crate::outcome::{
    ClassOutcome, HostOutcome, Model, Status, is_kept_by_missing, kept_by_missing,
};
use crate::pragmas;
use crate::records::{Known, Planned, kept_diagnostic};
use crate::refusals::FixedFiles;
use crate::request::{HostLayout, Request};
use layoutc_analysis::choose::{targets, unknown_target};
use layoutc_analysis::cost_model::CostModel;
use layoutc_analysis::generated::{answer, is_for_arrays};
use layoutc_analysis::joint_plan::{GainfulJoints, gainful_joints, joint_requests};
use layoutc_codegen::edit::{in_files, joined};
use layoutc_codegen::{EditSet, opencl, settle_unused_locals};
use layoutc_dataflow::classes::{Classes, find_classes, type_untyped_pointers};
use layoutc_dataflow::layout::notation::{Authority, EVERY_ARRAY, LayoutSpec};
use layoutc_diagnostics::{Diagnostic, FileId, Label, Severity};
use layoutc_syntax::preprocess::Preprocessed;
use layoutc_syntax::{Program, lower_program};
use std::collections::{BTreeMap, BTreeSet};

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The program.
    pub program: Program,
    /// Its array classes.
    pub classes: Vec<ClassOutcome>,
    /// Host arrays that were to get the layout of the device's, in order of their copies.
    pub host_arrays: Vec<HostOutcome>,
    /// Grids for which a layout was looked for.
    pub grids: Vec<GridReport>,
    /// The classes of arrays of records: the first ones of `classes`, in the same order.
    pub record_classes: Classes,
    /// What kernels access, where [`Request::follows_numbers`] or [`Request::keeps_cost_model`] asks for it; otherwise
    /// nothing.
    pub cost_model: CostModel,
    /// Edits by file; files without edits are absent.
    pub edits: BTreeMap<FileId, EditSet>,
    /// Those of them that make a program of what no CUDA compiler takes; without any other they
    /// change no layout.
    pub lowering: BTreeMap<FileId, EditSet>,
    /// Names of generated kernels, which do conversions only.
    pub generated_kernels: Vec<String>,
    /// Everything the user should be told, in order of position.
    pub diagnostics: Vec<Diagnostic>,
}

/// What is said of arrays of which nothing is said, where something is said of others: nobody asks for it.
fn others_stay() -> Option<LayoutSpec> {
    let spec = LayoutSpec::parse("* = aos").ok()?;
    Some(LayoutSpec { authority: Authority::Chosen, ..spec })
}

/// Compiles a preprocessed program.
///
/// A request that names an unknown array, record or field, or an invalid layout, gives an error
/// diagnostic and no edits.
#[must_use]
pub fn compile(preprocessed: Preprocessed, request: &Request) -> Compiled {
    let mut diagnostics = preprocessed.diagnostics.clone();
    let (mut program, found) = lower_program(preprocessed);
    diagnostics.extend(found);
    type_untyped_pointers(&mut program);
    if program.files.iter().any(|file| file.is_opencl) {
        // What is generated in kernels is text of those that are built with these.
        let options = opencl::option_names(&program);
        program.identifiers.extend(options);
        program.identifiers.extend(opencl::words_in_strings(&program));
    }
    let mut request = request.clone();
    request.chooses_others |= request.layouts.is_empty();
    let is_automatic = request.chooses_others;
    let wrong_pragmas = pragmas::ask(&program, &mut request);
    let mut transformed = Vec::new();
    request.layouts.retain(|spec| match answer(&program, spec) {
        None => true,
        Some(_) if !is_for_arrays(&program, spec) => true,
        Some(answer) => {
            transformed.extend(answer.err().map(|error| *error));
            false
        }
    });
    let (merges, mut errors) = joint_requests(&mut request.layouts);
    errors.extend(transformed);
    if request.layouts.is_empty() && merges.is_empty() && !is_automatic {
        // What was asked for was carried out by an earlier run; the others stay.
        request.layouts.extend(others_stay());
    }
    let puts_together = is_automatic && request.selector.is_by_cost();
    let GainfulJoints { requests: gainful, found } = match puts_together {
        true => gainful_joints(&program, request.launch(), &request.grids.device, request.pricing),
        false => GainfulJoints::default(),
    };
    let (mut classes, cost_model) = found.unzip();
    let merges = if puts_together { gainful } else { merges };
    let merges = (!merges.is_empty() || !errors.is_empty()).then(|| {
        let own = classes.get_or_insert_with(|| find_classes(&program)).clone();
        PlannedJoints::new(&program, own, merges, errors, &request.keep)
    });
    if let Some(merges) = &merges {
        // The names that they declare are taken.
        program.identifiers.extend(merges.rewritten.names.iter().cloned());
        // The others stay, as with any request.
        if request.layouts.is_empty() && !is_automatic {
            request.layouts.extend(others_stay());
        }
    }
    let grids = plan_grids(&program, &request);
    if let Some(grids) = &grids {
        program.identifiers.extend(grids.rewritten.names.iter().cloned());
    }
    // A request that means a grid is none for arrays of structs.
    if let Some(grids) = &grids {
        let mut at = 0..;
        request.layouts.retain(|_| at.next().is_none_or(|at| !grids.met.contains(&at)));
    }
    let only_grids = request.layouts.is_empty()
        && !is_automatic
        && grids.as_ref().is_some_and(|grids| !grids.met.is_empty());
    if only_grids {
        // The others stay, as with any request.
        request.layouts.extend(others_stay());
    }
    let request = &request;
    let (planned, host_arrays) = match request.host {
        HostLayout::Convert => {
            let known = Known { classes, cost_model };
            (Planned::new(program, request, &BTreeSet::new(), known), Vec::new())
        }
        HostLayout::Native | HostLayout::NativeOnly(_) => {
            let (planned, outcomes, errors) = plan_with_host_arrays(program, request);
            diagnostics.extend(errors);
            (planned, outcomes)
        }
    };
    let Planned { program, classes, plan, cost_model, rewritten, mut edits } = planned;
    let fixed = FixedFiles::new(&program, &request.fixed_files);
    let mut generated_kernels = rewritten.generated_kernels;
    let model = Model { program: &program, classes: &classes };
    let mut outcomes: Vec<ClassOutcome> =
        plan.arrays.iter().map(|array| model.outcome(array)).collect();
    let mut by_missing: Vec<&ClassOutcome> = Vec::new();
    let is_warning = |said: &Diagnostic| said.severity == Severity::Warning;
    for (id, outcome) in classes.ids().zip(&outcomes) {
        if outcome.status == Status::Kept && !outcome.is_generated {
            let said = kept_diagnostic(&program, &classes, id, outcome, request);
            if is_kept_by_missing(outcome) && said.as_ref().is_some_and(is_warning) {
                by_missing.push(outcome);
            } else {
                diagnostics.extend(said);
            }
        }
    }
    diagnostics.extend(kept_by_missing(&by_missing));
    diagnostics.extend(opencl::missing_kernels(&classes));
    diagnostics.extend(outcomes.iter().filter_map(assumptions::note));
    let mut failed = !plan.errors.is_empty() || !wrong_pragmas.is_empty();
    diagnostics.extend(wrong_pragmas);
    let mut reports = Vec::new();
    let mut lowering = BTreeMap::new();
    if let Some(grids) = grids {
        let found = grids.finish(&mut edits, &request.require, &fixed);
        lowering = found.lowering;
        failed |= !found.errors.is_empty();
        diagnostics.extend(found.errors);
        diagnostics.extend(found.diagnostics);
        outcomes.extend(found.outcomes);
        generated_kernels.extend(found.generated_kernels);
        reports = found.reports;
    }
    if let Some(merges) = merges {
        let found = merges.finish(&program, &mut edits, &request.require, &fixed);
        failed |= !found.errors.is_empty();
        diagnostics.extend(found.errors);
        diagnostics.extend(found.diagnostics);
        outcomes.extend(found.outcomes);
        generated_kernels.extend(found.generated_kernels);
    }
    diagnostics.extend(host_arrays.iter().filter_map(host_arrays::note));
    diagnostics.extend(pragmas::without_arrays(&program, &classes, &outcomes));
    let kept = || request.keep.iter().filter(|keep| keep.pragma.is_none()).map(|keep| &keep.name);
    for name in request.require.iter().chain(kept()) {
        let known = classes.ids().any(|id| targets(&program, &classes, id, name).is_some())
            || outcomes.iter().any(|outcome| outcome.names.iter().any(|own| own == name))
            || is_transformed(&program, name);
        // An array of which nothing is reported may be kept, too.
        let is_kept = kept().any(|kept| kept == name)
            && name.rsplit("::").next().is_some_and(|word| program.identifiers.contains(word));
        if !known && !is_kept && name != EVERY_ARRAY {
            diagnostics.push(unknown_target(&program, &classes, name));
        }
    }
    diagnostics.retain(|found| !is_about_generated(&program, found));
    diagnostics.extend(plan.errors);
    settle_unused_locals(&program, &mut edits);
    // Where a rewrite wants the text, what it makes of it counts.
    for edit in pragmas::carried_out(&program, &outcomes) {
        if let Ok(all) = joined(&edits, vec![edit]) {
            edits = all;
        }
    }
    let edits = in_files(&program.sources, edits);
    Compiled {
        program,
        classes: outcomes,
        host_arrays,
        grids: reports,
        record_classes: classes,
        cost_model,
        edits: if failed { BTreeMap::new() } else { edits },
        lowering: if failed { BTreeMap::new() } else { lowering },
        generated_kernels,
        diagnostics,
    }
}

/// Whether an earlier run changed the arrays of this name.
fn is_transformed(program: &Program, name: &str) -> bool {
    let request = LayoutSpec::parse(&format!("{name} = soa")).ok();
    request.is_some_and(|request| answer(program, &request).is_some())
}

/// Whether a message that stops nothing points into text that an earlier run generated.
fn is_about_generated(program: &Program, found: &Diagnostic) -> bool {
    let is_generated = |label: &Label| program.generated_at(label.span).is_some();
    found.severity != Severity::Error && found.primary.as_ref().is_some_and(is_generated)
}

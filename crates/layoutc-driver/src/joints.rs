//! Separate arrays that become one: plan, rewrite, refuse.

use crate::outcome::{ClassOutcome, Status, stays};
use crate::refusals::foreign_edit;
use layoutc_analysis::joint_plan::{JointOutcome, JointPlans, JointProgram, JointRequest, pin};
use layoutc_codegen::edit::joined;
use layoutc_codegen::joints::{RewrittenJoints, rewrite_joints};
use layoutc_codegen::{Edit, EditSet};
use layoutc_dataflow::classes::{Classes, Pin, array_names};
use layoutc_dataflow::merge::Merge;
use layoutc_diagnostics::{Diagnostic, FileId};
use layoutc_syntax::Program;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// What merges add to the result of a run.
pub(crate) struct FoundJoints {
    pub(crate) outcomes: Vec<ClassOutcome>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) errors: Vec<Diagnostic>,
    pub(crate) generated_kernels: Vec<String>,
}
/// All merges of a program, with their edits.
pub(crate) struct PlannedJoints {
    classes: Classes,
    outcomes: Vec<JointOutcome>,
    edits: Vec<Edit>,
    generated_kernels: Vec<String>,
    /// Names that generated text declares.
    pub(crate) names: BTreeSet<String>,
    errors: Vec<Diagnostic>,
}

/// Plans and rewrites what the requests ask for.
pub(crate) fn plan_joints(
    program: &Program,
    classes: Classes,
    requests: Vec<JointRequest>,
    mut errors: Vec<Diagnostic>,
) -> PlannedJoints {
    let plans = JointPlans::new(JointProgram { program, classes: &classes }, requests);
    errors.extend(plans.errors);
    let mut this = PlannedJoints {
        classes,
        outcomes: plans.outcomes,
        edits: Vec::new(),
        generated_kernels: Vec::new(),
        names: BTreeSet::new(),
        errors,
    };
    this.rewrite(program, plans.merges);
    this
}

impl PlannedJoints {
    /// Writes the edits; what has no form stays, and the others are written again.
    fn rewrite(&mut self, program: &Program, mut merges: Vec<(usize, Merge)>) {
        loop {
            let joints = JointProgram { program, classes: &self.classes };
            let RewrittenJoints { edits, mut refusals, generated_kernels, names } =
                rewrite_joints(joints, &merges, &self.outcomes);
            if refusals.is_empty()
                && let Err(overlap) = joined(&BTreeMap::new(), edits.clone())
            {
                let span = overlap.edits.1.span;
                refusals.extend(
                    (0..merges.len()).map(|at| (at, pin(span, "two rewrites want this text"))),
                );
            }
            if refusals.is_empty() {
                self.edits = edits;
                self.generated_kernels = generated_kernels;
                self.names = names;
                return;
            }
            let refused: BTreeSet<usize> = refusals.iter().map(|(at, _)| *at).collect();
            for (at, pin) in refusals {
                self.outcomes[merges[at].0].reasons.push(pin);
            }
            let mut at = 0..;
            merges.retain(|_| at.next().is_some_and(|at| !refused.contains(&at)));
        }
    }

    /// Adds the edits to others; where both want one text, nothing is merged.
    pub(crate) fn finish(
        mut self,
        program: &Program,
        edits: &mut BTreeMap<FileId, EditSet>,
        require: &[String],
    ) -> FoundJoints {
        let own = std::mem::take(&mut self.edits);
        if let Some(pin) = foreign_edit(program, &own) {
            self.refuse_all(&pin);
        } else {
            match joined(edits, own) {
                Ok(all) => *edits = all,
                Err(overlap) => {
                    let message =
                        "another array that changes, and one that is merged, want this text";
                    self.refuse_all(&pin(overlap.edits.1.span, message));
                }
            }
        }
        let mut outcomes = Vec::new();
        let mut diagnostics = Vec::new();
        for outcome in &self.outcomes {
            let reported = self.reported(program, outcome);
            let required = require.iter().any(|name| reported.names.contains(name));
            if reported.status == Status::Kept && (!outcome.request.is_automatic || required) {
                diagnostics.extend(stays(&reported, required));
            }
            outcomes.push(reported);
        }
        FoundJoints {
            outcomes,
            diagnostics,
            errors: self.errors,
            generated_kernels: self.generated_kernels,
        }
    }

    fn refuse_all(&mut self, reason: &Pin) {
        self.generated_kernels.clear();
        for outcome in self.outcomes.iter_mut().filter(|outcome| outcome.reasons.is_empty()) {
            outcome.reasons.push(reason.clone());
        }
    }

    /// The arrays as the result of a run lists them.
    fn reported(&self, program: &Program, outcome: &JointOutcome) -> ClassOutcome {
        let is_changed = outcome.reasons.is_empty();
        let classes = || outcome.members.iter().map(|class| self.classes.class(*class));
        let mut types: Vec<Cow<'_, str>> = Vec::new();
        for class in classes() {
            let name = class.element.spelled_name(program);
            if !types.contains(&name) {
                types.push(name);
            }
        }
        let names =
            outcome.members.iter().flat_map(|class| array_names(program, &self.classes, *class));
        ClassOutcome {
            type_name: types.join(", "),
            names: names.collect(),
            status: if is_changed { Status::Changed } else { Status::Kept },
            layout: if is_changed { outcome.request.notation() } else { "aos".to_owned() },
            because: if is_changed { outcome.request.because.clone() } else { String::new() },
            reasons: outcome.reasons.clone(),
            allocations: classes()
                .flat_map(|class| &class.allocations)
                .map(|allocation| program.expr(allocation.call).span)
                .collect(),
            // Several arrays have one allocation.
            geometry: None,
            assumed: Vec::new(),
            is_automatic: outcome.request.is_automatic,
            is_generated: false,
        }
    }
}

//! Separate arrays that become one: plan, rewrite, refuse.

use crate::outcome::{ClassOutcome, Model, Status, stays};
use crate::refusals::{FixedFiles, foreign_edit};
use crate::settle::settle;
use layoutc_analysis::joint_plan::{JointProgram, JointRequest, pin, plan_joints};
use layoutc_analysis::keep::{Keep, keep_named};
use layoutc_analysis::{LayoutPlan, Origin, Refusal};
use layoutc_codegen::EditSet;
use layoutc_codegen::Rewritten;
use layoutc_codegen::edit::joined;
use layoutc_codegen::joints::rewrite_joints;
use layoutc_dataflow::classes::Classes;
use layoutc_diagnostics::{Diagnostic, FileId};
use layoutc_syntax::Program;
use std::collections::BTreeMap;

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
    plan: LayoutPlan,
    pub(crate) rewritten: Rewritten,
}

impl PlannedJoints {
    /// Plans and rewrites what the requests ask for.
    pub(crate) fn new(
        program: &Program,
        classes: Classes,
        requests: Vec<JointRequest>,
        errors: Vec<Diagnostic>,
        keep: &[Keep],
    ) -> PlannedJoints {
        let joints = JointProgram { program, classes: &classes };
        let mut plan = plan_joints(joints, requests);
        plan.errors.splice(..0, errors);
        keep_named(&mut plan, program, &classes, keep, &[]);
        let rewritten = settle(&mut plan, |plan| {
            let mut rewritten = rewrite_joints(joints, plan);
            if rewritten.refusals.is_empty()
                && let Err(overlap) = joined(&BTreeMap::new(), rewritten.edits.clone())
            {
                let why = pin(overlap.edits.1.span, "two rewrites want this text");
                let refuse = |(classes, _): (&[_], _)| {
                    classes.first().map(|class| Refusal::Layout(*class, why.clone()))
                };
                rewritten.refusals = plan.changes().filter_map(refuse).collect();
            }
            rewritten
        });
        PlannedJoints { classes, plan, rewritten }
    }

    /// Adds the edits to others; where both want one text, nothing is merged.
    pub(crate) fn finish(
        mut self,
        program: &Program,
        edits: &mut BTreeMap<FileId, EditSet>,
        require: &[String],
        fixed: &FixedFiles,
    ) -> FoundJoints {
        let own = std::mem::take(&mut self.rewritten.edits);
        let refused = match foreign_edit(program, &own).or_else(|| fixed.pin(&own)) {
            Some(pin) => Some(pin),
            None => match joined(edits, own) {
                Ok(all) => {
                    *edits = all;
                    None
                }
                Err(overlap) => {
                    let message =
                        "another array that changes, and one that is merged, want this text";
                    Some(pin(overlap.edits.1.span, message))
                }
            },
        };
        if let Some(pin) = refused {
            self.rewritten.generated_kernels.clear();
            self.plan.refuse_all(&pin);
        }
        let model = Model { program, classes: &self.classes };
        let mut outcomes = Vec::new();
        let mut diagnostics = Vec::new();
        for array in &self.plan.arrays {
            let outcome = model.outcome(array);
            let required = require.iter().any(|name| outcome.names.contains(name));
            let is_asked = array.origin != Origin::Selector;
            if outcome.status == Status::Kept && (is_asked || required) {
                diagnostics.extend(stays(&outcome, required));
            }
            outcomes.push(outcome);
        }
        FoundJoints {
            outcomes,
            diagnostics,
            errors: self.plan.errors,
            generated_kernels: self.rewritten.generated_kernels,
        }
    }
}

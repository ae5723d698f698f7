//! The plans of separate arrays of numbers that become one array of records.
//!
//! Whether arrays may become one is for [`find_merge`] to say.

mod request;

pub use request::{GainfulJoints, JointRequest, gainful_joints, joint_requests};

use crate::grid_plan::slot_span;
use layoutc_dataflow::classes::{ClassId, Classes, Pin, Slot, slot_names};
use layoutc_dataflow::layout::notation::nearest;
use layoutc_dataflow::merge::{Merge, find_merge};
use layoutc_diagnostics::{Code, Diagnostic, Span};
use layoutc_syntax::{Program, Storage};
use std::collections::BTreeSet;

/// A program with its classes.
#[derive(Clone, Copy, Debug)]
pub struct JointProgram<'a> {
    /// The program.
    pub program: &'a Program,
    /// All its classes.
    pub classes: &'a Classes,
}

/// What became of a request.
#[derive(Clone, Debug)]
pub struct JointOutcome {
    /// What was asked for.
    pub request: JointRequest,
    /// The arrays, in the order of the members.
    pub members: Vec<ClassId>,
    /// Why nothing changes.
    pub reasons: Vec<Pin>,
}

/// What becomes of all requests.
#[derive(Debug, Default)]
pub struct JointPlans {
    /// By request whose arrays are known.
    pub outcomes: Vec<JointOutcome>,
    /// What is put together, with the position of its outcome.
    pub merges: Vec<(usize, Merge)>,
    /// What is wrong with requests.
    pub errors: Vec<Diagnostic>,
}

impl JointPlans {
    /// Plans what the requests ask for.
    #[must_use]
    pub fn new(joints: JointProgram<'_>, requests: Vec<JointRequest>) -> JointPlans {
        let mut plans = JointPlans::default();
        let mut taken: BTreeSet<ClassId> = BTreeSet::new();
        for request in requests {
            let mut members = match joints.members(&request) {
                Ok(members) => members,
                Err(error) => {
                    plans.errors.extend(error.map(|error| *error));
                    continue;
                }
            };
            let mut reasons = Vec::new();
            let twice = (1..members.len()).find(|at| members[..*at].contains(&members[*at]));
            if let Some(at) = twice {
                reasons.push(joints.joint_class(members[at], &request.arrays[at]));
                members.sort();
                members.dedup();
            } else if let Some(again) = members.iter().find(|class| taken.contains(class)) {
                let span = joints.first_span(*again);
                reasons.push(pin(span, "this array is put together with others already"));
            } else {
                match find_merge(joints.program, joints.classes, &members) {
                    Ok(merge) => {
                        taken.extend(members.iter().copied());
                        plans.merges.push((plans.outcomes.len(), merge));
                    }
                    Err(pin) => reasons.push(pin),
                }
            }
            plans.outcomes.push(JointOutcome { request, members, reasons });
        }
        plans
    }
}

impl JointProgram<'_> {
    fn first_span(&self, class: ClassId) -> Span {
        slot_span(self.program, self.classes.class(class).slots.first().copied())
    }

    /// Why two names are those of one array: something holds pointers to both.
    fn joint_class(&self, class: ClassId, name: &str) -> Pin {
        let class = self.classes.class(class);
        // Where they meet, most of the time.
        let parameter = class.slots.iter().find_map(|slot| match slot {
            Slot::Variable(id) => {
                let variable = self.program.variable(*id);
                let is_parameter = matches!(variable.storage, Storage::Parameter { .. });
                (is_parameter && variable.name != name).then_some(variable.site.name)
            }
            Slot::Field(_) | Slot::Result(_) => None,
        });
        let first = class.slots.first().copied();
        let span = parameter.unwrap_or_else(|| slot_span(self.program, first));
        let message = format!(
            "pointers to `{name}` and to another of the arrays meet, perhaps here, so they have one type"
        );
        pin(span, &message)
    }

    /// The classes that a request names; what is wrong with it, where somebody asked.
    fn members(&self, request: &JointRequest) -> Result<Vec<ClassId>, Option<Box<Diagnostic>>> {
        let mut found = Vec::new();
        for (at, name) in request.arrays.iter().enumerate() {
            if request.arrays[..at].contains(name) {
                let message = format!("`{}` names `{name}` twice", request.notation());
                return Err(Some(Box::new(Diagnostic::error(Code::UNKNOWN_LAYOUT, message))));
            }
            let named: Vec<ClassId> = self
                .classes
                .ids()
                .filter(|id| {
                    let class = self.classes.class(*id);
                    class.element.scalar().is_some()
                        && class.slots.iter().any(|slot| {
                            slot_names(self.program, *slot).iter().any(|own| own == name)
                        })
                })
                .collect();
            let message = match named.as_slice() {
                [only] => {
                    found.push(*only);
                    continue;
                }
                [] => format!("no array of numbers in device memory is called `{name}`"),
                _ => format!("`{name}` names more than one array"),
            };
            if request.is_automatic {
                return Err(None);
            }
            let mut error = Diagnostic::error(Code::UNKNOWN_CLASS, message);
            let all: BTreeSet<String> = self
                .classes
                .ids()
                .flat_map(|id| self.classes.class(id).slots.clone())
                .flat_map(|slot| slot_names(self.program, slot))
                .collect();
            if named.is_empty()
                && let Some(near) = nearest(name, all.iter().map(String::as_str))
            {
                error = error.help(format!("is `{near}` meant?"));
            }
            return Err(Some(Box::new(error)));
        }
        Ok(found)
    }
}

/// A reason why arrays do not become one, without a flow.
#[must_use]
pub fn pin(span: Span, message: &str) -> Pin {
    Pin { span, code: Code::MERGE_FORM, message: message.to_owned(), related: Vec::new() }
}

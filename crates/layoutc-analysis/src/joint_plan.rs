//! The plans of separate arrays of numbers that become one array of records.
//!
//! Whether arrays may become one is for [`find_merge`] to say.

mod request;

pub use request::{GainfulJoints, JointRequest, gainful_joints, joint_requests};

use crate::grid_plan::slot_span;
use crate::plan::{ArrayPlan, Decision, LayoutPlan, NewLayout, Origin};
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

/// Arrays that become one.
#[derive(Clone, Debug)]
pub struct JointPlan {
    /// What is asked for.
    pub request: JointRequest,
    /// How the program's calls and names change.
    pub merge: Merge,
}

impl JointPlan {
    /// The layout in the common notation: `x + vx = aos align(8)`.
    #[must_use]
    pub fn notation(&self) -> String {
        self.request.notation()
    }
}

/// Plans what the requests ask for.
#[must_use]
pub fn plan_joints(joints: JointProgram<'_>, requests: Vec<JointRequest>) -> LayoutPlan {
    let mut plan = LayoutPlan::default();
    let mut taken: BTreeSet<ClassId> = BTreeSet::new();
    for (position, request) in requests.into_iter().enumerate() {
        let mut classes = match joints.members(&request) {
            Ok(members) => members,
            Err(error) => {
                plan.errors.extend(error.map(|error| *error));
                continue;
            }
        };
        let origin = match request.is_automatic {
            true => Origin::Selector,
            false => Origin::Request(position),
        };
        let twice = (1..classes.len()).find(|at| classes[..*at].contains(&classes[*at]));
        let merge = if let Some(at) = twice {
            let why = joints.joint_class(classes[at], &request.arrays[at]);
            classes.sort();
            classes.dedup();
            Err(why)
        } else if let Some(again) = classes.iter().find(|class| taken.contains(class)) {
            let span = joints.first_span(*again);
            Err(pin(span, "this array is put together with others already"))
        } else {
            find_merge(joints.program, joints.classes, &classes)
        };
        let decision = match merge {
            Ok(merge) => {
                taken.extend(classes.iter().copied());
                let because = request.because.clone();
                let layout = NewLayout::Joint(JointPlan { request, merge });
                Decision::change(layout, because)
            }
            Err(pin) => Decision::Keep(vec![pin]),
        };
        plan.arrays.push(ArrayPlan { classes, decision, alternatives: Vec::new(), origin });
    }
    plan
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

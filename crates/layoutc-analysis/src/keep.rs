//! Arrays that the user keeps as they are.

use crate::choose::targets;
use crate::plan::{ArrayPlan, Decision, LayoutPlan, NewLayout, Origin};
use layoutc_dataflow::classes::{Classes, Pin};
use layoutc_dataflow::layout::notation::{EVERY_ARRAY, LayoutSpec};
use layoutc_diagnostics::{Code, Diagnostic};
use layoutc_syntax::Program;

/// Takes the arrays that a name means, by type or by array, out of the plan.
///
/// A request for such an array is an error, unless it is one for every array.
pub fn keep_named(
    plan: &mut LayoutPlan,
    program: &Program,
    classes: &Classes,
    names: &[String],
    requests: &[LayoutSpec],
) {
    for array in plan.arrays.iter_mut().filter(|array| array.change().is_some()) {
        let mut classes_of = array.classes.iter();
        let Some((class, name)) = classes_of.find_map(|class| {
            let means = |name: &&String| targets(program, classes, *class, name).is_some();
            Some((*class, names.iter().find(means)?))
        }) else {
            continue;
        };
        let span = classes.class(class).site(program);
        if let Some(request) = asked(array, requests) {
            let message = format!("`{request}` changes an array that `--keep {name}` keeps");
            let error = Diagnostic::error(Code::INCOMPATIBLE_LAYOUTS, message);
            plan.errors.push(error.at(span, "this one").help("drop one of the two"));
        }
        let message = format!("`--keep {name}` keeps it");
        let pin = Pin { span, code: Code::NO_GAIN, message, related: Vec::new() };
        array.decision = Decision::Keep(vec![pin]);
        array.alternatives.clear();
    }
}

/// The request for an array and not for all.
fn asked(array: &ArrayPlan, requests: &[LayoutSpec]) -> Option<String> {
    let Origin::Request(at) = array.origin else { return None };
    if let NewLayout::Joint(joint) = &array.change()?.layout {
        return Some(joint.notation());
    }
    requests.get(at).filter(|request| request.target != EVERY_ARRAY).map(LayoutSpec::to_string)
}

//! Arrays that the user keeps as they are.

use crate::choose::{Target, means, of_pragma, targets};
use crate::plan::{ArrayPlan, Decision, LayoutPlan, NewLayout, Origin};
use layoutc_dataflow::classes::{ClassId, Classes, Pin};
use layoutc_dataflow::layout::notation::{Authority, EVERY_ARRAY, LayoutSpec};
use layoutc_diagnostics::{Code, Diagnostic, Span};
use layoutc_syntax::Program;

/// A wish to keep arrays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Keep {
    /// A record type or an array.
    pub name: String,
    /// The pragma of the program that says it, by its position; `None`: the command line, or the project's file.
    pub pragma: Option<usize>,
}

/// Takes the arrays that a name means, by type or by array, out of the plan.
///
/// A request for such an array is an error, unless it is one for every array, or one of the two goes before the
/// other: the command line before a pragma, and of two pragmas the one at an array before the one at its type.
pub fn keep_named(
    plan: &mut LayoutPlan,
    program: &Program,
    classes: &Classes,
    keeps: &[Keep],
    requests: &[LayoutSpec],
) {
    for array in plan.arrays.iter_mut().filter(|array| array.change().is_some()) {
        let asked = asked(array, requests);
        let (mut kept, mut errors) = (None, Vec::new());
        for keep in keeps {
            let kept_as = |class: &ClassId| {
                let target = match keep.pragma {
                    Some(index) => of_pragma(program, classes, *class, index),
                    None => targets(program, classes, *class, &keep.name),
                };
                Some((*class, target?))
            };
            let Some((class, target)) = array.classes.iter().find_map(kept_as) else { continue };
            let site = classes.class(class).site(program);
            let wanted = asked.as_ref().map(|asked| {
                let target = asked.spec.and_then(|spec| means(program, classes, class, spec));
                (asked, target)
            });
            match wanted.map(|(asked, wanted)| (asked, priority(keep, target, asked, wanted))) {
                None | Some((_, Priority::Keep)) => {}
                Some((_, Priority::Request)) => continue,
                Some((asked, Priority::None)) => errors.push(conflict(program, keep, asked, site)),
            }
            kept.get_or_insert_with(|| reason(program, keep, site));
        }
        plan.errors.extend(errors);
        if let Some(pin) = kept {
            array.decision = Decision::Keep(vec![pin]);
            array.alternatives.clear();
        }
    }
}

/// The pragma that says it.
fn place(program: &Program, keep: &Keep) -> Option<Span> {
    Some(program.layout_pragmas.get(keep.pragma?)?.directive)
}

/// Why an array is kept.
fn reason(program: &Program, keep: &Keep, site: Span) -> Pin {
    let message = match keep.pragma {
        Some(_) => "`#pragma layoutc keep` keeps it".to_owned(),
        None => format!("`--keep {}` keeps it", keep.name),
    };
    let span = place(program, keep).unwrap_or(site);
    Pin { span, code: Code::NO_GAIN, message, related: Vec::new() }
}

/// The message that an array is to be kept and to be changed.
fn conflict(program: &Program, keep: &Keep, asked: &Asked<'_>, site: Span) -> Diagnostic {
    let text = &asked.text;
    let Some(pragma) = place(program, keep) else {
        let message = format!("`{text}` changes an array that `--keep {}` keeps", keep.name);
        let error = Diagnostic::error(Code::INCOMPATIBLE_LAYOUTS, message);
        return error.at(site, "this one").help("drop one of the two");
    };
    let message = format!("`{text}` changes an array that `#pragma layoutc keep` keeps");
    let error = Diagnostic::error(Code::INCOMPATIBLE_LAYOUTS, message);
    let error = error.at(pragma, "this pragma keeps it");
    let error = match asked.spec {
        Some(spec) => spec.located(error),
        None => error,
    };
    error.help("drop one of the two")
}

/// What goes before the other.
enum Priority {
    Keep,
    Request,
    /// Neither.
    None,
}

/// Whether a wish to keep an array goes before the request for it.
fn priority(keep: &Keep, target: Target, asked: &Asked<'_>, wanted: Option<Target>) -> Priority {
    match (keep.pragma, asked.authority) {
        // An earlier choice is not a wish.
        (Some(_), Authority::Chosen) | (None, Authority::Pragma { .. }) => Priority::Keep,
        (Some(_), Authority::Asked) => Priority::Request,
        (None, Authority::Chosen | Authority::Asked) => Priority::None,
        (Some(_), Authority::Pragma { .. }) => match Some(target).cmp(&wanted) {
            std::cmp::Ordering::Less => Priority::Request,
            std::cmp::Ordering::Equal => Priority::None,
            std::cmp::Ordering::Greater => Priority::Keep,
        },
    }
}

/// A request for an array.
struct Asked<'a> {
    text: String,
    authority: Authority,
    /// `None` for separate arrays that become one.
    spec: Option<&'a LayoutSpec>,
}

/// The request for an array and not for all.
fn asked<'a>(array: &ArrayPlan, requests: &'a [LayoutSpec]) -> Option<Asked<'a>> {
    let Origin::Request(at) = array.origin else { return None };
    if let NewLayout::Joint(joint) = &array.change()?.layout {
        let authority = Authority::Asked;
        return Some(Asked { text: joint.notation(), authority, spec: None });
    }
    let spec = requests.get(at).filter(|request| request.target != EVERY_ARRAY)?;
    Some(Asked { text: spec.to_string(), authority: spec.authority, spec: Some(spec) })
}

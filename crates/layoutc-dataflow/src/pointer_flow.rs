//! From the program model to the pointer program on which layout types are propagated.
//!
//! [`find_classes`](crate::classes::find_classes) unifies without regard to the order of
//! statements; this pass follows control flow. It answers for each place where an element is
//! accessed which layouts can lie behind the pointer, and so checks the plan from another side:
//! an access in a class that changes must see that class's layout and no other, and an access
//! anywhere else must see none of the new ones. Whatever disagrees is a reason to keep the layout
//! (LC0021), with both flows.
//!
//! Slots map to pointers of the [`PointerProgram`]: locals and parameters whose address is not
//! taken and that are only assigned by statements of their own are followed along the control
//! flow, all others are shared cells. Slots of one class that are reached through pointers to
//! pointers share one cell. A pointer that is declared without a value points to nothing: the
//! paper's `UT` at declarations would meet the layout of an allocation in a branch.

mod build;

use crate::classes::{ClassId, Classes, Pin};
use crate::layout::Layout;
use crate::layout_type::{
    ArrayType, Conflict, Flow, LayoutType, LayoutTypeTable, Origin, Seeds, propagate_layout_types,
};
use layoutc_diagnostics::{Code, Span};
use layoutc_syntax::Program;
use std::collections::BTreeMap;

/// Checks that every access sees the layout that its class gets.
///
/// The result holds a pin for each class of `layouts` whose accesses, or whose memory elsewhere,
/// would see something else.
#[must_use]
pub fn check_layout_types(
    program: &Program,
    classes: &Classes,
    layouts: &BTreeMap<ClassId, Layout>,
) -> Vec<(ClassId, Pin)> {
    if layouts.is_empty() {
        return Vec::new();
    }
    let built = build::pointer_program(program, classes);
    if cfg!(debug_assertions) {
        built.program.verify();
    }
    let mut table = LayoutTypeTable::new();
    let mut seeds = Seeds::new();
    let mut types = BTreeMap::new();
    for (class, layout) in layouts {
        let record = classes.class(*class).element.name(program).into_owned();
        let array = ArrayType { record, dimension_vector: Vec::new(), layout: layout.clone() };
        let id = table.intern(array);
        types.insert(*class, id);
        for site in built.sites.get(class).into_iter().flatten() {
            seeds.set(*site, id);
        }
    }
    let facts = propagate_layout_types(&built.program, &seeds);
    let mut pins = Vec::new();
    for access in &built.accesses {
        let Some(found) = facts.fact_at(access.procedure, access.at, access.pointer) else {
            continue;
        };
        let expected = access.class.and_then(|class| types.get(&class)).copied();
        let agrees = match (expected, found) {
            (Some(wanted), LayoutType::Layout(id)) => wanted == id,
            (None, LayoutType::Untransformed) => true,
            (Some(_), LayoutType::Untransformed | LayoutType::Incompatible)
            | (None, LayoutType::Layout(_) | LayoutType::Incompatible) => false,
        };
        if agrees {
            continue;
        }
        let related = match facts.conflict_at(access.procedure, access.at, access.pointer) {
            Some(Conflict::Meet(first, second)) => {
                [&first, &second].into_iter().flat_map(|flow| steps(&built, flow)).collect()
            }
            Some(Conflict::Refused { flow, operation, .. }) => {
                let mut related = steps(&built, &flow);
                related.push((operation, "this operation does not keep a new layout".to_owned()));
                related
            }
            None => Vec::new(),
        };
        let pin = Pin {
            span: access.span,
            code: Code::INCOMPATIBLE_LAYOUTS,
            message: "this access may reach arrays in different layouts".to_owned(),
            related,
        };
        match access.class.filter(|class| types.contains_key(class)) {
            Some(class) => pins.push((class, pin)),
            // Memory in a new layout reaches code that knows nothing of it.
            None => pins.extend(layouts.keys().map(|class| (*class, pin.clone()))),
        }
    }
    pins
}

fn steps(built: &build::Built, flow: &Flow) -> Vec<(Span, String)> {
    let origin = match flow.origin {
        Origin::Site(site) => built.site_spans[site.index()],
        Origin::Declaration(pointer) | Origin::Outside(_, pointer) => {
            built.pointer_spans[pointer.index()]
        }
    };
    let mut found = vec![(origin, "one layout comes from here".to_owned())];
    found.extend(flow.steps.iter().map(|step| (step.span, "and flows through here".to_owned())));
    found.dedup_by_key(|(span, _)| *span);
    found
}

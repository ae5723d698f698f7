//! What becomes of the arrays of a program: all that code generation is told.
//!
//! Planners fill a [`LayoutPlan`] for the classes of one model of a program: structs, cells and separate arrays that become one
//! on the program itself, grids on the one in which arrays of several extents are flat. *Invariant:* a class is part of one entry
//! that changes at most. What code generation has no form for is refused, and the next alternative counts.

use crate::cell_plan::CellPlan;
use crate::grid_plan::GridPlan;
use crate::joint_plan::JointPlan;
use layoutc_dataflow::classes::{ClassId, ClassShape, Pin};
use layoutc_dataflow::layout::{Layout, RecordShape};
use layoutc_diagnostics::Diagnostic;
use std::collections::BTreeMap;

/// What becomes of the classes of a model.
#[derive(Clone, Debug, Default)]
pub struct LayoutPlan {
    /// By array of which there is something to say; those of structs by class.
    pub arrays: Vec<ArrayPlan>,
    /// Requests that cannot be met.
    pub errors: Vec<Diagnostic>,
}

/// What becomes of an array, or of several that are to become one.
#[derive(Clone, Debug)]
pub struct ArrayPlan {
    /// The class; several become one array, in the order of the members.
    pub classes: Vec<ClassId>,
    /// What is decided.
    pub decision: Decision,
    /// What counts if code generation has no form for the decision, the best last.
    pub alternatives: Vec<Decision>,
    /// Who asked for it.
    pub origin: Origin,
}

/// A new layout, or none.
#[derive(Clone, Debug)]
pub enum Decision {
    /// The arrays change.
    Change(Box<Change>),
    /// They stay; why, in source order. Nothing is said where there is no reason.
    Keep(Vec<Pin>),
}

/// A layout and the reason for it.
#[derive(Clone, Debug)]
pub struct Change {
    /// The layout.
    pub layout: NewLayout,
    /// Why, in a sentence.
    pub because: String,
}

/// The kinds of layouts.
#[derive(Clone, Debug)]
pub enum NewLayout {
    /// The members of the elements lie in another way.
    Struct(StructPlan),
    /// The elements are cells of a grid and change places, besides.
    Cells(StructPlan, CellPlan),
    /// Numbers that several coordinates index lie in another order.
    Grid(GridPlan),
    /// Separate arrays of numbers become one of records.
    Joint(JointPlan),
}

/// The layout of an array of structs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StructPlan {
    /// The record's leaves.
    pub shape: ClassShape,
    /// How they lie.
    pub layout: Layout,
}

/// Who asked for a layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// A request, by position in the list of all.
    Request(usize),
    /// Nobody: a selector decided.
    Selector,
    /// Nobody: the array follows another one.
    Sibling,
    /// Nobody: a pragma of the source speaks of it.
    Pragma,
    /// Nobody: it is text that an earlier run generated.
    Generated,
}

/// What has no form in the new program.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Refusal {
    /// The layout; another one may have a form.
    Layout(ClassId, Pin),
    /// Any layout but the source's.
    Array(ClassId, Pin),
}

impl LayoutPlan {
    /// The entry that changes a class.
    #[must_use]
    pub fn changing(&self, class: ClassId) -> Option<&ArrayPlan> {
        self.arrays.iter().find(|array| array.classes.contains(&class) && array.change().is_some())
    }

    /// The changes with their classes, in the order of the plan.
    pub fn changes(&self) -> impl Iterator<Item = (&[ClassId], &Change)> {
        self.arrays.iter().filter_map(|array| Some((&*array.classes, array.change()?)))
    }

    /// By class of structs that changes, with the order of its cells if that does, too.
    #[must_use]
    pub fn structs(&self) -> BTreeMap<ClassId, (&StructPlan, Option<&CellPlan>)> {
        let found = self.changes().filter_map(|(classes, change)| {
            let plan = match &change.layout {
                NewLayout::Struct(plan) => (plan, None),
                NewLayout::Cells(plan, cells) => (plan, Some(cells)),
                NewLayout::Grid(_) | NewLayout::Joint(_) => return None,
            };
            Some((*classes.first()?, plan))
        });
        found.collect()
    }

    /// By class of numbers whose digits get another order.
    #[must_use]
    pub fn grids(&self) -> BTreeMap<ClassId, &GridPlan> {
        let found = self.changes().filter_map(|(classes, change)| match &change.layout {
            NewLayout::Grid(plan) => Some((*classes.first()?, plan)),
            NewLayout::Struct(_) | NewLayout::Cells(..) | NewLayout::Joint(_) => None,
        });
        found.collect()
    }

    /// The arrays that become one.
    #[must_use]
    pub fn joints(&self) -> Vec<&JointPlan> {
        let found = self.changes().filter_map(|(_, change)| match &change.layout {
            NewLayout::Joint(plan) => Some(plan),
            NewLayout::Struct(_) | NewLayout::Cells(..) | NewLayout::Grid(_) => None,
        });
        found.collect()
    }

    /// Takes what has no form out of the plan. All reasons for one entry count together.
    pub fn refuse(&mut self, refusals: Vec<Refusal>) {
        for array in &mut self.arrays {
            if array.change().is_none() {
                continue;
            }
            let own = |class: &ClassId| array.classes.contains(class);
            let (mut reasons, mut is_whole) = (Vec::new(), false);
            for refusal in &refusals {
                match refusal {
                    Refusal::Layout(class, pin) if own(class) => reasons.push(pin.clone()),
                    Refusal::Array(class, pin) if own(class) => {
                        reasons.push(pin.clone());
                        is_whole = true;
                    }
                    Refusal::Layout(..) | Refusal::Array(..) => {}
                }
            }
            if reasons.is_empty() {
                continue;
            }
            reasons.dedup();
            if is_whole {
                array.alternatives.clear();
            }
            array.decision = array.alternatives.pop().unwrap_or(Decision::Keep(reasons));
        }
    }

    /// Keeps all that changes, for one reason.
    pub fn refuse_all(&mut self, pin: &Pin) {
        for array in self.arrays.iter_mut().filter(|array| array.change().is_some()) {
            array.decision = Decision::Keep(vec![pin.clone()]);
        }
    }
}

impl ArrayPlan {
    /// A class with what is decided for it, and nothing else to try.
    #[must_use]
    pub fn new(class: ClassId, decision: Decision, origin: Origin) -> Self {
        ArrayPlan { classes: vec![class], decision, alternatives: Vec::new(), origin }
    }

    /// The new layout, if there is one.
    #[must_use]
    pub fn change(&self) -> Option<&Change> {
        match &self.decision {
            Decision::Change(change) => Some(change),
            Decision::Keep(_) => None,
        }
    }

    /// Why it stays.
    #[must_use]
    pub fn reasons(&self) -> &[Pin] {
        match &self.decision {
            Decision::Change(_) => &[],
            Decision::Keep(reasons) => reasons,
        }
    }
}

impl Decision {
    /// A change to a layout for a reason.
    #[must_use]
    pub fn change(layout: NewLayout, because: String) -> Self {
        Decision::Change(Box::new(Change { layout, because }))
    }
}

impl NewLayout {
    /// The layout in the common notation, without the target: `tiled(32)`.
    #[must_use]
    pub fn notation(&self) -> String {
        match self {
            NewLayout::Struct(plan) => plan.layout.display(&plan.shape.shape).to_string(),
            NewLayout::Cells(_, cells) => cells.notation.clone(),
            NewLayout::Grid(plan) => plan.notation(),
            NewLayout::Joint(plan) => plan.notation(),
        }
    }

    /// The elements and how their leaves lie, where that does not depend on extents.
    #[must_use]
    pub fn geometry(&self) -> Option<(RecordShape, Layout)> {
        match self {
            NewLayout::Struct(plan) => Some((plan.shape.shape.clone(), plan.layout.clone())),
            NewLayout::Grid(plan) => plan.geometry(),
            // Where a cell lies depends on the extents, and several arrays have one allocation.
            NewLayout::Cells(..) | NewLayout::Joint(_) => None,
        }
    }
}

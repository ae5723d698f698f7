//! The layouts of grids that nobody asks for.
//!
//! A grid changes if [`choose_for_grid`] finds a gain. All its dimensions are tried first, then the
//! numbers of its hand-flattened records alone, which takes fewer extents to be known. What gains
//! nothing is silent; what would gain and cannot change is told, as for arrays of structs.

use super::planner::Planner;
use super::{GridPlan, slot_span};
use crate::grid_choice::{GridChoice, Verdict, choose_for_grid};
use crate::plan::{ArrayPlan, Decision, Origin};
use layoutc_dataflow::classes::{ClassId, Pin};
use layoutc_dataflow::grid::Grid;
use layoutc_diagnostics::Code;
use layoutc_syntax::{ExprKind, Scalar};

impl Planner<'_> {
    /// What becomes of a class that nobody asks for; `None` for arrays that are no grids.
    pub(super) fn automatic(&mut self, id: ClassId, scalar: Scalar) -> Option<ArrayPlan> {
        let grids: Vec<Grid> = [self.grids.grids.get(&id), self.grids.flat.get(&id)]
            .into_iter()
            .flatten()
            .cloned()
            .collect();
        let class = self.classes.class(id);
        let mut plans: Vec<Decision> = Vec::new();
        let mut shown: Option<GridChoice> = None;
        for grid in grids {
            let choice = choose_for_grid(
                self.program,
                &mut self.model,
                &mut self.indices,
                &grid,
                scalar.size(),
                self.options,
            );
            if let (Verdict::Gain(because), Some(layout)) = (&choice.verdict, &choice.layout) {
                let plan = GridPlan { grid, digits: layout.digits.clone(), scalar };
                plans.push(plan.decision(because));
                if plans.len() == 1 {
                    shown = Some(choice);
                    continue;
                }
            }
            shown.get_or_insert(choice);
        }
        let span = slot_span(self.program, class.slots.first().copied());
        let no_gain = |message: &str| {
            let message = message.to_owned();
            vec![Pin { span, code: Code::NO_GAIN, message, related: Vec::new() }]
        };
        // The best is the last.
        plans.reverse();
        let decision = match &shown {
            Some(choice) => match plans.pop() {
                None => {
                    let (Verdict::Gain(why) | Verdict::NoGain(why) | Verdict::Ineligible(why)) =
                        &choice.verdict;
                    Decision::Keep(no_gain(why))
                }
                Some(best) if class.pins.is_empty() => best,
                Some(_) => {
                    plans.clear();
                    Decision::Keep(class.pins.clone())
                }
            },
            None => {
                let refused = self.grids.refused.get(&id)?;
                Decision::Keep(match self.lanes_are_apart(id) {
                    true => class.pins.iter().cloned().chain([refused.clone()]).collect(),
                    false => no_gain(&format!(
                        "no neighbouring threads are seen to access values that are apart; and no grid is recognised: {}",
                        refused.message
                    )),
                })
            }
        };
        self.choices.extend(shown.map(|choice| (id, choice)));
        let array = ArrayPlan::new(id, decision, Origin::Selector);
        Some(ArrayPlan { alternatives: plans, ..array })
    }

    /// Whether the lanes of some access are further apart than neighbouring values.
    fn lanes_are_apart(&mut self, id: ClassId) -> bool {
        let program = self.program;
        let indices: Vec<_> = program
            .expr_ids()
            .filter(|expr| self.classes.place(*expr).is_some_and(|(class, _)| class == id))
            .filter_map(|expr| match program.expr(expr).kind {
                ExprKind::Index { index, .. } => Some(index),
                _ => None,
            })
            .collect();
        indices.into_iter().any(|index| {
            self.model
                .lane_factor(index)
                .is_some_and(|factor| !matches!(factor.evaluate(&|_| None), Some(-1..=1)))
        })
    }
}

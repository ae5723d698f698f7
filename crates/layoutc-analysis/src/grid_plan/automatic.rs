//! The layouts of grids that nobody asks for.
//!
//! A grid changes if [`choose_for_grid`] finds a gain. All its dimensions are tried first, then the
//! numbers of its hand-flattened records alone, which takes fewer extents to be known. What gains
//! nothing is silent; what would gain and cannot change is told, as for arrays of structs.

use super::planner::Planner;
use super::{GridOutcome, GridPlan, slot_span};
use crate::grid_choice::{GridChoice, Verdict, choose_for_grid};
use layoutc_dataflow::classes::{ClassId, Pin};
use layoutc_dataflow::grid::Grid;
use layoutc_diagnostics::Code;
use layoutc_syntax::{ExprKind, Scalar};

impl Planner<'_> {
    /// What becomes of a class that nobody asks for; `None` for arrays that are no grids.
    pub(super) fn automatic(&mut self, id: ClassId, scalar: Scalar) -> Option<GridOutcome> {
        let grids: Vec<Grid> = [self.grids.grids.get(&id), self.grids.flat.get(&id)]
            .into_iter()
            .flatten()
            .cloned()
            .collect();
        let class = self.classes.class(id);
        let mut plans: Vec<GridPlan> = Vec::new();
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
                plans.push(GridPlan {
                    grid,
                    digits: layout.digits.clone(),
                    because: because.clone(),
                    scalar,
                });
                if plans.len() == 1 {
                    shown = Some(choice);
                    continue;
                }
            }
            shown.get_or_insert(choice);
        }
        let span = slot_span(self.program, class.slots.first().copied());
        let no_gain = |message: &str| Pin {
            span,
            code: Code::NO_GAIN,
            message: message.to_owned(),
            related: Vec::new(),
        };
        let mut outcome = GridOutcome {
            class: id,
            plan: None,
            reasons: Vec::new(),
            alternatives: Vec::new(),
            choice: None,
            is_automatic: true,
            asked: None,
        };
        match shown {
            Some(choice) => {
                if plans.is_empty() {
                    let (Verdict::Gain(why) | Verdict::NoGain(why) | Verdict::Ineligible(why)) =
                        &choice.verdict;
                    outcome.reasons.push(no_gain(why));
                } else if class.pins.is_empty() {
                    plans.reverse();
                    outcome.plan = plans.pop();
                    outcome.alternatives = plans;
                } else {
                    outcome.reasons.clone_from(&class.pins);
                }
                outcome.choice = Some(choice);
            }
            None => {
                let refused = self.grids.refused.get(&id)?;
                if self.lanes_are_apart(id) {
                    outcome.reasons.extend(class.pins.iter().cloned().chain([refused.clone()]));
                } else {
                    outcome.reasons.push(no_gain(&format!(
                        "no neighbouring threads are seen to access values that are apart; and no grid is recognised: {}",
                        refused.message
                    )));
                }
            }
        }
        Some(outcome)
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

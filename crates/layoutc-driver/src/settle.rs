//! Plan, rewrite, refuse: the one loop that all kinds of arrays go through.

use layoutc_analysis::LayoutPlan;
use layoutc_codegen::Rewritten;

/// Carries a plan out. What has no form is refused, and the rest, or the next alternative, is written again.
pub(crate) fn settle(
    plan: &mut LayoutPlan,
    mut rewrite: impl FnMut(&LayoutPlan) -> Rewritten,
) -> Rewritten {
    loop {
        let mut rewritten = rewrite(plan);
        if rewritten.refusals.is_empty() {
            return rewritten;
        }
        plan.refuse(std::mem::take(&mut rewritten.refusals));
    }
}

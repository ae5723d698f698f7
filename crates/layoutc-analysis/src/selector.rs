//! What chooses the layouts of arrays of structs, where the user does not.

use crate::cost::Model;
use crate::cost_choice::{Prices, Verdict};
use crate::cost_model::CostModel;
use crate::device::Device;
use crate::kdlg::choice::{KdlgOptions, Selection};
use layoutc_dataflow::classes::{ClassId, Classes};
use std::collections::BTreeMap;

/// What chooses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Selector {
    /// The least cost of memory accesses ([`crate::cost_choice`]).
    #[default]
    Cost,
    /// Clusters of fields by memory distance ([`crate::kdlg`]). It knows structs alone: no arrays of numbers
    /// are put together, and cells of grids keep their order.
    Kdlg(KdlgOptions),
}

impl Selector {
    /// What each free class gets.
    #[must_use]
    pub fn verdicts(
        self,
        classes: &Classes,
        model: &CostModel,
        device: &Device,
        pricing: Model,
    ) -> BTreeMap<ClassId, Verdict> {
        let verdict = |class: ClassId| match self {
            Selector::Cost => Prices { model, device, pricing }.verdict(class),
            Selector::Kdlg(options) => Selection { model, device, options }.verdict(class),
        };
        let free = classes.ids().filter(|id| classes.class(*id).is_free());
        free.map(|id| (id, verdict(id))).collect()
    }
}

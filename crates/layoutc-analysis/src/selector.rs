//! What chooses the layouts of arrays of structs, where the user does not.

use crate::cost::Model;
use crate::cost_choice::{Prices, Verdict};
use crate::cost_model::Recording;
use crate::cost_model::{ArraySource, CostModel};
use crate::device::Device;
use crate::kdlg::choice::{KdlgOptions, Selection};
use crate::trace::{self, TraceOptions};
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
    /// What accesses did in a recorded run ([`crate::trace`]). It knows structs alone, too.
    Trace(TraceOptions),
    /// The least cost, where a recorded run says what accesses do; as [`Selector::Cost`] for what it does not
    /// say.
    Auto,
}

impl Selector {
    /// Whether it prices memory accesses, those to arrays of numbers and in other orders of cells included.
    #[must_use]
    pub fn is_by_cost(self) -> bool {
        match self {
            Selector::Cost | Selector::Auto => true,
            Selector::Kdlg(_) | Selector::Trace(_) => false,
        }
    }

    /// What each free class gets; `recording`: what was recorded, if anything was.
    #[must_use]
    pub fn verdicts(
        self,
        classes: &Classes,
        model: &CostModel,
        device: &Device,
        pricing: Model,
        recording: Option<&Recording>,
    ) -> BTreeMap<ClassId, Verdict> {
        let measured = match (self, recording) {
            (Selector::Auto, Some(recording)) => {
                let mut measured = model.clone();
                measured.measure(recording);
                Some(measured)
            }
            _ => None,
        };
        // A class of which no run says anything is priced as its text says.
        let model_of = |class: ClassId| match &measured {
            Some(measured) if accesses(measured, class) => measured,
            _ => model,
        };
        let verdict = |class: ClassId| match self {
            Selector::Cost | Selector::Auto => {
                Prices { model: model_of(class), device, pricing }.verdict(class)
            }
            Selector::Kdlg(options) => Selection { model, device, options }.verdict(class),
            Selector::Trace(options) => match recording {
                Some(recording) => {
                    trace::Selection { model, device, recording, options }.verdict(class)
                }
                None => Verdict::Stay { because: "no run is recorded".to_owned() },
            },
        };
        let free = classes.ids().filter(|id| classes.class(*id).is_free());
        free.map(|id| (id, verdict(id))).collect()
    }
}

/// Whether a kernel of the model accesses a class.
fn accesses(model: &CostModel, class: ClassId) -> bool {
    let is_own = |array: usize| model.arrays[array].source == ArraySource::Class(class);
    let mut all = model.kernels.iter().flat_map(|kernel| &kernel.code.accesses);
    all.any(|access| is_own(access.array.0 as usize))
}

//! Which separate arrays become one array of records: what is asked for, and what is worth it.

use crate::cost::Model;
use crate::cost_choice::Prices;
use crate::cost_model::{CostModel, ModelOptions};
use crate::device::Device;
use crate::merge_choice;
use layoutc_dataflow::classes::{Classes, find_classes};
use layoutc_dataflow::layout::notation::{LayoutSpec, Order, SpecBody};
use layoutc_diagnostics::{Code, Diagnostic};
use layoutc_syntax::Program;

/// A request to put separate arrays together.
#[derive(Clone, Debug)]
pub struct JointRequest {
    /// Names of the arrays, in the order of the members.
    pub arrays: Vec<String>,
    /// The alignment of a record in bytes, if one is asked for.
    pub align: Option<u64>,
    /// Why, in a clause.
    pub because: String,
    /// Nobody asked for it.
    pub is_automatic: bool,
}

impl JointRequest {
    /// `x + vx = aos align(8)`.
    fn new(spec: &LayoutSpec) -> Result<Self, Diagnostic> {
        let wrong = || {
            let message = format!("`{spec}` is no layout of separate arrays");
            Diagnostic::error(Code::UNKNOWN_LAYOUT, message)
                .help("arrays that are put together become an array of structs: `x + vx = aos`, perhaps with `align(8)`")
        };
        let SpecBody::Uniform(form) = &spec.body else { return Err(wrong()) };
        if !matches!(form.order.value, Order::Aos | Order::Default) {
            return Err(wrong());
        }
        let arrays = std::iter::once(&spec.target).chain(&spec.with).cloned().collect();
        Ok(JointRequest {
            arrays,
            align: form.align.as_ref().map(|align| align.value.0),
            because: "asked for".to_owned(),
            is_automatic: false,
        })
    }

    /// The arrays: `x + vx`.
    #[must_use]
    pub fn target(&self) -> String {
        self.arrays.join(" + ")
    }

    /// The layout of the records: `aos align(8)`.
    #[must_use]
    pub fn layout(&self) -> String {
        let align = self.align.map_or_else(String::new, |align| format!(" align({align})"));
        format!("aos{align}")
    }

    /// The request in the common notation: `x + vx = aos align(8)`.
    #[must_use]
    pub fn notation(&self) -> String {
        format!("{} = {}", self.target(), self.layout())
    }
}

/// Takes the requests that put arrays together out of `specs`. Those that name no such layout are errors.
pub fn joint_requests(specs: &mut Vec<LayoutSpec>) -> (Vec<JointRequest>, Vec<Diagnostic>) {
    let (joint, others): (Vec<LayoutSpec>, Vec<LayoutSpec>) =
        std::mem::take(specs).into_iter().partition(|spec| !spec.with.is_empty());
    *specs = others;
    let mut requests = Vec::new();
    let mut errors = Vec::new();
    for spec in joint {
        match JointRequest::new(&spec) {
            Ok(request) => requests.push(request),
            Err(error) => errors.push(error),
        }
    }
    (requests, errors)
}

/// What nobody asks for and is worth it, and what it took to know.
#[derive(Debug, Default)]
pub struct GainfulJoints {
    /// What is worth it.
    pub requests: Vec<JointRequest>,
    /// The classes of the program, and what kernels do with them, if that was looked for.
    pub found: Option<(Classes, CostModel)>,
}

/// What nobody asks for, and is worth it.
#[must_use]
pub fn gainful_joints(
    program: &Program,
    launch: ModelOptions,
    device: &Device,
    pricing: Model,
) -> GainfulJoints {
    if !merge_choice::may_gain(program) {
        return GainfulJoints::default();
    }
    let classes = find_classes(program);
    let options = ModelOptions { follows_numbers: true, ..launch };
    let model = CostModel::build(program, &classes, options);
    let choices = Prices { model: &model, device, pricing }.merges();
    let requests = choices.into_iter().map(|choice| JointRequest {
        arrays: choice.arrays,
        align: choice.align,
        because: choice.because,
        is_automatic: true,
    });
    GainfulJoints { requests: requests.collect(), found: Some((classes, model)) }
}

//! What each access of a kernel costs, in the source's layout and in the chosen one.

use crate::arguments::ProgramArguments;
use crate::compile::Success;
use crate::cost::has_form;
use crate::lsp::mentions::{ClassAt, in_file};
use layoutc_analysis::Selector;
use layoutc_analysis::cost::arrangement::Arrangement;
use layoutc_analysis::cost::kernel::{Access, AccessKind, ArrayId};
use layoutc_analysis::cost::price::{AccessPrice, Model, Stride};
use layoutc_analysis::cost_model::{ArraySource, CostModel, ModelOptions, Recording};
use layoutc_dataflow::layout::Layout;
use layoutc_diagnostics::Span;

/// An access and its price.
#[derive(Clone, Debug)]
pub struct PricedAccess {
    /// Where it stands.
    pub span: Span,
    /// The array.
    pub class: ClassAt,
    /// Its kernel.
    pub kernel: String,
    /// `read`, `write` or `atomic`.
    pub kind: &'static str,
    /// What its cost is counted in.
    pub model: Model,
    /// In the source's layout.
    pub source: AccessPrice,
    /// In the layout that was chosen, if there is one.
    pub chosen: Option<AccessPrice>,
}

/// The accesses to arrays of structs; none that the model has no price for.
pub fn price_accesses(success: &Success, arguments: &ProgramArguments) -> Vec<PricedAccess> {
    let compiled = &success.compiled;
    let (program, classes) = (&compiled.program, &compiled.record_classes);
    let options =
        ModelOptions { block: arguments.block, blocks: arguments.blocks, follows_numbers: false };
    let mut model = CostModel::build(program, classes, options);
    if let (Selector::Auto, Some(profile)) = (arguments.selector(), &success.profile) {
        model.measure(&Recording::new(profile, &program.sources));
    }
    let (mut source, mut chosen) = (Arrangement::default(), Arrangement::default());
    for (info, at) in model.arrays.iter().zip(0..) {
        let aos = Layout::aos(&info.shape);
        source.insert(ArrayId(at), &info.shape, &aos);
        match geometry(success, info.source) {
            Some((shape, layout)) => chosen.insert(ArrayId(at), shape, layout),
            None => chosen.insert(ArrayId(at), &info.shape, &aos),
        }
    }
    let mut found = Vec::new();
    for kernel in &model.kernels {
        let price = |arrangement| {
            let (device, model) = (&arguments.device, arguments.model);
            layoutc_analysis::cost::price(&kernel.code, arrangement, device, model).ok()
        };
        let Some(before) = price(&source) else { continue };
        let after = price(&chosen);
        for (at, access) in kernel.code.accesses.iter().enumerate() {
            let ArraySource::Class(class) = model.arrays[access.array.0 as usize].source else {
                continue;
            };
            let changes = geometry(success, ArraySource::Class(class)).is_some();
            found.push(PricedAccess {
                span: in_file(&program.sources, access.span),
                class: class.index(),
                kernel: kernel.code.name.clone(),
                kind: kind(access),
                model: arguments.model,
                source: before.accesses[at].clone(),
                chosen: after.as_ref().filter(|_| changes).map(|own| own.accesses[at].clone()),
            });
        }
    }
    found
}

/// The new layout of a class, if it has one that the model prices.
fn geometry(
    success: &Success,
    source: ArraySource,
) -> Option<&(layoutc_dataflow::layout::RecordShape, Layout)> {
    let ArraySource::Class(class) = source else { return None };
    let geometry = success.compiled.classes.get(class.index())?.geometry.as_ref();
    geometry.filter(|(_, layout)| has_form(layout))
}

fn kind(access: &Access) -> &'static str {
    match access.kind {
        AccessKind::Read => "read",
        AccessKind::Write => "write",
        AccessKind::Atomic => "atomic",
    }
}

/// Bytes of a sector.
const SECTOR: f64 = 32.0;

/// A price for people: `28 sectors (896 B) a warp, 28 B from thread to thread, mostly DRAM`.
pub fn text(model: Model, price: &AccessPrice) -> String {
    if price.with.is_some() {
        return "comes with another access".to_owned();
    }
    let asked = match model {
        Model::Sectors => {
            let bytes = number(price.transactions * SECTOR);
            format!("{} ({bytes} B)", counted(price.transactions, "sector"))
        }
        Model::Peng => counted(price.transactions, "transaction"),
    };
    let apart = match price.stride {
        Stride::Bytes(0) => "all threads access one value".to_owned(),
        Stride::Bytes(bytes) => format!("{bytes} B from thread to thread"),
        Stride::Mixed => "distances between threads differ".to_owned(),
        Stride::Large => "threads are far apart".to_owned(),
        Stride::Unknown => "the distance between threads is not known".to_owned(),
    };
    format!("{asked} a warp, {apart}, served by {}", price.shares.level())
}

/// `1 sector`, `2.5 sectors`.
fn counted(value: f64, unit: &str) -> String {
    let number = number(value);
    let plural = if number == "1" { "" } else { "s" };
    format!("{number} {unit}{plural}")
}

fn number(value: f64) -> String {
    if (value - value.round()).abs() < 0.05 { format!("{value:.0}") } else { format!("{value:.1}") }
}

//! `layoutc cost`: what layouts cost, side by side, and why.

mod text;

use crate::arguments::CostArguments;
use crate::compile::{Purpose, Success, compile_for, parse_layouts};
use crate::exit::{Exit, fail, print, say};
use crate::refusals::has_errors;
use crate::render::render;
use crate::transform::report_failure;
use layoutc_analysis::choose::{slot_names, targets, unknown_target};
use layoutc_analysis::cost::arrangement::Arrangement;
use layoutc_analysis::cost::kernel::{AccessKind, ArrayId, KernelCode, Trips};
use layoutc_analysis::cost::price::{CostError, KernelPrice, Model};
use layoutc_analysis::cost::vector::CostVector;
use layoutc_analysis::cost_model::{ArrayInfo, ArraySource, Kernel};
use layoutc_dataflow::classes::ClassId;
use layoutc_dataflow::layout::notation::{EVERY_ARRAY, LayoutSpec};
use layoutc_dataflow::layout::{Bytes, Layout, RecordShape};
use layoutc_diagnostics::{Diagnostic, SourceSet};
use serde::Serialize;

/// The schema's version.
const VERSION: u32 = 1;
/// Elements of the tiles that are compared if no layout is given.
const TILE: u64 = 32;
/// Alignments that are compared if no layout is given: those of loads of 8 and 16 bytes.
const ALIGNMENTS: [Bytes; 2] = [Bytes(16), Bytes(8)];

/// Everything that is shown.
#[derive(Serialize)]
struct Costs {
    version: u32,
    device: String,
    model: Model,
    arrays: Vec<ArrayCosts>,
}

/// The layouts of a class of arrays.
#[derive(Serialize)]
struct ArrayCosts {
    /// The record type.
    #[serde(rename = "type")]
    type_name: String,
    names: Vec<String>,
    /// Bytes of an element in the source's layout.
    bytes: u64,
    /// If the program says it with constants.
    elements: Option<u64>,
    layouts: Vec<LayoutCosts>,
    kernels: Vec<KernelShown>,
}

/// A layout and its price.
#[derive(Serialize)]
struct LayoutCosts {
    layout: String,
    /// Entry `d`: what accesses inside of `d` loops of unknown length cost.
    cost: Vec<f64>,
    /// Against the source's layout.
    ratio: f64,
    /// In the order of the kernels.
    kernels: Vec<KernelPrice>,
}

/// A kernel that accesses the class.
#[derive(Serialize)]
struct KernelShown {
    name: String,
    block: [u64; 3],
    blocks: u64,
    /// Whether the program gives the shape of blocks, and their number, by constants.
    is_block_known: bool,
    is_grid_known: bool,
    /// Loops of the host around its launches: trips, or none for loops of unknown length.
    host_loops: Vec<Option<u64>>,
    accesses: Vec<AccessShown>,
}

/// An access of a kernel, to the class or to another array.
#[derive(Serialize)]
struct AccessShown {
    file: String,
    line: u32,
    column: u32,
    text: String,
    array: String,
    fields: Vec<String>,
    kind: &'static str,
    /// Whether it is one of the class that is priced.
    is_own: bool,
}

/// Prices layouts and prints what they cost. Nothing is written.
pub fn run(arguments: &CostArguments) -> Exit {
    let (layouts, errors) = parse_layouts(&arguments.program.layouts);
    if has_errors(&errors) {
        render(&SourceSet::new(), &errors);
        return Exit::Reported;
    }
    let success = match compile_for(&arguments.program, Purpose::Price) {
        Ok(success) => success,
        Err(failure) => return report_failure(&failure),
    };
    let pricing = Pricing { success: &success, arguments };
    let costs = match pricing.costs(&layouts) {
        Ok(costs) => costs,
        Err(Failed::Layouts(errors)) => {
            render(success.sources(), &errors);
            return Exit::Reported;
        }
        Err(Failed::Price(error)) => return fail(error),
    };
    if costs.arrays.is_empty() {
        say("no kernel accesses an array of structs: there is nothing to price");
    }
    let text = if arguments.json {
        // Strings, numbers and lists cannot fail to be written.
        let mut text = serde_json::to_string_pretty(&costs).unwrap_or_default();
        text.push('\n');
        text
    } else {
        text::text(&costs)
    };
    match print(text) {
        Ok(()) => Exit::Done,
        Err(error) => fail(format_args!("cannot write to standard output: {error}")),
    }
}

/// Why there are no prices.
enum Failed {
    /// Layouts do not fit.
    Layouts(Vec<Diagnostic>),
    /// The model has no answer.
    Price(CostError),
}

struct Pricing<'a> {
    success: &'a Success,
    arguments: &'a CostArguments,
}

impl Pricing<'_> {
    fn costs(&self, requests: &[LayoutSpec]) -> Result<Costs, Failed> {
        let compiled = &self.success.compiled;
        let (program, classes) = (&compiled.program, &compiled.record_classes);
        let mut errors = Vec::new();
        let mut met = vec![false; requests.len()];
        let mut arrays = Vec::new();
        for (info, at) in compiled.cost_model.arrays.iter().zip(0..) {
            let ArraySource::Class(class) = info.source else { continue };
            let wanted: Vec<&LayoutSpec> = requests
                .iter()
                .zip(&mut met)
                .filter(|(request, _)| targets(program, classes, class, &request.target).is_some())
                .map(|(request, met)| {
                    *met = true;
                    request
                })
                .collect();
            if !requests.is_empty() && wanted.is_empty() {
                continue;
            }
            let layouts = match candidates(&info.shape, &wanted) {
                Ok(layouts) => layouts,
                Err(error) => {
                    errors.push(error);
                    continue;
                }
            };
            arrays.extend(self.array(ArrayId(at), class, info, &layouts).map_err(Failed::Price)?);
        }
        let unmet = requests
            .iter()
            .zip(&met)
            .filter(|(request, met)| !**met && request.target != EVERY_ARRAY);
        errors.extend(unmet.map(|(request, _)| unknown_target(program, classes, &request.target)));
        if !errors.is_empty() {
            return Err(Failed::Layouts(errors));
        }
        let device = self.arguments.program.device.name.clone();
        Ok(Costs { version: VERSION, device, model: self.arguments.model, arrays })
    }

    /// The prices of one class's layouts while all other arrays are as in the source; `None` if no
    /// kernel accesses it.
    fn array(
        &self,
        array: ArrayId,
        class: ClassId,
        info: &ArrayInfo,
        layouts: &[Layout],
    ) -> Result<Option<ArrayCosts>, CostError> {
        let compiled = &self.success.compiled;
        let (program, model) = (&compiled.program, &compiled.cost_model);
        let kernels: Vec<&Kernel> = model
            .kernels
            .iter()
            .filter(|kernel| kernel.code.accesses.iter().any(|access| access.array == array))
            .collect();
        if kernels.is_empty() {
            return Ok(None);
        }
        let mut priced = Vec::new();
        let mut source: Option<CostVector> = None;
        for layout in layouts {
            let mut arrangement = Arrangement::default();
            for (other, at) in model.arrays.iter().zip(0..) {
                let id = ArrayId(at);
                match id == array {
                    true => arrangement.insert(id, &other.shape, layout),
                    false => arrangement.insert(id, &other.shape, &Layout::aos(&other.shape)),
                }
            }
            let mut total = CostVector::default();
            let mut prices = Vec::new();
            for kernel in &kernels {
                let price = self.price(&kernel.code, &arrangement)?;
                total += price.total;
                prices.push(price);
            }
            let ratio = total.ratio(source.get_or_insert(total));
            priced.push(LayoutCosts {
                layout: layout.display(&info.shape).to_string(),
                cost: total.entries()[..=total.degree()].to_vec(),
                ratio,
                kernels: prices,
            });
        }
        let slots = &compiled.record_classes.class(class).slots;
        let mut names: Vec<String> = Vec::new();
        for name in slots.iter().filter_map(|slot| slot_names(program, *slot).into_iter().next()) {
            if !name.is_empty() && !names.contains(&name) {
                names.push(name);
            }
        }
        Ok(Some(ArrayCosts {
            type_name: info.name.clone(),
            names,
            bytes: info.shape.size.0,
            elements: info.elements,
            layouts: priced,
            kernels: kernels.iter().map(|kernel| self.kernel(kernel, array)).collect(),
        }))
    }

    fn price(
        &self,
        code: &KernelCode,
        arrangement: &Arrangement,
    ) -> Result<KernelPrice, CostError> {
        let device = &self.arguments.program.device;
        layoutc_analysis::cost::price(code, arrangement, device, self.arguments.model)
    }

    fn kernel(&self, kernel: &Kernel, array: ArrayId) -> KernelShown {
        let compiled = &self.success.compiled;
        let code = &kernel.code;
        let accesses = code.accesses.iter().map(|access| {
            let info = &compiled.cost_model.arrays[access.array.0 as usize];
            let file = compiled.program.sources.file(access.span.file);
            let at = file.line_column(access.span.start as usize);
            let text = compiled.program.text(access.span);
            AccessShown {
                file: file.path().display().to_string(),
                line: at.line,
                column: at.column,
                text: text.split_whitespace().collect::<Vec<_>>().join(" "),
                array: info.name.clone(),
                fields: access
                    .leaves
                    .iter()
                    .map(|leaf| info.shape.leaf(*leaf).path.clone())
                    .collect(),
                kind: match access.kind {
                    AccessKind::Read => "read",
                    AccessKind::Write => "write",
                    AccessKind::Atomic => "atomic",
                },
                is_own: access.array == array,
            }
        });
        KernelShown {
            name: code.name.clone(),
            block: code.block,
            blocks: code.blocks,
            is_block_known: kernel.has_block,
            is_grid_known: kernel.has_blocks,
            host_loops: code
                .repeats
                .iter()
                .map(|trips| match trips {
                    Trips::Known(trips) => Some(*trips),
                    Trips::Dynamic => None,
                })
                .collect(),
            accesses: accesses.collect(),
        }
    }
}

/// The layouts to compare, the source's first.
fn candidates(shape: &RecordShape, wanted: &[&LayoutSpec]) -> Result<Vec<Layout>, Diagnostic> {
    let mut layouts = vec![Layout::aos(shape)];
    if wanted.is_empty() {
        let aligned = ALIGNMENTS
            .into_iter()
            .find(|align| *align > shape.align && shape.size.0.is_multiple_of(align.0));
        layouts.extend(aligned.and_then(|align| Layout::aos_aligned(shape, align).ok()));
        layouts.push(Layout::soa(shape));
        layouts.extend(Layout::tiled(shape, TILE, None).ok());
    }
    for request in wanted {
        let layout =
            request.resolve(shape).map_err(|error| error.diagnostic(&request.to_string()))?;
        layouts.push(layout);
    }
    let mut distinct: Vec<Layout> = Vec::new();
    for layout in layouts {
        if !distinct.contains(&layout) {
            distinct.push(layout);
        }
    }
    Ok(distinct)
}

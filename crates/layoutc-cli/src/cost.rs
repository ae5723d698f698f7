//! `layoutc cost`: what layouts cost, side by side, and why.

mod chosen;
mod counters;
mod gains;
mod measured;
mod ncu;
mod ptxas;
mod request;
pub mod run;
pub mod simulate;
mod table;
pub mod text;

use crate::arguments::CostArguments;
use crate::compile::{Purpose, Success, compile_for};
use crate::exit::{Exit, fail, say};
use crate::format::{Findings, Format};
use crate::progress::phase;
use crate::refusals::has_errors;
use crate::style::is_quiet;
use counters::LaunchCounters;
use gains::Gain;
use layoutc_analysis::choose::targets;
use layoutc_analysis::cost::arrangement::Arrangement;
use layoutc_analysis::cost::kernel::{AccessKind, ArrayId, KernelCode, Trips};
use layoutc_analysis::cost::price::{CostError, KernelPrice, Model};
use layoutc_analysis::cost::search::{Effort, Problem, best_layout};
use layoutc_analysis::cost::vector::CostVector;
use layoutc_analysis::cost_choice::Prices;
use layoutc_analysis::cost_model::{ArrayInfo, ArraySource, Kernel};
use layoutc_analysis::merge_choice::joint_shape;
use layoutc_dataflow::layout::notation::{EVERY_ARRAY, nearest};
use layoutc_dataflow::layout::{Bytes, GroupForm, Layout, LeafId, RecordShape};
use layoutc_diagnostics::{Code, Diagnostic, SourceSet};
use request::Request;
use simulate::{Simulated, SimulatedRun, base_name, simulate_layout, simulate_source};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use table::{
    AccessShown, ArrayShown, CopiesShown, Costs, KernelShown, LayoutCosts, SimulatedCosts,
    TableShown,
};

/// The schema's version.
const VERSION: u32 = 1;
/// Elements of the tiles that are compared if no layout is given.
const TILE: u64 = 32;
/// Alignments that are compared if no layout is given: those of loads of 8 and 16 bytes.
const ALIGNMENTS: [Bytes; 2] = [Bytes(16), Bytes(8)];

/// Prices layouts and prints what they cost. Nothing is written.
pub fn run(arguments: &CostArguments) -> Exit {
    let format = if arguments.json { Format::Json } else { arguments.program.format };
    let mut errors = Vec::new();
    let mut columns: Vec<Vec<Request>> = Vec::new();
    for text in &arguments.program.layouts {
        match Request::parse_all(text) {
            Ok(requests) => columns.push(requests),
            Err(error) => errors.push(error),
        }
    }
    if has_errors(&errors) {
        return format.show_errors(&SourceSet::new(), &errors);
    }
    let success = match compile_for(&arguments.program, Purpose::Price) {
        Ok(success) => success,
        Err(failure) => return format.show_failure(&failure),
    };
    let mut kernels = success.compiled.cost_model.kernels.clone();
    if let Some(path) = &arguments.ptxas {
        let read = std::fs::read_to_string(path).map_err(|error| error.to_string());
        match read.and_then(|log| ptxas::parse(&log)) {
            Ok(usages) => {
                for kernel in &mut kernels {
                    if let Some(usage) = usages.get(&kernel.code.name) {
                        kernel.code.registers = Some(usage.registers);
                        kernel.code.shared_bytes = usage.shared_bytes;
                    }
                }
            }
            Err(error) => return fail(format_args!("--ptxas {}: {error}", path.display())),
        }
    }
    let report = match arguments.ncu.as_deref().map(ncu::read).transpose() {
        Ok(report) => report,
        Err(message) => return fail(message),
    };
    let pricing = Pricing { success: &success, arguments, kernels, source: OnceCell::new() };
    let costs = match pricing.costs(&columns) {
        Ok(costs) => costs,
        Err(Failed::Layouts(errors)) => {
            return format.show_errors(success.sources(), &errors);
        }
        Err(Failed::Price(error)) => return fail(error),
    };
    let measured = match report.map(|report| pricing.measured(&report)).transpose() {
        Ok(measured) => measured,
        Err(error) => return fail(error),
    };
    let costs = Costs { measured, ..costs };
    if costs.tables.is_empty() {
        say(
            "no kernel accesses an array of structs, or several arrays together: there is nothing to price",
        );
    }
    let text = text::text(&costs, !is_quiet());
    let json = || {
        // Strings, numbers and lists cannot fail to be written.
        let mut text = serde_json::to_string_pretty(&costs).unwrap_or_default();
        text.push('\n');
        text
    };
    match format.finish(&Findings { text: &text, ..Findings::of(&success) }, json) {
        Ok(()) => Exit::Done,
        Err(message) => fail(message),
    }
}

/// Why there are no prices.
enum Failed {
    /// Layouts do not fit.
    Layouts(Vec<Diagnostic>),
    /// The model has no answer.
    Price(CostError),
}

/// Layouts of some arrays, all others as in the source.
struct Column {
    label: String,
    /// What `transform` takes for it; nothing for the source's layout.
    specs: Vec<String>,
    arrangement: Arrangement,
    /// The arrays that do not lie as in the source, each alone or several together, and how.
    placed: BTreeMap<Vec<ArrayId>, Layout>,
}

struct Pricing<'a> {
    success: &'a Success,
    arguments: &'a CostArguments,
    /// The program in the source's layout, simulated.
    source: OnceCell<Result<Simulated, String>>,
    /// With what is known of their registers.
    kernels: Vec<Kernel>,
}

impl Pricing<'_> {
    fn costs(&self, requests: &[Vec<Request>]) -> Result<Costs, Failed> {
        let tables = match requests {
            [] => {
                let mut tables = self.each_class()?;
                tables.extend(self.each_group()?);
                tables
            }
            requests => self.asked_for(requests)?.into_iter().collect(),
        };
        let device = self.arguments.program.device.name.clone();
        let model = self.arguments.program.model;
        Ok(Costs { version: VERSION, device, model, tables, measured: None })
    }

    fn arrays(&self) -> impl Iterator<Item = (ArrayId, &ArrayInfo)> {
        let arrays = &self.success.compiled.cost_model.arrays;
        arrays.iter().zip(0..).map(|(info, at)| (ArrayId(at), info))
    }

    /// A table for each class of arrays of structs, with the common layouts.
    fn each_class(&self) -> Result<Vec<TableShown>, Failed> {
        let mut tables = Vec::new();
        for (array, info) in self.arrays() {
            if info.source == ArraySource::Plain {
                continue;
            }
            let column = |layout: &Layout| {
                let mut arrangement = Arrangement::default();
                for (other, info) in self.arrays() {
                    match other == array {
                        true => arrangement.insert(other, &info.shape, layout),
                        false => arrangement.insert(other, &info.shape, &Layout::aos(&info.shape)),
                    }
                }
                let label = layout.display(&info.shape).to_string();
                let is_source = *layout == Layout::aos(&info.shape);
                let specs = match is_source {
                    true => Vec::new(),
                    false => vec![format!("{} = {label}", self.target(info))],
                };
                let placed = match is_source {
                    true => BTreeMap::new(),
                    false => BTreeMap::from([(vec![array], layout.clone())]),
                };
                Column { label, specs, arrangement, placed }
            };
            let columns: Vec<Column> = common_layouts(&info.shape).iter().map(column).collect();
            tables.extend(self.table(&BTreeSet::from([array]), columns).map_err(Failed::Price)?);
        }
        Ok(tables)
    }

    /// A table for each group of separate arrays that are used together: as they are, in one array of
    /// structs, and as is best.
    fn each_group(&self) -> Result<Vec<TableShown>, Failed> {
        let program = &self.arguments.program;
        let kernels: Vec<KernelCode> =
            self.kernels.iter().map(|kernel| kernel.code.clone()).collect();
        let mut tables = Vec::new();
        for group in self.success.compiled.cost_model.parallel_arrays() {
            let own: BTreeSet<ArrayId> = group.iter().copied().collect();
            let mut others = Arrangement::default();
            let mut apart = Arrangement::default();
            for (array, info) in self.arrays() {
                let aos = Layout::aos(&info.shape);
                apart.insert(array, &info.shape, &aos);
                if !own.contains(&array) {
                    others.insert(array, &info.shape, &aos);
                }
            }
            let (owners, shape) = self.merged(&group);
            let problem = Problem {
                shape: &shape,
                owners: &owners,
                kernels: &kernels,
                others: &others,
                device: &program.device,
                model: program.model,
                tile: TILE,
            };
            let best = best_layout(&problem, Effort::default()).map_err(Failed::Price)?;
            let label = "as it is".to_owned();
            let (specs, placed) = (Vec::new(), BTreeMap::new());
            let mut columns = vec![Column { label, specs, arrangement: apart, placed }];
            let mut layouts = vec![Layout::aos(&shape)];
            if best.layout != layouts[0] && best.layout.groups().len() < shape.leaves.len() {
                layouts.push(best.layout);
            }
            for layout in layouts {
                let mut arrangement = others.clone();
                arrangement.insert_merged(&owners, &shape, &layout);
                let label = format!("{} = {}", shape.name, layout.display(&shape));
                let specs = vec![label.clone()];
                let placed = BTreeMap::from([(group.clone(), layout)]);
                columns.push(Column { label, specs, arrangement, placed });
            }
            tables.extend(self.table(&own, columns).map_err(Failed::Price)?);
        }
        Ok(tables)
    }

    /// One table of what was asked for.
    fn asked_for(&self, columns: &[Vec<Request>]) -> Result<Option<TableShown>, Failed> {
        let mut own = BTreeSet::new();
        let mut errors = Vec::new();
        let mut found = vec![self.column(&[], &mut own, &mut errors)];
        for requests in columns {
            found.push(self.column(requests, &mut own, &mut errors));
        }
        if !errors.is_empty() {
            return Err(Failed::Layouts(errors));
        }
        self.table(&own, found).map_err(Failed::Price)
    }

    /// The arrays with these layouts; `own` gets the ones that are meant.
    fn column(
        &self,
        requests: &[Request],
        own: &mut BTreeSet<ArrayId>,
        errors: &mut Vec<Diagnostic>,
    ) -> Column {
        let mut arrangement = Arrangement::default();
        let mut layouts: BTreeMap<Vec<ArrayId>, Layout> = BTreeMap::new();
        let mut placed: BTreeSet<ArrayId> = BTreeSet::new();
        // The last one counts.
        for request in requests.iter().rev() {
            let meant: Result<Vec<Vec<ArrayId>>, Diagnostic> =
                request.targets.iter().map(|target| self.meant(target)).collect();
            let meant = match meant {
                Ok(meant) => meant,
                Err(error) => {
                    errors.push(error);
                    continue;
                }
            };
            let sets: Vec<Vec<ArrayId>> = match request.targets.len() {
                1 => meant[0].iter().map(|array| vec![*array]).collect(),
                // The arrays of a group lie together: one of each name.
                _ => vec![meant.iter().filter_map(|arrays| arrays.first().copied()).collect()],
            };
            for set in sets {
                if set.iter().any(|array| placed.contains(array)) {
                    continue;
                }
                let (owners, shape) = self.merged(&set);
                match request.spec.resolve(&shape) {
                    Ok(layout) if !has_form(&layout) => {
                        let spec = &request.text;
                        let message = format!("`{spec}` has no form for an array of structs");
                        errors.push(Diagnostic::error(Code::UNKNOWN_LAYOUT, message));
                    }
                    Ok(layout) => {
                        arrangement.insert_merged(&owners, &shape, &layout);
                        placed.extend(&set);
                        own.extend(&set);
                        if set.len() > 1 || !layout.is_identity(&shape) {
                            layouts.insert(set, layout);
                        }
                    }
                    Err(_) if request.targets == [EVERY_ARRAY] => {}
                    Err(error) => errors.push(error.diagnostic(&request.spec.to_string())),
                }
            }
        }
        for (array, info) in self.arrays() {
            if !placed.contains(&array) {
                arrangement.insert(array, &info.shape, &Layout::aos(&info.shape));
            }
        }
        let texts: Vec<&str> = requests.iter().map(|request| request.text.as_str()).collect();
        let label = if texts.is_empty() { "as it is".to_owned() } else { texts.join("; ") };
        let specs = texts.iter().map(|text| (*text).to_owned()).collect();
        Column { label, specs, arrangement, placed: layouts }
    }

    /// What a layout for this array alone is asked for with.
    fn target<'i>(&self, info: &'i ArrayInfo) -> &'i str {
        let is_only = self.arrays().filter(|(_, other)| other.name == info.name).count() == 1;
        let exact = info.names.iter().find(|name| name.contains("::")).or(info.names.first());
        exact.filter(|_| !is_only).unwrap_or(&info.name)
    }

    /// A layout by simulation, if that was asked for.
    fn simulated(&self, specs: &[String], kernels: &[&Kernel]) -> Option<SimulatedCosts> {
        if !self.arguments.simulate {
            return None;
        }
        let run = SimulatedRun {
            program: &self.arguments.program,
            args: &self.arguments.args,
            timeout: Duration::from_secs(self.arguments.timeout),
            device: &self.arguments.program.device,
        };
        let source = self.source.get_or_init(|| simulate_source(&run, self.success));
        let found = match specs {
            [] => source.clone(),
            specs => simulate_layout(&run, specs),
        };
        let names: BTreeSet<&str> =
            kernels.iter().map(|kernel| base_name(&kernel.code.name)).collect();
        Some(match found {
            Ok(counted) => {
                let (cost, paper_cost) = counted.cost_of(&names);
                let source = source.as_ref().ok().map(|source| source.cost_of(&names).0);
                let ratio = source.filter(|source| *source > 0.0).map(|source| cost / source);
                SimulatedCosts::Cost { cost, ratio, paper_cost, counted }
            }
            Err(message) => SimulatedCosts::Error(message),
        })
    }

    /// The arrays that a name means.
    fn meant(&self, target: &str) -> Result<Vec<ArrayId>, Diagnostic> {
        let compiled = &self.success.compiled;
        let (program, classes) = (&compiled.program, &compiled.record_classes);
        let meant: Vec<ArrayId> = self
            .arrays()
            .filter(|(_, info)| match info.source {
                ArraySource::Class(class) => targets(program, classes, class, target).is_some(),
                ArraySource::Plain => info.names.iter().any(|name| name == target),
            })
            .map(|(array, _)| array)
            .collect();
        if !meant.is_empty() || target == EVERY_ARRAY {
            return Ok(meant);
        }
        let known: BTreeSet<&str> = self
            .arrays()
            .flat_map(|(_, info)| info.names.iter().chain([&info.name]).map(String::as_str))
            .collect();
        let message = format!("`{target}` is no array that a kernel accesses, nor the type of one");
        let diagnostic = Diagnostic::error(Code::UNKNOWN_CLASS, message);
        Err(match nearest(target, known.iter().copied()) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => {
                let known: Vec<&str> =
                    known.into_iter().filter(|name| !name.contains(':')).collect();
                diagnostic.help(format!("known names: {}", known.join(", ")))
            }
        })
    }

    /// The record that arrays make together, and whose leaves are its own.
    fn merged(&self, set: &[ArrayId]) -> (Vec<(ArrayId, LeafId)>, RecordShape) {
        let model = &self.success.compiled.cost_model;
        let (owners, shape) = joint_shape(model, set);
        match set {
            [only] => (owners, model.arrays[only.0 as usize].shape.clone()),
            _ => (owners, shape),
        }
    }

    /// The prices of columns, the source's first; `None` if no kernel accesses the arrays.
    fn table(
        &self,
        own: &BTreeSet<ArrayId>,
        mut columns: Vec<Column>,
    ) -> Result<Option<TableShown>, CostError> {
        let model = &self.success.compiled.cost_model;
        let transform = self.chosen(own);
        let chosen = self.chosen_column(&transform, &mut own.clone());
        let chosen = chosen.and_then(|column| {
            let known = columns.iter().position(|own| own.placed == column.placed);
            // A run of what nobody asked for may take long, if somebody asked for others.
            let is_priced = !self.arguments.simulate || self.arguments.program.layouts.is_empty();
            known.or_else(|| is_priced.then_some(columns.len())).inspect(|at| {
                if *at == columns.len() {
                    columns.push(column);
                }
            })
        });
        let kernels: Vec<&Kernel> = self
            .kernels
            .iter()
            .filter(|kernel| kernel.code.accesses.iter().any(|access| own.contains(&access.array)))
            .collect();
        if kernels.is_empty() {
            return Ok(None);
        }
        let arrays = own.iter().map(|array| {
            let info = &model.arrays[array.0 as usize];
            ArrayShown {
                name: info.name.clone(),
                // The short ones.
                names: info.names.iter().filter(|name| !name.contains("::")).cloned().collect(),
                bytes: info.shape.size.0,
                elements: info.elements,
            }
        });
        let arrays: Vec<ArrayShown> = arrays.collect();
        let mut layouts: Vec<LayoutCosts> = Vec::new();
        let mut source: Option<CostVector> = None;
        for (number, column) in (1..).zip(&columns) {
            let _phase = phase(format!("layout {number} of {}: {}", columns.len(), column.label));
            let mut total = CostVector::default();
            let mut prices = Vec::new();
            for kernel in &kernels {
                let price = self.price(&kernel.code, &column.arrangement)?;
                total += price.total;
                prices.push(price);
            }
            let ratio = total.ratio(source.get_or_insert(total));
            let gain = |(at, after): (usize, &KernelPrice)| {
                let before = &layouts.first()?.kernels[at];
                let program = &self.arguments.program;
                Gain::new(kernels[at], &arrays, [before, after], &program.device, program.model)
            };
            let gains = prices.iter().enumerate().map(gain).collect();
            let device = &self.arguments.program.device;
            let launches = kernels.iter().zip(&prices);
            let launches =
                launches.map(|(kernel, price)| LaunchCounters::new(&kernel.code, price, device));
            layouts.push(LayoutCosts {
                gains,
                launches: launches.collect(),
                layout: column.label.clone(),
                cost: total.entries()[..=total.degree()].to_vec(),
                ratio,
                copies: self.copies(column, &total, source.unwrap_or(total))?,
                kernels: prices,
                simulated: self.simulated(&column.specs, &kernels),
            });
        }
        Ok(Some(TableShown {
            arrays,
            is_asked: !self.arguments.program.layouts.is_empty(),
            transform,
            chosen,
            layouts,
            kernels: kernels.iter().map(|kernel| self.kernel(kernel, own)).collect(),
        }))
    }

    fn price(
        &self,
        code: &KernelCode,
        arrangement: &Arrangement,
    ) -> Result<KernelPrice, CostError> {
        let device = &self.arguments.program.device;
        layoutc_analysis::cost::price(code, arrangement, device, self.arguments.program.model)
    }

    /// What copies cost in a column whose arrays lie each by itself.
    fn copies(
        &self,
        column: &Column,
        total: &CostVector,
        source: CostVector,
    ) -> Result<Option<CopiesShown>, CostError> {
        let program = &self.arguments.program;
        let compiled = &self.success.compiled;
        let (model, device) = (&compiled.cost_model, &program.device);
        if program.model != Model::Sectors || column.placed.keys().any(|set| set.len() != 1) {
            return Ok(None);
        }
        let prices = Prices { model, device, pricing: program.model };
        let mut all: Option<(f64, f64, f64)> = None;
        for (set, layout) in &column.placed {
            if let Some(balance) = prices.balance(set[0], layout)? {
                let sum = all.get_or_insert((0.0, 0.0, 0.0));
                sum.0 += balance.rearranging.cost;
                sum.1 += balance.saved;
                sum.2 += balance.rearranging.seconds;
            }
        }
        Ok(all.map(|(cost, saved, seconds)| CopiesShown {
            ratio: (total.sum() + cost) / source.sum().max(f64::MIN_POSITIVE),
            saved_microseconds: saved * 1e6,
            copies_microseconds: seconds * 1e6,
        }))
    }

    fn kernel(&self, kernel: &Kernel, own: &BTreeSet<ArrayId>) -> KernelShown {
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
                is_own: own.contains(&access.array),
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
                    Trips::Dynamic | Trips::Steps(_) => None,
                })
                .collect(),
            host_loop_texts: code
                .repeats
                .iter()
                .map(|trips| match trips {
                    Trips::Known(trips) => trips.to_string(),
                    Trips::Dynamic => "n".to_owned(),
                    Trips::Steps(by) => format!("n/{by}"),
                })
                .collect(),
            accesses: accesses.collect(),
        }
    }
}

/// Whether arrays of structs can lie so: the slices of one index have no other order there.
pub fn has_form(layout: &Layout) -> bool {
    layout.groups().iter().all(|group| group.form() != GroupForm::Grid)
}

/// The layouts to compare, the source's first.
fn common_layouts(shape: &RecordShape) -> Vec<Layout> {
    let mut layouts = vec![Layout::aos(shape)];
    let aligned = ALIGNMENTS
        .into_iter()
        .find(|align| *align > shape.align && shape.size.0.is_multiple_of(align.0));
    layouts.extend(aligned.and_then(|align| Layout::aos_aligned(shape, align).ok()));
    layouts.push(Layout::soa(shape));
    layouts.extend(Layout::tiled(shape, TILE, None).ok());
    layouts
}

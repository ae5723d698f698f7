//! Which layout a grid gets if nobody asks for one, and whether it is worth having.
//!
//! On a device with steering bits this is the paper's method: a grid whose accesses have a common
//! pattern gets the digits of [`choose_grid_layout`]. Elsewhere only `threadIdx.x` matters, so only its
//! factors must agree; where they do not, each pattern's layout is tried on all accesses, and the best
//! is taken if it is a gain. A gain is a quarter fewer pieces of memory per request of a warp, at
//! extents that stand for large ones.

use crate::device::Device;
use crate::grid::requests::{Setting, WarpId};
use crate::grid::{
    Agreement, Auxiliary, Axis, Column, CommonPattern, Extent, GridDimension, GridLayout,
    GridShape, Ineligible, Launch, choose_grid_layout, common_pattern,
};
use crate::grid_model::{BlockSource, GridModel, ModelledGrid};
use layoutc_dataflow::grid::Grid;
use layoutc_dataflow::grid::index::{Atom, Index, Indices};
use layoutc_dataflow::layout::{Digit, DimensionId};
use layoutc_syntax::{FunctionId, Program};
use serde::Serialize;

/// What grids are laid out for if nobody says it.
pub const DEFAULT_DEVICE: &str = "h100";
/// Threads of a block if neither the program nor the user says it.
pub const DEFAULT_BLOCK: [u64; 3] = [256, 1, 1];
/// Blocks at once on devices of which that is not known.
const DEFAULT_ACTIVE_BLOCKS: u64 = 32;
/// An extent that is not known counts as this: large, and a power of two, where channels conflict.
const LONG: u64 = 1024;

/// What grids are laid out for.
#[derive(Clone, Debug)]
pub struct GridOptions {
    /// The device.
    pub device: Device,
    /// The shape of blocks of launches that do not say it.
    pub block: Option<[u64; 3]>,
    /// Blocks that run at once, if it is not what fits by threads.
    pub active_blocks: Option<u64>,
}

impl Default for GridOptions {
    fn default() -> Self {
        GridOptions {
            device: Device::built_in(DEFAULT_DEVICE).expect("the default device is built in"),
            block: None,
            active_blocks: None,
        }
    }
}

/// Pieces of memory per request of a warp, on average over the accesses.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct RequestCost {
    /// The size of a piece.
    pub bytes: u64,
    /// In the source's order.
    pub before: f64,
    /// In the new one.
    pub after: f64,
    /// Requests of the busiest channel, in its share, before and after; 1 where that is not modelled.
    pub peak: [f64; 2],
}

/// What comes of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Another layout is better; why.
    Gain(String),
    /// The source's order is as good.
    NoGain(String),
    /// There is no layout to choose.
    Ineligible(String),
}

/// A grid with its accesses and the layout that serves them best.
#[derive(Clone, Debug)]
pub struct GridChoice {
    /// The dimensions.
    pub shape: GridShape,
    /// The accesses of device code.
    pub model: ModelledGrid,
    /// The launch that the choice is made for.
    pub launch: Launch,
    /// The kernel that is launched so.
    pub kernel: Option<FunctionId>,
    /// Where the shape of its blocks comes from.
    pub block: BlockSource,
    /// The pattern of the accesses, or the two that differ.
    pub pattern: Result<CommonPattern, Ineligible>,
    /// Which columns had to agree.
    pub agreement: Agreement,
    /// The two accesses that differ, if the paper's pattern of all of them does not exist.
    pub difference: Option<String>,
    /// The layout, if there is one to choose.
    pub layout: Option<GridLayout>,
    /// What it saves.
    pub cost: Option<RequestCost>,
    /// Whether it is worth having.
    pub verdict: Verdict,
}

/// Chooses the layout of a grid.
#[must_use]
pub fn choose_for_grid(
    program: &Program,
    model: &mut GridModel<'_>,
    indices: &mut Indices,
    grid: &Grid,
    value_bytes: u64,
    options: &GridOptions,
) -> GridChoice {
    let shape = shape(program, indices, grid, value_bytes);
    let accesses = model.accesses(indices, grid);
    let (launch, kernel, block) = launch(model, &accesses, options);
    let steers = options.device.steering_model().is_ok();
    let (pattern, agreement) = match common_pattern(&accesses.matrices, Agreement::Covered) {
        Err(Ineligible::Several { .. }) if !steers => {
            (common_pattern(&accesses.matrices, Agreement::Lanes), Agreement::Lanes)
        }
        other => (other, Agreement::Covered),
    };
    let mut choice = GridChoice {
        shape,
        model: accesses,
        launch,
        kernel,
        block,
        pattern,
        agreement,
        difference: None,
        layout: None,
        cost: None,
        verdict: Verdict::NoGain(String::new()),
    };
    choice.difference = common_pattern(&choice.model.matrices, Agreement::Covered)
        .err()
        .map(|why| choice.reason(program, &why));
    let candidates: Vec<CommonPattern> = match &choice.pattern {
        Ok(pattern) => vec![pattern.clone()],
        Err(Ineligible::Several { patterns, .. }) if !steers => {
            patterns.iter().map(|found| found.pattern.clone()).collect()
        }
        Err(why) => {
            choice.verdict = Verdict::Ineligible(choice.reason(program, why));
            return choice;
        }
    };
    let several = candidates.len() > 1;
    let mut best: Option<(GridLayout, RequestCost)> = None;
    for pattern in &candidates {
        let found = choose_grid_layout(&choice.shape, pattern, &choice.launch, &options.device);
        let layout = match found {
            Ok(layout) => layout,
            Err(error) => {
                choice.verdict = Verdict::Ineligible(error.to_string());
                return choice;
            }
        };
        let cost = choice.cost_of(&layout.digits, options);
        let is_better = best.as_ref().is_none_or(|(_, known)| cost.after < known.after);
        if is_better {
            best = Some((layout, cost));
        }
    }
    let Some((layout, cost)) = best else { return choice };
    let lanes_differ = choice.lanes_differ();
    let pieces = |number: f64| format!("{number:.1}");
    choice.verdict = if layout.is_row_major() || !lanes_differ {
        match &choice.pattern {
            Err(why) => Verdict::Ineligible(choice.reason(program, why)),
            Ok(_) => Verdict::NoGain(
                "no other order of the grid that was priced serves its accesses better".to_owned(),
            ),
        }
    } else if steers && cost.after <= cost.before && cost.peak[1] <= cost.peak[0] * 0.9 {
        Verdict::Gain(format!(
            "the busiest channel of {} gets {:.1} times its share of the requests instead of {:.1}, in {} pieces of {} bytes per request of a warp instead of {}",
            options.device.title,
            cost.peak[1],
            cost.peak[0],
            pieces(cost.after),
            cost.bytes,
            pieces(cost.before)
        ))
    } else if cost.after <= cost.before * 0.75 {
        Verdict::Gain(format!(
            "{} pieces of {} bytes per request of a warp instead of {}{}",
            pieces(cost.after),
            cost.bytes,
            pieces(cost.before),
            if several { ", the best for accesses of several patterns" } else { "" }
        ))
    } else {
        match &choice.pattern {
            Err(why) => Verdict::Ineligible(choice.reason(program, why)),
            Ok(_) => {
                let channels = format!(
                    ", with {:.1} times its share for the busiest channel, and {:.1}",
                    cost.peak[1], cost.peak[0]
                );
                Verdict::NoGain(format!(
                    "{} pieces of {} bytes per request of a warp instead of {}{}",
                    pieces(cost.after),
                    cost.bytes,
                    pieces(cost.before),
                    if steers { channels.as_str() } else { "" }
                ))
            }
        }
    };
    choice.layout = Some(layout);
    choice.cost = Some(cost);
    choice
}

impl GridChoice {
    /// Whether the grid is to change.
    #[must_use]
    pub fn is_gain(&self) -> bool {
        matches!(self.verdict, Verdict::Gain(_))
    }

    /// Whether `threadIdx.x` occurs in some subscript, or blocks are one thread wide: otherwise
    /// neighbouring lanes read one value, and another order brings them no closer together.
    fn lanes_differ(&self) -> bool {
        let has_x = self.model.matrices.iter().flat_map(|matrix| &matrix.rows).any(|row| {
            row.coefficients.contains_key(&Column::Thread(Axis::X))
                || row.auxiliary.iter().any(|auxiliary| {
                    matches!(auxiliary, Auxiliary::Parity { of, .. }
                        if of.contains(&Column::Thread(Axis::X)))
                })
        });
        has_x || self.launch.block[0] == 1
    }

    /// Why there is no common pattern, with the text of the accesses.
    fn reason(&self, program: &Program, why: &Ineligible) -> String {
        let text = |id: crate::grid::AccessId| {
            let place = self.model.places.get(id.0 as usize).copied();
            place.map_or_else(String::new, |expr| {
                let span = program.expr_site(expr);
                let text = program.text(program.expr(expr).span);
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                format!("`{text}` ({})", program.sources.locate(span))
            })
        };
        let name = |dimension: u32| {
            let found = self.shape.dimensions.get(dimension as usize);
            found.map_or_else(String::new, |dimension| dimension.name.clone())
        };
        match why {
            Ineligible::NoAccess => "no access of a kernel to the grid is recognised".to_owned(),
            Ineligible::Rank { .. } => why.to_string(),
            Ineligible::NotAffine { access, dimension, text: expression } => format!(
                "the {} of {} depends on `{expression}`, which is no affine form of thread, block and loop indices",
                name(*dimension),
                text(*access)
            ),
            Ineligible::Several { first, second, dimension, column, patterns } => format!(
                "{} and {} have different factors of {column} in {}; there are {} patterns",
                text(*first),
                text(*second),
                name(*dimension),
                patterns.len()
            ),
        }
    }

    /// The extents that costs are computed at: those of the source, or long ones.
    #[must_use]
    pub fn nominal_extents(&self) -> Vec<u64> {
        self.shape
            .dimensions
            .iter()
            .map(|dimension| dimension.extent.constant().unwrap_or(LONG).max(1))
            .collect()
    }

    /// Pieces of memory per request, in the source's order and in another.
    #[must_use]
    pub fn cost_of(&self, digits: &[Digit], options: &GridOptions) -> RequestCost {
        let bytes = piece(&options.device);
        let setting = Setting {
            shape: &self.shape,
            extents: self.nominal_extents(),
            launch: &self.launch,
            warp: options.device.warp_size(),
        };
        let grid = setting.covering(&self.model.matrices);
        let launch = &Launch { grid, ..self.launch.clone() };
        let setting = Setting { launch, ..setting };
        let row_major = row_major(self.shape.dimensions.len());
        let peak = |digits: &[Digit]| {
            options.device.steering_model().map_or(1.0, |model| {
                let bits = model.most_important.unwrap_or(model.steering);
                setting.spread(&self.model.matrices, digits, bits, bytes).0
            })
        };
        let warp = WarpId { block: [1, 1, 1], warp: 0 };
        let average = |digits: &[Digit]| {
            let matrices = &self.model.matrices;
            let sum: usize = matrices
                .iter()
                .map(|matrix| setting.transactions(matrix, digits, warp, bytes))
                .sum();
            sum as f64 / matrices.len().max(1) as f64
        };
        RequestCost {
            bytes,
            before: average(&row_major),
            after: average(digits),
            peak: [peak(&row_major), peak(digits)],
        }
    }
}

/// The order of the source.
#[must_use]
pub fn row_major(rank: usize) -> Vec<Digit> {
    let digit = |at| Digit::Slice { dimension: DimensionId(at), divisor: 1, modulus: None };
    (0..rank as u32).map(digit).collect()
}

/// The least that a device reads: a sector, or a burst.
#[must_use]
pub fn piece(device: &Device) -> u64 {
    let sector = device.memory.l1_sector.known().or(device.memory.l2_sector.known());
    let burst = device.steering_model().ok().map(|model| 1_u64 << (model.coalescing.high + 1));
    burst.or(sector.map(|bytes| u64::from(*bytes)).filter(|bytes| *bytes > 0)).unwrap_or(32)
}

fn launch(
    model: &GridModel<'_>,
    accesses: &ModelledGrid,
    options: &GridOptions,
) -> (Launch, Option<FunctionId>, BlockSource) {
    // The kernel that accesses it most, the first of several; rather one whose blocks are known.
    let mut kernels: Vec<(bool, usize, std::cmp::Reverse<FunctionId>)> = accesses
        .kernels
        .iter()
        .map(|(kernel, count)| {
            let known = model.launch(*kernel).is_some_and(|launch| launch.block.is_some());
            (known, *count, std::cmp::Reverse(*kernel))
        })
        .collect();
    kernels.sort();
    let kernel = kernels.last().map(|(_, _, kernel)| kernel.0);
    let known = kernel.and_then(|kernel| model.launch(kernel));
    let (block, source) = match (known.and_then(|launch| launch.block), options.block) {
        (Some(block), _) => (block, BlockSource::Program),
        (None, Some(block)) => (block, BlockSource::Option),
        (None, None) => (DEFAULT_BLOCK, BlockSource::Default),
    };
    let threads = block.iter().product();
    let active = options
        .active_blocks
        .or_else(|| options.device.active_blocks(threads))
        .unwrap_or(DEFAULT_ACTIVE_BLOCKS)
        .max(1);
    let grid = known.map_or([None; 3], |launch| launch.grid);
    (Launch { grid, ..Launch::new(block, active) }, kernel, source)
}

/// The grid's dimensions, in the words of one of its kernels.
fn shape(program: &Program, indices: &Indices, grid: &Grid, value_bytes: u64) -> GridShape {
    let extents = grid
        .extents
        .iter()
        .find(|(function, _)| program.function(**function).space.on_device())
        .or_else(|| grid.extents.iter().next())
        .map(|(_, extents)| extents.as_slice())
        .unwrap_or_default();
    let dimensions = grid
        .dimensions
        .iter()
        .enumerate()
        .map(|(at, dimension)| {
            let extent = match (dimension.extent, at.checked_sub(1).and_then(|at| extents.get(at)))
            {
                (Some(extent), _) => Extent::Constant(extent.unsigned_abs()),
                (None, Some(extent)) => Extent::Symbolic(text(program, indices, extent)),
                (None, None) if dimension.name == "i" => Extent::Symbolic("n".to_owned()),
                (None, None) => Extent::Symbolic(format!("n{}", dimension.name)),
            };
            GridDimension::new(&dimension.name, extent)
        })
        .collect();
    GridShape { dimensions, value_bytes, is_record: false }
}

/// An index as people write it.
#[must_use]
pub fn text(program: &Program, indices: &Indices, index: &Index) -> String {
    let mut terms: Vec<(&Vec<Atom>, i64)> = index.terms().collect();
    terms.sort_by_key(|(monomial, _)| std::cmp::Reverse(monomial.len()));
    let mut out = String::new();
    for (at, (monomial, coefficient)) in terms.into_iter().enumerate() {
        match (at, coefficient < 0) {
            (0, true) => out.push('-'),
            (0, false) => {}
            (_, true) => out.push_str(" - "),
            (_, false) => out.push_str(" + "),
        }
        let size = coefficient.unsigned_abs();
        let mut factors: Vec<String> = Vec::new();
        if size != 1 || monomial.is_empty() {
            factors.push(size.to_string());
        }
        factors.extend(monomial.iter().map(|atom| match atom {
            Atom::Variable(id) => program.variable(*id).name.clone(),
            Atom::Expression(number) => {
                let expr = indices.expression(*number);
                let text = program.text(program.expr(expr).span);
                text.split_whitespace().collect::<Vec<_>>().join(" ")
            }
        }));
        out.push_str(&factors.join("*"));
    }
    if out.is_empty() { "0".to_owned() } else { out }
}

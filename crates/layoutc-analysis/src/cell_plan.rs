//! Cells of grids: arrays of structs whose elements change places.
//!
//! The layout of such an array is two things: an order of the cells, which gives each another number,
//! and a layout of an array of structs, in which the element with that number lies. So
//! `[y/8, x/32, field, y%8, x%32]` is the order `[y/8, x/32, y%8, x%32]` in tiles of 256.

mod automatic;

pub use automatic::may_gain;

use layoutc_dataflow::classes::{ClassId, ClassShape, Classes, Pin, Slot};
use layoutc_dataflow::grid::{Cells, Grid, Grids};
use layoutc_dataflow::layout::notation::{FormSpec, LayoutSpec, Order, SpecBody};
use layoutc_dataflow::layout::{Digit, DimensionId, Group, Layout, RecordShape};
use layoutc_diagnostics::{Code, Diagnostic};
use layoutc_syntax::Program;
use std::collections::{BTreeMap, BTreeSet};

/// The name of the members of a cell among digits.
const FIELD: &str = "field";
/// The name of the element index of an array of structs.
const ELEMENT: &str = "i";

/// A grid of cells with the order that they get.
#[derive(Clone, Debug)]
pub struct CellPlan {
    /// The grid.
    pub grid: Grid,
    /// The digits of a cell's number, slowest first; none is the field.
    pub digits: Vec<Digit>,
    /// The whole layout in the common notation.
    pub notation: String,
}

/// What a request, or a selector, means for a class whose elements are cells of a grid.
#[derive(Clone, Debug)]
pub enum CellLayout {
    /// Nothing about the order of cells.
    None,
    /// This layout of the elements, whose numbers are those of the cells in another order; and why.
    Ordered(Layout, CellPlan, String),
    /// This layout of the elements, whose order is the source's.
    InOrder(Layout),
    /// The cells cannot change places, and why.
    Kept(Pin),
    /// The request cannot be met.
    Error(Box<Diagnostic>),
}

/// Plans the orders of cells of a program's arrays of structs.
#[derive(Clone, Debug, Default)]
pub struct CellPlanner {
    /// What is known of the cells.
    pub cells: Cells,
    /// By class: what serves its accesses best, where nobody asked for a layout, and why.
    chosen: BTreeMap<ClassId, (LayoutSpec, Grid, String)>,
}

impl CellPlanner {
    /// No order is chosen yet.
    #[must_use]
    pub fn new(cells: Cells) -> Self {
        CellPlanner { cells, chosen: BTreeMap::new() }
    }

    /// What a request means for the cells of a class.
    #[must_use]
    pub fn layout(
        &self,
        program: &Program,
        classes: &Classes,
        class: ClassId,
        request: &LayoutSpec,
        shape: &ClassShape,
    ) -> CellLayout {
        if !orders_cells(request) {
            return CellLayout::None;
        }
        let grids = &self.cells.grids;
        let grid = match (grids.grids.get(&class), grids.flat.get(&class)) {
            (Some(grid), flat) => flat.filter(|_| !names_fit(request, grid)).unwrap_or(grid),
            (None, Some(flat)) => flat,
            (None, None) => return CellLayout::Kept(no_grid(program, classes, class, grids)),
        };
        match plan(request, grid, &shape.shape) {
            Ok((layout, plan)) if plan.is_in_order() => CellLayout::InOrder(layout),
            Ok((layout, plan)) => CellLayout::Ordered(layout, plan, "asked for".to_owned()),
            Err(diagnostic) => CellLayout::Error(diagnostic),
        }
    }
}

/// Whether some request speaks of coordinates.
pub fn any_orders_cells(requests: &[LayoutSpec]) -> bool {
    requests.iter().any(orders_cells)
}

/// Why the cells of a class have no coordinates.
fn no_grid(program: &Program, classes: &Classes, class: ClassId, grids: &Grids) -> Pin {
    grids.refused.get(&class).cloned().unwrap_or_else(|| {
        let class = classes.class(class);
        let span = match class.slots.first() {
            Some(Slot::Variable(id)) => program.variable(*id).site.name,
            Some(Slot::Field(id)) => program.field(*id).site.name,
            Some(Slot::Result(id)) => program.function(*id).sites[0].name,
            None => class.site(program),
        };
        Pin {
            span,
            code: Code::GRID_FORM,
            message: "no index of this array is shown to have more than one coordinate".to_owned(),
            related: Vec::new(),
        }
    })
}

/// The forms of a request.
fn forms(request: &LayoutSpec) -> Vec<&FormSpec> {
    match &request.body {
        SpecBody::Soa(_) => Vec::new(),
        SpecBody::Uniform(form) => vec![form],
        SpecBody::Groups(groups) => groups.iter().map(|group| &group.form).collect(),
    }
}

/// The names of the digits that a request lists.
fn digit_names(request: &LayoutSpec) -> BTreeSet<&str> {
    forms(request)
        .into_iter()
        .filter_map(|form| match &form.order.value {
            Order::Digits(digits) => Some(digits),
            Order::Default | Order::Aos | Order::Tiled(_) => None,
        })
        .flatten()
        .map(|digit| digit.name.value.as_str())
        .collect()
}

/// Whether a request speaks of coordinates, and not of the one index that every array has.
fn orders_cells(request: &LayoutSpec) -> bool {
    digit_names(request).into_iter().any(|name| name != FIELD && name != ELEMENT)
}

/// Whether all names of a request are dimensions of the grid.
fn names_fit(request: &LayoutSpec, grid: &Grid) -> bool {
    digit_names(request)
        .into_iter()
        .all(|name| name == FIELD || grid.dimensions.iter().any(|dimension| dimension.name == name))
}

fn error(request: &LayoutSpec, message: &str, help: &str) -> Box<Diagnostic> {
    let error = Diagnostic::error(Code::UNKNOWN_LAYOUT, format!("`{request}` {message}"));
    Box::new(request.located(error).help(help.to_owned()))
}

/// The layout of the elements, and the order of the cells.
fn plan(
    request: &LayoutSpec,
    grid: &Grid,
    shape: &RecordShape,
) -> Result<(Layout, CellPlan), Box<Diagnostic>> {
    let names: Vec<&str> =
        grid.dimensions.iter().map(|dimension| dimension.name.as_str()).collect();
    let (groups, digits, notation) = match without_field(request) {
        // Behind all coordinates of one member come those of the next.
        Some(cells) => {
            let one = RecordShape::flat("cell", [("value", "float", 4, 4, &[][..])]);
            let layout = cells
                .resolve_grid(&one, &names, "")
                .map_err(|error| Box::new(request.diagnostic(&error)))?;
            let digits = layout.groups()[0].digits().to_vec();
            let shown = layout.display_grid(&one, &names, "").to_string();
            let notation = shown.replacen('[', &format!("[{FIELD}, "), 1);
            (Layout::soa(shape).groups().to_vec(), digits, notation)
        }
        None => {
            let layout = request
                .resolve_grid(shape, &names, FIELD)
                .map_err(|error| Box::new(request.diagnostic(&error)))?;
            let notation = layout.display_grid(shape, &names, FIELD).to_string();
            let mut order: Option<Vec<Digit>> = None;
            let mut groups = Vec::new();
            for group in layout.groups() {
                let (form, digits) = divided(request, shape, group)?;
                if order.as_ref().is_some_and(|order| *order != digits) {
                    let help = "give all groups the same coordinates in the same order";
                    return Err(error(request, "orders the cells of each group apart", help));
                }
                order = Some(digits);
                groups.push(form);
            }
            (groups, order.unwrap_or_default(), notation)
        }
    };
    // The extent of the slowest dimension is what the allocation leaves.
    let is_first = matches!(
        digits.first(),
        Some(Digit::Slice { dimension: DimensionId(0), modulus: None, .. })
    );
    if !is_first {
        let message = format!("needs the extent of `{}`, which is not known", names[0]);
        let help = format!("begin with `{0}` or a slice of it, such as `{0}/32`", names[0]);
        return Err(error(request, &message, &help));
    }
    let layout = Layout::new(shape, 1, groups).map_err(|cause| {
        error(
            request,
            &format!("is no layout of `{}`: {cause}", shape.name),
            "see `layoutc explain LC0040`",
        )
    })?;
    Ok((layout, CellPlan { grid: grid.clone(), digits, notation }))
}

/// A request that begins with the field, without it: a plain array per member.
fn without_field(request: &LayoutSpec) -> Option<LayoutSpec> {
    let SpecBody::Uniform(form) = &request.body else { return None };
    let Order::Digits(digits) = &form.order.value else { return None };
    let (first, rest) = digits.split_first()?;
    if first.name.value != FIELD || rest.is_empty() || form.align.is_some() {
        return None;
    }
    let mut form = form.clone();
    form.order.value = Order::Digits(rest.to_vec());
    Some(LayoutSpec {
        target: request.target.clone(),
        with: Vec::new(),
        body: SpecBody::Uniform(form),
        authority: request.authority,
    })
}

/// A group of a grid as one of an array of structs, and the order of its cells.
fn divided(
    request: &LayoutSpec,
    shape: &RecordShape,
    group: &Group,
) -> Result<(Group, Vec<Digit>), Box<Diagnostic>> {
    let is_slice = |digit: &Digit| matches!(digit, Digit::Slice { .. });
    let digits: Vec<Digit> = group.digits().iter().copied().filter(is_slice).collect();
    let first = group.digits().iter().position(|digit| !is_slice(digit));
    let last = group.digits().iter().rposition(|digit| !is_slice(digit));
    let leaves = group.leaves().to_vec();
    let failed = |cause: String| {
        error(
            request,
            &format!("has no form for an array of structs: {cause}"),
            "put `field` first, last or in front of slices that end with `%`",
        )
    };
    let form = match (first, last) {
        // One member without extents.
        (None, _) | (_, None) => Ok(Group::array(shape, leaves[0])),
        (Some(first), Some(last)) => {
            if group.digits()[first..=last].iter().any(is_slice) {
                return Err(failed("a coordinate stands between members".to_owned()));
            }
            let behind: Vec<Digit> = group.digits()[last + 1..].to_vec();
            if behind.is_empty() {
                Group::aos(shape, leaves, group.align())
            } else if first == 0 {
                match leaves.as_slice() {
                    [leaf] => Ok(Group::array(shape, *leaf)),
                    _ => return Err(failed("the members are the slowest digit".to_owned())),
                }
            } else {
                let mut tile: u64 = 1;
                for digit in behind {
                    let Digit::Slice { modulus: Some(modulus), .. } = digit else {
                        return Err(failed("a slice behind `field` has no end".to_owned()));
                    };
                    tile = tile.saturating_mul(modulus);
                }
                Group::tiled(shape, leaves, tile, group.align())
            }
        }
    };
    let form = form.map_err(|cause| failed(cause.to_string()))?;
    Ok((form, digits))
}

impl CellPlan {
    /// Whether every cell keeps its number.
    fn is_in_order(&self) -> bool {
        let whole = (0..self.grid.dimensions.len() as u32).map(|at| Digit::Slice {
            dimension: DimensionId(at),
            divisor: 1,
            modulus: None,
        });
        self.digits.iter().copied().eq(whole)
    }

    /// The order of the cells in the common notation.
    pub fn order(&self) -> String {
        self.grid.notation(&self.digits)
    }
}

//! The plans of grids: which arrays of numbers get another order of their digits, and which.
//!
//! A pointer into a grid stays what it is; what changes is the index of each access, the size of each
//! allocation and what copies and fills do. So grids are planned on a copy of the program in which
//! arrays of several extents are flat ([`GridProgram`]), apart from the arrays of structs.

mod automatic;
mod families;
mod in_bounds;
mod planner;
mod program;

pub use families::{Apart, Families};
pub use in_bounds::InBounds;
pub use program::{GridProgram, flattened, scalars_worth_a_look};

use crate::grid_choice::{GridChoice, GridOptions};
use crate::plan::{Decision, LayoutPlan, NewLayout};
use layoutc_dataflow::classes::{ClassId, Pin, Slot};
use layoutc_dataflow::grid::Grid;
use layoutc_dataflow::layout::notation::LayoutSpec;
use layoutc_dataflow::layout::{Digit, DimensionId, Layout, RecordShape};
use layoutc_diagnostics::{Code, FileId, Span};
use layoutc_syntax::{Program, Scalar};
use std::collections::{BTreeMap, BTreeSet};

/// What is asked of the grids of a program.
#[derive(Clone, Copy, Debug)]
pub struct GridRequest<'a> {
    /// The layouts that are asked for, of arrays of structs too.
    pub layouts: &'a [LayoutSpec],
    /// Whether what gains is found for arrays that none of them names.
    pub is_automatic: bool,
    /// How layouts are chosen.
    pub options: &'a GridOptions,
    /// Whose coordinates are taken to stay inside their extents.
    pub assume: &'a InBounds,
    /// Whether all grids are looked at, also those that gain nothing.
    pub all_grids: bool,
}

/// A grid with the order of its digits.
#[derive(Clone, Debug)]
pub struct GridPlan {
    /// The grid; its accesses say which extents each function knows.
    pub grid: Grid,
    /// Slowest first.
    pub digits: Vec<Digit>,
    /// The element type.
    pub scalar: Scalar,
}

/// What becomes of all classes of arrays of numbers.
#[derive(Clone, Debug, Default)]
pub struct GridPlans {
    /// By class; arrays of which there is nothing to say are left out.
    pub plan: LayoutPlan,
    /// By class: what serves its accesses best, where nobody asked for a layout.
    pub choices: BTreeMap<ClassId, GridChoice>,
    /// Requests, by position, that mean a grid.
    pub met: BTreeSet<usize>,
    /// By class: the requests for it, if they want several layouts.
    pub contradicted: BTreeMap<ClassId, BTreeSet<usize>>,
    /// Classes that are one where functions have no copies.
    pub families: Families,
}

impl GridPlans {
    /// What becomes of the classes of a program, with functions apart as they are in it.
    #[must_use]
    pub fn new(found: &GridProgram, request: GridRequest, apart: &Apart) -> GridPlans {
        planner::plan(found, request, apart)
    }
}

impl GridPlan {
    /// The digits in the common notation: `[i/32, field, i%32]`.
    #[must_use]
    pub fn notation(&self) -> String {
        self.grid.notation(&self.digits)
    }

    /// The layout as one of records, where the grid is an array of hand-flattened ones in tiles.
    #[must_use]
    pub fn geometry(&self) -> Option<(RecordShape, Layout)> {
        let [_, record] = self.grid.dimensions.as_slice() else { return None };
        let extent = u64::try_from(record.extent?).ok()?;
        let tile = match self.digits.as_slice() {
            [
                Digit::Slice { dimension: DimensionId(0), divisor: by, modulus: None },
                Digit::Slice { dimension: DimensionId(1), divisor: 1, modulus: None },
                Digit::Slice { dimension: DimensionId(0), divisor: 1, modulus: Some(tile) },
            ] if by == tile => *tile,
            _ => return None,
        };
        let size = self.scalar.size();
        let extents = [extent];
        let shape = RecordShape::flat(
            self.scalar.spelling(),
            [("value", self.scalar.spelling(), size, size, &extents[..])],
        );
        let layout = Layout::tiled(&shape, tile, None).ok()?;
        Some((shape, layout))
    }

    /// The change to this order, for a reason, with what was assumed.
    fn decision(self, because: &str) -> Decision {
        let assumed = match self.grid.assumed.len() {
            0 => String::new(),
            1 => "; one index is taken to stay inside its extents".to_owned(),
            count => format!("; {count} indices are taken to stay inside their extents"),
        };
        Decision::change(NewLayout::Grid(self), format!("{because}{assumed}"))
    }
}

/// Whether a reason is that a pragma does not hold.
#[must_use]
pub fn is_mistake(pin: &Pin) -> bool {
    matches!(
        pin.code,
        Code::GRID_EXTENT
            | Code::GRID_RANK
            | Code::GRID_SIZE
            | Code::GRID_CONFLICT
            | Code::GRID_BOUNDS
    )
}

/// Where a class is declared.
#[must_use]
pub fn slot_span(program: &Program, slot: Option<Slot>) -> Span {
    match slot {
        Some(Slot::Variable(id)) => program.variable(id).site.name,
        Some(Slot::Field(id)) => program.field(id).site.name,
        Some(Slot::Result(id)) => program.function(id).sites[0].name,
        None => Span { file: FileId(0), start: 0, end: 0 },
    }
}

/// A reason why a grid has no form, without a flow.
#[must_use]
pub fn pin(span: Span, message: &str) -> Pin {
    Pin { span, code: Code::GRID_FORM, message: message.to_owned(), related: Vec::new() }
}

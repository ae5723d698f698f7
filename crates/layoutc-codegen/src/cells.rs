//! The generated functions that number cells.

use crate::grids::{flatten, index_type, local_names};
use crate::hygiene::LOCALS;
use crate::names::Names;
use layoutc_analysis::cell_plan::CellPlan;
use layoutc_syntax::{ExprId, Program};
use std::fmt::Write as _;

/// The functions that give the cells of a class their numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CellFunctions {
    /// From coordinates to the number.
    pub(crate) place: String,
    /// From the number in the order of the source.
    pub(crate) number: String,
    /// From the cells that the source allocates to those that are.
    count: String,
    /// The type of numbers.
    pub(crate) index: &'static str,
    /// Names of the extents that are no constants, and of the coordinates.
    extents: Vec<String>,
    coordinates: Vec<String>,
    /// The bodies, which tell orders apart.
    place_text: String,
    number_text: String,
    count_text: String,
    order: String,
}

impl CellFunctions {
    /// Chooses names that nothing in the program has.
    pub(crate) fn new(
        plan: &CellPlan,
        program: &Program,
        offsets: impl Iterator<Item = ExprId>,
        prefix: &str,
        names: &mut Names,
    ) -> Self {
        let grid = &plan.grid;
        let (coordinates, extents) = local_names(grid, LOCALS);
        let index = index_type(program, offsets);
        let mut named = extents.iter();
        let sizes: Vec<String> = grid.dimensions[1..]
            .iter()
            .map(|dimension| match dimension.extent {
                Some(extent) => extent.to_string(),
                None => named.next().cloned().unwrap_or_default(),
            })
            .collect();
        let place =
            |coordinates: &[String]| flatten::place(grid, &plan.digits, coordinates, &sizes);
        let number = place(&flatten::unflatten(grid, "i", &sizes));
        let is_empty = match extents.is_empty() {
            true => None,
            false => Some(
                extents.iter().map(|name| format!("{name} <= 0")).collect::<Vec<_>>().join(" || "),
            ),
        };
        CellFunctions {
            place: names.fresh(&format!("{prefix}Place")),
            number: names.fresh(&format!("{prefix}Number")),
            count: names.fresh(&format!("{prefix}Count")),
            index,
            place_text: place(&coordinates),
            number_text: match &is_empty {
                // Without cells in a row, the array is what it was.
                Some(empty) => format!("{empty} ? i : {number}"),
                None => number,
            },
            count_text: count_text(plan, is_empty.as_deref(), &sizes, index),
            order: plan.order(),
            extents,
            coordinates,
        }
    }

    /// Whether two classes number their cells alike.
    pub(crate) fn is_alike(&self, other: &Self) -> bool {
        self.index == other.index
            && self.extents.len() == other.extents.len()
            && self.place_text == other.place_text
            && self.number_text == other.number_text
            && self.count_text == other.count_text
    }

    /// `, long long nx`: what functions that convert need besides.
    pub(crate) fn parameters(&self) -> String {
        self.extents.iter().map(|name| format!(", long long {name}")).collect()
    }

    /// `, nx`: the same in their calls.
    pub(crate) fn arguments(&self) -> String {
        self.extents.iter().map(|name| format!(", {name}")).collect()
    }

    /// The number of the cell that the source calls `number`.
    pub(crate) fn number_of(&self, number: &str) -> String {
        format!("{}({number}{})", self.number, self.arguments())
    }

    /// How many cells are allocated for `n`.
    pub(crate) fn count_of(&self, n: &str) -> String {
        format!("{}({n}{})", self.count, self.arguments())
    }

    /// The order in the common notation.
    pub(crate) fn order(&self) -> &str {
        &self.order
    }

    /// The functions.
    pub(crate) fn text(&self, out: &mut String) {
        let typed = |ty: &str, names: &[String]| -> Vec<String> {
            names.iter().map(|name| format!("{ty} {name}")).collect()
        };
        let all: Vec<String> = self.coordinates.iter().chain(&self.extents).cloned().collect();
        let (index, more) = (self.index, self.parameters());
        let _ = write!(
            out,
            "\n// The number of a cell in the order {}, slowest first.\n\
             static __host__ __device__ __forceinline__ {index} {}({})\n{{\n    return {};\n}}\n\
             \n// The same of the cell that was number i.\n\
             static __host__ __device__ __forceinline__ size_t {}(size_t i{more})\n{{\n    return {};\n}}\n\
             \n// How many cells an array of n takes, with its last tiles filled up.\n\
             static inline size_t {}(size_t n{more})\n{{\n{}}}\n",
            self.order,
            self.place,
            typed(index, &all).join(", "),
            self.place_text,
            self.number,
            self.number_text,
            self.count,
            self.count_text,
        );
    }
}

fn count_text(plan: &CellPlan, is_empty: Option<&str>, extents: &[String], index: &str) -> String {
    let empty =
        is_empty.map_or_else(String::new, |empty| format!("    if ({empty})\n        return n;\n"));
    let most = match index {
        "int" => "0x7fffffff",
        "unsigned" => "0xffffffffu",
        _ => "(size_t)1 << 48",
    };
    format!(
        "{empty}    const size_t inner = {};\n    const size_t rows = (n + inner - 1) / inner;\n    \
         const size_t cells = {};\n    \
         // Numbers are computed as `{index}`: what that cannot count is not allocated.\n    \
         return cells > {most} ? (size_t)1 << 48 : cells;\n",
        extents.join(" * "),
        flatten::count(&plan.grid, &plan.digits, "rows", extents),
    )
}

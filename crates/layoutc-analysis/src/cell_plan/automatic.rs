//! The order of cells that nobody asks for.
//!
//! An array of structs that changes gives neighbouring lanes neighbouring values of a member wherever
//! neighbouring threads have neighbouring cells. So an order of cells is a gain if it is one for an array
//! of one member: what the rule for arrays of structs does is what it is measured against. The layout
//! is then tiles along the dimension in which the lanes lie; all else is left to that rule.

use super::{CellLayout, CellPlanner, FIELD, plan};
use crate::cost::kernel::{ArrayId, Factor, Lanes};
use crate::cost_model::{ArraySource, CostModel};
use crate::grid_choice::{GridOptions, Verdict, choose_for_grid};
use crate::grid_model::GridModel;
use crate::index_form::Definitions;
use layoutc_dataflow::classes::{ClassId, ClassShape, Classes, class_shape};
use layoutc_dataflow::layout::notation::{
    Authority, FormSpec, GridDigit, LayoutSpec, Located, Order, SpecBody,
};
use layoutc_dataflow::layout::{Digit, DimensionId, Leaf};
use layoutc_syntax::Program;

/// The largest tile, in cells.
const LARGEST_TILE: u64 = 256;

/// Whether some array of structs is indexed in a way that another order of its elements could serve.
pub fn may_gain(classes: &Classes, model: &CostModel) -> bool {
    let is_apart = |lanes: Lanes| matches!(lanes, Lanes::Affine([factor, ..]) if !matches!(factor, Factor::Number(0 | 1)));
    let is_free = |array: ArrayId| match model.arrays[array.0 as usize].source {
        ArraySource::Class(class) => classes.class(class).is_free(),
        ArraySource::Plain => false,
    };
    let mut accesses = model.kernels.iter().flat_map(|kernel| &kernel.code.accesses);
    accesses.any(|access| is_apart(access.index.lanes) && is_free(access.array))
}

impl CellPlanner {
    /// Chooses the orders that gain something.
    pub fn choose(&mut self, program: &Program, classes: &Classes, options: &GridOptions) {
        // Steering bits are the business of arrays of numbers.
        if options.device.steering_model().is_ok() {
            return;
        }
        let definitions = Definitions::collect(program);
        let mut model = GridModel::new(program, &definitions);
        let mut indices = self.cells.grids.indices.clone();
        let grids = &self.cells.grids;
        for (class, grid) in grids.grids.iter().chain(&grids.flat) {
            let own = classes.class(*class);
            let record = own.element.record();
            let is_plain =
                record.is_none_or(|record| program.record(record).explicit_align.is_none());
            let Some(shape) = class_shape(program, own).filter(|_| is_plain && own.is_free())
            else {
                continue;
            };
            let scalars: u64 = shape.shape.leaves.iter().map(Leaf::scalars).sum();
            let Some(first) = shape.shape.leaves.first().filter(|_| scalars > 1) else { continue };
            let bytes = first.size().0 / first.scalars().max(1);
            if self.chosen.contains_key(class) || !matches!(bytes, 1 | 2 | 4 | 8 | 16) {
                continue;
            }
            let choice = choose_for_grid(program, &mut model, &mut indices, grid, bytes, options);
            let (Verdict::Gain(because), Some(layout)) = (&choice.verdict, &choice.layout) else {
                continue;
            };
            let name = |dimension: DimensionId| grid.dimensions[dimension.0 as usize].name.as_str();
            if let Some(digits) = tiles(&layout.digits, name) {
                let order = Located { value: Order::Digits(digits), at: 0..0 };
                let request = LayoutSpec {
                    target: "cells".to_owned(),
                    with: Vec::new(),
                    body: SpecBody::Uniform(FormSpec { order, align: None }),
                    authority: Authority::Chosen,
                };
                self.chosen.insert(*class, (request, grid.clone(), because.clone()));
            }
        }
    }

    /// What nobody asked for.
    #[must_use]
    pub fn automatic(&self, class: ClassId, shape: &ClassShape) -> CellLayout {
        let Some((request, grid, because)) = self.chosen.get(&class) else {
            return CellLayout::None;
        };
        match plan(request, grid, &shape.shape) {
            Ok((layout, plan)) if !plan.is_in_order() => {
                CellLayout::Ordered(layout, plan, because.clone())
            }
            Ok(_) | Err(_) => CellLayout::None,
        }
    }
}

/// The digits with the members in front of the last one, which must have an end.
fn tiles<'a>(digits: &[Digit], name: impl Fn(DimensionId) -> &'a str) -> Option<Vec<GridDigit>> {
    let named = |name: &str| Located { value: name.to_owned(), at: 0..0 };
    let mut found = Vec::new();
    for (at, digit) in digits.iter().enumerate() {
        let Digit::Slice { dimension, divisor, modulus } = *digit else { return None };
        if at + 1 == digits.len() {
            modulus.filter(|tile| (2..=LARGEST_TILE).contains(tile))?;
            found.push(GridDigit { name: named(FIELD), divisor: 1, modulus: None });
        }
        found.push(GridDigit { name: named(name(dimension)), divisor, modulus });
    }
    Some(found)
}

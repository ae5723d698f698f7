//! The work-item functions of OpenCL C (6.12.1) as what CUDA has in their place.

use super::value::{Atom, Key, Value, Variation};
use super::walk::Walk;
use crate::grid::Axis;
use layoutc_syntax::evaluate::constant;
use layoutc_syntax::{BinaryOp, ExprId};

impl Walk<'_> {
    /// The value of `get_global_id(0)` and its like; none for another function.
    pub(super) fn work_item(&mut self, name: &str, arguments: &[ExprId]) -> Option<Value> {
        let &[dimension] = arguments else { return None };
        let is_known = matches!(
            name,
            "get_global_id"
                | "get_local_id"
                | "get_group_id"
                | "get_local_size"
                | "get_num_groups"
                | "get_global_size"
                | "get_global_offset"
        );
        if !is_known {
            return None;
        }
        // Without a constant any dimension may be meant; programs write one.
        let axis = constant(self.program, dimension).and_then(|axis| usize::try_from(axis).ok());
        let axis = *Axis::ALL.get(axis.unwrap_or(0))?;
        let size = |this: &mut Self, name: &str| {
            this.symbols.symbol(Key::Extent(name.to_owned(), axis), Variation::default())
        };
        Some(match name {
            "get_local_id" => Value::atom(Atom::Thread(axis)),
            "get_group_id" => Value::atom(Atom::Block(axis)),
            "get_local_size" => size(self, "blockDim"),
            "get_num_groups" => size(self, "gridDim"),
            "get_global_size" => {
                let (block, grid) = (size(self, "blockDim"), size(self, "gridDim"));
                self.symbols.binary(BinaryOp::Mul, &block, &grid)
            }
            "get_global_offset" => Value::constant(0),
            _ => {
                let block = size(self, "blockDim");
                let first =
                    self.symbols.binary(BinaryOp::Mul, &Value::atom(Atom::Block(axis)), &block);
                self.symbols.binary(BinaryOp::Add, &first, &Value::atom(Atom::Thread(axis)))
            }
        })
    }
}

//! Structured grids: access matrices, busy bits, steering bits and the digits that follow.
//!
//! Plain data in, plain data out: nothing here knows the program model. Accesses come as
//! [`AccessMatrix`]es, their [`common_pattern`] with a [`Launch`] gives the [`busy_bits`] of each
//! subscript, and [`choose_grid_layout`] gives the digits of the grid, slowest first, and an
//! [`Explanation`] of them, which [`drawing::svg`] draws.
//!
//! Source: Sung, Stratton, Hwu, PACT 2010, §4 and §5.
//!
//! # What the paper leaves open, and what is done here
//!
//! - *Eligibility.* All columns but the constant one must agree, as in the paper
//!   ([`Agreement::All`]); with [`Agreement::Parallel`] those of loops need not, since loop indices
//!   have no busy bits. A grid with several patterns is not eligible: none is preferred, all are
//!   reported, and two accesses that differ are named.
//! - *Terms that are not affine.* Wrap-around and clamps differ from their affine operand at the
//!   border only and count as it. A parity (red-black orders) is an auxiliary index with few values:
//!   it makes the low bits busy if a thread or block index drives it. Anything else makes the grid
//!   ineligible.
//! - *Numbers that are no powers of two.* Binary logarithms of block sizes, active blocks and factors
//!   are rounded to the nearest integer. A factor `c` leaves the bits below its lowest set bit idle
//!   (`3 i` reaches bit 0, `4 i` does not) and makes all above busy, up to the logarithm of `c n`.
//! - *Blocks of two and three dimensions.* Each thread index has the busy bits of its own size. The
//!   active blocks fill the launch along x, then y, then z. An extent of the launch that is not known
//!   counts as larger than the window, or as 1 if no subscript depends on it.
//! - *The fastest-changing dimension* is the one with the smallest factor of `threadIdx.x` (of y or z
//!   if blocks are one thread wide, or no subscript depends on x), the innermost of several. Without
//!   one nothing is assigned to the burst offset.
//! - *Coalescing bits.* The paper takes the least significant bits of the fastest dimension. With a
//!   factor `2^s` the lowest `s` bits do not differ among lanes; the bits from `s` on are taken, and
//!   those below are left over: a red-black sweep gets its colours apart.
//! - *Greedy order.* Bits that threads drive before bits that only blocks drive (they differ for
//!   certain); the fastest dimension first, then the others from the innermost to the outermost; low
//!   bits first. A run of bits that does not fit is cut, its low bits stay.
//! - *Element sizes.* `value_bytes` decides at which address bit the subscripts begin (to the nearest
//!   power of two, with a note where it is none): 8-byte values have one coalescing bit less than
//!   4-byte ones, and values of a burst or more have none.
//! - *Left-over dimensions* and left-over bits keep the order of the source and stand above all tiles;
//!   in each dimension high bits stand above low ones. The field of a record is the innermost of them.
//! - *Constant extents.* Bits above an extent are not busy. A tile that holds the whole extent is the
//!   dimension itself and pads nothing; one for steering may pad a constant extent by an eighth,
//!   otherwise it is made smaller.
//! - *Padding of rows.* `x/128, x%128` next to each other are one digit where that changes nothing, or
//!   where smaller tiles stand below them. As the innermost digits the slice for coalescing stays one
//!   of its own: `y, x/16, x%16` pads rows to whole bursts and no further.
//! - *Limits.* The slices of one grid have 16 bits at most, the largest tile of the layout algebra; those
//!   of one subscript have 7 where its extent is one of several that are not known, so that short rows
//!   are not padded to many times their length.
//!
//! # Devices without steering bits
//!
//! Where the channels of a device are hashed, or nobody knows, steering is not modelled: every line
//! is as good as any other. One slice of the fastest dimension becomes the innermost digit, a warp's
//! lanes or 128 bytes, whichever is more; everything else keeps its order above it, so that the field
//! (or an innermost constant dimension) stands directly outside. If the fastest dimension is the
//! innermost already, the layout of the source stays. Other dimensions are not tiled: it would cost
//! address arithmetic and serve nothing that is modelled. A constant extent that the slice would pad
//! by more than an eighth goes innermost as a whole.

mod access;
mod assignment;
mod busy;
mod coefficient;
mod digits;
pub mod drawing;
mod explanation;
mod flattening;
mod pattern;
pub mod requests;
mod shape;

pub use access::{AccessId, AccessMatrix, AccessRow, Auxiliary, Column, Offset};
pub use busy::{BusyBit, BusyBits, Launch, busy_bits};
pub use coefficient::Coefficient;
pub use explanation::{
    AddressBit, DigitExplanation, DimensionExplanation, Explanation, Feed, Model, Role,
};
pub use flattening::{digit_text, dimension_vector, flattening_function};
pub use layoutc_dataflow::catalogue::builtins::Axis;
pub use pattern::{
    Agreement, CommonPattern, Ineligible, Parity, PatternRow, PatternUse, common_pattern,
};
pub use shape::{Extent, GridDimension, GridShape};

use crate::device::Device;
use assignment::{fastest, for_coalescing, for_steering};
use explanation::{Parts, explain};
use layoutc_dataflow::layout::Digit;
use std::fmt;

/// The layout of a grid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GridLayout {
    /// Slowest first. The extents of member arrays are not among them; they belong directly behind
    /// the field digit.
    pub digits: Vec<Digit>,
    /// Why.
    pub explanation: Explanation,
}

impl GridLayout {
    /// Whether the grid lies as the source says: nothing is to be gained.
    #[must_use]
    pub fn is_row_major(&self) -> bool {
        let mut next = 0;
        self.digits.iter().all(|digit| match digit {
            Digit::Slice { dimension, divisor: 1, modulus: None } => {
                next += 1;
                dimension.0 + 1 == next
            }
            Digit::Slice { .. } => false,
            Digit::Field | Digit::Extent(_) => next as usize + 1 == self.digits.len(),
        })
    }
}

/// Why there is nothing to choose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GridError {
    /// The grid has no dimension.
    NoDimension,
    /// The pattern has another number of subscripts than the grid has dimensions.
    Rank {
        /// Of the grid.
        dimensions: usize,
        /// Of the pattern.
        subscripts: usize,
    },
    /// A block without threads, no active block, or a value without bytes.
    Empty(&'static str),
}

impl fmt::Display for GridError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDimension => write!(out, "the grid has no dimension"),
            Self::Rank { dimensions, subscripts } => {
                write!(
                    out,
                    "the grid has {dimensions} dimensions and accesses have {subscripts} subscripts"
                )
            }
            Self::Empty(what) => write!(out, "{what} must be at least 1"),
        }
    }
}

impl std::error::Error for GridError {}

/// The layout of a grid whose accesses have a common pattern.
///
/// # Errors
/// If the numbers do not fit each other.
///
/// Source: Sung, Stratton, Hwu, PACT 2010, §5.2.2, step 3; deviations in the module's text.
pub fn choose_grid_layout(
    grid: &GridShape,
    pattern: &CommonPattern,
    launch: &Launch,
    device: &Device,
) -> Result<GridLayout, GridError> {
    check(grid, pattern, launch)?;
    let busy = busy_bits(pattern, launch);
    let fastest = fastest(pattern, launch);
    let mut notes = Vec::new();
    let (model, slices) = match device.steering_model() {
        Ok(model) => (Model::Steering(model), for_steering(grid, &busy, fastest, &model)),
        Err(because) => {
            notes.push(format!(
                "steering bits are not modelled on {}: {because}; tiles and the order of dimensions serve coalescing and locality alone",
                device.title
            ));
            let slices = for_coalescing(grid, fastest, device.warp_size());
            (Model::Coalescing { because: because.to_owned() }, slices)
        }
    };
    if fastest.is_none() {
        notes.push(
            "no subscript is seen to depend on the thread index, so nothing can coalesce"
                .to_owned(),
        );
    }
    if !grid.value_bytes.is_power_of_two() {
        notes.push(format!(
            "values of {} bytes do not feed whole address bits; the bits shown are those of the nearest power of two",
            grid.value_bytes
        ));
    }
    for (shape, busy) in grid.dimensions.iter().zip(&busy) {
        for column in &busy.unknown {
            notes.push(format!(
                "the factor of {column} in the subscript of `{}` has no known value; its busy bits are left out",
                shape.name
            ));
        }
    }
    let digits = digits::digits(grid, &slices);
    let explanation = explain(Parts {
        device: &device.name,
        model,
        pattern: pattern.to_string(),
        grid,
        busy,
        fastest: fastest.map(|fastest| fastest.dimension),
        slices: &slices,
        digits: &digits,
        notes,
    });
    Ok(GridLayout { digits, explanation })
}

fn check(grid: &GridShape, pattern: &CommonPattern, launch: &Launch) -> Result<(), GridError> {
    let (dimensions, subscripts) = (grid.dimensions.len(), pattern.rows.len());
    if dimensions == 0 {
        return Err(GridError::NoDimension);
    }
    if dimensions != subscripts {
        return Err(GridError::Rank { dimensions, subscripts });
    }
    if launch.block.contains(&0) {
        return Err(GridError::Empty("every size of a block"));
    }
    if launch.active_blocks == 0 {
        return Err(GridError::Empty("the number of active blocks"));
    }
    if grid.value_bytes == 0 {
        return Err(GridError::Empty("the size of a value"));
    }
    Ok(())
}

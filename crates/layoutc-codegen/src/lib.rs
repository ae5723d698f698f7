//! Turns layout plans into edits over the files of a program.
//!
//! Nothing is chosen here: a plan says what every array becomes, and each kind of plan has one entry
//! that gives the edits, or refuses with the expression that has no form: [`rewrite`] for arrays of
//! structs, [`grids::GridWriter`] for grids and [`joints::rewrite_joints`] for arrays that become one.

mod cells;
mod coordinates;
pub mod edit;
pub mod grids;
mod helpers;
mod hygiene;
pub mod instrument;
pub mod joints;
mod macro_uses;
mod marker;
mod names;
pub mod opencl;
mod rewrite;
mod rewritten;
mod sections;
mod storage;
mod unused_locals;

pub use edit::{Edit, EditSet, OverlappingEdits, PLACEHOLDER};
pub use grids::CHECK;
pub use rewrite::{CellFacts, Style, ViewNeeds, rewrite};
pub use rewritten::Rewritten;
pub use unused_locals::settle_unused_locals;

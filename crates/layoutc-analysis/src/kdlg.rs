//! Kernel Data Layout Graphs: which fields of a record belong together, and in which layout.
//!
//! The vertices of a [`Kdlg`] are the fields of a record, with their sizes σ; its edges have the memory
//! distance δ of two fields, which [`nearness`] finds in what kernels access. [`partition`] joins fields
//! nearer than ε, and a decision [`Tree`] of the device chooses the layout of each cluster by its size.
//! [`choice`] is the whole algorithm, [`drawing`] shows graphs.
//!
//! Source: Kofler, Cosenza, Fahringer, Euro-Par 2015, §3. What it leaves open is decided in the modules and
//! listed in `docs/kdlg.md`.

mod balance;
pub mod choice;
pub mod distance;
pub mod drawing;
pub mod graph;
mod partition;

pub use distance::nearness;
pub use graph::{Distance, Field, Kdlg};
pub use partition::partition;

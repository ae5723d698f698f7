//! Access analysis of kernels and the choice of a layout for each array class.
//!
//! [`cost_model`] says how the threads of a warp reach each array; [`choose`] answers which
//! layout each class gets; [`grid`] does so for structured grids ([`grid_model`] is the way there from a
//! program, [`grid_choice`] the decision), and [`device`] is what is known of
//! GPUs. [`kdlg`] clusters fields by memory distance, [`trace`] chooses by what a recorded run did ([`profile`]), which
//! [`heat_map`] shows. [`cost`] prices layouts, and [`simulate`] checks the prices. Nothing here edits or
//! knows source text.

pub mod cell_plan;
pub mod choose;
pub mod cost;
pub mod cost_choice;
pub mod cost_model;
pub mod device;
pub mod generated;
pub mod grid;
pub mod grid_choice;
pub mod grid_model;
pub mod grid_plan;
pub mod heat_map;
pub mod index_form;
pub mod joint_plan;
pub mod kdlg;
pub mod keep;
pub mod merge_choice;
pub mod plan;
pub mod profile;
pub mod selector;
pub mod simulate;
pub mod trace;

pub use choose::choose_layouts;
pub use index_form::IndexForm;
pub use plan::{ArrayPlan, Change, Decision, LayoutPlan, NewLayout, Origin, Refusal, StructPlan};
pub use selector::Selector;
pub use trace::TraceOptions;

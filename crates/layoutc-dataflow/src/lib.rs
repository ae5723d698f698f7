//! The layout algebra, the monotone framework and the propagation of layout types through pointers.

pub mod catalogue;
pub mod classes;
pub mod framework;
pub mod grid;
pub mod layout;
pub mod layout_type;
pub mod merge;
pub mod pointer_flow;

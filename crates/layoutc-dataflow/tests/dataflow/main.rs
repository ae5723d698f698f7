//! Properties of the layout algebra, its notation, the framework and the layout types.

mod cpp_geometry;
mod layout_laws;
mod notation;
mod records;

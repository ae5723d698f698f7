//! Properties of the layout algebra, its notation, the framework and the layout types.

mod cpp_geometry;
mod framework;
mod layout_laws;
mod layout_types;
mod notation;
mod opencl_buffers;
mod pointer_programs;
mod records;
mod round_robin;

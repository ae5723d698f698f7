//! The layout algebra, the monotone framework and the propagation of layout types through pointers.

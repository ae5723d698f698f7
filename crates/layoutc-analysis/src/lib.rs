//! Access analysis of kernels and the choice of a layout for each array class.

//! All integration tests, in one binary: what they share is compiled and linked once, and no test waits for the last
//! one of another binary.

mod analyze;
mod bad_input;
mod calibrate;
mod calibrate_tiles;
mod cli;
mod config;
mod cost;
mod documents;
mod encoding;
mod fixtures;
mod golden;
mod grid_bad;
mod grid_code;
mod grid_pragmas;
mod grids;
mod kdlg;
mod kdlg_opencl;
mod limits;
mod malformed;
mod merges;
mod merges_opencl;
mod opencl;
mod opencl_verify;
mod probes;
mod profile;
mod profile_opencl;
mod profile_page;
mod programs;
mod project;
mod random;
mod random_opencl;
mod rendering;
mod scope;
mod simulate_opencl;
mod supported;

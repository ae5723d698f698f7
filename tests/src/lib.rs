//! Helpers that the test suites, the benches and `xtask` share.
//!
//! Nothing here is part of the compiler: these modules find and run the tools around it (nvcc, the
//! `layoutc` binary) and read the fixtures in `testdata/`.

use std::path::{Path, PathBuf};

pub mod book;
pub mod explanation;
pub mod generate;
pub mod golden;
pub mod layoutc;
pub mod listed;
pub mod malformed;
pub mod nvcc;
pub mod opencl;
pub mod original;
pub mod picture;
pub mod priced;
pub mod probe;
pub mod process;
pub mod profile;
pub mod program;
pub mod random;
pub mod random_opencl;
pub mod sandbox;
pub mod sass;
pub mod schema;
pub mod seeded;
pub mod supported;

/// The folder that holds the workspace's `Cargo.toml`.
#[must_use]
pub fn repository_root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().map_or_else(|| tests.to_path_buf(), Path::to_path_buf)
}

pub mod fixture;

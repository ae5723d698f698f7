//! The arguments of `layoutc plan`.

use crate::arguments::ProgramArguments;
use clap::Args;
use std::path::PathBuf;

/// What the help ends with.
pub const EXAMPLES: &str = "\
The lock file says the layout of every array and why. It is made to be checked in: builds behind `layoutc launch` take \
the layouts from it, and a change elsewhere in the program does not change them. An array that can no longer have its \
layout is an error; --update chooses anew.

Examples:
  layoutc plan --build build                 all programs of a build folder of CMake or Ninja
  layoutc plan main.cu kernels.cu            a program of these files
  layoutc plan --build build --check         for pipelines: is the lock file up to date?
  layoutc plan --build build --update        choose all layouts anew

Exit codes: 0 done, 1 errors reported, or (with --check) the lock file is not up to date, 2 bad usage or failure.";

/// `layoutc plan`.
#[derive(Debug, Args)]
pub struct PlanArguments {
    /// Plan all programs of this build folder.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["files", "project"])]
    pub build: Option<PathBuf>,
    /// The lock file; otherwise the one of the project, or layoutc.lock in the current folder.
    #[arg(long, value_name = "FILE")]
    pub lock: Option<PathBuf>,
    /// Choose anew what the lock file says.
    #[arg(long)]
    pub update: bool,
    /// Write nothing; exit with 1 if the lock file would change.
    #[arg(long)]
    pub check: bool,
    /// The program.
    #[command(flatten)]
    pub program: ProgramArguments,
}

//! The arguments of `layoutc tune`.

use crate::arguments::ProgramArguments;
use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// What the help ends with.
pub const EXAMPLES: &str = "\
The source, the layouts that `transform` chooses, those of --try, clusters by memory distance, soa and tiled(32) are \
built, run and compared; where several arrays change, also the choice with one of them left as it is. Every candidate \
has to print what the source prints. The fastest goes into the lock file, from which builds and `--locked` take it; \
within 1 % of it, the candidate that comes first in this list wins.

A candidate runs once to be compared, then --runs times; its figure is the median. Results are appended to --results as \
they come, one JSON object a line: the same command goes on where it was stopped, and measures nothing twice.

How programs are built:
  (nothing)                       nvcc -O3, $NVCC or the one of the PATH, with --nvcc-option
  --build 'make -C {dir}' --program '{dir}/sim'
                                  {dir} is a folder that has the program's files as they were named
  --build 'cmake --build build' --program build/sim
                                  a build behind `layoutc launch`: the lock file has the candidate's layouts

Examples:
  layoutc tune nbody.cu -- 65536 100
  layoutc tune nbody.cu --figure 'kernel time:' -- 65536 100
  layoutc tune nbody.cu --try 'Body = {x y z mass} align(16), {*}' --launcher 'srun -p gpu -n 1' --at-once 4
  layoutc tune nbody.cu --measure simulated -- 1024 2
  layoutc transform nbody.cu --locked layoutc.lock -o out.cu

Exit codes: 0 done, 1 the source does not build or run, or errors were reported, 2 bad usage or failure.";

/// `layoutc tune`.
#[derive(Debug, Args)]
pub struct TuneArguments {
    /// What decides. `time`: seconds of the whole run, or --figure; `simulated`: what memory accesses cost on a simulated
    /// --device, conversions included, without a GPU.
    #[arg(long, value_name = "WHAT", default_value = "time")]
    pub measure: Measure,
    /// Compare the number that the program prints behind this text, and not the time of the run; less is better.
    #[arg(long, value_name = "TEXT")]
    pub figure: Option<String>,
    /// A candidate more: layouts as `--layout` takes them, separated by `;`. May be repeated.
    #[arg(long = "try", value_name = "SPEC[;SPEC]")]
    pub tries: Vec<String>,
    /// Measure no more candidates than this, the source included.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub candidates: u32,
    /// Measured runs of each candidate.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: u32,
    /// Stop a run after this time.
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub timeout: u64,
    /// Run programs with this in front, such as `srun -n 1`; a word `{}` stands for the program with its arguments.
    #[arg(long, value_name = "COMMAND")]
    pub launcher: Option<String>,
    /// Build and run so many candidates at the same time, where the launcher spreads them.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "launcher", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub at_once: u16,
    /// Build a candidate with this command of the shell.
    #[arg(long, value_name = "COMMAND", requires = "built")]
    pub build: Option<String>,
    /// What --build makes.
    #[arg(long = "program", id = "built", value_name = "PATH", requires = "build")]
    pub built: Option<String>,
    /// Further options for nvcc, such as `-arch=sm_90`. May be repeated.
    #[arg(
        long = "nvcc-option",
        value_name = "OPTION",
        allow_hyphen_values = true,
        conflicts_with = "build"
    )]
    pub nvcc_options: Vec<String>,
    /// Do not compare what programs print.
    #[arg(long)]
    pub ignore_output: bool,
    /// Where results go, and are looked for.
    #[arg(long, value_name = "FILE", default_value = "layoutc.tune.jsonl")]
    pub results: PathBuf,
    /// The lock file; otherwise the one of the project, or layoutc.lock in the current folder. `FILE:PROGRAM` names one of
    /// several programs.
    #[arg(long, value_name = "FILE[:PROGRAM]")]
    pub lock: Option<String>,
    /// Write no lock file.
    #[arg(long, conflicts_with = "lock")]
    pub no_lock: bool,
    /// The program.
    #[command(flatten)]
    pub program: ProgramArguments,
    /// What the program is run with.
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<OsString>,
}

/// What decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Measure {
    /// Runs.
    Time,
    /// Simulated memory accesses.
    Simulated,
}

//! How many threads work.

use clap::Args;
use std::sync::OnceLock;
use std::thread::available_parallelism;

/// What was asked for.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct JobsArguments {
    /// Work with so many threads; otherwise with as many as there are cores. What comes out is the same.
    #[arg(short = 'j', long = "jobs", value_name = "N", global = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
}

static JOBS: OnceLock<usize> = OnceLock::new();

/// Sets the number for everything that follows.
pub fn set(arguments: JobsArguments) {
    let Some(jobs) = arguments.jobs.map(usize::from) else { return };
    // The command line is read once more where a layoutc.toml adds to it; it says the same.
    if JOBS.set(jobs).is_ok() {
        // There is a pool already only if this was said before.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(jobs).build_global();
    }
}

/// The number that was asked for.
pub fn asked() -> Option<usize> {
    JOBS.get().copied()
}

/// The number that was asked for, or that of the cores.
pub fn threads() -> usize {
    asked().unwrap_or_else(|| available_parallelism().map_or(1, usize::from))
}

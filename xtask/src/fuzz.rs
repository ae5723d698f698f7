//! `cargo xtask fuzz`: random programs, rewritten and run.

use std::fs;
use std::io::{self, IsTerminal, stderr};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use layoutc_tests::layoutc::Layoutc;
use layoutc_tests::random::campaign::{Campaign, Statistics, run as run_campaign};
use layoutc_tests::random::generate::{Size, generate};
use layoutc_tests::random::layouts::KINDS;
use layoutc_tests::random_opencl;

/// What to run.
#[derive(clap::Args)]
pub struct Options {
    /// At least this many kernels
    #[arg(long, default_value_t = 3000)]
    kernels: usize,
    /// The seed of the first program
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Programs at a time
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Compile one program of N, and what becomes of it, with nvcc; 0: none
    #[arg(long, value_name = "N", default_value_t = 1)]
    nvcc_every: usize,
    /// Layouts of each program
    #[arg(long, default_value_t = KINDS.len())]
    layouts: usize,
    /// Units (host functions with their structs) of a program
    #[arg(long, default_value_t = Size::default().units)]
    units: usize,
    /// Kernels of a unit
    #[arg(long, value_name = "N", default_value_t = Size::default().kernels)]
    unit_kernels: usize,
    /// Where reduced failures are written
    #[arg(long, default_value = "target/fuzz")]
    out: PathBuf,
    /// Seconds for reducing a failure
    #[arg(long, default_value_t = 180)]
    reduce: u64,
    /// How many failures of one cause are reduced
    #[arg(long, default_value_t = 2)]
    reductions: usize,
    /// The share of array classes, in per cent, that must change
    #[arg(long, default_value_t = 50.0)]
    floor: f64,
    /// OpenCL programs instead of CUDA programs; `--kernels` counts those of OpenCL then
    #[arg(long)]
    opencl: bool,
    /// The `layoutc` to test instead of the one that this command builds
    #[arg(long, value_name = "FILE")]
    layoutc: Option<PathBuf>,
    /// Print the program of the seed and stop
    #[arg(long)]
    print: bool,
}

fn write_summary(folder: &Path, text: &str) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join("summary.txt"), text)
}

/// Runs a campaign.
///
/// # Errors
/// When a case fails, or when too few classes change for the run to mean anything.
pub fn run(options: &Options) -> Result<()> {
    if options.opencl {
        return run_opencl(options);
    }
    let size = Size { units: options.units, kernels: options.unit_kernels };
    if options.print {
        print!("{}", generate(options.seed, size).text());
        return Ok(());
    }
    let campaign = Campaign {
        kernels: options.kernels,
        seed: options.seed,
        jobs: options.jobs,
        nvcc_every: (options.nvcc_every > 0).then_some(options.nvcc_every),
        layouts: options.layouts,
        size,
        out: Some(options.out.clone()),
        reduce: Duration::from_secs(options.reduce),
        reductions: options.reductions,
        layoutc: options.layoutc.clone().map(Layoutc::at),
    };
    let progress = Progress::new(options);
    let statistics = run_campaign(&campaign, &|now, elapsed| progress.tell(now, elapsed))?;
    progress.end(&statistics)
}

/// Runs a campaign of OpenCL programs.
fn run_opencl(options: &Options) -> Result<()> {
    use random_opencl::campaign::{Campaign, KINDS, run};
    use random_opencl::generate::{Size, generate};
    let size = Size { units: options.units.min(Size::default().units), ..Size::default() };
    if options.print {
        print!("{}", generate(options.seed, size).text());
        return Ok(());
    }
    let programs = options.kernels.div_ceil((size.units * size.kernels).max(1));
    let campaign = Campaign {
        seeds: (options.seed..).take(programs).collect(),
        jobs: options.jobs,
        layouts: options.layouts.min(KINDS.len()),
        size,
        out: Some(options.out.clone()),
        reduce: Duration::from_secs(options.reduce),
        reductions: options.reductions,
        layoutc: options.layoutc.clone().map(Layoutc::at),
    };
    let progress = Progress::new(options);
    let statistics = run(&campaign, &|now, elapsed| progress.tell(now, elapsed))?;
    progress.end(&statistics)
}

/// What a campaign tells as it goes on.
struct Progress<'a> {
    options: &'a Options,
    pause: Duration,
    start: Instant,
    last: Mutex<Instant>,
}

impl<'a> Progress<'a> {
    fn new(options: &'a Options) -> Self {
        let pause = Duration::from_secs(if stderr().is_terminal() { 1 } else { 30 });
        Progress { options, pause, start: Instant::now(), last: Mutex::new(Instant::now()) }
    }

    fn tell(&self, statistics: &Statistics, elapsed: Duration) {
        if let Ok(mut last) = self.last.lock()
            && last.elapsed() > self.pause
        {
            *last = Instant::now();
            let line = statistics.line(elapsed);
            eprintln!("{line}");
            // What is known so far, should the run be stopped; a failure to write shows at the end.
            let _ = write_summary(&self.options.out, &format!("{}\n{line}\n", statistics.table()));
        }
    }

    /// The end of a campaign.
    fn end(&self, statistics: &Statistics) -> Result<()> {
        let options = self.options;
        println!("{}", statistics.table());
        println!("{}", statistics.line(self.start.elapsed()));
        write_summary(&options.out, &statistics.table())?;
        if statistics.failed() > 0 {
            bail!("{} failures, reduced in {}", statistics.failed(), options.out.display());
        }
        let share = 100.0 * statistics.changed_share();
        if share < options.floor {
            bail!("{share:.1} % of the classes changed, fewer than {} %", options.floor);
        }
        Ok(())
    }
}
